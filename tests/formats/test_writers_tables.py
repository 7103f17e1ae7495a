"""Judgments in full: CSV, JSON lines, Parquet, Excel; what a spreadsheet could run."""

import csv
import io
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Query, Span
from judgetool.core.scale import scale_preset
from judgetool.errors import InputError
from judgetool.formats import JudgmentRow, read_file, read_stream, read_text
from judgetool.formats.output import is_formula
from judgetool.formats.values import Details
from judgetool.formats.writers import (
    WRITERS,
    ExportChoices,
    ExportMaterial,
    Formulas,
)
from judgetool.formats.writers.tables import MAX_SHEET_ROWS
from tests.helpers.formats import cell_texts
from tests.helpers.laws import examples

AT = "2026-03-01T10:15:00.000Z"
MOMENT = 1_772_360_100_000
SPANS = (Span("body", 3, 7, "cold"), Span("title", 0, 4, "So,p"))
FULL = JudgmentRow("7", "007", "anna", 2.0, "judged", "good", Details(MOMENT, 4200, True, 3, SPANS))
OPEN = JudgmentRow("7", "r2", "ben", None, "cannot_judge", "behind a login", Details(MOMENT))
DANGERS = ("=1+1", "+1", "-1", "@x", "\tx", "\rx", "  =x", "＝x", "－x")
LONG = [name for name in WRITERS if name.startswith("judgments-")]


SOUP = (Query("7", "soup"),)


def material(*rows, queries=SOUP):
    return ExportMaterial(queries, scale_preset("0-3"), judgments=rows, assessors=("anna", "ben"))


def cells_of(text):
    """The rows of a CSV, as any program reads them."""
    return list(csv.reader(io.StringIO(text, newline="")))


def written(name, what, **choices):
    chunks = list(WRITERS[name].writer(what, ExportChoices(name, **choices)))
    return b"".join(chunks) if WRITERS[name].is_binary else "".join(chunks)


def test_csv_has_everything():
    """Assessor, grade, state, note, time, flag, effort, confidence and rationale have columns."""
    text = written("judgments-csv", material(FULL, OPEN))
    assert text == (
        "query,document,assessor,grade,state,note,at,flagged,spent_ms,confidence,rationale\n"
        f'7,007,anna,2,judged,good,{AT},yes,4200,3,"[{{""field"": ""body"", ""start"": 3, '
        '""end"": 7, ""text"": ""cold""}, {""field"": ""title"", ""start"": 0, ""end"": 4, '
        '""text"": ""So,p""}]"\n'
        f"7,r2,ben,,cannot_judge,behind a login,{AT},,,,\n"
    )


def test_json_lines_leave_out_what_is_not_said():
    """An object has the names of the CSV's columns, without those that are empty."""
    first, second = written("judgments-jsonl", material(FULL, OPEN)).splitlines()
    assert json.loads(first)["spent_ms"] == 4200
    assert json.loads(first)["flagged"] is True
    assert json.loads(first)["confidence"] == 3
    assert json.loads(first)["rationale"][0] == {
        "field": "body",
        "start": 3,
        "end": 7,
        "text": "cold",
    }
    assert json.loads(second) == {
        "query": "7",
        "document": "r2",
        "assessor": "ben",
        "state": "cannot_judge",
        "note": "behind a login",
        "at": AT,
    }


def test_pandas_reads_parquet_with_its_types():
    """Ids are texts, grades numbers, times in UTC, what is not said is missing."""
    pd = pytest.importorskip("pandas")
    table = pd.read_parquet(io.BytesIO(written("judgments-parquet", material(FULL, OPEN))))
    assert list(table["document"]) == ["007", "r2"]
    assert table["grade"].isna().tolist() == [False, True]
    assert str(table["at"][0]) == "2026-03-01 10:15:00+00:00"
    assert table["spent_ms"][0] == 4200
    assert table["flagged"].tolist() == [True, False]


def test_pandas_reads_excel_with_ids_as_texts():
    """A workbook's ids are text cells: leading zeros stay."""
    pd = pytest.importorskip("pandas")
    data = io.BytesIO(written("judgments-excel", material(FULL, OPEN)))
    table = pd.read_excel(data, dtype=object, engine="openpyxl")
    assert list(table["document"]) == ["007", "r2"]
    assert table["grade"][0] == 2


@pytest.mark.parametrize("danger", DANGERS[:4])
def test_excel_never_holds_a_formula(danger):
    """Ids and notes that begin as formulas do are text cells, exactly as they are."""
    openpyxl = pytest.importorskip("openpyxl")
    row = FULL._replace(document_id=danger, note=danger)
    book = openpyxl.load_workbook(io.BytesIO(written("judgments-excel", material(row))))
    cells = [cell for cell in book.active[2] if cell.value == danger]
    assert [cell.data_type for cell in cells] == ["s", "s"]


def test_more_judgments_than_a_sheet_has_rows_are_refused():
    """Before any of them is written."""
    with pytest.raises(InputError, match="An Excel sheet holds 1,048,575 rows"):
        written("judgments-excel", material(*[FULL] * MAX_SHEET_ROWS))


@pytest.mark.parametrize(
    ("note", "reason"), [("x" * 32_768, "32,767"), ("a\x01b", "control character")]
)
def test_excel_says_what_a_cell_cannot_hold(note, reason):
    """A text too long, or with a control character, is refused in words."""
    with pytest.raises(InputError, match=reason):
        written("judgments-excel", material(FULL._replace(note=note)))


@pytest.mark.parametrize("name", LONG)
def test_the_same_judgments_give_the_same_file(name):
    """No time of writing stands in a file: two exports are the same bytes."""
    assert written(name, material(FULL, OPEN)) == written(name, material(FULL, OPEN))


@pytest.mark.parametrize("name", LONG)
def test_nothing_said_is_a_file_too(name):
    """Without judgments the file is whole and has no row."""
    assert isinstance(written(name, material()), bytes | str)


@pytest.mark.parametrize("name", [name for name in LONG if name != "judgments-jsonl"])
def test_nul_is_refused_in_words(name):
    """A NUL character cannot be kept by the files' readers."""
    with pytest.raises(InputError, match=r"NUL"):
        written(name, material(FULL._replace(note="a\0b")))


# Formulas


@pytest.mark.parametrize("danger", DANGERS)
def test_texts_that_begin_as_formulas_get_an_apostrophe(danger):
    """A note that a spreadsheet would run is shown instead; it is said how many; reading undoes it."""
    what = material(FULL._replace(note=danger))
    text = written("judgments-csv", what)
    assert cells_of(text)[1][5] == "'" + danger
    assert "apostrophe" in what.notes[0]
    assert read_text(text, source="x.csv").judgments.notes == [danger]


@pytest.mark.parametrize("field", ["query_id", "document_id", "assessor"])
def test_ids_that_begin_as_formulas_are_refused(field):
    """Ids are never changed: such an id is refused, and the sentence names it."""
    with pytest.raises(InputError, match=r"‘=x’ begins as a formula"):
        written("judgments-csv", material(FULL._replace(**{field: "=x"})))


def test_ids_that_begin_as_formulas_are_kept_when_chosen():
    """By choice they stand exactly as they are, which is said; texts are guarded still."""
    what = material(FULL._replace(document_id="-x", note="=1"))
    text = written("judgments-csv", what, formulas=Formulas.KEEP_IDS)
    assert "7,-x,anna,2,judged,'=1," in text
    assert "1 cell begins as a formula does and stays as it is" in what.notes[1]


def test_everything_is_kept_when_chosen():
    """By choice texts stay as they are, too."""
    what = material(FULL._replace(note="=1"))
    assert ",=1," in written("judgments-csv", what, formulas=Formulas.KEEP_ALL)
    assert len(what.notes) == 1


def test_negative_grades_are_numbers():
    """A number is no formula: a grade below zero stays a number."""
    assert ",-2," in written("judgments-csv", material(FULL._replace(grade=-2.0)))


@pytest.mark.parametrize("name", ["quepid-csv", "quepid-book-csv", "id-map"])
def test_every_csv_guards_ids(name):
    """All CSV files refuse ids that begin as formulas do."""
    what = material(FULL._replace(query_id="=7"), queries=(Query("=7", "=soup"),))
    with pytest.raises(InputError, match=r"begins as a formula"):
        written(name, what)


@given(cell_texts)
def test_a_guarded_text_is_never_a_formula(text):
    """Whatever the note, no cell of a guarded file begins as formulas do; guarding twice is once."""
    once = written("judgments-csv", material(FULL._replace(note=text)))
    assert not any(is_formula(cell) for cell in cells_of(once)[1])
    note = read_text(once, source="x.csv").judgments.notes[0]
    assert note == text
    assert written("judgments-csv", material(FULL._replace(note=note))) == once


@given(st.lists(st.tuples(cell_texts.filter(str.strip), cell_texts), min_size=1, max_size=4))
def test_judgments_come_back_from_csv(said):
    """Ids and notes come back exactly as they were, also those that a spreadsheet would run."""
    rows = [
        FULL._replace(document_id=f"d{place}{doc}", note=note)
        for place, (doc, note) in enumerate(said)
    ]
    found = read_text(written("judgments-csv", material(FULL, *rows)), source="x.csv").judgments
    assert found.document_ids[1:] == [row.document_id for row in rows]
    assert found.notes[1:] == [row.note for row in rows]


spans = st.builds(
    lambda field, start, size, text: Span(field, start, start + size, text),
    *(st.sampled_from(["title", "body", "=x"]), st.integers(0, 10**9), st.integers(0, 10**6)),
    cell_texts,
)
details = st.builds(
    Details,
    st.none() | st.integers(0, 4_102_444_800_000),
    st.none() | st.integers(0, 10**12),
    st.booleans(),
    st.none() | st.sampled_from([1, 2, 3]),
    st.lists(spans, max_size=3).map(tuple),
    st.sampled_from(["", "model", "settled"]),
)


@pytest.mark.parametrize("name", LONG)
@settings(max_examples=examples(40))
@given(said=st.lists(details, min_size=1, max_size=4))
def test_details_come_back_from_every_long_table(name, said):
    """Time, effort, flag, confidence and rationale come back from all four files as they were."""
    rows = [OPEN._replace(document_id=f"d{place}", details=each) for place, each in enumerate(said)]
    try:
        data = written(name, material(*rows))
    except InputError as problem:
        # Some characters have no place in a sheet's XML.
        assert "control character" in str(problem)  # noqa: PT017 - only sheets refuse any
        return
    stream = io.BytesIO(data if isinstance(data, bytes) else data.encode())
    reading = read_stream(stream, source=f"x{WRITERS[name].endings[0]}")
    table = reading.judgments
    assert [table.details.get(row, Details()) for row in range(len(table))] == said
    assert not [note for note in reading.notes if "left out" in note]


def test_without_pyarrow_parquet_says_what_to_install(monkeypatch, tmp_path):
    """Reading and writing name the package, and nothing of either is a fault."""
    path = tmp_path / "a.parquet"
    path.write_bytes(b"".join(WRITERS["judgments-parquet"].writer(material(), ExportChoices("x"))))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"judgetool\[parquet\].*Nothing was kept"):
        read_file(path)
    with pytest.raises(InputError, match=r"judgetool\[parquet\].*Nothing was written"):
        list(WRITERS["judgments-parquet"].writer(material(), ExportChoices("x")))
