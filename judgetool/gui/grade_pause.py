"""The pause in which a grade just given is seen; what is said meanwhile waits in order."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer, Signal


class GradePause(QObject):
    """Waits before moving on, and keeps what is said in the meantime for what follows.

    Args:
        move_on: shows the next document.
        parent: of the object.

    Signals:
        moved_on: the next document is shown, or there is none.

    Attributes:
        length_ms: how long; 0 is not at all.
        is_leaving: whether another document follows at once what is being saved, so that
            showing this one anew would be for nobody.
    """

    moved_on = Signal()

    def __init__(self, move_on: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._move_on = move_on
        self.length_ms = 0
        self.is_leaving = False
        self._waiting: deque[Callable[[], None]] = deque()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)

    @property
    def has_waiting(self) -> bool:
        """Whether something was said that waits for its document."""
        return bool(self._waiting)

    @contextmanager
    def saving(self, *, moves_on: bool) -> Iterator[None]:
        """Know while something is saved whether another document follows at once."""
        self.is_leaving = moves_on and not (self.length_ms and not self._waiting)
        try:
            yield
        finally:
            self.is_leaving = False

    def begin(self) -> None:
        """Move on after the pause; at once without one, or while more is waiting."""
        if self.length_ms and not self._waiting:
            self._timer.start(self.length_ms)
        else:
            self._move_on()
            self.moved_on.emit()

    def put_off(self, act: Callable[[], None]) -> bool:
        """Keep what is said for the next document; return whether there is a pause now."""
        if self._timer.isActive():
            self._waiting.append(act)
        return self._timer.isActive()

    def drop_waiting(self) -> None:
        """Forget what waits: what was said for later documents would hit this one."""
        self._waiting.clear()

    def stop(self) -> None:
        """Somebody goes elsewhere: the pause is over; what was said in it is done first."""
        if self._waiting and self._timer.isActive():
            self._go_on()
        self._timer.stop()

    def _go_on(self) -> None:
        """End the pause: move on, and do what was said meanwhile, in order."""
        self._timer.stop()
        waiting, self._waiting = self._waiting, deque()
        self._move_on()
        while waiting:
            act = waiting.popleft()
            # While more is waiting nobody looks at the grade just given.
            self._waiting = waiting
            act()
        self._waiting = deque()
