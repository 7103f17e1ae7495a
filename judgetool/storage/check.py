"""Is this project file sound, and what is in it."""

from itertools import islice
from pathlib import Path

import apsw

from judgetool.storage.checksums import is_meta_sound, iter_changed_rows
from judgetool.storage.connection import translated_errors
from judgetool.storage.history import load_judgments_as_of
from judgetool.storage.judgments import load_judgments, row_hash

FIRST_WITH_CHECKSUMS = 3
"""The schema that has checksums of all that is shown."""
MOST_NAMED = 20
"""So many damaged rows of a table are named."""


def find_problems(connection: apsw.Connection, path: Path) -> list[str]:
    """Return a sentence for each thing that is wrong; an empty list for a sound file.

    SQLite's own whole-file check, references, the checksums of log lines and rows, and
    whether judgments and values are what the log leads to.
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
        problems += _value_problems(connection)
        if load_schema_number(connection) >= FIRST_WITH_CHECKSUMS:
            problems += _row_problems(connection)
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
    expected = {key: stored[:2] for key, stored in load_judgments_as_of(connection)}
    found = {key: stored[:2] for key, stored in load_judgments(connection)}
    differing = {
        tuple(key) for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)
    }
    # Made when it was logged, or when an import says so.
    differing |= set(
        connection.execute(
            "SELECT query_id, document_id, assessor_id FROM judgments j WHERE NOT EXISTS "
            "(SELECT 1 FROM events e WHERE e.query_id = j.query_id "
            "AND e.document_id = j.document_id AND e.assessor_id = j.assessor_id "
            "AND j.at IN (e.at, json_extract(e.shown, '$.made_at')))"
        )
    )
    return [
        f"Judgment (query {query}, document {document}, assessor {assessor}, by internal number) "
        "is not what the log says."
        for query, document, assessor in sorted(differing)[:MOST_NAMED]
    ]


def _value_problems(connection: apsw.Connection) -> list[str]:
    rows = connection.execute(
        "SELECT CAST(key AS BLOB), CAST(after AS BLOB) FROM value_events ORDER BY value_event_id"
    )
    expected = dict(rows)
    found = dict(
        connection.execute("SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM project_values")
    )
    return [
        f"The project's value {key.decode(errors='replace')!r} is not what the log says."
        for key in sorted(expected.keys() | found.keys())
        if expected.get(key) != found.get(key)
    ]


_ROWS = {
    "assessors": "Assessor {}",
    "steps": "Step {} (its title, time or origin)",
    "step_events": "Line {} of what was undone and redone",
    "value_events": "Line {} of what was changed in the project's values",
    "runs": "Run {} (its name or origin)",
    "clicks": "The clicks of query {} on document {}",
    "query_texts": "The text of query {}",
    "document_texts": "The text of document {}",
    "rankings": "The ranking of run {} for query {}",
}


def _row_problems(connection: apsw.Connection) -> list[str]:
    problems = []
    if not is_meta_sound(connection):
        problems.append("What the file says of its origin does not match its checksum.")
    for table, what in _ROWS.items():
        problems += [
            f"{what.format(*keys)} (by internal number) does not match its checksum: the file "
            "was damaged or changed by hand."
            for keys in islice(iter_changed_rows(connection, table), MOST_NAMED)
        ]
    return problems


def load_schema_number(connection: apsw.Connection) -> int:
    """Return the number of the schema that the file has, also one read as a newer one."""
    return int(connection.pragma("user_version"))


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
