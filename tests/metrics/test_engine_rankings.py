"""Rankings replaced one by one, and assumed grades, equal an engine that began with them."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgetool.core.scale import scale_preset
from judgetool.metrics import Engine, RunBlock, parse_measure
from judgetool.metrics.rankings import FactTable

MEASURES = [parse_measure(each) for each in ("nDCG@3", "AP", "P@2", "RR", "Judged@3", "Bpref")]
SCALE = scale_preset("0-3")
N_QUERIES = 3


def make_engine(judged, block, assumed=None, measures=MEASURES):
    """An engine with one run."""
    engine = Engine(N_QUERIES, scale=SCALE, measures=measures)
    rows = [(query, doc, grade) for (query, doc), grade in judged.items()]
    queries, documents, grades = zip(*rows, strict=True) if rows else ((), (), ())
    engine.set_judgments(
        np.array(queries, np.int32), np.array(documents, np.int32), np.array(grades, float)
    )
    engine.add_run(1, block, assumed=assumed)
    return engine


def block_of(rankings):
    """A block of the rankings of all queries."""
    lengths = [len(each) for each in rankings]
    documents = np.array([doc for each in rankings for doc in each], dtype=np.int32)
    return RunBlock(np.cumsum([0, *lengths]), documents)


rankings = st.lists(st.integers(0, 7), unique=True, max_size=6)
runs = st.lists(rankings, min_size=N_QUERIES, max_size=N_QUERIES)
pairs = st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, 8))
grades = st.sampled_from([0.0, 1.0, 2.0, 3.0])
judged = st.dictionaries(pairs, grades, max_size=10)
changes = st.lists(
    st.one_of(
        st.tuples(st.just("rank"), st.integers(0, N_QUERIES - 1), rankings),
        st.tuples(
            st.just("assume"),
            st.integers(0, N_QUERIES - 1),
            st.dictionaries(st.integers(0, 8), grades),
        ),
        st.tuples(st.just("judge"), pairs, st.one_of(st.none(), grades)),
    ),
    max_size=6,
)


@given(judged, runs, changes)
# What was judged before anything is assumed counts also in a ranking that is changed after it.
@example(
    {},
    [[1, 2], [1], []],
    [("judge", (0, 1), 3.0), ("assume", 1, {5: 1.0}), ("rank", 0, [2, 1])],
)
def test_changes_one_by_one_equal_a_fresh_start(judgments, run, steps):
    """After any rankings, assumptions and judgments the engine is as if it had begun so."""
    engine = make_engine(judgments, block_of(run))
    now, said, assumed = [list(each) for each in run], dict(judgments), {}
    for kind, where, what in steps:
        if kind == "judge":
            engine.judge(*where, what)
            said.pop(where, None) if what is None else said.__setitem__(where, what)
            continue
        if kind == "rank":
            now[where] = what
        else:
            assumed[where] = what
        ranked = np.array(now[where], dtype=np.int32)
        engine.set_ranking(1, where, ranked, assumed=assumed.get(where))
    fresh = make_engine(said, block_of(now), assumed)
    assert np.array_equal(engine.values(1).filled(-1), fresh.values(1).filled(-1))
    assert engine.means(1) == fresh.means(1)
    assert [engine.value(1, query) for query in range(N_QUERIES)] == [
        fresh.value(1, query) for query in range(N_QUERIES)
    ]


@given(judged, runs, rankings)
def test_trying_a_ranking_tells_what_setting_it_would_make(judgments, run, ranking):
    """What is tried equals what is then set, and nothing changes before."""
    engine = make_engine(judgments, block_of(run))
    before = engine.values(1)
    documents = np.array(ranking, dtype=np.int32)
    values, means = engine.try_ranking(1, 0, documents)
    assert np.array_equal(engine.values(1).filled(-1), before.filled(-1))
    engine.set_ranking(1, 0, documents)
    assert values == tuple(value.value for value in engine.value(1, 0)) or any(
        value.reason for value in engine.value(1, 0)
    )
    assert means == engine.means(1)


@pytest.mark.parametrize("name", ["nDCG@3", "StRecall@1"])
def test_trying_grades_tells_what_judging_would_make(name):
    """Of each run, also by what is known of subtopics, which no grade changes."""
    engine = make_engine({(0, 1): 1.0}, block_of([[1, 2], [], []]), measures=[parse_measure(name)])
    pairs = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
    engine.set_facts("subtopics", FactTable(*pairs, np.array([[1.0, 0.0], [0.0, 1.0]])))
    engine.add_run(2, block_of([[2, 1], [], []]))
    tried = engine.try_grades(0, [(2, 0.0), (2, 3.0)])
    for place, grade in enumerate((0.0, 3.0)):
        engine.judge(0, 2, grade)
        values = [engine.value(key, 0)[0].value for key in (1, 2)]
        assert tried[place, :, 0].tolist() == values
    assert engine.try_grades(0, []).shape == (0, 2, 1)


def test_a_judgment_counts_before_an_assumption():
    """What is judged is not what is assumed, and an assumption is no judgment."""
    run = block_of([[1, 2], [], []])
    engine = make_engine({(0, 1): 0.0}, run, {0: {1: 3.0, 2: 3.0}})
    graded = engine.query_grades(1, 0)
    assert graded.ranked.tolist() == [0.0, 3.0]
    assert engine.judged_of(1, 0, [2]) == {2: (1, 2)}
    engine = make_engine({(0, 1): -1.0}, run, {0: {1: 3.0}})
    assert engine.query_grades(1, 0).ranked[0] == 3.0, "it is of the pool, and nobody judged it"


def test_assumptions_count_for_their_run_alone():
    """Another run of the engine does not see what one assumes."""
    run = block_of([[1, 2], [], []])
    engine = make_engine({(0, 1): 1.0}, run)
    before = engine.value(1, 0)
    engine.add_run(2, run, assumed={0: {2: 3.0}})
    assert engine.value(1, 0) == before
    assert engine.value(2, 0) != before
