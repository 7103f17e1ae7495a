"""Measures of readers who go on or stop, against cwl_eval 1.0.12 by way of ir_measures."""

import pytest

from judgetool.metrics import evaluate

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
