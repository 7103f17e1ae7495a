"""Compare with ten runs by ten measures: for how long each act keeps the window from answering.

``python -m tests.benchmarks compare-window`` prints it, over the published shop collection.
"""

import os
import random
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("JUDGETOOL_HOME", tempfile.mkdtemp())

from PySide6.QtCore import QEventLoop, Qt, QThread
from PySide6.QtTest import QTest

from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from tests.helpers.program import must
from tests.helpers.shared import SHARED

_CALM_S, _LONGEST_S = 0.1, 120.0


def main() -> None:
    """Print everything; the figures are processor time of the window's thread."""
    data = SHARED / "data" / "icecat-shop"
    if not data.exists():
        print("The reference data is not beside the checkout.")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = ten_runs(data, Path(folder))
        app = make_application()
        window = MainWindow(assessor="bench", theme="light")
        window.apply_theme()
        window.resize(1920, 1080)
        window.show()
        window.try_open(path)
        settle(app, window)
        measure(app, window)
        window.close()


def ten_runs(data: Path, folder: Path) -> Path:
    """Make a project of the collection's seven runs and three that are made of one, with long names."""
    runs = sorted((data / "runs").iterdir())
    for number in range(1, 4):
        chance = random.Random(number)
        name = f"hybrid-dense-rrf-k60-title-body-reranked-by-cross-encoder-2026-0{number}"
        lines = [line.split() for line in runs[0].read_text("utf-8").splitlines()]
        made = (
            f"{q} Q0 {d} 0 {float(s) * chance.uniform(0.7, 1.3)} {name}"
            for q, _, d, _, s, _ in lines
        )
        runs.append(folder / f"{name}.run")
        runs[-1].write_text("\n".join(made), encoding="utf-8")
    path, judged = folder / "ten.judge", data / "qrels" / "combined.qrels"
    must("new", path, "--scale", "0-3")
    must("import", path, "--queries", data / "queries.jsonl", "--qrels", judged, "--run", *runs)
    return path


def settle(app, window) -> float:
    """Let the window do what it has put off; return the longest that it was busy with at once, in s."""
    worst, calm = 0.0, time.monotonic()
    until = calm + _LONGEST_S
    while time.monotonic() < min(until, calm + _CALM_S):
        started = time.thread_time()
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 2)
        took = time.thread_time() - started
        worst = max(worst, took)
        calm = calm if took < 0.002 and window.jobs.is_idle else time.monotonic()
        QThread.msleep(1)
    return worst


def measure(app, window) -> None:
    """Print what each act takes itself, and the longest of what follows."""

    def act(name, do) -> None:
        started = time.thread_time()
        do()
        took = time.thread_time() - started
        after = settle(app, window)
        print(f"{name:<30} {took * 1000:6.1f}   then at most {after * 1000:6.1f}  (ms)")

    act("the view, first time", lambda: window.views.show(Mode.COMPARE))
    page = window.views.page(Mode.COMPARE)
    compared, table = page.compared, page.table
    act("a row down", lambda: QTest.keyClick(table, Qt.Key.Key_Down))
    act("a measure to the right", lambda: QTest.keyClick(table, Qt.Key.Key_Right))
    act("ordered by a column", lambda: table.sort_by(3))
    for part in ("curves", "explain", "next", "rankings"):
        act(part, lambda shown=part: page.show_part(shown))
    act("curves of all queries", page.query.toggle_scope)
    act("some queries", lambda: compared.choose_where("text:phone"))
    act("all queries", lambda: compared.choose_where(""))
    act("another baseline", lambda: compared.choose_baseline(compared.systems[3].key))
    act("three measures", lambda: compared.choose_columns(("AP", "RR", "nDCG@10")))
    act("all measures", lambda: compared.choose_columns(()))
    act("a smaller window", lambda: window.resize(1100, 760))


if __name__ == "__main__":
    main()
