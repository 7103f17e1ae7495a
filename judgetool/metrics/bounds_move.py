"""AP when one document is moved: the exact interval of the difference, however many are unjudged.

Let d stand at rank a in one ranking and at rank b > a in the other; those between are
one rank lower in the first. With x the relevance and h the relevant documents so far
(in the second ranking, which has d below them), the sums of precisions differ by

    Σ_i x_i ((h_i + x_d) / (r_i + 1) − h_i / r_i) + x_d ((h_0 + 1) / a − (h + 1) / b)

with i over those between. That depends on the choices so far by their number alone:
one pass over the window keeps the best and the least sum for each number.
"""

from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_pair import PlaceArray, RankingPair, find_window
from judgetool.metrics.bounds_values import ratio
from judgetool.metrics.bounds_worth import worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray

Ends = tuple[float, float]


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
    if measure.has_param("norm") and measure.param("norm") != "relevant":
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
    ends = [end for x in _choices(pair, relevant, move) for end in _ends(pair, relevant, move, x)]
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


def _choices(pair: RankingPair, relevant: FloatArray, move: _Move) -> tuple[float, ...]:
    is_open = bool(pair.is_open[move.document])
    return (0.0, 1.0) if is_open else (float(relevant[move.document]),)


def _ends(pair: RankingPair, relevant: FloatArray, move: _Move, x: float) -> Ends:
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
    return _divided(pair, relevant, move, x, counts, sums)


def _divided(
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
