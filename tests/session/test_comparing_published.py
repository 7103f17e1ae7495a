"""The table of runs on a published collection: the figures of SciPy, and of ``judgetool compare``."""

import csv

import pytest

from judgetool.metrics import ComparisonRules, parse_measure
from judgetool.session.commands import set_measures
from judgetool.session.comparing.query_differences import query_differences
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.opening import open_project
from tests.helpers.program import call
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
