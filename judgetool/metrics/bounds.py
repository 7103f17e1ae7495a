"""Intervals: what the unjudged documents could still change of a value.

The interval of a value reaches from the least to the greatest value over every way
to grade the unjudged documents of the ranking, and of the pool, with levels of the
scale. An undefined value (no relevant document) counts as 0 here. No grading is
sampled: for every measure but the correlations the two ends are exact and attained.

* P, RR, CG, DCG, ERR, pFound, RBP and others rise with each grade: all lowest, all highest.
* R, F and others divide by R: what stands in the top, against what is hidden below.
* AP, Rprec, Bpref, infAP, IPrec: :mod:`judgetool.metrics.bounds_placement`.
* nDCG: :mod:`judgetool.metrics.bounds_ratio`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.metrics.bounds_ndcg import bound_ndcg
from judgetool.metrics.bounds_placement import (
    bound_average_precision,
    bound_by_placement,
    bound_r_precision,
    known_relevant,
)
from judgetool.metrics.bounds_points import present_values
from judgetool.metrics.bounds_values import Rows, compute_rows
from judgetool.metrics.bounds_worth import ceiling_of, worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import BoolArray, FloatArray, QueryGrades

Pair = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The interval of a value.

    Attributes:
        low: least value.
        high: greatest value, not below ``low``.
        is_exact: whether both are attained by some grading; if not, no value lies
            outside but the range may be wider than need be.
    """

    low: float
    high: float
    is_exact: bool

    @property
    def width(self) -> float:
        """How much is still open; 0 when the value is certain."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class BoundsBlock:
    """The intervals of one measure for many queries.

    Attributes:
        low: least value of each query, shape (B,).
        high: greatest value of each query, shape (B,).
        is_exact: as in :class:`Bounds`, shape (B,).
    """

    low: FloatArray
    high: FloatArray
    is_exact: BoolArray

    def bounds_of(self, query: int) -> Bounds:
        """Return the interval of one query."""
        return Bounds(float(self.low[query]), float(self.high[query]), bool(self.is_exact[query]))

    def mean(self, weights: FloatArray | None = None) -> Bounds | None:
        """Return the interval of the mean: the means of the bounds.

        Args:
            weights: importance of each query, shape (B,); ``None`` for all alike.

        Returns:
            ``None`` when there is no query or no weight.
        """
        share = np.ones(len(self.low)) if weights is None else weights
        total = float(share.sum())
        if total == 0:
            return None
        return Bounds(
            float(self.low @ share) / total,
            float(self.high @ share) / total,
            bool(self.is_exact[share > 0].all()),
        )


def compute_bounds(measure: Measure, grades: QueryGrades, scale: Scale | None) -> Bounds:
    """Return the interval of one query's value.

    Args:
        measure: any of the table; what no judgment changes is a point, and so are the
            counts of judgments (Judged, Unjudged, RBPres), which state the present.
        grades: of the ranking and of the pool.
        scale: whose levels may be given; ``None`` for TREC 0-4.

    Returns:
        For the correlations with the ideal order (tau, tau_ap, rho, RBO) the widest range
        with ``is_exact`` false while anything is unjudged; likewise for CTR, as grades do
        not hold clicks, and where a grade is above what the measure can read.

    Examples:
        Grades 3, 1, ?: nDCG is 1 if the last is not relevant, less if it is.

        >>> import numpy as np
        >>> from judgetool.core.scale import scale_preset
        >>> from judgetool.metrics.grammar import parse_measure
        >>> grades = QueryGrades(np.array([3.0, 1.0, np.nan]))
        >>> bounds = compute_bounds(parse_measure("nDCG@3"), grades, scale_preset("0-3"))
        >>> round(bounds.low, 3), bounds.high, bounds.is_exact
        (0.951, 1.0, True)
    """
    return compute_bounds_block(measure, GradesBlock.from_queries([grades]), scale).bounds_of(0)


def compute_all_bounds(
    measures: Sequence[Measure], grades: QueryGrades, scale: Scale | None
) -> tuple[Bounds, ...]:
    """Return the intervals of several measures for one query, in their order."""
    block = GradesBlock.from_queries([grades])
    return tuple(compute_bounds_block(measure, block, scale).bounds_of(0) for measure in measures)


def compute_bounds_block(measure: Measure, block: GradesBlock, scale: Scale | None) -> BoundsBlock:
    """Return the intervals of all queries of a run at once; see :func:`compute_bounds`."""
    chunks = [_bound_chunk(measure, chunk, scale) for chunk in block.iter_chunks()]
    if len(chunks) == 1:
        return chunks[0]
    return BoundsBlock(
        np.concatenate([chunk.low for chunk in chunks]),
        np.concatenate([chunk.high for chunk in chunks]),
        np.concatenate([chunk.is_exact for chunk in chunks]),
    )


def _bound_chunk(measure: Measure, block: GradesBlock, scale: Scale | None) -> BoundsBlock:
    kernel = measure.spec.kernel
    is_exact = np.ones(len(block), dtype=bool)
    if kernel in _BY_KERNEL:
        low, high = _BY_KERNEL[kernel](measure, block.decided(worth_of(measure, scale)), scale)
    elif kernel in ORDER_KERNELS:
        low, high, is_exact = _bound_order(measure, block, scale)
    else:
        low = high = present_values(measure, block, scale)
    low, high = _within(measure, low), _within(measure, high)
    is_off_scale = np.fmax.reduce(block.judged, axis=1, initial=0.0) > ceiling_of(measure, scale)
    if is_off_scale.any():
        low = np.where(is_off_scale, 0.0, low)
        high = np.where(is_off_scale, measure.spec.highest or high, high)
        is_exact = is_exact & ~is_off_scale
    return BoundsBlock(np.minimum(low, high), np.maximum(low, high), is_exact)


def _within(measure: Measure, values: FloatArray) -> FloatArray:
    """Cut what rounding left outside the measure's range, and −0."""
    return np.clip(values, measure.spec.lowest, measure.spec.highest) + 0.0


def _bound_monotone(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """All unjudged documents at the lowest level, and all at the highest."""
    worth = worth_of(measure, scale)
    known = worth.of(block.ranked[:, : measure.cutoff])
    is_open = block.is_open[:, : measure.cutoff]
    n_relevant = np.zeros(len(block))
    low, high = (
        compute_rows(measure, Rows(known + is_open * end, block.lengths, n_relevant))
        for end in (worth.low, worth.high)
    )
    return low, high


def _bound_recall(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Relevant where it is found, against relevant only where it is not.

    More relevant documents in the top raise these values although R rises as well,
    as what is found never exceeds R; others only raise R.
    """
    known = worth_of(measure, scale).of(block.ranked[:, : measure.cutoff])
    is_open = block.is_open[:, : measure.cutoff]
    n_relevant = known_relevant(measure, block, scale)
    n_inside = is_open.sum(axis=1)
    low = Rows(known, block.lengths, n_relevant + block.n_open - n_inside)
    high = Rows(known + is_open, block.lengths, n_relevant + n_inside)
    return compute_rows(measure, low), compute_rows(measure, high)


def _bound_set_precision(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    bound = _bound_recall if measure.param("relative") else _bound_monotone
    return bound(measure, block, scale)


def _bound_n_relevant(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    low = known_relevant(measure, block, scale)
    return low, low + block.n_open


def _bound_n_nonrelevant(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    judged = ~np.isnan(block.ranked)
    low = judged.sum(axis=1) - worth_of(measure, scale).of(block.ranked).sum(axis=1)
    return low, low + block.is_open.sum(axis=1)


def _bound_n_returned(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    if measure.param("rel") is None:
        return block.lengths, block.lengths
    low = worth_of(measure, scale).of(block.ranked).sum(axis=1)
    return low, low + block.is_open.sum(axis=1)


def _bound_order(
    measure: Measure, block: GradesBlock, scale: Scale | None
) -> tuple[FloatArray, FloatArray, BoolArray]:
    # Clicks are no grades: what a CTR is cannot be seen from here.
    is_certain = (block.n_open == 0) & (measure.spec.uses != "clicks")
    values = present_values(measure, block, scale)
    spec = measure.spec
    lowest = 0.0 if spec.lowest is None else spec.lowest
    highest = 1.0 if spec.highest is None else spec.highest
    return (
        np.where(is_certain, values, lowest),
        np.where(is_certain, values, highest),
        is_certain,
    )


ORDER_KERNELS = frozenset({"tau", "tau_ap", "rho", "rbo", "click_through"})

_BY_KERNEL: dict[str, Callable[[Measure, GradesBlock, Scale | None], Pair]] = {
    "precision": _bound_monotone,
    "success": _bound_monotone,
    "reciprocal_rank": _bound_monotone,
    "cumulated_gain": _bound_monotone,
    "dcg": _bound_monotone,
    "err": _bound_monotone,
    "pfound": _bound_monotone,
    "rbp": _bound_monotone,
    "num_relevant_returned": _bound_monotone,
    "set_precision": _bound_set_precision,
    "recall": _bound_recall,
    "capped_recall": _bound_recall,
    "f_measure": _bound_recall,
    "set_recall": _bound_recall,
    "set_f": _bound_recall,
    "set_ap": _bound_recall,
    "average_precision": bound_average_precision,
    "average_precision_floored": bound_average_precision,
    "r_precision": bound_r_precision,
    "bpref": bound_by_placement,
    "bpref_floored": bound_by_placement,
    "inferred_ap": bound_by_placement,
    "interpolated_precision": bound_by_placement,
    "eleven_point": bound_by_placement,
    "ndcg": bound_ndcg,
    "num_relevant": _bound_n_relevant,
    "num_nonrelevant_returned": _bound_n_nonrelevant,
    "num_returned": _bound_n_returned,
}
