"""How many unjudged documents can change the difference of two values, whatever the others get.

First is found who cannot, by what each measure looks at; the rest is an upper bound. It is exact
by rule (``linear``, ``first``, ``shared``), or where each of the rest changes the difference in
some grading that is tried:

* linear measures: who adds otherwise to the one value than to the other;
* ``first``: with at most one other relevant document every case is there, as the sooner one hides
  the later one on each side;
* ``shared``, ``squared``: documents of a kind (held by the first top, the second, both, neither)
  are alike, and what divides stands still once R is large: few of each kind tell;
* nDCG: who stands unlike in the tops, and who can enter the ideal;
* ERR, pFound: who stands above the end of the window where the tops differ;
* AP by k or by what is found: likewise; by R: everybody.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Worth, level_grades, worth_of
from judgetool.metrics.bounds_difference import (
    dcg_coefficients,
    find_ideal,
    linear_parts,
    tops_agree,
)
from judgetool.metrics.grades import RankingPair, find_window
from judgetool.metrics.measure import Measure
from judgetool.metrics.stakes import compute_difference_table
from judgetool.metrics.terms import BoolArray, FloatArray, Rule, Tops, discounts
from judgetool.metrics.values import row_values, weights_by_rank

# Differences below this are rounding.
_SAME = 1e-12
# So many documents are tried one by one: each is a ranking to be valued.
_MOST_TRIED = 500
# Of documents of a kind so many are tried: the first ones change most.
_MOST_OF_A_KIND = 2


class OpenDocuments(NamedTuple):
    """How many unjudged documents of a query can change the difference of its two values.

    Attributes:
        n: documents.
        is_exact: whether each of them can; if not, no others can, but some of these may not.
    """

    n: int
    is_exact: bool = True


def count_deciding(
    measure: Measure, pair: RankingPair, scale: Scale | None, *, leave_out_unjudged: bool = False
) -> OpenDocuments:
    """Return how many unjudged documents can change the difference of two rankings.

    Args:
        measure: any of the table.
        pair: the two rankings; its unjudged documents that neither holds are of the pool.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: whether unjudged documents are taken out of the rankings.
    """
    is_open, worth = pair.is_open, worth_of(measure, scale)
    n_open = int(is_open.sum())
    is_settled = measure.spec.uses == "clicks" or measure.rule in ("present", "number")
    if not n_open or pair.are_equal or is_settled:
        return OpenDocuments(0)
    is_condensed = measure.takes_out_unjudged(leave_out_unjudged=leave_out_unjudged)
    if is_condensed or measure.spec.sees != "useful" or measure.spec.facts:
        return OpenDocuments(n_open, is_exact=False)
    # Until somebody judges it, a document is worth nothing.
    levels = np.union1d(worth.levels, [0.0])
    if len(levels) == 1 or tops_agree(measure, pair):
        return OpenDocuments(0)
    if np.fmax.reduce(pair.grades, initial=0.0) > worth.ceiling:
        return OpenDocuments(n_open, is_exact=False)
    by_rule = _BY_RULE.get(measure.rule)
    if by_rule is not None:
        return OpenDocuments(by_rule(measure, pair, scale, worth))
    upper = is_open & _FIND_UPPER.get(measure.rule, _everybody)(measure, pair, worth)
    found = _find_changing(measure, pair, scale, upper)
    return OpenDocuments(int(upper.sum()), is_exact=bool(found[upper].all()))


# Exact by rule


def _count_linear(measure: Measure, pair: RankingPair, scale: Scale | None, worth: Worth) -> int:
    least, most = min(worth.low, 0.0), worth.high
    adds = linear_parts(measure, pair, scale, (least, most))
    return int((pair.is_open & (adds[0] != adds[1])).sum())


def _count_first(measure: Measure, pair: RankingPair, _scale: Scale | None, worth: Worth) -> int:
    relevant, sides = worth.of(pair.grades) > 0, []
    for top in pair.cut(measure.cutoff):
        weights = np.append(weights_by_rank(measure, len(top)), 0.0)
        place = np.full(len(pair.grades), len(top))
        place[top] = np.arange(len(top))
        known = place[relevant].min(initial=len(top))
        sides.append((weights[np.minimum(place, known)], weights[known]))
    (ours, our_start), (theirs, their_start) = sides
    is_moving = pair.is_open & ((ours > our_start) | (theirs > their_start))
    kinds, counts = np.unique(
        np.column_stack((ours, theirs))[is_moving], axis=0, return_counts=True
    )
    others = np.vstack((kinds, [[our_start, their_start]]))
    moved = np.maximum(kinds[:, None, :], others) - others
    can_change = (np.abs(moved[:, :, 0] - moved[:, :, 1]) > _SAME).any(axis=1)
    return int(counts[can_change].sum())


def _count_by_kind(measure: Measure, pair: RankingPair, _scale: Scale | None, worth: Worth) -> int:
    relevant, tops = worth.of(pair.grades), pair.cut(measure.cutoff)
    held = np.zeros((2, len(pair.grades)), dtype=np.bool_)
    for side, top in zip(held, tops, strict=True):
        side[top] = True
    kinds = [(True, False), (False, True), (True, True), (False, False)]
    is_kind = [(held[0] == ours) & (held[1] == theirs) for ours, theirs in kinds]
    numbers = [int((pair.is_open & each).sum()) for each in is_kind]
    tried = np.array(list(product(range(_MOST_OF_A_KIND + 1), repeat=4)))
    in_first, in_second = np.array(kinds, dtype=np.int64).T
    known = [float(relevant[side].sum()) for side in held]
    total = float(relevant.sum())

    def differences(chosen: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> FloatArray:
        n_relevant = total + chosen.sum(axis=1)
        values = [
            row_values(
                Tops(
                    measure,
                    (start + chosen @ holds)[:, None],
                    np.array([float(len(ranking))]),
                    n_relevant,
                )
            )
            for start, holds, ranking in zip(
                known, (in_first, in_second), (pair.first, pair.second), strict=True
            )
        ]
        difference: FloatArray = values[0] - values[1]
        return difference

    count = 0
    for kind, n in enumerate(numbers):
        room = np.array(numbers) - (np.arange(4) == kind)
        before = tried[(tried <= room).all(axis=1)]
        if n and len(before):
            after = before + (np.arange(4) == kind)
            count += n * bool((np.abs(differences(after) - differences(before)) > _SAME).any())
    return count


_Count = Callable[[Measure, RankingPair, Scale | None, Worth], int]
_BY_RULE: dict[Rule, _Count] = {
    "linear": _count_linear,
    "first": _count_first,
    "shared": _count_by_kind,
    "squared": _count_by_kind,
}


# Upper bounds


def _everybody(_measure: Measure, pair: RankingPair, _worth: Worth) -> BoolArray:
    return np.ones(len(pair.grades), dtype=np.bool_)


def _above_the_end(measure: Measure, pair: RankingPair, _worth: Worth) -> BoolArray:
    """Return who stands above the end of the window where the tops differ."""
    tops, window = pair.cut(measure.cutoff), find_window(*pair.cut(measure.cutoff))
    held = np.zeros(len(pair.grades), dtype=np.bool_)
    for top, inside in zip(tops, (window.first, window.second), strict=True):
        held[top[: window.start + len(inside)]] = True
    return held


def _of_precision(measure: Measure, pair: RankingPair, worth: Worth) -> BoolArray:
    norm = str(measure.values.get("norm"))
    if norm == "k" and measure.cutoff is not None:
        return _above_the_end(measure, pair, worth)
    if norm == "found":
        held = np.zeros(len(pair.grades), dtype=np.bool_)
        for top in pair.cut(measure.cutoff):
            held[top] = True
        return held
    return _everybody(measure, pair, worth)


def _of_ratio(measure: Measure, pair: RankingPair, worth: Worth) -> BoolArray:
    ideal = find_ideal(measure, pair)
    if ideal is None:
        return _everybody(measure, pair, worth)
    gains = worth.of(pair.grades)[ideal.holds & ~pair.is_open]
    with_one = _ideal_sum(np.append(gains, worth.high), ideal.depth)
    can_enter = with_one - _ideal_sum(gains, ideal.depth) > _SAME
    is_unlike: BoolArray = dcg_coefficients(measure, pair) != 0.0
    return is_unlike | (ideal.holds & can_enter)


_FIND_UPPER: dict[Rule, Callable[[Measure, RankingPair, Worth], BoolArray]] = {
    "ratio": _of_ratio,
    "reader": _above_the_end,
    "precision": _of_precision,
}


# Trying


def _find_changing(
    measure: Measure, pair: RankingPair, scale: Scale | None, upper: BoolArray
) -> BoolArray:
    """Return who of some documents is seen to change the difference in a grading that is tried."""
    found = np.zeros(len(pair.grades), dtype=np.bool_)
    if measure.rule == "ratio":
        return _find_changing_ratio(measure, pair, worth_of(measure, scale))
    if measure.rule == "wide" or upper.sum() > _MOST_TRIED:
        return found
    # Alone, and beside one document that makes a difference itself.
    places, moves = _moves(measure, pair, scale, upper)
    found[places] = moves > _SAME
    if found.any() and not found[upper].all():
        strongest = int(places[np.argmax(moves)])
        grades = pair.grades.copy()
        levels = level_grades(scale)
        grades[strongest] = levels[np.argmax(worth_of(measure, scale).of(levels))]
        beside = RankingPair(pair.first, pair.second, grades, pair.pooled)
        places, moves = _moves(measure, beside, scale, upper)
        found[places] |= moves > _SAME
    return found


def _moves(
    measure: Measure, pair: RankingPair, scale: Scale | None, wanted: BoolArray
) -> tuple["np.ndarray[tuple[int], np.dtype[np.intp]]", FloatArray]:
    """Return documents, and how far each alone moves the difference."""
    places, values = compute_difference_table(measure, pair, scale, wanted=wanted)
    moves: FloatArray = np.ptp(values, axis=1)
    return places, moves


def _find_changing_ratio(measure: Measure, pair: RankingPair, worth: Worth) -> BoolArray:
    """Try each document at its highest gain: alone, and beside the one that helps either side most."""
    found = np.zeros(len(pair.grades), dtype=np.bool_)
    ideal = find_ideal(measure, pair)
    if ideal is None:
        return found
    coefficients, gains = dcg_coefficients(measure, pair), worth.of(pair.grades)
    among = np.where(pair.is_open, coefficients, 0.0)
    for beside in (None, int(np.argmax(among)), int(np.argmin(among))):
        given = gains.copy()
        if beside is not None and pair.is_open[beside]:
            given[beside] = worth.high
        sums = float(coefficients @ given)
        in_ideal = given[ideal.holds]
        before = _ideal_sum(in_ideal, ideal.depth)
        after = _ideal_sum(np.append(in_ideal, worth.high), ideal.depth)
        start = sums / before if before else 0.0
        moved = (sums + coefficients * worth.high) / np.where(ideal.holds, after, before or 1.0)
        is_new = np.ones(len(found), dtype=np.bool_)
        if beside is not None:
            is_new[beside] = False
        found |= is_new & (np.abs(moved - start) > _SAME)
    return found


def _ideal_sum(gains: FloatArray, depth: float) -> float:
    """Return the DCG of some gains in their best order, cut at a depth that may be infinite."""
    falling = np.sort(gains)[::-1]
    top = falling if np.isinf(depth) else falling[: int(depth)]
    return float(top @ discounts(len(top)))
