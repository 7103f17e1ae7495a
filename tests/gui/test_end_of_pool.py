"""The end of the pool: what is asked there, what keys do meanwhile, and how one gets the grades back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from judgetool.core.scale import parse_scale
from judgetool.session.commands import Say, SetScale
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.events import load_events

NOT_TAKEN = "Not taken: no document follows, and this one stays as it is."


@pytest.fixture
def project(tmp_path):
    """Three queries of two documents, all judged 2 but the last document of the last query."""
    with make_project(tmp_path, simple_parts(n_documents=2), assessor="anna") as session:
        pairs = [(query, int(d)) for query in range(3) for d in session.board.pool(query)]
        for query, document in pairs[:-1]:
            session.execute(Say.grade(query, document, 2))
        return session.path


@pytest.fixture
def window(qtbot, project):
    with opened_window(qtbot, project) as shown:
        yield shown


def given(window):
    return [event.after.grade for event in load_events(window.session) if event.after][5:]


def asks(window):
    return window.workspace.grade_bar.banner.isVisible()


def test_keys_typed_on_at_the_end_do_not_grade_the_last_document_again(qtbot, window):
    """What follows the last grade is not taken while it is asked what now, and that is said."""
    press(qtbot, window, "103")
    assert given(window) == [1.0]
    assert asks(window)
    assert window.status.message.text.startswith(NOT_TAKEN)


def test_the_end_of_the_queue_is_not_called_the_end_of_judging(qtbot, window):
    """Where a grade leads to the next of the queue, what was passed over is still to be judged."""
    window.change_settings(advance="queue")
    window.flow_handler.show_flow()
    press(qtbot, window, "]]]")
    press(qtbot, window, Qt.Key.Key_End)
    window.session.execute(Say.clear(window.view.judging.query, window.view.judging.document))
    press(qtbot, window, "1")
    assert not asks(window)
    said = "The queue ends here; 1 document before is not judged: N leads to it."
    assert window.status.message.text == said


def test_skip_does_not_take_the_last_grade_back_at_the_end(qtbot, window):
    """A key typed on takes nothing back either."""
    press(qtbot, window, "1s")
    assert window.view.judging.own_judgment.grade == 1


def test_keys_typed_in_the_pause_at_the_end_are_not_taken(qtbot, window):
    """They are meant for documents that follow, and none does."""
    window.change_settings(pause_ms=200)
    window.flow_handler.show_flow()
    press(qtbot, window, "103")
    qtbot.waitUntil(lambda: asks(window))
    assert given(window) == [1.0]
    assert window.status.message.text.endswith("What you typed after the last grade is not taken.")


def test_keys_typed_in_the_pause_are_not_taken_where_filters_hide_the_rest(qtbot, window):
    """The same where a filter leaves nothing that follows."""
    window.session.execute(Say.clear(0, int(window.session.board.pool(0)[0])))
    window.change_settings(pause_ms=200)
    window.flow_handler.show_flow()
    window.queries.bar.field.setText("query 2")
    press(qtbot, window, "10")
    qtbot.waitUntil(lambda: "not taken" in window.status.message.text)
    assert given(window)[-1] == 1.0


def test_a_grade_is_changed_at_the_end_on_purpose(qtbot, window):
    """After Esc a key grades again, and says what it changed."""
    press(qtbot, window, "1")
    press(qtbot, window, Qt.Key.Key_Escape)
    assert not asks(window)
    press(qtbot, window, "2")
    assert given(window) == [1.0, 2.0]
    assert window.status.message.text == "Changed: 1 → 2."
    assert not asks(window)


@pytest.mark.parametrize(
    "key",
    [
        (Qt.Key.Key_K, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_BracketLeft, Qt.KeyboardModifier.NoModifier),
    ],
)
def test_elsewhere_the_grades_are_back(qtbot, window, key):
    """Going to another document or query takes the question away; a grade is given there at once."""
    press(qtbot, window, "1")
    assert asks(window)
    press(qtbot, window, *key)
    assert not asks(window)
    press(qtbot, window, "3")
    assert given(window) == [1.0, 3.0]


def test_the_question_is_left_with_the_keyboard_in_it(qtbot, window):
    """Whoever has walked to its button and chooses another document has the list again."""
    press(qtbot, window, "1")
    window.workspace.grade_bar.banner.answers[0].setFocus()
    window.workspace.results.set_current(0)
    assert not asks(window)
    assert window.workspace.results.table.hasFocus()


def test_a_number_is_not_begun_at_the_end(qtbot, window):
    """On a continuous scale no number is begun under the question."""
    window.session.execute(SetScale(parse_scale("0-3/any")))
    press(qtbot, window, "1")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    assert asks(window)
    press(qtbot, window, "2")
    assert not window.workspace.grade_bar.entry.isVisible()
    assert window.status.message.text.startswith(NOT_TAKEN)
