"""``python -m tests.helpers.ear PROJECT KEY=WORD …``: what a screen reader is told, one line each.

It runs in a D-Bus session of its own, starts the window on the display, and presses the
keys one after the other, each as soon as something was said in which the word of the key
before it occurs. The last word ends it. Said is what gets the keyboard, by its name, and
what is announced. Keys have X's names; ``ctrl+`` may stand before them.
"""

import os
import subprocess
import sys
from typing import Any

from PySide6.QtCore import SLOT, QCoreApplication, QObject, QTimer, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage

from tests.helpers.screens import XKeys

_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry")
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_MOST_MS = 60_000


def _plain(value: Any) -> Any:
    return value.variant() if hasattr(value, "variant") else value


def _call(bus: QDBusConnection, place: tuple[str, str, str], method: str, *given: Any) -> Any:
    message = QDBusMessage.createMethodCall(*place, method)
    message.setArguments(list(given))
    answer = bus.call(message)
    return _plain((answer.arguments() or [""])[0])


class Ear(QObject):
    """Listens on the accessibility bus, and presses the next key when it hears the word."""

    def __init__(self, keys: list[tuple[str, str]]) -> None:
        super().__init__()
        self._keys = keys
        self._press = XKeys(os.environ["DISPLAY"])
        session = QDBusConnection.sessionBus()
        place = ("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus")
        self._bus = QDBusConnection.connectToBus(_call(session, place, "GetAddress"), "ear")
        for kind in ("object:", "focus:", "window:"):
            _call(self._bus, _REGISTRY, "RegisterEvent", kind)
        events = "org.a11y.atspi.Event.Object"
        self._bus.connect("", "", events, "", self, SLOT("hear(QDBusMessage)"))

    @Slot(QDBusMessage)
    def hear(self, message: QDBusMessage) -> None:
        """Print what is said, and press the next key if it was waited for."""
        kind, told = message.member(), message.arguments()
        if kind == "Announcement":
            said = str(_plain(told[3]))
        elif kind == "StateChanged" and told[:2] == ["focused", 1]:
            at = (message.service(), message.path(), "org.freedesktop.DBus.Properties")
            said = str(_call(self._bus, at, "Get", _ACCESSIBLE, "Name"))
        else:
            return
        print(said, flush=True)
        if self._keys and self._keys[0][1] in said:
            del self._keys[0]
            if self._keys:
                key = self._keys[0][0]
                self._press.press(key.removeprefix("ctrl+"), ctrl=key.startswith("ctrl+"))
            else:
                QCoreApplication.exit(0)


def main() -> int:
    """Listen to a window."""
    project, *told = sys.argv[1:]
    app = QCoreApplication([])
    ear = Ear([(key, word) for key, _, word in (each.partition("=") for each in told)])
    window = subprocess.Popen(
        [sys.executable, "-m", "judgetool", "open", project, "--assessor", "anna"],
        env={**os.environ, "QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1"},
    )
    QTimer.singleShot(_MOST_MS, app, lambda: app.exit(1))
    try:
        return app.exec()
    finally:
        ear.deleteLater()
        window.kill()
        window.wait()


if __name__ == "__main__":
    sys.exit(main())
