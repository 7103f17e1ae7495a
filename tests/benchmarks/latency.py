"""Key press to painted panel, durable commit included, in the real window; and how fast it starts.

``painted`` is the frame in which live values, card, document and grade bar show what the
key did. Intervals, explanation and the session's course follow with the next frame:
``caught up`` is when that one has been painted too. Between keys the window has
``PAUSE_MS`` of quiet, as with a person; ``without a pause`` the next key comes at once.
``cpu`` is what the window's thread has worked until ``painted``: it stays the same when
the machine is busy with other things.

The window runs on the platform that the environment says (offscreen where it says
nothing); ``QT_QPA_PLATFORM=xcb`` under Xvfb measures a real one.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest

from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from tests.benchmarks.scale_projects import scale_project

N_KEYS = 300
N_STARTS = 5
PAUSE_MS = 25


def percentile(times: list[float], share: float) -> float:
    """Return the time below which this share of all lies."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def show_times(title: str, times: list[float]) -> None:
    """Print p50, p95, p99 and the greatest, in milliseconds."""
    marks = " ".join(f"{percentile(times, share) * 1000:7.2f}" for share in (0.5, 0.95, 0.99))
    print(f"{title:<58} n={len(times):<5}{marks} {max(times) * 1000:8.2f}", flush=True)


def measure_keys(project: Path) -> None:
    """Drive the window with real key events and print what they took."""
    copy = Path(tempfile.mkdtemp()) / project.name
    shutil.copy(project, copy)
    app = make_application()
    window = MainWindow(assessor="bench", theme="light")
    window.apply_theme()
    window.resize(1440, 900)
    window.show()
    began = time.perf_counter()
    window.try_open(copy)
    wait_painted(window)
    print(f"{project.stem}: opened and painted in {time.perf_counter() - began:.3f} s")
    loop = QEventLoop()
    window.jobs.changed.connect(lambda: loop.quit() if window.jobs.is_idle else None)
    if not window.jobs.is_idle:
        loop.exec()
    for title, press in _keys(window).items():
        name = f"{project.stem}: {title}"
        measure_with_pauses(window, name, press)
    for title, press in _keys(window).items():
        times = []
        for turn in range(N_KEYS):
            start = time.perf_counter()
            press(turn)
            wait_painted(window)
            times.append(time.perf_counter() - start)
        show_times(f"{project.stem}: {title}, without a pause → painted", times)
    window.close()
    app.processEvents()
    shutil.rmtree(copy.parent)


def _keys(window) -> dict[str, Callable[[int], None]]:
    """Return what is measured: presses a key, given how many have been pressed."""
    table, ctrl = window.workspace.results.table, Qt.KeyboardModifier.ControlModifier
    key = Qt.Key
    return {
        "grade, save, move on": lambda i: QTest.keyClick(table, (key.Key_0, key.Key_1)[i % 2]),
        "undo": lambda _i: QTest.keyClick(table, key.Key_Z, ctrl),
        "down the list": lambda i: QTest.keyClick(table, key.Key_J if i % 40 < 20 else key.Key_K),
        "next, previous query": lambda i: QTest.keyClick(
            table, key.Key_BracketRight if i % 40 < 20 else key.Key_BracketLeft
        ),
    }


def measure_with_pauses(window, name: str, press: Callable[[int], None]) -> None:
    """Press keys as a person does, and print when the window had painted what they did."""
    watch = Watch(window)
    times, switches, caught_up, cpu = [], [], [], []
    for turn in range(N_KEYS):
        query = window.view.judging.query
        watch.start()
        press(turn)
        watch.wait(PAUSE_MS)
        if not watch.frames:
            continue
        (painted, worked), (last, _) = watch.frames[0], watch.frames[-1]
        has_switched = window.view.judging.query != query
        (switches if has_switched else times).append(painted)
        caught_up.append(last)
        cpu.append(worked)
    show_times(f"{name} → painted", times + switches)
    if times and switches:
        show_times("    of these, to another query", switches)
    show_times("    → caught up", caught_up)
    show_times("    cpu → painted", cpu)


class Watch:
    """Notes when frames were painted after a key.

    Attributes:
        frames: seconds since the start, and seconds that this thread has worked.
    """

    def __init__(self, window) -> None:
        self.frames: list[tuple[float, float]] = []
        self._began = self._worked = 0.0
        self._loop = QEventLoop()
        self._quiet = QTimer(singleShot=True)
        self._quiet.timeout.connect(self._loop.quit)
        window.painted.connect(self._note)

    def start(self) -> None:
        """Begin anew."""
        self.frames = []
        self._began, self._worked = time.perf_counter(), time.thread_time()

    def wait(self, quiet_ms: int) -> None:
        """Return when nothing has been painted for so long."""
        self._quiet.start(quiet_ms)
        self._loop.exec()

    def _note(self) -> None:
        now, worked = time.perf_counter(), time.thread_time()
        self.frames.append((now - self._began, worked - self._worked))
        if self._quiet.isActive():
            self._quiet.start()


def wait_painted(window) -> None:
    """Return when everything dirty has been painted and flushed."""
    loop = QEventLoop()
    window.painted.connect(loop.quit)
    # A key at the end of a list changes nothing, so that nothing is painted.
    QTimer.singleShot(2_000, loop.quit)
    loop.exec()
    window.painted.disconnect(loop.quit)


def measure_start(project: Path | None) -> float:
    """Return the seconds from the start of a process to its painted window."""
    began = time.monotonic()
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from judgetool.gui.app import make_application\n"
        "from judgetool.gui.main_window import MainWindow\n"
        "app = make_application()\n"
        "window = MainWindow(assessor='bench')\n"
        "window.apply_theme()\n"
        "window.resize(1440, 900)\n"
        "if sys.argv[1]: window.try_open(Path(sys.argv[1]))\n"
        "window.painted.connect(lambda: (print(time.monotonic()), app.quit()))\n"
        "window.show()\n"
        "app.exec()\n"
        "window.close()\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(project or "")], capture_output=True, text=True, check=True
    )
    return float(told.stdout.split()[0]) - began


def main() -> None:
    """Print everything."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    home = tempfile.mkdtemp()
    os.environ["JUDGETOOL_HOME"] = home
    print(f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores,")
    print(f"Qt platform {os.environ['QT_QPA_PLATFORM']}; times in ms: p50 p95 p99 max")
    projects = [found for name in ("msmarco", "pool") if (found := scale_project(name))]
    show_times("start → painted welcome", [measure_start(None) for _ in range(N_STARTS)])
    for project in projects:
        title = f"start with {project.stem} → painted"
        show_times(title, [measure_start(project) for _ in range(N_STARTS)])
    for project in projects:
        measure_keys(project)
    shutil.rmtree(home)
