"""What a grade may owe to the order of judging: the grade before it, the place in the queue."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from statistics import fmean
from typing import NamedTuple, TypeVar

from judgetool.session.effort.records import EffortRecord, list_efforts
from judgetool.session.session import Session

K = TypeVar("K", bound=Hashable)


class GradesAfter(NamedTuple):
    """The grades that were given right after a grade.

    Attributes:
        previous_grade: the grade just before in the same query; ``None``: there was none.
        n: how many were given.
        mean: their mean.
    """

    previous_grade: float | None
    n: int
    mean: float


class GradesAt(NamedTuple):
    """The grades that were given at some places of the queue.

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


def grade_after_grade(
    session: Session,
    *,
    assessor: str | None = None,
    records: Iterable[EffortRecord] | None = None,
) -> list[GradesAfter]:
    """Return the mean grade by the grade given just before (contrast effect).

    Args:
        session: the project.
        assessor: only this one's; ``None`` for all.
        records: where they have been read already; what was undone, or graded together
            with others, is left out.

    Returns:
        Without a grade before first, then the lowest one; empty without grades.

    References:
        M. Shokouhi, R. White, E. Yilmaz: Anchoring and adjustment in relevance
        estimation, SIGIR 2015.
    """
    found = list_efforts(session) if records is None else records
    pairs = [(record.previous_grade, grade) for record, grade in _graded(found, assessor)]
    groups = _grouped(pairs)
    known = sorted(grade for grade in groups if grade is not None)
    before: list[float | None] = [None, *known] if None in groups else [*known]
    return [GradesAfter(grade, len(groups[grade]), fmean(groups[grade])) for grade in before]


def grade_by_position(
    session: Session,
    *,
    assessor: str | None = None,
    width: int = 10,
    records: Iterable[EffortRecord] | None = None,
) -> list[GradesAt]:
    """Return the mean grade by place in the queue, some places at a time.

    Args:
        session: the project.
        assessor: only this one's; ``None`` for all.
        width: how many places make a row, at least 1.
        records: as for :func:`grade_after_grade`; those without a place are left out.
    """
    found = list_efforts(session) if records is None else records
    pairs = [
        ((record.position - 1) // width, grade)
        for record, grade in _graded(found, assessor)
        if record.position is not None
    ]
    groups = _grouped(pairs)
    return [
        GradesAt(part * width + 1, (part + 1) * width, len(groups[part]), fmean(groups[part]))
        for part in sorted(groups)
    ]


def _graded(
    records: Iterable[EffortRecord], assessor: str | None
) -> Iterable[tuple[EffortRecord, float]]:
    for record in records:
        is_alone = record.n_at_once == 1 and not record.is_undone
        if record.grade is not None and is_alone and assessor in (None, record.assessor):
            yield record, record.grade


def _grouped(pairs: Sequence[tuple[K, float]]) -> dict[K, list[float]]:
    groups: defaultdict[K, list[float]] = defaultdict(list)
    for key, grade in pairs:
        groups[key].append(grade)
    return groups
