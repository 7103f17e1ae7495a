"""A section of a panel: a header that folds what is under it."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import (
    LEFT,
    RIGHT,
    draw_key_cap,
    draw_line,
    draw_text,
    key_cap_size,
    start_align,
)
from judgetool.gui.widgets.painted import RING, PaintedButton

INSET = 12
_CHEVRON = 14


class SectionHeader(PaintedButton):
    """Chevron, title, and at the end a remark or a key cap; a click folds or unfolds.

    ``toggled(bool)`` says whether the section is open.
    """

    def __init__(
        self, title: str, *, side: str = "", key: str = "", parent: QWidget | None = None
    ) -> None:
        """Make a header.

        Args:
            title: what the section holds.
            side: a remark at the end, in text2.
            key: the key that opens the section, drawn as a cap at the end.
            parent: of the widget.
        """
        super().__init__(parent)
        self._side = side
        self._key = key
        self.setCheckable(True)
        self.setChecked(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setText(title)
        self._describe()
        self.toggled.connect(self._describe)

    def set_title(self, title: str) -> None:
        """Show another title."""
        if title == self.text():
            return
        self.setText(title)
        self._describe()
        self.update()

    def set_side(self, side: str) -> None:
        """Show another remark at the end."""
        if side == self._side:
            return
        self._side = side
        self._describe()
        self.update()

    @override
    def face_size(self) -> QSize:
        """Return the size of the header: 34 px high at a 13 px font."""
        width = text_width(Role.UI_STRONG, self.text()) + _CHEVRON + 3 * INSET
        return QSize(width, scaled(34) - 2 * RING)

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(60, self.sizeHint().height())

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the ground, the separator above, chevron, title and remark."""
        theme = self.theme
        painter.fillRect(self.rect(), theme.panel)
        top = QRectF(0, 0, self.width(), 1)
        draw_line(painter, top, theme.line)
        height = float(self.height())
        is_open = self.isChecked()
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        shut = "chevron-right" if is_left else "chevron-left"
        square = QRectF(INSET, height / 2 - _CHEVRON / 2, _CHEVRON, _CHEVRON)
        ink = theme.text2 if self.underMouse() else theme.text3
        name = "chevron-down" if is_open else shut
        draw_icon(painter, self.mirrored(square), name=name, colour=ink, px=_CHEVRON)
        right = self._paint_end(painter, self.width() - INSET - 2.0)
        left = square.right() + scaled(8)
        place = QRectF(left, 0, max(0.0, right - left), height)
        draw_text(
            painter,
            self.mirrored(place),
            self.text(),
            role=Role.UI_STRONG,
            colour=theme.text,
            align=start_align(self.layoutDirection()),
        )

    def _paint_end(self, painter: QPainter, right: float) -> float:
        """Paint key cap and remark; return where the title must stop."""
        theme, height = self.theme, float(self.height())
        if self._key:
            cap_width, cap_height = key_cap_size(self._key)
            cap = QRectF(right - cap_width, (height - cap_height) // 2, cap_width, cap_height)
            draw_key_cap(painter, self.mirrored(cap), theme, text=self._key)
            right = cap.left() - scaled(8)
        if self._side:
            title = text_width(Role.UI_STRONG, self.text())
            room = right - INSET - _CHEVRON - scaled(8) - title - scaled(12)
            width = min(text_width(Role.META, self._side) + 1.0, max(0.0, room))
            place = QRectF(right - width, 0, width, height)
            draw_text(
                painter,
                self.mirrored(place),
                self._side,
                role=Role.META,
                colour=theme.text2,
                align=RIGHT if self.layoutDirection() is Qt.LayoutDirection.LeftToRight else LEFT,
            )
            right = place.left() - scaled(8)
        return right

    def _describe(self) -> None:
        state = "open" if self.isChecked() else "folded"
        parts = (part for part in (self.text(), self._side, state) if part)
        self.setAccessibleName(", ".join(parts))


class Section(QWidget):
    """A header with a body under it that the header folds away."""

    folded = Signal(bool)

    def __init__(self, header: SectionHeader, body: QWidget, parent: QWidget | None = None) -> None:
        """Join a header and a body."""
        super().__init__(parent)
        self.header = header
        self.body = body
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(body, stretch=1)
        header.toggled.connect(self._fold)

    @property
    def is_open(self) -> bool:
        """Whether the body is shown."""
        return self.header.isChecked()

    def set_open(self, *, is_open: bool) -> None:
        """Show or fold the body."""
        self.header.setChecked(is_open)

    def _fold(self, is_open: bool) -> None:
        self.body.setVisible(is_open)
        policy = QSizePolicy.Policy.Preferred if is_open else QSizePolicy.Policy.Maximum
        self.setSizePolicy(QSizePolicy.Policy.Preferred, policy)
        self.folded.emit(not is_open)
