"""The two orders of the what-if view in use: cards are dragged, or carried with keys."""

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHeaderView, QWidget

from judgetool.core import override
from judgetool.core.rankings import Move
from judgetool.gui.keymap import ENTER
from judgetool.gui.painting import draw_line, isolated, turned
from judgetool.gui.panels.cards import card_height, head_height
from judgetool.gui.panels.result_list import TickScrollBar
from judgetool.gui.theme import Role, current_theme, font, scaled
from judgetool.gui.whatif.orders_paint import OrdersDelegate
from judgetool.gui.whatif.ranking import Carry, OrdersModel, WorkedRanking
from judgetool.gui.widgets.labels import Align, Look, Piece, TextPart, paint_pieces
from judgetool.gui.widgets.rows import ListTable
from judgetool.wording import _

_EDGE = 40
_FASTEST = 26
_TICK_MS = 16
_LIFT = (Qt.Key.Key_Space, *ENTER)


class _Heads(QHeaderView):
    """What the two orders are called, above them."""

    def __init__(self, view: "OrdersView") -> None:
        super().__init__(Qt.Orientation.Horizontal, view)
        self._view = view
        self.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)

    @override
    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), scaled(34))

    @override
    def paintSection(self, painter: QPainter, whole: QRect, _section: int) -> None:
        theme, cards, rect = current_theme(), self._view.delegate.columns.cards, QRectF(whole)
        look = Look(theme, self._view.delegate.is_mirrored)
        left, right, remark = self._view.cards.names
        painter.fillRect(rect, theme.panel)

        def place(start: float, end: float) -> QRectF:
            thought = QRectF(start, 0, end - start, rect.height())
            return turned(thought, rect, is_mirrored=look.is_mirrored)

        painter.fillRect(place(cards, rect.width()), theme.base)
        painter.fillRect(place(cards - 1, cards), theme.line)
        draw_line(painter, rect, theme.line)
        inner = place(scaled(12), cards - scaled(12))
        # Of the two the run's name may run from right to left; what is said of it does not.
        TextPart(isolated(left), Role.META, "text2").paint(painter, inner, look)
        said = TextPart(remark, Role.META, "text2", Align.END)
        name = TextPart(right, Role.META_STRONG)
        pieces = (Piece(name, gives=True), said.piece(scaled(12)))
        inner = place(cards + scaled(10), rect.width() - scaled(12))
        paint_pieces(painter, pieces, inner, look)


class OrdersView(ListTable):
    """Two orders side by side; the right one's cards are dragged, or carried with keys.

    The pointer is followed by the view itself and not by Qt's drag and drop, so that
    every place the card passes can be tried at once, and Esc puts it back.

    Signals:
        tried: the order that dropping now would make, as a tuple; ``None`` when nothing
            is in the hand any more.
        dropped: (document, rank from 1).
        brought_back: a document that was taken out is wanted again.
        assumed: (document, grade) that a digit gave.

    Attributes:
        cards: the rows.
        delegate: paints them.
        grades: grade by key, for assuming.
    """

    tried = Signal(object)
    dropped = Signal(int, int)
    brought_back = Signal(int)
    assumed = Signal(int, float)

    def __init__(self, ranking: WorkedRanking, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ranking = ranking
        self.cards = OrdersModel(ranking, self)
        self.delegate = OrdersDelegate(self.cards, ranking, self)
        self.setModel(self.cards)
        self.setItemDelegate(self.delegate)
        self.setHorizontalHeader(_Heads(self))
        self._pressed: tuple[int, QPointF] | None = None
        self._of: tuple[object, int | None] = (None, None)
        self._empty = ""
        self.bar = TickScrollBar(self)
        self.setVerticalScrollBar(self.bar)
        self.setAccessibleName(_("What-if ranking"))
        self.setMinimumSize(scaled(420), scaled(160))
        self.grades: dict[str, float] = {}
        self._scroller = QTimer(self, interval=_TICK_MS)
        self._scroller.timeout.connect(self._scroll_on)
        self.row_moved.connect(self._carry_by_key)

    # What the page says

    def show_orders(self) -> None:
        """Show what the ranking has now; the current document stays current if it is there."""
        document, row = self.current, self.currentIndex().row()
        self.forget_carry()
        orders = self._ranking.orders
        # Another project, or the same opened anew, has queries of the same numbers.
        of = (self._ranking.session, self._ranking.query)
        is_other, self._of = of != self._of, of
        if is_other:
            self.delegate.show_query()
        self.cards.renew()
        self._fit_rows()
        kept = self.cards.row_of(document)
        if is_other or kept < 0:
            kept = 0 if is_other else max(0, min(row, len(orders.order) - 1))
        self._choose(kept, brings_into_view=False)
        if is_other:
            self.bar.setValue(0)
        self._empty = self._why_empty()
        self.setAccessibleDescription(self._empty)
        counted = self._ranking.counted_grade
        places = [at for at, each in enumerate(orders.order) if counted(each) is None]
        self.bar.set_ticks(places, count=len(orders.order) if self.bar.maximum() else 0)
        self.viewport().update()

    def _fit_rows(self) -> None:
        """Give rows the height of cards, and the first one gone that of a heading besides."""
        self.set_row_height(card_height())
        self.bar.setSingleStep(card_height() // 2)
        first_gone = [len(self.cards.order)] if self.cards.gone else []
        self.put_heads(first_gone, height=card_height() + head_height())

    def _why_empty(self) -> str:
        if self._ranking.problem:
            return self._ranking.problem
        if self._ranking.session is None:
            return ""
        if self._ranking.query is None:
            none_yet = _("This project has no queries yet. Project ▸ Import… reads some.")
            return "" if self._ranking.session.material.queries else none_yet
        if not self.cards.rowCount():
            name = self._ranking.source_name
            if not name:
                return _(
                    "A what-if reorders a run, and this project has none. Project ▸ Import… reads one."
                )
            return _("{name} has no documents for this query. ‘Insert…’ puts some in.").format(
                name=name
            )
        return ""

    def set_cutoffs(self, cutoffs: tuple[int, ...]) -> None:
        """Draw a line where measures cut."""
        self.delegate.cutoffs = cutoffs
        self.viewport().update()

    def set_names(self, left: str, right: str, remark: str) -> None:
        """Name the two orders, and say how much was done to the right one."""
        if (left, right, remark) != self.cards.names:
            self.cards.names = (left, right, remark)
            self.cards.head = f"{left}; {right}: {remark}"
            self.cards.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 0)

    # The current document

    @property
    def current(self) -> int | None:
        """The current document, or ``None``."""
        return self.cards.document_at(self.currentIndex().row())

    @property
    def carry(self) -> Carry | None:
        """The card in the hand, or ``None``."""
        return self.cards.carry

    def set_current(self, document: int | None) -> None:
        """Make a document current, and bring it into view."""
        self._choose(self.cards.row_of(document))

    def _choose(self, row: int, *, brings_into_view: bool = True) -> None:
        self.setAutoScroll(brings_into_view)
        self.choose_row(row)
        self.setAutoScroll(True)

    # Qt

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows that are seen, and what lies over them."""
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self.delegate.paint_over(painter)
        if self._empty:
            whole = QRectF(self.viewport().rect())
            room = whole.adjusted(self.delegate.columns.cards, 0, 0, 0)
            room = turned(room, whole, is_mirrored=self.delegate.is_mirrored).adjusted(
                scaled(16), scaled(24), -scaled(16), 0
            )
            painter.setFont(font(Role.UI))
            painter.setPen(current_theme().text2)
            wraps = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignHCenter
            painter.drawText(room, int(wraps), self._empty)
        painter.end()

    @override
    def changeEvent(self, event: QEvent) -> None:
        """Follow theme and font."""
        kinds = QEvent.Type
        if event.type() in (kinds.PaletteChange, kinds.FontChange, kinds.LayoutDirectionChange):
            self.delegate.forget()
            self._fit_rows()
        super().changeEvent(event)

    # Carrying

    def lift(self, document: int, *, at: QPointF | None = None) -> None:
        """Take a card into the hand: of the pointer, which is at a point, or of the keys."""
        row = self.cards.row_of(document)
        grip = None if at is None else at - QPointF(self.delegate.card_rect(row).topLeft())
        order = self._ranking.orders.order
        self.cards.carry = Carry(document, row, row, row, order, grip, at)
        if at is not None:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self.tried.emit(order)
        self.viewport().update()

    def carry_to(self, place: int) -> None:
        """Try another place, from 0; the values follow."""
        carry = self.cards.carry
        assert carry is not None
        place = min(max(place, 0), len(self.cards.order) - 1)
        order = carry.order
        if place != carry.wanted:
            is_back = place == carry.origin
            step = Move(carry.document, place + 1)
            order = self._ranking.orders.order if is_back else self._ranking.try_step(step)
        carry.wanted, carry.place = place, order.index(carry.document)
        self._choose(carry.place, brings_into_view=carry.pointer is None)
        if order == carry.order:
            return
        carry.order = order
        self.cards.set_order(order)
        self.viewport().update()
        self.tried.emit(carry.order)

    def carry_on(self, place: int) -> None:
        """Try another place, from 0, by keys: past what is pinned there."""
        carry = self.cards.carry
        assert carry is not None
        by = -1 if place < carry.place else 1
        self.carry_to(self._ranking.past_pins(carry.document, place, by))

    def drop(self) -> None:
        """Let go of the card where it is."""
        carry = self.cards.carry
        assert carry is not None
        if carry.is_moved:
            self.forget_carry()
        else:
            self.put_back()
        # What a pin has kept where it was is told so by who moves it.
        if carry.wanted != carry.origin:
            self.dropped.emit(carry.document, carry.wanted + 1)

    def put_back(self) -> None:
        """Let go of the card where it was."""
        carry = self.cards.carry
        if carry is None:
            return
        self.forget_carry()
        self.cards.set_order(self._ranking.orders.order)
        self._choose(carry.origin, brings_into_view=False)
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
        self.put_back()
        at, imported = event.position(), self._ranking.orders.imported
        row = self.rowAt(int(at.y()))
        if self.delegate.from_start(at.x()) < self.delegate.columns.cards:
            if 0 <= row < len(imported) and self.cards.row_of(imported[row]) >= 0:
                self.set_current(imported[row])
            return
        card, document = self.delegate.card_rect(row), self.cards.document_at(row)
        if document is None or not card.contains(at.toPoint()):
            return
        self._choose(row, brings_into_view=False)
        if row < len(self.cards.order):
            self._pressed = (document, at)
        elif self.delegate.put_back_rect(QRectF(card)).contains(at):
            self.brought_back.emit(document)

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
        assert carry is not None
        assert carry.grip is not None
        before = self.delegate.hand_rect()
        carry.pointer = at
        middle = at.y() - carry.grip.y() + card_height() / 2
        self.carry_to(int((middle + self.bar.value()) // card_height()))
        after = self.delegate.hand_rect()
        if before != after:
            self.viewport().update(before.adjusted(-2, -2, 2, 2))
            self.viewport().update(after.adjusted(-2, -2, 2, 2))

    def _show_cursor(self, at: QPointF) -> None:
        columns, row = self.delegate.columns, self.rowAt(int(at.y()))
        is_card = 0 <= row < len(self.cards.order)
        from_start = self.delegate.from_start(at.x())
        is_handle = is_card and from_start >= columns.cards + columns.handle
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
        """Carry a card, assume a grade, move along the cards."""
        if not self._act_by_key(event):
            super().keyPressEvent(event)

    def _carry_by_key(self, row: int) -> None:
        carry = self.cards.carry
        if carry is not None:
            carry.pointer = carry.grip = None
            self.carry_on(row)

    def _act_by_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape and self.cards.carry is not None:
            self.put_back()
            return True
        document = self.current
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
        elif self.cards.row_of(document) >= len(self.cards.order):
            self.brought_back.emit(document)
        else:
            self.lift(document)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Nothing stays in the hand of the keys."""
        if self.cards.carry is not None and self.cards.carry.pointer is None:
            self.put_back()
        super().focusOutEvent(event)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Let go of what is in the hand; the project may be closed already."""
        self.forget_carry()
        super().hideEvent(event)
