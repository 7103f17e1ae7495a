"""The same doubles as pytrec_eval, bit for bit, wherever both define a measure alike."""

import math
import random

import pytest
from hypothesis import given, settings

from judgetool.metrics import evaluate, parse_measure
from tests.helpers.laws import examples
from tests.metrics.rankings import qrels, runs

pytestmark = pytest.mark.oracle

pytrec_eval = pytest.importorskip("pytrec_eval")

NAMES = (
    *("map", "recip_rank", "Rprec", "bpref", "infAP", "ndcg", "11pt_avg"),
    *("P_1", "P_5", "P_10", "recall_5", "recall_10", "ndcg_cut_3", "ndcg_cut_10"),
    *("map_cut_3", "map_cut_10", "success_1", "success_5", "relative_P_5"),
    *("set_P", "set_recall", "set_F", "set_map", "set_relative_P"),
    *("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
    *(f"iprec_at_recall_{step / 10:.2f}" for step in range(11)),
    *(f"Rprec_mult_{step / 5:.2f}" for step in range(1, 11)),
)
FAMILIES = {
    *("map", "recip_rank", "Rprec", "bpref", "infAP", "ndcg", "11pt_avg"),
    *("P.1,5,10", "recall.5,10", "ndcg_cut.3,10", "map_cut.3,10", "success.1,5"),
    *("relative_P.5", "set_P", "set_recall", "set_F", "set_map", "set_relative_P"),
    *("num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
    *("iprec_at_recall", "Rprec_mult"),
}


def without_unusable(judged, *, rel=1):
    """trec_eval stops at a query that has only negative grades."""
    return {query: grades for query, grades in judged.items() if max(grades.values()) >= 0 and rel}


def differences(judged, run, *, rel):
    evaluator = pytrec_eval.RelevanceEvaluator(judged, FAMILIES, relevance_level=rel)
    theirs = evaluator.evaluate(run)
    measures = {}
    for name in NAMES:
        measure = parse_measure(name)
        measures[name] = measure.with_params(rel=rel) if measure.has_param("rel") else measure
    if rel == 1:
        measures["num_ret"] = parse_measure("NumRet")
    else:
        del measures["num_ret"]  # NumRet(rel=2) counts relevant documents
    ours = evaluate(judged, run, measures.values(), conventions="trec_eval")
    for query, values in theirs.items():
        for name, measure in measures.items():
            value = ours.value(query, measure)
            if (0.0 if value is None else value) != values[name]:
                yield query, name, value, values[name]


@settings(max_examples=examples(300))
@given(judged=qrels(lowest=-2, highest=4), run=runs())
def test_values_are_bit_identical(judged, run):
    """Every value has the same 64 bits as pytrec_eval's; undefined is its 0."""
    judged = without_unusable(judged)
    if judged:
        assert list(differences(judged, run, rel=1)) == []


@settings(max_examples=examples(150))
@given(judged=qrels(lowest=-1, highest=4), run=runs())
def test_values_are_bit_identical_with_relevant_from_2(judged, run):
    """With rel=2 they equal pytrec_eval with relevance_level 2."""
    judged = without_unusable(judged)
    if judged:
        assert list(differences(judged, run, rel=2)) == []


def test_long_rankings_are_bit_identical():
    """Sums over a thousand ranks are added in the same order as in C."""
    draw = random.Random(7)
    judged, run = {}, {}
    for number in range(20):
        documents = [f"doc{n}" for n in range(1500)]
        draw.shuffle(documents)
        judged[f"q{number}"] = {d: draw.randint(-1, 4) for d in draw.sample(documents, 700)}
        run[f"q{number}"] = {d: float(n) for n, d in enumerate(documents[:1000])}
    assert list(differences(judged, run, rel=1)) == []
    assert list(differences(judged, run, rel=2)) == []


EXPERIMENTS = ("binG", "G", "ndcg_rel", "Rndcg")


@settings(max_examples=examples(300))
@given(judged=qrels(lowest=-2, highest=4), run=runs())
def test_trec_evals_experiments_are_the_same_to_twelve_digits(judged, run):
    """Rankings longer and shorter than the ideal order, grades of the pool alone."""
    judged = without_unusable(judged)
    theirs = pytrec_eval.RelevanceEvaluator(judged, set(EXPERIMENTS)).evaluate(run)
    ours = evaluate(judged, run, EXPERIMENTS, conventions="trec_eval")
    for query, values in theirs.items():
        for name in EXPERIMENTS:
            expected = 0.0 if math.isnan(values[name]) else values[name]
            found = ours.value(query, name) or 0.0
            assert found == pytest.approx(expected, abs=1e-12), (query, name)


# Grades by rank; what the ranking lacks; as trec_eval 9.0.8 has them (pytrec_eval 0.5.11).
WORKED = (
    ([2, 0, 1, 3], [1], (0.565464876786, 0.512189332276, 0.663060267055, 0.622076699591)),
    ([0, 0, 1, 0, 0, 2, 0], [], (0.443426403617, 0.401460724181, 0.325439014837, 0.153610382105)),
    ([4, 1], [2, 2, 1], (0.400000000000, 0.463092975357, 0.768504305727, 0.797896014912)),
)


@pytest.mark.parametrize(("ranked", "missing", "expected"), WORKED)
def test_worked_values_of_trec_evals_experiments(ranked, missing, expected):
    """Each to twelve digits."""
    judged = {"q": {f"d{at}": grade for at, grade in enumerate([*ranked, *missing])}}
    run = {"q": {f"d{at}": -float(at) for at in range(len(ranked))}}
    result = evaluate(judged, run, EXPERIMENTS)
    found = [result.value("q", name) for name in EXPERIMENTS]
    assert found == pytest.approx(expected, abs=1e-12)
