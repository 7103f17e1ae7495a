"""A field for a whole number, with the same room before its text as the other fields."""

from PySide6.QtWidgets import QSpinBox, QWidget


class NumberField(QSpinBox):
    """A ``QSpinBox`` whose text does not touch its border.

    A style sheet cannot say so: Qt places the inner field at the very left whatever
    the padding.
    """

    def __init__(self, low: int, high: int, parent: QWidget | None = None) -> None:
        """Make a field for numbers from ``low`` to ``high``."""
        super().__init__(parent)
        self.setRange(low, high)
        self.lineEdit().setTextMargins(7, 0, 0, 0)
