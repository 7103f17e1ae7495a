"""Excel and Parquet: rows of cells as JSON lines, so that they are read as other tables are."""

import io
import json
import warnings
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
_ROWS = 10_000
_NESTED_BYTES = 256 << 20


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

    # It tells of parts that hold no cells, such as charts and validations, on standard error.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"openpyxl\.")
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
    _check_size(sum(part.file_size for part in parts), len(data), name)


def _check_size(size: int, packed: int, name: str) -> None:
    """Refuse what says of itself that it unpacks to more than sheets do."""
    if size > _MAX_UNPACKED or (size > _SMALL and size > MAX_EXPANSION * packed):
        raise ParseError(
            f"it unpacks to {size:,} bytes, {size // max(packed, 1):,} times its size, which "
            "real sheets do not. Nothing was kept; save it as CSV if you trust it.",
            source=name,
        )


def _iter_parquet(data: bytes, name: str) -> Iterator[list[Any]]:
    import pyarrow as pa  # noqa: PLC0415 - loaded when needed: a fifth of a second
    import pyarrow.parquet as pq  # noqa: PLC0415 - likewise

    try:
        plain = pq.ParquetFile(io.BytesIO(data))
        schema = plain.schema_arrow
        _check_size(_unpacked_size(plain.metadata), len(data), name)
        # A text that stands in a thousand rows is kept once in the file, and here too.
        texts = [field.name for field in schema if _is_text(field.type)]
        file = pq.ParquetFile(io.BytesIO(data), read_dictionary=texts)
        yield list(schema.names)
        for batch in file.iter_batches(batch_size=_rows_at_a_time(schema, plain.metadata)):
            # A damaged file may point beside its texts.
            batch.validate(full=True)
            columns = [_values_of(column) for column in batch.columns]
            yield from (list(row) for row in zip(*columns, strict=True))
    except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as problem:
        raise ParseError(
            "it begins like a Parquet file but is damaged or cut off. Nothing was kept.",
            source=name,
        ) from problem


def _is_text(kind: Any) -> bool:  # noqa: ANN401 - a type of pyarrow, which has no stubs
    return str(kind) in {"string", "large_string", "binary", "large_binary"}


def _unpacked_size(metadata: Any) -> int:  # noqa: ANN401 - likewise
    # Not column by column: of a damaged file, pyarrow ends the whole process there.
    groups = range(metadata.num_row_groups)
    return sum(metadata.row_group(number).total_byte_size for number in groups)


def _rows_at_a_time(schema: Any, metadata: Any) -> int:  # noqa: ANN401 - likewise
    """Return how many rows are made values at once: few where lists may repeat large texts."""
    if not any(
        str(field.type).startswith(("list", "struct", "map", "large_list")) for field in schema
    ):
        return _ROWS
    return max(1, min(_ROWS, _NESTED_BYTES // max(1, _unpacked_size(metadata))))


def _values_of(column: Any) -> list[Any]:  # noqa: ANN401 - likewise
    if not str(column.type).startswith("dictionary"):
        return list(column.to_pylist())
    texts = column.dictionary.to_pylist()
    return [None if place is None else texts[place] for place in column.indices.to_pylist()]


def _rows_source(rows: Iterable[list[Any]], *, name: str, watch: Watch) -> RowsSource:
    """Return rows as JSON lines on which each keeps its number; the first one is the header."""
    lines = io.BytesIO()
    header: list[str] | None = None
    refusals: list[Refusal] = []
    n_inexact = 0
    for number, row in enumerate(rows, 1):
        if number % 1000 == 0 and watch.is_cancelled and watch.is_cancelled():
            raise ReadingCancelledError(f"Reading {name} was stopped. Nothing was kept.")
        cells = [_text_of(cell) for cell in row]
        n_inexact += any(_is_inexact(cell) for cell in row)
        if header is None:
            header = unique_names(cells) if any(cells) else None
            lines.write(b"\n")
            continue
        if any(cells):
            lines.write(_line_of(header, cells, number, refusals))
        lines.write(b"\n")
        if lines.tell() > _MAX_ROWS_BYTES:
            raise ParseError(
                f"its rows hold more than {_MAX_ROWS_BYTES >> 20} MiB of text. Nothing was kept; "
                "save it as CSV and read it again.",
                source=name,
            )
    # Rows have no line end after the last one.
    lines.truncate(max(0, lines.tell() - 1))
    lines.seek(0)
    source = RowsSource(
        name,
        lines,
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
