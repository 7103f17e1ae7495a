"""What can be asked of judgments and documents to find them: by chips of the search."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import apsw
import numpy as np

from judgetool.storage.judgments import Numbers

_ON_WHAT_IS_SAID: Mapping[str, str] = {
    "flagged": "flagged = 1",
    "noted": "note <> ''",
    "cannot_judge": "state = 'cannot_judge'",
    "skipped": "state = 'skipped'",
    "has_rationale": "spans <> '[]'",
    "confidence": "confidence = ?",
    "changed_since": "at >= ?",
    "grade": "grade = ?",
    "judged": "state = 'judged'",
    "by": "assessor_id IN (SELECT assessor_id FROM assessors WHERE name = ?)",
}
SAID_KINDS = frozenset(_ON_WHAT_IS_SAID)
"""What can be asked of a single judgment."""


class SaidCondition(NamedTuple):
    """What a judgment must be: a kind of ``SAID_KINDS``, and its value where it needs one."""

    kind: str
    value: str | float | None = None


def load_pairs_said(
    connection: apsw.Connection,
    conditions: Sequence[SaidCondition],
    *,
    by_one: bool,
    query_id: int | None = None,
) -> Numbers:
    """Return the (query, document) pairs of which this is said.

    Args:
        connection: any.
        conditions: at least one.
        by_one: one and the same judgment must meet all of them, not one each.
        query_id: of this query alone, by its number in the file; ``None`` of all.

    Returns:
        Numbers of the file, shape (n, 2), each pair once.
    """
    parts = [_ON_WHAT_IS_SAID[each.kind] for each in conditions]
    select = f"SELECT query_id, document_id FROM judgments WHERE {_within(query_id)}"  # noqa: S608 - a number
    if by_one:
        statement = f"{select}{' AND '.join(parts)} GROUP BY query_id, document_id"
    elif len(parts) == 1:
        statement = f"{select}{parts[0]} GROUP BY query_id, document_id"
    else:
        statement = " INTERSECT ".join(select + part for part in parts)
    values = tuple(each.value for each in conditions if "?" in _ON_WHAT_IS_SAID[each.kind])
    return _load_pairs(connection, statement, values)


def _within(query_id: int | None) -> str:
    """Return the beginning of a condition that leaves but one query's rows."""
    return "" if query_id is None else f"query_id = {query_id:d} AND "


def load_differing_pairs(
    connection: apsw.Connection, one: str, other: str, query_id: int | None = None
) -> Numbers:
    """Return the pairs that two assessors, by name, graded differently."""
    return _load_pairs(
        connection,
        "SELECT a.query_id, a.document_id FROM judgments a "  # noqa: S608 - a number
        f"JOIN judgments b USING(query_id, document_id) WHERE {_within(query_id)}a.grade <> b.grade "
        "AND a.assessor_id = (SELECT assessor_id FROM assessors WHERE name = ?) "
        "AND b.assessor_id = (SELECT assessor_id FROM assessors WHERE name = ?)",
        (one, other),
    )


def _load_pairs(
    connection: apsw.Connection, statement: str, values: tuple[str | float | None, ...] = ()
) -> Numbers:
    rows = connection.execute(statement, values)
    return np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 2)


def load_documents_with_text(connection: apsw.Connection) -> Numbers:
    """Return the documents that have more to show than their id, each once."""
    rows = connection.execute(
        "SELECT DISTINCT document_id FROM document_texts t JOIN steps s USING(step_id) "
        "WHERE s.state = 'done' AND (t.title <> '' OR t.body <> '' OR t.fields <> '{}' "
        "OR t.image <> '')"
    )
    return np.fromiter(chain.from_iterable(rows), np.int64)
