"""How a project file stands to its team's hub, in words, and what going in step with it has done."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judgetool.core.clock import local_moment
from judgetool.core.judgments import JudgmentChange, JudgmentKey
from judgetool.core.number_text import local_count, number_of
from judgetool.errors import HubRefusal, HubRefusedError
from judgetool.hub.connection import Hub, HubStanding
from judgetool.hub.reaching import HubAddress
from judgetool.session.jobs import Outcome
from judgetool.session.loading import WrittenStep
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.copies import HUB
from judgetool.storage.hub_lines import (
    HubMark,
    are_latest,
    count_hidden,
    count_own_material,
    count_staying,
    count_unplaced,
    count_unsent,
    find_sender,
    load_mark,
)
from judgetool.storage.judgments import HeadText, Key, LogEntry, StepRow, parse_judgment
from judgetool.wording import N_, _

_CLOCK_MS = 60_000
HUB_TITLE = "Team hub"
"""Of the step that what came is linked to."""
OTHER_SCALE = N_(
    "The project has another scale than the hub, and only a lead changes it there. What was judged is kept here until a lead has."
)
"""Why nothing is sent to a hub whose scale another file of the team has changed."""


class SyncState(NamedTuple):
    """How a file stands to its hub.

    Attributes:
        n_unsent: lines that the hub has not been sent.
        offline_since: since when it was not reached, milliseconds UTC; ``None`` where it is.
        problem: a sentence where the hub refuses something, or cannot be understood; else empty.
        notice: a sentence about what goes on all the same, such as a wrong clock; else empty.
        n_staying: judgments made here that the hub is never sent.
        staying: a sentence about them, see :func:`describe_staying`; else empty.
        password_wanted: whether nothing goes on until somebody says the password.
        is_begun: whether the hub was asked since the project was opened.
        reason: why it is not reached, a sentence; empty where it is.
        remarks: sentences about what came about, or is to be known, without being amiss.
        asked_ms: when it was asked last, milliseconds UTC; ``None``: not yet.
        is_missing: whether there is no hub any more where it was.
        n_hidden: judgments that the hub has and a merge that was undone hides here.
    """

    n_unsent: int = 0
    offline_since: int | None = None
    problem: str = ""
    notice: str = ""
    n_staying: int = 0
    staying: str = ""
    password_wanted: bool = False
    is_begun: bool = True
    reason: str = ""
    remarks: tuple[str, ...] = ()
    asked_ms: int | None = None
    is_missing: bool = False
    n_hidden: int = 0

    @property
    def text(self) -> str:
        """For the status line."""
        return _("Hub: {state}").format(state=self.state)

    @property
    def state(self) -> str:
        """How it stands, in a few words."""
        if not self.is_begun:
            return _("connecting")
        parts = (
            [_("{count} to send").format(count=local_count(self.n_unsent))] if self.n_unsent else []
        )
        if self.offline_since is not None:
            since = local_moment(self.offline_since)
            parts.append(_("offline since {time}").format(time=f"{since:%H:%M}"))
        if self.problem:
            parts.append(_("password wanted") if self.password_wanted else _("not in step"))
        if self.n_hidden:
            parts.append(_("{count} hidden here").format(count=local_count(self.n_hidden)))
        if not parts:
            parts.append(_("in step"))
        if self.notice:
            parts.append(_("clock differs"))
        if self.n_staying:
            parts.append(_("{count} stay here").format(count=local_count(self.n_staying)))
        return ", ".join(parts)

    @property
    def why(self) -> str:
        """What is to be known beside :attr:`text`, a sentence a line; may be empty."""
        again = _("It is asked again by itself within half a minute.") if self.reason else ""
        reason = f"{self.reason} {again}".strip()
        return "\n".join(
            filter(
                None,
                (
                    self.problem,
                    reason,
                    describe_hidden(self.n_hidden),
                    self.notice,
                    self.staying,
                    *self.remarks,
                ),
            )
        )


@dataclass(slots=True)
class Synced:
    """What going in step with the hub has done.

    Attributes:
        n_sent: lines that the hub did not have.
        n_received: lines that were not here.
        n_files: small files that came.
        states: what is said now of the judgments that the lines are about.
        values: the project's values that are others now.
        is_whole: whether all has to be read anew.
        staying: what is said of judgments that stay here; may be empty.
        n_files_sent: small files that were sent.
        remarks: sentences about what came about.
        written: for :meth:`Session.take_written`, on the session's thread; ``None`` where nothing came.
        n_hidden: judgments of the hub that a merge that was undone hides here.
    """

    n_sent: int = 0
    n_received: int = 0
    n_files: int = 0
    states: dict[Key, HeadText] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)
    is_whole: bool = False
    staying: str = ""
    n_files_sent: int = 0
    remarks: list[str] = field(default_factory=list)
    written: WrittenStep | None = None
    n_hidden: int = 0


def describe_healed(*, is_lead: bool) -> str:
    """Return what to know where the hub is another than was known, or has lost lines."""
    said = _(
        "The hub is another than before, or was put back to an earlier state: what it lacks and may be "
        "sent from here is sent again."
    )
    lost = _(
        "Who is let in, and what everybody was asked to judge, no file knows: Let somebody in… and Ask "
        "everybody… say it again."
    )
    return f"{said} {lost}" if is_lead else said


def describe_turned(n_taken: int, n_left: int) -> str:
    """Return what has come into and gone out of one's queue though nobody did so here; else ``""``."""
    taken = number_of(
        n_taken,
        "{n} document that you took on another machine is in your queue here, too.",
        "{n} documents that you took on another machine are in your queue here, too.",
    )
    left = number_of(
        n_left,
        "{n} document that you had taken has left your queue: it was given back, its time is over, or "
        "the hub does not know of it any more.",
        "{n} documents that you had taken have left your queue: they were given back, their time is "
        "over, or the hub does not know of them any more.",
    )
    return " ".join(filter(None, (taken if n_taken else "", left if n_left else "")))


def describe_own_material(n_steps: int) -> str:
    """Return that an assessor's own texts and runs stay in their file; ``""`` for none."""
    said = number_of(
        n_steps,
        "{n} import or change of queries, documents or runs was made here and stays in this file: only a "
        "lead’s reach the others, who cannot place what you judge of them.",
        "{n} imports or changes of queries, documents or runs were made here and stay in this file: only a "
        "lead’s reach the others, who cannot place what you judge of them.",
    )
    return said if n_steps else ""


def describe_unplaced(n_judgments: int, n_documents: int) -> str:
    """Return what came that has no place in this project; ``""`` for nothing."""
    lost = number_of(
        n_judgments,
        "{n} judgment came about a query that this project lacks: it is shown nowhere.",
        "{n} judgments came about queries that this project lacks: they are shown nowhere.",
    )
    bare = number_of(
        n_documents,
        "{n} document was judged elsewhere that is in no run and has no text here; its judgments count.",
        "{n} documents were judged elsewhere that are in no run and have no text here; their judgments count.",
    )
    remedy = _("Whoever judged them has the texts: import those here.")
    said = [lost if n_judgments else "", bare if n_documents else ""]
    return " ".join(filter(None, (*said, remedy))) if any(said) else ""


def describe_hidden(n: int) -> str:
    """Return what to know of judgments of the hub that a merge that was undone hides; ``""`` for none."""
    said = number_of(
        n,
        "{n} judgment that the hub has is hidden in this file, as a merge was undone: the others keep it, "
        "and their figures differ from these. Redo the merge, or merge that copy again, to have it here.",
        "{n} judgments that the hub has are hidden in this file, as a merge was undone: the others keep "
        "them, and their figures differ from these. Redo the merge, or merge that copy again, to have them "
        "here.",
    )
    return said if n else ""


def find_hidden(session: Session, hub: Hub) -> int:
    """Return how many judgments of a hub a merge that was undone hides in a project; for any thread.

    Raises:
        HubError: the hub is not reached.
    """
    with session.second_reader() as reader:
        return count_hidden(reader, hub.find_known)


def count_here(reader: Connection, mark: HubMark) -> dict[str, Any]:
    """Return what the file alone knows of a :class:`SyncState`: what is to be sent, and what stays."""
    sender, n_staying = find_sender(mark), count_staying(reader, mark)
    return {
        "n_unsent": 0 if sender is None else count_unsent(reader, mark, sender),
        "n_staying": n_staying,
        "staying": describe_staying(n_staying, mark.name, mark.role),
    }


def describe_staying(n: int, name: str, role: str) -> str:
    """Return a sentence about judgments made here that the hub is never sent; ``""`` for none.

    Args:
        n: so many.
        name: under which the hub knows whose file it is.
        role: there.
    """
    if not n:
        return ""
    if role == "reader":
        return number_of(
            n,
            "{n} judgment in this file stays here: {name} is a reader in the hub, and readers send none.",
            "{n} judgments in this file stay here: {name} is a reader in the hub, and readers send none.",
            name=name,
        )
    return number_of(
        n,
        "{n} judgment in this file is not {name}’s: it stays here.",
        "{n} judgments in this file are not {name}’s: they stay here.",
        name=name,
    )


def describe_clock(standing: HubStanding) -> str:
    """Return a sentence where this machine's clock and the hub's are a minute apart, else ``""``."""
    if abs(standing.ahead_ms) <= _CLOCK_MS:
        return ""
    minutes = round(abs(standing.ahead_ms) / 60_000)
    if standing.ahead_ms < 0:
        return number_of(
            minutes,
            "This machine’s clock is {n} minute ahead of the hub’s. Of judgments that differ the latest "
            "counts: set it right.",
            "This machine’s clock is {n} minutes ahead of the hub’s. Of judgments that differ the "
            "latest counts: set it right.",
        )
    return number_of(
        minutes,
        "This machine’s clock is {n} minute behind the hub’s. Of judgments that differ the latest "
        "counts: set it right.",
        "This machine’s clock is {n} minutes behind the hub’s. Of judgments that differ the latest "
        "counts: set it right.",
    )


def find_own_material(session: Session) -> str:
    """Return what of a project stays here as its member does not lead, in a sentence; ``""`` for nothing.

    For any thread.
    """
    with session.second_reader() as reader:
        mark = load_mark(reader)
        if mark is None or mark.role in ("", "lead"):
            return ""
        return describe_own_material(count_own_material(reader, mark))


def find_unplaced(session: Session) -> str:
    """Return what came and has no place in a project, in a sentence; ``""`` for nothing. For any thread."""
    with session.second_reader() as reader:
        return describe_unplaced(*count_unplaced(reader))


def read_written(session: Session, done: Synced, number: int) -> WrittenStep:
    """Return what a session takes in of what came; read here where all is to be read anew. For any thread.

    Args:
        session: the project.
        done: what came.
        number: of the step here that it is linked to.
    """
    at = session.clock()
    with session.second_reader() as reader:
        is_whole = done.is_whole or not are_latest(reader, done.states)
    if is_whole:
        step = StepRow(number, "merge", HUB_TITLE, at)
        return session.read_after(Outcome(step, values=done.values))
    entries = tuple(
        LogEntry(
            JudgmentChange(JudgmentKey(*key), None, parse_judgment(said.text)),
            None,
            said.step_id or None,
            HUB,
            made_at=said.said_at,
        )
        for key, said in done.states.items()
    )
    return WrittenStep(Outcome(StepRow(number, HUB, HUB_TITLE, at), entries), None)


def refuse_other_project(session: Session, standing: HubStanding, address: HubAddress) -> None:
    """Refuse a hub that is another project's.

    Raises:
        HubRefusedError: it is.
    """
    if standing.project != session.uuid:
        raise HubRefusedError(
            _(
                "The hub {address} is of the project ‘{title}’, and {project} is another one. Join it with a file of its own."
            ).format(address=address, title=standing.title, project=session.path.name),
            why=HubRefusal.STATE,
        )
