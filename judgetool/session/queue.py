"""The queue: the pool of a query in the order in which an assessor sees it, and what comes next.

The policy as chosen and as stored, and what each kind of it does: by ranks, by id, by chance, from the
runs in turn, by stake. And choosing a pool in an open project.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from hashlib import blake2b
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from judgetool.core.held_files import open_to_read, refusing_change
from judgetool.core.judgments import Query, State
from judgetool.core.number_text import local_count, number_of
from judgetool.errors import CommandRefusedError, InputError, ParseError, why_refused
from judgetool.metrics.stakes import compute_stakes
from judgetool.session.board import (
    Board,
    are_among,
    build_pool,
    number_pairs,
    pair_keys,
    settled_pairs,
)
from judgetool.session.commands import SetValues
from judgetool.session.material import Material
from judgetool.session.pool import (
    ADDED_KEY,
    IntArray,
    LongArray,
    NumberPair,
    PairArrays,
    Pool,
    PoolChoice,
    PoolPolicy,
    set_pool,
)
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.ids import load_id_texts
from judgetool.wording import N_, _

OrderKind = Literal["rank", "id", "random", "interleaved", "move_to_front", "stake"]
ORDER_KINDS: tuple[OrderKind, ...] = get_args(OrderKind)
ORDER_KEY, OWN_ORDER_KEY = "order", "order/"

ORDER_TITLES: dict[OrderKind, str] = {
    "rank": N_("By rank"),
    "id": N_("By document id"),
    "random": N_("Random for each assessor"),
    "interleaved": N_("Round robin over runs"),
    "move_to_front": N_("Move to front"),
    "stake": N_("By stake"),
}
"""How each kind is shown."""


@dataclass(frozen=True, slots=True)
class OrderPolicy:
    """In which order an assessor sees what is to be judged.

    Attributes:
        kind: ``rank``: as the shown run ranks; ``id``: by document id; ``random``: by
            chance, for each assessor another, on every machine the same;
            ``interleaved``: runs in turn, each with its best document that is not yet
            there; ``move_to_front``: runs that keep giving relevant documents first;
            ``stake``: what could change a value most first.
        seed: of ``random``.
        unjudged_first: unjudged documents before the others, each in the order above.
        across_queries: documents of all queries in turn instead of query by query.

    Raises:
        CommandRefusedError: there is no such kind.
    """

    kind: OrderKind = "rank"
    seed: int = 1
    unjudged_first: bool = False
    across_queries: bool = False

    def __post_init__(self) -> None:
        if self.kind not in ORDER_KINDS:
            raise CommandRefusedError(
                _("There is no order ‘{kind}’. Choose one of: {names}.").format(
                    kind=self.kind, names=", ".join(ORDER_KINDS)
                )
            )

    @property
    def is_fixed(self) -> bool:
        """Whether judging leaves the order as it is."""
        return self.kind not in ("move_to_front", "stake") and not self.unjudged_first

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "OrderPolicy":
        """Build a policy from its fields, as the project file has them; what is missing is default.

        Raises:
            CommandRefusedError: it is of a kind that this judgetool does not know.
        """
        return OrderPolicy(
            values.get("kind", "rank"),
            int(values.get("seed", 1)),
            bool(values.get("unjudged_first", False)),
            bool(values.get("across_queries", False)),
        )


def set_order(policy: OrderPolicy | None, *, assessor: str | None = None) -> SetValues:
    """Return the command that chooses an order.

    Args:
        policy: the order; ``None`` goes back to the project's (for an assessor) or to
            the order of ranks.
        assessor: for whom alone; ``None`` for all who have none of their own.
    """
    key = ORDER_KEY if assessor is None else OWN_ORDER_KEY + assessor
    name = ORDER_TITLES[policy.kind if policy else "rank"].lower()
    title = f"Order: {name}" if policy or assessor is None else "Order: the project’s"
    whom = f" for {assessor}" if assessor is not None else ""
    return SetValues({key: asdict(policy) if policy else None}, title + whom)


def sort_by_stake(session: Session, query: int, pool: IntArray) -> IntArray:
    """Return a pool by falling stake: how far one document's grade alone could move a value.

    Args:
        session: the project; the measure is the first of those chosen, and a
            document's stake the greatest over all runs.
        query: number of the query.
        pool: documents of the query.

    Returns:
        Unjudged documents by falling stake, equal ones as in the pool; then the judged.
    """
    board = session.board
    measure = session.measures[0]
    stakes = dict.fromkeys(pool.tolist(), 0.0)
    for run in session.material.runs:
        ranked = session.material.ranked_documents(run.run_id, query)
        grades = board.engine.query_grades(run.run_id, query, pool=pool)
        found = compute_stakes(measure, grades, session.scale)
        at_stake = dict(zip(ranked[found.ranks - 1].tolist(), found.widths.tolist(), strict=True))
        known = set(ranked.tolist())
        for document in stakes:
            width = at_stake.get(document, 0.0) if document in known else found.missing
            stakes[document] = max(stakes[document], width)
    settled = board.settled(query)
    members = pool.tolist()
    # Sums of floats differ in their last digits: equal stakes must compare equal.
    members.sort(key=lambda number: (number in settled, -round(stakes[number], 12)))
    return np.array(members, dtype=np.int32)


def interleave(rankings: Sequence[IntArray], pool: IntArray) -> IntArray:
    """Return the pool by round robin: each run gives its best document that is not yet there.

    Args:
        rankings: the runs' documents, best first; the first run begins.
        pool: what is to be judged; documents that no run ranks come last, in its order.
    """
    turns = _Turns(rankings, pool)
    while runs := turns.open_runs():
        for run in runs:
            turns.take(turns.next_of(run))
    return turns.result()


def move_to_front(
    rankings: Sequence[IntArray], pool: IntArray, judged: Sequence[tuple[int, bool | None]]
) -> IntArray:
    """Return the pool so that runs which keep giving relevant documents come first.

    All runs begin with the same priority. A document is taken from the run in front;
    as long as they are relevant, the run stays there. A document that is not relevant
    lowers its run's priority by one, and the run goes behind all of its new equals.
    The state is found anew from the judgments each time: a judged document counts for
    the run in front among those that rank it, whoever would have given it.

    What is not judged yet follows as if it will turn out not to be relevant.

    Args:
        rankings: the runs' documents, best first.
        pool: what is to be judged; documents that no run ranks come last.
        judged: (document, is relevant) in the order of judging; ``None``: cannot be
            judged, which says nothing of the run.

    Returns:
        Judged documents of the pool in the order of judging, then the others.

    References:
        G. V. Cormack, C. R. Palmer, C. L. A. Clarke: Efficient construction of large
        test collections, SIGIR 1998 ("local move-to-front pooling").
    """
    turns = _Turns(rankings, pool)
    front = _Front(len(rankings))
    ranked_by = [frozenset(ranked.tolist()) for ranked in rankings]
    for document, is_relevant in judged:
        turns.take(document)
        givers = [run for run, ranked in enumerate(ranked_by) if document in ranked]
        if givers and is_relevant is False:
            front.lower(min(givers, key=front.rank))
        elif givers and is_relevant:
            front.favour(min(givers, key=front.rank))
    while runs := turns.open_runs():
        run = min(runs, key=front.rank)
        turns.take(turns.next_of(run))
        front.lower(run)
    return turns.result()


class _Turns:
    """Documents taken from runs, each once."""

    def __init__(self, rankings: Sequence[IntArray], pool: IntArray) -> None:
        self._pool = dict.fromkeys(pool.tolist())
        # The best one last.
        self._queues = [ranked[np.isin(ranked, pool)][::-1].tolist() for ranked in rankings]
        self._taken: dict[int, None] = {}

    def next_of(self, run: int) -> int | None:
        """Return a run's best document that is not yet taken; ``None`` where it has none."""
        queue: list[int] = self._queues[run]
        while queue and queue[-1] in self._taken:
            queue.pop()
        return queue[-1] if queue else None

    def open_runs(self) -> list[int]:
        """Return the runs that have a document that is not yet taken."""
        return [run for run in range(len(self._queues)) if self.next_of(run) is not None]

    def take(self, document: int | None) -> None:
        """Take a document, if it is in the pool and not taken yet."""
        if document is not None and document in self._pool:
            self._taken[document] = None

    def result(self) -> IntArray:
        """Return what was taken, and behind it the rest of the pool."""
        return np.array([*(self._taken | self._pool)], dtype=np.int32)


class _Front:
    """The runs by priority; of equals the one that waits longest is in front."""

    def __init__(self, n_runs: int) -> None:
        self._keys = [(0, run) for run in range(n_runs)]
        self._clock = n_runs

    def rank(self, run: int) -> tuple[int, int]:
        """Return what runs are sorted by: lowered least first, then waiting longest."""
        return self._keys[run]

    def lower(self, run: int) -> None:
        """Lower a run's priority by one; it goes behind its new equals."""
        self._keys[run] = (self._keys[run][0] + 1, self._clock)
        self._clock += 1

    def favour(self, run: int) -> None:
        """Put a run in front of its equals."""
        self._keys[run] = (self._keys[run][0], -self._clock)
        self._clock += 1


_Key = tuple[int, OrderPolicy, int | None, str, str]


def _no_orders(_board: Board) -> dict[_Key, IntArray]:
    return {}


_BY_RANK = OrderPolicy()


def order_of(session: Session) -> OrderPolicy:
    """Return the order for the session's assessor: their own, or the project's."""
    own = session.value(OWN_ORDER_KEY + session.assessor) if session.assessor else None
    stored = own or session.value(ORDER_KEY)
    return OrderPolicy.from_dict(stored) if stored else _BY_RANK


def order_documents(
    session: Session, query: int, policy: OrderPolicy | None = None, run_id: int | None = None
) -> IntArray:
    """Return the queue of a query: its pool in the assessor's order.

    Args:
        session: the project.
        query: number of the query.
        policy: ``None`` for the one that is chosen.
        run_id: the run whose ranks ``rank`` follows; ``None`` for the best rank of all.

    Returns:
        Each document of the pool once; empty for an empty pool. Not to be written to:
        it is kept until something is judged.
    """
    policy = policy or order_of(session)
    kept = session.board.kept(_no_orders)
    key = (query, policy, run_id, session.assessor, str(session.measures[0]))
    if key not in kept:
        kept[key] = order_pool(session, query, policy, run_id)
        kept[key].flags.writeable = False
    return kept[key]


def order_pool(
    session: Session, query: int, policy: OrderPolicy, run_id: int | None = None
) -> IntArray:
    """Return what :func:`order_documents` does, keeping nothing: for passes over all queries."""
    pool, kind = session.board.pool(query), policy.kind
    if kind == "rank":
        ordered = _by_rank(session, query, pool, run_id)
    elif kind == "stake":
        ordered = sort_by_stake(session, query, pool)
    elif kind in ("interleaved", "move_to_front"):
        runs = session.pool_choice.policy.runs
        rankings = chosen_rankings(session.material, runs, query)
        judged = _judged(session, query) if kind == "move_to_front" else None
        ordered = (
            interleave(rankings, pool) if judged is None else move_to_front(rankings, pool, judged)
        )
    else:
        names = policy, session.assessor, session.material.queries
        ordered = pool[places_by_name(*names, np.full(len(pool), query), pool, session.reader)]
    if policy.unjudged_first:
        settled = session.board.settled(query)
        is_settled = np.array([document in settled for document in ordered.tolist()], dtype=bool)
        ordered = np.concatenate([ordered[~is_settled], ordered[is_settled]])
    return ordered


def _by_rank(session: Session, query: int, pool: IntArray, run_id: int | None) -> IntArray:
    if run_id is None:
        return pool
    ranked = session.material.ranked_documents(run_id, query)
    return np.concatenate([ranked[np.isin(ranked, pool)], pool[~np.isin(pool, ranked)]])


def places_by_name(
    policy: OrderPolicy,
    assessor: str,
    names: Sequence[Query],
    queries: LongArray,
    documents: IntArray,
    reader: Connection,
) -> npt.NDArray[np.intp]:
    """Return the places of pairs by document id, query by query; or all of them by chance.

    Args:
        policy: of kind ``id`` or ``random``.
        assessor: whose chance it is.
        names: all queries, by number.
        queries: of the pairs, rising, shape (n,).
        documents: likewise.
        reader: a connection of the calling thread.
    """
    numbers, members = np.unique(documents, return_inverse=True)
    ids = load_id_texts(reader, numbers)
    if policy.kind == "id":
        rank_of = np.empty(len(ids), dtype=np.intp)
        rank_of[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        return np.lexsort((rank_of[members], queries))
    keys: list[bytes] = []
    found, starts = np.unique(queries, return_index=True)
    for query, part in zip(found.tolist(), np.split(members, starts[1:]), strict=False):
        key = make_random_key(policy.seed, assessor, names[query].id)
        keys += [key(ids[member]) for member in part.tolist()]
    # Bytes compare as big numbers do.
    halves = np.frombuffer(b"".join(keys), dtype=">u8").astype(np.uint64).reshape(-1, 2)
    return np.lexsort((halves[:, 1], halves[:, 0]))


def make_random_key(seed: int, assessor: str, query_id: str) -> Callable[[str], bytes]:
    """Return what a random queue is sorted by, for a query's documents, by document id.

    It is the same on every machine and at every time. A document's key depends on nothing
    but these four, so that documents added later do not change the order of the others.
    """
    # The length before each part keeps ("ab", "c") and ("a", "bc") apart.
    start = blake2b(digest_size=16)
    for part in (str(seed), assessor, query_id):
        data = part.encode()
        start.update(len(data).to_bytes(8, "big") + data)

    def key(document_id: str) -> bytes:
        digest = start.copy()
        digest.update(document_id.encode())
        return digest.digest()

    return key


def _judged(session: Session, query: int) -> list[tuple[int, bool | None]]:
    """Return what is judged of a query, in the order of judging, and whether it is relevant."""
    settled, relevant_from = session.board.settled(query), session.scale.relevant_from
    grades = ((each, settled[each].grade) for each in session.board.book.settled_in_order(query))
    return [(each, None if grade is None else grade >= relevant_from) for each, grade in grades]


def chosen_rankings(material: Material, runs: Sequence[str], query: int) -> list[IntArray]:
    """Return a query's rankings in the runs of these names; of all runs where none is named."""
    chosen = [run for run in material.runs if not runs or run.name in runs]
    return [material.ranked_documents(run.run_id, query) for run in chosen]


def queue_facts(session: Session) -> dict[str, Any]:
    """Return what is recorded of the queue with each judgment.

    Returns:
        ``order``, ``seed``, ``unjudged_first``, ``across_queries`` and ``pool`` (its kind).
    """
    policy = order_of(session)
    return {
        "order": policy.kind,
        "seed": policy.seed,
        "unjudged_first": policy.unjudged_first,
        "across_queries": policy.across_queries,
        "pool": session.pool_choice.policy.kind,
    }


DRAWN = "drawn"
"""The order of what comes by lot, to decide between two runs."""
BY_STAKE: dict[str, Any] = {"order": "stake", "seed": None, "position": None}
"""What is recorded instead of a document that came by its stake, whatever the queue is."""


class Left(NamedTuple):
    """What stands between now and Judged@k = 1 for all runs.

    Attributes:
        pairs: unjudged (query, document) pairs within the first k ranks of any run.
        queries: queries with at least one of them.
        total: pairs within the first k ranks, judged or not.
        cannot: those that were said to be impossible to judge: no grade will count of them.
        short: queries with at least one of those.
        lowest: the lowest Judged@k at which a run will end for one of ``short``; 1 without any.
    """

    pairs: int
    queries: int
    total: int
    cannot: int = 0
    short: tuple[int, ...] = ()
    lowest: float = 1.0

    @property
    def is_done(self) -> bool:
        """Whether every document within the first k ranks is judged."""
        return self.pairs == 0


def judgments_left(session: Session, k: int = 10) -> Left:
    """Return what is left to judge to reach Judged@k = 1 for all runs.

    A document that was said to be impossible to judge is not left: nobody could do
    more, though Judged@k stays below 1 for it. The judgments of the chosen view count. What is
    left is counted once and then kept up to date by every judgment.

    Args:
        session: the project.
        k: ranks of each run, at least 1.
    """
    pool = session.board.top_pool(k)
    progress = pool.total_progress()
    settled = settled_pairs(session.board)
    keys = settled.keys[np.isnan(settled.grades)]
    keys = keys[are_among(keys, np.sort(pair_keys(*pool.pairs())))]
    short = tuple(dict.fromkeys((keys >> np.int64(32)).tolist()))
    return Left(
        progress.total - progress.judged,
        pool.count_open_queries(),
        progress.total,
        len(keys),
        short,
        min(_lowest_shares(session, k, short, keys), default=1.0),
    )


def _lowest_shares(
    session: Session, k: int, queries: Iterable[int], keys: npt.NDArray[np.int64]
) -> Iterator[float]:
    """Yield the share of its first k ranks that each run can have judged, for some queries."""
    for query in queries:
        for run in session.material.runs:
            top = session.material.ranked_documents(run.run_id, query)[:k]
            if len(top):
                yield 1 - float(np.mean(np.isin(pair_keys(np.full(len(top), query), top), keys)))


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
    n_shown = len(documents)
    if not n_shown:
        # There may be no query, either.
        return None
    pool: set[int] = set(session.board.pool(query).tolist())
    settled = session.board.settled(query)
    first_skipped: int | None = None
    # At every key, through lists of thousands: no further than to the first that will do.
    for place in chain(range(after + 1, n_shown), range(min(after + 1, n_shown))):
        document = documents[place]
        if document in settled or document not in pool:
            continue
        if session.own_judgment(query, document).state is not State.SKIPPED:
            return place
        first_skipped = place if first_skipped is None else first_skipped
    return first_skipped


Lists = Callable[[int], Set[int]]
"""Returns which unjudged documents of a query's pool are listed."""


def find_next_query(
    session: Session, order: Sequence[int], *, after: int | None, lists: Lists | None = None
) -> int | None:
    """Return the next query whose pool is not done, going round once, or ``None``.

    Args:
        session: the project.
        order: query numbers in the order in which they are shown.
        after: the current query; ``None`` starts at the first.
        lists: leaves out queries of which nothing unjudged is listed; ``None`` leaves out none.
    """
    start = 0 if after is None or after not in order else list(order).index(after) + 1
    turned = [*order[start:], *order[:start]]
    left = (query for query in turned if not session.board.progress(query).is_done)
    return next((query for query in left if lists is None or lists(query)), None)


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
    def _pairs(self) -> list[NumberPair]:
        """All of it as plain numbers: looked through at every key."""
        return list(zip(self._queries.tolist(), self._documents.tolist(), strict=True))

    def iter_from(self, place: int) -> Iterator[NumberPair]:
        """Yield all pairs from a place on, and then those before it."""
        return chain(islice(self._pairs, place, None), islice(self._pairs, place))

    def find(self, pair: NumberPair) -> int | None:
        """Return the place of a pair, or ``None``."""
        found = np.flatnonzero((self._queries == pair[0]) & (self._documents == pair[1]))
        return int(found[0]) if len(found) else None


class PendingQueue(NamedTuple):
    """A queue over all queries that is to be built: on another thread, and kept on the session's.

    Attributes:
        session: the project.
        policy: one that judging leaves as it is.
        material: nothing of it changes, as of what follows.
        pool: what is to be judged.
        assessor: whose chance it is.
        runs: names of those of which the pool is made.
    """

    session: Session
    policy: OrderPolicy
    material: Material
    pool: Pool
    assessor: str
    runs: tuple[str, ...]

    @staticmethod
    def of(session: Session, policy: OrderPolicy) -> "PendingQueue":
        """Return the queue that a policy makes of a project as it is now."""
        pool, runs = session.board.whole_pool, session.pool_choice.policy.runs
        return PendingQueue(session, policy, session.material, pool, session.assessor, runs)

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

    def build(self) -> PairQueue:
        """Return the queue; on any thread."""
        with self.session.second_reader() as reader:
            return self.make(reader)

    def keep(self, queue: PairQueue) -> bool:
        """Use what was built from now on, unless the pool is another; return whether it is used."""
        is_current = self.session.board.whole_pool is self.pool
        if is_current:
            kept = self.session.owned(_KeptQueue)
            kept.source, kept.queue = self, queue
        return is_current


class _KeptQueue:
    """The queue over all queries that judging does not change, for as long as the pool stays."""

    def __init__(self, _session: Session) -> None:
        self.source: PendingQueue | None = None
        self.queue = PairQueue(np.zeros(0, np.int32), np.zeros(0, np.int32))


def prepare_queue(session: Session) -> PendingQueue | None:
    """Return the work that makes :func:`find_next_pair` quick, or ``None`` if nothing is to do."""
    policy = order_of(session)
    if not (policy.is_fixed and policy.across_queries):
        return None
    pending = PendingQueue.of(session, policy)
    return None if session.owned(_KeptQueue).source == pending else pending


def fixed_queue(session: Session, policy: OrderPolicy | None = None) -> PairQueue:
    """Return the queue over all queries: by chance, or one document of each query in turn.

    Args:
        session: the project.
        policy: one that judging leaves as it is; ``None`` for the one that is chosen.

    Returns:
        Each pair of the pool once; kept for as long as the pool stays.
    """
    pending, kept = PendingQueue.of(session, policy or order_of(session)), session.owned(_KeptQueue)
    if kept.source != pending:
        pending.keep(pending.make(session.reader))
    return kept.queue


def find_next_pair(
    session: Session, after: NumberPair | None, lists: Lists | None = None
) -> NumberPair | None:
    """Return the next unjudged (query, document) across all queries, or ``None``.

    Looks behind ``after`` first, then from the front; what the assessor skipped comes
    last. An order that judging changes is looked at query by query, in turn: of the
    next query with something left the first document of its queue.

    Args:
        session: the project.
        after: the current pair; ``None`` starts at the front.
        lists: leaves out what is not listed; ``None`` leaves out nothing.
    """
    skipped: NumberPair | None = None
    lists = cache(lists) if lists is not None else None
    for query, document in _iter_open(session, order_of(session), after, lists):
        if session.own_judgment(query, document).state is not State.SKIPPED:
            return query, document
        skipped = skipped or (query, document)
    return skipped


def _iter_open(
    session: Session, policy: OrderPolicy, after: NumberPair | None, lists: Lists | None
) -> Iterator[NumberPair]:
    """Yield unjudged pairs that are listed in the order in which they are offered."""
    board = session.board
    if board.total_progress().is_done:
        return
    if policy.is_fixed:
        queue, settled = fixed_queue(session, policy), board.book.all_settled()
        place = queue.find(after) if after is not None else None
        for query, document in queue.iter_from(0 if place is None else place + 1):
            is_open = document not in settled.get(query, ())
            if is_open and (lists is None or document in lists(query)):
                yield query, document
        return
    start = 0 if after is None else after[0] + 1
    for query in (*range(start, board.n_queries), *range(min(start, board.n_queries))):
        if not board.progress(query).is_done:
            ordered = order_documents(session, query, policy).tolist()
            documents = [each for each in ordered if lists is None or each in lists(query)]
            place = find_next_unjudged(session, query, documents, after=-1)
            if place is not None:
                yield query, documents[place]


def read_pool_file(path: Path) -> PoolPolicy:
    """Read a pool from a file: a query id and a document id in each line.

    They are parted by a tab, or by blanks where a line has no tab. Empty lines are
    left out; a pair that stands twice counts once.

    Args:
        path: the file, plain or packed by gzip, in any encoding that other files may have.

    Returns:
        A policy of kind ``file`` with the pairs in the file's order.

    Raises:
        ParseError: lines have no two ids; it names the first. Nothing is kept.
        InputError: the file cannot be opened, or has no pairs.
    """
    refusals: list[tuple[int | None, str]] = []
    pairs: dict[str, dict[str, None]] = {}
    for line, words in _iter_lines(path, refusals):
        if len(words) != 2 or not all(words):
            reason = number_of(
                len(words),
                "expected a query id and a document id, found {n} column",
                "expected a query id and a document id, found {n} columns",
            )
            refusals.append((line, reason))
            continue
        pairs.setdefault(words[0], {})[words[1]] = None
    if refusals:
        line_number, reason = refusals[0]
        count = len(refusals)
        more = (
            "; " + _("{count} lines are like it").format(count=local_count(count))
            if count > 1
            else ""
        )
        raise ParseError(
            f"{reason}{more}. {_('Nothing was kept; the pool stays as it was.')}",
            source=str(path),
            line=line_number,
        )
    if not pairs:
        raise InputError(
            _(
                "{path} has no lines. Each line of a pool file is a query id and a document id, "
                "parted by a tab. The pool stays as it was."
            ).format(path=path)
        )
    return PoolPolicy("file", pairs={query: tuple(found) for query, found in pairs.items()})


def _iter_lines(
    path: Path, refusals: list[tuple[int | None, str]]
) -> Iterator[tuple[int, list[str]]]:
    from judgetool.formats.source import TextSource  # noqa: PLC0415 - the window starts without it

    def refuse(line: int | None, reason: str) -> None:
        refusals.append((line, reason))

    try:
        with open_to_read(path) as stream, refusing_change(path, stream):
            for block in TextSource(str(path), stream).blocks(refuse):
                for number, line in enumerate(block.lines, block.first):
                    if line.strip(" \t"):
                        words = line.split("\t") if "\t" in line else line.split(" ")
                        yield number, words if "\t" in line else [word for word in words if word]
    except OSError as problem:
        raise InputError(
            _("{path} cannot be read: {problem}.").format(path=path, problem=why_refused(problem))
        ) from problem


def choose_pool(session: Session, policy: PoolPolicy) -> SetValues:
    """Return the command that chooses a pool; of ``unjudged`` it fixes the documents now.

    Raises:
        CommandRefusedError: the pool would have no documents.
    """
    return set_pool(freeze_unjudged(session, policy))


def freeze_unjudged(session: Session, policy: PoolPolicy) -> PoolPolicy:
    """Return the policy with the documents that are unjudged now; any other as it is.

    Unjudged is what nobody whose judgments count in the chosen view has graded or said
    to be impossible to judge.
    """
    if policy.kind != "unjudged":
        return policy
    queries, documents = _open_pairs(session, policy)
    numbers, places = np.unique(documents, return_inverse=True)
    ids = load_id_texts(session.reader, numbers)
    pairs: dict[str, tuple[str, ...]] = {}
    ends = np.searchsorted(queries, np.arange(session.board.n_queries + 1)).tolist()
    for query, (start, end) in zip(session.material.queries, pairwise(ends), strict=True):
        if start < end:
            pairs[query.id] = tuple(ids[place] for place in places[start:end].tolist())
    return PoolPolicy("unjudged", policy.depth, policy.runs, pairs)


def _open_pairs(session: Session, policy: PoolPolicy) -> PairArrays:
    """Return what is unjudged in the first ranks of the policy's runs, query by query."""
    whole = build_pool(
        session.material,
        PoolChoice(PoolPolicy("depth", policy.depth, policy.runs)),
        session.board.book.heard,
    )
    queries, documents = whole.pairs()
    settled = settled_pairs(session.board).keys
    is_open = ~are_among(pair_keys(queries, documents), settled)
    return PairArrays(queries[is_open], documents[is_open].astype(np.int64))


def preview_pool(session: Session, policy: PoolPolicy) -> tuple[int, int]:
    """Return how many documents a pool would have, and how many of them are unjudged.

    What was added by hand is counted too.
    """
    pool = _preview_unjudged(session, policy) if policy.kind == "unjudged" else None
    pool = pool or build_pool(
        session.material, PoolChoice(policy, session.pool_choice.added), session.board.book.heard
    )
    pool.count_settled(session.board.book.all_settled())
    progress = pool.total_progress()
    return progress.total, progress.total - progress.judged


def _preview_unjudged(session: Session, policy: PoolPolicy) -> Pool:
    """Return the pool of what is unjudged now; by numbers, which are much faster than ids."""
    added = number_pairs(session.material, session.pool_choice.added)
    both = zip(_open_pairs(session, policy), added, strict=True)
    return Pool(
        [], session.board.n_queries, policy.depth, extra=PairArrays(*map(np.concatenate, both))
    )


def add_to_pool(session: Session, query: int, documents: Iterable[int]) -> SetValues:
    """Return the command that adds documents to a query's pool, whatever the policy says.

    Args:
        session: the project.
        query: number of the query.
        documents: numbers of the documents; those in the pool already do no harm.
    """
    query_id = session.material.queries[query].id
    known = session.pool_choice.added.get(query_id, ())
    new = [session.material.document_id(number) for number in documents]
    after = list(dict.fromkeys([*known, *new]))
    return SetValues(
        {ADDED_KEY + query_id: after},
        f"Add to the pool of query {query_id}",
    )


def is_in_pool(session: Session, query: int, document: int) -> bool:
    """Whether a document of a query is to be judged."""
    return bool(np.any(session.board.pool(query) == document))
