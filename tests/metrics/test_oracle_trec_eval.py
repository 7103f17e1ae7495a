"""trec_eval 9.0.8's own expected outputs, to the last digit that it prints."""

from functools import cache

import pytest

from judgetool.metrics import MeasureError, evaluate, parse_measures
from judgetool.metrics.conventions import Conventions
from tests.helpers.shared import shared_data
from tests.metrics.trec_files import read_qrels, read_run, read_trec_output

pytestmark = pytest.mark.oracle

# Lines that are no measure: `score --preset trec_eval` prints them all.
OTHERS = {
    *("runid", "relstring", "relstring_20", "utility", "utility_2,-1,0,0"),
    "11pt_avg_.25,.5,.75",
}
COUNTED_ALL = Conventions(missing="judged")
IN_RUN = Conventions(missing="both")


@cache
def load(qrels, run, depth=None):
    judged = read_qrels(shared_data(f"data/trec_eval/{qrels}"))
    ranked = read_run(shared_data(f"data/trec_eval/{run}"))
    if depth is not None:
        ranked = {
            query: dict(sorted(scores.items(), key=lambda d: (d[1], d[0]), reverse=True)[:depth])
            for query, scores in ranked.items()
        }
    return judged, ranked


def shown(value, expected):
    number = 0.0 if value is None else value
    return f"{number:.4f}" if "." in expected else f"{number:.0f}"


def disagreements(path, judged, run, conventions, rel=None):
    expected = [row for row in read_trec_output(path) if row[0] not in OTHERS]
    named = {}
    for name, _, _ in expected:
        (measure,) = parse_measures(name)
        if rel is not None and measure.has_param("rel") and measure.name != "NumRet":
            measure = measure.with_params(rel=rel)
        named[name] = measure
    result = evaluate(judged, run, named.values(), conventions=conventions)
    for name, query, text in expected:
        measure = named[name]
        value = result.mean(measure) if query == "all" else result.value(query, measure)
        if shown(value, text) != text:
            yield name, query, text, value


CASES = {
    "out.test": ("results.test", IN_RUN, None, None),
    "out.test.a": ("results.test", IN_RUN, None, None),
    "out.test.aq": ("results.test", IN_RUN, None, None),
    "out.test.aqc": ("results.trunc", COUNTED_ALL, None, None),
    "out.test.aqcM": ("results.trunc", COUNTED_ALL, None, 100),
    "out.test.meas_params": ("results.test", IN_RUN, None, None),
    "out.test.aql": ("results.test", IN_RUN, 2, None),
}


@pytest.mark.parametrize("name", CASES)
def test_own_outputs_are_reproduced(name):
    """Every figure of trec_eval's test output is printed alike."""
    run, conventions, rel, depth = CASES[name]
    path = shared_data(f"data/trec_eval/expected-9.0.8/{name}")
    qrels = "qrels.rel_level" if rel else "qrels.test"
    judged, ranked = load(qrels, run, depth)
    assert list(disagreements(path, judged, ranked, conventions, rel)) == []


def test_recall_points_follow_trec_eval_10_by_name():
    """With rule='v10' interpolated precision is that of trec_eval 10."""
    judged, ranked = load("qrels.test", "results.test")
    path = shared_data("data/trec_eval/expected-10.0/out.test.aq")
    found = 0
    for name, query, text in read_trec_output(path):
        if not name.startswith("iprec_at_recall") and name != "11pt_avg":
            continue
        (measure,) = parse_measures(name)
        measure = measure.with_params(rule="v10")
        result = evaluate(judged, ranked, measure)
        value = result.mean(measure) if query == "all" else result.value(query, measure)
        assert shown(value, text) == text, (name, query)
        found += 1
    assert found >= 48


def test_names_that_are_left_out_are_known():
    """What the comparison leaves out is exactly what judgetool does not name."""
    for name in OTHERS:
        with pytest.raises(MeasureError):
            parse_measures(name)
