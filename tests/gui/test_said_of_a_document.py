"""What is said of a document besides its grade is seen: on its card, in the pane, in the log."""

import pytest
from PySide6.QtCore import Qt

from judgetool.core.judgments import Document, Judgment, Query, Span, State
from judgetool.gui.project_view import describe_remarks
from judgetool.session.commands import Say
from tests.gui.window_fixtures import SHIFT, opened_window, press
from tests.helpers.builders import Parts, make_project, simple_parts
from tests.helpers.events import load_events

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def window(qtbot, tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


def mark(window):
    return window.workspace.results.model.mark(window.view.judging.document)


def page_text(window):
    return window.workspace.document.text.toPlainText()


def test_confidence_is_seen_on_the_card(qtbot, window):
    """How sure one is stands on the card, and goes when it is taken back."""
    press(qtbot, window, "2", SHIFT)
    press(qtbot, window, Qt.Key.Key_1, ALT)
    assert mark(window).confidence == 1
    press(qtbot, window, Qt.Key.Key_1, ALT)
    assert mark(window).confidence is None


def test_confidence_of_others_is_not_on_the_card(window):
    """The dots on a card say how sure one was oneself."""
    query, document = window.view.judging.query, window.view.judging.document
    window.session.execute(Say.confidence(query, document, 3))
    window.name_assessor("ben")
    window.project_handler.reopen(window.session.path, "ben")
    window.view.judging.show_place(query, document)
    assert mark(window).confidence is None


def test_a_rationale_is_seen_on_the_card(window):
    """A document with kept pieces of text has a sign of it on its card."""
    query, document = window.view.judging.query, window.view.judging.document
    window.session.execute(Say.spans(query, document, (Span("body", 0, 5, "First"),)))
    assert mark(window).has_rationale


def test_the_pane_says_what_was_said(qtbot, window):
    """Flag and confidence stand under the text, and the line goes with the last of them."""
    press(qtbot, window, "f")
    press(qtbot, window, Qt.Key.Key_2, ALT)
    assert "You said: flagged for discussion · fairly sure" in page_text(window)
    press(qtbot, window, "f")
    press(qtbot, window, Qt.Key.Key_2, ALT)
    assert "You said" not in page_text(window)


def test_skipping_says_that_a_grade_goes_with_it(qtbot, window):
    """S on a graded document is told in the status line; on an ungraded one nothing goes."""
    press(qtbot, window, "s")
    assert "taken back" not in window.status.message.text
    press(qtbot, window, "2ks")
    assert window.status.message.text == "Skipped for later; its grade 2 is taken back."
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.view.judging.own_judgment.grade == 2


def test_a_skipped_document_says_so(qtbot, window):
    """Coming back to a document put off, one sees that it was."""
    press(qtbot, window, "s")
    press(qtbot, window, "k")
    assert "skipped for later" in page_text(window)


def test_a_grade_alone_needs_no_words():
    """The grade bar shows the grade; the page says nothing more."""
    assert describe_remarks(Judgment(State.JUDGED, 2)) == ""


def test_the_log_says_whether_passages_were_shown(qtbot, tmp_path):
    """A judgment of a long document says that passages were seen, and after Space that all was."""
    body = "A soup of lentils. " * 600
    parts = Parts(
        [Query("q", "lentil soup")],
        [Document(f"d{n}", f"Soup {n}", "", body) for n in range(2)],
        {"alpha": {"q": ["d0", "d1"]}},
    )
    with make_project(tmp_path, parts) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        press(qtbot, window, "1")
        press(qtbot, window, " ")
        press(qtbot, window, "2")
        shown = {e.after.grade: e.shown["excerpt"] for e in load_events(window.session) if e.after}
        assert shown == {1.0: True, 2.0: False}
