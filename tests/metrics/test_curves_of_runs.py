"""Curves over a whole run equal the engine's means."""

import numpy as np
import pytest

from judgetool.core.scale import scale_preset
from judgetool.metrics import Conventions, Engine, RunBlock, parse_measure
from judgetool.metrics.curves import contribution_by_rank, mean_by_cutoff, mean_dcg_by_rank

SCALE = scale_preset("0-3")
CUTOFFS = (1, 2, 3, 5, 10)


@pytest.fixture
def engine():
    """One run of four queries, of which three are judged."""
    chance = np.random.default_rng(5)
    rankings = [chance.permutation(12)[:n].astype(np.int32) for n in (8, 3, 0, 12)]
    pairs = [(query, int(doc)) for query in (0, 1, 2) for doc in chance.permutation(12)[:6]]
    made = Engine(4, scale=SCALE, measures=[parse_measure(f"nDCG@{k}") for k in CUTOFFS])
    made.set_judgments(
        np.array([query for query, _ in pairs], np.int32),
        np.array([doc for _, doc in pairs], np.int32),
        chance.integers(0, 4, len(pairs)).astype(float),
    )
    offsets = np.cumsum([0, *map(len, rankings)])
    made.add_run(1, RunBlock(offsets, np.concatenate(rankings)))
    return made


def test_the_mean_against_k_is_the_engines(engine):
    """Each point is the mean over the judged queries that the engine has for that cutoff."""
    curve = mean_by_cutoff(parse_measure("nDCG@7"), engine.run_facts(1), SCALE, cutoffs=CUTOFFS)
    assert curve.x.tolist() == list(CUTOFFS)
    assert curve.y.tolist() == pytest.approx([mean.value for mean in engine.means(1)])


def test_the_mean_against_k_follows_the_policy(engine):
    """With unjudged documents left out, values are those of the condensed lists."""
    engine.set_conventions(Conventions(unjudged="left out"))
    curve = mean_by_cutoff(
        parse_measure("nDCG"), engine.run_facts(1), SCALE, cutoffs=CUTOFFS, leave_out_unjudged=True
    )
    assert curve.y.tolist() == pytest.approx([mean.value for mean in engine.means(1)])


def test_mean_dcg_is_the_engines_and_below_the_ideal(engine):
    """DCG after each rank is the mean of DCG@k, and nowhere above the ideal order's."""
    own, ideal = mean_dcg_by_rank(parse_measure("nDCG"), engine.run_facts(1), SCALE, depth=10)
    engine.set_measures([parse_measure(f"DCG@{k}") for k in range(1, 11)])
    assert own.y.tolist() == pytest.approx([mean.value for mean in engine.means(1)])
    assert (own.y <= ideal.y + 1e-12).all()


def test_weighted_means_have_weighted_curves(engine):
    """Where queries count by their weight each point is the engine's weighted mean."""
    weights = np.arange(1.0, engine.n_queries + 1)
    facts = engine.run_facts(1)
    own = Engine(
        engine.n_queries,
        scale=SCALE,
        measures=[parse_measure(f"{name}@{k}") for name in ("DCG", "nDCG") for k in range(1, 11)],
        conventions=Conventions(is_weighted=True),
        weights=weights,
    )
    judged = facts.judged
    own.set_judgments(facts.judged_queries, facts.judged_documents, engine_grades(engine, facts))
    own.add_run(1, engine.block(1))
    assert judged.n_queries == engine.n_queries
    means = [mean.value for mean in own.means(1)]
    dcg, _ideal = mean_dcg_by_rank(
        parse_measure("nDCG"), facts, SCALE, depth=10, weights=own.mean_weights
    )
    assert dcg.y.tolist() == pytest.approx(means[:10])
    curve = mean_by_cutoff(
        parse_measure("nDCG"), facts, SCALE, cutoffs=range(1, 11), weights=own.mean_weights
    )
    assert curve.y.tolist() == pytest.approx(means[10:])


def engine_grades(engine, facts):
    """The grade of each judged pair."""
    pairs = zip(facts.judged_queries.tolist(), facts.judged_documents.tolist(), strict=True)
    found = []
    for query, document in pairs:
        documents, grades = engine.judged_grades(query)
        found.append(grades[documents.tolist().index(document)])
    return np.array(found)


def test_nothing_judged_gives_an_empty_curve():
    """Without a judged query there is no mean to draw."""
    engine = Engine(1, scale=SCALE, measures=[])
    engine.add_run(1, RunBlock(np.array([0, 1]), np.array([3], dtype=np.int32)))
    curve = mean_by_cutoff(parse_measure("P@5"), engine.run_facts(1), SCALE, cutoffs=CUTOFFS)
    assert len(curve.x) == 0


def test_contributions_follow_the_policy(engine):
    """What ranks add, unjudged left out, adds up to the value under that convention."""
    engine.set_conventions(Conventions(unjudged="left out"))
    measure = parse_measure("nDCG@5")
    curve = contribution_by_rank(measure, engine.query_grades(1, 0), SCALE, leave_out_unjudged=True)
    value = engine.value(1, 0)[CUTOFFS.index(5)].value
    assert float(curve.y.sum()) == pytest.approx(value)
