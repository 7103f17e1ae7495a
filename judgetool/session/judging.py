"""The jobs that the writer runs for a step: doing, undoing, redoing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from judgetool.core.judgments import Judgment, JudgmentChange, JudgmentKey
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import (
    LogEntry,
    Stored,
    find_judgment,
    find_said_at,
    iter_step_entries,
    write_entries,
)
from judgetool.storage.steps import (
    StepRow,
    find_redo_step,
    find_undo_step,
    insert_step,
    load_undo_steps,
    set_step_state,
)
from judgetool.storage.values import load_value_changes, number_assessor, write_value

BLANK = Judgment()
MATERIAL_KINDS = ("import", "material")
"""Kinds of steps that bring or change queries, documents or runs."""


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
    title: Callable[[Connection], str],
    assessor: str,
    at: int,
    how: Circumstances,
) -> Callable[[Connection], Outcome]:
    """Return the job that changes one assessor's judgments of some (query, document) pairs.

    What the step is called is asked for within the job: another connection would have to
    lock the file once more to look at it.
    """

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
        name = title(connection)
        step_id = insert_step(connection, kind="judge", title=name, assessor_id=assessor_id, at=at)
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
        return Outcome(StepRow(step_id, "judge", name, at), entries, assessor_id=assessor_id)

    return job


def values_job(
    values: Mapping[str, Any],
    *,
    title: str,
    assessor_id: int | None,
    at: int,
    kind: str = "project",
) -> Callable[[Connection], Outcome]:
    """Return the job that sets some of the project's own values; ``None`` takes one away."""

    def job(connection: Connection) -> Outcome:
        step_id = insert_step(connection, kind=kind, title=title, assessor_id=assessor_id, at=at)
        for key, value in values.items():
            write_value(connection, key, value, step_id=step_id, at=at, origin="command")
        return Outcome(StepRow(step_id, kind, title, at), values=dict(values))

    return job


def undo_job(assessor_id: int | None, at: int) -> Callable[[Connection], Outcome]:
    """Return the job that takes back the last step of the assessor or of nobody."""

    def job(connection: Connection) -> Outcome:
        step = find_undo_step(connection, assessor_id)
        if step is None:
            return Outcome()
        return _write_undo(connection, plan_undo(connection, [step]), at=at)

    return job


def undo_to_job(
    assessor_id: int | None, at: int, *, step_id: int
) -> Callable[[Connection], Outcome]:
    """Return the job that takes back every later step of the assessor or of nobody.

    It leaves what the same number of single undos would leave, in one transaction;
    each step can be redone by itself.

    Args:
        assessor_id: whose steps; ``None`` before the first judgment.
        at: milliseconds UTC.
        step_id: the step that stays as the last one.
    """

    def job(connection: Connection) -> Outcome:
        steps = load_undo_steps(connection, assessor_id, after_step=step_id)
        if not steps:
            return Outcome()
        return _write_undo(connection, plan_undo(connection, steps), at=at)

    return job


def _write_undo(connection: Connection, plan: "UndoPlan", *, at: int) -> Outcome:
    values: dict[str, Any] = {}
    for step, entries in plan.entries.items():
        write_entries(connection, entries, step_id=step, at=at)
        for key, before, _ in reversed(load_value_changes(connection, step)):
            write_value(connection, key, before, step_id=step, at=at, origin="undo")
            values[key] = before
        set_step_state(connection, step, "undone", at=at)
    told = plan.steps[0]
    if len(plan.steps) > 1:
        # One that brought material makes the session read its material anew.
        kinds = [step.kind for step in plan.steps]
        kind = next((kind for kind in kinds if kind in MATERIAL_KINDS), kinds[0])
        told = StepRow(told.step_id, kind, f"{len(plan.steps):,} steps", at)
    every = tuple(entry for entries in plan.entries.values() for entry in entries)
    return Outcome(told, every, values, len(plan.kept))


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What taking steps back changes.

    Attributes:
        steps: in the order of taking back, latest first.
        entries: the changes to write, by step.
        kept: changes of these steps that are left alone, because someone has changed
            the judgment since.
    """

    steps: tuple[StepRow, ...]
    entries: dict[int, tuple[LogEntry, ...]]
    kept: tuple[LogEntry, ...]


def plan_undo(connection: Connection, steps: Sequence[StepRow]) -> UndoPlan:
    """Return what taking back these steps, latest first, would change; nothing is written."""
    entries: dict[int, tuple[LogEntry, ...]] = {}
    kept: list[LogEntry] = []
    overlay: dict[JudgmentKey, tuple[Judgment | None, int | None]] = {}
    for step in steps:
        reverted: list[LogEntry] = []
        for entry in reversed(tuple(iter_step_entries(connection, step.step_id))):
            change = entry.change
            present = overlay.get(change.key) or _said(connection, change.key)
            if present == (change.after, entry.after_step):
                said_at = None
                if change.before is not None and entry.before_step is not None:
                    said_at = find_said_at(connection, change.key, entry.before_step)
                reverted.append(
                    LogEntry(
                        change.inverted(),
                        entry.after_step,
                        entry.before_step,
                        "undo",
                        made_at=said_at,
                    )
                )
                overlay[change.key] = (change.before, entry.before_step)
            else:
                kept.append(entry)
        entries[step.step_id] = tuple(reverted)
    return UndoPlan(tuple(steps), entries, tuple(kept))


def _said(connection: Connection, key: JudgmentKey) -> tuple[Judgment | None, int | None]:
    found = find_judgment(connection, key)
    return (found.judgment, found.step_id) if found else (None, None)


def redo_job(assessor_id: int | None, at: int) -> Callable[[Connection], Outcome]:
    """Return the job that does again what was undone last."""

    def job(connection: Connection) -> Outcome:
        step = find_redo_step(connection, assessor_id)
        if step is None:
            return Outcome()
        entries, n_kept = plan_redo(connection, step.step_id)
        write_entries(connection, entries, step_id=step.step_id, at=at)
        values = {}
        for key, _, after in load_value_changes(connection, step.step_id):
            write_value(connection, key, after, step_id=step.step_id, at=at, origin="redo")
            values[key] = after
        set_step_state(connection, step.step_id, "done", at=at)
        return Outcome(step, entries, values, n_kept)

    return job


def plan_redo(connection: Connection, step_id: int) -> tuple[tuple[LogEntry, ...], int]:
    """Return what doing a step again would change, and how many judgments it would leave alone.

    Only where what the undo left behind still stands does doing again harm nobody.
    """
    entries: list[LogEntry] = []
    n_kept = 0
    for entry in iter_step_entries(connection, step_id):
        if _said(connection, entry.change.key) == (entry.change.before, entry.before_step):
            entries.append(replace(entry, origin="redo"))
        else:
            n_kept += 1
    return tuple(entries), n_kept
