"""Project files that this process has open: nobody else in it may open and close them.

On POSIX systems a process loses all its locks on a file as soon as it closes *any*
descriptor of it. SQLite's locks would go, another program would take itself for the
last user, and delete the log that holds the newest judgments. So whoever wants to read
a file asks here first; and while a project is in write-ahead mode, a second kind of lock
(of an open file rather than of a process, which Linux has) holds whatever else the
process opens and closes.
"""

import contextlib
import errno
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from judgetool.core import system
from judgetool.errors import InputError, why_refused
from judgetool.wording import _

Identity = tuple[int, int]
Stamp = tuple[int, int, int, int, Identity | None]
"""Device, number, size and time of a file, and which log stands beside it."""
_FLAGS = system.UNTRANSLATED | system.UNWAITED
HEADER_BYTES = 100
SQLITE_MAGIC = b"SQLite format 3\x00"
APPLICATION_ID = 0x4A444754  # "JDGT"
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510
"""Where SQLite's readers lock a file, by its file format."""
_PENDING = 0x40000000
_CLOCK_TICK_NS = 100_000_000
"""Longer than any clock that files get their times from stands still."""
_SHM_ALIVE = 128
"""Where each user of a -shm file locks it; nobody else may empty it then."""
ZIP_MAGIC = b"PK\x03\x04"
# "BZh1" to "BZh9" begin words, too; what follows is pi, or its root where nothing is packed.
_PACKINGS = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bz2": re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zst": re.compile(rb"\x28\xb5\x2f\xfd"),
    "zip": re.compile(re.escape(ZIP_MAGIC)),
}
LONGEST_PACKING_MARK = 10  # alike: more that is looked at changes nothing


def identity(path: Path | str) -> Identity | None:
    """Return what tells a file from one that took its place; ``None`` where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked twice a save, and a Path takes longer
    except OSError:
        return None
    return found.st_dev, found.st_ino


class _File:
    """One open descriptor, with a lock of its own."""

    def __init__(self, path: Path, *, access: int = os.O_RDONLY) -> None:
        self.descriptor = os.open(path, access | _FLAGS)
        found = os.fstat(self.descriptor)
        self.identity = found.st_dev, found.st_ino
        self.n_bytes = found.st_size

    def lock(self, kind: int, start: int, size: int) -> bool:
        """Lock a range for this open file; return whether it was got."""
        return system.lock_range(self.descriptor, kind, start, size)

    def lock_alone(self) -> bool:
        """Lock all that SQLite locks; return whether nobody else has it open."""
        return system.lock_alone(self.descriptor, _PENDING, 2 + _SHARED_SIZE)

    def read_start(self, size: int) -> bytes:
        """Return the first bytes."""
        return system.read_start(self.descriptor, size)

    def close(self) -> None:
        """Let go of it, and of its locks."""
        os.close(self.descriptor)


class _Held:
    """A project file for as long as any connection of this process has it open."""

    def __init__(self, path: Path) -> None:
        self.main = _File(path)
        self.users = 0
        self.is_locked = False
        self.beside: list[_File] = []

    def close(self) -> None:
        for file in (*self.beside, self.main):
            file.close()


_ALL: dict[Identity | None, _Held] = {}
_TURN = threading.RLock()


class Hold:
    """What one connection holds of its file; to be released after that is closed.

    Attributes:
        path: the project file.
        log_path: where SQLite keeps its log.
        log: what tells the -wal file that the connection writes to from any other;
            ``None`` before :meth:`lock`.
    """

    def __init__(self, path: Path) -> None:
        """Take hold of a file before SQLite opens it.

        Raises:
            OSError: it cannot be opened.
        """
        self.path = path
        # Asked for twice a save.
        self._path_text = os.fspath(path)
        self.log_path = os.fspath(beside(path, "-wal"))
        self.log: Identity | None = None
        with _TURN:
            held = _ALL.get(identity(path))
            if held is None:
                held = _Held(path)
                held = _ALL.setdefault(held.main.identity, held)
            held.users += 1
            self._held: _Held | None = held

    def lock(self) -> None:
        """Hold the file and its -shm against whoever takes himself for the last user.

        Only in write-ahead mode, and after the first look: elsewhere writing needs the
        file alone, and SQLite must have made the -shm first.
        """
        self.log = identity(self.log_path)
        with _TURN:
            held = self._held
            if held is None or held.is_locked:
                return
            held.is_locked = True
            held.main.lock(system.READ, _SHARED_FIRST, _SHARED_SIZE)
            with contextlib.suppress(OSError):
                shared = _File(beside(self.path, "-shm"))
                shared.lock(system.READ, _SHM_ALIVE, 1)
                held.beside.append(shared)

    def unlock(self) -> None:
        """Let the file leave write-ahead mode; the descriptors stay open until the end."""
        with _TURN:
            if self._held is not None:
                self._held.is_locked = False
                self._held.main.lock(system.NOTHING, _SHARED_FIRST, _SHARED_SIZE)
                for file in self._held.beside:
                    file.lock(system.NOTHING, _SHM_ALIVE, 1)

    def read_start(self, size: int) -> tuple[bytes, int]:
        """Return the first bytes of the file that was opened, and how large it is now."""
        with _TURN:
            if self._held is None:
                return b"", 0
            main = self._held.main
            return main.read_start(size), os.fstat(main.descriptor).st_size

    def is_cut(self, n_bytes: int) -> bool:
        """Whether the file is shorter than so many bytes, which it says, and than it ever was.

        While something reads, SQLite brings its log in by parts: a file that grows may be
        shorter than it says until the rest follows, but it never shrinks so.
        """
        with _TURN:
            if self._held is None:
                return True
            main = self._held.main
            size = os.fstat(main.descriptor).st_size
            if size < min(n_bytes, main.n_bytes):
                return True
            main.n_bytes = size
            return False

    def stamp(self) -> Stamp | None:
        """Return what tells whether anything was done to the file or its log since.

        ``None`` where nothing can: it is gone, or was written so lately that another
        write need not have changed its time.
        """
        try:
            found = os.stat(self._path_text)  # noqa: PTH116 - asked twice a save
        except OSError:
            return None
        if time.time_ns() - found.st_mtime_ns < _CLOCK_TICK_NS:
            return None
        try:
            beside = os.stat(self.log_path)  # noqa: PTH116 - likewise
            log: Identity | None = (beside.st_dev, beside.st_ino)
        except OSError:
            log = None
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, log

    def release(self) -> None:
        """Let go; the last one closes the descriptors, and with them all locks are gone."""
        with _TURN:
            held, self._held = self._held, None
            if held is None:
                return
            held.users -= 1
            if not held.users:
                del _ALL[held.main.identity]
                held.close()


def beside(path: Path, ending: str) -> Path:
    """Return the file that SQLite keeps beside a project: ``-wal``, ``-shm``, ``-journal``."""
    return path.with_name(path.name + ending)


def refuse_hopeless(path: Path, *, endings: tuple[str, ...] = ("",)) -> None:
    """Refuse a path at which no file can be: a link that leads to itself, a name too long.

    Args:
        path: of a file that may be missing.
        endings: of what is to stand there: ``""`` for the file itself.

    Raises:
        InputError: it is such a path, or one of these names beside it is too long.
    """
    for ending in endings:
        try:
            os.stat(f"{path}{ending}")  # noqa: PTH116 - a Path answers some of this by itself
        except OSError as problem:
            if problem.errno in (errno.ELOOP, errno.ENAMETOOLONG):
                said = _("{path} cannot be used: {why}. Nothing was read or written.")
                raise InputError(said.format(path=path, why=why_refused(problem))) from problem
        except ValueError:
            return  # no text that a system takes for a name, which is said elsewhere


def is_held(path: Path) -> bool:
    """Whether this process has the file open as a project, by whatever name; asking opens nothing.

    The files that SQLite keeps beside it count as well.
    """
    found = identity(path)
    if found is None:
        return False
    with _TURN:
        others = (file.identity for held in _ALL.values() for file in held.beside)
        return found in _ALL or found in others or _is_log(path)


def _is_log(path: Path) -> bool:
    name = path.name
    is_beside = name.endswith(("-wal", "-shm", "-journal"))
    return is_beside and identity(path.with_name(name[: name.rindex("-")])) in _ALL


def open_to_read(path: Path) -> BinaryIO:
    """Open a file of others for reading.

    Raises:
        InputError: it is the project that is open; closing it again would drop its locks.
        OSError: it cannot be opened.
    """
    refuse_held(path)
    return path.open("rb")


FileState = tuple[int, int, int, int]
"""Device, number, size and time of a plain file."""


def find_state(path: Path) -> FileState | None:
    """Return what tells a plain file from what it becomes; ``None`` of a pipe, or where nothing is."""
    try:
        return _state_of(path.stat())
    except OSError:
        return None


def _state_of(found: os.stat_result) -> FileState | None:
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


@contextlib.contextmanager
def refusing_change(path: Path, stream: BinaryIO) -> Iterator[None]:
    """Refuse a file of which somebody writes while it is read: half of it may be old, or missing.

    Args:
        path: the file.
        stream: the same, opened just now.

    Raises:
        InputError: it is not as it was; also in place of what was found wrong with it.
    """
    before = _state_of(os.fstat(stream.fileno()))
    changed = _("{path} changed while it was read. Nothing was kept; read it again.")
    try:
        yield
    except Exception as problem:
        if _has_changed(path, before):
            raise InputError(changed.format(path=path)) from problem
        raise
    if _has_changed(path, before):
        raise InputError(changed.format(path=path))


def _has_changed(path: Path, before: FileState | None) -> bool:
    # Who has deleted a file has left what was read of it as it was.
    return before is not None and (find_state(path) or before) != before


def refuse_changed(states: Mapping[Path, FileState]) -> None:
    """Refuse files that are not as they were when they were read.

    Raises:
        InputError: one of them is not.
    """
    for path, before in states.items():
        if _has_changed(path, before):
            said = _(
                "{path} has changed since it was read. Nothing was kept; choose the file again, and "
                "it is read anew."
            )
            raise InputError(said.format(path=path))


def refuse_held(path: Path) -> None:
    """Refuse the project that is open, where a file of others is to be read or written.

    Raises:
        InputError: it is that.
    """
    if is_held(path):
        raise InputError(
            _(
                "{path} is the project that is open, or belongs to it. Choose another file; "
                "nothing was read or written."
            ).format(path=path.name)
        )


def read_start(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, also of a project that is open.

    Raises:
        OSError: it cannot be read.
    """
    with _TURN:
        held = _ALL.get(identity(path))
        if held is not None:
            return held.main.read_start(size)
        file = _File(path)
        try:
            return file.read_start(size)
        finally:
            file.close()


def is_project(path: Path) -> bool:
    """Whether a file begins as a judgetool project does; one that cannot be read does not."""
    try:
        return path.is_file() and is_project_head(read_start(path, HEADER_BYTES))
    except OSError:
        return False


def is_project_head(head: bytes) -> bool:
    """Whether these are the first 100 bytes of a project."""
    mark = APPLICATION_ID.to_bytes(4, "big")
    return len(head) == HEADER_BYTES and head[:16] == SQLITE_MAGIC and head[68:72] == mark


def packing_of(head: bytes) -> str:
    r"""Return how a file that begins so is packed, ``""`` for not at all.

    >>> packing_of(b"BZhou is a word"), packing_of(b"\x1f\x8b\x08")
    ('', 'gzip')
    """
    return next((name for name, mark in _PACKINGS.items() if mark.match(head)), "")


def is_in_use(path: Path) -> bool:
    """Whether a program has a project's file open, this one too; of a file that cannot be asked, not."""
    try:
        return not while_alone(path, lambda: None)
    except OSError:
        return False


def while_alone(path: Path, act: Callable[[], None]) -> bool:
    """Do something to a project's file that no program has open; return whether it was done.

    The file is locked as SQLite locks it for writing alone, so that none can begin.

    Args:
        path: the project file.
        act: what to do, quickly.
    """
    with _TURN:
        if identity(path) in _ALL:
            return False
        file = _File(path, access=os.O_RDWR)
        try:
            # All of SQLite's range: nobody comes in, and nobody is in.
            if not file.lock_alone():
                return False
            act()
            return True
        finally:
            file.close()
