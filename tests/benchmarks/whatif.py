"""What-ifs and comparison at scale: a card in the hand, the table of runs, rules, what to judge next.

Everything but the window; the drag of the window itself is in ``latency``. 20 runs of
50 queries, and one run of 6,980 queries with a what-if that moves documents in most of
them; 1,000 documents for each query. Most figures are wall time: on a busy machine the
processor time behind them tells more.
"""

import platform
import random
import shutil
import tempfile
import time
from pathlib import Path

import apsw
import numpy as np

from judgetool.core.rankings import Move, apply
from judgetool.session.commands import Say
from judgetool.session.comparing.comparing import comparison_work, open_comparison
from judgetool.session.comparing.pair_bounds import narrowing_work, overturn_work, pair_bounds_work
from judgetool.session.comparing.query_by_query import query_differences
from judgetool.session.comparing.snapshots import (
    create_snapshot,
    moments,
    past_values_work,
    present_systems,
    snapshot_board,
)
from judgetool.session.comparing.system_values import Baseline, movements
from judgetool.session.comparing.trial import Trial, rule_work
from judgetool.session.exports.report_html import iter_report_html
from judgetool.session.exports.reporting import ReportChoices, report_work
from judgetool.session.opening import open_project
from judgetool.session.systems import System, run_system
from judgetool.session.whatifs.applying import Fusion
from judgetool.session.whatifs.book import engine_key_of
from judgetool.session.whatifs.editing import add_step, create_fused, create_whatif, set_rules
from tests.benchmarks.latency import show_times
from tests.benchmarks.scale_projects import scale_project
from tests.helpers.builders import simple_rule

N_MOVES = 500
N_JUDGMENTS = 5_000


def main() -> None:
    """Print everything."""
    print(f"{platform.platform()}, Python {platform.python_version()}, numpy {np.__version__}")
    print(f"{'':<58} {'':<6}    p50     p95     p99      max  (ms)")
    for name in ("pool", "msmarco"):
        project = scale_project(name)
        if project is None:
            continue
        folder = Path(tempfile.mkdtemp())
        copy = folder / project.name
        shutil.copy(project, copy)
        try:
            measure_project(copy, name)
        finally:
            shutil.rmtree(folder)


def measure_project(path: Path, name: str) -> None:
    """Print what a project's what-ifs and comparisons take."""
    add_texts(path)
    with open_project(path, assessor="bench") as session:
        run = session.material.runs[0]
        started = start()
        whatif_id = create_whatif(session, "moved", run.run_id)
        subject = System("what-if", whatif_id, "moved")
        engine_key_of(session, subject)
        show_once(f"{name}: a what-if made, in the engine", started)
        measure_drags(session, subject, name, reach=20)
        measure_drags(session, subject, name, reach=1000)
        measure_steps(session, whatif_id, name)
        measure_switches(session, subject, name)
        measure_rules(session, whatif_id, name)
        measure_comparison(session, name)
        measure_next(session, name)
        measure_time(session, name)


def add_texts(path: Path) -> None:
    """Give every document a title, a body of 200 characters and two fields, if none has any."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA synchronous = off")
    connection.execute(
        "INSERT INTO document_texts(document_id, step_id, title, url, body, fields) "
        "SELECT document_id, 2, 'Title of ' || external_id, 'https://example.org/' || external_id, "
        "hex(randomblob(100)), json_object('brand', 'b' || document_id % 1000) FROM documents "
        "WHERE NOT EXISTS (SELECT 1 FROM document_texts)"
    )
    connection.close()


def measure_drags(session, subject, name: str, *, reach: int) -> None:
    """A card up to so many ranks away, all measures with intervals: what a move of the mouse costs."""
    chance = random.Random(1)
    queries = [q for q in range(len(session.material.queries)) if session.board.settled(q)]
    times, opening, n_exact, n_all = [], [], 0, 0
    for _ in range(N_MOVES // 25):
        query = chance.choice(queries)
        started = time.perf_counter()
        trial = Trial(session, subject, query, baseline=Baseline.of_system(subject))
        ranking = trial.baseline_order
        opening.append(time.perf_counter() - started)
        n = len(ranking)
        if n < 2:
            continue
        place = chance.randrange(min(n, 2 * reach))
        card = int(ranking[place])
        for _ in range(25):
            rank = chance.randint(max(1, place + 1 - reach), min(n, place + 1 + reach))
            order = apply(ranking, [Move(card, rank)])
            started = time.perf_counter()
            found = trial.rows(order)
            times.append(time.perf_counter() - started)
            bounds = [row.bounds for row in found if row.bounds is not None]
            n_exact += sum(each.is_exact for each in bounds)
            n_all += len(bounds)
    show_times(f"{name}: preview, {len(session.measures)} measures, up to {reach} ranks", times)
    show_times(f"{name}: card taken up", opening)
    print(f"{name}: {n_exact / max(1, n_all):.1%} of the intervals exact")


def measure_steps(session, whatif_id: str, name: str) -> None:
    """A card dropped: durable, and every value of the what-if up to date."""
    chance = random.Random(2)
    queries = [q for q in range(len(session.material.queries)) if session.board.settled(q)]
    times = []
    for _ in range(100):
        query = chance.choice(queries)
        ranked = session.material.ranked_documents(session.material.runs[0].run_id, query)
        if not len(ranked):
            continue
        step = Move(int(ranked[chance.randrange(len(ranked))]), chance.randint(1, 20))
        started = time.perf_counter()
        add_step(session, whatif_id, query, step)
        times.append(time.perf_counter() - started)
    show_times(f"{name}: card dropped, saved and computed", times)


def measure_switches(session, subject, name: str) -> None:
    """Another query in the what-if view: its steps with their values, movements, missed documents."""
    chance = random.Random(3)
    times = []
    for _ in range(100):
        query = chance.randrange(len(session.material.queries))
        started = time.perf_counter()
        trial = Trial(session, subject, query)
        order = np.array(trial.orders.order)
        trial.steps(0)
        movements(session.material.ranked_documents(session.material.runs[0].run_id, query), order)
        times.append(time.perf_counter() - started)
    show_times(f"{name}: query switched in a what-if", times)


def measure_rules(session, whatif_id: str, name: str) -> None:
    """Boost rules over all queries of a run: reading, how soon a cancel is seen, applying."""
    rules = [simple_rule("boost", "id", "contains", "7", 5)]
    for rule in (
        *rules,
        simple_rule("boost", "title", "contains", "77"),
        simple_rule("boost", "body", "regex", "AB?CD"),
        simple_rule("boost", "brand", "equals", "b77"),
    ):
        told = [time.perf_counter()]
        started = start()
        matches = rule_work(session, whatif_id, [rule])(
            lambda *_, told=told: told.append(time.perf_counter()), None
        )
        show_once(f"{name}: rule on {rule.where[0].field}, documents read (worker)", started)
        waits = np.diff(told).tolist()
        show_times(
            f"{name}: rule on {rule.where[0].field}, from one look at Cancel to the next", waits
        )
    matches = rule_work(session, whatif_id, rules)(None, None)
    started = start()
    set_rules(session, whatif_id, rules, matches=matches)
    engine_key_of(session, System("what-if", whatif_id, "moved"))
    show_once(f"{name}: rule applied to all queries, values computed", started)
    if len(session.material.runs) > 1:
        one, two = (run.run_id for run in session.material.runs[:2])
        started = start()
        fused = create_fused(session, "fused", [one, two], Fusion())
        engine_key_of(session, System("what-if", fused, "fused"))
        show_once(f"{name}: two runs fused over all queries", started)


def measure_comparison(session, name: str) -> None:
    """The table of runs: at once, query by query, and with intervals and significance."""
    systems = present_systems(session)
    times = []
    for _ in range(10):
        started = time.perf_counter()
        open_comparison(session, systems)
        times.append(time.perf_counter() - started)
    show_times(f"{name}: table of {len(systems)} systems opened", times)
    times = []
    for system in systems[1:]:
        started = time.perf_counter()
        query_differences(session, system, systems[0], session.measures[0])
        times.append(time.perf_counter() - started)
    show_times(f"{name}: another row chosen, differences by query", times)
    started = start()
    work = comparison_work(session, systems)
    show_once(f"{name}: arrays copied for the worker", started)
    told = [time.perf_counter()]
    started = start()
    table = work(lambda *_: told.append(time.perf_counter()), None)
    show_once(f"{name}: intervals and {table.n_tests} tests (worker)", started)
    show_times(f"{name}: from one look at Cancel to the next", np.diff(told).tolist())
    started = start()
    report = report_work(session, ReportChoices())(None, None)
    size = sum(len(part.encode()) for part in iter_report_html(report))
    show_once(f"{name}: report of {size / 1e6:.1f} MB (worker)", started)


def measure_next(session, name: str) -> None:
    """What to judge next, and whether a comparison is decided."""
    runs = session.material.runs
    first = run_system(session, runs[0].run_id)
    second = present_systems(session)[-1] if len(runs) == 1 else run_system(session, runs[1].run_id)
    for measure in session.measures:
        if str(measure) not in ("AP", "nDCG@10", "P@10"):
            continue
        for title, work in (
            ("could overturn", overturn_work(session, first, second, measure)),
            ("narrows most", narrowing_work(session, first, measure)),
            ("decided?", pair_bounds_work(session, first, second, measure)),
        ):
            started = start()
            work(None, None)
            show_once(f"{name}: {title}, {measure} (worker)", started)


def measure_time(session, name: str) -> None:
    """Snapshots, the slider, and a curve over the log: after an import, and after 5,000 judgments."""
    started = start()
    snapshot = create_snapshot(session, "now", systems=present_systems(session)[:1])
    show_once(f"{name}: snapshot made", started)
    started = start()
    snapshot_board(session, snapshot)
    show_once(f"{name}: board of the snapshot", started)
    measure_log(session, f"{name}, after the import")
    chance = random.Random(4)
    block = session.material.block(session.material.runs[0].run_id)
    queries = [q for q in range(len(session.material.queries)) if len(block.ranking(q))]
    for number in range(N_JUDGMENTS):
        ranking = block.ranking(queries[number % len(queries)])
        document = int(ranking[chance.randrange(len(ranking))])
        session.execute(Say.grade(queries[number % len(queries)], document, float(number % 2)))
    measure_log(session, f"{name}, {N_JUDGMENTS:,} judgments later")


def measure_log(session, name: str) -> None:
    """The moments of the log, and a mean at each of them."""
    first = run_system(session, session.material.runs[0].run_id)
    started = start()
    found = moments(session)
    show_once(f"{name}: {len(found)} moments of the log", started)
    work = past_values_work(session, first, session.measures[0])
    started = start()
    with session.second_reader() as reader:
        work(reader, None)
    show_once(f"{name}: values over time (worker)", started)


def start() -> tuple[float, float]:
    """Return the present wall and processor time."""
    return time.perf_counter(), time.process_time()


def show_once(title: str, started: tuple[float, float]) -> None:
    """Print how long one thing took: on the wall, and of the processor."""
    wall, cpu = (now - then for now, then in zip(start(), started, strict=True))
    print(f"{title:<66} {wall * 1000:10.1f} ms, processor {cpu * 1000:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
