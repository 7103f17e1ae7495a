"""Making a project file, and bringing an old one up to date or reading it as if it were."""

import json
import os
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4, uuid5

import apsw

from judgetool import __version__
from judgetool.core.clock import utc_ms
from judgetool.core.held_files import APPLICATION_ID, refuse_hopeless
from judgetool.errors import InputError, ProjectDamagedError, SaveError
from judgetool.storage.backups import (
    BackupFolder,
    BackupKind,
    complete_file,
    count_rows,
    find_damage,
    write_copy,
)
from judgetool.storage.connection import (
    SCHEMA_VERSION,
    apply_settings,
    connect_raw,
    leave_wal,
    read_header,
)
from judgetool.storage.damage import add_checksum, seal_meta, seal_rows, translated_errors
from judgetool.storage.disks import NEEDED_BYTES, free_name, refuse_without_room
from judgetool.storage.values import load_meta
from judgetool.wording import _

_SCHEMA_DIR = Path(__file__).parent / "schema"


def create_file(path: Path, *, uuid: str | None = None) -> None:
    """Make an empty project file.

    It is written under a temporary name and renamed, so that a half-made one never
    stands under the real name.

    Args:
        path: where nothing stands yet.
        uuid: of a project that is rebuilt; ``None`` for a new one.

    Raises:
        InputError: something stands there already, be it a link that leads nowhere, or the name
            is too long for what SQLite keeps beside the file.
        SaveError: the folder is missing, or the disk is full or cannot be written.
    """
    refuse_hopeless(path, endings=("", "-journal"))
    if path.is_symlink() and not path.exists():
        raise InputError(
            _(
                "{path} is a link to {target}, where nothing stands. Nothing was made; make the "
                "project there, or choose another name."
            ).format(path=path, target=path.readlink())
        )
    if path.exists():
        raise InputError(
            _("{path} exists already. Open it, or choose another name.").format(path=path)
        )
    # The first log beside it takes as much again.
    refuse_without_room(path, 2 * NEEDED_BYTES)
    with complete_file(path) as unfinished, translated_errors(path):
        _write_schema(unfinished, uuid or str(uuid4()))


def _write_schema(path: Path, uuid: str) -> None:
    with closing(apsw.Connection(os.fspath(path))) as connection:
        apply_settings(connection)
        connection.pragma("synchronous", 2)
        connection.execute("BEGIN IMMEDIATE")
        connection.pragma("application_id", APPLICATION_ID)
        apply_schema(connection, SCHEMA_VERSION)
        connection.executemany(
            "INSERT INTO meta VALUES(?, ?)",
            (
                ("uuid", uuid),
                ("made_by", f"judgetool {__version__}"),
                ("made_at", str(utc_ms())),
            ),
        )
        seal_meta(connection)
        connection.execute("COMMIT")


def apply_schema(connection: apsw.Connection, version: int, *, above: int = 0) -> None:
    """Bring a file from one schema to a later one; from nothing unless told otherwise.

    Args:
        connection: of an empty file, or of one of the schema ``above``.
        version: the schema that it is to have.
        above: the one that it has.
    """
    _add_function(connection)
    for number in range(above + 1, version + 1):
        connection.execute(_text(f"{number:04d}.sql"))
    connection.pragma("user_version", version)


def _text(name: str) -> str:
    return (_SCHEMA_DIR / name).read_text(encoding="utf-8")


def schema_fingerprint(connection: apsw.Connection) -> tuple[tuple[str, str, str], ...]:
    """Return type, name and SQL of all that the schema holds, blanks folded."""
    rows = connection.execute(
        "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
    )
    return tuple(sorted((kind, name, " ".join(sql.split())) for kind, name, sql in rows))


@cache
def _pattern(version: int) -> frozenset[tuple[str, str, str]]:
    """Return the fingerprint of a file that has just been made."""
    with closing(apsw.Connection(":memory:")) as connection:
        apply_schema(connection, version)
        return frozenset(schema_fingerprint(connection))


def check_schema(connection: apsw.Connection, path: Path, *, version: int = SCHEMA_VERSION) -> None:
    """Refuse a file whose schema is not exactly ours: a trigger could change judgments.

    Args:
        connection: to the file.
        path: for the sentence.
        version: the schema that the file says it has.

    Raises:
        ProjectDamagedError: something is missing, changed or added.
    """
    expected, found = _pattern(version), set(schema_fingerprint(connection))
    if expected != found:
        names = sorted({name for _, name, _ in expected ^ found})
        raise ProjectDamagedError(
            _(
                "{path} does not have the tables of a judgetool project (differs in {names}). "
                "It may have been changed by another program; it is not used."
            ).format(path=path.name, names=", ".join(names[:5])),
            path=path,
        )


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
    with translated_errors(path), closing(connect_raw(path, is_writable=True)) as connection:
        check_schema(connection, path, version=from_version)
        _refuse_damage(connection, path)
        if backs_up:
            _back_up(connection, path, from_version)
        _change(connection, path, from_version)
        leave_wal(connection)


def upgrade_copy(path: Path) -> None:
    """Bring what is itself a copy, and needs no backup, to this program's schema, where it is older."""
    version = read_header(path).user_version
    if version < SCHEMA_VERSION:
        upgrade_file(path, from_version=version, backs_up=False)


def _refuse_damage(connection: apsw.Connection, path: Path) -> None:
    found = find_damage(connection)
    if found:
        raise ProjectDamagedError(
            _(
                "It is damaged ({found}). ‘judgetool check’ says what is readable; a backup is "
                "the way back."
            ).format(found=found),
            path=path,
        )


def _back_up(connection: apsw.Connection, path: Path, from_version: int) -> None:
    """Make a backup in the user's data folder or, where that cannot be, beside the project."""
    folder = BackupFolder(load_meta(connection)["uuid"], path)
    try:
        folder.make(connection, BackupKind.UPGRADE)
    except SaveError as problem:
        try:
            copy = free_name(path, f"{path.stem}-schema-{from_version}", path.suffix)
            write_copy(connection, copy)
        except SaveError:
            # What is said of the usual place tells more than what is said of this one.
            raise problem from None


def _change(connection: apsw.Connection, path: Path, from_version: int) -> None:
    connection.pragma("synchronous", 3)
    # A table that others refer to may be made anew; the references are looked at before the end.
    connection.pragma("foreign_keys", 0)
    connection.execute("BEGIN IMMEDIATE")
    try:
        before = count_rows(connection)
        apply_schema(connection, SCHEMA_VERSION, above=from_version)
        seal_rows(connection)
        check_schema(connection, path)
        _refuse_unsound(connection, path, rows=before)
        connection.execute("COMMIT")
    except BaseException as problem:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(problem, apsw.ConstraintError):
            raise ProjectDamagedError(
                _(
                    "What it holds is not what judgetool writes ({problem}). Nothing was changed. "
                    "‘judgetool check’ says what is readable."
                ).format(problem=problem),
                path=path,
            ) from problem
        raise


def _refuse_unsound(connection: apsw.Connection, path: Path, *, rows: tuple[int, int]) -> None:
    orphan = connection.execute("PRAGMA foreign_key_check").fetchone()
    if count_rows(connection) != rows or orphan or find_damage(connection):
        raise ProjectDamagedError(
            _(
                "What came out was not sound. Nothing was changed. ‘judgetool check’ says what "
                "is readable."
            ),
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
    _add_function(connection)
    for number in range(from_version + 1, SCHEMA_VERSION + 1):
        connection.execute(_text(f"{number:04d}.look.sql"))


def _add_function(connection: apsw.Connection) -> None:
    connection.create_scalar_function(
        "with_compat", _with_compat, 2, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
    )
    connection.create_scalar_function("line_uuid", _line_uuid, deterministic=True)
    add_checksum(connection)


def _line_uuid(*values: Any) -> bytes:  # noqa: ANN401 - whatever SQLite has
    """Return a line's uuid, made of its step's and of what it says: in all copies the same."""
    step, *said = values
    return uuid5(UUID(bytes=step), repr(said)).bytes


def _with_compat(*texts: Any) -> Any:  # noqa: ANN401 - whatever SQLite has
    """Return a value of the project with what was called RBO until schema 3 named Compat.

    Key and value as bytes: neither need be text any more.
    """
    key, value = texts
    if not value or b'"RBO' not in value:
        return value
    renamed = value.replace(b'"RBO"', b'"Compat(p=0.9)"').replace(b'"RBO(', b'"Compat(')
    if key == b"measures":
        return renamed
    if not key.startswith(b"snapshot/"):
        return value
    try:
        before, after = json.loads(value), json.loads(renamed)
        return json.dumps({**before, "measures": after["measures"]}, ensure_ascii=False).encode()
    except (ValueError, KeyError, TypeError):
        # It is damaged, which the check tells.
        return value
