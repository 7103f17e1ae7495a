"""Differences query by query as bars: worst first, about a zero line that stays where it is."""

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from judgetool.core.override import override
from judgetool.gui.compare.difference_rows import DifferenceRow
from judgetool.gui.fonts import Role, metrics, scaled, text_width
from judgetool.gui.number_text import format_change
from judgetool.gui.painting import LEFT, RIGHT, draw_id, draw_row_ground, draw_text
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.labels import plain_tooltip
from judgetool.gui.widgets.rows import ListTable

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_TOLD = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
_INSET = 16
_BARS_SHARE = 0.34
_TEXT_SHARE = 0.42
_DIGITS = 4
_WIDEST_LABEL = 112


def row_height() -> int:
    """Return the height of a query's row: 26 px at a 13 px font."""
    return max(scaled(26), round(metrics(Role.UI).height() * 1.2))


class DifferenceModel(QAbstractListModel):
    """The rows, with what readers say of them.

    Attributes:
        rows: as shown.
        most: greatest difference, at least 0.
        least: least difference, at most 0.
        label_width: room of the labels.
        noun: what readers call a row.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[DifferenceRow] = []
        self.most = self.least = 0.0
        self.label_width = 0
        self.noun = "Query"

    def set_rows(self, rows: list[DifferenceRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = rows
        self.most = max([0.0, *(row.difference for row in rows)])
        self.least = min([0.0, *(row.difference for row in rows)])
        longest = max((row.label for row in rows), key=len, default="")
        self.label_width = min(scaled(_WIDEST_LABEL), text_width(Role.META, longest) + 2)
        self.endResetModel()

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self.rows)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return a row as a reader says it."""
        if not index.isValid() or role not in _TOLD:
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(f"{row.label}  {row.text}".strip())
        change = format_change(row.difference) or "0"
        if row.number is None:
            return f"Group {row.text}, mean {change}, {row.remark}"
        return f"{self.noun} {row.label}, {row.text}, {change}"

    def place_of(self, number: int | None) -> int | None:
        """Return the row of a query or document, or ``None``."""
        return next((at for at, row in enumerate(self.rows) if row.number == number), None)


class DifferenceDelegate(QStyledItemDelegate):
    """Paints id, text, bar and number of a query."""

    def __init__(self, model: DifferenceModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self.current: int | None = None
        self.has_keyboard = False

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, rect = current_theme(), QRectF(option.rect)
        row = self._model.rows[index.row()]
        painter.save()
        state = option.state & QStyle.StateFlag.State_MouseOver
        if row.number is not None and row.number == self.current:
            state |= QStyle.StateFlag.State_Selected
        if self.has_keyboard:
            state |= QStyle.StateFlag.State_Active
        draw_row_ground(painter, rect, theme, state=state)
        bars = self.bars(rect)
        if row.number is None:
            self._paint_head(painter, rect, bars, row, theme)
        else:
            self._paint_query(painter, rect, bars, row, theme)
        self._paint_bar(painter, rect, bars, row, theme)
        painter.restore()

    def bars(self, rect: QRectF) -> QRectF:
        """Return where the bars of a row may stand."""
        value = text_width(Role.UI, "+0." + "0" * _DIGITS)
        right = rect.right() - scaled(_INSET) - value - scaled(12)
        width = rect.width() * _BARS_SHARE
        return QRectF(right - width, rect.top(), width, rect.height())

    def zero(self, bars: QRectF) -> float:
        """Return where the zero line stands: the same for all rows."""
        span = self._model.most - self._model.least
        share = -self._model.least / span if span > 0 else 0.5
        return round(bars.left() + share * bars.width()) + 0.0

    def _paint_head(
        self, painter: QPainter, rect: QRectF, bars: QRectF, row: DifferenceRow, theme: Theme
    ) -> None:
        left = rect.left() + scaled(_INSET)
        place = QRectF(left, rect.top(), bars.left() - scaled(8) - left, rect.height())
        name_width = min(text_width(Role.META_STRONG, row.text) + 2.0, place.width())
        name = QRectF(place.left(), place.top(), name_width, place.height())
        draw_text(painter, name, row.text, role=Role.META_STRONG, colour=theme.text2, align=LEFT)
        place.setLeft(name.right() + scaled(8))
        if place.width() > scaled(40):
            draw_text(painter, place, row.remark, role=Role.META, colour=theme.text3, align=LEFT)

    def _paint_query(
        self, painter: QPainter, rect: QRectF, bars: QRectF, row: DifferenceRow, theme: Theme
    ) -> None:
        left = rect.left() + scaled(_INSET)
        label = QRectF(left, rect.top(), self._model.label_width, rect.height())
        draw_id(painter, label, row.label, role=Role.META, colour=theme.text3, align=RIGHT)
        text = QRectF(label.right() + scaled(8), rect.top(), 0, rect.height())
        text.setRight(bars.left() - scaled(8))
        draw_text(painter, text, row.text, role=Role.UI, colour=theme.text, align=LEFT)

    def _paint_bar(
        self, painter: QPainter, rect: QRectF, bars: QRectF, row: DifferenceRow, theme: Theme
    ) -> None:
        zero, span = self.zero(bars), self._model.most - self._model.least
        colour = theme.good if row.difference > 0 else theme.bad
        width = abs(row.difference) / span * bars.width() if span > 0 else 0.0
        if row.difference:
            width = max(1.0, width)
        left = zero if row.difference > 0 else zero - width
        height = scaled(12) if row.number is not None else scaled(4)
        painter.fillRect(QRectF(left, round(bars.center().y() - height / 2), width, height), colour)
        painter.fillRect(QRectF(zero, rect.top(), 1, rect.height()), theme.line_strong)
        place = QRectF(bars.right(), rect.top(), 0, rect.height())
        place.setRight(rect.right() - scaled(_INSET))
        text = format_change(row.difference, digits=_DIGITS)
        role = Role.UI if row.number is not None else Role.META
        draw_text(painter, place, text, role=role, colour=theme.text, align=RIGHT)


class DifferenceList(ListTable):
    """The chart as a list: arrows walk the queries, Enter opens one.

    Signals:
        query_chosen: number of the query that became current.
        query_opened: number of the query that is to be judged.
    """

    query_chosen = Signal(int)
    query_opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.differences = DifferenceModel(self)
        self.delegate = DifferenceDelegate(self.differences, self)
        self.setModel(self.differences)
        self.setItemDelegate(self.delegate)
        self.setAccessibleName("Differences, worst first")
        self.set_row_height(row_height())
        self.row_moved.connect(self._choose)
        self.row_clicked.connect(self._choose)
        self.doubleClicked.connect(lambda index: self._open(index.row()))
        self.focus_changed.connect(self._on_focus)

    def set_rows(self, rows: list[DifferenceRow]) -> None:
        """Show other rows; the current query stays current."""
        if rows != self.differences.rows:
            self.differences.set_rows(rows)
        self.set_current(self.delegate.current)

    def set_current(self, query: int | None) -> None:
        """Make a query current, without a signal."""
        self.delegate.current = query
        place = self.differences.place_of(query) if query is not None else None
        if place is not None:
            self.setCurrentIndex(self.differences.index(place, 0))
        self.viewport().update()

    def _choose(self, row: int) -> None:
        query = self.differences.rows[row].number
        if query is not None and query != self.delegate.current:
            self.delegate.current = query
            self.viewport().update()
            self.query_chosen.emit(query)

    def _open(self, row: int) -> None:
        if 0 <= row < len(self.differences.rows):
            query = self.differences.rows[row].number
            if query is not None:
                self.query_opened.emit(query)

    def _on_focus(self, has_keyboard: bool) -> None:
        self.delegate.has_keyboard = has_keyboard
        self.viewport().update()

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand on a query as soon as the keyboard comes."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.differences.rows:
            self.setCurrentIndex(self.differences.index(0, 0))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the query for judging."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex().row())
        else:
            super().keyPressEvent(event)
