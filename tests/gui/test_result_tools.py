"""The row above the results: nothing in it overlaps, and what it has no room for is in its menu."""

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from judgetool.gui.models.result_model import ResultOrder
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.panels.result_tools import ResultTools
from tests.helpers.builders import make_project, simple_parts

NAME = "bm25-fulltext-reranked"


@pytest.fixture
def holder(qtbot):
    """What the row is in: a window of its own would be as wide as its widest tools."""
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(700, 60)
    return made


@pytest.fixture
def tools(holder):
    """The row as it is in a project without runs."""
    shown = ResultTools(holder)
    shown.resize(324, 40)
    holder.show()
    return shown


@pytest.fixture
def panel(qtbot, tmp_path):
    """The list of a query, in as little room as the row ever has."""
    with make_project(tmp_path, simple_parts()) as session:
        shown = ResultList()
        qtbot.addWidget(shown)
        shown.resize(170, 600)
        shown.show()
        shown.set_session(session)
        shown.show_query(session.material.runs[0].run_id, 0)
        yield shown
        shown.set_session(None)


def fill(tools, count):
    """Bring what an import brings."""
    tools.set_runs([(1, NAME), (2, "bm25-rm3")])
    tools.set_run(1)
    tools.count_open(count, "")


def in_sight(tools):
    """Return the tools that the next frame shows, from the left."""
    for _ in range(3):
        QApplication.sendPostedEvents()
    found = [tools.runs, tools.orders, tools.unjudged, tools.add, tools.scores]
    return [each for each in found if each.isVisible()]


def offered(panel):
    """Return what the menu of filters offers, by its words."""
    in_sight(panel.tools)
    panel.bar.menu.aboutToShow.emit()
    return {each.text().partition("\t")[0]: each for each in panel.bar.menu.actions()}


@pytest.mark.parametrize("width", [300, 324, 356, 380, 420, 600])
@pytest.mark.parametrize("count", [0, 43, 1043])
def test_nothing_overlaps_when_runs_and_counts_come(tools, width, count):
    """They come with an import, after the row was laid out; no resize is waited for."""
    tools.resize(width, 40)
    in_sight(tools)
    fill(tools, count)
    shown = in_sight(tools)
    assert all(a.geometry().right() < b.geometry().left() for a, b in pairwise(shown))
    assert tools.orders.shown == tools.orders.currentText()
    assert tools.unjudged.isHidden() or tools.unjudged.width() >= tools.unjudged.sizeHint().width()


@pytest.mark.parametrize("width", [200, 240, 280, 324, 380, 460, 600])
def test_filters_are_reached_by_the_pointer_at_any_width(tools, width):
    """The sign that opens them is whole however narrow the list is."""
    fill(tools, 43)
    tools.resize(width, 40)
    assert tools.add in in_sight(tools)
    assert tools.add.geometry().right() < width


def test_that_there_is_no_run_is_whole(tools):
    """So few letters are not cut in their middle, also where a language has some more."""
    tools.runs.setPlaceholderText("Kein Run da")
    tools.set_runs([])
    in_sight(tools)
    assert tools.runs.width() >= tools.runs.whole_width


def test_that_a_list_is_filtered_stays_in_sight(tools):
    """The pill gives way where there is little room, but not while documents are left out by it."""
    fill(tools, 43)
    tools.resize(300, 40)
    assert tools.unjudged not in in_sight(tools)
    tools.unjudged.setChecked(True)
    assert tools.unjudged in in_sight(tools)


def test_what_has_no_room_is_in_the_menu(panel):
    """Unjudged documents, orders and scores are reached by the sign that is left."""
    assert in_sight(panel.tools) == [panel.tools.runs, panel.tools.add]
    assert {"Unjudged", "Order of the results", "Show scores"} <= offered(panel).keys()


def test_scores_are_switched_by_the_menu(panel):
    """The entry does what the button does, and says whether they are shown."""
    entry = offered(panel)["Show scores"]
    assert entry.isChecked()
    entry.trigger()
    assert not panel.table.delegate.shows_scores


def test_the_order_is_chosen_by_the_menu(panel):
    """Every order of the chooser is there, the one that holds marked."""
    orders = offered(panel)["Order of the results"].menu().actions()
    assert [each.isChecked() for each in orders] == [each == orders[0] for each in orders]
    orders[1].trigger()
    assert panel.model.order is not ResultOrder.RANK


def test_what_has_room_is_not_in_the_menu(panel):
    """Nothing is offered twice beside itself."""
    panel.resize(700, 600)
    assert not {"Order of the results", "Show scores"} & offered(panel).keys()
