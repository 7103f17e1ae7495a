"""Bounds of nDCG: the ratio problem of each query, built from its grades."""

from dataclasses import replace

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.metrics.bounds_ratio import (
    RatioProblem,
    greatest_ratio,
    greatest_two_level_ratio,
)
from judgetool.metrics.bounds_values import discounts
from judgetool.metrics.bounds_worth import Worth, worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray


def bound_ndcg(
    measure: Measure, block: GradesBlock, scale: Scale | None
) -> tuple[FloatArray, FloatArray]:
    """Return least and greatest nDCG of each query, exact, shape (B,) each.

    An unjudged document below the cutoff, or not retrieved, can only raise the
    ideal: it has the lowest level at the maximum and the highest at the minimum.
    """
    worth = worth_of(measure, scale)
    problem = _open_problem(measure, block, worth)
    outside = _n_outside(measure, block)
    most = _with_outside(problem, outside, worth.low)
    ends = problem.levels[[0, -1]] if len(worth.levels) > 1 else problem.levels
    least = replace(
        _with_outside(problem, outside, worth.high),
        fixed=-problem.fixed,
        # Rows of discounts fall already; the least N prefers the last.
        coefficients=-_reversed(problem.coefficients, problem.n_open),
        levels=ends,
    )
    return -greatest_two_level_ratio(least), greatest_ratio(most)


def ideal_depth(measure: Measure, block: GradesBlock) -> FloatArray:
    """Return the ranks of the ideal that count, shape (B,); infinity for all."""
    depth = np.full(len(block), np.inf)
    if measure.param("ideal") == "length":
        depth = block.lengths.copy()
    if measure.cutoff is not None and measure.param("ideal") != "uncut":
        depth = np.minimum(depth, measure.cutoff)
    return depth


def count_gains(judged: FloatArray, gains: FloatArray) -> FloatArray:
    """Return how many entries of each row have at least each gain, shape (B, V)."""
    counts = np.empty((len(judged), len(gains)))
    for place, gain in enumerate(gains):
        counts[:, place] = (judged >= gain).sum(axis=1)
    return counts


def distinct_gains(judged: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the positive gains of judged documents and levels, each once, rising."""
    return np.unique(np.concatenate((judged[judged > 0], levels[levels > 0])))


def _open_problem(measure: Measure, block: GradesBlock, worth: Worth) -> RatioProblem:
    top = block.ranked[:, : measure.cutoff]
    is_open = block.is_open[:, : measure.cutoff]
    discount = discounts(top.shape[1])
    pool = block.ranked if measure.param("ideal") == "retrieved" else block.judged
    judged = worth.of(pool)
    gains = distinct_gains(judged, worth.levels)
    return RatioProblem(
        fixed=worth.of(top) @ discount,
        coefficients=_open_discounts(is_open, discount),
        n_open=is_open.sum(axis=1).astype(np.float64),
        levels=worth.levels,
        gains=gains,
        counts=count_gains(judged, gains),
        depth=ideal_depth(measure, block),
    )


def _open_discounts(is_open: np.ndarray, discount: FloatArray) -> FloatArray:
    """Return the discounts of the open ranks of each row, first ranks first, then zeros."""
    width = int(is_open.sum(axis=1).max(initial=0))
    rows, columns = np.nonzero(is_open)
    packed = np.zeros((len(is_open), width))
    place = np.cumsum(is_open, axis=1)[rows, columns] - 1
    packed[rows, place] = discount[columns]
    return packed


def _reversed(packed: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return each row's first ``lengths`` entries in reverse, padding left behind them."""
    if not packed.shape[1]:
        return packed
    place = lengths[:, None] - 1 - np.arange(packed.shape[1])
    turned = np.take_along_axis(packed, np.maximum(place, 0).astype(np.intp), axis=1)
    return np.where(place >= 0, turned, 0.0)


def _n_outside(measure: Measure, block: GradesBlock) -> FloatArray:
    """Return the open documents that count in the ideal only, shape (B,)."""
    below = np.zeros(len(block))
    if measure.cutoff is not None:
        below = block.is_open[:, measure.cutoff :].sum(axis=1).astype(np.float64)
    if measure.param("ideal") != "retrieved":
        below = below + block.n_missing_open
    return below


def _with_outside(problem: RatioProblem, n_outside: FloatArray, gain: float) -> RatioProblem:
    added = n_outside[:, None] * (problem.gains <= gain)
    return replace(problem, counts=problem.counts + added)
