"""With gains, relevance or weights of its own the window calls nothing what it is not."""

from contextlib import contextmanager

import pytest
from PySide6.QtCore import Qt

from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.gui.actions import Mode
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.live_values import LiveValues
from judgetool.metrics import CONVENTION_PRESETS, Conventions
from judgetool.metrics.conventions import name_conventions
from judgetool.session.commands import Say, SetScale, set_conventions, set_measures
from tests.gui.compare_fixtures import computed
from tests.gui.window_fixtures import CTRL, opened_window
from tests.helpers.builders import OWN_SCALE, Parts, make_project, open_sample

OWN = "gains 0, 1, 4, 10; probabilities 0, 0.1, 0.4, 0.9; relevant from 2."


@pytest.fixture
def window(qtbot, tmp_path):
    with open_sample(tmp_path) as session:
        session.execute(SetScale(OWN_SCALE))
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


def test_live_values_are_not_headed_as_a_tool_would_print_them(window):
    """The convention's name has a mark, and tooltip and reader say what differs."""
    values = window.live.findChild(LiveValues)
    assert values.heads[0] == "trec_eval*"
    head = values.rows.model()
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
        said = head.headerData(0, Qt.Orientation.Horizontal, role)
        assert OWN in said.replace(" \n", " ")


def test_a_plain_scale_needs_no_mark(qtbot, tmp_path):
    """Where the grade is the gain and 1 counts, the tool would print these numbers."""
    with open_sample(tmp_path) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        assert window.live.findChild(LiveValues).heads[0] == "trec_eval -c"


def test_compare_does_not_claim_to_print_as_trec_eval(qtbot, window):
    """Its button of conventions has the same mark, and says the same."""
    qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
    page = window.views.page(Mode.COMPARE)
    computed(qtbot, page)
    button = page.head.conventions
    assert button.text() == "trec_eval -c, own scale"
    assert OWN in button.toolTip().replace(" \n", " ")
    assert OWN in button.accessibleDescription()


def test_the_explanation_shows_codes_as_cards_do(window):
    """A level's code stands in place of its number wherever the grade is shown."""
    shown = window.live.explain_table.explanation
    assert {row.cells[1] for row in shown.rows} & {"U", "Z", "E", "T"}
    assert not {row.cells[1] for row in shown.rows} & {"0", "1", "2", "3"}


WEIGHTED = "Means are weighted by the importance of the queries."


@contextmanager
def weighted_window(qtbot, folder, weights, *, is_weighted=True):
    """Show a project of two queries, of which the first alone finds anything, by its weights."""
    queries = [Query(name, name, weight=weight) for name, weight in zip("pq", weights, strict=True)]
    runs = {"alpha": {"p": ["x", "w"], "q": ["y"]}}
    judged = [("p", "x", "anna", 2.0), ("p", "w", "anna", 0.0), ("q", "y", "anna", 0.0)]
    with make_project(folder, Parts(queries=queries, runs=runs, judgments=judged)) as session:
        session.execute(set_conventions(Conventions(is_weighted=is_weighted)))
        session.execute(set_measures(("P@1",)))
        path = session.path
    with opened_window(qtbot, path) as window:
        qtbot.waitUntil(lambda: window.jobs.is_idle and window.schedule.is_settled)
        yield window


def test_weighted_means_are_called_so_beside_the_list(qtbot, tmp_path):
    """Of p, with weight 3, and q, with 1: (3 × 1 + 1 × 0) ÷ 4, where trec_eval has 1 ÷ 2."""
    with weighted_window(qtbot, tmp_path, (3.0, 1.0)) as window:
        values = window.live.findChild(LiveValues)
        assert values.rows.rows[0].mean == (3 * 1 + 1 * 0) / 4
        assert values.heads == ("trec_eval*", "This query", "Weighted mean of 2")
        model = values.rows.model()
        for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            assert WEIGHTED in model.headerData(0, Qt.Orientation.Horizontal, role).replace(
                " \n", " "
            )
            assert "; weighted mean of 2: 0.7500" in model.data(model.index(0, 0), role).replace(
                "\n", "; "
            )


@pytest.mark.parametrize(("weights", "is_weighted"), [((2.0, 2.0), True), ((3.0, 1.0), False)])
def test_a_mean_that_weights_do_not_change_is_a_mean(qtbot, tmp_path, weights, is_weighted):
    """They are all equal, or do not count: the tool would print this number."""
    with weighted_window(qtbot, tmp_path, weights, is_weighted=is_weighted) as window:
        values = window.live.findChild(LiveValues)
        assert values.rows.rows[0].mean == (1 + 0) / 2
        assert values.heads == ("trec_eval -c", "This query", "Mean of 2")
        window.views.show(Mode.COMPARE)
        page = window.views.page(Mode.COMPARE)
        computed(qtbot, page)
        assert page.head.conventions.text() == "trec_eval -c"
        assert ", weighted" not in page.head.queries.toolTip()


def test_compare_and_what_if_call_a_weighted_mean_so(qtbot, tmp_path):
    """Conventions are the project's own, and the mean of a what-if is of weighted queries."""
    with weighted_window(qtbot, tmp_path, (3.0, 1.0)) as window:
        window.views.show(Mode.COMPARE)
        page = window.views.page(Mode.COMPARE)
        computed(qtbot, page)
        assert page.head.conventions.text() == "own conventions"
        assert WEIGHTED in page.head.conventions.toolTip().replace(" \n", " ")
        window.views.show(Mode.WHATIF)
        side = window.views.page(Mode.WHATIF).values
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        titles = [each.text for each in side.findChildren(ElidedLabel)]
        assert "Weighted mean of 2 queries" in titles


def test_a_reader_hears_that_the_mean_is_weighted(qtbot, tmp_path):
    """A grade in a query that the values are not of changes the weighted mean: 3 ÷ 4 to 4 ÷ 4."""
    with weighted_window(qtbot, tmp_path, (3.0, 1.0)) as window:
        y = window.session.material.find_document("y")
        q = window.session.material.find_query("q")
        assert window.view.judging.query != q
        window.session.execute(Say.grade(q, y, 1))
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        said = window.live.describe_step("all")
        assert said == "Weighted mean of 2 queries: P@1 0.7500 to 1.0000."


@pytest.mark.parametrize(
    ("conventions", "name", "title"),
    [
        (Conventions(), "trec_eval -c", "trec_eval -c"),
        (Conventions(missing="both"), "trec_eval", "trec_eval"),
        (Conventions(undefined="leave out"), "trec_eval*", "own conventions"),
        (Conventions(unjudged="left out"), "trec_eval*", "own conventions"),
        (CONVENTION_PRESETS["quepid"].conventions, "quepid", "Quepid"),
    ],
)
def test_other_choices_have_no_plain_name_either(conventions, name, title):
    """Whatever differs from how the tool counts is named."""
    named = name_conventions(conventions, scale_preset("0-3"), is_weighted=False)
    assert (named.name, named.title) == (name, title)
    assert bool(named.differs) == name.endswith("*")
