"""The engine: values that follow judgments, runs and conventions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.scale import scale_preset
from judgetool.metrics import DEFAULT_MEASURES, MEASURES, Engine, RunBlock, parse_measure
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.rankings import FactTable
from tests.helpers.laws import examples

N_QUERIES = 4
SCALE = scale_preset("0-3")
ALL = tuple(parse_measure(spec.example) for spec in MEASURES.values())


def block(*rankings):
    offsets = np.concatenate(([0], np.cumsum([len(ranking) for ranking in rankings])))
    flat = [document for ranking in rankings for document in ranking]
    return RunBlock(offsets.astype(np.int64), np.array(flat, dtype=np.int32))


def load(engine, judged):
    """Give the engine judgments as {(query, document): grade}."""
    queries, documents = ([pair[side] for pair in judged] for side in (0, 1))
    engine.set_judgments(
        np.array(queries, dtype=np.int32),
        np.array(documents, dtype=np.int32),
        np.array(list(judged.values()), dtype=np.float64),
    )


def make(rankings, judged, measures=DEFAULT_MEASURES, **options):
    engine = Engine(len(rankings), scale=options.pop("scale", SCALE), measures=measures, **options)
    load(engine, judged)
    engine.add_run(1, block(*rankings))
    return engine


def one(engine, name):
    return engine.means(1)[engine.measures.index(parse_measure(name))]


keys = st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, 9))
judgments = st.dictionaries(keys, st.integers(-1, 3), max_size=25)
ranking = st.lists(st.integers(0, 9), unique=True, max_size=8)
rankings = st.lists(ranking, min_size=N_QUERIES, max_size=N_QUERIES)
changes = st.lists(st.tuples(keys, st.none() | st.integers(-1, 3)), max_size=12)


@settings(max_examples=examples(150))
@given(
    runs=st.lists(rankings, min_size=1, max_size=3),
    judged=judgments,
    changes=changes,
    missing=st.sampled_from(["judged", "both", "all"]),
)
def test_judging_equals_a_fresh_start(runs, judged, changes, missing):
    """After any judgments, values, means and reasons are those of a new engine."""
    rules = Conventions(missing=missing)
    engine = Engine(N_QUERIES, scale=SCALE, measures=ALL, conventions=rules)
    load(engine, judged)
    for key, rows in enumerate(runs):
        engine.add_run(key, block(*rows))
    final = dict(judged)
    for (query, document), grade in changes:
        engine.judge(query, document, grade)
        if grade is None:
            final.pop((query, document), None)
        else:
            final[query, document] = grade
    fresh = Engine(N_QUERIES, scale=SCALE, measures=ALL, conventions=rules)
    load(fresh, final)
    for key, rows in enumerate(runs):
        fresh.add_run(key, block(*rows))
        assert engine.values(key).tolist() == fresh.values(key).tolist()
        assert engine.means(key) == fresh.means(key)
        for query in range(N_QUERIES):
            assert engine.value(key, query) == fresh.value(key, query)
            assert engine.is_judged_query(query) == fresh.is_judged_query(query)


@settings(max_examples=examples(100))
@given(rows=rankings, judged=judgments)
def test_nan_never_leaves_the_engine(rows, judged):
    """What is undefined is masked; the numbers beneath are finite, also in means."""
    engine = make(rows, judged, ALL)
    values = engine.values(1)
    assert np.isfinite(values.data).all()
    assert all(mean.value is None or np.isfinite(mean.value) for mean in engine.means(1))


@settings(max_examples=examples(50))
@given(rows=rankings, judged=judgments, unjudged=st.sampled_from(["as non-relevant", "left out"]))
def test_a_convention_switched_and_back_restores_every_number(rows, judged, unjudged):
    """Switching a policy on and off again leaves no trace."""
    engine = make(rows, judged, ALL)
    before = engine.values(1).tolist(), engine.means(1)
    engine.set_conventions(Conventions(unjudged=unjudged, undefined="leave out", missing="both"))
    engine.set_conventions(Conventions())
    assert (engine.values(1).tolist(), engine.means(1)) == before


def test_values_are_masked_where_nothing_is_relevant():
    """A query without a relevant document has no recall, and the reason says how many were judged."""
    engine = make([[0, 1]], {(0, 0): 0, (0, 1): 0, (0, 7): 0}, [parse_measure("R@10")])
    (value,) = engine.value(1, 0)
    assert value == (None, "none of its 3 judged documents is relevant")
    assert engine.values(1).tolist() == [[None]]


def test_the_reason_for_one_judged_document_is_in_the_singular():
    """One judged document that is not relevant reads as one."""
    engine = make([[0]], {(0, 0): 0}, [parse_measure("AP")])
    assert engine.value(1, 0)[0].reason == "its one judged document is not relevant"


def test_an_unjudged_query_has_no_values():
    """A query of the run without judgments is left out of the means, with its reason."""
    engine = make([[0], [1]], {(0, 0): 1}, [parse_measure("P@1")])
    assert engine.value(1, 1)[0] == (None, "no document of this query is judged")
    assert one(engine, "P@1") == (1.0, 1, 0, 0)


def test_a_missing_query_counts_as_0_by_default():
    """A judged query that the run lacks is 0 in the mean and counted as missing."""
    engine = make([[0], []], {(0, 0): 1, (1, 1): 1}, [parse_measure("P@1")])
    assert one(engine, "P@1") == (0.5, 2, 0, 1)
    assert engine.value(1, 1)[0] == (0.0, "the run has no documents for this query")


def test_missing_queries_can_be_left_out():
    """With 'both', only queries that are judged and in the run count."""
    rules = Conventions(missing="both")
    engine = make([[0], []], {(0, 0): 1, (1, 1): 1}, [parse_measure("P@1")], conventions=rules)
    assert one(engine, "P@1") == (1.0, 1, 0, 1)
    assert engine.value(1, 1)[0].value is None


def test_all_queries_can_count():
    """With 'all', a query of the run without judgments is 0 in the mean (Quepid)."""
    rules = Conventions(missing="all")
    engine = make([[0], [1], []], {(0, 0): 1}, [parse_measure("AP")], conventions=rules)
    assert one(engine, "AP") == (0.5, 2, 1, 0)


def test_undefined_values_can_be_left_out_of_means():
    """'leave out' takes the mean over defined values alone and counts the others."""
    judged = {(0, 0): 1, (1, 0): 0}
    measures = [parse_measure("R@1")]
    zero = make([[0], [0]], judged, measures)
    assert one(zero, "R@1") == (0.5, 2, 1, 0)
    rules = Conventions(undefined="leave out")
    left_out = make([[0], [0]], judged, measures, conventions=rules)
    assert one(left_out, "R@1") == (1.0, 1, 1, 0)


def test_means_can_be_weighted():
    """Weights count when the conventions say so: (3 × 1 + 1 × 0.5) / 4."""
    judged = {(0, 0): 1, (1, 1): 1}
    engine = make(
        [[0], [0, 1]],
        judged,
        [parse_measure("RR")],
        conventions=Conventions(is_weighted=True),
        weights=np.array([3.0, 1.0]),
    )
    assert one(engine, "RR").value == 0.875


def test_weights_of_nothing_give_no_mean():
    """When all counted queries weigh 0 there is no mean to state."""
    engine = make(
        [[0]],
        {(0, 0): 1},
        [parse_measure("RR")],
        conventions=Conventions(is_weighted=True),
        weights=np.zeros(1),
    )
    assert one(engine, "RR").value is None


def test_a_refused_change_leaves_no_trace():
    """If one of several judgments does not fit, none is taken."""
    engine = make([[0]], {(0, 0): 1}, [parse_measure("RR")])
    with pytest.raises(ValueError, match="finite"):
        engine.judge_many([(0, 0, 0), (0, 1, float("inf"))])
    assert one(engine, "RR").value == 1.0
    with pytest.raises(ValueError, match="no such query"):
        engine.judge(7, 0, 1)


def test_counts_are_summed():
    """NumRel over queries is a sum, not a mean."""
    engine = make([[0], [0]], {(0, 0): 1, (0, 5): 2, (1, 0): 3}, [parse_measure("NumRel")])
    assert one(engine, "NumRel").value == 3.0


def test_no_query_gives_no_mean():
    """Without a judged query a mean is None, not 0."""
    engine = make([[0]], {}, [parse_measure("P@1")])
    assert one(engine, "P@1") == (None, 0, 0, 0)


def test_a_pooled_document_is_not_judged():
    """A negative grade neither makes a query judged nor a document relevant or not."""
    engine = make([[0, 1]], {(0, 0): -1}, [parse_measure("Judged@2")])
    assert not engine.is_judged_query(0)
    engine.judge(0, 1, 1)
    assert engine.judged_of(1, 0, [10]) == {10: (1, 2)}
    assert one(engine, "Judged@2").value == 0.5


def test_judged_of_counts_within_the_cutoff():
    """7 of 10 judged: judged documents among the ranks that the measure looks at."""
    engine = make([list(range(20))], {(0, d): 0 for d in range(7)} | {(0, 15): 1})
    assert engine.judged_of(1, 0, [10, None]) == {10: (7, 10), None: (8, 20)}


def test_query_grades_hold_ranking_and_what_it_lacks():
    """Grades by rank, missing grades, and pooled documents that nobody judged."""
    engine = make([[3, 1, 2]], {(0, 3): 2, (0, 8): 1, (0, 9): -1})
    grades = engine.query_grades(1, 0, pool=np.array([1, 3, 9, 11, 12], dtype=np.int32))
    assert np.isnan(grades.ranked).tolist() == [False, True, True]
    assert grades.ranked[0] == 2
    assert grades.missing.tolist() == [1]
    assert grades.n_missing_unjudged == 3


def test_the_version_rises_with_every_change():
    """Background work can tell that its result is out of date."""
    engine = make([[0]], {(0, 0): 1})
    seen = [engine.version]
    for change in (
        lambda: engine.judge(0, 0, 2),
        lambda: engine.judge_many([(0, 0, None), (0, 1, 1)]),
        lambda: engine.set_measures([parse_measure("AP")]),
        lambda: engine.set_scale(None),
        lambda: engine.set_conventions(Conventions(missing="both")),
        lambda: engine.add_run(2, block([1])),
        lambda: engine.remove_run(2),
    ):
        change()
        seen.append(engine.version)
    assert seen == sorted(set(seen))


def test_a_removed_run_is_gone():
    """A run that was taken away has no values any more."""
    engine = make([[0]], {(0, 0): 1})
    engine.remove_run(1)
    assert engine.run_keys == ()
    with pytest.raises(KeyError):
        engine.values(1)


def test_a_grade_above_the_scale_has_a_reason():
    """ERR and pFound cannot read grade 5 on a scale up to 3; P can."""
    engine = make([[0]], {(0, 0): 5}, [parse_measure(n) for n in ("ERR@10", "pFound", "P@1")])
    err, pfound, precision = engine.value(1, 0)
    assert err == (None, "grade 5 is above 3, the highest it can read")
    assert pfound.value is None
    assert precision.value == 1.0


def test_a_grade_between_levels_is_interpolated():
    """A mean grade of 1.5 has a gain halfway between those of levels 1 and 2."""
    engine = make([[0]], {(0, 0): 1.5}, [parse_measure("CG@1")], scale=scale_preset("esci"))
    assert one(engine, "CG@1").value == pytest.approx((0.01 + 0.1) / 2)


def test_another_scale_reads_the_same_grades():
    """set_scale recomputes: relevant from 1 by Yandex' probabilities."""
    engine = make([[0]], {(0, 0): 3}, [parse_measure("pFound")])
    engine.set_scale(scale_preset("yandex"))
    assert one(engine, "pFound").value == 0.41


@pytest.mark.parametrize(
    ("queries", "documents", "grades", "said"),
    [
        ([0, 0], [1, 1], [1.0, 2.0], "twice"),
        ([9], [1], [1.0], "out of range"),
        ([0], [1], [float("nan")], "finite"),
        ([0], [1, 2], [1.0], "equally long"),
    ],
)
def test_judgments_that_do_not_fit_are_refused(queries, documents, grades, said):
    """Arrays that contradict themselves are a bug of the caller, named at once."""
    engine = Engine(1, scale=None, measures=[])
    arrays = np.array(queries, np.int32), np.array(documents, np.int32), np.array(grades)
    with pytest.raises(ValueError, match=said):
        engine.set_judgments(*arrays)


def test_a_run_for_other_queries_is_refused():
    """Offsets must fit the number of queries."""
    with pytest.raises(ValueError, match="offsets"):
        Engine(2, scale=None, measures=[]).add_run(1, block([0]))


def test_a_document_below_0_is_refused_wherever_it_comes_from():
    """Documents and grades that count are numbers from 0."""
    engine, wrong = Engine(1, scale=None, measures=[]), np.array([-1], np.int32)
    with pytest.raises(ValueError, match="document"):
        engine.add_run(1, block([-1]))
    engine.add_run(1, block([0]))
    with pytest.raises(ValueError, match="document"):
        engine.set_ranking(1, 0, wrong)
    with pytest.raises(ValueError, match="assumed grade"):
        engine.set_ranking(1, 0, -wrong, assumed={1: -1.0})


def test_a_document_outside_every_run_can_be_judged():
    """A judgment of an unretrieved document changes recall and the ideal."""
    engine = make([[0]], {(0, 0): 1}, [parse_measure("R@1")])
    engine.judge(0, 900_000, 1)
    assert one(engine, "R@1").value == 0.5


def test_click_through_is_clicks_by_impressions_of_the_top():
    """CTR@2 of 3 + 1 clicks in 10 + 10 impressions is 0.2; a judgment leaves it as it is."""
    engine = make([[0, 1, 2]], {(0, 0): 1}, [parse_measure("CTR@2"), parse_measure("CTR")])
    assert engine.value(1, 0)[0] == (None, "no clicks are known of the documents it looks at")
    counts = np.array([[3.0, 10.0], [1.0, 10.0], [0.0, 20.0]])
    facts = FactTable(np.zeros(3, np.int32), np.arange(3, dtype=np.int32), counts)
    engine.set_facts("clicks", facts)
    assert [value.value for value in engine.value(1, 0)] == [0.2, 0.1]
    engine.judge(0, 1, 2)
    assert [value.value for value in engine.value(1, 0)] == [0.2, 0.1]


def test_a_project_without_queries_works():
    """An empty project has no values and no means."""
    engine = Engine(0, scale=SCALE, measures=DEFAULT_MEASURES)
    engine.add_run(1, block())
    assert engine.values(1).shape == (0, len(DEFAULT_MEASURES))
    assert {mean.value for mean in engine.means(1)} == {None}
