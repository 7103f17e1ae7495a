"""What a test could still say: p over all gradings of the unjudged, and how many queries it needs."""

import math
from typing import NamedTuple

import numpy as np

from judgetool.metrics.bounds import ALWAYS, BoundsBlock
from judgetool.metrics.comparison import ComparisonRules, PairComparison, run_test
from judgetool.metrics.significance import DECIMALS, Check, compute_t_test
from judgetool.metrics.terms import FloatArray

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
    block: BoundsBlock, rules: ComparisonRules, *, check: Check | None = None
) -> PRange | None:
    """Return p over all gradings of what is unjudged.

    Queries are graded independently, so all may stand at their ends at once. Turned round
    at random in some queries F, a mean above 0 is reached again where the differences of F
    add up to 0 or less: the randomization test's p falls with every single difference while
    their sum is above 0, rises while it is below, and is 1 at 0. The sign test looks at how
    many can be above and below. t falls and rises with the angle between the differences and
    the line on which all are equal: the least is where all are as near to one number as they
    can, the greatest among the ends of the queries.

    Args:
        block: the difference of each query that can count: ends, whether these are attained,
            and whether it counts for all gradings.
        rules: the test, its draws and its seed.
        check: called again and again; what it raises ends the work.

    Returns:
        ``None`` for Wilcoxon's test, which leaves out queries without a difference, so that
        p neither only falls nor only rises with one; and for t where the number of queries
        depends on the gradings.

    References:
        Own derivation; the tests try all gradings of small cases.
    """
    low, high = (np.round(ends, DECIMALS) + 0.0 for ends in (block.low, block.high))
    may_leave = block.defined != ALWAYS
    is_exact = bool(block.is_exact[(low < high) | may_leave].all())
    if rules.test == "wilcoxon" or (rules.test == "t" and may_leave.any()):
        return None
    if rules.test == "t":
        return _range_of_t(low, high, is_exact=is_exact)
    low, high = (
        np.where(may_leave, np.minimum(low, 0.0), low),
        np.where(may_leave, np.maximum(high, 0.0), high),
    )
    if rules.test == "sign":
        return _range_of_signs(low, high, rules, is_exact=is_exact)
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
        queries of many differ, as where somebody moved cards of these, or where it would be
        more than a million.

    References:
        Guenther 1981 for t; Noether 1987 for ranks and signs; 3/π is the efficiency of
        Wilcoxon's test for normal differences.
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
        if not pair.effect:
            return None
        needed = ((sure + often) / pair.effect) ** 2 + sure**2 / 2.0
        needed /= _RANKS_PER_VALUE if rules.test == "wilcoxon" else 1.0
    # Where all signs alike are the rarest that there is, p is 2^(1 - n).
    fewest = 1.0 + math.log2(1.0 / alpha) if rules.test != "t" else 2.0
    needed = max(needed, fewest, pair.n_queries + 1.0)
    return math.ceil(needed) if needed <= _MOST_QUERIES else None
