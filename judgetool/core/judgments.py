"""What an assessor said of a document for a query, and a change to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from judgetool.wording import N_


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
        note: free text; for ``CANNOT_JUDGE`` also the reason.
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


@dataclass(frozen=True, slots=True)
class JudgmentChange:
    """One judgment before and after; ``None`` stands for 'nothing said'.

    Its inverse is computed, never written by hand.
    """

    key: JudgmentKey
    before: Judgment | None
    after: Judgment | None

    def inverted(self) -> "JudgmentChange":
        """Return the change that takes this one back."""
        return JudgmentChange(self.key, before=self.after, after=self.before)
