"""Correlations of orders and rank-biased overlap: by hand, by brute force, by SciPy."""

from itertools import groupby, permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats  # noqa: TID253 - the oracle of these tests

from judgetool.errors import UsageError
from judgetool.metrics import evaluate
from judgetool.metrics.comparison import (
    compare_orders,
    compare_rankings,
    compute_rbo,
    compute_rho,
    compute_symmetric_tau_ap,
    compute_tau,
    compute_tau_ap,
)

VALUES = st.lists(st.integers(0, 3), min_size=2, max_size=6)
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=5)
RANKINGS = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=7)
P = st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.98])


def textbook_tau_ap(estimate, truth):
    """τ_AP of two orders without ties, as its paper defines it; lists of things, best first."""
    place = {thing: rank for rank, thing in enumerate(truth)}
    total = sum(
        sum(place[above] < place[estimate[i]] for above in estimate[:i]) / i
        for i in range(1, len(estimate))
    )
    return 2 * total / (len(estimate) - 1) - 1


def broken_ties(values):
    """All orders of the things that the values allow."""
    order = sorted(range(len(values)), key=lambda thing: -values[thing])
    groups = [list(its) for _, its in groupby(order, key=lambda thing: values[thing])]
    for parts in product(*(permutations(group) for group in groups)):
        yield [thing for part in parts for thing in part]


def test_tau_ap_of_a_mistake_at_the_top_by_hand():
    """Truth 1234, estimate 2134: places 2, 3, 4 have 0/1, 2/2, 3/3 rightly above: 2/3·2 − 1 = 1/3."""
    assert compute_tau_ap([3, 4, 2, 1], [4, 3, 2, 1]) == pytest.approx(1 / 3)


def test_tau_ap_of_a_mistake_at_the_bottom_by_hand():
    """Truth 1234, estimate 1243: 1/1, 2/2, 2/3 rightly above: 2/3·(8/3) − 1 = 7/9."""
    assert compute_tau_ap([4, 3, 1, 2], [4, 3, 2, 1]) == pytest.approx(7 / 9)


def test_tau_does_not_see_where_the_mistake_is():
    """Kendall's τ is 4/6 for either mistake, which is why τ_AP was made."""
    truth = [4, 3, 2, 1]
    assert compute_tau([3, 4, 2, 1], truth) == compute_tau([4, 3, 1, 2], truth)
    assert compute_tau([3, 4, 2, 1], truth) == pytest.approx(2 / 3)


def test_tau_ap_with_a_tie_in_the_truth_by_hand():
    """Truth a = b > c, estimate a, b, c: 1/2 of 1, then 2/2: 2/2·1.5 − 1 = 1/2."""
    assert compute_tau_ap([3, 2, 1], [2, 2, 1]) == pytest.approx(0.5)


@given(PAIRS)
def test_tau_ap_is_the_mean_over_all_ways_to_break_ties(pairs):
    """Ties on both sides: the mean of the textbook's formula over all orders they allow."""
    estimate, truth = zip(*pairs, strict=True)
    assume(len(set(estimate)) > 1 and len(set(truth)) > 1)
    ways = [
        textbook_tau_ap(ours, theirs)
        for ours in broken_ties(estimate)
        for theirs in broken_ties(truth)
    ]
    assert compute_tau_ap(estimate, truth) == pytest.approx(np.mean(ways), abs=1e-12)


@given(VALUES)
def test_tau_ap_is_the_measure_tau_ap(grades):
    """Of a ranking and its grades it is the measure of that name."""
    assume(len(set(grades)) > 1)
    documents = [f"d{place}" for place in range(len(grades))]
    judged = {"q": dict(zip(documents, grades, strict=True))}
    ranks = -np.arange(len(grades))
    for name, compute in (("tau_ap", compute_tau_ap), ("tau", compute_tau), ("rho", compute_rho)):
        value = evaluate(judged, {"q": documents}, name).value("q", name)
        assert compute(ranks, grades) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [(compute_tau, stats.kendalltau), (compute_rho, stats.spearmanr)])  # fmt: skip
def test_tau_and_rho_are_scipys(ours, theirs):
    """Kendall's τ-b and Spearman's ρ are SciPy's on random values with ties."""
    generator = np.random.default_rng(6)
    for size in (3, 10, 60):
        a, b = generator.integers(0, 8, (2, size))
        assert ours(a, b) == pytest.approx(float(theirs(a, b).statistic), abs=1e-12)


@given(PAIRS)
def test_correlations_are_symmetric_and_within_one(pairs):
    """τ, ρ and the mean τ_AP do not care which side is first, and stay between −1 and 1."""
    a, b = zip(*pairs, strict=True)
    for compute in (compute_tau, compute_rho, compute_symmetric_tau_ap):
        found = compute(a, b)
        assert found == pytest.approx(compute(b, a), abs=1e-12)
        assert found is None or -1.0 <= found <= 1.0


@given(st.lists(st.integers(0, 99), min_size=2, max_size=9, unique=True))
def test_an_order_agrees_with_itself_and_not_with_its_reverse(values):
    """Without ties: 1 with itself, −1 with its reverse."""
    for compute in (compute_tau, compute_rho, compute_tau_ap):
        assert compute(values, values) == pytest.approx(1.0)
        assert compute(values, [-value for value in values]) == pytest.approx(-1.0)


@given(PAIRS, st.randoms(use_true_random=False))
def test_correlations_do_not_depend_on_the_order_of_things(pairs, random):
    """Listing the things otherwise changes nothing."""
    shuffled = random.sample(pairs, len(pairs))
    for compute in (compute_tau, compute_rho, compute_tau_ap):
        expected = compute(*zip(*pairs, strict=True))
        assert compute(*zip(*shuffled, strict=True)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("values", [[], [1], [2, 2, 2]])
def test_correlation_needs_two_different_values(values):
    """There is none rather than NaN where a side orders nothing."""
    other = list(range(len(values)))
    for compute in (compute_tau, compute_rho, compute_tau_ap, compute_symmetric_tau_ap):
        assert compute(values, other) is compute(other, values) is None


def test_correlation_of_different_things_is_refused():
    """Both sides are values of the same things."""
    with pytest.raises(UsageError, match="same things"):
        compute_tau([1, 2], [1, 2, 3])


def test_rbo_of_even_lists_by_hand():
    """abcdefg and zcavwxy with p = 0.9, the example of the paper's figure.

    They share 0, 0, 2, 2, 2, 2, 2 of the first 1 .. 7, so the agreements are
    0, 0, 2/3, 2/4, 2/5, 2/6, 2/7; weights 0.1·0.9^(d−1). The sum is
    0.054 + 0.03645 + 0.026244 + 0.019683 + 0.0151840 = 0.1515610; extrapolated
    with 2/7·0.9^7 = 0.1366562 it is 0.2882172.
    """
    found = compute_rbo("abcdefg", "zcavwxy", p=0.9)
    assert found.extrapolated == pytest.approx(0.2882172, abs=1e-7)
    # The least: below depth 7 the share is 2/d, and Σ_{d>7} 0.9^d/d = ln 10 − Σ_{d≤7} 0.9^d/d.
    tail = np.log(10) - sum(0.9**d / d for d in range(1, 8))
    assert found.least == pytest.approx(0.1515610 + 0.1 / 0.9 * 2 * tail, abs=1e-7)


def test_rbo_of_uneven_lists_by_hand():
    """ab and acb with p = 0.5: 1, 1, 2 shared; b's depth 3 extrapolates by 1/2.

    0.5·(1·1 + 0.5·1/2 + 0.25·(2 + 1/2)/3) + 0.125·(2 + 1/2)/3 = 35/48 + 5/48 = 5/6.
    """
    assert compute_rbo("ab", "acb", p=0.5).extrapolated == pytest.approx(5 / 6)


def test_rbo_residual_of_uneven_lists_is_the_papers_formula():
    """Equation 30: p^s + p^l − p^f − (1−p)/p (s Σ_{s+1}^f + l Σ_{l+1}^f + X (ln 1/(1−p) − Σ_1^f))."""
    p, s, long, shared = 0.8, 3, 5, 2
    f = long + s - shared

    def total(start):
        return sum(p**d / d for d in range(start, f + 1))

    inner = s * total(s + 1) + long * total(long + 1) + shared * (np.log(1 / (1 - p)) - total(1))
    expected = p**s + p**long - p**f - (1 - p) / p * inner
    assert compute_rbo("abc", "axbyz", p=p).residual == pytest.approx(expected, abs=1e-12)


@given(RANKINGS, RANKINGS, P)
def test_rbo_bounds_are_attained(first, second, p):
    """Going on without agreement leads to the least, with full agreement to the greatest."""
    assume(first or second)
    found = compute_rbo(first, second, p=p)
    depth = 1000
    apart = [
        [*ranking, *(f"{name}{n}" for n in range(depth - len(ranking)))]
        for name, ranking in (("x", first), ("y", second))
    ]
    assert compute_rbo(*apart, p=p).extrapolated == pytest.approx(found.least, abs=1e-6)
    both = [f"z{n}" for n in range(depth)]
    agreed = [
        [*ranking, *(each for each in other if each not in ranking), *both][:depth]
        for ranking, other in ((first, second), (second, first))
    ]
    greatest = found.least + found.residual
    assert compute_rbo(*agreed, p=p).extrapolated == pytest.approx(greatest, abs=1e-6)


@given(RANKINGS, RANKINGS, P)
def test_rbo_is_symmetric_and_lies_within_its_bounds(first, second, p):
    """RBO does not care which ranking is first; least ≤ extrapolated ≤ least + residual ≤ 1."""
    found = compute_rbo(first, second, p=p)
    assert found == compute_rbo(second, first, p=p)
    if found:
        greatest = found.least + found.residual
        assert -1e-12 <= found.least <= found.extrapolated + 1e-12
        assert found.extrapolated <= greatest + 1e-12 <= 1.0 + 2e-12


@given(RANKINGS, P)
def test_rbo_of_a_ranking_with_itself_is_one(ranking, p):
    """Extrapolated, a ranking agrees wholly with itself; with a strange one not at all."""
    assume(ranking)
    assert compute_rbo(ranking, ranking, p=p).extrapolated == pytest.approx(1.0)
    assert compute_rbo(ranking, ["x", "y"], p=p).extrapolated == 0.0


def test_rbo_of_nothing():
    """Two empty rankings have no overlap to speak of; one empty one has none."""
    assert compute_rbo([], []) is None
    assert compute_rbo([], ["a"]).extrapolated == 0.0
    assert compute_rbo([], ["a"]).residual == pytest.approx(1.0)


@pytest.mark.parametrize(("first", "p"), [("aa", 0.9), ("ab", 1.0), ("ab", 0.0)])
def test_rbo_refuses_what_it_is_not_made_for(first, p):
    """An id twice, or p out of range."""
    with pytest.raises(UsageError):
        compute_rbo(first, "ab", p=p)


def test_rankings_are_correlated_over_what_both_have():
    """τ, τ_AP and ρ look at common documents alone, RBO at all."""
    found = compare_rankings(["x", "a", "b", "c"], ["a", "c", "b", "y", "z"])
    assert found.n_common == 3
    assert found.tau == pytest.approx(1 / 3)
    assert found.rho == pytest.approx(1 / 2)
    assert found.rbo == compute_rbo(["x", "a", "b", "c"], ["a", "c", "b", "y", "z"])


def test_rankings_without_a_common_document_have_no_correlation():
    """Nothing in common: no τ, and an overlap of 0."""
    found = compare_rankings("ab", "cd")
    assert (found.tau, found.tau_ap, found.rho, found.rbo.extrapolated) == (None, None, None, 0.0)


def test_orders_of_systems():
    """Means by two measures are compared as orders, whatever the order of the names."""
    found = compare_orders({"a": 0.9, "b": 0.5, "c": 0.1}, {"c": 1.0, "b": 2.0, "a": 3.0})
    assert (found.tau, found.tau_ap, found.rho) == pytest.approx((1.0, 1.0, 1.0))
    assert found.rbo == pytest.approx(1.0)


def test_orders_of_different_systems_are_refused():
    """Both measures order the same systems."""
    with pytest.raises(UsageError, match="same systems"):
        compare_orders({"a": 1.0}, {"b": 1.0})


def test_rounding_noise_does_not_break_ties():
    """Means that differ in the sixteenth digit are tied."""
    assert compute_tau([0.1 + 0.2, 0.3, 0.0], [1, 1, 0]) == pytest.approx(1.0)
