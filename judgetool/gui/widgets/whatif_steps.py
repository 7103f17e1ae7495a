"""The steps of a what-if, with the chosen measure's value after each of them."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.excerpts import one_line
from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.number_text import format_change, format_value
from judgetool.gui.painting import LEFT, RIGHT, change_width, draw_change, draw_text
from judgetool.gui.widgets.painted import PaintedWidget

_ROW = 25
_INSET = 12
_MOST = 120


@dataclass(frozen=True, slots=True)
class StepLine:
    """One line of the list.

    Attributes:
        number: of the step, from 0 for what the ranking was; ``None`` for what could be.
        text: what was done.
        value: after it; ``None`` where it is undefined.
        change: against the line before; ``None`` without one.
        is_current: whether it is where the ranking stands, or what is in the hand.
    """

    number: int | None
    text: str
    value: float | None
    change: float | None
    is_current: bool = False


class WhatIfSteps(PaintedWidget):
    """Lines of steps, first first; what could be reached at best is the last."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[StepLine, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def lines(self) -> tuple[StepLine, ...]:
        """What is shown."""
        return self._lines

    @property
    def row_height(self) -> int:
        """Height of every line."""
        return max(scaled(_ROW), line_height(Role.UI) + 4)

    def set_lines(self, lines: tuple[StepLine, ...]) -> None:
        """Show other steps."""
        if lines == self._lines:
            return
        is_other_size = len(lines) != len(self._lines)
        self._lines = lines
        said = (
            f"{line.text}: {format_value(line.value)} {format_change(line.change)}".strip()
            for line in lines
        )
        self.setAccessibleName("Steps")
        self.setAccessibleDescription(". ".join(said))
        if is_other_size:
            self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(scaled(300), self.row_height * max(1, len(self._lines)) + scaled(6))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(scaled(160), self.sizeHint().height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines that are asked for."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self.theme.panel)
        for place, line in enumerate(self._lines):
            rect = QRectF(0, place * self.row_height, self.width(), self.row_height)
            if rect.intersects(QRectF(event.rect())):
                self._paint_line(painter, line, rect)
        painter.end()

    def _paint_line(self, painter: QPainter, line: StepLine, rect: QRectF) -> None:
        theme = self.theme
        if line.is_current:
            painter.fillRect(rect, theme.selected)
        inset, value = scaled(_INSET), text_width(Role.UI_STRONG, "0.0000")
        digits = text_width(Role.META, "00")
        has_room = self.width() >= scaled(250)
        change = change_width() if has_room else 0
        ink = theme.text if line.number is not None else theme.text2
        number = "" if line.number is None else str(line.number)
        place = QRectF(inset, rect.top(), digits, rect.height())
        draw_text(painter, place, number, role=Role.META, colour=theme.text3, align=LEFT)
        right = rect.right() - inset - change
        at = QRectF(right - value - scaled(4), rect.top(), value, rect.height())
        left = inset + digits + scaled(8)
        text = QRectF(left, rect.top(), at.left() - scaled(10) - left, rect.height())
        words = one_line(line.text, most=_MOST)
        role = Role.UI_STRONG if line.is_current else Role.UI
        draw_text(painter, text, words, role=role, colour=ink, align=LEFT)
        shown = format_value(line.value)
        draw_text(painter, at, shown, role=Role.UI, colour=ink, align=RIGHT)
        if has_room:
            end = QRectF(right, rect.top(), change, rect.height())
            draw_change(painter, end, theme, change=line.change)

    def line_at(self, y: float) -> StepLine | None:
        """Return the line at a height, or ``None``."""
        place = int(y // self.row_height)
        return self._lines[place] if 0 <= place < len(self._lines) else None
