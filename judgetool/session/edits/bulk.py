"""Grading many documents at once: what it would change, before it does."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgetool.core.judgments import Judgment, State
from judgetool.session.commands import Say
from judgetool.session.session import Session


@dataclass(frozen=True, slots=True)
class BulkPlan:
    """What giving several documents one grade would do to the assessor's own judgments.

    Attributes:
        changes: documents without a grade of the assessor's that would get it.
        already: documents that have this grade already, and stay as they are.
        regraded: documents that would change their grade, by the grade they have.
        cannot_judge: how many of ``changes`` the assessor said cannot be judged.
        command: does it; ``None`` when nothing would change.
    """

    changes: int
    already: int
    regraded: Mapping[float, int]
    cannot_judge: int
    command: Say | None

    @property
    def n_regraded(self) -> int:
        """Documents that would change their grade."""
        return sum(self.regraded.values())


def plan_bulk(session: Session, query: int, documents: Sequence[int], grade: float) -> BulkPlan:
    """Return what giving these documents a grade would do.

    Args:
        session: the project.
        query: number of the query.
        documents: numbers of the documents; one that stands twice counts once.
        grade: a grade of the scale.
    """
    own = _own_judgments(session, query)
    distinct = list(dict.fromkeys(map(int, documents)))
    found = [own.get(document, Judgment()) for document in distinct]
    grades = [judgment.grade for judgment in found if judgment.grade is not None]
    regraded = Counter(old for old in grades if old != grade)
    changed = [d for d, judgment in zip(distinct, found, strict=True) if judgment.grade != grade]
    return BulkPlan(
        changes=sum(judgment.grade is None for judgment in found),
        already=sum(judgment.grade == grade for judgment in found),
        regraded={old: regraded[old] for old in sorted(regraded)},
        cannot_judge=sum(judgment.state is State.CANNOT_JUDGE for judgment in found),
        command=Say.grade_many(tuple((query, d) for d in changed), grade) if changed else None,
    )


def unjudged_below(session: Session, query: int, documents: Sequence[int], place: int) -> list[int]:
    """Return the unjudged documents that stand below a place.

    Args:
        session: the project.
        query: number of the query.
        documents: what is shown, in order.
        place: from 0; the document there is not among the result. -1 for all.

    Returns:
        In the order shown; those that count in the chosen view as judged, or as
        impossible to judge, are left out.
    """
    settled = session.board.settled(query)
    return [int(document) for document in documents[place + 1 :] if int(document) not in settled]


def _own_judgments(session: Session, query: int) -> dict[int, Judgment]:
    return {
        document: opinion.judgment
        for document, opinions in session.opinions(query).items()
        for opinion in opinions
        if opinion.assessor == session.assessor
    }
