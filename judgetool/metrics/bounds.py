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
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.block import Worth, level_grades, worth_of
from judgetool.metrics.bounds_rules import bound_gradings, is_attained
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.grades import GradesBlock, QueryGrades, values_now
from judgetool.metrics.measure import Measure
from judgetool.metrics.run_table import FLOOR
from judgetool.metrics.terms import BoolArray, FloatArray

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
        >>> from judgetool.metrics.names import parse_measure
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
