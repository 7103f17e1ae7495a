"""Which documents were graded differently by those who count, and not settled since."""

from collections.abc import Collection
from itertools import chain
from typing import Any

import apsw
import numpy as np

from judgetool.core.judgments import JudgmentKey
from judgetool.storage.judgments import Numbers, parse_judgment


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
    within = "" if query_id is None else f"query_id = {query_id:d} AND "
    apart = ", ".join(map(str, sorted({*left_out, *final})))
    graded = f"{within}grade IS NOT NULL AND assessor_id NOT IN ({apart})"
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
        f"AND assessor_id IN ({', '.join(map(str, sorted(final)))}) GROUP BY query_id, document_id"
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
    for assessor, grade, step in rows:
        key = JudgmentKey(query, document, assessor)
        before = _find_grade_then(connection, key, step, since)
        if before is not None and before != grade:
            return True
    return False


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
