"""Bringing an old project file up to date, or reading it as if it were."""

import time
from pathlib import Path

import apsw

from judgetool.errors import ProjectDamagedError, SaveError
from judgetool.storage.backups import BackupFolder, BackupKind
from judgetool.storage.checksums import seal_rows
from judgetool.storage.connection import connect, leave_wal, translated_errors
from judgetool.storage.copies import count_rows, find_damage, write_copy
from judgetool.storage.header import SCHEMA_VERSION
from judgetool.storage.migrations import check_schema, look_text, schema_text
from judgetool.storage.values import load_meta

_ENDINGS = ("", *(f"-{number}" for number in range(2, 1000)))


def upgrade_file(path: Path, *, from_version: int, backs_up: bool = True) -> None:
    """Bring a file to this program's schema: all of it in one transaction.

    A verified backup is made first. Killed at any moment,
    the file is what it was or what it is to be: the schema's number is part of the
    transaction. The lines of the event log keep their checksums.

    Args:
        path: a project that this process may write, and that nobody else writes.
        from_version: the schema it has, lower than this program's.
        backs_up: whether to make a backup first; not for what is itself a copy.

    Raises:
        ProjectDamagedError: it is unsound; it was not changed.
        SaveError: there is no room for the backup or for the change; likewise.
    """
    with translated_errors(path):
        connection = connect(path, is_writable=True)
        try:
            check_schema(connection, path, version=from_version)
            _refuse_damage(connection, path)
            if backs_up:
                _back_up(connection, path, from_version)
            _change(connection, path, from_version)
            leave_wal(connection)
        finally:
            connection.close()


def _refuse_damage(connection: apsw.Connection, path: Path) -> None:
    found = find_damage(connection)
    if found:
        raise ProjectDamagedError(
            f"It is damaged ({found}). ‘judgetool check’ says what is readable; a backup is the "
            "way back.",
            path=path,
        )


def _back_up(connection: apsw.Connection, path: Path, from_version: int) -> None:
    """Make a backup in the user's data folder or, where that cannot be, beside the project."""
    folder = BackupFolder(load_meta(connection)["uuid"], path)
    try:
        folder.make(connection, BackupKind.UPGRADE)
    except SaveError as problem:
        try:
            write_copy(connection, _free_name(path, from_version))
        except SaveError:
            # What is said of the usual place tells more than what is said of this one.
            raise problem from None


def _free_name(path: Path, version: int) -> Path:
    names = (f"{path.stem}-schema-{version}{more}{path.suffix}" for more in _ENDINGS)
    return next(other for name in names if not (other := path.with_name(name)).exists())


def _change(connection: apsw.Connection, path: Path, from_version: int) -> None:
    connection.pragma("synchronous", 3)
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = count_rows(connection)
        for number in range(from_version + 1, SCHEMA_VERSION + 1):
            connection.execute(schema_text(number))
        connection.pragma("user_version", SCHEMA_VERSION)
        connection.execute(
            "INSERT OR REPLACE INTO meta VALUES('upgraded_at', ?)",
            (str(time.time_ns() // 1_000_000),),
        )
        seal_rows(connection)
        check_schema(connection, path)
        _refuse_unsound(connection, path, rows=before)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_unsound(connection: apsw.Connection, path: Path, *, rows: tuple[int, int]) -> None:
    orphan = connection.execute("PRAGMA foreign_key_check").fetchone()
    if count_rows(connection) != rows or orphan or find_damage(connection):
        raise ProjectDamagedError(
            "What came out was not sound. Nothing was changed. ‘judgetool check’ says what is "
            "readable.",
            path=path,
        )


def look_as_new(connection: apsw.Connection, *, from_version: int) -> None:
    """Let a connection to an old file answer as one of this schema, changing nothing in it.

    Temporary views go before the tables of the same names and add what is missing. They
    live in memory and cost nothing, however large the file is, where a migrated private
    copy of it would cost its size in disk and time at every look.

    Args:
        connection: for looking only; not yet ``query_only``.
        from_version: the schema of the file.
    """
    for number in range(from_version + 1, SCHEMA_VERSION + 1):
        connection.execute(look_text(number))
