"""Dragging in the window at scale: from the pointer's move to the painted frame.

``python -m tests.benchmarks.whatif_window`` prints it; it opens the projects of ``whatif``.
"""

import os
import random
import shutil
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("JUDGETOOL_HOME", tempfile.mkdtemp())

from PySide6.QtCore import QEventLoop, QPoint, Qt
from PySide6.QtTest import QTest

from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from tests.benchmarks.scale_projects import scale_project
from tests.benchmarks.windows import show_times

N_DRAGS = 40
N_MOVES = 15
_LONGEST_S = 2.0


def main() -> None:
    """Print everything."""
    app = make_application()
    print(f"{'':<58} {'':<6}    p50     p95     p99      max  (ms)")
    for name in ("pool", "msmarco"):
        project = scale_project(name)
        if project is None:
            continue
        folder = Path(tempfile.mkdtemp())
        try:
            copy = Path(shutil.copy(project, folder / project.name))
            measure_window(app, copy, name)
        finally:
            shutil.rmtree(folder)


def measure_window(app, path: Path, name: str) -> None:
    """Print what dragging, dropping and another query take in the window."""
    window = MainWindow(assessor="bench", theme="light")
    window.apply_theme()
    window.resize(1440, 900)
    window.show()
    window.try_open(path)
    while not window.jobs.is_idle:
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    bench = Bench(app, window)
    print(f"{name}: view shown after {bench.timed(lambda: window.views.show(Mode.WHATIF)):.1f} ms")
    bench.drag(name)
    bench.drop(name)
    bench.switch(name)
    window.close()


class Bench:
    """One window and what is measured in it."""

    def __init__(self, app, window):
        self.app, self.window = app, window
        self.n_painted = 0
        self.chance = random.Random(1)
        window.painted.connect(self._note)

    def _note(self):
        self.n_painted += 1

    @property
    def board(self):
        """The board of the view."""
        return self.window.views.page(Mode.WHATIF).orders

    def timed(self, act) -> float:
        """Return the ms from before an act until the window has painted."""
        before, started = self.n_painted, time.perf_counter()
        act()
        while self.n_painted == before and time.perf_counter() - started < _LONGEST_S:
            self.app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        return (time.perf_counter() - started) * 1000

    def rest(self, ms: int) -> None:
        """Let the window do what it has put off."""
        until = time.perf_counter() + ms / 1000
        while time.perf_counter() < until:
            self.app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 2)

    def drag(self, name: str) -> None:
        """Cards over random places that are seen, and over the next ones."""
        far, near = [], []
        for _ in range(N_DRAGS):
            board, view = self.board, self.board.viewport()
            board.bar.setValue(self.chance.randint(0, max(0, board.bar.maximum())))
            self.rest(20)
            seen = [
                row
                for row in range(len(board.cards.order))
                if 0 <= board.delegate.card_rect(row).center().y() < view.height() - 60
            ]
            if len(seen) < 2:
                continue
            at = board.delegate.card_rect(self.chance.choice(seen)).center()
            QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=at)
            QTest.mouseMove(view, at + QPoint(0, 12))
            for move in range(N_MOVES):
                step = self.chance.choice((-66, 66)) if move % 2 else None
                y = self.chance.randint(50, view.height() - 60) if step is None else at.y() + step
                at = QPoint(at.x(), min(max(y, 50), view.height() - 60))
                place = board.carry.place
                took = self.timed(lambda to=at, over=view: QTest.mouseMove(over, to))
                if board.carry.place != place:
                    (far if step is None else near).append(took / 1000)
                self.rest(10)
            board.put_back()
            QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at)
        show_times(f"{name}: card over the next place, painted", near)
        show_times(f"{name}: card over any place that is seen, painted", far)

    def drop(self, name: str) -> None:
        """A card dropped: saved, computed, painted."""
        ranking, times = self.window.views.page(Mode.WHATIF).ranking, []
        for _ in range(20):
            order = ranking.orders.order
            if len(order) < 3:
                continue
            document = order[self.chance.randrange(1, min(len(order), 40))]
            rank = self.chance.randint(1, 10)
            times.append(self.timed(lambda d=document, r=rank: ranking.move(d, r)) / 1000)
            self.rest(40)
        show_times(f"{name}: card dropped, saved, painted", times)

    def switch(self, name: str) -> None:
        """Another query in the view."""
        judging, times = self.window.view.judging, []
        for _ in range(20):
            times.append(self.timed(lambda: judging.move_query_by(1)) / 1000)
            self.rest(60)
        show_times(f"{name}: another query, painted", times)


if __name__ == "__main__":
    main()
