"""A project whose bytes are damaged, in the window: nothing ends, and it is said once."""

import importlib
import pkgutil
import subprocess
import sys

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget

import judgetool.gui
from judgetool import gui
from tests.storage.flips import make_used_sample

RAISING = """
import sys
from judgetool.gui.app import make_application
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QListWidget, QStyledItemDelegate

caught = []
sys.excepthook = lambda kind, error, trace: caught.append(error)


class Raising(QStyledItemDelegate):
    def paint(self, painter, option, index):
        pixmap = QPixmap(10, 10)
        inner = QPainter(pixmap)
        raise ValueError("of a stored byte")


app = make_application()
view = QListWidget()
view.addItems(["a", "b"])
view.setItemDelegate(Raising(view))
QTimer.singleShot(0, view.show)
for delay in (50, 100, 150):
    QTimer.singleShot(delay, view.viewport().update)
QTimer.singleShot(300, app.quit)
app.exec()
assert caught and all(isinstance(each, ValueError) for each in caught), caught
caught.clear()
"""

OVERWRITTEN = """
import os, sys
from pathlib import Path
from judgetool.gui.app import make_application
from judgetool.gui.error_report import install_error_hooks
from judgetool.gui.main_window import MainWindow
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest

path, fd = Path(sys.argv[1]), int(sys.argv[2])
told = []
app = make_application()
window = MainWindow(assessor="anna")
window.prompter.tell = lambda text, **_more: told.append(text)
hooks = install_error_hooks(
    lambda: window.prompter, lambda: window,
    lambda error: window.session.damage_behind(error) if window.session else None,
)
window.resize(1200, 800)
assert window.try_open(path)
window.show()
while not window.jobs.is_idle:
    app.processEvents()
os.write(fd, b"x")
os.read(0, 1)
for _ in range(12):
    QTest.keyClick(window, Qt.Key.Key_N)
    QTest.keyClick(window, Qt.Key.Key_BracketRight)
    app.processEvents()
    window.repaint()
assert len(told) == len(set(told)), told
assert hooks.report is None, hooks.report.report
hooks.uninstall()
print("alive", len(told), flush=True)
os._exit(0)
"""


def all_classes():
    """Every class of the window that is one of Qt's."""
    for module in pkgutil.walk_packages(judgetool.gui.__path__, "judgetool.gui."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, QObject):
                yield value


def test_every_class_that_paints_is_guarded(qapp):
    """No method that Qt calls to paint, or to ask a model, can raise into Qt."""
    ours = {cls for cls in all_classes() if cls.__module__.startswith("judgetool.")}
    bare = [
        f"{cls.__name__}.{name}"
        for cls in ours
        for name in gui.GUARDED
        if name in vars(cls) and not hasattr(vars(cls)[name], gui.MARK)
    ]
    assert bare == []
    assert len(ours) > 100


def test_raising_while_painting_ends_nothing():
    """A delegate that raises with a painter at work on a picture of its own only tells of it."""
    done = subprocess.run(
        [sys.executable, "-c", RAISING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_painter_that_was_at_work_is_ended(qtbot):
    """What was painted on may be thrown away after the guard has caught the error."""
    painters = []

    class Raising(QWidget):
        def paintEvent(self, _event):  # noqa: N802 - Qt's name
            pixmap = QPixmap(8, 8)
            inner = QPainter(pixmap)
            painters.append(inner)
            raise IndexError

    widget = Raising()
    qtbot.addWidget(widget)
    with qtbot.captureExceptions() as caught:
        widget.show()
        qtbot.waitUntil(lambda: bool(painters))
    assert not painters[0].isActive()
    assert caught[0][0] is IndexError


@pytest.mark.parametrize("how", ["overwritten", "cut"])
def test_a_file_damaged_while_it_is_open_ends_nothing(tmp_path, how):
    """The window lives on when another program destroys the file under it, and says so once."""
    path = tmp_path / "a.judge"
    make_used_sample(path)
    with subprocess.Popen(
        [sys.executable, "-c", OVERWRITTEN, str(path), "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as window:
        assert window.stdout.read(1) == b"x", window.stderr.read().decode()
        size = path.stat().st_size
        with path.open("r+b") as stream:
            if how == "cut":
                stream.truncate(size // 2)
            else:
                stream.seek(4096 * 2)
                stream.write(b"\xa5" * (size // 2))
        out, error = window.communicate(b"y", timeout=60)
    assert window.returncode == 0, error.decode()
    assert b"alive" in out
