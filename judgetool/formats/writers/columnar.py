"""Judgments in full as Parquet and as an Excel workbook: typed cells, never a formula."""

import io
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

from judgetool.errors import InputError
from judgetool.formats.judgment_details import spans_text, spans_values
from judgetool.formats.judgments_table import COLUMNS
from judgetool.formats.records import find_storage_problem
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.long_tables import LongRow, iter_long_rows
from judgetool.formats.writers.values import ExportMaterial

MAX_SHEET_ROWS = 1_048_576
MAX_CELL_CHARACTERS = 32_767
# Rows that are turned into columns at a time: more would hold up the window's thread.
_GROUP = 10_000
_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)
_CREATED = datetime(2000, 1, 1, tzinfo=UTC)
_MODIFIED = re.compile(rb"(<dcterms:modified[^>]*>)[^<]*")


def iter_parquet(material: ExportMaterial, choices: ExportChoices) -> Iterator[bytes]:  # noqa: ARG001 - all writers are called alike
    """Yield a Parquet file: texts, float64 grades, UTC times, what is not said as null.

    Raises:
        InputError: a text that no file can hold.
    """
    import pyarrow as pa  # noqa: PLC0415 - loaded when needed: 30 MB
    import pyarrow.parquet as pq  # noqa: PLC0415 - likewise

    number = pa.int64()
    spans = [("field", pa.string()), ("start", number), ("end", number), ("text", pa.string())]
    types = {
        "grade": pa.float64(),
        "at": pa.timestamp("ms", tz="UTC"),
        "flagged": pa.bool_(),
        "spent_ms": pa.int64(),
        "confidence": pa.int8(),
        "rationale": pa.list_(pa.struct(spans)),
    }
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS])
    packed = io.BytesIO()
    rows = map(_checked, iter_long_rows(material))
    with pq.ParquetWriter(packed, schema) as writer:
        while some := list(islice(rows, _GROUP)):
            columns: dict[str, list[object]] = {
                name: list(column)
                for name, column in zip(COLUMNS, zip(*some, strict=True), strict=True)
            }
            columns["at"] = [datetime.fromisoformat(row.at) if row.at else None for row in some]
            columns["rationale"] = [spans_values(row.rationale) or None for row in some]
            writer.write_table(pa.Table.from_pydict(columns, schema=schema))
    yield packed.getvalue()


def iter_excel(material: ExportMaterial, choices: ExportChoices) -> Iterator[bytes]:  # noqa: ARG001 - all writers are called alike
    """Yield a workbook of one sheet; every text is a text cell, whatever it begins with.

    Raises:
        InputError: more rows, longer texts or other characters than a sheet can hold.
    """
    from openpyxl import Workbook  # noqa: PLC0415 - loaded when needed
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - likewise
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE  # noqa: PLC0415 - likewise

    if len(material.judgments) >= MAX_SHEET_ROWS:
        raise InputError(
            f"An Excel sheet holds {MAX_SHEET_ROWS - 1:,} rows, and there are "
            f"{len(material.judgments):,} judgments. Nothing was written; export Parquet or CSV."
        )
    rows = list(map(_checked, iter_long_rows(material)))
    for row in rows:
        # Before the first cell: openpyxl cannot leave a sheet half way.
        for text in filter(None, _texts(row)):
            _check_cell(text, row, has_control=bool(ILLEGAL_CHARACTERS_RE.search(text)))
    book = Workbook(write_only=True)
    book.properties.creator = "judgetool"
    book.properties.created = _CREATED.replace(tzinfo=None)
    sheet = book.create_sheet("judgments")
    sheet.freeze_panes = "A2"
    sheet.append(COLUMNS)
    for row in rows:
        cells = []
        for value in (*row[:-1], spans_text(row.rationale)):
            if isinstance(value, str) and value:
                cell = WriteOnlyCell(sheet, value)
                # openpyxl takes a text with = in front for a formula unless told otherwise.
                cell.data_type = "s"
                cells.append(cell)
            else:
                cells.append(None if value == "" else value)
        sheet.append(cells)
    packed = io.BytesIO()
    book.save(packed)
    yield _without_times(packed)


def _texts(row: LongRow) -> tuple[str, ...]:
    return row.query, row.document, row.assessor, row.note, spans_text(row.rationale)


def _checked(row: LongRow) -> LongRow:
    for text in _texts(row):
        problem = find_storage_problem(text)
        if problem:
            raise InputError(f"{_where(row)} cannot be written: {problem}. Nothing was written.")
    return row


def _check_cell(text: str, row: LongRow, *, has_control: bool) -> None:
    if len(text) > MAX_CELL_CHARACTERS:
        raise InputError(
            f"{_where(row)} has a text of {len(text):,} characters; an Excel cell holds "
            f"{MAX_CELL_CHARACTERS:,}. Nothing was written; export Parquet or CSV."
        )
    if has_control:
        raise InputError(
            f"{_where(row)} has a control character, which an Excel cell cannot hold. Nothing was "
            "written; export Parquet or JSON lines."
        )


def _where(row: LongRow) -> str:
    return f"The judgment of document {row.document[:80]!r} for query {row.query[:80]!r}"


def _without_times(packed: io.BytesIO) -> bytes:
    """Return the workbook without the time of writing: the same judgments give the same file."""
    again = io.BytesIO()
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(again, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>2000-01-01T00:00:00Z", content)
            entry = zipfile.ZipInfo(name, date_time=_BEGINNING_OF_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)
    return again.getvalue()
