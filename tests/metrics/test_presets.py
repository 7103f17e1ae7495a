"""Presets reproduce what the tools print, and conventions say what they are."""

import pytest

from judgetool.core.scale import parse_scale, scale_preset
from judgetool.errors import UsageError
from judgetool.metrics import CONVENTION_PRESETS, convention_preset, evaluate, parse_measure
from judgetool.metrics.conventions import Conventions, name_conventions

PRESETS = pytest.mark.parametrize("preset", CONVENTION_PRESETS.values(), ids=CONVENTION_PRESETS)


@PRESETS
def test_every_preset_is_described(preset):
    """Its sentences end in full stops and name the preset first."""
    sentences = preset.describe()
    assert preset.name in sentences[0]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert preset.source


@PRESETS
def test_every_preset_has_measures_that_parse(preset):
    """What the tool reports is valid, and rewriting twice changes nothing more."""
    measures = preset.default_measures()
    assert measures
    assert preset.rewrite_all(measures) == measures
    assert preset.scale is None or scale_preset(preset.scale)


def test_an_unknown_preset_names_the_others():
    """The sentence lists what there is."""
    with pytest.raises(UsageError, match="quepid"):
        convention_preset("quepit")


@pytest.mark.parametrize(
    ("names", "wrong"),
    [("unjudged", "ignored"), ("undefined", "nan"), ("missing", "none"), ("scores", "half")],
)
def test_a_convention_that_there_is_not_is_refused(names, wrong):
    """The sentence lists the choices."""
    with pytest.raises(UsageError, match=f"{names} may be one of"):
        Conventions(**{names: wrong})


def test_conventions_are_described_in_sentences():
    """Every choice is named, weights only when they count."""
    plain = Conventions().describe()
    assert len(plain) == 4
    assert len(Conventions(is_weighted=True).describe()) == 5


def test_conventions_of_ones_own_are_told_with_the_scale_of_ones_own():
    """Both are why numbers differ from those of the tool."""
    own = Conventions(undefined="leave out")
    named = name_conventions(own, parse_scale("0-3@2"), is_weighted=False)
    assert named.title == "own conventions"
    assert named.differs.endswith("The scale: levels 0–3; relevant from 2.")


def quepid(judged, ranking, name):
    result = evaluate(
        {"q": judged}, {"q": ranking}, name, scale=scale_preset("0-3"), conventions="quepid"
    )
    return result.means[0].value


def test_quepid_divides_precision_by_what_was_returned():
    """Three returned, one good: P@10 is 1/3."""
    assert quepid({"a": 2}, ["a", "b", "c"], "P@10") == pytest.approx(1 / 3)


def test_quepid_does_not_cut_the_ideal():
    """A perfect top ten with 15 documents of grade 3 has nDCG@10 0.775."""
    documents = [f"d{n}" for n in range(15)]
    value = quepid(dict.fromkeys(documents, 3), documents[:10], "nDCG@10")
    assert f"{value:.3f}" == "0.775"


def test_quepid_divides_average_precision_by_all_relevant():
    """Ten perfect results with 15 known relevant have AP@10 0.667."""
    documents = [f"d{n}" for n in range(15)]
    value = quepid(dict.fromkeys(documents, 1), documents[:10], "AP@10")
    assert f"{value:.3f}" == "0.667"


def test_quepid_takes_the_highest_grade_from_the_scale():
    """One perfect document on 0–3 has ERR@10 0.875."""
    assert quepid({"a": 3}, ["a"], "ERR@10") == 0.875


def test_quepid_takes_its_usual_scale_where_none_is_named():
    """Its graded scorers have 0 to 3; with another scale that one's highest counts."""
    found = evaluate({"q": {"a": 3}}, {"q": ["a"]}, "ERR@10", conventions="quepid")
    assert found.mean_values() == {"ERR(max_rel=3)@10": 0.875}
    found = evaluate(
        *({"q": {"a": 3}}, {"q": ["a"]}, "ERR@10"),
        scale=scale_preset("0-4"),
        conventions="quepid",
    )
    assert found.mean_values() == {"ERR@10": 7 / 16}


def test_quepid_counts_queries_that_nobody_judged():
    """An unjudged query is 0 in the case's score."""
    result = evaluate({"q": {"a": 1}}, {"q": ["a"], "r": ["b"]}, "P@10", conventions="quepid")
    assert result.means[0].value == 0.5


def test_elasticsearch_cuts_the_ideal_at_what_was_returned():
    """One perfect hit has nDCG 1, although more is known."""
    result = evaluate({"q": {"a": 3, "b": 3}}, {"q": ["a"]}, "nDCG@10", conventions="elasticsearch")
    assert result.means[0].value == 1.0


def test_gdeval_has_exponential_gain_and_gmax_4():
    """nDCG and ERR of the preset are gdeval's even on a scale up to 3."""
    preset = convention_preset("gdeval")
    names = [str(measure) for measure in preset.default_measures()]
    assert names == ["nDCG(dcg='exp-log2')@20", "ERR(max_rel=4)@20"]


def test_trec_dl_counts_from_grade_2():
    """Binary measures get rel=2, a measure's own rel= wins, nDCG is left alone."""
    preset = convention_preset("trec-dl")
    rewritten = preset.rewrite_all([parse_measure(n) for n in ("AP", "P(rel=3)@5", "nDCG@10")])
    assert [str(measure) for measure in rewritten] == ["AP(rel=2)", "P(rel=3)@5", "nDCG@10"]


def test_yandex_adds_up_probabilities():
    """The preset's scale gives vital 0.61."""
    preset = convention_preset("yandex")
    result = evaluate(
        {"q": {"a": 4}},
        {"q": ["a"]},
        "pFound@10",
        scale=scale_preset(preset.scale),
        conventions="yandex",
    )
    assert result.means[0].value == 0.61


def test_trec_eval_leaves_missing_queries_out():
    """Without -c a judged query that the run lacks is no part of the mean."""
    judged = {"q": {"a": 1}, "r": {"a": 1}}
    assert evaluate(judged, {"q": {"a": 1}}, "map", conventions="trec_eval").mean("AP") == 1.0
    assert evaluate(judged, {"q": {"a": 1}}, "map").mean("AP") == 0.5


def test_single_precision_ties_scores():
    """25.455960 and 25.4559595 are one 32-bit score; the document id decides."""
    judged = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 25.455960, "b": 25.4559595}}
    assert evaluate(judged, run, "RR").mean("RR") == 1.0
    single = evaluate(judged, run, "RR", conventions=Conventions(scores="single"))
    assert single.mean("RR") == 0.5
