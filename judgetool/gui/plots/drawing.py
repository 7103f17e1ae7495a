"""Draws a chart with any painter: on screen, into a PNG, an SVG or a printed page."""

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from judgetool.gui.fonts import Role, line_height, scaled, text_width
from judgetool.gui.grade_style import NEEDED_CONTRAST
from judgetool.gui.oklab import least_contrast
from judgetool.gui.painting import CENTRE, LEFT, RIGHT, draw_text, smooth
from judgetool.gui.plots.axis import Axis, make_axis
from judgetool.gui.plots.chart import Chart, Series
from judgetool.gui.plots.symbols import (
    draw_point_symbol,
    series_ink,
    series_pen,
    series_place,
)
from judgetool.gui.theme import Theme, mixed

_INSET = 4
_TICK_ROOM = 6
_LEGEND_LINE = 22
_LEGEND_GAP = 14
_WIDEST_LABEL = 200
_LEAST_SYMBOL_STEP = 14.0
_BAR_SHARE = 0.72
_MOST_BAR = 28.0
_BAND_SHARE = 0.14


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a chart's parts stand.

    Attributes:
        plot: inside of the axes.
        x: to the right.
        y: up.
        legend: a rectangle per series: swatch and label.
    """

    plot: QRectF
    x: Axis
    y: Axis
    legend: tuple[QRectF, ...]


@dataclass(frozen=True, slots=True)
class _Bars:
    """Where bars stand, how wide they are, and what faint ones are drawn round with."""

    frame: Frame
    width: float
    theme: Theme


def chart_frame(chart: Chart, rect: QRectF) -> Frame | None:
    """Return where the parts of a chart stand in a rectangle; ``None`` with nothing to draw."""
    points = [point for each in chart.series for point in each.points()]
    if not points:
        return None
    legend, used = _legend(chart, rect)
    head = line_height(Role.SMALL) * 3 // 2 + _TICK_ROOM
    foot = line_height(Role.SMALL) * 2 + _TICK_ROOM
    top, bottom = rect.top() + used + head, rect.bottom() - foot
    rows = max(2, int((bottom - top) // scaled(24)))
    y = make_axis(_heights(chart), bottom, top, span=chart.y_range, most_ticks=min(6, rows))
    room = max(text_width(Role.SMALL, y.tick_text(tick)) for tick in (*y.ticks, y.low))
    left, right = rect.left() + room + _TICK_ROOM + _INSET, rect.right() - scaled(10)
    plot = QRectF(left, top, max(10.0, right - left), max(10.0, bottom - top))
    xs = [x for x, _ in points]
    n_x = len(set(xs))
    is_bars = any(each.kind in ("bars", "stack") for each in chart.series)
    pad = min(scaled(18), plot.width() / max(2, 2 * n_x)) if is_bars else scaled(4)
    widest = max(text_width(Role.SMALL, chart.x_text(x)) for x in (min(xs), max(xs))) + scaled(16)
    x = make_axis(
        xs,
        plot.left() + pad,
        plot.right() - pad,
        span=chart.x_range,
        most_ticks=max(1, min(10, int(plot.width() // max(widest, scaled(36))))),
        is_whole=chart.has_whole_x,
    )
    return Frame(plot, x, y, legend)


def _heights(chart: Chart) -> list[float]:
    heights = [0.0]
    sums: dict[float, float] = {}
    for each in chart.series:
        for x, y in each.points():
            base = sums.get(x, 0.0) if each.kind == "stack" else 0.0
            sums[x] = base + y
            heights.append(base + y)
        heights += [*each.low, *each.high]
    return heights


def _legend(chart: Chart, rect: QRectF) -> tuple[tuple[QRectF, ...], float]:
    """Return a place per series, and how much height they take; one series needs none."""
    if len(chart.series) < 2:
        return (), 0.0
    height = line_height(Role.META) + 2
    left, top = rect.left() + _INSET, rect.top()
    places = []
    for each in chart.series:
        label = min(text_width(Role.META, each.label) + 1.0, scaled(_WIDEST_LABEL))
        width = min(scaled(_LEGEND_LINE) + 6 + label, rect.width() - 8)
        if left + width > rect.right() and left > rect.left() + _INSET:
            left, top = rect.left() + _INSET, top + height
        places.append(QRectF(left, top, width, height))
        left += width + scaled(_LEGEND_GAP)
    return tuple(places), top + height - rect.top()


def draw_chart(
    painter: QPainter,
    rect: QRectF,
    chart: Chart,
    theme: Theme,
    *,
    ground: QColor | None = None,
    mark: float | None = None,
) -> None:
    """Draw a chart.

    Args:
        painter: any; put back as it was.
        rect: all of the chart's room.
        chart: what is drawn.
        theme: the colours.
        ground: what the chart stands on, for the edges of symbols; ``None`` for ``base``.
        mark: position whose points are ringed, with a line down to the axis.
    """
    painter.save()
    frame = chart_frame(chart, rect)
    if frame is None:
        draw_text(painter, rect, chart.empty, role=Role.UI, colour=theme.text2, align=CENTRE)
    else:
        ink_ground = ground if ground is not None else theme.base
        _draw_grid(painter, chart, frame, theme)
        if mark is not None:
            at = frame.x.at(mark)
            painter.setPen(QPen(theme.line_strong, 1.0))
            painter.drawLine(QPointF(at, frame.plot.top()), QPointF(at, frame.plot.bottom()))
        _draw_all_series(painter, chart, frame, theme, ground=ink_ground)
        _draw_legend(painter, chart, frame, theme, ground=ink_ground)
        if mark is not None:
            _draw_mark(painter, chart, frame, theme, mark=mark)
    painter.restore()


def _draw_grid(painter: QPainter, chart: Chart, frame: Frame, theme: Theme) -> None:
    plot, small = frame.plot, line_height(Role.SMALL)
    for tick in frame.y.ticks:
        y = round(frame.y.at(tick)) + 0.5
        painter.setPen(QPen(theme.line_strong if tick == 0 else theme.line, 1.0))
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
        place = QRectF(plot.left() - 200, y - small / 2, 200 - _TICK_ROOM, small)
        text = frame.y.tick_text(tick)
        draw_text(painter, place, text, role=Role.SMALL, colour=theme.text3, align=RIGHT)
    top = plot.bottom() + 3
    for tick in frame.x.ticks:
        text = chart.x_text(tick)
        width = text_width(Role.SMALL, text) + 2.0
        left = min(frame.x.at(tick) - width / 2, plot.right() + scaled(10) - width)
        place = QRectF(left, top, width, small)
        draw_text(painter, place, text, role=Role.SMALL, colour=theme.text3, align=CENTRE)
    below = QRectF(plot.left(), top + small, plot.width(), small)
    draw_text(painter, below, chart.x_label, role=Role.SMALL, colour=theme.text2, align=CENTRE)
    above = plot.top() - small * 3 // 2 - _TICK_ROOM / 2
    left = plot.left() - text_width(Role.SMALL, frame.y.tick_text(frame.y.high)) - _TICK_ROOM
    head = QRectF(max(0.0, left), above, plot.right() - left, small)
    draw_text(painter, head, chart.y_label, role=Role.SMALL, colour=theme.text2, align=LEFT)


def _draw_all_series(
    painter: QPainter, chart: Chart, frame: Frame, theme: Theme, *, ground: QColor
) -> None:
    bases: dict[float, float] = {}
    for which, each in enumerate(chart.series):
        place = series_place(chart.series, which)
        ink = series_ink(theme, each, place)
        if each.kind in ("bars", "stack"):
            bars = _Bars(frame, bar_width(chart, frame), theme)
            _draw_bars(painter, bars, each, ink, bases=bases, ground=ground)
        else:
            if each.low:
                _draw_band(painter, frame, each, mixed(ground, ink, _BAND_SHARE))
            _draw_line(painter, frame, each, ink, place, ground=ground)


def bar_width(chart: Chart, frame: Frame) -> float:
    """Return how wide a chart's bars are."""
    positions = chart.positions
    gaps = [after - before for before, after in pairwise(positions)]
    step = min(gaps, default=frame.x.high - frame.x.low)
    pixels = abs(frame.x.at(frame.x.low + step) - frame.x.at(frame.x.low))
    return max(1.0, min(_MOST_BAR, pixels * _BAR_SHARE))


def _draw_bars(
    painter: QPainter,
    bars: _Bars,
    each: Series,
    ink: QColor,
    *,
    bases: dict[float, float],
    ground: QColor,
) -> None:
    frame, width = bars.frame, bars.width
    is_faint = least_contrast(ink.name(), (ground.name(),)) < NEEDED_CONTRAST
    on_ink = bars.theme.text if is_faint else ground
    for x, y in each.points():
        base = bases.get(x, 0.0) if each.kind == "stack" else 0.0
        bases[x] = base + y
        top, bottom = sorted((frame.y.at(base), frame.y.at(base + y)))
        bar = QRectF(round(frame.x.at(x) - width / 2), top, round(width), bottom - top)
        painter.fillRect(bar, ink)
        if is_faint:
            _draw_outline(painter, bar, bars.theme)
        if each.kind == "stack" and bar.height() > 1:
            painter.fillRect(QRectF(bar.left(), bar.top(), bar.width(), 1), ground)
        is_roomy = bar.height() > line_height(Role.SMALL)
        if each.sign and is_roomy and width > text_width(Role.SMALL, each.sign):
            draw_text(painter, bar, each.sign, role=Role.SMALL, colour=on_ink, align=CENTRE)


def _draw_outline(painter: QPainter, box: QRectF, theme: Theme) -> None:
    painter.setPen(QPen(theme.line_strong, 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))


def _draw_band(painter: QPainter, frame: Frame, each: Series, fill: QColor) -> None:
    edges = list(zip(each.x, each.low, each.high, strict=True))
    corners = [QPointF(frame.x.at(x), frame.y.at(high)) for x, _, high in edges]
    corners += [QPointF(frame.x.at(x), frame.y.at(low)) for x, low, _ in reversed(edges)]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawPolygon(QPolygonF(corners))


def _draw_line(
    painter: QPainter, frame: Frame, each: Series, ink: QColor, place: int, *, ground: QColor
) -> None:
    path = QPainterPath()
    points: list[QPointF] = []
    is_pen_down = False
    for x, y in zip(each.x, each.y, strict=True):
        if y is None:
            is_pen_down = False
            continue
        here = QPointF(frame.x.at(x), frame.y.at(y))
        if not is_pen_down:
            path.moveTo(here)
        elif each.kind == "step":
            path.lineTo(here.x(), points[-1].y())
            path.lineTo(here)
        else:
            path.lineTo(here)
        is_pen_down = True
        points.append(here)
    with smooth(painter):
        painter.setClipRect(frame.plot.adjusted(-6, -6, 6, 6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(series_pen(ink, place, is_quiet=each.is_quiet))
        painter.drawPath(path)
        if not each.is_quiet:
            for at in _spread(points):
                draw_point_symbol(painter, at, ink, place, ground=ground)


def _spread(points: list[QPointF]) -> list[QPointF]:
    """Return the points that get a symbol: not closer to each other than can be told apart."""
    kept: list[QPointF] = []
    for point in points:
        if not kept or abs(point.x() - kept[-1].x()) >= _LEAST_SYMBOL_STEP:
            kept.append(point)
    return kept


def _draw_legend(
    painter: QPainter, chart: Chart, frame: Frame, theme: Theme, *, ground: QColor
) -> None:
    for which, place in enumerate(frame.legend):
        each, look = chart.series[which], series_place(chart.series, which)
        ink = series_ink(theme, each, look)
        swatch = QRectF(place.left(), place.top(), scaled(_LEGEND_LINE), place.height())
        if each.kind in ("bars", "stack"):
            box = QRectF(swatch.right() - 12, swatch.center().y() - 5, 10, 10)
            painter.fillRect(box, ink)
            if least_contrast(ink.name(), (ground.name(),)) < NEEDED_CONTRAST:
                _draw_outline(painter, box, theme)
        else:
            with smooth(painter):
                painter.setPen(series_pen(ink, look, is_quiet=each.is_quiet))
                middle = swatch.center()
                painter.drawLine(
                    QPointF(swatch.left(), middle.y()), QPointF(swatch.right(), middle.y())
                )
                if not each.is_quiet:
                    draw_point_symbol(painter, middle, ink, look, ground=ground)
        text = place.adjusted(swatch.width() + 6, 0, 0, 0)
        draw_text(painter, text, each.label, role=Role.META, colour=theme.text2, align=LEFT)


def _draw_mark(painter: QPainter, chart: Chart, frame: Frame, theme: Theme, *, mark: float) -> None:
    with smooth(painter):
        for which, each in enumerate(chart.series):
            value = each.value_at(mark)
            if value is None or each.kind in ("bars", "stack"):
                continue
            ink = series_ink(theme, each, series_place(chart.series, which))
            painter.setPen(QPen(ink, 2.0))
            painter.setBrush(theme.base)
            painter.drawEllipse(QPointF(frame.x.at(mark), frame.y.at(value)), 4.5, 4.5)
