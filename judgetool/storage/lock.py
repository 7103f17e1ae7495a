"""One writer for a project, machine-wide: a lock that dies with its process.

The lock file stands in the user's data folder, not beside the project, so that a
project at rest is one file.
"""

import contextlib
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

    def _lock(stream: IO[bytes]) -> None:
        # Far behind the text, so that others can still read the process number.
        stream.seek(1 << 20)
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(stream: IO[bytes]) -> None:
        fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


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
            _lock(stream)
        except OSError:
            stream.seek(0)
            holder = stream.read(32).decode("ascii", "replace").strip() or "unknown"
            stream.close()
            raise ProjectBusyError(
                f"Another judgetool (process {holder}) has {self._project.name} open. You can "
                "read it; judging waits until that one closes.",
                path=self._project,
            ) from None
        stream.truncate(0)
        stream.write(str(os.getpid()).encode())
        stream.flush()
        self._stream = stream

    def release(self) -> None:
        """Give the lock back; not holding it is no error."""
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
            self._stream = None
