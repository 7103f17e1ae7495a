"""Grades of rankings, of one, of two of one query, of many side by side; and their values."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import DocumentKeys
from judgetool.core.scale import Scale
from judgetool.metrics.block import Block, JudgedGrades, RankedGrades, Worth, grading_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import AnyArray, BoolArray, FactKind, FactRow, FloatArray, IntArray
from judgetool.metrics.values import compute_values


@dataclass(frozen=True, slots=True, eq=False)
class QueryGrades:
    """All that a measure may look at for one ranking of one query.

    A negative grade means 'in the pool, not judged' (trec_eval): it is held as
    unjudged, and ``pooled`` remembers it.

    Attributes:
        ranked: grade by rank, best rank first, shape (n,); NaN where nobody judged.
            This class is the only place where NaN may stand for 'unjudged'.
        missing: grades of judged documents that the ranking lacks, any order, no NaN.
        n_missing_unjudged: documents of the pool that the ranking lacks and nobody judged.
        pooled: whether the document at each rank belongs to the pool, shape (n,); every
            judged one does.
        facts: what is known of its documents beside grades, by kind.
        assumed: whether the grade at each rank counts though nobody gave it, shape (n,);
            ``None`` for nowhere.

    Raises:
        ValueError: an array is not flat, a grade is infinite, a missing grade is NaN,
            the count is negative, or ``pooled`` has another length than ``ranked``.
    """

    ranked: FloatArray
    missing: FloatArray = field(default_factory=lambda: np.zeros(0))
    n_missing_unjudged: int = 0
    pooled: BoolArray | None = None
    facts: Mapping[FactKind, FactRow] = field(default_factory=dict)
    assumed: BoolArray | None = None

    def __post_init__(self) -> None:
        ranked = np.asarray(self.ranked, dtype=np.float64)
        missing = np.asarray(self.missing, dtype=np.float64)
        pooled = ~np.isnan(ranked) if self.pooled is None else self.pooled | ~np.isnan(ranked)
        _check(ranked, missing, self.n_missing_unjudged, pooled)
        is_in_pool_only = missing < 0
        object.__setattr__(self, "ranked", np.where(ranked < 0, np.nan, ranked))
        object.__setattr__(self, "missing", missing[~is_in_pool_only])
        object.__setattr__(
            self, "n_missing_unjudged", int(self.n_missing_unjudged + is_in_pool_only.sum())
        )
        object.__setattr__(self, "pooled", pooled)

    @property
    def n_retrieved(self) -> int:
        """Length of the ranking."""
        return len(self.ranked)

    @property
    def is_judged(self) -> BoolArray:
        """Whether somebody judged the document at each rank, shape (n,)."""
        return ~np.isnan(self.ranked)

    @property
    def is_pooled(self) -> BoolArray:
        """Whether the document at each rank is of the pool, shape (n,)."""
        return self.is_judged if self.pooled is None else self.pooled

    @property
    def n_judged(self) -> int:
        """Judged documents of the query, retrieved or not."""
        return int(self.is_judged.sum()) + len(self.missing)

    @property
    def n_unjudged(self) -> int:
        """Documents without a grade, of the ranking and of the pool."""
        return int(np.isnan(self.ranked).sum()) + self.n_missing_unjudged

    @property
    def judged(self) -> FloatArray:
        """All grades of the query, those of the ranking first; empty if none is judged."""
        return np.concatenate((self.ranked[self.is_judged], self.missing))

    def count_judged_in_top(self, cutoff: int | None) -> tuple[int, int]:
        """Return how many of the first ranks are judged, and how many ranks there are.

        Args:
            cutoff: ranks to look at, at least 1; ``None`` for the whole ranking.

        Returns:
            (judged, looked at), such as (7, 10); the second is less than the cutoff
            when the ranking is shorter, and (0, 0) when it is empty.
        """
        top = self.ranked[:cutoff]
        return int((~np.isnan(top)).sum()), len(top)


def _check(ranked: FloatArray, missing: FloatArray, count: int, pooled: BoolArray) -> None:
    if ranked.ndim != 1 or missing.ndim != 1 or pooled.shape != ranked.shape:
        raise ValueError("ranked, missing and pooled must be flat, pooled as long as ranked")
    if np.isinf(ranked).any() or not np.isfinite(missing).all():
        raise ValueError("a grade must be a finite number; NaN is allowed in ranked only")
    if count < 0:
        raise ValueError(f"n_missing_unjudged must not be negative: {count}")


PlaceArray = npt.NDArray[np.intp]


class RankingPair(NamedTuple):
    """Two rankings of one query over one set of D documents.

    Attributes:
        first: places of the first ranking's documents among the D, best rank first, shape (n,).
        second: likewise of the second ranking.
        grades: grade of each document, NaN where nobody judged, shape (D,).
        pooled: which are judged or marked as of the pool by a negative grade, shape (D,);
            ``None`` for the judged ones alone. infAP asks for it.
    """

    first: PlaceArray
    second: PlaceArray
    grades: FloatArray
    pooled: BoolArray | None = None

    @staticmethod
    def from_documents(
        first: DocumentKeys,
        second: DocumentKeys,
        *,
        known: Mapping[int, float],
        pool: DocumentKeys = (),
    ) -> "RankingPair":
        """Line two rankings up.

        Args:
            first: document keys, best rank first, each once.
            second: likewise.
            known: grade of every judged document of the query; a negative one means
                'in the pool, not judged'.
            pool: further documents of the query's pool, judged or not.

        Raises:
            ValueError: a ranking has a document twice.
        """
        rankings = [np.asarray(keys, dtype=np.int64) for keys in (first, second)]
        if any(len(np.unique(keys)) != len(keys) for keys in rankings):
            raise ValueError("a ranking has a document twice")
        judged = np.fromiter(known.keys(), dtype=np.int64, count=len(known))
        others = np.concatenate((judged, np.asarray(pool, dtype=np.int64)))
        documents = np.unique(np.concatenate((*rankings, others)))
        grades = np.full(len(documents), np.nan)
        given = np.fromiter(known.values(), dtype=np.float64, count=len(known))
        grades[np.searchsorted(documents, judged)] = np.where(given < 0, np.nan, given)
        pooled = None
        if (given < 0).any():
            pooled = np.zeros(len(documents), dtype=bool)
            pooled[np.searchsorted(documents, judged)] = True
        places = [np.searchsorted(documents, keys) for keys in rankings]
        return RankingPair(places[0], places[1], grades, pooled)

    @property
    def is_open(self) -> BoolArray:
        """Which documents nobody judged, shape (D,)."""
        return np.isnan(self.grades)

    @property
    def are_equal(self) -> bool:
        """Whether both rankings are the same."""
        return np.array_equal(self.first, self.second)

    def cut(self, cutoff: int | None) -> tuple[PlaceArray, PlaceArray]:
        """Return the top of both rankings."""
        return self.first[:cutoff], self.second[:cutoff]

    def holding(self, *rankings: PlaceArray) -> BoolArray:
        """Return which of the documents any of some rankings, or parts of them, hold, shape (D,)."""
        is_held = np.zeros(len(self.grades), dtype=np.bool_)
        for documents in rankings:
            is_held[documents] = True
        return is_held

    def swapped(self) -> "RankingPair":
        """Return the pair the other way round."""
        return RankingPair(self.second, self.first, self.grades, self.pooled)

    def filled(self, grade: float) -> "RankingPair":
        """Return the pair with one grade given to all that nobody judged."""
        return RankingPair(self.first, self.second, np.where(self.is_open, grade, self.grades))

    def query_grades(self) -> tuple[QueryGrades, QueryGrades]:
        """Return what a measure sees of either ranking; all other documents are the pool."""
        return self._grades_of(self.first), self._grades_of(self.second)

    def _grades_of(self, ranking: PlaceArray) -> QueryGrades:
        is_missing = np.ones(len(self.grades), dtype=bool)
        is_missing[ranking] = False
        rest = self.grades[is_missing]
        is_judged = ~np.isnan(rest)
        return QueryGrades(
            self.grades[ranking],
            rest[is_judged],
            int(len(rest) - is_judged.sum()),
            None if self.pooled is None else self.pooled[ranking],
        )


class Window(NamedTuple):
    """The ranks in which two tops differ; all above, and perhaps all below, are the same.

    Attributes:
        start: number of ranks on which both agree from the top.
        first: the first ranking's documents in the window, best first.
        second: likewise of the second.
        is_closed: whether both hold the same documents, so that what follows them
            finds the same above it in either ranking.
    """

    start: int
    first: PlaceArray
    second: PlaceArray
    is_closed: bool


def find_window(first: PlaceArray, second: PlaceArray) -> Window:
    """Return where two tops differ; empty when they are the same.

    Only where the remaining documents are the same on both sides are common last
    ranks left out.
    """
    shorter = min(len(first), len(second))
    differs = np.flatnonzero(first[:shorter] != second[:shorter])
    start = int(differs[0]) if len(differs) else shorter
    if len(first) == len(second):
        stop = int(differs[-1]) + 1 if len(differs) else start
        inner = (first[start:stop], second[start:stop])
        if np.array_equal(np.sort(inner[0]), np.sort(inner[1])):
            return Window(start, *inner, is_closed=True)
    return Window(start, first[start:], second[start:], is_closed=False)


IN_POOL_ONLY = -1.0
# Rows of this many grades in all stay in the processor's cache.
CHUNK_GRADES = 400_000


@dataclass(frozen=True, slots=True, eq=False)
class GradesBlock:
    """Grades of B rankings, padded to the longest.

    Attributes:
        ranked: grade by rank, shape (B, n); NaN where nobody judged and after the end.
        is_open: whether an unjudged document stands at this rank, shape (B, n).
        lengths: documents retrieved, shape (B,), floats.
        judged: grades of all judged documents of each query, retrieved or not, in no
            order, padded with NaN, shape (B, J).
        n_missing_open: unjudged documents of the pool that the ranking lacks, shape (B,), floats.
        is_pooled: at which ranks stands a document that was judged or marked as of the
            pool, shape (B, n). infAP asks for it.
    """

    ranked: FloatArray
    is_open: BoolArray
    lengths: FloatArray
    judged: FloatArray
    n_missing_open: FloatArray
    is_pooled: BoolArray

    @staticmethod
    def from_queries(queries: Sequence[QueryGrades]) -> "GradesBlock":
        """Put the grades of queries side by side; none gives a block of no rows."""
        lengths = np.array([len(query.ranked) for query in queries], dtype=np.float64)
        ranked = _padded([query.ranked for query in queries])
        pooled = np.zeros(ranked.shape, dtype=bool)
        for row, each in enumerate(queries):
            pooled[row, : each.n_retrieved] = each.is_pooled
        return GradesBlock(
            ranked=ranked,
            is_open=_open_ranks(ranked, lengths),
            lengths=lengths,
            judged=_padded([query.judged for query in queries]),
            n_missing_open=np.array([q.n_missing_unjudged for q in queries], dtype=np.float64),
            is_pooled=pooled,
        )

    @staticmethod
    def from_graded(
        graded: RankedGrades,
        lengths: npt.NDArray[np.integer],
        judged: JudgedGrades,
        *,
        n_missing_open: npt.NDArray[np.integer] | None = None,
    ) -> "GradesBlock":
        """Build the block of a whole run from what the engine matches.

        Args:
            graded: judged and pooled ranks, one row per query; negative is not judged.
            lengths: documents of each ranking, shape (B,).
            judged: all judged grades, one query per row.
            n_missing_open: unjudged documents of the pool that each ranking lacks, shape
                (B,); ``None`` for none.
        """
        ranked = np.full((graded.n_rows, int(lengths.max(initial=0))), np.nan)
        is_judged = graded.grades >= 0
        ranked[graded.rows[is_judged], graded.ranks[is_judged] - 1] = graded.grades[is_judged]
        known = np.full((judged.n_queries, int(judged.counts.max(initial=0))), np.nan)
        known[judged.queries, judged.ranks - 1] = judged.grades
        missing = np.zeros(graded.n_rows) if n_missing_open is None else n_missing_open
        pooled = np.zeros(ranked.shape, dtype=bool)
        pooled[graded.rows, graded.ranks - 1] = True
        return GradesBlock(
            ranked=ranked,
            is_open=_open_ranks(ranked, lengths),
            lengths=lengths.astype(np.float64),
            judged=known,
            n_missing_open=missing.astype(np.float64),
            is_pooled=pooled,
        )

    def __len__(self) -> int:
        """Return the number of rankings."""
        return len(self.lengths)

    def iter_chunks(self) -> Iterator["GradesBlock"]:
        """Yield the block in parts that are small enough to be fast; order is kept."""
        step = max(1, CHUNK_GRADES // max(1, self.ranked.shape[1]))
        if step >= len(self):
            yield self
            return
        for start in range(0, len(self), step):
            part = slice(start, start + step)
            yield GradesBlock(
                self.ranked[part],
                self.is_open[part],
                self.lengths[part],
                self.judged[part],
                self.n_missing_open[part],
                self.is_pooled[part],
            )

    @property
    def n_open(self) -> FloatArray:
        """Unjudged documents of each query, of the ranking and of the pool, shape (B,)."""
        total: FloatArray = self.is_open.sum(axis=1) + self.n_missing_open
        return total

    def decided(self, worth: Worth) -> "GradesBlock":
        """Return the block for a measure to which all levels are worth the same.

        Grades that can only be worth one thing leave nothing open: all unjudged
        documents get one of them.
        """
        if len(worth.levels) > 1:
            return self
        grade = worth.some_grade
        most = int(self.n_open.max(initial=0))
        extra = np.where(np.arange(most) < self.n_open[:, None], grade, np.nan)
        return GradesBlock(
            np.where(self.is_open, grade, self.ranked),
            np.zeros_like(self.is_open),
            self.lengths,
            np.concatenate((self.judged, extra), axis=1),
            np.zeros_like(self.n_missing_open),
            self.is_pooled | self.is_open,
        )

    def with_lowest(self, rows: PlaceArray, grade: float) -> "GradesBlock":
        """Return rows, each with an unjudged document, with a grade for the lowest one of each."""
        ranked, is_open = self.ranked[rows].copy(), self.is_open[rows].copy()
        here = np.arange(len(rows))
        lowest = ranked.shape[1] - 1 - is_open[:, ::-1].argmax(axis=1)
        ranked[here, lowest] = grade
        is_open[here, lowest] = False
        judged = np.concatenate((self.judged[rows], np.full((len(rows), 1), grade)), axis=1)
        pooled, n_missing = ~np.isnan(ranked), self.n_missing_open[rows]
        return GradesBlock(ranked, is_open, self.lengths[rows], judged, n_missing, pooled)


def _open_ranks(ranked: FloatArray, lengths: AnyArray) -> BoolArray:
    return np.isnan(ranked) & (np.arange(ranked.shape[1]) < lengths[:, None])


def _padded(rows: Sequence[FloatArray]) -> FloatArray:
    if len(rows) == 1:
        return rows[0][None, :]
    widest = max((len(row) for row in rows), default=0)
    padded = np.full((len(rows), widest), np.nan)
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return padded


def present_values(measure: Measure, block: GradesBlock, scale: Scale | None) -> FloatArray:
    """Return the values as judged so far, undefined ones as 0, shape (B,)."""
    return np.nan_to_num(values_now(measure, block, scale))


def values_now(
    measure: Measure,
    block: GradesBlock,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> FloatArray:
    """Return the values as judged so far, NaN where they are undefined, shape (B,)."""
    return compute_values(
        _block_now(block, scale), [measure], leave_out_unjudged=leave_out_unjudged
    )[:, 0]


def _block_now(block: GradesBlock, scale: Scale | None) -> Block:
    """Return the rankings as judged so far."""
    rows, columns = np.nonzero(block.is_pooled)
    grades = block.ranked[rows, columns]
    grades = np.where(np.isnan(grades), IN_POOL_ONLY, grades)
    queries, places = np.nonzero(~np.isnan(block.judged))
    judged = block.judged[queries, places]
    return Block(
        RankedGrades(rows, columns + 1, grades, len(block)),
        block.lengths.astype(np.int64),
        JudgedGrades(queries, judged[np.lexsort((-judged, queries))], len(block)),
        grading=grading_of(scale),
    )


def compute_value(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> float | None:
    """Return one query's value as the engine has it, ``None`` where it is undefined.

    Args:
        measure: any of the table.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: whether unjudged documents are taken out of the ranking first.
    """
    values = compute_values_of([measure], grades, scale, leave_out_unjudged=leave_out_unjudged)
    return values[0]


def compute_values_of(
    measures: Sequence[Measure],
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> list[float | None]:
    """Return one query's values for several measures; see :func:`compute_value`."""
    block = block_of(grades, scale)
    table = compute_values(block, measures, leave_out_unjudged=leave_out_unjudged)
    return [None if math.isnan(value) else value for value in table[0].tolist()]


def block_of(grades: QueryGrades, scale: Scale | None) -> Block:
    """Return the one ranking as judged so far, with what is known beside grades."""
    block = _block_now(GradesBlock.from_queries([grades]), scale)
    block.facts = {kind: [row] for kind, row in grades.facts.items()}
    return block


class GatheredValues:
    """Values of thousands of rankings as judged so far: gathered one by one, computed all at once.

    Args:
        measure: any of the table.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: whether unjudged documents are taken out of the rankings first.
    """

    def __init__(
        self, measure: Measure, scale: Scale | None, *, leave_out_unjudged: bool = False
    ) -> None:
        self._measure = measure
        self._scale = scale
        self._leaves_out = leave_out_unjudged
        self._ranks: list[IntArray] = []
        self._grades: list[FloatArray] = []
        self._judged: list[FloatArray] = []
        self._lengths: list[int] = []

    def add(self, ranked: FloatArray, judged: FloatArray) -> None:
        """Take one more ranking.

        Args:
            ranked: grade by rank, NaN where nobody judged, shape (n,).
            judged: grades of all judged documents of its query, no NaN, any order.
        """
        places = np.flatnonzero(~np.isnan(ranked))
        self._ranks.append(places.astype(np.int64) + 1)
        self._grades.append(ranked[places])
        self._judged.append(-np.sort(-judged))
        self._lengths.append(len(ranked))

    def compute(self) -> FloatArray:
        """Return the value of each ranking, NaN where it is undefined, shape (number added,)."""
        n = len(self._lengths)
        if not n:
            return np.zeros(0)
        graded = RankedGrades(
            _rows(self._grades), np.concatenate(self._ranks), np.concatenate(self._grades), n
        )
        judged = JudgedGrades(_rows(self._judged), np.concatenate(self._judged), n)
        block = Block(graded, np.array(self._lengths), judged, grading=grading_of(self._scale))
        table = compute_values(block, [self._measure], leave_out_unjudged=self._leaves_out)
        values: FloatArray = table[:, 0]
        return values


def _rows(parts: list[FloatArray]) -> IntArray:
    return np.repeat(np.arange(len(parts)), [len(part) for part in parts])
