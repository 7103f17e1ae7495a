"""What is drawn by lot: units that add up to a mean difference, and means estimated from a sample.

The units are those of :mod:`judgetool.metrics.decide`. Estimated are means over all queries or
places where a model graded all and people a random sample of them.

The difference estimator of sampling theory, which machine learning knows as prediction-powered
inference. With F what the model's grades give and Y what people's give, over N units of which
people judged n, drawn at random without replacement:

    v̂ = mean_N(F) + mean_n(Y − F),   v̂ ∓ t_d √((1 − n/N) (s²(Y − F) + s²(Y)/n) / n)
    d = 2 / (2/(n − 1) + max(k, 0)/n),   k: excess kurtosis of the sample's Y − F

It estimates the mean as if people had judged all N. Its expectation is right however wrong the
model is, which moves the width alone: a model that grades as people do makes Y − F small.

The plain interval, t with n − 1 and s²(Y − F) alone, holds the mean too rarely where a good model
is rarely, but then far, off: samples without such a unit know nothing of it. Two things mend that.
The degrees of freedom are those that the variance of s² leaves when tails are heavy
(Satterthwaite's match, with the sample's own kurtosis). And the model is taken to be worth nothing
on one more unit than was seen, so that its Y − F would vary as Y does: hence s²(Y)/n, which no
agreement with the sample can take away. Of people's sample alone there is no model to fail, and F
= 0.

References: Cochran 1977, Sampling Techniques, chapters 2 and 7; Särndal, Swensson and Wretman
1992, Model Assisted Survey Sampling, section 6.3; Angelopoulos and others 2023, Prediction-powered
inference; Satterthwaite 1946, An approximate distribution of estimates of variance components.
What the intervals hold is measured by ``python -m tests.benchmarks estimates``.

    >>> found = estimate_mean(np.array([0.5, np.nan, 0.75, np.nan]), np.array([0.5, 0.25, 0.5, 0.75]))
    >>> found.value, found.n, found.n_all
    (0.625, 2, 4)
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.errors import UsageError
from judgetool.metrics.block import level_grades, meant_scale, worth_of
from judgetool.metrics.bounds_difference import added_apart, compute_pair_bounds, difference_now
from judgetool.metrics.comparison import check_measures
from judgetool.metrics.grades import PlaceArray, RankingPair
from judgetool.metrics.measure import Measure, parse_measure
from judgetool.metrics.significance import DEFAULT_CONFIDENCE
from judgetool.metrics.stakes import compute_difference_table
from judgetool.metrics.terms import BoolArray, FloatArray, IntArray, Tops
from judgetool.metrics.values import contributions

WIDTH = 0.02
"""A whole query is judged until its difference is known to this, in units of the measure."""
DEPTH = 100
"""Ranks that count of measures without a cutoff."""
SAME = 1e-12
"""Differences below this are rounding."""


class Moves(NamedTuple):
    """How far the mean difference goes if one document of a unit is judged, and no other.

    Attributes:
        documents: those that may be asked for, shape (m,).
        down: how far it can fall, 0 or more, shape (m,).
        up: how far it can rise, likewise.
    """

    documents: IntArray
    down: FloatArray
    up: FloatArray


class PairQuery(NamedTuple):
    """One query of two runs.

    Attributes:
        pair: the rankings over the query's documents. What nobody judged and is no one's to
            judge has been given a grade: see :func:`pool_pair`.
        counts: documents of the pool of both down to the cutoff, shape (D,).
        share: of the query in the mean, 0 to 1.
    """

    pair: RankingPair
    counts: BoolArray
    share: float


class PoolPair(NamedTuple):
    """A query whose pool down to the cutoff alone may be judged.

    Attributes:
        pair: over the documents that are left.
        counts: which of them are of the pool of both, shape (d,).
        kept: their places among the documents of the pair that was given, rising, shape (d,).
    """

    pair: RankingPair
    counts: BoolArray
    kept: PlaceArray


def pool_pair(
    pair: RankingPair, measure: Measure, scale: Scale | None, *, leave_out_unjudged: bool = False
) -> PoolPair:
    """Return a query with no more open documents than those that both rankings have in their tops.

    What else nobody judged stays unjudged for good: it is left away below the cutoff; of a
    measure without one it keeps its rank and counts as not relevant.
    """
    counts = pair.holding(*pair.cut(measure.cutoff or DEPTH))
    keeps = counts | ~pair.is_open
    cutoff = None if leave_out_unjudged else measure.cutoff
    grades = pair.grades
    if measure.cutoff is None and not leave_out_unjudged:
        grades = np.where(keeps, grades, level_grades(scale)[0])
        keeps = np.ones(len(keeps), dtype=np.bool_)
    new_places = np.cumsum(keeps) - 1
    first, second = (
        new_places[ranking[keeps[ranking]]][:cutoff] for ranking in (pair.first, pair.second)
    )
    pooled = None if pair.pooled is None else pair.pooled[keeps]
    left = RankingPair(first, second, grades[keeps], pooled)
    return PoolPair(left, counts[keeps], np.flatnonzero(keeps))


class _Ends(NamedTuple):
    low: float
    high: float
    now: float


class Units:
    """What can be drawn: each with its documents, and the least and greatest that it can add.

    Documents are numbered through: those that can move the difference, query by query.

    Args:
        measure: any with values by query that looks at grades alone.
        scale: whose levels may be given; ``None`` for TREC 0-4.
        queries: the pairs, shares adding up to 1.
        leave_out_unjudged: the convention.
        by_query: whether a unit is a whole query although the measure is a sum.

    Attributes:
        queries: of each document, its place among the queries, shape (n,).
        places: of each document, its place among those of its query, shape (n,).
        of: of each document, its unit, shape (n,).
        grades: of each document, NaN where it is open, shape (n,).
        low: the least that each unit can add to the mean difference, shape (m,).
        high: the greatest, likewise.
        now: what it adds as judged so far.
        are_queries: whether a unit is a whole query.
        version: another one after each change.

    Raises:
        UsageError: no judgment moves the measure, or not by query.
    """

    def __init__(
        self,
        measure: Measure,
        scale: Scale | None,
        queries: Sequence[PairQuery],
        *,
        leave_out_unjudged: bool = False,
        by_query: bool = False,
    ) -> None:
        check_decidable(measure)
        self.are_queries = by_query or not is_sum(measure, leave_out_unjudged=leave_out_unjudged)
        kind: _Sums | _Queries = (
            _Queries(measure, scale, queries, leave_out_unjudged=leave_out_unjudged)
            if self.are_queries
            else _Sums(measure, scale, queries)
        )
        self._kind = kind
        self.queries, self.places, self.of = kind.columns
        self._offsets = np.searchsorted(self.of, np.arange(kind.n_units + 1))
        self.grades = np.array(
            [
                queries[query].pair.grades[place]
                for query, place in zip(self.queries.tolist(), self.places.tolist(), strict=True)
            ],
            dtype=np.float64,
        )
        self.version = 0
        self.is_shut = np.zeros(len(self.grades), dtype=np.bool_)
        ends = [kind.ends(unit, self.grades[self._part(unit)]) for unit in range(kind.n_units)]
        self.low, self.high, self.now = np.array(ends, dtype=np.float64).reshape(-1, 3).T.copy()
        self.is_spent = np.array([self._has_no_more(unit) for unit in range(kind.n_units)], bool)

    @cached_property
    def sizes(self) -> FloatArray:
        """How far each unit could move the mean difference before anything was judged, shape (m,)."""
        nothing = np.full(len(self.grades), np.nan)
        ends = [self._kind.ends(unit, nothing[self._part(unit)]) for unit in range(len(self))]
        return np.array([max(-end.low, end.high) for end in ends])

    def __len__(self) -> int:
        """Return how many units there are."""
        return len(self.low)

    @property
    def interval(self) -> tuple[float, float]:
        """Least and greatest mean difference over all gradings of what is open."""
        return float(self.low.sum()), float(self.high.sum())

    @property
    def is_open(self) -> BoolArray:
        """Which documents may still be asked for, shape (n,)."""
        return np.isnan(self.grades) & ~self.is_shut

    def open_of(self, unit: int) -> IntArray:
        """Return the documents of a unit that may still be asked for."""
        part = self._part(unit)
        found: IntArray = part.start + np.flatnonzero(self.is_open[part])
        return found

    def moves_of(self, unit: int) -> Moves:
        """Return what one more judgment can do, for each open document of a unit."""
        part = self._part(unit)
        is_open = self.is_open[part]
        if not is_open.any():
            return Moves(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
        down, up = self._kind.moves(unit, self.grades[part])
        return Moves(part.start + np.flatnonzero(is_open), down[is_open], up[is_open])

    def best_of(self, unit: int) -> int | None:
        """Return the open document of a unit with the highest stake, either way; ``None`` without one."""
        documents, down, up = self.moves_of(unit)
        return int(documents[np.maximum(down, up).round(12).argmax()]) if len(documents) else None

    def give(self, document: int, grade: float | None) -> None:
        """Grade a document, or take its grade away."""
        self.grades[document] = np.nan if grade is None else grade
        self._look_again(int(self.of[document]))

    def shut(self, document: int, *, is_shut: bool = True) -> None:
        """Ask no more for a document that was skipped, or ask again."""
        self.version += 1
        self.is_shut[document] = is_shut
        unit = int(self.of[document])
        self.is_spent[unit] = self._has_no_more(unit)

    def clear(self) -> None:
        """Take all grades away, to begin anew."""
        self.grades[:] = np.nan
        self.is_shut[:] = False
        for unit in range(len(self)):
            self._look_again(unit)

    def _part(self, unit: int) -> slice:
        return slice(int(self._offsets[unit]), int(self._offsets[unit + 1]))

    def _look_again(self, unit: int) -> None:
        self.version += 1
        ends = self._kind.ends(unit, self.grades[self._part(unit)])
        self.low[unit], self.high[unit], self.now[unit] = ends
        self.is_spent[unit] = self._has_no_more(unit)

    def _has_no_more(self, unit: int) -> bool:
        if self.high[unit] - self.low[unit] <= self._kind.width(unit):
            return True
        return not self.is_open[self._part(unit)].any()


def check_decidable(measure: Measure) -> None:
    """Refuse measures of which judgments cannot decide which run is better.

    Raises:
        UsageError: the measure has no values by query, or they are not by grades.
    """
    check_measures([measure])
    is_fixed = measure.rule in ("present", "number") or measure.spec.uses == "clicks"
    if is_fixed or not measure.is_quality:
        raise UsageError(
            f"{measure} is not a quality of a ranking that judgments would settle. Decide by "
            "P@10, nDCG@10 or another measure of grades."
        )


def is_sum(measure: Measure, *, leave_out_unjudged: bool = False) -> bool:
    """Return whether each document adds its own part to a value: units are pairs of documents then."""
    is_condensed = measure.takes_out_unjudged(leave_out_unjudged=leave_out_unjudged)
    return measure.rule == "linear" and measure.spec.sees == "useful" and not is_condensed


class _Sums:
    """Pairs of documents of one query: k-th of those that count for one run, k-th for the other."""

    def __init__(self, measure: Measure, scale: Scale | None, queries: Sequence[PairQuery]) -> None:
        worth = worth_of(measure, scale)
        self._of, self._levels = worth.of, (worth.low, worth.high)
        parts: list[tuple[IntArray, IntArray, IntArray, FloatArray]] = []
        self.n_units = 0
        for number, query in enumerate(queries):
            adds = query.share * _adds_by_place(measure, query.pair)
            for_first, for_second = (
                _falling(adds, query.pair.first),
                _falling(-adds, query.pair.second),
            )
            n_pairs = max(len(for_first), len(for_second))
            places = np.concatenate((for_first, for_second))
            units = np.concatenate((np.arange(len(for_first)), np.arange(len(for_second))))
            order = np.argsort(units, kind="stable")
            places, units = places[order], units[order] + self.n_units
            parts.append((np.full(len(places), number), places, units, adds[places]))
            self.n_units += n_pairs
        empty = np.zeros(0, dtype=np.int64)
        columns = list(zip(*parts, strict=True)) or [()] * 4
        self.columns = tuple(
            np.concatenate((empty, *each)).astype(np.int64) for each in columns[:3]
        )
        self._adds = np.concatenate((np.zeros(0), *columns[3]))
        offsets = np.searchsorted(self.columns[2], np.arange(self.n_units + 1)).tolist()
        self._parts = [slice(*ends) for ends in pairwise(offsets)]
        # By document: the least and the greatest that it can add.
        ends = np.sort(np.outer(self._adds, self._levels), axis=1)
        self._least, self._most = ends[:, 0], ends[:, 1]

    def width(self, _unit: int) -> float:
        return SAME

    def ends(self, unit: int, grades: FloatArray) -> _Ends:
        part = self._parts[unit]
        is_open = np.isnan(grades)
        known = self._adds[part] * self._of(grades)
        low = np.where(is_open, self._least[part], known).sum()
        high = np.where(is_open, self._most[part], known).sum()
        return _Ends(float(low), float(high), float(known.sum()))

    def moves(self, unit: int, _grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        part = self._parts[unit]
        return np.maximum(-self._least[part], 0.0), np.maximum(self._most[part], 0.0)


def _adds_by_place(measure: Measure, pair: RankingPair) -> FloatArray:
    """Return what each document adds to first - second for each unit of worth, shape (D,)."""
    (adds,) = added_apart(measure, pair, np.ones((1, len(pair.grades))))
    return np.where(np.abs(adds) > SAME, adds, 0.0)


def _falling(adds: FloatArray, ranking: PlaceArray) -> IntArray:
    """Return a ranking's documents that count for it, those that count most first."""
    mine = ranking[adds[ranking] > 0]
    return mine[np.argsort(-adds[mine].round(12), kind="stable")].astype(np.int64)


class _Queries:
    """Whole queries, whose differences are known between exact bounds; what was found is kept."""

    def __init__(
        self,
        measure: Measure,
        scale: Scale | None,
        queries: Sequence[PairQuery],
        *,
        leave_out_unjudged: bool,
    ) -> None:
        self._measure, self._scale, self._leaves_out = measure, scale, leave_out_unjudged
        self._queries, self.n_units = queries, len(queries)
        self._places = [
            np.flatnonzero(each.counts) if not each.pair.are_equal else np.zeros(0, np.int64)
            for each in queries
        ]
        units = np.repeat(np.arange(len(queries)), [len(places) for places in self._places])
        places = np.concatenate((np.zeros(0, np.int64), *self._places))
        self.columns = units, places, units
        self._ends: dict[tuple[int, bytes], _Ends] = {}
        self._moves: dict[tuple[int, bytes], tuple[FloatArray, FloatArray]] = {}

    def width(self, unit: int) -> float:
        return max(WIDTH * self._queries[unit].share, SAME)

    def ends(self, unit: int, grades: FloatArray) -> _Ends:
        key = (unit, grades.tobytes())
        found = self._ends.get(key)
        if found is None:
            pair, share = self._graded(unit, grades), self._queries[unit].share
            bounds = compute_pair_bounds(
                self._measure, pair, self._scale, leave_out_unjudged=self._leaves_out
            )
            found = _Ends(bounds.low * share, bounds.high * share, self._now(pair) * share)
            self._ends[key] = found
        return found

    def moves(self, unit: int, grades: FloatArray) -> tuple[FloatArray, FloatArray]:
        key = (unit, grades.tobytes())
        found = self._moves.get(key)
        if found is None:
            pair, query = self._graded(unit, grades), self._queries[unit]
            at, values = compute_difference_table(
                self._measure,
                pair,
                self._scale,
                leave_out_unjudged=self._leaves_out,
                wanted=query.counts,
            )
            now = self._now(pair)
            down, up = np.zeros(len(pair.grades)), np.zeros(len(pair.grades))
            down[at] = np.maximum(now - values.min(axis=1), 0.0) * query.share
            up[at] = np.maximum(values.max(axis=1) - now, 0.0) * query.share
            places = self._places[unit]
            found = self._moves[key] = down[places], up[places]
        return found

    def _graded(self, unit: int, grades: FloatArray) -> RankingPair:
        pair = self._queries[unit].pair
        given = pair.grades.copy()
        given[self._places[unit]] = grades
        return RankingPair(pair.first, pair.second, given, pair.pooled)

    def _now(self, pair: RankingPair) -> float:
        return difference_now(self._measure, pair, self._scale, leave_out_unjudged=self._leaves_out)


class Estimate(NamedTuple):
    """An estimated mean and its interval.

    Attributes:
        value: ``None`` where nothing can be said.
        low: lower end of the interval; ``None`` where there is none.
        high: upper end, likewise.
        n: units that people judged.
        n_all: units that there are.
        reason: why value or ends are missing, without a full stop; else ``""``.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    n_all: int = 0
    reason: str = ""


def estimate_mean(
    people: FloatArray, model: FloatArray | None = None, *, confidence: float = DEFAULT_CONFIDENCE
) -> Estimate:
    """Return the mean over all units as if people had judged each of them.

    Args:
        people: Y of each unit, NaN where people did not judge it, shape (N,). Those they judged
            are to be a random sample of all, without replacement.
        model: F of each unit, finite, shape (N,); ``None`` for what people's sample says alone.
        confidence: share of such intervals that hold the mean, between 0 and 1.

    Returns:
        Without a judged unit no value, with one no interval; where people judged all, their
        mean, of which nothing is uncertain, and no interval either; nor where what they said,
        and how far the model is off, is the same of every unit.
    """
    is_judged = ~np.isnan(people)
    n, n_all = int(np.count_nonzero(is_judged)), len(people)
    found = Estimate(None, n=n, n_all=n_all)
    if not n:
        none = f"people judged none of {n_all:,}" if n_all else "there is nothing to judge"
        return found._replace(reason=none)
    if n == n_all:
        reason = f"people judged all {n_all:,}: nothing is estimated"
        return found._replace(value=float(people.mean()), reason=reason)
    believed = np.zeros(n_all) if model is None else model
    apart = (people - believed)[is_judged]
    value = float(believed.mean() + apart.mean())
    found = found._replace(value=value)
    if n < 2:
        return found._replace(reason=f"people judged one of {n_all:,}; an interval needs two")
    # Loaded for intervals alone.
    from scipy.special import stdtrit

    variance = apart.var(ddof=1)
    if model is not None:
        # One unit more on which the model is worth nothing.
        variance += people[is_judged].var(ddof=1) / n
    if variance < _NO_VARIANCE:
        alike = f"the {n:,} that people judged are all alike, which says nothing of others"
        return found._replace(reason=alike)
    error = float(np.sqrt((1.0 - n / n_all) * variance / n))
    reach = float(stdtrit(_freedom(apart), (1.0 + confidence) / 2.0)) * error
    return found._replace(low=value - reach, high=value + reach)


_NO_VARIANCE = 1e-20


def _freedom(values: FloatArray) -> float:
    """Return the degrees of freedom of the variance of a sample; fewer where tails are heavy."""
    n = len(values)
    centred = values - values.mean()
    spread = float((centred**2).mean())
    if n < 4 or spread < _NO_VARIANCE:
        return n - 1
    excess = float((centred**4).mean()) / spread**2 - 3
    kurtosis = ((n + 1) * excess + 6) * (n - 1) / ((n - 2) * (n - 3))
    return 2 / (2 / (n - 1) + max(kurtosis, 0.0) / n)


def adds_by_place(measure: Measure | str) -> bool:
    """Return whether a query's value is a sum of what each ranked document adds by itself.

    So of P@k, CG@k, DCG@k, RBP and a few more: there single documents may be sampled. Others,
    such as nDCG, are divided by what the query's other documents are worth: sample queries.
    """
    measure = parse_measure(measure)
    spec = measure.spec
    is_own = measure.rule == "linear" and not measure.takes_out_unjudged(leave_out_unjudged=False)
    return is_own and spec.pooling == "mean" and spec.sees == "useful" and not spec.facts


def place_values(
    measure: Measure | str, grades: FloatArray, scale: Scale | str | None
) -> FloatArray:
    """Return what each ranked document adds to the query's value, shape (n,).

    Args:
        measure: one that :func:`adds_by_place`.
        grades: by rank of one ranking, NaN where nobody judged, shape (n,).
        scale: how grades are read, or its name; ``None`` for TREC 0-4.

    Returns:
        Coefficient of the rank times the worth of the grade, 0 where nobody judged and after
        the cutoff. Their sum is the value.

    Examples:
        >>> from judgetool.metrics import parse_measure
        >>> place_values(parse_measure("P@2"), np.array([1.0, np.nan, 1.0]), None).tolist()
        [0.5, 0.0, 0.0]
    """
    measure = parse_measure(measure)
    worth = worth_of(measure, meant_scale(scale)).of(grades)
    adds = contributions(Tops(measure, worth[np.newaxis], np.array([len(grades)])))[0]
    found = np.zeros(len(grades))
    found[: len(adds)] = adds
    return found
