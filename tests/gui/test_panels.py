"""A panel of the project: what is in the window's list follows it, blind mode and closing included."""

import pytest
from PySide6.QtCore import QPoint, Qt

from judgetool.core import override
from judgetool.gui.actions import Mode
from judgetool.gui.jobs import ProjectPanel
from judgetool.gui.main_window import MainWindow
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.painted import Panel, in_column
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import make_project, simple_parts


class Counts(Panel, ProjectPanel):
    """How many documents of the query are judged: all that one has to write for a panel."""

    edge = "top"

    def __init__(self, parent):
        super().__init__(parent)
        self.said = Text("")
        in_column(self.said, None, host=self)

    @override
    def set_session(self, session):
        """Show nothing of the project before."""
        self.session, self.query = session, None
        self.said.setText("")

    @override
    def follow(self, here):
        """Count anew."""
        self.query = here.query
        self.count()

    @override
    def take_change(self, changed):
        """Count anew, which no key waits for."""
        self.after_frame(self.count)

    def count(self):
        """Say how many."""
        if self.session is not None and self.query is not None:
            self.said.setText(f"{self.session.board.progress(self.query).judged} judged")


class WithCounts(MainWindow):
    """The window with one panel more in its list."""

    def _side_panels(self):
        # Made where it will stand; a panel of the window's own is made so in ``MainWindow.__init__``.
        self.counts = Counts(self.docks.stack)
        sides = super()._side_panels()
        return {**sides, Mode.LIST: (*sides[Mode.LIST], self.counts)}


@pytest.fixture
def window(qtbot, tmp_path, monkeypatch):
    """Return a window with the panel, and a small project open."""
    make_project(tmp_path, simple_parts()).close()
    monkeypatch.setattr("tests.gui.window_fixtures.MainWindow", WithCounts)
    with opened_window(qtbot, next(tmp_path.glob("*.judge"))) as shown:
        yield shown


def test_a_panel_in_the_list_follows_the_project(qtbot, window):
    """Opened, judged and closed: it is told of each, and stands under the live values."""
    assert window.counts.said.text() == "0 judged"
    press(qtbot, window, Qt.Key.Key_2)
    qtbot.waitUntil(lambda: window.counts.said.text() == "1 judged")
    assert window.counts.isVisible()
    assert window.live.isVisible()
    bottom = window.live.mapTo(window, QPoint(0, window.live.height())).y()
    assert window.counts.mapTo(window, QPoint()).y() >= bottom
    window.close_project()
    assert window.counts.said.text() == ""


def test_what_a_panel_does_after_the_frame_comes_after_it(qtbot, window):
    """Each panel of the list is given the window's schedule: no key waits for what need not be seen at once."""
    told = []
    window.counts.after_frame(lambda: told.append(True))
    assert told == []
    qtbot.waitUntil(lambda: told == [True])


def test_a_panel_that_may_reveal_something_is_not_shown_to_the_blind(window):
    """Unless a panel says that it tells nothing, blind mode hides it with the live values."""
    window.flow_handler.blind(True)
    assert not window.counts.isVisible()
    assert not window.live.isVisible()
    window.flow_handler.blind(False)
    assert window.counts.isVisible()
    assert window.live.isVisible()
