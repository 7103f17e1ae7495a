"""One JSON value that fills a whole file: read within limits, keys that come twice noticed."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judgetool.errors import ParseError
from judgetool.formats.records import (
    beyond_json,
    find_storage_problem,
    parse_json_object,
    refuse_constant,
    text_of,
)
from judgetool.formats.source import TextSource, read_whole
from judgetool.formats.values import Question, Reading, Refusal
from judgetool.wording import _, local_number

Object = Mapping[str, object]
_MAX_REPEATS = 1000
_REQUEST = re.compile(r"\s*(GET|POST|PUT)[ \t]+/?\S+[ \t]*\r?\n\s*[{\[]")
_REQUEST_LINE = re.compile(r"^[ \t]*(?:GET|POST|PUT)[ \t]+/?\S+[ \t]*$", re.MULTILINE)


@dataclass
class JsonSource(TextSource):
    """A source whose text was one JSON value, which has been read already.

    Attributes:
        value: the JSON value.
        repeated: keys that came twice in one object; what stood first counts.
    """

    value: object = None
    repeated: list[str] = field(default_factory=list)


@dataclass
class RowsSource(TextSource):
    """Rows of something that is no text, such as a spreadsheet, as JSON lines.

    Attributes:
        container: what they came in, for people: "Excel, sheet 'Tabelle1'".
        notes: what is to be said of them.
        refusals: rows that could not be taken.
        is_sheet: whether the rows had columns, rather than names of their own.
        is_book: whether the container is one of sheets.
        questions: what the container leaves open, such as which sheet is meant.
    """

    container: str = ""
    notes: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    is_sheet: bool = False
    is_book: bool = False
    questions: list[Question] = field(default_factory=list)


def load_json(source: TextSource) -> JsonSource:
    """Read a source to its end as one JSON value.

    Raises:
        ParseError: it is none; the text says where it breaks.
    """
    text = _without_request(read_whole(source), source.name)
    repeated: list[str] = []

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        values = dict(pairs)
        if len(values) < len(pairs):
            # Python's own way, the last one counts, would be a silent choice.
            values = {}
            for key, value in pairs:
                if values.setdefault(key, value) is not value and len(repeated) < _MAX_REPEATS:
                    repeated.append(key)
        return values

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse_constant)
    except json.JSONDecodeError as problem:
        raise ParseError(
            _(
                "this looks like JSON but breaks at character {colno} of this line. Expected "
                "one whole JSON value, or one object in braces on each line (JSON lines). "
                "Nothing was kept."
            ).format(colno=local_number(f"{problem.colno:,}")),
            source=source.name,
            line=problem.lineno,
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ParseError(
            _("{problem}. Expected one JSON value. Nothing was kept.").format(
                problem=beyond_json(problem)
            ),
            source=source.name,
            line=_find_beyond(text),
        ) from None
    _check_storable(text, value, source.name)
    return _loaded(source, value, repeated)


def _loaded(source: TextSource, value: object, repeated: list[str]) -> JsonSource:
    loaded = JsonSource(
        source.name, io.BytesIO(), n_lines=source.n_lines, value=value, repeated=repeated
    )
    # Only now: a source takes what it is given for the encoding of its (empty) stream.
    loaded.encoding = source.encoding
    return loaded


_MOST_NESTED = 500
_MOST_DIGITS = 4000
# Texts are passed over: what stands in them is no syntax.
_SYNTAX = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]|NaN|Infinity|[0-9]+', re.DOTALL)


def _find_beyond(text: str) -> int | None:
    """Return the line of the first number or nesting that is beyond what JSON allows."""
    depth = 0
    for found in _SYNTAX.finditer(text):
        first = found[0][0]
        depth += (first in "[{") - (first in "]}")
        is_number = first in "NI" or (first.isdigit() and len(found[0]) > _MOST_DIGITS)
        if is_number or depth > _MOST_NESTED:
            return text.count("\n", 0, found.start()) + 1
    return None


def _check_storable(text: str, value: object, name: str) -> None:
    # Only an escape can bring in what the decoded text cannot hold.
    if "\\u" not in text:
        return
    plain = json.dumps(value, ensure_ascii=False)
    problem = find_storage_problem(plain) or (
        _("it holds a NUL character") if "\\u0000" in plain.replace("\\\\", "") else None
    )
    if problem:
        raise ParseError(_("{problem}. Nothing was kept.").format(problem=problem), source=name)


def _repeated(key: str) -> Refusal:
    said = _("‘{key}’ stands twice in one JSON object; what stands first counts")
    clash = _("‘{key}’ stands twice in one JSON object")
    return Refusal(None, said.format(key=key[:60]), clash.format(key=key[:60]))


def is_console_request(head: str) -> bool:
    """Whether a text begins like a request of a search engine's console: ``POST /index/_search``."""
    return _REQUEST.match(head) is not None


def _without_request(text: str, source: str) -> str:
    """Return the JSON below a console's request line; lines keep their numbers.

    Raises:
        ParseError: there are several requests.
    """
    if not is_console_request(text):
        return text
    if len(_REQUEST_LINE.findall(text)) > 1:
        raise ParseError(
            _(
                "it holds several requests of a console. Nothing was kept; save the JSON of "
                "each in a file of its own, without the line that begins with GET or POST."
            ),
            source=source,
        )
    return _REQUEST_LINE.sub("", text, count=1)


def load_json_lines(source: TextSource) -> JsonSource:
    """Read a source to its end as one object on each line: their list is the value.

    Raises:
        ParseError: a line is no object.
    """
    values = []
    text = read_whole(source)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        found = parse_json_object(line)
        if isinstance(found, str):
            raise ParseError(
                _("{found}. Nothing was kept.").format(found=found), source=source.name, line=number
            )
        values.append(found)
    _check_storable(text, values, source.name)
    return _loaded(source, values, [])


def rows_source(
    source: JsonSource, rows: Sequence[object], note: str, question: Question | None = None
) -> RowsSource:
    """Return rows that a JSON value holds as JSON lines: each counts as a line.

    Args:
        source: the value.
        rows: objects.
        note: what they were found as, a sentence.
        question: what was asked of them.
    """
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    return RowsSource(
        source.name,
        io.BytesIO("\n".join(lines).encode()),
        container=source.encoding,
        notes=[note],
        refusals=[_repeated(key) for key in source.repeated],
        questions=[question] if question else [],
    )


def json_value(source: TextSource, reading: Reading) -> object:
    """Return the value that fills a source; keys that came twice are refused."""
    loaded = source if isinstance(source, JsonSource) else load_json(source)
    for key in loaded.repeated:
        reading.refuse(*_repeated(key))
    return loaded.value


def object_of(value: object) -> Object:
    """Return a JSON object, or an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[Object]:
    """Return the objects of a JSON list; empty where there is none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text_in(values: Object, *names: str) -> str:
    """Return the first of these values that says something, as text."""
    return next((text for text in (text_of(values.get(name)) for name in names) if text), "")


def plain_text(value: object) -> str:
    """Return a value as text; of a list with one entry, as Solr writes fields, that entry."""
    if isinstance(value, list) and len(value) == 1:
        return text_of(value[0])
    return text_of(value)
