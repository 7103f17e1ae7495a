"""The interval of a difference: what-if minus baseline, run A minus run B.

Both share their unknowns, so it is narrower than the difference of two intervals.

* Linear measures (P, CG, DCG, RBP, counts): each document at its least, and at its most.
* R, R_cap, F: how many documents only one of the tops holds.
* RR, Success: no more than one unjudged document need be relevant.
* nDCG: exact by :mod:`judgetool.metrics.bounds`, whatever the number.
* AP of one document moved: exact by one pass over what it passes.
* ERR, pFound, AP, others: by trying every grading that can matter, as long as few unjudged
  documents changed place; else the wide range, and it is called so.

What matters are the unjudged documents inside the window where the rankings differ. Those above
it, and those that only one ranking holds, matter in ways that are known:

* ERR and pFound are linear in each document's probability, so only lowest and highest
  need be tried; documents that one top alone holds help one side only; those above
  the window scale the difference.
* AP: of documents outside the window only the number of relevant ones matters, and
  for a given window the difference is linear over linear in it.
* AP when one document is moved, however many are unjudged. Let d stand at rank a in one
  ranking and at rank b > a in the other; those between are one rank lower in the first.
  With x the relevance and h the relevant documents so far (in the second ranking, which
  has d below them), the sums of precisions differ by

      Σ_i x_i ((h_i + x_d) / (r_i + 1) − h_i / r_i) + x_d ((h_0 + 1) / a − (h + 1) / b)

  with i over those between. That depends on the choices so far by their number alone:
  one pass over the window keeps the best and the least sum for each number.
"""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from judgetool.core.rankings import DocumentKeys
from judgetool.core.scale import Scale
from judgetool.metrics.block import Worth, meant_scale, worth_of
from judgetool.metrics.bounds import (
    Bounds,
    RatioProblem,
    compute_bounds,
    count_gains,
    distinct_gains,
    greatest_ratio,
    sees_unjudged,
)
from judgetool.metrics.grades import (
    PlaceArray,
    RankingPair,
    Window,
    compute_value,
    find_window,
)
from judgetool.metrics.measure import Measure, parse_measure
from judgetool.metrics.terms import (
    BoolArray,
    FloatArray,
    Rule,
    Tops,
    choose_divisor,
    discounts,
    ratio,
)
from judgetool.metrics.values import contributions, row_values, weights_by_rank

Ends = tuple[float, float]
# By trying every grading that can matter


class Budget(NamedTuple):
    """How much may be tried before it would hold somebody up.

    Attributes:
        n_gradings: gradings of the documents that matter.
        n_cells: gradings times ranks.
    """

    n_gradings: int
    n_cells: int

    def allows(self, n_gradings: float, n_ranks: int) -> bool:
        """Return whether so many gradings of so many ranks may be tried."""
        return n_gradings <= self.n_gradings and n_gradings * max(1, n_ranks) <= self.n_cells


PANEL_BUDGET = Budget(200_000, 4_000_000)
"""Above it a panel would wait."""
SEARCH_BUDGET = Budget(16_384, 400_000)
"""Above it a search over many queries would take long."""
DRAG_BUDGET = Budget(4_096, 25_000)
"""Above it a card in the hand would stutter."""


def enumerate_difference(
    measure: Measure, pair: RankingPair, worth: Worth, budget: Budget
) -> Ends | None:
    """Return the exact ends of the difference, ``None`` where there is too much to try."""
    if measure.rule == "reader":
        return _reader_difference(measure, pair, worth, budget)
    ends = None
    if measure.rule == "precision":
        ends = move_difference(measure, pair, worth, n_cells=2 * budget.n_cells)
        ends = ends or _precision_difference(measure, pair, worth, budget)
    return ends or _all_gradings(measure, pair, worth, budget)


def _ways(n_levels: int, count: int) -> float:
    """Return n_levels^count; infinity where that is beyond any budget."""
    return float(n_levels**count) if count < 64 else math.inf


def _choices(levels: FloatArray, count: int) -> FloatArray:
    """Return all ways to give ``count`` documents a level, shape (levels^count, count)."""
    gradings = np.arange(len(levels) ** count)[:, None]
    return levels[gradings // len(levels) ** np.arange(count) % len(levels)]


def _reader_difference(
    measure: Measure, pair: RankingPair, worth: Worth, budget: Budget
) -> Ends | None:
    high = _greatest_reader(measure, pair, worth, budget)
    low = _greatest_reader(measure, pair.swapped(), worth, budget)
    return None if high is None or low is None else (-low, high)


def _greatest_reader(
    measure: Measure, pair: RankingPair, worth: Worth, budget: Budget
) -> float | None:
    """Return the greatest difference of ERR or pFound."""
    window = find_window(*pair.cut(measure.cutoff))
    above = pair.first[: window.start]
    in_first, in_second = pair.holding(window.first), pair.holding(window.second)
    is_shared = pair.is_open & in_first & in_second
    shared = np.flatnonzero(is_shared)
    if not budget.allows(_ways(2, len(shared)), max(len(window.first), len(window.second))):
        return None
    p = worth.of(pair.grades)
    p[pair.is_open & in_first & ~in_second] = worth.high
    p[pair.is_open & in_second & ~in_first] = worth.low
    choices = _choices(worth.levels[[0, -1]], len(shared))
    filled = np.repeat(p[None, :], len(choices), axis=0)
    filled[:, shared] = choices
    inside = _read(measure, filled[:, window.first], window.start)
    inside -= _read(measure, filled[:, window.second], window.start)
    best = float(inside.max())
    # Documents above scale the difference: all readers pass them, or as few as can.
    passes = []
    for end in (worth.low, worth.high):
        each = np.where(pair.is_open[above], end, p[above])
        passes.append(float(np.prod(1.0 - each)))
    return best * (max(passes) if best > 0 else min(passes))


def _read(measure: Measure, p: FloatArray, start: int) -> FloatArray:
    """Return what the ranks after ``start`` add for a reader who has come so far."""
    weights = weights_by_rank(measure, start + p.shape[1])[start:]
    reach = np.ones_like(p)
    np.cumprod(1.0 - p[:, :-1], axis=1, out=reach[:, 1:])
    total: FloatArray = (reach * p * weights).sum(axis=1)
    return total


def _precision_difference(
    measure: Measure, pair: RankingPair, worth: Worth, budget: Budget
) -> Ends | None:
    """Return the ends for AP, by the gradings of the documents in the window."""
    norm = str(measure.values.get("norm"))
    window = find_window(*pair.cut(measure.cutoff))
    if _differ_in_divisor(norm, measure, pair, window):
        return None
    in_window = pair.holding(window.first, window.second)
    inner = np.flatnonzero(pair.is_open & in_window)
    if not budget.allows(8 * _ways(2, len(inner)), max(len(window.first), len(window.second))):
        return None
    relevant = worth.of(pair.grades)
    filled = np.repeat(relevant[None, :], 2 ** len(inner), axis=0)
    filled[:, inner] = _choices(np.array([0.0, 1.0]), len(inner))
    base, slope = _precision_terms(filled[:, window.first], window.start)
    other_base, other_slope = _precision_terms(filled[:, window.second], window.start)
    top = pair.first[: measure.cutoff]
    is_above = pair.holding(pair.first[: window.start])
    n_above = int((pair.is_open & is_above).sum())
    n_elsewhere = int(pair.is_open.sum()) - n_above - len(inner)
    found_above = float(relevant[is_above].sum())
    if norm == "found":
        # Unjudged documents below the window count if the top holds them.
        n_elsewhere = int(pair.is_open[top].sum()) - n_above - len(inner)
        count = filled[:, top].sum(axis=1)
    else:
        count = filled.sum(axis=1)
    depth = float(measure.cutoff or len(pair.first))
    values = []
    for extra_above, elsewhere in _corners(norm, count, depth, (n_above, n_elsewhere)):
        total = base - other_base + (found_above + extra_above) * (slope - other_slope)
        relevant_in_all = count + extra_above + elsewhere
        divisor = choose_divisor(norm, depth, relevant_in_all, relevant_in_all)
        values.append(ratio(total, divisor))
    return float(np.min(values)), float(np.max(values))


def _differ_in_divisor(norm: str, measure: Measure, pair: RankingPair, window: Window) -> bool:
    if norm == "found":
        return not window.is_closed
    return norm in ("k", "min") and measure.cutoff is None and len(pair.first) != len(pair.second)


def _corners(
    norm: str, count: FloatArray, depth: float, limits: tuple[int, int]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the numbers of relevant documents above the window and elsewhere to try.

    A quotient of linear functions has its ends in the corners; min(k, R) bends along
    a line, whose meetings with the sides are corners as well.
    """
    sides = [np.full_like(count, end) for end in (0.0, float(limits[0]))]
    others = [np.full_like(count, end) for end in (0.0, float(limits[1]))]
    corners = list(product(sides, others))
    if norm == "min":
        corners += [(side, np.clip(depth - count - side, 0.0, limits[1])) for side in sides]
        corners += [(np.clip(depth - count - other, 0.0, limits[0]), other) for other in others]
    return corners


def _precision_terms(relevant: FloatArray, start: int) -> tuple[FloatArray, FloatArray]:
    """Return the sum of r_i · hits_i / i with none above, and what each one above adds."""
    rank = start + np.arange(1.0, relevant.shape[1] + 1)
    base: FloatArray = (relevant * np.cumsum(relevant, axis=1) / rank).sum(axis=1)
    slope: FloatArray = (relevant / rank).sum(axis=1)
    return base, slope


def _all_gradings(measure: Measure, pair: RankingPair, worth: Worth, budget: Budget) -> Ends | None:
    """Return the ends over every grading; documents that neither ranking holds by number."""
    in_rankings = pair.holding(pair.first, pair.second)
    open_here = np.flatnonzero(pair.is_open & in_rankings)
    n_elsewhere = int((pair.is_open & ~in_rankings).sum())
    if measure.rule == "ratio":
        # Elsewhere it is the grade that counts, not only whether it is relevant.
        open_here = np.flatnonzero(pair.is_open)
        n_elsewhere = 0
    widest = max(len(pair.first), len(pair.second), len(pair.grades))
    n_gradings = _ways(len(worth.levels), len(open_here)) * (n_elsewhere + 1)
    if not budget.allows(n_gradings, widest):
        return None
    filled = np.repeat(worth.of(pair.grades)[None, :], len(worth.levels) ** len(open_here), axis=0)
    filled[:, open_here] = _choices(worth.levels, len(open_here))
    ends: list[float] = []
    for elsewhere in range(n_elsewhere + 1):
        relevant = filled.sum(axis=1) + elsewhere
        first, second = (
            row_values(
                Tops(
                    measure,
                    filled[:, ranking],
                    np.array([float(len(ranking))]),
                    relevant,
                    len(pair.grades) - relevant,
                    pool=filled,
                )
            )
            for ranking in (pair.first, pair.second)
        )
        difference = first - second
        ends += [float(difference.min()), float(difference.max())]
    return min(ends), max(ends)


class _Move(NamedTuple):
    """One document that stands higher in the first ranking than in the second.

    Attributes:
        document: its place among the pair's documents.
        start: ranks above the window.
        between: the others of the window, as they stand in both.
        above: the documents above the window.
    """

    document: int
    start: int
    between: PlaceArray
    above: PlaceArray


def move_difference(
    measure: Measure, pair: RankingPair, worth: Worth, *, n_cells: int
) -> Ends | None:
    """Return the ends of the difference of two APs whose rankings differ by one move.

    Args:
        measure: AP that divides by R.
        pair: the rankings.
        worth: of the grades that may be given.
        n_cells: ranks times numbers of relevant documents that may be gone through.

    Returns:
        ``None`` where the tops differ by more than one move, or there is too much to try.
    """
    if measure.values.get("norm", "relevant") != "relevant":
        return None
    move, sign = _find_move(pair, measure.cutoff), 1.0
    if move is None:
        move, sign = _find_move(pair.swapped(), measure.cutoff), -1.0
    if move is None:
        return None
    relevant = worth.of(pair.grades)
    n_above = int(pair.is_open[move.above].sum())
    if len(move.between) * (n_above + len(move.between) + 1) > n_cells:
        return None
    ends = [
        end
        for x in _move_choices(pair, relevant, move)
        for end in _move_ends(pair, relevant, move, x)
    ]
    low, high = min(ends), max(ends)
    return (low, high) if sign > 0 else (-high, -low)


def _find_move(pair: RankingPair, cutoff: int | None) -> _Move | None:
    first, second = pair.cut(cutoff)
    window = find_window(first, second)
    if not window.is_closed or len(window.first) < 2:
        return None
    if not np.array_equal(window.first[1:], window.second[:-1]):
        return None
    return _Move(int(window.first[0]), window.start, window.first[1:], first[: window.start])


def _move_choices(pair: RankingPair, relevant: FloatArray, move: _Move) -> tuple[float, ...]:
    is_open = bool(pair.is_open[move.document])
    return (0.0, 1.0) if is_open else (float(relevant[move.document]),)


def _move_ends(pair: RankingPair, relevant: FloatArray, move: _Move, x: float) -> Ends:
    """Return the ends with the moved document's relevance given."""
    known_above = int(relevant[move.above].sum())
    n_above = int(pair.is_open[move.above].sum())
    n_states = known_above + n_above + len(move.between) + 1
    counts = np.arange(float(n_states))
    # One row for the greatest sums, and one for the least, negated.
    signs = np.array([[1.0], [-1.0]])
    best = np.full((2, n_states), -np.inf)
    start = slice(known_above, known_above + n_above + 1)
    best[:, start] = signs * x * (counts[start] + 1.0) / (move.start + 1.0)
    is_open = pair.is_open[move.between].tolist()
    for offset, (can_choose, worth) in enumerate(
        zip(is_open, relevant[move.between].tolist(), strict=True), 1
    ):
        rank = float(move.start + offset)
        if not can_choose and not worth:
            continue
        gains = (counts[1:] + x) / (rank + 1.0) - counts[1:] / rank
        taken = np.full_like(best, -np.inf)
        taken[:, 1:] = best[:, :-1] + signs * gains
        best = np.maximum(best, taken) if can_choose else taken
    last = move.start + len(move.between) + 1.0
    sums = signs * best - x * (counts + 1.0) / last
    return _divided_move(pair, relevant, move, x, counts, sums)


def _divided_move(
    pair: RankingPair,
    relevant: FloatArray,
    move: _Move,
    x: float,
    counts: FloatArray,
    sums: FloatArray,
) -> Ends:
    """Return the ends of the quotient: elsewhere as many or as few are relevant as help."""
    is_elsewhere = ~pair.holding(move.above, move.between)
    is_elsewhere[move.document] = False
    known = float(relevant[is_elsewhere & ~pair.is_open].sum())
    n_open = float((is_elsewhere & pair.is_open).sum())
    is_reached = np.isfinite(sums)
    ends = [
        ratio(sums[row][is_reached[row]], (counts + x + known + extra)[is_reached[row]])
        for row in (0, 1)
        for extra in (0.0, n_open)
    ]
    return float(np.min(ends)), float(np.max(ends))


# The interval of a difference

Find = Callable[[Measure, RankingPair, Worth, Budget], Ends | None]


def compute_difference_bounds(  # noqa: PLR0913 - what a difference depends on
    measure: Measure | str,
    first: DocumentKeys,
    second: DocumentKeys,
    *,
    known: Mapping[int, float],
    scale: Scale | str | None,
    pool: DocumentKeys = (),
    leave_out_unjudged: bool = False,
) -> Bounds:
    """Return the interval of value(first) − value(second) over all gradings, and as it stands.

    Args:
        measure: any of the table, or its name.
        first: document keys of one ranking, best rank first, each once.
        second: likewise of the other ranking of the same query.
        known: grade of every judged document of the query, retrieved or not.
        scale: whose levels may be given, or its name; ``None`` for TREC 0-4.
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
    return compute_pair_bounds(
        parse_measure(measure), pair, meant_scale(scale), leave_out_unjudged=leave_out_unjudged
    )


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
    now = difference_now(measure, pair, scale, leave_out_unjudged=leave_out_unjudged)
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
    if measure.rule not in (*_DIFFERENCES, "present", "wide"):
        raise LookupError(
            f"{measure.name}: metrics/bounds_difference.py does not say how it is bounded."
        )
    find, ends = _DIFFERENCES.get(measure.rule), None
    if measure.spec.uses != "clicks":
        if measure.rule == "present" or not pair.is_open.any():
            ends = (difference_now(measure, pair, scale),) * 2
        elif find is not None:
            ends = find(measure, pair, worth, budget)
    if ends is None:
        return _wide(measure, pair, scale)
    return Bounds(min(ends) + 0.0, max(ends) + 0.0, is_exact=True)


def tops_agree(measure: Measure, pair: RankingPair) -> bool:
    """Return whether nothing differs of what a measure looks at: only places below its cutoff."""
    if measure.cutoff is None or not np.array_equal(*pair.cut(measure.cutoff)):
        return False
    return len(pair.first) == len(pair.second) and _hold_the_same(pair)


def difference_now(
    measure: Measure, pair: RankingPair, scale: Scale | None, *, leave_out_unjudged: bool = False
) -> float:
    """Return first − second as judged so far, undefined values as 0."""
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


def _linear(measure: Measure, pair: RankingPair, worth: Worth, _budget: Budget) -> Ends:
    """Each document adds what it is worth where it stands: at its least, and at its most."""
    adds = linear_parts(measure, pair, worth, (worth.low, worth.high))
    return float(adds.min(axis=0).sum()), float(adds.max(axis=0).sum())


def linear_parts(measure: Measure, pair: RankingPair, worth: Worth, worths: Ends) -> FloatArray:
    """Return what each document adds to the difference where the unjudged have either worth, shape (2, D).

    Args:
        measure: a linear one.
        pair: the rankings.
        worth: of the grades.
        worths: of the unjudged documents.
    """
    known = worth.of(pair.grades)
    return added_apart(measure, pair, np.where(pair.is_open, np.array(worths)[:, None], known))


def added_apart(measure: Measure, pair: RankingPair, worths: FloatArray) -> FloatArray:
    """Return what each document adds to the first value less what to the second, shape (B, D).

    Args:
        measure: a linear one.
        pair: the rankings.
        worths: of the documents, shape (B, D).
    """
    adds = np.zeros(worths.shape)
    for ranking, sign in ((pair.first, 1.0), (pair.second, -1.0)):
        each = contributions(Tops(measure, worths[:, ranking], np.array([float(len(ranking))])))
        adds[:, ranking[: each.shape[1]]] += sign * each
    return adds


def _shared(measure: Measure, pair: RankingPair, worth: Worth, budget: Budget) -> Ends | None:
    """Found by one only, over a divisor that both share.

    As what is found never exceeds R, one more relevant document in the first top alone
    always raises the difference, and one in the second alone always lowers it; all
    others only change R, one way or the other.
    """
    if measure.cutoff is None and len(pair.first) != len(pair.second):
        return enumerate_difference(measure, pair, worth, budget)
    side = np.zeros(len(pair.grades))
    for top, sign in zip(pair.cut(measure.cutoff), (1.0, -1.0), strict=True):
        side[top] += sign
    is_open = pair.is_open
    relevant = worth.of(pair.grades)
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


def _first_relevant(measure: Measure, pair: RankingPair, worth: Worth, _budget: Budget) -> Ends:
    """At most one unjudged document need be relevant.

    With several, take away all but the one that the first ranking meets first: its
    value stays and the other's can only fall.
    """
    relevant = worth.of(pair.grades) > 0
    candidates = np.flatnonzero(pair.is_open)
    values = []
    for top in pair.cut(measure.cutoff):
        weights, place, known = find_first(measure, top, relevant)
        values.append(weights[np.minimum(np.append(place[candidates], len(top)), known)])
    difference = values[0] - values[1]
    return float(difference.min()), float(difference.max())


def find_first(
    measure: Measure, top: PlaceArray, relevant: BoolArray
) -> tuple[FloatArray, PlaceArray, int]:
    """Return what the first relevant document of a top decides.

    Returns:
        What it is worth at each place from 0, last where there is none; the place of each
        document, the last one for those that the top lacks; that of the first relevant one.
    """
    place = np.full(len(relevant), len(top))
    place[top] = np.arange(len(top))
    weights = np.append(weights_by_rank(measure, len(top)), 0.0)
    return weights, place, int(place[relevant].min(initial=len(top)))


def _ndcg(measure: Measure, pair: RankingPair, worth: Worth, budget: Budget) -> Ends | None:
    problem = _find_ndcg_problem(measure, pair, worth)
    if problem is None:
        return enumerate_difference(measure, pair, worth, budget)
    opposite = problem._replace(fixed=-problem.fixed, coefficients=-problem.coefficients[:, ::-1])
    return -float(greatest_ratio(opposite)[0]), float(greatest_ratio(problem)[0])


def _find_ndcg_problem(measure: Measure, pair: RankingPair, worth: Worth) -> RatioProblem | None:
    """Return the ratio of a difference of DCGs to the ideal, ``None`` if they have two ideals."""
    ideal = find_ideal(measure, pair)
    if ideal is None:
        return None
    in_ideal, depth = ideal
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
        if not _hold_the_same(pair):
            return None
        in_ideal = pair.holding(pair.first)
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


def _hold_the_same(pair: RankingPair) -> bool:
    return np.array_equal(np.sort(pair.first), np.sort(pair.second))


def _nothing(_measure: Measure, _pair: RankingPair, _worth: Worth, _budget: Budget) -> Ends:
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
}
