"""From a command to the job that the writer runs, or to a sentence why there is none."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from judgetool.core.documents import Document
from judgetool.core.judgments import JudgmentChange
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import (
    AddDocument,
    Command,
    Judge,
    JudgeMany,
    MaterialCommand,
    SetScale,
    ValueCommand,
    WriteQuery,
)
from judgetool.session.judging import Circumstances, Outcome, judging_job, values_job
from judgetool.session.material import Material, name_document
from judgetool.session.pool_policy import ADDED_KEY
from judgetool.storage.connection import Connection
from judgetool.storage.ids import count_ids, find_numbers, insert_ids
from judgetool.storage.judgments import LogEntry, load_judgments, load_used_grades, write_entries
from judgetool.storage.material import insert_document_texts, insert_query_texts
from judgetool.storage.steps import StepRow, insert_step
from judgetool.storage.values import write_value

Job = Callable[[Connection], Outcome]


@dataclass(frozen=True, slots=True)
class Situation:
    """What a command meets in the project when it is given.

    Attributes:
        assessor: name of who judges; ``""`` when nobody does.
        assessor_id: their number; ``None`` before their first judgment.
        at: when, milliseconds UTC.
        scale: the project's scale.
        material: queries, documents and runs.
        how: for the event log.
        values: the project's own values, by key.
    """

    assessor: str
    assessor_id: int | None
    at: int
    scale: Scale
    material: Material
    how: Circumstances
    values: Mapping[str, Any] = field(default_factory=dict)


def plan_job(command: Command, situation: Situation) -> Job:
    """Return the job that does what a command asks, in one transaction.

    Raises:
        CommandRefusedError: the project does not allow it.
    """
    match command:
        case SetScale():
            return _rescaling_job(command, situation)
        case JudgeMany():
            return _bulk_job(command, situation)
        case command if isinstance(command, ValueCommand):
            return values_job(
                command.values,
                title=command.title,
                assessor_id=situation.assessor_id,
                at=situation.at,
            )
        case command if isinstance(command, MaterialCommand):
            return _material_job(command, situation)
    _check_assessor(situation)
    if isinstance(command, Judge):
        _check_grade(command.grade, situation.scale)
    material = situation.material
    query, document = command.query, command.document

    def title(connection: Connection) -> str:
        name = name_document(connection, document)
        return f"{command.verb} for {name}, {material.name_query(query)}"

    return _judging(command.apply, [(query, document)], title, situation)


def _bulk_job(command: JudgeMany, situation: Situation) -> Job:
    _check_assessor(situation)
    _check_grade(command.grade, situation.scale)
    queries = {query for query, _ in command.pairs}
    names = [situation.material.name_query(query) for query in sorted(queries)]
    where = names[0] if len(names) == 1 else f"{len(names)} queries"
    count = len(command.pairs)
    title = f"{command.verb} for {count} {'document' if count == 1 else 'documents'}, {where}"
    return _judging(command.apply, command.pairs, lambda _connection: title, situation)


def _judging(
    apply: Callable[[Any], Any],
    pairs: Iterable[tuple[int, int]],
    title: Callable[[Connection], str],
    situation: Situation,
) -> Job:
    ids = situation.material.query_ids
    return judging_job(
        [(ids[query], document) for query, document in pairs],
        apply,
        title=title,
        assessor=situation.assessor,
        at=situation.at,
        how=situation.how,
    )


def _check_assessor(situation: Situation) -> None:
    if not situation.assessor:
        raise CommandRefusedError("Nobody is named as assessor. Say who judges first.")


def _check_grade(grade: float, scale: Scale) -> None:
    if not scale.has_grade(grade):
        raise CommandRefusedError(
            f"Grade {format_grade(grade)} is not on this scale ({scale.label}). "
            "Change the scale in Project ▸ Scale."
        )


def _begin(connection: Connection, kind: str, title: str, situation: Situation) -> StepRow:
    step_id = insert_step(
        connection, kind=kind, title=title, assessor_id=situation.assessor_id, at=situation.at
    )
    return StepRow(step_id, kind, title, situation.at)


def _write_values(connection: Connection, values: Mapping[str, Any], step: StepRow) -> None:
    for key, value in values.items():
        write_value(connection, key, value, step_id=step.step_id, at=step.at, origin="command")


def _rescaling_job(command: SetScale, situation: Situation) -> Job:
    for grade in command.mapping.values():
        _check_grade(grade, command.scale)

    def job(connection: Connection) -> Outcome:
        used = load_used_grades(connection)
        lost = [g for g in used if not command.scale.has_grade(g) and g not in command.mapping]
        if lost:
            shown = ", ".join(map(format_grade, lost[:5]))
            raise CommandRefusedError(
                f"Judgments with grade {shown} exist, and the new scale has no such grade. "
                "Say which grade of the new scale each of them becomes."
            )
        step = _begin(connection, "project", command.title, situation)
        entries = tuple(_regraded(connection, command.mapping, step))
        write_entries(connection, entries, step_id=step.step_id, at=step.at)
        _write_values(connection, command.values, step)
        return Outcome(step, entries, dict(command.values))

    return job


def _regraded(
    connection: Connection, mapping: Mapping[float, float], step: StepRow
) -> Iterable[LogEntry]:
    """Yield what each judgment becomes whose grade is mapped to another."""
    for key, stored in load_judgments(connection):
        grade = stored.judgment.grade
        if grade is None or mapping.get(grade, grade) == grade:
            continue
        after = replace(stored.judgment, grade=mapping[grade])
        change = JudgmentChange(key, stored.judgment, after)
        yield LogEntry(change, stored.step_id, step.step_id, "rescale")


def _material_job(command: MaterialCommand, situation: Situation) -> Job:
    def job(connection: Connection) -> Outcome:
        step = _begin(connection, "material", command.title, situation)
        if isinstance(command, WriteQuery):
            number = _number(connection, "queries", command.query.id)
            insert_query_texts(connection, [(number, command.query)], step_id=step.step_id)
            return Outcome(step)
        is_known_only = isinstance(command, AddDocument) and not has_content(command.document)
        _write_document(connection, command.document, step, is_known_only=is_known_only)
        values = _widened_pool(command, situation) if isinstance(command, AddDocument) else {}
        _write_values(connection, values, step)
        return Outcome(step, values=values)

    return job


def has_content(document: Document) -> bool:
    """Whether there is anything to write of a document besides its id."""
    return document.has_text or bool(document.url)


def _write_document(
    connection: Connection, document: Document, step: StepRow, *, is_known_only: bool
) -> None:
    number = _number(connection, "documents", document.id)
    if not is_known_only:
        insert_document_texts(connection, [(number, document)], step_id=step.step_id)


def _widened_pool(command: AddDocument, situation: Situation) -> dict[str, Any]:
    key = ADDED_KEY + situation.material.queries[command.query].id
    known = situation.values.get(key) or []
    return {key: list(dict.fromkeys([*known, command.document.id]))}


def _number(connection: Connection, table: str, name: str) -> int:
    known = find_numbers(connection, table, [name]).get(name)
    if known is not None:
        return known
    number = count_ids(connection, table) + 1
    insert_ids(connection, table, [(number, name)])
    return number
