"""Files that are not UTF-8, packed, or sheets: asked, unpacked, chosen; never taken in part."""

import bz2
import gzip
import io
import lzma
import random
import struct
import zipfile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.chart import BarChart

from judgetool.errors import InputError, ParseError
from judgetool.formats import Kind, Reading, ReadingCancelledError, read_file, read_stream
from judgetool.formats.values import Refusal, SeveralFilesError

TEXTS = {
    "cp1252": "süße Brötchen",
    "cp1251": "холодный суп без хлеба",
    "gb18030": "无酵母面包食谱",
    "cp932": "冷たいスープ",
    "euc_kr": "차가운 수프",
}


def read(data: bytes, kind: Kind | None = None, **answers: str) -> Reading:
    return read_stream(io.BytesIO(data), source="file", kind=kind, answers=answers)


def texts_of(reading: Reading) -> dict[str, str]:
    return {query.id: query.text for query in reading.queries}


def zipped(**members: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in members.items():
            package.writestr(name.replace("__", "."), content)
    return packed.getvalue()


def book(**sheets: list[list[object]]) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_a_run_is_called_as_its_file_without_its_ending(tmp_path, ending):
    """Whatever sort of table it is."""
    rows = [["query", "doc_id", "rank"], ["soup", "r1", 1]]
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    path = tmp_path / f"bm25.v2.{ending}"
    path.write_bytes(book(Run=rows) if ending == "xlsx" else text.encode())
    assert [run.name for run in read_file(path).runs] == ["bm25.v2"]


@pytest.mark.parametrize(("encoding", "text"), TEXTS.items())
def test_another_encoding_is_asked(encoding, text):
    """Nothing of a file that is not UTF-8 is taken; the right encoding is among the choices."""
    reading = read(f"q1\tcold soup\nq2\t{text}\n".encode(encoding))
    (question,) = reading.open_questions
    assert (question.name, question.is_open, reading.queries) == ("encoding", True, [])
    assert text in question.choices[encoding]


@pytest.mark.parametrize(("encoding", "text"), TEXTS.items())
def test_the_answer_is_the_encoding(encoding, text):
    """With the encoding said, every line is read, and nothing is refused."""
    reading = read(f"q1\tcold soup\nq2\t{text}\n".encode(encoding), encoding=encoding)
    assert texts_of(reading) == {"q1": "cold soup", "q2": text}
    assert (reading.n_refused, reading.encoding) == (0, encoding)


def test_a_letter_far_down_is_asked_too():
    """The question comes wherever the first such byte stands, and names the line."""
    lines = "".join(f"q{number}\tsoup\n" for number in range(300_000))
    reading = read(lines.encode() + "z\tKäse\n".encode("cp1252"))
    (question,) = reading.open_questions
    assert "line 300,001" in question.text
    assert "Käse" in question.choices["cp1252"]
    assert not reading.queries


def test_damaged_utf8_is_proposed_as_utf8():
    """Where other lines are UTF-8 beyond ASCII, leaving lines out is the first proposal."""
    reading = read("q1\tKäse\n".encode() + b"q2\tcaf\xe9\n")
    assert next(iter(reading.open_questions[0].choices)) == "utf-8"
    assert texts_of(read("q1\tKäse\n".encode() + b"q2\tcaf\xe9\n", encoding="utf-8")) == {
        "q1": "Käse"
    }


def test_a_wrong_answer_is_refused():
    """Bytes that the said encoding does not have refuse the whole file."""
    with pytest.raises(ParseError, match=r"CP932 but is none further on"):
        read(b"q1\tcaf\xe9 \xff\n", encoding="cp932")


@pytest.mark.parametrize("written", ["utf-8", "cp1252"])
def test_what_is_said_of_several_files_is_weighed_by_the_whole_file(written):
    """Whether one is UTF-8 may be seen behind its first MiB alone; nothing of it is lost."""
    lines = [f"q{number}\t{'soup ' * 20}\n" for number in range(20_000)]
    data = "".join([*lines, "last\tKäse\n"]).encode(written)
    said = {"answers": {"encoding": "cp1252"}, "is_of_several": True}
    reading = read_stream(io.BytesIO(data), kind=Kind.QUERIES, **said)
    assert len(data) > 2 << 20
    assert (len(reading.queries), reading.queries[-1].text) == (20_001, "Käse")


def test_of_a_file_alone_the_encoding_that_is_said_counts():
    """Its bytes may be UTF-8 by chance: a person who names the encoding knows better."""
    assert texts_of(read(b"q1\t\xc3\xa9\n", encoding="cp1252")) == {"q1": "Ã©"}


@pytest.mark.parametrize("name", ["base64", "nothere", """ utf-8\0 """])
def test_no_encoding_is_named_so(name):
    """What is no encoding of texts is refused, with examples of names."""
    with pytest.raises(InputError, match="There is no encoding"):
        read(b"q1\tsoup\n", encoding=name)


def test_utf16_without_a_mark_is_asked():
    """UTF-16 without a byte order mark is proposed and, once said, read."""
    data = "q1\tcold soup\n".encode("utf-16-le")
    assert next(iter(read(data).open_questions[0].choices)) == "utf-16-le"
    assert texts_of(read(data, encoding="utf-16-le")) == {"q1": "cold soup"}


def test_xml_names_its_own_encoding():
    """What an XML file says of itself needs no answer."""
    text = (
        '<?xml version="1.0" encoding="ISO-8859-1"?><topics><topic number="1">'
        "<title>Käse</title></topic></topics>"
    )
    assert texts_of(read(text.encode("latin-1"))) == {"1": "Käse"}
    assert read(text.replace("ISO-8859-1", "klingon").encode("latin-1")).needs_answers


@given(st.text(st.characters(codec="cp1252", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1))
def test_text_in_another_encoding_is_whole_or_not_at_all(text):
    """A file in Windows-1252 is asked, or the same as in UTF-8; never some of its lines."""
    data = f"q0\tsoup\nq1\tx{text}x\n"
    plain = texts_of(read(data.encode(), Kind.QUERIES))
    asked = read(data.encode("cp1252"), Kind.QUERIES)
    said = read(data.encode("cp1252"), Kind.QUERIES, encoding="cp1252")
    assert texts_of(said) == plain
    assert asked.needs_answers or texts_of(asked).keys() == plain.keys()


PACKED = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize(("packing", "pack"), PACKED.items())
def test_packed_files_are_read(packing, pack):
    """gzip, bzip2, xz and Zstandard are told by their content; parts may follow each other."""
    reading = read(pack(b"q1\tcold soup\n") + pack(b"q2\tbread\n"))
    assert texts_of(reading) == {"q1": "cold soup", "q2": "bread"}
    assert reading.encoding == f"utf-8+{packing}"


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_a_cut_file_keeps_no_half_line(pack):
    """Of a packed file that ends too early, only whole lines are taken."""
    lines = [f"q{i}\t{i * 7919 % 100003} {i * 104729 % 1000003} soup" for i in range(60_000)]
    packed = pack("\n".join(lines).encode())
    reading = read(packed[: len(packed) * 2 // 3], Kind.QUERIES)
    assert 0 < len(reading.queries) < 60_000
    assert [f"{q.id}\t{q.text}" for q in reading.queries] == lines[: len(reading.queries)]
    assert "ends too early" in reading.refusals[-1].reason


# What counts is how much comes of few bytes; in long lines and many parts it is made and read sooner.
PART, N_PARTS = (b"q1\t" + b"soup " * 4_000 + b"\n") * 50, 80


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_bombs_stay_small(pack):
    """What unpacks without end is refused, however it is packed."""
    with pytest.raises(ParseError, match="unpacks to more than 200 times"):
        read(pack(PART) * N_PARTS, Kind.QUERIES)


def test_a_zip_with_one_file_is_that_file():
    """Folders and what a Mac adds do not count."""
    reading = read(zipped(queries__tsv="q1\tcold soup\n"))
    assert (texts_of(reading), reading.source) == ({"q1": "cold soup"}, "file/queries.tsv")


def test_a_zip_with_several_files_names_them():
    """Each of several files is read by itself, as the answer says."""
    data = zipped(queries__tsv="q1\tcold soup\n", qrels__txt="q1 0 d1 1\n")
    with pytest.raises(SeveralFilesError) as caught:
        read(data)
    assert caught.value.members == ("queries.tsv", "qrels.txt")
    assert read(data, member="qrels.txt").kind is Kind.JUDGMENTS


def test_a_zip_that_leads_elsewhere_is_no_file():
    """A member whose name leads out of the archive is not read."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as package:
        package.writestr("../../etc/queries.tsv", "q1\tsoup\n")
    with pytest.raises(ParseError, match="without a file in it"):
        read(packed.getvalue())


def test_of_many_hidden_files_of_a_zip_some_are_named():
    """The first twenty, and how many more there are."""
    hidden = {f".{number}__txt": "x" for number in range(22)}
    notes = read(zipped(queries__tsv="q1\tcold soup\n", **hidden)).notes
    assert notes[0] == "‘.0.txt’ in the zip file is left out: it is hidden."
    assert notes[20:] == ["2 further files in the zip file are left out for such reasons."]


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_file_that_is_damaged_in_a_zip_is_not_used(packing):
    """Nothing of it is taken, wherever the damage is; the sentence is ours."""
    some, packed = random.Random(1), io.BytesIO()
    lines = [f"q{i} Q0 d{some.getrandbits(60)} 1 2 t\n" for i in range(20_000)]
    with zipfile.ZipFile(packed, "w", packing) as package:
        package.writestr("a.run", "".join(lines))
    data = bytearray(packed.getvalue())
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(ParseError, match=r"file/a.run: it cannot be unpacked: the zip file is dam"):
        read(bytes(data), Kind.RUN)


def with_mark(data: bytes, before: int, value: int) -> bytes:
    """Change a byte of what a zip file says of its only file, in both of the places."""
    changed = bytearray(data)
    for sign, place in ((b"PK\3\4", before), (b"PK\1\2", before + 2)):
        changed[changed.index(sign) + place] = value
    return bytes(changed)


QUERY = zipped(q__tsv="q1\tcold soup\n")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (zipped(a__zip=QUERY), "a.zip: it is a zip file in a zip file"),
        (zipped(**{"a/": ""}), "it is a zip file without a file in it. Nothing"),
        (with_mark(QUERY, 6, 1), "‘q.tsv’ in it is locked by a password"),
        (with_mark(QUERY, 8, 99), "q.tsv: it cannot be unpacked"),
    ],
)
def test_what_cannot_be_had_of_a_zip_is_said(data, what):
    """Of the file in it, and what to do."""
    with pytest.raises(ParseError, match=what):
        read(data)


def test_a_zip_bomb_is_refused():
    """A file in a zip file may not unpack without end either."""
    with pytest.raises(ParseError, match="unpacks to more than 200 times"):
        read(zipped(queries__tsv=PART.decode() * N_PARTS), Kind.QUERIES)


ROLES = ("query_id", "document_id", "grade")
JUDGED = [["query", "doc_id", "grade"], ["soup", "r1", 2], ["soup", "r2", 0]]


def test_the_sheet_with_the_table_is_read():
    """Where the first sheet is a cover, the one whose header is known is read, and it is said."""
    reading = read(book(Cover=[["Made by Anna"], ["in May"]], Grades=JUDGED))
    assert reading.judgments is not None
    assert list(reading.judgments.grades) == [2, 0]
    assert any("‘Grades’ was read" in note for note in reading.notes)
    assert [(q.name, q.answer, q.is_open) for q in reading.open_questions] == [
        ("sheet", "Grades", False)
    ]


def test_a_sheet_may_stand_in_a_zip():
    """It is read as it would be alone."""
    reading = read(zipped(a__xlsx=book(Grades=JUDGED)))
    assert reading.judgments is not None
    assert reading.judgments.document_ids == ["r1", "r2"]


@pytest.mark.parametrize("said", ["Second", "2"])
def test_a_sheet_can_be_said(said):
    """By its title or its number."""
    other = [JUDGED[0], ["bread", "r7", 1]]
    reading = read(book(First=JUDGED, Second=other), sheet=said)
    assert reading.judgments is not None
    assert reading.judgments.query_ids == ["bread"]


def test_no_such_sheet():
    """The sentence names the sheets that are there."""
    with pytest.raises(ParseError, match=r"no sheet ‘Third’. Its sheets are ‘First’, ‘Second’"):
        read(book(First=JUDGED, Second=JUDGED), sheet="Third")


def test_a_title_above_the_header_is_left_out():
    """In a sheet and in a text: the header may stand below a title."""
    reading = read(book(Grades=[["Round one, May"], [], *JUDGED]))
    text = read(b"Round one, May\n\nquery,doc_id,grade\nsoup,r1,2\nsoup,r2,0\n")
    for each in (reading, text):
        assert each.judgments is not None
        assert (list(each.judgments.grades), each.n_refused) == ([2, 0], 0)
        assert any("The header is on line 3" in note for note in each.notes)


ODS = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
    '<office:spreadsheet><table:table table:name="Grades">{rows}</table:table>'
    "</office:spreadsheet></office:body></office:document-content>"
)


def ods(rows: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        package.writestr("META-INF/manifest.xml", "<manifest/>")
        package.writestr("content.xml", ODS.format(rows=rows))
    return packed.getvalue()


def ods_row(*cells: str, more: str = "", repeats: str = "") -> str:
    return (
        f"<table:table-row{more}>"
        + "".join(
            f'<table:table-cell office:value-type="string"{repeats}><text:p>{cell}</text:p>'
            "</table:table-cell>"
            for cell in cells
        )
        + '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
    )


def test_open_document_sheets_are_read():
    """A sheet of LibreOffice, with its thousands of empty cells at the end of each row."""
    reading = read(ods(ods_row("query", "doc_id", "grade") + ods_row("soup", "r1", "2")))
    assert reading.judgments is not None
    assert reading.judgments.document_ids == ["r1"]
    assert reading.encoding == "OpenDocument, sheet ‘Grades’"


def test_a_cell_beyond_the_header_is_refused():
    """In a sheet all rows are as long as the longest: what the header does not name is not there."""
    rows = (("query", "doc_id", "grade"), ("soup", "r1", "2"), ("soup", "r2", "2", "mine"))
    reading = read(ods("".join(ods_row(*row) for row in rows)))
    assert reading.judgments is not None
    assert reading.judgments.document_ids == ["r1"]
    assert reading.refusals == [Refusal(3, "expected 3 columns, found 4")]


def test_a_sheet_may_be_without_a_header():
    """Where somebody says so, and then what its columns are."""
    roles = {f"column {place}": role for place, role in enumerate(ROLES, 1)}
    reading = read_stream(
        io.BytesIO(book(Grades=JUDGED[1:])), answers={"header": "no"}, column_roles=roles
    )
    assert reading.judgments is not None
    assert reading.judgments.document_ids == ["r1", "r2"]


def test_a_workbook_of_charts_alone_is_refused():
    """It has no cells."""
    made, out = openpyxl.Workbook(), io.BytesIO()
    made.create_chartsheet("Chart").add_chart(BarChart())
    made.remove(made.active)
    made.save(out)
    with pytest.raises(ParseError, match="it has no sheet with cells"):
        read(out.getvalue())


def test_a_sheet_of_thousands_of_columns_is_refused():
    """It is no table of judgments."""
    with pytest.raises(ParseError, match="the table has 10,001 columns"):
        read(book(Wide=[["query", *range(10_000)], ["soup"]]))


def test_reading_a_sheet_can_be_stopped():
    """Nothing is kept."""
    stream = io.BytesIO(book(Grades=[JUDGED[0], *[["soup", "r1", 2]] * 1000]))
    with pytest.raises(ReadingCancelledError):
        read_stream(stream, kind=Kind.JUDGMENTS, is_cancelled=lambda: True)


def test_texts_of_parquet_may_be_bytes():
    """As other programs write them."""
    out = io.BytesIO()
    columns = {"query": [b"soup"], "doc_id": ["gr\u00fcn".encode()], "grade": [1]}
    pq.write_table(pa.table(columns), out)
    reading = read(out.getvalue())
    assert reading.judgments is not None
    assert reading.judgments.document_ids == ["grün"]


def test_open_document_sheets_repeat_nothing_without_end():
    """A few bytes that stand for a billion cells are refused before they are made."""
    bomb = ods_row(
        "soup",
        more=' table:number-rows-repeated="1000000"',
        repeats=' table:number-columns-repeated="16000"',
    )
    with pytest.raises(ParseError, match="more than are read"):
        read(ods(ods_row("query", "doc_id") + bomb))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "a PNG picture"),
        (b"%PDF-1.7\n1 0 obj\n", "a PDF"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n", "git lfs pull"),
        (b"SQLite format 3\0" + bytes(20), "is opened, not imported"),
        (bytes([7, 1, 2, 200, 65]) * 100, "control characters"),
        (b"queries.tsv" + bytes(246) + b"ustar\x0000", "a tar archive"),
    ],
)
def test_what_is_no_text_is_named(data, what):
    """A picture, a PDF, a database, an archive: said as what it is, also where queries are said."""
    with pytest.raises(ParseError, match=what):
        read(data, Kind.QUERIES)


def test_a_folder_is_asked_too(tmp_path):
    """A text of a folder that is not UTF-8 asks; nothing of the folder is kept before."""
    (tmp_path / "a.txt").write_text("cold soup", encoding="utf-8")
    (tmp_path / "b.txt").write_bytes("Käse und Soufflé".encode("cp1252"))
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.7\n\xff")
    asked = read_file(tmp_path)
    assert (asked.needs_answers, asked.documents) == (True, [])
    said = read_file(tmp_path, answers={"encoding": "cp1252"})
    assert [(each.id, each.body) for each in said.documents] == [
        ("a.txt", "cold soup"),
        ("b.txt", "Käse und Soufflé"),
    ]
    assert [refusal.reason for refusal in said.refusals] == ["‘c.pdf’ is no text in cp1252"]


def xls(rows: list[list[str]]) -> bytes:
    """Make a workbook as Excel 97 did: a stream of records in a file of sectors."""

    def record(number: int, body: bytes) -> bytes:
        return struct.pack("<HH", number, len(body)) + body

    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    cells = b"".join(
        record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 0) + text.encode())
        for row, texts in enumerate(rows)
        for column, text in enumerate(texts)
    )
    sheet = begin(0x10) + cells + record(0x0A, b"")
    name = b"Grades"
    head = begin(5)
    place = len(head) + 4 + 8 + len(name) + 4
    bound = record(0x85, struct.pack("<IBBBB", place, 0, 0, len(name), 0) + name)
    stream = (head + bound + record(0x0A, b"") + sheet).ljust(4096, b"\0")
    # Sector 0 says which sector follows which, 1 holds the names, 2 to 9 the stream.
    links = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 10), 0xFFFFFFFE]
    fat = struct.pack("<10I", *links).ljust(512, b"\xff")

    def entry(title: str, kind: int, child: int, first: int, size: int) -> bytes:
        text = f"{title}\0".encode("utf-16-le")
        return (
            text.ljust(64, b"\0")
            + struct.pack("<HBBIII", len(text), kind, 1, *[0xFFFFFFFF] * 2, child)
            + bytes(36)
            + struct.pack("<IQ", first, size)
        )

    names = entry("Root Entry", 5, 1, 0xFFFFFFFE, 0) + entry("Workbook", 2, 0xFFFFFFFF, 2, 4096)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<I", 0) + b"\xff" * 432
    return header + fat + names.ljust(512, b"\0") + stream


def test_sheets_of_excel_97_are_read():
    """A sheet in the old format (.xls)."""
    reading = read(xls([["query", "doc_id", "grade"], ["soup", "r1", "2"], ["soup", "r2", "0"]]))
    assert reading.judgments is not None
    assert list(reading.judgments.grades) == [2, 0]
    assert reading.encoding == "Excel 97, sheet ‘Grades’"


def test_a_damaged_sheet_of_excel_97_is_refused():
    """What only begins like one is a sentence."""
    with pytest.raises(ParseError, match="cannot be read as one"):
        read(xls([["query"]])[:700])


def test_utf16_without_its_mark_is_refused():
    """Which byte comes first cannot be known: the sentence names the two that are meant."""
    data = "q 0 d1 1\n".encode("utf-16-le")
    with pytest.raises(ParseError, match="utf-16-le or utf-16-be"):
        read_stream(io.BytesIO(data), kind=Kind.JUDGMENTS, answers={"encoding": "utf-16"})


def test_an_empty_zip_file_is_called_that():
    """A zip file without anything in it is no damaged text."""
    packed = io.BytesIO()
    zipfile.ZipFile(packed, "w").close()
    with pytest.raises(ParseError, match="a zip file without a file in it"):
        read(packed.getvalue())


def test_a_file_that_is_cut_off_within_a_character_is_called_that():
    """It was asked for its encoding, and any other one garbled all the lines before."""
    reading = read("id,text\nq1,café\nq2,thé".encode()[:-1], Kind.QUERIES)
    assert texts_of(reading) == {"q1": "café"}
    assert reading.refusals == [Refusal(3, "the file is cut off: it ends within a character")]


def test_a_last_byte_that_is_the_only_strange_one_is_asked_about():
    """It may be a whole character of another encoding."""
    (question,) = read("id,text\nq1,thé".encode("cp1252"), Kind.QUERIES).open_questions
    assert "cp1252" in question.choices
