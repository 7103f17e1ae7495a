"""Stakes: how far each unjudged document alone can move a value, or turn a comparison.

The document with the highest stake is the most useful one to judge next. All other
unjudged documents stay as the policy has them: as non-relevant, or left out.
"""

from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import (
    Block,
    JudgedGrades,
    RankedGrades,
    WorthOf,
    grading_of,
    level_grades,
    meant_scale,
    worth_of,
)
from judgetool.metrics.grades import IN_POOL_ONLY, PlaceArray, QueryGrades, RankingPair
from judgetool.metrics.measure import Measure, parse_measure
from judgetool.metrics.terms import BoolArray, FloatArray, Tops, choose_divisor, ratio
from judgetool.metrics.values import compute_values, contributions, weights_by_rank


class Stakes(NamedTuple):
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
    measure: Measure | str,
    grades: QueryGrades,
    scale: Scale | str | None,
    *,
    leave_out_unjudged: bool = False,
    wanted: BoolArray | None = None,
) -> Stakes:
    """Return what each unjudged document of a ranking can do to the value.

    Args:
        measure: any of the table, or its name; undefined values count as 0.
        grades: of the query.
        scale: whose levels may be given, or its name; ``None`` for TREC 0-4.
        leave_out_unjudged: the policy for all others: left out of the ranking (condensed
            list) rather than not relevant.
        wanted: at which ranks documents are looked at, shape (n,); ``None`` for all.

    Returns:
        One entry per unjudged document of the ranking; empty arrays if there is none.
    """
    measure, scale = parse_measure(measure), meant_scale(scale)
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
    n_rows, n_graded = len(places) + 1, len(ranks)
    given = [
        np.append(np.where(is_new, level, np.append(known, 0.0)[source])[is_kept], known)
        for level in levels.tolist()
    ]
    numbers = np.arange(len(levels))
    judged = -np.sort(-np.column_stack((np.tile(grades.judged, (len(levels), 1)), levels)))
    block = Block(
        RankedGrades(
            np.repeat(numbers * n_rows, n_graded) + np.tile(rows, len(levels)),
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
