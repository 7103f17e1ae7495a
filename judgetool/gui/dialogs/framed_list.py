"""A short list inside a border: rows painted like those of the main lists."""

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QListWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.painting import draw_frame, draw_row_ground, draw_text
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.painted import PaintedWidget

Index = QModelIndex | QPersistentModelIndex


class RowDelegate(QStyledItemDelegate):
    """Paints one line of plain text on the ground that its state asks for."""

    @override
    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Return the height of a row: 28 px at a 13 px font."""
        return QSize(0, scaled(28))

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint ground and text."""
        theme, rect = current_theme(), QRectF(option.rect)
        state = option.state
        if not option.widget.hasFocus():
            state &= ~QStyle.StateFlag.State_Active
        draw_row_ground(painter, rect, theme, state=state)
        inner = rect.adjusted(scaled(12), 0, -scaled(8), 0)
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        painter.save()
        draw_text(painter, inner, text, role=Role.UI, colour=theme.text)
        painter.restore()


def make_list(name: str) -> QListWidget:
    """Return a list without a frame of its own, with our rows, named for readers."""
    rows = QListWidget()
    rows.setItemDelegate(RowDelegate(rows))
    rows.setFrameShape(QListWidget.Shape.NoFrame)
    rows.setMouseTracking(True)
    rows.setUniformItemSizes(True)
    rows.setAccessibleName(name)
    return rows


class Framed(PaintedWidget):
    """A border around a view, accent while the view has the keyboard.

    Args:
        view: what is inside.
        parent: of the frame.
    """

    def __init__(self, view: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        column = QVBoxLayout(self)
        column.setContentsMargins(3, 3, 3, 3)
        column.addWidget(view)
        self.setFocusProxy(view)
        view.installEventFilter(_Repaint(self))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint border and ground."""
        theme = self.theme
        border = theme.accent if self._view.hasFocus() else theme.line_strong
        painter = QPainter(self)
        draw_frame(painter, QRectF(self.rect()), radius=6, border=border, ground=theme.base)
        painter.end()


class _Repaint(QObject):
    """Repaints a frame when the keyboard comes or goes."""

    def __init__(self, frame: QWidget) -> None:
        super().__init__(frame)
        self._frame = frame

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look, and let everything pass."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._frame.update()
        return super().eventFilter(watched, event)
