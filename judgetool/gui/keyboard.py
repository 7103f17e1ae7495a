"""Where a person's keys are shown: page of keys, grade bar, top line; and the row of digits."""

from PySide6.QtCore import QObject

from judgetool.gui.keymap import KEY_PRESETS, Keymap
from judgetool.gui.modes import Mode
from judgetool.gui.widgets.buttons import BlindButton
from judgetool.gui.window import AppWindow

_REMARK = "Keys never fire while you type in a field.   The row of digits works without Shift."


class Keyboard(QObject):
    """Keeps what shows keys in step with the person's keys.

    Args:
        window: the main window, its actions made.
        blind: the switch of blind mode.
    """

    def __init__(self, window: AppWindow, blind: BlindButton) -> None:
        super().__init__(window.widget)
        self._binder = window.actions_by_name
        self._overlay = window.overlay
        self._bar = window.workspace.grade_bar
        self._blind = blind
        self._mode = Mode.LIST
        self._window = window
        window.key_watch.take_digit = self._take_digit
        self._overlay.preset_chosen.connect(self._choose_preset)
        self._overlay.change_requested.connect(self._change)
        self._binder.keys_changed.connect(self._show)

    def _choose_preset(self, name: str) -> None:
        self._window.change_settings(key_preset=name)
        self._binder.set_keymap(Keymap(name, self._binder.keymap.changes))

    def _change(self) -> None:
        self._overlay.close()
        self._binder.action("help.change_keys").trigger()

    def _take_digit(self, key: str) -> bool:
        action = self._binder.find_by_key(key)
        if action is not None:
            action.trigger()
        return action is not None

    def show_keys(self, mode: Mode) -> None:
        """Show the keys of a view; those of other views are dimmed."""
        self._mode = mode
        self._show()

    def _show(self) -> None:
        shown = self._binder.shown_key
        titles = {name: preset.title for name, preset in KEY_PRESETS.items()}
        self._overlay.set_presets(titles, self._binder.keymap.preset)
        self._overlay.set_groups(self._binder.key_groups(self._mode), remark=_REMARK)
        self._blind.set_key(shown("flow.blind"))
        self._window.workspace.set_keys(shown)
        self._bar.set_keymap(
            self._binder.keymap,
            {
                "cannot_judge": shown("judge.cannot"),
                "skip": shown("judge.skip"),
                "flag": shown("judge.flag"),
                "note": shown("judge.note"),
            },
        )
