"""External ids of queries and documents and their numbers, for many of them at once; new uuids.

Where SQLite can read an array (carray), a whole chunk is one statement that runs
without Python: several times as fast as a row each, and no other thread waits for it.

Runs are packed by these numbers: a blob of documents and one of scores for each ranking.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import DocumentKeys
from judgetool.errors import tell
from judgetool.wording import _

Numbers = npt.NDArray[np.int64]

HAS_CARRAY = hasattr(apsw, "carray") and "ENABLE_CARRAY" in apsw.compile_options
"""Whether this SQLite was built with arrays; the wheels are, some systems' packages are not."""

CHUNK = 10_000
"""So many ids at once take some 10 ms."""

_COLUMNS = {"queries": "query_id", "documents": "document_id"}


def count_ids(connection: apsw.Connection, table: str) -> int:
    """Return the highest number given so far in ``queries`` or ``documents``."""
    return int(connection.execute(f"SELECT coalesce(max({_COLUMNS[table]}), 0) FROM {table}").get)  # noqa: S608 - from a constant table


def parse_numbers(text: str | None) -> Numbers:
    """Return numbers that SQLite has joined by commas; none of no text."""
    return np.fromstring(text or "", np.int64, sep=",")


def find_id_numbers(connection: apsw.Connection, table: str, ids: Sequence[str]) -> Numbers:
    """Return the numbers of external ids, visible or not.

    Args:
        connection: any.
        table: ``queries`` or ``documents``.
        ids: external ids, some thousands at once.

    Returns:
        int64, shape (n,); 0 for an id that is not known.
    """
    if not len(ids):
        return np.zeros(0, np.int64)
    column = _COLUMNS[table]
    if _are_an_array(ids):
        joined = connection.execute(
            f"SELECT group_concat(coalesce(t.{column}, 0) ORDER BY a.rowid) "  # noqa: S608 - from a constant table
            f"FROM carray(?) a LEFT JOIN {table} t ON t.external_id = a.value",
            (apsw.carray(tuple(ids)),),
        ).get
        return parse_numbers(joined)
    look_up = f"SELECT {column} FROM {table} WHERE external_id = ?"  # noqa: S608 - from a constant table
    rows = (connection.execute(look_up, (name,)).fetchone() for name in ids)
    return np.array([row[0] if row else 0 for row in rows], np.int64)


def find_numbers(connection: apsw.Connection, table: str, ids: Sequence[str]) -> dict[str, int]:
    """Return the numbers of those external ids that are known.

    Args:
        connection: any.
        table: ``queries`` or ``documents``.
        ids: external ids.
    """
    found: dict[str, int] = {}
    for start in range(0, len(ids), CHUNK):
        part = ids[start : start + CHUNK]
        numbers = find_id_numbers(connection, table, part).tolist()
        found.update((name, number) for name, number in zip(part, numbers, strict=True) if number)
    return found


def number_ids(
    connection: apsw.Connection, table: str, ids: Sequence[str], *, are_likely_new: bool = False
) -> Numbers:
    """Return the numbers of distinct external ids, adding those not known yet.

    Args:
        connection: of the writer, inside a transaction.
        table: ``queries`` or ``documents``.
        ids: distinct external ids, some thousands at once; in the order of their bytes
            they are written fastest.
        are_likely_new: add them without looking first; what is known is found all the same.

    Returns:
        int64, shape (n,), from 1.
    """
    top = count_ids(connection, table)
    if are_likely_new:
        n_before = connection.total_changes()
        _append_ids(connection, table, top + 1, ids)
        if connection.total_changes() - n_before == len(ids):
            return np.arange(top + 1, top + 1 + len(ids), dtype=np.int64)
        return find_id_numbers(connection, table, ids)
    numbers = find_id_numbers(connection, table, ids)
    fresh = np.flatnonzero(numbers == 0)
    _append_ids(connection, table, top + 1, [ids[place] for place in fresh.tolist()])
    numbers[fresh] = np.arange(top + 1, top + 1 + len(fresh))
    return numbers


def number_id(connection: apsw.Connection, table: str, external_id: str) -> int:
    """Return the number of one external id, as :func:`number_ids`."""
    return int(number_ids(connection, table, [external_id])[0])


def _append_ids(connection: apsw.Connection, table: str, first: int, ids: Sequence[str]) -> None:
    """Add external ids with consecutive numbers; one that is there already stays as it is."""
    if not len(ids):
        return
    if _are_an_array(ids):
        # Rows of an array count from 1.
        connection.execute(
            f"INSERT OR IGNORE INTO {table} SELECT ? + rowid, value FROM carray(?)",  # noqa: S608 - from a constant table
            (first - 1, apsw.carray(tuple(ids))),
        )
        return
    rows: Iterable[tuple[int, str]] = enumerate(ids, first)
    connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES(?, ?)", rows)


def _are_an_array(ids: Sequence[str]) -> bool:
    """Whether SQLite can read the ids as an array: it takes a text to end at a NUL."""
    return HAS_CARRAY and "\0" not in "".join(ids)


def load_id_texts(
    connection: apsw.Connection,
    numbers: DocumentKeys,
    table: str = "documents",
) -> list[str]:
    """Return the external ids of documents, or of queries.

    Args:
        connection: any.
        numbers: of documents, shape (n,); rising ones are read fastest.
        table: ``documents`` or ``queries``.

    Returns:
        One for each number, in their order.

    Raises:
        KeyError: there is no document, or query, of one of the numbers.
    """
    wanted = np.ascontiguousarray(numbers, dtype=np.int64)
    found: list[str] = []
    for start in range(0, len(wanted), CHUNK):
        found += _load_part(connection, wanted[start : start + CHUNK], table)
    if len(found) < len(wanted):
        raise KeyError(f"not all of these numbers are of {table} of the project")
    return found


def _load_part(
    connection: apsw.Connection, numbers: npt.NDArray[np.int64], table: str
) -> Sequence[str]:
    if HAS_CARRAY:
        rows = connection.execute(
            f"SELECT d.external_id FROM carray(?) a CROSS JOIN {table} d "  # noqa: S608 - from a constant table
            f"ON d.{_COLUMNS[table]} = a.value ORDER BY a.rowid",
            (apsw.carray(numbers),),
        )
        return list(chain.from_iterable(rows))
    look_up = f"SELECT external_id FROM {table} WHERE {_COLUMNS[table]} = ?"  # noqa: S608 - likewise
    parts = (connection.execute(look_up, (number,)) for number in numbers.tolist())
    return [str(row[0]) for part in parts for row in part]


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


class PackedRun(NamedTuple):
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
    there = {
        place_of[query_id]: docs
        for query_id, docs in iter_packed_documents(connection, run_id)
        if query_id in place_of
    }
    top = count_ids(connection, "documents")
    packed = {place: docs for place, docs in there.items() if are_known(docs, top)}
    if len(packed) < len(there):
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
