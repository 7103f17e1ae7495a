"""Logs that lie beside a project and are not its own: they never reach the file.

SQLite takes whatever stands at ``NAME-wal`` for the log of ``NAME`` and plays it into
the file, also when the file was put there from a backup after its program was killed.
"""

import contextlib
import os
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import apsw

from judgetool.core.held_files import beside, is_held, while_alone
from judgetool.errors import ProjectError
from judgetool.storage.check import find_problems
from judgetool.storage.connection import apply_settings, connect, translated_errors
from judgetool.storage.header import read_header
from judgetool.storage.syncing import move_aside, size_of
from judgetool.storage.upgrade import look_as_new
from judgetool.storage.values import load_meta

_EMPTY_LOG = 32
"""A log that is no longer than its own head holds nothing."""
_LAST_LINES = {
    "the log": (
        "SELECT event_id, uuid FROM events ORDER BY event_id DESC LIMIT 1",
        "SELECT event_id, uuid FROM events WHERE event_id = ?",
    ),
    "the steps": (
        "SELECT step_id, uuid FROM steps ORDER BY step_id DESC LIMIT 1",
        "SELECT step_id, uuid FROM steps WHERE step_id = ?",
    ),
    "the values": (
        "SELECT value_event_id, at, key FROM value_events ORDER BY value_event_id DESC LIMIT 1",
        "SELECT value_event_id, at, key FROM value_events WHERE value_event_id = ?",
    ),
}
"""What only ever grows: its last line, and the same line elsewhere."""


def settle_log(path: Path) -> str:
    """See that what lies beside a project is its own log, before anything of it is used.

    A log whose project says that it has none is another file's. Where the project says
    that it has one and nobody has it open, the two are read together without touching
    the file: only if all is sound, and nothing that the file has is older in the log,
    is it taken for its own. What is not is moved aside and kept, and a notice says so.

    Args:
        path: a project whose folder can be written, with nobody's connection in this
            process.

    Returns:
        A sentence where neither the file alone nor with its log is sound: nothing may
        be written then. Else ``""``.

    Raises:
        ProjectError: the file cannot be read.
    """
    log = beside(path, "-wal")
    if size_of(log) <= _EMPTY_LOG or is_held(path):
        return ""
    if not read_header(path).is_wal:
        _move_alone(path, only_at_rest=True)
        return ""
    # In use, it is the log of whoever writes there now.
    if not while_alone(path, lambda: None):
        return ""
    if not find_foreign(path):
        return ""
    if _is_sound_alone(path):
        _move_alone(path, only_at_rest=False)
        return ""
    return (
        f"Read-only: {path.name} is damaged, alone and together with {log.name}. Nothing is "
        f"written to it. ‘judgetool check {path.name}’ says what is wrong, ‘judgetool recover’ "
        "makes a new file of its backup and safety log."
    )


def find_foreign(path: Path) -> str:
    """Return why a project and the log beside it do not belong together, ``""`` if they do."""
    try:
        with translated_errors(path), closing(connect(path, is_writable=True)) as both:
            problems = _find_problems(both, path)
            if problems:
                return problems[0]
            with contextlib.suppress(apsw.Error, KeyError), closing(_connect_alone(path)) as alone:
                # A log half brought into the file leaves that unreadable, and is its own.
                return _find_older(alone, both)
    except (ProjectError, apsw.Error) as problem:
        return str(problem)
    return ""


def _find_problems(connection: apsw.Connection, path: Path) -> list[str]:
    look_as_new(connection, from_version=int(connection.pragma("user_version")))
    return find_problems(connection, path)


def _find_older(alone: apsw.Connection, both: apsw.Connection) -> str:
    """Return in what the file is ahead of itself with its log."""
    if load_meta(alone)["uuid"] != load_meta(both)["uuid"]:
        return "they are of two projects"
    for what, (last, same) in _LAST_LINES.items():
        row = alone.execute(last).fetchone()
        if row is not None and both.execute(same, row[:1]).fetchone() != row:
            return f"the log would take the last line of {what} away"
    return ""


def _is_sound_alone(path: Path) -> bool:
    try:
        with translated_errors(path), closing(_connect_alone(path)) as alone:
            return not _find_problems(alone, path)
    except (ProjectError, apsw.Error):
        return False


def _connect_alone(path: Path) -> apsw.Connection:
    """Open a file for looking as if nothing stood beside it."""
    name = f"file:{quote(os.fspath(path.resolve()))}?immutable=1"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(name, flags=flags)
    apply_settings(connection)
    return connection


def _move_alone(path: Path, *, only_at_rest: bool) -> None:
    def move() -> None:
        if not (only_at_rest and read_header(path).is_wal):
            move_aside(path, ("-wal", "-shm"))

    try:
        while_alone(path, move)
    except OSError as problem:
        raise ProjectError(f"{path} cannot be read: {problem.strerror}.", path=path) from problem
