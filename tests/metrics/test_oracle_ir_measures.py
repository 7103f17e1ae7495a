"""ir_measures on random rankings: equal where definitions agree, and where they do not by design."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.scale import scale_preset
from judgetool.metrics import evaluate
from tests.helpers.laws import examples
from tests.metrics.rankings import DOCUMENTS, qrels, runs

pytestmark = pytest.mark.oracle

ir_measures = pytest.importorskip("ir_measures")

SHARED_NAMES = (
    *("P@5", "P(rel=2)@3", "R@5", "AP", "AP(rel=2)@4", "RR", "RR@3", "nDCG", "nDCG@3", "Rprec"),
    *("Bpref", "infAP", "IPrec@0.1", "IPrec@0.5", "Success@2", "SetP", "SetR", "SetF"),
    *("SetF(beta=2.0)", "SetP(relative=True)", "SetAP", "NumRet", "NumRel", "Judged@5"),
    *("P(judged_only=True)@3",),
    *("nDCG(judged_only=True)@5", "AP(judged_only=True)", "nDCG(gains={1:3,2:9})"),
)


@st.composite
def untied_runs(draw):
    """Runs without ties, which ir_measures breaks in three ways, nor scores of 0.

    Compat takes documents that are not in the run for ones with score 0.
    """
    drawn = draw(runs())
    return {
        query: {document: float(place) for place, document in enumerate(ranking, start=1)}
        for query, ranking in drawn.items()
    }


def their_value(name, judged, run):
    """One measure a call: in one call, its numbers depend on the hash seed."""
    measure = ir_measures.parse_measure(name)
    calculated = ir_measures.iter_calc([measure], judged, run)
    return {row.query_id: row.value for row in calculated}


@settings(max_examples=examples(25))
@given(judged=qrels(highest=3), run=untied_runs())
@pytest.mark.parametrize("name", SHARED_NAMES)
def test_shared_measures_agree(name, judged, run):
    """A measure that both define alike has the same value to 1e-9."""
    run = {query: ranking for query, ranking in run.items() if query in judged}
    if not run:
        return
    theirs = their_value(name, judged, run)
    ours = evaluate(judged, run, name)
    for query in run:
        value = ours.value(query, name)
        # What is undefined here is 0 or left out there.
        assert (0.0 if value is None else value) == pytest.approx(theirs.get(query, 0.0), abs=1e-9)


@settings(max_examples=examples(100))
@given(judged=qrels(highest=3), run=untied_runs())
def test_overlap_with_the_ideal_is_compatibility(judged, run):
    """Compat is ir_measures' (Clarke and others 2021)."""
    run = {query: ranking for query, ranking in run.items() if query in judged}
    if not run:
        return
    theirs = their_value("Compat(p=0.9)", judged, run)
    ours = evaluate(judged, run, "Compat(p=0.9)")
    for query in run:
        value = ours.value(query, "Compat(p=0.9)")
        assert (0.0 if value is None else value) == pytest.approx(theirs[query], abs=1e-9)


def test_ties_are_broken_alike_by_all_measures():
    """RR and RR@k see one order; ir_measures reports 1/3 beside 1 for the same run."""
    judged = {"q": {"a": 1}}
    run = {"q": dict.fromkeys(("a", "b", "c"), 1.0)}
    ours = evaluate(judged, run, ["RR", "RR@10"])
    assert ours.mean("RR") == ours.mean("RR@10") == pytest.approx(1 / 3)
    assert their_value("RR@10", judged, run) == {"q": 1.0}


def test_a_pooled_document_is_not_judged():
    """A negative grade is unjudged for Judged@k; ir_measures counts it as judged."""
    judged = {"q": {"a": 1, "b": -1}}
    run = {"q": {"a": 2.0, "b": 1.0}}
    assert evaluate(judged, run, "Judged@2").mean("Judged@2") == 0.5
    assert their_value("Judged@2", judged, run) == {"q": 1.0}


def test_a_missing_query_keeps_its_relevant_documents():
    """NumRel counts a query that the run lacks; ir_measures reports 0 for it."""
    judged = {"q": {"a": 1}, "r": {"a": 1, "b": 2}}
    run = {"q": {"a": 1.0}}
    assert evaluate(judged, run, "NumRel").value("r", "NumRel") == 2


def test_gdeval_grades_are_the_default_without_a_scale():
    """ERR from files alone has gmax 4, so that one relevant document gives 1/16."""
    assert evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "ERR@10").mean("ERR@10") == 1 / 16


def test_gain_of_a_scale_differs_from_the_grade():
    """With a scale the gain is the scale's; ESCI's middle grades are worth 0.1 and 0.01."""
    result = evaluate({"q": {"a": 2}}, {"q": {"a": 1.0}}, "CG@5", scale=scale_preset("esci"))
    assert result.mean("CG@5") == 0.1


def test_all_documents_have_distinct_ids():
    """The strategies draw from ids that differ as UTF-8 bytes."""
    assert len({document.encode() for document in DOCUMENTS}) == len(DOCUMENTS)
