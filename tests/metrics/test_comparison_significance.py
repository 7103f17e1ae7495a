"""Paired tests, intervals, effect size and Holm's correction, against SciPy and brute force."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats  # noqa: TID253 - the oracle of these tests

from judgetool.errors import UsageError
from judgetool.metrics.comparison import ComparisonRules, compare_pair
from judgetool.metrics.significance import (
    by_weight,
    compute_benjamini_hochberg,
    compute_bootstrap_interval,
    compute_differences,
    compute_effect_size,
    compute_holm,
    compute_randomization_test,
    compute_sign_test,
    compute_t_test,
    compute_wilcoxon_test,
)

TENTHS = st.integers(-10, 10).map(lambda tenth: tenth / 10)
SHORT = st.lists(TENTHS, min_size=1, max_size=9).map(np.array)
WEIGHED = st.lists(st.tuples(TENTHS, st.integers(1, 5)), min_size=1, max_size=8)
MANY = np.random.default_rng(3).normal(0.04, 0.2, 60)
QUICK = ComparisonRules(n_resamples=200)
SKEWED = np.random.default_rng(5).exponential(0.2, 40)


def all_ways(differences):
    """p over all sign assignments, by definition, in whole tenths."""
    tenths = np.rint(differences * 10).astype(int)
    signs = np.array(list(product((-1, 1), repeat=len(tenths))))
    return np.mean(np.abs(signs @ tenths) >= abs(tenths.sum()))


@given(SHORT)
def test_exact_randomization_is_brute_force(differences):
    """With few queries p is the share of sign assignments at least as extreme."""
    found = compute_randomization_test(differences)
    assert found.p == pytest.approx(all_ways(differences), abs=1e-15)
    assert found.n_draws is None


def test_exact_randomization_of_twelve_queries_is_brute_force():
    """The same for twelve queries with many ties, all 4,096 ways."""
    generator = np.random.default_rng(7)
    for _ in range(20):
        differences = generator.integers(-4, 7, 12) / 10
        assert compute_randomization_test(differences).p == all_ways(differences)


def test_randomization_by_hand():
    """Differences 3, 2, 1: of 8 ways only +++ and −−− reach 6, so p = 2/8."""
    assert compute_randomization_test(np.array([0.3, 0.2, 0.1])).p == 0.25


def test_drawn_randomization_is_near_the_exact_one():
    """Drawn p differs from exact p by no more than chance allows, for 16 queries."""
    differences = MANY[:16]
    exact = compute_randomization_test(differences).p
    drawn = compute_randomization_test(differences, n_draws=2**16 - 1)
    assert drawn.n_draws == 2**16 - 1
    assert abs(drawn.p - exact) < 5 * (exact * (1 - exact) / drawn.n_draws) ** 0.5


def test_drawn_randomization_is_near_scipy():
    """SciPy's permutation test of the mean gives the same p, but for chance."""
    theirs = stats.permutation_test(
        (MANY,), np.mean, permutation_type="samples", n_resamples=100_000, rng=1
    )
    assert compute_randomization_test(MANY).p == pytest.approx(theirs.pvalue, abs=0.01)


def test_drawn_p_is_never_zero():
    """(k + 1)/(B + 1): with no draw as extreme, p is 1/(B + 1)."""
    assert compute_randomization_test(np.full(64, 0.5), n_draws=999).p == 1 / 1000


def test_seed_fixes_the_randomization_test():
    """The same seed gives the same p, another one another."""
    found = [compute_randomization_test(MANY, n_draws=5000, seed=seed).p for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_seed_gives_the_same_figures_everywhere():
    """PCG64's words are fixed by numpy's promise, so these figures are those of any machine."""
    differences = np.arange(1, 25) * np.where(np.arange(24) % 3, 0.01, -0.01)
    assert compute_randomization_test(differences, n_draws=10_000, seed=1).p == 993 / 10_001
    low, high = compute_bootstrap_interval(differences, n_resamples=1000, seed=1)
    assert (low, high) == pytest.approx((-0.035 / 3, 0.09633069213739288), abs=1e-12)


@pytest.mark.parametrize("size", [8, 60])
def test_figures_do_not_depend_on_the_order_of_queries(size):
    """Reordering queries changes neither p nor interval in any digit."""
    shuffled = np.random.default_rng(0).permutation(MANY[:size])
    for compute in (compute_randomization_test, compute_bootstrap_interval):
        assert compute(shuffled)[:1] == compute(MANY[:size])[:1]


@example(np.array([0.0, 0.1, -0.1]))
@given(SHORT)
def test_swapping_the_runs_mirrors_everything(differences):
    """B against A has the p of A against B, and the mirrored interval."""
    there, back = (compute_randomization_test(each) for each in (differences, -differences))
    assert there.p == back.p
    interval = compute_bootstrap_interval(differences, n_resamples=200)
    mirrored = compute_bootstrap_interval(-differences, n_resamples=200)
    assert interval is None or interval == (-mirrored.high, -mirrored.low)


@given(SHORT)
def test_p_is_a_probability(differences):
    """Every test gives p from 0 to 1, whatever the differences: never NaN."""
    for compute in (compute_randomization_test, compute_t_test, compute_wilcoxon_test):
        assert 0.0 <= compute(differences).p <= 1.0


@pytest.mark.parametrize(
    "compute", [compute_randomization_test, compute_t_test, compute_wilcoxon_test]
)
@pytest.mark.parametrize("size", [0, 1, 2, 50])
def test_identical_runs_have_p_one(compute, size):
    """Where no query differs, p is 1 and the statistic 0."""
    found = compute(np.zeros(size))
    assert (found.p, found.statistic) == (1.0, 0.0)


def test_t_test_is_scipys():
    """t and p are those of SciPy's paired test."""
    ours = np.random.default_rng(1).random(60)
    theirs = stats.ttest_rel(ours, ours - MANY)
    found = compute_t_test(compute_differences(ours, ours - MANY))
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-9)
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_t_test_of_a_constant_difference_has_no_statistic():
    """Where all queries gain the same, t is infinite: p is 0 and there is no statistic."""
    found = compute_t_test(np.full(5, 0.1))
    assert (found.p, found.statistic) == (0.0, None)


def test_wilcoxon_is_scipys():
    """Queries without a difference are left out, then it is SciPy's test."""
    found = compute_wilcoxon_test(np.concatenate((MANY, np.zeros(7))))
    theirs = stats.wilcoxon(MANY)
    assert (found.p, found.statistic) == (theirs.pvalue, theirs.statistic)


def test_wilcoxon_by_hand():
    """Ranks 1, 2, 3 with −, +, +: W = 1; of 8 sums of ranks 0, 1 and 5, 6 are as extreme."""
    found = compute_wilcoxon_test(np.array([-0.1, 0.2, 0.3]))
    assert (found.p, found.statistic) == (0.5, 1.0)


def test_rounding_noise_is_no_difference():
    """0.1 + 0.2 and 0.3 are the same value, not a win."""
    assert compute_differences(np.array([0.1 + 0.2]), np.array([0.3])).tolist() == [0.0]


def test_unpaired_values_are_refused():
    """Values of different numbers of queries cannot be compared."""
    with pytest.raises(UsageError, match="found 2 and 3"):
        compute_differences(np.zeros(2), np.zeros(3))


def test_values_that_are_not_finite_are_refused():
    """NaN is refused rather than passed on."""
    with pytest.raises(UsageError, match="finite"):
        compute_differences(np.array([np.nan]), np.zeros(1))


def test_interval_is_scipys():
    """The BCa interval is SciPy's, but for chance."""
    theirs = stats.bootstrap((SKEWED,), np.mean, n_resamples=50_000, rng=2).confidence_interval
    found = compute_bootstrap_interval(SKEWED, n_resamples=50_000)
    assert found == pytest.approx(tuple(theirs), abs=0.003)


def test_interval_widens_with_confidence():
    """More confidence is a wider interval around the mean."""
    narrow, wide = (compute_bootstrap_interval(MANY, confidence=share) for share in (0.8, 0.99))
    assert wide.low < narrow.low < MANY.mean() < narrow.high < wide.high


@given(SHORT)
def test_interval_lies_within_the_differences(differences):
    """No interval reaches beyond the least and the greatest difference."""
    found = compute_bootstrap_interval(differences, n_resamples=300)
    if found is None:
        assert len(differences) == 1
        return
    low, high = found
    assert differences.min() - 1e-12 <= low <= high <= differences.max() + 1e-12


def test_interval_of_a_constant_difference_is_a_point():
    """Where all queries differ by the same, the interval is that difference."""
    assert compute_bootstrap_interval(np.full(9, 0.25)) == (0.25, 0.25)


def test_effect_size_by_hand():
    """Differences 1, 2, 3: mean 2, standard deviation 1, d_z = 2."""
    assert compute_effect_size(np.array([1.0, 2.0, 3.0])) == 2.0


def test_effect_size_is_t_by_the_root_of_n():
    """d_z = t/√n."""
    t = compute_t_test(MANY).statistic
    assert compute_effect_size(MANY) == pytest.approx(t / len(MANY) ** 0.5, rel=1e-12)


@pytest.mark.parametrize(("values", "effect"), [([0.0, 0.0], 0.0), ([0.1, 0.1], None), ([1], None)])
def test_effect_size_is_never_infinite(values, effect):
    """Identical runs have effect 0; where it would be infinite or unknown there is none."""
    assert compute_effect_size(np.array(values)) == effect


def test_holm_by_hand():
    """0.01·4, 0.02·3, 0.03·2 raised to the one before, 0.5·1."""
    assert compute_holm([0.5, 0.03, 0.01, 0.02]) == pytest.approx([0.5, 0.06, 0.04, 0.06])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_lowers(p_values):
    """Corrected p is between p and 1, at most Bonferroni's, and in the order of p."""
    found = compute_holm(p_values)
    pairs = sorted(zip(p_values, found, strict=True))
    assert all(p <= q <= min(1.0, p * len(p_values)) for p, q in pairs)
    assert [q for _, q in pairs] == sorted(found)


@given(p_values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_benjamini_hochberg_equals_scipy(p_values):
    """The correction for false findings equals SciPy's."""
    found = compute_benjamini_hochberg(p_values)
    assert found == pytest.approx(stats.false_discovery_control(p_values).tolist())


@given(values=st.lists(st.integers(-3, 3), max_size=30))
def test_sign_test_equals_scipy(values):
    """The sign test is the binomial test of the queries that are better."""
    differences = np.asarray(values, dtype=float)
    found = compute_sign_test(differences)
    moved = np.count_nonzero(differences)
    better = np.count_nonzero(differences > 0)
    expected = stats.binomtest(int(better), int(moved)).pvalue if moved else 1.0
    assert found.p == pytest.approx(expected)


# Weighted means


@given(WEIGHED)
def test_of_a_weighted_mean_the_randomization_test_is_brute_force(pairs):
    """p is the share of sign assignments whose weighted mean is at least as far from 0."""
    differences, weights = (np.array(each) for each in zip(*pairs, strict=True))
    found = compare_pair(differences, np.zeros(len(pairs)), QUICK, weights=weights)
    whole = np.rint(differences * 10).astype(int) * weights
    signs = np.array(list(product((-1, 1), repeat=len(pairs))))
    assert found.significance.p == np.mean(np.abs(signs @ whole) >= abs(whole.sum()))
    mean = float(whole.sum()) / 10 / float(weights.sum())
    assert found.difference == pytest.approx(mean, abs=1e-12)
    if len(set(weights.tolist())) > 1:
        assert found.significance.statistic == pytest.approx(mean, abs=1e-12)
        assert found.is_weighted


@pytest.mark.parametrize("test", ["randomization", "t", "wilcoxon", "sign"])
def test_weights_that_are_all_the_same_change_nothing(test):
    """Means, difference, interval, p, effect and tie are to the last digit those without weights."""
    rules = ComparisonRules(test, n_draws=999, n_resamples=500, equivalence=0.1)
    there, back = (
        compare_pair(MANY, np.zeros(len(MANY)), rules, weights=weights)
        for weights in (None, np.full(len(MANY), 0.1))
    )
    assert there == back
    assert not back.is_weighted


def test_t_of_a_weighted_mean_is_that_of_a_ratio_of_sums():
    """Its error is the jackknife's, but for what vanishes with many queries; effect is t / √n."""
    generator = np.random.default_rng(2)
    n = 400
    differences, weights = generator.normal(0.02, 0.2, n), generator.uniform(0.5, 3.0, n)
    found = compute_t_test(differences, weights)
    mean = float(weights @ differences / weights.sum())
    left_out = np.array(
        [
            np.delete(weights, each) @ np.delete(differences, each) / np.delete(weights, each).sum()
            for each in range(n)
        ]
    )
    jackknifed = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
    assert found.statistic == pytest.approx(mean / jackknifed, rel=0.01)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.statistic), n - 1))
    assert compute_effect_size(differences, weights) == pytest.approx(found.statistic / n**0.5)
    alike = compute_t_test(differences, np.repeat([1.0, 1.0 + 1e-9], n // 2))
    assert alike.statistic == pytest.approx(compute_t_test(differences).statistic, rel=1e-6)
    assert compute_t_test(np.full(5, 0.1), np.arange(1.0, 6.0)).p == 0.0


def test_the_interval_of_a_weighted_mean_is_scipys():
    """BCa of the ratio of sums, each query drawn with its weight, but for chance."""
    weights = np.random.default_rng(4).uniform(0.5, 3.0, len(SKEWED))

    def mean(differences, weights, axis=-1):
        return (differences * weights).sum(axis=axis) / weights.sum(axis=axis)

    theirs = stats.bootstrap(
        (SKEWED, weights), mean, paired=True, n_resamples=50_000, method="BCa", rng=1
    ).confidence_interval
    found = compute_bootstrap_interval(SKEWED, weights=weights, n_resamples=50_000)
    assert found == pytest.approx((theirs.low, theirs.high), abs=0.003)


@given(WEIGHED)
def test_swapping_the_runs_mirrors_weighted_figures(pairs):
    """The mirrored interval, and the same p; in whatever order the queries stand."""
    differences, weights = (np.array(each, float) for each in zip(*pairs, strict=True))
    there = compare_pair(differences, 0 * differences, QUICK, weights=weights)
    back = compare_pair(0 * differences, differences, QUICK, weights=weights)
    turned = compare_pair(differences[::-1], 0 * differences, QUICK, weights=weights[::-1])
    assert back.significance.p == there.significance.p == turned.significance.p
    assert turned.interval == pytest.approx(there.interval, abs=1e-12)
    if there.interval is not None:
        assert back.interval == pytest.approx((-there.interval[1], -there.interval[0]), abs=1e-12)


def test_what_each_query_adds_has_the_weighted_mean():
    """Of which the tests of means are."""
    found = by_weight(np.array([0.5, -0.5]), np.array([3.0, 1.0]))
    assert found.tolist() == [0.75, -0.25]
