"""The focus view: one document, large, with the same place as the list, and what stands beside it."""

import re

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextCursor

from judgetool.core.judgments import Document, Query, Span
from judgetool.gui.actions import Mode
from judgetool.gui.models.page import PAGE_COLOURS
from judgetool.gui.painting import SET_MARKS
from judgetool.gui.panels.focus_side import LevelMeanings
from judgetool.gui.widgets.labels import KeyCap, Text
from judgetool.session.opening import open_project
from judgetool.session.reading_aids import HIDDEN, Blindness, TermSet, set_guidelines, set_term_sets
from tests.gui.window_fixtures import CTRL, SHIFT, opened_window, press
from tests.helpers.builders import Parts, awkward_parts, make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter

LONG_BODY = "\n".join(f"Sentence number {n} of the text. A soup follows." for n in range(300))


@pytest.fixture
def window(qtbot, tmp_path):
    """A window in focus on a project of three queries and six documents."""
    make_project(tmp_path, simple_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        window.views.show(Mode.FOCUS)
        yield window


@pytest.fixture
def long_window(qtbot, tmp_path):
    """A window in focus on two long documents."""
    documents = [Document(f"d{n}", f"Long {n}", "", LONG_BODY) for n in range(2)]
    parts = Parts([Query("q", "soup")], documents, {"a": {"q": ["d0", "d1"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        window.views.show(Mode.FOCUS)
        qtbot.waitUntil(lambda: window.workspace.document.text.is_settled)
        yield window


def key(qtbot, window, keys, modifier=Qt.KeyboardModifier.NoModifier):
    """Press keys in the document, as in focus."""
    for each in [keys] if isinstance(keys, Qt.Key) else list(keys):
        qtbot.keyClick(window.workspace.document.text, each, modifier)


def shown(window):
    """Return the text of the page."""
    return window.workspace.document.text.toPlainText()


def select(window, words):
    """Select words of the page with a cursor, as the mouse does."""
    text = window.workspace.document.text
    start = shown(window).index(words)
    cursor = QTextCursor(text.document())
    cursor.setPosition(start)
    cursor.setPosition(start + len(words), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)


def test_a_key_grades_and_shows_the_next_document(window, qtbot):
    """In focus a digit gives its grade and the next unjudged document is there."""
    key(qtbot, window, "2")
    assert shown(window).startswith("Soup recipe 1")
    assert window.session.board.progress(0).judged == 1


def test_the_next_document_is_ready_before_it_is_wanted(window, qtbot):
    """While nothing happens the next page is written, so that a grade only shows it."""
    qtbot.waitUntil(lambda: len(window.workspace.document.text.ready) > 0)


def test_the_next_document_is_ready_again_after_another_look(window, qtbot):
    """Pages that were written for another width or theme are written anew, untouched."""
    text = window.workspace.document.text
    qtbot.waitUntil(lambda: len(text.ready) > 0)
    key(qtbot, window, "v")
    qtbot.waitUntil(lambda: len(text.ready) > 0)
    qtbot.keyClick(window.workspace.results.table, "v")
    qtbot.waitUntil(lambda: len(text.ready) > 0)


def test_undo_shows_the_page_that_was_left_without_writing_it_anew(window, qtbot):
    """A grade and its undo lead back to the same written page, shown from its top."""
    text = window.workspace.document.text
    page, words = text.page, shown(window)
    key(qtbot, window, "2")
    assert text.page is not page
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text.page is page
    assert (shown(window), text.verticalScrollBar().value()) == (words, 0)


def test_the_place_is_the_same_in_list_and_focus(window, qtbot):
    """V goes to the list and back; document, query and run stay."""
    key(qtbot, window, "jj")
    place = window.view.place
    key(qtbot, window, "v")
    assert (window.views.mode, window.view.place) == (Mode.LIST, place)
    qtbot.keyClick(window.workspace.results.table, "v")
    assert (window.views.mode, window.view.place) == (Mode.FOCUS, place)


def first_sentence(window):
    """Return the number of the sentence at the top of the screen."""
    text = window.workspace.document.text
    cursor = text.cursorForPosition(QPoint(text.viewport().width() - text.look.margin, 0))
    before = cursor.block().text()[: cursor.positionInBlock()]
    return int(re.findall(r"Sentence (\d+)", before)[-1])


def test_a_long_paragraph_stays_where_it_was_read_in_the_other_view(qtbot, tmp_path):
    """V went back by a page or ten, each time: as many as places where the paragraph is cut."""
    body = " ".join(
        f"Sentence {n} speaks of the old market and its many cafes." for n in range(600)
    )
    parts = Parts([Query("q", "soup")], [Document("d", "Big", "", body)], {"a": {"q": ["d"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        pane = window.workspace.document
        pane.show_whole()
        qtbot.waitUntil(lambda: pane.text.is_settled)
        bar = pane.text.verticalScrollBar()
        bar.setValue(bar.maximum() * 3 // 4)
        read = first_sentence(window)
        for mode in (Mode.FOCUS, Mode.LIST):
            window.views.show(mode)
            qtbot.waitUntil(lambda: pane.text.is_settled)
            assert abs(first_sentence(window) - read) <= 1


def test_home_and_end_move_the_caret_while_it_is_on(window, qtbot):
    """They led to the first and last document, and the next grade was another’s."""
    key(qtbot, window, "j")
    place, text = window.view.place, window.workspace.document.text
    key(qtbot, window, Qt.Key.Key_F7)
    ends = []
    for each in (Qt.Key.Key_End, Qt.Key.Key_Home):
        key(qtbot, window, each)
        ends.append(text.textCursor().position())
    assert ends[0] > ends[1] == 0
    assert window.view.place == place
    key(qtbot, window, Qt.Key.Key_F7)
    key(qtbot, window, Qt.Key.Key_Home)
    assert window.view.place != place


def test_a_selection_outlives_a_switch_of_view(window, qtbot):
    """What is selected in focus is selected in the list, and again in focus."""
    select(window, "A quick soup.")
    for _ in range(2):
        window.view_handler.list_or_focus()
        cursor = window.workspace.document.text.textCursor()
        assert cursor.selectedText() == "A quick soup."


def test_the_scrolled_place_outlives_a_switch_of_view(long_window, qtbot):
    """The line at the top of the screen is there in the other view, too."""
    pane = long_window.workspace.document
    pane.show_whole()
    qtbot.waitUntil(lambda: pane.text.is_settled)
    pane.text.marks.find_all("number 200 of")
    qtbot.waitUntil(lambda: pane.text.is_settled)
    top = pane.text.verticalScrollBar().value()
    assert top > 0
    long_window.view_handler.list_or_focus()
    qtbot.waitUntil(lambda: pane.text.is_settled)
    long_window.view_handler.list_or_focus()
    qtbot.waitUntil(lambda: pane.text.is_settled)
    assert abs(pane.text.verticalScrollBar().value() - top) < 40


def test_the_header_says_which_document(window, qtbot):
    """Number and total stand in the header, and a segment for each document."""
    key(qtbot, window, "j")
    place = window.workspace.header.place
    assert place.label.text == "Document 2 of 6"
    assert place.segments.accessibleName() == "0 of 6 judged"


def test_the_rail_opens_the_queries_over_the_document(window, qtbot):
    """A click on the rail shows the list; choosing a query puts it back in its dock."""
    rail, over = window.workspace.rail, window.workspace.queries_over
    assert rail.accessibleName().endswith("1 of 3")
    qtbot.mouseClick(rail, Qt.MouseButton.LeftButton)
    assert over.is_open
    assert (over.y(), over.height()) == (0, window.workspace.height())
    assert window.queries.isVisible()
    window.queries.query_chosen.emit(2)
    assert not over.is_open
    assert window.docks.queries.widget() is window.queries
    assert window.view.place[0] == "q2"


def test_slash_finds_queries_in_focus(window, qtbot):
    """/ opens the queries with the keyboard in their filter; Esc closes them."""
    key(qtbot, window, "/")
    assert window.workspace.queries_over.is_open
    qtbot.keyClick(window.queries, Qt.Key.Key_Escape)
    assert not window.workspace.queries_over.is_open


def test_the_side_shows_what_was_just_judged(window, qtbot):
    """Grades stand with their titles, the last first; a click goes there."""
    key(qtbot, window, "20")
    judged = window.workspace.side.judged
    assert judged.titles == ["Soup recipe 1, Not relevant", "Soup recipe 0, Relevant"]
    judged.chosen.emit(0, window.session.material.find_document("d0"))
    assert window.view.place == ("q0", "d0")


def test_undo_takes_the_row_away(window, qtbot):
    """What is undone is no longer among what was judged."""
    key(qtbot, window, "2")
    key(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert window.workspace.side.judged.titles == []


def test_guidelines_of_project_and_query_are_beside_the_document(window, qtbot):
    """Both texts are rendered from Markdown."""
    session = window.session
    session.execute(set_guidelines(session, "Judge *what it says*."))
    session.execute(set_guidelines(session, "Only hot soups.", query=0))
    text = window.workspace.side.guidelines.toPlainText()
    assert text.split("\n") == ["Judge what it says.", "Only hot soups."]


def test_the_side_says_when_one_is_blind(window):
    """The notice appears with its sentence, and goes."""
    side = window.workspace.side
    side.set_blind(Blindness(is_on=True))
    assert side.blind.isVisible()
    assert HIDDEN in side.blind.accessibleName()
    side.set_blind(Blindness())
    assert not side.blind.isVisible()


def test_selected_text_is_kept_with_the_judgment(window, qtbot):
    """Y keeps the span in the field's own characters, undo takes it away, a reopening shows it."""
    select(window, "A quick soup.")
    key(qtbot, window, "y")
    (span,) = window.view.judging.own_judgment.spans
    body = window.session.material.document(window.view.judging.document).body
    assert span == Span("body", body.index("A quick"), body.index(" The end."), "A quick soup.")
    assert "Rationale, kept with your judgment" in shown(window)
    window.project_handler.reopen(window.session.path, window.session.assessor)
    assert "Rationale, kept with your judgment" in shown(window)
    key(qtbot, window, Qt.Key.Key_Z, CTRL)
    assert window.view.judging.own_judgment.spans == ()
    assert "Rationale" not in shown(window)


def test_the_same_key_on_the_same_text_drops_the_rationale(window, qtbot):
    """Y twice on one selection leaves no rationale."""
    select(window, "A quick soup.")
    key(qtbot, window, "yy")
    assert window.view.judging.own_judgment.spans == ()


def test_the_cross_drops_one_piece(window, qtbot):
    """The × of the second piece takes that one away."""
    for words in ("A quick soup.", "The end."):
        select(window, words)
        key(qtbot, window, "y")
    window.workspace.document.text.rationale_closed.emit(1)
    assert [span.text for span in window.view.judging.own_judgment.spans] == ["A quick soup."]


def test_keys_alone_keep_the_sentence_of_a_highlight(window, qtbot):
    """Full stop goes from highlight to highlight, Y keeps its sentence."""
    key(qtbot, window, "....y")
    (span,) = window.view.judging.own_judgment.spans
    assert span.text == "A quick soup."


def test_keys_select_one_sentence_and_one_more(window, qtbot):
    """T selects the first sentence in view, again the next one too, Shift+T gives it back."""
    cursor = window.workspace.document.text.textCursor
    key(qtbot, window, "tt")
    assert cursor().selectedText() == "First words of document 0. A quick soup."
    key(qtbot, window, Qt.Key.Key_T, SHIFT)
    assert cursor().selectedText() == "First words of document 0."


def test_what_is_selected_is_copied_from_the_list_too(window, qtbot):
    """Ctrl+C in the list copies the title where nothing of the document is selected."""
    key(qtbot, window, Qt.Key.Key_V)
    table = window.workspace.results.table
    qtbot.keyClick(table, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == table.currentIndex().data()
    key(qtbot, window, "t")
    qtbot.keyClick(table, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "First words of document 0."


def test_the_caret_stays_where_it_is_in_the_other_view(window, qtbot):
    """And the keyboard with it: V led back to the list, and the caret to the title."""
    key(qtbot, window, Qt.Key.Key_F7)
    text = window.workspace.document.text
    for _ in range(3):
        qtbot.keyClick(text, Qt.Key.Key_Right)
    for _ in range(2):
        key(qtbot, window, "v")
        assert text.hasFocus()
        assert text.page.place_of(text.textCursor().position()) == ("title", 3)


def test_nothing_selected_says_what_to_do(window, qtbot):
    """Y without a selection changes nothing and says how to select."""
    key(qtbot, window, "y")
    assert window.session.undo_step.kind == "import"
    assert "Select some of the document’s text" in window.status.message.text


def test_a_span_of_an_excerpt_is_exact(long_window, qtbot):
    """What is kept from a passage stands at the same place of the whole text."""
    pane = long_window.workspace.document
    assert pane.is_excerpt
    select(long_window, "A soup follows.")
    key(qtbot, long_window, "y")
    (span,) = long_window.view.judging.own_judgment.spans
    assert LONG_BODY[span.start : span.end] == span.text == "A soup follows."


def test_space_shows_the_whole_text_then_pages(long_window, qtbot):
    """The first Space shows everything, the next turns a page."""
    pane = long_window.workspace.document
    key(qtbot, long_window, " ")
    assert not pane.is_excerpt
    qtbot.waitUntil(lambda: pane.text.is_settled)
    before = pane.text.verticalScrollBar().value()
    key(qtbot, long_window, " ")
    assert pane.text.verticalScrollBar().value() > before


def test_whole_texts_can_be_preferred(long_window, qtbot):
    """With the switch on, long texts are whole at once, and it is kept."""
    long_window.actions_by_name.action("read.whole").trigger()
    assert not long_window.workspace.document.is_excerpt
    assert long_window.settings.shows_whole


def test_page_colour_and_width_are_kept(window, qtbot):
    """P and W go through the colours and widths, and are remembered."""
    key(qtbot, window, "ppp")
    key(qtbot, window, "w")
    assert (window.settings.page_colour, window.settings.line_width) == ("sepia", "wide")
    look = window.workspace.document.text.look
    assert look.columns == 100
    assert look.theme.base.name() == "#f6eedd"


def test_the_panel_beside_it_is_called_by_what_is_in_it(qtbot, window):
    """Readers say the name of the panel that the keyboard comes to."""
    assert window.docks.side.windowTitle() == "Guidelines, What each level means, Just judged"
    qtbot.keyClick(window, "1", CTRL)
    assert window.docks.side.windowTitle() == "Live values"


def test_own_terms_are_marked_in_their_colour(window, qtbot):
    """A term set marks its words; U shows it alone, then nothing of it."""
    session = window.session
    session.execute(set_term_sets((TermSet("ends", 3, ("the end",)),)))
    text = window.workspace.document.text

    def colours():
        number = next(n for n, line in enumerate(text.page.lines) if line.field == "body")
        return {mark.colour for mark in text.marks.of_line(text.page.lines[number])}

    assert colours() == {0, SET_MARKS[2]}
    key(qtbot, window, "uu")
    assert colours() == {0}


def test_a_document_without_text_says_what_to_do(qtbot, tmp_path):
    """Only the id is there: the page says so and names the keys."""
    parts = Parts([Query("q", "soup")], (), {"a": {"q": ["only-id"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        window.views.show(Mode.FOCUS)
        assert "only-id" in shown(window)
        assert "says that it cannot be judged" in shown(window)


def test_a_very_long_text_is_read_in_parts(qtbot, tmp_path):
    """Of a text of a megabyte a part is shown; finding goes on into the other parts."""
    body = "Plain words of no account.\n" * 40_000 + "The needle stands here.\n"
    parts = Parts([Query("q", "soup")], [Document("d", "Big", "", body)], {"a": {"q": ["d"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        pane = window.workspace.document
        pane.show_whole()
        assert len(shown(window)) < 70_000
        pane.focus_find()
        pane.find_row.field.setText("NEEDLE")
        qtbot.waitUntil(lambda: pane.text.is_settled)
        qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 1")


def test_what_is_found_in_a_very_long_text_is_counted_in_all_its_parts(qtbot, tmp_path):
    """It said '1 of 2,310', as many as stand in the part that is shown, of 40,000."""
    body = "Plain words of no account.\n" * 40_000
    parts = Parts([Query("q", "soup")], [Document("d", "Big", "", body)], {"a": {"q": ["d"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        pane = window.workspace.document
        pane.show_whole()
        pane.focus_find()
        pane.find_row.field.setText("account")
        qtbot.waitUntil(lambda: pane.find_row.count_text == "1 of 40,000")
        shift = Qt.KeyboardModifier.ShiftModifier
        qtbot.keyClick(pane.find_row.field, Qt.Key.Key_Return, shift)
        qtbot.waitUntil(lambda: pane.find_row.count_text == "40,000 of 40,000")


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
def test_awkward_projects_open_in_both_views(qtbot, tmp_path, mode):
    """Right-to-left, marks, long titles, objects: every document of the awkward project paints."""
    make_project(tmp_path, awkward_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        window.views.show(mode)
        for _ in range(12):
            window.view.judging.move_by(1)
            assert not window.grab().isNull()


def test_a_rationale_is_read_by_others(window, qtbot, tmp_path):
    """The span is in the project for whoever opens it next."""
    select(window, "A quick soup.")
    key(qtbot, window, "y")
    other = open_project(window.session.path, assessor="ben")
    (opinion,) = other.opinions(0)[window.view.judging.document]
    assert opinion.judgment.spans[0].text == "A quick soup."
    other.close()


BATTERY = Document(
    "3842043",
    "Varta High Energy AAA 10-pack",
    "",
    "",
    {
        "brand": "Varta",
        "released": "2009-11-02",
        "attributes": '{"battery_type": "Single-use battery", "voltage": "1.5", "type": "AAA"}',
    },
)


def marked_words(window):
    """Return the letters that marks stand on, on the page that is shown."""
    text = window.workspace.document.text
    text.viewport().grab()
    lines = text.page.lines
    return [line.text[mark.start : mark.end] for line in lines for mark in text.marks.of_line(line)]


def test_marks_stand_on_the_same_words_in_list_and_focus(qtbot, tmp_path):
    """Fields that move to the quiet line take no mark with them, forth and back, after J and K."""
    other = Document("d2", "Another AAA cell", "", "", {"brand": "AAA"})
    parts = Parts([Query("q", "AAA")], [BATTERY, other], {"a": {"q": [BATTERY.id, "d2"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        for keys in ("v", "v", "jkv", "jv", "kv"):
            for each in keys:
                qtbot.keyClick(window.focusWidget() or window, each)
            assert set(marked_words(window)) == {"AAA"}


def test_what_was_found_is_found_in_the_other_view_too(qtbot, tmp_path):
    """Find stays on its words while the page is set otherwise."""
    parts = Parts([Query("q", "cell")], [BATTERY], {"a": {"q": [BATTERY.id]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        pane = window.workspace.document
        pane.focus_find()
        pane.find_row.field.setText("AAA")
        for mode in (Mode.FOCUS, Mode.LIST):
            window.views.show(mode)
            qtbot.waitUntil(lambda: pane.text.is_settled)
            text = pane.text
            found = [text.page.lines[n].text[start:end] for n, start, end in text.marks.found]
            assert found == ["AAA", "AAA"]


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_changes_ground_and_letters_together(window, qtbot, theme, mode):
    """P: at every page colour the ground that is painted is that of the letters."""
    window.choose_theme(theme)
    window.views.show(mode)
    pane = window.workspace.document
    for _ in PAGE_COLOURS:
        key(qtbot, window, "p")
        ground = pane.text.look.theme.base
        picture = pane.text.viewport().grab().toImage()
        beside = pane.grab(pane.text.geometry()).toImage()
        assert picture.pixelColor(3, picture.height() - 3) == ground
        assert beside.pixelColor(3, beside.height() - 3) == ground
        letters = pane.text.document().firstBlock().charFormat().foreground().color()
        assert letters == pane.text.look.theme.text


class Browser(QObject):
    """Takes what would be opened."""

    def __init__(self):
        super().__init__()
        self.opened = []

    @Slot(QUrl)
    def open(self, url):
        """Note an address."""
        self.opened.append(url.toString())


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
@pytest.mark.parametrize("answer", ["open", "copy", None])
def test_a_click_on_the_address_asks_before_it_opens_or_copies_all_of_it(
    window, qtbot, mode, answer
):
    """Nothing is opened without an answer; what is copied has its scheme, too."""
    browser = Browser()
    QDesktopServices.setUrlHandler("https", browser, "open")
    QGuiApplication.clipboard().clear()
    window.views.show(mode)
    url = window.session.material.document(window.view.judging.document).url
    text = window.workspace.document.text
    at = text.document().find(url.removeprefix("https://"))
    place = text.cursorRect(at)
    window.prompter = FakePrompter(answers=[answer])
    try:
        qtbot.mouseClick(
            text.viewport(), Qt.MouseButton.LeftButton, pos=place.center() - QPoint(20, 0)
        )
    finally:
        QDesktopServices.unsetUrlHandler("https")
    assert browser.opened == ([url] if answer == "open" else [])
    assert QGuiApplication.clipboard().text() == (url if answer == "copy" else "")
    assert len(window.prompter.asked) == 1


def test_each_level_beside_the_document_has_its_key(window):
    """A narrow bar has no names: the panel has key and name on one line, the highest first."""
    levels = window.session.scale.levels[::-1]
    caps = window.findChild(LevelMeanings).findChildren(KeyCap)
    lines = [(cap.text, cap.parent().findChild(Text).text()) for cap in caps]
    assert lines == [(level.key.upper(), level.shown_name) for level in levels]


def lines_in_sight(text):
    """How many lines of a page are seen whole, from its title on."""
    bottom, lines = text.viewport().height() + text.verticalScrollBar().value(), 0
    block = text.document().begin()
    while block.isValid():
        top = text.document().documentLayout().blockBoundingRect(block).top()
        laid_out = block.layout()
        found = map(laid_out.lineAt, range(laid_out.lineCount()))
        lines += sum(bool(block.text()) and top + each.rect().bottom() <= bottom for each in found)
        block = block.next()
    return lines


@pytest.fixture
def in_large_text(qtbot, tmp_path):
    """Long texts with long queries and needs, in a small window at 200 %; two disagree."""
    need = "A need that is told at some length, so that it has more than a line. " * 3
    queries = [Query("q", "cold soup", need, need), Query("p", "A longer question of soup " * 4)]
    texts = [Document(name, "Soup", "", "Cook it and eat it hot. " * 90) for name in ("a", "b")]
    grades = [("q", "a", "ben", 1.0), ("q", "a", "cleo", 2.0)]
    run = {each.id: ["a", "b"] for each in queries}
    make_project(tmp_path, Parts(queries, texts, {"run": run}, grades)).close()
    path = tmp_path / "small.judge"
    with opened_window(qtbot, path, assessor="lead", size=(1366, 768)) as window:
        for _ in range(13):
            window.view_handler.step_text(1)
        yield window
        window.view_handler.step_text(0)


@pytest.mark.parametrize(("mode", "least"), [(Mode.FOCUS, 7), (Mode.LIST, 6)])
def test_large_text_leaves_a_low_window_to_the_document(qtbot, in_large_text, mode, least):
    """At 200 % six lines of the document are seen, for a long query too; the need comes by its key."""
    window = in_large_text
    window.views.show(mode)
    qtbot.waitUntil(lambda: window.schedule.is_settled)
    text, texts = window.workspace.document.text, window.workspace.header.texts
    qtbot.waitUntil(lambda: lines_in_sight(text) >= least)
    assert texts.is_cut
    press(qtbot, window, "i")
    assert texts.is_unfolded
    assert not texts.verticalScrollBar().value()
    press(qtbot, window, "i")
    press(qtbot, window, "]")
    qtbot.waitUntil(lambda: lines_in_sight(text) >= least)


def test_large_text_leaves_the_document_room_where_one_settles(qtbot, in_large_text):
    """The description and the row over the page yield; I shows the need."""
    window = in_large_text
    window.views.show(Mode.SETTLE)
    page = window.views.page(Mode.SETTLE)
    qtbot.waitUntil(lambda: page.dispute is not None)
    qtbot.waitUntil(lambda: lines_in_sight(page.document.text) >= 6)
    assert page.need.isHidden()
    qtbot.keyClick(window.focusWidget(), "i")
    assert page.need.isVisible()
