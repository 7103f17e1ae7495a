"""What a file says of itself, and connections with the settings that keep a project safe."""

import logging
import os
import struct
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import quote

import apsw

from judgetool.core import override
from judgetool.core.held_files import (
    APPLICATION_ID,
    HEADER_BYTES,
    SQLITE_MAGIC,
    Hold,
    Identity,
    Stamp,
    identity,
    is_project_head,
    packing_of,
    read_start,
)
from judgetool.errors import NotAProjectError, ProjectDamagedError, ProjectTooNewError
from judgetool.storage.damage import LookingCursor, lost, reading, translated_errors
from judgetool.wording import _

SCHEMA_VERSION = 4


class Header(NamedTuple):
    """The facts that decide how a project file is opened.

    Attributes:
        user_version: number of its schema.
        is_wal: whether it was left in write-ahead mode, as after a crash.
        is_writable: whether file and folder may be written.
    """

    user_version: int
    is_wal: bool
    is_writable: bool


def check_name(path: Path) -> None:
    """Refuse a name that is no text: SQLite knows names in UTF-8 alone.

    Raises:
        NotAProjectError: it is not UTF-8.
    """
    try:
        os.fspath(path.absolute()).encode()
    except UnicodeEncodeError as problem:
        shown = os.fspath(path).encode(errors="replace").decode()
        raise NotAProjectError(
            _(
                "{shown}: the name of the file, or of a folder above it, is not UTF-8 text, "
                "which a project needs. Give it another name."
            ).format(shown=shown),
            path=path,
        ) from problem


def read_header(path: Path) -> Header:
    """Read and check the header of a project file.

    Raises:
        NotAProjectError: it is missing, a folder, empty, or another kind of file.
        ProjectDamagedError: it is missing, empty or no SQLite file, and backups of it are known.
        ProjectTooNewError: its schema is newer than this program's.
        ProjectError: it cannot be read.
    """
    check_name(path)
    if not path.exists():
        raise lost(path) or NotAProjectError(
            _("There is no file {path}. ‘judgetool new {name}’ makes a project.").format(
                path=path, name=path
            ),
            path=path,
        )
    if not path.is_file():
        what = (
            _("{path} is a folder; a project is one file.")
            if path.is_dir()
            else _("{path} is a pipe or device; a project is one file.")
        )
        raise NotAProjectError(what.format(path=path), path=path)
    with reading(path):
        head = read_start(path, HEADER_BYTES)
    if len(head) < HEADER_BYTES or head[:16] != SQLITE_MAGIC:
        raise lost(path) or NotAProjectError(describe_other(path, head), path=path)
    user_version, application_id = struct.unpack(">i4xi", head[60:72])
    if application_id != APPLICATION_ID:
        raise NotAProjectError(
            _("{path} is a SQLite file of another program, not a judgetool project.").format(
                path=path
            ),
            path=path,
        )
    if user_version > SCHEMA_VERSION:
        raise ProjectTooNewError(
            _(
                "{path} was made by a newer judgetool (schema {schema}, this one knows "
                "{known}). Nothing was changed. Update judgetool to open it."
            ).format(path=path, schema=user_version, known=SCHEMA_VERSION),
            path=path,
        )
    return Header(user_version, is_wal=head[18] == WAL_MODE, is_writable=may_write(path))


def describe_other(path: Path, head: bytes) -> str:
    """Return the sentence for a file that begins as no project does, and of which no backup is known."""
    if not head:
        return _(
            "{path} is empty: no project is in it, and no backup is known of one that stood there."
        ).format(path=path)
    if packed := packing_of(head):
        return _(
            "{path} is a {packed} file. If a project is in it, unpack it first; runs, queries and "
            "judgments are brought into a project by Import."
        ).format(path=path, packed=packed)
    if not any(head):
        return _(
            "{path} begins with zeros, so nothing of it can be read as a project. There is no "
            "backup of it on this machine."
        ).format(path=path)
    return _(
        "{path} is not a judgetool project. To bring in runs, queries or judgments, use Import."
    ).format(path=path)


def may_write(path: Path) -> bool:
    """Whether a project's file and its folder may be written."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


Connection = apsw.Connection
"""Named here so that layers above can speak of one without knowing SQLite."""

WAL_MODE = 2
"""Byte 18 of a file in write-ahead mode; 1 in any other."""

_LOG = logging.getLogger(__name__)
BUSY_TIMEOUT_MS = 10_000


class Known(NamedTuple):
    """What tells a project's file from one that is put in its place or written over it.

    Attributes:
        file: which it is; ``None`` where nothing stands.
        step_id: the number of its newest step; steps are never taken out, only added.
        uuid: that step's name.
    """

    file: Identity | None
    step_id: int
    uuid: bytes


class ProjectConnection(apsw.Connection):
    """A connection to a project, which no closing of a file elsewhere robs of its locks.

    Attributes:
        hold: what it holds of the file.
        moved: where SQLite says whether the file was moved; ``None`` before it was asked.
        untouched: what told, when nothing had been done to the file, that it was this one.
        known: what the file was when the project was opened; ``None`` where nobody asks.
        is_made_readable: whether texts that are no UTF-8 any more are given all the same.
    """

    hold: Hold
    untouched: Stamp | None = None
    known: Known | None = None
    moved: tuple[bytearray, int] | None = None
    is_made_readable = False

    @override
    def close(self, force: bool = False) -> None:
        """Close it; the last one of a file lets go of that."""
        try:
            super().close(force)
        finally:
            self.hold.release()


def connect_raw(path: Path, *, is_writable: bool) -> ProjectConnection:
    """Open an existing project file with whatever stands beside it.

    Only for what has been looked at: ``set_aside.connect`` looks first. Closing the connection never brings the log into the file, nor deletes it: only the
    writer does that, by :func:`leave_wal`.

    Args:
        path: the file; it must exist and have passed ``read_header``.
        is_writable: whether file and folder can be written. A reader of a writable
            file still opens it for writing, because recovering the log of a killed
            process needs that; ``query_only`` keeps it from changing anything.
    """
    flags = apsw.SQLITE_OPEN_READWRITE if is_writable else apsw.SQLITE_OPEN_READONLY
    with translated_errors(path):
        with reading(path):
            hold = Hold(path)
        try:
            # A file name, never a URI: '#' and '?' are ordinary characters in it.
            connection = ProjectConnection(os.fspath(path), flags=flags)
            connection.hold = hold
        except BaseException:
            hold.release()
            raise
        try:
            apply_settings(connection)
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        except BaseException:
            connection.close()
            raise
    return connection


def connect_alone(path: Path) -> apsw.Connection:
    """Open a file for looking as if nothing stood beside it."""
    name = f"file:{quote(os.fspath(path.resolve()))}?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(name, flags=flags)
    apply_settings(connection)
    return connection


def look_with(connection: ProjectConnection) -> None:
    """Let a connection read what a damaged file still tells; it is then for looking only."""
    connection.cursor_factory = LookingCursor


def hold_fast(connection: ProjectConnection) -> None:
    """Hold a file in write-ahead mode against whoever takes himself for its last user."""
    if connection.pragma("journal_mode") == "wal":
        # The first look locks the file and makes what stands beside it.
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        connection.hold.lock()


def apply_settings(connection: apsw.Connection) -> None:
    """Set what every connection needs, whoever made the file."""
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    for name, value in (
        ("foreign_keys", 1),
        ("cell_size_check", 1),
        ("mmap_size", 0),
        ("temp_store", 2),
        ("cache_size", -65536),
    ):
        connection.pragma(name, value)


def enter_wal(connection: ProjectConnection) -> None:
    """Switch to write-ahead logging with full syncs, or to the safest mode there is.

    ``NORMAL`` would lose acknowledged judgments when the power goes; ``FULL`` costs
    about 0.2 ms each.
    """
    if connection.pragma("journal_mode", "WAL") == "wal":
        connection.pragma("synchronous", 2)
    else:  # network drives: it stays as it was, with a journal that is deleted
        connection.pragma("synchronous", 3)
    connection.pragma("fullfsync", 1)
    connection.pragma("checkpoint_fullfsync", 1)
    connection.pragma("wal_autocheckpoint", 1000)
    connection.pragma("journal_size_limit", 67_108_864)
    hold_fast(connection)


def leave_wal(connection: ProjectConnection) -> None:
    """Bring everything into the one file again; others reading it may prevent that."""
    connection.hold.unlock()
    try:
        connection.pragma("wal_checkpoint", "TRUNCATE")
        connection.pragma("journal_mode", "DELETE")
    except apsw.Error as error:
        _LOG.info("left in write-ahead mode: %s", error)


def find_known(connection: ProjectConnection) -> Known:
    """Return what the file of a connection is told by from now on; in a damaged one no step."""
    newest = "SELECT step_id, uuid FROM steps ORDER BY step_id DESC LIMIT 1"
    found = None
    with suppress(ProjectDamagedError, apsw.CorruptError):
        found = connection.execute(newest).fetchone()
    step_id, uuid = found or (0, b"")
    return Known(identity(connection.hold.path), int(str(step_id)), cast("bytes", uuid))


def describe_moved(path: Path) -> str:
    """Return how a sentence ends about a file at whose place none or another stands."""
    if identity(path) is None:
        return _("was moved or deleted while it was open")
    return _("was replaced by another file while it was open; that file is left as it is")


def describe_overwritten() -> str:
    """Return how a sentence ends about a file that holds something else now."""
    return _("was overwritten by another program while it was open")


def find_intrusion(connection: ProjectConnection) -> str:
    """Return what was done to the file under the connection, ``""`` where nothing was.

    In write-ahead mode SQLite itself does not notice and says 'ok' to every save. It is
    asked twice a save, and the file is looked into only when its stamp has changed.

    Returns:
        The end of a sentence that begins with the file's name.
    """
    stamp = connection.hold.stamp()
    if stamp is not None and stamp == connection.untouched:
        return ""
    found = _look_for_intrusion(connection)
    connection.untouched = None if found else stamp
    return found


def _look_for_intrusion(connection: ProjectConnection) -> str:
    if _has_moved(connection):
        return describe_moved(connection.hold.path)
    log, path = connection.hold.log, connection.hold.path
    if log is not None and identity(connection.hold.log_path) != log:
        return _(
            "is open, but {path}-wal, which holds the newest changes, was deleted or "
            "replaced by another program"
        ).format(path=path.name)
    is_ours = _is_as_we_left_it(connection.hold, is_wal=log is not None)
    if not is_ours or not holds_known(connection):
        return describe_overwritten()
    return ""


def _has_moved(connection: ProjectConnection) -> bool:
    answer, address = connection.moved = connection.moved or _make_answer()
    if not connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, address):
        return False
    return int.from_bytes(answer, "little") != 0


def _is_as_we_left_it(hold: Hold, *, is_wal: bool) -> bool:
    """Whether the file still begins as a project in this mode and nothing was cut off its end."""
    head, _size = hold.read_start(HEADER_BYTES)
    if not is_project_head(head):
        return False
    # A copy put over the file is at rest; in write-ahead mode only a copy of an open
    # one looks like it.
    page_size = int.from_bytes(head[16:18], "big")
    n_bytes = int.from_bytes(head[28:32], "big") * (page_size if page_size > 1 else 65_536)
    return not is_wal or (head[18] == WAL_MODE and not hold.is_cut(n_bytes))


def holds_known(connection: ProjectConnection) -> bool:
    """Whether what a connection reads is still the project that was opened, or goes on from it.

    A file at rest that another is copied over looks like any other that was written to.
    """
    known = connection.known
    if known is None or not known.step_id:
        return True
    step = "SELECT uuid FROM steps WHERE step_id = ?"
    try:
        return bool(connection.execute(step, (known.step_id,)).get == known.uuid)
    except (ProjectDamagedError, apsw.CorruptError):
        # It is damaged, which is said elsewhere, and need not be another file.
        return True


def _make_answer() -> tuple[bytearray, int]:
    """Return room for SQLite's answer, and its address."""
    import ctypes  # noqa: PLC0415 - 5 ms that reading alone need not pay

    buffer = bytearray(4)  # alike: it writes an int, and more room stays 0
    return buffer, ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer))
