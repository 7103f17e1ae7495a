"""Each change a person can ask for, as a value, and what listeners are told of it after the commit.

No command knows how to undo itself: that is told by the log.

Work for another thread tells how far it is and asks whether it is still wanted. Who needs it calls
a ``…_work`` function on the session's thread, which copies what is needed, and on any thread what
that returns: ``work(progress, is_cancelled)``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

from judgetool.core.judgments import Document, Query, Span, State
from judgetool.core.scale import Scale, format_grade, scale_preset
from judgetool.errors import JudgetoolError
from judgetool.metrics import Conventions
from judgetool.storage.values import fold_name
from judgetool.wording import _

Progress = Callable[[int, int], None]
"""Told how much of how much is done."""
IsCancelled = Callable[[], bool]
"""Says whether the work is not wanted any more."""
T = TypeVar("T")
Work = Callable[[Progress | None, IsCancelled | None], T]
"""Work for another thread, which tells how far it is and asks whether it is still wanted."""
Check = Callable[[], None]
"""Asked now and then; may raise to stop the work."""


def unchecked() -> None:
    """Let the work go on."""


class WorkCancelledError(JudgetoolError):
    """The work was cancelled; what was there before stays."""


def checker(progress: Progress | None, is_cancelled: IsCancelled | None, said: str) -> Progress:
    """Return what reports progress, and ends the work with a sentence when it is cancelled."""

    def check(n_done: int, total: int) -> None:
        if is_cancelled is not None and is_cancelled():
            raise WorkCancelledError(said)
        if progress is not None:
            progress(n_done, total)

    return check


class Say(NamedTuple):
    """Say something of documents; what is not named of a judgment stays as it is.

    One step, one undo, however many documents. Made by the methods below.

    Attributes:
        pairs: (query, document) numbers, at least one pair; of whom just this is said
            already, nothing changes.
        verb: for the history: ``Grade 2``.
        changes: fields of the assessor's :class:`~judgetool.core.judgments.Judgment`.
        is_settling: whether it is the outcome of a disagreement: said by the assessor of kind
            ``settled``, in a step of who judges. Opinions stay.
        reason: why it cannot be judged. It stands before the assessor's own note for as long as that
            is said, and goes with the next thing that is: a grade, another reason.
    """

    pairs: tuple[tuple[int, int], ...]
    verb: str
    changes: Mapping[str, Any]
    is_settling: bool = False
    reason: str = ""

    @staticmethod
    def grade(query: int, document: int, grade: float) -> "Say":
        """Give a document a grade: a level of the scale, or a number on a continuous one."""
        changes = {"state": State.JUDGED, "grade": grade}
        return Say(((query, document),), f"Grade {format_grade(grade)}", changes)

    @staticmethod
    def grade_many(pairs: tuple[tuple[int, int], ...], grade: float) -> "Say":
        """Give several (query, document) pairs the same grade."""
        changes = {"state": State.JUDGED, "grade": grade}
        return Say(pairs, f"Grade {format_grade(grade)}", changes)

    @staticmethod
    def cannot_judge(query: int, document: int, reason: str = "") -> "Say":
        """Say that a document cannot be judged, perhaps with a reason; a note stays behind it."""
        changes = {"state": State.CANNOT_JUDGE, "grade": None}
        return Say(((query, document),), "Cannot judge", changes, reason=reason)

    @staticmethod
    def skip(query: int, document: int) -> "Say":
        """Put a document off for later."""
        return Say(((query, document),), "Skip", {"state": State.SKIPPED, "grade": None})

    @staticmethod
    def clear(query: int, document: int) -> "Say":
        """Take a document back to unjudged; note and flag stay."""
        changes = {"state": State.UNJUDGED, "grade": None}
        return Say(((query, document),), "Back to unjudged", changes)

    @staticmethod
    def note(query: int, document: int, note: str) -> "Say":
        """Write a note; ``""`` takes it away. Why a document cannot be judged stays before it."""
        return Say(((query, document),), "Note", {"note": note})

    @staticmethod
    def flag(query: int, document: int, flagged: bool) -> "Say":
        """Mark a document for discussion, or no longer."""
        return Say(((query, document),), "Flag" if flagged else "Unflag", {"flagged": flagged})

    @staticmethod
    def confidence(query: int, document: int, confidence: int | None) -> "Say":
        """Say how sure one is of a judgment; ``None`` takes that back."""
        return Say(((query, document),), "Confidence", {"confidence": confidence})

    @staticmethod
    def spans(query: int, document: int, spans: tuple[Span, ...]) -> "Say":
        """Keep the pieces of text that led to a judgment; ``()`` takes them away."""
        return Say(((query, document),), "Rationale", {"spans": spans})


@dataclass(frozen=True, slots=True)
class SetScale:
    """Change the project's scale.

    Attributes:
        scale: the new one.
        mapping: from grades that the new scale lacks to grades that it has; every
            grade given so far that is not on the new scale must be in it. What what-ifs
            assume follows; a grade that is not in it is assumed no more.
    """

    scale: Scale
    mapping: Mapping[float, float] = field(default_factory=dict)
    title = "Change the scale"

    @property
    def values(self) -> Mapping[str, Any]:
        """What is stored."""
        return {"scale": self.scale.to_dict()}


def scale_of(values: Mapping[str, Any]) -> Scale:
    """Return the scale that a project's own values say; 0-3 where they say none."""
    stored = values.get("scale")
    return Scale.from_dict(stored) if stored else scale_preset("0-3")


class SetValues(NamedTuple):
    """Write some of the project's own values, whatever they are, in one step.

    Attributes:
        values: by key, as JSON knows them; ``None`` takes one away.
        title: for the history.
        kind: of the step; Undo passes over ``draw``, what a lot has said.
    """

    values: Mapping[str, Any]
    title: str
    kind: Literal["project", "draw"] = "project"


def set_title(name: str) -> SetValues:
    """Return the command that renames the project."""
    return SetValues({"title": name}, "Rename the project")


def set_measures(names: Iterable[str]) -> SetValues:
    """Return the command that chooses the measures that are shown, by their names in order."""
    return SetValues({"measures": list(names)}, "Choose measures")


def set_conventions(conventions: Conventions) -> SetValues:
    """Return the command that says how what is unjudged, undefined or missing counts."""
    return SetValues({"conventions": asdict(conventions)}, "Change the conventions")


class WriteQuery(NamedTuple):
    """Add a query by hand, or change one's text.

    Attributes:
        query: with its id.
        is_new: whether it is added; else its texts are changed.
    """

    query: Query
    is_new: bool = False

    @property
    def title(self) -> str:
        """For the history."""
        return f"{'Query' if self.is_new else 'Edit of query'} {self.query.id}"


class WriteDocument(NamedTuple):
    """Change a document's text; its id tells which."""

    document: Document

    @property
    def title(self) -> str:
        """For the history."""
        return f"Edit of document {self.document.id}"


class AddDocument(NamedTuple):
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


AGAIN_MARK = " (again)"
"""Behind a person's name in that under which their second judgments are kept."""
SETTLED = "settled"
"""The name of the assessor whose judgments are what was settled."""


def find_name_problem(name: str) -> str:
    """Return a sentence where nobody may come to judge under a name, else ``""``."""
    if name != SETTLED and not name.endswith(AGAIN_MARK):
        return ""
    return (
        _(
            "‘{name}’ is the name of what was settled, and nobody’s who can judge or be asked: only "
            "people are."
        )
        if name == SETTLED
        else _(
            "‘{name}’ is the name of second judgments, and nobody’s who can judge or be asked: only "
            "people are."
        )
    ).format(name=name)


def find_near_name(name: str, known: Iterable[str]) -> str:
    """Return whose name differs from a new one by capitals or blanks alone, else ``""``.

    Who is known by the very name is nobody new; nobody can judge under a name that is kept for else.
    """
    names = tuple(each for each in known if not find_name_problem(each))
    if name in names:
        return ""
    return next((other for other in names if fold_name(other) == fold_name(name)), "")


def describe_near_name(name: str, known: Iterable[str]) -> str:
    """Return a sentence where somebody new is nearly called as somebody known, else ``""``."""
    near = find_near_name(name, known)
    if not near:
        return ""
    return _("‘{name}’ is new in this project, and another person than ‘{near}’.").format(
        name=name, near=near
    )


class AskOf(NamedTuple):
    """One document that somebody is asked to judge, or no longer.

    Attributes:
        query: the session's number.
        document: its number.
        assessor: the name of who is asked.
        is_again: whether they judge it once more, as if for the first time.
        is_open: whether it is asked; else it is no longer.
    """

    query: int
    document: int
    assessor: str
    is_again: bool = False
    is_open: bool = True


@dataclass(frozen=True, slots=True)
class WriteAsks:
    """Ask people to judge documents, or no longer; one step, one undo.

    Attributes:
        asks: at least one.
        title: for the history.
        values: of the project, set in the same step: the sample that is asked.
    """

    asks: tuple[AskOf, ...]
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)


class TakeAlong(NamedTuple):
    """Put what was judged under another name under that of who judges; one step, one undo.

    Where they have said something of a document themselves, both stay as they are.

    Attributes:
        former: the other name.
    """

    former: str


MaterialCommand = WriteQuery | WriteDocument | AddDocument
Command = Say | SetScale | SetValues | WriteAsks | TakeAlong | MaterialCommand

Origin = Literal["do", "undo", "redo"]


@dataclass(frozen=True)
class Changed:
    """One step, done, undone or redone; sent exactly once, after it is durable.

    Attributes:
        origin: whether it was done, undone or redone.
        kind: ``judge``, ``project`` or ``import``.
        title: for the status line and the Undo menu.
        judgments: the (query, document) pairs touched.
        values: keys of the project's own values that changed.
        is_material: whether queries, documents or runs came or went; query numbers
            held from before mean nothing then.
        n_kept: judgments that an undo or redo left alone, because someone has
            changed them since.
        n_graded: documents of which something else is said now than before: a grade, or
            that they cannot be judged. A flag, a note or a skip says nothing of the kind, and what
            others said and a hub brought is none's work here.
        opened: the (query, document) pairs that are to be judged again from now on, or no longer,
            though this step said nothing of them.
        regraded: of one document the grade before and the grade now, where both are there and
            differ; else ``None``.
    """

    origin: Origin
    kind: str
    title: str
    judgments: tuple[tuple[int, int], ...] = ()
    values: frozenset[str] = frozenset()
    is_material: bool = False
    n_kept: int = 0
    n_graded: int = 0
    opened: tuple[tuple[int, int], ...] = ()
    regraded: tuple[float, float] | None = None

    @cached_property
    def shown(self) -> tuple[tuple[int, int], ...]:
        """The pairs of which something else is shown: those touched, and those that come again."""
        return (*self.opened, *self.judgments)

    @cached_property
    def queries(self) -> frozenset[int]:
        """The queries of which something else is shown."""
        return frozenset([query for query, _ in self.shown])
