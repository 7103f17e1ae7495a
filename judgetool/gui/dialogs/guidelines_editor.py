"""Guidelines written as Markdown, with how they will look beside them."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.dialogs.act_dialog import ActDialog, Text, field_label
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.panels.focus_side import MarkdownText

_HELP = (
    "Markdown: # heading, **strong**, - list, 1. numbered, > quotation. Assessors see it when "
    "they first open the project, beside the document in focus, and by G."
)


class GuidelinesEditor(ActDialog):
    """A text field and its preview; Ctrl+Enter takes it.

    Args:
        title: the act.
        before: what stands so far.
        parent: the window it belongs to.
    """

    def __init__(self, title: str, before: str, *, parent: QWidget | None = None) -> None:
        super().__init__(title, verb="Keep guidelines", width=980, parent=parent)
        self.body.addWidget(Text(_HELP, ink="text2"))
        self.field = QPlainTextEdit(before)
        self.field.setProperty("framed", True)
        self.field.setTabChangesFocus(True)
        self.field.setMinimumHeight(scaled(340))
        self.preview = MarkdownText()
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        content = QWidget()
        held = QVBoxLayout(content)
        held.setContentsMargins(0, scaled(8), 0, 0)
        held.addWidget(self.preview)
        held.addStretch(1)
        area.setWidget(content)
        # Both are filled by the area itself; the ground is the frame's.
        area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        sides = QHBoxLayout()
        sides.setSpacing(16)
        for label, side in (
            (field_label("&Text", self.field), self.field),
            (Text("Preview", role=Role.HEAD, ink="text3"), Framed(area)),
        ):
            column = QVBoxLayout()
            column.setSpacing(4)
            column.addWidget(label)
            column.addWidget(side, stretch=1)
            sides.addLayout(column, stretch=1)
        self.body.addLayout(sides, stretch=1)
        self.show_remark("Ctrl+Enter keeps it. An empty text takes the guidelines away.")
        self.field.textChanged.connect(self._show)
        self.first = self.field
        self._show()

    def _show(self) -> None:
        self.preview.show_markdown(self.field.toPlainText())

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
    def ask(cls, parent: QWidget | None, title: str, before: str) -> str | None:
        """Let guidelines be written; ``None`` when they were left as they are."""
        dialog = cls(title, before, parent=parent)
        return dialog.answer if dialog.is_answered() else None
