"""Whether further judgments can still change which of two systems is better.

Two systems are copied query by query, so that another thread can reason about them.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgetool.core.rankings import IntArray
from judgetool.core.scale import Scale
from judgetool.errors import JudgetoolError
from judgetool.metrics import Bounds, Conventions, Engine, Measure, RunBlock
from judgetool.metrics.bounds import ALWAYS, PERHAPS, BoundsBlock
from judgetool.metrics.bounds_difference import SEARCH_BUDGET, compute_pair_bounds
from judgetool.metrics.comparison import check_measures, counted_values
from judgetool.metrics.grades import RankingPair
from judgetool.metrics.values import GatheredValues
from judgetool.session.comparing.system_values import Place, block_of_system, place_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System

Progress = Callable[[int, int], None]
IsCancelled = Callable[[], bool]
SAME = 1e-12
"""Differences below this are rounding."""


class SearchCancelledError(JudgetoolError):
    """Looking for what to judge next was cancelled."""


@dataclass(frozen=True, slots=True, eq=False)
class VerdictFacts:
    """One query of a comparison, copied for another thread.

    Attributes:
        query: its number.
        weight: in means.
        is_judged: whether anything of it is.
        first: the first system's ranking.
        second: the second's.
        known: grade by document.
        pool: documents to be judged.
    """

    query: int
    weight: float
    is_judged: bool
    first: IntArray
    second: IntArray
    known: Mapping[int, float]
    pool: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class PairFacts:
    """Two systems by one measure.

    Attributes:
        queries: in the project's order.
        measure: by which they are compared.
        scale: how grades are read.
        conventions: what counts.
        names: of the two systems.
        present: both values of each query as they stand and count, where these are known
            already, as they must be of measures that look at clicks; empty elsewhere.
    """

    queries: tuple[VerdictFacts, ...]
    measure: Measure
    scale: Scale | None
    conventions: Conventions
    names: tuple[str, str]
    present: tuple["PresentValues", ...] = ()


def collect_pair(session: Session, first: System, second: System, measure: Measure) -> PairFacts:
    """Copy what is needed of two systems; on the session's thread.

    Raises:
        UsageError: the measure has no values by query.
        InputError: a system is no longer in the project.
    """
    check_measures([measure])
    here = place_of_system(session, first)
    weights = here.board.mean_weights
    blocks = [block_of_system(session, each) for each in (first, second)]
    queries = tuple(
        _query_facts(blocks, here, query, float(weights[query]))
        for query in range(len(session.material.queries))
    )
    there = place_of_system(session, second)
    present: tuple[PresentValues, ...] = ()
    if measure.spec.uses == "clicks" and measure in here.engine.measures:
        present = _present_values(here.engine, (here.key, there.key), measure)
    return PairFacts(
        queries,
        measure,
        here.board.scale,
        here.engine.conventions,
        (first.name, second.name),
        present,
    )


def pair_of_engine(
    engine: Engine,
    first: tuple[str, int],
    second: tuple[str, int],
    measure: Measure,
    pool_of: Callable[[int], IntArray | None],
) -> PairFacts:
    """Copy what is needed of two runs of an engine; every query counts alike.

    Args:
        engine: has the runs and the measure.
        first: name and key of one.
        second: of the other.
        measure: by which they are compared.
        pool_of: documents to be judged of a query, beyond the judged ones.
    """
    blocks = [engine.block(key) for _, key in (first, second)]
    queries = []
    for query in range(engine.n_queries):
        documents, grades = engine.judged_grades(query)
        given = zip(documents.tolist(), grades.tolist(), strict=True)
        known = {document: grade for document, grade in given if grade >= 0}
        pool = pool_of(query)
        marked = documents[grades < 0]
        pooled = marked if pool is None else np.union1d(marked, pool)
        one, two = (block.ranking(query) for block in blocks)
        queries.append(
            VerdictFacts(query, 1.0, bool(known), one, two, known, pooled.astype(np.int32))
        )
    present = _present_values(engine, (first[1], second[1]), measure)
    names = (first[0], second[0])
    return PairFacts(tuple(queries), measure, engine.scale, engine.conventions, names, present)


def _present_values(
    engine: Engine, keys: tuple[int, int], measure: Measure
) -> tuple["PresentValues", ...]:
    column = engine.measures.index(measure)
    values = [counted_values(engine, key)[:, column].tolist() for key in keys]
    return tuple(PresentValues(*row) for row in zip(*values, strict=True))


def _query_facts(
    blocks: Sequence[RunBlock], place: Place, query: int, weight: float
) -> VerdictFacts:
    settled = place.board.settled(query)
    known = {
        document: effective.grade
        for document, effective in settled.items()
        if effective.grade is not None and effective.grade >= 0
    }
    first, second = (block.ranking(query) for block in blocks)
    return VerdictFacts(query, weight, bool(known), first, second, known, place.board.pool(query))


def checker(
    progress: Progress | None, is_cancelled: IsCancelled | None
) -> Callable[[int, int], None]:
    """Return what reports progress, and ends the work when it is cancelled."""

    def check(n_done: int, total: int) -> None:
        if is_cancelled is not None and is_cancelled():
            raise SearchCancelledError("Looking for what to judge next was cancelled.")
        if progress is not None:
            progress(n_done, total)

    return check


class LinedUp(NamedTuple):
    """The two rankings of a query over one set of documents.

    Attributes:
        pair: places among the documents.
        documents: number of each place, shape (D,).
        pooled: places of the pool's documents.
    """

    pair: RankingPair
    documents: IntArray
    pooled: IntArray


class PairLiner:
    """Lines up query after query, by one table of places that is used again and again.

    Sorting thousands of documents for each of thousands of queries takes seconds.
    """

    def __init__(self, facts: PairFacts) -> None:
        highest = max(
            (int(part.max(initial=0)) for each in facts.queries for part in _parts(each)),
            default=0,
        )
        self._places = np.full(highest + 1, -1, dtype=np.int32)

    def line_up(self, each: VerdictFacts) -> LinedUp:
        """Return a query's rankings over the documents of both, of the pool and of the judgments."""
        places = self._places
        documents = each.first
        places[documents] = np.arange(len(documents), dtype=np.int32)
        for part in _parts(each)[1:]:
            more = part[places[part] < 0]
            if len(more):
                start = len(documents)
                places[more] = np.arange(start, start + len(more), dtype=np.int32)
                documents = np.concatenate((documents, more))
        _, second, pooled, judged = (places[part] for part in _parts(each))
        grades = np.full(len(documents), np.nan)
        grades[judged] = np.fromiter(each.known.values(), np.float64, count=len(each.known))
        places[documents] = -1
        first = np.arange(len(each.first))
        return LinedUp(RankingPair(first, second.astype(np.intp), grades), documents, pooled)


def _parts(each: VerdictFacts) -> tuple[IntArray, ...]:
    judged = np.fromiter(each.known.keys(), np.int32, count=len(each.known))
    return each.first, each.second, each.pool, judged


def is_left_out(each: VerdictFacts, conventions: Conventions) -> bool:
    """Return whether a query never counts, whatever is judged."""
    is_lacking = not len(each.first) or not len(each.second)
    return conventions.missing == "both" and is_lacking


def counts_unjudged(each: VerdictFacts, conventions: Conventions) -> bool:
    """Return whether a query counts although nothing of it is judged: both have results."""
    return conventions.missing == "all" and bool(len(each.first)) and bool(len(each.second))


def are_same(each: VerdictFacts) -> bool:
    """Return whether both rankings are the same: no grading makes a difference then."""
    return np.array_equal(each.first, each.second)


class PresentValues(NamedTuple):
    """Both values of a query as judged so far; ``None`` where undefined."""

    first: float | None
    second: float | None

    @property
    def difference(self) -> float:
        """First minus second, undefined values as 0."""
        return (self.first or 0.0) - (self.second or 0.0)


class PresentGatherer:
    """Both values of query after query as judged so far, computed all at once in the end."""

    def __init__(self, facts: PairFacts) -> None:
        leaves_out = facts.conventions.unjudged == "left out"
        self._sides = tuple(
            GatheredValues(facts.measure, facts.scale, leave_out_unjudged=leaves_out)
            for _ in range(2)
        )

    def add(self, pair: RankingPair) -> None:
        """Take one more query."""
        judged = pair.grades[~pair.is_open]
        for side, ranking in zip(self._sides, (pair.first, pair.second), strict=True):
            side.add(pair.grades[ranking], judged)

    def compute(self) -> list[PresentValues]:
        """Return the values of each query, in the order in which they were added."""
        first, second = (
            [None if math.isnan(value) else value for value in side.compute().tolist()]
            for side in self._sides
        )
        return [PresentValues(*row) for row in zip(first, second, strict=True)]


def counts_now(facts: PairFacts, each: VerdictFacts, present: PresentValues) -> bool:
    """Return whether a query counts in the comparison now."""
    if facts.present:
        return None not in present
    if facts.conventions.undefined == "leave out" and None in present:
        return False
    is_counted = each.is_judged or counts_unjudged(each, facts.conventions)
    return is_counted and not is_left_out(each, facts.conventions)


__all__ = [
    "DifferenceBounds",
    "Verdict",
    "bound_mean_difference",
    "is_decided",
    "pair_of_engine",
    "verdict_of",
    "verdict_work",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether further judgments can still change which of two systems is better.

    Attributes:
        measure: by which they are compared.
        difference: mean of the first minus the second, as judged so far; ``None``
            without a query that counts.
        low: least mean difference over all gradings of what is unjudged.
        high: greatest, likewise.
        is_decided: whether the sign of the difference is the same for every grading.
        is_exact: whether ``low`` and ``high`` are attained; if not, it may be decided
            although that is not known.
        n_open: unjudged documents that the verdict depends on.
        sentence: all of it for people.
    """

    measure: Measure
    difference: float | None
    low: float
    high: float
    is_decided: bool
    is_exact: bool
    n_open: int
    sentence: str


def verdict_work(
    session: Session, first: System, second: System, measure: Measure
) -> Callable[[Progress | None, IsCancelled | None], Verdict]:
    """Return the work of :func:`is_decided`, for another thread: ``work(progress, is_cancelled)``."""
    facts = collect_pair(session, first, second, measure)

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> Verdict:
        return verdict_of(facts, checker(progress, is_cancelled))

    return work


def is_decided(session: Session, first: System, second: System, measure: Measure) -> Verdict:
    """Return whether further judgments can still change which system is better.

    It is decided when the mean difference has the same sign for every way to grade the
    unjudged documents of the pool and of the two rankings. It is never said wrongly:
    where the ends are not exact, they are wider than need be.

    Args:
        session: the project.
        first: a run or a what-if of the present.
        second: another.
        measure: any with values by query.

    Raises:
        UsageError: the measure has no values by query.
        InputError: a system is no longer in the project.
    """
    return verdict_work(session, first, second, measure)(None, None)


def _may_count_as_nothing(facts: PairFacts, each: VerdictFacts, present: PresentValues) -> bool:
    """Return whether a query may stay, or come, out of the comparison for some gradings."""
    if not counts_unjudged(each, facts.conventions) and not each.is_judged:
        return True
    # A value that is defined stays so: relevant documents only become more.
    is_certain = None not in present and facts.measure.rule != "wide"
    return facts.conventions.undefined == "leave out" and not is_certain


@dataclass(frozen=True, slots=True)
class DifferenceBounds:
    """How far the mean difference of two systems can still go.

    Attributes:
        difference: as judged so far; ``None`` without a query that counts.
        low: least over all gradings of what is unjudged; 0 where no query can count.
        high: greatest, likewise.
        is_exact: whether both are attained; if not, nothing lies outside, but they may
            be wider than need be.
        n_open: unjudged documents that it depends on.
    """

    difference: float | None
    low: float
    high: float
    is_exact: bool
    n_open: int


class _Ends(NamedTuple):
    """One query's part: its least and greatest difference, and whether it counts."""

    bounds: Bounds
    n_open: int
    weight: float


def bound_mean_difference(
    facts: PairFacts, check: Callable[[int, int], None] = lambda _done, _total: None
) -> DifferenceBounds:
    """Return least and greatest mean difference of two systems over all gradings.

    The mean is by the queries' weights, over those that count for both. A query that
    nobody has judged yet, or whose value may be undefined, is counted where that makes
    the mean least, or greatest.

    Args:
        facts: the two systems.
        check: told how many queries of how many are done; what it raises ends the work.
    """
    if facts.measure.spec.uses == "clicks":
        return _certain(facts)
    ends, total, weight = [], 0.0, 0.0
    for each, bounds, n_unjudged, present in _bound_queries(facts, check):
        low, high = bounds.low, bounds.high
        if counts_now(facts, each, present):
            total += each.weight * present.difference
            weight += each.weight
            # Unjudged documents may count as less than the lowest level.
            low, high = min(low, present.difference), max(high, present.difference)
        may_leave = _may_count_as_nothing(facts, each, present)
        found = Bounds(
            low, high, bounds.is_exact and not may_leave, PERHAPS if may_leave else ALWAYS
        )
        is_open = high - low > SAME or (may_leave and max(abs(low), abs(high)) > SAME)
        ends.append(_Ends(found, n_unjudged if is_open else 0, each.weight))
    block = BoundsBlock(
        np.array([each.bounds.low for each in ends], dtype=np.float64),
        np.array([each.bounds.high for each in ends], dtype=np.float64),
        np.array([each.bounds.is_exact for each in ends], dtype=np.bool_),
        np.array([each.bounds.defined for each in ends], dtype=np.int8),
    )
    by_weight = np.array([each.weight for each in ends], dtype=np.float64)
    pooled = block.mean(by_weight) or Bounds(0.0, 0.0, is_exact=True)
    return DifferenceBounds(
        total / weight if weight else None,
        pooled.low,
        pooled.high,
        pooled.is_exact,
        sum(each.n_open for each in ends),
    )


def _certain(facts: PairFacts) -> DifferenceBounds:
    """Return the difference by clicks, which no judgment changes."""
    counted = [
        (each.weight, present.difference)
        for each, present in zip(facts.queries, facts.present, strict=bool(facts.present))
        if None not in present
    ]
    weight = sum(share for share, _ in counted)
    if not weight:
        return DifferenceBounds(None, 0.0, 0.0, is_exact=True, n_open=0)
    mean = sum(share * difference for share, difference in counted) / weight
    return DifferenceBounds(mean, mean, mean, is_exact=True, n_open=0)


def _bound_queries(
    facts: PairFacts, check: Callable[[int, int], None]
) -> Iterator[tuple[VerdictFacts, Bounds, int, PresentValues]]:
    """Yield each query that may count, its ends, its unjudged documents and its present values."""
    found: list[tuple[int, Bounds, int]] = []
    liner, gatherer = PairLiner(facts), PresentGatherer(facts)
    for number, each in enumerate(facts.queries):
        check(number, len(facts.queries))
        can_be_judged = each.is_judged or len(each.pool) or len(each.first) or len(each.second)
        if is_left_out(each, facts.conventions) or not can_be_judged:
            continue
        pair = liner.line_up(each).pair
        gatherer.add(pair)
        bounds = compute_pair_bounds(facts.measure, pair, facts.scale, budget=SEARCH_BUDGET)
        found.append((number, bounds, int(pair.is_open.sum())))
    check(len(facts.queries), len(facts.queries))
    for (number, bounds, n_unjudged), computed in zip(found, gatherer.compute(), strict=True):
        present = facts.present[number] if facts.present else computed
        yield facts.queries[number], bounds, n_unjudged, present


def verdict_of(
    facts: PairFacts, check: Callable[[int, int], None] = lambda _done, _total: None
) -> Verdict:
    """Return whether further judgments can still change which system is better; see :func:`is_decided`."""
    return _concluded(facts, bound_mean_difference(facts, check))


def _concluded(facts: PairFacts, found: DifferenceBounds) -> Verdict:
    low, high, total = found.low, found.high, found.difference or 0.0
    margin = SAME * max(1, len(facts.queries))
    is_decided = low > margin or high < -margin or max(abs(low), abs(high)) <= margin
    first, second = facts.names
    better = f"{first} is better than {second}" if total > 0 else f"{second} is better than {first}"
    if abs(total) <= margin:
        better = f"{first} and {second} are equal"
    of = f"by {facts.measure}"
    if found.difference is None:
        sentence = f"Nothing is judged that {first} and {second} could be compared by."
    elif is_decided:
        sentence = (
            f"Certain on these queries: {better} {of}, however the unjudged documents of the pool and of these "
            "two rankings are graded."
        )
    else:
        sentence = (
            f"Open on these queries: {better} {of} as judged so far; with all judged the mean "
            f"difference lies {'' if found.is_exact else 'within '}{low:+.4f} to {high:+.4f}."
        )
    return Verdict(
        facts.measure,
        found.difference,
        low,
        high,
        is_decided and found.difference is not None,
        found.is_exact,
        found.n_open,
        sentence,
    )
