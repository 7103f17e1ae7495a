"""What the event log of an open project says."""

import json
from types import SimpleNamespace

_EVENTS = (
    "SELECT event_id, query_id, q.external_id, document_id, d.external_id, a.name, origin, before, after, spent_ms, shown "
    "FROM events e JOIN queries q USING(query_id) JOIN documents d USING(document_id) "
    "JOIN assessors a USING(assessor_id) ORDER BY event_id"
)


def load_events(session, *, assessor=None):
    """Return the lines of the log, oldest first; of one assessor where that is named."""
    found = []
    for (
        event_id,
        query,
        query_id,
        document,
        document_id,
        who,
        origin,
        *texts,
        spent_ms,
        shown,
    ) in list(session.reader.execute(_EVENTS)):
        if assessor in (None, who):
            before, after = (
                text and SimpleNamespace(**{"grade": None, **json.loads(text)}) for text in texts
            )
            found.append(
                SimpleNamespace(
                    event_id=event_id,
                    query=session.material.place_of.get(query),
                    query_id=query_id,
                    document=document,
                    document_id=document_id,
                    assessor=who,
                    origin=origin,
                    before=before,
                    after=after,
                    spent_ms=spent_ms,
                    shown=shown and json.loads(shown),
                )
            )
    return found
