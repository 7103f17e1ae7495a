"""What the status line offers to do: only as long as it would do that."""

import pytest
from PySide6.QtCore import Qt

from tests.gui.window_fixtures import CTRL, opened_window, press
from tests.helpers.builders import make_project, simple_parts


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on a small project, nothing judged."""
    with make_project(tmp_path, simple_parts(), assessor="anna") as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        yield window


def offered(window):
    return window.status.message_action.text()


def test_redo_is_offered_until_the_first_new_step(qtbot, window):
    """A grade after Undo leaves nothing to redo: the offer goes with it, not by the clock."""
    press(qtbot, window, "1")
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert offered(window) == "Redo"
    press(qtbot, window, "2")
    assert (offered(window), window.status.message.text) == ("", "")


def test_undo_is_not_offered_of_a_project_that_is_closed(qtbot, window):
    """The start page has no step to take back."""
    press(qtbot, window, "1")
    press(qtbot, window, "k")
    press(qtbot, window, "s")
    assert offered(window) == "Undo"
    press(qtbot, window, Qt.Key.Key_W, CTRL)
    assert window.session is None
    assert (offered(window), window.status.message.text) == ("", "")
