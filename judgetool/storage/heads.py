"""Which lines of the log count: those that no other visible one has replaced.

Every line names the lines that it replaces (its parents); an undo or redo names the one by which
what it takes back stood. Lines of an import that waits to become visible may count or not.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import apsw

_WIDTH = 16


def split_uuids(joined: bytes) -> list[bytes]:
    """Return the uuids that stand in a column ``parents``."""
    return [joined[at : at + _WIDTH] for at in range(0, len(joined), _WIDTH)]


_EVENTS = (
    "SELECT e.uuid, e.parents, e.at, s.state FROM events e JOIN steps s USING(step_id) "
    "WHERE e.query_id = ? AND e.document_id = ? AND e.assessor_id = ? ORDER BY e.event_id"
)
_VALUES = (
    "SELECT v.uuid, v.parents, v.at, s.state FROM value_events v JOIN steps s USING(step_id) "
    "WHERE v.key = ? ORDER BY v.value_event_id"
)
TURNS = ("undo", "redo")


def find_replaced(connection: apsw.Connection, key: Iterable[int], origin: str) -> bytes:
    """Return the parents of the next line about a judgment.

    Args:
        connection: in a transaction.
        key: query, document and assessor by their numbers in the file.
        origin: of that line.
    """
    return _replaced(connection.execute(_EVENTS, tuple(key)).fetchall(), origin)


def pairs_with_lines(
    connection: apsw.Connection, pairs: Iterable[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Return of (query, document) pairs those of which the log may say something already.

    An import asks this once for thousands of them: to look each one up would take longer than
    to write it. Where a query has far more lines than pairs, all of its pairs are returned.
    """
    documents: dict[int, list[int]] = {}
    for query, document in pairs:
        documents.setdefault(query, []).append(document)
    found: set[tuple[int, int]] = set()
    for query, wanted in documents.items():
        most = 8 * len(wanted) + 64
        bounds = (query, min(wanted), max(wanted), most)
        rows = connection.execute(_DOCUMENTS, bounds).fetchall()
        known = wanted if len(rows) == most else (int(str(row[0])) for row in rows)
        found.update((query, document) for document in known)
    return found


_DOCUMENTS = (
    "SELECT DISTINCT document_id FROM events "
    "WHERE query_id = ? AND document_id BETWEEN ? AND ? LIMIT ?"
)


def find_replaced_value(connection: apsw.Connection, key: str, origin: str) -> bytes:
    """Return the parents of the next line about one of the project's values."""
    return _replaced(connection.execute(_VALUES, (key,)).fetchall(), origin)


def _replaced(lines: list[Any], origin: str) -> bytes:
    if not lines:
        return b""
    last, _, _, state = lines[-1]
    if len(lines) == 1 and state != "abandoned":
        return bytes(last)
    named = set(_named(lines))
    if origin in TURNS:
        heads = [
            (at, uuid)
            for uuid, _, at, state in lines
            if state not in ("pending", "abandoned") and uuid not in named
        ]
        return bytes(max(heads)[1]) if heads else b""
    # What waits is named with what it will replace: it may never become visible.
    return b"".join(
        uuid for uuid, _, _, state in lines if state != "abandoned" and uuid not in named
    )


def _named(lines: list[Any]) -> Iterator[bytes]:
    for _, parents, _, state in lines:
        if state not in ("pending", "abandoned"):
            yield from split_uuids(parents)
