"""From numbers to pixels, with ticks at round numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_ROUND = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a chart.

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
        text = f"{tick:,.{digits}f}"
        return text.replace("-", "−") if text.strip("-0.,") else text.lstrip("-")


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
