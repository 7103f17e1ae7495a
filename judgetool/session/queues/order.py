"""The queue of a query: its pool in the order in which this assessor sees it."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from judgetool.session.board import Board
from judgetool.session.material import Material
from judgetool.session.order_policy import (
    ORDER_KEY,
    ORDER_KINDS,
    ORDER_TITLES,
    OWN_ORDER_KEY,
    OrderKind,
    OrderPolicy,
    set_order,
)
from judgetool.session.pool import IntArray
from judgetool.session.queues.order_runs import interleave, move_to_front
from judgetool.session.queues.order_stakes import sort_by_stake
from judgetool.session.session import Session

__all__ = [
    "ORDER_KINDS",
    "ORDER_TITLES",
    "OrderKind",
    "OrderPolicy",
    "chosen_rankings",
    "make_random_key",
    "order_documents",
    "order_of",
    "order_pool",
    "queue_facts",
    "random_key",
    "set_order",
]

_Key = tuple[int, OrderPolicy, int | None, str, str]
_KEPT: WeakKeyDictionary[Board, tuple[int, dict[_Key, IntArray]]] = WeakKeyDictionary()


def order_of(session: Session) -> OrderPolicy:
    """Return the order for the session's assessor: their own, or the project's."""
    own = session.value(OWN_ORDER_KEY + session.assessor) if session.assessor else None
    stored = own or session.value(ORDER_KEY)
    return OrderPolicy.from_dict(stored) if stored else OrderPolicy()


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
    board = session.board
    revision, kept = _KEPT.get(board, (-1, {}))
    if revision != board.revision:
        kept = {}
        _KEPT[board] = board.revision, kept
    key = (query, policy, run_id, session.assessor, str(session.measures[0]))
    if key not in kept:
        kept[key] = order_pool(session, query, policy, run_id)
        kept[key].flags.writeable = False
    return kept[key]


def order_pool(
    session: Session, query: int, policy: OrderPolicy, run_id: int | None = None
) -> IntArray:
    """Return what :func:`order_documents` does, keeping nothing: for passes over all queries."""
    pool = session.board.pool(query)
    if policy.kind == "rank":
        ordered = _by_rank(session, query, pool, run_id)
    else:
        ordered = _ORDERS[policy.kind](session, query, pool, policy)
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


def _by_id(session: Session, query: int, pool: IntArray, policy: OrderPolicy) -> IntArray:  # noqa: ARG001 - as all orders
    members = pool.tolist()
    ids = session.material.document_ids(members)
    return np.array(sorted(members, key=lambda number: ids[number]), dtype=np.int32)


def _by_chance(session: Session, query: int, pool: IntArray, policy: OrderPolicy) -> IntArray:
    members = pool.tolist()
    ids = session.material.document_ids(members)
    query_id = session.material.queries[query].id
    key = make_random_key(policy.seed, session.assessor, query_id)
    return np.array(sorted(members, key=lambda number: key(ids[number])), dtype=np.int32)


def random_key(seed: int, assessor: str, query_id: str, document_id: str) -> bytes:
    """Return what a random queue is sorted by: the same on every machine and at every time.

    A document's key depends on nothing but these four, so that documents added later
    do not change the order of the others.
    """
    return make_random_key(seed, assessor, query_id)(document_id)


def make_random_key(seed: int, assessor: str, query_id: str) -> Callable[[str], bytes]:
    """Return :func:`random_key` for the documents of one query, by document id."""
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


def _interleaved(session: Session, query: int, pool: IntArray, policy: OrderPolicy) -> IntArray:  # noqa: ARG001 - as all orders
    return interleave(_rankings(session, query), pool)


def _moving(session: Session, query: int, pool: IntArray, policy: OrderPolicy) -> IntArray:  # noqa: ARG001 - as all orders
    board = session.board
    settled = board.settled(query)
    relevant_from = session.scale.relevant_from
    judged: list[tuple[int, bool | None]] = []
    for document in board.settled_in_order(query):
        grade = settled[document].grade
        judged.append((document, None if grade is None else grade >= relevant_from))
    return move_to_front(_rankings(session, query), pool, judged)


def _by_stake(session: Session, query: int, pool: IntArray, policy: OrderPolicy) -> IntArray:  # noqa: ARG001 - as all orders
    return sort_by_stake(session, query, pool)


def chosen_rankings(material: Material, runs: Sequence[str], query: int) -> list[IntArray]:
    """Return a query's rankings in the runs of these names; of all runs where none is named."""
    chosen = [run for run in material.runs if not runs or run.name in runs]
    return [material.ranked_documents(run.run_id, query) for run in chosen]


def _rankings(session: Session, query: int) -> list[IntArray]:
    return chosen_rankings(session.material, session.pool_choice.policy.runs, query)


_Order = Callable[[Session, int, IntArray, OrderPolicy], IntArray]
_ORDERS: dict[OrderKind, _Order] = {
    "id": _by_id,
    "random": _by_chance,
    "interleaved": _interleaved,
    "move_to_front": _moving,
    "stake": _by_stake,
}


def queue_facts(
    session: Session, query: int | None = None, document: int | None = None
) -> dict[str, Any]:
    """Return what is recorded of the queue with each judgment.

    Args:
        session: the project.
        query: the query that is shown; ``None`` leaves the position out.
        document: the document that is judged.

    Returns:
        ``order``, ``seed``, ``unjudged_first``, ``across_queries``, ``pool`` (its kind)
        and, where the document is in the pool, ``position``: its place in the queue of
        its query, from 1.
    """
    policy = order_of(session)
    facts: dict[str, Any] = {
        "order": policy.kind,
        "seed": policy.seed,
        "unjudged_first": policy.unjudged_first,
        "across_queries": policy.across_queries,
        "pool": session.pool_choice.policy.kind,
    }
    if query is not None and document is not None:
        places = np.flatnonzero(order_documents(session, query, policy) == document)
        if len(places):
            facts["position"] = int(places[0]) + 1
    return facts
