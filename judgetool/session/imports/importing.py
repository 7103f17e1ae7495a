"""Bringing files into an open project: a plan first, then one step that Undo takes back."""

from collections.abc import Callable, Collection, Sequence
from functools import partial

from judgetool.formats import Reading
from judgetool.formats.images import is_local_folder
from judgetool.formats.reading import held_collector
from judgetool.formats.values import KnownIds
from judgetool.session.imports.choices import ImportChoices
from judgetool.session.imports.image_places import allow_folder
from judgetool.session.imports.plan import ImportPlan
from judgetool.session.imports.planner import Planner
from judgetool.session.imports.writing import ImportWriter
from judgetool.session.jobs import Outcome
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.ids import count_ids, find_numbers, insert_ids


def plan_import(
    session: Session,
    readings: Sequence[Reading],
    *,
    choices: ImportChoices | None = None,
    check: Callable[[], None] | None = None,
) -> ImportPlan:
    """Return what importing these files would do; nothing is written.

    May be called from another thread than the session's.

    Args:
        session: the project.
        readings: what was read of each file.
        choices: what the person has decided; ``None`` for what is usual.
        check: asked now and then; may raise to stop.

    Raises:
        InputError: a grade is mapped to one that the scale does not have.
    """
    with session.second_reader() as reader, held_collector():
        return Planner(
            reader,
            scale=session.scale,
            home=session.path.absolute().parent,
            choices=choices,
            check=check,
        ).plan(readings)


def known_documents(session: Session) -> KnownIds:
    """Return what tells which of some ids are documents of the project.

    It may be called from another thread than the session's.
    """

    def find(ids: Sequence[str]) -> Collection[str]:
        with session.second_reader() as reader:
            return find_numbers(reader, "documents", ids)

    return find


def write_import(
    session: Session,
    plan: ImportPlan,
    *,
    progress: Callable[[int, int], None] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> Outcome:
    """Write a plan as one step. May be called from another thread than the session's.

    Hand what it gives to :meth:`Session.take_in` on the session's thread afterwards, or to
    :meth:`Session.read_after` before, so that nobody waits for the reading.

    Args:
        session: the project.
        plan: what to write; an empty one writes nothing.
        progress: told how many of how many records are written.
        is_cancelled: asked again and again; ``True`` leaves nothing behind.

    Raises:
        ImportCancelledError: it was cancelled.
        SaveError: it could not be written; nothing of it is visible.
    """
    if plan.is_empty:
        return Outcome()
    writer = ImportWriter(
        partial(session.write, is_bulk=True),
        assessor_id=session.assessor_id,
        at=session.clock(),
        progress=progress,
        is_cancelled=is_cancelled,
    )
    with held_collector():
        outcome = writer.run(plan)
    if is_local_folder(plan.image_folder):
        # Whoever imports from a folder wants to see its pictures.
        allow_folder(session.uuid, plan.image_folder)
    return outcome


def import_readings(
    session: Session,
    readings: Sequence[Reading],
    *,
    choices: ImportChoices | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ImportPlan:
    """Import files in one go on the session's thread and return what was done."""
    plan = plan_import(session, readings, choices=choices)
    session.take_in(write_import(session, plan, progress=progress))
    return plan


def ensure_document(session: Session, document_id: str) -> int:
    """Return the number of a document, adding its id if the project does not have it."""
    known = session.material.find_document(document_id)
    if known is not None:
        return known

    def job(connection: Connection) -> int:
        number = count_ids(connection, "documents") + 1
        insert_ids(connection, "documents", [(number, document_id)])
        return number

    return session.write(job, is_bulk=True)
