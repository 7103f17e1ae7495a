"""The two orders of the what-if view in use: cards are dragged, or carried with keys."""

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.core.reordering import Move
from judgetool.gui.fonts import Role, font, scaled, text_width
from judgetool.gui.painting import LEFT, draw_line, draw_text
from judgetool.gui.panels.result_list import TickScrollBar
from judgetool.gui.theme import current_theme
from judgetool.gui.whatif.orders_paint import Carry, OrdersPainter
from judgetool.gui.whatif.ranking import WorkedRanking
from judgetool.gui.widgets.painted import PaintedWidget
from judgetool.gui.widgets.row_parts import Align, Piece, TextPart, paint_pieces

_EDGE = 40
_FASTEST = 26
_TICK_MS = 16
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_LIFT = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class OrdersHead(PaintedWidget):
    """What the two orders are called, above them."""

    def __init__(self, painter: OrdersPainter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._painter = painter
        self._texts = ("", "", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def texts(self) -> tuple[str, str, str]:
        """Name of the left order, of the right one, and how much was done to it."""
        return self._texts

    def set_texts(self, left: str, right: str, remark: str) -> None:
        """Show other names."""
        if (left, right, remark) != self._texts:
            self._texts = (left, right, remark)
            self.setAccessibleName(f"{left}; {right}: {remark}")
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(480, scaled(34))

    @override
    def paint(self, painter: QPainter, _exposed: QRectF) -> None:
        """Paint from the current theme."""
        theme, cards, rect = self.theme, self._painter.columns.cards, QRectF(self.rect())
        left, right, remark = self._texts
        painter.fillRect(rect, theme.panel)
        beside = rect.adjusted(cards, 0, 0, 0)
        painter.fillRect(beside, theme.base)
        painter.fillRect(QRectF(cards - 1, 0, 1, rect.height()), theme.line)
        draw_line(painter, rect, theme.line)
        place = QRectF(scaled(12), 0, cards - scaled(24), rect.height())
        draw_text(painter, place, left, role=Role.META, colour=theme.text2, align=LEFT)
        said = TextPart(remark, Role.META, "text2", Align.RIGHT)
        name = TextPart(right, Role.META_STRONG, align=Align.LEFT)
        width = text_width(Role.META, remark) + 1
        pieces = (Piece(name, 0, gives=True), Piece(said, width, scaled(12)))
        inner = beside.adjusted(scaled(10), 0, -scaled(12), 0)
        paint_pieces(painter, pieces, inner, theme, is_mirrored=False)


class OrdersView(QAbstractScrollArea):
    """Two orders side by side; the right one's cards are dragged, or carried with keys.

    The pointer is followed by the view itself and not by Qt's drag and drop, so that
    every place the card passes can be tried at once, and Esc puts it back.

    Signals:
        current_changed: another document is current.
        tried: the order that dropping now would make, as a tuple; ``None`` when nothing
            is in the hand any more.
        dropped: (document, rank from 1).
        brought_back: a document that was taken out is wanted again.
        assumed: (document, grade) that a digit gave.

    Attributes:
        cards: what is painted.
        head: the names above; the page places it.
        grades: grade by key, for assuming.
    """

    current_changed = Signal()
    tried = Signal(object)
    dropped = Signal(int, int)
    brought_back = Signal(int)
    assumed = Signal(int, float)

    def __init__(self, ranking: WorkedRanking, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ranking = ranking
        self.cards = OrdersPainter(ranking)
        self.head = OrdersHead(self.cards, parent)
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
        self.grades: dict[str, float] = {}
        self._scroller = QTimer(self, interval=_TICK_MS)
        self._scroller.timeout.connect(self._scroll_on)

    # What the page says

    def show_orders(self) -> None:
        """Show what the ranking has now; the current document stays current if it is there."""
        self.forget_carry()
        orders = self._ranking.orders
        is_other = self._ranking.query != self._query
        self._query = self._ranking.query
        if is_other:
            self.cards.show_query()
        self.cards.set_width(self.viewport().width())
        self.cards.set_compared()
        self.cards.set_order(orders.order)
        if is_other or self.cards.row_of(self.cards.current) < 0:
            row = 0 if is_other else min(self._last_row, len(orders.order) - 1)
            self.cards.current = self.cards.document_at(max(0, row))
        self._empty = self._why_empty()
        self._fit_bar()
        if is_other:
            self.bar.setValue(0)
        self._last_row = self.cards.row_of(self.cards.current)
        self._describe()
        self.viewport().update()
        self.head.update()

    def _why_empty(self) -> str:
        if self._ranking.problem:
            return self._ranking.problem
        if self._ranking.session is None:
            return ""
        if self._ranking.query is None:
            has_none = not self._ranking.session.material.queries
            return "This project has no queries yet. Project ▸ Import… reads some." * has_none
        if not self._ranking.orders.order and not self._ranking.orders.gone:
            name = self._ranking.source_name
            if not name:
                return "A what-if reorders a run, and this project has none. Project ▸ Import… reads one."
            return f"{name} has no documents for this query. ‘Insert…’ puts some in."
        return ""

    def set_cutoffs(self, cutoffs: tuple[int, ...]) -> None:
        """Draw a line where measures cut."""
        self.cards.cutoffs = cutoffs
        self.viewport().update()

    def _fit_bar(self) -> None:
        rows, height = self.cards.rows, self.viewport().height()
        self.bar.setRange(0, max(0, rows.total - height))
        self.bar.setPageStep(height)
        self.bar.setSingleStep(rows.height // 2)
        marks = self._ranking
        order = self.cards.order
        if self.cards.carry is None:
            places = [p for p, each in enumerate(order) if marks.counted_grade(each) is None]
            self.bar.set_ticks(places, count=len(order) if self.bar.maximum() else 0)

    # The current document

    @property
    def current(self) -> int | None:
        """The current document, or ``None``."""
        return self.cards.current

    @property
    def carry(self) -> Carry | None:
        """The card in the hand, or ``None``."""
        return self.cards.carry

    def set_current(self, document: int | None, *, brings_into_view: bool = True) -> None:
        """Make a document current."""
        self.cards.current = document
        self._last_row = self.cards.row_of(document)
        if brings_into_view:
            self.bring_into_view(self._last_row)
        self._describe()
        self.viewport().update()
        self.current_changed.emit()

    def bring_into_view(self, row: int) -> None:
        """Scroll so far that a row is seen whole."""
        if row < 0:
            return
        rows, height = self.cards.rows, self.viewport().height()
        top = rows.top(row)
        if top < self.bar.value():
            self.bar.setValue(top)
        elif top + rows.height > self.bar.value() + height:
            self.bar.setValue(top + rows.height - height)

    def _move_current(self, by: int) -> None:
        row = self.cards.row_of(self.cards.current) + by
        row = min(max(row, 0), self.cards.rows.n_rows - 1)
        if row >= 0:
            self.set_current(self.cards.document_at(row))

    def _describe(self) -> None:
        document = self.cards.carry.document if self.cards.carry else self.cards.current
        if document is None:
            self.setAccessibleDescription(self._empty)
            return
        facts = self.cards.facts(document)
        rank = "taken out" if facts.rank is None else f"rank {facts.rank}"
        grade = facts.mark.grade if facts.assumed is None else facts.assumed
        parts = [
            "in the hand" if self.cards.carry else "",
            rank,
            f"was {facts.was}" if facts.was and facts.was != facts.rank else "",
            self._ranking.title(document),
            "not judged" if grade is None else f"grade {grade:g}",
            "assumed" if facts.assumed is not None else "",
            "pinned" if facts.is_pinned else "",
        ]
        self.setAccessibleDescription(", ".join(part for part in parts if part))

    def _rect(self, row: int) -> QRect:
        return self.cards.card_rect(row, self.bar.value())

    def row_middle(self, row: int) -> QPoint:
        """Return the middle of a card in the view, where a pointer would take it."""
        return self._rect(row).center()

    # Qt

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that are seen."""
        painter = QPainter(self.viewport())
        theme = current_theme()
        self.cards.paint(painter, event.rect(), theme, scroll=self.bar.value())
        if self._empty:
            room = QRectF(self.viewport().rect())
            room.setLeft(float(self.cards.columns.cards))
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
        self.cards.set_width(self.viewport().width())
        self._fit_bar()
        self.head.update()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.cards.forget()
            if self._query is not None:
                self.show_orders()
        super().changeEvent(event)

    # Carrying

    def lift(self, document: int, *, at: QPointF | None = None) -> None:
        """Take a card into the hand: of the pointer, which is at a point, or of the keys."""
        row = self.cards.row_of(document)
        if not 0 <= row < self.cards.rows.n_order:
            return
        grip = None
        if at is not None:
            corner = self.cards.card_rect(row, self.bar.value()).topLeft()
            grip = at - QPointF(corner)
        self.cards.current = document
        order = self._ranking.orders.order
        self.cards.carry = Carry(document, row, row, order, grip, at)
        if at is not None:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self.tried.emit(order)
        self._describe()
        self.viewport().update()

    def carry_to(self, place: int) -> None:
        """Try another place, from 0; the values follow."""
        carry = self.cards.carry
        if carry is None:
            return
        place = min(max(place, 0), self.cards.rows.n_order - 1)
        if place == carry.place:
            return
        carry.place = place
        carry.order = (
            self._ranking.try_step(Move(carry.document, place + 1))
            if carry.is_moved
            else self._ranking.orders.order
        )
        self.cards.set_order(carry.order)
        if carry.pointer is None:
            self.bring_into_view(self.cards.row_of(carry.document))
        self._describe()
        self.viewport().update()
        self.tried.emit(carry.order)

    def drop(self) -> None:
        """Let go of the card where it is."""
        carry = self.cards.carry
        if carry is None:
            return
        if not carry.is_moved:
            self.put_back()
            return
        self.forget_carry()
        self.dropped.emit(carry.document, carry.place + 1)

    def put_back(self) -> None:
        """Let go of the card where it was."""
        if self.cards.carry is None:
            return
        self.forget_carry()
        self.cards.set_order(self._ranking.orders.order)
        self._describe()
        self.viewport().update()
        self.tried.emit(None)

    def forget_carry(self) -> None:
        """Let go of what is in the hand, and say nothing of it."""
        self._scroller.stop()
        self._pressed = None
        if self.cards.carry is not None:
            self.cards.carry = None
            self.viewport().unsetCursor()

    # The pointer

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Make a card current, and be ready to lift it."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if self.cards.carry is not None:
            self.put_back()
        at = event.position()
        if at.x() < self.cards.columns.cards:
            self._press_imported(at)
            return
        row = self.cards.rows.row_at(at.y() + self.bar.value())
        document = self.cards.document_at(row) if row >= 0 else None
        if document is None:
            return
        self.set_current(document, brings_into_view=False)
        if row < self.cards.rows.n_order:
            self._pressed = (document, at)
        elif self.cards.put_back_rect(QRectF(self._rect(row))).contains(at):
            self.brought_back.emit(document)

    def _press_imported(self, at: QPointF) -> None:
        place = int((at.y() + self.bar.value()) // self.cards.rows.height)
        imported = self._ranking.orders.imported
        if 0 <= place < len(imported) and self.cards.row_of(imported[place]) >= 0:
            self.set_current(imported[place])

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Carry the card; the values follow before it is dropped."""
        at = event.position()
        if self._pressed is not None and self.cards.carry is None:
            document, start = self._pressed
            if (at - start).manhattanLength() >= QApplication.startDragDistance():
                self.lift(document, at=start)
        carry = self.cards.carry
        if carry is None or carry.pointer is None:
            self._show_cursor(at)
            return
        self._follow(at)
        height = self.viewport().height()
        is_at_edge = at.y() < _EDGE or at.y() > height - _EDGE
        if is_at_edge and not self._scroller.isActive():
            self._scroller.start()
        elif not is_at_edge:
            self._scroller.stop()

    def _follow(self, at: QPointF) -> None:
        carry = self.cards.carry
        if carry is None or carry.grip is None:
            return
        before = self.cards.hand_rect(self.bar.value())
        carry.pointer = at
        middle = at.y() - carry.grip.y() + self.cards.rows.height / 2
        self.carry_to(self.cards.rows.slot_at(middle + self.bar.value()))
        after = self.cards.hand_rect(self.bar.value())
        if before != after:
            self.viewport().update(before.adjusted(-2, -2, 2, 2))
            self.viewport().update(after.adjusted(-2, -2, 2, 2))

    def _show_cursor(self, at: QPointF) -> None:
        columns = self.cards.columns
        row = self.cards.rows.row_at(at.y() + self.bar.value())
        is_card = at.x() >= columns.cards and 0 <= row < self.cards.rows.n_order
        is_handle = is_card and at.x() >= columns.cards + columns.handle
        shape = Qt.CursorShape.OpenHandCursor if is_handle else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Drop the card."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._pressed = None
        if self.cards.carry is not None and self.cards.carry.pointer is not None:
            self._follow(event.position())
            self.drop()

    def _scroll_on(self) -> None:
        carry = self.cards.carry
        if carry is None or carry.pointer is None:
            self._scroller.stop()
            return
        y, height = carry.pointer.y(), self.viewport().height()
        depth = y - _EDGE if y < _EDGE else max(0.0, y - (height - _EDGE))
        by = round(_FASTEST * min(1.0, max(-1.0, depth / _EDGE)))
        before = self.bar.value()
        self.bar.setValue(before + by)
        if self.bar.value() != before:
            self._follow(carry.pointer)
            self.viewport().update()

    # Keys

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move along the cards, carry one, assume a grade."""
        if not (self._move_by_key(Qt.Key(event.key())) or self._act_by_key(event)):
            super().keyPressEvent(event)

    def _move_by_key(self, key: Qt.Key) -> bool:
        n = self.cards.rows.n_rows
        page = max(1, self.viewport().height() // self.cards.rows.height - 1)
        by = {
            **_STEPS,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -n,
            Qt.Key.Key_End: n,
        }.get(key)
        if by is None:
            return False
        carry = self.cards.carry
        if carry is None:
            self._move_current(by)
        else:
            carry.pointer = carry.grip = None
            self.carry_to(carry.place + by)
        return True

    def _act_by_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape and self.cards.carry is not None:
            self.put_back()
            return True
        document = self.cards.current
        if event.isAutoRepeat() or document is None:
            return False
        if event.key() in _LIFT:
            self._lift_or_drop(document)
            return True
        grade = self.grades.get(event.text().upper())
        if grade is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            return False
        self.put_back()
        self.assumed.emit(document, grade)
        return True

    def _lift_or_drop(self, document: int) -> None:
        if self.cards.carry is not None:
            self.drop()
        elif self.cards.row_of(document) >= self.cards.rows.n_order:
            self.brought_back.emit(document)
        else:
            self.lift(document)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard is here."""
        self.cards.has_keyboard = True
        self.viewport().update()
        super().focusInEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard went; nothing stays in the hand of the keys."""
        self.cards.has_keyboard = False
        if self.cards.carry is not None and self.cards.carry.pointer is None:
            self.put_back()
        self.viewport().update()
        super().focusOutEvent(event)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Let go of what is in the hand; the project may be closed already."""
        self.forget_carry()
        self.cards.set_order(self._ranking.orders.order)
        super().hideEvent(event)
