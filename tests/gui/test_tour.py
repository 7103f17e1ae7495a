"""The tour of the window: by the real keys, on the sample."""

import pytest
from PySide6.QtCore import QRect, Qt

from judgetool.gui.actions import Mode
from judgetool.gui.keymap import Keymap
from judgetool.gui.tour import STEPS
from judgetool.session.commands import Say
from judgetool.session.imports.importing import sample_path
from judgetool.session.reading_aids import set_blind_policy
from judgetool.settings import Settings, load_settings, save_settings
from tests.gui.window_fixtures import CTRL, listening, opened_window
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter

ALT = Qt.KeyboardModifier.AltModifier
# What each step asks for; Enter where it is read alone.
ASKED = (
    (Qt.Key.Key_Return,),
    (Qt.Key.Key_3,),
    (Qt.Key.Key_Return,),
    (Qt.Key.Key_Z, CTRL),
    (Qt.Key.Key_N,),
    (Qt.Key.Key_B,),
    (Qt.Key.Key_3, CTRL),
    (Qt.Key.Key_Up, ALT),
)


@pytest.fixture
def window(qtbot):
    """The window of somebody who opens the sample for the first time."""
    with opened_window(qtbot, assessor="newcomer", size=(1280, 720)) as shown:
        shown.actions_by_name.action("project.sample").trigger()
        qtbot.waitUntil(lambda: shown.jobs.is_idle)
        yield shown


def said(window):
    """Return the sentences of the step that is shown, with blanks that wrap no line as blanks."""
    return window.help_handler.tour.callout.text.text()


def covers_its_part(window):
    frame, callout = window.help_handler.tour.callout._frame, window.help_handler.tour.callout
    return frame.isVisible() and frame.geometry().intersects(callout.geometry())


def test_eight_steps_wait_for_the_real_acts_and_end_with_a_what_if(qtbot, window):
    """By keys alone: each act leads on, the values that moved are said, nothing is covered."""
    tour, heard = window.help_handler.tour, []
    window.view.told.connect(heard.append)
    for at, key in enumerate(ASKED):
        qtbot.waitUntil(lambda at=at: tour.at == at)
        assert tour.callout.hasFocus()
        assert window.rect().contains(tour.callout.geometry())
        assert not covers_its_part(window)
        if at == 2:
            assert said(window).startswith("By that grade: nDCG@10 0.5293 to 0.8436. ")
            assert "will end between 0.5783 and 1.0000, however the last 6 doc" in said(window)
        qtbot.keyClick(tour.callout, *key)
        if STEPS[at].awaits == "seen again":
            qtbot.waitUntil(lambda: window.flow_handler.blindness.is_on)
            assert tour.at == at
            qtbot.keyClick(tour.callout, *key)
    qtbot.waitUntil(lambda: said(window).startswith("nDCG@10: 0.5293 to 0.5646"))
    # Where the keyboard comes back to it, as in another view, its name is said by that.
    assert [text.partition(". ")[0] for text in heard if text.startswith("Tour: ")] == [
        *(f"Tour: step {at + 1} of 8" for at in range(1, 7)),
        "Tour: step 8 of 8",
    ]
    assert len(heard) == len(STEPS)
    qtbot.keyClick(tour.callout, Qt.Key.Key_Return)
    assert (tour.at, tour.callout.isVisible()) == (None, False)
    assert window.views.page(Mode.WHATIF).orders.hasFocus()


def test_a_reader_that_comes_late_reads_the_first_step(qtbot, window):
    """Readers find a program after its window is made: they read what has the keyboard."""
    callout = window.help_handler.tour.callout
    assert callout.hasFocus()
    assert callout.accessibleDescription() == callout.text.text()


def test_a_step_that_comes_to_the_keyboard_is_told_without_its_name(qtbot, window):
    """By Space on its button: a reader says the name of what gets the keyboard."""
    tour = window.help_handler.tour
    with listening() as texts:
        tour.callout.next.setFocus()
        qtbot.keyClick(tour.callout.next, Qt.Key.Key_Space)
        qtbot.waitUntil(lambda: any("How well does" in each for each in texts))
    assert tour.callout.hasFocus()
    assert tour.callout.accessibleName() == "Tour: step 2 of 8"
    assert not any("Tour: step 2" in each for each in texts)


def test_enter_alone_leads_to_the_end(qtbot, window):
    """Nobody has to do what is asked."""
    for at in range(len(STEPS)):
        qtbot.waitUntil(lambda at=at: window.help_handler.tour.at == at)
        qtbot.keyClick(window.help_handler.tour.callout, Qt.Key.Key_Return)
    assert window.help_handler.tour.at is None
    assert not window.session.undo_step or window.session.undo_step.kind == "import"


def test_the_card_to_move_is_among_the_first_ten(qtbot, tmp_path):
    """What would gain most deep in the list is out of sight: the best of those that are seen."""
    with make_project(tmp_path, simple_parts(n_documents=12)) as session:
        for name, grade in (("d5", 1.0), ("d10", 3.0)):
            session.execute(Say.grade(0, session.material.find_document(name), grade))
        path = session.path
    with opened_window(qtbot, path) as window:
        tour = window.help_handler.tour
        tour.start()
        while STEPS[tour.at].part != "card":
            at = tour.at
            qtbot.keyClick(tour.callout, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda at=at: tour.at != at)
        assert window.views.page(Mode.WHATIF).orders.currentIndex().row() == 5


def test_it_begins_at_what_this_query_lacks(qtbot, tmp_path):
    """Where all of the shown query's first documents are judged, at the next one that is not."""
    with make_project(tmp_path, simple_parts()) as session:
        for name in ("d0", "d1"):
            session.execute(Say.grade(1, session.material.find_document(name), 1.0))
        path = session.path
    with opened_window(qtbot, path) as window:
        window.view.judging.show_query(1)
        window.view.judging.show_place(1, window.session.material.find_document("d0"))
        window.help_handler.tour.start()
        assert window.view.place == ("q1", "d2")


def test_it_asks_before_another_project_makes_way(qtbot, tmp_path):
    """Who does not want that stays where they are; the tour ends where another project is opened."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        window.prompter = FakePrompter(answers=[None, "leave"])
        begin = window.actions_by_name.action("help.tour").trigger
        begin()
        assert (window.session.path, window.help_handler.tour.at) == (path, None)
        begin()
        assert (window.session.path, window.help_handler.tour.at) == (sample_path(), 0)
        question, choices = window.prompter.asked[0]
        assert question.startswith("The tour is on the sample. Leave ")
        assert choices == ("Open the sample",)
        assert window.try_open(path)
        assert window.help_handler.tour.at is None


def test_it_says_what_holds_where_all_is_judged_and_grades_have_no_keys(qtbot, tmp_path):
    """No step counts what is left where nothing is, or names keys that are not there."""
    with make_project(tmp_path, simple_parts()) as session:
        for document in session.board.pool(0).tolist():
            session.execute(Say.grade(0, document, 1.0))
        path = session.path
    with opened_window(qtbot, path) as window:
        binder = window.actions_by_name
        changes = {f"grade.{place}": () for place in range(4)}
        binder.set_keymap(Keymap(binder.keymap.preset, changes))
        window.view.judging.show_query(0)
        tour, seen = window.help_handler.tour, []
        tour.start()
        while tour.at is not None:
            at = tour.at
            window.view.judging.show_place(0, window.session.board.pool(0).tolist()[0])
            seen.append(said(window))
            qtbot.keyClick(tour.callout, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda at=at: tour.at != at)
        assert any("choose one here" in each for each in seen)
        assert any("nothing is left to judge here" in each for each in seen)


def test_where_blind_judging_is_required_no_step_shows_how_to_switch_it(qtbot, tmp_path):
    """It leads by what can be done there, and to its end."""
    with make_project(tmp_path, simple_parts()) as session:
        session.execute(set_blind_policy("all"))
        path = session.path
    with opened_window(qtbot, path) as window:
        tour, parts = window.help_handler.tour, []
        tour.start()
        while tour.at is not None:
            at = tour.at
            parts.append(STEPS[at].part)
            qtbot.keyClick(tour.callout, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda at=at: tour.at != at)
        assert parts
        assert "blind" not in parts


def test_its_end_is_said(qtbot, window):
    """To those who do not see that nothing more stands there."""
    with listening() as texts:
        qtbot.keyClick(window.help_handler.tour.callout, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: any("The tour is over." in each for each in texts))


def test_it_begins_once_by_itself_and_whenever_it_is_asked_for(qtbot, window):
    """Esc leaves it, and gives the keyboard back; Help ▸ Tour begins it again, from any project."""
    assert window.help_handler.tour.at == 0
    qtbot.keyClick(window.help_handler.tour.callout, Qt.Key.Key_Escape)
    assert window.help_handler.tour.at is None
    assert window.workspace.results.table.hasFocus()
    assert load_settings().has_toured
    assert window.leave_project()
    window.actions_by_name.action("project.sample").trigger()
    assert window.help_handler.tour.at is None
    window.leave_project()
    window.actions_by_name.action("help.tour").trigger()
    assert window.help_handler.tour.at == 0
    assert window.session.path == sample_path()
    window.leave_project()
    qtbot.waitUntil(lambda: window.help_handler.tour.at is None)


def test_it_goes_on_under_the_name_that_the_first_grade_asks_for(qtbot, window):
    """Who judges is asked in the midst of it, and the project is opened anew."""
    qtbot.keyClick(window.help_handler.tour.callout, Qt.Key.Key_Return)
    window.judge_handler.take_assessor("somebody")
    assert (window.help_handler.tour.at, window.session.assessor) == (1, "somebody")
    qtbot.keyClick(window.help_handler.tour.callout, Qt.Key.Key_3)
    qtbot.waitUntil(lambda: window.help_handler.tour.at == 2)


@pytest.mark.parametrize(
    "direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft]
)
def test_it_stands_in_a_low_window_with_large_text(qtbot, direction):
    """Whole, at twice the size; who judges blind by preference is told nothing of values."""
    save_settings(Settings(extra_px=13, is_blind=True, assessor="newcomer"))
    with opened_window(qtbot, size=(1280, 720)) as window:
        window.view_handler.show_preferences()
        window.setLayoutDirection(direction)
        window.actions_by_name.action("project.sample").trigger()
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        shown = []
        while window.help_handler.tour.at is not None:
            at = window.help_handler.tour.at
            shown.append(STEPS[at].part)
            callout = window.help_handler.tour.callout
            assert window.rect().contains(callout.geometry())
            assert callout.rect().contains(callout.next.geometry())
            assert callout.text.height() >= callout.text.heightForWidth(callout.text.width())
            qtbot.keyClick(callout, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda at=at: window.help_handler.tour.at != at)
    assert shown == ["query", "grades", "results", "queries", "blind"]


def test_the_card_to_move_is_whole_and_framed_in_a_low_window(qtbot):
    """At twice the size there is room for little more than a card."""
    save_settings(Settings(extra_px=13, assessor="newcomer"))
    with opened_window(qtbot, size=(1280, 720)) as window:
        window.view_handler.show_preferences()
        window.actions_by_name.action("project.sample").trigger()
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        tour = window.help_handler.tour
        while STEPS[tour.at].part != "card":
            at = tour.at
            qtbot.keyClick(tour.callout, Qt.Key.Key_Return)
            qtbot.waitUntil(lambda at=at: tour.at != at)
        orders = window.views.page(Mode.WHATIF).orders
        frame, view = tour.callout._frame, orders.viewport()

        def is_framed():
            card = orders.delegate.card_rect(orders.currentIndex().row())
            at = QRect(view.mapTo(window, card.topLeft()), card.size())
            return view.rect().contains(card) and frame.geometry() == at

        qtbot.waitUntil(is_framed)
