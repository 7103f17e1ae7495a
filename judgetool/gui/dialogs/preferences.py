"""What a person prefers: all in one window, the pace alone in a smaller one, and one's own keys.

Forms are read from one table. Under the title of each page its preferences stand in order, a row
each: name, kind of the field, label; of a number its unit and what the least means. A number's
kind has its least and greatest value and the step of the arrows. Under a row may stand what is
said under it.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAccessible, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QLineEdit,
    QTabWidget,
    QWidget,
)

from judgetool.core import override
from judgetool.core.catalogues import languages
from judgetool.core.policy import SET_BY, policy
from judgetool.core.scale import Scale
from judgetool.gui.actions import ACTIONS, COLUMNS
from judgetool.gui.dialogs.act_dialog import (
    ActDialog,
    Radios,
    combo,
    edit,
    form_in,
    number,
    on_change,
    push_button,
    switch,
    value_of,
)
from judgetool.gui.dialogs.choose import MAX_LENGTH, name_problem
from judgetool.gui.dialogs.framed_list import PieceList, walk_from, with_words
from judgetool.gui.keymap import (
    GRADE,
    KEY_PRESETS,
    MOST_GRADES,
    Keymap,
    grade_place,
    native,
    natives,
    title_of,
)
from judgetool.gui.models.page import PAGE_COLOURS
from judgetool.gui.theme import Role, scaled
from judgetool.gui.widgets.flow import Scrolled
from judgetool.gui.widgets.keys_overlay import parse_keys
from judgetool.gui.widgets.labels import CapPart, Piece, Text, TextPart
from judgetool.gui.widgets.painted import in_column
from judgetool.settings import Settings
from judgetool.wording import N_, _, quoted

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
    The line at the foot of the window says how many of them are done.
break_min        | number 0 480 5    | Propose &a break after          | min | never
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


class _Choices(QWidget):
    """The buttons of a choice of one of several, which readers hear as a group with its name."""

    heard_as = QAccessible.Role.Grouping

    def __init__(self, name: str, choices: "Radios[str]", *, spacing: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        in_column(*choices.by_name.values(), host=self, spacing=spacing)


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
            form.addRow(_Choices(_(shown.label), field, spacing=form.verticalSpacing()))
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
            if isinstance(field, QWidget):
                field.setAccessibleDescription(said)
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


# One's own keys

OTHERS = N_("Without a place on the page of keys")


class KeyRow(NamedTuple):
    """One line of the list.

    Attributes:
        key: name of the action or grade; ``None`` for a head.
        title: what is shown.
        keys: as the person's system writes them.
        note: such as ``changed``, or which other has its key.
        is_taken: whether another has one of its keys.
    """

    key: str | None
    title: str
    keys: tuple[str, ...] = ()
    note: str = ""
    is_taken: bool = False

    @property
    def said(self) -> str:
        """The row as a reader says it."""
        if self.key is None:
            return self.title
        return f"{self.title}: {', '.join(self.keys) or _('no key')}"


def key_rows(keymap: Keymap, scale: Scale | None) -> list[KeyRow]:
    """Return heads and lines: grades first, then the actions by task."""
    rows: list[KeyRow] = []
    held = keymap.keys_by_action(scale)
    for task in (*COLUMNS, ""):
        lines = [_row(spec.name, held, keymap, scale) for spec in ACTIONS if spec.column == task]
        if task == "Grade":
            lines[:0] = _grade_rows(keymap, scale)
        if lines:
            rows += [KeyRow(None, _(task or OTHERS)), *lines]
    return rows


def _row(
    name: str, held: Mapping[str, tuple[str, ...]], keymap: Keymap, scale: Scale | None
) -> KeyRow:
    lost = [key for key in keymap.wished_keys(name, scale) if key not in held[name]]
    note = _("changed") if name in keymap.changes else ""
    if lost:
        note = _("{keys} is taken").format(keys=", ".join(natives(lost)))
    return KeyRow(name, title_of(name, scale), natives(held[name]), note, bool(lost))


def _grade_rows(keymap: Keymap, scale: Scale | None) -> list[KeyRow]:
    if scale is None or scale.is_continuous:
        return []
    keys = keymap.level_keys(scale)
    rows = []
    for place in range(min(len(keys), MOST_GRADES)):
        name = f"{GRADE}{place}"
        note = _("changed") if name in keymap.changes else ""
        shown = (native(keys[place]),) if keys[place] else ()
        rows.append(KeyRow(name, title_of(name, scale), shown, note))
    return rows


def _pieces(row: KeyRow, room: float) -> Iterator[Piece]:
    """Yield a head, or a line with its key caps at the end."""
    if row.key is None:
        yield Piece(TextPart(row.title, Role.UI_STRONG), gives=True)
        return
    yield Piece(TextPart(row.title), room * 0.55 - scaled(12), scaled(12))
    ink = "warn" if row.is_taken else "text3"
    yield Piece(TextPart(row.note, Role.META, ink), gap=8, gives=True)
    gap = 8.0
    for key in row.keys:
        gap += scaled(6)
        for chord in parse_keys(key):
            for name in chord:
                cap = CapPart(name)
                yield Piece(cap, cap.width, gap)
                gap = scaled(3)
    yield Piece(None, 0 if row.keys else 8)


_MODIFIERS = (
    Qt.Key.Key_Shift,
    Qt.Key.Key_Control,
    Qt.Key.Key_Alt,
    Qt.Key.Key_AltGr,
    Qt.Key.Key_Meta,
    Qt.Key.Key_CapsLock,
    Qt.Key.Key_NumLock,
)
# Keys that lead out of the field, so that nobody is caught in it.
_LEAVING = (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


def key_text(event: QKeyEvent) -> str:
    """Return the key of an event in Qt's portable spelling; ``""`` for a modifier alone.

    Shift is left out where it only makes the sign: ``?``, not ``Shift+?``.
    """
    if event.key() in _MODIFIERS or event.key() in (0, Qt.Key.Key_unknown):
        return ""
    combination = event.keyCombination()
    is_sign = len(event.text()) == 1 and event.text().isprintable() and event.text() != " "
    if is_sign and not event.text().isalpha():
        left = combination.keyboardModifiers() & ~Qt.KeyboardModifier.ShiftModifier
        combination = type(combination)(left, Qt.Key(event.key()))
    return QKeySequence(combination).toString(QKeySequence.SequenceFormat.PortableText)


class KeyCatcher(QLineEdit):
    """Waits for a key while it has the keyboard; Esc and Tab leave it.

    Signals:
        caught: the key, in Qt's portable spelling.
        left: Esc was pressed.
    """

    caught = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    def set_text(self, text: str) -> None:
        """Say what a key would be for."""
        self.setText(text)
        self.setAccessibleName(text)

    @override
    def event(self, event: QEvent) -> bool:
        """Take every key before it could be a shortcut."""
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell which key it was."""
        if event.key() in _LEAVING and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.ShiftModifier,
        ):
            self.left.emit()
            return
        key = key_text(event)
        if key and not event.isAutoRepeat():
            self.caught.emit(key)


_REST = N_("Choose what to change above; Enter, then the key.")


class KeysDialog(ActDialog):
    """Changes the keys of a person.

    Args:
        keymap: what holds now.
        scale: the project's, whose grades have keys, too; ``None`` without a project.
    """

    def __init__(self, keymap: Keymap, scale: Scale | None) -> None:
        super().__init__(_("Keys"), verb=_("Use these keys"), width=720)
        self._scale = scale
        self._keymap = keymap
        self._wish: tuple[str, str] | None = None
        self._is_second = False
        self._add_fields()
        self.verb.setAutoDefault(False)
        self.verb.setDefault(False)
        self._connect()
        self._show()

    def _add_fields(self) -> None:
        presets = [(_(preset.title), preset.name) for preset in KEY_PRESETS.values()]
        self.presets = combo(presets, self._keymap.preset)
        hint = _("Type to find an action or a key")
        self.search = edit(hint=hint, name=_("Find an action or a key"))
        self.search.setMinimumWidth(scaled(240))
        self.add_line(_("&Start from"), self.presets, None, self.search)
        self.help = self.add_text()
        keys = PieceList(_("Actions and their keys"), _pieces, height=30)
        self.list = self.first = self.add_list(keys, height=330)
        walk_from(self.search, self.list, tells=True)
        self.catcher = KeyCatcher()
        self.another = push_button(_("Add a second key"), partial(self._begin, is_second=True))
        self.none = push_button(_("No key"), partial(self._set, ()))
        self.usual = push_button(_("Usual key"), self._reset_one)
        self.put(self.catcher)
        self.add_line(None, self.another, self.none, self.usual)
        self.all_usual = self.add_to_foot(push_button(_("All usual keys"), self._reset_all))
        self.clash = Text("", ink="warn")
        self.take = push_button(_("Take it from there"), self._take)
        self.leave = push_button(_("Leave it there"), self._leave)
        self.add_line(self.clash, 1, self.leave, self.take)

    def _connect(self) -> None:
        self.presets.activated.connect(self._choose_preset)
        on_change(self._show, self.search)
        self.list.currentItemChanged.connect(self._show_current)
        self.list.itemActivated.connect(lambda _item: self._begin(is_second=False))
        self.catcher.caught.connect(self._catch)
        self.catcher.left.connect(self.list.setFocus)

    # What is shown

    @property
    def _chosen(self) -> str:
        """Name of the action or grade that is chosen; ``""`` for none."""
        row: KeyRow | None = self.list.chosen
        return row.key or "" if row is not None else ""

    def _show(self) -> None:
        self.help.setText(_(KEY_PRESETS[self.presets.currentData()].help))
        rows, typed = key_rows(self._keymap, self._scale), self.search.text().strip()
        # With letters typed, heads would stand over nothing.
        met = [row for row in with_words(rows, typed) if row.key is not None or not typed]
        self.list.show_rows(met, kept=self._chosen)
        self._show_current()

    def _show_current(self) -> None:
        name = self._chosen
        self._wish = None
        self._show_clash("")
        title = title_of(name, self._scale) if name else ""
        self.catcher.set_text(
            _("Press the key for ‘{title}’").format(title=title) if name else _(_REST)
        )
        self._is_second = False
        is_changed = name in self._keymap.changes
        self.usual.setEnabled(is_changed)
        self.none.setEnabled(bool(name))
        self.another.setEnabled(bool(name) and grade_place(name) is None)
        self.all_usual.setEnabled(bool(self._keymap.changes))

    def _show_clash(self, sentence: str) -> None:
        self.clash.setText(sentence)
        for button in (self.take, self.leave):
            button.setVisible(bool(sentence) and self._wish is not None)

    # What the person does

    def _begin(self, *, is_second: bool) -> None:
        self._is_second = is_second
        self.catcher.setFocus()

    def _catch(self, key: str) -> None:
        """Take the key, or name what has it already."""
        name = self._chosen
        if not name:
            return
        if grade_place(name) is not None and "+" in key.removeprefix("Num+")[:-1]:
            self._wish = None
            self._show_clash(
                _("A grade has one key without Ctrl, Alt or Shift; Shift means ‘stay’.")
            )
            return
        found = self._keymap.clashes(name, key, self._scale)
        if not found:
            self._give(name, key)
            return
        self._wish = (name, key)
        titles = (title_of(each, self._scale) for each in found)
        holders = _(" and ").join(quoted(title) for title in titles)
        self._show_clash(
            _("{key} is the key of {holders}.").format(key=native(key), holders=holders)
        )
        self.take.setFocus()

    def _give(self, name: str, key: str) -> None:
        before = self._keymap.wished_keys(name, self._scale) if self._is_second else ()
        self._set((*before, key))

    def _set(self, keys: tuple[str, ...]) -> None:
        self._keymap = self._keymap.with_keys(self._chosen, keys, self._scale)
        self._show()
        self.list.setFocus()

    def _take(self) -> None:
        assert self._wish is not None
        name, key = self._wish
        for other in self._keymap.clashes(name, key, self._scale):
            self._keymap = self._keymap.without_key(other, key, self._scale)
        self._give(name, key)

    def _leave(self) -> None:
        self._wish = None
        self._show_clash("")
        self.catcher.setFocus()

    def _reset_one(self) -> None:
        name = self._chosen
        changes = {other: keys for other, keys in self._keymap.changes.items() if other != name}
        self._keymap = Keymap(self._keymap.preset, changes)
        self._show()

    def _reset_all(self) -> None:
        self._keymap = Keymap(self._keymap.preset)
        self._show()

    def _choose_preset(self) -> None:
        self._keymap = Keymap(self.presets.currentData(), self._keymap.changes)
        self._show()

    @property
    def answer(self) -> Keymap:
        """The keys as chosen."""
        return self._keymap
