"""Stakes: how far each unjudged document alone can move a value, or turn a comparison.

The document with the highest stake is the most useful one to judge next. All other
unjudged documents stay as the policy has them: as non-relevant, or left out.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.grades import QueryGrades, RankingPair
from judgetool.metrics.grading import Worth, level_grades, worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import BoolArray, FloatArray, choose_divisor, ratio
from judgetool.metrics.tops import RowTops
from judgetool.metrics.values import compute_value, contributions, row_values

PlaceArray = npt.NDArray[np.intp]

# Gradings times ranks evaluated at a time: they stay in the processor's cache.
CHUNK_CELLS = 100_000
# Values nearer than this are the same: sums differ in their last digits.
SAME = 1e-12


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
    table = _value_table(measure, grades, scale, wanted, is_condensed=leave_out_unjudged)
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
    wanted: BoolArray | None = None,
) -> SignStakes:
    """Return what each unjudged document of two rankings can do to first − second.

    Args:
        measure: any of the table; undefined values count as 0.
        pair: two rankings of one query; its unjudged documents that neither ranking
            holds have their stake as well.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        leave_out_unjudged: as in :func:`compute_stakes`.
        wanted: which documents of the pair are looked at, shape (D,); ``None`` for all.
    """
    documents, values = compute_difference_table(
        measure, pair, scale, leave_out_unjudged=leave_out_unjudged, wanted=wanted
    )
    first, second = (
        compute_value(measure, side, scale, leave_out_unjudged=leave_out_unjudged) or 0.0
        for side in pair.query_grades()
    )
    now = np.array(first - second)
    return SignStakes(
        documents=documents,
        low=values.min(axis=1),
        high=values.max(axis=1),
        can_change_sign=(_signs(values) != _signs(now)).any(axis=1),
        difference=first - second,
    )


def compute_difference_table(
    measure: Measure,
    pair: RankingPair,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
    wanted: BoolArray | None = None,
) -> tuple[PlaceArray, FloatArray]:
    """Return first − second for every level of every unjudged document; see :func:`compute_sign_stakes`.

    Returns:
        The documents' places among those of the pair, shape (m,), and the differences,
        shape (m, levels); measures that are linear in a worth have the two ends alone.
    """
    is_wanted = pair.is_open if wanted is None else pair.is_open & wanted
    documents = np.flatnonzero(is_wanted)
    sides = []
    for ranking, grades in zip((pair.first, pair.second), pair.query_grades(), strict=True):
        here = is_wanted[ranking]
        table = _value_table(measure, grades, scale, here, is_condensed=leave_out_unjudged)
        by_document = np.tile(table.missing, (len(pair.grades), 1))
        by_document[ranking[table.places]] = table.values
        sides.append(by_document[documents])
    return documents, sides[0] - sides[1]


def _signs(values: FloatArray) -> FloatArray:
    signs: FloatArray = np.sign(np.where(np.abs(values) < SAME, 0.0, values))
    return signs


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


def _value_table(
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
    # What states the present has no stake.
    if measure.rule == "present" or measure.spec.uses == "clicks":
        return LevelTable(places, np.zeros((len(places), 1)), np.zeros(1))
    if measure.rule == "wide":
        return _table_by_values(measure, grades, scale, places)
    worth = worth_of(measure, scale)
    if not measure.takes_out_unjudged(leave_out_unjudged=is_condensed):
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


def _rows_table(measure: Measure, case: _Case, worth: Worth, places: PlaceArray) -> LevelTable:
    # Values linear in one document's worth have their ends at the ends of the scale.
    is_linear = measure.rule in ("linear", "reader")
    levels = worth.levels[[0, -1]] if is_linear else worth.levels
    values = np.empty((len(places), len(levels)))
    values[:], missing = _values_outside(measure, case, levels)
    is_inside = np.ones(len(places), dtype=bool)
    if measure.cutoff is not None:
        is_inside = places < measure.cutoff
    is_over = not case.is_between and measure.spec.sees == "useful"
    inside = _INSIDE.get(measure.rule, _row_values) if is_over else _row_values
    for column, level in enumerate(levels.tolist()):
        # Over a rank, a document that is judged and worth nothing is like one unjudged.
        if not (level == 0 and is_over):
            values[is_inside, column] = inside(measure, case, places[is_inside], level)
    return LevelTable(places, values, missing)


def _row_values(measure: Measure, case: _Case, places: PlaceArray, new: float) -> FloatArray:
    """Return the values with one more judgment, row by row."""
    n_relevant = float(case.all_worth.sum()) + new
    # Columns below the cutoff play no part; over a rank they need not be filled.
    keep = None if case.is_between else measure.cutoff
    step = max(1, CHUNK_CELLS // (len(case.worth) + 1))
    parts = [np.zeros(0)]
    for start in range(0, len(places), step):
        here = places[start : start + step]
        rows = RowTops(
            measure,
            case.put(case.worth[:keep], here, new),
            np.array([len(case.worth) + float(case.is_between)]),
            n_relevant,
            len(case.all_worth) + 1 - n_relevant,
            judged=case.put(case.judged.astype(np.float64), here, 1.0) > 0,
            pooled=case.put(case.pooled.astype(np.float64), here, 1.0) > 0,
            pool=np.append(case.all_worth, new)[None, :],
        )
        parts.append(np.broadcast_to(row_values(rows), len(here)))
    return np.concatenate(parts)


def _linear_values(measure: Measure, case: _Case, places: PlaceArray, new: float) -> FloatArray:
    """One document adds its own worth at its rank: measures that are linear, and nDCG by its ideal."""
    rows = np.stack((case.worth, np.ones(len(case.worth))))
    lengths = np.array([float(len(case.worth))])
    adds = contributions(RowTops(measure, rows, lengths), is_divided=measure.rule == "linear")
    sums: FloatArray = float(adds[0].sum()) + adds[1, places] * new
    if measure.rule == "linear":
        return sums
    pool = np.append(case.all_worth, new)[None, :]
    more = RowTops(measure, np.append(case.worth, new)[None, :], lengths, pool=pool)
    return ratio(sums, more.ideal)


def _precision_values(measure: Measure, case: _Case, places: PlaceArray, new: float) -> FloatArray:
    """AP: one more relevant document adds its own precision, and 1/rank at each relevant one below."""
    top = case.worth[: measure.cutoff]
    by_rank = top / np.arange(1.0, len(top) + 1)
    found = np.cumsum(top)
    below = by_rank.sum() - np.cumsum(by_rank)
    added = (found[places] + new) / (places + 1.0) + below[places]
    depth = float(measure.cutoff or len(case.worth))
    n_found, n_relevant = (float(each.sum()) + new for each in (top, case.all_worth))
    divisor = choose_divisor(str(measure.values.get("norm")), depth, n_found, n_relevant)
    return ratio(float(by_rank @ found) + new * added, divisor)


_INSIDE = {"linear": _linear_values, "ratio": _linear_values, "precision": _precision_values}
"""What computes the values over ranks inside the top by a formula."""


def _values_outside(
    measure: Measure, case: _Case, levels: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the values by level of a document below the cutoff, and of one not retrieved."""
    new = np.concatenate((levels, levels))
    is_missing = np.repeat([False, True], len(levels))
    n_relevant = float(case.all_worth.sum()) + new
    worth, pool = (
        np.column_stack((np.broadcast_to(each, (len(new), len(each))), last))
        for each, last in ((case.worth, np.where(is_missing, 0.0, new)), (case.all_worth, new))
    )
    if measure.rule != "ratio":
        # The ideal of the returned documents alone has it; no sum goes on so far.
        worth = worth[:, :-1]
    rows = RowTops(
        measure,
        worth,
        len(case.worth) + (case.is_between & ~is_missing).astype(np.float64),
        n_relevant,
        len(case.all_worth) + 1 - n_relevant,
        judged=case.judged[None, :],
        pooled=case.pooled[None, :],
        pool=pool,
    )
    values = row_values(rows)
    return values[: len(levels)], values[len(levels) :]


def _table_by_values(
    measure: Measure, grades: QueryGrades, scale: Scale | None, places: PlaceArray
) -> LevelTable:
    """Return the table for the correlations, value by value as the engine has it."""
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
    seen: dict[tuple[int, float], float] = {}
    above = np.cumsum(grades.is_judged)
    for row, place in enumerate(places.tolist()):
        is_inside = measure.cutoff is None or place < measure.cutoff
        slot = place
        if measure.spec.skips_unjudged:
            slot = int(above[place]) if is_inside else -1
        for column, grade in enumerate(levels.tolist()):
            if (slot, grade) not in seen:
                seen[slot, grade] = value_at(place, grade)
            values[row, column] = seen[slot, grade]
    missing = [value_missing(grade) for grade in levels.tolist()]
    return LevelTable(places, values, np.array(missing))
