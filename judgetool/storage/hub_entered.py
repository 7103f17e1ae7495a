"""What lines that came from a team's hub say: they enter by the merge's rules, with the file's mark.

Their steps are linked (table ``arrivals``) to a step of kind ``hub``, that nobody undoes: what is said
follows from the visible lines alone (``storage.heads``), wherever they came from.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from judgetool.storage.arrival import make_human
from judgetool.storage.checksums import row_checksum
from judgetool.storage.heads import HeadText, LoggedLine, load_lines, resolve
from judgetool.storage.hub_unsent import HubMark, SentLine, write_mark
from judgetool.storage.ids import number_ids
from judgetool.storage.judgments import bring_events, seal_event, write_states
from judgetool.storage.numbers_here import in_parts
from judgetool.storage.values import load_assessors, number_assessor
from judgetool.storage.visibility import NOTHING, TURN, Key, note_conflicts, touched, turn_step

_PART = 500
"""So many values a statement is asked about."""


class Entered(NamedTuple):
    """What lines of the hub have changed.

    Attributes:
        n_new: lines that were not here.
        states: what is said now of the judgments they are about.
    """

    n_new: int
    states: dict[Key, HeadText]


def enter_lines(connection: apsw.Connection, lines: Sequence[SentLine], mark: HubMark) -> Entered:
    """Write lines of the hub that are not here, what follows from them, and the mark after them.

    Args:
        connection: of the writer, in a transaction.
        lines: in the order of the hub; of a step all of them, or none.
        mark: what holds after them.
    """
    uuids = [bytes.fromhex(line.uuid) for line in lines]
    known = _known(connection, "SELECT uuid, 1 FROM events WHERE uuid", uuids)
    people = _People(connection)
    steps = _Steps(connection, people, mark.step)
    steps.take([line.body["step"] for line in lines])
    fresh = [pair for pair in zip(uuids, lines, strict=True) if pair[0] not in known]
    queries = _numbered(connection, "queries", (line.query for _, line in fresh))
    documents = _numbered(connection, "documents", (line.document for _, line in fresh))
    found: dict[Key, list[LoggedLine]] = {}
    sealed = []
    for uuid, line in fresh:
        body = line.body
        key = queries[line.query], documents[line.document], people.number(line)
        step = steps.numbers[body["step"][0]]
        after, after_step = body.get("after"), steps.number_of(body.get("after_step"))
        says = None if after is None else after_step or step
        shown, parents = body.get("shown"), tuple(map(bytes.fromhex, line.parents))
        at = line.at
        row = (uuid, step, at, *key, body["origin"], body.get("before"))
        came_from = steps.number_of(body.get("before_step"))
        rest = (came_from, after, says, body.get("spent_ms"), shown, b"".join(parents))
        sealed.append(seal_event((*row, *rest)))
        said_at = json.loads(shown).get("made_at", at) if shown and "made_at" in shown else at
        logged = LoggedLine(uuid, parents, at, body["origin"], after, says or 0, said_at)
        found.setdefault(key, []).append(logged)
    changed = {*touched(connection, steps.shown), *_with_lines(connection, found)}
    bring_events(connection, sealed)
    states, conflicts = {}, []
    for key in found.keys() | changed:
        heads = resolve(load_lines(connection, key) if key in changed else found[key])
        states[key] = heads[0] if heads else NOTHING
        if len(heads) > 1:
            conflicts.append(key)
    write_states(connection, states)
    note_conflicts(connection, conflicts)
    steps.turn()
    write_mark(connection, mark)
    return Entered(len(fresh), states)


def _known(
    connection: apsw.Connection, select: str, values: Sequence[Any]
) -> dict[Any, tuple[Any, ...]]:
    """Return the rows that have one of these values, by it."""
    found: dict[Any, tuple[Any, ...]] = {}
    for part in in_parts(values, _PART):
        marks = ",".join("?" * len(part))
        rows: Any = connection.execute(f"{select} IN ({marks})", part)
        found.update((row[0], row[1:]) for row in rows)
    return found


def _numbered(
    connection: apsw.Connection, table: str, ids: Iterable[str | None]
) -> dict[str | None, int]:
    names = sorted({name for name in ids if name is not None})
    numbers = number_ids(connection, table, names).tolist() if names else []
    return dict(zip(names, numbers, strict=True))


def _with_lines(connection: apsw.Connection, keys: Iterable[Key]) -> Iterator[Key]:
    """Yield those judgments of which there are lines."""
    look = "SELECT 1 FROM events WHERE query_id = ? AND document_id = ? AND assessor_id = ? LIMIT 1"
    for key in keys:
        if connection.execute(look, key).fetchone() is not None:
            yield key


class _People:
    """The numbers of assessors by what lines say of them."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        rows = load_assessors(connection)
        self._kinds = {row.name: row.kind for row in rows}
        self._numbers = {row.name: row.assessor_id for row in rows}

    def number(self, line: SentLine) -> int:
        name, kind = line.body["voice"]
        known = self._kinds.get(name)
        if known == "import" and kind == "human":
            make_human(self._connection, self._numbers[name])
            self._kinds[name] = kind
        if known is None:
            person = self.named(line.assessor) if kind == "again" else None
            self._kinds[name] = kind
            self._numbers[name] = number_assessor(
                self._connection, name, kind=kind, person_id=person
            )
        return self._numbers[name]

    def named(self, name: str) -> int:
        """Return the number of a person, who is added if need be."""
        if name not in self._numbers:
            self._kinds[name] = "human"
            self._numbers[name] = number_assessor(self._connection, name, kind="human")
        return self._numbers[name]


class _Steps:
    """Steps that lines hang on, or tell of, by their uuids.

    Attributes:
        numbers: of those that lines hang on.
        shown: those that were here, hidden, and are visible now.
    """

    def __init__(self, connection: apsw.Connection, people: _People, hub: int) -> None:
        self._connection, self._people, self._hub = connection, people, hub
        self.numbers: dict[str, int] = {}
        self.shown: set[int] = set()
        self._others: dict[str, int | None] = {}
        self._turns: dict[str, list[tuple[int, str]]] = {}

    def take(self, steps: Iterable[Sequence[Any]]) -> None:
        """Write those that are new, and show those that are hidden."""
        said = {step[0]: step for step in steps}
        known = _known(
            self._connection,
            "SELECT uuid, step_id, state, EXISTS (SELECT 1 FROM arrivals a "
            "WHERE a.step_id = steps.step_id) FROM steps WHERE uuid",
            [bytes.fromhex(name) for name in said],
        )
        number = int(self._connection.execute("SELECT coalesce(max(step_id), 0) FROM steps").get)
        rows, linked = [], []
        for name, (_, kind, title, who, at, detail) in said.items():
            uuid = bytes.fromhex(name)
            if uuid in known:
                here, state, is_arrived = known[uuid]
                self.numbers[name] = here
                if is_arrived:
                    linked.append(here)
                    if state == "abandoned":
                        self.shown.add(here)
                continue
            number += 1
            self.numbers[name] = number
            person = None if who is None else self._people.named(who)
            row = (kind, title, person, at, detail)
            rows.append((number, uuid, *row, row_checksum(uuid.hex().upper(), *row)))
            linked.append(number)
            if kind == TURN:
                turned = json.loads(detail)["step"]
                self._turns.setdefault(turned, []).append((at, title))
        self._connection.executemany(
            "INSERT INTO steps(step_id, uuid, kind, title, assessor_id, at, detail, hash, state) "
            "VALUES(?,?,?,?,?,?,?,?,'done')",
            rows,
        )
        self._connection.executemany(
            "INSERT OR IGNORE INTO arrivals VALUES(?, ?)", ((step, self._hub) for step in linked)
        )
        self._connection.executemany(
            "UPDATE steps SET state = 'done' WHERE step_id = ?", ((step,) for step in self.shown)
        )

    def number_of(self, name: str | None) -> int | None:
        """Return the number of a step; ``None`` for one that is not here."""
        if name is None:
            return None
        name = name.lower()
        if name in self.numbers:
            return self.numbers[name]
        if name not in self._others:
            found: Any = self._connection.execute(
                "SELECT step_id FROM steps WHERE uuid = ?", (bytes.fromhex(name),)
            ).fetchone()
            self._others[name] = found[0] if found else None
        return self._others[name]

    def turn(self) -> None:
        """Undo or do the steps that new turns turn."""
        for name, turns in self._turns.items():
            turn_step(self._connection, bytes.fromhex(name), turns)


def are_latest(connection: apsw.Connection, states: Mapping[Key, HeadText]) -> bool:
    """Whether nobody else has judged the same documents later: then places in time stay as they are."""
    look = "SELECT 1 FROM judgments WHERE query_id = ? AND document_id = ? AND assessor_id <> ? AND at > ?"
    return not any(
        said.text is not None and connection.execute(look, (*key, said.said_at)).fetchone()
        for key, said in states.items()
    )
