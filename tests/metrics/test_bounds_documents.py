"""Which unjudged documents can change a difference, against every grading of small cases."""

from itertools import product

import numpy as np
import pytest

from judgetool.core.scale import scale_preset
from judgetool.metrics.grades import RankingPair, compute_value
from judgetool.metrics.measure import parse_measure
from judgetool.metrics.prospects import OpenDocuments, count_deciding
from tests.metrics.test_bounds import THREE
from tests.metrics.test_bounds_difference import SCALES, _random_pair

BY_RULE = ("P@2", "P@3", "CG@3", "DCG@3", "RBP(p=0.8)", "NumRelRet", "RR", "RR@3", "Success@2")
SHARED = ("R@2", "R@3", "R_cap@2", "R_cap@3", "SetF", "F@3")
RATIO = ("nDCG@2", "nDCG@3", "nDCG", "nDCG(ideal='uncut')@2", "nDCG(ideal='retrieved')@3")
TRIED = ("AP", "AP@3", "AP(norm='k')@3", "AP(norm='found')@3", "ERR@3", "pFound@3", "Rprec")
UNKNOWN = ("Bpref", "P(judged_only=True)@3", "nDCG(ideal='length')")


def count_by_trying(measure, pair, scale):
    """Documents whose grade changes the difference in any grading of the others, by brute force."""
    places = np.flatnonzero(pair.is_open)
    found, choices = set(), (np.nan, *scale.grades)
    values = {}
    for grading in product(choices, repeat=len(places)):
        grades = pair.grades.copy()
        grades[places] = grading
        here = RankingPair(pair.first, pair.second, grades, pair.pooled)
        sides = [compute_value(measure, side, scale) or 0.0 for side in here.query_grades()]
        values[tuple(map(str, grading))] = sides[0] - sides[1]
    for grading, value in values.items():
        for at, place in enumerate(places.tolist()):
            for other in choices:
                changed = (*grading[:at], str(other), *grading[at + 1 :])
                if abs(values[changed] - value) > 1e-12:
                    found.add(place)
    return len(found)


@pytest.mark.parametrize("name", [*BY_RULE, *SHARED, *RATIO, *TRIED, *UNKNOWN])
def test_the_count_is_true(name):
    """What is called exact is exact; of all else there are at most so many."""
    rng, measure, n_exact = np.random.default_rng(5), parse_measure(name), 0
    for turn in range(30):
        scale = SCALES[turn % len(SCALES)]
        first, second, known, documents = _random_pair(rng, scale)
        if len(documents) - len(known) > 3:
            continue
        pair = RankingPair.from_documents(first, second, known=known, pool=documents)
        found, true = count_deciding(measure, pair, scale), count_by_trying(measure, pair, scale)
        assert found.n >= true, (found, true, first, second, known)
        if found.is_exact:
            n_exact += 1
            assert found.n == true, (found, true, first, second, known)
    assert n_exact > 3 or name in UNKNOWN
    assert n_exact > 8 or name not in (*BY_RULE, *SHARED)


def test_below_a_cutoff_nothing_matters():
    """P@5 knows the first five of either alone; R@5 divides by R, which everybody can change."""
    first = list(range(100))
    second = [*range(1, 6), 0, *range(6, 100)]
    pair = RankingPair.from_documents(first, second, known={}, pool=range(200))
    scale = scale_preset("binary")
    assert count_deciding(parse_measure("P@5"), pair, scale) == OpenDocuments(2)
    assert count_deciding(parse_measure("R@5"), pair, scale) == OpenDocuments(200)
    assert count_deciding(parse_measure("ERR@5"), pair, THREE) == OpenDocuments(6)


def test_where_too_much_would_be_tried_all_may_matter():
    """Of very many open documents, and beside a grade beyond the scale, nothing is said for sure."""
    n = 501
    pair = RankingPair.from_documents(range(n), range(n)[::-1], known={}, pool=range(n))
    assert count_deciding(parse_measure("AP"), pair, THREE) == OpenDocuments(n, is_exact=False)
    pair = RankingPair.from_documents([0, 1], [1, 2], known={0: 9.0}, pool=range(3))
    assert count_deciding(parse_measure("ERR@2"), pair, THREE) == OpenDocuments(2, is_exact=False)


def test_a_full_ideal_is_entered_by_nobody():
    """With the best grade judged as often as the ideal has ranks, only who stands unlike matters."""
    known = dict.fromkeys(range(50, 52), THREE.grades[-1])
    pair = RankingPair.from_documents([0, 1, 2, 3], [2, 1, 0, 3], known=known, pool=range(60))
    assert count_deciding(parse_measure("nDCG@2"), pair, THREE) == OpenDocuments(2)
