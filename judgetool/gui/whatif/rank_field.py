"""The small field that asks for a rank, over the card that is to go there."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.painting import (
    LEFT,
    RIGHT,
    draw_frame,
    draw_key_cap,
    draw_line,
    draw_text,
    key_cap_size,
)
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.gui.widgets.painted import PaintedWidget

PROMISE = "A what-if never changes the run or a judgment."
CARRYING = "In the hand: arrows carry it, Space drops it, Esc puts it back."
_HEIGHT = 40

Hint = tuple[tuple[str, ...], str]


class KeyStrip(PaintedWidget):
    """Key caps with what they do; what does not fit is left out from the end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hints: tuple[Hint, ...] = ()
        self._remark = PROMISE
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The keys that are shown, each with what it does."""
        return self._hints

    def set_hints(self, hints: tuple[Hint, ...]) -> None:
        """Show other keys."""
        self._hints = hints
        told = ", ".join(f"{' '.join(keys)}: {text}" for keys, text in hints)
        self.setAccessibleName(f"{told}. {self._remark}")
        self.update()

    def set_carrying(self, *, is_carrying: bool) -> None:
        """Say what to do with a card in the hand, or what a what-if never does."""
        remark = CARRYING if is_carrying else PROMISE
        if remark != self._remark:
            self._remark = remark
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Return the size that the content wishes."""
        return QSize(480, scaled(_HEIGHT))

    @override
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint from the current theme."""
        painter, theme = QPainter(self), self.theme
        painter.fillRect(self.rect(), theme.panel)
        draw_line(painter, QRectF(0, 0, self.width(), 1), theme.line)
        height = float(self.height())
        remark = text_width(Role.META, self._remark) + scaled(14)
        has_remark = self.width() > remark + scaled(220)
        limit = self.width() - (remark + scaled(16) if has_remark else scaled(12))
        left = float(scaled(14))
        for keys, text in self._hints:
            sizes = [key_cap_size(key) for key in keys]
            width = text_width(Role.META, text) + 2
            needed = sum(size[0] + scaled(5) for size in sizes) + width + scaled(4)
            if left + needed > limit:
                break
            for key, (cap_width, cap_height) in zip(keys, sizes, strict=True):
                cap = QRectF(left, (height - cap_height) // 2, cap_width, cap_height)
                draw_key_cap(painter, cap, theme, text=key)
                left += cap_width + scaled(5)
            place = QRectF(left + scaled(2), 0, width, height)
            draw_text(painter, place, text, role=Role.META, colour=theme.text2, align=LEFT)
            left += width + scaled(18)
        if has_remark:
            end = QRectF(self.width() - remark, 0, remark - scaled(14), height)
            draw_text(painter, end, self._remark, role=Role.META, colour=theme.text2, align=RIGHT)
        painter.end()


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
