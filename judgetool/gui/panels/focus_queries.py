"""The list of queries opened over the document, and put back where it was."""

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDockWidget, QFrame, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import scaled

_WIDTH = 300


class FocusQueries(QFrame):
    """Lies over the left part of a view while it is open; Esc, or a click beside it, closes it.

    Args:
        over: the view that it lies over.

    Signals:
        closed: the list is back in its dock.
    """

    closed = Signal()

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self._dock: QDockWidget | None = None
        self._queries: QWidget | None = None
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 1, 0)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.close_list)
        over.installEventFilter(self)
        self.hide()

    @property
    def is_open(self) -> bool:
        """Whether the list is here."""
        return self._dock is not None

    def open_list(self, dock: QDockWidget, *, left: int) -> None:
        """Take a dock's content and show it from a place on."""
        if self._dock is None:
            self._dock, self._queries = dock, dock.widget()
            self._column.addWidget(self._queries)
            self._queries.show()
        self._left = left
        self._place()
        self.show()
        self.raise_()

    def close_list(self) -> None:
        """Put the list back into its dock."""
        dock, queries = self._dock, self._queries
        if dock is None or queries is None:
            return
        self._dock = self._queries = None
        self.hide()
        dock.setWidget(queries)
        self.closed.emit()

    def _place(self) -> None:
        width = min(scaled(_WIDTH), self._over.width() - self._left)
        place = QRect(self._left, 0, width, self._over.height())
        if self._over.layoutDirection() is Qt.LayoutDirection.RightToLeft:
            place.moveRight(self._over.width() - self._left - 1)
        self.setGeometry(place)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as high as the view."""
        if event.type() is QEvent.Type.Resize and self.is_open:
            self._place()
        return super().eventFilter(watched, event)
