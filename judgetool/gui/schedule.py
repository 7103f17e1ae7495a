"""When the window's own thread does what a key does not wait for.

Three times: with the next frame, after it, and while nothing else happens. What belongs to
an open project ends with it: :meth:`Schedule.stop` leaves nothing behind that would still run.
"""

import gc
from collections.abc import Callable, Iterator
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

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


class IdleWork(QObject):
    """Goes on with a generator, some milliseconds at a time, until it is done or replaced.

    For work that must touch widgets and so cannot leave the GUI thread. Keys and paints
    come between slices; the generator yields wherever it may be interrupted.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._steps: Iterator[object] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
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
        if self._steps is not None:
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


def collect_young() -> Iterator[None]:
    """Look for garbage among what is new, so that no key has to wait for that."""
    yield
    gc.collect(1)
