"""Is this project file sound, and what is in it."""

from pathlib import Path

import apsw

from judgetool.storage.connection import translated_errors
from judgetool.storage.history import load_judgments_as_of
from judgetool.storage.judgments import load_judgments, row_hash


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
    # The time is left out: an import may say when its judgments were made.
    expected = {key: stored[:2] for key, stored in load_judgments_as_of(connection)}
    found = {key: stored[:2] for key, stored in load_judgments(connection)}
    differing = [
        key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key)
    ]
    return [
        f"Judgment (query {query}, document {document}, assessor {assessor}, by internal number) "
        "is not what the log says."
        for query, document, assessor in sorted(differing)[:20]
    ]


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
