"""A window that the system ends: its project is closed as a person would close it."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from judgetool.session.opening import open_project
from tests.helpers.builders import make_project, simple_parts

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")

_WINDOW = """
import signal
import sys
from pathlib import Path

# Who starts the tests may have it ignored, as nohup does, which a window respects.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from PySide6.QtCore import QSocketNotifier
from PySide6.QtWidgets import QMessageBox
from judgetool.gui.app import make_application, run_window
from judgetool.gui.main_window import MainWindow

app = make_application()

def obey():
    what = sys.stdin.readline().strip()
    window = next(each for each in app.topLevelWidgets() if isinstance(each, MainWindow))
    if what == "dialog":
        print("open", flush=True)
        QMessageBox(window).exec()
        return
    window.judge_handler.grade(float(what), origin="click")
    print(window.status.save.text, flush=True)

hearing = QSocketNotifier(0, QSocketNotifier.Type.Read)
hearing.activated.connect(obey)
sys.exit(run_window(Path(sys.argv[1]), assessor="anna"))
"""


def end_window(path, number, *orders):
    """Show a window in a process of its own, have it do things, end it; return its exit code."""
    window = subprocess.Popen(
        [sys.executable, "-c", _WINDOW, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    try:
        for order in orders:
            window.stdin.write(order + "\n")
            window.stdin.flush()
            assert window.stdout.readline()
        window.send_signal(number)
        return window.wait(timeout=60)
    finally:
        window.kill()
        window.wait()
        window.stdin.close()
        window.stdout.close()


def n_judged_alone(path, folder):
    """Return how many judgments a copy of the file alone has, without what stands beside it."""
    folder.mkdir()
    copy = folder / "alone.judge"
    shutil.copy(path, copy)
    with open_project(copy, read_only=True) as session:
        return len(session.iter_judgments())


@pytest.fixture
def project(tmp_path):
    """A project in which nothing is judged."""
    with make_project(tmp_path, simple_parts()) as session:
        return session.path


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_window_that_is_ended_leaves_its_grades_in_the_file(project, tmp_path, name):
    """A copy of the file alone has all of them."""
    number = getattr(signal, name)
    assert end_window(project, number, "1", "2", "3") == 128 + number
    assert n_judged_alone(project, tmp_path / "copy") == 3


def test_a_window_that_is_ended_leaves_nothing_beside_the_file(project):
    """As after closing it by hand."""
    end_window(project, signal.SIGTERM, "1")
    assert not project.with_name(f"{project.name}-wal").exists()


def test_a_window_is_ended_with_a_dialog_before_it(project, tmp_path):
    """Nobody is there to answer."""
    assert end_window(project, signal.SIGTERM, "1", "dialog") == 128 + signal.SIGTERM
    assert n_judged_alone(project, tmp_path / "copy") == 1
