"""The event log read once from its beginning: every change of a judgment, as it came to count.

An import counts from when it became visible, an undo from when it happened; imports
that never became visible do not count.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import apsw

from judgetool.core.judgments import Judgment

_PAGE = 5_000
_KEPT = 10_000

Key = tuple[int, int, int]
"""Query, document and assessor by their numbers in the file."""


class Change(NamedTuple):
    """One judgment changed.

    Attributes:
        event_id: the line of the log from which on it counts.
        is_published: whether an import brought it, which became visible after that line.
        key: query, document, assessor.
        text: what is said from then on, as JSON; ``None`` for nothing any more.
        step_id: the step that says it; 0 where nothing is said.
        at: when that was said, milliseconds UTC: when it was logged, but for what an import, an
            undo or a redo says was said at another time.
    """

    event_id: int
    is_published: bool
    key: Key
    text: str | None
    step_id: int
    at: int


def iter_changes(
    connection: apsw.Connection, *, event_id: int | None = None, at: int | None = None
) -> Iterator[Change]:
    """Yield all changes in the order in which they came to count.

    Args:
        connection: for looking; no cursor stays open between two changes.
        event_id: the last line of the log that counts; ``None`` for all.
        at: the moment, milliseconds UTC, instead. Where the clock was set back, the
            order of the log decides.
    """
    last = last_event(connection, event_id=event_id, at=at)
    publications: list[Any] = connection.execute(
        "SELECT after_event, step_id FROM step_events WHERE change = 'published' "
        "AND after_event <= ?1 AND (?2 IS NULL OR after_event < ?1 OR at <= ?2) "
        "ORDER BY after_event, step_event_id",
        (last, at),
    ).fetchall()
    staged: dict[int, dict[Key, Change]] = {step: {} for _, step in publications}
    said_by: dict[Key, int] = {}
    waiting = iter([*publications, (last + 1, 0)])
    after_event, step = next(waiting)
    for change, origin, event_step in _iter_lines(connection, last):
        while after_event < change.event_id:
            yield from _published(staged.pop(step), said_by, after_event, step)
            after_event, step = next(waiting)
        if origin == "import":
            if event_step in staged and change.text is not None:
                staged[event_step][change.key] = change
            continue
        if change.text is None:
            said_by.pop(change.key, None)
        else:
            said_by[change.key] = change.step_id
        yield change
    while after_event <= last:
        yield from _published(staged.pop(step), said_by, after_event, step)
        after_event, step = next(waiting)


def last_event(
    connection: apsw.Connection, *, event_id: int | None = None, at: int | None = None
) -> int:
    """Return the last line that counts at a moment, as :func:`iter_changes` takes it; 0 for none."""
    top = int(connection.execute("SELECT coalesce(max(event_id), 0) FROM events").get)
    if event_id is not None:
        return min(event_id, top)
    if at is None:
        return top
    return int(
        connection.execute("SELECT coalesce(max(event_id), 0) FROM events WHERE at <= ?", (at,)).get
    )


@lru_cache(maxsize=_KEPT)
def parse_judgment(text: str) -> Judgment:
    """Return the judgment that a line of the log holds; most lines say what another said, too."""
    return Judgment.from_dict(json.loads(text))


def _iter_lines(connection: apsw.Connection, last: int) -> Iterator[tuple[Change, str, int]]:
    """Yield each line as a change, with its origin and its step."""
    done = 0
    while page := connection.execute(
        "SELECT event_id, query_id, document_id, assessor_id, after, after_step, "
        "coalesce(json_extract(shown, '$.made_at'), at), origin, step_id FROM events WHERE event_id > ? AND event_id <= ? ORDER BY event_id LIMIT ?",
        (done, last, _PAGE),
    ).fetchall():
        rows: Any = page
        for number, query, document, assessor, after, after_step, at, origin, step in rows:
            key = (query, document, assessor)
            yield Change(number, False, key, after, after_step or 0, at), origin, step
        before, done = done, rows[-1][0]
        if done <= before:
            # Damaged pages give rows that were not asked for, and would do so for ever.
            raise ValueError(f"line {done} of the log comes after line {before}")


def _published(
    staged: dict[Key, Change], said_by: dict[Key, int], after_event: int, step: int
) -> Iterator[Change]:
    """Make an import visible as the writer does: what was said since it began stays."""
    for key, change in staged.items():
        if said_by.get(key, -1) < step:
            said_by[key] = step
            yield Change(after_event, True, key, change.text, step, change.at)
