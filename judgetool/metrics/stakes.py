"""What unjudged documents can still do: to a value, and to a difference.

A stake is how far one unjudged document alone can move a value, or turn a comparison. The document
with the highest stake is the most useful one to judge next. All other unjudged documents stay as
the policy has them: as non-relevant, or left out.

Of a difference of two values it is said how many unjudged documents can change it, whatever the
others get. First is found who cannot, by what each measure looks at; the rest is an upper bound.
It is exact by rule (``linear``, ``first``, ``shared``), or where each of the rest changes the
difference in some grading that is tried:

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
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.block import (
    Block,
    Hits,
    JudgedGrades,
    Worth,
    WorthOf,
    grading_of,
    level_grades,
    worth_of,
)
from judgetool.metrics.bounds import (
    dcg_coefficients,
    find_ideal,
    linear_parts,
    tops_agree,
)
from judgetool.metrics.grades import IN_POOL_ONLY, QueryGrades, RankingPair, find_window
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
from judgetool.metrics.values import compute_values, contributions, row_values, weights_by_rank

PlaceArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """What each unjudged document of a ranking can do to a value.

    Attributes:
        ranks: rank of each unjudged document, from 1, rising, shape (m,).
        values: with each of them at each level, shape (m, levels); measures that are
            linear in a worth have the two ends alone.
        values_missing: with an unjudged document that the ranking lacks, shape (levels,).
    """

    ranks: PlaceArray
    values: FloatArray
    values_missing: FloatArray

    @property
    def low(self) -> FloatArray:
        """Least value over a document's own grades, shape (m,)."""
        least: FloatArray = self.values.min(axis=1)
        return least

    @property
    def high(self) -> FloatArray:
        """Greatest value over a document's own grades, shape (m,)."""
        greatest: FloatArray = self.values.max(axis=1)
        return greatest

    @property
    def widths(self) -> FloatArray:
        """How far each can move the value, 0 or more, shape (m,)."""
        return self.high - self.low

    @property
    def missing(self) -> float:
        """Stake of an unjudged document of the pool that the ranking lacks."""
        return float(np.ptp(self.values_missing))


def compute_stakes(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
    wanted: BoolArray | None = None,
) -> Stakes:
    """Return what each unjudged document of a ranking can do to the value.

    Args:
        measure: any of the table; undefined values count as 0.
        grades: of the query.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: the policy for all others: left out of the ranking (condensed
            list) rather than not relevant.
        wanted: at which ranks documents are looked at, shape (n,); ``None`` for all.

    Returns:
        One entry per unjudged document of the ranking; empty arrays if there is none.
    """
    is_open = ~grades.is_judged
    places = np.flatnonzero(is_open if wanted is None else is_open & wanted)
    # What states the present has no stake.
    spec = measure.spec
    if measure.rule == "present" or spec.uses == "clicks" or spec.facts in grades.facts:
        return Stakes(places + 1, np.zeros((len(places), 1)), np.zeros(1))
    is_condensed = measure.takes_out_unjudged(leave_out_unjudged=leave_out_unjudged)
    slots = places
    if is_condensed or measure.spec.skips_unjudged:
        # Only the number of judged documents above decides where it comes to stand.
        slots = np.cumsum(grades.is_judged)[places].astype(np.intp)
    if measure.cutoff is not None and not is_condensed:
        slots = np.where(places < measure.cutoff, slots, -1)
    _, first, back = np.unique(slots, return_index=True, return_inverse=True)
    distinct, inside = places[first], slots[first] >= 0
    is_over = not is_condensed and measure.spec.sees == "useful"
    formula = _FORMULAS.get(measure.rule) if is_over else None
    computed = ~inside if formula else np.ones(len(distinct), dtype=np.bool_)
    levels = tried_grades(measure, scale)
    values = np.empty((len(levels), len(distinct)))
    found = _with_one_more(
        measure, grades, scale, (distinct[computed], levels), leave_out=leave_out_unjudged
    )
    values[:, computed] = found[:, :-1]
    if formula:
        of = worth_of(measure, scale).of
        values[:, inside] = formula(measure, grades, of, (distinct[inside], of(levels)[:, None]))
    return Stakes(places + 1, values.T[back], found[:, -1])


def tried_grades(measure: Measure, scale: Scale | None) -> FloatArray:
    """Return the grades to try: one for each distinct worth, where worth alone counts."""
    grades = level_grades(scale)
    if measure.rule != "wide":
        grades = grades[np.unique(worth_of(measure, scale).of(grades), return_index=True)[1]]
    if measure.rule in ("linear", "reader"):
        # Values linear in one document's worth have their ends at the ends of the scale.
        grades = grades[[0, -1]]
    return grades


def _with_one_more(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    more: tuple[PlaceArray, FloatArray],
    *,
    leave_out: bool,
) -> FloatArray:
    """Return the values as the engine has them with one more judgment.

    Args:
        measure: any of the table.
        grades: of the query.
        scale: of the grades.
        more: places in the ranking, shape (m,), and grades, shape (l,): each at each.
        leave_out: whether unjudged documents are left out.

    Returns:
        One row for each grade, with each place, and last with a document that the ranking
        lacks, shape (l, m + 1); undefined values as 0.
    """
    places, levels = more
    at = np.flatnonzero(grades.is_pooled)
    known = np.where(np.isnan(grades.ranked), IN_POOL_ONLY, grades.ranked)[at]
    # A row for each place, into which the new judgment is put among those there are.
    column, slot = np.arange(len(at) + 1), np.searchsorted(at, places)[:, None]
    is_new = column == slot
    source = column - (column > slot)
    ranks = np.where(is_new, places[:, None], np.append(at, 0)[source])
    # A document of the pool that gets its grade has stood there before.
    is_kept = is_new | (ranks != places[:, None])
    rows = np.append(np.nonzero(is_kept)[0], np.full(len(at), len(places)))
    ranks = np.append(ranks[is_kept], at) + 1
    n_rows, n_hits = len(places) + 1, len(ranks)
    given = [
        np.append(np.where(is_new, level, np.append(known, 0.0)[source])[is_kept], known)
        for level in levels.tolist()
    ]
    numbers = np.arange(len(levels))
    judged = -np.sort(-np.column_stack((np.tile(grades.judged, (len(levels), 1)), levels)))
    block = Block(
        Hits(
            np.repeat(numbers * n_rows, n_hits) + np.tile(rows, len(levels)),
            np.tile(ranks, len(levels)),
            np.concatenate(given),
            n_rows * len(levels),
        ),
        np.full(n_rows * len(levels), grades.n_retrieved),
        JudgedGrades(np.repeat(numbers, judged.shape[1]), judged.ravel(), len(levels)),
        grading=grading_of(scale),
        row_queries=np.repeat(numbers, n_rows),
    )
    values = compute_values(block, [measure], leave_out_unjudged=leave_out)[:, 0]
    return np.nan_to_num(values).reshape(len(levels), n_rows)


# Each gives a row for each worth of the new judgment, a column for each of its places.


def _linear_values(
    measure: Measure, grades: QueryGrades, of: WorthOf, more: tuple[PlaceArray, FloatArray]
) -> FloatArray:
    """One document adds its own worth at its rank: measures that are linear, and nDCG by its ideal."""
    worth, (places, new) = of(grades.ranked), more
    rows, lengths = np.stack((worth, np.ones(len(worth)))), np.array([float(len(worth))])
    adds = contributions(Tops(measure, rows, lengths), is_divided=measure.rule == "linear")
    sums: FloatArray = float(adds[0].sum()) + adds[1, places] * new
    if measure.rule == "linear":
        return sums
    whole, pool = (
        np.hstack((np.tile(each, (len(new), 1)), new)) for each in (worth, of(grades.judged))
    )
    return ratio(sums, Tops(measure, whole, lengths, pool=pool).ideal[:, None])


def _precision_values(
    measure: Measure, grades: QueryGrades, of: WorthOf, more: tuple[PlaceArray, FloatArray]
) -> FloatArray:
    """AP: one more relevant document adds its own precision, and 1/rank at each relevant one below."""
    top, (places, new) = of(grades.ranked[: measure.cutoff]), more
    by_rank = top / np.arange(1.0, len(top) + 1)
    found = np.cumsum(top)
    below = by_rank.sum() - np.cumsum(by_rank)
    added = (found[places] + new) / (places + 1.0) + below[places]
    n_found, n_relevant = top.sum() + new, of(grades.judged).sum() + new
    depth = float(measure.cutoff or grades.n_retrieved)
    divisor = choose_divisor(str(measure.values.get("norm")), depth, n_found, n_relevant)
    return ratio(by_rank @ found + new * added, divisor)


def _first_values(
    measure: Measure, grades: QueryGrades, of: WorthOf, more: tuple[PlaceArray, FloatArray]
) -> FloatArray:
    """The first relevant document decides: the new one, or the one that there is."""
    top, (places, new) = of(grades.ranked[: measure.cutoff]), more
    known = int(top.argmax()) if top.any() else len(top)
    met = np.where(new > 0, np.minimum(places, known), known)
    return np.append(weights_by_rank(measure, len(top)), 0.0)[met]


_FORMULAS = {
    "first": _first_values,
    "linear": _linear_values,
    "ratio": _linear_values,
    "precision": _precision_values,
}
"""What gives the values over ranks inside the top without going through the ranking."""


def compute_difference_table(
    measure: Measure,
    pair: RankingPair,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
    wanted: BoolArray | None = None,
) -> tuple[PlaceArray, FloatArray]:
    """Return first − second for every level of every unjudged document; for what one more judgment can turn.

    Args:
        measure: any of the table; undefined values count as 0.
        pair: two rankings of one query; its unjudged documents that neither ranking
            holds have their stake as well.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: as in :func:`compute_stakes`.
        wanted: which documents of the pair are looked at, shape (D,); ``None`` for all.

    Returns:
        The documents' places among those of the pair, shape (m,), and the differences,
        shape (m, levels); measures that are linear in a worth have the two ends alone.
    """
    is_wanted = pair.is_open if wanted is None else pair.is_open & wanted
    documents = np.flatnonzero(is_wanted)
    sides = []
    for ranking, grades in zip((pair.first, pair.second), pair.query_grades(), strict=True):
        here = is_wanted[ranking]
        stakes = compute_stakes(
            measure, grades, scale, leave_out_unjudged=leave_out_unjudged, wanted=here
        )
        by_document = np.tile(stakes.values_missing, (len(pair.grades), 1))
        by_document[ranking[stakes.ranks - 1]] = stakes.values
        sides.append(by_document[documents])
    return documents, sides[0] - sides[1]


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
