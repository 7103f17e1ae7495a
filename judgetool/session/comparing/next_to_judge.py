"""What to judge next: which judgments could overturn a comparison, or narrow an interval most."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import IntArray
from judgetool.metrics import Measure
from judgetool.metrics.block import worth_of
from judgetool.metrics.stakes import compute_difference_table, compute_stakes, tried_grades
from judgetool.session.commands import IsCancelled, Progress
from judgetool.session.comparing.pair_bounds import (
    SAME,
    LinedUp,
    PairFacts,
    PairLiner,
    PresentGatherer,
    PresentValues,
    QueryPair,
    are_same,
    collect_pair,
    counts_now,
    is_left_out,
    search_checker,
)
from judgetool.session.session import Session
from judgetool.session.systems import System

FloatArray = npt.NDArray[np.float64]
SEARCH_DEPTH = 100
"""Ranks that are looked at by measures without a cutoff."""


class Candidate(NamedTuple):
    """A document that would be worth judging.

    Attributes:
        query: its query's number.
        document: its number.
        stake: by how much its judgment alone can move the mean towards the other
            verdict, or narrow the interval; above 0.
        can_overturn: whether its judgment alone can make the worse system the better,
            or make or break a tie.
    """

    query: int
    document: int
    stake: float
    can_overturn: bool = False


def overturn_work(  # noqa: PLR0913 - what the search depends on
    session: Session,
    first: System,
    second: System,
    measure: Measure,
    *,
    most: int = 500,
    is_two_sided: bool = False,
    where: str = "",
) -> Callable[[Progress | None, IsCancelled | None], list[Candidate]]:
    """Return the work of finding what could overturn 'one is better than the other'.

    For another thread: ``work(progress, is_cancelled)``. It gives candidates by stake,
    largest first. Documents of the pool and of both rankings down to the measure's
    cutoff are looked at, or down to rank ``SEARCH_DEPTH``.

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
        return _overturning(facts, most, check, is_two_sided=is_two_sided)

    return work


def narrowing_work(
    session: Session, system: System, measure: Measure, *, most: int = 500, where: str = ""
) -> Callable[[Progress | None, IsCancelled | None], list[Candidate]]:
    """Return the work of finding what narrows the interval of a mean most; as :func:`overturn_work`."""
    facts = _without_assumed(collect_pair(session, system, system, measure, where=where))

    def work(progress: Progress | None, is_cancelled: IsCancelled | None) -> list[Candidate]:
        return _narrowing(facts, most, search_checker(progress, is_cancelled))

    return work


def _without_assumed(facts: PairFacts) -> PairFacts:
    """Return the facts without what is assumed: what a judgment does is told by judgments alone."""
    return facts if facts.measure.spec.uses == "clicks" else replace(facts, present=())


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
    facts: PairFacts, most: int, check: Callable[[int, int], None], *, is_two_sided: bool
) -> list[Candidate]:
    found: list[_Found] = []
    liner, gatherer = PairLiner(facts), PresentGatherer(facts)
    for number, each in enumerate(facts.queries):
        check(number, len(facts.queries))
        if is_left_out(each, facts.conventions) or not (len(each.first) or len(each.second)):
            continue
        lined = liner.line_up(each)
        gatherer.add(lined.pair)
        found.append(_find_moves(facts, each, lined))
    check(len(facts.queries), len(facts.queries))
    return _most_overturning(facts, found, gatherer.compute(), most, is_two_sided=is_two_sided)


def _find_moves(facts: PairFacts, each: QueryPair, lined: LinedUp) -> _Found:
    wanted = _wanted(facts, lined)
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
            leave_out_unjudged=facts.conventions.unjudged == "left out",
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
    turns: set[tuple[int, int]] = set()
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
        parts.append((row.each.query, row.documents, moves))
    return [
        Candidate(query, document, move, (query, document) in turns)
        for query, document, move in _largest(parts, most)
    ]


def _narrowing(facts: PairFacts, most: int, check: Callable[[int, int], None]) -> list[Candidate]:
    liner, gatherer, found = PairLiner(facts), PresentGatherer(facts), []
    for number, each in enumerate(facts.queries):
        check(number, len(facts.queries))
        if is_left_out(each, facts.conventions):
            continue
        lined = liner.line_up(each)
        gatherer.add(lined.pair)
        found.append((each, *_tried_values(facts, lined)))
    check(len(facts.queries), len(facts.queries))
    total = weight = 0.0
    present = gatherer.compute()
    counts = [counts_now(facts, each, now) for (each, *_), now in zip(found, present, strict=True)]
    for (each, *_), now, is_counted in zip(found, present, counts, strict=True):
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
    return [Candidate(query, document, by) for query, document, by in _largest(parts, most)]


def _tried_values(facts: PairFacts, lined: LinedUp) -> tuple[IntArray, FloatArray]:
    """Return the documents whose judgment is looked at, and the first ranking's values by grade."""
    pair, wanted = lined.pair, _wanted(facts, lined)
    stakes = compute_stakes(
        facts.measure,
        pair.query_grades()[0],
        facts.scale,
        leave_out_unjudged=facts.conventions.unjudged == "left out",
        wanted=wanted[pair.first],
    )
    ranked = pair.first[stakes.ranks - 1]
    is_missing = pair.is_open & wanted
    is_missing[pair.first] = False
    missing = np.flatnonzero(is_missing)
    absent = np.broadcast_to(stakes.values_missing, (len(missing), stakes.values.shape[1]))
    return lined.documents[np.concatenate((ranked, missing))], np.vstack((stakes.values, absent))


def _wanted(facts: PairFacts, lined: LinedUp) -> npt.NDArray[np.bool_]:
    """Return which documents of a query's pair are looked at."""
    wanted = np.zeros(len(lined.documents), dtype=bool)
    for top in (*lined.pair.cut(facts.measure.cutoff or SEARCH_DEPTH), lined.pooled):
        wanted[top] = True
    return wanted


def _largest(
    parts: Sequence[tuple[int, IntArray, FloatArray]], most: int
) -> list[tuple[int, int, float]]:
    """Return the largest stakes above 0 of some queries as (query, document, stake)."""
    queries = np.repeat([query for query, _, _ in parts], [len(docs) for _, docs, _ in parts])
    documents = np.concatenate([np.zeros(0, np.int32), *(docs for _, docs, _ in parts)])
    stakes = np.concatenate([np.zeros(0), *(moves for _, _, moves in parts)])
    least = SAME
    if len(stakes) > most:
        least = max(SAME, float(np.partition(stakes, -most)[-most]))
    at = np.flatnonzero((stakes > SAME) & (stakes >= least))
    at = at[np.lexsort((documents[at], queries[at], -stakes[at]))][:most]
    columns = (queries[at].tolist(), documents[at].tolist(), stakes[at].tolist())
    return list(zip(*columns, strict=True))
