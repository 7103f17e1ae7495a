"""Bounds contain the value of every grading and are attained: checked against all gradings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.scale import Level, Scale, scale_preset
from judgetool.metrics.block import JudgedGrades, RankedGrades, worth_of
from judgetool.metrics.bounds import (
    PERHAPS,
    Bounds,
    compute_all_bounds,
    compute_bounds,
    compute_bounds_block,
    sees_unjudged,
)
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.grades import GradesBlock, QueryGrades, compute_value
from judgetool.metrics.measure import MEASURES, Measure, parse_measure
from judgetool.metrics.terms import FactRow
from tests.helpers.laws import examples
from tests.metrics import textbook

THREE = Scale(
    "three", tuple(Level(g, str(g), gain=gain, p_relevant=p) for g, gain, p in
                   ((0, 0.0, 0.05), (1, 1.0, 0.2), (2, 5.0, 0.7))), 2
)  # fmt: skip
# A scale whose gains do not rise with its grades, and whose lowest gain is not 0.
ODD = Scale(
    "odd", tuple(Level(g, str(g), gain=gain, p_relevant=p) for g, gain, p in
                 ((0, 0.5, 0.3), (1, 0.25, 0.1), (2, 2.0, 0.9))), 1
)  # fmt: skip
SCALES = (scale_preset("binary"), THREE, ODD, scale_preset("0-3"))


def _measures(name, cutoffs=(None,), params=((),)):
    return [Measure(name, chosen, cutoff) for cutoff in cutoffs for chosen in params]


CUTOFFS = (1, 2, 3, 4, 8)
EXACT = [
    *_measures("P", CUTOFFS, ((), (("over", "retrieved"),), (("rel", 2),))),
    *_measures("R", CUTOFFS, ((), (("rel", 2),), (("rel", 0),))),
    *_measures("R_cap", CUTOFFS),
    *_measures("F1", CUTOFFS),
    *_measures("F", CUTOFFS, ((("beta", 2),), (("beta", 0.5),))),
    *_measures("Success", CUTOFFS),
    *_measures("RR", (None, *CUTOFFS)),
    *_measures(
        "AP", (None, *CUTOFFS), ((), (("norm", "k"),), (("norm", "found"),), (("norm", "min"),))
    ),
    *_measures("Rprec", params=((), (("mult", 0.5),), (("mult", 2),))),
    *_measures("SetP", params=((), (("relative", True),))),
    *_measures("SetR"),
    *_measures("SetF", params=((), (("beta", 0.5),))),
    *_measures("SetAP"),
    *_measures("GMAP"),
    *_measures("Bpref"),
    *_measures("infAP"),
    *_measures("11pt", params=((), (("rule", "v10"),))),
    *_measures("IPrec", params=((("recall", 0.4),), (("recall", 0.0),), (("recall", 1),))),
    *_measures("CG", (None, *CUTOFFS)),
    *_measures("DCG", (None, *CUTOFFS), ((), (("dcg", "exp-log2"),))),
    *[
        Measure("nDCG", (*kind, ("ideal", ideal)), cutoff)
        for cutoff in (None, *CUTOFFS)
        for ideal in ("judged", "uncut", "length", "retrieved")
        for kind in ((), (("dcg", "exp-log2"),), (("gains", ((0, 1), (1, 3))),))
    ],
    *_measures("ERR", (None, *CUTOFFS), ((), (("p", "grade"),))),
    *_measures("pFound", (None, *CUTOFFS), ((), (("p_break", 0.5),))),
    *_measures("RBP", (None, *CUTOFFS), ((), (("rel", "gain"),), (("p", 0.5),))),
    *_measures("NumRel"),
    *_measures("NumRelRet"),
    *_measures("NumNonrelRet"),
]


def _all_values(measure, ranked, missing, n_missing_open, scale):
    """Value of every way to grade what is not judged, and the value as it stands."""
    yield compute_value(measure, _grades(ranked, missing, n_missing_open), scale) or 0.0
    open_ranks = [place for place, grade in enumerate(ranked) if grade is None]
    for grading in product(scale.grades, repeat=len(open_ranks) + n_missing_open):
        filled = list(ranked)
        for place, grade in zip(open_ranks, grading, strict=False):
            filled[place] = grade
        yield textbook.value(measure, filled, [*missing, *grading[len(open_ranks) :]], scale)


def _grades(ranked, missing=(), n_missing_open=0):
    return QueryGrades(
        np.array([np.nan if grade is None else grade for grade in ranked], dtype=float),
        np.array(missing, dtype=float),
        n_missing_open,
    )


def _random_case(rng, scale):
    n = int(rng.integers(0, 7))
    ranked = [None if rng.random() < 0.5 else float(rng.choice(scale.grades)) for _ in range(n)]
    missing = [float(rng.choice(scale.grades)) for _ in range(rng.integers(0, 3))]
    budget = {2: 5, 3: 4, 4: 3}[len(scale.grades)]
    room = max(0, budget - ranked.count(None))
    for place in [place for place, grade in enumerate(ranked) if grade is None][budget:]:
        ranked[place] = float(rng.choice(scale.grades))
    return ranked, missing, int(rng.integers(0, min(room, 2) + 1))


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: scale.name)
def test_bounds_are_the_least_and_greatest_value_over_all_gradings(scale):
    """Both ends are exact for every measure that says so, on hundreds of short lists a scale."""
    rng = np.random.default_rng(20_260_101)
    for _ in range(examples(1000)):
        case = _random_case(rng, scale)
        for measure in rng.choice(np.array(EXACT, dtype=object), 2, replace=False):
            bounds = compute_bounds(measure, _grades(*case), scale)
            values = list(_all_values(measure, *case, scale))
            found = (bounds.low, bounds.high)
            assert found == pytest.approx((min(values), max(values)), abs=1e-12), (measure, case)
            assert bounds.is_exact


@pytest.mark.parametrize("measure", EXACT, ids=str)
def test_each_measure_is_exact_on_lists_of_its_own(measure):
    """Every measure of the list, not a sample of them, agrees with all gradings."""
    rng = np.random.default_rng(7)
    for _ in range(5):
        for scale in SCALES[1:3]:
            case = _random_case(rng, scale)
            bounds = compute_bounds(measure, _grades(*case), scale)
            values = list(_all_values(measure, *case, scale))
            found = (bounds.low, bounds.high)
            assert found == pytest.approx((min(values), max(values)), abs=1e-12), case


def test_ndcg_can_fall_when_a_document_is_found_relevant():
    """Grades 3, 1, ?: 1.0 if the last is 0, but 0.951 if it is 3, as the ideal rises."""
    grades = _grades([3, 1, None])
    bounds = compute_bounds(parse_measure("nDCG@3"), grades, scale_preset("0-3"))
    assert bounds.high == 1.0
    assert bounds.low == pytest.approx(0.951, abs=5e-4)


def test_ap_is_highest_when_only_the_first_is_relevant():
    """?, 0, ?: AP is 0.833 if both are relevant but 1.0 if only the first is."""
    bounds = compute_bounds(parse_measure("AP"), _grades([None, 0, None]), scale_preset("binary"))
    assert (bounds.low, bounds.high) == (0.0, 1.0)
    only_both = _grades([1, 0, 1])
    assert compute_bounds(parse_measure("AP"), only_both, scale_preset("binary")).low == (
        pytest.approx(0.8333, abs=5e-5)
    )


@pytest.mark.parametrize("name", ["AP", "nDCG@5", "R@5", "Rprec", "F1@5", "R_cap@3"])
def test_a_value_that_is_undefined_now_may_still_become_defined(name):
    """With R = 0 the interval begins at 0 and reaches what a relevant document would give."""
    bounds = compute_bounds(parse_measure(name), _grades([None, 0]), scale_preset("binary"))
    assert bounds.low == 0
    assert bounds.high > 0


@pytest.mark.parametrize("name", ["Judged@3", "Unjudged@3", "NumRet", "NumQ"])
def test_a_measure_that_no_grade_changes_is_a_point(name):
    """What states the present, or counts documents, has no width."""
    bounds = compute_bounds(parse_measure(name), _grades([None, 1, None, 0]), THREE)
    assert bounds.width == 0
    assert bounds.is_exact


@pytest.mark.parametrize("name", ["tau", "tau_ap", "rho", "RBO"])
def test_a_correlation_says_that_its_range_is_not_exact(name):
    """Its whole range while something is unjudged; its value when all is judged."""
    measure = parse_measure(name)
    bounds = compute_bounds(measure, _grades([None, 1]), THREE)
    assert (bounds.low, bounds.high) == (measure.spec.lowest, measure.spec.highest)
    assert not bounds.is_exact
    certain = compute_bounds(measure, _grades([2, 1, 0]), THREE)
    assert (certain.width, certain.is_exact) == (0, True)


def test_grades_alone_say_nothing_of_clicks():
    """CTR has its whole range and says so; its stakes are nil."""
    bounds = compute_bounds(parse_measure("CTR@10"), _grades([1, 0]), THREE)
    assert bounds == Bounds(0.0, 1.0, is_exact=False)


def test_every_measure_of_the_table_has_bounds():
    """None is left without an interval, and low is never above high."""
    grades = _grades([2, None, 0, None, 1], [2], 2)
    for spec in MEASURES.values():
        bounds = compute_bounds(parse_measure(spec.example), grades, THREE)
        assert bounds.low <= bounds.high, spec.name


def test_bounds_without_a_scale_take_the_grades_of_trec():
    """Files alone: grades 0 to 4, gain = grade, relevant from 1."""
    bounds = compute_bounds(parse_measure("DCG@1"), _grades([None]), None)
    assert (bounds.low, bounds.high) == (0.0, 4.0)
    grades = _grades([4, 0, 1])
    for name in ("ERR@3", "pFound", "nDCG", "P@2"):
        value = textbook.value(parse_measure(name), [4, 0, 1])
        assert compute_bounds(parse_measure(name), grades, None).low == pytest.approx(value)


def test_a_grade_above_the_scale_has_the_widest_range_and_spoils_no_other_query():
    """ERR cannot read a 5 on a scale to 2; the query beside it keeps its exact bounds."""
    measure = parse_measure("ERR@3")
    queries = [_grades([5, None]), _grades([2, None])]
    found = compute_bounds_block(measure, GradesBlock.from_queries(queries), THREE)
    assert found.bounds_of(0) == Bounds(0.0, 1.0, is_exact=False)
    assert found.bounds_of(1) == compute_bounds(measure, queries[1], THREE)
    rule = Conventions(undefined="leave out")
    found = compute_bounds_block(measure, GradesBlock.from_queries(queries), THREE, rule)
    assert found.bounds_of(0).defined == PERHAPS, "its value may stay undefined for the grade"


def test_a_thousand_unjudged_documents_are_still_exact():
    """The interval of nDCG over a long ranking needs no cap: both ends come from gradings."""
    rng = np.random.default_rng(12)
    ranked = np.full(300, np.nan)
    ranked[rng.choice(300, 20, replace=False)] = rng.integers(0, 4, 20)
    measure, scale = parse_measure("nDCG"), scale_preset("0-3")
    bounds = compute_bounds(measure, QueryGrades(ranked, np.array([3.0, 1.0]), 5), scale)
    assert bounds.is_exact
    for _ in range(examples(300)):
        # Falling grades down the list come nearest to the maximum.
        filled = ranked.copy()
        is_open = np.isnan(filled)
        falling = np.sort(rng.integers(0, 4, is_open.sum()).astype(float))[::-1]
        filled[is_open] = np.where(np.arange(len(falling)) < rng.integers(1, 280), falling, 0)
        value = compute_value(measure, QueryGrades(filled, np.array([3.0, 1, 0, 0])), scale)
        assert bounds.low - 1e-12 <= value <= bounds.high + 1e-12


@given(
    st.lists(st.sampled_from([None, 0.0, 1.0, 2.0]), max_size=30),
    st.lists(st.sampled_from([0.0, 1.0, 2.0]), max_size=6),
    st.integers(0, 5),
    st.sampled_from(EXACT),
    st.randoms(use_true_random=False),
)
@settings(max_examples=examples(300))
def test_no_grading_leaves_the_interval(ranked, missing, n_missing_open, measure, random):
    """Lists too long for all gradings: any grading at random lies within the bounds."""
    bounds = compute_bounds(measure, _grades(ranked, missing, n_missing_open), ODD)
    filled = [random.choice(ODD.grades) if grade is None else grade for grade in ranked]
    others = [random.choice(ODD.grades) for _ in range(n_missing_open)]
    value = textbook.value(measure, filled, [*missing, *others], ODD)
    assert bounds.low - 1e-12 <= value <= bounds.high + 1e-12


def test_judging_a_document_never_widens_the_interval():
    """Each grade narrows the interval of the value or leaves it."""
    rng = np.random.default_rng(13)
    for _ in range(60):
        ranked, missing, n_open = _random_case(rng, THREE)
        open_places = [place for place, grade in enumerate(ranked) if grade is None]
        if not open_places:
            continue
        narrower = list(ranked)
        narrower[int(rng.choice(open_places))] = float(rng.choice(THREE.grades))
        for measure in EXACT[::5]:
            if sees_unjudged(measure, worth_of(measure, THREE), is_condensed=False):
                continue  # being unjudged is a case that a judgment takes away
            wide = compute_bounds(measure, _grades(ranked, missing, n_open), THREE)
            narrow = compute_bounds(measure, _grades(narrower, missing, n_open), THREE)
            assert wide.low - 1e-12 <= narrow.low
            assert narrow.high <= wide.high + 1e-12


@pytest.mark.parametrize("measure", EXACT[::4], ids=str)
def test_a_block_of_queries_has_the_bounds_of_each(measure, monkeypatch):
    """Padding, and cutting into chunks, change nothing."""
    monkeypatch.setattr("judgetool.metrics.grades.CHUNK_GRADES", 12)
    rng = np.random.default_rng(14)
    queries = [_grades(*_random_case(rng, THREE)) for _ in range(12)]
    found = compute_bounds_block(measure, GradesBlock.from_queries(queries), THREE)
    for place, query in enumerate(queries):
        alone = compute_bounds(measure, query, THREE)
        assert found.low[place] == pytest.approx(alone.low, abs=1e-12)
        assert found.high[place] == pytest.approx(alone.high, abs=1e-12)


def test_the_bounds_of_a_mean_are_the_means_of_the_bounds():
    """Weighted where queries have weights; there are none of no queries."""
    queries = [_grades([None]), _grades([2])]
    measure = parse_measure("P@1")
    found = compute_bounds_block(measure, GradesBlock.from_queries(queries), THREE)
    mean = found.pool(measure)
    assert (mean.low, mean.high, mean.is_exact) == (0.5, 1.0, True)
    weighted = found.pool(measure, np.array([3.0, 1.0]))
    assert (weighted.low, weighted.high) == (0.25, 1.0)
    empty = compute_bounds_block(measure, GradesBlock.from_queries([]), THREE)
    assert empty.pool(measure) is None


def test_what_reads_more_than_grades_has_no_end_but_its_own():
    """Time-biased gain knows the lengths of documents, and how far it goes hangs on them."""
    facts = {"lengths": FactRow(np.array([1]), np.array([[500.0]]), np.array([[500.0]]))}
    grades = QueryGrades(np.array([1.0, np.nan]), facts=facts)
    found = compute_bounds(parse_measure("TBG"), grades, THREE)
    assert found == Bounds(0.0, np.inf, is_exact=False)


def test_all_bounds_come_in_the_order_of_the_measures():
    """One interval for each measure asked for."""
    measures = [parse_measure(name) for name in ("RR", "P@2")]
    bounds = compute_all_bounds(measures, _grades([0, 2]), THREE)
    assert [each.low for each in bounds] == [0.5, 0.5]


def test_query_grades_hold_negative_grades_as_unjudged():
    """A negative grade means 'pooled, not judged', in the ranking and outside."""
    grades = QueryGrades(np.array([1.0, -1.0, np.nan]), np.array([-2.0, 0.0]))
    assert grades.is_judged.tolist() == [True, False, False]
    assert grades.pooled.tolist() == [True, True, False]
    assert (grades.n_judged, grades.n_unjudged) == (2, 3)
    assert grades.count_judged_in_top(2) == (1, 2)
    assert (grades.judged >= 1).sum() == 1


@pytest.mark.parametrize(
    ("ranked", "missing", "count"),
    [([np.inf], [], 0), ([1.0], [np.nan], 0), ([1.0], [], -1), ([[1.0]], [], 0)],
)
def test_query_grades_refuse_what_is_no_grade(ranked, missing, count):
    """Infinities, NaN among the missing, a negative count, and tables."""
    with pytest.raises(ValueError, match="must"):
        QueryGrades(np.array(ranked), np.array(missing), count)


@pytest.mark.parametrize(
    "measure", [measure for measure in EXACT if measure.name != "infAP"], ids=str
)
def test_the_textbook_agrees_with_the_engine(measure):
    """The plain definitions that bounds are checked with are those of the engine."""
    rng = np.random.default_rng(17)
    for scale in SCALES:
        for _ in range(5):
            ranked, missing, _ = _random_case(rng, scale)
            expected = textbook.value(measure, ranked, missing, scale)
            value = compute_value(measure, _grades(ranked, missing), scale)
            assert (value or 0.0) == pytest.approx(expected, abs=1e-12)


def test_a_block_may_come_from_the_engines_grades():
    """What is graded of a whole run gives the same block as its queries one by one."""
    rng = np.random.default_rng(18)
    queries = [_grades(*_random_case(rng, THREE)) for _ in range(20)]
    rows, columns, grades, judged_rows, judged = [], [], [], [], []
    for row, query in enumerate(queries):
        places = np.flatnonzero(query.is_judged)
        rows += [row] * len(places)
        columns += (places + 1).tolist()
        grades += query.ranked[places].tolist()
        best = np.sort(query.judged)[::-1]
        judged_rows += [row] * len(best)
        judged += best.tolist()
    block = GradesBlock.from_graded(
        RankedGrades(np.array(rows), np.array(columns), np.array(grades), len(queries)),
        np.array([query.n_retrieved for query in queries]),
        JudgedGrades(np.array(judged_rows), np.array(judged), len(queries)),
        n_missing_open=np.array([query.n_missing_unjudged for query in queries]),
    )
    expected = GradesBlock.from_queries(queries)
    for measure in EXACT[::6]:
        found = compute_bounds_block(measure, block, THREE)
        wanted = compute_bounds_block(measure, expected, THREE)
        assert found.low.tolist() == wanted.low.tolist()
        assert found.high.tolist() == wanted.high.tolist()
