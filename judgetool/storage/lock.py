"""One writer for a project, machine-wide: a lock that dies with its process.

The lock file stands in the user's data folder, not beside the project, so that a
project at rest is one file.
"""

import contextlib
import errno
import hashlib
import logging
import os
from pathlib import Path
from typing import IO

from judgetool.core.folders import data_folder
from judgetool.core.system import lock_file
from judgetool.errors import ProjectBusyError
from judgetool.wording import _

_LOG = logging.getLogger(__name__)


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed; return whether nobody else has.

    A system that knows no locks there, as some network drives, counts as nobody.
    """
    try:
        lock_file(descriptor)
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
            lock_file(stream.fileno())
        except OSError:
            stream.seek(0)
            holder = stream.read(32).decode("ascii", "replace").strip() or "unknown"
            stream.close()
            raise ProjectBusyError(
                _(
                    "Another judgetool (process {holder}) has {name} open. You can read it; "
                    "nothing can be changed in it here until that one closes."
                ).format(holder=holder, name=self._project.name),
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
