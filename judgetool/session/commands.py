"""Each change a person can ask for, as a value. None of them knows how to undo itself."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from judgetool.core.documents import Document
from judgetool.core.judgments import Judgment, Span, State
from judgetool.core.queries import Query
from judgetool.core.scale import Scale, format_grade
from judgetool.metrics import Conventions


@dataclass(frozen=True, slots=True)
class Judge:
    """Give a document a grade; note and flag stay.

    Attributes:
        query: number of the query.
        document: number of the document.
        grade: a level of the scale, or a number on a continuous one.
    """

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


@dataclass(frozen=True, slots=True)
class SetConfidence:
    """Say how sure one is of a judgment; ``None`` takes that back."""

    query: int
    document: int
    confidence: int | None
    verb = "Confidence"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        return replace(before, confidence=self.confidence)


@dataclass(frozen=True, slots=True)
class SetSpans:
    """Keep the pieces of text that led to a judgment; ``()`` takes them away."""

    query: int
    document: int
    spans: tuple[Span, ...]
    verb = "Rationale"

    def apply(self, before: Judgment) -> Judgment:
        """Return the judgment after this."""
        return replace(before, spans=self.spans)


JudgmentCommand = Judge | CannotJudge | Skip | Clear | SetNote | SetFlag | SetConfidence | SetSpans


@dataclass(frozen=True, slots=True)
class JudgeMany:
    """Give several (query, document) pairs the same grade; one step, one undo.

    Attributes:
        pairs: what is graded, at least one; what has the grade already stays as it is.
        grade: a level of the scale, or a number on a continuous one.
    """

    pairs: tuple[tuple[int, int], ...]
    grade: float

    @property
    def verb(self) -> str:
        """For the history: ``Grade 2``."""
        return f"Grade {format_grade(self.grade)}"

    def apply(self, before: Judgment) -> Judgment:
        """Return each judgment after this."""
        return replace(before, state=State.JUDGED, grade=self.grade)


@dataclass(frozen=True, slots=True)
class SetScale:
    """Change the project's scale.

    Attributes:
        scale: the new one.
        mapping: from grades that the new scale lacks to grades that it has; every
            grade given so far that is not on the new scale must be in it.
    """

    scale: Scale
    mapping: Mapping[float, float] = field(default_factory=dict)
    title = "Change the scale"

    @property
    def values(self) -> Mapping[str, Any]:
        """What is stored."""
        return {"scale": self.scale.to_dict()}


@dataclass(frozen=True, slots=True)
class SetTitle:
    """Rename the project."""

    name: str
    title = "Rename the project"

    @property
    def values(self) -> Mapping[str, Any]:
        """What is stored."""
        return {"title": self.name}


@dataclass(frozen=True, slots=True)
class SetMeasures:
    """Choose the measures that are shown, by their names in order."""

    names: tuple[str, ...]
    title = "Choose measures"

    @property
    def values(self) -> Mapping[str, Any]:
        """What is stored."""
        return {"measures": list(self.names)}


@dataclass(frozen=True, slots=True)
class SetPoolDepth:
    """Choose how many documents of each run are to be judged for a query."""

    depth: int
    title = "Change the pool depth"

    @property
    def values(self) -> Mapping[str, Any]:
        """What is stored."""
        return {"pool": {"kind": "depth", "depth": self.depth, "runs": []}}


@dataclass(frozen=True, slots=True)
class SetConventions:
    """Choose how unjudged documents, undefined values and missing queries count."""

    conventions: Conventions
    title = "Change the conventions"

    @property
    def values(self) -> Mapping[str, Any]:
        """What is stored."""
        return {"conventions": asdict(self.conventions)}


@dataclass(frozen=True, slots=True)
class SetValues:
    """Write some of the project's own values, whatever they are, in one step.

    Attributes:
        values: by key, as JSON knows them; ``None`` takes one away.
        title: for the history.
    """

    values: Mapping[str, Any]
    title: str


ValueCommand = SetTitle | SetMeasures | SetPoolDepth | SetConventions | SetValues


@dataclass(frozen=True, slots=True)
class WriteQuery:
    """Add a query by hand, or change one's text; its id tells which."""

    query: Query

    @property
    def title(self) -> str:
        """For the history."""
        return f"Query {self.query.id}"


@dataclass(frozen=True, slots=True)
class WriteDocument:
    """Add a document by hand, or change one's text; its id tells which."""

    document: Document

    @property
    def title(self) -> str:
        """For the history."""
        return f"Document {self.document.id}"


@dataclass(frozen=True, slots=True)
class AddDocument:
    """Put a document into a query's pool by hand, new or known; one step, one undo.

    Attributes:
        query: number of the query.
        document: with text it is written; with its id alone, a known one's text stays.
    """

    query: int
    document: Document

    @property
    def title(self) -> str:
        """For the history."""
        return f"Add document {self.document.id}"


MaterialCommand = WriteQuery | WriteDocument | AddDocument
Command = JudgmentCommand | JudgeMany | SetScale | ValueCommand | MaterialCommand
