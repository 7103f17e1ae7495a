"""Differences of two rankings by trying every grading that can matter, while they are few.

What matters are the unjudged documents inside the window where the rankings differ.
Those above it, and those that only one ranking holds, matter in ways that are known:

* ERR and pFound are linear in each document's probability, so only lowest and highest
  need be tried; documents that one top alone holds help one side only; those above
  the window scale the difference.
* AP: of documents outside the window only the number of relevant ones matters, and
  for a given window the difference is linear over linear in it.
"""

import math
from itertools import product
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_move import move_difference
from judgetool.metrics.bounds_pair import PlaceArray, RankingPair, Window, find_window
from judgetool.metrics.bounds_values import (
    Rows,
    compute_rows,
    discounts,
    number,
    ranks,
    ratio,
    reach_before,
)
from judgetool.metrics.bounds_worth import worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import BoolArray, FloatArray

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
    kernel = measure.spec.kernel
    if kernel in ("err", "pfound"):
        return _reader_difference(measure, pair, scale, budget)
    if kernel == "average_precision":
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
    rank = start + ranks(p.shape[1])
    if measure.spec.kernel == "err":
        weights = 1.0 / rank
    else:
        weights = (1.0 - number(measure, "p_break", 0.15)) ** (rank - 1.0)
    total: FloatArray = (reach_before(1.0 - p) * p * weights).sum(axis=1)
    return total


def _precision_difference(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Return the ends for AP, by the gradings of the documents in the window."""
    norm = measure.param("norm") if measure.has_param("norm") else "relevant"
    window = find_window(*pair.cut(measure.cutoff))
    if _differ_in_divisor(str(norm), measure, pair, window):
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
    for extra_above, elsewhere in _corners(str(norm), count, depth, (n_above, n_elsewhere)):
        total = base - other_base + (found_above + extra_above) * (slope - other_slope)
        divisor = count + extra_above + elsewhere
        if norm == "k":
            divisor = np.full_like(count, depth)
        elif norm == "min":
            divisor = np.minimum(depth, divisor)
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
    rank = start + ranks(relevant.shape[1])
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
    if measure.spec.kernel == "ndcg":
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
        values = [
            compute_rows(
                measure,
                Rows(
                    worth=filled[:, ranking],
                    lengths=np.array([float(len(ranking))]),
                    n_relevant=relevant,
                    n_nonrelevant=len(pair.grades) - relevant,
                    ideal=_ideal_rows(measure, filled, ranking),
                ),
            )
            for ranking in (pair.first, pair.second)
        ]
        difference = values[0] - values[1]
        ends += [float(difference.min()), float(difference.max())]
    return min(ends), max(ends)


def _ideal_rows(measure: Measure, filled: FloatArray, ranking: PlaceArray) -> FloatArray | None:
    if measure.spec.kernel != "ndcg":
        return None
    kind = measure.param("ideal")
    pool = filled[:, ranking] if kind == "retrieved" else filled
    depth = None if kind == "uncut" else measure.cutoff
    if kind == "length":
        depth = min(len(ranking), measure.cutoff or len(ranking))
    best = -np.sort(-pool, axis=1)[:, :depth]
    return np.asarray(best @ discounts(best.shape[1]), dtype=np.float64)
