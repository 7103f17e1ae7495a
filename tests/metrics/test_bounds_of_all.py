"""Every registered measure under every convention, against all gradings of small rankings.

Nobody writes a measure into this list: what is registered is tested, with each of its
words, flags and some numbers, so that none can claim an interval that it does not have.
"""

import math
import random
import re
from itertools import product

import numpy as np
import pytest

from judgetool.core.scale import Level, Scale
from judgetool.metrics import Conventions, Engine, RunBlock
from judgetool.metrics.bounds import (
    ALWAYS,
    NEVER,
    PERHAPS,
    compute_all_bounds,
    compute_bounds,
    compute_bounds_block,
)
from judgetool.metrics.bounds_difference import compute_difference_bounds
from judgetool.metrics.grades import GradesBlock, QueryGrades, compute_value, values_now
from judgetool.metrics.measure import MEASURES, Measure, parse_measure, register_measures
from judgetool.metrics.stakes import compute_stakes
from tests.helpers.laws import examples

NAN = float("nan")
SCALES = (
    Scale("two", (Level(0, "no", gain=0, p_relevant=0), Level(1, "yes", gain=1, p_relevant=0.5)), 1),
    Scale("three", tuple(Level(g, str(g), gain=gain, p_relevant=p) for g, gain, p in
                         ((0, 0.0, 0.05), (1, 1.0, 0.2), (2, 5.0, 0.7))), 2),
    # Even the lowest level has a gain: no grade counts as little as none.
    Scale("high", (Level(1, "some", gain=1, p_relevant=0.4), Level(2, "all", gain=3, p_relevant=0.9)), 2),
)  # fmt: skip
POLICIES = [
    Conventions(unjudged=unjudged, undefined=undefined)
    for unjudged in ("as non-relevant", "left out")
    for undefined in ("zero", "leave out")
]
NUMBERS = {"beta": (0.5, 2), "p": (0.5,), "p_break": (0.4,), "rel": (0, 2), "recall": (0, 0.5, 1),
           "mult": (0.5, 2), "max_rel": (3,), "T": (2,), "alpha": (0, 1), "h": (60,), "L": (500,)}  # fmt: skip


def _choices(param):
    if param.kind == "flag":
        return (True,)
    if param.kind == "gains":
        return (((0, 1), (1, 2)),)
    numbers = NUMBERS[param.name] if param.kind == "number" else ()
    highest = float("inf") if param.highest is None else param.highest
    return (*param.words, *(number for number in numbers if number <= highest))


def _spellings(spec):
    cutoffs = {"required": (1, 2, 3), "optional": (None, 1, 2), "none": (None,)}[spec.needs_cutoff]
    always = ()
    if spec.at != "cutoff":
        cutoffs, always = (None,), ((spec.at, 0.5),)
    for param in (None, *spec.params):
        for value in (None,) if param is None else _choices(param):
            given = dict(always) | ({} if param is None else {param.name: value})
            for cutoff in cutoffs:
                yield Measure(spec.name, tuple(given.items()), cutoff)


ALL = sorted({each for spec in MEASURES.values() for each in _spellings(spec)}, key=str)


def _case(rng, scale, *, most_open=3):
    """Ranking (None: not judged, −1: of the pool, not judged), missing grades, missing open."""
    ranked = [rng.choice([None, None, -1, *scale.grades]) for _ in range(rng.randint(0, 4))]
    missing = [rng.choice(scale.grades) for _ in range(rng.randint(0, 2))]
    n_missing = rng.randint(0, 1)
    n_open = sum(grade is None or grade < 0 for grade in ranked) + n_missing
    return (ranked, missing, n_missing) if n_open <= most_open else _case(rng, scale)


def _query(ranked, missing, n_missing=0):
    return QueryGrades(
        np.array([NAN if grade is None else grade for grade in ranked], dtype=float),
        np.array(missing, dtype=float),
        n_missing,
    )


def _gradings(case, scale):
    ranked, missing, n_missing = case
    places = [place for place, grade in enumerate(ranked) if grade is None or grade < 0]
    for grading in product(scale.grades, repeat=len(places) + n_missing):
        filled = list(ranked)
        for place, grade in zip(places, grading, strict=False):
            filled[place] = grade
        yield filled, [*missing, *grading[len(places) :]]


def _values(measure, case, scale, policy):
    """Values of all gradings and as it stands; of what states the present, that alone."""
    leaves_out = policy.unjudged == "left out"
    values = [compute_value(measure, _query(*case), scale, leave_out_unjudged=leaves_out)]
    if measure.rule != "present":
        values += _values_of(measure, _gradings(case, scale), scale)
    return values


def _values_of(measure, cases, scale, **options):
    """Values of many cases at once."""
    block = GradesBlock.from_queries([_query(*case) for case in cases])
    values = values_now(measure, block, scale, **options)
    return [None if math.isnan(value) else value for value in values.tolist()]


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_the_interval_is_that_of_all_gradings_under_every_convention(measure):
    """No value lies outside, and both ends are values where they are called exact."""
    rng = random.Random(str(measure))
    for scale in SCALES:
        for policy in POLICIES * examples(3, fewest=1):
            case = _case(rng, scale)
            values = _values(measure, case, scale, policy)
            found = compute_bounds(measure, _query(*case), scale, conventions=policy)
            told = (measure, scale.name, policy, case)
            if policy.undefined == "leave out":
                if measure.spec.uses != "clicks":
                    is_certain = values[0] is not None
                    can_be = any(value is not None for value in values)
                    if measure.rule != "wide" or is_certain:
                        expected = ALWAYS if is_certain else PERHAPS if can_be else NEVER
                        assert found.defined == expected, told
                    else:
                        assert found.defined == PERHAPS or not can_be, told
                values = [value for value in values if value is not None]
                if not values:
                    continue
            else:
                is_never = measure.spec.facts in ("samples", "lengths")
                assert found.defined == (NEVER if is_never else ALWAYS), told
            ends = [min(value or 0.0 for value in values), max(value or 0.0 for value in values)]
            assert found.low - 1e-12 <= ends[0], told
            assert ends[1] <= found.high + 1e-12, told
            if found.is_exact:
                assert [found.low, found.high] == pytest.approx(ends, abs=1e-12), told
            else:
                assert measure.rule == "wide", told


@pytest.mark.parametrize("measure", [m for m in ALL if m.rule == "present"], ids=str)
def test_only_what_no_grading_moves_is_given_as_certain(measure):
    """How much is judged moves with each judgment: it has no interval, rather than that of now."""
    rng = random.Random(str(measure))
    is_moved = False
    for scale in SCALES * examples(4, fewest=2):
        case = _case(rng, scale)
        (now,) = _values_of(measure, [case], scale)
        is_moved |= any(
            value != now for value in _values_of(measure, _gradings(case, scale), scale)
        )
        (found,) = compute_all_bounds([measure], _query(*case), scale, values=[now])
        assert (found.defined == NEVER) is not measure.has_bounds
    assert is_moved is not measure.has_bounds


def _pair(rng, scale):
    documents = list(range(rng.randint(1, 4)))
    rankings = [rng.sample(documents, rng.randint(0, len(documents))) for _ in range(2)]
    known = {each: rng.choice([-1, *scale.grades]) for each in documents if rng.random() < 0.5}
    return (*rankings, known, documents)


def _sides(rankings, grades):
    for ranking in rankings:
        ranked = [grades.get(each) for each in ranking]
        rest = [grade for each, grade in grades.items() if each not in ranking]
        yield ranked, [grade for grade in rest if grade is not None]


def _differences(measure, pair, scale, policy):
    first, second, known, documents = pair
    sides = list(_sides((first, second), known))
    leaves_out = policy.unjudged == "left out"
    values = [
        compute_value(measure, _query(*side), scale, leave_out_unjudged=leaves_out)
        for side in sides
    ]
    if measure.rule != "present":
        is_open = [each for each in documents if known.get(each, -1) < 0]
        graded = [
            known | dict(zip(is_open, grading, strict=True))
            for grading in product(scale.grades, repeat=len(is_open))
        ]
        filled = [side for grades in graded for side in _sides((first, second), grades)]
        values += _values_of(measure, filled, scale)
    return [(a or 0.0) - (b or 0.0) for a, b in zip(values[::2], values[1::2], strict=True)]


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_the_interval_of_a_difference_is_that_of_all_gradings(measure):
    """What one ranking has over another lies inside, and both ends occur where they are exact."""
    rng = random.Random(str(measure))
    for scale in SCALES:
        for policy in POLICIES[::2] * examples(4, fewest=1):
            pair = _pair(rng, scale)
            first, second, known, documents = pair
            found = compute_difference_bounds(
                measure, first, second, known=known, scale=scale, pool=documents,
                leave_out_unjudged=policy.unjudged == "left out",
            )  # fmt: skip
            values = _differences(measure, pair, scale, policy)
            told = (measure, scale.name, policy, pair)
            assert found.low - 1e-12 <= min(values), told
            assert max(values) <= found.high + 1e-12, told
            if found.is_exact:
                ends = (min(values), max(values))
                assert (found.low, found.high) == pytest.approx(ends, abs=1e-12), told
            else:
                assert measure.rule == "wide", told


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_stakes_are_those_of_one_more_judgment(measure):
    """What each unjudged document alone can do; what states the present has no stake."""
    rng = random.Random(str(measure))
    for scale in SCALES:
        for policy in POLICIES[::2] * examples(2, fewest=1):
            leaves_out = policy.unjudged == "left out"
            ranked, missing, _ = _case(rng, scale)
            found = compute_stakes(
                measure, _query(ranked, missing), scale, leave_out_unjudged=leaves_out
            )
            for at, rank in enumerate(found.ranks.tolist()):
                values = [0.0]
                if measure.rule != "present":
                    filled = [
                        [*ranked[: rank - 1], grade, *ranked[rank:]] for grade in scale.grades
                    ]
                    cases = [(each, missing) for each in filled]
                    found_now = _values_of(measure, cases, scale, leave_out_unjudged=leaves_out)
                    values = [value or 0.0 for value in found_now]
                ends = (min(values), max(values))
                assert (found.low[at], found.high[at]) == pytest.approx(ends, abs=1e-12), (
                    measure, scale.name, policy, ranked, missing
                )  # fmt: skip


def test_a_measure_of_which_nobody_wrote_down_the_bounds_is_refused(monkeypatch):
    """It has no interval rather than the present value, called exact."""
    monkeypatch.setitem(MEASURES, "P", MEASURES["P"]._replace(rule="a new rule"))
    measure = parse_measure("P@2")
    with pytest.raises(LookupError, match=r"P: metrics/bounds\.py"):
        compute_bounds(measure, _query([None, 1], []), SCALES[0])
    with pytest.raises(LookupError, match=r"P: metrics/bounds_difference\.py"):
        compute_difference_bounds(measure, [1, 2], [2, 3], known={1: 1.0}, scale=SCALES[0])


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        ("DCG", {"rule": "ratio"}, "DCG: the rule ratio needs the parameter ideal"),
        ("P", {"rule_if": ("rel", "ratio")}, "P: the rule ratio needs the parameter ideal"),
        ("AP", {"rule": "r_precision"}, "AP: the rule r_precision needs the parameter mult"),
        ("tau", {"rule": "linear"}, "tau: terms made by_row have the rule wide, not linear"),
    ],
)
def test_a_record_whose_rule_does_not_fit_is_refused_at_once(name, changed, said):
    """In a sentence that says why, rather than at the first interval."""
    with pytest.raises(LookupError, match=re.escape(said)):
        register_measures([[MEASURES[name]._replace(**changed)]])


MEANS = ["AP", "P@1", "R@1", "nDCG", "NumRel", "GMAP", "Bpref", "AP(norm='found')@2", "RR"]


@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("undefined", ["zero", "leave out"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_interval_of_a_mean_is_that_of_the_engines_means(name, undefined, is_weighted):
    """Leave-out, weights, sums and geometric means: all gradings of three queries."""
    measure, scale = parse_measure(name), SCALES[0]
    policy = Conventions(undefined=undefined, is_weighted=is_weighted)
    rng = random.Random(name)
    for _ in range(examples(12, fewest=4)):
        weights = np.array([rng.choice([0.0, 1.0, 3.0]) for _ in range(3)])
        cases = [_case(rng, scale, most_open=2) for _ in range(3)]
        # A query counts once somebody has judged it.
        cases = [(case[0], [*case[1], 0], case[2]) for case in cases]
        options = [[case[:2], *_gradings(case, scale)] for case in cases]
        means = [
            _engine_mean(measure, chosen, scale, policy, weights) for chosen in product(*options)
        ]
        means = [mean for mean in means if mean is not None]
        block = GradesBlock.from_queries([_query(*case) for case in cases])
        found = compute_bounds_block(measure, block, scale, policy)
        pooled = found.pool(measure, weights if is_weighted else None)
        if not means:
            assert pooled is None
            continue
        assert pooled.is_exact
        assert (pooled.low, pooled.high) == pytest.approx((min(means), max(means)), abs=1e-12), (
            cases
        )


def _engine_mean(measure, queries, scale, policy, weights):
    engine = Engine(3, scale=scale, measures=[measure], conventions=policy, weights=weights)
    pairs, offsets = [], [0]
    for query, (ranked, missing) in enumerate(queries):
        offsets.append(offsets[-1] + len(ranked))
        grades = [*enumerate(ranked), *enumerate(missing, start=len(ranked))]
        pairs += [(query, document, grade) for document, grade in grades if grade is not None]
    columns = list(zip(*pairs, strict=True))
    engine.set_judgments(
        np.array(columns[0], dtype=np.int32),
        np.array(columns[1], dtype=np.int32),
        np.array(columns[2], dtype=float),
    )
    documents = np.concatenate([np.arange(len(ranked), dtype=np.int32) for ranked, _ in queries])
    engine.add_run(0, RunBlock(np.array(offsets), documents))
    return engine.means(0)[0].value
