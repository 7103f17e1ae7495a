"""A section of a panel: a header that folds what is under it."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.painting import draw_line
from judgetool.gui.widgets.buttons import FaceButton
from judgetool.gui.widgets.painted import RING
from judgetool.gui.widgets.row_parts import Align, CapPart, IconPart, Piece, TextPart

INSET = 12
_CHEVRON = 14


class SectionHeader(FaceButton):
    """Chevron, title, and at the end a remark or a key cap; a click folds or unfolds.

    ``toggled(bool)`` says whether the section is open.
    """

    inset = INSET - RING

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
    def minimumSizeHint(self) -> QSize:
        """Return the least size at which the content can be used."""
        return QSize(60, self.sizeHint().height())

    @override
    def face_size(self) -> QSize:
        """Return the size of the header: 34 px high at a 13 px font."""
        width = text_width(Role.UI_STRONG, self.text()) + _CHEVRON + 3 * INSET
        return QSize(width, scaled(34) - 2 * RING)

    @override
    def pieces(self) -> Sequence[Piece]:
        """Return chevron, title, and at the end remark and key cap; the remark gives first."""
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        shut = "chevron-right" if is_left else "chevron-left"
        name = "chevron-down" if self.isChecked() else shut
        chevron = IconPart(name, "text2" if self.underMouse() else "text3", _CHEVRON)
        title = TextPart(self.text(), Role.UI_STRONG)
        pieces = [Piece(chevron, _CHEVRON)]
        width = text_width(Role.UI_STRONG, self.text()) + 1
        pieces.append(Piece(title, width, scaled(8), gives=True))
        side = TextPart(self._side, Role.META, "text2", Align.END)
        width = text_width(Role.META, self._side) + 1 if self._side else 0
        pieces.append(Piece(side, width, scaled(12) if width else 0, gives=True))
        if self._key:
            cap = CapPart(self._key)
            pieces.append(Piece(cap, cap.width, scaled(8) if self._side else 0))
        return pieces

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint the ground, the separator above, and the pieces."""
        painter.fillRect(self.rect(), self.theme.panel)
        draw_line(painter, QRectF(0, 0, self.width(), 1), self.theme.line)
        super().paint_face(painter)

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
