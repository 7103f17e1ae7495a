"""A lost or destroyed project file: what is known of it, and writing it anew from backup and safety log.

It is known by its path, its uuid, or what is left of it.
"""

import json
import os
import shlex
import shutil
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import apsw

from judgetool.core.clock import iso_utc, utc_ms
from judgetool.core.held_files import (
    APPLICATION_ID,
    HEADER_BYTES,
    SQLITE_MAGIC,
    is_project,
    packing_of,
    read_start,
)
from judgetool.core.number_text import number_of
from judgetool.errors import (
    InputError,
    NotAProjectError,
    ProjectDamagedError,
    ProjectError,
)
from judgetool.storage.backups import (
    Backup,
    BackupKind,
    backup_root,
    complete_file,
    count_rows,
    find_damage,
    give_back,
    list_all_backups,
    list_backups_of,
    shut_folder,
    unfinished_file,
)
from judgetool.storage.check import find_problems
from judgetool.storage.connection import connect_alone, describe_other, read_header
from judgetool.storage.copies import TURN
from judgetool.storage.damage import translated_errors
from judgetool.storage.hub_lines import forget_mark
from judgetool.storage.judgments import clear_pending
from judgetool.storage.migrations import check_schema, create_file, upgrade_copy
from judgetool.storage.rebuilding import (
    NODES,
    Chain,
    Planner,
    Rebuilder,
    Rebuilt,
    find_missing,
    is_arrival,
    left_on_purpose,
    n_held,
    own_lines,
    salvage_file,
    steps_shown,
    waits_for,
)
from judgetool.storage.safety_log import (
    LEFT,
    Line,
    SafetyLines,
    leave_out,
    list_all_logs,
    read_log,
    safety_folder,
)
from judgetool.storage.salvage import check_file, read_tables
from judgetool.storage.set_aside import connect, replace_damaged, settle_beside
from judgetool.storage.values import load_meta
from judgetool.wording import _

# What is known of projects that may be lost


class Trace(NamedTuple):
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

    def list_backups(self) -> list[Backup]:
        """Return the backups of all copies of it, newest first."""
        return list_backups_of(self.uuid)


def _origin_of(path: Path) -> str:
    """Return how backups and log name a file."""
    return os.fspath(path.resolve())


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
    origin = _origin_of(path)
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
    origin = _origin_of(path)
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
    backups = list_backups_of(uuid)
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
    later = [line for line in later if line["kind"] != LEFT]
    shown = steps_shown(lines)
    for line in later:
        if line["kind"] == "event":
            count += bool(line["after"]) - bool(line["before"])
        count += line["n"] if line["kind"] == "many" and _was_visible(line, shown) else 0
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
    known = uuids_of(_origin_of(path))
    if len(known) == 1:
        return known[0]
    head = read_start(path, HEADER_BYTES)
    with suppress(ProjectDamagedError):
        found = "" if known else _salvaged_or_refused(path, head)
        return found or _salvaged_uuid(path) or str(uuid4())
    if known:
        raise _several(path, known)
    if packing_of(head) or not head:
        raise NotAProjectError(describe_other(path, head), path=path)
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


def _salvaged_or_refused(path: Path, head: bytes) -> str:
    """Return the uuid that can be read in a file; refuse one of another program, which has none."""
    found = ""
    with suppress(InputError):
        found = _salvaged_uuid(path)
    if not found and head.startswith(SQLITE_MAGIC):
        read_header(path)
    return found


def _is_text(path: Path) -> bool:
    """Whether a file begins as no project ever did, not even a damaged one."""
    head = read_start(path, 4_096)
    return b"\0" not in head and not head.startswith(SQLITE_MAGIC[:6])


def _salvaged_uuid(path: Path) -> str:
    rows = read_tables(path)[1]["meta"].rows
    return next((str(row[1]) for row in rows.values() if row[0] == "uuid"), "")


def _several(path: Path, uuids: Sequence[str]) -> InputError:
    origin = _origin_of(path)
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
    return sorted({path.name.split(".")[0] for path in _all_logs()})


def _all_logs() -> list[Path]:
    try:
        return list_all_logs()
    except OSError as problem:
        raise shut_folder(safety_folder(), problem) from problem


def _read_log(uuid: str) -> SafetyLines:
    """Return a safety log, without which nothing is recovered."""
    try:
        return read_log(uuid)
    except OSError as problem:
        raise shut_folder(safety_folder(), problem) from problem


def uuids_of(origin: str) -> list[str]:
    """Return the projects of which a backup or the log says that they stood at this path."""
    by_uuid = list_all_backups()
    found = {
        uuid for uuid, backups in by_uuid.items() if origin in {each.origin for each in backups}
    }
    mark = b'"project":' + json.dumps(origin).encode() + b","
    for path in _all_logs():
        with suppress(OSError):
            if mark in path.read_bytes():
                found.add(path.name.split(".")[0])
    return sorted(found)


# Writing one anew


class Base(NamedTuple):
    """What a project is rebuilt from.

    Attributes:
        path: the file; ``None`` for the safety log alone.
        events: lines of the log that it holds.
        at: when it was made, milliseconds UTC; 0 for the project's own file.
        lost: what could not be read, where a damaged file had to do.
        is_damaged: whether it is such a file.
    """

    path: Path | None
    events: int = 0
    at: int = 0
    lost: tuple[str, ...] = ()
    is_damaged: bool = False


class Recovery(NamedTuple):
    """What :func:`recover` did.

    Attributes:
        base: what it began from.
        rebuilt: what the safety log added.
        n_torn: lines of the safety log that could not be read.
        has_gap: whether lines between others are not there.
        unusable: backups that were tried and found unsound.
        lost: sentences on what could not be read of a damaged file, where that was taken.
        others: files of the same project whose backups and log were not looked at.
        n_left: changes of judgments that were left out on purpose.
        merged: sentences on what was merged from other copies.
        moved_from: where the project stood before, and nothing stands any more, of which the log
            was taken as well; ``""`` for none.
        n_differing: how many judgments the two sides of a fork tell otherwise.
        n_lacking: how many changes are known to be missing still.
        kept: what the damaged file is called now whose place was taken; ``None`` for a new name.
    """

    base: Base
    rebuilt: Rebuilt
    n_torn: int = 0
    has_gap: bool = False
    unusable: tuple[Path, ...] = ()
    lost: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    n_left: int = 0
    merged: tuple[str, ...] = ()
    moved_from: str = ""
    n_differing: int = 0
    n_lacking: int = 0
    kept: Path | None = None

    @property
    def is_complete(self) -> bool:
        """Whether nothing is known to be missing."""
        left_out = self.has_gap or self.n_torn or self.lost or self.rebuilt.imports
        left_out = left_out or self.n_lacking
        return self.base.path is not None and not left_out


def recover(trace: Trace, target: Path, *, plan: Planner, takes_copies: bool = False) -> Recovery:
    """Write the project anew: from its file or newest sound backup, and the safety log.

    Nothing that is there is changed. Only the damaged file of the project itself gives way to
    what is written to its very name, and is kept under another one.

    Args:
        trace: which project.
        target: a new file, or the project's own where that is damaged; it gets its name when
            it is complete and found sound.
        plan: plans undoing and redoing of steps that were too large for the log.
        takes_copies: whether backups and log of other copies of the project count: they
            share its uuid, and may hold what was never judged in this one.

    Raises:
        InputError: something else or something sound stands at the target, or there is nothing
            to begin from.
        ProjectBusyError: a program has the damaged file open.
        SaveError: the target cannot be written.
        ProjectDamagedError: what came out is not sound; it is not kept.
    """
    done: list[Recovery] = []
    kept = _put(
        trace,
        target,
        lambda unfinished: done.append(_write(trace, unfinished, plan, takes_copies=takes_copies)),
    )
    return done[0]._replace(lost=(*done[0].lost, *_strangers(trace)), kept=kept)


def restore(trace: Trace, backup: Path, target: Path) -> Path | None:
    """Write a backup, checked, under a new name or in place of the project's damaged file.

    Returns:
        What the damaged file is called now; ``None`` for a new name.

    Raises:
        InputError: something else or something sound stands at the target.
        ProjectBusyError: a program has the damaged file open.
        ProjectDamagedError: the backup is unsound.
        SaveError: the target cannot be written.
    """
    return _put(trace, target, lambda unfinished: give_back(backup, unfinished))


def is_whole(trace: Trace) -> bool:
    """Whether the project's file is there, and is sound as far as a quick look tells."""
    return trace.is_there and bool(trace.origin and _own_file(Path(trace.origin)))


def _put(trace: Trace, target: Path, write: Callable[[Path], None]) -> Path | None:
    """Write a file and give it its name, in place of what is damaged there; say what that is called now."""
    if not os.path.lexists(target):
        with complete_file(target) as unfinished:
            write(unfinished)
        return None
    _refuse_others(trace, target)
    _refuse_sound(target)
    # In the folder of the file itself, where the name is a link to it.
    target = target.resolve()
    with unfinished_file(target) as unfinished:
        write(unfinished)
        return replace_damaged(unfinished, target)


def _refuse_sound(path: Path) -> None:
    """Refuse to replace a project that is sound: only a damaged one gives way.

    Raises:
        InputError: it is sound.
        ProjectError: it is locked, may not be read, or was made by a newer judgetool.
    """
    try:
        read_header(path)
        problems = check_file(path).problems
    except (NotAProjectError, ProjectDamagedError):
        # Whatever stands there, it is not the project that stood there.
        return
    if not problems:
        raise InputError(
            _(
                "{path} exists already, and is sound. Choose another name; nothing was written."
            ).format(path=path)
        )


def _refuse_others(trace: Trace, target: Path) -> None:
    """Refuse a name at which something stands that is not, and never was, this project."""
    origin = _origin_of(target)
    if not target.is_file() or (trace.origin != origin and trace.uuid not in uuids_of(origin)):
        raise InputError(
            _("{target} exists already. Choose another name; nothing was written.").format(
                target=target
            )
        )


def _strangers(trace: Trace) -> tuple[str, ...]:
    """Return a sentence for each project that stood where another one's file was put."""
    known = [] if trace.origin is None or not trace.is_there else uuids_of(trace.origin)
    if trace.uuid in known:
        return ()
    return tuple(
        _(
            "Another project has stood at {origin}, and its backups or safety log are "
            "kept: ‘judgetool recover {path} NEW.judge --id {uuid}’ rebuilds it."
        ).format(origin=trace.origin, path=shlex.quote(trace.origin or ""), uuid=uuid)
        for uuid in known
    )


def find_others(trace: Trace) -> dict[str, list[Backup]]:
    """Return the backups, newest first, of other projects that have stood at the same path."""
    known = [] if trace.origin is None else uuids_of(trace.origin)
    return {
        uuid: [backup for backup in list_backups_of(uuid) if backup.origin == trace.origin]
        for uuid in known
        if uuid != trace.uuid
    }


def _write(trace: Trace, target: Path, plan: Planner, *, takes_copies: bool) -> Recovery:
    logged = _read_log(trace.uuid)
    all_lines, others = logged.lines, _others(trace, logged.lines)
    lines = _own_lines(trace, logged.lines, takes_copies=takes_copies)
    logged = replace(logged, lines=list(lines))
    base, unusable = _take_base(trace, target, takes_copies=takes_copies, own=logged.lines)
    if base.path is None and not logged.lines:
        raise InputError(
            _(
                "There is nothing to rebuild the project {uuid} from: no sound backup, and no "
                "safety log."
            ).format(uuid=trace.uuid)
        )
    with translated_errors(target), closing(connect(target, is_writable=True)) as connection:
        connection.pragma("synchronous", 2)
        connection.execute("BEGIN IMMEDIATE")
        left = _left_out(connection, trace, logged.lines, takes_copies=takes_copies)
        chain = _find_chain(connection, logged.lines, left)
        rebuilt = Rebuilder(connection, plan=plan).run(chain.lines)
        forget_mark(connection)
        clear_pending(connection)
        connection.execute("COMMIT")
        problems = find_problems(connection, target)
        known = {str(line.get("uuid")) for line in lines} | _known_events(connection)
        others = tuple(each for each in others if _has_more(each, all_lines, known))
    if problems:
        raise ProjectDamagedError(
            _("What was rebuilt is not sound and was not kept: {problem}").format(
                problem=problems[0]
            ),
            path=target,
        )
    others = () if takes_copies else others
    n_left = sum(line.get("uuid") in left for line in logged.lines)
    here = {id(line) for line in own_lines(all_lines, {trace.origin or ""})}
    moved_from = {line["project"] for line in lines if id(line) not in here}
    done = Recovery(
        base, rebuilt, logged.n_torn, chain.has_gap, unusable, base.lost, others, n_left
    )
    return done._replace(moved_from=min(moved_from, default="") if trace.origin else "")


def _left_out(
    connection: apsw.Connection, trace: Trace, lines: Sequence[Line], *, takes_copies: bool
) -> set[str]:
    left = set() if takes_copies else left_on_purpose(lines, trace.origin)
    return left - _known_events(connection) if left else left


_LAST = (
    "SELECT (SELECT hex(uuid) FROM events ORDER BY event_id DESC LIMIT 1), "
    "max((SELECT coalesce(max(at), 0) FROM events), (SELECT coalesce(max(at), 0) FROM value_events))"
)


def _find_chain(connection: apsw.Connection, lines: Sequence[Line], left: Container[str]) -> Chain:
    row: Any = connection.execute(_LAST).fetchone()
    return find_missing(
        lines, known=_known_events(connection), left=left, last=(row[0] or "", row[1])
    )


def rebuild_apart(
    trace: Trace,
    target: Path,
    branch: Path,
    *,
    plan: Planner,
    named: Container[str],
    takes_copies: bool = False,
) -> Rebuilt | None:
    """Write what the log has beside the branch that was rebuilt, as a copy of it to be merged.

    So it is where an older file was put in a project's place and was judged on: what was said on
    both branches counts by its time, as after any merge.

    Args:
        trace: which project.
        target: what :func:`recover` wrote.
        branch: a new file.
        plan: see :func:`recover`.
        named: the steps of which it was found already that they are lacking.
        takes_copies: see :func:`recover`.

    Returns:
        What the copy has beside; ``None`` where there is nothing, and no file then.
    """
    lines = _own_lines(trace, _read_log(trace.uuid).lines, takes_copies=takes_copies)
    with translated_errors(target), closing(connect(target, is_writable=False)) as connection:
        left = _left_out(connection, trace, lines, takes_copies=takes_copies)
        chain = _find_chain(connection, lines, left)
        apart = [*chain.lines, *chain.apart]
        n, _titles = _count_chain(connection, apart, steps_shown(lines), [])
        if not n and all(_is_there(connection, line, named) for line in apart):
            return None
    shutil.copyfile(target, branch)
    with translated_errors(branch), closing(connect(branch, is_writable=True)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        rebuilt = Rebuilder(connection, plan=plan, is_apart=True).run(apart)
        connection.execute("COMMIT")
    return rebuilt


def _is_there(connection: apsw.Connection, line: Line, named: Container[str]) -> bool:
    """Whether a project has what a line tells beside judgments, or it is none that tells such."""
    if line["kind"] == "step" and line["change"] == "published":
        return line["step"] in named or _has_step(connection, line["step"])
    if line["kind"] == "value":
        found = connection.execute(
            "SELECT 1 FROM value_events WHERE uuid = unhex(?)", (line.get("uuid") or "",)
        )
        return not line.get("uuid") or found.fetchone() is not None
    return line["kind"] not in ("material", "asks") or _has_step(connection, line["step"])


def iter_copies_of(trace: Trace, target: Path, folder: Path) -> Iterator[Path]:
    """Yield the file of a project itself, if it is sound and not the target, and its backups."""
    if trace.origin and is_whole(trace) and not Path(trace.origin).samefile(target):
        yield Path(trace.origin)
    own = _own_lines(trace, _read_log(trace.uuid).lines)
    for number, backup in enumerate(_own_backups(trace, own)):
        copy = folder / f"{number}-{target.name}"
        with suppress(ProjectError, apsw.Error):
            give_back(backup.path, copy)
            upgrade_copy(copy)
            yield copy


def steps_lacking(target: Path, uuids: Iterable[str]) -> set[str]:
    """Return which steps, by their uuids in hex, a project does not have."""
    with translated_errors(target), closing(connect(target, is_writable=False)) as connection:
        return {uuid for uuid in uuids if not _has_step(connection, uuid)}


def _own_lines(trace: Trace, lines: Sequence[Line], *, takes_copies: bool = False) -> list[Line]:
    """Return the lines of this very file; of the one that was written last where no path is known."""
    places = {trace.origin or ""}
    if trace.origin is not None:
        places |= set(_judged_places(trace.uuid, lines, trace.origin))
    is_known = any(line["project"] in places for line in lines)
    if lines and not is_known and (takes_copies or trace.origin is None):
        places = {lines[-1]["project"]}
    return own_lines(lines, places)


def _own_backups(trace: Trace, own: Sequence[Line]) -> list[Backup]:
    """Return the backups of this very file, newest first, wherever it stood when they were made.

    One that was made at another place has nothing of another copy if it ends with a line of this file.

    Args:
        trace: which project.
        own: the lines of this file.
    """
    nodes = [line for line in own if line["kind"] in NODES and line["project"] != trace.origin]
    ends = {(line["uuid"], n_held(line)) for line in nodes}
    return [
        backup
        for backup in trace.list_backups()
        if trace.origin in (None, backup.origin) or (ends and _end_of(backup) in ends)
    ]


def _end_of(backup: Backup) -> tuple[str, int]:
    """Return the last line of the log that a backup holds, as :func:`n_held` tells it."""
    rows = _look_into(
        backup, "SELECT hex(uuid), event_id FROM events ORDER BY event_id DESC LIMIT 1"
    )
    return rows[0] if rows else ("", 0)


def _look_into(backup: Backup, statement: str, *values: object) -> list[Any]:
    """Return what a backup tells; nothing where it cannot be read."""
    with suppress(ProjectError, OSError, apsw.Error), closing(connect_alone(backup.path)) as found:
        return found.execute(statement, values).fetchall()
    return []


def _has_more(place: str, lines: Sequence[Line], known: Container[str]) -> bool:
    """Whether a copy may hold what another lacks: not one of which each change is in that.

    What was merged there and judged at another place known here is that place's.
    """
    judged = {line["uuid"] for line in lines if line["kind"] == "event"}
    nodes = [line for line in lines if line["project"] == place and line["kind"] in NODES]
    own = [line["uuid"] for line in nodes if line["uuid"] not in judged or not is_arrival(line)]
    return not nodes or any(name not in known for name in own)


def _others(trace: Trace, lines: Sequence[Line]) -> tuple[str, ...]:
    """Return the paths of other copies of a project that backups and log know, where it is one."""
    if trace.origin is None:
        return ()
    backups = trace.list_backups()
    known = {line["project"] for line in lines} | {backup.origin for backup in backups}
    return tuple(sorted(known - {trace.origin, ""}))


def find_copies(trace: Trace) -> list[Trace]:
    """Return what is known of all copies of a project, itself among them, by backups and log."""
    backups = trace.list_backups()
    places = {line["project"] for line in _read_log(trace.uuid).lines}
    places |= {backup.origin for backup in backups} | {trace.origin or ""}
    found = []
    for place in sorted(places - {"", trace.origin}):
        is_there = False
        with suppress(ProjectError, KeyError, apsw.Error):
            is_there = Path(place).is_file() and read_uuid(Path(place)) == trace.uuid
        found.append(Trace(trace.uuid, place, is_there))
    return [trace, *found] if trace.origin is not None else found


class Missing(NamedTuple):
    """What the safety log has that a file lacks.

    Attributes:
        n: how many changes of judgments recovering would bring.
        moved_from: where the file stood when they were made; ``""`` where it stands now.
        left_out: titles of steps that are known to be missing, but that no backup holds, and
            the log only names: to be done again.
    """

    n: int = 0
    moved_from: str = ""
    left_out: tuple[str, ...] = ()


def count_missing(reader: apsw.Connection, uuid: str, path: Path) -> Missing:
    """Return what was logged for this file and is not in it.

    So it stays until it is brought back or left out on purpose, whatever is judged meanwhile.
    A file that was given another name while a program had it open lacks what SQLite's log
    beside its former name holds: see :func:`_former_place`.
    """
    try:
        return _count_missing(reader, uuid, _origin_of(path), read_log(uuid).lines)
    except (OSError, InputError):
        # Log or backups may not be looked at, which is said elsewhere.
        return Missing()


def _count_missing(
    reader: apsw.Connection, uuid: str, origin: str, lines: Sequence[Line]
) -> Missing:
    places = _judged_places(uuid, lines, origin)
    if not places:
        # Asked at every opening: the events of a file that the log does not know are not read.
        return Missing()
    trace = Trace(uuid, origin)
    own = _own_lines(trace, lines)
    lacking = [line for line in _lacking(reader, own, origin) if line["kind"] in (*NODES, "step")]
    if all(line["kind"] == "step" for line in lacking):
        return Missing()
    n, left_out = _count_chain(reader, lacking, steps_shown(own), _own_backups(trace, own))
    here = {id(line) for line in own_lines(lines, {origin})}
    is_from_there = n and any(id(line) not in here for line in lacking)
    return Missing(n, places[0] if is_from_there else "", tuple(left_out))


def leave_missing(reader: apsw.Connection, uuid: str, path: Path) -> None:
    """Note that the file is to be without what :func:`count_missing` counts: it is not named again.

    Raises:
        OSError: the safety log cannot be read or written.
    """
    origin = _origin_of(path)
    own = _own_lines(Trace(uuid, origin), read_log(uuid).lines)
    names = {line["uuid"]: None for line in _lacking(reader, own, origin) if line["kind"] in NODES}
    if names:
        leave_out(uuid, origin, list(names), at=utc_ms())


def _judged_places(uuid: str, lines: Sequence[Line], origin: str) -> list[str]:
    """Return where a file stood, or stands, while it was judged, as the log knows."""
    judged = {line["project"] for line in lines if line["kind"] in NODES}
    return [each for each in (_former_place(uuid, lines, origin), origin) if each in judged]


def _lacking(reader: apsw.Connection, own: Sequence[Line], origin: str) -> list[Line]:
    """Return what was written for a file and is neither in it nor left out on purpose."""
    chain = find_missing(own, known=_known_events(reader), left=left_on_purpose(own, origin))
    return [*chain.lines, *chain.apart]


def _known_events(reader: apsw.Connection) -> set[str]:
    return {str(event) for (event,) in reader.execute("SELECT hex(uuid) FROM events")}


def _former_place(uuid: str, lines: Sequence[Line], origin: str) -> str:
    """Return where a file may have stood while it was judged, and nothing stands any more; ``""`` for none.

    That is where the last line before the first of this file was written. What was closed there in
    order has all that was judged: it was a copy that was deleted.
    """
    written = [line for line in lines if line["kind"] != LEFT]
    first = min((line["at"] for line in written if line["project"] == origin), default=None)
    earlier = [line for line in written if first is None or line["at"] < first]
    newest: Line = max(earlier, key=itemgetter("at"), default={"project": origin})
    place = str(newest["project"])
    return place if place != origin and _may_have_moved(uuid, place, earlier) else ""


def _may_have_moved(uuid: str, place: str, lines: Sequence[Line]) -> bool:
    """Whether nothing stands at a place any more, and what was judged there last was not closed in order.

    A file that is moved while it is open gets no backup at closing; one that was moved later has
    all, and one that was deleted was a copy.
    """
    last = max((line["at"] for line in lines if line["project"] == place), default=0)
    return not os.path.lexists(place) and not any(
        backup.origin == place and backup.kind == BackupKind.CLOSING and backup.at >= last
        for backup in list_backups_of(uuid)
    )


def _count_chain(
    reader: apsw.Connection,
    lines: Sequence[Line],
    shown: Mapping[str, int],
    backups: Sequence[Backup],
) -> tuple[int, dict[str, None]]:
    """Return how many changes recovering would bring, and the titles of steps that it could not.

    Lines of many changes are only counted: what they count comes from a backup made since, or from
    the step that an undo turned. Nothing is counted twice: what a merge brought has lines of its own
    where it was judged. Of what was never visible, or has nothing to act on, nothing is missing.
    """
    titles = {str(line["step"]): str(line["title"]) for line in lines if line["kind"] == "step"}
    n_turned, left_out, made = 0, dict[str, None](), set[str]()
    names = set[str]()
    for line in lines:
        if line["kind"] == "event":
            is_turn = line["origin"] in ("undo", "redo")
            if is_turn and not (line["step"] in made or _has_step(reader, line["step"])):
                continue
            made.add(line["step"])
            names.add(line["uuid"])
        elif line["kind"] == "many" and _was_visible(line, shown):
            step, made_at = waits_for(line) or line["step"], int(line["at"])
            if not is_arrival(line) and _was_turned(reader, line):
                continue
            held = _changes_in(backups, line, since=shown.get(step, made_at))
            if held:
                names |= held
            elif not is_arrival(line) and _has_step(reader, line["step"]):
                n_turned += line["n"]
            elif not _was_done_again(reader, titles.get(step, str(line["title"])), made_at):
                # Of what a merge brought the line tells the last step, not the merge.
                left_out[titles.get(step, str(line["title"]))] = None
    return n_turned + len(names - _known_events(reader)), left_out


def _changes_in(backups: Sequence[Backup], line: Line, *, since: int) -> set[str]:
    """Return the changes that a line only counts, by the first sound backup made since that has them."""
    statement = (
        "SELECT hex(uuid) FROM events WHERE event_id <= "
        "(SELECT event_id FROM events WHERE uuid = unhex(?)) ORDER BY event_id DESC LIMIT ?"
    )
    for backup in backups:
        is_taken = backup.at >= since and backup.is_sound is not False
        found = _look_into(backup, statement, line["uuid"], line["n"]) if is_taken else []
        if found:
            return {uuid for (uuid,) in found}
    return set()


def _was_turned(reader: apsw.Connection, line: Line) -> bool:
    """Whether an undo or redo of very many changes was done again: its lines got other names then."""
    found = reader.execute(
        "SELECT 1 FROM step_events e JOIN steps s USING(step_id) WHERE s.uuid = unhex(?1) "
        "AND e.at >= ?2 AND e.change <> 'published' UNION ALL SELECT 1 FROM steps "
        "WHERE kind = ?3 AND upper(json_extract(detail, '$.step')) = ?1 AND at >= ?2",
        (line["step"], line["at"], TURN),
    )
    return found.fetchone() is not None


def _was_done_again(reader: apsw.Connection, title: str, at: int) -> bool:
    """Whether a step of this title was done after one that no backup holds."""
    found = reader.execute(
        "SELECT 1 FROM steps WHERE title = ? AND at > ? AND state = 'done'", (title, at)
    )
    return found.fetchone() is not None


def _was_visible(line: Line, shown: Container[str]) -> bool:
    return not waits_for(line) or waits_for(line) in shown


def _has_step(reader: apsw.Connection, uuid: str) -> bool:
    found = reader.execute(
        "SELECT 1 FROM steps WHERE uuid = ? AND state NOT IN ('pending', 'abandoned')",
        (bytes.fromhex(uuid),),
    )
    return found.fetchone() is not None


def _take_base(
    trace: Trace, target: Path, *, takes_copies: bool, own: Sequence[Line]
) -> tuple[Base, tuple[Path, ...]]:
    """Copy the candidate that holds most and is sound.

    Else take what can be read of the damaged file; an empty project if there is neither.
    """
    unusable: list[Path] = []
    n_readable = _count_readable(trace)
    for base in _candidates(trace, own, takes_copies=takes_copies):
        assert base.path is not None
        if n_readable > base.events + len(own):
            # The damaged file tells more than backup and log together.
            continue
        try:
            give_back(base.path, target)
            upgrade_copy(target)
            with closing(connect(target, is_writable=True)) as connection:
                with translated_errors(target):
                    check_schema(connection, target)
                if not find_problems(connection, base.path):
                    return base, tuple(unusable)
        except (ProjectError, apsw.Error):
            pass
        target.unlink(missing_ok=True)
        unusable.append(base.path)
    if n_readable >= 0 and trace.origin is not None:
        path = Path(trace.origin)
        lost = tuple(salvage_file(path, target).lost)
        return Base(path, n_readable, lost=lost, is_damaged=True), tuple(unusable)
    create_file(target, uuid=trace.uuid)
    return Base(None), tuple(unusable)


def _count_readable(trace: Trace) -> int:
    """Return how many lines of the log can be read in the file; -1 where nothing can be."""
    if not trace.is_there or trace.origin is None:
        return -1
    try:
        return len(read_tables(Path(trace.origin))[1]["events"].rows)
    except ProjectError:
        return -1


def known_backups(trace: Trace) -> list[Backup]:
    """Return the backups of this very file, newest first; of its copies where there is none of it."""
    backups = trace.list_backups()
    return [backup for backup in backups if backup.origin == trace.origin] or backups


def _candidates(trace: Trace, own: Sequence[Line], *, takes_copies: bool) -> list[Base]:
    backups = _own_backups(trace, own) or (trace.list_backups() if takes_copies else [])
    bases = [Base(backup.path, backup.events or 0, backup.at) for backup in backups]
    if trace.is_there and trace.origin is not None:
        bases += _own_file(Path(trace.origin))
    return sorted(bases, key=lambda base: (base.events, base.at), reverse=True)


def _own_file(path: Path) -> Sequence[Base]:
    if not is_project(path):
        # SQLite takes a file with nothing in it for a sound one.
        return ()
    try:
        with translated_errors(path), closing(connect(path, is_writable=False)) as connection:
            if find_damage(connection):
                return ()
            return (Base(path)._replace(events=count_rows(connection)[1]),)
    except ProjectError:
        return ()
