"""Measures of readers who go on or stop, against cwl_eval 1.0.12 by way of ir_measures."""

import random

import numpy as np
import pytest

from judgetool.cli.score_table import WRITERS
from judgetool.metrics import evaluate
from tests.helpers.program import call, must

# Grades by rank; None: nobody judged.
LISTS = {
    "mixed": [1, 0, None, 2, 4, 3],
    "late": [None, 0, 0, 1],
    "best": [3, 4, 4, 3, 2, 1, 1, 0, None, 0, 0, 4],
}
# As cwl_eval gives them with max_rel=4.
VALUES = {
    "SDCG@5": (0.289029303752, 0.036517087461, 0.813090322465),
    "INST": (0.210547062408, 0.015770353943, 0.811506224314),
    "INST(T=2.5)": (0.193592386509, 0.018043341746, 0.670973672164),
    "INSQ": (0.195025569504, 0.015529504113, 0.652123401175),
    "INSQ(T=2)": (0.179309049904, 0.018039475910, 0.522589976158),
    "BPM@5": (0.350000000000, 0.050000000000, 0.875000000000),
    "BPM(T=2)@10": (0.416666666667, 0.025000000000, 0.916666666667),
    "NERR8@5": (0.275862068966, 0.052631578947, 0.800000000000),
    "NERR9@5": (0.221854304636, 0.027985074627, 0.777777777778),
    "NERR10": (0.250192055214, 0.021800891175, 0.795918367347),
    "NERR10(p=0.5)": (0.190697674419, 0.015873015873, 0.777777777778),
    "NERR11": (0.209014363546, 0.016698548334, 0.775000000000),
    "NERR11(T=3)": (0.225979097038, 0.020004603588, 0.788793103448),
}


LENGTHS = [30.0, 120.5, 7.0, 260.0, 45.0, 80.0, 15.0, 900.0, 33.0, 12.0, 61.0, 5.0]
# As cwl_eval's TBGCWLMetric and UMeasureCWLMetric give them, of gains by 4 and these costs.
BY_LENGTH = {
    "TBG": (0.016500392737, 0.001745012166, 0.463450908382),
    "TBG(h=60)": (0.154152397406, 0.014763274304, 0.853900497085),
    "U": (0.015108650058, 0.001213232223, 0.658460929250),
    "U(L=132000)": (0.002515806073, 0.000251689029, 0.005574258087),
}


def as_files():
    """Judgments and runs of the lists."""
    qrels = {
        query: {f"d{place}": grade for place, grade in enumerate(grades) if grade is not None}
        for query, grades in LISTS.items()
    }
    return qrels, {query: [f"d{place}" for place in range(len(LISTS[query]))] for query in LISTS}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_cwl_eval(name):
    """Each of three lists, of grades 0 to 4."""
    result = evaluate(*as_files(), name)
    found = [result.value(query, name) for query in LISTS]
    assert found == pytest.approx(VALUES[name], abs=1e-12)


def test_ranks_after_the_thousandth_are_not_looked_at():
    """As in cwl_eval, whose lists have 1,000 ranks."""
    run = {"q": [f"d{place}" for place in range(1200)]}
    for name in ("INST", "INSQ", "NERR10", "NERR11"):
        seen = evaluate({"q": {"d3": 2}}, run, name).value("q", name)
        more = evaluate({"q": {"d3": 2, "d1100": 4}}, run, name).value("q", name)
        assert seen == more > 0


@pytest.mark.parametrize("name", BY_LENGTH)
def test_values_by_length_are_those_of_cwl_eval(name):
    """Time and text that the documents take; each rank after the last takes 1."""
    lengths = {f"d{place}": length for place, length in enumerate(LENGTHS)}
    result = evaluate(*as_files(), name, lengths=lengths)
    found = [result.value(query, name) for query in LISTS]
    assert found == pytest.approx(BY_LENGTH[name], abs=1e-12)


@pytest.mark.oracle
@pytest.mark.parametrize("name", ["TBG(h=100)", "U(L=500)"])
def test_random_values_by_length_are_those_of_cwl_eval(name):
    """Lists of up to 1,100 documents."""
    ruler = pytest.importorskip("cwl.ruler.ranking")
    by_time = pytest.importorskip("cwl.ruler.measures.cwl_tbg").TBGCWLMetric(100)
    by_text = pytest.importorskip("cwl.ruler.measures.cwl_umeasure").UMeasureCWLMetric(500)
    theirs = by_time if name.startswith("TBG") else by_text
    rng = random.Random(3)
    for n in (1, 3, 40, 999, 1000, 1100):
        grades = [rng.choice([None, 0, 1, 2, 4]) for _ in range(n)]
        costs = [round(rng.uniform(0.1, 30.0), 3) for _ in range(n)]
        gains = np.array([np.nan if grade is None else grade / 4 for grade in grades])
        expected = theirs.measure(ruler.Ranking("q", gains, np.array(costs)))
        judged = {f"d{at}": grade for at, grade in enumerate(grades) if grade is not None}
        run = {"q": [f"d{at}" for at in range(n)]}
        lengths = {f"d{at}": cost for at, cost in enumerate(costs)}
        found = evaluate({"q": {**judged, "z": 1}}, run, name, lengths=lengths).value("q", name)
        assert found == pytest.approx(expected, abs=1e-12), n


def test_the_papers_forms_are_sums():
    """Smucker and Clarke decay by when a document begins, Sakai and Dou by where it ends."""
    judged, run = {"q": {"a": 4, "c": 2}}, {"q": ["a", "b", "c"]}
    lengths = {"a": 50.0, "b": 100.0, "c": 50.0}
    names = ["TBG(form='paper', h=75)", "U(L=400, form='paper')"]
    result = evaluate(judged, run, names, lengths=lengths)
    assert result.mean(names[0]) == pytest.approx(1.0 + 0.5 * 0.25)
    assert result.mean(names[1]) == pytest.approx(350 / 400 + 0.5 * 200 / 400)


@pytest.fixture
def files(tmp_path):
    """Qrels, a run, and the lengths of its documents."""
    (tmp_path / "q").write_text("q 0 a 4\nq 0 c 2\n")
    (tmp_path / "r").write_text(
        "".join(f"q Q0 {each} 1 {-at} r\n" for at, each in enumerate("abc"))
    )
    (tmp_path / "l").write_text("a 50\nb\t100\n\nc 50\n")
    return tmp_path / "q", tmp_path / "r"


@pytest.mark.parametrize("form", WRITERS)
def test_lengths_come_from_a_file(files, tmp_path, form):
    """The value is there, and no interval; without the file there is neither, and it is said."""
    name = "U(L=400, form='paper')"
    options = ("-m", name, "--format", form, "--intervals")
    found = must("score", *files, *options, "--lengths", tmp_path / "l").out
    assert "1.125" in found
    lacking = must("score", *files, *options)
    assert "0.0000" not in lacking.out
    assert "1.0000" not in lacking.out
    assert "no lengths are known, so there is no value" in lacking.err
    told = must("explain", *files, "--query", "q", "-m", name)
    assert "Undefined: no lengths are known of the documents it looks at." in told.out


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a 50\nb\n", "line 2: expected a document and its length"),
        ("a 50\na 51\n", "line 2: document ‘a’ has another length before"),
        ("a 50\nb 1\n", "no length of 1 document of r, such as ‘c’"),
        ("a -1\n", "line 1: expected a document and its length"),
    ],
)
def test_lengths_are_read_strictly(files, tmp_path, text, reason):
    """What does not fit is named; nothing is computed of half of it."""
    (tmp_path / "l").write_text(text)
    refused = call("score", *files, "-m", "TBG", "--lengths", tmp_path / "l")
    assert refused.code == 1
    assert reason in refused.err
