"""What came from other copies of a project file: how it is numbered here, and which of it is visible.

Queries, documents, assessors and steps of another copy have numbers of its own; they are known by their
ids, names and uuids.

What is said of a judgment or value follows from its visible lines alone (``storage.judgments``).
Undoing a merge hides the steps that no other merge has brought; doing it again shows them.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID, uuid5

import apsw
import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import Judgment
from judgetool.storage.damage import insert_row, row_checksum
from judgetool.storage.ids import find_id_numbers, number_ids
from judgetool.storage.judgments import (
    JUDGMENT_COLUMNS,
    SAID_ANEW,
    HeadText,
    Key,
    load_lines,
    load_value_lines,
    parse_judgment,
    resolve,
    set_step_state,
    write_states,
)
from judgetool.storage.values import (
    AssessorRow,
    assessor_uuid,
    load_assessors,
    parse_value,
    put_value,
)

# What is visible


MERGE, TURN, HUB = "merge", "turn", "hub"
"""Kinds of steps: a merge, an undo or redo that came from another copy, and what a hub has brought."""


def turn_merge(connection: apsw.Connection, step_id: int, state: str, *, at: int) -> dict[str, Any]:
    """Hide what a merge brought (``undone``), or show it again (``done``).

    Nothing is written against what others said: their lines are not visible any more.

    Args:
        connection: of the writer, in a transaction.
        step_id: the merge.
        state: its new state.
        at: when, milliseconds UTC.

    Returns:
        The project's values that are others now, by key; ``None`` for one taken away.
    """
    set_step_state(connection, step_id, state, at=at)
    set_states(connection, step_id)
    linked = {
        int(str(row[0]))
        for row in connection.execute("SELECT step_id FROM arrivals WHERE merge_id = ?", (step_id,))
    }
    settle_judgments(connection, touched(connection, linked))
    return settle_values(connection, touched_values(connection, linked))


def set_states(connection: apsw.Connection, merge: int) -> None:
    """Show or hide the steps of a merge, and undo or do those that turns of it turn."""
    connection.execute(
        "UPDATE steps SET state = 'abandoned' WHERE step_id IN "
        "(SELECT step_id FROM arrivals WHERE merge_id = ?1) AND NOT EXISTS (SELECT 1 FROM arrivals a "
        "JOIN steps m ON m.step_id = a.merge_id AND m.state = 'done' "
        "WHERE a.step_id = steps.step_id)",
        (merge,),
    )
    connection.execute(
        "UPDATE steps SET state = 'done' WHERE state = 'abandoned' AND state <> 'done' "
        "AND step_id IN (SELECT a.step_id FROM arrivals a JOIN steps m ON m.step_id = a.merge_id "
        "WHERE m.state = 'done')"
    )
    turn_steps(connection)


def show_arrived(connection: apsw.Connection, merge: int, first: int, last: int) -> None:
    """Show those steps of a merge that have these numbers."""
    connection.execute(
        "UPDATE steps SET state = 'done' WHERE step_id IN (SELECT step_id FROM arrivals "
        "WHERE merge_id = ? AND step_id BETWEEN ? AND ?) AND state = 'abandoned'",
        (merge, first, last),
    )


def turn_steps(connection: apsw.Connection) -> None:
    """Undo or do the steps that turns from other copies turn."""
    turns: Any = connection.execute(
        f"SELECT json_extract(detail, '$.step'), title, at, state FROM steps WHERE kind = '{TURN}'"  # noqa: S608 - a constant
    ).fetchall()
    changes: dict[str, list[tuple[int, str]]] = {}
    for name, change, when, state in turns:
        found = changes.setdefault(name, [])
        if state == "done":
            found.append((when, change))
    for name, found in changes.items():
        turn_step(connection, bytes.fromhex(name), found)


def turn_step(connection: apsw.Connection, uuid: bytes, turns: list[tuple[int, str]]) -> None:
    """Give a step the state that the last of its visible turns gave it."""
    row = connection.execute("SELECT step_id, state FROM steps WHERE uuid = ?", (uuid,)).fetchone()
    if row is None or row[1] in ("pending", "abandoned"):
        return
    own: Any = connection.execute(
        "SELECT at, change FROM step_events WHERE step_id = ? AND change <> 'published'", row[:1]
    ).fetchall()
    _, last = max([*turns, *own], default=(0, "redone"))
    state = "dropped" if last == "undone" else "done"
    if state == "done" or row[1] != "undone":
        connection.execute("UPDATE steps SET state = ? WHERE step_id = ?", (state, row[0]))


def touched(connection: apsw.Connection, steps: Iterable[int], *, but_for: str = "") -> set[Key]:
    """Return the judgments of which lines hang on these steps, but for those of one origin."""
    rows: Any = connection.execute(
        "SELECT DISTINCT query_id, document_id, assessor_id FROM events WHERE step_id IN "
        "(SELECT value FROM json_each(?)) AND origin <> ?",
        (json.dumps(sorted(steps)), but_for),
    )
    return set(rows)


def touched_values(connection: apsw.Connection, steps: Iterable[int]) -> set[str]:
    """Return the keys of the project's values of which lines hang on these steps."""
    rows: Any = connection.execute(
        "SELECT DISTINCT key FROM value_events WHERE step_id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(steps)),),
    )
    return {key for (key,) in rows}


def settle_judgments(connection: apsw.Connection, keys: Iterable[Key]) -> list[Key]:
    """Write what the visible lines of these judgments say, and return those that conflict."""
    states, conflicts = resolve_all(connection, sorted(keys))
    write_states(connection, states)
    note_conflicts(connection, conflicts)
    return conflicts


NOTHING = HeadText(None, 0, 0)


def resolve_all(
    connection: apsw.Connection, keys: Iterable[Key]
) -> tuple[dict[Key, HeadText], list[Key]]:
    """Return what the visible lines of these judgments say, and which of them conflict."""
    found = {key: resolve(load_lines(connection, key)) for key in keys}
    states = {key: heads[0] if heads else NOTHING for key, heads in found.items()}
    return states, [key for key, heads in found.items() if len(heads) > 1]


def note_conflicts(connection: apsw.Connection, keys: Iterable[Key]) -> None:
    """Note judgments of which copies say different things; whether they still do the log tells."""
    connection.executemany("INSERT OR IGNORE INTO conflicts VALUES(?, ?, ?)", keys)


_ARRIVING = "arriving"
"""A table of the writer's alone: judgments that a merge will write, in the order of their keys."""


def make_arriving(connection: apsw.Connection) -> None:
    """Begin with none."""
    connection.execute(f"DROP TABLE IF EXISTS temp.{_ARRIVING}")
    connection.execute(f"CREATE TEMP TABLE {_ARRIVING}({JUDGMENT_COLUMNS})")


def stage_states(connection: apsw.Connection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Keep what :func:`~judgetool.storage.judgments.state_row` gives for :func:`write_arriving`."""
    connection.executemany(f"INSERT INTO temp.{_ARRIVING} VALUES(?,?,?,?,?,?,?,?,?,?,?)", rows)


def write_arriving(connection: apsw.Connection, first: int, last: int) -> None:
    """Write some of the judgments that were kept, from 1: SQLite does so without Python."""
    part = f"FROM temp.{_ARRIVING} WHERE rowid BETWEEN ? AND ? AND state IS"
    connection.execute(
        "DELETE FROM judgments WHERE (query_id, document_id, assessor_id) IN "  # noqa: S608 - constants
        f"(SELECT query_id, document_id, assessor_id {part} NULL)",
        (first, last),
    )
    connection.execute(
        f"INSERT INTO judgments({JUDGMENT_COLUMNS}) SELECT {JUDGMENT_COLUMNS} {part} NOT NULL "
        "ON CONFLICT DO UPDATE SET " + SAID_ANEW,
        (first, last),
    )


def drop_arriving(connection: apsw.Connection) -> None:
    """Let go of the table."""
    connection.execute(f"DROP TABLE IF EXISTS temp.{_ARRIVING}")


def settle_merged(connection: apsw.Connection, keys: Collection[Key]) -> set[Key]:
    """The same after a step was undone or redone: return those that a merge has touched."""
    if not keys or not _has_merged(connection):
        return set()
    found = {key for key in keys if _has_arrivals(connection, key)}
    settle_judgments(connection, found)
    return found


def settle_merged_values(connection: apsw.Connection, names: Collection[str]) -> dict[str, Any]:
    """The same of the project's values: return those that are others than was written just now."""
    return settle_values(connection, names) if names and _has_merged(connection) else {}


def _has_merged(connection: apsw.Connection) -> bool:
    return connection.execute("SELECT 1 FROM arrivals LIMIT 1").fetchone() is not None


def _has_arrivals(connection: apsw.Connection, key: Key) -> bool:
    """Whether lines of a judgment came from another copy."""
    found = connection.execute(
        "SELECT 1 FROM events e JOIN arrivals a USING(step_id) WHERE e.query_id = ? "
        "AND e.document_id = ? AND e.assessor_id = ? LIMIT 1",
        key,
    ).fetchone()
    return found is not None


def settle_values(connection: apsw.Connection, names: Iterable[str]) -> dict[str, Any]:
    """Write what the visible lines of these values say; return those that are others now."""
    changed: dict[str, Any] = {}
    for name in sorted(names):
        found = resolve(load_value_lines(connection, name))
        text = found[0].text if found else None
        row = connection.execute(
            "SELECT value FROM project_values WHERE key = ?", (name,)
        ).fetchone()
        if (row[0] if row else None) == text:
            continue
        changed[name] = parse_value(text)
        put_value(connection, name, text)
    return changed


def is_conflict(connection: apsw.Connection, key: Key) -> bool:
    """Whether merged copies say different things of a judgment, and nobody has judged it since."""
    named = connection.execute(
        "SELECT 1 FROM conflicts WHERE query_id = ? AND document_id = ? AND assessor_id = ?", key
    ).fetchone()
    return named is not None and len(resolve(load_lines(connection, key))) > 1


def load_conflicting_pairs(
    connection: apsw.Connection, query_id: int | None = None
) -> npt.NDArray[np.int64]:
    """Return the (query, document) pairs of :func:`find_conflicts`, each once, shape (n, 2)."""
    pairs = sorted({key[:2] for key in find_conflicts(connection, query_id)})
    return np.array(pairs, np.int64).reshape(-1, 2)


def find_conflicts(connection: apsw.Connection, query_id: int | None = None) -> list[Key]:
    """Return the judgments of which copies say different things, until somebody judges them again.

    Args:
        connection: for looking.
        query_id: of this query alone; ``None`` of all.
    """
    rows: Any = connection.execute(
        "SELECT query_id, document_id, assessor_id FROM conflicts WHERE ?1 IS NULL OR query_id = ?1",
        (query_id,),
    ).fetchall()
    return resolve_all(connection, rows)[1]


def has_come_from_elsewhere(connection: apsw.Connection, assessor: int) -> bool:
    """Whether some of an assessor's judgments were given in another copy, or came from files."""
    found = connection.execute(
        "SELECT EXISTS(SELECT 1 FROM judgments JOIN steps USING(step_id) WHERE judgments.assessor_id = ? "
        "AND (steps.kind = 'import' OR step_id IN (SELECT step_id FROM arrivals)))",
        (assessor,),
    )
    return bool(found.get)


def load_other_sides(
    connection: apsw.Connection, query_id: int, document_id: int
) -> list[tuple[Key, Judgment, int]]:
    """Return what copies say of a document beside what counts, and when they said it, latest first."""
    rows: Any = connection.execute(
        "SELECT query_id, document_id, assessor_id FROM conflicts WHERE query_id = ? AND document_id = ?",
        (query_id, document_id),
    ).fetchall()
    return [
        (key, parse_judgment(said.text) or Judgment(), said.said_at)
        for key in rows
        for said in resolve(load_lines(connection, key))[1:]
    ]


# What it is called here

T = TypeVar("T")
Job = Callable[[apsw.Connection], T]
CHUNK = 2_000
"""So many rows are written at once: some 25 ms."""


class Write(Protocol):
    """Runs a job in a transaction of its own, after whatever is more urgent."""

    def __call__(self, job: Job[T], /) -> T:
        """Run it and return its answer."""


class OtherCopy(NamedTuple):
    """Another copy of the project.

    Attributes:
        name: of its file, for people.
        connection: for looking, of the present schema.
        renames: other names for assessors of its: of people who are others than those of the same
            name here, or who are known here by that name.
        only: the steps that are brought, without judgments; ``None`` for all, with them.
    """

    name: str
    connection: apsw.Connection
    renames: Mapping[str, str] = {}
    only: frozenset[int] | None = None


def in_parts(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of so many rows."""
    iterator = iter(rows)
    while part := list(islice(iterator, size)):
        yield part


class OthersWatch:
    """Writes, and takes note of what others have written in between.

    Args:
        write: runs a job on the writer.
        tops: see :func:`find_tops`; what is written after them is of others.

    Attributes:
        top_event: number of the last line of the log when it began.
    """

    def __init__(self, write: Write, tops: tuple[int, int]) -> None:
        self._write, self._tops = write, tops
        self.top_event = tops[0]
        self._others: list[tuple[tuple[int, int], tuple[int, int]]] = []

    def write(self, job: Job[T]) -> T:
        """Run a job in a transaction of its own."""

        def watched(connection: apsw.Connection) -> T:
            now = find_tops(connection)
            if now != self._tops:
                self._others.append((self._tops, now))
            self._tops = now
            answer = job(connection)
            self._tops = find_tops(connection)
            return answer

        return self._write(watched)

    def find_touched(self, connection: apsw.Connection) -> set[Key]:
        """Return the judgments that others have changed, undone or brought into view since it began."""
        found: set[Key] = set()
        for (event, change), (last_event, last_change) in self._others:
            rows: Any = connection.execute(
                "SELECT query_id, document_id, assessor_id FROM events "
                "WHERE event_id > ? AND event_id <= ?",
                (event, last_event),
            )
            found.update(rows)
            steps = connection.execute(
                "SELECT step_id FROM step_events WHERE step_event_id > ?1 AND step_event_id <= ?2 "
                "UNION SELECT a.step_id FROM step_events v JOIN arrivals a ON a.merge_id = v.step_id "
                "WHERE step_event_id > ?1 AND step_event_id <= ?2",
                (change, last_change),
            )
            found |= touched(connection, {int(str(step)) for (step,) in steps.fetchall()})
        return found


def find_overtaken(connection: apsw.Connection, keys: Iterable[Key], step_id: int) -> set[Key]:
    """Return of which of these another import, begun before, has brought something else meanwhile."""
    rows: Any = connection.execute(
        "SELECT s.query_id, s.document_id, s.assessor_id FROM json_each(?) k "
        "CROSS JOIN staged_judgments s ON s.step_id = ? AND s.query_id = k.value ->> 0 "
        "AND s.document_id = k.value ->> 1 AND s.assessor_id = k.value ->> 2 "
        "JOIN judgments j USING(query_id, document_id, assessor_id) JOIN events e "
        "ON e.step_id = s.step_id AND e.query_id = s.query_id AND e.document_id = s.document_id "
        "AND e.assessor_id = s.assessor_id WHERE j.step_id < s.step_id "
        "AND j.step_id IS NOT e.before_step AND (j.state, j.grade, j.note) IS NOT (s.state, s.grade, s.note)",
        (json.dumps(list(keys)), step_id),
    )
    return set(rows)


def find_tops(connection: apsw.Connection) -> tuple[int, int]:
    """Return the numbers of the last line of the log, and of the last change of a step’s state."""
    row: Any = connection.execute(
        "SELECT (SELECT coalesce(max(event_id), 0) FROM events), "
        "(SELECT coalesce(max(step_event_id), 0) FROM step_events)"
    ).fetchone()
    return row[0], row[1]


class NumbersHere:
    """The numbers here of queries or documents by their numbers there."""

    def __init__(
        self, here: apsw.Connection, write: Write, there: apsw.Connection, table: str
    ) -> None:
        self._here, self._write, self._there, self._table = here, write, there, table
        column = "query_id" if table == "queries" else "document_id"
        self._select = (
            f"SELECT {column}, external_id FROM {table} WHERE {column} IN "  # noqa: S608 - constants
            "(SELECT value FROM json_each(?))"
        )
        self._known: dict[int, int] = {}

    def all(self, numbers: Iterable[int]) -> dict[int, int]:
        """Return the numbers here of all that were asked for so far; new ids are added."""
        fresh = sorted(set(numbers) - self._known.keys())
        for part in in_parts(fresh, CHUNK):
            rows: Any = self._there.execute(self._select, (json.dumps(part),)).fetchall()
            ids = [name for _, name in rows]
            found = find_id_numbers(self._here, self._table, ids)
            if not found.all():
                found = self._write(partial(number_ids, table=self._table, ids=ids))
            self._known.update(
                (number, here) for (number, _), here in zip(rows, found.tolist(), strict=True)
            )
        return self._known


class AssessorsHere:
    """The numbers here of assessors by their numbers there: by uuid, then by name.

    Attributes:
        people: numbers here of those who are known by imports alone, and judge there.
    """

    def __init__(self, here: apsw.Connection, write: Write, source: OtherCopy) -> None:
        self._here, self._write, self._renames = here, write, source.renames
        rows: Any = source.connection.execute("SELECT assessor_id, uuid FROM assessors")
        self._uuids: dict[int, bytes] = dict(rows)
        self._rows: dict[int, AssessorRow] = {
            row.assessor_id: row for row in load_assessors(source.connection)
        }
        self._known: dict[int, int] = {}
        self.people: set[int] = set()

    def name(self, number: int) -> str:
        """Return the name here."""
        name = self._rows[number].name
        return self._renames.get(name, name)

    def find(self, number: int | None) -> int | None:
        """Return the number here of somebody, or of nobody."""
        return None if number is None else self.number(number)

    def number(self, number: int) -> int:
        """Return the number here; who is not known yet is added."""
        if number not in self._known:
            self._known[number] = self._find(number) or self._add(number)
        return self._known[number]

    def _find(self, number: int) -> int | None:
        row = None
        if self._rows[number].name not in self._renames:
            row = self._here.execute(
                "SELECT assessor_id, kind FROM assessors WHERE uuid = ?", (self._uuids[number],)
            ).fetchone()
        row = (
            row
            or self._here.execute(
                "SELECT assessor_id, kind FROM assessors WHERE name = ?", (self.name(number),)
            ).fetchone()
        )
        if row is None:
            return None
        found = int(str(row[0]))
        if row[1] == "import" and self._rows[number].kind == "human":
            self.people.add(found)
        return found

    def _add(self, number: int) -> int:
        row, name, uuid = self._rows[number], self.name(number), self._uuids[number]
        if row.name in self._renames:
            uuid = assessor_uuid(self._here, name)
        person = None if row.person_id is None else self.number(row.person_id)
        values = (uuid, name, row.kind, person)
        return self._write(lambda connection: insert_row(connection, "assessors", values))


def find_staying(here: apsw.Connection, source: OtherCopy) -> list[tuple[str, str, int]]:
    """Return for whose judgments a new name comes too late: they are in view by another one.

    Returns:
        Name there, name here, and of how many documents of a query.
    """
    rows: Any = here.execute(
        "SELECT DISTINCT e.uuid, e.query_id, e.document_id, a.name FROM events e "
        "JOIN assessors a USING(assessor_id) JOIN arrivals USING(step_id) JOIN steps s USING(step_id) "
        "WHERE s.state NOT IN ('pending', 'abandoned')"
    )
    known = {uuid: (pair, name) for uuid, *pair, name in rows}
    found: dict[tuple[str, str], set[tuple[int, ...]]] = {}
    for name, new in source.renames.items():
        said: Any = source.connection.execute(
            "SELECT e.uuid FROM events e JOIN assessors a USING(assessor_id) WHERE a.name = ?",
            (name,),
        )
        for (uuid,) in said:
            pair, as_whose = known.get(uuid, ((), new))
            if as_whose != new:
                found.setdefault((name, as_whose), set()).add(tuple(pair))
    return [(*names, len(pairs)) for names, pairs in found.items()]


def make_human(connection: apsw.Connection, number: int) -> None:
    """Call somebody a person who was known by imports alone."""
    row = connection.execute(
        "SELECT uuid, name, 'human', person_id FROM assessors WHERE assessor_id = ?", (number,)
    ).fetchone()
    connection.execute(
        "UPDATE assessors SET kind = 'human', hash = ? WHERE assessor_id = ?",
        (row_checksum(*(row or ())), number),
    )


SEEN = (
    f"state NOT IN ('pending', 'abandoned') AND kind NOT IN ('{MERGE}', '{HUB}') "
    "AND NOT (kind = 'new' AND json_extract(detail, '$.until') IS NOT NULL)"
)
"""Which steps of another copy are brought; not what somebody holds at a hub, which alone ends that."""


class KnownSteps:
    """The steps that the project has before a merge, and those that it brings.

    Attributes:
        numbers: by uuid.
        stubs: likewise those of which only parts may be here: no merge that brought them came to its
            end, or a value alone needed them.
        arrived: those that came from other copies.
        hidden: those that were brought and hidden again.
        unseen: these and those of stubs.
        fresh: those that the merge brings.
        turned: uuids of what was undone and redone in this file itself.
    """

    def __init__(self, reader: apsw.Connection) -> None:
        rows: Any = reader.execute("SELECT uuid, step_id FROM steps").fetchall()
        self.numbers: dict[bytes, int] = dict(rows)
        self.arrived = _numbers(reader, "SELECT DISTINCT step_id FROM arrivals")
        hidden = "SELECT step_id FROM steps WHERE state = 'abandoned' AND state <> 'done'"
        whole = (
            "SELECT a.step_id FROM arrivals a JOIN steps m ON m.step_id = a.merge_id "
            "WHERE m.state NOT IN ('pending', 'abandoned')"
        )
        self.hidden = _numbers(reader, f"{hidden} INTERSECT {whole}")
        self.unseen = _numbers(reader, hidden)
        incomplete = self.unseen - self.hidden
        self.stubs: dict[bytes, int] = {}
        if incomplete:
            self.stubs = {u: number for u, number in self.numbers.items() if number in incomplete}
            for uuid in self.stubs:
                del self.numbers[uuid]
        self.fresh: set[int] = set()
        self.turned = {name for _, name in turns_of(reader)}
        self._reader, self._places = reader, dict[str, dict[bytes, int]]()

    def places(self, table: str) -> dict[bytes, int]:
        """Return on which steps the lines of a log hang, by their names; who brings lines adds them."""
        if table not in self._places:
            rows: Any = self._reader.execute(f"SELECT uuid, step_id FROM {table}")  # noqa: S608 - a constant
            self._places[table] = dict(rows)
        return self._places[table]


def _numbers(connection: apsw.Connection, select: str) -> set[int]:
    return {int(str(number)) for (number,) in connection.execute(select)}


def turns_of(
    connection: apsw.Connection,
) -> Iterator[tuple[tuple[int, bytes, str, int], bytes]]:
    """Yield when which step was undone or redone in the file itself, and what that is called."""
    turned = "CASE v.origin WHEN 'undo' THEN 'undone' ELSE 'redone' END"
    rows: Any = connection.execute(
        "SELECT step_id, s.uuid, v.change, v.at FROM (SELECT step_id, change, at FROM step_events "  # noqa: S608 - constants
        f"WHERE change IN ('undone', 'redone') UNION SELECT step_id, {turned}, at FROM events v "
        f"WHERE origin IN ('undo', 'redo') UNION SELECT step_id, {turned}, at FROM value_events v "
        f"WHERE origin IN ('undo', 'redo')) v JOIN steps s USING(step_id) WHERE {SEEN} "
        f"AND kind <> '{TURN}'"
    ).fetchall()
    for number, uuid, change, at in rows:
        yield (number, uuid, change, at), uuid5(UUID(bytes=uuid), f"{change} {at}").bytes
