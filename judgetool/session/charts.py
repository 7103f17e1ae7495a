"""Charts: what one shows as plain values, on axes, in words, as numbers in a file and as SVG text.

There is one drawing of charts and difference bars for screen, files, page and PDF. Colours and the widths
of texts come from a :class:`ChartLook`: the window's theme and fonts, or the variables of an HTML page.
"""

import math
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import Literal, NamedTuple

from judgetool.core.number_text import format_value, signed
from judgetool.core.scale import Scale
from judgetool.formats.output import csv_line, safe_cell
from judgetool.wording import Stated, _, local_number, stated

Kind = Literal["line", "step", "bars", "stack"]
Point = tuple[float, float]

_ROUND = (1.0, 2.0, 5.0, 10.0)
_INKS = ("accent", "warn", "good", "link", "bad", "text")


class Series(NamedTuple):
    """Points that belong together.

    Attributes:
        label: for legend and readers.
        x: rising.
        y: as many; ``None`` where there is no value.
        kind: ``line`` through the points, ``step`` level until the next point, ``bars``
            from zero, ``stack`` bars on top of the stacked series before.
        is_quiet: a reference such as the ideal: thin, grey, dashed, without symbols.
        ink: name of its colour; ``""`` takes the next of the chart's own.
        grade: whose ink it has; ``None`` for none.
        sign: a short text that stands on stacked bars in place of a symbol.
        marked_to: the last x that has a symbol: beyond it a line only goes on.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    kind: Kind = "line"
    is_quiet: bool = False
    ink: str = ""
    grade: float | None = None
    sign: str = ""
    marked_to: float = math.inf

    @property
    def is_bar(self) -> bool:
        """Whether it is drawn from the ground up."""
        return self.kind in ("bars", "stack")

    def points(self) -> list[Point]:
        """Return the points that have a value."""
        pairs = zip(self.x, self.y, strict=True)
        return [(x, y) for x, y in pairs if y is not None and math.isfinite(x) and math.isfinite(y)]

    def value_at(self, x: float) -> float | None:
        """Return the value at one of the points, or ``None``."""
        return next((y for at, y in zip(self.x, self.y, strict=True) if at == x), None)


def series(
    label: str,
    x: Sequence[float],
    y: Sequence[float | None],
    *,
    kind: Kind = "line",
    is_quiet: bool = False,
) -> Series:
    """Return a series from any sequences; arrays go in by ``tolist()``."""
    return Series(label, tuple(x), tuple(y), kind, is_quiet)


class Chart(NamedTuple):
    """One chart.

    Attributes:
        title: what it shows.
        x_label: what runs to the right.
        y_label: what runs up.
        series: at most six lines look different from each other.
        x_range: from and to; ``None`` follows the points.
        y_range: likewise; without it the axis holds zero.
        digits: decimals of values.
        has_whole_x: whether ticks stand at whole numbers only, as for ranks.
        empty: what is said when there is no point.
        scale: whose grades the series are of; ``None`` where they are of none.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...] = ()
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    digits: int = 4
    has_whole_x: bool = False
    empty: str = stated("Nothing to draw yet.")
    scale: Scale | None = None

    def in_language(self) -> "Chart":
        """Return it as it is shown; in files its words are those that it has, English ones."""
        lines = tuple(each._replace(label=_shown(each.label)) for each in self.series)
        return self._replace(
            title=_shown(self.title),
            x_label=_shown(self.x_label),
            y_label=_shown(self.y_label),
            empty=_shown(self.empty),
            series=lines,
        )

    @property
    def positions(self) -> tuple[float, ...]:
        """Every x that has a point, rising."""
        return tuple(sorted({x for each in self.series for x, _ in each.points()}))

    def look_of(self, which: int) -> int:
        """Return which of the looks a series has, from 0: the next one; quiet ones take none."""
        return sum(not each.is_quiet for each in self.series[:which])

    def point_in_words(self, x: float) -> str:
        """Return all values at a position as one line."""
        values = [(each, each.value_at(x)) for each in self.series]
        told = [f"{each.label} {self._said(y)}" for each, y in values if y is not None]
        return f"{self.x_label} {_position(x)}: {', '.join(told)}"

    def _said(self, value: float) -> str:
        return local_number(format_value(value, digits=self.digits))

    def in_words(self) -> str:
        """Return what the chart shows, with its numbers, for readers."""
        lines = [self._line_in_words(each) for each in self.series if each.points()]
        if not lines:
            return f"{self.title}. {self.empty}" if self.title else self.empty
        return _("{title}: {y} against {x}. {lines}").format(
            title=self.title, y=self.y_label, x=self.x_label, lines=" ".join(lines)
        )

    def _line_in_words(self, line: Series) -> str:
        points, value = line.points(), self._said
        (first_x, first), (last_x, last) = points[0], points[-1]
        at, most = max(points, key=lambda point: point[1])
        return _(
            "{line}: {first} at {first_x}, {last} at {last_x}, most {most} at {most_x}."
        ).format(
            line=line.label,
            first=value(first),
            first_x=_position(first_x),
            last=value(last),
            last_x=_position(last_x),
            most=value(most),
            most_x=_position(at),
        )


def _position(x: float) -> str:
    return local_number(f"{x:.6g}")


def _shown(text: str) -> str:
    # Names of systems are what they are, even where one is a word.
    return text.translated() if isinstance(text, Stated) else text


class Axis(NamedTuple):
    """One direction of a chart, from numbers to pixels.

    Attributes:
        low: number at the start.
        high: number at the end, above ``low``.
        start: pixel of ``low``.
        stop: pixel of ``high``; less than ``start`` for the upright axis.
        step: from tick to tick.
        ticks: round numbers between low and high, both ends included.
    """

    low: float
    high: float
    start: float
    stop: float
    step: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Return the pixel of a number."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def tick_text(self, tick: float) -> str:
        """Return a tick's number with as many decimals as the step needs."""
        digits = max(0, -math.floor(math.log10(self.step) + 1e-9))
        return local_number(format_value(tick, digits=digits))


def make_axis(
    values: Sequence[float],
    start: float,
    stop: float,
    *,
    span: tuple[float, float] | None = None,
    most_ticks: int = 5,
    is_whole: bool = False,
) -> Axis:
    """Return an axis over some numbers.

    Args:
        values: at least one, unless ``span`` is given.
        start: pixel of the least.
        stop: pixel of the greatest.
        span: from and to; ``None`` takes the least and greatest value.
        most_ticks: about so many steps.
        is_whole: whether ticks stand at whole numbers only.
    """
    low, high = span if span is not None else (min(values), max(values))
    if high - low <= 1e-12 * max(1.0, abs(high), abs(low)):
        low, high = (low - 0.5, high + 0.5) if is_whole else (low, low + max(1.0, abs(low)))
    step = _round_step((high - low) / max(1, most_ticks))
    if is_whole:
        step = max(1.0, step)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple(step * place for place in range(first, last + 1))
    return Axis(low, high, start, stop, step, ticks)


def _round_step(step: float) -> float:
    power = 10.0 ** math.floor(math.log10(step))
    return next(each * power for each in _ROUND if each * power >= step * 0.999)


def iter_chart_csv(chart: Chart) -> Iterator[bytes]:
    """Yield a chart's numbers as CSV: series, position, value."""
    rows = [("series", chart.x_label, chart.y_label)]
    for each in chart.series:
        points = zip(each.x, each.y, strict=True)
        rows += [
            (each.label, repr(x).removesuffix(".0"), "" if y is None else repr(y))
            for x, y in points
        ]
    for row in rows:
        yield csv_line(map(safe_cell, row)).encode("utf-8", errors="replace")


# A chart as SVG

_DASHES = ("", "12 6", "4 4", "16 6 4 6", "8 4", "2 4")
_QUIET_DASH = "6 4.5"
_SYMBOL_RADIUS = 3.5
_CORNERS: tuple[tuple[Point, ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0.0, -1.2), (1.15, 0.85), (-1.15, 0.85)),
    ((0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)),
    ((0.0, 1.2), (-1.15, -0.85), (1.15, -0.85)),
    ((-1.1, -0.45), (0.0, -1.25), (1.1, -0.45), (0.7, 1.0), (-0.7, 1.0)),
)
_LEAST_SYMBOL_STEP = 14.0
_BAR_SHARE = 0.72
_MOST_BAR = 28.0
_INSET, _TICK_ROOM = 4.0, 6.0
_LEGEND_LINE, _LEGEND_GAP, _WIDEST_LABEL, _WIDEST_NAME = 22.0, 14.0, 200.0, 150.0
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, 0xFFFE, 0xFFFF), "\ufffd")


def _page_ink(name: str, _chart: Chart, _grade: float | None) -> str:
    return f"var(--{name}, {PAGE_INKS[name]})"


def estimated_width(size: float, text: str) -> float:
    """Return about how wide a text is, in px: narrow letters count as much as wide ones."""
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return size * (0.58 * (len(text) - wide) + wide)


PAGE_INKS = {
    "base": "#ffffff",
    "panel": "#f7f7f9",
    "sunken": "#eaebef",
    "text": "#1b1c20",
    "text2": "#474a53",
    "text3": "#5f636d",
    "line": "#dfe0e6",
    "line_strong": "#8b8f9a",
    "accent": "#5a43c8",
    "good": "#0f6b4f",
    "warn": "#855500",
    "bad": "#b3301c",
    "link": "#1f5fae",
}
"""Colours of an HTML page in light, by name; also what a chart falls back on by itself."""


class ChartLook(NamedTuple):
    """Colours and type of a drawing.

    Attributes:
        ink: the CSS colour of a name, or of a grade of a chart's scale.
        width_of: width of a text in px at a size.
        family: CSS names of fonts.
        small: size of texts at the axes, px.
        meta: size of the legend, px.
        unit: px that stand for one at a 13 px font.
    """

    ink: Callable[[str, Chart, float | None], str] = _page_ink
    width_of: Callable[[float, str], float] = estimated_width
    family: str = "Inter, system-ui, sans-serif"
    small: float = 10.5
    meta: float = 12.0
    unit: float = 1.0


PAGE_LOOK = ChartLook()
"""In the colours of the page that the drawing stands in."""


# Where its parts stand


class ChartPlaces(NamedTuple):
    """Where a chart's parts stand.

    Attributes:
        left: of the inside of the axes; ``top``, ``right``, ``bottom`` likewise.
        x: to the right.
        y: up.
        legend: left, top and width of each series' place in it; ``()`` without a legend.
    """

    left: float
    top: float
    right: float
    bottom: float
    x: Axis
    y: Axis
    legend: tuple[tuple[float, float, float], ...]


def chart_places(
    chart: Chart, width: float, height: float, look: ChartLook, *, top: float = 0.0
) -> ChartPlaces | None:
    """Return where the parts of a chart stand; ``None`` with nothing to draw."""
    points = [point for each in chart.series for point in each.points()]
    if not points:
        return None
    small, unit = _line_of(look.small), look.unit
    legend, used = _legend(chart, width, look, top)
    upper = top + used + small * 1.5 + _TICK_ROOM
    lower = max(upper + 10.0, height - 2 * small - _TICK_ROOM)
    rows = max(2, int((lower - upper) // (24 * unit)))
    y = make_axis(_heights(chart), lower, upper, span=chart.y_range, most_ticks=min(6, rows))
    room = max(look.width_of(look.small, y.tick_text(tick)) for tick in (*y.ticks, y.low))
    left = room + _TICK_ROOM + _INSET
    right = max(left + 10.0, width - 10 * unit)
    xs = [x for x, _ in points]
    is_bars = any(each.is_bar for each in chart.series)
    pad = min(18 * unit, (right - left) / max(2, 2 * len(set(xs)))) if is_bars else 4 * unit
    widest = max(look.width_of(look.small, f"{x:.6g}") for x in (min(xs), max(xs))) + 16 * unit
    x = make_axis(
        xs,
        left + pad,
        right - pad,
        span=chart.x_range,
        most_ticks=max(1, min(10, int((right - left) // max(widest, 36 * unit)))),
        is_whole=chart.has_whole_x,
    )
    return ChartPlaces(left, upper, right, lower, x, y, legend)


def _line_of(size: float) -> float:
    return round(size * 1.24)


def _heights(chart: Chart) -> list[float]:
    sums: dict[float, float] = {}
    return [0.0, *(end for each in chart.series for _x, _base, end in _bar_ends(each, sums))]


def _bar_ends(line: Series, sums: dict[float, float]) -> Iterator[tuple[float, float, float]]:
    """Yield where each point stands, where its bar begins, on those before it, and where it ends."""
    for x, y in line.points():
        base = sums.get(x, 0.0) if line.kind == "stack" else 0.0
        sums[x] = base + y
        yield x, base, base + y


def _legend(
    chart: Chart, width: float, look: ChartLook, top: float
) -> tuple[tuple[tuple[float, float, float], ...], float]:
    """Return a place per series, and how much height they take; one series needs none."""
    if len(chart.series) < 2:
        return (), 0.0
    height, left, start = _line_of(look.meta) + 2, _INSET, top
    places = []
    for each in chart.series:
        label = min(look.width_of(look.meta, each.label) + 1.0, _WIDEST_LABEL * look.unit)
        wide = min(_LEGEND_LINE * look.unit + 6 + label, width - 8)
        if left + wide > width and left > _INSET:
            left, top = _INSET, top + height
        places.append((left, top, wide))
        left += wide + _LEGEND_GAP * look.unit
    return tuple(places), top + height - start


# Drawing


def chart_svg(
    chart: Chart,
    width: float,
    height: float,
    look: ChartLook = PAGE_LOOK,
    *,
    ground: str = "base",
    is_page: bool = False,
) -> str:
    """Return a chart as an ``<svg>`` element; without any point it says so.

    Args:
        chart: what is drawn.
        width: in px.
        height: likewise.
        look: colours and type.
        ground: name of the colour it stands on, for the edges of symbols.
        is_page: whether it stands by itself: on its ground, within margins, under its title.
    """
    pen = _Pen(chart, look, ground)
    parts, margin, top = [], 0.0, 0.0
    if is_page:
        margin = 16.0
        parts.append(pen.box(0, 0, width, height, pen.ink(ground)))
        top = _line_of(look.meta * 13 / 12) + 8.0
        shift = f"translate({margin:g} {margin:g})"
        parts.append(f'<g transform="{shift}">')
        title = pen.shortened(chart.title, width - 2 * margin, look.meta * 13 / 12)
        parts.append(pen.text((0, top / 2 - 4), title, size=look.meta * 13 / 12, weight=600))
    inner = width - 2 * margin, height - 2 * margin
    places = chart_places(chart, *inner, look, top=top)
    if places is None:
        empty, line = pen.folded(chart.empty, inner[0], look.meta), _line_of(look.meta)
        first = (inner[1] - (len(empty) - 1) * line) / 2
        parts += [
            pen.text((inner[0] / 2, first + at * line), text, "middle", size=look.meta, ink="text2")
            for at, text in enumerate(empty)
        ]
    else:
        parts += [*pen.grid(places), *pen.all_series(places), *pen.legend(places)]
    parts.append("</g>" if is_page else "")
    about = f"<desc>{escaped(chart.in_words())}</desc>" if is_page else ""
    return _svg(width, height, chart.title, about + "".join(parts))


def mark_svg(
    chart: Chart,
    mark: float,
    width: float,
    height: float,
    look: ChartLook,
    *,
    ground: str = "base",
) -> str:
    """Return what is laid over a chart of the same size to show its values at a position.

    Args:
        chart: what is drawn beneath.
        mark: one of its positions.
        width: in px.
        height: likewise.
        look: colours and type.
        ground: name of the colour it stands on.
    """
    pen, places = _Pen(chart, look, ground), chart_places(chart, width, height, look)
    marked = () if places is None else pen.mark(places, mark)
    return _svg(width, height, chart.title, "".join(marked))


def _svg(width: float, height: float, title: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" style="max-width:100%;height:auto">'
        f"<title>{escaped(title)}</title>{content}</svg>"
    )


def escaped(text: str) -> str:
    """Return a text for HTML and XML: markup escaped, characters that XML forbids replaced."""
    cleaned = text.translate(_CONTROLS)
    if not cleaned.isprintable():
        # A lone surrogate cannot be written as UTF-8.
        cleaned = cleaned.encode("utf-8", errors="replace").decode()
    return escape(cleaned)


class _Line(NamedTuple):
    """A series as it is drawn: its colour, and which of the dashes and symbols it has."""

    series: Series
    ink: str
    look: int


class _Pen:
    """Writes the elements of a drawing."""

    def __init__(self, chart: Chart, look: ChartLook, ground: str) -> None:
        self._chart, self._look, self._ground = chart, look, ground
        self._lines = [
            self._line_of(each, chart.look_of(at)) for at, each in enumerate(chart.series)
        ]

    def _line_of(self, each: Series, look: int) -> _Line:
        name = "text3" if each.is_quiet else each.ink or _INKS[look % len(_INKS)]
        return _Line(each, self.ink(name, each.grade), look)

    def ink(self, name: str, grade: float | None = None) -> str:
        return self._look.ink(name, self._chart, grade)

    def shortened(self, text: str, room: float, size: float, *, is_name: bool = False) -> str:
        """Return a text on one line that fits, with an ellipsis where it was longer: of names in the middle."""
        text = " ".join(text.split())

        def cut(n_kept: int) -> str:
            # Names often begin alike and differ at the end.
            n_last = n_kept // 2 if is_name else 0
            return f"{text[: n_kept - n_last].rstrip()}…{text[len(text) - n_last :]}"

        if self._look.width_of(size, text) <= room:
            return text
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            is_fit = self._look.width_of(size, cut(middle)) <= room
            low, high = (middle, high) if is_fit else (low, middle - 1)
        return cut(low)

    def folded(self, text: str, room: float, size: float) -> list[str]:
        """Return the lines of a text that fit; a word that does not is shortened."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self._look.width_of(size, longer) <= room:
                lines[-1] = longer
            else:
                lines.append(word)
        return [self.shortened(line, room, size) for line in lines]

    def text(
        self,
        at: Point,
        text: str,
        anchor: str = "start",
        *,
        size: float = 0.0,
        ink: str = "text",
        weight: int = 400,
    ) -> str:
        """Return one line of text that begins, stands about or ends at a point, by its middle."""
        size = size or self._look.small
        return (
            f'<text x="{at[0]:.1f}" y="{at[1] + 0.36 * size:.1f}" text-anchor="{anchor}" '
            f'font-family="{self._look.family}" font-size="{size:g}" font-weight="{weight}" '
            f'style="fill:{self.ink(ink)};unicode-bidi:plaintext">{escaped(text)}</text>'
        )

    def box(self, x: float, y: float, width: float, height: float, fill: str) -> str:
        """Return a filled rectangle."""
        return _rectangle(x, y, width, height, f"fill:{fill}")

    def _rule(self, x1: float, y1: float, x2: float, y2: float, style: str) -> str:
        return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" style="{style}"/>'

    def grid(self, places: ChartPlaces) -> Iterator[str]:
        """Yield the lines of the upright axis, the numbers and names of both."""
        small = _line_of(self._look.small)
        for tick in places.y.ticks:
            y = round(places.y.at(tick)) + 0.5
            ink = self.ink("line_strong" if tick == 0 else "line")
            yield self._rule(places.left, y, places.right, y, f"stroke:{ink};stroke-width:1")
            said = places.y.tick_text(tick)
            yield self.text((places.left - _TICK_ROOM, y), said, "end", ink="text3", weight=500)
        middle = places.bottom + 3 + small / 2
        for tick in places.x.ticks:
            said = _position(tick)
            half = self._look.width_of(self._look.small, said) / 2
            at = min(places.x.at(tick), places.right + 10 * self._look.unit - half)
            yield self.text((at, middle), said, "middle", ink="text3", weight=500)
        centre = (places.left + places.right) / 2
        label = self.shortened(self._chart.x_label, places.right - places.left, self._look.small)
        yield self.text((centre, middle + small), label, "middle", ink="text2", weight=500)
        widest = self._look.width_of(self._look.small, places.y.tick_text(places.y.high))
        left = max(0.0, places.left - widest - _TICK_ROOM)
        above = places.top - small - _TICK_ROOM / 2
        label = self.shortened(self._chart.y_label, places.right - left, self._look.small)
        yield self.text((left, above), label, ink="text2", weight=500)

    def all_series(self, places: ChartPlaces) -> Iterator[str]:
        """Yield lines, symbols and bars."""
        bases: dict[float, float] = {}
        for line in self._lines:
            if line.series.is_bar:
                yield from self._bars(places, line, bases)
            else:
                yield from self._line(places, line)

    def _bars(self, places: ChartPlaces, line: _Line, bases: dict[float, float]) -> Iterator[str]:
        each, width = line.series, _bar_width(self._chart, places)
        fill, ground = line.ink, self.ink(self._ground)
        is_faint = each.ink == "sunken"
        for x, base, end in _bar_ends(each, bases):
            top, bottom = sorted((places.y.at(base), places.y.at(end)))
            left, wide = round(places.x.at(x) - width / 2), round(width)
            yield self.box(left, top, wide, bottom - top, fill)
            if is_faint:
                yield self._outline(left, top, wide, bottom - top)
            if each.kind == "stack" and bottom - top > 1:
                yield self.box(left, top, wide, 1, ground)
            is_roomy = bottom - top > _line_of(self._look.small)
            if each.sign and is_roomy and width > self._look.width_of(self._look.small, each.sign):
                middle = (top + bottom) / 2
                on_ink = "text" if is_faint else self._ground
                yield self.text((left + wide / 2, middle), each.sign, "middle", ink=on_ink)

    def _outline(self, x: float, y: float, width: float, height: float) -> str:
        style = f"fill:none;stroke:{self.ink('line_strong')};stroke-width:1"
        return _rectangle(x + 0.5, y + 0.5, max(0.0, width - 1), max(0.0, height - 1), style)

    def _line(self, places: ChartPlaces, line: _Line) -> Iterator[str]:
        each = line.series
        points: list[Point] = []
        path: list[str] = []
        is_pen_down = False
        for x, y in zip(each.x, each.y, strict=True):
            if y is None or not (math.isfinite(x) and math.isfinite(y)):
                is_pen_down = False
                continue
            at = (places.x.at(x), places.y.at(y))
            if is_pen_down and each.kind == "step":
                path.append(f"L{at[0]:.1f} {points[-1][1]:.1f}")
            path.append(f"{'L' if is_pen_down else 'M'}{at[0]:.1f} {at[1]:.1f}")
            is_pen_down = True
            points.append(at)
        if not points:
            return
        yield f'<path d="{"".join(path)}" style="fill:none;{_stroke(line)}"/>'
        if not each.is_quiet:
            end = places.x.at(min(each.marked_to, places.x.high))
            for point in _spread([point for point in points if point[0] <= end]):
                yield self._symbol(point, line)

    def mark(self, places: ChartPlaces, x: float) -> Iterator[str]:
        """Yield a line through a position, rings around its points, and a box with the values."""
        at, rows = places.x.at(x), []
        style = f"stroke:{self.ink('line_strong')};stroke-width:1"
        yield self._rule(at, places.top, at, places.bottom, style)
        for line in self._lines:
            value = line.series.value_at(x)
            if value is None:
                continue
            rows.append((line, format_value(value, digits=self._chart.digits)))
            if not line.series.is_bar and x <= line.series.marked_to:
                ring = f"fill:{self.ink(self._ground)};stroke:{line.ink};stroke-width:2"
                yield _disc((at, places.y.at(value)), 4.5, ring)
        head = f"{self._chart.x_label} {_position(x)}"
        yield from self._values(places, at, head, rows)

    def _values(
        self, places: ChartPlaces, at: float, head: str, rows: Sequence[tuple[_Line, str]]
    ) -> Iterator[str]:
        """Yield the box, on the side where there is more room."""
        look, unit, high = self._look, self._look.unit, _line_of(self._look.meta) + 2.0
        widths = [look.width_of(look.meta, head)]
        for line, text in rows:
            label = look.width_of(look.meta, line.series.label)
            number = look.width_of(look.meta, text)
            widths.append(min(label, _WIDEST_NAME * unit) + number + 34 * unit)
        width = min(max(widths) + 16, places.right - places.left)
        is_right = at < (places.left + places.right) / 2
        left = at + 10 if is_right else max(0.0, at - 10 - width)
        top = places.top + 6
        frame = f"fill:{self.ink('raised')};stroke:{self.ink('line_strong')};stroke-width:1"
        yield _rectangle(left, top, width, high * (len(rows) + 1) + 10, frame, radius=5)
        middle = top + 5 + high / 2
        yield self.text((left + 8, middle), head, size=look.meta, ink="text3")
        for line, text in rows:
            middle += high
            each, end = line.series, left + width - 8
            if each.is_bar:
                yield self.box(left + 10, middle - 3, 6, 6, line.ink)
            else:
                yield self._symbol((left + 13, middle), line)
            room = width - 36 - look.width_of(look.meta, text)
            name = self.shortened(each.label, room, look.meta)
            yield self.text((left + 24, middle), name, size=look.meta, ink="text2")
            yield self.text((end, middle), text, "end", size=look.meta)

    def _symbol(self, at: Point, line: _Line) -> str:
        style = f"fill:{line.ink};stroke:{self.ink(self._ground)};stroke-width:1"
        corners = _CORNERS[line.look % len(_CORNERS)]
        if not corners:
            return _disc(at, _SYMBOL_RADIUS, style)
        points = " ".join(
            f"{at[0] + x * _SYMBOL_RADIUS:.1f},{at[1] + y * _SYMBOL_RADIUS:.1f}" for x, y in corners
        )
        return f'<polygon points="{points}" style="{style}"/>'

    def legend(self, places: ChartPlaces) -> Iterator[str]:
        """Yield the looks of the series with their names."""
        height = _line_of(self._look.meta) + 2
        for line, (left, top, width) in zip(self._lines, places.legend, strict=False):
            each, swatch = line.series, _LEGEND_LINE * self._look.unit
            middle, end = top + height / 2, left + swatch
            if each.is_bar:
                yield self.box(end - 12, middle - 5, 10, 10, line.ink)
                if each.ink == "sunken":
                    yield self._outline(end - 12, middle - 5, 10, 10)
            else:
                yield self._rule(left, middle, end, middle, _stroke(line))
                if not each.is_quiet:
                    yield self._symbol((left + swatch / 2, middle), line)
            room = width - swatch - 5
            label = self.shortened(each.label, room, self._look.meta, is_name=True)
            yield self.text((end + 6, middle), label, size=self._look.meta, ink="text2")


def _stroke(line: _Line) -> str:
    is_quiet = line.series.is_quiet
    dash = _QUIET_DASH if is_quiet else _DASHES[line.look % len(_DASHES)]
    return (
        f"stroke:{line.ink};stroke-width:{1.5 if is_quiet else 2.0:g};"
        f"stroke-linejoin:round{f';stroke-dasharray:{dash}' if dash else ''}"
    )


def _rectangle(
    x: float, y: float, width: float, height: float, style: str, *, radius: int = 0
) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    corners = f' rx="{radius}"' if radius else ""
    return f'<rect {place}{corners} style="{style}"/>'


def _disc(at: Point, radius: float, style: str) -> str:
    return f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" style="{style}"/>'


def _bar_width(chart: Chart, places: ChartPlaces) -> float:
    gaps = [after - before for before, after in pairwise(chart.positions)]
    step = min(gaps, default=places.x.high - places.x.low)
    pixels = abs(places.x.at(places.x.low + step) - places.x.at(places.x.low))
    return max(1.0, min(_MOST_BAR, pixels * _BAR_SHARE))


def _spread(points: Sequence[Point]) -> list[Point]:
    """Return the points that get a symbol: not closer to each other than can be told apart."""
    kept: list[Point] = []
    for point in points:
        if not kept or abs(point[0] - kept[-1][0]) >= _LEAST_SYMBOL_STEP:
            kept.append(point)
    return kept


_BAR = 18.0


def difference_bars_svg(
    bars: Sequence[tuple[str, float]],
    title: str,
    look: ChartLook = PAGE_LOOK,
    *,
    most: float = 0.0,
    is_quality: bool = True,
) -> str:
    """Return differences as bars to either side of zero, in the order given.

    Args:
        bars: label and difference of each.
        title: for screen readers.
        look: colours and type.
        most: what the longest bar stands for; 0 for the largest of these.
        is_quality: whether more is better; else no bar is good or bad.

    Returns:
        An ``<svg>`` element; without any bar it says so.
    """
    pen = _Pen(Chart(title, "", ""), look, "base")
    width, height = 640.0, _BAR * max(1, len(bars)) + 12
    if not bars:
        none = pen.text(
            (width / 2, 14), _("no query differs"), "middle", size=look.meta, ink="text3"
        )
        return _svg(width, height, title, none)
    most = most or max(abs(value) for _, value in bars) or 1.0
    middle, reach = width * 0.62, width * 0.23
    parts = []
    for place, (label, value) in enumerate(bars):
        top = 6 + _BAR * place
        wide = reach * abs(value) / most
        left = middle if value >= 0 else middle - wide
        mark = "▲ " if value > 0 else "▼ " if value < 0 else ""
        shown = pen.shortened(label, middle - reach - 12, look.meta)
        said = mark + signed(value) if is_quality else signed(value)
        colour = pen.ink(("good" if value >= 0 else "bad") if is_quality else "text3")
        parts += [
            pen.text((4, top + 8.7), shown, size=look.meta),
            pen.box(left, top + 2, max(wide, 0.5), 13, colour),
            pen.text((width - 4, top + 8.7), said, "end", size=look.meta),
        ]
    line = f"stroke:{pen.ink('text3')};stroke-width:1"
    parts.append(pen._rule(middle, 2, middle, height - 2, line))  # noqa: SLF001 - its own module's
    return _svg(width, height, title, "".join(parts))
