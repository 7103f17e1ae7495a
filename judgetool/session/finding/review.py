"""'Review mine': what the session's assessor has said, newest first."""

from collections.abc import Sequence
from typing import NamedTuple

from judgetool.core.judgments import Judgment, State
from judgetool.session.finding.filters import Filter
from judgetool.session.finding.matching import matching_documents, read_opinions
from judgetool.session.opinions import Opinion
from judgetool.session.session import Session
from judgetool.storage.judgments import load_said_by


class ReviewRow(NamedTuple):
    """One own judgment, with what others say of the same document.

    Attributes:
        query: number of the query.
        document: number of the document.
        judgment: what the assessor says.
        at: when they said it last, milliseconds UTC.
        others: what others say, first assessor first.
    """

    query: int
    document: int
    judgment: Judgment
    at: int
    others: tuple[Opinion, ...]

    @property
    def is_disputed(self) -> bool:
        """Whether somebody else gave another grade."""
        own = self.judgment.grade
        return own is not None and any(
            each.judgment.state is State.JUDGED and each.judgment.grade != own
            for each in self.others
        )


def list_own_judgments(
    session: Session,
    *,
    filters: Sequence[Filter] = (),
    since: int | None = None,
    until: int | None = None,
    query: int | None = None,
) -> list[ReviewRow]:
    """Return what the session's assessor has said, newest first.

    Args:
        session: the project.
        filters: chips; those on what is said look at the assessor's own judgments,
            ``disputed`` and ``differs_from`` at others' as well.
        since: only what was said then or later, milliseconds UTC.
        until: only what was said before that, milliseconds UTC.
        query: only of this query; ``None`` for all.

    Returns:
        Empty when nothing is said, or nothing fits.
    """
    assessor = session.assessor_id
    if assessor is None:
        return []
    places = session.material.place_of
    keys = [
        (places[key.query_id], key.document_id, key.at)
        for key in load_said_by(session.reader, assessor)
        if key.query_id in places
        and (since is None or key.at >= since)
        and (until is None or key.at < until)
    ]
    keys = [key for key in keys if query is None or key[0] == query]
    kept = _matching_pairs(session, {(q, d) for q, d, _ in keys}, filters)
    said = {query: read_opinions(session, query) for query in {query for query, _ in kept}}
    return [_row(session.assessor, q, d, said[q][d]) for q, d, _ in keys if (q, d) in kept]


def _matching_pairs(
    session: Session, pairs: set[tuple[int, int]], filters: Sequence[Filter]
) -> set[tuple[int, int]]:
    if not filters:
        return pairs
    by_query: dict[int, list[int]] = {}
    for query, document in sorted(pairs):
        by_query.setdefault(query, []).append(document)
    chips = [Filter("mine"), *filters]
    return {
        (query, document)
        for query, documents in by_query.items()
        for document in matching_documents(session, query, documents, chips)
    }


def _row(assessor: str, query: int, document: int, said: Sequence[Opinion]) -> ReviewRow:
    own = next(each for each in said if each.assessor == assessor)
    others = tuple(each for each in said if each.assessor != assessor)
    return ReviewRow(query, document, own.judgment, own.at, others)
