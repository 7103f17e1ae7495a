"""What has been done in an open project, and what going back to a step would bring back."""

from dataclasses import dataclass

from judgetool.core.judgments import Judgment, JudgmentKey
from judgetool.session.jobs import MATERIAL_KINDS, plan_turn
from judgetool.session.session import Session
from judgetool.storage.connection import Connection
from judgetool.storage.history import HistoryRow, load_steps
from judgetool.storage.judgments import LogEntry, load_steps_of, load_undo_steps
from judgetool.storage.material import load_document_id
from judgetool.storage.values import load_value_changes

__all__ = [
    "HistoryRow",
    "UndoPreview",
    "UndoneJudgment",
    "find_last_judged",
    "load_history",
    "preview_undo_to",
    "steps_left_out",
]


@dataclass(frozen=True, slots=True)
class UndoneJudgment:
    """One judgment that going back would touch.

    Attributes:
        query: the session's number of the query; ``None`` where it is not visible.
        document: the document's number.
        document_id: its id.
        assessor: who judged.
        now: what is said now; ``None`` for nothing.
        then: what would be said.
    """

    query: int | None
    document: int
    document_id: str
    assessor: str
    now: Judgment | None
    then: Judgment | None


@dataclass(frozen=True, slots=True)
class UndoPreview:
    """What going back to a step would do; nothing has been done yet.

    Attributes:
        steps: titles of the steps that would be taken back, latest first.
        judgments: those that would change, one entry each.
        values: titles of those steps that changed values of the project, latest first.
        n_kept: judgments left alone, because they have changed since in another way.
        takes_material: whether an import would be taken back, and queries, documents or
            runs with it.
    """

    steps: tuple[str, ...]
    judgments: tuple[UndoneJudgment, ...]
    values: tuple[str, ...]
    n_kept: int
    takes_material: bool


def find_last_judged(session: Session) -> tuple[int, int, int] | None:
    """Return when (milliseconds UTC), of which query and document the assessor said something last."""
    said = (
        (at, query, document)
        for query, document, opinion, at in session.iter_judgments()
        if opinion.assessor == session.assessor
    )
    return max(said, default=None)


def load_history(session: Session, *, limit: int, before: int | None = None) -> list[HistoryRow]:
    """Return steps, newest first.

    Args:
        session: the project.
        limit: at most so many.
        before: only steps earlier than this one, for the next page; ``None`` begins
            with the newest.
    """
    with session.second_reader() as reader:
        return load_steps(reader, limit=limit, before=before)


def steps_left_out(session: Session) -> set[int]:
    """Return the steps that said what the assessor judges again: that is not to be seen."""
    ids, own = session.material.query_ids, session.assessor_id
    if own is None:
        return set()
    keys = [JudgmentKey(ids[query], document, own) for query, document in session.asks.voices]
    return {step for key in keys for step in load_steps_of(session.reader, key)}


def preview_undo_to(session: Session, step_id: int) -> UndoPreview:
    """Return what :meth:`Session.undo_to` would bring back.

    Args:
        session: the project.
        step_id: the step that would stay as the last one; later ones of the session's
            assessor, and those of nobody in particular, would be taken back.
    """
    with session.second_reader() as reader:
        steps = load_undo_steps(reader, session.assessor_id, after_step=step_id)
        plan = plan_turn(reader, steps, "undo")
        changed = [entry for entries in plan.entries.values() for entry in entries]
        return UndoPreview(
            tuple(step.title for step in steps),
            _judgments(session, reader, changed),
            tuple(step.title for step in steps if load_value_changes(reader, step.step_id)),
            len({entry.change.key for entry in plan.kept}),
            any(step.kind in MATERIAL_KINDS for step in steps),
        )


def _judgments(
    session: Session, reader: Connection, entries: list[LogEntry]
) -> tuple[UndoneJudgment, ...]:
    """Fold the changes of several steps into one for each judgment."""
    first: dict[JudgmentKey, Judgment | None] = {}
    last: dict[JudgmentKey, Judgment | None] = {}
    for entry in entries:
        first.setdefault(entry.change.key, entry.change.before)
        last[entry.change.key] = entry.change.after
    return tuple(
        UndoneJudgment(
            session.material.place_of.get(key.query),
            key.document,
            load_document_id(reader, key.document),
            session.assessor_name(key.assessor),
            first[key],
            last[key],
        )
        for key in first
    )
