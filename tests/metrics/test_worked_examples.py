"""The worked numbers of the articles, as the reference file states them."""

import json

import pytest

from judgetool.core.scale import Level, Scale, exponential_p
from judgetool.metrics import evaluate
from judgetool.metrics.conventions import Conventions
from tests.helpers.shared import SHARED, shared_data

PATH = "reference/worked_examples.json"


def read_reference():
    path = SHARED / PATH
    return json.loads(path.read_text("utf-8")) if path.exists() else {"cases": [], "means": []}


REFERENCE = read_reference()


def scale_of(case):
    """The case's scale: its grades up to its highest, gain = grade."""
    highest = case.get("max_grade", max(case["grades"]) or 1)
    grades = sorted({0, highest, *case["grades"]})
    chances = case.get("p_relevant", {})
    levels = tuple(
        Level(
            grade=grade,
            name=f"grade {grade}",
            gain=grade,
            p_relevant=chances.get(str(grade), chance(case, grade, highest)),
        )
        for grade in grades
    )
    return Scale(case["name"], levels, case.get("relevant_from", 1))


def chance(case, grade, highest):
    """The article with p='grade' takes its grades between 0 and 1 as probabilities."""
    is_plain = any("p='grade'" in name for name in case["values"])
    return grade if is_plain else exponential_p(grade, highest)


def as_files(case):
    documents = [f"document {rank}" for rank in range(len(case["grades"]))]
    return {"q": dict(zip(documents, case["grades"], strict=True))}, {"q": documents}


def test_the_reference_is_there():
    """The file with the worked numbers is read (or the skip says that it is absent)."""
    shared_data(PATH)
    assert len(REFERENCE["cases"]) >= 25


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["name"])
def test_values_are_those_of_the_articles(case):
    """Every worked value is reproduced within its tolerance."""
    judged, run = as_files(case)
    result = evaluate(judged, run, case["values"], scale=scale_of(case))
    for name, expected in case["values"].items():
        value = result.value("q", name)
        assert (0.0 if value is None else value) == pytest.approx(
            expected, abs=case.get("tolerance", 1e-9)
        ), name


def rankings_with(values):
    """Queries whose AP is each value: one relevant document alone, or at rank 1/value."""
    judged = {f"q{n}": {"good": 1} for n in range(len(values))}
    run = {
        f"q{n}": [*(f"other {place}" for place in range(round(1 / value) - 1)), "good"]
        for n, value in enumerate(values)
    }
    return judged, run


@pytest.mark.parametrize(
    "case",
    [case for case in REFERENCE["means"] if all((1 / v).is_integer() for v in case["per_query"])],
    ids=lambda case: case["name"],
)
def test_means_are_those_of_the_articles(case):
    """A mean, weighted where the article weighs, is reproduced from such values."""
    judged, run = rankings_with(case["per_query"])
    weights = {f"q{n}": weight for n, weight in enumerate(case.get("weights", ()))}
    result = evaluate(
        judged, run, "RR", weights=weights, conventions=Conventions(is_weighted=bool(weights))
    )
    assert result.mean("RR") == pytest.approx(case["mean"], abs=case.get("tolerance", 1e-9))


def test_mean_average_precision_of_the_search_relevance_article():
    """MAP@5 over the article's three rankings, by the relevant found, is 0.7."""
    lists = {"q1": [1, 0, 1, 0, 1], "q2": [1, 1, 0, 0, 1], "q3": [0, 0, 1, 1, 1]}
    judged = {q: {f"d{n}": g for n, g in enumerate(grades)} for q, grades in lists.items()}
    run = {q: [f"d{n}" for n in range(5)] for q in lists}
    result = evaluate(judged, run, "AP(norm='found')@5")
    assert result.mean("AP(norm='found')@5") == pytest.approx(0.7)
