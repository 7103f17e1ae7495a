"""Measures of diversity, against ndeval 4.5 (pyndeval 0.0.8, by way of ir_measures 0.4.3)."""

import random

import pytest

from judgetool.cli.score_table import WRITERS
from judgetool.metrics import Conventions, evaluate
from tests.helpers.program import call, must

JUDGED = {
    "two": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"2": 2}, "d": {"3": 1, "1": 0}, "e": {"3": 0}},
    "one": {"a": {"1": 0}, "b": {"1": 1, "4": 1}, "c": {"2": 1}},
}  # fmt: skip
RUN = {"two": ["b", "x", "a", "c", "e"], "one": ["a", "c", "b"]}
# As ndeval gives them for the two queries.
VALUES = {
    "alpha_DCG@5": (0.431427303413, 0.358018582930),
    "alpha_nDCG@5": (0.634744233490, 0.619906233284),
    "alpha_nDCG(alpha=0.2)@3": (0.626870351502, 0.619906233284),
    "ERR_IA@5": (0.393343419062, 0.282400403429),
    "nERR_IA@5": (0.582089552239, 0.466666666667),
    "NRBP": (0.359375000000, 0.250000000000),
    "NRBP(alpha=0.2, beta=0.8)": (0.307392000000, 0.249600000000),
    "nNRBP": (0.534883720930, 0.400000000000),
    "P_IA@2": (0.166666666667, 0.166666666667),
    "AP_IA": (0.416666666667, 0.388888888889),
    "StRecall@3": (0.666666666667, 1.000000000000),
    "AP_IA(rel=2)": (0.250000000000, 0.000000000000),
}
NAMES = (
    *("alpha_DCG@2", "alpha_DCG@5", "alpha_DCG(alpha=0.3)@20", "alpha_nDCG@1", "alpha_nDCG@5"),
    *("alpha_nDCG(alpha=0.8)@10", "ERR_IA@5", "ERR_IA@20", "nERR_IA@1", "nERR_IA@10", "NRBP"),
    *("NRBP(alpha=0.2, beta=0.8)", "nNRBP", "nNRBP(beta=0.9)", "P_IA@1", "P_IA@7", "AP_IA"),
    *("StRecall@3", "StRecall@20", "alpha_nDCG(rel=2)@5", "AP_IA(rel=2)"),
)


@pytest.fixture
def files(tmp_path):
    """The same as files of TREC's form."""
    qrels, run = tmp_path / "subtopics.qrels", tmp_path / "r.run"
    lines = [
        f"{query} {subtopic} {document} {grade}\n"
        for query, documents in JUDGED.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    qrels.write_text("".join(lines))
    run.write_text(
        "".join(
            f"{query} Q0 {document} {place} {-place} r\n"
            for query, ranking in RUN.items()
            for place, document in enumerate(ranking, 1)
        )
    )
    return qrels, run


@pytest.mark.parametrize("name", VALUES)
def test_worked_values(name):
    """Nested judgments and a table of them alike."""
    rows = [
        (query, document, int(subtopic), grade)
        for query, documents in JUDGED.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    import pandas as pd

    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "subtopic", "relevance"])
    for judged in (JUDGED, frame):
        result = evaluate(judged, RUN, name)
        found = [result.value(query, name) or 0.0 for query in RUN]
        assert found == pytest.approx(VALUES[name], abs=1e-12)


def test_qrels_with_subtopics_are_scored_and_explained(files):
    """Column two is the subtopic where a measure asks for it; other measures take the highest grade."""
    scored = must("score", *files, "-m", "alpha_nDCG@5", "StRecall@3", "P@2", "-q")
    values = {tuple(row[:2]): row[2] for row in scored.rows}
    assert values["alpha_nDCG@5", "two"] == "0.6347"
    assert values["StRecall@3", "two"] == "0.6667"
    assert values["P@2", "two"] == "0.5000"
    assert "of each document the highest grade" in scored.err
    told = must("explain", *files, "--query", "two", "-m", "alpha_nDCG@5").out
    assert told.splitlines()[-1] == "1.96534 ÷ 3.09627 = 0.6347"


@pytest.mark.parametrize("form", WRITERS)
def test_no_interval_is_said_in_every_format(files, form):
    """A dash, an empty cell, or null: none was worked out, and none is made up."""
    found = must("score", *files, "-m", "alpha_nDCG@5", "--intervals", "--format", form)
    if form == "json":
        mean = found.json["runs"][0]["means"]["alpha_nDCG@5"]
        assert (mean["min"], mean["max"]) == (None, None)
    elif form == "markdown":
        assert "| 0.6273 (no interval) |" in found.out
    elif form == "latex":
        assert "& 0.6273 (no interval) \\\\" in found.out
    else:
        last = found.out.splitlines()[-1].replace(",", "\t").split("\t")
        assert last[-4:] == ["0.6273", *["" if form == "csv" else "-"] * 3]


def test_a_comparison_has_no_intervals_of_them(files, tmp_path):
    """It says so in place of figures that go by the grades alone."""
    other = tmp_path / "s.run"
    other.write_text("two Q0 d 1 1 s\n")
    refused = call("compare", *files, other, "-m", "alpha_nDCG@5", "--intervals")
    assert refused.code == 2
    assert "no interval is worked out" in refused.err


@pytest.mark.parametrize("name", ["alpha_nDCG@2", "AP_IA", "StRecall@2", "nNRBP"])
def test_unjudged_documents_may_be_left_out(files, name):
    """As if they were not there: in the measure's own words, or by convention; explained so."""
    bare, at, cutoff = name.partition("@")
    own = f"{bare}(judged_only=True){at}{cutoff}"
    closed = {query: [d for d in ranking if d in JUDGED[query]] for query, ranking in RUN.items()}
    expected = [evaluate(JUDGED, closed, name).value(query, name) for query in RUN]
    result = evaluate(JUDGED, RUN, own)
    assert [result.value(query, own) for query in RUN] == pytest.approx(expected, abs=1e-12)
    left_out = evaluate(JUDGED, RUN, name, conventions=Conventions(unjudged="left out"))
    assert [left_out.value(query, name) for query in RUN] == pytest.approx(expected, abs=1e-12)
    told = must("explain", *files, "--query", "two", "-m", own, "--format", "json").json
    one = told["explanations"][0]
    assert one["above"] / one["below"] == pytest.approx(one["value"]) == expected[0]


def test_without_subtopics_the_query_counts_as_one():
    """AP_IA is then AP, ERR_IA and P_IA look at relevance alone."""
    judged, run = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": ["b", "a", "x", "c"]}
    result = evaluate(judged, run, ["AP_IA", "AP", "P_IA@3", "P@3", "AP_IA(rel=2)", "AP(rel=2)"])
    assert result.mean("AP_IA") == result.mean("AP")
    assert result.mean("P_IA@3") == result.mean("P@3")
    assert result.mean("AP_IA(rel=2)") == result.mean("AP(rel=2)")


def test_without_subtopics_it_is_said(tmp_path):
    """Qrels of one value in column two: a line on standard error."""
    (tmp_path / "q").write_text("q 0 a 1\n")
    (tmp_path / "r").write_text("q Q0 a 1 1 r\n")
    found = must("score", tmp_path / "q", tmp_path / "r", "-m", "α_nDCG@5")
    assert found.out == "alpha_nDCG@5\tall\t1.0000\n"
    assert "no subtopics are known, so each query counts as one" in found.err


def random_case(rng):
    """Judgments by subtopic with grades −, 0 to 2, and a run without ties."""
    documents = [f"d{place:02d}" for place in range(rng.randint(1, 14))]
    judged = {
        document: {
            str(subtopic): rng.choice([0, 0, 1, 1, 2])
            for subtopic in range(1, rng.randint(2, 6))
            if rng.random() < 0.6
        }
        for document in documents
        if rng.random() < 0.8
    }
    judged = {document: grades for document, grades in judged.items() if grades}
    ranked = rng.sample([*documents, "x1", "x2", "x3"], rng.randint(1, len(documents) + 3))
    return judged, ranked


@pytest.mark.oracle
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_ndeval(name):
    """Random judgments by subtopic, random rankings: equal to 1e-12."""
    ir_measures = pytest.importorskip("ir_measures")
    pytest.importorskip("pyndeval")
    rng = random.Random(7)
    cases = {str(number): random_case(rng) for number in range(60)}
    cases = {query: case for query, case in cases.items() if case[0]}
    judged = {query: case[0] for query, case in cases.items()}
    run = {query: case[1] for query, case in cases.items()}
    qrels = [
        ir_measures.Qrel(query, document, grade, subtopic)
        for query, documents in judged.items()
        for document, grades in documents.items()
        for subtopic, grade in grades.items()
    ]
    scored = [
        ir_measures.ScoredDoc(query, document, -place)
        for query, ranking in run.items()
        for place, document in enumerate(ranking)
    ]
    measure = ir_measures.parse_measure(name)
    theirs = {row.query_id: row.value for row in ir_measures.iter_calc([measure], qrels, scored)}
    ours = evaluate(judged, run, name)
    for query in run:
        value = ours.value(query, name) or 0.0
        assert value == pytest.approx(theirs[query], abs=1e-12), (query, cases[query])
