"""Bringing what other copies of a project file have said and done into one, and hiding it again.

Every line of the log names the lines that it replaces (``storage.heads``); what is said follows from
the set of visible lines alone, so that copies may be merged in any order, and twice. What a merge
brings hangs on steps that are linked to it (table ``arrivals``): undoing the merge hides them, and
merging again shows them. Undoing or redoing a step is part of that step's lines where it was done;
where it arrives it is a step of its own, of kind ``turn``, that can be hidden with its merge.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import apsw
import numpy as np

from judgetool.storage.checksums import SEALED, insert_sealed, row_checksum
from judgetool.storage.heads import TURNS, LoggedLine, load_value_lines, resolve, split_uuids
from judgetool.storage.ids import number_ids
from judgetool.storage.judgments import (
    EventRow,
    drop_undone,
    insert_events,
    insert_step,
    set_step_state,
)
from judgetool.storage.values import AssessorRow, assessor_uuid, load_assessors
from judgetool.storage.visibility import (
    MERGE,
    TURN,
    Key,
    forget_known,
    set_states,
    settle_judgments,
    settle_values,
    touched,
    touched_values,
)

_CHUNK = 2_000
_TURNED = {"undo": "undone", "redo": "redone"}
_SEEN = "state NOT IN ('pending', 'abandoned')"

Translate = Callable[[str, Any, Mapping[int, int]], tuple[str, Any] | None]
"""Gives a value's key and content as they are here, by the numbers that runs have here; ``None``
where the value means nothing here."""


class OtherCopy(NamedTuple):
    """Another copy of the project.

    Attributes:
        name: of its file, for people.
        connection: for looking, of the present schema.
        renames: other names for assessors of its, who are other people than those of the same name.
    """

    name: str
    connection: apsw.Connection
    renames: Mapping[str, str] = {}


@dataclass(slots=True)
class Brought:
    """What a merge brought into view.

    Attributes:
        name: of the file.
        judgments: how many (query, document) pairs each assessor said something of.
        n_queries: texts of queries.
        n_documents: texts of documents.
        n_runs: runs.
        n_asks: rows of what somebody is asked to judge.
        later_there: queries with another text there that counts, by external id.
        later_here: the same where the one here counts.
        values: keys of the project's values that are others now.
        kept_values: keys of values that differ there, where the one here counts.
        n_left: values that mean nothing here and were left there.
        is_nothing: whether all of it was here already.
    """

    name: str
    judgments: dict[str, int] = field(default_factory=dict)
    n_queries: int = 0
    n_documents: int = 0
    n_runs: int = 0
    n_asks: int = 0
    later_there: list[str] = field(default_factory=list)
    later_here: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    kept_values: list[str] = field(default_factory=list)
    n_left: int = 0
    is_nothing: bool = True


@dataclass(slots=True)
class Merged:
    """What a merge did.

    Attributes:
        step_id: of the merge; ``None`` where nothing was new.
        brought: by file, in the order given.
        conflicts: judgments that were said differently and count as the latest one.
        values: the project's values that are others now, by key; ``None`` for one taken away.
    """

    step_id: int | None = None
    brought: list[Brought] = field(default_factory=list)
    conflicts: list[Key] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)


def merge_sources(
    connection: apsw.Connection,
    sources: Sequence[OtherCopy],
    *,
    title: str,
    assessor_id: int | None,
    at: int,
    translate: Translate,
) -> Merged:
    """Bring what other copies hold into a project, as one step.

    Args:
        connection: of the writer, in a transaction.
        sources: the other copies; they are only read.
        title: of the step.
        assessor_id: who merges.
        at: when, milliseconds UTC.
        translate: see :data:`Translate`.
    """
    merged = Merged()
    step = insert_step(
        connection,
        kind=MERGE,
        title=title,
        assessor_id=assessor_id,
        at=at,
        state="pending",
        detail={"files": [source.name for source in sources]},
    ).step_id
    names: set[str] = set()
    lines: dict[Key, list[LoggedLine]] = {}
    top = int(connection.execute("SELECT coalesce(max(event_id), 0) FROM events").get)
    for source in sources:
        arrival = _Arrival(connection, source, step, translate)
        arrival.bring(lines)
        merged.brought.append(arrival.brought)
        names |= arrival.names
    if all(brought.is_nothing for brought in merged.brought):
        connection.execute("DELETE FROM arrivals WHERE merge_id = ?", (step,))
        connection.execute("DELETE FROM steps WHERE step_id = ?", (step,))
        return merged
    merged.step_id = step
    drop_undone(connection, assessor_id)
    set_step_state(connection, step, "done", at=at)
    set_states(connection, step)
    forget_known(connection, lines, top)
    merged.conflicts = settle_judgments(connection, lines)
    merged.values = settle_values(connection, names)
    for brought in merged.brought:
        said = sorted(set(brought.values))
        brought.values = [name for name in said if name in merged.values]
        brought.kept_values = [
            name
            for name in said
            if name not in merged.values and len(resolve(load_value_lines(connection, name))) > 1
        ]
    return merged


class _Arrival:
    """Brings one copy's steps, and all that hangs on them."""

    def __init__(
        self, connection: apsw.Connection, source: OtherCopy, step: int, translate: Translate
    ) -> None:
        self._here, self._there = connection, source.connection
        self._step = step
        self._translate = translate
        self.brought = Brought(source.name)
        self.names: set[str] = set()
        self._assessors = _Assessors(connection, source)
        self._queries = _Numbers(connection, source.connection, "queries")
        self._documents = _Numbers(connection, source.connection, "documents")
        self._steps: dict[int, int] = {}
        self._fresh: set[int] = set()
        self._turns: dict[tuple[int, str, int], int] = {}

    def bring(self, lines: dict[Key, list[LoggedLine]]) -> None:
        """Write all that is new, and add the lines about judgments to those that came before."""
        self._bring_steps()
        self._show_hidden(lines)
        if self._fresh:
            self._bring_material()
            self._bring_events(lines)
            self._bring_values()
            self.brought.is_nothing = False

    # Steps

    def _bring_steps(self) -> None:
        known: dict[bytes, int] = dict(self._here.execute("SELECT uuid, step_id FROM steps"))
        local = {name for _, name in _turns_of(self._here)}
        rows: list[tuple[Any, ...]] = []
        linked: list[int] = []
        top = int(self._here.execute("SELECT max(step_id) FROM steps").get)

        def take(uuid: bytes, kind: str, title: str, at: int, detail: str, who: int | None) -> int:
            nonlocal top
            found = known.get(uuid)
            if found is None:
                top += 1
                assessor = None if who is None else self._assessors.number(who)
                rows.append((top, uuid, kind, title, assessor, at, detail))
                known[uuid] = found = top
                self._fresh.add(top)
            linked.append(found)
            return found

        for number, uuid, kind, title, who, at, detail in self._there.execute(
            f"SELECT step_id, uuid, kind, title, assessor_id, at, detail FROM steps WHERE {_SEEN} "  # noqa: S608 - a constant
            f"AND kind <> '{MERGE}' ORDER BY step_id"
        ):
            if uuid not in local:
                self._steps[number] = take(uuid, kind, title, at, detail, who)
        for (number, step_uuid, change, at), name in _turns_of(self._there):
            if number in self._steps and name not in local:
                detail = json.dumps({"step": step_uuid.hex(), "change": change})
                self._turns[number, change, at] = take(name, TURN, change, at, detail, None)
        insert = (
            "INSERT INTO steps(step_id, uuid, kind, title, assessor_id, at, detail, state, hash) "
        )
        self._here.executemany(
            f"{insert} VALUES(?,?,?,?,?,?,?,'done',?)",
            ((*row, row_checksum(*row[1:])) for row in rows),
        )
        # What was made here is no arrival.
        arrived = {row[0] for row in self._here.execute("SELECT DISTINCT step_id FROM arrivals")}
        arrived |= self._fresh
        self._here.executemany(
            "INSERT OR IGNORE INTO arrivals VALUES(?, ?)",
            ((number, self._step) for number in linked if number in arrived),
        )

    def _show_hidden(self, lines: dict[Key, list[LoggedLine]]) -> None:
        """Take note of what was brought before, and hidden since."""
        hidden = (
            "SELECT s.step_id FROM steps s JOIN arrivals a USING(step_id) "
            "WHERE a.merge_id = ? AND s.state = 'abandoned'"
        )
        numbers = {int(str(row[0])) for row in self._here.execute(hidden, (self._step,))}
        old = numbers - self._fresh
        if not old:
            return
        self.brought.is_nothing = False
        hidden_keys = touched(self._here, old)
        self.names |= touched_values(self._here, old)
        names = {row.assessor_id: row.name for row in load_assessors(self._here)}
        for key in hidden_keys:
            lines.setdefault(key, [])
            self._count(names[key[2]])

    def _count(self, name: str) -> None:
        self.brought.judgments[name] = self.brought.judgments.get(name, 0) + 1

    # Texts, runs, clicks, asks

    def _bring_material(self) -> None:
        fresh = {number: step for number, step in self._steps.items() if step in self._fresh}
        kinds = "SELECT step_id FROM steps WHERE kind NOT IN ('judge', 'project', 'turn')"
        bearers = {row[0]: fresh[row[0]] for row in self._there.execute(kinds) if row[0] in fresh}
        for number, step in bearers.items():
            self._bring_texts(number, step)
            self._bring_runs(number, step)
            self._bring_pairs(number, step)

    def _rows(self, table: str, number: int, columns: str) -> Iterator[list[Any]]:
        rows = self._there.execute(
            f"SELECT {columns} FROM {table} WHERE step_id = ?",  # noqa: S608 - constants
            (number,),
        )
        while chunk := list(islice(rows, _CHUNK)):
            yield list(chunk)

    def _bring_texts(self, number: int, step: int) -> None:
        _, _, *said = SEALED["query_texts"].columns
        for chunk in self._rows("query_texts", number, ", ".join(("query_id", *said))):
            numbers = self._queries.all(row[0] for row in chunk)
            rows = [(numbers[row[0]], step, *row[1:]) for row in chunk]
            self._compare_texts(rows)
            insert_sealed(self._here, "query_texts", rows, step_id=step)
            self.brought.n_queries += len(rows)
        _, _, *said = SEALED["document_texts"].columns
        for chunk in self._rows("document_texts", number, ", ".join(("document_id", *said))):
            numbers = self._documents.all(row[0] for row in chunk)
            rows = [(numbers[row[0]], step, *row[1:]) for row in chunk]
            insert_sealed(self._here, "document_texts", rows, step_id=step)
            self.brought.n_documents += len(rows)

    def _compare_texts(self, rows: Iterable[tuple[Any, ...]]) -> None:
        for query, step, _, text, description, *_ in rows:
            found = self._here.execute(
                "SELECT t.text, t.description, s.at, s.uuid FROM query_texts t "
                "JOIN steps s USING(step_id) WHERE query_id = ? AND s.state = 'done' "
                "ORDER BY s.at DESC, s.uuid DESC LIMIT 1",
                (query,),
            ).fetchone()
            if found is None or found[:2] == (text, description):
                continue
            named = self._here.execute(
                "SELECT external_id FROM queries WHERE query_id = ?", (query,)
            )
            name = str(named.get)
            mine = self._here.execute("SELECT at, uuid FROM steps WHERE step_id = ?", (step,))
            is_later = mine.fetchone() > found[2:]
            (self.brought.later_there if is_later else self.brought.later_here).append(name)

    def _bring_runs(self, number: int, step: int) -> None:
        runs = self._there.execute(
            "SELECT run_id, uuid, name, source FROM runs WHERE step_id = ? ORDER BY run_id",
            (number,),
        ).fetchall()
        for run, *said in runs:
            uuid, name, source = said
            row = (uuid, step, name, source)
            self._here.execute(
                "INSERT INTO runs(uuid, step_id, name, source, hash) VALUES(?,?,?,?,?)",
                (*row, row_checksum(*row)),
            )
            here = self._here.last_insert_rowid()
            self.brought.n_runs += 1
            rankings = self._there.execute(
                "SELECT query_id, n, docs, scores FROM rankings WHERE run_id = ?", (run,)
            )
            while chunk := list(islice(rankings, 100)):
                packed = [np.frombuffer(row[2], "<i4") for row in chunk]
                documents = self._documents.all(np.unique(np.concatenate(packed)).tolist())
                queries = self._queries.all(row[0] for row in chunk)
                insert_sealed(
                    self._here,
                    "rankings",
                    (
                        (
                            here,
                            queries[query],
                            n,
                            np.array([documents[each] for each in docs.tolist()], "<i4").tobytes(),
                            scores,
                        )
                        for (query, n, _, scores), docs in zip(chunk, packed, strict=True)
                    ),
                    step_id=step,
                )

    def _bring_pairs(self, number: int, step: int) -> None:
        columns = "query_id, document_id, position, impressions, clicks"
        for chunk in self._rows("clicks", number, columns):
            queries = self._queries.all(row[0] for row in chunk)
            documents = self._documents.all(row[1] for row in chunk)
            rows = [(queries[q], documents[d], place, step, *said) for q, d, place, *said in chunk]
            insert_sealed(self._here, "clicks", rows, step_id=step)
        for chunk in self._rows("asks", number, "query_id, document_id, assessor_id, is_open"):
            queries = self._queries.all(row[0] for row in chunk)
            documents = self._documents.all(row[1] for row in chunk)
            rows = [
                (queries[q], documents[d], self._assessors.number(who), step, is_open)
                for q, d, who, is_open in chunk
            ]
            insert_sealed(self._here, "asks", rows, step_id=step)
            self.brought.n_asks += len(rows)

    # Lines of the logs

    def _target(self, step: int, origin: str, at: int) -> int | None:
        """Return the step here on which a line hangs that is new; ``None`` for all others."""
        if origin in TURNS and (step, _TURNED[origin], at) in self._turns:
            found = self._turns[step, _TURNED[origin], at]
        elif origin in TURNS and self._steps.get(step) not in self._fresh:
            return None
        else:
            found = self._steps.get(step, 0)
        return found if found in self._fresh else None

    def _bring_events(self, lines: dict[Key, list[LoggedLine]]) -> None:
        counted: set[Key] = set()
        rows_there = self._there.execute(
            "SELECT step_id, origin, at, uuid, query_id, document_id, assessor_id, before, "
            "before_step, after, after_step, spent_ms, shown, parents FROM events ORDER BY event_id"
        )
        wanted = (
            (target, *row)
            for row in rows_there
            if (target := self._target(row[0], row[1], row[2])) is not None
        )
        while chunk := list(islice(wanted, _CHUNK)):
            queries = self._queries.all(row[5] for row in chunk)
            documents = self._documents.all(row[6] for row in chunk)
            rows = []
            for target, _, origin, at, uuid, query, document, who, *said in chunk:
                key = (queries[query], documents[document], self._assessors.number(who))
                if key not in counted:
                    counted.add(key)
                    self._count(self._assessors.name(who))
                before, before_step, after, after_step, spent, shown, parents = said
                came_from = self._steps.get(before_step) if before_step else None
                says = None if after is None else self._steps.get(after_step, target)
                state = (origin, before, came_from, after, says, spent, shown, parents)
                rows.append(EventRow._make((uuid, target, at, *key, *state)))
                said_at = json.loads(shown).get("made_at", at) if shown else at
                names = tuple(split_uuids(parents))
                line = LoggedLine(uuid, names, at, origin, after, says or 0, said_at)
                lines.setdefault(key, []).append(line)
            insert_events(self._here, rows)

    def _bring_values(self) -> None:
        runs = self._run_numbers()
        for step, at, origin, key, before, after, uuid, parents in self._there.execute(
            "SELECT step_id, at, origin, key, before, after, uuid, parents FROM value_events "
            "ORDER BY value_event_id"
        ):
            target = self._target(step, origin, at)
            if target is None:
                continue
            said = self._translate(key, None if after is None else json.loads(after), runs)
            if said is None:
                self.brought.n_left += origin not in TURNS
                continue
            name, value = said
            is_same = value is None or json.loads(after) == value
            text = after if is_same else json.dumps(value, ensure_ascii=False)
            row = (target, at, origin, name, before, text, uuid, parents)
            self._here.execute(
                "INSERT INTO value_events(step_id, at, origin, key, before, after, uuid, parents, "
                "hash) VALUES(?,?,?,?,?,?,?,?,?)",
                (*row, row_checksum(*row)),
            )
            self.names.add(name)
            self.brought.values.append(name)

    def _run_numbers(self) -> dict[int, int]:
        here: dict[bytes, int] = dict(self._here.execute("SELECT uuid, run_id FROM runs"))
        rows: Any = self._there.execute("SELECT run_id, uuid FROM runs")
        return {number: here[uuid] for number, uuid in rows if uuid in here}


class _Numbers:
    """The numbers here of queries or documents by their numbers there."""

    def __init__(self, here: apsw.Connection, there: apsw.Connection, table: str) -> None:
        self._here, self._there, self._table = here, there, table
        column = "query_id" if table == "queries" else "document_id"
        self._select = (
            f"SELECT {column}, external_id FROM {table} WHERE {column} IN "  # noqa: S608 - constants
            "(SELECT value FROM json_each(?))"
        )
        self._known: dict[int, int] = {}

    def all(self, numbers: Iterable[int]) -> dict[int, int]:
        """Return the numbers here of all that were asked for so far; new ids are added."""
        fresh = sorted(set(numbers) - self._known.keys())
        if fresh:
            rows: Any = self._there.execute(self._select, (json.dumps(fresh),)).fetchall()
            found = number_ids(self._here, self._table, [name for _, name in rows])
            self._known.update(
                (number, here) for (number, _), here in zip(rows, found.tolist(), strict=True)
            )
        return self._known


class _Assessors:
    """The numbers here of assessors by their numbers there: by uuid, then by name."""

    def __init__(self, here: apsw.Connection, source: OtherCopy) -> None:
        self._here, self._renames = here, source.renames
        rows: Any = source.connection.execute("SELECT assessor_id, uuid FROM assessors")
        self._uuids: dict[int, bytes] = dict(rows)
        self._rows: dict[int, AssessorRow] = {
            row.assessor_id: row for row in load_assessors(source.connection)
        }
        self._known: dict[int, int] = {}

    def name(self, number: int) -> str:
        """Return the name here."""
        name = self._rows[number].name
        return self._renames.get(name, name)

    def number(self, number: int) -> int:
        """Return the number here; who is not known yet is added."""
        if number not in self._known:
            self._known[number] = self._find(number) or self._add(number)
        return self._known[number]

    def _find(self, number: int) -> int | None:
        if self._rows[number].name not in self._renames:
            found = self._here.execute(
                "SELECT assessor_id FROM assessors WHERE uuid = ?", (self._uuids[number],)
            ).fetchone()
            if found is not None:
                return int(str(found[0]))
        found = self._here.execute(
            "SELECT assessor_id FROM assessors WHERE name = ?", (self.name(number),)
        ).fetchone()
        return None if found is None else int(str(found[0]))

    def _add(self, number: int) -> int:
        row, name, uuid = self._rows[number], self.name(number), self._uuids[number]
        if row.name in self._renames:
            uuid = assessor_uuid(self._here, name)
        person = None if row.person_id is None else self.number(row.person_id)
        values = (uuid, name, row.kind, person)
        self._here.execute(
            "INSERT INTO assessors(uuid, name, kind, person_id, hash) VALUES(?,?,?,?,?)",
            (*values, row_checksum(*values)),
        )
        return self._here.last_insert_rowid()


def _turns_of(
    connection: apsw.Connection,
) -> Iterator[tuple[tuple[int, bytes, str, int], bytes]]:
    """Yield when which step was undone or redone in the file itself, and what that is called."""
    turned = "CASE v.origin WHEN 'undo' THEN 'undone' ELSE 'redone' END"
    rows: Any = connection.execute(
        "SELECT step_id, s.uuid, v.change, v.at FROM (SELECT step_id, change, at FROM step_events "  # noqa: S608 - constants
        f"WHERE change IN ('undone', 'redone') UNION SELECT step_id, {turned}, at FROM events v "
        f"WHERE origin IN ('undo', 'redo') UNION SELECT step_id, {turned}, at FROM value_events v "
        f"WHERE origin IN ('undo', 'redo')) v JOIN steps s USING(step_id) WHERE {_SEEN} "
        f"AND kind NOT IN ('{MERGE}', '{TURN}')"
    ).fetchall()
    for number, uuid, change, at in rows:
        yield (number, uuid, change, at), uuid5(UUID(bytes=uuid), f"{change} {at}").bytes
