"""Curves carry the numbers that the measures have."""

from functools import partial

import numpy as np
import pytest

from judgetool.core.scale import scale_preset
from judgetool.metrics.curves import (
    contribution_by_rank,
    dcg_by_rank,
    interpolated_precision_recall,
    precision_recall_points,
    value_by_cutoff,
)
from judgetool.metrics.grades import QueryGrades, compute_value, compute_values_of
from judgetool.metrics.measure import MeasureError, parse_measure
from tests.metrics.test_bounds import EXACT, THREE, _grades, _random_case

BINARY = scale_preset("binary")
AP = parse_measure("AP")


def _values(grades, scale):
    """What the engine says of measures of these grades."""
    return partial(compute_values_of, grades=grades, scale=scale)


def test_precision_recall_has_a_point_per_relevant_document():
    """At each relevant rank: found over R, found over rank."""
    curve = precision_recall_points(AP, _grades([1, 0, 1, None], [1, 1]), BINARY)
    assert curve.x.tolist() == [0.25, 0.5]
    assert curve.y.tolist() == pytest.approx([1.0, 2 / 3])


def test_recall_is_undefined_without_a_relevant_document():
    """There is no curve, neither of points nor of eleven levels."""
    grades = _grades([0, None])
    assert precision_recall_points(AP, grades, BINARY) is None
    assert interpolated_precision_recall(AP, _values(grades, BINARY)) is None


def test_the_eleven_points_are_those_of_iprec_and_never_rise():
    """Their mean is the measure 11pt."""
    rng = np.random.default_rng(9)
    for _ in range(50):
        grades = _grades(*_random_case(rng, THREE))
        curve = interpolated_precision_recall(AP, _values(grades, THREE))
        value = compute_value(parse_measure("11pt"), grades, THREE)
        if value is None:
            assert curve is None
            continue
        assert (np.diff(curve.y) <= 1e-12).all()
        assert curve.y.mean() == pytest.approx(value)


def test_dcg_by_rank_ends_at_dcg_and_ideal():
    """The last points divide to nDCG; the ideal line is never below."""
    measure = parse_measure("nDCG@10")
    grades = QueryGrades(np.array([3.0, 1, 3, 0, np.nan, 1]))
    actual, ideal = dcg_by_rank(measure, grades, scale_preset("0-3"))
    assert len(actual.x) == len(ideal.x)
    assert (ideal.y >= actual.y - 1e-12).all()
    value = compute_value(measure, grades, scale_preset("0-3"))
    assert actual.y[-1] / ideal.y[-1] == pytest.approx(value, abs=1e-12)


def test_after_the_end_of_a_ranking_no_document_stands_on_its_curve():
    """One document was returned, the ideal has four: the line goes on level, and says where it ends."""
    grades = QueryGrades(np.array([3.0]), np.array([3.0, 2.0, 1.0]))
    actual, ideal = dcg_by_rank(parse_measure("nDCG"), grades, scale_preset("0-3"))
    assert (len(actual.x), actual.held_to) == (4, 1.0)
    assert len({*actual.y.tolist()}) == 1
    assert ideal.held_to == np.inf


@pytest.mark.parametrize("kind", ["judged", "uncut", "length", "retrieved"])
@pytest.mark.parametrize("leaves_out", [False, True])
@pytest.mark.parametrize("of", ["nDCG(ideal={!r})", "nDCG(ideal={!r}, dcg='exp-log2')"])
def test_dcg_by_rank_divides_to_ndcg_at_every_rank(of, kind, leaves_out):
    """Whatever the ideal is made of, and whether unjudged documents are in the ranking."""
    rng = np.random.default_rng(11)
    for _ in range(20):
        grades = _grades(*_random_case(rng, THREE))
        measure = parse_measure(of.format(kind))
        own, ideal = dcg_by_rank(measure, grades, THREE, leave_out_unjudged=leaves_out)
        for k, above, below in zip(own.x.tolist(), own.y.tolist(), ideal.y.tolist(), strict=True):
            at = measure.with_cutoff(int(k))
            value = compute_value(at, grades, THREE, leave_out_unjudged=leaves_out)
            assert value is None or above / below == pytest.approx(value, abs=1e-12)


def test_value_by_cutoff_has_the_value_at_each_k():
    """Each point equals the measure at that cutoff."""
    grades = _grades([1, 0, 1, 0, 1])
    curve = value_by_cutoff(parse_measure("P@10"), _values(grades, BINARY), range(1, 6))
    assert curve.x.tolist() == [1, 2, 3, 4, 5]
    assert curve.y.tolist() == pytest.approx([1, 1 / 2, 2 / 3, 1 / 2, 3 / 5])


def test_value_by_cutoff_is_empty_where_the_value_is_undefined():
    """No relevant document, no recall at any k."""
    curve = value_by_cutoff(parse_measure("R@10"), _values(_grades([0, 0]), BINARY), (1, 2))
    assert len(curve.x) == 0


def test_value_by_cutoff_needs_a_measure_with_a_cutoff():
    """Rprec takes none, and the sentence says so."""
    with pytest.raises(MeasureError, match="takes no cutoff"):
        value_by_cutoff(parse_measure("Rprec"), _values(_grades([1]), BINARY), (1,))


@pytest.mark.parametrize("measure", EXACT, ids=str)
def test_contributions_add_up_to_the_value(measure):
    """What the ranks add is the value, for every measure that is a sum over ranks."""
    rng = np.random.default_rng(10)
    for _ in range(5):
        grades = _grades(*_random_case(rng, THREE))
        curve = contribution_by_rank(measure, grades, THREE)
        value = compute_value(measure, grades, THREE)
        if value is None or measure.name == "NumRel" or not grades.n_judged:
            assert curve is None
        else:
            assert curve.y.sum() == pytest.approx(value, abs=1e-12)
