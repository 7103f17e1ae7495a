"""Logs that lie beside a project and are not its own: they never reach the file.

SQLite takes whatever stands at ``NAME-wal`` for the log of ``NAME`` and plays it into
the file, also when the file was put there from a backup after its program was killed;
and likewise takes back in it what stands at ``NAME-journal``.

And damaged projects that a sound one takes the place of: they are kept with their logs.
"""

import contextlib
import glob
import shutil
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import apsw

from judgetool.core.held_files import beside, is_held, read_start, while_alone
from judgetool.core.system import IS_WINDOWS, sync_folder
from judgetool.errors import (
    ProjectBusyError,
    ProjectDamagedError,
    ProjectError,
    SaveError,
    why_refused,
)
from judgetool.storage.check import find_problems
from judgetool.storage.connection import (
    ProjectConnection,
    connect_alone,
    connect_raw,
    may_write,
    read_header,
)
from judgetool.storage.damage import reading, translated_errors
from judgetool.storage.disks import (
    BESIDE,
    WriterLock,
    copy_privately,
    kept_name,
    move_aside,
    size_of,
    sync_file,
)
from judgetool.storage.migrations import look_as_new
from judgetool.storage.values import load_meta
from judgetool.wording import N_, _

_EMPTY_LOG = 32
"""A log that is no longer than its own head holds nothing."""
_JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""How a journal begins that SQLite takes back; one that begins with a zero, it leaves alone."""
_LAST_LINES = {
    N_("the log"): (
        "SELECT event_id, uuid FROM events ORDER BY event_id DESC LIMIT 1",
        "SELECT event_id, uuid FROM events WHERE event_id = ?",
    ),
    N_("the steps"): (
        "SELECT step_id, uuid FROM steps ORDER BY step_id DESC LIMIT 1",
        "SELECT step_id, uuid FROM steps WHERE step_id = ?",
    ),
    N_("the values"): (
        "SELECT value_event_id, at, key FROM value_events ORDER BY value_event_id DESC LIMIT 1",
        "SELECT value_event_id, at, key FROM value_events WHERE value_event_id = ?",
    ),
}
"""What only ever grows: its last line, and the same line elsewhere."""


class Settled(NamedTuple):
    """What lay beside a project.

    Attributes:
        problem: a sentence where neither the file alone nor with what lies beside it is
            sound: nothing may be written then. Else ``""``.
        is_checked: whether the whole of it was looked at, and is sound.
    """

    problem: str = ""
    is_checked: bool = False


def connect(path: Path, *, is_writable: bool) -> ProjectConnection:
    """Open an existing project file, once a journal beside it is known to be its own.

    The one door to a file that this process does not have open: SQLite asks nobody before it
    takes a journal back. One of another file is moved aside.

    Args:
        path: the file; it must exist and begin as a project does.
        is_writable: whether file and folder can be written.

    Raises:
        ProjectDamagedError: the file is unsound, alone and together with the journal.
        ProjectError: it cannot be opened, or there is no room to look.
    """
    if size_of(beside(path, "-journal")) and may_write(path) and not is_held(path):
        problem = _settle_journal(path)
        if problem:
            raise ProjectDamagedError(problem, path=path)
    return connect_raw(path, is_writable=is_writable)


def settle_beside(path: Path) -> Settled:
    """See that what lies beside a project is its own, before anything of it is used.

    Args:
        path: a project whose folder can be written, with nobody's connection in this
            process.

    Raises:
        ProjectError: the file cannot be read.
    """
    if is_held(path):
        return Settled()
    if size_of(beside(path, "-journal")):
        problem = _settle_journal(path)
        if problem:
            return Settled(problem)
    return _settle_log(path)


def _settle_journal(path: Path) -> str:
    """See that a journal, in which SQLite kept what a half-written change replaces, is of this file.

    Returns:
        A sentence where the file is sound neither alone nor with it, else ``""``.
    """
    journal = beside(path, "-journal")
    try:
        # In use, it belongs to whoever writes there now.
        start = read_start(journal, len(_JOURNAL_MAGIC)) if while_alone(path, _nothing) else b""
    except FileNotFoundError:
        # Another program has just settled it.
        return ""
    except OSError as problem:
        raise ProjectError(
            _("{journal} cannot be read: {strerror}.").format(
                journal=journal, strerror=why_refused(problem)
            ),
            path=path,
        ) from problem
    if not any(start[:1]):
        return ""
    if start == _JOURNAL_MAGIC:
        return _try_journal(path, journal)
    # SQLite would delete what is no journal.
    _move_alone(path, ("-journal",))
    return ""


def _nothing() -> None:
    """Do nothing: whether it could be done alone is all that is asked."""


def _try_journal(path: Path, journal: Path) -> str:
    """Move a journal aside that what it makes of a copy tells to be another file's.

    So it is where that is not sound, or is not the project one change ago. What is taken back
    was acknowledged to nobody. Where there is no room to look, nothing is opened at all.
    """
    try:
        copied = copy_privately(path, endings=("", "-journal"))
    except ProjectError:
        if journal.exists():
            raise
        return ""
    with copied as folder:
        copy = Path(folder) / path.name
        unsound = find_foreign(copy)
        if not _is_sound_alone(path):
            return _unsound_sentence(path, journal) if unsound else ""
        is_own = not unsound and _is_one_change_ago(path, copy)
    if not is_own:
        _move_alone(path, ("-journal",))
    return ""


def _is_one_change_ago(path: Path, before: Path) -> bool:
    with closing(connect_alone(path)) as one, closing(connect_alone(before)) as other:
        if load_meta(one)["uuid"] != load_meta(other)["uuid"]:
            return False
    now, then = (int.from_bytes(read_start(each, 28)[24:], "big") for each in (path, before))
    return now in (then, then + 1)


def _settle_log(path: Path) -> Settled:
    """See that the log beside a project is its own.

    A log whose project says that it has none is another file's. Where the project says
    that it has one and nobody has it open, the two are read together without touching
    the file: only if all is sound, and nothing that the file has is older in the log,
    is it taken for its own. What is not is moved aside and kept, and a notice says so.
    """
    log = beside(path, "-wal")
    if size_of(log) <= _EMPTY_LOG:
        return Settled()
    if not read_header(path).is_wal:
        _move_alone(path, ("-wal", "-shm"), only_at_rest=True)
        return Settled()
    # In use, it is the log of whoever writes there now.
    if not while_alone(path, _nothing):
        return Settled()
    if not find_foreign(path):
        return Settled(is_checked=True)
    if _is_sound_alone(path):
        _move_alone(path, ("-wal", "-shm"))
        return Settled(is_checked=True)
    return Settled(_unsound_sentence(path, log))


def _unsound_sentence(path: Path, other: Path) -> str:
    return _(
        "Read-only: {path} is damaged, alone and together with {other}. Nothing is "
        "written to it. ‘judgetool check {path}’ says what is wrong, ‘judgetool "
        "recover’ makes a new file of its backup and safety log."
    ).format(path=path.name, other=other.name)


def find_foreign(path: Path) -> str:
    """Return why a project and the log beside it do not belong together, ``""`` if they do."""
    try:
        with translated_errors(path), closing(connect_raw(path, is_writable=True)) as both:
            problems = _find_problems(both, path)
            if problems:
                return problems[0]
            with contextlib.suppress(apsw.Error, KeyError), closing(connect_alone(path)) as alone:
                older = _find_older(alone, both)
                # A log half brought into the file leaves that unsound, and is its own.
                return older if older and not _find_problems(alone, path) else ""
    except (ProjectError, apsw.Error) as problem:
        return str(problem)
    return ""


def _find_problems(connection: apsw.Connection, path: Path) -> list[str]:
    look_as_new(connection, from_version=int(connection.pragma("user_version")))
    return find_problems(connection, path)


def _find_older(alone: apsw.Connection, both: apsw.Connection) -> str:
    """Return in what the file is ahead of itself with its log."""
    if load_meta(alone)["uuid"] != load_meta(both)["uuid"]:
        return _("they are of two projects")
    for what, (last, same) in _LAST_LINES.items():
        row = alone.execute(last).fetchone()
        if row is not None and both.execute(same, row[:1]).fetchone() != row:
            return _("the log would take the last line of {what} away").format(what=_(what))
    return ""


def _is_sound_alone(path: Path) -> bool:
    try:
        with translated_errors(path), closing(connect_alone(path)) as alone:
            return not _find_problems(alone, path)
    except (ProjectError, apsw.Error):
        return False


def _move_alone(path: Path, endings: tuple[str, ...], *, only_at_rest: bool = False) -> None:
    def move() -> None:
        if not (only_at_rest and read_header(path).is_wal):
            move_aside(path, endings)

    with reading(path):
        while_alone(path, move)


def replace_damaged(sound: Path, path: Path) -> Path:
    """Give a sound project the name of a damaged one, which is kept beside it with its log.

    The damaged files get their new names first, *besides* the old ones; then the sound file
    takes the old name in one step; then the old names of log and journal go. So a kill or a
    power cut leaves at the old name either all of the damaged project or the sound one, with
    a log that is not its own at worst, which :func:`settle_beside` finds out; and what was
    damaged is never without a name.

    Args:
        sound: a finished file in the same folder.
        path: the damaged project, which nobody may have open.

    Returns:
        What the damaged file is called now; ``-wal`` and the like follow it.

    Raises:
        ProjectBusyError: a program has it open.
        SaveError: there is no room to keep it, or its folder cannot be written.
    """
    path = path.resolve()
    lock = WriterLock(path)
    lock.acquire()
    kept: list[Path] = []
    try:
        # There an open file cannot be renamed, by its own program least of all.
        if IS_WINDOWS:
            kept.append(_exchange(sound, path))
        elif not while_alone(path, lambda: kept.append(_exchange(sound, path))):
            raise ProjectBusyError(
                _("A program has {path} open. Close it there first; nothing was changed.").format(
                    path=path.name
                ),
                path=path,
            )
    except OSError as problem:
        raise SaveError(
            _(
                "{path} could not be kept under another name ({strerror}), so nothing was put "
                "in its place. Choose another name."
            ).format(path=path.name, strerror=why_refused(problem)),
            path=path,
        ) from problem
    finally:
        lock.release()
    return kept[0]


def _exchange(sound: Path, path: Path) -> Path:
    _forget_attempts(path)
    kept = kept_name(path, "damaged")
    endings = [ending for ending in BESIDE if size_of(beside(path, ending))]
    made: list[Path] = []
    try:
        for ending in ("", *endings):
            made.append(beside(kept, ending))
            _name_also(beside(path, ending), made[-1])
        sync_folder(path.parent)
        shutil.copymode(path, sound)
        sync_file(sound)
        sound.replace(path)
    except OSError:
        for each in made:
            each.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    for ending in BESIDE:
        beside(path, ending).unlink(missing_ok=True)
    return kept


def _forget_attempts(path: Path) -> None:
    """Take away the further names that the file got when putting another in its place was cut short."""
    for name in path.parent.glob(f"{glob.escape(path.name)}.damaged-*"):
        if name.samefile(path):
            name.unlink()


def _name_also(path: Path, other: Path) -> None:
    """Give a file a second name; where the disk has no such thing, copy it."""
    try:
        other.hardlink_to(path)
    except FileExistsError:
        raise
    except OSError:
        with path.open("rb") as source, other.open("xb") as target:
            shutil.copyfileobj(source, target)
        shutil.copymode(path, other)
        sync_file(other)
