"""Start: from the call of the program until its window has been painted with a project.

A process of its own each time, in turn with one that does nothing but show a table of Qt,
which is what any program of its kind has to wait for. The first round is not counted: it
fills the system's file cache and Python's kept code, as an installed program has it.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.scale_projects import scale_project
from tests.benchmarks.windows import own_home, print_machine

N_ROUNDS = 9
_OURS = """
import sys, time
from judgetool import __main__ as program
program.prepare()
from judgetool.gui import app
from PySide6.QtWidgets import QApplication
show = app.MainWindow.show
def shown(window):
    def note():
        print(time.perf_counter(), flush=True)
        QApplication.exit(0)
    window.painted.connect(note)
    show(window)
app.MainWindow.show = shown
sys.argv = ["judgetool", "open", *sys.argv[1:], "--assessor", "bench"]
program.main()
"""
_BARE = """
import sys, time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QTableWidget
app = QApplication(sys.argv)
window = QMainWindow()
class Table(QTableWidget):
    def paintEvent(self, event):
        super().paintEvent(event)
        QTimer.singleShot(0, note)
def note():
    print(time.perf_counter(), flush=True)
    app.exit(0)
window.setCentralWidget(Table(20, 5))
window.resize(1440, 900)
window.show()
app.exec()
"""


def main() -> None:
    """Start each in turn, and print from call to painted window."""
    print_machine()
    with own_home() as home, tempfile.TemporaryDirectory() as compiled:
        commands = {
            "judgetool, the sample": [_OURS, str(_make_sample(home))],
            "judgetool, a pool of 1,500 documents a query": [_OURS, str(scale_project("pool"))],
            "judgetool, the welcome": [_OURS],
            "a bare table of Qt": [_BARE],
        }
        environment = {
            **os.environ,
            "JUDGETOOL_HOME": str(home / "home"),
            "PYTHONPYCACHEPREFIX": compiled,
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(N_ROUNDS + 1):
            for name, (code, *words) in commands.items():
                took = _seconds_to_painted([sys.executable, "-c", code, *words], environment)
                if number:
                    taken[name].append(took)
    print(f"  {'':<46}{'median s':>9}{'least s':>9}{'most s':>9}")
    for name, times in taken.items():
        ends = f"{statistics.median(times):9.2f}{min(times):9.2f}{max(times):9.2f}"
        print(f"  {name:<46}{ends}", flush=True)


def _make_sample(folder: Path) -> Path:
    project, picture = folder / "sample.judge", folder / "sample.png"
    words = ["demo", str(project), "--screenshot", str(picture)]
    subprocess.run([sys.executable, "-m", "judgetool", *words], check=True)
    return project


def _seconds_to_painted(command: list[str], environment: dict[str, str]) -> float:
    """Return how long a program takes that prints the system's clock once it has painted.

    Raises:
        subprocess.CalledProcessError: it did not end well.
    """
    # The clock counts from the start of the machine: two processes can compare what it says.
    began = time.perf_counter()
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    return float(ended.stdout.split()[-1]) - began
