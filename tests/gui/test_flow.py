"""The flow of judging through keys: where a grade leads, pauses, goal, breaks, the log."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from judgetool.core.scale import Level, Scale
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.finding import HistoryDialog, ReviewDialog, said_text
from judgetool.gui.dialogs.preferences import PaceDialog
from judgetool.gui.project_view import BREAK_MS, BreakWatch, Pace
from judgetool.session.commands import SetScale
from judgetool.session.reading_aids import Blindness, alias_id
from judgetool.settings import Settings
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window, press
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.events import load_events

ALT = Qt.KeyboardModifier.AltModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def project(tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        return session.path


@pytest.fixture
def window(qtbot, project):
    with opened_window(qtbot, project) as shown:
        yield shown


def choose(window, **settings):
    window.change_settings(**settings)
    window.flow_handler.show_flow()


def place(window):
    return window.view.judging.query, window.workspace.results.current_place()


def grades(window):
    return [event.after.grade for event in load_events(window.session) if event.after]


# Where a grade leads


def test_next_of_the_queue_passes_nothing_over(qtbot, window):
    """With 'next of the queue' a judged document is shown again, in its place."""
    press(qtbot, window, "2", SHIFT)
    press(qtbot, window, "j")
    press(qtbot, window, "2", SHIFT)
    press(qtbot, window, Qt.Key.Key_Home)
    choose(window, advance="queue")
    press(qtbot, window, "1")
    assert place(window) == (0, 1)


def test_next_of_the_queue_goes_on_to_the_next_query(qtbot, window):
    """After the last document of a query comes the next query."""
    choose(window, advance="queue")
    press(qtbot, window, Qt.Key.Key_End)
    press(qtbot, window, "1")
    assert place(window)[0] == 1


def test_after_the_last_query_there_is_an_end(qtbot, window):
    """Behind the last document of the last query the window says so and stays."""
    choose(window, advance="queue")
    press(qtbot, window, "]]")
    press(qtbot, window, Qt.Key.Key_End)
    press(qtbot, window, "1")
    assert "judged" in window.status.message.text
    assert place(window)[0] == 2


# The pause


def test_keys_typed_in_the_pause_judge_the_next_documents(qtbot, window):
    """Nothing typed while a grade is seen is lost, and each key judges one document."""
    choose(window, pause_ms=300)
    press(qtbot, window, "3210")
    assert grades(window) == [3.0]
    assert place(window) == (0, 0)
    qtbot.waitUntil(lambda: len(grades(window)) == 4)
    assert grades(window) == [3.0, 2.0, 1.0, 0.0]
    qtbot.waitUntil(lambda: place(window) == (0, 4))


def test_undo_in_the_pause_takes_the_grade_back(qtbot, window):
    """Seeing a wrong grade, Ctrl+Z takes it back and stays with its document."""
    choose(window, pause_ms=1500)
    press(qtbot, window, "3")
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert window.view.judging.own_judgment.grade is None
    assert place(window) == (0, 0)


def test_moving_on_oneself_ends_the_pause(qtbot, window):
    """J in the pause goes to the next document, once."""
    choose(window, pause_ms=1500)
    press(qtbot, window, "3j")
    assert place(window) == (0, 1)
    press(qtbot, window, "2")
    assert grades(window) == [3.0, 2.0]


# The goal of the day, and breaks


def test_the_goal_counts_what_is_judged_today(qtbot, window):
    """Each document counts once; what is taken back no longer counts."""
    goal = window.status.goal
    choose(window, goal=3)
    press(qtbot, window, "12")
    qtbot.waitUntil(lambda: goal.text == "Goal today: 2 of 3")
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: goal.text == "Goal today: 1 of 3")
    press(qtbot, window, "123")
    qtbot.waitUntil(lambda: goal.text == "Goal today: 4 of 3, reached")


def test_the_goal_is_counted_on_after_reopening(qtbot, project):
    """What was judged earlier today counts."""
    with opened_window(qtbot, project) as window:
        press(qtbot, window, "12")
    with opened_window(qtbot, project) as window:
        choose(window, goal=120)
        assert window.status.goal.text == "Goal today: 2 of 120"


def test_a_break_is_due_after_so_many_minutes_of_judging():
    """Long silences are breaks; without them one is proposed in time."""
    watch = BreakWatch(30)
    minute = 60_000
    assert [watch.is_due(at * minute) for at in (0, 4, 8, 29, 33, 37)] == [False] * 6
    watch = BreakWatch(30)
    due = [watch.is_due(at * minute) for at in range(0, 40, 4)]
    assert due == [False] * 8 + [True] * 2
    assert watch.after_min * minute > BREAK_MS


def test_a_break_is_proposed_in_the_bar(qtbot, window, monkeypatch):
    """The proposal stands in the grade bar's place, and 'Go on' takes it away."""
    clock = iter(range(0, 10**9, 60_000))
    choose(window, break_min=10)
    monkeypatch.setattr(window.session, "clock", lambda: next(clock))
    for key in "1231231231":
        press(qtbot, window, key)
        if window.workspace.grade_bar.banner.isVisible():
            break
    banner = window.workspace.grade_bar.banner
    assert "short break" in banner.content.sentence
    qtbot.mouseClick(banner.answers[0], LEFT)
    assert not banner.isVisible()
    # Whoever goes on has minutes before the same is said again.
    press(qtbot, window, "1")
    assert not banner.isVisible()


def test_pace_leaves_idle_time_out():
    """An hour away from the desk does not make the pace slower."""
    pace = Pace()
    for step in range(10):
        pace.note(step * 30_000, active_ms=30_000)
    pace.note(9 * 30_000 + 3_600_000, active_ms=30_000)
    assert pace.per_hour == 120


def test_pauses_are_not_pace():
    """Who works at 3 s a document and rests half a minute now and then judges 1,200 an hour."""
    pace = Pace()
    for step in range(40):
        pace.note(step * 100_000, active_ms=30_000 if step % 4 == 3 else 3_000)
    assert pace.per_hour == 1_200


def test_a_few_judgments_are_no_pace_yet():
    """Five quick ones would promise thousands an hour; twenty, or some minutes of work, are told."""
    quick, slow = Pace(), Pace()
    for step in range(19):
        quick.note(step * 600, active_ms=600)
        slow.note(step * 40_000, active_ms=40_000)
        assert quick.per_hour is None
        assert quick.texts(100) == ("", "100 left")
        assert slow.per_hour == (90 if step >= 4 else None)
    quick.note(19 * 600, active_ms=600)
    assert quick.per_hour == 6_000


def test_the_pace_says_of_what_it_is(qtbot, window):
    """Statistics has another figure for the same work: each says which it is."""
    status = window.status
    for key in (Qt.Key.Key_1, Qt.Key.Key_2) * 10:
        press(qtbot, window, key, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: "an hour" in status.pace.text)
    assert "latest judgments of this session" in status.pace.toolTip()
    assert "without pauses" in status.pace.accessibleDescription()
    assert "said to be impossible to judge" in status.progress.toolTip()


def test_the_dialog_gives_preferences(qtbot):
    """Every field of the dialog is one preference; 'stay' keeps where grades led before."""
    dialog = PaceDialog(Settings(advance="queue", pause_ms=200))
    qtbot.addWidget(dialog)
    dialog.fields["guard_ms"].setValue(60)
    dialog.fields["advance"].buttons()[2].setChecked(True)
    answer = dialog.answer
    assert (answer["moves_on"], answer["pause_ms"], answer["guard_ms"]) == (False, 200, 60)
    assert "advance" not in answer


# What the log tells


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_a_key_that_presses_a_level_is_no_click(qtbot, window, key):
    """Who reaches a level by Tab gives grades by keys: statistics and the log say so."""
    level = window.workspace.grade_bar.levels[1]
    level.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(level, key)
    (only,) = load_events(window.session)
    assert only.origin == "key"


def test_the_log_says_how_a_judgment_came_about(qtbot, window):
    """Position, order, active time, view and hand are stored."""
    press(qtbot, window, "3")
    bar = window.workspace.grade_bar
    qtbot.mouseClick(bar.levels[1], LEFT)
    first, second = load_events(window.session)
    assert (first.origin, second.origin) == ("key", "click")
    assert (first.shown["position"], second.shown["position"]) == (1, 2)
    assert (second.shown["mode"], second.shown["order"]) == ("list", "rank")
    assert 0 <= second.shown["active_ms"] <= second.spent_ms + 50


def test_confidence_is_said_and_taken_back(qtbot, window):
    """Alt and a digit say how sure one is; the same again says nothing; the bar shows it."""
    press(qtbot, window, "2", SHIFT)
    press(qtbot, window, Qt.Key.Key_3, ALT)
    assert window.view.judging.own_judgment.confidence == 3
    assert window.workspace.grade_bar.levels[2].accessibleName().endswith("given, sure")
    press(qtbot, window, Qt.Key.Key_3, ALT)
    assert window.view.judging.own_judgment.confidence is None


# A continuous scale

WIDE = Scale("0-100", (Level(0, "Useless"), Level(100, "Perfect", gain=100)), 50, True)


def test_a_number_is_typed(qtbot, window):
    """Digits begin a number, Enter gives it and moves on, Esc leaves without."""
    window.session.execute(SetScale(WIDE))
    press(qtbot, window, "6")
    entry = window.workspace.grade_bar.entry
    assert window.focusWidget() is entry
    qtbot.keyClicks(entry, "2.5")
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    assert grades(window) == [62.5]
    assert place(window) == (0, 1)
    press(qtbot, window, "7")
    qtbot.keyClick(entry, Qt.Key.Key_Escape)
    assert window.focusWidget() is not entry
    assert grades(window) == [62.5]


def test_a_number_off_the_scale_is_refused_in_words(qtbot, window):
    """What is no grade is said, and the field keeps the keyboard."""
    window.session.execute(SetScale(WIDE))
    press(qtbot, window, "6")
    entry = window.workspace.grade_bar.entry
    qtbot.keyClicks(entry, "00")
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    assert "not a number of this scale (0–100)" in window.status.message.text
    assert window.focusWidget() is entry
    assert grades(window) == []


# Looking back


def test_review_leads_to_a_judgment(qtbot, window):
    """One's own judgments, newest first; filters narrow them; the answer is a place."""
    press(qtbot, window, "3]1f")
    dialog = ReviewDialog(window.session, is_blind=False)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.rows.count() == 3
    dialog.grades.setCurrentIndex(dialog.grades.findData(3.0))
    assert dialog.rows.count() == 1
    window.view.judging.show_place(*dialog.answer)
    assert place(window) == (0, 0)
    dialog.grades.setCurrentIndex(0)
    dialog.states.setCurrentIndex(dialog.states.findText("Flagged"))
    assert dialog.rows.count() == 1


def test_enter_in_a_field_of_review_goes_to_the_row(qtbot, window):
    """Also after Tab has gone by the button that Enter presses; Alt+F leads to the field."""
    press(qtbot, window, "3]1f")
    dialog = ReviewDialog(window.session, is_blind=False).above(window)
    dialog.show()
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.verb.setFocus()
    qtbot.keyClick(dialog.verb, Qt.Key.Key_Tab)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F, Qt.KeyboardModifier.AltModifier)
    assert dialog.words.hasFocus()
    qtbot.keyClick(dialog.words, Qt.Key.Key_Return)
    assert dialog.result() == dialog.DialogCode.Accepted
    assert dialog.answer is not None


def test_review_does_not_call_a_flag_a_judgment(qtbot, window):
    """What is listed is counted as what it is: a document that was only flagged is not judged."""
    press(qtbot, window, "3f")
    dialog = ReviewDialog(window.session, is_blind=False)
    qtbot.addWidget(dialog)
    said = "2 of 2 documents of which you have said something, newest first."
    assert dialog.remark.text() == said


def test_history_says_what_would_come_back(qtbot, window):
    """Choosing a step shows the judgments that undoing to it would change."""
    press(qtbot, window, "321")
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.verb.text() == "Undo 1 step"
    dialog.steps.setCurrentRow(2)
    assert dialog.verb.text() == "Undo 3 steps"
    assert dialog.detail.text().count("→ unjudged") == 3
    # By its title, too, as its id alone tells little.
    title = window.session.material.document(window.view.judging.document - 1).title
    assert f" ‘{title}’, query q0: 1 → unjudged" in dialog.detail.text()


def test_history_says_of_a_flag_that_the_grade_stays(qtbot, window):
    """What would come back is not the grade: that is said of it as it stands."""
    press(qtbot, window, "3]")
    window.view.judging.show_place(0, window.workspace.results.documents()[0])
    press(qtbot, window, "f")
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    assert dialog.detail.text().endswith("3, note, flag or reason as before")


def test_history_names_documents_as_a_blind_assessor_sees_them(qtbot, window):
    """Other ids stand there while they do in the list."""
    press(qtbot, window, "3")
    (number,) = [document for _, document, _, _ in window.session.iter_judgments()]
    dialog = HistoryDialog(window.session, Blindness(is_on=True, has_alias_ids=True))
    qtbot.addWidget(dialog)
    assert dialog.detail.text().startswith(alias_id(window.session, number))
    assert window.session.material.document_id(number) not in dialog.detail.text().split()


def test_review_says_how_sure_one_was(qtbot, window):
    """It stands beside the grade, as it was said."""
    press(qtbot, window, "3")
    window.view.judging.move_by(-1)
    window.actions_by_name.action("flow.fairly_sure").trigger()
    dialog = ReviewDialog(window.session, is_blind=False)
    qtbot.addWidget(dialog)
    said = dialog.rows.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "fairly sure" in said


def test_history_takes_several_steps_back_at_once(qtbot, window):
    """'Undo 3 steps' leaves what three undos would leave, also after reopening."""
    press(qtbot, window, "321")
    path = window.session.path
    window.close_project()
    assert window.try_open(path)
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    dialog.steps.setCurrentRow(2)
    window.view.judging.undo_to(dialog.answer)
    assert [opinion for _, _, opinion, _ in window.session.iter_judgments()] == []


def test_history_says_what_it_would_leave_alone_where_there_is_any(qtbot, window):
    """Where nothing has changed since nothing is said of it."""
    press(qtbot, window, "3")
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    assert "→ unjudged" in dialog.detail.text()
    assert "left alone" not in dialog.detail.text()


def test_history_says_of_an_undone_step_that_it_is(qtbot, window):
    """Also whether it could be done again."""
    press(qtbot, window, "3")
    window.session.undo()
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    assert dialog.what.text() == "This step is undone already. Redo does it again."
    assert not dialog.verb.isEnabled()
    press(qtbot, window, "2")
    window.session.undo()
    later = HistoryDialog(window.session)
    qtbot.addWidget(later)
    later.steps.setCurrentRow(1)
    assert later.what.text() == "This step is undone already."


def test_history_is_filtered_by_text(qtbot, window):
    """Words narrow the list of steps."""
    press(qtbot, window, "3f2")
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    qtbot.keyClicks(dialog.filter, "flag")
    assert dialog.steps.count() == 1
    assert said_text(None) == "unjudged"


def test_one_goes_on_exactly_where_one_stopped(qtbot, tmp_path):
    """Query, document, run and view are as they were when the project is opened again."""
    parts = simple_parts()
    runs = {
        "alpha": parts.runs["alpha"],
        "beta": {q: r[::-1] for q, r in parts.runs["alpha"].items()},
    }
    with make_project(tmp_path, replace(parts, runs=runs)) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        press(qtbot, window, "r]j")
        window.views.show(Mode.FOCUS)
        before = (*place(window), window.view.judging.run_name)
        assert before[2] == "beta"
    with opened_window(qtbot, path) as window:
        assert (*place(window), window.view.judging.run_name) == before
        assert window.views.mode is Mode.FOCUS
