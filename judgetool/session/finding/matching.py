"""Which documents and queries the chips of a filter let through, and the assessor's own judgments."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import Judgment, State
from judgetool.session.finding.filters import Filter, FilterKind
from judgetool.session.finding.query_search import QuerySearch, find_by_texts
from judgetool.session.judgment_book import Opinion
from judgetool.session.pool import IntArray, LongArray
from judgetool.session.session import Session
from judgetool.storage.judgments import load_documents_with_text, load_judgments, load_said_by


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


BoolArray = npt.NDArray[np.bool_]
# Of more documents than this, looking up each takes longer than reading which have a text.
MOST_LOOKED_UP = 2000


def matching_documents(
    session: Session, query: int, documents: Sequence[int] | IntArray, filters: Sequence[Filter]
) -> list[int]:
    """Return those documents of a query that every chip lets through.

    With ``by`` or ``mine`` the chips on what is said (``grade``, ``flagged``, …) look at
    what that assessor said; otherwise at the chosen view and at what anybody said.

    Args:
        session: the project.
        query: number of the query.
        documents: numbers of documents, such as the list that is shown.
        filters: none lets everything through.

    Returns:
        In the order given.
    """
    members = np.asarray(documents, dtype=np.int32)
    found: list[int] = members[_Matcher(session, filters).mask(query, members)].tolist()
    return found


def count_quick(session: Session, chips: Sequence[Filter]) -> int | None:
    """Return how many queries all chips let through; ``None`` where a window must not wait."""
    search = QuerySearch(session, chips)
    return len(search.find_here()) if search.is_quick else None


def read_opinions(session: Session, query: int) -> Mapping[int, Sequence[Opinion]]:
    """Return what is said of a query's documents, read from the file.

    For passes over many queries: the session keeps those that were asked for last, and
    would forget the ones that are shown.
    """
    said: dict[int, list[Opinion]] = {}
    for key, stored in load_judgments(session.reader, session.material.query_ids[query]):
        name = session.assessor_name(key.assessor)
        said.setdefault(key.document, []).append(Opinion(name, stored.judgment, stored.at))
    return said


_Said = Callable[[Opinion, Filter], bool]
_ON_WHAT_IS_SAID: Mapping[FilterKind, _Said] = {
    "flagged": lambda said, _: said.judgment.flagged,
    "noted": lambda said, _: bool(said.judgment.note),
    "cannot_judge": lambda said, _: said.judgment.state is State.CANNOT_JUDGE,
    "skipped": lambda said, _: said.judgment.state is State.SKIPPED,
    "has_rationale": lambda said, _: bool(said.judgment.spans),
    "confidence": lambda said, chip: said.judgment.confidence == chip.value,
    "changed_since": lambda said, chip: said.at >= int(str(chip.value)),
    "grade": lambda said, chip: said.judgment.grade == chip.value,
    "judged": lambda said, _: said.judgment.state is State.JUDGED,
    "by": lambda said, chip: said.assessor == chip.value,
}
_BY_GRADE = ("judged", "grade")


class _Matcher:
    """Chips, with what they need of the project read once."""

    def __init__(self, session: Session, filters: Sequence[Filter]) -> None:
        self._session = session
        mine = Filter("by", session.assessor)
        self._filters = [mine if chip.kind == "mine" else chip for chip in filters]
        self._is_of_one = any(chip.kind == "by" for chip in self._filters)
        self._run = next((str(c.value) for c in filters if c.kind == "run"), None)

    def mask(self, query: int, documents: IntArray) -> BoolArray:
        """Return which documents every chip lets through, shape (n,)."""
        mask = np.ones(len(documents), dtype=bool)
        said = [chip for chip in self._filters if self._is_on_what_is_said(chip)]
        if said:
            mask &= self._are_said(query, documents, said)
        for chip in self._filters:
            if chip not in said and mask.any():
                mask[mask] = self._test(query, documents[mask], chip)
        return mask

    def _is_on_what_is_said(self, chip: Filter) -> bool:
        if chip.kind in _BY_GRADE:
            return self._is_of_one
        return chip.kind in _ON_WHAT_IS_SAID

    def _are_said(self, query: int, documents: IntArray, chips: Sequence[Filter]) -> BoolArray:
        found = []
        for document, opinions in self._opinions(query).items():
            if self._is_of_one:
                fits = any(all(_is_said(said, chip) for chip in chips) for said in opinions)
            else:
                fits = all(any(_is_said(said, chip) for said in opinions) for chip in chips)
            if fits:
                found.append(document)
        return _are_in(documents, found)

    def _test(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:
        """Return which documents a chip lets through that is not on what is said."""
        kind, session = chip.kind, self._session
        is_left_out = kind == "unjudged"
        if kind == "category":
            category = session.material.queries[query].category
            return np.full(len(documents), category == chip.value)
        found: Iterable[int] | IntArray | LongArray = session.board.settled(query)
        if kind in ("run", "rank"):
            found = self._ranked(query, chip)
        elif kind == "no_text" and len(documents) > MOST_LOOKED_UP:
            found, is_left_out = load_documents_with_text(session.reader), True
        elif kind in ("no_text", "text"):
            found = find_by_texts(session.reader, documents, chip)
        elif kind in ("disputed", "differs_from"):
            found = self._differing(query, chip)
        elif kind in ("judged", "grade"):
            grades = ((each, said.grade) for each, said in session.board.settled(query).items())
            found = [each for each, g in grades if g is not None and chip.value in (None, g)]
        mask = _are_in(documents, found)
        return ~mask if is_left_out else mask

    def _differing(self, query: int, chip: Filter) -> Iterator[int]:
        """Yield what assessors, or the session's and the chip's, gave different grades."""
        for document, opinions in self._opinions(query).items():
            grades = {said.assessor: said.judgment.grade for said in opinions}
            if chip.kind == "differs_from":
                both = (self._session.assessor, str(chip.value))
                grades = {name: grades.get(name) for name in both}
            if len({*grades.values()} - {None}) > 1:
                yield document

    def _ranked(self, query: int, chip: Filter) -> IntArray:
        material = self._session.material
        name = str(chip.value) if chip.kind == "run" else self._run
        low, high = chip.value if isinstance(chip.value, tuple) else (1, None)
        runs = [run for run in material.runs if name in (None, run.name)]
        parts = [np.zeros(0, dtype=np.int32)]
        parts += [material.ranked_documents(run.run_id, query)[low - 1 : high] for run in runs]
        return np.concatenate(parts)

    def _opinions(self, query: int) -> Mapping[int, Sequence[Opinion]]:
        return self._session.opinions(query)


def _are_in(documents: IntArray, found: Iterable[int] | IntArray | LongArray) -> BoolArray:
    members = found if isinstance(found, np.ndarray) else np.fromiter(found, dtype=np.int32)
    return np.isin(documents, members)


def _is_said(said: Opinion, chip: Filter) -> bool:
    return _ON_WHAT_IS_SAID[chip.kind](said, chip)
