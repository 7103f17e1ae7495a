"""Writing a whole, verified copy of a project while others go on writing to it."""

import os
import secrets
import threading
from pathlib import Path
from typing import NamedTuple

import apsw

from judgetool.errors import SaveError
from judgetool.storage.connection import apply_settings, translated_errors
from judgetool.storage.header import check_name
from judgetool.storage.syncing import move_aside, sync_folder

PAGES_PER_STEP = 256
_SYNC_BYTES = 2 << 20
PART_SUFFIX = ".part"


def unfinished_name(target: Path) -> Path:
    """Return a name beside a file that is to be, which nobody can have foreseen.

    Raises:
        NotAProjectError: the file's name is no text.
    """
    check_name(target)
    return target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}{PART_SUFFIX}")


class Pause(NamedTuple):
    """How a copy lets others pass: a rest after each step, ended when it is to stop."""

    seconds: float
    is_stopped: threading.Event


class CopyStoppedError(Exception):
    """Whoever asked for a copy no longer wants it; nothing of it is left."""


def write_copy(source: apsw.Connection, target: Path, *, pause: Pause | None = None) -> None:
    """Write what the source sees now, check it, and give it its name only then.

    The copy is made in steps of a megabyte. In write-ahead mode nobody waits for it:
    the source keeps the state it began with, whatever is written meanwhile.

    Args:
        source: a connection for looking, of the calling thread, in no transaction.
        target: where; what stands there is replaced. It is readable by its owner only.
        pause: rest after each step, so that a judgment's sync passes; ``None`` for as
            fast as it goes.

    Raises:
        CopyStoppedError: ``pause.is_stopped`` was set.
        SaveError: there is no room, or what was written does not read back.
        ProjectDamagedError: the source is unsound.
    """
    partial = unfinished_name(target)
    source.execute("BEGIN")
    try:
        expected = count_rows(source)
        with translated_errors(target):
            _copy_pages(source, partial, pause)
            verify_copy(partial, expected, target)
        move_aside(target)
        partial.replace(target)
        sync_folder(target.parent)
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise SaveError(f"{target} could not be written ({reason}).", path=target) from problem
    finally:
        if source.in_transaction:
            source.execute("ROLLBACK")
        partial.unlink(missing_ok=True)


def _rest(pause: Pause | None) -> None:
    if pause is not None and pause.is_stopped.wait(pause.seconds):
        raise CopyStoppedError


def _copy_pages(source: apsw.Connection, partial: Path, pause: Pause | None) -> None:
    descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        copy = apsw.Connection(os.fspath(partial), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            # Its own syncs are not needed: it is synced by hand, in parts, so that
            # the disk has no great heap to write while somebody judges.
            copy.pragma("synchronous", 0)
            page_size = int(source.pragma("page_size"))
            steps_per_sync = max(1, _SYNC_BYTES // (page_size * PAGES_PER_STEP))
            with copy.backup("main", source, "main") as backup:
                number = 0
                while not backup.done:
                    backup.step(PAGES_PER_STEP)
                    number += 1
                    if number % steps_per_sync == 0:
                        os.fsync(descriptor)
                    _rest(pause)
            copy.pragma("journal_mode", "DELETE")
        finally:
            copy.close()
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def verify_copy(partial: Path, expected: tuple[int, int], target: Path) -> None:
    """Read a copy back as a stranger would.

    Raises:
        SaveError: it is not sound, or holds other than what was expected.
    """
    copy = apsw.Connection(os.fspath(partial), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        apply_settings(copy)
        found = find_damage(copy)
        if found or count_rows(copy) != expected:
            reason = found or "it does not hold all judgments"
            raise SaveError(f"{target} was written but not kept: {reason}.", path=target)
    finally:
        copy.close()


def find_damage(connection: apsw.Connection) -> str:
    """Return what SQLite's quick look at the whole file finds, ``""`` when it is sound."""
    found = [str(text) for (text,) in connection.execute("PRAGMA quick_check(1)")]
    return "" if found == ["ok"] else found[0]


def count_rows(connection: apsw.Connection) -> tuple[int, int]:
    """Return how many judgments and how many log lines a project holds."""
    judgments = connection.execute("SELECT count(*) FROM judgments").get
    events = connection.execute("SELECT count(*) FROM events").get
    return int(judgments), int(events)
