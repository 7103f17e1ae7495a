"""The pool: which documents of each query are to be judged, and how many are."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.metrics import RunBlock

IntArray = npt.NDArray[np.int32]


class Progress(NamedTuple):
    """How many documents of a pool are settled: graded, or said to be impossible to judge."""

    judged: int
    total: int

    @property
    def is_done(self) -> bool:
        """Whether nothing is left; an empty pool is done."""
        return self.judged >= self.total


class Pool:
    """The top documents of all runs, query by query, best rank first.

    Args:
        blocks: the runs; of equal ranks the earlier run's document comes first.
        n_queries: number of queries.
        depth: ranks of each run that count, at least 1.
    """

    def __init__(self, blocks: Sequence[RunBlock], n_queries: int, depth: int) -> None:
        self.depth = depth
        queries, ranks, documents = _top_rows(blocks, depth)
        order = np.lexsort((ranks, queries))
        queries, documents = queries[order], documents[order]
        width = int(documents.max(initial=0)) + 1
        _, first = np.unique(queries * width + documents, return_index=True)
        keep = np.sort(first)
        self._documents: IntArray = documents[keep].astype(np.int32)
        self._offsets = np.searchsorted(queries[keep], np.arange(n_queries + 1))
        self._settled = np.zeros(n_queries, dtype=np.int64)

    def documents(self, query: int) -> IntArray:
        """Return the pool of one query, best rank first."""
        return self._documents[self._offsets[query] : self._offsets[query + 1]]

    def pairs(self) -> tuple[npt.NDArray[np.int64], IntArray]:
        """Return (queries, documents) of all pools."""
        queries = np.repeat(np.arange(len(self._settled)), np.diff(self._offsets))
        return queries, self._documents

    def count_settled(self, settled: Mapping[int, Iterable[int]]) -> None:
        """Count anew how much of each pool is settled.

        Args:
            settled: settled documents by query.
        """
        self._settled[:] = 0
        for query, documents in settled.items():
            self.recount(query, documents)

    def recount(self, query: int, settled: Iterable[int]) -> None:
        """Count one query's settled documents anew."""
        known = settled if isinstance(settled, (dict, set, frozenset)) else set(settled)
        members = self.documents(query).tolist()
        self._settled[query] = sum(document in known for document in members)

    def progress(self, query: int) -> Progress:
        """Return how much of a query's pool is settled."""
        return Progress(
            int(self._settled[query]), int(self._offsets[query + 1] - self._offsets[query])
        )

    def total_progress(self) -> Progress:
        """Return how much of all pools is settled."""
        return Progress(int(self._settled.sum()), len(self._documents))


def _top_rows(
    blocks: Sequence[RunBlock], depth: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return (query, rank, document) of every result within the depth."""
    parts = [np.zeros((3, 0), dtype=np.int64)]
    for block in blocks:
        lengths = np.diff(block.offsets)
        taken = np.minimum(lengths, depth)
        starts = np.repeat(block.offsets[:-1], taken)
        ranks = np.arange(taken.sum()) - np.repeat(np.cumsum(taken) - taken, taken)
        queries = np.repeat(np.arange(len(lengths)), taken)
        parts.append(np.stack([queries, ranks, block.documents[starts + ranks].astype(np.int64)]))
    queries, ranks, documents = np.concatenate(parts, axis=1)
    return queries, ranks, documents
