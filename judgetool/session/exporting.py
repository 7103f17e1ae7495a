"""What is written out: rows for the writers of ``formats``."""

from collections.abc import Iterator

from judgetool.core.clock import iso_utc
from judgetool.errors import InputError
from judgetool.formats import GradeRow, JudgmentRow, RunRow
from judgetool.session.session import Session


def iter_grade_rows(session: Session) -> Iterator[GradeRow]:
    """Yield the grades of the session's view: queries in order, documents by id."""
    ids = session.material.document_ids()
    for number, query in enumerate(session.material.queries):
        graded = [
            (ids[document], effective.grade)
            for document, effective in session.board.settled(number).items()
            if effective.grade is not None
        ]
        for document_id, grade in sorted(graded):
            yield GradeRow(query.id, document_id, grade)


def iter_judgment_rows(session: Session, *, assessor: str = "") -> Iterator[JudgmentRow]:
    """Yield everything said, or what one assessor said, by query, document and assessor."""
    ids = session.material.document_ids()
    queries = session.material.queries
    rows = [
        JudgmentRow(
            queries[query].id,
            ids[document],
            opinion.assessor,
            opinion.judgment.grade,
            str(opinion.judgment.state),
            opinion.judgment.note,
            iso_utc(at),
        )
        for query, document, opinion, at in session.iter_judgments()
        if not assessor or opinion.assessor == assessor
    ]
    place = {query.id: number for number, query in enumerate(queries)}
    yield from sorted(rows, key=lambda row: (place[row.query_id], row.document_id, row.assessor))


def iter_run_rows(session: Session, name: str) -> Iterator[RunRow]:
    """Yield a run's results, query by query, best first.

    Raises:
        InputError: the project has no run of this name; the text lists those it has.
    """
    run = session.material.find_run(name)
    if run is None:
        names = ", ".join(row.name for row in session.material.runs) or "none"
        raise InputError(f"There is no run {name!r} in {session.path.name}. It has: {names}.")
    ids = session.material.document_ids()
    for number, query in enumerate(session.material.queries):
        ranking = session.material.ranking(run.run_id, number)
        for place, document in enumerate(ranking.documents.tolist()):
            score = None if ranking.scores is None else float(ranking.scores[place])
            yield RunRow(query.id, ids[document], score)


def find_assessor(session: Session, name: str) -> str:
    """Return the assessor's name if they have judged in this project.

    Raises:
        InputError: nobody of that name has; the text lists who has.
    """
    if name not in session.assessors:
        names = ", ".join(session.assessors) or "nobody"
        raise InputError(f"{name!r} has not judged in {session.path.name}. Who has: {names}.")
    return name
