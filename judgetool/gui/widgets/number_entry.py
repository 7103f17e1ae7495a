"""A field in the grade bar for a grade of a continuous scale: type a number, Enter gives it."""

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from judgetool.core.override import override
from judgetool.core.scale import Scale, format_grade
from judgetool.gui.fonts import scaled

WIDTH = 150


def parse_typed_number(text: str) -> float | None:
    """Return the number that a person typed, decimal comma or point; ``None`` if it is none."""
    try:
        number = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


class NumberEntry(QLineEdit):
    """Digits typed anywhere in the window begin a number here.

    Signals:
        given: a grade of the scale, and whether the document stays (Shift+Enter).
        off_scale: what was typed is no grade; carries a sentence.
        left: Esc was pressed, or a grade was given: the keyboard belongs elsewhere.
    """

    given = Signal(float, bool)
    off_scale = Signal(str)
    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._scale: Scale | None = None
        self._grade: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setMaxLength(24)
        self.setFixedWidth(scaled(WIDTH))

    def set_scale(self, scale: Scale) -> None:
        """Take numbers of another scale."""
        self._scale = scale
        self.setPlaceholderText(f"Type {scale.label}, Enter")
        self.setAccessibleName(f"Grade, a number of {scale.label}")

    def set_given(self, grade: float | None) -> None:
        """Show the grade that the document has, unless something is being typed."""
        self._grade = grade
        if not self.hasFocus():
            self.setText("" if grade is None else format_grade(grade))

    def begin(self, text: str) -> None:
        """Begin a number with its first character."""
        self.setFocus()
        self.setText(text)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give the grade on Enter, leave on Esc."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            stays = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if not event.isAutoRepeat():
                self._give(stays=stays)
        elif event.key() == Qt.Key.Key_Escape:
            self._leave()
        else:
            super().keyPressEvent(event)

    def _give(self, *, stays: bool) -> None:
        number = parse_typed_number(self.text())
        if self._scale is None or number is None or not self._scale.has_grade(number):
            label = self._scale.label if self._scale is not None else ""
            self.off_scale.emit(f"‘{self.text()}’ is not a number of this scale ({label}).")
            self.selectAll()
            return
        self._grade = number
        self._leave()
        self.given.emit(number, stays)

    def _leave(self) -> None:
        self.left.emit()
        self.clearFocus()
        self.set_given(self._grade)
