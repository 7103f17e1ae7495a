"""The two kinds of tops: sparse, of what is judged in many rankings; dense, of whole rankings."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.override import override
from judgetool.metrics.block import Block, Hits, add_by_row
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import (
    BoolArray,
    FloatArray,
    IntArray,
    JudgedRow,
    Tops,
    discounts,
    log2_table,
)

# Cells of a padded matrix at most; more rows are done in several strides.
MOST_CELLS = 2_000_000


class HitTops(Tops):
    """What is judged of the rankings of a block: sparse, one entry for each such document.

    Of measures to which only useful documents matter, the others are left away.
    """

    def __init__(self, block: Block, measure: Measure) -> None:
        super().__init__(measure.values, measure.cutoff)
        self.measure = measure
        self._block = block
        self._reading = block.grading.worth(measure)
        self.lengths = block.lengths
        # Whether each document here is worth 1.
        self._is_plain = measure.spec.sees == "useful" and self._reading.rel is not None

    @cached_property
    def hits(self) -> Hits:
        """The documents, by row and rank."""
        spec, block, cutoff = self.measure.spec, self._block, self.cutoff
        if spec.sees == "pool":
            return block.all_hits
        if spec.sees == "judged":
            return block.top(cutoff)
        if self._reading.rel is not None:
            return block.relevant(self._reading.rel, cutoff)
        return self._useful[0]

    @cached_property
    def _useful(self) -> tuple[Hits, FloatArray]:
        """Documents with gain or probability, and these."""

        def compute() -> tuple[Hits, FloatArray]:
            hits = self._block.top(self.cutoff)
            worth = self._reading.of(hits.grades)
            can = worth != 0
            return hits.where(can), worth[can]

        return self._block.memo(("useful", self.measure.reading, self.cutoff), compute)

    @cached_property
    @override
    def worth(self) -> FloatArray:
        if self._is_plain:
            return np.ones(len(self.hits.ranks))
        if self.measure.spec.sees == "useful":
            return self._useful[1]
        return self._reading.of(self.hits.grades)

    @cached_property
    @override
    def ranks(self) -> IntArray:
        return self.hits.ranks

    @property
    @override
    def judged(self) -> BoolArray:
        return self.hits.grades >= 0

    @property
    @override
    def pooled(self) -> BoolArray:
        return np.ones(len(self.hits.ranks), dtype=np.bool_)

    @property
    @override
    def n_relevant(self) -> npt.NDArray[Any]:
        return self._block.n_relevant(self._reading.rel or 0.0)

    @property
    @override
    def n_nonrelevant(self) -> npt.NDArray[Any]:
        return np.asarray(self._block.n_relevant(0.0) - self.n_relevant)

    @cached_property
    @override
    def found(self) -> npt.NDArray[Any]:
        return self.hits.counts if self._is_plain else self.sum(self.worth)

    @cached_property
    @override
    def found_so_far(self) -> npt.NDArray[Any]:
        return self.hits.places if self._is_plain else self.cumulate(self.worth)

    @override
    def sum(self, numbers: FloatArray) -> FloatArray:
        return self.hits.sum_by_row(numbers)

    @override
    def cumulate(self, numbers: npt.NDArray[Any]) -> FloatArray:
        total = np.cumsum(numbers)
        starts = np.cumsum(self.hits.counts) - self.hits.counts
        before = np.concatenate(([0], total))[starts]
        return np.asarray(total - before[self.hits.rows], dtype=np.float64)

    @override
    def at(self, by_row: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return by_row[self.hits.rows]

    @override
    def reach(self, stay: FloatArray) -> FloatArray:
        hits = self.hits
        reached = np.ones(len(hits.rows))
        for part in _iter_strides(hits):
            rows = hits.rows[part]
            if not len(rows):
                continue
            rows = rows - rows[0]
            places = hits.places[part] - 1
            stays = np.ones((int(rows[-1]) + 1, int(places.max()) + 2))
            stays[rows, places + 1] = stay[part]
            reached[part] = np.cumprod(stays, axis=1)[rows, places]
        return reached

    @override
    def best(self, numbers: FloatArray, masks: Iterable[BoolArray]) -> list[FloatArray]:
        found = []
        for mask in masks:
            rows = self.hits.rows[mask]
            starts = np.flatnonzero(np.diff(rows, prepend=-1))
            values = np.zeros(self.hits.n_rows)
            if len(rows):
                values[rows[starts]] = np.maximum.reduceat(numbers[mask], starts)
            found.append(values)
        return found

    @override
    def judged_rows(self) -> Iterator[JudgedRow]:
        block, judged = self._block, self._block.judged
        hits = block.top(self.cutoff)
        worth = self._reading.of(hits.grades)
        edges = np.concatenate(([0], np.cumsum(hits.counts))).tolist()
        starts = np.concatenate(([0], np.cumsum(judged.counts))).tolist()
        positive = np.bincount(judged.queries[judged.grades > 0], minlength=judged.n_queries)
        queries = block.by_row(np.arange(judged.n_queries)).tolist()
        for row, (query, length) in enumerate(zip(queries, self.lengths.tolist(), strict=True)):
            part = slice(edges[row], edges[row + 1])
            ideal = judged.grades[starts[query] : starts[query] + int(positive[query])]
            yield JudgedRow(hits.grades[part], worth[part], hits.ranks[part], length, length, ideal)

    @property
    @override
    def clicks(self) -> tuple[FloatArray, FloatArray]:
        clicked, shown = (
            np.zeros(self._block.n_rows) if each is None else self._sum_top(each)
            for each in (self._block.clicked, self._block.shown)
        )
        return clicked, shown

    def _sum_top(self, counts: Hits) -> FloatArray:
        cutoff = self.cutoff
        top = counts if cutoff is None else counts.where(counts.ranks <= cutoff)
        return top.sum_by_row(top.grades)

    @property
    @override
    def ideal(self) -> FloatArray:
        return self._block.memo(
            ("ideal", self.measure.reading, self.cutoff, self.params["ideal"]),
            self._compute_ideal,
        )

    def _compute_ideal(self) -> FloatArray:
        kind, block, judged = self.params["ideal"], self._block, self._block.judged
        cutoff = None if kind == "uncut" else self.cutoff
        if kind == "retrieved":
            hits = block.hits
            gains = self._reading.of(hits.grades)
            gains = gains[np.lexsort((-gains, hits.rows))]
            return _discounted(Hits(hits.rows, hits.places, gains, hits.n_rows), cutoff)
        gains = block.memo(("ideal gains", self.measure.reading), self._ideal_gains)
        best = Hits(judged.queries, judged.ranks, gains, judged.n_queries)
        if kind == "length":
            return self._ideal_by_length(best)
        return block.by_row(_discounted(best, cutoff))

    def _ideal_gains(self) -> FloatArray:
        """Gains of all judged documents, best first within a query."""
        judged = self._block.judged
        gains = self._reading.of(judged.grades)
        # Grades fall within a query; gains do too, unless a scale or gains= says otherwise.
        rises = (gains[1:] > gains[:-1]) & (judged.queries[1:] == judged.queries[:-1])
        return gains[np.lexsort((-gains, judged.queries))] if rises.any() else gains

    def _ideal_by_length(self, best: Hits) -> FloatArray:
        """Ideal DCG of each row, cut at the length of its own ranking as well."""
        n_rows = self._block.n_rows
        terms = best.grades / log2_table(int(best.ranks.max(initial=1)))[best.ranks]
        queries = self._block.by_row(np.arange(best.n_rows))
        taken = np.minimum(np.minimum(self.depth, self.lengths), best.counts[queries]).astype(int)
        rows = np.repeat(np.arange(n_rows), taken)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(taken) - taken, taken)
        starts = np.cumsum(best.counts) - best.counts
        return add_by_row(rows, terms[starts[queries][rows] + within], n_rows=n_rows)


class RowTops(Tops):
    """Whole rankings under given grades, a row each: dense.

    Args:
        measure: whose terms are evaluated.
        worth: by rank, of the whole rankings or of what the measure looks at, shape (B, n);
            0 where unjudged and after the end.
        lengths: documents retrieved, shape (B,) or (1,).
        n_relevant: R, shape (B,); 0 for measures that do not ask for it.
        n_nonrelevant: judged documents that are not relevant, shape (B,).
        judged: which are judged, shape (B, n) or (1, n); ``None`` for all.
        pooled: which belong to the pool, likewise.
        pool: worths of all documents of the query, shape (B, m) or (1, m); for the ideal.
        explained: what the explanation of one ranking knows besides.
    """

    def __init__(  # noqa: PLR0913 - what a measure may look at
        self,
        measure: Measure,
        worth: FloatArray,
        lengths: FloatArray,
        n_relevant: npt.ArrayLike = 0.0,
        n_nonrelevant: npt.ArrayLike = 0.0,
        *,
        judged: BoolArray | None = None,
        pooled: BoolArray | None = None,
        pool: FloatArray | None = None,
        explained: "Explained | None" = None,
    ) -> None:
        super().__init__(measure.values, measure.cutoff)
        self.measure = measure
        self.lengths = lengths
        self._whole = worth
        self._pool = worth if pool is None else pool
        self._counts = np.asarray(n_relevant), np.asarray(n_nonrelevant)
        self._marks = judged, pooled
        self._explained = explained
        self.is_explained = explained is not None

    @cached_property
    @override
    def ranks(self) -> IntArray:
        return np.arange(1, self.worth.shape[1] + 1)

    @cached_property
    @override
    def worth(self) -> FloatArray:
        return self._whole[:, : self.cutoff]

    def _marked(self, marks: BoolArray | None) -> BoolArray:
        return np.ones((1, len(self.ranks)), bool) if marks is None else marks[:, : len(self.ranks)]

    @property
    @override
    def judged(self) -> BoolArray:
        return self._marked(self._marks[0])

    @property
    @override
    def pooled(self) -> BoolArray:
        return self._marked(self._marks[1])

    @property
    @override
    def n_relevant(self) -> npt.NDArray[Any]:
        return self._counts[0]

    @property
    @override
    def n_nonrelevant(self) -> npt.NDArray[Any]:
        return self._counts[1]

    @override
    def sum(self, numbers: FloatArray) -> FloatArray:
        total: FloatArray = numbers.sum(axis=1)
        return total

    @override
    def cumulate(self, numbers: npt.NDArray[Any]) -> FloatArray:
        return np.cumsum(numbers, axis=1, dtype=np.float64)

    @override
    def at(self, by_row: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return by_row[..., None]

    @override
    def reach(self, stay: FloatArray) -> FloatArray:
        reached = np.ones_like(stay)
        np.cumprod(stay[:, :-1], axis=1, out=reached[:, 1:])
        return reached

    @override
    def best(self, numbers: FloatArray, masks: Iterable[BoolArray]) -> list[FloatArray]:
        if not numbers.shape[1]:
            return [np.zeros(len(numbers)) for _ in masks]
        best = np.maximum.accumulate(numbers[:, ::-1], axis=1)[:, ::-1]
        return [
            np.take_along_axis(best, mask.argmax(axis=1)[:, None], axis=1)[:, 0] * mask[:, -1]
            for mask in masks
        ]

    @property
    @override
    def ideal_gains(self) -> FloatArray:
        kind = self.params["ideal"]
        pool = self._whole if kind == "retrieved" else self._pool
        best = -np.sort(-pool, axis=1)[:, : None if kind == "uncut" else self.cutoff]
        if kind == "length":
            best = best[:, : int(self.lengths.max(initial=0))]
            best = np.where(np.arange(best.shape[1]) < self.lengths[:, None], best, 0.0)
        return best

    @property
    @override
    def ideal(self) -> FloatArray:
        best = self.ideal_gains
        return np.asarray(best @ discounts(best.shape[1]), dtype=np.float64)

    @property
    @override
    def clicks(self) -> tuple[FloatArray, FloatArray]:
        return self.explained.clicked, self.explained.shown

    @override
    def judged_rows(self) -> Iterator[JudgedRow]:
        yield self.explained.row

    @property
    def explained(self) -> "Explained":
        """What an explanation knows beside worths."""
        assert self._explained is not None
        return self._explained


class Explained(NamedTuple):
    """What the explanation of one ranking knows beside the worths.

    Attributes:
        row: its judged documents.
        clicked: clicks by rank, shape (1, n).
        shown: impressions by rank, shape (1, n).
    """

    row: JudgedRow
    clicked: FloatArray
    shown: FloatArray


def _iter_strides(hits: Hits) -> Iterator[slice]:
    """Cut the hits, at ends of rows, into parts whose padded matrix is not too large."""
    widest = int(hits.counts.max(initial=0))
    if hits.n_rows * widest <= MOST_CELLS:
        yield slice(0, len(hits.rows))
        return
    step = max(1, MOST_CELLS // widest)
    edges = np.searchsorted(hits.rows, np.arange(0, hits.n_rows + step, step))
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield slice(start, stop)


def _discounted(best: Hits, cutoff: int | None) -> FloatArray:
    """DCG of an ideal order whose grades are gains already."""
    top = best if cutoff is None else best.where(best.ranks <= cutoff)
    return top.sum_by_row(top.grades / log2_table(int(top.ranks.max(initial=1)))[top.ranks])
