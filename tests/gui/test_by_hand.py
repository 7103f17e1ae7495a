"""Queries, documents and guidelines written in the window."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from judgetool.core.judgments import Document, Query
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.by_hand import (
    AddDocumentDialog,
    DocumentForm,
    GuidelinesDialog,
    GuidelinesEditor,
    QueryForm,
    next_id,
    read_fields,
    write_fields,
)
from judgetool.gui.handlers.edit import MaterialHandler
from judgetool.session.commands import AskOf, Say, WriteAsks
from judgetool.session.edits import edit_document
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import find_guidelines, set_guidelines
from tests.gui.window_fixtures import CTRL, answer_dialogs, opened_window, press
from tests.helpers.builders import lay_sample, make_project, simple_parts

NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
WORDS = st.from_regex(r"[a-z]([a-z: ]{0,8}[a-z])?", fullmatch=True)


@pytest.fixture
def sample(tmp_path):
    """The path of a fresh sample."""
    path = tmp_path / "sample.judge"
    lay_sample(path)
    return path


@pytest.fixture
def window(qtbot, sample):
    """The window on the sample."""
    with opened_window(qtbot, sample) as window:
        yield window


def handler(window):
    """Return what the actions of material by hand are done by."""
    return MaterialHandler(window)


def test_two_clicks_on_the_query_edit_it(qtbot, window, monkeypatch):
    """Two clicks anywhere on the header are those of the action that edits the query."""
    asked = []
    monkeypatch.setattr(ActDialog, "is_answered", lambda dialog: asked.append(dialog.windowTitle()))
    qtbot.mouseDClick(window.workspace.header, Qt.MouseButton.LeftButton)
    assert asked == ["Edit query"]


def query_form(qtbot, window, number=None):
    """Return the form of a query."""
    form = QueryForm(window.session, number)
    qtbot.addWidget(form)
    return form


# Fields


@given(st.dictionaries(NAMES, WORDS.map(lambda text: " ".join(text.split()))))
def test_fields_are_read_as_they_are_written(fields):
    """Lines give the fields that they were written from."""
    assert read_fields(write_fields(fields), {}) == fields


def test_a_field_that_nobody_touched_keeps_its_line_breaks():
    """A value of several lines stays whole where its line is as it was."""
    before = {"steps": "chop\nfry", "time": "5"}
    assert read_fields(write_fields(before), before) == before


@pytest.mark.parametrize("text", ["no colon", ": no name", "a: 1\na: 2"])
def test_lines_that_are_no_fields_are_refused(text):
    """A line without a name, and a name that stands twice, are said."""
    with pytest.raises(ValueError, match=r"\.$"):
        read_fields(text, {})


# Queries


def test_a_query_is_added_and_shown(qtbot, window):
    """The new query stands in the project, and the window goes to it."""
    form = query_form(qtbot, window)
    form.text.setText("lentil soup")
    handler(window).take_query(form.answer)
    number = window.view.judging.query
    assert window.session.material.queries[number] == Query("21", "lentil soup")


def test_a_query_without_words_cannot_be_added(qtbot, window):
    """The verb is closed until there is something to judge by."""
    form = query_form(qtbot, window)
    assert not form.verb.isEnabled()


def test_an_id_that_is_taken_is_said(qtbot, window):
    """An id can be given once; the sentence says by what it is taken."""
    form = query_form(qtbot, window)
    form.text.setText("lentil soup")
    form.id.setText("1")
    assert "There is a query with the id ‘1’ already" in form.remark.text()
    assert not form.verb.isEnabled()


def test_the_need_is_written_in_the_window_and_undone(qtbot, window):
    """Editing the narrative shows in the header at once; undo brings the old need back."""
    judging = window.view.judging
    before = window.workspace.header.texts.need
    form = query_form(qtbot, window, judging.query)
    form.narrative.setPlainText("No meat at all.")
    handler(window).take_edited_query(form.answer)
    assert "No meat at all." in window.workspace.header.texts.need
    judging.undo()
    assert window.workspace.header.texts.need == before


def test_a_query_left_as_it_is_changes_nothing(qtbot, window):
    """The verb without a change writes no step."""
    step = window.session.undo_step
    form = query_form(qtbot, window, window.view.judging.query)
    handler(window).take_edited_query(form.answer)
    assert window.session.undo_step == step


def test_the_next_id_is_free(window):
    """The proposed id is a number that no query has."""
    assert next_id(window.session) == "21"


# Documents


def find_other(window):
    """Return a document of the project that is not in the current query's list."""
    listed = set(window.workspace.results.documents())
    ids = window.session.material.document_ids()
    return next(number for number in sorted(ids) if number not in listed)


def test_a_document_of_the_project_is_added_to_the_pool(qtbot, window):
    """A document that no run has for the query is found, put into the pool and shown."""
    other = find_other(window)
    name = window.session.material.document_id(other)
    query = window.view.judging.query

    dialog = AddDocumentDialog(window.session, query)
    qtbot.addWidget(dialog)
    dialog.field.setText(name)
    qtbot.waitUntil(lambda: not dialog.is_looking)
    handler(window).take_document(dialog.answer)
    assert other in window.session.board.pool(query).tolist()
    assert window.view.judging.document == other
    press(qtbot, window, "2")
    assert window.session.board.settled(query)[other].grade == 2.0


def test_who_is_asked_may_judge_another_document(qtbot, tmp_path):
    """It is asked of them, too, by one step: listed, judged, counted; without it, nobody could."""
    with make_project(tmp_path, simple_parts(), assessor="lead") as session:
        path, (first, *_) = session.path, session.board.pool(0).tolist()
        session.execute(WriteAsks((AskOf(0, first, "anna"),), "Ask anna"))
    with opened_window(qtbot, path, assessor="anna") as window:
        other = find_other(window)
        dialog = AddDocumentDialog(window.session, 0)
        qtbot.addWidget(dialog)
        qtbot.keyClicks(dialog.field, window.session.material.document_id(other)[:1])
        qtbot.waitUntil(lambda: not dialog.is_looking)
        while dialog.answer.id != window.session.material.document_id(other):
            qtbot.keyClick(dialog.field, Qt.Key.Key_Down)
        handler(window).take_document(dialog.answer)
        assert window.view.judging.document == other
        assert "is asked of you" in window.status.message.text
        press(qtbot, window, "2")
        assert window.session.own_judgment(0, other).grade == 2
        assert window.session.asks.progress == (1, 2)
        for _ in range(2):
            press(qtbot, window, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: window.session.asks.progress == (0, 1))


def test_documents_are_found_by_words_of_their_text(qtbot, window):
    """All words must be there; accents and case do not count."""
    dialog = AddDocumentDialog(window.session, 0)
    qtbot.addWidget(dialog)
    dialog.field.setText("POTÀTO gratín freezer")
    qtbot.waitUntil(lambda: not dialog.is_looking)
    titles = [dialog.rows.item(row).text() for row in range(dialog.rows.count())]
    assert titles == ["Potato gratin for the freezer"]


def test_what_is_not_found_is_said(qtbot, window):
    """No hit: a sentence, and the verb is closed."""
    dialog = AddDocumentDialog(window.session, 0)
    qtbot.addWidget(dialog)
    dialog.field.setText("zzzzzz")
    qtbot.waitUntil(lambda: not dialog.is_looking)
    assert dialog.remark.text() == "No document of this project is like that."
    assert not dialog.verb.isEnabled()


def test_what_is_found_shows_what_is_judged_of_it(qtbot, window):
    """A document that counts as graded for the query has its chip."""
    query = window.view.judging.query
    document = window.workspace.results.documents()[0]

    def found():
        dialog = AddDocumentDialog(window.session, query)
        qtbot.addWidget(dialog)
        dialog.field.setText(window.session.material.document_id(document))
        qtbot.waitUntil(lambda: not dialog.is_looking)
        said = [
            dialog.rows.item(row).data(Qt.ItemDataRole.AccessibleTextRole)
            for row in range(dialog.rows.count())
        ]
        return said, dialog.rows.grab().toImage()

    pictures = []
    for command in (Say.grade(query, document, 3), Say.cannot_judge(query, document, "empty")):
        window.session.execute(command)
        said, picture = found()
        assert any("in the pool" in each for each in said)
        pictures.append(picture)
    assert pictures[0] != pictures[1]


def test_a_row_that_is_cut_says_all_of_itself_under_the_pointer(qtbot, window):
    """A title that has no room stands in the tooltip, its id with it; one that has room needs none."""
    session = window.session
    number = session.material.find_document("r088")
    known = session.material.document(number)
    edit_document(session, number, replace(known, title="Soup of everything " * 20))
    dialog = AddDocumentDialog(session, 0)
    qtbot.addWidget(dialog)
    dialog.field.setText("r088")
    qtbot.waitUntil(lambda: not dialog.is_looking)
    dialog.show()
    rows = [dialog.rows.item(at).text() for at in range(dialog.rows.count())]
    place = next(at for at, text in enumerate(rows) if text.startswith("Soup of everything"))
    dialog.rows.scrollToItem(dialog.rows.item(place))
    at = dialog.rows.visualItemRect(dialog.rows.item(place)).center()
    event = QHelpEvent(QEvent.Type.ToolTip, at, dialog.rows.viewport().mapToGlobal(at))
    QApplication.sendEvent(dialog.rows.viewport(), event)
    assert "Soup of everything" in QToolTip.text()
    assert "r088" in QToolTip.text()


def test_what_is_not_found_is_written_from_the_same_dialog(qtbot, window, monkeypatch):
    """New document… begins with what was typed; what is written is what is added."""
    dialog = AddDocumentDialog(window.session, window.view.judging.query)
    qtbot.addWidget(dialog)
    dialog.field.setText("own-7")
    qtbot.waitUntil(lambda: not dialog.is_looking)
    assert dialog.answer is None

    def write(form):
        form.id.setText("own-7")
        form.title.setText("Lentil soup")
        form.fields.setPlainText("time: 5\n\nserves: 2")

    answer_dialogs(monkeypatch, write)
    dialog.write.click()
    assert (dialog.answer.id, dialog.answer.title) == ("own-7", "Lentil soup")
    assert dialog.answer.fields == {"time": "5", "serves": "2"}


def test_a_document_is_written_by_hand(qtbot, window):
    """Id, title and text typed: the document stands in the pool and can be judged."""

    form = DocumentForm(window.session, None)
    qtbot.addWidget(form)
    form.id.setText("own-1")
    form.title.setText("Lentil soup")
    form.text.setPlainText("Boil the lentils.")
    handler(window).take_document(form.answer)
    number = window.view.judging.document
    found = window.session.material.document(number)
    assert (found.id, found.title, found.body) == ("own-1", "Lentil soup", "Boil the lentils.")


def test_an_edited_document_keeps_its_judgments(qtbot, window):
    """The title changes, the grade stays."""
    query = window.view.judging.query
    judged = window.session.board.settled(query)
    document = next(each for each in window.workspace.results.documents() if each in judged)
    grade = judged[document].grade
    window.view.judging.show_place(query, document)
    form = DocumentForm(window.session, window.session.material.document(document))
    qtbot.addWidget(form)
    form.title.setText("Another title")
    handler(window).take_edited_document(form.answer)
    assert window.session.material.document(document).title == "Another title"
    assert window.session.board.settled(query)[document].grade == grade


def test_a_text_that_nobody_touched_stays_as_it_came(qtbot, window):
    """Line ends and odd signs of a text survive the form."""
    number = window.workspace.results.documents()[0]
    before = window.session.material.document(number)
    odd = Document(before.id, "t", body="a\r\nb\u2028c\td", fields={"x": "1\n2"})
    edit_document(window.session, number, odd)
    form = DocumentForm(window.session, window.session.material.document(number))
    qtbot.addWidget(form)
    assert form.answer == odd


# Guidelines


def test_guidelines_are_written_with_a_preview(qtbot, window):
    """What is typed is rendered beside it, kept in the project, and undone."""
    editor = GuidelinesEditor("Guidelines", "")
    qtbot.addWidget(editor)
    editor.field.setPlainText("# Rules\n\nBe **fair**.")
    assert editor.preview.toPlainText() == "Rules\nBe fair."
    window.project_handler.execute(set_guidelines(window.session, editor.answer))
    assert find_guidelines(window.session) == "# Rules\n\nBe **fair**."
    window.view.judging.undo()
    assert find_guidelines(window.session) == ""


def test_an_assessor_sees_the_guidelines_once(qtbot, sample):
    """At the first start in a project they lie over the window; at the second they do not."""
    with open_project(sample, assessor="lead") as session:
        session.execute(set_guidelines(session, "Be fair."))
    with opened_window(qtbot, sample, assessor="newcomer") as window:
        qtbot.waitUntil(lambda: window.findChild(GuidelinesDialog) is not None)
        dialog = window.findChild(GuidelinesDialog)
        assert dialog.text.toPlainText() == "Be fair."
        dialog.close()
        window.state.sync()
    with opened_window(qtbot, sample, assessor="newcomer") as window:
        assert not window.state.note_seen(window.session.uuid, "newcomer", "Be fair.")
        assert window.findChild(GuidelinesDialog) is None


def test_who_wrote_the_guidelines_is_not_shown_them(qtbot, sample):
    """Not at reopening, until somebody else changes them."""
    with opened_window(qtbot, sample, assessor="lead") as window:
        window.project_handler.execute(set_guidelines(window.session, "Be fair."))
        window.project_handler.execute(set_guidelines(window.session, "Be quick."))
        window.view.judging.undo()
        window.state.sync()
    with opened_window(qtbot, sample, assessor="lead") as window:
        assert window.findChild(GuidelinesDialog) is None
    with open_project(sample, assessor="other") as session:
        session.execute(set_guidelines(session, "Be fair, and quick."))
    with opened_window(qtbot, sample, assessor="lead") as window:
        qtbot.waitUntil(lambda: window.findChild(GuidelinesDialog) is not None)
        dialog = window.findChild(GuidelinesDialog)
        assert dialog.text.toPlainText() == "Be fair, and quick."
        dialog.close()


def test_without_guidelines_nothing_lies_over_the_window(qtbot, window):
    """A project without guidelines opens as it is, and they are shown once they are there."""
    assert window.findChild(GuidelinesDialog) is None
    assert window.state.note_seen(window.session.uuid, "anna", "Be fair.")
