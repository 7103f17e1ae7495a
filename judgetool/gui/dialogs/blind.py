"""Who must judge blind, as the project asks."""

from PySide6.QtWidgets import QButtonGroup, QCheckBox, QLineEdit, QRadioButton, QWidget

from judgetool.core.excerpts import one_line
from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role
from judgetool.session.aids.blindness import blind_policy, find_telling_id, set_blind_policy
from judgetool.session.commands import SetValues
from judgetool.session.session import Session

_CHOICES = {
    "nobody": "Nobody: everyone may choose",
    "all": "Everyone who judges in this project",
    "some": "These assessors",
}


def parse_names(text: str) -> tuple[str, ...]:
    """Return the names in a text, separated by commas, each once."""
    names = (" ".join(part.split()) for part in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))


class BlindDialog(ActDialog):
    """Asks for whom blind mode is required, and whether ids are hidden, too.

    Args:
        session: the project.
        parent: the window it belongs to.
    """

    def __init__(self, session: Session, *, parent: QWidget | None = None) -> None:
        super().__init__("Who must judge blind", verb="Ask for this", parent=parent)
        policy = blind_policy(session)
        self.body.addWidget(
            Text(
                "Blind mode hides rank, score, run, addresses, other assessors’ judgments and "
                "all values, and shows documents in an order that tells nothing.",
                ink="text2",
            )
        )
        named = policy.required_for if isinstance(policy.required_for, tuple) else ()
        now = "some" if named else policy.required_for
        self.body.addWidget(Text("Required for", role=Role.UI_STRONG))
        self.choices = QButtonGroup(self)
        self.buttons: dict[str, QRadioButton] = {}
        for name, title in _CHOICES.items():
            button = QRadioButton(title)
            button.setChecked(name == now)
            self.choices.addButton(button)
            self.buttons[name] = button
            self.body.addWidget(button)
        self.names = QLineEdit(", ".join(named))
        self.names.setPlaceholderText(", ".join(session.assessors) or "anna, ben")
        self.names.textEdited.connect(lambda: self.buttons["some"].setChecked(True))
        self.add_field("&Names, separated by commas", self.names)
        self.ids = QCheckBox("Show other ids while judging blind, because ids tell the system")
        telling = find_telling_id(session)
        is_new = policy.required_for == "nobody"
        self.ids.setChecked(policy.has_alias_ids or (is_new and telling is not None))
        self.body.addWidget(self.ids)
        if telling is not None:
            found = one_line(telling, most=80)
            self.body.addWidget(Text(f"‘{found}’ has the name of a run in it.", ink="text2"))
        self.body.addStretch(1)
        self.choices.buttonToggled.connect(self._check)
        self.names.textChanged.connect(self._check)
        self.first = self.choices.checkedButton()
        self._check()

    def _check(self) -> None:
        lacks_name = self.buttons["some"].isChecked() and not parse_names(self.names.text())
        self.show_problem("Write at least one name." if lacks_name else "", ink="text2")

    @property
    def answer(self) -> SetValues:
        """The command that asks for it."""
        alias_ids = self.ids.isChecked()
        if self.buttons["all"].isChecked():
            return set_blind_policy("all", alias_ids=alias_ids)
        if self.buttons["some"].isChecked():
            return set_blind_policy(parse_names(self.names.text()), alias_ids=alias_ids)
        return set_blind_policy("nobody", alias_ids=alias_ids)

    @classmethod
    def ask(cls, parent: QWidget | None, session: Session) -> SetValues | None:
        """Ask who must judge blind; ``None`` when it stays as it is."""
        dialog = cls(session, parent=parent)
        return dialog.answer if dialog.is_answered() else None
