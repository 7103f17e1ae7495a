"""Lines that join a document's place in one order with its place in another."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

PLAIN, STRONG = 1.5, 2.5


def draw_slope(
    painter: QPainter, start: QPointF, end: QPointF, colour: QColor, *, width: float = PLAIN
) -> None:
    """Draw one line, level at both ends; the caller has set smooth edges.

    Args:
        painter: any.
        start: at the one order.
        end: at the other.
        colour: of the line.
        width: in px.
    """
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if start.y() == end.y():
        painter.drawLine(start, end)
        return
    bend = (end.x() - start.x()) * 0.5
    path = QPainterPath(start)
    path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
    painter.drawPath(path)


def draw_slope_end(painter: QPainter, at: QPointF, colour: QColor, *, ground: QColor) -> None:
    """Draw the ring at which a line ends over a slot; the caller has set smooth edges."""
    painter.setPen(QPen(colour, 2.0))
    painter.setBrush(ground)
    painter.drawEllipse(at, 4.0, 4.0)
