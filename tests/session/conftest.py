"""A small real project on disk."""

import numpy as np
import pytest

from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.formats import Kind, Reading, RunTable
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project


def run_reading(name, rankings):
    """A run as the reader of a TREC run would give it: rankings by query id, best first."""
    documents = list(dict.fromkeys(doc for docs in rankings.values() for doc in docs))
    place = {doc: number for number, doc in enumerate(documents)}
    codes = [place[doc] for docs in rankings.values() for doc in docs]
    offsets = np.cumsum([0, *(len(docs) for docs in rankings.values())])
    scores = [float(-rank) for docs in rankings.values() for rank in range(len(docs))]
    table = RunTable(
        name,
        list(rankings),
        offsets.astype(np.int64),
        documents,
        np.array(codes, dtype=np.int32),
        np.array(scores),
    )
    return Reading(f"{name}.run", Kind.RUN, "trec-run", runs=[table])


@pytest.fixture
def project_path(tmp_path):
    path = tmp_path / "a.judge"
    create_project(path, scale=scale_preset("0-3"))
    with open_project(path) as session:
        queries = Reading("q.tsv", Kind.QUERIES, "queries-tsv")
        queries.queries = [Query("1", "soup"), Query("2", "bread"), Query("3", "nobody finds it")]
        runs = [
            run_reading("a", {"1": ["d1", "d2", "d3"], "2": ["d4", "d1"]}),
            run_reading("b", {"1": ["d3", "d9"], "2": ["d4", "d5", "d6"]}),
        ]
        import_readings(session, [queries, *runs])
    return path


@pytest.fixture
def session(project_path):
    with open_project(project_path, assessor="anna") as opened:
        yield opened
