"""The queue: which document comes next for an assessor."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, pairwise
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import State
from judgetool.core.override import override
from judgetool.session.board import are_among, pair_keys, settled_pairs
from judgetool.session.judgment_book import Opinion
from judgetool.session.material import Material
from judgetool.session.pool import IntArray, LongArray, Pool
from judgetool.session.queues.order import (
    OrderPolicy,
    chosen_rankings,
    interleave,
    make_random_key,
    order_documents,
    order_of,
    order_pool,
)
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.ids import load_id_texts


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
_PairArrays = tuple[LongArray, IntArray]


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


class PairQueue(Sequence[Pair]):
    """(query, document) pairs in the order in which they are judged.

    Args:
        queries: shape (n,).
        documents: shape (n,).
    """

    def __init__(self, queries: IntArray, documents: IntArray) -> None:
        self.queries = queries
        self.documents = documents

    @override
    def __len__(self) -> int:
        return len(self.queries)

    @overload
    def __getitem__(self, place: int) -> Pair: ...

    @overload
    def __getitem__(self, place: slice) -> "PairQueue": ...

    @override
    def __getitem__(self, place: int | slice) -> "Pair | PairQueue":
        if isinstance(place, slice):
            return PairQueue(self.queries[place], self.documents[place])
        return int(self.queries[place]), int(self.documents[place])

    @cached_property
    def _pairs(self) -> list[Pair]:
        """All of it as plain numbers: looked through at every key."""
        return list(zip(self.queries.tolist(), self.documents.tolist(), strict=True))

    def iter_from(self, place: int) -> Iterator[Pair]:
        """Yield all pairs from a place on, and then those before it."""
        return chain(islice(self._pairs, place, None), islice(self._pairs, place))

    def find(self, pair: Pair) -> int | None:
        """Return the place of a pair, or ``None``."""
        found = np.flatnonzero((self.queries == pair[0]) & (self.documents == pair[1]))
        return int(found[0]) if len(found) else None


class _FixedQueues:
    """The queue over all queries that judging does not change, for as long as the pool stays."""

    def __init__(self, _session: Session) -> None:
        self._pool: Pool | None = None
        self._queues: dict[tuple[OrderPolicy, str], PairQueue] = {}

    def of(self, pool: Pool) -> dict[tuple[OrderPolicy, str], PairQueue]:
        """Return what is kept for a pool, by policy and assessor; at most one."""
        if pool is not self._pool:
            self._pool, self._queues = pool, {}
        return self._queues


def iter_queue(session: Session, policy: OrderPolicy | None = None) -> PairQueue:
    """Return the queue over all queries: by chance, or one document of each query in turn.

    Args:
        session: the project.
        policy: ``None`` for the one that is chosen.

    Returns:
        Each pair of the pool once. One that judging does not change is kept for as long
        as the pool stays.
    """
    policy = policy or order_of(session)
    if not policy.is_fixed:
        return _build_queue(session, policy)
    kept = session.owned(_FixedQueues).of(session.board.whole_pool)
    key = (policy, session.assessor)
    if key not in kept:
        kept.clear()
        kept[key] = _build_queue(session, policy)
    return kept[key]


def prepare_queue(session: Session) -> "PendingQueue | None":
    """Return the work that makes :func:`find_next_pair` quick, or ``None`` if nothing is to do."""
    policy = order_of(session)
    if not (policy.is_fixed and policy.across_queries):
        return None
    if (policy, session.assessor) in session.owned(_FixedQueues).of(session.board.whole_pool):
        return None
    return PendingQueue(session, policy)


class PendingQueue:
    """A queue over all queries that is to be built: on another thread, and kept on this one.

    Args:
        session: the project.
        policy: one that judging leaves as it is.
    """

    def __init__(self, session: Session, policy: OrderPolicy) -> None:
        self._session = session
        self._policy = policy
        self._source = _Source.of(session)

    def build(self) -> PairQueue:
        """Return the queue; on any thread."""
        with self._session.second_reader() as reader:
            pairs = _in_order(self._source, self._policy, reader)
            return _take_turns(self._source, self._policy, pairs, reader)

    def keep(self, queue: PairQueue) -> bool:
        """Use what was built from now on, unless the pool is another; return whether it is used."""
        is_current = self._session.board.whole_pool is self._source.pool
        if is_current:
            kept = self._session.owned(_FixedQueues).of(self._source.pool)
            kept.clear()
            kept[self._policy, self._source.assessor] = queue
        return is_current


class _Source(NamedTuple):
    """What fixed queues are made of; nothing of it changes, so that any thread may read it."""

    material: Material
    pool: Pool
    assessor: str
    runs: tuple[str, ...]

    @staticmethod
    def of(session: Session) -> "_Source":
        """Take it from a session, on the session's thread."""
        runs = session.pool_choice.policy.runs
        return _Source(session.material, session.board.whole_pool, session.assessor, runs)


def _build_queue(session: Session, policy: OrderPolicy) -> PairQueue:
    source = _Source.of(session)
    if policy.kind in ("move_to_front", "stake"):
        n_queries = session.board.n_queries
        pairs = _join(order_pool(session, query, policy) for query in range(n_queries))
    else:
        pairs = _in_order(source, policy, session.reader)
        if policy.unjudged_first:
            order = np.lexsort((_are_settled(session, *pairs), pairs[0]))
            pairs = pairs[0][order], pairs[1][order]
    queue = _take_turns(source, policy, pairs, session.reader)
    if policy.unjudged_first:
        is_settled = _are_settled(session, queue.queries, queue.documents)
        places = np.argsort(is_settled, kind="stable")
        queue = PairQueue(queue.queries[places], queue.documents[places])
    return queue


def _in_order(source: _Source, policy: OrderPolicy, reader: Connection) -> _PairArrays:
    """Return (queries, documents) of all pools query by query, each in its fixed order."""
    queries, documents = source.pool.pairs()
    if policy.kind == "interleaved":
        return _join(
            interleave(
                chosen_rankings(source.material, source.runs, query), source.pool.documents(query)
            )
            for query in range(len(source.material.queries))
        )
    if policy.kind == "id":
        order = np.lexsort((_alphabetic_places(documents, reader), queries))
        return queries, documents[order]
    return queries, documents


def _join(parts: Iterable[IntArray]) -> _PairArrays:
    """Return the documents of query after query, with their queries."""
    found = list(parts)
    queries = np.repeat(np.arange(len(found)), [len(part) for part in found])
    return queries, np.concatenate([np.zeros(0, dtype=np.int32), *found])


def _take_turns(
    source: _Source, policy: OrderPolicy, pairs: _PairArrays, reader: Connection
) -> PairQueue:
    """Return the queue over all queries: by chance, or one document of each in turn.

    Args:
        source: names of queries and documents.
        policy: the order.
        pairs: query by query, each in its order.
        reader: a connection of the calling thread.
    """
    queries, documents = pairs
    if policy.kind == "random":
        order = _by_chance(source, policy, pairs, reader)
    else:
        starts = np.searchsorted(queries, np.arange(len(source.material.queries)))
        order = np.lexsort((queries, np.arange(len(queries)) - starts[queries]))
    return PairQueue(queries[order].astype(np.int32), documents[order])


def _alphabetic_places(documents: IntArray, reader: Connection) -> npt.NDArray[np.intp]:
    """Return numbers that sort documents as their ids do, shape (n,)."""
    numbers, places = np.unique(documents, return_inverse=True)
    ids = load_id_texts(reader, numbers)
    rank_of = np.empty(len(ids), dtype=np.intp)
    rank_of[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return rank_of[places]


def _are_settled(
    session: Session, queries: LongArray | IntArray, documents: IntArray
) -> npt.NDArray[np.bool_]:
    return are_among(pair_keys(queries, documents), settled_pairs(session.board).keys)


def _by_chance(
    source: _Source, policy: OrderPolicy, pairs: _PairArrays, reader: Connection
) -> npt.NDArray[np.intp]:
    """Return the order by :func:`make_random_key`; pairs of a query stand together."""
    queries, documents = pairs
    numbers, places = np.unique(documents, return_inverse=True)
    ids = load_id_texts(reader, numbers)
    members = places.tolist()
    keys: list[bytes] = []
    names = source.material.queries
    ends = np.searchsorted(queries, np.arange(len(names) + 1)).tolist()
    for query, (start, end) in zip(names, pairwise(ends), strict=True):
        key = make_random_key(policy.seed, source.assessor, query.id)
        keys += [key(ids[member]) for member in members[start:end]]
    # Bytes compare as big numbers do.
    halves = np.frombuffer(b"".join(keys), dtype=">u8").astype(np.uint64).reshape(-1, 2)
    return np.lexsort((halves[:, 1], halves[:, 0]))


def find_next_pair(session: Session, after: Pair | None) -> Pair | None:
    """Return the next unjudged (query, document) across all queries, or ``None``.

    Looks behind ``after`` first, then from the front; what the assessor skipped comes
    last. An order that judging changes is looked at query by query, in turn: of the
    next query with something left the first document of its queue.

    Args:
        session: the project.
        after: the current pair; ``None`` starts at the front.
    """
    policy = order_of(session)
    if not policy.is_fixed:
        return _find_in_turn(session, policy, after)
    if session.board.total_progress().is_done:
        return None
    queue = iter_queue(session, policy)
    place = queue.find(after) if after is not None else None
    settled = session.board.all_settled()
    skipped: Pair | None = None
    for query, document in queue.iter_from(0 if place is None else place + 1):
        if document in settled.get(query, ()):
            continue
        if not _is_skipped(session.opinions(query).get(document, ()), session.assessor):
            return query, document
        skipped = skipped or (query, document)
    return skipped


def _find_in_turn(session: Session, policy: OrderPolicy, after: Pair | None) -> Pair | None:
    n_queries = session.board.n_queries
    start = 0 if after is None else after[0] + 1
    skipped: Pair | None = None
    for query in (*range(start, n_queries), *range(min(start, n_queries))):
        if session.board.progress(query).is_done:
            continue
        documents = order_documents(session, query, policy).tolist()
        place = find_next_unjudged(session, query, documents, after=-1)
        if place is None:
            continue
        document = documents[place]
        if not _is_skipped(session.opinions(query).get(document, ()), session.assessor):
            return query, document
        skipped = skipped or (query, document)
    return skipped
