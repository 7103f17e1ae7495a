"""What the judgments add up to: the folded view, the values of all runs, the pools."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import DEFAULT_VIEW, JudgmentKey, ViewRule, view_rule
from judgetool.core.rankings import FloatArray
from judgetool.core.scale import Scale
from judgetool.metrics import Conventions, Engine, Measure
from judgetool.metrics.bounds import Bounds, compute_all_bounds
from judgetool.metrics.rankings import FactTable
from judgetool.metrics.values import addable
from judgetool.session.judgment_book import EVERYBODY, Counting, Effective, JudgmentBook, SettledRow
from judgetool.session.material import Material
from judgetool.session.pool import (
    NO_PAIR_ARRAYS,
    IntArray,
    LongArray,
    PairArrays,
    Pairs,
    Pool,
    PoolChoice,
    PoolPolicy,
    Progress,
)
from judgetool.storage.judgments import LogEntry

BoolArray = npt.NDArray[np.bool_]
# Queries and documents are numbered in 32 bits: one number for both is looked up fastest.
_SHIFT = 32
_LOW = (1 << _SHIFT) - 1


class SettledPairs(NamedTuple):
    """The settled (query, document) pairs of a board.

    Attributes:
        keys: see :func:`pair_keys`; rising, shape (n,).
        grades: NaN for what was only said to be impossible to judge, shape (n,).
        counts: how many each query has, shape (n_queries,).
    """

    keys: LongArray
    grades: npt.NDArray[np.float64]
    counts: LongArray


def pair_keys(queries: npt.NDArray[np.integer], documents: npt.NDArray[np.integer]) -> LongArray:
    """Return one number for each (query, document) pair, shape (n,)."""
    return queries.astype(np.int64) << _SHIFT | documents.astype(np.int64)


def split_keys(keys: LongArray) -> tuple[LongArray, LongArray]:
    """Return (queries, documents) of what :func:`pair_keys` made."""
    return keys >> _SHIFT, keys & _LOW


def are_among(keys: LongArray, known: LongArray) -> BoolArray:
    """Return which numbers stand in a rising array, shape (n,)."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: BoolArray = known[places] == keys
    return found


def build_pool(
    material: Material, choice: PoolChoice, heard: Callable[[int], Sequence[int]]
) -> Pool:
    """Return the pool that a choice means; queries and documents not known are left out.

    What was judged of a query for which no run has found anything is its pool: without
    runs, too, judgments can be looked at, and given by others.

    Args:
        material: the project's.
        choice: what is to be judged.
        heard: gives the documents of a query that anybody has judged.
    """
    policy = choice.policy
    extra = number_pairs(material, choice.added)
    if not policy.is_frozen:
        extra = _joined(extra, _pairs_without_run(material, heard))
    blocks = []
    if policy.is_frozen:
        chosen = number_pairs(material, policy.pairs)
        extra = _joined(chosen, extra)
    elif policy.runs:
        runs = [run for name in policy.runs if (run := material.find_run(name))]
        blocks = [material.block(run.run_id) for run in runs]
    else:
        blocks = list(material.blocks.values())
    return Pool(blocks, len(material.queries), policy.max_rank, extra=extra)


def _joined(first: PairArrays, second: PairArrays) -> PairArrays:
    return PairArrays(*(np.concatenate(both) for both in zip(first, second, strict=True)))


def _pairs_without_run(material: Material, heard: Callable[[int], Sequence[int]]) -> PairArrays:
    n_found = np.zeros(len(material.queries), dtype=np.int64)
    for block in material.blocks.values():
        n_found += block.lengths
    rows = [
        (query, document)
        for query in np.flatnonzero(n_found == 0).tolist()
        for document in heard(query)
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return PairArrays(columns[0], columns[1])


def number_pairs(material: Material, pairs: Pairs) -> PairArrays:
    """Return the project's numbers of pairs of ids, in their order."""
    if not pairs:
        return NO_PAIR_ARRAYS
    wanted = sorted({name for documents in pairs.values() for name in documents})
    numbers = material.find_documents(wanted)
    rows = [
        (query, numbers[name])
        for query_id, documents in pairs.items()
        if (query := material.find_query(query_id)) is not None
        for name in documents
        if name in numbers
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 2).T
    return PairArrays(columns[0], columns[1])


T = TypeVar("T")
ONLY_MINE = "mine"


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """What the board depends on besides the judgments.

    Attributes:
        scale: the project's scale.
        measures: the chosen measures, in order.
        pool_depth: ranks of each run that are to be judged, at least 1; of no account
            where there is a choice.
        assessor: number of the session's assessor, or ``None``.
        view: name of the folding rule, or ``mine``.
        conventions: how unjudged documents, undefined values and missing queries count.
        pool: which documents are to be judged; ``None``: the top of all runs.
        standing: who of the assessors counts.
    """

    scale: Scale
    measures: Sequence[Measure]
    pool_depth: int
    assessor: int | None = None
    view: str = DEFAULT_VIEW
    conventions: Conventions = field(default_factory=Conventions)
    pool: PoolChoice | None = None
    standing: Counting = EVERYBODY

    @property
    def pool_choice(self) -> PoolChoice:
        """Which documents are to be judged."""
        return self.pool or PoolChoice(PoolPolicy("depth", self.pool_depth))


class Board:
    """Judgments folded by a view, with the values and pools that follow from them.

    Attributes:
        engine: values of all runs, kept up to date with every judgment.
        scale: the project's scale.
        view: name of the folding rule, or ``mine``.
        standing: who of the assessors counts.
        order: places of steps in time, by number, where merges brought some; see ``load_step_order``.
        n_queries: how many queries there are.
        weights: their importance in means, shape (n_queries,).
        revision: rises with everything that can change what counts, or what is to be
            judged: what was computed from the board holds as long as it stays.
    """

    def __init__(
        self, material: Material, rows: Iterable[SettledRow], settings: BoardSettings
    ) -> None:
        self._material = material
        self.scale = settings.scale
        self.view = settings.view
        self.standing = settings.standing
        self.order: Mapping[int, int] = {}
        self.revision = 0
        self._top_pools: dict[int, Pool] = {}
        self._kept: dict[Callable[[Board], Any], Any] = {}
        self._kept_at = 0
        self._book = JudgmentBook(
            rows,
            rule=_find_rule(settings.view),
            assessor=settings.assessor,
            standing=settings.standing,
        )
        self.n_queries = len(material.queries)
        self.weights = addable(np.array([query.weight for query in material.queries]))
        self.engine = self._engine_of(settings.measures, settings.conventions)
        self.engine.set_judgments(*self._book.grade_arrays())
        for run_id, block in material.blocks.items():
            self.engine.add_run(run_id, block)
        self.set_pool(settings.pool_choice)

    def _engine_of(self, measures: Sequence[Measure], conventions: Conventions) -> Engine:
        engine = Engine(
            self.n_queries,
            scale=self.scale,
            measures=measures,
            conventions=conventions,
            weights=self.weights,
        )
        if self._material.clicks:
            counts = np.array(self._material.clicks, dtype=np.int64)
            queries, documents, impressions, clicks = counts.T
            numbers = np.column_stack((clicks, impressions)).astype(np.float64)
            facts = FactTable(queries.astype(np.int32), documents.astype(np.int32), numbers)
            engine.set_facts("clicks", facts)
        return engine

    def new_engine(self, measures: Sequence[Measure] | None = None) -> Engine:
        """Return an engine that counts as this board's does, without judgments and rankings.

        Args:
            measures: ``None`` for those of the board.
        """
        return self._engine_of(measures or self.engine.measures, self.engine.conventions)

    @property
    def mean_weights(self) -> FloatArray:
        """How much each query counts in a mean, shape (n_queries,)."""
        return self.engine.mean_weights

    def set_view(self, view: str) -> None:
        """Choose which judgments count: a rule's name, or ``mine``.

        Raises:
            UsageError: there is no such rule.
        """
        self._book.set_view(_find_rule(view))
        self.view = view
        self._refold()

    def set_standing(self, standing: Counting) -> None:
        """Have others of the assessors count, in every view but one's own judgments alone."""
        if standing != self.standing:
            self.standing = standing
            self._book.set_standing(standing)
            self._refold()

    def _refold(self) -> None:
        self.engine.set_judgments(*self._book.grade_arrays())
        self._recount()

    def _recount(self) -> None:
        self.revision += 1
        self._pool.count_settled(self._book.all_settled())
        for pool in self._top_pools.values():
            pool.count_settled(self._book.all_counted())

    def kept(self, make: Callable[["Board"], T]) -> T:
        """Return what was computed from the board, kept until something can have changed it.

        Args:
            make: computes it.
        """
        if self._kept_at != self.revision:
            self._kept_at = self.revision
            self._kept.clear()
        if make not in self._kept:
            self._kept[make] = make(self)
        found: T = self._kept[make]
        return found

    def set_assessor(self, assessor: int) -> None:
        """Name the session's assessor, once a first judgment has given them a number."""
        self._book.set_assessor(assessor)

    def set_voices(self, voices: Mapping[tuple[int, int], int]) -> None:
        """Show as the assessor's own of some pairs what is kept under another number."""
        self._book.set_voices(voices)
        self._refold()

    def refold(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Fold some (query, document) pairs anew: their voices are others now."""
        if pairs:
            self._book.refold(pairs)
            self._follow_fold(pairs)

    def _follow_fold(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Bring values and pools in line with what was folded anew."""
        grades: list[tuple[int, int, float | None]] = []
        for query, document in pairs:
            effective = self._book.counted_of(query, document)
            grades.append((query, document, effective.grade if effective else None))
        self.engine.judge_many(grades)
        for query in {query for query, _, _ in grades}:
            self._pool.recount(query, self._book.settled(query))
            for pool in self._top_pools.values():
                pool.recount(query, self._book.counted(query))
        self.revision += 1

    def set_scale(self, scale: Scale) -> None:
        """Compute everything by another scale."""
        self.scale = scale
        self.revision += 1
        self.engine.set_scale(scale)

    def set_pool(self, choice: PoolChoice) -> None:
        """Choose which documents are to be judged."""
        self._pool = build_pool(self._material, choice, self._book.heard)
        self._pool.count_settled(self._book.all_settled())
        self.revision += 1

    def top_pool(self, depth: int) -> Pool:
        """Return the first ranks of all runs, whatever is to be judged; kept up to date.

        Args:
            depth: ranks of each run, at least 1.
        """
        if depth not in self._top_pools:
            pool = Pool(list(self._material.blocks.values()), self.n_queries, depth)
            pool.count_settled(self._book.all_counted())
            self._top_pools[depth] = pool
        return self._top_pools[depth]

    def settled(self, query: int) -> Mapping[int, Effective]:
        """Return what counts in the view for a query, by document; skips do not.

        As the session's assessor is shown it: of what comes to them again, what they say of it
        then. What enters values is :meth:`counted`.
        """
        return self._book.settled(query)

    def counted(self, query: int) -> Mapping[int, Effective]:
        """Return what enters values for a query, by document: what was said first of all that came again."""
        return self._book.counted(query)

    def settled_by(
        self, view: str, query: int, documents: Iterable[int] | None = None
    ) -> Mapping[int, Effective]:
        """Return what enters values for a query in a view, the board's or another, by document.

        Args:
            view: name of the folding rule, or ``mine``.
            query: its number.
            documents: of which; ``None`` for all.

        Raises:
            UsageError: there is no such view.
        """
        if view == self.view:
            settled = self.counted(query)
            if documents is None:
                return settled
            return {document: settled[document] for document in documents if document in settled}
        wanted = self._book.heard(query) if documents is None else documents
        return self._book.settled_by(_find_rule(view), query, wanted)

    def all_settled(self) -> Mapping[int, Mapping[int, Effective]]:
        """Return what counts in the view, by query and document."""
        return self._book.all_settled()

    @property
    def n_tied(self) -> int:
        """How many documents of queries have the highest of different grades of the same time as latest.

        0 in every view but that in which the latest counts.
        """
        return self._book.n_tied

    def settled_in_order(self, query: int) -> list[int]:
        """Return the documents that :meth:`settled` has, first settled first."""
        return self._book.settled_in_order(query)

    def heard(self, query: int) -> list[int]:
        """Return the documents of a query that anybody has settled, whoever counts, by number."""
        return self._book.heard(query)

    def judged_beyond(self, query: int) -> IntArray:
        """Return the documents of a query that somebody has judged, in no run and no pool."""
        found = np.array(self._book.heard(query), dtype=np.int32)
        if not len(found):
            return found
        # One mark for each document up to the last in question: far less work than
        # looking for every document in every ranking.
        is_met = np.zeros(int(found.max()) + 1, dtype=np.bool_)
        ranked = (self._material.ranked_documents(run.run_id, query) for run in self._material.runs)
        for documents in (self.pool(query), *ranked):
            is_met[documents[documents < len(is_met)]] = True
        return found[~is_met[found]]

    def pool(self, query: int) -> IntArray:
        """Return the documents of a query that are to be judged, best rank first."""
        return self._pool.documents(query)

    @property
    def whole_pool(self) -> Pool:
        """The pools of all queries."""
        return self._pool

    def progress(self, query: int) -> Progress:
        """Return how much of a query's pool is settled."""
        return self._pool.progress(query)

    def total_progress(self) -> Progress:
        """Return how much of all pools is settled."""
        return self._pool.total_progress()

    def bounds(self, run_id: int, query: int) -> tuple[Bounds, ...]:
        """Return, for each measure, what the unjudged documents could still make of the value."""
        grades = self.engine.query_grades(run_id, query, pool=self._pool.documents(query))
        return compute_all_bounds(
            self.engine.measures,
            grades,
            self.scale,
            self.engine.conventions,
            values=self.engine.numbers(run_id, query),
        )

    def apply(self, entries: Iterable[LogEntry], at: int) -> tuple[tuple[int, int], ...]:
        """Take in changed judgments; return the visible (query, document) pairs touched.

        Args:
            entries: what was written.
            at: when those were said that name no other time, milliseconds UTC.
        """
        touched: list[tuple[int, int]] = []
        for entry in entries:
            key = entry.change.key
            query = self._material.place_of.get(key.query)
            if query is None:
                continue
            here = JudgmentKey(query, key.document, key.assessor)
            said_at = at if entry.made_at is None else entry.made_at
            step = entry.after_step
            step = step if step is None else self.order.get(step, step)
            self._book.apply(here, entry.change.after, step, said_at)
            touched.append((query, key.document))
        self._follow_fold(touched)
        return tuple(touched)


def _find_rule(view: str) -> ViewRule | None:
    return None if view == ONLY_MINE else view_rule(view)


def settled_pairs(board: Board, query: int | None = None) -> SettledPairs:
    """Return what is settled, of all queries or of one; never to be written to.

    That of all queries is kept until something is judged.
    """
    return board.kept(_gather) if query is None else _gather(board, {query: board.settled(query)})


def _gather(
    board: Board, only: Mapping[int, Mapping[int, Effective]] | None = None
) -> SettledPairs:
    settled = board.all_settled() if only is None else only
    lengths = np.fromiter(map(len, settled.values()), np.int64, count=len(settled))
    places = np.fromiter(settled, np.int64, count=len(settled))
    n_pairs = int(lengths.sum())
    documents = np.fromiter(chain.from_iterable(settled.values()), np.int64, count=n_pairs)
    effective = chain.from_iterable(found.values() for found in settled.values())
    # None becomes NaN.
    grades = np.array(list(map(itemgetter(0), effective)), dtype=np.float64)
    keys = pair_keys(np.repeat(places, lengths), documents)
    order = np.argsort(keys, kind="stable")
    counts = np.zeros(board.n_queries, dtype=np.int64)
    counts[places] = lengths
    return SettledPairs(keys[order], grades[order], counts)
