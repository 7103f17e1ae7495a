"""Intervals: what the unjudged documents could still change of a value.

The interval of a value reaches from the least to the greatest value over every way
to grade the unjudged documents of the ranking, and of the pool, with levels of the
scale, and over the value as it stands: to Bpref and infAP, and in a list without its
unjudged documents, being unjudged is another thing than any grade. An undefined value
(no relevant document) counts as the conventions say: as 0, or not at all. No grading is
sampled: for every measure but the correlations the two ends are exact and attained.

* P, RR, CG, DCG, ERR, pFound, RBP and others rise with each grade: all lowest, all highest.
* R, F and others divide by R: what stands in the top, against what is hidden below.
* AP, Rprec, Bpref, infAP, IPrec: for a given number of relevant documents among the
  unjudged such a value is greatest when they are the highest placed ones and least when
  they are the lowest placed ones, those that the ranking lacks or the cutoff hides
  first: moving a relevant document up past one that is not raises it, and R stays. So
  only the numbers have to be tried, not the gradings.
* nDCG: :mod:`judgetool.metrics.bounds_rules`.

The interval of a difference is of what-if minus baseline, or run A minus run B. Both share their
unknowns, so it is narrower than the difference of two intervals.

* Linear measures (P, CG, DCG, RBP, counts): each document at its least, and at its most.
* R, R_cap, F: how many documents only one of the tops holds.
* RR, Success: no more than one unjudged document need be relevant.
* nDCG: exact by fractional programming, whatever the number.
* AP of one document moved: exact by a pass over the window.
* ERR, pFound, AP, others: by trying gradings, as long as few unjudged documents changed place;
  else the wide range, and it is called so.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.block import Worth, level_grades, worth_of
from judgetool.metrics.bounds_rules import (
    DRAG_BUDGET,
    PANEL_BUDGET,
    SEARCH_BUDGET,
    Budget,
    RatioProblem,
    bound_gradings,
    count_gains,
    distinct_gains,
    enumerate_difference,
    greatest_ratio,
    is_attained,
)
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.grades import (
    DocumentKeys,
    GradesBlock,
    PlaceArray,
    QueryGrades,
    RankingPair,
    compute_value,
    values_now,
)
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import BoolArray, FloatArray, Rule, Tops, discounts
from judgetool.metrics.values import FLOOR, contributions, row_values, weights_by_rank

StateArray = npt.NDArray[np.int8]

NEVER, PERHAPS, ALWAYS = range(3)
"""Whether there is a value: whatever the grades, with some of them, with none."""
_PLAIN = Conventions()
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Bounds:
    """The interval of a value.

    Attributes:
        low: least value.
        high: greatest value, not below ``low``.
        is_exact: whether both are attained, by some grading or by the value as it stands;
            if not, no value lies outside but the range may be wider than need be.
        defined: ``ALWAYS``; where undefined values are left out also ``PERHAPS``, when
            the interval is of those gradings that give a value, and ``NEVER``, when
            it is 0 to 0 and means nothing.
    """

    low: float
    high: float
    is_exact: bool
    defined: int = ALWAYS

    @staticmethod
    def certain(value: float | None) -> "Bounds":
        """Return the interval of a value that no judgment changes; ``NEVER`` where there is none."""
        return Bounds(value or 0.0, value or 0.0, True, NEVER if value is None else ALWAYS)

    def holding(self, value: float | None) -> "Bounds":
        """Return it with the value as it stands in it to the last bit.

        The ends are sums in another order, which can part from the value's by rounding alone.
        """
        if value is None:
            return self
        low = value if abs(self.low - value) < _ROUNDING * max(1.0, abs(value)) else self.low
        high = value if abs(self.high - value) < _ROUNDING * max(1.0, abs(value)) else self.high
        return replace(self, low=low, high=high)

    @property
    def width(self) -> float:
        """How much is still open; 0 when the value is certain."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, eq=False)
class BoundsBlock:
    """The intervals of one measure for many queries.

    Attributes:
        low: least value of each query, shape (B,).
        high: greatest value of each query, shape (B,).
        is_exact: as in :class:`Bounds`, shape (B,).
        defined: likewise, shape (B,).
    """

    low: FloatArray
    high: FloatArray
    is_exact: BoolArray
    defined: StateArray

    def bounds_of(self, query: int) -> Bounds:
        """Return the interval of one query."""
        return Bounds(
            float(self.low[query]),
            float(self.high[query]),
            bool(self.is_exact[query]),
            int(self.defined[query]),
        )

    def of(self, queries: BoolArray | npt.NDArray[np.intp]) -> "BoundsBlock":
        """Return the intervals of some queries."""
        return BoundsBlock(
            self.low[queries], self.high[queries], self.is_exact[queries], self.defined[queries]
        )

    def pool(self, measure: Measure, weights: FloatArray | None = None) -> Bounds | None:
        """Return the interval of what the queries' values make together, as the engine's means do.

        A mean by weight; of counts the sum; a geometric mean for those measures that have
        one. Where a query may come to have a value or not, it is counted where that makes
        the mean least, or greatest.

        Args:
            measure: whose intervals these are.
            weights: importance of each query, shape (B,); ``None`` for all alike.

        Returns:
            ``None`` when there is no query that may have a value, or no weight.
        """
        share = np.ones(len(self.low)) if weights is None else weights
        if measure.spec.pooling == "geometric":
            low, high = (np.log(np.maximum(ends, FLOOR)) for ends in (self.low, self.high))
            found = BoundsBlock(low, high, self.is_exact, self.defined).mean(share)
            return found and Bounds(math.exp(found.low), math.exp(found.high), found.is_exact)
        found = self.mean(share)
        if found is not None and measure.spec.pooling == "sum":
            return Bounds(float(self.low.sum()), float(self.high.sum()), found.is_exact)
        return found

    @staticmethod
    def certain(values: "np.ma.MaskedArray[Any, np.dtype[np.float64]]") -> "BoundsBlock":
        """Return intervals of values that no judgment changes: points, none where masked."""
        known = ~np.ma.getmaskarray(values)
        points = np.asarray(values.filled(0.0), dtype=np.float64)
        defined = np.where(known, ALWAYS, NEVER).astype(np.int8)
        return BoundsBlock(points, points.copy(), np.ones(len(points), dtype=np.bool_), defined)

    @staticmethod
    def none(n: int) -> "BoundsBlock":
        """Return no intervals, of n queries: nobody has worked them out."""
        ends, never = np.zeros(n), np.full(n, NEVER, dtype=np.int8)
        return BoundsBlock(ends, ends, np.zeros(n, dtype=np.bool_), never)

    def mean(self, weights: FloatArray) -> Bounds | None:
        """Return the interval of the mean by weight, whatever the measure; see :meth:`pool`."""
        is_counted = (weights > 0) & (self.defined != NEVER)
        if not is_counted.any():
            return None
        low = _extreme_mean(self.low, self.defined, weights, -1.0)
        high = _extreme_mean(self.high, self.defined, weights, 1.0)
        return Bounds(low, high, bool(self.is_exact[is_counted].all()))


@dataclass(slots=True)
class BoundsTable:
    """Least and greatest values of one run, and what its means make of them.

    Attributes:
        run_id: the run.
        measures: the columns.
        columns: the intervals of all queries by each measure.
        is_counted: which queries belong to the means, shape (n_queries,); of all others
            the intervals mean nothing.
    """

    run_id: int
    measures: tuple[Measure, ...]
    columns: tuple[BoundsBlock, ...]
    is_counted: BoolArray

    def set_query(self, query: int, bounds: tuple[Bounds, ...]) -> None:
        """Take in one query's intervals anew, after a judgment."""
        self.is_counted[query] = True
        for column, bound in zip(self.columns, bounds, strict=True):
            column.low[query], column.high[query] = bound.low, bound.high
            column.is_exact[query], column.defined[query] = bound.is_exact, bound.defined

    def clear_query(self, query: int) -> None:
        """Take a query out, when its last judgment was taken back."""
        self.is_counted[query] = False

    def among(self, kept: BoolArray) -> "BoundsTable":
        """Return the intervals of some queries alone, shape (n_queries,); weights are theirs then."""
        columns = tuple(column.of(kept) for column in self.columns)
        return BoundsTable(self.run_id, self.measures, columns, self.is_counted[kept])

    def mean(self, measure: int, weights: FloatArray, now: float | None = None) -> Bounds | None:
        """Return the interval of a mean, of counts that of the sum; see ``BoundsBlock.pool``.

        Args:
            measure: place of the measure.
            weights: how much each query counts, shape (n_queries,).
            now: the mean as it stands, which lies in it; ``None`` where there is none.
        """
        # Clicks count where they are known, judged or not.
        is_of_clicks = self.measures[measure].spec.uses == "clicks"
        counted = np.flatnonzero(self.is_counted | is_of_clicks)
        column = self.columns[measure].of(counted)
        found = column.pool(self.measures[measure], weights[counted])
        return None if found is None else found.holding(now)

    def means(self, weights: FloatArray, now: Sequence[float | None] = ()) -> list[Bounds | None]:
        """Return the interval of every mean, which holds the means of now; see :meth:`mean`."""
        known = now or (None,) * len(self.measures)
        return [self.mean(place, weights, value) for place, value in enumerate(known)]


def _extreme_mean(
    values: FloatArray, defined: StateArray, weights: FloatArray, sign: float
) -> float:
    """Return the greatest mean (``sign`` 1) or the least (−1) over the queries that may be left out.

    One more value raises a mean if it is above it, so that the greatest come first.
    """
    is_certain = defined == ALWAYS
    total = float(values[is_certain] @ weights[is_certain])
    weight = float(weights[is_certain].sum())
    chosen = np.flatnonzero((defined == PERHAPS) & (weights > 0))
    for query in chosen[np.argsort(-sign * values[chosen], kind="stable")].tolist():
        if weight > 0 and sign * float(values[query]) * weight <= sign * total:
            break
        total += float(values[query] * weights[query])
        weight += float(weights[query])
    return total / weight


def compute_bounds(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    conventions: Conventions | None = None,
) -> Bounds:
    """Return the interval of one query's value.

    Args:
        measure: any of the table; what no judgment changes is a point, and so are the
            counts of judgments (Judged, Unjudged, RBPres), which state the present.
        grades: of the ranking and of the pool.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        conventions: how unjudged documents and undefined values count; ``None`` for the
            default ones: as not relevant, and as 0.

    Returns:
        For the correlations with the ideal order (tau, tau_ap, rho, RBO, Compat) the widest
        range with ``is_exact`` false while anything is unjudged; likewise where a grade is
        above what the measure can read, and for CTR, as grades do not hold clicks: who knows
        its value takes :meth:`BoundsBlock.certain`.

    Raises:
        LookupError: nobody has written down how the measure is bounded.

    Examples:
        Grades 3, 1, ?: nDCG is 1 if the last is not relevant, less if it is.

        >>> import numpy as np
        >>> from judgetool.core.scale import scale_preset
        >>> from judgetool.metrics.measure import parse_measure
        >>> grades = QueryGrades(np.array([3.0, 1.0, np.nan]))
        >>> bounds = compute_bounds(parse_measure("nDCG@3"), grades, scale_preset("0-3"))
        >>> round(bounds.low, 3), bounds.high, bounds.is_exact
        (0.951, 1.0, True)
    """
    return compute_all_bounds([measure], grades, scale, conventions)[0]


def compute_all_bounds(
    measures: Sequence[Measure],
    grades: QueryGrades,
    scale: Scale | None,
    conventions: Conventions | None = None,
    *,
    values: Sequence[float | None] = (),
) -> tuple[Bounds, ...]:
    """Return the intervals of several measures for one query, in their order.

    Args:
        measures: any of the table.
        grades: as for :func:`compute_bounds`, like the next two.
        scale: of the grades.
        conventions: how unjudged documents and undefined values count.
        values: as the engine has them; empty where they are not known.
    """
    block = GradesBlock.from_queries([grades])
    found = []
    for at, measure in enumerate(measures):
        if values and _is_certain(measure):
            found.append(Bounds.certain(values[at]))
        elif measure.spec.facts in grades.facts:
            ends = measure.spec.lowest, measure.spec.highest or np.inf
            found.append(Bounds(*ends, is_exact=False))
        else:
            found.append(compute_bounds_block(measure, block, scale, conventions).bounds_of(0))
    return tuple(found)


def bound_values(
    measure: Measure,
    values: "np.ma.MaskedArray[Any, np.dtype[np.float64]]",
    block: GradesBlock,
    scale: Scale | None,
    conventions: Conventions,
    *,
    known: Collection[str] = (),
) -> BoundsBlock:
    """Return the intervals of values that an engine has, shape (B,).

    Args:
        measure: of the values.
        values: as the engine has them, masked where there is none.
        block: the grades of their queries.
        scale: of the grades.
        conventions: how unjudged documents and undefined values count.
        known: the kinds of facts that the engine knows beside grades.
    """
    if _is_certain(measure):
        return BoundsBlock.certain(values)
    if measure.spec.facts in known:
        return BoundsBlock.none(len(block))
    return compute_bounds_block(measure, block, scale, conventions)


def _is_certain(measure: Measure) -> bool:
    """Return whether a value is what it is: no judgment changes clicks, what is assumed no counts."""
    return measure.spec.uses == "clicks" or measure.spec.counts_judgments


def compute_bounds_block(
    measure: Measure,
    block: GradesBlock,
    scale: Scale | None,
    conventions: Conventions | None = None,
) -> BoundsBlock:
    """Return the intervals of all queries of a run at once; see :func:`compute_bounds`."""
    if measure.spec.needs_facts and measure.spec.uses != "clicks":
        # Grades alone give no value.
        return BoundsBlock.none(len(block))
    policy = conventions or _PLAIN
    chunks = [_bound_chunk(measure, chunk, scale, policy) for chunk in block.iter_chunks()]
    if len(chunks) == 1:
        return chunks[0]
    return BoundsBlock(
        np.concatenate([chunk.low for chunk in chunks]),
        np.concatenate([chunk.high for chunk in chunks]),
        np.concatenate([chunk.is_exact for chunk in chunks]),
        np.concatenate([chunk.defined for chunk in chunks]),
    )


def _bound_chunk(
    measure: Measure, block: GradesBlock, scale: Scale | None, conventions: Conventions
) -> BoundsBlock:
    low, high = bound_gradings(measure, block, scale)
    is_exact = is_attained(measure, block)
    defined = np.full(len(block), ALWAYS, dtype=np.int8)
    worth = worth_of(measure, scale)
    is_condensed = conventions.unjudged == "left out"
    is_left_out = conventions.undefined == "leave out"
    if is_left_out or sees_unjudged(measure, worth, is_condensed=is_condensed):
        now = values_now(measure, block, scale, leave_out_unjudged=is_condensed)
        if is_left_out:
            defined = _find_defined(measure, block, worth, now)
            low = _least_defined(measure, block, scale, (low, defined))
        else:
            now = np.nan_to_num(now)
        low, high = np.fmin(low, now), np.fmax(high, now)
    low, high = _within(measure, low), _within(measure, high)
    is_off_scale = np.fmax.reduce(block.judged, axis=1, initial=0.0) > worth.ceiling
    if is_off_scale.any():
        low = np.where(is_off_scale, 0.0, low)
        high = np.where(is_off_scale, measure.spec.highest or high, high)
        is_exact = is_exact & ~is_off_scale
        if is_left_out:
            defined = np.where(is_off_scale, PERHAPS, defined).astype(np.int8)
    return BoundsBlock(np.minimum(low, high), np.maximum(low, high), is_exact, defined)


def sees_unjudged(measure: Measure, worth: Worth, *, is_condensed: bool) -> bool:
    """Return whether the value as it stands may be none that a full grading gives."""
    return (
        (measure.spec.sees != "useful" and measure.rule != "present")
        or measure.takes_out_unjudged(leave_out_unjudged=is_condensed)
        # An unjudged document is worth nothing, which no level of the scale may be.
        or worth.low > 0
    )


def _find_defined(
    measure: Measure, block: GradesBlock, worth: Worth, now: FloatArray
) -> StateArray:
    """Return for each query whether there is a value; one that there is stays, whatever comes."""
    n_open, ideal = block.n_open, measure.values.get("ideal")
    if ideal == "retrieved":
        n_open = block.is_open.sum(axis=1, dtype=np.float64)
    elif ideal == "length":
        n_open = np.where(block.lengths > 0, n_open, 0.0)
    can_be = n_open > 0
    if measure.rule != "wide":
        can_be &= worth.high > 0
    elif measure.spec.uses == "clicks":
        can_be = np.ones(len(block), dtype=bool)
    states = np.where(~np.isnan(now), ALWAYS, np.where(can_be, PERHAPS, NEVER))
    return states.astype(np.int8)


def _least_defined(
    measure: Measure, block: GradesBlock, scale: Scale | None, found: tuple[FloatArray, StateArray]
) -> FloatArray:
    """Return least values over those gradings alone that give a value.

    Where nothing is relevant yet, at least one unjudged document has to be: the lowest of
    the ranking, as none can be placed worse, unless there is one out of sight.
    """
    low, defined = found
    worth = worth_of(measure, scale)
    if worth.low > 0 or measure.rule == "wide":
        return low
    n_hidden = block.n_missing_open
    if measure.values.get("ideal") == "retrieved":
        n_hidden = np.zeros(len(block))
    if measure.cutoff is not None:
        n_hidden = n_hidden + block.is_open[:, measure.cutoff :].sum(axis=1)
    rows = np.flatnonzero((defined == PERHAPS) & (n_hidden == 0))
    if not len(rows):
        return low
    grades = level_grades(scale)
    useful = grades[worth.of(grades) > 0]
    ends = [
        bound_gradings(measure, block.with_lowest(rows, grade), scale)[0]
        for grade in useful.tolist()
    ]
    least = low.copy()
    least[rows] = np.min(ends, axis=0)
    return least


def _within(measure: Measure, values: FloatArray) -> FloatArray:
    """Cut what rounding left outside the measure's range, and −0."""
    return np.clip(values, measure.spec.lowest, measure.spec.highest) + 0.0


__all__ = [
    "DRAG_BUDGET",
    "PANEL_BUDGET",
    "SEARCH_BUDGET",
    "Budget",
    "compute_difference_bounds",
    "compute_pair_bounds",
]

# The interval of a difference

Ends = tuple[float, float]
Find = Callable[[Measure, RankingPair, Scale | None, Budget], Ends | None]


def compute_difference_bounds(  # noqa: PLR0913 - what a difference depends on
    measure: Measure,
    first: DocumentKeys,
    second: DocumentKeys,
    *,
    known: Mapping[int, float],
    scale: Scale | None,
    pool: DocumentKeys = (),
    leave_out_unjudged: bool = False,
) -> Bounds:
    """Return the interval of value(first) − value(second) over all gradings, and as it stands.

    Args:
        measure: any of the table.
        first: document keys of one ranking, best rank first, each once.
        second: likewise of the other ranking of the same query.
        known: grade of every judged document of the query, retrieved or not.
        scale: whose levels may be given; ``None`` for TREC 0-4.
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
    return compute_pair_bounds(measure, pair, scale, leave_out_unjudged=leave_out_unjudged)


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
    now = _value_now(measure, pair, scale, leave_out_unjudged=leave_out_unjudged)
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
    ends = _find_ends(measure, pair, scale, budget)
    if ends is None:
        return _wide(measure, pair, scale)
    return Bounds(min(ends) + 0.0, max(ends) + 0.0, is_exact=True)


def _find_ends(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Return the exact ends, ``None`` where only a wide range can be given."""
    if measure.rule not in _DIFFERENCES and measure.rule != "wide":
        raise LookupError(f"{measure.name}: metrics/bounds.py does not say how it is bounded.")
    if measure.spec.uses == "clicks":
        return None
    if not pair.is_open.any():
        return _certain(measure, pair, scale)
    find = _DIFFERENCES.get(measure.rule)
    return None if find is None else find(measure, pair, scale, budget)


def tops_agree(measure: Measure, pair: RankingPair) -> bool:
    """Return whether nothing differs of what a measure looks at: only places below its cutoff."""
    if measure.cutoff is None or not np.array_equal(*pair.cut(measure.cutoff)):
        return False
    return len(pair.first) == len(pair.second) and _hold_the_same(pair.first, pair.second)


def _certain(
    measure: Measure, pair: RankingPair, scale: Scale | None, _budget: Budget = PANEL_BUDGET
) -> Ends:
    now = _value_now(measure, pair, scale)
    return now, now


def _value_now(
    measure: Measure, pair: RankingPair, scale: Scale | None, *, leave_out_unjudged: bool = False
) -> float:
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


def _linear(measure: Measure, pair: RankingPair, scale: Scale | None, _budget: Budget) -> Ends:
    """Each document adds what it is worth where it stands: at its least, and at its most."""
    worth = worth_of(measure, scale)
    adds = linear_parts(measure, pair, scale, (worth.low, worth.high))
    return float(adds.min(axis=0).sum()), float(adds.max(axis=0).sum())


def linear_parts(
    measure: Measure, pair: RankingPair, scale: Scale | None, worths: Ends
) -> FloatArray:
    """Return what each document adds to the difference where the unjudged have either worth, shape (2, D).

    Args:
        measure: a linear one.
        pair: the rankings.
        scale: of the grades.
        worths: of the unjudged documents.
    """
    known = worth_of(measure, scale).of(pair.grades)
    rows = np.where(pair.is_open, np.array(worths)[:, None], known)
    adds = np.zeros(rows.shape)
    for ranking, sign in ((pair.first, 1.0), (pair.second, -1.0)):
        each = contributions(Tops(measure, rows[:, ranking], np.array([float(len(ranking))])))
        adds[:, ranking[: each.shape[1]]] += sign * each
    return adds


def _shared(
    measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget
) -> Ends | None:
    """Found by one only, over a divisor that both share.

    As what is found never exceeds R, one more relevant document in the first top alone
    always raises the difference, and one in the second alone always lowers it; all
    others only change R, one way or the other.
    """
    if measure.cutoff is None and len(pair.first) != len(pair.second):
        return enumerate_difference(measure, pair, scale, budget)
    side = np.zeros(len(pair.grades))
    for top, sign in zip(pair.cut(measure.cutoff), (1.0, -1.0), strict=True):
        side[top] += sign
    is_open = pair.is_open
    relevant = worth_of(measure, scale).of(pair.grades)
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


def _first_relevant(
    measure: Measure, pair: RankingPair, scale: Scale | None, _budget: Budget
) -> Ends:
    """At most one unjudged document need be relevant.

    With several, take away all but the one that the first ranking meets first: its
    value stays and the other's can only fall.
    """
    relevant = worth_of(measure, scale).of(pair.grades) > 0
    candidates = np.flatnonzero(pair.is_open)
    values = []
    for top in pair.cut(measure.cutoff):
        # The last place is that of no document: nothing relevant is met.
        place = np.full(len(pair.grades), len(top))
        place[top] = np.arange(len(top))
        known = place[relevant].min(initial=len(top))
        met = np.minimum(np.append(place[candidates], len(top)), known)
        values.append(np.append(weights_by_rank(measure, len(top)), 0.0)[met])
    difference = values[0] - values[1]
    return float(difference.min()), float(difference.max())


def _ndcg(measure: Measure, pair: RankingPair, scale: Scale | None, budget: Budget) -> Ends | None:
    problem = _find_ndcg_problem(measure, pair, scale)
    if problem is None:
        return enumerate_difference(measure, pair, scale, budget)
    opposite = replace(problem, fixed=-problem.fixed, coefficients=-problem.coefficients[:, ::-1])
    return -float(greatest_ratio(opposite)[0]), float(greatest_ratio(problem)[0])


def _find_ndcg_problem(
    measure: Measure, pair: RankingPair, scale: Scale | None
) -> RatioProblem | None:
    """Return the ratio of a difference of DCGs to the ideal, ``None`` if they have two ideals."""
    ideal = find_ideal(measure, pair)
    if ideal is None:
        return None
    in_ideal, depth = ideal
    worth = worth_of(measure, scale)
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
        if not _hold_the_same(pair.first, pair.second):
            return None
        in_ideal = np.isin(np.arange(len(pair.grades)), pair.first)
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


def _hold_the_same(first: PlaceArray, second: PlaceArray) -> bool:
    return np.array_equal(np.sort(first), np.sort(second))


def _nothing(_measure: Measure, _pair: RankingPair, _scale: Scale | None, _budget: Budget) -> Ends:
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
    "present": _certain,
}
