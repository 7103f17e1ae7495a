"""Correlation of two orders, of documents or of systems, and rank-biased overlap of two rankings."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.errors import UsageError
from judgetool.metrics.measures_rows import extrapolated_overlap, rank_weighted
from judgetool.metrics.significance import DECIMALS
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


def _least(shared: IntArray, depths: IntArray, p: float) -> float:
    # Below the last depth the overlap stays; Σ p^d/d over all d is −ln(1 − p).
    last = float(shared[-1])
    beyond = -np.log1p(-p) - (p**depths / depths).sum()
    return rank_weighted(shared / depths, depths, p) + (1.0 - p) / p * last * max(
        float(beyond), 0.0
    )


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
    return rank_weighted(best, np.arange(1, full + 1), p) + float(p**full)


@dataclass(frozen=True, slots=True)
class RankingAgreement:
    """How alike two rankings are.

    τ, τ_AP and ρ look at the documents that both have, RBO at all.

    Attributes:
        n_common: documents that both have.
        tau: Kendall's τ, −1 to 1; ``None`` with fewer than two common documents.
        tau_ap: τ_AP, the mean of both directions; ``None`` likewise.
        rho: Spearman's ρ; ``None`` likewise.
        rbo: rank-biased overlap; ``None`` when both rankings are empty.
    """

    n_common: int
    tau: float | None
    tau_ap: float | None
    rho: float | None
    rbo: RankBiasedOverlap | None


@dataclass(frozen=True, slots=True)
class OrderAgreement:
    """How alike two measures order the same systems.

    Attributes:
        tau: Kendall's τ-b; ``None`` where a side has no two different values.
        tau_ap: τ_AP, the mean of both directions; ``None`` likewise.
        rho: Spearman's ρ, ties with their mean rank; ``None`` likewise.
        rbo: RBO extrapolated, ties in the order of names; ``None`` without a system.
    """

    tau: float | None
    tau_ap: float | None
    rho: float | None
    rbo: float | None


def compute_tau(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return Kendall's τ-b of two series of values.

    Args:
        first: a value for each thing, higher is better, shape (n,), finite.
        second: likewise, of the same things.

    Returns:
        −1 to 1; ``None`` where a side has no two different values.

    Raises:
        UsageError: the lengths differ, or a value is not finite.

    References:
        Kendall 1945; ``scipy.stats.kendalltau(variant='b')``.
    """
    a, b = _series(first, second)
    if not (_differs(a) and _differs(b)):
        return None
    from scipy import stats

    return _within_one(float(stats.kendalltau(a, b, variant="b").statistic))


def compute_rho(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return Spearman's ρ of two series of values; arguments and errors as for :func:`compute_tau`.

    Returns:
        −1 to 1, ties with their mean rank; ``None`` where a side has no two different values.

    References:
        Spearman 1904; ``scipy.stats.spearmanr``.
    """
    a, b = _series(first, second)
    if not (_differs(a) and _differs(b)):
        return None
    from scipy import stats

    return _within_one(float(stats.spearmanr(a, b).statistic))


def compute_tau_ap(estimate: npt.ArrayLike, truth: npt.ArrayLike) -> float | None:
    """Return the AP correlation of an estimated order with the true one.

    2/(n − 1) Σ_{i≥2} C(i)/(i − 1) − 1, where C(i) counts, among the things above place i
    of the estimate, those that the truth puts above the thing at i. Mistakes near the
    top weigh more, so the two sides cannot be swapped.

    Ties on either side count as the mean over all ways to break them: a pair tied in
    the truth counts half, and tied things of the estimate share their places.

    Args:
        estimate: a value for each thing, higher is better, shape (n,), finite.
        truth: likewise, of the same things.

    Returns:
        −1 to 1; ``None`` where a side has no two different values.

    Raises:
        UsageError: the lengths differ, or a value is not finite.

    References:
        Yilmaz, Aslam and Robertson 2008; for ties see Urbano and Marrero 2017.

    Examples:
        >>> compute_tau_ap([4, 3, 2, 1], [3, 4, 2, 1])
        0.33333333333333326
    """
    a, b = _series(estimate, truth)
    if not (_differs(a) and _differs(b)):
        return None
    total, n_above = 0.0, 0
    order = np.argsort(-a, kind="stable")
    for group in np.split(b[order], np.flatnonzero(np.diff(a[order])) + 1):
        rightly = _mean_rightly_above(group, b[order[:n_above]])
        for place in range(len(group)):
            if n_above + place:
                # Of its own group a thing has place others above it, half of them rightly.
                total += (rightly + place / 2.0) / (n_above + place)
        n_above += len(group)
    return _within_one(2.0 * total / (len(a) - 1) - 1.0)


def compute_symmetric_tau_ap(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Return the mean of τ_AP in both directions, for two sides of which neither is the truth.

    Arguments, ``None`` and errors as for :func:`compute_tau_ap`.
    """
    there, back = compute_tau_ap(first, second), compute_tau_ap(second, first)
    return None if there is None or back is None else (there + back) / 2.0


def compare_rankings(
    first: Sequence[Hashable], second: Sequence[Hashable], *, p: float = DEFAULT_PERSISTENCE
) -> RankingAgreement:
    """Return how alike two rankings of documents are.

    Args:
        first: ids, best first, each once.
        second: likewise; documents and depth may differ.
        p: of RBO, between 0 and 1.

    Raises:
        UsageError: p is out of range, or an id stands twice.
    """
    rbo = compute_rbo(first, second, p=p)
    place_of = {document: place for place, document in enumerate(second)}
    places = [place_of[document] for document in first if document in place_of]
    a, b = -np.arange(len(places)), -np.array(places, dtype=np.float64)
    return RankingAgreement(
        len(places), compute_tau(a, b), compute_symmetric_tau_ap(a, b), compute_rho(a, b), rbo
    )


def compare_orders(
    first: Mapping[str, float], second: Mapping[str, float], *, p: float = DEFAULT_PERSISTENCE
) -> OrderAgreement:
    """Return how alike two measures order the same systems.

    Args:
        first: mean by system, higher is better.
        second: mean by the other measure, of the same systems.
        p: of RBO, between 0 and 1.

    Raises:
        UsageError: the systems are not the same, a mean is not finite, or p is out of range.
    """
    if first.keys() != second.keys():
        raise UsageError("Two orders are compared of the same systems.")
    names = sorted(first)
    a, b = (np.array([means[name] for name in names]) for means in (first, second))
    rbo = compute_rbo(_order(a), _order(b), p=p)
    return OrderAgreement(
        compute_tau(a, b),
        compute_symmetric_tau_ap(a, b),
        compute_rho(a, b),
        None if rbo is None else rbo.extrapolated,
    )


def _series(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return both as arrays without rounding noise, so that equal values are tied."""
    a: FloatArray = np.asarray(first, dtype=np.float64).round(DECIMALS)
    b: FloatArray = np.asarray(second, dtype=np.float64).round(DECIMALS)
    if a.ndim != 1 or a.shape != b.shape:
        raise UsageError(
            f"Two orders are compared of the same things; found {a.size:,} and {b.size:,}."
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise UsageError("Values to be ordered have to be finite; leave out what is undefined.")
    return a, b


def _differs(values: FloatArray) -> bool:
    return bool((values != values[:1]).any())


def _within_one(value: float) -> float:
    """Return a correlation without the last digit by which rounding may pass 1."""
    return min(max(value, -1.0), 1.0)


def _mean_rightly_above(group: FloatArray, above: FloatArray) -> float:
    """Return how many of those above belong above, in the mean over a group; ties count half."""
    ordered = np.sort(above)
    not_below = len(above) - np.searchsorted(ordered, group, side="left")
    higher = len(above) - np.searchsorted(ordered, group, side="right")
    return float((not_below + higher).mean() / 2.0)


def _order(values: FloatArray) -> list[int]:
    """Return places by value, falling; ties as they stand."""
    order: list[int] = np.argsort(-np.round(values, DECIMALS), kind="stable").tolist()
    return order
