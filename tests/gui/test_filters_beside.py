"""Filters that take long are looked up beside the window; the list stays until they are."""

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.gui.jobs import Jobs
from judgetool.gui.models.finders import MOST_AT_ONCE
from judgetool.gui.models.query_model import Order, QueryModel
from judgetool.gui.models.result_model import ResultModel
from judgetool.session.commands import Say
from judgetool.session.finding import MOST_TEXTS_QUICK, Filter
from tests.helpers.builders import Parts, make_project


@pytest.fixture
def jobs():
    made = Jobs()
    yield made
    made.close()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """So many documents that looking for their texts takes long; 'some' has texts alone."""
    names = [f"d{number}" for number in range(MOST_TEXTS_QUICK + 10)]
    parts = Parts(
        [Query("many"), Query("some"), Query("none")],
        [Document("d0", "Leek soup"), Document("d1", "Barley")],
        {"alpha": {"many": names, "some": ["d0", "d1"]}},
    )
    with make_project(tmp_path_factory.mktemp("large"), parts) as session:
        yield session


@pytest.fixture
def queries(qtbot, large, jobs):
    model = QueryModel()
    model.finder.jobs = jobs
    model.set_order(Order.PROJECT)
    model.set_session(large)
    return model


def test_long_search_keeps_the_list_until_it_is_there(qtbot, queries):
    """A chip that needs all texts leaves the list as it is, and then filters it."""
    queries.set_chips([Filter("no_text")])
    assert queries.shown == [0, 1, 2]
    qtbot.waitUntil(lambda: queries.shown == [0])
    assert not queries.finder.is_looking


def test_quick_chip_filters_at_once(queries):
    """What a query of the file or the arrays answer is not waited for."""
    queries.set_chips([Filter("run", "alpha")])
    assert queries.shown == [0, 1]


def test_long_search_that_is_out_of_date_is_dropped(qtbot, queries, jobs):
    """Chips taken back meanwhile stay without effect."""
    queries.set_chips([Filter("no_text")])
    queries.set_chips([])
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert queries.shown == [0, 1, 2]


def test_other_project_drops_the_search(qtbot, queries, jobs):
    """Nothing that was found in one project filters another."""
    queries.set_chips([Filter("no_text")])
    queries.set_session(None)
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert queries.shown == []


def test_judgment_is_taken_in_when_the_list_is_ordered_anew(qtbot, queries, large):
    """After a judgment the search is made again, beside as before."""
    queries.set_chips([Filter("flagged"), Filter("no_text")])
    qtbot.waitUntil(lambda: queries.shown == [])
    large.execute(Say.flag(0, int(large.board.pool(0)[5]), flagged=True))
    queries.refresh([0])
    assert queries.shown == []
    queries.regroup()
    qtbot.waitUntil(lambda: queries.shown == [0])
    large.undo()


@pytest.fixture
def results(qtbot, tmp_path, jobs):
    """A query with more texts than are searched at once."""
    documents = [
        Document(f"d{number}", "Leek" if number % 10 == 0 else "Barley")
        for number in range(MOST_AT_ONCE + 50)
    ]
    ranked = {"q": [each.id for each in documents], "r": ["d0", "d1"]}
    parts = Parts([Query("q"), Query("r")], documents, {"alpha": ranked})
    with make_project(tmp_path, parts) as session:
        model = ResultModel()
        model.finder.jobs = jobs
        model.filters_ready.connect(model.apply_filters)
        model.set_session(session)
        model.show_query(session.material.runs[0].run_id, 0)
        yield model
        jobs.stop_all()


def test_many_texts_are_searched_beside(qtbot, results):
    """Words leave the list as it is until all texts are searched."""
    leek = Filter("text", "leek")
    results.set_filters([leek])
    assert len(results.listed.rows) == MOST_AT_ONCE + 50
    assert results.count_met([leek]) == [None]
    qtbot.waitUntil(lambda: len(results.listed.rows) == 15)
    assert results.count_met([leek]) == [15]


def test_words_typed_on_drop_the_search_before(qtbot, results, jobs):
    """Only the last words count, however quick they were typed."""
    for words in ("l", "le", "zzz", "barley"):
        results.set_filters([Filter("text", words)])
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert len(results.listed.rows) == MOST_AT_ONCE + 50 - 15


def test_taking_words_back_shows_everything(qtbot, results, jobs):
    """A search whose words are gone changes nothing any more."""
    results.set_filters([Filter("text", "leek")])
    results.set_filters([])
    qtbot.waitUntil(lambda: jobs.is_idle)
    assert len(results.listed.rows) == MOST_AT_ONCE + 50


def test_texts_found_once_are_not_searched_again(qtbot, results):
    """A second condition beside words that are known holds at once, and by what is said now."""
    leek = Filter("text", "leek")
    results.set_filters([leek])
    qtbot.waitUntil(lambda: len(results.listed.rows) == 15)
    document = results.listed.rows[0].document
    results.session.execute(Say.grade(0, document, 2))
    results.set_filters([leek, Filter("judged")])
    assert results.listed.documents == [document]


def test_next_query_is_shown_filtered(results):
    """Words hold for the query that is shown next."""
    results.set_filters([Filter("text", "leek")])
    results.show_query(results.listed.run_id, 1)
    assert [results.text(place).title for place in range(len(results.listed.rows))] == ["Leek"]
