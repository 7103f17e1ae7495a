"""What is made ready while nothing happens looks and counts just as what is not."""

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from judgetool.gui.models.query_model import QueryModel
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.widgets.painted import KeptPixmaps
from judgetool.session.commands import Say
from judgetool.session.queue import find_next_unjudged
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import lay_judged_sample, make_project, open_sample, simple_parts


@pytest.fixture
def session(tmp_path):
    with open_sample(tmp_path) as opened:
        yield opened


@pytest.fixture
def results(qtbot, session):
    panel = ResultList()
    qtbot.addWidget(panel)
    panel.resize(504, 680)
    panel.set_session(session)
    with qtbot.waitExposed(panel):
        panel.show()
    yield panel
    panel.set_session(None)


def prepare(panel, run_id, query):
    for _ in panel.prepare_query(run_id, query):
        pass


def test_prepared_query_looks_the_same(results, session):
    """A query that was made ready is painted pixel by pixel as one that was not."""
    run_id = session.material.runs[0].run_id
    results.show_query(run_id, 1)
    plain = results.table.viewport().grab().toImage()
    results.show_query(run_id, 0)
    results.table.viewport().grab()
    prepare(results, run_id, 1)
    assert results.has_prepared(run_id, 1)
    results.show_query(run_id, 1)
    assert results.table.viewport().grab().toImage() == plain


@pytest.mark.parametrize("keys", ["jj", "jjjk", "jjjjkk"])
def test_cards_painted_ahead_look_the_same(results, session, qtbot, keys):
    """The list looks pixel by pixel alike whether cards beside the place were painted ahead."""
    results.show_query(session.material.runs[0].run_id, 0)
    looks = []
    for is_ahead in (False, True):
        results.set_current(0)
        for each in keys:
            place = results.current_place() + (1 if each == "j" else -1)
            if is_ahead:
                for _ in results.prepare_place(place):
                    pass
            results.set_current(place)
        if not is_ahead:
            results.table.delegate.forget()
        looks.append(results.table.viewport().grab().toImage())
    assert looks[0] == looks[1]


def test_prepared_query_has_the_same_rows(results, session):
    """Rows, documents, open places and counts do not depend on whether a query was made ready."""
    run_id = session.material.runs[0].run_id
    results.show_query(run_id, 1)
    model = results.model
    plain = (
        model.listed.rows,
        model.listed.documents,
        model.open_places(),
        model.n_open,
        model.listed.heads,
    )
    results.show_query(run_id, 0)
    prepare(results, run_id, 1)
    results.show_query(run_id, 1)
    assert plain == (
        model.listed.rows,
        model.listed.documents,
        model.open_places(),
        model.n_open,
        model.listed.heads,
    )


def test_other_order_makes_what_was_prepared_worthless(results, session):
    """A query made ready for one order of the list is not shown in another."""
    run_id = session.material.runs[0].run_id
    results.show_query(run_id, 0)
    prepare(results, run_id, 1)
    results.tools.unjudged.click()
    assert not results.has_prepared(run_id, 1)


def test_judgment_of_the_prepared_query_drops_it(qtbot, tmp_path):
    """What was made ready is forgotten when somebody judges in that very query."""
    lay_judged_sample(tmp_path)
    with opened_window(qtbot, next(tmp_path.glob("*.judge"))) as window:
        judging, results = window.view.judging, window.workspace.results
        press(qtbot, window, Qt.Key.Key_BracketRight)
        order = window.queries.order()
        upcoming = order[order.index(judging.query) + 1]
        qtbot.waitUntil(lambda: results.has_prepared(judging.run_id, upcoming))
        document = int(window.session.board.pool(upcoming)[0])
        window.session.execute(Say.grade(upcoming, document, 1.0))
        assert not results.has_prepared(judging.run_id, upcoming)


def test_the_page_that_another_query_begins_with_is_written_ahead(qtbot, tmp_path):
    """The next query shows the page that was written for it, and it reads as one written anew."""
    lay_judged_sample(tmp_path)
    with opened_window(qtbot, next(tmp_path.glob("*.judge"))) as window:
        judging, text = window.view.judging, window.workspace.document.text
        results = window.workspace.results
        press(qtbot, window, Qt.Key.Key_BracketRight)
        order = window.queries.order()
        upcoming = order[order.index(judging.query) + 1]
        qtbot.waitUntil(lambda: results.has_prepared(judging.run_id, upcoming))
        first = find_next_unjudged(window.session, upcoming, results.prepared_documents(), after=-1)
        wanted = results.prepared_documents()[first or 0]
        title = window.session.material.show_document(wanted).title
        qtbot.waitUntil(lambda: any(page.toPlainText().startswith(title) for page in text.ready))
        ready = list(text.ready)
        press(qtbot, window, Qt.Key.Key_BracketRight)
        assert judging.query == upcoming
        assert text.page in ready
        shown = text.page.toHtml()
        text.rewrite()
        assert text.page.toHtml() == shown


def test_regroup_leaves_the_list_alone_when_no_query_moves(qtbot, tmp_path):
    """Switching queries without a judgment does not build the list of queries anew."""
    with make_project(tmp_path, simple_parts()) as project:
        model = QueryModel()
        model.set_session(project)
        resets = []
        model.modelReset.connect(lambda: resets.append(1))
        model.regroup()
        assert not resets
        project.execute(Say.grade(0, int(project.board.pool(0)[0]), 1.0))
        model.refresh([0])
        model.regroup()
        model.lay_rows()
        assert resets == [1]
        assert model.n_to_do == model.facts.n_to_do


def test_kept_row_is_painted_once(qtbot):
    """A row asked for again under the same key comes from its pixmap, until it is forgotten."""
    kept, painted = KeptPixmaps(2), []
    target = QPixmap(20, 10)
    painter = QPainter(target)
    for key in ("a", "a", "b", "c", "b", "a"):
        kept.draw(
            painter,
            QRect(0, 0, 20, 10),
            key,
            paint=lambda _painter, _rect, key=key: painted.append(key),
            ground=QColor("white"),
        )
    painter.end()
    assert painted == ["a", "b", "c", "a"]
