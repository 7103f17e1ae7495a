"""The automatic backups of a project, and giving one back under a new name."""

from dataclasses import dataclass
from pathlib import Path

from judgetool.errors import InputError
from judgetool.session.session import Session
from judgetool.storage.backups import Backup, backup_root, give_back, list_backups, safe_name
from judgetool.storage.recovery import find_trace
from judgetool.storage.safety_log import log_path, log_paths

__all__ = ["Backup", "SafetyPlace", "list_project_backups", "restore_backup", "safety_place"]


@dataclass(frozen=True, slots=True)
class SafetyPlace:
    """Where a project's safety copies are; neither need exist.

    Attributes:
        backups: the folder of its backups.
        log: its safety log.
        logs: all parts of that which are there, older ones and those of other windows too.
    """

    backups: Path
    log: Path
    logs: tuple[Path, ...] = ()


def safety_place(session: Session) -> SafetyPlace:
    """Return where backups and safety log of an open project are kept."""
    logs = tuple(log_paths(session.uuid))
    return SafetyPlace(backup_root() / safe_name(session.uuid), log_path(session.uuid), logs)


def list_project_backups(project: str) -> list[Backup]:
    """Return the backups of a project, newest first.

    Args:
        project: its file, which may be lost, or its uuid.

    Returns:
        Those made of this very file; of its copies only where there is none of it.

    Raises:
        InputError: nothing is known of such a project.
    """
    trace = find_trace(project)
    backups = list_backups(backup_root() / safe_name(trace.uuid))
    return [backup for backup in backups if backup.origin == trace.origin] or backups


def restore_backup(project: str, number: int, target: Path) -> Backup:
    """Write a backup under a new name; the project itself is left as it is.

    Args:
        project: its file or uuid.
        number: its place in :func:`list_project_backups`, from 1 for the newest.
        target: a new file.

    Raises:
        InputError: there is no such backup, or something stands at the target.
        ProjectDamagedError: the backup is unsound.
        SaveError: the target cannot be written.
    """
    backups = list_project_backups(project)
    if not 1 <= number <= len(backups):
        kept = "none are kept" if not backups else f"1 to {len(backups)} are kept"
        raise InputError(f"There is no backup {number} of {project}: {kept}.")
    backup = backups[number - 1]
    give_back(backup.path, target)
    return backup
