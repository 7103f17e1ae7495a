"""Lines of columns that blanks separate: TREC's runs and qrels."""

import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from judgetool.core.number_text import number_of
from judgetool.wording import N_, _

if TYPE_CHECKING:
    from judgetool.formats.source import LineBlock, Refuse

_COLUMN = re.compile(r"[^ \t\v\f]+")
_GRADE = re.compile(r"-?[0-9]+(\.[0-9]+)?")
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


def find_grade(text: str) -> float | None:
    """Return the grade that a text means; ``None`` if it is not a plain number.

    Examples:
        >>> find_grade("-2"), find_grade("0.5"), find_grade("1e3")
        (-2.0, 0.5, None)
        >>> find_grade("12345678901234567890123")
    """
    grade = float(text) if _GRADE.fullmatch(text) else None
    # Of more digits than a number has room for another number would be said than stands there.
    return grade if grade is None or abs(grade) <= MOST_GRADE else None


def note_number(notes: list[str], count: int, one: str, many: str, /, **others: object) -> None:
    """Add a sentence on a number of things to notes, see :func:`number_of`; none on nothing."""
    if count:
        notes.append(number_of(count, one, many, **others))


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
