"""One's own keys: choose an action, press the key; what had it before is named at once."""

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from judgetool.core.scale import Scale
from judgetool.gui.dialogs.act_dialog import ActDialog, Text, field_label
from judgetool.gui.dialogs.framed_list import Framed
from judgetool.gui.dialogs.key_catcher import KeyCatcher
from judgetool.gui.dialogs.keys_rows import KeyList, key_rows
from judgetool.gui.fonts import scaled
from judgetool.gui.keymap import KEY_PRESETS, Keymap, grade_place, native, title_of
from judgetool.gui.widgets.elided_combo import NamedCombo

_REST = "Choose what to change above; Enter, then the key."


class KeysDialog(ActDialog):
    """Changes the keys of a person.

    Args:
        keymap: what holds now.
        scale: the project's, whose grades have keys, too; ``None`` without a project.
        parent: the window it belongs to.
    """

    def __init__(
        self, keymap: Keymap, scale: Scale | None, *, parent: QWidget | None = None
    ) -> None:
        super().__init__("Keys", verb="Use these keys", width=720, parent=parent)
        self._scale = scale
        self._keymap = keymap
        self._wish: tuple[str, str] | None = None
        self._add_top()
        self.list = KeyList(self)
        frame = Framed(self.list.widget)
        frame.setMinimumHeight(scaled(330))
        self.body.addWidget(frame, stretch=1)
        self._add_catcher()
        self._add_clash()
        self.verb.setAutoDefault(False)
        self.verb.setDefault(False)
        self.first = self.list.widget
        self._connect()
        self._show()

    def _add_top(self) -> None:
        self.presets = NamedCombo()
        for preset in KEY_PRESETS.values():
            self.presets.addItem(preset.title, preset.name)
        self.presets.setCurrentIndex(self.presets.findData(self._keymap.preset))
        self.search = QLineEdit()
        self.search.setPlaceholderText("Type to find an action or a key")
        self.search.setAccessibleName("Find an action or a key")
        self.search.setMinimumWidth(scaled(240))
        self.help = Text("", ink="text2")
        line = QHBoxLayout()
        line.addWidget(field_label("&Start from", self.presets))
        line.addWidget(self.presets)
        line.addStretch(1)
        line.addWidget(self.search)
        self.body.addLayout(line)
        self.body.addWidget(self.help)

    def _add_catcher(self) -> None:
        self.catcher = KeyCatcher()
        self.another = QPushButton("Add a second key")
        self.none = QPushButton("No key")
        self.usual = QPushButton("Usual key")
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.catcher, stretch=1)
        for button in (self.another, self.none, self.usual):
            button.setAutoDefault(False)
            line.addWidget(button)
        self.body.addLayout(line)
        self.all_usual = QPushButton("All usual keys")
        self.all_usual.setAutoDefault(False)
        self.add_to_foot(self.all_usual)

    def _add_clash(self) -> None:
        self.clash = Text("", ink="warn")
        self.take = QPushButton("Take it from there")
        self.leave = QPushButton("Leave it there")
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.clash, stretch=1)
        for button in (self.leave, self.take):
            button.setAutoDefault(False)
            line.addWidget(button)
        self.body.addLayout(line)

    def _connect(self) -> None:
        self.presets.activated.connect(self._choose_preset)
        self.search.textChanged.connect(lambda _text: self._show())
        self.list.widget.currentItemChanged.connect(lambda _now, _before: self._show_current())
        self.list.widget.itemActivated.connect(lambda _item: self._begin(is_second=False))
        self.catcher.caught.connect(self._catch)
        self.catcher.left.connect(self.list.widget.setFocus)
        self.another.clicked.connect(lambda: self._begin(is_second=True))
        self.none.clicked.connect(lambda: self._set(()))
        self.usual.clicked.connect(self._reset_one)
        self.all_usual.clicked.connect(self._reset_all)
        self.take.clicked.connect(self._take)
        self.leave.clicked.connect(self._leave)
        self._is_second = False

    # What is shown

    def _show(self) -> None:
        self.help.setText(KEY_PRESETS[self.presets.currentData()].help)
        self.list.show(key_rows(self._keymap, self._scale), self.search.text())
        self._show_current()

    def _show_current(self) -> None:
        name = self.list.current
        self._wish = None
        self._show_clash("")
        title = title_of(name, self._scale) if name else ""
        self.catcher.set_text(f"Press the key for ‘{title}’" if name else _REST)
        self._is_second = False
        is_changed = name in self._keymap.changes
        self.usual.setEnabled(is_changed)
        self.none.setEnabled(bool(name))
        self.another.setEnabled(bool(name) and grade_place(name) is None)
        self.all_usual.setEnabled(bool(self._keymap.changes))

    def _show_clash(self, sentence: str) -> None:
        self.clash.setText(sentence)
        for button in (self.take, self.leave):
            button.setVisible(bool(sentence) and self._wish is not None)

    # What the person does

    def _begin(self, *, is_second: bool) -> None:
        self._is_second = is_second
        self.catcher.setFocus()

    def _catch(self, key: str) -> None:
        """Take the key, or name what has it already."""
        name = self.list.current
        if not name:
            return
        if grade_place(name) is not None and "+" in key.removeprefix("Num+")[:-1]:
            self._wish = None
            self._show_clash("A grade has one key without Ctrl, Alt or Shift; Shift means ‘stay’.")
            return
        found = self._keymap.clashes(name, key, self._scale)
        if not found:
            self._give(name, key)
            return
        self._wish = (name, key)
        holders = " and ".join(f"‘{title_of(each, self._scale)}’" for each in found)
        self._show_clash(f"{native(key)} is the key of {holders}.")
        self.take.setFocus()

    def _give(self, name: str, key: str) -> None:
        before = self._keymap.wished_keys(name, self._scale) if self._is_second else ()
        self._set((*before, key))

    def _set(self, keys: tuple[str, ...]) -> None:
        name = self.list.current
        if name:
            self._keymap = self._keymap.with_keys(name, keys, self._scale)
            self._show()
            self.list.widget.setFocus()

    def _take(self) -> None:
        if self._wish is None:
            return
        name, key = self._wish
        for other in self._keymap.clashes(name, key, self._scale):
            self._keymap = self._keymap.without_key(other, key, self._scale)
        self._give(name, key)

    def _leave(self) -> None:
        self._wish = None
        self._show_clash("")
        self.catcher.setFocus()

    def _reset_one(self) -> None:
        name = self.list.current
        changes = {other: keys for other, keys in self._keymap.changes.items() if other != name}
        self._keymap = Keymap(self._keymap.preset, changes)
        self._show()

    def _reset_all(self) -> None:
        self._keymap = Keymap(self._keymap.preset)
        self._show()

    def _choose_preset(self) -> None:
        self._keymap = Keymap(self.presets.currentData(), self._keymap.changes)
        self._show()

    @property
    def answer(self) -> Keymap:
        """The keys as chosen."""
        return self._keymap

    @classmethod
    def ask(cls, parent: QWidget | None, keymap: Keymap, scale: Scale | None) -> Keymap | None:
        """Let keys be changed; ``None`` when they stay as they are."""
        dialog = cls(keymap, scale, parent=parent)
        return dialog.answer if dialog.is_answered() else None
