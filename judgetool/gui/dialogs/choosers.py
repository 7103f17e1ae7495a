"""Lists to choose from under each other, as they are asked for."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from judgetool.gui.dialogs.act_dialog import combo, grid_of
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.gui.widgets.labels import ElidedLabel, Text
from judgetool.gui.widgets.painted import clear_layout


class Chooser(NamedTuple):
    """A list to choose from, asked for by its words.

    Attributes:
        key: what it is known by.
        text: what is asked.
        options: what is shown and what it stands for.
        current: what the one chosen now stands for.
        name: for readers.
        is_open: whether nobody has answered yet.
    """

    key: Any
    text: str
    options: Sequence[tuple[str, object]]
    current: object
    name: str
    is_open: bool = False


class Choosers(QWidget):
    """Lists to choose from under each other, as they are asked for; hidden without any.

    Args:
        choose: gets a key, and what the person chooses.
        is_beside: whether a list stands beside its words or under them.
        width: of the lists, in px at a 13 px font; 0 for what they need.

    Attributes:
        fields: by their keys.
    """

    def __init__(
        self, choose: Callable[[Any, Any], object], *, is_beside: bool = True, width: int = 0
    ) -> None:
        super().__init__()
        self._choose, self._is_beside, self._width = choose, is_beside, width
        self._asked: list[Chooser] = []
        self.fields: dict[Any, NamedCombo] = {}
        self._grid = grid_of(10, 4, {2: 1})
        self._grid.setContentsMargins(0, 0, 0, 0)
        self.setLayout(self._grid)
        self.hide()

    def ask(self, asked: Iterable[Chooser]) -> None:
        """Ask for others; where they are the same as before, nothing changes."""
        before, self._asked = self._asked, list(asked)
        if self._asked == before:
            return
        held = next((key for key, field in self.fields.items() if field.hasFocus()), None)
        clear_layout(self._grid)
        self.fields = {}
        stop = _stop_before(self)
        for row, each in enumerate(self._asked):
            choose = partial(self._choose, each.key)
            field = combo(each.options, each.current, name=each.name, choose=choose)
            if self._width:
                field.setFixedWidth(scaled(self._width))
            self.fields[each.key] = field
            role = Role.UI_STRONG if each.is_open else Role.UI
            if self._is_beside:
                self._grid.addWidget(ElidedLabel(each.text, role=role), row, 0)
                self._grid.addWidget(field, row, 1)
            else:
                self._grid.addWidget(Text(each.text, role=role), 2 * row, 0, 1, 3)
                self._grid.addWidget(field, 2 * row + 1, 0)
            # Where they are seen, not behind all that was there before.
            QWidget.setTabOrder(stop, field)
            stop = field
        self.setVisible(bool(self._asked))
        if held in self.fields:
            # Who chooses by arrows goes on choosing here, and changes nothing else.
            self.fields[held].show()
            self.fields[held].setFocus()


def _stop_before(widget: QWidget) -> QWidget:
    """Return what Tab stops at before a widget; the widget itself where nothing is."""
    before: QWidget | None = widget.previousInFocusChain()
    while before not in (widget, None) and not before.focusPolicy() & Qt.FocusPolicy.TabFocus:
        before = before.previousInFocusChain()
    return before or widget
