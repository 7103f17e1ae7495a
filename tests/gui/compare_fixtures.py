"""The compare view of the real window on the sample project."""

from contextlib import contextmanager

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication

from judgetool.gui.actions import Mode
from tests.gui.window_fixtures import CTRL, opened_window
from tests.helpers.builders import lay_judged_sample


@contextmanager
def opened_compare(qtbot, folder, *, is_computed=True):
    """Show the sample in the compare view; give the window and its page."""
    with opened_window(qtbot, lay_judged_sample(folder)) as window:
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        if is_computed:
            computed(qtbot, page)
        yield window, page


def computed(qtbot, page):
    """Wait until intervals and p are there."""
    qtbot.waitUntil(lambda: not page.compared.is_computing)


def row_named(page, name):
    """Return the row of a system by name."""
    return next(row for row in page.compared.table.rows if row.system.name == name)


def key_of(page, name):
    """Return the key of a system by name."""
    return row_named(page, name).system.key


def menu_of(widget):
    """Ask for a widget's context menu; return its entries by text."""
    at = QPoint(20, 20)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)
    menu = QApplication.activePopupWidget()
    entries = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    menu.hide()
    return entries
