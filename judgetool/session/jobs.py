"""The jobs that the writer runs for a step: what a command asks, undoing, redoing.

A command that the project does not allow becomes a sentence instead of a job.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, starmap
from typing import Any, Literal, NamedTuple

from judgetool.core.judgments import (
    Document,
    Judgment,
    JudgmentChange,
    JudgmentKey,
    State,
    split_reason,
    with_reason,
)
from judgetool.core.number_text import count_noun
from judgetool.core.scale import Scale, format_grade
from judgetool.errors import CommandRefusedError
from judgetool.session.board import COUNTS_KEY, find_standing
from judgetool.session.commands import (
    AGAIN_MARK,
    SETTLED,
    AddDocument,
    Command,
    MaterialCommand,
    Say,
    SetScale,
    TakeAlong,
    WriteAsks,
    WriteQuery,
    find_name_problem,
)
from judgetool.session.material import WHATIF_PREFIX, Material, name_document, numbered_name
from judgetool.session.pool import ADDED_KEY, NumberPair
from judgetool.storage.asks import Ask, ensure_assessor, insert_asks
from judgetool.storage.connection import Connection
from judgetool.storage.copies import (
    MERGE,
    is_conflict,
    settle_merged,
    settle_merged_values,
    turn_merge,
)
from judgetool.storage.history import MOVE, RESCALE, load_disputed_pairs, load_reasons
from judgetool.storage.ids import number_id
from judgetool.storage.judgments import (
    Key,
    LogEntry,
    StepRow,
    Stored,
    find_judgment,
    find_redo_step,
    find_said_at,
    insert_step,
    iter_step_entries,
    load_judgments,
    load_said_by,
    load_undo_steps,
    load_used_grades,
    set_step_state,
    write_entries,
)
from judgetool.storage.material import insert_document_texts, insert_query_texts, written_upon
from judgetool.storage.values import (
    HUB_META,
    find_assessor,
    load_kinds,
    load_meta,
    load_value_changes,
    number_assessor,
    write_value,
)
from judgetool.wording import _, local_number

BLANK = Judgment()
MATERIAL_KINDS = ("import", "material", "merge", "others", "ask")
"""Kinds of steps that bring or change queries, documents or runs, or say who judges what: everything
is read anew after."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a job did, once it is durable.

    Attributes:
        step: the step done, undone or redone; ``None`` when nothing had to change.
        entries: judgments as they are now.
        values: project values as they are now; ``None`` for one taken away.
        n_kept: judgments left alone because they have changed since.
        assessor_id: number of the assessor, known at the latest now.
    """

    step: StepRow | None = None
    entries: tuple[LogEntry, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    n_kept: int = 0
    assessor_id: int | None = None


Job = Callable[[Connection], Outcome]


class Situation(NamedTuple):
    """What a command meets in the project when it is given.

    Attributes:
        assessor: name of who judges; ``""`` when nobody does.
        assessor_id: their number; ``None`` before their first judgment.
        at: when, milliseconds UTC.
        scale: the project's scale.
        material: queries, documents and runs.
        values: the project's own values, by key.
        voices: for pairs that the assessor judges again the number under which that is kept.
        origin: ``key``, ``click``, ``command``, ``import``; for the event log, as what follows.
        spent_ms: how long the document had been in view.
        shown: what was on the screen.
    """

    assessor: str
    assessor_id: int | None
    at: int
    scale: Scale
    material: Material
    values: Mapping[str, Any]
    voices: Mapping[NumberPair, int]
    origin: str = "command"
    spent_ms: int | None = None
    shown: dict[str, Any] | None = None


def plan_job(command: Command, situation: Situation) -> Job:
    """Return the job that does what a command asks, in one transaction.

    Raises:
        CommandRefusedError: the project does not allow it.
    """
    if isinstance(command, Say):
        return _saying_job(command, situation)
    if isinstance(command, SetScale):
        return _rescaling_job(command, situation)
    if isinstance(command, WriteAsks):
        return _asking_job(command, situation)
    if isinstance(command, TakeAlong):
        return _moving_job(command, situation)
    if isinstance(command, MaterialCommand):
        return _material_job(command, situation)
    who, at = situation.assessor_id, situation.at
    title, kind = command.title, command.kind
    return values_job(command.values, title=title, assessor_id=who, at=at, kind=kind)


def _saying_job(command: Say, situation: Situation) -> Job:
    if not situation.assessor:
        raise CommandRefusedError(_("Nobody is named as assessor. Say who judges first."))
    problem = find_name_problem(situation.assessor) if situation.assessor_id is None else ""
    if problem:
        raise CommandRefusedError(problem)
    grade = command.changes.get("grade")
    if grade is not None and not situation.scale.has_grade(grade):
        raise _no_such_grade(grade, situation.scale)
    ids, origin = situation.material.query_ids, situation.origin
    voices = {} if command.is_settling else situation.voices

    def job(connection: Connection) -> Outcome:
        who = situation.assessor_id or number_assessor(connection, situation.assessor, kind="human")
        whose = number_settled(connection) if command.is_settling else who
        changed: list[tuple[JudgmentChange, int | None, int | None]] = []
        for query, document in command.pairs:
            key = JudgmentKey(ids[query], document, voices.get((query, document), whose))
            stored = find_judgment(connection, key)
            before, step_id = (stored.judgment, stored.step_id) if stored else (None, None)
            after = replace(before or BLANK, **command.changes)
            if command.reason or (before and before.state is State.CANNOT_JUDGE):
                after = replace(after, note=_note_after(command, before, key, connection))
            said = None if after.is_blank else after
            if said != before or _is_open(command, situation, connection, key):
                # A note or flag beside a grade does not say the grade anew.
                is_anew = "state" in command.changes or _is_said_anew(connection, key, before)
                said_at = None if is_anew or stored is None else stored.at
                changed.append((JudgmentChange(key, before, said), step_id, said_at))
        if not changed:
            return Outcome(assessor_id=who)
        title = _title_of(command, situation, connection)
        step = insert_step(connection, kind="judge", title=title, assessor_id=who, at=situation.at)
        entries = []
        shown, why = situation.shown, {"reason": command.reason}
        shown = {**(shown or {}), **why} if command.reason else shown
        for change, before_step, said_at in changed:
            says = step.step_id if said_at is None else before_step
            after_step = says if change.after else None
            seen = situation.spent_ms, shown
            entries.append(
                LogEntry(change, before_step, after_step, origin, *seen, made_at=said_at)
            )
        write_entries(connection, entries, step_id=step.step_id, at=step.at)
        return Outcome(step, tuple(entries), assessor_id=who)

    return job


def _is_open(command: Say, situation: Situation, connection: Connection, key: JudgmentKey) -> bool:
    """Return whether to say the same again ends something: copies differ, or it is disputed since."""
    if not command.is_settling:
        return is_conflict(connection, key)
    left_out, final = find_standing(connection, situation.values)
    found = load_disputed_pairs(connection, key.query, left_out=left_out, final=final)
    return key.document in found[:, 1] or is_conflict(connection, key)


def _is_said_anew(connection: Connection, key: JudgmentKey, before: Judgment | None) -> bool:
    """Return whether what is added to a judgment says it: there was none, or two copies' differ."""
    is_said = before is not None and before.state is not State.UNJUDGED
    return not is_said or is_conflict(connection, key)


def _note_after(
    command: Say, before: Judgment | None, key: JudgmentKey, connection: Connection
) -> str:
    """Return the note after a command; a reason stands before it only while it is said."""
    note, reason = before.note if before else "", ""
    if before and before.state is State.CANNOT_JUDGE and not command.is_settling:
        reason, note = split_reason(note, load_reasons(connection, key))
    if "state" in command.changes:
        reason = command.reason
    return with_reason(reason, command.changes.get("note", note))


def number_settled(connection: Connection) -> int:
    """Return the number of the assessor whose judgments are what was settled, made at need.

    Where somebody else has that name already it gets another.
    """
    taken = {name for name, kind in load_kinds(connection).items() if kind != "settled"}
    return number_assessor(connection, numbered_name(SETTLED, taken), kind="settled")


def _title_of(command: Say, situation: Situation, connection: Connection) -> str:
    """Return what a step is called, asked for within the job.

    Another connection would have to lock the file once more to look at the document's title.
    """
    material, count = situation.material, len(command.pairs)
    if count == 1:
        query, document = command.pairs[0]
        name = material.names.get(document) or name_document(connection, document)
        return f"{command.verb} for {name}, {material.name_query(query)}"
    queries = {query for query, _ in command.pairs}
    where = f"{len(queries)} queries" if len(queries) > 1 else material.name_query(min(queries))
    return f"{command.verb} for {count} documents, {where}"


def _no_such_grade(grade: float, scale: Scale) -> CommandRefusedError:
    return CommandRefusedError(
        _(
            "Grade {grade} is not on this scale ({label}). Change the scale in Project ▸ Scale."
        ).format(grade=local_number(format_grade(grade)), label=scale.label)
    )


def _write_values(connection: Connection, values: Mapping[str, Any], step: StepRow) -> None:
    for key, value in values.items():
        write_value(connection, key, value, step_id=step.step_id, at=step.at, origin="command")


def values_job(
    values: Mapping[str, Any],
    *,
    title: str,
    assessor_id: int | None,
    at: int,
    kind: str = "project",
) -> Job:
    """Return the job that sets some of the project's own values; ``None`` takes one away."""

    def job(connection: Connection) -> Outcome:
        step = insert_step(connection, kind=kind, title=title, assessor_id=assessor_id, at=at)
        _write_values(connection, values, step)
        return Outcome(step, values=dict(values))

    return job


def _asking_job(command: WriteAsks, situation: Situation) -> Job:
    ids = situation.material.query_ids

    def job(connection: Connection) -> Outcome:
        who = situation.assessor_id
        if who is None and situation.assessor:
            # It is theirs to take back, and not of who is asked.
            who = number_assessor(connection, situation.assessor, kind="human")
        title, at = command.title, situation.at
        step = insert_step(connection, kind="ask", title=title, assessor_id=who, at=at)
        numbers: dict[tuple[str, bool], int] = {}
        for name in dict.fromkeys(ask.assessor for ask in command.asks):
            # Whose judgments were imported is a person, too.
            numbers[name, False] = person = number_assessor(connection, name, kind="human")
            if any(ask.is_again and ask.assessor == name for ask in command.asks):
                numbers[name, True] = ensure_assessor(
                    connection, name + AGAIN_MARK, kind="again", person_id=person
                )
        rows = (
            Ask(ids[ask.query], ask.document, numbers[ask.assessor, ask.is_again], ask.is_open)
            for ask in command.asks
        )
        insert_asks(connection, rows, step_id=step.step_id)
        _write_values(connection, command.values, step)
        return Outcome(step, values=dict(command.values), assessor_id=who)

    return job


def _rescaling_job(command: SetScale, situation: Situation) -> Job:
    for grade in command.mapping.values():
        if not command.scale.has_grade(grade):
            raise _no_such_grade(grade, command.scale)
    assumed = _assumed_after(command, situation.values)

    def job(connection: Connection) -> Outcome:
        used = load_used_grades(connection)
        lost = [g for g in used if not command.scale.has_grade(g) and g not in command.mapping]
        if lost:
            shown = ", ".join(map(format_grade, lost[:5]))
            raise CommandRefusedError(
                _(
                    "Judgments with grade {shown} exist, and the new scale has no such grade. Say "
                    "which grade of the new scale each of them becomes."
                ).format(shown=shown)
            )
        who, at = situation.assessor_id, situation.at
        title, kept = command.title, {str(old): new for old, new in command.mapping.items()}
        # Other files of a team bring to it what was not here yet.
        detail = {"mapping": kept} if kept else None
        step = insert_step(
            connection, kind="project", title=title, assessor_id=who, at=at, detail=detail
        )
        entries = tuple(_regraded(load_judgments(connection), command.mapping))
        write_entries(connection, entries, step_id=step.step_id, at=step.at)
        values = {**command.values, **assumed}
        _write_values(connection, values, step)
        return Outcome(step, entries, values)

    return job


def _assumed_after(command: SetScale, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of what-ifs that change, as what they assume follows the judgments.

    What becomes no grade that can be assumed is assumed no more.
    """
    changed: dict[str, Any] = {}
    for key, kept in values.items():
        before = kept.get("grades", {}) if key.startswith(WHATIF_PREFIX) else {}
        after = {name: command.mapping.get(grade, grade) for name, grade in before.items()}
        after = {
            name: grade
            for name, grade in after.items()
            if command.scale.has_grade(grade) and grade >= 0
        }
        if after != before:
            changed[key] = {**kept, "grades": after} if after or kept["steps"] else None
    return changed


def _moving_job(command: TakeAlong, situation: Situation) -> Job:
    former, name = command.former, situation.assessor

    def job(connection: Connection) -> Outcome:
        if refusal := find_move_problem(connection, former, name):
            raise CommandRefusedError(refusal)
        said = find_movable(connection, former, find_assessor(connection, name))
        if not said.taken:
            return Outcome(n_kept=said.n_kept)
        who = number_assessor(connection, name, kind="human")
        n = len(said.taken)
        title = f"Take {count_noun(n, 'judgment')} of {former} along"
        step = insert_step(
            connection, kind="project", title=title, assessor_id=who, at=situation.at
        )
        entries = tuple(_moved(connection, said.taken, who))
        write_entries(connection, entries, step_id=step.step_id, at=step.at)
        values = _counts_moved(situation.values, former, name)
        _write_values(connection, values, step)
        return Outcome(step, entries, values, said.n_kept, who)

    return job


def _moved(connection: Connection, keys: Iterable[JudgmentKey], who: int) -> Iterable[LogEntry]:
    """Yield how each judgment is taken from its assessor and given by another.

    Nobody says anything anew: which step said it, and when, stays, so that the latest of several
    is the same as before.
    """
    for key in keys:
        stored = find_judgment(connection, key)
        assert stored is not None, "found in this transaction"
        said, shown = stored.judgment, None
        if said.state is State.CANNOT_JUDGE:
            shown = {"reason": split_reason(said.note, load_reasons(connection, key))[0]}
        yield LogEntry(JudgmentChange(key, said, None), stored.step_id, None, MOVE)
        change = JudgmentChange(key._replace(assessor=who), None, said)
        yield LogEntry(change, None, stored.step_id, MOVE, shown=shown, made_at=stored.at)


def _counts_moved(values: Mapping[str, Any], former: str, name: str) -> dict[str, Any]:
    """Return what makes a name count, or not, as the former one does, where nothing was said of it."""
    counts = values.get(COUNTS_KEY) or {}
    if former not in counts or name in counts:
        return {}
    return {COUNTS_KEY: {**counts, name: counts[former]}}


class Movable(NamedTuple):
    """What of an assessor's judgments can be put under another name.

    Attributes:
        taken: the judgments that can.
        n_kept: others, of whose documents that name has said something itself.
    """

    taken: tuple[JudgmentKey, ...]
    n_kept: int


def find_movable(connection: Connection, former: str, who: int | None) -> Movable:
    """Return what of one's judgments another, by their number, can take over; ``None`` for a new one."""
    giver = find_assessor(connection, former)
    given = [] if giver is None else load_said_by(connection, giver)
    own = set() if who is None else set(load_said_by(connection, who))
    taken = tuple(JudgmentKey(*pair, giver or 0) for pair in sorted(given) if pair not in own)
    return Movable(taken, len(given) - len(taken))


def find_move_problem(connection: Connection, former: str, name: str) -> str:
    """Return a sentence where nothing can be put from one name under another, else ``""``."""
    if not name:
        return _("Nobody is named as assessor. Say who judges first.")
    if json.loads(load_meta(connection).get(HUB_META) or "{}").get("url"):
        return _(
            "This project has a team hub, where judgments belong to its members: they stay under the "
            "name that they were given under."
        )
    kinds = load_kinds(connection)
    for each in (former, name):
        if kinds.get(each, "human") not in ("human", "import"):
            return _(
                "‘{name}’ is no person’s name: only judgments of people are taken along."
            ).format(name=each)
    return find_name_problem(name) if name not in kinds else ""


def regrading_job(
    keys: Iterable[Key], mapping: Mapping[float, float], *, scale: str, at: int
) -> Job:
    """Return the job that brings some judgments to a scale that the project has already.

    Args:
        keys: which.
        mapping: what becomes of grades.
        scale: the step that brought the scale, 32 hexadecimal digits.
        at: milliseconds UTC.
    """

    def job(connection: Connection) -> Outcome:
        found = [(key, find_judgment(connection, key)) for key in starmap(JudgmentKey, keys)]
        stored = [(key, said) for key, said in found if said is not None]
        entries = tuple(_regraded(stored, mapping))
        if not entries:
            return Outcome()
        step = insert_step(
            connection,
            kind="new",
            title="Scale of the lead",
            assessor_id=None,
            at=at,
            detail={"scale": scale},
        )
        write_entries(connection, entries, step_id=step.step_id, at=at)
        return Outcome(step, entries)

    return job


def turning_job(step: StepRow, origin: Literal["undo", "redo"], at: int) -> Job:
    """Return the job that takes back one step, or does it again, that nobody does by hand."""
    return lambda connection: _turn(connection, [step], origin=origin, at=at)


def _regraded(
    judgments: Iterable[tuple[JudgmentKey, Stored]], mapping: Mapping[float, float]
) -> Iterable[LogEntry]:
    """Yield what each judgment becomes whose grade is mapped to another.

    Nobody says anything anew: who said it when, and so which of several judgments is the
    latest, stays.
    """
    for key, stored in judgments:
        grade = stored.judgment.grade
        if grade is None or mapping.get(grade, grade) == grade:
            continue
        after = replace(stored.judgment, grade=mapping[grade])
        change = JudgmentChange(key, stored.judgment, after)
        yield LogEntry(change, stored.step_id, stored.step_id, RESCALE, made_at=stored.at)


def _material_job(command: MaterialCommand, situation: Situation) -> Job:
    def job(connection: Connection) -> Outcome:
        title, who, at = command.title, situation.assessor_id, situation.at
        writes = not isinstance(command, AddDocument) or has_content(command.document)
        step = insert_step(
            connection,
            kind="material",
            title=title,
            assessor_id=who,
            at=at,
            detail=written_upon(connection) if writes else None,
        )
        if isinstance(command, WriteQuery):
            number = number_id(connection, "queries", command.query.id)
            insert_query_texts(connection, [(number, command.query)], step_id=step.step_id)
            return Outcome(step)
        document = command.document
        number = number_id(connection, "documents", document.id)
        if writes:
            insert_document_texts(connection, [(number, document)], step_id=step.step_id)
        values = _widened_pool(command, situation) if isinstance(command, AddDocument) else {}
        _write_values(connection, values, step)
        return Outcome(step, values=values)

    return job


def has_content(document: Document) -> bool:
    """Whether there is anything to write of a document besides its id."""
    return document.has_text or bool(document.url)


def _widened_pool(command: AddDocument, situation: Situation) -> dict[str, Any]:
    key = ADDED_KEY + situation.material.queries[command.query].id
    known = situation.values.get(key) or []
    return {key: list(dict.fromkeys([*known, command.document.id]))}


def undo_job(
    assessor_id: int | None, at: int, *, to_step: int | None = None, leaves: Collection[str] = ()
) -> Job:
    """Return the job that takes back the last step of the assessor or of nobody.

    Args:
        assessor_id: whose steps; ``None`` before the first judgment.
        at: milliseconds UTC.
        to_step: take back every later step than this one instead. It leaves what the same
            number of single undos would leave, in one transaction; each step can be redone
            by itself.
        leaves: kinds of steps that are not taken back: nothing is done where the last is one.
    """

    def job(connection: Connection) -> Outcome:
        steps = load_undo_steps(connection, assessor_id, after_step=to_step)
        if steps and steps[0].kind in leaves:
            return Outcome()
        return _turn(connection, steps, origin="undo", at=at)

    return job


def redo_job(assessor_id: int | None, at: int) -> Job:
    """Return the job that does again what was undone last."""

    def job(connection: Connection) -> Outcome:
        step = find_redo_step(connection, assessor_id)
        return _turn(connection, [step] if step else [], origin="redo", at=at)

    return job


def _turn(
    connection: Connection, steps: Sequence[StepRow], *, origin: Literal["undo", "redo"], at: int
) -> Outcome:
    """Undo steps, latest first, or do one again."""
    if not steps:
        return Outcome()
    values: dict[str, Any] = {}
    every: list[LogEntry] = []
    n_kept = 0
    # What is below a merge can be planned when that is hidden.
    for is_merge, part in groupby(steps, lambda step: step.kind == MERGE):
        if is_merge:
            state = "undone" if origin == "undo" else "done"
            for step in part:
                values |= turn_merge(connection, step.step_id, state, at=at)
            continue
        turned = tuple(part)
        plan = plan_turn(connection, turned, origin)
        n_kept += len(plan.kept)
        for step in turned:
            entries = plan.entries[step.step_id]
            values |= _write_again(connection, step, entries, origin=origin, at=at)
            every += entries
    told = steps[0]
    if len(steps) > 1:
        # One that brought material makes the session read its material anew.
        kinds = [step.kind for step in steps]
        kind = next((kind for kind in kinds if kind in MATERIAL_KINDS), kinds[0])
        told = StepRow(told.step_id, kind, f"{len(steps):,} steps", at)
    return Outcome(told, _as_found(connection, every), values, n_kept)


def _as_found(connection: Connection, entries: Sequence[LogEntry]) -> tuple[LogEntry, ...]:
    """Return changes with what is said now: of merged copies another's lines may count."""
    # What replaces the only head alone is of no copy.
    merged = settle_merged(connection, {e.change.key for e in entries if e.parents is None})
    found = []
    for entry in entries:
        is_merged = entry.change.key in merged
        found.append(as_said_now(connection, entry) if is_merged else entry)
    return tuple(found)


def as_said_now(connection: Connection, entry: LogEntry) -> LogEntry:
    """Return a change with what is said now, whatever it said itself."""
    said, step, at = find_said(connection, entry.change.key)
    change = entry.change._replace(after=said)
    return entry._replace(change=change, after_step=step, made_at=at)


def _write_again(
    connection: Connection,
    step: StepRow,
    entries: Sequence[LogEntry],
    *,
    origin: Literal["undo", "redo"],
    at: int,
) -> dict[str, Any]:
    """Undo or redo a step: its judgments as planned, its values; return what these are now."""
    number, values = step.step_id, dict[str, Any]()
    write_entries(connection, entries, step_id=number, at=at)
    # What judges changes no values.
    changes = [] if step.kind == "judge" else load_value_changes(connection, number)
    for key, before, after in changes[:: -1 if origin == "undo" else 1]:
        values[key] = before if origin == "undo" else after
        write_value(connection, key, values[key], step_id=number, at=at, origin=origin)
    values |= settle_merged_values(connection, values)
    was, now = ("done", "undone") if origin == "undo" else ("undone", "done")
    set_step_state(connection, number, now, at=at, before=was)
    return values


class TurnPlan(NamedTuple):
    """What taking steps back, or doing one again, changes.

    Attributes:
        entries: the changes to write, by step.
        kept: changes of these steps that are left alone, because someone has changed
            the judgment since.
    """

    entries: dict[int, tuple[LogEntry, ...]]
    kept: tuple[LogEntry, ...]


def plan_turn(
    connection: Connection, steps: Sequence[StepRow], origin: Literal["undo", "redo"]
) -> TurnPlan:
    """Return what taking back these steps, or doing them again, would change; nothing is written.

    Only where what the step, or its undoing, left behind still stands does that harm nobody.
    """
    entries: dict[int, tuple[LogEntry, ...]] = {}
    kept: list[LogEntry] = []
    overlay: dict[JudgmentKey, tuple[Judgment | None, int | None]] = {}
    for step in steps:
        turned: list[LogEntry] = []
        every = tuple(iter_step_entries(connection, step.step_id))
        for entry in reversed(every) if origin == "undo" else every:
            change, now, then = entry.change, entry.before_step, entry.after_step
            if origin == "undo":
                change, now, then = change.inverted(), then, now
            present = overlay.get(change.key) or find_said(connection, change.key)[:2]
            if present != (change.before, now):
                kept.append(entry)
                continue
            said_at = entry.made_at
            if origin == "undo":
                said_at = None
                if change.after is not None and then is not None:
                    said_at = find_said_at(connection, change.key, then)
            head = entry.uuid if origin == "undo" else None
            turned.append(LogEntry(change, now, then, origin, made_at=said_at, parents=head))
            overlay[change.key] = (change.after, then)
        entries[step.step_id] = tuple(turned)
    return TurnPlan(entries, tuple(kept))


def find_said(
    connection: Connection, key: JudgmentKey
) -> tuple[Judgment | None, int | None, int | None]:
    """Return what an assessor says of a document now, by which step, and when; all ``None`` for nothing."""
    found = find_judgment(connection, key)
    return (found.judgment, found.step_id, found.at) if found else (None, None, None)


def is_graded(entry: LogEntry) -> bool:
    """Return whether a change says something else of a document's relevance than was said before."""
    before, after = entry.change.before, entry.change.after
    if (
        after is None
        or entry.origin == MOVE
        or after.state not in (State.JUDGED, State.CANNOT_JUDGE)
    ):
        return False
    return before is None or (before.state, before.grade) != (after.state, after.grade)


def find_regraded(entries: Sequence[LogEntry]) -> tuple[float, float] | None:
    """Return the grade before and the grade after, of one change from grade to grade; else ``None``."""
    if len(entries) != 1:
        return None
    before, after = entries[0].change.before, entries[0].change.after
    if before is None or after is None or before.grade is None or after.grade is None:
        return None
    return (before.grade, after.grade) if before.grade != after.grade else None
