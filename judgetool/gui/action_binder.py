"""From the table of actions to menus, keys and the page of keys."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from judgetool.core.scale import Scale
from judgetool.gui.actions import ACTIONS, COLUMNS, MENUS, ActionSpec
from judgetool.gui.widgets.keys_page import KeyEntry, KeyGroup


class ActionBinder:
    """The window's actions, made from the table and bound to their handlers.

    Args:
        window: gets the actions and their menus; keys work wherever the focus is,
            except in text fields, which keep what is typed.
        handlers: by group, objects whose methods carry the actions' names.
    """

    def __init__(self, window: QMainWindow, handlers: Mapping[str, object]) -> None:
        self._window = window
        self._handlers = handlers
        self.menus: dict[str, QMenu] = {}
        self._actions: dict[str, QAction] = {}
        self._grades: list[QAction] = []
        for title in MENUS:
            self.menus[title] = window.menuBar().addMenu(f"&{title}")
        for spec in ACTIONS:
            self._add(spec)

    def _add(self, spec: ActionSpec) -> None:
        action = QAction(spec.text, self._window)
        action.setObjectName(spec.name)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.setCheckable(spec.is_checkable)
        # A key held down moves on through a list, but never does anything twice.
        action.setAutoRepeat(spec.name in _REPEATING)
        action.triggered.connect(getattr(self._handlers[spec.group], spec.method))
        self._window.addAction(action)
        self._actions[spec.name] = action
        if spec.menu:
            menu = self.menus[spec.menu]
            if spec.starts_group and not menu.isEmpty():
                menu.addSeparator()
            menu.addAction(action)

    def action(self, name: str) -> QAction:
        """Return the action of this name.

        Raises:
            KeyError: the table has none.
        """
        return self._actions[name]

    def bind_grades(self, scale: Scale | None) -> None:
        """Make one action per level, with its key, and with Shift to stay on the document."""
        for action in self._grades:
            self._window.removeAction(action)
            action.deleteLater()
        self._grades = []
        self._free_keys({level.key.upper() for level in scale.levels} if scale else set())
        menu = self.menus["Judge"]
        first = menu.actions()[0] if menu.actions() else None
        for level in scale.levels if scale else ():
            for stays in (False, True):
                action = QAction(f"{level.name}{', stay' if stays else ''}", self._window)
                key = level.key.upper()
                action.setShortcut(QKeySequence(f"Shift+{key}" if stays else key))
                action.setAutoRepeat(False)
                action.triggered.connect(partial(self._give, level.grade, stays))
                self._window.addAction(action)
                self._grades.append(action)
                if not stays:
                    menu.insertAction(first, action) if first else menu.addAction(action)

    def _free_keys(self, taken: set[str]) -> None:
        """Let grades have their keys: an action that has the same one is without it meanwhile."""
        for spec in ACTIONS:
            kept = [QKeySequence(key) for key in spec.keys if key.upper() not in taken]
            self._actions[spec.name].setShortcuts(kept)

    def _give(self, grade: float, stays: bool, _checked: bool = False) -> None:
        give = getattr(self._handlers["judge"], "grade")  # noqa: B009 - bound by name, like the table's
        give(grade, stays=stays)

    def set_enabled(self, *, has_project: bool, can_judge: bool) -> None:
        """Enable what makes sense now."""
        for spec in ACTIONS:
            is_on = (has_project or not spec.needs_project) and (can_judge or not spec.is_judging)
            self._actions[spec.name].setEnabled(is_on)
        for action in self._grades:
            action.setEnabled(can_judge)


_REPEATING = frozenset(
    {"judge.next_document", "judge.previous_document", "edit.undo", "edit.redo", "view.read_on"}
)


def key_groups(scale: Scale | None) -> tuple[KeyGroup, ...]:
    """Return the page of keys, one group for each task."""
    groups = []
    for title in COLUMNS:
        entries = [
            KeyEntry(shown_keys(spec), spec.caption or spec.text.rstrip("…"))
            for spec in ACTIONS
            if spec.column == title and spec.keys
        ]
        if title == "Grade" and scale is not None:
            keys = [level.key.upper() for level in scale.levels]
            span = f"{keys[0]} … {keys[-1]}"
            entries[:0] = [
                KeyEntry(span, "Give that grade, save, move on"),
                KeyEntry(f"Shift+{span}", "Grade and stay"),
            ]
        groups.append(KeyGroup(title, tuple(entries)))
    return tuple(groups)


def shown_keys(spec: ActionSpec) -> str:
    """Return an action's first key as the person's system writes it, such as ``Ctrl+Z``."""
    return QKeySequence(spec.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
