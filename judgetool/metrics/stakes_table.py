"""Values by document and level: what a ranking is worth with one more judgment, for each that is open."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_points import compute_value
from judgetool.metrics.bounds_values import (
    Rows,
    compute_rows,
    discounts,
    divided_precisions,
    has_row_values,
    ratio,
)
from judgetool.metrics.bounds_worth import Worth, level_grades, worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import BoolArray, FloatArray, QueryGrades

PlaceArray = npt.NDArray[np.intp]

# Gradings times ranks evaluated at a time: they stay in the processor's cache.
CHUNK_CELLS = 100_000
# Measures to which 'judged and not relevant' is not the same as unjudged.
_SEE_JUDGED = frozenset({"bpref", "inferred_ap", "num_nonrelevant_returned"})
# Measures of the order of the judged documents alone.
_ORDERS = frozenset({"tau", "tau_ap", "rho"})
# What states the present has no stake.
_POINTS = frozenset(
    {"judged_share", "unjudged_share", "num_queries", "rbp_residual", "click_through"}
)


@dataclass(frozen=True, slots=True, eq=False)
class LevelTable:
    """Values by document and level.

    Attributes:
        places: of the unjudged documents looked at, from 0, rising, shape (m,).
        values: with each of them at each level, shape (m, levels).
        missing: with a document that the ranking lacks at each level, shape (levels,).
    """

    places: PlaceArray
    values: FloatArray
    missing: FloatArray


def value_table(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    wanted: BoolArray | None,
    *,
    is_condensed: bool,
) -> LevelTable:
    """Return the value for every level of every unjudged document, others as the policy has it.

    Args:
        measure: any of the table; undefined values count as 0.
        grades: of the query.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        wanted: at which ranks documents are looked at, shape (n,); ``None`` for all.
        is_condensed: whether all other unjudged documents are left out of the ranking.
    """
    is_open = ~grades.is_judged
    places = np.flatnonzero(is_open if wanted is None else is_open & wanted)
    kernel = measure.spec.kernel
    if kernel in _POINTS:
        return LevelTable(places, np.zeros((len(places), 1)), np.zeros(1))
    if not has_row_values(measure):
        return _table_by_kernels(measure, grades, scale, places)
    is_condensed = measure.has_param("judged_only") and (
        is_condensed or measure.param("judged_only") is True
    )
    worth = worth_of(measure, scale)
    if not is_condensed:
        return _rows_table(measure, _Case.from_grades(grades, worth), worth, places)
    # Only the number of judged documents above decides where it comes to stand.
    slots = np.cumsum(grades.is_judged)[places].astype(np.intp)
    distinct, back = np.unique(slots, return_inverse=True)
    case = _Case.condensed(grades, worth)
    table = _rows_table(measure, case, worth, distinct)
    return LevelTable(places, table.values[back], table.missing)


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """One ranking into which one more judgment is put: over a rank, or between two."""

    worth: FloatArray
    judged: BoolArray
    pooled: BoolArray
    all_worth: FloatArray
    is_between: bool

    @staticmethod
    def from_grades(grades: QueryGrades, worth: Worth) -> "_Case":
        pooled = grades.is_judged if grades.pooled is None else grades.pooled
        return _Case(
            worth.of(grades.ranked),
            grades.is_judged,
            pooled,
            worth.of(grades.judged),
            is_between=False,
        )

    @staticmethod
    def condensed(grades: QueryGrades, worth: Worth) -> "_Case":
        known = worth.of(grades.ranked[grades.is_judged])
        certain = np.ones(len(known), dtype=bool)
        return _Case(known, certain, certain, worth.of(grades.judged), is_between=True)

    def put(self, values: FloatArray, places: PlaceArray, new: float) -> FloatArray:
        """Return one row per place, with ``new`` put there."""
        if not self.is_between:
            rows = np.repeat(values[None, :], len(places), axis=0)
            rows[np.arange(len(places)), places] = new
            return rows
        columns = np.arange(len(values) + 1)
        source = np.minimum(columns - (columns > places[:, None]), max(0, len(values) - 1))
        moved = values[source] if len(values) else np.zeros((len(places), 1))
        return np.where(columns == places[:, None], new, moved)


_Inside = Callable[[Measure, _Case, PlaceArray, float], FloatArray]


def _rows_table(measure: Measure, case: _Case, worth: Worth, places: PlaceArray) -> LevelTable:
    # Values linear in one document's worth have their ends at the ends of the scale.
    is_linear = measure.spec.kernel in ("err", "pfound", "rbp", "dcg", "cumulated_gain")
    levels = worth.levels[[0, -1]] if is_linear else worth.levels
    values = np.empty((len(places), len(levels)))
    values[:], missing = _values_outside(measure, case, levels)
    is_inside = np.ones(len(places), dtype=bool)
    if measure.cutoff is not None:
        is_inside = places < measure.cutoff
    inside = _inside_function(measure, case)
    for column, level in enumerate(levels.tolist()):
        if not (level == 0 and _is_like_unjudged(measure, case)):
            values[is_inside, column] = inside(measure, case, places[is_inside], level)
    return LevelTable(places, values, missing)


def _inside_function(measure: Measure, case: _Case) -> _Inside:
    """Return what computes the values with a document inside the top: by a formula, if there is one."""
    kernel = measure.spec.kernel
    if case.is_between:
        return _row_values
    if kernel in ("cumulated_gain", "dcg", "ndcg"):
        return _gain_values
    return _precision_values if kernel == "average_precision" else _row_values


def _is_like_unjudged(measure: Measure, case: _Case) -> bool:
    """Return whether a document that is judged and worth nothing changes nothing."""
    return not case.is_between and measure.spec.kernel not in _SEE_JUDGED


def _row_values(measure: Measure, case: _Case, places: PlaceArray, new: float) -> FloatArray:
    width = len(case.worth) + 1
    step = max(1, CHUNK_CELLS // width)
    parts = [
        _evaluate(measure, case, places[start : start + step], new)
        for start in range(0, len(places), step)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


def _evaluate(measure: Measure, case: _Case, places: PlaceArray, new: float) -> FloatArray:
    n_relevant = float(case.all_worth.sum()) + new
    n_rows = len(places)
    # Columns below the cutoff play no part; over a rank they need not be filled.
    keep = None if case.is_between else measure.cutoff
    rows = Rows(
        worth=case.put(case.worth[:keep], places, new),
        lengths=np.array([len(case.worth) + float(case.is_between)]),
        n_relevant=np.full(n_rows, n_relevant),
        n_nonrelevant=np.full(n_rows, len(case.all_worth) + 1 - n_relevant),
        judged=_marks(measure, case, case.judged, places),
        pooled=_marks(measure, case, case.pooled, places),
        ideal=_ideal(measure, case, new, n_rows),
    )
    return compute_rows(measure, rows)


def _marks(measure: Measure, case: _Case, marks: BoolArray, places: PlaceArray) -> BoolArray | None:
    if measure.spec.kernel not in _SEE_JUDGED:
        return None
    return case.put(marks.astype(np.float64), places, 1.0) > 0


def _gain_values(measure: Measure, case: _Case, places: PlaceArray, new: float) -> FloatArray:
    """CG, DCG and nDCG are linear: one document adds its own discounted gain."""
    top = case.worth[: measure.cutoff]
    weights = np.ones(len(top)) if measure.spec.kernel == "cumulated_gain" else discounts(len(top))
    sums = float(top @ weights) + weights[places] * new
    ideal = _ideal(measure, case, new, len(places))
    return sums if ideal is None else ratio(sums, ideal)


def _precision_values(measure: Measure, case: _Case, places: PlaceArray, new: float) -> FloatArray:
    """AP: one more relevant document adds its own precision, and 1/rank at each relevant one below."""
    top = case.worth[: measure.cutoff]
    by_rank = top / np.arange(1.0, len(top) + 1)
    found = np.cumsum(top)
    below = by_rank.sum() - np.cumsum(by_rank)
    added = (found[places] + new) / (places + 1.0) + below[places]
    rows = Rows(
        worth=np.zeros((0, 0)),
        lengths=np.array([float(len(case.worth))]),
        n_relevant=np.full(len(places), float(case.all_worth.sum()) + new),
    )
    total = float(by_rank @ found) + new * added
    return divided_precisions(measure, total, np.full(len(places), found[-1:].sum() + new), rows)


def _values_outside(
    measure: Measure, case: _Case, levels: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the values by level of a document below the cutoff, and of one not retrieved."""
    n_levels = len(levels)
    new = np.concatenate((levels, levels))
    is_missing = np.repeat([False, True], n_levels)
    n_relevant = float(case.all_worth.sum()) + new
    lengths = len(case.worth) + (case.is_between & ~is_missing).astype(np.float64)
    ideals = None
    if measure.spec.kernel == "ndcg":
        in_ideal = np.where(is_missing & _has_own_ideal(measure), 0.0, new)
        ideals = np.array(
            [
                _ideal_value(measure, case, gain, length)
                for gain, length in zip(in_ideal.tolist(), lengths.tolist(), strict=True)
            ]
        )
    rows = Rows(
        worth=np.broadcast_to(case.worth, (2 * n_levels, len(case.worth))),
        lengths=lengths,
        n_relevant=n_relevant,
        n_nonrelevant=len(case.all_worth) + 1 - n_relevant,
        judged=case.judged[None, :],
        pooled=case.pooled[None, :],
        ideal=ideals,
    )
    values = compute_rows(measure, rows)
    return values[:n_levels], values[n_levels:]


def _has_own_ideal(measure: Measure) -> bool:
    return measure.spec.kernel == "ndcg" and measure.param("ideal") == "retrieved"


def _ideal(measure: Measure, case: _Case, new: float, n_rows: int) -> FloatArray | None:
    """Return the ideal DCG when a document of the ranking is worth ``new``, once for each row."""
    if measure.spec.kernel != "ndcg":
        return None
    length = float(len(case.worth) + case.is_between)
    return np.full(n_rows, _ideal_value(measure, case, new, length))


def _ideal_value(measure: Measure, case: _Case, new: float, length: float) -> float:
    kind = measure.param("ideal")
    pool = case.worth if kind == "retrieved" else case.all_worth
    depth = None if kind == "uncut" else measure.cutoff
    if kind == "length":
        depth = min(int(length), measure.cutoff or int(length))
    best = -np.sort(-np.append(pool, new))[:depth]
    return float(best @ discounts(len(best)))


def _table_by_kernels(
    measure: Measure, grades: QueryGrades, scale: Scale | None, places: PlaceArray
) -> LevelTable:
    """Return the table for the correlations, value by value with the engine's kernels."""
    levels = level_grades(scale)

    def value_at(place: int, grade: float) -> float:
        ranked = grades.ranked.copy()
        ranked[place] = grade
        changed = QueryGrades(ranked, grades.missing, grades.n_missing_unjudged)
        return compute_value(measure, changed, scale) or 0.0

    def value_missing(grade: float) -> float:
        more = np.append(grades.missing, grade)
        changed = QueryGrades(grades.ranked, more, grades.n_missing_unjudged)
        return compute_value(measure, changed, scale) or 0.0

    values = np.empty((len(places), len(levels)))
    # The correlations skip unjudged documents; others see at which rank each stands.
    is_order = measure.spec.kernel in _ORDERS
    seen: dict[tuple[int, float], float] = {}
    above = np.cumsum(grades.is_judged)
    for row, place in enumerate(places.tolist()):
        is_inside = measure.cutoff is None or place < measure.cutoff
        slot = place
        if is_order:
            slot = int(above[place]) if is_inside else -1
        for column, grade in enumerate(levels.tolist()):
            if (slot, grade) not in seen:
                seen[slot, grade] = value_at(place, grade)
            values[row, column] = seen[slot, grade]
    missing = [value_missing(grade) for grade in levels.tolist()]
    return LevelTable(places, values, np.array(missing))
