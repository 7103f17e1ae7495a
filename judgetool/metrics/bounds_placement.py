"""Exact bounds of measures that reward relevant documents for standing high: AP, R-precision and others.

For a given number of relevant documents among the unjudged such a value is
greatest when they are the highest placed ones and least when they are the lowest
placed ones, those that the ranking lacks or the cutoff hides first: moving a
relevant document up past one that is not raises it, and R stays. So only the
numbers have to be tried, not the gradings.
"""

from collections.abc import Callable

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.metrics.bounds_values import (
    Rows,
    compute_rows,
    depth_of,
    number,
    ranks,
    ratio,
)
from judgetool.metrics.bounds_worth import worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray

Pair = tuple[FloatArray, FloatArray]


def known_relevant(measure: Measure, block: GradesBlock, scale: Scale | None) -> FloatArray:
    """Return R of each query as judged so far, shape (B,)."""
    total: FloatArray = worth_of(measure, scale).of(block.judged).sum(axis=1)
    return total


def bound_average_precision(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return least and greatest average precision of each query, exact, shape (B,) each."""
    known = worth_of(measure, scale).of(block.ranked[:, : measure.cutoff])
    is_open = block.is_open[:, : measure.cutoff].astype(np.float64)
    rank = ranks(known.shape[1])
    divisor = _divisor(measure, block)
    n_relevant = known_relevant(measure, block, scale)
    outside = block.n_open - is_open.sum(axis=1)
    hits = np.cumsum(known, axis=1)
    share = np.cumsum(known / rank, axis=1)
    total = (known * hits / rank).sum(axis=1)
    # What one more relevant document adds: its own precision, and 1/j at each relevant j below.
    gain_alone = (hits - known) / rank + (share[:, -1:] - share)
    n_found = known.sum(axis=1)
    added = np.cumsum(is_open, axis=1)
    top_down = total[:, None] + np.cumsum(is_open * (gain_alone + added / rank), axis=1)
    greatest = _extreme(
        divisor, (total, n_relevant, n_found), (top_down, added), is_open, np.maximum
    )
    # From the bottom up: those below it are relevant already.
    added = _cumsum_up(is_open)
    below = _cumsum_up(is_open / rank) - is_open / rank
    bottom_up = total[:, None] + _cumsum_up(is_open * (gain_alone + 1.0 / rank + below))
    least = _extreme(
        divisor, (total, n_relevant + outside, n_found), (bottom_up, added), is_open, np.minimum
    )
    return least, greatest


def _cumsum_up(values: FloatArray) -> FloatArray:
    return np.cumsum(values[:, ::-1], axis=1)[:, ::-1]


def _divisor(
    measure: Measure, block: GradesBlock
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    norm = measure.param("norm") if measure.has_param("norm") else "relevant"
    depth = depth_of(measure, Rows(block.ranked, block.lengths, block.lengths))[:, None]
    if norm == "k":
        return lambda n_relevant, _found: np.broadcast_to(depth, n_relevant.shape)
    if norm == "found":
        return lambda _n_relevant, found: found
    if norm == "min":
        return lambda n_relevant, _found: np.minimum(depth, n_relevant)
    return lambda n_relevant, _found: n_relevant


def _extreme(
    divisor: Callable[[FloatArray, FloatArray], FloatArray],
    start: tuple[FloatArray, FloatArray, FloatArray],
    steps: tuple[FloatArray, FloatArray],
    is_open: FloatArray,
    choose: np.ufunc,
) -> FloatArray:
    total, n_relevant, n_found = (values[:, None] for values in start)
    sums, added = steps
    first = ratio(total, divisor(n_relevant, n_found))
    values = ratio(sums, divisor(n_relevant + added, n_found + added))
    values = np.where(is_open > 0, values, first)
    best: FloatArray = choose.reduce(np.concatenate((first, values), axis=1), axis=1)
    return best


def bound_r_precision(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return least and greatest R-precision of each query, exact, shape (B,) each."""
    known = worth_of(measure, scale).of(block.ranked)
    n = known.shape[1]
    hits = np.cumsum(np.pad(known, ((0, 0), (1, 0))), axis=1)
    open_above = np.cumsum(np.pad(block.is_open, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
    chosen = np.arange(block.n_open.max(initial=0) + 1)[None, :]
    n_relevant = known_relevant(measure, block, scale)[:, None] + chosen
    mult = number(measure, "mult", 1.0)
    depth = n_relevant if mult == 1 else np.floor(mult * n_relevant + 0.9)
    at = np.minimum(depth, n).astype(np.intp)
    found = np.take_along_axis(hits, at, axis=1)
    room = np.take_along_axis(open_above, at, axis=1)
    hidden = block.n_open[:, None] - room
    most = ratio(found + np.minimum(chosen, room), depth)
    least = ratio(found + np.maximum(0.0, chosen - hidden), depth)
    is_real = chosen <= block.n_open[:, None]
    return (
        np.where(is_real, least, np.inf).min(axis=1),
        np.where(is_real, most, -np.inf).max(axis=1),
    )


def bound_by_placement(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return exact bounds of Bpref, infAP and interpolated precision, shape (B,) each.

    One grading for each number of relevant documents and end of the list.
    """
    pairs = [_bound_row(measure, block, row, scale) for row in range(len(block))]
    least, greatest = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(least), np.array(greatest)


def _bound_row(
    measure: Measure, block: GradesBlock, row: int, scale: Scale | None
) -> tuple[float, float]:
    worth = worth_of(measure, scale)
    length = int(block.lengths[row])
    known = worth.of(block.ranked[row, :length])
    is_open = block.is_open[row, :length]
    n_open = int(block.n_open[row])
    judged = block.judged[row]
    n_relevant = float(worth.of(judged).sum())
    n_nonrelevant = float((~np.isnan(judged)).sum()) - n_relevant
    chosen = np.arange(n_open + 1.0)[:, None]
    place = np.where(is_open, np.cumsum(is_open), np.inf)
    from_bottom = np.where(is_open, np.cumsum(is_open[::-1])[::-1], np.inf)
    values = [
        compute_rows(
            measure,
            Rows(
                worth=known + (where <= limit),
                lengths=np.array([float(length)]),
                n_relevant=n_relevant + chosen[:, 0],
                n_nonrelevant=n_nonrelevant + n_open - chosen[:, 0],
            ),
        )
        for where, limit in ((from_bottom, chosen - block.n_missing_open[row]), (place, chosen))
    ]
    return float(values[0].min()), float(values[1].max())
