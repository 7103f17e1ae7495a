"""The keys of a person: the table's, a preset's, their own changes; and when and where keys go down.

Qt's shortcuts do not know when, nor which physical key it was. The watch sits at the native
window, where every key passes first, and lets everything pass. By it the time somebody works is
told from silences, and a key that bounces from one that is meant.

What keys do wherever one is: they press what has the keyboard, and choose from an open menu.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QCursor, QKeyEvent, QKeySequence, QWindow
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QRadioButton,
    QTextEdit,
    QWidget,
)

from judgetool.core import override
from judgetool.core.clock import IDLE_AFTER_MS
from judgetool.core.scale import Scale
from judgetool.core.system import IS_MAC, IS_WINDOWS
from judgetool.gui.actions import ACTIONS, JUDGING_MODES, ActionSpec, Mode
from judgetool.wording import N_, _, spoken

# Contacts bounce for up to some 30 ms; the fastest honest typing, 20 keys a second, leaves
# 50 ms between two keys. Up to here only the same key is held to have bounced.
ONE_KEY_MS = 50
# A silence longer than this, without key, click or movement, was not spent on the document.
IDLE_MS = IDLE_AFTER_MS
# The physical row of digits, by the number that each system has for a key: X11 and
# Wayland, Windows, macOS (which numbers virtual keys only).
_LINUX = {10 + place: digit for place, digit in enumerate("1234567890")}
_WINDOWS = {2 + place: digit for place, digit in enumerate("1234567890")}
_MAC = {18: "1", 19: "2", 20: "3", 21: "4", 23: "5", 22: "6", 26: "7", 28: "8", 25: "9", 29: "0"}
_LIFE = (
    QEvent.Type.ShortcutOverride,
    QEvent.Type.KeyPress,
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseMove,
    QEvent.Type.Wheel,
)
KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


class Press(NamedTuple):
    """One key going down.

    Attributes:
        at: when, in milliseconds of the keyboard's own clock, so that a busy program
            does not make honest keys look hasty.
        code: of the physical key.
    """

    at: int
    code: int


class KeyWatch(QObject):
    """Watches keys and pointer of one window.

    Attributes:
        activity: how long somebody worked at the document that is shown.
        pressed_at: when the last key came to the window, as ``monotonic_ms`` tells it.
        take_digit: is given each key of the row of digits that no shortcut took, outside
            text fields: its digit, with ``Shift+`` before it where that was down; says
            whether it meant something.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.activity = Activity()
        self.pressed_at = 0
        self.take_digit: Callable[[str], bool] = lambda _digit: False
        self._watched: QWindow | None = None
        self._press: Press | None = None
        self._late: int | None = None
        self._painted_at: int | None = None

    def watch(self, window: QWindow | None) -> None:
        """Watch a native window, once it is there."""
        if window is not None and window is not self._watched:
            self._watched = window
            window.installEventFilter(self)

    def take_press(self) -> Press | None:
        """Return the key that is being handled; ``None`` where it did not come by the window."""
        press, self._press = self._press, None
        return press

    def note_shown(self) -> None:
        """Another document is shown, but not painted yet."""
        self._painted_at = None
        self.activity.start()

    def note_painted(self) -> None:
        """What is shown has been painted."""
        if self._painted_at is None:
            self._painted_at = monotonic_ms()

    def is_typed_ahead(self, press: Press | None) -> bool:
        """Whether a key went down before the document that it judges had been painted."""
        if self._painted_at is None:
            return True
        if press is None or self._late is None:
            return False
        return press.at + self._late < self._painted_at

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note signs of life and when keys went down; translate the row of digits."""
        kind = event.type()
        if kind in _LIFE:
            self.activity.note()
            if kind in KEYS and isinstance(event, QKeyEvent) and not event.isAutoRepeat():
                return self._take(event)
        return super().eventFilter(watched, event)

    def _take(self, event: QKeyEvent) -> bool:
        at = event.timestamp()
        # The least delay ever seen is the difference between the keyboard's clock and ours.
        self.pressed_at = monotonic_ms()
        delay = self.pressed_at - at
        self._late = delay if self._late is None else min(self._late, delay)
        self._press = Press(at, event.nativeScanCode() or event.key())
        return event.type() is QEvent.Type.KeyPress and self._translate(event)

    def _translate(self, event: QKeyEvent) -> bool:
        shift = Qt.KeyboardModifier.ShiftModifier
        if event.modifiers() not in (Qt.KeyboardModifier.NoModifier, shift):
            return False
        digit = physical_digit(event)
        if not digit or is_typing(QApplication.focusWidget()):
            return False
        return self.take_digit(f"Shift+{digit}" if event.modifiers() == shift else digit)


class RepeatGuard:
    """Says whether a grading key is meant for the document that is shown now.

    Attributes:
        guard_ms: a grading key so soon after the one before is not taken; up to 50 ms
            this is about the same key only, beyond it about every grading key; 0 takes
            everything.
    """

    def __init__(self, guard_ms: int) -> None:
        self.guard_ms = guard_ms
        self._last: Press | None = None

    def takes(self, press: Press) -> bool:
        """Whether a grading key counts; a key that bounced goes on bouncing from here."""
        last, self._last = self._last, press
        if last is None or press.at < last.at:
            return True
        is_guarded = press.code == last.code or self.guard_ms > ONE_KEY_MS
        return not (is_guarded and press.at - last.at < self.guard_ms)

    def forget(self) -> None:
        """Another project: nothing came before."""
        self._last = None


def monotonic_ms() -> int:
    """Return milliseconds of a clock that never goes back."""
    return int(monotonic() * 1000)


class Activity:
    """Adds up the time between signs of life, leaving out gaps beyond a minute.

    Args:
        clock: milliseconds, never going back.
    """

    def __init__(self, clock: Callable[[], int] = monotonic_ms) -> None:
        self._clock = clock
        self._last = clock()
        self._active_ms = 0

    def start(self) -> None:
        """Begin at zero: another document is shown."""
        self._active_ms = 0
        self._last = self._clock()

    def note(self) -> None:
        """There was a key, a click or a movement."""
        now = self._clock()
        gap = now - self._last
        self._last = now
        if gap <= IDLE_MS:
            self._active_ms += gap

    def active_ms(self) -> int:
        """Return the time since :meth:`start` that counts, up to now."""
        gap = self._clock() - self._last
        return self._active_ms + (gap if gap <= IDLE_MS else 0)


def is_typing(widget: QWidget | None) -> bool:
    """Whether keys that a widget gets are text that somebody writes."""
    if isinstance(widget, QTextEdit | QPlainTextEdit):
        return not widget.isReadOnly()
    if isinstance(widget, QComboBox):
        return widget.isEditable()
    return isinstance(widget, QLineEdit | QAbstractSpinBox)


def physical_digit(event: QKeyEvent) -> str:
    """Return the digit on whose place in the row of digits a key stands; ``""`` for others.

    On French, Czech and other keyboards these keys give digits only with Shift.
    """
    if IS_MAC:
        return _MAC.get(event.nativeVirtualKey(), "")
    codes = _WINDOWS if IS_WINDOWS else _LINUX
    return codes.get(event.nativeScanCode(), "")


ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


def is_for(focused: QWidget | None, event: QEvent) -> bool:
    """Whether a key is for the button or the choice that has the keyboard, and no command's.

    Space presses both, as everywhere; Enter opens a choice, and presses a button, unless it is
    one of a form: a box to tick, or one of several answers.
    """
    if not isinstance(event, QKeyEvent) or event.modifiers() not in _PLAIN:
        return False
    if event.key() == Qt.Key.Key_Space:
        return isinstance(focused, QAbstractButton | QComboBox)
    is_choice = isinstance(focused, QComboBox) and not focused.isEditable()
    is_button = isinstance(focused, QAbstractButton)
    is_button = is_button and not isinstance(focused, QCheckBox | QRadioButton)
    return event.key() in ENTER and (is_choice or is_button)


def act_on(focused: QWidget | None, event: QKeyEvent) -> bool:
    """Do what Qt leaves undone: Enter presses a button, Shift+F10 opens a menu, F10 the first of the bar.

    Args:
        focused: what has the keyboard.
        event: a key that it has not taken.

    Returns:
        Whether it was one of these.
    """
    if isinstance(focused, QAbstractButton) and event.key() in ENTER and is_for(focused, event):
        if not event.isAutoRepeat():
            focused.click()
        return True
    if focused is None or event.key() != Qt.Key.Key_F10:
        return False
    window = focused.window()
    if event.modifiers() in _PLAIN and isinstance(window, QMainWindow):
        return _open_first_menu(window.menuBar())
    if event.modifiers() != Qt.KeyboardModifier.ShiftModifier:
        return False
    # As Qt places what the key of menus opens.
    at = focused.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, focused.mapToGlobal(at))
    QApplication.sendEvent(focused, asked)
    return True


def _open_first_menu(bar: QMenuBar) -> bool:
    """Open the first menu of a bar with its first entry chosen; return whether there is one."""
    for each in bar.actions():
        menu = each.menu()
        if each.isVisible() and isinstance(menu, QMenu):
            bar.setActiveAction(each)
            _choose_first(menu)
            return True
    return False


def _choose_first(menu: QMenu) -> None:
    entries = menu.actions()
    first = next((each for each in entries if each.isEnabled() and not each.isSeparator()), None)
    if first is not None:
        menu.setActiveAction(first)


def pop_up(menu: QMenu, where: QPoint) -> None:
    """Open a menu at a place of the screen; where a key has asked for it, its first entry is chosen."""
    menu.popup(where)
    # Keys ask for it where the row is, a pointer where that is.
    if where != QCursor.pos():
        _choose_first(menu)


PRESSING = frozenset({Qt.Key.Key_Space, Qt.Key.Key_F10, *ENTER})
"""All keys of which :func:`press_focused` makes something: of others it need not be asked."""


def press_focused(event: QKeyEvent) -> bool:
    """Give a key that comes to a window to what has the keyboard, before any command and after.

    Returns:
        Whether it was for that, and is done with.
    """
    focused = QApplication.focusWidget()
    if event.type() is not QEvent.Type.ShortcutOverride:
        return act_on(focused, event)
    if is_for(focused, event):
        event.accept()
        return True
    return False


def offer_letters(menu: QMenu) -> None:
    """Underline, while a menu is open, a letter of each entry: its key presses it."""
    plain: dict[QAction, str] = {}

    def give() -> None:
        bare = [each for each in menu.actions() if "&" not in each.text().replace("&&", "")]
        for action, place in zip(bare, letters([each.text() for each in bare]), strict=True):
            if place is not None:
                plain[action] = action.text()
                action.setText(f"{action.text()[:place]}&{action.text()[place:]}")

    def take() -> None:
        for action, text in plain.items():
            if action.text().replace("&", "") == text.replace("&", ""):
                action.setText(text)
        plain.clear()

    menu.aboutToShow.connect(give)
    menu.aboutToHide.connect(take)


def letters(entries: Sequence[str]) -> list[int | None]:
    """Return where in each entry the letter stands that is its alone, the first of a word if it can be."""
    places: list[int | None] = [None] * len(entries)
    holders: dict[str, int] = {}

    def give(entry: int, asked: set[str]) -> bool:
        text = entries[entry]
        wanted = [at for at, sign in enumerate(text) if sign.isalnum()]
        wanted.sort(key=lambda at: at > 0 and text[at - 1] != " ")
        # Where none is free, whoever has one may have another.
        for at in [at for at in wanted if text[at].lower() not in holders] or wanted:
            letter = text[at].lower()
            if letter not in asked:
                asked.add(letter)
                if letter not in holders or give(holders[letter], asked):
                    holders[letter], places[entry] = entry, at
                    return True
        return False

    for entry in range(len(entries)):
        give(entry, set())
    return places


GRADE = "grade."
STAY = "Shift+"
# Alt and a letter opens a menu; Ctrl and Alt belongs to desktops and to AltGr.
ASIDE = "Alt+Shift+"
MOST_GRADES = 10
_SPECS = {spec.name: spec for spec in ACTIONS}
# There Ctrl is the Command key, and Meta the one that is labelled Control.
MAC_KEYS: dict[str, tuple[str, ...]] = {
    "edit.history": ("Ctrl+Shift+H",),
    "judge.advance": ("Ctrl+Shift+M",),
    "view.text_larger": ("Meta+=", "Meta++"),
    "view.text_smaller": ("Meta+-",),
    "view.text_normal": ("Meta+0",),
    "whatif.insert": ("Ins", "Ctrl+Shift+I"),  # no Ins on Apple's keyboards
}
"""Keys on macOS in place of the table's, which the system keeps for itself or has not."""


@dataclass(frozen=True, slots=True)
class KeyPreset:
    """A set of keys to start from.

    Attributes:
        name: kept in the preferences.
        title: for people.
        help: whom it suits, in a sentence.
        grades: keys of the levels, lowest first; levels beyond them, and all where it is
            empty, have the keys that the scale gives them.
        keys: by the action's name, in place of those of the table.
    """

    name: str
    title: str
    help: str
    grades: tuple[str, ...] = ()
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


KEY_PRESETS: dict[str, KeyPreset] = {
    preset.name: preset
    for preset in (
        KeyPreset("digits", N_("Digits"), N_("Grades on the row of digits, as on the buttons.")),
        KeyPreset(
            "right",
            N_("Home row, right hand"),
            N_("Grades on J K L and the row above; nothing needs the left hand."),
            ("J", "K", "L", "U", "I", "O", "P"),
        ),
        KeyPreset(
            "left",
            N_("Home row, left hand"),
            N_("Grades on A S D F and the row above; the right hand has the mouse."),
            ("A", "S", "D", "F", "Q", "W", "E", "R"),
            {
                "judge.skip": ("Z",),
                "judge.note": ("C",),
            },
        ),
        KeyPreset(
            "keypad",
            N_("Numeric keypad"),
            N_("Grades, next, previous, skip and flag on the keypad, with Num Lock on."),
            (),
            {
                "judge.next_document": ("Num++", "J"),
                "judge.previous_document": ("Num+-", "K"),
                "judge.skip": ("Num+/", "S"),
                "judge.flag": ("Num+*", "F"),
                "judge.next_unjudged": ("Num+Enter", "N"),
            },
        ),
    )
}


@lru_cache(maxsize=1024)
def canonical(key: str) -> str:
    """Return a key as Qt spells it on every system; ``""`` for what is none."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)


def native(key: str) -> str:
    """Return a key as the person's system writes it, such as ``Ctrl+Z``."""
    return _native(key, spoken().code)


@lru_cache(maxsize=1024)
def _native(key: str, _language: str) -> str:
    shown = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
    # As the sentences of the window call it, and keyboards do; Qt's German leaves it in English.
    return shown.replace("Return", "Enter").replace("Enter", _("Enter"))


def natives(keys: Iterable[str]) -> tuple[str, ...]:
    """Return keys as the person's system writes them; both keys that are called Enter are one."""
    return tuple(dict.fromkeys(map(native, keys)))


def meet(first: Sequence[Mode], second: Sequence[Mode]) -> bool:
    """Whether two actions can be done in one view; without views an action can in all."""
    return not first or not second or bool(set(first) & set(second))


def grade_place(name: str) -> int | None:
    """Return the place on the scale that a name such as ``grade.2`` stands for, else ``None``."""
    place = name.removeprefix(GRADE)
    return int(place) if name.startswith(GRADE) and place.isdigit() else None


@dataclass(frozen=True, slots=True)
class Keymap:
    """Which keys do what for a person.

    What is nearer to the person wins a key: their own changes, then the grades, then the
    preset, then the table; who loses it is without it.

    Attributes:
        preset: name of the preset; an unknown one is ``digits``.
        changes: keys of the person's own by action, or by ``grade.`` and the place of a
            level, from 0; ``()`` is no key.
        is_mac: whether the system is macOS.
    """

    preset: str = "digits"
    changes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_mac: bool = IS_MAC

    @property
    def _preset(self) -> KeyPreset:
        return KEY_PRESETS.get(self.preset, KEY_PRESETS["digits"])

    def usual_keys(self, name: str, scale: Scale | None = None) -> tuple[str, ...]:
        """Return the keys of an action or grade without the person's own changes."""
        place = grade_place(name)
        if place is None:
            return tuple(map(canonical, self._preset_keys(name)))
        if place < len(self._preset.grades):
            return (canonical(self._preset.grades[place]),)
        own = scale.levels[place].key if scale is not None and place < len(scale.levels) else ""
        return (canonical(own.upper()),) if own else ()

    def _preset_keys(self, name: str) -> tuple[str, ...]:
        """Return a preset's keys; what its grades take is had with Alt and Shift."""
        preset = self._preset
        if name in preset.keys:
            return preset.keys[name]
        keys = _SPECS[name].keys
        if self.is_mac:
            keys = MAC_KEYS.get(name, keys)
        return tuple(f"{ASIDE}{key}" if key in preset.grades else key for key in keys)

    def wished_keys(self, name: str, scale: Scale | None = None) -> tuple[str, ...]:
        """Return the keys of an action or grade, whether or not another takes them."""
        if name in self.changes:
            return tuple(key for key in map(canonical, self.changes[name]) if key)
        return self.usual_keys(name, scale)

    def level_keys(self, scale: Scale) -> tuple[str, ...]:
        """Return the key of each level, lowest first; ``""`` where another level has it."""
        wished = [
            next(iter(self.wished_keys(f"{GRADE}{place}", scale)), "")
            for place in range(len(scale.levels))
        ]
        # Own changes first, then the others from the lowest level on.
        order = sorted(range(len(wished)), key=lambda p: (f"{GRADE}{p}" not in self.changes, p))
        kept: dict[int, str] = {}
        for place in order:
            kept[place] = "" if wished[place] in kept.values() else wished[place]
        return tuple(kept[place] for place in range(len(wished)))

    def personal(self, scale: Scale) -> Scale:
        """Return the scale with the keys that this person has for its levels."""
        keys = self.level_keys(scale)
        levels = zip(scale.levels, keys, strict=True)
        return replace(scale, levels=tuple(level._replace(key=key) for level, key in levels))

    def keys_by_action(self, scale: Scale | None) -> dict[str, tuple[str, ...]]:
        """Return which keys each action really has; each key at most once in a view."""
        levels = self.level_keys(scale) if scale is not None else ()
        taken = set().union(*map(_with_stay, levels))
        kept: dict[str, tuple[str, ...]] = {}
        # In which views somebody has a key already.
        held: dict[str, list[Sequence[Mode]]] = {key: [JUDGING_MODES] for key in taken}
        for spec in self._by_nearness():
            mine = [
                key
                for key in self.wished_keys(spec.name)
                if not any(meet(spec.modes, modes) for modes in held.get(key, ()))
            ]
            for key in mine:
                held.setdefault(key, []).append(spec.modes)
            kept[spec.name] = tuple(mine)
        return kept

    def _by_nearness(self) -> list[ActionSpec]:
        preset = self._preset.keys
        return sorted(ACTIONS, key=lambda s: (s.name not in self.changes, s.name not in preset))

    def clashes(self, name: str, key: str, scale: Scale | None) -> list[str]:
        """Return who has a key already in a view in which ``name`` can be done.

        Args:
            name: who is to get the key: an action, or a grade.
            key: in any spelling.
            scale: the project's; ``None`` while there is none.

        Returns:
            Names of actions, and of grades as ``grade.2``; empty when the key is free.
        """
        place = grade_place(name)
        modes = _SPECS[name].modes if place is None else JUDGING_MODES
        wanted = {canonical(key)} if place is None else _with_stay(canonical(key))
        levels = self.level_keys(scale) if scale is not None else ()
        holders = [
            f"{GRADE}{at}"
            for at, other in enumerate(levels)
            if at != place and meet(modes, JUDGING_MODES) and wanted & _with_stay(other)
        ]
        held = self.keys_by_action(scale)
        return holders + [
            spec.name
            for spec in ACTIONS
            if spec.name != name and meet(modes, spec.modes) and wanted & set(held[spec.name])
        ]

    def with_keys(self, name: str, keys: Iterable[str], scale: Scale | None) -> "Keymap":
        """Return the same with other keys for an action or grade; the usual ones are no change."""
        wanted = tuple(key for key in map(canonical, keys) if key)
        others = {other: kept for other, kept in self.changes.items() if other != name}
        if wanted != self.usual_keys(name, scale):
            others[name] = wanted
        return replace(self, changes=others)

    def without_key(self, name: str, key: str, scale: Scale | None) -> "Keymap":
        """Return the same with one key less for an action or grade."""
        gone = {canonical(key)}
        if grade_place(name) is not None:
            # A grade has Shift and its key besides, to stay on the document.
            gone.add(canonical(key).removeprefix(STAY))
        left = [each for each in self.wished_keys(name, scale) if each not in gone]
        return self.with_keys(name, left, scale)


def _with_stay(key: str) -> set[str]:
    """Return a level's key, and the one that stays on the document; nothing for ``""``."""
    return {key, canonical(f"{STAY}{key}")} if key else set()


def title_of(name: str, scale: Scale | None) -> str:
    """Return what an action or grade is called on the page of keys."""
    place = grade_place(name)
    if place is None:
        return _SPECS[name].said
    if scale is not None and place < len(scale.levels):
        level = scale.levels[place]
        return _("Grade {label}, {name}").format(label=level.label, name=level.shown_name)
    return _("Grade {place}").format(place=place)
