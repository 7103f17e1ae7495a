"""Comparing runs with a baseline, from values to tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.errors import UsageError
from judgetool.metrics import Conventions, evaluate, parse_measure
from judgetool.metrics.comparison import (
    ComparisonRules,
    compare_evaluations,
    compare_measure_orders,
    compare_pair,
    compare_runs,
    compare_tables,
    compute_tau,
)
from tests.helpers.shared import shared_data
from tests.metrics.rankings import qrels, runs
from tests.metrics.trec_files import read_qrels, read_run

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"b": 1}, "q3": {"c": 0}}
FIRST = {"q1": ["a", "b"], "q2": ["x", "b"], "q3": ["c"]}
SECOND = {"q1": ["b", "a"], "q2": ["b"]}
QUICK = ComparisonRules(n_draws=64, n_resamples=16)


def compared(first, second, measure="RR", **conventions):
    rules = Conventions(**conventions)
    found = {
        name: evaluate(QRELS, run, measure, conventions=rules)
        for name, run in (("first", first), ("second", second))
    }
    (row,) = compare_evaluations(found, baseline="first", rules=QUICK)
    return row


@pytest.mark.oracle
@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_published_significance_is_reproduced(measure):
    """Means, difference, t, p, wins, ties and losses of 21 pairs of real runs, per measure."""
    folder = shared_data("data/icecat-shop")
    judged = read_qrels(folder / "qrels" / "combined.qrels")
    evaluations = {
        path.stem: evaluate(judged, read_run(path), measure) for path in (folder / "runs").iterdir()
    }
    lines = (folder / "expected" / "SIGNIFICANCE.tsv").read_text("utf-8").splitlines()
    expected = [line.split("\t") for line in lines[1:] if line.startswith(f"{measure}\t")]
    assert len(expected) == 21
    for _, a, b, queries, mean_a, mean_b, difference, t, p, wins, ties, losses, _ in expected:
        pair = {name: evaluations[name] for name in (a, b)}
        rules = ComparisonRules("t", n_resamples=10)
        found = compare_evaluations(pair, baseline=a, rules=rules)[0].pair
        means = (found.baseline_mean, found.mean, found.difference)
        assert [f"{value:.6f}" for value in means] == [mean_a, mean_b, difference]
        assert [found.n_queries, found.wins, found.ties, found.losses] == [
            int(text) for text in (queries, wins, ties, losses)
        ]
        if t == "nan":
            assert (found.significance.p, found.significance.statistic) == (1.0, 0.0)
        else:
            assert found.significance.statistic == pytest.approx(float(t), abs=6e-7)
            assert found.significance.p == pytest.approx(float(p), rel=6e-6)


def test_undefined_and_missing_count_as_zero_by_default():
    """q3 has nothing relevant and the second run lacks it: 0 for both, a tie."""
    found = compared(FIRST, SECOND).pair
    assert (found.n_queries, found.wins, found.ties, found.losses) == (3, 1, 1, 1)
    assert found.baseline_mean == pytest.approx((1 + 0.5 + 0) / 3)


def test_undefined_values_may_be_left_out():
    """By 'leave out' the query without a relevant document makes no pair."""
    found = compared(FIRST, {**SECOND, "q3": ["c"]}, "AP", undefined="leave out").pair
    assert (found.n_queries, found.ties) == (2, 0)


def test_queries_that_one_run_lacks_make_no_pair_where_both_are_needed():
    """By 'both' only queries count that both runs have."""
    found = compared(FIRST, {"q2": ["b"]}, missing="both").pair
    assert (found.n_queries, found.mean, found.baseline_mean) == (1, 1.0, 0.5)


def test_without_a_pair_there_is_no_difference():
    """No shared query: no means, no interval, no p."""
    found = compared({"q1": ["a"]}, {"q2": ["b"]}, missing="both").pair
    assert (found.n_queries, found.mean, found.difference, found.interval) == (0, None, None, None)
    assert (found.significance, found.effect) == (None, None)


def test_masked_values_are_left_out_on_both_sides():
    """A value masked on either side takes its query out."""
    ours = np.ma.masked_values([0.5, -1.0, 1.0, 0.0], -1.0)
    theirs = np.ma.masked_values([0.0, 1.0, -1.0, 0.0], -1.0)
    assert compare_pair(ours, theirs).n_queries == 2


def test_tie_margin_makes_small_differences_ties():
    """A difference up to the margin is a tie; p does not change."""
    ours, theirs = [0.55, 0.9, 0.1], [0.5, 0.5, 0.5]
    strict, lenient = (
        compare_pair(ours, theirs, ComparisonRules(tie_margin=margin)) for margin in (0.0, 0.05)
    )
    assert (strict.wins, strict.ties, strict.losses) == (2, 0, 1)
    assert (lenient.wins, lenient.ties, lenient.losses) == (1, 1, 1)
    assert lenient.significance == strict.significance


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8))
def test_swapping_run_and_baseline_mirrors_the_row(pairs):
    """Wins become losses, the difference changes its sign, p stays."""
    ours, theirs = (np.array(side) for side in zip(*pairs, strict=True))
    there, back = compare_pair(ours, theirs, QUICK), compare_pair(theirs, ours, QUICK)
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)
    assert there.difference == -back.difference
    assert there.significance.p == back.significance.p


@given(qrels(), runs(), runs())
def test_counts_add_up_and_means_are_those_of_the_evaluation(judged, first, second):
    """Wins, ties and losses are the queries, and the means those that `score` prints."""
    found = {name: evaluate(judged, run, ["AP", "P@3"]) for name, run in (("a", first), ("b", second))}  # fmt: skip
    for row in compare_evaluations(found, baseline="a", rules=QUICK):
        pair = row.pair
        assert pair.wins + pair.ties + pair.losses == pair.n_queries == len(judged)
        assert pair.mean == pytest.approx(found["b"].mean(row.measure), abs=1e-12)
        assert pair.baseline_mean == pytest.approx(found["a"].mean(row.measure), abs=1e-12)


@given(qrels(), runs())
def test_counted_values_have_the_mean_of_the_engine(judged, run):
    """For every convention, what is paired has the mean that the engine computes."""
    for undefined in ("zero", "leave out"):
        for missing in ("judged", "both", "all"):
            conventions = Conventions(undefined=undefined, missing=missing)
            found = evaluate(judged, run, "AP", conventions=conventions)
            values = found.engine.counted_values(0)[:, 0]
            mean = float(values.mean()) if values.count() else None
            assert mean == pytest.approx(found.mean("AP"), abs=1e-12)
            assert values.count() == found.means[0].n_queries


FAMILY_SIZES = {"measure": 3, "pair": 2, "table": 6}


@pytest.mark.parametrize("family", FAMILY_SIZES)
def test_p_is_corrected_within_its_family(family):
    """The least p is multiplied by the number of tests of its family (Holm)."""
    generator = np.random.default_rng(2)
    values = {name: np.ma.asarray(generator.random((12, 2))) for name in "abcd"}
    rows = compare_tables(
        values,
        [parse_measure("AP"), parse_measure("RR")],
        baseline="a",
        rules=ComparisonRules(family=family),
    )
    assert [(row.run, str(row.measure)) for row in rows] == [
        *(("b", "AP"), ("c", "AP"), ("d", "AP")),
        *(("b", "RR"), ("c", "RR"), ("d", "RR")),
    ]
    least = min(rows, key=lambda row: row.pair.significance.p)
    n_tests = FAMILY_SIZES[family]
    assert least.p == pytest.approx(min(1.0, n_tests * least.pair.significance.p))
    assert least.n_tests == n_tests


def test_judged_share_is_not_tested():
    """How much is judged is no quality: it has a difference and no p, and enlarges no family."""
    generator = np.random.default_rng(3)
    values = {name: np.ma.asarray(generator.random((12, 2))) for name in "ab"}
    measures = [parse_measure("Judged@10"), parse_measure("AP")]
    rules = ComparisonRules(family="table")
    share, ap = compare_tables(values, measures, baseline="a", rules=rules)
    assert (share.pair.significance, share.p, share.n_tests) == (None, None, 0)
    assert share.pair.difference is not None
    assert ap.p == ap.pair.significance.p


@pytest.mark.parametrize("family", FAMILY_SIZES)
def test_a_run_that_stands_alone_changes_no_other(family):
    """p of the others is the same whether a run that enters no family is there or not."""
    generator = np.random.default_rng(4)
    values = {name: np.ma.asarray(generator.random((12, 2))) for name in "abcd"}
    measures = [parse_measure("AP"), parse_measure("RR")]
    rules = ComparisonRules(family=family)
    alone = compare_tables(values, measures, baseline="a", rules=rules, alone=["d"])
    del values["d"]
    without = compare_tables(values, measures, baseline="a", rules=rules)
    assert [row for row in alone if row.run != "d"] == list(without)


def test_a_row_does_not_depend_on_its_neighbours():
    """The figures of a pair are the same alone and among other runs."""
    generator = np.random.default_rng(4)
    values = {name: np.ma.asarray(generator.random((30, 1))) for name in "abc"}
    measures = [parse_measure("AP")]
    alone = compare_tables({name: values[name] for name in "ac"}, measures, baseline="a")
    assert compare_tables(values, measures, baseline="a")[1].pair == alone[0].pair


def test_engine_and_evaluations_agree():
    """Runs of one engine and evaluations of each run lead to the same rows."""
    found = evaluate(QRELS, FIRST, ["AP", "RR"])
    found.engine.add_run(7, evaluate(QRELS, SECOND, "AP").engine._runs[0].block)
    keys = {"first": 0, "second": 7}
    assert compare_runs(found.engine, {"first": 0, "again": 0}, baseline="first")[0].pair.ties == 3
    rows = compare_runs(found.engine, keys, baseline="first", rules=QUICK)
    evaluations = {
        name: evaluate(QRELS, run, ["AP", "RR"])
        for name, run in (("first", FIRST), ("second", SECOND))
    }
    assert rows == compare_evaluations(evaluations, baseline="first", rules=QUICK)


def test_unknown_baseline_is_named():
    """A baseline that there is not is refused with the names that there are."""
    with pytest.raises(UsageError, match=r"'third'.*first"):
        compare_evaluations({"first": evaluate(QRELS, FIRST, "AP")}, baseline="third")


def test_evaluations_of_different_measures_are_refused():
    """Runs can be compared only by the same measures."""
    found = {"first": evaluate(QRELS, FIRST, "AP"), "second": evaluate(QRELS, SECOND, "RR")}
    with pytest.raises(UsageError, match="different measures"):
        compare_evaluations(found, baseline="first")


@pytest.mark.parametrize(
    ("qrels", "scale"),
    [
        (QRELS, "0-3@2"),
        ({**QRELS, "q1": {"a": 3}}, None),
        ({query: QRELS[query] for query in list(QRELS)[1:]}, None),
    ],
)
def test_evaluations_by_other_grades_or_another_scale_are_refused(qrels, scale):
    """What differs then is not the run: the same one lost by half, and significantly."""
    first, other = evaluate(QRELS, FIRST, "AP"), evaluate(qrels, FIRST, "AP", scale=scale)
    with pytest.raises(UsageError, match=r"other and first .* different scales or judgments"):
        compare_evaluations({"first": first, "other": other}, baseline="first")


def test_geometric_means_have_nothing_to_pair():
    """GMAP is a figure over all queries; the refusal names what to compare instead."""
    found = {name: evaluate(QRELS, FIRST, "GMAP") for name in "ab"}
    with pytest.raises(UsageError, match="Compare AP"):
        compare_evaluations(found, baseline="a")


@pytest.mark.parametrize(
    "wrong",
    [
        *({"test": "z"}, {"n_draws": 0}, {"seed": -1}, {"confidence": 1.0}, {"tie_margin": -0.1}),
        *({"correction": "z"}, {"family": "z"}, {"alpha": 0.0}, {"equivalence": -0.1}),
        {"n_draws": 1.5},
    ],
)
def test_rules_out_of_range_are_refused(wrong):
    """Every rule has its range."""
    with pytest.raises(UsageError):
        ComparisonRules(**wrong)


def test_rules_and_weights_that_are_none_are_refused():
    """A test's name is no rules, and a weight is above 0."""
    with pytest.raises(UsageError, match=r"ComparisonRules\(test='t'\), not as 't'"):
        compare_pair([1.0], [0.5], rules="t")
    for weights in ([1, 0, -1], [1, np.nan, 1], [1, 1]):
        with pytest.raises(UsageError, match="Weights are finite numbers above 0"):
            compare_pair([1.0, 1.0, 1.0], [0.5, 1.0, 0.0], weights=weights)


def test_what_has_no_counterpart_is_refused():
    """Values of other queries make no pairs, and what is undefined has no place in an order."""
    with pytest.raises(UsageError, match="query by query"):
        compare_pair([1.0], [1.0, 2.0])
    with pytest.raises(UsageError, match="finite"):
        compute_tau([1.0, np.nan, 2.0], [1.0, 2.0, 3.0])


def test_orders_need_three_runs():
    """Of two runs there is no order to speak of."""
    engine = evaluate(QRELS, FIRST, ["AP", "RR", "P@1"]).engine
    means = [mean.value for mean in engine.means(0)]
    assert compare_measure_orders(engine.measures, {"a": means, "b": means}) == ()
    assert len(compare_measure_orders(engine.measures, dict.fromkeys("abc", means))) == 3


def test_weights_count_where_the_conventions_say_so():
    """Difference, interval and p are of the weighted means; sums know no weights; others are refused."""
    weighted, both = Conventions(is_weighted=True), {"first": FIRST, "second": SECOND}
    weights = {query: 1.0 + place for place, query in enumerate(QRELS)}

    def rows(conventions, *more):
        found = {
            name: evaluate(
                QRELS, run, ["AP", "NumRelRet"], conventions=conventions, weights=each_weights
            )
            for (name, run), each_weights in zip(both.items(), more, strict=True)
        }
        return found, compare_evaluations(found, baseline="first", rules=QUICK)

    found, (ap, n_found) = rows(weighted, weights, weights)
    means = [each.mean("AP") for each in found.values()]
    assert ap.pair.difference == pytest.approx(means[1] - means[0])
    assert (ap.pair.baseline_mean, ap.pair.mean) == pytest.approx(tuple(means))
    _, (alike, n_alike) = rows(Conventions(), weights, weights)
    assert alike.pair.difference != pytest.approx(ap.pair.difference)
    assert (ap.pair.is_weighted, alike.pair.is_weighted) == (True, False)
    assert n_found == n_alike
    with pytest.raises(UsageError, match="different weights"):
        rows(weighted, weights, {query: 9.0 - each for query, each in weights.items()})
