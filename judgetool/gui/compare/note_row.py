"""The line under the table: how p came about, or how far its computing is."""

from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.compare.table_delegate import draw_diamond
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import LEFT, draw_bar, draw_line, draw_text
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import PaintedWidget

_HEIGHT = 30
_DIFFERS = "differs from the baseline"
_PARTS = "certain, possible, now"


class NoteRow(PaintedWidget):
    """Says test, draws, seed and correction; while they are computed 'n of m' and Cancel.

    Signals:
        cancel_wanted: the computing is to stop.
        compute_wanted: it is to begin again.
    """

    cancel_wanted = Signal()
    compute_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.note = ElidedLabel("", role=Role.META, ink="text2")
        self.button = QPushButton("Cancel")
        self.button.setFlat(True)
        self.button.setAutoDefault(False)
        self.button.setVisible(False)
        self._is_busy = False
        self._row = QHBoxLayout(self)
        self._row.setSpacing(8)
        self._row.addWidget(self.note, stretch=1)
        self._row.addWidget(self.button)
        self.button.clicked.connect(self._on_button)
        self.relayout()

    @override
    def relayout(self) -> None:
        """Leave room for the signs at both ends."""
        left = scaled(34) + text_width(Role.META, _DIFFERS) + scaled(24)
        right = scaled(30) + scaled(52) + text_width(Role.META, _PARTS)
        self._row.setContentsMargins(left, 0, right, 1)
        super().relayout()

    def _on_button(self) -> None:
        if self._is_busy:
            self.cancel_wanted.emit()
        else:
            self.compute_wanted.emit()

    def show_note(self, text: str) -> None:
        """Say how the figures came about."""
        self._is_busy = False
        self.note.set_text(text)
        self.button.setVisible(False)

    def show_progress(self, done: int, total: int) -> None:
        """Say how far the computing is."""
        self._is_busy = True
        of = f": {format_count(done)} of {format_count(total)}" if total else "…"
        self.note.set_text(f"Computing intervals and significance{of}")
        self.button.setText("Cancel")
        self.button.setVisible(True)

    def show_stopped(self, text: str) -> None:
        """Say that the computing was stopped, and offer to begin again."""
        self._is_busy = False
        self.note.set_text(text)
        self.button.setText("Compute")
        self.button.setVisible(True)

    @override
    def sizeHint(self) -> QSize:
        """Return the height of a line with a button."""
        return QSize(400, scaled(_HEIGHT))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the signs and what they mean."""
        painter = QPainter(self)
        theme, height = self.theme, self.height()
        painter.fillRect(self.rect(), theme.base)
        draw_line(painter, QRectF(self.rect()), theme.line)
        draw_diamond(painter, QPointF(scaled(20), height / 2), theme.text)
        place = QRectF(scaled(34), 0, text_width(Role.META, _DIFFERS) + 2, height)
        draw_text(painter, place, _DIFFERS, role=Role.META, colour=theme.text2, align=LEFT)
        width = text_width(Role.META, _PARTS) + 2.0
        words = QRectF(self.width() - scaled(16) - width, 0, width, height)
        draw_text(painter, words, _PARTS, role=Role.META, colour=theme.text2, align=LEFT)
        bar = QRectF(words.left() - scaled(52), height / 2 - 5, scaled(42), 10)
        draw_bar(painter, bar, theme, value=0.62, low=0.4, high=0.9)
        painter.end()
