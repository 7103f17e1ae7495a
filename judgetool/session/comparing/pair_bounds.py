"""How far the difference of two systems can still go while documents are unjudged, and what to judge next.

Two systems are copied query by query, so that another thread can reason about them. To be judged next are
documents whose judgments could overturn a comparison, or narrow an interval most.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import IntArray
from judgetool.core.scale import Scale
from judgetool.metrics import Bounds, Conventions, Engine, Measure, RunBlock
from judgetool.metrics.block import worth_of
from judgetool.metrics.bounds import ALWAYS, PERHAPS, BoundsBlock
from judgetool.metrics.bounds_difference import SEARCH_BUDGET, compute_pair_bounds
from judgetool.metrics.comparison import ComparisonRules, check_measures, weights_in
from judgetool.metrics.grades import GatheredValues, RankingPair
from judgetool.metrics.prospects import OpenDocuments, PRange, compute_p_range, count_deciding
from judgetool.metrics.significance import without_noise
from judgetool.metrics.stakes import compute_difference_table, compute_stakes, tried_grades
from judgetool.session.commands import IsCancelled, Progress, Work, checker
from judgetool.session.comparing.system_values import block_of_system, by_document, place_of_system
from judgetool.session.pool import NumberPair
from judgetool.session.session import Session
from judgetool.session.systems import System, queries_where
from judgetool.wording import N_, _

SAME = 1e-12
"""Differences below this are rounding."""
_CANCELLED = N_("Looking for what to judge next was cancelled.")


def search_checker(progress: Progress | None, is_cancelled: IsCancelled | None) -> Progress:
    """Return what reports how many queries are looked through, and ends the search."""
    return checker(progress, is_cancelled, _(_CANCELLED))


class QueryPair(NamedTuple):
    """One query of a comparison, copied for another thread.

    Attributes:
        query: its number.
        weight: in means.
        is_judged: whether anything of it is.
        first: the first system's ranking.
        second: the second's.
        known: grade by document.
        pool: documents to be judged.
        impossible: those that cannot be judged, as was said of them, and have no grade: nobody is sent there.
    """

    query: int
    weight: float
    is_judged: bool
    first: IntArray
    second: IntArray
    known: Mapping[int, float]
    pool: IntArray
    impossible: tuple[int, ...] = ()

    @property
    def has_results(self) -> bool:
        """Whether one of the two systems has any."""
        return bool(len(self.first) or len(self.second))


class PairFacts(NamedTuple):
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


def collect_pair(  # noqa: PLR0913 - a view may need to say whose
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    *,
    where: str = "",
    view: str = "",
    own: str = "",
) -> PairFacts:
    """Copy what is needed of two systems; on the session's thread.

    Args:
        session: the project.
        first: a run or a what-if.
        second: another.
        measure: any with values by query.
        where: the queries that count, see ``queries_where``; ``""`` for all.
        view: which judgments are known; ``""`` for those that the session counts.
        own: whose judgments the view ``mine`` means; ``""`` for the session's assessor.

    Raises:
        UsageError: the measure has no values by query, or there is no such view.
        InputError: a system is no longer in the project.
        CommandRefusedError: no query is left, or what leaves some is not understood.
    """
    check_measures([measure])
    here, there = (place_of_system(session, each) for each in (first, second))
    board, engine = here.board, here.engine
    blocks = [block_of_system(session, each) for each in (first, second)]

    number = session.assessor_number(own) if own else None

    def judged(query: int) -> _Judged:
        found = board.settled_by(view or board.view, query, own=number).items()
        known = {document: each.grade for document, each in found if each.grade is not None}
        known = {each: grade for each, grade in known.items() if grade >= 0}
        impossible = tuple(document for document, each in found if each.grade is None)
        assumed = (each.engine.assumed_documents(each.key, query) for each in (here, there))
        return known, _with_assumed(board.pool(query), *assumed), impossible

    present: tuple[PresentValues, ...] = ()
    has_assumed = engine.assumed_queries(here.key) or there.engine.assumed_queries(there.key)
    # What is assumed counts in them, though all that nobody judged stays open.
    if (measure.spec.uses == "clicks" or (has_assumed and not view)) and measure in engine.measures:
        present = _present_values(engine, (here.key, there.key), measure)
    queries = _collect(blocks, judged, _weights(engine, measure))
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

    def judged(query: int) -> _Judged:
        documents, grades = found = engine.judged_grades(query)
        known = {document: grade for document, grade in by_document(found).items() if grade >= 0}
        pool, marked = pool_of(query), documents[grades < 0]
        whole = (marked if pool is None else np.union1d(marked, pool)).astype(np.int32)
        assumed = (engine.assumed_documents(each, query) for each in (key, other_key))
        return known, _with_assumed(whole, *assumed), ()

    (name, key), (other, other_key) = first, second
    present = _present_values(engine, (key, other_key), measure)
    blocks = [engine.block(each) for each in (key, other_key)]
    queries = _collect(blocks, judged, _weights(engine, measure))
    return PairFacts(queries, measure, engine.scale, engine.conventions, (name, other), present)


_Judged = tuple[dict[int, float], IntArray, tuple[int, ...]]
"""A query's grades by document, its pool, and what of it cannot be judged."""


def _with_assumed(pool: IntArray, *assumed: set[int]) -> IntArray:
    """Return what is to be judged, with all that is only assumed: nobody judged that either."""
    more = set[int]().union(*assumed).difference(pool.tolist()) if any(assumed) else ()
    return np.concatenate((pool, np.array(sorted(more), dtype=np.int32))) if more else pool


def _weights(engine: Engine, measure: Measure) -> list[float]:
    """Return how much each query counts."""
    weights = weights_in(measure, engine.mean_weights)
    return [1.0] * engine.n_queries if weights is None else weights.tolist()


def _collect(
    blocks: Sequence[RunBlock],
    judged: Callable[[int], _Judged],
    weights: Sequence[float],
) -> tuple[QueryPair, ...]:
    """Copy query by query; ``judged`` gives what is known of one."""
    found = []
    for query, weight in enumerate(weights):
        first, second = (block.ranking(query) for block in blocks)
        known, pool, impossible = judged(query)
        found.append(QueryPair(query, weight, bool(known), first, second, known, pool, impossible))
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


def iter_counting(
    facts: PairFacts, check: Callable[[int, int], None]
) -> Iterator[tuple[int, QueryPair]]:
    """Yield the queries that may count, with their places; ``check`` is told how far that is."""
    total = len(facts.queries)
    for number, each in enumerate(facts.queries):
        check(number, total)
        if not is_left_out(each, facts.conventions):
            yield number, each
    check(total, total)


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
        leaves_out = facts.conventions.leaves_out_unjudged
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


class PairBounds(NamedTuple):
    """How far the mean difference of two systems can still go over all gradings of the unjudged.

    The mean is by the queries' weights, over those that count for both.

    Attributes:
        measure: by which they are compared.
        names: of the two systems.
        difference: mean of the first minus the second, as judged so far; ``None``
            without a query that counts.
        low: least over all gradings of what is unjudged; 0 where no query can count, or without ends.
        high: greatest, likewise.
        is_exact: whether both are attained; if not, nothing lies outside, but they may be
            wider than need be.
        n_open: unjudged documents whose grade can change the difference of a query.
        is_count_exact: whether each of them can; if not, there are at most so many.
        margin: means below it are rounding.
        is_weighted: whether queries count unlike each other.
        p_range: p of the difference over the same gradings; ``None`` where no test was
            named, or none can be given.
        has_ends: whether there are any: not of a measure that counts how much is judged, as it
            moves with every judgment.
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
    has_ends: bool = True
    n_queries: int = 0
    n_counted: int = 0

    @property
    def is_certain(self) -> bool:
        """Whether the sign of the difference is the same for every grading; never said wrongly."""
        low, high, margin = self.low, self.high, self.margin
        is_one = low > margin or high < -margin or max(abs(low), abs(high)) <= margin
        return is_one and self.has_ends and self.difference is not None

    @property
    def are_known(self) -> bool:
        """Whether both ends mean something."""
        return self.has_ends and self.difference is not None


def pair_bounds_work(
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    rules: ComparisonRules | None = None,
    *,
    where: str = "",
) -> Work[PairBounds]:
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
    if facts.measure.rule == "present":
        return False
    if not counts_unjudged(each, facts.conventions) and not each.is_judged:
        return True
    # A value that is defined stays so: relevant documents only become more.
    is_certain = None not in present and facts.measure.rule != "wide"
    return facts.conventions.undefined == "leave out" and not is_certain


def bound_pair(
    facts: PairFacts,
    check: Callable[[int, int], None] = lambda _done, _total: None,
    *,
    rules: ComparisonRules | None = None,
) -> PairBounds:
    """Return least and greatest mean difference of two systems over all gradings.

    A query that nobody has judged yet, or whose value may be undefined, is counted where
    that makes the mean least, or greatest. A measure that counts how much is judged has no such ends.

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
    ends, opened, counted, n_counted = [], list[OpenDocuments](), [], 0
    if facts.measure.spec.uses == "clicks":
        # No judgment changes a difference by clicks.
        rows = zip(facts.queries, facts.present, strict=bool(facts.present))
        counted = [(each.weight, now.difference) for each, now in rows if None not in now]
        mean = _mean(counted)
        return found if mean is None else found._replace(difference=mean, low=mean, high=mean)
    for each, bounds, deciding, present in _bound_queries(facts, check):
        low, high = bounds.low, bounds.high
        is_counted = counts_now(facts, each, present)
        if facts.measure.rule == "present" and not is_counted:
            continue
        n_counted += is_counted or each.is_judged
        if is_counted:
            counted.append((each.weight, present.difference))
            # Unjudged documents may count as less than the lowest level.
            low, high = min(low, present.difference), max(high, present.difference)
        may_leave = _may_count_as_nothing(facts, each, present)
        if high - low > SAME or (may_leave and max(abs(low), abs(high)) > SAME):
            opened.append(deciding)
        is_exact, defined = bounds.is_exact and not may_leave, PERHAPS if may_leave else ALWAYS
        ends.append((low, high, is_exact, defined, each.weight))
    columns = np.array(ends, dtype=np.float64).reshape(-1, 5).T
    low_ends, high_ends, are_exact, are_defined, weights = columns
    if not facts.measure.has_bounds:
        return found._replace(difference=_mean(counted), has_ends=False)
    block = BoundsBlock(low_ends, high_ends, are_exact > 0, are_defined.astype(np.int8))
    pooled = block.mean(weights) or Bounds(0.0, 0.0, is_exact=True)
    return found._replace(
        difference=_mean(counted),
        low=without_noise(pooled.low),
        high=without_noise(pooled.high),
        is_exact=pooled.is_exact,
        n_open=sum(each.n for each in opened),
        is_count_exact=all(each.is_exact for each in opened),
        n_queries=len(ends),
        n_counted=n_counted,
        p_range=compute_p_range(block, rules, weights=weights, check=lambda: check(n, n))
        if rules
        else None,
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
    for number, each in iter_counting(facts, check):
        if not (each.is_judged or len(each.pool) or each.has_results):
            continue
        pair = liner.line_up(each).pair
        gatherer.add(pair)
        bounds = compute_pair_bounds(facts.measure, pair, facts.scale, budget=SEARCH_BUDGET)
        found.append((number, bounds, _find_deciding(facts, pair)))
    for (number, bounds, deciding), computed in zip(found, gatherer.compute(), strict=True):
        present = facts.present[number] if facts.present else computed
        yield facts.queries[number], bounds, deciding, present


def _find_deciding(facts: PairFacts, pair: RankingPair) -> OpenDocuments:
    """Return what can change a query that is open at all."""
    conventions = facts.conventions
    leaves_out = conventions.leaves_out_unjudged
    found = count_deciding(facts.measure, pair, facts.scale, leave_out_unjudged=leaves_out)
    has_query_count = (
        conventions.undefined == "leave out" and facts.measure.spec.divides_by_relevant
    )
    if found.n and not has_query_count:
        return found
    # Whoever is relevant, or judged at all, may be what has the query count.
    return OpenDocuments(int(pair.is_open.sum()), is_exact=False)


_CHECK_EVERY = 500


# What to judge next

FloatArray = npt.NDArray[np.float64]
SEARCH_DEPTH = 100
"""Ranks that are looked at first by measures without a cutoff."""


class Candidate(NamedTuple):
    """A document that would be worth judging.

    Attributes:
        query: its query's number.
        document: its number.
        stake: by how much its judgment alone can move the mean towards the other
            verdict, or narrow the interval; above 0.
        can_overturn: whether its judgment alone can make the worse system the better,
            or make or break a tie.
        sign: 1 where its judgment alone can only raise the difference, -1 only lower it, 0
            either way; ``None`` where it is at stake for one mean.
        only_joins: whether all it can do is have its query count, which does not yet.
    """

    query: int
    document: int
    stake: float
    can_overturn: bool = False
    sign: int | None = None
    only_joins: bool = False


def overturn_work(  # noqa: PLR0913 - what the search depends on
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    *,
    most: int = 500,
    is_two_sided: bool = False,
    where: str = "",
) -> Work[list[Candidate]]:
    """Return the work of finding what could overturn 'one is better than the other'.

    For another thread: ``work(progress, is_cancelled)``. It gives candidates by stake,
    largest first. Documents of the pool and of both rankings down to the measure's
    cutoff are looked at, or down to rank ``SEARCH_DEPTH``; below it where none is at stake above.

    Args:
        session: the project.
        first: a run or a what-if of the present.
        second: another.
        measure: any with values by query.
        most: at most so many.
        is_two_sided: whether what can move the difference in either direction counts
            alike. If not, only moves towards the other verdict do, and who judges those
            first sees a difference that leans until all are judged.
        where: the queries that count, see ``queries_where``; ``""`` for all.

    Raises:
        UsageError: the measure has no values by query.
        InputError: a system is no longer in the project.
    """
    facts = _without_assumed(collect_pair(session, first, second, measure, where=where))

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> list[Candidate]:
        check = search_checker(progress, is_cancelled)
        find = partial(_overturning, facts, most, check, is_two_sided=is_two_sided)
        return find(measure.cutoff or SEARCH_DEPTH) or find(None)

    return work


def narrowing_work(
    session: Session, system: System, measure: Measure, *, most: int = 500, where: str = ""
) -> Work[list[Candidate]]:
    """Return the work of finding what narrows the interval of a mean most; as :func:`overturn_work`."""
    facts = _without_assumed(collect_pair(session, system, system, measure, where=where))

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> list[Candidate]:
        find = partial(_narrowing, facts, most, search_checker(progress, is_cancelled))
        return find(measure.cutoff or SEARCH_DEPTH) or find(None)

    return work


def _without_assumed(facts: PairFacts) -> PairFacts:
    """Return the facts without what is assumed: what a judgment does is told by judgments alone."""
    return facts if facts.measure.spec.uses == "clicks" else facts._replace(present=())


class _Found(NamedTuple):
    """What a query's documents can do to the difference of its two values.

    Attributes:
        each: the query.
        documents: their numbers, shape (m,).
        low: least difference over each one's own grades, shape (m,).
        high: greatest, likewise.
        low_joining: the same over the grades that have a query count that did not, shape (m,).
        high_joining: greatest, likewise.
    """

    each: QueryPair
    documents: IntArray
    low: FloatArray
    high: FloatArray
    low_joining: FloatArray
    high_joining: FloatArray


def _overturning(
    facts: PairFacts,
    most: int,
    check: Callable[[int, int], None],
    depth: int | None,
    *,
    is_two_sided: bool,
) -> list[Candidate]:
    found: list[_Found] = []
    liner, gatherer = PairLiner(facts), PresentGatherer(facts)
    if facts.measure.rule == "present":
        return []
    for _number, each in iter_counting(facts, check):
        if each.has_results:
            lined = liner.line_up(each)
            gatherer.add(lined.pair)
            found.append(_find_moves(facts, each, lined, depth))
    return _most_overturning(facts, found, gatherer.compute(), most, is_two_sided=is_two_sided)


def _find_moves(facts: PairFacts, each: QueryPair, lined: LinedUp, depth: int | None) -> _Found:
    wanted = _wanted(each, lined, depth)
    joins = _joining_grades(facts)
    if are_same(each):
        # One judgment more may have the query count, though it makes no difference in it.
        places = np.flatnonzero(lined.pair.is_open & wanted)
        values = np.zeros((len(places), len(joins)))
    else:
        places, values = compute_difference_table(
            facts.measure,
            lined.pair,
            facts.scale,
            leave_out_unjudged=facts.conventions.leaves_out_unjudged,
            wanted=wanted,
        )
    joining = values[:, joins] if joins.any() and values.shape[1] == len(joins) else values
    return _Found(
        each,
        lined.documents[places],
        values.min(axis=1),
        values.max(axis=1),
        joining.min(axis=1),
        joining.max(axis=1),
    )


def _joining_grades(facts: PairFacts) -> npt.NDArray[np.bool_]:
    """Return which of the grades that are tried have a query count that does not yet."""
    grades = tried_grades(facts.measure, facts.scale)
    if facts.conventions.undefined == "leave out" and facts.measure.spec.divides_by_relevant:
        return worth_of(facts.measure, facts.scale).of(grades) > 0
    return np.ones(len(grades), dtype=np.bool_)


def _most_overturning(
    facts: PairFacts,
    found: Sequence[_Found],
    present: Sequence[PresentValues],
    most: int,
    *,
    is_two_sided: bool,
) -> list[Candidate]:
    total = weight = 0.0
    counts = [counts_now(facts, row.each, now) for row, now in zip(found, present, strict=True)]
    for row, values, is_counted in zip(found, present, counts, strict=True):
        if is_counted:
            total += row.each.weight * values.difference
            weight += row.each.weight
    mean = total / weight if weight else 0.0
    parts = []
    turns: set[NumberPair] = set()
    for row, values, is_counted in zip(found, present, counts, strict=True):
        own = row.each.weight
        if is_counted:
            down = own * (values.difference - row.low) / weight
            up = own * (row.high - values.difference) / weight
        else:
            # The mean has one query more from then on.
            joined = (weight + own) or 1.0
            down = mean - (total + own * row.low_joining) / joined
            up = (total + own * row.high_joining) / joined - mean
        towards = np.maximum(down, up)
        if abs(mean) > SAME:
            towards = down if mean > 0 else up
        moves = np.maximum(down, up) if is_two_sided else towards
        turning = zip(row.documents.tolist(), towards.tolist(), strict=True)
        turns |= {(row.each.query, document) for document, by in turning if by >= abs(mean) - SAME}
        signs = np.where(up > SAME, 1, 0) - np.where(down > SAME, 1, 0)
        joins = (row.high - row.low <= SAME) & (not is_counted)
        parts.append((row.each.query, row.documents, moves, signs, joins))
    return [
        Candidate(query, document, move, (query, document) in turns, int(sign), bool(joins))
        for query, document, move, sign, joins in _largest(parts, most)
    ]


def _narrowing(
    facts: PairFacts, most: int, check: Callable[[int, int], None], depth: int | None
) -> list[Candidate]:
    liner, gatherer, found = PairLiner(facts), PresentGatherer(facts), []
    for _number, each in iter_counting(facts, check):
        lined = liner.line_up(each)
        gatherer.add(lined.pair)
        found.append((each, *_tried_values(facts, each, lined, depth)))
    total = weight = 0.0
    present = gatherer.compute()
    counts = [counts_now(facts, each, now) for (each, *_), now in zip(found, present, strict=True)]
    for (each, *_rest), now, is_counted in zip(found, present, counts, strict=True):
        total += each.weight * (now.first or 0.0) * is_counted
        weight += each.weight * is_counted
    joins, is_sum, parts = _joining_grades(facts), facts.measure.spec.pooling == "sum", []
    for (each, documents, values), is_counted in zip(found, counts, strict=True):
        means = values
        if not is_sum and is_counted:
            means = each.weight * values / weight
        elif not is_sum:
            # The mean has one query more from then on, or stays as it is.
            joined = (total + each.weight * values) / ((weight + each.weight) or 1.0)
            means = np.where(joins, joined, total / weight) if weight else joined[:, joins]
        parts.append((each.query, documents, np.ptp(means, axis=1) if means.size else np.zeros(0)))
    return [Candidate(*found) for found in _largest(parts, most)]


def _tried_values(
    facts: PairFacts, each: QueryPair, lined: LinedUp, depth: int | None
) -> tuple[IntArray, FloatArray]:
    """Return the documents whose judgment is looked at, and the first ranking's values by grade."""
    pair, wanted = lined.pair, _wanted(each, lined, depth)
    stakes = compute_stakes(
        facts.measure,
        pair.query_grades()[0],
        facts.scale,
        leave_out_unjudged=facts.conventions.leaves_out_unjudged,
        wanted=wanted[pair.first],
    )
    ranked = pair.first[stakes.ranks - 1]
    is_missing = pair.is_open & wanted
    is_missing[pair.first] = False
    missing = np.flatnonzero(is_missing)
    absent = np.broadcast_to(stakes.values_missing, (len(missing), stakes.values.shape[1]))
    return lined.documents[np.concatenate((ranked, missing))], np.vstack((stakes.values, absent))


def _wanted(each: QueryPair, lined: LinedUp, depth: int | None) -> npt.NDArray[np.bool_]:
    """Return which documents of the pool and of both tops are looked at: none that cannot be judged."""
    wanted = np.zeros(len(lined.documents), dtype=bool)
    for top in (*lined.pair.cut(depth), lined.pooled):
        wanted[top] = True
    return wanted & ~np.isin(lined.documents, each.impossible)


def _largest(parts: Sequence[tuple[Any, ...]], most: int) -> list[tuple[Any, ...]]:
    """Return the largest stakes above 0 of some queries, and what is known beside each.

    Args:
        parts: of each query its number, its documents, their stakes, and further columns.
        most: at most so many.

    Returns:
        (query, document, stake, …) of each, the largest first.
    """
    if not parts:
        return []
    queries = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts])
    documents, stakes, *others = (
        np.concatenate(column) for column in zip(*(part[1:] for part in parts), strict=True)
    )
    least = SAME
    if len(stakes) > most:
        least = max(SAME, float(np.partition(stakes, -most)[-most]))
    at = np.flatnonzero((stakes > SAME) & (stakes >= least))
    at = at[np.lexsort((documents[at], queries[at], -stakes[at]))][:most]
    columns = (column[at].tolist() for column in (queries, documents, stakes, *others))
    return list(zip(*columns, strict=True))
