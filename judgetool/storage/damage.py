"""What is done where a stored byte is not what was written: say so, and show the rest.

Connections for looking read by :class:`LookingCursor`. A text that is no UTF-8 any more is
shown with � where it cannot be read; what SQLite cannot read at all is an error that calls
damage damage.

SQLite keeps no checksums of rows and gives back what the disk gives it. Judgments need none of
their own: the event log, whose lines have theirs, says what they are. External ids are in two
trees each, which SQLite compares. All else that is shown has a checksum here, written in the same
transaction as the row.
"""

import contextlib
import errno
import hashlib
import json
import re
import shlex
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from judgetool.core import override
from judgetool.core.clock import iso_utc, moment_text
from judgetool.core.number_text import number_of
from judgetool.core.system import data_folder
from judgetool.errors import (
    ProjectBusyError,
    ProjectDamagedError,
    ProjectError,
    ReadOnlyError,
    SaveError,
    tell,
    why_refused,
)
from judgetool.wording import N_, _, sentence_start

_CHECKSUM_FUNCTION = "row_checksum"


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
    return sentence_start(_(SEALED[table].what).format(*map(shown_number, keys)))


def shown_number(number: object) -> str:
    """Return an internal number as it is shown; in a damaged row any bytes may stand in its place."""
    return number.decode(errors="replace") if isinstance(number, bytes) else str(number)


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
    columns = SEALED[table].columns
    # Numbering what rows name may write itself, and is not counted.
    sealed = [(*row, row_checksum(*row)) for row in rows]
    before = connection.total_changes()
    connection.executemany(
        f"INSERT INTO {table}({', '.join(columns)}, hash) VALUES({', '.join('?' * len(columns))}, ?)"
        + " ON CONFLICT DO NOTHING" * fills,
        sealed,
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
            f"UPDATE {table} SET hash = {_CHECKSUM_FUNCTION}({covered}) WHERE hash IS NULL"  # noqa: S608 - constants
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
        f"WHERE hash IS NOT {_CHECKSUM_FUNCTION}({_as_stored(columns)})"
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
    connection.create_scalar_function(_CHECKSUM_FUNCTION, _checksum_of_stored, deterministic=True)


_SQLITE_SAYS = {
    "database disk image is malformed": N_("its inner structure does not hold together"),
    "malformed database schema": N_("its inner structure does not hold together"),
    "file is not a database": N_("it does not begin as an SQLite file does"),
    "unable to open database file": N_("the system does not let SQLite open it"),
    "disk I/O error": N_("the disk or the drive does not answer as it should"),
}
"""What SQLite means by its commonest errors: it says them in English alone."""

UNSOUND = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError)
"""What reading a damaged file ends with."""
_FUNCTION = "readable"


def in_words(reason: object) -> str:
    """Return why a file cannot be used, of what SQLite says in words of ours."""
    said = str(reason)
    # Behind a bracket it says where, in the words of its makers.
    known = _SQLITE_SAYS.get(said.partition(" (")[0])
    return said if known is None else _(known)


def damaged(path: Path, reason: object) -> ProjectDamagedError:
    """Return the error that says what is damaged, and which ways lead on."""
    times = max(_list_backup_times(path).values(), default=[])
    way, way_in_window = (
        _("The newest backup of it is of {time}.").format(time=say(times[0]))
        if times
        else _("There is no backup of it on this machine.")
        for say in (iso_utc, moment_text)
    )
    found = _("{name} is damaged ({reason}). What it holds was not changed.").format(
        name=path.name, reason=in_words(reason)
    )
    commands = _(
        "‘judgetool check’ says what is readable, and ‘judgetool recover’ writes a new file of all "
        "that is; in the window both are in the Project menu."
    )
    return ProjectDamagedError(
        f"{found} {commands} {way}",
        path=path,
        reason=in_words(reason),
        in_short=f"{found} {way_in_window}",
    )


def _list_backup_times(path: Path) -> dict[str, list[int]]:
    """Return when the backups of a file were made, by the cards beside them, newest first, by project."""
    origin = str(path.resolve())
    found: dict[str, list[tuple[int, int]]] = {}
    for card in (data_folder() / "backups").glob("*/*.json"):
        with suppress(OSError, ValueError, TypeError):
            told = dict(json.loads(card.read_text(encoding="utf-8")))
            if told.get("origin") == origin and card.with_suffix(".judge").is_file():
                # Clocks go wrong: the order is that in which they were made.
                made = int(told.get("number") or 0), int(told["at"])
                found.setdefault(card.parent.name, []).append(made)
    return {uuid: [at for _number, at in sorted(each)[::-1]] for uuid, each in found.items()}


def lost(path: Path) -> ProjectDamagedError | None:
    """Return the error that says what is known of a project of whose file nothing is left.

    Returns:
        ``None`` where there is no backup of it: no project is known to have stood there.
    """
    by_project = _list_backup_times(path)
    if not by_project:
        return None
    said = [
        _("{path} was a project, and is none any more.").format(path=path)
        if path.exists()
        else _("There is no file {path} any more.").format(path=path)
    ]
    is_one = len(by_project) == 1
    said += [] if is_one else [_("Several projects have stood there, each with its --id.")]
    for uuid, times in sorted(by_project.items(), key=itemgetter(1), reverse=True):
        known = number_of(
            len(times),
            "{n} backup is known, of {time}: ‘judgetool recover {path} {path}{id}’ brings it back, with "
            "what the safety log has.",
            "{n} backups are known, the newest of {time}: ‘judgetool recover {path} {path}{id}’ brings "
            "it back, with what the safety log has.",
            time=iso_utc(times[0]),
            path=shlex.quote(str(path)),
            id="" if is_one else f" --id {uuid}",
        )
        said.append(known)
    if path.exists() and is_one:
        said.append(
            _("So does Recover… in the window’s Project menu. What stands there now is kept.")
        )
    return ProjectDamagedError(" ".join(said), path=path)


def explain(error: BaseException, path: Path) -> ProjectError | None:
    """Return the sentence about the project that an error of SQLite stands for.

    Returns:
        SaveError: the disk is full or the file cannot be written.
        ProjectBusyError: locked by someone else for too long.
        ReadOnlyError: the file cannot be changed.
        ProjectDamagedError: its content is unsound.
        ProjectError: it cannot be opened or read.
        ``None`` for any other error.
    """
    match error:
        case apsw.FullError():
            return SaveError(_("Not saved: the disk is full."), path=path)
        case apsw.IOError():
            return SaveError(_("Not saved: {error}.").format(error=_io_reason(error)), path=path)
        case apsw.BusyError() | apsw.LockedError():
            return ProjectBusyError(
                _(
                    "{path} is locked by another program. Nothing was changed; try again when that "
                    "one is done."
                ).format(path=path.name),
                path=path,
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return ReadOnlyError(
                _("{path} cannot be changed here. It can be read; save a copy to judge.").format(
                    path=path.name
                ),
                path=path,
            )
        case apsw.CantOpenError():
            return ProjectError(
                _("{path} cannot be opened ({error}).").format(path=path, error=in_words(error)),
                path=path,
            )
    return damaged(path, error) if isinstance(error, UNSOUND) else None


@contextlib.contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into sentences about the project: see :func:`explain`."""
    try:
        yield
    except (apsw.Error, UnicodeDecodeError) as error:
        found = explain(error, path)
        if found is None:
            raise
        raise found from error


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what the system says where a file cannot be read into a sentence about the project."""
    try:
        yield
    except OSError as problem:
        raise ProjectError(
            _("{path} cannot be read: {strerror}.").format(
                path=path, strerror=why_refused(problem)
            ),
            path=path,
        ) from problem


def _io_reason(error: apsw.IOError) -> str:
    # Some systems say 'I/O' where they mean 'full': a file-size limit, a quota.
    if getattr(error, "extendedresult", None) == apsw.SQLITE_IOERR_WRITE:
        return _("the disk is full or refuses the write")
    return _("the disk reports {code} ({error})").format(
        code=errno.errorcode.get(errno.EIO, "EIO"), error=in_words(error)
    )


class LookingCursor(apsw.Cursor):
    """Reads what a damaged file still tells, and names as damage what it does not."""

    _asked: tuple[Any, Any] = ("", None)
    _has_begun_again = False

    @override
    def execute(self, statements: str, bindings: Any = None, **how: Any) -> "LookingCursor":  # noqa: ANN401 - as apsw has it  # type: ignore[override]
        """Begin to read."""
        self._asked, self._has_begun_again = (statements, bindings), False
        try:
            super().execute(statements, bindings, **how)
        except apsw.Error as error:
            raise self._explained(error) from error
        return self

    @override
    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        """Yield the rows."""
        step = super().__next__
        n_read = 0
        while True:
            try:
                for row in iter(step, None):
                    n_read += 1
                    yield row
            except UnicodeDecodeError as error:
                self._begin_again(error, n_read)
            except apsw.Error as error:
                raise self._explained(error) from error
            else:
                return

    @override
    def fetchall(self) -> list[Any]:
        """Return all rows that are left: much sooner than one by one."""
        try:
            return list(iter(super().__next__, None))
        except UnicodeDecodeError as error:
            self._begin_again(error, 0)
            return list(self)
        except apsw.Error as error:
            raise self._explained(error) from error

    @override
    def fetchone(self) -> Any:  # noqa: ANN401 - as apsw has it
        """Return the next row, ``None`` after the last."""
        try:
            return super().fetchone()
        except UnicodeDecodeError as error:
            self._begin_again(error, 0)
            return super().fetchone()
        except apsw.Error as error:
            raise self._explained(error) from error

    @property
    @override
    def get(self) -> Any:  # noqa: ANN401 - as apsw has it
        """The value, row or rows that are left, by how many there are."""
        try:
            return super().get
        except UnicodeDecodeError as error:
            self._begin_again(error, 0)
            return super().get
        except apsw.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: apsw.Error) -> ProjectError | apsw.Error:
        return explain(error, Path(self.connection.filename)) or error

    def _begin_again(self, error: UnicodeDecodeError, n_read: int) -> None:
        """Ask the same again, of views in which every text can be read."""
        if self._has_begun_again:
            raise damaged(Path(self.connection.filename), error) from error
        self._has_begun_again = True
        _make_readable(self.connection)
        super().execute(*self._asked)
        for _row in range(n_read):
            super().__next__()


def _make_readable(connection: apsw.Connection) -> None:
    """Put views before the tables of the same names, for this connection alone."""
    if getattr(connection, "is_made_readable", False):
        return
    # A project's connection; what reads by this is none else.
    connection.is_made_readable = True  # type: ignore[attr-defined]
    connection.create_scalar_function(
        _FUNCTION, _readable, 1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
    )
    is_query_only = connection.pragma("query_only")
    connection.pragma("query_only", 0)
    try:
        before = dict(
            connection.execute("SELECT name, sql FROM sqlite_temp_schema WHERE type = 'view'")
        )
        tables = connection.execute(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
        for (name,) in tables:
            # What an older file is looked at through is itself looked at.
            source = (
                re.split(r"\sAS\s", str(before[name]), maxsplit=1)[1]
                if name in before
                else f"SELECT * FROM main.{name}"  # noqa: S608 - names of our schema
            )
            columns = [
                f"CASE typeof({column}) WHEN 'text' THEN {_FUNCTION}(CAST({column} AS BLOB)) "
                f"ELSE {column} END AS {column}"
                for _, column, *_ in connection.execute(f"PRAGMA table_info({name})")
            ]
            connection.execute(f"DROP VIEW IF EXISTS temp.{name}")
            connection.execute(
                f"CREATE TEMP VIEW {name} AS SELECT {', '.join(columns)} FROM ({source})"  # noqa: S608 - names of our schema
            )
    finally:
        connection.pragma("query_only", is_query_only)
    tell(
        _("Texts in {name} are damaged: they are shown with � where they cannot be read.").format(
            name=Path(connection.filename).name
        ),
    )


def _readable(*texts: Any) -> str:  # noqa: ANN401 - whatever SQLite has
    return bytes(texts[0]).decode("utf-8", errors="replace")


def parse_object(text: str, what: str) -> dict[str, Any]:
    """Return the object that a stored text holds; an empty one, noted, where it is damaged."""
    if text == "{}":
        return {}
    with suppress(ValueError):
        found = json.loads(text)
        if isinstance(found, dict):
            return found
    tell(_("{what} is damaged and was left out: ‘judgetool check’ says more.").format(what=what))
    return {}
