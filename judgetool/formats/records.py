"""Rows with named fields, from JSON lines or from a table with a header line."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from judgetool.errors import ParseError
from judgetool.formats.columns import count_noun
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, TextSource
from judgetool.formats.values import Reading

DELIMITERS = (",", "\t", ";", "|")
MAX_RECORD_LINES = 100_000
_MAX_UNCLOSED = 100
# A quoted field that holds what only quoting can carry: the sign that quotation marks are syntax.
_QUOTED_FIELD = re.compile(r'(?:^|\t)"[^"\t\r\n]*""')


@dataclass(frozen=True, slots=True)
class Record:
    """One row.

    Attributes:
        line: number of its first line.
        values: text by name as the file spells it, without empty ones; numbers and
            nested values of JSON as JSON writes them.
        spellings: the file's spelling by normal name.
    """

    line: int
    values: dict[str, str]
    spellings: Mapping[str, str]

    def pop_first(self, names: Iterable[str]) -> str:
        """Take out the value of the first of these columns that there is, else ``""``.

        Where that column's cell is empty, no other column stands in for it: its
        values are of another sort. Capitals and the difference between ``-``, a
        blank and ``_`` do not count.
        """
        spelling = next((self.spellings[name] for name in names if name in self.spellings), "")
        return self.values.pop(spelling, "")

    def has_any(self, names: Iterable[str]) -> bool:
        """Whether there is such a column, empty or not."""
        return any(name in self.spellings for name in names)


@lru_cache(maxsize=256)
def spellings_of(columns: tuple[str, ...]) -> Mapping[str, str]:
    """Return the file's spelling by normal name; of two that are alike, the first."""
    return {normal_name(name): name for name in reversed(columns)}


def normal_name(name: str) -> str:
    """Return a column's name for comparison.

    Examples:
        >>> normal_name(" Query-ID "), normal_name("Query Text"), normal_name("_id")
        ('query_id', 'query_text', '_id')
    """
    return re.sub(r"[ \-]+", "_", name.strip().lower())


def iter_records(source: TextSource, reading: Reading) -> Iterator[Record]:
    """Yield the rows of JSON lines, or of a table if ``reading`` has a delimiter."""
    if reading.delimiter is None:
        return _iter_json(source, reading)
    return _iter_table(source, reading, reading.delimiter)


def text_of(value: object) -> str:
    """Return a JSON value as text: text as it is, ``null`` empty, others as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def find_storage_problem(text: str) -> str | None:
    """Return why a text cannot be kept, if so: a JSON escape can make half a character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as problem:
        return f"{text[problem.start]!r} is half a character (a surrogate on its own)"
    return "it holds a NUL character" if "\0" in text else None


def _iter_json(source: TextSource, reading: Reading) -> Iterator[Record]:
    for block in source.blocks(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        for number, line in enumerate(block.lines, block.first):
            if not line or line.isspace() or line.startswith("#"):
                continue
            values = parse_json_object(line)
            if isinstance(values, str):
                reading.refuse(number, values)
                continue
            texts = {name: text_of(value) for name, value in values.items()}
            # Only an escape can bring in what the decoded line cannot hold.
            if "\\u" in line:
                problem = find_storage_problem("".join(texts) + "".join(texts.values()))
                if problem:
                    reading.refuse(number, problem)
                    continue
            spellings = spellings_of(tuple(texts))
            yield Record(number, {name: text for name, text in texts.items() if text}, spellings)


def _refuse_constant(name: str) -> object:
    """Refuse NaN and the infinities, which are Python's, not JSON's."""
    raise ValueError(name)


# One for all lines: json.loads would build one for each.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def parse_json_object(line: str) -> Mapping[str, object] | str:
    """Return a line's JSON object, or the reason why it is none."""
    try:
        value = _DECODER.decode(line)
    except json.JSONDecodeError as problem:
        return f"expected a JSON object; what stands at position {problem.pos + 1:,} does not fit"
    except (ValueError, RecursionError):
        return "expected a JSON object; a number or a nesting in it is beyond what JSON allows"
    if not isinstance(value, dict):
        return "expected a JSON object in braces, found another JSON value"
    return value


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
    of the file, which would otherwise become one cell.
    """
    # The module's own limit (131,072) would cut texts; lines are limited already.
    csv.field_size_limit(MAX_TEXT_LINE_BYTES)
    feed = _Feed(lines)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE
    n_troubles = 0
    rows = csv.reader(feed, delimiter=delimiter, quoting=quoting)
    while True:
        cells, trouble = _next_cells(rows, feed)
        if not feed.row:
            return
        if trouble:
            reading.refuse(feed.row[0][0], trouble)
            # Only rows of many lines cost time: their lines are looked at again.
            n_troubles += len(feed.row) > 1
            _check_unclosed(n_troubles, reading)
            feed.push_back_all_but_first()
            rows = csv.reader(feed, delimiter=delimiter, quoting=quoting)
        elif cells:
            yield feed.row[0][0], cells


def _next_cells(rows: Iterator[list[str]], feed: _Feed) -> tuple[list[str], str]:
    """Return the next row's cells, and what is wrong with it if anything."""
    feed.row.clear()
    try:
        cells = next(rows, [])
    except csv.Error:
        return [], "the cells of this row cannot be told apart"
    if feed.is_exhausted and feed.row:
        return [], "a quotation mark opens here and is never closed"
    return cells, ""


def _check_unclosed(n_troubles: int, reading: Reading) -> None:
    if n_troubles > _MAX_UNCLOSED:
        raise ParseError(
            f"more than {_MAX_UNCLOSED} quotation marks are never closed. Nothing was kept; "
            "write quotation marks inside cells twice, or save the file as JSON lines.",
            source=reading.source,
        )


def _iter_table(source: TextSource, reading: Reading, delimiter: str) -> Iterator[Record]:
    has_quotes = delimiter != "\t" or bool(_QUOTED_FIELD.search(source.head))
    lines = _numbered(source, reading)
    rows = iter_csv_rows(lines, reading, delimiter=delimiter, has_quotes=has_quotes)
    header: list[str] | None = None
    for number, cells in rows:
        if header is None:
            header = _unique(cells)
        elif len(cells) == len(header):
            texts = zip(header, cells, strict=True)
            values = {name: text for name, text in texts if text}
            yield Record(number, values, spellings_of(tuple(header)))
        elif not cells[0].startswith("#") and any(cells):
            reading.refuse(
                number, f"expected {count_noun(len(header), 'column')}, found {len(cells)}"
            )


def _numbered(source: TextSource, reading: Reading) -> Iterator[tuple[int, str]]:
    for block in source.blocks(reading.refuse, max_line=MAX_TEXT_LINE_BYTES, keep_cr=True):
        for number, line in enumerate(block.lines, block.first):
            yield number, f"{line}\n"


def _unique(names: list[str]) -> list[str]:
    """Return column names of which no two are alike."""
    unique: list[str] = []
    for place, name in enumerate(names, 1):
        own = name or f"column {place}"
        unique.append(f"{own} ({place})" if own in unique else own)
    return unique
