"""Deciding between two runs: laws of units, lots, bets and stops, by enumeration where that can be."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.scale import SCALE_PRESETS
from judgetool.errors import UsageError
from judgetool.metrics import parse_measure
from judgetool.metrics.decide import Attempt, DecideRules, Draw, Ending, outcome_by_interval, weigh
from judgetool.metrics.decide_units import DEPTH, PairQuery, Units, pool_pair
from judgetool.metrics.grades import RankingPair, compute_value
from tests.helpers.laws import examples

BINARY, FOUR = SCALE_PRESETS["binary"], SCALE_PRESETS["0-3"]
TOLERANCE = 1e-9


def queries_of(*rankings, grades=None):
    """Return queries of equal share: pairs of rankings of document numbers; all open, or graded."""
    found = []
    for number, (first, second) in enumerate(rankings):
        n = max((*first, *second), default=-1) + 1
        known = np.full(n, np.nan) if grades is None else np.array(grades[number][:n], float)
        pair = RankingPair(np.array(first, np.intp), np.array(second, np.intp), known)
        found.append(PairQuery(pair, np.ones(n, dtype=bool), 1.0 / len(rankings)))
    return found


def judged(units, truth):
    """Judge all documents of units as ``truth`` says by query and place; return low, high before."""
    before = units.low.copy(), units.high.copy()
    for document, (query, place) in enumerate(zip(units.queries, units.places, strict=True)):
        units.give(document, truth[query][place])
    return before


def chances_of(low, high, left):
    """Return each open unit's chance, and the least and most that a draw could make of them."""
    sizes = {unit: max(-low[unit], high[unit]) for unit in left}
    total = sum(sizes.values())
    chances = {unit: size / total for unit, size in sizes.items()}
    least = min(low[unit] / chances[unit] for unit in left)
    most = max(high[unit] / chances[unit] for unit in left)
    return chances, least, most


def all_logs(units, low, high):
    """Yield every order of draws with its chance."""
    for order in itertools.permutations(range(len(units))):
        chance, draws = 1.0, []
        for at, unit in enumerate(order):
            chances, least, most = chances_of(low, high, order[at:])
            chance *= chances[unit]
            draws.append(Draw(unit, chances[unit], least, most))
        yield chance, draws


RANKINGS = [((0, 1, 2), (3, 4, 0)), ((0, 1), (2, 1))]
"""P@2 and DCG@3 of these have four and seven documents that count."""


@pytest.mark.parametrize("measure", ["P@3", "DCG@3"])
@pytest.mark.parametrize("bits", range(0, 64, 7))
def test_bets_are_fair_in_every_order_of_draws(measure, bits):
    """Mean stake 1 at most where the claim is false, and a wrong stop no likelier than the risk."""
    truth = [[bits >> place & 1 for place in range(5)], [bits >> place & 1 for place in (5, 0, 3)]]
    units = Units(parse_measure(measure), BINARY, queries_of(*RANKINGS))
    low, high = judged(units, truth)
    total = units.now.sum()
    stakes, wrong = np.zeros(2), {0.1: 0.0, 0.3: 0.0, 0.6: 0.0}
    for chance, draws in all_logs(units, low, high):
        bets = weigh(draws, units.low, units.high)
        stakes += chance * np.exp([bets.first[-1], bets.second[-1]])
        for risk in wrong:
            stop = bets.first_stop(risk)
            wrong[risk] += chance * (stop is not None and stop[1] * total < 0)
    if total <= TOLERANCE:
        assert stakes[0] <= 1 + TOLERANCE
    if total >= -TOLERANCE:
        assert stakes[1] <= 1 + TOLERANCE
    assert all(chance <= risk for risk, chance in wrong.items())


def test_a_draw_makes_the_true_total_on_average():
    """Known sum and drawn unit over its chance: the mean over all first draws is the total."""
    units = Units(parse_measure("DCG@3"), FOUR, queries_of(*RANKINGS))
    low, high = judged(units, [[3, 0, 2, 1, 1], [2, 0, 3]])
    chances, *ends = chances_of(low, high, range(len(units)))
    assert sum(p * units.now[unit] / p for unit, p in chances.items()) == pytest.approx(
        units.now.sum()
    )
    # So are those that the lot gives: 4,000 first draws.
    counts = np.zeros(len(units))
    units.clear()
    for seed in range(4000):
        drawn = Attempt(units, DecideRules(), seed).draw()
        counts[drawn.unit] += 1
    assert drawn[1:4] == pytest.approx((chances[drawn.unit], *ends))
    assert counts / 4000 == pytest.approx([chances[u] for u in range(len(units))], abs=0.03)


def test_units_of_sums_are_matched_pairs():
    """K-th best of one run with k-th best of the other; what both have at one rank is left out."""
    units = Units(parse_measure("P@3"), BINARY, queries_of(((0, 1, 2), (3, 2, 4))))
    pairs = [sorted(units.places[units.of == unit].tolist()) for unit in range(len(units))]
    assert pairs == [[0, 3], [1, 4]]
    assert units.low == pytest.approx([-1 / 3, -1 / 3])


@st.composite
def cases(draw):
    """Two queries of two rankings of three of four documents, with some of them judged."""
    ranking = st.permutations(range(4)).map(lambda order: tuple(order[:3]))
    rankings = [draw(st.tuples(ranking, ranking)) for _ in range(2)]
    grade = st.one_of(st.none(), st.integers(0, 1))
    known = [draw(st.lists(grade, min_size=4, max_size=4)) for _ in range(2)]
    return rankings, known


@settings(max_examples=examples(25), deadline=None)
@given(cases(), st.sampled_from(["P@2", "DCG@2", "nDCG@2", "RR@2", "AP@2"]))
def test_certain_is_what_every_grading_says(case, measure):
    """The interval's ends are the least and greatest mean difference over all gradings."""
    rankings, known = case
    measure = parse_measure(measure)
    grades = [[np.nan if each is None else each for each in row] for row in known]
    queries = []
    for (first, second), row in zip(rankings, grades, strict=True):
        pair = RankingPair(np.array(first), np.array(second), np.array(row, float))
        found = pool_pair(pair, measure, BINARY)
        queries.append(PairQuery(found.pair, found.counts, 0.5))
    units = Units(measure, BINARY, queries)
    ends = np.zeros(2)
    for query in queries:
        seen = [
            np.subtract(*(compute_value(measure, s, BINARY) or 0.0 for s in graded.query_grades()))
            for graded in gradings(query.pair)
        ]
        ends += 0.5 * np.array([min(seen), max(seen)])
    assert units.interval == pytest.approx(tuple(ends))


def gradings(pair):
    """Yield a pair with every way to grade what is open."""
    at = np.flatnonzero(pair.is_open)
    for given_ in itertools.product((0.0, 1.0), repeat=len(at)):
        grades = pair.grades.copy()
        grades[at] = given_
        yield RankingPair(pair.first, pair.second, grades)


RANDOM = np.random.default_rng(5)
MANY = [tuple(tuple(RANDOM.permutation(8)[:5]) for _ in range(2)) for _ in range(12)]
TRUTH = [[float(grade) for grade in RANDOM.integers(0, 4, 8)] for _ in MANY]


def play(units, seed, *, until=None, rules=DecideRules(), truth=TRUTH):  # noqa: B008 - a value
    """Draw and judge until so many draws are made, or none is left."""
    decision = Attempt(units, rules, seed)
    while len(decision.draws) != until and decision.draw() is not None:
        while (document := decision.next_document()) is not None:
            units.give(document, truth[units.queries[document]][units.places[document]])
    return decision


def units_of(measure="DCG@5", rankings=MANY):
    """Return the units of twelve queries with grades 0 to 3."""
    return Units(parse_measure(measure), FOUR, queries_of(*rankings))


@pytest.mark.parametrize("measure", ["P@5", "DCG@5", "nDCG@5"])
def test_the_runs_may_change_names(measure):
    """With A and B exchanged the same is drawn, and the evidence is exchanged."""
    there = play(units_of(measure), 3)
    back = play(units_of(measure, [(second, first) for first, second in MANY]), 3)
    assert [each.unit for each in there.draws] == [each.unit for each in back.draws]
    assert there.evidence().first == pytest.approx(back.evidence().second)
    assert there.units.interval == pytest.approx([-end for end in back.units.interval[::-1]])


def test_the_estimate_of_few_draws_is_the_true_difference_on_average():
    """It takes what nobody judged for what the lot says, not for 0; all judged, it is the difference."""
    few, whole = [play(units_of(), seed, until=6) for seed in range(200)], play(units_of(), 0)
    truth = whole.units.now.sum()
    estimates = np.array([each.estimate() for each in few])
    assert estimates[:, 0].mean() == pytest.approx(truth, abs=0.15)
    assert estimates[:, 1].mean() == pytest.approx(estimates[:, 0].std(), rel=0.25)
    assert np.mean([each.units.now.sum() for each in few]) < truth / 2
    assert whole.estimate() == pytest.approx((truth, 0.0))
    assert play(units_of(), 0, until=1).estimate() is None


@pytest.mark.parametrize("measure", ["DCG@5", "nDCG@5"])
def test_all_follows_from_the_log_and_the_grades(measure):
    """Opened anew, with the draws as logged, the same evidence stands there and the same is drawn next."""
    decision = play(units_of(measure), 3, until=6)
    units = units_of(measure)
    judged_so_far = zip(units.queries, units.places, decision.units.grades, strict=True)
    for document, (_, _, grade) in enumerate(judged_so_far):
        if not np.isnan(grade):
            units.give(document, grade)
    again = Attempt(units, DecideRules(), 3, list(decision.draws))
    assert np.array_equal(again.evidence().first, decision.evidence().first)
    assert again.draw() == decision.draw()


def test_a_grade_taken_back_and_given_again_leaves_no_trace():
    """Undo keeps the draw; the reopened unit is asked for first, and then all is as it was."""
    decision = play(units_of(), 3, until=6)
    units, before = decision.units, decision.evidence().first
    document = int(np.flatnonzero(units.of == decision.draws[2].unit)[0])
    grade = units.grades[document]
    units.give(document, None)
    assert decision.next_document() == document
    assert len(decision.evidence().first) == 6
    assert decision.evidence().first[-1] <= before[-1] + TOLERANCE
    units.give(document, grade)
    assert decision.evidence().first == pytest.approx(before)


def test_what_is_skipped_stays_drawn_and_counts_at_its_worst():
    """No judgment comes of it: the bets go on with its ends, and it is not drawn again."""
    decision = play(units_of(), 3, until=4)
    decision.draw()
    drawn = decision.draws[-1].unit
    assert len(decision.evidence().first) == 4
    for document in decision.units.open_of(drawn).tolist():
        decision.units.shut(document)
    assert decision.next_document() is None
    assert len(decision.evidence().first) == 5
    while decision.draw() is not None:
        assert decision.draws[-1].unit != drawn
        for document in decision.units.open_of(decision.draws[-1].unit).tolist():
            decision.units.give(document, 0.0)


def test_what_is_judged_elsewhere_moves_to_what_is_known():
    """It is logged with the next draw, and no more drawn."""
    decision = play(units_of(), 3, until=2)
    units = decision.units
    other = next(u for u in range(len(units)) if u not in [d.unit for d in decision.draws])
    for document in units.open_of(other).tolist():
        units.give(document, 3.0)
    assert decision.draw().known == (other,)
    assert other not in [each.unit for each in play(units, 3).draws]


def test_half_a_unit_is_no_bet():
    """Evidence moves when the pair is judged, not with its first document."""
    decision = play(units_of(), 3, until=3)
    decision.draw()
    documents = decision.units.open_of(decision.draws[-1].unit).tolist()
    assert len(documents) == 2
    decision.units.give(documents[0], 3.0)
    assert len(decision.evidence().first) == 3
    decision.units.give(documents[1], 0.0)
    assert len(decision.evidence().first) == 4


def test_a_clear_difference_is_seen_early_and_named():
    """The first run has all that is good: it is named long before all is judged, right for every seed."""
    rankings = [((0, 1, 2, 3), (4, 5, 6, 7)) for _ in range(40)]
    truth = [[3.0] * 4 + [0.0] * 4] * 40
    for seed in range(5):
        decision = Attempt(units_of("P@4", rankings), DecideRules(), seed)
        n_draws = 0
        while (outcome := decision.outcome()) is None:
            decision.draw()
            n_draws += 1
            while (document := decision.next_document()) is not None:
                units = decision.units
                units.give(document, truth[units.queries[document]][units.places[document]])
        assert outcome == Ending(1, is_certain=False)
        assert n_draws < 20


def test_a_difference_below_the_tie_is_said_to_be_none():
    """Both runs are alike: with a tie it stops before all is judged, without one it is certain in the end."""
    rankings = [((0, 1, 2, 3), (4, 5, 6, 7)) for _ in range(60)]
    truth = [[1.0, 0.0] * 4] * 60
    tied = play(units_of("P@4", rankings), 1, rules=DecideRules(tie=0.3), truth=truth, until=100)
    assert tied.outcome() == Ending(0, is_certain=False)
    whole = play(units_of("P@4", rankings), 1, truth=truth)
    assert whole.outcome() == Ending(0, is_certain=True)


def test_certain_needs_no_draw():
    """Ends beyond 0 say all; ends within the tie, too."""
    assert outcome_by_interval((0.1, 0.2), None) == Ending(1, is_certain=True)
    assert outcome_by_interval((-0.2, -0.1), None) == Ending(-1, is_certain=True)
    assert outcome_by_interval((-0.01, 0.01), 0.02) == Ending(0, is_certain=True)
    assert outcome_by_interval((-0.01, 0.01), None) is None
    empty = Attempt(
        Units(parse_measure("P@5"), FOUR, queries_of(((0, 1), (0, 1)))), DecideRules(), 1
    )
    assert empty.draw() is None
    assert empty.outcome() == Ending(0, is_certain=True)


def test_what_is_likely_left_is_within_what_there_is():
    """Only of pairs, from 20 draws on; between nothing and all that is open."""
    decision = play(units_of(), 3, until=19)
    assert decision.likely_left() is None
    decision = play(units_of(), 3, until=24)
    low, high = decision.likely_left()
    assert 0 < low <= high <= decision.most_left
    assert play(units_of("nDCG@5"), 3, until=8).likely_left() is None


@pytest.mark.parametrize("name", ["Judged@10", "CTR@10"])
def test_what_no_judgment_settles_is_refused(name):
    """Of the share judged, and of clicks, there is nothing to decide by judging."""
    with pytest.raises(UsageError, match="settle"):
        Units(parse_measure(name), FOUR, queries_of(((0, 1), (1, 0))))


def test_unjudged_documents_below_the_cutoff_are_nobodys_to_judge():
    """The pool is of both tops; the rest is left away, what is judged stays."""
    grades = np.array([np.nan, np.nan, 1.0, np.nan, np.nan])
    pair = RankingPair(np.array([0, 2, 3]), np.array([1, 3, 4]), grades)
    found = pool_pair(pair, parse_measure("nDCG@1"), BINARY)
    assert found.kept.tolist() == [0, 1, 2]
    assert (found.pair.first.tolist(), found.pair.second.tolist()) == ([0], [1])
    assert found.counts.tolist() == [True, True, False]


def test_without_a_cutoff_documents_of_nobody_keep_their_ranks_and_count_as_not_relevant():
    """The pool is of the first hundred of both; nobody will be shown what comes below."""
    ranking = np.arange(DEPTH + 1)
    pair = RankingPair(ranking, ranking[::-1].copy(), np.full(DEPTH + 3, np.nan))
    found = pool_pair(pair, parse_measure("nDCG"), BINARY)
    assert len(found.pair.first) == len(found.kept) - 2 == DEPTH + 1
    assert np.flatnonzero(~found.counts).tolist() == [DEPTH + 1, DEPTH + 2]
    assert found.pair.grades[-2:].tolist() == [0.0, 0.0]
