"""Stakes against the plain definition: grade one document, leave all others as they are."""

import numpy as np
import pytest

from judgetool.metrics.grades import QueryGrades, RankingPair, compute_value
from judgetool.metrics.measure import Measure, parse_measure
from judgetool.metrics.stakes import compute_difference_table, compute_stakes
from tests.metrics import textbook
from tests.metrics.test_bounds import EXACT, ODD, THREE, _grades, _random_case

# The textbook's infAP is that of a full grading; the engine's is checked by its own tests.
BY_TEXTBOOK = [measure for measure in EXACT if measure.name != "infAP"]
OTHERS = [parse_measure(name) for name in ("tau", "tau_ap", "rho", "RBO", "infAP", "tau@3")]


def _values_of_document(measure, case, place, scale):
    ranked, missing, _ = case
    for grade in scale.grades:
        filled = list(ranked)
        filled[place] = grade
        yield textbook.value(measure, filled, missing, scale)


@pytest.mark.parametrize("measure", BY_TEXTBOOK, ids=str)
def test_a_stake_is_the_range_over_the_documents_own_grade(measure):
    """Least and greatest value agree with grading the document by hand, others not relevant."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        for scale in (THREE, ODD):
            case = _random_case(rng, scale)
            stakes = compute_stakes(measure, _grades(*case), scale)
            open_places = [place for place, grade in enumerate(case[0]) if grade is None]
            assert stakes.ranks.tolist() == [place + 1 for place in open_places]
            for at, place in enumerate(open_places):
                values = list(_values_of_document(measure, case, place, scale))
                found = (stakes.low[at], stakes.high[at])
                assert found == pytest.approx((min(values), max(values)), abs=1e-12), case


@pytest.mark.parametrize(
    "measure", [measure for measure in EXACT if measure.has_param("judged_only")], ids=str
)
def test_a_stake_with_unjudged_left_out_agrees_with_condensed_lists(measure):
    """The document enters the condensed list between its judged neighbours."""
    rng = np.random.default_rng(4)
    condensed = measure.with_params(judged_only=True)
    for _ in range(6):
        case = _random_case(rng, THREE)
        stakes = compute_stakes(measure, _grades(*case), THREE, leave_out_unjudged=True)
        for at, rank in enumerate(stakes.ranks.tolist()):
            values = list(_values_of_document(condensed, case, rank - 1, THREE))
            found = (stakes.low[at], stakes.high[at])
            assert found == pytest.approx((min(values), max(values)), abs=1e-12), case


@pytest.mark.parametrize("measure", OTHERS, ids=str)
def test_stakes_of_correlations_and_inferred_ap_follow_the_engine(measure):
    """They agree with the engine's value of each grading, one at a time."""
    rng = np.random.default_rng(5)
    for _ in range(6):
        case = _random_case(rng, THREE)
        grades = _grades(*case)
        stakes = compute_stakes(measure, grades, THREE)
        for at, rank in enumerate(stakes.ranks.tolist()):
            values = []
            for grade in THREE.grades:
                ranked = grades.ranked.copy()
                ranked[rank - 1] = grade
                changed = QueryGrades(ranked, grades.missing)
                values.append(compute_value(measure, changed, THREE) or 0.0)
            found = (stakes.low[at], stakes.high[at])
            assert found == pytest.approx((min(values), max(values)), abs=1e-12), case


def test_a_missing_document_has_a_stake_through_the_ideal():
    """A pool document that is not retrieved can lower nDCG; it cannot touch precision."""
    grades = _grades([2, None])
    assert compute_stakes(parse_measure("P@2"), grades, THREE).missing == 0
    ndcg = parse_measure("nDCG@2")
    lowest = textbook.value(ndcg, [2, None], [2], THREE)
    assert compute_stakes(ndcg, grades, THREE).missing == pytest.approx(1 - lowest)


def test_a_fully_judged_ranking_has_no_stakes():
    """There is no entry when nothing is unjudged, nor in an empty ranking."""
    for ranked in ([2, 0, 1], []):
        stakes = compute_stakes(parse_measure("AP"), _grades(ranked), THREE)
        assert len(stakes.widths) == 0


def test_the_judged_share_has_no_stakes():
    """No grade matters to it, only that there is one."""
    stakes = compute_stakes(parse_measure("Judged@2"), _grades([None, 1]), THREE)
    assert stakes.widths.tolist() == [0.0]


def test_only_documents_that_differ_in_place_can_turn_precision():
    """P@1 of two rankings is decided by their first documents."""
    pair = RankingPair.from_documents([1, 2, 3], [2, 1, 3], known={}, pool=[4])
    documents, values = compute_difference_table(parse_measure("P@1"), pair, THREE)
    assert documents.tolist() == [0, 1, 2, 3]
    assert values.min(axis=1).tolist() == [0.0, -1.0, 0.0, 0.0]
    assert values.max(axis=1).tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "measure", [Measure("AP"), Measure("nDCG", (), 3), Measure("ERR", (), 2)], ids=str
)
def test_stakes_in_a_difference_agree_with_values_by_hand(measure):
    """The range of the difference, from textbook values."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        documents = rng.permutation(6)
        first, second = documents[:5], rng.permutation(documents)[:4]
        known = {int(key): float(rng.integers(0, 3)) for key in documents[:: rng.integers(1, 4)]}
        pair = RankingPair.from_documents(first, second, known=known, pool=documents)
        found, table = compute_difference_table(measure, pair, THREE)

        def difference(grades, first=first, second=second):
            values = [
                textbook.value(
                    measure,
                    [grades.get(int(key)) for key in ranking],
                    [grade for key, grade in grades.items() if key not in ranking],
                    THREE,
                )
                for ranking in (first, second)
            ]
            return values[0] - values[1]

        for at, document in enumerate(found.tolist()):
            values = [difference(known | {document: grade}) for grade in THREE.grades]
            ends = (table[at].min(), table[at].max())
            assert ends == pytest.approx((min(values), max(values)), abs=1e-12)
