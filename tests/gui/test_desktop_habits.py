"""What people expect of any program on a desktop: menus, dropping, going by name, copying."""

from functools import partial

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QFileOpenEvent,
    QGuiApplication,
)
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit

from judgetool import __version__
from judgetool.core.judgments import Document
from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application
from judgetool.gui.dialogs.act_dialog import Radios
from judgetool.gui.dialogs.finding import GoToDialog
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.dialogs.preferences import PreferencesDialog
from judgetool.gui.dialogs.statistics import StatisticsWindow
from judgetool.gui.help_window import HelpWindow
from judgetool.gui.table_copy import copy_table
from judgetool.gui.theme import current_theme, install_fonts, set_theme
from judgetool.gui.widgets.fields import ElidedCombo
from judgetool.gui.widgets.labels import Text
from judgetool.gui.widgets.welcome import RecentList
from judgetool.session.commands import WriteDocument, set_title
from judgetool.session.finding import Filter
from judgetool.settings import load_settings
from tests.gui.window_fixtures import CTRL, answer_dialogs, opened_window, press
from tests.helpers.builders import make_project, open_sample, simple_parts
from tests.helpers.fake_prompter import FakePrompter


@pytest.fixture
def sample(tmp_path):
    """The bundled sample."""
    with open_sample(tmp_path) as session:
        return session.path


@pytest.fixture
def window(qtbot, sample):
    """The window on the sample, at its first query."""
    with opened_window(qtbot, sample) as shown:
        shown.view.judging.show_query(0)
        yield shown


@pytest.fixture
def dialogs(monkeypatch):
    """Do something to each dialog that opens, and take its verb; returns those that opened."""
    return partial(answer_dialogs, monkeypatch)


def trigger(window, name):
    window.actions_by_name.action(name).trigger()


def right_click(widget, at):
    """Ask for a widget's context menu; return its entries by text."""
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    actions = [action for action in menu.actions() if not action.isSeparator()]
    menu.hide()
    # An open menu underlines letters.
    return {action.text(): action for action in actions}


def clipboard():
    return QGuiApplication.clipboard().text()


# Context menus


def test_a_card_can_be_judged_and_copied_by_its_menu(qtbot, window):
    """The card under the pointer becomes current; its menu grades it and copies its title."""
    table = window.workspace.results.table
    at = table.visualRect(table.model().index(2, 0)).center()
    entries = right_click(table.viewport(), at)
    judging = window.view.judging
    assert window.workspace.results.current_place() == 2
    entries["Copy title"].trigger()
    assert clipboard() == window.session.material.document(judging.document).title
    pair = judging.query, judging.document
    entries["Slightly relevant"].trigger()
    said = window.session.opinions(pair[0])[pair[1]]
    assert [each.judgment.grade for each in said if each.assessor == "anna"] == [1.0]


def test_a_query_can_be_gone_to_and_copied_by_its_menu(window):
    """The menu is of the query under the pointer, not of the current one."""
    table, model = window.queries.table, window.queries.model
    row = next(place for place in range(model.rowCount()) if place not in model.group_rows())
    query = model.row(row).query
    at = table.visualRect(model.index(row, 0)).center()
    entries = right_click(table.viewport(), at)
    entries["Copy query"].trigger()
    assert clipboard() == window.session.material.queries[query].text
    entries["Go to this query"].trigger()
    assert window.view.judging.query == query


def test_beside_rows_and_on_heads_no_menu_opens(qtbot, window):
    """Where no card and no query is, there is nothing that a menu could be of."""
    window.workspace.results.bar.field.setText("zzzz")
    qtbot.waitUntil(lambda: not window.workspace.results.documents())
    heads = window.queries.model.group_rows()
    table = window.queries.table
    places = [table.visualRect(window.queries.model.index(row, 0)).center() for row in heads[:1]]
    menus = [(window.workspace.results.table.viewport(), QPoint(40, 40))]
    for widget, at in [*menus, *((table.viewport(), place) for place in places)]:
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
        QApplication.sendEvent(widget, event)
        assert QApplication.activePopupWidget() is None
    entries = right_click(window.workspace.document.text.viewport(), QPoint(40, 40))
    assert "Copy address" not in entries


def test_a_query_is_edited_by_its_menu(window, dialogs):
    """The menu goes to the query under the pointer first: that is the one that is changed."""
    model = window.queries.model
    rows = [place for place in range(model.rowCount()) if place not in model.group_rows()]
    row = next(place for place in rows if model.row(place).query != window.view.judging.query)
    query = window.queries.model.row(row).query
    opened = dialogs(lambda form: form.text.setText("stew for two"))
    table = window.queries.table
    at = table.visualRect(window.queries.model.index(row, 0)).center()
    right_click(table.viewport(), at)["Edit this query…"].trigger()
    assert len(opened) == 1
    assert window.session.material.queries[query].text == "stew for two"


def test_the_document_offers_more_than_copying(window):
    """Rationale, finding, its title and address stand in the document's menu."""
    entries = right_click(window.workspace.document.text.viewport(), QPoint(40, 40))
    assert {"Copy", "Select all", "Find in document", "Copy address"} <= entries.keys()


def test_an_address_is_opened_only_when_asked(window, monkeypatch):
    """It is shown whole first; Cancel opens nothing."""
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    window.prompter = FakePrompter(answers=[None, "open"])
    for _ in range(2):
        entries = right_click(window.workspace.document.text.viewport(), QPoint(40, 40))
        entries["Open address…"].trigger()
    document = window.session.material.document(window.view.judging.document)
    assert [each.toString() for each in opened] == [document.url]


def test_the_address_is_asked_for_in_the_same_words_everywhere(window):
    """The menu of a card and the menu Read put one question, with the same choices."""
    window.prompter = FakePrompter(answers=[None, None])
    right_click(window.workspace.document.text.viewport(), QPoint(40, 40))[
        "Open address…"
    ].trigger()
    trigger(window, "read.address")
    first, second = window.prompter.asked
    assert first == second


def test_chips_have_a_menu(window):
    """A right click on the conditions of a filter clears or keeps them."""
    window.workspace.results.bar.field.setText("grade:3 ")
    row = window.workspace.results.bar.row
    right_click(row, QPoint(2, 2))["Clear filters"].trigger()
    assert window.workspace.results.bar.chips == ()


# Copying tables


def test_live_values_are_copied_as_a_table(qtbot, window):
    """Text parted by tabs and HTML, a row for each measure, numbers as spreadsheets read them."""
    trigger(window, "edit.copy_values")
    rows = [line.split("\t") for line in clipboard().splitlines()]
    engine = window.session.board.engine
    values = engine.value(window.view.judging.run_id, 0)
    assert [row[0] for row in rows[1:]] == [str(measure) for measure in engine.measures]
    assert [float(row[1]) for row in rows[1:]] == pytest.approx([v.value for v in values], abs=1e-6)
    assert QGuiApplication.clipboard().mimeData().html().count("<tr>") == len(rows)


def test_the_explanation_is_copied_as_a_table(qtbot, window):
    """Heads, ranks, sums, and the division last."""
    qtbot.waitUntil(lambda: window.schedule.is_settled)
    trigger(window, "edit.copy_explanation")
    shown = window.live.explain_table.explanation
    lines = clipboard().splitlines()
    assert lines[0].split("\t") == list(shown.heads)
    assert lines[-1].endswith(shown.result)


def test_statistics_are_copied_as_a_table(qtbot, window):
    """Ctrl+C in the table: heads and a row for each assessor."""
    press(qtbot, window, "1")
    statistics = StatisticsWindow.show_beside(
        window, window.session, window.prompter, closes_with=window.view
    )
    (copy,) = statistics.table.actions()
    copy.trigger()
    rows = [line.split("\t") for line in clipboard().splitlines()]
    assert rows[0][0] == "Assessor"
    statistics.close()
    assert [row[0] for row in rows[1:]] == ["anna"]


def test_a_comparison_is_copied_as_a_table(qtbot, window):
    """A row for each system and measure: mean, bounds, difference, p and the rest."""
    window.views.show(Mode.COMPARE)
    page = window.views.page(Mode.COMPARE)
    qtbot.waitUntil(lambda: window.jobs.is_idle and not page.compared.is_computing, timeout=30_000)
    next(each for each in page.table.actions() if each.text() == "Copy as table").trigger()
    rows = [line.split("\t") for line in clipboard().splitlines()]
    table = page.compared.table
    shown = {
        (row.system.name, str(measure)): cell.mean.value
        for row in table.rows
        for measure, cell in zip(table.measures, row.cells, strict=True)
    }
    assert {(row[0], row[2]): float(row[3]) for row in rows[1:]} == pytest.approx(shown, abs=1e-6)


def test_no_cell_that_is_copied_is_a_formula(window):
    """A run called =1+1 stays a text in a spreadsheet; numbers stay numbers."""
    copy_table([["=1+1", "-0.25", "@x"]])
    assert clipboard() == "'=1+1\t-0.25\t'@x"


def test_saved_views_open_on_the_list_they_were_kept_for(window, dialogs):
    """Kept for documents, offered for documents."""
    bar = window.workspace.results.bar
    bar.add_chip(Filter("mine"))
    dialogs(lambda dialog: dialog.field.setText("my own"))
    trigger(window, "filter.save_documents")
    opened = dialogs(lambda _dialog: None)
    trigger(window, "filter.views")
    assert opened[-1].lists.by_name[False].isChecked()


# Files dropped


def drop(window, *paths):
    """Let files fall on the cards, as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    copy, target = Qt.DropAction.CopyAction, window.workspace.results.table.viewport()
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(50, 50), copy, data, left, none))
    event = QDropEvent(QPointF(50, 50), copy, data, left, none)
    QApplication.sendEvent(target, event)
    return event.isAccepted()


def test_a_project_dropped_on_an_open_one_is_opened(qtbot, window, tmp_path):
    """Its window shows it then."""
    with make_project(tmp_path, simple_parts(), name="other") as session:
        path = session.path
    assert drop(window, path)
    qtbot.waitUntil(lambda: window.session is not None and window.session.path == path)


def test_a_file_that_the_system_hands_over_is_opened(qtbot, qapp, tmp_path):
    """macOS does not call a program with a file's name, but tells it while it runs."""
    with make_project(tmp_path, simple_parts(), name="other") as session:
        other = session.path
    with opened_window(qtbot) as window:
        take = window.project_handler.take_asked
        qapp.file_asked.connect(take)
        QApplication.sendEvent(qapp, QFileOpenEvent(str(other)))
        qapp.file_asked.disconnect(take)
        assert window.session.path == other


def test_files_dropped_on_an_open_project_are_imported(qtbot, window, tmp_path, monkeypatch):
    """The import preview opens with them."""
    seen = []
    monkeypatch.setattr(ImportDialog, "ask", lambda *args: seen.append(args[-1]))
    run = tmp_path / "new.run"
    run.write_text("1 Q0 r001 1 2.5 new\n", encoding="utf-8")
    assert drop(window, run)
    qtbot.waitUntil(lambda: seen == [[run]])


# Going by name


def test_a_query_is_gone_to_by_letters_of_its_text(qtbot, window, dialogs):
    """Ctrl+G, some letters, Enter."""
    text = window.session.material.queries[7].text
    dialogs(lambda dialog: dialog.field.setText(text[:-2]))
    press(qtbot, window, Qt.Key.Key_G, CTRL)
    assert window.view.judging.query == 7


def test_a_document_is_gone_to_by_its_id(qtbot, window, dialogs):
    """Also where another query has it."""
    session = window.session
    document = int(session.board.pool(9)[0])
    dialogs(lambda dialog: dialog.field.setText(session.material.document_id(document)))
    press(qtbot, window, Qt.Key.Key_G, CTRL)
    judging = window.view.judging
    assert judging.document == document
    assert document in window.workspace.results.documents()


def test_going_to_says_which_documents_it_knows(qtbot, window, dialogs):
    """Where a title of another query is typed, the sentence says how such a document is found."""
    session = window.session
    here = set(window.workspace.results.documents())
    other = next(int(d) for d in session.board.pool(9) if int(d) not in here)
    said = []

    def look(dialog):
        dialog.field.setText(session.material.document(other).title)
        said.append(dialog.remark.text())
        dialog.field.setText("")

    dialogs(look)
    press(qtbot, window, Qt.Key.Key_G, CTRL)
    assert said[0] == (
        "No query is called so, and no document that is listed here. One of another query is "
        "found by its whole id."
    )


@pytest.mark.parametrize("key", ["e", "x"])
def test_a_dialog_of_a_document_names_it(qtbot, window, dialogs, key):
    """A note and 'cannot judge' say of which document and query they are."""
    session, judging = window.session, window.view.judging
    title = session.material.show_document(judging.document).title
    query = session.material.queries[judging.query].text
    opened = dialogs(lambda _dialog: None)
    press(qtbot, window, key)
    assert opened[0].accessibleDescription() == f"‘{title}’ for the query ‘{query}’"


@pytest.mark.parametrize("key", ["e", "x"])
def test_a_long_title_in_a_dialog_is_seen_to_be_cut(qtbot, window, dialogs, key):
    """It ends at a word and with …; the tooltip has the whole."""
    session, judging = window.session, window.view.judging
    title = "Tripp Lite OmniVS line-interactive UPS, tower, with two USB ports and a long cable"
    id_ = session.material.document_id(judging.document)
    session.execute(WriteDocument(Document(id_, title)))
    query = session.material.queries[judging.query].text
    opened = dialogs(
        lambda dialog: tips.extend(each.toolTip() for each in dialog.findChildren(Text))
    )
    tips = []
    press(qtbot, window, key)
    cut = "Tripp Lite OmniVS line-interactive UPS, tower, with two USB…"
    assert opened[0].accessibleDescription() == f"‘{cut}’ for the query ‘{query}’"
    assert any(title in " ".join(tip.split()) for tip in tips)


@pytest.mark.parametrize("title", ["By ear", "Installing"])
def test_a_page_of_the_help_is_found_by_its_title(qtbot, window, dialogs, title):
    """Ctrl+P opens it, whether or not the menu has it."""
    dialogs(lambda dialog: dialog.field.setText(title.lower()))
    press(qtbot, window, Qt.Key.Key_P, CTRL)
    (shown,) = window.findChildren(HelpWindow)
    assert shown.list.currentItem().text() == title
    shown.close()


def test_a_command_is_found_by_name(qtbot, window, dialogs):
    """Ctrl+P lists what can be done now, with its key; Enter does it."""
    opened = dialogs(lambda dialog: dialog.field.setText("mark query terms"))
    is_on = window.settings.highlights_terms
    press(qtbot, window, Qt.Key.Key_P, CTRL)
    assert window.settings.highlights_terms is not is_on
    assert isinstance(opened[0], GoToDialog)
    assert opened[0].answer.side == "Read  H"


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("sync", "Team hub"),
        ("edit doc", "Edit this document"),
        ("rename project", "Rename this project"),
        ("rename assessor", "Assessor"),
    ],
)
def test_a_command_is_found_by_more_than_its_name(qtbot, window, dialogs, typed, title):
    """‘Sync now’ stands in the help: it leads to the team’s hub. A menu’s name comes after its own."""
    found = []

    def look(dialog):
        dialog.field.setText(typed)
        found.append(dialog.answer and dialog.answer.title)
        dialog.field.setText("no such thing")

    dialogs(look)
    press(qtbot, window, Qt.Key.Key_P, CTRL)
    assert found == [title]


def test_a_command_that_cannot_be_done_now_says_why(qtbot, window, dialogs):
    """It is found all the same, marked; Enter says what keeps it from being done."""
    opened = dialogs(lambda dialog: dialog.field.setText("next dispute"))
    press(qtbot, window, Qt.Key.Key_P, CTRL)
    assert opened[0].answer.side == "Team  not now"
    assert window.status.message.text == "Next dispute: not in this view, but in Settle."


def test_a_menu_that_is_opened_again_has_each_entry_once(window):
    """'Add filter' is filled anew for every query, not further."""
    menu = window.workspace.results.bar.menu
    menu.aboutToShow.emit()
    before = [action.text() for action in menu.actions()]
    menu.aboutToShow.emit()
    assert before
    assert [action.text() for action in menu.actions()] == before
    window.close_project()
    menu.aboutToShow.emit()
    assert menu.actions() == []


def test_no_menu_is_higher_than_a_low_screen(window):
    """What is higher stands in two columns over the middle of the screen; submenus have the rest."""
    heights = {
        title: menu.sizeHint().height() for title, menu in window.actions_by_name.menus.items()
    }
    assert {title: height for title, height in heights.items() if height > 740} == {}
    entries = [each.text() for each in window.actions_by_name.menus["Judge ▸ Go to"].actions()]
    assert "Next unjudged, anywhere" in entries


# Preferences


def test_all_preferences_are_in_one_window(qtbot, window, dialogs):
    """What is changed there holds at once and is kept; the rest stays."""

    def act(dialog):
        assert isinstance(dialog, PreferencesDialog)
        dialog.fields["page_colour"].setCurrentIndex(1)
        dialog.fields["shows_scores"].click()
        dialog.fields["document_px"].setValue(3)
        dialog.fields["goal"].setValue(120)

    dialogs(act)
    before = window.settings
    trigger(window, "view.preferences")
    kept = load_settings()
    assert (kept.page_colour, kept.document_px, kept.goal) == ("light", 3, 120)
    assert kept.shows_scores is not before.shows_scores
    assert window.actions_by_name.action("view.scores").isChecked() is kept.shows_scores
    assert window.status.goal.text.startswith("Goal today")
    assert (kept.theme, kept.density, kept.assessor) == (
        before.theme,
        before.density,
        before.assessor,
    )


def test_taking_preferences_as_they_are_changes_nothing(window, dialogs):
    """Opening and confirming is harmless."""
    dialogs(lambda _dialog: None)
    before = window.settings
    trigger(window, "view.preferences")
    assert window.settings == before


def test_preferences_hold_where_no_project_is_open(qtbot, qapp, dialogs):
    """Theme and keys that are chosen on the welcome are there at once, and kept."""

    def act(dialog):
        dialog.fields["theme"].setCurrentIndex(dialog.fields["theme"].findData("dark"))
        dialog.fields["key_preset"].setCurrentIndex(dialog.fields["key_preset"].findData("right"))

    dialogs(act)
    with opened_window(qtbot) as window:
        trigger(window, "view.preferences")
        assert current_theme().name == "dark"
        assert window.actions_by_name.keymap.preset == load_settings().key_preset == "right"
        window.choose_theme("light")


# Recent projects


def test_a_project_is_opened_and_found_again_from_the_welcome(qtbot, tmp_path, sample):
    """Open… opens what is chosen; one that has moved is found, or taken off the list."""
    with opened_window(qtbot) as window:
        window.prompter = FakePrompter(files=[[], [sample]])
        trigger(window, "project.open")
        assert window.session is None
        trigger(window, "project.open")
        assert window.session.path == sample
        window.close_project()
        moved = tmp_path / "moved.judge"
        sample.rename(moved)
        recent = window.views.middle.findChild(RecentList)
        window.show_welcome()
        window.prompter = FakePrompter(files=[[], [moved]])
        recent.locate_chosen.emit(str(sample))
        assert window.session is None
        recent.locate_chosen.emit(str(sample))
        assert window.session.path == moved
        window.close_project()
        assert [entry.path for entry in window.settings.recent] == [str(moved)]
        recent.removed.emit(str(moved))
        assert window.settings.recent == ()
        assert moved.exists()


def test_recent_projects_are_in_the_menu_by_their_titles(qtbot, tmp_path, sample):
    """Also while another is open; one that is gone cannot be chosen."""
    with make_project(tmp_path, simple_parts(), name="other") as session:
        session.execute(set_title("Soups of the north"))
        other = session.path
    with opened_window(qtbot, other) as window:
        window.try_open(sample)
        menu = next(
            action.menu()
            for action in window.actions_by_name.menus["Project"].actions()
            if action.text() == "Open recent"
        )
        menu.aboutToShow.emit()
        entry = next(each for each in menu.actions() if "Soups of the north" in each.text())
        entry.trigger()
        assert window.session.path == other


# Help


def test_a_problem_is_reported_with_versions_and_log(window, dialogs):
    """The text names versions and where the log is; nothing is sent."""
    opened = dialogs(lambda dialog: dialog.copy.click())
    trigger(window, "help.report")
    assert __version__ in clipboard()
    assert "judgetool.log" in clipboard()
    assert opened[0].findChild(QPlainTextEdit) is not None


def test_about_names_the_licence_of_qt(window, dialogs):
    """LGPL, and others' notices."""
    opened = dialogs(lambda _dialog: None)
    trigger(window, "help.about")
    said = " ".join(label.text() for label in opened[0].findChildren(type(opened[0].remark)))
    assert "LGPL" in said


def test_preferences_fit_a_low_screen(qtbot):
    """Their pages scroll, so that the buttons are always on the screen."""
    dialog = PreferencesDialog(load_settings())
    qtbot.addWidget(dialog)
    dialog.resize(640, 380)
    dialog.show()
    qtbot.waitExposed(dialog)
    assert dialog.height() == 380
    assert dialog.foot.geometry().bottom() < 380


def test_every_preference_has_its_place_in_the_window(qtbot):
    """Whatever its kind, a field stands on one of the pages."""
    dialog = PreferencesDialog(load_settings())
    qtbot.addWidget(dialog)
    for name, field in dialog.fields.items():
        shown = list(field.by_name.values()) if isinstance(field, Radios) else [field]
        for each in shown:
            assert dialog.isAncestorOf(each), name


def test_preferences_say_what_stands_beside_them(qtbot):
    """A choice of one of several is a group with a name, and a field is described by its remark."""
    make_application()
    dialog = PreferencesDialog(load_settings())
    qtbot.addWidget(dialog)
    (first, *_) = dialog.fields["advance"].by_name.values()
    group = QAccessible.queryAccessibleInterface(first).parent()
    assert group.role() is QAccessible.Role.Grouping
    assert group.text(QAccessible.Text.Name) == "After a grade"
    field = QAccessible.queryAccessibleInterface(dialog.fields["pause_ms"])
    assert field.text(QAccessible.Text.Description) == "Keys typed in it are kept."


def test_labels_follow_the_size_of_the_text(qtbot):
    """A sentence that is shown grows with the rest when the text of the window does."""
    app, label = QApplication.instance(), Text("A sentence.")
    qtbot.addWidget(label)
    before = label.font().pointSizeF()
    try:
        install_fonts(app, extra_px=13)
        QApplication.sendEvent(label, QEvent(QEvent.Type.FontChange))
        assert label.font().pointSizeF() > before
    finally:
        install_fonts(app)


def test_a_choice_that_is_kept_whole_is_so_in_larger_text(qtbot):
    """The order of the results has room for its name as soon as the text has grown."""
    app, chooser = QApplication.instance(), ElidedCombo()
    qtbot.addWidget(chooser)
    chooser.addItems(["By rank", "Unjudged first"])
    chooser.setCurrentIndex(1)
    with qtbot.waitExposed(chooser):
        chooser.show()
    chooser.keep_whole()
    try:
        install_fonts(app, extra_px=13)
        set_theme(app, current_theme())
        QApplication.sendEvent(chooser, QEvent(QEvent.Type.FontChange))
        qtbot.waitUntil(lambda: chooser.fontMetrics().height() >= 30)
        chooser.resize(chooser.minimumWidth(), chooser.sizeHint().height())
        assert chooser.field_width >= chooser.fontMetrics().horizontalAdvance("Unjudged first")
    finally:
        install_fonts(app)
        set_theme(app, current_theme())


def test_names_that_begin_alike_keep_what_tells_them_apart(qtbot):
    """Where a chooser has no room for the whole name; names that do not lack their middle."""
    chooser = ElidedCombo()
    qtbot.addWidget(chooser)
    chooser.addItems(["bm25-of-titles-exact", "bm25-of-titles-title"])
    chooser.resize(110, 28)
    assert chooser.shown.endswith("…exact")
    chooser.setCurrentIndex(1)
    assert chooser.shown.endswith("…title")
    chooser.addItem("another one with a name of its own")
    chooser.setCurrentIndex(2)
    assert "…" in chooser.shown[1:-1]
