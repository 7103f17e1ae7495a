"""What a key shows to those who see is said to those who listen: needs, names, numbers, lists."""

import re

import pytest
from PySide6.QtCore import QElapsedTimer, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDialog

from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.help_window import HelpWindow
from judgetool.gui.widgets.banner import Banner, BannerText
from judgetool.session.commands import Changed
from tests.gui.window_fixtures import CTRL, opened_window, press, window_on_sample
from tests.helpers.program import must

HEARD = Qt.ItemDataRole.AccessibleTextRole
NARRATIVE = " ".join(["Soups that are eaten cold count and warm ones do not."] * 30)
QUERY = '{"id": "q", "text": "cold soup", "description": "Soups for hot days", "narrative": "%s"}\n'


@pytest.fixture(autouse=True)
def _listening():
    before = QAccessible.isActive()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(before)


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on the bundled sample."""
    with window_on_sample(qtbot, tmp_path) as shown:
        yield shown


@pytest.fixture
def messages(monkeypatch):
    """What a reader was told, announcement by announcement."""
    told = []
    monkeypatch.setattr(
        QAccessible,
        "updateAccessibility",
        lambda event: told.append(getattr(event, "message", lambda: "")()),
    )
    return told


def needy(path, narrative):
    """Make a project with one query that has a need, and one dispute."""
    must("new", path)
    must("import", path, "--queries", "-", stdin=QUERY % narrative)
    must("import", path, "--documents", "-", stdin='{"id": "a", "text": "Gazpacho."}\n')
    must("import", path, "--run", "-", stdin="q 0 a 1 3 x\n")
    qrels = "query,document,assessor,grade\nq,a,anna,3\nq,a,ben,1\n"
    must("import", path, "--qrels", "-", stdin=qrels)
    return path


def heard(qtbot, window, key, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key where the keyboard is; return what is announced next."""
    texts = []
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    window.announcer.said.connect(texts.append)
    qtbot.keyClick(window.focusWidget(), key, modifier)
    qtbot.waitUntil(lambda: bool(texts))
    window.announcer.said.disconnect(texts.append)
    return texts[0]


@pytest.mark.parametrize("narrative", ["Warm ones do not count.", NARRATIVE])
@pytest.mark.parametrize("view", ["1", "2", "3", "6"])
def test_the_need_is_heard_by_its_key(qtbot, tmp_path, view, narrative):
    """I says query, description and narrative, where they fit and where they are cut off."""
    path = needy(tmp_path / "need.judge", narrative)
    with opened_window(qtbot, path, assessor="lead") as window:
        qtbot.keyClick(window, view, CTRL)
        said = heard(qtbot, window, "i")
    assert "Query: cold soup. Description: Soups for hot days. Narrative: " in said
    assert narrative.rstrip(".") in said


def test_a_query_without_a_need_says_so(qtbot, window):
    """I is never silent."""
    must_have = window.session.material.queries[window.view.judging.query]
    said = heard(qtbot, window, "i")
    assert must_have.text in said
    must_say = not (must_have.description or must_have.narrative)
    assert ("No need is described." in said) is must_say
    assert ("The query is shown whole already." in said) is must_say


def test_how_many_are_left_is_heard_by_the_same_key(qtbot, window):
    """I says what the status line shows, which no key leads to."""
    assert re.search(r"\d+ of \d+ judged, .*\d+ left", heard(qtbot, window, "i"))


def test_a_row_is_described_by_its_text_and_address(window):
    """Its name, which is said after each grade, stays short; readers ask for the rest."""
    told = QAccessible.queryAccessibleInterface(window.workspace.results.table)
    cells = (told.child(number) for number in range(told.childCount()))
    row = next(cell for cell in cells if cell.role() is QAccessible.Role.Cell)
    text = window.workspace.results.model.text(0)
    described = row.text(QAccessible.Text.Description)
    told = described.removesuffix(f"…, {text.url}")
    assert told != described
    assert text.body.startswith(told)
    assert not text.body[len(told)].isalnum()
    assert text.body[:40] not in row.text(QAccessible.Text.Name)


@pytest.fixture
def settle(qtbot, tmp_path):
    """The settle view on one dispute."""
    path = needy(tmp_path / "need.judge", "No.")
    with opened_window(qtbot, path, assessor="lead") as window:
        qtbot.keyClick(window, "6", CTRL)
        page = window.views.page(Mode.SETTLE)
        qtbot.waitUntil(lambda: page.dispute is not None)
        yield window


def test_the_narrative_is_seen_where_one_settles(qtbot, settle):
    """I shows it below the description, and I hides it again."""
    need = settle.views.page(Mode.SETTLE).need
    press(qtbot, settle, "i")
    assert need.text() == "Soups for hot days No."
    press(qtbot, settle, "i")
    assert need.text() == "Soups for hot days"


def test_a_dispute_names_its_document(settle):
    """By its id, where it has no title."""
    assert ". cold soup. a. A: " in settle.views.page(Mode.SETTLE).describe()


def test_who_said_it_is_heard_with_names(qtbot, settle):
    """A says the opinions with their assessors."""
    said = heard(qtbot, settle, "a")
    assert "anna: " in said
    assert "ben: " in said


def test_a_dispute_says_what_enter_would_settle(qtbot, settle):
    """The view's grade is heard with the dispute, not only seen in the bar."""
    page = settle.views.page(Mode.SETTLE)
    assert page.bar.shows_hint
    assert f"Enter: the view’s {page.dispute.grade:g}" in page.describe()


def spoken(widget):
    """Return what a reader is told of the row that has the keyboard."""
    row = QAccessible.queryAccessibleInterface(widget).focusChild()
    return row.text(QAccessible.Text.Name)


def test_keys_are_rows_that_arrows_go_through(qtbot, window):
    """Tab leads to the list of keys; each row is heard with action and key, to the last one."""
    press(qtbot, window, "?")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    rows = []
    for _ in range(400):
        rows.append(spoken(QApplication.focusWidget()))
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
        if spoken(QApplication.focusWidget()) == rows[-1]:
            break
    wanted = {f"{e.text}, {e.keys}" for g in window.overlay.page.groups for e in g.entries}
    assert wanted - {each.removesuffix(", in another view") for each in rows} == set()
    assert "Whole query and need, I" in rows
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Home)
    assert spoken(QApplication.focusWidget()) == rows[0]
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_PageDown)
    assert spoken(QApplication.focusWidget()) == rows[10]


def test_what_a_search_of_keys_finds_is_reached_from_its_field(qtbot, window):
    """Down leads to the first hit, where Esc closes; in the field it empties that first."""
    press(qtbot, window, "?")
    field = QApplication.focusWidget()
    qtbot.keyClicks(field, "undo")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), QApplication.focusWidget()) == ("", field)
    qtbot.keyClicks(field, "whole query")
    qtbot.keyClick(field, Qt.Key.Key_Down)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    assert spoken(QApplication.focusWidget()) == "Whole query and need, I"
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert window.overlay.isHidden()


def test_the_page_of_keys_says_what_it_is(qtbot, window, messages):
    """On opening, how many keys there are, and how to reach and leave them."""
    press(qtbot, window, "?")
    n = sum(len(group.entries) for group in window.overlay.page.groups)
    wanted = f"Keys, {n} actions. Type to find one, Tab leads to the list, Esc closes."
    qtbot.waitUntil(lambda: wanted in messages)


def test_the_end_of_what_a_dialog_did_is_said_once_the_window_is_back(qtbot, window):
    """Not in the burst in which readers drop it: the window has been active for a while."""
    clock, texts = QElapsedTimer(), []
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    window.announcer.said.connect(lambda text: texts.append((text, clock.elapsed())))
    dialog = QDialog(window)
    dialog.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    done = Changed("do", "import", "Import of 3 queries", is_material=True)
    window.session.changed.emit(done)
    dialog.accept()
    clock.start()
    qtbot.waitUntil(lambda: any("Import of 3 queries. Saved." in text for text, _ in texts))
    assert min(at for text, at in texts if "Saved." in text) >= 900


def test_a_row_of_the_comparison_is_heard_in_short(qtbot, window):
    """Of the current cell its verdict, of the others their value; the name says no numbers."""
    window.views.show(Mode.COMPARE)
    page = window.views.page(Mode.COMPARE)
    qtbot.waitUntil(lambda: window.jobs.is_idle and not page.compared.is_computing)
    model, table = page.table.model(), page.table
    table.setCurrentIndex(model.index(1, 1))
    row = [model.index(1, at).data(HEARD) for at in range(model.columnCount())]
    name, first = model.rows[1].system.name, str(model.measures[0])
    assert row[0] == name
    assert row[1].startswith(f"{name}, {first} ")
    assert "difference " in row[1]
    assert all(len(each.split()) <= 3 for each in row[2:])
    assert len(" ".join(row).split()) < 60
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert "difference " in model.index(1, 2).data(HEARD)


def test_every_number_of_a_value_is_said_by_its_key(qtbot, window, messages):
    """N in the comparison says the lines of its tooltip."""
    window.views.show(Mode.COMPARE)
    page = window.views.page(Mode.COMPARE)
    qtbot.waitUntil(lambda: window.jobs.is_idle and not page.compared.is_computing)
    page.table.setCurrentIndex(page.table.model().index(1, 1))
    page.table.setFocus()
    qtbot.keyClick(page.table, "n")
    qtbot.waitUntil(lambda: any("baseline " in each and "difference " in each for each in messages))
    told = messages[-1].removeprefix(page.compared.verdict().text)
    assert re.fullmatch(r" \d+ better, \d+ worse, \d+ equal\.", told)


def test_what_a_difference_means_is_described_in_plain_words(qtbot, window):
    """Its tooltip is broken into lines, and may have markup."""
    window.views.show(Mode.COMPARE)
    page = window.views.page(Mode.COMPARE)
    qtbot.waitUntil(lambda: window.jobs.is_idle and not page.compared.is_computing)
    page.table.setCurrentIndex(page.table.model().index(1, 1))
    shown = page.differences.verdict
    qtbot.waitUntil(lambda: "\n" in shown.toolTip())
    told = QAccessible.queryAccessibleInterface(shown).text(QAccessible.Text.Description)
    assert told == " ".join(page.compared.verdict().sentences).strip()


def test_every_number_of_a_what_if_is_said_by_its_key(qtbot, window, messages):
    """N there says those of the chosen measure."""
    window.views.show(Mode.WHATIF)
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    side = window.views.page(Mode.WHATIF).values
    tip = side.values.currentIndex().data(Qt.ItemDataRole.ToolTipRole)
    qtbot.keyClick(window.focusWidget(), "n")
    first = tip.removeprefix("<span>").replace("<br>", "\n").splitlines()[0].rstrip(",")
    qtbot.waitUntil(lambda: any(first in each for each in messages))


def test_arrows_read_the_document_to_who_listens(qtbot, window):
    """In focus Down moves a caret, which a reader follows; without one it is as it was."""
    window.views.show(Mode.FOCUS)
    text = window.workspace.document.text
    assert text.hasFocus()
    before = text.textCursor().position()
    qtbot.keyClick(text, Qt.Key.Key_Down)
    assert text.textCursor().position() > before
    QAccessible.setActive(False)
    window.top_line.switch.setFocus()
    text.setFocus()
    assert not text.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard


def test_nothing_unreadable_stands_in_the_text_for_who_listens(window):
    """Keys within the page are words, not pictures of keys."""
    text = QAccessible.queryAccessibleInterface(window.workspace.document.text).textInterface()
    page = text.text(0, text.characterCount())
    assert "No note.  E  writes one." in page
    assert "\ufffc" not in page


def test_queries_found_in_focus_are_heard_before_one_is_opened(qtbot, window):
    """Down goes through what was found; Enter opens it and closes the list."""
    window.views.show(Mode.FOCUS)
    judging, queries = window.view.judging, window.queries
    before, over = judging.query, window.workspace.queries_over
    press(qtbot, window, "/")
    qtbot.keyClicks(QApplication.focusWidget(), "for")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    found = queries.order()
    assert QApplication.focusWidget() is queries.table
    heard = [spoken(queries.table)]
    qtbot.keyClick(queries.table, Qt.Key.Key_Down)
    heard.append(spoken(queries.table))
    assert over.is_open
    assert judging.query == before
    texts = [window.session.material.queries[each].text for each in found[:2]]
    assert all(text in said for text, said in zip(texts, heard, strict=True))
    qtbot.keyClick(queries.table, Qt.Key.Key_Return)
    assert judging.query == found[1]
    assert not over.is_open


def test_esc_in_the_queries_over_the_document_leaves_the_query(qtbot, window):
    """What was only looked at is not chosen, there or in the list later."""
    window.views.show(Mode.FOCUS)
    before = window.view.judging.query
    press(qtbot, window, "/")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert not window.workspace.queries_over.is_open
    assert window.view.judging.query == before
    assert window.queries.model.row(window.queries.table.currentIndex().row()).query == before


@pytest.fixture
def help_window(qtbot, messages):
    """The help at its first page, its text with the keyboard."""
    made = HelpWindow()
    qtbot.addWidget(made)
    made.open_page("index")
    made.page.setFocus()
    qtbot.waitUntil(made.page.hasFocus)
    return made


def test_a_page_of_the_help_is_called_by_its_title(help_window):
    """Each page by its own."""
    assert help_window.page.accessibleName() != "Help page"
    help_window.show_page("accessibility")
    assert help_window.page.accessibleName() == "By ear"


def test_arrows_read_the_help(qtbot, help_window):
    """A caret moves, which a reader follows."""
    qtbot.keyClick(help_window.page, Qt.Key.Key_Down)
    assert help_window.page.textCursor().position() > 0


def test_links_of_the_help_are_heard_and_the_page_they_lead_to(qtbot, help_window, messages):
    """Tab says the link, Enter the title of its page."""
    qtbot.keyClick(help_window.page, Qt.Key.Key_Tab)
    link = help_window.page.textCursor().selectedText()
    assert messages[-1] == f"{link}, link"
    messages.clear()
    qtbot.keyClick(help_window.page, Qt.Key.Key_Return)
    title = help_window.list.currentItem().text()
    qtbot.waitUntil(lambda: title in messages)
    assert help_window.page.accessibleName() == title


def test_f6_goes_from_panel_to_panel_and_round(qtbot, window):
    """Queries, results, document, grades, values, views; Shift and F6 the other way."""
    window.queries.table.setFocus()
    reached = []
    for _ in range(6):
        reached.append(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
    parts = window.workspace
    assert reached[:3] == [window.queries.table, parts.results.table, parts.document.text]
    assert parts.grade_bar.isAncestorOf(reached[3])
    assert reached[4] is window.live.values.rows
    assert window.top_line.switch.isAncestorOf(reached[5]) or reached[5] is window.top_line.switch
    assert QApplication.focusWidget() is window.queries.table
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is reached[5]


@pytest.mark.parametrize("mode", list(Mode))
def test_f6_leaves_every_view_and_comes_back(qtbot, window, mode):
    """In each view it leads out of what has the keyboard, and round to it again."""
    window.views.show(mode)
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    reached = []
    for _ in range(12):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
        reached.append(QApplication.focusWidget())
    assert len(set(reached)) > 1
    assert reached[-1] in reached[:-1]


def test_the_explanation_is_heard_where_it_is_asked_for(qtbot, window):
    """= says how the value comes about; a rank without a judgment says that."""
    texts = []
    window.announcer.said.connect(texts.append)
    press(qtbot, window, "=")
    press(qtbot, window, "=")
    table = window.live.explain_table
    qtbot.waitUntil(lambda: any(table.sentence and table.sentence in each for each in texts))
    while not any(row.is_unjudged for row in table.explanation.rows):
        window.view.judging.move_query_by(1)
        qtbot.waitUntil(lambda: window.schedule.is_settled)
    told = [row.said() for row in table.ranks.shown]
    assert not any("grade –" in each for each in told)
    assert any("not judged" in each for each in told)


def test_an_empty_line_of_the_explanation_says_nothing_of_a_document(qtbot, window):
    """Where the ideal ranking is longer, a rank has its discount alone."""
    rows = window.live.explain_table
    window.view.judging.show_query(4)
    qtbot.waitUntil(lambda: window.schedule.is_settled)
    bare = [row for row in rows.explanation.rows if not row.cells[0]]
    assert bare
    said = [rows.ranks.shown[rows.explanation.rows.index(row)].said() for row in bare]
    assert not any("rank" in each or "grade" in each or each.endswith(" ") for each in said)
    assert all(each.startswith("discount ") for each in said)


def test_a_value_that_is_undefined_is_explained_without_a_sum(qtbot, window):
    """0.000 under no rank at all would look like a value; the sentence says why there is none."""
    queries = [query.text for query in window.session.material.queries]
    window.view.judging.show_query(queries.index("crème brûlée"))
    for measure in ("ERR@10", "nDCG@10"):
        window.live.choose_measure(measure)
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        shown = window.live.explain_table.explanation
        assert shown.arithmetic == "No document of this query is judged."
        assert shown.foot == ()


@pytest.fixture
def orders(qtbot, window, messages):
    """The cards of the what-if view, with the keyboard."""
    window.views.show(Mode.WHATIF)
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    messages.clear()
    return window.views.page(Mode.WHATIF).orders


def test_a_card_says_that_it_is_taken_up_put_down_and_back(qtbot, orders, messages):
    """Space takes it up and puts it down, Esc puts it back."""
    qtbot.keyClick(orders, Qt.Key.Key_Space)
    assert messages[-1].endswith("In the hand: arrows carry it, Space drops it, Esc puts it back.")
    qtbot.keyClick(orders, Qt.Key.Key_Escape)
    assert messages[-1] == "Put back."
    qtbot.keyClick(orders, Qt.Key.Key_Space)
    qtbot.keyClick(orders, Qt.Key.Key_Down)
    qtbot.keyClick(orders, Qt.Key.Key_Space)
    assert "Put down." in messages


def show_card(window, is_wanted):
    """Make the first card current whose grade is wanted, of the first query that has one."""
    page = window.views.page(Mode.WHATIF)
    for query in window.queries.order():
        window.view.judging.show_query(query)
        for document in page.ranking.orders.order:
            if is_wanted(page.ranking.counted_grade(document)):
                page.orders.set_current(document)
                return
    raise AssertionError("no such card")


def test_what_is_taken_out_is_heard_with_what_that_does(qtbot, window, orders):
    """Del says the title and the value in one breath; Del on it brings it back."""
    page = window.views.page(Mode.WHATIF)
    show_card(window, bool)
    title = window.session.material.show_document(orders.current).title
    said = heard(qtbot, window, Qt.Key.Key_Delete)
    assert f"Taken out: {title}." in said
    assert f"{page.values.measure}: " in said


def test_an_assumed_grade_says_what_it_makes_of_the_value(qtbot, window, orders):
    """The grade that is assumed and the value are heard together."""
    page = window.views.page(Mode.WHATIF)
    show_card(window, lambda grade: grade is None)
    said = heard(qtbot, window, "2")
    assert "is assumed here" in said
    assert f"{page.values.measure}: " in said


def test_the_field_for_a_rank_says_how_far_it_goes(qtbot, window, orders):
    """M is called with its range."""
    qtbot.keyClick(orders, "m")
    most = len(window.views.page(Mode.WHATIF).ranking.orders.order)
    assert QApplication.focusWidget().accessibleName() == f"To rank (1 to {most})"


def test_a_row_that_a_dialog_led_to_is_said_once(qtbot, window):
    """After Go to the list says it; the announcement names the query alone."""
    texts = []
    window.workspace.results.table.setFocus()
    # With it is said what opening the project had to say, else that comes in between.
    heard(qtbot, window, "i")
    window.announcer.said.connect(texts.append)
    dialog = QDialog(window)
    dialog.open()
    qtbot.waitUntil(dialog.isActiveWindow)
    window.view.judging.move_query_by(1)
    dialog.accept()
    window.activateWindow()
    window.workspace.results.table.setFocus()
    qtbot.waitUntil(window.workspace.results.table.hasFocus)
    qtbot.waitUntil(lambda: any("Query: " in each for each in texts))
    assert window.workspace.results.table.hasFocus()
    assert "Rank " not in texts[-1]
    assert "Not in this run" not in texts[-1]


def test_a_question_is_announced_and_no_alert_besides(qtbot, window):
    """Readers say alerts by themselves: the question would be heard twice."""
    texts = []
    window.announcer.said.connect(texts.append)
    window.workspace.grade_bar.show_banner(BannerText("warn", "Grade 2 for 5 documents?"))
    qtbot.waitUntil(lambda: any("Grade 2 for 5 documents?" in each for each in texts))
    banner = window.workspace.grade_bar.findChild(Banner)
    assert QAccessible.queryAccessibleInterface(banner).role() is QAccessible.Role.Grouping
    window.workspace.grade_bar.hide_banner()


def test_the_page_of_keys_gives_the_keyboard_back_at_once(qtbot, window):
    """Nothing on the way is said: it goes from the field to where it was."""
    table, reached = window.workspace.results.table, []
    table.setFocus()
    press(qtbot, window, "?")
    QApplication.instance().focusChanged.connect(lambda _old, new: reached.append(new))
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert reached == [table]


@pytest.fixture
def importing(qtbot, window):
    """An import with a table of grades, and its boxes."""
    path = window.session.path.with_name("more.csv")
    path.write_text("query,document,assessor,grade,word\nq1,a,anna,2,good\nq1,b,bert,1,so\n")
    dialog = ImportDialog(window.session, window.jobs, window.prompter, [path])
    # What is chosen in a test is asked about by nobody.
    qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(lambda: dialog.work.plan is not None)
    return dialog.view


def test_a_file_of_an_import_is_described_by_what_is_said_of_it(qtbot, window, importing):
    """Who arrows to it hears its remarks, and how often each grade occurs."""
    dialog = importing.window()
    other = window.session.path.with_name("other.csv")
    other.write_text("query,document,assessor,grade\nq1,c,anna,2\n")
    dialog.add_files([other])
    qtbot.waitUntil(lambda: dialog.work.plan is not None)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Up)
    told = [dialog.list.item(row).data(Qt.ItemDataRole.AccessibleDescriptionRole) for row in (0, 1)]
    assert all("Grades fit the scale" in each for each in told)
    assert "Grades in this file: " in importing.histogram_title.accessibleName()
    assert re.search(r"elevant 1, ", importing.histogram_title.accessibleName())


def test_tab_comes_to_boxes_of_columns_before_the_foot(qtbot, window):
    """In the order in which they are seen, also of a file that is added later."""
    path, stops = window.session.path.with_name("more.csv"), []
    path.write_text("query,document,assessor,grade,word\nq1,a,anna,2,good\n")
    dialog = ImportDialog(window.session, window.jobs, window.prompter)
    qtbot.addWidget(dialog, before_close_func=ImportDialog.leave)
    dialog.show()
    dialog.add_files([path])
    qtbot.waitUntil(lambda: dialog.work.plan is not None)
    boxes = dialog.view.table.roles
    dialog.view.kinds.setFocus()
    while dialog.focusWidget() is not dialog.cancel:
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        stops.append(dialog.focusWidget())
    assert [each for each in stops if each in (*boxes, dialog.copy)] == [*boxes, dialog.copy]


def boxes_of(view):
    """Return the boxes of an import, by what they are asked by."""
    return {box.accessibleName(): box for box in (view.kinds, *view.table.roles)}


@pytest.mark.parametrize("name", ["Read as", "Column word is"])
def test_an_arrow_opens_the_list_of_a_box_in_an_import(qtbot, importing, name):
    """Qt's list of it is still there where somebody listens, and chooses; nothing is read before."""
    box = boxes_of(importing)[name]
    before = box.currentIndex()
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Up)
    assert box.view().isVisible()
    qtbot.keyClick(box.view(), Qt.Key.Key_Up)
    assert box.currentIndex() == before
    qtbot.keyClick(box.view(), Qt.Key.Key_Return)
    assert box.currentIndex() == before - 1


def test_boxes_of_columns_stay_where_a_column_is_named(qtbot, importing):
    """And with them the keyboard, and what a reader knows of them."""
    before, box = boxes_of(importing), importing.table.roles[-1]
    box.setFocus()
    box.setCurrentIndex(box.findData("rationale"))
    box.activated.emit(box.currentIndex())
    qtbot.waitUntil(lambda: importing.window().work.plan is not None)
    assert importing.table.roles[-1].currentData() == "rationale"
    assert boxes_of(importing) == before
    assert importing.window().focusWidget() is box
