"""The names of the systems, which stay while the measures scroll beside them."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView

from judgetool.core.override import override
from judgetool.gui.compare.table_delegate import row_height
from judgetool.gui.compare.table_heads import TableHeads
from judgetool.gui.compare.table_model import Index, TableModel
from judgetool.gui.theme import current_theme


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
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        heads = TableHeads(model, self)
        self.setHorizontalHeader(heads)
        heads.sectionClicked.connect(lambda _column: self.head_clicked.emit())
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(1)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(row_height())
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
