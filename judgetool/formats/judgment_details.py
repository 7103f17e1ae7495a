"""Time, effort, flag, confidence and rationale of a judgment: texts of a table to values and back."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from judgetool.core.clock import iso_utc
from judgetool.core.judgments import CONFIDENCES, Span
from judgetool.formats.columns import count_noun
from judgetool.formats.records import Record, find_storage_problem
from judgetool.formats.values import NO_DETAILS, Details, Reading

TRUE_WORDS = frozenset({"true", "t", "1", "yes", "y"})
_FALSE_WORDS = frozenset({"false", "f", "0", "no", "n"})
_CONFIDENCES = {
    **{str(number): number for number in CONFIDENCES},
    **{word: number for number, word in CONFIDENCES.items()},
    "low": 1,
    "medium": 2,
    "high": 3,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
# SQLite's largest number; nobody looks at a document for longer.
_MOST_MS = 2**63 - 1


def find_moment(text: str) -> int | None:
    """Return milliseconds since 1970 of a time in ISO 8601; without a zone it is UTC.

    Returns:
        ``None`` for what is no such time, or lies before 1970.

    Examples:
        >>> find_moment("1970-01-01T00:00:01.5Z"), find_moment("1970-01-01T01:00:01+01:00")
        (1500, 1000)
        >>> find_moment("yesterday")
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    found = (moment - _EPOCH) // _MILLISECOND
    return found if found >= 0 else None


def moment_text(moment: int | None) -> str:
    """Return a time as it is written; ``""`` when it is not known."""
    return "" if moment is None else iso_utc(moment)


def spans_values(spans: Iterable[Span]) -> list[dict[str, str | int]]:
    """Return pieces of text as the objects of a JSON list."""
    return [span._asdict() for span in spans]


def spans_text(spans: Iterable[Span]) -> str:
    """Return pieces of text as a JSON list in one line; ``""`` where there are none."""
    values = spans_values(spans)
    return json.dumps(values, ensure_ascii=False) if values else ""


def find_spans(text: str) -> tuple[Span, ...] | None:
    """Return the pieces of text that a JSON list names; ``None`` if it is no such list.

    Examples:
        >>> find_spans('[{"field": "title", "start": 0, "end": 4, "text": "Soup"}]')
        (Span(field='title', start=0, end=4, text='Soup'),)
        >>> find_spans("a soup")
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list):
        return None
    spans = [_find_span(value) for value in values]
    return None if None in spans else tuple(span for span in spans if span is not None)


def _find_span(value: object) -> Span | None:
    if not isinstance(value, dict):
        return None
    field, start, end, text = (value.get(name) for name in Span._fields)
    if (
        not isinstance(field, str)
        or not isinstance(text, str)
        or find_storage_problem(field + text)
    ):
        return None
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= _MOST_MS:
        return None
    return Span(field, start, end, text)


def _find_count(text: str) -> int | None:
    """Return a count of milliseconds; a table may have made ``4200.0`` of it."""
    whole = text.removesuffix(".0")
    if not (whole.isascii() and whole.isdecimal() and len(whole) < 19):
        return None
    return int(whole)


def _find_flag(text: str) -> bool | None:
    word = text.lower()
    return True if word in TRUE_WORDS else (False if word in _FALSE_WORDS else None)


def _find_confidence(text: str) -> int | None:
    return _CONFIDENCES.get(text.removesuffix(".0").lower())


_PARSERS: dict[str, Callable[[str], Any]] = {
    "at": find_moment,
    "spent_ms": _find_count,
    "flagged": _find_flag,
    "confidence": _find_confidence,
    "rationale": find_spans,
}
# What each column should hold, for a sentence on one that holds something else.
_EXPECTED = {
    "at": "a time such as 2026-03-01T10:15:00Z",
    "spent_ms": "a number of milliseconds",
    "flagged": "yes or no",
    "confidence": "1, 2 or 3",
    "rationale": "a JSON list of pieces of text",
}


@dataclass(slots=True)
class _Odd:
    """What a column holds that it should not: how often, and the first of it."""

    line: int
    text: str
    count: int = 0


class DetailTaker:
    """Takes the details out of a table's rows, and counts what it cannot understand.

    Args:
        reading: gets a note for each column with such cells.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._odd: dict[str, _Odd] = {}

    def take(self, record: Record) -> Details:
        """Take a row's details; a cell that cannot be understood counts as empty."""
        texts = {role: record.take(role).strip() for role in _PARSERS}
        if not any(texts.values()):
            return NO_DETAILS
        found = {role: _PARSERS[role](text) if text else None for role, text in texts.items()}
        for role, text in texts.items():
            if text and found[role] is None:
                self._odd.setdefault(role, _Odd(record.line, text)).count += 1
        return Details(
            found["at"],
            found["spent_ms"],
            bool(found["flagged"]),
            found["confidence"],
            found["rationale"] or (),
        )

    def note(self) -> None:
        """Say what was not understood; the judgments themselves are kept."""
        for role, odd in self._odd.items():
            header = next((use.header for use in self._reading.columns if use.role == role), role)
            self._reading.notes.append(
                f"{count_noun(odd.count, 'cell')} of the column {header} left out: expected "
                f"{_EXPECTED[role]}, found '{odd.text[:40]}' on line {odd.line:,}."
            )
