"""The conventions of the values: a tool's whole set, or each choice by itself."""

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QButtonGroup, QCheckBox, QRadioButton, QWidget

from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.metrics import CONVENTION_PRESETS, Conventions
from judgetool.metrics.conventions import CONVENTION_CHOICES

OWN = ""
# The order of a run is settled when it is imported, so that scores are no choice here.
_TITLES = {
    "unjudged": "Unjudged documents",
    "undefined": "Undefined values",
    "missing": "Queries of the means",
}


class ConventionsDialog(ActDialog):
    """A preset at the top, its choices below; changing one makes the set one's own.

    Args:
        conventions: those that hold now.
        parent: the window it belongs to.
    """

    def __init__(self, conventions: Conventions, *, parent: QWidget | None = None) -> None:
        super().__init__("Conventions", verb="Use these", width=780, parent=parent)
        self._answer = conventions
        self.preset = NamedCombo()
        self.preset.addItem("judgetool (trec_eval -c)", OWN)
        for preset in CONVENTION_PRESETS.values():
            self.preset.addItem(preset.title, preset.name)
        self.add_field("&As computed by", self.preset)
        self.help = Text("", ink="text2")
        self.body.addWidget(self.help)
        self.groups: dict[str, QButtonGroup] = {}
        for name, title in _TITLES.items():
            self._add_group(name, title)
        self.weights = QCheckBox("Queries count in means by their weight")
        self.weights.toggled.connect(self._on_choice)
        self.body.addWidget(self.weights)
        self.body.addStretch(1)
        self.first = self.preset
        self._show(conventions)
        self.preset.activated.connect(self._on_preset)

    def _add_group(self, name: str, title: str) -> None:
        self.body.addSpacing(4)
        self.body.addWidget(Text(title, role=Role.UI_STRONG))
        group = QButtonGroup(self)
        for value, sentence in CONVENTION_CHOICES[name].items():
            button = QRadioButton(sentence)
            button.setProperty("choice", value)
            group.addButton(button)
            self.body.addWidget(button)
        group.buttonClicked.connect(self._on_choice)
        self.groups[name] = group

    def _show(self, conventions: Conventions) -> None:
        self._answer = conventions
        place = max(self.preset.findData(conventions.preset), 0)
        self.preset.setCurrentIndex(place)
        preset = CONVENTION_PRESETS.get(conventions.preset)
        self.help.setText(preset.help if preset else "Every choice is shown below.")
        for name, group in self.groups.items():
            for button in group.buttons():
                button.setChecked(button.property("choice") == getattr(conventions, name))
        self.weights.blockSignals(True)
        self.weights.setChecked(conventions.is_weighted)
        self.weights.blockSignals(False)

    def _on_preset(self) -> None:
        preset = CONVENTION_PRESETS.get(self.preset.currentData())
        self._show(preset.conventions if preset else Conventions())

    def _on_choice(self) -> None:
        chosen: dict[str, Any] = {}
        for name, group in self.groups.items():
            button = group.checkedButton()
            if button is not None:
                chosen[name] = button.property("choice")
        chosen["is_weighted"] = self.weights.isChecked()
        own = replace(self._answer, **chosen)
        is_as_before = own == self._answer
        self._show(own if is_as_before else replace(own, preset=OWN))

    @property
    def answer(self) -> Conventions:
        """The conventions as chosen."""
        return self._answer

    @classmethod
    def ask(cls, parent: QWidget | None, conventions: Conventions) -> Conventions | None:
        """Let conventions be chosen; ``None`` when they stay as they are."""
        dialog = cls(conventions, parent=parent)
        return dialog.answer if dialog.is_answered() else None
