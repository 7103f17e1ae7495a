"""The table of systems on screen: rows by keys, columns by keys, a head that sorts."""

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from judgetool.core.override import override
from judgetool.gui.compare.table_delegate import TableDelegate, least_column, row_height
from judgetool.gui.compare.table_heads import TableHeads
from judgetool.gui.compare.table_model import Index, TableModel
from judgetool.gui.compare.table_names import TableNames
from judgetool.gui.fonts import Role, scaled, text_width

_NAME = 212
_MOST_ROWS = 8


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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = TableModel(self)
        self.delegate = TableDelegate(self.table, self)
        self._is_setting = False
        self.setAccessibleName("Runs compared")
        self.setModel(self.table)
        self.setItemDelegate(self.delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setMouseTracking(True)
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
        self.clicked.connect(self._on_clicked)

    def _set_headers(self) -> None:
        heads = TableHeads(self.table, self)
        self.setHorizontalHeader(heads)
        heads.sectionClicked.connect(self.sort_by)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(1)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(row_height())

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

    def _on_clicked(self, index: QModelIndex) -> None:
        self._choose_value(index)

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
        """Return the height of a few systems; more scroll."""
        shown = min(_MOST_ROWS, max(1, self.table.rowCount()))
        height = shown * row_height() + self.horizontalHeader().sizeHint().height()
        if sum(map(self.columnWidth, range(self.table.columnCount()))) > self.viewport().width():
            height += self.horizontalScrollBar().sizeHint().height()
        return QSize(900, height)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the height of two systems."""
        return QSize(300, min(2, max(1, self.table.rowCount())) * row_height() + scaled(28))
