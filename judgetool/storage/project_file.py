"""An open project file: one reader for looking, one writer for changing."""

import os
from pathlib import Path

import apsw

from judgetool.errors import InputError, ProjectError, ReadOnlyError
from judgetool.storage.connection import Connection, connect, translated_errors
from judgetool.storage.header import read_header
from judgetool.storage.lock import WriterLock
from judgetool.storage.migrations import check_schema
from judgetool.storage.writer import URGENT, Job, T, Writer


class ProjectFile:
    """The project's SQLite file while it is open.

    The reader belongs to the thread that opened the file; jobs of the writer run on
    the writer's thread.

    Attributes:
        path: where it is.
        read_only_reason: a sentence when it can only be looked at, else ``""``.
    """

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path
        header = read_header(path)
        self._lock = WriterLock(path)
        self.read_only_reason = ""
        if read_only:
            self.read_only_reason = f"{path.name} was opened for looking only."
        elif not header.is_writable:
            self.read_only_reason = (
                f"Read-only: {path.name} or its folder cannot be written. You can look and "
                "score, not judge. Save a copy to judge."
            )
        else:
            self._take_lock()
        try:
            self.reader = self._connect_reader(is_writable=header.is_writable)
        except BaseException:
            self._lock.release()
            raise
        self._writer = Writer(path)

    def _connect_reader(self, *, is_writable: bool) -> Connection:
        reader = connect(self.path, is_writable=is_writable)
        try:
            with translated_errors(self.path):
                check_schema(reader, self.path)
                reader.pragma("query_only", 1)
        except BaseException:
            reader.close()
            raise
        return reader

    def _take_lock(self) -> None:
        try:
            self._lock.acquire()
        except ProjectError as error:
            self.read_only_reason = str(error)

    @property
    def is_read_only(self) -> bool:
        """Whether nothing can be changed."""
        return bool(self.read_only_reason)

    def write(self, job: Job[T], *, priority: int = URGENT) -> T:
        """Run a job in one transaction and wait until it is durable.

        Raises:
            ReadOnlyError: the project can only be looked at.
            ProjectError: it could not be written; nothing of it was.
        """
        if self.read_only_reason:
            raise ReadOnlyError(self.read_only_reason, path=self.path)
        return self._writer.run(job, priority=priority)

    def open_reader(self) -> Connection:
        """Return another connection for looking, for use in another thread; close it there."""
        reader = connect(self.path, is_writable=not self.is_read_only)
        reader.pragma("query_only", 1)
        return reader

    def copy_to(self, target: Path) -> None:
        """Write a complete, compact copy, even when this file was deleted meanwhile.

        Raises:
            InputError: something stands there already.
            SaveError: the target cannot be written.
        """
        if target.exists():
            raise InputError(f"{target} exists already. Choose another name.")

        def job(connection: Connection) -> None:
            with translated_errors(target):
                # VACUUM INTO attaches the target, which the settings forbid otherwise.
                connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)
                try:
                    connection.execute("VACUUM INTO ?", (os.fspath(target),))
                finally:
                    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)

        # Only the writer's connection still reaches a log that was deleted with the file.
        if self._writer.is_connected:
            self._writer.run_outside(job)
        else:
            job(self.reader)

    def close(self) -> None:
        """Bring everything into the one file and let go of it."""
        self.reader.close()
        self._writer.close()
        self._lock.release()
