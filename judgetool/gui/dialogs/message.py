"""A sentence to the person, with or without a choice."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from judgetool.gui.dialogs.act_dialog import INSET, ActDialog, Text
from judgetool.gui.fonts import Role, font, scaled


class MessageDialog(ActDialog):
    """Says what happened, and offers what can be done about it.

    Attributes:
        answer: name of the chosen button; ``None`` when it was put off.
    """

    def __init__(
        self,
        text: str,
        buttons: Sequence[tuple[str, str, bool]],
        *,
        detail: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """Make the dialog.

        Args:
            text: a sentence or two.
            buttons: name, text and whether it destroys, the main verb last; none
                when nothing is to be chosen.
            detail: more, shown in a field that can be copied from.
            parent: the window it belongs to.
        """
        super().__init__("judgetool", verb="Close", parent=parent)
        self.answer: str | None = None
        self.head.hide()
        self.setAccessibleDescription(text)
        self.sentence = Text(text, role=Role.NEED)
        self.body.setContentsMargins(INSET, INSET, INSET, INSET)
        self.body.addWidget(self.sentence)
        if detail:
            self._add_detail(detail)
        self.first = self.verb
        if buttons:
            self._add_buttons(buttons)
        else:
            self.cancel.hide()

    def _add_detail(self, detail: str) -> None:
        field = QPlainTextEdit(detail)
        field.setReadOnly(True)
        field.setProperty("framed", "true")
        field.setFont(font(Role.META))
        field.setMinimumHeight(scaled(120))
        field.setAccessibleName("Details")
        self.body.addWidget(field, stretch=1)
        copy = QPushButton("Copy")
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(detail))
        self.add_to_foot(copy)

    def _add_buttons(self, buttons: Sequence[tuple[str, str, bool]]) -> None:
        *others, (name, text, destroys) = buttons
        for other, other_text, _ in others:
            button = QPushButton(other_text)
            button.setAutoDefault(False)
            button.clicked.connect(partial(self._choose, other))
            self.foot.row.insertWidget(self.foot.row.indexOf(self.verb), button)
        self.verb.setText(text)
        self.verb.clicked.disconnect()
        self.verb.clicked.connect(partial(self._choose, name))
        if destroys:
            self.verb.setDefault(False)
            self.verb.setAutoDefault(False)
            self.cancel.setDefault(True)
            self.first = self.cancel

    def _choose(self, name: str) -> None:
        self.answer = name
        self.accept()
