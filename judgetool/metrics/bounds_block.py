"""The grades of many queries side by side, so that numpy bounds them all at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.metrics.block import Hits, JudgedGrades
from judgetool.metrics.grading import Worth
from judgetool.metrics.query_grades import BoolArray, FloatArray, QueryGrades

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
            pool, shape (B, n); ``None`` where only judged ones are. infAP asks for it.
    """

    ranked: FloatArray
    is_open: BoolArray
    lengths: FloatArray
    judged: FloatArray
    n_missing_open: FloatArray
    is_pooled: BoolArray | None = None

    @staticmethod
    def from_queries(queries: Sequence[QueryGrades]) -> "GradesBlock":
        """Put the grades of queries side by side; none gives a block of no rows."""
        lengths = np.array([len(query.ranked) for query in queries], dtype=np.float64)
        ranked = _padded([query.ranked for query in queries])
        n = np.arange(ranked.shape[1])
        pooled = None
        if any(
            each.pooled is not None and (each.pooled != each.is_judged).any() for each in queries
        ):
            pooled = np.zeros(ranked.shape, dtype=bool)
            for row, each in enumerate(queries):
                pooled[row, : each.n_retrieved] = each.pooled
        return GradesBlock(
            ranked=ranked,
            is_open=np.isnan(ranked) & (n < lengths[:, None]),
            lengths=lengths,
            judged=_padded([query.judged for query in queries]),
            n_missing_open=np.array([q.n_missing_unjudged for q in queries], dtype=np.float64),
            is_pooled=pooled,
        )

    @staticmethod
    def from_hits(
        hits: Hits,
        lengths: npt.NDArray[np.integer],
        judged: JudgedGrades,
        *,
        n_missing_open: npt.NDArray[np.integer] | None = None,
    ) -> "GradesBlock":
        """Build the block of a whole run from what the engine matches.

        Args:
            hits: judged and pooled ranks, one row per query; negative is not judged.
            lengths: documents of each ranking, shape (B,).
            judged: all judged grades, one query per row.
            n_missing_open: unjudged documents of the pool that each ranking lacks, shape
                (B,); ``None`` for none.
        """
        ranked = np.full((hits.n_rows, int(lengths.max(initial=0))), np.nan)
        is_judged = hits.grades >= 0
        ranked[hits.rows[is_judged], hits.ranks[is_judged] - 1] = hits.grades[is_judged]
        known = np.full((judged.n_queries, int(judged.counts.max(initial=0))), np.nan)
        known[judged.queries, judged.ranks - 1] = judged.grades
        missing = np.zeros(hits.n_rows) if n_missing_open is None else n_missing_open
        pooled = None
        if not is_judged.all():
            pooled = np.zeros(ranked.shape, dtype=bool)
            pooled[hits.rows, hits.ranks - 1] = True
        return GradesBlock(
            ranked=ranked,
            is_open=np.isnan(ranked) & (np.arange(ranked.shape[1]) < lengths[:, None]),
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
                None if self.is_pooled is None else self.is_pooled[part],
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
        )

    def with_lowest(self, rows: npt.NDArray[np.intp], grade: float) -> "GradesBlock":
        """Return rows, each with an unjudged document, with a grade for the lowest one of each."""
        ranked, is_open = self.ranked[rows].copy(), self.is_open[rows].copy()
        here = np.arange(len(rows))
        lowest = ranked.shape[1] - 1 - is_open[:, ::-1].argmax(axis=1)
        ranked[here, lowest] = grade
        is_open[here, lowest] = False
        judged = np.concatenate((self.judged[rows], np.full((len(rows), 1), grade)), axis=1)
        return GradesBlock(ranked, is_open, self.lengths[rows], judged, self.n_missing_open[rows])


def _padded(rows: Sequence[FloatArray]) -> FloatArray:
    if len(rows) == 1:
        return rows[0][None, :]
    widest = max((len(row) for row in rows), default=0)
    padded = np.full((len(rows), widest), np.nan)
    for place, row in enumerate(rows):
        padded[place, : len(row)] = row
    return padded
