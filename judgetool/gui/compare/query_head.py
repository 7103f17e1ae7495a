"""The head of a query in the compare view: its text, its need, value old → new."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.number_text import format_change, format_value
from judgetool.gui.painting import LEFT, RIGHT, draw_change, draw_line, draw_text
from judgetool.gui.widgets.painted import PaintedWidget

_INSET = 16


class QueryHead(PaintedWidget):
    """Says which query, and what the measure says of it for both systems."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._text = self._need = self._measure = ""
        self._old: float | None = None
        self._new: float | None = None
        self._has_values = False

    def set_query(self, text: str, need: str) -> None:
        """Show another query."""
        self._text, self._need = text, need
        self._describe()

    def set_values(self, measure: str, old: float | None, new: float | None) -> None:
        """Show the values of baseline and system."""
        self._measure, self._old, self._new, self._has_values = measure, old, new, True
        self._describe()

    def clear_values(self) -> None:
        """Show no values."""
        self._has_values = False
        self._describe()

    @property
    def change(self) -> float | None:
        """New minus old; ``None`` where either is undefined."""
        return None if self._old is None or self._new is None else self._new - self._old

    def in_words(self) -> str:
        """Return the head as a reader says it."""
        if not self._has_values:
            return self._text
        values = f"{self._measure} {format_value(self._old)} to {format_value(self._new)}"
        return f"{self._text}: {values}, change {format_change(self.change) or 'undefined'}"

    def _describe(self) -> None:
        self.setAccessibleName(self.in_words())
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the height of text and need."""
        return QSize(400, scaled(58))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter = QPainter(self)
        theme = self.theme
        painter.fillRect(self.rect(), theme.base)
        draw_line(painter, QRectF(self.rect()), theme.line)
        inner = QRectF(self.rect()).adjusted(scaled(_INSET), scaled(7), -scaled(_INSET), -scaled(7))
        upper = QRectF(inner.left(), inner.top(), inner.width(), line_height(Role.TITLE))
        lower = QRectF(inner.left(), upper.bottom(), inner.width(), line_height(Role.UI))
        room = self._paint_values(painter, upper, lower) if self._has_values else 0.0
        text, need = upper.adjusted(0, 0, -room, 0), lower.adjusted(0, 0, -room, 0)
        draw_text(painter, text, self._text, role=Role.TITLE, colour=theme.text, align=LEFT)
        draw_text(painter, need, self._need, role=Role.UI, colour=theme.text2, align=LEFT)
        painter.end()

    def _paint_values(self, painter: QPainter, upper: QRectF, lower: QRectF) -> float:
        theme = self.theme
        new = format_value(self._new)
        before = f"{self._measure}  {format_value(self._old)} → "
        width = float(text_width(Role.UI_STRONG, new))
        draw_text(painter, upper, new, role=Role.UI_STRONG, colour=theme.text, align=RIGHT)
        left = upper.adjusted(0, 0, -width - 1, 0)
        draw_text(painter, left, before, role=Role.UI, colour=theme.text2, align=RIGHT)
        draw_change(painter, lower, theme, change=self.change)
        return width + text_width(Role.UI, before) + scaled(20)
