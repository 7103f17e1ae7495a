"""The table of systems on screen: rows by keys, columns by keys, a head that sorts."""

from typing import NamedTuple

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from judgetool.core.number_text import format_value
from judgetool.core.override import override
from judgetool.gui.compare.table_model import (
    Index,
    TableModel,
    format_p,
    format_share,
    is_significant,
    value_digits,
)
from judgetool.gui.fonts import Role, line_height, metrics, scaled, text_width
from judgetool.gui.painting import (
    EDGE_WIDTH,
    LEFT,
    change_width,
    draw_bar,
    draw_line,
    draw_text,
    smooth,
)
from judgetool.gui.theme import Theme, current_theme
from judgetool.gui.widgets.row_parts import Align, ChangePart, IconPart, Look, TextPart
from judgetool.gui.widgets.rows import make_plain
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow

INSET = 14
_ICON = 15
_UNDERLINE = 2
GAP = 10
ICONS = {"run": "layers", "what-if": "flask-conical"}
_NAME = 212
_MOST_ROWS = 8
_FEW_ROWS = 5
_ROW_GAPS = 18


class TableHeads(QHeaderView):
    """Texts stand where the cells' texts begin; a click orders by a column."""

    def __init__(self, model: TableModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._model = model
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName("Columns; a click orders by one")

    @override
    def sizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(super().sizeHint().width(), line_height(Role.HEAD) + scaled(12))

    @override
    def paintSection(self, painter: QPainter, rect: QRect, column: int) -> None:
        """Paint a column's name."""
        theme, place = current_theme(), QRectF(rect)
        painter.save()
        painter.fillRect(place, theme.panel)
        draw_line(painter, place, theme.line)
        left = INSET if column == 0 else scaled(GAP)
        is_order = column == self._model.sorted_by
        arrow = ("  ↑" if self._model.is_rising else "  ↓") if is_order else ""
        text = self._model.head(column) + arrow
        ink = theme.text if is_order else theme.text3
        inner = place.adjusted(left, 0, -4, 0)
        draw_text(painter, inner, text, role=Role.HEAD, colour=ink, align=LEFT)
        painter.restore()


def row_height() -> int:
    """Return the height of a system's row: 52 px at a 13 px font; larger text grows, not its gaps."""
    return line_height(Role.UI) + line_height(Role.META) + _ROW_GAPS


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
        look, rect = Look(current_theme()), QRectF(option.rect)
        row, column = self._model.rows[index.row()], index.column()
        cell = self._model.cell(index.row(), column)
        painter.save()
        self._paint_ground(painter, option, row, column, look.theme)
        if column == 0:
            self._paint_name(painter, rect, row, look)
        elif cell is None:
            TextPart(format_share(row.judged_share), align=Align.LEFT).paint(
                painter, _upper(rect), look
            )
        else:
            self._paint_cell(painter, rect, cell, column, look)
        if option.state & QStyle.StateFlag.State_HasFocus and self.has_keyboard:
            painter.setPen(look.theme.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(3.5, 3.5, -3.5, -4.5))
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

    def _paint_name(self, painter: QPainter, rect: QRectF, row: ComparisonRow, look: Look) -> None:
        ink, icon = "text3", "camera" if row.system.snapshot else ICONS[row.system.kind]
        remark = self._model.remarks.get(row.system.key, "")
        if row.is_baseline:
            ink, icon = "accent", "anchor"
            remark = ", ".join(filter(None, ("baseline", remark)))
        size = scaled(_ICON)
        IconPart(icon, ink, size).paint(painter, rect.adjusted(INSET, 0, 0, 0), look)
        # The texts begin after the icon, where those of cells begin after their gap.
        texts = rect.adjusted(INSET + size + scaled(9) - scaled(GAP), 0, 0, 0)
        name = TextPart(" ".join(row.system.name.split()), Role.UI_STRONG, align=Align.LEFT)
        name.paint(painter, _upper(texts), look)
        TextPart(remark, Role.META, "text3", Align.LEFT).paint(painter, _lower(texts), look)

    def _paint_cell(
        self, painter: QPainter, rect: QRectF, cell: ComparisonCell, column: int, look: Look
    ) -> None:
        measure, upper, lower = self._model.measures[column - 1], _upper(rect), _lower(rect)
        text = format_value(cell.mean.value, digits=value_digits(measure))
        role = Role.UI_STRONG if cell.is_best else Role.UI
        TextPart(text, role, align=Align.LEFT).paint(painter, upper, look)
        if cell.is_best:
            base = upper.center().y() + metrics(role).ascent() / 2 + 2
            line = QRectF(upper.left(), round(base), text_width(role, text), _UNDERLINE)
            painter.fillRect(line, look.theme.accent)
        beside = max(change_width(), text_width(Role.META_STRONG, "p < 0.001") + scaled(14))
        bar = QRectF(lower.left(), lower.center().y() - 5, lower.width() - beside - scaled(8), 10)
        self._paint_bar(painter, bar, cell, column, look.theme)
        ChangePart(cell.difference).paint(painter, upper, look)
        if cell.p is not None and self._model.table is not None:
            said, is_marked = format_p(cell.p), is_significant(self._model.table, cell)
            role, ink = (Role.META_STRONG, "text") if is_marked else (Role.META, "text3")
            TextPart(said, role, ink, Align.RIGHT).paint(painter, lower, look)
            if is_marked:
                left = lower.right() - text_width(role, said) - scaled(9)
                draw_diamond(painter, QPointF(left, lower.center().y()), look.theme.text)

    def _paint_bar(
        self, painter: QPainter, bar: QRectF, cell: ComparisonCell, column: int, theme: Theme
    ) -> None:
        value = cell.mean.value
        if value is None or bar.width() < 12:
            return
        here = self._model.share(column, value)
        low = high = 0.0
        # Where nothing is known of what the unjudged could do no part is drawn as certain.
        if cell.interval is not None:
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


def draw_diamond(painter: QPainter, at: QPointF, colour: QColor) -> None:
    """Draw the sign of a difference that is not chance."""
    with smooth(painter):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        corners = ((0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0))
        painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in corners]))


class DiamondPart(NamedTuple):
    """The sign of a difference that is not chance, in the middle of its place."""

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the sign."""
        draw_diamond(painter, rect.center(), look.theme.text)


class TableNames(QTableView):
    """Lies over the table's own first column; the table has the keyboard, and moves it.

    Args:
        model: the table's.
        table: what it lies over.

    Signals:
        name_clicked: a system's row was clicked.
        head_clicked: its head was.
    """

    name_clicked = Signal(int)
    head_clicked = Signal()

    def __init__(self, model: TableModel, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self.setModel(model)
        make_plain(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        heads = TableHeads(model, self)
        self.setHorizontalHeader(heads)
        heads.sectionClicked.connect(lambda _column: self.head_clicked.emit())
        self.verticalHeader().setDefaultSectionSize(row_height())
        self.clicked.connect(lambda index: self.name_clicked.emit(index.row()))
        bar, other = table.verticalScrollBar(), self.verticalScrollBar()
        bar.valueChanged.connect(other.setValue)
        other.valueChanged.connect(bar.setValue)

    @property
    def _is_left(self) -> bool:
        return self.layoutDirection() is Qt.LayoutDirection.LeftToRight

    def fit(self) -> None:
        """Lie over the first column."""
        for column in range(1, self.model().columnCount()):
            self.setColumnHidden(column, True)
        width = self._table.columnWidth(0)
        self.setColumnWidth(0, width)
        self.verticalHeader().setDefaultSectionSize(row_height())
        height = self._table.viewport().height() + self._table.horizontalHeader().height()
        place = self._table.viewport().geometry()
        left = place.left() if self._is_left else place.right() + 1 - width
        self.setGeometry(left, 0, width, height)
        self.raise_()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the names, and a line where measures go under them."""
        super().paintEvent(event)
        if self._table.horizontalScrollBar().value() > 0:
            painter = QPainter(self.viewport())
            edge = self.viewport().width() - 1 if self._is_left else 0
            painter.fillRect(edge, 0, 1, self.viewport().height(), current_theme().line_strong)
            painter.end()

    @override
    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Stay where the table is."""


class SystemTable(QTableView):
    """Systems × measures; the row of the cursor is the current system.

    Signals:
        system_chosen: key of the system whose row became current.
        measure_chosen: number of the measure whose column became current.
        value_chosen: a value was clicked, or Enter was pressed on it: system's key and
            the measure's number.
    """

    system_chosen = Signal(str)
    measure_chosen = Signal(int)
    value_chosen = Signal(str, int)

    def __init__(self) -> None:
        super().__init__()
        self.table = TableModel(self)
        self.delegate = TableDelegate(self.table, self)
        self._is_setting = False
        self.setAccessibleName("Runs compared")
        self.setModel(self.table)
        self.setItemDelegate(self.delegate)
        make_plain(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self._set_headers()
        self.names = TableNames(self.table, self)
        self.names.setItemDelegate(self.delegate)
        self.names.name_clicked.connect(self._on_name)
        self.names.head_clicked.connect(lambda: self.sort_by(0))
        self._step = 1
        self.horizontalScrollBar().valueChanged.connect(self._snap)
        self.horizontalScrollBar().rangeChanged.connect(
            lambda _low, _high: self._snap(self.horizontalScrollBar().value())
        )
        self.horizontalScrollBar().valueChanged.connect(self.names.viewport().update)
        self.selectionModel().currentChanged.connect(self._on_current)
        self.clicked.connect(self._choose_value)

    def _set_headers(self) -> None:
        heads = TableHeads(self.table, self)
        self.setHorizontalHeader(heads)
        heads.sectionClicked.connect(self.sort_by)
        self.verticalHeader().setDefaultSectionSize(row_height())

    # What is shown

    def show_current(self, key: str, measure: int) -> None:
        """Make a system and a measure current, without a signal."""
        row = self.table.place_of(key)
        self.delegate.current = key
        self._is_setting = True
        if row is not None:
            column = min(measure + 1, self.table.columnCount() - 1)
            self.setCurrentIndex(self.table.index(row, column))
        self._is_setting = False
        self._repaint()

    def sort_by(self, column: int) -> None:
        """Order by a column, the current system stays current."""
        key, measure = self.delegate.current, self.currentIndex().column() - 1
        self.table.sort_by(column)
        self.show_current(key, max(0, measure))
        if 0 < column <= len(self.table.measures):
            self.measure_chosen.emit(column - 1)

    def fit_columns(self) -> None:
        """Give the columns the table's width, none less than it needs."""
        n_measures = len(self.table.measures)
        if not n_measures:
            return
        judged = 0
        if self.table.has_share:
            judged = text_width(Role.HEAD, self.table.head(n_measures + 1)) + scaled(40)
        room = self.viewport().width() - scaled(_NAME)
        if least_column() * n_measures + judged <= room:
            each = (room - judged) // n_measures
        else:
            # They scroll by whole columns: none is ever cut.
            each = room // max(1, room // least_column())
            judged = each if judged else 0
        shown = min(n_measures + bool(judged), max(1, room // each))
        taken = judged + each * n_measures if judged + each * n_measures <= room else each * shown
        self.setColumnWidth(0, max(scaled(_NAME), self.viewport().width() - taken))
        for column in range(1, n_measures + 1):
            self.setColumnWidth(column, each)
        if self.table.has_share:
            self.setColumnWidth(n_measures + 1, judged)
        self.names.fit()
        self._step = each
        # Else the scroll bar follows the columns a moment later, and stops within one.
        self.updateGeometries()
        self.horizontalScrollBar().setSingleStep(each)

    def _snap(self, value: int) -> None:
        """Let a column begin where the names end."""
        bar = self.horizontalScrollBar()
        if value < bar.maximum() and value % self._step:
            bar.setValue(min(bar.maximum(), round(value / self._step) * self._step))

    def _repaint(self) -> None:
        self.viewport().update()
        self.names.viewport().update()

    # What the person does

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if self._is_setting or not current.isValid():
            return
        key = self.table.rows[current.row()].system.key
        if key != self.delegate.current:
            self.delegate.current = key
            self._repaint()
            self.system_chosen.emit(key)
        if 0 < current.column() <= len(self.table.measures):
            self.measure_chosen.emit(current.column() - 1)

    def _on_name(self, row: int) -> None:
        self.setFocus()
        column = max(1, self.currentIndex().column())
        self.setCurrentIndex(self.table.index(row, column))

    @override
    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Bring a cell into sight: not under the names."""
        super().scrollTo(index, hint)
        names, column = self.columnWidth(0), index.column()
        hidden = names - self.columnViewportPosition(column)
        if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            end = self.columnViewportPosition(column) + self.columnWidth(column)
            hidden = end - (self.viewport().width() - names)
        if index.column() > 0 and hidden > 0:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - hidden)

    def _choose_value(self, index: QModelIndex) -> None:
        if index.isValid() and 0 < index.column() <= len(self.table.measures):
            key = self.table.rows[index.row()].system.key
            self.value_chosen.emit(key, index.column() - 1)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses the value under the cursor."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose_value(self.currentIndex())
        else:
            super().keyPressEvent(event)

    @override
    def keyboardSearch(self, _search: str) -> None:
        """Letters are commands of the window, not a search."""

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self.delegate.has_keyboard = True
        self._repaint()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard went."""
        super().focusOutEvent(event)
        self.delegate.has_keyboard = False
        self._repaint()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the columns out anew."""
        super().resizeEvent(event)
        self.fit_columns()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        if event.type() is QEvent.Type.FontChange:
            self.verticalHeader().setDefaultSectionSize(row_height())
            self.fit_columns()
        super().changeEvent(event)

    @override
    def sizeHint(self) -> QSize:
        """Return the height of some systems; more scroll."""
        return QSize(900, self._height_of(_MOST_ROWS))

    @property
    def few_rows(self) -> int:
        """The height in px at which the table can be used as one: five systems, or all."""
        return self._height_of(_FEW_ROWS)

    def _height_of(self, most: int) -> int:
        shown = min(most, max(1, self.table.rowCount()))
        height = shown * row_height() + self.horizontalHeader().sizeHint().height()
        if sum(map(self.columnWidth, range(self.table.columnCount()))) > self.viewport().width():
            height += self.horizontalScrollBar().sizeHint().height()
        return height

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the height of two systems."""
        return QSize(300, min(2, max(1, self.table.rowCount())) * row_height() + scaled(28))
