"""The queue: which document comes next for an assessor; and choosing a pool in an open project."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache, cached_property
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from judgetool.core.held_files import open_to_read
from judgetool.core.judgments import State
from judgetool.core.number_text import format_count, number_of
from judgetool.errors import InputError, ParseError, why_refused
from judgetool.session.board import are_among, build_pool, number_pairs, pair_keys, settled_pairs
from judgetool.session.commands import SetValues
from judgetool.session.material import Material
from judgetool.session.pool import (
    ADDED_KEY,
    IntArray,
    NumberPair,
    PairArrays,
    Pool,
    PoolChoice,
    PoolPolicy,
    set_pool,
)
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
from judgetool.storage.ids import load_id_texts
from judgetool.wording import _


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
        queue, settled = fixed_queue(session, policy), board.all_settled()
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
            "; " + _("{count} lines are like it").format(count=format_count(count))
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
        with open_to_read(path) as stream:
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
        session.board.heard,
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
        session.material, PoolChoice(policy, session.pool_choice.added), session.board.heard
    )
    pool.count_settled(session.board.all_settled())
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
