"""One run as a block of rankings, and what intervals of a whole run are computed from."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.metrics.block import Hits, JudgedGrades
from judgetool.metrics.judgment_store import KeyArray
from judgetool.metrics.terms import IntArray


@dataclass(frozen=True, eq=False)
class RunBlock:
    """One run as a block of rankings (compressed sparse rows).

    Attributes:
        offsets: where each query's ranking starts and the last ends, int64,
            shape (n_queries + 1,), rising from 0; an empty ranking is a query that the run lacks.
        documents: documents in ranked order, best first, as dense integers of the
            project, int32, shape (n_results,).
    """

    offsets: IntArray
    documents: KeyArray

    def ranking(self, query: int) -> KeyArray:
        """Return the documents of one query, best first; empty when the run lacks it."""
        return self.documents[self.offsets[query] : self.offsets[query + 1]]

    @property
    def lengths(self) -> IntArray:
        """Number of documents of each query, shape (n_queries,)."""
        return np.diff(self.offsets)

    def cut(self, depth: int) -> "RunBlock":
        """Return the run with the first documents of each ranking alone.

        Args:
            depth: how many, at least 1.
        """
        starts = np.repeat(self.offsets[:-1], self.lengths)
        is_kept = np.arange(len(self.documents)) - starts < depth
        lengths = np.minimum(self.lengths, depth)
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        return RunBlock(offsets, self.documents[is_kept])

    def with_rankings(self, rankings: Mapping[int, KeyArray]) -> "RunBlock":
        """Return the block with the rankings of some queries replaced, by query."""
        if not rankings:
            return self
        lengths = self.lengths.copy()
        parts: list[KeyArray] = []
        done = 0
        for query in sorted(rankings):
            new = np.asarray(rankings[query], dtype=np.int32)
            parts += [self.documents[self.offsets[done] : self.offsets[query]], new]
            lengths[query] = len(new)
            done = query + 1
        parts.append(self.documents[self.offsets[done] :])
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        return RunBlock(offsets, np.concatenate(parts))


@dataclass(frozen=True, slots=True, eq=False)
class RunFacts:
    """Grades and lengths of all rankings of a run; nothing of it changes later.

    Attributes:
        hits: judged and pooled ranks, one row per query.
        lengths: documents of each ranking, shape (n_queries,).
        judged: all judged grades, one query per row.
        judged_queries: query of each judged pair, by query and document.
        judged_documents: its document, likewise.
    """

    hits: Hits
    lengths: npt.NDArray[np.int64]
    judged: JudgedGrades
    judged_queries: npt.NDArray[np.int64]
    judged_documents: npt.NDArray[np.int32]

    def judged_share(self, depth: int) -> float | None:
        """Return the share of the first ranks that are judged, over the judged queries.

        Args:
            depth: ranks to look at, from 1.

        Returns:
            ``None`` when no judged query has a document there.
        """
        is_judged_query = self.judged.counts > 0
        total = int(np.minimum(self.lengths, depth)[is_judged_query].sum())
        is_counted = (self.hits.grades >= 0) & (self.hits.ranks <= depth)
        return int(np.count_nonzero(is_counted)) / total if total else None
