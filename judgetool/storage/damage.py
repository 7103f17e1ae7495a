"""What is done where a stored byte is not what was written: say so, and show the rest.

Connections for looking read by :class:`LookingCursor`. A text that is no UTF-8 any more is
shown with � where it cannot be read; what SQLite cannot read at all is an error that calls
damage damage.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from judgetool.core.clock import iso_utc
from judgetool.core.notices import tell
from judgetool.core.override import override
from judgetool.errors import ProjectDamagedError, ProjectError

UNSOUND = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError)
"""What reading a damaged file ends with."""
_FUNCTION = "readable"


def damaged(path: Path, reason: object) -> ProjectDamagedError:
    """Return the error that says what is damaged, and which ways lead on."""
    backup = _newest_backup(path)
    way = (
        f"The newest backup of it is of {backup}."
        if backup
        else "There is no backup of it on this machine."
    )
    return ProjectDamagedError(
        f"{path.name} is damaged ({reason}). Nothing was changed. ‘judgetool check’ says what is "
        f"readable, and ‘judgetool recover’ writes a new file of all that is; in the window both "
        f"are in the Project menu. {way}",
        path=path,
    )


def _newest_backup(path: Path) -> str:
    from judgetool.storage.backups import list_all_backups  # noqa: PLC0415 - it reads by this

    origin = str(path.resolve())
    with suppress(OSError):
        times = (
            each.at
            for found in list_all_backups().values()
            for each in found
            if each.origin == origin
        )
        newest = max(times, default=0)
        return iso_utc(newest) if newest else ""
    return ""


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
            raise _explained(error, self.connection) from error
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
                raise _explained(error, self.connection) from error
            else:
                return

    @override
    def fetchone(self) -> Any:  # noqa: ANN401 - as apsw has it
        """Return the next row, ``None`` after the last."""
        try:
            return super().fetchone()
        except UnicodeDecodeError as error:
            self._begin_again(error, 0)
            return super().fetchone()
        except apsw.Error as error:
            raise _explained(error, self.connection) from error

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
            raise _explained(error, self.connection) from error

    def _begin_again(self, error: UnicodeDecodeError, n_read: int) -> None:
        """Ask the same again, of views in which every text can be read."""
        if self._has_begun_again:
            raise damaged(Path(self.connection.filename), error) from error
        self._has_begun_again = True
        _make_readable(self.connection)
        super().execute(*self._asked)
        for _ in range(n_read):
            super().__next__()


def _explained(error: apsw.Error, connection: apsw.Connection) -> ProjectError | apsw.Error:
    from judgetool.storage.connection import translated_errors  # noqa: PLC0415 - it connects by this

    try:
        with translated_errors(Path(connection.filename)):
            raise error
    except (ProjectError, apsw.Error) as told:
        return told


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
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
            "AND name NOT LIKE '%_hashes'"
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
        f"Texts in {Path(connection.filename).name} are damaged: they are shown with � where they "
        "cannot be read.",
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
    tell(f"{what} is damaged and was left out: ‘judgetool check’ says more.")
    return {}
