"""The interval of a difference over shared unknowns, against all gradings."""

from itertools import product

import numpy as np
import pytest

from judgetool.core.scale import scale_preset
from judgetool.metrics.bounds import compute_bounds
from judgetool.metrics.bounds_difference import compute_difference_bounds
from judgetool.metrics.grades import QueryGrades, RankingPair, compute_value
from judgetool.metrics.measure import parse_measure
from tests.helpers.laws import examples
from tests.metrics import textbook
from tests.metrics.test_bounds import EXACT, ODD, THREE

DEFAULT = ("P@5", "P@10", "R@10", "AP", "RR", "nDCG@5", "nDCG@10", "ERR@10", "pFound@10")
SCALES = (scale_preset("binary"), THREE, ODD)


def _random_pair(rng, scale):
    """Two rankings of up to 6 documents, some shared, some judged, some only in the pool."""
    n_documents = int(rng.integers(1, 8))
    documents = np.arange(10, 10 + n_documents)
    first = rng.permutation(documents)[: rng.integers(0, min(6, n_documents) + 1)]
    if rng.random() < 0.5:
        second = first.copy()
        if len(second) > 1:
            here, there = rng.choice(len(second), 2, replace=False)
            moved = second[here]
            second = np.insert(np.delete(second, here), there, moved)
    else:
        second = rng.permutation(documents)[: rng.integers(0, min(6, n_documents) + 1)]
    most_open = {2: 6, 3: 4}[len(scale.grades)]
    open_documents = set(rng.permutation(documents)[: rng.integers(0, most_open + 1)].tolist())
    known = {
        int(document): float(rng.choice(scale.grades))
        for document in documents
        if int(document) not in open_documents
    }
    return first, second, known, documents


def _all_differences(measure, first, second, known, documents, scale):
    """Differences over all gradings, and as it stands."""
    open_documents = [int(document) for document in documents if int(document) not in known]
    now = [
        compute_value(measure, side, scale) or 0.0
        for side in RankingPair.from_documents(
            first, second, known=known, pool=documents
        ).query_grades()
    ]
    yield now[0] - now[1]
    for grading in product(scale.grades, repeat=len(open_documents)):
        grades = known | dict(zip(open_documents, grading, strict=True))
        values = [
            textbook.value(
                measure,
                [grades[int(document)] for document in ranking],
                [grades[int(d)] for d in documents if d not in ranking],
                scale,
            )
            for ranking in (first, second)
        ]
        yield values[0] - values[1]


def _check(measure, case, scale):
    first, second, known, documents = case
    bounds = compute_difference_bounds(
        measure, first, second, known=known, scale=scale, pool=documents
    )
    values = list(_all_differences(measure, first, second, known, documents, scale))
    expected = pytest.approx((min(values), max(values)), abs=1e-12)
    assert (bounds.low, bounds.high) == expected, (measure, case)
    assert bounds.is_exact


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: scale.name)
def test_difference_bounds_are_the_ends_over_all_gradings(scale):
    """Both ends are exact on short rankings, for all measures."""
    rng = np.random.default_rng(20_260_202)
    for _ in range(examples(700)):
        case = _random_pair(rng, scale)
        for measure in rng.choice(np.array(EXACT, dtype=object), 3, replace=False):
            _check(measure, case, scale)


@pytest.mark.parametrize("measure", EXACT, ids=str)
def test_each_measure_has_exact_difference_bounds(measure):
    """Every measure of the list agrees with all gradings of its own rankings."""
    rng = np.random.default_rng(11)
    for _ in range(5):
        for scale in SCALES[1:]:
            _check(measure, _random_pair(rng, scale), scale)


def test_a_moved_card_has_an_exact_interval_in_a_long_unjudged_ranking():
    """Only the ranks between old and new place need be tried, whatever lies around them."""
    before = np.arange(1000)
    after = np.insert(np.delete(before, 9), 2, 9)
    known = {3: 1.0, 9: 3.0, 20: 2.0}
    for name in DEFAULT:
        bounds = compute_difference_bounds(
            parse_measure(name), after, before, known=known, scale=scale_preset("0-3")
        )
        assert bounds.is_exact, name
        assert bounds.low <= bounds.high


def test_the_interval_of_a_moved_card_contains_random_gradings():
    """What the enumeration leaves out cannot go beyond the ends."""
    rng = np.random.default_rng(15)
    scale = scale_preset("0-3")
    before = np.arange(60)
    after = np.insert(np.delete(before, 14), 5, 14)
    known = {int(key): float(rng.integers(0, 4)) for key in rng.choice(60, 12, replace=False)}
    for name in (*DEFAULT, "AP@10", "AP(norm='min')@10", "ERR", "pFound", "nDCG"):
        measure = parse_measure(name)
        bounds = compute_difference_bounds(measure, after, before, known=known, scale=scale)
        for _ in range(60):
            grades = {key: known.get(key, float(rng.integers(0, 4))) for key in range(60)}
            values = [
                compute_value(measure, QueryGrades(np.array([grades[key] for key in order])), scale)
                for order in (after.tolist(), before.tolist())
            ]
            difference = (values[0] or 0) - (values[1] or 0)
            assert bounds.low - 1e-12 <= difference <= bounds.high + 1e-12, name


def test_too_many_changed_places_give_the_wide_range_and_say_so():
    """Two runs that share no order: the range is that of the two intervals, not exact."""
    first, second = np.arange(60), np.arange(60)[::-1]
    measure = parse_measure("AP")
    bounds = compute_difference_bounds(
        measure, first, second, known={0: 1.0}, scale=scale_preset("binary")
    )
    alone = compute_bounds(
        measure, QueryGrades(np.array([1.0] + [np.nan] * 59)), scale_preset("binary")
    )
    other = compute_bounds(
        measure, QueryGrades(np.array([np.nan] * 59 + [1.0])), scale_preset("binary")
    )
    assert not bounds.is_exact
    assert (bounds.low, bounds.high) == (alone.low - other.high, alone.high - other.low)


@pytest.mark.parametrize(
    "name",
    [
        *("P@50", "SetP", "CG", "DCG@50", "RBP", "RBP(rel='gain')", "NumRet", "NumRet(rel=1)"),
        *("NumRel", "NumRelRet", "NumNonrelRet", "NumQ", "R@50", "R_cap@50", "F1@50", "SetR"),
        *("SetF", "RR", "Success@20", "nDCG@20", "nDCG", "Judged@20", "Unjudged@20", "RBPres"),
    ],
)
def test_any_number_of_unjudged_documents_is_exact_where_no_grading_is_tried(name):
    """Sixty documents the other way round: by signs, counts and ratios, not one by one."""
    first, second = np.arange(60), np.arange(60)[::-1]
    bounds = compute_difference_bounds(
        parse_measure(name), first, second, known={0: 1.0, 30: 2.0}, scale=THREE
    )
    assert bounds.is_exact


def test_equal_rankings_differ_by_exactly_nothing():
    """Whatever is unjudged, it counts alike on both sides."""
    for name in (*DEFAULT, "tau", "Bpref"):
        bounds = compute_difference_bounds(
            parse_measure(name), [3, 1, 2], [3, 1, 2], known={1: 1.0}, scale=THREE
        )
        assert (bounds.low, bounds.high, bounds.is_exact) == (0.0, 0.0, True)


def test_the_difference_is_narrower_than_that_of_two_intervals():
    """Shared unknowns cancel: precision of two orders of the same documents is the same."""
    bounds = compute_difference_bounds(
        parse_measure("P@3"), [1, 2, 3], [3, 2, 1], known={}, scale=THREE
    )
    assert (bounds.low, bounds.high) == (0.0, 0.0)


def test_of_too_many_shared_documents_nothing_exact_is_said():
    """Two orders of forty unjudged documents: their gradings are not all tried for ERR."""
    orders = [range(40), range(39, -1, -1)]
    bounds = compute_difference_bounds(parse_measure("ERR"), *orders, known={}, scale=THREE)
    assert not bounds.is_exact
    assert bounds.low == -bounds.high < 0


def test_swapping_the_rankings_mirrors_the_interval():
    """Low and high change places and sign."""
    rng = np.random.default_rng(16)
    for _ in range(60):
        first, second, known, documents = _random_pair(rng, THREE)
        for measure in EXACT[::7]:
            ends = {"known": known, "scale": THREE, "pool": documents}
            here = compute_difference_bounds(measure, first, second, **ends)
            there = compute_difference_bounds(measure, second, first, **ends)
            expected = pytest.approx((-there.high, -there.low), abs=1e-12)
            assert (here.low, here.high) == expected


def test_a_ranking_with_a_document_twice_is_refused():
    """It would count one judgment at two ranks."""
    with pytest.raises(ValueError, match="twice"):
        RankingPair.from_documents([1, 1], [1], known={})


def test_a_grade_above_the_scale_gives_the_wide_range():
    """There is no value to subtract, so nothing is claimed."""
    bounds = compute_difference_bounds(
        parse_measure("ERR@3"), [1, 2], [2, 1], known={1: 5.0}, scale=THREE
    )
    assert (bounds.low, bounds.high, bounds.is_exact) == (-1.0, 1.0, False)
