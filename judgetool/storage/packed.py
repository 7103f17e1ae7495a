"""Runs as the file packs them: a blob of documents and one of scores for each ranking."""

from collections.abc import Iterator
from dataclasses import dataclass

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.notices import tell
from judgetool.storage.ids import count_ids
from judgetool.wording import _

DOCS, SCORES = np.dtype("<i4"), np.dtype("<f8")


def are_known(docs: bytes, top: int) -> bool:
    """Whether packed documents are whole, and have numbers up to the highest given."""
    if len(docs) % 4:
        return False
    numbers = np.frombuffer(docs, DOCS)
    return not len(numbers) or bool(numbers.min() >= 1 and numbers.max() <= top)


def iter_packed_documents(connection: apsw.Connection, run_id: int) -> Iterator[tuple[int, bytes]]:
    """Yield (query, packed documents) of a run's rankings."""
    return iter(
        connection.execute("SELECT query_id, docs FROM rankings WHERE run_id = ?", (run_id,))
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
            _(
                "Rankings of run {run_id} (by internal number) name documents that are not in "
                "the project: they are damaged and were left out."
            ).format(run_id=run_id),
        )
    lengths = np.zeros(len(place_of) + 1, dtype=np.int64)
    for place, docs in packed.items():
        lengths[place + 1] = len(docs) // 4
    joined = b"".join(packed[place] for place in sorted(packed))
    return PackedRun(np.cumsum(lengths), np.frombuffer(joined, dtype="<i4").astype(np.int32))


def load_packed_scores(
    connection: apsw.Connection, run_id: int, place_of: dict[int, int]
) -> npt.NDArray[np.float64]:
    """Load the scores of all results of a run, in the order of :func:`load_packed_run`.

    Returns:
        NaN where the system gave none, shape (n_results,).
    """
    top = count_ids(connection, "documents")
    packed: dict[int, npt.NDArray[np.float64]] = {}
    for query_id, docs, scores in connection.execute(
        "SELECT query_id, docs, scores FROM rankings WHERE run_id = ?", (run_id,)
    ):
        if query_id in place_of and are_known(docs, top):
            is_whole = scores is not None and len(scores) == 2 * len(docs)
            packed[place_of[query_id]] = (
                np.frombuffer(scores, SCORES) if is_whole else np.full(len(docs) // 4, np.nan)
            )
    return np.concatenate([np.zeros(0), *(packed[place] for place in sorted(packed))])
