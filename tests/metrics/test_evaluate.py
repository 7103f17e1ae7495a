"""evaluate(): dictionaries, frames and arrays in, values and means out."""

import numpy as np
import pytest

from judgetool.metrics import (
    Conventions,
    Engine,
    InputError,
    JudgedTriples,
    QueryGrades,
    RunBlock,
    UsageError,
    adds_by_place,
    compute_bounds,
    compute_difference_bounds,
    compute_stakes,
    evaluate,
    evaluate_arrays,
    explain_value,
    parse_measure,
    place_values,
    scale_preset,
    trec_name,
)

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q3": {"z": 1.0}}


def test_values_and_means_of_dictionaries():
    """Values by query, and the mean over judged queries."""
    result = evaluate(QRELS, RUN, ["P@2", "AP"])
    assert result.value("q1", "P@2") == 0.5
    assert result.mean("AP") == pytest.approx((1 / 2 + 2 / 3) / 2 / 2)


def test_queries_come_by_id():
    """Queries are sorted as text: q10 before q2."""
    qrels = {"q2": {"a": 1}, "q10": {"a": 1}}
    assert evaluate(qrels, {}, "AP").queries == ("q10", "q2")


def test_undefined_values_are_none_with_a_reason():
    """A query without a relevant document has no AP."""
    result = evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "AP")
    assert result.per_query() == {"q": {"AP": None}}
    assert result.query_values("q")[0].reason == "its one judged document is not relevant"


def test_counts_of_queries_are_stated():
    """Judged, missing and unjudged queries are counted and said."""
    result = evaluate(QRELS, RUN, "AP")
    assert (result.n_judged, result.n_missing, result.n_unjudged) == (2, 1, 1)
    assert "1 query is judged but absent from the run." in result.describe()
    assert "1 query is in the run but not judged." in result.describe()
    said = evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP").describe()
    assert said[-1] == "1 query is judged."


def test_ties_go_by_document_id_falling():
    """With equal scores d9 stands before d10 and d10 before d1."""
    qrels = {"q": {"d1": 1}}
    run = {"q": {"d1": 1.0, "d10": 1.0, "d9": 1.0}}
    assert evaluate(qrels, run, "RR").mean("RR") == pytest.approx(1 / 3)


def test_negative_zero_ties_with_zero():
    """-0.0 and 0.0 are the same score."""
    run = {"q": {"a": 0.0, "b": -0.0}}
    assert evaluate({"q": {"b": 1}}, run, "RR").mean("RR") == 1.0


def test_infinite_scores_come_first():
    """A score of inf is the highest; -inf the lowest."""
    run = {"q": {"a": 5.0, "b": float("inf"), "c": float("-inf")}}
    assert evaluate({"q": {"b": 1}}, run, "RR").mean("RR") == 1.0


def test_a_run_may_give_its_own_order():
    """Lists of documents are taken as ranked."""
    assert evaluate(QRELS, {"q1": ["c", "a"]}, "RR").value("q1", "RR") == 1.0


def test_ids_are_never_numbers():
    """01 and 1 differ, as do NA and nan; nothing is stripped."""
    qrels = {"01": {"NA": 1, " x": 1}}
    run = {"01": {"nan": 3.0, "NA": 2.0, "x": 1.0}, "1": {"NA": 1.0}}
    result = evaluate(qrels, run, "NumRelRet")
    assert result.value("01", "NumRelRet") == 1
    assert result.value("1", "NumRelRet") is None


def test_families_and_doubles_become_columns_once():
    """P.5,10 and P@5 give two columns."""
    result = evaluate(QRELS, RUN, ["P.5,10", "P@5"])
    assert [str(measure) for measure in result.measures] == ["P@5", "P@10"]


def test_weights_count_when_conventions_say_so():
    """A query that is not named weighs 1."""
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    run = {"q": ["a"], "r": ["b", "a"]}
    weighted = evaluate(
        qrels, run, "RR", weights={"q": 3}, conventions=Conventions(is_weighted=True)
    )
    assert weighted.mean("RR") == 0.875
    assert evaluate(qrels, run, "RR", weights={"q": 3}).mean("RR") == 0.75


def test_a_grade_above_gmax_is_refused_with_a_remedy():
    """ERR from files alone reads grades up to 4; the sentence says what to do."""
    with pytest.raises(InputError, match=r"grade 5; ERR@10 reads grades up to 4.*max_rel=5"):
        evaluate({"q": {"a": 5}}, {"q": {"a": 1.0}}, "ERR@10")
    assert evaluate({"q": {"a": 5}}, {"q": {"a": 1.0}}, "ERR(max_rel=5)@10").means[0].value
    with pytest.raises(InputError, match=r"computed: no scale goes beyond 1000\.$"):
        evaluate({"q": {"a": 2000}}, {"q": {"a": 1.0}}, "ERR@10")


def test_a_grade_above_the_scale_is_refused_for_gains():
    """A scale says no gain of a grade that it does not have; P does not need one."""
    with pytest.raises(InputError, match="reads grades up to 3"):
        evaluate({"q": {"a": 4}}, {"q": {"a": 1.0}}, "nDCG@5", scale=scale_preset("0-3"))
    result = evaluate({"q": {"a": 4}}, {"q": {"a": 1.0}}, "P@1", scale=scale_preset("0-3"))
    assert result.mean("P@1") == 1.0


@pytest.mark.parametrize(
    ("qrels", "run", "said"),
    [
        (
            {"q": {"a": float("nan")}},
            {"q": {"a": 1.0}},
            "'q', document 'a': the grade is not a finite",
        ),
        ({"q": {"a": None}}, {"q": {"a": 1.0}}, "'q', document 'a': the grade is .* but None"),
        ({"q": {"a": "x"}}, {"q": {"a": 1.0}}, "'q', document 'a': the grade is .* but 'x'"),
        ({"q": {"a": {"1": None}}}, {"q": ["a"]}, "'q', document 'a': the grade is .* but None"),
        ({"q": {"a": 1e308}}, {"q": {"a": 1.0}}, "sums of such are no numbers"),
        (
            {"q": {"a": 1}},
            {"q": {"a": float("nan")}},
            "'q', document 'a': the score is not a number",
        ),
        ({"q": {"a": 1}}, {"q": {"a": "x"}}, "'q', document 'a': the score is .* but 'x'"),
        ({"q": {"a": 1}}, {"q": ["a", "a"]}, "stands twice"),
    ],
)
def test_numbers_that_are_none_are_refused(qrels, run, said):
    """Neither grades nor scores may be NaN or no number at all, nor a document ranked twice."""
    with pytest.raises(InputError, match=said):
        evaluate(qrels, run, "AP")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (
            {"q1": [("a", 2.0), ("b", 1.0)]},
            r"'q1': a document is called \('a', 2.0\), which is no text",
        ),
        ({"q1": {11: 2.0}}, "'q1': a document is called 11, which is no text"),
        ({1: ["a"]}, "A query is called 1, which is no text"),
        ({"q1": {"a", "b"}}, "'q1': the ranking is a set. Expected a list"),
        ({"q1": "abc"}, "'q1': the ranking is a str. Expected a list"),
        ({"q1": iter(["a"])}, "'q1': the ranking is a list_iterator. Expected a list"),
        ("bm25.run", r"given as run is a str.*read_file\(path, kind=Kind.RUN\).runs\[0\].by_query"),
        (None, "given as run is a NoneType"),
    ],
)
def test_a_run_in_another_form_is_refused(run, said):
    """Nothing is scored that was not meant as documents."""
    with pytest.raises(InputError, match=said):
        evaluate(QRELS, run, "AP")


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({"q1": ["a"]}, "'q1': the judgments are a list. Expected a dictionary of grades"),
        ({"q1": {11: 1}}, "'q1': a document is called 11"),
        ([("q1", "a", 1)], r"given as judgments is a list.*\.judgments\.by_query"),
    ],
)
def test_judgments_in_another_form_are_refused(qrels, said):
    """As a run is."""
    with pytest.raises(InputError, match=said):
        evaluate(qrels, RUN, "AP")


def test_a_series_of_scores_goes_by_its_ids():
    """Its index are the documents; its numbers were taken for them."""
    pd = pytest.importorskip("pandas")
    run = {query: pd.Series(scores) for query, scores in RUN.items()}
    assert evaluate(QRELS, run, "AP").per_query() == evaluate(QRELS, RUN, "AP").per_query()
    with pytest.raises(InputError, match="stands twice for query 'q1'"):
        evaluate(QRELS, {"q1": pd.Series([1.0, 2.0], index=["a", "a"])}, "AP")


@pytest.mark.parametrize("document", [None, 11])
def test_a_frame_with_an_id_that_is_no_text_is_refused(document):
    """pandas makes numbers of ids, and none of empty cells."""
    pd = pytest.importorskip("pandas")
    run = pd.DataFrame({"query_id": ["q1"], "doc_id": [document], "score": [1.0]}, dtype=object)
    with pytest.raises(
        InputError, match=r"'q1': a document is called .*which is no text.*dtype=str"
    ):
        evaluate(QRELS, run, "AP")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"weights": {"q1": float("nan")}}, "'q1': the weight is not a number above 0 but nan"),
        ({"weights": {"q1": -1}}, "'q1': the weight is not a number above 0 but -1"),
        ({"lengths": {"a": 3}}, "Document 'b' of the run has no length"),
        ({"samples": [("q1", "a", "foo", 1.0)]}, "'a': of a sample .* can be told, not 'foo'"),
    ],
)
def test_what_is_told_beside_judgments_is_checked(more, said):
    """Of a weight, a length or a sample that does not fit nothing is computed."""
    with pytest.raises(InputError, match=said):
        evaluate(QRELS, RUN, "U", **more)


def test_a_value_is_looked_up_by_the_name_asked_for():
    """Also where the preset made another measure of it."""
    result = evaluate(QRELS, RUN, ["P@5", "ERR@5"], conventions="quepid")
    assert result.mean("P@5") == result.mean("P(over='retrieved')@5")
    assert result.mean("ERR@5") == result.mean("ERR(max_rel=3)@5")


def test_a_measure_of_ir_measures_is_taken_by_its_name():
    """One alone or among several."""
    ir_measures = pytest.importorskip("ir_measures")
    names = [str(each) for each in evaluate(QRELS, RUN, [ir_measures.P(rel=2) @ 5, "AP"]).measures]
    assert names == ["P(rel=2)@5", "AP"]
    assert evaluate(QRELS, RUN, ir_measures.nDCG @ 10).mean("nDCG@10")


def test_nothing_gives_nothing():
    """Without queries there are no values, and means are None."""
    result = evaluate({}, {}, ["AP", "NumRel"])
    assert result.queries == ()
    assert result.mean_values() == {"AP": None, "NumRel": None}


def test_an_empty_run_is_zero():
    """A run without documents counts 0 for every judged query."""
    result = evaluate(QRELS, {}, ["P@5", "NumRel"])
    assert result.mean_values() == {"P@5": 0.0, "NumRel": 2.0}


def test_asking_for_what_was_not_computed_is_an_error_of_the_caller():
    """The text names what was computed."""
    with pytest.raises(KeyError, match="AP were"):
        evaluate(QRELS, RUN, "AP").mean("RR")


def test_frames_are_read_and_written():
    """pandas frames with query_id, doc_id, relevance or score; to_frame gives one back."""
    pd = pytest.importorskip("pandas")

    def rows(nested):
        return [(q, d, n) for q, docs in nested.items() for d, n in docs.items()]

    qrels = pd.DataFrame(rows(QRELS), columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame(rows(RUN), columns=["query_id", "doc_id", "score"])
    result = evaluate(qrels, run, ["P@2", "AP"])
    assert result.per_query() == evaluate(QRELS, RUN, ["P@2", "AP"]).per_query()
    frame = result.to_frame()
    assert frame.loc["q1", "P@2"] == 0.5
    assert frame["AP"].isna().tolist() == [False, True, True]


def test_a_frame_without_the_columns_is_refused():
    """The sentence names the column that is lacking."""
    pd = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="lacks the column 'relevance'"):
        evaluate(pd.DataFrame({"query_id": ["q"], "doc_id": ["a"]}), {}, "AP")
    twice = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "relevance": [1, 0]})
    with pytest.raises(InputError, match="'a' stands twice for query 'q'"):
        evaluate(twice, {}, "AP")


def test_arrays_give_the_same_values():
    """Dense integers and packed rankings evaluate as the dictionaries do."""
    judgments = JudgedTriples(
        np.array([0, 0, 0, 1], np.int32), np.array([0, 1, 2, 0], np.int32), np.array([1.0, 0, 2, 0])
    )
    run = RunBlock(np.array([0, 3, 3, 4]), np.array([1, 0, 2, 9], np.int32))
    names = ["P@2", "AP", "nDCG@10", "NumRet"]
    result = evaluate_arrays(judgments, run, names, names=(["q1", "q2", "q3"], None))
    assert result.per_query() == evaluate(QRELS, RUN, names).per_query()
    assert result.means == evaluate(QRELS, RUN, names).means


@pytest.mark.parametrize("offsets", [[0, 3, 1, 3], [1, 1, 1, 3]])
def test_offsets_that_do_not_rise_from_0_are_refused(offsets):
    """They would count documents twice, or leave some out."""
    judgments = JudgedTriples(np.array([0], np.int32), np.array([0], np.int32), np.array([1.0]))
    run = RunBlock(np.array(offsets), np.array([0, 1, 2], np.int32))
    with pytest.raises(ValueError, match="offsets must rise from 0"):
        evaluate_arrays(judgments, run, "NumRet")


_GRADES = QueryGrades(np.array([3.0, 1.0, np.nan]))
_NDCG = parse_measure("nDCG@3")


@pytest.mark.parametrize(
    "value",
    [
        lambda scale: compute_bounds(_NDCG, _GRADES, scale),
        lambda scale: compute_stakes(_NDCG, _GRADES, scale).values.tolist(),
        lambda scale: explain_value(_NDCG, _GRADES, scale),
        lambda scale: place_values(parse_measure("DCG"), _GRADES.ranked, scale).tolist(),
        lambda scale: compute_difference_bounds(_NDCG, [1, 2], [2, 1], known={1: 3}, scale=scale),
        lambda scale: Engine(1, scale=scale, measures=[_NDCG]).scale,
    ],
)
def test_a_scale_may_be_given_by_its_name(value):
    """Wherever a scale is asked for, as on the command line; another gives something else."""
    assert value("esci") == value(scale_preset("esci")) != value("0-3")
    with pytest.raises(UsageError, match=r"There is no scale ‘esky’.*‘relevant from 2’\.$"):
        value("esky")


@pytest.mark.parametrize(
    "value",
    [
        lambda measure: compute_bounds(measure, _GRADES, "0-3"),
        lambda measure: compute_stakes(measure, _GRADES, "0-3").values.tolist(),
        lambda measure: explain_value(measure, _GRADES, "0-3"),
        lambda measure: compute_difference_bounds(
            measure, [1, 2], [2, 1], known={1: 3}, scale=None
        ),
        adds_by_place,
        trec_name,
    ],
)
def test_a_measure_may_be_given_by_its_name(value):
    """Wherever a measure is asked for, as evaluate takes it."""
    assert value("nDCG@3") == value(_NDCG)
    with pytest.raises(UsageError, match="no measure ‘nDGG’"):
        value("nDGG")
