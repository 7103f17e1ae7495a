"""What happens to the file of an open project from outside, and a second start."""

import shutil
import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog

from judgetool.core.held_files import beside
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from tests.gui.window_fixtures import CTRL, opened_window, press
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter


@pytest.fixture
def project(tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        return session.path


def grades(window):
    return [said.judgment.grade for _, _, said, _ in window.session.iter_judgments()]


def test_a_second_start_raises_the_first_window(qtbot, project):
    """Starting the same project again ends at once with 0 and says where its window is."""
    with opened_window(qtbot, project) as window:
        words = [sys.executable, "-m", "judgetool", "open", str(project), "--assessor", "ben"]
        second = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=60_000)
        with second.stdout:
            said = second.stdout.read()
        assert said.startswith("small.judge is open already")
        assert "‘ben’ was not taken over" in said
        assert second.returncode == 0
        press(qtbot, window, "2")
        assert grades(window) == [2.0]


def test_who_only_looks_reads_why_and_may_judge_later(qtbot, project):
    """Beside another writer the reason stands in the grade bar; when that ends, one can judge."""
    other = open_project(project, assessor="ben")
    with opened_window(qtbot, project) as window:
        banner = window.workspace.grade_bar.banner
        assert not banner.isHidden()
        assert "Another judgetool (process" in banner.content.sentence
        other.close()
        window.file_watch.look()
        assert window.session.read_only_reason == ""
        assert banner.isHidden()
        press(qtbot, window, "2")
        assert grades(window) == [2.0]


def test_a_deleted_log_is_said_before_the_next_grade(qtbot, project):
    """'Saved' goes as soon as it is no longer true, not only with the next grade."""
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "2")
        beside(project, "-wal").unlink()
        window.file_watch.look()
        assert window.status.save.text.startswith("Not saved")
        assert "small.judge-wal" in window.workspace.grade_bar.banner.content.sentence


def test_what_says_itself_that_it_is_not_saved_is_said_once(qtbot, project):
    """In the banner as in the status line."""
    with opened_window(qtbot, project) as window:
        window.judge_handler.show_trouble("Not saved: the disk is full.")
        said = window.workspace.grade_bar.banner.content.sentence
        assert said == window.status.save.text == "Not saved: the disk is full."


@pytest.mark.parametrize("is_graded", [True, False])
def test_an_older_file_put_in_place_is_never_written_to(qtbot, project, tmp_path, is_graded):
    """Also before the first grade: it is said, refused, and all that was open can be saved elsewhere."""
    older, copy = tmp_path / "older.judge", tmp_path / "copy.judge"
    shutil.copy(project, older)
    with open_project(project, assessor="anna") as session:
        session.execute(Say.grade(0, 1, 3.0))
    with opened_window(qtbot, project) as window:
        window.prompter = FakePrompter(places=[copy])
        if is_graded:
            press(qtbot, window, "2")
        before = older.read_bytes()
        older.rename(project)
        press(qtbot, window, "1")
        banner = window.workspace.grade_bar.banner
        assert "was replaced by another file" in banner.content.sentence
        assert project.read_bytes() == before
        press(qtbot, window, "v")
        window.judge_handler.answer_banner("save_elsewhere")
        qtbot.waitUntil(lambda: window.session is not None and window.session.path == copy)
        assert 3.0 in grades(window)


def test_a_file_that_comes_back_is_fine(qtbot, project, tmp_path):
    """Moved away and back again, the project is as it was, and one judges on."""
    with opened_window(qtbot, project) as window:
        project.rename(tmp_path / "away.judge")
        window.file_watch.look()
        assert not window.workspace.grade_bar.banner.isHidden()
        (tmp_path / "away.judge").rename(project)
        window.file_watch.look()
        assert window.workspace.grade_bar.banner.isHidden()
        press(qtbot, window, "1")
        assert grades(window) == [1.0]


@pytest.mark.parametrize("comes_back", [False, True])
def test_retry_looks_at_the_file_again(qtbot, project, tmp_path, comes_back):
    """'Retry' with nothing to be tried again says what still holds, or that all is saved."""
    with opened_window(qtbot, project) as window:
        project.rename(tmp_path / "away.judge")
        window.file_watch.look()
        window.judge_handler.answer_banner("retry")
        if comes_back:
            (tmp_path / "away.judge").rename(project)
        window.file_watch.look()
        assert window.workspace.grade_bar.banner.isHidden() == comes_back
        assert window.status.save.text.startswith("Saved") == comes_back


def test_saved_elsewhere_from_the_banner(qtbot, project, tmp_path):
    """The banner's answer writes a copy with everything, and goes on there."""
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "2")
        beside(project, "-wal").unlink()
        window.file_watch.look()
        window.prompter = FakePrompter(places=[tmp_path / "copy.judge"])
        window.judge_handler.answer_banner("save_elsewhere")
        assert window.session.path.name == "copy.judge"
        assert grades(window) == [2.0]
        assert window.workspace.grade_bar.banner.isHidden()


_JUDGE = """
import sys
from pathlib import Path
from judgetool.session.commands import Say
from judgetool.session.commands import Say
from judgetool.session.opening import open_project

with open_project(Path(sys.argv[1]), assessor="ben") as session:
    assert not session.read_only_reason
    session.execute(Say.grade(0, session.material.find_document("d5"), 3.0))
"""


@pytest.mark.parametrize("judges_first", [False, True])
def test_what_somebody_else_commits_is_seen(qtbot, project, tmp_path, monkeypatch, judges_first):
    """Another user, who has a lock of his own, judges: the window shows it, and stays writable."""
    with opened_window(qtbot, project) as window:
        if judges_first:
            press(qtbot, window, "2")
        window.file_watch.look()
        monkeypatch.setenv("JUDGETOOL_HOME", str(tmp_path / "ben"))
        subprocess.run([sys.executable, "-c", _JUDGE, str(project)], check=True)
        window.file_watch.look()
        assert grades(window)[-1] == 3.0
        press(qtbot, window, "1")
        assert sorted(grades(window)) == ([1.0, 2.0, 3.0] if judges_first else [1.0, 3.0])


@pytest.mark.parametrize("who", ["ben", "anna"])
def test_an_undo_that_is_offered_outlasts_what_others_do(
    qtbot, project, tmp_path, monkeypatch, who
):
    """What was undone just now can be done again; then it is said that others have changed the project."""
    with opened_window(qtbot, project, assessor="anna") as window:
        press(qtbot, window, "2")
        press(qtbot, window, "1")
        window.file_watch.look()
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        said = window.status.message.text
        assert window.status.message_action.text() == "Redo"
        monkeypatch.setenv("JUDGETOOL_HOME", str(tmp_path / "ben"))
        script = _JUDGE.replace("ben", who)
        subprocess.run([sys.executable, "-c", script, str(project)], check=True)
        window.file_watch.look()
        assert grades(window)[-1] == 3.0
        if who == "ben":
            assert window.status.message.text == said
            assert window.status.message_action.text() == "Redo"
            window.status.clear_message()
            window.file_watch.look()
        assert window.status.message.text == "Somebody else has changed this project."
        window.status.clear_message()
        window.file_watch.look()
        assert window.status.message.text == ""


def test_own_changes_are_not_somebody_elses(qtbot, project):
    """Grades of this window are not taken for another's."""
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "2")
        window.file_watch.look()
        press(qtbot, window, "1")
        window.status.clear_message()
        window.file_watch.look()
        assert window.status.message.text == ""


def test_where_one_stands_survives_a_kill(qtbot, project):
    """The place is kept while one works, not only on leaving."""
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "j")
        window.file_watch.look()
        with opened_window(qtbot, project) as after:
            assert tuple(after.view.place) == tuple(window.view.place)


def test_where_one_stands_is_kept_while_a_dialog_is_open(qtbot, project):
    """A kill amid a dialog leads back to the view and the document before it."""
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "jv")
        dialog = QDialog(window, modal=True)
        dialog.open()
        window.file_watch.look()
        there = (tuple(window.view.place), window.views.mode)
        dialog.close()
        with opened_window(qtbot, project) as after:
            assert (tuple(after.view.place), after.views.mode) == there
