"""What judgments to come could still say of a difference: of how many documents, and by which p.

Of a difference of two values it is said how many unjudged documents can change it, whatever the
others get; of a test between which p lie over all gradings of the unjudged, and how many queries it
needs.

Of documents is found first who cannot, by what each measure looks at; the rest is an upper bound.
It is exact by rule (``linear``, ``first``, ``shared``), or where each of the rest changes the difference in
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

import math
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Worth, level_grades, worth_of
from judgetool.metrics.bounds import ALWAYS, BoundsBlock
from judgetool.metrics.bounds_difference import (
    dcg_coefficients,
    find_first,
    find_ideal,
    linear_parts,
    tops_agree,
)
from judgetool.metrics.comparison import ComparisonRules, PairComparison, run_test
from judgetool.metrics.grades import RankingPair, find_window
from judgetool.metrics.measure import Measure
from judgetool.metrics.significance import DECIMALS, Check, by_weight, compute_t_test
from judgetool.metrics.stakes import compute_difference_table
from judgetool.metrics.terms import BoolArray, FloatArray, Rule, Tops, discounts
from judgetool.metrics.values import row_values, unlike

POWER = 0.8
"""How often so many queries would show a difference, if it is as it looks."""
_RANKS_PER_VALUE = 3.0 / math.pi
"""Of differences that are normal Wilcoxon's test gets as much from a query as t from so many."""
_MOST_QUERIES = 1_000_000
_FEWEST_MOVED = 6


class PRange(NamedTuple):
    """From where to where p lies over all gradings of what is unjudged; alone, not corrected.

    Attributes:
        low: least p.
        high: greatest.
        is_exact: whether both are attained; if not, no p lies outside.
    """

    low: float
    high: float
    is_exact: bool


def compute_p_range(
    block: BoundsBlock,
    rules: ComparisonRules,
    *,
    weights: FloatArray | None = None,
    check: Check | None = None,
) -> PRange | None:
    """Return p over all gradings of what is unjudged.

    Queries are graded independently, so all may stand at their ends at once. Turned round
    at random in some queries F, a mean above 0 is reached again where the differences of F
    add up to 0 or less: the randomization test's p falls with every single difference while
    their sum is above 0, rises while it is below, and is 1 at 0. The sign test looks at how
    many can be above and below. t falls and rises with the angle between the differences and
    the line on which all are equal: the least is where all are as near to one number as they
    can, the greatest among the ends of the queries. Of weighted means the same holds of what
    each query adds, but not for t.

    Args:
        block: the difference of each query that can count: ends, whether these are attained,
            and whether it counts for all gradings.
        rules: the test, its draws and its seed.
        weights: of the queries in the mean, above 0, shape (B,); ``None`` for all alike.
        check: called again and again; what it raises ends the work.

    Returns:
        ``None`` for Wilcoxon's test, which leaves out queries without a difference, so that
        p neither only falls nor only rises with one; and for t where the number of queries
        depends on the gradings, or queries count unlike each other.

    References:
        Own derivation; the tests try all gradings of small cases.
    """
    low, high = (np.round(ends, DECIMALS) + 0.0 for ends in (block.low, block.high))
    may_leave = block.defined != ALWAYS
    is_exact = bool(block.is_exact[(low < high) | may_leave].all())
    shares = unlike(weights)
    if rules.test == "wilcoxon":
        return None
    if rules.test == "t" and (may_leave.any() or shares is not None):
        return None
    if rules.test == "t":
        return _range_of_t(low, high, is_exact=is_exact)
    low, high = (
        np.where(may_leave, np.minimum(low, 0.0), low),
        np.where(may_leave, np.maximum(high, 0.0), high),
    )
    if rules.test == "sign":
        return _range_of_signs(low, high, rules, is_exact=is_exact)
    low, high = (by_weight(ends, shares) for ends in (low, high))
    return _range_of_sums(low, high, rules, check, is_exact=is_exact)


def _range_of_sums(
    low: FloatArray,
    high: FloatArray,
    rules: ComparisonRules,
    check: Check | None,
    *,
    is_exact: bool,
) -> PRange:
    least, most = (run_test(ends, rules, check) for ends in (low, high))
    if least.n_draws or most.n_draws:
        # Each p is drawn anew: none is farther off than chance can make it.
        drawn = [_drawn_about(each.p, rules.n_draws) for each in (least, most)]
        least, most = (
            each._replace(p=ends[0]) for each, ends in zip((least, most), drawn, strict=True)
        )
        highest, is_exact = max(ends[1] for ends in drawn), False
    else:
        highest = max(least.p, most.p)
    if least.side == most.side:
        return PRange(min(least.p, most.p), highest, is_exact)
    lowest = min([1.0, *(each.p for each, side in ((least, -1), (most, 1)) if each.side == side)])
    # Between a mean below and one above 0 there need be no grading that makes it 0.
    return PRange(lowest, 1.0, is_exact and 0 in (least.side, most.side))


def _drawn_about(p: float, n_draws: int) -> tuple[float, float]:
    """Return between what p lies that many draws give, but for one time in a million."""
    reach = 5.0 * math.sqrt(p * (1.0 - p) / n_draws)
    return max(0.0, p - reach), min(1.0, p + reach)


def _range_of_signs(
    low: FloatArray, high: FloatArray, rules: ComparisonRules, *, is_exact: bool
) -> PRange:
    can_rise, can_fall = high > 0.0, low < 0.0
    n_up, n_down = int((low > 0.0).sum()), int((high < 0.0).sum())

    def p_of(better: int, worse: int) -> float:
        return run_test(np.repeat((1.0, -1.0), (better, worse)), rules).p

    lowest = min(p_of(int(can_rise.sum()), n_down), p_of(n_up, int(can_fall.sum())))
    # As even as they can be: those that can be either take the side that lacks some.
    free = int((can_rise & can_fall).sum())
    only_up, only_down = int(can_rise.sum()) - n_up - free, int(can_fall.sum()) - n_down - free
    short, spare = (n_down, only_down) if n_up > n_down else (n_up, only_up)
    n_least, n_most = max(n_up, n_down), min(max(n_up, n_down), short + spare + free)
    return PRange(lowest, p_of(n_least, n_most), is_exact)


def _range_of_t(low: FloatArray, high: FloatArray, *, is_exact: bool) -> PRange:
    sum_low, sum_high = float(low.sum()), float(high.sum())
    sides = []
    if sum_high > 0.0:
        sides.append(_nearest_to_equal(low, high))
    if sum_low < 0.0:
        sides.append(_nearest_to_equal(-high, -low))
    lowest = min(((compute_t_test(each).p, is_end) for each, is_end in sides), default=(1.0, True))
    if sum_low > 0.0:
        highest = _farthest_from_equal(low, high)
    elif sum_high < 0.0:
        highest = _farthest_from_equal(-high, -low)
    else:
        highest = 1.0, sum_low == 0.0 or sum_high == 0.0
    return PRange(lowest[0], highest[0], is_exact and lowest[1] and highest[1])


def _nearest_to_equal(low: FloatArray, high: FloatArray) -> tuple[FloatArray, bool]:
    """Return the differences of the greatest t above 0, and whether all stand at their ends.

    They are all as near to one number c as they can; between two ends the best c is where
    the sum of squares is c times the sum.
    """
    ends = np.unique(np.concatenate((low, high)))
    middles = np.concatenate((ends[:1], (ends[1:] + ends[:-1]) / 2.0))

    def held(numbers: FloatArray, power: int) -> FloatArray:
        """Return what those add that stand at an end, for each of some c."""
        above, below = np.sort(low), np.sort(high)
        falling = np.concatenate((np.cumsum((above**power)[::-1])[::-1], [0.0]))
        rising = np.concatenate(([0.0], np.cumsum(below**power)))
        found: FloatArray = (
            falling[np.searchsorted(above, numbers, side="left")]
            + rising[np.searchsorted(below, numbers, side="right")]
        )
        return found

    sums, squares = held(middles, 1), held(middles, 2)
    best = np.divide(squares, sums, out=middles.copy(), where=np.abs(sums) > 0.0)
    before = np.concatenate((ends[:1], ends[:-1]))
    tried = np.unique(np.concatenate((ends, np.clip(best, before, ends))))
    angles = [_angle(np.clip(each, low, high)) for each in tried]
    chosen = np.clip(tried[int(np.argmax(angles))], low, high)
    return chosen, bool(((chosen == low) | (chosen == high)).all())


def _angle(differences: FloatArray) -> float:
    """Return the sum over the root of the sum of squares; 0 where all are 0."""
    size = float(np.sqrt((differences**2).sum()))
    return float(differences.sum()) / size if size > 0.0 else 0.0


def _farthest_from_equal(low: FloatArray, high: FloatArray) -> tuple[float, bool]:
    """Return the greatest p of t where every sum is above 0, and whether it is attained.

    For each sum no squares add up to more than if queries rise from their least to their
    greatest in the order of what that brings.
    """
    order = np.argsort(-(low + high), kind="stable")
    widths = (high - low)[order]
    gains = (high**2 - low**2)[order]
    sums = float(low.sum()) + np.concatenate(([0.0], np.cumsum(widths)))
    squares = float((low**2).sum()) + np.concatenate(([0.0], np.cumsum(gains)))
    at_ends = float((sums**2 / squares).min())
    slopes = (low + high)[order]
    heights = squares[:-1] - slopes * sums[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        turning = -2.0 * heights / slopes
        between = turning**2 / (heights + slopes * turning)
    is_inside = (turning > sums[:-1]) & (turning < sums[1:]) & np.isfinite(between)
    inside = float(between[is_inside].min(initial=np.inf))
    return _p_of_share(min(at_ends, inside) / len(low), len(low)), at_ends <= inside


def _p_of_share(share: float, n: int) -> float:
    """Return p of t where (sum of differences)² is this share of n times the sum of squares."""
    if n < 2:
        return 1.0
    if share >= 1.0:
        return 0.0
    from scipy import stats

    return float(2.0 * stats.t.sf(math.sqrt((n - 1) * share / (1.0 - share)), n - 1))


def count_queries_needed(pair: PairComparison, rules: ComparisonRules, n_tests: int) -> int | None:
    """Return about how many queries would show a difference, four times in five.

    If the further queries are like these: the same mean difference and spread, for the sign
    test the same share of better ones. α is shared among the tests of the family, which is
    enough for each of them under Holm's and Benjamini and Hochberg's correction.

    Args:
        pair: what was found, and does not show a difference.
        rules: the test, its α and its correction.
        n_tests: of the family.

    Returns:
        More than there are; ``None`` where nothing points either way, where only a few
        queries of many differ, as where somebody moved cards of these, where it would be
        more than a million, and by Wilcoxon's test where queries count unlike each other: the
        effect is that of the weighted mean then, which ranks do not look at.

    References:
        Guenther 1981 for t; for signs the normal approximation of the binomial test, with the spread of
        the share that was found; 3/π is the efficiency of Wilcoxon's test for normal differences.
    """
    from statistics import NormalDist  # noqa: PLC0415 - few need it

    n_moved = pair.wins + pair.losses
    if n_moved < _FEWEST_MOVED and n_moved < pair.ties:
        return None
    alpha = rules.alpha / (n_tests if rules.correction != "none" and n_tests > 1 else 1)
    sure, often = NormalDist().inv_cdf(1.0 - alpha / 2.0), NormalDist().inv_cdf(POWER)
    if rules.test == "sign":
        share = max(pair.wins, pair.losses) / n_moved if n_moved else 0.5
        if share <= 0.5:
            return None
        needed = ((sure / 2.0 + often * math.sqrt(share * (1.0 - share))) / (share - 0.5)) ** 2
        needed *= pair.n_queries / n_moved
    else:
        if not pair.effect or (rules.test == "wilcoxon" and pair.is_weighted):
            return None
        needed = ((sure + often) / pair.effect) ** 2 + sure**2 / 2.0
        needed /= _RANKS_PER_VALUE if rules.test == "wilcoxon" else 1.0
    # Where all signs alike are the rarest that there is, p is 2^(1 - n).
    fewest = 1.0 + math.log2(1.0 / alpha) if rules.test != "t" else 2.0
    needed = max(needed, fewest, pair.n_queries + 1.0)
    return math.ceil(needed) if needed <= _MOST_QUERIES else None


# How many documents can change a difference

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
        return OpenDocuments(by_rule(measure, pair, worth))
    upper = is_open & _FIND_UPPER.get(measure.rule, _everybody)(measure, pair, worth)
    found = _find_changing(measure, pair, scale, upper)
    return OpenDocuments(int(upper.sum()), is_exact=bool(found[upper].all()))


# Exact by rule


def _count_linear(measure: Measure, pair: RankingPair, worth: Worth) -> int:
    adds = linear_parts(measure, pair, worth, (min(worth.low, 0.0), worth.high))
    return int((pair.is_open & (adds[0] != adds[1])).sum())


def _count_first(measure: Measure, pair: RankingPair, worth: Worth) -> int:
    relevant, sides = worth.of(pair.grades) > 0, []
    for top in pair.cut(measure.cutoff):
        weights, place, known = find_first(measure, top, relevant)
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


def _count_by_kind(measure: Measure, pair: RankingPair, worth: Worth) -> int:
    relevant = worth.of(pair.grades)
    held = [pair.holding(top) for top in pair.cut(measure.cutoff)]
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


_BY_RULE: dict[Rule, Callable[[Measure, RankingPair, Worth], int]] = {
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
    first, second = pair.cut(measure.cutoff)
    window = find_window(first, second)
    ends = window.start + len(window.first), window.start + len(window.second)
    return pair.holding(first[: ends[0]], second[: ends[1]])


def _of_precision(measure: Measure, pair: RankingPair, worth: Worth) -> BoolArray:
    norm = str(measure.values.get("norm"))
    if norm == "k" and measure.cutoff is not None:
        return _above_the_end(measure, pair, worth)
    if norm == "found":
        return pair.holding(*pair.cut(measure.cutoff))
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
