"""Means over all queries or places where a model graded all and people a random sample of them.

The difference estimator of sampling theory, which machine learning knows as prediction-powered
inference. With F what the model's grades give and Y what people's give, over N units of which
people judged n, drawn at random without replacement:

    v̂ = mean_N(F) + mean_n(Y − F),   v̂ ∓ t_d √((1 − n/N) (s²(Y − F) + s²(Y)/n) / n)
    d = 2 / (2/(n − 1) + max(k, 0)/n),   k: excess kurtosis of the sample's Y − F

It estimates the mean as if people had judged all N. Its expectation is right however wrong the
model is, which moves the width alone: a model that grades as people do makes Y − F small.

The plain interval, t with n − 1 and s²(Y − F) alone, holds the mean too rarely where a good model
is rarely, but then far, off: samples without such a unit know nothing of it. Two things mend that.
The degrees of freedom are those that the variance of s² leaves when tails are heavy (Satterthwaite's
match, with the sample's own kurtosis). And the model is taken to be worth nothing on one more unit
than was seen, so that its Y − F would vary as Y does: hence s²(Y)/n, which no agreement with the
sample can take away. Of people's sample alone there is no model to fail, and F = 0.

References:
    Cochran 1977, Sampling Techniques, chapters 2 and 7; Särndal, Swensson and Wretman 1992, Model
    Assisted Survey Sampling, section 6.3; Angelopoulos and others 2023, Prediction-powered inference;
    Satterthwaite 1946, An approximate distribution of estimates of variance components. What the
    intervals hold is measured by ``python -m tests.benchmarks estimates``.

    >>> found = estimate_mean(np.array([0.5, np.nan, 0.75, np.nan]), np.array([0.5, 0.25, 0.5, 0.75]))
    >>> found.value, found.n, found.n_all
    (0.625, 2, 4)
"""

from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.grading import worth_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.significance import DEFAULT_CONFIDENCE
from judgetool.metrics.terms import FloatArray, Tops
from judgetool.metrics.values import contributions


class Estimate(NamedTuple):
    """An estimated mean and its interval.

    Attributes:
        value: ``None`` where nothing can be said.
        low: lower end of the interval; ``None`` where there is none.
        high: upper end, likewise.
        n: units that people judged.
        n_all: units that there are.
        reason: why value or ends are missing, without a full stop; else ``""``.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    n_all: int = 0
    reason: str = ""


def estimate_mean(
    people: FloatArray, model: FloatArray | None = None, *, confidence: float = DEFAULT_CONFIDENCE
) -> Estimate:
    """Return the mean over all units as if people had judged each of them.

    Args:
        people: Y of each unit, NaN where people did not judge it, shape (N,). Those they judged
            are to be a random sample of all, without replacement.
        model: F of each unit, finite, shape (N,); ``None`` for what people's sample says alone.
        confidence: share of such intervals that hold the mean, between 0 and 1.

    Returns:
        Without a judged unit no value, with one no interval; where people judged all, their
        mean, of which nothing is uncertain, and no interval either; nor where what they said,
        and how far the model is off, is the same of every unit.
    """
    is_judged = ~np.isnan(people)
    n, n_all = int(np.count_nonzero(is_judged)), len(people)
    if not n:
        none = f"people judged none of {n_all:,}" if n_all else "there is nothing to judge"
        return Estimate(None, n=n, n_all=n_all, reason=none)
    if n == n_all:
        reason = f"people judged all {n_all:,}: nothing is estimated"
        return Estimate(float(people.mean()), n=n, n_all=n_all, reason=reason)
    believed = np.zeros(n_all) if model is None else model
    apart = (people - believed)[is_judged]
    value = float(believed.mean() + apart.mean())
    if n < 2:
        reason = f"people judged one of {n_all:,}; an interval needs two"
        return Estimate(value, n=n, n_all=n_all, reason=reason)
    # Loaded for intervals alone.
    from scipy.special import stdtrit

    variance = apart.var(ddof=1)
    if model is not None:
        # One unit more on which the model is worth nothing.
        variance += people[is_judged].var(ddof=1) / n
    if variance < _NO_VARIANCE:
        alike = f"the {n:,} that people judged are all alike, which says nothing of others"
        return Estimate(value, n=n, n_all=n_all, reason=alike)
    error = float(np.sqrt((1.0 - n / n_all) * variance / n))
    reach = float(stdtrit(_freedom(apart), (1.0 + confidence) / 2.0)) * error
    return Estimate(value, value - reach, value + reach, n, n_all)


_NO_VARIANCE = 1e-20


def _freedom(values: FloatArray) -> float:
    """Return the degrees of freedom of the variance of a sample; fewer where tails are heavy."""
    n = len(values)
    centred = values - values.mean()
    spread = float((centred**2).mean())
    if n < 4 or spread < _NO_VARIANCE:
        return n - 1
    excess = float((centred**4).mean()) / spread**2 - 3
    kurtosis = ((n + 1) * excess + 6) * (n - 1) / ((n - 2) * (n - 3))
    return 2 / (2 / (n - 1) + max(kurtosis, 0.0) / n)


def adds_by_place(measure: Measure) -> bool:
    """Return whether a query's value is a sum of what each ranked document adds by itself.

    So of P@k, CG@k, DCG@k, RBP and a few more: there single documents may be sampled. Others,
    such as nDCG, are divided by what the query's other documents are worth: sample queries.
    """
    spec = measure.spec
    is_own = measure.rule == "linear" and not measure.takes_out_unjudged(leave_out_unjudged=False)
    return is_own and spec.pooling == "mean" and spec.sees == "useful" and not spec.facts


def place_values(measure: Measure, grades: FloatArray, scale: Scale | None) -> FloatArray:
    """Return what each ranked document adds to the query's value, shape (n,).

    Args:
        measure: one that :func:`adds_by_place`.
        grades: by rank of one ranking, NaN where nobody judged, shape (n,).
        scale: how grades are read; ``None`` for TREC 0-4.

    Returns:
        Coefficient of the rank times the worth of the grade, 0 where nobody judged and after
        the cutoff. Their sum is the value.

    Examples:
        >>> from judgetool.metrics import parse_measure
        >>> place_values(parse_measure("P@2"), np.array([1.0, np.nan, 1.0]), None).tolist()
        [0.5, 0.0, 0.0]
    """
    worth = worth_of(measure, scale).of(grades)
    adds = contributions(Tops(measure, worth[np.newaxis], np.array([len(grades)])))[0]
    found = np.zeros(len(grades))
    found[: len(adds)] = adds
    return found
