"""The table of systems, differences query by query, the baseline, agreement of orders."""

import re
from itertools import permutations

import numpy as np
import pytest

from judgetool.core.rankings import Move
from judgetool.errors import CommandRefusedError, InputError, UsageError
from judgetool.metrics import ComparisonRules, RunBlock, parse_measure
from judgetool.metrics.comparison import compare_pair
from judgetool.metrics.significance import ValuedApart, correct_p
from judgetool.session.commands import Say, SetValues, WorkCancelledError, set_measures
from judgetool.session.comparing.comparing import open_comparison
from judgetool.session.comparing.curves import mean_charts_work
from judgetool.session.comparing.pair_bounds import pair_bounds_work
from judgetool.session.comparing.query_by_query import (
    agree_on_measures,
    agree_on_queries,
    agree_on_views,
    explain_difference,
    groups_tested,
    query_bounds,
    query_differences,
)
from judgetool.session.comparing.snapshots import (
    create_snapshot,
    delete_snapshot,
    find_snapshot,
    last_event,
    present_systems,
)
from judgetool.session.comparing.system_values import (
    BASELINE_KEY,
    Baseline,
    baseline_place,
    find_baseline,
    movements,
    place_of_system,
    set_baseline,
)
from judgetool.session.comparing.tables import agreement_figures
from judgetool.session.comparing.trial import changed_queries
from judgetool.session.edits import delete_run
from judgetool.session.systems import System, group_names, queries_where, query_groups
from judgetool.session.whatifs.book import engine_key_of
from judgetool.session.whatifs.editing import add_step, assume_grade, create_whatif, delete_whatif
from tests.helpers.builders import open_made, open_sample, simple_parts
from tests.helpers.program import call, must
from tests.session.whatif_projects import (
    DOCUMENTS,
    compare_runs,
    find_system,
    number,
    project,  # noqa: F401 - a fixture
    run_id,
)


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The shipped sample as a project, for looking."""
    with open_sample(tmp_path_factory.mktemp("sample")) as session:
        yield session


def test_the_table_equals_judgetool_compare(sample):
    """Means, differences, p, Holm and intervals are those of the command."""
    systems = present_systems(sample)
    base = find_system(sample, "full-bm25-stem")
    table = compare_runs(sample, systems, baseline=base)
    told = call(
        "compare", "--project", str(sample.path), "--baseline", base.name, "--format", "json"
    )
    assert told.code == 0, told.err
    expected = {(row["run"], row["measure"]): row for row in told.json["comparisons"]}
    n_found = 0
    for row in table.rows:
        for measure, cell in zip(table.measures, row.cells, strict=True):
            if row.is_baseline:
                assert cell.pair is None
                continue
            its = expected[row.system.name, str(measure)]
            assert cell.difference == its["difference"]
            test = cell.pair.significance
            assert (test and test.p, cell.p) == (its["p"], its["p_holm"])
            assert (cell.pair.wins, cell.pair.ties, cell.pair.losses) == (
                its["wins"],
                its["ties"],
                its["losses"],
            )
            n_found += 1
    assert n_found == len(expected)
    assert table.n_tests == sum(row["p"] is not None for row in expected.values())


def test_student_equals_scipy(sample):
    """The t-test of the table is SciPy's on the same differences."""
    from scipy import stats

    systems = present_systems(sample)
    rules = ComparisonRules(test="t", correction="none")
    table = compare_runs(sample, systems[:2], rules=rules)
    measure = parse_measure("nDCG@10")
    column = table.measures.index(measure)
    found = query_differences(sample, systems[1], systems[0], measure)
    expected = stats.ttest_rel(
        [row.value for row in found.rows], [row.baseline for row in found.rows]
    )
    assert table.rows[1].cells[column].p == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_table_opens_with_the_same_means_and_differences(sample):
    """What is shown at once is what the whole table has, without intervals and p."""
    systems = present_systems(sample)
    quick, whole = open_comparison(sample, systems), compare_runs(sample, systems)
    for ours, theirs in zip(quick.rows, whole.rows, strict=True):
        assert ours.judged_share == theirs.judged_share
        for cell, other in zip(ours.cells, theirs.cells, strict=True):
            assert (cell.mean, cell.is_best) == (other.mean, other.is_best)
            assert cell.interval is None
            if other.difference is not None:
                assert cell.difference == pytest.approx(other.difference, abs=1e-12)


def test_an_interval_holds_its_mean(sample):
    """Each mean lies between the least and the greatest over all gradings; how much is judged has none."""
    table = compare_runs(sample, present_systems(sample))
    for row in table.rows:
        for measure, cell in zip(table.measures, row.cells, strict=True):
            if measure.spec.counts_judgments:
                assert cell.interval is None
                continue
            assert cell.interval.low - 1e-12 <= cell.mean.value <= cell.interval.high + 1e-12


def test_the_best_of_a_column_are_marked_ties_too(project):  # noqa: F811
    """A run and its copy as a what-if share the mark."""
    create_whatif(project, "same", run_id(project, "alpha"))
    table = open_comparison(project, present_systems(project))
    first, same = table.rows[0], table.rows[-1]
    assert [cell.is_best for cell in first.cells] == [cell.is_best for cell in same.cells]
    for column in range(len(table.measures)):
        best = max(row.cells[column].mean.value for row in table.rows)
        marked = [row for row in table.rows if row.cells[column].is_best]
        assert bool(marked) is table.measures[column].is_quality
        assert all(row.cells[column].mean.value == pytest.approx(best) for row in marked)


def test_means_with_assumed_grades_are_not_the_best(project):  # noqa: F811
    """They are of other judgments; a row of judgments alone has the mark, and a sentence says why."""
    systems = present_systems(project)
    plain = open_comparison(project, systems)
    whatif = create_whatif(project, "dreamt", run_id(project, "alpha"))
    for name in DOCUMENTS:
        assume_grade(project, whatif, 1, number(project, name), 3.0)
    table = open_comparison(project, present_systems(project))
    *rows, dreamt = table.rows
    assert dreamt.has_assumed
    assert dreamt.cells[0].mean.value > max(row.cells[0].mean.value for row in rows)
    assert not any(cell.is_best for cell in dreamt.cells)
    assert [[cell.is_best for cell in row.cells] for row in rows] == [
        [cell.is_best for cell in row.cells] for row in plain.rows
    ]
    (said,) = [each for each in table.sentences if "dreamt" in each]
    assert said == (
        "The figures of dreamt count 6 assumed grades that nobody judged, for it alone. "
        "Its means, over 3 queries, are never marked as the best."
    )


def test_comparing_reports_progress_and_can_be_cancelled(sample):
    """Progress reaches its end; a cancelled comparison ends with a sentence."""
    told = []
    compare_runs(sample, present_systems(sample), progress=lambda *done: told.append(done))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]
    with pytest.raises(WorkCancelledError):
        compare_runs(sample, present_systems(sample), is_cancelled=lambda: True)


def test_judged_shares_do_not_count_assumptions(project):  # noqa: F811
    """What is assumed is not judged."""
    whatif = create_whatif(project, "moved", run_id(project, "alpha"))
    before = open_comparison(project, present_systems(project)).rows[-1].judged_share
    assume_grade(project, whatif, 0, number(project, "d1"), 3.0)
    assert open_comparison(project, present_systems(project)).rows[-1].judged_share == before


def test_what_is_assumed_is_judged_nowhere(project):  # noqa: F811
    """Judged@10 of a what-if with an assumed grade is the same in table and commands."""
    project.execute(set_measures(("Judged@10",)))
    whatif = create_whatif(project, "moved", run_id(project, "alpha"))
    assume_grade(project, whatif, 0, number(project, "d1"), 3.0)
    cell = compare_runs(project, present_systems(project)).rows[-1].cells[0]
    assert cell.interval is None
    shown = must("score", "--project", project.path, "--run", "moved", "-q", "--intervals")
    rows = [line.split("\t") for line in shown.out.splitlines()]
    assert {tuple(row[2:5]) for row in rows if row[1] == "q1"} == {("0.5000", "-", "-")}
    asked = ("--run", "moved", "--query", "q1", "-m", "Judged@10")
    assert "0.5000" in must("explain", "--project", project.path, *asked).out.splitlines()[-1]


def test_only_chosen_measures_can_be_compared(project):  # noqa: F811
    """A measure that the project does not compute is refused by name."""
    with pytest.raises(UsageError, match="Rprec"):
        open_comparison(project, present_systems(project), [parse_measure("Rprec")])


def test_queries_come_worst_first_with_counts(sample):
    """Rows rise; better, worse and equal add up to all; groups hold each query once."""
    systems = present_systems(sample)
    found = query_differences(
        sample, systems[1], systems[0], parse_measure("AP"), group_by="category"
    )
    differences = [row.difference for row in found.rows]
    assert differences == sorted(differences)
    assert found.n_better + found.n_worse + found.n_equal == len(found.rows)
    assert sum(len(group.rows) for group in found.groups) == len(found.rows)
    means = [group.mean for group in found.groups]
    assert means == sorted(means)


def test_queries_are_grouped_by_category_and_fields(project):  # noqa: F811
    """What the queries have is offered; those without come under an empty name."""
    assert group_names(project) == ["category", "course"]
    one, two = present_systems(project)[:2]
    found = query_differences(project, two, one, parse_measure("AP"), group_by="course")
    assert {group.name: len(group.rows) for group in found.groups} == {"": 2, "side": 1}


def test_some_queries_are_compared_as_if_they_were_all(sample):
    """Means, bounds, p and interval are those of their values alone, of whatever else there is."""
    kept = queries_where(sample, "for")
    assert 2 < kept.sum() < len(kept)
    systems = present_systems(sample)
    table = compare_runs(sample, systems, where="for")
    column = sample.measures.index(parse_measure("nDCG@10"))
    values = [
        place.engine.counted_values(place.key)[kept, column].compressed()
        for place in (place_of_system(sample, each) for each in systems)
    ]
    for row, own in zip(table.rows, values, strict=True):
        cell = row.cells[column]
        assert cell.mean.value == pytest.approx(own.mean())
        assert cell.mean.n_queries == len(own)
        assert cell.interval.low - 1e-12 <= own.mean() <= cell.interval.high + 1e-12
        if not row.is_baseline:
            alone = compare_pair(own, values[0])
            assert (cell.pair.significance, cell.pair.interval) == (
                alone.significance,
                alone.interval,
            )
    verdict = pair_bounds_work(
        sample, systems[1], systems[0], sample.measures[column], where="for"
    )(None, None)
    found = query_differences(sample, systems[1], systems[0], sample.measures[column], kept=kept)
    assert verdict.difference == pytest.approx(found.mean)
    ends = [
        query_bounds(sample, systems[1], systems[0], sample.measures[column], row.query)
        for row in found.rows
    ]
    assert verdict.low == pytest.approx(np.mean([each.difference.low for each in ends]))
    assert verdict.high == pytest.approx(np.mean([each.difference.high for each in ends]))


def test_what_leaves_no_query_is_refused(sample):
    """A text that is not understood, or lets nothing through, says so; none lets all through."""
    with pytest.raises(CommandRefusedError, match="is let through by"):
        queries_where(sample, "category=nothing-like-it")
    with pytest.raises(CommandRefusedError, match="not closed"):
        queries_where(sample, "'soup")
    assert queries_where(sample, "").all()
    words = queries_where(sample, "soup")
    assert 0 < words.sum() < len(words)


@pytest.mark.parametrize("word", ["nosuch:thing", "-nosuch:thing", "nosuch=thing"])
def test_a_condition_that_there_is_not_is_named(sample, word):
    """It is called unknown, with what there is, whether it would let nothing through or all."""
    said = f"There is no condition ‘nosuch{word.removeprefix('-')[6]}’. There are is:, grade:, run:"
    with pytest.raises(CommandRefusedError, match=re.escape(said)):
        queries_where(sample, word)


def test_fields_and_words_can_be_left_out(project):  # noqa: F811
    """A minus in front of a field's content, a category or an id leaves out what it lets through."""
    ids = [query.id for query in project.material.queries]
    for where in ("course=side", "category=sweet", "category:curry", "pie", f"'{ids[0]}'"):
        assert (queries_where(project, f"-{where}") == ~queries_where(project, where)).all()
    assert queries_where(project, f"-{ids[0]} -{ids[1]}").tolist() == [False, False, True]


def test_groups_are_tested_over_their_own_queries(project):  # noqa: F811
    """Each group is what its text lets through; its p is that of its queries alone, corrected."""
    systems, measure = present_systems(project), parse_measure("AP")
    found = query_differences(project, systems[1], systems[0], measure, group_by="category")
    for group in query_groups(project, most=10):
        kept = set(np.flatnonzero(queries_where(project, group.where)).tolist())
        rows = next(each.rows for each in found.groups if each.name == group.content)
        assert {row.query for row in rows} == kept
        assert len(kept) == group.n_queries
    tests = groups_tested(found, ComparisonRules())
    alone = [
        compare_pair([row.value for row in group.rows], [row.baseline for row in group.rows])
        for group in found.groups
    ]
    assert [each.pair for each in tests] == alone
    assert [each.p for each in tests] == correct_p([one.significance.p for one in alone], "holm")


def test_groups_valued_by_different_judgments_are_not_tested(project):  # noqa: F811
    """Each has its mean difference, and nothing that is said of other queries."""
    now, measure = present_systems(project)[0], parse_measure("P@5")
    snapshot = find_snapshot(project, create_snapshot(project, "before"))
    project.execute(Say.grade(0, number(project, "d1"), 3.0))
    then = next(each for each in snapshot.systems if each.id == now.id)
    found = query_differences(project, now, then, measure, group_by="category")
    for test in groups_tested(found, ComparisonRules()):
        pair = test.pair
        assert (test.p, test.n_tests) == (None, 0)
        assert (pair.interval, pair.significance, pair.effect) == (None, None, None)
        assert pair.difference is not None


def test_a_row_valued_by_other_judgments_is_not_tested(project):  # noqa: F811
    """It knows how many grades differ, and is in no family of tests; the others are as without it."""
    now, other = present_systems(project)[:2]
    snapshot = find_snapshot(project, create_snapshot(project, "before"))
    project.execute(Say.grade(0, number(project, "d1"), 3.0))
    then = next(each for each in snapshot.systems if each.id == now.id)
    alone = compare_runs(project, [now, other])
    table = compare_runs(project, [now, other, then])
    _, beside, past = table.rows
    assert (past.apart, beside.apart) == (ValuedApart(1), None)
    assert {cell.p for cell in past.cells} == {None}
    assert [cell.p for cell in beside.cells] == [cell.p for cell in alone.rows[1].cells]
    assert table.n_tests == alone.n_tests


@pytest.mark.parametrize("name", ["P@5", "R@10", "AP", "RR", "nDCG@10", "ERR@10", "pFound@10"])
def test_documents_make_up_the_difference(sample, name):
    """The parts of all documents add up to the difference of the two values."""
    measure = parse_measure(name)
    one, two = present_systems(sample)[:2]
    for query in range(len(sample.material.queries)):
        found = explain_difference(sample, two, one, query, measure)
        total = sum(row.difference for row in found.rows)
        if not found.reason:
            assert total == pytest.approx(found.difference, abs=1e-9)
            sizes = [abs(row.difference) for row in found.rows]
            assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("name", ["P@5", "R@10", "AP", "nDCG@10", "nDCG@20"])
def test_a_document_that_stays_at_its_rank_makes_up_nothing(sample, name):
    """It adds 0, not what rounding leaves; of AP, whose parts hang on the ranks above, more or 0."""
    measure = parse_measure(name)
    systems = present_systems(sample)
    for one, two in permutations(systems, 2):
        for query in range(len(sample.material.queries)):
            for row in explain_difference(sample, two, one, query, measure).rows:
                is_still = row.rank == row.baseline_rank and name != "AP"
                assert not is_still or row.difference == 0
                assert row.difference == 0 or abs(row.difference) > 1e-9


def test_correlations_have_no_parts(sample):
    """Where a value is no sum over documents, it is said instead."""
    one, two = present_systems(sample)[:2]
    found = explain_difference(sample, two, one, 0, parse_measure("tau"))
    assert found.rows == ()
    assert found.reason == "tau is no sum over documents."


def test_a_query_without_values_is_undefined_on_both_sides(tmp_path):
    """No document of it is judged: neither system has a value."""
    parts = simple_parts()
    parts.runs["beta"] = parts.runs["alpha"]
    with open_made(tmp_path, parts) as session:
        one, two = present_systems(session)[:2]
        found = explain_difference(session, two, one, 0, parse_measure("AP"))
        assert (found.value, found.baseline) == (None, None)
        assert found.reason == "The value is undefined on both sides."


def test_movements_are_told_document_by_document():
    """New, gone, same, up and down, with the ranks."""
    found = movements(np.array([1, 2, 3, 4]), np.array([3, 2, 5, 1]))
    assert found == {3: "↑2", 2: "", 5: "new", 1: "↓3", 4: "gone"}


def test_a_baseline_is_kept_and_undone(project):  # noqa: F811
    """The baseline is a value of the project; one that is gone counts as none."""
    whatif = create_whatif(project, "moved", run_id(project, "alpha"))
    set_baseline(project, Baseline.of_system(System("what-if", whatif, "moved")))
    assert find_baseline(project).name == "moved"
    delete_whatif(project, whatif)
    assert find_baseline(project) is None
    project.undo()
    project.undo()
    assert find_baseline(project) is None


def test_a_baseline_may_be_a_snapshot_a_run_of_one_or_a_moment(project):  # noqa: F811
    """Each is kept; of a snapshot that is deleted, and of what another version made, there is none."""
    snapshot = create_snapshot(project, "before")
    (alpha, *_) = find_snapshot(project, snapshot).systems
    then = Baseline("moment", "then", event_id=last_event(project), at=5)
    of_all = Baseline("snapshot", "before", snapshot=snapshot)
    for baseline in (then, of_all, Baseline.of_system(alpha)):
        set_baseline(project, baseline)
        assert find_baseline(project) == baseline
    delete_snapshot(project, snapshot)
    assert find_baseline(project) is None
    set_baseline(project, of_all)
    assert find_baseline(project) is None
    project.execute(SetValues({BASELINE_KEY: {"kind": "day", "name": "Monday"}}, "Of later"))
    assert find_baseline(project) is None


def test_what_is_gone_is_not_compared(project):  # noqa: F811
    """A run, a snapshot, or what a snapshot does not hold is named in the refusal."""
    alpha, beta = present_systems(project)[:2]
    snapshot = create_snapshot(project, "before")
    then = next(each for each in find_snapshot(project, snapshot).systems if each.id == alpha.id)
    for wrong, said in (
        (then._replace(id="99", name="lost"), "lost"),
        (System("what-if", "nope", "lost", snapshot), "before has no what-if lost"),
    ):
        with pytest.raises(InputError, match=said):
            compare_runs(project, [beta, wrong])
    delete_run(project, int(alpha.id))
    with pytest.raises(InputError, match="alpha is no longer in the project"):
        compare_runs(project, [beta, alpha])
    with pytest.raises(InputError, match="alpha is no longer in the project"):
        query_differences(project, beta, alpha, parse_measure("P@5"))
    delete_snapshot(project, snapshot)
    with pytest.raises(InputError, match="snapshot is no longer in the project"):
        compare_runs(project, [beta, then])
    with pytest.raises(UsageError, match="Choose at least one run"):
        open_comparison(project, [])


def means_against(session, baseline, system):
    """The means that a system's are compared with."""
    place = baseline_place(session, baseline, system)
    return [mean.value for mean in place.engine.means(place.key)]


def test_values_against_a_run_are_those_of_the_engine(project):  # noqa: F811
    """Means and queries are compared with the baseline's."""
    one, two = present_systems(project)[:2]
    set_baseline(project, Baseline.of_system(one))
    baseline, engine = find_baseline(project), project.board.engine
    expected = [mean.value for mean in engine.means(int(one.id))]
    assert means_against(project, baseline, two) == expected
    place = baseline_place(project, baseline, one)
    here, there = engine.counted_values(int(one.id)), place.engine.counted_values(place.key)
    assert (here - there).max() == 0


def test_values_against_a_moment_tell_what_judgments_did(project):  # noqa: F811
    """A run against itself under earlier judgments: what the judging since has changed."""
    alpha = present_systems(project)[0]
    before = [mean.value for mean in project.board.engine.means(int(alpha.id))]
    moment = Baseline("moment", "then", event_id=last_event(project))
    project.execute(Say.grade(0, number(project, "d1"), 3.0))
    assert means_against(project, moment, alpha) == pytest.approx(before)
    assert [mean.value for mean in project.board.engine.means(int(alpha.id))] != before
    made = System("what-if", create_whatif(project, "moved", int(alpha.id)), "moved")
    for _ in range(2):
        assert means_against(project, moment, made) == pytest.approx(before)
        assert means_against(project, moment, alpha) == pytest.approx(before)


def test_values_against_a_snapshot_compare_each_system_with_itself(project):  # noqa: F811
    """A what-if changed since is compared with how it was; one made later has no counterpart."""
    whatif = create_whatif(project, "moved", run_id(project, "alpha"))
    subject = System("what-if", whatif, "moved")
    snapshot = create_snapshot(project, "before")
    baseline = Baseline("snapshot", "before", snapshot=snapshot)

    def means_now():
        place = place_of_system(project, subject)
        return [mean.value for mean in place.engine.means(place.key)]

    assert means_against(project, baseline, subject) == means_now()
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    assert means_against(project, baseline, subject) != means_now()
    later = System("what-if", create_whatif(project, "later", run_id(project, "beta")), "later")
    assert baseline_place(project, baseline, later) is None


def test_rankings_of_as_many_documents_each_that_changed_places_are_found():
    """Where one query has lost a document and another has won one, the third is looked through."""
    before = RunBlock(np.array([0, 2, 4, 6]), np.array([1, 2, 1, 2, 1, 2], np.int32))
    after = RunBlock(np.array([0, 1, 3, 6]), np.array([1, 2, 1, 1, 2, 3], np.int32))
    assert changed_queries(before, after) == [0, 1, 2]
    after = RunBlock(np.array([0, 1, 3, 6]), np.array([1, 1, 2, 1, 2, 3], np.int32))
    assert changed_queries(before, after) == [0, 2]


def test_charts_are_of_what_a_measure_and_a_system_have(project):  # noqa: F811
    """Without a cutoff none against k, of a snapshot none over time; who has gone gets none at all."""
    alpha = present_systems(project)[0]
    snapshot = find_snapshot(project, create_snapshot(project, "before"))
    then = next(each for each in snapshot.systems if each.id == alpha.id)
    p, ap = parse_measure("P@5"), parse_measure("AP")
    n_drawn = [
        len(mean_charts_work(project, [system], measure)(None))
        for system, measure in ((alpha, p), (alpha, ap), (then, p), (then, ap))
    ]
    assert n_drawn == [5, 4, 4, 3]
    assert mean_charts_work(project, [alpha], p)(lambda: True) == []


def test_orders_of_runs_agree_with_themselves(project):  # noqa: F811
    """A run agrees wholly with itself, and wholly disagrees with its reverse."""
    alpha, beta = present_systems(project)[:2]
    same = agree_on_queries(project, alpha, alpha)
    assert [row.tau for row in same] == pytest.approx([1.0, 1.0, 1.0])
    assert agree_on_queries(project, alpha, beta)[0].tau == pytest.approx(-1.0)


def test_orders_of_systems_are_compared_by_measures_and_views(project):  # noqa: F811
    """One row for each two measures, and one per measure for two views."""
    systems = present_systems(project)
    by_measure = agree_on_measures(project, systems)
    n = sum(each.is_quality for each in project.measures)
    assert 2 < n < len(project.measures)
    assert len(by_measure) == n * (n - 1) // 2
    by_view = agree_on_views(project, systems, "latest", "majority")
    assert [row.tau in (None, pytest.approx(1.0)) for _, row in by_view] == [True] * n
    assert agree_on_measures(project, systems[:2]) == ()
    assert agree_on_views(project, systems[:2], "latest", "majority") == []
    # Where one view has no mean there is nothing to say, and a place for each figure.
    assert agreement_figures(None) == (None,) * 4


def test_engine_keys_of_whatifs_are_no_runs(project):  # noqa: F811
    """A what-if's key in the engine is below 0, so that no run can have it."""
    whatif = create_whatif(project, "moved", run_id(project, "alpha"))
    assert engine_key_of(project, System("what-if", whatif, "moved")) < 0
