"""The interval of a difference: what-if minus baseline, run A minus run B.

Both share their unknowns, so it is narrower than the difference of two intervals.

* Linear measures (P, CG, DCG, RBP, counts): each document at its least, and at its most.
* R, R_cap, F: how many documents only one of the tops holds.
* RR, Success: no more than one unjudged document need be relevant.
* nDCG: exact by :mod:`judgetool.metrics.bounds_rules`, whatever the number.
* AP of one document moved: exact by :mod:`judgetool.metrics.bounds_search`.
* ERR, pFound, AP, others: :mod:`judgetool.metrics.bounds_search`, as long as few
  unjudged documents changed place; else the wide range, and it is called so.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import worth_of
from judgetool.metrics.bounds import Bounds, compute_bounds, sees_unjudged
from judgetool.metrics.bounds_rules import (
    RatioProblem,
    count_gains,
    distinct_gains,
    greatest_ratio,
)
from judgetool.metrics.bounds_search import (
    DRAG_BUDGET,
    PANEL_BUDGET,
    SEARCH_BUDGET,
    Budget,
    enumerate_difference,
)
from judgetool.metrics.grades import DocumentKeys, PlaceArray, RankingPair, compute_value
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import BoolArray, FloatArray, Rule, Tops, discounts
from judgetool.metrics.values import contributions, row_values, weights_by_rank

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
    if tops_agree(measure, pair):
        return Bounds(0.0, 0.0, is_exact=True)
    worth = worth_of(measure, scale)
    if len(worth.levels) == 1:
        pair = pair.filled(worth.some_grade)
    if np.fmax.reduce(pair.grades, initial=0.0) > worth.ceiling:
        return _wide(measure, pair, scale)
    ends = _find_ends(measure, pair, scale, budget)
    if ends is None:
        return _wide(measure, pair, scale)
    return Bounds(min(ends) + 0.0, max(ends) + 0.0, is_exact=True)


def _find_ends(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Return the exact ends, ``None`` where only a wide range can be given."""
    if measure.rule not in _DIFFERENCES and measure.rule != "wide":
        raise LookupError(
            f"{measure.name}: metrics/bounds_difference.py does not say how it is bounded."
        )
    if measure.spec.uses == "clicks":
        return None
    if not pair.is_open.any():
        return _certain(measure, pair, scale)
    find = _DIFFERENCES.get(measure.rule)
    return None if find is None else find(measure, pair, scale, budget)


def tops_agree(measure: Measure, pair: RankingPair) -> bool:
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


def _linear(measure: Measure, pair: RankingPair, scale: Scale | None, _budget: Budget) -> Ends:
    """Each document adds what it is worth where it stands: at its least, and at its most."""
    worth = worth_of(measure, scale)
    adds = linear_parts(measure, pair, scale, (worth.low, worth.high))
    return float(adds.min(axis=0).sum()), float(adds.max(axis=0).sum())


def linear_parts(
    measure: Measure, pair: RankingPair, scale: Scale | None, worths: Ends
) -> FloatArray:
    """Return what each document adds to the difference where the unjudged have either worth, shape (2, D).

    Args:
        measure: a linear one.
        pair: the rankings.
        scale: of the grades.
        worths: of the unjudged documents.
    """
    known = worth_of(measure, scale).of(pair.grades)
    rows = np.where(pair.is_open, np.array(worths)[:, None], known)
    adds = np.zeros(rows.shape)
    for ranking, sign in ((pair.first, 1.0), (pair.second, -1.0)):
        each = contributions(Tops(measure, rows[:, ranking], np.array([float(len(ranking))])))
        adds[:, ranking[: each.shape[1]]] += sign * each
    return adds


def _shared(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Found by one only, over a divisor that both share.

    As what is found never exceeds R, one more relevant document in the first top alone
    always raises the difference, and one in the second alone always lowers it; all
    others only change R, one way or the other.
    """
    if measure.cutoff is None and len(pair.first) != len(pair.second):
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
    rows = Tops(
        measure,
        np.array([[found + n_first]] * 2 + [[found - n_second]] * 2),
        np.array([float(len(pair.first))]),
        n_relevant + np.array([n_first, n_first + n_neither, n_second, n_second + n_neither]),
    )
    values = row_values(rows)
    return float(values[2:].min()), float(values[:2].max())


def _first_relevant(
    measure: Measure, pair: RankingPair, scale: Scale | None, _budget: Budget
) -> Ends:
    """At most one unjudged document need be relevant.

    With several, take away all but the one that the first ranking meets first: its
    value stays and the other's can only fall.
    """
    relevant = worth_of(measure, scale).of(pair.grades) > 0
    candidates = np.flatnonzero(pair.is_open)
    values = []
    for top in pair.cut(measure.cutoff):
        # The last place is that of no document: nothing relevant is met.
        place = np.full(len(pair.grades), len(top))
        place[top] = np.arange(len(top))
        known = place[relevant].min(initial=len(top))
        met = np.minimum(np.append(place[candidates], len(top)), known)
        values.append(np.append(weights_by_rank(measure, len(top)), 0.0)[met])
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
    ideal = find_ideal(measure, pair)
    if ideal is None:
        return None
    in_ideal, depth = ideal
    worth = worth_of(measure, scale)
    coefficients = dcg_coefficients(measure, pair)
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


class Ideal(NamedTuple):
    """The ideal order that two DCGs are divided by.

    Attributes:
        holds: which documents may stand in it, shape (D,).
        depth: its ranks; infinity for all.
    """

    holds: BoolArray
    depth: float


def find_ideal(measure: Measure, pair: RankingPair) -> Ideal | None:
    """Return the ideal order of both rankings, ``None`` if they have two."""
    in_ideal = np.ones(len(pair.grades), dtype=np.bool_)
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
    return Ideal(in_ideal, depth)


def dcg_coefficients(measure: Measure, pair: RankingPair) -> FloatArray:
    """Return what each document's gain adds to the difference of two DCGs, shape (D,)."""
    coefficients = np.zeros(len(pair.grades))
    for top, sign in zip(pair.cut(measure.cutoff), (1.0, -1.0), strict=True):
        coefficients[top] += sign * discounts(len(top))
    return coefficients


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


_DIFFERENCES: dict[Rule, Find] = {
    "linear": _linear,
    "first": _first_relevant,
    "shared": _shared,
    "squared": enumerate_difference,
    "reader": enumerate_difference,
    "precision": enumerate_difference,
    "r_precision": enumerate_difference,
    "placed": enumerate_difference,
    "ratio": _ndcg,
    "number": _nothing,
    "present": _certain,
}
