"""The what-if board in use: cards are dragged, or carried with keys."""

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from judgetool.core.override import override
from judgetool.core.reordering import Move
from judgetool.gui.whatif.board_view import BoardView
from judgetool.gui.whatif.carry import Carry
from judgetool.gui.whatif.desk import Desk

_EDGE = 40
_FASTEST = 26
_TICK_MS = 16
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_LIFT = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Board(BoardView):
    """Two orders side by side; the right one's cards are dragged, or carried with keys.

    The pointer is followed by the board itself and not by Qt's drag and drop, so that
    every place the card passes can be tried at once, and Esc puts it back.

    Signals:
        tried: the order that dropping now would make, as a tuple; ``None`` when nothing
            is in the hand any more.
        dropped: (document, rank from 1).
        brought_back: a document that was taken out is wanted again.
        assumed: (document, grade) that a digit gave.

    Attributes:
        grades: grade by key, for assuming.
    """

    tried = Signal(object)
    dropped = Signal(int, int)
    brought_back = Signal(int)
    assumed = Signal(int, float)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, parent)
        self.grades: dict[str, float] = {}
        self._scroller = QTimer(self)
        self._scroller.setInterval(_TICK_MS)
        self._scroller.timeout.connect(self._scroll_on)

    # Carrying

    def lift(self, document: int, *, at: QPointF | None = None) -> None:
        """Take a card into the hand: of the pointer, which is at a point, or of the keys."""
        row = self.scene.row_of(document)
        if not 0 <= row < self.scene.rows.n_order:
            return
        grip = None
        if at is not None:
            corner = self.scene.card_rect(row, self.bar.value()).topLeft()
            grip = at - QPointF(corner)
        self.scene.current = document
        order = self._desk.orders.order
        self.scene.carry = Carry(document, row, row, order, grip, at)
        if at is not None:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        self.tried.emit(order)
        self._describe()
        self.viewport().update()

    def carry_to(self, place: int) -> None:
        """Try another place, from 0; the values follow."""
        carry = self.scene.carry
        if carry is None:
            return
        place = min(max(place, 0), self.scene.rows.n_order - 1)
        if place == carry.place:
            return
        carry.place = place
        carry.order = (
            self._desk.try_step(Move(carry.document, place + 1))
            if carry.is_moved
            else self._desk.orders.order
        )
        self.scene.set_order(carry.order)
        if carry.pointer is None:
            self.bring_into_view(self.scene.row_of(carry.document))
        self._describe()
        self.viewport().update()
        self.tried.emit(carry.order)

    def drop(self) -> None:
        """Let go of the card where it is."""
        carry = self.scene.carry
        if carry is None:
            return
        if not carry.is_moved:
            self.put_back()
            return
        self.forget_carry()
        self.dropped.emit(carry.document, carry.place + 1)

    def put_back(self) -> None:
        """Let go of the card where it was."""
        if self.scene.carry is None:
            return
        self.forget_carry()
        self.scene.set_order(self._desk.orders.order)
        self._describe()
        self.viewport().update()
        self.tried.emit(None)

    @override
    def forget_carry(self) -> None:
        """Let go of what is in the hand, and say nothing of it."""
        self._scroller.stop()
        super().forget_carry()

    # The pointer

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Make a card current, and be ready to lift it."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if self.scene.carry is not None:
            self.put_back()
        at = event.position()
        if at.x() < self.scene.columns.cards:
            self._press_imported(at)
            return
        row = self.scene.rows.row_at(at.y() + self.bar.value())
        document = self.scene.document_at(row) if row >= 0 else None
        if document is None:
            return
        self.set_current(document, brings_into_view=False)
        if row < self.scene.rows.n_order:
            self._pressed = (document, at)
        elif self.scene.put_back_rect(QRectF(self._rect(row))).contains(at):
            self.brought_back.emit(document)

    def _press_imported(self, at: QPointF) -> None:
        place = int((at.y() + self.bar.value()) // self.scene.rows.height)
        imported = self._desk.orders.imported
        if 0 <= place < len(imported) and self.scene.row_of(imported[place]) >= 0:
            self.set_current(imported[place])

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Carry the card; the values follow before it is dropped."""
        at = event.position()
        if self._pressed is not None and self.scene.carry is None:
            document, start = self._pressed
            if (at - start).manhattanLength() >= QApplication.startDragDistance():
                self.lift(document, at=start)
        carry = self.scene.carry
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
        carry = self.scene.carry
        if carry is None or carry.grip is None:
            return
        before = self.scene.hand_rect(self.bar.value())
        carry.pointer = at
        middle = at.y() - carry.grip.y() + self.scene.rows.height / 2
        self.carry_to(self.scene.rows.slot_at(middle + self.bar.value()))
        after = self.scene.hand_rect(self.bar.value())
        if before != after:
            self.viewport().update(before.adjusted(-2, -2, 2, 2))
            self.viewport().update(after.adjusted(-2, -2, 2, 2))

    def _show_cursor(self, at: QPointF) -> None:
        columns = self.scene.columns
        row = self.scene.rows.row_at(at.y() + self.bar.value())
        is_card = at.x() >= columns.cards and 0 <= row < self.scene.rows.n_order
        is_handle = is_card and at.x() >= columns.cards + columns.handle
        shape = Qt.CursorShape.OpenHandCursor if is_handle else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Drop the card."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._pressed = None
        if self.scene.carry is not None and self.scene.carry.pointer is not None:
            self._follow(event.position())
            self.drop()

    def _scroll_on(self) -> None:
        carry = self.scene.carry
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
        n = self.scene.rows.n_rows
        page = max(1, self.viewport().height() // self.scene.rows.height - 1)
        by = {
            **_STEPS,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -n,
            Qt.Key.Key_End: n,
        }.get(key)
        if by is None:
            return False
        carry = self.scene.carry
        if carry is None:
            self._move_current(by)
        else:
            carry.pointer = carry.grip = None
            self.carry_to(carry.place + by)
        return True

    def _act_by_key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape and self.scene.carry is not None:
            self.put_back()
            return True
        document = self.scene.current
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
        if self.scene.carry is not None:
            self.drop()
        elif self.scene.row_of(document) >= self.scene.rows.n_order:
            self.brought_back.emit(document)
        else:
            self.lift(document)

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard is here."""
        self.scene.has_keyboard = True
        self.viewport().update()
        super().focusInEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keyboard went; nothing stays in the hand of the keys."""
        self.scene.has_keyboard = False
        if self.scene.carry is not None and self.scene.carry.pointer is None:
            self.put_back()
        self.viewport().update()
        super().focusOutEvent(event)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        """Let go of what is in the hand; the project may be closed already."""
        self.forget_carry()
        self.scene.set_order(self._desk.orders.order)
        super().hideEvent(event)
