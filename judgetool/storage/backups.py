"""Verified copies of a project while others write to it, and its backups in the data folder."""

import contextlib
import hashlib
import json
import os
import secrets
import shlex
import shutil
import threading
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from judgetool.core.clock import iso_utc, utc_ms
from judgetool.core.system import data_folder, list_folder, make_private_folder, sync, sync_folder
from judgetool.errors import InputError, ProjectDamagedError, SaveError, tell, why_refused
from judgetool.storage.check import find_changed, load_schema_number
from judgetool.storage.connection import SCHEMA_VERSION, apply_settings, check_name, connect_alone
from judgetool.storage.damage import translated_errors
from judgetool.storage.disks import move_aside
from judgetool.wording import _, local_number

PAGES_PER_STEP = 256
_SYNC_BYTES = 2 << 20
_STEPS_PER_REST = 50_000
"""Steps of SQLite’s between rests, where checksums are compared: some milliseconds."""
PART_SUFFIX = ".part"


def unfinished_name(target: Path) -> Path:
    """Return a name beside a file that is to be, which nobody can have foreseen.

    Raises:
        NotAProjectError: the file's name is no text.
        SaveError: its folder is not there, or cannot be written.
    """
    check_name(target)
    folder = target.parent
    if not folder.is_dir():
        raise SaveError(
            _("There is no folder {folder}. Make it, or choose another place.").format(
                folder=folder
            ),
            path=target,
        )
    if not os.access(folder, os.W_OK):
        raise SaveError(
            _("The folder {folder} cannot be written. Choose another place.").format(
                folder=folder.absolute()
            ),
            path=target,
        )
    return target.with_name(f".{target.name[:200]}.{secrets.token_hex(8)}{PART_SUFFIX}")


def discard(path: Path) -> None:
    """Delete a file, where it is there and can be.

    A folder that cannot be written says so of files that are not there, too: that is no answer
    to why a file could not be written.
    """
    with contextlib.suppress(OSError):
        path.unlink()


@contextlib.contextmanager
def complete_file(target: Path) -> Iterator[Path]:
    """Give another name for a file that is to be; it gets its own when all is done, or is gone.

    Args:
        target: what stands there is replaced; what lies beside it, moved aside.

    Raises:
        NotAProjectError: the file's name is no text.
        SaveError: it cannot be written.
    """
    with unfinished_file(target) as unfinished:
        # Elsewhere a file that comes to stand there meanwhile is not replaced.
        name = unfinished.replace if target.exists() else unfinished.rename
        yield unfinished
        move_aside(target)
        name(target)
        sync_folder(target.parent)


@contextlib.contextmanager
def unfinished_file(target: Path) -> Iterator[Path]:
    """Give a name beside a file that is to be; what is left under it in the end is taken away.

    Raises:
        NotAProjectError: the file's name is no text.
        SaveError: it cannot be written.
    """
    unfinished = unfinished_name(target)
    try:
        yield unfinished
    except OSError as problem:
        raise SaveError(
            _("{target} could not be written ({strerror}).").format(
                target=target, strerror=why_refused(problem)
            ),
            path=target,
        ) from problem
    finally:
        discard(unfinished)


class Pause(NamedTuple):
    """How a copy lets others pass: a rest after each step, ended when it is to stop."""

    seconds: float
    is_stopped: threading.Event


class CopyStoppedError(Exception):
    """Whoever asked for a copy no longer wants it; nothing of it is left."""


def write_copy(source: apsw.Connection, target: Path, *, pause: Pause | None = None) -> None:
    """Write what the source sees now, check it, and give it its name only then.

    The copy is made in steps of a megabyte. In write-ahead mode nobody waits for it:
    the source keeps the state it began with, whatever is written meanwhile.

    Args:
        source: a connection for looking, of the calling thread, in no transaction.
        target: where; what stands there is replaced. It is readable by its owner only.
        pause: rest after each step, so that a judgment's sync passes; ``None`` for as
            fast as it goes.

    Raises:
        CopyStoppedError: ``pause.is_stopped`` was set.
        SaveError: there is no room, or what was written does not read back.
        ProjectDamagedError: the source is unsound.
    """
    source.execute("BEGIN")
    try:
        expected = count_rows(source)
        with complete_file(target) as partial, translated_errors(target):
            _copy_pages(source, partial, pause)
            verify_copy(partial, expected, target)
    finally:
        if source.in_transaction:
            source.execute("ROLLBACK")


def _rest(pause: Pause | None) -> None:
    if pause is not None and pause.is_stopped.wait(pause.seconds):
        raise CopyStoppedError


def _copy_pages(source: apsw.Connection, partial: Path, pause: Pause | None) -> None:
    descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        flags = apsw.SQLITE_OPEN_READWRITE
        with contextlib.closing(apsw.Connection(os.fspath(partial), flags=flags)) as copy:
            # Its own syncs are not needed: it is synced by hand, in parts, so that
            # the disk has no great heap to write while somebody judges.
            copy.pragma("synchronous", 0)
            page_size = int(source.pragma("page_size"))
            steps_per_sync = max(1, _SYNC_BYTES // (page_size * PAGES_PER_STEP))
            with copy.backup("main", source, "main") as backup:
                number = 0
                while not backup.done:
                    backup.step(PAGES_PER_STEP)
                    number += 1
                    if number % steps_per_sync == 0:
                        sync(descriptor)
                    _rest(pause)
            copy.pragma("journal_mode", "DELETE")
        sync(descriptor)
    finally:
        os.close(descriptor)


def vacuum_into(connection: apsw.Connection, target: Path) -> None:
    """Write a compact copy of what a connection sees, where nothing stands yet."""
    # It attaches the target, which the settings forbid otherwise.
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 1)
    is_query_only = connection.pragma("query_only")
    connection.pragma("query_only", 0)
    try:
        connection.execute("VACUUM INTO ?", (os.fspath(target),))
    finally:
        connection.pragma("query_only", is_query_only)
        connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)


def verify_copy(partial: Path, expected: tuple[int, int], target: Path) -> None:
    """Read a copy back as a stranger would.

    Raises:
        ProjectDamagedError: it is not sound: neither is what it was made of.
        SaveError: it holds other than what was expected.
    """
    flags = apsw.SQLITE_OPEN_READONLY
    with contextlib.closing(apsw.Connection(os.fspath(partial), flags=flags)) as copy:
        apply_settings(copy)
        found = find_damage(copy)
        if found or count_rows(copy) != expected:
            reason = found or _("it does not hold all judgments")
            kind = ProjectDamagedError if found else SaveError
            raise kind(
                _("{target} was written but not kept: {reason}.").format(
                    target=target, reason=reason
                ),
                path=target,
            )


def find_damage(connection: apsw.Connection) -> str:
    """Return what SQLite's quick look at the whole file finds, ``""`` when it is sound."""
    found = [str(text) for (text,) in connection.execute("PRAGMA quick_check(1)")]
    return "" if found == ["ok"] else found[0]


def count_rows(connection: apsw.Connection) -> tuple[int, int]:
    """Return how many judgments and how many log lines a project holds."""
    judgments = connection.execute("SELECT count(*) FROM judgments").get
    events = connection.execute("SELECT count(*) FROM events").get
    return int(judgments), int(events)


def count_bytes(connection: apsw.Connection) -> int:
    """Return how large a project's file is, with what its log has of it."""
    return int(connection.pragma("page_count")) * int(connection.pragma("page_size"))


_SUFFIX = ".judge"
KEPT_LAST = 5
KEPT_DAYS = 14
KEPT_UPGRADES = 2
KEPT_UNSOUND = 2
BUDGET_BYTES = 1 << 30
SPARE_BYTES = 200 << 20
"""Left free on the disk of the backups: the project itself may need it."""


class BackupKind(StrEnum):
    """Why a backup was made."""

    CHANGES = "changes"
    CLOSING = "closing"
    UPGRADE = "before-upgrade"


class Backup(NamedTuple):
    """One backup that stands in the user's data folder.

    Attributes:
        path: the file, itself a project.
        origin: the project file that it was made of.
        at: when, milliseconds UTC.
        kind: why.
        n_bytes: its size.
        judgments: how many judgments it holds; ``None`` when that is not known.
        events: how many lines of the log, likewise.
        number: its place among those of its folder, in the order in which they were made: clocks
            go wrong; 0 for those of before 0.3.
        is_sound: whether all that has a checksum matched it when it was made; ``None`` where
            nobody has looked.
    """

    path: Path
    origin: str
    at: int
    kind: str
    n_bytes: int
    judgments: int | None = None
    events: int | None = None
    number: int = 0
    is_sound: bool | None = None


class BackupFolder:
    """The backups of one project file.

    Copies of a file share its uuid and thus the folder; each is told from the others
    by its path.
    """

    def __init__(self, uuid: str, project: Path) -> None:
        self._origin = os.fspath(project.resolve())
        self._path = backup_root() / safe_name(uuid)
        self._has_told = False

    def make(
        self,
        connection: apsw.Connection,
        kind: BackupKind,
        *,
        pause: Pause | None = None,
    ) -> Backup:
        """Make a backup of what the connection sees, then drop those no longer kept.

        One in which a row or a line of the log is not what was written is kept beside the sound
        ones, never in place of one, and a sentence tells of it: so the project is itself.

        Raises:
            CopyStoppedError: ``pause.is_stopped`` was set.
            SaveError: there is no room, or the folder cannot be written.
            ProjectDamagedError: the project is unsound.
        """
        n_bytes = count_bytes(connection)
        try:
            make_private_folder(self._path)
            self._refuse_without_room(n_bytes)
            judgments, events = count_rows(connection)
            at = self._free_moment()
            target = self._path / f"{_stamp(at)}-{kind}{_SUFFIX}"
            number = 1 + max((each.number for each in list_backups(self._path)), default=0)
            write_copy(connection, target, pause=pause)
            changed = self._find_changed(target, pause)
            backup = Backup(
                *(target, self._origin, at, kind, n_bytes, judgments, events, number),
                is_sound=None if changed is None else not changed,
            )
            _write_card(backup)
        except OSError as problem:
            reason = why_refused(problem)
            raise SaveError(
                _("No backup was made in {path} ({reason}).").format(
                    path=self._path, reason=reason
                ),
                path=Path(self._origin),
            ) from problem
        self._thin_out()
        if changed and not self._has_told:
            self._has_told = True
            tell(self._say_changed(changed))
        return backup

    def _find_changed(self, target: Path, pause: Pause | None) -> str | None:
        """Return what in a copy is not what was written; ``None`` for one of an older schema."""
        copy = connect_alone(target)
        try:
            if load_schema_number(copy) != SCHEMA_VERSION:
                return None
            if pause is not None:
                # As while it is copied: whoever judges goes first.
                copy.set_progress_handler(
                    lambda: pause.is_stopped.wait(pause.seconds), _STEPS_PER_REST
                )
            return find_changed(copy, Path(self._origin))
        except apsw.InterruptError:
            discard(target)
            raise CopyStoppedError from None
        finally:
            copy.close()

    def _say_changed(self, changed: str) -> str:
        path = Path(self._origin)
        said = _(
            "{name} is damaged: {problem} Judgments are saved in it all the same. Its backups "
            "from before are kept; ‘judgetool check {path}’ says more, and ‘judgetool recover’ "
            "writes a sound file. In the window both are in the Project menu."
        )
        return said.format(name=path.name, problem=changed, path=shlex.quote(self._origin))

    def _refuse_without_room(self, n_bytes: int) -> None:
        free = shutil.disk_usage(self._path).free
        if free < n_bytes + SPARE_BYTES:
            raise SaveError(
                _(
                    "No backup was made: the disk of {path} has {free} MB left, and {n_bytes} MB "
                    "are wanted."
                ).format(
                    path=self._path,
                    free=local_number(f"{free >> 20:,}"),
                    n_bytes=local_number(f"{(n_bytes + SPARE_BYTES) >> 20:,}"),
                ),
                path=Path(self._origin),
            )

    def _free_moment(self) -> int:
        # Two in the same millisecond, or a clock set back, must not share a name.
        at = utc_ms()
        while any(self._path.glob(f"{_stamp(at)}-*")):
            at += 1
        return at

    def find_problem(self) -> str:
        """Return a sentence where no backup can be written, before one is due; else ``""``."""
        try:
            make_private_folder(self._path)
        except OSError as problem:
            reason = why_refused(problem)
        else:
            reason = "" if os.access(self._path, os.W_OK) else _("its folder cannot be written")
        if not reason:
            return ""
        return _(
            "Backups cannot be made in {path} ({reason}). Judgments are saved in the "
            "project all the same."
        ).format(path=self._path, reason=reason)

    def list_own(self) -> list[Backup]:
        """Return the backups of this very file, newest first; none where they may not be looked at."""
        try:
            found = list_backups(self._path)
        except OSError:
            # A sentence says that none can be made; judging goes on.
            return []
        return [backup for backup in found if backup.origin == self._origin]

    def _thin_out(self) -> None:
        for leftover in self._path.glob(f".*{PART_SUFFIX}*"):
            discard(leftover)
        backups = self.list_own()
        kept = choose_kept(backups)
        for backup in backups:
            if backup not in kept:
                discard(backup.path)
                discard(_card_path(backup.path))


def choose_kept(backups: list[Backup]) -> list[Backup]:
    """Return which backups stay: the last ones, one for each day, those before upgrades.

    Those that were found unsound when they were made come on top, the newest two.

    Args:
        backups: of one file, newest first, in the order in which they were made.

    Returns:
        Newest first; never more bytes than the budget, but always the newest sound one and
        the one that holds most of the log: a project may have been put back since.
    """
    sound = [backup for backup in backups if backup.is_sound is not False]
    routine = [backup for backup in sound if backup.kind != BackupKind.UPGRADE]
    upgrades = [backup for backup in sound if backup.kind == BackupKind.UPGRADE]
    chosen = routine[:KEPT_LAST] + upgrades[:KEPT_UPGRADES]
    days: dict[int, Backup] = {}
    for backup in routine:
        days.setdefault(backup.at // 86_400_000, backup)
    chosen += list(days.values())[:KEPT_DAYS]
    unsound = [backup for backup in backups if backup.is_sound is False]
    always = sound[:1] or unsound[:1]
    if sound:
        always.append(max(sound, key=lambda backup: backup.events or 0))
    kept, total = set(always), sum(backup.n_bytes for backup in set(always))
    wanted = [backup for backup in sound if backup in chosen] + unsound[:KEPT_UNSOUND]
    for backup in wanted:
        if backup not in kept and total + backup.n_bytes <= BUDGET_BYTES:
            kept.add(backup)
            total += backup.n_bytes
    return [backup for backup in backups if backup in kept]


def backup_root() -> Path:
    """Return the folder in which each project has one for its backups; it need not exist."""
    return data_folder() / "backups"


def safe_name(uuid: str) -> str:
    """Return a name for a project's files; a received file may call itself ``../..``."""
    is_plain = 0 < len(uuid) <= 64 and all(c.isascii() and (c.isalnum() or c == "-") for c in uuid)
    return uuid if is_plain else hashlib.sha256(uuid.encode()).hexdigest()[:32]


def list_backups(folder: Path) -> list[Backup]:
    """Return the backups in one project's folder, newest first; empty without a folder.

    Newest is what was made last. Of those that have no number the one with more of the log is
    newer, whatever the clock was.

    Raises:
        OSError: the folder may not be looked into.
    """
    found = [_read_card(path) for path in list_folder(folder) if _is_backup(path)]
    return sorted(found, key=_age, reverse=True)


def _is_backup(path: Path) -> bool:
    return path.suffix == _SUFFIX and not path.name.startswith(".")


def _age(backup: Backup) -> tuple[int, int, int, str]:
    held = 0 if backup.number else backup.events or 0
    return backup.number, held, backup.at, backup.path.name


def list_backups_of(uuid: str) -> list[Backup]:
    """Return the backups of all copies of a project, newest first.

    Raises:
        InputError: their folder may not be looked into.
    """
    try:
        return list_backups(backup_root() / safe_name(uuid))
    except OSError as problem:
        raise shut_folder(backup_root(), problem) from problem


def shut_folder(folder: Path, problem: OSError) -> InputError:
    """Return what is said where backups or safety logs may not be looked at."""
    return InputError(
        _(
            "{folder}, where backups and safety logs are kept, cannot be read ({strerror}). It may have "
            "been made by another account, as by ‘sudo judgetool’."
        ).format(folder=folder, strerror=why_refused(problem))
    )


def list_all_backups() -> dict[str, list[Backup]]:
    """Return the backups of all projects, newest first, by the folder's name: the uuid.

    Raises:
        InputError: they may not be looked at.
    """
    try:
        return {folder.name: list_backups(folder) for folder in list_folder(backup_root())}
    except OSError as problem:
        raise shut_folder(backup_root(), problem) from problem


def _connect_finished(path: Path) -> apsw.Connection:
    """Open a backup, which is one file whatever lies beside it; or a project, with its log."""
    if path.is_relative_to(backup_root()):
        return connect_alone(path)
    return apsw.Connection(os.fspath(path), flags=apsw.SQLITE_OPEN_READONLY)


def give_back(backup: Path, target: Path) -> None:
    """Write a backup, checked, to where nothing stands.

    Raises:
        ProjectDamagedError: the backup is unsound.
        SaveError: the target cannot be written.
    """
    with translated_errors(backup), contextlib.closing(_connect_finished(backup)) as source:
        apply_settings(source)
        found = find_damage(source)
        if found:
            raise ProjectDamagedError(
                _(
                    "{backup} is damaged ({found}), so nothing was written. Try an older one."
                ).format(backup=backup, found=found),
                path=backup,
            )
        write_copy(source, target)


def _stamp(at: int) -> str:
    return iso_utc(at).replace("-", "").replace(":", "")


def _card_path(backup: Path) -> Path:
    return backup.with_suffix(".json")


def _write_card(backup: Backup) -> None:
    values = {**backup._asdict(), "path": backup.path.name}
    path = _card_path(backup.path)
    path.touch(mode=0o600)
    path.write_text(json.dumps(values, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_card(path: Path) -> Backup:
    """Return what is known of a backup; of one whose card is gone, what its file tells."""
    stat = path.stat()
    values: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError, TypeError):
        values = dict(json.loads(_card_path(path).read_text(encoding="utf-8")))
    at = values.get("at")
    return Backup(
        path,
        str(values.get("origin", "")),
        at if isinstance(at, int) else stat.st_mtime_ns // 1_000_000,
        str(values.get("kind", "")),
        stat.st_size,
        values.get("judgments"),
        values.get("events"),
        number if isinstance(number := values.get("number"), int) else 0,
        is_sound if isinstance(is_sound := values.get("is_sound"), bool) else None,
    )
