"""One writer for a project, machine-wide: a lock that dies with its process.

The lock file stands in the user's data folder, not beside the project, so that a
project at rest is one file.
"""

import contextlib
import errno
import hashlib
import logging
import os
import sys
from pathlib import Path
from typing import IO

from judgetool.core.folders import data_folder
from judgetool.errors import ProjectBusyError

_LOG = logging.getLogger(__name__)

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30
    """Far behind any text, so that others can still read it."""

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; return whether nobody else has.

    A system that knows no locks there, as some network drives, counts as nobody.
    """
    try:
        _lock(descriptor)
    except OSError as problem:
        return problem.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


class WriterLock:
    """Held while this process may write to one project."""

    def __init__(self, project: Path) -> None:
        digest = hashlib.sha256(os.fsencode(project.resolve())).hexdigest()[:32]
        self._project = project
        self._path = data_folder() / "locks" / f"{digest}.lock"
        self._stream: IO[bytes] | None = None

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            ProjectBusyError: another process holds it; the text names its number.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            stream = self._path.open("a+b")
        except OSError as error:
            # A home that cannot be written must not keep anyone from judging.
            _LOG.info("no writer lock: %s", error)
            return
        try:
            _lock(stream.fileno())
        except OSError:
            stream.seek(0)
            holder = stream.read(32).decode("ascii", "replace").strip() or "unknown"
            stream.close()
            raise ProjectBusyError(
                f"Another judgetool (process {holder}) has {self._project.name} open. You can "
                "read it; judging waits until that one closes.",
                path=self._project,
            ) from None
        self._stream = stream
        try:
            stream.truncate(0)
            # Not buffered: what a full disk did not take would be tried again when it is closed.
            os.write(stream.fileno(), str(os.getpid()).encode())
        except OSError as error:
            # The lock holds all the same; only who holds it cannot be told.
            _LOG.info("the writer lock is without its number: %s", error)

    @property
    def is_free(self) -> bool:
        """Whether nobody else holds it now; for whoever does not hold it either."""
        try:
            with self._path.open("rb") as stream:
                return try_lock(stream.fileno())
        except OSError:
            return True

    @property
    def meeting_place(self) -> Path:
        """A name beside the lock, at which the window that holds it can be called."""
        return self._path.with_suffix(".call")

    def release(self) -> None:
        """Give the lock back; not holding it is no error."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
            self._stream = None
