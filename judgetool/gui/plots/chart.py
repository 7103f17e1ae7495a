"""What a chart shows, as plain values: series of points, axes, and all of it in words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from PySide6.QtGui import QColor

from judgetool.gui.number_text import format_value
from judgetool.gui.theme import Theme

Kind = Literal["line", "step", "bars", "stack"]
Ink = Callable[[Theme], QColor]


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
        ink: its colour by theme; ``None`` takes the next of the chart's own.
        sign: a short text that stands on stacked bars in place of a symbol.
        low: lower edge of a band about the line, as many as points; ``()`` for none.
        high: its upper edge.
        look: which of the chart's inks, symbols and dashes it has, from 0; ``None`` takes
            the next one.
    """

    label: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    kind: Kind = "line"
    is_quiet: bool = False
    ink: Ink | None = None
    sign: str = ""
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    look: int | None = None

    def points(self) -> list[tuple[float, float]]:
        """Return the points that have a value."""
        pairs = zip(self.x, self.y, strict=True)
        return [(x, y) for x, y in pairs if y is not None and isfinite(x) and isfinite(y)]

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
        format_x: a position as people read it; ``None`` for plain numbers.
        digits: decimals of values.
        has_whole_x: whether ticks stand at whole numbers only, as for ranks.
        empty: what is said when there is no point.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...] = ()
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    format_x: Callable[[float], str] | None = None
    digits: int = 4
    has_whole_x: bool = False
    empty: str = "Nothing to draw yet."

    @property
    def positions(self) -> tuple[float, ...]:
        """Every x that has a point, rising."""
        return tuple(sorted({x for each in self.series for x, _ in each.points()}))

    def x_text(self, x: float) -> str:
        """Return a position for people."""
        return self.format_x(x) if self.format_x is not None else f"{x:.6g}"

    def point_in_words(self, x: float) -> str:
        """Return all values at a position as one line."""
        values = [(each, each.value_at(x)) for each in self.series]
        told = [
            f"{each.label} {format_value(value, digits=self.digits)}"
            for each, value in values
            if value is not None
        ]
        return f"{self.x_label} {self.x_text(x)}: {', '.join(told)}"

    def in_words(self) -> str:
        """Return what the chart shows, with its numbers, for readers."""
        lines = [self._line_in_words(each) for each in self.series if each.points()]
        if not lines:
            return f"{self.title}. {self.empty}"
        return f"{self.title}: {self.y_label} against {self.x_label}. {' '.join(lines)}"

    def _line_in_words(self, line: Series) -> str:
        points = line.points()

        def value(y: float) -> str:
            return format_value(y, digits=self.digits)

        (first_x, first), (last_x, last) = points[0], points[-1]
        at, most = max(points, key=lambda point: point[1])
        return (
            f"{line.label}: {value(first)} at {self.x_text(first_x)}, "
            f"{value(last)} at {self.x_text(last_x)}, "
            f"most {value(most)} at {self.x_text(at)}."
        )
