"""Pace: where a grade leads, how long it is seen, the guard, the day's goal, breaks."""

from typing import Any

from PySide6.QtWidgets import QButtonGroup, QFormLayout, QRadioButton, QVBoxLayout, QWidget

from judgetool.gui.dialogs.act_dialog import ActDialog, Text
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.widgets.number_field import NumberField
from judgetool.settings import Settings

_ADVANCES = {
    "unjudged": "The next unjudged document, of any query",
    "queue": "The next document of the queue, judged or not",
    "stay": "Stay on the document",
}


class PaceFields(QWidget):
    """Fields for the person's own pace.

    Args:
        settings: what holds now.
        parent: the window they stand in.
    """

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(12)
        self.body.addWidget(Text("After a grade", role=Role.UI_STRONG))
        self.advances = QButtonGroup(self)
        now = settings.advance if settings.moves_on else "stay"
        for name, title in _ADVANCES.items():
            button = QRadioButton(title)
            button.setProperty("choice", name)
            button.setChecked(name == now)
            self.advances.addButton(button)
            self.body.addWidget(button)
        self.pause = _number(settings.pause_ms, most=1500, step=100, unit=" ms", none="no pause")
        self.guard = _number(settings.guard_ms, most=500, step=5, unit=" ms", none="no guard")
        self.goal = _number(settings.goal, most=100_000, step=10, unit="", none="no goal")
        self.rest = _number(settings.break_min, most=480, step=5, unit=" min", none="never")
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(4)
        self._add(form, "&Pause to see the grade", self.pause, "Keys typed in it are kept.")
        self._add(
            form,
            "&Guard against double keys",
            self.guard,
            "A grading key so soon after the last is not taken: up to 50 ms only the same "
            "key, as keys that bounce do; beyond it any.",
        )
        self._add(form, "&Judgments a day", self.goal, "Shown below: ‘Goal today: 68 of 120’.")
        self._add(form, "Propose a &break after", self.rest, "In the bar, never over the text.")
        self.body.addSpacing(4)
        self.body.addLayout(form)

    def _add(self, form: QFormLayout, title: str, field: NumberField, remark: str) -> None:
        label = Text(title)
        label.setWordWrap(False)
        label.setBuddy(field)
        field.setAccessibleName(title.replace("&", ""))
        field.setFixedWidth(scaled(130))
        form.addRow(label, field)
        form.addRow(Text("", role=Role.META), Text(remark, role=Role.META, ink="text3"))

    @property
    def answer(self) -> dict[str, Any]:
        """The preferences as chosen, by their names."""
        button = self.advances.checkedButton()
        chosen = str(button.property("choice")) if button is not None else "unjudged"
        values: dict[str, Any] = {
            "moves_on": chosen != "stay",
            "pause_ms": self.pause.value(),
            "guard_ms": self.guard.value(),
            "goal": self.goal.value(),
            "break_min": self.rest.value(),
        }
        return values if chosen == "stay" else {**values, "advance": chosen}


class PaceDialog(ActDialog):
    """Preferences of the person's own pace.

    Args:
        settings: what holds now.
        parent: the window it belongs to.
    """

    def __init__(self, settings: Settings, *, parent: QWidget | None = None) -> None:
        super().__init__("Pace, goal and breaks", verb="Use these", parent=parent)
        self.fields = PaceFields(settings)
        self.body.addWidget(self.fields)
        self.body.addStretch(1)
        self.first = self.fields.advances.checkedButton()

    @classmethod
    def ask(cls, parent: QWidget | None, settings: Settings) -> dict[str, Any] | None:
        """Let the pace be chosen; ``None`` when it stays as it is."""
        dialog = cls(settings, parent=parent)
        return dialog.fields.answer if dialog.is_answered() else None


def _number(value: int, *, most: int, step: int, unit: str, none: str) -> NumberField:
    field = NumberField(0, most)
    field.setSingleStep(step)
    field.setSuffix(unit)
    field.setSpecialValueText(none)
    field.setValue(value)
    return field
