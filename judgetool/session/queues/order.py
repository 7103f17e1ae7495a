"""The queue of a query: its pool in the order in which this assessor sees it.

The policy as chosen and as stored, and what each kind of it does: by ranks, by id, by chance,
from the runs in turn, by stake.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import Query
from judgetool.errors import CommandRefusedError
from judgetool.metrics.stakes import compute_stakes
from judgetool.session.board import Board
from judgetool.session.commands import SetValues
from judgetool.session.material import Material
from judgetool.session.pool import IntArray, LongArray
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

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values, for the project file."""
        return asdict(self)

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "OrderPolicy":
        """Build a policy from :meth:`to_dict`'s result; what is missing is default.

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
    return SetValues({key: policy.to_dict() if policy else None}, title + whom)


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
    if not len(pool):
        return pool
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
    grades = ((each, settled[each].grade) for each in session.board.settled_in_order(query))
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
