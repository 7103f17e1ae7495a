"""What is left to judge until Judged@k = 1 for all runs."""

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from judgetool.core.judgments import Query
from judgetool.session.commands import Say
from judgetool.session.pool import PoolPolicy, set_pool
from judgetool.session.queue import judgments_left
from tests.helpers.builders import Parts, make_project
from tests.helpers.laws import examples

RUNS = {
    "alpha": {"q": ["d1", "d2", "d3"], "r": ["d1", "d4"]},
    "beta": {"q": ["d2", "d5"]},
}


def is_judging(step):
    return step is not None and step.kind == "judge"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    parts = Parts(queries=[Query("q"), Query("r"), Query("s")], runs=RUNS)
    with make_project(tmp_path_factory.mktemp("left"), parts) as session:
        yield session


def test_left_counts_what_any_run_ranks(project):
    """Each unjudged pair within the first ranks counts once; the pool's policy plays no part."""
    project.execute(set_pool(PoolPolicy("depth", 1)))
    assert judgments_left(project, 1)[:3] == (3, 2, 3)
    assert judgments_left(project, 2)[:3] == (5, 2, 5)


def test_what_cannot_be_judged_is_told_apart(project):
    """It is not left, and Judged@k ends below 1 for its query; the lowest of any run is told."""
    project.execute(Say.cannot_judge(0, project.material.find_document("d2")))
    assert judgments_left(project, 2) == (4, 2, 5, 1, (0,), 0.5)
    assert judgments_left(project, 3) == (5, 2, 6, 1, (0,), 0.5)
    assert judgments_left(project, 1) == (2, 2, 3, 1, (0,), 0.0)
    project.undo()
    assert judgments_left(project, 2)[3:] == (0, (), 1.0)


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["judge", "cannot", "skip", "clear", "undo", "redo"]),
        st.integers(0, 1),
        st.integers(1, 5),
    ),
    max_size=8,
)


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(actions=ACTIONS, k=st.integers(1, 4))
def test_left_is_always_what_is_unjudged_in_the_first_ranks(project, actions, k):
    """After anything said, undone or done again it equals a plain count."""
    judgments_left(project, k)
    for action, query, number in actions:
        document = project.material.find_document(f"d{number}")
        match action:
            case "judge":
                project.execute(Say.grade(query, document, number % 4))
            case "cannot":
                project.execute(Say.cannot_judge(query, document))
            case "skip":
                project.execute(Say.skip(query, document))
            case "clear":
                project.execute(Say.clear(query, document))
            # Not the import before: without it there are no queries.
            case "undo" if is_judging(project.undo_step):
                project.undo()
            case "redo" if is_judging(project.redo_step):
                project.redo()
    ids = project.material.document_ids()
    expected = {
        (query, name)
        for run in RUNS.values()
        for query, query_id in enumerate("qr")
        for name in run.get(query_id, [])[:k]
        if name not in {ids[number] for number in project.board.settled(query)}
    }
    left = judgments_left(project, k)
    assert (left.pairs, left.queries) == (len(expected), len({query for query, _ in expected}))
    assert left.is_done == (not expected)
