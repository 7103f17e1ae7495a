"""The table that both lists are, painted in one column, and what stands where one is empty."""

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font


class ListTable(QTableView):
    """A ``QTableView`` that looks like a list, since a ``QListView`` is slow with fixed rows.

    Signals:
        row_moved: a key has made another row current; not told of changes by program.
        row_clicked: a row was clicked.
        focus_changed: the keyboard came or went.
    """

    row_moved = Signal(int)
    row_clicked = Signal(int)
    focus_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, selects_several: bool = False) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if selects_several else mode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(1)
        self.clicked.connect(lambda index: self.row_clicked.emit(index.row()))

    def set_row_height(self, height: int) -> None:
        """Give every row this height."""
        self.verticalHeader().setDefaultSectionSize(height)

    def choose_row(self, row: int) -> None:
        """Make a row current, and it alone selected, whatever keys are held down."""
        flag = QItemSelectionModel.SelectionFlag
        chosen = self.model().index(row, 0)
        self.selectionModel().setCurrentIndex(chosen, flag.ClearAndSelect | flag.Rows)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move, and tell of it after the view has settled."""
        before = self.currentIndex().row()
        n_rows = self.model().rowCount()
        # In a table these keys go along the row; here there is only one column.
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: n_rows - 1}
        is_plain = not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if event.key() in ends and n_rows and is_plain:
            self.choose_row(ends[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)
        after = self.currentIndex().row()
        if after != before and after >= 0:
            self.row_moved.emit(after)

    @override
    def keyboardSearch(self, _search: str) -> None:
        """Letters are commands of the window, not a search."""

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard came."""
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that the keyboard went."""
        super().focusOutEvent(event)
        self.focus_changed.emit(False)


class EmptyState(QWidget):
    """A sentence and, where something can be done, a button."""

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = QLabel(self)
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._sentence.setWordWrap(True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._sentence.setFont(font(Role.UI))
        self._button = QPushButton(self)
        self._button.clicked.connect(self.acted)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 24, 20, 24)
        column.setSpacing(12)
        column.addWidget(self._sentence)
        column.addWidget(self._button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    @property
    def sentence(self) -> str:
        """What is said."""
        return self._sentence.text()

    def set_state(self, sentence: str, action: str = "") -> None:
        """Say another sentence; without an action there is no button."""
        self._sentence.setText(sentence)
        self._button.setText(action)
        self._button.setVisible(bool(action))

    def act(self) -> None:
        """Press the button."""
        self._button.click()
