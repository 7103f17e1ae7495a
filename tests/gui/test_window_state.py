"""Where windows stood, and what was looked at last."""

from contextlib import suppress
from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDockWidget,
    QLabel,
    QMainWindow,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSplitter,
    QToolButton,
    QWidget,
)

from judgetool.core.system import HOME_VARIABLE
from judgetool.gui.actions import Mode
from judgetool.gui.app import make_application
from judgetool.gui.compare.difference_pane import DifferencePane
from judgetool.gui.handlers.view import TEXT_STEPS
from judgetool.gui.theme import Role, font, install_fonts, line_height, metrics
from judgetool.gui.widgets.status_line import StatusLine
from judgetool.gui.window_state import FILE_NAME, LastPlace, WindowState, fit_on_screen
from judgetool.settings import Settings, save_settings
from tests.gui.everywhere import look_at_dialogs
from tests.gui.test_keyboard_and_speech import (
    nameless_stops,
    shows_keyboard,
    stops,
    unreached_stops,
)
from tests.gui.window_fixtures import CTRL, opened_window, press
from tests.helpers.builders import lay_judged_sample, open_made, open_sample, simple_parts


@pytest.fixture
def file(tmp_path):
    return tmp_path / "window.ini"


LARGE = CTRL | Qt.KeyboardModifier.AltModifier


def make_window(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    dock = QDockWidget("Live", window)
    dock.setObjectName("live")
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    return window, dock


def test_geometry_and_docks_come_back(qtbot, file):
    """A window is as large as it was, and a dock where it was."""
    window, dock = make_window(qtbot)
    window.resize(777, 555)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    state = WindowState(file)
    state.save_window("main", window)
    assert state.sync()
    other, other_dock = make_window(qtbot)
    assert WindowState(file).restore_window("main", other)
    assert (other.width(), other.height()) == (777, 555)
    assert other.dockWidgetArea(other_dock) == Qt.DockWidgetArea.LeftDockWidgetArea


SCREENS = st.tuples(
    st.integers(0, 3000), st.integers(0, 2000), st.integers(960, 4000), st.integers(600, 3000)
)
PLACES = st.tuples(*[st.integers(-5000, 5000)] * 2, *[st.integers(1, 8000)] * 2)


@given(SCREENS, PLACES)
def test_a_window_stands_whole_on_its_screen(screen, place):
    """Wherever it was, and however large: on a screen it is whole, with room for its title."""
    available, wanted = QRect(*screen), QRect(*place)
    found = fit_on_screen(wanted, available)
    assert available.contains(found.adjusted(0, -30, 0, 0))
    assert (
        found.size() == wanted.size()
        or found.width() < wanted.width()
        or found.height() < wanted.height()
    )
    if available.adjusted(2, 32, -2, -2).contains(wanted):
        assert found == wanted


def test_an_unknown_window_is_left_alone(qtbot, file):
    """What was never saved is not restored."""
    window, _ = make_window(qtbot)
    assert not WindowState(file).restore_window("main", window)


def test_docks_of_another_arrangement_are_not_restored(qtbot, file):
    """A state of another version does not move the docks."""
    window, dock = make_window(qtbot)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    state = WindowState(file, version=1)
    state.save_window("main", window)
    state.sync()
    other, other_dock = make_window(qtbot)
    WindowState(file, version=2).restore_window("main", other)
    assert other.dockWidgetArea(other_dock) == Qt.DockWidgetArea.RightDockWidgetArea


def test_a_splitter_is_divided_as_it_was(qtbot, file):
    """A splitter's division comes back."""

    def make():
        splitter = QSplitter()
        qtbot.addWidget(splitter)
        splitter.addWidget(QWidget())
        splitter.addWidget(QWidget())
        splitter.resize(400, 100)
        return splitter

    splitter = make()
    splitter.show()
    splitter.setSizes([100, 300])
    state = WindowState(file)
    state.save_splitter("middle", splitter)
    state.sync()
    other = make()
    other.show()
    assert WindowState(file).restore_splitter("middle", other)
    assert other.sizes() == splitter.sizes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(st.characters(codec="utf-8")), document=st.text(st.characters(codec="utf-8")))
def test_any_ids_come_back(qapp, file, query, document):
    """The last query and document come back whatever characters their ids have."""
    state = WindowState(file)
    state.save_place("uuid", LastPlace(query, document))
    state.sync()
    assert WindowState(file).find_place("uuid") == LastPlace(query, document)


def test_each_project_has_its_place(qapp, file):
    """Places are kept by project; an unknown project has none."""
    state = WindowState(file)
    state.save_place("a", LastPlace("q1", "d1"))
    state.save_place("b", LastPlace("q2", "d2"))
    assert state.find_place("a") == LastPlace("q1", "d1")
    assert state.find_place("c") is None


@pytest.mark.parametrize(
    "text", ["[General]\nplaces=nonsense", "\x00\x01", "[General]\nplaces=[1]"]
)
def test_a_broken_file_is_as_none(qtbot, file, text):
    """A file that cannot be understood restores nothing and stops nothing."""
    file.write_text(text)
    window, _ = make_window(qtbot)
    state = WindowState(file)
    assert state.find_place("a") is None
    assert not state.restore_window("main", window)


def test_it_lives_in_the_configuration_folder(qapp, tmp_path, monkeypatch):
    """Without a path the file stands in judgetool's configuration folder."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path))
    state = WindowState()
    state.save_place("a", LastPlace("q", "d"))
    state.sync()
    assert (tmp_path / "config" / FILE_NAME).exists()


def test_an_unwritable_place_is_no_trouble(qtbot, tmp_path):
    """Where nothing can be written, sync() says so and nothing else happens."""
    (tmp_path / "file").write_text("")
    state = WindowState(tmp_path / "file" / "window.ini")
    state.save_place("a", LastPlace("q", "d"))
    assert not state.sync()


def test_docks_are_as_wide_as_they_were_after_another_view(qtbot, tmp_path):
    """Compare, focus and what-if leave the widths that a person gave the list's docks."""
    open_made(tmp_path, simple_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        docks = window.docks
        both = [docks.queries, docks.side]
        window.resizeDocks(both, [350, 330], Qt.Orientation.Horizontal)
        qtbot.waitUntil(lambda: [dock.width() for dock in both] == [350, 330])
        for mode in (Mode.COMPARE, Mode.FOCUS, Mode.WHATIF):
            window.views.show(mode)
            qtbot.waitUntil(lambda: not docks.queries.isVisible())
            window.views.show(Mode.LIST)
            qtbot.waitUntil(lambda: [dock.width() for dock in both] == [350, 330])


def test_the_list_of_a_combo_box_shows_every_entry_whole(qtbot, tmp_path):
    """What the box offers is neither cut below nor at the side, and its own text is whole."""
    open_made(tmp_path, simple_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge", size=(1366, 768)) as window:
        box = window.workspace.results.tools.orders
        assert box.field_width >= box.fontMetrics().horizontalAdvance(box.currentText())
        box.showPopup()
        view = box.view()
        qtbot.waitUntil(view.isVisible)
        last = view.visualRect(box.model().index(box.count() - 1, 0))
        assert view.viewport().rect().contains(last)
        widest = max(
            view.sizeHintForIndex(box.model().index(n, 0)).width() for n in range(box.count())
        )
        assert view.viewport().width() >= widest
        box.hidePopup()


def test_a_combo_box_as_wide_as_it_wishes_shows_its_text_whole(qtbot, tmp_path):
    """Beside the arrow no room is lost that the text could have."""
    open_made(tmp_path, simple_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge", size=(1800, 900)) as window:
        runs = window.workspace.results.tools.runs
        qtbot.waitUntil(lambda: runs.width() >= runs.sizeHint().width())
        text = runs.fontMetrics().horizontalAdvance(runs.currentText())
        assert runs.field_width >= runs.iconSize().width() + 4 + text
        assert runs.width() - runs.field_width <= 40


def test_at_200_percent_nothing_stands_over_the_menus(qtbot, tmp_path):
    """Blind mode's switch is an eye alone where menus and switch have no room for both."""
    open_made(tmp_path, simple_parts()).close()
    try:
        with opened_window(qtbot, tmp_path / "small.judge", size=(1200, 700)) as window:
            bar, button = window.menuBar(), window.blind_button
            assert not button.is_compact
            for _ in range(12):
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)

            def is_clear():
                menus_end = max(bar.actionGeometry(each).right() for each in bar.actions())
                return button.mapTo(window, button.rect().topLeft()).x() >= menus_end

            qtbot.waitUntil(lambda: button.is_compact and is_clear())
            press(qtbot, window, Qt.Key.Key_0, LARGE)
            qtbot.waitUntil(lambda: not button.is_compact)
    finally:
        install_fonts(QApplication.instance())


@pytest.mark.parametrize("language", ["de", "ru"])
def test_menus_without_room_are_in_one_of_their_own(qtbot, tmp_path, speaks, language):
    """In long words and large text they stood under the eye and the letter, and Help was gone."""
    open_made(tmp_path, simple_parts()).close()
    speaks(language)
    try:
        with opened_window(qtbot, tmp_path / "small.judge", size=(1000, 640)) as window:
            for _ in range(12):
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)
            bar = window.menuBar()
            more = bar.findChild(QToolButton, "qt_menubar_ext_button")
            qtbot.waitUntil(more.isVisible)
            rest = more.menu().actions()
            shown = [each for each in bar.actions() if each not in rest]
            assert [*shown, *rest] == bar.actions()
            start = window.blind_button.mapTo(window, QPoint(0, 0)).x()
            assert bar.actionGeometry(shown[-1]).right() < more.geometry().left()
            assert more.geometry().right() <= start
    finally:
        install_fonts(QApplication.instance())


def test_in_little_height_a_verdict_does_not_stand_over_itself(qtbot):
    """At 200 % on a low screen the rest of the verdict is in its tooltip, not over the button."""
    install_fonts(QApplication.instance(), extra_px=13)
    try:
        pane = DifferencePane()
        qtbot.addWidget(pane)
        for text in (pane.verdict, pane.reason, pane.certain):
            text.setText("The baseline is better than the other run by much.")
        pane.resize(380, 300)
        with qtbot.waitExposed(pane):
            pane.show()
        texts = (pane.verdict, pane.reason, pane.certain, pane.next)
        shown = [each.geometry() for each in texts if each.isVisible()]
        assert not any(a.intersects(b) for a, b in combinations(shown, 2))
    finally:
        install_fonts(QApplication.instance())


@pytest.mark.parametrize("size", [(1440, 900), (1366, 768), (1100, 700)])
def test_after_text_at_200_percent_all_stands_as_before(qtbot, tmp_path, size):
    """Back at 100 % the list of queries is as wide, and the header as high, as they were."""
    open_made(tmp_path, simple_parts()).close()
    try:
        with opened_window(qtbot, tmp_path / "small.judge", size=size) as window:
            qtbot.waitUntil(lambda: window.docks.queries.width() == 264)

            def sizes():
                return (
                    window.docks.queries.width(),
                    window.docks.side.width(),
                    window.workspace.header.height(),
                    window.workspace.grade_bar.height(),
                )

            before = sizes()
            for _ in range(12):
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)
                queries, middle = window.docks.queries, window.centralWidget()
                qtbot.waitUntil(
                    lambda a=queries, b=middle: (
                        a.isHidden() or not a.geometry().intersects(b.geometry())
                    )
                )
            qtbot.waitUntil(lambda: window.workspace.header.height() > before[2])
            press(qtbot, window, Qt.Key.Key_0, LARGE)
            qtbot.waitUntil(lambda: sizes() == before)
    finally:
        install_fonts(QApplication.instance())


def test_at_200_percent_the_current_card_is_whole_and_the_page_beside_it(qtbot, tmp_path):
    """On a small screen the list of queries gives its room, and comes back with it."""
    open_made(tmp_path, simple_parts()).close()
    try:
        with opened_window(qtbot, tmp_path / "small.judge", size=(1366, 768)) as window:
            table = window.workspace.results.table
            press(qtbot, window, Qt.Key.Key_J)
            for _ in range(12):
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)

            def is_whole():
                return table.viewport().rect().contains(table.visualRect(table.currentIndex()))

            qtbot.waitUntil(lambda: is_whole() and not window.docks.queries.isVisible())
            assert window.workspace.document.height() > 2 * table.rowHeight(0)
            press(qtbot, window, Qt.Key.Key_0, LARGE)
            qtbot.waitUntil(lambda: is_whole() and window.docks.queries.isVisible())
    finally:
        install_fonts(QApplication.instance())


@pytest.mark.parametrize("extra_px", [0, 8, 13])
def test_no_view_cuts_a_text_that_wraps(qtbot, tmp_path, extra_px):
    """On a small screen every sentence has the lines that it needs, in each size of text."""
    lay_judged_sample(tmp_path)
    try:
        with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1366, 768)) as window:
            if extra_px:
                # By the last press of the key alone: each before it would dress the window anew.
                step_before = TEXT_STEPS[TEXT_STEPS.index(extra_px) - 1]
                window.change_settings(extra_px=step_before)
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)
                assert window.settings.extra_px == extra_px
            for mode in Mode:
                window.views.show(mode)
                qtbot.waitUntil(lambda: not cut_texts(window))
    finally:
        install_fonts(QApplication.instance())


@pytest.mark.parametrize(("theme", "extra_px"), [("light", 0), ("dark-contrast", 13)])
def test_whatever_asks_is_whole_and_can_be_used_by_keys(qtbot, tmp_path, theme, extra_px):
    """On a small screen it has its foot, and every sentence its lines.

    Whatever Tab reaches has a name, and some part of it, about a short edge, changes by 3:1
    when the keyboard comes; Tab and Shift+Tab go round everything.
    """
    wrong = {}

    def look(title, dialog):
        found = still_cut_texts(qtbot, dialog)
        least = dialog.minimumSizeHint()
        if least.height() > 700 or least.width() > 1366:
            found.append(f"needs {least.toTuple()}")
        found += [f"no name: {_called(each)}" for each in nameless_stops(dialog)]
        dialog.activateWindow()
        qtbot.waitUntil(dialog.isActiveWindow)
        reached = stops(dialog)
        found += [f"Tab: {_called(each)}" for each in unreached_stops(qtbot, dialog)]
        for each in reached:
            if not shows_keyboard(each, reached - {each}):
                found.append(f"no ring: {_called(each)}")
        if found:
            wrong[title] = found

    save_settings(Settings(extra_px=extra_px))
    lay_judged_sample(tmp_path)
    try:
        with opened_window(qtbot, next(tmp_path.glob("*.judge")), size=(1366, 768)) as window:
            window.choose_theme(theme)
            look_at_dialogs(window, qtbot.waitUntil, look)
        assert wrong == {}
    finally:
        install_fonts(QApplication.instance())


def _called(widget):
    return f"{type(widget).__name__} {widget.accessibleName() or getattr(widget, 'text', str)()}"


def cut_texts(window):
    """Return the sentences that are seen, and lower than their lines."""
    return [
        label.text()
        for label in window.findChildren(QLabel)
        if label.wordWrap() and label.text() and label.isVisible()
        if label.height() < label.heightForWidth(label.width())
    ]


def cut_across(dialog):
    """Return what scrolls sideways, or is narrower than its words; tables have bars of their own."""
    kinds = (QScrollArea, QPushButton, QLabel, QCheckBox, QRadioButton)
    seen = [each for kind in kinds for each in dialog.findChildren(kind) if each.isVisible()]
    return [
        _called(each)
        for each in seen
        if (
            each.horizontalScrollBar().maximum()
            if isinstance(each, QScrollArea)
            else each.width() < each.minimumSizeHint().width()
        )
    ]


def still_cut_texts(qtbot, window):
    """As :func:`cut_texts`, once what has changed a moment ago has its lines."""
    with suppress(qtbot.TimeoutError):
        qtbot.waitUntil(lambda: not cut_texts(window))
    return cut_texts(window)


def test_another_theme_leaves_large_text_large(qtbot, tmp_path):
    """What has a font of its own has it in the size chosen, whatever is done to the theme."""
    open_made(tmp_path, simple_parts()).close()
    try:
        with opened_window(qtbot, tmp_path / "small.judge") as window:
            scores = window.workspace.results.tools.scores
            for _ in range(4):
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)
            assert scores.font().pointSizeF() == font(Role.META).pointSizeF()
            press(qtbot, window, Qt.Key.Key_D, CTRL)
            assert scores.font().pointSizeF() == font(Role.META).pointSizeF()
    finally:
        install_fonts(QApplication.instance())


def test_a_narrow_status_line_cuts_no_number(qtbot):
    """Pace and rest go where there is no room for them, and come back with it."""
    make_application()
    line = StatusLine()
    qtbot.addWidget(line)
    line.set_saved("09:36:16")
    line.set_ends(view="All judgments, latest counts", scale="Scale 0–3")
    line.set_progress("14 of 1,881 judged", "2,810 an hour", "1,867 left, about 40 min")
    counts = (line.save, line.progress, line.pace, line.left)
    with qtbot.waitExposed(line):
        line.show()
    for width, n_shown in ((2000, 4), (640, 2), (2000, 4)):
        line.resize(width, line.sizeHint().height())
        qtbot.waitUntil(lambda n=n_shown: sum(each.isVisible() for each in counts) == n)
        shown = [each for each in counts if each.isVisible()]
        qtbot.waitUntil(lambda it=shown: all(x.width() >= x.sizeHint().width() for x in it))


def test_docks_are_as_wide_as_before_in_a_window_that_was_small(qtbot, tmp_path):
    """A small window takes width from the docks; a large one gives back what they had."""
    open_made(tmp_path, simple_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        both = [window.docks.queries, window.docks.side]
        window.resizeDocks(both, [350, 330], Qt.Orientation.Horizontal)
        qtbot.waitUntil(lambda: [dock.width() for dock in both] == [350, 330])
        window.views.show(Mode.COMPARE)
        qtbot.waitUntil(lambda: not both[0].isVisible())
        window.views.show(Mode.LIST)
        qtbot.waitUntil(lambda: [dock.width() for dock in both] == [350, 330])
        for width in (1160, 1120, 1020):
            window.resize(width, 700)
            qtbot.waitUntil(lambda it=width: window.width() == it)
        qtbot.waitUntil(lambda: not both[0].isVisible())
        window.resize(1440, 900)
        qtbot.waitUntil(lambda: [dock.width() for dock in both] == [350, 330])


def test_the_text_of_the_whole_window_has_keys_and_nothing_is_cut(qtbot, tmp_path):
    """Ctrl+Alt+= sets all text larger, to 200 %; fields and rows grow, the switch of views stays."""
    open_made(tmp_path, simple_parts()).close()
    try:
        with opened_window(qtbot, tmp_path / "small.judge", size=(1366, 768)) as window:
            for _ in range(12):
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)
            assert window.settings.extra_px == 13
            fields = [window.queries.bar.field, window.workspace.results.tools.orders]
            qtbot.waitUntil(lambda: fields[0].fontMetrics().height() >= 30)
            for field in fields:
                qtbot.waitUntil(lambda it=field: it.height() >= it.fontMetrics().height())
            assert window.top_line.switch.isVisible()
            assert window.live.explain.isHidden()
            press(qtbot, window, Qt.Key.Key_0, LARGE)
            assert window.settings.extra_px == 0
            press(qtbot, window, Qt.Key.Key_Minus, LARGE)
            assert window.settings.extra_px == -1
    finally:
        install_fonts(QApplication.instance())


@pytest.mark.parametrize("steps", [2, 6])
def test_the_header_is_as_high_for_every_query_at_every_size_of_text(qtbot, tmp_path, steps):
    """Larger text sets the header's height at once: it is not another one for the next query."""
    with open_sample(tmp_path) as session:
        path = session.path
    try:
        with opened_window(qtbot, path, size=(1366, 768)) as window:
            header = window.workspace.header
            before = header.height()
            for _ in range(steps):
                press(qtbot, window, Qt.Key.Key_Equal, LARGE)
            qtbot.waitUntil(lambda: header.height() == header.sizeHint().height() > before)
            heights = {header.height()}
            for number in range(2, 8):
                press(qtbot, window, "]")
                qtbot.waitUntil(lambda it=number: header.position.text.startswith(f"Query {it} "))
                for _ in range(3):
                    QCoreApplication.sendPostedEvents()
                heights.add(header.height())
            assert len(heights) == 1
            press(qtbot, window, Qt.Key.Key_0, LARGE)
            qtbot.waitUntil(lambda: header.height() == before)
    finally:
        install_fonts(QApplication.instance())


@pytest.mark.parametrize(
    ("size", "extra_px", "least"),
    [((1366, 768), 6, 45), ((1440, 900), 6, 45), ((1366, 768), 13, 36)],
)
def test_the_page_has_lines_to_read_before_the_list(qtbot, tmp_path, size, extra_px, least):
    """At 146 % a line of the document holds 45 characters; the list makes do with the rest."""
    with open_sample(tmp_path) as session:
        path = session.path
    save_settings(Settings(extra_px=extra_px))
    try:
        with opened_window(qtbot, path, size=size) as window:
            page, results = window.workspace.document, window.workspace.results
            text = "Brown beef in batches, then braise with wine."[:least]
            line = metrics(Role.DOCUMENT).horizontalAdvance(text)
            qtbot.waitUntil(lambda: page.text.viewport().width() >= line)
            assert page.text.viewport().height() >= 4 * line_height(Role.DOCUMENT)
            assert results.width() >= 20 * metrics(Role.META).averageCharWidth()
            assert results.tools.runs.isVisible()
    finally:
        install_fonts(QApplication.instance())


def test_the_division_that_the_person_chose_is_kept(qtbot, tmp_path):
    """Where list and document were divided by hand, they are so again, also in larger text."""
    open_made(tmp_path, simple_parts()).close()
    try:
        with opened_window(qtbot, tmp_path / "small.judge") as window:
            splitter = window.workspace.splitter
            splitter.moveSplitter(splitter.sizes()[0] + 30, 1)
            chosen = splitter.sizes()
            press(qtbot, window, Qt.Key.Key_Equal, LARGE)
            press(qtbot, window, Qt.Key.Key_0, LARGE)
            qtbot.waitUntil(lambda: splitter.sizes() == chosen)
        with opened_window(qtbot, tmp_path / "small.judge") as window:
            assert not window.workspace.has_own_sizes
            window.restore()
            assert window.workspace.has_own_sizes
    finally:
        install_fonts(QApplication.instance())
