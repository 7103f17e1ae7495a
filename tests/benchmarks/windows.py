"""What the benchmarks of the window share: opening it, keys, and the frames that follow a key."""

import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from judgetool.core import override
from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from tests.helpers.screens import XKeys

PAUSE_MS = 25
# A key that changes nothing is waited for so long.
NOTHING_MS = 500
_NAMES = {
    "z": Qt.Key.Key_Z,
    "j": Qt.Key.Key_J,
    "k": Qt.Key.Key_K,
    "v": Qt.Key.Key_V,
    "bracketright": Qt.Key.Key_BracketRight,
    "bracketleft": Qt.Key.Key_BracketLeft,
    **{str(digit): Qt.Key(Qt.Key.Key_0.value + digit) for digit in range(10)},
}


def percentile(times: list[float], share: float) -> float:
    """Return the time below which this share of all lies."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def show_times(title: str, times: list[float]) -> None:
    """Print p50, p95, p99 and the greatest, in milliseconds; says so where nothing was painted."""
    if not times:
        print(f"{title:<58} n=0    nothing was painted", flush=True)
        return
    marks = " ".join(f"{percentile(times, share) * 1000:7.2f}" for share in (0.5, 0.95, 0.99))
    print(f"{title:<58} n={len(times):<5}{marks} {max(times) * 1000:8.2f}", flush=True)


def print_machine() -> None:
    """Print on what it is measured."""
    screen = os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores,")
    print(f"Qt platform {screen}; times in ms: p50 p95 p99 max")


@contextmanager
def own_home() -> Iterator[Path]:
    """Give the window a home of its own, so that nobody's preferences count."""
    home = Path(tempfile.mkdtemp())
    os.environ["JUDGETOOL_HOME"] = str(home / "home")
    try:
        yield home
    finally:
        shutil.rmtree(home)


@contextmanager
def opened(project: Path) -> Iterator[tuple[MainWindow, float]]:
    """Show the window with a project; yields it, and the seconds until that was painted."""
    app = make_application()
    window = MainWindow(assessor="bench", theme="light")
    window.apply_theme()
    window.resize(1440, 900)
    window.show()
    # Where no window manager does it, keys of the X server would reach nobody.
    window.activateWindow()
    began = time.perf_counter()
    window.try_open(project)
    wait_painted(window)
    took = time.perf_counter() - began
    try:
        yield window, took
    finally:
        window.close()
        app.processEvents()
        window.deleteLater()


def wait_until_idle(window: MainWindow) -> None:
    """Return when nothing runs in the background."""
    if not window.jobs.is_idle:
        loop = QEventLoop()
        window.jobs.changed.connect(lambda: loop.quit() if window.jobs.is_idle else None)
        loop.exec()


class Keys:
    """Presses keys: those of the X server where the window is on one, else Qt's own for tests.

    Args:
        window: has the keyboard.
    """

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._server: XKeys | None = None
        if QGuiApplication.platformName() == "xcb":
            try:
                self._server = XKeys(os.environ["DISPLAY"])
            except OSError as lack:
                print(f"no keys of the X server: {lack}")
        print(f"keys: {'the X server, XTEST' if self._server else 'QTest.keyClick'}", flush=True)

    def press(self, name: str, *, ctrl: bool = False) -> None:
        """Press a key by X's name for it; on X it is on its way when this returns."""
        if self._server is not None:
            self._server.press(f"ctrl+{name}" if ctrl else name)
            return
        held = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self._window.focusWidget() or self._window, _NAMES[name], held)


class Watch(QObject):
    """Notes when frames were painted after a key.

    On X a key arrives some time after it was pressed: what is painted before it is not
    its frame.

    Attributes:
        frames: seconds since the start, and seconds that this thread has worked.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.frames: list[tuple[float, float]] = []
        self._began = self._worked = 0.0
        self._loop = QEventLoop()
        self._is_on_x = QGuiApplication.platformName() == "xcb"
        self._has_arrived = False
        self._quiet_ms = PAUSE_MS
        self._quiet = QTimer(singleShot=True)
        self._quiet.timeout.connect(self._loop.quit)
        window.painted.connect(self._note)
        if self._is_on_x:
            window.windowHandle().installEventFilter(self)

    def start(self) -> None:
        """Begin anew."""
        self.frames = []
        self._has_arrived = not self._is_on_x
        self._began, self._worked = time.perf_counter(), time.thread_time()

    def wait(self, quiet_ms: int) -> None:
        """Return when nothing has been painted for so long, or nothing at all for half a second."""
        self._quiet_ms = quiet_ms
        self._quiet.start(quiet_ms if self.frames else max(quiet_ms, NOTHING_MS))
        self._loop.exec()

    @override
    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Note that the key has come."""
        # A key that a menu takes comes only as the question whether somebody else wants it.
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            self._has_arrived = True
        return False

    def _note(self) -> None:
        if not self._has_arrived:
            return
        now, worked = time.perf_counter(), time.thread_time()
        self.frames.append((now - self._began, worked - self._worked))
        self._quiet.start(self._quiet_ms)


def wait_painted(window: MainWindow) -> bool:
    """Return when everything dirty has been painted and flushed; whether anything was."""
    loop = QEventLoop()

    def note() -> None:
        loop.exit(1)

    window.painted.connect(note)
    # A key at the end of a list changes nothing, so that nothing is painted.
    QTimer.singleShot(NOTHING_MS, loop, loop.quit)
    has_painted = bool(loop.exec())
    window.painted.disconnect(note)
    return has_painted
