"""What lines that came from a team's hub say: they enter by the merge's rules, with the file's mark.

Their steps are linked (table ``arrivals``) to a step of kind ``hub``, that nobody undoes: what is said
follows from the visible lines alone (``storage.judgments``), wherever they came from.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from judgetool.storage.arrival import LINK_NEW
from judgetool.storage.damage import row_checksum, seal_meta
from judgetool.storage.hub_unsent import HubMark, SentLine, write_mark
from judgetool.storage.ids import number_ids
from judgetool.storage.judgments import (
    HeadText,
    bring_events,
    load_lines,
    resolve,
    seal_event,
    split_uuids,
    write_states,
)
from judgetool.storage.material import load_visible_documents
from judgetool.storage.numbers_here import in_parts, make_human
from judgetool.storage.values import load_assessors, number_assessor
from judgetool.storage.visibility import (
    NOTHING,
    TURN,
    Key,
    note_conflicts,
    touched,
    turn_step,
)

_RELEASED = "hub_released"
"""In ``meta``: queries that are released, which a hub made anew is told of by a lead."""
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
    known = _known(connection, "SELECT uuid, step_id FROM events WHERE uuid", uuids)
    people = _People(connection)
    steps = _Steps(connection, people, mark.step)
    steps.take([line.body["step"] for line in lines])
    steps.keep(number for (number,) in known.values())
    fresh = [pair for pair in zip(uuids, lines, strict=True) if pair[0] not in known]
    queries = _numbered(connection, "queries", (line.query for _, line in fresh))
    documents = _numbered(connection, "documents", (line.document for _, line in fresh))
    states: dict[Key, HeadText] = {}
    changed = touched(connection, steps.shown)
    sealed = []
    for uuid, line in fresh:
        _, _, _, query, document, at, named, body = line
        said = body.get
        key = queries[query], documents[document], people.number(line)
        name, origin = body["step"][0], body["origin"]
        step, after_name = steps.numbers[name], said("after_step")
        after, shown = said("after"), said("shown")
        after_step = step if after_name == name else steps.number_of(after_name)
        says = None if after is None else after_step or step
        parents = b"".join(map(bytes.fromhex, named)) if named else b""
        row = (uuid, step, at, *key, origin, said("before"), steps.number_of(said("before_step")))
        sealed.append(seal_event((*row, after, says, said("spent_ms"), shown, parents)))
        said_at = json.loads(shown).get("made_at", at) if shown and "made_at" in shown else at
        states[key] = HeadText(after, says or 0, said_at)
        if origin == "undo":
            changed.add(key)
    top = int(connection.execute("SELECT coalesce(max(event_id), 0) FROM events").get)
    bring_events(connection, sealed)
    changed.update(_with_others(connection, top))
    conflicts = []
    for key in changed:
        heads = resolve(load_lines(connection, key))
        states[key] = heads[0] if heads else NOTHING
        if len(heads) > 1:
            conflicts.append(key)
    write_states(connection, states)
    note_conflicts(connection, conflicts)
    steps.turn()
    write_mark(connection, mark)
    return Entered(len(fresh), states)


def note_released(connection: apsw.Connection, queries: Iterable[str]) -> None:
    """Keep that queries are released, by their external ids; in a transaction."""
    known = set(load_released(connection))
    text = json.dumps(sorted(known.union(queries)))
    connection.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (_RELEASED, text))
    seal_meta(connection)


def load_released(connection: apsw.Connection) -> list[str]:
    """Return the queries that the file knows to be released, by external id; perhaps none."""
    row: Any = connection.execute("SELECT value FROM meta WHERE key = ?", (_RELEASED,)).fetchone()
    return [] if row is None else json.loads(row[0])


_HIDDEN = (
    "WITH hidden AS (SELECT s.step_id FROM steps s WHERE s.state = 'abandoned' AND EXISTS "
    "(SELECT 1 FROM arrivals r JOIN steps m ON m.step_id = r.merge_id AND m.kind = 'merge' "
    "WHERE r.step_id = s.step_id)) "
    "SELECT e.query_id, e.document_id, e.assessor_id, e.uuid, e.parents, e.after IS NOT NULL, "
    "e.step_id IN (SELECT step_id FROM hidden), s.state IN ('pending', 'abandoned') "
    "FROM events e JOIN steps s USING(step_id) WHERE (e.query_id, e.document_id, e.assessor_id) IN "
    "(SELECT query_id, document_id, assessor_id FROM events WHERE step_id IN "
    "(SELECT step_id FROM hidden))"
)


def count_hidden(
    connection: apsw.Connection, find_known: Callable[[Sequence[str]], Collection[str]]
) -> int:
    """Return how many judgments that a hub has are hidden here by a merge that was undone.

    Args:
        connection: for looking.
        find_known: returns which lines of these names the hub has; not called where nothing is hidden.
    """
    rows: Any = connection.execute(_HIDDEN).fetchall()
    if not rows:
        return 0
    known = set(find_known([uuid.hex() for *_, uuid, _, _, is_hidden, _ in rows if is_hidden]))
    lines = [row for row in rows if not row[7] or row[3].hex() in known]
    named = {uuid for line in lines for uuid in split_uuids(line[4])}
    return len({line[:3] for line in lines if line[7] and line[5] and line[3] not in named})


class Unplaced(NamedTuple):
    """What people judged elsewhere, and what this file has nothing of.

    Attributes:
        n_queries: judgments about queries that are not here: they are shown nowhere.
        n_documents: documents that are in no run and have no text, judged for queries that are here.
    """

    n_queries: int
    n_documents: int


def count_unplaced(connection: apsw.Connection) -> Unplaced:
    """Return how much of what came is about what is not here.

    Where there are neither runs nor texts, documents are ids alone, and none is lacking.
    """
    is_placed = load_visible_documents(connection, is_named=False)
    rows: Any = connection.execute(
        "SELECT j.document_id, j.query_id NOT IN (SELECT query_id FROM query_texts "
        "JOIN steps s USING(step_id) WHERE s.state = 'done') AS is_lost, count(*) FROM judgments j "
        "JOIN assessors a USING(assessor_id) WHERE a.kind IN ('human', 'again') "
        "AND j.state <> 'unjudged' AND EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = j.step_id) "
        "GROUP BY j.document_id, is_lost"
    )
    n_queries, lacking = 0, set()
    has_any = bool(is_placed.any())
    for document, is_lost, count in rows:
        n_queries += count if is_lost else 0
        if has_any and not (is_lost or is_placed[document]):
            lacking.add(document)
    return Unplaced(n_queries, len(lacking))


def count_own_material(connection: apsw.Connection, mark: HubMark) -> int:
    """Return how many steps brought queries, documents or runs into this file since it belongs to its hub.

    They are this file's alone where a member sends them who does not lead.
    """
    return int(
        connection.execute(
            "SELECT count(*) FROM steps s WHERE s.kind IN ('import', 'material') AND s.state = 'done' "
            "AND s.step_id > ? AND NOT EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = s.step_id) "
            "AND (s.kind = 'material' OR EXISTS (SELECT 1 FROM query_texts t WHERE t.step_id = s.step_id) "
            "OR EXISTS (SELECT 1 FROM document_texts t WHERE t.step_id = s.step_id) "
            "OR EXISTS (SELECT 1 FROM runs t WHERE t.step_id = s.step_id))",
            (mark.step,),
        ).get
    )


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


def _with_others(connection: apsw.Connection, top: int) -> Iterator[Key]:
    """Yield the judgments of which there are lines after this one, and others before them."""
    rows: Any = connection.execute(
        "SELECT n.query_id, n.document_id, n.assessor_id FROM events n WHERE n.event_id > ? "
        "AND EXISTS (SELECT 1 FROM events e WHERE e.query_id = n.query_id "
        "AND e.document_id = n.document_id AND e.assessor_id = n.assessor_id "
        "AND e.event_id < n.event_id)",
        (top,),
    )
    yield from rows


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
        uuids = list(map(bytes.fromhex, said))
        known = _known(
            self._connection,
            "SELECT uuid, step_id FROM steps WHERE uuid",
            uuids,
        )
        top = int(self._connection.execute("SELECT coalesce(max(step_id), 0) FROM steps").get)
        number = top
        rows = []
        for uuid, (name, kind, title, who, at, detail) in zip(uuids, said.values(), strict=True):
            if uuid in known:
                self.numbers[name] = known[uuid][0]
                continue
            number += 1
            self.numbers[name] = number
            person = None if who is None else self._people.named(who)
            seal = row_checksum(uuid.hex().upper(), kind, title, person, at, detail)
            rows.append((number, uuid, kind, title, person, at, detail, seal))
            if kind == TURN:
                turned = json.loads(detail)["step"]
                self._turns.setdefault(turned, []).append((at, title))
        self._connection.executemany(
            "INSERT INTO steps(step_id, uuid, kind, title, assessor_id, at, detail, hash, state) "
            "VALUES(?,?,?,?,?,?,?,?,'done')",
            rows,
        )
        self._connection.execute(LINK_NEW, (self._hub, top))
        self.keep(number for (number,) in known.values())

    def keep(self, numbers: Iterable[int]) -> None:
        """Have the hub bring, too, what other copies brought of these: no merge's undoing hides it then."""
        rows: Any = self._connection.execute(
            "SELECT step_id, state FROM steps s WHERE step_id IN (SELECT value FROM json_each(?)) "
            "AND EXISTS (SELECT 1 FROM arrivals a WHERE a.step_id = s.step_id)",
            (json.dumps(sorted(set(numbers))),),
        ).fetchall()
        link = "INSERT OR IGNORE INTO arrivals VALUES(?, ?)"
        self._connection.executemany(link, ((step, self._hub) for step, _ in rows))
        hidden = {step for step, state in rows if state == "abandoned"}
        show = "UPDATE steps SET state = 'done' WHERE step_id = ?"
        self._connection.executemany(show, ((step,) for step in hidden))
        self.shown |= hidden

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
