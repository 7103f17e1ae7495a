"""What the window knows of its keyboard: when keys went down, which physical key it was.

Qt's shortcuts know neither. The watch sits at the native window, where every key passes
first, and lets everything pass. By it the time somebody works is told from silences, and a
key that bounces from one that is meant.
"""

from collections.abc import Callable
from time import monotonic
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from judgetool.core.clock import IDLE_AFTER_MS
from judgetool.core.override import override
from judgetool.core.system import IS_MAC, IS_WINDOWS

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
_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


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
        take_digit: is given each key of the row of digits that no shortcut took, outside
            text fields: its digit, with ``Shift+`` before it where that was down; says
            whether it meant something.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.activity = Activity()
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
            if kind in _KEYS and isinstance(event, QKeyEvent) and not event.isAutoRepeat():
                return self._take(event)
        return super().eventFilter(watched, event)

    def _take(self, event: QKeyEvent) -> bool:
        at = event.timestamp()
        # The least delay ever seen is the difference between the keyboard's clock and ours.
        delay = monotonic_ms() - at
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
