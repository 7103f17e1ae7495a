"""Works everything that can be worked, in each view and each dialog, as hands would: for ``gui/words``.

What a control does is looked at after each thing that can be done to it; what it leads to is
looked at, too, and put off. A dialog is worked through, then taken with its default answer,
and what that did is taken back, so that the next begins where this one began.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from unittest.mock import patch

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QColorDialog,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QToolBar,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.work_dialog import WorkDialog
from judgetool.gui.error_report import ErrorReport
from judgetool.gui.main_window import MainWindow
from judgetool.storage.judgments import StepRow
from tests.gui.everywhere import asking, built, each_part
from tests.gui.looks import Agreeing, Look, is_quiet, is_tip, wait_until

_WRITTEN = "2 fox"
_MOST_STEPS_BACK = 8
Act = tuple[str, Callable[[], object]]


def _keys(widget: QWidget, *keys: Qt.Key) -> Iterator[Act]:
    for key in keys:
        yield key.name, lambda key=key: QTest.keyClick(widget, key)


def acts_of(widget: QWidget) -> Iterator[Act]:
    """Yield what hands can do to a control, that leaves it more or less as it was."""
    key = Qt.Key
    if isinstance(widget, QComboBox):
        yield from _keys(widget, key.Key_Down, key.Key_End, key.Key_Home)
    elif isinstance(widget, QAbstractSpinBox | QAbstractSlider):
        yield from _keys(widget, key.Key_Up, key.Key_Down, key.Key_Down)
    elif isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit):
        yield from _written(widget)
    elif isinstance(widget, QTabBar):
        yield from _keys(widget, *[key.Key_Right] * widget.count())
    elif isinstance(widget, QAbstractItemView):
        yield from _keys(widget, key.Key_Down, key.Key_Space, key.Key_End, key.Key_Up, key.Key_Home)
        yield "clicked", lambda: _click_row(widget, QTest.mouseClick)
        yield "clicked twice", lambda: _click_row(widget, QTest.mouseDClick)
        yield "menu", lambda: _ask_for_menu(widget)
    elif isinstance(widget, QPushButton | QToolButton) and widget.menu() is not None:
        yield from _entries(widget.menu())
    elif isinstance(widget, QAbstractButton):
        yield from [("click", widget.click)] * (2 if widget.isCheckable() else 1)
    elif widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield from _keys(
            widget, key.Key_Right, key.Key_Down, key.Key_Space, key.Key_End, key.Key_Home
        )
        yield "menu", lambda: _ask_for_menu(widget)


def _written(field: QLineEdit | QPlainTextEdit | QTextEdit) -> Iterator[Act]:
    if field.isReadOnly():
        return
    is_line = isinstance(field, QLineEdit)
    text = field.text() if is_line else field.toPlainText()
    yield "written", lambda: (field.selectAll(), QTest.keyClicks(field, _WRITTEN))
    yield "empty", lambda: (field.selectAll(), QTest.keyClick(field, Qt.Key.Key_Delete))
    yield "as before", lambda: field.setText(text) if is_line else field.setPlainText(text)


def _entries(menu: QMenu) -> Iterator[Act]:
    menu.aboutToShow.emit()
    for entry in menu.actions():
        if not entry.isSeparator() and entry.isEnabled() and entry.menu() is None:
            yield entry.text(), entry.trigger


def _click_row(view: QAbstractItemView, click: Callable[..., None]) -> None:
    place = view.visualRect(view.model().index(1, 0)).center()
    click(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def _ask_for_menu(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.RightButton, pos=QPoint(20, 12))
    QTest.keyClick(widget, Qt.Key.Key_Menu)


def _ends(button: QPushButton) -> bool:
    is_of_box = isinstance(button.parentWidget(), QDialogButtonBox)
    return is_of_box or button.isDefault() or button.text().startswith(("Cancel", "Close"))


def controls_of(shown: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Yield what can be worked, each with what it is called: alike ones are told apart by their number."""
    numbers = Counter[str]()
    for each in shown.findChildren(QWidget):
        is_open = each.isVisibleTo(shown) and each.isEnabled() and each.window() is shown.window()
        # What ends a dialog is pressed at last.
        is_end = isinstance(each, QPushButton) and _ends(each)
        # Names in blind mode are another in each project.
        is_end |= each.accessibleName().startswith("Blind mode")
        if not is_open or is_tip(each) or is_end or isinstance(each, QScrollBar | QToolBar):
            continue
        kind = next(kind.__name__ for kind in type(each).mro() if "PySide6" in kind.__module__)
        text = each.text() if isinstance(each, QAbstractButton) else ""
        name = re.sub(r"\d+", "#", f"{kind} {each.accessibleName() or text}").strip()
        numbers[name] += 1
        yield each, name if numbers[name] == 1 else f"{name} ({numbers[name]})"


def has_looked() -> bool:
    """Return whether nothing says that it is still looked for."""
    labels = (each for each in QApplication.allWidgets() if isinstance(each, QLabel))
    return not any(each.text() == "Looking…" for each in labels)


class _Hands:
    """Hands at work in a window: what they do is looked at, what comes up by it is put off."""

    def __init__(self, window: MainWindow, look: Look) -> None:
        self._window = window
        self._look = look
        self._depth = 0

    def work(self, name: str, shown: QWidget, done: set[str]) -> None:
        """Do all that can be done to each control of something that is shown, but for those done."""
        mode = self._window.views.mode
        while isValid(shown) and shown.isVisible():
            control, told = next(
                (each for each in controls_of(shown) if each[1] not in done), (None, "")
            )
            if control is None:
                return
            done.add(told)
            for act, do in [*acts_of(control)]:
                if (
                    not isValid(control)
                    or not control.isVisibleTo(shown)
                    or not control.isEnabled()
                ):
                    break
                control.setFocus(Qt.FocusReason.TabFocusReason)
                do()
                self._wait()
                here = shown if isValid(shown) and shown.isVisible() else self._window
                self._look(f"{name}: {told} {act}", here)
                self._go_back(mode)

    def _wait(self) -> None:
        wait_until(lambda: is_quiet(self._window) and has_looked())

    def _go_back(self, mode: Mode) -> None:
        """Go back to a view where an act has led away from it."""
        self._window.overlay.close()
        if self._window.views.mode is not mode:
            self._window.views.show(mode)
            self._wait()

    def take_back(self, before: StepRow | None) -> None:
        """Undo what has been done since a step, and look after each."""
        for _ in range(_MOST_STEPS_BACK):
            if self._window.session.undo_step == before:
                return
            self._window.actions_by_name.action("edit.undo").trigger()
            self._wait()
            self._look("undone", self._window)

    def take(self, dialog: QDialog) -> int:
        """Work a dialog that came up, then take it; one that came up by that is looked at alone."""
        dialog.show()
        dialog.activateWindow()
        wait_until(lambda: not isValid(dialog) or dialog.isActiveWindow())
        self._wait()
        if not isValid(dialog):
            return 0
        name = dialog.windowTitle()
        self._look(name, dialog)
        if self._depth:
            dialog.reject()
            return 0
        self._depth += 1
        self.work(name, dialog, set())
        self._depth -= 1
        if isValid(dialog) and dialog.isVisible():
            ends = dialog.findChildren(QPushButton)
            for button in [each for each in ends if each.isDefault() and each.isEnabled()][:1]:
                button.click()
                self._wait()
        is_taken = isValid(dialog) and dialog.result() == QDialog.DialogCode.Accepted
        if isValid(dialog) and dialog.isVisible():
            self._look(f"{name} not taken", dialog)
            dialog.reject()
        return int(is_taken)

    def answer(self, dialog: WorkDialog) -> str | None:
        """Work a dialog that works itself; returns what it says at its end."""
        self.take(dialog)
        return dialog.answer


def show_dialogs_worked(window: MainWindow, look: Look) -> None:
    """Work each dialog."""
    window.prompter = Agreeing()
    hands = _Hands(window, look)
    with (
        # Only a function of a class is bound to whose it is.
        patch.object(QDialog, "exec", lambda dialog: hands.take(dialog)),  # noqa: PLW0108
        patch.object(QDesktopServices, "openUrl"),
        patch.object(WorkDialog, "wait_for_answer", lambda dialog, _window: hands.answer(dialog)),
        patch.object(QColorDialog, "getColor", lambda *_, **__: QColor("teal")),
    ):
        for name, action in asking(window, wait_until, is_bare=False):
            # One leads to another project, one copies what system this is.
            if name in {"project.new", "help.report"}:
                continue
            before = window.session.undo_step
            action.trigger()
            for shown in QApplication.topLevelWidgets():
                if isValid(shown) and isinstance(shown, ActDialog) and shown.isVisible():
                    hands.take(shown)
            wait_until(lambda: is_quiet(window))
            window.setWhatsThis(f"{window.prompter.asked} {window.prompter.told}")
            look(f"after {name}", window)
            hands.take_back(before)
        for dialog in built(window):
            if not isinstance(dialog, ErrorReport):
                hands.take(dialog)
                look(f"after {type(dialog).__name__}", window)


def show_views_worked(window: MainWindow, look: Look) -> None:
    """Work each view, in each of its parts."""
    window.prompter = Agreeing()
    hands = _Hands(window, look)
    with (
        patch.object(QDialog, "exec", lambda _dialog: 0),
        patch.object(QDesktopServices, "openUrl"),
        patch.object(QMenu, "exec", lambda *_: None),
        patch.object(QMenu, "popup", lambda *_: None),
    ):
        done = defaultdict[str, set[str]](set)
        for title in each_part(window, wait_until):
            wait_until(lambda: is_quiet(window))
            hands.work(title, window, done[title.partition(" ")[0]])
