"""Every measure against the same definition written slowly and plainly."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.scale import scale_preset
from judgetool.metrics import MEASURES, evaluate, parse_measure
from judgetool.metrics.conventions import Conventions
from tests.helpers.laws import examples
from tests.metrics import textbook

NAMES = (
    *("P@3", "P(over='retrieved')@3", "P(rel=2)@5", "P(judged_only=True)@2", "R@3", "R_cap@3"),
    *("F1@3", "F(beta=2)@3", "F(beta=0.5)@2", "Success@2", "Rprec", "Rprec(mult=0.4)"),
    *("SetP", "SetP(relative=True)", "SetR", "SetF", "SetF(beta=2)", "SetAP", "RR", "RR@2"),
    *("AP", "AP@3", "AP(norm='k')@3", "AP(norm='found')@3", "AP(norm='min')@3", "AP(rel=2)"),
    *("AP(judged_only=True)", "IPrec@0.4", "IPrec(rule='v10')@0.4", "11pt", "Bpref", "infAP"),
    *("CG@3", "DCG@3", "DCG", "DCG(dcg='exp-log2')@4", "nDCG", "nDCG@3"),
    *("nDCG(dcg='exp-log2')@3", "nDCG(ideal='uncut')@3", "nDCG(ideal='length')@4"),
    *("nDCG(ideal='length')", "nDCG(ideal='retrieved')@3", "nDCG(judged_only=True)@3"),
    *("nDCG(gains={1: 5, 2: 1})@3", "ERR", "ERR@3", "ERR(max_rel=5)@3", "ERR(p='grade')@4"),
    *("pFound", "pFound@3", "pFound(p_break=0)@4", "pFound(p_break=1)", "RBP", "RBP(p=0.5)@3"),
    *("RBP(rel='gain')", "NumRel", "NumRelRet", "NumNonrelRet"),
)
SCALES = {"none": None, "0-3": scale_preset("0-3"), "esci": scale_preset("esci")}


grades = st.one_of(st.none(), st.integers(0, 3))
queries = st.lists(
    st.tuples(st.lists(grades, max_size=8), st.lists(st.integers(0, 3), max_size=4)),
    min_size=1,
    max_size=4,
)


def as_files(rows):
    """Judgments and runs of several queries whose grades by rank are given."""
    judged, run = {}, {}
    for number, (ranked, missing) in enumerate(rows):
        query = f"q{number}"
        run[query] = [f"d{rank}" for rank in range(len(ranked))]
        judged[query] = {f"d{rank}": g for rank, g in enumerate(ranked) if g is not None}
        judged[query] |= {f"missing{n}": g for n, g in enumerate(missing)}
    return judged, run


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@settings(max_examples=examples(120))
@given(rows=queries)
def test_values_are_those_of_the_textbook(scale, rows):
    """All measures of all queries at once equal the plain definitions."""
    judged, run = as_files(rows)
    measures = [parse_measure(name) for name in NAMES]
    result = evaluate(judged, run, measures, scale=scale)
    for number, (ranked, missing) in enumerate(rows):
        for measure in measures:
            value = result.value(f"q{number}", measure)
            expected = textbook.value(measure, ranked, missing, scale)
            if not any(g is not None for g in (*ranked, *missing)):
                assert value is None, measure
            else:
                assert (value or 0.0) == pytest.approx(expected, abs=1e-12), measure


@settings(max_examples=examples(80))
@given(rows=queries)
def test_leaving_unjudged_out_is_judged_only(rows):
    """The policy 'left out' gives what judged_only gives, for every measure that has it."""
    judged, run = as_files(rows)
    measures = [parse_measure(n) for n in NAMES if "judged_only" not in n]
    measures = [m for m in measures if m.has_param("judged_only")]
    policy = evaluate(judged, run, measures, conventions=Conventions(unjudged="left out"))
    condensed = evaluate(judged, run, [m.with_params(judged_only=True) for m in measures])
    assert policy.values.tolist() == condensed.values.tolist()


@settings(max_examples=examples(100))
@given(rows=queries)
def test_values_stay_between_lowest_and_highest(rows):
    """No value leaves the range that the table states."""
    judged, run = as_files(rows)
    measures = [parse_measure(spec.example) for spec in MEASURES.values()]
    result = evaluate(judged, run, measures)
    for row in result.per_query().values():
        for measure, value in zip(measures, row.values(), strict=True):
            if value is not None:
                low, high = measure.spec.lowest, measure.spec.highest
                assert low is None or value >= low - 1e-12, measure
                assert high is None or value <= high + 1e-12, measure


@settings(max_examples=examples(60))
@given(rows=queries, salt=st.text(max_size=3))
def test_values_do_not_depend_on_ids(rows, salt):
    """Renaming queries and documents changes no value."""
    judged, run = as_files(rows)
    measures = [parse_measure(spec.example) for spec in MEASURES.values()]

    def renamed(text):
        return f"{salt}\u0416{text[::-1]}"

    other = evaluate(
        {renamed(q): {renamed(d): g for d, g in ds.items()} for q, ds in judged.items()},
        {renamed(q): [renamed(d) for d in ds] for q, ds in run.items()},
        measures,
    )
    mine = evaluate(judged, run, measures).per_query()
    assert {renamed(q): row for q, row in mine.items()} == other.per_query()


@settings(max_examples=examples(100))
@given(
    ranked=st.lists(st.integers(0, 3), min_size=2, max_size=8),
    place=st.integers(0, 6),
)
def test_swapping_a_better_document_up_never_lowers_a_value(ranked, place):
    """Of two neighbours the better one first is at least as good, for every top-heavy measure."""
    place = min(place, len(ranked) - 2)
    better = list(ranked)
    if better[place] < better[place + 1]:
        better[place : place + 2] = better[place + 1], better[place]
    names = ["P@3", "R@3", "RR", "AP", "DCG@5", "nDCG", "nDCG@3", "ERR", "pFound", "RBP", "tau"]
    judged, run = as_files([(ranked, [])])
    before = evaluate(judged, run, names).per_query()["q0"]
    judged, run = as_files([(better, [])])
    after = evaluate(judged, run, names).per_query()["q0"]
    for name in names:
        assert (after[name] or 0) >= (before[name] or 0) - 1e-12, name
