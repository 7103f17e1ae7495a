"""Estimates from judged samples, against sample_eval.pl (2012) and statAP_MQ_eval_v3.pl.

The figures are those that their lines for average precision give with Perl 5; 199 random
topics agreed to eleven digits, one of more than 1,000 documents among them.
"""

import pytest

from judgetool.metrics import evaluate
from tests.helpers.program import must

RUN = "".join(
    f"{query} Q0 {document} {rank} {-rank} r\n"
    for query, ranking in (("1", "daxcbfe"), ("2", "cba"), ("3", "a"))
    for rank, document in enumerate(ranking, 1)
)
STRATA = """\
1 0 a 1 1
1 0 b 1 0
1 0 c 2 1
1 0 d 2 -1
1 0 e 2 -1
1 0 f 2 2
1 0 g 2 0
1 0 h 1 1
2 0 a 1 0
2 0 b 2 1
2 0 c 2 -1
3 0 a 1 0
"""
PRELS = """\
1 a 1 1 0.5
1 b 0 1 0.25
1 c 2 2 0.125
1 d 1 4 0.1
1 e 1 0 0.3
1 f 1 1 2
2 a 1 1 0.75
2 b 0 1 0.5
3 a 0 1 1
"""
# Method 0 and 2 count as certain; a probability of 2 is none.
CASES = {
    "xinfAP": (STRATA, ("0.515621093863", "0.666666666667", "0.000000000000")),
    "statAP": (PRELS, ("1.875000000000", "0.333333333333", "0.000000000000")),
}


@pytest.fixture
def files(tmp_path):
    """Make qrels of a text, and the run."""

    def make(text):
        (tmp_path / "q").write_text(text)
        (tmp_path / "r").write_text(RUN)
        return tmp_path / "q", tmp_path / "r"

    return make


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_tools_of_trec(files, name):
    """Each query, from files; no interval is made up."""
    text, expected = CASES[name]
    found = must("score", *files(text), "-m", name, "-q", "--digits", "12", "--intervals")
    assert [row[2:] for row in found.rows[:3]] == [[value, "-", "-", "-"] for value in expected]
    told = must("explain", *files(text), "--query", "1", "-m", name, "--format", "json").json
    one = told["explanations"][0]
    assert one["value"] == pytest.approx(one["above"] / one["below"]) == float(expected[0])
    assert "estimated from those that were sampled" in one["unjudged"]


@pytest.mark.parametrize(("name", "other"), [("xinfAP", PRELS), ("statAP", STRATA)])
def test_the_other_kind_of_sample_gives_no_value(files, name, other):
    """Strata are not probabilities: undefined, which counts as 0."""
    assert must("score", *files(other), "-m", name).out == f"{name}\tall\t0.0000\n"


def test_without_a_sample_there_is_no_value(files):
    """A dash, and a line on standard error, never 0."""
    found = must("score", *files("1 0 a 1\n"), "-m", "xinfAP")
    assert found.out == "xinfAP\tall\t-\n"
    assert "nothing is known of how documents were sampled" in found.err


def test_a_whole_sample_of_one_stratum_is_ap_but_for_epsilon():
    """From Python; a document that was not sampled has no grade."""
    judged = {"q": {"a": 1, "b": 0, "c": 1}}
    samples = [("q", document, "stratum", 1) for document in "abc"]
    samples += [("q", document, "grade", grade) for document, grade in judged["q"].items()]
    result = evaluate(judged, {"q": ["b", "a", "c"]}, ["xinfAP", "AP"], samples=samples)
    assert result.mean("xinfAP") == pytest.approx(result.mean("AP"), abs=1e-4)
