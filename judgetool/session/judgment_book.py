"""The present judgments in memory: what each assessor says, and what counts in the chosen view."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from judgetool.core.judgments import DEFAULT_VIEW, Judgment, JudgmentKey, Said, ViewRule, is_tied
from judgetool.storage.connection import Connection
from judgetool.storage.judgments import load_flagged, load_judgments, load_settled
from judgetool.storage.values import AssessorRow, load_assessors, load_step_order

# Queries kept in memory: the one that is shown is asked for many times at every key.
MOST_KEPT = 20


class Opinion(NamedTuple):
    """What one assessor says of a document.

    Attributes:
        assessor: the assessor's name.
        judgment: what is said.
        at: when it was said last, milliseconds UTC.
    """

    assessor: str
    judgment: Judgment
    at: int = 0


class Opinions:
    """Reads opinions from the file, and keeps those of the queries asked for last.

    Args:
        reader: a connection of the session's thread.
        query_ids: the queries' numbers in the file, by the session's numbers.
        speaker: returns whose words a judgment is for the session's assessor, by the session's
            number of the query and its key; ``None`` for one that is not shown to them.
        plain_names: returns the names by number where nobody has to be asked that: a query may
            have thousands of judgments; ``None`` elsewhere.
        is_heard: whether an assessor's flags are shown to the session's.
    """

    def __init__(
        self,
        reader: Connection,
        query_ids: tuple[int, ...],
        speaker: Callable[[int, JudgmentKey], str | None],
        plain_names: Callable[[], Mapping[int, str] | None],
        is_heard: Callable[[str], bool],
    ) -> None:
        self._reader = reader
        self._query_ids = query_ids
        self._speaker = speaker
        self._plain_names = plain_names
        self._is_heard = is_heard
        self._kept: dict[int, dict[int, list[Opinion]]] = {}
        # By query and document the names of those who have flagged it; of queries in `_kept`.
        self._flagged: dict[int, defaultdict[int, list[str]]] = {}

    def of_query(self, query: int) -> Mapping[int, list[Opinion]]:
        """Return what is said of a query's documents: by document, first assessor first."""
        if query not in self._kept:
            while len(self._kept) >= MOST_KEPT:
                oldest = next(iter(self._kept))
                del self._kept[oldest], self._flagged[oldest]
            self._flagged[query] = defaultdict(list)
            self._kept[query] = self._load(query)
        return self._kept[query]

    def has_flag(self, query: int) -> bool:
        """Return whether somebody who is heard has flagged a document of a query."""
        self.of_query(query)
        return any(self._is_heard(name) for name in chain(*self._flagged[query].values()))

    def find_flagged(self) -> set[int]:
        """Return all queries of which :meth:`has_flag` is true."""
        place_of = {number: place for place, number in enumerate(self._query_ids)}
        found = set()
        for key in load_flagged(self._reader):
            place = place_of.get(key.query)
            name = None if place is None else self._speaker(place, key)
            if place is not None and name is not None and self._is_heard(name):
                found.add(place)
        return found

    def _load(self, query: int, document: int | None = None) -> dict[int, list[Opinion]]:
        said: dict[int, list[Opinion]] = {}
        names = self._plain_names()
        for key, stored in load_judgments(self._reader, self._query_ids[query], document):
            name = self._speaker(query, key) if names is None else names.get(key.assessor, "?")
            if name is None:
                continue
            said.setdefault(key.document, []).append(Opinion(name, stored.judgment, stored.at))
            if stored.judgment.flagged:
                self._flagged[query][key.document].append(name)
        return said

    def renew(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Read some (query, document) pairs anew, after their judgments have changed."""
        for query, document in pairs:
            if query in self._kept:
                self._kept[query].pop(document, None)
                self._flagged[query].pop(document, None)
                self._kept[query].update(self._load(query, document))


COUNTS_KEY = "counts"
"""The project's value that says by name who counts, where that is not as their kind has it."""

COUNTING_KINDS = ("human", "import", "settled")
"""Who counts where nobody has said otherwise: people, imports, what was settled; not models."""

V = TypeVar("V")


class Counting(NamedTuple):
    """Who of a project's assessors counts in views, and whose word ends a disagreement.

    Nobody left out, and nothing settled: as of a project of people alone.

    Attributes:
        left_out: numbers of those who do not count.
        final: numbers of those whose judgments are what was settled, and count.
    """

    left_out: frozenset[int] = frozenset()
    final: frozenset[int] = frozenset()

    @property
    def is_plain(self) -> bool:
        """Whether everybody counts alike."""
        return not (self.left_out or self.final)

    def counted(self, said: Mapping[int, V]) -> Mapping[int, V]:
        """Return of what is said, by assessor, that which counts: what is settled, else of all who count."""
        final = {who: said[who] for who in said if who in self.final}
        return final or {who: said[who] for who in said if who not in self.left_out}


EVERYBODY = Counting()
"""All assessors count alike."""


def does_count(assessor: AssessorRow, counts: Mapping[str, bool]) -> bool:
    """Return whether an assessor enters views.

    Args:
        assessor: who.
        counts: what :data:`COUNTS_KEY` says.
    """
    return counts.get(assessor.name, assessor.kind in COUNTING_KINDS)


def find_standing(reader: Connection, values: Mapping[str, Any]) -> Counting:
    """Return who counts in a project.

    Args:
        reader: a connection of the calling thread.
        values: the project's own values.
    """
    counts = counts_of(values)
    left_out, final = set(), set()
    for each in load_assessors(reader):
        if not does_count(each, counts):
            left_out.add(each.assessor_id)
        elif each.kind == "settled":
            final.add(each.assessor_id)
    return Counting(frozenset(left_out), frozenset(final))


def counts_of(values: Mapping[str, Any]) -> Mapping[str, bool]:
    """Return who counts or does not, by name, against what their kind would have."""
    counts = values.get(COUNTS_KEY)
    return counts if isinstance(counts, dict) else {}


_Settling = tuple[float | None, int, int]
"""Grade, step and time of a judgment that settles a document."""


class Effective(NamedTuple):
    """What counts for a (query, document) in the chosen view.

    Attributes:
        grade: folded grade; ``None`` when it was only said to be impossible to judge.
        assessors: numbers of those who settled it, first known first.
    """

    grade: float | None
    assessors: tuple[int, ...]


class SettledRow(NamedTuple):
    """A judgment that settles a document: graded, or cannot be judged; said by a step, at a time."""

    query: int
    document: int
    assessor: int
    grade: float | None
    step: int
    at: int = 0


def settled_rows(
    reader: Connection, place_of: Mapping[int, int], order: Mapping[int, int] | None = None
) -> Iterator[SettledRow]:
    """Yield what settles documents of queries that are visible, by the session's numbers.

    Args:
        reader: a connection of the calling thread.
        place_of: the session's number of a query by the file's.
        order: what ``load_step_order`` gives, where that is known; ``None`` reads it.
    """
    order = load_step_order(reader) if order is None else order
    for query, document, assessor, grade, step, at in load_settled(reader):
        place = place_of.get(query)
        if place is not None:
            yield SettledRow(place, document, assessor, grade, order.get(step, step), at)


class JudgmentBook:
    """Settled judgments by query and document, folded by a view.

    Args:
        rows: all settled judgments; ``query`` is the session's query number.
        rule: how several are folded; ``None`` lets only ``assessor``'s count.
        assessor: the number of the session's assessor, or ``None``.
        standing: who counts.
    """

    def __init__(
        self,
        rows: Iterable[SettledRow],
        *,
        rule: ViewRule | None,
        assessor: int | None,
        standing: Counting = EVERYBODY,
    ) -> None:
        self._said: defaultdict[int, dict[int, dict[int, _Settling]]] = defaultdict(dict)
        for query, document, who, grade, step, at in rows:
            of_query = self._said[query]
            if document in of_query:
                of_query[document][who] = grade, step, at
            else:
                of_query[document] = {who: (grade, step, at)}
        self._rule = rule
        self._assessor = assessor
        self._standing, self._is_plain = standing, standing.is_plain
        # Under whose number the assessor's own judgment of a pair is kept, where not under theirs.
        self._voices: Mapping[tuple[int, int], int] = {}
        # Of them the documents by query, where the assessor's own judgments alone count.
        self._again: defaultdict[int, set[int]] = defaultdict(set)
        self._effective: dict[int, dict[int, Effective]] = {}
        self._tied: set[tuple[int, int]] = set()
        # Where the last judgment was taken back: such a document is not to vanish at that.
        self._cleared: defaultdict[int, set[int]] = defaultdict(set)
        self.set_view(rule)

    def set_view(self, rule: ViewRule | None) -> None:
        """Fold everything anew by another rule; ``None`` is the assessor's own alone."""
        self._rule = rule
        self._tied.clear()
        self._effective = {query: self._fold_query(query) for query in self._said}
        self._again.clear()
        self.refold(self._voices)

    def set_standing(self, standing: Counting) -> None:
        """Fold everything anew, as others count now."""
        self._standing, self._is_plain = standing, standing.is_plain
        self.set_view(self._rule)

    def set_assessor(self, assessor: int) -> None:
        """Name the session's assessor, once a first judgment has given them a number."""
        self._assessor = assessor

    def set_voices(self, voices: Mapping[tuple[int, int], int]) -> None:
        """Take the assessor's own judgment of these pairs from what is kept under another number.

        Args:
            voices: that number by query and document; it may change, see :meth:`refold`.
        """
        self._voices = voices
        self.refold(voices)

    def refold(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Fold what is said of some (query, document) pairs anew."""
        for query, document in pairs:
            said = self._said[query].get(document, {}) if query in self._said else {}
            self._take_folded(query, document, said)

    def _take_folded(self, query: int, document: int, said: Mapping[int, _Settling]) -> None:
        effective = self._effective.setdefault(query, {})
        self._tied.discard((query, document))
        if self._rule is None and (query, document) in self._voices:
            self._again[query].add(document)
        elif query in self._again:
            self._again[query].discard(document)
        folded = self._fold(said, (query, document), self._rule)
        if folded is None:
            effective.pop(document, None)
        else:
            effective[document] = folded

    def _fold_query(self, query: int) -> dict[int, Effective]:
        said_of = self._said[query].items()
        folded = ((doc, self._fold(said, (query, doc), self._rule)) for doc, said in said_of)
        return {document: found for document, found in folded if found is not None}

    def _fold(
        self, said: Mapping[int, _Settling], pair: tuple[int, int], rule: ViewRule | None
    ) -> Effective | None:
        if len(said) == 1 and self._is_plain and rule is not None:
            # As of most documents: there is nothing to fold.
            ((who, (only, _, _)),) = said.items()
            return Effective(only, (who,))
        counted = said
        if rule is None:
            own = self._voices.get(pair, self._assessor)
            counted = {who: said[who] for who in said if who == own}
        elif not self._is_plain:
            counted = self._standing.counted(said)
        if not counted:
            return None
        graded = [
            Said(grade, step, at) for grade, step, at in counted.values() if grade is not None
        ]
        if len(graded) == 1 or (graded and rule is None):
            grade: float | None = graded[0].grade
        else:
            grade = rule.fold(graded) if graded and rule else None
            # What another view would have says nothing of this one.
            if rule is self._rule and self._goes_by_times and graded and is_tied(graded):
                self._tied.add(pair)
        return Effective(grade, tuple(counted))

    def settled_by(
        self, rule: ViewRule | None, query: int, documents: Iterable[int]
    ) -> dict[int, Effective]:
        """Return what counts by another rule for some documents of a query; ``None`` is one's own alone."""
        said = self._said.get(query, {})
        folded = (
            (
                doc,
                self._first(query, doc) if rule is None else self._fold(known, (query, doc), rule),
            )
            for doc in documents
            if (known := said.get(doc))
        )
        return {document: found for document, found in folded if found is not None}

    def _first(self, query: int, document: int) -> Effective | None:
        """Return what the assessor says of a document themselves, whatever came again."""
        who = self._assessor
        said = self._said.get(query, {}).get(document, {})
        return Effective(said[who][0], (who,)) if who is not None and who in said else None

    def counted_of(self, query: int, document: int) -> Effective | None:
        """Return what counts in values for one document; see :meth:`counted`."""
        if document in self._again.get(query, ()):
            return self._first(query, document)
        return self.settled(query).get(document)

    def counted(self, query: int) -> Mapping[int, Effective]:
        """Return what counts in values for one query: what is settled, but of what came again the first."""
        if not self._again.get(query):
            return self.settled(query)
        documents = {*self.settled(query), *self._again[query]}
        found = ((each, self.counted_of(query, each)) for each in documents)
        return {document: effective for document, effective in found if effective is not None}

    def all_counted(self) -> Mapping[int, Mapping[int, Effective]]:
        """Return what counts in values, by query and document."""
        return {query: self.counted(query) for query in self._effective}

    @property
    def _goes_by_times(self) -> bool:
        return self._rule is not None and self._rule.name == DEFAULT_VIEW

    @property
    def n_tied(self) -> int:
        """How many documents of queries have the highest of different grades of the same time as latest."""
        return len(self._tied)

    def is_tied(self, query: int, document: int) -> bool:
        """Whether a document has the highest of different grades of the same time as latest."""
        return (query, document) in self._tied

    def settled(self, query: int) -> Mapping[int, Effective]:
        """Return what counts for one query, by document, as the assessor is shown it."""
        return self._effective.get(query, {})

    def heard(self, query: int) -> list[int]:
        """Return the documents of a query that anybody has settled, whoever counts, by number.

        With those whose last judgment was taken back since the project was opened.
        """
        return sorted({*self._said.get(query, ()), *self._cleared.get(query, ())})

    def settled_in_order(self, query: int) -> list[int]:
        """Return what :meth:`settled` has, the document settled first at the front.

        Of several assessors' judgments the earliest counts; what one step settled (an
        import) stands by number of the document.
        """
        said = self._said.get(query, {})

        def made(document: int) -> tuple[int, int]:
            by = self.settled(query)[document].assessors
            return min(said[document][assessor][1] for assessor in by), document

        return sorted(self.settled(query), key=made)

    def all_settled(self) -> Mapping[int, Mapping[int, Effective]]:
        """Return what counts, by query and document."""
        return self._effective

    def apply(
        self, key: JudgmentKey, judgment: Judgment | None, step: int | None, at: int = 0
    ) -> None:
        """Take in what one assessor now says, by a step and at a time.

        ``query`` in the key is the session's number.
        """
        of_query = self._said[key.query]
        said = of_query.setdefault(key.document, {})
        is_settled = judgment is not None and judgment.state in ("judged", "cannot_judge")
        if is_settled and judgment is not None and step is not None:
            said[key.assessor] = (judgment.grade, step, at)
        else:
            said.pop(key.assessor, None)
            if not said:
                del of_query[key.document]
                self._cleared[key.query].add(key.document)
        self._take_folded(key.query, key.document, said)

    def grade_arrays(
        self,
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return all folded grades as (queries, documents, grades), each of shape (n,)."""
        rows = [
            (query, document, effective.grade)
            for query, documents in self.all_counted().items()
            for document, effective in documents.items()
            if effective.grade is not None
        ]
        columns = np.array(rows, dtype=np.float64).reshape(-1, 3).T
        return columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2].copy()
