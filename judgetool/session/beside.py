"""Long work on a project, done by another thread beside the session that judges on.

Each has two halves: one for any thread, that writes and reads the project anew, and
one for the session's thread, that takes in what was read and tells the listeners.
"""

from collections.abc import Iterable

from judgetool.session.changes import Changed, Origin
from judgetool.session.import_loading import Loaded, StepBeside, load_beside, write_beside
from judgetool.session.judging import redo_job, undo_job
from judgetool.session.session import Session


def load_import(session: Session) -> Loaded:
    """Read what an import has made visible, beside what the session has; for any thread."""
    with session.second_reader() as reader:
        return load_beside(reader, session.board_settings)


def finish_import(
    session: Session,
    title: str,
    *,
    loaded: Loaded | None = None,
    judged: Iterable[tuple[int, int]] = (),
) -> Changed:
    """Take in what an import has made visible, and tell the listeners.

    Args:
        session: the project.
        title: of the import.
        loaded: what :func:`load_import` gave; ``None`` reads everything now.
        judged: (query, document) pairs judged since that began, by the numbers the
            session had before.
    """
    if loaded is None or loaded.settings != session.board_settings:
        session.reload()
    else:
        session.take_loaded(loaded, judged)
    changed = Changed("do", "import", title, is_material=True)
    session.changed.emit(changed)
    return changed


def step_beside(session: Session, origin: Origin) -> StepBeside:
    """Undo or redo a step that changes material, and read what it made; for any thread.

    Raises:
        ProjectError: it could not be written; nothing of it was.
    """
    make = undo_job if origin == "undo" else redo_job
    job = make(session.assessor_id, session.clock())
    return write_beside(session.write, job, session.second_reader, session.board_settings)


def finish_step(
    session: Session,
    done: StepBeside,
    origin: Origin,
    *,
    judged: Iterable[tuple[int, int]] | None = (),
) -> Changed | None:
    """Take in what :func:`step_beside` did, and tell the listeners.

    Args:
        session: the project.
        done: what it gave.
        origin: ``undo`` or ``redo``.
        judged: (query, document) pairs judged since that began; ``None`` when more
            than judgments changed meanwhile, so that everything is read now.
    """
    outcome, loaded = done.outcome, done.loaded
    is_fit = loaded is not None and loaded.settings == session.board_settings
    if outcome.step is None or loaded is None or judged is None or outcome.values or not is_fit:
        return session.take_in(outcome, origin)
    session.take_loaded(loaded, judged)
    changed = Changed(
        origin,
        outcome.step.kind,
        outcome.step.title,
        session.pairs_of(outcome),
        is_material=True,
        n_kept=outcome.n_kept,
    )
    session.changed.emit(changed)
    return changed
