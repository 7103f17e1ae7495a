"""Intervals: what the unjudged documents could still change of a value.

The interval of a value reaches from the least to the greatest value over every way
to grade the unjudged documents of the ranking, and of the pool, with levels of the
scale, and over the value as it stands: to Bpref and infAP, and in a list without its
unjudged documents, being unjudged is another thing than any grade. An undefined value
(no relevant document) counts as the conventions say: as 0, or not at all. No grading is
sampled: the two ends are exact and attained, but for measures whose rule is ``wide``. Those nobody has
worked out (the correlations with the ideal order, most readers who go on or stop, subtopics, samples,
clicks, and some experiments of trec_eval): their interval is the whole range, and is called so.

* P, RR, CG, DCG, ERR, pFound, RBP and others rise with each grade: all lowest, all highest.
* R, F and others divide by R: what stands in the top, against what is hidden below.
* AP, Rprec, Bpref, infAP, IPrec: for a given number of relevant documents among the
  unjudged such a value is greatest when they are the highest placed ones and least when
  they are the lowest placed ones, those that the ranking lacks or the cutoff hides
  first: moving a relevant document up past one that is not raises it, and R stays. So
  only the numbers have to be tried, not the gradings.
* nDCG, as follows.

nDCG, and a difference of two nDCGs, are bounded exactly by fractional programming. Both
are a ratio N / D. N, a DCG or a difference of two, is linear in each document's gain: every
unjudged document has a coefficient. D, the ideal DCG, looks only at how many documents have
at least each gain. So for given numbers of each grade the best assignment hands them out in
falling order of the coefficients, and an assignment is a chain m ≥ t_1 ≥ t_2 ≥ …, where the
t_l documents with the highest coefficients get at least level l. N and D are then sums over the levels:

    N = N_0 + Σ_l δ_l A(t_l)        A(t) = sum of the t highest coefficients
    D = Σ_v δ_v C(c_v + t_l(v))     C(c) = sum of the first c discounts

with v the distinct gains, c_v the judged documents that have at least v, and l(v)
the lowest level that does. For a given λ the maximum of N − λ D over all chains is
found level by level in O(levels × documents), and Dinkelbach's iteration (λ := N / D
at the maximum) ends at the greatest ratio after a few rounds. No grading is
enumerated and none is left out.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Worth, level_grades, meant_scale, worth_of
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.grades import (
    GradesBlock,
    PlaceArray,
    QueryGrades,
    present_values,
    values_now,
)
from judgetool.metrics.measure import Measure, parse_measure
from judgetool.metrics.terms import (
    BoolArray,
    FloatArray,
    Rule,
    Tops,
    choose_divisor,
    discounts,
    ratio,
)
from judgetool.metrics.values import FLOOR, StatusArray, row_values

NEVER, PERHAPS, ALWAYS = range(3)
"""Whether there is a value: whatever the grades, with some of them, with none."""
_PLAIN = Conventions()
_ROUNDING = 1e-12


class Bounds(NamedTuple):
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

        The ends are sums in another order, which can part from the value's by rounding alone. By
        what is only assumed, a value that sees what nobody judged can lie farther off.
        """
        if value is None:
            return self
        near = _ROUNDING * max(1.0, abs(value))
        low = value if value < self.low + near else self.low
        return self._replace(low=low, high=value if value > self.high - near else self.high)

    @property
    def width(self) -> float:
        """How much is still open; 0 when the value is certain."""
        return self.high - self.low


_NONE = Bounds(0.0, 0.0, is_exact=False, defined=NEVER)


class BoundsBlock(NamedTuple):
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
    defined: StatusArray

    def bounds_of(self, query: int) -> Bounds:
        """Return the interval of one query."""
        return Bounds(*(column[query].item() for column in self))

    def holding(self, values: "np.ma.MaskedArray[Any, np.dtype[np.float64]]") -> "BoundsBlock":
        """Return them with the values as they stand in them, none where masked; as :meth:`Bounds.holding`."""
        now = values.filled(np.nan)
        near = _ROUNDING * np.maximum(1.0, np.abs(now))
        return self._replace(
            low=np.where(now < self.low + near, now, self.low),
            high=np.where(now > self.high - near, now, self.high),
        )

    def of(self, queries: BoolArray | PlaceArray) -> "BoundsBlock":
        """Return the intervals of some queries."""
        return BoundsBlock._make(column[queries] for column in self)

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
    values: FloatArray, defined: StatusArray, weights: FloatArray, sign: float
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
    measure: Measure | str,
    grades: QueryGrades,
    scale: Scale | str | None,
    *,
    conventions: Conventions | None = None,
) -> Bounds:
    """Return the interval of one query's value.

    Args:
        measure: any of the table, or its name; what no judgment changes is a point, and so are the
            counts of judgments (Judged, Unjudged, RBPres), which state the present.
        grades: of the ranking and of the pool.
        scale: whose levels may be given, or its name; ``None`` for TREC 0-4.
        conventions: how unjudged documents and undefined values count; ``None`` for the
            default ones: as not relevant, and as 0.

    Returns:
        Where the measure’s rule is ``wide`` the whole range with ``is_exact`` false while anything
        is unjudged; likewise where a grade is above what the measure can read, and always for CTR,
        as grades do not hold clicks: who knows its value takes :meth:`BoundsBlock.certain`.

    Raises:
        LookupError: nobody has written down how the measure is bounded.

    Examples:
        Grades 3, 1, ?: nDCG is 1 if the last is not relevant, less if it is.

        >>> import numpy as np
        >>> from judgetool.metrics.measure import parse_measure
        >>> grades = QueryGrades(np.array([3.0, 1.0, np.nan]))
        >>> bounds = compute_bounds(parse_measure("nDCG@3"), grades, "0-3")
        >>> round(bounds.low, 3), bounds.high, bounds.is_exact
        (0.951, 1.0, True)
    """
    return compute_all_bounds([parse_measure(measure)], grades, meant_scale(scale), conventions)[0]


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
        grades: as for :func:`compute_bounds`, like the next two; without what is only assumed.
        scale: of the grades.
        conventions: how unjudged documents and undefined values count.
        values: as the engine has them; empty where they are not known. Where they are, what counts
            the judged has no interval.
    """
    block = GradesBlock.from_queries([grades])
    found = []
    for at, measure in enumerate(measures):
        if values and not measure.has_bounds:
            found.append(_NONE)
        elif values and measure.spec.uses == "clicks":
            found.append(Bounds.certain(values[at]))
        elif measure.spec.facts in grades.facts:
            ends = measure.spec.lowest, measure.spec.highest or np.inf
            found.append(Bounds(*ends, is_exact=False))
        else:
            bounds = compute_bounds_block(measure, block, scale, conventions).bounds_of(0)
            found.append(bounds.holding(values[at]) if values else bounds)
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
        block: the grades of their queries, without what is only assumed.
        scale: of the grades.
        conventions: how unjudged documents and undefined values count.
        known: the kinds of facts that the engine knows beside grades.
    """
    if measure.spec.uses == "clicks":
        # No judgment changes them.
        return BoundsBlock.certain(values)
    if not measure.has_bounds or measure.spec.facts in known:
        return BoundsBlock.none(len(block))
    return compute_bounds_block(measure, block, scale, conventions).holding(values)


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
    return BoundsBlock(*map(np.concatenate, zip(*chunks, strict=True)))


def _bound_chunk(
    measure: Measure, block: GradesBlock, scale: Scale | None, conventions: Conventions
) -> BoundsBlock:
    low, high = bound_gradings(measure, block, scale)
    is_exact = _is_attained(measure, block)
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
) -> StatusArray:
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
    measure: Measure, block: GradesBlock, scale: Scale | None, found: tuple[FloatArray, StatusArray]
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


# Least and greatest value of many queries by each rule, and the ratios of nDCG’s

# Dinkelbach's method at least doubles the correct digits each round.
MAX_ROUNDS = 60

Pair = tuple[FloatArray, FloatArray]


class RatioProblem(NamedTuple):
    """Ratios N / D of B queries over all gradings of their open documents.

    Attributes:
        fixed: N without the open documents, shape (B,).
        coefficients: of the open documents in N, each row falling, then padding,
            shape (B, M).
        n_open: open documents of each row, shape (B,), at most M.
        levels: gains that a level can have, rising, shape (L,).
        gains: distinct positive gains among levels and judged documents, rising, shape (V,).
        counts: documents with at least each gain that are not open, shape (B, V).
        depth: ranks of the ideal, shape (B,); infinity for all.
    """

    fixed: FloatArray
    coefficients: FloatArray
    n_open: FloatArray
    levels: FloatArray
    gains: FloatArray
    counts: FloatArray
    depth: FloatArray


class _Parts(NamedTuple):
    """N and D split over the levels above the lowest, each by number of documents t."""

    above: FloatArray  # δ_l A(t), shape (levels above the lowest, B, M + 1)
    below: FloatArray  # likewise for D
    above_fixed: FloatArray  # N when all open documents get the lowest level, shape (B,)
    below_fixed: FloatArray  # what D has whatever the grading, shape (B,)
    n_open: FloatArray


def greatest_ratio(problem: RatioProblem) -> FloatArray:
    """Return the greatest N / D of each row, counting an undefined one (D = 0) as 0."""
    parts = _split(problem)
    least_below = parts.below_fixed + parts.below[:, :, 0].sum(axis=0)
    best = ratio(parts.above_fixed, least_below)
    for _ in range(MAX_ROUNDS):
        above, below = _best_chain(parts, best)
        value = ratio(above, below)
        rises = (below > 0) & (value > best + 1e-15 * np.maximum(1.0, np.abs(best)))
        if not rises.any():
            break
        best = np.where(rises, value, best)
    return best


def greatest_two_level_ratio(problem: RatioProblem) -> FloatArray:
    """Return the greatest N / D when only the lowest and the highest level are given.

    With −N for N it is the least nDCG: N / D is quasi-concave in each gain where N
    is not negative, so that its least value has every gain at an end of the scale.
    """
    parts = _split(problem)
    above = parts.above_fixed[:, None] + parts.above.sum(axis=0)
    below = parts.below_fixed[:, None] + parts.below.sum(axis=0)
    values = ratio(above, below)
    is_real = np.arange(values.shape[1]) <= problem.n_open[:, None]
    best: FloatArray = np.where(is_real, values, -np.inf).max(axis=1)
    return best


def _split(problem: RatioProblem) -> _Parts:
    sums = np.zeros((len(problem.fixed), problem.coefficients.shape[1] + 1))
    np.cumsum(problem.coefficients, axis=1, out=sums[:, 1:])
    all_open = problem.n_open.astype(np.intp)
    total = np.take_along_axis(sums, all_open[:, None], axis=1)[:, 0]
    steps = np.diff(problem.levels)
    below_fixed, below = _split_ideal(problem)
    return _Parts(
        above=steps[:, None, None] * sums,
        below=below,
        above_fixed=problem.fixed + problem.levels[0] * total,
        below_fixed=below_fixed,
        n_open=problem.n_open,
    )


def _split_ideal(problem: RatioProblem) -> tuple[FloatArray, FloatArray]:
    n_rows, width = len(problem.fixed), problem.coefficients.shape[1] + 1
    most = int(problem.counts.max(initial=0)) + width
    deepest = np.concatenate(([0.0], np.cumsum(discounts(most))))
    below = np.zeros((len(problem.levels) - 1, n_rows, width))
    fixed = np.zeros(n_rows)
    chosen = np.arange(float(width))
    steps = np.diff(problem.gains, prepend=0.0)
    for place, (gain, step) in enumerate(zip(problem.gains, steps, strict=True)):
        level = int(np.searchsorted(problem.levels, gain))
        count = problem.counts[:, place]
        if 0 < level < len(problem.levels):
            reached = np.minimum(count[:, None] + chosen, problem.depth[:, None])
            below[level - 1] += step * deepest[reached.astype(np.intp)]
            continue
        # Every level has this gain, or none: no choice changes how many documents do.
        given = count + problem.n_open if level == 0 else count
        fixed += step * deepest[np.minimum(given, problem.depth).astype(np.intp)]
    return fixed, below


def _best_chain(parts: _Parts, factor: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return N and D of the chain that maximises N − factor · D."""
    worth = parts.above - factor[None, :, None] * parts.below
    place = np.arange(worth.shape[2])
    picks = []
    best = np.zeros(worth.shape[1:])
    for level in range(len(worth) - 1, -1, -1):
        here = worth[level] + best
        best = np.maximum.accumulate(here, axis=1)
        picks.append(np.maximum.accumulate(np.where(here == best, place, 0), axis=1))
    above, below = parts.above_fixed.copy(), parts.below_fixed.copy()
    at = parts.n_open.astype(np.intp)[:, None]
    for level, pick in enumerate(reversed(picks)):
        at = np.take_along_axis(pick, at, axis=1)
        above += np.take_along_axis(parts.above[level], at, axis=1)[:, 0]
        below += np.take_along_axis(parts.below[level], at, axis=1)[:, 0]
    return above, below


def _top(measure: Measure, block: GradesBlock) -> tuple[FloatArray, BoolArray]:
    """Return the grades of the ranks that a measure looks at, and where unjudged documents stand there."""
    return block.ranked[:, : measure.cutoff], block.is_open[:, : measure.cutoff]


def _bound_ndcg(measure: Measure, block: GradesBlock, worth: Worth) -> Pair:
    """Return least and greatest nDCG of each query, exact, shape (B,) each.

    An unjudged document below the cutoff, or not retrieved, can only raise the
    ideal: it has the lowest level at the maximum and the highest at the minimum.
    """
    problem = _open_problem(measure, block, worth)
    outside = _n_outside(measure, block)
    most = _with_outside(problem, outside, worth.low)
    ends = problem.levels[[0, -1]] if len(worth.levels) > 1 else problem.levels
    least = _with_outside(problem, outside, worth.high)._replace(
        fixed=-problem.fixed,
        # Rows of discounts fall already; the least N prefers the last.
        coefficients=-_reversed(problem.coefficients, problem.n_open),
        levels=ends,
    )
    return -greatest_two_level_ratio(least), greatest_ratio(most)


def ideal_depth(measure: Measure, block: GradesBlock) -> FloatArray:
    """Return the ranks of the ideal that count, shape (B,); infinity for all."""
    depth = np.full(len(block), np.inf)
    if measure.param("ideal") == "length":
        depth = block.lengths.copy()
    if measure.cutoff is not None and measure.param("ideal") != "uncut":
        depth = np.minimum(depth, measure.cutoff)
    return depth


def count_gains(judged: FloatArray, gains: FloatArray) -> FloatArray:
    """Return how many entries of each row have at least each gain, shape (B, V)."""
    counts = np.empty((len(judged), len(gains)))
    for place, gain in enumerate(gains):
        counts[:, place] = (judged >= gain).sum(axis=1)
    return counts


def distinct_gains(judged: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the positive gains of judged documents and levels, each once, rising."""
    every = np.concatenate((judged[judged > 0], levels[levels > 0]))
    return np.array(sorted(set(every.tolist())))


def _open_problem(measure: Measure, block: GradesBlock, worth: Worth) -> RatioProblem:
    top, is_open = _top(measure, block)
    discount = discounts(top.shape[1])
    pool = block.ranked if measure.param("ideal") == "retrieved" else block.judged
    judged = worth.of(pool)
    gains = distinct_gains(judged, worth.levels)
    return RatioProblem(
        fixed=worth.of(top) @ discount,
        coefficients=_open_discounts(is_open, discount),
        n_open=is_open.sum(axis=1).astype(np.float64),
        levels=worth.levels,
        gains=gains,
        counts=count_gains(judged, gains),
        depth=ideal_depth(measure, block),
    )


def _open_discounts(is_open: np.ndarray, discount: FloatArray) -> FloatArray:
    """Return the discounts of the open ranks of each row, first ranks first, then zeros."""
    width = int(is_open.sum(axis=1).max(initial=0))
    rows, columns = np.nonzero(is_open)
    packed = np.zeros((len(is_open), width))
    place = np.cumsum(is_open, axis=1)[rows, columns] - 1
    packed[rows, place] = discount[columns]
    return packed


def _reversed(packed: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return each row's first ``lengths`` entries in reverse, padding left behind them."""
    if not packed.shape[1]:
        return packed
    place = lengths[:, None] - 1 - np.arange(packed.shape[1])
    turned = np.take_along_axis(packed, np.maximum(place, 0).astype(np.intp), axis=1)
    return np.where(place >= 0, turned, 0.0)


def _n_outside(measure: Measure, block: GradesBlock) -> FloatArray:
    """Return the open documents that count in the ideal only, shape (B,)."""
    below = np.zeros(len(block))
    if measure.cutoff is not None:
        below = block.is_open[:, measure.cutoff :].sum(axis=1).astype(np.float64)
    if measure.param("ideal") != "retrieved":
        below = below + block.n_missing_open
    return below


def _with_outside(problem: RatioProblem, n_outside: FloatArray, gain: float) -> RatioProblem:
    added = n_outside[:, None] * (problem.gains <= gain)
    return problem._replace(counts=problem.counts + added)


def _bound_monotone(measure: Measure, block: GradesBlock, worth: Worth) -> Pair:
    """All unjudged documents at the lowest level, and all at the highest."""
    ranked, is_open = _top(measure, block)
    known = worth.of(ranked)
    ends = [
        row_values(
            Tops(measure, known + is_open * end, block.lengths, judged=is_open | ~np.isnan(ranked))
        )
        for end in (worth.low, worth.high)
    ]
    return np.minimum(*ends), np.maximum(*ends)


def _bound_shared(measure: Measure, block: GradesBlock, worth: Worth) -> Pair:
    """Relevant where it is found, against relevant only where it is not.

    More relevant documents in the top raise these values although R rises as well,
    as what is found never exceeds R; others only raise R.
    """
    ranked, is_open = _top(measure, block)
    known, n_relevant = worth.of(ranked), _known_relevant(block, worth)
    n_inside = is_open.sum(axis=1)
    low = Tops(measure, known, block.lengths, n_relevant + block.n_open - n_inside)
    high = Tops(measure, known + is_open, block.lengths, n_relevant + n_inside)
    return row_values(low), row_values(high)


def _bound_number(_measure: Measure, block: GradesBlock, worth: Worth) -> Pair:
    low = _known_relevant(block, worth)
    return low, low + block.n_open


def _known_relevant(block: GradesBlock, worth: Worth) -> FloatArray:
    """Return R of each query as judged so far, shape (B,)."""
    total: FloatArray = worth.of(block.judged).sum(axis=1)
    return total


def _is_attained(measure: Measure, block: GradesBlock) -> BoolArray:
    """Return whether both ends are values: of what nobody has worked out only where all is judged."""
    # Clicks are no grades: what a CTR is cannot be seen from here.
    is_known = (block.n_open == 0) & (measure.spec.uses != "clicks")
    return is_known if measure.rule == "wide" else np.ones(len(block), dtype=np.bool_)


def _bound_widely(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return the whole range, and the value alone where all is judged."""
    ends = measure.spec.lowest, measure.spec.highest or 1.0
    values, is_known = present_values(measure, block, scale), _is_attained(measure, block)
    low, high = (np.where(is_known, values, end) for end in ends)
    return low, high


def _bound_precision(measure: Measure, block: GradesBlock, worth: Worth) -> Pair:
    """AP with any norm, all queries at once."""
    ranked, at_ranks = _top(measure, block)
    known, is_open = worth.of(ranked), at_ranks.astype(np.float64)
    rank = np.arange(1.0, known.shape[1] + 1)
    n_relevant = _known_relevant(block, worth)
    outside = block.n_open - is_open.sum(axis=1)
    hits, share = np.cumsum(known, axis=1), np.cumsum(known / rank, axis=1)
    total = (known * hits / rank).sum(axis=1)
    # What one more relevant document adds: its own precision, and 1/j at each relevant j below.
    alone = (hits - known) / rank + (share[:, -1:] - share)
    norm = str(measure.values.get("norm"))
    depth = block.lengths if measure.cutoff is None else np.array([float(measure.cutoff)])

    def extreme(
        sums: FloatArray, added: FloatArray, more: FloatArray, choose: np.ufunc
    ) -> FloatArray:
        # None of them relevant comes first.
        added = np.pad(added, ((0, 0), (1, 0)))
        above = np.pad(sums, ((0, 0), (1, 0))) + total[:, None]
        found = known.sum(axis=1)[:, None] + added
        divisor = choose_divisor(norm, depth[:, None], found, (n_relevant + more)[:, None] + added)
        is_real = np.pad(is_open > 0, ((0, 0), (1, 0)), constant_values=True)
        values = ratio(above, divisor)
        best: FloatArray = choose.reduce(np.where(is_real, values, values[:, :1]), axis=1)
        return best

    added = np.cumsum(is_open, axis=1)
    sums = np.cumsum(is_open * (alone + added / rank), axis=1)
    greatest = extreme(sums, added, np.zeros(1), np.maximum)
    # From the bottom up: those below it are relevant already.
    below = _cumsum_up(is_open / rank) - is_open / rank
    sums = _cumsum_up(is_open * (alone + 1.0 / rank + below))
    return extreme(sums, _cumsum_up(is_open), outside, np.minimum), greatest


def _cumsum_up(values: FloatArray) -> FloatArray:
    return np.cumsum(values[:, ::-1], axis=1)[:, ::-1]


def _bound_r_precision(measure: Measure, block: GradesBlock, worth: Worth) -> Pair:
    """Return least and greatest R-precision of each query, exact, shape (B,) each."""
    known = worth.of(block.ranked)
    n = known.shape[1]
    hits = np.cumsum(np.pad(known, ((0, 0), (1, 0))), axis=1)
    open_above = np.cumsum(np.pad(block.is_open, ((0, 0), (1, 0))), axis=1, dtype=np.float64)
    chosen = np.arange(block.n_open.max(initial=0) + 1)[None, :]
    n_relevant = _known_relevant(block, worth)[:, None] + chosen
    depth = np.floor(measure.number("mult") * n_relevant + 0.9)
    at = np.minimum(depth, n).astype(np.intp)
    found = np.take_along_axis(hits, at, axis=1)
    room = np.take_along_axis(open_above, at, axis=1)
    hidden = block.n_open[:, None] - room
    most = ratio(found + np.minimum(chosen, room), depth)
    least = ratio(found + np.maximum(0.0, chosen - hidden), depth)
    is_real = chosen <= block.n_open[:, None]
    return (
        np.where(is_real, least, np.inf).min(axis=1),
        np.where(is_real, most, -np.inf).max(axis=1),
    )


def _bound_placed(measure: Measure, block: GradesBlock, worth: Worth) -> Pair:
    """Return exact bounds of Bpref, infAP and interpolated precision, shape (B,) each.

    One grading for each number of relevant documents and end of the list.
    """
    pairs = [_bound_row(measure, block, row, worth) for row in range(len(block))]
    least, greatest = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(least), np.array(greatest)


def _bound_row(measure: Measure, block: GradesBlock, row: int, worth: Worth) -> tuple[float, float]:
    length = int(block.lengths[row])
    known = worth.of(block.ranked[row, :length])
    is_open = block.is_open[row, :length]
    n_open = int(block.n_open[row])
    judged = block.judged[row]
    n_relevant = float(worth.of(judged).sum())
    n_nonrelevant = float((~np.isnan(judged)).sum()) - n_relevant
    chosen = np.arange(n_open + 1.0)[:, None]
    place = np.where(is_open, np.cumsum(is_open), np.inf)
    from_bottom = np.where(is_open, np.cumsum(is_open[::-1])[::-1], np.inf)
    values = [
        row_values(
            Tops(
                measure,
                known + (where <= limit),
                np.array([float(length)]),
                n_relevant + chosen[:, 0],
                n_nonrelevant + n_open - chosen[:, 0],
            )
        )
        for where, limit in ((from_bottom, chosen - block.n_missing_open[row]), (place, chosen))
    ]
    return float(values[0].min()), float(values[1].max())


_INTERVALS: dict[Rule, Callable[[Measure, GradesBlock, Worth], Pair]] = {
    "linear": _bound_monotone,
    "first": _bound_monotone,
    "reader": _bound_monotone,
    "shared": _bound_shared,
    "squared": _bound_shared,
    "precision": _bound_precision,
    "r_precision": _bound_r_precision,
    "placed": _bound_placed,
    "ratio": _bound_ndcg,
    "number": _bound_number,
}


def bound_gradings(measure: Measure, block: GradesBlock, scale: Scale | None) -> Pair:
    """Return least and greatest value over all gradings, undefined ones as 0, shape (B,) each.

    Raises:
        LookupError: nobody has written down how the measure is bounded.
    """
    if measure.rule == "wide":
        return _bound_widely(measure, block, scale)
    if measure.rule == "present":
        values = present_values(measure, block, scale)
        return values, values
    if measure.rule not in _INTERVALS:
        raise LookupError(f"{measure.name}: metrics/bounds.py does not say how it is bounded.")
    worth = worth_of(measure, scale)
    return _INTERVALS[measure.rule](measure, block.decided(worth), worth)
