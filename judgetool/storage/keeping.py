"""What is kept outside the project's folder while it is written: safety log and backups.

None of it ever refuses or delays a judgment for lack of room or rights: what cannot
be done is said once, in a sentence.
"""

import logging
import threading
from pathlib import Path

import apsw

from judgetool.core.clock import utc_ms
from judgetool.core.folders import data_folder
from judgetool.core.notices import tell
from judgetool.errors import ProjectError
from judgetool.storage.backups import BackupFolder, BackupKind
from judgetool.storage.connection import connect, translated_errors
from judgetool.storage.copies import CopyStoppedError, Pause
from judgetool.storage.safety_log import SafetyLog

_LOG = logging.getLogger(__name__)

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
                self._tell(
                    "log",
                    f"The safety log cannot be written ({problem.strerror or problem}). Judgments "
                    "are saved in the project all the same.",
                )
        if self._n_changes >= MANY_CHANGES and not is_bulk and self.wait_seconds() == 0:
            self.start_backup()

    def wait_seconds(self) -> float | None:
        """Return in how many seconds a backup is due; ``None`` when nothing has changed."""
        if not self._n_changes:
            return None
        is_soon = self._is_wanted_soon or self._n_changes >= MANY_CHANGES
        due = self._last_try + (SOON_MS if is_soon else EVERY_MS)
        # A clock set back must not put the next backup off for years.
        waiting = min(due - utc_ms(), EVERY_MS)
        return max(0.0, waiting / 1000)

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
            with translated_errors(self._path):
                connection = connect(self._path, is_writable=True)
                try:
                    connection.pragma("query_only", 1)
                    if connection.pragma("journal_mode") != "wal":
                        # Elsewhere reading holds up whoever writes: only at closing.
                        return
                    self._make(connection, BackupKind.CHANGES, pause=self._pause)
                finally:
                    connection.close()
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
        n_bytes = int(connection.pragma("page_count")) * int(connection.pragma("page_size"))
        rest = LARGE_EVERY_MS if n_bytes > LARGE_BYTES else SOON_MS // 2
        return not 0 <= utc_ms() - self._last_made < rest


def _identity(path: Path) -> tuple[int, int]:
    """Return what tells a file from one that took its place; asking does not open it."""
    found = path.stat()
    return found.st_dev, found.st_ino


def _no_backup(problem: BaseException) -> str:
    if isinstance(problem, ProjectError):
        return str(problem)
    return f"No backup of the project could be made ({problem})."


def make_keeper(path: Path, uuid: str, *, keeps_log: bool) -> Keeper | None:
    """Return what keeps a project safe; ``None`` for samples, which are there to be played with."""
    if path.resolve().is_relative_to(data_folder().resolve()):
        return None
    return Keeper(path, uuid, keeps_log=keeps_log)
