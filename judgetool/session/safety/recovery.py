"""Rebuilding a lost or destroyed project from its newest backup and the safety log."""

from collections.abc import Sequence
from pathlib import Path

from judgetool.session.jobs import plan_redo, plan_undo
from judgetool.session.session import Session
from judgetool.storage import recovery
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import LogEntry
from judgetool.storage.recovery import Recovery
from judgetool.storage.safety_log import read_log
from judgetool.storage.steps import StepRow

__all__ = ["Recovery", "count_missing", "count_torn", "recover_project"]


def recover_project(project: str, target: Path, *, takes_copies: bool = False) -> Recovery:
    """Write a project anew; whatever is left of it is not changed.

    Args:
        project: its file, which may be lost or destroyed, or its uuid.
        target: a new file.
        takes_copies: whether backups and log of other copies of the project count.

    Returns:
        What it was rebuilt from, and what could not be.

    Raises:
        InputError: nothing is known of such a project, or something stands at the target.
        ProjectDamagedError: what came out is not sound; it is not kept.
        SaveError: the target cannot be written.
    """
    return recovery.recover(
        recovery.find_trace(project), target, plan=_plan, takes_copies=takes_copies
    )


def count_missing(session: Session) -> int:
    """Return how many changes of judgments the safety log has that the file lacks.

    So it is when the file was replaced by an older one, as by a program that keeps
    folders in step: :func:`recover_project` makes a file that has them.

    Args:
        session: the project; may be called from another thread than its own.

    Returns:
        0 where nothing is missing, or the log cannot be read.
    """
    with session.second_reader() as reader:
        return recovery.count_missing(reader, session.uuid, session.path)


def count_torn(session: Session) -> int:
    """Return how many lines of the project's safety log are damaged; 0 where it cannot be read."""
    try:
        return read_log(session.uuid).n_torn
    except OSError:
        return 0


def _plan(connection: Connection, step_id: int, change: str) -> Sequence[LogEntry]:
    if change == "redone":
        return plan_redo(connection, step_id)[0]
    plan = plan_undo(connection, [StepRow(step_id, "", "", 0)])
    return plan.entries[step_id]
