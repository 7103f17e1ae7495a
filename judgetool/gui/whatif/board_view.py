"""The what-if board as it is shown: what stands where, which card is current."""

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, font, scaled
from judgetool.gui.panels.result_list import TickScrollBar
from judgetool.gui.theme import current_theme
from judgetool.gui.whatif.board_head import BoardHead
from judgetool.gui.whatif.board_paint import BoardPainter
from judgetool.gui.whatif.carry import Carry
from judgetool.gui.whatif.desk import Desk

_EDGE = 40
_FASTEST = 26
_TICK_MS = 16
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_LIFT = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class BoardView(QAbstractScrollArea):
    """Two orders side by side, scrolled together.

    Signals:
        current_changed: another document is current.

    Attributes:
        scene: what is painted.
        head: the names above; the page places it.
    """

    current_changed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.scene = BoardPainter(desk)
        self.head = BoardHead(self.scene, parent)
        self._pressed: tuple[int, QPointF] | None = None
        self._query: int | None = None
        self._last_row = 0
        self._empty = ""
        self.bar = TickScrollBar(self)
        self.setVerticalScrollBar(self.bar)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("What-if ranking")
        self.setMinimumSize(scaled(420), scaled(160))

    def forget_carry(self) -> None:
        """Let go of what is in the hand, and say nothing of it."""
        self._pressed = None
        if self.scene.carry is not None:
            self.scene.carry = None
            self.viewport().unsetCursor()

    # What the page says

    def show_orders(self) -> None:
        """Show what the desk has now; the current document stays current if it is there."""
        self.forget_carry()
        orders = self._desk.orders
        is_other = self._desk.query != self._query
        self._query = self._desk.query
        if is_other:
            self.scene.show_query()
        self.scene.set_width(self.viewport().width(), current_theme())
        self.scene.set_compared()
        self.scene.set_order(orders.order)
        if is_other or self.scene.row_of(self.scene.current) < 0:
            row = 0 if is_other else min(self._last_row, len(orders.order) - 1)
            self.scene.current = self.scene.document_at(max(0, row))
        self._empty = self._why_empty()
        self._fit_bar()
        if is_other:
            self.bar.setValue(0)
        self._last_row = self.scene.row_of(self.scene.current)
        self._describe()
        self.viewport().update()
        self.head.update()

    def _why_empty(self) -> str:
        if self._desk.problem:
            return self._desk.problem
        if self._desk.session is None:
            return ""
        if self._desk.query is None:
            has_none = not self._desk.session.material.queries
            return "This project has no queries yet. Project ▸ Import… reads some." * has_none
        if not self._desk.orders.order and not self._desk.orders.gone:
            name = self._desk.source_name
            if not name:
                return "A what-if reorders a run, and this project has none. Project ▸ Import… reads one."
            return f"{name} has no documents for this query. ‘Insert…’ puts some in."
        return ""

    def set_cutoffs(self, cutoffs: tuple[int, ...]) -> None:
        """Draw a line where measures cut."""
        self.scene.cutoffs = cutoffs
        self.viewport().update()

    def _fit_bar(self) -> None:
        rows, height = self.scene.rows, self.viewport().height()
        self.bar.setRange(0, max(0, rows.total - height))
        self.bar.setPageStep(height)
        self.bar.setSingleStep(rows.height // 2)
        marks = self._desk
        order = self.scene.order
        if self.scene.carry is None:
            places = [p for p, each in enumerate(order) if marks.counted_grade(each) is None]
            self.bar.set_ticks(places, count=len(order) if self.bar.maximum() else 0)

    # The current document

    @property
    def current(self) -> int | None:
        """The current document, or ``None``."""
        return self.scene.current

    @property
    def carry(self) -> Carry | None:
        """The card in the hand, or ``None``."""
        return self.scene.carry

    def set_current(self, document: int | None, *, brings_into_view: bool = True) -> None:
        """Make a document current."""
        self.scene.current = document
        self._last_row = self.scene.row_of(document)
        if brings_into_view:
            self.bring_into_view(self._last_row)
        self._describe()
        self.viewport().update()
        self.current_changed.emit()

    def bring_into_view(self, row: int) -> None:
        """Scroll so far that a row is seen whole."""
        if row < 0:
            return
        rows, height = self.scene.rows, self.viewport().height()
        top = rows.top(row)
        if top < self.bar.value():
            self.bar.setValue(top)
        elif top + rows.height > self.bar.value() + height:
            self.bar.setValue(top + rows.height - height)

    def _move_current(self, by: int) -> None:
        row = self.scene.row_of(self.scene.current) + by
        row = min(max(row, 0), self.scene.rows.n_rows - 1)
        if row >= 0:
            self.set_current(self.scene.document_at(row))

    def _describe(self) -> None:
        document = self.scene.carry.document if self.scene.carry else self.scene.current
        if document is None:
            self.setAccessibleDescription(self._empty)
            return
        facts = self.scene.facts(document)
        rank = "taken out" if facts.rank is None else f"rank {facts.rank}"
        grade = facts.mark.grade if facts.assumed is None else facts.assumed
        parts = [
            "in the hand" if self.scene.carry else "",
            rank,
            f"was {facts.was}" if facts.was and facts.was != facts.rank else "",
            self._desk.title(document),
            "not judged" if grade is None else f"grade {grade:g}",
            "assumed" if facts.assumed is not None else "",
            "pinned" if facts.is_pinned else "",
        ]
        self.setAccessibleDescription(", ".join(part for part in parts if part))

    def _rect(self, row: int) -> QRect:
        return self.scene.card_rect(row, self.bar.value())

    def row_middle(self, row: int) -> QPoint:
        """Return the middle of a card in the view, where a pointer would take it."""
        return self._rect(row).center()

    # Qt

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that are seen."""
        painter = QPainter(self.viewport())
        theme = current_theme()
        self.scene.paint(painter, event.rect(), theme, scroll=self.bar.value())
        if self._empty:
            room = QRectF(self.viewport().rect())
            room.setLeft(float(self.scene.columns.cards))
            room = room.adjusted(scaled(16), scaled(24), -scaled(16), 0)
            painter.setFont(font(Role.UI))
            painter.setPen(theme.text2)
            wraps = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter
            painter.drawText(room, int(wraps), self._empty)
        painter.end()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the columns anew."""
        super().resizeEvent(event)
        self.scene.set_width(self.viewport().width(), current_theme())
        self._fit_bar()
        self.head.update()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.scene.forget()
            if self._query is not None:
                self.show_orders()
        super().changeEvent(event)
