"""Goes about in a window at random, as who tries it out would: for ``gui/words``.

    python -m tests.gui.wandered [--seed N] [--steps N] [--scene awkward] [--hurries]

Keys, actions and controls follow one another as dice say, whatever comes up is answered or put
off, and after each what is said and kept is looked at. The same seed goes the same way, but for
who hurries: then the next comes while what was begun is still worked out. Run alone
it prints where it went, and what went wrong on the way.
"""

import argparse
import random
from functools import partial
from unittest.mock import patch

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QColorDialog, QDialog, QMenu, QPushButton, QWidget
from shiboken6 import isValid

from judgetool.gui.actions import ACTIONS, Mode
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.work_dialog import WorkDialog
from judgetool.gui.main_window import MainWindow
from tests.gui.looks import Agreeing, Look, is_quiet, look_at, print_lines, wait_until
from tests.gui.worked import acts_of, controls_of, has_looked

STEPS = 500
_KEYS = "01230123012301230123jjjjkknnxsfe[]tuywpmoacvrdih.,=/"
_NAMED = (Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Space, Qt.Key.Key_Down)
_NAMED += (Qt.Key.Key_Up, Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Home, Qt.Key.Key_End)
_MOST_ACTS = 6
_TURNS = 20
_PAUSES_MS = (0, 0, 0, 0, 5, 20, 60)
_RESTS = 0.04
"""Of so many steps in a hurry one waits for the end of what was begun."""
_LEFT_OUT = {
    *("project.new", "project.open", "project.sample", "project.sample_afresh", "project.close"),
    *("project.quit", "view.float_live", "view.float_queries", "help.report", "view.follow_system"),
    *("repair.check", "repair.restore", "repair.recover", "project.safety", "edit.history"),
    "queue.statistics",
}
"""What leads away from the project, or tells the time, folders or the system."""


class _Wanderer:
    """Goes about in a window, and looks after each step."""

    def __init__(self, window: MainWindow, look: Look, seed: int, *, hurries: bool) -> None:
        self._window = window
        self._look = look
        self._hurries = hurries
        self._dice = random.Random(seed)
        self._depth = 0
        left_out = ("help.", "hub.")
        names = [spec.name for spec in ACTIONS if spec.name not in _LEFT_OUT]
        self._names = [name for name in names if not name.startswith(left_out)]

    def step(self) -> str:
        """Do something; return what it was."""
        chance = self._dice.random()
        if chance < 0.08:
            mode = self._dice.choice([*Mode])
            self._window.views.show(mode)
            return f"to {mode}"
        if chance < 0.55:
            return self._press(self._window)
        if chance < 0.8:
            actions = [self._window.actions_by_name.action(name) for name in self._names]
            action = self._dice.choice([each for each in actions if each.isEnabled()])
            name = action.objectName()
            action.trigger()
            return name
        return self._act_on(self._window)

    def _press(self, shown: QWidget) -> str:
        here = QApplication.focusWidget()
        if here is None or here.window() is not shown.window():
            here = shown
        if self._dice.random() < 0.7:
            key = self._dice.choice(_KEYS)
            QTest.keyClick(here, key)
            return f"key {key}"
        named = self._dice.choice(_NAMED)
        QTest.keyClick(here, named)
        return named.name

    def _act_on(self, shown: QWidget) -> str:
        found = [(told, [*acts_of(control)]) for control, told in controls_of(shown)]
        found = [(told, acts) for told, acts in found if acts]
        if not found:
            return "nothing"
        told, acts = self._dice.choice(found)
        name, do = self._dice.choice(acts)
        do()
        return f"{told} {name}"

    def wait(self) -> None:
        """Wait for what is worked out, or hardly."""
        if self._hurries and self._dice.random() >= _RESTS:
            _turn(self._dice.choice(_PAUSES_MS))
            return
        wait_until(lambda: is_quiet(self._window) and has_looked())

    def meet(self, dialog: QDialog) -> int:
        """Do this and that in a dialog that came up, then take it or put it off."""
        dialog.show()
        dialog.activateWindow()
        wait_until(lambda: not isValid(dialog) or dialog.isActiveWindow())
        if not isValid(dialog):
            return 0
        self._depth += 1
        name = dialog.windowTitle()
        for _ in range(self._dice.randrange(_MOST_ACTS) if self._depth == 1 else 0):
            self.wait()
            if not isValid(dialog) or not dialog.isVisible():
                break
            self._look(
                f"{name}: {self._act_on(dialog)}", dialog if isValid(dialog) else self._window
            )
        self._depth -= 1
        self.wait()
        if isValid(dialog) and dialog.isVisible() and self._dice.random() < 0.6:
            for button in dialog.findChildren(QPushButton):
                if isValid(button) and button.isDefault() and button.isEnabled():
                    button.click()
                    self.wait()
                    break
        is_taken = isValid(dialog) and dialog.result() == QDialog.DialogCode.Accepted
        if isValid(dialog) and dialog.isVisible():
            dialog.reject()
        return int(is_taken)

    def answer(self, dialog: WorkDialog) -> str | None:
        """Meet a dialog that works itself; return what it says at its end."""
        self.meet(dialog)
        return dialog.answer

    def go(self, steps: int) -> None:
        """Go so many steps."""
        for number in range(steps):
            done = self.step()
            for shown in QApplication.topLevelWidgets():
                if isValid(shown) and isinstance(shown, ActDialog) and shown.isVisible():
                    self.meet(shown)
            self.wait()
            prompter = self._window.prompter
            self._window.setWhatsThis(f"{prompter.asked} {prompter.told}")
            prompter.asked.clear()
            prompter.told.clear()
            self._look(f"{number} {done}", self._window)


def is_painted_anew(shown: QWidget) -> bool:
    """Return whether the main window on the screen is soon as it would be painted now, and not of before."""
    # Dialogs are laid out anew as their picture is taken.
    return not isinstance(shown, MainWindow) or any(_is_as_seen(shown) for _ in range(_TURNS))


def _turn(ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def _is_as_seen(window: MainWindow) -> bool:
    _turn(0)
    QApplication.sendPostedEvents()
    seen = QGuiApplication.primaryScreen().grabWindow(window.winId()).toImage()
    return window.grab().toImage().convertToFormat(seen.format()) == seen


def wander(
    window: MainWindow, look: Look, *, seed: int = 1, steps: int = STEPS, hurries: bool = False
) -> None:
    """Go about in a window."""
    window.prompter = Agreeing()
    wanderer = _Wanderer(window, look, seed, hurries=hurries)
    with (
        # Only a function of a class is bound to whose it is.
        patch.object(QDialog, "exec", lambda dialog: wanderer.meet(dialog)),  # noqa: PLW0108
        patch.object(QDesktopServices, "openUrl"),
        patch.object(
            WorkDialog, "wait_for_answer", lambda dialog, _window: wanderer.answer(dialog)
        ),
        patch.object(QColorDialog, "getColor", lambda *_, **__: QColor("teal")),
        patch.object(QMenu, "exec", lambda *_: None),
        patch.object(QMenu, "popup", lambda *_: None),
    ):
        wanderer.go(steps)
    # Here it would outlive Python, of which it is.
    QApplication.clipboard().clear()


def _told(scene: str, seed: int, steps: int, *, hurries: bool) -> list[str]:
    lines: list[str] = []
    show = partial(wander, seed=seed, steps=steps, hurries=hurries)
    look_at(scene, lambda name, _shown: (lines.append(name), print(name, flush=True)), show=show)
    return []


def main() -> None:
    """Go, and print where."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--scene", default="wandered")
    parser.add_argument("--hurries", action="store_true")
    given = parser.parse_args()
    told = partial(_told, given.scene, given.seed, given.steps, hurries=given.hurries)
    print_lines(told)


if __name__ == "__main__":
    main()
