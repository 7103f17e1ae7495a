"""The pool: the policy by which documents are to be judged, which they are, and how many."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from judgetool.core.number_text import number_of
from judgetool.errors import CommandRefusedError
from judgetool.metrics import RunBlock
from judgetool.session.commands import SetValues
from judgetool.wording import NN_, _, in_english

PoolKind = Literal["depth", "all", "unjudged", "file", "asked"]
POOL_KINDS: tuple[PoolKind, ...] = get_args(PoolKind)
POOL_KEY, DEPTH_KEY, ADDED_KEY = "pool", "pool_depth", "pool/added/"
DEFAULT_POOL_DEPTH = 10

NumberPair = tuple[int, int]
"""The session's number of a query, and the number of a document."""

Pairs = Mapping[str, Sequence[str]]
"""Document ids by query id, in the order in which they are to be judged."""

NO_PAIRS: Pairs = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PoolPolicy:
    """Which documents of each query are to be judged.

    Attributes:
        kind: ``depth``: the first ranks of the chosen runs; ``all``: every rank of
            them; ``unjudged``: what was unjudged in their first ranks when this was
            chosen; ``file``: the pairs of a file; ``asked``: what the assessor is asked, which
            is never stored.
        depth: ranks of each run that count, at least 1; ``all`` and ``file`` ignore it.
        runs: names of the chosen runs; ``()`` is all of them, those to come included.
        pairs: of ``unjudged``, ``file`` and ``asked`` the documents themselves: judging must not
            make a pool smaller. Of the others empty.

    Raises:
        CommandRefusedError: there is no such kind, or the depth is below 1.
    """

    kind: PoolKind = "depth"
    depth: int = DEFAULT_POOL_DEPTH
    runs: tuple[str, ...] = ()
    pairs: Pairs = field(default_factory=lambda: NO_PAIRS)

    def __post_init__(self) -> None:
        if self.kind not in POOL_KINDS:
            raise CommandRefusedError(
                _("There is no pool ‘{kind}’. Choose one of: {known}.").format(
                    kind=self.kind, known=", ".join(POOL_KINDS)
                )
            )
        if self.depth < 1:
            raise CommandRefusedError(
                _("A pool depth of {depth} leaves nothing to judge. Choose 1 or more.").format(
                    depth=self.depth
                )
            )

    @property
    def is_frozen(self) -> bool:
        """Whether the documents were fixed when the pool was chosen."""
        return self.kind in ("unjudged", "file", "asked")

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values, for the project file."""
        values: dict[str, Any] = {"kind": self.kind, "depth": self.depth, "runs": list(self.runs)}
        if self.is_frozen:
            values["pairs"] = {query: list(documents) for query, documents in self.pairs.items()}
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> "PoolPolicy":
        """Build a policy from :meth:`to_dict`'s result.

        Raises:
            CommandRefusedError: it is of a kind that this judgetool does not know.
        """
        return PoolPolicy(
            values.get("kind", "depth"),
            int(values.get("depth", DEFAULT_POOL_DEPTH)),
            tuple(values.get("runs", ())),
            values.get("pairs", NO_PAIRS),
        )


@dataclass(frozen=True, slots=True)
class PoolChoice:
    """A policy, and what was added to the pools by hand.

    Attributes:
        policy: see :class:`PoolPolicy`.
        added: further documents, whatever the policy says.
    """

    policy: PoolPolicy = field(default_factory=PoolPolicy)
    added: Pairs = field(default_factory=lambda: NO_PAIRS)


def find_pool_choice(values: Mapping[str, Any]) -> PoolChoice:
    """Return what a project's own values say of its pools; the top ten if nothing.

    Args:
        values: all of the project's own values, by key.
    """
    stored = values.get(POOL_KEY)
    if stored:
        policy = PoolPolicy.from_dict(stored)
    else:
        policy = PoolPolicy("depth", int(values.get(DEPTH_KEY, DEFAULT_POOL_DEPTH)))
    added = {
        key.removeprefix(ADDED_KEY): tuple(documents)
        for key, documents in sorted(values.items())
        if key.startswith(ADDED_KEY)
    }
    return PoolChoice(policy, added)


def is_pool_key(key: str) -> bool:
    """Whether pools depend on the project's value of this key."""
    return key in (POOL_KEY, DEPTH_KEY) or key.startswith(ADDED_KEY)


_COUNTED: dict[PoolKind, tuple[str, str]] = {
    "unjudged": NN_(
        "{n} document unjudged in the top {depth} of {runs}",
        "{n} documents unjudged in the top {depth} of {runs}",
    ),
    "file": NN_("{n} document from a file", "{n} documents from a file"),
    "asked": NN_(
        "{n} document that you are asked to judge", "{n} documents that you are asked to judge"
    ),
}


def set_pool(policy: PoolPolicy) -> SetValues:
    """Return the command that chooses a pool.

    Args:
        policy: one of kind ``unjudged`` must have its pairs:
            :func:`judgetool.session.queue.choose_pool` finds them.

    Raises:
        CommandRefusedError: it lacks its pairs.
    """
    if policy.is_frozen and not policy.pairs:
        raise CommandRefusedError(
            _(
                "This pool would have no documents: nothing is left to judge there. The pool "
                "stays as it was."
            )
        )
    with in_english():
        title = f"Pool: {describe_pool(policy)}"
    return SetValues({POOL_KEY: policy.to_dict()}, title)


def describe_pool(policy: PoolPolicy, *, is_blind: bool = False) -> str:
    """Return a policy in a few words: ``top 10 of all runs``; how many runs, to who is blind."""
    runs = ", ".join(policy.runs) if policy.runs else _("all runs")
    if is_blind and policy.runs:
        runs = number_of(len(policy.runs), "{n} run", "{n} runs")
    texts: dict[PoolKind, str] = {
        "depth": _("top {depth} of {runs}"),
        "all": _("everything in {runs}"),
    }
    if policy.kind in texts:
        return texts[policy.kind].format(depth=policy.depth, runs=runs)
    count = sum(map(len, policy.pairs.values()))
    return number_of(count, *_COUNTED[policy.kind], depth=policy.depth, runs=runs)


# Results that are sorted at a time: they stay in the processor's cache.
CHUNK_ROWS = 200_000

IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]


class Progress(NamedTuple):
    """How many documents of a pool are settled: graded, or said to be impossible to judge."""

    judged: int
    total: int

    @property
    def is_done(self) -> bool:
        """Whether nothing is left; an empty pool is done."""
        return self.judged >= self.total


class PairArrays(NamedTuple):
    """Some (query, document) pairs.

    Attributes:
        queries: shape (n,).
        documents: shape (n,).
    """

    queries: LongArray
    documents: LongArray


NO_PAIR_ARRAYS = PairArrays(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


class Pool:
    """The top documents of some runs, query by query, best rank first, and further pairs.

    Args:
        blocks: the runs; of equal ranks the earlier run's document comes first.
        n_queries: number of queries.
        depth: ranks of each run that count, at least 1; ``None`` for all.
        extra: further pairs; they come behind, in their order.
    """

    def __init__(
        self,
        blocks: Sequence[RunBlock],
        n_queries: int,
        depth: int | None,
        *,
        extra: PairArrays = NO_PAIR_ARRAYS,
    ) -> None:
        queries, documents = _with_extra(*_top_documents(blocks, depth), extra)
        self._documents: IntArray = documents.astype(np.int32, copy=False)
        self._offsets = np.searchsorted(queries, np.arange(n_queries + 1))
        self._settled = np.zeros(n_queries, dtype=np.int64)

    def documents(self, query: int) -> IntArray:
        """Return the pool of one query, best rank first."""
        return self._documents[self._offsets[query] : self._offsets[query + 1]]

    def pairs(self) -> tuple[LongArray, IntArray]:
        """Return (queries, documents) of all pools."""
        queries = np.repeat(np.arange(len(self._settled)), np.diff(self._offsets))
        return queries, self._documents

    def count_settled(self, settled: Mapping[int, Collection[int]]) -> None:
        """Count anew how much of each pool is settled.

        Args:
            settled: settled documents by query.
        """
        pairs = (query << 32 | each for query, known in settled.items() for each in known)
        known = np.sort(np.fromiter(pairs, dtype=np.int64))
        self._settled[:] = 0
        if len(known):
            # One number for each pair, so that all are looked for at once.
            queries, documents = self.pairs()
            wanted = queries << 32 | documents
            places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            found = queries[known[places] == wanted]
            self._settled += np.bincount(found, minlength=len(self._settled))

    def recount(self, query: int, settled: Iterable[int]) -> None:
        """Count one query's settled documents anew."""
        members = set(self.documents(query).tolist())
        self._settled[query] = len(members.intersection(settled))

    def progress(self, query: int) -> Progress:
        """Return how much of a query's pool is settled."""
        return Progress(
            int(self._settled[query]), int(self._offsets[query + 1] - self._offsets[query])
        )

    def total_progress(self) -> Progress:
        """Return how much of all pools is settled."""
        return Progress(int(self._settled.sum()), len(self._documents))

    def count_open_queries(self) -> int:
        """Return how many queries have something left to judge."""
        return int(np.count_nonzero(np.diff(self._offsets) > self._settled))


def _top_documents(
    blocks: Sequence[RunBlock], depth: int | None
) -> tuple[LongArray, npt.NDArray[Any]]:
    """Return (queries, documents) of all ranks that count, by query, best rank first."""
    if not blocks:
        return NO_PAIR_ARRAYS
    n_queries = len(blocks[0].offsets) - 1
    if len(blocks) == 1:
        # A run has no document twice: nothing to sort, however large it is.
        queries, _, documents = _top_rows(blocks[0], depth, 0, n_queries)
        return queries, documents
    n_rows = sum(int(np.minimum(block.lengths, depth or np.inf).sum()) for block in blocks)
    step = max(1, n_queries * CHUNK_ROWS // max(1, n_rows))
    starts = range(0, n_queries, step)
    parts = [NO_PAIR_ARRAYS]
    parts += [_merged(blocks, depth, start, min(start + step, n_queries)) for start in starts]
    return (
        np.concatenate([part.queries for part in parts]),
        np.concatenate([part.documents for part in parts]),
    )


def _merged(blocks: Sequence[RunBlock], depth: int | None, start: int, stop: int) -> PairArrays:
    """Return what counts of some queries in several runs, each document where it first stands."""
    parts = []
    for number, block in enumerate(blocks):
        queries, ranks, documents = _top_rows(block, depth, start, stop)
        parts.append((queries, ranks * len(blocks) + number, documents.astype(np.int64)))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return _first_seen(columns[0], columns[1], columns[2])


def _top_rows(
    block: RunBlock, depth: int | None, start: int, stop: int
) -> tuple[LongArray, LongArray, IntArray]:
    """Return (query, rank from 0, document) of a run's ranks that count, of some queries."""
    offsets = block.offsets[start : stop + 1]
    lengths = np.diff(offsets)
    taken = lengths if depth is None else np.minimum(lengths, depth)
    queries = np.repeat(np.arange(start, stop), taken)
    ranks = np.arange(len(queries)) - np.repeat(np.cumsum(taken) - taken, taken)
    if depth is None:
        return queries, ranks, block.documents[offsets[0] : offsets[-1]]
    return queries, ranks, block.documents[np.repeat(offsets[:-1], taken) + ranks]


def _with_extra(
    queries: LongArray, documents: npt.NDArray[Any], extra: PairArrays
) -> tuple[LongArray, npt.NDArray[Any]]:
    """Put further pairs behind each query's documents, those that are not there already."""
    if not len(extra.queries):
        return queries, documents
    order = np.argsort(extra.queries, kind="stable")
    more_queries, more_documents = _first_seen(
        extra.queries[order], np.arange(len(order)), extra.documents[order]
    )
    is_met = np.isin(queries, more_queries)
    known = queries[is_met] << 32 | documents[is_met]
    is_new = ~np.isin(more_queries << 32 | more_documents, known)
    all_queries = np.concatenate([queries, more_queries[is_new]])
    order = np.argsort(all_queries, kind="stable")
    return all_queries[order], np.concatenate([documents, more_documents[is_new]])[order]


def _first_seen(queries: LongArray, orders: LongArray, documents: LongArray) -> PairArrays:
    """Return (queries, documents) by query and order, each pair where it first stands."""
    query_bits, order_bits, document_bits = (
        int(part.max(initial=0)).bit_length() for part in (queries, orders, documents)
    )
    if query_bits + order_bits + document_bits > 63:
        return _first_seen_slowly(queries, orders, documents)
    # One number for all three sorts ten times faster than three keys do.
    low = order_bits + document_bits
    keys = queries << low | documents << order_bits | orders
    keys.sort()
    pairs = keys >> order_bits
    keys = keys[np.concatenate([[True], pairs[1:] != pairs[:-1]])[: len(keys)]]
    orders = keys & ((1 << order_bits) - 1)
    documents = keys >> order_bits & ((1 << document_bits) - 1)
    keys = keys >> low << low | orders << document_bits | documents
    keys.sort()
    return PairArrays(keys >> low, keys & ((1 << document_bits) - 1))


def _first_seen_slowly(queries: LongArray, orders: LongArray, documents: LongArray) -> PairArrays:
    by_pair = np.lexsort((orders, documents, queries))
    queries, orders, documents = (part[by_pair] for part in (queries, orders, documents))
    is_new = (queries[1:] != queries[:-1]) | (documents[1:] != documents[:-1])
    keep = np.flatnonzero(np.concatenate([[True], is_new])[: len(queries)])
    keep = keep[np.lexsort((orders[keep], queries[keep]))]
    return PairArrays(queries[keep], documents[keep])
