"""The project's own values (scale, title, chosen measures, …) and who the assessors are."""

import json
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

import apsw

from judgetool.core.clock import new_uuid
from judgetool.errors import tell
from judgetool.storage.damage import insert_row
from judgetool.storage.judgments import find_replaced_value
from judgetool.wording import _


class AssessorRow(NamedTuple):
    """Who judges.

    Attributes:
        assessor_id: the file's number.
        name: unique in the project.
        kind: ``human``, ``model``, ``import``, ``settled`` or ``again``.
        person_id: of kind ``again`` whose second judgments these are; else ``None``.
    """

    assessor_id: int
    name: str
    kind: str
    person_id: int | None = None


HUB_META = "hub"
"""The key of what a file knows of its team's hub, as JSON."""


def load_meta(connection: apsw.Connection) -> dict[str, str]:
    """Return what the file says of its origin, ``uuid``, ``made_by``, ``made_at``, and of its hub."""
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
            tell(_("The project’s value ‘{key}’ is damaged and was left out.").format(key=key))
    return values


def parse_value(text: str | None) -> Any:  # noqa: ANN401 - whatever JSON knows
    """Return what a line or row says of a project value; ``None`` for nothing."""
    return None if text is None else json.loads(text)


class ValueLine(NamedTuple):
    """What names a line of the log of values, and the lines that it replaces."""

    uuid: bytes
    parents: bytes


def write_value(  # noqa: PLR0913 - one value for each column
    connection: apsw.Connection,
    key: str,
    value: object,
    *,
    step_id: int,
    at: int,
    origin: str,
    line: ValueLine | None = None,
) -> None:
    """Set a project value (``None`` takes it away) and log what it was.

    ``line`` is for a line that was lost; a new one gets its own.
    """
    row = connection.execute("SELECT value FROM project_values WHERE key = ?", (key,)).fetchone()
    after = None if value is None else json.dumps(value, ensure_ascii=False)
    names = line or ValueLine(new_uuid(), find_replaced_value(connection, key, origin))
    event = (step_id, at, origin, key, row[0] if row else None, after, *names)
    insert_row(connection, "value_events", event)
    put_value(connection, key, after)


def put_value(connection: apsw.Connection, key: str, text: str | None) -> None:
    """Have a project value be a text of JSON, or ``None`` for nothing, without a line in the log."""
    if text is None:
        connection.execute("DELETE FROM project_values WHERE key = ?", (key,))
    else:
        connection.execute(
            "INSERT INTO project_values VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (key, text),
        )


def load_value_changes(connection: apsw.Connection, step_id: int) -> list[tuple[str, Any, Any]]:
    """Return (key, before, after) of the values that a step changed when it was first done."""
    rows = connection.execute(
        "SELECT key, before, after FROM value_events WHERE step_id = ? "
        "AND origin NOT IN ('undo', 'redo') ORDER BY value_event_id",
        (step_id,),
    )
    return [(key, parse_value(before), parse_value(after)) for key, before, after in rows]


def load_assessors(connection: apsw.Connection) -> list[AssessorRow]:
    """Return all assessors, first known first."""
    rows = connection.execute(
        "SELECT assessor_id, name, kind, person_id FROM assessors ORDER BY assessor_id"
    )
    return [AssessorRow(*row) for row in rows]


def load_kinds(connection: apsw.Connection) -> dict[str, str]:
    """Return the kinds of all assessors by name."""
    return {row.name: row.kind for row in load_assessors(connection)}


def load_numbers_of(connection: apsw.Connection, kind: str) -> set[int]:
    """Return the numbers of the assessors of a kind."""
    return {row.assessor_id for row in load_assessors(connection) if row.kind == kind}


def load_names(connection: apsw.Connection) -> dict[int, str]:
    """Return the names of all assessors by their numbers, first known first."""
    return {row.assessor_id: row.name for row in load_assessors(connection)}


def find_assessor(connection: apsw.Connection, name: str) -> int | None:
    """Return the number of an assessor; ``None`` where nobody is called so."""
    return next((row.assessor_id for row in load_assessors(connection) if row.name == name), None)


def fold_name(name: str) -> str:
    """Return what names have in common that differ by capitals or blanks alone."""
    return " ".join(name.split()).casefold()


def load_step_order(connection: apsw.Connection, *, is_always: bool = False) -> dict[int, int]:
    """Return the places of steps in time, by number, where merges have brought some; else nothing.

    What a merge brings gets its numbers when it comes, so that these would tell the order of merging.
    A step that is written later has a number above all places.
    """
    has_arrivals = "SELECT EXISTS(SELECT 1 FROM arrivals)"
    if not is_always and connection.execute(has_arrivals).fetchone() == (0,):
        return {}
    found = "SELECT step_id, row_number() OVER (ORDER BY at, uuid) FROM steps"
    rows: Any = connection.execute(found).fetchall()
    return dict(rows)


def load_speakers(connection: apsw.Connection) -> set[int]:
    """Return the numbers of the assessors who have said something."""
    return {
        number for (number,) in connection.execute("SELECT DISTINCT assessor_id FROM judgments")
    }


def number_assessor(
    connection: apsw.Connection, name: str, *, kind: str, person_id: int | None = None
) -> int:
    """Return an assessor's number, adding one who is not known yet.

    One person in two copies of a project is one: the uuid is made of the project's and the name.
    """
    row = connection.execute("SELECT assessor_id FROM assessors WHERE name = ?", (name,)).fetchone()
    if row is not None:
        return int(row[0])
    values = assessor_uuid(connection, name), name, kind, person_id
    return insert_row(connection, "assessors", values)


def assessor_uuid(connection: apsw.Connection, name: str) -> bytes:
    """Return the uuid that an assessor of this name gets in every copy of the project."""
    project = str(connection.execute("SELECT value FROM meta WHERE key = 'uuid'").get)
    try:
        space = UUID(project)
    except ValueError:
        space = uuid5(NAMESPACE_URL, project)
    return uuid5(space, name).bytes
