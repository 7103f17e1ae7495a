"""Key press to painted panel, durable commit included, in the real window; and how fast it starts.

``painted`` is the frame in which live values, card, document and grade bar show what the
key did. Intervals, explanation and the session's course follow with the next frame:
``caught up`` is when that one has been painted too. Between keys the window has
``PAUSE_MS`` of quiet, as with a person; ``without a pause`` the next key comes at once.
``cpu`` is what the window's thread has worked until ``painted``: it stays the same when
the machine is busy with other things.

On xcb the keys come from the X server (XTEST), so that their way to the window counts.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.scale_projects import scale_project
from tests.benchmarks.windows import (
    PAUSE_MS,
    Keys,
    Watch,
    opened,
    own_home,
    print_machine,
    show_times,
    wait_painted,
    wait_until_idle,
)

N_KEYS = 300
N_STARTS = 5


def measure_keys(project: Path) -> None:
    """Drive the window with real key events and print what they took."""
    copy = Path(tempfile.mkdtemp()) / project.name
    shutil.copy(project, copy)
    with opened(copy) as (window, took):
        print(f"{project.stem}: opened and painted in {took:.3f} s")
        wait_until_idle(window)
        keys = Keys(window)
        for title, press in _keys(keys).items():
            measure_with_pauses(window, f"{project.stem}: {title}", press)
        for title, press in _keys(keys).items():
            times = []
            for turn in range(N_KEYS):
                start = time.perf_counter()
                press(turn)
                if wait_painted(window):
                    times.append(time.perf_counter() - start)
            show_times(f"{project.stem}: {title}, without a pause → painted", times)
    shutil.rmtree(copy.parent)


def _keys(keys: Keys) -> dict[str, Callable[[int], None]]:
    """Return what is measured: presses a key, given how many have been pressed."""
    return {
        "grade, save, move on": lambda i: keys.press("01"[i % 2]),
        "undo": lambda _i: keys.press("z", ctrl=True),
        "down the list": lambda i: keys.press("j" if i % 40 < 20 else "k"),
        "next, previous query": lambda i: keys.press(
            "bracketright" if i % 40 < 20 else "bracketleft"
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
    print_machine()
    with own_home():
        projects = [found for name in ("msmarco", "pool") if (found := scale_project(name))]
        show_times("start → painted welcome", [measure_start(None) for _ in range(N_STARTS)])
        for project in projects:
            title = f"start with {project.stem} → painted"
            show_times(title, [measure_start(project) for _ in range(N_STARTS)])
        for project in projects:
            measure_keys(project)
