"""One assessor beside the others: by definition with several, as of any two with one."""

import random
from statistics import fmean

import pytest

from judgetool.metrics import AgreementData, compute_agreement
from judgetool.metrics.agreement import LINEAR_KAPPA, BesideOthers

LEVELS = (0.0, 1.0, 2.0, 3.0)


def draw_pairs(seed, *, n_queries, n=40):
    draw = random.Random(seed)
    queries = sorted(draw.randrange(n_queries) for _ in range(n))
    own = [float(draw.randrange(4)) for _ in range(n)]
    other = [min(3.0, max(0.0, each + draw.choice((-1, 0, 0, 1)))) for each in own]
    return queries, own, other


@pytest.mark.parametrize("n_queries", [1, 2, 7])
def test_of_a_single_other_kappa_is_cohens_with_its_interval(n_queries):
    """Value and ends are those of any two assessors, over queries, and over documents of one query."""
    queries, own, other = draw_pairs(n_queries, n_queries=n_queries)
    n = len(queries)
    data = AgreementData.of_columns(
        [f"q{each}" for each in queries] * 2,
        [*range(n), *range(n)],
        ["anna"] * n + ["ben"] * n,
        [*own, *other],
        levels=LEVELS,
    )
    (wanted,) = compute_agreement(data, [LINEAR_KAPPA], errors="queries")
    found = BesideOthers.of_columns(queries, own, range(n), other).find_kappa(LEVELS)
    assert found[2:5] == pytest.approx(wanted[2:5])
    assert found[:2] == wanted[:2]


def test_documents_weigh_alike_however_many_graded_them():
    """Ten others of one document and one of another: the mean is over the two documents."""
    beside = BesideOthers.of_columns([0, 1], [2, 2], [0] * 10 + [1], [0.0] * 10 + [3.0])
    assert beside.find_difference().value == pytest.approx(fmean([2.0, -1.0]))


@pytest.mark.parametrize(
    ("own", "other", "reason"),
    [
        ([], [], "no document was graded by two assessors"),
        ([1.0, 1.0], [1.0, 1.0], "the agreement by chance is 1"),
    ],
    ids=["nothing", "alike"],
)
def test_what_is_undefined_says_why(own, other, reason):
    """As of any two assessors."""
    n = len(own)
    found = BesideOthers.of_columns(range(n), own, range(n), other).find_kappa(LEVELS)
    assert (found.value, found.reason) == (None, reason)


def test_a_single_document_has_a_kappa_without_an_interval():
    """Without it nothing is left to compare with."""
    found = BesideOthers.of_columns([0], [2.0], [0], [1.0]).find_kappa(LEVELS)
    assert (found.value, found.low, found.high) == (0.0, None, None)


@pytest.mark.parametrize(("n", "n_queries"), [(12, 1), (6, 6)], ids=["one query", "few documents"])
def test_a_difference_of_one_query_or_few_documents_has_no_interval(n, n_queries):
    """The jackknife is over queries; two documents that are alike would make any difference sure."""
    queries = [place * n_queries // n for place in range(n)]
    found = BesideOthers.of_columns(queries, [2] * n, range(n), [1] * n).find_difference()
    assert (found.value, found.low, found.high, found.sign) == (1.0, None, None, 0)
