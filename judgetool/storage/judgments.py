"""Judgments, the steps that said them, and the event log: written together, in one transaction.

A step is what a person asked for: done, undone and redone as a whole.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.clock import utc_ms
from judgetool.core.judgments import Judgment, JudgmentChange, JudgmentKey, Span, State
from judgetool.storage.damage import insert_row
from judgetool.storage.heads import HeadText, find_replaced, pairs_with_lines
from judgetool.storage.ids import new_uuid


@dataclass(frozen=True, slots=True)
class StepRow:
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
        at = utc_ms() if at is None else at
        insert_row(connection, "step_events", (step_id, at, change, last))


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
    rows = connection.execute(
        "SELECT step_id FROM steps WHERE state = 'pending' AND state <> 'done'"
    )
    pending = [int(str(step_id)) for (step_id,) in rows]
    for step_id in pending:
        abandon_step(connection, step_id)
    return len(pending)


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
    for table in ("clicks", "asks", "document_texts", "query_texts", "row_counts"):
        connection.execute(f"DELETE FROM {table} WHERE step_id = ?", (step_id,))  # noqa: S608 - constants


class Stored(NamedTuple):
    """A judgment with the step that said it and when."""

    judgment: Judgment
    step_id: int
    at: int


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One change of one judgment, ready for the log.

    Attributes:
        change: before and after.
        before_step: step that had said ``before``; ``None`` when nothing was said.
        after_step: step that says ``after``; ``None`` when nothing is said any more.
        origin: ``key``, ``click``, ``import``, ``command``, ``rescale``, ``undo``, ``redo``.
        spent_ms: how long the document had been in view, or ``None``.
        shown: what was on the screen, as plain values, or ``None``.
        made_at: when ``after`` was said, where that is not now: by an import, another scale,
            an undo or a redo; else ``None``.
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


def write_states(
    connection: apsw.Connection, states: Mapping[tuple[int, int, int], HeadText]
) -> None:
    """Write what is said of judgments without a line in the log, which says it already."""
    connection.executemany(_DELETE, [key for key, said in states.items() if said.text is None])
    rows = [state_row(key, said) for key, said in states.items() if said.text is not None]
    connection.executemany(_UPSERT, rows)


def state_row(key: tuple[int, int, int], said: HeadText) -> tuple[Any, ...]:
    """Return the row of a judgment; its state is ``None`` where nothing is said any more."""
    text, step_id, said_at = said
    return (*key, *_row_of_text(text), step_id, said_at)


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


def _judgment_row(entry: LogEntry, at: int) -> tuple[Any, ...]:
    after = entry.change.after
    if after is None or entry.after_step is None:
        raise ValueError("a judgment that stays needs the step that said it")
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
    return seal_event(
        (
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
    )


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

    Those whose line is the only head (:mod:`storage.heads`) while the step is done have its uuid:
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
        "WHERE coalesce(after_step, step_id) = ? "
        "AND query_id = ? AND document_id = ? AND assessor_id = ? "
        "AND origin NOT IN ('undo', 'redo') ORDER BY event_id DESC LIMIT 1",
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

    Times of several judgments of one document are added; what undo and redo did is not.
    What was graded in one go shares its time.
    """
    rows = connection.execute(
        f"WITH said AS (SELECT * FROM events WHERE spent_ms IS NOT NULL AND {_NOT_HIDDEN} "  # noqa: S608 - a constant
        "AND origin NOT IN ('undo', 'redo', 'import')), "
        "sizes AS (SELECT step_id, count(*) AS n FROM said GROUP BY step_id) "
        "SELECT query_id, document_id, assessor_id, sum(spent_ms / n) "
        "FROM said JOIN sizes USING(step_id) GROUP BY query_id, document_id, assessor_id "
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
    connection: apsw.Connection,
) -> Iterator[tuple[int, int, int, float | None, int, int]]:
    """Yield (query, document, assessor, grade or ``None`` for cannot judge, step, when), by key."""
    return iter(
        connection.execute(
            "SELECT query_id, document_id, assessor_id, grade, step_id, at FROM judgments "
            "WHERE state IN ('judged', 'cannot_judge') ORDER BY query_id, document_id, assessor_id"
        )
    )


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


Numbers = npt.NDArray[np.int64]


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
