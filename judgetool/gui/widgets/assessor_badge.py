"""Who judges: the first letter in a disc, and the name."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.painting import CENTRE, draw_text, smooth, start_align
from judgetool.gui.widgets.painted import PaintedButton

_DISC = 20
_GAP = 6
_INSET = 6
_LONGEST = 160


class AssessorBadge(PaintedButton):
    """A button for the top line; ``setText`` is the name, elided beyond 160 px."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setToolTip("Who judges")

    @override
    def face_size(self) -> QSize:
        """Return the size of the face without the ring's room."""
        name = min(text_width(Role.UI, self.text()) + 1, scaled(_LONGEST))
        width = 2 * scaled(_INSET) + scaled(_DISC) + scaled(_GAP) + name
        return QSize(width, max(scaled(22), line_height(Role.UI)))

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint disc, letter and name."""
        theme, face = self.theme, self.face
        if self.underMouse() or self.isDown():
            with smooth(painter):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.sunken)
                painter.drawRoundedRect(face, self.radius, self.radius)
        disc = scaled(_DISC)
        square = QRectF(face.left() + scaled(_INSET), face.center().y() - disc / 2, disc, disc)
        where = self.mirrored(square)
        with smooth(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.line if self.underMouse() else theme.sunken)
            painter.drawEllipse(where)
        letter = self.text().strip()[:1]
        draw_text(painter, where, letter, role=Role.KEY, colour=theme.text, align=CENTRE)
        left = square.right() + scaled(_GAP)
        place = QRectF(left, face.top(), face.right() - scaled(_INSET) - left + 1, face.height())
        align = start_align(self.layoutDirection())
        where = self.mirrored(place)
        draw_text(painter, where, self.text(), role=Role.UI, colour=theme.text, align=align)
