"""How queries, documents and assessors of another copy of a project file are numbered here."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar

import apsw

from judgetool.storage.checksums import insert_row
from judgetool.storage.ids import find_id_numbers, number_ids
from judgetool.storage.values import AssessorRow, assessor_uuid, load_assessors

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
