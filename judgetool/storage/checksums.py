"""Checksums of stored rows: SQLite keeps none, and gives back what the disk gives it.

Judgments need none of their own: the event log, whose lines have theirs, says what they
are. External ids are in two trees each, which SQLite compares. All else that is shown has
a checksum here, written in the same transaction as the row.
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import apsw

_FUNCTION = "row_checksum"


class Sealed(NamedTuple):
    """What a checksum covers.

    Attributes:
        keys: columns that name the row; they are covered only where it stands beside.
        columns: columns that are covered, in this order.
        beside: the table that holds the checksum; ``""`` where the row itself does.
    """

    keys: tuple[str, ...]
    columns: tuple[str, ...]
    beside: str = ""

    @property
    def covered(self) -> tuple[str, ...]:
        """All columns that the checksum is made of."""
        return (*self.keys, *self.columns) if self.beside else self.columns


_TEXTS = ("text", "description", "narrative", "weight", "category", "fields")
SEALED = {
    "assessors": Sealed(("assessor_id",), ("uuid", "name", "kind")),
    "steps": Sealed(("step_id",), ("uuid", "kind", "title", "assessor_id", "at", "detail")),
    "step_events": Sealed(("step_event_id",), ("step_id", "at", "change", "after_event")),
    "value_events": Sealed(
        ("value_event_id",), ("step_id", "at", "origin", "key", "before", "after")
    ),
    "runs": Sealed(("run_id",), ("uuid", "step_id", "name", "source")),
    "clicks": Sealed(
        ("query_id", "document_id", "position", "step_id"),
        ("query_id", "document_id", "position", "step_id", "impressions", "clicks"),
    ),
    "query_texts": Sealed(("query_id", "step_id"), ("position", *_TEXTS), "query_text_hashes"),
    "document_texts": Sealed(
        ("document_id", "step_id"),
        ("title", "url", "body", "fields", "image"),
        "document_text_hashes",
    ),
    "rankings": Sealed(("run_id", "query_id"), ("n", "docs", "scores"), "ranking_hashes"),
}
"""What each table's checksums cover. The state of a step is not: it changes, and is one of few."""


def row_checksum(*values: object) -> int:
    """Return 64 bits, as a signed number, that change when any of the values does.

    A text counts as its UTF-8, so that one that no longer is any can be compared, too. In
    a column of fractions hand over fractions: 1 and 1.0 differ.
    """
    parts: list[bytes] = []
    for value in values:
        # Most are texts; an import asks for this more often than for anything else.
        if type(value) is str:
            try:
                data = value.encode()
            except UnicodeEncodeError:
                data = value.encode("utf-8", "surrogatepass")
            parts += (_TEXT_HEADS[len(data)] if len(data) < _N_HEADS else _head(len(data)), data)
        elif value is None:
            parts.append(b"n")
        elif isinstance(value, float):
            parts.append(b"f" + struct.pack("<d", value))
        elif isinstance(value, int):
            parts.append(b"i%d;" % value)
        else:
            assert isinstance(value, bytes)
            parts += (_head(len(value)), value)
    number: int = _NUMBER.unpack(_blake2b(b"".join(parts), digest_size=8).digest())[0]
    return number


def _head(n_bytes: int) -> bytes:
    return b"b%d:" % n_bytes


_N_HEADS = 1_024
_TEXT_HEADS = [_head(n) for n in range(_N_HEADS)]
_NUMBER = struct.Struct("<q")
_blake2b = hashlib.blake2b


def insert_sealed(connection: apsw.Connection, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Add rows with their checksums; one that is there already is replaced.

    Args:
        connection: in a transaction.
        table: one whose checksums stand beside it.
        rows: values of all columns that the checksum covers, in its order.
    """
    sealed = SEALED[table]
    written = list(rows)
    connection.executemany(
        f"INSERT OR REPLACE INTO {table}({', '.join(sealed.covered)}) "
        f"VALUES({', '.join('?' * len(sealed.covered))})",
        written,
    )
    connection.executemany(
        f"INSERT OR REPLACE INTO {sealed.beside} VALUES(?,?,?)",
        [(row[0], row[1], row_checksum(*row)) for row in written],
    )


def seal_rows(connection: apsw.Connection) -> None:
    """Give every row that has no checksum one: of a file of an older schema, or rebuilt.

    Args:
        connection: in a transaction.
    """
    _add_function(connection)
    for table, sealed in SEALED.items():
        covered = _as_bytes(sealed.covered)
        if not sealed.beside:
            connection.execute(
                f"UPDATE {table} SET hash = {_FUNCTION}({covered}) WHERE hash IS NULL"  # noqa: S608 - constants
            )
            continue
        keys = ", ".join(sealed.keys)
        connection.execute(
            f"INSERT INTO {sealed.beside} SELECT {keys}, {_FUNCTION}({covered}) FROM {table} "  # noqa: S608 - constants
            f"WHERE ({keys}) NOT IN (SELECT {keys} FROM {sealed.beside})"
        )
    seal_meta(connection)


def seal_meta(connection: apsw.Connection) -> None:
    """Write the checksum of what the file says of its origin."""
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES('hash', ?)", (str(_meta_checksum(connection)),)
    )


def _meta_checksum(connection: apsw.Connection) -> int:
    rows = connection.execute(
        "SELECT CAST(key AS BLOB), CAST(value AS BLOB) FROM meta WHERE key <> 'hash' ORDER BY key"
    )
    return row_checksum(*(value for row in rows for value in row))


def is_meta_sound(connection: apsw.Connection) -> bool:
    """Return whether what the file says of its origin matches its checksum."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'hash'").fetchone()
    return found is not None and str(found[0]) == str(_meta_checksum(connection))


def iter_changed_rows(connection: apsw.Connection, table: str) -> Iterator[tuple[int, ...]]:
    """Yield the keys of rows that do not match their checksum, have none, or are gone."""
    _add_function(connection)
    sealed = SEALED[table]
    keys = ", ".join(sealed.keys)
    covered = _as_bytes(sealed.covered)
    if not sealed.beside:
        select = f"SELECT {keys} FROM {table} WHERE hash IS NOT {_FUNCTION}({covered})"  # noqa: S608 - constants
    else:
        select = (
            f"SELECT {keys} FROM {table} LEFT JOIN {sealed.beside} USING({keys}) "  # noqa: S608 - constants
            f"WHERE hash IS NOT {_FUNCTION}({covered}) UNION ALL "
            f"SELECT {keys} FROM {sealed.beside} WHERE ({keys}) NOT IN (SELECT {keys} FROM {table})"
        )
    yield from connection.execute(select)


def _as_bytes(columns: Sequence[str]) -> str:
    """Return SQL for these columns with texts as their bytes: they may be no UTF-8 any more."""
    return ", ".join(
        f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END"
        for name in columns
    )


def _add_function(connection: apsw.Connection) -> None:
    connection.create_scalar_function(_FUNCTION, row_checksum, deterministic=True)
