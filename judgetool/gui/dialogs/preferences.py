"""All that a person prefers, in one window; and the pace alone, in a smaller one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QTabWidget, QVBoxLayout, QWidget

from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    Scrolled,
    Text,
    combo,
    edit,
    on_change,
    push_button,
    switch,
)
from judgetool.gui.dialogs.choose import MAX_LENGTH, name_problem
from judgetool.gui.fonts import DENSITIES, Role, scaled
from judgetool.gui.keymap import KEY_PRESETS
from judgetool.gui.page_look import PAGE_COLOURS
from judgetool.gui.widgets.fields import NumberField
from judgetool.settings import LINE_WIDTHS, THEMES, Settings

_THEMES = {"system": "As the system", "light": "Light", "dark": "Dark"}
_ADVANCES = {
    "unjudged": "The next unjudged document, of any query",
    "queue": "The next document of the queue, judged or not",
    "stay": "Stay on the document",
}


@dataclass(frozen=True, slots=True)
class _PaceField:
    """A number of the pace.

    Attributes:
        label: with its mnemonic.
        most: the greatest.
        step: of the arrows.
        unit: shown after it.
        none: what 0 means.
        remark: said under it.
    """

    label: str
    most: int
    step: int
    unit: str
    none: str
    remark: str


_PACE = {
    "pause_ms": _PaceField(
        "&Pause to see the grade", 1500, 100, " ms", "no pause", "Keys typed in it are kept."
    ),
    "guard_ms": _PaceField(
        "&Guard against double keys",
        500,
        5,
        " ms",
        "no guard",
        "A grading key so soon after the last is not taken: up to 50 ms only the same key, as "
        "keys that bounce do; beyond it any.",
    ),
    "goal": _PaceField(
        "&Judgments a day", 100_000, 10, "", "no goal", "Shown below: ‘Goal today: 68 of 120’."
    ),
    "break_min": _PaceField(
        "Propose a &break after", 480, 5, " min", "never", "In the bar, never over the text."
    ),
}


def _form_in(column: QVBoxLayout, *, spacing: int = 8) -> QFormLayout:
    form = QFormLayout()
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(spacing)
    column.addLayout(form)
    return form


class PaceFields(QWidget):
    """Where a grade leads, how long it is seen, the guard, the day's goal, breaks.

    Args:
        settings: what holds now.
        parent: the window they stand in.

    Attributes:
        numbers: the fields by the name of the preference.
    """

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(12)
        self.body.addWidget(Text("After a grade", role=Role.UI_STRONG))
        self.advances = Radios(_ADVANCES, settings.advance if settings.moves_on else "stay", self)
        for button in self.advances.by_name.values():
            self.body.addWidget(button)
        self.body.addSpacing(4)
        form = _form_in(self.body, spacing=4)
        self.numbers: dict[str, NumberField] = {}
        for name, said in _PACE.items():
            field = self.numbers[name] = NumberField(0, said.most)
            field.setSingleStep(said.step)
            field.setSuffix(said.unit)
            field.setSpecialValueText(said.none)
            field.setValue(getattr(settings, name))
            field.setAccessibleName(said.label.replace("&", ""))
            field.setFixedWidth(scaled(130))
            label = Text(said.label)
            label.setWordWrap(False)
            label.setBuddy(field)
            form.addRow(label, field)
            form.addRow(Text("", role=Role.META), Text(said.remark, role=Role.META, ink="text3"))

    @property
    def answer(self) -> dict[str, Any]:
        """The preferences as chosen, by their names."""
        chosen = self.advances.current
        values: dict[str, Any] = {name: field.value() for name, field in self.numbers.items()}
        values["moves_on"] = chosen != "stay"
        return values if chosen == "stay" else {**values, "advance": chosen}


class PaceDialog(ActDialog):
    """Preferences of the person's own pace.

    Args:
        settings: what holds now.
        parent: the window it belongs to.
    """

    def __init__(self, settings: Settings, *, parent: QWidget | None = None) -> None:
        super().__init__("Pace, goal and breaks", verb="Use these", parent=parent)
        self.fields = self.put(PaceFields(settings))
        self.body.addStretch(1)
        self.first = self.fields.advances.checkedButton()

    @property
    def answer(self) -> dict[str, Any]:
        """The preferences as chosen, by their names."""
        return self.fields.answer


class PreferencesDialog(ActDialog):
    """Every preference, on a page each for judging, look, reading and keys.

    Args:
        settings: what holds now.
        parent: the window it belongs to.

    Attributes:
        wants_keys: whether the window of one's own keys is wanted after this one.
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
        self.assessor = edit(settings.assessor, name="Your name", most=MAX_LENGTH)
        self.pace = PaceFields(settings)
        self.own_keys = push_button("Change single keys…", self._open_keys)
        self._add_judging()
        self._add_look()
        self._add_reading()
        self._add_keys()
        self.put(self.pages, stretch=1)
        on_change(self._check, self.assessor)
        self.first = self.pages.tabBar()

    def _page(self, title: str) -> QVBoxLayout:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(8)
        self.pages.addTab(Scrolled(page), title)
        return column

    def _choice(self, form: QFormLayout, name: str, title: str, options: Mapping[str, str]) -> None:
        now = str(getattr(self._settings, name))
        shown = [(text, value) for value, text in options.items()]
        self.choices[name] = combo(shown, now, name=title.replace("&", ""))
        form.addRow(title, self.choices[name])

    def _switch(self, column: QVBoxLayout, name: str, title: str) -> None:
        self.switches[name] = switch(title, is_on=bool(getattr(self._settings, name)))
        column.addWidget(self.switches[name])

    def _number(self, form: QFormLayout, name: str, title: str, span: tuple[int, int]) -> None:
        field = self.numbers[name] = NumberField(*span)
        field.setSuffix(" px")
        field.setValue(int(getattr(self._settings, name)))
        field.setAccessibleName(title.replace("&", ""))
        field.setFixedWidth(scaled(110))
        form.addRow(title, field)

    def _add_judging(self) -> None:
        column = self._page("Judging")
        _form_in(column).addRow("&Your name", self.assessor)
        self._switch(column, "is_blind", "Judge &blind: hide rank, run, values and others")
        column.addWidget(self.pace)
        column.addStretch(1)

    def _add_look(self) -> None:
        column = self._page("Look")
        form = _form_in(column)
        self._choice(form, "theme", "&Colours", {name: _THEMES[name] for name in THEMES})
        self._choice(form, "density", "&Rows", {name: name.capitalize() for name in DENSITIES})
        self._number(form, "extra_px", "&Text of the window, larger by", (-3, 13))
        self._switch(column, "shows_scores", "Show the systems' &scores on the cards")
        column.addStretch(1)

    def _add_reading(self) -> None:
        column = self._page("Reading")
        form = _form_in(column)
        self._choice(form, "page_colour", "&Page of the document", PAGE_COLOURS)
        widths = {name: name.capitalize() for name in LINE_WIDTHS}
        self._choice(form, "line_width", "&Width of its lines", widths)
        self._number(form, "document_px", "Its &text, larger by", (-4, 14))
        self._switch(column, "highlights_terms", "&Mark query terms")
        self._switch(column, "shows_whole", "Show &long texts whole at once, not passages first")
        column.addStretch(1)

    def _add_keys(self) -> None:
        column = self._page("Keys and safety")
        presets = {name: preset.title for name, preset in KEY_PRESETS.items()}
        self._choice(_form_in(column), "key_preset", "&Keys for grades", presets)
        column.addWidget(self.own_keys)
        column.addSpacing(12)
        self._switch(
            column, "keeps_safety_log", "Keep a &safety log of judgments outside the project"
        )
        said = "From it a lost or damaged project is rebuilt. Project ▸ Safety copies says where it is."
        column.addWidget(Text(said, role=Role.META, ink="text3"))
        column.addStretch(1)

    def _check(self) -> None:
        name = self.assessor.text()
        self.show_problem(name_problem(name) if name or self._settings.assessor else "")

    def _open_keys(self) -> None:
        self.wants_keys = True
        self.accept()

    @property
    def chosen(self) -> dict[str, Any]:
        """The preferences that are others than before, by their names."""
        chosen: dict[str, Any] = {
            "assessor": " ".join(self.assessor.text().split()),
            **self.pace.answer,
            **{name: each.currentData() for name, each in self.choices.items()},
            **{name: each.isChecked() for name, each in self.switches.items()},
            **{name: field.value() for name, field in self.numbers.items()},
        }
        return {key: each for key, each in chosen.items() if each != getattr(self._settings, key)}

    @property
    def answer(self) -> tuple[dict[str, Any], bool]:
        """What is another than before, and whether single keys are to be changed next."""
        return self.chosen, self.wants_keys
