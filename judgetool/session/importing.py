"""Bringing files into an open project: a plan first, then one step that Undo takes back."""

from collections.abc import Callable, Sequence

from judgetool.formats import Reading
from judgetool.session.import_plan import ImportPlan, Planner
from judgetool.session.session import Session


def plan_import(session: Session, readings: Sequence[Reading], *, assessor: str = "") -> ImportPlan:
    """Return what importing these files would do; nothing is written.

    May be called from another thread than the session's.

    Args:
        session: the project.
        readings: what was read of each file.
        assessor: whose judgments those are that name nobody; ``""`` names them by
            their file.
    """
    with session.second_reader() as reader:
        return Planner(reader, scale=session.scale, assessor=assessor).plan(readings)


def write_import(
    session: Session,
    plan: ImportPlan,
    *,
    progress: Callable[[int, int], None] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> None:
    """Write a plan as one step. May be called from another thread than the session's.

    Call ``session.finish_import(plan.title)`` on the session's thread afterwards.

    Args:
        session: the project.
        plan: what to write; an empty one writes nothing.
        progress: told how many of how many records are written.
        is_cancelled: asked again and again; ``True`` leaves nothing behind.

    Raises:
        ImportCancelledError: it was cancelled.
        SaveError: it could not be written; nothing of it is visible.
    """
    if not plan.is_empty:
        session.import_writer(progress=progress, is_cancelled=is_cancelled).run(plan)


def import_readings(
    session: Session,
    readings: Sequence[Reading],
    *,
    assessor: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> ImportPlan:
    """Import files in one go on the session's thread and return what was done."""
    plan = plan_import(session, readings, assessor=assessor)
    write_import(session, plan, progress=progress)
    if not plan.is_empty:
        session.finish_import(plan.title)
    return plan
