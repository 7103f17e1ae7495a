"""The queue's orders: what they are made of, and that they lose and double nothing."""

from dataclasses import asdict

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from judgetool.core.judgments import Query
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import Say, set_measures
from judgetool.session.opening import open_project
from judgetool.session.pool import PoolPolicy, set_pool
from judgetool.session.queue import (
    ORDER_KINDS,
    OrderPolicy,
    find_next_pair,
    find_next_unjudged,
    find_query_with,
    fixed_queue,
    interleave,
    list_documents,
    list_ranks,
    make_random_key,
    move_to_front,
    order_documents,
    order_of,
    queue_facts,
    set_order,
)
from tests.helpers.builders import Parts, make_project

QUERY = "q"
RUNS = {
    "alpha": {QUERY: ["d1", "d2", "d3", "d4"], "r": ["d1", "d9"]},
    "beta": {QUERY: ["d1", "d5", "d2", "d6"], "r": ["d9", "d8"]},
}


@pytest.fixture
def project(tmp_path):
    parts = Parts(queries=[Query(QUERY), Query("r")], runs=RUNS)
    with make_project(tmp_path, parts) as session:
        yield session


def doc(session, external_id):
    return session.material.find_document(external_id)


def names(session, documents):
    ids = session.material.document_ids()
    return [ids[int(number)] for number in documents]


def queue(session, kind, **options):
    return names(session, order_documents(session, 0, OrderPolicy(kind, **options)))


@pytest.mark.parametrize("kind", ORDER_KINDS)
@pytest.mark.parametrize("unjudged_first", [False, True])
def test_every_order_has_each_document_of_the_pool_once(project, kind, unjudged_first):
    """An order loses and doubles nothing, whatever is judged."""
    project.execute(Say.grade(0, doc(project, "d2"), 0))
    project.execute(Say.grade(0, doc(project, "d5"), 3))
    policy = OrderPolicy(kind, unjudged_first=unjudged_first)
    ordered = order_documents(project, 0, policy)
    assert sorted(ordered.tolist()) == sorted(project.board.pool(0).tolist())


def test_order_of_ranks_follows_the_shown_run(project):
    """First as the run ranks, then what it lacks."""
    run = project.material.find_run("beta").run_id
    ordered = order_documents(project, 0, OrderPolicy("rank"), run)
    assert names(project, ordered) == ["d1", "d5", "d2", "d6", "d3", "d4"]


def test_order_of_ids_is_by_code_points(project):
    """The order of documents' ids, whatever run found them."""
    assert queue(project, "id") == ["d1", "d2", "d3", "d4", "d5", "d6"]


def test_round_robin_gives_each_run_its_turn(project):
    """A run whose best document is there already gives its next one."""
    assert queue(project, "interleaved") == ["d1", "d5", "d2", "d6", "d3", "d4"]


def test_unjudged_first_keeps_the_order_otherwise(project):
    """Judged documents go to the end, and both parts stay in order."""
    project.execute(Say.grade(0, doc(project, "d1"), 2))
    project.execute(Say.cannot_judge(0, doc(project, "d3")))
    assert queue(project, "id", unjudged_first=True) == ["d2", "d4", "d5", "d6", "d1", "d3"]


def test_random_order_is_known_in_advance():
    """The key is BLAKE2b over seed, assessor, query and document, each with its length."""
    assert make_random_key(1, "anna", "q")("d1").hex() == "e0ae512c4b3c4d5af4f60e7c705a6105"


def test_random_order_does_not_depend_on_import_order(tmp_path):
    """Two projects that met the same documents in another order have the same queue."""
    orders = []
    for name, ranked in (("one", ["a", "b", "c", "d", "e"]), ("two", ["e", "c", "a", "d", "b"])):
        parts = Parts(queries=[Query(QUERY)], runs={"run": {QUERY: ranked}})
        with make_project(tmp_path, parts, name=name) as session:
            orders.append(queue(session, "random", seed=7))
    assert orders[0] == orders[1]


def test_random_order_differs_by_assessor_and_seed(project):
    """Each assessor and each seed has another order."""
    anna = queue(project, "random")
    other_seed = queue(project, "random", seed=2)
    project.assessor = "ben"
    assert len({tuple(anna), tuple(other_seed), tuple(queue(project, "random"))}) == 3


@given(
    st.tuples(st.integers(), st.text(), st.text(), st.text()),
    st.tuples(st.integers(), st.text(), st.text(), st.text()),
)
def test_random_keys_are_equal_only_for_equal_parts(one, other):
    """Parts that read alike when put together still give different keys."""
    try:
        keys = [make_random_key(*each[:3])(each[3]) for each in (one, other)]
    except UnicodeEncodeError:
        return
    assert (keys[0] == keys[1]) == (one == other)


def test_move_to_front_stays_with_a_run_that_finds(project):
    """After a relevant document its run gives the next; after another it waits."""
    assert queue(project, "move_to_front")[0] == "d1"
    project.execute(Say.grade(0, doc(project, "d1"), 3))
    assert queue(project, "move_to_front")[:2] == ["d1", "d2"]
    project.execute(Say.grade(0, doc(project, "d2"), 3))
    assert queue(project, "move_to_front")[:3] == ["d1", "d2", "d3"]
    project.execute(Say.grade(0, doc(project, "d3"), 0))
    assert queue(project, "move_to_front")[:4] == ["d1", "d2", "d3", "d5"]


def test_move_to_front_keeps_judged_documents_in_their_order(project):
    """The list does not jump under the assessor: what is judged stays where it was."""
    for document in ("d6", "d1"):
        project.execute(Say.grade(0, doc(project, document), 0))
    assert queue(project, "move_to_front")[:2] == ["d6", "d1"]


def test_document_that_cannot_be_judged_says_nothing_of_its_run():
    """The run in front stays there."""
    rankings = [np.array([1, 2]), np.array([3, 4])]
    pool = np.array([1, 3, 2, 4])
    assert move_to_front(rankings, pool, [(1, None)]).tolist() == [1, 2, 3, 4]
    assert move_to_front(rankings, pool, [(1, False)]).tolist() == [1, 3, 2, 4]


ARRAYS = st.lists(st.lists(st.integers(0, 9), unique=True).map(np.array), max_size=4)


@given(
    rankings=ARRAYS,
    pool=st.lists(st.integers(0, 12), unique=True),
    judged=st.lists(
        st.tuples(st.integers(0, 12), st.none() | st.booleans()), unique_by=lambda pair: pair[0]
    ),
)
def test_runs_in_turn_lose_and_double_nothing(rankings, pool, judged):
    """Round robin and move-to-front are orders of the pool; judged documents lead."""
    rankings = [ranked.astype(np.int32) for ranked in rankings]
    members = np.array(pool, dtype=np.int32)
    assert sorted(interleave(rankings, members).tolist()) == sorted(pool)
    moved = move_to_front(rankings, members, judged).tolist()
    assert sorted(moved) == sorted(pool)
    known = [document for document, _ in judged if document in pool]
    assert moved[: len(known)] == known


def test_stake_puts_first_what_moves_the_value_most(project):
    """By RR the first unjudged rank decides; below a relevant document nothing is at stake."""
    project.execute(set_measures(("RR",)))
    assert queue(project, "stake")[0] == "d1"
    project.execute(Say.grade(0, doc(project, "d1"), 0))
    assert set(queue(project, "stake")[:2]) == {"d2", "d5"}
    assert queue(project, "stake")[-1] == "d1"


def test_an_empty_pool_has_nothing_at_stake(tmp_path):
    """A query that no run has results for is ordered like any other."""
    with make_project(tmp_path, Parts([Query("q")], [], {"a": {}}, [])) as session:
        assert order_documents(session, 0, OrderPolicy("stake")).tolist() == []
        assert find_query_with(session, 1, None) is None


def test_stake_follows_the_chosen_measure(project):
    """With another first measure the order is found anew."""
    project.execute(Say.grade(0, doc(project, "d3"), 3))
    project.execute(set_measures(("P@4",)))
    assert queue(project, "stake") == ["d1", "d2", "d5", "d4", "d6", "d3"]
    project.execute(set_measures(("RR",)))
    assert queue(project, "stake") == ["d1", "d5", "d2", "d6", "d4", "d3"]


def test_own_order_comes_before_the_projects(project):
    """An assessor's own order counts for them alone, until it is taken away."""
    project.execute(set_order(OrderPolicy("id")))
    project.execute(set_order(OrderPolicy("random", 5), assessor="anna"))
    assert order_of(project) == OrderPolicy("random", 5)
    project.assessor = "ben"
    assert order_of(project) == OrderPolicy("id")
    project.assessor = "anna"
    project.execute(set_order(None, assessor="anna"))
    assert order_of(project) == OrderPolicy("id")


def test_order_is_kept_in_the_project(project):
    """Another reader of the file finds the same order; Undo takes it back."""
    project.execute(set_order(OrderPolicy("stake", unjudged_first=True, across_queries=True)))
    with open_project(project.path, read_only=True) as other:
        assert order_of(other) == order_of(project)
    project.undo()
    assert order_of(project) == OrderPolicy()


def test_unknown_order_is_refused():
    """A kind that does not exist is told in a sentence."""
    with pytest.raises(CommandRefusedError, match="no order"):
        OrderPolicy("alphabetical")


@given(
    st.builds(
        OrderPolicy, st.sampled_from(ORDER_KINDS), st.integers(), st.booleans(), st.booleans()
    )
)
def test_stored_order_reads_back(policy):
    """What is stored of an order makes the same order again."""
    assert OrderPolicy.from_dict(asdict(policy)) == policy


def test_queue_facts_say_order_and_seed(project):
    """What is recorded with a judgment: kind and seed."""
    project.execute(set_order(OrderPolicy("id", 3)))
    facts = queue_facts(project)
    assert (facts["order"], facts["seed"]) == ("id", 3)


def test_list_shows_the_queue_then_the_rest_of_the_run(project):
    """In another order than ranks the pool comes first; ranks are told apart."""
    project.execute(set_order(OrderPolicy("id")))
    run = project.material.find_run("beta").run_id
    documents, n_ranked = list_documents(project, run, 0)
    assert names(project, documents) == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert n_ranked == 4
    assert list_ranks(project, run, 0, documents).tolist() == [1, 3, 0, 0, 2, 4]


def test_list_by_rank_is_as_ever(project):
    """The run's ranking, then documents of the pool that it lacks."""
    run = project.material.find_run("alpha").run_id
    documents, n_ranked = list_documents(project, run, 0)
    assert names(project, documents) == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert n_ranked == 4


@pytest.mark.parametrize("kind", ["rank", "id", "random", "interleaved"])
def test_queue_across_queries_has_each_pair_once(project, kind):
    """The queue over all queries is their pools, nothing lost or doubled."""
    project.execute(Say.grade(0, doc(project, "d1"), 2))
    queue = fixed_queue(project, OrderPolicy(kind, 1, across_queries=True))
    pairs = list(queue.iter_from(0))
    queries, documents = project.board.whole_pool.pairs()
    assert sorted(pairs) == sorted(zip(queries.tolist(), documents.tolist(), strict=True))


def test_queue_across_queries_takes_them_in_turn(project):
    """One document of each query, then the next of each."""
    pairs = fixed_queue(project, OrderPolicy("id", across_queries=True)).iter_from(0)
    assert [query for query, _ in pairs] == [0, 1, 0, 1, 0, 1, 0, 0, 0]


@pytest.mark.parametrize("kind", ORDER_KINDS)
@pytest.mark.parametrize("unjudged_first", [False, True])
def test_judging_along_the_queue_across_queries_meets_every_pair_once(
    project, kind, unjudged_first
):
    """From pair to next pair everything is judged, and then nothing is left."""
    policy = OrderPolicy(kind, 1, unjudged_first, across_queries=True)
    project.execute(set_order(policy))
    met = []
    pair = find_next_pair(project, None)
    while pair is not None:
        met.append(pair)
        project.execute(Say.grade(*pair, len(met) % 4))
        pair = find_next_pair(project, pair)
    assert len(met) == len(set(met)) == project.board.total_progress().total


def test_skipped_pair_comes_last(project):
    """What was put off is offered when nothing else is left."""
    project.execute(set_order(OrderPolicy("id", across_queries=True)))
    first = find_next_pair(project, None)
    project.execute(Say.skip(*first))
    pair = find_next_pair(project, first)
    while pair != first:
        project.execute(Say.grade(*pair, 1))
        pair = find_next_pair(project, pair)
    assert project.board.total_progress() == (8, 9)


def test_queue_across_queries_follows_the_pool(project):
    """A queue that was kept is built anew when the pool changes."""
    policy = OrderPolicy("random", across_queries=True)
    assert len(fixed_queue(project, policy)) == 9
    project.execute(set_pool(PoolPolicy("depth", 1)))
    assert len(fixed_queue(project, policy)) == 3


def test_next_unjudged_follows_the_order_that_is_shown(project):
    """Places are those of the list, whatever its order."""
    project.execute(set_order(OrderPolicy("id")))
    documents = list_documents(project, None, 0)[0].tolist()
    project.execute(Say.grade(0, documents[0], 1))
    assert find_next_unjudged(project, 0, documents, after=0) == 1
