"""What the event log knows of how judgments came about."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import apsw

from judgetool.core.judgments import Judgment


class EffortEvent(NamedTuple):
    """One line of the event log.

    Attributes:
        event_id: rising with time.
        step_id: the step that it belongs to; that of an undo is the step undone.
        at: when, milliseconds UTC.
        query_id: the file's number.
        document_id: the file's number.
        assessor_id: the file's number.
        origin: ``key``, ``click``, ``command``, ``undo``, ``redo``, ….
        before: ``None`` where nothing was said.
        after: ``None`` where nothing is said any more.
        spent_ms: how long the document had been in view, or ``None``.
        shown: what was on the screen; empty where nothing is known.
    """

    event_id: int
    step_id: int
    at: int
    query_id: int
    document_id: int
    assessor_id: int
    origin: str
    before: Judgment | None
    after: Judgment | None
    spent_ms: int | None
    shown: dict[str, Any]


def iter_effort_events(connection: apsw.Connection) -> Iterator[EffortEvent]:
    """Yield what was said here, and undone and done again, in order of time.

    What imports brought is left out, and what followed from a change of the scale:
    nobody spent time on single judgments there.
    """
    rows = connection.execute(
        "SELECT event_id, step_id, at, query_id, document_id, assessor_id, origin, before, after, "
        "spent_ms, shown FROM events e WHERE origin NOT IN ('import', 'rescale', 'merge') "
        "AND (origin NOT IN ('undo', 'redo') OR step_id IN "
        "(SELECT step_id FROM steps WHERE kind = 'judge')) ORDER BY event_id"
    )
    for row in rows:
        event_id, step_id, at, query, document, assessor, origin, before, after, spent, shown = row
        yield EffortEvent(
            event_id,
            step_id,
            at,
            query,
            document,
            assessor,
            origin,
            _judgment(before),
            _judgment(after),
            spent,
            json.loads(shown) if shown else {},
        )


def _judgment(text: str | None) -> Judgment | None:
    return None if text is None else Judgment.from_dict(json.loads(text))
