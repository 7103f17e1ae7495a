"""Which of what merged copies brought is visible, and what follows from it.

What is said of a judgment or value follows from its visible lines alone (``storage.judgments``).
Undoing a merge hides the steps that no other merge has brought; doing it again shows them.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.storage.judgments import (
    JUDGMENT_COLUMNS,
    SAID_ANEW,
    HeadText,
    load_lines,
    load_value_lines,
    resolve,
    set_step_state,
    write_states,
)

Key = tuple[int, int, int]
"""Query, document and assessor by their numbers in the file."""

MERGE, TURN, HUB = "merge", "turn", "hub"
"""Kinds of steps: a merge, an undo or redo that came from another copy, and what a hub has brought."""


def turn_merge(connection: apsw.Connection, step_id: int, state: str, *, at: int) -> dict[str, Any]:
    """Hide what a merge brought (``undone``), or show it again (``done``).

    Nothing is written against what others said: their lines are not visible any more.

    Args:
        connection: of the writer, in a transaction.
        step_id: the merge.
        state: its new state.
        at: when, milliseconds UTC.

    Returns:
        The project's values that are others now, by key; ``None`` for one taken away.
    """
    set_step_state(connection, step_id, state, at=at)
    set_states(connection, step_id)
    linked = {
        int(str(row[0]))
        for row in connection.execute("SELECT step_id FROM arrivals WHERE merge_id = ?", (step_id,))
    }
    settle_judgments(connection, touched(connection, linked))
    return settle_values(connection, touched_values(connection, linked))


def set_states(connection: apsw.Connection, merge: int) -> None:
    """Show or hide the steps of a merge, and undo or do those that turns of it turn."""
    connection.execute(
        "UPDATE steps SET state = 'abandoned' WHERE step_id IN "
        "(SELECT step_id FROM arrivals WHERE merge_id = ?1) AND NOT EXISTS (SELECT 1 FROM arrivals a "
        "JOIN steps m ON m.step_id = a.merge_id AND m.state = 'done' "
        "WHERE a.step_id = steps.step_id)",
        (merge,),
    )
    connection.execute(
        "UPDATE steps SET state = 'done' WHERE state = 'abandoned' AND state <> 'done' "
        "AND step_id IN (SELECT a.step_id FROM arrivals a JOIN steps m ON m.step_id = a.merge_id "
        "WHERE m.state = 'done')"
    )
    turn_steps(connection)


def show_arrived(connection: apsw.Connection, merge: int, first: int, last: int) -> None:
    """Show those steps of a merge that have these numbers."""
    connection.execute(
        "UPDATE steps SET state = 'done' WHERE step_id IN (SELECT step_id FROM arrivals "
        "WHERE merge_id = ? AND step_id BETWEEN ? AND ?) AND state = 'abandoned'",
        (merge, first, last),
    )


def turn_steps(connection: apsw.Connection) -> None:
    """Undo or do the steps that turns from other copies turn."""
    turns: Any = connection.execute(
        f"SELECT json_extract(detail, '$.step'), title, at, state FROM steps WHERE kind = '{TURN}'"  # noqa: S608 - a constant
    ).fetchall()
    changes: dict[str, list[tuple[int, str]]] = {}
    for name, change, when, state in turns:
        found = changes.setdefault(name, [])
        if state == "done":
            found.append((when, change))
    for name, found in changes.items():
        turn_step(connection, bytes.fromhex(name), found)


def turn_step(connection: apsw.Connection, uuid: bytes, turns: list[tuple[int, str]]) -> None:
    """Give a step the state that the last of its visible turns gave it."""
    row = connection.execute("SELECT step_id, state FROM steps WHERE uuid = ?", (uuid,)).fetchone()
    if row is None or row[1] in ("pending", "abandoned"):
        return
    own: Any = connection.execute(
        "SELECT at, change FROM step_events WHERE step_id = ? AND change <> 'published'", row[:1]
    ).fetchall()
    _, last = max([*turns, *own], default=(0, "redone"))
    state = "dropped" if last == "undone" else "done"
    if state == "done" or row[1] != "undone":
        connection.execute("UPDATE steps SET state = ? WHERE step_id = ?", (state, row[0]))


def touched(connection: apsw.Connection, steps: Iterable[int]) -> set[Key]:
    """Return the judgments of which lines hang on these steps."""
    rows: Any = connection.execute(
        "SELECT DISTINCT query_id, document_id, assessor_id FROM events WHERE step_id IN "
        "(SELECT value FROM json_each(?))",
        (json.dumps(sorted(steps)),),
    )
    return set(rows)


def touched_values(connection: apsw.Connection, steps: Iterable[int]) -> set[str]:
    """Return the keys of the project's values of which lines hang on these steps."""
    rows: Any = connection.execute(
        "SELECT DISTINCT key FROM value_events WHERE step_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(steps)),),
    )
    return {key for (key,) in rows}


def settle_judgments(connection: apsw.Connection, keys: Iterable[Key]) -> list[Key]:
    """Write what the visible lines of these judgments say, and return those that conflict."""
    states: dict[Key, HeadText] = {}
    conflicts: list[Key] = []
    for key in sorted(keys):
        found = resolve(load_lines(connection, key))
        states[key] = found[0] if found else NOTHING
        if len(found) > 1:
            conflicts.append(key)
    write_states(connection, states)
    note_conflicts(connection, conflicts)
    return conflicts


NOTHING = HeadText(None, 0, 0)


def note_conflicts(connection: apsw.Connection, keys: Iterable[Key]) -> None:
    """Note judgments of which copies say different things; whether they still do the log tells."""
    connection.executemany("INSERT OR IGNORE INTO conflicts VALUES(?, ?, ?)", keys)


_ARRIVING = "arriving"
"""A table of the writer's alone: judgments that a merge will write, in the order of their keys."""


def make_arriving(connection: apsw.Connection) -> None:
    """Begin with none."""
    connection.execute(f"DROP TABLE IF EXISTS temp.{_ARRIVING}")
    connection.execute(f"CREATE TEMP TABLE {_ARRIVING}({JUDGMENT_COLUMNS})")


def stage_states(connection: apsw.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Keep what :func:`~judgetool.storage.judgments.state_row` gives for :func:`write_arriving`."""
    connection.executemany(f"INSERT INTO temp.{_ARRIVING} VALUES(?,?,?,?,?,?,?,?,?,?,?)", rows)


def write_arriving(connection: apsw.Connection, first: int, last: int) -> None:
    """Write some of the judgments that were kept, from 1: SQLite does so without Python."""
    part = f"FROM temp.{_ARRIVING} WHERE rowid BETWEEN ? AND ? AND state IS"
    connection.execute(
        "DELETE FROM judgments WHERE (query_id, document_id, assessor_id) IN "  # noqa: S608 - constants
        f"(SELECT query_id, document_id, assessor_id {part} NULL)",
        (first, last),
    )
    connection.execute(
        f"INSERT INTO judgments({JUDGMENT_COLUMNS}) SELECT {JUDGMENT_COLUMNS} {part} NOT NULL "
        "ON CONFLICT DO UPDATE SET " + SAID_ANEW,
        (first, last),
    )


def drop_arriving(connection: apsw.Connection) -> None:
    """Let go of the table."""
    connection.execute(f"DROP TABLE IF EXISTS temp.{_ARRIVING}")


def settle_merged(connection: apsw.Connection, keys: Collection[Key]) -> set[Key]:
    """The same after a step was undone or redone: return those that a merge has touched."""
    if not keys or not _has_merged(connection):
        return set()
    found = {key for key in keys if _has_arrivals(connection, key)}
    settle_judgments(connection, found)
    return found


def settle_merged_values(connection: apsw.Connection, names: Collection[str]) -> dict[str, Any]:
    """The same of the project's values: return those that are others than was written just now."""
    return settle_values(connection, names) if names and _has_merged(connection) else {}


def _has_merged(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM arrivals LIMIT 1").fetchone() is not None


def _has_arrivals(connection: apsw.Connection, key: Key) -> bool:
    """Whether lines of a judgment came from another copy."""
    found = connection.execute(
        "SELECT 1 FROM events e JOIN arrivals a USING(step_id) WHERE e.query_id = ? "
        "AND e.document_id = ? AND e.assessor_id = ? LIMIT 1",
        key,
    ).fetchone()
    return found is not None


def settle_values(connection: apsw.Connection, names: Iterable[str]) -> dict[str, Any]:
    """Write what the visible lines of these values say; return those that are others now."""
    changed: dict[str, Any] = {}
    for name in sorted(names):
        found = resolve(load_value_lines(connection, name))
        text = found[0].text if found else None
        row = connection.execute(
            "SELECT value FROM project_values WHERE key = ?", (name,)
        ).fetchone()
        if (row[0] if row else None) == text:
            continue
        changed[name] = None if text is None else json.loads(text)
        if text is None:
            connection.execute("DELETE FROM project_values WHERE key = ?", (name,))
        else:
            connection.execute(
                "INSERT INTO project_values VALUES(?, ?) ON CONFLICT DO UPDATE SET "
                "value = excluded.value",
                (name, text),
            )
    return changed


def is_conflict(connection: apsw.Connection, key: Key) -> bool:
    """Whether merged copies say different things of a judgment, and nobody has judged it since."""
    named = connection.execute(
        "SELECT 1 FROM conflicts WHERE query_id = ? AND document_id = ? AND assessor_id = ?", key
    ).fetchone()
    return named is not None and len(resolve(load_lines(connection, key))) > 1


def load_conflicting_pairs(
    connection: apsw.Connection, query_id: int | None = None
) -> npt.NDArray[np.int64]:
    """Return the (query, document) pairs of :func:`find_conflicts`, each once, shape (n, 2)."""
    pairs = sorted({key[:2] for key in find_conflicts(connection, query_id)})
    return np.array(pairs, np.int64).reshape(-1, 2)


def find_conflicts(connection: apsw.Connection, query_id: int | None = None) -> list[Key]:
    """Return the judgments of which copies say different things, until somebody judges them again.

    Args:
        connection: for looking.
        query_id: of this query alone; ``None`` of all.
    """
    rows: Any = connection.execute(
        "SELECT query_id, document_id, assessor_id FROM conflicts WHERE ?1 IS NULL OR query_id = ?1",
        (query_id,),
    ).fetchall()
    return [key for key in rows if len(resolve(load_lines(connection, key))) > 1]
