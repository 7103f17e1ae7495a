"""Rows that were painted once, kept as pixmaps under what they show."""

from collections import OrderedDict
from collections.abc import Callable, Hashable

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QPainter, QPixmap


class KeptPixmaps:
    """The last used pixmaps; what is asked for under a known key is not painted again.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, QPixmap] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()

    def draw(
        self,
        painter: QPainter,
        rect: QRect,
        key: Hashable,
        *,
        paint: Callable[[QPainter, QRectF], None],
        ground: QColor,
    ) -> None:
        """Draw a row.

        Args:
            painter: on a view's viewport.
            rect: of the whole row.
            key: everything that the look of the row depends on, but size and device.
            paint: paints the row, where it is not at hand, into a rectangle from (0, 0).
            ground: under everything, so that letters are smoothed as on the view itself.
        """
        ratio = painter.device().devicePixelRatio()
        painter.drawPixmap(
            rect.topLeft(),
            self.find(key, rect.width(), rect.height(), ratio, paint=paint, ground=ground),
        )

    def find(
        self,
        key: Hashable,
        width: int,
        height: int,
        ratio: float,
        *,
        paint: Callable[[QPainter, QRectF], None],
        ground: QColor,
    ) -> QPixmap:
        """Return the pixmap of a row, painted now if it is not at hand."""
        whole = (key, width, height, ratio)
        pixmap = self._kept.get(whole)
        if pixmap is None:
            pixmap = QPixmap(round(width * ratio), round(height * ratio))
            pixmap.setDevicePixelRatio(ratio)
            pixmap.fill(ground)
            inner = QPainter(pixmap)
            paint(inner, QRectF(0, 0, width, height))
            inner.end()
            self._kept[whole] = pixmap
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        self._kept.move_to_end(whole)
        return pixmap
