"""Key press to painted panel, durable commit included, in the real window; and how fast it starts.

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
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest

from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from tests.benchmarks.scale_projects import scale_project

N_KEYS = 300
N_STARTS = 5


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
    target = window.workspace.results.table
    keys = {
        "grade, save, move on → painted": lambda i: (Qt.Key.Key_0, Qt.Key.Key_1)[i % 2],
        "undo → painted": lambda _i: "undo",
        "down the list → painted": lambda i: Qt.Key.Key_J if i % 40 < 20 else Qt.Key.Key_K,
        "next, previous query → painted": lambda i: (
            Qt.Key.Key_BracketRight if i % 40 < 20 else Qt.Key.Key_BracketLeft
        ),
    }
    for title, key_of in keys.items():
        times = []
        for turn in range(N_KEYS):
            key = key_of(turn)
            start = time.perf_counter()
            if key == "undo":
                QTest.keyClick(target, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
            else:
                QTest.keyClick(target, key)
            wait_painted(window)
            times.append(time.perf_counter() - start)
        show_times(f"{project.stem}: {title}", times)
    window.close()
    app.processEvents()
    shutil.rmtree(copy.parent)


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
