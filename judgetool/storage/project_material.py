"""Everything that is held in memory of an open project's queries and runs."""

from dataclasses import dataclass, field

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.notices import tell
from judgetool.core.queries import Query
from judgetool.storage.ids import count_ids
from judgetool.storage.material import (
    RunRow,
    are_known,
    iter_packed_documents,
    load_queries,
    load_runs,
)


@dataclass(frozen=True, slots=True)
class PackedRun:
    """All rankings of a run as one block.

    Attributes:
        offsets: int64, shape (n_queries + 1,): where each query's ranking begins.
        documents: int32, shape (n_results,), rank order within each query.
    """

    offsets: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ProjectMaterial:
    """The visible queries and runs.

    Attributes:
        query_ids: numbers in the file, in the project's order; a query's place in
            this order is the number by which the session knows it.
        queries: the queries themselves, likewise.
        runs: the runs, first imported first.
        place_of: from number in the file to place.
    """

    query_ids: tuple[int, ...]
    queries: tuple[Query, ...]
    runs: tuple[RunRow, ...]
    place_of: dict[int, int] = field(default_factory=dict)


def load_material(connection: apsw.Connection) -> ProjectMaterial:
    """Load the visible queries and runs."""
    numbered = load_queries(connection)
    query_ids = tuple(number for number, _ in numbered)
    return ProjectMaterial(
        query_ids,
        tuple(query for _, query in numbered),
        tuple(load_runs(connection)),
        {number: place for place, number in enumerate(query_ids)},
    )


def load_packed_run(
    connection: apsw.Connection, run_id: int, place_of: dict[int, int]
) -> PackedRun:
    """Load all rankings of a run; rankings of queries that are not visible are left out."""
    packed = {
        place_of[query_id]: docs
        for query_id, docs in iter_packed_documents(connection, run_id)
        if query_id in place_of
    }
    top = count_ids(connection, "documents")
    if not all(are_known(docs, top) for docs in packed.values()):
        packed = {place: docs for place, docs in packed.items() if are_known(docs, top)}
        tell(
            f"Rankings of run {run_id} (by internal number) name documents that are not in the "
            "project: they are damaged and were left out.",
        )
    lengths = np.zeros(len(place_of) + 1, dtype=np.int64)
    for place, docs in packed.items():
        lengths[place + 1] = len(docs) // 4
    joined = b"".join(packed[place] for place in sorted(packed))
    return PackedRun(np.cumsum(lengths), np.frombuffer(joined, dtype="<i4").astype(np.int32))


def load_assessor_names(connection: apsw.Connection) -> dict[int, str]:
    """Return the names of all who have taken a step or said something, first known first.

    Names that only an import knew that was cancelled or killed stay in their table.
    """
    return dict(
        connection.execute(
            "SELECT assessor_id, name FROM assessors a WHERE assessor_id IN "
            "(SELECT assessor_id FROM judgments) OR EXISTS (SELECT 1 FROM steps s "
            "WHERE s.assessor_id = a.assessor_id AND s.state NOT IN ('pending', 'abandoned')) "
            # Last, as it looks through all of the log for somebody who is not in it.
            "OR EXISTS (SELECT 1 FROM events e JOIN steps s USING(step_id) "
            "WHERE e.assessor_id = a.assessor_id AND s.state NOT IN ('pending', 'abandoned')) "
            "ORDER BY assessor_id"
        )
    )
