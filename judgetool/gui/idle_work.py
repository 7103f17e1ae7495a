"""Work on the GUI thread in slices, while nothing else happens."""

from collections.abc import Iterator
from time import perf_counter

from PySide6.QtCore import QObject, QTimer

SLICE_S = 0.004


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
