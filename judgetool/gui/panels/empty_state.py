"""What stands in a list that has nothing to show: one sentence, one action."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from judgetool.gui.fonts import Role, font


class EmptyState(QWidget):
    """A sentence and, where something can be done, a button."""

    acted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sentence = QLabel(self)
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._sentence.setWordWrap(True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._sentence.setFont(font(Role.UI))
        self._button = QPushButton(self)
        self._button.clicked.connect(self.acted)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 24, 20, 24)
        column.setSpacing(12)
        column.addWidget(self._sentence)
        column.addWidget(self._button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    @property
    def sentence(self) -> str:
        """What is said."""
        return self._sentence.text()

    def set_state(self, sentence: str, action: str = "") -> None:
        """Say another sentence; without an action there is no button."""
        self._sentence.setText(sentence)
        self._button.setText(action)
        self._button.setVisible(bool(action))

    def act(self) -> None:
        """Press the button."""
        self._button.click()
