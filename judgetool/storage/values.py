"""The project's own values (scale, title, chosen measures, …) and who the assessors are."""

import json
import uuid
from typing import Any, NamedTuple

import apsw

from judgetool.core.notices import tell
from judgetool.storage.checksums import insert_row


class AssessorRow(NamedTuple):
    """Who judges: a person, a model or an import."""

    assessor_id: int
    name: str
    kind: str


def load_meta(connection: apsw.Connection) -> dict[str, str]:
    """Return what the file says of its origin: ``uuid``, ``made_by``, ``made_at``."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def load_values(connection: apsw.Connection, *, prefix: str = "") -> dict[str, Any]:
    """Return the project's values whose key starts so; all for ``""``."""
    rows = connection.execute(
        "SELECT key, value FROM project_values WHERE substr(key, 1, ?) = ?", (len(prefix), prefix)
    )
    values = {}
    for key, value in rows:
        try:
            values[key] = json.loads(value)
        except ValueError:
            tell(f"The project's value ‘{key}’ is damaged and was left out.")
    return values


def write_value(
    connection: apsw.Connection, key: str, value: object, *, step_id: int, at: int, origin: str
) -> None:
    """Set a project value (``None`` takes it away) and log what it was."""
    row = connection.execute("SELECT value FROM project_values WHERE key = ?", (key,)).fetchone()
    after = None if value is None else json.dumps(value, ensure_ascii=False)
    event = (step_id, at, origin, key, row[0] if row else None, after)
    insert_row(connection, "value_events", event)
    if after is None:
        connection.execute("DELETE FROM project_values WHERE key = ?", (key,))
    else:
        connection.execute(
            "INSERT INTO project_values VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (key, after),
        )


def load_value_changes(connection: apsw.Connection, step_id: int) -> list[tuple[str, Any, Any]]:
    """Return (key, before, after) of the values that a step changed when it was first done."""
    rows = connection.execute(
        "SELECT key, before, after FROM value_events WHERE step_id = ? "
        "AND origin NOT IN ('undo', 'redo') ORDER BY value_event_id",
        (step_id,),
    )
    return [
        (key, None if a is None else json.loads(a), None if b is None else json.loads(b))
        for key, a, b in rows
    ]


def load_assessors(connection: apsw.Connection) -> list[AssessorRow]:
    """Return all assessors, first known first."""
    rows = connection.execute("SELECT assessor_id, name, kind FROM assessors ORDER BY assessor_id")
    return [AssessorRow(*row) for row in rows]


def number_assessor(connection: apsw.Connection, name: str, *, kind: str) -> int:
    """Return an assessor's number, adding one who is not known yet."""
    row = connection.execute("SELECT assessor_id FROM assessors WHERE name = ?", (name,)).fetchone()
    if row is not None:
        return int(row[0])
    return insert_row(connection, "assessors", (uuid.uuid4().bytes, name, kind))
