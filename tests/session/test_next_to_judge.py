"""What to judge next: verdicts are never said wrongly, and stakes are what judging does."""

import itertools
import random

import numpy as np
import pytest

from judgetool.core.judgments import Document, Query
from judgetool.core.scale import scale_preset
from judgetool.metrics import Conventions, Engine, RunBlock, parse_measure
from judgetool.session.commands import Say, WorkCancelledError, set_conventions, set_measures
from judgetool.session.comparing.pair_bounds import (
    PairFacts,
    QueryPair,
    bound_pair,
    narrowing_work,
    overturn_work,
    pair_bounds_work,
)
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.comparing.these_queries import of_these_queries
from judgetool.session.pool import PoolPolicy, set_pool
from judgetool.session.systems import System
from judgetool.session.whatifs.editing import create_whatif
from tests.helpers.builders import Parts, make_project
from tests.helpers.laws import examples
from tests.session.whatif_projects import project  # noqa: F401 - a fixture

BINARY = scale_preset("binary")
NAMES = ("P@2", "RR", "AP", "nDCG@2", "R@2", "ERR@2", "AP@2", "Bpref")


def random_facts(chance, measure, conventions, weights=(1.0,)):
    """Two systems of two or three queries with short rankings, some judged."""
    queries = []
    for query in range(chance.randint(2, 3)):
        first = chance.sample(range(4), chance.randint(0, 3))
        second = chance.sample(range(4), chance.randint(0, 3))
        known = {doc: float(chance.randint(0, 1)) for doc in range(5) if chance.random() < 0.6}
        arrays = [np.array(each, dtype=np.int32) for each in (first, second)]
        pool = np.array(sorted({*first, *second}), dtype=np.int32)
        weight = weights[query % len(weights)]
        queries.append(QueryPair(query, weight, bool(known), *arrays, known, pool))
    return PairFacts(tuple(queries), measure, BINARY, conventions, ("a", "b"))


def differences_of_all_gradings(facts, *, wholly=False):
    """The mean difference for every way to judge some, none or all of what is open.

    With ``wholly`` of each query none or all: what Bpref's interval speaks of.
    """
    open_pairs = [
        (each.query, doc)
        for each in facts.queries
        for doc in sorted({*each.first.tolist(), *each.second.tolist()} - set(each.known))
    ]
    if len(open_pairs) > 5:
        return None
    blocks = [
        RunBlock(
            np.cumsum([0, *(len(ranking) for ranking in side)]),
            np.concatenate(side).astype(np.int32),
        )
        for side in (
            [each.first for each in facts.queries],
            [each.second for each in facts.queries],
        )
    ]
    known = [(q.query, doc, grade) for q in facts.queries for doc, grade in q.known.items()]
    found = []
    for grades in itertools.product([None, 0.0, 1.0], repeat=len(open_pairs)):
        halves = [
            {g is None for pair, g in zip(open_pairs, grades, strict=True) if pair[0] == each.query}
            for each in facts.queries
        ]
        if wholly and any(len(half) > 1 for half in halves):
            continue
        engine = Engine(
            len(facts.queries),
            scale=BINARY,
            measures=[facts.measure],
            conventions=facts.conventions,
        )
        more = [(*pair, g) for pair, g in zip(open_pairs, grades, strict=True) if g is not None]
        rows = list(zip(*(known + more), strict=True)) if known or more else [(), (), ()]
        engine.set_judgments(
            np.array(rows[0], np.int32), np.array(rows[1], np.int32), np.array(rows[2], float)
        )
        for key, block in enumerate(blocks):
            engine.add_run(key, block)
        values = [engine.counted_values(key)[:, 0] for key in (0, 1)]
        counts = ~np.ma.getmaskarray(values[0] - values[1])
        difference = (values[0] - values[1]).compressed()
        weights = np.array([each.weight for each in facts.queries])[counts]
        mean = np.average(np.round(difference, 12), weights=weights) if len(difference) else None
        found.append(None if mean is None else float(mean))
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("undefined", ["zero", "leave out"])
def test_a_verdict_is_never_said_wrongly(name, undefined):
    """Where it is decided, no way of judging on gives the other sign."""
    chance = random.Random(f"{name} {undefined}")
    n_decided = n_open = 0
    for _ in range(examples(40)):
        facts = random_facts(chance, parse_measure(name), Conventions(undefined=undefined))
        every = differences_of_all_gradings(facts)
        if every is None:
            continue
        verdict = bound_pair(facts)
        if verdict.is_certain:
            n_decided += 1
            signs = {int(np.sign(round(each, 9))) for each in every if each is not None}
            assert len(signs) == 1, (facts, verdict, signs)
        else:
            n_open += 1
    assert n_decided
    assert n_open


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("undefined", ["zero", "leave out"])
@pytest.mark.parametrize("missing", ["judged", "both", "all"])
@pytest.mark.parametrize("weights", [(1.0,), (2.0, 0.5, 3.0)])
def test_a_mean_difference_stays_between_its_ends(name, undefined, missing, weights):
    """Brute force: no way of judging on leaves the interval, and exact ends are attained."""
    chance = random.Random(f"{name} {undefined} {missing}")
    n_exact = 0
    for _ in range(examples(25)):
        conventions = Conventions(undefined=undefined, missing=missing)
        facts = random_facts(chance, parse_measure(name), conventions, weights)
        every = differences_of_all_gradings(facts, wholly=name == "Bpref")
        if every is None:
            continue
        found = bound_pair(facts)
        # The first way is to judge nothing more.
        assert found.difference == pytest.approx(every[0])
        means = [each for each in every if each is not None] or [0.0]
        assert found.low <= min(means) + 1e-9, facts
        assert found.high >= max(means) - 1e-9, facts
        if found.is_exact:
            n_exact += 1
            assert (found.low, found.high) == pytest.approx((min(means), max(means))), facts
    assert n_exact


def test_judging_on_never_leaves_the_interval(project):  # noqa: F811
    """Whatever is judged next, the mean difference stays within what was said."""
    one, two = present_systems(project)[:2]
    for measure in project.measures[:9]:
        before = pair_bounds_work(project, one, two, measure)(None, None)
        for document in project.board.pool(0).tolist():
            project.execute(Say.grade(0, document, 2.0))
        after = pair_bounds_work(project, one, two, measure)(None, None)
        assert before.low - 1e-9 <= after.difference <= before.high + 1e-9
        while project.undo_step and project.undo_step.kind == "judge":
            project.undo()


def test_a_comparison_with_all_judged_is_certain(project):  # noqa: F811
    """With nothing open, the interval is the difference itself."""
    one, two = present_systems(project)[:2]
    for query in range(3):
        for document in range(1, 9):
            project.execute(Say.grade(query, document, float(document % 4)))
    verdict = pair_bounds_work(project, one, two, parse_measure("nDCG@10"))(None, None)
    assert verdict.is_certain
    assert verdict.n_open == 0
    assert verdict.low == pytest.approx(verdict.difference)
    assert of_these_queries(verdict.names, verdict).kind == "certain"


def test_both_sides_are_offered(project):  # noqa: F811
    """Two-sided stake lists documents that help either run; one-sided only those that turn it."""
    measure = parse_measure("nDCG@10")
    one, two = present_systems(project)[:2]
    fair = overturn_work(project, one, two, measure, is_two_sided=True)(None, None)
    leaning = overturn_work(project, one, two, measure)(None, None)
    by_pair = {(each.query, each.document): each.stake for each in fair}
    assert by_pair.keys() > {(each.query, each.document) for each in leaning}
    assert all(by_pair[each.query, each.document] >= each.stake - 1e-12 for each in leaning)


def test_a_stake_is_what_one_judgment_does(project):  # noqa: F811
    """Judging the first candidate moves the mean difference by its stake at most, and can."""
    project.execute(set_measures(("AP",)))
    measure = parse_measure("AP")
    one, two = present_systems(project)[:2]
    engine = project.board.engine

    def difference():
        first, second = (engine.means(int(each.id))[0].value for each in (one, two))
        return first - second

    start = difference()
    best = overturn_work(project, one, two, measure)(None, None)[0]
    moves = []
    for grade in (0.0, 1.0, 2.0, 3.0):
        project.execute(Say.grade(best.query, best.document, grade))
        moves.append(abs(difference() - start))
        project.undo()
    assert max(moves) == pytest.approx(best.stake, abs=1e-9)


def test_candidates_come_by_stake(project):  # noqa: F811
    """The most useful document comes first, and none is judged already."""
    one, two = present_systems(project)[:2]
    for found in (
        overturn_work(project, one, two, parse_measure("nDCG@10"))(None, None),
        narrowing_work(project, one, parse_measure("nDCG@10"))(None, None),
    ):
        stakes = [each.stake for each in found]
        assert stakes == sorted(stakes, reverse=True)
        assert all(each.stake > 0 for each in found)
        assert all(each.document not in project.board.settled(each.query) for each in found)


@pytest.mark.parametrize("name", ["nDCG@2", "R@2", "AP@2", "ERR@2"])
def test_who_judges_what_is_listed_comes_to_an_end_that_is_certain(project, name):  # noqa: F811
    """Listed is what matters, in the pool or below it: when nothing is left, nothing is open."""
    project.execute(set_pool(PoolPolicy("depth", 1)))
    (one, two), measure = present_systems(project)[:2], parse_measure(name)
    project.execute(set_measures((name,)))
    while found := overturn_work(project, one, two, measure, is_two_sided=True)(None, None):
        project.execute(Say.grade(found[0].query, found[0].document, 1.0))
    bounds = pair_bounds_work(project, one, two, measure)(None, None)
    assert bounds.n_open == 0
    assert (bounds.low, bounds.high) == pytest.approx((bounds.difference,) * 2)


def test_without_a_cutoff_the_ranks_below_the_first_hundred_are_looked_at_last(tmp_path):
    """As long as something is at stake above them they are not listed."""
    names = [f"d{number:03}" for number in range(103)]
    runs = {"a": {"q": names}, "b": {"q": [*names[:100], *names[:99:-1]]}}
    judged = [("q", name, "anna", 1.0) for name in names[1:100]]
    parts = Parts([Query("q", "deep")], [Document(name, name) for name in names], runs, judged)
    with make_project(tmp_path, parts) as session:
        session.execute(set_pool(PoolPolicy("depth", 1)))
        one, two = present_systems(session)
        search = overturn_work(session, one, two, parse_measure("AP"), is_two_sided=True)
        listed = [session.material.document_id(each.document) for each in search(None, None)]
        assert sorted(listed) == ["d100", "d102"]


def test_where_no_judgment_decides_nothing_is_listed(project):  # noqa: F811
    """By a measure of how much is judged, and of queries that neither run has results for."""
    one, two, gamma = present_systems(project)
    for measure in map(parse_measure, ("Judged@5", "RBPres(p=0.8)", "NumRet")):
        assert overturn_work(project, one, two, measure)(None, None) == []
        assert narrowing_work(project, one, measure)(None, None) == []
    later = System("what-if", create_whatif(project, "later", int(gamma.id)), "later")
    find = overturn_work(project, gamma, later, parse_measure("P@5"), where="bread")
    assert find(None, None) == []


def test_nobody_is_sent_to_what_cannot_be_judged(project):  # noqa: F811
    """Somebody who counts has looked at it already; it stays open, as it has no grade."""
    one, two = present_systems(project)[:2]
    measure = parse_measure("nDCG@10")

    def listed():
        found = overturn_work(project, one, two, measure)(None, None)
        found += narrowing_work(project, one, measure)(None, None)
        return {(each.query, each.document) for each in found}

    first = min(listed())
    n_open = pair_bounds_work(project, one, two, measure)(None, None).n_open
    project.execute(Say.cannot_judge(*first))
    assert first not in listed()
    assert pair_bounds_work(project, one, two, measure)(None, None).n_open == n_open
    project.undo()
    assert first in listed()


def test_overturning_is_found_where_one_judgment_does_it(tmp_path):
    """A document that alone makes the worse run the better is marked."""
    parts = Parts(
        [Query("q", "soup")],
        runs={"a": {"q": ["x", "y"]}, "b": {"q": ["z", "x"]}},
        judgments=[("q", "x", "anna", 1.0)],
        scale="binary",
    )
    with make_project(tmp_path, parts) as session:
        one, two = present_systems(session)
        found = overturn_work(session, one, two, parse_measure("RR"))(None, None)
        assert [session.material.document_id(each.document) for each in found] == ["z"]
        assert found[0].can_overturn


def test_a_search_can_be_cancelled(project):  # noqa: F811
    """A cancelled search ends with a sentence."""
    one, two = present_systems(project)[:2]
    with pytest.raises(WorkCancelledError):
        overturn_work(project, one, two, parse_measure("AP"))(None, lambda: True)


def moves_of_one_judgment(session, measure):
    """By (query, document): by how much one judgment moves the mean difference at most, either way."""
    one, two = present_systems(session)[:2]

    def difference():
        column = session.measures.index(measure)
        engine = session.board.engine
        sides = [engine.counted_values(int(each.id))[:, column] for each in (one, two)]
        found = (sides[0] - sides[1]).compressed()
        return float(found.mean()) if len(found) else 0.0

    start, found = difference(), {}
    for query in range(len(session.material.queries)):
        ranked = {*session.material.ranked_documents(int(one.id), query).tolist()}
        ranked |= {*session.material.ranked_documents(int(two.id), query).tolist()}
        for document in sorted(ranked - {*session.board.settled(query)}):
            moves = []
            for level in session.scale.levels:
                session.execute(Say.grade(query, document, level.grade))
                moves.append(abs(difference() - start))
                session.undo()
            if max(moves) > 1e-12:
                found[query, document] = max(moves)
    return found


@pytest.mark.parametrize("undefined", ["zero", "leave out"])
@pytest.mark.parametrize("name", ["P@2", "AP", "nDCG@2", "RR", "ERR@2"])
def test_a_stake_in_a_query_that_nobody_judged_counts_that_query(tmp_path, name, undefined):
    """One judgment has the mean over one query more: every stake is what it does, and none is lacking."""
    parts = Parts(
        [Query(each, each) for each in ("q1", "q2", "q3", "q4")],
        runs={
            "a": {"q1": ["x1", "x2"], "q2": ["y1", "z"], "q3": ["s", "t"], "q4": ["u", "v"]},
            "b": {"q1": ["x3", "x2"], "q2": ["y2", "z"], "q3": ["s", "t"], "q4": ["v", "w"]},
        },
        judgments=[
            ("q1", "x1", "anna", 1.0),
            ("q1", "x3", "anna", 0.0),
            ("q4", "v", "anna", 0.0),
        ],
        scale="binary",
    )
    measure = parse_measure(name)
    with make_project(tmp_path, parts) as session:
        session.execute(set_measures((name,)))
        session.execute(set_conventions(Conventions(undefined=undefined)))
        one, two = present_systems(session)[:2]
        found = overturn_work(session, one, two, measure, is_two_sided=True)(None, None)
        stakes = {(each.query, each.document): each.stake for each in found}
        expected = moves_of_one_judgment(session, measure)
        ways = {key: ways_of_one_judgment(session, measure, key) for key in stakes}
    assert {0, 1, 2, 3} >= {query for query, _ in expected} >= {1, 2}
    assert stakes == pytest.approx(expected)
    assert {each[:2]: (each.sign, each.only_joins) for each in found} == ways


def ways_of_one_judgment(session, measure, pair):
    """Which way one judgment moves the mean difference, and whether it leaves its query's as it is."""
    one, two = present_systems(session)[:2]
    column, query = session.measures.index(measure), pair[0]

    def now():
        engine = session.board.engine
        sides = [engine.counted_values(int(each.id))[:, column] for each in (one, two)]
        found = sides[0] - sides[1]
        known = found.compressed()
        mean = float(known.mean()) if len(known) else 0.0
        return mean, float(found.filled(0.0)[query]), not np.ma.getmaskarray(found)[query]

    start, _, counts = now()
    means, own = [], []
    for level in session.scale.levels:
        session.execute(Say.grade(*pair, level.grade))
        mean, difference, _ = now()
        means.append(mean - start)
        own.append(difference)
        session.undo()
    sign = (max(means) > 1e-12) - (min(means) < -1e-12)
    return sign, not counts and max(own) - min(own) < 1e-12


def widths_of_one_judgment(session):
    """By (query, document): how far apart the first run's mean is after one grade and another."""
    (one, *_), found = present_systems(session), {}
    for query in range(len(session.material.queries)):
        ranked = session.material.ranked_documents(int(one.id), query).tolist()
        for document in sorted({*ranked} - {*session.board.settled(query)}):
            means = []
            for level in session.scale.levels:
                session.execute(Say.grade(query, document, level.grade))
                means.append(session.board.engine.means(int(one.id))[0].value)
                session.undo()
            if max(means) - min(means) > 1e-12:
                found[query, document] = max(means) - min(means)
    return found


@pytest.mark.parametrize("missing", ["judged", "both", "all"])
@pytest.mark.parametrize("undefined", ["zero", "leave out"])
@pytest.mark.parametrize("name", ["P@2", "AP", "nDCG@2", "NumRelRet"])
def test_what_makes_a_mean_surer_is_by_the_queries_of_the_mean(tmp_path, name, undefined, missing):
    """A judgment moves the mean over all queries that count by the conventions, not those judged alone."""
    parts = Parts(
        [Query(each, each) for each in ("q1", "q2", "q3", "q4")],
        runs={"a": {"q1": ["x1", "x2"], "q2": ["y1", "z"], "q3": ["s", "t"]}},
        judgments=[("q1", "x1", "anna", 1.0), ("q3", "s", "anna", 0.0), ("q4", "v", "anna", 1.0)],
        scale="binary",
    )
    with make_project(tmp_path, parts) as session:
        session.execute(set_measures((name,)))
        session.execute(set_conventions(Conventions(undefined=undefined, missing=missing)))
        (one, *_), (measure,) = present_systems(session), session.measures
        said = narrowing_work(session, one, measure)(None, None)
        stakes = {(each.query, each.document): each.stake for each in said}
        assert stakes == pytest.approx(widths_of_one_judgment(session), abs=1e-12)
