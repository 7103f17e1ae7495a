"""Who says who judges in the midst of something goes on in it: the project is opened anew for that."""

import pytest
from PySide6.QtCore import Qt

from judgetool.gui.actions import Mode
from judgetool.gui.compare.decide import DecideDialog
from judgetool.gui.models.finders import ASKED_OF_ME
from judgetool.metrics import parse_measure
from judgetool.session.commands import AskOf, WriteAsks
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.finding import Filter
from judgetool.session.opening import open_project
from tests.gui.test_settle_view import found, key, lay_soups, opened_settle
from tests.gui.whatif_fixtures import soup_parts, whatif_page
from tests.gui.window_fixtures import CTRL, SHIFT, answer_dialogs, opened_window, press
from tests.helpers.builders import lay_judged_sample, make_project, make_two_runs

UNJUDGED = Filter("unjudged")
QUERIES = [f"q{number:02}" for number in range(24)]


@pytest.fixture
def path(tmp_path):
    """Two runs over 24 queries; alpha finds what is good."""
    return make_two_runs(tmp_path, QUERIES)


@pytest.fixture
def asks_who(monkeypatch):
    """The question who judges, answered with a name; holds each dialog that opened."""
    return answer_dialogs(monkeypatch, lambda dialog: dialog.name.setText("zoe"))


def place(window):
    return window.view.judging.query, window.view.judging.document


def test_what_is_at_stake_goes_on(qtbot, path, asks_who):
    """The first grade asks who judges; then number 2 at stake comes, and all after it."""
    with opened_window(qtbot, path, assessor="") as window:
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_W)
        qtbot.waitUntil(page.query.next.start.isEnabled)
        wanted = [row.found[:2] for row in page.query.next.rows]
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        assert place(window) == wanted[0]
        press(qtbot, window, "2")
        assert (window.session.assessor, len(asks_who)) == ("zoe", 1)
        assert window.session.own_judgment(*wanted[0]).grade == 2.0
        assert place(window) == wanted[1]
        assert window.status.message.text.startswith("At stake: 2 of ")
        press(qtbot, window, "0")
        assert place(window) == wanted[2]
        # It is logged as before.
        assert page.queue.is_running
        page.stop_judging()
        assert window.status.message.text.startswith("2 of ")


def test_a_reason_that_is_selected_goes_on(qtbot, tmp_path, asks_who):
    """The first reason asks who judges; what was selected for it is kept then."""
    with opened_window(qtbot, lay_judged_sample(tmp_path), assessor="") as window:
        press(qtbot, window, "t")
        selected = window.workspace.document.text.textCursor().selectedText()
        press(qtbot, window, "y")
        assert (window.session.assessor, len(asks_who)) == ("zoe", 1)
        (span,) = window.view.judging.own_judgment.spans
        assert span.text == selected


def test_a_grade_elsewhere_stays_where_it_is_given(qtbot, path, asks_who):
    """Who has left the list for another document grades that one, and is then led back to what waits."""
    with opened_window(qtbot, path, assessor="") as window:
        page = window.views.page(Mode.COMPARE)
        pairs = [(query, int(window.session.board.pool(query)[0])) for query in (3, 4)]
        page.judge(pairs)
        window.view.judging.show_query(7)
        here = place(window)
        press(qtbot, window, "1")
        assert window.session.own_judgment(*here).grade == 1.0
        assert place(window) == pairs[0]
        press(qtbot, window, "1")
        assert place(window) == pairs[1]


def test_what_is_decided_goes_on(qtbot, path, asks_who):
    """The lot goes on with what it has drawn, and draws the next."""
    with opened_window(qtbot, path, assessor="") as window:
        page = window.views.page(Mode.COMPARE)
        dialog = DecideDialog(
            window.session, window.jobs, present_systems(window.session)[:2], None, is_blind=False
        )
        dialog.measure.setCurrentIndex(dialog.measure.findText("P@10"))
        dialog.blind.setChecked(False)
        qtbot.waitUntil(dialog.verb.isEnabled)
        answer = dialog.answer
        dialog.deleteLater()
        page.decider.begin(answer)
        begun, first = page.decider.deciding, place(window)
        press(qtbot, window, "2")
        assert window.session.assessor == "zoe"
        deciding = page.decider.deciding
        assert deciding is not begun
        assert deciding.session is window.session
        assert deciding.standing().n_judged == 1
        assert deciding.attempt.draws[0] == begun.attempt.draws[0]
        for count in range(2, 5):
            assert place(window) != first
            assert place(window) == deciding._pair(deciding.attempt.next_document())
            assert "Evidence" in window.status.message.text
            press(qtbot, window, "2")
            assert deciding.standing().n_judged == count
        assert deciding.question.measure == str(parse_measure("P@10"))


def test_settling_goes_on(qtbot, tmp_path, asks_who):
    """What was put off stays last, and a reason that was written stays with its document."""
    with opened_settle(qtbot, lay_soups(tmp_path / "soups.judge"), assessor="") as (window, page):
        first, second = (each[:2] for each in page.disputes)
        key(qtbot, window, "s")
        page.set_reason("Old news")
        window.actions_by_name.action("judge.assessor").trigger()
        assert window.session.assessor == "zoe"
        found(qtbot, page)
        assert [each[:2] for each in page.disputes] == [second, first]
        assert (page.dispute[:2], page.reason_kept) == (second, "Old news")


def test_filters_and_their_queue_stay(qtbot, tmp_path, asks_who):
    """The next document is one that filters let through, as it would be with the name known."""
    path = lay_judged_sample(tmp_path)
    with opened_window(qtbot, path, assessor="") as window:
        qtbot.keyClick(window.workspace.results.table, Qt.Key.Key_Q, SHIFT)
        qtbot.keyClicks(window.queries.bar.field, "bread")
        window.queries.bar.field.taken.emit()
        shown = tuple(window.queries.model.shown)
        assert 0 < len(shown) < window.queries.model.n_queries
        window.workspace.results.bar.add_chip(UNJUDGED)
        here = place(window)
        press(qtbot, window, "1")
        assert window.session.own_judgment(*here).grade == 1.0
        assert window.queries.bar.words == "bread"
        assert tuple(window.queries.model.shown) == shown
        assert window.workspace.results.bar.chips == (UNJUDGED,)


def test_a_grade_is_of_the_document_that_was_seen(qtbot, path, asks_who):
    """Who is asked has another list: a key typed before it was there grades nothing, and says so."""
    with open_project(path, assessor="lead") as session:
        asked = (5, int(session.board.pool(5)[2]))
        session.execute(WriteAsks((AskOf(*asked, "zoe"),), "Ask"))
    with opened_window(qtbot, path, assessor="") as window:
        before = place(window)
        assert before != asked
        press(qtbot, window, "2")
        assert window.session.is_asked
        assert window.status.message.text == "Not taken: under this name another document is shown."
        assert place(window) == asked
        assert all(window.session.own_judgment(*pair).grade is None for pair in (before, asked))
        assert window.queries.bar.chips == (ASKED_OF_ME,)
        press(qtbot, window, "2")
        assert window.session.own_judgment(*asked).grade == 2.0


def test_all_that_was_selected_is_asked_for(qtbot, path, asks_who):
    """A grade for several documents is one for all of them under a new name, too."""
    with opened_window(qtbot, path, assessor="") as window:
        results = window.workspace.results
        results.select_all()
        chosen = results.selected_documents()
        press(qtbot, window, "2")
        assert window.session.assessor == "zoe"
        assert results.selected_documents() == chosen
        offered = window.workspace.grade_bar.banner.answers[0].text()
        assert offered.replace("&", "") == f"Grade {len(chosen)} documents"


def test_another_program_import_ends_the_list(qtbot, path, asks_who):
    """A list whose numbers may be other queries' now is not led through."""
    with opened_window(qtbot, path, assessor="") as window:
        page = window.views.page(Mode.COMPARE)
        page.judge([(3, int(window.session.board.pool(3)[0]))])
        material = window.session.material
        material.query_ids = material.query_ids[::-1]
        window.judge_handler.take_assessor("zoe")
        assert page.queue is None


def test_another_ones_place_is_said_to_be_theirs(qtbot, path):
    """Who judges now goes on where they were; it was another document without a word."""
    with opened_window(qtbot, path) as window:
        press(qtbot, window, "j")
        here = place(window)
        window.judge_handler.take_assessor("zoe")
        assert place(window) != here
        said = "zoe judges now; what is shown is where zoe goes on."
        assert window.status.message.text == said


def test_a_mistyped_name_is_corrected_with_what_was_judged_under_it(qtbot, tmp_path, monkeypatch):
    """The box is off by default; with it all is the right name's, which is said, and Undo is offered."""
    offered, chosen = [], [False, True]

    def answer(dialog):
        offered.append((dialog.along.isVisibleTo(dialog), dialog.along.isChecked()))
        dialog.name.setText("Aylin")
        offered.append((dialog.along.text(), dialog.along.isChecked()))
        dialog.along.setChecked(chosen.pop(0))

    answer_dialogs(monkeypatch, answer)
    path = lay_judged_sample(tmp_path, assessor="nobody")
    with opened_window(qtbot, path, assessor="Alyin") as window:
        for key_typed in "210":
            press(qtbot, window, key_typed)
        window.actions_by_name.action("judge.assessor").trigger()
        text = "&Take the 3 judgments that were given as Alyin along"
        assert offered == [(False, False), (text, False)]
        assert whose(window) == {"Alyin": 3}
        window.judge_handler.take_assessor("Alyin")
        window.actions_by_name.action("judge.assessor").trigger()
        assert window.session.assessor == "Aylin"
        assert whose(window) == {"Aylin": 3}
        message = window.status.message
        assert message.text == "3 judgments of Alyin are under the new name now."
        qtbot.keyClick(window, Qt.Key.Key_Z, CTRL)
        assert whose(window) == {"Alyin": 3}
        assert "Take 3 judgments of Alyin along" in message.text.replace("take", "Take")


def whose(window):
    """How many judgments of the sample each of two names has."""
    said = [opinion.assessor for _, _, opinion, _ in window.session.iter_judgments()]
    return {name: said.count(name) for name in ("Alyin", "Aylin") if name in said}


def lay_soup_runs(folder):
    """Lay down two runs of opposite orders."""
    with make_project(folder, soup_parts(n_documents=40)) as session:
        return session.path


def test_a_what_if_shows_the_texts_of_the_project_that_is_open(qtbot, tmp_path, asks_who):
    """Opened anew for another assessor, the same query has its texts, and none of what was closed."""
    with opened_window(qtbot, lay_soup_runs(tmp_path)) as window:
        page = whatif_page(window)
        assert not page.orders.grab().isNull()
        window.views.show(Mode.LIST)
        window.actions_by_name.action("judge.assessor").trigger()
        assert window.session.assessor == "zoe"
        page = whatif_page(window)
        page.orders.scrollToBottom()
        assert not page.orders.grab().isNull()
        assert (
            page.orders.delegate._texts.text(page.orders.cards.order[-1]).title == "Soup recipe 39"
        )


def test_documents_of_a_cell_are_asked_for_where_blind_mode_hides_agreement(
    qtbot, tmp_path, asks_who
):
    """Its key does nothing, also where the cell was shown before somebody else opened the project."""
    with opened_window(qtbot, lay_judged_sample(tmp_path)) as window:
        window.views.show(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: window.views.page(Mode.AGREEMENT).confusion.currentRow() >= 0)
        window.views.show(Mode.LIST)
        window.actions_by_name.action("judge.assessor").trigger()
        window.actions_by_name.action("flow.blind").trigger()
        window.views.show(Mode.AGREEMENT)
        window.actions_by_name.action("agreement.documents").trigger()
        page = window.views.page(Mode.AGREEMENT)
        assert page.empty.isVisible()
