"""Connections with the settings that keep a project safe, and errors by blame."""

import contextlib
import errno
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from judgetool.errors import (
    ProjectBusyError,
    ProjectDamagedError,
    ProjectError,
    ReadOnlyError,
    SaveError,
)

Connection = apsw.Connection
"""Named here so that layers above can speak of one without knowing SQLite."""

_LOG = logging.getLogger(__name__)
BUSY_TIMEOUT_MS = 10_000


def connect(path: Path, *, is_writable: bool) -> apsw.Connection:
    """Open an existing project file.

    Args:
        path: the file; it must exist and have passed ``read_header``.
        is_writable: whether file and folder can be written. A reader of a writable
            file still opens it for writing, because recovering the log of a killed
            process needs that; ``query_only`` keeps it from changing anything.
    """
    flags = apsw.SQLITE_OPEN_READWRITE if is_writable else apsw.SQLITE_OPEN_READONLY
    with translated_errors(path):
        # A file name, never a URI: '#' and '?' are ordinary characters in it.
        connection = apsw.Connection(os.fspath(path), flags=flags)
        apply_settings(connection)
    return connection


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


def enter_wal(connection: apsw.Connection) -> None:
    """Switch to write-ahead logging with full syncs, or to the safest mode there is.

    ``NORMAL`` would lose acknowledged judgments when the power goes; ``FULL`` costs
    about 0.2 ms each.
    """
    if connection.pragma("journal_mode", "WAL") == "wal":
        connection.pragma("synchronous", 2)
    else:  # network drives
        connection.pragma("journal_mode", "DELETE")
        connection.pragma("synchronous", 3)
    connection.pragma("fullfsync", 1)
    connection.pragma("checkpoint_fullfsync", 1)
    connection.pragma("wal_autocheckpoint", 1000)
    connection.pragma("journal_size_limit", 67_108_864)


def leave_wal(connection: apsw.Connection) -> None:
    """Bring everything into the one file again; others reading it may prevent that."""
    try:
        connection.pragma("wal_checkpoint", "TRUNCATE")
        connection.pragma("journal_mode", "DELETE")
    except apsw.Error as error:
        _LOG.info("left in write-ahead mode: %s", error)


def has_moved(connection: apsw.Connection) -> bool:
    """Return whether the file was moved, deleted or replaced under the connection.

    In write-ahead mode SQLite itself does not notice and says 'ok' to every save.
    """
    answer = bytearray(4)
    pointer = _address_of(answer)
    if not connection.file_control("main", apsw.SQLITE_FCNTL_HAS_MOVED, pointer):
        return False
    return int.from_bytes(answer, "little") != 0


def _address_of(buffer: bytearray) -> int:
    import ctypes  # noqa: PLC0415 - 5 ms that reading alone need not pay

    return ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer))


@contextlib.contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences about the project.

    Raises:
        SaveError: the disk is full or the file cannot be written.
        ProjectBusyError: locked by someone else for too long.
        ReadOnlyError: the file cannot be changed.
        ProjectDamagedError: its content is unsound.
        ProjectError: it cannot be opened or read.
    """
    try:
        yield
    except apsw.FullError as error:
        raise SaveError("Not saved: the disk is full.", path=path) from error
    except apsw.IOError as error:
        raise SaveError(f"Not saved: {_io_reason(error)}.", path=path) from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise ProjectBusyError(
            f"{path.name} is locked by another program. Nothing was changed; try again "
            "when that one is done.",
            path=path,
        ) from error
    except (apsw.ReadOnlyError, apsw.PermissionsError) as error:
        raise ReadOnlyError(
            f"{path.name} cannot be changed here. It can be read; save a copy to judge.", path=path
        ) from error
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        raise ProjectDamagedError(
            f"{path.name} is damaged ({error}). Nothing was changed. ‘judgetool check’ says "
            "what is readable; a backup is the way back.",
            path=path,
        ) from error
    except apsw.CantOpenError as error:
        raise ProjectError(f"{path} cannot be opened ({error}).", path=path) from error


def _io_reason(error: apsw.IOError) -> str:
    # Some systems say 'I/O' where they mean 'full': a file-size limit, a quota.
    code = getattr(error, "extendedresult", 0)
    if code == apsw.SQLITE_IOERR_WRITE:
        return "the disk is full or refuses the write"
    return f"the disk reports {errno.errorcode.get(errno.EIO, 'EIO')} ({error})"
