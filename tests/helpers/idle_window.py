"""``python -m tests.helpers.idle_window PROJECT SECONDS``: what a window does that nobody touches, as JSON lines.

Every view is shown at a size, theme and text size (``--look 0`` and further, of ``LOOKS``), left
alone until it rests, and then watched: which events reach it, and how much of a core the process
takes. Where it does not rest, the last span that was watched is told. With ``--hub NAME`` one
window of NAME is, in step with its hub.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication

from judgetool.core import override
from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from judgetool.gui.theme import install_fonts

LOOKS = ((1024, 700, "light", 0), (1440, 900, "dark", 0), (1366, 768, "light", 12))
MOST_S = 30.0
MOST_SHARE = 0.01
_WORK = ("Paint", "LayoutRequest", "UpdateRequest", "Resize", "Move", "MetaCall")


@dataclass
class Rest:
    """What happened in a window that nobody touched, for some seconds.

    Attributes:
        seconds: how long it was watched.
        events: how many of each kind.
        share: of a core that the process took, 0 to 1.
    """

    seconds: float
    events: Counter[str]
    share: float

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was laid out or painted, with a timer event a second at the most."""
        is_still = not any(self.events[name] for name in _WORK)
        return is_still and self.events["Timer"] <= self.seconds and self.share <= MOST_SHARE


class Watcher(QObject):
    """Counts the events of all objects but its own."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self._timer = QTimer(self, singleShot=True)
        self._events: Counter[str] = Counter()
        app.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Count, and let pass."""
        if watched is not self._timer and watched is not self:
            self._events[event.type().name] += 1
        return False

    def watch(self, seconds: float) -> Rest:
        """Watch for so long."""
        loop = QEventLoop()
        self._timer.timeout.connect(loop.quit)
        self._events.clear()
        began, worked = time.perf_counter(), time.process_time()
        self._timer.start(round(seconds * 1000))
        loop.exec()
        took, used = time.perf_counter() - began, time.process_time() - worked
        self._timer.timeout.disconnect(loop.quit)
        return Rest(took, Counter(self._events), used / took)

    def rest(self, seconds: float) -> Rest:
        """Watch again and again until nothing happens, or for half a minute."""
        until = time.monotonic() + MOST_S
        found = self.watch(seconds)
        while not found.is_quiet and time.monotonic() < until:
            found = self.watch(seconds)
        return found


def iter_rests(
    project: Path, seconds: float, look: tuple[int, int, str, int]
) -> Iterator[dict[str, Any]]:
    """Yield what each view did at a look while nobody touched it."""
    width, height, theme, extra_px = look
    app = make_application()
    watcher = Watcher(app)
    window = MainWindow(assessor="nobody", theme="light")
    window.apply_theme()
    window.show()
    window.activateWindow()
    install_fonts(app, extra_px=extra_px)
    window.choose_theme(theme)
    window.resize(width, height)
    yield _row("welcome", look, watcher.rest(seconds))
    window.try_open(project)
    for mode in window.views.modes:
        window.views.show(mode)
        yield _row(mode, look, watcher.rest(seconds))
    window.views.show(Mode.LIST)
    window.actions_by_name.action("edit.filter").trigger()
    yield _row("typing", look, watcher.rest(seconds))
    window.close()


def rest_with_hub(project: Path, seconds: float, assessor: str) -> dict[str, Any]:
    """Return what a window did whose project is in step with its hub, where nothing is new."""
    app = make_application()
    watcher = Watcher(app)
    window = MainWindow(assessor=assessor, theme="light")
    window.apply_theme()
    window.show()
    window.try_open(project)
    until = time.monotonic() + 2 * MOST_S
    while window.status.hub.text() != "Hub: in step" and time.monotonic() < until:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    said = window.status.hub.text()
    row = _row(said, LOOKS[0], watcher.rest(seconds))
    window.close()
    return row


def _row(view: str, look: tuple[int, int, str, int], rest: Rest) -> dict[str, Any]:
    return {
        "view": str(view),
        "look": "{}x{} {} +{} px".format(*look),
        "is_quiet": rest.is_quiet,
        "share": rest.share,
        "events": dict(rest.events),
    }


if __name__ == "__main__":
    if "--hub" in sys.argv:
        print(json.dumps(rest_with_hub(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[-1])))
        sys.exit()
    chosen = LOOKS[int(sys.argv[sys.argv.index("--look") + 1])]
    for row in iter_rests(Path(sys.argv[1]), float(sys.argv[2]), chosen):
        print(json.dumps(row), flush=True)
        if "--stop" in sys.argv and not row["is_quiet"]:
            sys.exit()
