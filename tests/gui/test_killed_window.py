"""A window killed while commands read beside it: what it called saved is there."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from judgetool.session.opening import open_project
from tests.helpers.builders import make_project, simple_parts

_WINDOW = """
import sys
from pathlib import Path
from PySide6.QtWidgets import QTreeView
from judgetool.gui.app import make_application
from judgetool.gui.main_window import MainWindow
from judgetool.gui.dialogs.prompter import FileDialog

app = make_application()
window = MainWindow(assessor="anna")
path = Path(sys.argv[1])
assert window.try_open(path)
window.show()
for line in sys.stdin:
    if line.strip() == "dialog":
        dialog = FileDialog(window, "Open", "All files (*)", start=path.parent)
        dialog.show()
        tree = dialog.findChild(QTreeView)
        while not tree.model().index(0, 2, tree.rootIndex()).data():
            app.processEvents()
        dialog.close()
    elif line.strip() == "place":
        # What was to be kept of it by now is on the disk.
        assert window.state.sync()
        print(*window.view.place, flush=True)
        continue
    else:
        window.judge_handler.grade(float(line), origin="click")
    print(window.status.save.text, len(window.session.iter_judgments()), flush=True)
"""


@contextmanager
def killed_window(path):
    """Start a window in a process of its own, have it do things, and kill it at the end."""
    window = subprocess.Popen(
        [sys.executable, "-c", _WINDOW, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )

    def do(what):
        window.stdin.write(what + "\n")
        window.stdin.flush()
        return window.stdout.readline()

    try:
        yield do
    finally:
        os.kill(window.pid, signal.SIGKILL)
        window.wait()
        window.stdin.close()
        window.stdout.close()


COMMANDS = [
    ("show {0}",),
    ("export {0} --qrels {1}.txt", "check {0}"),
    ("score --project {0}", "effort {0}", "report {0} {1}.html", "backups {0}"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
@pytest.mark.parametrize("commands", COMMANDS)
def test_reading_beside_a_window_loses_nothing(tmp_path, commands):
    """Grades before and after a dialog and reading commands are there after kill -9."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with killed_window(path) as do:
        assert do("2").split()[::2] == ["Saved", "1"]
        do("dialog")
        for command in commands:
            words = [word.format(path, tmp_path / "out") for word in command.split()]
            subprocess.run(
                [sys.executable, "-m", "judgetool", *words], check=True, capture_output=True
            )
        assert do("3").split()[::2] == ["Saved", "2"]
        assert do("1").split()[::2] == ["Saved", "3"]
    with open_project(path, read_only=True) as session:
        assert [said.judgment.grade for _, _, said, _ in session.iter_judgments()] == [
            2.0,
            3.0,
            1.0,
        ]


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_a_killed_window_opens_where_the_last_judgment_led(tmp_path):
    """After kill -9 the next window stands behind the document judged last, not where it began."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with killed_window(path) as do:
        first = do("place")
        for grade in "213":
            do(grade)
        place = do("place")
    assert place != first
    with killed_window(path) as do:
        assert do("place") == place
