"""Runs that are written in several parts: rankings whole, progress in order."""

import numpy as np
import pytest

from judgetool.formats import Kind, Reading, RunTable
from judgetool.session.imports.importing import (
    RANKINGS_CHUNK,
    import_readings,
    plan_import,
    write_import,
)


def wide_run(lengths, n_documents):
    """A run with rankings of these lengths, of documents that differ within each."""
    offsets = np.cumsum([0, *lengths])
    documents = np.concatenate([np.arange(length) * 7 % n_documents for length in lengths])
    table = RunTable(
        "wide",
        [f"w{place}" for place in range(len(lengths))],
        offsets.astype(np.int64),
        [f"doc {number}" for number in range(n_documents)],
        documents.astype(np.int32),
        -np.arange(offsets[-1], dtype=np.float64),
    )
    return Reading("wide.run", Kind.RUN, "trec-run", runs=[table])


@pytest.mark.parametrize(
    "lengths",
    [
        [RANKINGS_CHUNK + 1, 1, 2],
        [RANKINGS_CHUNK // 2, RANKINGS_CHUNK // 2, 5],
        [1, RANKINGS_CHUNK, 1],
        [1] * 300,
    ],
)
def test_rankings_written_in_parts_are_whole(session, lengths):
    """However rankings are spread over transactions, each is read back as the file has it."""
    reading = wide_run(lengths, n_documents=100_003)
    import_readings(session, [reading])
    (table,) = reading.runs
    run = session.material.find_run("wide")
    ids = session.material.document_ids()
    for place in (0, 1, len(lengths) - 1):
        own = slice(table.offsets[place], table.offsets[place + 1])
        ranking = session.material.ranking(run.run_id, session.material.find_query(f"w{place}"))
        expected = [table.document_ids[code] for code in table.documents[own]]
        assert [ids[number] for number in ranking.documents.tolist()] == expected
        assert ranking.scores.tolist() == table.scores[own].tolist()
    assert run.n_results == sum(lengths)


def test_progress_of_a_run_rises_to_its_end(session):
    """Numbering ids is part of the progress, which never falls and ends with all records."""
    told = []
    plan = plan_import(session, [wide_run([40_000, 70_000], n_documents=70_000)])
    write_import(session, plan, progress=lambda done, total: told.append((done, total)))
    done = [each for each, _ in told]
    assert done == sorted(done)
    assert told[-1] == (110_002, 110_002)
    assert len({each for each in done if each < 55_000}) > 2
