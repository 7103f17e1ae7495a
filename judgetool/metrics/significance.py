"""Paired tests, effect size and corrections for being many: is a difference more than chance?"""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from judgetool.errors import UsageError
from judgetool.metrics.resampling import Significance
from judgetool.metrics.terms import FloatArray

TestName = Literal["randomization", "t", "wilcoxon", "sign"]
Correction = Literal["holm", "bh", "none"]

DECIMALS = 12
"""Differences are rounded to these: beyond stand only the last digits of sums."""


def compute_differences(values: FloatArray, baseline: FloatArray) -> FloatArray:
    """Return value minus baseline by query, free of rounding noise.

    Two values that are equal in theory may differ in the sixteenth digit, and would
    count as a win, or break a tie of ranks.

    Args:
        values: shape (n,), finite.
        baseline: of the same queries, shape (n,), finite.

    Raises:
        UsageError: the lengths differ, or a value is not finite.
    """
    if values.shape != baseline.shape or values.ndim != 1:
        raise UsageError(
            f"Values are compared query by query; found {values.size:,} and {baseline.size:,}."
        )
    if not (np.isfinite(values).all() and np.isfinite(baseline).all()):
        raise UsageError("Values to compare have to be finite; leave out what is undefined.")
    return np.round(values - baseline, DECIMALS) + 0.0


def compute_t_test(differences: FloatArray) -> Significance:
    """Return Student's paired t-test of the mean difference, two-sided.

    Args:
        differences: by query, finite, shape (n,).

    Returns:
        t as statistic. p = 1 where no query differs or there are fewer than two
        queries; p = 0 without a statistic where all differ by the same.

    References:
        Student 1908; ``scipy.stats.ttest_1samp``.
    """
    if len(differences) < 2 or not differences.any():
        return Significance(1.0, 0.0)
    if (differences == differences[0]).all():
        return Significance(0.0, None)
    from scipy import stats

    found = stats.ttest_1samp(differences, 0.0)
    return Significance(float(found.pvalue), float(found.statistic))


def compute_wilcoxon_test(differences: FloatArray) -> Significance:
    """Return Wilcoxon's signed rank test, two-sided; queries without a difference are left out.

    Args:
        differences: by query, finite, shape (n,).

    Returns:
        The lesser of the two rank sums as statistic; p = 1 where no query differs.
        Exact or by the normal distribution, as SciPy chooses by size and ties.

    References:
        Wilcoxon 1945; ``scipy.stats.wilcoxon``.
    """
    moved = differences[differences != 0.0]
    if not len(moved):
        return Significance(1.0, 0.0)
    from scipy import stats

    found = stats.wilcoxon(moved)
    return Significance(float(found.pvalue), float(found.statistic))


def compute_sign_test(differences: FloatArray) -> Significance:
    """Return the sign test, two-sided; queries without a difference are left out.

    Args:
        differences: by query, finite, shape (n,).

    Returns:
        The number of queries that are better as statistic; p = 1 where no query differs.
        Exact, by the binomial distribution.

    References:
        Arbuthnot 1710; ``scipy.stats.binomtest``.
    """
    better = int(np.count_nonzero(differences > 0.0))
    moved = int(np.count_nonzero(differences))
    if not moved:
        return Significance(1.0, 0.0)
    from scipy import stats

    return Significance(float(stats.binomtest(better, moved).pvalue), float(better))


def compute_effect_size(differences: FloatArray) -> float | None:
    """Return Cohen's d_z: the mean difference in standard deviations of the differences.

    Args:
        differences: by query, finite, shape (n,).

    Returns:
        0 where no query differs; ``None`` with fewer than two queries, or where all
        differ by the same.

    References:
        Cohen 1988; the standard deviation is the sample's (divisor n − 1).

    Examples:
        >>> compute_effect_size(np.array([1.0, 2.0, 3.0]))
        2.0
    """
    if len(differences) < 2:
        return None
    if not differences.any():
        return 0.0
    if (differences == differences[0]).all():
        return None
    return float(differences.mean() / differences.std(ddof=1))


def compute_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for being several, by Holm's step-down method.

    Args:
        p_values: all of one family, each 0 to 1, any order.

    Returns:
        In the order given, none less than before, none above 1.

    References:
        Holm 1979.

    Examples:
        >>> compute_holm([0.25, 0.0625, 0.125])
        [0.25, 0.1875, 0.25]
    """
    if not p_values:
        return []
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    raised = np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * factors)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(raised, 1.0)
    return [float(p) for p in adjusted]


def compute_benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p-values that hold the share of false findings, by the step-up method.

    Args:
        p_values: all of one family, each 0 to 1, any order.

    Returns:
        In the order given, none less than before, none above 1.

    References:
        Benjamini and Hochberg 1995; ``scipy.stats.false_discovery_control``.

    Examples:
        >>> compute_benjamini_hochberg([0.25, 0.0625, 0.125])
        [0.25, 0.1875, 0.1875]
    """
    if not p_values:
        return []
    order = np.argsort(p_values, kind="stable")[::-1]
    n = len(p_values)
    raised = np.asarray(p_values, dtype=np.float64)[order] * (n / np.arange(n, 0, -1))
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(np.minimum.accumulate(raised), 1.0)
    return [float(p) for p in adjusted]


_CORRECTIONS: dict[Correction, Callable[[Sequence[float]], list[float]]] = {
    "holm": compute_holm,
    "bh": compute_benjamini_hochberg,
    "none": list,
}


def correct_p(p_values: Sequence[float], correction: Correction) -> list[float]:
    """Return p-values of one family, corrected for being several; in the order given."""
    return _CORRECTIONS[correction](p_values)
