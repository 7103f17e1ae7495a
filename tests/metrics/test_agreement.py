"""Agreement between assessors: the reference file's numbers, and laws that hold of any judgments."""

import csv
import io
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.scale import parse_scale
from judgetool.errors import UsageError
from judgetool.metrics import (
    AGREEMENT_MEASURES,
    AgreementData,
    MeasureError,
    compute_agreement,
    parse_agreement_measure,
)
from judgetool.metrics.comparison import compute_rho, compute_tau
from tests.helpers.shared import SHARED, shared_data

PATH = "reference/agreement_examples.json"


def read_cases():
    path = SHARED / PATH
    return json.loads(path.read_text("utf-8"))["cases"] if path.exists() else [{"id": "none"}]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case["id"])
def test_reference_values(case):
    """Every value and interval of the reference implementations, to 1e-9 of what they print."""
    shared_data(PATH)
    rows = list(csv.DictReader(io.StringIO(case["csv"])))
    columns = [[row[name] for row in rows] for name in ("query", "document", "assessor")]
    scale = parse_scale(case["scale"]) if case["scale"] else None
    data = AgreementData.of_columns(
        *columns,
        [float(row["grade"]) for row in rows],
        levels=scale.grades if scale else (),
        relevant_from=scale.relevant_from if scale else 1,
    )
    for check in case["checks"]:
        found = compute_agreement(data, check["measures"], by=check["by"], errors=check["errors"])
        assert [[str(row.measure), row.scope] for row in found] == [r[:2] for r in check["rows"]]
        for row, expected in zip(found, check["rows"], strict=True):
            ends = (row.low, row.high) if check["errors"] else ()
            # They are printed with ten decimals.
            assert [row.value, *ends] == [
                None if value is None else pytest.approx(value, abs=1e-9) for value in expected[2:]
            ], row


@st.composite
def judgments(draw, *, most=4, full=False):
    """Grades of a few assessors, with gaps unless full: (query, document, assessor, grade)."""
    names = draw(st.integers(2, most))
    grade = st.sampled_from([0, 1, 2, 3])
    cells = itertools.product(range(draw(st.integers(1, 3))), range(4), range(names))
    rows = []
    for query, document, who in cells:
        said = draw(grade if full else st.none() | grade)
        if said is not None:
            rows.append((f"q{query}", f"d{document}", f"a{who}", said))
    return rows


def values(rows, measures, **how):
    columns = list(zip(*rows, strict=True)) or [()] * 4
    return [
        row.value for row in compute_agreement(AgreementData.of_columns(*columns), measures, **how)
    ]


def same(found, expected):
    assert found == [None if each is None else pytest.approx(each, abs=1e-9) for each in expected]


EVERY = list(AGREEMENT_MEASURES)


@given(judgments())
def test_bounds(rows):
    """No value lies above 1; shares lie above 0; one that is not defined is none, never NaN."""
    for name, value in zip(EVERY, values(rows, EVERY), strict=True):
        assert value is None or -1e300 < value <= 1 + 1e-9
        if value is not None and name in ("agree", "positive", "negative", "overlap"):
            assert value >= -1e-9


@given(judgments(), st.randoms(use_true_random=False))
def test_order_and_names_of_assessors_do_not_matter(rows, random):
    """Rows in any order and names exchanged give the same values."""
    names = sorted({row[2] for row in rows})
    others = dict(zip(names, random.sample(names, len(names)), strict=True))
    mixed = [(q, d, others[who], grade) for q, d, who, grade in rows]
    random.shuffle(mixed)
    same(values(mixed, EVERY), values(rows, EVERY))


@given(judgments(most=2))
def test_two_assessors_are_scott_and_cohen(rows):
    """π and κ of two as in the textbooks, from the table of both."""
    said = {}
    for query, document, who, grade in rows:
        said.setdefault((query, document), {})[who] = grade
    both = [tuple(each[who] for who in sorted(each)) for each in said.values() if len(each) == 2]
    expected = [None, None]
    levels = {row[3] for row in rows}
    if both and len(levels) > 1:
        n = len(both)
        agreed = sum(a == b for a, b in both) / n
        first, second = ([sum(pair[at] == k for pair in both) / n for k in levels] for at in (0, 1))
        by_chance = [
            sum(((a + b) / 2) ** 2 for a, b in zip(first, second, strict=True)),
            sum(a * b for a, b in zip(first, second, strict=True)),
        ]
        expected = [None if math.isclose(e, 1) else (agreed - e) / (1 - e) for e in by_chance]
    same(values(rows, ["scott", "cohen"]), expected)


@given(judgments())
def test_identity_weights_are_none(rows):
    """Weights of identity are the unweighted measure, and its name."""
    plain = ["agree", "kappa", "fleiss", "BP"]
    weighted = [f"{name}(weights='identity')" for name in plain]
    assert [str(parse_agreement_measure(name)) for name in weighted] == plain
    same(values(rows, ["AC2(weights='identity')"]), values(rows, ["AC1"]))
    same(values(rows, ["alpha"]), values(rows, ["alpha(level=nominal)"]))


@given(judgments(full=True))
def test_alpha_by_brute_force(rows):
    """Interval α of full data: observed over expected squared differences of all pairs of values."""
    units = [list(each) for _, each in itertools.groupby(rows, key=lambda row: row[:2])]
    grades = [[row[3] for row in unit] for unit in units]
    n = len(rows)
    observed = sum(
        (a - b) ** 2 / (len(unit) - 1)
        for unit in grades
        for a, b in itertools.permutations(unit, 2)
    )
    everything = [grade for unit in grades for grade in unit]
    expected = sum((a - b) ** 2 for a, b in itertools.permutations(everything, 2))
    value = None if not expected else 1 - (n - 1) * observed / expected
    same(values(rows, ["alpha(level='interval')"]), [value])


@given(judgments(most=2))
def test_correlations_of_two(rows):
    """τ-b and ρ of two assessors as of any two series."""
    said = {}
    for query, document, _, grade in rows:
        said.setdefault((query, document), []).append(grade)
    both = [each for each in said.values() if len(each) == 2]
    first, second = zip(*both, strict=True) if both else ((), ())
    expected = [compute_tau(first, second), compute_rho(first, second)] if both else [None, None]
    same(values(rows, ["tau", "rho"]), expected)


@pytest.mark.parametrize("name", [*EVERY, "alpha(level='ordinal')", "kappa(weights='ratio')"])
def test_jackknife_by_brute_force(name):
    """The interval is that of the values without each query, computed anew."""
    random = np.random.default_rng(5)
    rows = [
        (f"q{query}", f"d{document}", who, int(np.clip(grade + random.integers(-1, 2), 0, 3)))
        for query in range(6)
        for document, grade in enumerate(random.integers(0, 4, 8))
        for who in ("anna", "ben", "cem")
        if random.random() < 0.8 or document < 2
    ]
    data = AgreementData.of_columns(*zip(*rows, strict=True))
    row = compute_agreement(data, [name], errors="queries")[0]
    left = [
        compute_agreement(data.of_rows(data.queries != query), [name])[0].value
        for query in range(6)
    ]
    error = math.sqrt(5 / 6 * sum((value - np.mean(left)) ** 2 for value in left))
    assert row.value - row.low == pytest.approx(2.570581835636314 * error, abs=1e-9)


def test_the_jackknife_of_a_crowd_by_brute_force():
    """With hundreds of people and levels, memory holds a few of the queries at a time."""
    random, name, n = np.random.default_rng(7), "alpha(level='interval')", 30
    rows = [
        (f"q{query:02}", f"d{document}", f"p{who}", round(float(grade + random.normal()), 1))
        for query in range(n)
        for document, grade in enumerate(random.integers(0, 40, 10))
        for who in random.choice(700, 4, replace=False)
    ]
    data = AgreementData.of_columns(*zip(*rows, strict=True))
    row = compute_agreement(data, [name], errors="queries")[0]
    left = [
        compute_agreement(data.of_rows(data.queries != query), [name])[0].value
        for query in range(n)
    ]
    error = math.sqrt((n - 1) / n * sum((value - np.mean(left)) ** 2 for value in left))
    assert row.value - row.low == pytest.approx(2.045229642132703 * error, abs=1e-9)


def test_nothing_judged_twice_is_undefined():
    """Without a common document there is no value, and a reason."""
    rows = compute_agreement(
        AgreementData.of_columns(["q", "q"], ["a", "b"], ["anna", "ben"], [1, 0]), EVERY
    )
    assert {(row.value, row.reason) for row in rows} == {
        (None, "no document was graded by two assessors")
    }
    assert compute_agreement(AgreementData.of_columns([], [], [], []), ["agree"])[0].value is None


def test_of_grades_that_all_agree_the_interval_is_a_point():
    """ICC of 1 divides by no difference."""
    rows = [("q", each, who, grade) for grade, each in enumerate("abc") for who in ("anna", "ben")]
    data = AgreementData.of_columns(*zip(*rows, strict=True))
    (row,) = compute_agreement(data, ["ICC"], errors="documents")
    assert (row.low, row.value, row.high) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("grades", "said"), [([1.0], "differ in number"), ([1.0, math.nan], "not finite")]
)
def test_columns_that_fit_no_judgments_are_refused(grades, said):
    """Each row is a judgment."""
    with pytest.raises(UsageError, match=said):
        AgreementData.of_columns(["q", "q"], ["a", "b"], ["anna", "ben"], grades)


def test_the_last_of_two_judgments_counts():
    """Of two grades of one document by one assessor the later row counts."""
    rows = [("q", "a", "anna", 0), ("q", "a", "ben", 1), ("q", "a", "anna", 1)]
    assert values(rows, ["agree"]) == [1.0]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("conger", "kappa"),
        ("PI(weights=linear)", "fleiss(weights='linear')"),
        ("AC2( weights = 'linear', singles='count' )", "AC2(singles='count',weights='linear')"),
        ("overlap(rel=2.0)", "overlap(rel=2)"),
        ("ICC(kind='agreement')", "ICC"),
    ],
)
def test_names_print_in_normal_form(text, shown):
    """Sorted parameters, defaults left out."""
    assert str(parse_agreement_measure(text)) == shown


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kapa", "Did you mean kappa?"),
        ("AC1(weights='linear')", "It takes singles."),
        ("alpha(level='linear')", "nominal, ordinal, interval, ratio"),
        ("tau(x=1)", "It takes none."),
        ("overlap(rel=high)", "is a number"),
        ("kappa(weights)", "parameter=value"),
        ("kappa(singles=drop,singles=drop)", "twice"),
        ("kappa[]", "does not read"),
    ],
)
def test_wrong_names_are_told(text, told):
    """What there is not, or does not fit, is named."""
    with pytest.raises(MeasureError, match="(?s)" + told.replace("?", r"\?")):
        parse_agreement_measure(text)


def test_ratios_need_grades_from_0():
    """Of grades below 0 a ratio says nothing."""
    rows = [("q", "a", "anna", -1), ("q", "a", "ben", 1)]
    data = AgreementData.of_columns(*zip(*rows, strict=True))
    assert (
        compute_agreement(data, ["alpha(level='ratio')"])[0].reason
        == "ratios need grades from 0 on"
    )
