"""What filters and reviews ask of judgments and texts, found by SQLite."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

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


class SaidKey(NamedTuple):
    """A judgment of one assessor: whom it belongs to, and when it was made."""

    query_id: int
    document_id: int
    at: int


def load_said_by(connection: apsw.Connection, assessor_id: int) -> list[SaidKey]:
    """Return of what an assessor has said something, newest first."""
    rows = connection.execute(
        "SELECT query_id, document_id, at FROM judgments WHERE assessor_id = ? "
        "ORDER BY at DESC, step_id DESC, query_id, document_id",
        (assessor_id,),
    )
    return [SaidKey(*row) for row in rows]


class SaidCondition(NamedTuple):
    """What a judgment must be: a kind of ``SAID_KINDS``, and its value where it needs one."""

    kind: str
    value: str | float | None = None


def load_pairs_said(
    connection: apsw.Connection, conditions: Sequence[SaidCondition], *, by_one: bool
) -> Numbers:
    """Return the (query, document) pairs of which this is said.

    Args:
        connection: any.
        conditions: at least one.
        by_one: one and the same judgment must meet all of them, not one each.

    Returns:
        Numbers of the file, shape (n, 2), each pair once.
    """
    parts = [_ON_WHAT_IS_SAID[each.kind] for each in conditions]
    select = "SELECT query_id, document_id FROM judgments WHERE "
    if by_one:
        statement = f"{select}{' AND '.join(parts)} GROUP BY query_id, document_id"
    elif len(parts) == 1:
        statement = f"{select}{parts[0]} GROUP BY query_id, document_id"
    else:
        statement = " INTERSECT ".join(select + part for part in parts)
    values = tuple(each.value for each in conditions if "?" in _ON_WHAT_IS_SAID[each.kind])
    return _load_pairs(connection, statement, values)


def load_disputed_pairs(connection: apsw.Connection) -> Numbers:
    """Return the (query, document) pairs with different grades, as :func:`load_pairs_said`."""
    return _load_pairs(
        connection,
        "SELECT query_id, document_id FROM judgments WHERE grade IS NOT NULL "
        "GROUP BY query_id, document_id HAVING min(grade) <> max(grade)",
    )


def load_differing_pairs(connection: apsw.Connection, one: str, other: str) -> Numbers:
    """Return the pairs that two assessors, by name, graded differently."""
    return _load_pairs(
        connection,
        "SELECT a.query_id, a.document_id FROM judgments a "
        "JOIN judgments b USING(query_id, document_id) WHERE a.grade <> b.grade "
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
