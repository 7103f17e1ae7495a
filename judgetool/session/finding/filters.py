"""Chips: small conditions on documents and queries, combined by 'and'."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard, get_args

from judgetool.core.judgments import CONFIDENCES
from judgetool.core.scale import format_grade
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import SetValues
from judgetool.session.session import Session
from judgetool.wording import N_, _

FilterKind = Literal[
    "unjudged",
    "judged",
    "disputed",
    "conflict",
    "flagged",
    "noted",
    "cannot_judge",
    "skipped",
    "no_text",
    "has_rationale",
    "mine",
    "grade",
    "run",
    "rank",
    "text",
    "by",
    "asked",
    "differs_from",
    "changed_since",
    "confidence",
    "category",
]
FILTER_KINDS: tuple[FilterKind, ...] = get_args(FilterKind)
FilterValue = str | float | int | tuple[int, int] | None
VIEWS_KEY = "views/"
_IS = "is"
IS = f"{_IS}:"
"""What a condition without a value begins with, where it is typed."""
ME = "me"
"""Whom a chip ‘asked’ means where it names nobody: the session's assessor."""

FILTER_HELP: Mapping[FilterKind, str] = {
    "unjudged": N_("Nobody whose judgments count has graded it or said that it cannot be judged."),
    "judged": N_("It has a grade in the chosen view."),
    "disputed": N_("Assessors gave it different grades."),
    "conflict": N_("Merged copies say different things of one assessor; the latest counts."),
    "flagged": N_("Marked for discussion."),
    "noted": N_("It has a note."),
    "cannot_judge": N_("Somebody said that it cannot be judged."),
    "skipped": N_("Put off for later."),
    "no_text": N_("Nothing is known of it but its id."),
    "has_rationale": N_("Pieces of its text were given as reasons."),
    "mine": N_("I have said something of it; other chips then look at what I said."),
    "grade": N_("It has this grade: grade:2"),
    "run": N_("This run ranks it: run:bm25"),
    "rank": N_("A run, or the chosen one, ranks it from here to there: rank:1-10"),
    "text": N_("All of these words are in its title, text or id: text:'leek soup'"),
    "by": N_("This assessor has said something of it; other chips then look at that: by:anna"),
    "asked": N_("This assessor, or I, am asked to judge it, judged or not: asked:me"),
    "differs_from": N_("This assessor and I gave different grades: differs_from:ben"),
    "changed_since": N_(
        "Said since then, in milliseconds since 1970 in UTC: changed_since:1700000000000"
    ),
    "confidence": N_("Judged this surely: confidence:1 (unsure) to 3 (sure)"),
    "category": N_("The query has this category: category:soups"),
}
"""One sentence on each kind, with how it is typed."""


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition.

    Attributes:
        kind: see ``FILTER_HELP``.
        value: the grade, the confidence, a name or words, first and last rank, or
            milliseconds UTC; ``None`` for kinds that need none.
    """

    kind: FilterKind
    value: FilterValue = None


def _parse_text(text: str) -> str:
    if not text.strip():
        raise ValueError(_("some text"))
    return text


def _parse_grade(text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        raise ValueError(_("a number such as 2")) from None
    if grade != grade or grade in (float("inf"), float("-inf")):  # noqa: PLR0124 - only NaN differs from itself
        raise ValueError(_("a number such as 2"))
    return grade


def _parse_ranks(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9][0-9]{0,8})(?:-([1-9][0-9]{0,8}))?", text)
    low = int(found[1]) if found else 0
    high = int(found[2] or found[1]) if found else -1
    if low > high:
        raise ValueError(_("ranks such as 1-10"))
    return low, high


def _parse_moment(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,15}", text):
        raise ValueError(_("milliseconds since 1970"))
    return int(text)


def _parse_confidence(text: str) -> int:
    if text not in map(str, CONFIDENCES):
        raise ValueError(_("one of {known}").format(known=", ".join(map(str, CONFIDENCES))))
    return int(text)


_PARSERS: Mapping[FilterKind, Callable[[str], FilterValue]] = {
    "grade": _parse_grade,
    "run": _parse_text,
    "rank": _parse_ranks,
    "text": _parse_text,
    "by": _parse_text,
    "asked": _parse_text,
    "differs_from": _parse_text,
    "changed_since": _parse_moment,
    "confidence": _parse_confidence,
    "category": _parse_text,
}


def needs_value(kind: FilterKind) -> bool:
    """Whether a chip of this kind has a value."""
    return kind in _PARSERS


def parse_filters(text: str) -> tuple[Filter, ...]:
    """Return the chips of a text that is kept: ``unjudged run:'title bm25' rank:1-10``.

    Values with blanks stand in quotes. A word that is no chip is looked for in texts. Kinds
    without a value may stand alone, as views keep them; :func:`parse_typed` reads what people type.

    Returns:
        In the order typed; empty for a text of blanks.

    Raises:
        CommandRefusedError: a value does not go with its kind, or a quote is not closed.
    """
    return tuple(
        Filter(word) if is_plain(word) else find_condition(word) or Filter("text", word)
        for word in _split(text)
    )


def parse_typed(text: str) -> tuple[Filter, ...]:
    """Return the chips of a text as fields and commands take it: ``leek is:unjudged rank:1-10``.

    As :func:`parse_filters`, but for kinds without a value: these stand after ``is:``, and alone
    they are words that are looked for, as in every field.
    """
    return tuple(find_condition(word) or Filter("text", word) for word in _split(text))


def words_like_conditions(text: str) -> list[str]:
    """Return the words of a text that would be conditions after ``is:``; none of a broken text."""
    try:
        return [word for word in shlex.split(text) if is_plain(word)]
    except ValueError:
        return []


def _split(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError:
        raise CommandRefusedError(
            _("A quote in ‘{text}’ is not closed. Values with blanks stand in quotes.").format(
                text=text
            )
        ) from None
    return [word for word in words if word.strip()]


def is_plain(word: str) -> TypeGuard[FilterKind]:
    """Whether a word is a kind that has no value."""
    return word in FILTER_KINDS and not needs_value(word)


def find_condition(word: str) -> Filter | None:
    """Return the condition that one word states: ``grade:2``, ``is:flagged``; ``None`` for no such.

    Args:
        word: without the quotes that hold it together.

    Raises:
        CommandRefusedError: it begins as one, and its value does not go with its kind.
    """
    name, colon, value = word.partition(":")
    if not colon:
        return None
    if name == _IS:
        plain = value.replace("-", "_")
        if is_plain(plain):
            return Filter(plain)
        known = ", ".join(IS + each for each in FILTER_KINDS if not needs_value(each))
        raise CommandRefusedError(
            _("There is no condition ‘{word}’. There are {known}.").format(word=word, known=known)
        )
    kind = next((each for each in FILTER_KINDS if each == name and needs_value(each)), None)
    if kind is None:
        return None
    try:
        return Filter(kind, _PARSERS[kind](value))
    except ValueError as problem:
        raise CommandRefusedError(
            _(
                "The filter ‘{word}’ does not say what to look for: expected {problem}, such as in "
                "‘{example}’"
            ).format(word=word, problem=problem, example=_(FILTER_HELP[kind]))
        ) from None


def format_filter(chip: Filter) -> str:
    """Return a chip as it is typed; :func:`parse_filters` reads it back."""
    value = chip.value
    if value is None:
        return str(chip.kind)
    if isinstance(value, tuple):
        text = f"{value[0]}-{value[1]}"
    elif isinstance(value, float):
        text = format_grade(value)
    else:
        text = str(value)
    return shlex.quote(f"{chip.kind}:{text}")


def save_view(name: str, filters: Sequence[Filter]) -> SetValues:
    """Return the command that keeps chips under a name; a view of this name is replaced.

    Raises:
        CommandRefusedError: the name is empty, or there are no chips.
    """
    if not name.strip():
        raise CommandRefusedError(_("The view has no name. Give it one; nothing was kept."))
    if not filters:
        raise CommandRefusedError(_("There are no filters to keep. Choose some first."))
    return SetValues(
        {VIEWS_KEY + name: list(map(format_filter, filters))},
        f"Save view ‘{name}’",
    )


def delete_view(name: str) -> SetValues:
    """Return the command that takes a saved view away."""
    return SetValues({VIEWS_KEY + name: None}, f"Delete view ‘{name}’")


def saved_views(session: Session) -> dict[str, tuple[Filter, ...]]:
    """Return saved views by name, in order of names."""
    return {
        key.removeprefix(VIEWS_KEY): tuple(chip for text in stored for chip in parse_filters(text))
        for key, stored in session.values(VIEWS_KEY).items()
    }
