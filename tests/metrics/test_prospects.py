"""What a test could still say: p over all gradings, queries needed, ties."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.metrics import Engine, RunBlock
from judgetool.metrics.bounds import ALWAYS, PERHAPS, BoundsBlock
from judgetool.metrics.comparison import ComparisonRules, compare_pair, run_test
from judgetool.metrics.prospects import POWER, compute_p_range, count_queries_needed
from judgetool.metrics.significance import find_valued_apart
from tests.helpers.laws import examples

STEPS = st.integers(-4, 4).map(lambda step: step / 4)
QUERIES = st.lists(st.lists(STEPS, min_size=1, max_size=3, unique=True), max_size=6)


def block_of(queries, *, may_leave=()):
    """Return the ends of queries whose differences may be any of some."""
    n = len(queries)
    defined = np.full(n, ALWAYS, dtype=np.int8)
    defined[list(may_leave)] = PERHAPS
    low, high = (np.array([end(each) for each in queries], dtype=float) for end in (min, max))
    return BoundsBlock(low, high, np.ones(n, dtype=np.bool_), defined)


@given(queries=QUERIES, test=st.sampled_from(["randomization", "sign", "t"]))
@settings(max_examples=examples(60), deadline=None)
def test_p_of_every_grading_lies_in_the_range(queries, test):
    """All gradings are tried: none has p outside, and exact ends are attained."""
    rules = ComparisonRules(test=test, n_draws=128)
    found = compute_p_range(block_of(queries), rules)
    tried = [run_test(np.array(each, dtype=float), rules).p for each in product(*queries)]
    assert found.low <= min(tried) + 1e-9
    assert found.high >= max(tried) - 1e-9
    if found.is_exact:
        assert (found.low, found.high) == pytest.approx((min(tried), max(tried)))
    if all(len(each) == 1 for each in queries):
        assert found.is_exact


@given(queries=QUERIES.filter(bool), test=st.sampled_from(["randomization", "sign"]))
@settings(max_examples=examples(30), deadline=None)
def test_a_query_that_may_not_count_is_tried_both_ways(queries, test):
    """p without the first query lies in the range, too; t says nothing then."""
    block, rules = block_of(queries, may_leave=[0]), ComparisonRules(test=test, n_draws=128)
    found = compute_p_range(block, rules)
    for each in product(*queries):
        for kept in (each, each[1:]):
            assert found.low - 1e-9 <= run_test(np.array(kept, dtype=float), rules).p
            assert run_test(np.array(kept, dtype=float), rules).p <= found.high + 1e-9
    assert compute_p_range(block, ComparisonRules(test="t")) is None
    assert compute_p_range(block, ComparisonRules(test="wilcoxon")) is None


@given(queries=QUERIES, test=st.sampled_from(["randomization", "sign"]), data=st.data())
@settings(max_examples=examples(40), deadline=None)
def test_p_of_a_weighted_mean_lies_in_the_range(queries, test, data):
    """All gradings are tried with the queries' weights: of t no range is given then."""
    wished = st.lists(st.integers(1, 4), min_size=len(queries), max_size=len(queries))
    weights = np.array(data.draw(wished), dtype=float)
    rules = ComparisonRules(test=test, n_draws=128)
    found = compute_p_range(block_of(queries), rules, weights=weights)
    tried = [
        run_test(np.array(each, dtype=float), rules, weights=weights).p
        for each in product(*queries)
    ]
    assert found.low <= min(tried) + 1e-9
    assert found.high >= max(tried) - 1e-9
    if found.is_exact:
        assert (found.low, found.high) == pytest.approx((min(tried), max(tried)))
    of_t = compute_p_range(block_of(queries), ComparisonRules(test="t"), weights=weights)
    assert (of_t is None) == (len({*weights.tolist()}) > 1)


def test_what_is_drawn_is_said_to_be_within():
    """More ways than draws: the range has room for what chance does, and claims no exact end."""
    chance = np.random.default_rng(5).normal(0.1, 1.0, (20, 2))
    queries = [sorted(each) for each in chance.tolist()]
    rules = ComparisonRules(n_draws=2_000)
    found = compute_p_range(block_of(queries), rules)
    assert not found.is_exact
    for seed in range(20):
        ends = [[each[place] for each in queries] for place in (0, 1)]
        again = ComparisonRules(n_draws=2_000, seed=seed + 2)
        assert all(found.low <= run_test(np.array(each), again).p <= found.high for each in ends)


@pytest.mark.parametrize("size", [0.2, 0.5, 1.0])
def test_queries_needed_have_the_power(size):
    """The number for t is that of the noncentral t distribution, by one query in a hundred."""
    from scipy import stats

    spread = np.sqrt((10 - 1) / 10)
    differences = size + np.tile([-spread, spread], 5)
    pair = compare_pair(differences, np.zeros(10), ComparisonRules(test="t"))
    assert pair.effect == pytest.approx(size)

    def power(n, alpha):
        least = stats.t.isf(alpha / 2, n - 1)
        return stats.nct.sf(least, n - 1, size * math.sqrt(n))

    for rules, n_tests in ((ComparisonRules(test="t"), 4), (ComparisonRules(test="t"), 1)):
        alpha = rules.alpha / n_tests
        exact = next(n for n in range(2, 2000) if power(n, alpha) >= POWER)
        found = count_queries_needed(pair, rules, n_tests)
        assert found == pytest.approx(max(11, exact), rel=0.01, abs=1.5)


def test_signs_need_as_many_as_their_share_asks():
    """Six better of ten: 194 queries by Noether's formula, more where some do not differ."""
    from scipy import stats

    signs = np.array([1.0] * 6 + [-1.0] * 4)
    rules = ComparisonRules(test="sign")
    pair = compare_pair(signs, np.zeros(10), rules)
    found = count_queries_needed(pair, rules, 1)
    assert stats.binom.cdf(stats.binom.ppf(0.025, found, 0.5) - 1, found, 0.4) == pytest.approx(
        POWER, abs=0.04
    )
    half = compare_pair(np.append(signs, np.zeros(10)), np.zeros(20), rules)
    assert count_queries_needed(half, rules, 1) == pytest.approx(2 * found, abs=2)


def test_nothing_that_points_either_way_needs_no_number():
    """Where no query differs no number of queries would show a difference."""
    for test in ("randomization", "t", "sign", "wilcoxon"):
        rules = ComparisonRules(test=test)
        assert count_queries_needed(compare_pair([1.0, 2.0], [1.0, 2.0], rules), rules, 1) is None
    rules = ComparisonRules(test="sign")
    pair = compare_pair([1.0, 0.0] * 9, [0.0, 0.5] * 9, rules)
    assert count_queries_needed(pair, rules, 1) is None, "as many are better as are worse"


def test_grades_only_assumed_are_no_difference_on_queries_that_do_not_count():
    """Only the queries that are compared on say whether both runs are valued alike."""
    engine = Engine(2, scale=None, measures=[])
    block = RunBlock(np.array([0, 1, 2]), np.array([0, 0], np.int32))
    engine.add_run(1, block)
    engine.add_run(2, block, assumed={0: {0: 1.0}})
    sides = (engine, 1), (engine, 2)
    assert find_valued_apart(*sides) is None, "neither query counts for both before it is judged"
    engine.judge_many([(query, 1, 1.0) for query in range(2)])
    assert find_valued_apart(*sides, np.array([True, False])).n_assumed == 1
    assert find_valued_apart(*sides, np.array([False, True])) is None


@given(
    st.lists(st.integers(-30, 30), min_size=3, max_size=20).filter(lambda some: len(set(some)) > 1)
)
@settings(max_examples=examples(40), deadline=None)
def test_a_tie_is_two_one_sided_tests(steps):
    """p of a tie by t is the greater of SciPy's two one-sided ones."""
    from scipy import stats

    differences, rules = np.array(steps) / 100, ComparisonRules(test="t", equivalence=0.15)
    found = compare_pair(differences, np.zeros(len(steps)), rules).p_tie
    expected = max(
        stats.ttest_1samp(differences, -0.15, alternative="greater").pvalue,
        stats.ttest_1samp(differences, 0.15, alternative="less").pvalue,
    )
    assert found == pytest.approx(expected, abs=1e-9)


def test_signs_and_ranks_may_lean_the_other_way_than_the_mean():
    """Nine little wins and one great loss: the mean is below 0, signs and ranks are above."""
    differences = np.array([0.01] * 9 + [-1.0])
    sides = {
        test: run_test(differences, ComparisonRules(test=test)).side
        for test in ("randomization", "t", "sign", "wilcoxon")
    }
    assert sides == {"randomization": -1, "t": -1, "sign": 1, "wilcoxon": 1}
