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

from judgetool.wording import N_, _, sentence_start

_FUNCTION = "row_checksum"


class Sealed(NamedTuple):
    """What the column ``hash`` of a table covers.

    Attributes:
        what: what a row is called in a sentence, by the values of its keys.
        keys: columns that name a row.
        columns: columns that are covered, in this order.
        step: what gives the step that brought a row, where rows are counted by it: of a
            row that is gone nothing else may tell. ``""`` where other tables miss it.
    """

    what: str
    keys: tuple[str, ...]
    columns: tuple[str, ...]
    step: str = ""


_QUERY_TEXT = ("position", "text", "description", "narrative", "weight", "category", "fields")
_RUN_STEP = "(SELECT r.step_id FROM runs r WHERE r.run_id = rankings.run_id)"
_PAIR = ("query_id", "document_id", "position", "step_id")
_ASK = ("query_id", "document_id", "assessor_id", "step_id")
SEALED = {
    "assessors": Sealed(N_("assessor {}"), ("assessor_id",), ("uuid", "name", "kind", "person_id")),
    "steps": Sealed(
        N_("step {} (its title, time or origin)"),
        ("step_id",),
        ("uuid", "kind", "title", "assessor_id", "at", "detail"),
    ),
    "step_events": Sealed(
        N_("line {} of what was undone and redone"),
        ("step_event_id",),
        ("step_id", "at", "change", "after_event"),
    ),
    "value_events": Sealed(
        N_("line {} of the changes of the project’s values"),
        ("value_event_id",),
        ("step_id", "at", "origin", "key", "before", "after", "uuid", "parents"),
    ),
    "runs": Sealed(
        N_("run {} (its name or origin)"), ("run_id",), ("uuid", "step_id", "name", "source")
    ),
    "clicks": Sealed(
        N_("the clicks of query {} on document {}"),
        _PAIR,
        (*_PAIR, "impressions", "clicks"),
        "step_id",
    ),
    "asks": Sealed(
        N_("what was asked about query {} and document {}"), _ASK, (*_ASK, "is_open"), "step_id"
    ),
    "query_texts": Sealed(
        N_("the text of query {}"),
        ("query_id", "step_id"),
        ("query_id", "step_id", *_QUERY_TEXT),
        "step_id",
    ),
    "document_texts": Sealed(
        N_("the text of document {}"),
        ("document_id", "step_id"),
        ("document_id", "step_id", "title", "url", "body", "fields", "image"),
        "step_id",
    ),
    "rankings": Sealed(
        N_("the ranking of run {} for query {}"),
        ("run_id", "query_id"),
        ("run_id", "query_id", "n", "docs", "scores"),
        _RUN_STEP,
    ),
}
"""What each table's checksums cover. The state of a step is not: it changes, and is one of few."""
_BEFORE_4 = {
    "assessors": SEALED["assessors"].columns[:-1],
    "value_events": SEALED["value_events"].columns[:-2],
}
"""What they covered until schema 4 added columns."""


def name_row(table: str, keys: Sequence[object]) -> str:
    """Return what a row is called at the beginning of a sentence, by internal numbers."""
    return sentence_start(_(SEALED[table].what).format(*keys))


def row_checksum(*values: object) -> int:
    """Return 64 bits, as a signed number, that change when any of the values does.

    They are for finding damage, not forgery, and are asked for a million times in an import:
    values are told apart by a NUL between them. In a column of fractions hand over
    fractions: 1 and 1.0 differ.
    """
    if bytes in map(type, values):
        texts = [each.hex().upper() if isinstance(each, bytes) else str(each) for each in values]
    else:
        texts = list(map(str, values))
    data = "\0".join(texts).encode("utf-8", "surrogateescape")
    number: int = _NUMBER.unpack(_blake2b(data, digest_size=8).digest())[0]
    return number


def _checksum_of_stored(*values: object) -> int:
    """Return the same of values as :func:`_as_stored` gives them."""
    texts = (
        each.decode("utf-8", "surrogateescape") if isinstance(each, bytes) else str(each)
        for each in values
    )
    return row_checksum(*texts)


def _as_stored(columns: Sequence[str]) -> str:
    """Return SQL for these columns with texts as their bytes: they may be no UTF-8 any more."""
    return ", ".join(
        f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) "
        f"WHEN 'blob' THEN hex({name}) ELSE {name} END"
        for name in columns
    )


_NUMBER = struct.Struct("<q")
_blake2b = hashlib.blake2b


def insert_row(
    connection: apsw.Connection,
    table: str,
    row: Sequence[Any],
    **uncovered: str | int | float | bytes | None,
) -> int:
    """Add a row with its checksum, and return its number.

    Args:
        connection: in a transaction.
        table: one of ``SEALED``, whose rows are not counted by step.
        row: values of all columns that the checksum covers, in its order.
        uncovered: values of other columns, by name.
    """
    names = (*SEALED[table].columns, "hash", *uncovered)
    connection.execute(
        f"INSERT INTO {table}({', '.join(names)}) VALUES({', '.join('?' * len(names))})",
        (*row, row_checksum(*row), *uncovered.values()),
    )
    return connection.last_insert_rowid()


def insert_sealed(
    connection: apsw.Connection,
    table: str,
    rows: Iterable[Sequence[Any]],
    *,
    step_id: int,
    fills: bool = False,
) -> int:
    """Add rows that a step brings, with their checksums; return how many.

    Args:
        connection: in a transaction.
        table: one whose rows are counted.
        rows: values of all columns that the checksum covers, in its order.
        step_id: the step.
        fills: whether some of them may be there already, which stay; otherwise none is.
    """
    columns, before = SEALED[table].columns, connection.total_changes()
    connection.executemany(
        f"INSERT INTO {table}({', '.join(columns)}, hash) VALUES({', '.join('?' * len(columns))}, ?)"
        + " ON CONFLICT DO NOTHING" * fills,
        [(*row, row_checksum(*row)) for row in rows],
    )
    if n := connection.total_changes() - before:
        connection.execute(
            "INSERT INTO row_counts VALUES(?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n",
            (step_id, table, n),
        )
    return n


def seal_rows(connection: apsw.Connection) -> None:
    """Give every row that has no checksum one: of a file of an older schema, or rebuilt.

    Args:
        connection: in a transaction.
    """
    add_checksum(connection)
    connection.execute("DELETE FROM row_counts")
    for table, sealed in SEALED.items():
        covered = _as_stored(sealed.columns)
        connection.execute(
            f"UPDATE {table} SET hash = {_FUNCTION}({covered}) WHERE hash IS NULL"  # noqa: S608 - constants
        )
        if sealed.step:
            connection.execute(
                f"INSERT INTO row_counts SELECT {sealed.step}, '{table}', count(*) FROM {table} "  # noqa: S608 - constants
                "GROUP BY 1"
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
    """Yield the keys of rows that do not match their checksum, or have none."""
    add_checksum(connection)
    keys, columns = SEALED[table].keys, SEALED[table].columns
    if int(connection.pragma("user_version")) < 4:
        columns = _BEFORE_4.get(table, columns)
    yield from connection.execute(
        f"SELECT {', '.join(keys)} FROM {table} "  # noqa: S608 - constants
        f"WHERE hash IS NOT {_FUNCTION}({_as_stored(columns)})"
    )


def iter_miscounted(connection: apsw.Connection) -> Iterator[tuple[int, str]]:
    """Yield (step, table) where rows that the step brought are gone, or others are there."""
    found = " UNION ALL ".join(
        f"SELECT {sealed.step} AS step_id, '{table}' AS name, count(*) AS n FROM {table} GROUP BY 1"  # noqa: S608 - constants
        for table, sealed in SEALED.items()
        if sealed.step
    )
    yield from connection.execute(
        f"SELECT step_id, name FROM ({found}) f FULL JOIN row_counts c USING(step_id, name) "  # noqa: S608 - constants
        "WHERE f.n IS NOT c.n ORDER BY 1, 2"
    )


def add_checksum(connection: apsw.Connection) -> None:
    """Let SQL on a connection ask for checksums of what is stored."""
    connection.create_scalar_function(_FUNCTION, _checksum_of_stored, deterministic=True)
