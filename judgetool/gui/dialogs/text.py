"""A text to be written: a note, a title."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from judgetool.core.override import override
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.fonts import scaled


class TextDialog(ActDialog):
    """A field of several lines; Ctrl+Enter takes it.

    Args:
        title: the act, also the field's label.
        before: what stands so far.
        verb: on the main button.
        parent: the window it belongs to.
    """

    def __init__(
        self, title: str, before: str, *, verb: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(title, verb=verb, parent=parent)
        self.field = QPlainTextEdit(before)
        self.field.setProperty("framed", True)
        self.field.setTabChangesFocus(True)
        self.field.setMinimumHeight(scaled(110))
        self.field.moveCursor(QTextCursor.MoveOperation.End)
        self.add_field(f"&{title}", self.field)
        self.show_remark("Ctrl+Enter keeps it.")
        self.first = self.field

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the text on Ctrl+Enter."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.accept()
        else:
            super().keyPressEvent(event)

    @property
    def answer(self) -> str:
        """The text as it stands."""
        return self.field.toPlainText()

    @classmethod
    def ask(cls, parent: QWidget | None, title: str, before: str, *, verb: str) -> str | None:
        """Let a text be written; return it, or ``None`` when it was left as it is."""
        dialog = cls(title, before, verb=verb, parent=parent)
        return dialog.answer if dialog.is_answered() else None
