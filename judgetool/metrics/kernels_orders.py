"""Kernels that compare a ranking with the ideal order: τ-b, τ_AP, ρ, RBO.

They take row after row: their cost is by the judged documents of a row times the
number of different grades among them.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from judgetool.metrics.block import Block, FloatArray, IntArray
from judgetool.metrics.measure import Measure


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


def _counts_above(grades: FloatArray) -> tuple[IntArray, IntArray]:
    """For each document, how many above it have a higher and an equal grade."""
    levels, places = np.unique(grades, return_inverse=True)
    is_level = places[:, np.newaxis] == np.arange(len(levels))
    above = np.cumsum(is_level, axis=0) - is_level
    at_or_higher = np.cumsum(above[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(len(grades))
    equal = above[rows, places]
    return at_or_higher[rows, places] - equal, equal


def _tau_of(grades: FloatArray) -> float:
    n = len(grades)
    higher, equal = _counts_above(grades)
    pairs = n * (n - 1) // 2
    tied = int(equal.sum())
    concordant = int(higher.sum())
    discordant = pairs - tied - concordant
    return (concordant - discordant) / math.sqrt(pairs * (pairs - tied))


def tau(block: Block, measure: Measure) -> FloatArray:
    """Kendall's τ-b between rank and grade of the judged documents."""
    return _by_row(block, measure, _tau_of)


def _tau_ap_of(grades: FloatArray) -> float:
    higher, equal = _counts_above(grades)
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


def _ideal_places(found: FloatArray, judged: FloatArray) -> IntArray:
    """Rank in the ideal order of each document found, ties in the ranking's own order."""
    better = len(judged) - np.searchsorted(judged[::-1], found, side="right")
    _, equal = _counts_above(found)
    return better + equal + 1


def _rbo_of(ranks: IntArray, ideal: IntArray, length: int, n_ideal: int, p: float) -> float:
    depth = max(length, n_ideal)
    weights = p ** np.arange(depth) / np.arange(1, depth + 1)
    both = np.bincount(np.maximum(ranks, ideal), minlength=depth + 1)[1 : depth + 1]
    best = np.minimum(np.arange(1, depth + 1), n_ideal)
    return float((weights * np.cumsum(both)).sum() / (weights * best).sum())


def rbo(block: Block, measure: Measure) -> FloatArray:
    """Overlap with the ideal order of all documents above 0, as a share of the best."""
    p = measure.param("p")
    assert isinstance(p, int | float)
    judged = block.judged
    starts = np.concatenate(([0], np.cumsum(judged.counts)))
    positive = np.bincount(judged.queries[judged.grades > 0], minlength=judged.n_queries)
    n_ideal = block.by_row(positive)
    values = np.where(n_ideal > 0, 0.0, np.nan)
    queries = block.by_row(np.arange(judged.n_queries))
    for row, grades, ranks in _iter_rows(block, None):
        count = int(n_ideal[row])
        is_good = grades > 0
        if count == 0 or not is_good.any():
            continue
        start = int(starts[queries[row]])
        ideal = _ideal_places(grades[is_good], judged.grades[start : start + count])
        values[row] = _rbo_of(ranks[is_good], ideal, int(block.lengths[row]), count, float(p))
    return values
