"""When what is done: beside the window, with the next frame or after it; and what panels are told.

Background work: one worker, results on the GUI thread, the newest only, cancel at once.

Why a queue beside the signal: a result must not be lost when the signal's receiver is
busy, and a signal that carries Python objects between threads must keep them alive.

What the window's own thread does for a key that does not wait has three times: with the next
frame, after it, and while nothing else happens. What belongs to an open project ends with it:
:meth:`Schedule.stop` leaves nothing behind that would still run.
"""

import gc
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from time import monotonic, perf_counter
from typing import Any, NamedTuple, TypeVar

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from judgetool.session.commands import Changed, WorkCancelledError
from judgetool.session.reading_aids import Blindness
from judgetool.session.session import Session
from judgetool.wording import _

Call = Callable[[], None]

SLICE_S = 0.004
# Where no frame comes, because all is hidden, what waits for one is done all the same.
AFTER_ALL_MS = 50


class Schedule(QObject):
    """What is done with the next frame and after it, each once however often it is asked for.

    What comes after a frame is done in the next idle moment or before the frame that follows,
    whichever is first: never later, however fast keys follow each other.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._before: dict[Call, None] = {}
        self._after: dict[Call, None] = {}
        self._due: dict[Call, None] = {}
        self._idle: dict[str, IdleWork] = {}
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._catch_up)

    @property
    def is_settled(self) -> bool:
        """Whether nothing waits for a frame, or comes after one."""
        return not (self._before or self._after or self._due)

    def before_frame(self, call: Call) -> None:
        """Do something before the next frame is painted."""
        self._before[call] = None

    def after_frame(self, call: Call) -> None:
        """Do something once the next frame has been painted."""
        if call not in self._due:
            self._after[call] = None
            if not self._due:
                self._soon.start(AFTER_ALL_MS)

    def idle(self, name: str, steps: Iterator[object], *, delay_ms: int = 0) -> None:
        """Work on steps while nothing else happens, in place of what is left of that name."""
        if name not in self._idle:
            self._idle[name] = IdleWork(self)
        self._idle[name].start(steps, delay_ms=delay_ms)

    def drop(self, name: str) -> None:
        """Do nothing of what is left of that name."""
        if name in self._idle:
            self._idle[name].stop()

    def begin_frame(self) -> None:
        """Say that the window is about to paint."""
        if self._due:
            self._work_off()
        before, self._before = self._before, {}
        for call in before:
            call()
        if self._after:
            self._due, self._after = self._after, {}
            self._soon.start(0)

    def stop(self) -> None:
        """Do nothing of what is left: the project is closed."""
        for calls in (self._before, self._after, self._due):
            calls.clear()
        for work in self._idle.values():
            work.stop()
        self._soon.stop()

    def _catch_up(self) -> None:
        if not self._due:
            # No frame has come: what would have been done with it is done now.
            self.begin_frame()
        self._work_off()

    def _work_off(self) -> None:
        due, self._due = self._due, {}
        for call in due:
            call()
        if self._after:
            self._soon.start(AFTER_ALL_MS)
        else:
            self._soon.stop()


class Here(NamedTuple):
    """Where the assessor is; ``None`` for what there is none of.

    Attributes:
        run_id: of the run that is shown.
        query: its number.
        document: its number.
        position: of the query in the list of queries, from 1; 0 where the list lacks it.
        n_queries: how many are listed.
        lists_more: whether documents are listed beyond the pool.
    """

    run_id: int | None = None
    query: int | None = None
    document: int | None = None
    position: int = 0
    n_queries: int = 0
    lists_more: bool = False


class ProjectPanel:
    """A panel that follows the open project: the window tells all that are in its list.

    What a panel does not care for, it leaves as it is here.

    Attributes:
        reveals: whether it could sway who judges blind; beside a view it is not shown then.
        schedule: of the window; without one nothing of a panel waits for a frame.
    """

    reveals = True
    schedule: Schedule | None = None

    def after_frame(self, call: Call) -> None:
        """Do what a key is not answered by, once the next frame has been painted."""
        if self.schedule is None:
            call()
        else:
            self.schedule.after_frame(call)

    def set_session(self, session: Session | None) -> None:
        """Show another project, or the same read anew; with ``None`` nothing of any is left."""

    def set_blind(self, blindness: Blindness) -> None:
        """Hide what could sway the assessor, or show it; told after each ``set_session``."""

    def follow(self, here: Here) -> None:
        """Show where the assessor is now: at another query, run or document, or the same."""

    def take_change(self, changed: Changed) -> None:
        """Show anew what a step has changed that is durable."""


class IdleWork(QObject):
    """Goes on with a generator, some milliseconds at a time, until it is done or replaced.

    For work that must touch widgets and so cannot leave the GUI thread. Keys and paints
    come between slices; the generator yields wherever it may be interrupted.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] | None = None
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_busy(self) -> bool:
        """Whether something is left to do."""
        return self._steps is not None

    def start(self, steps: Iterator[object], *, delay_ms: int = 0) -> None:
        """Work on these steps from the next idle moment on, in place of what was left."""
        self._steps = steps
        self._timer.start(delay_ms)

    def stop(self) -> None:
        """Leave what is left undone."""
        self._steps = None
        self._timer.stop()

    def work(self) -> None:
        """Do one slice now, instead of waiting for an idle moment."""
        self._go_on()

    def finish(self) -> None:
        """Do all that is left, now."""
        while self._steps is not None:
            self._go_on()

    def _go_on(self) -> None:
        self._timer.setInterval(0)
        steps = self._steps
        end = perf_counter() + SLICE_S
        while steps is not None and steps is self._steps and perf_counter() < end:
            if next(steps, self) is self:
                if steps is self._steps:
                    self.stop()
                return


# So long nothing is typed before what it has found is said.
RESTS_MS = 400


class Rest(IdleWork):
    """Does something once typing rests: each further letter puts it off, and the last one counts."""

    def wait(self, call: Call) -> None:
        """Do this as soon as nothing has been typed for a while, in place of what waits."""

        def once() -> Iterator[None]:
            call()
            yield

        self.start(once(), delay_ms=RESTS_MS)


def collect_young() -> Iterator[None]:
    """Look for garbage among what is new, so that no key has to wait for that."""
    yield
    gc.collect(1)


class Collector(QObject):
    """Looks for garbage on the window's own thread alone, each time that it is about to wait.

    By itself Python does so on whichever thread makes objects. What it finds of Qt while a worker
    makes some would be freed there, amid what this thread lays out or paints: the process ends.
    """

    _at_work: set["Collector"] = set()  # noqa: RUF012 - one for the process, as Python's own is

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._at_work.add(self)
        gc.disable()
        QAbstractEventDispatcher.instance().aboutToBlock.connect(self.collect)

    def collect(self) -> None:
        """Look for garbage where so much is new that Python would have done so."""
        counts, most = gc.get_count(), gc.get_threshold()
        if counts[0] > most[0]:
            gc.collect(2 if counts[2] > most[2] else 1 if counts[1] > most[1] else 0)

    def end(self) -> None:
        """Leave it to Python again; the last one that ends does. Calling it again does nothing."""
        if self not in self._at_work:
            return
        self._at_work.discard(self)
        QAbstractEventDispatcher.instance().aboutToBlock.disconnect(self.collect)
        if not self._at_work:
            gc.enable()


T = TypeVar("T")

# Python's own 5 ms is what the window waits each time that it wants to go on while a worker
# counts in Python; a key press wants to go on some ten times.
_SWITCH_INTERVAL_S = 0.000_5

# A bar that moves more often than this cannot be seen, and the queue would grow.
_PROGRESS_INTERVAL_S = 0.04

_LET_GO_AT_ONCE = 1_000


class JobCancelledError(WorkCancelledError):
    """The work was cancelled before it was done."""


@dataclass(eq=False)
class JobHandle:
    """What a piece of work knows of its job, and how whoever started it stops it.

    Attributes:
        jobs: where it runs; handle and jobs are one mechanism.
        key: jobs of the same key replace each other; ``""`` for none.
        on_done: gets the result; this and the others are only touched on the GUI thread.
        on_failed: gets what was raised.
        on_progress: gets done and total.
        owner: once it is destroyed nobody is left to be told.
        future: of the work, once it waits.
    """

    jobs: "Jobs"
    key: str
    on_done: Callable[[Any], object]
    on_failed: Callable[[Exception], None] | None
    on_progress: Callable[[int, int], None] | None
    owner: QObject | None
    future: Future[None] | None = None
    _cancelled: threading.Event = field(default_factory=threading.Event)
    _dropped: threading.Event = field(default_factory=threading.Event)
    _told_at: float = 0.0

    def is_cancelled(self) -> bool:
        """Whether the work should stop; for the work to ask again and again."""
        return self._cancelled.is_set()

    @property
    def is_dropped(self) -> bool:
        """Whether nobody waits for what the work gives."""
        return self._dropped.is_set()

    @property
    def is_wanted(self) -> bool:
        """Whether anyone is left to be told."""
        return not self.is_dropped and (self.owner is None or isValid(self.owner))

    def check(self) -> None:
        """Stop the work here when it was cancelled.

        Raises:
            JobCancelledError: it was.
        """
        if self.is_cancelled():
            raise JobCancelledError(_("It was cancelled. Nothing of it was kept."))

    def report(self, done: int, total: int) -> None:
        """Tell how much of how much is done; from the work's thread, as often as it likes."""
        now = monotonic()
        if done < total and now - self._told_at < _PROGRESS_INTERVAL_S:
            return
        self._told_at = now
        self.jobs.post(partial(self.jobs.tell_progress, self, done, total))

    def cancel(self) -> None:
        """Ask the work to stop. What became of it is still delivered: a result or a failure."""
        self._cancelled.set()
        if self.future is not None and self.future.cancel():
            error = JobCancelledError(_("It was cancelled before it began. Nothing was changed."))
            self.jobs.post(lambda: self.jobs.fail(self, error))

    def drop(self) -> None:
        """Ask the work to stop, and deliver nothing more of it."""
        self._dropped.set()
        self.cancel()


class Jobs(QObject):
    """Runs work one after the other on a thread of its own.

    ``changed`` is sent whenever a job begins to wait or has ended.
    """

    changed = Signal()
    _arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="judgetool-job")
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._open: dict[JobHandle, None] = {}
        self._is_closed = False
        self._arrived.connect(self._drain, Qt.ConnectionType.QueuedConnection)

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs or waits."""
        return not self._open

    def submit(
        self,
        work: Callable[[JobHandle], T],
        on_done: Callable[[T], object],
        on_failed: Callable[[Exception], None] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        *,
        key: str = "",
        owner: QObject | None = None,
    ) -> JobHandle:
        """Run work on the worker and deliver what becomes of it on the GUI thread.

        Args:
            work: gets the handle, to report and to ask whether it is cancelled.
            on_done: gets what it returned.
            on_failed: gets what it raised, :class:`JobCancelledError` if it was
                cancelled before it began; ``None`` hands it to ``sys.excepthook``,
                cancelling excepted.
            on_progress: gets done and total, at most 25 times a second.
            key: an older job of the same key is dropped; ``""`` replaces nothing.
            owner: nothing is delivered once this object is destroyed.

        Returns:
            The handle, to cancel; that of a job that was dropped where the window is closed
            already, as a timer of it may find out.
        """
        handle = JobHandle(self, key, on_done, on_failed, on_progress, owner)
        if self._is_closed:
            handle.drop()
            return handle
        for other in tuple(self._open):
            if key and other.key == key:
                other.drop()
        self._open[handle] = None
        handle.future = self._executor.submit(self._run, work, handle)
        self.changed.emit()
        return handle

    def let_go(self, lists: Sequence[list[Any]]) -> None:
        """Empty long lists that nobody needs any more, on the worker and bit by bit.

        To let go of millions of texts or documents at once would hold the window up.
        """
        self.submit(lambda _handle: _empty(lists), lambda _nothing: None)

    def cancel_all(self) -> None:
        """Stop and drop everything that runs or waits."""
        for handle in tuple(self._open):
            handle.drop()

    def stop_all(self) -> None:
        """Drop everything and wait until nothing of it runs any more.

        For whoever takes away what the work uses, such as an open project.
        """
        self.cancel_all()
        wait([handle.future for handle in self._open if handle.future is not None])

    def close(self) -> None:
        """Drop everything and wait for the worker, which stops at its next question."""
        self._is_closed = True
        self.cancel_all()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _run(self, work: Callable[[JobHandle], object], handle: JobHandle) -> None:
        try:
            handle.check()
            result = work(handle)
        except Exception as error:  # noqa: BLE001 - it is handed on, whatever it is
            self.post(partial(self.fail, handle, error))
        else:
            self.post(partial(self._finish, handle, result))

    def post(self, call: Callable[[], None]) -> None:
        """Have something done on the GUI thread."""
        self._inbox.put(call)
        # At the end of the program the receiver may be gone before the worker is.
        if isValid(self):
            self._arrived.emit()

    def _drain(self) -> None:
        while not self._inbox.empty():
            call = self._inbox.get()
            call()

    def tell_progress(self, handle: JobHandle, done: int, total: int) -> None:
        """Deliver how much of how much is done; on the GUI thread."""
        if handle in self._open and handle.is_wanted and handle.on_progress is not None:
            handle.on_progress(done, total)

    def _finish(self, handle: JobHandle, result: object) -> None:
        if self._close_job(handle):
            handle.on_done(result)

    def fail(self, handle: JobHandle, error: Exception) -> None:
        """Deliver what became of work that gives no result; on the GUI thread."""
        if not self._close_job(handle):
            return
        if handle.on_failed is not None:
            handle.on_failed(error)
        elif not isinstance(error, JobCancelledError):
            raise error

    def _close_job(self, handle: JobHandle) -> bool:
        """Take a job off the list; return whether it is to be delivered."""
        is_wanted = handle in self._open and handle.is_wanted
        self._open.pop(handle, None)
        self.changed.emit()
        return is_wanted


def _empty(lists: Sequence[list[Any]]) -> None:
    for each in lists:
        while each:
            del each[-_LET_GO_AT_ONCE:]


class WhileShown(QObject):
    """Works something out beside the window, only while it is shown, and once for many changes.

    Args:
        jobs: runs what takes long.
        parent: of the object.
        gather_ms: so long it waits after a change for more.

    Attributes:
        session: the project; ``None`` for none.
        is_shown: whether anybody looks.
    """

    def __init__(self, jobs: Jobs, parent: QObject, *, gather_ms: int) -> None:
        super().__init__(parent)
        self.session: Session | None = None
        self.is_shown, self._is_stale = False, True
        self._jobs = jobs
        self._job: JobHandle | None = None
        self._soon = QTimer(self, singleShot=True, interval=gather_ms)
        self._soon.timeout.connect(self.refresh)

    @property
    def is_computing(self) -> bool:
        """Whether something is still to come."""
        return self._job is not None

    def refresh(self) -> None:
        """Work it out anew; subclasses do."""
        raise NotImplementedError

    def set_session(self, session: Session | None) -> None:
        """Begin with another project, or none."""
        self.drop()
        self.session, self._is_stale = session, True

    def set_shown(self, *, is_shown: bool) -> None:
        """Compute from now on, or no more."""
        self.is_shown = is_shown
        if is_shown and self._is_stale:
            self.refresh()
        elif not is_shown and self.is_computing:
            self.drop()
            self._is_stale = True
        elif not is_shown:
            self._soon.stop()

    def take_change(self) -> None:
        """Something has changed that figures depend on."""
        self._is_stale = True
        if self.is_shown:
            self._soon.start()

    def drop(self) -> None:
        """Wait for nothing any more."""
        self._soon.stop()
        if self._job is not None:
            self._job.drop()
            self._job = None
