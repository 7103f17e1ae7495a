"""The document pane: plain text whatever comes, marks, finding, size, very long texts."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QImage,
    QImageIOHandler,
    QImageWriter,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QWidget

from judgetool.core.judgments import Document, Span
from judgetool.core.scale import scale_preset
from judgetool.core.terms import NO_TERMS, Layer, Marking, QueryTerms
from judgetool.formats import read_file
from judgetool.gui.models.page import LONGEST_LINE, iter_lines, make_one_line, make_page, unbroken
from judgetool.gui.painting import RATIONALE_MARK
from judgetool.gui.panels.document_page import Shown
from judgetool.gui.panels.document_pane import DocumentPane
from judgetool.gui.panels.page_writer import BlockKind
from judgetool.gui.pictures import measure_picture, read_picture
from judgetool.gui.theme import Role, current_theme, text_width
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import awkward_parts

SOUP = QueryTerms.parse("soup")
LENTIL = Document(
    "r1",
    "Lentil soup",
    "https://recipes.example/lentil",
    "Wash the lentils.\nCook the soup.",
    {"course": "soup", "minutes": "35"},
)
LONG = Document("long", "Long", "", "\n".join(f"Line {number} of soup." for number in range(400)))

# One paragraph, without a line end.
NUMBERED = " ".join(f"Sentence {each} speaks of the old market." for each in range(1, 901))


@pytest.fixture
def pane(qtbot):
    """An empty pane of 332 by 700 px, on the screen."""
    pane = DocumentPane()
    qtbot.addWidget(pane)
    pane.resize(332, 700)
    with qtbot.waitExposed(pane):
        pane.show()
    return pane


def put(pane, document, *, terms=NO_TERMS, note=""):
    """Show a document as the third of ten."""
    pane.show_document(
        document, place=3, total=10, marking=Marking((Layer(terms, 0),)), shown=Shown(note=note)
    )


def has_colour(image, colour):
    """Whether any pixel has exactly this colour."""
    wanted = colour.rgb()
    return any(
        image.pixel(x, y) == wanted for y in range(image.height()) for x in range(image.width())
    )


def test_title_address_text_and_fields_are_shown(pane):
    """The page holds title, address without scheme, text, fields and the id, in this order."""
    put(pane, LENTIL)
    lines = [line for line in pane.text.toPlainText().splitlines() if line.strip()]
    assert lines[:4] == [
        "Lentil soup",
        "recipes.example/lentil",
        "Wash the lentils.",
        "Cook the soup.",
    ]
    assert lines[4:10] == ["course", "soup", "minutes", "35", "id", "r1"]


def test_place_is_said(pane, qtbot):
    """The tools say which document of how many it is."""
    put(pane, LENTIL)
    assert [label for label in names_in(pane) if label.startswith("Document 3")] == [
        "Document 3 of 10"
    ]


def names_in(pane):
    """Return the accessible names of the pane's parts."""
    return [child.accessibleName() for child in pane.findChildren(QWidget)]


def test_a_document_without_text_shows_its_id(pane):
    """Where only the id is known the pane says so."""
    put(pane, Document("doc-7"))
    assert pane.text.toPlainText().startswith("doc-7\nOnly the id of this document is known.")


def test_no_document_is_an_empty_page(pane):
    """Without a document nothing is shown."""
    put(pane, LENTIL)
    put(pane, None)
    assert pane.text.toPlainText() == ""


def test_markup_is_shown_as_it_is(pane, tmp_path):
    """Tags in title, text and fields are text: nothing is loaded, nothing rendered."""
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    magenta = QColor(255, 0, 255)
    image.fill(magenta)
    assert image.save(str(tmp_path / "spy.png"))
    source = (tmp_path / "spy.png").as_uri()
    tags = (
        f"<img src='{source}'>",
        f"<style>@import url({source})</style><body background='{source}'>",
        "<table><tr><td>cell</td></tr></table>",
        "<a href='file:///etc/passwd'>link</a><script>alert(1)</script>",
        f"![x]({source})",
    )
    for tag in tags:
        put(pane, Document(tag, tag, tag, tag, {tag: tag}))
        shown = pane.text.toPlainText()
        assert shown.count(tag[:20]) >= 5
        assert not has_colour(pane.grab().toImage(), magenta)


@pytest.mark.parametrize("kind", list(QTextDocument.ResourceType))
def test_a_resource_is_never_a_file(pane, tmp_path, kind):
    """Whatever Qt may ask for, it gets something empty instead of a file's content."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret")
    put(pane, LENTIL)
    for given_by in (pane.text, pane.text.document()):
        found = given_by.loadResource(kind.value, secret.as_uri())
        content = found.width() if isinstance(found, QImage) else bytes(found.data())
        assert content in (1, b" ")


@pytest.mark.parametrize("number", range(9))
def test_awkward_documents_are_shown(pane, number):
    """Right-to-left, marks, emoji, objects, long titles: all paint, with and without marks."""
    document = awkward_parts().documents[number]
    put(pane, document, terms=SOUP)
    assert not pane.grab().isNull()
    pane.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert not pane.grab().isNull()


def test_query_terms_are_marked(pane):
    """Marks appear in their colour, and go when they are switched off."""
    put(pane, LENTIL, terms=SOUP)
    colour = current_theme().marks[0]
    assert has_colour(pane.grab().toImage(), colour)
    pane.set_highlighted(False)
    assert not has_colour(pane.grab().toImage(), colour)


@pytest.mark.parametrize(("step", "at"), [(1, 0), (-1, -1)])
def test_the_first_highlight_is_the_nearest_one_from_the_top(pane, step, at):
    """Also where it is the first word of all; backwards it is the last one."""
    put(pane, Document("c", "C", "", "C again.\nAnd C."), terms=QueryTerms.parse("c"))
    marks = pane.text.marks
    places = [
        (number, mark.start, mark.end)
        for number, line in enumerate(pane.text.page.lines)
        for mark in marks.of_line(line)
    ]
    assert places[0] == (0, 0, 1)
    marks.go_to_mark(step)
    assert marks.mark == places[at]


def test_query_terms_are_marked_in_a_rationale_too(pane):
    """The rationale covered them; the word has a line of each under it."""
    document = Document("r1", "Lentils", "", "Cook the soup.")
    marking, span = Marking((Layer(SOUP, 0),)), Span("body", 0, 14, document.body)
    pane.show_document(document, place=1, total=1, marking=marking, shown=Shown(spans=(span,)))
    image, theme = pane.text.viewport().grab().toImage(), current_theme()
    assert has_colour(image, theme.marks[0])
    column = next(
        x
        for x in range(image.width())
        if any(image.pixel(x, y) == theme.marks[0].rgb() for y in range(image.height()))
    )
    inks = [image.pixel(column, y) for y in range(image.height())]
    lines = [theme.mark_lines[kind].rgb() for kind in (0, RATIONALE_MARK)]
    assert [ink for ink in inks if ink in lines] == [lines[0], lines[1], lines[1]]


def test_the_highlighter_button_tells(pane, qtbot):
    """The button switches the marks and says so."""
    put(pane, LENTIL, terms=SOUP)
    button = next(b for b in buttons(pane) if b.accessibleName() == "Mark query terms")
    with qtbot.waitSignal(pane.highlight_toggled) as told:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert told.args == [False]
    assert not has_colour(pane.grab().toImage(), current_theme().marks[0])


def buttons(pane):
    """Return the pane's icon buttons."""
    return pane.findChildren(QToolButton)


def test_the_note_is_shown(pane):
    """A note stands at the end; without one the key that writes it does."""
    put(pane, LENTIL, note="Too hot <b>for me</b>")
    assert pane.text.toPlainText().rstrip().endswith("Too hot <b>for me</b>")
    put(pane, LENTIL)
    assert "No note." in pane.text.toPlainText()


def test_what_stood_above_a_rationale_is_the_documents_own_when_it_goes(pane):
    """With the rationale gone, the last line can be marked, and kept as rationale, as before."""
    span = Span("body", 0, 4, "Wash")
    for spans in ((), (span,), ()):
        pane.show_document(LENTIL, place=1, total=1, shown=Shown(spans=spans))
    pane.text.setTextCursor(pane.text.document().find("Cook the soup"))
    assert [found.text for found in pane.selected_spans()] == ["Cook the soup"]


def test_what_was_said_leaves_the_page_as_it_was(pane):
    """A note and a rationale that go leave nothing behind, not even room."""
    put(pane, LENTIL)
    before = pane.grab().toImage()
    spans = (Span("body", 0, 4, "Wash"), Span("body", 18, 22, "Cook"))
    shown = Shown(note="Noted.", spans=spans, remarks="You said: fairly sure")
    pane.show_document(LENTIL, place=3, total=10, shown=shown)
    assert pane.grab().toImage() != before
    put(pane, LENTIL)
    assert pane.grab().toImage() == before


def test_the_same_document_keeps_its_place(pane):
    """A judgment or a note on the document in view does not scroll it."""
    put(pane, LONG)
    pane.show_whole()
    pane.page_down()
    before = pane.text.verticalScrollBar().value()
    put(pane, LONG, note="noted")
    assert before > 0
    assert abs(pane.text.verticalScrollBar().value() - before) <= 2


def test_a_document_is_read_on_where_it_was_left(pane, qtbot):
    """Whoever looks at the next one and comes back was at its passages again, at their top."""
    put(pane, LONG)
    pane.show_whole()
    pane.page_down()
    before = pane.text.verticalScrollBar().value()
    for document in (LENTIL, LONG):
        put(pane, document)
        qtbot.waitUntil(lambda: pane.text.is_settled)
    assert not pane.is_excerpt
    assert abs(pane.text.verticalScrollBar().value() - before) <= 2
    put(pane, LONG, terms=SOUP)
    assert pane.is_excerpt
    assert pane.text.verticalScrollBar().value() == 0


def test_a_part_is_read_on_where_it_was_left(pane, qtbot):
    """Of a text that comes in parts it is the same one."""
    big = Document("big", "Big", "", "".join(f"Line {n} of soup.\n" for n in range(8_000)))
    put(pane, big)
    pane.show_whole()
    pane.turn_part(1)
    pane.page_down()
    before = row_at_the_top(pane)
    for document in (LENTIL, big):
        put(pane, document)
        qtbot.waitUntil(lambda: pane.text.is_settled)
    assert pane.page.part == (2, 3)
    assert abs(row_at_the_top(pane) - before) < 20


def test_another_text_under_the_same_id_is_read_from_its_top(pane, qtbot):
    """As after it was edited: where one was in the other is no place in it."""
    put(pane, LONG)
    pane.show_whole()
    pane.page_down()
    put(pane, LENTIL)
    put(pane, Document("long", "Long", "", NUMBERED))
    qtbot.waitUntil(lambda: pane.text.is_settled)
    assert pane.is_excerpt
    assert pane.text.verticalScrollBar().value() == 0


def test_another_query_has_passages_of_its_own(pane):
    """The same document came with the passages of the query before."""
    body = f"{NUMBERED[:9000]}. A rare soup. {NUMBERED[:9000]}. A fine bread. {NUMBERED[:9000]}"
    for word, other in (("soup", "bread"), ("bread", "soup")):
        put(pane, Document("d", "Coffee", "", body), terms=QueryTerms.parse(word))
        assert word in pane.text.toPlainText()
        assert other not in pane.text.toPlainText()


def test_another_document_starts_at_its_top(pane):
    """Reading begins at the title."""
    put(pane, LONG)
    pane.show_whole()
    pane.page_down()
    put(pane, LENTIL)
    assert pane.text.verticalScrollBar().value() == 0


def test_find_counts_and_steps_round(pane, qtbot):
    """Typing finds all places whatever their case; Enter goes on, after the last to the first."""
    put(pane, LENTIL)
    pane.focus_find()
    qtbot.keyClicks(pane.find_row.field, "SOUP")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 3")
    for expected in ("2 of 3", "3 of 3", "1 of 3"):
        qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Return)
        assert pane.find_row.count_text == expected
    qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert pane.find_row.count_text == "3 of 3"


def test_the_button_with_the_lens_finds(pane, qtbot):
    """A click opens the field that Ctrl+F opens, and what is typed goes there."""
    put(pane, LENTIL)
    button = next(b for b in buttons(pane) if b.accessibleName() == "Find in document")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.keyClicks(pane.focusWidget(), "soup")
    assert pane.find_row.field.text() == "soup"
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 3")


def test_find_finds_what_stands_in_no_passage(pane, qtbot):
    """It said 'not found' of what the whole text has; now it leads there."""
    put(pane, Document("d", "Coffee", "", NUMBERED))
    assert pane.is_excerpt
    pane.focus_find()
    pane.find_row.field.setText("Sentence 700 speaks")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")
    assert "Sentence 700 speaks" in pane.text.toPlainText()


def test_find_says_how_often_the_whole_text_has_what_passages_have(pane, qtbot):
    """The passages stay until Enter leads to the first of them all."""
    put(pane, Document("d", "Coffee", "", NUMBERED))
    pane.focus_find()
    pane.find_row.field.setText("market")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "900 in the whole text")
    assert pane.is_excerpt
    qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 900")


def test_find_after_esc_leaves_the_passages_as_they_are(pane, qtbot):
    """What stands in the field still is looked for no more; opened again it is."""
    put(pane, Document("d", "Coffee", "", NUMBERED))
    pane.focus_find()
    pane.find_row.field.setText("Sentence 2 ")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")
    qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Escape)
    assert pane.is_excerpt
    pane.focus_find()
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")


@pytest.fixture
def numbered(pane):
    """The pane with one long paragraph, shown whole."""
    put(pane, Document("d", "Coffee", "", NUMBERED))
    pane.show_whole()
    pane.text.finish()
    return pane


def test_find_finds_across_a_cut(numbered, qtbot):
    """A long paragraph is cut for display; it said 'not found' of words on both sides of a cut."""
    numbered.focus_find()
    numbered.find_row.field.setText("market. Sentence")
    qtbot.waitUntil(lambda: numbered.find_row.count_text == "1 of 899")
    assert has_colour(numbered.grab().toImage(), current_theme().find)


@pytest.mark.parametrize("typed", ["and tabs", "tabs  and", "AND\ttabs"])
def test_find_takes_blanks_for_blanks(pane, qtbot, typed):
    """However many there are, and which, in what is typed and in the text."""
    put(pane, Document("d", "Blanks", "", "Blanks  and\ttabs and  more."))
    pane.focus_find()
    pane.find_row.field.setText(typed)
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")


def test_the_next_highlight_follows_what_was_found(pane, qtbot):
    """Not the first one in view."""
    put(pane, Document("d", "Day", "", "A soup. A stew. A bread. Another soup."), terms=SOUP)
    pane.focus_find()
    pane.find_row.field.setText("bread")
    qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Escape)
    pane.text.marks.go_to_mark(1)
    assert pane.text.marks.mark[1] == len("A soup. A stew. A bread. Another ")


def test_a_word_that_is_still_being_typed_leaves_the_passages_not(pane, qtbot):
    """Its beginning stands far down in the text, the whole word nowhere."""
    put(pane, Document("d", "Coffee", "", NUMBERED))
    pane.focus_find()
    for typed in ("Sentence 700", "Sentence 7000"):
        pane.find_row.field.setText(typed)
    qtbot.waitUntil(lambda: pane.find_row.count_text == "not found")
    assert pane.is_excerpt


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n"])
def test_find_finds_across_the_end_of_a_line(pane, qtbot, end):
    """It said 'not found' of words on both sides of one; the end of the match is marked, too."""
    put(pane, Document("d", "Wing", "", f"It was found by{end}chance,{end}and{end}{end}again."))
    pane.set_joined(is_joined=False)
    pane.focus_find()
    pane.find_row.field.setText("BY chance")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")
    pane.text.select_sentence()
    marks = pane.text.marks
    (place,) = marks.found
    (line, piece) = place[0] + 1, [(0, len("chance"))]
    assert marks.page.lines[line].text.startswith("chance")
    assert marks._piece_in(line, place) == piece
    pane.find_row.field.setText("and again")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "not found")


def test_find_opened_anew_stays_where_one_reads_until_enter(pane, qtbot):
    """What was looked for in another document led away from the passages before one typed."""
    put(pane, LENTIL)
    pane.focus_find()
    pane.find_row.field.setText("Sentence 700 speaks")
    qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Escape)
    put(pane, Document("d", "Coffee", "", NUMBERED))
    pane.focus_find()
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 in the whole text")
    assert pane.is_excerpt
    qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")
    assert "Sentence 700 speaks" in pane.text.toPlainText()


def test_the_first_match_of_find_opened_anew_comes_by_enter(numbered, qtbot):
    """It is not passed over, and not gone to before."""
    numbered.find_row.field.setText("Sentence 300")
    bar = numbered.text.verticalScrollBar()
    bar.setValue(0)
    numbered.focus_find()
    qtbot.waitUntil(lambda: numbered.find_row.count_text == "1 of 1")
    assert bar.value() == 0
    qtbot.keyClick(numbered.find_row.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bar.value() > 0)


def turn_pages(pane):
    """Read on for some pages; return the document's scroll bar, and where it stands."""
    bar = pane.text.verticalScrollBar()
    for _ in range(4):
        pane.page_down()
    assert bar.value() > 0
    return bar, bar.value()


def test_find_that_finds_nothing_leaves_one_where_one_reads(numbered, qtbot):
    """The first letters stand elsewhere, the whole word nowhere; there one is after Esc, too."""
    bar, read = turn_pages(numbered)
    numbered.focus_find()
    numbered.find_row.field.setText("Sentence 800")
    qtbot.waitUntil(lambda: bar.value() > read)
    numbered.find_row.field.setText("Sentence 800zq")
    qtbot.waitUntil(lambda: bar.value() == read)
    qtbot.waitUntil(lambda: numbered.find_row.count_text == "not found")
    qtbot.keyClick(numbered.find_row.field, Qt.Key.Key_Escape)
    assert bar.value() == read


def test_find_that_leads_out_of_the_passages_goes_back_to_them(pane, qtbot):
    """What stands in none of them is shown in the whole text; typed on to nothing, they are there again."""
    put(pane, Document("d", "Coffee", "", NUMBERED))
    pane.focus_find()
    pane.find_row.field.setText("Sentence 700")
    qtbot.waitUntil(lambda: not pane.is_excerpt)
    pane.find_row.field.setText("Sentence 700zq")
    qtbot.waitUntil(lambda: pane.is_excerpt)


def test_who_went_on_from_what_was_found_is_not_led_back(numbered, qtbot):
    """By Enter, or by the wheel: there one reads now."""
    bar, read = turn_pages(numbered)
    numbered.focus_find()
    numbered.find_row.field.setText("Sentence 80")
    qtbot.waitUntil(lambda: numbered.find_row.count_text == "1 of 11")
    qtbot.keyClick(numbered.find_row.field, Qt.Key.Key_Return)
    gone = bar.value()
    numbered.find_row.field.setText("Sentence 80zq")
    qtbot.waitUntil(lambda: numbered.find_row.count_text == "not found")
    assert bar.value() == gone != read


def test_a_long_paragraph_is_cut_where_sentences_end(numbered):
    """Neither a word nor a sentence is parted."""
    lines = [line.text for line in numbered.text.page.lines if line.field == "body"]
    assert len(lines) > 10
    assert all(line.startswith("Sentence ") and line.rstrip().endswith(".") for line in lines)


def test_a_long_paragraph_is_copied_without_added_line_ends(numbered, qtbot):
    """Where it is cut for display, there is none in the text."""
    numbered.text.selectAll()
    numbered.text.copy()
    assert NUMBERED in QApplication.clipboard().text()


def test_sentences_of_a_long_paragraph_are_whole(pane, qtbot):
    """Where words alone tell where to cut, a sentence across the cut is selected whole."""
    body = f"{'again and ' * 205}on it goes. {'And on. ' * 99}"
    put(pane, Document("d", "Coffee", "", body))
    pane.show_whole()
    pane.focus_find()
    pane.find_row.field.setText("it goes")
    pane.text.select_sentence()
    (span,) = pane.selected_spans()
    assert body.startswith(span.text)
    assert span.text.endswith("it goes.")


def test_the_first_sentence_begins_in_view(numbered):
    """Of one that begins above only the end is seen: what is taken was not read there."""
    bar = numbered.text.verticalScrollBar()
    for value in range(300, 360, 7):
        bar.setValue(value)
        numbered.text.select_sentence()
        cursor = numbered.text.textCursor()
        cursor.setPosition(cursor.selectionStart())
        assert 0 <= numbered.text.cursorRect(cursor).top() < 100
        cursor.clearSelection()
        numbered.text.setTextCursor(cursor)


def test_what_is_found_shows_within_a_rationale(pane, qtbot):
    """Its ground is that of the rationale: a frame tells one from the other."""
    span = Span("body", 18, 32, "Cook the soup.")
    pane.show_document(LENTIL, place=3, total=10, shown=Shown(spans=(span,)))
    pane.focus_find()
    cursor = pane.text.document().find("soup", pane.text.page.position_of(("body", 18)))
    end = pane.text.cursorRect(cursor).bottomRight()
    before = pane.text.viewport().grab().toImage()
    qtbot.keyClicks(pane.find_row.field, "soup")
    qtbot.waitUntil(lambda: len(pane.text.marks.found) == 3)
    after = pane.text.viewport().grab().toImage()
    beside = range(end.x() - 4, end.x() + 2)
    assert any(after.pixel(x, end.y() - 8) != before.pixel(x, end.y() - 8) for x in beside)


def test_find_brings_the_place_into_view(pane, qtbot):
    """The page scrolls to what was found."""
    put(pane, LONG)
    pane.show_whole()
    pane.focus_find()
    qtbot.keyClicks(pane.find_row.field, "Line 399")
    qtbot.waitUntil(lambda: pane.text.is_settled)
    assert pane.text.verticalScrollBar().value() > 0
    assert has_colour(pane.grab().toImage(), current_theme().find)


def test_find_reads_its_words_as_they_are(pane, qtbot):
    """What is typed is no pattern, and the pane's own words are not found."""
    put(pane, LENTIL)
    pane.focus_find()
    qtbot.keyClicks(pane.find_row.field, ".*")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "not found")
    pane.find_row.field.setText("No note")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "not found")


def test_find_works_behind_emoji(pane, qtbot):
    """Characters that Qt counts twice do not shift what is found."""
    put(pane, Document("e", "🍮🍮", "", "👩‍👩‍👧 flan 🍮 flan"))
    pane.focus_find()
    pane.find_row.field.setText("flan")
    qtbot.waitUntil(lambda: pane.text.is_settled)
    assert pane.text.textCursor().block().text()[: pane.text.textCursor().positionInBlock()] != ""
    cursor = pane.text.textCursor()
    cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.KeepAnchor, 4)
    assert cursor.selectedText() == "flan"


def test_escape_closes_find_and_gives_the_keyboard_back(pane, qtbot):
    """Esc takes the marks away and returns to where the keyboard was."""
    other = QLineEdit(pane)
    other.show()
    other.setFocus()
    put(pane, LENTIL)
    pane.focus_find()
    pane.find_row.field.setText("soup")
    qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is other
    assert not has_colour(pane.grab().toImage(), current_theme().find)


def test_zoom_has_limits(pane, qtbot):
    """The text grows to 14 px more and shrinks to 4 px less, no further."""
    put(pane, LENTIL)
    normal = pane.text.document().defaultFont().pointSizeF()
    pane.zoom(100)
    largest = pane.text.document().defaultFont().pointSizeF()
    pane.zoom(1)
    assert pane.text.document().defaultFont().pointSizeF() == largest > normal
    pane.zoom(-14)
    assert pane.text.document().defaultFont().pointSizeF() == pytest.approx(normal)


def test_ctrl_and_the_wheel_zoom(pane, qtbot):
    """Ctrl and the wheel change the size, and the window is told to keep it; alone it scrolls."""
    put(pane, LONG)
    qtbot.waitUntil(lambda: pane.text.is_settled)
    centre = QPointF(100, 100)

    def turn(by, modifier):
        event = QWheelEvent(
            centre,
            pane.text.mapToGlobal(centre),
            QPointF(0, 0).toPoint(),
            QPointF(0, by).toPoint(),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(pane.text.viewport(), event)

    for by, grow in ((120, 1), (-120, 0)):
        with qtbot.waitSignal(pane.zoom_changed) as told:
            turn(by, Qt.KeyboardModifier.ControlModifier)
        assert told.args == [grow]
    assert pane.text.verticalScrollBar().value() == 0
    turn(-120, Qt.KeyboardModifier.NoModifier)
    assert pane.text.verticalScrollBar().value() > 0


def test_the_pointer_tells_what_can_be_clicked(pane, qtbot):
    """Over an address it is a hand, and a click asks for it; beside it text is selected."""
    put(pane, LENTIL)
    viewport = pane.text.viewport()
    cursor = pane.text.document().find("recipes.example")
    inside = pane.text.cursorRect(cursor).center() - QPoint(20, 0)
    QTest.mouseMove(viewport, inside)
    assert viewport.cursor().shape() is Qt.CursorShape.PointingHandCursor
    with qtbot.waitSignal(pane.text.address_clicked):
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=inside)
    body = pane.text.cursorRect(pane.text.document().find("Cook the soup")).center()
    QTest.mouseMove(viewport, body)
    assert viewport.cursor().shape() is Qt.CursorShape.IBeamCursor
    with qtbot.assertNotEmitted(pane.text.address_clicked):
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=body)


def show_said(pane, *spans):
    """Show the same document with a rationale."""
    pane.show_document(WITH_FIELDS, place=3, total=10, shown=Shown(spans=spans))


WITH_FIELDS = Document(
    "f", "Form", "", "First. Second.", {f"field {n}": f"Field {n} says so." for n in range(60)}
)


def test_what_is_selected_below_a_rationale_stays_selected(pane):
    """The rationale is written above the fields: the same key again takes away what it kept."""
    show_said(pane)
    cursor = pane.text.document().find("Field 40 says so.")
    pane.text.setTextCursor(cursor)
    top = pane.text.cursorRect().top()
    chosen = pane.selected_spans()
    assert [span.text for span in chosen] == ["Field 40 says so."]
    for spans in (chosen, (), chosen):
        show_said(pane, *spans)
        assert pane.selected_spans() == chosen
        assert abs(pane.text.cursorRect().top() - top) <= 1


def test_several_fields_are_kept_as_they_are_seen_selected(pane):
    """Qt selects whole cells of a table; all of them are meant."""
    show_said(pane)
    cursor = pane.text.document().find("Field 2 says")
    cursor.setPosition(cursor.selectionStart() + 6)
    cursor.setPosition(
        pane.text.document().find("Field 4 says").selectionEnd(), QTextCursor.MoveMode.KeepAnchor
    )
    pane.text.setTextCursor(cursor)
    assert [span.text for span in pane.selected_spans()] == [
        f"Field {n} says so." for n in (2, 3, 4)
    ]


def test_where_only_fields_are_in_view_a_sentence_of_them_is_selected(pane):
    """It did nothing there, without a word."""
    show_said(pane)
    bar = pane.text.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    pane.text.select_sentence()
    assert pane.text.textCursor().selectedText().endswith("says so.")


def test_the_caret_begins_where_one_reads(pane):
    """Not at the title of a text that is scrolled."""
    put(pane, LONG)
    pane.show_whole()
    pane.text.finish()
    bar = pane.text.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    value = bar.value()
    pane.text.set_caret(is_on=True)
    assert 0 <= pane.text.cursorRect().top() < 60
    assert abs(bar.value() - value) <= 1


def test_a_piece_of_a_rationale_goes_by_its_cross(pane, qtbot):
    """A click on × says which piece; one elsewhere, or with the other button, says none."""
    spans = (Span("body", 0, 4, "Wash"), Span("body", 18, 22, "Cook"))
    pane.show_document(LENTIL, place=1, total=1, shown=Shown(spans=spans))
    marks, viewport = pane.text.marks, pane.text.viewport()
    top = QPointF(0, pane.text.verticalScrollBar().value())
    crosses = [
        (marks.close_rect(rect).center() - top).toPoint()
        for block, rect in marks.visible_blocks()
        if block.userState() <= BlockKind.PIECE
    ]
    with qtbot.waitSignal(pane.text.rationale_closed) as said:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=crosses[-1])
    assert said.args == [1]
    with qtbot.assertNotEmitted(pane.text.rationale_closed):
        qtbot.mouseClick(viewport, Qt.MouseButton.RightButton, pos=crosses[-1])
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=crosses[-1] - QPoint(60, 0))


def test_a_very_long_text_is_read_on_part_by_part(pane, qtbot):
    """At the end of a part reading on leads to the next, as the button does; behind the last there is none."""
    body = "".join(f"Line {number} of soup.\n" for number in range(8_000))
    put(pane, Document("big", "Big", "", body))
    pane.show_whole()
    parts = []
    for go_on in (pane.read_on, pane.show_all.click, pane.read_on):
        qtbot.waitUntil(lambda: pane.text.is_settled)
        parts.append(pane.page.part)
        bar = pane.text.verticalScrollBar()
        bar.setValue(bar.maximum())
        go_on()
    assert parts == [(1, 3), (2, 3), (3, 3)]
    assert pane.page.part == (3, 3)


def test_beside_wide_buttons_the_part_is_said_in_numbers(pane, qtbot):
    """Where there is no room for the words, its number and that of all parts stay."""
    put(pane, Document("big", "Big", "", "".join(f"Line {n} of soup.\n" for n in range(8_000))))
    pane.show_whole()
    (said,) = (each for each in pane.findChildren(ElidedLabel) if each.text == "Part 1 of 3")
    pane.resize(pane.width() - said.width() + text_width(Role.UI, "1 of 3 ."), pane.height())
    qtbot.waitUntil(lambda: said.shown == "1 of 3")


def test_ctrl_c_copies_what_is_selected(pane, qtbot):
    """Selected text goes to the clipboard as plain text."""
    put(pane, LENTIL)
    pane.text.setFocus()
    qtbot.keyClick(pane.text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(pane.text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().startswith("Lentil soup")


def test_a_long_text_is_shown_in_passages_until_asked(pane, qtbot):
    """Of a long text the passages that match come first; a button shows all of it."""
    body = "Nothing here. " * 400 + "A rare soup. " + "Nothing there. " * 400
    put(pane, Document("big", "Big", "", body), terms=QueryTerms.parse("rare"))
    shown = pane.text.toPlainText()
    assert pane.is_excerpt
    assert "A rare soup." in shown
    assert "…" in shown
    qtbot.mouseClick(pane.show_all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: pane.text.is_settled)
    assert body.strip() in "".join(pane.text.toPlainText().splitlines())
    assert not pane.show_all.isVisible()


def test_a_long_text_is_written_to_its_end(pane, qtbot):
    """The beginning of a long text is there at once, the rest follows by itself."""
    body = "0123456789abcde\n" * 3_000
    put(pane, Document("big", "Big", "", body))
    pane.show_whole()
    assert len(pane.text.toPlainText()) < 40_000
    qtbot.waitUntil(lambda: pane.text.is_settled)
    assert body.strip() in pane.text.toPlainText()
    assert pane.text.toPlainText().rstrip().endswith("writes one.")


def test_a_megabyte_without_spaces_is_split_for_display(pane, qtbot):
    """One line of 1 MB is laid out in pieces of at most 2,000 characters, or it takes a minute."""
    body = "QUJDabcdef/+" * 83_334
    put(pane, Document("base64", "Base64", "", body), terms=SOUP)
    pane.show_whole()
    qtbot.waitUntil(lambda: pane.text.is_settled)
    lines = pane.text.toPlainText().split("\n")
    assert max(map(len, lines)) <= LONGEST_LINE + len(" …")
    assert "".join(lines[1:]).startswith(body[:50_000])


def test_lines_are_at_most_72_characters_wide(pane, qtbot):
    """In a wide pane the text stays narrow enough to read."""
    put(pane, LONG)
    pane.resize(1600, 700)
    assert pane.text.viewport().width() < 800


AWKWARD = st.text(st.sampled_from("ab \t\n\r\x00\x85\u2028\u200f\ufffcé\u0301漢🍮"), max_size=60)


@given(AWKWARD.map(lambda text: text * 120))
def test_lines_are_short_and_lose_nothing_that_can_be_seen(text):
    """No line is longer than 2,000 characters; joined they are the text without line ends."""
    lines = list(iter_lines("body", text))
    assert max(len(line.text) for line in lines) <= LONGEST_LINE
    seen = [c for c in text if c.isprintable() and not c.isspace() and c != "\ufffc"]
    shown = "".join(line.text for line in lines)
    assert [char for char in shown if char.isprintable() and not char.isspace()] == seen


@given(AWKWARD)
def test_every_shown_character_knows_its_place_in_the_field(text):
    """A place on a line leads to the same character of the field, and back."""
    joined = iter_lines("body", text, width=40)
    for line in [*iter_lines("body", text), *joined, make_one_line("title", text, most=50)]:
        for place, char in enumerate(line.text):
            found = text[line.field_place(place)]
            assert found == char or (
                char == " " and not (found.isprintable() and found != "\ufffc")
            )
            assert line.shown_place(line.field_place(place)) == place


ABSTRACT = """experimental investigation of the aerodynamics of a
wing in a slipstream .   an experimental study of a wing in a propeller slipstream was
made in order to determine the spanwise distribution of the lift
increase due to slipstream at different angles of attack of the wing
and at different free stream to slipstream velocity ratios .  the
results were intended in part as an evaluation basis for different
theoretical treatments of this problem .

  An indented line of its own.
the comparative span loading curves, together with supporting evidence,"""
RECIPE = (
    "Lentil soup with carrots and cumin, for four people\n- 250 g lentils\n- 2 carrots\n- cumin"
)


def test_lines_broken_by_hand_are_joined_to_paragraphs(pane, qtbot):
    """A text that was broken at some width flows; its paragraphs stay, and so does a list."""
    put(pane, Document("d", "Wing", "", ABSTRACT))
    text = pane.text.toPlainText()
    assert "a wing in a slipstream" in text
    assert "lift increase due" in text
    assert "problem .\n\n  An indented line of its own." in text
    pane.set_joined(is_joined=False)
    assert "of a\nwing in" in pane.text.toPlainText()
    pane.set_joined(is_joined=True)
    put(pane, Document("r", "Soup", "", RECIPE))
    assert RECIPE in pane.text.toPlainText()


@pytest.mark.parametrize("goods", ["bread", "apples and pears, then plums and other" * 3])
def test_passages_of_a_text_broken_by_hand_are_whole_sentences(pane, goods):
    """They ended and began with lines, in the midst of a sentence, though lines are joined."""
    said = [f"Sentence {n} speaks of an old market by a river, of {goods}." for n in range(90)]
    said[60] = f"Somebody sells saffron on the market, beside {goods}."
    body = textwrap.fill(" ".join(said), 72)
    put(pane, Document("d", "Market", "", body), terms=QueryTerms.parse("saffron"))
    assert pane.is_excerpt
    shown = [line for line in pane.text.toPlainText().splitlines()[1:] if line.strip()]
    passages = [line for line in shown if "market" in line]
    assert len(passages) == 2
    assert all(each.startswith(("Sentence", "Somebody")) for each in passages)
    assert all(each.removesuffix(" …").endswith(".") for each in passages)


@given(AWKWARD, st.integers(1, 60))
def test_a_text_that_reads_on_keeps_every_place(text, width):
    """Only ends of lines differ, which are blanks: what is found has the same place in both."""
    read = unbroken(text, width)
    assert len(read) == len(text)
    assert all(
        a == b or (a in "\r\n\x85\u2028" and b == " ") for a, b in zip(text, read, strict=True)
    )


def test_what_is_selected_across_a_joined_line_is_the_documents_own_text(pane, qtbot):
    """The rationale keeps the line end that the page shows as a blank."""
    for end in ("\n", "\r\n"):
        body = ABSTRACT.replace("\n", end)
        put(pane, Document(f"d{len(end)}", "Wing", "", body))
        cursor = pane.text.document().find("lift increase")
        pane.text.setTextCursor(cursor)
        (span,) = pane.selected_spans()
        assert span.text == f"lift{end}increase"
        assert body[span.start : span.end] == span.text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_selected_across_paragraphs_is_one_piece(pane, end):
    """However a line ends: of ``\\r\\n`` each paragraph became a piece of its own."""
    body = end.join(("One way.", "", "Another way.", "", "A third."))
    put(pane, Document("d", "Ways", "", body))
    pane.text.selectAll()
    assert [span.text for span in pane.selected_spans() if span.field == "body"] == [body]


def test_heads_of_letters_and_quotations_keep_their_lines(pane):
    """They are no paragraph, though they are as wide as the text below them."""
    head = "From: anna@example.org (Anna)\nSubject: slipstream\nOrganization: somewhere"
    said = "> the results were intended in part as an evaluation basis for\n> different theories"
    put(pane, Document("d", "Wing", "", f"{head}\n\n{said}\nThat is so.\n\n{ABSTRACT}"))
    text = pane.text.toPlainText()
    assert head in text
    assert f"{said}\nThat is so." in text
    assert "a wing in a slipstream" in text


@pytest.mark.parametrize("long", ["Subject: " + "again " * 33, "see https://x.example/" + "a" * 99])
def test_one_long_line_keeps_no_others_from_being_joined(pane, long):
    """A head or an address that is longer than the width at which the text was broken."""
    put(pane, Document("d", "Wing", "", f"{long}\n\n{ABSTRACT}\n\nKind regards\nAnna"))
    text = pane.text.toPlainText()
    assert "a wing in a slipstream" in text
    assert "Kind regards\nAnna" in text


def test_joining_lines_stays_where_one_reads(pane, qtbot):
    """It threw one to the top, and from the whole text to passages of it."""
    put(pane, Document("d", "Wing", "", "\n\n".join([ABSTRACT] * 30)))
    pane.show_whole()
    pane.text.finish()
    bar = pane.text.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    before = row_at_the_top(pane)
    for is_joined in (False, True):
        pane.set_joined(is_joined=is_joined)
        pane.text.finish()
        assert not pane.is_excerpt
        assert abs(row_at_the_top(pane) - before) < 100


def row_at_the_top(pane):
    """Return where in the text the first row in view begins."""
    cursor = pane.text.cursorForPosition(QPoint(40, 3))
    return pane.text.page.place_of(cursor.position())[1]


def test_dots_stand_beside_the_words_of_a_part():
    """Not alone on a line, where the part begins with the blank line between two paragraphs."""
    page = make_page(Document("d", "", "", "soup\n\nbread"), passages=((4, 11),))
    assert [line.text for line in page.iter_body()] == ["… bread"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ('{"a":"b","c":[1,2]}', "a: b\nc: [1, 2]"),
        ('["x","y"]', "x\ny"),
        ("{not json", "{not json"),
        ("[" * 4000, "[" * 4000),
        ("{}", "{}"),
    ],
)
def test_nested_field_values_are_readable(value, shown):
    """JSON inside a field is shown line by line; what only looks like it stays as it is."""
    page = make_page(Document("d", "", "", "", {"attributes": value}))
    lines = page.field_lines(*page.fields[0])
    assert "".join(line.text for line in lines) == shown.replace("\n", "")


def make_picture(path, width, height):
    """Write a magenta picture."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(255, 0, 255))
    assert image.save(str(path))
    return path


def test_a_picture_stands_above_the_text(pane, qtbot, tmp_path):
    """It is read by a worker and scaled to the page."""
    path = make_picture(tmp_path / "soup.png", 3000, 900)
    document = Document("d", "Soup", "", "Text.", image="soup.png")
    pane.show_document(document, place=1, total=1, shown=Shown(image=path))
    picture = pane.text.page.content.picture
    assert 100 < picture.width <= 332
    qtbot.waitUntil(lambda: has_colour(pane.grab().toImage(), QColor(255, 0, 255)))


def test_a_picture_has_its_name_where_somebody_listens(pane, qtbot, tmp_path):
    """Read aloud it is a picture of that name, and no object; it is painted as it is otherwise."""
    before = QAccessible.isActive()
    QAccessible.setActive(True)
    try:
        path = make_picture(tmp_path / "soup.png", 300, 90)
        document = Document("d", "Soup", "", "Text.", image="soup.png")
        pane.show_document(document, place=1, total=1, shown=Shown(image=path))
        heard = QAccessible.queryAccessibleInterface(pane.text).text(QAccessible.Text.Value)
        assert "Picture: soup.png" in heard
        assert "\ufffc" not in heard
        qtbot.waitUntil(lambda: has_colour(pane.grab().toImage(), QColor(255, 0, 255)))
    finally:
        QAccessible.setActive(before)


def test_a_picture_that_a_camera_held_upright_stands_upright(tmp_path):
    """Its file says how it is to be turned; its place on the page is that of the turned one."""
    path = tmp_path / "upright.jpg"
    image = QImage(400, 200, QImage.Format.Format_RGB32)
    image.fill(QColor("#336699"))
    writer = QImageWriter(str(path), b"jpg")
    writer.setTransformation(QImageIOHandler.Transformation.TransformationRotate90)
    assert writer.write(image)
    picture = measure_picture("upright.jpg", path, room=QSize(1000, 150))
    assert (picture.width, picture.height) == (75, 150)
    found = read_picture(picture, ratio=1.0)
    assert (found.width(), found.height()) == (75, 150)


def test_a_missing_picture_is_a_quiet_line(pane):
    """Its name is said where it would stand; nothing where there is none."""
    put(pane, Document("d", "Soup", "", "Text.", image="soup.png"))
    assert "The picture soup.png is not to be had." in pane.text.toPlainText()
    put(pane, LENTIL)
    assert "picture" not in pane.text.toPlainText()


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\nbroken", b"14 bytes here."])
def test_a_damaged_picture_is_no_matter_of_permission(qtbot, tmp_path, capfd, data):
    """Its file is there: that it cannot be shown is said, and nothing in the terminal."""
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "broken.png").write_bytes(data)
    lines = tmp_path / "documents.jsonl"
    lines.write_text('{"id": "d", "title": "t", "image": "img/broken.png"}\n', "utf-8")
    run = tmp_path / "a.run"
    run.write_text("q Q0 d 1 1 a\n", "utf-8")
    path = tmp_path / "a.judge"
    create_project(path, scale=scale_preset("0-3"))
    with open_project(path) as session:
        import_readings(session, [read_file(lines), read_file(run)])
    with opened_window(qtbot, path) as window:
        said = "The picture img/broken.png cannot be shown: its file is damaged"
        assert said in window.workspace.document.text.toPlainText()
    assert "libpng" not in capfd.readouterr().err


def test_thousands_of_fields_are_all_there(pane, qtbot):
    """5,000 fields are written without a long wait, the id last of the table."""
    fields = {f"name {number}": f"value {number}" for number in range(5000)}
    put(pane, Document("d", "Many", "", "Text.", fields))
    qtbot.waitUntil(lambda: pane.text.is_settled)
    assert "name 4999:  value 4999" in pane.text.toPlainText()


def test_find_ignores_accents(pane, qtbot):
    """What is typed without accents finds what has them."""
    put(pane, Document("d", "Dessert", "", "Une crème brûlée."))
    pane.focus_find()
    pane.find_row.field.setText("brulee")
    qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")
