"""What is done where a stored byte is not what was written: say so, and show the rest.

Connections for looking read by :class:`LookingCursor`. A text that is no UTF-8 any more is
shown with � where it cannot be read; what SQLite cannot read at all is an error that calls
damage damage.
"""

import contextlib
import errno
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from judgetool.core.clock import iso_utc
from judgetool.core.folders import data_folder
from judgetool.core.notices import tell
from judgetool.core.number_text import number_of
from judgetool.core.override import override
from judgetool.errors import (
    ProjectBusyError,
    ProjectDamagedError,
    ProjectError,
    ReadOnlyError,
    SaveError,
    why_refused,
)
from judgetool.wording import N_, _

_SQLITE_SAYS = {
    "database disk image is malformed": N_("its inner structure does not hold together"),
    "file is not a database": N_("it does not begin as an SQLite file does"),
    "unable to open database file": N_("the system does not let SQLite open it"),
    "disk I/O error": N_("the disk or the drive does not answer as it should"),
}
"""What SQLite means by its commonest errors: it says them in English alone."""

UNSOUND = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError)
"""What reading a damaged file ends with."""
_FUNCTION = "readable"


def _in_words(reason: object) -> str:
    """Return why a file cannot be used, of what SQLite says in words of ours."""
    said = str(reason)
    return _(_SQLITE_SAYS[said]) if said in _SQLITE_SAYS else said


def damaged(path: Path, reason: object) -> ProjectDamagedError:
    """Return the error that says what is damaged, and which ways lead on."""
    times = _list_backup_times(path)
    way = (
        _("The newest backup of it is of {time}.").format(time=iso_utc(max(times)))
        if times
        else _("There is no backup of it on this machine.")
    )
    return ProjectDamagedError(
        _(
            "{name} is damaged ({reason}). Nothing was changed. ‘judgetool check’ says what is "
            "readable, and ‘judgetool recover’ writes a new file of all that is; in the window "
            "both are in the Project menu. {way}"
        ).format(name=path.name, reason=_in_words(reason), way=way),
        path=path,
    )


def _list_backup_times(path: Path) -> list[int]:
    """Return when the backups of a file were made, by the cards beside them; in no order."""
    origin = str(path.resolve())
    found = []
    for card in (data_folder() / "backups").glob("*/*.json"):
        with suppress(OSError, ValueError, TypeError):
            told = dict(json.loads(card.read_text(encoding="utf-8")))
            if told.get("origin") == origin and card.with_suffix(".judge").is_file():
                found.append(int(told["at"]))
    return found


def lost(path: Path) -> ProjectDamagedError | None:
    """Return the error that says what is known of a project of whose file nothing is left.

    Returns:
        ``None`` where there is no backup of it: no project is known to have stood there.
    """
    times = _list_backup_times(path)
    if not times:
        return None
    known = number_of(
        len(times),
        "{n} backup of it is known, of {time}:",
        "{n} backups of it are known, the newest of {time}:",
        time=iso_utc(max(times)),
    )
    way = _("‘judgetool recover {path} {path}’ brings it back, with what the safety log has.")
    said = [
        _("There is no file {path} any more.").format(path=path),
        known,
        way.format(path=shlex.quote(str(path))),
    ]
    if path.exists():
        said[0] = _("{path} was a project, and is none any more.").format(path=path)
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
                _("{path} cannot be opened ({error}).").format(path=path, error=_in_words(error)),
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
    code = getattr(error, "extendedresult", 0)
    if code == apsw.SQLITE_IOERR_WRITE:
        return _("the disk is full or refuses the write")
    return _("the disk reports {code} ({error})").format(
        code=errno.errorcode.get(errno.EIO, "EIO"), error=_in_words(error)
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
