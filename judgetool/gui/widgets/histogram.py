"""Small painted bars: how often each grade was given, and means side by side."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.painting import LEFT, RIGHT, draw_text, draw_track
from judgetool.gui.theme import Theme
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

_GAP = 2
_BAR = 120


def draw_histogram(
    painter: QPainter, rect: QRectF, theme: Theme, bars: Sequence[tuple[int, QColor]]
) -> None:
    """Draw a bar for each count, as high as its share of the greatest.

    Args:
        painter: on anything.
        rect: the room; bars stand on its bottom.
        theme: the colours of what is empty.
        bars: count and ink of each.
    """
    most = max((count for count, _ in bars), default=0)
    width = (rect.width() + _GAP) / max(1, len(bars)) - _GAP
    for place, (count, ink) in enumerate(bars):
        left = rect.left() + place * (width + _GAP)
        painter.fillRect(QRectF(left, rect.bottom() - 1, width, 1), theme.line_strong)
        height = round((rect.height() - 1) * count / most) if most else 0
        # What was given at all is seen, however rare.
        height = max(height, 2) if count else 0
        painter.fillRect(QRectF(left, rect.bottom() - height, width, height), ink)


class BarRow(NamedTuple):
    """One bar lying on its side.

    Attributes:
        name: at the start.
        share: how long it is, 0 to 1.
        text: at the end.
    """

    name: str
    share: float
    text: str


class BarRows(PaintedWidget):
    """Names, bars and numbers in rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[BarRow, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def rows(self) -> tuple[BarRow, ...]:
        """What is shown."""
        return self._rows

    def set_rows(self, rows: Sequence[BarRow]) -> None:
        """Show other rows."""
        self._rows = tuple(rows)
        self.setAccessibleName("; ".join(f"{row.name}: {row.text}" for row in rows))
        self.updateGeometry()
        self.update()

    def _width(self, texts: Sequence[str]) -> int:
        return max((text_width(Role.META, text) for text in texts), default=0) + scaled(8)

    @override
    def sizeHint(self) -> QSize:
        """Return the room that names, bars and numbers need."""
        width = self._width([row.name for row in self._rows])
        width += scaled(_BAR) + self._width([row.text for row in self._rows])
        return QSize(width, len(self._rows) * (line_height(Role.META) + scaled(4)))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the same height, and less of a bar."""
        return QSize(scaled(160), self.sizeHint().height())

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint the rows."""
        names = self._width([row.name for row in self._rows])
        numbers = self._width([row.text for row in self._rows])
        height = line_height(Role.META) + scaled(4)
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        begin, end = (LEFT, RIGHT) if is_left else (RIGHT, LEFT)
        bar_room = max(0, self.width() - names - numbers)
        for place, row in enumerate(self._rows):
            top = place * height
            at = mirrored(self, QRectF(0, top, names, height))
            draw_text(painter, at, row.name, role=Role.META, colour=self.theme.text2, align=begin)
            # Bars stay left to right in every language.
            bar = QRectF(at.right() if is_left else numbers, top, bar_room, height)
            draw_track(painter, bar, self.theme, share=row.share)
            at = mirrored(self, QRectF(self.width() - numbers, top, numbers, height))
            draw_text(painter, at, row.text, role=Role.META, colour=self.theme.text, align=end)
