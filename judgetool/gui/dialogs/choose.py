"""One choice of several, each with a line that says what it means."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QRadioButton, QWidget

from judgetool.core.override import override
from judgetool.gui.dialogs.act_dialog import ActDialog, Text

_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Option:
    """One of the things to choose from.

    Attributes:
        name: what is returned.
        title: what is shown.
        help: a sentence under it; ``""`` for none.
    """

    name: str
    title: str
    help: str = ""


class ChooseDialog(ActDialog):
    """Radio buttons, the current one marked; digits choose, Enter takes.

    Args:
        title: the act.
        options: at least one.
        verb: on the main button.
        current: name of the one that holds now.
        other: label of a field for another text; ``""`` for no such field.
        parent: the window it belongs to.
    """

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        *,
        verb: str,
        current: str = "",
        other: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(title, verb=verb, parent=parent)
        self.buttons: dict[str, QRadioButton] = {}
        for number, option in enumerate(options, 1):
            digit = f"{number}  " if number <= _MOST_DIGITS else ""
            button = QRadioButton(f"{digit}{option.title}")
            button.setChecked(option.name == current)
            self.buttons[option.name] = button
            self.body.addWidget(button)
            if option.help:
                help_text = Text(option.help, ink="text2")
                help_text.setContentsMargins(24, 0, 0, 4)
                self.body.addWidget(help_text)
        self.other = QLineEdit()
        if other:
            self.add_field(f"&{other}", self.other)
            self.other.textEdited.connect(self._choose_other)
        self.body.addStretch(1)
        checked = next((b for b in self.buttons.values() if b.isChecked()), None)
        # Not the field: digits would be typed into it rather than choose.
        self.first = checked or next(iter(self.buttons.values()))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by the digit before an option."""
        buttons = dict(zip("123456789", self.buttons.values(), strict=False))
        if event.text() in buttons:
            buttons[event.text()].setChecked(True)
            buttons[event.text()].setFocus()
        else:
            super().keyPressEvent(event)

    def _choose_other(self) -> None:
        for button in self.buttons.values():
            button.setAutoExclusive(False)
            button.setChecked(False)
            button.setAutoExclusive(True)

    @property
    def answer(self) -> str:
        """The name of the chosen option, or the other text; ``""`` for neither."""
        for name, button in self.buttons.items():
            if button.isChecked():
                return name
        return self.other.text().strip()

    @classmethod
    def ask(
        cls,
        parent: QWidget | None,
        title: str,
        options: Sequence[Option],
        *,
        verb: str,
        current: str = "",
        other: str = "",
    ) -> str | None:
        """Let one be chosen; return its name, or ``None`` when nothing was."""
        dialog = cls(title, options, verb=verb, current=current, other=other, parent=parent)
        return dialog.answer if dialog.is_answered() else None
