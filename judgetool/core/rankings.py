"""How a ranking is ordered: the one place where ties are broken."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One run's documents for one query, best first.

    Attributes:
        documents: the project's integer keys of the documents, int32, shape (n,).
        scores: what the system gave each, float64, shape (n,); ``None`` if it gave none.
    """

    documents: IntArray
    scores: FloatArray | None = None


EMPTY_RANKING = Ranking(np.zeros(0, dtype=np.int32))


def score_order(scores: FloatArray, ids: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the order of a TREC run: score falling, ties by document id falling.

    Ids are compared as UTF-8 bytes, which Python's comparison of code points
    equals. The rank column of a run file plays no part.

    Args:
        scores: one per document, shape (n,); infinities are allowed, NaN is not.
        ids: the documents' ids, in the order of ``scores``.

    Returns:
        Positions into ``ids``, best first; empty for an empty ranking.

    References:
        trec_eval's ``form_res_rels.c``; 9.0.4 and older compare scores as 32-bit
        floats, this compares doubles.

    Examples:
        >>> score_order(np.array([1.0, 2.0, 1.0]), ["d9", "d5", "d10"]).tolist()
        [1, 0, 2]
    """
    # -0.0 and 0.0 are one score: adding 0.0 makes them the same bits for sorting.
    falling = np.argsort(-(scores + 0.0), kind="stable")
    ordered = scores[falling]
    if len(ordered) < 2 or not (ordered[1:] == ordered[:-1]).any():
        return falling
    by_id = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
    place_of = np.empty(len(ids), dtype=np.intp)
    place_of[by_id] = np.arange(len(ids))
    return np.lexsort((place_of, -(scores + 0.0)))
