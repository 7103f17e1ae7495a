"""Check & repair, Restore a backup and Recover, from the menu, without a terminal."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys

import pytest

from judgetool.core.clock import moment_text
from judgetool.core.system import data_folder
from judgetool.gui.dialogs.choose import ChooseDialog
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project, list_project_backups
from judgetool.storage.safety_log import log_paths
from tests.gui.window_fixtures import opened_window
from tests.helpers.fake_prompter import FakePrompter
from tests.session.test_importing_killed import KILLED
from tests.storage.flips import make_used_sample

PAGE = 4096
JUDGED_AND_KILLED = """
import os, signal, sys
from pathlib import Path
from judgetool.session.commands import Say
from judgetool.session.opening import open_project

session = open_project(Path(sys.argv[1]), assessor="anna")
session.execute(Say.grade(0, 5, 3.0))
os.kill(os.getpid(), signal.SIGKILL)
"""

RECOVERED_AT_THE_START = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from judgetool.gui import app
from tests.helpers.fake_prompter import FakePrompter

path, target = map(Path, sys.argv[1:])


class Window(app.MainWindow):
    def __init__(self, **how):
        super().__init__(**how)
        self.prompter = FakePrompter(answers=["recover"], places=[target])
        self.timer = QTimer(interval=10)
        self.timer.timeout.connect(self.look)
        self.timer.start()

    def look(self):
        said = self.status.message.text
        if self.session is not None and "is open now" in said:
            print(self.session.path, said)
            QApplication.exit(0)


app.MainWindow = Window
sys.exit(app.run_window(path, assessor="anna"))
"""


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "a.judge"
    make_used_sample(path)
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(0, 5, 2.0))
    return path


def damage(path, kind=13):
    """Destroy one page of a tree of this kind."""
    content = path.read_bytes()
    number = [n for n in range(2, len(content) // PAGE) if content[n * PAGE] == kind][-1]
    noise = random.Random(1).randbytes(PAGE)
    path.write_bytes(content[: number * PAGE] + noise + content[(number + 1) * PAGE :])


def do(window, name):
    window.actions_by_name.action(name).trigger()


def test_a_sound_project_is_called_sound(qtbot, project):
    """'Check & repair…' says so, with what is in it."""
    with opened_window(qtbot, project) as window:
        do(window, "repair.check")
        qtbot.waitUntil(lambda: bool(window.prompter.told))
        assert "a.judge is sound." in window.prompter.told[0]


def test_damaged_lines_of_the_safety_log_are_told(qtbot, project):
    """'Check & repair…' says of a sound project how many lines of its log cannot be read."""
    with opened_window(qtbot, project) as window:
        (log,) = log_paths(window.session.uuid)
        first, *others = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join([first, b"{torn\n", *others]))
        do(window, "repair.check")
        qtbot.waitUntil(lambda: bool(window.prompter.told))
        assert "a.judge is sound." in window.prompter.told[0]
        assert "1 line that cannot be read" in window.prompter.told[0]


def test_a_damaged_project_is_recovered_from_the_menu(qtbot, project, tmp_path):
    """The check names the damage and proposes ways; Recover writes a sound new file and opens it."""
    target = tmp_path / "new.judge"
    damage(project)
    before = project.read_bytes()
    with opened_window(qtbot) as window:
        window.prompter = FakePrompter(files=[[project]], answers=["recover"], places=[target])
        do(window, "repair.check")
        qtbot.waitUntil(lambda: window.session is not None)
        assert window.session.path == target
    assert check_project(target).problems == []
    assert project.read_bytes() == before


def test_a_project_cut_within_its_last_page_does_not_open(qtbot, project):
    """It is called damaged, as any other that is; nobody grades in what is left of it."""
    project.write_bytes(project.read_bytes()[:-968])
    with opened_window(qtbot) as window:
        window.prompter = FakePrompter(answers=[None])
        window.try_open(project)
        assert window.session is None
        asked, choices = window.prompter.asked[0]
        assert "its end is missing" in asked
        newest = list_project_backups(str(project))[0]
        assert asked.endswith(f"The newest backup of it is of {moment_text(newest.at)}.")
        assert "‘judgetool" not in asked
        assert "Restore a backup…" in choices


def test_no_backup_is_offered_where_there_is_none(qtbot, project):
    """The dialog has the ways that lead on, and no others."""
    shutil.rmtree(data_folder() / "backups")
    project.write_bytes(project.read_bytes()[:-968])
    with opened_window(qtbot) as window:
        window.prompter = FakePrompter(answers=[None])
        window.try_open(project)
        asked, choices = window.prompter.asked[0]
        assert "There is no backup of it on this machine." in asked
        assert choices == ("Repair in its place", "Recover as…")


def test_a_damaged_project_is_repaired_in_its_place(qtbot, project):
    """'Repair in its place': the same name is sound and open; the damaged file is kept, and named."""
    damage(project)
    before = project.read_bytes()
    with opened_window(qtbot, project) as window:
        was_open = window.session
        window.prompter = FakePrompter(files=[[project]], answers=["repair"])
        do(window, "repair.check")
        qtbot.waitUntil(lambda: "is kept as" in window.status.message.text)
        assert window.session.path == project
        assert window.session is not was_open
        (kept,) = project.parent.glob("a.judge.damaged-*")
        assert kept.name in window.status.message.text
        assert kept.read_bytes() == before
    assert check_project(project).problems == []


def test_what_cannot_make_way_is_open_again(qtbot, project):
    """A sound project chosen as the place is not written over, and is open as before."""
    with opened_window(qtbot, project) as window:
        window.prompter = FakePrompter(places=[project])
        do(window, "repair.recover")
        qtbot.waitUntil(lambda: bool(window.prompter.told))
        assert "is sound" in window.prompter.told[0]
        qtbot.waitUntil(lambda: window.session is not None)
        assert window.session.path == project


def test_a_backup_is_restored_from_the_menu(qtbot, project, tmp_path, monkeypatch):
    """The chosen backup stands under a new name and is open; the project is as it was."""
    target = tmp_path / "old.judge"
    asked = []
    monkeypatch.setattr(ChooseDialog, "is_answered", lambda self: asked.append(self) or True)
    with opened_window(qtbot, project) as window:
        window.prompter = FakePrompter(places=[target])
        do(window, "repair.restore")
        # Each says when it was made as the safety copies do, and to readers what it has as well.
        first = asked[0].radios.buttons()[0]
        assert re.fullmatch(r"1  today \d\d:\d\d:\d\d", first.text())
        assert first.accessibleDescription().startswith("342 judgments")
        qtbot.waitUntil(lambda: window.session.path == target)
        assert window.session.read_only_reason == ""
    assert check_project(target).problems == []


def test_a_backup_is_restored_in_place_of_a_damaged_project(qtbot, project, tmp_path, monkeypatch):
    """The check offers it; the damaged file is as it was."""
    target = tmp_path / "old.judge"
    damage(project)
    before = project.read_bytes()
    monkeypatch.setattr(ChooseDialog, "is_answered", lambda _dialog: True)
    with opened_window(qtbot) as window:
        window.prompter = FakePrompter(
            files=[[], [project]], answers=["restore", None], places=[target]
        )
        do(window, "repair.check")
        assert window.prompter.asked == []
        do(window, "repair.check")
        qtbot.waitUntil(lambda: window.session is not None)
        assert window.session.path == target
        assert "a.judge is as it was" in window.status.message.text
    assert project.read_bytes() == before


def test_what_a_restored_backup_lacks_is_said(qtbot, project, tmp_path, monkeypatch):
    """Of a project that is cut off, where the safety log has more: and how to get at it."""
    target, new = tmp_path / "old.judge", tmp_path / "new.judge"
    with open_project(project, assessor="anna") as session:
        session.execute(Say.grade(0, 5, 3.0))
        session.execute(Say.grade(0, 6, 3.0))
    project.write_bytes(project.read_bytes()[: PAGE * 40])
    monkeypatch.setattr(ChooseDialog, "is_answered", lambda _dialog: True)
    with opened_window(qtbot) as window:
        window.prompter = FakePrompter(files=[[project]], answers=["recover"], places=[target, new])
        do(window, "repair.restore")
        asked, choices = window.prompter.asked[0]
        assert re.search(
            r"lacks \d+ changes of judgments that the safety log has of a.judge", asked
        )
        assert choices == ("Recover as…",)
        qtbot.waitUntil(lambda: window.session is not None and window.session.path == new)


def test_without_a_backup_it_is_said_that_there_is_none(qtbot, project):
    """Nothing is asked where nothing can be restored."""
    with opened_window(qtbot, project) as window:
        shutil.rmtree(data_folder() / "backups")
        do(window, "repair.restore")
        assert "There is no backup of a.judge on this machine." in window.prompter.told[0]


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_after_an_unclean_end_the_file_is_checked(qtbot, project):
    """A project whose window was killed is checked at the next opening, beside the work."""
    killed = subprocess.run(
        [sys.executable, "-c", JUDGED_AND_KILLED, str(project)], env=os.environ, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    with opened_window(qtbot, project) as window:
        qtbot.waitUntil(lambda: "was checked and is sound" in window.status.message.text)


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_of_a_killed_import_it_is_said_that_it_counts_for_nothing(qtbot, project, tmp_path):
    """Else only the check in a terminal tells, before the window takes out what is left of it."""
    many = tmp_path / "many.qrels"
    many.write_text("".join(f"Q{n % 90} 0 D{n} {n % 4}\n" for n in range(4_000)))
    killed = subprocess.run([sys.executable, "-c", KILLED, project, many], check=False)
    assert killed.returncode == -signal.SIGKILL
    with opened_window(qtbot, project) as window:
        said = window.status.message.text
        assert "is sound. An import or merge was not finished: nothing of it counts" in said


def test_what_is_recovered_at_the_start_is_opened(project, tmp_path):
    """`judgetool open` of a damaged file: after Recover the window is there, and shows the new file."""
    project.write_bytes(project.read_bytes()[: PAGE * 40])
    target = tmp_path / "b.judge"
    done = subprocess.run(
        [sys.executable, "-c", RECOVERED_AT_THE_START, str(project), str(target)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{target} b.judge has 393 judgments. It is open now.\n"
