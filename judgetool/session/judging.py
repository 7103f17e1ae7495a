"""The jobs that the writer runs for a step: doing, undoing, redoing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgetool.core.judgments import Judgment, JudgmentChange, JudgmentKey
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import (
    LogEntry,
    Stored,
    find_judgment,
    iter_step_entries,
    write_entries,
)
from judgetool.storage.steps import (
    StepRow,
    find_redo_step,
    find_undo_step,
    insert_step,
    set_step_state,
)
from judgetool.storage.values import load_value_changes, number_assessor, write_value

BLANK = Judgment()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a job did, once it is durable.

    Attributes:
        step: the step done, undone or redone; ``None`` when nothing had to change.
        entries: judgments as they are now.
        values: project values as they are now; ``None`` for one taken away.
        n_kept: judgments left alone because they have changed since.
        assessor_id: number of the assessor, known at the latest now.
    """

    step: StepRow | None = None
    entries: tuple[LogEntry, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    n_kept: int = 0
    assessor_id: int | None = None


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a change came about, for the event log.

    Attributes:
        origin: ``key``, ``click``, ``command``, ``import``.
        spent_ms: how long the document had been in view.
        shown: what was on the screen.
    """

    origin: str = "command"
    spent_ms: int | None = None
    shown: dict[str, Any] | None = None


def judging_job(
    pairs: Sequence[tuple[int, int]],
    apply: Callable[[Judgment], Judgment],
    *,
    title: str,
    assessor: str,
    at: int,
    how: Circumstances,
) -> Callable[[Connection], Outcome]:
    """Return the job that changes one assessor's judgments of some (query, document) pairs."""

    def job(connection: Connection) -> Outcome:
        assessor_id = number_assessor(connection, assessor, kind="human")
        changed: list[tuple[JudgmentChange, Stored | None]] = []
        for query_id, document in pairs:
            key = JudgmentKey(query_id, document, assessor_id)
            before = find_judgment(connection, key)
            after = apply(before.judgment if before else BLANK)
            change = JudgmentChange(
                key, before.judgment if before else None, None if after.is_blank else after
            )
            if change.before != change.after:
                changed.append((change, before))
        if not changed:
            return Outcome(assessor_id=assessor_id)
        step_id = insert_step(connection, kind="judge", title=title, assessor_id=assessor_id, at=at)
        entries = tuple(
            LogEntry(
                change,
                before.step_id if before else None,
                step_id if change.after else None,
                how.origin,
                how.spent_ms,
                how.shown,
            )
            for change, before in changed
        )
        write_entries(connection, entries, step_id=step_id, at=at)
        return Outcome(StepRow(step_id, "judge", title, at), entries, assessor_id=assessor_id)

    return job


def value_job(
    key: str, value: object, *, title: str, assessor_id: int | None, at: int, kind: str = "project"
) -> Callable[[Connection], Outcome]:
    """Return the job that sets one of the project's own values."""

    def job(connection: Connection) -> Outcome:
        step_id = insert_step(connection, kind=kind, title=title, assessor_id=assessor_id, at=at)
        write_value(connection, key, value, step_id=step_id, at=at, origin="command")
        return Outcome(StepRow(step_id, kind, title, at), values={key: value})

    return job


def undo_job(assessor_id: int | None, at: int) -> Callable[[Connection], Outcome]:
    """Return the job that takes back the last step of the assessor or of nobody."""

    def job(connection: Connection) -> Outcome:
        step = find_undo_step(connection, assessor_id)
        if step is None:
            return Outcome()
        entries, n_kept = _revert(connection, step)
        write_entries(connection, entries, step_id=step.step_id, at=at)
        values = {}
        for key, before, _ in reversed(load_value_changes(connection, step.step_id)):
            write_value(connection, key, before, step_id=step.step_id, at=at, origin="undo")
            values[key] = before
        set_step_state(connection, step.step_id, "undone")
        return Outcome(step, entries, values, n_kept)

    return job


def _revert(connection: Connection, step: StepRow) -> tuple[tuple[LogEntry, ...], int]:
    entries: list[LogEntry] = []
    n_kept = 0
    for entry in reversed(tuple(iter_step_entries(connection, step.step_id))):
        if _is_present(connection, entry.change.key, entry.change.after, entry.after_step):
            entries.append(
                LogEntry(entry.change.inverted(), entry.after_step, entry.before_step, "undo")
            )
        else:
            n_kept += 1
    return tuple(entries), n_kept


def redo_job(assessor_id: int | None, at: int) -> Callable[[Connection], Outcome]:
    """Return the job that does again what was undone last."""

    def job(connection: Connection) -> Outcome:
        step = find_redo_step(connection, assessor_id)
        if step is None:
            return Outcome()
        entries: list[LogEntry] = []
        n_kept = 0
        for entry in iter_step_entries(connection, step.step_id):
            if _is_present(connection, entry.change.key, entry.change.before, entry.before_step):
                entries.append(LogEntry(entry.change, entry.before_step, entry.after_step, "redo"))
            else:
                n_kept += 1
        write_entries(connection, entries, step_id=step.step_id, at=at)
        values = {}
        for key, _, after in load_value_changes(connection, step.step_id):
            write_value(connection, key, after, step_id=step.step_id, at=at, origin="redo")
            values[key] = after
        set_step_state(connection, step.step_id, "done")
        return Outcome(step, tuple(entries), values, n_kept)

    return job


def _is_present(
    connection: Connection, key: JudgmentKey, judgment: Judgment | None, step: int | None
) -> bool:
    """Whether what a step left behind still stands, so that taking it back harms nobody."""
    found = find_judgment(connection, key)
    if found is None:
        return judgment is None
    return found.judgment == judgment and found.step_id == step
