"""How far the difference of two systems can still go while documents are unjudged.

Two systems are copied query by query, so that another thread can reason about them.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from judgetool.core.rankings import IntArray
from judgetool.core.scale import Scale
from judgetool.metrics import Bounds, Conventions, Engine, Measure, RunBlock
from judgetool.metrics.bounds import ALWAYS, PERHAPS, BoundsBlock
from judgetool.metrics.bounds_difference import SEARCH_BUDGET, compute_pair_bounds
from judgetool.metrics.comparison import ComparisonRules, check_measures
from judgetool.metrics.grades import GatheredValues, RankingPair
from judgetool.metrics.prospects import OpenDocuments, PRange, compute_p_range, count_deciding
from judgetool.metrics.significance import without_noise
from judgetool.session.commands import IsCancelled, Progress, checker
from judgetool.session.comparing.system_values import block_of_system, place_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System, queries_where
from judgetool.wording import N_, _

SAME = 1e-12
"""Differences below this are rounding."""
_CANCELLED = N_("Looking for what to judge next was cancelled.")


def search_checker(progress: Progress | None, is_cancelled: IsCancelled | None) -> Progress:
    """Return what reports how many queries are looked through, and ends the search."""
    return checker(progress, is_cancelled, _(_CANCELLED))


@dataclass(frozen=True, slots=True, eq=False)
class QueryPair:
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
            already, as they must be of measures that look at clicks, and where grades are
            assumed; empty elsewhere.
    """

    queries: tuple[QueryPair, ...]
    measure: Measure
    scale: Scale | None
    conventions: Conventions
    names: tuple[str, str]
    present: tuple["PresentValues", ...] = ()


def collect_pair(
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    *,
    where: str = "",
    view: str = "",
) -> PairFacts:
    """Copy what is needed of two systems; on the session's thread.

    Args:
        session: the project.
        first: a run or a what-if.
        second: another.
        measure: any with values by query.
        where: the queries that count, see ``queries_where``; ``""`` for all.
        view: which judgments are known; ``""`` for those that the session counts.

    Raises:
        UsageError: the measure has no values by query, or there is no such view.
        InputError: a system is no longer in the project.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    check_measures([measure])
    here, there = (place_of_system(session, each) for each in (first, second))
    board, engine, weights = here.board, here.engine, here.board.mean_weights.tolist()
    blocks = [block_of_system(session, each) for each in (first, second)]

    def judged(query: int) -> tuple[dict[int, float], IntArray]:
        found = board.settled_by(view or board.view, query).items()
        known = {document: each.grade for document, each in found if each.grade is not None}
        return {each: grade for each, grade in known.items() if grade >= 0}, board.pool(query)

    present: tuple[PresentValues, ...] = ()
    has_assumed = engine.assumed_queries(here.key) or there.engine.assumed_queries(there.key)
    # What is assumed counts in them, though all that nobody judged stays open.
    if (measure.spec.uses == "clicks" or (has_assumed and not view)) and measure in engine.measures:
        present = _present_values(engine, (here.key, there.key), measure)
    queries = _collect(blocks, len(session.material.queries), judged, weights)
    if where:
        kept = queries_where(session, where).tolist()
        queries, present = tuple(compress(queries, kept)), tuple(compress(present, kept))
    names = (first.name, second.name)
    return PairFacts(queries, measure, board.scale, engine.conventions, names, present)


def pair_of_engine(
    engine: Engine,
    first: tuple[str, int],
    second: tuple[str, int],
    measure: Measure,
    pool_of: Callable[[int], IntArray | None],
) -> PairFacts:
    """Copy what is needed of two runs of an engine; queries count as in its means.

    Args:
        engine: has the runs and the measure.
        first: name and key of one.
        second: of the other.
        measure: by which they are compared.
        pool_of: documents to be judged of a query, beyond the judged ones.
    """

    def judged(query: int) -> tuple[dict[int, float], IntArray]:
        documents, grades = engine.judged_grades(query)
        given = zip(documents.tolist(), grades.tolist(), strict=True)
        known = {document: grade for document, grade in given if grade >= 0}
        pool, marked = pool_of(query), documents[grades < 0]
        return known, (marked if pool is None else np.union1d(marked, pool)).astype(np.int32)

    (name, key), (other, other_key) = first, second
    present = _present_values(engine, (key, other_key), measure)
    blocks = [engine.block(each) for each in (key, other_key)]
    queries = _collect(blocks, engine.n_queries, judged, engine.mean_weights.tolist())
    return PairFacts(queries, measure, engine.scale, engine.conventions, (name, other), present)


def _collect(
    blocks: Sequence[RunBlock],
    n_queries: int,
    judged: Callable[[int], tuple[dict[int, float], IntArray]],
    weights: Sequence[float],
) -> tuple[QueryPair, ...]:
    """Copy query by query; ``judged`` gives a query's grades by document, and its pool."""
    found = []
    for query in range(n_queries):
        first, second = (block.ranking(query) for block in blocks)
        known, pool = judged(query)
        found.append(QueryPair(query, weights[query], bool(known), first, second, known, pool))
    return tuple(found)


def _present_values(
    engine: Engine, keys: tuple[int, int], measure: Measure
) -> tuple["PresentValues", ...]:
    column = engine.measures.index(measure)
    values = [engine.counted_values(key)[:, column].tolist() for key in keys]
    return tuple(PresentValues(*row) for row in zip(*values, strict=True))


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

    def line_up(self, each: QueryPair) -> LinedUp:
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


def _parts(each: QueryPair) -> tuple[IntArray, ...]:
    judged = np.fromiter(each.known.keys(), np.int32, count=len(each.known))
    return each.first, each.second, each.pool, judged


def is_left_out(each: QueryPair, conventions: Conventions) -> bool:
    """Return whether a query never counts, whatever is judged."""
    is_lacking = not len(each.first) or not len(each.second)
    return conventions.missing == "both" and is_lacking


def counts_unjudged(each: QueryPair, conventions: Conventions) -> bool:
    """Return whether a query counts although nothing of it is judged: both have results."""
    return conventions.missing == "all" and bool(len(each.first)) and bool(len(each.second))


def are_same(each: QueryPair) -> bool:
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


def counts_now(facts: PairFacts, each: QueryPair, present: PresentValues) -> bool:
    """Return whether a query counts in the comparison now."""
    if facts.present:
        return None not in present
    if facts.conventions.undefined == "leave out" and None in present:
        return False
    is_counted = each.is_judged or counts_unjudged(each, facts.conventions)
    return is_counted and not is_left_out(each, facts.conventions)


@dataclass(frozen=True, slots=True)
class PairBounds:
    """How far the mean difference of two systems can still go over all gradings of the unjudged.

    The mean is by the queries' weights, over those that count for both.

    Attributes:
        measure: by which they are compared.
        names: of the two systems.
        difference: mean of the first minus the second, as judged so far; ``None``
            without a query that counts.
        low: least over all gradings of what is unjudged; 0 where no query can count.
        high: greatest, likewise.
        is_exact: whether both are attained; if not, nothing lies outside, but they may be
            wider than need be.
        n_open: unjudged documents whose grade can change the difference of a query.
        is_count_exact: whether each of them can; if not, there are at most so many.
        margin: means below it are rounding.
        is_weighted: whether queries count unlike each other.
        p_range: p of the difference over the same gradings; ``None`` where no test was
            named, or none can be given.
        n_queries: queries that can count, whatever is judged yet.
        n_counted: of these, those of which something is judged, or that count without.
    """

    measure: Measure
    names: tuple[str, str]
    difference: float | None
    low: float = 0.0
    high: float = 0.0
    is_exact: bool = True
    n_open: int = 0
    is_count_exact: bool = True
    margin: float = SAME
    is_weighted: bool = False
    p_range: PRange | None = None
    n_queries: int = 0
    n_counted: int = 0

    @property
    def is_certain(self) -> bool:
        """Whether the sign of the difference is the same for every grading; never said wrongly."""
        low, high, margin = self.low, self.high, self.margin
        is_one = low > margin or high < -margin or max(abs(low), abs(high)) <= margin
        return is_one and self.difference is not None


def pair_bounds_work(
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    rules: ComparisonRules | None = None,
    *,
    where: str = "",
) -> Callable[[Progress | None, IsCancelled | None], PairBounds]:
    """Return the work of finding whether judgments can still change which system is better.

    For another thread. It is certain when the mean difference has the same sign for every way
    to grade the unjudged documents of the pool and of the two rankings.

    Args:
        session: the project.
        first: a run or a what-if of the present.
        second: another.
        measure: any with values by query.
        rules: how the two are tested, for the range of p; ``None`` leaves it out.
        where: the queries that it is of, see ``queries_where``; ``""`` for all.

    Raises:
        UsageError: the measure has no values by query.
        InputError: a system is no longer in the project.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    facts = collect_pair(session, first, second, measure, where=where)
    return lambda progress, is_cancelled: bound_pair(
        facts, search_checker(progress, is_cancelled), rules=rules
    )


def _may_count_as_nothing(facts: PairFacts, each: QueryPair, present: PresentValues) -> bool:
    """Return whether a query may stay, or come, out of the comparison for some gradings."""
    if not counts_unjudged(each, facts.conventions) and not each.is_judged:
        return True
    # A value that is defined stays so: relevant documents only become more.
    is_certain = None not in present and facts.measure.rule != "wide"
    return facts.conventions.undefined == "leave out" and not is_certain


class _Ends(NamedTuple):
    """One query's part: its least and greatest difference, and whether it counts."""

    bounds: Bounds
    deciding: OpenDocuments
    weight: float


def bound_pair(
    facts: PairFacts,
    check: Callable[[int, int], None] = lambda _done, _total: None,
    *,
    rules: ComparisonRules | None = None,
) -> PairBounds:
    """Return least and greatest mean difference of two systems over all gradings.

    A query that nobody has judged yet, or whose value may be undefined, is counted where
    that makes the mean least, or greatest.

    Args:
        facts: the two systems.
        check: told how many queries of how many are done; what it raises ends the work.
        rules: how the two are tested, for the range of p; ``None`` leaves it out.
    """
    n = len(facts.queries)
    is_weighted = len({each.weight for each in facts.queries}) > 1
    found = PairBounds(
        facts.measure, facts.names, None, margin=SAME * max(1, n), is_weighted=is_weighted
    )
    ends, counted, n_counted = [], [], 0
    if facts.measure.spec.uses == "clicks":
        # No judgment changes a difference by clicks.
        rows = zip(facts.queries, facts.present, strict=bool(facts.present))
        counted = [(each.weight, now.difference) for each, now in rows if None not in now]
        mean = _mean(counted)
        return found if mean is None else replace(found, difference=mean, low=mean, high=mean)
    for each, bounds, deciding, present in _bound_queries(facts, check):
        low, high = bounds.low, bounds.high
        is_counted = counts_now(facts, each, present)
        n_counted += is_counted or each.is_judged
        if is_counted:
            counted.append((each.weight, present.difference))
            # Unjudged documents may count as less than the lowest level.
            low, high = min(low, present.difference), max(high, present.difference)
        may_leave = _may_count_as_nothing(facts, each, present)
        defined = PERHAPS if may_leave else ALWAYS
        kept = Bounds(low, high, bounds.is_exact and not may_leave, defined)
        is_open = high - low > SAME or (may_leave and max(abs(low), abs(high)) > SAME)
        ends.append(_Ends(kept, deciding if is_open else OpenDocuments(0), each.weight))
    block = BoundsBlock(
        np.array([each.bounds.low for each in ends], dtype=np.float64),
        np.array([each.bounds.high for each in ends], dtype=np.float64),
        np.array([each.bounds.is_exact for each in ends], dtype=np.bool_),
        np.array([each.bounds.defined for each in ends], dtype=np.int8),
    )
    by_weight = np.array([each.weight for each in ends], dtype=np.float64)
    pooled = block.mean(by_weight) or Bounds(0.0, 0.0, is_exact=True)
    return replace(
        found,
        difference=_mean(counted),
        low=without_noise(pooled.low),
        high=without_noise(pooled.high),
        is_exact=pooled.is_exact,
        n_open=sum(each.deciding.n for each in ends),
        is_count_exact=all(each.deciding.is_exact for each in ends),
        n_queries=len(ends),
        n_counted=n_counted,
        p_range=compute_p_range(block, rules, check=lambda: check(n, n)) if rules else None,
    )


def _mean(counted: Sequence[tuple[float, float]]) -> float | None:
    """Return the mean of (weight, difference); ``None`` where nothing counts."""
    weight = sum(share for share, _ in counted)
    total = sum(share * difference for share, difference in counted)
    return without_noise(total / weight) if weight else None


def _bound_queries(
    facts: PairFacts, check: Callable[[int, int], None]
) -> Iterator[tuple[QueryPair, Bounds, OpenDocuments, PresentValues]]:
    """Yield each query that may count, its ends, what can change it, and its present values."""
    found: list[tuple[int, Bounds, OpenDocuments]] = []
    liner, gatherer = PairLiner(facts), PresentGatherer(facts)
    for number, each in enumerate(facts.queries):
        check(number, len(facts.queries))
        can_be_judged = each.is_judged or len(each.pool) or len(each.first) or len(each.second)
        if is_left_out(each, facts.conventions) or not can_be_judged:
            continue
        pair = liner.line_up(each).pair
        gatherer.add(pair)
        bounds = compute_pair_bounds(facts.measure, pair, facts.scale, budget=SEARCH_BUDGET)
        found.append((number, bounds, _find_deciding(facts, pair)))
    check(len(facts.queries), len(facts.queries))
    for (number, bounds, deciding), computed in zip(found, gatherer.compute(), strict=True):
        present = facts.present[number] if facts.present else computed
        yield facts.queries[number], bounds, deciding, present


def _find_deciding(facts: PairFacts, pair: RankingPair) -> OpenDocuments:
    """Return what can change a query that is open at all."""
    conventions = facts.conventions
    leaves_out = conventions.unjudged == "left out"
    found = count_deciding(facts.measure, pair, facts.scale, leave_out_unjudged=leaves_out)
    has_query_count = (
        conventions.undefined == "leave out" and facts.measure.spec.divides_by_relevant
    )
    if found.n and not has_query_count:
        return found
    # Whoever is relevant, or judged at all, may be what has the query count.
    return OpenDocuments(int(pair.is_open.sum()), is_exact=False)


_CHECK_EVERY = 500
