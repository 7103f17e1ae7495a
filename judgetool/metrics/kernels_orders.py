"""Kernels that compare a ranking with the ideal order: τ-b, τ_AP, ρ, RBO, compatibility.

They take row after row: their cost is by the judged documents of a row times the
number of different grades among them.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from judgetool.metrics.block import Block, FloatArray, IntArray
from judgetool.metrics.measure import Measure
from judgetool.metrics.rank_overlap import extrapolated_overlap


def _iter_rows(block: Block, cutoff: int | None) -> Iterator[tuple[int, FloatArray, IntArray]]:
    """Yield row, grades and ranks of each row that has judged documents."""
    hits = block.top(cutoff)
    starts = np.flatnonzero(np.diff(hits.rows, prepend=-1)).tolist()
    for start, stop in pairwise([*starts, len(hits.rows)]):
        yield int(hits.rows[start]), hits.grades[start:stop], hits.ranks[start:stop]


def _by_row(block: Block, measure: Measure, compute: Callable[[FloatArray], float]) -> FloatArray:
    """Apply a function of the grades, best rank first; undefined below two grades."""
    values = np.full(block.n_rows, np.nan)
    for row, grades, _ in _iter_rows(block, measure.cutoff):
        if (grades != grades[0]).any():
            values[row] = compute(grades)
    return values


def counts_above(grades: FloatArray) -> tuple[IntArray, IntArray]:
    """Return for each document how many above it have a higher grade, and how many an equal one.

    Args:
        grades: best rank first, at least one, shape (n,).
    """
    levels, places = np.unique(grades, return_inverse=True)
    is_level = places[:, np.newaxis] == np.arange(len(levels))
    above = np.cumsum(is_level, axis=0) - is_level
    at_or_higher = np.cumsum(above[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(len(grades))
    equal = above[rows, places]
    return at_or_higher[rows, places] - equal, equal


def _tau_of(grades: FloatArray) -> float:
    n = len(grades)
    higher, equal = counts_above(grades)
    pairs = n * (n - 1) // 2
    tied = int(equal.sum())
    concordant = int(higher.sum())
    discordant = pairs - tied - concordant
    return (concordant - discordant) / math.sqrt(pairs * (pairs - tied))


def tau(block: Block, measure: Measure) -> FloatArray:
    """Kendall's τ-b between rank and grade of the judged documents."""
    return _by_row(block, measure, _tau_of)


def _tau_ap_of(grades: FloatArray) -> float:
    higher, equal = counts_above(grades)
    above = np.arange(1, len(grades))
    rightly = (higher[1:] + equal[1:] / 2.0) / above
    return float(2.0 * rightly.sum() / len(above) - 1.0)


def tau_ap(block: Block, measure: Measure) -> FloatArray:
    """AP correlation between rank and grade of the judged documents."""
    return _by_row(block, measure, _tau_ap_of)


def _rho_of(grades: FloatArray) -> float:
    _, places, counts = np.unique(-grades, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ideal = (last - (counts - 1) / 2.0)[places]
    actual = np.arange(1.0, len(grades) + 1.0)
    first, second = ideal - ideal.mean(), actual - actual.mean()
    return float((first @ second) / math.sqrt((first @ first) * (second @ second)))


def rho(block: Block, measure: Measure) -> FloatArray:
    """Spearman's ρ between rank and grade of the judged documents."""
    return _by_row(block, measure, _rho_of)


def ideal_places(found: FloatArray, judged: FloatArray) -> IntArray:
    """Return the rank in the ideal order of each document found, ties in the ranking's own order.

    Args:
        found: grades of the documents found, best rank first, shape (n,).
        judged: all grades that the ideal order holds, falling, shape (m,).
    """
    better = len(judged) - np.searchsorted(judged[::-1], found, side="right")
    _, equal = counts_above(found)
    return better + equal + 1


def shared_by_depth(ranks: IntArray, ideal: IntArray, depth: int) -> IntArray:
    """Return how many documents the first d of ranking and ideal order share, shape (depth,).

    Args:
        ranks: of the documents that both hold, shape (n,).
        ideal: their ranks in the ideal order, shape (n,).
        depth: length of the longer one, not below any of these.
    """
    both = np.bincount(np.maximum(ranks, ideal), minlength=depth + 1)[1 : depth + 1]
    return np.cumsum(both)


def _compare_overlap(
    block: Block, compute: Callable[[IntArray, tuple[int, int]], float]
) -> FloatArray:
    """Apply a function of the overlaps by depth, and of both lengths, to each row.

    The ideal order is of all documents above 0; without any the value is undefined, and
    with none of them found it is 0.
    """
    judged = block.judged
    starts = np.concatenate(([0], np.cumsum(judged.counts)))
    positive = np.bincount(judged.queries[judged.grades > 0], minlength=judged.n_queries)
    n_ideal = block.by_row(positive)
    values = np.where(n_ideal > 0, 0.0, np.nan)
    queries = block.by_row(np.arange(judged.n_queries))
    for row, grades, ranks in _iter_rows(block, None):
        lengths = int(block.lengths[row]), int(n_ideal[row])
        is_good = grades > 0
        if lengths[1] == 0 or not is_good.any():
            continue
        start = int(starts[queries[row]])
        ideal = ideal_places(grades[is_good], judged.grades[start : start + lengths[1]])
        values[row] = compute(shared_by_depth(ranks[is_good], ideal, max(lengths)), lengths)
    return values


def _persistence(measure: Measure) -> float:
    p = measure.param("p")
    assert isinstance(p, int | float)
    return float(p)


def rbo(block: Block, measure: Measure) -> FloatArray:
    """RBO_ext with the ideal order of all documents above 0."""
    p = _persistence(measure)
    return _compare_overlap(
        block, lambda shared, lengths: extrapolated_overlap(shared, n_short=min(lengths), p=p)
    )


def compatibility(block: Block, measure: Measure) -> FloatArray:
    """Overlap with the ideal order of all documents above 0, as a share of the best."""
    p = _persistence(measure)

    def compute(shared: IntArray, lengths: tuple[int, int]) -> float:
        depths = np.arange(1, len(shared) + 1)
        weights = p ** (depths - 1) / depths
        best = np.minimum(depths, lengths[1])
        return float((weights * shared).sum() / (weights * best).sum())

    return _compare_overlap(block, compute)
