"""The row that finds words in the document, in the place of the document's tools."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget

from judgetool.core.override import override
from judgetool.gui.icons import icon_size, themed_icon
from judgetool.gui.number_text import format_count
from judgetool.gui.panels.result_tools import ToolRow
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import ElidedLabel


class FindRow(ToolRow):
    """A field, 'n of m', and buttons for previous, next and close.

    Signals:
        typed: the text to find.
        stepped: +1 or -1.
        closed: Esc or the close button was pressed.
    """

    typed = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = _FindField(self)
        self.field.setPlaceholderText("Find in document")
        self.field.setAccessibleName("Find in document")
        self.field.textChanged.connect(self.typed)
        self.field.stepped.connect(self.stepped)
        self.field.left.connect(self.closed)
        self._count = ElidedLabel("", ink="text3", parent=self)
        self._buttons = {
            "chevron-up": tool_button("Previous match (Shift+Enter)", self),
            "chevron-down": tool_button("Next match (Enter)", self),
            "x": tool_button("Close (Esc)", self),
        }
        steps = (lambda: self.stepped.emit(-1), lambda: self.stepped.emit(1), self.closed.emit)
        for button, act in zip(self._buttons.values(), steps, strict=True):
            button.clicked.connect(act)
        self.row.setSpacing(4)
        self.row.addWidget(self.field, stretch=1)
        self.row.addWidget(self._count)
        for button in self._buttons.values():
            self.row.addWidget(button)
        self._paint_icons()

    def open(self) -> None:
        """Put the keyboard into the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    @property
    def count_text(self) -> str:
        """What is said of the matches."""
        return self._count.text

    def set_count(self, number: int, total: int) -> None:
        """Say which match is current (from 0, -1 for none) of how many."""
        if not self.field.text():
            self._count.set_text("")
        elif total:
            self._count.set_text(f"{format_count(number + 1)} of {format_count(total)}")
        else:
            self._count.set_text("not found")

    def _paint_icons(self) -> None:
        for name, button in self._buttons.items():
            button.setIcon(themed_icon(name, current_theme()))

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        if event.type() is QEvent.Type.PaletteChange:
            self._paint_icons()
        super().changeEvent(event)


class _FindField(QLineEdit):
    """Enter and Shift+Enter step, Esc leaves."""

    stepped = Signal(int)
    left = Signal()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.stepped.emit(-1 if is_back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


def tool_button(name: str, parent: QWidget) -> QToolButton:
    """Return an icon-only button of 26 by 26 px with a tooltip and an accessible name.

    A click does not take the keyboard from the list that has it.
    """
    button = QToolButton(parent)
    button.setFixedSize(26, 26)
    button.setIconSize(icon_size())
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
