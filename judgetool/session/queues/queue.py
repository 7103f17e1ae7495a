"""The queue: which document comes next for an assessor."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from judgetool.core.judgments import State
from judgetool.session.judgment_book import Opinion
from judgetool.session.material import Material
from judgetool.session.pool import IntArray, Pool
from judgetool.session.queues.order import (
    OrderPolicy,
    chosen_rankings,
    interleave,
    order_documents,
    order_of,
    places_by_name,
)
from judgetool.session.session import Session
from judgetool.storage.connection import Connection


class Left(NamedTuple):
    """What stands between now and Judged@k = 1 for all runs.

    Attributes:
        pairs: unjudged (query, document) pairs within the first k ranks of any run.
        queries: queries with at least one of them.
        total: pairs within the first k ranks, judged or not.
    """

    pairs: int
    queries: int
    total: int

    @property
    def is_done(self) -> bool:
        """Whether every document within the first k ranks is judged."""
        return self.pairs == 0


def judgments_left(session: Session, k: int = 10) -> Left:
    """Return what is left to judge to reach Judged@k = 1 for all runs.

    A document that was said to be impossible to judge is not left: nobody could do
    more. The judgments of the chosen view count. It is counted once and then kept up
    to date by every judgment.

    Args:
        session: the project.
        k: ranks of each run, at least 1.
    """
    pool = session.board.top_pool(k)
    progress = pool.total_progress()
    return Left(progress.total - progress.judged, pool.count_open_queries(), progress.total)


Pair = tuple[int, int]


def list_documents(
    session: Session, run_id: int | None, query: int, policy: OrderPolicy | None = None
) -> tuple[IntArray, int]:
    """Return the documents shown for a query, and how many of them the run ranked.

    In the order of ranks: first the run's ranking, then documents of the pool that the
    run lacks, so that all that is to be judged can be reached. In any other order: the
    queue, then what the run ranked besides; see :func:`list_ranks` for the ranks then.
    At the end of all: what somebody has judged and no run has found.

    Args:
        session: the project.
        run_id: the run shown; ``None`` shows the pool without a ranking.
        query: number of the query.
        policy: the order; ``None`` for the one that is chosen.
    """
    policy = policy or order_of(session)
    listed, ranked = session.board.pool(query), np.zeros(0, dtype=np.int32)
    if run_id is not None:
        ranked = session.material.ranked_documents(run_id, query)
    if run_id is None or policy.kind != "rank" or policy.unjudged_first:
        queue = order_documents(session, query, policy, run_id)
        listed = np.concatenate([queue, ranked[~np.isin(ranked, queue)]])
    else:
        listed = np.concatenate([ranked, listed[~np.isin(listed, ranked)]])
    beyond = session.board.judged_beyond(query)
    return np.concatenate([listed, beyond]) if len(beyond) else listed, len(ranked)


def find_query_with(session: Session, document: int, run_id: int | None) -> int | None:
    """Return the first query that lists a document while a run is shown; ``None`` for no query."""
    for query in range(len(session.material.queries)):
        if document in list_documents(session, run_id, query, OrderPolicy())[0]:
            return query
    return None


def list_ranks(
    session: Session, run_id: int | None, query: int, documents: Sequence[int] | IntArray
) -> IntArray:
    """Return the rank of each document in a run, from 1; 0 where the run lacks it."""
    ranks = np.zeros(len(documents), dtype=np.int32)
    ranked = None if run_id is None else session.material.ranked_documents(run_id, query)
    if ranked is None or not len(ranked):
        return ranks
    wanted, order = np.asarray(documents), np.argsort(ranked)
    places = order[np.minimum(np.searchsorted(ranked, wanted, sorter=order), len(ranked) - 1)]
    is_ranked = ranked[places] == wanted
    ranks[is_ranked] = places[is_ranked] + 1
    return ranks


def find_next_unjudged(
    session: Session, query: int, documents: Sequence[int], *, after: int
) -> int | None:
    """Return the place of the next unjudged document of a query, or ``None``.

    Looks below ``after`` first, then from the top. Only documents of the pool count.
    What the assessor skipped comes last.

    Args:
        session: the project.
        query: number of the query.
        documents: what is shown, in order.
        after: place of the current document; -1 to start at the top.
    """
    pool: set[int] = set(session.board.pool(query).tolist())
    settled = session.board.settled(query)
    n_shown = len(documents)
    first_skipped: int | None = None
    # At every key, through lists of thousands: no further than to the first that will do.
    for place in chain(range(after + 1, n_shown), range(min(after + 1, n_shown))):
        document = documents[place]
        if document in settled or document not in pool:
            continue
        if not _is_skipped(session.opinions(query).get(document, ()), session.assessor):
            return place
        first_skipped = place if first_skipped is None else first_skipped
    return first_skipped


def _is_skipped(opinions: Iterable[Opinion], assessor: str) -> bool:
    return any(
        opinion.judgment.state is State.SKIPPED and opinion.assessor == assessor
        for opinion in opinions
    )


def find_next_query(session: Session, order: Sequence[int], *, after: int | None) -> int | None:
    """Return the next query whose pool is not done, going round once, or ``None``.

    Args:
        session: the project.
        order: query numbers in the order in which they are shown.
        after: the current query; ``None`` starts at the first.
    """
    start = 0 if after is None or after not in order else list(order).index(after) + 1
    turned = [*order[start:], *order[:start]]
    return next((query for query in turned if not session.board.progress(query).is_done), None)


class PairQueue:
    """(query, document) pairs in the order in which they are judged.

    Args:
        queries: shape (n,).
        documents: shape (n,).
    """

    def __init__(self, queries: IntArray, documents: IntArray) -> None:
        self._queries, self._documents = queries, documents

    def __len__(self) -> int:
        return len(self._queries)

    @cached_property
    def _pairs(self) -> list[Pair]:
        """All of it as plain numbers: looked through at every key."""
        return list(zip(self._queries.tolist(), self._documents.tolist(), strict=True))

    def iter_from(self, place: int) -> Iterator[Pair]:
        """Yield all pairs from a place on, and then those before it."""
        return chain(islice(self._pairs, place, None), islice(self._pairs, place))

    def find(self, pair: Pair) -> int | None:
        """Return the place of a pair, or ``None``."""
        found = np.flatnonzero((self._queries == pair[0]) & (self._documents == pair[1]))
        return int(found[0]) if len(found) else None


class _Source(NamedTuple):
    """What a queue that judging does not change is made of, for any thread: nothing of it changes."""

    policy: OrderPolicy
    material: Material
    pool: Pool
    assessor: str
    runs: tuple[str, ...]

    def make(self, reader: Connection) -> PairQueue:
        """Return the queue over all queries: by chance, or one document of each in turn.

        Args:
            reader: a connection of the calling thread.
        """
        queries, documents = self.pool.pairs()
        numbers = range(len(self.material.queries))
        if self.policy.kind == "interleaved":
            parts = [
                interleave(
                    chosen_rankings(self.material, self.runs, each), self.pool.documents(each)
                )
                for each in numbers
            ]
            documents = np.concatenate([np.zeros(0, dtype=np.int32), *parts])
        elif self.policy.kind != "rank":
            names = self.policy, self.assessor, self.material.queries
            places = places_by_name(*names, queries, documents, reader)
            queries, documents = queries[places], documents[places]
        if self.policy.kind != "random":
            starts = np.searchsorted(queries, numbers)
            places = np.lexsort((queries, np.arange(len(queries)) - starts[queries]))
            queries, documents = queries[places], documents[places]
        return PairQueue(queries.astype(np.int32), documents)


class _KeptQueue:
    """The queue over all queries that judging does not change, for as long as the pool stays."""

    def __init__(self, _session: Session) -> None:
        self.source: _Source | None = None
        self.queue = PairQueue(np.zeros(0, np.int32), np.zeros(0, np.int32))


class PendingQueue:
    """A queue over all queries that is to be built: on another thread, and kept on this one.

    Args:
        session: the project.
        policy: one that judging leaves as it is.
    """

    def __init__(self, session: Session, policy: OrderPolicy) -> None:
        self._session = session
        pool, runs = session.board.whole_pool, session.pool_choice.policy.runs
        self.source = _Source(policy, session.material, pool, session.assessor, runs)

    def build(self) -> PairQueue:
        """Return the queue; on any thread."""
        with self._session.second_reader() as reader:
            return self.source.make(reader)

    def keep(self, queue: PairQueue) -> bool:
        """Use what was built from now on, unless the pool is another; return whether it is used."""
        is_current = self._session.board.whole_pool is self.source.pool
        if is_current:
            kept = self._session.owned(_KeptQueue)
            kept.source, kept.queue = self.source, queue
        return is_current


def prepare_queue(session: Session) -> PendingQueue | None:
    """Return the work that makes :func:`find_next_pair` quick, or ``None`` if nothing is to do."""
    policy = order_of(session)
    if not (policy.is_fixed and policy.across_queries):
        return None
    pending = PendingQueue(session, policy)
    return None if session.owned(_KeptQueue).source == pending.source else pending


def fixed_queue(session: Session, policy: OrderPolicy | None = None) -> PairQueue:
    """Return the queue over all queries: by chance, or one document of each query in turn.

    Args:
        session: the project.
        policy: one that judging leaves as it is; ``None`` for the one that is chosen.

    Returns:
        Each pair of the pool once; kept for as long as the pool stays.
    """
    pending, kept = PendingQueue(session, policy or order_of(session)), session.owned(_KeptQueue)
    if kept.source != pending.source:
        pending.keep(pending.source.make(session.reader))
    return kept.queue


def find_next_pair(session: Session, after: Pair | None) -> Pair | None:
    """Return the next unjudged (query, document) across all queries, or ``None``.

    Looks behind ``after`` first, then from the front; what the assessor skipped comes
    last. An order that judging changes is looked at query by query, in turn: of the
    next query with something left the first document of its queue.

    Args:
        session: the project.
        after: the current pair; ``None`` starts at the front.
    """
    skipped: Pair | None = None
    for query, document in _iter_open(session, order_of(session), after):
        if not _is_skipped(session.opinions(query).get(document, ()), session.assessor):
            return query, document
        skipped = skipped or (query, document)
    return skipped


def _iter_open(session: Session, policy: OrderPolicy, after: Pair | None) -> Iterator[Pair]:
    """Yield unjudged pairs in the order in which they are offered."""
    board = session.board
    if board.total_progress().is_done:
        return
    if policy.is_fixed:
        queue, settled = fixed_queue(session, policy), board.all_settled()
        place = queue.find(after) if after is not None else None
        for query, document in queue.iter_from(0 if place is None else place + 1):
            if document not in settled.get(query, ()):
                yield query, document
        return
    start = 0 if after is None else after[0] + 1
    for query in (*range(start, board.n_queries), *range(min(start, board.n_queries))):
        if not board.progress(query).is_done:
            documents = order_documents(session, query, policy).tolist()
            place = find_next_unjudged(session, query, documents, after=-1)
            if place is not None:
                yield query, documents[place]
