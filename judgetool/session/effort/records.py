"""What the log tells of each judgment: how it came about, how long it took, what became of it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from judgetool.core.judgments import Judgment, State
from judgetool.session.session import Session
from judgetool.storage.history import EffortEvent, iter_effort_events

IDLE_AFTER_MS = 60_000
"""The idle rule: of a pause without key, click or scrolling only the first 60 s are active."""

_SAYS = (State.JUDGED, State.CANNOT_JUDGE, State.SKIPPED)


@dataclass(frozen=True, slots=True)
class EffortRecord:
    """One time that an assessor graded, skipped, or said that a document cannot be judged.

    Attributes:
        at: when, milliseconds UTC.
        assessor: the assessor's name.
        query: number of the query.
        document: number of the document.
        state: what was said.
        grade: ``None`` unless graded.
        origin: ``key``, ``click``, ``command``.
        spent_ms: time in view; of several graded at once each has an equal part;
            ``None`` where nobody measured.
        active_ms: time in view without idleness, likewise. Where the window did not
            measure it: the time in view, at most ``IDLE_AFTER_MS``.
        n_at_once: how many documents were graded in one go.
        position: place in the queue, from 1, or ``None``.
        previous_grade: the grade that the assessor had given just before in the same
            query; ``None`` where there was none.
        is_blind: whether it was judged blind; ``None`` where nothing is known.
        order: kind of the queue's order, ``""`` where nothing is known.
        seed: of a random order, or ``None``.
        is_changed_later: whether the assessor said something else later.
        is_undone: whether it was undone and not done again.
    """

    at: int
    assessor: str
    query: int
    document: int
    state: State
    grade: float | None
    origin: str
    spent_ms: float | None = None
    active_ms: float | None = None
    n_at_once: int = 1
    position: int | None = None
    previous_grade: float | None = None
    is_blind: bool | None = None
    order: str = ""
    seed: int | None = None
    is_changed_later: bool = False
    is_undone: bool = False


def list_efforts(session: Session) -> list[EffortRecord]:
    """Return everything that was said here by key, mouse or command, in order of time."""
    place_of = session.material.place_of
    events = [e for e in iter_effort_events(session.reader) if e.query_id in place_of]
    undone = _find_undone(events)
    said = [event for event in events if event.origin not in ("undo", "redo") and _is_said(event)]
    n_at_once = Counter(event.step_id for event in said)
    last_grade: dict[tuple[int, int], float] = {}
    records: list[EffortRecord] = []
    last_place: dict[tuple[int, int, int], int] = {}
    for event in said:
        judgment = event.after or Judgment()
        is_undone = (event.step_id, *_key(event)) in undone
        if not is_undone and (before := last_place.pop(_key(event), None)) is not None:
            records[before] = replace(records[before], is_changed_later=True)
        if judgment.state not in _SAYS:
            continue
        by = (event.assessor_id, event.query_id)
        record = _record(
            session, event, judgment, n_at_once=n_at_once[event.step_id], last=last_grade.get(by)
        )
        if not is_undone:
            last_place[_key(event)] = len(records)
        if judgment.grade is not None:
            last_grade[by] = judgment.grade
        records.append(replace(record, is_undone=is_undone))
    return records


def _key(event: EffortEvent) -> tuple[int, int, int]:
    return event.query_id, event.document_id, event.assessor_id


def _is_said(event: EffortEvent) -> bool:
    """Whether the state or the grade became another; a note alone says nothing of relevance."""
    before, after = event.before or Judgment(), event.after or Judgment()
    return (before.state, before.grade) != (after.state, after.grade)


def _find_undone(events: Iterable[EffortEvent]) -> set[tuple[int, int, int, int]]:
    undone: set[tuple[int, int, int, int]] = set()
    for event in events:
        if event.origin == "undo":
            undone.add((event.step_id, *_key(event)))
        elif event.origin == "redo":
            undone.discard((event.step_id, *_key(event)))
    return undone


def _record(
    session: Session,
    event: EffortEvent,
    judgment: Judgment,
    *,
    n_at_once: int,
    last: float | None,
) -> EffortRecord:
    shown = event.shown
    spent = _number(event.spent_ms)
    active = _number(shown.get("active_ms"))
    if active is None and spent is not None:
        active = min(spent, IDLE_AFTER_MS)
    previous = _number(shown["previous_grade"]) if "previous_grade" in shown else last
    position, seed = _number(shown.get("position")), _number(shown.get("seed"))
    blind = shown.get("blind")
    return EffortRecord(
        event.at,
        session.assessor_name(event.assessor_id),
        session.material.place_of[event.query_id],
        event.document_id,
        judgment.state,
        judgment.grade,
        event.origin,
        spent_ms=None if spent is None else spent / n_at_once,
        active_ms=None if active is None else active / n_at_once,
        n_at_once=n_at_once,
        position=None if position is None else int(position),
        previous_grade=previous,
        is_blind=blind if isinstance(blind, bool) else None,
        order=str(shown.get("order", "")),
        seed=None if seed is None else int(seed),
    )


def _number(value: Any) -> float | None:  # noqa: ANN401 - whatever JSON knows
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number else None
