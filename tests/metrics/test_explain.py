"""Explanations re-add to the value, and read like the walk-through's tables."""

import json
import math
import re
from decimal import Decimal

import numpy as np
import pytest

from judgetool.core.scale import scale_preset
from judgetool.metrics.explain import (
    explain_value,
    explanation_to_dict,
    format_cell,
    format_explanation,
    has_explanation,
)
from judgetool.metrics.grades import QueryGrades, compute_value
from judgetool.metrics.measure import MEASURES, parse_measure
from tests.helpers.shared import shared_data
from tests.metrics.test_bounds import EXACT, ODD, THREE, _grades, _random_case

MORE = [
    parse_measure(name)
    for name in (
        *("Judged@3", "Unjudged", "RBPres", "NumRet", "NumRet(rel=1)", "GMBpref"),
        *("tau", "tau@3", "tau_ap", "tau_ap@3", "rho", "rho@3", "RBO", "RBO(p=0.5)", "Compat"),
    )
]
EXPLAINED = [*EXACT, *MORE]
NAN = float("nan")


def _re_added(explanation):
    """The value from the rows alone, by the rule of its last line."""
    if explanation.below is None:
        return explanation.above
    return explanation.above / explanation.below if explanation.below else 0.0


@pytest.mark.parametrize("measure", EXPLAINED, ids=str)
@pytest.mark.parametrize("leave_out", [False, True], ids=["as non-relevant", "left out"])
def test_the_rows_add_up_to_the_value(measure, leave_out):
    """Σ of the added column, times factor and over the divisor, is the value to 12 digits."""
    rng = np.random.default_rng(8)
    for _ in range(6):
        for scale in (THREE, ODD, scale_preset("0-3")):
            grades = _grades(*_random_case(rng, scale))
            explanation = explain_value(measure, grades, scale, leave_out_unjudged=leave_out)
            if not grades.n_judged:
                continue
            assert explanation.value == compute_value(
                measure, grades, scale, leave_out_unjudged=leave_out
            )
            assert _re_added(explanation) == pytest.approx(explanation.value or 0.0, abs=1e-12)
            foot = explanation.foot[0]
            held = explanation.column_sum(foot.key)
            if measure.name not in ("NumRel", "RBPres", "RBO"):
                assert held == pytest.approx(foot.value, abs=1e-12)


def _as_shown(explanation, key):
    """The cells of a column as they are printed, added up."""
    column = next(column for column in explanation.columns if column.key == key)
    at = explanation.columns.index(column)
    cells = (row.cells[at] for row in explanation.rows)
    return sum(Decimal(format_cell(each, column)) for each in cells if each is not None)


@pytest.mark.parametrize("name", ["nDCG@10", "nDCG(dcg='exp-log2')", "AP", "RBP", "F1@10", "11pt"])
def test_what_is_shown_gives_what_is_shown(name):
    """The printed terms give the printed sums, and these the printed value, digit by digit."""
    rng, scale, measure = np.random.default_rng(5), scale_preset("0-3"), parse_measure(name)
    for _ in range(300):
        n_ranked, n_missing = rng.integers(1, 120), rng.integers(0, 30)
        grades = QueryGrades(
            rng.choice([0.0, 0.0, 1.0, 2.0, 3.0, NAN], n_ranked),
            rng.choice([0.0, 1.0, 2.0, 3.0], n_missing),
        )
        explanation = explain_value(measure, grades, scale)
        if explanation.value is None:
            continue
        shown = [round(Decimal(cell.value), cell.decimals) for cell in explanation.foot]
        for cell, number in zip(explanation.foot, shown, strict=True):
            if cell.key:
                added = _as_shown(explanation, cell.key)
                assert abs(added - number) <= Decimal(5).scaleb(-cell.decimals - 1)
        line = explanation.arithmetic
        found, value = shown[0], line.rpartition(" = ")[2]
        if "÷" in line and not explanation.words:
            *operands, value = re.findall(r"[\d.]+", line)
            below, above = Decimal(operands.pop()), math.prod(map(Decimal, operands))
            found = above / below
        # Half way between two numbers the value itself stands there.
        is_half = abs(found - Decimal(explanation.value)) < Decimal("1e-9")
        assert f"{found:.4f}" == value or is_half


def test_every_measure_with_a_ranking_has_an_explanation():
    """Only clicks and the number of queries are no sum over grades."""
    without = {
        name for name, spec in MEASURES.items() if not has_explanation(parse_measure(spec.example))
    }
    assert without == {"NumQ"}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("tau", "2 ÷ 2.44949 = 0.8165"),
        ("tau_ap", "1.00000 ÷ 2 = 0.5000"),
        ("rho", "1.50000 ÷ 1.73205 = 0.8660"),
        ("RBO", "Σ weight × agreement + rest = 1.0000"),
        ("Compat(p=0.5)", "1.72917 ÷ 1.72917 = 1.0000"),
    ],
)
def test_a_comparison_with_the_ideal_order_has_its_arithmetic(name, line):
    """A row for each rank, and the division as the last line; unjudged rows are empty."""
    explanation = explain_value(parse_measure(name), _grades([2, 2, None, 0]), THREE)
    assert [row.grade for row in explanation.rows] == [2, 2, None, 0]
    assert explanation.arithmetic == line


def _picture():
    return QueryGrades(np.array([3, 1, 3, 0, 0, 0, 1] + [NAN] * 13), np.zeros(4))


def test_the_last_line_of_ndcg_is_the_division():
    """It reads as in the window: DCG ÷ ideal = value."""
    explanation = explain_value(parse_measure("nDCG@10"), _picture(), scale_preset("0-3"))
    assert explanation.arithmetic == "5.46426 ÷ 5.82347 = 0.9383"
    assert [explanation.columns[place].head for place in explanation.main_columns] == [
        "discount",
        "gain × disc.",
        "ideal",
    ]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("P@10", "4 ÷ 10 = 0.4000"),
        ("R@10", "4 ÷ 4 = 1.0000"),
        ("F1@10", "2 × 4 ÷ 14 = 0.5714"),
        ("AP", "3.57143 ÷ 4 = 0.8929"),
        ("RR(rel=2)", "1 ÷ 1 = 1.0000"),
        ("RR(rel=4)", "no relevant document among these ranks = 0.0000"),
        ("Judged@10", "7 ÷ 10 = 0.7000"),
        ("pFound@10", "Σ pLook × pRel = 0.9581"),
        ("ERR@10", "Σ stops ÷ rank = 0.9150"),
        ("NumRel", "relevant = 4"),
        ("DCG@3", "DCG = 5.1309"),
        ("11pt", "9.71429 ÷ 11 = 0.8831"),
        ("Success@5", "relevant at rank 1 = 1.0000"),
    ],
)
def test_the_last_line_states_the_arithmetic(name, line):
    """Counts are whole, sums have one decimal less than their terms, values four."""
    explanation = explain_value(parse_measure(name), _picture(), scale_preset("0-3"))
    assert explanation.arithmetic == line


def test_an_undefined_value_says_why():
    """Without a relevant document there is no value but a reason."""
    grades = QueryGrades(np.array([0.0, 0.0, NAN]))
    explanation = explain_value(parse_measure("AP"), grades, scale_preset("0-3"))
    assert explanation.value is None
    assert explanation.reason == "none of its 2 judged documents is relevant"
    assert explanation.arithmetic == "0.00000 ÷ 0 is undefined"


@pytest.mark.parametrize(
    ("name", "grades", "line"),
    [
        ("P(over='retrieved')@10", [], "0 ÷ 0 counts as 0.0000"),
        ("tau_ap", [1.0, 1.0, 1.0], "0.00000 ÷ 2 is not taken: the value is undefined"),
    ],
)
def test_no_false_arithmetic_is_stated(name, grades, line):
    """A division by 0 gives no 0.0000, and 0 by 2 is not undefined."""
    ranked = QueryGrades(np.array(grades), np.array([1.0]))
    explanation = explain_value(parse_measure(name), ranked, scale_preset("0-3"))
    assert explanation.arithmetic == line
    assert format_explanation(explanation).endswith(line)


def test_unjudged_rows_are_marked_and_counted():
    """They have no grade, and the policy says how many there are and what they count as."""
    explanation = explain_value(parse_measure("nDCG@10"), _picture(), scale_preset("0-3"))
    assert [row.is_judged for row in explanation.rows] == [True] * 7 + [False] * 3
    assert explanation.policy == "3 of 10 unjudged: counted as not relevant."


def test_left_out_documents_stand_where_they_were_without_numbers():
    """The condensed list counts on as if they were not there."""
    grades = _grades([2, None, 1])
    explanation = explain_value(parse_measure("DCG"), grades, THREE, leave_out_unjudged=True)
    assert [row.counted_as for row in explanation.rows] == [1, None, 2]
    assert set(explanation.rows[1].cells) == {None}
    assert explanation.policy == "1 of 3 unjudged: left out of the ranking."
    table = [line.split() for line in format_explanation(explanation, "abc").splitlines()[2:6]]
    assert [row[:3] for row in table[1:]] == [["1", "1", "2"], ["2", "–", "–"], ["3", "2", "1"]]


def test_an_ideal_longer_than_the_ranking_goes_on_below_it():
    """Judged documents that the ranking lacks have their place in the ideal order."""
    explanation = explain_value(parse_measure("nDCG@5"), _grades([1], [2, 2]), THREE)
    assert [row.rank for row in explanation.rows] == [1, None, None]
    ideal = [column.key for column in explanation.columns].index("ideal_gain")
    assert [row.cells[ideal] for row in explanation.rows] == [5.0, 5.0, 1.0]
    below = format_explanation(explanation, ["a"]).splitlines()[4:6]
    assert [(line.split()[0], line[-12:]) for line in below] == [
        ("2", "(ideal only)"),
        ("3", "(ideal only)"),
    ]


def test_the_walk_through_table_of_pfound():
    """PLook falls by what satisfied and by the 0.15 who give up."""
    grades = QueryGrades(np.array([1.0, 0.0, 1.0]))
    explanation = explain_value(parse_measure("pFound"), grades, scale_preset("binary"))
    look = [row.cells[0] for row in explanation.rows]
    assert look == pytest.approx([1.0, 0.6 * 0.85, 0.6 * 0.85 * 0.85])
    assert explanation.value == pytest.approx(0.4 + 0.4 * 0.6 * 0.85**2)


def test_the_plain_text_lines_up():
    """One line per rank with document ids, sums, policy and the division last."""
    explanation = explain_value(parse_measure("nDCG@2"), _grades([2, None], [1]), THREE)
    text = format_explanation(explanation, ["doc-a", "doc-b"])
    assert text.splitlines() == [
        "nDCG@2",
        "",
        "rank  grade  discount  gain × disc.     ideal  document",
        "   1      2  1.000000      5.000000  5.000000  doc-a",
        "   2      –  0.630930      0.000000  0.630930  doc-b",
        "",
        "DCG: 5.00000",
        "ideal: 5.63093",
        "1 of 2 unjudged: counted as not relevant.",
        "5.00000 ÷ 5.63093 = 0.8880",
    ]


def test_the_json_form_holds_unrounded_numbers():
    """Every row has rank, grade and its numbers by name; it is valid JSON."""
    explanation = explain_value(parse_measure("AP"), _grades([0, 2, None]), THREE)
    values = json.loads(json.dumps(explanation_to_dict(explanation, ["a", "b", "c"])))
    assert values["measure"] == "AP"
    assert values["value"] == 0.5
    assert values["rows"][1] == {
        "rank": 2,
        "counted_as": 2,
        "document": "b",
        "grade": 2.0,
        "is_judged": True,
        "is_assumed": False,
        "relevant": 1.0,
        "found": 1.0,
        "precision": 0.5,
        "adds": 0.5,
        "total": 0.5,
    }
    assert values["rows"][2]["grade"] is None


def test_an_empty_ranking_has_no_rows():
    """An explanation of nothing is empty and its value is what the engine says."""
    grades = QueryGrades(np.zeros(0), np.array([1.0]))
    explanation = explain_value(parse_measure("P@5"), grades, THREE)
    assert explanation.rows == ()
    assert explanation.arithmetic == "0 ÷ 5 = 0.0000"


@pytest.mark.parametrize(
    ("name", "ranked", "reason"),
    [
        ("P@5", [None], "no document of this query is judged"),
        ("nDCG@5", [0], "its one judged document is not relevant"),
        ("ERR@5", [3, 0], "grade 3 is above 2, the highest it can read"),
        ("tau", [1, 1], "fewer than two different grades among the judged documents"),
    ],
)
def test_a_value_that_is_not_there_is_explained_in_the_engines_words(name, ranked, reason):
    """The reason reads as in the panel, and no number is shown."""
    explanation = explain_value(parse_measure(name), _grades(ranked), THREE)
    assert explanation.value is None
    assert explanation.reason.startswith(reason)
    assert "undefined" in explanation.arithmetic


def test_the_tables_of_the_walk_through_article():
    """Running totals of the explanation are the article's CG and DCG at each rank."""
    cases = json.loads(shared_data("reference/worked_examples.json").read_text("utf-8"))["cases"]
    case = next(case for case in cases if case["name"] == "graded-five")
    grades = QueryGrades(np.array(case["grades"], dtype=float))
    for name in ("CG", "DCG", "DCG(dcg='exp-log2')"):
        explanation = explain_value(parse_measure(name), grades, None)
        keys = [column.key for column in explanation.columns]
        totals = [row.cells[keys.index("total")] for row in explanation.rows]
        expected = [case["values"][f"{name}@{k}"] for k in range(1, 6)]
        assert totals == pytest.approx(expected, abs=1e-12)


OF_RANKING = [parse_measure(f"nDCG(ideal='{word}')@3") for word in ("length", "retrieved")]


@pytest.mark.parametrize("measure", [*EXPLAINED, *OF_RANKING], ids=str)
def test_which_measures_a_ranking_may_leave_without_a_value(measure):
    """Of one query no other has a value by one ranking and none by another; and why is not that nothing is relevant."""
    dice = np.random.default_rng(7)
    for _turn in range(40):
        judged = dice.integers(0, 4, 6).astype(np.float64)
        values, reasons = [], []
        for n in (0, 1, 2, 4, 6):
            order = dice.permutation(6)
            told = explain_value(measure, QueryGrades(judged[order[:n]], judged[order[n:]]), "0-3")
            values.append(told.value)
            reasons += [told.reason] if told.value is None else []
        is_by_ranking = any(each is not None for each in values) and bool(reasons)
        assert measure.is_undefined_by_ranking or not is_by_ranking
        assert judged.max() == 0 or not any("relevant" in each for each in reasons)


@pytest.mark.parametrize(
    ("pooled", "said"), [(-1.0, "those of the pool"), (NAN, "counted as not relevant")]
)
def test_what_is_only_pooled_counts_for_infap(pooled, said):
    """It estimates from the pool: what is in it without a grade is no document that is not relevant."""
    grades = QueryGrades(np.array([2.0, 0.0, pooled, 1.0]))
    assert said in explain_value(parse_measure("infAP"), grades, "0-3").policy
    assert "counted as not relevant" in explain_value(parse_measure("AP"), grades, "0-3").policy
