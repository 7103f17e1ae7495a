"""A scroll bar that shows where the unjudged documents are."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from judgetool.core.override import override
from judgetool.gui.theme import current_theme

_WIDTH = 4
_HEIGHT = 2


class TickScrollBar(QScrollBar):
    """A vertical scroll bar with a tick for each place that is named to it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._places: Sequence[int] = ()
        self._count = 0

    @property
    def ticks(self) -> Sequence[int]:
        """The places that have a tick."""
        return self._places

    def set_ticks(self, places: Sequence[int], *, count: int) -> None:
        """Show ticks at these places of a list of ``count`` rows."""
        self._places, self._count = places, count
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bar, then a tick per pixel row at most."""
        super().paintEvent(event)
        if not self._count:
            return
        heights = {round((place + 0.5) * self.height() / self._count) for place in self._places}
        painter = QPainter(self)
        left = self.width() - _WIDTH
        ink = current_theme().accent
        for top in heights:
            painter.fillRect(QRectF(left, top - _HEIGHT / 2, _WIDTH, _HEIGHT), ink)
        painter.end()
