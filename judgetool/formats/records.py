"""Rows of a file: with named fields, from JSON lines or a table with a header; or columns between blanks."""

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Literal, NamedTuple

from judgetool.core.clock import read_date
from judgetool.core.number_text import local_count, number_of, with_point
from judgetool.errors import ParseError
from judgetool.formats import names
from judgetool.formats.output import OWN_TEXTS, without_guard
from judgetool.formats.source import HEAD_BYTES, MAX_TEXT_LINE_BYTES, TextSource
from judgetool.formats.values import DATE_ORDER, MAX_COLUMNS, N_SAMPLE_ROWS, Kind, Question, Reading
from judgetool.wording import N_, _, stated_of, visible

if TYPE_CHECKING:
    from judgetool.formats.source import LineBlock, Refuse

DELIMITERS = (",", "\t", ";", "|")
# The module's own limit (131,072) would cut texts; lines are limited already.
csv.field_size_limit(MAX_TEXT_LINE_BYTES)
MAX_RECORD_LINES = 100_000
_MAX_UNCLOSED = 100
# JSON objects of one file rarely differ in their names; where they all do, nothing is gained.
_MAX_LAYOUTS = 256
_MOST_LATER_ROWS = 40
_LONG_CELL = 40
ROW_NUMBERS = "row_numbers"
"""The answer by which the first cell of each row, for which the header has no name, is left out."""
QUOTES = "quotes"
"""The question whether quotation marks around cells between tabs are the cells' own."""
_QUOTE_CHOICES = {
    "no": N_("No: they are left out"),
    "yes": N_("Yes: they are kept"),
}
# A quoted field that holds what only quoting can carry: the sign that quotation marks are syntax.
_DOUBLED = re.compile(r'(?:^|\t)"[^"\t\r\n]*""', re.MULTILINE)
# A cell between tabs: in quotation marks from its first character to its last, or as it stands.
_TAB_CELL = re.compile(r'"[^"\t]*+(?:""[^"\t]*+)*+"(?=[\t\r\n]|\Z)|[^\t\r\n]*')
_NEEDING = frozenset(',;"\n')


class Record(NamedTuple):
    """One row.

    Attributes:
        line: number of its first line.
        values: text by name as the file spells it, without empty ones; numbers and
            nested values of JSON as JSON writes them.
        roles: the file's name of the column with each role.
    """

    line: int
    values: dict[str, str]
    roles: Mapping[str, str]

    def take(self, role: str) -> str:
        """Take out the value of the column with this role, else ``""``.

        Where that column's cell is empty, no other column stands in for it: its
        values are of another sort.
        """
        return self.values.pop(self.roles.get(role, ""), "")

    def has(self, role: str) -> bool:
        """Whether a column has this role, empty or not."""
        return role in self.roles


@dataclass(slots=True)
class _Layout:
    """What the columns of one file's rows mean, worked out once for each set of them."""

    reading: Reading
    _known: dict[tuple[str, ...], tuple[Mapping[str, str], frozenset[str]]] = field(
        default_factory=dict
    )
    _samples: list[dict[str, str]] = field(default_factory=list)
    _shown: dict[str, None] = field(default_factory=dict)

    def record(self, line: int, texts: dict[str, str]) -> Record:
        """Make a record of a row's cells."""
        headers = tuple(texts)
        known = self._known.get(headers)
        # Of later rows those that are the first with some column, as far as there are few such.
        most = N_SAMPLE_ROWS + (
            0 if known or self._shown.keys() >= texts.keys() else _MOST_LATER_ROWS
        )
        if len(self._samples) < most:
            self._samples.append(texts)
            self._shown.update(dict.fromkeys(texts))
        if len(self._samples) == 1:
            self.describe()
        if known is None:
            wishes = self.reading.wishes.column_roles
            known = (
                names.assign_roles(headers, self.reading.kind, wishes),
                frozenset(name for name in headers if names.is_ignored(name, wishes)),
            )
            if len(self._known) < _MAX_LAYOUTS:
                self._known[headers] = known
                self.reading.headers.update(dict.fromkeys(headers))
        roles, ignored = known
        values = {name: text for name, text in texts.items() if text and name not in ignored}
        return Record(line, values, roles)

    def describe(self) -> None:
        """Show the rows that are kept as they stand, for people to see what columns hold."""
        headers = list(self._shown)
        reading = self.reading
        reading.sample_rows = [
            [sample.get(name, "") for name in headers] for sample in self._samples
        ]
        uses = names.column_uses(headers, reading.kind, reading.wishes.column_roles)
        if names.QUERY_TEXT_ROLE not in reading.wishes.column_roles.values():
            uses = names.with_ids_named(uses, reading.sample_rows, reading.kind)
        reading.columns = uses


def iter_records(source: TextSource, reading: Reading) -> Iterator[Record]:
    """Yield the rows of JSON lines, or of a table if ``reading`` has a delimiter."""
    if reading.delimiter is None:
        return _iter_json(source, reading)
    return _iter_table(source, reading, reading.delimiter)


def text_of(value: object) -> str:
    """Return a JSON value as text: text and numbers as they stand, ``null`` empty, others as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, WrittenNumber):
        return value.text
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def find_storage_problem(text: str) -> str | None:
    """Return why a text cannot be kept, if so: a JSON escape can make half a character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        return _("‘{text}’ is half a character (a surrogate on its own)").format(
            text=visible(text[problem.start])
        )
    return _("it holds a NUL character") if "\0" in text else None


def _iter_json(source: TextSource, reading: Reading) -> Iterator[Record]:
    layout = _Layout(reading)
    for number, line in source.lines(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        if not line or line.isspace() or line.startswith("#"):
            continue
        values = parse_json_object(line, decoder=_STRICT_DECODER)
        if isinstance(values, str):
            reading.refuse(number, values)
            continue
        if len(values) > MAX_COLUMNS:
            reading.refuse(
                number,
                _("{values} names in one object; up to {max_columns} are read").format(
                    values=local_count(len(values)),
                    max_columns=local_count(MAX_COLUMNS),
                ),
            )
            continue
        values = stored_fields(values, reading.kind)
        texts = {name: text_of(value) for name, value in values.items()}
        _spread_metadata(texts, values)
        # Only an escape can bring in what the decoded line cannot hold.
        if "\\u" in line:
            problem = find_storage_problem("".join(texts) + "".join(texts.values()))
            if problem:
                reading.refuse(number, problem)
                continue
        record = layout.record(number, texts)
        problem = _find_nested(record, values)
        if problem:
            reading.refuse(number, problem)
            continue
        yield record
    layout.describe()


def stored_fields(values: Mapping[str, object], kind: Kind | None = None) -> Mapping[str, object]:
    """Return an object with the fields under its ``_source``, as elasticdump writes documents.

    Of what the index says beside them, the id is kept: by it, responses name a document, whatever
    its own field ``id`` says.
    """
    source = values.get("_source")
    if not isinstance(source, dict):
        return values
    own = {name: each for name, each in values.items() if name == "_id" or name[:1] != "_"}
    if kind is Kind.DOCUMENTS and "_id" in own and "id" in source:
        source = {("_source.id" if name == "id" else name): each for name, each in source.items()}
    return {**own, **source, **own}


_NEVER_NESTED = ("query_id", names.QUERY_TEXT_ROLE, "document_id")


def _find_nested(record: Record, values: Mapping[str, object]) -> str:
    """Return what is amiss where a list or an object stands for an id or a query; else ``""``."""
    for role in _NEVER_NESTED:
        name = record.roles.get(role, "")
        held = values.get(name)
        if isinstance(held, list):
            return _(
                "‘{name}’ holds a list of {n}, where one text is expected; each query needs a line, or "
                "an object, of its own"
            ).format(name=visible(name), n=local_count(len(held)))
        if isinstance(held, dict):
            return _("‘{name}’ holds an object, where a text is expected").format(
                name=visible(name)
            )
    return ""


def _spread_metadata(texts: dict[str, str], values: Mapping[str, object]) -> None:
    """Put BEIR's metadata beside the other values, if they are plain values themselves."""
    metadata = values.get("metadata")
    if not isinstance(metadata, dict):
        return
    is_plain = not any(isinstance(value, (dict, list)) for value in metadata.values())
    if is_plain and texts.keys().isdisjoint(metadata):
        del texts["metadata"]
        texts.update((name, text_of(value)) for name, value in metadata.items())


def beyond_json(problem: ValueError | RecursionError) -> str:
    """Return what reading JSON stumbled over that is no slip of the pen, in words."""
    if isinstance(problem, RecursionError):
        return _("its objects and lists are nested deeper than is read")
    name = str(problem)
    if name in _NO_NUMBERS:
        return _(
            "{name} stands where a value does, and JSON has no such number (null is no value)"
        ).format(name=name)
    return _("a number in it has more digits than are read")


_NO_NUMBERS = frozenset({"NaN", "Infinity", "-Infinity"})


def refuse_constant(name: str) -> object:
    """Refuse NaN and the infinities, which are Python's, not JSON's."""
    raise ValueError(name)


class _RepeatedKeyError(ValueError):
    """A key stands twice in one JSON object."""


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object of its keys and values; Python itself would let the last one win."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise _RepeatedKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
    return values


class WrittenNumber(float):
    """A number of JSON that Python would write in another way than it stands.

    Attributes:
        text: as it stands.
    """

    text: str


def number_as_written(text: str) -> float:
    """Return a JSON number with a decimal point or exponent; its text is kept where it is another."""
    number = float(text)
    if repr(number) == text:
        return number
    written = WrittenNumber(number)
    written.text = text
    return written


# One for all lines: json.loads would build one for each.
_DECODER = json.JSONDecoder(parse_constant=refuse_constant, parse_float=number_as_written)
_STRICT_DECODER = json.JSONDecoder(
    parse_constant=refuse_constant, parse_float=number_as_written, object_pairs_hook=_unique_keys
)


def parse_json_object(
    line: str, *, decoder: json.JSONDecoder = _DECODER
) -> Mapping[str, object] | str:
    """Return a line's JSON object, or the reason why it is none."""
    try:
        value = decoder.decode(line)
    except _RepeatedKeyError as problem:
        return _("the key ‘{problem}’ stands twice in one JSON object").format(
            problem=str(problem)[:60]
        )
    except json.JSONDecodeError as problem:
        if problem.pos >= len(line.rstrip()) or problem.msg.startswith("Unterminated"):
            return _("expected a JSON object; the line ends too early")
        return _("expected a JSON object; what stands at position {pos} does not fit").format(
            pos=local_count(problem.pos + 1)
        )
    except (ValueError, RecursionError) as problem:
        return _("expected a JSON object; {problem}").format(problem=beyond_json(problem))
    if isinstance(value, dict):
        return value
    other = _("expected a JSON object in braces, found another JSON value")
    return _("expected a JSON object in braces, found null") if value is None else other


class OddCells:
    """Cells of columns that may be left out, where they cannot be understood: counted and said.

    Args:
        reading: gets a note for each column with such cells.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._first: dict[str, tuple[int, str]] = {}
        self._count: Counter[str] = Counter()

    def add(self, role: str, line: int, text: str) -> None:
        """Take the cell of a line."""
        self._first.setdefault(role, (line, text))
        self._count[role] += 1

    def note(self, expected: Mapping[str, str]) -> None:
        """Say what was left out, and what each role's column should hold; the rows are kept."""
        self._reading.n_undated = self._count["at"]
        for role, (line, text) in self._first.items():
            header = next((use.header for use in self._reading.columns if use.role == role), role)
            self._reading.notes.append(
                number_of(
                    self._count[role],
                    "{n} cell of the column {header} left out: expected {expected}, found ‘{text}’ "
                    "on line {line}.",
                    "{n} cells of the column {header} left out: expected {expected}, found ‘{text}’ "
                    "on line {line}.",
                    header=header,
                    expected=expected[role],
                    text=text[:40],
                    line=local_count(line),
                )
            )


class _Feed:
    """Lines for csv.reader, which remembers those of the present row."""

    def __init__(self, lines: Iterator[tuple[int, str]]) -> None:
        self._lines = lines
        self._again: list[tuple[int, str]] = []
        self.row: list[tuple[int, str]] = []
        self.is_exhausted = False

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        if len(self.row) >= MAX_RECORD_LINES:
            self.is_exhausted = True
            raise StopIteration
        numbered = self._again.pop() if self._again else next(self._lines, None)
        if numbered is None:
            self.is_exhausted = True
            raise StopIteration
        self.row.append(numbered)
        return numbered[1]

    def push_back_all_but_first(self) -> None:
        """Hand out the present row's lines again, without its first one."""
        self._again.extend(reversed(self.row[1:]))
        self.is_exhausted = False


def iter_csv_rows(
    lines: Iterator[tuple[int, str]], reading: Reading, *, delimiter: str, has_quotes: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each row that is not blank.

    A quotation mark that is never closed spoils its own line only, not the rest
    of the file, which would otherwise become one cell; likewise one that stands in a quoted cell
    and is not doubled: which marks of such a row are syntax is not for us to guess.
    """
    feed = _Feed(lines)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE
    n_unclosed = opened = spoiled = 0
    part = partial(csv.reader, delimiter=delimiter, quoting=quoting, strict=True)
    rows = part(feed)
    while True:
        cells, trouble = _next_cells(rows, feed)
        if not feed.row:
            return
        first = feed.row[0][0]
        if trouble:
            reading.refuse(first, trouble)
            if not feed.is_exhausted:
                opened, spoiled = first, feed.row[-1][0]
            # Only what runs to the end of the file costs time: its lines are looked at again.
            n_unclosed += feed.is_exhausted and len(feed.row) > 1
            _check_unclosed(n_unclosed, reading)
            feed.push_back_all_but_first()
            rows = part(feed)
        elif first <= spoiled and any('"' in cell for cell in cells):
            # The rest of a cell of several lines looks so.
            said = _("it may belong to the row of line {line}, whose quotation marks do not fit")
            reading.refuse(first, said.format(line=local_count(opened)))
        elif cells:
            yield first, cells


def _are_quoted(head: str, reading: Reading, *, has_header: bool | None) -> bool:
    """Whether quotation marks around cells between tabs are none of the cells', which is asked then.

    Spreadsheets put them where a cell holds a comma or a mark, R around all texts; in TREC's and
    BEIR's files they belong to the texts, such as a phrase that is searched for.

    Args:
        head: the file's beginning.
        reading: gets the question, with what was found for its answer.
        has_header: whether the first row names columns; ``None`` of ids and texts alone, which are
            written as they are.
    """
    said = reading.wishes.answers.get(QUOTES, "")
    is_so = said == "no"
    if said not in _QUOTE_CHOICES and has_header is not None:
        is_so = '"' in head and _have_syntax(head, has_header=has_header)
    if is_so:
        header, *rows = _tab_rows(head) or [[]]
        quoted = (cell for row in (*rows, header) for cell in row if _is_quoted(cell))
        if example := next(quoted, ""):
            _ask_quotes(example, "no", reading)
    return is_so


def _is_quoted(cell: str) -> bool:
    """Whether a cell stands in quotation marks, and those inside of it, if any, are doubled."""
    is_around = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return is_around and '"' not in cell[1:-1].replace('""', "")


def _ask_quotes(cell: str, answer: str, reading: Reading) -> None:
    """Ask whose the quotation marks around cells such as this one are."""
    text = _(
        "Cells such as {cell} stand in quotation marks, as a spreadsheet or R writes them. Do these "
        "belong to the texts?"
    )
    shown = visible(cell if len(cell) < _LONG_CELL else f"{cell[:_LONG_CELL]}…")
    reading.ask(Question(QUOTES, text.format(cell=shown), _QUOTE_CHOICES, answer))


def _tab_rows(head: str) -> list[list[str]]:
    """Return the cells of a text's lines, with their quotation marks, as they would be quoted."""
    rows: list[list[str]] = [[]]
    place = 0
    while place < len(head):
        found = _TAB_CELL.match(head, place)
        assert found is not None
        rows[-1].append(found[0])
        place = found.end() + 1
        if head[place - 1 : place] != "\t":
            rows.append([])
    if len(head) * 4 >= HEAD_BYTES and head[-1] not in "\r\n":
        # The last one is probably cut off.
        rows[-2:] = []
    return [row for row in rows if any(row)]


def _have_syntax(head: str, *, has_header: bool) -> bool:
    """Whether a text's quotation marks can only be those around its cells."""
    if _DOUBLED.search(head):
        return True
    rows = _tab_rows(head)
    if rows and len(rows[0]) > 1 and all(map(_is_quoted, rows[0])):
        return True
    columns: dict[int, dict[bool, list[str]]] = {}
    for row in rows[has_header:]:
        for place, cell in enumerate(row):
            if cell not in {"", "NA"}:
                its = columns.setdefault(place, {True: [], False: []})
                its[_is_quoted(cell)].append(cell)
    quoted = [cell for its in columns.values() for cell in its[True]]
    others = [cell for its in columns.values() for cell in its[False]]
    if not quoted or any(cell.startswith('"') for cell in others):
        return False
    needing = [_NEEDING.intersection(cell[1:-1]) for cell in quoted]
    signs = {'"'}.union(*needing)
    if all(needing) and not any(signs.intersection(cell) for cell in others):
        return True
    return all(not its[True] or not its[False] for its in columns.values())


class TabCells:
    """The cells of lines between tabs, and whose the quotation marks around them are.

    Args:
        source: the file; nothing of it is consumed.
        reading: is asked of quotation marks around cells, if there are any.
        has_header: whether the first row names columns; ``None`` of ids and texts alone, whose marks
            are theirs unless a person says otherwise.

    Attributes:
        are_quoted: whether these are none of the cells'.
    """

    def __init__(
        self, source: TextSource, reading: Reading, *, has_header: bool | None = None
    ) -> None:
        self.are_quoted = _are_quoted(source.head, reading, has_header=has_header)
        self._reading = reading
        self._first, self._has_loose = "", False

    def of(self, line: str) -> list[str]:
        """Return a line's cells."""
        cells = line.split("\t")
        if '"' not in line:
            return cells
        if self.are_quoted:
            return [cell[1:-1].replace('""', '"') if _is_quoted(cell) else cell for cell in cells]
        self._watch(cells)
        return cells

    def watched(self, rows: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
        """Hand on rows in which the marks are text."""
        for number, cells in rows:
            self._watch(cells)
            yield number, cells
        self.ask()

    def _watch(self, cells: Sequence[str]) -> None:
        """See whether cells stand in quotation marks that may be none of theirs."""
        for cell in cells:
            if cell[:1] == '"':
                if _is_quoted(cell):
                    self._first = self._first or cell
                else:
                    self._has_loose = True

    def ask(self) -> None:
        """Ask of marks that were kept, where all stand around whole cells."""
        if self._first and not self._has_loose:
            _ask_quotes(self._first, "yes", self._reading)


def _next_cells(rows: Iterator[list[str]], feed: _Feed) -> tuple[list[str], str]:
    """Return the next row's cells, and what is wrong with it if anything."""
    feed.row.clear()
    problem = ""
    try:
        cells = next(rows, [])
    except csv.Error as error:
        cells, problem = [], str(error)
    if feed.is_exhausted and feed.row:
        return [], _("a quotation mark opens here and is never closed")
    return cells, csv_trouble(problem) if problem else ""


def csv_trouble(problem: str) -> str:
    """Return in words why the csv module could not part a row into cells."""
    # Its errors have no other sign: "',' expected after '"'", "new-line character seen in unquoted field".
    if "expected after" in problem:
        return _(
            "text follows the quotation mark that closes a cell (a quotation mark inside a quoted "
            'cell is written twice: "24"" monitor")'
        )
    if "new-line" in problem:
        return _("a carriage return stands in the middle of the line")
    return _("the cells of this row cannot be told apart")


def _check_unclosed(n_unclosed: int, reading: Reading) -> None:
    if n_unclosed > _MAX_UNCLOSED:
        raise ParseError(
            _(
                "more than {max_unclosed} quotation marks are never closed. Nothing was kept; "
                "write quotation marks inside cells twice, or save the file as JSON lines."
            ).format(max_unclosed=_MAX_UNCLOSED),
            source=reading.source,
        )


def _without_numbers(
    rows: Iterator[tuple[int, list[str]]], header_line: int
) -> Iterator[tuple[int, list[str]]]:
    """Yield rows without the first cell where they have one more than the header."""
    n_names = 0
    for number, cells in rows:
        if not n_names and number >= header_line:
            n_names = len(cells)
        yield number, cells[1:] if n_names and len(cells) == n_names + 1 else cells


def _iter_cells(
    source: TextSource, reading: Reading, delimiter: str, *, has_header: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each row, be it the header; between tabs, marks may be text."""
    is_tabbed = delimiter == "\t"
    tabs = TabCells(source, reading, has_header=has_header) if is_tabbed else None
    has_quotes = tabs is None or tabs.are_quoted
    found = source.lines(reading.refuse, max_line=MAX_TEXT_LINE_BYTES, keep_cr=True)
    lines = ((number, f"{line}\n") for number, line in found)
    rows = iter_csv_rows(lines, reading, delimiter=delimiter, has_quotes=has_quotes)
    if ROW_NUMBERS in reading.wishes.answers:
        rows = _without_numbers(rows, reading.header_line)
    return rows if tabs is None or has_quotes else tabs.watched(rows)


def _iter_table(source: TextSource, reading: Reading, delimiter: str) -> Iterator[Record]:
    is_headless = reading.wishes.answers.get("header") == "no"
    rows = _iter_cells(source, reading, delimiter, has_header=not is_headless)
    header: list[str] | None = None
    layout = _Layout(reading)
    guarded: frozenset[str] = frozenset()
    n_named = n_needed = 0
    for number, cells in rows:
        if number < reading.header_line:
            continue
        if header is None:
            if not is_headless:
                _check_header(number, reading)
            header = unique_names([""] * len(cells) if is_headless else cells)
            named = [place for place, name in enumerate(cells, 1) if is_headless or name.strip()]
            n_named = max(named, default=0)
            roles = reading.wishes.column_roles
            n_needed = names.count_needed(header[:n_named], reading.kind, roles)
            reading.headers.update(dict.fromkeys(header))
            if not is_headless:
                if delimiter == ",":
                    guarded = OWN_TEXTS.get(tuple(header), guarded)
                continue
        if not any(map(str.strip, cells)):
            # A spreadsheet writes its empty rows as separators alone.
            continue
        if len(cells) != len(header) and cells[0].startswith("#"):
            continue
        fitted = fit_cells(cells, len(header), n_needed)
        if fitted:
            values = dict(zip(header, _without_nameless(fitted, n_named), strict=False))
            # Of the tables that judgetool itself writes.
            values.update((name, without_guard(values[name])) for name in guarded)
            yield layout.record(number, values)
        else:
            reading.refuse(
                number,
                number_of(
                    len(header),
                    "expected {n} column, found {cells}",
                    "expected {n} columns, found {cells}",
                    cells=len(cells),
                ),
            )
    layout.describe()


def fit_cells(cells: list[str], n_columns: int, n_needed: int = 1) -> list[str] | None:
    """Return a row with a cell for each column: spreadsheets leave out empty ones at its end, or add some.

    Returns:
        ``None`` where one of the first is missing that are needed, or more than empty ones are left.

    Examples:
        >>> fit_cells(["soup"], 2), fit_cells(["soup", "r1", " "], 2), fit_cells(["a", "b"], 1)
        (['soup', ''], ['soup', 'r1'], None)
    """
    if len(cells) == n_columns:
        return cells
    if len(cells) < n_needed or any(map(str.strip, cells[n_columns:])):
        return None
    return [*cells[:n_columns], *[""] * (n_columns - len(cells))]


def _without_nameless(cells: list[str], n_named: int) -> list[str]:
    """Return a row without cells behind the last name of the header, where nothing stands in them."""
    return cells if any(map(str.strip, cells[n_named:])) else cells[:n_named]


def _check_header(number: int, reading: Reading) -> None:
    """Refuse a table whose header was refused: the first row would stand in its place.

    Raises:
        ParseError: a line that stands where the header should be does not fit.
    """
    for line, reason, _clash in reading.refusals:
        if line is not None and reading.header_line <= line < number:
            raise ParseError(
                _("{reason}. The header names the columns. Nothing was kept.").format(
                    reason=reason
                ),
                source=reading.source,
                line=line,
            )


def above_note(header_line: int) -> str:
    """Return the sentence on lines above a table's header, which stands on this line."""
    return _("The header is on line {header_line}: what stands above it is left out.").format(
        header_line=header_line
    )


def too_many_columns(count: int, source: str) -> ParseError:
    """Return what to raise for a table that has more columns than any real one."""
    return ParseError(
        _(
            "the table has {number} columns; up to {max_columns} are read. Nothing was "
            "kept; leave out the columns that are not needed."
        ).format(number=local_count(count), max_columns=local_count(MAX_COLUMNS)),
        source=source,
    )


def unique_names(headers: Sequence[str]) -> list[str]:
    """Return column names of which no two are alike; ``column 2`` where there is none."""
    unique: dict[str, None] = {}
    for place, name in enumerate(headers, 1):
        own = name or f"column {place}"
        while own in unique:
            own = f"{own} ({place})"
        unique[own] = None
    return list(unique)


# Columns that blanks separate, as TREC’s runs and qrels have them

_COLUMN = re.compile(r"[^ \t\v\f]+")
_GRADE = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
MOST_GRADE = 2**53
"""Up to here whole numbers are told apart."""
_SCORE = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|inf(inity)?)",
    re.IGNORECASE,
)


INFINITE_SCORE = N_("the score ‘{text}’ is infinite: a score must be a finite number")
"""Why a line is refused; ``text`` is what stands in it."""


def split_columns(line: str) -> list[str]:
    r"""Split one line at ASCII blanks, as TREC's tools do.

    Examples:
        >>> split_columns("q1\t0  d\xa01 2")
        ['q1', '0', 'd\xa01', '2']
    """
    return _COLUMN.findall(line)


def is_comment(line: str, columns: Sequence[str], is_data: Callable[[Sequence[str]], bool]) -> bool:
    """Whether a line is a comment: it begins with ``#`` and does not make a full row.

    An id may begin with ``#`` too; a ``#`` that stands alone is always a comment's.
    """
    return line.startswith("#") and (columns[0] == "#" or not is_data(columns))


def iter_rows(
    block: "LineBlock", is_data: Callable[[Sequence[str]], bool], refuse: "Refuse"
) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and columns of each line that is neither blank nor a comment."""
    for number, line in enumerate(block.lines, block.first):
        if "\r" in line:
            refuse(number, _("a carriage return stands in the middle of the line"))
            continue
        columns = split_columns(line)
        if columns and not is_comment(line, columns, is_data):
            yield number, columns


def is_score(text: str) -> bool:
    """Whether a text is meant for a score, also for one that is infinite."""
    return _SCORE.fullmatch(text) is not None


def is_infinite(text: str) -> bool:
    """Whether a text is meant for a score, but for one that no format of JSON's could hold."""
    return is_score(text) and not isfinite(float(text))


def find_score(text: str) -> float | None:
    """Return the finite number that a score's text means, ``None`` if it is none (or NaN).

    Examples:
        >>> find_score("-2e1"), find_score("inf"), find_score("1e999")
        (-20.0, None, None)
    """
    score = float(text) if is_score(text) else None
    return score if score is None or isfinite(score) else None


def readings(text: str) -> dict[str, float]:
    """Return what a text means by each sign before decimals, the other one between thousands.

    Examples:
        >>> readings("12,50"), readings("1.234,5"), readings("1,234"), readings("1,5,5")
        ({',': 12.5}, {',': 1234.5}, {',': 1.234, '.': 1234.0}, {})
    """
    either = {sign: find_score(with_point(text, sign)) for sign in ",."}
    return {sign: number for sign, number in either.items() if number is not None}


def find_place(text: str) -> float | None:
    """Return a rank or position; ``None`` for none, and where its comma may be one between thousands."""
    found = readings(text) if "," in text else {}
    return next(iter(found.values())) if len(found) == 1 else find_score(text)


DECIMAL_SIGN = "decimal_sign"
"""The question what stands before decimals in counts and weights."""
_SIGNS = {"comma": ",", "point": "."}
_SIGN_CHOICES = {
    "comma": N_("A comma: 1.200 is above 1000, 1,200 between 1 and 2"),
    "point": N_("A point: 1,200 is above 1000, 1.200 between 1 and 2"),
}


class Amounts:
    """Counts or weights as a file's language writes them: a comma or a point before decimals.

    Args:
        reading: is asked which, where some can be read either way and no other one tells it.
        are_whole: whether they are read without decimals until that is known.
    """

    def __init__(self, reading: Reading, *, are_whole: bool = False) -> None:
        self._reading = reading
        self._said = _SIGNS.get(reading.wishes.answers.get(DECIMAL_SIGN, ""), "")
        self._pick = max if are_whole else min
        self._plain, self._taken = set[str](), set[str]()
        self._example = ""

    def number(self, text: str) -> float | None:
        """Return the number that a text means; ``None`` if it is none."""
        # JSON, sheets and Parquet have numbers, with a point.
        is_typed = self._reading.delimiter is None and "," not in text
        if is_typed or not ("," in text or "." in text):
            return find_score(with_point(text, "."))
        found = readings(text)
        sign = self._pick(found, key=found.__getitem__, default="")
        if len(found) < 2:
            self._plain.update(found)
        else:
            self._example = self._example or text
            sign = next(iter(self._plain)) if len(self._plain) == 1 else sign
            self._taken.add(sign)
        return found.get(self._said or sign)

    def are_known(self) -> bool:
        """Ask what stands before decimals if need be; return whether that is known."""
        if not self._example:
            return True
        seen = self._plain | self._taken
        is_sure = self._plain and len(seen) == 1
        likely = next(name for name, sign in _SIGNS.items() if sign in seen) if is_sure else ""
        said = _("Numbers such as ‘{number}’ can be read in two ways: what stands before decimals?")
        question = Question(
            DECIMAL_SIGN, said.format(number=self._example[:40]), _SIGN_CHOICES, likely
        )
        return bool(self._reading.ask(question))


_ORDER_CHOICES = {
    "day": N_("The day: 04/02/2026 is in February"),
    "month": N_("The month: 04/02/2026 is in April"),
    "unknown": N_("Not known: these dates are left out, and the judgments count as made now"),
}
_SLASHED = re.compile(r"([0-9]{1,2})([/-])([0-9]{1,2})\2([0-9]{4}(?![0-9]).*)")


class Dates:
    """The dates of a column in which slashes or hyphens stand between day, month and year.

    Args:
        reading: is asked whether the day stands first or the month, where no other date tells it.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._found: dict[int, tuple[str, dict[str, int]]] = {}

    def take(self, line: int, text: str) -> bool:
        """Take what a line has, to be understood when all are known; ``False`` if it is no such date."""
        found = _SLASHED.fullmatch(text)
        if found is None:
            return False
        first, _sign, second, rest = found.groups()
        either = {"day": f"{first}.{second}.{rest}", "month": f"{second}.{first}.{rest}"}
        moments = {order: read_date(date) for order, date in either.items()}
        known = {order: at for order, at in moments.items() if at is not None and at >= 0}
        if known:
            self._found[line] = text, known
        return bool(known)

    def settle(self, odd: OddCells) -> dict[int, int]:
        """Return when the date of each line is; lines of which that is not known go to the odd cells."""
        order = self._order()
        for line, (text, known) in self._found.items():
            # While it is open they are not left out yet.
            if order and order not in known:
                odd.add("at", line, text)
        return {line: known[order] for line, (__, known) in self._found.items() if order in known}

    def _order(self) -> str:
        """Return what stands first: as some dates tell it, unless others tell otherwise, or a person."""
        sure = [(text, *known) for text, known in self._found.values() if len(known) == 1]
        told = {order: text for text, order in sure}
        doubtful = (text for text, known in self._found.values() if len({*known.values()}) > 1)
        example, likely = next(doubtful, ""), "".join(told) if len(told) < 2 else "unknown"
        if not example:
            return likely or "day"
        said = (
            _("Dates such as ‘{date}’ can be read in two ways; ‘{other}’ tells what stands first.")
            if likely in told
            else _("Dates such as ‘{date}’ can be read in two ways: what stands first?")
        ).format(date=example[:40], other=told.get(likely, "")[:40])
        question = Question(DATE_ORDER, said, _ORDER_CHOICES, likely)
        return self._reading.ask(question)


def find_grade(text: str) -> float | None:
    """Return the grade that a text means; ``None`` if it is not a plain number.

    Examples:
        >>> find_grade("-2"), find_grade("0.5"), find_grade("+2"), find_grade("1e0")
        (-2.0, 0.5, 2.0, 1.0)
        >>> find_grade(".5"), find_grade("1_0"), find_grade("nan")
        (None, None, None)
        >>> find_grade("12345678901234567890123")
    """
    grade = float(text) if _GRADE.fullmatch(text) else None
    # Of more digits than a number has room for another number would be said than stands there.
    return grade if grade is None or abs(grade) <= MOST_GRADE else None


def why_no_grade(text: str) -> str:
    """Return why a text is no grade."""
    said = (
        _("the grade ‘{grade}’ is too large: none goes beyond {most}")
        if is_score(text) and abs(float(text)) > MOST_GRADE
        else _("the grade ‘{grade}’ is not a number such as 2 or 0.5")
    )
    return said.format(grade=text[:60], most=local_count(MOST_GRADE))


def find_comma_grade(text: str) -> float | None:
    """Return the grade that a text with a decimal comma means; ``None`` for all else."""
    return find_grade(text.replace(",", ".")) if "," in text else None


def note_number(notes: list[str], count: int, one: str, many: str, /, **others: object) -> None:
    """Add a sentence on a number of things to notes, see :func:`number_of`; none on nothing."""
    if count:
        notes.append(number_of(count, one, many, **others))


def state_number(notes: list[str], count: int, one: str, many: str, /, **others: object) -> None:
    """Add a sentence to the notes of a file, see :func:`stated_of`; none on nothing."""
    if count:
        notes.append(stated_of(count, one, many, **others))


def note_ties(notes: list[str], n_tied: int, n_queries: int) -> None:
    """Say how many results of how many queries share a score with another."""
    note_number(
        notes,
        n_tied,
        "{n} result in {queries} share a score with another: these are ordered by document id, "
        "falling.",
        "{n} results in {queries} share a score with another: these are ordered by document id, "
        "falling.",
        queries=number_of(n_queries, "{n} query", "{n} queries"),
    )
