"""Steps: the changes that a person asked for, and which of them can be undone."""

import json
import uuid
from dataclasses import dataclass
from typing import Any

import apsw

from judgetool.core.clock import utc_ms
from judgetool.storage.checksums import row_checksum


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step as stored.

    Attributes:
        step_id: its number; higher is later.
        kind: ``judge``, ``import``, ``project``, ….
        title: for the Undo menu and the history.
        at: when, milliseconds UTC.
    """

    step_id: int
    kind: str
    title: str
    at: int


def insert_step(  # noqa: PLR0913 - one value for each column
    connection: apsw.Connection,
    *,
    kind: str,
    title: str,
    assessor_id: int | None,
    at: int,
    state: str = "done",
    detail: dict[str, Any] | None = None,
    step_uuid: bytes | None = None,
) -> int:
    """Add a step and return its number. Nothing that was undone can be redone after it.

    ``step_uuid`` is for a step that was taken before and lost; a new one gets its own.
    """
    if state == "done":
        drop_undone(connection, assessor_id)
    row = (
        step_uuid or uuid.uuid4().bytes,
        kind,
        title,
        assessor_id,
        at,
        json.dumps(detail or {}),
    )
    connection.execute(
        "INSERT INTO steps(uuid, kind, title, assessor_id, at, detail, state, hash) "
        "VALUES(?,?,?,?,?,?,?,?)",
        (*row, state, row_checksum(*row)),
    )
    return connection.last_insert_rowid()


# As the index of steps says it: else it is not used, and all steps are gone through.
_UNDONE = "state = 'undone' AND state <> 'done'"


def drop_undone(connection: apsw.Connection, assessor_id: int | None) -> None:
    """Make what this assessor had undone impossible to redo, because a new step was taken."""
    connection.execute(
        f"UPDATE steps SET state = 'dropped' WHERE {_UNDONE} "  # noqa: S608 - a constant
        "AND (assessor_id IS ? OR assessor_id IS NULL)",
        (assessor_id,),
    )


_CHANGES = {
    ("pending", "done"): "published",
    ("done", "undone"): "undone",
    ("undone", "done"): "redone",
}


def set_step_state(
    connection: apsw.Connection, step_id: int, state: str, *, at: int | None = None
) -> None:
    """Set a step's state, and note when it became visible, was undone or redone.

    Args:
        connection: in a transaction.
        step_id: which.
        state: its new state.
        at: when, milliseconds UTC; ``None`` for now by the machine's clock.
    """
    before = connection.execute("SELECT state FROM steps WHERE step_id = ?", (step_id,)).get
    connection.execute("UPDATE steps SET state = ? WHERE step_id = ?", (state, step_id))
    change = _CHANGES.get((str(before), state))
    if change is not None:
        last = int(connection.execute("SELECT coalesce(max(event_id), 0) FROM events").get)
        row = (step_id, utc_ms() if at is None else at, change, last)
        connection.execute(
            "INSERT INTO step_events(step_id, at, change, after_event, hash) VALUES(?,?,?,?,?)",
            (*row, row_checksum(*row)),
        )


def find_undo_step(connection: apsw.Connection, assessor_id: int | None) -> StepRow | None:
    """Return the step that Undo would take back: the last one that is the assessor's or nobody's."""
    return _first(
        connection,
        "SELECT step_id, kind, title, at FROM steps WHERE state = 'done' AND kind <> 'new' "
        "AND (assessor_id IS ? OR assessor_id IS NULL) ORDER BY step_id DESC LIMIT 1",
        assessor_id,
    )


def find_redo_step(connection: apsw.Connection, assessor_id: int | None) -> StepRow | None:
    """Return the step that Redo would do again: the earliest of those undone."""
    return _first(
        connection,
        f"SELECT step_id, kind, title, at FROM steps WHERE {_UNDONE} "  # noqa: S608 - a constant
        "AND (assessor_id IS ? OR assessor_id IS NULL) ORDER BY step_id LIMIT 1",
        assessor_id,
    )


def load_undo_steps(
    connection: apsw.Connection, assessor_id: int | None, *, after_step: int
) -> list[StepRow]:
    """Return what repeated Undo would take back down to a step, in the order of taking back."""
    rows = connection.execute(
        "SELECT step_id, kind, title, at FROM steps WHERE state = 'done' AND kind <> 'new' "
        "AND (assessor_id IS ? OR assessor_id IS NULL) AND step_id > ? ORDER BY step_id DESC",
        (assessor_id, after_step),
    )
    return [StepRow(*row) for row in rows]


def _first(connection: apsw.Connection, sql: str, assessor_id: int | None) -> StepRow | None:
    row = connection.execute(sql, (assessor_id,)).fetchone()
    return StepRow(*row) if row else None


def clear_pending(connection: apsw.Connection) -> int:
    """Abandon imports that a killed process left half-written; return how many."""
    rows = connection.execute(
        "SELECT step_id FROM steps WHERE state = 'pending' AND state <> 'done'"
    )
    pending = [int(str(step_id)) for (step_id,) in rows]
    for step_id in pending:
        abandon_step(connection, step_id)
    return len(pending)


def abandon_step(connection: apsw.Connection, step_id: int) -> None:
    """Take away the rows of a step that was never finished."""
    connection.execute("DELETE FROM staged_judgments WHERE step_id = ?", (step_id,))
    connection.execute(
        "DELETE FROM rankings WHERE run_id IN (SELECT run_id FROM runs WHERE step_id = ?)",
        (step_id,),
    )
    for table in ("runs", "clicks", "document_texts", "query_texts", "row_counts"):
        connection.execute(f"DELETE FROM {table} WHERE step_id = ?", (step_id,))  # noqa: S608 - constants
    set_step_state(connection, step_id, "abandoned")
