"""Tables with any columns, a column for each judge, grades that are words, sheets, folders."""

import io
import json
import os
import zipfile
from datetime import date, datetime

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Document, Query
from judgetool.errors import InputError, ParseError
from judgetool.formats import (
    JudgmentRow,
    Kind,
    Reading,
    ReadingCancelledError,
    read_file,
    read_stream,
    read_text,
)
from judgetool.formats.judgments import propose_grades
from judgetool.formats.names import ROLES
from judgetool.formats.source import MAX_TEXT_LINE_BYTES
from judgetool.formats.values import ColumnsNeededError, ColumnUse, SeveralFilesError
from tests.formats.test_judgments_table import rows_of
from tests.formats.test_trec_run import rankings_of
from tests.helpers.formats import DATA, cell_texts

GERMAN = "Anfrage;Treffer;Bewertung\nsuppe;r1;3\nsuppe;r2;0\n"
GERMAN_ROLES = {"Anfrage": "query_text", "Treffer": "document_id", "Bewertung": "grade"}


def roles_of(reading: Reading) -> dict[str, str]:
    return {column.header: column.role for column in reading.columns}


def test_columns_show_what_they_are_taken_for():
    """Each column has its role, and the first rows stand as they are."""
    reading = read_text("qid,docid,rating,source\n1,a,2,web\n1,b,0,\n")
    assert roles_of(reading) == {
        "qid": "query_id",
        "docid": "document_id",
        "rating": "grade",
        "source": "ignore",
    }
    assert reading.sample_rows == [["1", "a", "2", "web"], ["1", "b", "0", ""]]


def test_unknown_columns_can_be_told():
    """A table in other words is refused with its columns and rows, and read when they are told."""
    with pytest.raises(ColumnsNeededError) as caught:
        read_text(GERMAN)
    assert [column.header for column in caught.value.columns] == list(GERMAN_ROLES)
    assert caught.value.sample_rows == (("suppe", "r1", "3"), ("suppe", "r2", "0"))
    reading = read_text(GERMAN, column_roles=GERMAN_ROLES)
    assert rows_of(reading) == [
        JudgmentRow("suppe", "r1", "", 3.0),
        JudgmentRow("suppe", "r2", "", 0.0),
    ]
    assert roles_of(reading) == GERMAN_ROLES


@pytest.mark.parametrize(
    ("heads", "roles"),
    [
        ("query;doc_id;Juror;Grad;Notiz", "query_text document_id assessor grade note"),
        ("Suchanfrage;Artikel-Nr.;Prüfer;Urteil;Datum", "query_text document_id assessor grade at"),
        ("Запрос;Код товара;Асессор;Оценка;Заметка", "query_text document_id assessor grade note"),
        ("requête;produit;juge;note;remarque", "query_text document_id assessor grade note"),
        ("Consulta;Documento;Juez;Relevancia;Fecha", "query_text document_id assessor grade at"),
        (
            "query;documento;giudice;rilevanza;commento",
            "query_text document_id assessor grade note",
        ),
    ],
)
def test_names_of_columns_in_other_languages_are_known(heads, roles):
    """Columns may be called by the words that the program itself uses, and by like ones."""
    when = "2026-11-15" if heads.endswith(("Datum", "Fecha")) else "gut"
    rows = f"aa cell;d1;Jörg;3;{when}\naa cell;d1;Anna;3;{when}\n"
    reading = read_text(f"{heads}\n{rows}")
    assert [column.role for column in reading.columns] == roles.split()
    assert [row.assessor for row in rows_of(reading)] == ["Jörg", "Anna"]


@pytest.mark.parametrize(
    "heads",
    [
        *("query;text;narrative", "запрос;текст;пояснение", "запрос;текст запроса;пояснение"),
        *("ид;запрос;пояснение", "номер;текст запроса;пояснение", "Kennung;Anfrage;Erläuterung"),
    ],
)
def test_ids_beside_texts_are_told_in_any_language(heads):
    """A column *query* holds the ids where words without blanks stand in it, and texts in another."""
    reading = read_text(f"{heads}\nq1;cold soup;hot is none\nq2;bread;\n", kind=Kind.QUERIES)
    queries = [(query.id, query.text, query.narrative) for query in reading.queries]
    assert queries == [("q1", "cold soup", "hot is none"), ("q2", "bread", "")]


def test_a_query_beside_a_text_stays_a_text():
    """Words of a query are no id, whatever is called text beside them."""
    reading = read_text("query;text\ncold soup;no bread\nbread;flat\n", kind=Kind.QUERIES)
    assert [column.role for column in reading.columns] == ["field", "query_text"]


def test_of_two_columns_of_notes_the_one_with_notes_counts():
    """The first is empty: what the second says is kept."""
    heads = "Запрос;Документ;Оценка;Примечание;Заметка"
    reading = read_text(f"{heads}\nq1;d1;3;;old\nq1;d2;0;;\n")
    assert [row.note for row in rows_of(reading)] == ["old", ""]


def test_ranked_results_with_german_names_are_known():
    """The columns of a run of a German shop need no help."""
    heads = "Suchanfrage;Rang;Artikelnummer;Score;Titel;Preis"
    reading = read_text(f"{heads}\naa cell;1;d1;0.9;Akku;2\naa cell;2;d2;0.8;Kabel;3\n")
    said = [column.role for column in reading.columns]
    assert said == ["query_text", "rank", "document_id", "score", "title", "field"]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Suchanfrage;Artikel;Note\naa;d1;3\naa;d2;1,5\n", "grade"),
        ("Suchanfrage;Artikel;Grad;Note\naa;d1;3;2\naa;d2;1;2\n", "note"),
        ("Suchanfrage;Artikel;Grad;Note\naa;d1;3;gut\naa;d2;1;\n", "note"),
        ("query;doc_id;grade;Note\naa;d1;3;2\naa;d2;1;1\n", "note"),
    ],
)
def test_note_is_a_grade_in_german(text, role):
    """Beside German names and with numbers alone *Note* is the grade, where there is no other."""
    assert roles_of(read_text(text))["Note"] == role


@pytest.mark.parametrize("header", ["wer", "judge", "évaluateur"])
def test_nobody_is_called_by_the_head_of_grades_beside_names(header):
    """One column of grades beside one of few names is asked about: the names may have given them."""
    with pytest.raises(ColumnsNeededError):
        read_text(f"query_id,doc_id,{header},Punktwert\nq1,d1,Ann,3\nq1,d1,Ben,2\nq1,d2,Ann,0\n")


@pytest.mark.parametrize(
    ("kind", "missing"),
    [(None, "a grade (grade, rating), a rank or a score"), (Kind.JUDGMENTS, "a grade (")],
)
def test_only_what_is_still_missing_is_expected(kind, missing):
    """Where a person has said the others."""
    told = {"Frage": "query_text", "Ware": "document_id"}
    with pytest.raises(ColumnsNeededError) as caught:
        read_text("Frage;Ware;Wert\naa;d1;gut\nbb;d2;\n", column_roles=told, kind=kind)
    assert f"line 1: expected {missing}" in str(caught.value)


@pytest.mark.parametrize("kind", [None, Kind.JUDGMENTS])
def test_a_separator_line_above_unknown_names_is_no_row(kind):
    """Below Excel's ``sep=;`` columns are asked for as without it."""
    with pytest.raises(ColumnsNeededError) as caught:
        read_text("sep=;\nFrage;Ware;Wert\naa;d1;3\nbb;d2;0\n", kind=kind)
    assert [column.header for column in caught.value.columns] == ["Frage", "Ware", "Wert"]


def test_who_names_a_rank_is_not_given_queries():
    """A rank that was told stays, and the rest is asked for: a list of queries has none."""
    told = {"Frage": "query_text", "Stelle": "rank"}
    with pytest.raises(ColumnsNeededError) as caught:
        read_text("Frage;Stelle;Ware;Score\naa;1;d1;2\naa;2;d2;1\n", column_roles=told)
    said = {column.header: column.role for column in caught.value.columns}
    assert said == {**told, "Ware": "field", "Score": "score"}


def test_a_role_that_was_told_wins():
    """What was found out gives way to what was said; the column that lost it is left out."""
    text = "query,doc_id,grade,final\nq,a,1,3\n"
    told = read_text(text, column_roles={"final": "grade", "grade": "ignore"})
    assert rows_of(told) == [JudgmentRow("q", "a", "", 3.0)]


def test_a_column_can_be_left_out():
    """What is ignored becomes no field."""
    reading = read_text("id,title,price,text\na,Soup,3,hot\n", column_roles={"price": "ignore"})
    assert reading.documents == [Document("a", "Soup", body="hot")]


def test_an_image_column_becomes_a_field():
    """An image has a role of its own and stands among the fields."""
    reading = read_text("id,title,image\na,Soup,soup.png\n")
    assert roles_of(reading)["image"] == "image"
    assert reading.documents == [Document("a", "Soup", fields={"image": "soup.png"})]


def test_a_table_without_header():
    """Told that there is no header, columns are numbered and the first line counts."""
    reading = read_text(
        "soup,r1,3\nsoup,r2,0\n",
        kind=Kind.JUDGMENTS,
        answers={"header": "no"},
        column_roles={"column 1": "query_text", "column 2": "document_id", "column 3": "grade"},
    )
    assert [row.document_id for row in rows_of(reading)] == ["r1", "r2"]


# The first example loads pyarrow, which takes its time.
@given(
    st.permutations(["query", "doc_id", "grade", "note"]),
    st.lists(st.tuples(cell_texts, st.integers(0, 3)), min_size=1, max_size=6),
)
def test_the_order_of_columns_plays_no_part(headers, cells):
    """However columns stand, a table gives the same judgments."""
    named = [
        {"query": "q", "doc_id": f"d{place}", "grade": grade, "note": note}
        for place, (note, grade) in enumerate(cells)
    ]
    out = pa.table({header: [str(row[header]) for row in named] for header in headers})
    sink = io.BytesIO()
    pq.write_table(out, sink)
    reading = read_stream(io.BytesIO(sink.getvalue()))
    assert [(row.document_id, row.grade, row.note) for row in rows_of(reading)] == [
        (row["doc_id"], float(row["grade"]), row["note"]) for row in named
    ]


def test_a_book_has_a_column_for_each_judge():
    """Columns of nothing but grades are assessors'; who did not rate said nothing."""
    reading = read_file(DATA / "quepid-book-wide.csv")
    assert rows_of(reading) == [
        JudgmentRow("cold soup", "r1", "Anna A.", 3.0),
        JudgmentRow("cold soup", "r1", "Ben B.", 2.0),
        JudgmentRow("cold soup", "r2", "Anna A.", 0.0),
        JudgmentRow("bread", "r7", "", None),
    ]
    assert roles_of(reading)["Eva"] == "grades_of_assessor"
    assert "Anna A., Ben B., Eva are each taken for" in reading.notes[0]


def test_a_book_may_be_long():
    """A row for each judge, with unrateable, later and explanation."""
    assert rows_of(read_file(DATA / "quepid-book-long.csv")) == [
        JudgmentRow("cold soup", "r1", "Anna", 3.0, "", "just it"),
        JudgmentRow("cold soup", "r1", "Ben", None, "cannot_judge", "no text"),
        JudgmentRow("cold soup", "r2", "Ben", None, "skipped"),
    ]


def test_texts_beside_judges_are_no_judges():
    """The table that people make has names and descriptions beside several raters."""
    text = "query,docid,name,agent_1,agent_2\nq,a,Soup 1,3,2\nq,b,Soup 2,0,\n"
    rows = rows_of(read_text(text))
    assert [(row.document_id, row.assessor, row.grade) for row in rows] == [
        ("a", "agent_1", 3.0),
        ("a", "agent_2", 2.0),
        ("b", "agent_1", 0.0),
    ]


def test_case_ratings_name_queries_without_ratings():
    """Quepid's row of a query that nobody rated keeps the query; no newline at the end is fine."""
    reading = read_file(DATA / "quepid-basic.csv")
    assert Query("bread", "bread") in reading.queries
    assert [row.document_id for row in rows_of(reading)] == ["r1", "r2"]


def test_a_snapshot_is_a_run():
    """The snapshot's name is the run's; case and time are no fields of documents."""
    reading = read_file(DATA / "quepid-snapshot.csv")
    assert reading.runs[0].name == "bm25"
    assert rankings_of(reading.runs[0]) == {"cold soup": [("r1", None), ("r2", None)]}
    assert reading.documents == [Document("r1", "Gazpacho"), Document("r2", "Ajoblanco")]


def test_a_detailed_export_is_a_run_with_judgments():
    """Positions, texts and ratings of one export all come in."""
    reading = read_file(DATA / "quepid-detailed.csv")
    assert rows_of(reading) == [JudgmentRow("cold soup", "r1", "", 3.0)]
    assert len(reading.runs[0].documents) == 2
    assert reading.documents[0] == Document("r1", "Gazpacho", fields={"course": "soup"})


def test_information_needs_are_descriptions():
    """Quepid's needs have no ids: texts are ids, which is said."""
    reading = read_file(DATA / "quepid-needs.csv")
    assert reading.queries[0] == Query(
        "cold soup", "cold soup", "Soups that are eaten cold, and raw."
    )
    assert len(reading.notes) == 1


def test_words_wait_for_their_grades():
    """Words are counted, a mapping is proposed, and nothing is read until one is given."""
    reading = read_file(DATA / "labels.tsv")
    assert reading.labels == {"E": 1, "S": 1, "I": 1}
    assert reading.label_proposal == {"E": 3.0, "S": 2.0, "I": 0.0}
    assert reading.is_empty
    mapped = read_file(DATA / "labels.tsv", grade_map=reading.label_proposal)
    assert [row.grade for row in rows_of(mapped)] == [3.0, 2.0, 0.0]
    assert not mapped.n_refused


def test_words_in_qrels():
    """Qrels with words in the fourth column are judgments if that is said."""
    text = "q 0 a good\nq 0 b bad\n"
    reading = read_text(text, kind=Kind.JUDGMENTS, grade_map={"good": 1, "bad": 0})
    assert [row.grade for row in rows_of(reading)] == [1.0, 0.0]


def test_a_decimal_comma_is_proposed_as_a_point():
    """A grade such as 0,5 is refused, and its number proposed."""
    reading = read_text("query;doc_id;grade\nq;a;0,5\nq;b;1\n")
    assert reading.label_proposal == {"0,5": 0.5}
    assert reading.n_refused == 1


@pytest.mark.parametrize("grade", ["nan", "inf", "NaN"])
def test_no_number_is_no_word_either(grade):
    """NaN is refused and not offered for mapping."""
    reading = read_text(f"query,doc_id,grade\nq,a,{grade}\nq,b,1\n")
    assert (reading.n_refused, reading.labels) == (1, {})


@pytest.mark.parametrize(
    ("words", "grades"),
    [
        (["Exact", "Partial", "Irrelevant"], [2, 1, 0]),
        (["Exact", "Substitute", "Complement", "Irrelevant"], [3, 2, 1, 0]),
        (["Highly relevant", "Relevant", "Not relevant"], [2, 1, 0]),
        (["yes", "no"], [1, 0]),
        (["bad", "fair", "good", "excellent", "perfect"], [0, 1, 2, 3, 4]),
    ],
)
def test_known_words_have_a_proposal(words, grades):
    """Sets of words that are in use have their usual grades."""
    assert propose_grades(words) == dict(zip(words, grades, strict=True))


def test_unknown_words_have_none():
    """Words of no known set are left to the person."""
    assert propose_grades(["soup", "bread"]) == {}


def test_an_excel_sheet_is_read():
    """Ids with leading zeros, lines in cells, empty rows; rows keep their numbers."""
    reading = read_file(DATA / "judgments.xlsx")
    assert reading.encoding == "Excel, sheet ‘Ratings’"
    assert reading.judgments.lines == [2, 3, 5]
    assert rows_of(reading)[0] == JudgmentRow("q1", "007", "anna", 3.0, "", "two\nlines")
    assert rows_of(reading)[1].grade == 0.5


def test_a_parquet_file_is_read():
    """Columns have their names, null is empty."""
    reading = read_file(DATA / "judgments.parquet")
    assert (reading.encoding, reading.format) == ("Parquet", "judgments-table")
    assert rows_of(reading) == [
        JudgmentRow("q1", "007", "anna", 3.0),
        JudgmentRow("q1", "r2", "", 0.5),
    ]


def test_numbers_that_a_sheet_cannot_hold_are_mentioned(tmp_path):
    """An 18-digit id that was typed as a number is no longer exact."""
    book = openpyxl.Workbook()
    for row in (["query", "doc_id", "grade"], ["q", 123456789012345678.0, 1]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert (
        "1 row has a number of 16 digits or more, which a sheet keeps only roughly (line 2)"
        in " ".join(read_file(tmp_path / "a.xlsx").notes)
    )


def test_ids_of_sheets_keep_the_zeros_that_are_shown(tmp_path):
    """A number in a format of zeros alone is the id that Excel shows; other numbers stay."""
    book = openpyxl.Workbook()
    for row in (["query", "doc_id", "grade"], ["q", 1111, 1], ["q", 22, 2]):
        book.active.append(row)
    book.active["B2"].number_format = "0000000000"
    book.active["C2"].number_format = "0.00"
    book.save(tmp_path / "a.xlsx")
    said = [(row.document_id, row.grade) for row in rows_of(read_file(tmp_path / "a.xlsx"))]
    assert said == [("0000001111", 1.0), ("22", 2.0)]


def test_days_of_sheets_have_no_time(tmp_path):
    """A date is written without the midnight that a sheet keeps it by; a moment with its time."""
    book = openpyxl.Workbook()
    for row in (["doc_id", "title", "from"], ["a", "A", date(2026, 11, 3)]):
        book.active.append(row)
    book.active.append(["b", "B", datetime(2026, 11, 3, 8, 5)])  # noqa: DTZ001 - as sheets have it
    book.save(tmp_path / "a.xlsx")
    said = [each.fields["from"] for each in read_file(tmp_path / "a.xlsx").documents]
    assert said == ["2026-11-03", "2026-11-03T08:05:00"]


def test_other_sheets_are_mentioned(tmp_path):
    """Only the first sheet is read."""
    book = openpyxl.Workbook()
    book.active.append(["query", "doc_id", "grade"])
    book.active.append(["q", "a", 1])
    book.create_sheet("Notes").append(["x"])
    book.save(tmp_path / "a.xlsx")
    assert "there are others: Notes" in " ".join(read_file(tmp_path / "a.xlsx").notes)


def test_a_zip_bomb_is_refused(tmp_path):
    """A sheet that unpacks to far more than its size is refused before it is unpacked."""
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<x/>")
        package.writestr("xl/worksheets/sheet1.xml", b" " * (64 << 20))
    with pytest.raises(ParseError, match=r"unpacks to 67,108,\d+ bytes"):
        read_file(path)


def test_an_office_document_is_refused(tmp_path):
    """A document that is no sheet says what was expected."""
    path = tmp_path / "x.docx"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", "<document/>")
    with pytest.raises(ParseError, match=r"office program and no sheet"):
        read_file(path)


@pytest.mark.parametrize("sample", ["judgments.xlsx", "judgments.parquet"])
def test_damaged_sheets_are_refused(sample):
    """A sheet that is cut off or changed anywhere gives a sentence or a reading."""
    data = (DATA / sample).read_bytes()
    sentences = []
    for cut in range(0, len(data), len(data) // 40):
        for damaged in (data[:cut], data[:cut] + b"\xff\x00" + data[cut + 2 :]):
            try:
                read_stream(io.BytesIO(damaged))
            except InputError as problem:
                sentences.append(str(problem))
    assert sentences
    assert all(sentence.endswith(".") for sentence in sentences)


def test_a_folder_is_read_as_documents(tmp_path):
    """Each text file is a document with its name as id; others are refused or left out."""
    for name, data in {
        "b.txt": b"bread",
        "a.txt": b"\xef\xbb\xbfsoup\n",
        "latin.txt": b"caf\xe9",
        "nul.bin": b"a\0b",
        ".hidden": b"x",
        "soup.png": b"\x89PNG",
    }.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "inner").mkdir()
    with (tmp_path / "long.txt").open("wb") as file:
        file.truncate(MAX_TEXT_LINE_BYTES + 1)
    (tmp_path / os.fsdecode(b"\xff.txt")).write_bytes(b"whey")
    told = []
    reading = read_file(
        tmp_path, answers={"encoding": "utf-8"}, progress=lambda *each: told.append(each)
    )
    assert told == [(place, 8) for place in range(1, 9)]
    assert reading.documents == [Document("a.txt", body="soup\n"), Document("b.txt", body="bread")]
    assert [refusal.reason for refusal in reading.refusals] == [
        "‘latin.txt’ is no text in utf-8",
        "‘long.txt’ is longer than 64 MiB",
        "‘nul.bin’ holds NUL bytes and is no text",
        "the name ‘?.txt’ is no text",
    ]
    assert len(reading.notes) == 2


def test_a_folder_without_a_text_says_so(tmp_path):
    """Empty it is read as that; where all of it is refused, so is the folder."""
    assert read_file(tmp_path, kind=Kind.DOCUMENTS).notes == ["The folder has no text files."]
    (tmp_path / "a.bin").write_bytes(b"a\0b")
    with pytest.raises(ParseError, match=r"holds NUL bytes and is no text. No file in it could"):
        read_file(tmp_path, kind=Kind.DOCUMENTS)


def test_a_beir_folder_may_be_without_judgments(tmp_path):
    """Queries and documents are taken, and nothing is said of grades."""
    for name in ("corpus.jsonl", "queries.jsonl"):
        (tmp_path / name).write_text('{"_id": "1", "title": "", "text": "soup"}\n')
    reading = read_file(tmp_path)
    assert (len(reading.queries), len(reading.documents), reading.judgments) == (1, 1, None)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    """A link that leads elsewhere is refused."""
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("soup", encoding="utf-8")
    try:
        (folder / "b.txt").symlink_to(tmp_path / "secret.txt")
    except OSError:
        pytest.skip("this system makes no links")
    reading = read_file(folder)
    assert [document.id for document in reading.documents] == ["a.txt"]
    assert "leads out of the folder" in reading.refusals[0].reason


def test_reading_a_folder_can_be_stopped():
    """Cancelling keeps nothing."""
    with pytest.raises(ReadingCancelledError):
        read_file(DATA / "folder", is_cancelled=lambda: True)


def test_bare_texts_are_queries_when_asked_for():
    """A list of texts has its texts as ids."""
    reading = read_file(DATA / "queries-list.txt", kind=Kind.QUERIES)
    assert reading.queries == [
        Query("cold soup", "cold soup"),
        Query("bread without yeast", "bread without yeast"),
    ]


def test_the_first_colon_divides():
    """Texts may have colons of their own."""
    assert read_file(DATA / "queries-colon.txt").queries[1] == Query("2", "ratio 3:1 in soup")


def test_ids_and_texts_can_be_called_documents():
    """The answer to the question turns queries into documents."""
    reading = read_text("1\tsoup\n", answers={"id_and_text": "documents"})
    assert reading.documents == [Document("1", body="soup")]


def test_beir_metadata_stand_beside_the_text():
    """Plain metadata become fields, empty ones vanish, nested ones stay as they are."""
    text = (
        '{"_id": "1", "title": "a", "text": "x", "metadata": {"brand": "Intel"}}\n'
        '{"_id": "2", "title": "b", "text": "y", "metadata": {}}\n'
        '{"_id": "3", "title": "c", "text": "z", "metadata": {"n": [1]}}\n'
    )
    fields = [document.fields for document in read_text(text).documents]
    assert fields == [{"brand": "Intel"}, {}, {"metadata": '{"n":[1]}'}]


@pytest.mark.parametrize("kind", list(Kind))
def test_every_role_of_a_kind_can_be_told(kind):
    """Whatever role a column is given, reading ends in a reading or a sentence."""
    for role in ROLES[kind]:
        try:
            reading = read_text("x,y\n1,2\n", kind=kind, column_roles={"x": role})
        except ParseError:
            continue
        else:
            assert ColumnUse("x", role) in reading.columns


def test_what_was_said_of_columns_stays_said():
    """A table that cannot be read yet shows the roles that were given so far."""
    with pytest.raises(ColumnsNeededError) as caught:
        read_text("eins,zwei,drei\n1,a,2\n", column_roles={"drei": "grade"})
    assert caught.value.columns[2].role == "grade"


def answer(*ids: str, **named: object) -> str:
    """A search engine's saved response to one query."""
    hits = [{"_id": each, "_score": 9.0 - place} for place, each in enumerate(ids)]
    return json.dumps({"took": 1, "hits": {"hits": hits}, **named})


@pytest.fixture
def answers(tmp_path):
    """A folder of saved responses, one file for each query."""
    folder = tmp_path / "bm25"
    folder.mkdir()
    (folder / "q1.json").write_text(answer("a", "b"))
    (folder / "q2.json").write_text(answer("c"))
    return folder


ANSWERED = {"q1": [("a", 9.0), ("b", 8.0)], "q2": [("c", 9.0)]}


def test_a_folder_of_responses_to_a_query_each_is_one_run(answers):
    """It is named after the folder; the files' names are the queries' ids, and that is said."""
    reading = read_file(answers, kind=Kind.RESULTS)
    (run,) = reading.runs
    assert (run.name, rankings_of(run)) == ("bm25", ANSWERED)
    assert reading.notes == [
        "Its 2 files, each the response to one query, are one run: each file’s name is its query’s id."
    ]


def test_such_a_folder_is_known_without_a_word(answers):
    """As long as nothing else stands in it; else its files are texts."""
    assert read_file(answers).kind is Kind.RESULTS
    (answers / "notes.txt").write_text("as of today")
    assert read_file(answers).kind is Kind.DOCUMENTS


def zipped(path, **texts):
    with zipfile.ZipFile(path, "w") as package:
        for name, text in texts.items():
            package.writestr(name, text)
    return path


@pytest.mark.parametrize("other", ['{"hits": ', "[]", '{"a": "b"}', '{"a": 1}\n{"a": 2}\n'])
def test_a_folder_with_another_file_than_responses_is_one_of_texts(answers, other):
    """However it is called: damaged, or JSON of another form."""
    (answers / "q3.json").write_text(other)
    reading = read_file(answers)
    assert (reading.kind, len(reading.documents)) == (Kind.DOCUMENTS, 3)


def test_a_folder_of_responses_in_a_zip_file_is_one_run(tmp_path):
    """Beside other files it is one of those to be read."""
    texts = {"bm25/q1.json": answer("a", "b"), "bm25/q2.json": answer("c"), "x.run": "q Q0 d 1 1 x"}
    path = zipped(tmp_path / "all.zip", **texts)
    with pytest.raises(SeveralFilesError) as caught:
        read_file(path)
    assert caught.value.members == ("bm25", "x.run")
    (run,) = read_file(path, answers={"member": "bm25"}).runs
    assert (run.name, rankings_of(run)) == ("bm25", ANSWERED)


def test_responses_alone_in_a_zip_file_are_named_after_it(tmp_path):
    """They are read without a question."""
    path = zipped(tmp_path / "bm25.zip", **{"q1.json": answer("a", "b"), "q2.json": answer("c")})
    (run,) = read_file(path).runs
    assert (run.name, rankings_of(run)) == ("bm25", ANSWERED)


def test_responses_of_two_systems_to_one_query_are_no_run(tmp_path):
    """Where each names the query itself, and it is the same one, each file is by itself."""
    texts = {"bm25.json": answer("a", query="soup"), "dense.json": answer("b", query="soup")}
    with pytest.raises(SeveralFilesError):
        read_file(zipped(tmp_path / "both.zip", **texts))


def test_a_hidden_sheet_is_marked_and_read_last(tmp_path):
    """Among the choices; the first one that is seen is read."""
    book = openpyxl.Workbook()
    book.active.title = "Hid"
    for sheet in (book.active, book.create_sheet("Seen")):
        sheet.append(["query_id", "doc_id", "grade"])
        sheet.append(["q1", sheet.title, 2])
    book["Hid"].sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    (question,) = read_file(tmp_path / "a.xlsx", kind=Kind.JUDGMENTS).open_questions[:1]
    assert question.choices == {"Hid": "Hid (a hidden sheet)", "Seen": ""}
    assert question.answer == "Seen"


def test_json_lines_in_a_folder_of_texts_are_said(tmp_path):
    """The file may have been meant, and not its folder."""
    (tmp_path / "documents.jsonl").write_text('{"id": "a", "text": "soup"}\n')
    reading = read_file(tmp_path, kind=Kind.DOCUMENTS)
    assert len(reading.documents) == 1
    (note,) = reading.notes
    assert note.startswith("‘documents.jsonl’ looks like JSON lines, and is taken for the text of")


def test_a_sheet_without_rows_is_known_by_its_header(tmp_path):
    """It is no empty file of another format."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"query": [], "document": [], "grade": []}), path)
    reading = read_file(path, kind=Kind.JUDGMENTS)
    assert reading.format == "judgments-table"
    assert reading.notes == ["There is no row below the header."]


def test_a_sheet_that_is_cut_off_is_to_be_fetched_again():
    """The sentence says what to do."""
    data = (DATA / "judgments.xlsx").read_bytes()[:600]
    with pytest.raises(ParseError, match="fetch or save it again"):
        read_stream(io.BytesIO(data))


def test_a_line_that_ends_too_early_is_called_that():
    """In place of a position at its end."""
    reading = read_text('{"id": "1", "text": "a"}\n{"id": "2", "te\n{"id": "3",\n{"id": x}\n')
    assert [r.reason for r in reading.refusals] == [
        *["expected a JSON object; the line ends too early"] * 2,
        "expected a JSON object; what stands at position 8 does not fit",
    ]


def test_a_relevance_score_is_no_assessor():
    """Whether it is a grade or a system's score is asked: a person can say it."""
    with pytest.raises(ColumnsNeededError, match="Relevance Score"):
        read_text("query,document,Relevance Score\nq1,d1,2\nq1,d2,0\n", kind=Kind.JUDGMENTS)


def test_of_a_row_with_several_grades_a_word_alone_is_left_out():
    """What another assessor said of the document counts, and nothing else is said of it."""
    reading = read_text(
        "query,docid,anna,ben\nq1,d1,3,2\nq1,d2,,1\nq1,d3,x,0\n", kind=Kind.JUDGMENTS
    )
    assert (len(reading.judgments), reading.judgments.assessors[-1]) == (4, "ben")
    assert reading.notes[-1].endswith("which grade each stands for; until then they are left out.")
