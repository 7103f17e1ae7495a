"""Each change a person can ask for, as a value. None of them knows how to undo itself."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from judgetool.core.judgments import Judgment, State
from judgetool.core.scale import Scale, format_grade
from judgetool.metrics import Conventions


@dataclass(frozen=True, slots=True)
class Judge:
    """Give a document a grade; note and flag stay."""

    query: int
    document: int
    grade: float

    @property
    def verb(self) -> str:
        """For the history: ``Grade 2``."""
        return f"Grade {format_grade(self.grade)}"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        return replace(before, state=State.JUDGED, grade=self.grade)


@dataclass(frozen=True, slots=True)
class CannotJudge:
    """Say that a document cannot be judged, perhaps with a reason (kept as the note)."""

    query: int
    document: int
    reason: str = ""
    verb = "Cannot judge"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        note = self.reason or before.note
        return replace(before, state=State.CANNOT_JUDGE, grade=None, note=note)


@dataclass(frozen=True, slots=True)
class Skip:
    """Put a document off for later."""

    query: int
    document: int
    verb = "Skip"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        return replace(before, state=State.SKIPPED, grade=None)


@dataclass(frozen=True, slots=True)
class Clear:
    """Take a document back to unjudged; note and flag stay."""

    query: int
    document: int
    verb = "Back to unjudged"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        return replace(before, state=State.UNJUDGED, grade=None)


@dataclass(frozen=True, slots=True)
class SetNote:
    """Write a note; ``""`` takes it away."""

    query: int
    document: int
    note: str
    verb = "Note"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        return replace(before, note=self.note)


@dataclass(frozen=True, slots=True)
class SetFlag:
    """Mark a document for discussion, or no longer."""

    query: int
    document: int
    flagged: bool

    @property
    def verb(self) -> str:
        """For the history."""
        return "Flag" if self.flagged else "Unflag"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        return replace(before, flagged=self.flagged)


JudgmentCommand = Judge | CannotJudge | Skip | Clear | SetNote | SetFlag


@dataclass(frozen=True, slots=True)
class SetScale:
    """Change the project's scale; every grade given so far must be on the new one."""

    scale: Scale
    key = "scale"
    title = "Change the scale"

    @property
    def value(self) -> dict[str, Any]:
        """What is stored."""
        return self.scale.to_dict()


@dataclass(frozen=True, slots=True)
class SetTitle:
    """Rename the project."""

    value: str
    key = "title"
    title = "Rename the project"


@dataclass(frozen=True, slots=True)
class SetMeasures:
    """Choose the measures that are shown, by their names in order."""

    value: tuple[str, ...]
    key = "measures"
    title = "Choose measures"


@dataclass(frozen=True, slots=True)
class SetPoolDepth:
    """Choose how many documents of each run are to be judged for a query."""

    value: int
    key = "pool_depth"
    title = "Change the pool depth"


@dataclass(frozen=True, slots=True)
class SetConventions:
    """Choose how unjudged documents, undefined values and missing queries count."""

    conventions: Conventions
    key = "conventions"
    title = "Change the conventions"

    @property
    def value(self) -> dict[str, Any]:
        """What is stored."""
        return asdict(self.conventions)


ValueCommand = SetScale | SetTitle | SetMeasures | SetPoolDepth | SetConventions
Command = JudgmentCommand | ValueCommand
