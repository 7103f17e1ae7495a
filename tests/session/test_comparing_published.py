"""The table of runs on a published collection: the figures of SciPy, and of ``judgetool compare``."""

import csv
import math
import statistics
from collections import defaultdict

import pytest

from judgetool.metrics import ComparisonRules, parse_measure
from judgetool.session.commands import set_measures
from judgetool.session.comparing.comparing import comparison_work
from judgetool.session.comparing.query_by_query import query_differences
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.comparing.system_values import ProjectLook, open_look
from judgetool.session.comparing.tables import comparison_sheet
from judgetool.session.opening import open_project
from tests.helpers.program import call, must
from tests.helpers.shared import shared_data
from tests.session.whatif_projects import compare_runs, find_system

BASELINE = "bm25-full-stem"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """The collection as a project, and its qrels and runs as files."""
    folder = shared_data("data/icecat-shop")
    qrels, runs = folder / "qrels" / "combined.qrels", sorted((folder / "runs").glob("*.run"))
    path = tmp_path_factory.mktemp("shop") / "shop.judge"
    # The first one stands first: the baseline.
    runs.sort(key=lambda run: run.stem != BASELINE)
    for words in (
        ("new", str(path), "--scale", "0-3"),
        (
            "import",
            str(path),
            "--queries",
            str(folder / "queries.tsv"),
            "--qrels",
            str(qrels),
            *(word for run in runs for word in ("--run", str(run))),
        ),
    ):
        found = call(*words)
        assert found.code == 0, found.err
    with open_project(path, assessor="anna") as session:
        session.execute(set_measures(("nDCG@10", "AP")))
        yield session, qrels, runs


@pytest.mark.oracle
def test_students_t_is_what_scipy_gave(shop):
    """Means, t and p of the published table, which SciPy made, come out of the project."""
    session, _, _ = shop
    rules = ComparisonRules(test="t", correction="none")
    base = find_system(session, BASELINE)
    table = compare_runs(session, present_systems(session), baseline=base, rules=rules)
    rows = {row.system.name: row for row in table.rows}
    with shared_data("data/icecat-shop/expected/SIGNIFICANCE.tsv").open(encoding="utf-8") as file:
        published = [
            row
            for row in csv.DictReader(file, delimiter="\t")
            if row["run_a"] == BASELINE and row["measure"] == "nDCG@10"
        ]
    assert published
    for row in published:
        cell = rows[row["run_b"]].cells[0]
        assert cell.pair.n_queries == int(row["queries"])
        assert cell.mean.value == pytest.approx(float(row["mean_b"]), abs=1e-6)
        assert cell.pair.significance.statistic == pytest.approx(float(row["t_paired"]), abs=1e-5)
        assert cell.p == pytest.approx(float(row["p_t_two_sided"]), rel=1e-4)


@pytest.mark.oracle
def test_the_project_and_the_files_agree(shop):
    """p and Holm of the table are those of ``judgetool compare`` over the files."""
    session, qrels, runs = shop
    told = call(
        "compare",
        str(qrels),
        *map(str, runs),
        "-m",
        "nDCG@10",
        "AP",
        "--scale",
        "0-3",
        "--format",
        "json",
    )
    assert told.code == 0, told.err
    expected = {(row["run"], row["measure"]): row for row in told.json["comparisons"]}
    table = compare_runs(session, present_systems(session))
    assert table.baseline.name == told.json["baseline"] == BASELINE
    for row in table.rows[1:]:
        for measure, cell in zip(table.measures, row.cells, strict=True):
            its = expected[row.system.name, str(measure)]
            assert cell.pair.significance.p == pytest.approx(its["p"])
            assert cell.p == pytest.approx(its["p_holm"])


@pytest.mark.oracle
def test_wins_and_losses_are_those_published(shop):
    """Queries better, equal and worse are counted alike."""
    session, _, _ = shop
    base = find_system(session, BASELINE)
    with shared_data("data/icecat-shop/expected/SIGNIFICANCE.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["run_a"] == BASELINE and row["measure"] == "nDCG@10":
                other = find_system(session, row["run_b"])
                found = query_differences(session, other, base, parse_measure("nDCG@10"))
                assert (found.n_better, found.n_equal, found.n_worse) == (
                    int(row["wins_b"]),
                    int(row["ties"]),
                    int(row["losses_b"]),
                )


FIVE = ("P@5", "RR", "AP", "R@10", "nDCG@10")


def plainly(judged, ranking):
    """Return the five measures of a query from its grades and its ranked documents, in plain Python."""
    grades = [judged.get(document, 0) for document in ranking]
    hits = [rank for rank, grade in enumerate(grades, 1) if grade >= 1]
    relevant = sum(grade >= 1 for grade in judged.values())
    dcg, best = (
        sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:10], 1))
        for gains in (grades, sorted(judged.values(), reverse=True))
    )
    return (
        sum(rank <= 5 for rank in hits) / 5,
        1 / hits[0] if hits else 0.0,
        sum(found / rank for found, rank in enumerate(hits, 1)) / relevant if relevant else 0.0,
        sum(rank <= 10 for rank in hits) / relevant if relevant else 0.0,
        dcg / best if best else 0.0,
    )


def values_of(qrels, run):
    """Return the five values of every judged query, by query, and least and greatest P@5."""
    judged, ranked = defaultdict(dict), defaultdict(list)
    for line in qrels.read_text("utf-8").splitlines():
        query, _, document, grade = line.split()
        judged[query][document] = int(grade)
    for line in run.read_text("utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        ranked[query].append((float(score), document))
    rankings = {query: [d for _, d in sorted(ranked[query], reverse=True)] for query in judged}
    values = {query: plainly(judged[query], rankings[query]) for query in sorted(judged)}
    least = statistics.fmean(row[0] for row in values.values())
    unjudged = [sum(d not in judged[q] for d in rankings[q][:5]) / 5 for q in judged]
    return values, (least, least + statistics.fmean(unjudged))


@pytest.mark.oracle
def test_every_number_of_a_screen(shop):
    """Three runs by five measures: the table, the command, and plain arithmetic say the same.

    Means, differences, queries won and lost, effect, p, its correction and the interval; least and
    greatest where they can be counted by hand.
    """
    session, qrels, runs = shop
    named = {run.stem: run for run in runs}
    names = (BASELINE, "bm25-title", "solr-edismax")
    plain = {name: values_of(qrels, named[name]) for name in names}
    rules = ComparisonRules(n_draws=20_000)
    look = ProjectLook(measures=[parse_measure(name) for name in FIVE])
    with open_look(session.path, look) as shown:
        systems = [find_system(shown, name) for name in names]
        table = comparison_work(shown, systems, baseline=systems[0], rules=rules)(None, None)
        sheet = comparison_sheet(shown, table)
    words = ("compare", "--project", session.path, "--run", *names, "-m", *FIVE)
    asked = ("--baseline", BASELINE, "--draws", "20000", "--format", "json")
    printed, signs = (
        {(r["run"], r["measure"]): r for r in must(*words, *more, *asked).json["comparisons"]}
        for more in (("--intervals",), ("--test", "sign"))
    )
    raw = defaultdict(dict)
    for cells in sheet.rows:
        row = dict(zip(sheet.head, cells, strict=True))
        place = FIVE.index(row["measure"])
        ours, theirs = (
            [each[place] for each in plain[name][0].values()] for name in (row["run"], BASELINE)
        )
        assert row["run_mean"] == pytest.approx(statistics.fmean(ours), abs=1e-12)
        if place == 0:
            assert (row["run_min"], row["run_max"]) == pytest.approx(plain[row["run"]][1])
        if row["run"] == BASELINE:
            continue
        its = printed[row["run"], row["measure"]]
        assert {name: its[name] for name in row if name != "tests"} == {
            name: pytest.approx(value) if isinstance(value, float) else value
            for name, value in row.items()
            if name != "tests"
        }
        apart = [round(one - other, 12) for one, other in zip(ours, theirs, strict=True)]
        mean, spread, n = statistics.fmean(apart), statistics.stdev(apart), len(apart)
        assert row["difference"] == pytest.approx(mean, abs=1e-12)
        assert row["effect"] == pytest.approx(mean / spread)
        won, lost = sum(each > 0 for each in apart), sum(each < 0 for each in apart)
        assert (row["wins"], row["ties"], row["losses"]) == (won, n - won - lost, lost)
        # Signs at random: nearly normal of so many queries; of signs alone it can be counted.
        normal = statistics.NormalDist(0, math.sqrt(sum(each**2 for each in apart)))
        assert row["p"] == pytest.approx(2 * normal.cdf(-abs(sum(apart))), abs=0.012)
        fewer = sum(math.comb(won + lost, k) for k in range(min(won, lost) + 1))
        counted = min(1.0, 2 * fewer / 2 ** (won + lost))
        assert signs[row["run"], row["measure"]]["p"] == pytest.approx(counted)
        half = 1.96 * spread / math.sqrt(n)
        assert (row["low"], row["high"]) == pytest.approx((mean - half, mean + half), abs=half / 4)
        assert its["min"] <= mean <= its["max"]
        raw[row["measure"]][row["run"]] = row["p"], row["p_holm"]
    for found in raw.values():
        (first, least), (second, other) = sorted(found.values())
        assert least == pytest.approx(min(1.0, 2 * first))
        assert other == pytest.approx(max(least, second))
