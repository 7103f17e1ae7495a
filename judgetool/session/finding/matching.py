"""Which documents and queries the chips of a filter let through."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import State
from judgetool.session.finding.filters import Filter, FilterKind
from judgetool.session.finding.query_search import QuerySearch
from judgetool.session.finding.text_chips import find_by_texts
from judgetool.session.opinions import Opinion
from judgetool.session.pool import IntArray
from judgetool.session.session import Session
from judgetool.storage.judgments import load_documents_with_text, load_judgments

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


def matching_queries(session: Session, filters: Sequence[Filter]) -> list[int]:
    """Return the queries that match: by themselves, or by at least one of their documents.

    ``text`` and ``category`` look at the query itself; all other chips must be met by
    one and the same document of its pool, its rankings or its judgments.

    Returns:
        Numbers of queries, in the project's order.
    """
    return QuerySearch(session, filters).find(session.reader)


def count_quick(session: Session, chips: Sequence[Filter]) -> int | None:
    """Return how many queries all chips let through; ``None`` where a window must not wait."""
    search = QuerySearch(session, chips)
    return len(search.find(session.reader)) if search.is_quick else None


def query_documents(session: Session, query: int) -> IntArray:
    """Return all documents of a query: its pool, then its rankings, then what is judged."""
    whole = _all_documents(session, query)
    _, first = np.unique(whole, return_index=True)
    return whole[np.sort(first)]


def _all_documents(session: Session, query: int) -> IntArray:
    """Return all documents of a query, some of them several times."""
    material = session.material
    parts = [session.board.pool(query)]
    parts += [material.ranked_documents(run.run_id, query) for run in material.runs]
    parts.append(np.array(list(session.board.settled(query)), dtype=np.int32))
    return np.concatenate(parts)


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
        return np.isin(documents, np.array(found, dtype=np.int32))

    def _test(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:
        test = _TESTS[chip.kind]
        return test(self, query, documents, chip)

    def are_unjudged(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:  # noqa: ARG002 - as all tests
        """Nothing counts for it in the view; of one assessor: they have not settled it."""
        settled = self._session.board.settled(query)
        return ~np.isin(documents, np.fromiter(settled, dtype=np.int32, count=len(settled)))

    def are_judged(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:
        """It has a grade in the view, or just this one."""
        settled = self._session.board.settled(query).items()
        wanted = [
            document
            for document, effective in settled
            if effective.grade is not None and chip.value in (None, effective.grade)
        ]
        return np.isin(documents, np.array(wanted, dtype=np.int32))

    def are_disputed(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:  # noqa: ARG002 - as all tests
        """Assessors gave it different grades."""
        found = [
            document
            for document, opinions in self._opinions(query).items()
            if len({said.judgment.grade for said in opinions} - {None}) > 1
        ]
        return np.isin(documents, np.array(found, dtype=np.int32))

    def are_different(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:
        """The session's assessor and another gave it different grades."""
        found = []
        for document, opinions in self._opinions(query).items():
            grades = {said.assessor: said.judgment.grade for said in opinions}
            mine, theirs = grades.get(self._session.assessor), grades.get(str(chip.value))
            if mine is not None and theirs is not None and mine != theirs:
                found.append(document)
        return np.isin(documents, np.array(found, dtype=np.int32))

    def are_bare(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:
        """Nothing is known of it but its id."""
        if len(documents) > MOST_LOOKED_UP:
            return ~np.isin(documents, load_documents_with_text(self._session.reader))
        return self.are_about(query, documents, chip)

    def are_ranked(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:
        """The run ranks it; or any run, or the chosen one, from here to there."""
        return np.isin(documents, self._ranked(query, chip))

    def _ranked(self, query: int, chip: Filter) -> IntArray:
        material = self._session.material
        name = str(chip.value) if chip.kind == "run" else self._run
        low, high = chip.value if isinstance(chip.value, tuple) else (1, None)
        runs = [run for run in material.runs if name in (None, run.name)]
        parts = [np.zeros(0, dtype=np.int32)]
        parts += [material.ranked_documents(run.run_id, query)[low - 1 : high] for run in runs]
        return np.concatenate(parts)

    def are_about(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:  # noqa: ARG002 - as all tests
        """Its text is as the chip says."""
        found = find_by_texts(self._session.reader, documents, chip)
        return np.isin(documents, np.fromiter(found, dtype=np.int32, count=len(found)))

    def are_of_category(self, query: int, documents: IntArray, chip: Filter) -> BoolArray:
        """The query has this category."""
        category = self._session.material.queries[query].category
        return np.full(len(documents), category == chip.value)

    def _opinions(self, query: int) -> Mapping[int, Sequence[Opinion]]:
        return self._session.opinions(query)


_Test = Callable[[_Matcher, int, IntArray, Filter], BoolArray]
_TESTS: Mapping[FilterKind, _Test] = {
    "unjudged": _Matcher.are_unjudged,
    "judged": _Matcher.are_judged,
    "grade": _Matcher.are_judged,
    "disputed": _Matcher.are_disputed,
    "differs_from": _Matcher.are_different,
    "no_text": _Matcher.are_bare,
    "run": _Matcher.are_ranked,
    "rank": _Matcher.are_ranked,
    "text": _Matcher.are_about,
    "category": _Matcher.are_of_category,
}


def _is_said(said: Opinion, chip: Filter) -> bool:
    return _ON_WHAT_IS_SAID[chip.kind](said, chip)
