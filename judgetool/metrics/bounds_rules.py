"""Least and greatest value of many queries by each rule, the ratios of nDCG's, and differences by trying.

nDCG, and a difference of two nDCGs, are bounded exactly by fractional programming. Both
are a ratio N / D. N, a DCG or a difference of two, is linear in each document's gain: every
unjudged document has a coefficient. D, the ideal DCG, looks only at how many documents have
at least each gain. So for given numbers of each grade the best assignment hands them out in
falling order of the coefficients, and an assignment is a chain m ≥ t_1 ≥ t_2 ≥ …, where the t_l documents with the highest
coefficients get at least level l. N and D are then sums over the levels:

    N = N_0 + Σ_l δ_l A(t_l)        A(t) = sum of the t highest coefficients
    D = Σ_v δ_v C(c_v + t_l(v))     C(c) = sum of the first c discounts

with v the distinct gains, c_v the judged documents that have at least v, and l(v)
the lowest level that does. For a given λ the maximum of N − λ D over all chains is
found level by level in O(levels × documents), and Dinkelbach's iteration (λ := N / D
at the maximum) ends at the greatest ratio after a few rounds. No grading is
enumerated and none is left out.

Differences of other measures are bounded by trying every grading that can matter, while they
are few. What matters are the unjudged documents inside the window where the rankings differ.
Those above it, and those that only one ranking holds, matter in ways that are known:

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
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Worth, worth_of
from judgetool.metrics.grades import (
    GradesBlock,
    PlaceArray,
    RankingPair,
    Window,
    find_window,
    present_values,
)
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import (
    BoolArray,
    FloatArray,
    Rule,
    Tops,
    choose_divisor,
    discounts,
    ratio,
)
from judgetool.metrics.values import row_values, weights_by_rank

# Dinkelbach's method at least doubles the correct digits each round.
MAX_ROUNDS = 60

Pair = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class RatioProblem:
    """Ratios N / D of B queries over all gradings of their open documents.

    Attributes:
        fixed: N without the open documents, shape (B,).
        coefficients: of the open documents in N, each row falling, then padding,
            shape (B, M).
        n_open: open documents of each row, shape (B,), at most M.
        levels: gains that a level can have, rising, shape (L,).
        gains: distinct positive gains among levels and judged documents, rising, shape (V,).
        counts: documents with at least each gain that are not open, shape (B, V).
        depth: ranks of the ideal, shape (B,); infinity for all.
    """

    fixed: FloatArray
    coefficients: FloatArray
    n_open: FloatArray
    levels: FloatArray
    gains: FloatArray
    counts: FloatArray
    depth: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """N and D split over the levels above the lowest, each by number of documents t."""

    above: FloatArray  # δ_l A(t), shape (levels above the lowest, B, M + 1)
    below: FloatArray  # likewise for D
    above_fixed: FloatArray  # N when all open documents get the lowest level, shape (B,)
    below_fixed: FloatArray  # what D has whatever the grading, shape (B,)
    n_open: FloatArray


def greatest_ratio(problem: RatioProblem) -> FloatArray:
    """Return the greatest N / D of each row, counting an undefined one (D = 0) as 0."""
    parts = _split(problem)
    least_below = parts.below_fixed + parts.below[:, :, 0].sum(axis=0)
    best = ratio(parts.above_fixed, least_below)
    for _ in range(MAX_ROUNDS):
        above, below = _best_chain(parts, best)
        value = ratio(above, below)
        rises = (below > 0) & (value > best + 1e-15 * np.maximum(1.0, np.abs(best)))
        if not rises.any():
            break
        best = np.where(rises, value, best)
    return best


def greatest_two_level_ratio(problem: RatioProblem) -> FloatArray:
    """Return the greatest N / D when only the lowest and the highest level are given.

    With −N for N it is the least nDCG: N / D is quasi-concave in each gain where N
    is not negative, so that its least value has every gain at an end of the scale.
    """
    parts = _split(problem)
    above = parts.above_fixed[:, None] + parts.above.sum(axis=0)
    below = parts.below_fixed[:, None] + parts.below.sum(axis=0)
    values = ratio(above, below)
    is_real = np.arange(values.shape[1]) <= problem.n_open[:, None]
    best: FloatArray = np.where(is_real, values, -np.inf).max(axis=1)
    return best


def _split(problem: RatioProblem) -> _Parts:
    sums = np.zeros((len(problem.fixed), problem.coefficients.shape[1] + 1))
    np.cumsum(problem.coefficients, axis=1, out=sums[:, 1:])
    all_open = problem.n_open.astype(np.intp)
    total = np.take_along_axis(sums, all_open[:, None], axis=1)[:, 0]
    steps = np.diff(problem.levels)
    below_fixed, below = _split_ideal(problem)
    return _Parts(
        above=steps[:, None, None] * sums,
        below=below,
        above_fixed=problem.fixed + problem.levels[0] * total,
        below_fixed=below_fixed,
        n_open=problem.n_open,
    )


def _split_ideal(problem: RatioProblem) -> tuple[FloatArray, FloatArray]:
    n_rows, width = len(problem.fixed), problem.coefficients.shape[1] + 1
    most = int(problem.counts.max(initial=0)) + width
    deepest = np.concatenate(([0.0], np.cumsum(discounts(most))))
    below = np.zeros((len(problem.levels) - 1, n_rows, width))
    fixed = np.zeros(n_rows)
    chosen = np.arange(float(width))
    steps = np.diff(problem.gains, prepend=0.0)
    for place, (gain, step) in enumerate(zip(problem.gains, steps, strict=True)):
        level = int(np.searchsorted(problem.levels, gain))
        count = problem.counts[:, place]
        if 0 < level < len(problem.levels):
            reached = np.minimum(count[:, None] + chosen, problem.depth[:, None])
            below[level - 1] += step * deepest[reached.astype(np.intp)]
            continue
        # Every level has this gain, or none: no choice changes how many documents do.
        given = count + problem.n_open if level == 0 else count
        fixed += step * deepest[np.minimum(given, problem.depth).astype(np.intp)]
    return fixed, below


def _best_chain(parts: _Parts, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return N and D of the chain that maximises N − factor · D."""
    worth = parts.above - factor[None, :, None] * parts.below
    place = np.arange(worth.shape[2])
    picks = []
    best = np.zeros(worth.shape[1:])
    for level in range(len(worth) - 1, -1, -1):
        here = worth[level] + best
        best = np.maximum.accumulate(here, axis=1)
        picks.append(np.maximum.accumulate(np.where(here == best, place, 0), axis=1))
    above, below = parts.above_fixed.copy(), parts.below_fixed.copy()
    at = parts.n_open.astype(np.intp)[:, None]
    for level, pick in enumerate(reversed(picks)):
        at = np.take_along_axis(pick, at, axis=1)
        above += np.take_along_axis(parts.above[level], at, axis=1)[:, 0]
        below += np.take_along_axis(parts.below[level], at, axis=1)[:, 0]
    return above, below


def _bound_ndcg(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
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
    every = np.concatenate((judged[judged > 0], levels[levels > 0]))
    return np.array(sorted(set(every.tolist())))


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


def _bound_monotone(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """All unjudged documents at the lowest level, and all at the highest."""
    worth = worth_of(measure, scale)
    ranked, is_open = block.ranked[:, : measure.cutoff], block.is_open[:, : measure.cutoff]
    known = worth.of(ranked)
    ends = [
        row_values(
            Tops(measure, known + is_open * end, block.lengths, judged=is_open | ~np.isnan(ranked))
        )
        for end in (worth.low, worth.high)
    ]
    return np.minimum(*ends), np.maximum(*ends)


def _bound_shared(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Relevant where it is found, against relevant only where it is not.

    More relevant documents in the top raise these values although R rises as well,
    as what is found never exceeds R; others only raise R.
    """
    known = worth_of(measure, scale).of(block.ranked[:, : measure.cutoff])
    is_open = block.is_open[:, : measure.cutoff]
    n_relevant = _known_relevant(measure, block, scale)
    n_inside = is_open.sum(axis=1)
    low = Tops(measure, known, block.lengths, n_relevant + block.n_open - n_inside)
    high = Tops(measure, known + is_open, block.lengths, n_relevant + n_inside)
    return row_values(low), row_values(high)


def _bound_number(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    low = _known_relevant(measure, block, scale)
    return low, low + block.n_open


def _known_relevant(measure: Measure, block: GradesBlock, scale: Scale | None) -> FloatArray:
    """Return R of each query as judged so far, shape (B,)."""
    total: FloatArray = worth_of(measure, scale).of(block.judged).sum(axis=1)
    return total


def is_attained(measure: Measure, block: GradesBlock) -> BoolArray:
    """Return whether both ends are values: of what nobody has worked out only where all is judged."""
    # Clicks are no grades: what a CTR is cannot be seen from here.
    is_known = (block.n_open == 0) & (measure.spec.uses != "clicks")
    return is_known if measure.rule == "wide" else np.ones(len(block), dtype=np.bool_)


def _bound_widely(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return the whole range, and the value alone where all is judged."""
    ends = measure.spec.lowest, measure.spec.highest or 1.0
    values, is_known = present_values(measure, block, scale), is_attained(measure, block)
    low, high = (np.where(is_known, values, end) for end in ends)
    return low, high


def _bound_present(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    values = present_values(measure, block, scale)
    return values, values


def _bound_precision(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """AP with any norm, all queries at once."""
    known = worth_of(measure, scale).of(block.ranked[:, : measure.cutoff])
    is_open = block.is_open[:, : measure.cutoff].astype(np.float64)
    rank = np.arange(1.0, known.shape[1] + 1)
    n_relevant = _known_relevant(measure, block, scale)
    outside = block.n_open - is_open.sum(axis=1)
    hits, share = np.cumsum(known, axis=1), np.cumsum(known / rank, axis=1)
    total = (known * hits / rank).sum(axis=1)
    # What one more relevant document adds: its own precision, and 1/j at each relevant j below.
    alone = (hits - known) / rank + (share[:, -1:] - share)
    norm = str(measure.values.get("norm"))
    depth = block.lengths if measure.cutoff is None else np.array([float(measure.cutoff)])

    def extreme(
        sums: FloatArray, added: FloatArray, more: FloatArray, choose: np.ufunc
    ) -> FloatArray:
        # None of them relevant comes first.
        added = np.pad(added, ((0, 0), (1, 0)))
        above = np.pad(sums, ((0, 0), (1, 0))) + total[:, None]
        found = known.sum(axis=1)[:, None] + added
        divisor = choose_divisor(norm, depth[:, None], found, (n_relevant + more)[:, None] + added)
        is_real = np.pad(is_open > 0, ((0, 0), (1, 0)), constant_values=True)
        values = ratio(above, divisor)
        best: FloatArray = choose.reduce(np.where(is_real, values, values[:, :1]), axis=1)
        return best

    added = np.cumsum(is_open, axis=1)
    sums = np.cumsum(is_open * (alone + added / rank), axis=1)
    greatest = extreme(sums, added, np.zeros(1), np.maximum)
    # From the bottom up: those below it are relevant already.
    below = _cumsum_up(is_open / rank) - is_open / rank
    sums = _cumsum_up(is_open * (alone + 1.0 / rank + below))
    return extreme(sums, _cumsum_up(is_open), outside, np.minimum), greatest


def _cumsum_up(values: FloatArray) -> FloatArray:
    return np.cumsum(values[:, ::-1], axis=1)[:, ::-1]


def _bound_r_precision(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return least and greatest R-precision of each query, exact, shape (B,) each."""
    known = worth_of(measure, scale).of(block.ranked)
    n = known.shape[1]
    hits = np.cumsum(np.pad(known, ((0, 0), (1, 0))), axis=1)
    open_above = np.cumsum(np.pad(block.is_open, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
    chosen = np.arange(block.n_open.max(initial=0) + 1)[None, :]
    n_relevant = _known_relevant(measure, block, scale)[:, None] + chosen
    depth = np.floor(measure.number("mult") * n_relevant + 0.9)
    at = np.minimum(depth, n).astype(np.intp)
    found = np.take_along_axis(hits, at, axis=1)
    room = np.take_along_axis(open_above, at, axis=1)
    hidden = block.n_open[:, None] - room
    most = ratio(found + np.minimum(chosen, room), depth)
    least = ratio(found + np.maximum(0.0, chosen - hidden), depth)
    is_real = chosen <= block.n_open[:, None]
    return (
        np.where(is_real, least, np.inf).min(axis=1),
        np.where(is_real, most, -np.inf).max(axis=1),
    )


def _bound_placed(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return exact bounds of Bpref, infAP and interpolated precision, shape (B,) each.

    One grading for each number of relevant documents and end of the list.
    """
    pairs = [_bound_row(measure, block, row, scale) for row in range(len(block))]
    least, greatest = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(least), np.array(greatest)


def _bound_row(
    measure: Measure, block: GradesBlock, row: int, scale: Scale | None
) -> tuple[float, float]:
    worth = worth_of(measure, scale)
    length = int(block.lengths[row])
    known = worth.of(block.ranked[row, :length])
    is_open = block.is_open[row, :length]
    n_open = int(block.n_open[row])
    judged = block.judged[row]
    n_relevant = float(worth.of(judged).sum())
    n_nonrelevant = float((~np.isnan(judged)).sum()) - n_relevant
    chosen = np.arange(n_open + 1.0)[:, None]
    place = np.where(is_open, np.cumsum(is_open), np.inf)
    from_bottom = np.where(is_open, np.cumsum(is_open[::-1])[::-1], np.inf)
    values = [
        row_values(
            Tops(
                measure,
                known + (where <= limit),
                np.array([float(length)]),
                n_relevant + chosen[:, 0],
                n_nonrelevant + n_open - chosen[:, 0],
            )
        )
        for where, limit in ((from_bottom, chosen - block.n_missing_open[row]), (place, chosen))
    ]
    return float(values[0].min()), float(values[1].max())


_INTERVALS: dict[Rule, Callable[[Measure, GradesBlock, Scale | None], Pair]] = {
    "linear": _bound_monotone,
    "first": _bound_monotone,
    "reader": _bound_monotone,
    "shared": _bound_shared,
    "squared": _bound_shared,
    "precision": _bound_precision,
    "r_precision": _bound_r_precision,
    "placed": _bound_placed,
    "ratio": _bound_ndcg,
    "number": _bound_number,
    "present": _bound_present,
    "wide": _bound_widely,
}


def bound_gradings(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return least and greatest value over all gradings, undefined ones as 0, shape (B,) each.

    Raises:
        LookupError: nobody has written down how the measure is bounded.
    """
    if measure.rule not in _INTERVALS:
        raise LookupError(
            f"{measure.name}: metrics/bounds_rules.py does not say how it is bounded."
        )
    if measure.rule not in ("wide", "present"):
        block = block.decided(worth_of(measure, scale))
    return _INTERVALS[measure.rule](measure, block, scale)


# Differences, by trying every grading that can matter

Ends = tuple[float, float]


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
    measure: Measure,
    pair: RankingPair,
    scale: Scale | None,
    budget: Budget = PANEL_BUDGET,
) -> Ends | None:
    """Return the exact ends of the difference, ``None`` where there is too much to try."""
    if measure.rule == "reader":
        return _reader_difference(measure, pair, scale, budget)
    if measure.rule == "precision":
        ends = move_difference(measure, pair, scale, n_cells=2 * budget.n_cells)
        ends = ends or _precision_difference(measure, pair, scale, budget)
        return ends if ends is not None else _all_gradings(measure, pair, scale, budget)
    return _all_gradings(measure, pair, scale, budget)


def _ways(n_levels: int, count: int) -> float:
    """Return n_levels^count; infinity where that is beyond any budget."""
    return float(n_levels**count) if count < 64 else math.inf


def _choices(levels: FloatArray, count: int) -> FloatArray:
    """Return all ways to give ``count`` documents a level, shape (levels^count, count)."""
    gradings = np.arange(len(levels) ** count)[:, None]
    return levels[gradings // len(levels) ** np.arange(count) % len(levels)]


def _reader_difference(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    high = _greatest_reader(measure, pair, scale, budget)
    low = _greatest_reader(measure, pair.swapped(), scale, budget)
    return None if high is None or low is None else (-low, high)


def _greatest_reader(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> float | None:
    """Return the greatest difference of ERR or pFound."""
    worth = worth_of(measure, scale)
    window = find_window(*pair.cut(measure.cutoff))
    above = pair.first[: window.start]
    in_first, in_second = _holds(pair, window.first), _holds(pair, window.second)
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


def _holds(pair: RankingPair, documents: PlaceArray) -> BoolArray:
    mask = np.zeros(len(pair.grades), dtype=bool)
    mask[documents] = True
    return mask


def _read(measure: Measure, p: FloatArray, start: int) -> FloatArray:
    """Return what the ranks after ``start`` add for a reader who has come so far."""
    weights = weights_by_rank(measure, start + p.shape[1])[start:]
    reach = np.ones_like(p)
    np.cumprod(1.0 - p[:, :-1], axis=1, out=reach[:, 1:])
    total: FloatArray = (reach * p * weights).sum(axis=1)
    return total


def _precision_difference(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Return the ends for AP, by the gradings of the documents in the window."""
    norm = str(measure.values.get("norm"))
    window = find_window(*pair.cut(measure.cutoff))
    if _differ_in_divisor(norm, measure, pair, window):
        return None
    in_window = _holds(pair, window.first) | _holds(pair, window.second)
    inner = np.flatnonzero(pair.is_open & in_window)
    if not budget.allows(8 * _ways(2, len(inner)), max(len(window.first), len(window.second))):
        return None
    relevant = worth_of(measure, scale).of(pair.grades)
    filled = np.repeat(relevant[None, :], 2 ** len(inner), axis=0)
    filled[:, inner] = _choices(np.array([0.0, 1.0]), len(inner))
    base, slope = _precision_terms(filled[:, window.first], window.start)
    other_base, other_slope = _precision_terms(filled[:, window.second], window.start)
    top = pair.first[: measure.cutoff]
    is_above = _holds(pair, pair.first[: window.start])
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


def _all_gradings(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Return the ends over every grading; documents that neither ranking holds by number."""
    worth = worth_of(measure, scale)
    in_rankings = _holds(pair, pair.first) | _holds(pair, pair.second)
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
    measure: Measure, pair: RankingPair, scale: Scale | None, *, n_cells: int
) -> Ends | None:
    """Return the ends of the difference of two APs whose rankings differ by one move.

    Args:
        measure: AP that divides by R.
        pair: the rankings.
        scale: whose levels may be given.
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
    relevant = worth_of(measure, scale).of(pair.grades)
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
    is_elsewhere = np.ones(len(pair.grades), dtype=bool)
    is_elsewhere[move.above] = is_elsewhere[move.between] = False
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
