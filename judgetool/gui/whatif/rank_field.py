"""The small field that asks for a rank, over the card that is to go there."""

from PySide6.QtCore import QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled
from judgetool.gui.painting import draw_frame
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import PaintedWidget


class RankField(PaintedWidget):
    """Asks for a rank; Enter takes it, Esc or a click elsewhere leaves everything as it is.

    Signals:
        given: a rank from 1.
        left: the field was closed without a rank.
    """

    given = Signal(int)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._over = parent
        self._label = ElidedLabel("", role=Role.META, ink="text2")
        self.field = _Digits(self)
        self.field.setMaxLength(6)
        self.field.setFixedWidth(scaled(70))
        self.field.setAccessibleName("Rank")
        row = QHBoxLayout(self)
        row.setContentsMargins(scaled(10), scaled(6), scaled(8), scaled(6))
        row.addWidget(self._label)
        row.addWidget(self.field)
        self.field.returnPressed.connect(self._give)
        self.field.escaped.connect(self.close_field)
        self.hide()

    def ask(self, label: str, at: QPoint, *, most: int) -> None:
        """Open over a place of the parent.

        Args:
            label: what the rank is for.
            at: top left corner.
            most: the highest rank.
        """
        self._label.set_text(f"{label} (1 to {most})")
        self.field.clear()
        self.adjustSize()
        room = self._over.rect()
        self.move(
            min(at.x(), room.right() - self.width()), min(at.y(), room.bottom() - self.height())
        )
        self.show()
        self.raise_()
        self.field.setFocus()

    def close_field(self) -> None:
        """Close without a rank."""
        if self.isVisible():
            self.hide()
            self.left.emit()

    def _give(self) -> None:
        text = self.field.text().strip()
        if text.isdecimal() and int(text) >= 1:
            self.hide()
            self.given.emit(int(text))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the raised ground."""
        painter = QPainter(self)
        theme = self.theme
        draw_frame(
            painter, QRectF(self.rect()), radius=6, border=theme.line_strong, ground=theme.raised
        )
        painter.end()


class _Digits(QLineEdit):
    escaped = Signal()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        super().keyPressEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self.escaped.emit()
