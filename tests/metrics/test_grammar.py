"""Names of measures: parse and print, aliases, and what is said of wrong ones."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgetool.errors import UsageError
from judgetool.metrics import (
    MEASURES,
    Measure,
    MeasureError,
    parse_measure,
    parse_measures,
    trec_name,
)
from judgetool.metrics.measure import FAMILIES, PLAIN, SETS


def values_of(param):
    words = [st.sampled_from(param.words)] if param.words else []
    if param.kind == "flag":
        return st.booleans()
    if param.kind == "gains":
        number = st.integers(0, 9) | st.floats(0, 9, allow_subnormal=False)
        gains = st.dictionaries(st.integers(0, 5), number, min_size=1, max_size=3)
        return gains.map(lambda mapping: tuple(mapping.items()))
    if param.kind == "number":
        low = 0 if param.lowest is None else param.lowest
        high = 50 if param.highest is None else param.highest
        words.append(
            st.floats(low, high, exclude_min=param.is_open, exclude_max=param.is_open, width=32)
        )
    return st.one_of(*words)


@st.composite
def measures(draw):
    spec = MEASURES[draw(st.sampled_from(sorted(MEASURES)))]
    params = {p.name: draw(values_of(p)) for p in spec.params if draw(st.booleans())}
    cutoff = None
    if spec.at != "cutoff":
        params[spec.at] = draw(values_of(spec.find_param(spec.at)))
    elif spec.needs_cutoff == "required" or (
        spec.needs_cutoff == "optional" and draw(st.booleans())
    ):
        cutoff = draw(st.integers(1, 10_000))
    return Measure(spec.name, tuple(params.items()), cutoff)


@given(measure=measures())
def test_parsing_undoes_printing(measure):
    """What is printed parses back to an equal measure, which prints the same."""
    parsed = parse_measure(str(measure))
    assert parsed == measure
    assert hash(parsed) == hash(measure)
    assert str(parsed) == str(measure)


@given(measure=measures())
def test_defaults_are_left_out(measure):
    """A parameter that is given at its default does not appear, nor make a difference."""
    written = {p.name: p.default for p in measure.spec.params if p.default is not None}
    assert measure.with_params(**{**written, **dict(measure.params)}) == measure
    assert all(value != measure.spec.find_param(key).default for key, value in measure.params)


@given(measure=measures())
@example(measure=Measure("SetF", (("beta", 1.9999961853027344),)))
def test_trec_names_parse_back(measure):
    """A trec_eval name is given only for the measure that it stands for."""
    name = trec_name(measure)
    if name is not None and "." not in name and "=" not in name:
        assert parse_measure(name) == measure


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG( dcg = 'exp-log2' ) @ 10", "nDCG(dcg='exp-log2')@10"),
        ('nDCG(dcg="exp-log2")@10', "nDCG(dcg='exp-log2')@10"),
        ("nDCG(dcg=exp-log2)@10", "nDCG(dcg='exp-log2')@10"),
        ("AP(rel=2, judged_only=True)", "AP(judged_only=True, rel=2)"),
        ("AP(judged_only=False)", "AP"),
        ("ERR(max_rel=None)@10", "ERR@10"),
        ("P(rel=2.0)@5", "P(rel=2)@5"),
        ("IPrec@0.10", "IPrec@0.1"),
        ("nDCG(gains={2: 9, 1: 3})", "nDCG(gains={1: 3, 2: 9})"),
        ("RBP(rel='gain')", "RBP(rel='gain')"),
        ("P()@5", "P@5"),
        ("MAP@100", "AP@100"),
        ("MRR", "RR"),
        ("NDCG@20", "nDCG@20"),
        ("mrr@10", "RR@10"),
        ("SetRelP", "SetP(relative=True)"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("recip_rank", "RR"),
        ("P_10", "P@10"),
        ("recall_100", "R@100"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("success_5", "Success@5"),
        ("set_F", "SetF"),
        ("set_F.0.5", "SetF(beta=0.5)"),
        ("relative_P_5", "R_cap@5"),
        ("gm_map", "GMAP"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("11pt_avg", "11pt"),
        ("num_rel_ret", "NumRelRet"),
    ],
)
def test_spellings_have_one_canonical_form(text, canonical):
    """Blanks, quotes, order, synonyms and trec_eval's names lead to one spelling."""
    assert str(parse_measure(text)) == canonical


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("P.5,10", ["P@5", "P@10"]),
        ("ndcg_cut.5,10", ["nDCG@5", "nDCG@10"]),
        ("iprec_at_recall..10,.20", ["IPrec@0.1", "IPrec@0.2"]),
        ("ndcg.1=3,2=9,4=4.5", ["nDCG(gains={1: 3, 2: 9, 4: 4.5})"]),
        ("success", ["Success@1", "Success@5", "Success@10"]),
        ("AP", ["AP"]),
    ],
)
def test_families_of_trec_eval_become_several_measures(text, names):
    """What trec_eval takes after -m stands for all measures of the family."""
    assert [str(measure) for measure in parse_measures(text)] == names


def test_official_is_the_list_that_trec_eval_prints_by_default():
    """-m official names 29 measures besides the run's tag."""
    assert len(parse_measures("official")) == 29


@pytest.mark.parametrize("name", [*PLAIN, *FAMILIES, *SETS])
def test_every_trec_eval_name_is_understood(name):
    """All names of the tables parse, and print as trec_eval's again."""
    assert all(trec_name(measure) is not None for measure in parse_measures(name))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nDGC@10", "Did you mean nDCG@10?"),
        ("Precison@5", "Did you mean P@10?"),
        ("nDCG(dcg='exp')@10", "Did you mean nDCG(dcg='exp-log2')@10?"),
        ("AP(reel=2)", "Did you mean AP(rel=2)?"),
        ("AP(reel=2)", "It has judged_only, norm, rel."),
        ("P", "names 9 measures"),
        ("R_cap", "R_cap needs a cutoff"),
        ("IPrec", "IPrec needs a recall"),
        ("Bpref@10", "Bpref takes no cutoff"),
        ("P@0", "whole number from 1"),
        ("P@-1", "whole number from 1"),
        ("P@5.0", "whole number from 1"),
        ("P@5,", "whole number from 1"),
        ("P_0", "whole number from 1"),
        ("P.", "does not read as a measure"),
        ("Judged(foo=1)@10", "Judged has no parameter ‘foo’. It has none."),
        ("IPrec(recall=0.5, rell=1)", "Did you mean IPrec(rel=2)@0.1?"),
        ("AP@ten", "whole number from 1"),
        ("RBP(p=1)", "a number between 0 and 1, not 1"),
        ("RBP(p='x')", "a number between 0 and 1, not 'x'"),
        ("IPrec@1.5", "from 0 to 1"),
        ("AP(judged_only=1)", "True or False"),
        ("AP(rel=nan)", "a number from 0"),
        ("AP(rel=1e999)", "a number from 0"),
        ("AP(rel=2,rel=3)", "gives rel twice"),
        ("AP(2)", "does not read as parameter=value"),
        ("AP(rel=2", "does not read as a measure"),
        ("nDCG(gains={1})", "gains by grade"),
        ("nDCG(gains={1: 2, 1: 3})", "gains by grade"),
        ("nDCG(gains={1: much})", "‘much’ is not a number"),
        ("ndcg.5", "does not read as a measure"),
        ("utility.1,2", "takes four numbers"),
        ("utility.1,-1,0,x", "‘x’ is not a number"),
        ("CG(gains={1: 1e308, 2: 1e308})", "gains must be finite and at most 1e"),
        ("nDCG(gains={1: 1, 2: 1e309})", "gains must be finite and at most 1e"),
        ("G.1=1e309", "gains must be finite and at most 1e"),
        ("", "does not read as a measure"),
        ("P@5@6", "does not read as a measure"),
        ("__import__('os')", "There is no measure"),
    ],
)
def test_wrong_names_say_what_is_right(text, said):
    """The sentence names what is allowed or the nearest valid spelling."""
    with pytest.raises(MeasureError) as caught:
        parse_measure(text)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["foo", "bar@10", "kendall", "xyz"])
def test_nothing_is_offered_where_nothing_is_near(text):
    """One letter in common is no slip."""
    with pytest.raises(MeasureError, match=r"‘judgetool measures’ lists all\.$"):
        parse_measure(text)


@pytest.mark.parametrize(
    ("name", "cutoff", "said"),
    [("nDGC", 10, "Did you mean nDCG@10?"), ("P", 0, "must be a whole number from 1, not ‘0’")],
)
def test_a_measure_made_by_hand_is_one_of_the_table(name, cutoff, said):
    """What is no measure is refused with the sentence for its name."""
    with pytest.raises(MeasureError) as caught:
        Measure(name, cutoff=cutoff)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        *("nDGC@10", "nDCG(dcg='x')@5", "AP(reel=2)", "RBP(p=7)", "P(rel='a')@3", "R_cap"),
        *("F(bta=2)@10", "nDCG(gain=1)", "P@0", "IPrec@3", "P(judged_onli=True)@5"),
    ],
)
def test_suggestions_are_valid_spellings(text):
    """What is suggested parses."""
    with pytest.raises(MeasureError) as caught:
        parse_measure(text)
    assert parse_measure(caught.value.suggestion)


@given(text=st.text(max_size=30))
def test_any_text_is_a_measure_or_a_usage_error(text):
    """No text brings the parser down in another way."""
    try:
        found = parse_measures(text)
    except UsageError:
        return
    assert all(parse_measure(str(measure)) == measure for measure in found)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("hit_rate@5", "Success@5"),
        ("r-precision", "Rprec"),
        ("dcg_burges@10", "DCG(dcg='exp-log2')@10"),
        ("ndcg_burges", "nDCG(dcg='exp-log2')"),
        ("rbp.95", "RBP(p=0.95)"),
        ("hits@5", "NumRelRet@5"),
        ("hits", "NumRelRet"),
        ("hit_rate", "Success"),
        ("precision", "SetP"),
        ("f1", "SetF"),
        ("precision@5", "P@5"),
        ("f1@5", "F1@5"),
    ],
)
def test_ranx_names_are_understood(theirs, ours):
    """What is pasted from ranx parses."""
    assert str(parse_measure(theirs)) == ours


def test_recall_alone_is_trec_evals():
    """It has trec_eval's cutoffs, though ranx means the whole list."""
    assert [str(each) for each in parse_measures("recall")][:2] == ["R@5", "R@10"]


def test_a_measure_has_no_trec_name_when_a_parameter_differs():
    """P(rel=2)@10 is not P_10."""
    assert trec_name(parse_measure("P(rel=2)@10")) is None
