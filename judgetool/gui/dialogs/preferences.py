"""All that a person prefers, in one window; and the pace alone, in a smaller one."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtWidgets import QTabWidget, QWidget

from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Field,
    Radios,
    combo,
    edit,
    form_in,
    number,
    push_button,
    switch,
    value_of,
)
from judgetool.gui.dialogs.choose import MAX_LENGTH, name_problem
from judgetool.gui.dialogs.framed_list import Scrolled
from judgetool.gui.fonts import DENSITIES, Role
from judgetool.gui.keymap import KEY_PRESETS
from judgetool.gui.page_look import PAGE_COLOURS
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import in_column
from judgetool.settings import LINE_WIDTHS, THEMES, Settings

if TYPE_CHECKING:
    from judgetool.gui.widgets.fields import NumberField

_THEMES = {"system": "As the system", "light": "Light", "dark": "Dark"}
_ADVANCES = {
    "unjudged": "The next unjudged document, of any query",
    "queue": "The next document of the queue, judged or not",
    "stay": "Stay on the document",
}
_SAFETY = "From it a lost or damaged project is rebuilt. Project ▸ Safety copies says where it is."


class _PaceField(NamedTuple):
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


class PaceFields(QWidget):
    """Where a grade leads, how long it is seen, the guard, the day's goal, breaks.

    Args:
        settings: what holds now.

    Attributes:
        advances: where a grade leads.
        numbers: the fields by the name of the preference.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.advances = Radios(_ADVANCES, settings.advance if settings.moves_on else "stay", self)
        head = Text("After a grade", role=Role.UI_STRONG)
        column = in_column(head, *self.advances.by_name.values(), host=self, spacing=12)
        column.addSpacing(4)
        form = form_in(column, spacing=4)
        self.numbers: dict[str, NumberField] = {}
        for name, said in _PACE.items():
            now = getattr(settings, name)
            field = self.numbers[name] = number(0, said.most, now, unit=said.unit, width=130)
            field.setSingleStep(said.step)
            field.setSpecialValueText(said.none)
            field.setAccessibleName(said.label.replace("&", ""))
            label = Text(said.label, wraps=False)
            label.setBuddy(field)
            form.addRow(label, field)
            form.addRow(Text("", role=Role.META), Text(said.remark, role=Role.META, ink="text3"))

    @property
    def answer(self) -> dict[str, Any]:
        """The preferences as chosen, by their names."""
        chosen = self.advances.current
        values = {name: value_of(field) for name, field in self.numbers.items()}
        values["moves_on"] = chosen != "stay"
        return values if chosen == "stay" else {**values, "advance": chosen}


class PaceDialog(ActDialog):
    """Preferences of the person's own pace.

    Args:
        settings: what holds now.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__("Pace, goal and breaks", verb="Use these")
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

    Attributes:
        fields: by the name of the preference, but those of the pace.
        wants_keys: whether the window of one's own keys is wanted after this one.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__("Preferences", verb="Use these", width=640)
        self._settings = settings
        self.wants_keys = False
        self.pages = QTabWidget()
        self.pages.setAccessibleName("Preferences")
        self.fields: dict[str, QWidget] = {}
        self.pace = PaceFields(settings)
        self.assessor = self._keep("assessor", edit(settings.assessor, most=MAX_LENGTH))
        self._add_page(
            "Judging",
            {"&Your name": self.assessor},
            self._switch("is_blind", "Judge &blind: hide rank, run, values and others"),
            self.pace,
        )
        self._add_page(
            "Look",
            {
                "&Colours": self._choice("theme", {name: _THEMES[name] for name in THEMES}),
                "&Rows": self._choice("density", _capitalized(DENSITIES)),
                "&Text of the window, larger by": self._number("extra_px", -3, 13),
            },
            self._switch("shows_scores", "Show the systems' &scores on the cards"),
        )
        self._add_page(
            "Reading",
            {
                "&Page of the document": self._choice("page_colour", PAGE_COLOURS),
                "&Width of its lines": self._choice("line_width", _capitalized(LINE_WIDTHS)),
                "Its &text, larger by": self._number("document_px", -4, 14),
            },
            self._switch("highlights_terms", "&Mark query terms"),
            self._switch("shows_whole", "Show &long texts whole at once, not passages first"),
        )
        presets = {name: preset.title for name, preset in KEY_PRESETS.items()}
        self.own_keys = push_button("Change single keys…", self._open_keys)
        log = "Keep a &safety log of judgments outside the project"
        self._add_page(
            "Keys and safety",
            {"&Keys for grades": self._choice("key_preset", presets)},
            self.own_keys,
            12,
            self._switch("keeps_safety_log", log),
            Text(_SAFETY, role=Role.META, ink="text3"),
        )
        self.put(self.pages, stretch=1)
        self.check_by(self._find_problem, self.assessor)
        self.first = self.pages.tabBar()

    def _add_page(self, title: str, rows: Mapping[str, QWidget], *parts: QWidget | int) -> None:
        """Add a page: a form, and under it parts, or room in px between them."""
        page = QWidget()
        column = in_column(host=page, spacing=8, margins=(16, 14, 16, 14))
        form = form_in(column)
        for label, field in rows.items():
            form.addRow(label, field)
            field.setAccessibleName(label.replace("&", ""))
        for part in parts:
            if isinstance(part, int):
                column.addSpacing(part)
            else:
                column.addWidget(part)
        column.addStretch(1)
        self.pages.addTab(Scrolled(page), title)

    def _keep(self, name: str, field: Field) -> Field:
        self.fields[name] = field
        return field

    def _choice(self, name: str, options: Mapping[str, str]) -> QWidget:
        shown = [(text, value) for value, text in options.items()]
        return self._keep(name, combo(shown, str(getattr(self._settings, name))))

    def _switch(self, name: str, title: str) -> QWidget:
        return self._keep(name, switch(title, is_on=bool(getattr(self._settings, name))))

    def _number(self, name: str, least: int, most: int) -> QWidget:
        now = int(getattr(self._settings, name))
        return self._keep(name, number(least, most, now, unit=" px", width=110))

    def _find_problem(self) -> str:
        name = self.assessor.text()
        return name_problem(name) if name or self._settings.assessor else ""

    def _open_keys(self) -> None:
        self.wants_keys = True
        self.accept()

    @property
    def chosen(self) -> dict[str, Any]:
        """The preferences that are others than before, by their names."""
        chosen = self.pace.answer | {name: value_of(field) for name, field in self.fields.items()}
        chosen["assessor"] = " ".join(self.assessor.text().split())
        return {key: each for key, each in chosen.items() if each != getattr(self._settings, key)}

    @property
    def answer(self) -> tuple[dict[str, Any], bool]:
        """What is another than before, and whether single keys are to be changed next."""
        return self.chosen, self.wants_keys


def _capitalized(names: Iterable[str]) -> dict[str, str]:
    return {name: name.capitalize() for name in names}
