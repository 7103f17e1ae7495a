"""A lost or destroyed project file, written anew from its backup and its safety log."""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import apsw

from judgetool.core.held_files import APPLICATION_ID, SQLITE_MAGIC, read_start
from judgetool.core.queries import Query
from judgetool.errors import (
    InputError,
    NotAProjectError,
    ProjectDamagedError,
    ProjectError,
    SaveError,
)
from judgetool.storage.backups import (
    backup_root,
    count_rows,
    find_damage,
    give_back,
    list_all_backups,
    list_backups,
    safe_name,
    unfinished_name,
)
from judgetool.storage.check import find_problems
from judgetool.storage.checksums import insert_sealed
from judgetool.storage.connection import SCHEMA_VERSION, connect, read_header
from judgetool.storage.damage import translated_errors
from judgetool.storage.disks import move_aside
from judgetool.storage.ids import count_ids, find_numbers, insert_ids
from judgetool.storage.judgments import LogEntry, insert_events, write_entries
from judgetool.storage.material import insert_query_texts
from judgetool.storage.migrations import create_file, upgrade_file
from judgetool.storage.safety_log import Chain, Line, find_missing, read_log, safety_folder
from judgetool.storage.salvage import read_tables
from judgetool.storage.salvaging import salvage_file
from judgetool.storage.set_aside import settle_beside
from judgetool.storage.steps import insert_step, set_step_state
from judgetool.storage.values import load_meta, number_assessor, write_value

Planner = Callable[[apsw.Connection, int, str], Sequence[LogEntry]]
"""Plans undoing (``undone``) or redoing (``redone``) the step of this number."""


@dataclass(slots=True)
class Rebuilt:
    """What was done again.

    Attributes:
        n_judgments: changes of judgments.
        n_values: changes of the project's own values.
        n_texts: texts of queries and documents that had been written by hand.
        n_lost: changes that lead on from something that is not there.
        imports: titles of imports that came after the copy; their files are to be
            imported again.
    """

    n_judgments: int = 0
    n_values: int = 0
    n_texts: int = 0
    n_lost: int = 0
    imports: dict[str, None] = field(default_factory=dict)


class Rebuilder:
    """Does lines again, inside one transaction of the caller."""

    def __init__(self, connection: apsw.Connection, *, plan: Planner) -> None:
        self._connection = connection
        self._plan = plan
        self._many: set[str] = set()
        self._new_queries: list[tuple[int, Query]] = []
        self.done = Rebuilt()

    def run(self, lines: Sequence[Line]) -> Rebuilt:
        """Do all lines in this order; what is there already is left as it is."""
        doers = {
            "event": self._do_event,
            "value": self._do_value,
            "step": self._do_step,
            "material": self._do_material,
            "many": self._do_many,
        }
        for line in lines:
            doers[line["kind"]](line)
        self._show_new_queries(lines)
        return self.done

    def _find_step(self, uuid: str) -> int | None:
        row: Any = self._connection.execute(
            "SELECT step_id FROM steps WHERE uuid = ?", (bytes.fromhex(uuid),)
        ).fetchone()
        return None if row is None else int(row[0])

    def _step(self, line: Line) -> int | None:
        """Return the step of a line, made anew where it is lost; ``None`` if it cannot be."""
        found = self._find_step(line["step"])
        if found is not None or line["origin"] in ("undo", "redo"):
            return found
        name = line["step_assessor"]
        return insert_step(
            self._connection,
            kind=line["step_kind"],
            title=line["title"],
            assessor_id=number_assessor(self._connection, name, kind="human") if name else None,
            at=line["step_at"],
            step_uuid=bytes.fromhex(line["step"]),
        )

    def _number(self, table: str, external_id: str) -> int:
        found = find_numbers(self._connection, table, [external_id]).get(external_id)
        if found is not None:
            return found
        number = count_ids(self._connection, table) + 1
        insert_ids(self._connection, table, [(number, external_id)])
        if table == "queries":
            self._new_queries.append((number, Query(external_id)))
        return number

    def _do_event(self, line: Line) -> None:
        step = self._step(line)
        if step is None:
            self.done.n_lost += 1
            return
        after_step = None
        if line["after"] is not None:
            after_step = self._find_step(line["after_step"]) or step
        key = (
            self._number("queries", line["query"]),
            self._number("documents", line["document"]),
            number_assessor(self._connection, line["assessor"], kind=line["assessor_kind"]),
        )
        row = (
            bytes.fromhex(line["uuid"]),
            step,
            line["at"],
            *key,
            line["origin"],
            line["before"],
            self._find_step(line["before_step"]) if line["before_step"] else None,
            line["after"],
            after_step,
            line["spent_ms"],
            line["shown"],
        )
        insert_events(self._connection, [row])
        self._set_judgment(key, line, after_step)
        self.done.n_judgments += 1

    def _set_judgment(self, key: tuple[int, int, int], line: Line, step: int | None) -> None:
        if line["after"] is None:
            self._connection.execute(
                "DELETE FROM judgments WHERE query_id = ? AND document_id = ? AND assessor_id = ?",
                key,
            )
            return
        self._connection.execute(
            "INSERT OR REPLACE INTO judgments(query_id, document_id, assessor_id, state, grade, "
            "note, flagged, confidence, spans, step_id, at) SELECT ?1, ?2, ?3, "
            "json_extract(?4, '$.state'), cast(json_extract(?4, '$.grade') AS REAL), "
            "coalesce(json_extract(?4, '$.note'), ''), "
            "coalesce(json_extract(?4, '$.flagged'), 0), json_extract(?4, '$.confidence'), "
            "coalesce(json_extract(?4, '$.spans'), '[]'), ?5, "
            "coalesce(json_extract(?7, '$.made_at'), ?6)",
            (*key, line["after"], step, line["at"], line["shown"]),
        )

    def _do_value(self, line: Line) -> None:
        step = self._step(line)
        if step is None:
            self.done.n_lost += 1
            return
        is_there = self._connection.execute(
            "SELECT 1 FROM value_events WHERE step_id = ? AND at = ? AND origin = ? AND key = ?",
            (step, line["at"], line["origin"], line["key"]),
        ).fetchone()
        if is_there is None:
            value = None if line["after"] is None else json.loads(line["after"])
            write_value(
                self._connection,
                line["key"],
                value,
                step_id=step,
                at=line["at"],
                origin=line["origin"],
            )
            self.done.n_values += 1

    def _do_material(self, line: Line) -> None:
        if self._find_step(line["step"]) is not None:
            return
        step = self._step(line)
        assert step is not None, "written by hand, as its line says"
        for table in ("queries", "documents"):
            rows = [
                (self._number(table, external_id), step, *values)
                for external_id, *values in line[table]
            ]
            # Texts told here need no stand-in.
            known = {number for number, *_ in rows}
            self._new_queries = [new for new in self._new_queries if new[0] not in known]
            texts = "query_texts" if table == "queries" else "document_texts"
            insert_sealed(self._connection, texts, rows, step_id=step)
            self.done.n_texts += len(rows)

    def _do_step(self, line: Line) -> None:
        step, change = self._find_step(line["step"]), line["change"]
        if step is None:
            if change == "published":
                self.done.imports[line["title"]] = None
            return
        is_there = self._connection.execute(
            "SELECT 1 FROM step_events WHERE step_id = ? AND at = ? AND change = ?",
            (step, line["at"], change),
        ).fetchone()
        if is_there is not None or change == "published":
            return
        if line["step"] in self._many:
            entries = self._plan(self._connection, step, change)
            write_entries(self._connection, entries, step_id=step, at=line["at"])
            self.done.n_judgments += len(entries)
        state = "undone" if change == "undone" else "done"
        set_step_state(self._connection, step, state, at=line["at"])

    def _do_many(self, line: Line) -> None:
        if self._find_step(line["step"]) is not None:
            self._many.add(line["step"])

    def _show_new_queries(self, lines: Sequence[Line]) -> None:
        """Let queries that nothing else tells of be seen by their ids."""
        if self._new_queries:
            step = insert_step(
                self._connection,
                kind="new",
                title="Recovered queries",
                assessor_id=None,
                at=lines[-1]["at"],
            )
            insert_query_texts(self._connection, self._new_queries, step_id=step)


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


@dataclass(frozen=True, slots=True)
class Base:
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


@dataclass(frozen=True, slots=True)
class Recovery:
    """What :func:`recover` did.

    Attributes:
        base: what it began from.
        rebuilt: what the safety log added.
        n_torn: lines of the safety log that could not be read.
        has_gap: whether lines between others are not there.
        unusable: backups that were tried and found unsound.
        lost: sentences on what could not be read of a damaged file, where that was taken.
        others: files of the same project whose backups and log were not looked at.
    """

    base: Base
    rebuilt: Rebuilt
    n_torn: int = 0
    has_gap: bool = False
    unusable: tuple[Path, ...] = ()
    lost: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is known to be missing."""
        return self.base.path is not None and not (self.has_gap or self.n_torn or self.lost)


def find_trace(word: str) -> Trace:
    """Return which project is meant by a path or a uuid.

    Raises:
        InputError: nothing is known of it.
    """
    path = Path(word)
    origin = os.fspath(path.resolve())
    if path.is_file():
        with suppress(ProjectError):
            settle_beside(path)
        with suppress(ProjectError, KeyError, apsw.Error):
            return Trace(_read_uuid(path), origin, is_there=True)
        return Trace(_damaged_uuid(path), origin, is_there=True)
    uuids = _uuids_of(origin)
    if len(uuids) > 1:
        raise _several(path, uuids)
    if uuids:
        return Trace(uuids[0], origin)
    if word in {*list_all_backups(), *_logged_uuids()}:
        return Trace(word, None)
    raise InputError(
        f"Nothing is known of {word}: it is no project, and there is neither a backup nor a "
        f"safety log of it. Backups are kept in {backup_root()}."
    )


def _read_uuid(path: Path) -> str:
    # Never by read_header: this process may have the project open.
    with translated_errors(path), closing(connect(path, is_writable=False)) as connection:
        if connection.pragma("application_id") != APPLICATION_ID:
            raise NotAProjectError(f"{path} is not a judgetool project.", path=path)
        return load_meta(connection)["uuid"]


def _damaged_uuid(path: Path) -> str:
    """Return the uuid of a file that cannot be opened, by its backups or what is left of it."""
    known = _uuids_of(os.fspath(path.resolve()))
    if len(known) == 1:
        return known[0]
    with suppress(ProjectDamagedError):
        rows = read_tables(path)[1]["meta"].rows
        return next((str(row[1]) for row in rows.values() if row[0] == "uuid"), str(uuid4()))
    if known:
        raise _several(path, known)
    if _is_text(path):
        raise NotAProjectError(
            f"{path} is not a judgetool project, and none is known to have stood there.", path=path
        )
    raise ProjectDamagedError(
        f"{path.name} is damaged (its first page is destroyed, and with it where anything stands), "
        "so nothing of it can be read. There is no backup of it on this machine, nor a safety log.",
        path=path,
    )


def _is_text(path: Path) -> bool:
    """Whether a file begins as no project ever did, not even a damaged one."""
    head = read_start(path, 4_096)
    return b"\0" not in head and not head.startswith(SQLITE_MAGIC[:6])


def _several(path: Path, uuids: Sequence[str]) -> InputError:
    return InputError(
        f"Several projects have stood at {path}: {', '.join(uuids)}. Name one of these instead of "
        "the path."
    )


def _logged_uuids() -> list[str]:
    paths = safety_folder().glob("*.jsonl")
    return sorted({path.name.split(".")[0] for path in paths})


def _uuids_of(origin: str) -> list[str]:
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


def recover(trace: Trace, target: Path, *, plan: Planner, takes_copies: bool = False) -> Recovery:
    """Write the project anew: from its file or newest sound backup, and the safety log.

    Nothing that is there is changed, least of all the project's own file.

    Args:
        trace: which project.
        target: a new file; it gets its name when it is complete and found sound.
        plan: plans undoing and redoing of steps that were too large for the log.
        takes_copies: whether backups and log of other copies of the project count: they
            share its uuid, and may hold what was never judged in this one.

    Raises:
        InputError: something stands at the target, or there is nothing to begin from.
        SaveError: the target cannot be written.
        ProjectDamagedError: what came out is not sound; it is not kept.
    """
    if target.exists():
        raise InputError(f"{target} exists already. Choose another name; nothing was written.")
    unfinished = unfinished_name(target)
    try:
        done = _write(trace, unfinished, plan, takes_copies=takes_copies)
        move_aside(target)
        unfinished.rename(target)
    except OSError as problem:
        raise SaveError(
            f"{target} could not be written ({problem.strerror or problem}).", path=target
        ) from problem
    finally:
        unfinished.unlink(missing_ok=True)
    return done


def _write(trace: Trace, target: Path, plan: Planner, *, takes_copies: bool) -> Recovery:
    logged = read_log(trace.uuid)
    others = _others(trace, logged.lines)
    if trace.origin in others:
        others = ()
    if others and not takes_copies:
        lines = [line for line in logged.lines if line["project"] == trace.origin]
        logged = replace(logged, lines=lines)
    base, unusable = _take_base(
        trace, target, takes_copies=takes_copies, n_logged=len(logged.lines)
    )
    if base.path is None and not logged.lines:
        raise InputError(
            f"There is nothing to rebuild the project {trace.uuid} from: no sound backup, and "
            "no safety log."
        )
    with translated_errors(target), closing(connect(target, is_writable=True)) as connection:
        connection.pragma("synchronous", 2)
        connection.execute("BEGIN IMMEDIATE")
        known = {str(uuid) for (uuid,) in connection.execute("SELECT hex(uuid) FROM events")}
        chain: Chain = find_missing(logged.lines, known=known, project=trace.origin)
        rebuilt = Rebuilder(connection, plan=plan).run(chain.lines)
        connection.execute("COMMIT")
        problems = find_problems(connection, target)
    if problems:
        raise ProjectDamagedError(
            f"What was rebuilt is not sound and was not kept: {problems[0]}", path=target
        )
    others = () if takes_copies else others
    return Recovery(base, rebuilt, logged.n_torn, chain.has_gap, unusable, base.lost, others)


def _others(trace: Trace, lines: Sequence[Line]) -> tuple[str, ...]:
    """Return the paths of other copies of a project that backups and log know, where it is one."""
    if trace.origin is None:
        return ()
    backups = list_backups(backup_root() / safe_name(trace.uuid))
    known = {line["project"] for line in lines} | {backup.origin for backup in backups}
    return tuple(sorted(known - {trace.origin, ""}))


def count_missing(reader: apsw.Connection, uuid: str, path: Path) -> int:
    """Return how many changes of judgments were logged for this file and are not in it."""
    try:
        lines = read_log(uuid).lines
    except OSError:
        return 0
    origin = os.fspath(path.resolve())
    if not any(line["project"] == origin for line in lines):
        return 0
    known = {str(event) for (event,) in reader.execute("SELECT hex(uuid) FROM events")}
    chain = find_missing(lines, known=known, project=origin)
    return sum(1 if line["kind"] == "event" else line.get("n", 0) for line in chain.lines)


def _take_base(
    trace: Trace, target: Path, *, takes_copies: bool, n_logged: int
) -> tuple[Base, tuple[Path, ...]]:
    """Copy the candidate that holds most and is sound.

    Else take what can be read of the damaged file; an empty project if there is neither.
    """
    unusable: list[Path] = []
    n_readable = _count_readable(trace)
    for base in _candidates(trace, takes_copies=takes_copies):
        assert base.path is not None
        if n_readable > base.events + n_logged:
            # The damaged file tells more than backup and log together.
            continue
        try:
            give_back(base.path, target)
            version = read_header(target).user_version
            if version < SCHEMA_VERSION:
                upgrade_file(target, from_version=version, backs_up=False)
            with closing(connect(target, is_writable=True)) as connection:
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


def _candidates(trace: Trace, *, takes_copies: bool) -> list[Base]:
    backups = list_backups(backup_root() / safe_name(trace.uuid))
    own = [backup for backup in backups if backup.origin == trace.origin]
    if takes_copies or trace.origin is None:
        own = own or backups
    bases = [Base(backup.path, backup.events or 0, backup.at) for backup in own]
    if trace.is_there and trace.origin is not None:
        bases += _own_file(Path(trace.origin))
    return sorted(bases, key=lambda base: (base.events, base.at), reverse=True)


def _own_file(path: Path) -> Sequence[Base]:
    try:
        with translated_errors(path), closing(connect(path, is_writable=False)) as connection:
            if find_damage(connection):
                return ()
            return (replace(Base(path), events=count_rows(connection)[1]),)
    except ProjectError:
        return ()
