"""A field that takes the next key pressed, whatever it is, instead of writing it."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.painting import draw_frame, draw_text, start_align
from judgetool.gui.widgets.painted import PaintedWidget

_MODIFIERS = (
    Qt.Key.Key_Shift,
    Qt.Key.Key_Control,
    Qt.Key.Key_Alt,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Meta,
    Qt.Key.Key_CapsLock,
    Qt.Key.Key_NumLock,
)
# Keys that lead out of the field, so that nobody is caught in it.
_LEAVING = (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


def key_text(event: QKeyEvent) -> str:
    """Return the key of an event in Qt's portable spelling; ``""`` for a modifier alone.

    Shift is left out where it only makes the sign: ``?``, not ``Shift+?``.
    """
    if event.key() in _MODIFIERS or event.key() in (0, Qt.Key.Key_unknown):
        return ""
    combination = event.keyCombination()
    is_sign = len(event.text()) == 1 and event.text().isprintable() and event.text() != " "
    if is_sign and not event.text().isalpha():
        left = combination.keyboardModifiers() & ~Qt.KeyboardModifier.ShiftModifier
        combination = type(combination)(left, Qt.Key(event.key()))
    return QKeySequence(combination).toString(QKeySequence.SequenceFormat.PortableText)


class KeyCatcher(PaintedWidget):
    """Waits for a key while it has the keyboard; Esc and Tab leave it.

    Signals:
        caught: the key, in Qt's portable spelling.
        left: Esc was pressed.
    """

    caught = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_text("")

    def set_text(self, text: str) -> None:
        """Say what a key would be for."""
        self._text = text
        self.setAccessibleName(text)
        self.update()

    @property
    def text(self) -> str:
        """What is said."""
        return self._text

    @override
    def sizeHint(self) -> QSize:
        """Return the size of a field."""
        return QSize(scaled(320), scaled(34))

    @override
    def event(self, event: QEvent) -> bool:
        """Take every key before it could be a shortcut."""
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell which key it was."""
        if event.key() in _LEAVING and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.ShiftModifier,
        ):
            self.left.emit()
            return
        key = key_text(event)
        if key and not event.isAutoRepeat():
            self.caught.emit(key)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the keyboard."""
        event.accept()
        self.setFocus()

    @override
    def focusInEvent(self, _event: QFocusEvent) -> None:
        """Show that it waits."""
        self.update()

    @override
    def focusOutEvent(self, _event: QFocusEvent) -> None:
        """Show that it no longer waits."""
        self.update()

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the field."""
        theme = self.theme
        painter = QPainter(self)
        rect = QRectF(self.rect())
        border = theme.accent if self.hasFocus() else theme.line_strong
        ground = theme.selected if self.hasFocus() else theme.base
        draw_frame(painter, rect, radius=6, border=border, ground=ground)
        inner = rect.adjusted(scaled(12), 0, -scaled(12), 0)
        ink = theme.text if self.hasFocus() else theme.text2
        align = start_align(self.layoutDirection())
        draw_text(painter, inner, self._text, role=Role.UI, colour=ink, align=align)
        painter.end()
