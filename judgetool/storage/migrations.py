"""Making a project file, and knowing the schema of each version."""

import os
import time
from pathlib import Path
from uuid import uuid4

import apsw

from judgetool import __version__
from judgetool.errors import InputError, ProjectDamagedError
from judgetool.storage.checksums import seal_meta
from judgetool.storage.connection import apply_settings, translated_errors
from judgetool.storage.copies import unfinished_name
from judgetool.storage.disks import NEEDED_BYTES, refuse_without_room
from judgetool.storage.header import APPLICATION_ID, SCHEMA_VERSION
from judgetool.storage.syncing import move_aside

_SCHEMA_DIR = Path(__file__).parent / "schema"


def create_file(path: Path, *, uuid: str | None = None) -> None:
    """Make an empty project file.

    It is written under a temporary name and renamed, so that a half-made one never
    stands under the real name.

    Args:
        path: where nothing stands yet.
        uuid: of a project that is rebuilt; ``None`` for a new one.

    Raises:
        InputError: something stands there already, or the folder is missing.
        SaveError: the disk is full or cannot be written.
    """
    if path.exists():
        raise InputError(f"{path} exists already. Open it, or choose another name.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent}. Make it, or choose another place.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"The folder {path.parent} cannot be written. Choose another place.")
    # The first log beside it takes as much again.
    refuse_without_room(path, 2 * NEEDED_BYTES)
    unfinished = unfinished_name(path)
    try:
        with translated_errors(path):
            _write_schema(unfinished, uuid or str(uuid4()))
        move_aside(path)
        unfinished.rename(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _write_schema(path: Path, uuid: str) -> None:
    connection = apsw.Connection(os.fspath(path))
    try:
        apply_settings(connection)
        connection.pragma("synchronous", 2)
        connection.execute("BEGIN IMMEDIATE")
        connection.pragma("application_id", APPLICATION_ID)
        for number in range(1, SCHEMA_VERSION + 1):
            connection.execute(schema_text(number))
        connection.pragma("user_version", SCHEMA_VERSION)
        connection.executemany(
            "INSERT INTO meta VALUES(?, ?)",
            (
                ("uuid", uuid),
                ("made_by", f"judgetool {__version__}"),
                ("made_at", str(time.time_ns() // 1_000_000)),
            ),
        )
        seal_meta(connection)
        connection.execute("COMMIT")
    finally:
        connection.close()


def schema_text(number: int) -> str:
    """Return the SQL that leads to this schema number."""
    return (_SCHEMA_DIR / f"{number:04d}.sql").read_text(encoding="utf-8")


def look_text(number: int) -> str:
    """Return the SQL with which an older file is read as one of this schema number."""
    return (_SCHEMA_DIR / f"{number:04d}.look.sql").read_text(encoding="utf-8")


def schema_fingerprint(connection: apsw.Connection) -> tuple[tuple[str, str, str], ...]:
    """Return type, name and SQL of all that the schema holds, blanks folded."""
    rows = connection.execute(
        "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
    )
    return tuple(sorted((kind, name, " ".join(sql.split())) for kind, name, sql in rows))


def check_schema(connection: apsw.Connection, path: Path, *, version: int = SCHEMA_VERSION) -> None:
    """Refuse a file whose schema is not exactly ours: a trigger could change judgments.

    Args:
        connection: to the file.
        path: for the sentence.
        version: the schema that the file says it has.

    Raises:
        ProjectDamagedError: something is missing, changed or added.
    """
    pattern = apsw.Connection(":memory:")
    for number in range(1, version + 1):
        pattern.execute(schema_text(number))
    expected, found = set(schema_fingerprint(pattern)), set(schema_fingerprint(connection))
    pattern.close()
    if expected != found:
        names = sorted({name for _, name, _ in expected ^ found})
        raise ProjectDamagedError(
            f"{path.name} does not have the tables of a judgetool project (differs in "
            f"{', '.join(names[:5])}). It may have been changed by another program; it is not used.",
            path=path,
        )
