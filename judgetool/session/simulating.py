"""Replays of a judging whose outcome is known: what an order of judging and a way to stop would have cost."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.errors import UsageError
from judgetool.metrics import Engine, Measure
from judgetool.metrics.block import grading_of
from judgetool.metrics.decide import (
    Attempt,
    DecideRules,
    Ending,
    outcome_by_interval,
)
from judgetool.metrics.decide_units import SAME, PairQuery, Units, is_sum, pool_pair
from judgetool.metrics.grades import RankingPair
from judgetool.session.queue import move_to_front
from judgetool.wording import _, listed

OrderName = Literal["decide", "depth", "random", "mtf", "stake", "overturn", "queries"]
ORDERS: tuple[OrderName, ...] = get_args(OrderName)
StopName = Literal["decided", "certain", "all"]
STOPS: tuple[StopName, ...] = get_args(StopName)
DRAWN: tuple[OrderName, ...] = ("decide", "queries")
"""Orders that are drawn by lot in proportion: they alone may stop by evidence."""
BY_CHANCE: tuple[OrderName, ...] = (*DRAWN, "random")
"""Orders of which each seed makes another."""

FloatArray = npt.NDArray[np.float64]


class ReplayPlan(NamedTuple):
    """How a judging goes.

    Attributes:
        order: in which documents are judged.
        stop: when it ends.
        rules: risk and tie of a stop by evidence.

    Raises:
        UsageError: by :meth:`check`.
    """

    order: OrderName = "decide"
    stop: StopName = "decided"
    rules: DecideRules = DecideRules()

    def check(self) -> None:
        """Refuse a stop by evidence in an order that does not allow it.

        Raises:
            UsageError: the text says why.
        """
        if self.stop == "decided" and self.order not in DRAWN:
            raise UsageError(
                _(
                    "--stop decided goes with the orders {known} alone, not with {order}: only "
                    "documents drawn by lot with known chances speak fairly for both runs before all "
                    "are judged. Take --stop certain or --stop all."
                ).format(known=listed(DRAWN), order=self.order)
            )


class Replay(NamedTuple):
    """How one judging went.

    Attributes:
        seed: of its lots.
        judgments: until the stop.
        outcome: what the stop said; ``None``: all was judged, and it is still open.
        settled: judgments after which the sign of the difference shown stayed the true one.
    """

    seed: int
    judgments: int
    outcome: Ending | None
    settled: int


@dataclass(frozen=True, eq=False)
class Contest:
    """Two runs whose pool of both, down to the cutoff, is graded in full.

    Attributes:
        names: of the two runs.
        measure: by which they are compared.
        scale: how grades are read; ``None`` for TREC 0-4.
        queries: with all grades.
        leave_out_unjudged: the convention.
        of_qrels: the mean difference by all that is judged. Here what is outside of the pool counts as
            not relevant, as for whoever judges the pool alone.
    """

    names: tuple[str, str]
    measure: Measure
    scale: Scale | None
    queries: tuple[PairQuery, ...]
    leave_out_unjudged: bool = False
    of_qrels: float = 0.0

    @cached_property
    def n_pool(self) -> int:
        """Documents of the pool."""
        return sum(int(each.counts.sum()) for each in self.queries)

    @cached_property
    def n_counting(self) -> int:
        """Documents of the pool that can move the difference."""
        return len(self._graded_units.grades)

    @cached_property
    def difference(self) -> float:
        """The mean difference with all judged."""
        return float(self._graded_units.now.sum())

    @cached_property
    def _graded_units(self) -> Units:
        return self._units(self.queries, by_query=False)

    def units(self, *, by_query: bool) -> Units:
        """Return what is drawn, with nothing judged; the same each time, to be cleared."""
        is_query = by_query or not is_sum(self.measure, leave_out_unjudged=self.leave_out_unjudged)
        return self._units_by_query if is_query else self._units_of_pairs

    @cached_property
    def _units_of_pairs(self) -> Units:
        return self._units(self._open, by_query=False)

    @cached_property
    def _units_by_query(self) -> Units:
        return self._units(self._open, by_query=True)

    @property
    def _open(self) -> list[PairQuery]:
        return [
            PairQuery(
                RankingPair(
                    each.pair.first,
                    each.pair.second,
                    np.where(each.counts, np.nan, each.pair.grades),
                ),
                each.counts,
                each.share,
            )
            for each in self.queries
        ]

    def _units(self, queries: Sequence[PairQuery], *, by_query: bool) -> Units:
        return Units(
            self.measure,
            self.scale,
            queries,
            leave_out_unjudged=self.leave_out_unjudged,
            by_query=by_query,
        )

    def grades_of(self, units: Units) -> list[float]:
        """Return the true grade of each document of some units."""
        places = zip(units.queries.tolist(), units.places.tolist(), strict=True)
        return [float(self.queries[query].pair.grades[place]) for query, place in places]

    def swapped(self, is_swapped: npt.NDArray[np.bool_]) -> "Contest":
        """Return a contest in which the runs have changed places in some queries, shape (n,)."""
        queries = tuple(
            PairQuery(each.pair.swapped(), each.counts, each.share) if swaps else each
            for each, swaps in zip(self.queries, is_swapped.tolist(), strict=True)
        )
        return Contest(self.names, self.measure, self.scale, queries, self.leave_out_unjudged)

    @cached_property
    def differences(self) -> FloatArray:
        """What each query adds to the mean difference with all judged, shape (n,)."""
        units = self._graded_units
        of_unit = np.zeros(len(units), dtype=np.intp)
        of_unit[units.of] = units.queries
        sums = np.bincount(of_unit, weights=units.now, minlength=len(self.queries))
        return sums.astype(np.float64)


def contest_of(
    engine: Engine, first: tuple[str, int], second: tuple[str, int], measure: Measure
) -> Contest:
    """Return two runs of an engine with their pool graded in full: what nobody judged is 0.

    What is judged outside of the pool is left out, as whoever judges a pool knows nothing of it.
    Only queries of which something is judged count, and, as the conventions may say, only
    those that both runs have.
    """
    conventions = engine.conventions
    blocks = [engine.block(key) for _, key in (first, second)]
    leaves_out = conventions.unjudged == "left out"
    parts: list[tuple[RankingPair, npt.NDArray[np.bool_]]] = []
    numbers: list[int] = []
    for query in range(engine.n_queries):
        rankings = [block.ranking(query) for block in blocks]
        is_lacking = not all(len(ranking) for ranking in rankings)
        if not engine.is_judged_query(query) or (conventions.missing == "both" and is_lacking):
            continue
        found = pool_pair(
            RankingPair.from_documents(*rankings, known={}),
            measure,
            engine.scale,
            leave_out_unjudged=leaves_out,
        )
        documents = np.unique(np.concatenate(rankings))[found.kept]
        judged, grades = engine.judged_grades(query)
        known = dict(zip(judged.tolist(), np.maximum(grades, 0.0).tolist(), strict=True))
        given = np.array([known.get(document, 0.0) for document in documents.tolist()])
        pair = found.pair
        graded = np.where(found.counts, given, pair.grades)
        parts.append((RankingPair(pair.first, pair.second, graded), found.counts))
        numbers.append(query)
    share = 1.0 / max(1, len(parts))
    queries = tuple(PairQuery(pair, counts, share) for pair, counts in parts)
    column = engine.measures.index(measure)
    values = [engine.counted_values(key)[numbers, column].filled(0.0) for _, key in (first, second)]
    of_qrels = share * float((values[0] - values[1]).sum())
    return Contest((first[0], second[0]), measure, engine.scale, queries, leaves_out, of_qrels)


def near_ties(contest: Contest, n: int, least: float, seed: int) -> Iterator[Contest]:
    """Yield contests of which the difference is less than ``least``, and not 0.

    The runs change places in queries chosen by lot; then in one query after the other, as long
    as that brings the difference nearer to 0.
    """
    differences, random = contest.differences, np.random.default_rng((seed, 3))
    found = 0
    # Where a few queries decide everything there may be none.
    for __ in range(100 * n):
        if found == n:
            return
        swaps = random.random(len(differences)) < 0.5
        signs = np.where(swaps, -1.0, 1.0)
        total = float(signs @ differences)
        for query in random.permutation(len(differences)).tolist():
            if abs(total) < least:
                break
            after = total - 2.0 * signs[query] * differences[query]
            if abs(after) < abs(total):
                total, signs[query] = after, -signs[query]
        if SAME < abs(total) < least:
            found += 1
            yield contest.swapped(signs < 0)


def replay(contest: Contest, plan: ReplayPlan, seed: int) -> Replay:
    """Judge a contest in an order until the stop, by what is known of it."""
    if plan.order in DRAWN:
        return _replay_drawn(contest, plan, seed)
    units = contest.units(by_query=False)
    units.clear()
    steps = (
        _by_moves(units, is_two_sided=plan.order == "stake")
        if plan.order in ("stake", "overturn")
        else _in_order(contest, units, _ORDERS[plan.order](contest, seed))
    )
    track = _Track(contest, units)
    for document in steps:
        track.judge(document)
    n_all = track.n_judged if plan.order in ("stake", "overturn") else contest.n_pool
    stop = n_all if plan.stop == "all" else track.first_certain(plan.rules)
    outcome = outcome_by_interval(units.interval, plan.rules.tie)
    if plan.stop == "certain" and stop is not None:
        outcome = track.outcome_at(stop, plan.rules)
    return Replay(seed, n_all if stop is None else stop, outcome, track.settled)


class _Track:
    """What could be seen after each judgment."""

    def __init__(self, contest: Contest, units: Units) -> None:
        self._contest, self._units = contest, units
        self._grades = contest.grades_of(units)
        self._intervals = [units.interval]
        self._shown = [float(units.now.sum())]

    @property
    def n_judged(self) -> int:
        return len(self._shown) - 1

    def judge(self, document: int | None) -> None:
        """Judge a document; ``None`` for one of no use for the difference."""
        if document is not None:
            self._units.give(document, self._grades[document])
            self._intervals.append(self._units.interval)
            self._shown.append(float(self._units.now.sum()))
        else:
            self._intervals.append(self._intervals[-1])
            self._shown.append(self._shown[-1])

    def outcome_at(self, judgments: int, rules: DecideRules) -> Ending | None:
        return outcome_by_interval(self._intervals[judgments], rules.tie)

    def first_certain(self, rules: DecideRules) -> int | None:
        """Return after how many judgments something is certain."""
        return next(
            (at for at in range(len(self._intervals)) if self.outcome_at(at, rules) is not None),
            None,
        )

    @property
    def settled(self) -> int:
        shown, difference = np.array(self._shown), self._contest.difference
        truth = np.sign(difference) if abs(difference) > SAME else 0.0
        signs = np.where(np.abs(shown) > SAME, np.sign(shown), 0.0)
        wrong = np.flatnonzero(signs != truth)
        return min(int(wrong[-1]) + 1, self.n_judged) if len(wrong) else 0


def _replay_drawn(contest: Contest, plan: ReplayPlan, seed: int) -> Replay:
    units = contest.units(by_query=plan.order == "queries")
    units.clear()
    decision = Attempt(units, plan.rules, seed)
    track = _Track(contest, units)
    ends = []
    while decision.draw() is not None:
        while (document := decision.next_document()) is not None:
            track.judge(document)
        ends.append(track.n_judged)
    evidence = decision.evidence()
    # Whole queries are left when little of them is open.
    for document in _by_moves(units, is_two_sided=True):
        track.judge(document)
    stops: list[tuple[int, Ending | None]] = [(track.n_judged, track.outcome_at(-1, plan.rules))]
    if plan.stop != "all" and (certain := track.first_certain(plan.rules)) is not None:
        stops.append((certain, track.outcome_at(certain, plan.rules)))
    by_evidence = evidence.first_stop(plan.rules.risk)
    if plan.stop == "decided" and by_evidence is not None:
        stops.append((ends[by_evidence[0]], Ending(by_evidence[1], is_certain=False)))
    # Of equals what is certain.
    judgments, outcome = min(
        stops, key=lambda stop: (stop[0], not (stop[1] and stop[1].is_certain))
    )
    return Replay(seed, judgments, outcome, track.settled)


def _by_moves(units: Units, *, is_two_sided: bool) -> Iterator[int]:
    """Yield open documents by stake; if not two-sided, those that move towards the other verdict."""
    best = np.full((3, len(units)), -1.0)
    documents = np.zeros((3, len(units)), dtype=np.int64)

    def look(unit: int) -> None:
        found = units.moves_of(unit)
        if not len(found.documents):
            best[:, unit] = -1.0
            return
        for row, moves in enumerate((found.down, found.up, np.maximum(found.down, found.up))):
            at = int(moves.round(12).argmax())
            best[row, unit], documents[row, unit] = moves[at].round(12), found.documents[at]

    for unit in range(len(units)):
        look(unit)
    while len(units) and best[2].max() >= 0:
        total = float(units.now.sum())
        row = 2 if is_two_sided or abs(total) <= SAME else int(total < 0)
        if best[row].max() <= 0:
            row = 2
        unit = int(best[row].argmax())
        yield int(documents[row, unit])
        look(unit)


def _in_order(
    contest: Contest, units: Units, order: Sequence[tuple[int, int]]
) -> Iterator[int | None]:
    """Yield the documents of an order of (query, place); ``None`` for one of no use."""
    columns = zip(units.queries.tolist(), units.places.tolist(), strict=True)
    documents = {pair: document for document, pair in enumerate(columns)}
    assert len(order) == contest.n_pool
    yield from map(documents.get, order)


def _depth_order(contest: Contest, _seed: int) -> list[tuple[int, int]]:
    """Rank by rank over all queries: by the better of a document's two ranks."""
    rows = []
    for query, each in enumerate(contest.queries):
        rank = np.full(len(each.counts), len(each.counts))
        for ranking in (each.pair.first, each.pair.second):
            rank[ranking] = np.minimum(rank[ranking], np.arange(len(ranking)))
        rows += [(int(rank[place]), query, place) for place in np.flatnonzero(each.counts).tolist()]
    return [(query, place) for _, query, place in sorted(rows)]


def _random_order(contest: Contest, seed: int) -> list[tuple[int, int]]:
    order = _depth_order(contest, seed)
    places = np.random.default_rng((seed, 4)).permutation(len(order)).tolist()
    return [order[place] for place in places]


def _front_order(contest: Contest, _seed: int) -> list[tuple[int, int]]:
    """Move to front in each query, one document of each query in turn."""
    relevant_from = grading_of(contest.scale).relevant_from
    rows = []
    for query, each in enumerate(contest.queries):
        rankings = [ranking.astype(np.int32) for ranking in (each.pair.first, each.pair.second)]
        pool = np.flatnonzero(each.counts).astype(np.int32)
        judged: list[tuple[int, bool | None]] = []
        for turn in range(len(pool)):
            place = int(move_to_front(rankings, pool, judged)[turn])
            judged.append((place, bool(each.pair.grades[place] >= relevant_from)))
            rows.append((turn, query, place))
    return [(query, place) for _, query, place in sorted(rows)]


_ORDERS: dict[OrderName, Callable[[Contest, int], list[tuple[int, int]]]] = {
    "depth": _depth_order,
    "random": _random_order,
    "mtf": _front_order,
}


class PairResult(NamedTuple):
    """What the replays of two runs, or of near ties made of them, came to.

    Attributes:
        contests: the contest of each replay.
        replays: of each, shape alike.
        rules: by which they stopped.
    """

    contests: Sequence[Contest]
    replays: Sequence[Replay]
    rules: DecideRules

    def verdicts(self) -> Iterator[str]:
        """Yield for each replay ``right``, ``wrong``, ``tie`` or ``open``."""
        for contest, each in zip(self.contests, self.replays, strict=True):
            yield _verdict(contest.difference, each.outcome, self.rules.tie)

    def shares(self) -> list[float]:
        """Return for each replay which part of the pool was judged."""
        return self._by_pool([each.judgments for each in self.replays])

    def settled(self) -> list[float]:
        """Return for each replay after which part of the pool the sign shown was right for good."""
        return self._by_pool([each.settled for each in self.replays])

    def _by_pool(self, counts: Sequence[int]) -> list[float]:
        pools = (max(1, each.n_pool) for each in self.contests)
        return [count / pool for count, pool in zip(counts, pools, strict=True)]


def _verdict(difference: float, outcome: Ending | None, tie: float | None) -> str:
    if outcome is None:
        return "open"
    if outcome.winner:
        return "right" if outcome.winner * difference > SAME else "wrong"
    return "tie" if abs(difference) <= (tie or SAME) else "wrong"
