"""For who sees little, or otherwise, or from right to left: contrast, nothing that moves, mirrors."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessibilityHints, QStyleHints
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from judgetool.gui.actions import Mode
from judgetool.gui.theme import current_theme
from judgetool.settings import load_settings
from tests.gui.everywhere import each_part
from tests.gui.test_keyboard_and_speech import shows_keyboard, stops, unreached_stops
from tests.gui.whatif_fixtures import carry, drop, lift, order_of, soup_parts, whatif_page
from tests.gui.window_fixtures import CTRL, opened_window, press
from tests.helpers.builders import lay_judged_sample, make_project, simple_parts

ALT = Qt.KeyboardModifier.AltModifier
# Margins of a row are not mirrored; and how often nothing has moved when it is at rest.
_NEAR, _LOOKS = 6, 8


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on three queries."""
    make_project(tmp_path, simple_parts()).close()
    with opened_window(qtbot, tmp_path / "small.judge") as shown:
        yield shown


def test_high_contrast_is_a_key_and_stays_light_or_dark(qtbot, window):
    """Ctrl+Alt+C changes the contrast, Ctrl+D light and dark: neither the other; both are kept."""
    contrast = window.actions_by_name.action("view.contrast")
    press(qtbot, window, Qt.Key.Key_C, CTRL | ALT)
    assert (current_theme().name, contrast.isChecked()) == ("light-contrast", True)
    press(qtbot, window, Qt.Key.Key_D, CTRL)
    assert (current_theme().name, contrast.isChecked()) == ("dark-contrast", True)
    assert load_settings().theme == "dark-contrast"
    press(qtbot, window, Qt.Key.Key_C, CTRL | ALT)
    assert (current_theme().name, contrast.isChecked()) == ("dark", False)


def test_the_system_s_colours_are_followed_while_it_changes_them(window, monkeypatch):
    """Dark and high contrast are there as soon as the desktop asks for them, if it is followed."""
    hints = QApplication.styleHints()
    window.choose_theme("light")
    monkeypatch.setattr(QStyleHints, "colorScheme", lambda _hints: Qt.ColorScheme.Dark)
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert current_theme().name == "light"
    window.actions_by_name.action("view.follow_system").trigger()
    assert current_theme().name == "dark"
    high = Qt.ContrastPreference.HighContrast
    monkeypatch.setattr(QAccessibilityHints, "contrastPreference", lambda _hints: high)
    hints.accessibility().contrastPreferenceChanged.emit(high)
    assert current_theme().name == "dark-contrast"
    monkeypatch.undo()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert current_theme().name == "light"


def test_nothing_moves_by_itself(window):
    """No caret blinks, no menu fades in, no dock slides, whatever the desktop prefers."""
    assert QApplication.cursorFlashTime() == 0
    assert not any(map(QApplication.isEffectEnabled, Qt.UIEffect))
    assert not window.isAnimated()


@pytest.mark.parametrize("theme", ["dark", "light-contrast", "dark-contrast"])
def test_every_kind_of_stop_shows_the_keyboard_in_every_theme(qtbot, tmp_path, theme):
    """Of each kind that a view has one changes, about a short edge of it, by 3:1."""
    lay_judged_sample(tmp_path)
    seen = set()
    with opened_window(qtbot, next(tmp_path.glob("*.judge"))) as window:
        window.choose_theme(theme)
        for mode in Mode:
            window.views.show(mode)
            qtbot.waitUntil(lambda: window.jobs.is_idle and window.schedule.is_settled)
            switch = window.top_line.switch
            for stop in stops(window) - {switch}:
                kind = type(stop).__name__, stop.property("framed"), stop.property("main")
                if kind not in seen:
                    # A list is filled when its values have come.
                    qtbot.waitUntil(lambda stop=stop, others={switch}: shows_keyboard(stop, others))
                    seen.add(kind)
    assert len(seen) > 15


@pytest.mark.parametrize("name", ["view.float_queries", "view.float_live"])
def test_a_panel_in_a_window_of_its_own_is_gone_round_and_left_by_keys(qtbot, window, name):
    """Tab goes round it, and the key of a view leads back."""
    window.actions_by_name.action(name).trigger()
    dock = window.docks.queries if name.endswith("queries") else window.docks.side
    dock.activateWindow()
    qtbot.waitUntil(dock.isActiveWindow)
    next(iter(stops(dock))).setFocus()
    assert unreached_stops(qtbot, dock) == set()
    press_in = QApplication.focusWidget()
    qtbot.keyClick(press_in, Qt.Key.Key_1, CTRL)
    qtbot.waitUntil(lambda: window.isActiveWindow() and window.workspace.results.table.hasFocus())
    dock.setFloating(False)


# From right to left


@pytest.fixture
def leftward():
    """Lay everything out from right to left, until the end of the test."""
    app = QApplication.instance()
    yield lambda: app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    app.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def places(window):
    """Return where each part of ours that is seen stands in its window, by kind, name and number."""
    found = {}
    for each in window.findChildren(QWidget):
        if type(each).__module__.startswith("judgetool") and each.isVisible():
            kind, number = (type(each).__name__, each.accessibleName()), 0
            while (*kind, number) in found:
                number += 1
            place = QRect(each.mapTo(window, QPoint()), each.size())
            found[*kind, number] = place
    return found


def test_every_view_is_its_own_mirror_image_from_right_to_left(qtbot, tmp_path, leftward):
    """Each part of each view has the place and size that it has otherwise, seen in a mirror."""
    lay_judged_sample(tmp_path)
    path = next(tmp_path.glob("*.judge"))
    before, seen = {}, []

    def is_at_rest():
        seen.append(places(window))
        is_idle = window.jobs.is_idle and window.schedule.is_settled
        return is_idle and len(seen) > _LOOKS and all(each == seen[-1] for each in seen[-_LOOKS:])

    with opened_window(qtbot, path) as window:
        for part in each_part(window, qtbot.waitUntil):
            qtbot.waitUntil(is_at_rest)
            before[part] = seen[-1]
        width = window.width()
    leftward()

    def strays(part):
        now = places(window)
        assert len(before[part].keys() & now.keys()) > 20
        return {
            key: (rect, now[key])
            for key, rect in before[part].items()
            if key in now
            if abs(width - rect.x() - rect.width() - now[key].x()) > _NEAR
            or abs(rect.width() - now[key].width()) > _NEAR
        }

    with opened_window(qtbot, path) as window:
        for part in each_part(window, qtbot.waitUntil):
            qtbot.waitUntil(lambda part=part: not strays(part))


def test_a_card_is_carried_from_right_to_left_too(qtbot, tmp_path, leftward):
    """The imported order is at the right, cards at the left, and where the pointer takes them."""
    make_project(tmp_path, soup_parts()).close()
    leftward()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        page = whatif_page(window)
        board, before = page.orders, order_of(page)
        assert board.delegate.card_rect(0).center().x() < board.viewport().width() / 2
        lift(page, 3)
        carry(page, 0)
        hand = board.delegate.hand_rect()
        assert hand.intersects(board.delegate.card_rect(0))
        assert board.viewport().rect().contains(hand)
        drop(page, 0)
        assert order_of(page) == [before[3], *before[:3], *before[4:]]
        imported = board.delegate.card_rect(4).center()
        imported.setX(board.viewport().width() - 30)
        QTest.mouseClick(board.viewport(), Qt.MouseButton.LeftButton, pos=imported)
        assert board.current == page.ranking.orders.imported[4]
