"""A layout that puts widgets side by side and goes on in the next line."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget

from judgetool.core.override import override


class FlowLayout(QLayout):
    """Lines of widgets, each as wide as it wishes or as the line is.

    Args:
        parent: whose widgets they are.
        gap: px between two of them.
    """

    def __init__(self, parent: QWidget | None = None, *, gap: int = 0) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._gap = gap

    @override
    def addItem(self, item: QLayoutItem) -> None:
        """Take an item at the end."""
        self._items.append(item)

    @override
    def count(self) -> int:
        """Return how many items there are."""
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or ``None`` beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        """Give an item away, or ``None`` beyond the end."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    @override
    def expandingDirections(self) -> Qt.Orientation:
        """Return that it needs no more than it asks for."""
        return Qt.Orientation(0)

    @override
    def hasHeightForWidth(self) -> bool:
        """Return that its height depends on its width."""
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        """Return how high the lines are together at a width."""
        return self._place(QRect(0, 0, width, 0), moves=False)

    @override
    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._place(rect, moves=True)

    @override
    def sizeHint(self) -> QSize:
        """Return the least size."""
        return self.minimumSize()

    @override
    def minimumSize(self) -> QSize:
        """Return room for one item."""
        margins = self.contentsMargins()
        height = max((item.sizeHint().height() for item in self._items), default=0)
        width = min(60, max((item.sizeHint().width() for item in self._items), default=0))
        return QSize(
            width + margins.left() + margins.right(), height + margins.top() + margins.bottom()
        )

    def _place(self, rect: QRect, *, moves: bool) -> int:
        inner = rect.marginsRemoved(self.contentsMargins())
        left, top, line = inner.left(), inner.top(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            size.setWidth(min(size.width(), max(1, inner.width())))
            if left > inner.left() and left + size.width() > inner.right() + 1:
                left, top, line = inner.left(), top + line + self._gap, 0
            if moves:
                place = QRect(QPoint(left, top), size)
                widget = item.widget()
                direction = widget.layoutDirection() if widget else Qt.LayoutDirection.LeftToRight
                item.setGeometry(QStyle.visualRect(direction, inner, place))
            left += size.width() + self._gap
            line = max(line, size.height())
        return top + line - rect.top() + self.contentsMargins().bottom()
