"""Differences of two rankings by trying every grading that can matter, while they are few.

What matters are the unjudged documents inside the window where the rankings differ.
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
from itertools import product
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import worth_of
from judgetool.metrics.grades import PlaceArray, RankingPair, Window, find_window
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import BoolArray, FloatArray, Tops, choose_divisor, ratio
from judgetool.metrics.values import row_values, weights_by_rank

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
