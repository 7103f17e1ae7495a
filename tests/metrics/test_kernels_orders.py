"""τ-b, τ_AP, ρ and RBO between a ranking and the ideal order; residuals and shares."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judgetool.metrics import compute_rbo, evaluate
from tests.helpers.laws import examples

grades = st.lists(st.integers(0, 3), min_size=2, max_size=12)


def value(ranked, name, missing=()):
    judged = {f"d{n}": g for n, g in enumerate(ranked) if g is not None}
    judged |= {f"m{n}": g for n, g in enumerate(missing)}
    return evaluate({"q": judged}, {"q": [f"d{n}" for n in range(len(ranked))]}, name).value(
        "q", name
    )


@settings(max_examples=examples(150))
@given(ranked=grades)
def test_tau_and_rho_are_scipys(ranked):
    """They equal scipy's between falling ranks and grades."""
    stats = pytest.importorskip("scipy.stats")
    assume(len(set(ranked)) > 1)
    places = list(range(len(ranked), 0, -1))
    assert value(ranked, "tau") == pytest.approx(stats.kendalltau(places, ranked).statistic)
    assert value(ranked, "rho") == pytest.approx(stats.spearmanr(places, ranked).statistic)


@settings(max_examples=examples(100))
@given(ranked=st.permutations(range(6)))
def test_tau_ap_without_ties_is_its_definition(ranked):
    """2/(n−1) Σ C(i)/(i−1) − 1 with C(i) the documents above i that belong above."""
    total = sum(
        sum(above > grade for above in ranked[:place]) / place
        for place, grade in enumerate(ranked)
        if place
    )
    names = dict(enumerate(ranked))
    expected = 2 / (len(names) - 1) * total - 1
    judged = {f"d{n}": min(g, 4) for n, g in names.items()}
    if len(set(judged.values())) == len(names):
        assert value(list(judged.values()), "tau_ap") == pytest.approx(expected)
    result = evaluate(
        {"q": {f"d{n}": g for n, g in names.items()}}, {"q": [f"d{n}" for n in names]}, "tau_ap"
    )
    assert result.value("q", "tau_ap") == pytest.approx(expected)


@pytest.mark.parametrize("name", ["tau", "tau_ap", "rho"])
def test_the_ideal_order_has_1_and_the_reverse_minus_1(name):
    """From best to worst is 1, from worst to best −1, without ties."""
    assert value([3, 2, 1, 0], name) == pytest.approx(1.0)
    assert value([0, 1, 2, 3], name) == pytest.approx(-1.0)


@pytest.mark.parametrize("name", ["tau", "tau_ap", "rho"])
def test_orders_of_one_grade_are_undefined(name):
    """Where all judged documents have one grade there is no order to agree with."""
    assert value([2, None, 2], name) is None
    assert value([2], name) is None


@pytest.mark.parametrize("name", ["tau", "tau_ap", "rho"])
def test_unjudged_documents_play_no_part_in_orders(name):
    """Taking unjudged documents out changes nothing."""
    assert value([3, None, 0, None, 1], name) == value([3, 0, 1], name)


@settings(max_examples=examples(60))
@given(ranked=grades, missing=st.lists(st.integers(0, 3), max_size=4))
def test_overlap_with_the_ideal_order_is_1_for_the_ideal_order(ranked, missing):
    """The ideal order of all judged documents overlaps with itself entirely."""
    assume(any(ranked))
    best = sorted([*ranked, *missing], reverse=True)
    for name in ("RBO(p=0.8)", "Compat(p=0.9)"):
        assert value(best, name) == pytest.approx(1.0)
        assert value(ranked, name, missing) <= 1.0 + 1e-12


@settings(max_examples=examples(100))
@given(ranked=grades, missing=st.lists(st.integers(0, 3), max_size=4), p=st.floats(0.1, 0.95))
def test_rbo_is_that_of_two_rankings(ranked, missing, p):
    """The measure is compute_rbo of the ranking and of all documents above 0 in ideal order."""
    assume(any(ranked) or any(missing))
    known = [*enumerate(ranked), *enumerate(missing, start=len(ranked))]
    ideal = [n for n, grade in sorted(known, key=lambda pair: -pair[1]) if grade > 0]
    expected = compute_rbo(range(len(ranked)), ideal, p=p).extrapolated
    assert value(ranked, f"RBO(p={p})", missing) == pytest.approx(expected, abs=1e-12)


def test_rbo_and_compatibility_are_two_figures():
    """Grades 2, 0, 1 at p 0.9: 0.8200 by the formula of the one, 0.8156 as a share of the best."""
    assert value([2, 0, 1], "RBO(p=0.9)") == pytest.approx(0.82)
    assert value([2, 0, 1], "Compat(p=0.9)") == pytest.approx(0.8156, abs=5e-5)


def test_the_residual_is_what_judgments_could_add():
    """RBP and its residual make 1 when all judged documents are relevant."""
    ranked = [1, None, 1, 1, None]
    total = value(ranked, "RBP(p=0.7)") + value(ranked, "RBPres(p=0.7)")
    assert total == pytest.approx(1.0)


def test_the_residual_has_its_tail_when_all_is_judged():
    """Of n judged documents p^n remains for what was not seen."""
    assert value([0, 1, 0], "RBPres(p=0.5)") == pytest.approx(0.125)


def test_shares_of_short_rankings_are_by_what_there_is():
    """Judged@10 and Unjudged@10 of three documents are thirds."""
    assert value([1, None, 0], "Judged@10") == pytest.approx(2 / 3)
    assert value([1, None, 0], "Unjudged@10") == pytest.approx(1 / 3)


def test_long_rankings_keep_probabilities_apart():
    """Thousands of rows beside a long one give what each gives alone."""
    long = [f"d{n}" for n in range(1000)]
    judged = {d: n % 4 for n, d in enumerate(long)}
    names = ["ERR", "pFound"]
    first = evaluate({"q": judged}, {"q": long}, names).per_query()["q"]
    short = evaluate({"q": {"a": 3, "b": 1}}, {"q": ["b", "a"]}, names).per_query()["q"]
    queries = [f"q{n}" for n in range(3000)]
    many = evaluate(
        {**{q: {"a": 3, "b": 1} for q in queries}, "long": judged},
        {**{q: ["b", "a"] for q in queries}, "long": long},
        names,
    ).per_query()
    assert many.pop("long") == first
    assert all(row == short for row in many.values())


def test_geometric_means_have_a_floor():
    """GMAP of 1 and 0 is the root of 0.00001."""
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    run = {"q": ["a"], "r": ["b"]}
    assert evaluate(judged, run, "GMAP").mean("GMAP") == pytest.approx(math.sqrt(0.00001))
