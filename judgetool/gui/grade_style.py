"""How a grade looks, from a scale and a theme, and how chips and the symbols in them are painted."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from math import pi

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from judgetool.core.judgments import State
from judgetool.core.number_text import UNDEFINED
from judgetool.core.scale import Level, Scale
from judgetool.gui.painting import (
    CENTRE,
    TURN,
    TWELVE_O_CLOCK,
    draw_text,
    format_grade,
    painted_pixmap,
    smooth,
)
from judgetool.gui.theme import (
    Role,
    Theme,
    interpolate_oklab,
    kept_for_font,
    least_contrast,
    metrics,
    mixed,
    nearest_passing,
    scaled,
    text_width,
)
from judgetool.wording import _

CHIP_DISC = 14
CHIP_GAP = 6
DASHES = 8
MOST_DISCS = 6
NEEDED_CONTRAST, HIGH_CONTRAST = 3.0, 4.5
# Which of the six inks a scale of so many levels takes, lowest level first.
_RAMP_PLACES: dict[int, tuple[int, ...]] = {
    2: (0, 5),
    3: (0, 2, 5),
    4: (0, 1, 3, 5),
    5: (0, 1, 2, 4, 5),
    6: (0, 1, 2, 3, 4, 5),
}


class Symbol(Enum):
    """What stands left of the digit."""

    DISC = "disc"
    SIGN = "sign"
    BAR = "bar"
    UNJUDGED = "unjudged"
    CANNOT_JUDGE = "cannot_judge"
    SKIPPED = "skipped"


@dataclass(frozen=True, eq=False, slots=True)
class GradeStyle:
    """The look of one level, of a grade between levels, or of a document without a grade.

    Attributes:
        text: the grade as shown, or ``–``.
        name: the level's name, or the state in words; for tooltips and readers.
        key: the key that gives it, or ``""``.
        ink: colour of symbol, bars and lines.
        ground: of the chip; ``None`` where a chip has none (no grade).
        symbol: see :class:`Symbol`.
        fraction: how much of disc or bar is filled, 0 to 1.
        grade: the number, or ``None``.
        sign: the scale's own character in place of a disc, of ``Symbol.SIGN``.
    """

    text: str
    name: str
    key: str
    ink: QColor
    ground: QColor | None
    symbol: Symbol
    fraction: float
    grade: float | None = None
    sign: str = ""


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


@kept_for_font
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


def draw_assumed_chip(painter: QPainter, chip: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a chip that is only assumed: a dashed frame and no ground."""
    with smooth(painter):
        pen = QPen(style.ink, 1.2, Qt.PenStyle.DashLine)
        pen.setDashPattern([2.5, 2.0])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip.adjusted(0.6, 0.6, -0.6, -0.6), 5, 5)
    disc, inset = float(scaled(CHIP_DISC)), scaled(6)
    top = round(chip.center().y() - disc / 2)
    draw_symbol(painter, QRectF(chip.left() + inset, top, disc, disc), style)
    digits = chip.adjusted(inset + disc + inset, 0, -inset, 0)
    draw_text(painter, digits, style.text, role=Role.UI_STRONG, colour=theme.text, align=CENTRE)


@lru_cache(maxsize=256)
def _chip_pixmap(theme: Theme, style: GradeStyle, width: int, height: int, ratio: float) -> QPixmap:
    place = QRectF(0, 0, width, height)
    return painted_pixmap(
        width, height, ratio, lambda painter: draw_chip(painter, place, theme, style)
    )


def draw_chip_cached(painter: QPainter, rect: QRectF, theme: Theme, style: GradeStyle) -> None:
    """Draw a chip from a pixmap that is kept per look, size and device pixel ratio.

    For views that paint many.
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


@lru_cache(maxsize=64)
def scale_styles(scale: Scale, theme: Theme) -> tuple[GradeStyle, ...]:
    """Return the look of every level of a scale, lowest grade first."""
    return tuple(
        _level_style(scale, level, place, theme=theme) for place, level in enumerate(scale.levels)
    )


def widest_styles(scale: Scale, theme: Theme) -> tuple[GradeStyle, ...]:
    """Return looks of which one is as wide as any grade's: levels, and two decimals between."""
    styles = scale_styles(scale, theme)
    if not scale.is_continuous:
        return styles
    ends = (scale.levels[0].grade, scale.max_grade)
    return (*styles, *(grade_style(scale, round(end) + 0.44, theme) for end in ends))


def grade_style(scale: Scale, grade: float, theme: Theme) -> GradeStyle:
    """Return the look of one grade, also of one between the levels or off the scale.

    Args:
        scale: the project's.
        grade: any number; what is outside the scale is drawn as its nearest end.
        theme: the colours.
    """
    for level, style in zip(scale.levels, scale_styles(scale, theme), strict=True):
        if level.grade == grade:
            return style
    return _between_style(scale, grade, theme)


@lru_cache(maxsize=16)
def state_style(state: State, theme: Theme) -> GradeStyle:
    """Return the look of a document without a grade.

    Raises:
        ValueError: ``state`` is ``JUDGED``; its look needs the grade.
    """
    names = {
        State.UNJUDGED: (Symbol.UNJUDGED, _("not judged")),
        State.CANNOT_JUDGE: (Symbol.CANNOT_JUDGE, _("cannot be judged")),
        State.SKIPPED: (Symbol.SKIPPED, _("skipped")),
    }
    if state not in names:
        raise ValueError("a judged document's look needs its grade: grade_style()")
    symbol, name = names[state]
    return GradeStyle(UNDEFINED, name, "", theme.text3, None, symbol, 0.0)


def judgment_style(scale: Scale, state: State, grade: float | None, theme: Theme) -> GradeStyle:
    """Return the look of a judgment: of its grade when it has one, else of its state."""
    if grade is None:
        return state_style(state, theme)
    return grade_style(scale, grade, theme)


def ramp_ink(theme: Theme, place: int, count: int) -> QColor:
    """Return the ink of level ``place`` (from 0) of a scale with ``count`` levels."""
    if count in _RAMP_PLACES:
        return theme.ramp[_RAMP_PLACES[count][place]]
    return _ramp_between(theme, place / max(1, count - 1))


def colour_complaint(colour: str, theme: Theme) -> str | None:
    """Return the nearest colour that can be seen on rows, or ``None`` when this one can.

    Args:
        colour: ``#rrggbb`` that a project wants for a level.
        theme: whose ``base`` and ``selected`` it must stand out from by 3:1.
    """
    grounds = (theme.base.name(), theme.selected.name())
    if least_contrast(colour, grounds) >= NEEDED_CONTRAST:
        return None
    return nearest_passing(colour, grounds, NEEDED_CONTRAST)


def _own_ink(colour: str, theme: Theme) -> QColor:
    """Return a project's own colour; in high contrast the nearest that reaches 4.5:1."""
    if not theme.is_high:
        return QColor(colour)
    grounds = tuple(ground.name() for ground in theme.grounds)
    return QColor(nearest_passing(colour, grounds, HIGH_CONTRAST))


def _ramp_between(theme: Theme, share: float) -> QColor:
    return QColor(interpolate_oklab(tuple(ink.name() for ink in theme.ramp), share))


def _level_symbol(scale: Scale, level: Level) -> Symbol:
    if level.symbol:
        return Symbol.SIGN
    has_discs = len(scale.levels) <= MOST_DISCS and not scale.is_continuous
    return Symbol.DISC if has_discs else Symbol.BAR


def _fraction(scale: Scale, level: Level, place: int) -> float:
    """Return how full disc or bar is: by place, on a continuous scale by the number."""
    if not scale.is_continuous:
        return place / (len(scale.levels) - 1)
    lowest = scale.levels[0].grade
    return (level.grade - lowest) / (scale.max_grade - lowest)


def _level_style(scale: Scale, level: Level, place: int, *, theme: Theme) -> GradeStyle:
    count = len(scale.levels)
    ink = _own_ink(level.colour, theme) if level.colour else ramp_ink(theme, place, count)
    return GradeStyle(
        text=level.label,
        name=level.shown_name,
        key=level.key,
        ink=ink,
        ground=theme.chip_ground(ink),
        symbol=_level_symbol(scale, level),
        fraction=_fraction(scale, level, place),
        grade=level.grade,
        sign=level.symbol,
    )


@lru_cache(maxsize=512)
def _between_style(scale: Scale, grade: float, theme: Theme) -> GradeStyle:
    lowest, highest = scale.levels[0].grade, scale.max_grade
    share = min(1.0, max(0.0, (grade - lowest) / (highest - lowest)))
    ink = _ramp_between(theme, share)
    text = format_grade(grade)
    return GradeStyle(
        text,
        _("grade {text}").format(text=text),
        "",
        ink,
        theme.chip_ground(ink),
        Symbol.BAR,
        share,
        grade,
    )
