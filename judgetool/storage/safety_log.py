"""The safety log: each judgment once more, in another file and another folder.

A line is written after COMMIT and before the judgment is acknowledged. So whatever
was acknowledged is in both files, and the log never holds what was never saved; a
judgment committed into a file that somebody deleted under the program is in it, too.
Lines are JSON objects, each with a checksum of its own and the name of the one before it.
"""

import errno
import hashlib
import json
import os
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from judgetool.core.folders import data_folder, make_private_folder
from judgetool.storage.backups import safe_name
from judgetool.storage.disks import sync_folder
from judgetool.storage.lock import try_lock

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


def older_path(path: Path) -> Path:
    """Return where a log is put when it has become long."""
    return path.with_name(f"{path.stem}.old.jsonl")


def log_paths(uuid: str) -> list[Path]:
    """Return all safety logs of a project that are there, older ones first."""
    found = safety_folder().glob(f"{safe_name(uuid)}.*jsonl")
    return sorted(found, key=lambda path: (not path.stem.endswith(".old"), path.name))


def format_line(values: Line) -> bytes:
    """Return one line with its checksum and line end."""
    body = json.dumps(values, separators=(",", ":")).encode()[:-1]
    return b'%s%s%s"}\n' % (body, _SUM, _checksum(body))


def _parse_line(line: bytes) -> Line | None:
    """Return what a line says, ``None`` when it is torn or damaged."""
    body, mark, tail = line.rpartition(_SUM)
    if not mark or tail.rstrip(b"\n") != _checksum(body) + b'"}':
        return None
    try:
        values = json.loads(body + b"}")
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=8).hexdigest().encode()


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

_fdatasync = getattr(os, "fdatasync", os.fsync)


class PaddedLog:
    """One log, open for writing; one process writes at a time.

    A sync of a file that does not grow is twice as fast as one of a file that does, so the
    end is padded with empty lines, which readers pass over.

    Attributes:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        """Open a log, making it if it is not there.

        Raises:
            BlockingIOError: another process writes to it.
            OSError: it cannot be opened.
        """
        self.path = path
        is_new = not path.exists()
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
        self._descriptor = os.open(path, flags, 0o600)
        if not try_lock(self._descriptor):
            os.close(self._descriptor)
            raise BlockingIOError(errno.EAGAIN, "another process writes to it", str(path))
        try:
            self._size = os.fstat(self._descriptor).st_size
            self._end = self._find_end()
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

    @property
    def n_bytes(self) -> int:
        """How long the log is without its padding."""
        return self._end

    def append(self, lines: bytes, *, is_synced: bool) -> None:
        r"""Write whole lines, each with its ``\n``; a failed write leaves nothing that counts.

        Raises:
            OSError: they could not be written.
        """
        # An empty line first: whatever was torn before ends there.
        end = self._end + 1 + len(lines)
        if end > self._size:
            self._write(b"\n" * (end + PADDING - self._size), self._size)
            self._size = end + PADDING
            os.fsync(self._descriptor)
        self._write(b"\n" + lines, self._end)
        self._end = end - 1
        if is_synced:
            _fdatasync(self._descriptor)

    def _write(self, data: bytes, at: int) -> None:
        os.lseek(self._descriptor, at, os.SEEK_SET)
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def close(self) -> None:
        """Take the padding away and let go of the file."""
        try:
            os.ftruncate(self._descriptor, self._end + 1 if self._end else 0)
        finally:
            os.close(self._descriptor)


ROTATED_BYTES = 8 << 20
_MAX_WRITERS = 100
MANY = 2_000
"""Changes in one transaction beyond which only their number is logged: a backup follows."""

_STEP = "hex(s.uuid), s.kind, s.title, s.at, coalesce(sa.name, '')"
_EVENTS = (
    "SELECT e.event_id, hex(e.uuid), e.at, q.external_id, d.external_id, a.name, a.kind, e.origin, "
    "e.before, hex(b.uuid), e.after, hex(f.uuid), e.spent_ms, e.shown, s.state, " + _STEP + " "
    "FROM events e JOIN steps s ON s.step_id = e.step_id JOIN queries q USING(query_id) "
    "JOIN documents d USING(document_id) JOIN assessors a ON a.assessor_id = e.assessor_id "
    "LEFT JOIN assessors sa ON sa.assessor_id = s.assessor_id "
    "LEFT JOIN steps b ON b.step_id = e.before_step LEFT JOIN steps f ON f.step_id = e.after_step "
    "WHERE e.event_id > ? ORDER BY e.event_id LIMIT ?"
)
_VALUES = (
    "SELECT v.value_event_id, v.at, v.origin, v.key, v.before, v.after, " + _STEP + " "
    "FROM value_events v JOIN steps s ON s.step_id = v.step_id "
    "LEFT JOIN assessors sa ON sa.assessor_id = s.assessor_id "
    "WHERE v.value_event_id > ? ORDER BY v.value_event_id"
)
_CHANGES = (
    "SELECT v.step_event_id, v.at, v.change, " + _STEP + " "
    "FROM step_events v JOIN steps s ON s.step_id = v.step_id "
    "LEFT JOIN assessors sa ON sa.assessor_id = s.assessor_id "
    "WHERE v.step_event_id > ? ORDER BY v.step_event_id"
)
_LAST = (
    "SELECT (SELECT count(*) FROM events WHERE event_id > ?1), hex(e.uuid), e.at, "
    "hex(s.uuid), s.kind, s.title, s.at, coalesce(sa.name, '') "
    "FROM events e JOIN steps s ON s.step_id = e.step_id "
    "LEFT JOIN assessors sa ON sa.assessor_id = s.assessor_id "
    "WHERE event_id > ?1 ORDER BY event_id DESC LIMIT 1"
)
_MATERIAL = (
    "SELECT s.step_id, s.at, hex(s.uuid), s.kind, s.title, s.at, coalesce(sa.name, '') FROM steps s "
    "LEFT JOIN assessors sa ON sa.assessor_id = s.assessor_id "
    "WHERE s.step_id > ? AND s.kind = 'material' AND s.state = 'done' ORDER BY s.step_id"
)
QUERY_COLUMNS = ("position", "text", "description", "narrative", "weight", "category", "fields")
DOCUMENT_COLUMNS = ("title", "url", "body", "fields", "image")
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
        self._tops: tuple[int, ...] = (0, 0, 0, 0)
        self._last_event = ""
        self.wants_backup = False

    def begin(self, connection: apsw.Connection) -> None:
        """Note where the project's own log ends."""
        self._tops = _tops(connection)
        row = connection.execute(
            "SELECT hex(uuid) FROM events WHERE event_id = ?", (self._tops[0],)
        ).fetchone()
        self._last_event = str(row[0]) if row else ""

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
        tops = _tops(connection)
        if tops == self._tops:
            return 0
        before, self._tops = self._tops, tops
        lines = b"".join(map(format_line, self._lines(connection, before, tops)))
        try:
            self._write(lines, is_synced=is_synced)
        except OSError:
            with suppress(OSError):
                self.close()
            raise
        return tops[0] - before[0]

    def _write(self, lines: bytes, *, is_synced: bool) -> None:
        if self._log is None:
            self._log = _open_log(self._uuid)
        self._log.append(lines, is_synced=is_synced)
        if self._log.n_bytes > ROTATED_BYTES:
            path = self._log.path
            self.close()
            path.replace(older_path(path))
            self.wants_backup = True

    def _lines(
        self, connection: apsw.Connection, before: tuple[int, ...], tops: tuple[int, ...]
    ) -> Iterator[Line]:
        if tops[3] > before[3] and tops[0] == before[0]:
            # A step that writes texts judges nothing.
            yield from self._material_lines(connection, before[3])
        if tops[0] > before[0]:
            yield from self._event_lines(connection, before[0])
        if tops[1] > before[1]:
            for _, at, origin, key, old, new, *step in connection.execute(_VALUES, (before[1],)):
                yield {
                    **self._head("value", at, step),
                    "origin": origin,
                    "key": key,
                    "before": old,
                    "after": new,
                }
        if tops[2] > before[2]:
            for _, at, change, *step in connection.execute(_CHANGES, (before[2],)):
                self.wants_backup |= change == "published"
                yield {**self._head("step", at, step), "change": change}

    def _material_lines(self, connection: apsw.Connection, above: int) -> Iterator[Line]:
        """Yield the texts that were written by hand; those of imports are in their files."""
        for step_id, at, *step in connection.execute(_MATERIAL, (above,)).fetchall():
            yield {
                **self._head("material", at, step),
                "origin": "command",
                "queries": connection.execute(_QUERY_TEXTS, (step_id,)).fetchall(),
                "documents": connection.execute(_DOCUMENT_TEXTS, (step_id,)).fetchall(),
            }

    def _event_lines(self, connection: apsw.Connection, above: int) -> Iterator[Line]:
        rows: list[Any] = connection.execute(_EVENTS, (above, MANY + 1)).fetchall()
        if len(rows) > MANY or any(row[14] == "pending" for row in rows):
            yield self._many_line(connection, above)
            return
        for row in rows:
            _, uuid, at, query, document, assessor, kind, origin = row[:8]
            old, old_step, new, new_step, spent_ms, shown = row[8:14]
            line = {
                **self._head("event", at, row[15:]),
                "uuid": uuid,
                "query": query,
                "document": document,
                "assessor": assessor,
                "assessor_kind": kind,
                "origin": origin,
                "before": old,
                "before_step": old_step or "",
                "after": new,
                "after_step": new_step or "",
                "spent_ms": spent_ms,
                "shown": shown,
            }
            self._last_event = uuid
            yield line

    def _many_line(self, connection: apsw.Connection, above: int) -> Line:
        """Return one line for many changes, so that what follows is still joined to it."""
        row: Any = connection.execute(
            _LAST,
            (above,),
        ).fetchone()
        n, uuid, at, *step = row
        self.wants_backup = True
        line = {**self._head("many", at, step), "uuid": uuid, "n": n}
        self._last_event = str(uuid)
        return line

    def _head(self, kind: str, at: object, step: Sequence[object]) -> Line:
        uuid, step_kind, title, step_at, assessor = step
        return {
            "kind": kind,
            "at": at,
            "prev": self._last_event,
            "project": self._project,
            "step": uuid,
            "step_kind": step_kind,
            "title": title,
            "step_at": step_at,
            "step_assessor": assessor,
        }

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
    raise OSError(errno.EAGAIN, "too many copies of the project are open")


def _tops(connection: apsw.Connection) -> tuple[int, ...]:
    row: Any = connection.execute(_TOPS).fetchone()
    return tuple(map(int, row))


_NODES = ("event", "many")


@dataclass(frozen=True, slots=True)
class Chain:
    """The lines that a project lacks.

    Attributes:
        lines: in the order in which they happened.
        has_gap: whether lines between them are not there.
    """

    lines: list[Line]
    has_gap: bool


def find_missing(
    lines: Sequence[Line], *, known: Container[str], project: str | None = None
) -> Chain:
    """Return the lines after what a project already holds.

    Copies of a file share its safety log. From the last line that was written for one
    of them, the chain leads back to what they have in common, also across a renaming.

    Args:
        lines: the log, oldest first.
        known: uuids of the events that the project holds, in upper-case hex.
        project: path of the file; ``None``, or one that the log does not know, for
            whichever was written last.
    """
    nodes = [line for line in lines if line["kind"] in _NODES]
    walked, has_gap = _walk_back(nodes, known, project)
    tip = _last_project(lines, project)
    reached = {line["uuid"] for line in walked}
    beside: dict[str, list[Line]] = {}
    for line in lines:
        previous = line["prev"]
        is_own = line["project"] == tip and (not previous or previous in known)
        if line["kind"] not in _NODES and (previous in reached or is_own):
            beside.setdefault(previous if previous in reached else "", []).append(line)
    ordered = beside.get("", [])
    for line in reversed(walked):
        ordered += [line, *beside.get(line["uuid"], ())]
    return Chain(ordered, has_gap)


def _walk_back(
    nodes: Sequence[Line], known: Container[str], project: str | None
) -> tuple[list[Line], bool]:
    place_of = {line["uuid"]: number for number, line in enumerate(nodes)}
    own = [number for number, line in enumerate(nodes) if line["project"] == project]
    at = own[-1] if own else len(nodes) - 1
    walked: dict[int, Line] = {}
    has_gap = False
    while at >= 0 and at not in walked and nodes[at]["uuid"] not in known:
        line = walked[at] = nodes[at]
        previous = line["prev"]
        if not previous or previous in known:
            break
        if previous in place_of:
            at = place_of[previous]
        else:
            has_gap = True
            at = _earlier(nodes, at, line["project"])
    return list(walked.values()), has_gap


def _earlier(nodes: Sequence[Line], at: int, project: str) -> int:
    """Return the last line before a gap that was written for the same file, or -1."""
    earlier = (number for number in range(at - 1, -1, -1) if nodes[number]["project"] == project)
    return next(earlier, -1)


def _last_project(lines: Sequence[Line], project: str | None) -> str | None:
    names = [line["project"] for line in lines]
    if project in names:
        return project
    return names[-1] if names else None
