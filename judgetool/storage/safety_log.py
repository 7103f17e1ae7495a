"""The safety log: each judgment once more, in another file and another folder.

A line is written after COMMIT and before the judgment is acknowledged. So whatever
was acknowledged is in both files, and the log never holds what was never saved; a
judgment committed into a file that somebody deleted under the program is in it, too.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import apsw

from judgetool.core.folders import make_private_folder
from judgetool.storage.padded_log import PaddedLog
from judgetool.storage.safety_lines import Line, format_line, log_path, older_path, safety_folder

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
