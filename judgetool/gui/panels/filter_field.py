"""The filter of a list: a field with a magnifying glass and the key that leads to it."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from judgetool.core.override import override
from judgetool.gui.icons import themed_icon
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import KeyCap

_INSET = 7


class FilterField(QLineEdit):
    """Typing filters at once; Esc clears and leaves, Enter or Down takes the first.

    Signals:
        left: Esc was pressed; the field is empty now.
        taken: Enter or Down was pressed.
    """

    left = Signal()
    taken = Signal()

    def __init__(self, hint: str, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self._cap = KeyCap(key, parent=self)
        self._cap.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._paint_glass()
        self.textChanged.connect(lambda text: self._cap.setVisible(not text))

    def _paint_glass(self) -> None:
        self._glass.setIcon(themed_icon("search", current_theme()))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the key cap at the end of the field."""
        super().resizeEvent(event)
        size = self._cap.sizeHint()
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        left = self.width() - size.width() - _INSET if is_left else _INSET
        room = size.width() + 2
        self.setTextMargins(0 if is_left else room, 0, room if is_left else 0, 0)
        self._cap.setGeometry(
            left, (self.height() - size.height()) // 2, size.width(), size.height()
        )

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave or take on the keys that do; type everything else."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.taken.emit()
        else:
            super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_glass()
        super().changeEvent(event)
