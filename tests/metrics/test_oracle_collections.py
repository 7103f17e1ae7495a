"""Expected figures of the published collections, made with trec_eval 9.0.8 and ir_measures."""

from functools import cache

import pytest

from judgetool.metrics import evaluate, parse_measures
from judgetool.metrics.conventions import Conventions
from tests.helpers.shared import shared_data
from tests.metrics.trec_files import read_qrels, read_run, read_table

pytestmark = pytest.mark.oracle

COLLECTIONS = {
    "recipes-made": ("qrels.txt", ("title-bm25", "full-bm25-stem", "chargrams")),
    "icecat-shop": (
        "qrels/combined.qrels",
        (
            *("bm25-full-stem", "bm25-title", "lsa100", "solr-edismax", "solr-textvector"),
            *("solr-textvector2", "tfidf-chargram"),
        ),
    ),
    "miracl-yoruba": ("", ("bm25-exact", "bm25-foldaccents", "tfidf-chargram")),
}
RUNS = [(name, run) for name, (_, runs) in COLLECTIONS.items() for run in runs]
# ir_measures' table spells two measures in its own way.
SPELLINGS = {
    "ERR@10(gdeval,gmax=4)": "ERR(max_rel=4)@10",
    "ERR@20(gdeval,gmax=4)": "ERR(max_rel=4)@20",
}


@cache
def load(name, run):
    folder = shared_data(f"data/{name}")
    qrels = COLLECTIONS[name][0]
    path = folder / qrels if qrels else next(p for p in sorted(folder.glob("qrels*")))
    if path.is_dir():
        (path,) = sorted(path.iterdir())
    found = [p for p in (folder / "runs").iterdir() if p.stem == run]
    return read_qrels(path), read_run(found[0])


def disagreements(rows, judged, ranked, conventions, decimals):
    named = {head: parse_measures(SPELLINGS.get(head, head))[0] for _, head, _ in rows}
    result = evaluate(judged, ranked, named.values(), conventions=conventions)
    for query, head, text in rows:
        measure = named[head]
        value = result.mean(measure) if query == "all" else result.value(query, measure)
        number = 0.0 if value is None else value
        digits = 0 if "." not in text else decimals(head)
        if round(abs(number - float(text)), 9) > 0.5 * 10**-digits:
            yield query, head, text, value


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_trec_eval_figures_are_reproduced(name, run):
    """Every value and mean agrees with trec_eval 9.0.8 to its four decimals."""
    path = shared_data(f"data/{name}/expected/{run}.trec_eval-9.0.8.tsv")
    judged, ranked = load(name, run)
    rows = list(read_table(path))
    assert list(disagreements(rows, judged, ranked, "trec_eval", lambda _: 4)) == []


def ordered(ranked, tie_key):
    """Rankings by score, falling, with ties as another tool breaks them."""
    return {
        query: sorted(sorted(scores, key=tie_key) if tie_key else scores, key=lambda d: -scores[d])
        for query, scores in ranked.items()
    }


@pytest.mark.parametrize(("name", "run"), [row for row in RUNS if row[0] != "recipes-made"])
def test_ir_measures_figures_are_reproduced(name, run):
    """Every value agrees with ir_measures to its six decimals (gdeval's five), given its order.

    ir_measures breaks ties in three ways: as trec_eval does, by document id rising
    (RR@k, Judged@k), and as in the file (RBP). judgetool has the first rule for all.
    """
    judged, ranked = load(name, run)
    rows = list(read_table(shared_data(f"data/{name}/expected/{run}.ir_measures.tsv")))
    orders = {
        "RBP": ordered(ranked, None),
        "Judged": ordered(ranked, str),
        "RR": ordered(ranked, str),
    }

    def decimals(head):
        return 5 if "gdeval" in head or "exp-log2" in head else 6

    found = []
    for tie_rule in ("RBP", "Judged", "RR", ""):
        own = [
            row
            for row in rows
            if row[1].startswith(tie_rule) and (tie_rule or not row[1].startswith(tuple(orders)))
        ]
        order = orders.get(tie_rule, ranked)
        found.extend(disagreements(own, judged, order, Conventions(), decimals))
    assert found == []


@pytest.mark.parametrize(
    ("mode", "conventions", "rel"),
    [("default", "both", None), ("-c", "judged", None), ("-l2", "both", 2)],
)
def test_summaries_are_reproduced(mode, conventions, rel):
    """The means with and without -c, and with -l 2, agree with trec_eval's."""
    found = 0
    for name in COLLECTIONS:
        lines = shared_data(f"data/{name}/expected/SUMMARY.tsv").read_text("utf-8").splitlines()
        heads = lines[0].split("\t")[2:]
        for line in lines[1:]:
            run, wrote, *cells = line.split("\t")
            if wrote.split(" ")[0] != mode:
                continue
            found += 1
            judged, ranked = load(name, run)
            measures = [parse_measures(head)[0] for head in heads]
            if rel:
                measures = [
                    m.with_params(rel=rel) if m.has_param("rel") and m.name != "NumRet" else m
                    for m in measures
                ]
            result = evaluate(
                judged, ranked, measures, conventions=Conventions(missing=conventions)
            )
            for measure, cell in zip(measures, cells, strict=True):
                value = result.mean(measure)
                assert f"{value:.4f}" == cell or f"{value:.0f}" == cell, (name, run, measure)
    assert found or mode == "-l2"
