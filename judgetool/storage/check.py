"""Is this project file sound, and what is in it."""

import json
from pathlib import Path
from typing import Any

import apsw

from judgetool.storage.connection import translated_errors
from judgetool.storage.judgments import row_hash


def find_problems(connection: apsw.Connection, path: Path) -> list[str]:
    """Return a sentence for each thing that is wrong; an empty list for a sound file.

    Four looks: SQLite's own whole-file check, references, the checksum of every log
    line, and whether the state equals what the log leads to.
    """
    with translated_errors(path):
        problems = [
            f"SQLite: {text}"
            for (text,) in connection.execute("PRAGMA integrity_check(20)")
            if text != "ok"
        ]
        problems += [
            f"Table {table}, row {row}: refers to a row of {parent} that is not there."
            for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check")
        ]
        problems += _hash_problems(connection)
        problems += _state_problems(connection)
        return problems


def _hash_problems(connection: apsw.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT uuid, step_id, at, query_id, document_id, assessor_id, origin, before, "
        "before_step, after, after_step, spent_ms, shown, row_hash, event_id FROM events"
    )
    return [
        f"Log line {row[-1]} does not match its checksum: the file was damaged or changed by hand."
        for row in rows
        if row_hash(row[:-2]) != row[-2]
    ]


def _state_problems(connection: apsw.Connection) -> list[str]:
    said: dict[tuple[Any, ...], dict[str, Any] | None] = {}
    rows = connection.execute(
        "SELECT query_id, document_id, e.assessor_id, after FROM events e JOIN steps s USING(step_id) "
        "WHERE s.state NOT IN ('pending', 'abandoned') ORDER BY event_id"
    )
    for query, document, assessor, after in rows:
        said[query, document, assessor] = None if after is None else json.loads(after)
    expected = {key: _flat(value) for key, value in said.items() if value is not None}
    found = {
        tuple(row[:3]): (row[3], row[4], row[5], bool(row[6]))
        for row in connection.execute(
            "SELECT query_id, document_id, assessor_id, state, grade, note, flagged FROM judgments"
        )
    }
    differing = [
        key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)
    ]
    return [
        f"Judgment (query {query}, document {document}, assessor {assessor}, by internal number) "
        "is not what the log says."
        for query, document, assessor in sorted(differing)[:20]
    ]


def _flat(value: dict[str, Any]) -> tuple[Any, ...]:
    return (
        value["state"],
        value.get("grade"),
        value.get("note", ""),
        bool(value.get("flagged", False)),
    )


def count_log(connection: apsw.Connection) -> dict[str, int]:
    """Return how many judgments, log lines, steps and assessors the file holds."""
    tables = {
        "judgments": "judgments",
        "log lines": "events",
        "steps": "steps",
        "assessors": "assessors",
    }
    return {
        name: int(connection.execute(f"SELECT count(*) FROM {table}").get)  # noqa: S608 - constant tables
        for name, table in tables.items()
    }
