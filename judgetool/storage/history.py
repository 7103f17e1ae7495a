"""What was said: lines, steps and times of the log, judgments of any moment, documents by what is said.

It is read from its beginning (:func:`iter_changes`): an import counts from when it became
visible, an undo from when it happened; imports that never became visible do not count.

Documents are found by what is said of them, for the chips of the search and for disputes.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

import apsw
import numpy as np

from judgetool.core.judgments import Judgment, JudgmentKey, State
from judgetool.storage.ids import Numbers
from judgetool.storage.judgments import (
    HeadText,
    Key,
    LoggedLine,
    Stored,
    counts_from,
    load_judgments,
    load_value_lines,
    parse_judgment,
    resolve,
    split_uuids,
)


class Change(NamedTuple):
    """One judgment changed.

    Attributes:
        event_id: the line of the log from which on it counts.
        is_published: whether an import brought it, which became visible after that line.
        key: query, document, assessor.
        text: what is said from then on, as JSON; ``None`` for nothing any more.
        step_id: the step that says it; 0 where nothing is said.
        at: when that was said, milliseconds UTC: when it was logged, but for what an import,
            another scale, an undo or a redo says was said at another time.
    """

    event_id: int
    is_published: bool
    key: Key
    text: str | None
    step_id: int
    at: int


def iter_changes(connection: apsw.Connection, *, event_id: int | None = None) -> Iterator[Change]:
    """Yield all changes in the order in which they came to count.

    Args:
        connection: for looking; no cursor stays open between two changes.
        event_id: the last line of the log that counts; ``None`` for all.
    """
    last = event_id
    if last is None:
        last = int(connection.execute("SELECT coalesce(max(event_id), 0) FROM events").get)
    publications: list[Any] = connection.execute(
        "SELECT after_event, step_id FROM step_events WHERE change = 'published' AND after_event "
        "<= ? AND step_id NOT IN (SELECT merge_id FROM arrivals) ORDER BY after_event, step_event_id",
        (last,),
    ).fetchall()
    replay = _MergedReplay(connection, last)
    publications = sorted([*publications, *replay.moments], key=itemgetter(0))
    staged: dict[int, dict[Key, Change]] = {step: {} for _, step in publications}
    said_by: dict[Key, int] = {}
    waiting = iter([*publications, (last + 1, 0)])
    after_event, step = next(waiting)
    for change, origin, event_step in _iter_lines(connection, last):
        while after_event < change.event_id:
            yield from _published(staged.pop(step, {}), said_by, after_event, step)
            yield from replay.published(after_event, step)
            after_event, step = next(waiting)
        if change.key in replay.keys:
            yield from replay.written(change, origin, event_step)
            continue
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
        yield from _published(staged.pop(step, {}), said_by, after_event, step)
        yield from replay.published(after_event, step)
        after_event, step = next(waiting)


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


class _MergedReplay:
    """Follows the judgments of which another copy has brought lines: the visible ones decide.

    Attributes:
        keys: whose; empty where nothing was merged.
        moments: when a merge came into view or went, as (last line, step of the merge).
    """

    def __init__(self, connection: apsw.Connection, last: int) -> None:
        arrivals: list[Any] = connection.execute(
            "SELECT step_id, merge_id FROM arrivals"
        ).fetchall()
        self._merges_of: dict[int, set[int]] = {}
        for step, merge in arrivals:
            self._merges_of.setdefault(step, set()).add(merge)
        rows: list[Any] = connection.execute(
            "SELECT after_event, step_id FROM step_events WHERE after_event <= ? "
            "AND step_id IN (SELECT merge_id FROM arrivals) ORDER BY step_event_id",
            (last,),
        ).fetchall()
        self.moments: list[tuple[int, int]] = rows if arrivals else []
        self.keys: set[Key] = set()
        if arrivals:
            found: Any = connection.execute(
                "SELECT DISTINCT query_id, document_id, assessor_id FROM events "
                "JOIN arrivals USING(step_id)"
            )
            self.keys = set(found)
        self._connection = connection
        self._lines: dict[Key, list[tuple[LoggedLine, int]]] = {}
        self._keys_of: dict[int, set[Key]] = {}
        self._seen_imports: set[int] = set()
        self._shown: set[int] = set()
        self._said: dict[Key, HeadText | None] = {}

    def written(self, change: Change, origin: str, step: int) -> Iterator[Change]:
        """Take a line of the log."""
        line, waits = self._line(change, origin, step), origin == "import"
        self._lines.setdefault(change.key, []).append((line, step))
        merges = self._merges_of.get(step)
        if merges is not None:
            for merge in merges:
                self._keys_of.setdefault(merge, set()).add(change.key)
            if not merges.isdisjoint(self._shown):
                # What a hub sends later comes into view as it is written.
                yield from self._changed(change.key, change.event_id, is_published=False)
        elif waits:
            self._keys_of.setdefault(step, set()).add(change.key)
        else:
            yield from self._changed(change.key, change.event_id, is_published=False)

    def _line(self, change: Change, origin: str, step: int) -> LoggedLine:
        row: Any = self._connection.execute(
            "SELECT uuid, parents, at FROM events WHERE event_id = ?", (change.event_id,)
        ).fetchone()
        uuid, parents, at = row
        is_beside = change.text is not None and change.step_id != step
        since = counts_from(origin, at, change.at, is_beside=is_beside)
        names = tuple(split_uuids(parents))
        return LoggedLine(uuid, names, since, origin, change.text, change.step_id, change.at)

    def published(self, after_event: int, step: int) -> Iterator[Change]:
        """Take it that an import came into view, or a merge came or went."""
        if not self.keys:
            return
        self._seen_imports.add(step)
        self._shown ^= {step}
        for key in sorted(self._keys_of.get(step, ())):
            yield from self._changed(key, after_event, is_published=True)

    def _is_seen(self, line: LoggedLine, step: int) -> bool:
        merges = self._merges_of.get(step)
        if merges is not None:
            return not merges.isdisjoint(self._shown)
        return line.origin != "import" or step in self._seen_imports

    def _changed(self, key: Key, event_id: int, *, is_published: bool) -> Iterator[Change]:
        lines = [line for line, step in self._lines.get(key, ()) if self._is_seen(line, step)]
        found = resolve(lines)
        now = found[0] if found and found[0].text is not None else None
        if now == self._said.get(key):
            return
        self._said[key] = now
        text, step, at = now or (None, 0, 0)
        yield Change(event_id, is_published, key, text, step, at)


def _published(
    staged: dict[Key, Change], said_by: dict[Key, int], after_event: int, step: int
) -> Iterator[Change]:
    """Make an import visible as the writer does: what was said since it began stays."""
    for key, change in staged.items():
        if said_by.get(key, -1) < step:
            said_by[key] = change.step_id
            yield Change(after_event, True, key, change.text, change.step_id, change.at)


_PAGE = 5_000
SETTLED = (State.JUDGED, State.CANNOT_JUDGE)


class Moment(NamedTuple):
    """A moment at which judgments changed.

    Attributes:
        event_id: the last line of the log that had been written.
        at: when, milliseconds UTC.
        kind: the step's kind, or ``undo`` or ``redo``.
    """

    event_id: int
    at: int
    kind: str


class HistoryRow(NamedTuple):
    """One step and what it touched.

    Attributes:
        step_id: its number; higher is later.
        kind: ``judge``, ``import``, ``project``, ``new``, ….
        title: for people.
        assessor: who took it; ``""`` for nobody in particular.
        at: when, milliseconds UTC.
        state: ``done``, ``undone`` or ``dropped`` (undone, and no longer to be redone).
        n_judgments: judgments that it changed when it was first done.
        note: that it wrote on a document, or the reason that it gave; ``""`` for none.
        has_come: whether it was taken in another copy, and came with a merge: that is when it
            entered the order of the steps, whenever it was taken.
    """

    step_id: int
    kind: str
    title: str
    assessor: str
    at: int
    state: str
    n_judgments: int
    note: str = ""
    has_come: bool = False


def load_steps(
    connection: apsw.Connection, *, limit: int, before: int | None = None
) -> list[HistoryRow]:
    """Return steps, the last that entered first; imports that never became visible are left out.

    Args:
        connection: for looking.
        limit: at most so many.
        before: only steps earlier than this one; ``None`` begins with the newest.
    """
    rows: list[Any] = connection.execute(
        "SELECT step_id, s.kind, title, coalesce(a.name, ''), at, state, (SELECT count(*) "
        "FROM events e WHERE e.step_id = s.step_id AND origin NOT IN ('undo', 'redo')), coalesce((SELECT "
        "after ->> '$.note' FROM events e WHERE e.step_id = s.step_id AND s.kind = 'judge' AND origin "
        "NOT IN ('undo', 'redo') AND after ->> '$.note' IS NOT before ->> '$.note' LIMIT 1), ''), "
        "EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = s.step_id) FROM steps s "
        "LEFT JOIN assessors a USING(assessor_id) WHERE state NOT IN ('pending', 'abandoned') "
        "AND s.kind <> 'turn' "
        "AND (?1 IS NULL OR step_id < ?1) ORDER BY step_id DESC LIMIT ?2",
        (before, limit),
    ).fetchall()
    return [HistoryRow(*row) for row in rows]


def load_moments(connection: apsw.Connection) -> list[Moment]:
    """Return the moments at which judgments changed, in the order of the log."""
    rows: Any = connection.execute(
        "SELECT max(event_id), e.at, CASE WHEN origin IN ('undo', 'redo') THEN origin ELSE s.kind END "
        "FROM events e JOIN steps s USING(step_id) WHERE origin <> 'import' "
        "AND e.step_id NOT IN (SELECT step_id FROM arrivals) "
        "GROUP BY e.step_id, e.at, origin UNION ALL "
        "SELECT after_event, v.at, s.kind FROM step_events v JOIN steps s USING(step_id) "
        "WHERE (change = 'published' AND EXISTS "
        "(SELECT 1 FROM events e WHERE e.step_id = v.step_id AND e.origin = 'import')) "
        "OR s.kind = 'merge'"
    )
    return sorted(Moment(*row) for row in rows)


def load_judgments_as_of(
    connection: apsw.Connection, *, event_id: int | None = None
) -> Iterator[tuple[JudgmentKey, Stored]]:
    """Yield the judgments that stood at a moment, ordered by their key.

    An import counts from when it became visible, an undo from when it happened;
    imports that never became visible do not count.

    Args:
        connection: for looking.
        event_id: the last line of the log that counts; ``None`` for all.
    """
    state: dict[Key, Change] = {}
    for change in iter_changes(connection, event_id=event_id):
        if change.text is None:
            state.pop(change.key, None)
        else:
            state[change.key] = change
    for key in sorted(state):
        said = parse_judgment(state[key].text)
        if said is not None:
            yield JudgmentKey(*key), Stored(said, state[key].step_id, state[key].at)


# Said at a time that no line of the log about it has, or marked in what is no list.
_ODD = (
    "SELECT query_id, document_id, assessor_id FROM judgments j WHERE CASE json_valid(spans) WHEN 1 "
    "THEN json_type(spans) END IS NOT 'array' OR NOT EXISTS (SELECT 1 FROM events e WHERE "
    "e.query_id = j.query_id AND e.document_id = j.document_id AND e.assessor_id = j.assessor_id "
    "AND (j.at = e.at OR j.at = CASE json_valid(e.shown) WHEN 1 "
    "THEN json_extract(e.shown, '$.made_at') END))"
)


def iter_differing_judgments(
    connection: apsw.Connection,
) -> Iterator[tuple[JudgmentKey, Stored | None, Stored | None]]:
    """Yield the judgments that are not what the log leads to: whose, by the log, and found."""
    logged, found = dict(load_judgments_as_of(connection)), dict(load_judgments(connection))
    odd: set[Any] = set(connection.execute(_ODD))
    for key in {**logged, **found}:
        one, other = logged.get(key), found.get(key)
        # Of when it was said the log may know several times, as of an import with dates.
        if (one and one[:2]) != (other and other[:2]) or key in odd:
            yield key, one, other


def iter_differing_values(
    connection: apsw.Connection,
) -> Iterator[tuple[bytes, bytes | None, bytes | None]]:
    """Yield the project's values that are not what the log leads to: key, by the log, and found.

    As bytes: damaged ones are no texts any more.
    """
    logged: dict[bytes, bytes | None] = dict(
        connection.execute(
            "SELECT CAST(key AS BLOB), CAST(after AS BLOB) FROM value_events ORDER BY value_event_id"
        )
    )
    merged: list[Any] = connection.execute(
        "SELECT DISTINCT key FROM value_events JOIN arrivals USING(step_id)"
    ).fetchall()
    for (key,) in merged:
        said = resolve(load_value_lines(connection, key))
        text = said[0].text if said else None
        logged[key.encode()] = None if text is None else text.encode()
    found: dict[bytes, bytes] = dict(
        connection.execute("SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM project_values")
    )
    for key in sorted({**logged, **found}):
        if logged.get(key) != found.get(key):
            yield key, logged.get(key), found.get(key)


def load_settled_as_of(
    connection: apsw.Connection, *, event_id: int | None = None
) -> Iterator[tuple[int, int, int, float | None, int, int]]:
    """Yield (query, document, assessor, grade or ``None`` for cannot judge, step, when), by key.

    The same rows that ``load_settled`` gives of the present, for a moment as
    :func:`load_judgments_as_of` takes it.
    """
    for key, stored in load_judgments_as_of(connection, event_id=event_id):
        if stored.judgment.state in SETTLED:
            yield (*key, stored.judgment.grade, stored.step_id, stored.at)


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

    What imports brought is left out, what followed from a change of the scale, and what came under
    another name: nobody spent time on single judgments there.
    """
    rows: Any = connection.execute(
        "SELECT event_id, step_id, at, query_id, document_id, assessor_id, origin, before, after, "
        "spent_ms, shown FROM events e WHERE origin NOT IN ('import', 'rescale', 'move', 'merge') "
        "AND (origin NOT IN ('undo', 'redo') OR step_id IN "
        "(SELECT step_id FROM steps WHERE kind = 'judge')) AND step_id NOT IN (SELECT step_id "
        "FROM steps WHERE state = 'abandoned' AND state <> 'done') ORDER BY event_id"
    )
    for row in rows:
        before, after, spent, shown = row[7:]
        seen = json.loads(shown) if shown else {}
        yield EffortEvent._make(
            (*row[:7], parse_judgment(before), parse_judgment(after), spent, seen)
        )


# Documents by what is said of them

MOVE = "move"
"""Origin of lines that take a judgment from one name and give it under another."""
RESCALE = "rescale"
"""Origin of lines that map a grade to one of another scale: nobody says anything anew."""
# Why a document cannot be judged, as lines of the log tell it; where older versions wrote it, too.
_REASON = (
    "coalesce(shown ->> '$.reason', CASE WHEN before ->> '$.state' IS NOT 'cannot_judge' "
    "AND after ->> '$.note' IS NOT before ->> '$.note' THEN after ->> '$.note' END)"
)
_GIVES_REASON = (
    "after ->> '$.state' = 'cannot_judge' AND origin IN ('key', 'click', 'command', 'move')"
)
_ON_WHAT_IS_SAID: Mapping[str, str] = {
    "flagged": "flagged = 1",
    # A reason alone is no note.
    "noted": "note <> '' AND (state <> 'cannot_judge' OR NOT EXISTS (SELECT 1 FROM events e "  # noqa: S608 - ours
    "WHERE e.query_id = judgments.query_id AND e.document_id = judgments.document_id AND "
    f"e.assessor_id = judgments.assessor_id AND {_GIVES_REASON} AND {_REASON} = judgments.note))",
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


def load_reasons(connection: apsw.Connection, key: JudgmentKey) -> list[str]:
    """Return the reasons that were given here why the document of a key cannot be judged.

    Those that older versions wrote in the note's place, too.
    """
    rows = connection.execute(
        f"SELECT DISTINCT {_REASON} FROM events WHERE query_id = ? AND document_id = ? "  # noqa: S608 - ours
        f"AND assessor_id = ? AND {_GIVES_REASON}",
        tuple(key),
    )
    return [str(reason) for (reason,) in rows if reason]


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
    found = _load_pairs(
        connection,
        f"SELECT query_id, document_id FROM judgments WHERE {graded} "  # noqa: S608 - numbers
        "GROUP BY query_id, document_id HAVING min(grade) <> max(grade)",
    )
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
    met = {key.assessor}
    while step is not None:
        row: Any = connection.execute(
            "SELECT coalesce(json_extract(shown, '$.made_at'), at), before, after, before_step "
            "FROM events WHERE step_id = ? AND query_id = ? AND document_id = ? "
            "AND assessor_id = ? AND origin NOT IN ('undo', 'redo') ORDER BY event_id LIMIT 1",
            (step, *key),
        ).fetchone()
        if row is None:
            former = _find_former(connection, key, step)
            if former is None or former in met:
                return None
            met.add(former)
            key = key._replace(assessor=former)
            continue
        said_at, before, after, earlier = row
        if said_at <= at:
            said = parse_judgment(after)
            return said.grade if said else None
        if earlier == step or before is None:
            return None
        step = earlier
    return None


def _find_former(connection: apsw.Connection, key: JudgmentKey, step_id: int) -> int | None:
    """Return under whose number a step had said what came under another name since; ``None`` for nobody."""
    rows: list[Any] = connection.execute(
        "SELECT o.assessor_id FROM events e JOIN events o ON o.step_id = e.step_id "
        "AND o.query_id = e.query_id AND o.document_id = e.document_id AND o.origin = e.origin "
        "AND o.before_step = e.after_step WHERE e.origin = 'move' AND e.after_step = ? "
        "AND e.query_id = ? AND e.document_id = ? AND e.assessor_id = ? AND o.assessor_id <> e.assessor_id "
        "ORDER BY e.event_id DESC LIMIT 1",
        (step_id, *key),
    ).fetchall()
    return int(rows[0][0]) if rows else None
