"""Small plots as SVG text: lines and difference bars, for pages that must stand alone.

Colours are CSS variables of the page with a value to fall back on, so that a plot is
right in light and dark, and by itself. Lines differ in dash and symbol, too.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH = 640.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56.0, 150.0, 28.0, 40.0
_BAR, _LABEL = 18.0, 14.0
_INK = "var(--text, #1b1c20)"
_GREY = "var(--text3, #5f636d)"
_LINE = "var(--line, #dfe0e6)"
_COLOURS = (
    "var(--accent, #5a43c8)",
    "var(--warn, #855500)",
    "var(--good, #0f6b4f)",
    "var(--bad, #b3301c)",
    "var(--link, #1f5fae)",
)
_DASHES = ("", "7 4", "2 3", "9 3 2 3", "4 2")
_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, 0xFFFE, 0xFFFF), "\ufffd")


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot.

    Attributes:
        label: of the line.
        x: rising.
        y: as many.
        is_quiet: drawn thin and grey, as a reference such as the ideal.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    is_quiet: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a bar plot: a difference, to either side of zero."""

    label: str
    value: float


def escaped(text: str) -> str:
    """Return a text for HTML and XML: markup escaped, characters that XML forbids replaced."""
    cleaned = text.translate(_CONTROLS)
    if not cleaned.isprintable():
        # A lone surrogate cannot be written as UTF-8.
        cleaned = cleaned.encode("utf-8", errors="replace").decode()
    return escape(cleaned)


def line_plot(
    series: Sequence[Series], *, title: str, x_label: str, y_label: str, height: float = 260.0
) -> str:
    """Return a plot of lines; points without a number are left out.

    Args:
        series: at most five look different from each other.
        title: for screen readers, and above the plot when the pointer rests on it.
        x_label: below the axis.
        y_label: above the other.
        height: in pixels.

    Returns:
        An ``<svg>`` element; without any point it says so.
    """
    drawn = [_finite(each) for each in series]
    points = [(x, y) for each in drawn for x, y in zip(each.x, each.y, strict=True)]
    if not points:
        return _svg(height, title, _text(_WIDTH / 2, height / 2, "nothing to draw", "middle"))
    x_axis = _Axis.over([x for x, _ in points], _LEFT, _WIDTH - _RIGHT, has_zero=False)
    y_axis = _Axis.over([y for _, y in points], height - _BOTTOM, _TOP, has_zero=True)
    parts = [*_grid(x_axis, y_axis, height)]
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, height - 6, x_label, "middle"))
    parts.append(_text(4, 11, y_label, "start"))
    parts += _lines(drawn, x_axis, y_axis)
    return _svg(height, title, *parts)


def bar_plot(bars: Sequence[Bar], *, title: str) -> str:
    """Return differences as bars to either side of zero, in the order given.

    Returns:
        An ``<svg>`` element; without any bar it says so.
    """
    height = _BAR * max(1, len(bars)) + 12
    if not bars:
        return _svg(height, title, _text(_WIDTH / 2, 18, "no query differs", "middle"))
    most = max(abs(bar.value) for bar in bars) or 1.0
    middle, reach = 398.0, 150.0
    parts = []
    for place, bar in enumerate(bars):
        top = 6 + _BAR * place
        width = reach * abs(bar.value) / most
        left = middle if bar.value >= 0 else middle - width
        colour = _COLOURS[2] if bar.value >= 0 else _COLOURS[3]
        mark = "▲" if bar.value > 0 else "▼" if bar.value < 0 else "="
        parts += [
            _text(4, top + 13, _shortened(bar.label, 36), "start", colour=_INK),
            (
                f'<rect x="{left:.1f}" y="{top + 2:.1f}" width="{max(width, 0.5):.1f}" height="13" '
                f'style="fill:{colour}"/>'
            ),
            _text(_WIDTH - 4, top + 13, f"{mark} {signed(bar.value)}", "end", colour=_INK),
        ]
    line = (
        f'<line x1="{middle}" y1="2" x2="{middle}" y2="{height - 2:.1f}" style="stroke:{_GREY}"/>'
    )
    return _svg(height, title, *parts, line)


def signed(value: float, digits: int = 4) -> str:
    """Return a difference with its sign, a minus as in print, and none before zero.

    Examples:
        >>> signed(-0.25, 2), signed(0.0), signed(0.5, 1)
        ('−0.25', '0.0000', '+0.5')
    """
    rounded = round(value, digits) + 0.0
    shown = f"{abs(rounded):.{digits}f}"
    return shown if rounded == 0 else f"{'+' if rounded > 0 else '−'}{shown}"


@dataclass(frozen=True, slots=True)
class _Axis:
    """From numbers to pixels, with ticks at round numbers."""

    low: float
    high: float
    start: float
    stop: float
    ticks: tuple[float, ...]

    @staticmethod
    def over(values: Sequence[float], start: float, stop: float, *, has_zero: bool) -> "_Axis":
        low, high = min(values), max(values)
        if has_zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low <= 1e-9 * max(abs(high), abs(low)):
            high = low + max(1.0, abs(low))
        step = _round_step((high - low) / 5)
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        return _Axis(low, high, start, stop, tuple(step * n for n in range(first, last + 1)))

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)


def _round_step(step: float) -> float:
    """Return the next of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(each * power for each in (1.0, 2.0, 5.0, 10.0) if each * power >= step * 0.999)


def _finite(series: Series) -> Series:
    pairs = [
        (x, y)
        for x, y in zip(series.x, series.y, strict=True)
        if math.isfinite(x) and math.isfinite(y)
    ]
    return Series(series.label, [x for x, _ in pairs], [y for _, y in pairs], series.is_quiet)


def _grid(x_axis: _Axis, y_axis: _Axis, height: float) -> Iterable[str]:
    for tick in y_axis.ticks:
        y = y_axis.at(tick)
        yield (
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" '
            f'style="stroke:{_LINE}"/>'
        )
        yield _text(_LEFT - 6, y + 4, f"{tick:.6g}", "end")
    for tick in x_axis.ticks:
        yield _text(x_axis.at(tick), height - _BOTTOM + 16, f"{tick:.6g}", "middle")


def _lines(series: Sequence[Series], x_axis: _Axis, y_axis: _Axis) -> Iterable[str]:
    place = 0
    drawn = [each for each in series if each.x]
    # Labels stand beside the ends of their lines, below each other where those are near.
    labels = _spread([y_axis.at(each.y[-1]) + 4 for each in drawn], least=_TOP, most=y_axis.start)
    for each, label_y in zip(drawn, labels, strict=True):
        colour, dash, width = _GREY, "3 3", 1.2
        if not each.is_quiet:
            colour, dash = _COLOURS[place % len(_COLOURS)], _DASHES[place % len(_DASHES)]
            width, place = 2.0, place + 1
        points = " ".join(
            f"{x_axis.at(x):.1f},{y_axis.at(y):.1f}" for x, y in zip(each.x, each.y, strict=True)
        )
        yield (
            f'<polyline points="{points}" style="fill:none;stroke:{colour};stroke-width:{width};'
            f'stroke-dasharray:{dash or "none"}"/>'
        )
        label = f"{_shortened(each.label, 18)} {each.y[-1]:.4g}"
        yield _text(x_axis.at(each.x[-1]) + 6, label_y, label, "start", colour=colour)


def _spread(places: Sequence[float], *, least: float, most: float) -> list[float]:
    """Return heights of labels moved apart, in their order, none below the plot if all fit."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    above = least - _LABEL
    for number in order:
        above = moved[number] = max(places[number], above + _LABEL)
    below = most + _LABEL
    for number in reversed(order):
        below = moved[number] = min(moved[number], below - _LABEL)
    return moved


def _shortened(text: str, most: int) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= most else f"{one_line[: most - 1]}…"


def _text(x: float, y: float, text: str, anchor: str, *, colour: str = _GREY) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'style="fill:{colour};font:12px Inter,system-ui,sans-serif;unicode-bidi:plaintext">'
        f"{escaped(text)}</text>"
    )


def _svg(height: float, title: str, *parts: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:.0f} {height:.0f}" '
        f'width="{_WIDTH:.0f}" height="{height:.0f}" role="img" style="max-width:100%;height:auto">'
        f"<title>{escaped(title)}</title>{''.join(parts)}</svg>"
    )
