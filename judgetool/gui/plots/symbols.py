"""How the series of a chart differ: ink, symbol and dash, so that no colour is needed."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from judgetool.gui.plots.chart import Series
from judgetool.gui.theme import Theme

_DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3), (4, 2), (1, 2))
_IDEAL: tuple[float, ...] = (4, 3)
_RADIUS = 3.5
_CORNERS: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)),
    ((0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)),
    ((0.0, 1.2), (-1.15, -0.85), (1.15, -0.85)),
    ((-1.1, -0.45), (0.0, -1.25), (1.1, -0.45), (0.7, 1.0), (-0.7, 1.0)),
)


def series_place(all_series: Sequence[Series], which: int) -> int:
    """Return which of the looks a series has: its own, or the next; quiet ones take none."""
    look = all_series[which].look
    if look is not None:
        return look
    return sum(not each.is_quiet for each in all_series[:which])


def series_ink(theme: Theme, each: Series, place: int) -> QColor:
    """Return a series' colour."""
    if each.is_quiet:
        return theme.text3
    if each.ink is not None:
        return each.ink(theme)
    inks = (theme.accent, theme.warn, theme.good, theme.link, theme.bad, theme.text)
    return inks[place % len(inks)]


def series_pen(ink: QColor, place: int, *, is_quiet: bool) -> QPen:
    """Return the pen of a series' line."""
    pen = QPen(ink, 1.5 if is_quiet else 2.0)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    dash = _IDEAL if is_quiet else _DASHES[place % len(_DASHES)]
    if dash:
        pen.setDashPattern(list(dash))
    return pen


def draw_point_symbol(
    painter: QPainter, at: QPointF, ink: QColor, place: int, *, ground: QColor, size: float = 1.0
) -> None:
    """Draw a series' symbol over one of its points; the caller has set smooth edges."""
    painter.setPen(QPen(ground, 1.0))
    painter.setBrush(ink)
    corners = _CORNERS[place % len(_CORNERS)]
    radius = _RADIUS * size
    if not corners:
        painter.drawEllipse(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
        return
    painter.drawPolygon(QPolygonF([at + QPointF(x * radius, y * radius) for x, y in corners]))
