"""Rank-biased overlap of two rankings, which may differ in documents and in depth."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from judgetool.errors import UsageError
from judgetool.metrics.terms import FloatArray, IntArray

DEFAULT_PERSISTENCE = 0.9


class RankBiasedOverlap(NamedTuple):
    """How alike two rankings are, the top weighing most; each figure from 0 to 1.

    Attributes:
        extrapolated: RBO_ext, as if both went on as they agree so far; the one to quote.
        least: RBO_min, as if all that follows differed.
        residual: RBO_res, how much more it could be if all that follows agreed.
    """

    extrapolated: float
    least: float
    residual: float


def compute_rbo(
    first: Sequence[Hashable], second: Sequence[Hashable], *, p: float = DEFAULT_PERSISTENCE
) -> RankBiasedOverlap | None:
    """Return the rank-biased overlap of two rankings without ties.

    With X_d the number of documents that the first d of both share:
    (1 − p) Σ_{d≥1} p^{d−1} X_d / d, of which the depths seen decide a part.

    Args:
        first: ids, best first, each once.
        second: likewise; it may be shorter or longer.
        p: weight of going one place deeper, between 0 and 1.

    Returns:
        ``None`` when both are empty; 0 extrapolated when one is.

    Raises:
        UsageError: p is out of range, or an id stands twice.

    References:
        Webber, Moffat and Zobel 2010: RBO_min is equation 11, RBO_ext equation 32,
        RBO_res the difference to the largest overlap (equation 30).

    Examples:
        >>> compute_rbo("ab", "ab", p=0.5).extrapolated
        1.0
    """
    _check(first, second, p)
    short, long = sorted((first, second), key=len)
    if not long:
        return None
    shared = _shared_by_depth(short, long)
    depths = np.arange(1, len(long) + 1)
    least = _least(shared, depths, p)
    extrapolated = extrapolated_overlap(shared, n_short=len(short), p=p)
    greatest = _greatest(shared, depths, n_short=len(short), p=p)
    return RankBiasedOverlap(extrapolated, least, max(greatest - least, 0.0))


def _check(first: Sequence[Hashable], second: Sequence[Hashable], p: float) -> None:
    if not 0.0 < p < 1.0:
        raise UsageError(f"p of RBO lies between 0 and 1, without these; found {p:g}.")
    if len(set(first)) < len(first) or len(set(second)) < len(second):
        raise UsageError("A document stands twice in a ranking; RBO takes each once.")


def _shared_by_depth(short: Sequence[Hashable], long: Sequence[Hashable]) -> IntArray:
    """Return how many documents the first d of both share, for d = 1 .. length of the longer."""
    place_of = {document: place for place, document in enumerate(short)}
    met = [
        max(place, place_of[document])
        for place, document in enumerate(long)
        if document in place_of
    ]
    counts = np.bincount(np.array(met, dtype=np.int64), minlength=len(long))
    return np.cumsum(counts)


def _weighted(agreement: FloatArray, depths: IntArray, p: float) -> float:
    return float((1.0 - p) * (p ** (depths - 1.0) * agreement).sum())


def _least(shared: IntArray, depths: IntArray, p: float) -> float:
    # Below the last depth the overlap stays; Σ p^d/d over all d is −ln(1 − p).
    last = float(shared[-1])
    beyond = -np.log1p(-p) - (p**depths / depths).sum()
    return _weighted(shared / depths, depths, p) + (1.0 - p) / p * last * max(float(beyond), 0.0)


def extrapolated_overlap(shared: IntArray, *, n_short: int, p: float) -> float:
    """Return RBO_ext of two rankings.

    Args:
        shared: how many documents the first d of both share, for d from 1 to the length of
            the longer one, shape (n,), at least one.
        n_short: length of the shorter one.
        p: weight of going one place deeper, between 0 and 1.
    """
    if not n_short:
        return 0.0
    depths = np.arange(1, len(shared) + 1)
    agreement = extrapolated_agreement(shared, n_short)
    return min(_weighted(agreement, depths, p) + float(agreement[-1] * p ** depths[-1]), 1.0)


def extrapolated_agreement(shared: IntArray, n_short: int) -> FloatArray:
    """Return the share of the first d that both hold; see :func:`extrapolated_overlap`.

    Where the shorter has ended, its unseen part agrees as its seen part did.
    """
    depths = np.arange(1, len(shared) + 1)
    rate = float(shared[n_short - 1]) / n_short
    return (shared + rate * np.maximum(depths - n_short, 0)) / depths


def _greatest(shared: IntArray, depths: IntArray, *, n_short: int, p: float) -> float:
    n_long, last = len(depths), int(shared[-1])
    # From here on both can hold the same documents.
    full = n_long + n_short - last
    deeper = np.arange(n_long + 1, full + 1)
    best = np.concatenate(
        (
            (shared + np.maximum(depths - n_short, 0)) / depths,
            (last + 2 * deeper - n_short - n_long) / deeper,
        )
    )
    return _weighted(best, np.arange(1, full + 1), p) + float(p**full)
