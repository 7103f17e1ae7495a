"""What holds several files or sheets: a folder, a zip file, a workbook; and Parquet.

The texts of a folder are documents by their names, or saved responses, each to a query. Rows of
cells (Excel, OpenDocument, Parquet) become JSON lines, read as other tables are.
"""

import io
import json
import os
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from judgetool.core.held_files import open_to_read, refusing_change
from judgetool.core.judgments import Document
from judgetool.core.number_text import local_count, number_of, some_of
from judgetool.errors import InputError, ParseError, shown_name, why_refused
from judgetool.formats.judgments import CollectedJudgments
from judgetool.formats.names import ALL_NAMES, find_header, normal_name
from judgetool.formats.records import above_note, note_number, too_many_columns, unique_names
from judgetool.formats.results import name_from
from judgetool.formats.search_responses import (
    JsonSource,
    are_of_queries,
    is_response,
)
from judgetool.formats.source import (
    ENCODING,
    MAX_EXPANSION,
    MAX_TEXT_LINE_BYTES,
    UTF_8,
    TextSource,
    UndecidedEncodingError,
    Watch,
    check_is_text,
    find_encoding,
    is_utf8,
)
from judgetool.formats.texts import IMAGE_ENDINGS
from judgetool.formats.values import (
    MAX_COLUMNS,
    Kind,
    Question,
    Reading,
    ReadingCancelledError,
    Refusal,
    Wishes,
    no_parquet,
)
from judgetool.wording import N_, _, quoted

_MAX_FILES = 1_000_000
_RESPONSE_ENDING = ".json"
_UNPACKING = (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError)


def read_folder(path: Path, *, watch: Watch, wishes: Wishes) -> Reading:
    """Read the text files that stand in a folder itself, in the order of their names.

    A picture whose name differs from a text's in the ending alone is that document's.
    Hidden files and folders inside are left out; so are links that lead elsewhere.

    Args:
        path: the folder.
        watch: told of each file, and asked whether to go on.
        wishes: kept with the reading.

    Raises:
        UndecidedEncodingError: a text in it is not UTF-8, and nobody said what it is.
        InputError: the folder cannot be looked into.
        ReadingCancelledError: the watcher said so.
    """
    reading = Reading(str(path), Kind.DOCUMENTS, "documents-folder", wishes=wishes)
    try:
        names = sorted(entry.name for entry in os.scandir(path) if not entry.name.startswith("."))
    except OSError as problem:
        raise InputError(
            _("{path} cannot be looked into: {strerror}.").format(
                path=path, strerror=why_refused(problem)
            )
        ) from problem
    images = {Path(name).stem: name for name in reversed(names) if is_picture(name)}
    n_folders = n_images = 0
    for place, file in enumerate(_iter_files(path, names, watch), 1):
        if watch.progress:
            watch.progress(place, len(names))
        if file.is_dir():
            n_folders += 1
        elif is_picture(file.name):
            n_images += 1
        else:
            _read_document(path, file, reading, image=images.get(file.stem, ""))
    reading.n_lines = len(names)
    note_number(
        reading.notes,
        n_folders,
        "{n} folder in it was not looked into.",
        "{n} folders in it were not looked into.",
    )
    n_joined = sum(bool(document.image) for document in reading.documents)
    beside = _("{n_joined} of them beside a text of the same name").format(
        n_joined=local_count(n_joined)
    )
    note_number(
        reading.notes,
        n_images,
        "{n} image in it: {beside}.",
        "{n} images in it: {beside}.",
        beside=beside,
    )
    names = [each.id for each in reading.documents]
    table = next((name for name in names if name.lower().endswith((".jsonl", ".ndjson"))), "")
    if table:
        reading.notes.append(
            _(
                "‘{name}’ looks like JSON lines, and is taken for the text of one document. If "
                "each of its lines is a document, name the file itself in place of the folder."
            ).format(name=table)
        )
    if reading.is_empty and reading.n_refused:
        first = reading.refusals[0]
        raise ParseError(
            _("{reason}. No file in it could be read.").format(reason=first.reason),
            source=str(path),
        )
    if reading.is_empty:
        reading.notes.append(_("The folder has no text files."))
    return reading


_OF_SYSTEMS = (".DS_Store", "__MACOSX")
_HIDDEN = N_("‘{name}’ in the zip file is left out: it is hidden.")
_ELSEWHERE = N_("‘{name}’ in the zip file is left out: its name may lead out of it.")
_NO_NAME = N_("‘{name}’ in the zip file is left out: its name is no plain text.")
_SAME_NAME = N_("‘{name}’ stands in the zip file several times: only the last one is read.")
_MOST_NAMED = 20


def sorted_members(package: zipfile.ZipFile) -> tuple[dict[str, zipfile.ZipInfo], list[str]]:
    """Return the files of a zip file that may be read, by name, and what is said of the others."""
    members: dict[str, zipfile.ZipInfo] = {}
    said: list[str] = []
    for each in package.infolist():
        parts = each.filename.replace("\\", "/").split("/")
        if each.is_dir() or not parts[-1] or parts[0] == _OF_SYSTEMS[1] or parts[-1] in _OF_SYSTEMS:
            continue
        name = "/".join(part for part in parts if part != ".")
        why = _why_left_out(parts) or (_SAME_NAME if name in members else "")
        if why:
            said.append(_(why).format(name=shown_name(each.filename)[:60]))
        if why in ("", _SAME_NAME):
            members[name] = each
    said = list(dict.fromkeys(said))
    if len(said) > _MOST_NAMED:
        rest = number_of(
            len(said) - _MOST_NAMED,
            "{n} further file in the zip file is left out for such reasons.",
            "{n} further files in the zip file are left out for such reasons.",
        )
        said = [*said[:_MOST_NAMED], rest]
    return members, said


_PAPERS = re.compile(
    r"(.*/)?(readme|licen[cs]e|notice|copying|citation|changelog)(\.\w+)?", re.IGNORECASE
)


def is_paper(name: str) -> bool:
    """Return whether a file of a zip file, by its name, tells people of the data and is none.

    Examples:
        >>> is_paper("set/README.md"), is_paper("set/readings.csv")
        (True, False)
    """
    return _PAPERS.fullmatch(name) is not None


def _why_left_out(parts: list[str]) -> str:
    """Return why a file of a zip file is not read, by the parts of its name; ``""``: it is."""
    if any(not part or part == ".." or ":" in part for part in parts):
        return _ELSEWHERE
    if parts[-1].startswith("."):
        return _HIDDEN
    return "" if all(map(str.isprintable, parts)) else _NO_NAME


def response_folders(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of JSON files by the folder that they stand in, ``.`` for none: two or more."""
    by_folder: dict[str, list[str]] = {}
    for name in names:
        if name.endswith(_RESPONSE_ENDING):
            by_folder.setdefault(str(PurePosixPath(name).parent), []).append(name)
    return {folder: files for folder, files in by_folder.items() if len(files) > 1}


def response_files(path: Path, kind: Kind | None) -> list[Path]:
    """Return the files of a folder that may be saved responses: where no kind was said, all or none.

    Raises:
        OSError: the folder cannot be looked into.
    """
    files = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    found = [each for each in files if each.name.endswith(_RESPONSE_ENDING) and each.is_file()]
    return found if kind is not None or len(found) == len(files) else []


def join_responses(name: str, files: Mapping[str, Callable[[], TextSource]]) -> JsonSource | None:
    """Return saved responses as one value by query id, which is each file's name.

    Args:
        name: of the folder.
        files: what opens each, by its name.

    Returns:
        ``None`` where one is no response to one query, or where queries that they name themselves
        are not all different: then they are no run.
    """
    joined = JsonSource(name, io.BytesIO(), n_lines=0)
    values: dict[str, object] = {}
    for file_name, open_file in files.items():
        query_id = name_from(file_name)
        try:
            source = open_file()
        except (ParseError, UndecidedEncodingError, *_UNPACKING):
            return None
        if not isinstance(source, JsonSource) or query_id in values:
            return None
        values[query_id] = source.value
        joined.n_lines += source.n_lines
        joined.repeated += source.repeated
        if not is_response(source.value):
            return None
    if not are_of_queries(values.values()):
        return None
    joined.value = values
    note_number(
        joined.notes,
        len(values),
        "Its {n} file, the response to one query, is a run: the file’s name is the query’s id.",
        "Its {n} files, each the response to one query, are one run: each file’s name is its query’s id.",
    )
    return joined


BEIR_CORPUS, BEIR_QUERIES, BEIR_QRELS = "corpus.jsonl", "queries.jsonl", "qrels"


def beir_parts(path: Path) -> list[tuple[Path, Kind]]:
    """Return the files of a folder as BEIR has it, with their kinds; empty for any other folder.

    It has queries and a corpus, packed or not, and perhaps qrels.
    """
    found = []
    for name, kind in ((BEIR_QUERIES, Kind.QUERIES), (BEIR_CORPUS, Kind.DOCUMENTS)):
        file = next((each for each in (path / name, path / f"{name}.gz") if each.is_file()), None)
        if file is None:
            return []
        found.append((file, kind))
    qrels = path / BEIR_QRELS
    splits = sorted(qrels.glob("*.tsv")) if qrels.is_dir() else []
    return [*found, *((file, Kind.JUDGMENTS) for file in splits)]


def merge_parts(path: Path, readings: list[Reading], *, wishes: Wishes) -> Reading:
    """Return what the files of a BEIR folder hold, as one reading.

    Args:
        path: the folder.
        readings: of its files.
        wishes: kept with the reading.
    """
    merged = Reading(str(path), Kind.DOCUMENTS, "beir-folder", wishes=wishes)
    judgments = CollectedJudgments(merged)
    for reading in readings:
        name = Path(reading.source).relative_to(path).as_posix()
        merged.n_lines += reading.n_lines
        merged.n_refused += reading.n_refused
        merged.ended_early |= reading.ended_early
        merged.states |= reading.states
        merged.refusals += [
            Refusal(each.line, f"{name}: {each.reason}") for each in reading.refusals
        ]
        merged.notes += [f"{name}: {note}" for note in reading.notes]
        merged.queries += reading.queries
        merged.documents += reading.documents
        if reading.judgments is not None:
            for place, line in enumerate(reading.judgments.lines):
                judgments.add(line, reading.judgments.row(place), name)
    if any(reading.judgments is not None for reading in readings):
        judgments.hand_over()
    return merged


def _iter_files(path: Path, names: list[str], watch: Watch) -> Iterator[Path]:
    if len(names) > _MAX_FILES:
        raise InputError(
            _("{path} holds {names} files; up to {most} are read. Nothing was kept.").format(
                path=path,
                names=local_count(len(names)),
                most=local_count(_MAX_FILES),
            )
        )
    for name in names:
        if watch.is_cancelled and watch.is_cancelled():
            raise ReadingCancelledError(
                _("Reading {path} was stopped. Nothing was kept.").format(path=path)
            )
        yield path / name


def is_picture(name: str) -> bool:
    """Return whether a file is a picture by its name."""
    return name.lower().endswith(IMAGE_ENDINGS)


def _read_document(folder: Path, file: Path, reading: Reading, *, image: str) -> None:
    try:
        # A link that leads to itself is inside, and no file.
        is_inside = Path(os.path.realpath(file)).is_relative_to(folder.resolve())
        if not is_inside or not file.is_file():
            said = (
                _("‘{name}’ is no ordinary file")
                if is_inside
                else _("‘{name}’ is a link that leads out of the folder")
            )
            reading.refuse(None, said.format(name=file.name))
            return
        with open_to_read(file) as stream, refusing_change(file, stream):
            data = stream.read(MAX_TEXT_LINE_BYTES + 1)
        file.name.encode()
    except OSError as problem:
        reading.refuse(
            None,
            _("‘{file}’ cannot be read: {strerror}").format(
                file=file.name, strerror=why_refused(problem)
            ),
        )
    except UnicodeError:
        shown = file.name.encode(errors="replace").decode()
        reading.refuse(None, _("the name ‘{shown}’ is no text").format(shown=shown))
    else:
        if len(data) > MAX_TEXT_LINE_BYTES:
            reading.refuse(
                None,
                _("‘{file}’ is longer than {size} MiB").format(
                    file=file.name, size=MAX_TEXT_LINE_BYTES >> 20
                ),
            )
            return
        text = _decoded(data, file.name, reading)
        if text is not None:
            reading.documents.append(Document(file.name, body=text, image=image))


def _decoded(data: bytes, name: str, reading: Reading) -> str | None:
    """Return a file's text; refuse it, or ask for its encoding, where it is not UTF-8.

    Raises:
        UndecidedEncodingError: it is text, and nobody said in which encoding.
    """
    said = reading.wishes.answers.get(ENCODING, "") or UTF_8
    try:
        check_is_text(data, source=name)
        text = data.decode("utf-8-sig" if is_utf8(data + b"\n") else find_encoding(said))
    except (ParseError, UnicodeDecodeError) as problem:
        is_text = isinstance(problem, UnicodeDecodeError)
        if is_text and ENCODING not in reading.wishes.answers:
            raise UndecidedEncodingError(data, source=reading.source) from None
        reading.refuse(None, _("‘{name}’ is no text in {said}").format(name=name, said=said))
        return None
    if "\0" in text:
        reading.refuse(None, _("‘{name}’ holds NUL bytes and is no text").format(name=name))
        return None
    return text


# Workbooks and Parquet

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
_MOST_CELLS_NAMED = 5
# A cell with a formula, and no value after it.
_UNSTORED = re.compile(rb"(?:</f>|<f\b[^>]*/>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>")
# A number format such as 0000000000, of ids with zeros in front.
_ZEROS = re.compile(rb'formatCode="0{2,}"')
_MERGED = re.compile(rb"<mergeCell\b")
_ODS_CELL = re.compile(rb"<table:(?:covered-)?table-cell\b([^>]*)>")
_ODS_REPEATED = re.compile(rb'number-(?:columns|rows)-repeated="([0-9]{1,9})"')

_Rows = Iterable[list[Any]]
_Group = tuple[tuple[int, int], tuple[int, int]]


class _Book(NamedTuple):
    """A file of sheets.

    Attributes:
        what: what it is, for people.
        sheets: their titles, in order.
        hidden: the titles of those that a spreadsheet program does not show.
        rows: the rows of the sheet with this title, from the first on.
        merged: its groups of merged cells: first and last, each a row and a column from 0.
    """

    what: str
    sheets: list[str]
    hidden: set[str]
    rows: Callable[[str], _Rows]
    merged: Callable[[str], Sequence["_Group"]]


def rows_of_parquet(data: bytes, *, name: str, watch: Watch, wishes: Wishes) -> TextSource:
    """Return the rows of a Parquet file; see :func:`rows_of_book`."""
    return _rows_source(_iter_parquet(data, name), name=name, watch=watch, wishes=wishes)


def rows_of_book(
    data: bytes,
    package: zipfile.ZipFile | None = None,
    *,
    name: str,
    watch: Watch,
    wishes: Wishes,
) -> TextSource:
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
        merged = sorted(group for group in book.merged(title) if group[1][0] > group[0][0])
        errors: list[str] = []
        rows = _without_errors(book.rows(title), errors)
        rows = _fill_down(rows, merged) if merged else rows
        source = _rows_source(rows, name=name, watch=watch, wishes=wishes)
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
        cells=some_of(unstored[:_MOST_CELLS_NAMED], len(unstored)),
    )
    note_number(
        source.notes,
        len(errors),
        "{n} cell holds an error of the spreadsheet program ({cells}) and is read as empty.",
        "{n} cells hold errors of the spreadsheet program ({cells}) and are read as empty.",
        cells=some_of(errors[:_MOST_CELLS_NAMED], len(errors)),
    )
    if errors:
        source.warnings[source.notes[-1]] = _("Cells hold errors")
    note_number(
        source.notes,
        len(merged),
        "{n} group of cells is merged over several rows ({cells}): each row has its value.",
        "{n} groups of cells are merged over several rows ({cells}): each row has the value of its group.",
        cells=some_of([_said_as(each) for each in merged[:_MOST_CELLS_NAMED]], len(merged)),
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

    styles = "xl/styles.xml"
    has_zeros = styles in package.namelist() and _ZEROS.search(package.read(styles)) is not None

    def rows(title: str) -> Iterator[list[Any]]:
        sheets[title].reset_dimensions()
        # Values alone are read faster.
        if not has_zeros:
            return (list(row) for row in sheets[title].iter_rows(values_only=True))
        return (
            [_shown(cell.value, cell.number_format or "") for cell in row]
            for row in sheets[title].iter_rows()
        )

    def merged(title: str) -> Sequence[_Group]:
        # Read in parts, as it has to be, openpyxl does not know of them.
        has_any = _is_in_sheets(package, _MERGED)
        return _open_by_calamine(data, "Excel").merged(title) if has_any else ()

    hidden = {title for title, sheet in sheets.items() if sheet.sheet_state != "visible"}
    return _Book("Excel", list(sheets), hidden, rows, merged)


def _shown(value: object, form: str) -> object:
    """Return a cell's value; of a whole number that its format shows with zeros in front, its text."""
    has_zeros = len(form) > 1 and not form.strip("0") and not isinstance(value, bool)
    if has_zeros and isinstance(value, (int, float)) and value >= 0 and value == int(value):
        return str(int(value)).zfill(len(form))
    return value


# What stands in a cell whose formula failed, such as a look-up that found nothing.
_ERRORS = frozenset(
    ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#SPILL!", "#CALC!")
)


def _without_errors(rows: _Rows, found: list[str]) -> Iterator[list[Any]]:
    """Yield rows with errors as empty cells; ``found`` gets each with its place: ``B2: #N/A``."""
    for number, row in enumerate(rows, 1):
        if _ERRORS.isdisjoint(row):
            yield row
            continue
        from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as above

        places = [place for place, cell in enumerate(row) if cell in _ERRORS]
        found += [f"{get_column_letter(place + 1)}{number}: {row[place]}" for place in places]
        yield [None if place in places else cell for place, cell in enumerate(row)]


def _fill_down(rows: _Rows, merged: Sequence[_Group]) -> Iterator[list[Any]]:
    """Give each row of cells that are merged the value that stands in their first."""
    begin: dict[int, list[tuple[int, int]]] = {}
    for (top, column), (bottom, _right) in merged:
        begin.setdefault(top, []).append((column, bottom))
    held: dict[int, tuple[int, Any]] = {}
    for number, row in enumerate(rows):
        for column, (bottom, value) in list(held.items()):
            if number > bottom:
                del held[column]
                continue
            row.extend([None] * (column + 1 - len(row)))
            row[column] = value
        for column, bottom in begin.get(number, ()):
            held[column] = (bottom, row[column] if column < len(row) else None)
        yield row


def _said_as(group: _Group) -> str:
    """Return how a spreadsheet program calls merged cells: ``A2:A4``."""
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as above

    return ":".join(f"{get_column_letter(column + 1)}{row + 1}" for row, column in group)


def _is_in_sheets(package: zipfile.ZipFile, sign: re.Pattern[bytes]) -> bool:
    """Whether a sheet of an Excel file has what may need a closer look, which takes long."""
    parts = (each for each in package.namelist() if each.startswith("xl/worksheets/"))
    return any(sign.search(package.read(each)) for each in parts if each.endswith(".xml"))


def _find_unstored(data: bytes, package: zipfile.ZipFile | None, title: str) -> list[str]:
    """Return the places of a sheet's formulas of which no value is stored: ``["C2"]``."""
    if package is None or not _is_in_sheets(package, _UNSTORED):
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

    def merged(title: str) -> Sequence[_Group]:
        # Not told of OpenDocument.
        return book.get_sheet_by_name(title).merged_cell_ranges or ()

    return _Book(what, list(book.sheet_names), hidden, rows, merged)


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
        titles = ", ".join(quoted(title) for title in sheets[:20])
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
                ).format(last_row=local_count(last_row), width=local_count(width)),
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
            ).format(size=local_count(size), size_2=local_count(size // max(packed, 1))),
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
            _(
                "it begins like a Parquet file but is damaged or cut off: fetch or save it again. "
                "Nothing was kept."
            ),
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


def _rows_source(rows: _Rows, *, name: str, watch: Watch, wishes: Wishes) -> TextSource:
    """Return rows as JSON lines on which each keeps its number; above them stands the header."""
    lines = io.BytesIO()
    header: list[str] | None = None
    refusals: list[Refusal] = []
    inexact: list[int] = []
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
        inexact += [number] if any(map(_is_inexact, row)) else []
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
    source = TextSource(
        name,
        lines,
        watch=watch,
        container="Parquet",
        refusals=refusals,
        is_sheet=True,
        headers=header or [],
    )
    if n_above:
        source.notes.append(above_note(n_above + 1))
    if inexact:
        source.notes.append(
            number_of(
                len(inexact),
                "{n} row has a number of 16 digits or more, which a sheet keeps only roughly (line "
                "{line}): if it is an id, save the column as text.",
                "{n} rows have a number of 16 digits or more, which a sheet keeps only roughly (the "
                "first on line {line}): if it is an id, save the column as text.",
                line=local_count(inexact[0]),
            )
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
    if isinstance(cell, datetime) and cell.time() == time() and cell.tzinfo is None:
        # Sheets have days as moments at midnight.
        return cell.date().isoformat()
    if isinstance(cell, (datetime, date, time)):
        return cell.isoformat()
    if isinstance(cell, (list, dict, tuple)):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return str(cell)
