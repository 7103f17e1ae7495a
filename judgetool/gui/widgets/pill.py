"""A filter pill: a word, a count, and a cross while it is active."""

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import draw_frame, draw_text, is_right_to_left, smooth
from judgetool.gui.widgets.painted import PaintedButton

_INSET = 10
_GAP = 5
_CROSS = 7


class Pill(PaintedButton):
    """A checkable pill; its count keeps figures of equal width.

    ``toggled(bool)`` says that it was switched.
    """

    radius = 11.0

    def __init__(
        self,
        text: str,
        count: int | None = None,
        *,
        has_cross: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """Make a pill.

        Args:
            text: the filter's name.
            count: how many it lets through; ``None`` shows no number.
            has_cross: show × while it is active (a filter that can be taken away).
            parent: of the widget.
        """
        super().__init__(parent)
        self._count = count
        self._has_cross = has_cross
        self.setCheckable(True)
        self.setText(text)
        self._describe()

    def set_count(self, count: int | None) -> None:
        """Show another number."""
        if count != self._count:
            before = self.sizeHint()
            self._count = count
            self._describe()
            if self.sizeHint() != before:
                self.updateGeometry()
            self.update()

    @override
    def face_size(self) -> QSize:
        """Return the size of the pill: 22 px high at a 13 px font."""
        width = 2 * scaled(_INSET) + text_width(Role.META_STRONG, self.text())
        if self._count is not None:
            width += scaled(_GAP) + text_width(Role.META_STRONG, self._number)
        if self._has_cross:
            width += scaled(_GAP + _CROSS)
        return QSize(width, scaled(22))

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint border, word, count and cross."""
        theme, face = self.theme, self.face
        is_on = self.isChecked()
        border = theme.accent if is_on else theme.line_strong if self.underMouse() else theme.line
        ground = theme.selected if is_on else theme.base
        draw_frame(painter, face, radius=face.height() / 2, border=border, ground=ground)
        role = Role.META_STRONG if is_on else Role.META
        ink = theme.disabled if not self.isEnabled() else theme.accent if is_on else theme.text2
        parts = [self.text()] if self._count is None else [self.text(), self._number]
        widths = [text_width(Role.META_STRONG, part) for part in parts]
        room = sum(widths) + scaled(_GAP) * (len(parts) - 1)
        left = face.left() + scaled(_INSET)
        at = self.mirrored(QRectF(left, face.top(), room, face.height())).left()
        # The count follows the word as the word is read, whatever the window's direction.
        order = -1 if is_right_to_left(self.text()) else 1
        for part, width in list(zip(parts, widths, strict=True))[::order]:
            place = QRectF(at, face.top(), width, face.height())
            draw_text(painter, place, part, role=role, colour=ink)
            at += width + scaled(_GAP)
        left += room + scaled(_GAP)
        if self._has_cross and is_on:
            square = QRectF(left, face.center().y() - _CROSS / 2, _CROSS, _CROSS)
            self._paint_cross(painter, self.mirrored(square))

    def _paint_cross(self, painter: QPainter, square: QRectF) -> None:
        with smooth(painter):
            painter.setPen(QPen(self.theme.accent, 1.5))
            reach = QPointF(square.width() / 2, square.height() / 2)
            over = QPointF(reach.x(), -reach.y())
            painter.drawLine(square.center() - reach, square.center() + reach)
            painter.drawLine(square.center() - over, square.center() + over)

    @property
    def _number(self) -> str:
        return "" if self._count is None else format_count(self._count)

    def _describe(self) -> None:
        self.setAccessibleName(f"{self.text()} {self._number}".strip())
