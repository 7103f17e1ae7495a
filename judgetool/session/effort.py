"""Effort: how long judging took each assessor, how fast it went, what was changed later.

Made of everything that was said here; and whether grades depend on the place in the list, or
on the grade before.
As flat rows it goes to tables and CSV files.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any, Literal, NamedTuple, TextIO, TypeVar, get_args

from judgetool.core.clock import IDLE_AFTER_MS, iso_utc
from judgetool.core.judgments import Judgment, State
from judgetool.core.scale import format_grade, is_number
from judgetool.formats.output import csv_line, write_text
from judgetool.formats.writers.tables import SafeCells
from judgetool.formats.writers.values import Formulas
from judgetool.session.session import Session
from judgetool.storage.history import EffortEvent, iter_effort_events
from judgetool.storage.judgments import Key
from judgetool.storage.values import load_numbers_of

SITTING_ENDS_MS = 30 * 60_000
"""A sitting ends where nothing is said for so long: what was graded before is no grade before then."""
_SAYS = (State.JUDGED, State.CANNOT_JUDGE, State.SKIPPED)


class EffortRecord(NamedTuple):
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
        position: place in the list of the query, in the order of the queue, from 1; ``None``
            where nothing is known, and for what came by lot or by stake instead.
        previous_grade: the grade that the assessor had given just before to another document, of
            whichever query, in the same sitting; ``None`` where there was none.
        is_blind: whether it was judged blind; ``None`` where nothing is known.
        order: kind of the queue's order, ``drawn`` for what came by lot; ``""`` where nothing is
            known.
        seed: of a random order, or of the lot, or ``None``.
        draw: with which draw of the lot it came, from 1, or ``None``.
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
    draw: int | None = None
    is_changed_later: bool = False
    is_undone: bool = False


def list_efforts(session: Session) -> list[EffortRecord]:
    """Return everything that people said here by key, mouse or command, in order of time.

    What was settled is left out: it is nobody's grade, and no grade before another.
    The time that notes, flags and the like took is in that of the judgment that follows, or else
    the last one.
    """
    place_of = session.material.place_of
    settled = load_numbers_of(session.reader, "settled")
    events = [
        event
        for event in iter_effort_events(session.reader)
        if event.query_id in place_of and event.assessor_id not in settled
    ]
    undone, in_view = _find_undone(events), _InView()
    lines = [event for event in events if event.origin not in ("undo", "redo")]
    n_at_once = Counter(event.step_id for event in lines if _is_said(event))
    before = _GradeBefore()
    records: list[EffortRecord] = []
    last_place: dict[Key, int] = {}
    last_record: dict[Key, int] = {}
    for event in lines:
        in_view.look(event, n_at_once=n_at_once[event.step_id] or 1)
        if not _is_said(event):
            continue
        judgment = event.after or Judgment()
        is_undone = (event.step_id, *_key(event)) in undone
        if not is_undone and (earlier := last_place.pop(_key(event), None)) is not None:
            records[earlier] = records[earlier]._replace(is_changed_later=True)
        if judgment.state not in _SAYS:
            continue
        record = _record(
            session,
            event,
            judgment,
            n_at_once=n_at_once[event.step_id],
            previous=before.take(event, judgment.grade),
        )
        if not is_undone:
            last_place[_key(event)] = len(records)
        last_record[_key(event)] = len(records)
        records.append(in_view.give(_key(event), record._replace(is_undone=is_undone)))
    for key, place in last_record.items():
        records[place] = in_view.give(key, records[place])
    return records


class _GradeBefore:
    """Knows of each assessor what was graded just before, in the order in which it was said."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[Key, int, float | None, float | None]] = {}

    def take(self, event: EffortEvent, grade: float | None) -> float | None:
        """Take in what was said; return the grade of another document before it in this sitting."""
        key = _key(event)
        last, at, given, previous = self._last.get(event.assessor_id, (key, event.at, None, None))
        if event.at - at > SITTING_ENDS_MS:
            given = previous = None
        # Whoever corrects a grade still comes from the document before.
        previous = previous if last == key else given
        if grade is None:
            self._last[event.assessor_id] = last, event.at, given, previous
        else:
            self._last[event.assessor_id] = key, event.at, grade, previous
        return previous


class _InView:
    """Adds up how long documents were in view: each line has the time since the document came."""

    def __init__(self) -> None:
        self._last: dict[Key, tuple[int, float | None]] = {}
        self._waiting: defaultdict[Key, list[tuple[float, float]]]
        self._waiting = defaultdict(list)

    def look(self, event: EffortEvent, *, n_at_once: int) -> None:
        """Keep what a line has of time that none before has; nothing where nobody measured."""
        key, spent = _key(event), _number(event.spent_ms)
        if spent is None:
            return
        active = _number(event.shown.get("active_ms"))
        before, active_before = self._last.get(key, (None, None))
        self._last[key] = event.at, active
        fresh = spent if before is None else max(0.0, min(spent, event.at - before))
        if active is None:
            fresh_active = min(fresh, IDLE_AFTER_MS)
        else:
            is_same_view = fresh < spent and active_before is not None
            fresh_active = max(0.0, active - (active_before or 0.0)) if is_same_view else active
        self._waiting[key].append((fresh / n_at_once, fresh_active / n_at_once))

    def give(self, key: Key, record: EffortRecord) -> EffortRecord:
        """Return a record with the time that was kept for its document since it was given last."""
        waiting = self._waiting.pop(key, None)
        if not waiting:
            return record
        spent, active = map(sum, zip(*waiting, strict=True))
        return record._replace(
            spent_ms=(record.spent_ms or 0.0) + spent,
            active_ms=(record.active_ms or 0.0) + active,
        )


def _key(event: EffortEvent) -> Key:
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
    previous: float | None,
) -> EffortRecord:
    shown = event.shown
    position, seed, draw = (_whole(shown.get(name)) for name in ("position", "seed", "draw"))
    blind = shown.get("blind")
    return EffortRecord(
        event.at,
        session.assessor_name(event.assessor_id),
        session.material.place_of[event.query_id],
        event.document_id,
        judgment.state,
        judgment.grade,
        event.origin,
        n_at_once=n_at_once,
        position=position,
        previous_grade=previous,
        is_blind=blind if isinstance(blind, bool) else None,
        order=str(shown.get("order", "")),
        seed=seed,
        draw=draw,
    )


def _number(value: Any) -> float | None:  # noqa: ANN401 - whatever JSON knows
    return float(value) if is_number(value) else None


def _whole(value: Any) -> int | None:  # noqa: ANN401 - whatever JSON knows
    return int(value) if is_number(value) else None


K = TypeVar("K", bound=Hashable)


class GradesAfter(NamedTuple):
    """The grades that were given right after a grade.

    Attributes:
        previous_grade: the grade just before in the same sitting; ``None``: there was none.
        n: how many were given.
        mean: their mean.
    """

    previous_grade: float | None
    n: int
    mean: float


class GradesAt(NamedTuple):
    """The grades that were given at some places in the lists of queries.

    Attributes:
        first: first place, from 1.
        last: last place.
        n: how many were given.
        mean: their mean.
    """

    first: int
    last: int
    n: int
    mean: float


def grade_after_grade(records: Iterable[EffortRecord]) -> list[GradesAfter]:
    """Return the mean grade by the grade given just before (contrast effect).

    Args:
        records: what was undone, or graded together with others, is left out.

    Returns:
        Without a grade before first, then the lowest one; empty without grades.

    References:
        M. Shokouhi, R. White, E. Yilmaz: Anchoring and adjustment in relevance
        estimation, SIGIR 2015.
    """
    pairs = [(record.previous_grade, grade) for record, grade in _graded(records)]
    groups = sorted(
        _grouped(pairs).items(), key=lambda group: (group[0] is not None, group[0] or 0)
    )
    return [GradesAfter(before, len(given), fmean(given)) for before, given in groups]


def grade_by_position(records: Iterable[EffortRecord], *, width: int = 10) -> list[GradesAt]:
    """Return the mean grade by place in the list of the query, some places at a time.

    Args:
        records: as for :func:`grade_after_grade`; those without a place are left out.
        width: how many places make a row, at least 1.
    """
    pairs = [
        ((record.position - 1) // width, grade)
        for record, grade in _graded(records)
        if record.position is not None
    ]
    return [
        GradesAt(part * width + 1, (part + 1) * width, len(given), fmean(given))
        for part, given in sorted(_grouped(pairs).items())
    ]


def count_without_place(records: Iterable[EffortRecord]) -> int:
    """Return how many grades :func:`grade_by_position` leaves out for want of a place."""
    return sum(record.position is None for record, _ in _graded(records))


def _graded(records: Iterable[EffortRecord]) -> Iterable[tuple[EffortRecord, float]]:
    for record in records:
        if record.grade is not None and record.n_at_once == 1 and not record.is_undone:
            yield record, record.grade


def _grouped(pairs: Sequence[tuple[K, float]]) -> dict[K, list[float]]:
    groups: defaultdict[K, list[float]] = defaultdict(list)
    for key, grade in pairs:
        groups[key].append(grade)
    return groups


class EffortSummary(NamedTuple):
    """The effort of one assessor, over all queries or for one.

    Attributes:
        assessor: the assessor's name.
        query: number of the query; ``None`` for all.
        n_judged: documents with a grade that still holds: neither undone nor taken back.
        n_cannot_judge: times that a document was said to be impossible to judge.
        n_skipped: times that a document was put off.
        n_changed: grades that the assessor changed or took back later.
        n_undone: judgments that were undone and not done again.
        active_ms: active time in all; ``None`` where nobody measured.
        median_ms: median active time of a grade; grades of many at once are left out.
        mean_ms: mean of the same.
        in_view_ms: time in view in all.
        per_hour: documents judged in an hour of all active time: short pauses, skips and
            what was undone are in it. (The status line's pace, of the latest judgments
            without pauses, is higher.)
        key_share: share of what was said by key rather than by mouse, 0 to 1.
        grade_counts: how often each grade was given last, lowest grade first.
        first_at: milliseconds UTC.
        last_at: milliseconds UTC.
    """

    assessor: str
    query: int | None
    n_judged: int
    n_cannot_judge: int
    n_skipped: int
    n_changed: int
    n_undone: int
    active_ms: float | None
    median_ms: float | None
    mean_ms: float | None
    in_view_ms: float | None
    per_hour: float | None
    key_share: float | None
    grade_counts: Mapping[float, int]
    first_at: int
    last_at: int


class EffortTable(NamedTuple):
    """The effort of all assessors.

    Attributes:
        by_assessor: by name.
        by_query: by name, then in the project's order of queries.
        records: what they are made of, in order of time.
    """

    by_assessor: tuple[EffortSummary, ...]
    by_query: tuple[EffortSummary, ...]
    records: tuple[EffortRecord, ...]


def effort_table(session: Session) -> EffortTable:
    """Return the effort of all who judged here; empty when nobody did.

    What an import brought is not in it: nobody spent time on it here.
    """
    records = list_efforts(session)
    by_assessor: defaultdict[str, list[EffortRecord]] = defaultdict(list)
    by_query: defaultdict[tuple[str, int], list[EffortRecord]] = defaultdict(list)
    for record in records:
        by_assessor[record.assessor].append(record)
        by_query[record.assessor, record.query].append(record)
    return EffortTable(
        tuple(_summary(name, None, by_assessor[name]) for name in sorted(by_assessor)),
        tuple(_summary(*key, by_query[key]) for key in sorted(by_query)),
        tuple(records),
    )


def _summary(assessor: str, query: int | None, records: Sequence[EffortRecord]) -> EffortSummary:
    standing = [record for record in records if not record.is_undone]
    # Of what was graded and then skipped, cleared or called impossible no grade is left.
    grades = {
        (record.query, record.document): record.grade
        for record in standing
        if record.grade is not None and not record.is_changed_later
    }
    counts = Counter(grades.values())
    times = [
        r.active_ms
        for r in standing
        if r.active_ms is not None and r.grade is not None and r.n_at_once == 1
    ]
    active = _sum(record.active_ms for record in records)
    by_hand = Counter(record.origin for record in records if record.origin in ("key", "click"))
    moments = [record.at for record in records]
    return EffortSummary(
        assessor=assessor,
        query=query,
        n_judged=len(grades),
        n_cannot_judge=sum(record.state is State.CANNOT_JUDGE for record in standing),
        n_skipped=sum(record.state is State.SKIPPED for record in standing),
        n_changed=sum(r.is_changed_later for r in standing if r.grade is not None),
        n_undone=len(records) - len(standing),
        active_ms=active,
        median_ms=median(times) if times else None,
        mean_ms=fmean(times) if times else None,
        in_view_ms=_sum(record.spent_ms for record in records),
        per_hour=len(grades) * 3_600_000 / active if active else None,
        key_share=by_hand["key"] / by_hand.total() if by_hand else None,
        grade_counts=dict(sorted(counts.items())),
        first_at=min(moments),
        last_at=max(moments),
    )


def _sum(times: Iterable[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return sum(known) if known else None


EffortBy = Literal["assessor", "query", "judgment"]
EFFORT_BY: tuple[EffortBy, ...] = get_args(EffortBy)
Rows = list[tuple[str, ...]]

_SUMMARY_COLUMNS = (
    "judged",
    "cannot_judge",
    "skipped",
    "changed_later",
    "undone",
    "active_s",
    "median_active_s",
    "mean_active_s",
    "in_view_s",
    "judged_per_active_hour",
    "key_share",
    "grades",
    "first_at",
    "last_at",
)
COLUMNS: dict[EffortBy, tuple[str, ...]] = {
    "assessor": ("assessor", *_SUMMARY_COLUMNS),
    "query": ("assessor", "query", *_SUMMARY_COLUMNS),
    "judgment": (
        "at",
        "assessor",
        "query",
        "document",
        "state",
        "grade",
        "origin",
        "in_view_ms",
        "active_ms",
        "graded_at_once",
        "position",
        "previous_grade",
        "blind",
        "order",
        "seed",
        "draw",
        "changed_later",
        "undone",
    ),
}
_IDS = ("assessor", "query", "document")


def effort_rows(session: Session, by: EffortBy = "assessor") -> Rows:
    """Return effort as texts, a row for each assessor, (assessor, query) or judgment.

    Args:
        session: the project.
        by: what a row stands for; its columns are ``COLUMNS[by]``.

    Returns:
        Cells are ``""`` where nothing is known; no rows when nobody judged here.
    """
    table = effort_table(session)
    if by == "judgment":
        ids = session.material.document_ids(sorted({each.document for each in table.records}))
        return [_record_row(session, each, ids[each.document]) for each in table.records]
    if by == "query":
        return [
            (each.assessor, session.material.queries[each.query or 0].id, *_summary_row(each))
            for each in table.by_query
        ]
    return [(each.assessor, *_summary_row(each)) for each in table.by_assessor]


def write_effort_csv(
    session: Session,
    out: TextIO | Path,
    *,
    by: EffortBy = "assessor",
    formulas: Formulas = Formulas.REFUSE_IDS,
) -> list[str]:
    """Write effort as CSV that a spreadsheet shows and does not run.

    Args:
        session: the project.
        out: an open text stream, or a path that is replaced as a whole.
        by: see :func:`effort_rows`.
        formulas: what becomes of ids that look like formulas.

    Returns:
        Notes for people; empty when everything went in as it is.

    Raises:
        InputError: an id looks like a formula and such ids are refused, or the file
            cannot be written; what was there is unchanged.
    """
    notes: list[str] = []
    cells = SafeCells(formulas, notes)
    header = COLUMNS[by]

    def lines() -> Iterable[str]:
        yield csv_line(header)
        for row in effort_rows(session, by):
            yield csv_line(
                tuple(
                    cells.id(cell, name) if name in _IDS else cell
                    for name, cell in zip(header, row, strict=True)
                )
            )

    write_text(lines(), out)
    cells.tell()
    return notes


def _summary_row(summary: EffortSummary) -> tuple[str, ...]:
    counts = summary.grade_counts.items()
    return (
        str(summary.n_judged),
        str(summary.n_cannot_judge),
        str(summary.n_skipped),
        str(summary.n_changed),
        str(summary.n_undone),
        _seconds(summary.active_ms),
        _seconds(summary.median_ms),
        _seconds(summary.mean_ms),
        _seconds(summary.in_view_ms),
        _decimals(summary.per_hour, 1),
        _decimals(summary.key_share, 3),
        " ".join(f"{format_grade(grade)}:{count}" for grade, count in counts),
        iso_utc(summary.first_at),
        iso_utc(summary.last_at),
    )


def _record_row(session: Session, record: EffortRecord, document_id: str) -> tuple[str, ...]:
    return (
        iso_utc(record.at),
        record.assessor,
        session.material.queries[record.query].id,
        document_id,
        str(record.state),
        _grade(record.grade),
        record.origin,
        _decimals(record.spent_ms, 0),
        _decimals(record.active_ms, 0),
        str(record.n_at_once),
        _count(record.position),
        _grade(record.previous_grade),
        "" if record.is_blind is None else _yes(record.is_blind),
        record.order,
        _count(record.seed),
        _count(record.draw),
        _yes(record.is_changed_later),
        _yes(record.is_undone),
    )


def _yes(fact: object) -> str:
    return "yes" if fact else "no"


def _count(count: int | None) -> str:
    return "" if count is None else str(count)


def _grade(grade: float | None) -> str:
    return "" if grade is None else format_grade(grade)


def _seconds(time_ms: float | None) -> str:
    return _decimals(None if time_ms is None else time_ms / 1000, 1)


def _decimals(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
