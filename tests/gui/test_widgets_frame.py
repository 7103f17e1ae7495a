"""The widgets around the work: status line, view switch, pills, keys, welcome, labels."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QScrollArea, QWidget

from judgetool.gui import theme
from judgetool.gui.theme import DARK, LIGHT, set_theme
from judgetool.gui.widgets.buttons import AssessorBadge, Pill, Segment, Segmented
from judgetool.gui.widgets.flow import FlowLayout
from judgetool.gui.widgets.keys_overlay import (
    KeyEntry,
    KeyGroup,
    KeysOverlay,
    matching_groups,
    parse_keys,
)
from judgetool.gui.widgets.labels import CountedLabel, ElidedLabel
from judgetool.gui.widgets.status_line import SaveState, StatusHolder, StatusLine, progress_text
from judgetool.gui.widgets.welcome import RecentProject, WelcomeView
from tests.gui.window_fixtures import listening, opened_window
from tests.helpers.builders import make_project, simple_parts

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def line(qapp, qtbot):
    """A status line, shown."""
    theme.install_fonts(qapp)
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(1000, line.sizeHint().height())
    line.show()
    return line


def test_a_count_follows_its_word_in_every_direction(qtbot):
    """From right to left an English word is still read before its number."""

    def ink(direction):
        pill = Pill("IIII", 8)
        qtbot.addWidget(pill)
        pill.setLayoutDirection(direction)
        pill.resize(pill.sizeHint())
        return pill.grab().toImage()

    assert ink(Qt.LayoutDirection.LeftToRight) == ink(Qt.LayoutDirection.RightToLeft)


def is_whole(widget):
    """Whether a widget has the room that it wishes."""
    return widget.width() >= widget.sizeHint().width()


def test_saved_says_when(line):
    """The line says 'Saved' with the time, and offers nothing."""
    line.set_saved("14:32:07")
    assert line.save.text == "Saved 14:32:07"
    assert not line.retry.isVisible()


def test_saving_gives_way_to_what_was_said_before(line):
    """After a change that came to nothing the line says what it said before 'Saving…'."""
    line.set_saved("14:32:07")
    line.show_saving(True)
    assert line.save.state is SaveState.SAVING
    line.show_saving(False)
    assert line.save.text == "Saved 14:32:07"


def test_what_tells_least_gives_way_to_the_save_state(line, qtbot):
    """Where there is room for little, the save state and the count stand whole and the ends go."""
    line.set_saved("14:32:07")
    line.set_ends(view="anna’s judgments", scale="Scale 0–3", remark="Works offline.")
    line.set_progress("240 of 269 judged", "214 an hour", "29 left")
    for width in (1000, 560, 420, 330):
        line.resize(width, line.height())
        line.show_message("")
        ends = [each for each in (line.view, line.scale, line.keys) if each.isVisible()]
        whole = [line.save, line.progress, *ends]
        qtbot.waitUntil(lambda shown=whole: all(is_whole(each) for each in shown))
        assert line.scale.isVisible() == (width >= 560)
    line.show_message("A sentence that is as long as it takes to say what happened.")
    qtbot.waitUntil(lambda: line.message.width() > 80 and is_whole(line.save))


def test_not_saved_offers_retry_and_elsewhere(line, qtbot):
    """When a change is not in the file, both ways out are there and say so."""
    line.set_not_saved("the disk is full")
    assert line.save.text == "Not saved: the disk is full."
    with qtbot.waitSignal(line.retry.clicked):
        qtbot.mouseClick(line.retry, LEFT)
    with qtbot.waitSignal(line.elsewhere.clicked):
        qtbot.mouseClick(line.elsewhere, LEFT)


def test_ends_of_the_line_are_buttons(line, qtbot):
    """View of judgments, scale and keys can be clicked."""
    line.set_ends(view="anna’s judgments", scale="Scale 0–3")
    for button, signal in (
        (line.view, line.view.clicked),
        (line.scale, line.scale.clicked),
        (line.keys, line.keys.clicked),
    ):
        with qtbot.waitSignal(signal):
            qtbot.mouseClick(button, LEFT)


def test_message_takes_the_place_of_the_counts(line, qtbot):
    """A message hides the counts, its answer says its name, and then the counts are back."""
    line.set_progress(progress_text(1240, 2690), "214 an hour")
    line.show_message("12 judgments were taken back.", action="redo", action_text="Redo")
    assert not line.progress.isVisible()
    with qtbot.waitSignal(line.message_action_requested) as said:
        qtbot.mouseClick(line.message_action, LEFT)
    assert said.args == ["redo"]
    assert line.progress.isVisible()
    assert line.progress.text == "1,240 of 2,690 judged"


def test_line_keeps_its_height(line):
    """No state makes the line higher or lower."""
    height = line.sizeHint().height()
    line.set_not_saved("the disk is full")
    line.show_message("One thing.", action="undo", action_text="Undo")
    assert line.sizeHint().height() == height == theme.scaled(26)


def test_holder_is_the_line_from_edge_to_edge(qapp, qtbot):
    """In a main window the status line begins at the edge and has its own height."""
    theme.install_fonts(qapp)
    window = QMainWindow()
    qtbot.addWidget(window)
    line = StatusLine()
    window.setStatusBar(StatusHolder(line))
    window.resize(700, 300)
    window.show()
    assert line.geometry() == window.statusBar().rect()
    assert line.width() == 700
    assert line.height() == line.sizeHint().height()


def test_when_it_was_saved_is_whole_beside_a_long_message(line):
    """A message gives way, not the seconds of the last save, in a language of longer words either."""
    line.save.set_state(SaveState.SAVED, "Gespeichert 13:29:13 Uhr")
    line.show_message("251 grades written. " * 20)
    line.layout().activate()
    assert line.save.width() >= line.save.sizeHint().width()


def test_badge_grows_with_the_name_up_to_a_limit(qapp, qtbot):
    """A longer name takes more room, a very long one is elided."""
    badge = AssessorBadge()
    qtbot.addWidget(badge)
    widths = []
    for name in ("al", "alexandra", "a" * 200):
        badge.setText(name)
        widths.append(badge.sizeHint().width())
    assert widths[0] < widths[1] < widths[2] < 260


@pytest.fixture
def views(qapp, qtbot):
    """The switch between four views, shown."""
    theme.install_fonts(qapp)
    switch = Segmented(
        (
            Segment("list", "List", "list", "Ctrl+1"),
            Segment("focus", "Focus", "file-text"),
            Segment("whatif", "What-if", "arrow-up-down"),
            Segment("compare", "Compare", "columns-2"),
        )
    )
    qtbot.addWidget(switch)
    switch.show()
    return switch


def test_switch_says_what_was_chosen(views, qtbot):
    """A click on the second choice says its name."""
    button = views._buttons["focus"]
    with qtbot.waitSignal(views.chosen) as said:
        qtbot.mouseClick(button, LEFT)
    assert said.args == ["focus"]


def test_arrows_pass_over_what_is_not_available(views, qtbot):
    """The arrow keys go to the next choice that can be taken."""
    views.set_available("focus", is_available=False)
    with qtbot.waitSignal(views.chosen) as said:
        qtbot.keyClick(views, Qt.Key.Key_Right)
    assert said.args == ["whatif"]


def test_other_keys_and_the_last_arrow_choose_nothing(views, qtbot):
    """At its end an arrow stays, and what is no arrow is for whoever has it around the switch."""
    views.set_current("compare")
    with qtbot.assertNotEmitted(views.chosen):
        for key in (Qt.Key.Key_Right, Qt.Key.Key_K):
            qtbot.keyClick(views, key)


def test_choosing_moves_no_other_choice(views):
    """The segments are sized for their bold state."""
    before = [button.geometry() for button in views._buttons.values()]
    views.set_current("compare")
    assert [button.geometry() for button in views._buttons.values()] == before


@pytest.fixture
def mirrored_window(qapp, qtbot, tmp_path):
    """The window on a project, as in a language that runs from right to left."""
    make_project(tmp_path, simple_parts()).close()
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        with opened_window(qtbot, tmp_path / "small.judge", size=(1366, 768)) as window:
            yield window
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def test_the_switch_stands_between_menus_and_corner_in_a_mirrored_window(mirrored_window, qtbot):
    """From right to left, too, the switch is there and covers neither menus nor who judges."""
    bar, switch = mirrored_window.menuBar(), mirrored_window.top_line.switch
    menus = [bar.actionGeometry(action) for action in bar.actions()]
    qtbot.waitUntil(switch.isVisible)
    assert not any(switch.geometry().intersects(menu) for menu in menus)
    assert not switch.geometry().intersects(bar.cornerWidget().geometry())


def test_a_counted_sentence_keeps_its_order_in_a_mirrored_window(qapp, qtbot):
    """‘Query 1 of 20’ is painted as it is in the other direction, at the other end."""
    theme.install_fonts(qapp)
    pictures = []
    for direction in (Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft):
        label = CountedLabel()
        qtbot.addWidget(label)
        label.setLayoutDirection(direction)
        label.set_text("Query 1 of 20", strong="1")
        assert label.text == label.accessibleName() == "Query 1 of 20"
        label.resize(label.sizeHint().width() - 2, label.sizeHint().height())
        pictures.append(label.grab().toImage())
    assert pictures[0] == pictures[1]


def test_pill_keeps_its_width_when_switched(qapp, qtbot):
    """A pill is as wide on as off, and says its count."""
    pill = Pill("Flagged", 1234)
    qtbot.addWidget(pill)
    width = pill.sizeHint().width()
    qtbot.mouseClick(pill, LEFT)
    assert pill.isChecked()
    assert pill.sizeHint().width() == width
    assert pill.accessibleName() == "Flagged 1,234"


def test_elided_label_shows_the_whole_as_plain_tooltip(qapp, qtbot):
    """What is cut off is in the tooltip, and markup in it is not markup."""
    label = ElidedLabel("<b>a very long name</b> that does not fit")
    qtbot.addWidget(label)
    label.resize(60, 20)
    label.grab()
    assert "&lt;b&gt;a very long name" in label.toolTip()
    label.resize(600, 20)
    label.grab()
    assert label.toolTip() == ""


@pytest.mark.parametrize(
    ("keys", "chords"),
    [
        ("Ctrl+Z", [["Ctrl", "Z"]]),
        ("J K", [["J"], ["K"]]),
        ("Ctrl++", [["Ctrl", "+"]]),
        ("+", [["+"]]),
        ("Shift+0 … 3", [["Shift", "0"], ["…"], ["3"]]),
    ],
)
def test_keys_are_read_as_chords(keys, chords):
    """Blanks part chords, plus signs part the keys of a chord, and + itself is a key."""
    assert parse_keys(keys) == chords


GROUPS = (
    KeyGroup("Grade", (KeyEntry("0 … 3", "Give that grade"), KeyEntry("X", "Cannot judge"))),
    KeyGroup("Move", (KeyEntry("N", "Next unjudged, anywhere"),)),
)


def test_search_keeps_entries_with_every_word():
    """All words must occur, in any case, in key, text or title."""
    found = matching_groups(GROUPS, "next ANY")
    assert [entry.keys for group in found for entry in group.entries] == ["N"]
    assert matching_groups(GROUPS, "") == GROUPS
    assert matching_groups(GROUPS, "nothing like it") == ()


@pytest.fixture
def window(qapp, qtbot):
    """A window with a field that has the keyboard, and the overlay over it."""
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(1200, 800)
    page.field = QLineEdit(page)
    page.overlay = KeysOverlay(page)
    page.overlay.set_groups(GROUPS, remark="Keys never fire while you type in a field.")
    page.show()
    page.activateWindow()
    page.field.setFocus()
    return page


def test_overlay_opens_over_everything_and_filters(window, qtbot):
    """Open it covers its parent; typing leaves the matching entries."""
    window.overlay.toggle()
    window.overlay.toggle()
    assert not window.overlay.isVisible()
    window.overlay.toggle()
    assert window.overlay.geometry() == window.rect()
    assert window.overlay.search.placeholderText() == "Type to find an action"
    qtbot.keyClicks(window.overlay.search, "unjudged")
    assert [group.title for group in window.overlay.page.groups] == ["Move"]


def test_escape_empties_then_closes(window, qtbot):
    """The first Esc empties a filled field, the second closes and gives the keyboard back."""
    window.overlay.open()
    qtbot.keyClicks(window.overlay.search, "zz")
    qtbot.keyClick(window.overlay.search, Qt.Key.Key_Escape)
    assert window.overlay.isVisible()
    with qtbot.waitSignal(window.overlay.closed):
        qtbot.keyClick(window.overlay.search, Qt.Key.Key_Escape)
    assert not window.overlay.isVisible()
    assert window.focusWidget() is window.field


def test_what_is_found_is_heard_and_tab_passes_over_no_rows(window, qtbot):
    """Who types hears how many actions there are, and which; without any, Tab leads past the list."""
    window.overlay.open()
    with listening() as heard:
        qtbot.keyClicks(window.overlay.search, "judge")
        said = "2 actions: Cannot judge, X; Next unjudged, anywhere, N. Arrow Down reads them."
        qtbot.waitUntil(lambda: said in heard)
        qtbot.keyClicks(window.overlay.search, "zz")
        qtbot.waitUntil(lambda: "No action has this name." in heard)
    qtbot.keyClick(window.overlay.search, Qt.Key.Key_Tab)
    assert window.focusWidget() in (window.overlay.presets, window.overlay.change)


def test_arrows_go_from_column_to_column_of_keys(window, qtbot):
    """Right leads to the same row of the next column, or its last, and Left back."""
    window.overlay.open()
    qtbot.keyClick(window.overlay.search, Qt.Key.Key_Down)
    first = window.focusWidget()
    qtbot.keyClick(first, Qt.Key.Key_Down)
    assert first.currentIndex().row() == 1
    qtbot.keyClick(first, Qt.Key.Key_Right)
    second = window.focusWidget()
    assert second is not first
    qtbot.keyClick(second, Qt.Key.Key_Left)
    assert window.focusWidget() is first


def test_page_down_scrolls_the_keys_while_one_types(window, qtbot):
    """In a low window the rest of the keys comes into sight."""
    entries = tuple(KeyEntry("X", f"Action {number}") for number in range(80))
    window.overlay.set_groups((KeyGroup("Many", entries),), remark="")
    window.resize(500, 400)
    window.overlay.open()
    bar = window.overlay.findChild(QScrollArea).verticalScrollBar()
    for key, is_down in ((Qt.Key.Key_PageDown, True), (Qt.Key.Key_PageUp, False)):
        qtbot.keyClick(window.overlay.search, key)
        assert (bar.value() > 0) is is_down


def test_question_mark_closes_the_overlay(window, qtbot):
    """The key that opens it closes it, also from its field."""
    window.overlay.open()
    qtbot.keyClick(window.overlay.search, Qt.Key.Key_Question)
    assert not window.overlay.isVisible()


def test_click_outside_the_sheet_closes(window, qtbot):
    """A click on the scrim closes; one on the sheet does not."""
    window.overlay.open()
    qtbot.mouseClick(window.overlay._sheet, LEFT, pos=QPoint(20, 20))
    assert window.overlay.isVisible()
    qtbot.mouseClick(window.overlay, LEFT, pos=QPoint(3, 3))
    assert not window.overlay.isVisible()


def test_overlay_follows_the_window(window, qtbot):
    """A larger window has a larger scrim."""
    window.overlay.open()
    window.resize(1000, 700)
    assert window.overlay.geometry() == window.rect()


PROJECTS = (
    RecentProject("/a.judge", "recipes", "Documents", (240, 269), "today 14:32"),
    RecentProject("/b.judge", "trec-covid", "USB stick", is_missing=True),
    RecentProject("/c.judge", "esci", "Documents", (3000, 3000), "2 Oct"),
)


@pytest.fixture
def welcome(qapp, qtbot):
    """The welcome view with three recent projects, shown and active."""
    theme.install_fonts(qapp)
    view = WelcomeView()
    qtbot.addWidget(view)
    view.set_recent(PROJECTS)
    view.resize(1100, 640)
    with qtbot.waitExposed(view):
        view.show()
    view.activateWindow()
    return view


@pytest.mark.parametrize(
    ("key", "button"),
    [
        (Qt.Key.Key_S, "sample"),
        (Qt.Key.Key_N, "new"),
        (Qt.Key.Key_O, "open"),
        (Qt.Key.Key_H, "hub"),
    ],
)
def test_letters_start(welcome, qtbot, key, button):
    """S, N, O and H start from wherever the keyboard is."""
    with qtbot.waitSignal(getattr(welcome, button).clicked):
        qtbot.keyClick(welcome.focusWidget(), key)


def test_enter_opens_the_chosen_project(welcome, qtbot):
    """Down twice and Enter open the third project."""
    qtbot.keyClick(welcome.recent.rows, Qt.Key.Key_Down)
    qtbot.keyClick(welcome.recent.rows, Qt.Key.Key_Down)
    with qtbot.waitSignal(welcome.recent.chosen) as said:
        qtbot.keyClick(welcome.recent.rows, Qt.Key.Key_Return)
    assert said.args == ["/c.judge"]


def test_missing_project_is_located(welcome, qtbot):
    """Enter on a project that is not there asks where it is, and does not open it."""
    qtbot.keyClick(welcome.recent.rows, Qt.Key.Key_Down)
    with (
        qtbot.assertNotEmitted(welcome.recent.chosen),
        qtbot.waitSignal(welcome.recent.locate_chosen) as said,
    ):
        qtbot.keyClick(welcome.recent.rows, Qt.Key.Key_Return)
    assert said.args == ["/b.judge"]
    said = welcome.recent.rows.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert "not there" in said


def test_delete_takes_off_the_list(welcome, qtbot):
    """Del says which project is to be taken off the list."""
    with qtbot.waitSignal(welcome.recent.removed) as said:
        qtbot.keyClick(welcome.recent.rows, Qt.Key.Key_Delete)
    assert said.args == ["/a.judge"]


def test_click_opens_a_project(welcome, qtbot):
    """One click on a row opens it."""
    with qtbot.waitSignal(welcome.recent.chosen) as said:
        qtbot.mouseClick(welcome.recent.rows.viewport(), LEFT, pos=QPoint(60, 20))
    assert said.args == ["/a.judge"]


def test_without_recents_the_sample_has_the_keyboard(welcome, qtbot):
    """On the first day Enter starts the sample."""
    welcome.set_recent(())
    assert welcome.focusWidget() is welcome.sample
    with qtbot.waitSignal(welcome.sample.clicked):
        qtbot.keyClick(welcome.sample, Qt.Key.Key_Return)


def held_over(welcome, *urls):
    """Return what is held, and what holding it over the view and dropping it there are."""
    data = QMimeData()
    data.setUrls(urls)
    given = Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier
    return data, QDragEnterEvent(QPoint(10, 10), *given), QDropEvent(QPointF(10, 10), *given)


def test_dropped_files_are_said(welcome, qtbot):
    """Files let fall on the view are said with their paths; web addresses are not."""
    web = QUrl("https://example.org/a")
    _data, enter, drop = held_over(welcome, QUrl.fromLocalFile("/x/qrels.txt"), web)
    QApplication.sendEvent(welcome, enter)
    with qtbot.waitSignal(welcome.files_dropped, timeout=5000) as said:
        QApplication.sendEvent(welcome, drop)
    assert said.args == [["/x/qrels.txt"]]
    _data, enter, drop = held_over(welcome, web)
    with qtbot.assertNotEmitted(welcome.files_dropped):
        QApplication.sendEvent(welcome, enter)
        assert not enter.isAccepted()
        QApplication.sendEvent(welcome, drop)


def test_files_held_over_the_view_are_seen_until_they_leave(welcome, qtbot):
    """The place to drop them shows that it takes them."""
    before = welcome.drop_zone.grab().toImage()
    _data, enter, _drop = held_over(welcome, QUrl.fromLocalFile("/x/qrels.txt"))
    QApplication.sendEvent(welcome, enter)
    assert enter.isAccepted()
    assert welcome.drop_zone.grab().toImage() != before
    QApplication.sendEvent(welcome, QDragLeaveEvent())
    assert welcome.drop_zone.grab().toImage() == before


@pytest.mark.parametrize("width", [720, 960, 1100, 2560])
def test_welcome_columns_do_not_overlap(welcome, width):
    """At every width the list begins right of the start buttons and ends inside."""
    welcome.resize(width, 640)
    welcome._page.layout().activate()
    start_end = welcome.sample.mapTo(welcome, QPoint(welcome.sample.width(), 0)).x()
    list_start = welcome.recent.mapTo(welcome, QPoint(0, 0)).x()
    list_end = welcome.recent.mapTo(welcome, QPoint(welcome.recent.width(), 0)).x()
    assert start_end < list_start < list_end <= width


def test_line_grows_with_the_font(qapp, line, qtbot):
    """A larger interface font makes a shown status line higher."""
    before = line.sizeHint().height()
    theme.install_fonts(qapp, extra_px=4)
    try:
        assert line.sizeHint().height() > before
    finally:
        theme.install_fonts(qapp)


def test_widgets_follow_the_theme(qapp, line):
    """Switching the theme repaints what is shown, without being told."""
    set_theme(qapp, LIGHT)
    light = line.grab().toImage().pixelColor(500, 12)
    set_theme(qapp, DARK)
    dark = line.grab().toImage().pixelColor(500, 12)
    set_theme(qapp, LIGHT)
    assert light == LIGHT.window
    assert dark == DARK.window


@pytest.mark.parametrize("extra_px", [0, 13])
@pytest.mark.parametrize("size", [(1024, 620), (1366, 690)])
def test_every_start_is_seen_at_every_size_of_text(qtbot, qapp, extra_px, size):
    """Sample, new and open stand within a low window at 200 %, too."""
    theme.install_fonts(qapp, extra_px=extra_px)
    try:
        welcome = WelcomeView()
        qtbot.addWidget(welcome)
        welcome.resize(*size)
        with qtbot.waitExposed(welcome):
            welcome.show()
        for button in (welcome.sample, welcome.new, welcome.open):
            bottom = button.mapTo(welcome, button.rect().bottomLeft()).y()
            assert bottom < welcome.height()
        assert welcome.drop_zone.isVisible() == (extra_px == 0)
    finally:
        theme.install_fonts(qapp)


def test_what_grows_takes_all_that_its_line_has(qtbot):
    """Alone on its line a part is as wide as the line."""
    host = QWidget()
    qtbot.addWidget(host)
    layout = FlowLayout(host, gap=10)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.put(part := QLineEdit())
    layout.let_grow(1)
    host.resize(600, 40)
    layout.activate()
    assert part.width() == 600
