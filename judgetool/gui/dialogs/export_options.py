"""The choices of an export, of which only those are shown that matter to the format."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from judgetool.formats.writers import (
    CannotJudge,
    ExportChoices,
    Formulas,
    Fractions,
    Numbers,
    Option,
    WriterFormat,
)
from judgetool.formats.writers.choices import TITLES
from judgetool.gui.dialogs.act_dialog import field_label
from judgetool.gui.fonts import scaled
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.number_field import NumberField
from judgetool.metrics import CONVENTION_PRESETS

_LABELS = {
    Option.CANNOT_JUDGE: "&Cannot judge",
    Option.FRACTIONS: "F&ractions",
    Option.NUMBERS: "&Numbers",
    Option.FORMULAS: "Cells like for&mulas",
    Option.TARGET: "Name of inde&x or list",
    Option.CONVENTIONS: "Con&ventions",
    Option.DIGITS: "&Decimals",
}
_ENUMS: dict[Option, type[StrEnum]] = {
    Option.CANNOT_JUDGE: CannotJudge,
    Option.FRACTIONS: Fractions,
    Option.NUMBERS: Numbers,
    Option.FORMULAS: Formulas,
}


class ExportOptions(QWidget):
    """A row of fields, one for each choice; ``changed`` is sent when one is changed.

    Attributes:
        fields: the field of each choice.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[Option, QWidget] = {}
        self._values: dict[Option, Callable[[], Any]] = {}
        self._columns: dict[Option, QWidget] = {}
        self._shown: frozenset[Option] = frozenset()
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(scaled(12))
        usual = ExportChoices("")
        for option, kind in _ENUMS.items():
            titles = {each: TITLES[each] for each in kind}
            self._add_combo(option, titles)
        self.target = QLineEdit(usual.target)
        self.target.textChanged.connect(self.changed)
        self._add(Option.TARGET, self.target, self._target_text)
        presets = {name: preset.title for name, preset in CONVENTION_PRESETS.items()}
        self._add_combo(Option.CONVENTIONS, {"": "The project’s own", **presets})
        self.digits = NumberField(0, 17)
        self.digits.setValue(usual.digits)
        self.digits.valueChanged.connect(self.changed)
        self._add(Option.DIGITS, self.digits, self.digits.value)
        self._line.addStretch(1)

    def _target_text(self) -> str:
        return self.target.text().strip() or ExportChoices("").target

    def _add_combo(self, option: Option, titles: dict[Any, str]) -> None:
        combo = NamedCombo()
        for value, title in titles.items():
            combo.addItem(title, str(value))
        combo.currentIndexChanged.connect(self.changed)
        kind: type[Any] = _ENUMS.get(option, str)
        self._add(option, combo, lambda: kind(combo.currentData()))

    def _add(self, option: Option, field: QWidget, value: Callable[[], Any]) -> None:
        self.fields[option], self._values[option] = field, value
        column = QWidget()
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(field_label(_LABELS[option], field))
        layout.addWidget(field)
        self._columns[option] = column
        self._line.addWidget(column)

    def show_format(self, form: WriterFormat) -> None:
        """Show what matters to a format."""
        self._shown = form.options
        for option, column in self._columns.items():
            column.setVisible(option in form.options)
        self.setVisible(bool(form.options))

    def apply_to(self, choices: ExportChoices) -> ExportChoices:
        """Return the choices with what is shown here in them."""
        shown = {str(option): self._values[option]() for option in self._shown}
        return replace(choices, **shown)

    def set_option(self, option: Option, value: object) -> None:
        """Choose a value of a list, as a person would."""
        field = self.fields[option]
        if isinstance(field, QComboBox):
            field.setCurrentIndex(field.findData(str(value)))
