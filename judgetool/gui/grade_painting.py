"""Grade chips and the symbols in them: discs, bars, and the signs of what has no grade."""

from collections.abc import Iterable
from functools import lru_cache
from math import pi

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from judgetool.gui.fonts import Role, metrics, scaled, text_width
from judgetool.gui.grade_style import GradeStyle, Symbol
from judgetool.gui.painting import CENTRE, TURN, TWELVE_O_CLOCK, draw_text, smooth
from judgetool.gui.theme import Theme, mixed

CHIP_DISC = 14
CHIP_GAP = 6
DASHES = 8


def draw_symbol(painter: QPainter, rect: QRectF, style: GradeStyle) -> None:
    """Draw a grade's disc (or bar, or the sign of a state) into a square.

    The disc is filled clockwise from 12 by ``style.fraction``: ring with a bar at 0,
    full at 1; a level with a sign of its own shows that. Unjudged is a dashed ring, 'cannot judge' a ring with a slash,
    skipped two chevrons. A scale without discs gets a bar filled from the left.
    """
    with smooth(painter):
        if style.symbol is Symbol.BAR:
            _draw_level_bar(painter, rect, style)
        elif style.symbol is Symbol.SIGN:
            # Wider than the disc's square: a letter of two columns would be elided to dots.
            place = rect.adjusted(-3, 0, 3, 0)
            draw_text(
                painter, place, style.sign, role=Role.UI_STRONG, colour=style.ink, align=CENTRE
            )
        elif style.symbol is Symbol.SKIPPED:
            _draw_chevrons(painter, rect, style.ink)
        else:
            _draw_disc(painter, rect, style)


def _draw_disc(painter: QPainter, rect: QRectF, style: GradeStyle) -> None:
    width = max(1.5, rect.width() / 9)
    ring = rect.adjusted(width / 2 + 0.25, width / 2 + 0.25, -width / 2 - 0.25, -width / 2 - 0.25)
    pen = QPen(style.ink, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if style.symbol is Symbol.UNJUDGED:
        dash = pi * ring.width() / width / (2 * DASHES)
        pen.setDashPattern([dash, dash])
    painter.setPen(pen)
    is_full = style.symbol is Symbol.DISC and style.fraction >= 1
    painter.setBrush(style.ink if is_full else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(ring)
    if style.symbol is Symbol.CANNOT_JUDGE:
        reach = ring.width() / 2 * 0.7071
        centre = ring.center()
        painter.drawLine(centre + QPointF(-reach, reach), centre + QPointF(reach, -reach))
    elif style.symbol is Symbol.DISC and style.fraction <= 0:
        half = ring.width() * 0.24
        painter.drawLine(ring.center() - QPointF(half, 0), ring.center() + QPointF(half, 0))
    elif style.symbol is Symbol.DISC and not is_full:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.ink)
        painter.drawPie(ring, TWELVE_O_CLOCK, -round(style.fraction * TURN))


def _draw_level_bar(painter: QPainter, rect: QRectF, style: GradeStyle) -> None:
    height = max(6.0, round(rect.height() * 0.45))
    frame = QRectF(rect.left(), rect.center().y() - height / 2, rect.width(), height)
    path = QPainterPath()
    path.addRoundedRect(frame, 1.5, 1.5)
    painter.setClipPath(path)
    filled = QRectF(frame)
    filled.setWidth(frame.width() * style.fraction)
    painter.fillRect(filled, style.ink)
    painter.setClipping(False)
    painter.setPen(QPen(style.ink, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 1.5, 1.5)


def _draw_chevrons(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    pen = QPen(ink, max(1.5, rect.width() / 9))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    centre, unit = rect.center(), rect.width() / 14
    for shift in (-4.0, 1.0):
        corners = ((shift, -3.5), (shift + 3.5, 0.0), (shift, 3.5))
        points = [centre + QPointF(x * unit, y * unit) for x, y in corners]
        painter.drawPolyline(QPolygonF(points))


def chip_height() -> int:
    """Return the height of a chip: 20 px at a 13 px font."""
    return max(scaled(20), metrics(Role.UI_STRONG).height() + 2)


def chip_width(styles: Iterable[GradeStyle]) -> int:
    """Return the one width that fits the digits of all these looks (a scale's)."""
    digits = max((text_width(Role.UI_STRONG, style.text) for style in styles), default=0)
    return scaled(6) + scaled(CHIP_DISC) + scaled(CHIP_GAP) + max(digits, scaled(8)) + scaled(6)


def draw_chip(painter: QPainter, rect: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a grade chip: ground, symbol, digit.

    Args:
        painter: any.
        rect: ``chip_width(scale_styles(...))`` by :func:`chip_height`.
        theme: the colours.
        style: of the grade or state; states have no ground.
    """
    if style.ground is not None:
        with smooth(painter):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.ground)
            painter.drawRoundedRect(rect, 5, 5)
    disc = float(scaled(CHIP_DISC))
    top = round(rect.center().y() - disc / 2)
    draw_symbol(painter, QRectF(rect.left() + scaled(6), top, disc, disc), style)
    left = rect.left() + scaled(6) + disc + scaled(CHIP_GAP)
    digits = QRectF(left, rect.top(), rect.right() - scaled(6) - left, rect.height())
    colour = theme.text if style.grade is not None else theme.text3
    painter.save()
    draw_text(painter, digits, style.text, role=Role.UI_STRONG, colour=colour, align=CENTRE)
    painter.restore()


@lru_cache(maxsize=256)
def _chip_pixmap(theme: Theme, style: GradeStyle, width: int, height: int, ratio: float) -> QPixmap:
    pixmap = QPixmap(round(width * ratio), round(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    draw_chip(painter, QRectF(0, 0, width, height), theme, style)
    painter.end()
    return pixmap


def draw_chip_cached(painter: QPainter, rect: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a chip from a pixmap that is kept per look, size and device pixel ratio.

    For views that paint many; in SVG and PDF use :func:`draw_chip`.
    """
    ratio = painter.device().devicePixelRatio()
    size = round(rect.width()), round(rect.height())
    painter.drawPixmap(rect.topLeft(), _chip_pixmap(theme, style, *size, ratio))


def tinted_ground(theme: Theme, style: GradeStyle) -> QColor:
    """Return the ground of a button whose grade is given: base with some of the ink."""
    return mixed(theme.base, style.ink, theme.chip_share)


def draw_confidence(painter: QPainter, place: QRectF, ink: QColor, *, confidence: int) -> None:
    """Paint three dots in the middle of a place, as many of them full as one is sure.

    Args:
        painter: any.
        place: where; the dots are as wide as 18 px at a 13 px font.
        ink: the grade's.
        confidence: as in ``CONFIDENCES``; full dots count from the left in any layout.
    """
    size, gap = scaled(4), scaled(3)
    left = place.center().x() - (3 * size + 2 * gap) / 2
    with smooth(painter):
        painter.setPen(QPen(ink, 1.0))
        for number in range(3):
            painter.setBrush(ink if number < confidence else Qt.BrushStyle.NoBrush)
            top = place.center().y() - size / 2
            painter.drawEllipse(QRectF(left + number * (size + gap), top, size, size))
