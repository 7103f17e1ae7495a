"""Who judged what in a project, for agreement between its assessors."""

from collections.abc import Sequence

from judgetool.metrics import AgreementData
from judgetool.session.judgment_book import settled_rows
from judgetool.session.session import Session
from judgetool.storage.values import load_assessors

COUNTING_KINDS = ("human", "import")
"""Who counts unless named: people and imports; models do not."""


def counting_assessors(session: Session) -> list[str]:
    """Return the names of those who count where nobody is named, first known first."""
    return [each.name for each in load_assessors(session.reader) if each.kind in COUNTING_KINDS]


def agreement_data(
    session: Session, names: Sequence[str], levels: Sequence[float], relevant_from: float
) -> AgreementData:
    """Return what some assessors graded; 'cannot judge' and skipped do not count.

    Args:
        session: the project.
        names: whose judgments.
        levels: of the scale.
        relevant_from: lowest grade that counts as relevant.

    Returns:
        Queries in the project's order; no rows where nobody graded anything.
    """
    wanted = set(names)
    rows = [
        (row.query, row.document, session.assessor_name(row.assessor), row.grade)
        for row in settled_rows(session.reader, session.material.place_of)
        if row.grade is not None
    ]
    kept = sorted((row for row in rows if row[2] in wanted), key=lambda row: row[0])
    return AgreementData.of_columns(
        [session.material.queries[query].id for query, *_ in kept],
        [document for _, document, *_ in kept],
        [name for *_, name, _ in kept],
        [grade for *_, grade in kept],
        levels=levels,
        relevant_from=relevant_from,
    )
