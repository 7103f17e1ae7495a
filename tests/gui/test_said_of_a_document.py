"""What is said of a document besides its grade is seen: on its card, in the pane, in the log."""

from functools import partial

import pytest
from PySide6.QtCore import Qt

from judgetool.core.judgments import Document, Judgment, Query, Span, State
from judgetool.gui.dialogs.finding import HistoryDialog, ReviewDialog
from judgetool.gui.project_view import REASONS, describe_remarks, note_text, reason_text
from judgetool.session.commands import Say
from judgetool.session.finding import Filter, matching_documents
from tests.gui.window_fixtures import SHIFT, answer_dialogs, opened_window, press
from tests.helpers.builders import Parts, make_project, simple_parts
from tests.helpers.events import load_events

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def window(qtbot, tmp_path):
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


@pytest.fixture
def dialogs(monkeypatch):
    """Do something to each dialog that opens, and take its verb; returns those that opened."""
    return partial(answer_dialogs, monkeypatch)


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


def cannot_judge(dialogs, qtbot, window, reason):
    """Say that the current document cannot be judged; return the dialog."""
    opened = dialogs(lambda dialog: dialog.buttons[reason].setChecked(True) if reason else None)
    press(qtbot, window, "x")
    return opened[-1]


def test_the_reason_stands_apart_from_the_note(qtbot, window, dialogs):
    """The dialog says that the note stays; the page shows why, and the note by itself."""
    judging = window.view.judging
    query, document = judging.query, judging.document
    window.session.execute(Say.note(query, document, "my careful note"))
    dialog = cannot_judge(dialogs, qtbot, window, REASONS[1])
    assert "Your note stays: “my careful note”" in dialog.remark.text()
    press(qtbot, window, "k")
    assert "You said: cannot judge (Another language)" in page_text(window)
    assert page_text(window).rstrip().endswith("  my careful note")
    # What was said before is chosen, and kept where nothing else is.
    assert cannot_judge(dialogs, qtbot, window, "").buttons[REASONS[1]].isChecked()
    said = window.session.own_judgment(query, document).note
    assert said == "Another language. my careful note"


def test_a_reason_is_no_note(qtbot, window, dialogs):
    """Sign, button, filter and list of what one said go by the note alone; the reason is called that."""
    judging, session = window.view.judging, window.session
    pair = judging.query, judging.document
    button = window.workspace.grade_bar.actions_shown[3]
    noted = (Filter("noted"),)
    for note in ("", "ask Kim", ""):
        session.execute(Say.note(*pair, note))
        cannot_judge(dialogs, qtbot, window, REASONS[1])
        judging.show_place(*pair)
        assert mark(window).has_note == bool(note)
        assert button.accessibleName() == ("Note, given" if note else "Note")
        assert matching_documents(session, pair[0], [pair[1]], noted) == [pair[1]] * bool(note)
        dialog = ReviewDialog(session, is_blind=False)
        qtbot.addWidget(dialog)
        said = dialog.rows.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert "Reason: Another language" in said
        assert ("‘ask Kim’" in said) == bool(note)
        dialog.states.setCurrentText("With a note")
        assert dialog.rows.count() == bool(note)


def test_a_note_without_a_reason_is_not_taken_for_one(qtbot, window, dialogs):
    """What stands beside ‘cannot judge’ is said to be a reason only where it was given as one."""
    judging = window.view.judging
    window.session.execute(Say.note(judging.query, judging.document, "my careful note"))
    cannot_judge(dialogs, qtbot, window, "")
    press(qtbot, window, "k")
    assert "You said: cannot judge\n" in page_text(window).replace("\u2029", "\n")


def test_history_says_which_note_comes_back(qtbot, window):
    """Not only the text that would go."""
    judging = window.view.judging
    pair = judging.query, judging.document
    window.session.execute(Say.note(*pair, "before"))
    window.session.execute(Say.note(*pair, "after"))
    dialog = HistoryDialog(window.session)
    qtbot.addWidget(dialog)
    assert "; note again: “before”" in dialog.detail.text()
    assert "Noted in this step: “after”" in dialog.detail.text()
    dialog.steps.setCurrentRow(1)
    assert "; without its note" in dialog.detail.text()


@pytest.mark.parametrize("view", ["", "v"])
def test_a_rationale_leaves_what_is_selected(qtbot, tmp_path, view):
    """It is written behind the text, not into what was selected to its end."""
    parts = Parts(
        [Query("q", "soup")],
        [Document("d", "Title", "", "One sentence of soup.")],
        {"alpha": {"q": ["d"]}},
    )
    with make_project(tmp_path, parts) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        press(qtbot, window, f"{view}ty")
        assert "Rationale" in page_text(window)
        selected = window.workspace.document.text.textCursor().selectedText()
        assert selected == "One sentence of soup."


def test_how_sure_is_said_of_the_document_in_view(qtbot, window):
    """The sentence goes where another document is shown, by a grade or by a step."""
    for key in ("1", "j"):
        press(qtbot, window, Qt.Key.Key_1, ALT)
        assert window.status.message.text.startswith("Unsure.")
        press(qtbot, window, key)
        assert window.status.message.text == ""


def test_a_changed_grade_is_said_where_the_window_moves_on(qtbot, window):
    """With the document that it was, and Undo beside it."""
    press(qtbot, window, "2", SHIFT)
    judging = window.view.judging
    title = window.session.material.document(judging.document).title
    press(qtbot, window, "3")
    assert window.status.message.text == f"Changed: 2 → 3, {title}."
    assert window.status.is_undo_offered
    press(qtbot, window, "1")
    assert window.status.message.text == ""


def test_a_reason_that_another_chose_is_in_ones_own_language(speaks):
    """Files keep it in English; beside a note of one’s own words it is translated alone."""
    speaks("de")
    reason = reason_text(REASONS[1])
    assert reason != REASONS[1]
    assert note_text(Judgment(State.CANNOT_JUDGE, note=REASONS[1])) == reason
    assert (
        note_text(Judgment(State.CANNOT_JUDGE, note=f"{REASONS[1]}. see Kim"))
        == f"{reason}. see Kim"
    )
    assert note_text(Judgment(note=REASONS[1])) == REASONS[1]
