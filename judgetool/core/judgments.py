"""A query, a document, what assessors said of the two, and views: which of that counts.

A view folds what all assessors said of a (query, document) into one grade. It is
named by a *rule*, or ``assessor`` for one person's judgments alone.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from math import floor, fsum
from operator import attrgetter
from typing import Any, NamedTuple

from judgetool.core.scale import Scale
from judgetool.errors import InputError, named
from judgetool.wording import N_, _, pgettext


@dataclass(frozen=True, slots=True)
class Document:
    """What is judged, as an assessor sees it.

    Attributes:
        id: opaque Unicode, kept as it came; never a number, never stripped.
        title: one line; may be empty.
        url: where it came from; shown, never followed by itself.
        body: the text; ``""`` when only the id is known.
        fields: other fields, as text by name, in the file's order.
        image: where its picture is, relative to the folder that was imported from, with
            ``/`` between names; ``""`` for none.
    """

    id: str
    title: str = ""
    url: str = ""
    body: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    image: str = ""

    @property
    def has_text(self) -> bool:
        """Whether there is more to show than the id."""
        return bool(self.title or self.body or self.fields or self.image)


@dataclass(frozen=True, slots=True)
class Query:
    """An information need.

    Attributes:
        id: opaque Unicode, kept as it came; never a number, never stripped.
        text: what was typed into the search box; ``""`` when only the id is known.
        description: what would satisfy the need, in a sentence.
        narrative: what counts and what does not, at length.
        weight: importance in weighted means, above 0.
        category: a group for filters and reports.
        fields: whatever else the file held, as text by name.
    """

    id: str
    text: str = ""
    description: str = ""
    narrative: str = ""
    weight: float = 1.0
    category: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


class State(StrEnum):
    """Where a judgment stands. 'Unjudged' with a note or a flag is possible too."""

    UNJUDGED = "unjudged"
    JUDGED = "judged"
    SKIPPED = "skipped"
    CANNOT_JUDGE = "cannot_judge"


class Span(NamedTuple):
    """A piece of a document's text that an assessor gives as the reason for a judgment.

    Attributes:
        field: ``title``, ``body``, or the name of one of the document's fields.
        start: first character of it in that field, counted from 0.
        end: behind its last character.
        text: the characters themselves, so that they outlive a changed document.
    """

    field: str
    start: int
    end: int
    text: str


CONFIDENCES = {1: N_("unsure"), 2: N_("fairly sure"), 3: N_("sure")}


class JudgmentKey(NamedTuple):
    """Whom a judgment belongs to: never to a position.

    All three are the project's dense integers, not the external ids.
    """

    query: int
    document: int
    assessor: int


@dataclass(frozen=True, slots=True)
class Judgment:
    """What one assessor said of one document for one query.

    Attributes:
        state: see :class:`State`; ``JUDGED`` exactly when there is a grade.
        grade: a grade of the scale, or ``None``.
        note: free text; for ``CANNOT_JUDGE`` the reason stands before it (:func:`with_reason`).
        flagged: marked for discussion.
        confidence: how sure the assessor is, a key of ``CONFIDENCES``; ``None`` where
            nothing was said of it.
        spans: the pieces of text that led to the judgment, in the order chosen.
    """

    state: State = State.UNJUDGED
    grade: float | None = None
    note: str = ""
    flagged: bool = False
    confidence: int | None = None
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if (self.state is State.JUDGED) != (self.grade is not None):
            raise ValueError("a judgment has a grade exactly when it is judged")
        if self.confidence is not None and self.confidence not in CONFIDENCES:
            raise ValueError(f"a confidence is one of {tuple(CONFIDENCES)}")

    @property
    def is_blank(self) -> bool:
        """Whether nothing at all is said; such a judgment is not stored."""
        says_something = self.note or self.flagged or self.confidence or self.spans
        return self.state is State.UNJUDGED and not says_something

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the event log; what is default is left out."""
        values: dict[str, Any] = {"state": str(self.state)}
        if self.grade is not None:
            values["grade"] = self.grade
        if self.note:
            values["note"] = self.note
        if self.flagged:
            values["flagged"] = True
        if self.confidence is not None:
            values["confidence"] = self.confidence
        if self.spans:
            values["spans"] = [list(span) for span in self.spans]
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "Judgment":
        """Build a judgment from :meth:`to_dict`'s result; unknown names are ignored."""
        return Judgment(
            state=State(values["state"]),
            grade=values.get("grade"),
            note=values.get("note", ""),
            flagged=bool(values.get("flagged", False)),
            confidence=values.get("confidence"),
            spans=tuple(Span(*span) for span in values.get("spans", ())),
        )


def with_reason(reason: str, note: str) -> str:
    """Return a note with the reason before it why a document cannot be judged; either may be empty.

    Examples:
        >>> with_reason("Another language", "ask Kim")
        'Another language. ask Kim'
    """
    if not reason or not note:
        return reason or note
    return f"{reason} {note}" if reason.endswith((".", "!", "?", "…")) else f"{reason}. {note}"


def split_reason(note: str, reasons: Iterable[str]) -> tuple[str, str]:
    """Return the reason that stands before a note, of those that were given, and the note alone.

    Examples:
        >>> split_reason("Another language. ask Kim", ["Another language"])
        ('Another language', 'ask Kim')
        >>> split_reason("ask Kim", ["Another language"])
        ('', 'ask Kim')
    """
    for reason in sorted(filter(None, reasons), key=len, reverse=True):
        before = with_reason(reason, " ").removesuffix(" ")
        if note == reason or note.startswith(before):
            return reason, note.removeprefix(reason if note == reason else before)
    return "", note


class JudgmentChange(NamedTuple):
    """One judgment before and after; ``None`` stands for 'nothing said'.

    Its inverse is computed, never written by hand.
    """

    key: JudgmentKey
    before: Judgment | None
    after: Judgment | None

    def inverted(self) -> "JudgmentChange":
        """Return the change that takes this one back."""
        return JudgmentChange(self.key, before=self.after, after=self.before)


class Said(NamedTuple):
    """One assessor's grade of a (query, document), for folding.

    Attributes:
        grade: what was given.
        step: number of the change that gave it; higher is later.
        at: when it was given, milliseconds UTC; tells those of one change apart (an import
            brings grades of many times).
    """

    grade: float
    step: int
    at: int = 0


def find_latest(said: Iterable[Said]) -> Said:
    """Return which of at least one counts where the latest does; of the same time the higher grade."""
    return max(said, key=attrgetter("step", "at", "grade"))


def _latest(said: Sequence[Said]) -> float:
    return find_latest(said).grade


def _is_latest_tied(said: Sequence[Said]) -> bool:
    """Whether different grades were given last at the same time, so that the highest counts as latest."""
    last = find_latest(said)[1:]
    return len({entry.grade for entry in said if entry[1:] == last}) > 1


def _most_given(said: Sequence[Said]) -> list[Said]:
    """Return those who gave the grade that most gave; of several such grades those who gave any."""
    counts = Counter(entry.grade for entry in said)
    most = max(counts.values())
    return [entry for entry in said if counts[entry.grade] == most]


def _quepid(said: Sequence[Said], scale: Scale | None = None) -> float:
    """Quepid's book rule: mean of up to two; of three or more the lowest of the best three.

    Its grades are whole numbers, to which it rounds; so are those without a scale. Of two grades
    equally near the higher is taken.
    """
    grades = sorted((entry.grade for entry in said), reverse=True)
    if len(grades) > 2 or grades[0] == grades[-1]:
        return grades[:3][-1]
    mean = fsum(grades) / 2
    if scale is None:
        return float(floor(mean + 0.5))
    if scale.is_continuous:
        return mean
    # Sums of decimal fractions are a little beside the middle.
    return min(reversed(scale.grades), key=lambda grade: round(abs(grade - mean), 9))


class ViewRule(NamedTuple):
    """A rule for folding several judgments of one document.

    Attributes:
        name: as given on the command line.
        title: as shown in the window.
        help: one sentence.
        fold: from at least one entry to a grade.
        is_tied: whether times are asked which of several grades counts, and do not say it, so that
            the highest does; of at least one entry.
    """

    name: str
    title: str
    help: str
    fold: Callable[[Sequence[Said]], float]
    is_tied: Callable[[Sequence[Said]], bool] = lambda _said: False


VIEW_RULES: dict[str, ViewRule] = {
    rule.name: rule
    for rule in (
        ViewRule(
            "latest",
            N_("All judgments, latest counts"),
            N_(
                "The grade given last; of those of one import the latest by its own times, of equal "
                "times the highest."
            ),
            _latest,
            _is_latest_tied,
        ),
        ViewRule(
            "majority",
            N_("Majority"),
            N_(
                "The grade that most assessors gave; where that is tied, the latest of those, of equal "
                "times the highest."
            ),
            lambda said: _latest(_most_given(said)),
            lambda said: _is_latest_tied(_most_given(said)),
        ),
        ViewRule(
            "median",
            N_("Median"),
            N_("The middle grade; of two middle grades the lower."),
            lambda said: sorted(entry.grade for entry in said)[(len(said) - 1) // 2],
        ),
        ViewRule(
            "mean",
            N_("Mean"),
            N_("The arithmetic mean, which need not be a grade of the scale."),
            lambda said: fsum(entry.grade for entry in said) / len(said),
        ),
        ViewRule(
            "min", N_("Lowest"), N_("The lowest grade."), lambda s: min(entry.grade for entry in s)
        ),
        ViewRule(
            "max",
            N_("Highest"),
            N_("The highest grade."),
            lambda s: max(entry.grade for entry in s),
        ),
        ViewRule(
            "quepid",
            N_("Quepid’s rule"),
            N_(
                "One or two judgments: their mean, rounded to the nearest grade of the scale, halfway to "
                "the higher one. Three or more: the lowest of the best three."
            ),
            _quepid,
        ),
    )
}

DEFAULT_VIEW = "latest"
MAJORITY = "majority"
QUEPID = "quepid"


def view_rule(name: str, scale: Scale | None = None) -> ViewRule:
    """Return the folding rule of this name, which may round to the grades of a scale.

    Raises:
        UsageError: there is none; the text lists them.
    """
    rule = named(
        VIEW_RULES,
        name,
        _("There is no view of judgments called ‘{name}’. Choose one of: {names}."),
    )
    return rule._replace(fold=partial(_quepid, scale=scale)) if rule.name == QUEPID else rule


def check_assessor(name: str, known: Collection[str], where: str) -> None:
    """Refuse the name of an assessor whom a project or file does not have.

    Raises:
        InputError: it is none of the known names; the text lists them.
    """
    if name not in known:
        there = ", ".join(known) or pgettext("names that there are", "none")
        said = _("There is no assessor ‘{name}’ in {where}. It has: {there}.")
        raise InputError(said.format(name=name, where=where, there=there))
