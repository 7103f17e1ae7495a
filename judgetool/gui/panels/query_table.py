"""The table of queries and the heads of its columns."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.delegates.query_delegate import QueryDelegate, row_height
from judgetool.gui.fonts import Role, line_height, scaled
from judgetool.gui.models.query_model import QueryModel
from judgetool.gui.painting import LEFT, RIGHT, draw_text
from judgetool.gui.panels.list_table import ListTable
from judgetool.gui.widgets.painted import PaintedWidget, mirrored


class QueryTable(ListTable):
    """The table of queries; arrow keys fold the group they stand on."""

    fold_asked = Signal(int, object)
    resized = Signal()

    def __init__(self, model: QueryModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Queries")
        self.setModel(model)
        self.delegate = QueryDelegate(model, self)
        self.setItemDelegate(self.delegate)
        self.set_row_height(row_height())
        self.focus_changed.connect(self._on_focus)
        # Docks are panels: the list stands on their ground.
        self.viewport().setAutoFillBackground(False)

    def _on_focus(self, has_keyboard: bool) -> None:
        self.delegate.has_keyboard = has_keyboard
        self.viewport().update()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Fold by Left, Right, Enter and Space on the head of a group."""
        folds: dict[int, bool | None] = {
            Qt.Key.Key_Left: True,
            Qt.Key.Key_Right: False,
            Qt.Key.Key_Return: None,
            Qt.Key.Key_Enter: None,
            Qt.Key.Key_Space: None,
        }
        if event.key() in folds and self.currentIndex().isValid():
            self.fold_asked.emit(self.currentIndex().row(), folds[event.key()])
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that columns stand elsewhere now."""
        super().resizeEvent(event)
        self.resized.emit()


class ColumnHeads(PaintedWidget):
    """How the list is ordered, and the measure over the values."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._order, self._measure = "", ""
        self._left, self._right = 0, 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_texts(self, order: str, measure: str) -> None:
        """Say how the list is ordered, and by which measure the values are."""
        if (order, measure) != (self._order, self._measure):
            self._order, self._measure = order, measure
            self.update()

    def set_columns(self, left: int, right: int) -> None:
        """Stand over the texts and the values."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(100, line_height(Role.HEAD) + scaled(4))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint both texts."""
        painter = QPainter(self)
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        begin, end = (LEFT, RIGHT) if is_left else (RIGHT, LEFT)
        room = QRectF(self._left, 0, max(0, self._right - self._left), self.height())
        ink = self.theme.text3
        middle = QRectF(room)
        middle.setWidth(room.width() * 0.6)
        draw_text(
            painter, mirrored(self, middle), self._order, role=Role.HEAD, colour=ink, align=begin
        )
        place = QRectF(room)
        place.setLeft(middle.right())
        draw_text(
            painter, mirrored(self, place), self._measure, role=Role.HEAD, colour=ink, align=end
        )
        painter.end()
