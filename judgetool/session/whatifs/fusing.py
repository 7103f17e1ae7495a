"""Reciprocal rank fusion: one order from several."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import IntArray
from judgetool.metrics import RunBlock

DEFAULT_K = 60
_ROWS_AT_ONCE = 256


def fuse_rrf(rankings: Sequence[npt.NDArray[np.integer]], *, k: int = DEFAULT_K) -> IntArray:
    """Return several rankings of one query as one, by reciprocal rank fusion.

    A document's score is the sum of 1/(k + rank) over the rankings that hold it.

    Args:
        rankings: documents best first, each once in a ranking.
        k: from 0; how little the first ranks count more than the next.

    Returns:
        Every document of any ranking once, best first, int32. Of equal scores the one
        with the better best rank comes first, then the lower number: in whatever order
        the rankings are given.

    References:
        Cormack, Clarke and Büttcher 2009.

    Examples:
        >>> fuse_rrf([np.array([1, 2, 3]), np.array([3, 1])]).tolist()
        [1, 3, 2]
    """
    parts = [np.asarray(ranking, dtype=np.int32) for ranking in rankings]
    offsets = [np.array([0, len(part)]) for part in parts]
    fused = fuse_blocks([RunBlock(o, p) for o, p in zip(offsets, parts, strict=True)], k=k)
    return fused.documents


def fuse_blocks(blocks: Sequence[RunBlock], *, k: int = DEFAULT_K) -> RunBlock:
    """Return several runs as one, query by query; see :func:`fuse_rrf`.

    Args:
        blocks: of the same queries, at least one.
        k: from 0.

    Raises:
        ValueError: there is no run, or k is below 0.
    """
    if not blocks or k < 0:
        raise ValueError("fusion needs at least one run and a k from 0")
    n_queries = len(blocks[0].offsets) - 1
    parts, lengths = [], []
    for start in range(0, n_queries, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, n_queries)
        documents, counts = _fuse_rows(blocks, start, stop, k)
        parts.append(documents)
        lengths.append(counts)
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(lengths or [np.zeros(0, np.int64)]))))
    empty = np.zeros(0, dtype=np.int32)
    return RunBlock(offsets.astype(np.int64), np.concatenate(parts) if parts else empty)


def _fuse_rows(
    blocks: Sequence[RunBlock], start: int, stop: int, k: int
) -> tuple[IntArray, npt.NDArray[np.int64]]:
    """Return the fused rankings of some queries, and how long each is."""
    keys, scores, all_ranks = [], [], []
    width = 1 + max(int(block.documents.max(initial=0)) for block in blocks)
    for block in blocks:
        lengths = block.lengths[start:stop]
        part = slice(block.offsets[start], block.offsets[stop])
        rows = np.repeat(np.arange(stop - start), lengths)
        ranks = np.arange(1, len(rows) + 1) - (block.offsets[start:stop] - part.start)[rows]
        keys.append(rows * width + block.documents[part])
        scores.append(1.0 / (k + ranks))
        all_ranks.append(ranks)
    all_keys, back = np.unique(np.concatenate(keys), return_inverse=True)
    totals = np.bincount(back, weights=np.concatenate(scores), minlength=len(all_keys))
    best = np.full(len(all_keys), np.iinfo(np.int64).max)
    np.minimum.at(best, back, np.concatenate(all_ranks))
    rows = all_keys // width
    # Sums of the same terms in another order differ in their last digits.
    order = np.lexsort((all_keys, best, -np.round(totals, 12), rows))
    counts = np.bincount(rows, minlength=stop - start)
    return (all_keys % width)[order].astype(np.int32), counts
