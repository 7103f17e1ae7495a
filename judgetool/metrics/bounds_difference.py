"""The interval of a difference: what-if minus baseline, run A minus run B.

Both share their unknowns, so it is narrower than the difference of two intervals.

* Linear measures (P, CG, DCG, RBP, counts): the sign of each document's coefficient.
* R, R_cap, F: how many documents only one of the tops holds.
* RR, Success: no more than one unjudged document need be relevant.
* nDCG: exact by :mod:`judgetool.metrics.bounds_ratio`, whatever the number.
* AP of one document moved: exact by :mod:`judgetool.metrics.bounds_move`.
* ERR, pFound, AP, others: :mod:`judgetool.metrics.bounds_enumerate`, as long as few
  unjudged documents changed place; else the wide range, and it is called so.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.bounds import WIDE_KERNELS, Bounds, compute_bounds, sees_unjudged
from judgetool.metrics.bounds_enumerate import (
    DRAG_BUDGET,
    PANEL_BUDGET,
    SEARCH_BUDGET,
    Budget,
    enumerate_difference,
)
from judgetool.metrics.bounds_ndcg import count_gains, distinct_gains
from judgetool.metrics.bounds_pair import DocumentKeys, PlaceArray, RankingPair
from judgetool.metrics.bounds_points import compute_value
from judgetool.metrics.bounds_ratio import RatioProblem, greatest_ratio
from judgetool.metrics.bounds_values import Rows, compute_rows, discounts, number
from judgetool.metrics.bounds_worth import ceiling_of, worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray

__all__ = [
    "DRAG_BUDGET",
    "PANEL_BUDGET",
    "SEARCH_BUDGET",
    "Budget",
    "compute_difference_bounds",
    "compute_pair_bounds",
]

Ends = tuple[float, float]
Find = Callable[[Measure, RankingPair, Scale | None, Budget], Ends | None]


def compute_difference_bounds(  # noqa: PLR0913 - what a difference depends on
    measure: Measure,
    first: DocumentKeys,
    second: DocumentKeys,
    *,
    known: Mapping[int, float],
    scale: Scale | None,
    pool: DocumentKeys = (),
    leave_out_unjudged: bool = False,
) -> Bounds:
    """Return the interval of value(first) − value(second) over all gradings, and as it stands.

    Args:
        measure: any of the table.
        first: document keys of one ranking, best rank first, each once.
        second: likewise of the other ranking of the same query.
        known: grade of every judged document of the query, retrieved or not.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        pool: documents of the query's pool; those that nobody judged count as open
            although neither ranking may hold them.
        leave_out_unjudged: the policy for the values as they stand: unjudged documents
            are taken out of the rankings rather than counted as not relevant.

    Returns:
        The exact interval, or a wider one with ``is_exact`` false where too many
        unjudged documents changed place, or a grade is above what the measure can read.

    Raises:
        ValueError: a ranking has a document twice.
        LookupError: nobody has written down how the measure is bounded.
    """
    pair = RankingPair.from_documents(first, second, known=known, pool=pool)
    return compute_pair_bounds(measure, pair, scale, leave_out_unjudged=leave_out_unjudged)


def compute_pair_bounds(
    measure: Measure,
    pair: RankingPair,
    scale: Scale | None,
    *,
    budget: Budget = PANEL_BUDGET,
    leave_out_unjudged: bool = False,
) -> Bounds:
    """Return the interval of the difference of two rankings that are lined up already.

    Args:
        measure: any of the table.
        pair: the two rankings.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        budget: how much may be tried where gradings are tried one by one.
        leave_out_unjudged: as in :func:`compute_difference_bounds`.
    """
    if pair.are_equal:
        return Bounds(0.0, 0.0, is_exact=True)
    bounds = _bound_gradings(measure, pair, scale, budget)
    if not sees_unjudged(measure, worth_of(measure, scale), is_condensed=leave_out_unjudged):
        return bounds
    now = _value_now(measure, pair, scale, leave_out_unjudged=leave_out_unjudged)
    return Bounds(min(bounds.low, now), max(bounds.high, now), bounds.is_exact)


def _bound_gradings(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Bounds:
    if _tops_agree(measure, pair):
        return Bounds(0.0, 0.0, is_exact=True)
    worth = worth_of(measure, scale)
    if len(worth.levels) == 1:
        pair = pair.filled(worth.some_grade)
    if np.fmax.reduce(pair.grades, initial=0.0) > ceiling_of(measure, scale):
        return _wide(measure, pair, scale)
    ends = _find_ends(measure, pair, scale, budget)
    if ends is None:
        return _wide(measure, pair, scale)
    return Bounds(min(ends) + 0.0, max(ends) + 0.0, is_exact=True)


def _find_ends(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Return the exact ends, ``None`` where only a wide range can be given."""
    kernel = measure.spec.kernel
    if kernel not in _BY_KERNEL and kernel not in WIDE_KERNELS:
        raise LookupError(
            f"{measure.name}: metrics/bounds_difference.py does not say how it is bounded."
        )
    if measure.spec.uses == "clicks":
        return None
    if not pair.is_open.any():
        return _certain(measure, pair, scale)
    return None if kernel in WIDE_KERNELS else _BY_KERNEL[kernel](measure, pair, scale, budget)


def _tops_agree(measure: Measure, pair: RankingPair) -> bool:
    """Return whether nothing differs of what a measure looks at: only places below its cutoff."""
    if measure.cutoff is None or not np.array_equal(*pair.cut(measure.cutoff)):
        return False
    return len(pair.first) == len(pair.second) and _hold_the_same(pair.first, pair.second)


def _certain(
    measure: Measure, pair: RankingPair, scale: Scale | None, _budget: Budget = PANEL_BUDGET
) -> Ends:
    now = _value_now(measure, pair, scale)
    return now, now


def _value_now(
    measure: Measure, pair: RankingPair, scale: Scale | None, *, leave_out_unjudged: bool = False
) -> float:
    first, second = (
        compute_value(measure, side, scale, leave_out_unjudged=leave_out_unjudged) or 0.0
        for side in pair.query_grades()
    )
    return first - second


def _wide(measure: Measure, pair: RankingPair, scale: Scale | None) -> Bounds:
    """Return the difference of the two intervals: valid, and wider than need be."""
    first, second = (compute_bounds(measure, side, scale) for side in pair.query_grades())
    low, high = first.low - second.high, first.high - second.low
    return Bounds(low, high, is_exact=low == high and first.is_exact and second.is_exact)


def _weights(measure: Measure, n_retrieved: int) -> FloatArray:
    """Return by how much each rank counts in a linear measure, shape (min(k, n),)."""
    depth = n_retrieved if measure.cutoff is None else min(n_retrieved, measure.cutoff)
    kernel = measure.spec.kernel
    if kernel == "dcg":
        return discounts(depth)
    if kernel == "rbp":
        p = number(measure, "p", 0.8)
        return np.asarray((1.0 - p) * p ** np.arange(depth), dtype=np.float64)
    if kernel not in ("precision", "set_precision"):
        return np.ones(depth)
    is_by_length = measure.cutoff is None or measure.param("over") == "retrieved"
    divisor = depth if is_by_length else measure.cutoff
    return np.full(depth, 1.0 / divisor if divisor else 0.0)


def _coefficients(measure: Measure, pair: RankingPair) -> FloatArray:
    weights = np.zeros(len(pair.grades))
    for ranking, sign in ((pair.first, 1.0), (pair.second, -1.0)):
        by_rank = _weights(measure, len(ranking))
        np.add.at(weights, ranking[: len(by_rank)], sign * by_rank)
    return weights


def _linear(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    if measure.spec.kernel == "set_precision" and measure.param("relative"):
        return enumerate_difference(measure, pair, scale, budget)
    if measure.spec.kernel == "num_returned" and measure.param("rel") is None:
        return _certain(measure, pair, scale)
    worth = worth_of(measure, scale)
    coefficients = _coefficients(measure, pair)
    grades, ends = worth.of(pair.grades), np.array([worth.low, worth.high])
    if measure.spec.kernel == "num_nonrelevant_returned":
        grades, ends = 1.0 - grades, 1.0 - ends
    is_open = pair.is_open
    fixed = float(coefficients[~is_open] @ grades[~is_open])
    each = coefficients[is_open][:, None] * ends
    return fixed + float(each.min(axis=1).sum()), fixed + float(each.max(axis=1).sum())


def _shared_recall(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Found by one only, over a divisor that both share.

    As what is found never exceeds R, one more relevant document in the first top alone
    always raises the difference, and one in the second alone always lowers it; all
    others only change R, one way or the other.
    """
    if measure.spec.kernel == "set_f" and len(pair.first) != len(pair.second):
        return enumerate_difference(measure, pair, scale, budget)
    side = np.zeros(len(pair.grades))
    for top, sign in zip(pair.cut(measure.cutoff), (1.0, -1.0), strict=True):
        side[top] += sign
    is_open = pair.is_open
    relevant = worth_of(measure, scale).of(pair.grades)
    found = float(relevant @ side)
    n_relevant = float(relevant.sum())
    n_first, n_second, n_neither = (
        float((is_open & (side == sign)).sum()) for sign in (1.0, -1.0, 0.0)
    )
    rows = Rows(
        np.array([[found + n_first]] * 2 + [[found - n_second]] * 2),
        np.array([float(len(pair.first))]),
        n_relevant + np.array([n_first, n_first + n_neither, n_second, n_second + n_neither]),
    )
    values = compute_rows(measure, rows)
    return float(values[2:].min()), float(values[:2].max())


def _first_relevant(
    measure: Measure, pair: RankingPair, scale: Scale | None, _budget: Budget
) -> Ends | None:
    """RR and Success: at most one unjudged document need be relevant.

    With several, take away all but the one that the first ranking meets first: its
    value stays and the other's can only fall.
    """
    relevant = worth_of(measure, scale).of(pair.grades) > 0
    candidates = np.concatenate(([np.inf], np.flatnonzero(pair.is_open)))
    values = []
    for top in pair.cut(measure.cutoff):
        rank = np.full(len(pair.grades) + 1, np.inf)
        rank[top] = np.arange(1.0, len(top) + 1)
        known = float(rank[:-1][relevant].min(initial=np.inf))
        places = np.where(np.isinf(candidates), len(rank) - 1, candidates).astype(np.intp)
        best = np.minimum(rank[places], known)
        values.append(
            1.0 / best
            if measure.spec.kernel == "reciprocal_rank"
            else np.isfinite(best).astype(np.float64)
        )
    difference = values[0] - values[1]
    return float(difference.min()), float(difference.max())


def _ndcg(measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget) -> Ends | None:
    problem = _find_ndcg_problem(measure, pair, scale)
    if problem is None:
        return enumerate_difference(measure, pair, scale, budget)
    opposite = replace(problem, fixed=-problem.fixed, coefficients=-problem.coefficients[:, ::-1])
    return -float(greatest_ratio(opposite)[0]), float(greatest_ratio(problem)[0])


def _find_ndcg_problem(
    measure: Measure, pair: RankingPair, scale: Scale | None
) -> RatioProblem | None:
    """Return the ratio of a difference of DCGs to the ideal, ``None`` if they have two ideals."""
    in_ideal = np.ones(len(pair.grades), dtype=bool)
    depth = np.inf if measure.cutoff is None else float(measure.cutoff)
    kind = measure.param("ideal")
    if kind == "uncut":
        depth = np.inf
    elif kind == "length":
        lengths = {min(depth, len(ranking)) for ranking in (pair.first, pair.second)}
        if len(lengths) > 1:
            return None
        depth = lengths.pop()
    elif kind == "retrieved":
        if not _hold_the_same(pair.first, pair.second):
            return None
        in_ideal = np.isin(np.arange(len(pair.grades)), pair.first)
    worth = worth_of(measure, scale)
    coefficients = np.zeros(len(pair.grades))
    for top, sign in zip(pair.cut(measure.cutoff), (1.0, -1.0), strict=True):
        coefficients[top] += sign * discounts(len(top))
    is_open = pair.is_open & in_ideal
    gains = worth.of(pair.grades)
    judged = gains[in_ideal & ~pair.is_open][None, :]
    distinct = distinct_gains(judged, worth.levels)
    falling = _few_zeros(np.sort(coefficients[is_open])[::-1], depth)
    return RatioProblem(
        fixed=np.array([float(coefficients @ gains)]),
        coefficients=falling[None, :],
        n_open=np.array([float(len(falling))]),
        levels=worth.levels,
        gains=distinct,
        counts=count_gains(judged, distinct),
        depth=np.array([depth]),
    )


def _few_zeros(falling: FloatArray, depth: float) -> FloatArray:
    """Return coefficients without the zeros that are more than the ideal has ranks.

    Documents with coefficient 0 change the ideal alone, and as many as it has ranks
    can fill it: more of them add nothing.
    """
    if not np.isfinite(depth):
        return falling
    is_zero = falling == 0.0
    few: FloatArray = falling[~is_zero | (np.cumsum(is_zero) <= depth)]
    return few


def _hold_the_same(first: PlaceArray, second: PlaceArray) -> bool:
    return np.array_equal(np.sort(first), np.sort(second))


def _nothing(_measure: Measure, _pair: RankingPair, _scale: Scale | None, _budget: Budget) -> Ends:
    """R is a matter of the query, not of its rankings."""
    return 0.0, 0.0


_BY_KERNEL: dict[str, Find] = {
    "precision": _linear,
    "set_precision": _linear,
    "cumulated_gain": _linear,
    "dcg": _linear,
    "rbp": _linear,
    "num_returned": _linear,
    "num_relevant_returned": _linear,
    "num_nonrelevant_returned": _linear,
    "num_relevant": _nothing,
    "num_queries": _nothing,
    "recall": _shared_recall,
    "capped_recall": _shared_recall,
    "f_measure": _shared_recall,
    "set_recall": _shared_recall,
    "set_f": _shared_recall,
    "reciprocal_rank": _first_relevant,
    "success": _first_relevant,
    "ndcg": _ndcg,
    "r_precision": enumerate_difference,
    "set_ap": enumerate_difference,
    "average_precision": enumerate_difference,
    "interpolated_precision": enumerate_difference,
    "eleven_point": enumerate_difference,
    "bpref": enumerate_difference,
    "inferred_ap": enumerate_difference,
    "err": enumerate_difference,
    "pfound": enumerate_difference,
    "judged_share": _certain,
    "unjudged_share": _certain,
    "rbp_residual": _certain,
}
