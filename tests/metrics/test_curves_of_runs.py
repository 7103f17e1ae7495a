"""Curves go through the engine's values and means, whatever counts."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from judgetool.core.scale import scale_preset
from judgetool.metrics import Conventions, Engine, RunBlock, parse_measure
from judgetool.metrics.conventions import CONVENTION_CHOICES, CONVENTION_PRESETS
from judgetool.metrics.curves import (
    contribution_by_rank,
    dcg_by_rank,
    mean_dcg_by_rank,
    measure_beside,
    precision_recall_points,
    value_by_cutoff,
)
from judgetool.metrics.measure import MEASURES

SCALE = scale_preset("0-3")
CUTOFFS = (1, 2, 3, 5, 10)
N = 8
WHAT_COUNTS = [
    Conventions(unjudged=unjudged, undefined=undefined, missing=missing, is_weighted=is_weighted)
    for unjudged, undefined, missing, is_weighted in product(
        CONVENTION_CHOICES["unjudged"],
        CONVENTION_CHOICES["undefined"],
        CONVENTION_CHOICES["missing"],
        (False, True),
    )
]
WITH_CUTOFF = [
    parse_measure(spec.example.split("@")[0] + "@5")
    for spec in MEASURES.values()
    if spec.needs_cutoff != "none" and spec.at == "cutoff"
]


def _engine(measures, conventions=None, scale=SCALE):
    """One run of eight queries: one is not judged, one has nothing relevant, one is not in the run."""
    chance = np.random.default_rng(5)
    lengths = (8, 3, 0, 12, 12, 9, 12, 2)
    rankings = [chance.permutation(14)[:n].astype(np.int32) for n in lengths]
    pairs = [(query, int(doc)) for query in range(N - 1) for doc in chance.permutation(14)[:7]]
    grades = chance.integers(0, 4, len(pairs)).astype(float)
    grades[[query == 4 for query, _ in pairs]] = 0.0
    made = Engine(
        N,
        scale=scale,
        measures=measures,
        conventions=conventions,
        weights=np.arange(1.0, N + 1),
    )
    queries, documents = np.array(pairs, np.int32).T
    made.set_judgments(queries, documents, grades)
    offsets = np.cumsum([0, *lengths])
    made.add_run(1, RunBlock(offsets, np.concatenate(rankings)), assumed={3: {99: 2.0, 0: 3.0}})
    return made


def _means(engine):
    return [mean.value for mean in engine.means(1)]


def _of_means(engine):
    """What a curve of all queries asks."""
    alone = engine.alone(1)

    def means(measures):
        alone.set_measures(measures)
        return _means(alone)

    return means


@pytest.mark.parametrize("measure", WITH_CUTOFF, ids=str)
def test_curves_against_k_are_the_engines_whatever_counts(measure):
    """Of a query and of all, each point is the table's value with that cutoff."""
    at = [measure.with_cutoff(k) for k in CUTOFFS]
    for conventions in WHAT_COUNTS:
        engine, other = _engine(at, conventions), _engine([], conventions)
        curve = value_by_cutoff(measure, _of_means(other), CUTOFFS)
        said = [each for each in _means(engine) if each is not None]
        assert curve.y.tolist() == said, conventions
        for query in range(N):
            curve = value_by_cutoff(measure, partial(other.numbers_of, 1, query), CUTOFFS)
            said = dict(zip(CUTOFFS, engine.numbers(1, query), strict=True))
            assert dict(zip(curve.x, curve.y, strict=True)) == {
                k: value for k, value in said.items() if value is not None
            }, (conventions, query)


@pytest.mark.parametrize("conventions", WHAT_COUNTS, ids=lambda each: "; ".join(each.describe()))
@pytest.mark.parametrize(
    "of", ["nDCG", "nDCG(dcg='exp-log2')", "nDCG(ideal='length')", "nDCG(ideal='uncut')"]
)
def test_mean_dcg_is_the_engines_and_below_the_ideal(of, conventions):
    """DCG after each rank is the mean of DCG@k, and nowhere above that of the ideal orders."""
    measure = parse_measure(of)
    gain = f"DCG(dcg={measure.values['dcg']!r})"
    engine = _engine([parse_measure(f"{gain}@{k}") for k in range(1, 11)], conventions)
    own, ideal = mean_dcg_by_rank(measure, engine.alone(1), 1, depth=10)
    assert own.y.tolist() == _means(engine)
    assert (own.y <= ideal.y + 1e-12).all()


@pytest.mark.parametrize("missing", CONVENTION_CHOICES["missing"])
def test_the_mean_ideal_is_that_of_ideal_rankings(missing):
    """Where every judged query is ranked at its best, both curves are one."""
    engine = _engine([], Conventions(missing=missing, is_weighted=True))
    for query in range(N - 1):
        documents, grades = engine.judged_grades(query)
        engine.set_ranking(1, query, documents[np.argsort(-grades)])
    own, ideal = mean_dcg_by_rank(parse_measure("nDCG"), engine.alone(1), 1, depth=10)
    assert len(own.x) == 10
    assert own.y.tolist() == pytest.approx(ideal.y.tolist())


@pytest.mark.parametrize("name", CONVENTION_PRESETS)
def test_what_is_drawn_beside_a_measure_counts_as_the_preset_does(name):
    """DCG by rank divides to the tool's nDCG, and the last precision is the tool's."""
    preset = CONVENTION_PRESETS[name]
    scale = scale_preset(preset.scale or "0-3")
    ndcg, precision = (preset.rewrite(parse_measure(each)) for each in ("nDCG@5", "SetP"))
    engine = _engine([ndcg, precision], preset.conventions, scale)
    leaves_out = preset.conventions.leaves_out_unjudged
    for query in range(N):
        grades = engine.query_grades(1, query)
        value, of_all = engine.numbers(1, query)
        if value is None or not len(grades.ranked):
            continue
        other = preset.rewrite(parse_measure("P@5"))
        drawn = measure_beside(other, "nDCG", preset.conventions).with_cutoff(5)
        own, ideal = dcg_by_rank(drawn, grades, scale, leave_out_unjudged=leaves_out)
        assert own.y[-1] / ideal.y[-1] == pytest.approx(value)
        relevance = measure_beside(ndcg, "AP", preset.conventions)
        points = precision_recall_points(relevance, grades, scale, leave_out_unjudged=leaves_out)
        if of_all is not None and points is not None and len(points.x):
            found = len(points.x) / len(grades.ranked)
            assert found == pytest.approx(of_all)


def test_precision_and_recall_of_a_measure_with_its_own_threshold():
    """What P(rel=3) counts is drawn beside it, and documents even where gains are added up."""
    plain = Conventions()
    assert str(measure_beside(parse_measure("P(rel=3)@5"), "AP", plain)) == "AP(rel=3)"
    assert str(measure_beside(parse_measure("RBP(rel='gain')"), "AP", plain)) == "AP"
    assert str(measure_beside(parse_measure("DCG(dcg='exp-log2')@5"), "nDCG", plain)) == (
        "nDCG(dcg='exp-log2')"
    )


def test_nothing_judged_gives_an_empty_curve():
    """Without a judged query there is no mean to draw."""
    engine = Engine(1, scale=SCALE, measures=[])
    engine.add_run(1, RunBlock(np.array([0, 1]), np.array([3], dtype=np.int32)))
    curve = value_by_cutoff(parse_measure("P@5"), _of_means(engine), CUTOFFS)
    assert len(curve.x) == 0
    assert [
        len(each.x) for each in mean_dcg_by_rank(parse_measure("nDCG"), engine, 1, depth=5)
    ] == [0, 0]


def test_what_is_drawn_apart_does_not_follow_later_judgments():
    """It is for another thread, while judging goes on."""
    measure = parse_measure("nDCG@5")
    engine = _engine([measure])
    before, alone = _means(engine), engine.alone(1)
    for document in range(14):
        engine.judge(0, document, 0.0)
    alone.set_measures([measure])
    assert _means(alone) == before != _means(engine)


def test_contributions_follow_the_policy():
    """What ranks add, unjudged left out, adds up to the value under that convention."""
    measure = parse_measure("nDCG@5")
    engine = _engine([measure], Conventions(unjudged="left out"))
    curve = contribution_by_rank(measure, engine.query_grades(1, 0), SCALE, leave_out_unjudged=True)
    assert float(curve.y.sum()) == pytest.approx(engine.numbers(1, 0)[0])
