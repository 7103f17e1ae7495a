"""Small things that were said wrongly, or not at all, while judging."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from judgetool.core.judgments import Document, Query
from judgetool.core.scale import scale_preset
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.by_hand import GuidelinesDialog
from judgetool.gui.dialogs.choose import ChooseDialog, RadioOption
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.session.commands import Say, SetScale, SetValues, set_measures
from judgetool.session.opening import create_project
from tests.gui.whatif_fixtures import soup_parts, whatif_page
from tests.gui.window_fixtures import CTRL, banner_answers, opened_window, press
from tests.helpers.builders import Parts, lay_sample, make_project, open_sample, simple_parts


@pytest.fixture
def project(tmp_path):
    """Three queries over six documents, nothing judged."""
    with make_project(tmp_path, simple_parts()) as session:
        return session.path


@pytest.fixture
def window(qtbot, project):
    with opened_window(qtbot, project) as shown:
        yield shown


@pytest.fixture
def typed(qtbot, monkeypatch):
    """Return a function that types into the next dialog and takes its verb, if it can be taken."""

    def type_keys(keys):
        def is_answered(dialog):
            dialog.open()
            for key in keys:
                qtbot.keyClick(dialog.focusWidget(), key)
            dialog.hide()
            return dialog.verb.isEnabled()

        monkeypatch.setattr(ActDialog, "is_answered", is_answered)

    return type_keys


def own(window, query, document):
    said = window.session.opinions(query).get(document, [])
    return next((each.judgment for each in said if each.assessor == "anna"), None)


def test_the_first_grade_in_the_sample_moves_its_values(qtbot, tmp_path):
    """The first document is one of the best answers, unjudged: whatever it is worth is seen at once."""
    path = tmp_path / "recipes.judge"
    lay_sample(path)
    with opened_window(qtbot, path, assessor="newcomer") as window:
        judging, board = window.view.judging, window.session.board
        query = judging.query
        title = window.session.material.document(judging.document).title
        values = board.engine.value
        before = [each.value for each in values(judging.run_id, query)]
        names = list(map(str, window.session.measures))
        assert 0 < board.progress(query).judged < board.progress(query).total
        press(qtbot, window, "3")
        after = [each.value for each in values(judging.run_id, query)]
    moved = {name for name, *two in zip(names, before, after, strict=True) if two[0] != two[1]}
    assert (title, set(names) - moved) == ("Paella", {"R@10"})


def test_steps_are_called_by_titles(qtbot, window):
    """History, undo and the status line name document and query as people do."""
    press(qtbot, window, "2")
    title = "Grade 2 for ‘Soup recipe 0’, ‘soup number 0’"
    assert window.session.undo_step.title == title
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert window.status.message.text.startswith(f"Undone: {title[:1].lower()}{title[1:]}.")


def test_an_edit_that_is_undone_is_called_one(qtbot, window, typed):
    """Who reads ‘query q0’ would believe that the query went."""
    typed("x")
    press(qtbot, window, Qt.Key.Key_E, CTRL | Qt.KeyboardModifier.ShiftModifier)
    query = window.session.material.queries[window.view.judging.query]
    assert "x" in query.text
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    said = f"Undone: edit of query {query.id}."
    qtbot.waitUntil(lambda: window.status.message.text.startswith(said))


def test_a_digit_chooses_the_reason(qtbot, window, typed):
    """X, then 2."""
    judging = window.view.judging
    pair = judging.query, judging.document
    typed("2")
    press(qtbot, window, "x")
    assert own(window, *pair).note == "Another language"


@pytest.mark.parametrize("kept", ["", "too long", "Another language"])
def test_a_reason_typed_at_once_is_that_reason(qtbot, window, typed, kept):
    """Its first letter leads to the field, in place of what is kept; blanks and digits stand in it."""
    judging = window.view.judging
    pair = judging.query, judging.document
    window.session.execute(Say.cannot_judge(*pair, kept))
    typed("page 2 is missing")
    press(qtbot, window, "x")
    assert own(window, *pair).note == "page 2 is missing"


def test_a_blank_alone_chooses_what_has_the_keyboard(qtbot, window, typed):
    """As in any choice of several."""
    judging = window.view.judging
    pair = judging.query, judging.document
    typed(" ")
    press(qtbot, window, "x")
    assert own(window, *pair).note == "No text to judge by"


@pytest.mark.parametrize("held", [CTRL, Qt.KeyboardModifier.AltModifier])
def test_a_key_with_ctrl_or_alt_writes_no_reason(qtbot, held):
    """It may be the key of something else."""
    dialog = ChooseDialog("Why?", [RadioOption("a", "Torn")], verb="Say it", other="Another")
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClick(dialog.buttons["a"], Qt.Key.Key_Q, held)
    assert not dialog.other.hasFocus()
    assert dialog.answer == ""


def test_a_reason_can_be_pasted_at_once(qtbot):
    """Like letters it is the reason, though the keyboard is on the first choice."""
    dialog = ChooseDialog("Why?", [RadioOption("a", "Torn")], verb="Say it", other="Another")
    qtbot.addWidget(dialog)
    dialog.show()
    QGuiApplication.clipboard().setText("cut at 2")
    qtbot.keyClick(dialog.buttons["a"], Qt.Key.Key_V, CTRL)
    qtbot.keyClick(dialog.other, Qt.Key.Key_Return, CTRL)
    assert (dialog.result(), dialog.answer) == (1, "cut at 2")


def test_a_digit_chooses_the_grade_for_all_below(window, typed):
    """The grade's own digit, as on the buttons."""
    typed("1")
    window.actions_by_name.action("queue.grade_below").trigger()
    grades = {
        document: own(window, 0, document) for document in window.session.board.pool(0)[1:].tolist()
    }
    assert {judgment.grade for judgment in grades.values()} == {1.0}


def test_undo_of_a_scale_change_stays_where_one_is(qtbot, window):
    """It touches every judgment, and is of no one place."""
    session = window.session
    session.execute(Say.grade(2, int(session.board.pool(2)[3]), 1.0))
    mapping = {1.0: 1.0}
    session.execute(SetScale(scale_preset("binary"), mapping))
    window.view.judging.show_query(0)
    place = window.view.judging.query, window.view.judging.document
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert session.scale.label == "0–3"
    assert (window.view.judging.query, window.view.judging.document) == place


def test_an_answered_banner_gives_the_keyboard_back(qtbot, window):
    """After the question about an import the arrows go through the results, not through runs."""
    window.actions_by_name.action("edit.undo").trigger()
    banner = window.workspace.grade_bar.banner
    qtbot.mouseClick(banner.answers[1], Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is window.workspace.results.table


def test_just_judged_fills_up_after_undo(qtbot, window):
    """What stood below the last eight comes up again."""
    window.views.show(Mode.FOCUS)
    text = window.workspace.document.text
    for _ in range(12):
        qtbot.keyClick(text, "1")
    for _ in range(9):
        qtbot.keyClick(text, Qt.Key.Key_Z, CTRL)
    assert len(window.workspace.side.judged.titles) == 3


def test_an_empty_project_shows_no_mean(qtbot, tmp_path):
    """Nothing of the project before stands in the panel."""
    empty = tmp_path / "empty.judge"
    create_project(empty, scale=scale_preset("0-3"))
    with open_sample(tmp_path) as session:
        sample = session.path
    with opened_window(qtbot, sample) as window:
        assert window.live.values.heads[-1] == "Mean of 19"
        window.try_open(empty)
        assert window.live.values.heads[-1] == "Mean"


def test_a_mean_says_over_how_many_queries_it_is(qtbot, tmp_path):
    """Where undefined values are left out, means differ in that: head, tooltips and the what-if say each one's own."""
    with make_project(tmp_path, soup_parts()) as session:
        path = session.path
        # Of the first query nothing is relevant any more: nDCG is undefined, Judged is not.
        session.execute(set_measures(("nDCG@10", "Judged@10")))
        session.execute(SetValues({"conventions": {"undefined": "leave out"}}, "Conventions"))
        for document, _ in list(session.board.settled(0).items()):
            session.execute(Say.grade(0, document, 0.0))
    with opened_window(qtbot, path) as window:
        values = window.live.values
        assert values.heads[-1] == "Mean of up to 3"
        model, told = values.rows.model(), Qt.ItemDataRole.ToolTipRole
        said = [model.index(row, 0).data(told) for row in range(2)]
        assert ["mean of 2:" in said[0], "mean of 3:" in said[1]] == [True, True]
        page = whatif_page(window)
        for name, n in (("nDCG@10", 2), ("Judged@10", 3)):
            page.values.choose_measure(name)
            assert f"Mean of {n} queries" in [e.text for e in page.values.findChildren(ElidedLabel)]


def test_enter_on_a_card_opens_the_focus_view(qtbot, window):
    """So does a double click."""
    press(qtbot, window, Qt.Key.Key_Return)
    assert window.views.mode is Mode.FOCUS
    window.views.show(Mode.LIST)
    table = window.workspace.results.table
    at = table.visualRect(table.model().index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert window.views.mode is Mode.FOCUS


def test_the_end_of_the_queue_offers_what_comes_next(qtbot, window):
    """Once, with no group left that says 'Not started' or 'In part'."""
    for _ in range(18):
        press(qtbot, window, "1")
    banner = window.workspace.grade_bar.banner
    assert banner.isVisible()
    assert "Review my judgments" in banner_answers(window)
    model = window.queries.model
    qtbot.waitUntil(
        lambda: [model.row(place).group.value for place in model.group_rows()] == ["Done"]
    )
    banner.chosen.emit("dismiss")
    press(qtbot, window, "2")
    assert not banner.isVisible()


def test_a_read_only_project_says_why_and_grading_keys_answer(qtbot, project):
    """The reason stands on the screen; a grade is not taken, and that is said."""
    with opened_window(qtbot, project), opened_window(qtbot, project) as second:
        reason = second.session.read_only_reason
        assert reason
        banner = second.workspace.grade_bar.banner
        assert reason in banner.content.sentence
        press(qtbot, second, "2")
        assert reason in second.status.message.text


def test_a_field_with_a_made_up_name_is_no_unit(qtbot, tmp_path):
    """‘295 price_cents’ and ‘197 length’ are no way to say it."""
    fields = {"price_cents": "295", "minutes": "20", "length": "197"}
    parts = Parts(
        [Query("q", "soup")],
        [Document("d", "Soup", "", "Words. " * 40, fields)],
        {"alpha": {"q": ["d"]}},
    )
    with make_project(tmp_path, parts) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        window.views.show(Mode.FOCUS)
        shown = window.workspace.document.text.toPlainText()
        assert "20 minutes" in shown
        assert "295 price_cents" not in shown
        assert "length: 197" in shown


def test_guidelines_stand_on_the_dialogs_ground(qtbot, tmp_path):
    """No slab of another grey within it."""
    with open_sample(tmp_path) as session:
        dialog = GuidelinesDialog(session, None)
        qtbot.addWidget(dialog)
        assert not dialog.text.autoFillBackground()
