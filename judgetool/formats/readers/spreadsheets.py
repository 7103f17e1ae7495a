"""Excel and Parquet: rows of cells as JSON lines, so that they are read as other tables are."""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from typing import Any

from judgetool.errors import ParseError
from judgetool.formats.readers.json_values import RowsSource
from judgetool.formats.records import unique_names
from judgetool.formats.source import MAX_EXPANSION, Watch
from judgetool.formats.values import ReadingCancelledError, Refusal

EXCEL_MAGIC = b"PK\x03\x04"
PARQUET_MAGIC = b"PAR1"
MAX_PACKED_BYTES = 512 << 20
_MAX_UNPACKED = 1 << 30
_MAX_ROWS_BYTES = 1 << 30
_SMALL = 32 << 20
_EXACT_DIGITS = 10**15


def rows_of_binary(data: bytes, *, name: str, watch: Watch) -> RowsSource:
    """Return the rows of an Excel or Parquet file.

    Args:
        data: the whole file.
        name: the file as the user named it.
        watch: asked now and then whether to go on.

    Raises:
        ParseError: it is damaged, too large, or another kind of file.
        ReadingCancelledError: the watcher said so.
    """
    if data.startswith(PARQUET_MAGIC):
        return _rows_source(_iter_parquet(data, name), name=name, watch=watch)
    return _rows_of_excel(data, name, watch)


def _rows_of_excel(data: bytes, name: str, watch: Watch) -> RowsSource:
    _check_package(data, name)
    import openpyxl  # noqa: PLC0415 - loaded when needed: a third of a second

    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = [sheet for sheet in book.worksheets if sheet.max_row != 0]
        sheet = sheets[0]
        sheet.reset_dimensions()
        rows = (list(row) for row in sheet.iter_rows(values_only=True))
        source = _rows_source(rows, name=name, watch=watch)
    except (ParseError, ReadingCancelledError):
        raise
    # The library lets through whatever its XML and zip parsers raise on damaged files.
    except Exception as problem:
        raise ParseError(
            "it looks like an Excel file (.xlsx) but cannot be read as one "
            f"({type(problem).__name__}). Expected one sheet with a header row. Nothing was kept; "
            "save it as CSV (UTF-8) and read it again.",
            source=name,
        ) from problem
    source.container = f"Excel, sheet '{sheet.title}'"
    if len(sheets) > 1:
        others = ", ".join(each.title for each in sheets[1:6])
        source.notes.append(
            f"Only the first sheet, '{sheet.title}', was read; there are others: {others}."
        )
    return source


def _check_package(data: bytes, name: str) -> None:
    """Refuse what is no spreadsheet, or unpacks to more than a spreadsheet does."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            parts = package.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as problem:
        raise ParseError(
            "it begins like a zip file but is damaged. Nothing was kept.", source=name
        ) from problem
    if "[Content_Types].xml" not in {part.filename for part in parts} or not any(
        part.filename.startswith("xl/") for part in parts
    ):
        raise ParseError(
            "it is a zip file and no Excel sheet. Expected text, gzip, .xlsx or Parquet. Nothing "
            "was kept; unpack it and read what is in it.",
            source=name,
        )
    size = sum(part.file_size for part in parts)
    if size > _MAX_UNPACKED or (size > _SMALL and size > MAX_EXPANSION * len(data)):
        raise ParseError(
            f"it unpacks to {size:,} bytes, {size // max(len(data), 1):,} times its size, which "
            "real sheets do not. Nothing was kept; save it as CSV if you trust it.",
            source=name,
        )


def _iter_parquet(data: bytes, name: str) -> Iterator[list[Any]]:
    import pyarrow as pa  # noqa: PLC0415 - loaded when needed: a fifth of a second
    import pyarrow.parquet as pq  # noqa: PLC0415 - likewise

    try:
        file = pq.ParquetFile(io.BytesIO(data))
        yield list(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=10_000):
            columns = [column.to_pylist() for column in batch.columns]
            yield from (list(row) for row in zip(*columns, strict=True))
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise ParseError(
            "it begins like a Parquet file but is damaged or cut off. Nothing was kept.",
            source=name,
        ) from problem


def _rows_source(rows: Iterable[list[Any]], *, name: str, watch: Watch) -> RowsSource:
    """Return rows as JSON lines on which each keeps its number; the first one is the header."""
    lines: list[bytes] = []
    header: list[str] | None = None
    refusals: list[Refusal] = []
    size = n_inexact = 0
    for number, row in enumerate(rows, 1):
        if number % 1000 == 0 and watch.is_cancelled and watch.is_cancelled():
            raise ReadingCancelledError(f"Reading {name} was stopped. Nothing was kept.")
        cells = [_text_of(cell) for cell in row]
        n_inexact += any(_is_inexact(cell) for cell in row)
        if header is None:
            header = unique_names(cells) if any(cells) else None
            lines.append(b"")
            continue
        line = b"" if not any(cells) else _line_of(header, cells, number, refusals)
        lines.append(line)
        size += len(line)
        if size > _MAX_ROWS_BYTES:
            raise ParseError(
                f"its rows hold more than {_MAX_ROWS_BYTES >> 20} MiB of text. Nothing was kept; "
                "save it as CSV and read it again.",
                source=name,
            )
    source = RowsSource(
        name,
        io.BytesIO(b"\n".join(lines)),
        watch=watch,
        container="Parquet",
        refusals=refusals,
        is_sheet=True,
    )
    if n_inexact:
        source.notes.append(
            f"{n_inexact:,} rows have a number of 16 digits or more, which a sheet keeps only "
            "roughly: if it is an id, save the column as text."
        )
    return source


def _line_of(header: list[str], cells: list[str], number: int, refusals: list[Refusal]) -> bytes:
    if any(cells[len(header) :]):
        refusals.append(Refusal(number, f"expected {len(header)} columns, found {len(cells)}"))
        return b""
    cells = cells[: len(header)] + [""] * (len(header) - len(cells))
    return json.dumps(dict(zip(header, cells, strict=True)), ensure_ascii=True).encode()


def _is_inexact(cell: object) -> bool:
    return isinstance(cell, float) and cell.is_integer() and abs(cell) >= _EXACT_DIGITS


def _text_of(cell: object) -> str:
    """Return a cell as text: numbers without a point where they are whole."""
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, bytes):
        return cell.decode("utf-8", errors="replace")
    return _text_of_object(cell)


def _text_of_object(cell: object) -> str:
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    if isinstance(cell, (list, dict, tuple)):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return str(cell)
