"""Several rankings made into one: by ranks, or by scores brought to one scale, each with a weight."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import FloatArray, IntArray
from judgetool.metrics import RunBlock
from judgetool.wording import _

Method = Literal["ranks", "scores"]
DEFAULT_K = 60
_ROWS_AT_ONCE = 256
Names = Callable[[Sequence[int]], Mapping[int, str]]
"""Gives external ids of some documents, or of all."""


class Fused(NamedTuple):
    """Rankings fused.

    Attributes:
        block: the rankings.
        scores: what each result is worth, shape (n_results,).
    """

    block: RunBlock
    scores: FloatArray


class Fusion(NamedTuple):
    """How rankings are made into one.

    Attributes:
        method: ``ranks``: the sum of weight / (k + rank) (reciprocal rank fusion); ``scores``:
            the sum of weight × score, the scores of each run and query brought to 0 to 1.
        k: of ranks, from 0: how little the first ranks count more than the next.
        weights: of each run, from 0; ``()`` is 1 for each.
        has_ties_by_id: equal sums stand as trec_eval has them, by document id falling; else,
            as versions before 0.3 had them, by the better best rank, then by number.
    """

    method: Method = "ranks"
    k: int = DEFAULT_K
    weights: tuple[float, ...] = ()
    has_ties_by_id: bool = True

    def describe(self, names: Sequence[str]) -> str:
        """Return it in words, such as ``ranks of a and 2 × b, k = 60``.

        Args:
            names: of the runs.
        """
        weights = self.weights or (1.0,) * len(names)
        parts = [
            name if weight == 1 else f"{weight:g} × {name}"
            for name, weight in zip(names, weights, strict=True)
        ]
        runs = " + ".join(parts)
        if self.method == "ranks":
            return f"{runs}, k = {self.k}"
        return _("{runs}, by scores").format(runs=runs)


def fuse_rrf(
    rankings: Sequence[npt.NDArray[np.integer]],
    *,
    k: int = DEFAULT_K,
    names: Names | None = None,
) -> IntArray:
    """Return several rankings of one query as one, by reciprocal rank fusion.

    A document's score is the sum of 1/(k + rank) over the rankings that hold it.

    Args:
        rankings: documents best first, each once in a ranking.
        k: from 0; how little the first ranks count more than the next.
        names: gives the ids by which equal scores are ordered; ``None`` for best rank and number.

    Returns:
        Every document of any ranking once, best first, int32: in whatever order the rankings
        are given.

    References:
        Cormack, Clarke and Büttcher 2009.

    Examples:
        >>> fuse_rrf([np.array([1, 2, 3]), np.array([3, 1])]).tolist()
        [1, 3, 2]
    """
    parts = [np.asarray(ranking, dtype=np.int32) for ranking in rankings]
    blocks = [RunBlock(np.array([0, len(part)]), part) for part in parts]
    fusion = Fusion(k=k, has_ties_by_id=names is not None)
    return fuse_blocks(blocks, fusion, names=names).block.documents


def fuse_blocks(
    blocks: Sequence[RunBlock],
    fusion: Fusion,
    *,
    scores: Sequence[FloatArray] = (),
    names: Names | None = None,
) -> Fused:
    """Return several runs as one, query by query: A with B is B with A.

    Args:
        blocks: of the same queries, at least one.
        fusion: how.
        scores: of each block's results, where scores are fused.
        names: gives the ids of documents of equal sums; for ties by id.

    Raises:
        ValueError: there is no run, k is below 0, or there are other weights or scores than runs.
    """
    weights = fusion.weights or (1.0,) * len(blocks)
    if not blocks or fusion.k < 0 or len(weights) != len(blocks):
        raise ValueError(_("fusion needs at least one run, a k from 0 and a weight for each run"))
    if fusion.method == "scores" and len(scores) != len(blocks):
        raise ValueError(_("to fuse scores, each run needs some"))
    rows = [np.repeat(np.arange(len(each.lengths)), each.lengths) for each in blocks]
    ranks = [
        np.arange(1, len(row) + 1) - each.offsets[row]
        for row, each in zip(rows, blocks, strict=True)
    ]
    if fusion.method == "ranks":
        worth = [1.0 / (fusion.k + each) for each in ranks]
    else:
        worth = [_scaled(each.offsets, own) for each, own in zip(blocks, scores, strict=True)]
    worth = [weight * each for weight, each in zip(weights, worth, strict=True)]
    parts = []
    n_queries = len(blocks[0].offsets) - 1
    for start in range(0, n_queries, _ROWS_AT_ONCE):
        stop = min(start + _ROWS_AT_ONCE, n_queries)
        cuts = [slice(each.offsets[start], each.offsets[stop]) for each in blocks]
        columns = (
            _joined(rows, cuts),
            _joined([each.documents for each in blocks], cuts),
            _joined(worth, cuts),
            _joined(ranks, cuts),
        )
        names_of_ties = names if fusion.has_ties_by_id else None
        parts.append(_fuse_rows(*columns, names=names_of_ties))
    all_rows = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int64)])
    documents = np.concatenate([part[1] for part in parts] or [np.zeros(0, np.int32)])
    totals = np.concatenate([part[2] for part in parts] or [np.zeros(0)])
    counts = np.bincount(all_rows, minlength=n_queries)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Fused(RunBlock(offsets, documents), totals)


def _joined(arrays: Sequence[npt.NDArray[Any]], cuts: Sequence[slice]) -> npt.NDArray[Any]:
    return np.concatenate([each[cut] for each, cut in zip(arrays, cuts, strict=True)])


def _scaled(offsets: npt.NDArray[np.int64], scores: FloatArray) -> FloatArray:
    """Return scores brought to 0 to 1 in each query; 1 where all of a query are equal."""
    if not len(scores):
        return scores
    scores = np.nan_to_num(scores)
    lengths = np.diff(offsets)
    begins, counts = offsets[:-1][lengths > 0], lengths[lengths > 0]
    low = np.repeat(np.minimum.reduceat(scores, begins), counts)
    high = np.repeat(np.maximum.reduceat(scores, begins), counts)
    span = high - low
    return np.where(span > 0, (scores - low) / np.where(span > 0, span, 1.0), 1.0)


def _fuse_rows(
    rows: npt.NDArray[np.int64],
    documents: IntArray,
    worth: FloatArray,
    ranks: npt.NDArray[np.int64],
    *,
    names: Names | None,
) -> tuple[npt.NDArray[np.int64], IntArray, FloatArray]:
    """Return row, document and sum of the fused rankings of some queries, best first in each."""
    width = 1 + int(documents.max(initial=0))
    keys, back = np.unique(rows * width + documents, return_inverse=True)
    # Sums of the same terms in another order differ in their last digits.
    totals: FloatArray = np.round(np.bincount(back, weights=worth, minlength=len(keys)), 12)
    best = np.full(len(keys), np.iinfo(np.int64).max)
    np.minimum.at(best, back, ranks)
    found_rows, found = keys // width, (keys % width).astype(np.int32)
    if names is not None:
        best = _by_id(found_rows, found, totals, names)
    order = np.lexsort((keys, best, -totals, found_rows))
    return found_rows[order], found[order], totals[order]


def _by_id(
    rows: npt.NDArray[np.int64], documents: IntArray, totals: FloatArray, names: Names
) -> npt.NDArray[np.int64]:
    """Return what orders documents of equal sums by their ids, falling."""
    order = np.lexsort((totals, rows))
    ordered_rows, ordered = rows[order], totals[order]
    same = (ordered[1:] == ordered[:-1]) & (ordered_rows[1:] == ordered_rows[:-1])
    is_tied = np.zeros(len(rows), dtype=np.bool_)
    is_tied[order[1:][same]] = is_tied[order[:-1][same]] = True
    tied = np.unique(documents[is_tied]).tolist()
    places = np.zeros(len(rows), dtype=np.int64)
    if tied:
        ids = names(tied)
        falling = sorted(tied, key=ids.__getitem__, reverse=True)
        place_of = np.zeros(1 + max(tied), dtype=np.int64)
        place_of[falling] = np.arange(len(falling))
        places[is_tied] = place_of[documents[is_tied]]
    return places
