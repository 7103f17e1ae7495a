"""Whether further judgments can still change which of two systems is better."""

from collections.abc import Callable
from dataclasses import dataclass

from judgetool.metrics import Bounds, Measure
from judgetool.metrics.bounds import WIDE_KERNELS
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
    is_left_out,
)
from judgetool.session.session import Session
from judgetool.session.systems import System


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
    if not each.is_judged:
        return True
    # A value that is defined stays so: relevant documents only become more.
    is_certain = None not in present and facts.measure.spec.kernel not in WIDE_KERNELS
    return facts.conventions.undefined == "leave out" and not is_certain


def verdict_of(
    facts: PairFacts, check: Callable[[int, int], None] = lambda _done, _total: None
) -> Verdict:
    """Return whether further judgments can still change which system is better; see :func:`is_decided`."""
    found: list[tuple[QueryFacts, Bounds, int]] = []
    liner, gatherer = PairLiner(facts), PresentGatherer(facts)
    for number, each in enumerate(facts.queries):
        check(number, len(facts.queries))
        if is_left_out(each, facts.conventions) or not (len(each.first) or len(each.second)):
            continue
        pair = liner.line_up(each).pair
        gatherer.add(pair)
        bounds = compute_pair_bounds(facts.measure, pair, facts.scale, budget=SEARCH_BUDGET)
        found.append((each, bounds, int(pair.is_open.sum())))
    check(len(facts.queries), len(facts.queries))
    low = high = total = weight = 0.0
    n_open, is_exact = 0, True
    for (each, bounds, n_unjudged), present in zip(found, gatherer.compute(), strict=True):
        ends = [bounds.low, bounds.high]
        if counts_now(facts, each, present):
            total += each.weight * present.difference
            weight += each.weight
            # Unjudged documents may count as less than the lowest level.
            ends.append(present.difference)
        may_leave = _may_count_as_nothing(facts, each, present)
        if may_leave:
            ends.append(0.0)
        low, high = low + each.weight * min(ends), high + each.weight * max(ends)
        if max(ends) - min(ends) > SAME:
            n_open += n_unjudged
            # A query that may come in or go changes by how many the sum is divided.
            is_exact &= bounds.is_exact and not may_leave
    return _concluded(facts, (low, total, high), weight, n_open, is_exact=is_exact)


def _concluded(
    facts: PairFacts,
    sums: tuple[float, float, float],
    weight: float,
    n_open: int,
    *,
    is_exact: bool,
) -> Verdict:
    by = weight or 1.0
    low, total, high = (each / by for each in sums)
    margin = SAME * max(1, len(facts.queries))
    is_decided = low > margin or high < -margin or max(abs(low), abs(high)) <= margin
    first, second = facts.names
    better = f"{first} is better than {second}" if total > 0 else f"{second} is better than {first}"
    if abs(total) <= margin:
        better = f"{first} and {second} are equal"
    of = f"by {facts.measure}"
    if not weight:
        sentence = f"Nothing is judged that {first} and {second} could be compared by."
    elif is_decided:
        sentence = (
            f"Certain on these queries: {better} {of}, however the unjudged documents of the pool and of these "
            "two rankings are graded."
        )
    else:
        sentence = (
            f"Open on these queries: {better} {of} as judged so far; with all judged the mean "
            f"difference lies {'' if is_exact else 'within '}{low:+.4f} to {high:+.4f}."
        )
    return Verdict(
        facts.measure,
        total if weight else None,
        low,
        high,
        is_decided and bool(weight),
        is_exact,
        n_open,
        sentence,
    )
