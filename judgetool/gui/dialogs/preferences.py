"""All that a person prefers, in one window; and the pace alone, in a smaller one: one table of forms.

Under the title of each page its preferences stand in order, a row each: name, kind of the
field, label; of a number its unit and what the least means. A number's kind has its least
and greatest value and the step of the arrows. Under a row may stand what is said under it.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QCheckBox, QFormLayout, QTabWidget, QWidget

from judgetool.core.catalogues import languages
from judgetool.core.policy import SET_BY, policy
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
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
from judgetool.gui.keymap import KEY_PRESETS
from judgetool.gui.models.page import PAGE_COLOURS
from judgetool.gui.theme import Role
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import in_column
from judgetool.settings import Settings
from judgetool.wording import N_, _

_TABLE = """
Judging
assessor         | name              | &Your name
is_blind         | switch            | Judge &blind: hide rank, run, values and others
advance          | radios            | After a grade
pause_ms         | number 0 1500 100 | &Pause to see the grade         | ms  | no pause
    Keys typed in it are kept.
guard_ms         | number 0 500 5    | &Guard against double keys      | ms  | no guard
    A grading key so soon after the last is not taken: up to 50 ms only the same key, as
    keys that bounce do; beyond it any.
goal             | number 0 100000 10| &Judgments a day                |     | no goal
    Shown below: ‘Goal today: 68 of 120’.
break_min        | number 0 480 5    | Propose a &break after          | min | never
    In the bar, never over the text.
spoken_values    | choice            | &Values that a screen reader says
    After a grade or a move, of those that it changed.
Look
language         | choice            | &Language
    Used from the next start. Help is in English where it is not translated.
theme            | choice            | &Colours
density          | choice            | &Rows
extra_px         | number -3 13 1    | &Text of the window, larger by  | px
shows_scores     | switch            | Show the systems’ &scores on the cards
Reading
page_colour      | choice            | &Page of the document
line_width       | choice            | &Width of its lines
document_px      | number -4 14 1    | Its &text, larger by            | px
highlights_terms | switch            | &Mark query terms
shows_whole      | switch            | Show &long texts whole at once, not passages first
Keys and safety
key_preset       | choice            | &Keys for grades
keeps_safety_log | switch            | Keep a &safety log of judgments outside the project
    From it a lost or damaged project is rebuilt. Project ▸ Safety copies says where it is.
"""
_PACE = ("advance", "pause_ms", "guard_ms", "goal", "break_min")
_STAY = "stay"


_CHOICES: Mapping[str, Mapping[str, str]] = {
    "advance": {
        "unjudged": N_("The next unjudged document, of any query"),
        "queue": N_("The next document of the queue, judged or not"),
        _STAY: N_("Stay on the document"),
    },
    "spoken_values": {
        "none": N_("None"),
        "explained": N_("The one that is explained"),
        "all": N_("All that changed"),
    },
    "theme": {
        "system": N_("As the system"),
        "light": N_("Light"),
        "dark": N_("Dark"),
        "light-contrast": N_("Light, high contrast"),
        "dark-contrast": N_("Dark, high contrast"),
    },
    "density": {"compact": N_("Compact"), "standard": N_("Standard"), "roomy": N_("Roomy")},
    "page_colour": PAGE_COLOURS,
    "line_width": {"narrow": N_("Narrow"), "standard": N_("Standard"), "wide": N_("Wide")},
    "key_preset": {name: preset.title for name, preset in KEY_PRESETS.items()},
}


class _Preference(NamedTuple):
    """A row of the table; see the module."""

    name: str
    kind: str
    label: str
    unit: str
    least: str
    remark: str


def _options(name: str) -> dict[str, str]:
    """Return what a preference can be: what is shown, by its value."""
    if name == "language":
        return {"system": _("As the system"), **languages()}
    return {value: _(text) for value, text in _CHOICES.get(name, {}).items()}


def read_table() -> dict[str, list[_Preference]]:
    """Return the preferences of each page, by its title."""
    pages: dict[str, list[_Preference]] = {}
    page = ""
    for block in re.split(r"\n(?! )", _TABLE.strip()):
        row, *below = block.split("\n")
        name, kind, label, unit, least = [*(part.strip() for part in row.split("|")), *[""] * 4][:5]
        if kind:
            remark = " ".join(line.strip() for line in below)
            pages[page].append(_Preference(name, kind, label, unit, least, remark))
        else:
            page, pages[name] = name, []
    return pages


class _Form(ActDialog):
    """Fields of preferences.

    Attributes:
        fields: by the name of the preference.
        laid_down: what the administrator has decided, by the name of the preference.
    """

    def __init__(self, title: str, settings: Settings, *, width: int) -> None:
        super().__init__(title, verb=_("Use these"), width=width)
        self._settings = settings
        self.fields: dict[str, Any] = {}
        laid_down = {"is_blind": policy().blind, "language": policy().language}
        self.laid_down: dict[str, Any] = {name: value for name, value in laid_down.items() if value}

    def _add(self, form: QFormLayout, shown: _Preference) -> None:
        """Add a preference, and what is said of it."""
        field = self.fields[shown.name] = self._field(shown)
        if isinstance(field, Radios):
            form.addRow(Text(_(shown.label), role=Role.UI_STRONG))
            for button in field.by_name.values():
                form.addRow(button)
        elif isinstance(field, QCheckBox):
            form.addRow(field)
        elif isinstance(field, QWidget):
            field.setAccessibleName(_(shown.label).replace("&", ""))
            form.addRow(_(shown.label), field)
        said = _(shown.remark)
        if shown.name in self.laid_down and isinstance(field, QWidget):
            field.setEnabled(False)
            said = f"{_(SET_BY).capitalize()}."
        if said:
            remark = Text(said, role=Role.META, ink="text3")
            parts = (remark,) if shown.kind == "switch" else (Text("", role=Role.META), remark)
            form.addRow(*parts)

    def _field(self, shown: _Preference) -> QObject:
        now = self.laid_down.get(shown.name, getattr(self._settings, shown.name))
        options = _options(shown.name)
        if shown.kind == "switch":
            return switch(_(shown.label), is_on=now)
        if shown.kind == "name":
            return edit(now, most=MAX_LENGTH)
        if shown.kind == "choice":
            return combo([(text, value) for value, text in options.items()], now)
        if shown.kind == "radios":
            return Radios(options, now if self._settings.moves_on else _STAY, self)
        least, most, step = map(int, shown.kind.split()[1:])
        field = number(least, most, now, unit=f" {_(shown.unit)}" if shown.unit else "", width=130)
        field.setSingleStep(step)
        field.setSpecialValueText(_(shown.least))
        return field

    @property
    def _values(self) -> dict[str, Any]:
        """The preferences as chosen, by their names; to stay keeps where grades led before."""
        fields = self.fields.items()
        values = {name: value_of(each) for name, each in fields if name not in self.laid_down}
        values["moves_on"] = values["advance"] != _STAY
        if not values["moves_on"]:
            del values["advance"]
        return values


class PaceDialog(_Form):
    """Where a grade leads, how long it is seen, the guard, the day's goal, breaks.

    Args:
        settings: what holds now.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(_("Pace, goal and breaks"), settings, width=560)
        form = form_in(self.body)
        for shown in read_table()["Judging"]:
            if shown.name in _PACE:
                self._add(form, shown)
        self.body.addStretch(1)
        self.first = self.fields["advance"].checkedButton()

    @property
    def answer(self) -> dict[str, Any]:
        """The preferences as chosen, by their names."""
        return self._values


class PreferencesDialog(_Form):
    """Every preference, on a page each for judging, look, reading and keys.

    Args:
        settings: what holds now.

    Attributes:
        wants_keys: whether the window of one's own keys is wanted after this one.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(_("Preferences"), settings, width=640)
        self.wants_keys = False
        self.pages = QTabWidget()
        # Of a widget that stands for another Qt loses the place in the order of Tab.
        self.pages.setFocusProxy(None)  # type: ignore[arg-type]  # it takes the proxy away
        self.pages.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # Its tabs have the keyboard, and what is on them.
        self.pages.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.pages.setAccessibleName(_("Preferences"))
        self.own_keys = push_button(_("Change single keys…"), self._open_keys)
        for title, rows in read_table().items():
            page = QWidget()
            column = in_column(host=page, margins=(16, 14, 16, 14))
            form = form_in(column)
            for shown in rows:
                self._add(form, shown)
                if shown.name == "key_preset":
                    form.addRow("", self.own_keys)
            column.addStretch(1)
            self.pages.addTab(Scrolled(page), _(title))
        self.put(self.pages, stretch=1)
        self.check_by(self._find_problem, self.fields["assessor"])
        self.first = self.pages.tabBar()

    def _find_problem(self) -> str:
        name = self.fields["assessor"].text()
        return name_problem(name) if name or self._settings.assessor else ""

    def _open_keys(self) -> None:
        self.wants_keys = True
        self.accept()

    @property
    def chosen(self) -> dict[str, Any]:
        """The preferences that are others than before, by their names."""
        chosen = self._values
        chosen["assessor"] = " ".join(chosen["assessor"].split())
        return {key: each for key, each in chosen.items() if each != getattr(self._settings, key)}

    @property
    def answer(self) -> tuple[dict[str, Any], bool]:
        """What is another than before, and whether single keys are to be changed next."""
        return self.chosen, self.wants_keys
