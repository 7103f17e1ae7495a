"""What one other copy of a project file brings to a merge (``storage.merge``): written hidden.

Undoing or redoing a step is part of that step's lines where it was done; where it arrives it is a step
of its own, of kind ``turn``, that can be hidden with its merge.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import apsw
import numpy as np

from judgetool.storage.checksums import SEALED, insert_row, insert_sealed, row_checksum
from judgetool.storage.heads import TURNS, LoggedLine, split_uuids
from judgetool.storage.judgments import bring_events, clear_material, seal_event
from judgetool.storage.numbers_here import (
    CHUNK,
    AssessorsHere,
    NumbersHere,
    OtherCopy,
    Write,
    in_parts,
)
from judgetool.storage.values import load_assessors
from judgetool.storage.visibility import HUB, MERGE, TURN, Key, touched, touched_values

_PAGE = 20_000
"""So many rows of the other copy are read at once: quicker by far than one by one."""
_TURNED = {"undo": "undone", "redo": "redone"}
_SEEN = f"state NOT IN ('pending', 'abandoned') AND kind NOT IN ('{MERGE}', '{HUB}')"


class Door(NamedTuple):
    """How a merge reads and writes the project.

    Attributes:
        reader: sees what was written; of the calling thread.
        write: see :class:`Write`.
        is_waited_for: whether something urgent waits for the job that runs.
        progress: told how much of how much is done; may raise to stop.
    """

    reader: apsw.Connection
    write: Write
    is_waited_for: Callable[[], bool]
    progress: Callable[[int, int], None]


class Abroad(NamedTuple):
    """What tells how things of another copy are called here.

    Attributes:
        copy: the other copy.
        find_run: gives the number here of a run by its number there; 0 where there is none.
    """

    copy: OtherCopy
    find_run: Callable[[int], int]


Translate = Callable[[str, Any, Abroad], tuple[str, Any]]
"""Gives a value's key and content as they are here, so that they rest on nothing of the other copy."""


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
    is_nothing: bool = True


class KnownSteps:
    """The steps that the project has before a merge, and those that it brings.

    Attributes:
        numbers: by uuid.
        stubs: likewise those of which only parts may be here: no merge that brought them came to its
            end, or a value alone needed them.
        arrived: those that came from other copies.
        hidden: those that were brought and hidden again.
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
        incomplete = _numbers(reader, f"{hidden} EXCEPT {whole}")
        self.stubs: dict[bytes, int] = {}
        if incomplete:
            self.stubs = {u: number for u, number in self.numbers.items() if number in incomplete}
            for uuid in self.stubs:
                del self.numbers[uuid]
        self.fresh: set[int] = set()
        self.turned = {name for _, name in _turns_of(reader)}


def _numbers(connection: apsw.Connection, select: str) -> set[int]:
    return {int(str(number)) for (number,) in connection.execute(select)}


class _Step(NamedTuple):
    """A step of another copy, its assessor by the number here."""

    uuid: bytes
    kind: str
    title: str
    assessor_id: int | None
    at: int
    detail: str


class Arrival:
    """Brings one copy's steps, and all that hangs on them.

    Attributes:
        brought: what it brings.
        names: keys of the project's values that it says something of.
        is_news: whether anything of it is new; known after :meth:`look`.
    """

    def __init__(
        self,
        here: apsw.Connection,
        write: Write,
        source: OtherCopy,
        known: KnownSteps,
        translate: Translate,
    ) -> None:
        self._here, self._write, self._there = here, write, source.connection
        self._known = known
        self._translate = translate
        self._abroad = Abroad(source, self._find_run)
        self._only = source.only
        self.brought = Brought(source.name)
        self.names: set[str] = set()
        self.is_news = False
        self._assessors = AssessorsHere(here, write, source)
        self._queries = NumbersHere(here, write, source.connection, "queries")
        self._documents = NumbersHere(here, write, source.connection, "documents")
        self._merge = 0
        self._steps: dict[int, int] = {}
        self._turns: dict[tuple[int, str, int], int] = {}
        self._runs: dict[int, int] = {}
        self._tell: Callable[[int], None] = lambda _n: None

    def look(self) -> int:
        """See whether anything is new; return about how many rows will be gone through."""
        known = self._known
        uuids: Any = self._there.execute(
            f"SELECT step_id, uuid FROM steps WHERE {_SEEN}"  # noqa: S608 - constants
        ).fetchall()
        found = [
            known.numbers.get(uuid)
            for number, uuid in uuids
            if uuid not in known.turned and self._is_wanted(number)
        ]
        n_new = sum(number is None for number in found)
        found += [
            known.numbers.get(name)
            for (number, *_), name in _turns_of(self._there)
            if name not in known.turned and self._is_wanted(number)
        ]
        self.is_news = None in found or not known.hidden.isdisjoint(found)
        n_events = int(self._there.execute("SELECT count(*) FROM events").get) if n_new else 0
        return n_new + 2 * n_events

    def _is_wanted(self, number: int) -> bool:
        return self._only is None or number in self._only

    def bring(
        self, merge: int, lines: dict[Key, list[LoggedLine]], tell: Callable[[int], None]
    ) -> None:
        """Write all that is new, and add the lines about judgments to those that came before."""
        self._merge, self._tell = merge, tell
        n_fresh = len(self._known.fresh)
        self._bring_steps()
        self._show_hidden(lines)
        if len(self._known.fresh) > n_fresh:
            self._bring_material()
            if self._only is None:
                self._bring_events(lines)
            self._bring_values()
            self.brought.is_nothing = False

    def tell_kinds(self, connection: apsw.Connection) -> None:
        """Call those people who were known by imports alone, and judge there."""
        for number in sorted(self._assessors.people):
            make_human(connection, number)

    # Steps

    def _bring_steps(self) -> None:
        rows = self._pages(
            "SELECT step_id, uuid, kind, title, assessor_id, at, detail FROM steps",
            "step_id",
            _SEEN,
        )
        theirs = (r for r in rows if r[1] not in self._known.turned and self._is_wanted(r[0]))
        for part in in_parts(theirs, CHUNK):
            steps = [
                _Step(uuid, kind, title, self._assessors.find(who), at, self._detail(detail))
                for _, uuid, kind, title, who, at, detail in part
            ]
            numbers = self._take(steps)
            self._steps.update(zip((row[0] for row in part), numbers, strict=True))
        found = [
            (key, name, step_uuid)
            for (number, step_uuid, change, at), name in _turns_of(self._there)
            if name not in self._known.turned and (key := (number, change, at))[0] in self._steps
        ]
        for turns in in_parts(found, CHUNK):
            steps = []
            for (_, change, at), name, step_uuid in turns:
                detail = json.dumps({"step": step_uuid.hex(), "change": change})
                steps.append(_Step(name, TURN, change, None, at, detail))
            numbers = self._take(steps)
            self._turns.update(zip((key for key, *_ in turns), numbers, strict=True))

    def _detail(self, detail: str) -> str:
        """Return what else is kept of a step, by the numbers that documents have here."""
        if "kept_image_folders" not in detail:
            return detail
        said = json.loads(detail)
        kept = said["kept_image_folders"]
        numbers = self._documents.all(map(int, kept))
        said["kept_image_folders"] = {str(numbers[int(each)]): kept[each] for each in kept}
        return json.dumps(said)

    def _take(self, steps: list[_Step], *, is_linked: bool = True) -> list[int]:
        """Return the numbers here of steps; those that are new are written, hidden."""
        known = self._known
        fresh = {step.uuid: step for step in steps if step.uuid not in known.numbers}
        # As it would be of the uuid itself.
        sealed = {
            uuid: (*step, row_checksum(uuid.hex().upper(), *step[1:]))
            for uuid, step in fresh.items()
        }
        linked = [
            known.numbers[step.uuid]
            for step in steps
            if step.uuid not in fresh
            and (
                known.numbers[step.uuid] in known.arrived or known.numbers[step.uuid] in known.fresh
            )
        ]

        def job(connection: apsw.Connection) -> dict[bytes, int]:
            top = int(connection.execute("SELECT coalesce(max(step_id), 0) FROM steps").get)
            numbers: dict[bytes, int] = {}
            for uuid in fresh:
                numbers[uuid] = known.stubs.get(uuid, 0)
                if numbers[uuid]:
                    clear_material(connection, numbers[uuid])
                else:
                    top += 1
                    numbers[uuid] = top
            connection.executemany(
                "INSERT INTO steps(step_id, uuid, kind, title, assessor_id, at, detail, hash, state) "
                "VALUES(?,?,?,?,?,?,?,?,'abandoned')",
                ((numbers[uuid], *row) for uuid, row in sealed.items() if uuid not in known.stubs),
            )
            if is_linked:
                connection.executemany(
                    "INSERT OR IGNORE INTO arrivals VALUES(?, ?)",
                    ((number, self._merge) for number in (*linked, *numbers.values())),
                )
            return numbers

        numbers = self._write(job) if fresh or linked else {}
        if is_linked:
            known.numbers |= numbers
            known.fresh.update(numbers.values())
        self._tell(len(fresh))
        return [known.numbers.get(step.uuid) or numbers[step.uuid] for step in steps]

    def _show_hidden(self, lines: dict[Key, list[LoggedLine]]) -> None:
        """Take note of what was brought before, and hidden since."""
        shown = self._known.hidden.intersection((*self._steps.values(), *self._turns.values()))
        if not shown:
            return
        self.brought.is_nothing = False
        self.names |= touched_values(self._here, shown)
        names = {row.assessor_id: row.name for row in load_assessors(self._here)}
        for key in touched(self._here, shown):
            lines.setdefault(key, [])
            self._count(names[key[2]])

    def _count(self, name: str, n: int = 1) -> None:
        self.brought.judgments[name] = self.brought.judgments.get(name, 0) + n

    # Texts, runs, clicks, asks

    def _bring_material(self) -> None:
        fresh = self._known.fresh
        kinds: Any = self._there.execute(
            "SELECT step_id FROM steps WHERE kind NOT IN ('judge', 'project', 'turn')"
        ).fetchall()
        for (number,) in kinds:
            step = self._steps.get(number)
            if step in fresh:
                self._bring_texts(number, step)
                self._bring_runs(number, step)
                self._bring_pairs(number, step)

    def _rows(self, table: str, number: int, columns: str) -> Iterator[list[Any]]:
        rows: Any = self._there.execute(
            f"SELECT {columns} FROM {table} WHERE step_id = ?",  # noqa: S608 - constants
            (number,),
        )
        yield from in_parts(rows, CHUNK)

    def _insert(self, table: str, rows: list[tuple[Any, ...]], step: int) -> None:
        self._write(lambda connection: insert_sealed(connection, table, rows, step_id=step))
        self._tell(0)

    def _bring_texts(self, number: int, step: int) -> None:
        _, _, *said = SEALED["query_texts"].columns
        for chunk in self._rows("query_texts", number, ", ".join(("query_id", *said))):
            numbers = self._queries.all(row[0] for row in chunk)
            rows = [(numbers[row[0]], step, *row[1:]) for row in chunk]
            self._compare_texts(rows)
            self._insert("query_texts", rows, step)
            self.brought.n_queries += len(rows)
        _, _, *said = SEALED["document_texts"].columns
        for chunk in self._rows("document_texts", number, ", ".join(("document_id", *said))):
            numbers = self._documents.all(row[0] for row in chunk)
            rows = [(numbers[row[0]], step, *row[1:]) for row in chunk]
            self._insert("document_texts", rows, step)
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
            "SELECT run_id FROM runs WHERE step_id = ? ORDER BY run_id", (number,)
        ).fetchall()
        for (run,) in runs:
            here = self._take_run(int(str(run)), step)
            self.brought.n_runs += 1
            rankings: Any = self._there.execute(
                "SELECT query_id, n, docs, scores FROM rankings WHERE run_id = ?", (run,)
            )
            for part in in_parts(rankings, 50):
                packed = [np.frombuffer(row[2], "<i4") for row in part]
                documents = self._documents.all(np.unique(np.concatenate(packed)).tolist())
                queries = self._queries.all(row[0] for row in part)
                rows = [
                    (
                        here,
                        queries[query],
                        n,
                        np.array([documents[each] for each in docs.tolist()], "<i4").tobytes(),
                        scores,
                    )
                    for (query, n, _, scores), docs in zip(part, packed, strict=True)
                ]
                self._insert("rankings", rows, step)

    def _take_run(self, run: int, step: int) -> int:
        """Return the number here of a run that a step brings."""
        uuid, name, source = self._there.execute(
            "SELECT uuid, name, source FROM runs WHERE run_id = ?", (run,)
        ).fetchone() or (b"", "", "")
        found = self._here.execute("SELECT run_id FROM runs WHERE uuid = ?", (uuid,)).get
        if found is None:
            row = (uuid, step, name, source)
            found = self._write(lambda connection: insert_row(connection, "runs", row))
        self._runs[run] = int(str(found))
        return self._runs[run]

    def _find_run(self, run: int) -> int:
        """Return the number here of any run there, also of one that nobody sees there any more."""
        if run in self._runs:
            return self._runs[run]
        row: Any = self._there.execute(
            "SELECT r.uuid, s.uuid, s.kind, s.title, s.assessor_id, s.at, s.detail FROM runs r "
            "JOIN steps s USING(step_id) WHERE run_id = ?",
            (run,),
        ).fetchone()
        if row is None:
            return 0
        uuid, name, kind, title, who, at, detail = row
        found = self._here.execute("SELECT run_id FROM runs WHERE uuid = ?", (uuid,)).get
        if found is not None:
            self._runs[run] = int(str(found))
            return self._runs[run]
        # Hidden there: a copy that has it in view will bring the rest of it.
        step = _Step(name, kind, title, self._assessors.find(who), at, self._detail(detail))
        (number,) = self._take([step], is_linked=False)
        self._known.stubs[name] = number
        return self._take_run(run, number)

    def _bring_pairs(self, number: int, step: int) -> None:
        columns = "query_id, document_id, position, impressions, clicks"
        for chunk in self._rows("clicks", number, columns):
            queries = self._queries.all(row[0] for row in chunk)
            documents = self._documents.all(row[1] for row in chunk)
            rows = [(queries[q], documents[d], place, step, *said) for q, d, place, *said in chunk]
            self._insert("clicks", rows, step)
        for chunk in self._rows("asks", number, "query_id, document_id, assessor_id, is_open"):
            queries = self._queries.all(row[0] for row in chunk)
            documents = self._documents.all(row[1] for row in chunk)
            rows = [
                (queries[q], documents[d], self._assessors.number(who), step, is_open)
                for q, d, who, is_open in chunk
            ]
            self._insert("asks", rows, step)
            self.brought.n_asks += len(rows)

    # Lines of the logs

    def _target(self, step: int, origin: str, at: int) -> int | None:
        """Return the step here on which a line hangs that is new; ``None`` for all others."""
        if origin in TURNS and (step, _TURNED[origin], at) in self._turns:
            found = self._turns[step, _TURNED[origin], at]
        elif origin in TURNS and self._steps.get(step) not in self._known.fresh:
            return None
        else:
            found = self._steps.get(step, 0)
        return found if found in self._known.fresh else None

    def _lines_of(self, select: str, number: str) -> Iterator[Any]:
        """Yield the lines that may be new, in the order of their numbers; of few steps by their index."""
        fresh = self._known.fresh
        wanted = {there for there, here in self._steps.items() if here in fresh}
        wanted |= {key[0] for key, here in self._turns.items() if here in fresh}
        if 4 * len(wanted) > len(self._steps):
            yield from self._pages(select, number)
            return
        steps = json.dumps(sorted(wanted))
        some = f"{select} WHERE step_id IN (SELECT value FROM json_each(?)) ORDER BY {number}"  # noqa: S608 - constants
        yield from self._there.execute(some, (steps,))

    def _pages(self, select: str, number: str, where: str = "1") -> Iterator[Any]:
        """Yield the rows of a table of the other copy in the order of their numbers."""
        table = select.rpartition(" ")[2]
        top = int(self._there.execute(f"SELECT coalesce(max({number}), 0) FROM {table}").get)  # noqa: S608 - constants
        page = f"{select} WHERE {number} > ? AND {number} <= ? AND {where} ORDER BY {number}"
        for start in range(0, top, _PAGE):
            yield from self._there.execute(page, (start, start + _PAGE)).fetchall()

    def _bring_events(self, lines: dict[Key, list[LoggedLine]]) -> None:
        counts: dict[int, int] = {}
        counted: set[Key] = set()
        rows_there = self._lines_of(
            "SELECT step_id, origin, at, uuid, query_id, document_id, assessor_id, before, "
            "before_step, after, after_step, spent_ms, shown, parents FROM events",
            "event_id",
        )
        wanted = (
            (target, *row)
            for row in rows_there
            if (target := self._target(row[0], row[1], row[2])) is not None
        )
        for chunk in in_parts(wanted, CHUNK):
            queries = self._queries.all(row[5] for row in chunk)
            documents = self._documents.all(row[6] for row in chunk)
            sealed = []
            for target, _, origin, at, uuid, query, document, who, *said in chunk:
                key = (queries[query], documents[document], self._assessors.number(who))
                if key not in counted:
                    counted.add(key)
                    counts[who] = counts.get(who, 0) + 1
                before, before_step, after, after_step, spent, shown, parents = said
                came_from = self._steps.get(before_step) if before_step else None
                says = None if after is None else self._steps.get(after_step, target)
                state = (origin, before, came_from, after, says, spent, shown, parents)
                sealed.append(seal_event((uuid, target, at, *key, *state)))
                is_dated = shown is not None and "made_at" in shown
                said_at = json.loads(shown).get("made_at", at) if is_dated else at
                names = tuple(split_uuids(parents)) if parents else ()
                line = LoggedLine(uuid, names, at, origin, after, says or 0, said_at)
                lines.setdefault(key, []).append(line)
            self._write(partial(bring_events, sealed=sealed))
            self._tell(len(sealed))
        for who, n in counts.items():
            self._count(self._assessors.name(who), n)

    def _bring_values(self) -> None:
        rows_there = self._lines_of(
            "SELECT step_id, at, origin, key, before, after, uuid, parents FROM value_events",
            "value_event_id",
        )
        wanted = (
            (target, *row[1:])
            for row in rows_there
            if (target := self._target(row[0], row[2], row[1])) is not None
        )
        for chunk in in_parts(wanted, CHUNK):
            rows = []
            for target, at, origin, key, before, after, uuid, parents in chunk:
                _, was = self._translated(key, before)
                name, text = self._translated(key, after)
                self._number_named(after)
                row = (target, at, origin, name, was, text, uuid, parents)
                rows.append((*row, row_checksum(*row)))
                self.names.add(name)
                self.brought.values.append(name)
            self._write(partial(_insert_values, rows=rows))

    def _number_named(self, text: str | None) -> None:
        """Let the documents be known that a value names: nothing else may tell of them."""
        rows: Any = self._there.execute(
            "SELECT document_id FROM json_tree(?) j JOIN documents ON external_id IN (j.atom, j.key)",
            (text or "null",),
        )
        self._documents.all(number for (number,) in rows)

    def _translated(self, key: str, text: str | None) -> tuple[str, str | None]:
        said = None if text is None else json.loads(text)
        name, value = self._translate(key, said, self._abroad)
        is_same = value is None or said == value
        return name, text if is_same else json.dumps(value, ensure_ascii=False)


def make_human(connection: apsw.Connection, number: int) -> None:
    """Call somebody a person who was known by imports alone."""
    row = connection.execute(
        "SELECT uuid, name, 'human', person_id FROM assessors WHERE assessor_id = ?", (number,)
    ).fetchone()
    connection.execute(
        "UPDATE assessors SET kind = 'human', hash = ? WHERE assessor_id = ?",
        (row_checksum(*(row or ())), number),
    )


def _insert_values(connection: apsw.Connection, *, rows: Iterable[tuple[Any, ...]]) -> None:
    connection.executemany(
        "INSERT INTO value_events(step_id, at, origin, key, before, after, uuid, parents, hash) "
        "VALUES(?,?,?,?,?,?,?,?,?) ON CONFLICT(uuid) DO NOTHING",
        rows,
    )


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
        f"AND kind <> '{TURN}'"
    ).fetchall()
    for number, uuid, change, at in rows:
        yield (number, uuid, change, at), uuid5(UUID(bytes=uuid), f"{change} {at}").bytes
