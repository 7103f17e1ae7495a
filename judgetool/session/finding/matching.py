"""Which documents and queries the chips of a filter let through, and the assessor's own judgments."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from judgetool.core.judgments import Judgment, State
from judgetool.session.board import pair_keys, split_keys
from judgetool.session.finding.filters import Filter
from judgetool.session.finding.query_search import PairFilter, QuerySearch
from judgetool.session.judgment_book import Opinion
from judgetool.session.pool import IntArray
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


def list_own_judgments(session: Session, *, since: int | None = None) -> list[ReviewRow]:
    """Return what the session's assessor has said, newest first; empty when nothing is said.

    Args:
        session: the project.
        since: only what was said then or later, milliseconds UTC.
    """
    assessor = session.assessor_id
    if assessor is None:
        return []
    places = session.material.place_of
    keys = [
        (places[key.query_id], key.document_id)
        for key in load_said_by(session.reader, assessor)
        if key.query_id in places and (since is None or key.at >= since)
    ]
    said: dict[tuple[int, int], list[Opinion]] = {}
    for query in {query for query, _ in keys}:
        for _, document, opinion, _ in session.iter_judgments(query):
            said.setdefault((query, document), []).append(opinion)
    return [_row(session.assessor, *key, said[key]) for key in keys]


def _row(assessor: str, query: int, document: int, said: Sequence[Opinion]) -> ReviewRow:
    own = next(each for each in said if each.assessor == assessor)
    others = tuple(each for each in said if each.assessor != assessor)
    return ReviewRow(query, document, own.judgment, own.at, others)


def matching_documents(
    session: Session, query: int, documents: Sequence[int] | IntArray, filters: Sequence[Filter]
) -> list[int]:
    """Return those documents of a query that every chip lets through; see :class:`PairFilter`.

    Args:
        session: the project.
        query: number of the query.
        documents: numbers of documents, such as the list that is shown.
        filters: none lets everything through.

    Returns:
        In the order given.
    """
    members = np.asarray(documents, dtype=np.int64)
    chips, reader = PairFilter(session, filters, query), session.reader
    keys = pair_keys(np.full(len(members), query), members)
    found: list[int] = split_keys(chips.narrow(keys, chips.find_named(reader), reader))[1].tolist()
    return found


def count_quick(session: Session, chips: Sequence[Filter]) -> int | None:
    """Return how many queries all chips let through; ``None`` where a window must not wait."""
    search = QuerySearch(session, chips)
    return len(search.find_here()) if search.is_quick else None
