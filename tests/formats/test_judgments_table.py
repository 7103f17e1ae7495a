"""Judgments in full."""

import io

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import State
from judgetool.errors import InputError, UsageError
from judgetool.formats import JudgmentRow, Kind, Reading, read_file, read_text
from judgetool.formats.values import Details
from tests.helpers.formats import DATA, cell_texts, write_judgments_csv


def read_judgments(text: str) -> Reading:
    return read_text(text, source="judgments.csv", kind=Kind.JUDGMENTS)


def rows_of(reading: Reading) -> list[JudgmentRow]:
    table = reading.judgments
    assert table is not None
    columns = (table.query_ids, table.document_ids, table.assessors, table.grades, table.states)
    return [
        JudgmentRow(query, document, assessor or "", grade, state or "", note)
        for query, document, assessor, grade, state, note in zip(*columns, table.notes, strict=True)
    ]


def test_a_table_is_read():
    """The golden file gives assessors, grades, states and notes."""
    assert rows_of(read_file(DATA / "judgments.csv")) == [
        JudgmentRow("q1", "r1", "anna", 3.0, "judged"),
        JudgmentRow("q1", "r1", "ben", 2.0, "", "close, but not it"),
        JudgmentRow("q1", "r2", "ben", None, "cannot_judge", "No text"),
    ]


def test_json_lines_are_read():
    """The same in JSON lines, with other names for the columns."""
    assert rows_of(read_file(DATA / "judgments.jsonl")) == [
        JudgmentRow("q1", "r1", "anna", 3.0),
        JudgmentRow("q1", "r2", "anna", 0.5, "", "half"),
    ]


@pytest.mark.parametrize("text", ["12345678901234567890123", "1" + "0" * 22])
def test_a_grade_of_too_many_digits_is_quoted_as_it_stands(text):
    """What no number holds is no grade, and no other number is said in its place."""
    reading = read_judgments(f"query_id,doc_id,grade\n1,a,{text}\n1,b,2\n")
    assert [each.reason for each in reading.refusals] == [
        f"the grade ‘{text}’ is too large: none goes beyond 9,007,199,254,740,992"
    ]
    assert len(rows_of(reading)) == 1


def test_a_wrong_cell_of_an_assessors_column_is_named():
    """It alone is left out, not all that its assessor said."""
    reading = read_judgments("query_id,doc_id,anna,ben\n1,a,2,1\n1,b,1,good\n1,c,0,0\n")
    (refusal,) = reading.refusals
    assert refusal.line == 3
    assert "column ‘ben’: the grade ‘good’ is not a number" in refusal.reason
    assert [row.grade for row in rows_of(reading) if row.assessor == "ben"] == [1.0, 0.0]


def test_query_texts_become_queries():
    """Where the table has ids and texts, the queries come with it."""
    reading = read_judgments("query_id,query,doc_id,grade\n1,soup,a,1\n1,soup,b,2\n")
    assert [(query.id, query.text) for query in reading.queries] == [("1", "soup")]


def test_a_column_of_ids_is_called_that():
    """What a preview says of ‘query’: ids where each is one word, texts where they are more."""
    for first, role in (("q1", "query_id"), ("red tent", "query_text")):
        reading = read_judgments(f"query,doc_id,grade\n{first},a,1\nq2,b,2\n")
        assert [use.role for use in reading.columns] == [role, "document_id", "grade"]


def test_who_judged_is_known_by_the_usual_headers():
    """'Judged by' of a spreadsheet keeps two people apart."""
    for header in ("Judged by", "rated_by", "Annotated By"):
        rows = rows_of(read_judgments(f"query,doc,rating,{header}\nq,a,1,Mia\nq,a,3,Jo\n"))
        assert [row.assessor for row in rows] == ["Mia", "Jo"], header


def test_two_grades_of_one_assessor_are_refused():
    """One assessor's second, different grade is refused; another assessor's is not."""
    reading = read_judgments("query,doc_id,judge,grade\nq,a,x,1\nq,a,y,2\nq,a,x,2\nq,a,x,1\n")
    assert len(rows_of(reading)) == 2
    assert [refusal.line for refusal in reading.refusals] == [4]
    assert reading.notes == ["1 line repeats a judgment with the same grade; each counts once."]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("q,a,good,", "the grade ‘good’ is not a number such as 2 or 0.5"),
        ("q,a,'0,5',".replace("'", '"'), "the grade ‘0,5’ is not a number such as 2 or 0.5"),
        (",a,1,", "the row names no query"),
        ("q,,1,", "the row names no document"),
        ("q,a,1,skipped", "the state ‘skipped’ does not go with a grade"),
        ("q,a,,judged", "the state ‘judged’ does not go with no grade"),
    ],
)
def test_rows_that_do_not_fit_are_refused(row, reason):
    """A grade is a number and goes with its state."""
    reading = read_judgments(f"query,doc_id,grade,state\nq,z,1,\n{row}\n")
    assert [(r.line, r.reason) for r in reading.refusals] == [(3, reason)]


def test_rows_that_begin_as_comments_are_none_where_they_are_no_rows():
    """They have other columns than the header."""
    reading = read_judgments("query_id,doc_id,grade\n# made by Anna\n1,a,2\n#1,b,3\n")
    assert [row.query_id for row in rows_of(reading)] == ["1", "#1"]
    assert not reading.refusals


def test_another_text_for_a_query_refuses_its_row():
    """The text that stands first counts, and is judged for."""
    reading = read_judgments("query_id,query,doc_id,grade\n1,soup,a,2\n1,bread,b,3\n")
    assert [row.document_id for row in rows_of(reading)] == ["a"]
    assert [refusal.line for refusal in reading.refusals] == [3]


def test_of_many_words_a_thousand_are_asked_for():
    """A column of texts is no column of grades."""
    rows = "".join(f"1,d{number},word{number}\n" for number in range(1001))
    assert len(read_judgments(f"query_id,doc_id,grade\n1,d,2\n{rows}").labels) == 1000


def test_unrateable_is_cannot_judge():
    """Quepid's 'unrateable' is our 'cannot judge'."""
    reading = read_judgments("query,docid,rating,flag\nq,a,,unrateable\n")
    assert rows_of(reading) == [JudgmentRow("q", "a", "", None, "cannot_judge")]
    assert reading.notes == ["1 row has no grade: line 2."]


def test_blanks_around_a_name_are_no_part_of_it():
    """One person would be two; of what contradicts itself the first line counts."""
    reading = read_judgments("query,doc_id,grade,judge\nq,a,1,anna\nq,b,2, anna \nq,a,3,anna \n")
    assert [row.assessor for row in rows_of(reading)] == ["anna", "anna"]
    assert [refusal.line for refusal in reading.refusals] == [4]


@pytest.mark.parametrize("header", ["query,doc_id,grade", "query,doc_id,Anna,Ben"])
def test_a_blank_is_no_grade(header):
    """A cell that holds nothing else is as empty as one without it."""
    others = "," * header.count(",Ben")
    reading = read_judgments(f"{header}\nq,a,1{others}\nq,b, {others}\n")
    assert (reading.n_refused, reading.notes[-1:]) == (0, ["1 row has no grade: line 3."])


def test_columns_that_are_left_out_are_named():
    """What a judgment has no place for is mentioned."""
    reading = read_judgments("query,doc_id,grade,source,rank\nq,a,1,web,1\nq,b,1,app,2\n")
    assert reading.notes == ["2 columns are left out: source, rank."]


def test_an_empty_grade_is_not_taken_from_elsewhere():
    """A system's score never stands in for a missing grade, nor one id for another."""
    text = "query,doc_id,id,rating,score\nq,a,1,,7.5\nq,,2,1,7.5\n"
    reading = read_judgments(text)
    assert rows_of(reading) == [JudgmentRow("q", "a", "", None)]
    assert [refusal.reason for refusal in reading.refusals] == ["the row names no document"]


ids = cell_texts.filter(bool)
names = cell_texts.map(str.strip).filter(bool)
judged = st.builds(lambda grade: (grade, str(State.JUDGED)), st.floats(-1e9, 1e9, allow_nan=False))
unjudged = st.sampled_from([(None, str(State.SKIPPED)), (None, str(State.CANNOT_JUDGE))])
said = st.one_of(judged, unjudged)


@given(st.dictionaries(st.tuples(ids, ids, names), st.tuples(said, cell_texts), max_size=6))
def test_judgments_that_are_written_are_read_back(judgments):
    """Ids, names, grades, states and notes of any text survive writing and reading."""
    rows = [
        JudgmentRow(*key, grade, state, note) for key, ((grade, state), note) in judgments.items()
    ]
    out = io.StringIO(newline="")
    write_judgments_csv(rows, out)
    reading = read_judgments(out.getvalue())
    assert not reading.n_refused
    assert rows_of(reading) == rows


def test_written_judgments_have_a_header_and_their_time(tmp_path):
    """The file has all columns of judgments in full, and the time in UTC."""
    path = tmp_path / "out.csv"
    said = Details(1_767_323_045_000)
    write_judgments_csv([JudgmentRow("=1+1", "007", "anna", 2.0, "judged", 'a "b", c', said)], path)
    assert path.read_bytes() == (
        b"query,document,assessor,grade,state,note,at,flagged,spent_ms,confidence,rationale\n"
        b'=1+1,007,anna,2,judged,"a ""b"", c",2026-01-02T03:04:05.000Z,,,,\n'
    )


def test_text_that_no_file_can_hold_is_refused():
    """A NUL or half a character is refused with a sentence."""
    with pytest.raises(InputError, match=r"cannot be written"):
        write_judgments_csv([JudgmentRow("q", "a", "x", 1.0, "judged", "\0")], io.StringIO())


def test_the_first_rows_without_a_grade_are_named():
    """Five of them; that there are more is seen."""
    rows = "".join(f"q1,d{number},\n" for number in range(7))
    reading = read_judgments(f"query_id,doc_id,grade\n{rows}q1,e,2\n")
    assert reading.notes == ["7 rows have no grade: lines 2, 3, 4, 5, 6, …."]


def test_a_formula_without_a_value_is_said(tmp_path):
    """As a program writes it that does not compute; opened and saved in one that does, it has one."""
    book = openpyxl.Workbook()
    for row in (["query_id", "doc_id", "grade"], ["q1", "a", 2], ["q1", "b", "=C2-1"]):
        book.active.append(row)
    book.save(tmp_path / "grades.xlsx")
    notes = read_file(tmp_path / "grades.xlsx", kind=Kind.JUDGMENTS).notes
    assert (
        "1 cell holds a formula without a stored value (C3) and is read as empty. Opening and "
        "saving the file in the spreadsheet program stores it."
    ) in notes
    assert "1 row has no grade: line 3." in notes


@pytest.mark.parametrize("n_before", [0, 2])
def test_what_is_merged_over_rows_is_of_each(tmp_path, n_before):
    """A sheet shows the query once for its rows; empty rows and columns before change nothing."""
    book = openpyxl.Workbook()
    rows = [
        ["query_id", "doc_id", "grade"],
        ["q1", "a", 2],
        ["", "b", 1],
        ["", "c", 0],
        ["q2", "d", 3],
    ]
    for number, row in enumerate(rows, 1 + n_before):
        for column, cell in enumerate(row, 1 + n_before):
            book.active.cell(number, column, cell or None)
    first = book.active.cell(2 + n_before, 1 + n_before)
    last = book.active.cell(4 + n_before, 1 + n_before)
    place = f"{first.coordinate}:{last.coordinate}"
    book.active.merge_cells(place)
    book.save(tmp_path / "grades.xlsx")
    reading = read_file(tmp_path / "grades.xlsx", kind=Kind.JUDGMENTS)
    assert reading.n_refused == 0
    assert list(reading.judgments.query_ids) == ["q1", "q1", "q1", "q2"]
    said = f"1 group of cells is merged over several rows ({place}): each row has its value."
    assert said in reading.notes


def test_a_column_that_is_read_is_not_left_out_where_a_row_names_no_query():
    """Only what nothing was taken of is said."""
    reading = read_judgments(
        "query_id,doc_id,assessor,grade,odd\nq1,a,anna,2,x\n,b,anna,1,x\nq2,,anna,,x\n"
    )
    assert "1 column is left out: odd." in reading.notes


def test_merged_cells_are_named_from_above(tmp_path):
    """Whatever the order in which they were merged."""
    book = openpyxl.Workbook()
    for row in (["query_id", "doc_id", "grade"], *([f"q{n // 2}", f"d{n}", 1] for n in range(4))):
        book.active.append(row)
    for place in ("A4:A5", "A2:A3"):
        book.active.merge_cells(place)
    book.save(tmp_path / "grades.xlsx")
    (note,) = read_file(tmp_path / "grades.xlsx", kind=Kind.JUDGMENTS).notes
    assert "(A2:A3, A4:A5)" in note


def test_grades_by_query_are_those_of_one_assessor():
    """What grades nothing is left out; who counts of two who differ is not decided by the way."""
    text = "query_id,doc_id,assessor,grade\nq,a,ann,2\nq,b,ann,\nr,a,ann,0\n"
    table = read_judgments(text).judgments
    assert table is not None
    assert table.by_query() == {"q": {"a": 2.0}, "r": {"a": 0.0}}
    table = read_judgments(f"{text}q,a,bob,1\n").judgments
    assert table is not None
    with pytest.raises(InputError, match="‘a’ of query ‘q’ has more than one grade"):
        table.by_query()


def test_a_kind_may_be_a_word_and_another_is_refused():
    """The words are those of Kind."""
    text = "query_id,doc_id,grade\nq,a,2\n"
    assert read_text(text, kind="judgments").kind is Kind.JUDGMENTS  # type: ignore[typeddict-item]
    with pytest.raises(UsageError, match=r"no kind of file ‘qrels’.*judgments"):
        read_text(text, kind="qrels")  # type: ignore[typeddict-item]
