"""Where one is among a query's documents: 'Document 9 of 15', and a segment for each."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import scaled
from judgetool.gui.number_text import format_count
from judgetool.gui.painting import draw_tick, draw_track, smooth
from judgetool.gui.panels.counted_label import CountedLabel
from judgetool.gui.widgets.labels import KeyCap
from judgetool.gui.widgets.painted import PaintedWidget, mirrored

_WIDTH, _HEIGHT, _GAP = 224, 4, 3
# More would be thinner than their gaps.
_MOST_SEGMENTS = 32


class FocusPlace(QWidget):
    """At the right end of the focus view's header."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = CountedLabel(self)
        self.segments = Segments(self)
        top = QHBoxLayout()
        top.setSpacing(scaled(6))
        top.addStretch(1)
        top.addWidget(self.label)
        self._caps = {
            name: KeyCap(key, parent=self)
            for name, key in (("judge.previous_document", "K"), ("judge.next_document", "J"))
        }
        for cap in self._caps.values():
            top.addWidget(cap)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(scaled(10))
        column.addLayout(top)
        column.addWidget(self.segments, alignment=Qt.AlignmentFlag.AlignRight)

    def set_keys(self, find_key: Callable[[str], str]) -> None:
        """Print a person's keys, given by the names of actions."""
        for name, cap in self._caps.items():
            cap.set_text(find_key(name))

    def show_place(self, place: int, judged: Sequence[bool]) -> None:
        """Show a place among documents.

        Args:
            place: from 0; -1 for none.
            judged: of each document in order, whether it is.
        """
        number, total = format_count(place + 1), format_count(len(judged))
        self.label.set_text(f"Document {number} of {total}" if judged else "", strong=number)
        self.segments.show_place(place, judged)


class Segments(PaintedWidget):
    """A segment for each document: done, current, still to do; a track where there are many."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = -1
        self._judged: tuple[bool, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_place(self, place: int, judged: Sequence[bool]) -> None:
        """Show a place (from 0) among documents, and which of them are judged."""
        found = tuple(judged)
        if (place, found) != (self._place, self._judged):
            self._place, self._judged = place, found
            self.setAccessibleName(f"{sum(found)} of {len(found)} judged")
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the one size that it has."""
        return QSize(scaled(_WIDTH), scaled(10))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the segments, or the track."""
        painter = QPainter(self)
        count = len(self._judged)
        if count > _MOST_SEGMENTS:
            area = QRectF(self.rect())
            draw_track(painter, area, self.theme, share=sum(self._judged) / count)
            draw_tick(painter, area, self.theme.text, value=(self._place + 0.5) / count)
        elif count:
            self._paint_segments(painter, count)
        painter.end()

    def _paint_segments(self, painter: QPainter, count: int) -> None:
        theme = self.theme
        width = (self.width() - _GAP * (count - 1)) / count
        top = (self.height() - _HEIGHT) / 2
        with smooth(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            for number, is_judged in enumerate(self._judged):
                ink = theme.accent if is_judged else theme.sunken
                painter.setBrush(theme.text if number == self._place else ink)
                place = QRectF(number * (width + _GAP), top, width, _HEIGHT)
                painter.drawRoundedRect(mirrored(self, place), 2, 2)
