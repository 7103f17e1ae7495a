"""Formulas that score documents: what they mean, what is refused, and that printing keeps them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.score_formulas import (
    Expression,
    compute_formula,
    find_literals,
    parse_formula,
    read_number,
)
from judgetool.errors import UsageError

FIELDS = {"price": np.array([10.0, np.nan, 4.0]), "unit price": np.array([1.0, 2.0, 3.0])}


def worked_out(text):
    """A formula's values for three results of scores 3, 2, 1."""
    score, rank = np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0])
    return compute_formula(
        parse_formula(text), fields=FIELDS.__getitem__, score=score, rank=rank
    ).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("score * (1 + 0.5*price)", [18, 2, 3]),
        ("default(price, 7) - [unit price]", [9, 5, 1]),
        ("-2^2 + rank", [-3, -2, -1]),
        ("2^3^0 / 2", [1, 1, 1]),
        ("if(price < 5, max(score, 2, rank), min(1, .5))", [0.5, 2, 3]),
        ("abs(-sqrt(4)) - log(1) - - 1", [3, 3, 3]),
        ("(score >= 2) == (rank != 3)", [1, 1, 1]),
    ],
)
def test_a_formula_means_what_it_says(text, expected):
    """Signs bind as in arithmetic, comparisons are 1 or 0, and a missing field counts as 0."""
    assert worked_out(text) == expected


@pytest.mark.parametrize("text", ["1 / 0", "log(-score)", "10^(10^score) ^ 99", "if(0/0, 1, 2)"])
def test_what_is_no_number_has_no_value(text):
    """Divisions by zero, logarithms of nothing and what is too large give no value and no warning."""
    assert np.isnan(worked_out(text)).all()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "sign 1: a number, a field or ‘(’ is expected, the formula ends"),
        ("score +", "sign 8"),
        ("(score", "‘)’ is expected, found the end"),
        ("score score", "‘score’ is one too many"),
        ("__import__(os)", "there is no __import__(…)"),
        ("a; b", "‘;’ has no place"),
        ("min(1)", "min(…) takes 2 to 20 parts, found 1"),
        ("default(1, 2)", "begins with a field"),
        ("1 < 2 < 3", "one needs brackets"),
        ("1e999", "too large"),
        ("score * 0,3", "sign 9: ‘0,3’ has a decimal comma, and formulas have a decimal point"),
        ("log(1, 2) + 1.299,50", "log(…) takes 1"),
        ("if(rank, 0,5, 1)", "sign 10: ‘0,5’ has a decimal comma"),
        ("min(1,2) + (0,5)", "sign 13: ‘0,5’ has a decimal comma"),
        ("1,", "‘,’ is one too many"),
        ("sqrt", "sqrt needs what it is of"),
        ("(" * 60, "nested more than 40 deep"),
        ("1+" * 499 + "1", "at most 250"),
        ("1" * 1_001, "at most 1,000 signs"),
    ],
)
def test_what_is_no_formula_is_refused_in_words(text, where):
    """The sentence says at which sign and what was expected."""
    with pytest.raises(UsageError) as problem:
        parse_formula(text)
    assert where in str(problem.value)


def test_numbers_are_found_in_their_places():
    """Sliders know where each number stands, with the digits of no name among them."""
    text = "a1 * 0.3 + [2 b] ^ 1e2"
    assert [text[each.start : each.end] for each in find_literals(text)] == ["0.3", "1e2"]
    assert find_literals("score * 0,3") == []
    assert find_literals("3 +* ;") == []


@pytest.mark.parametrize(
    ("text", "expected"), [("12", 12), (" -1.5e1 ", -15), ("yes", 1), ("False", 0)]
)
def test_fields_that_are_numbers(text, expected):
    """Numbers, and yes and no, are read from a document's field."""
    assert read_number(text) == expected


@pytest.mark.parametrize("text", ["", "12 EUR", "nan", "1e999", "twelve"])
def test_fields_that_are_none(text):
    """Everything else is no number."""
    assert read_number(text) is None


def _grown(parts):
    pairs = st.tuples(parts, parts)
    plain = {"number": st.just(0.0), "field": st.just("")}
    signs = st.sampled_from(["+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!="])
    return st.one_of(
        st.builds(Expression, signs, pairs, **plain),
        st.builds(lambda part: Expression("negative", (part,)), parts),
        st.builds(Expression, st.sampled_from(["min", "max"]), pairs, **plain),
        st.builds(
            lambda name, part: Expression(name, (part,)),
            st.sampled_from(["log", "sqrt", "abs"]),
            parts,
        ),
        st.builds(lambda a, b, c: Expression("if", (a, b, c)), parts, parts, parts),
        st.builds(
            lambda part: Expression("default", (Expression("field", field="x"), part)), parts
        ),
    )


_leaves = st.one_of(
    st.builds(
        lambda value: Expression("number", number=value),
        st.floats(0, 1e300, allow_nan=False, allow_infinity=False),
    ),
    st.sampled_from([Expression("score"), Expression("rank")]),
    st.builds(
        lambda name: Expression("field", field=name),
        st.sampled_from(["price", "is_new", "unit price", "score", "log", "2nd", "größe", "a-b"]),
    ),
)


@given(st.recursive(_leaves, _grown, max_leaves=12))
def test_printing_keeps_a_formula(formula):
    """What is printed is read as the same formula."""
    assert parse_formula(str(formula)) == formula


@given(st.text(st.sampled_from("score rank12.,()[]+-*/^<>=!ifmnaxlog \t$é"), max_size=60))
def test_nothing_but_our_own_error(text):
    """Whatever is typed is a formula that has values, or is refused in words."""
    try:
        formula = parse_formula(text)
    except UsageError:
        return
    two = np.array([1.0, 2.0])
    found = compute_formula(formula, fields=lambda _name: two * np.nan, score=two, rank=two)
    assert found.shape == (2,)
    assert not np.isinf(found).any()
