"""The guards of tests/conftest.py fail bad tests."""

import shutil
import subprocess
import sys

import pytest

BAD = """
import logging

import pytest
from PySide6.QtWidgets import QMessageBox, QWidget


def test_warns():
    logging.getLogger("judgetool.somewhere").warning("something went on")


def test_announces(caplog):
    with caplog.at_level("WARNING", logger="judgetool"):
        logging.getLogger("judgetool.somewhere").warning("something went on")


def test_leaves_a_window(qapp):
    global left
    left = QWidget()
    left.show()


def test_asks(qtbot):
    QMessageBox.question(None, "Sure?", "Sure?")


def test_behaves(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory, checkout):
    """What pytest says of some bad tests and some good ones, under our guards."""
    folder = tmp_path_factory.mktemp("guards")
    shutil.copy(checkout / "tests" / "conftest.py", folder)
    (folder / "test_bad.py").write_text(BAD, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = gui: Qt\n", encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout


@pytest.mark.parametrize(
    ("name", "outcome", "reason"),
    [
        ("test_warns", "ERROR", "something went on"),
        ("test_leaves_a_window", "ERROR", "windows were left open"),
        ("test_asks", "FAILED", "QMessageBox.question would wait"),
        ("test_announces", "PASSED", ""),
        ("test_behaves", "PASSED", ""),
    ],
)
def test_guard_notices(report, name, outcome, reason):
    """A warning, a window left open and a modal dialog fail a test; good tests pass."""
    lines = [line for line in report.splitlines() if f"::{name}" in line]
    assert any(line.startswith(outcome) for line in lines), report
    if outcome == "PASSED":
        assert not any(line.startswith(("ERROR", "FAILED")) for line in lines)
    assert reason in report
