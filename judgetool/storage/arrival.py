"""What one other copy of a project file brings to a merge (``storage.merge``): written hidden.

Undoing or redoing a step is part of that step's lines where it was done; where it arrives it is a step
of its own, of kind ``turn``, that can be hidden with its merge. So are lines of a step that is here
without them: a hub lets not all members read all lines of what all of them have. Texts, runs,
clicks and asks that are lacking to a step are added to it, and stay when the merge is undone:
a hub may have given the step by its lines alone.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID, uuid5

import apsw
import numpy as np

from judgetool.storage.copies import (
    CHUNK,
    SEEN,
    TURN,
    AssessorsHere,
    KnownSteps,
    NumbersHere,
    OtherCopy,
    Write,
    find_staying,
    in_parts,
    make_human,
    touched,
    touched_values,
    turns_of,
)
from judgetool.storage.damage import SEALED, insert_row, insert_sealed, row_checksum
from judgetool.storage.history import RESCALE
from judgetool.storage.judgments import (
    TURNS,
    Key,
    LoggedLine,
    bring_events,
    clear_material,
    counts_from,
    give_events,
    seal_event,
    split_uuids,
)
from judgetool.storage.material import load_text_steps
from judgetool.storage.values import load_names, parse_value

_PAGE = 20_000
"""So many rows of the other copy are read at once: quicker by far than one by one."""
_LINES = 2 * CHUNK
"""Steps, and lines of the logs, are short: so many are written at once."""
LINK_NEW = "INSERT INTO arrivals SELECT step_id, ? FROM steps WHERE step_id > ?"
"""Links steps that were written just now, those above the last of before, to what brought them."""
_TURNED = {"undo": "undone", "redo": "redone"}


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
        judgments: how many (query, document) pairs each assessor said something of; a grade that only
            another scale mapped is not counted.
        n_queries: texts of queries that had none here.
        n_documents: texts of documents that had none here.
        n_other_queries: other texts, or weights, of queries.
        n_other_documents: other texts of documents.
        n_runs: runs.
        n_asks: rows of what somebody is asked to judge.
        later_there: queries of whose text parts were changed in both, and theirs count, by external id.
        later_here: the same where those here count.
        documents_there: documents likewise.
        documents_here: likewise.
        values: keys of the project's values that are others now.
        kept_values: keys of values that differ there, where the one here counts.
        staying: (name there, name here, how many) of judgments that another merge brought by
            another name than is wanted now.
        is_nothing: whether all of it was here already.
    """

    name: str
    judgments: dict[str, int] = field(default_factory=dict)
    n_queries: int = 0
    n_documents: int = 0
    n_other_queries: int = 0
    n_other_documents: int = 0
    n_runs: int = 0
    n_asks: int = 0
    later_there: list[str] = field(default_factory=list)
    later_here: list[str] = field(default_factory=list)
    documents_there: list[str] = field(default_factory=list)
    documents_here: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    kept_values: list[str] = field(default_factory=list)
    staying: list[tuple[str, str, int]] = field(default_factory=list)
    is_nothing: bool = True


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
        text_steps: the steps here whose texts are in view there.
        rewritten: numbers here of queries and of documents that it has texts of, and that had some
            before, by their table.
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
        self._source, self._only = source, source.only
        self.brought = Brought(source.name)
        self.names: set[str] = set()
        self.is_news = False
        self.text_steps: frozenset[int] = frozenset()
        self.rewritten: dict[str, set[int]] = {"query_texts": set(), "document_texts": set()}
        # Of those rewritten, which have another text there than one that is here.
        self._others: dict[str, set[int]] = {"query_texts": set(), "document_texts": set()}
        self._assessors = AssessorsHere(here, write, source)
        self._queries = NumbersHere(here, write, source.connection, "queries")
        self._documents = NumbersHere(here, write, source.connection, "documents")
        self._merge = 0
        self._steps: dict[int, int] = {}
        self._turns: dict[tuple[int, str, int], int] = {}
        self._runs: dict[int, int] = {}
        self._seen: set[int] = set()
        self._rest: dict[bytes, int] = {}
        self._ragged: set[int] = set()
        self._elsewhere: dict[bytes, int] = {}
        self._counted: set[Key] = set()
        self._tell: Callable[[int], None] = lambda _n: None

    def look(self) -> int:
        """See whether anything is new; return about how many rows will be gone through."""
        known = self._known
        if self._source.renames:
            self.brought.staying = find_staying(self._here, self._source)
        uuids: Any = self._there.execute(f"SELECT step_id, uuid FROM steps WHERE {SEEN}")  # noqa: S608 - constants
        seen = {
            number: known.numbers.get(uuid)
            for number, uuid in uuids
            if uuid not in known.turned and self._is_wanted(number)
        }
        self._seen, found = set(seen), list(seen.values())
        n_new = found.count(None)
        found += [
            known.numbers.get(name)
            for (number, *_), name in turns_of(self._there)
            if name not in known.turned and self._is_wanted(number)
        ]
        is_known = None not in found and known.hidden.isdisjoint(found)
        self.is_news = (
            not is_known
            or any(here is None or here in known.unseen for *_, here in self._lines_there())
            or bool(self._find_lacking({n: here for n, here in seen.items() if here}))
        )
        n_events = (
            int(self._there.execute("SELECT count(*) FROM events").get) if self.is_news else 0
        )
        return n_new + 2 * n_events

    def _is_wanted(self, number: int) -> bool:
        return self._only is None or number in self._only

    def bring(
        self, merge: int, lines: dict[Key, list[LoggedLine]], tell: Callable[[int], None]
    ) -> None:
        """Write all that is new, and add the lines about judgments to those that came before."""
        self._merge, self._tell = merge, tell
        before = set(self._known.fresh)
        self._bring_steps()
        is_lacking = self._bring_rest()
        self._show_hidden(lines)
        # Of a step that several copies have the first one brings what hangs on it.
        own = self._known.fresh - before
        texts = load_text_steps(self._there)
        self.text_steps = frozenset(here for there, here in self._steps.items() if there in texts)
        lacking = self._find_lacking(self._steps)
        if own or is_lacking or lacking:
            self._bring_material(own | lacking)
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
            SEEN,
        )
        theirs = (r for r in rows if r[1] not in self._known.turned and self._is_wanted(r[0]))
        for part in in_parts(theirs, _LINES):
            steps = [
                _Step(uuid, kind, title, self._assessors.find(who), at, self._detail(detail))
                for _, uuid, kind, title, who, at, detail in part
            ]
            numbers = self._take(steps)
            self._steps.update(zip((row[0] for row in part), numbers, strict=True))
        found = [
            (key, name, step_uuid)
            for (number, step_uuid, change, at), name in turns_of(self._there)
            if name not in self._known.turned and (key := (number, change, at))[0] in self._steps
        ]
        for turns in in_parts(found, _LINES):
            steps = []
            for (_, change, at), name, step_uuid in turns:
                detail = json.dumps({"step": step_uuid.hex(), "change": change})
                steps.append(_Step(name, TURN, change, None, at, detail))
            numbers = self._take(steps)
            self._turns.update(zip((key for key, *_ in turns), numbers, strict=True))

    def _lines_there(self) -> Iterator[tuple[int, str, int, bytes, int | None]]:
        """Yield step, origin, time and name of lines that may come, and on which step they hang here."""
        for table in ("value_events",) if self._only is not None else ("value_events", "events"):
            select = f"SELECT step_id, origin, at, uuid FROM {table}"  # noqa: S608 - constants
            here, rows = self._known.places(table), self._there.execute(select)
            yield from ((*row, here.get(row[3])) for row in rows if row[0] in self._seen and row[3])

    def _bring_rest(self) -> bool:
        """Write steps for lines that are not here though their step is; return whether any are not.

        What is here on another step than there, brought by another merge, this one brings, too.
        """
        known, rest, is_lacking = self._known, dict[int, list[bytes]](), False
        for step, origin, at, uuid, here in self._lines_there():
            home = self._home(step, origin, at)
            if here is None:
                is_lacking = True
                if home and home not in known.fresh:
                    rest.setdefault(home, []).append(uuid)
                    self._ragged.add(step)
            elif here != home:
                self._elsewhere[uuid] = here
        also = {(step, self._merge) for step in self._elsewhere.values() if step in known.arrived}
        if also:
            link = "INSERT OR IGNORE INTO arrivals VALUES(?, ?)"
            self._write(lambda connection: connection.executemany(link, also))
        for part in in_parts(rest.items(), _LINES):
            numbers = self._take([self._rest_of(home, uuids) for home, uuids in part])
            for number, (_, uuids) in zip(numbers, part, strict=True):
                self._rest.update(dict.fromkeys(uuids, number))
        return is_lacking

    def _rest_of(self, home: int, uuids: list[bytes]) -> _Step:
        """Return the step for lines of one that is here; of the same lines it is the same everywhere."""
        look = "SELECT uuid, kind, title, assessor_id, at, detail FROM steps WHERE step_id = ?"
        row: Any = self._here.execute(look, (home,)).fetchone()
        step = _Step(*row)
        name = uuid5(UUID(bytes=step.uuid), b"".join(sorted(uuids)).hex()).bytes
        # What else a step of its kind does, the one that is here does already.
        plain = step if step.kind == TURN else step._replace(kind="judge", detail="{}")
        return plain._replace(uuid=name)

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
        stubs = {uuid: known.stubs[uuid] for uuid in known.stubs.keys() & fresh.keys()}
        # As it would be of the uuid itself.
        sealed = [
            (*step, row_checksum(uuid.hex().upper(), *step[1:]))
            for uuid, step in fresh.items()
            if uuid not in stubs
        ]
        linked = [
            number
            for step in steps
            if step.uuid not in fresh
            and ((number := known.numbers[step.uuid]) in known.arrived or number in known.fresh)
        ]

        def job(connection: apsw.Connection) -> dict[bytes, int]:
            top = int(connection.execute("SELECT coalesce(max(step_id), 0) FROM steps").get)
            for number in stubs.values():
                clear_material(connection, number)
            connection.executemany(
                "INSERT INTO steps(step_id, uuid, kind, title, assessor_id, at, detail, hash, state) "
                "VALUES(?,?,?,?,?,?,?,?,'abandoned')",
                [(number, *row) for number, row in enumerate(sealed, top + 1)],
            )
            if is_linked:
                connection.executemany(
                    "INSERT OR IGNORE INTO arrivals VALUES(?, ?)",
                    ((number, self._merge) for number in (*linked, *stubs.values())),
                )
                connection.execute(LINK_NEW, (self._merge, top))
            return stubs | {row[0]: number for number, row in enumerate(sealed, top + 1)}

        numbers = self._write(job) if fresh or linked else {}
        if is_linked:
            known.numbers |= numbers
            known.fresh.update(numbers.values())
        self._tell(len(fresh))
        return [known.numbers.get(step.uuid) or numbers[step.uuid] for step in steps]

    def _show_hidden(self, lines: dict[Key, list[LoggedLine]]) -> None:
        """Take note of what was brought before, and hidden since."""
        known, beside = self._known, set(self._elsewhere.values())
        shown = known.hidden.intersection((*self._steps.values(), *self._turns.values()))
        shown |= known.unseen & beside
        if not shown:
            return
        self.brought.is_nothing = False
        if self._only is None:
            self._give_anew(shown)
        for table, numbers in self.rewritten.items():
            numbers.update(self._texts_on(table, shown))
        values = touched_values(self._here, shown)
        self.names |= values
        self.brought.values += sorted(values)
        names = load_names(self._here)
        self._counted = touched(self._here, shown, but_for=RESCALE)
        self.brought.judgments |= Counter(names[key[2]] for key in self._counted)
        for key in touched(self._here, shown):
            lines.setdefault(key, [])

    def _give_anew(self, steps: set[int]) -> None:
        """Give what was hidden to whom it is given now: it may have been brought by another name."""
        rows: Any = self._here.execute(
            "SELECT uuid, assessor_id FROM events WHERE step_id IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(steps)),),
        )
        here = dict(rows)
        said: Any = self._there.execute("SELECT uuid, assessor_id FROM events")
        owners = [
            (uuid, owner)
            for uuid, who in said.fetchall()
            if uuid in here and (owner := self._assessors.number(who)) != here[uuid]
        ]
        if owners:
            self._write(partial(give_events, owners=owners))

    # Texts, runs, clicks, asks

    def _find_lacking(self, steps: dict[int, int]) -> set[int]:
        """Return which steps, given by those there, have fewer texts, rankings, clicks, asks here."""
        counts = "SELECT step_id, name, n FROM row_counts"
        ours = {row[:2]: row[2] for row in self._here.execute(counts)}
        theirs = ((steps.get(step), *said) for step, *said in self._there.execute(counts))
        return {step for step, name, n in theirs if step and ours.get((step, name), 0) < n}

    def _bring_material(self, steps: set[int]) -> None:
        kinds: Any = self._there.execute(
            "SELECT step_id FROM steps WHERE kind NOT IN ('judge', 'project', 'turn')"
        ).fetchall()
        for (number,) in kinds:
            step = self._steps.get(number)
            if step in steps:
                self._bring_texts(number, step)
                self._bring_runs(number, step)
                self._bring_pairs(number, step)

    def _rows(self, table: str, number: int, columns: str) -> Iterator[list[Any]]:
        rows: Any = self._there.execute(
            f"SELECT {columns} FROM {table} WHERE step_id = ?",  # noqa: S608 - constants
            (number,),
        )
        yield from in_parts(rows, CHUNK)

    def _insert(self, table: str, rows: list[tuple[Any, ...]], step: int) -> int:
        self._tell(0)
        return self._write(partial(insert_sealed, table=table, rows=rows, step_id=step, fills=True))

    def _bring_texts(self, number: int, step: int) -> None:
        for rows in self._texts("query_texts", self._queries, number, step):
            n_new, n_other = self._insert_texts("query_texts", rows, step)
            self.brought.n_queries += n_new
            self.brought.n_other_queries += n_other
        for rows in self._texts("document_texts", self._documents, number, step):
            n_new, n_other = self._insert_texts("document_texts", rows, step)
            self.brought.n_documents += n_new
            self.brought.n_other_documents += n_other

    def _insert_texts(self, table: str, rows: list[tuple[Any, ...]], step: int) -> tuple[int, int]:
        """Write texts; return how many are of what had none here, and how many are others."""
        n = self._insert(table, rows, step)
        n_known = sum(row[0] in self.rewritten[table] for row in rows)
        n_other = sum(row[0] in self._others[table] for row in rows)
        return n - min(n, n_known), min(n, n_other)

    def _texts(
        self, table: str, here: NumbersHere, number: int, step: int
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the texts of a step there as they are here."""
        key, _step_id, *said = SEALED[table].columns
        for chunk in self._rows(table, number, ", ".join((key, *said))):
            numbers = here.all(row[0] for row in chunk)
            # Where a query stands is none of its text.
            parts = [place for place, name in enumerate(said, 1) if name != "position"]
            theirs = {numbers[row[0]]: [row[place] for place in parts] for row in chunk}
            self._note_rewritten(table, (key, *(said[place - 1] for place in parts)), theirs)
            yield [(numbers[row[0]], step, *row[1:]) for row in chunk]

    def _note_rewritten(
        self, table: str, columns: tuple[str, ...], theirs: Mapping[int, list[Any]]
    ) -> None:
        rows: Any = self._here.execute(
            f"SELECT {', '.join(columns)} FROM {table} WHERE {columns[0]} IN "  # noqa: S608 - constants
            "(SELECT value FROM json_each(?))",
            (json.dumps([*theirs]),),
        )
        for number, *ours in rows:
            self.rewritten[table].add(number)
            if ours != theirs[number]:
                self._others[table].add(number)

    def _texts_on(self, table: str, steps: set[int]) -> set[int]:
        """Return of which queries or documents these steps, and others, have texts here."""
        key = SEALED[table].columns[0]
        counts = self._here.execute("SELECT step_id FROM row_counts WHERE name = ?", (table,))
        wanted = steps.intersection(int(str(number)) for (number,) in counts)
        if not wanted:
            return set()
        rows: Any = self._here.execute(
            f"SELECT {key} FROM {table} t WHERE step_id IN (SELECT value FROM json_each(?)) AND EXISTS "  # noqa: S608 - constants
            f"(SELECT 1 FROM {table} o WHERE o.{key} = t.{key} AND o.step_id <> t.step_id)",
            (json.dumps(sorted(wanted)),),
        )
        return {number for (number,) in rows}

    def _bring_runs(self, number: int, step: int) -> None:
        runs = self._there.execute(
            "SELECT run_id FROM runs WHERE step_id = ? ORDER BY run_id", (number,)
        ).fetchall()
        for (run,) in runs:
            here, n_rankings = self._take_run(int(str(run)), step), 0
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
                n_rankings += self._insert("rankings", rows, step)
            self.brought.n_runs += n_rankings > 0

    def _take_run(self, run: int, step: int) -> int:
        """Return the number here of a run that a step brings."""
        uuid, name, source = self._there.execute(
            "SELECT uuid, name, source FROM runs WHERE run_id = ?", (run,)
        ).fetchone() or (b"", "", "")
        if not self._is_here(run, uuid):
            row = (uuid, step, name, source)
            self._runs[run] = self._write(partial(insert_row, table="runs", row=row))
        return self._runs[run]

    def _is_here(self, run: int, uuid: object) -> bool:
        """Whether a run is here already; its number is kept then."""
        found: Any = self._here.execute("SELECT run_id FROM runs WHERE uuid = ?", (uuid,)).get
        if found is not None:
            self._runs[run] = int(found)
        return found is not None

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
        if self._is_here(run, uuid):
            return self._runs[run]
        # Hidden there: a copy that has it in view will bring the rest of it.
        step = _Step(name, kind, title, self._assessors.find(who), at, self._detail(detail))
        (number,) = self._take([step], is_linked=False)
        self._known.stubs[name] = number
        return self._take_run(run, number)

    def _bring_pairs(self, number: int, step: int) -> None:
        for rows in self._pairs("clicks", number, "position, impressions, clicks"):
            clicks = [(*pair, place, step, *said) for pair, place, *said in rows]
            self._insert("clicks", clicks, step)
        for rows in self._pairs("asks", number, "assessor_id, is_open"):
            asks = [(*pair, self._assessors.number(who), step, said) for pair, who, said in rows]
            self.brought.n_asks += self._insert("asks", asks, step)

    def _pairs(self, table: str, number: int, columns: str) -> Iterator[list[tuple[Any, ...]]]:
        """Yield what a step there says of queries and documents, first these two as they are here."""
        for chunk in self._rows(table, number, f"query_id, document_id, {columns}"):
            queries = self._queries.all(row[0] for row in chunk)
            documents = self._documents.all(row[1] for row in chunk)
            yield [((queries[q], documents[d]), *said) for q, d, *said in chunk]

    # Lines of the logs

    def _home(self, step: int, origin: str, at: int) -> int:
        """Return the step here on which a line would hang that came with its step; 0 for none."""
        turned = self._turns.get((step, _TURNED[origin], at)) if origin in TURNS else None
        return turned or self._steps.get(step, 0)

    def _target(self, step: int, origin: str, at: int, uuid: bytes) -> int | None:
        """Return the step here on which a line hangs that is new; ``None`` for all others."""
        found = self._rest.get(uuid) or self._home(step, origin, at)
        return found if found in self._known.fresh and uuid not in self._elsewhere else None

    def _lines_of(self, select: str, number: str) -> Iterator[Any]:
        """Yield the lines that may be new, in the order of their numbers; of few steps by their index."""
        fresh = self._known.fresh
        wanted = {there for there, here in self._steps.items() if here in fresh}
        wanted |= {key[0] for key, here in self._turns.items() if here in fresh} | self._ragged
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
        rows_there = self._lines_of(
            "SELECT step_id, origin, at, uuid, query_id, document_id, assessor_id, before, "
            "before_step, after, after_step, spent_ms, shown, parents FROM events",
            "event_id",
        )
        wanted = (
            (target, *row) for row in rows_there if (target := self._target(*row[:4])) is not None
        )
        for chunk in in_parts(wanted, _LINES):
            queries = self._queries.all(row[5] for row in chunk)
            documents = self._documents.all(row[6] for row in chunk)
            sealed = []
            for target, _, origin, at, uuid, query, document, who, *said in chunk:
                key = (queries[query], documents[document], self._assessors.number(who))
                # Another scale says nothing of a document; where it changes, that is told once.
                if key not in self._counted and origin != RESCALE:
                    self._counted.add(key)
                    counts[who] = counts.get(who, 0) + 1
                before, before_step, after, after_step, spent, shown, parents = said
                came_from = self._steps.get(before_step) if before_step else None
                says = None if after is None else self._steps.get(after_step, target)
                state = (origin, before, came_from, after, says, spent, shown, parents)
                sealed.append(seal_event((uuid, target, at, *key, *state)))
                is_dated = shown is not None and "made_at" in shown
                said_at = json.loads(shown).get("made_at", at) if is_dated else at
                names = tuple(split_uuids(parents)) if parents else ()
                since = counts_from(origin, at, said_at, is_beside=says not in (None, target))
                line = LoggedLine(uuid, names, since, origin, after, says or 0, said_at)
                lines.setdefault(key, []).append(line)
            self._write(partial(bring_events, sealed=sealed))
            self._known.places("events").update(row[:2] for row in sealed)
            self._tell(len(sealed))
        for who, n in counts.items():
            name, told = self._assessors.name(who), self.brought.judgments
            told[name] = told.get(name, 0) + n

    def _bring_values(self) -> None:
        rows_there = self._lines_of(
            "SELECT step_id, at, origin, key, before, after, uuid, parents FROM value_events",
            "value_event_id",
        )
        wanted = (
            (target, *row[1:])
            for row in rows_there
            if (target := self._target(row[0], row[2], row[1], row[6])) is not None
        )
        for chunk in in_parts(wanted, _LINES):
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

    def has_value_line(self, uuid: bytes) -> bool:
        """Whether a line about one of the project's values is in view there."""
        look = (
            "SELECT 1 FROM value_events v JOIN steps s USING(step_id) "
            "WHERE v.uuid = ? AND s.state NOT IN ('pending', 'abandoned')"
        )
        return self._there.execute(look, (uuid,)).get is not None

    def _number_named(self, text: str | None) -> None:
        """Let the documents be known that a value names: nothing else may tell of them."""
        rows: Any = self._there.execute(
            "SELECT document_id FROM json_tree(?) j JOIN documents ON external_id IN (j.atom, j.key)",
            (text or "null",),
        )
        self._documents.all(number for (number,) in rows)

    def _translated(self, key: str, text: str | None) -> tuple[str, str | None]:
        said = parse_value(text)
        name, value = self._translate(key, said, self._abroad)
        is_same = value is None or said == value
        return name, text if is_same else json.dumps(value, ensure_ascii=False)


def _insert_values(connection: apsw.Connection, *, rows: Iterable[tuple[Any, ...]]) -> None:
    connection.executemany(
        "INSERT INTO value_events(step_id, at, origin, key, before, after, uuid, parents, hash) "
        "VALUES(?,?,?,?,?,?,?,?,?) ON CONFLICT(uuid) DO NOTHING",
        rows,
    )
