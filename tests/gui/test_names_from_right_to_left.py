"""Names written from right to left, in sentences with numbers: each number stays beside its name."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAccessible, QColor, QImage, QPainter, QTextDocument

from judgetool.core.judgments import Document, Query, Span
from judgetool.core.terms import Layer, Marking, QueryTerms
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.act_dialog import text_pane
from judgetool.gui.dialogs.export_dialog import ExportDialog
from judgetool.gui.dialogs.finding import HistoryDialog, ReviewDialog, clock_text
from judgetool.gui.dialogs.queue import AskDialog, HandOverDialog
from judgetool.gui.jobs import Jobs
from judgetool.gui.painting import draw_text
from judgetool.gui.panels.cards import break_lines
from judgetool.gui.panels.document_page import Shown
from judgetool.gui.panels.document_pane import DocumentPane
from judgetool.gui.panels.focus_side import JustJudged
from judgetool.gui.panels.query_header import wrap_text
from judgetool.gui.theme import Role
from judgetool.gui.widgets.labels import Align, Text, plain_tooltip
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.session.commands import Say, set_title
from judgetool.session.opening import open_project
from judgetool.session.team.asking import Asking, AskWishes
from tests.gui.whatif_fixtures import make_current, whatif_page
from tests.gui.window_fixtures import lines_painted, listening, opened_window, press
from tests.helpers.builders import Parts, make_project
from tests.helpers.fake_prompter import FakePrompter

RUN = {f"q{q}": [f"q{q}d{d}" for d in range(6)] for q in range(4)}
PARTS = Parts(queries=[Query(name, f"soup {name}") for name in RUN], runs={"run": RUN})
SALMA = "سلمى"
SENTENCES = (
    f"anna 26 · 26 🍊 {SALMA} · several 32",
    f"anna 26 · {SALMA} 26 · both 12",
    f"Ask {SALMA}: 24 documents",
    f"18 documents; 12 of them {SALMA} 3 is asked",
)


@pytest.fixture
def session(tmp_path):
    with make_project(tmp_path, PARTS, assessor="lead") as session:
        path = session.path
    with open_project(path, assessor="lead") as session:
        yield session


def seen(text):
    """The characters of a text from left to right as they are painted; what is from the right once each."""
    document = QTextDocument(text)
    document.documentLayout().documentSize()
    line = document.firstBlock().layout().lineAt(0)
    units = text.encode("utf-16-le")
    places = []
    for at in range(len(units) // 2):
        sign = units[2 * at : 2 * at + 2].decode("utf-16-le", "ignore")
        if sign.strip() and sign.isalnum() and sign.isascii():
            places.append((line.glyphRuns(at, 1)[0].boundingRect().left(), sign))
        elif sign == SALMA[0]:
            places.append((line.glyphRuns(at, 1)[0].boundingRect().left(), "L"))
    return "".join(sign for _, sign in sorted(places))


def order(text):
    """The same as it is written: every name stands where it was put."""
    kept = text.replace(SALMA, "L")
    return "".join(sign for sign in kept if sign.isascii() and sign.isalnum())


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_seen_in_the_order_of_its_words(qapp, sentence):
    """Numbers and names of a label do not change places."""
    assert seen(Text(sentence).text()) == order(sentence)


class Painted:
    """Stands for a painter, and keeps what is written."""

    def __init__(self):
        self.text = ""

    def drawText(self, _rect, _flags, text):  # noqa: N802 - Qt's name
        self.text = text

    def __getattr__(self, _name):
        return lambda *_values: None


@pytest.mark.parametrize("sentence", SENTENCES)
def test_so_is_a_painted_line(qapp, sentence):
    """Rows and the status line are painted: the same holds there."""
    painted = Painted()
    draw_text(painted, QRectF(0, 0, 9999, 20), sentence, role=Role.UI, colour="black")
    assert seen(painted.text) == order(sentence)


def test_a_text_of_others_runs_as_it_is_written(qapp):
    """A question from right to left is not taken apart."""
    question = f"{SALMA} 5 soup {SALMA}"
    assert Text(question, is_quoted=True).text() == question
    assert seen(plain_tooltip(question, is_quoted=True)) == seen(question)


def test_every_line_of_a_long_tooltip_runs_as_the_whole_text(qapp):
    """A question from right to left does not turn round where a line begins with a Latin word."""
    question = f"{SALMA} " * 30 + "soup 26 " * 20 + f"{SALMA} 5"
    *_, last = plain_tooltip(question, is_quoted=True).splitlines()
    assert last.count("soup") > 2
    assert seen(last).startswith("5L")


PARTS_OF_SENTENCES = st.lists(
    st.sampled_from([SALMA, "soup", "26", "anna", f"{SALMA} Adé"]), min_size=1, max_size=6
)


@given(PARTS_OF_SENTENCES, st.sampled_from([" ", " · ", ", ", ": ", "; ", " → "]))
def test_a_sentence_runs_as_its_language_whatever_it_names(qapp, parts, between):
    """Wherever a name from right to left stands in it, at its start too: in labels and tooltips."""
    sentence = between.join((*parts, "end"))
    for shown in (Text(sentence).text(), plain_tooltip(sentence)):
        assert seen(shown) == order(sentence)


def test_a_quoted_title_keeps_its_own_order_and_no_other(qapp):
    """A title of both directions within a sentence is read from right to left, all else is not."""
    sentence = f"‘{SALMA} – 5’ for the query ‘{SALMA} 7’"
    assert seen(Text(sentence).text()) == "5Lforthequery7L"


QUOTED = [
    ("Grad 0 für ‚{title}‘, ‚{title}‘.", "Grad0für{said},{said}."),
    ("Grade 0 for ‘{title}’, ‘{title}’.", "Grade0for{said},{said}."),
    ("Оценка 0: «{title}», «{title}».", "Оценка0:{said},{said}."),
]


@pytest.mark.parametrize(("sentence", "said"), QUOTED)
def test_a_title_that_ends_in_a_year_keeps_it_in_every_languages_quotes(qtbot, sentence, said):
    """The year of a title from right to left stands at its left end, within the quotation marks."""
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(900, 30)
    line.show_message(sentence.format(title=f"{SALMA} (2019)"))
    line.show()
    assert words_of("".join(lines_painted(line.message))) == said.format(said=f"2019{SALMA}")


def words_of(painted):
    """A painted line without brackets and quotation marks, which are turned within such names."""
    return re.sub(r"[()‘’‚«»]", "", painted)


def test_heads_and_steps_of_a_whatif_run_as_our_language(qtbot, tmp_path):
    """What is said of a run, and where a document goes, stand behind the name, whatever it begins with."""
    title = f"{SALMA} (2019)"
    documents = [Document("d0", "soup"), Document("d1", title)]
    parts = Parts([Query("q", "soup")], documents, {f"{SALMA}-א": {"q": ["d0", "d1"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        page = whatif_page(window)
        make_current(page, "d1")
        qtbot.keyClick(page.orders, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
        steps = page.values.steps
        qtbot.waitUntil(lambda: len(steps.rows) > 2)
        heads = lines_painted(page.orders.horizontalHeader())
        assert heads[0].startswith(f"א-{SALMA},asimported")
        assert any(f"2019{SALMA}to1" in words_of(line) for line in lines_painted(steps))
        assert seen(plain_tooltip(steps.shown[1].tip)) == "2019Lto1"


def test_the_history_tells_who_before_when(qtbot, session):
    """A name that begins from right to left and ends otherwise stays in front of the time."""
    session.assessor = f"{SALMA} Adé"
    session.execute(Say.grade(0, int(session.board.pool(0)[0]), 2))
    dialog = HistoryDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    when = clock_text(session.clock(), now_ms=session.clock()).rpartition(":")[0]
    assert any(line.startswith(f"{SALMA}Adé·{when}") for line in lines_painted(dialog.steps))


def test_my_judgments_tell_a_query_before_when(qtbot, tmp_path):
    """A query from right to left that ends in Latin words and a number runs as in the list."""
    make_project(
        tmp_path, Parts([Query("q", f"{SALMA} soup 15")], runs={"r": {"q": ["d"]}})
    ).close()
    with open_project(tmp_path / "small.judge", assessor="me") as session:
        session.execute(Say.grade(0, int(session.board.pool(0)[0]), 2))
        dialog = ReviewDialog(session, is_blind=False)
        qtbot.addWidget(dialog)
        dialog.show()
        assert any(f"soup15{SALMA}·" in line for line in lines_painted(dialog.rows))


def test_the_title_of_a_project_runs_as_it_is_written_in_a_heading(qtbot, session):
    """One from right to left with a Latin word in it is not taken apart."""
    session.execute(set_title(f"{SALMA} soup ({SALMA}) 1"))
    jobs = Jobs()
    dialog = ExportDialog(session, FakePrompter(), jobs)
    qtbot.addWidget(dialog)
    assert seen(dialog.heading.shown) == "Exportfrom1LsoupL"
    jobs.close()


def test_whom_asking_names_keeps_their_number(qtbot, session):
    """Also where such a name comes first, and in the list of whom something is taken from."""
    dialog = AskDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.names.setText(f"{SALMA}, ben")
    dialog.share.setValue(50)
    qtbot.waitUntil(lambda: dialog.plan is not None)
    said = dialog.plan.describe()
    assert seen(dialog.preview.text()) == order(said)
    asking = Asking(session)
    session.execute(asking.command(asking.plan(AskWishes((SALMA,)))))
    over = HandOverDialog(session)
    qtbot.addWidget(over)
    assert seen(over.giver.currentText()).startswith("L2")


def ink_at_right(widget):
    """Whether the words of a widget stand nearer to its right end than to its left."""
    image = widget.grab().toImage()
    ground = image.pixel(image.width() // 2, image.height() - 8)
    columns = [
        x
        for x in range(12, image.width() - 12)
        if any(image.pixel(x, y) != ground for y in range(8, image.height() - 8))
    ]
    return columns[0] > image.width() - columns[-1]


@pytest.mark.parametrize(
    ("text", "is_right"), [(SALMA, True), (f"{SALMA} 5", True), ("soup", False)]
)
def test_a_note_and_a_query_stand_where_their_direction_begins(qtbot, text, is_right):
    """As on cards: the field of a note, while it is written too, and the query over the results."""
    field = text_pane("", 60)
    qtbot.addWidget(field)
    field.resize(500, 60)
    field.show()
    field.setPlainText(text)
    field.setCursorWidth(0)
    assert ink_at_right(field) is is_right
    laid_out = wrap_text(text, Role.QUERY, 500)
    query = laid_out.lineAt(0).naturalTextRect()
    assert (query.left() > 500 - query.right()) is is_right


def test_no_line_of_several_leaves_its_room(qapp):
    """The first letter of a text from right to left stands at the right end, whole."""
    line = break_lines(f"{SALMA} " * 40, role=Role.NEED, room=300, most=2)[0]
    image = QImage(320, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    line.draw(painter, 0, 25, colour=QColor("black"))
    painter.end()
    inked = [x for x in range(320) if any(image.pixel(x, y) != 0xFFFFFFFF for y in range(40))]
    assert 290 < inked[-1] < 301


def test_what_was_just_judged_stands_where_its_title_begins(qtbot, tmp_path):
    """A title from right to left stands at the right end of its row."""
    documents = [Document("d0", SALMA), Document("d1", "soup")]
    parts = Parts([Query("q", "soup")], documents, {"run": {"q": ["d0", "d1"]}})
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        press(qtbot, window, "12")
        window.views.show(Mode.FOCUS)
        rows = window.findChild(JustJudged).rows
        qtbot.waitUntil(lambda: len(rows.rows) == 2)
        aligned = {row.parts[-1].text: row.parts[-1].align for row in rows.shown}
        assert aligned == {SALMA: Align.RIGHT, "soup": Align.START}


def ink_of(text, word):
    """Where a word of the page begins and ends, in px from the left of what holds the page."""
    cursor = text.page.find(word)
    block = cursor.block()
    rect = text.page.documentLayout().blockBoundingRect(block)
    line = block.layout().lineAt(0).naturalTextRect()
    left = text.viewport().x() + rect.left() + line.left()
    return left, left + line.width()


def test_a_page_from_right_to_left_stands_at_the_right(qtbot, tmp_path):
    """In *Settle*, under its question; its fields are mirrored, and another page stands at the left."""
    documents = [
        Document("one", f"{SALMA} {SALMA}", body=f"{SALMA} 5", fields={"lang": "arabic"}),
        Document("two", "Soup", body="Leek soup.", fields={"lang": "english"}),
    ]
    judgments = [
        ("q", each.id, by, at) for each in documents for by, at in (("a", 0.0), ("b", 2.0))
    ]
    parts = Parts([Query("q", SALMA)], documents, {"run": {"q": ["one", "two"]}}, judgments)
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge", assessor="lead") as window:
        qtbot.keyClick(window, Qt.Key.Key_6, Qt.KeyboardModifier.ControlModifier)
        page = window.views.page(Mode.SETTLE)
        qtbot.waitUntil(lambda: not page.is_searching)
        text, inset = page.document.text, 60
        for __ in documents:
            title = text.page.content.page.title.text
            name, value = ink_of(text, "lang"), ink_of(text, "ish" if title == "Soup" else "arabic")
            if title == "Soup":
                assert name[0] < inset
                assert name[1] < value[0]
            else:
                assert ink_of(text, SALMA)[1] > text.width() - inset
                assert name[1] > text.width() - inset
                assert 0 < name[0] - value[1] < inset
            qtbot.keyClick(window.focusWidget(), "s")
            qtbot.waitUntil(lambda was=title: text.page.content.page.title.text != was)
        page.set_reason(f"{SALMA} soup 2")
        assert seen(page.reason.text()) == "Reasonsoup2L"


def test_a_rationale_runs_as_its_document(qtbot):
    """Its head stands at the right with its bar, and what begins with a Latin word keeps its order."""
    pane = DocumentPane()
    qtbot.addWidget(pane)
    pane.resize(700, 500)
    body = f"{SALMA} soup {SALMA} 5"
    spans = (Span("body", len(SALMA) + 1, len(body) - 2, body[len(SALMA) + 1 : -2]),)
    shown = Shown(spans=spans)
    pane.show_document(Document("one", SALMA, body=body), place=1, total=1, shown=shown)
    pane.show()
    head = ink_of(pane.text, "Rationale")
    assert head[1] > pane.text.width() - 60
    assert f"{SALMA}soup" in lines_painted(pane.text.viewport())


def test_a_passage_runs_as_its_paragraph(qtbot):
    """Also where it begins with a Latin word in the midst of one that runs from right to left."""
    pane = DocumentPane()
    qtbot.addWidget(pane)
    body = f"{SALMA}. " * 600 + f"Soup {SALMA}. " + f"{SALMA}. " * 600
    marking = Marking((Layer(QueryTerms.parse("soup"), 0),))
    pane.show_document(Document("one", "", body=body), place=1, total=1, marking=marking)
    assert pane.is_excerpt
    block = pane.text.document().find("Soup").block()
    assert block.text().startswith("Soup ")
    assert block.textDirection() is Qt.LayoutDirection.RightToLeft


def test_a_reader_hears_a_field_as_a_line(qtbot):
    """Its name first; Qt would run the cells of a table together, whichever side they stand at."""
    with listening():
        pane = DocumentPane()
        qtbot.addWidget(pane)
        document = Document("one", SALMA, fields={"lang": "arabic", "course": "main"})
        pane.show_document(document, place=1, total=1)
        heard = QAccessible.queryAccessibleInterface(pane.text).text(QAccessible.Text.Value)
    assert "\nlang:  arabic\ncourse:  main\nid:  one\n" in heard
