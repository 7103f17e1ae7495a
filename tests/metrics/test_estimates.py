"""Estimates of a model's grades and a sample of people's: over all samples that can be drawn."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kurtosis  # noqa: TID253 - the oracle of these tests
from scipy.stats import t as student  # noqa: TID253 - likewise

from judgetool.core.scale import parse_scale
from judgetool.metrics import adds_by_place, estimate_mean, parse_measure, place_values
from judgetool.metrics.grades import QueryGrades, compute_value
from tests.metrics.test_bounds_of_all import ALL, SCALES

BY_PLACE = [measure for measure in ALL if adds_by_place(measure)]


def sampled(values, chosen):
    """Return values of the chosen units, NaN of all others."""
    found = np.full(len(values), np.nan)
    found[list(chosen)] = values[list(chosen)]
    return found


values = st.floats(-1, 1, allow_nan=False, width=32)


def freedom(apart):
    """Return the degrees of freedom of a variance, by SciPy's kurtosis."""
    n = len(apart)
    if n < 4 or np.ptp(apart) < 1e-9:
        return n - 1
    return 2 / (2 / (n - 1) + max(kurtosis(apart, bias=False), 0) / n)


@given(st.lists(st.tuples(values, values), min_size=3, max_size=7), st.data())
def test_over_all_samples_the_estimate_is_right_and_so_is_its_error(pairs, data):
    """The mean of all estimates is the mean of people's values; of variances that of estimates and the allowance."""
    people, model = np.array(pairs).T
    n = data.draw(st.integers(2, len(people) - 1))
    drawn = list(map(list, combinations(range(len(people)), n)))
    found = [estimate_mean(sampled(people, chosen), model) for chosen in drawn]
    assert np.mean([each.value for each in found]) == pytest.approx(people.mean(), abs=1e-9)
    variances = [
        0.0
        if each.low is None
        else ((each.high - each.low) / 2 / student.ppf(0.975, freedom((people - model)[chosen])))
        ** 2
        for each, chosen in zip(found, drawn, strict=True)
    ]
    spread = np.var([each.value for each in found])
    allowance = people.var(ddof=1) / n * (1 - n / len(people)) / n
    assert np.mean(variances) == pytest.approx(spread + allowance, abs=1e-9)


@given(st.lists(st.tuples(values, values), min_size=3, max_size=30), st.data())
def test_the_order_of_units_changes_nothing(pairs, data):
    """Whoever stands first."""
    people, model = np.array(pairs).T
    n = data.draw(st.integers(2, len(people) - 1))
    order = data.draw(st.permutations(range(len(people))))
    said = sampled(people, range(n))
    here, there = estimate_mean(said, model), estimate_mean(said[order], model[order])
    assert (here.value, here.n) == (pytest.approx(there.value, abs=1e-9), there.n)
    if np.ptp((people - model)[:n]) > 1e-6:
        assert here[1:3] == pytest.approx(there[1:3], abs=1e-9)


@pytest.mark.parametrize("last", [0.6, 9.6])
def test_the_interval_is_students_with_the_finite_population(last):
    """Against the same by SciPy: 5 of 10, 95 %; with a far one, tails are heavy and t has less freedom."""
    people = np.array([0.2, 0.9, 0.4, 0.1, last])
    found = estimate_mean(sampled(np.resize(people, 10), range(5)))
    error = people.std(ddof=1) / np.sqrt(5) * np.sqrt(1 - 5 / 10)
    mean = people.mean()
    assert found[:3] == pytest.approx((mean, *student.interval(0.95, freedom(people), mean, error)))
    assert (freedom(people) < 4) == (last > 9)


def test_a_model_is_allowed_to_fail_on_one_unit_more():
    """However well it agrees with the sample, some uncertainty is left: of what people alone have, 1 of n."""
    people = np.array([0.2, 0.9, 0.4, 0.1, 0.6])
    sample = sampled(people, [0, 1, 3])
    found, alone = estimate_mean(sample, people), estimate_mean(sample)
    assert found.value == pytest.approx(people.mean())
    assert found.high - found.low == pytest.approx((alone.high - alone.low) / np.sqrt(3))


@pytest.mark.parametrize("model", [None, np.array([0.9, 0.1, 0.9, 0.4])])
def test_a_sample_all_alike_has_no_interval(model):
    """It does not say how far others may lie; a width of 0 would say that they do not."""
    found = estimate_mean(np.array([0.5, np.nan, 0.5, np.nan]), model)
    assert (found.low, found.high) == (None, None)
    assert found.reason == "the 2 that people judged are all alike, which says nothing of others"


@pytest.mark.parametrize(
    ("chosen", "value", "reason"),
    [
        ([], None, "people judged none of 3"),
        ([1], 0.9, "people judged one of 3; an interval needs two"),
        ([0, 1, 2], 0.5, "people judged all 3: nothing is estimated"),
    ],
)
def test_where_there_is_no_interval_it_says_why(chosen, value, reason):
    """None, one and all judged."""
    found = estimate_mean(sampled(np.array([0.2, 0.9, 0.4]), chosen))
    assert found.value == (None if value is None else pytest.approx(value))
    assert (found.low, found.high, found.reason) == (None, None, reason)


def test_without_units_there_is_no_value():
    """Nothing to judge is no zero."""
    assert estimate_mean(np.zeros(0)).reason == "there is nothing to judge"


@pytest.mark.parametrize("measure", BY_PLACE, ids=str)
def test_what_places_add_is_the_value(measure):
    """For every measure of which places may be sampled, all gradings of small rankings."""
    for scale in SCALES:
        for n in range(5):
            grades = np.random.default_rng(n).choice([np.nan, *scale.grades], n)
            query = QueryGrades(grades, np.array([max(scale.grades)]), 0)
            value = compute_value(measure, query, scale)
            assert place_values(measure, grades, scale).sum() == pytest.approx(value or 0.0)


def test_measures_whose_places_may_be_sampled():
    """Precision and gains may; what is divided by other documents' worth, or stops, may not."""
    for name in ("P@10", "CG@10", "DCG@10", "RBP", "RBP(rel='gain')@20"):
        assert adds_by_place(parse_measure(name)), name
    for name in ("nDCG@10", "AP", "RR", "ERR@10", "R@10", "P(judged_only=True)@10", "NumRelRet"):
        assert not adds_by_place(parse_measure(name)), name


def test_a_sample_of_places_finds_the_mean_of_queries():
    """Places of all queries, each times places by queries: all samples together give the mean."""
    measure, scale = parse_measure("DCG@3"), parse_scale("0-3")
    rng = np.random.default_rng(1)
    people, model = rng.integers(0, 4, (2, 3, 4)).astype(float)
    worth = [
        np.concatenate([place_values(measure, row, scale) for row in rows]) * 12 / 3
        for rows in (people, model)
    ]
    found = [
        estimate_mean(sampled(worth[0], chosen), worth[1]).value
        for chosen in combinations(range(12), 3)
    ]
    truth = np.mean([place_values(measure, row, scale).sum() for row in people])
    assert np.mean(found) == pytest.approx(truth)
