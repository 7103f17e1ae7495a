"""Is a difference more than chance: paired tests, resampling, effect size, corrections for being many.

A test speaks of two runs only where the same grades value both, which is told here, too.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from judgetool.errors import UsageError
from judgetool.metrics.engine import Engine
from judgetool.metrics.measure import Measure
from judgetool.metrics.rankings import KeyArray
from judgetool.metrics.terms import AnyArray, BoolArray, FloatArray, IntArray

Check = Callable[[], None]

DEFAULT_DRAWS = 100_000
DEFAULT_RESAMPLES = 10_000
DEFAULT_SEED = 1
DEFAULT_CONFIDENCE = 0.95

# Sums that differ by less than this share of all that was added are the same sum.
_ROUNDING = 1e-10
_DRAWS_AT_ONCE = 8_192
_CELLS_AT_ONCE = 500_000
# The signs that a byte stands for: bit by bit, 1 is plus.
_SIGNS = np.where(np.arange(256)[:, np.newaxis] >> np.arange(8) & 1, 1.0, -1.0)


class Significance(NamedTuple):
    """Outcome of a paired test, two-sided.

    Attributes:
        p: probability of a difference at least this large without a real one, 0 to 1.
        statistic: what the test looks at; ``None`` where it is infinite.
        n_draws: random draws behind ``p``; ``None`` where chance played no part.
        side: which way what the test looks at leans: 1 up, −1 down, 0 neither. Ranks and
            signs may lean the other way than the mean.
    """

    p: float
    statistic: float | None
    n_draws: int | None = None
    side: int = 0

    def is_near(self, level: float) -> bool:
        """Return whether other draws could put ``p`` on the other side of a level.

        Within two standard errors of the share that was drawn.
        """
        if self.n_draws is None:
            return False
        error = math.sqrt(self.p * (1.0 - self.p) / self.n_draws)
        return abs(self.p - level) <= 2.0 * error


class Interval(NamedTuple):
    """An interval around a mean difference, ``low`` ≤ ``high``."""

    low: float
    high: float


def compute_randomization_test(
    differences: FloatArray,
    *,
    n_draws: int = DEFAULT_DRAWS,
    seed: int = DEFAULT_SEED,
    check: Check | None = None,
) -> Significance:
    """Return the paired randomization (sign flip) test of the mean difference.

    Without a real difference each query's sign is a coin toss. All 2^n ways are gone
    through where that is no more than ``n_draws``, n being the queries that differ;
    else p = (k + 1)/(B + 1), with k of B random ways at least as extreme.

    Args:
        differences: by query, finite, shape (n,).
        n_draws: B, from 1.
        seed: from 0; the same seed gives the same p.
        check: called again and again; what it raises ends the work.

    Returns:
        The mean difference as statistic; p = 1 where no query differs.

    References:
        Fisher 1935; Smucker, Allan and Carterette 2007; (k + 1)/(B + 1) after Phipson
        and Smyth 2010.

    Examples:
        >>> compute_randomization_test(np.array([0.5, 0.25, 0.25, 0.0])).p
        0.25
    """
    sizes = np.sort(np.abs(differences[differences != 0.0]))[::-1]
    if not len(sizes):
        return Significance(1.0, 0.0)
    statistic, side = float(differences.mean()), side_of(differences)
    least = abs(float(differences.sum())) - _ROUNDING * float(sizes.sum())
    if len(sizes) <= n_draws.bit_length() and 2 ** len(sizes) <= n_draws:
        sums = _all_sums(sizes)
        return Significance(float(np.mean(np.abs(sums) >= least)), statistic, None, side)
    extreme = sum(
        int(np.count_nonzero(np.abs(sums) >= least))
        for sums in _checked(_iter_sums(sizes, n_draws, seed), check)
    )
    return Significance((extreme + 1) / (n_draws + 1), statistic, n_draws, side)


def compute_bootstrap_interval(
    differences: FloatArray,
    *,
    weights: FloatArray | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    n_resamples: int = DEFAULT_RESAMPLES,
    seed: int = DEFAULT_SEED,
    check: Check | None = None,
) -> Interval | None:
    """Return the BCa bootstrap interval of the mean difference.

    BCa: bias-corrected and accelerated, which moves the percentiles where the
    differences are skewed. Swapping the two runs mirrors the interval exactly. A query is
    drawn with its weight.

    Args:
        differences: by query, finite, shape (n,).
        weights: of the queries in the mean, above 0, shape (n,); ``None`` for all alike.
        confidence: share of such intervals that hold the true mean, between 0 and 1.
        n_resamples: from 1.
        seed: from 0; the same seed gives the same interval.
        check: called again and again; what it raises ends the work.

    Returns:
        ``None`` with fewer than two queries; a point where all differences are equal.

    References:
        Efron 1987; ``scipy.stats.bootstrap(method='BCa')``.
    """
    if len(differences) < 2:
        return None
    ordered, mirrored = (_in_order(each, weights) for each in (differences, -differences))
    if ordered[0, 0] == ordered[0, -1]:
        return Interval(float(ordered[0, 0]), float(ordered[0, 0]))
    # One of the two orientations is always taken, whichever way round the runs came.
    is_mirrored = mirrored.tolist() < ordered.tolist()
    sample = mirrored if is_mirrored else ordered
    means = np.concatenate(list(_checked(_iter_means(sample, n_resamples, seed), check)))
    low, high = np.quantile(means, _bca_shares(sample, means, confidence)).tolist()
    if mirrored.tolist() == ordered.tolist():
        # Neither orientation is the first one: only an interval that mirrors itself will do.
        reach = max(high, -low)
        return Interval(-reach, reach)
    return Interval(-high, -low) if is_mirrored else Interval(low, high)


def _in_order(differences: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return differences, rising, and beneath them their weights where these are unlike: a row each."""
    rows = np.vstack((differences,) if weights is None else (differences, weights))
    found: FloatArray = rows[:, np.lexsort(rows[::-1])]
    return found


def side_of(parts: FloatArray) -> int:
    """Return the sign of a sum, 0 where it is rounding."""
    total, size = float(parts.sum()), float(np.abs(parts).sum())
    return 0 if abs(total) <= _ROUNDING * size else 1 if total > 0 else -1


def _checked(parts: Iterator[FloatArray], check: Check | None) -> Iterator[FloatArray]:
    for part in parts:
        if check is not None:
            check()
        yield part


def _all_sums(sizes: FloatArray) -> FloatArray:
    """Return the sums of all ways to give the sizes signs, the first one plus.

    The other half mirrors them: it has the same absolute values.
    """
    sums = sizes[:1]
    for size in sizes[1:]:
        sums = np.concatenate((sums + size, sums - size))
    return sums


def _iter_sums(sizes: FloatArray, n_draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield sums of the sizes with random signs, ``n_draws`` in all.

    Eight signs come from one byte, and their sum from a table of 256.
    """
    padded = np.zeros(-(-len(sizes) // 8) * 8)
    padded[: len(sizes)] = sizes
    tables = padded.reshape(-1, 8) @ _SIGNS.T
    words = np.random.PCG64(seed)
    for start in range(0, n_draws, _DRAWS_AT_ONCE):
        raw = words.random_raw(len(tables) * _DRAWS_AT_ONCE // 8)
        codes = raw.astype("<u8").view(np.uint8).reshape(len(tables), _DRAWS_AT_ONCE)
        sums = np.zeros(min(_DRAWS_AT_ONCE, n_draws - start))
        for table, code in zip(tables, codes, strict=True):
            sums += table[code[: len(sums)]]
        yield sums


def _iter_means(sample: FloatArray, n_resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield means of resamples (as many values as there are, with putting back).

    The sample is as :func:`_in_order` gives it.
    """
    n = sample.shape[1]
    added, weights = (sample[0] * sample[1], sample[1]) if len(sample) > 1 else (sample[0], None)
    words = np.random.PCG64(seed)
    rows_at_once = 2 * max(1, _CELLS_AT_ONCE // (2 * n))
    for start in range(0, n_resamples, rows_at_once):
        places = _random_places(words, rows_at_once * n // 2, n).reshape(rows_at_once, n)
        drawn = places[: n_resamples - start]
        yield added[drawn].sum(axis=1) / (n if weights is None else weights[drawn].sum(axis=1))


def _random_places(words: "np.random.PCG64", n_words: int, n: int) -> IntArray:
    """Return two random integers from 0 to n − 1 for each word."""
    halves = words.random_raw(n_words).astype("<u8").view("<u4").astype(np.uint64)
    return (halves * np.uint64(n) >> np.uint64(32)).astype(np.int64)


def _bca_shares(sample: FloatArray, means: FloatArray, confidence: float) -> list[float]:
    """Return the shares of the resampled means below the two ends of the interval."""
    from statistics import NormalDist  # noqa: PLC0415 - few need it

    differences, weights = sample[0], sample[1] if len(sample) > 1 else None
    mean = mean_of(differences, weights)
    margin = _ROUNDING * mean_of(np.abs(differences), weights)
    below = float(np.mean(means < mean - margin))
    same = float(np.mean(np.abs(means - mean) <= margin))
    least = 0.5 / len(means)
    normal = NormalDist()
    bias = normal.inv_cdf(min(max(below + same / 2.0, least), 1.0 - least))
    centred = _shares_of_spread(differences, weights)
    acceleration = float((centred**3).sum()) / (6.0 * float((centred**2).sum()) ** 1.5)
    shares = []
    for share in ((1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0):
        moved = bias + normal.inv_cdf(share)
        # Below 0 the formula has passed its pole; just above it is the limit.
        shares.append(normal.cdf(bias + moved / max(1.0 - acceleration * moved, 1e-9)))
    return shares


TestName = Literal["randomization", "t", "wilcoxon", "sign"]
Correction = Literal["holm", "bh", "none"]

DECIMALS = 12
_LEAST_DIFFERENCE = 0.5 * 10.0**-DECIMALS
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


def without_noise(number: float) -> float:
    """Return a difference, or a mean of some; 0 for what is only left of adding floats.

    Examples:
        >>> without_noise(-3.97e-18), without_noise(-0.0), without_noise(1e-9)
        (0.0, 0.0, 1e-09)
    """
    return number if abs(number) >= _LEAST_DIFFERENCE else 0.0


def mean_of(differences: FloatArray, weights: FloatArray | None = None) -> float:
    """Return the mean of differences by query.

    Args:
        differences: by query, shape (n,), at least one.
        weights: of the queries, above 0, shape (n,); ``None`` for all alike.
    """
    if weights is None:
        return float(differences.mean())
    return float(weights @ differences) / float(weights.sum())


def by_weight(differences: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return what each query adds, of which the plain mean is the weighted mean of the differences.

    Args:
        differences: by query, shape (n,).
        weights: of the queries, above 0, shape (n,); ``None`` for all alike.
    """
    if weights is None or not len(weights):
        return differences
    found: FloatArray = differences * (weights / weights.mean())
    return found


def _shares_of_spread(differences: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return by how much each query pulls the mean from where it is: they add up to 0."""
    return by_weight(differences - mean_of(differences, weights), weights)


def _spread(differences: FloatArray, weights: FloatArray | None) -> float:
    """Return the standard deviation of the differences, each by its weight (divisor n − 1)."""
    if weights is None:
        return float(differences.std(ddof=1))
    shares = _shares_of_spread(differences, weights)
    return math.sqrt(float((shares**2).sum()) / (len(differences) - 1))


def compute_t_test(differences: FloatArray, weights: FloatArray | None = None) -> Significance:
    """Return Student's paired t-test of the mean difference, two-sided.

    Args:
        differences: by query, finite, shape (n,).
        weights: of the queries in the mean, above 0, shape (n,); ``None`` for all alike.

    Returns:
        t as statistic. p = 1 where no query differs or there are fewer than two
        queries; p = 0 without a statistic where all differ by the same. Of a weighted
        mean the error is that of a ratio of sums, by linearisation: n / (n − 1)
        Σ w²(d − mean)² / (Σ w)², with n − 1 degrees of freedom.

    References:
        Student 1908; ``scipy.stats.ttest_1samp``. With weights: Cochran 1977, chapter 6, of
        ratio estimates.
    """
    if len(differences) < 2 or not differences.any():
        return Significance(1.0, 0.0)
    side = side_of(by_weight(differences, weights))
    spread = _spread(differences, weights)
    if (differences == differences[0]).all() or not spread:
        return Significance(0.0, None, None, side)
    from scipy import stats

    if weights is None:
        found = stats.ttest_1samp(differences, 0.0)
        return Significance(float(found.pvalue), float(found.statistic), None, side)
    n = len(differences)
    t = mean_of(differences, weights) / spread * math.sqrt(n)
    return Significance(float(2.0 * stats.t.sf(abs(t), n - 1)), t, None, side)


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
    side = side_of(np.sign(moved) * stats.rankdata(np.abs(moved)))
    return Significance(float(found.pvalue), float(found.statistic), None, side)


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

    p = float(stats.binomtest(better, moved).pvalue)
    return Significance(p, float(better), None, side_of(np.sign(differences)))


def compute_equivalence(
    differences: FloatArray, reach: float, run_test: Callable[[FloatArray], Significance]
) -> float:
    """Return p of a tie: that the difference lies within ``reach`` of 0, by two one-sided tests.

    Args:
        differences: by query, finite, shape (n,).
        reach: from where on a difference matters, above 0.
        run_test: two-sided, symmetric about 0; half its p is that of its side.

    Returns:
        The greater of the two; a small one shows that there is no difference that matters.

    References:
        Schuirmann 1987 (two one-sided tests).
    """

    def above(shifted: FloatArray) -> float:
        found = run_test(shifted)
        return found.p / 2.0 if found.side > 0 else 1.0 - found.p / 2.0

    return max(above(differences + reach), above(reach - differences))


def compute_effect_size(differences: FloatArray, weights: FloatArray | None = None) -> float | None:
    """Return Cohen's d_z: the mean difference in standard deviations of the differences.

    Args:
        differences: by query, finite, shape (n,).
        weights: of the queries in the mean, above 0, shape (n,); ``None`` for all alike.
            With them it is the weighted mean in standard deviations of w(d − mean), each w
            against the mean weight: t is √n times as much, as without them.

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
    spread = _spread(differences, weights)
    return without_noise(mean_of(differences, weights)) / spread if spread else None


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
    order = np.argsort(p_values, kind="stable")
    return _stepped(p_values, order, np.arange(len(order), 0, -1), np.maximum)


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
    order = np.argsort(p_values, kind="stable")[::-1]
    return _stepped(p_values, order, len(order) / np.arange(len(order), 0, -1), np.minimum)


def _stepped(
    p_values: Sequence[float], order: IntArray, factors: AnyArray, extreme: np.ufunc
) -> list[float]:
    """Return p-values times factors, in this order none beyond the most extreme one before it."""
    adjusted = np.empty(len(order))
    raised = extreme.accumulate(np.asarray(p_values, dtype=np.float64)[order] * factors)
    adjusted[order] = np.minimum(raised, 1.0)
    found: list[float] = adjusted.tolist()
    return found


_CORRECTIONS: dict[Correction, Callable[[Sequence[float]], list[float]]] = {
    "holm": compute_holm,
    "bh": compute_benjamini_hochberg,
    "none": list,
}


def correct_p(p_values: Sequence[float], correction: Correction) -> list[float]:
    """Return p-values of one family, corrected for being several; in the order given."""
    return _CORRECTIONS[correction](p_values)


class ValuedApart(NamedTuple):
    """How the grades that two runs are valued by differ.

    Attributes:
        n_grades: (query, document) pairs with a grade on one side alone, or with another one.
        has_other_scale: whether grades are read otherwise.
        n_assumed: of the pairs, those of which a side's grade is only assumed.
    """

    n_grades: int
    has_other_scale: bool = False
    n_assumed: int = 0


def find_valued_apart(
    one: tuple[Engine, int], other: tuple[Engine, int], part: BoolArray | None = None
) -> ValuedApart | None:
    """Return how the grades of two runs differ; ``None`` where they are valued alike.

    Between values by different grades, judged or only assumed, a difference may come from
    these, whatever the rankings: a test would take it for one of the runs. Queries that count
    for one alone enter no difference.

    Args:
        one: an engine, and the key of a run in it.
        other: of the other, with the same queries.
        part: the queries that are looked at, shape (n_queries,); ``None`` for all.
    """
    counted = one[0].counted(one[1]) & other[0].counted(other[1])
    queries: Iterable[int] = range(one[0].n_queries)
    if one[0] is other[0]:
        # Judged grades are the same.
        queries = {*one[0].assumed_queries(one[1]), *other[0].assumed_queries(other[1])}
    n_grades = n_assumed = 0
    for query in queries:
        if not counted[query] or (part is not None and not part[query]):
            continue
        ours, theirs = (_grades(engine.known_grades(key, query)) for engine, key in (one, other))
        if ours == theirs:
            continue
        differing = {document for document, _ in ours.items() ^ theirs.items()}
        assumed = set[int]().union(*(e.assumed_documents(key, query) for e, key in (one, other)))
        n_grades += len(differing)
        n_assumed += len(differing & assumed)
    is_other = _reading(one[0]) != _reading(other[0])
    return ValuedApart(n_grades, is_other, n_assumed) if n_grades or is_other else None


def count_assumed(engine: Engine, key: int, part: BoolArray | None = None) -> int:
    """Return of how many documents a grade counts for a run, and nobody gave it.

    Args:
        engine: has the run.
        key: the run.
        part: the queries that count, shape (n_queries,); ``None`` for all.
    """
    return sum(
        len(engine.assumed_documents(key, query))
        for query in engine.assumed_queries(key)
        if part is None or part[query]
    )


def _grades(known: tuple[KeyArray, FloatArray]) -> dict[int, float]:
    documents, grades = known
    return dict(zip(documents.tolist(), grades.tolist(), strict=True))


def _reading(engine: Engine) -> Hashable:
    """Return what figures depend on of a scale: not how its levels are named."""
    scale = engine.scale
    return None if scale is None else (scale.figures, scale.is_continuous)


def reads_judgments(measure: Measure) -> bool:
    """Whether values depend on judgments: those by clicks, or of the ranking alone, do not."""
    return measure.spec.uses not in ("clicks", "nothing")
