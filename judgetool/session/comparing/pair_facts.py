"""Two systems query by query, copied so that another thread can reason about their judgments."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgetool.core.rankings import IntArray
from judgetool.core.scale import Scale
from judgetool.errors import JudgetoolError
from judgetool.metrics import Conventions, Engine, Measure, RunBlock
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
class QueryFacts:
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

    queries: tuple[QueryFacts, ...]
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
            QueryFacts(query, 1.0, bool(known), one, two, known, pooled.astype(np.int32))
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


def _query_facts(blocks: Sequence[RunBlock], place: Place, query: int, weight: float) -> QueryFacts:
    settled = place.board.settled(query)
    known = {
        document: effective.grade
        for document, effective in settled.items()
        if effective.grade is not None and effective.grade >= 0
    }
    first, second = (block.ranking(query) for block in blocks)
    return QueryFacts(query, weight, bool(known), first, second, known, place.board.pool(query))


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

    def line_up(self, each: QueryFacts) -> LinedUp:
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


def _parts(each: QueryFacts) -> tuple[IntArray, ...]:
    judged = np.fromiter(each.known.keys(), np.int32, count=len(each.known))
    return each.first, each.second, each.pool, judged


def is_left_out(each: QueryFacts, conventions: Conventions) -> bool:
    """Return whether a query never counts, whatever is judged."""
    is_lacking = not len(each.first) or not len(each.second)
    return conventions.missing == "both" and is_lacking


def counts_unjudged(each: QueryFacts, conventions: Conventions) -> bool:
    """Return whether a query counts although nothing of it is judged: both have results."""
    return conventions.missing == "all" and bool(len(each.first)) and bool(len(each.second))


def are_same(each: QueryFacts) -> bool:
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


def counts_now(facts: PairFacts, each: QueryFacts, present: PresentValues) -> bool:
    """Return whether a query counts in the comparison now."""
    if facts.present:
        return None not in present
    if facts.conventions.undefined == "leave out" and None in present:
        return False
    is_counted = each.is_judged or counts_unjudged(each, facts.conventions)
    return is_counted and not is_left_out(each, facts.conventions)
