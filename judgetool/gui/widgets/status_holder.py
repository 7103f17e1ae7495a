"""A status bar for ``QMainWindow`` that is nothing but one widget, from edge to edge."""

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStatusBar, QWidget

from judgetool.core.override import override


class StatusHolder(QStatusBar):
    """Holds one widget at its own height.

    ``QStatusBar.addWidget`` would leave 2 px at the side and 3 px above, and a line
    that is 5 px higher than wished.
    """

    def __init__(self, line: QWidget, parent: QWidget | None = None) -> None:
        """Take the widget in."""
        super().__init__(parent)
        self._line = line
        line.setParent(self)
        self.setSizeGripEnabled(False)
        self.setFixedHeight(line.sizeHint().height())

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the line wishes."""
        return self._line.sizeHint()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the line the whole room."""
        super().resizeEvent(event)
        self._line.setGeometry(self.rect())

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the height of another font."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self.setFixedHeight(self._line.sizeHint().height())

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint nothing: the line covers all."""
