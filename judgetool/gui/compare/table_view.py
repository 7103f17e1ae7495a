"""The table of systems on screen: rows and columns by keys, a head that sorts, what stays in sight."""

from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QScrollBar,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from judgetool.core import override
from judgetool.core.number_text import NO_CHANGE
from judgetool.gui.compare.table_model import (
    Index,
    TableModel,
    format_difference,
    format_share,
    value_digits,
)
from judgetool.gui.painting import (
    EDGE_WIDTH,
    LEFT,
    change_width,
    draw_bar,
    draw_line,
    draw_text,
    format_change,
    format_p,
    format_value,
    smooth,
)
from judgetool.gui.theme import Role, Theme, current_theme, line_height, metrics, scaled, text_width
from judgetool.gui.widgets.labels import (
    Align,
    ChangePart,
    IconPart,
    Look,
    Piece,
    TextPart,
    paint_pieces,
)
from judgetool.gui.widgets.painted import announce, renew_tip, show_tip, tell_current, tell_tip
from judgetool.gui.widgets.rows import PlainTable
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow
from judgetool.wording import _

# What stays in sight

INSET = 14
GAP = 10
_ROW_GAPS = 18


class TableHeads(QHeaderView):
    """Texts stand where the cells' texts begin; a click orders by a column."""

    def __init__(self, model: TableModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._model = model
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName(_("Columns; a click orders by one"))

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
        text = str(self._model.headerData(column, Qt.Orientation.Horizontal))
        ink = theme.text if column == self._model.sorted_by else theme.text3
        inner = place.adjusted(left, 0, -4, 0)
        draw_text(painter, inner, text, role=Role.HEAD, colour=ink, align=LEFT)
        painter.restore()


def snap(bar: QScrollBar, value: int, step: int) -> None:
    """Move a scroll bar to the nearest step, unless it is at its end."""
    if value < bar.maximum() and value % step:
        bar.setValue(min(bar.maximum(), round(value / step) * step))


def row_height() -> int:
    """Return the height of a system's row: 52 px at a 13 px font; larger text grows, not its gaps."""
    return line_height(Role.UI) + line_height(Role.META) + _ROW_GAPS


class Pinned(PlainTable):
    """Lies over a part of the table that does not scroll; the table has the keyboard, and moves it.

    Args:
        model: the table's.
        table: what it lies over.
        has_names: whether it is the first column; else it goes along with the columns.
        has_rows: whether it shows all rows under heads; else the baseline's, the first, alone.

    Signals:
        cell_clicked: row and column.
        head_clicked: the head of the names was clicked.
    """

    cell_clicked = Signal(int, int)
    head_clicked = Signal()

    def __init__(
        self, model: TableModel, table: QTableView, *, has_names: bool, has_rows: bool
    ) -> None:
        super().__init__(table)
        self._table, self._has_names, self._has_rows = table, has_names, has_rows
        self.setModel(model)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(table.itemDelegate())
        heads = TableHeads(model, self)
        self.setHorizontalHeader(heads)
        heads.setVisible(has_rows)
        heads.sectionClicked.connect(lambda _column: self.head_clicked.emit())
        self.clicked.connect(lambda index: self.cell_clicked.emit(index.row(), index.column()))
        if has_rows:
            self.setVerticalScrollMode(table.verticalScrollMode())
            self._follow(table.verticalScrollBar(), self.verticalScrollBar())
        if not has_names:
            self._follow(table.horizontalScrollBar(), self.horizontalScrollBar())

    @staticmethod
    def _follow(bar: QScrollBar, other: QScrollBar) -> None:
        bar.valueChanged.connect(other.setValue)
        other.valueChanged.connect(bar.setValue)

    @property
    def _is_left(self) -> bool:
        return self.layoutDirection() is Qt.LayoutDirection.LeftToRight

    def fit(self) -> None:
        """Lie where its part of the table is; the baseline's row only where rows scroll."""
        table, n_rows = self._table, self.model().rowCount()
        is_seen = self._has_rows or (n_rows > 1 and table.verticalScrollBar().maximum() > 0)
        self.setVisible(is_seen)
        if not is_seen:
            return
        self.verticalHeader().setDefaultSectionSize(row_height())
        for column in range(self.model().columnCount()):
            self.setColumnHidden(column, self._has_names and column > 0)
            self.setColumnWidth(column, table.columnWidth(column))
        for row in range(n_rows):
            self.setRowHidden(row, not self._has_rows and row > 0)
        place, heads = table.viewport().geometry(), table.horizontalHeader().height()
        width = table.columnWidth(0) if self._has_names else place.width()
        height = place.height() + heads if self._has_rows else row_height()
        left = place.left() if self._is_left else place.right() + 1 - width
        self.setGeometry(left, 0 if self._has_rows else heads, width, height)
        if not self._has_names:
            self.updateGeometries()
            self.horizontalScrollBar().setValue(table.horizontalScrollBar().value())
        self.raise_()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the part, and a line where the rest goes under it."""
        super().paintEvent(event)
        painter, view = QPainter(self.viewport()), self.viewport()
        ink = current_theme().line_strong
        if self._has_names and self._table.horizontalScrollBar().value() > 0:
            painter.fillRect(view.width() - 1 if self._is_left else 0, 0, 1, view.height(), ink)
        if not self._has_rows and self._table.verticalScrollBar().value() > 0:
            painter.fillRect(0, view.height() - 1, view.width(), 1, ink)
        painter.end()

    @override
    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Stay where the table is."""


# The table

_ICON = 15
_UNDERLINE = 2
ICONS = {"run": "layers", "what-if": "flask-conical"}
_NAME = 224
_MOST_ROWS = 10
_FEW_ROWS = 5


def least_column() -> int:
    """Return the least width in which a measure's value, change and p are whole."""
    left = text_width(Role.UI_STRONG, "0.0000") + scaled(18)
    return left + _width_beside() + 2 * scaled(GAP)


def _width_beside() -> int:
    """Return what change and p need beside a value."""
    return max(change_width(), text_width(Role.META_STRONG, "p < 0.001") + scaled(14))


class TableDelegate(QStyledItemDelegate):
    """Paints cells of a :class:`TableModel`.

    Attributes:
        current: key of the current system, ``""`` for none.
        has_keyboard: whether the table has the keyboard.
    """

    def __init__(self, model: TableModel, table: QTableView) -> None:
        super().__init__(table)
        self._model, self._table = model, table
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
        elif cell is not None:
            self._paint_cell(painter, rect, cell, index, look)
        # Pinned parts have neither the keyboard nor a current cell of their own.
        if self.has_keyboard and index == self._table.currentIndex() and column:
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
            remark = ", ".join(filter(None, (_("baseline"), remark)))
        share = _("{share} judged").format(share=format_share(row.judged_share))
        share_width = text_width(Role.META, share) + 1
        sign = IconPart(icon, ink, _ICON)
        sign.paint(painter, rect.adjusted(INSET, 0, 0, 0), look)
        # The texts begin after the icon, where those of cells begin after their gap.
        texts = rect.adjusted(INSET + sign.side + scaled(9) - scaled(GAP), 0, 0, 0)
        told = " ".join(row.system.name.split())
        # Names of one family of runs differ at their end as often as at their beginning.
        name = TextPart(told, Role.UI_STRONG, align=Align.LEFT, is_id=True)
        name.paint(painter, _upper(texts), look)
        lower, gap = _lower(texts), scaled(8)
        if row.is_baseline and text_width(Role.META, remark) > lower.width() - share_width - gap:
            remark = _("baseline")
        # That a grade is assumed stands in front; of what a what-if or a past run is made, at the end.
        is_made = row.system.kind != "run" or bool(row.system.snapshot)
        is_id = is_made and not row.has_assumed
        pieces = (
            Piece(TextPart(remark, Role.META, "text3", Align.LEFT, is_id=is_id), gives=True),
            Piece(TextPart(share, Role.META, "text2"), share_width, gap),
        )
        paint_pieces(painter, pieces, lower, Look(look.theme))

    def _paint_cell(
        self, painter: QPainter, rect: QRectF, cell: ComparisonCell, index: Index, look: Look
    ) -> None:
        column, upper, lower = index.column(), _upper(rect), _lower(rect)
        measure = self._model.measures[column - 1]
        text = format_value(cell.mean.value, digits=value_digits(measure))
        role = Role.UI_STRONG if cell.is_best else Role.UI
        TextPart(text, role, align=Align.LEFT).paint(painter, upper, look)
        if cell.is_best:
            base = upper.center().y() + metrics(role).ascent() / 2 + 2
            line = QRectF(upper.left(), round(base), text_width(role, text), _UNDERLINE)
            painter.fillRect(line, look.theme.accent)
        wide = lower.width() - _width_beside() - scaled(8)
        bar = QRectF(lower.left(), lower.center().y() - 5, wide, 10)
        self._paint_bar(painter, bar, cell, column, look.theme)
        change = ChangePart(cell.difference, measure.is_quality)
        self._paint_difference(painter, upper, change, look)
        rules = self._model.table.rules if self._model.table is not None else None
        if cell.p is not None and rules is not None:
            said, mark = format_p(cell.p, rules.alpha), self._model.mark(index.row(), column)
            role, ink = (Role.META_STRONG, "text") if mark else (Role.META, "text3")
            TextPart(said, role, ink, Align.RIGHT).paint(painter, lower, look)
            if mark:
                left = QPointF(
                    lower.right() - text_width(role, said) - scaled(9), lower.center().y()
                )
                is_sure = mark == "significant"
                draw_diamond(painter, left, look.theme.text, is_full=is_sure)

    def _paint_difference(
        self, painter: QPainter, rect: QRectF, change: ChangePart, look: Look
    ) -> None:
        difference = change.change
        if difference and format_change(difference) == NO_CHANGE:
            # Too small for its digits, and yet one of the two is better.
            ink = "good" if difference > 0 else "bad"
            ink = ink if change.is_quality else "text2"
            said = TextPart(format_difference(difference), Role.META, ink, Align.RIGHT)
            said.paint(painter, rect, look)
        else:
            change.paint(painter, rect, look)

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


def draw_diamond(painter: QPainter, at: QPointF, colour: QColor, *, is_full: bool = True) -> None:
    """Draw the sign of a difference that is not chance; hollow while grades can change it."""
    pen = Qt.PenStyle.NoPen if is_full else QPen(colour, 1.2)
    with smooth(painter, pen, colour if is_full else Qt.BrushStyle.NoBrush):
        corners = ((0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0))
        painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in corners]))


class DiamondPart(NamedTuple):
    """The sign of a difference that is not chance, in the middle of its place."""

    is_full: bool = True

    def paint(self, painter: QPainter, rect: QRectF, look: Look) -> None:
        """Draw the sign."""
        draw_diamond(painter, rect.center(), look.theme.text, is_full=self.is_full)


class SystemTable(PlainTable):
    """Systems × measures; the row of the cursor is the current system.

    Signals:
        system_chosen: key of the system whose row became current.
        measure_chosen: number of the measure whose column became current.
        value_chosen: a value was clicked, or Enter was pressed on it: system's key and
            the measure's number.
        numbers_wanted: every number of a cell is shown; likewise.
    """

    system_chosen = Signal(str)
    measure_chosen = Signal(int)
    value_chosen = Signal(str, int)
    numbers_wanted = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = TableModel(self)
        self._told: QPersistentModelIndex | None = None
        self.table.is_current = self._is_current
        self.delegate = TableDelegate(self.table, self)
        self._is_setting = False
        self.setAccessibleName(_("Runs compared"))
        self.setModel(self.table)
        self.setItemDelegate(self.delegate)
        # No row is ever cut under the baseline, and no column under the names.
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self._set_headers()
        self.top = Pinned(self.table, self, has_names=False, has_rows=False)
        self.names = Pinned(self.table, self, has_names=True, has_rows=True)
        corner = Pinned(self.table, self, has_names=True, has_rows=False)
        # Each later one lies over the earlier.
        self._pinned = (self.top, self.names, corner)
        for each in self._pinned:
            each.cell_clicked.connect(self._on_pinned)
        self.names.head_clicked.connect(lambda: self.sort_by(0))
        self._step = 1
        # Until somebody moves: what is best stands right under the baseline.
        self._is_at_top = True
        self.verticalScrollBar().actionTriggered.connect(self._leave_top)
        self.horizontalScrollBar().valueChanged.connect(self._snap)
        self.horizontalScrollBar().rangeChanged.connect(
            lambda _low, _high: self._snap(self.horizontalScrollBar().value())
        )
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self._repaint)
        self.verticalScrollBar().rangeChanged.connect(self._fit_pinned)
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
        if self.table.place_of(self.delegate.current) is not None and key != self.delegate.current:
            self._leave_top()
        self.delegate.current = key
        self._is_setting = True
        if row is not None:
            column = min(measure + 1, self.table.columnCount() - 1)
            self.setCurrentIndex(self.table.index(row, column))
        self._is_setting = False
        self._keep_top()
        self._repaint()
        renew_tip(self)

    def _leave_top(self) -> None:
        self._is_at_top = False

    def _keep_top(self) -> None:
        if self._is_at_top:
            self.verticalScrollBar().setValue(0)

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
        room = self.viewport().width() - scaled(_NAME)
        # Where not all have room they scroll by whole columns: none is ever cut.
        shown = min(n_measures, max(1, room // least_column()))
        # What the columns do not need is for names that are longer.
        names = scaled(_NAME) + max(0, room - shown * least_column())
        names = max(scaled(_NAME), min(names, self._names_width))
        each = (self.viewport().width() - names) // shown
        self.setColumnWidth(0, max(names, self.viewport().width() - each * shown))
        for column in range(1, n_measures + 1):
            self.setColumnWidth(column, each)
        self._step = each
        # Else the scroll bar follows the columns a moment later, and stops within one.
        self.updateGeometries()
        self.horizontalScrollBar().setSingleStep(each)
        self._fit_pinned()

    @property
    def _names_width(self) -> int:
        """The width in px in which every name is whole."""
        names = (" ".join(row.system.name.split()) for row in self.table.rows)
        longest = max((text_width(Role.UI_STRONG, name) for name in names), default=0)
        return longest + INSET + scaled(_ICON) + scaled(9) + scaled(GAP) + 2

    def _fit_pinned(self) -> None:
        for each in self._pinned:
            each.fit()

    def _snap(self, value: int) -> None:
        """Let a column begin where the names end."""
        snap(self.horizontalScrollBar(), value, self._step)

    def _repaint(self) -> None:
        for each in (self, *self._pinned):
            each.viewport().update()

    def show_numbers(self) -> None:
        """Show and say every number of the cell that is current, as its tooltip does."""
        self._tell_numbers(self.currentIndex())
        tell_tip(self)

    def _tell_numbers(self, index: QModelIndex) -> None:
        if index.isValid():
            self._told = QPersistentModelIndex(index)
            self.numbers_wanted.emit(self.table.rows[index.row()].system.key, index.column() - 1)

    def take_bounds(self, key: str, measure: int) -> None:
        """Show what is known now, where the numbers of this cell are shown."""
        # What is known now may be marked as sure.
        self._repaint()
        told = self._told
        if told is None or not told.isValid() or not QToolTip.isVisible():
            return
        if (self.table.rows[told.row()].system.key, told.column() - 1) == (key, measure):
            show_tip(self, self.table.index(told.row(), told.column()))

    def cell_in_words(self) -> tuple[str, list[str]]:
        """Return whose cell has the keyboard, and what a reader says of it, in parts."""
        index = self.currentIndex()
        if not index.isValid():
            return "", []
        said = str(index.data(Qt.ItemDataRole.AccessibleTextRole) or "")
        return f"{self.delegate.current} {index.column()}", said.split(", ")

    def tell_more(self, before: tuple[str, list[str]]) -> None:
        """Have said what has come to be known of the current cell, and not all of it once more."""
        cell, parts = self.cell_in_words()
        if cell == before[0] and self.hasFocus():
            announce(self, ", ".join(part for part in parts if part not in before[1]))

    def _is_current(self, row: int, column: int) -> bool:
        here = self.currentIndex()
        return (here.row(), here.column()) == (row, column)

    # What the person does

    @override
    def currentChanged(self, current: Index, previous: Index) -> None:
        """Have readers ask again for the cell's words, which are more while it is current."""
        tell_current(self, QAccessible.Event.NameChanged)
        super().currentChanged(current, previous)

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if self._is_setting or not current.isValid():
            return
        self._leave_top()
        key = self.table.rows[current.row()].system.key
        if key != self.delegate.current:
            self.delegate.current = key
            self._repaint()
            self.system_chosen.emit(key)
        if 0 < current.column() <= len(self.table.measures):
            self.measure_chosen.emit(current.column() - 1)

    def _on_pinned(self, row: int, column: int) -> None:
        self.setFocus()
        kept = max(1, self.currentIndex().column())
        self.setCurrentIndex(self.table.index(row, column or kept))
        if column:
            self._choose_value(self.currentIndex())

    @override
    def scrollTo(
        self,
        index: Index,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        """Bring a cell into sight: not under the names, nor under the baseline."""
        super().scrollTo(index, hint)
        under = row_height() - self.rowViewportPosition(index.row())
        if index.row() > 0 and under > 0 and not self.top.isHidden():
            # The baseline's row is as high as this one, which stands right under it.
            down = self.verticalScrollBar()
            down.setValue(down.value() - 1)
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
    def viewportEvent(self, event: QEvent) -> bool:
        """Tell every number of the cell under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            if index.column() > 0:
                self._tell_numbers(index)
        return super().viewportEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses the value under the cursor."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose_value(self.currentIndex())
        else:
            super().keyPressEvent(event)

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
        """Lay the columns out anew, scrolled no further than the cursor's column needs."""
        super().resizeEvent(event)
        self.fit_columns()
        if event.size().width() != event.oldSize().width():
            self.horizontalScrollBar().setValue(0)
        if event.size() != event.oldSize():
            self.scrollTo(self.currentIndex())
            self._keep_top()

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

    def height_within(self, room: int) -> int:
        """Return the height in px of as many whole rows as a room has, five at least."""
        n_rows = (room - self._height_of(0)) // row_height()
        return self._height_of(min(_MOST_ROWS, max(_FEW_ROWS, n_rows)))

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
