"""Paints the table of systems: value over its bar, change and p beside them."""

from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from judgetool.core.override import override
from judgetool.gui.compare.figures import format_p, format_share, is_significant, value_digits
from judgetool.gui.compare.table_model import Index, TableModel
from judgetool.gui.fonts import Role, line_height, metrics, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.number_text import format_value
from judgetool.gui.painting import (
    EDGE_WIDTH,
    LEFT,
    RIGHT,
    change_width,
    draw_bar,
    draw_change,
    draw_line,
    draw_place,
    draw_text,
    smooth,
)
from judgetool.gui.theme import Theme, current_theme
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow

INSET = 14
_ICON = 15
_UNDERLINE = 2
GAP = 10
ICONS = {"run": "layers", "what-if": "flask-conical"}


def row_height() -> int:
    """Return the height of a system's row: 52 px at a 13 px font."""
    return max(scaled(52), line_height(Role.UI) + line_height(Role.META) + scaled(14))


def least_column() -> int:
    """Return the least width in which a measure's value, change and p are whole."""
    left = text_width(Role.UI_STRONG, "0.0000") + scaled(18)
    right = max(change_width(), text_width(Role.META_STRONG, "p < 0.001") + scaled(14))
    return left + right + 2 * scaled(GAP)


class TableDelegate(QStyledItemDelegate):
    """Paints cells of a :class:`TableModel`.

    Attributes:
        current: key of the current system, ``""`` for none.
        has_keyboard: whether the table has the keyboard.
    """

    def __init__(self, model: TableModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.current = ""
        self.has_keyboard = False

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        theme, rect = current_theme(), QRectF(option.rect)
        row = self._model.rows[index.row()]
        painter.save()
        self._paint_ground(painter, option, row, index.column(), theme)
        if index.column() == 0:
            self._paint_name(painter, rect, row, theme)
        else:
            cell = self._model.cell(index.row(), index.column())
            if cell is None:
                place = _upper(rect)
                share = format_share(row.judged_share)
                draw_text(painter, place, share, role=Role.UI, colour=theme.text, align=LEFT)
            else:
                self._paint_cell(painter, rect, cell, index.column(), theme)
        has_cursor = bool(option.state & QStyle.StateFlag.State_HasFocus)
        if has_cursor and self.has_keyboard:
            self._paint_cursor(painter, rect, theme)
        painter.restore()

    def _paint_ground(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        row: ComparisonRow,
        column: int,
        theme: Theme,
    ) -> None:
        rect = QRectF(option.rect)
        if row.system.key == self.current:
            ground = theme.selected if self.has_keyboard else theme.selected_unfocused
            painter.fillRect(rect, ground)
            if column == 0:
                is_left = option.direction is Qt.LayoutDirection.LeftToRight
                left = rect.left() if is_left else rect.right() - EDGE_WIDTH
                painter.fillRect(QRectF(left, rect.top(), EDGE_WIDTH, rect.height()), theme.accent)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, theme.hover)
        draw_line(painter, rect, theme.line)

    def _paint_cursor(self, painter: QPainter, rect: QRectF, theme: Theme) -> None:
        painter.setPen(theme.accent)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect.adjusted(3.5, 3.5, -3.5, -4.5))

    def _paint_name(
        self, painter: QPainter, rect: QRectF, row: ComparisonRow, theme: Theme
    ) -> None:
        icon = "anchor" if row.is_baseline else ICONS[row.system.kind]
        if row.system.snapshot and not row.is_baseline:
            icon = "camera"
        ink = theme.accent if row.is_baseline else theme.text3
        size = scaled(_ICON)
        square = QRectF(rect.left() + INSET, rect.center().y() - size / 2, size, size)
        draw_icon(painter, square, name=icon, colour=ink, px=size)
        left = square.right() + scaled(9)
        upper, lower = _upper(rect), _lower(rect)
        upper.setLeft(left)
        lower.setLeft(left)
        name = " ".join(row.system.name.split())
        draw_text(painter, upper, name, role=Role.UI_STRONG, colour=theme.text, align=LEFT)
        remark = self._model.remarks.get(row.system.key, "")
        if row.is_baseline:
            remark = f"baseline, {remark}" if remark else "baseline"
        draw_text(painter, lower, remark, role=Role.META, colour=theme.text3, align=LEFT)

    def _paint_cell(
        self, painter: QPainter, rect: QRectF, cell: ComparisonCell, column: int, theme: Theme
    ) -> None:
        measure = self._model.measures[column - 1]
        upper, lower = _upper(rect), _lower(rect)
        text = format_value(cell.mean.value, digits=value_digits(measure))
        role = Role.UI_STRONG if cell.is_best else Role.UI
        draw_text(painter, upper, text, role=role, colour=theme.text, align=LEFT)
        if cell.is_best:
            base = upper.center().y() + metrics(role).ascent() / 2 + 2
            width = text_width(role, text)
            painter.fillRect(QRectF(upper.left(), round(base), width, _UNDERLINE), theme.accent)
        beside = max(change_width(), text_width(Role.META_STRONG, "p < 0.001") + scaled(14))
        bar = QRectF(lower.left(), lower.center().y() - 5, lower.width() - beside - scaled(8), 10)
        self._paint_bar(painter, bar, cell, column, theme)
        right = QRectF(upper.right() - beside, upper.top(), beside, upper.height())
        draw_change(painter, right, theme, change=cell.difference)
        if cell.p is not None and self._model.table is not None:
            under = QRectF(right.left(), lower.top(), beside, lower.height())
            is_marked = is_significant(self._model.table, cell)
            _paint_p(painter, under, cell.p, theme, is_marked=is_marked)

    def _paint_bar(
        self, painter: QPainter, bar: QRectF, cell: ComparisonCell, column: int, theme: Theme
    ) -> None:
        value = cell.mean.value
        if value is None or bar.width() < 12:
            return
        here = self._model.share(column, value)
        if cell.interval is None:
            # Nothing is known of what the unjudged could do: no part is drawn as certain.
            draw_place(painter, bar, theme, value=here)
            return
        ends = (cell.interval.low, cell.interval.high)
        low, high = (self._model.share(column, each) for each in ends)
        draw_bar(painter, bar, theme, value=here, low=low, high=high)


def _upper(rect: QRectF) -> QRectF:
    gap, line = scaled(GAP), line_height(Role.UI)
    block = line + line_height(Role.META)
    top = rect.top() + (rect.height() - 1 - block) / 2
    return QRectF(rect.left() + gap, top, rect.width() - 2 * gap, line)


def _lower(rect: QRectF) -> QRectF:
    upper = _upper(rect)
    return QRectF(upper.left(), upper.bottom(), upper.width(), line_height(Role.META))


def _paint_p(painter: QPainter, rect: QRectF, p: float, theme: Theme, *, is_marked: bool) -> None:
    text = format_p(p)
    if not is_marked:
        draw_text(painter, rect, text, role=Role.META, colour=theme.text3, align=RIGHT)
        return
    draw_text(painter, rect, text, role=Role.META_STRONG, colour=theme.text, align=RIGHT)
    at = QPointF(rect.right() - text_width(Role.META_STRONG, text) - scaled(9), rect.center().y())
    draw_diamond(painter, at, theme.text)


def draw_diamond(painter: QPainter, at: QPointF, colour: QColor) -> None:
    """Draw the sign of a difference that is not chance."""
    with smooth(painter):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        corners = ((0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0))
        painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in corners]))
