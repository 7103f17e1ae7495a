"""Asks for the name of a what-if or a run."""

from PySide6.QtWidgets import QLineEdit, QWidget

from judgetool.gui.dialogs.act_dialog import ActDialog


class NameDialog(ActDialog):
    """One field for a name.

    Args:
        title: the act.
        name: what stands in the field at first, chosen whole.
        verb: on the main button.
        parent: the window it belongs to.
    """

    def __init__(self, title: str, name: str, *, verb: str, parent: QWidget | None = None) -> None:
        super().__init__(title, verb=verb, parent=parent)
        self.field = QLineEdit(name)
        self.field.selectAll()
        self.field.setMaxLength(200)
        self.add_field("&Name", self.field)
        self.field.textChanged.connect(self._check)
        self.first = self.field

    def _check(self) -> None:
        self.show_problem("" if self.answer else "It needs a name.", ink="text2")

    @property
    def answer(self) -> str:
        """The name, without blanks around it."""
        return self.field.text().strip()

    @classmethod
    def ask(cls, parent: QWidget | None, title: str, name: str, verb: str) -> str | None:
        """Let a name be given; return it, or ``None`` when it was left."""
        dialog = cls(title, name, verb=verb, parent=parent)
        return dialog.answer if dialog.is_answered() else None
