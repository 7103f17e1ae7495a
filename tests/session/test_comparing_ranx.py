"""The table of runs beside ranx, where both mean the same: values, Student's t, randomization.

Most rankings of the collection have ties, which ranx leaves as they come: it is given
our order, with scores that fall.
"""

import warnings

import numpy as np
import pytest

from judgetool.metrics import ComparisonRules
from judgetool.session.commands import set_measures
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.opening import open_project
from tests.helpers.program import call
from tests.helpers.shared import shared_data
from tests.session.whatif_projects import compare_runs

# Ours, and ranx's name for the same: linear gains, relevant from grade 1.
ALIKE = {
    "nDCG@10": "ndcg@10",
    "AP": "map",
    "RR": "mrr",
    "P@10": "precision@10",
    "R@10": "recall@10",
}
N_DRAWS = 20_000


@pytest.fixture(scope="module")
def ranx():
    """The library, or a skip that says so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ranx", reason="SKIPPED LOUDLY: ranx is not installed")


@pytest.fixture(scope="module")
def folder():
    """The published collection."""
    return shared_data("data/icecat-shop")


@pytest.fixture(scope="module")
def tables(folder, tmp_path_factory):
    """Our table of all its runs, p by Student's t and by randomization, not corrected."""
    path = tmp_path_factory.mktemp("shop") / "shop.judge"
    runs = [word for run in sorted((folder / "runs").glob("*.run")) for word in ("--run", str(run))]
    files = (
        "--queries",
        str(folder / "queries.tsv"),
        "--qrels",
        str(folder / "qrels/combined.qrels"),
    )
    for words in (("new", str(path), "--scale", "0-3"), ("import", str(path), *files, *runs)):
        found = call(*words)
        assert found.code == 0, found.err
    with open_project(path, assessor="anna") as session:
        session.execute(set_measures(tuple(ALIKE)))
        systems = present_systems(session)
        found = {
            test: compare_runs(
                session,
                systems,
                rules=ComparisonRules(test=test, n_draws=N_DRAWS, correction="none"),
            )
            for test in ("t", "randomization")
        }
        yield found, session.scale.relevant_from, rankings_of(session, systems)


def rankings_of(session, systems):
    """Each run's document ids with falling scores, by query."""
    ids = session.material.document_ids()
    found = {}
    for system in systems:
        block = session.material.block(int(system.id))
        found[system.name] = {
            query.id: {ids[doc]: 1.0 / rank for rank, doc in enumerate(ranked, 1)}
            for query, ranked in (
                (query, block.ranking(place).tolist())
                for place, query in enumerate(session.material.queries)
            )
            if ranked
        }
    return found


@pytest.fixture(scope="module")
def theirs(ranx, folder, tables):
    """ranx's values by run, measure and query; queries that a run lacks have nothing found."""
    found, relevant_from, rankings = tables
    rows = [line.split() for line in (folder / "qrels/combined.qrels").read_text().splitlines()]
    judged: dict[str, dict[str, int]] = {}
    for query, _, document, grade in rows:
        judged.setdefault(query, {})[document] = int(grade)
    names = {
        name: name if name.startswith("ndcg") else f"{name}-l{relevant_from:g}"
        for name in ALIKE.values()
    }
    qrels = ranx.Qrels(judged)
    values = {}
    for row in found["t"].rows:
        run = ranx.Run(rankings[row.system.name])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ranx.evaluate(qrels, run, list(names.values()), make_comparable=True)
        values[row.system.name] = {
            ours: {query: run.scores[names[name]].get(query, 0.0) for query in sorted(judged)}
            for ours, name in ALIKE.items()
        }
    return values


@pytest.mark.oracle
def test_means_are_those_of_ranx(tables, theirs):
    """Every run has the mean that ranx gives, over all judged queries."""
    for row in tables[0]["t"].rows:
        for measure, cell in zip(tables[0]["t"].measures, row.cells, strict=True):
            values = theirs[row.system.name][str(measure)].values()
            assert cell.mean.value == pytest.approx(sum(values) / len(values), abs=2e-6), (
                row.system.name,
                str(measure),
            )


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("test", "margin"),
    [("t", 1e-4), ("randomization", 0.015)],
)
def test_p_is_that_of_ranx(ranx, tables, theirs, test, margin):
    """p of a pair of runs is ranx's: of Student's t to its digits, of the randomization by chance."""
    rows = tables[0][test].rows
    compared = 0
    for row in rows[1:]:
        for measure, cell in zip(tables[0][test].measures, row.cells, strict=True):
            sides = [
                np.array(list(theirs[each.system.name][str(measure)].values()))
                for each in (rows[0], row)
            ]
            if np.array_equal(*sides):
                # ranx divides 0 by 0 here; ours is p = 1.
                assert cell.p == 1.0
                continue
            if test == "t":
                p, _ = ranx.statistical_tests.paired_student_t_test(*sides)
            else:
                p, _ = ranx.statistical_tests.fisher_randomization_test(
                    *sides, n_permutations=N_DRAWS
                )
            # Sums that are equal in theory differ in their last digits: ranx counts them or not,
            # ours always. Of measures with few values that is more than chance.
            is_even = test == "t" or str(measure) in ("nDCG@10", "AP")
            assert cell.p >= p - margin, (row.system.name, str(measure))
            assert cell.p <= p + (margin if is_even else 0.1), (row.system.name, str(measure))
            compared += 1
    assert compared > 20
