"""Blind mode in the window: what is hidden, what is stored, who may switch it off."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from judgetool.core.judgments import State
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.finding import ReviewDialog
from judgetool.gui.dialogs.project_values import BlindDialog, parse_names
from judgetool.gui.widgets.labels import Text
from judgetool.session.commands import Say
from judgetool.session.finding import Filter
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import BlindPolicy, alias_id, blind_policy, set_blind_policy
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window, press
from tests.helpers.builders import Parts, make_project, simple_parts
from tests.helpers.events import load_events


@pytest.fixture
def project(tmp_path):
    """Return a project in which ben has judged the first two documents of the first query."""
    with make_project(tmp_path, simple_parts(), assessor="ben") as session:
        for document in session.board.pool(0).tolist()[:2]:
            session.execute(Say.grade(0, document, 3))
        return session.path


@pytest.fixture
def window(qtbot, project):
    with opened_window(qtbot, project) as shown:
        yield shown


def require(path, who, *, alias_ids=False):
    with open_project(path, assessor="lead") as session:
        session.execute(set_blind_policy(who, alias_ids=alias_ids))


def spoken(window):
    model = window.workspace.results.model
    role = Qt.ItemDataRole.AccessibleTextRole
    return [model.index(place, 0).data(role) for place in range(model.rowCount())]


def shown_of(session):
    """Return what was logged with the session's assessor's judgments, in order."""
    return [event.shown for event in load_events(session, assessor=session.assessor)]


def heard(window):
    """Return what is said of the current card, and of the levels that are lit or count."""
    model, place = window.workspace.results.model, window.workspace.results.current_place()
    roles = (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)
    card = tuple(model.index(place, 0).data(role) for role in roles)
    levels = window.workspace.grade_bar.levels
    return card, [each.accessibleName() for each in levels if each.is_given or each.counts]


def test_what_counts_is_told_from_what_one_said(qtbot, window):
    """The bar lights one's own grade alone; the one that counts is said with its view, not to the blind."""
    window.choose_view("max")
    query = window.view.judging.query
    window.view.judging.show_place(query, window.session.board.pool(query).tolist()[0])
    (name, tip), levels = heard(window)
    assert name.endswith("grade 3, highly relevant, you have given none")
    assert tip == "Counts by ‘Highest’: 3. You have given none."
    assert levels == ["Highly relevant, grade 3, counts here"]
    press(qtbot, window, "0", SHIFT)
    (name, tip), levels = heard(window)
    assert name.endswith("grade 3, highly relevant, you said 0")
    assert tip == "Counts by ‘Highest’: 3. You said 0."
    assert levels == ["Not relevant, grade 0, given", "Highly relevant, grade 3, counts here"]
    press(qtbot, window, "b")
    (name, tip), levels = heard(window)
    assert name.endswith("grade 0, not relevant")
    assert tip is None
    assert levels == ["Not relevant, grade 0, given"]


def test_a_chip_that_is_not_ones_own_says_whose_it_is(window):
    """Over the chip the tooltip is shown; over the text beside it none is."""
    results = window.workspace.results
    query = window.view.judging.query
    window.view.judging.show_place(query, window.session.board.pool(query).tolist()[0])
    table = results.table
    row = table.visualRect(results.model.index(results.current_place(), 0))
    columns = table.itemDelegate().columns(row.width())
    said = []
    for left in (columns.text + 2, columns.chip + 2):
        at = QPoint(row.left() + left, row.center().y())
        event = QHelpEvent(QEvent.Type.ToolTip, at, table.viewport().mapToGlobal(at))
        QApplication.sendEvent(table.viewport(), event)
        said.append(QToolTip.text())
    QToolTip.hideText()
    assert said == ["", "Counts by ‘All judgments, latest counts’: 3. You have given none."]


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
def test_b_keeps_the_keyboard_also_after_an_empty_list(qtbot, window, mode):
    """What had it has it after ‘B’, and after ‘B’ again; Esc leads back to it from finding."""
    results = window.workspace.results
    results.bar.add_chip(Filter("grade", -1.0))
    results.bar.clear()
    window.views.show(mode)
    held = results.table if mode is Mode.LIST else window.workspace.document.text
    held.setFocus()
    for __ in range(2):
        qtbot.keyClick(held, Qt.Key.Key_B)
        assert QApplication.focusWidget() is held
    qtbot.keyClick(held, Qt.Key.Key_F, CTRL)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is held


def test_b_hides_ranks_scores_runs_and_values(qtbot, window):
    """One key: no rank is said, the chooser of runs and the live values are gone."""
    press(qtbot, window, "b")
    tools = window.workspace.results.tools
    assert not tools.runs.isVisible()
    assert not tools.scores.isVisible()
    assert not window.docks.side.isVisible()
    assert all(text.startswith("Document ") for text in spoken(window))
    rows = window.workspace.results.model.listed.rows
    assert {(row.rank, row.score) for row in rows} == {(None, None)}
    assert window.status.view.text() == ""


def test_blind_by_preference_closes_at_once_what_reveals(window):
    """Views that show which run is better cannot be gone to, as after the key."""
    compare = window.actions_by_name.action("compare.show")
    for is_blind in (True, False):
        window.take_preferences({"is_blind": is_blind})
        assert compare.isEnabled() is not is_blind


def test_the_switch_shows_that_it_is_on(qtbot, window):
    """The top line says 'Blind' while it is on, else 'Blind off', and a click switches."""
    assert window.blind_button.text() == "Blind off"
    qtbot.mouseClick(window.blind_button, Qt.MouseButton.LeftButton)
    assert window.blind_button.text() == "Blind"
    press(qtbot, window, "b")
    assert window.blind_button.text() == "Blind off"
    assert window.docks.side.isVisible()


@pytest.mark.parametrize(
    ("mode", "then"),
    [
        (Mode.FOCUS, Mode.FOCUS),
        (Mode.COMPARE, Mode.LIST),
        (Mode.WHATIF, Mode.LIST),
        (Mode.AGREEMENT, Mode.LIST),
    ],
)
def test_going_blind_leaves_the_views_that_show_values(window, mode, then):
    """Who compares is led back to the list; who judges stays where they judge."""
    window.views.show(mode)
    window.session.execute(set_blind_policy((window.session.assessor,)))
    assert window.views.mode is then


def test_others_judgments_are_not_shown(qtbot, window):
    """Chips show only one's own judgments; what others judged is unjudged for me."""
    assert sum("grade 3" in text for text in spoken(window)) == 2
    press(qtbot, window, "b")
    assert all("not judged" in text for text in spoken(window))


def test_others_flags_and_notes_are_not_shown(qtbot, project):
    """What others have flagged or noted is not said while blind."""
    with open_project(project, assessor="ben") as session:
        session.execute(Say.flag(0, session.board.pool(0).tolist()[0], flagged=True))
        session.execute(Say.note(0, session.board.pool(0).tolist()[0], "duplicate?"))
    with opened_window(qtbot, project) as window:
        assert "flagged, has a note" in spoken(window)[0]
        press(qtbot, window, "b")
        assert not any("flagged" in text or "note" in text for text in spoken(window))


def test_the_order_tells_nothing(qtbot, window):
    """The list is in the seeded order of chance, not in the run's."""
    by_rank = window.workspace.results.documents()
    press(qtbot, window, "b")
    by_chance = window.workspace.results.documents()
    assert sorted(by_chance) == sorted(by_rank)
    assert by_chance != by_rank
    assert "random" in window.status.remark.text


def test_addresses_are_hidden(qtbot, window):
    """Neither card nor document shows where the document comes from."""
    press(qtbot, window, "b")
    model = window.workspace.results.model
    assert {model.text(place).url for place in range(model.rowCount())} == {""}


def test_keys_that_would_tell_are_closed(qtbot, window):
    """Next run, live values, explain and the view of judgments cannot be had meanwhile."""
    press(qtbot, window, "b")
    action = window.actions_by_name.action
    names = ("view.next_run", "view.live", "view.explain", "view.scores", "judge.view")
    assert not any(action(name).isEnabled() for name in names)
    press(qtbot, window, "b")
    assert all(action(name).isEnabled() for name in names)


def test_what_was_hidden_is_stored_with_each_judgment(qtbot, window):
    """The log says that a judgment was given blind, in which order and at which place."""
    press(qtbot, window, "2")
    press(qtbot, window, "b")
    press(qtbot, window, "1")
    seeing, blind = shown_of(window.session)
    assert (seeing["blind"], seeing["run"], seeing["order"]) == (False, "alpha", "rank")
    assert (blind["blind"], blind["live"], blind["order"]) == (True, False, "random")
    assert "run" not in blind
    assert "rank" not in blind


def test_it_is_kept_for_the_next_time(qtbot, project):
    """Who judges blind by choice still does after reopening."""
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "b")
    with opened_window(qtbot, project) as window:
        assert window.blind_button.text() == "Blind"
        assert all("not judged" in text for text in spoken(window))


def test_the_view_of_judgments_comes_back(qtbot, window):
    """Switching blind mode off counts the judgments that counted before."""
    before = window.session.board.view
    press(qtbot, window, "b")
    assert window.session.board.view != before
    press(qtbot, window, "b")
    assert window.session.board.view == before


def test_it_holds_in_focus(qtbot, window):
    """Changing the view does not bring anything back."""
    press(qtbot, window, "b")
    window.views.show(Mode.FOCUS)
    assert window.views.side.currentWidget() is not window.live or not window.docks.side.isVisible()
    press(qtbot, window, "1")
    assert shown_of(window.session)[-1]["mode"] == "focus"


# Required by the project


def test_a_required_assessor_cannot_switch_it_off(qtbot, project):
    """Who must judge blind is told so, and stays blind."""
    require(project, ("anna",))
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "b")
        assert window.blind_button.text() == "Blind"
        assert window.status.message.text == (
            "This project requires blind mode for anna. Its lead can change that."
        )
        assert window.workspace.results.model.is_blind


def test_others_may_choose(qtbot, project):
    """A requirement for one assessor is none for another."""
    require(project, ("anna",))
    with opened_window(qtbot, project, assessor="carla") as window:
        assert window.blind_button.text() == "Blind off"


def test_ids_that_tell_are_replaced(qtbot, project):
    """With other ids asked for, a document without title is called by its alias."""
    require(project, "all", alias_ids=True)
    with opened_window(qtbot, project) as window:
        document = window.view.judging.document
        found = window.view.mask(document, window.session.material.document(document))
        assert found.id == alias_id(window.session, document)
        assert window.view.place[1].startswith("d")


def test_requiring_it_holds_at_once(qtbot, window):
    """A lead who asks everyone for it is blind from then on, and undo takes it back."""
    window.project_handler.execute(set_blind_policy("all"))
    assert window.workspace.results.model.is_blind
    window.view.judging.undo()
    assert not window.workspace.results.model.is_blind


def test_the_dialog_says_for_whom(qtbot, project):
    """Names are written with commas; the answer is one command."""
    with open_project(project, assessor="lead") as session:
        dialog = BlindDialog(session)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.keyClicks(dialog.names, "anna,  ben ,anna")
        dialog.ids.click()
        session.execute(dialog.answer)
        assert blind_policy(session) == BlindPolicy(("anna", "ben"), has_alias_ids=True)
    assert parse_names(" , ") == ()


def test_the_dialog_shows_an_id_that_tells_in_short(qtbot, tmp_path):
    """Of a long one with the name of its run, as much as a line holds."""
    telling = {"bm25": {"q0": [f"bm25-{'x' * 200}"]}}
    with make_project(tmp_path, Parts(simple_parts().queries, (), telling)) as session:
        dialog = BlindDialog(session)
        qtbot.addWidget(dialog)
        told = next(
            said for each in dialog.findChildren(Text) if "name of a run" in (said := each.text())
        )
    assert told.replace("\u200b", "") == f"‘bm25-{'x' * 75}…’ has the name of a run in it."


def test_review_does_not_tell_on_others(qtbot, window):
    """While blind one's own judgments are shown without what others said."""
    pool = window.session.board.pool(0).tolist()
    window.session.execute(Say.grade(0, pool[0], 1))
    for is_blind, expected in ((False, True), (True, False)):
        dialog = ReviewDialog(window.session, is_blind=is_blind)
        qtbot.addWidget(dialog)
        sides = [dialog.rows.item(0).data(Qt.ItemDataRole.AccessibleTextRole)]
        assert any("ben 3" in side for side in sides) is expected
        assert (dialog.states.findText("Others differ") >= 0) is expected


def test_states_are_kept_apart(qtbot, window):
    """Skipped, flagged, sure and judged are four things, and undo takes back one of them."""
    press(qtbot, window, "b")
    query, document = window.view.judging.query, window.view.judging.document
    press(qtbot, window, "f")
    press(qtbot, window, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    press(qtbot, window, "s")
    window.view.judging.show_place(query, document)
    own = window.view.judging.own_judgment
    assert (own.state, own.flagged, own.confidence) == (State.SKIPPED, True, 2)
    window.view.judging.undo()
    own = window.view.judging.own_judgment
    assert (own.state, own.flagged, own.confidence) == (State.UNJUDGED, True, 2)
