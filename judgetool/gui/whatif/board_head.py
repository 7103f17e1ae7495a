"""What the two orders of the what-if board are called, above them."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.painting import LEFT, RIGHT, draw_line, draw_text
from judgetool.gui.theme import Theme
from judgetool.gui.whatif.places import Columns
from judgetool.gui.whatif.scene import BoardScene
from judgetool.gui.widgets.painted import PaintedWidget


class BoardHead(PaintedWidget):
    """What the two orders are called, above the board."""

    def __init__(self, scene: BoardScene, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scene = scene
        self._texts = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def texts(self) -> tuple[str, str, str]:
        """Name of the left order, of the right one, and how much was done to it."""
        return self._texts

    def set_texts(self, left: str, right: str, remark: str) -> None:
        """Show other names."""
        if (left, right, remark) != self._texts:
            self._texts = (left, right, remark)
            self.setAccessibleName(f"{left}; {right}: {remark}")
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(480, scaled(34))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        rect = QRectF(self.rect())
        draw_board_head(painter, rect, self.theme, self._scene.columns, self._texts)
        painter.end()


def draw_board_head(
    painter: QPainter, rect: QRectF, theme: Theme, columns: Columns, texts: tuple[str, str, str]
) -> None:
    """Paint the heads of the two orders: left, right, and a remark at the right end."""
    left, right, remark = texts
    painter.fillRect(rect, theme.panel)
    beside = QRectF(columns.cards, rect.top(), rect.width() - columns.cards, rect.height())
    painter.fillRect(beside, theme.base)
    painter.fillRect(QRectF(columns.cards - 1, rect.top(), 1, rect.height()), theme.line)
    draw_line(painter, rect, theme.line)
    place = QRectF(scaled(12), rect.top(), columns.cards - scaled(24), rect.height())
    draw_text(painter, place, left, role=Role.META, colour=theme.text2, align=LEFT)
    inner = beside.adjusted(scaled(10), 0, -scaled(12), 0)
    width = text_width(Role.META, remark) + 1
    draw_text(painter, inner, remark, role=Role.META, colour=theme.text2, align=RIGHT)
    inner.setRight(inner.right() - width - scaled(12))
    draw_text(painter, inner, right, role=Role.META_STRONG, colour=theme.text, align=LEFT)
