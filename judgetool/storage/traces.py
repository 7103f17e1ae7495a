"""What is known of projects that may be lost: by their path, their uuid, or what is left of them."""

import json
import os
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import apsw

from judgetool.core.clock import iso_utc
from judgetool.core.held_files import APPLICATION_ID, SQLITE_MAGIC, is_project, read_start
from judgetool.core.number_text import number_of
from judgetool.errors import InputError, NotAProjectError, ProjectDamagedError, ProjectError
from judgetool.storage.backups import Backup, backup_root, list_all_backups, list_backups, safe_name
from judgetool.storage.damage import translated_errors
from judgetool.storage.safety_log import Line, read_log, safety_folder
from judgetool.storage.salvage import read_tables
from judgetool.storage.set_aside import connect, settle_beside
from judgetool.storage.values import load_meta
from judgetool.wording import _


@dataclass(frozen=True, slots=True)
class Trace:
    """What is known of a project that may be lost.

    Attributes:
        uuid: the project's.
        origin: path of its file as the backups and the log name it; ``None`` when only
            the uuid was given.
        is_there: whether that file can still be opened.
    """

    uuid: str
    origin: str | None
    is_there: bool = False


def find_trace(word: str, *, uuid: str = "", takes_copies: bool = False) -> Trace:
    """Return which project is meant by a path or a uuid.

    Args:
        word: the path or the uuid.
        uuid: which of the projects that have stood at the path; ``""`` where there is but one.
        takes_copies: whether all copies of a project are wanted, and none of them need be named.

    Raises:
        InputError: nothing is known of it; or several projects, or copies of one, are.
    """
    path = Path(word)
    origin = os.fspath(path.resolve())
    if path.is_file():
        with suppress(ProjectError):
            settle_beside(path)
    if uuid:
        return _trace_of(path, uuid)
    if path.is_file():
        with suppress(ProjectError, KeyError, apsw.Error):
            return Trace(read_uuid(path), origin, is_there=True)
        return Trace(_damaged_uuid(path), origin, is_there=True)
    uuids = uuids_of(origin)
    if len(uuids) > 1:
        raise _several(path, uuids)
    if uuids:
        return Trace(uuids[0], origin)
    if word in {*list_all_backups(), *_logged_uuids()}:
        places = find_places(word)
        if len(places) > 1 and not takes_copies:
            raise _several_copies(word, places)
        return Trace(word, None)
    raise InputError(
        _(
            "Nothing is known of {word}: it is no project, and there is neither a backup "
            "nor a safety log of it. Backups are kept in {folder}."
        ).format(word=word, folder=backup_root())
    )


def _trace_of(path: Path, uuid: str) -> Trace:
    """Return one of the projects that have stood at a path; another one may stand there now."""
    origin = os.fspath(path.resolve())
    if uuid not in uuids_of(origin):
        raise InputError(
            _("No backup or safety log is known of a project {uuid} at {path}.").format(
                uuid=uuid, path=path
            )
        )
    found = ""
    with suppress(ProjectError, KeyError, apsw.Error):
        found = (read_uuid(path) if is_project(path) else "") or _salvaged_uuid(path)
    return Trace(uuid, origin, is_there=found == uuid)


class KnownCopy(NamedTuple):
    """What backups and safety log have of a project's file at one path.

    Attributes:
        path: where it stood.
        n_judgments: how many judgments it had.
        at: when it last changed, milliseconds UTC.
    """

    path: str
    n_judgments: int
    at: int

    def describe(self, name: str) -> str:
        """Return a name of it, with what is in it."""
        count = number_of(self.n_judgments, "{n} judgment", "{n} judgments")
        return _("{name} ({count}, last changed {time})").format(
            name=name, count=count, time=iso_utc(self.at)
        )


def find_places(uuid: str) -> list[KnownCopy]:
    """Return where files of a project have stood, the one that changed last first."""
    backups = list_backups(backup_root() / safe_name(uuid))
    lines: Sequence[Line] = ()
    with suppress(OSError):
        lines = read_log(uuid).lines
    paths = {backup.origin for backup in backups} | {line["project"] for line in lines}
    places = [_place(path, backups, lines) for path in paths - {""}]
    return sorted(places, key=attrgetter("at", "path"), reverse=True)


def _place(path: str, backups: Sequence[Backup], lines: Sequence[Line]) -> KnownCopy:
    newest = next((backup for backup in backups if backup.origin == path), None)
    count, since = (0, 0) if newest is None else (newest.judgments or 0, newest.at)
    later = [line for line in lines if line["project"] == path and line["at"] > since]
    for line in later:
        if line["kind"] == "event":
            count += bool(line["after"]) - bool(line["before"])
        count += line["n"] if line["kind"] == "many" else 0
    return KnownCopy(path, max(count, 0), max([since, *(line["at"] for line in later)]))


def read_uuid(path: Path) -> str:
    """Return the uuid of the project at a path, which this process may have open.

    Raises:
        NotAProjectError: it is another kind of file.
        ProjectError: it cannot be opened.
        KeyError: it does not say.
    """
    with translated_errors(path), closing(connect(path, is_writable=False)) as connection:
        if connection.pragma("application_id") != APPLICATION_ID:
            raise NotAProjectError(
                _("{path} is not a judgetool project.").format(path=path), path=path
            )
        return load_meta(connection)["uuid"]


def _damaged_uuid(path: Path) -> str:
    """Return the uuid of a file that cannot be opened, by its backups or what is left of it."""
    known = uuids_of(os.fspath(path.resolve()))
    if len(known) == 1:
        return known[0]
    with suppress(ProjectDamagedError):
        return _salvaged_uuid(path) or str(uuid4())
    if known:
        raise _several(path, known)
    if _is_text(path):
        raise NotAProjectError(
            _("{path} is not a judgetool project, and none is known to have stood there.").format(
                path=path
            ),
            path=path,
        )
    raise ProjectDamagedError(
        _(
            "{path} is damaged (its first page is destroyed, and with it where anything "
            "stands), so nothing of it can be read. There is no backup of it on this "
            "machine, nor a safety log."
        ).format(path=path.name),
        path=path,
    )


def _is_text(path: Path) -> bool:
    """Whether a file begins as no project ever did, not even a damaged one."""
    head = read_start(path, 4_096)
    return b"\0" not in head and not head.startswith(SQLITE_MAGIC[:6])


def _salvaged_uuid(path: Path) -> str:
    rows = read_tables(path)[1]["meta"].rows
    return next((str(row[1]) for row in rows.values() if row[0] == "uuid"), "")


def _several(path: Path, uuids: Sequence[str]) -> InputError:
    origin = os.fspath(path.resolve())
    told = [
        place.describe(uuid)
        for uuid in uuids
        for place in find_places(uuid)
        if place.path == origin
    ]
    return InputError(
        _("Several projects have stood at {path}: {uuids}. Add --id and one of these.").format(
            path=path, uuids="; ".join(told)
        )
    )


def _several_copies(uuid: str, places: Sequence[KnownCopy]) -> InputError:
    return InputError(
        _(
            "Several copies of the project {uuid} are known: {places}. Name the path of one of "
            "these instead, and add --id {uuid}."
        ).format(uuid=uuid, places="; ".join(place.describe(place.path) for place in places))
    )


def _logged_uuids() -> list[str]:
    paths = safety_folder().glob("*.jsonl")
    return sorted({path.name.split(".")[0] for path in paths})


def uuids_of(origin: str) -> list[str]:
    """Return the projects of which a backup or the log says that they stood at this path."""
    by_uuid = list_all_backups()
    found = {
        uuid for uuid, backups in by_uuid.items() if origin in {each.origin for each in backups}
    }
    mark = b'"project":' + json.dumps(origin).encode() + b","
    for path in safety_folder().glob("*.jsonl"):
        with suppress(OSError):
            if mark in path.read_bytes():
                found.add(path.name.split(".")[0])
    return sorted(found)
