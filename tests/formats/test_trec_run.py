"""TREC runs: order, duplicates, broken lines, and two ways to read one file alike."""

import io
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgetool.core.rankings import score_order
from judgetool.errors import InputError, ParseError
from judgetool.formats import (
    Kind,
    RankedResult,
    Reading,
    RunTable,
    raise_first_refusal,
    read_file,
    read_text,
)
from tests.helpers.formats import DATA, awkward_ids, write_run


def read_run(text: str) -> Reading:
    return read_text(text, source="x.run", kind=Kind.RUN)


def rankings_of(run: RunTable) -> dict[str, list[tuple[str, float | None]]]:
    """Return a run as document ids and scores by query."""
    rankings = {}
    for place, query in enumerate(run.query_ids):
        its = slice(run.offsets[place], run.offsets[place + 1])
        ids = [run.document_ids[code] for code in run.documents[its]]
        scores = [None] * len(ids) if run.scores is None else run.scores[its].tolist()
        rankings[query] = list(zip(ids, scores, strict=True))
    return rankings


def ids_of(text: str) -> dict[str, list[str]]:
    (run,) = read_run(text).runs
    return {
        query: [document for document, _ in ranking] for query, ranking in rankings_of(run).items()
    }


def test_a_small_run_is_read():
    """The golden file gives its rankings, its scores and the tag as the run's name."""
    (run,) = read_file(DATA / "run.trec.txt").runs
    assert run.name == "bm25"
    assert rankings_of(run) == {"q1": [("d1", 3.5), ("d2", 2.25)], "q2": [("d9", 0.001)]}


def test_score_decides_not_rank():
    """A run is ordered by score; ranks that go against it are left aside and mentioned."""
    reading = read_run("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\n")
    assert rankings_of(reading.runs[0]) == {"q": [("b", 2.0), ("a", 1.0)]}
    assert reading.notes == ["1 query’s ranks contradict its scores; the scores count."]


def test_ranks_of_equal_scores_contradict_nothing():
    """Any rank goes with equal scores, so only the tie is mentioned."""
    reading = read_run("q Q0 a 1 1.0 t\nq Q0 b 2 1.0 t\n")
    assert len(reading.notes) == 1
    assert reading.notes[0].startswith("2 results in 1 query share a score")


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        (["d1", "d10", "d9"], ["d9", "d10", "d1"]),
        (["9", "Z", "a", "z"], ["z", "a", "Z", "9"]),
        (["\uffee", "\U0001f600"], ["\U0001f600", "\uffee"]),
        (["10", "9", "1"], ["9", "10", "1"]),
    ],
)
def test_ties_fall_by_document_id(documents, expected):
    """Equal scores are ordered by the id's UTF-8 bytes, falling, numbers among them as text."""
    text = "".join(f"q Q0 {document} {rank} 1.5 t\n" for rank, document in enumerate(documents))
    assert ids_of(text) == {"q": expected}


def test_zero_and_minus_zero_tie():
    """0 and -0 are the same score."""
    assert ids_of("q Q0 a 1 0 t\nq Q0 b 2 -0.0 t\n") == {"q": ["b", "a"]}


@pytest.mark.parametrize("score", ["inf", "-inf", "Infinity", "1e999", "-1e400", "9" * 400])
def test_a_score_without_end_is_refused(score):
    """What is infinite, or beyond what a number holds, is refused with its line as NaN is."""
    reading = read_run(f"q Q0 a 1 2 t\nq Q0 b 2 {score} t\nq Q0 c 3 1 t\n")
    assert rankings_of(reading.runs[0])["q"] == [("a", 2.0), ("c", 1.0)]
    reason = f"the score ‘{score[:60]}’ is infinite: a score must be a finite number"
    assert [(each.line, each.reason) for each in reading.refusals] == [(2, reason)]


@pytest.mark.parametrize("score", ["nan", "NaN", "abc", "1_0", "0x10", "1,5,5", "٣", "-", "."])
def test_what_is_no_number_is_refused_as_score(score):
    """NaN and all that is not a plain number is refused with its line."""
    reading = read_run(f"q Q0 a 1 2 t\nq Q0 b 2 {score} t\n")
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (2, f"the score ‘{score}’ is not a number")
    ]


def test_decimal_commas_are_read_and_that_is_said():
    """As in tables of results: no number of thousands is written so; also where the tag is missing."""
    for tag in (" bm25", ""):
        reading = read_text(f"q Q0 a 1 12,5{tag}\nq Q0 b 2 11,25{tag}\n")
        assert rankings_of(reading.runs[0]) == {"q": [("a", 12.5), ("b", 11.25)]}
        asked = [(each.name, each.answer) for each in reading.open_questions]
        assert (reading.format, asked) == ("trec-run", [("score_comma", "decimal")])


_POINTS = [
    "q Q0 a 1 1.234,5 t\nq Q0 b 2 987,25 t\n",
    "query;document;score\nq;a;1.234,5\nq;b;987,25\n",
]


@pytest.mark.parametrize("text", _POINTS)
def test_points_between_thousands_are_read_before_a_decimal_comma(text):
    """The best result was left out."""
    assert rankings_of(read_run(text).runs[0]) == {"q": [("a", 1234.5), ("b", 987.25)]}


@pytest.mark.parametrize("text", _POINTS)
def test_points_that_may_stand_between_thousands_are_not_guessed(text):
    """Beside 1.234,5 the score 2.345 could be either: nothing of the file is used."""
    with pytest.raises(ParseError, match=r"1\.234,5’ has points between thousands.*‘2\.345’"):
        read_run(text.replace("987,25", "2.345"))


def test_commas_that_may_stand_between_thousands_are_asked_about():
    """No run is made before it is said what they are."""
    text = "q Q0 a 1 1,500 t\nq Q0 b 2 7,200 t\n"
    reading = read_text(text, kind=Kind.RUN)
    assert reading.needs_answers
    assert not reading.runs
    told = read_text(text, kind=Kind.RUN, answers={"score_comma": "thousands"})
    assert rankings_of(told.runs[0]) == {"q": [("b", 7200.0), ("a", 1500.0)]}


def test_a_duplicate_is_refused_naming_both_lines():
    """The second result of a document for a query is refused, the first one counts."""
    reading = read_run("q Q0 a 1 2 t\nr Q0 a 1 2 t\nq Q0 a 2 9 t\n")
    assert rankings_of(reading.runs[0])["q"] == [("a", 2.0)]
    (refusal,) = reading.refusals
    assert refusal.line == 3
    assert refusal.reason == "document ‘a’ stands in query ‘q’ on line 1 already; that line counts"


def test_missing_columns_are_refused():
    """A line with five of six columns is refused; strict callers get it as a ParseError."""
    reading = read_run("q Q0 a 1 2 t\n\nq Q0 b 2 1.5\n")
    assert [(r.line, r.reason) for r in reading.refusals] == [(3, "expected 6 columns, found 5")]
    with pytest.raises(ParseError) as caught:
        raise_first_refusal(reading)
    assert str(caught.value) == (
        "x.run, line 3: expected 6 columns, found 5. Nothing of the file was used."
    )


def test_a_tag_may_be_missing_throughout():
    """A run without tags is named after its file."""
    (run,) = read_run("q Q0 a 1 2\nq Q0 b 2 1\n").runs
    assert run.name == "x"
    assert len(run.documents) == 2


def test_a_tag_may_hold_blanks():
    """What follows the score is the tag."""
    assert read_run("q Q0 a 1 2 my own run\n").runs[0].name == "my own run"


@pytest.mark.parametrize(
    ("line", "query"),
    [
        ("cold soup Q0 d1 1 2.5 a", "cold soup"),
        ("cold soup Q0 d1 1 2.5", "cold soup"),
        ("cold soup 0 d1 1 2.5 a", "cold soup"),
        ("leek pie for 12 guests q0 d1 1 2.5 my run", "leek pie for 12 guests"),
    ],
)
@pytest.mark.parametrize("kind", [Kind.RUN, None])
def test_a_query_id_with_blanks_is_no_other_result(line, query, kind):
    """Where Q0 stands behind several columns, no part of the query is taken for an id, whoever asks."""
    with pytest.raises(ParseError, match=rf"‘{query}’ before (Q0|q0|0) holds blanks.*doc_id, rank"):
        read_text(f"{line}\n", source="x.run", kind=kind)
    reading = read_text(f"q1 Q0 d1 1 2.5 a\n{line}\nq3 Q0 d3 1 1.5 a\n", source="x", kind=kind)
    assert rankings_of(reading.runs[0]) == {"q1": [("d1", 2.5)], "q3": [("d3", 1.5)]}
    assert [refusal.line for refusal in reading.refusals] == [2]


def test_a_document_may_be_called_0():
    """Where a rank stands behind it, the tag may begin with a number."""
    (run,) = read_run("q x 0 1 2.5 7 1 runs\n").runs
    assert (run.name, rankings_of(run)) == ("7 1 runs", {"q": [("0", 2.5)]})


def test_a_tag_may_say_q0():
    """Q0 in the second column, or a 0 there, leaves the tag free to say so once more."""
    for second in ("Q0", "0"):
        (run,) = read_run(f"q {second} a 1 1.0 the Q0 of last year\n").runs
        assert (run.name, rankings_of(run)) == ("the Q0 of last year", {"q": [("a", 1.0)]})


def test_a_given_name_wins():
    """The name that the caller gives is the run's name."""
    assert read_text("q Q0 a 1 2 t\n", kind=Kind.RUN, name="mine").runs[0].name == "mine"


def test_several_tags_are_mentioned():
    """A ranking whose tags say where its results came from is one run, named by the commonest tag."""
    reading = read_run("q Q0 a 1 3 s\nq Q0 b 2 2 t\nq Q0 c 3 1 t\n")
    assert [run.name for run in reading.runs] == ["t"]
    assert reading.notes == ["The file has 2 tags (t, s) and is read as one run."]


def test_tags_of_different_queries_are_one_run():
    """Whoever ranked each query: all of them together are what the file is."""
    reading = read_run("q Q0 a 1 3 s\nq Q0 b 2 2 s\nr Q0 a 1 1 t\n")
    assert [run.name for run in reading.runs] == ["s"]


@pytest.mark.parametrize("second", ["r1 Q0 a 1 9 t\n", "r1 Q0 b 1 9 t\n", "r1 Q0 a 3 9 t\n"])
def test_several_runs_in_one_file_are_divided_by_their_tags(second):
    """Of two runs written one behind the other one had come, mixed of both."""
    reading = read_run(f"r1 Q0 a 1 3 s\nr1 Q0 c 2 2 s\nr2 Q0 a 1 1 s\n{second}")
    assert [run.name for run in reading.runs] == ["s", "t"]
    first = {"r1": [("a", 3.0), ("c", 2.0)], "r2": [("a", 1.0)]}
    assert rankings_of(reading.runs[0]) == first
    assert rankings_of(reading.runs[1]) == {"r1": [(second.split()[2], 9.0)]}
    said = "The file has 2 tags (s, t), and each is read as a run of its own."
    assert (reading.notes, reading.n_refused) == ([said], 0)


def test_runs_that_stand_in_turns_are_divided():
    """Also in a file of many lines, of which each block is taken at once where all its tags are one."""
    lines = [f"q{n // 50} Q0 d{n % 50} {n % 50 + 1} {99 - n % 50} %s\n" for n in range(40_000)]
    whole = [line % tag for tag in ("s", "t") for line in lines]
    turns = [line % tag for line in lines[:100] for tag in ("u", "v")]
    reading = read_run("".join(whole + turns))
    counts = {run.name: len(run.documents) for run in reading.runs}
    assert counts == {"s": 40_000, "t": 40_000, "u": 100, "v": 100}


def test_a_query_in_two_blocks_is_one_query():
    """Results of a query that stand apart in the file are merged."""
    assert ids_of("q Q0 a 1 1 t\nr Q0 a 1 1 t\nq Q0 b 2 2 t\n") == {"q": ["b", "a"], "r": ["a"]}


def test_comments_and_ids_that_begin_with_a_hash():
    """A # line is a comment unless it is a full row; a # alone begins a comment always."""
    text = "# made by us\n# q Q0 a 1 2 t\nq Q0 a 1 2 t\n#q Q0 #b 1 2 t\n#\n##\n"
    assert ids_of(text) == {"q": ["a"], "#q": ["#b"]}


@pytest.mark.parametrize("separator", ["\t", "  ", " \t ", "\v", "\f"])
def test_tabs_or_blanks_separate(separator):
    """Any ASCII blanks separate columns, in any number."""
    assert ids_of(separator.join(["q", "Q0", "a", "1", "2", "t"]) + "\n") == {"q": ["a"]}


@pytest.mark.parametrize(
    "odd", ["NA", "nan", "null", "007", '"q"', "a#b", "x\xa0y", "e\u0301", "\u2028", "1\x1c2"]
)
def test_ids_stay_exact(odd):
    """Ids that other tools change are kept as they stand."""
    assert ids_of(f"{odd} Q0 {odd} 1 2 t\n") == {odd: [odd]}


def test_a_carriage_return_within_a_line_is_refused():
    """A CR in the middle would hide lines, so the line is refused."""
    reading = read_run("q Q0 a 1 2 t\nq Q0 b 2 1 t\rq Q0 c 3 0 t\n")
    assert [r.line for r in reading.refusals] == [2]


def test_document_ids_as_numbers_and_as_texts_are_the_same_ids():
    """Blocks read by number and blocks read as text agree on what a document is."""
    many = "".join(f"q{i // 100} Q0 {i % 100} 1 {1000 - i % 100} t\n" for i in range(60_000))
    text = many + "z Q0 5 1 2 t\nz Q0 05 2 1 t\nz Q0 x 3 0.5 t\n"
    (run,) = read_run(text).runs
    assert len(run.document_ids) == 102
    assert rankings_of(run)["z"] == [("5", 2.0), ("05", 1.0), ("x", 0.5)]


scores_lists = st.lists(
    st.floats(allow_nan=False, allow_infinity=False, width=16), min_size=1, max_size=20
)


@given(scores_lists, st.randoms(use_true_random=False))
def test_order_is_that_of_core(scores, random):
    """The order of a run file is that of judgetool.core.rankings.score_order."""
    ids = [f"d{i}" for i in range(len(scores))]
    random.shuffle(ids)
    text = "".join(
        f"q Q0 {document} 1 {score!r} t\n" for document, score in zip(ids, scores, strict=True)
    )
    expected = [ids[place] for place in score_order(np.array(scores), ids)]
    assert ids_of(text) == {"q": expected}


runs = st.dictionaries(
    awkward_ids,
    st.lists(
        st.tuples(awkward_ids, st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        unique_by=lambda r: r[0],
    ),
    min_size=1,
    max_size=4,
)


@given(runs)
@example({"<!--": [("0", 0.0)]})
def test_a_run_that_is_written_is_read_back(rankings):
    """Order and ids survive writing and reading; so do scores that fall strictly."""
    rows = [
        RankedResult(query, document, score)
        for query, its in rankings.items()
        for document, score in its
    ]
    out = io.StringIO()
    write_run(rows, out, tag="my run")
    reading = read_run(out.getvalue())
    assert not reading.n_refused
    (run,) = reading.runs
    assert run.name == "my_run"
    back = rankings_of(run)
    assert {q: [document for document, _ in its] for q, its in back.items()} == {
        q: [document for document, _ in its] for q, its in rankings.items()
    }
    for query, its in rankings.items():
        scores = [score for _, score in its]
        if all(a > b for a, b in pairwise(scores)):
            assert [score for _, score in back[query]] == scores


def test_blanks_in_a_name_are_replaced_and_mentioned():
    """A run's name is written without blanks, which several tools cannot read."""
    notes = write_run([RankedResult("q", "a", 1.0)], io.StringIO(), tag="my own run")
    assert notes == ["The run’s name ‘my own run’ was written as ‘my_own_run’."]


def test_scores_that_tie_are_replaced_and_mentioned():
    """Scores that would be read back in another order become n … 1, and a note says so."""
    out = io.StringIO()
    notes = write_run(
        [RankedResult("q", "a", 1.0), RankedResult("q", "b", 1.0), RankedResult("r", "a", 0.5)],
        out,
        tag="t",
    )
    assert out.getvalue() == "q Q0 a 1 2 t\nq Q0 b 2 1 t\nr Q0 a 1 0.5 t\n"
    assert notes == [
        (
            "In 1 query its scores tie, rise, are infinite or missing: n, n − 1, … 1 were written instead, "
            "so that every tool reads the same order."
        )
    ]


@pytest.mark.parametrize(
    "row",
    [
        RankedResult("a b", "d"),
        RankedResult("q", "d\t1"),
        RankedResult("", "d"),
        RankedResult("#", "d"),
        RankedResult("q", "d\n"),
    ],
)
def test_ids_that_a_run_cannot_carry_are_refused(row):
    """Ids with blanks, empty ids and a lone # are refused with a sentence."""
    with pytest.raises(InputError, match=r"Nothing was written|cannot carry"):
        write_run([row], io.StringIO(), tag="t")


def test_a_document_twice_is_not_written():
    """A query with the same document twice is refused."""
    with pytest.raises(InputError, match=r"has a document twice"):
        write_run([RankedResult("q", "d"), RankedResult("q", "d")], io.StringIO(), tag="t")


@pytest.mark.parametrize("kind", [Kind.RUN, None])
def test_a_run_whose_ranks_and_scores_changed_places_is_known_as_one(kind):
    """Whether somebody has called it a run or not, it is asked, and nothing is used before."""
    text = "q1 Q0 d1 12.5 1 t\nq1 Q0 d2 11.5 2 t\nq2 Q0 d3 10 1 t\nq2 Q0 d1 7 2 t\n"
    reading = read_text(text, kind=kind)
    assert [question.name for question in reading.open_questions if question.is_open] == ["ranks"]
    assert reading.is_empty
    swapped = read_text(text, kind=kind, answers={"ranks": "swap"})
    assert rankings_of(swapped.runs[0])["q1"] == [("d1", 12.5), ("d2", 11.5)]


def test_a_run_by_query_is_what_is_scored():
    """Scores by document, or where there are none the order alone."""
    run = read_run("q Q0 a 1 2.5 x\nr Q0 b 1 3 x\nq Q0 b 2 1 x\n").runs[0]
    assert run.by_query() == {"q": {"a": 2.5, "b": 1.0}, "r": {"b": 3.0}}
    assert replace(run, scores=None).by_query() == {"q": ["a", "b"], "r": ["b"]}
