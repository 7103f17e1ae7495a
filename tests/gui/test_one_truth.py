"""What the window says in several places at once: it is the same everywhere, at once."""

import pytest
from PySide6.QtCore import Qt

from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.modes import Mode
from judgetool.session.opening import open_project
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import open_sample

SPOKEN = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def sample(tmp_path):
    """The bundled sample, in which anna and ben have judged."""
    with open_sample(tmp_path) as session:
        return session.path


@pytest.fixture
def window(qtbot, sample):
    """The window on it, for ben, at the first query."""
    with opened_window(qtbot, sample, assessor="ben") as shown:
        shown.view.judging.show_query(0)
        yield shown


@pytest.fixture
def count(monkeypatch, window):
    """Return a function that chooses by the menu which judgments count."""

    def choose(view):
        def is_answered(dialog):
            dialog.buttons[view].click()
            return True

        monkeypatch.setattr(ActDialog, "is_answered", is_answered)
        window.actions_by_name.action("judge.view").trigger()

    return choose


def cards(window):
    """Return what the cards say."""
    model = window.workspace.results.model
    return [model.index(place, 0).data(SPOKEN) for place in range(model.rowCount())]


def shown(window):
    """Return everything that depends on which judgments count, as it is shown now."""
    live, judging = window.live, window.view.judging
    rows = [(row.name, row.value, row.change, row.mean) for row in live.values.rows.rows]
    queries = window.queries.model
    listed = [queries.index(row, 0).data(SPOKEN) for row in range(queries.rowCount())]
    return {
        "cards": cards(window),
        "values": rows,
        "explained": live.explain_table.explanation,
        "queries": sorted(listed),
        "header": window.workspace.header.progress.text,
        "status": (window.status.view.text(), window.status.progress.text),
        "query": judging.query,
    }


def shown_afresh(qtbot, path, view):
    """Return what a window says that counted a view's judgments from the start."""
    with opened_window(qtbot, path, assessor="ben") as fresh:
        fresh.choose_view(view)
    with opened_window(qtbot, path, assessor="ben") as fresh:
        fresh.view.judging.show_query(0)
        qtbot.waitUntil(lambda: fresh.live.is_settled)
        return shown(fresh)


@pytest.mark.parametrize("after_blind", [False, True])
def test_everything_follows_whose_judgments_count(qtbot, sample, window, count, after_blind):
    """Cards, values, explanation, queries and status are those of a window opened so."""
    if after_blind:
        press(qtbot, window, "bb")
    count("mine")
    qtbot.waitUntil(lambda: window.live.is_settled and window.jobs.is_idle)
    said = shown(window)
    window.close()
    assert said == shown_afresh(qtbot, sample, "mine")


def test_nothing_changed_that_nobody_judged(qtbot, window, count):
    """Counting other judgments is no judgment: no value claims a change."""
    count("mine")
    qtbot.waitUntil(lambda: window.live.is_settled)
    assert {row.change for row in window.live.values.rows.rows} <= {None, 0.0}


def test_filters_follow_whose_judgments_count(qtbot, window, count):
    """Only unjudged documents are those that nobody counted has judged."""
    press(qtbot, window, Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    n_before = len(window.workspace.results.documents())
    count("mine")
    assert len(window.workspace.results.documents()) > n_before
    assert all("not judged" in card for card in cards(window))


def test_the_compare_view_counts_the_same(qtbot, sample, window):
    """Choosing there, too, holds for the list and is kept."""
    window.stage.show(Mode.COMPARE)
    window.stage.page(Mode.COMPARE).head.view_chosen.emit("mine")
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    assert window.session.board.view == "mine"
    window.stage.show(Mode.LIST)
    own = sum("grade" in card for card in cards(window))
    with open_project(sample, assessor="ben") as session:
        session.set_view("mine")
        assert own == len(session.board.settled(window.view.judging.query))
