"""``judgetool agreement --effect``: every choice of whom to believe, tried one by one."""

import itertools
import math
import random
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.metrics import evaluate
from judgetool.session.opening import open_project
from judgetool.session.team.agreement import least_mean
from tests.helpers.program import QRELS, RUNS, SAMPLE, call, must
from tests.helpers.team import judge_asked

NAMES = ("anna", "ben", "cem")
QUERIES = ("q1", "q2", "q3", "q4")


def make_case(seed):
    """Judgments of three assessors with gaps, none in the last query but anna's; three runs."""
    draw = random.Random(seed)
    judged = [
        (query, f"d{n}", who, draw.randrange(4))
        for query in QUERIES
        for n in range(5)
        for who in NAMES
        if (who == "anna" if query == "q4" else draw.random() < 0.6)
    ]
    runs = {}
    for name in ("a", "b", "c"):
        # One run lacks a query, which then counts as 0.
        queries = QUERIES[1:] if name == "c" else QUERIES
        runs[name] = {query: draw.sample([f"d{n}" for n in range(7)], 6) for query in queries}
    return judged, runs


def folded(judged):
    """What counts of one import's judgments: the highest grade of each document."""
    grades = {}
    for query, document, _, grade in judged:
        known = grades.setdefault(query, {})
        known[document] = max(grade, known.get(document, -1))
    return grades


def mean_of(grades, run, measure):
    ranked = {
        query: {document: -float(place) for place, document in enumerate(documents)}
        for query, documents in run.items()
    }
    return evaluate(grades, ranked, measure).mean(measure)


def leads(means):
    """Which of each two leads, as far as can be told."""
    return [
        round(one - other, 9) and math.copysign(1, one - other)
        for one, other in itertools.combinations(means, 2)
    ]


def believed(judged, choice):
    """Grades of the view, with those of the chosen assessor of each query."""
    grades = folded(judged)
    for query, document, who, grade in judged:
        if choice.get(query) == who:
            grades[query][document] = grade
    return grades


@pytest.mark.parametrize("measure", ["nDCG@3", "AP", "P@2"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_choice_lies_between_least_and_greatest(tmp_path, seed, measure):
    """Least and greatest, of means and of differences, are those of all choices; both occur."""
    judged, runs = make_case(seed)
    path = tmp_path / "small.judge"
    must("new", path, "--scale", "0-3")
    for name, run in runs.items():
        lines = [
            f"{query} 0 {document} {place} {-place} {name}"
            for query, documents in run.items()
            for place, document in enumerate(documents)
        ]
        must("import", path, "--run", "-", stdin="\n".join(lines))
    table = "\n".join(
        ["query,document,assessor,grade", *(",".join(map(str, row)) for row in judged)]
    )
    must("import", path, "--qrels", "-", stdin=table)
    printed = must("agreement", path, "--effect", "-m", measure, "--format", "json")
    found = printed.json["rows"]
    rows = {row["scope"]: (row["value"], row["least"], row["greatest"]) for row in found}

    # None is what counts in the view, which takes from several people within one query.
    who_in = {
        query: [*sorted({row[2] for row in judged if row[0] == query}), None] for query in QUERIES
    }
    every = [
        believed(judged, dict(zip(QUERIES, choice, strict=True)))
        for choice in itertools.product(*who_in.values())
    ]
    means = {
        name: [mean_of(grades, run, measure) for grades in every] for name, run in runs.items()
    }
    for name, run in runs.items():
        view = mean_of(folded(judged), run, measure)
        assert rows[f"run:{name}"] == pytest.approx((view, min(means[name]), max(means[name])))
        for who in NAMES:
            alone = mean_of(believed(judged, dict.fromkeys(QUERIES, who)), run, measure)
            left = mean_of(folded([row for row in judged if row[2] != who]), run, measure)
            assert rows[f"run:{name} only:{who}"][0] == pytest.approx(alone)
            assert rows[f"run:{name} without:{who}"][0] == pytest.approx(left)
            # Only anna has judged the last query.
            n_queries = {row["scope"]: row["n_queries"] for row in found}
            assert n_queries[f"run:{name}"] == n_queries[f"run:{name} only:{who}"] == 4
            assert n_queries[f"run:{name} without:{who}"] == (3 if who == "anna" else 4)
    assert printed.err.count(": means over ") == 1
    assert "without:anna: means over 3 queries, in the view over 4." in printed.err
    views = [mean_of(folded(judged), run, measure) for run in runs.values()]
    for who in NAMES:
        left = folded([row for row in judged if row[2] != who])
        lefts = [mean_of(left, run, measure) for run in runs.values()]
        change = max(abs(a - b) for a, b in zip(lefts, views, strict=True))
        told = [rows[scope][0] for scope in rows if scope.startswith(f"without:{who} run:")]
        assert [abs(each) for each in told] == pytest.approx([change])
        # A pair that becomes equal does not turn.
        turned = sum(one * other < 0 for one, other in zip(leads(lefts), leads(views), strict=True))
        assert rows[f"without:{who}"][0] == turned
    for first, second in itertools.combinations(runs, 2):
        apart = [a - b for a, b in zip(means[first], means[second], strict=True)]
        ends = rows[f"diff:{first}|{second}"][1:]
        assert ends == pytest.approx((min(apart), max(apart)))
    mean, least, greatest = rows["orders"]
    assert -1 <= least <= mean <= greatest <= 1


NUMBER = st.integers(-4, 4).map(float)
OPTIONS = st.lists(st.lists(NUMBER | st.just(math.nan), min_size=2, max_size=2), max_size=5)


@given(OPTIONS, st.booleans())
def test_a_query_that_may_be_left_out(options, is_sum):
    """Where some choice leaves a query out of the mean or sum, all ways are tried, too."""
    values = np.array(options, np.float64).reshape(-1, 2).T
    may, weights = np.ones(values.shape, np.bool_), np.ones(values.shape[1])
    known = [
        [value for value in choice if not math.isnan(value)]
        for choice in itertools.product(*options)
    ]
    means = [sum(each) if is_sum else fmean(each) for each in known if each or is_sum]
    for sign, best in ((1, min), (-1, max)):
        found = least_mean(values, may, weights, sign, is_sum=is_sum)
        assert found == (pytest.approx(best(means)) if means else None)


def test_the_view_that_mixes_people_within_a_query_is_one_of_the_choices(tmp_path):
    """Two people have one run lead, and the latest of both the other: that is not certain."""
    path = tmp_path / "mixed.judge"
    must("new", path)
    said = {"anna": (3, 2), "ben": (1, 0)}
    for name, side in (("a", "abc"), ("b", "xyz")):
        lines = [f"q 0 {document} {at} {-at} {name}" for at, document in enumerate(side)]
        must("import", path, "--run", "-", stdin="\n".join(lines))
    for who, side, place in (
        ("anna", "abc", 0),
        ("ben", "xyz", 1),
        ("ben", "abc", 0),
        ("anna", "xyz", 1),
    ):
        lines = [
            f"q\t{document}\t{int(at < said[who][place])}\n" for at, document in enumerate(side)
        ]
        must("judge", path, "--assessor", who, stdin="".join(lines))
    rows = {row[1]: row[2:] for row in must("agreement", path, "--effect", "-m", "P@3").rows}
    assert rows["diff:a|b"] == ["-0.3333", "-0.3333", "0.3333"]
    assert rows["run:b"] == ["0.6667", "0.0000", "0.6667"]


def test_what_was_settled_stays_whoever_is_believed(tmp_path):
    """No other grade can count there, until one of those who gave it grades it anew."""
    path = tmp_path / "settled.judge"
    must("new", path)
    for name, side in (("a", "xy"), ("b", "yx")):
        lines = [f"q 0 {document} {at} {-at} {name}" for at, document in enumerate(side)]
        must("import", path, "--run", "-", stdin="\n".join(lines))
    table = "query,document,assessor,grade\nq,x,anna,1\nq,y,anna,0\nq,x,ben,0\nq,y,ben,1\n"
    must("import", path, "--qrels", "-", stdin=table)

    def effect():
        rows = must("agreement", path, "--effect", "-m", "P@1").rows
        return {row[1]: " ".join(row[2:]) for row in rows}

    assert effect()["diff:a|b"].endswith(" -1.0000 1.0000")
    must("import", path, "--qrels", "-", "--settled", stdin="q 0 x 1\nq 0 y 0\n")
    found = effect()
    assert found["diff:a|b"] == "1.0000 1.0000 1.0000"
    assert found["run:a only:ben"] == "1.0000"
    must("judge", path, "--assessor", "ben", stdin="q\ty\t2\n")
    found = effect()
    assert found["diff:a|b"] == "1.0000 0.0000 1.0000"
    assert found["run:b only:ben"] == "1.0000"


def test_the_sample_is_printed(sample):
    """Lines of a value, of one assessor, of a difference, and of orders; nothing is changed."""
    before = sample.read_bytes()
    rows = {row[1]: row for row in must("agreement", sample, "--effect").rows}
    score = must("score", "--project", sample, "--run", "chargrams", "-m", "nDCG@10").rows[0]
    assert rows["run:chargrams"][:3] == ["nDCG@10", "run:chargrams", score[2]]
    assert len(rows["run:chargrams"]) == 5
    assert len(rows["run:chargrams only:anna"]) == len(rows["run:chargrams without:ben"]) == 3
    most = "without:anna run:full-bm25-stem"
    assert rows[most] == ["change(nDCG@10)", most, "-0.1005"]
    assert rows["without:anna"] == ["turned(nDCG@10)", "without:anna", "0"]
    assert rows["orders"][0] == "tau(nDCG@10)"
    assert sample.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("--intervals",), 2, "--effect goes without"),
        (("--view", "best"), 2, "There is no view of judgments called ‘best’."),
        (("-m", "kappa"), 2, "There is no measure ‘kappa’"),
        (("-m", "GMAP"), 2, "over all queries"),
        (("--assessor", "anna"), 1, "needs two assessors"),
    ],
)
def test_what_does_not_fit_is_told(sample, options, code, told):
    """Options and measures of agreement are not those of runs."""
    outcome = call("agreement", sample, "--effect", *options)
    assert (outcome.code, outcome.out) == (code, "")
    assert told in outcome.err


def test_the_view_is_the_wished_one_and_named(sample):
    """Values are those of `score` by it; the usual one is named, too; agreement itself knows none."""
    usual = must("agreement", sample, "--effect", "-m", "AP")
    assert "Judgments: All judgments, latest counts.\n16 documents have different" in usual.err
    lowest = must("agreement", sample, "--effect", "-m", "AP", "--view", "min")
    assert lowest.err.startswith(
        "Judgments: Lowest.\nwithout:anna: means over 12 queries, in the view "
    )
    score = must("score", "--project", sample, "-m", "AP", "--view", "min")
    rows = {row[1]: row[2] for row in lowest.rows}
    assert [rows[f"run:{row[0]}"] for row in score.rows] == [row[3] for row in score.rows]
    assert rows != {row[1]: row[2] for row in usual.rows}
    refused = call("agreement", sample, "--view", "min")
    assert (refused.code, refused.err) == (
        2,
        "--view goes with --effect: how alike people grade is of no view.\n",
    )


def test_files_have_no_runs(empty):
    """It is for projects, which have runs."""
    assert call("agreement", QRELS, "--effect").code == 2
    must("import", empty, "--qrels", "-", stdin="query,document,assessor,grade\nq,a,x,1\nq,a,y,0\n")
    outcome = call("agreement", empty, "--effect")
    assert (outcome.code, "has no run yet" in outcome.err) == (1, True)


def test_second_judgments_change_nothing(tmp_path):
    """What somebody said when asked again is neither theirs to be believed nor left out with them."""
    path, other = tmp_path / "asked.judge", tmp_path / "other.judge"
    material = ("--queries", SAMPLE / "queries.jsonl", "--run", *RUNS)
    for each in (path, other):
        must("new", each)
        must("import", each, *material)
    must("ask", path, "--to", "anna", "ben", "--opinions", "2", "--repeat", "0.3", "--seed", "7")
    for who in ("anna", "ben"):
        with open_project(path, assessor=who) as session:
            came = judge_asked(session, lambda _, document, turn: (ord(document[-1]) + turn) % 4)
        assert len({pair[:2] for pair in came}) < len(came)
    must("export", path, "--judgments", tmp_path / "said.csv")
    must("import", other, "--qrels", tmp_path / "said.csv")
    for options in (("--effect",), ()):
        one, two = (must("agreement", each, *options).rows for each in (path, other))
        assert sorted(one) == sorted(two)
