"""TREC qrels: grades as numbers, what comes twice, comments."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgetool.errors import InputError
from judgetool.formats import Kind, Reading, read_file, read_text
from tests.helpers.formats import DATA, awkward_ids, write_qrels


def read_qrels(text: str) -> Reading:
    return read_text(text, source="x.qrels", kind=Kind.JUDGMENTS)


def rows_of(reading: Reading) -> list[tuple[str, str, float | None]]:
    table = reading.judgments
    assert table is not None
    return list(zip(table.query_ids, table.document_ids, table.grades, strict=True))


def test_small_qrels_are_read():
    """The golden file gives its judgments; negative and fractional grades stay as they are."""
    reading = read_file(DATA / "qrels.txt")
    assert reading.format == "trec-qrels"
    assert rows_of(reading) == [
        ("q1", "d1", 2.0),
        ("q1", "d2", 0.0),
        ("q2", "d9", -1.0),
        ("q2", "d8", 0.5),
    ]


def test_qrels_name_nobody():
    """Qrels say nothing of assessors and states."""
    table = read_qrels("q 0 d 1\n").judgments
    assert (table.assessors, table.states, table.notes) == ([None], [None], [""])


@pytest.mark.parametrize("grade", ["nan", ".5", "1.", "1,5", "١", "0x1", "1_0", "high"])
def test_other_grades_are_refused(grade):
    """A grade is a plain number, also with a sign or an exponent; all else is refused."""
    reading = read_qrels(f"q 0 a 1\nq 0 b {grade}\n")
    assert [(r.line, r.reason) for r in reading.refusals] == [
        (2, f"the grade ‘{grade}’ is not a number such as 2 or 0.5")
    ]


@pytest.mark.parametrize("grade", ["1e400", "99999999999999999999", "-1e30", "inf"])
def test_a_grade_that_is_too_large_is_told_so(grade):
    """It is a number; what is wrong with it is said."""
    assert [each.reason for each in read_qrels(f"q 0 a 1\nq 0 b {grade}\n").refusals] == [
        f"the grade ‘{grade}’ is too large: none goes beyond 9,007,199,254,740,992"
    ]


@pytest.mark.parametrize(("text", "grade"), [("+2", 2.0), ("1e0", 1.0), ("2.5E-1", 0.25)])
def test_grades_may_have_a_sign_or_an_exponent(text, grade):
    """As programs write numbers: no word whose grade has to be said."""
    reading = read_qrels(f"q 0 a {text}\n")
    assert rows_of(reading) == [("q", "a", grade)]
    assert not reading.labels


def test_decimal_commas_in_all_grades_make_no_table():
    """The lines are TREC’s all the same, and what each grade stands for can be said."""
    reading = read_qrels("q 0 a 0,5\nq 0 b 1,0\n")
    assert (reading.format, reading.labels) == ("trec-qrels", {"0,5": 1, "1,0": 1})


@pytest.mark.parametrize(("line", "count"), [("q 0 b", 3), ("q 0 b 1 0.3", 5)])
def test_other_column_counts_are_refused(line, count):
    """A line has four columns."""
    reading = read_qrels(f"q 0 a 1\n{line}\n")
    assert reading.refusals[0].reason == f"expected 4 columns, found {count}"


def test_equal_duplicates_are_mentioned():
    """A judgment that comes twice with the same grade counts once and gives a note."""
    reading = read_qrels("q 0 d 1\nq 0 d 1.0\n")
    assert rows_of(reading) == [("q", "d", 1.0)]
    assert reading.notes == ["1 line repeats a judgment with the same grade; each counts once."]


def test_different_duplicates_are_refused_naming_both_lines():
    """A second, different grade of a document is refused; the first one counts."""
    reading = read_qrels("q 0 d 1\nq 0 e 1\nq 0 d 2\n")
    assert rows_of(reading) == [("q", "d", 1.0), ("q", "e", 1.0)]
    (refusal,) = reading.refusals
    assert refusal.line == 3
    assert refusal.reason == (
        "document ‘d’ of query ‘q’ was judged differently on line 1; that line counts"
    )


def test_a_telling_second_column_is_mentioned():
    """Where column two varies it may be a subtopic or an assessor, so that a note says it is left out."""
    reading = read_qrels("q 1 d 1\nq 2 e 1\n")
    assert reading.notes == ["Column two holds 2 different values (1, 2), which are left out."]


def test_comments_blank_lines_and_missing_last_line_end():
    """Comments and blank lines are skipped anywhere; the last line needs no end."""
    text = "# one\n# two\n\nq 0 d 1\n   \n#q 0 d 1\n# end\nq 0 e 2"
    assert rows_of(read_qrels(text)) == [("q", "d", 1.0), ("#q", "d", 1.0), ("q", "e", 2.0)]


grades = st.one_of(
    st.integers(-3, 100).map(float),
    st.floats(-1e6, 1e6, allow_nan=False),
)


@given(st.dictionaries(st.tuples(awkward_ids, awkward_ids), grades, max_size=8))
@example({("<?>", "a"): 1.0})
@example({('{"a"', "a"): 1.0, ('{"b"', "a"): 1.0})
@example({("---", "a"): 1.0, ("<topic>", "a"): 0.0})
def test_qrels_that_are_written_are_read_back(judgments):
    """Ids and grades survive writing and reading to the last bit."""
    out = io.StringIO()
    write_qrels([(*pair, grade) for pair, grade in judgments.items()], out)
    reading = read_qrels(out.getvalue())
    assert not reading.n_refused
    assert rows_of(reading) == [(*pair, grade) for pair, grade in judgments.items()]


def test_qrels_end_lines_by_lf_and_write_plain_grades(tmp_path):
    """Written qrels are ``query 0 document grade`` with LF, whole grades without a point."""
    path = tmp_path / "out.qrels"
    write_qrels([("q", "d", 2.0), ("q", "e", 0.5)], path)
    assert path.read_bytes() == b"q 0 d 2\nq 0 e 0.5\n"


def test_ids_with_blanks_are_not_written(tmp_path):
    """An id that holds a blank is refused, and nothing is written."""
    path = tmp_path / "out.qrels"
    with pytest.raises(InputError, match=r"‘cold soup’ holds a blank"):
        write_qrels([("q", "d", 2.0), ("cold soup", "d", 1.0)], path)
    assert not path.exists()
