"""What the window says in several places at once: it is the same everywhere, at once."""

import shutil

import pytest
from PySide6.QtCore import Qt

from judgetool.core.judgments import DEFAULT_VIEW
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.session.finding import Filter
from judgetool.session.opening import open_project
from judgetool.session.pool import PoolPolicy
from judgetool.session.queue import OrderPolicy, choose_pool, order_of, set_order
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import open_sample
from tests.helpers.events import load_events

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
        qtbot.waitUntil(lambda: fresh.schedule.is_settled)
        return shown(fresh)


@pytest.mark.parametrize("after_blind", [False, True])
def test_everything_follows_whose_judgments_count(qtbot, sample, window, count, after_blind):
    """Cards, values, explanation, queries and status are those of a window opened so."""
    if after_blind:
        press(qtbot, window, "bb")
    count("mine")
    qtbot.waitUntil(lambda: window.schedule.is_settled and window.jobs.is_idle)
    said = shown(window)
    window.close()
    assert said == shown_afresh(qtbot, sample, "mine")


def test_nothing_changed_that_nobody_judged(qtbot, window, count):
    """Counting other judgments is no judgment: no value claims a change."""
    count("mine")
    qtbot.waitUntil(lambda: window.schedule.is_settled)
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
    window.views.show(Mode.COMPARE)
    window.views.page(Mode.COMPARE).head.view_chosen.emit("mine")
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    assert window.session.board.view == "mine"
    window.views.show(Mode.LIST)
    own = sum("grade" in card for card in cards(window))
    with open_project(sample, assessor="ben") as session:
        session.set_view("mine")
        assert own == len(session.board.settled(window.view.judging.query))


def test_a_copy_of_the_project_keeps_its_own_view(qtbot, sample, window, tmp_path):
    """What was chosen in one file holds for it alone, not for copies of it on the same machine."""
    window.choose_view("mine")
    window.close()
    copy = tmp_path / "copies" / "copy.judge"
    copy.parent.mkdir()
    shutil.copy(sample, copy)
    with opened_window(qtbot, copy, assessor="ben") as other:
        assert other.session.board.view == DEFAULT_VIEW
    with opened_window(qtbot, sample, assessor="ben") as again:
        assert again.session.board.view == "mine"


# What is listed, and how much of it is judged


@pytest.fixture
def shuffled(qtbot, window):
    """The window with a random queue."""
    window.session.execute(set_order(OrderPolicy("random", 7)))
    window.view.judging.show_query(0)
    return window


def choose_order(window, text):
    orders = window.workspace.results.tools.orders
    orders.setCurrentIndex(orders.findText(text))
    orders.activated.emit(orders.currentIndex())


def test_a_random_queue_is_called_so(shuffled):
    """The choice of order says what the list is ordered by, and no cutoff is drawn through it."""
    results = shuffled.workspace.results
    assert results.tools.orders.currentText() == "Queue: random, seed 7"
    assert results.model.listed.cutoffs == {}


def test_by_rank_is_by_rank_and_the_queue_stays(shuffled):
    """The real ranking can be looked at, with its cutoffs; the queue is one choice away."""
    results = shuffled.workspace.results
    queued = results.documents()
    choose_order(shuffled, "By rank")
    ranks = [row.rank for row in results.model.listed.rows if row.rank is not None]
    assert ranks == list(range(1, len(ranks) + 1))
    assert set(results.model.listed.cutoffs.values()) == {5, 10}
    assert order_of(shuffled.session).kind == "random"
    choose_order(shuffled, "Queue: random, seed 7")
    assert results.documents() == queued


def test_the_log_keeps_the_rank_not_the_place(qtbot, shuffled):
    """In a random queue the rank that is logged is the run's."""
    results = shuffled.workspace.results
    rank = results.current()[2]
    place = results.current_place() + 1
    press(qtbot, shuffled, "2")
    shown = list(load_events(shuffled.session, assessor="ben"))[-1].shown
    assert (shown["rank"], shown["position"]) == (rank, place)


@pytest.fixture
def small_pool(window):
    """The window with a pool of two ranks, and longer lists."""
    window.session.execute(choose_pool(window.session, PoolPolicy("depth", 2)))
    window.view.judging.show_query(0)
    return window


def test_numbers_of_unjudged_say_of_which_set(small_pool):
    """Pill, menu and list count what is listed; the header says that it counts the pool."""
    window, results = small_pool, small_pool.workspace.results
    unjudged = sum("not judged" in card for card in cards(window))
    results.bar.menu.aboutToShow.emit()
    offered = {each.text().split("\t")[0]: each.text() for each in results.bar.menu.actions()}
    assert results.tools.unjudged.accessibleName() == f"Unjudged {unjudged}"
    assert offered["Unjudged"] == f"Unjudged\t{unjudged}"
    progress = window.session.board.progress(0)
    said = window.workspace.header.progress.text
    assert said == f"{progress.judged} of {progress.total} in the pool judged"


def test_counts_of_conditions_are_of_what_would_be_listed(window):
    """With one condition chosen, the menu counts what both let through; so does its chip."""
    results = window.workspace.results
    results.bar.add_chip(Filter("grade", 3.0))
    results.bar.menu.aboutToShow.emit()
    counts = {
        action.objectName(): int(action.text().split("\t")[1])
        for action in results.bar.menu.actions()
        if "\t" in action.text()
    }
    results.bar.add_chip(Filter("mine"))
    assert counts["is:mine"] == len(results.documents())
    ends = {pill.accessibleName().rsplit(" ", 1)[-1] for pill in results.bar.row.pills}
    assert ends == {str(len(results.documents()))}


def test_a_rank_says_of_which_run(window):
    """Rank 1 in any run shows cards of other ranks here, and says why."""
    bar = window.workspace.results.bar
    bar.add_chip(Filter("rank", (1, 1)))
    assert bar.row.pills[0].text() == "Rank 1 in any run"
    bar.add_chip(Filter("run", "chargrams"))
    assert "Rank 1 in chargrams" in [pill.text() for pill in bar.row.pills]
    assert len(window.workspace.results.documents()) == 1


# Undo


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("kind", ["rank", "random", "stake", "move_to_front"])
def test_undo_goes_back_to_the_document_undone(qtbot, window, kind, across):
    """In every order of the queue, over queries too: the undone document is current, and next."""
    window.session.execute(set_order(OrderPolicy(kind, across_queries=across)))
    judging = window.view.judging
    judging.move_to_next_unjudged()
    given = []
    for _ in range(3):
        given.append((judging.query, judging.document))
        press(qtbot, window, "1")
    for place in reversed(given):
        press(qtbot, window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert (judging.query, judging.document) == place
