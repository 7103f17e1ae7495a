"""Time, effort, flag, confidence and rationale in tables of judgments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Span
from judgetool.formats import Kind, read_text
from judgetool.formats.judgments import find_moment, find_spans, moment_text, spans_text
from judgetool.formats.values import Details


def read(text):
    return read_text(text, source="j.csv", kind=Kind.JUDGMENTS)


def test_details_are_read_by_their_columns():
    """Columns at, flagged, spent_ms, confidence and rationale are a judgment's details."""
    span = '"[{""field"": ""body"", ""start"": 1, ""end"": 3, ""text"": ""ol""}]"'
    reading = read(
        "query,doc_id,grade,at,flagged,spent_ms,confidence,rationale\n"
        f"q,a,1,2026-01-02T03:04:05Z,yes,1500,2,{span}\nq,b,1,,,,,\n"
    )
    span = Span("body", 1, 3, "ol")
    assert reading.judgments.details == {0: Details(1_767_323_045_000, 1500, True, 2, (span,))}
    assert reading.notes == []


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("02.10.2026 09:01", 1_790_931_660_000),
        ("2.10.2026 09:01:30", 1_790_931_690_000),
        ("02.10.2026", 1_790_899_200_000),
        ("2.10.2026 9:01", 1_790_931_660_000),
    ],
)
def test_the_day_stands_first_before_points(cell, expected):
    """As spreadsheets write dates in many countries; none writes the month first so."""
    reading = read(f"query,doc_id,grade,at\nq,a,1,{cell}\n")
    assert [each.at for each in reading.judgments.details.values()] == [expected]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (("04/02/2026 09:01", "13/02/2026 9:01"), ["2026-02-04", "2026-02-13"]),
        (("04/02/2026", "2/13/2026 10:00"), ["2026-04-02", "2026-02-13"]),
        (("04-02-2026", "31-01-2026"), ["2026-02-04", "2026-01-31"]),
        (("02/02/2026", "2026-02-03"), ["2026-02-02", "2026-02-03"]),
        (("04/02/2026", "13/02/2026", "02/13/2026", "2026-02-03"), ["2026-02-03"]),
    ],
)
def test_one_date_tells_what_stands_first_in_all(cells, days):
    """No month is above 12; where some dates tell the one and some the other, neither is read."""
    rows = "".join(f"q,{at},1,{cell}\n" for at, cell in enumerate(cells))
    details = read(f"query,doc_id,grade,at\n{rows}").judgments.details
    assert [moment_text(details[at].at)[:10] for at in sorted(details)] == days


def test_a_date_is_of_the_judging_where_somebody_judged():
    """Beside no assessor it may be the document's."""
    rows = "document,grade,date\nq,a,1,2026-02-03\n"
    assert not read(f"query,{rows}").judgments.details
    assert read(f"query,assessor,{rows.replace('q,a', 'q,anna,a')}").judgments.details


@pytest.mark.parametrize(
    ("column", "cell", "expected"),
    [
        ("at", "yesterday", "a time such as 2026-03-01T10:15:00Z"),
        ("spent_ms", "4.2 s", "a number of milliseconds"),
        ("flagged", "perhaps", "yes or no"),
        ("confidence", "0.87", "1, 2 or 3"),
        ("rationale", "because", "a JSON list of pieces of text"),
    ],
)
def test_what_is_not_understood_is_named_and_the_judgment_kept(column, cell, expected):
    """A cell of another sort is left out with its line; the judgment itself stays."""
    reading = read(f"query,doc_id,grade,{column}\nq,a,1,\nq,b,2,{cell}\nq,c,2,{cell}\n")
    assert reading.judgments.grades == [1, 2, 2]
    assert reading.judgments.details == {}
    (note,) = reading.notes
    assert note == (
        f"2 cells of the column {column} left out: expected {expected}, found ‘{cell}’ on line 3."
    )


@pytest.mark.parametrize(
    ("word", "number"), [("unsure", 1), ("Medium", 2), ("high", 3), ("sure", 3), ("2.0", 2)]
)
def test_confidence_may_be_a_word(word, number):
    """Low, medium and high, and judgetool's own words, stand for 1, 2 and 3."""
    reading = read(f"query,doc_id,grade,confidence\nq,a,1,{word}\n")
    assert reading.judgments.details[0].confidence == number


def test_a_flag_alone_is_kept():
    """A document that was flagged and not judged is read as just that."""
    reading = read("query,document,assessor,grade,state,flagged\nq,a,anna,,unjudged,yes\n")
    assert (reading.judgments.states, reading.judgments.grades) == (["unjudged"], [None])
    assert reading.judgments.details[0].flagged


def test_states_tell_judgments():
    """A table of what was skipped holds judgments although it has no grade."""
    text = '{"query": "q", "document": "a", "assessor": "anna", "state": "skipped"}\n'
    assert read_text(text).format == "judgments-jsonl"


def test_a_ranking_with_a_state_is_no_judgment():
    """Where there are ranks, a state is some field of the document."""
    text = "query,rank,doc_id,state\nq,1,a,Texas\n"
    assert read_text(text, source="r.csv").format == "results-table"


@given(st.integers(0, 4_102_444_800_000))
def test_times_survive_writing_and_reading(moment):
    """Every millisecond up to 2100 comes back from its text."""
    assert find_moment(moment_text(moment)) == moment


@given(
    st.lists(
        st.builds(
            lambda start, size, text: Span("body", start, start + size, text),
            *(st.integers(0, 10**12), st.integers(0, 10**9)),
            st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_spans_survive_writing_and_reading(spans):
    """Pieces of text come back from the JSON list that stands for them."""
    assert find_spans(spans_text(spans)) == tuple(spans)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[1]", "[" * 100_000, '[{"field": "b"}]', "[NaN]"),
        '[{"field": "b", "start": 3, "end": 1, "text": "x"}]',
        '[{"field": "b", "start": true, "end": 1, "text": "x"}]',
        '[{"field": "b", "start": 0, "end": 1e99, "text": "x"}]',
        '[{"field": "b", "start": 0, "end": 1, "text": "\\ud800"}]',
    ],
)
def test_what_is_no_list_of_spans_is_none(text):
    """Other JSON, places that go backwards and half characters are no spans."""
    assert find_spans(text) is None


def test_a_guard_is_taken_off_judgetools_own_tables_only():
    """An apostrophe in front of a formula is judgetool's own in its own table, else the note's."""
    own = "query,document,assessor,grade,state,note,at,flagged,spent_ms,confidence,rationale\n"
    assert read(f"{own}q,a,anna,1,judged,'- only in part,,,,,\n").judgments.notes == [
        "- only in part"
    ]
    assert read("query,document,grade,note\nq,a,1,'- only\n").judgments.notes == ["'- only"]
