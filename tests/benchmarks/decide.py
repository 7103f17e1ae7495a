"""What Decide costs, and how often it names the worse run: replays of two collections judged by people.

First what it must hold; then the share of the pool of two runs, down to rank 10, that each order
of judging needs until its stop, as medians over pairs of runs and seeds; then what one draw takes.
"""

import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from judgetool.cli.score_files import load_score_files
from judgetool.core.judgments import Query
from judgetool.core.scale import parse_scale
from judgetool.metrics import Conventions, parse_measure
from judgetool.metrics.decide import Attempt, DecideRules
from judgetool.metrics.decide_units import PairQuery, Units
from judgetool.metrics.grades import RankingPair
from judgetool.session.commands import Say
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.deciding import Deciding, ask_question, material_work
from judgetool.session.simulating import PairResult, ReplayPlan, contest_of, near_ties, replay
from tests.helpers.builders import Parts, make_project
from tests.helpers.shared import SHARED

COLLECTIONS = {
    # The second of two runs of one ranking is left out.
    "icecat-shop": ("qrels/combined.qrels", "0-3", {"solr-textvector2"}),
    "miracl-yoruba": ("qrels.tsv", "binary", set()),
}
MEASURES = ("P@10", "DCG@10", "nDCG@10")
PLANS = (
    ReplayPlan("depth", "certain"),
    ReplayPlan("overturn", "certain"),
    ReplayPlan("stake", "certain"),
    ReplayPlan("queries", "decided"),
    ReplayPlan("decide", "decided"),
)
# Pairs that differ less are no question.
LEAST = 0.005


def load(name):
    """Return a collection's engine with its runs' names and numbers."""
    folder, (qrels, scale, twins) = SHARED / "data" / name, COLLECTIONS[name]
    runs = [path for path in sorted((folder / "runs").glob("*.run")) if path.stem not in twins]
    table = load_score_files(
        [str(folder / qrels), *map(str, runs)],
        tuple(map(parse_measure, MEASURES)),
        scale=parse_scale(scale),
        conventions=Conventions(),
        view="latest",
        tells_documents=True,
    )
    return table.engine, [(run.name, run.key) for run in table.runs]


def contests(loaded, measure):
    """Return all pairs of runs of which one is better."""
    engine, runs = loaded
    pairs = [contest_of(engine, *pair, parse_measure(measure)) for pair in combinations(runs, 2)]
    return [each for each in pairs if abs(each.difference) >= LEAST]


def replays(pairs, plan, n_seeds):
    """Replay each contest with each seed."""
    rows = [(each, replay(each, plan, seed)) for each in pairs for seed in range(1, n_seeds + 1)]
    return PairResult(*map(list, zip(*rows, strict=True)), plan.rules)


def tell(head, result, most_share, most_wrong):
    """Print how a set of replays went, and whether that is what it must be."""
    share, n = float(np.median(result.shares())), len(result.replays)
    wrong = list(result.verdicts()).count("wrong") / n
    holds = share <= most_share and wrong <= most_wrong
    print(
        f"{head:44} {n:4} replays  share {share:.3f} (at most {most_share:.2f})  "
        f"wrong {100 * wrong:.1f} % (at most {100 * most_wrong:.0f})  {'holds' if holds else 'FAILS'}",
        flush=True,
    )


def tell_what_must_hold(collections):
    """Print the figures that Decide is promised to reach."""
    plan = ReplayPlan()
    if "icecat-shop" in collections:
        pairs = contests(collections["icecat-shop"], "P@10")
        tell("icecat-shop, P@10", replays(pairs, plan, 20), 0.30, 0.05)
        for least, below in ((0.1, 1.0), (0.05, 0.1), (0.02, 0.05), (0.0, 0.02)):
            some = [each for each in pairs if least <= abs(each.difference) < below]
            share = np.median(replays(some, plan, 4).shares())
            print(f"  difference {least:.2f} to {below:.2f}: {len(some)} pairs, share {share:.2f}")
        near = [
            each
            for place, pair in enumerate(pairs)
            for each in near_ties(
                pair, 200 // len(pairs) + (place < 200 % len(pairs)), LEAST, place
            )
        ]
        rows = [(each, replay(each, plan, seed)) for seed, each in enumerate(near, 1)]
        result = PairResult(*map(list, zip(*rows, strict=True)), plan.rules)
        tell("icecat-shop, P@10, near ties", result, 1.0, 0.08)
    for measure in ("P@10", "DCG@10"):
        if "miracl-yoruba" in collections:
            pairs = contests(collections["miracl-yoruba"], measure)
            tell(f"miracl-yoruba, {measure}", replays(pairs, plan, 20), 0.35, 0.05)


def tell_shares(collections):
    """Print the median share of the pool for each order and stop, by collection and measure."""
    columns = [(name, measure) for name in collections for measure in MEASURES]
    pairs = {each: contests(collections[each[0]], each[1]) for each in columns}
    print("\nmedian share of the pool " + "  ".join(f"{n[:6]} {m}" for n, m in columns))
    for plan in PLANS:
        shares = []
        for each in columns:
            n_seeds = 4 if plan.stop == "decided" else 1
            shares.append(np.median(replays(pairs[each], plan, n_seeds).shares()))
        cells = "  ".join(
            f"{share:{len(f'{n[:6]} {m}')}.2f}"
            for share, (n, m) in zip(shares, columns, strict=True)
        )
        print(f"{plan.order + ', ' + plan.stop:24} {cells}", flush=True)


def time_draw():
    """Print what a draw and the evidence after it take among 2,000 documents."""
    n_queries, depth = 100, 10
    queries = [
        PairQuery(
            RankingPair(np.arange(depth), np.arange(depth) + depth, np.full(2 * depth, np.nan)),
            np.ones(2 * depth, dtype=bool),
            1.0 / n_queries,
        )
        for _ in range(n_queries)
    ]
    decision = Attempt(Units(parse_measure("P@10"), None, queries), DecideRules(), 1)
    random, times = np.random.default_rng(1), []
    while True:
        began = time.perf_counter()
        if decision.draw() is None:
            break
        document = decision.next_document()
        while document is not None:
            decision.units.give(document, float(random.integers(0, 2)))
            document = decision.next_document()
        decision.outcome()
        times.append(time.perf_counter() - began)
    print(
        f"\na draw, two judgments and the evidence, {2 * n_queries * depth:,} documents: "
        f"median {1000 * np.median(times):.2f} ms, slowest {1000 * max(times):.2f} ms"
    )
    began = time.perf_counter()
    half = Attempt(decision.units, DecideRules(), 1, decision.draws[: len(times) // 2])
    for unit in (each.unit for each in decision.draws[len(times) // 2 :]):
        for document in np.flatnonzero(decision.units.of == unit).tolist():
            decision.units.give(document, None)
    began = time.perf_counter()
    half.likely_left()
    print(f"the likely number left, half way: {1000 * (time.perf_counter() - began):.0f} ms")


def time_project():
    """Print what a draw takes in a project: judged, drawn, logged durably, among 2,000 documents."""
    queries = [f"q{number}" for number in range(100)]
    runs = {
        name: {query: [f"{name}{query}{place}" for place in range(10)] for query in queries}
        for name in ("a", "b")
    }
    parts = Parts([Query(each, each) for each in queries], (), runs)
    with (
        tempfile.TemporaryDirectory() as folder,
        make_project(Path(folder), parts) as session,
    ):
        first, second = present_systems(session)
        measure = parse_measure("P@10")
        material = material_work(session, first, second, measure)(None, None)
        question = ask_question(session, (first, second), measure, DecideRules(1e-9), material)
        deciding = Deciding(session, question, material)
        session.changed.connect(deciding.take_change)
        random, times = np.random.default_rng(1), []
        while (pair := deciding.next_pair()) is not None and len(times) < 500:
            session.execute(Say.grade(*pair, float(random.integers(0, 4))))
            began = time.perf_counter()
            deciding.next_pair()
            deciding.standing()
            times.append(1000 * (time.perf_counter() - began))
    print(
        f"what comes next in a project, logged: median {np.median(times):.2f} ms, "
        f"95 % {np.percentile(times, 95):.2f} ms, slowest {max(times):.2f} ms (at most 16)"
    )


def main():
    """Print all of it."""
    collections = {name: load(name) for name in COLLECTIONS if (SHARED / "data" / name).is_dir()}
    for name in COLLECTIONS.keys() - collections.keys():
        print(f"{name}: left out, it is not beside the checkout")
    time_draw()
    time_project()
    tell_what_must_hold(collections)
    tell_shares(collections)
