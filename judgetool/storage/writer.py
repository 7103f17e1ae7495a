"""The one writer: a thread with its own connection and a queue, judgments first.

Beside it the keeper: safety log and backups, outside the project's folder. None of that ever
refuses or delays a judgment for lack of room or rights: what cannot be done is said once.
"""

import itertools
import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import apsw

from judgetool.core.clock import utc_ms
from judgetool.core.folders import data_folder
from judgetool.core.notices import tell
from judgetool.errors import ProjectError, ProjectMovedError
from judgetool.storage.backups import BackupFolder, BackupKind, CopyStoppedError, Pause
from judgetool.storage.connection import (
    ProjectConnection,
    connect,
    enter_wal,
    find_intrusion,
    leave_wal,
)
from judgetool.storage.damage import translated_errors
from judgetool.storage.disks import BULK_BYTES, NEEDED_BYTES, refuse_without_room
from judgetool.storage.safety_log import SafetyLog

EVERY_MS = 600_000
SOON_MS = 120_000
MANY_CHANGES = 500
LARGE_BYTES = 64 << 20
LARGE_EVERY_MS = 86_400_000
"""How old the last backup of a large project may be at closing: the safety log has the rest."""
_REST_SECONDS = 0.004


class Keeper:
    """Keeps one open project safe; called by its writer.

    Backups are made by a thread of their own with a connection of its own, when the
    writer rests or after many changes, and at closing.
    """

    def __init__(self, path: Path, uuid: str, *, keeps_log: bool) -> None:
        self._path = path
        self._identity = _identity(path)
        self._log = SafetyLog(uuid, path) if keeps_log else None
        self._folder = BackupFolder(uuid, path)
        self._worker: threading.Thread | None = None
        self._pause = Pause(_REST_SECONDS, threading.Event())
        self._n_changes = 0
        self._is_wanted_soon = False
        own = self._folder.list_own()
        self._last_try = self._last_made = own[0].at if own else 0
        self._told: set[str] = set()

    def _tell(self, about: str, sentence: str) -> None:
        _LOG.info(sentence)
        if about not in self._told:
            self._told.add(about)
            tell(sentence)

    # Called by the writer, on its thread

    def begin(self, connection: apsw.Connection) -> None:
        """Take note of a project before its first change."""
        found = self._folder.find_problem()
        if found:
            self._tell("backup", found)
        if self._log is not None:
            self._log.begin(connection)

    def committed(self, connection: apsw.Connection, *, is_bulk: bool) -> None:
        """Log what a transaction has made durable, and see whether a backup is due."""
        self._n_changes += 1
        if self._log is not None:
            try:
                n = self._log.append(connection, is_synced=not is_bulk)
                self._n_changes += max(0, n - 1)
                self._is_wanted_soon |= self._log.wants_backup
                self._log.wants_backup = False
            except OSError as problem:
                self._tell(
                    "log",
                    f"The safety log cannot be written ({problem.strerror or problem}). Judgments "
                    "are saved in the project all the same.",
                )
        if self._n_changes >= MANY_CHANGES and not is_bulk and self.wait_seconds() == 0:
            self.start_backup()

    def wait_seconds(self) -> float | None:
        """Return in how many seconds a backup is due; ``None`` when nothing has changed."""
        if not self._n_changes:
            return None
        is_soon = self._is_wanted_soon or self._n_changes >= MANY_CHANGES
        due = self._last_try + (SOON_MS if is_soon else EVERY_MS)
        # A clock set back must not put the next backup off for years.
        waiting = min(due - utc_ms(), EVERY_MS)
        return max(0.0, waiting / 1000)

    def idle(self) -> None:
        """Begin a backup if one is due; the writer has nothing to do."""
        if self.wait_seconds() == 0:
            self.start_backup()

    def start_backup(self) -> None:
        """Begin a backup beside the work, unless one is under way."""
        if self._worker is not None and self._worker.is_alive():
            return
        self._last_try = utc_ms()
        self._worker = threading.Thread(target=self._back_up_beside, name="backup", daemon=True)
        self._worker.start()

    def _back_up_beside(self) -> None:
        n_changes, was_soon = self._n_changes, self._is_wanted_soon
        try:
            with translated_errors(self._path):
                connection = connect(self._path, is_writable=True)
                try:
                    connection.pragma("query_only", 1)
                    if connection.pragma("journal_mode") != "wal":
                        # Elsewhere reading holds up whoever writes: only at closing.
                        return
                    self._make(connection, BackupKind.CHANGES, pause=self._pause)
                finally:
                    connection.close()
        except CopyStoppedError:
            return
        except (ProjectError, OSError, apsw.Error) as problem:
            self._tell("backup", _no_backup(problem))
            return
        self._n_changes = max(0, self._n_changes - n_changes)
        self._is_wanted_soon &= not was_soon

    def _make(
        self, connection: apsw.Connection, kind: BackupKind, *, pause: Pause | None = None
    ) -> None:
        if self._identity != _identity(self._path):
            _LOG.info("another file stands at %s: no backup of it", self._path)
            raise CopyStoppedError
        self._last_made = self._folder.make(connection, kind, pause=pause).at

    def closing(self, connection: apsw.Connection) -> None:
        """Make the last backup, unless one of a moment ago and the safety log will do."""
        self._pause.is_stopped.set()
        if self._worker is not None:
            self._worker.join()
        self._pause.is_stopped.clear()
        if self._is_wanted_at_closing(connection):
            try:
                self._make(connection, BackupKind.CLOSING)
            except CopyStoppedError:
                pass
            except (ProjectError, OSError, apsw.Error) as problem:
                self._tell("backup", _no_backup(problem))
        if self._log is not None:
            self._log.close()

    def _is_wanted_at_closing(self, connection: apsw.Connection) -> bool:
        if not self._n_changes:
            return False
        if self._is_wanted_soon or self._log is None or self._n_changes >= MANY_CHANGES:
            return True
        n_bytes = int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
        rest = LARGE_EVERY_MS if n_bytes > LARGE_BYTES else SOON_MS // 2
        return not 0 <= utc_ms() - self._last_made < rest


def _identity(path: Path) -> tuple[int, int]:
    """Return what tells a file from one that took its place; asking does not open it."""
    found = path.stat()
    return found.st_dev, found.st_ino


def _no_backup(problem: BaseException) -> str:
    if isinstance(problem, ProjectError):
        return str(problem)
    return f"No backup of the project could be made ({problem})."


def make_keeper(path: Path, uuid: str, *, keeps_log: bool) -> Keeper | None:
    """Return what keeps a project safe; ``None`` for samples, which are there to be played with."""
    if path.resolve().is_relative_to(data_folder().resolve()):
        return None
    return Keeper(path, uuid, keeps_log=keeps_log)


T = TypeVar("T")
Job = Callable[[apsw.Connection], T]
_LOG = logging.getLogger(__name__)

URGENT, BULK, _LAST = 0, 1, 2
IDLE_SECONDS = 2.0
SLOW_SECONDS = 0.1
"""Whoever waits longer for a change to be durable is told so meanwhile."""
ROOM_SECONDS = 0.25
"""So long after a look at the disk judgments take its room for granted."""
LOG_PAGES = 1_000
"""New pages of the write-ahead log that are brought into the file after a job."""
MOST_LOG_PAGES = 8_000
"""The same while other jobs wait."""


@dataclass(order=True, slots=True)
class _Task:
    priority: int
    number: int
    job: Job[Any] | None = field(compare=False)
    result: Future[Any] = field(compare=False)
    is_change: bool = field(compare=False, default=True)


class Writer:
    """Runs jobs one after another, each in a transaction of its own.

    A job's result is given only after COMMIT has returned with full syncs and the
    file was still where it was. Bulk jobs must be short (at most 50 ms) and come
    after every waiting urgent one.

    Args:
        path: the project file.
        keeper: writes the safety log and makes backups; ``None`` for neither.
    """

    def __init__(self, path: Path, *, keeper: Keeper | None = None) -> None:
        self._path = path
        self._keeper = keeper
        self._queue: queue.PriorityQueue[_Task] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None
        self._connection: ProjectConnection | None = None
        self._starting = threading.Lock()
        self._log_pages = self._tidied_pages = 0
        self._room_until = 0.0
        self._slow: tuple[int, Callable[[bool], None]] | None = None

    def tell_when_slow(self, tell: Callable[[bool], None]) -> None:
        """Have it told when a change takes long to become durable.

        Args:
            tell: called with ``True`` once :data:`SLOW_SECONDS` have passed, and with
                ``False`` when the change is durable or has failed; from within
                :meth:`run`, and only on the thread that calls this.
        """
        self._slow = threading.get_ident(), tell

    def run(self, job: Job[T], *, priority: int = URGENT) -> T:
        """Run a job in a transaction and wait until it is durable.

        Raises:
            SaveError: nothing of the job was written.
            ProjectMovedError: the file is no longer where it was.
            Exception: whatever the job raises; its transaction is rolled back.
        """
        result: Future[T] = Future()
        self._submit(_Task(priority, next(self._numbers), job, result))
        self._wait(result)
        return result.result()

    def _wait(self, result: Future[Any]) -> None:
        if self._slow is None or self._slow[0] != threading.get_ident():
            return
        tell = self._slow[1]
        try:
            result.exception(SLOW_SECONDS)
        except TimeoutError:
            tell(True)
            futures.wait((result,))
            tell(False)

    def run_outside(self, job: Job[T]) -> T:
        """Run a job without a transaction, also when the file has moved away: for rescue."""
        result: Future[T] = Future()
        self._submit(_Task(URGENT, next(self._numbers), job, result, is_change=False))
        return result.result()

    def _submit(self, task: _Task) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
                self._thread.start()
        self._queue.put(task)

    def close(self) -> None:
        """Finish what waits, bring everything into one file, end the thread."""
        if self._thread is not None:
            self._queue.put(_Task(_LAST, next(self._numbers), None, Future()))
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        is_idle = True
        while True:
            try:
                task = self._queue.get(timeout=self._rest(is_idle=is_idle))
            except queue.Empty:
                # A crash or a copy of the bare file then misses nothing.
                is_idle = True
                self._checkpoint()
                if self._keeper is not None:
                    self._keeper.idle()
                continue
            if task.job is None:
                self._disconnect()
                return
            is_idle = False
            try:
                task.result.set_result(self._run(task, task.job))
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the result
                task.result.set_exception(error)
            self._tidy()

    def _run(self, task: _Task, job: Job[Any]) -> object:
        if task.is_change:
            return self._run_in_transaction(job, is_bulk=task.priority != URGENT)
        return self._run_outside(job)

    def _rest(self, *, is_idle: bool) -> float | None:
        """Return how long to wait for work before something else is to be done."""
        if not is_idle:
            return IDLE_SECONDS
        due = None if self._keeper is None else self._keeper.wait_seconds()
        return None if due is None else max(IDLE_SECONDS, due)

    def _run_in_transaction(self, job: Job[T], *, is_bulk: bool = False) -> T:
        with translated_errors(self._path):
            self._refuse_without_room(is_bulk=is_bulk)
            connection = self._connected()
            self._refuse_if_intruded(connection)
            connection.execute("BEGIN IMMEDIATE")
            try:
                answer = job(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            if self._keeper is not None:
                # Also when the file has moved away: just then the safety log is wanted.
                self._keeper.committed(connection, is_bulk=is_bulk)
            self._refuse_if_intruded(connection)
            return answer

    def _refuse_without_room(self, *, is_bulk: bool) -> None:
        now = time.monotonic()
        if is_bulk or now >= self._room_until:
            refuse_without_room(self._path, BULK_BYTES if is_bulk else NEEDED_BYTES)
            self._room_until = 0.0 if is_bulk else now + ROOM_SECONDS

    def _run_outside(self, job: Job[T]) -> T:
        with translated_errors(self._path):
            return job(self._connected())

    @property
    def is_connected(self) -> bool:
        """Whether anything has been written since the file was opened."""
        return self._connection is not None

    def find_intrusion(self) -> str:
        """Return what was done to the file under the writer; for its jobs."""
        return "" if self._connection is None else find_intrusion(self._connection)

    def _connected(self) -> ProjectConnection:
        if self._connection is None:
            connection = connect(self._path, is_writable=True)
            enter_wal(connection)
            # In place of SQLite's own, which is done within a COMMIT that somebody waits for.
            connection.set_wal_hook(self._note_log)
            if self._keeper is not None:
                self._keeper.begin(connection)
            self._connection = connection
        return self._connection

    def _refuse_if_intruded(self, connection: ProjectConnection) -> None:
        found = find_intrusion(connection)
        if found:
            raise ProjectMovedError(
                f"Not saved: {self._path.name} {found}. Nothing more is written until you choose "
                "where.",
                path=self._path,
            )

    def _note_log(self, _connection: apsw.Connection, _name: str, n_pages: int) -> int:
        if n_pages < self._tidied_pages:
            # The log began anew.
            self._tidied_pages = 0
        self._log_pages = n_pages
        return apsw.SQLITE_OK

    def _tidy(self) -> None:
        """Bring a long log into the file, once whoever gave the last job has its result."""
        most = LOG_PAGES if self._queue.empty() else MOST_LOG_PAGES
        if self._log_pages - self._tidied_pages >= most:
            self._tidied_pages = self._log_pages
            self._checkpoint("PASSIVE")

    def _checkpoint(self, mode: str = "TRUNCATE") -> None:
        # What another program has put in the file's place is not ours to write to.
        if self._connection is not None and not find_intrusion(self._connection):
            try:
                self._connection.pragma("wal_checkpoint", mode)
            except apsw.Error as error:
                _LOG.info("checkpoint put off: %s", error)

    def _disconnect(self) -> None:
        if self._connection is not None:
            if not find_intrusion(self._connection):
                if self._keeper is not None:
                    self._keeper.closing(self._connection)
                leave_wal(self._connection)
            self._connection.close()
            self._connection = None
