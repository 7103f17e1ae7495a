"""Imports of full size in the real window: the longest block of its event loop, and judging meanwhile.

A timer of five milliseconds is the pulse; a pause between two beats is a block. Every
quarter of a second a grade is pressed, and the time until it is durable and its values
are computed is its latency. What the key's own work takes is part of both.
"""

import gc
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtTest import QTest

from judgetool.core.scale import scale_preset
from judgetool.formats import read_file
from judgetool.gui.app import make_application
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.main_window import MainWindow
from judgetool.resources import resource_path
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from tests.benchmarks.scale_projects import scale_data
from tests.benchmarks.windows import percentile, wait_until_idle

BEAT_MS = 5
JUDGE_EVERY_S = 0.25
LONG_S = 0.05


class Pulse(QObject):
    """Beats on the event loop, notes the pauses, and presses a grade now and then."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window = window
        self._timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._last = self._judged_at = 0.0
        self._grade = 0
        self.phase = ""
        self.judges = False
        self.pauses: dict[str, list[float]] = {}
        self.latencies: list[float] = []

    def start(self) -> None:
        """Begin to beat."""
        self._last = self._judged_at = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.pauses.setdefault(self.phase, []).append(now - self._last)
        self._last = now
        if self.judges and now - self._judged_at > JUDGE_EVERY_S:
            self._judged_at = now
            self._judge()

    def _judge(self) -> None:
        self._grade = 1 - self._grade
        before = self._window.session.undo_step
        began = time.perf_counter()
        key = (Qt.Key.Key_0, Qt.Key.Key_1)[self._grade]
        QTest.keyClick(self._window.workspace.results.table, key)
        taken = time.perf_counter() - began
        if self._window.session.undo_step != before:
            self.latencies.append(taken)


@contextmanager
def opened_sample(folder: Path) -> Iterator[MainWindow]:
    """Show the window on a copy of the sample."""
    project = folder / "judging.judge"
    create_project(project, scale=scale_preset("0-3"))
    sample = resource_path("sample")
    files = [
        sample / "queries.jsonl",
        sample / "documents.jsonl",
        *sorted((sample / "runs").iterdir()),
    ]
    with open_project(project) as session:
        import_readings(session, [read_file(path) for path in files])
    window = MainWindow(assessor="bench", theme="light")
    window.apply_theme()
    window.resize(1440, 900)
    window.show()
    window.try_open(project)
    wait_until_idle(window)
    try:
        yield window
    finally:
        window.close()
        window.deleteLater()


def import_in_window(title: str, path: Path) -> None:
    """Import a file while judging, and print what the window felt of it."""
    with tempfile.TemporaryDirectory() as folder, opened_sample(Path(folder)) as window:
        pulse = Pulse(window)
        dialog = ImportDialog(window.session, window.jobs, window.prompter).above(window)
        dialog.show()
        gc.collect()
        pulse.start()
        loop = QEventLoop()
        began = time.perf_counter()
        pulse.phase = "reading"
        dialog.work.planned.connect(lambda: loop.quit() if dialog.work.plan else None)
        dialog.add_files([path])
        loop.exec()
        read = time.perf_counter() - began
        pulse.phase, pulse.judges = "writing", True
        dialog.ended.connect(loop.quit)
        dialog.verb.click()
        window.activateWindow()
        loop.exec()
        written = time.perf_counter() - began - read
        pulse.judges, pulse.phase = False, "after"
        QTimer.singleShot(500, loop.quit)
        loop.exec()
        pulse.stop()
        print(f"{title}: read in {read:.1f} s, written in {written:.1f} s: {dialog.answer}")
        for phase, pauses in pulse.pauses.items():
            n_long = sum(pause > LONG_S for pause in pauses)
            print(
                f"  {phase:<8} longest block {max(pauses) * 1000:7.1f} ms, "
                f"{n_long} of {len(pauses):,} over {LONG_S * 1000:.0f} ms, "
                f"p99 {percentile(pauses, 0.99) * 1000:.1f} ms"
            )
        if pulse.latencies:
            marks = " ".join(
                f"{percentile(pulse.latencies, share) * 1000:.1f}" for share in (0.5, 0.95, 1.0)
            )
            print(
                f"  {len(pulse.latencies)} judgments meanwhile, p50, p95 and longest: {marks} ms",
                flush=True,
            )
        dialog.deleteLater()


def main() -> None:
    """Print what each import does to the window."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    home = tempfile.mkdtemp()
    os.environ["JUDGETOOL_HOME"] = home
    app = make_application()
    if (msmarco := scale_data("msmarco")) is not None:
        import_in_window("6.98 million results", msmarco / "run.trec")
    if (corpus := scale_data("corpus")) is not None:
        import_in_window("1,000,000 documents", corpus / "corpus.jsonl")
    app.processEvents()
    shutil.rmtree(home)
