"""Whether further judgments can still change which of two systems is better."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgetool.metrics import Bounds, Measure
from judgetool.metrics.bounds import ALWAYS, PERHAPS, BoundsBlock
from judgetool.metrics.bounds_difference import SEARCH_BUDGET, compute_pair_bounds
from judgetool.session.comparing.pair_facts import (
    SAME,
    IsCancelled,
    PairFacts,
    PairLiner,
    PresentGatherer,
    PresentValues,
    Progress,
    QueryFacts,
    checker,
    collect_pair,
    counts_now,
    counts_unjudged,
    is_left_out,
    pair_of_engine,
)
from judgetool.session.session import Session
from judgetool.session.systems import System

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


def _may_count_as_nothing(facts: PairFacts, each: QueryFacts, present: PresentValues) -> bool:
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
) -> Iterator[tuple[QueryFacts, Bounds, int, PresentValues]]:
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
