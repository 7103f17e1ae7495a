"""A file to which lines are appended cheaply and durably: it is kept a little longer than it is.

A sync of a file that does not grow is twice as fast as one of a file that does, so the
end is padded with empty lines, which readers pass over. One process writes at a time.
"""

import errno
import os
from pathlib import Path

from judgetool.storage.lock import try_lock
from judgetool.storage.syncing import sync_folder

PADDING = 256 << 10
_TAIL = 64 << 10

_fdatasync = getattr(os, "fdatasync", os.fsync)


class PaddedLog:
    """One log, open for writing.

    Attributes:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        """Open a log, making it if it is not there.

        Raises:
            BlockingIOError: another process writes to it.
            OSError: it cannot be opened.
        """
        self.path = path
        is_new = not path.exists()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._descriptor = os.open(path, flags, 0o600)
        if not try_lock(self._descriptor):
            os.close(self._descriptor)
            raise BlockingIOError(errno.EAGAIN, "another process writes to it", str(path))
        try:
            self._size = os.fstat(self._descriptor).st_size
            self._end = self._find_end()
            if is_new:
                sync_folder(path.parent)
        except BaseException:
            os.close(self._descriptor)
            raise

    def _find_end(self) -> int:
        """Return where the last line that is not empty ends."""
        end = self._size
        while end:
            start = max(0, end - _TAIL)
            os.lseek(self._descriptor, start, os.SEEK_SET)
            text = os.read(self._descriptor, end - start).rstrip(b"\n")
            if text:
                return start + len(text)
            end = start
        return 0

    @property
    def n_bytes(self) -> int:
        """How long the log is without its padding."""
        return self._end

    def append(self, lines: bytes, *, is_synced: bool) -> None:
        r"""Write whole lines, each with its ``\n``; a failed write leaves nothing that counts.

        Raises:
            OSError: they could not be written.
        """
        # An empty line first: whatever was torn before ends there.
        end = self._end + 1 + len(lines)
        if end > self._size:
            self._write(b"\n" * (end + PADDING - self._size), self._size)
            self._size = end + PADDING
            os.fsync(self._descriptor)
        self._write(b"\n" + lines, self._end)
        self._end = end - 1
        if is_synced:
            _fdatasync(self._descriptor)

    def _write(self, data: bytes, at: int) -> None:
        os.lseek(self._descriptor, at, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def close(self) -> None:
        """Take the padding away and let go of the file."""
        try:
            os.ftruncate(self._descriptor, self._end + 1 if self._end else 0)
        finally:
            os.close(self._descriptor)
