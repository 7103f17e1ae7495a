"""Effort: how long judging took each assessor, how fast it went, what was changed later."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from judgetool.core.judgments import State
from judgetool.session.effort.effects import (
    GradesAfter,
    GradesAt,
    grade_after_grade,
    grade_by_position,
)
from judgetool.session.effort.records import IDLE_AFTER_MS, EffortRecord, list_efforts
from judgetool.session.session import Session

__all__ = [
    "IDLE_AFTER_MS",
    "EffortRecord",
    "EffortSummary",
    "EffortTable",
    "GradesAfter",
    "GradesAt",
    "effort_table",
    "grade_after_grade",
    "grade_by_position",
    "list_efforts",
]


@dataclass(frozen=True, slots=True)
class EffortSummary:
    """The effort of one assessor, over all queries or for one.

    Attributes:
        assessor: the assessor's name.
        query: number of the query; ``None`` for all.
        n_judged: documents that got a grade which was not undone.
        n_cannot_judge: times that a document was said to be impossible to judge.
        n_skipped: times that a document was put off.
        n_changed: grades that the assessor changed or took back later.
        n_undone: judgments that were undone and not done again.
        active_ms: active time in all; ``None`` where nobody measured.
        median_ms: median active time of a grade; grades of many at once are left out.
        mean_ms: mean of the same.
        in_view_ms: time in view in all.
        per_hour: documents judged in an hour of active time.
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


@dataclass(frozen=True, slots=True)
class EffortTable:
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
    grades = {
        (record.query, record.document): record.grade
        for record in standing
        if record.grade is not None
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
        grade_counts={grade: counts[grade] for grade in sorted(counts)},
        first_at=min(moments),
        last_at=max(moments),
    )


def _sum(times: Iterable[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return sum(known) if known else None
