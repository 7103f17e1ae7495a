"""Differences of rankings at full depth: AP of one move, nDCG with many open documents, ties."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.rankings import Move, apply
from judgetool.core.scale import scale_preset
from judgetool.metrics import parse_measure
from judgetool.metrics.block import worth_of
from judgetool.metrics.bounds_difference import DRAG_BUDGET, compute_pair_bounds, move_difference
from judgetool.metrics.grades import RankingPair, compute_value
from tests.helpers.laws import examples

BINARY = scale_preset("binary")
GRADED = scale_preset("0-3")


@st.composite
def moved_pairs(draw, longest=7):
    """A ranking, the same with one document moved, some judged, some more in the pool."""
    n = draw(st.integers(2, longest))
    document, rank = draw(st.integers(0, n - 1)), draw(st.integers(1, n))
    extra = list(range(n, n + draw(st.integers(0, 2))))
    known = draw(st.dictionaries(st.integers(0, n + 1), st.sampled_from([0.0, 1.0]), max_size=4))
    first = apply(range(n), [Move(document, rank)])
    return RankingPair.from_documents(first, list(range(n)), known=known, pool=extra)


def brute_force(measure, pair, scale):
    """Least and greatest difference over every grading."""
    at = np.flatnonzero(pair.is_open)
    levels = [grade for grade in scale.grades if grade >= 0]
    found = []
    for grades in itertools.product(levels, repeat=len(at)):
        filled = pair.grades.copy()
        filled[at] = grades
        sides = RankingPair(pair.first, pair.second, filled).query_grades()
        values = [compute_value(measure, side, scale) or 0.0 for side in sides]
        found.append(values[0] - values[1])
    return min(found), max(found)


@given(moved_pairs(), st.sampled_from(["AP", "AP@3", "AP@5"]))
def test_ap_of_one_move_equals_brute_force(pair, name):
    """Where the way by one pass knows the ends, they are those over every grading."""
    measure = parse_measure(name)
    found = move_difference(measure, pair, worth_of(measure, BINARY), n_cells=10_000)
    if found is not None:
        assert found == pytest.approx(brute_force(measure, pair, BINARY), abs=1e-12)


@given(moved_pairs(longest=5), st.sampled_from(["nDCG@1", "nDCG@2", "nDCG@3", "nDCG"]))
@settings(max_examples=examples(50))
def test_ndcg_without_superfluous_zeros_equals_brute_force(pair, name):
    """Leaving out documents that only fill up the ideal changes no end."""
    measure = parse_measure(name)
    found = compute_pair_bounds(measure, pair, GRADED)
    assert found.is_exact
    assert (found.low, found.high) == pytest.approx(brute_force(measure, pair, GRADED), abs=1e-9)


def test_ap_of_a_near_move_is_exact_at_full_depth():
    """A card moved by fifteen ranks among 1,000, 950 unjudged: exact within a drag's budget."""
    documents = np.arange(1000)
    known = {number: float(number % 3 == 0) for number in range(0, 1000, 20)}
    moved = apply(documents, [Move(24, 9)])
    pair = RankingPair.from_documents(moved, documents, known=known)
    found = compute_pair_bounds(parse_measure("AP"), pair, BINARY, budget=DRAG_BUDGET)
    assert found.is_exact
    assert found.low < 0 < found.high


def test_a_move_below_the_cutoff_changes_nothing():
    """Places below what a measure looks at leave it exactly as it was."""
    moved = apply(range(50), [Move(40, 20)])
    pair = RankingPair.from_documents(moved, range(50), known={3: 1.0})
    for name in ("nDCG@10", "P@10", "ERR@10", "R@10", "AP@10"):
        found = compute_pair_bounds(parse_measure(name), pair, GRADED)
        assert (found.low, found.high, found.is_exact) == (0.0, 0.0, True)


def test_more_gradings_than_a_float_can_count_are_too_many():
    """Two unlike rankings of thousands of unjudged documents give a wide interval, no crash."""
    documents = np.arange(3000)
    pair = RankingPair.from_documents(documents[::-1], documents, known={1: 1.0})
    found = compute_pair_bounds(parse_measure("AP"), pair, BINARY)
    assert not found.is_exact
