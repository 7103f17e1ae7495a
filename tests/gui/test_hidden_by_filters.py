"""What is left to judge where filters hide it: no key leads to what is judged, and it is said."""

import pytest
from PySide6.QtCore import Qt

from judgetool.core.judgments import Query
from judgetool.gui.models.query_model import QueryChoice
from judgetool.session.commands import AskOf, Say, WriteAsks
from judgetool.session.finding import Filter
from judgetool.session.opening import open_project
from judgetool.session.queue import OrderPolicy, set_order
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window, press
from tests.helpers.builders import Parts, make_project

RUN = {f"q{q}": [f"q{q}d{d}" for d in range(4)] for q in range(3)}
PARTS = Parts(
    queries=[Query(name, f"soup {name}") for name in RUN],
    runs={"run": RUN, "late": {"q2": ["q2d3"]}},
)


@pytest.fixture
def project(tmp_path):
    """Three queries with four documents each; the first of each is judged."""
    with make_project(tmp_path, PARTS, assessor="anna") as session:
        for query in range(3):
            session.execute(Say.grade(query, int(session.board.pool(query)[0]), 2))
        return session.path


def shown_place(window):
    return window.view.judging.query, window.view.judging.document


@pytest.mark.parametrize("is_across", [False, True])
def test_the_next_unjudged_is_not_sought_among_what_filters_hide(qtbot, project, is_across):
    """With judged documents listed alone ‘N’ stays, a digit after it hits nothing else, and it is said."""
    with open_project(project, assessor="anna") as session:
        session.execute(set_order(OrderPolicy("random", across_queries=is_across)))
    with opened_window(qtbot, project) as window:
        window.workspace.results.bar.add_chip(Filter("judged"))
        before = shown_place(window)
        press(qtbot, window, "n")
        assert shown_place(window) == before
        assert window.status.message.text == (
            "9 unjudged documents are hidden by filters; Ctrl+Shift+U clears them."
        )
        press(qtbot, window, Qt.Key.Key_U, CTRL | SHIFT)
        press(qtbot, window, "n")
        assert window.view.judging.own_judgment.grade is None


def test_a_query_of_which_filters_leave_something_unjudged_is_found(qtbot, project):
    """Queries between, of which nothing unjudged is listed, are passed over."""
    with opened_window(qtbot, project) as window:
        window.workspace.results.bar.add_chip(Filter("run", "late"))
        press(qtbot, window, "n")
        assert shown_place(window) == (2, window.session.material.find_document("q2d3"))


def test_not_all_is_judged_while_queries_are_hidden(qtbot, project):
    """What other queries have left is not said to be judged; the same key clears the choice of queries."""
    with opened_window(qtbot, project) as window:
        window.queries.pills[QueryChoice.FLAGGED].click()
        assert window.queries.order() == []
        for _ in range(4):
            press(qtbot, window, "n")
            press(qtbot, window, "1")
        assert "6 unjudged documents are hidden" in window.status.message.text
        press(qtbot, window, Qt.Key.Key_U, CTRL | SHIFT)
        assert len(window.queries.order()) == 3


def test_the_chip_of_what_is_asked_goes_with_the_last_ask(qtbot, project):
    """Once nothing is asked any more, all is listed again."""
    with opened_window(qtbot, project) as window:
        pair = (0, int(window.session.board.pool(0)[1]))
        window.session.execute(WriteAsks((AskOf(*pair, "anna"),), "Ask"))
        qtbot.waitUntil(lambda: window.queries.bar.chips != ())
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: not window.session.is_asked)
        assert window.queries.bar.chips == ()
        assert window.workspace.results.bar.chips == ()
