"""The rail at the left of the focus view: where one is among the queries, and how to see them."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from judgetool.core.override import override
from judgetool.gui.fonts import Role, scaled, text_width
from judgetool.gui.icons import draw_icon
from judgetool.gui.painting import CENTRE, draw_text
from judgetool.gui.widgets.painted import PaintedButton

WIDTH = 42


class QueryRail(PaintedButton):
    """A button as high as the view; a click opens the list of queries over the document."""

    radius = 0.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setToolTip("Queries (/)")
        self.show_place(0, 0)

    def show_place(self, position: int, total: int) -> None:
        """Say which query of how many is current; position 0 for none of the list."""
        text = f"Queries  {position} of {total}" if position else "Queries"
        self.setText(text)
        self.setAccessibleName(text)
        self.update()

    @override
    def face_size(self) -> QSize:
        """Return the one width, and room for the words."""
        return QSize(scaled(WIDTH) - 6, text_width(Role.META, self.text()) + scaled(60))

    @override
    def minimumSizeHint(self) -> QSize:
        """Return the width; the words may be cut."""
        return QSize(scaled(WIDTH), scaled(60))

    @override
    def paint_face(self, painter: QPainter) -> None:
        """Paint ground, edge, icon and the words, which run upwards."""
        theme = self.theme
        area = QRectF(self.rect())
        painter.fillRect(area, theme.hover if self.underMouse() else theme.panel)
        is_left = self.layoutDirection() is Qt.LayoutDirection.LeftToRight
        edge = area.right() - 1 if is_left else 0.0
        painter.fillRect(QRectF(edge, 0, 1, area.height()), theme.line)
        ink = theme.text2 if self.underMouse() else theme.text3
        square = QRectF(0, scaled(12), area.width(), 18)
        name = "panel-left-open" if is_left else "panel-right-open"
        draw_icon(painter, square, name=name, colour=ink)
        length = text_width(Role.META, self.text()) + 4.0
        top = square.bottom() + scaled(12)
        painter.save()
        painter.translate(QPointF(area.width() / 2, top + length))
        painter.rotate(-90)
        place = QRectF(0, -10, length, 20)
        draw_text(painter, place, self.text(), role=Role.META, colour=ink, align=CENTRE)
        painter.restore()
