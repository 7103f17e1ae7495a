"""All that a person prefers, in one window."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from judgetool.gui.dialogs.act_dialog import ActDialog, Scrolled, Text
from judgetool.gui.dialogs.assessor import MAX_LENGTH, name_problem
from judgetool.gui.dialogs.pace import PaceFields
from judgetool.gui.fonts import DENSITIES, Role, scaled
from judgetool.gui.keymap import KEY_PRESETS
from judgetool.gui.page_look import PAGE_COLOURS
from judgetool.gui.widgets.elided_combo import NamedCombo
from judgetool.gui.widgets.number_field import NumberField
from judgetool.settings import LINE_WIDTHS, THEMES, Settings

_THEMES = {"system": "As the system", "light": "Light", "dark": "Dark"}


class PreferencesDialog(ActDialog):
    """Every preference, on a page each for judging, look, reading and keys.

    Args:
        settings: what holds now.
        parent: the window it belongs to.

    Attributes:
        changes_keys: opens the window of one's own keys after this one.
    """

    def __init__(self, settings: Settings, *, parent: QWidget | None = None) -> None:
        super().__init__("Preferences", verb="Use these", width=640, parent=parent)
        self._settings = settings
        self.wants_keys = False
        self.pages = QTabWidget()
        self.pages.setAccessibleName("Preferences")
        self.choices: dict[str, QComboBox] = {}
        self.switches: dict[str, QCheckBox] = {}
        self.numbers: dict[str, NumberField] = {}
        self.assessor = QLineEdit(settings.assessor)
        self.assessor.setMaxLength(MAX_LENGTH)
        self.pace = PaceFields(settings)
        self.own_keys = QPushButton("Change single keys…")
        self.own_keys.setAutoDefault(False)
        self.own_keys.clicked.connect(self._open_keys)
        self._add_judging()
        self._add_look()
        self._add_reading()
        self._add_keys()
        self.body.addWidget(self.pages, stretch=1)
        self.assessor.textChanged.connect(self._check)
        self.first = self.pages.tabBar()

    def _page(self, title: str) -> QVBoxLayout:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        self.pages.addTab(Scrolled(page), title)
        return column

    def _form(self, column: QVBoxLayout) -> QFormLayout:
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        column.addLayout(form)
        return form

    def _choice(self, form: QFormLayout, name: str, title: str, options: Mapping[str, str]) -> None:
        combo = NamedCombo()
        for value, text in options.items():
            combo.addItem(text, value)
        combo.setCurrentIndex(list(options).index(str(getattr(self._settings, name))))
        combo.setAccessibleName(title.replace("&", ""))
        form.addRow(title, combo)
        self.choices[name] = combo

    def _switch(self, column: QVBoxLayout, name: str, title: str) -> None:
        switch = QCheckBox(title)
        switch.setChecked(bool(getattr(self._settings, name)))
        column.addWidget(switch)
        self.switches[name] = switch

    def _number(self, form: QFormLayout, name: str, title: str, span: tuple[int, int]) -> None:
        field = NumberField(*span)
        field.setPrefix("")
        field.setSuffix(" px")
        field.setValue(int(getattr(self._settings, name)))
        field.setAccessibleName(title.replace("&", ""))
        field.setFixedWidth(scaled(110))
        form.addRow(title, field)
        self.numbers[name] = field

    def _add_judging(self) -> None:
        column = self._page("Judging")
        self._form(column).addRow("&Your name", self.assessor)
        self.assessor.setAccessibleName("Your name")
        self._switch(column, "is_blind", "Judge &blind: hide rank, run, values and others")
        column.addWidget(self.pace)
        column.addStretch(1)

    def _add_look(self) -> None:
        column = self._page("Look")
        form = self._form(column)
        self._choice(form, "theme", "&Colours", {name: _THEMES[name] for name in THEMES})
        densities = {name: name.capitalize() for name in DENSITIES}
        self._choice(form, "density", "&Rows", densities)
        self._number(form, "extra_px", "&Text of the window, larger by", (-3, 13))
        self._switch(column, "shows_scores", "Show the systems' &scores on the cards")
        column.addStretch(1)

    def _add_reading(self) -> None:
        column = self._page("Reading")
        form = self._form(column)
        self._choice(form, "page_colour", "&Page of the document", PAGE_COLOURS)
        widths = {name: name.capitalize() for name in LINE_WIDTHS}
        self._choice(form, "line_width", "&Width of its lines", widths)
        self._number(form, "document_px", "Its &text, larger by", (-4, 14))
        self._switch(column, "highlights_terms", "&Mark query terms")
        self._switch(column, "shows_whole", "Show &long texts whole at once, not passages first")
        column.addStretch(1)

    def _add_keys(self) -> None:
        column = self._page("Keys and safety")
        form = self._form(column)
        presets = {name: preset.title for name, preset in KEY_PRESETS.items()}
        self._choice(form, "key_preset", "&Keys for grades", presets)
        column.addWidget(self.own_keys)
        column.addSpacing(12)
        self._switch(
            column, "keeps_safety_log", "Keep a &safety log of judgments outside the project"
        )
        column.addWidget(
            Text(
                "From it a lost or damaged project is rebuilt. Project ▸ Safety copies says where "
                "it is.",
                role=Role.META,
                ink="text3",
            )
        )
        column.addStretch(1)

    def _check(self) -> None:
        name = self.assessor.text()
        self.show_problem(name_problem(name) if name or self._settings.assessor else "")

    def _open_keys(self) -> None:
        self.wants_keys = True
        self.accept()

    @property
    def answer(self) -> dict[str, Any]:
        """The preferences that are others than before, by their names."""
        chosen: dict[str, Any] = {
            "assessor": " ".join(self.assessor.text().split()),
            **self.pace.answer,
            **{name: combo.currentData() for name, combo in self.choices.items()},
            **{name: switch.isChecked() for name, switch in self.switches.items()},
            **{name: field.value() for name, field in self.numbers.items()},
        }
        return {key: each for key, each in chosen.items() if each != getattr(self._settings, key)}

    @classmethod
    def ask(cls, parent: QWidget | None, settings: Settings) -> tuple[dict[str, Any], bool] | None:
        """Let preferences be chosen.

        Returns:
            Those that are others than before, and whether single keys are to be changed
            next; ``None`` when everything stays.
        """
        dialog = cls(settings, parent=parent)
        return (dialog.answer, dialog.wants_keys) if dialog.is_answered() else None
