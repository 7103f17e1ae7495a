"""What keeps a project safe outside its own file: the safety log, and backups when they are due.

The safety log is each judgment once more, in another file and another folder.
A line is written after COMMIT and before the judgment is acknowledged. So whatever
was acknowledged is in both files, and the log never holds what was never saved; a
judgment committed into a file that somebody deleted under the program is in it, too.
Lines are JSON objects, each with a checksum of its own, the name of the one before it, and how
many lines of its own log the project held till then: by both a line leads back into the very
file that it was written in, also where another one was merged from there or put in its place.
"""

import errno
import json
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from operator import itemgetter
from pathlib import Path
from typing import Any

import apsw

from judgetool.core.clock import utc_ms
from judgetool.core.system import (
    UNSHARED,
    UNTRANSLATED,
    data_folder,
    list_folder,
    make_private_folder,
    sync,
    sync_data,
    sync_folder,
)
from judgetool.errors import ProjectError, tell, why_refused
from judgetool.storage.backups import (
    BackupFolder,
    BackupKind,
    CopyStoppedError,
    Pause,
    count_bytes,
    safe_name,
)
from judgetool.storage.connection import connect_raw
from judgetool.storage.damage import translated_errors
from judgetool.storage.disks import try_lock
from judgetool.wording import _

_LOG = logging.getLogger(__name__)
_SUM = b',"sum":"'
_LINE_LIMIT = 64 << 20

Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SafetyLines:
    """What a safety log holds.

    Attributes:
        lines: those whose checksum fits, oldest first.
        n_torn: how many others there are; a power cut may tear the last one.
    """

    lines: list[Line] = field(default_factory=list)
    n_torn: int = 0


def safety_folder() -> Path:
    """Return where the safety logs are kept; it need not exist."""
    return data_folder() / "safety"


def log_path(uuid: str, number: int = 1) -> Path:
    """Return the present safety log of a project.

    Copies of a file share its uuid. Where two of them are written at once, the second
    process takes number 2, and so on.
    """
    more = "" if number == 1 else f".{number}"
    return safety_folder() / f"{safe_name(uuid)}{more}.jsonl"


def list_all_logs() -> list[Path]:
    """Return the safety logs of all projects.

    Raises:
        OSError: their folder may not be looked into.
    """
    return [path for path in list_folder(safety_folder()) if path.name.endswith("jsonl")]


def log_paths(uuid: str) -> list[Path]:
    """Return all safety logs of a project that are there, older ones first.

    Raises:
        OSError: their folder may not be looked into.
    """
    begins = f"{safe_name(uuid)}."
    found = (path for path in list_all_logs() if path.name.startswith(begins))
    return sorted(found, key=lambda path: (not path.stem.endswith(".old"), path.name))


_encode = json.JSONEncoder(separators=(",", ":")).encode


def format_line(values: Line) -> bytes:
    """Return one line with its checksum and line end."""
    body = _encode(values).encode()[:-1]
    return b'%s%s%s"}\n' % (body, _SUM, blake2b(body, digest_size=8).hexdigest().encode())


def _parse_line(line: bytes) -> Line | None:
    """Return what a line says, ``None`` when it is torn or damaged."""
    body, mark, tail = line.rpartition(_SUM)
    found = blake2b(body, digest_size=8).hexdigest()
    if not mark or tail.rstrip(b"\n") != found.encode() + b'"}':
        return None
    try:
        values = json.loads(body + b"}")
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


LEFT = "left"
"""The kind of a line that names lines of before which a file is to be without."""


def leave_out(uuid: str, project: str, names: Sequence[str], *, at: int) -> None:
    """Note that a file is to be without these lines, as after going back to a backup.

    Args:
        uuid: the project's.
        project: the file's path, as its lines name it.
        names: uuids of the lines.
        at: when that was said, milliseconds UTC.

    Raises:
        OSError: the log cannot be written.
    """
    # It hangs on no line: an older judgetool, which does not know such lines, passes it over.
    line = {"kind": LEFT, "prev": "-", "project": project, "at": at, "lines": list(names)}
    with closing(_open_log(uuid)) as log:
        log.append(format_line(line), is_synced=True)


def read_lines(*paths: Path) -> SafetyLines:
    """Read safety logs in this order.

    Raises:
        OSError: one is there and cannot be read.
    """
    found: list[Line] = []
    n_torn = 0
    for path in paths:
        with path.open("rb") as stream:
            while line := stream.readline(_LINE_LIMIT):
                if line == b"\n":  # the padding: a quarter of a million of them
                    continue
                values = _parse_line(line)
                if values is not None:
                    found.append(values)
                elif line.strip():
                    n_torn += 1
    return SafetyLines(found, n_torn)


def read_log(uuid: str) -> SafetyLines:
    """Read all of a project's safety log.

    Raises:
        OSError: it cannot be read.
    """
    return read_lines(*log_paths(uuid))


PADDING = 256 << 10
_TAIL = 64 << 10


class PaddedLog:
    """One log, open for writing; one process writes at a time.

    A sync of a file that does not grow is twice as fast as one of a file that does, so the
    end is padded with empty lines, which readers pass over.

    Attributes:
        path: where it is.
        n_bytes: how long it is without its padding.
    """

    def __init__(self, path: Path) -> None:
        """Open a log, making it if it is not there.

        Raises:
            BlockingIOError: another process writes to it.
            OSError: it cannot be opened.
        """
        self.path = path
        is_new = not path.exists()
        flags = os.O_RDWR | os.O_CREAT | UNTRANSLATED | UNSHARED
        self._descriptor = os.open(path, flags, 0o600)
        if not try_lock(self._descriptor):
            os.close(self._descriptor)
            raise BlockingIOError(errno.EAGAIN, "another process writes to it", str(path))
        try:
            self._size = os.fstat(self._descriptor).st_size
            self.n_bytes = self._find_end()
            if is_new:
                sync_folder(path.parent)
        except BaseException:
            os.close(self._descriptor)
            raise

    def _find_end(self) -> int:
        """Return where the last line that is not empty ends."""
        end = self._size
        while end:
            start = max(0, end - _TAIL)
            os.lseek(self._descriptor, start, os.SEEK_SET)
            text = os.read(self._descriptor, end - start).rstrip(b"\n")
            if text:
                return start + len(text)
            end = start
        return 0

    def append(self, lines: bytes, *, is_synced: bool) -> None:
        r"""Write whole lines, each with its ``\n``; a failed write leaves nothing that counts.

        Raises:
            OSError: they could not be written.
        """
        # An empty line first: whatever was torn before ends there.
        end = self.n_bytes + 1 + len(lines)
        if end > self._size:
            self._write(b"\n" * (end + PADDING - self._size), self._size)
            self._size = end + PADDING
            sync(self._descriptor)
        self._write(b"\n" + lines, self.n_bytes)
        self.n_bytes = end - 1
        if is_synced:
            sync_data(self._descriptor)

    def _write(self, data: bytes, at: int) -> None:
        os.lseek(self._descriptor, at, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def close(self) -> None:
        """Take the padding away and let go of the file."""
        try:
            os.ftruncate(self._descriptor, self.n_bytes + 1 if self.n_bytes else 0)
        finally:
            os.close(self._descriptor)


ROTATED_BYTES = 8 << 20
_MAX_WRITERS = 100
MANY = 2_000
"""Changes in one transaction beyond which only their number is logged: a backup follows."""

# Each line has what its statement gives, by these names; a last column, the state, is not told.
_STEP_NAMES = ("step", "step_kind", "title", "step_at", "step_assessor")
_EVENT_NAMES = (
    *("at", "uuid", "query", "document", "assessor", "assessor_kind", "person", "origin"),
    *("before", "before_step", "after", "after_step", "spent_ms", "shown", "parents"),
    *_STEP_NAMES,
)
_VALUE_NAMES = ("at", "origin", "key", "before", "after", "uuid", "parents", *_STEP_NAMES)
_CHANGE_NAMES = ("at", "change", *_STEP_NAMES)
_MANY_NAMES = ("at", "uuid", "n", "waits_for", *_STEP_NAMES)
_MATERIAL_NAMES = ("queries", "documents", "origin", "at", *_STEP_NAMES)
_ASK_NAMES = ("asks", "origin", "at", *_STEP_NAMES)


# What a merge brings is in the other copy, and in the backup that follows.
_ARRIVED = "EXISTS (SELECT 1 FROM arrivals r WHERE r.step_id = s.step_id)"


def _told(columns: str, table: str, rest: str) -> str:
    """Return a statement for lines of a table, with what is told of their steps."""
    return (
        f"SELECT {columns}, hex(s.uuid), s.kind, s.title, s.at, coalesce(sa.name, ''), "  # noqa: S608 - constants
        f"CASE WHEN {_ARRIVED} THEN 'pending' ELSE s.state END "
        f"FROM {table} v JOIN steps s ON s.step_id = v.step_id "
        f"LEFT JOIN assessors sa ON sa.assessor_id = s.assessor_id {rest}"
    )


_EVENTS = _told(
    "v.at, hex(v.uuid), q.external_id, d.external_id, a.name, a.kind, coalesce(p.name, ''), "
    "v.origin, v.before, hex(b.uuid), v.after, hex(f.uuid), v.spent_ms, v.shown, hex(v.parents)",
    "events",
    "JOIN queries q USING(query_id) JOIN documents d USING(document_id) "
    "JOIN assessors a ON a.assessor_id = v.assessor_id "
    "LEFT JOIN assessors p ON p.assessor_id = a.person_id "
    "LEFT JOIN steps b ON b.step_id = v.before_step LEFT JOIN steps f ON f.step_id = v.after_step "
    f"WHERE v.event_id > ? ORDER BY v.event_id LIMIT {MANY + 1}",
)
# The step with which lines become visible: an import or merge that is killed before never does.
_WAITS_FOR = (
    "coalesce((SELECT hex(m.uuid) FROM arrivals r JOIN steps m ON m.step_id = r.merge_id "
    "WHERE r.step_id = s.step_id ORDER BY r.merge_id DESC LIMIT 1), "
    "iif(s.state = 'pending', hex(s.uuid), ''))"
)
_LAST = _told(
    f"v.at, hex(v.uuid), (SELECT count(*) FROM events WHERE event_id > ?1), {_WAITS_FOR}",  # noqa: S608 - constants
    "events",
    "WHERE v.event_id > ?1 ORDER BY v.event_id DESC LIMIT 1",
)
_VALUES = _told(
    "v.at, v.origin, v.key, v.before, v.after, hex(v.uuid), hex(v.parents)",
    "value_events",
    f"WHERE v.value_event_id > ? AND NOT {_ARRIVED} ORDER BY v.value_event_id",
)
_CHANGES = _told(
    "v.at, v.change", "step_events", "WHERE v.step_event_id > ? ORDER BY v.step_event_id"
)
_STEPS = _told(
    "v.step_id, v.at",
    "steps",
    f"WHERE v.step_id > ? AND v.kind = ? AND v.state = 'done' AND NOT {_ARRIVED} "
    "ORDER BY v.step_id",
)
_ASKS = (
    "SELECT q.external_id, d.external_id, a.name, a.kind, coalesce(p.name, ''), k.is_open "
    "FROM asks k JOIN queries q USING(query_id) JOIN documents d USING(document_id) "
    "JOIN assessors a USING(assessor_id) LEFT JOIN assessors p ON p.assessor_id = a.person_id "
    "WHERE k.step_id = ?"
)
# What was written just now is at the end: a table of a million texts is not searched.
_QUERY_TEXTS = (
    "SELECT external_id, position, text, description, narrative, weight, category, fields "
    "FROM query_texts t JOIN queries USING(query_id) "
    "WHERE t.rowid > (SELECT max(rowid) - 100 FROM query_texts) AND step_id = ?"
)
_DOCUMENT_TEXTS = (
    "SELECT external_id, title, url, body, fields, image FROM document_texts t "
    "JOIN documents USING(document_id) "
    "WHERE t.rowid > (SELECT max(rowid) - 100 FROM document_texts) AND step_id = ?"
)
# Texts that were written by hand (those of imports are in their files), and what was asked of
# assessors: for each kind of step the kind of its line, the names there, and what it tells of.
_BY_HAND = {
    "material": ("material", _MATERIAL_NAMES, (_QUERY_TEXTS, _DOCUMENT_TEXTS)),
    "ask": ("asks", _ASK_NAMES, (_ASKS,)),
}
_TOPS = (
    "SELECT (SELECT coalesce(max(event_id), 0) FROM events), "
    "(SELECT coalesce(max(value_event_id), 0) FROM value_events), "
    "(SELECT coalesce(max(step_event_id), 0) FROM step_events), "
    "(SELECT coalesce(max(step_id), 0) FROM steps)"
)


class SafetyLog:
    """Writes one project's safety log; belongs to the writer's thread.

    Attributes:
        wants_backup: whether something happened that the log alone does not hold: an
            import, very many changes at once, a log begun anew. Its user sets it back.
    """

    def __init__(self, uuid: str, project: Path) -> None:
        self._uuid = uuid
        self._project = os.fspath(project.resolve())
        self._log: PaddedLog | None = None
        self._tops: tuple[Any, ...] = (0, 0, 0, 0)
        self._last_event = ""
        self._held = 0
        self.wants_backup = False

    def begin(self, connection: apsw.Connection) -> None:
        """Note where the project's own log ends."""
        row: Any = connection.execute(_TOPS).fetchone()
        self._tops = row
        last = connection.execute("SELECT hex(uuid) FROM events WHERE event_id = ?", row[:1])
        self._last_event = str(last.get or "")
        self._held = row[0]

    def append(self, connection: apsw.Connection, *, is_synced: bool) -> int:
        """Write what the last transactions added to the project's log.

        Args:
            connection: sees what was committed.
            is_synced: whether to wait for the disk.

        Returns:
            How many lines of the project's log are new.

        Raises:
            OSError: the log cannot be written. What was to be written is not tried
                again; the project has it.
        """
        before = self._tops
        tops: Any = connection.execute(_TOPS).fetchone()
        if tops == before:
            return 0
        self._tops = tops
        lines: list[bytes] = []
        if tops[0] > before[0]:
            lines += self._event_lines(connection, before[0])
        elif tops[3] > before[3]:
            # A step that writes texts judges nothing.
            lines += self._lines_by_hand(connection, before[3])
        if tops[1] > before[1]:
            rows: Any = connection.execute(_VALUES, (before[1],))
            lines += [self._line("value", _VALUE_NAMES, row) for row in rows]
        if tops[2] > before[2]:
            rows = connection.execute(_CHANGES, (before[2],)).fetchall()
            self.wants_backup |= any(row[1] == "published" for row in rows)
            lines += [self._line("step", _CHANGE_NAMES, row) for row in rows]
        try:
            if self._log is None:
                self._log = _open_log(self._uuid)
            self._log.append(b"".join(lines), is_synced=is_synced)
            if self._log.n_bytes > ROTATED_BYTES:
                self._begin_anew(self._log.path)
        except OSError:
            with suppress(OSError):
                self.close()
            raise
        return int(tops[0] - before[0])

    def _begin_anew(self, path: Path) -> None:
        self.close()
        path.replace(path.with_name(f"{path.stem}.old.jsonl"))
        self.wants_backup = True

    def _line(self, kind: str, names: Sequence[str], values: Sequence[Any]) -> bytes:
        before = {"prev": self._last_event, "held": self._held}
        line: Line = {"kind": kind, **before, "project": self._project}
        line.update(zip(names, values, strict=False))
        return format_line(line)

    def _event_lines(self, connection: apsw.Connection, above: int) -> list[bytes]:
        is_one, rows = self._tops[0] == above + 1, list[Any]()
        last: Any = () if is_one else connection.execute(_LAST, (above,)).fetchone()
        if not last or (last[2] <= MANY and last[-1] != "pending"):
            rows = connection.execute(_EVENTS, (above,)).fetchall()
        # An import, or very many, get one line, so that what follows is still joined to it.
        if not rows or "pending" in map(itemgetter(-1), rows):
            self.wants_backup = True
            last = last or connection.execute(_LAST, (above,)).fetchone()
            lines = [self._line("many", _MANY_NAMES, last)]
            self._last_event, self._held = last[1], self._tops[0]
            return lines
        lines = []
        for row in rows:
            lines.append(self._line("event", _EVENT_NAMES, row))
            self._last_event, self._held = row[1], self._held + 1
        return lines

    def _lines_by_hand(self, connection: apsw.Connection, above: int) -> Iterator[bytes]:
        """Yield what steps tell that judge nothing."""
        for kind, (called, names, tells) in _BY_HAND.items():
            rows: Any = connection.execute(_STEPS, (above, kind)).fetchall()
            for step, *row in rows:
                told = [connection.execute(each, (step,)).fetchall() for each in tells]
                yield self._line(called, names, (*told, "command", *row))

    def close(self) -> None:
        """Let go of the file."""
        log, self._log = self._log, None
        if log is not None:
            log.close()


def _open_log(uuid: str) -> PaddedLog:
    """Open the first log to which no other process writes."""
    make_private_folder(safety_folder())
    for number in range(1, _MAX_WRITERS):
        try:
            return PaddedLog(log_path(uuid, number))
        except BlockingIOError:
            continue
    raise OSError(errno.EAGAIN, _("too many copies of the project are open"))


EVERY_MS = 600_000
SOON_MS = 120_000
MANY_CHANGES = 500
LARGE_BYTES = 64 << 20
LARGE_EVERY_MS = 86_400_000
"""How old the last backup of a large project may be at closing: the safety log has the rest."""
_REST_SECONDS = 0.004


class Keeper:
    """Keeps one open project safe; called by its writer.

    Backups are made by a thread of their own with a connection of its own, when the
    writer rests or after many changes, and at closing.
    """

    def __init__(self, path: Path, uuid: str, *, keeps_log: bool) -> None:
        self._path = path
        self._identity = _identity(path)
        self._log = SafetyLog(uuid, path) if keeps_log else None
        self._folder = BackupFolder(uuid, path)
        self._worker: threading.Thread | None = None
        self._pause = Pause(_REST_SECONDS, threading.Event())
        self._n_changes = 0
        self._is_wanted_soon = False
        own = self._folder.list_own()
        self._last_try = self._last_made = own[0].at if own else 0
        self._told: set[str] = set()

    def _tell(self, about: str, sentence: str) -> None:
        _LOG.info(sentence)
        if about not in self._told:
            self._told.add(about)
            tell(sentence)

    # Called by the writer, on its thread

    def begin(self, connection: apsw.Connection) -> None:
        """Take note of a project before its first change."""
        found = self._folder.find_problem()
        if found:
            self._tell("backup", found)
        if self._log is not None:
            self._log.begin(connection)

    def committed(self, connection: apsw.Connection, *, is_bulk: bool) -> None:
        """Log what a transaction has made durable, and see whether a backup is due."""
        self._n_changes += 1
        if self._log is not None:
            try:
                n = self._log.append(connection, is_synced=not is_bulk)
                self._n_changes += max(0, n - 1)
                self._is_wanted_soon |= self._log.wants_backup
                self._log.wants_backup = False
            except OSError as problem:
                said = _(
                    "The safety log cannot be written ({strerror}). Judgments are saved in the "
                    "project all the same."
                )
                self._tell("log", said.format(strerror=why_refused(problem)))
        if self._n_changes >= MANY_CHANGES and not is_bulk and self.wait_seconds() == 0:
            self.start_backup()

    def wait_seconds(self) -> float | None:
        """Return in how many seconds a backup is due; ``None`` when nothing has changed."""
        if not self._n_changes:
            return None
        is_soon = self._is_wanted_soon or self._n_changes >= MANY_CHANGES
        now = utc_ms()
        # A clock set back must not put the next backup off for years.
        self._last_try = min(self._last_try, now)
        return max(0.0, (self._last_try + (SOON_MS if is_soon else EVERY_MS) - now) / 1000)

    def idle(self) -> None:
        """Begin a backup if one is due; the writer has nothing to do."""
        if self.wait_seconds() == 0:
            self.start_backup()

    def start_backup(self) -> None:
        """Begin a backup beside the work, unless one is under way."""
        if self._worker is not None and self._worker.is_alive():
            return
        self._last_try = utc_ms()
        self._worker = threading.Thread(target=self._back_up_beside, name="backup", daemon=True)
        self._worker.start()

    def _back_up_beside(self) -> None:
        n_changes, was_soon = self._n_changes, self._is_wanted_soon
        try:
            with (
                translated_errors(self._path),
                closing(connect_raw(self._path, is_writable=True)) as connection,
            ):
                connection.pragma("query_only", 1)
                if connection.pragma("journal_mode") != "wal":
                    # Elsewhere reading holds up whoever writes: only at closing.
                    return
                self._make(connection, BackupKind.CHANGES, pause=self._pause)
        except CopyStoppedError:
            return
        except (ProjectError, OSError, apsw.Error) as problem:
            self._tell("backup", _no_backup(problem))
            return
        self._n_changes = max(0, self._n_changes - n_changes)
        self._is_wanted_soon &= not was_soon

    def _make(
        self, connection: apsw.Connection, kind: BackupKind, *, pause: Pause | None = None
    ) -> None:
        if self._identity != _identity(self._path):
            _LOG.info("another file stands at %s: no backup of it", self._path)
            raise CopyStoppedError
        self._last_made = self._folder.make(connection, kind, pause=pause).at

    def closing(self, connection: apsw.Connection) -> None:
        """Make the last backup, unless one of a moment ago and the safety log will do."""
        self._pause.is_stopped.set()
        if self._worker is not None:
            self._worker.join()
        self._pause.is_stopped.clear()
        if self._is_wanted_at_closing(connection):
            try:
                self._make(connection, BackupKind.CLOSING)
            except CopyStoppedError:
                pass
            except (ProjectError, OSError, apsw.Error) as problem:
                self._tell("backup", _no_backup(problem))
        if self._log is not None:
            self._log.close()

    def _is_wanted_at_closing(self, connection: apsw.Connection) -> bool:
        if not self._n_changes:
            return False
        if self._is_wanted_soon or self._log is None or self._n_changes >= MANY_CHANGES:
            return True
        n_bytes = count_bytes(connection)
        rest = LARGE_EVERY_MS if n_bytes > LARGE_BYTES else SOON_MS // 2
        return not 0 <= utc_ms() - self._last_made < rest


def _identity(path: Path) -> tuple[int, int]:
    """Return what tells a file from one that took its place; asking does not open it."""
    found = path.stat()
    return found.st_dev, found.st_ino


def _no_backup(problem: BaseException) -> str:
    said = _("No backup of the project could be made ({problem}).")
    return str(problem) if isinstance(problem, ProjectError) else said.format(problem=problem)


def make_keeper(path: Path, uuid: str, *, keeps_log: bool) -> Keeper | None:
    """Return what keeps a project safe; ``None`` for samples, which are there to be played with."""
    if path.resolve().is_relative_to(data_folder().resolve()):
        return None
    return Keeper(path, uuid, keeps_log=keeps_log)
