"""Judgments, the steps that said them, and the event log: written together, in one transaction.

A step is what a person asked for: done, undone and redone as a whole.

Every line of the log names the lines that it replaces (its parents); an undo or redo names the one
by which what it takes back stood. Heads are the lines that no other visible one has replaced: they
count. Lines of an import that waits to become visible may count or not.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

import apsw

from judgetool.core.clock import new_uuid, utc_ms
from judgetool.core.judgments import Judgment, JudgmentChange, JudgmentKey, Span, State
from judgetool.storage.damage import insert_row

Key = tuple[int, int, int]
"""Query, document and assessor by their numbers in the file."""

# Which lines of the log count

_WIDTH = 16


def split_uuids(joined: bytes) -> list[bytes]:
    """Return the uuids that stand in a column ``parents``."""
    return [joined[at : at + _WIDTH] for at in range(0, len(joined), _WIDTH)]


_EVENTS = (
    "SELECT e.uuid, e.parents, s.state FROM events e JOIN steps s USING(step_id) "
    "WHERE e.query_id = ? AND e.document_id = ? AND e.assessor_id = ? ORDER BY e.event_id"
)
_VALUES = (
    "SELECT v.uuid, v.parents, s.state FROM value_events v JOIN steps s USING(step_id) "
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
    lines = connection.execute(_EVENTS, tuple(key)).fetchall()
    return _replaced(lines, origin, lambda: load_lines(connection, key)) if lines else b""


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
    lines = connection.execute(_VALUES, (key,)).fetchall()
    return _replaced(lines, origin, lambda: load_value_lines(connection, key))


def _replaced(
    lines: list[Any], origin: str, load_visible: Callable[[], list["LoggedLine"]]
) -> bytes:
    if len(lines) == 1 and lines[0][2] != "abandoned":
        return bytes(lines[0][0])
    visible = (line for line in lines if line[2] not in ("pending", "abandoned"))
    named = {parent for _, parents, _ in visible for parent in split_uuids(parents)}
    # What waits is named with what it will replace: it may never become visible.
    found = [uuid for uuid, _, state in lines if state != "abandoned" and uuid not in named]
    if origin in TURNS and len(found) > 1:
        head = find_head(load_visible())
        return head.uuid if head else b""
    return b"".join(found)


class LoggedLine(NamedTuple):
    """A visible line of the log of a judgment or value.

    Attributes:
        uuid: its name.
        parents: names of the lines that it replaced.
        at: when it was written, milliseconds UTC; see :func:`counts_from`.
        origin: ``key``, ``import``, ``undo``, ….
        text: what is said from it on, as JSON; ``None`` for nothing any more.
        step_id: the step that says it; 0 for nothing.
        said_at: when that was said.
    """

    uuid: bytes
    parents: tuple[bytes, ...]
    at: int
    origin: str
    text: str | None
    step_id: int = 0
    said_at: int = 0


def counts_from(origin: str, at: int, said_at: int, *, is_beside: bool) -> int:
    """Return from when on a line counts: what an import adds to a grade, such as a note, as that grade does.

    Args:
        origin: of the line.
        at: when it was written.
        said_at: when what it says was said.
        is_beside: whether another step than its own says it.
    """
    return said_at if is_beside and origin == "import" else at


_BY_TIME = attrgetter("at", "uuid")


class HeadText(NamedTuple):
    """What a head says: as JSON or ``None`` for nothing, by which step, when."""

    text: str | None
    step_id: int
    said_at: int


def resolve(lines: Sequence[LoggedLine]) -> list[HeadText]:
    """Return what counts of the visible lines of one judgment or value, and what it conflicts with.

    Args:
        lines: all that are visible, in any order.

    Returns:
        What is said, then what other heads say that is not the same; of heads that differ the
        latest by time and uuid comes first. Empty without lines.
    """
    if len(lines) == 1 and lines[0].origin != "undo":
        return [HeadText(*lines[0][4:])]
    found: dict[str | None, HeadText] = {}
    for _head, texts in _heard(lines):
        for said in texts:
            found.setdefault(said.text, said)
    return list(found.values())


def find_head(lines: Sequence[LoggedLine]) -> LoggedLine | None:
    """Return the line that counts of the visible ones of one judgment or value; ``None`` without lines."""
    return next((head for head, _ in _heard(lines)), None)


def _heard(lines: Sequence[LoggedLine]) -> list[tuple[LoggedLine, list[HeadText]]]:
    """Return the heads that say something, the latest first, with what each says."""
    by_uuid = {line.uuid: line for line in lines}
    heads = _find_heads(by_uuid)
    if any(head.origin == "undo" for head in heads):
        # A single one says what stood here when it was made, unless merges have changed that.
        is_merged = any(len(x.parents) > 1 or not by_uuid.keys() >= {*x.parents} for x in lines)
        if is_merged or len(heads) > 1:
            return _Standing(by_uuid).heard(by_uuid)
    return [(head, [HeadText(*head[4:])]) for head in heads]


def _find_heads(by_uuid: Mapping[bytes, LoggedLine]) -> list[LoggedLine]:
    named = {parent for line in by_uuid.values() for parent in line.parents}
    return sorted((by_uuid[name] for name in by_uuid.keys() - named), key=_BY_TIME, reverse=True)


class _Standing:
    """Which lines those of a judgment stand for: an undo for what its undone line had replaced."""

    def __init__(self, by_uuid: Mapping[bytes, LoggedLine]) -> None:
        self._by_uuid = by_uuid
        self._of: dict[bytes, list[LoggedLine] | None] = {}
        waiting = list(by_uuid.values())
        while waiting:
            rest = [line for line in waiting if not self._try(line)]
            if len(rest) == len(waiting):
                # No line replaces what replaces it; damaged ones say what they say.
                self._of.update({line.uuid: None for line in rest})
                break
            waiting = rest

    def _try(self, line: LoggedLine) -> bool:
        seen = [parent for parent in line.parents if parent in self._by_uuid]
        if any(parent not in self._of for parent in seen):
            return False
        is_undo = line.origin == "undo"
        self._of[line.uuid] = (
            self._before(self._of[seen[0]] if seen else None) if is_undo else [line]
        )
        return True

    def _before(self, stood: Sequence[LoggedLine] | None) -> list[LoggedLine] | None:
        """Return what stood before the latest of these lines; ``None`` where that is not here."""
        others = sorted(stood or (), key=_BY_TIME)
        while others and (last := others.pop()):
            below = self._of[last.uuid]
            if last.origin != "undo" or below is None:
                found = [*others, *(self._by_uuid[p] for p in last.parents if p in self._by_uuid)]
                replaced = self._reach(parent for line in found for parent in line.parents)
                return [line for line in found if line.uuid not in replaced]
            others = sorted([*others, *below], key=_BY_TIME)
        return None

    def _reach(self, names: Iterable[bytes]) -> set[bytes]:
        """Return these names, the names of all lines that those have replaced, and so on."""
        seen: set[bytes] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in seen and name in self._by_uuid:
                seen.add(name)
                waiting += self._by_uuid[name].parents
        return seen

    def heard(self, left: Mapping[bytes, LoggedLine]) -> list[tuple[LoggedLine, list[HeadText]]]:
        """Return the heads of lines that say something, with what each says.

        An undo says what the lines said that it stands for; where that is nothing, that nothing is said
        any more. But where no other head has replaced any of the lines that it takes back, they and the
        undo are as if they had never been: what was made and taken back in one copy is nothing against
        what another says, but to take back what another has replaced is.
        """
        heads = first = _find_heads(left)
        while gone := self._find_undone(heads):
            left = {name: line for name, line in left.items() if name not in gone}
            heads = _find_heads(left)
        return [(head, self._says(head)) for head in heads or first[:1]]

    def _find_undone(self, heads: Sequence[LoggedLine]) -> set[bytes]:
        """Return the undos among heads of which no other has replaced what they take back, and that."""
        before = [self._reach(head.parents) for head in heads]
        gone: set[bytes] = set()
        for place, head in enumerate(heads):
            taken_back = {head.uuid, *before[place]} - self._stands_for(head)
            if all(map(taken_back.isdisjoint, before[:place] + before[place + 1 :])):
                gone |= taken_back
        return gone

    def _stands_for(self, head: LoggedLine) -> set[bytes]:
        lines = self._of[head.uuid]
        return self._reach([head.uuid] if lines is None else [line.uuid for line in lines])

    def _says(self, head: LoggedLine) -> list[HeadText]:
        names = self._stands_for(head)
        if head.uuid in names:
            return [HeadText(*head[4:])]
        heard = self.heard({name: self._by_uuid[name] for name in names})
        return [each for _, said in heard for each in said] or [HeadText(None, 0, head.said_at)]


_VISIBLE = "s.state NOT IN ('pending', 'abandoned')"
_JUDGMENT_LINES = (
    "SELECT e.uuid, e.parents, CASE WHEN e.origin = 'import' AND e.after_step <> e.step_id "
    "THEN coalesce(json_extract(e.shown, '$.made_at'), e.at) ELSE e.at END, e.origin, e.after, coalesce(e.after_step, 0), "
    "coalesce(json_extract(e.shown, '$.made_at'), e.at) FROM events e JOIN steps s USING(step_id) "
    "WHERE e.query_id = ? AND e.document_id = ? AND e.assessor_id = ? AND "
)
_VISIBLE_AFTER = (
    f"({_VISIBLE} OR EXISTS "  # noqa: S608 - a constant
    "(SELECT 1 FROM arrivals a WHERE a.step_id = s.step_id AND a.merge_id = ?))"
)
_VALUE_LINES = (
    "SELECT v.uuid, v.parents, v.at, v.origin, v.after FROM value_events v JOIN steps s "
    "USING(step_id) WHERE v.key = ? AND s.state NOT IN ('pending', 'abandoned')"
)


def load_lines(connection: apsw.Connection, key: Iterable[int], merge: int = 0) -> list[LoggedLine]:
    """Return the visible lines of a judgment: query, document and assessor.

    With a merge that is under way also those that it will show.
    """
    where, named = (_VISIBLE_AFTER, (*key, merge)) if merge else (_VISIBLE, tuple(key))
    return _logged(connection.execute(_JUDGMENT_LINES + where, named))


def load_value_lines(connection: apsw.Connection, key: str) -> list[LoggedLine]:
    """Return the visible lines of one of the project's values."""
    return _logged(connection.execute(_VALUE_LINES, (key,)))


def _logged(rows: Iterable[Any]) -> list[LoggedLine]:
    return [LoggedLine(uuid, tuple(split_uuids(parents)), *rest) for uuid, parents, *rest in rows]


# Steps


class StepRow(NamedTuple):
    """A step as stored.

    Attributes:
        step_id: its number; higher is later.
        kind: ``judge``, ``import``, ``project``, ….
        title: for the Undo menu and the history.
        at: when, milliseconds UTC.
    """

    step_id: int
    kind: str
    title: str
    at: int


def insert_step(  # noqa: PLR0913 - one value for each column
    connection: apsw.Connection,
    *,
    kind: str,
    title: str,
    assessor_id: int | None,
    at: int,
    state: str = "done",
    detail: dict[str, Any] | None = None,
    step_uuid: bytes | None = None,
) -> StepRow:
    """Add a step. Nothing that was undone can be redone after it.

    ``step_uuid`` is for a step that was taken before and lost; a new one gets its own.
    """
    if state == "done":
        drop_undone(connection, assessor_id)
    name = step_uuid or new_uuid()
    row = (name, kind, title, assessor_id, at, json.dumps(detail) if detail else "{}")
    return StepRow(insert_row(connection, "steps", row, state=state), kind, title, at)


# Kinds of steps that nobody undoes or redoes by hand.
_NOT_UNDONE = ("new", "draw", "hub")
# As the index of steps says it: else it is not used, and all steps are gone through.
_UNDONE = "state = 'undone' AND state <> 'done'"


def drop_undone(connection: apsw.Connection, assessor_id: int | None) -> None:
    """Make what this assessor had undone impossible to redo, because a new step was taken."""
    connection.execute(
        f"UPDATE steps SET state = 'dropped' WHERE {_UNDONE} "  # noqa: S608 - a constant
        f"AND (assessor_id IS ? OR (assessor_id IS NULL AND kind NOT IN {_NOT_UNDONE}))",
        (assessor_id,),
    )


_CHANGES = {
    ("pending", "done"): "published",
    ("done", "undone"): "undone",
    ("undone", "done"): "redone",
}


def set_step_state(
    connection: apsw.Connection,
    step_id: int,
    state: str,
    *,
    at: int | None = None,
    before: str | None = None,
) -> None:
    """Set a step's state, and note when it became visible, was undone or redone.

    Args:
        connection: in a transaction.
        step_id: which.
        state: its new state.
        at: when, milliseconds UTC; ``None`` for now by the machine's clock.
        before: its state until now; ``None`` looks.
    """
    if before is None:
        found = connection.execute("SELECT state FROM steps WHERE step_id = ?", (step_id,))
        before = str(found.get)
    last = connection.execute(
        "UPDATE steps SET state = ? WHERE step_id = ? "
        "RETURNING (SELECT coalesce(max(event_id), 0) FROM events)",
        (state, step_id),
    ).get
    change = _CHANGES.get((before, state))
    if change is not None:
        row = (step_id, utc_ms() if at is None else at, change, last)
        insert_row(connection, "step_events", row)


_LAST_DONE = (
    "SELECT step_id, kind, title, at, assessor_id, EXISTS (SELECT 1 FROM arrivals a "
    "WHERE a.step_id = t.step_id) FROM steps t WHERE state = 'done' ORDER BY step_id DESC LIMIT 1"
)


def load_undo_steps(
    connection: apsw.Connection, assessor_id: int | None, *, after_step: int | None = None
) -> list[StepRow]:
    """Return what Undo would take back, the latest first: steps of the assessor or of nobody.

    What others have asked of an assessor, and what nobody in particular did before, is not for them
    to take back.

    Args:
        connection: any.
        assessor_id: whose.
        after_step: all later steps than this one; ``None`` for the last step alone.
    """
    if after_step is None and assessor_id is not None:
        # As a rule it is the last of all: that is found in a tenth of the time.
        last: Any = connection.execute(_LAST_DONE).fetchone()
        if last and last[4:] == (assessor_id, 0) and last[1] not in _NOT_UNDONE:
            return [StepRow(*last[:4])]
    # What came from another copy is undone with the merge that brought it.
    rows = connection.execute(
        "SELECT step_id, kind, title, at FROM steps t "  # noqa: S608 - constants
        f"WHERE state = 'done' AND kind NOT IN {_NOT_UNDONE} "
        "AND (assessor_id IS ?1 OR (assessor_id IS NULL AND step_id > coalesce(("
        "SELECT max(s.step_id) FROM asks a JOIN steps s USING(step_id) "
        "WHERE a.assessor_id = ?1 AND s.assessor_id IS NOT ?1 AND s.state = 'done' "
        "AND NOT EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = s.step_id)), 0))) "
        "AND step_id > ?2 AND NOT EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = t.step_id) "
        "ORDER BY step_id DESC LIMIT ?3",
        (assessor_id, after_step or 0, 1 if after_step is None else -1),
    )
    return [StepRow(*row) for row in rows]


def find_redo_step(connection: apsw.Connection, assessor_id: int | None) -> StepRow | None:
    """Return the step that Redo would do again: the earliest of those undone."""
    row = connection.execute(
        f"SELECT step_id, kind, title, at FROM steps WHERE {_UNDONE} "  # noqa: S608 - a constant
        f"AND (assessor_id IS ? OR (assessor_id IS NULL AND kind NOT IN {_NOT_UNDONE})) "
        "ORDER BY step_id LIMIT 1",
        (assessor_id,),
    ).fetchone()
    return StepRow(*row) if row else None


def clear_pending(connection: apsw.Connection) -> int:
    """Abandon imports that a killed process left half-written; return how many."""
    pending = find_pending(connection)
    for step_id in pending:
        abandon_step(connection, step_id)
    return len(pending)


def find_pending(connection: apsw.Connection) -> list[int]:
    """Return the imports and merges that are being written, or that a killed process left half-written."""
    rows = connection.execute(
        "SELECT step_id FROM steps WHERE state = 'pending' AND state <> 'done'"
    )
    return [int(str(step_id)) for (step_id,) in rows]


_SOME = {
    "staged_judgments": "WHERE step_id = ?1 AND (query_id, document_id, assessor_id) IN (SELECT "
    "query_id, document_id, assessor_id FROM staged_judgments WHERE step_id = ?1 LIMIT 2000)",
    "rankings": "WHERE rowid IN (SELECT rowid FROM rankings WHERE run_id IN "
    "(SELECT run_id FROM runs WHERE step_id = ?1) LIMIT 100)",
    # The newest stand last: a table of a million texts is not searched.
    **{
        table: f"WHERE rowid IN (SELECT rowid FROM {table} WHERE step_id = ?1 "  # noqa: S608 - constants
        "ORDER BY rowid DESC LIMIT 500)"
        for table in ("document_texts", "query_texts")
    },
}


def clear_some(connection: apsw.Connection, step_id: int) -> bool:
    """Take away some of the rows of a step that was never finished; return whether more may be left.

    Whoever does so until nothing is left holds nobody up; then the step is abandoned.
    """
    if step_id not in find_pending(connection):
        return False
    counted = _counted_tables(connection, step_id)
    for table, where in _SOME.items():
        if table in counted or table == "staged_judgments":
            connection.execute(f"DELETE FROM {table} {where}", (step_id,))  # noqa: S608 - constants
            if n := connection.changes():
                connection.execute(
                    "UPDATE row_counts SET n = n - ? WHERE step_id = ? AND name = ?",
                    (n, step_id, table),
                )
                connection.execute("DELETE FROM row_counts WHERE step_id = ? AND n = 0", (step_id,))
                return True
    abandon_step(connection, step_id)
    return False


def _counted_tables(connection: apsw.Connection, step_id: int) -> set[str]:
    """Return the tables in which a step has rows, but for judgments and values."""
    rows = connection.execute("SELECT name FROM row_counts WHERE step_id = ?", (step_id,))
    return {str(name) for (name,) in rows}


def abandon_step(connection: apsw.Connection, step_id: int) -> None:
    """Take away the rows of a step that was never finished."""
    connection.execute("DELETE FROM staged_judgments WHERE step_id = ?", (step_id,))
    clear_material(connection, step_id)
    connection.execute("DELETE FROM runs WHERE step_id = ?", (step_id,))
    set_step_state(connection, step_id, "abandoned")


def clear_material(connection: apsw.Connection, step_id: int) -> None:
    """Take away what a step brought beside judgments and values, but for the names of runs."""
    connection.execute(
        "DELETE FROM rankings WHERE run_id IN (SELECT run_id FROM runs WHERE step_id = ?)",
        (step_id,),
    )
    counted = _counted_tables(connection, step_id)
    for table in ("clicks", "asks", "document_texts", "query_texts"):
        if table in counted:
            connection.execute(f"DELETE FROM {table} WHERE step_id = ?", (step_id,))  # noqa: S608 - constants
    connection.execute("DELETE FROM row_counts WHERE step_id = ?", (step_id,))


class Stored(NamedTuple):
    """A judgment with the step that said it and when."""

    judgment: Judgment
    step_id: int
    at: int


class LogEntry(NamedTuple):
    """One change of one judgment, ready for the log.

    Attributes:
        change: before and after.
        before_step: step that had said ``before``; ``None`` when nothing was said.
        after_step: step that says ``after``; ``None`` when nothing is said any more.
        origin: ``key``, ``click``, ``import``, ``command``, ``rescale``, ``move``, ``undo``, ``redo``.
        spent_ms: how long the document had been in view, or ``None``.
        shown: what was on the screen, as plain values, or ``None``.
        made_at: when ``after`` was said, where that is not now: by an import, another scale,
            another name, an undo or a redo; else ``None``.
        uuid: of the line, where it is one that was lost, or the only head; ``None`` for a new one.
        parents: uuids of the lines that it replaces, one after another; ``None`` looks.
    """

    change: JudgmentChange
    before_step: int | None
    after_step: int | None
    origin: str
    spent_ms: int | None = None
    shown: dict[str, Any] | None = None
    made_at: int | None = None
    uuid: bytes | None = None
    parents: bytes | None = None


_SAID = "state, grade, note, flagged, confidence, spans"
JUDGMENT_COLUMNS = f"query_id, document_id, assessor_id, {_SAID}, step_id, at"
SAID_ANEW = ", ".join(f"{name} = excluded.{name}" for name in (*_SAID.split(", "), "step_id", "at"))
EVENT_COLUMNS = (
    "uuid, step_id, at, query_id, document_id, assessor_id, origin, before, before_step, after, "
    "after_step, spent_ms, shown, parents, row_hash"
)
_OWNER = 5
_UPSERT = (
    f"INSERT INTO judgments({JUDGMENT_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT DO UPDATE SET " + SAID_ANEW
)
_DELETE = "DELETE FROM judgments WHERE query_id = ? AND document_id = ? AND assessor_id = ?"
_INSERT_EVENT = f"INSERT INTO events({EVENT_COLUMNS}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
# A merge that was cut off may have brought it already.
_BRING_EVENT = _INSERT_EVENT + " ON CONFLICT(uuid) DO NOTHING"
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode


def write_entries(
    connection: apsw.Connection, entries: Iterable[LogEntry], *, step_id: int, at: int
) -> None:
    """Write changed judgments and their log lines; call inside a transaction."""
    for entry in entries:
        connection.execute(_INSERT_EVENT, _event_row(connection, entry, step_id, at))
        if entry.change.after is None:
            connection.execute(_DELETE, entry.change.key)
        else:
            connection.execute(_UPSERT, _judgment_row(entry, at))


def seal_event(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a line, :data:`EVENT_COLUMNS`, with 8 bytes that change when it does; SQLite keeps none."""
    return *row, _digest(row)


def bring_events(connection: apsw.Connection, sealed: Iterable[tuple[Any, ...]]) -> None:
    """Write lines of another copy of the file that are not here; the judgments are not touched."""
    connection.executemany(_BRING_EVENT, sealed)


def give_events(connection: apsw.Connection, owners: Iterable[tuple[bytes, int]]) -> None:
    """Give lines that nobody sees, by their uuids, to other assessors than they were brought for.

    To all who see it the log is still one that only grows.
    """
    kept = "SELECT sql FROM sqlite_schema WHERE name = 'events_keep_values'"
    trigger = str(connection.execute(kept).get)
    connection.execute("DROP TRIGGER events_keep_values")
    for uuid, assessor in owners:
        found: Any = connection.execute(
            f"SELECT {EVENT_COLUMNS} FROM events WHERE uuid = ?",  # noqa: S608 - constants
            (uuid,),
        ).fetchone()
        row = (*found[:_OWNER], assessor, *found[_OWNER + 1 : -1])
        connection.execute(
            "UPDATE events SET assessor_id = ?, row_hash = ? WHERE uuid = ?",
            (assessor, _digest(row), uuid),
        )
    connection.execute(trigger)


def write_states(connection: apsw.Connection, states: Mapping[Key, HeadText]) -> None:
    """Write what is said of judgments without a line in the log, which says it already."""
    connection.executemany(_DELETE, [key for key, said in states.items() if said.text is None])
    rows = [state_row(key, said) for key, said in states.items() if said.text is not None]
    connection.executemany(_UPSERT, rows)


def state_row(key: Key, said: HeadText) -> tuple[Any, ...]:
    """Return the row of a judgment; its state is ``None`` where nothing is said any more."""
    return (*key, *_row_of_text(said.text), said.step_id, said.said_at)


@lru_cache(maxsize=10_000)
def _row_of_text(text: str | None) -> tuple[Any, ...]:
    judgment = parse_judgment(text)
    return (None,) * 6 if judgment is None else _said_row(judgment)


def stage_entries(
    connection: apsw.Connection, entries: Sequence[LogEntry], *, step_id: int, at: int
) -> None:
    """Log what an import brings and keep its judgments aside until :func:`publish_staged`."""
    known = pairs_with_lines(connection, (entry.change.key[:2] for entry in entries))

    def rows() -> Iterator[tuple[Any, ...]]:
        for entry in entries:
            pair = entry.change.key[:2]
            is_first = pair not in known
            # What comes twice in one import replaces itself.
            known.add(pair)
            yield _event_row(connection, entry, step_id, at, parents=b"" if is_first else None)

    connection.executemany(_INSERT_EVENT, rows())
    connection.executemany(
        "INSERT OR REPLACE INTO staged_judgments(step_id, query_id, document_id, assessor_id, "
        f"{_SAID}, at) VALUES(?,?,?,?,?,?,?,?,?,?,?)",
        ((step_id, *_judgment_row(e, at)[:9], e.made_at) for e in entries),
    )


def publish_staged(connection: apsw.Connection, *, step_id: int, at: int) -> None:
    """Make an import's judgments the present state; what was said since the import began stays."""
    connection.execute(
        f"INSERT INTO judgments({JUDGMENT_COLUMNS}) SELECT query_id, document_id, assessor_id, {_SAID}, "  # noqa: S608 - columns are constants
        "step_id, coalesce(at, ?) FROM staged_judgments WHERE step_id = ? "
        f"ON CONFLICT DO UPDATE SET {SAID_ANEW} WHERE judgments.step_id < excluded.step_id",
        (at, step_id),
    )
    connection.execute("DELETE FROM staged_judgments WHERE step_id = ?", (step_id,))


def keep_sayers(connection: apsw.Connection, step_id: int) -> None:
    """Name again the steps that had given the grades to which an import, published just now, only adds."""
    connection.execute(
        "UPDATE judgments SET step_id = e.after_step FROM events e WHERE e.step_id = ?1 "
        "AND e.origin = 'import' AND e.after_step <> e.step_id AND judgments.query_id = e.query_id "
        "AND judgments.document_id = e.document_id AND judgments.assessor_id = e.assessor_id "
        "AND judgments.step_id = ?1 AND NOT EXISTS (SELECT 1 FROM events o WHERE "
        "o.query_id = e.query_id AND o.document_id = e.document_id "
        "AND o.assessor_id = e.assessor_id AND o.step_id = ?1 AND o.event_id > e.event_id)",
        (step_id,),
    )


def find_staged(connection: apsw.Connection, keys: Iterable[Key], step_id: int) -> dict[Key, bool]:
    """Return which of these judgments an import brings, and whether anything was said of them before."""
    rows: Any = connection.execute(
        "SELECT s.query_id, s.document_id, s.assessor_id, EXISTS (SELECT 1 FROM events e "
        "WHERE e.step_id = s.step_id AND e.before IS NOT NULL AND e.query_id = s.query_id "
        "AND e.document_id = s.document_id AND e.assessor_id = s.assessor_id) "
        "FROM json_each(?) k CROSS JOIN staged_judgments s ON s.step_id = ? "
        "AND s.query_id = k.value ->> 0 AND s.document_id = k.value ->> 1 "
        "AND s.assessor_id = k.value ->> 2",
        (json.dumps(list(keys)), step_id),
    )
    return {(query, document, who): bool(was_said) for query, document, who, was_said in rows}


def _judgment_row(entry: LogEntry, at: int) -> tuple[Any, ...]:
    after = entry.change.after
    assert after is not None, "what is taken back has no row"
    return (
        *entry.change.key,
        *_said_row(after),
        entry.after_step,
        at if entry.made_at is None else entry.made_at,
    )


def _said_row(judgment: Judgment) -> tuple[Any, ...]:
    return (
        str(judgment.state),
        judgment.grade,
        judgment.note,
        int(judgment.flagged),
        judgment.confidence,
        _encode(judgment.spans) if judgment.spans else "[]",
    )


def _event_row(
    connection: apsw.Connection,
    entry: LogEntry,
    step_id: int,
    at: int,
    *,
    parents: bytes | None = None,
) -> tuple[Any, ...]:
    before, after, shown = entry.change.before, entry.change.after, entry.shown
    parents = parents if entry.parents is None else entry.parents
    if parents is None:
        parents = find_replaced(connection, entry.change.key, entry.origin)
    if entry.made_at is not None:
        # Redo, and what replays the log, need it again.
        shown = {**(shown or {}), "made_at": entry.made_at}
    row = (
        entry.uuid or new_uuid(),
        step_id,
        at,
        *entry.change.key,
        entry.origin,
        None if before is None else _encode(before.to_dict()),
        entry.before_step,
        None if after is None else _encode(after.to_dict()),
        entry.after_step,
        entry.spent_ms,
        None if shown is None else _encode(shown),
        parents,
    )
    return *row, _digest(row)


def _digest(row: tuple[Any, ...]) -> bytes:
    return hashlib.blake2b(ascii(row).encode(), digest_size=8).digest()


def has_row_hash(row: Sequence[object]) -> bool:
    """Whether a line of the log, :data:`EVENT_COLUMNS`, is as it was written.

    All of it is covered, its parents, too, but for lines that were written before schema 4
    (:func:`is_of_old`): what it filled in as theirs must be lines that are there, which the check
    looks at.
    """
    return is_sealed(row) or is_of_old(row)


def is_sealed(row: Sequence[object]) -> bool:
    """Whether a line is as schema 4 writes it, its parents, too."""
    return bool(row[-1] == _digest(tuple(row[:-1])))


def is_of_old(row: Sequence[object]) -> bool:
    """Whether a line is as it was written before schema 4, when it did not name its parents."""
    said, found = tuple(row[:-2]), row[-1]
    if found == _digest(said):
        return True
    # Until schema 3 it was made of what Python calls printable, which changes with Unicode.
    return found == hashlib.blake2b(repr(said).encode(), digest_size=8).digest()


def iter_step_entries(connection: apsw.Connection, step_id: int) -> Iterator[LogEntry]:
    """Yield what a step changed when it was first done, in order, with the time it was said.

    Those whose line is the only head (:mod:`storage.judgments`) while the step is done have its uuid:
    the last line of a judgment names all heads, unless another copy has brought some.
    """
    rows = connection.execute(
        "SELECT query_id, document_id, assessor_id, before, before_step, after, after_step, origin, "
        "coalesce(json_extract(shown, '$.made_at'), at), CASE WHEN NOT EXISTS (SELECT 1 FROM arrivals) "
        "AND event_id = (SELECT max(l.event_id) FROM events l WHERE l.query_id = e.query_id "
        "AND l.document_id = e.document_id AND l.assessor_id = e.assessor_id) THEN uuid END FROM events e "
        "WHERE step_id = ? AND origin NOT IN ('undo', 'redo') ORDER BY event_id",
        (step_id,),
    )
    for *key, before, before_step, after, after_step, origin, made_at, head in rows:
        change = JudgmentChange(JudgmentKey(*key), parse_judgment(before), parse_judgment(after))
        yield LogEntry(change, before_step, after_step, origin, made_at=made_at, uuid=head)


def find_said_at(connection: apsw.Connection, key: JudgmentKey, step_id: int) -> int | None:
    """Return when a step said something of a key; ``None`` where the log does not tell."""
    rows: list[Any] = connection.execute(
        "SELECT coalesce(json_extract(shown, '$.made_at'), at) FROM events "
        "WHERE coalesce(after_step, step_id) = ? AND query_id = ? AND document_id = ? "
        "AND assessor_id = ? AND origin NOT IN ('undo', 'redo') ORDER BY event_id DESC LIMIT 1",
        (step_id, *key),
    ).fetchall()
    return rows[0][0] if rows else None


@lru_cache(maxsize=10_000)
def parse_judgment(text: str | None) -> Judgment | None:
    """Return what a line of the log says, before or after; ``None`` for nothing.

    Most lines say what another said, too.
    """
    return None if text is None else Judgment.from_dict(json.loads(text))


def load_judgments(
    connection: apsw.Connection, query_id: int | None = None, document_id: int | None = None
) -> Iterator[tuple[JudgmentKey, Stored]]:
    """Yield present judgments ordered by their key: all, those of a query, or of a document in it."""
    keys = [key for key in (query_id, document_id) if key is not None]
    names = [] if query_id is None else ["query_id = ?"]
    names += [] if document_id is None else ["document_id = ?"]
    where = f"WHERE {' AND '.join(names)} " if names else ""
    rows = connection.execute(
        f"SELECT {JUDGMENT_COLUMNS} FROM judgments {where}"  # noqa: S608 - names are constants
        "ORDER BY query_id, document_id, assessor_id",
        keys,
    )
    yield from map(_stored, rows)


def _stored(row: tuple[Any, ...]) -> tuple[JudgmentKey, Stored]:
    query, document, assessor, *said, step_id, at = row
    return JudgmentKey(query, document, assessor), Stored(judgment_of(*said), step_id, at)


@lru_cache(maxsize=10_000)
def judgment_of(
    state: str, grade: float | None, note: str, flagged: int, confidence: int | None, spans: str
) -> Judgment:
    """Return what a row says; most rows say what another says, too."""
    said = () if spans == "[]" else tuple(Span(*span) for span in json.loads(spans))
    return Judgment(State(state), grade, note, bool(flagged), confidence, said)


def find_judgment(connection: apsw.Connection, key: JudgmentKey) -> Stored | None:
    """Return the present judgment of this key, or ``None``."""
    row = connection.execute(
        f"SELECT {JUDGMENT_COLUMNS} FROM judgments "  # noqa: S608 - columns are constants
        "WHERE query_id = ? AND document_id = ? AND assessor_id = ?",
        tuple(key),
    ).fetchone()
    return _stored(row)[1] if row else None


# Of a merge that was undone nothing is seen.
_NOT_HIDDEN = (
    "step_id NOT IN (SELECT step_id FROM steps WHERE state = 'abandoned' AND state <> 'done')"
)


def load_efforts(connection: apsw.Connection) -> dict[JudgmentKey, int]:
    """Return how long each document was in view before it was judged, in ms, by key.

    Times of several judgments of one document are added; what undo and redo did is not. Each line
    has the time since the document came into view: what a line before has of it counts once.
    What was graded in one go shares its time.
    """
    rows = connection.execute(
        f"WITH said AS (SELECT * FROM events WHERE spent_ms IS NOT NULL AND {_NOT_HIDDEN} "  # noqa: S608 - a constant
        "AND origin NOT IN ('undo', 'redo', 'import')), "
        "sizes AS (SELECT step_id, count(*) AS n FROM said GROUP BY step_id), "
        "fresh AS (SELECT *, min(spent_ms, coalesce(max(0, at - lag(at) OVER (PARTITION BY query_id, "
        "document_id, assessor_id ORDER BY at, event_id)), spent_ms)) AS ms FROM said) "
        "SELECT query_id, document_id, assessor_id, sum(ms / n) "
        "FROM fresh JOIN sizes USING(step_id) GROUP BY query_id, document_id, assessor_id "
        "UNION ALL SELECT query_id, document_id, assessor_id, sum(spent_ms) FROM events "
        f"WHERE spent_ms IS NOT NULL AND origin = 'import' AND {_NOT_HIDDEN} "
        "GROUP BY query_id, document_id, assessor_id"
    )
    efforts: dict[JudgmentKey, int] = {}
    for query, document, assessor, spent in rows:
        key = JudgmentKey(query, document, assessor)
        efforts[key] = efforts.get(key, 0) + int(spent)
    return efforts


def load_settled(
    connection: apsw.Connection, query_id: int | None = None
) -> Iterator[tuple[int, int, int, float | None, int, int]]:
    """Yield (query, document, assessor, grade or ``None`` for cannot judge, step, when), by key.

    All, or those of one query.
    """
    where = "" if query_id is None else "query_id = ? AND "
    return iter(
        connection.execute(
            "SELECT query_id, document_id, assessor_id, grade, step_id, at FROM judgments "  # noqa: S608 - a constant
            f"WHERE {where}state IN ('judged', 'cannot_judge') "
            "ORDER BY query_id, document_id, assessor_id",
            () if query_id is None else (query_id,),
        )
    )


def load_judged_queries(connection: apsw.Connection) -> list[int]:
    """Return the queries of which anything is judged."""
    # From one to the next along the index: all judgments may be millions.
    rows = connection.execute(
        "WITH RECURSIVE judged(query) AS (SELECT min(query_id) FROM judgments UNION ALL "
        "SELECT (SELECT min(query_id) FROM judgments WHERE query_id > query) FROM judged "
        "WHERE query IS NOT NULL) SELECT query FROM judged WHERE query IS NOT NULL"
    )
    return [query for (query,) in rows]


def load_flagged(connection: apsw.Connection) -> list[JudgmentKey]:
    """Return what was flagged, and by whom."""
    rows = connection.execute(
        "SELECT query_id, document_id, assessor_id FROM judgments WHERE flagged = 1"
    )
    return [JudgmentKey(*row) for row in rows]


def load_used_grades(connection: apsw.Connection) -> list[float]:
    """Return the distinct grades that occur in judgments, lowest first."""
    rows = connection.execute(
        "SELECT DISTINCT grade FROM judgments WHERE grade IS NOT NULL ORDER BY grade"
    )
    return [grade for (grade,) in rows]


def load_said_by(
    connection: apsw.Connection, assessor_id: int, *, since: int | None = None
) -> list[tuple[int, int]]:
    """Return (query, document) of what an assessor has said something, newest first.

    Args:
        connection: any.
        assessor_id: who.
        since: only what was said then or later, milliseconds UTC.
    """
    return list(
        connection.execute(
            "SELECT query_id, document_id FROM judgments WHERE assessor_id = ?1 "
            "AND (?2 IS NULL OR at >= ?2) ORDER BY at DESC, step_id DESC, query_id, document_id",
            (assessor_id, since),
        )
    )


def load_active_times(connection: apsw.Connection, *, most: int) -> list[float]:
    """Return how long the latest judgments by key or click took, in ms, at most so many, latest first."""
    rows = connection.execute(
        "SELECT coalesce(json_extract(shown, '$.active_ms'), spent_ms) FROM events "
        "WHERE origin IN ('key', 'click') AND spent_ms IS NOT NULL "
        "AND json_extract(after, '$.state') IN ('judged', 'cannot_judge') "
        "ORDER BY event_id DESC LIMIT ?",
        (most,),
    )
    return [float(ms) for (ms,) in rows if ms is not None]


def load_steps_of(connection: apsw.Connection, key: JudgmentKey) -> list[int]:
    """Return the steps that have said or changed something of a key."""
    rows = connection.execute(
        "SELECT DISTINCT step_id FROM events WHERE query_id = ? AND document_id = ? "
        "AND assessor_id = ?",
        tuple(key),
    )
    return [int(str(step_id)) for (step_id,) in rows]


def load_states_said(
    connection: apsw.Connection, assessors: tuple[int, int]
) -> Iterator[tuple[int, int, int, str]]:
    """Yield (query, document, assessor, state) of what two assessors have said, in order of time."""
    return iter(
        connection.execute(
            "SELECT query_id, document_id, assessor_id, state FROM judgments "
            "WHERE assessor_id IN (?, ?) ORDER BY at, step_id, query_id, document_id",
            assessors,
        )
    )
