"""Orders, pools and judging many at once, in the real window."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication

from judgetool.core.judgments import Query, State
from judgetool.gui.dialogs.queue import BelowDialog, QueueDialog, describe_left, describe_plan
from judgetool.gui.models.result_model import describe_order
from judgetool.session.commands import Say
from judgetool.session.edits import plan_bulk
from judgetool.session.effort import effort_table
from judgetool.session.opening import open_project
from judgetool.session.pool import PoolPolicy
from judgetool.session.queue import OrderPolicy, choose_pool, order_of, set_order
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window, press
from tests.helpers.builders import Parts, make_project, make_two_runs, simple_parts
from tests.helpers.fake_prompter import FakePrompter

DOWN = Qt.Key.Key_Down


@pytest.fixture
def project(tmp_path):
    """Three queries over six documents, nothing judged."""
    with make_project(tmp_path, simple_parts()) as session:
        return session.path


@pytest.fixture
def window(qtbot, project):
    """The window on that project."""
    with opened_window(qtbot, project) as window:
        yield window


@pytest.fixture
def dialog(qtbot, window):
    """The queue dialog."""
    made = QueueDialog(window.session, FakePrompter())
    qtbot.addWidget(made)
    return made


def grades(window, query=0):
    """Return the assessor's grades of a query, by document."""
    opinions = window.session.opinions(query)
    said = ((d, o.judgment.grade) for d, of in opinions.items() for o in of)
    return {document: grade for document, grade in said if grade is not None}


# Orders


def test_to_who_is_blind_the_queue_names_no_run(qtbot, tmp_path):
    """Only orders that tell nothing are offered, first the one that holds; nothing chosen changes nothing."""
    with opened_window(qtbot, make_two_runs(tmp_path, ["q"])) as window:
        window.session.execute(choose_pool(window.session, PoolPolicy("all", runs=("alpha",))))
        press(qtbot, window, "b")
        made = QueueDialog(window.session, FakePrompter(), is_blind=True)
        qtbot.addWidget(made)
        made.show()
        offered = [made.order.itemData(place) for place in range(made.order.count())]
        assert (made.order.currentData(), set(offered)) == ("random", {"random", "id"})
        assert not any(box.isVisible() for box in made.runs.values())
        assert made.answer is None


def test_the_usual_order_changes_nothing(dialog):
    """Nothing chosen, nothing to undo."""
    assert dialog.answer is None


def test_a_random_order_is_named_in_the_status_line(window, dialog):
    """Order and seed stand in the status line once they are chosen."""
    dialog.order.setCurrentIndex(dialog.order.findData("random"))
    dialog.seed.setValue(20417)
    window.session.execute(dialog.answer)
    assert window.status.remark.text == "Order: random, seed 20417"


def test_the_list_follows_the_order(window):
    """Cards stand in the order of the queue."""
    window.session.execute(set_order(OrderPolicy("id")))
    ids = window.session.material.document_ids()
    shown = [ids[number] for number in window.workspace.results.documents()]
    assert shown == sorted(shown)


def test_an_order_can_be_for_one_assessor(window, dialog):
    """‘Only for anna’ leaves the project's order to others."""
    dialog.order.setCurrentIndex(dialog.order.findData("stake"))
    dialog.only_mine.setChecked(True)
    window.session.execute(dialog.answer)
    assert order_of(window.session).kind == "stake"
    assert window.session.value("order") is None


def test_an_order_of_ones_own_is_given_up(qtbot, window, dialog):
    """Without the box the project's order is theirs again."""
    dialog.order.setCurrentIndex(dialog.order.findData("stake"))
    dialog.only_mine.setChecked(True)
    window.session.execute(dialog.answer)
    again = QueueDialog(window.session, FakePrompter())
    qtbot.addWidget(again)
    again.only_mine.setChecked(False)
    again.order.setCurrentIndex(again.order.findData("random"))
    window.session.execute(again.answer)
    assert window.session.value("order/anna") is None
    assert order_of(window.session).kind == "random"


def test_nobody_is_offered_an_order_of_their_own(qtbot, project):
    """Before it is said who judges, there is the project's order alone."""
    with open_project(project) as session:
        dialog = QueueDialog(session, FakePrompter())
        qtbot.addWidget(dialog)
        dialog.show()
        assert (dialog.across.isVisible(), dialog.only_mine.isVisible()) == (True, False)


def test_across_queries_a_grade_leads_to_another_query(qtbot, window):
    """Across queries the next document is the queue's next, of whichever query."""
    window.session.execute(set_order(OrderPolicy("rank", across_queries=True)))
    seen = []
    for _ in range(3):
        seen.append(window.view.judging.query)
        press(qtbot, window, "1")
    assert sorted(seen) == [0, 1, 2]


def test_across_queries_everything_is_judged_once(qtbot, window):
    """Grading on and on judges the whole pool, each document of each query once."""
    window.session.execute(set_order(OrderPolicy("random", 7, across_queries=True)))
    total = window.session.board.total_progress().total
    press(qtbot, window, "1" * total)
    assert window.session.board.total_progress().judged == total


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (OrderPolicy(), ""),
        (OrderPolicy("stake"), "Order: by stake"),
        (OrderPolicy(unjudged_first=True), "Order: by rank, unjudged first"),
        (OrderPolicy("id", across_queries=True), "Order: by document id, across queries"),
    ],
)
def test_orders_are_said_in_a_few_words(policy, said):
    """The usual order needs no words."""
    assert describe_order(policy) == said


# Pools


def test_the_dialog_counts_before_anything_is_taken(dialog):
    """Documents and unjudged ones of the pool are said, and what is left to judge."""
    dialog.ranks.setValue(2)
    dialog.show_preview()
    assert "6 documents to judge, 6 of them unjudged" in dialog.preview.text()
    assert "left to reach Judged@10 = 1 for all runs" in dialog.left.text()


def test_a_pool_of_fewer_ranks(window, dialog):
    """The depth chosen is the depth of the pool."""
    dialog.ranks.setValue(2)
    window.session.execute(dialog.answer)
    assert window.session.board.total_progress().total == 6


def test_a_pool_has_100_000_ranks_at_most(dialog):
    """The field ends there, however many are asked for."""
    dialog.ranks.setValue(100_000_000)
    assert dialog.ranks.value() == 100_000


def test_no_run_makes_no_pool(dialog):
    """Without a run the verb is closed, and the reason said."""
    for box in dialog.runs.values():
        box.setChecked(False)
    dialog.show_preview()
    assert not dialog.verb.isEnabled()
    assert dialog.remark.text() == "Check at least one run."


def test_a_pool_from_a_file(window, dialog, tmp_path):
    """The pairs of a file are the pool."""
    ids = window.session.material
    query, document = ids.queries[0].id, ids.document_id(window.view.judging.document)
    path = tmp_path / "pool.tsv"
    path.write_text(f"{query}\t{document}\n", encoding="utf-8")
    dialog.take_file(path)
    dialog.show_preview()
    assert "1 documents" in dialog.preview.text()
    window.session.execute(dialog.answer)
    assert window.session.board.total_progress().total == 1


def test_a_file_that_is_no_pool_is_refused_in_words(qtbot, window, tmp_path):
    """The line that is wrong is named, and the pool stays."""
    prompter = FakePrompter()
    made = QueueDialog(window.session, prompter)
    qtbot.addWidget(made)
    path = tmp_path / "pool.tsv"
    path.write_text("one two three\n", encoding="utf-8")
    made.take_file(path)
    assert "line 1" in prompter.told[0]
    assert made.answer is None


def test_a_fixed_pool_stays_as_it_is(qtbot, window):
    """A pool of what was unjudged is not chosen anew by opening the dialog."""
    window.session.execute(choose_pool(window.session, PoolPolicy("unjudged", 3)))
    made = QueueDialog(window.session, FakePrompter())
    qtbot.addWidget(made)
    assert made.kinds["as_is"].isChecked()
    assert made.answer is None


def test_without_a_run_nothing_is_left_to_be_counted(tmp_path):
    """The tooltip says why there is no number."""
    with make_project(tmp_path, Parts(queries=[Query("q", "soup")]), name="bare") as session:
        assert describe_left(session) == "No run has documents yet."


def test_what_is_left_stands_in_the_tooltip_of_the_status_line(window):
    """The pointer over the status line says how many judgments are left for all runs."""
    event = QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), window.status.mapToGlobal(QPoint(5, 5)))
    QApplication.sendEvent(window.status, event)
    assert "judgments left to reach Judged@10 = 1 for all runs" in window.status.toolTip()


def test_nothing_is_left_when_all_is_judged(window):
    """Then the sentence says so."""
    session = window.session
    for query in range(3):
        for document in session.board.pool(query).tolist():
            session.execute(Say.grade(query, document, 1.0))
    assert describe_left(session).startswith("Judged@10 is 1 for all runs")


def test_queries_are_named_in_the_quotes_of_the_language(window, speaks):
    """Where it is said that Judged@10 will not be 1."""
    session = window.session
    session.execute(Say.cannot_judge(1, int(session.board.pool(1)[0]), "Another language"))
    speaks("de")
    assert f"‚{session.material.queries[1].text}‘" in describe_left(session)


def test_what_cannot_be_judged_is_no_promise(window):
    """Judged@10 will not be 1 then: where it ends, and why, is said instead."""
    session = window.session
    session.execute(Say.cannot_judge(1, int(session.board.pool(1)[0]), "Another language"))
    left = describe_left(session)
    assert "Judged@10 = 1" not in left
    query = session.material.queries[1].text
    said = f"Judged@10 will end below 1 (lowest: 0.83) for ‘{query}’: 1 document cannot be judged."
    assert left.endswith(said)
    for query in range(3):
        for document in session.board.pool(query).tolist():
            if session.own_judgment(query, document).state is State.UNJUDGED:
                session.execute(Say.grade(query, document, 1.0))
    assert describe_left(session).startswith("The first 10 ranks of all runs are judged as far as")


# Many at once


def test_a_grade_key_asks_before_it_grades_several(qtbot, window):
    """Three cards selected: the banner says what the grade would change, and nothing is done yet."""
    press(qtbot, window, DOWN, SHIFT)
    press(qtbot, window, DOWN, SHIFT)
    press(qtbot, window, "2")
    banner = window.workspace.grade_bar.banner
    assert banner.content.sentence == "Grade 2 for 3 documents: 3 unjudged."
    assert grades(window) == {}


def test_enter_grades_all_selected(qtbot, window):
    """Enter takes the banner's first answer; afterwards one card is selected again."""
    press(qtbot, window, DOWN, SHIFT)
    press(qtbot, window, "2")
    qtbot.keyClick(window.workspace.grade_bar.banner.answers[0], Qt.Key.Key_Return)
    assert list(grades(window).values()) == [2.0, 2.0]
    assert len(window.workspace.results.selected_documents()) == 1
    assert window.workspace.grade_bar.banner.isHidden()


def test_one_undo_takes_all_of_them_back(qtbot, window):
    """Many grades at once are one step."""
    press(qtbot, window, Qt.Key.Key_A, CTRL)
    press(qtbot, window, "2")
    window.judge_handler.answer_banner("grade_many")
    assert len(grades(window)) == 6
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert grades(window) == {}


def test_cancel_grades_nothing(qtbot, window):
    """Cancel leaves everything as it was."""
    press(qtbot, window, Qt.Key.Key_A, CTRL)
    press(qtbot, window, "2")
    window.workspace.grade_bar.banner.answers[1].click()
    assert grades(window) == {}
    assert window.workspace.grade_bar.banner.isHidden()


def test_what_all_selected_have_is_said_and_not_asked(qtbot, window):
    """A second time the same grade is nothing that could be answered."""
    for __ in range(2):
        press(qtbot, window, Qt.Key.Key_A, CTRL)
        press(qtbot, window, "2")
        window.judge_handler.answer_banner("grade_many")
    said = "All 6 selected documents have grade 2 already."
    assert window.status.message.text == said
    assert len(grades(window)) == 6


def test_a_question_goes_with_the_selection_that_it_is_about(qtbot, window):
    """Whoever chooses one card instead is not asked of several any more."""
    press(qtbot, window, DOWN, SHIFT)
    press(qtbot, window, "2")
    table = window.workspace.results.table
    place = table.visualRect(table.model().index(3, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.workspace.grade_bar.banner.isHidden()
    assert grades(window) == {}


def test_in_focus_a_grade_is_of_what_is_read(qtbot, window):
    """What was selected in the list is not graded where it is not seen."""
    press(qtbot, window, DOWN, SHIFT)
    qtbot.keyClick(window, Qt.Key.Key_2, CTRL)
    document = window.view.judging.document
    qtbot.keyClick(window.focusWidget(), "2")
    assert grades(window) == {document: 2.0}


def test_a_click_with_ctrl_selects_one_more(qtbot, window):
    """Ctrl and a click add a card to the selection."""
    table = window.workspace.results.table
    place = table.visualRect(table.model().index(2, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, CTRL, place)
    documents = window.workspace.results.documents()
    assert window.workspace.results.selected_documents() == [documents[0], documents[2]]


def test_escape_puts_the_question_off(qtbot, window):
    """Esc answers the banner with Cancel."""
    press(qtbot, window, Qt.Key.Key_A, CTRL)
    press(qtbot, window, "2")
    qtbot.keyClick(window.workspace.grade_bar.banner.answers[0], Qt.Key.Key_Escape)
    assert grades(window) == {}
    assert window.workspace.grade_bar.banner.isHidden()


def test_escape_goes_back_to_one_card(qtbot, window):
    """Esc in the list lets go of the selection, and a grade key grades one document."""
    press(qtbot, window, DOWN, SHIFT)
    press(qtbot, window, Qt.Key.Key_Escape)
    press(qtbot, window, "2")
    assert len(grades(window)) == 1


def test_one_card_is_no_selection(qtbot, window):
    """The current card alone is graded at once."""
    press(qtbot, window, "2")
    assert len(grades(window)) == 1


def test_grading_and_staying_selects_nothing(qtbot, window):
    """Shift, held for ‘grade and stay’, does not select cards on the way."""
    press(qtbot, window, "2", SHIFT)
    press(qtbot, window, "j")
    press(qtbot, window, "2", SHIFT)
    assert len(window.workspace.results.selected_documents()) == 1
    assert len(grades(window)) == 2


def test_the_log_says_how_many_were_graded_at_once(qtbot, window):
    """Bulk grades are told apart from single ones in the statistics of effort."""
    press(qtbot, window, Qt.Key.Key_A, CTRL)
    press(qtbot, window, "2")
    window.judge_handler.answer_banner("grade_many")
    records = effort_table(window.session).records
    assert {record.n_at_once for record in records} == {6}
    assert {record.position for record in records} == {None}


def test_all_unjudged_below_with_a_preview(qtbot, window):
    """The dialog counts, leaves judged ones alone, and gives one command."""
    results = window.workspace.results
    window.session.execute(Say.grade(0, results.documents()[2], 3.0))
    made = BelowDialog(window.session, 0, documents=results.documents(), place=0)
    qtbot.addWidget(made)
    assert not made.verb.isEnabled()
    made.choices.by_name[1.0].setChecked(True)
    assert made.verb.text() == "Grade 4 documents"
    assert made.remark.text() == "4 unjudged."
    window.session.execute(made.answer.command)
    assert sorted(grades(window).values()) == [1.0, 1.0, 1.0, 1.0, 3.0]


def test_the_plan_says_what_would_change(window):
    """Unjudged, changed and unchanged documents are counted apart."""
    first, second, third, fourth, *_ = window.workspace.results.documents()
    session = window.session
    session.execute(Say.grade(0, first, 3.0))
    session.execute(Say.grade(0, second, 2.0))
    session.execute(Say.grade(0, third, 1.0))
    session.execute(Say.cannot_judge(0, fourth, ""))
    plan = plan_bulk(session, 0, window.workspace.results.documents(), 2.0)
    assert describe_plan(plan) == (
        "2 unjudged, 1 said to be impossible to judge, 2 would change (1 from 1, 1 from 3), "
        "1 have it already."
    )
    assert session.opinions(0)[fourth][0].judgment.state is State.CANNOT_JUDGE


def test_the_queue_fits_a_low_screen(qtbot, dialog):
    """Its content is scrolled, so that the buttons are always on the screen."""
    dialog.resize(680, 380)
    dialog.show()
    qtbot.waitExposed(dialog)
    dialog.resize(680, 380)
    qtbot.waitUntil(lambda: dialog.height() == 380)
    assert dialog.foot.geometry().bottom() < 380
