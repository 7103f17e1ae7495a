"""How queries, documents, assessors and steps of another copy of a project file are numbered here."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar
from uuid import UUID, uuid5

import apsw

from judgetool.storage.damage import insert_row, row_checksum
from judgetool.storage.ids import find_id_numbers, number_ids
from judgetool.storage.values import AssessorRow, assessor_uuid, load_assessors
from judgetool.storage.visibility import HUB, MERGE, TURN

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
