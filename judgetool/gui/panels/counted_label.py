"""A line of text in which one number stands out: ‘Document **8** of 20’."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, text_width
from judgetool.gui.painting import draw_text
from judgetool.gui.text_marks import text_direction
from judgetool.gui.widgets.painted import PaintedWidget


class CountedLabel(PaintedWidget):
    """Plain text in text2 with its first number in text and bold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: tuple[str, str, str] = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """What the label says."""
        return "".join(self._parts)

    def set_text(self, text: str, *, strong: str) -> None:
        """Show another text; ``strong`` is the part of it that stands out."""
        head, middle, tail = text.partition(strong) if strong else (text, "", "")
        if (head, middle, tail) == self._parts:
            return
        before = self.sizeHint()
        self._parts = (head, middle, tail)
        self.setAccessibleName(text)
        if self.sizeHint() != before:
            self.updateGeometry()
        self.update()

    def _widths(self) -> tuple[int, int, int]:
        head, middle, tail = self._parts
        return (
            text_width(Role.UI, head),
            text_width(Role.UI_STRONG, middle),
            text_width(Role.UI, tail),
        )

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(sum(self._widths()) + 2, line_height(Role.UI))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(24, line_height(Role.UI))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the parts after each other."""
        painter, theme = QPainter(self), self.theme
        roles = ((Role.UI, theme.text2), (Role.UI_STRONG, theme.text), (Role.UI, theme.text2))
        # A common blank at an end of a part would not be kept.
        texts = (part.replace(" ", "\u00a0") for part in self._parts)
        parts = list(zip(texts, self._widths(), roles, strict=True))
        # The parts are one sentence: they follow each other as it runs, not as the window does.
        if text_direction(self.text) is Qt.LayoutDirection.RightToLeft:
            parts.reverse()
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        left = max(0.0, self.width() - float(sum(self._widths()))) if is_mirrored else 0.0
        for text, width, (role, ink) in parts:
            room = min(float(width), max(0.0, self.width() - left))
            place = QRectF(left, 0, room, self.height())
            draw_text(painter, place, text, role=role, colour=ink)
            left += width
        painter.end()
