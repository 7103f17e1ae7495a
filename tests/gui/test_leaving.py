"""Leaving a project: nothing that is not saved goes without a question."""

import gc
from functools import partial
from weakref import WeakSet

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from judgetool.session.imports.importing import make_sample, sample_path
from judgetool.session.opening import open_project
from tests.gui.window_fixtures import CTRL, banner_answers, opened_window, press
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on a project with one grade."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as shown:
        press(qtbot, shown, "2")
        yield shown


def grades(path):
    with open_project(path, read_only=True) as session:
        return sorted(said.judgment.grade for _, _, said, _ in session.iter_judgments())


def quit_it(window, _other):
    window.actions_by_name.action("project.quit").trigger()


def close_it(window, _other):
    window.actions_by_name.action("project.close").trigger()


def open_other(window, other):
    window.try_open(other)


LEAVES = {"quit": quit_it, "close": close_it, "open another": open_other}


@pytest.fixture
def other(tmp_path):
    with make_project(tmp_path, simple_parts(), name="other") as session:
        return session.path


@pytest.mark.parametrize("leave", LEAVES.values(), ids=LEAVES)
def test_cancel_stays(window, other, leave):
    """With the file deleted, every way out asks; put off, all is as it was."""
    before = window.session
    before.path.unlink()
    window.prompter = FakePrompter(answers=[None])
    leave(window, other)
    assert "was moved or deleted" in window.prompter.asked[0][0]
    assert window.isVisible()
    assert window.session is before


@pytest.mark.parametrize("leave", LEAVES.values(), ids=LEAVES)
def test_a_sound_project_is_left_without_a_question(window, other, leave):
    """Where everything is saved, nothing is asked."""
    leave(window, other)
    assert window.prompter.asked == []
    assert window.session is None or window.session.path == other


def test_what_is_given_up_is_given_up(window):
    """'Close without saving' closes, and writes nothing where the file was."""
    path = window.session.path
    path.unlink()
    window.prompter = FakePrompter(answers=["discard"])
    quit_it(window, None)
    assert not window.isVisible()
    assert not path.exists()


def test_the_unsaved_grade_goes_into_the_copy(qtbot, window, tmp_path):
    """'Save elsewhere…' at quitting keeps the grades before and the one that was not saved."""
    window.session.path.rename(tmp_path / "moved.judge")
    press(qtbot, window, "3")
    assert "Not saved" in window.workspace.grade_bar.banner.content.sentence
    copy = tmp_path / "copy.judge"
    window.prompter = FakePrompter(answers=["save_elsewhere"], places=[copy])
    quit_it(window, None)
    assert "The last grade is not saved." in window.prompter.asked[0][0]
    assert not window.isVisible()
    assert grades(copy) == [2.0, 3.0]


def test_saving_elsewhere_put_off_stays(qtbot, window, tmp_path):
    """No place chosen: the window stays, and still says that the grade is not saved."""
    window.session.path.unlink()
    press(qtbot, window, "3")
    window.prompter = FakePrompter(answers=["save_elsewhere"], places=[None])
    quit_it(window, None)
    assert window.isVisible()
    assert not window.workspace.grade_bar.banner.isHidden()


def test_the_banner_saves_the_grade_where_the_file_was(qtbot, window):
    """The name of the file that was deleted is free again: one goes on under it, and nothing is left unsaved."""
    path = window.session.path
    path.unlink()
    press(qtbot, window, "1")
    window.prompter = FakePrompter(places=[path])
    qtbot.mouseClick(banner_answers(window)["Save elsewhere…"], Qt.MouseButton.LeftButton)
    assert window.workspace.grade_bar.banner.isHidden()
    assert not window.session.read_only_reason
    press(qtbot, window, "2")
    assert grades(path) == [1.0, 2.0, 2.0]


def test_the_banner_saves_the_grade_elsewhere(qtbot, window, tmp_path):
    """'Save elsewhere…' in the banner takes the grade that was not saved along."""
    window.session.path.unlink()
    press(qtbot, window, "1")
    copy = tmp_path / "copy.judge"
    window.prompter = FakePrompter(places=[copy])
    qtbot.mouseClick(banner_answers(window)["Save elsewhere…"], Qt.MouseButton.LeftButton)
    assert window.session.path == copy
    assert grades(copy) == [1.0, 2.0]


# The sample


def test_the_sample_reopens_as_left(qtbot):
    """What was judged in the sample is there when it is tried again."""
    with opened_window(qtbot) as window:
        window.actions_by_name.action("project.sample").trigger()
        press(qtbot, window, "2")
        n = len(window.session.iter_judgments())
        press(qtbot, window, Qt.Key.Key_W, CTRL)
        window.actions_by_name.action("project.sample").trigger()
        assert len(window.session.iter_judgments()) == n == 343


@pytest.mark.parametrize("answer", [None, "start"])
def test_starting_afresh_asks_and_keeps(qtbot, answer):
    """'Start the sample afresh' asks first; the old copy is kept under another name."""
    make_sample(sample_path())
    with opened_window(qtbot, sample_path()) as window:
        press(qtbot, window, "2")
        window.prompter = FakePrompter(answers=[answer])
        window.actions_by_name.action("project.sample_afresh").trigger()
        assert "The copy you worked in is kept" in window.prompter.asked[0][0]
        assert len(window.session.iter_judgments()) == (342 if answer else 343)
    kept = list(sample_path().parent.glob("recipes until *.judge"))
    assert [len(grades(path)) for path in kept] == ([343] if answer else [])


def test_a_window_that_is_gone_leaves_nothing(qtbot, tmp_path):
    """With the window go all its parts, and what they hold of the project."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path

    def there():
        # What Qt makes within a part of ours goes with it.
        return (w for w in QApplication.allWidgets() if type(w).__module__.startswith("judgetool"))

    before, parts = WeakSet(there()), dict[int, str]()
    with opened_window(qtbot, path):
        # What other tests have left may make more of its own meanwhile.
        for number, each in enumerate(there()):
            if each not in before:
                parts[number] = repr(each)
                each.destroyed.connect(partial(parts.pop, number, None))
        del each
        assert parts

    def is_gone():
        # Cycles are looked for when there is time, which a process with many tests never has.
        gc.collect()
        assert list(parts.values()) == []

    qtbot.waitUntil(is_gone)
