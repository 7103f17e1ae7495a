"""The verdict: it follows from its numbers, never contradicts itself, and is the same everywhere."""

import html
import random
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Query
from judgetool.core.number_text import signed
from judgetool.metrics import ComparisonRules, Conventions, parse_measure
from judgetool.metrics.comparison import Comparison, compare_pair
from judgetool.metrics.prospects import PRange
from judgetool.session.commands import Say, set_conventions, set_measures
from judgetool.session.comparing.comparing import (
    comparison_work,
    open_comparison,
    set_comparison_rules,
)
from judgetool.session.comparing.pair_bounds import PairBounds, pair_bounds_work
from judgetool.session.comparing.query_by_query import query_differences
from judgetool.session.comparing.snapshots import (
    create_snapshot,
    delete_snapshot,
    find_snapshot,
    present_systems,
)
from judgetool.session.comparing.tables import find_verdict_in
from judgetool.session.comparing.these_queries import (
    Decision,
    WithoutValue,
    of_these_queries,
    what_is_certain,
)
from judgetool.session.comparing.verdicts import find_verdict, significance
from judgetool.session.exports.report_html import iter_report_html
from judgetool.session.exports.reporting import ReportChoices, report_work
from tests.helpers.builders import Parts, make_project
from tests.helpers.laws import examples
from tests.helpers.program import must

MEASURE = parse_measure("P@5")
NAMES = ("new", "old")
STEPS = st.lists(st.integers(-20, 20), min_size=1, max_size=12)
RULES = st.builds(
    ComparisonRules,
    test=st.sampled_from(["randomization", "t", "wilcoxon", "sign"]),
    correction=st.sampled_from(["holm", "none"]),
    equivalence=st.sampled_from([0.0, 0.03, 0.1]),
    alpha=st.sampled_from([0.05, 0.3]),
    n_resamples=st.just(50),
    n_draws=st.just(500),
)


def compared(steps, rules, weights=None):
    """A row of differences by query, of a family of two tests."""
    pair = compare_pair(np.array(steps) / 100, np.zeros(len(steps)), rules, weights=weights)
    twice = 1 if rules.correction == "none" else 2
    tie = None if pair.p_tie is None else min(1.0, twice * pair.p_tie)
    p = min(1.0, twice * pair.significance.p)
    return Comparison("new", "old", MEASURE, pair, p, 2, tie)


def bounds_about(row, reach, n_open):
    """Bounds of the same difference, as far to either side."""
    now = row.pair.difference
    low, high = (now - reach[0] / 100, now + reach[1] / 100) if n_open else (now, now)
    reach = PRange(0.0, 1.0, True)
    return PairBounds(MEASURE, NAMES, now, low, high, n_open=n_open, p_range=reach)


@given(
    steps=STEPS,
    rules=RULES,
    reach=st.tuples(st.integers(0, 30), st.integers(0, 30)),
    n_open=st.integers(0, 3),
    decision=st.none() | st.sampled_from([None, -1, 1]).map(lambda side: Decision(side, 0.05)),
)
@settings(max_examples=examples(50), deadline=None)
def test_a_verdict_follows_from_its_numbers(steps, rules, reach, n_open, decision):
    """Kinds are those that bounds and p lead to, as printed; of these queries one run is better."""
    row = compared(steps, rules)
    bounds = bounds_about(row, reach, n_open)
    found = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds, decision=decision)
    is_tie = row.p_tie is not None and row.p_tie < rules.alpha
    is_shown = "significant so far" if n_open else "significant"
    expected = is_shown if row.p < rules.alpha else "not shown"
    if is_tie:
        expected = f"{is_shown} and a tie" if row.p < rules.alpha else "tie"
    assert found.others.kind == expected
    is_decided = decision is not None and decision.side is not None
    of_these = "certain" if bounds.is_certain else "decided" if is_decided else "open"
    assert found.these.kind == of_these
    if decision is not None and of_these == "open":
        assert found.head == "Not decided yet between new and old by P@5 on these queries."
        return
    shown = [float(each) for each in re.findall(r"p (?:< )?([0-9.]+[0-9])", found.others.text)[:1]]
    assert all(each < rules.alpha for each in shown) or row.pair.significance.p >= rules.alpha
    assert found.kinds in f"{of_these}, {expected}"
    assert found.head in found.text
    is_named = [
        f"{one} is better than {other}" in found.text for one, other in (NAMES, NAMES[::-1])
    ]
    if expected.startswith("significant"):
        assert ("as judged so far" in found.head) is (n_open > 0)
    looks_at_mean = rules.test in {"t", "randomization"} and of_these != "decided"
    assert not (looks_at_mean and all(is_named))
    if bounds.is_certain and abs(bounds.low) > 1e-9:
        assert is_named[0 if bounds.low > 0 else 1]


@given(steps=STEPS, rules=RULES)
@settings(max_examples=examples(15), deadline=None)
def test_the_other_way_round_the_verdict_is_the_other_way_round(steps, rules):
    """Who is compared with whom changes no kind, and no number of queries."""
    (one, other) = (compared(each, rules) for each in (steps, [-step for step in steps]))
    first = find_verdict(NAMES, MEASURE, one, rules)
    second = find_verdict(NAMES[::-1], MEASURE, other, rules)
    assert first.kinds == second.kinds
    assert first.queries_needed == second.queries_needed
    if first.others.kind == "significant":
        assert first.head == second.head


def test_a_difference_that_is_shown_and_too_small_is_said_to_be_both():
    """It was headed as a tie alone; and which of the two p ranges is said."""
    rules = ComparisonRules("t", equivalence=0.3)
    row = compared([2, 1, 2, 1, 2, 1, 2, 1], rules)
    bounds = bounds_about(row, (30, 30), 4)._replace(p_range=PRange(0.0, 0.9, True))
    found = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds)
    assert found.kinds == "open, significant so far and a tie"
    assert found.head == (
        "new is better than old by P@5, but within ±0.3: significant for queries like these, as "
        "judged so far."
    )
    assert ", significant so far and a tie: mean difference" in found.others.text
    said = "p alone lies between < 0.001 and 0.90 (that of the difference, not of the tie)."
    assert said in found.others.text
    certain = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds_about(row, (0, 0), 0))
    assert certain.head.endswith(
        "certain on these queries, while for others like these new is better than old by P@5, but "
        "within ±0.3: significant."
    )


def test_two_that_are_decided_to_be_alike_are_said_to_tie():
    """By lot and for certain: within the difference that matters, of the pool that was drawn from."""
    rules, row = ComparisonRules("t"), compared([3, -3] * 4, ComparisonRules("t"))
    bounds = bounds_about(row, (30, 30), 3)._replace(is_count_exact=False)
    decision = Decision(0, 0.05, least=0.5)
    found = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds, decision=decision)
    assert found.head == (
        "new and old tie by P@5 within ±0.5: decided on these queries, not shown for others like "
        "these."
    )
    assert found.these.text.startswith(
        "On these queries, decided by lot: the difference is less than 0.5; at most 5 of 100 such "
        "decisions are wrong; however the unjudged documents of their pool that matter (at most 3) "
        "are graded,"
    )
    decision = decision._replace(is_certain=True)
    found = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds, decision=decision)
    assert found.these.kind == "certain"
    said = "On these queries, certain: the difference is less than 0.5; however the unjudged"
    assert found.these.text.startswith(said)


def test_what_judging_leaves_certain_is_told_while_it_is():
    """Which is better, or that neither is; nothing while that is open."""
    row = compared([3, 3], ComparisonRules("t"))
    assert what_is_certain(bounds_about(row, (30, 30), 2)) == ""
    certain = bounds_about(row, (0, 0), 0)
    assert what_is_certain(certain) == ("On these queries, certain: new is better than old by P@5.")
    neither = bounds_about(compared([3, -3], ComparisonRules("t")), (0, 0), 0)
    assert what_is_certain(neither) == (
        "On these queries, certain: nothing unjudged can change the mean difference, 0.0000."
    )
    found = find_verdict(NAMES, MEASURE, row, None, bounds=certain)
    assert found.head == "new is better than old by P@5: certain on these queries."


def test_of_which_queries_it_is_said_is_said():
    """Of more than are judged, and weighted; of a measure that counts the judged that it has no ends."""
    row = compared([3, 3], ComparisonRules("t"))
    bounds = bounds_about(row, (30, 30), 2)._replace(n_queries=9, n_counted=2, is_weighted=True)
    (said,) = (of_these_queries(NAMES, each).text for each in (bounds,))
    assert said.startswith("On these 9 queries, weighted, 2 of them with judgments, open: however")
    bounds = bounds._replace(measure=parse_measure("Judged@5"), has_ends=False)
    assert of_these_queries(NAMES, bounds).text.startswith("Judged@5 says how much is judged")


@pytest.mark.parametrize(
    ("name", "why"),
    [("tau", "no two documents of different grades"), ("AP", "no relevant document")],
)
def test_why_a_query_has_no_value_is_said_by_what_the_measure_looks_at(name, why):
    """An order needs grades that differ, most others a relevant document."""
    said = WithoutValue(1, 4, are_left_out=True).sentence(parse_measure(name))
    assert said == f"1 of 4 queries has no value by {name} ({why}); it is left out."


def test_p_of_a_tie_is_said_alone_and_corrected():
    """A great p shows no tie, and is not worded as if it did; the note says what is corrected."""
    rules = ComparisonRules("t", equivalence=0.05)
    apart, near = (compared(steps, rules) for steps in ([9, 1, 8, 2, 9], [2, 1, 2, 1, 2]))
    (alone, raw), (both, small) = (
        (find_verdict(NAMES, MEASURE, row, rules).others.text, row.pair.p_tie)
        for row in (apart, near)
    )
    assert f"not shown to be within ±0.05 (p {raw:.2f}, {min(1, 2 * raw):.2f} after Holm);" in alone
    assert small < 0.001
    assert "; shown to be within ±0.05 (p < 0.001, < 0.001 after Holm);" in both
    assert "greater of the two, and is corrected like" in rules.describe()[-1]
    plain = replace(rules, correction="none")
    said = find_verdict(NAMES, MEASURE, compared([9, 1, 8, 2, 9], plain), plain).others.text
    assert f"not shown to be within ±0.05 (p {raw:.2f});" in said
    assert plain.describe()[-1].endswith("its p is the greater of the two.")


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_a_test_that_is_not_of_means_declares_no_tie(test):
    """Nearly all queries differ by less than 0.05, and the mean by more: a tie is one of means."""
    rules = ComparisonRules(test, equivalence=0.05)
    row = compared([1, -1] * 10 + [60, 60], rules)
    found = find_verdict(NAMES, MEASURE, row, rules)
    assert (row.pair.difference, row.pair.p_tie) == (pytest.approx(0.0545, abs=1e-4), None)
    assert found.others.kind == "not shown"
    assert "within" not in found.text
    assert rules.describe()[-1].startswith("No tie is looked for: a tie is a mean difference")


def test_weights_are_said():
    """Where queries weigh unlike, all is of the weighted mean, but for p of a test by signs or ranks."""
    for test in ("randomization", "t", "sign", "wilcoxon"):
        rules = ComparisonRules(test)
        row = compared([-20] * 7 + [20], rules, weights=[1.0] * 7 + [21.0])
        bounds = bounds_about(row, (0, 0), 0)._replace(is_weighted=True)
        found = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds)
        assert row.pair.difference == pytest.approx(0.1)
        assert "new is better than old by P@5: certain on these queries, weighted" in found.head
        assert "weighted mean difference +0.1000" in found.others.text
        assert ("like these, each counting alike" in found.others.text) is (
            test in {"sign", "wilcoxon"}
        )
        alike = find_verdict(NAMES, MEASURE, compared([-20] * 7 + [20], rules), rules)
        assert "alike" not in alike.others.text
        assert "weighted" not in alike.text


@pytest.mark.parametrize(
    ("test", "n_queries", "said"),
    [
        (
            "randomization",
            5,
            "With 5 queries this test can show no difference: p is never below 0.062.",
        ),
        ("sign", 1, "With 1 query this test can show no difference: p is never below 1.00."),
        ("randomization", 6, ""),
        ("t", 3, ""),
    ],
)
def test_what_few_queries_mean_depends_on_the_test(test, n_queries, said):
    """Of five differences the rarest signs have p 1/16: whatever is compared, none is found."""
    rules = ComparisonRules(test=test)
    row = compared([1, -1, 2, -2, 3, 1][:n_queries], rules)
    text = find_verdict(NAMES, MEASURE, row, rules).others.text
    assert said in text
    assert bool(said) == ("can show no difference" in text)


@pytest.mark.parametrize(
    ("steps", "is_said"), [((1, 2, 30, 37), True), ((-20, 2, 5, 20), False), ((5,) * 8, False)]
)
def test_an_interval_beside_0_that_no_p_goes_with_is_explained(steps, is_said):
    """Of four queries p is 0.125 at least, while their means may all be above 0."""
    row = compared(steps, ComparisonRules(n_resamples=2_000))
    text = find_verdict(NAMES, MEASURE, row, ComparisonRules()).others.text
    low, high = row.pair.interval
    assert (low > 0 or high < 0) == (is_said or row.p < 0.05)
    assert ("The interval leaves out 0 all the same" in text) == is_said
    assert ("goes by p" in text) == is_said


def test_what_no_judging_can_show_is_said():
    """The least p over all gradings above alpha: only more queries help, and about how many."""
    rules = ComparisonRules(test="t")
    row = compared([1, -1, 2, 1, -2, 1], rules)
    bounds = bounds_about(row, (1, 1), 4)._replace(p_range=PRange(0.2, 0.9, True))
    found = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds)
    assert (
        "p alone lies between 0.20 and 0.90: only more queries can show a difference."
        in found.others.text
    )
    # An estimate: of two digits, never fewer than are needed.
    assert found.queries_needed == 197
    assert "about 200 queries would show a difference 4 times in 5" in found.others.text
    sure = bounds._replace(p_range=PRange(0.0001, 0.002, True))
    kept = find_verdict(NAMES, MEASURE, compared([20] * 7 + [30], rules), rules, bounds=sure)
    assert kept.others.text.endswith("it stays significant.")


def test_where_p_can_be_one_number_only_that_is_said():
    """Two ends that read alike are no range."""
    rules = ComparisonRules(test="t")
    row = compared([1, -1, 2, 1, -2, 1], rules)
    p = row.pair.significance.p
    bounds = bounds_about(row, (1, 1), 4)._replace(p_range=PRange(p, p, True))
    said = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds).others.text
    assert f"p alone is {p:.2f}: only more queries" in said


def test_no_number_of_queries_is_advised_while_a_pool_is_drawn():
    """What a pool that is mostly not drawn makes of the difference tells nothing of other queries."""
    rules = ComparisonRules(test="t")
    row = compared([1, -1, 2, 1, -2, 1], rules)
    bounds = bounds_about(row, (1, 1), 4)
    for decision in (Decision(None, 0.05), Decision(1, 0.05)):
        found = find_verdict(NAMES, MEASURE, row, rules, bounds=bounds, decision=decision)
        assert found.queries_needed is None
        assert "If others differ" not in found.others.text
    judged = bounds._replace(n_open=0)
    found = find_verdict(NAMES, MEASURE, row, rules, bounds=judged, decision=Decision(1, 0.05))
    assert found.queries_needed == 197
    assert "about 200 queries would" in found.others.text


def test_a_mark_is_full_only_where_no_grade_can_take_it_away():
    """Half judged a difference is significant so far; with all judged, the table knows by itself."""
    rows = [(f"q{place}", f"d{place}", "anna", 3.0) for place in range(8)]
    runs = {
        "new": {f"q{place}": [f"d{place}"] for place in range(8)},
        "old": {f"q{place}": [f"e{place}"] for place in range(8)},
    }
    queries = [Query(f"q{place}", f"q{place}") for place in range(8)]
    rest = [(query, f"e{query[1:]}", "anna", 0.0) for query, *_ in rows]
    found = []
    for judged in (rows, rows + rest):
        with (
            tempfile.TemporaryDirectory() as folder,
            make_project(Path(folder), Parts(queries, [], runs, judged)) as session,
        ):
            session.execute(set_measures(["P@1"]))
            new, old = sorted(present_systems(session), key=lambda each: each.name)
            table = comparison_work(session, [old, new], baseline=old)(None, None)
            (cell,) = next(row.cells for row in table.rows if row.system == new)
            bounds = pair_bounds_work(session, new, old, session.measures[0], table.rules)
            exactly = significance(cell, table.rules, bounds(None, None))
            found.append((exactly, significance(cell, table.rules, is_sure=cell.is_sure)))
    assert found == [("significant so far",) * 2, ("significant",) * 2]


def test_a_difference_that_no_grade_can_make_small_is_sure_while_documents_are_open(tmp_path):
    """Half a page is judged, for the one relevant, for the other not: at worst p stays small."""
    queries = [f"q{place}" for place in range(9)]
    runs = {
        name: {each: [f"{name}{each}{rank}" for rank in range(3)] for each in queries}
        for name in NAMES
    }
    judged = [
        (each, f"{name}{each}{rank}", "anna", grade)
        for each in queries
        for name, grade in zip(NAMES, (3.0, 0.0), strict=True)
        for rank in range(2)
    ]
    parts = Parts([Query(each, each) for each in queries], [], runs, judged)
    with make_project(tmp_path, parts) as session:
        session.execute(set_measures(["P@3"]))
        new, old = sorted(present_systems(session), key=lambda each: each.name)
        table = comparison_work(session, [old, new], baseline=old)(None, None)
        (cell,) = next(row.cells for row in table.rows if row.system == new)
        assert cell.is_sure
        assert cell.pair.difference == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Two runs of eight queries in any order, a third of the documents judged."""
    chance, documents = random.Random(7), [f"d{number}" for number in range(9)]
    names = [f"q{place}" for place in range(8)]
    shuffled = lambda: {name: chance.sample(documents, 7) for name in names}  # noqa: E731 - twice
    judged = [
        (name, document, "anna", float(chance.randrange(4)))
        for name in names
        for document in chance.sample(documents, 3)
    ]
    runs = {name: shuffled() for name in NAMES}
    queries = [Query(name, name, weight=1.0 + place % 3) for place, name in enumerate(names)]
    parts = Parts(queries, [], runs, judged)
    with make_project(tmp_path_factory.mktemp("law"), parts) as session:
        session.execute(set_measures(["P@3", "nDCG@4", "Judged@5"]))
        yield session


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("test", ["randomization", "t", "wilcoxon", "sign"])
def test_window_command_and_report_say_the_same(project, test, is_weighted):
    """One project, three places: the same sentences from the same numbers."""
    project.execute(set_conventions(Conventions(is_weighted=is_weighted)))
    rules = ComparisonRules(test=test, equivalence=0.2, n_draws=300)
    set_comparison_rules(project, rules)
    new, old = sorted(present_systems(project), key=lambda each: each.name)
    table = comparison_work(project, [old, new], baseline=old)(None, None)
    of_new = next(row for row in table.rows if row.system == new)
    report = report_work(project, ReportChoices((old, new), old))(None, None)
    page = html.unescape("".join(iter_report_html(report)))
    wished = ("compare", "--project", project.path, "--baseline", "old", "--intervals", "--format")
    printed, rows = must(*wished, "text").out, must(*wished, "json").json["comparisons"]
    assert table.rules == rules
    for place, (measure, row) in enumerate(zip(project.measures, rows, strict=True), start=1):
        bounds = pair_bounds_work(project, new, old, measure, rules)(None, None)
        said = find_verdict_in(table, of_new, place - 1, bounds=bounds, decision=None)
        assert row["verdict"]["text"] == said.text
        assert said.text in printed
        is_told = "On these queries, weighted" in said.text
        assert is_told == (is_weighted and not measure.spec.counts_judgments)
        assert said.kinds == must(*wished, "tsv").rows[place][-1]
        assert f"<td>{said.kinds}</td>" in page
        # The sentences of the report are by one measure.
        assert (f"<bdi>{said.text}</bdi>" in page) is (place == 1)


def test_with_weights_a_difference_is_that_of_the_means_beside_it(project):
    """Window, command, report, score and bounds: one weighted mean, and the difference of two."""
    wished = ("--project", project.path, "--weighted", "--format", "json")
    project.execute(set_conventions(Conventions(is_weighted=True)))
    new, old = sorted(present_systems(project), key=lambda each: each.name)
    table = comparison_work(project, [old, new], baseline=old)(None, None)
    quick = open_comparison(project, [old, new], baseline=old)
    cells = next(row.cells for row in table.rows if row.system == new)
    base = next(row.cells for row in table.rows if row.system == old)
    at_once = next(row.cells for row in quick.rows if row.system == new)
    scored = {
        (run, measure): float(value)
        for run, measure, _all, value in must("score", *wished[:3], "--digits", "12").rows
    }
    compared_rows = must("compare", *wished, "--baseline", "old").json["comparisons"]
    report = report_work(project, ReportChoices((old, new), old))(None, None)
    page = html.unescape("".join(iter_report_html(report)))
    column = dict(zip(project.measures, range(len(project.measures)), strict=True))
    weights = np.array([query.weight for query in project.material.queries])
    for row, measure in zip(compared_rows, project.measures, strict=True):
        place = column[measure]
        values = [
            project.board.engine.counted_values(int(each.id))[:, place].filled(0.0)
            for each in (new, old)
        ]
        means = [float(weights @ each / weights.sum()) for each in values]
        difference = means[0] - means[1]
        unweighted = float((values[0] - values[1]).mean())
        assert abs(difference - unweighted) > 1e-6
        assert (scored["new", str(measure)], scored["old", str(measure)]) == pytest.approx(means)
        assert (row["mean"], row["baseline_mean"]) == pytest.approx(means)
        assert (cells[place].mean.value, base[place].mean.value) == pytest.approx(means)
        bounds = pair_bounds_work(project, new, old, measure)(None, None)
        found = query_differences(project, new, old, measure)
        for shown in (
            row["difference"],
            cells[place].difference,
            at_once[place].difference,
            bounds.difference,
            found.mean,
        ):
            assert shown == pytest.approx(difference, abs=1e-12)
        said = signed(difference)
        arrow = ("▲ " if difference > 0 else "▼ ") if measure.is_quality else ">"
        assert f"{arrow}{said}</small>" in page
        assert f"<td>{said}</td>" in page


def test_valued_by_different_judgments_the_report_says_what_the_command_says(project):
    """A run beside itself as it was: its difference, why it is not tested, and no better run."""
    now = next(each for each in present_systems(project) if each.name == "new")
    snapshot = find_snapshot(project, create_snapshot(project, "before"))
    then = next(each for each in snapshot.systems if each.id == now.id)
    settled = project.board.settled(0)
    fresh = [each for each in project.board.pool(0).tolist() if each not in settled]
    project.execute(Say.grade(0, fresh[0], 3.0))
    report = report_work(project, ReportChoices((then, now), then))(None, None)
    page = html.unescape("".join(iter_report_html(report)))
    project.undo()
    delete_snapshot(project, snapshot.id)
    assert "valued by different judgments: nothing is tested by P@3." in page
    assert "1 grade is another, or on one side alone" in page
    assert "significant for queries like these" not in page


@pytest.mark.parametrize(("p", "is_near"), [(0.0503, True), (0.0497, True), (0.06, False)])
def test_a_p_as_near_the_level_as_its_draws_can_err_is_said_to_be(p, is_near):
    """100,000 draws have a standard error of 0.0007 there: other draws may say otherwise."""
    rules = ComparisonRules(correction="none")
    row = compared([10, -5, 3, 8], rules)
    drawn = row.pair.significance._replace(p=p, n_draws=100_000)
    row = row._replace(pair=row.pair._replace(significance=drawn), p=p)
    found = find_verdict(NAMES, MEASURE, row, rules)
    said = "p is drawn, and within two standard errors of 100,000 draws from the level"
    assert (said in found.text) is is_near


def test_of_a_few_moved_queries_no_number_of_queries_is_foretold():
    """Others do not differ as the one does whose cards somebody moved."""
    rules = ComparisonRules()
    found = find_verdict(NAMES, MEASURE, compared([30, *[0] * 118], rules), rules)
    assert "4 times in 5" not in found.text
    assert found.queries_needed is None
