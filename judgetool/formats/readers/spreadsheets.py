"""Excel, OpenDocument and Parquet: rows of cells as JSON lines, read as other tables are."""

import io
import json
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime, time
from itertools import chain, islice
from typing import Any, NamedTuple

from judgetool.core.number_text import some_of
from judgetool.errors import ParseError
from judgetool.formats.columns import note_number
from judgetool.formats.names import ALL_NAMES, find_header, normal_name
from judgetool.formats.readers.search_responses import RowsSource
from judgetool.formats.records import above_note, too_many_columns, unique_names
from judgetool.formats.source import MAX_EXPANSION, Watch
from judgetool.formats.values import (
    MAX_COLUMNS,
    Question,
    ReadingCancelledError,
    Refusal,
    Wishes,
    no_parquet,
)
from judgetool.wording import _, local_number

ZIP_MAGIC = b"PK\x03\x04"
PARQUET_MAGIC = b"PAR1"
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAX_PACKED_BYTES = 512 << 20
_MAX_UNPACKED = 1 << 30
_MAX_ROWS_BYTES = 1 << 30
_SMALL = 32 << 20
_EXACT_DIGITS = 10**15
_ROWS = 10_000
_NESTED_BYTES = 256 << 20
_HEAD_ROWS = 10
_MOST_SHEETS = 50
_MOST_CELLS = 20_000_000
_MOST_NAMED = 5
# A cell with a formula, and no value after it.
_UNSTORED = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
_ODS_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b([^>]*)>")
_ODS_REPEATED = re.compile(rb'number-(?:columns|rows)-repeated="([0-9]{1,9})"')

_Rows = Iterable[list[Any]]


class _Book(NamedTuple):
    """A file of sheets.

    Attributes:
        what: what it is, for people.
        sheets: their titles, in order.
        hidden: the titles of those that a spreadsheet program does not show.
        rows: the rows of the sheet with this title, from the first on.
    """

    what: str
    sheets: list[str]
    hidden: set[str]
    rows: Callable[[str], _Rows]


def rows_of_parquet(data: bytes, *, name: str, watch: Watch, wishes: Wishes) -> RowsSource:
    """Return the rows of a Parquet file; see :func:`rows_of_book`."""
    return _rows_source(_iter_parquet(data, name), name=name, watch=watch, wishes=wishes)


def rows_of_book(
    data: bytes,
    package: zipfile.ZipFile | None = None,
    *,
    name: str,
    watch: Watch,
    wishes: Wishes,
) -> RowsSource:
    """Return the rows of an Excel or OpenDocument file.

    Args:
        data: the whole file.
        package: the same, opened; ``None`` for Excel 97, which is no zip file.
        name: the file as the user named it.
        watch: asked now and then whether to go on.
        wishes: among its answers may be ``sheet``: its title, or its number from 1; and
            ``header``.

    Raises:
        ParseError: it is damaged, too large, or another kind of file.
        ReadingCancelledError: the watcher said so.
    """
    try:
        book = _open_book(data, package, name)
        title, question = _choose_sheet(book, wishes, name)
        source = _rows_source(book.rows(title), name=name, watch=watch, wishes=wishes)
        unstored = _find_unstored(data, package, title)
    except (ParseError, ReadingCancelledError):
        raise
    # The libraries let through whatever their XML and zip parsers raise on damaged files.
    except Exception as problem:
        raise ParseError(
            _(
                "it looks like an Excel or OpenDocument file but cannot be read as one. "
                "Expected sheets with a header row. Nothing was kept; save the sheet as CSV "
                "(UTF-8) and read it again."
            ),
            source=name,
        ) from problem
    source.container, source.is_book = (
        _("{what}, sheet ‘{title}’").format(what=book.what, title=title),
        True,
    )
    note_number(
        source.notes,
        len(unstored),
        "{n} cell holds a formula without a stored value ({cells}) and is read as empty. Opening "
        "and saving the file in the spreadsheet program stores it.",
        "{n} cells hold formulas without a stored value ({cells}) and are read as empty. Opening "
        "and saving the file in the spreadsheet program stores them.",
        cells=some_of(unstored[:_MOST_NAMED], len(unstored)),
    )
    if len(book.sheets) > 1:
        source.questions.append(question)
        others = ", ".join(each for each in book.sheets[:6] if each != title)
        source.notes.append(
            _("Of the {sheets} sheets, ‘{title}’ was read; there are others: {others}.").format(
                sheets=len(book.sheets), title=title, others=others
            )
        )
    return source


def _open_book(data: bytes, package: zipfile.ZipFile | None, name: str) -> _Book:
    if package is None:
        return _open_by_calamine(data, "Excel 97")
    _check_package(package, len(data), name)
    if _is_open_document(package):
        return _open_by_calamine(data, "OpenDocument")
    import openpyxl  # noqa: PLC0415 - loaded when needed: a third of a second

    # It tells of parts that hold no cells, such as charts and validations, on standard error.
    warnings.filterwarnings("ignore", category=UserWarning, module=r"openpyxl\.")
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    sheets = {sheet.title: sheet for sheet in book.worksheets if sheet.max_row != 0}

    def rows(title: str) -> Iterator[list[Any]]:
        sheets[title].reset_dimensions()
        return (list(row) for row in sheets[title].iter_rows(values_only=True))

    hidden = {title for title, sheet in sheets.items() if sheet.sheet_state != "visible"}
    return _Book("Excel", list(sheets), hidden, rows)


def _find_unstored(data: bytes, package: zipfile.ZipFile | None, title: str) -> list[str]:
    """Return the places of a sheet's formulas of which no value is stored: ``["C2"]``."""
    parts = package.namelist() if package is not None else []
    sheets = [part for part in parts if part.startswith("xl/worksheets/") and part.endswith(".xml")]
    if package is None or not any(_UNSTORED.search(package.read(part)) for part in sheets):
        return []
    import openpyxl  # noqa: PLC0415 - as above

    both = []
    for has_values in (True, False):
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=has_values)
        sheet = book[title]
        sheet.reset_dimensions()
        both.append(chain.from_iterable(sheet.iter_rows()))
    return [
        str(formula.coordinate)
        for value, formula in zip(*both, strict=False)
        if formula.data_type == "f" and value.value is None
    ]


def _open_by_calamine(data: bytes, what: str) -> _Book:
    import python_calamine  # noqa: PLC0415 - loaded when needed

    book = python_calamine.load_workbook(io.BytesIO(data))

    def rows(title: str) -> _Rows:
        return book.get_sheet_by_name(title).to_python(skip_empty_area=False)

    shown = python_calamine.SheetVisibleEnum.Visible
    hidden = {sheet.name for sheet in book.sheets_metadata if sheet.visible != shown}
    return _Book(what, list(book.sheet_names), hidden, rows)


def _choose_sheet(book: _Book, wishes: Wishes, name: str) -> tuple[str, Question]:
    """Return the sheet to be read, and the question with that answer.

    What was said counts; else, of hidden ones last, the first sheet whose header is known, else the first
    with several rows and columns, else with several rows.

    Raises:
        ParseError: there is no sheet, or none of the name that was said.
    """
    sheets = book.sheets
    if not sheets:
        raise ParseError(_("it has no sheet with cells. Nothing was kept."), source=name)
    said = wishes.answers.get("sheet", "")
    numbered = {str(number): title for number, title in enumerate(sheets, 1)}
    chosen = said if said in sheets else numbered.get(said, "")
    if said and not chosen:
        titles = ", ".join(_("‘{title}’").format(title=title) for title in sheets[:20])
        raise ParseError(
            _("it has no sheet ‘{said}’. Its sheets are {titles}. Nothing was kept.").format(
                said=said[:60], titles=titles
            ),
            source=name,
        )
    if not chosen and len(sheets) == 1:
        (chosen,) = sheets
    if not chosen:
        likely = sorted(sheets, key=book.hidden.__contains__)[:_MOST_SHEETS]
        heads = {title: _head_of(book, title) for title in likely}
        known = (title for title, rows in heads.items() if find_header(rows) is not None)
        wide = (title for title, rows in heads.items() if any(map(_is_wide, rows[:-1])))
        filled = (title for title, rows in heads.items() if len(rows) > 1)
        chosen = next(known, "") or next(wide, "") or next(filled, "") or likely[0]
    hidden = _("{title} (a hidden sheet)")
    choices = {
        title: hidden.format(title=title) if title in book.hidden else "" for title in sheets
    }
    return chosen, Question("sheet", _("Which sheet is to be read?"), choices, chosen)


def _is_wide(row: list[str]) -> bool:
    return sum(map(bool, row)) > 1


def _n_titles(rows: list[list[str]]) -> int:
    """Return how many rows stand above a header whose names are not known: single cells."""
    n_above = next((place for place, row in enumerate(rows) if _is_wide(row)), 0)
    below = [row for row in rows[n_above:] if any(row)]
    titles = {normal_name(cell) for row in rows[:n_above] for cell in row if cell}
    # A list of one column has notes beside it now and then; its header says what it is.
    is_table = len(below) > 1 and all(map(_is_wide, below)) and titles.isdisjoint(ALL_NAMES)
    return n_above if is_table else 0


def _head_of(book: _Book, title: str) -> list[list[str]]:
    rows = ([_text_of(cell) for cell in row] for row in islice(book.rows(title), _HEAD_ROWS))
    return [row for row in rows if any(row)]


def is_sheet_package(package: zipfile.ZipFile) -> bool:
    """Whether a zip file is an Excel or OpenDocument file, of sheets or not."""
    return "[Content_Types].xml" in package.namelist() or _is_open_document(package)


def _check_package(package: zipfile.ZipFile, size: int, name: str) -> None:
    """Refuse office documents that are no sheets, or unpack to more than sheets do."""
    has_sheets = any(part.startswith("xl/") for part in package.namelist())
    if _is_open_document(package):
        has_sheets = b"spreadsheet" in package.read("mimetype")[:100]
    if not has_sheets:
        raise ParseError(
            _(
                "it is a document of an office program and no sheet. Expected text, a sheet "
                "(.xlsx, .xls, .ods) or Parquet. Nothing was kept; save what is in it as one "
                "of these."
            ),
            source=name,
        )
    _check_size(sum(part.file_size for part in package.infolist()), size, name)
    if _is_open_document(package):
        _check_repeats(package, name)


def _is_open_document(package: zipfile.ZipFile) -> bool:
    names = package.namelist()
    return "mimetype" in names and "content.xml" in names


def _check_repeats(package: zipfile.ZipFile, name: str) -> None:
    """Refuse sheets of a few bytes that repeat cells or rows millions of times."""
    for sheet in package.read("content.xml").split(b"<table:table ")[1:]:
        width = n_rows = last_row = 0
        for row in sheet.split(b"<table:table-row")[1:]:
            tag, _end, cells = row.partition(b">")
            n_rows += _repeated(tag)
            place = last = 0
            for cell in _ODS_CELL.findall(cells):
                place += _repeated(cell)
                last = place if b"office:value" in cell else last
            width = max(width, last)
            last_row = n_rows if last else last_row
        if width * last_row > _MOST_CELLS:
            raise ParseError(
                _(
                    "a sheet of it has {last_row} rows of up to {width} cells, more than are read. "
                    "Nothing was kept; save the sheet as CSV if you trust it."
                ).format(last_row=local_number(f"{last_row:,}"), width=local_number(f"{width:,}")),
                source=name,
            )


def _repeated(tag: bytes) -> int:
    found = _ODS_REPEATED.search(tag)
    return int(found[1]) if found else 1


def _check_size(size: int, packed: int, name: str) -> None:
    """Refuse what says of itself that it unpacks to more than sheets do."""
    if size > _MAX_UNPACKED or (size > _SMALL and size > MAX_EXPANSION * packed):
        raise ParseError(
            _(
                "it unpacks to {size} bytes, {size_2} times its size, which real sheets do "
                "not. Nothing was kept; save it as CSV if you trust it."
            ).format(
                size=local_number(f"{size:,}"), size_2=local_number(f"{size // max(packed, 1):,}")
            ),
            source=name,
        )


def _iter_parquet(data: bytes, name: str) -> Iterator[list[Any]]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - loaded when needed: a fifth of a second
        import pyarrow.parquet as pq  # noqa: PLC0415 - likewise
    except ImportError:
        raise ParseError(
            _("{what} Nothing was kept.").format(what=no_parquet()), source=name
        ) from None
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
            _("it begins like a Parquet file but is damaged or cut off. Nothing was kept."),
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


def _rows_source(rows: _Rows, *, name: str, watch: Watch, wishes: Wishes) -> RowsSource:
    """Return rows as JSON lines on which each keeps its number; above them stands the header."""
    lines = io.BytesIO()
    header: list[str] | None = None
    refusals: list[Refusal] = []
    n_inexact = 0
    rows = iter(rows)
    head = list(islice(rows, _HEAD_ROWS))
    texts = [[_text_of(cell) for cell in row] for row in head]
    known = find_header(texts)
    n_above = _n_titles(texts) if known is None else known
    if wishes.answers.get("header") == "no":
        n_above, header = 0, unique_names([""] * max(map(len, head), default=0))
    for number, row in enumerate(chain(head, rows), 1):
        if number % 1000 == 0 and watch.is_cancelled and watch.is_cancelled():
            raise ReadingCancelledError(
                _("Reading {name} was stopped. Nothing was kept.").format(name=name)
            )
        cells = [_text_of(cell) for cell in row]
        n_inexact += any(_is_inexact(cell) for cell in row)
        if header is None:
            if any(cells) and number > n_above:
                header = _header_of(cells, name)
            lines.write(b"\n")
            continue
        if any(cells):
            lines.write(_line_of(header, cells, number, refusals))
        lines.write(b"\n")
        if lines.tell() > _MAX_ROWS_BYTES:
            raise ParseError(
                _(
                    "its rows hold more than {max_rows_bytes} MiB of text. Nothing was kept; save "
                    "it as CSV and read it again."
                ).format(max_rows_bytes=_MAX_ROWS_BYTES >> 20),
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
    if n_above:
        source.notes.append(above_note(n_above + 1))
    if n_inexact:
        source.notes.append(
            _(
                "{n_inexact} rows have a number of 16 digits or more, which a sheet keeps only "
                "roughly: if it is an id, save the column as text."
            ).format(n_inexact=local_number(f"{n_inexact:,}"))
        )
    return source


def _header_of(cells: list[str], name: str) -> list[str]:
    while cells and not cells[-1]:
        cells.pop()
    if len(cells) > MAX_COLUMNS:
        raise too_many_columns(len(cells), name)
    return unique_names(cells)


def _line_of(header: list[str], cells: list[str], number: int, refusals: list[Refusal]) -> bytes:
    if any(cells[len(header) :]):
        refusals.append(
            Refusal(
                number,
                _("expected {header} columns, found {cells}").format(
                    header=len(header), cells=len(cells)
                ),
            )
        )
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
