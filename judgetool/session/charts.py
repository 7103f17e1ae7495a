"""What a chart shows, as plain values, on axes, in words and as numbers in a file."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from judgetool.core.number_text import format_value
from judgetool.core.scale import Scale
from judgetool.formats.output import csv_line, safe_cell
from judgetool.wording import Stated, _, local_number, stated

Kind = Literal["line", "step", "bars", "stack"]
Point = tuple[float, float]

_ROUND = (1.0, 2.0, 5.0, 10.0)
_INKS = ("accent", "warn", "good", "link", "bad", "text")


@dataclass(frozen=True, slots=True)
class Series:
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
        look: which of the chart's inks, symbols and dashes it has, from 0; ``None`` takes
            the next one.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    kind: Kind = "line"
    is_quiet: bool = False
    ink: str = ""
    grade: float | None = None
    sign: str = ""
    look: int | None = None

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


@dataclass(frozen=True, slots=True)
class Chart:
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
        words = (self.title, self.x_label, self.y_label, self.empty)
        title, x_label, y_label, empty = map(_shown, words)
        lines = tuple(replace(each, label=_shown(each.label)) for each in self.series)
        return replace(
            self, title=title, x_label=x_label, y_label=y_label, empty=empty, series=lines
        )

    @property
    def positions(self) -> tuple[float, ...]:
        """Every x that has a point, rising."""
        return tuple(sorted({x for each in self.series for x, _ in each.points()}))

    def look_of(self, which: int) -> int:
        """Return which of the looks a series has: its own, or the next; quiet ones take none."""
        look = self.series[which].look
        if look is not None:
            return look
        return sum(not each.is_quiet for each in self.series[:which])

    def ink_of(self, which: int) -> str:
        """Return the name of a series' colour."""
        each = self.series[which]
        if each.is_quiet:
            return "text3"
        return each.ink or _INKS[self.look_of(which) % len(_INKS)]

    def point_in_words(self, x: float) -> str:
        """Return all values at a position as one line."""
        values = [(each, each.value_at(x)) for each in self.series]
        told = [
            f"{each.label} {local_number(format_value(value, digits=self.digits))}"
            for each, value in values
            if value is not None
        ]
        return f"{self.x_label} {_position(x)}: {', '.join(told)}"

    def in_words(self) -> str:
        """Return what the chart shows, with its numbers, for readers."""
        lines = [self._line_in_words(each) for each in self.series if each.points()]
        if not lines:
            return f"{self.title}. {self.empty}" if self.title else self.empty
        return _("{title}: {y} against {x}. {lines}").format(
            title=self.title, y=self.y_label, x=self.x_label, lines=" ".join(lines)
        )

    def _line_in_words(self, line: Series) -> str:
        points = line.points()

        def value(y: float) -> str:
            return local_number(format_value(y, digits=self.digits))

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


@dataclass(frozen=True, slots=True)
class Axis:
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
