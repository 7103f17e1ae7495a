"""An open project file: one reader for looking, one writer for changing.

The writer is a thread with its own connection and a queue, judgments first. What it tells the
keeper (safety log, backups) never refuses or delays a judgment for lack of room or rights.
"""

import contextlib
import itertools
import logging
import os
import queue
import shlex
import threading
import time
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import apsw

from judgetool.core.held_files import beside, identity, is_in_use
from judgetool.core.system import room_left
from judgetool.errors import (
    InputError,
    ProjectDamagedError,
    ProjectError,
    ProjectMovedError,
    ReadOnlyError,
    SaveError,
    tell,
)
from judgetool.storage.backups import complete_file, count_rows, vacuum_into, verify_copy
from judgetool.storage.check import refuse_evident
from judgetool.storage.connection import (
    SCHEMA_VERSION,
    Header,
    Known,
    ProjectConnection,
    describe_moved,
    describe_overwritten,
    enter_wal,
    find_intrusion,
    find_known,
    hold_fast,
    holds_known,
    leave_wal,
    look_with,
    read_header,
)
from judgetool.storage.damage import explain, translated_errors
from judgetool.storage.disks import (
    BULK_BYTES,
    NEEDED_BYTES,
    WriterLock,
    copy_privately,
    describe_place,
    describe_room,
    find_lack,
    move_aside,
    refuse_without_room,
    size_of,
    sync_file,
)
from judgetool.storage.judgments import clear_some, find_pending
from judgetool.storage.migrations import check_schema, look_as_new, upgrade_file
from judgetool.storage.safety_log import Keeper, make_keeper
from judgetool.storage.set_aside import connect, find_foreign, settle_beside
from judgetool.wording import _

if TYPE_CHECKING:
    import tempfile


_LOG = logging.getLogger(__name__)
T = TypeVar("T")
Job = Callable[[ProjectConnection], T]

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
        known: what the file was when it was opened: it may be hours until the first change.
    """

    def __init__(
        self, path: Path, *, keeper: Keeper | None = None, known: Known | None = None
    ) -> None:
        self._path = path
        self._known = known
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

    def run(self, job: Job[T], *, priority: int = URGENT, is_change: bool = True) -> T:
        """Run a job in a transaction and wait until it is durable.

        Args:
            job: what to do, given the writer's connection.
            priority: ``URGENT`` or ``BULK``.
            is_change: ``False`` runs it without a transaction, also when the file has moved
                away: for rescue.

        Raises:
            SaveError: nothing of the job was written.
            ProjectMovedError: the file is no longer where it was.
            Exception: whatever the job raises; its transaction is rolled back.
        """
        result = self.put(job, priority=priority, is_change=is_change)
        if is_change and self._slow is not None and self._slow[0] == threading.get_ident():
            try:
                result.exception(SLOW_SECONDS)
            except TimeoutError:
                tell = self._slow[1]
                tell(True)
                futures.wait((result,))
                tell(False)
        return result.result()

    def put(self, job: Job[T], *, priority: int = URGENT, is_change: bool = True) -> Future[T]:
        """Have a job run before whatever is put here later and is as urgent; nobody waits.

        Returns:
            What :meth:`run` would return or raise.
        """
        result: Future[T] = Future()
        if self._thread is None:
            self._start()
        self._queue.put(_Task(priority, next(self._numbers), job, result, is_change))
        return result

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
                self._thread.start()

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
                if task.is_change:
                    answer = self._commit(task.job, is_bulk=task.priority != URGENT)
                else:
                    answer = task.job(self._connection or self._connect())
                task.result.set_result(answer)
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits for the result
                found = explain(error, self._path)
                if found is not None:
                    found.__cause__ = error
                task.result.set_exception(found or error)
            self._tidy()

    def _rest(self, *, is_idle: bool) -> float | None:
        """Return how long to wait for work before something else is to be done."""
        if not is_idle:
            return IDLE_SECONDS
        due = None if self._keeper is None else self._keeper.wait_seconds()
        return None if due is None else max(IDLE_SECONDS, due)

    def _commit(self, job: Job[T], *, is_bulk: bool) -> T:
        """Run a job in a transaction: the one way by which a project's file is changed.

        That the file is ours is asked twice. Before, as what another program has put in its
        place minutes ago is not to be written to; after, as only then what was committed is
        known to be where it will be looked for.
        """
        if is_bulk or time.monotonic() >= self._room_until:
            wanted, free = BULK_BYTES if is_bulk else NEEDED_BYTES, room_left(self._path.parent)
            if free is not None and free < wanted:
                refuse_without_room(self._path, wanted)
            self._room_until = 0.0 if is_bulk else time.monotonic() + ROOM_SECONDS
        connection = self._connection or self._connect()
        if connection.untouched is None or connection.hold.stamp() != connection.untouched:
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
        if connection.untouched is None or connection.hold.stamp() != connection.untouched:
            self._refuse_if_intruded(connection)
        return answer

    @property
    def is_connected(self) -> bool:
        """Whether anything has been written since the file was opened."""
        return self._connection is not None

    @property
    def is_waited_for(self) -> bool:
        """Whether an urgent job waits: a long one asks now and then, to give way."""
        with self._queue.mutex:
            waiting = self._queue.queue
            return bool(waiting) and waiting[0].priority == URGENT

    def _connect(self) -> ProjectConnection:
        if self._known is not None and identity(self._path) != self._known.file:
            self._refuse(describe_moved(self._path))
        connection = connect(self._path, is_writable=True)
        connection.known = self._known
        try:
            self._refuse_if_intruded(connection)
        except BaseException:
            connection.close()
            raise
        enter_wal(connection)
        # In place of SQLite's own, which is done within a COMMIT that somebody waits for.
        connection.set_wal_hook(self._note_log)
        if self._keeper is not None:
            self._keeper.begin(connection)
        self._connection = connection
        return connection

    def _refuse_if_intruded(self, connection: ProjectConnection) -> None:
        found = find_intrusion(connection)
        if found:
            self._refuse(found)

    def _refuse(self, found: str) -> NoReturn:
        said = _("Not saved: {name} {found}. Nothing more is written until you choose where.")
        raise ProjectMovedError(said.format(name=self._path.name, found=found), path=self._path)

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


class ProjectFile:
    """The project's SQLite file while it is open.

    The reader belongs to the thread that opened the file; jobs of the writer run on
    the writer's thread. A file of an older schema is brought up to date if it may be
    written, after a backup; else it is read as it is.

    Args:
        path: the project file.
        read_only: never write, and let another process write meanwhile.
        keeps_safety_log: whether judgments are also written to the safety log.
        is_kept: whether that and backups are wanted at all.

    Attributes:
        path: where it is.
        read_only_reason: a sentence when it can only be looked at, else ``""``.
        ended_uncleanly: whether whoever wrote it last was killed, or lost power.
        was_checked: whether the whole of it was looked at in opening, and is sound.
        has_unfinished: whether an import or merge was killed; what it left is then taken out.
    """

    def __init__(
        self, path: Path, *, read_only: bool, keeps_safety_log: bool = True, is_kept: bool = True
    ) -> None:
        self.path = path
        header = read_header(path)
        self._lock = WriterLock(path)
        self.read_only_reason = ""
        self._is_locked_elsewhere = False
        self._others_seen: tuple[bool, object] | None = None
        if read_only:
            self.read_only_reason = _("{path} was opened for looking only.").format(path=path.name)
        elif lack := find_lack(path):
            self.read_only_reason = lack
        elif not header.is_writable:
            self.read_only_reason = _(
                "Read-only: {path} or its folder cannot be written. You can look and score, "
                "not judge. Save a copy to judge, or open it again once it can be written."
            ).format(path=path.name)
        else:
            self._take_lock()
        self._shown = path
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        try:
            self._settle(header)
            self._version = self._read_version()
            self._upgrade()
            self.reader = self._connect_reader()
            unfinished = self._find_unfinished()
        except BaseException:
            self._let_go()
            raise
        self._keeper = self._make_keeper(keeps_log=keeps_safety_log, is_kept=is_kept)
        self._writer = Writer(path, keeper=self._keeper, known=self.reader.known)
        self.has_unfinished = bool(unfinished)
        for step_id in unfinished:
            self._clear(step_id)

    def _find_unfinished(self) -> list[int]:
        """Return the imports of which a killed program left a part; nobody may be writing one now."""
        if self.read_only_reason or not find_pending(self.reader):
            return []
        # Whether another program has it open can be told only while this one has not.
        self.reader.close()
        try:
            is_free = not is_in_use(self.path)
        finally:
            self.reader = self._connect_reader()
        return find_pending(self.reader) if is_free else []

    def _clear(self, step_id: int) -> None:
        """Have what is left of an import taken away, part by part; judgments go before it."""

        def go_on(part: Future[bool]) -> None:
            problem = part.exception()
            if problem is not None:
                _LOG.info("what an import left stays: %s", problem)
            elif part.result():
                self._clear(step_id)

        job = partial(clear_some, step_id=step_id)
        self._writer.put(job, priority=BULK).add_done_callback(go_on)

    def _settle(self, header: Header) -> None:
        """See that no log of another file is taken for this one's."""
        self._is_writable = header.is_writable
        self.was_checked = False
        self.ended_uncleanly = header.is_wal and not self.read_only_reason
        if header.is_writable and not self.read_only_reason:
            warning = describe_room(self.path)
            if warning:
                tell(warning)
        if header.is_writable and not find_lack(self.path):
            settled = settle_beside(self.path)
            self.was_checked = settled.is_checked
            if settled.problem:
                self._lock.release()
                self.read_only_reason = settled.problem
                if size_of(beside(self.path, "-journal")):
                    # Where the file itself stands, SQLite would take that back.
                    self._show_copy(("",))
        elif size_of(beside(self.path, "-wal")) and not self._can_be_read_there(header):
            # To recover a log SQLite writes beside it.
            endings = ("", "-wal") if header.is_wal else ("",)
            self._show_copy(endings)
            if header.is_wal and find_foreign(self._shown):
                move_aside(self._shown, ("-wal", "-shm"))

    def _show_copy(self, endings: tuple[str, ...]) -> None:
        self._copy = copy_privately(self.path, endings=endings)
        self._shown = Path(self._copy.name) / self.path.name
        self._is_writable = True

    def _can_be_read_there(self, header: Header) -> bool:
        """Whether SQLite can read the file and its log where nothing can be written."""
        if not header.is_wal or (header.is_writable and not beside(self.path, "-shm").exists()):
            return False
        try:
            self._read_version()
        except ProjectError:
            return False
        return True

    def _let_go(self) -> None:
        self._lock.release()
        if self._copy is not None:
            self._copy.cleanup()

    def _make_keeper(self, *, keeps_log: bool, is_kept: bool) -> Keeper | None:
        self._known_as = ""
        if self.read_only_reason or not is_kept:
            return None
        uuid = str(self.reader.execute("SELECT value FROM meta WHERE key = 'uuid'").get)
        keeper = make_keeper(self.path, uuid, keeps_log=keeps_log)
        if keeper is not None:
            # What has overwritten the file may be another project: its path is that one's then.
            self._known_as = f" --id {uuid}"
        return keeper

    def _read_version(self) -> int:
        """Return the schema's number, after SQLite has taken back what a power cut left half.

        The header alone may tell of an upgrade that never came to its end.
        """
        with (
            translated_errors(self.path),
            closing(connect(self._shown, is_writable=self._is_writable)) as connection,
        ):
            return int(connection.pragma("user_version"))

    def _upgrade(self) -> None:
        """Bring an old file up to date if it may be written; else it is read as it is."""
        if self._version == SCHEMA_VERSION or self.read_only_reason:
            return
        try:
            upgrade_file(self.path, from_version=self._version)
            self._version = SCHEMA_VERSION
        except ProjectError as problem:
            self.read_only_reason = _(
                "Read-only: {name} is of an older judgetool and was not brought up to date. "
                "{problem} You can look and score, not judge."
            ).format(name=self.path.name, problem=problem)
            self._lock.release()

    def _connect_reader(self) -> ProjectConnection:
        reader = connect(self._shown, is_writable=self._is_writable)
        try:
            with translated_errors(self.path):
                check_schema(reader, self.path, version=self._version)
                self._prepare(reader)
                refuse_evident(reader, self.path)
                hold_fast(reader)
                reader.known = find_known(reader)
        except BaseException:
            reader.close()
            raise
        return reader

    def _prepare(self, reader: ProjectConnection) -> None:
        look_as_new(reader, from_version=self._version)
        reader.pragma("query_only", 1)
        look_with(reader)

    def _take_lock(self) -> None:
        try:
            self._lock.acquire()
        except ProjectError as error:
            self._is_locked_elsewhere = True
            self.read_only_reason = str(error)

    def write(self, job: Job[T], *, priority: int = URGENT) -> T:
        """Run a job in one transaction and wait until it is durable.

        Raises:
            ReadOnlyError: the project can only be looked at.
            ProjectError: it could not be written; nothing of it was.
        """
        if self.read_only_reason:
            raise ReadOnlyError(self.read_only_reason, path=self.path)
        return self._writer.run(job, priority=priority)

    @property
    def has_written(self) -> bool:
        """Whether anything has been written since it was opened."""
        return self._writer.is_connected

    def is_waited_for(self) -> bool:
        """Whether an urgent job waits for the one that is being written."""
        return self._writer.is_waited_for

    def begin_write(self, job: Job[T]) -> Future[T]:
        """Have a job written before whatever is written after this call; nobody waits.

        Returns:
            What :meth:`write` would return or raise.
        """
        if not self.read_only_reason:
            return self._writer.put(job)
        refused: Future[T] = Future()
        refused.set_exception(ReadOnlyError(self.read_only_reason, path=self.path))
        return refused

    def tell_when_slow(self, tell: Callable[[bool], None]) -> None:
        """Have it told when a change takes long to become durable (:class:`Writer`)."""
        self._writer.tell_when_slow(tell)

    def open_reader(self) -> ProjectConnection:
        """Return another connection for looking, for use in another thread; close it there.

        Raises:
            ProjectMovedError: another file stands in the place of the one that was opened.
        """
        known = self.reader.known
        if known is not None and identity(self._shown) != known.file:
            self._refuse_other(describe_moved(self._shown))
        reader = connect(self._shown, is_writable=self._is_writable)
        with translated_errors(self.path):
            self._prepare(reader)
        return reader

    def _refuse_other(self, found: str) -> NoReturn:
        raise ProjectMovedError(f"{self.path.name} {found}.", path=self.path)

    @property
    def place_warning(self) -> str:
        """A sentence where it lies on a network drive or in a folder of a cloud, else ``""``."""
        return "" if self.read_only_reason else describe_place(self.path)

    @property
    def is_free_again(self) -> bool:
        """Whether only another process kept this one from writing, and that has ended."""
        return self._is_locked_elsewhere and self._lock.is_free

    def has_changed_elsewhere(self) -> bool:
        """Whether another program has written to the file since this was asked last."""
        seen = self._others_seen
        is_by_writer = self._writer.is_connected
        now = self._others_seen = is_by_writer, self._ask(lambda each: each.pragma("data_version"))
        # Its own commits do not count for the connection that made them.
        return seen is not None and seen[0] == is_by_writer and seen != now

    def _ask(self, job: Callable[[ProjectConnection], T]) -> T:
        """Run a job without a transaction, by the connection that sees most.

        The writer's, once it has one: it alone still reaches a log that was deleted with the
        file.
        """
        if self._writer.is_connected:
            return self._writer.run(job, is_change=False)
        with translated_errors(self.path):
            return job(self.reader)

    def find_trouble(self) -> str:
        """Return a sentence where the file was moved, replaced or robbed of its log, else ``""``."""
        if self._shown != self.path:
            return ""
        found = self._ask(find_intrusion)
        return f"{self.path.name} {found}." if found else ""

    def copy_to(self, target: Path) -> None:
        """Write a complete, compact copy, even when this file was deleted meanwhile.

        Raises:
            InputError: something stands there already.
            SaveError: the target cannot be written.
        """
        if target.exists():
            said = _("{target} exists already. Choose another name.")
            raise InputError(said.format(target=target))

        refuse_without_room(target, size_of(self.path) + NEEDED_BYTES)

        def job(connection: ProjectConnection) -> None:
            if not holds_known(connection):
                self._refuse_other(describe_overwritten())
            with translated_errors(target):
                vacuum_into(connection, unfinished)
                verify_copy(unfinished, count_rows(connection), target)

        try:
            with complete_file(target) as unfinished:
                self._ask(job)
                sync_file(unfinished)
        except (ProjectDamagedError, ProjectMovedError) as problem:
            left = _("what is left of {name} is not sound.").format(name=self.path.name)
            raise SaveError(
                _(
                    "{target} was not written: {problem} ‘judgetool recover {path} "
                    "{target}{known_as}’ makes it anew from its backup and safety log."
                ).format(
                    target=target.name,
                    problem=left if isinstance(problem, ProjectDamagedError) else problem,
                    path=shlex.quote(os.fspath(self.path.resolve())),
                    known_as=self._known_as,
                ),
                path=target,
            ) from problem

    def _tidy_crashed(self) -> None:
        """Have the log of a killed process brought into the file, where nothing was written since."""
        if self.read_only_reason or self._writer.is_connected:
            return
        with contextlib.suppress(ProjectError, apsw.Error):
            if self.reader.pragma("journal_mode") == "wal":
                self._writer.run(lambda _connection: None, is_change=False)

    def close(self) -> None:
        """Bring everything into the one file and let go of it."""
        self._tidy_crashed()
        self.reader.close()
        self._writer.close()
        self._let_go()
