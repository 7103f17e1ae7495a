"""What stays in sight of the table of systems while the rest scrolls: heads, names, the baseline."""

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QScrollBar, QTableView, QWidget

from judgetool.core.override import override
from judgetool.gui.compare.table_model import Index, TableModel
from judgetool.gui.painting import LEFT, draw_line, draw_text
from judgetool.gui.theme import Role, current_theme, line_height, scaled
from judgetool.gui.widgets.rows import make_plain
from judgetool.wording import _

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
        is_order = column == self._model.sorted_by
        arrow = ("  ↑" if self._model.is_rising else "  ↓") if is_order else ""
        text = self._model.head(column) + arrow
        ink = theme.text if is_order else theme.text3
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


class Pinned(QTableView):
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
        make_plain(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
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
