"""Stakes: how far each unjudged document alone can move a value, or turn a comparison.

The document with the highest stake is the most useful one to judge next. All other
unjudged documents stay as the policy has them: as non-relevant, or left out.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.bounds_pair import RankingPair
from judgetool.metrics.bounds_points import compute_value
from judgetool.metrics.bounds_values import Rows, compute_rows, discounts, has_row_values, ratio
from judgetool.metrics.bounds_worth import Worth, level_grades, worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import BoolArray, FloatArray, QueryGrades

PlaceArray = npt.NDArray[np.intp]

# Values nearer than this are the same: sums differ in their last digits.
SAME = 1e-12
# Gradings times ranks evaluated at a time: they stay in the processor's cache.
CHUNK_CELLS = 100_000
# Measures to which 'judged and not relevant' is not the same as unjudged.
_SEE_JUDGED = frozenset({"bpref", "inferred_ap", "num_nonrelevant_returned"})
_POINTS = frozenset(
    {"judged_share", "unjudged_share", "num_queries", "rbp_residual", "click_through"}
)


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """What each unjudged document of a ranking can do to a value.

    Attributes:
        ranks: rank of each unjudged document, from 1, rising, shape (m,).
        low: least value over its own grades, shape (m,).
        high: greatest value over its own grades, shape (m,).
        missing: stake of an unjudged document of the pool that the ranking lacks.
    """

    ranks: PlaceArray
    low: FloatArray
    high: FloatArray
    missing: float

    @property
    def widths(self) -> FloatArray:
        """How far each can move the value, 0 or more, shape (m,)."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class SignStakes:
    """What each unjudged document can do to the difference of two rankings.

    Attributes:
        documents: place of each unjudged document among those of the pair, shape (m,).
        low: least difference over its own grades, shape (m,).
        high: greatest difference, shape (m,).
        can_change_sign: whether some grade of it makes the better ranking the worse, or
            makes or breaks a tie, shape (m,).
        difference: as judged so far.
    """

    documents: PlaceArray
    low: FloatArray
    high: FloatArray
    can_change_sign: BoolArray
    difference: float

    @property
    def widths(self) -> FloatArray:
        """How far each can move the difference, shape (m,)."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Values by document and level: of those in the ranking, and of one it lacks."""

    places: PlaceArray
    values: FloatArray
    missing: FloatArray


def compute_stakes(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> Stakes:
    """Return what each unjudged document of a ranking can do to the value.

    Args:
        measure: any of the table; undefined values count as 0.
        grades: of the query.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: the policy for all others: left out of the ranking (condensed
            list) rather than not relevant.

    Returns:
        One entry per unjudged document of the ranking; empty arrays if there is none.
    """
    table = _value_table(measure, grades, scale, is_condensed=leave_out_unjudged)
    return Stakes(
        ranks=table.places + 1,
        low=table.values.min(axis=1),
        high=table.values.max(axis=1),
        missing=float(table.missing.max() - table.missing.min()),
    )


def compute_sign_stakes(
    measure: Measure,
    pair: RankingPair,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> SignStakes:
    """Return what each unjudged document of two rankings can do to first − second.

    Args:
        measure: any of the table; undefined values count as 0.
        pair: two rankings of one query; its unjudged documents that neither ranking
            holds have their stake as well.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: as in :func:`compute_stakes`.
    """
    documents = np.flatnonzero(pair.is_open)
    sides = []
    present = []
    for ranking, grades in zip((pair.first, pair.second), pair.query_grades(), strict=True):
        table = _value_table(measure, grades, scale, is_condensed=leave_out_unjudged)
        by_document = np.tile(table.missing, (len(pair.grades), 1))
        by_document[ranking[table.places]] = table.values
        sides.append(by_document[documents])
        value = compute_value(measure, grades, scale, leave_out_unjudged=leave_out_unjudged)
        present.append(value or 0.0)
    difference = present[0] - present[1]
    values = sides[0] - sides[1]
    return SignStakes(
        documents=documents,
        low=values.min(axis=1),
        high=values.max(axis=1),
        can_change_sign=(_signs(values) != _signs(np.array(difference))).any(axis=1),
        difference=difference,
    )


def _signs(values: FloatArray) -> FloatArray:
    signs: FloatArray = np.sign(np.where(np.abs(values) < SAME, 0.0, values))
    return signs


def _value_table(
    measure: Measure, grades: QueryGrades, scale: Scale | None, *, is_condensed: bool
) -> _Table:
    """Return the value for every level of every unjudged document, others as the policy has it."""
    places = np.flatnonzero(~grades.is_judged)
    kernel = measure.spec.kernel
    if kernel in _POINTS:
        return _Table(places, np.zeros((len(places), 1)), np.zeros(1))
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
    return _Table(places, table.values[back], table.missing)


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


def _rows_table(measure: Measure, case: _Case, worth: Worth, places: PlaceArray) -> _Table:
    # Values linear in one document's worth have their ends at the ends of the scale.
    is_linear = measure.spec.kernel in ("err", "pfound", "rbp", "dcg", "cumulated_gain")
    levels = worth.levels[[0, -1]] if is_linear else worth.levels
    values = np.empty((len(places), len(levels)))
    missing = np.empty(len(levels))
    is_inside = np.ones(len(places), dtype=bool)
    if measure.cutoff is not None:
        is_inside = places < measure.cutoff
    is_gain = measure.spec.kernel in ("cumulated_gain", "dcg", "ndcg") and not case.is_between
    inside = _gain_values if is_gain else _row_values
    for column, level in enumerate(levels):
        new = float(level)
        outside = _value_outside(measure, case, new, is_missing=False)
        values[:, column] = outside
        if not (new == 0 and _is_like_unjudged(measure, case)):
            values[is_inside, column] = inside(measure, case, places[is_inside], new)
        missing[column] = _value_outside(measure, case, new, is_missing=True)
    return _Table(places, values, missing)


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


def _value_outside(measure: Measure, case: _Case, new: float, *, is_missing: bool) -> float:
    """Return the value when a document below the cutoff, or not retrieved, is worth ``new``."""
    n_relevant = float(case.all_worth.sum()) + new
    is_in_ideal = not (is_missing and _has_own_ideal(measure))
    length = float(len(case.worth)) + float(case.is_between and not is_missing)
    rows = Rows(
        worth=case.worth[None, :],
        lengths=np.array([length]),
        n_relevant=np.array([n_relevant]),
        n_nonrelevant=np.array([len(case.all_worth) + 1 - n_relevant]),
        judged=case.judged[None, :],
        pooled=case.pooled[None, :],
        ideal=_ideal(measure, case, new if is_in_ideal else 0.0, 1, length=length),
    )
    return float(compute_rows(measure, rows)[0])


def _has_own_ideal(measure: Measure) -> bool:
    return measure.spec.kernel == "ndcg" and measure.param("ideal") == "retrieved"


def _ideal(
    measure: Measure, case: _Case, new: float, n_rows: int, *, length: float | None = None
) -> FloatArray | None:
    if measure.spec.kernel != "ndcg":
        return None
    kind = measure.param("ideal")
    pool = case.worth if kind == "retrieved" else case.all_worth
    depth = None if kind == "uncut" else measure.cutoff
    if kind == "length":
        returned = int(len(case.worth) + case.is_between if length is None else length)
        depth = min(returned, measure.cutoff or returned)
    best = -np.sort(-np.append(pool, new))[:depth]
    return np.full(n_rows, float(best @ discounts(len(best))))


def _table_by_kernels(
    measure: Measure, grades: QueryGrades, scale: Scale | None, places: PlaceArray
) -> _Table:
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
    # The correlations skip unjudged documents: only RBO sees at which rank it stands.
    seen: dict[tuple[int, float], float] = {}
    above = np.cumsum(grades.is_judged)
    for row, place in enumerate(places.tolist()):
        is_inside = measure.cutoff is None or place < measure.cutoff
        slot = place if measure.name == "RBO" else int(above[place]) if is_inside else -1
        for column, grade in enumerate(levels.tolist()):
            if (slot, grade) not in seen:
                seen[slot, grade] = value_at(place, grade)
            values[row, column] = seen[slot, grade]
    missing = [value_missing(grade) for grade in levels.tolist()]
    return _Table(places, values, np.array(missing))
