"""The commands on data published by others: end to end, against recorded values."""

import csv
import resource
import subprocess
import sys

import pytest

from tests.helpers.program import must
from tests.helpers.shared import shared_data

COLLECTIONS = {
    "icecat-shop": (
        "qrels/combined.qrels",
        (
            *("bm25-full-stem", "bm25-title", "lsa100", "solr-edismax", "solr-textvector"),
            *("solr-textvector2", "tfidf-chargram"),
        ),
    ),
    "miracl-yoruba": ("qrels.tsv", ("bm25-exact", "bm25-foldaccents", "tfidf-chargram")),
}
CASES = [(name, run) for name, (_, runs) in COLLECTIONS.items() for run in runs]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "run"), CASES)
def test_every_value_is_trec_evals(name, run):
    """Each query's values and the means equal what trec_eval 9.0.8 printed, digit for digit."""
    folder = shared_data(f"data/{name}")
    path = folder / "expected" / f"{run}.trec_eval-9.0.8.tsv"
    with path.open(encoding="utf-8") as stream:
        expected = list(csv.DictReader(stream, delimiter="\t"))
    names = [column for column in expected[0] if column != "query"]
    found = must(
        *("score", folder / COLLECTIONS[name][0], folder / "runs" / f"{run}.run", "-q"),
        *("--queries", "both", "--format", "tsv", "-m", *names),
    )
    rows = {row[1]: row[2:] for row in found.rows[1:]}
    wanted = {row["query"]: [row[column] for column in names] for row in expected}
    assert {query: rows[query] for query in wanted} == wanted
    assert rows.keys() - wanted.keys() <= {"all"}


@pytest.mark.oracle
def test_shop_imports_in_under_five_seconds(tmp_path):
    """137 queries, 5,000 products, 7 runs and 11,506 judgments come in by one command."""
    folder = shared_data("data/icecat-shop")
    project = tmp_path / "shop.judge"
    must("new", project)
    runs = sorted(map(str, (folder / "runs").glob("*.run")))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [
            *(sys.executable, "-m", "judgetool", "import", str(project)),
            *("--queries", str(folder / "queries.jsonl")),
            *("--documents", str(folder / "corpus.jsonl")),
            *("--qrels", str(folder / "judgments.csv"), "--run", *runs),
        ],
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime < 5
    rows = dict(must("show", project).rows)
    assert (rows["queries"], rows["documents"], rows["runs"]) == ("137", "5000", "7")
