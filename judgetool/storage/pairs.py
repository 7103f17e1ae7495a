"""Which documents of queries are found by what is said of them: by the chips of the search, or disputed."""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import apsw
import numpy as np

from judgetool.core.judgments import JudgmentKey
from judgetool.storage.judgments import Numbers, parse_judgment

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
    left_out: Collection[int] = (),
) -> Numbers:
    """Return the (query, document) pairs of which this is said.

    Args:
        connection: any.
        conditions: at least one.
        by_one: one and the same judgment must meet all of them, not one each.
        query_id: of this query alone, by its number in the file; ``None`` of all.
        left_out: assessors whose judgments are not looked at.

    Returns:
        Numbers of the file, shape (n, 2), each pair once.
    """
    parts = [_ON_WHAT_IS_SAID[each.kind] for each in conditions]
    heard = f"assessor_id NOT IN ({_numbers(left_out)}) AND "
    select = f"SELECT query_id, document_id FROM judgments WHERE {_within(query_id)}{heard}"  # noqa: S608 - numbers
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


def _numbers(found: Collection[int]) -> str:
    return ", ".join(map(str, sorted(found)))


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


def load_disputed_pairs(
    connection: apsw.Connection,
    query_id: int | None = None,
    *,
    left_out: Collection[int] = (),
    final: Collection[int] = (),
) -> Numbers:
    """Return the (query, document) pairs with different grades, not settled since.

    What was settled is disputed again when one of those who had graded it gives another grade;
    not by grades that come in later.

    Args:
        connection: any.
        query_id: of this query alone, by its number in the file; ``None`` of all.
        left_out: assessors who do not count.
        final: assessors whose judgments are what was settled.

    Returns:
        Numbers of the file, shape (n, 2), by query and document.
    """
    within = _within(query_id)
    apart = {*left_out, *final}
    graded = f"{within}grade IS NOT NULL AND assessor_id NOT IN ({_numbers(apart)})"
    rows = connection.execute(
        f"SELECT query_id, document_id FROM judgments WHERE {graded} "  # noqa: S608 - numbers
        "GROUP BY query_id, document_id HAVING min(grade) <> max(grade)",
    )
    found = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 2)
    if not final:
        return found
    settled = connection.execute(
        "SELECT query_id, document_id, max(at) FROM judgments "  # noqa: S608 - numbers
        f"WHERE {within}state IN ('judged', 'cannot_judge') "
        f"AND assessor_id IN ({_numbers(final)}) GROUP BY query_id, document_id"
    )
    ended = {(query, document): at for query, document, at in settled}
    kept = [
        pair not in ended or _is_regraded(connection, pair, graded, since=ended[pair])
        for pair in ((query, document) for query, document in found.tolist())
    ]
    return found[np.array(kept, dtype=np.bool_)]


def _is_regraded(
    connection: apsw.Connection, pair: tuple[int, int], graded: str, *, since: int
) -> bool:
    """Whether somebody who had graded a pair before a moment has given another grade since."""
    rows: list[Any] = connection.execute(
        "SELECT assessor_id, grade, step_id FROM judgments "  # noqa: S608 - numbers
        f"WHERE query_id = ? AND document_id = ? AND {graded} AND at > ?",
        (*pair, since),
    ).fetchall()
    query, document = pair
    return any(
        _find_grade_then(connection, JudgmentKey(query, document, assessor), step, since)
        not in (None, grade)
        for assessor, grade, step in rows
    )


def _find_grade_then(
    connection: apsw.Connection, key: JudgmentKey, step_id: int, at: int
) -> float | None:
    """Return the grade that stood at a moment, going back from the step that says the present one."""
    step: int | None = step_id
    while step is not None:
        row: Any = connection.execute(
            "SELECT coalesce(json_extract(shown, '$.made_at'), at), before, after, before_step "
            "FROM events WHERE step_id = ? AND query_id = ? AND document_id = ? "
            "AND assessor_id = ? AND origin NOT IN ('undo', 'redo') ORDER BY event_id LIMIT 1",
            (step, *key),
        ).fetchone()
        if row is None:
            return None
        said_at, before, after, earlier = row
        if said_at <= at:
            said = parse_judgment(after)
            return said.grade if said else None
        if earlier == step or before is None:
            return None
        step = earlier
    return None
