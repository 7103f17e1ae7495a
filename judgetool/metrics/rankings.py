"""The rankings of a run and the grades of the project, as the engine keeps and matches them.

The grades are a sorted table for whole runs at once, and beside it the queries that were
changed since it was sorted: a judgment costs one small array, never the table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.metrics.block import JudgedGrades, RankedGrades, edges_of, starts_of
from judgetool.metrics.terms import BoolArray, FactRow, FloatArray, IntArray

KeyArray = npt.NDArray[np.int32]


class JudgmentStore:
    """Grades of (query, document) pairs; a negative one means 'pooled, not judged'."""

    def __init__(self, n_queries: int) -> None:
        self.n_queries = n_queries
        self._load(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0))

    def _load(self, queries: IntArray, documents: KeyArray, grades: FloatArray) -> None:
        self._documents = documents
        self._grades = grades
        self._offsets = np.searchsorted(queries, np.arange(self.n_queries + 1))
        self._width = int(documents.max(initial=0)) + 2
        self._keys = queries * self._width + documents
        # One more than the highest document: what lies beyond is clipped to it, and it is False.
        self._is_judged = np.zeros(self._width, dtype=np.bool_)
        self._is_judged[documents] = True
        self._slots = np.zeros(0, dtype=np.int32)
        self._changed: dict[int, tuple[KeyArray, FloatArray]] = {}
        self._all_judged: JudgedGrades | None = None

    def replace(self, queries: KeyArray, documents: KeyArray, grades: FloatArray) -> None:
        """Take these triples, in any order, for all that there are.

        Raises:
            ValueError: lengths differ, a key is out of range, a grade is not finite,
                or one pair is given twice.
        """
        rows = np.asarray(queries, dtype=np.int64)
        documents = np.asarray(documents, dtype=np.int32)
        grades = np.asarray(grades, dtype=np.float64)
        if not len(rows) == len(documents) == len(grades):
            raise ValueError("queries, documents and grades must be equally long")
        if len(rows) and (rows.min() < 0 or rows.max() >= self.n_queries):
            raise ValueError("a query is out of range")
        if documents.min(initial=0) < 0 or not np.isfinite(grades).all():
            raise ValueError("documents must not be negative and grades must be finite")
        order = np.lexsort((documents, rows))
        rows, documents, grades = rows[order], documents[order], grades[order]
        if ((rows[1:] == rows[:-1]) & (documents[1:] == documents[:-1])).any():
            raise ValueError("one document of a query is given twice")
        self._load(rows, documents, grades)

    def of_query(self, query: int) -> tuple[KeyArray, FloatArray]:
        """Return documents (rising) and grades of one query."""
        if query in self._changed:
            return self._changed[query]
        part = slice(self._offsets[query], self._offsets[query + 1])
        return self._documents[part], self._grades[part]

    def check(self, query: int, document: int, grade: float | None) -> None:
        """Refuse what cannot be a judgment.

        Raises:
            ValueError: the query or document is out of range, or the grade not finite.
        """
        if not 0 <= query < self.n_queries or document < 0:
            raise ValueError(f"no such query or document: {query}, {document}")
        if grade is not None and not np.isfinite(grade):
            raise ValueError(f"a grade must be a finite number: {grade}")

    def change(self, query: int, document: int, grade: float | None) -> None:
        """Set one grade, or take it away with ``None``; see :meth:`check` for what is refused."""
        self.check(query, document, grade)
        documents, grades = self.of_query(query)
        place = int(np.searchsorted(documents, document))
        is_known = place < len(documents) and documents[place] == document
        if grade is None:
            if is_known:
                self._changed[query] = np.delete(documents, place), np.delete(grades, place)
        elif is_known:
            grades = grades.copy()
            grades[place] = grade
            self._changed[query] = documents, grades
        else:
            key = np.int32(document)
            self._changed[query] = (
                np.insert(documents, place, key),
                np.insert(grades, place, grade),
            )

    def set_query(self, query: int, documents: KeyArray, grades: FloatArray) -> None:
        """Take these documents (rising) and grades for all that there are of a query."""
        self._changed[query] = documents, grades

    def copy(self) -> "JudgmentStore":
        """Return a store of the same grades that changes by itself."""
        other = JudgmentStore(self.n_queries)
        self._fold()
        other._load(self._queries, self._documents, self._grades)
        return other

    def _fold(self) -> None:
        """Bring the changed queries into the sorted table."""
        if not self._changed:
            return
        parts = [self.of_query(query) for query in range(self.n_queries)]
        documents, grades = zip(*parts, strict=True)
        queries = np.repeat(np.arange(self.n_queries), list(map(len, documents)))
        self._load(queries, np.concatenate(documents), np.concatenate(grades))

    @property
    def _queries(self) -> IntArray:
        """The query of each line of the sorted table."""
        return np.repeat(np.arange(self.n_queries), np.diff(self._offsets))

    def all_judged(self) -> JudgedGrades:
        """Return the judged grades of all queries, best first within each."""
        self._fold()
        if self._all_judged is None:
            is_judged = self._grades >= 0
            queries, grades = self._queries[is_judged], self._grades[is_judged]
            falling = grades[np.lexsort((-grades, queries))]
            self._all_judged = JudgedGrades(queries, falling, self.n_queries)
        return self._all_judged

    def pairs(self) -> tuple[IntArray, KeyArray]:
        """Return (queries, documents) of everything that has a grade, by query and document."""
        self._fold()
        is_judged = self._grades >= 0
        return self._queries[is_judged], self._documents[is_judged]

    def judged_of(self, query: int) -> JudgedGrades:
        """Return the judged grades of one query, best first, as query 0 of 1."""
        grades = self.of_query(query)[1]
        falling = -np.sort(-grades[grades >= 0])
        return JudgedGrades(np.zeros(len(falling), dtype=np.int64), falling, 1)

    def match_run(self, offsets: IntArray, documents: KeyArray) -> RankedGrades:
        """Return the ranks of a whole run whose document is judged or pooled for its query."""
        self._fold()
        known = np.flatnonzero(self._is_judged.take(documents, mode="clip"))
        rows = np.searchsorted(offsets, known, side="right") - 1
        keys = rows * self._width + documents[known]
        places = np.searchsorted(self._keys, keys)
        places[places == len(self._keys)] = 0
        is_known = self._keys[places] == keys if len(self._keys) else np.zeros(0, dtype=np.bool_)
        known, rows, places = known[is_known], rows[is_known], places[is_known]
        return RankedGrades(rows, known - offsets[rows] + 1, self._grades[places], len(offsets) - 1)

    def match_rankings(self, query: int, rankings: list[KeyArray]) -> RankedGrades:
        """Return the ranks of several rankings of one query, a row each."""
        documents, grades = self.of_query(query)
        lengths = [len(ranking) for ranking in rankings]
        ranked = np.concatenate(rankings) if rankings else np.zeros(0, dtype=np.int32)
        slots = self._slots_for(documents)
        slots[documents] = np.arange(1, len(documents) + 1, dtype=np.int32)
        found = slots.take(ranked, mode="clip")
        slots[documents] = 0
        known = np.flatnonzero(found)
        rows = np.repeat(np.arange(len(rankings)), lengths)[known]
        ranks = known - starts_of(np.array(lengths, dtype=np.int64))[rows] + 1
        return RankedGrades(rows, ranks, grades[found[known] - 1], len(rankings))

    def match_tries(
        self, query: int, rankings: list[KeyArray], tried: Sequence[tuple[int, float]]
    ) -> RankedGrades:
        """Return :meth:`match_rankings` of each try below that of the one before.

        Args:
            query: its number.
            rankings: as often as there are tries.
            tried: document and grade of each try, which has it in place of what there is.
        """
        known = self.of_query(query)
        documents, grades = self._tries(query, tried)
        # Matched once, by the places of documents instead of by their grades.
        self.set_query(query, documents, np.arange(float(len(documents))))
        graded = self.match_rankings(query, rankings)
        self.set_query(query, *known)
        found = grades[:, graded.grades.astype(np.int64)]
        rows = np.add.outer(np.arange(len(tried)) * len(rankings), graded.rows)
        ranks, is_known = np.broadcast_to(graded.ranks, rows.shape), ~np.isnan(found)
        kept = slice(None) if is_known.all() else is_known.ravel()
        parts = rows.ravel()[kept], ranks.ravel()[kept], found.ravel()[kept]
        return RankedGrades(*parts, len(tried) * len(rankings))

    def judged_of_tries(self, query: int, tried: Sequence[tuple[int, float]]) -> JudgedGrades:
        """Return :meth:`judged_of` of each try as queries of their own; see :meth:`match_tries`."""
        grades = self._tries(query, tried)[1]
        counts = (grades >= 0).sum(axis=1)
        falling = -np.sort(-np.where(grades >= 0, grades, np.nan), axis=1)
        queries = np.repeat(np.arange(len(tried)), counts)
        return JudgedGrades(queries, falling[~np.isnan(falling)], len(tried))

    def _tries(self, query: int, tried: Sequence[tuple[int, float]]) -> tuple[KeyArray, FloatArray]:
        """Return documents of a query (rising, shape (d,)) and their grades in each try, NaN for none.

        The grades have the shape (tries, d).
        """
        known, grades = self.of_query(query)
        numbers = np.array([document for document, _ in tried], dtype=np.int32)
        documents = np.union1d(known, numbers)
        table = np.full((len(tried), len(documents)), np.nan)
        table[:, np.searchsorted(documents, known)] = grades
        places = np.searchsorted(documents, numbers)
        table[np.arange(len(tried)), places] = [grade for _, grade in tried]
        return documents, table

    def _slots_for(self, documents: KeyArray) -> KeyArray:
        """Return an array of zeros by document, whose last entry is no document's."""
        needed = (int(documents[-1]) if len(documents) else 0) + 2
        if len(self._slots) < needed:
            self._slots = np.zeros(max(needed, self._width), dtype=np.int32)
        return self._slots


SAMPLE_COLUMNS = ("stratum", "probability", "grade")
"""Of judged samples: stratum, probability of being taken, and grade; NaN where it was not taken."""


class FactTable(NamedTuple):
    """What is known of documents beside their grades, of one kind.

    Attributes:
        queries: query of each pair, shape (n,).
        documents: document of each pair, shape (n,); those of a query in the order of their
            ids, by which ideal rankings break ties.
        numbers: of each pair, shape (n, columns). ``clicks`` has columns of clicks and of
            impressions; ``subtopics`` one for each subtopic, NaN where it was not judged;
            ``samples`` those of ``SAMPLE_COLUMNS``, NaN where unknown; ``lengths`` one.
    """

    queries: KeyArray
    documents: KeyArray
    numbers: FloatArray


class FactStore:
    """What is known of documents beside their grades, of one kind, to be matched with rankings.

    Args:
        facts: in any order.
        n_queries: of the project.

    Attributes:
        store: the lines of the table in place of grades.

    Raises:
        ValueError: the arrays do not fit each other, or a pair is given twice.
    """

    def __init__(self, facts: FactTable, n_queries: int) -> None:
        queries, documents, numbers = facts
        order = np.argsort(queries, kind="stable")
        self.store = JudgmentStore(n_queries)
        self.store.replace(queries[order], documents[order], np.arange(float(len(numbers))))
        self._table = numbers[order]
        self._offsets = np.searchsorted(queries[order], np.arange(n_queries + 1))

    def rows(self, graded: RankedGrades, queries: Iterable[int]) -> Iterator[FactRow]:
        """Yield what is known of each ranking.

        Args:
            graded: what :attr:`store` has of the rankings.
            queries: of each ranking.
        """
        edges = edges_of(graded.counts).tolist()
        lines = self._table[graded.grades.astype(np.int64)]
        for row, query in enumerate(queries):
            part = slice(edges[row], edges[row + 1])
            pool = self._table[self._offsets[query] : self._offsets[query + 1]]
            yield FactRow(graded.ranks[part], lines[part], pool)


def pack_facts(
    facts: Iterable[tuple[str, str, str, float]],
    queries: Mapping[str, int],
    documents: Mapping[str, int],
    columns: Sequence[str] = (),
) -> FactTable:
    """Return facts as arrays.

    Args:
        facts: (query, document, column, number) of each.
        queries: their numbers; facts of others are left out.
        documents: likewise.
        columns: in their order; empty for those that occur, by their names.
    """
    lines: dict[tuple[str, str], dict[str, float]] = {}
    for query, document, column, number in facts:
        if query in queries and document in documents:
            lines.setdefault((query, document), {})[column] = number
    order = columns or sorted({column for line in lines.values() for column in line})
    places = {column: at for at, column in enumerate(order)}
    numbers = np.full((len(lines), len(places)), np.nan)
    pairs = sorted(lines)
    for row, pair in enumerate(pairs):
        for column, number in lines[pair].items():
            numbers[row, places[column]] = number
    return FactTable(
        np.array([queries[query] for query, _ in pairs], dtype=np.int32),
        np.array([documents[document] for _, document in pairs], dtype=np.int32),
        numbers,
    )


class RunBlock(NamedTuple):
    """One run as a block of rankings (compressed sparse rows).

    Attributes:
        offsets: where each query's ranking starts and the last ends, int64,
            shape (n_queries + 1,), rising from 0; an empty ranking is a query that the run lacks.
        documents: documents in ranked order, best first, as dense integers of the
            project, int32, shape (n_results,).
    """

    offsets: IntArray
    documents: KeyArray

    def ranking(self, query: int) -> KeyArray:
        """Return the documents of one query, best first; empty when the run lacks it."""
        return self.documents[self.offsets[query] : self.offsets[query + 1]]

    @property
    def lengths(self) -> IntArray:
        """Number of documents of each query, shape (n_queries,)."""
        return np.diff(self.offsets)

    def cut(self, depth: int) -> "RunBlock":
        """Return the run with the first documents of each ranking alone.

        Args:
            depth: how many, at least 1.
        """
        starts = np.repeat(self.offsets[:-1], self.lengths)
        is_kept = np.arange(len(self.documents)) - starts < depth
        lengths = np.minimum(self.lengths, depth)
        offsets = edges_of(lengths)
        return RunBlock(offsets, self.documents[is_kept])

    def only(self, queries: Sequence[int]) -> "RunBlock":
        """Return the rankings of some queries alone, in the order given."""
        parts = [np.zeros(0, dtype=np.int32), *map(self.ranking, queries)]
        offsets = np.cumsum([len(part) for part in parts], dtype=np.int64)
        return RunBlock(offsets, np.concatenate(parts))

    def with_rankings(self, rankings: Mapping[int, KeyArray]) -> "RunBlock":
        """Return the block with the rankings of some queries replaced, by query."""
        if not rankings:
            return self
        lengths = self.lengths
        parts: list[KeyArray] = []
        done = 0
        for query in sorted(rankings):
            new = np.asarray(rankings[query], dtype=np.int32)
            parts += [self.documents[self.offsets[done] : self.offsets[query]], new]
            lengths[query] = len(new)
            done = query + 1
        parts.append(self.documents[self.offsets[done] :])
        offsets = edges_of(lengths)
        return RunBlock(offsets, np.concatenate(parts))


class RunFacts(NamedTuple):
    """Grades and lengths of all rankings of a run; nothing of it changes later.

    Attributes:
        graded: judged and pooled ranks, one row per query.
        lengths: documents of each ranking, shape (n_queries,).
        judged: all judged grades, one query per row.
        judged_queries: query of each judged pair, by query and document.
        judged_documents: its document, likewise.
    """

    graded: RankedGrades
    lengths: IntArray
    judged: JudgedGrades
    judged_queries: IntArray
    judged_documents: KeyArray

    def judged_share(self, depth: int, kept: BoolArray | None = None) -> float | None:
        """Return the share of the first ranks that are judged, over the judged queries.

        Args:
            depth: ranks to look at, from 1.
            kept: the queries that are looked at alone, shape (n_queries,); ``None`` for all.

        Returns:
            ``None`` when no judged query has a document there.
        """
        is_judged_query = self.judged.counts > 0
        is_counted = (self.graded.grades >= 0) & (self.graded.ranks <= depth)
        if kept is not None:
            is_judged_query &= kept
            is_counted &= kept[self.graded.rows]
        total = int(np.minimum(self.lengths, depth)[is_judged_query].sum())
        return int(np.count_nonzero(is_counted)) / total if total else None

    def among(self, kept: BoolArray) -> "RunFacts":
        """Return them as if nothing were ranked or judged of any but some queries.

        Args:
            kept: which queries, shape (n_queries,).
        """
        judged, is_pair = self.judged, kept[self.judged_queries]
        is_kept = kept[judged.queries]
        return RunFacts(
            self.graded.where(kept[self.graded.rows]),
            np.where(kept, self.lengths, 0),
            JudgedGrades(judged.queries[is_kept], judged.grades[is_kept], judged.n_queries),
            self.judged_queries[is_pair],
            self.judged_documents[is_pair],
        )


Assumed = Mapping[int, float]


"""Assumed grades of one query by document."""


class RunRankings:
    """Rankings of one run, of which single ones may be replaced.

    Args:
        block: all rankings.
        store: the project's grades.
        assumed: assumed grades by query and document; they count where nobody judged,
            and for this run alone.
    """

    def __init__(
        self, block: RunBlock, store: JudgmentStore, assumed: Mapping[int, Assumed] | None = None
    ) -> None:
        self._block = block
        self._changed: dict[int, KeyArray] = {}
        self._shared = store
        self._assumed = {query: dict(grades) for query, grades in (assumed or {}).items() if grades}
        self._own: JudgmentStore | None = None

    def copy_for(self, store: JudgmentStore) -> "RunRankings":
        """Return the same rankings, with what is assumed, on a copy of the project's grades."""
        return RunRankings(self.block, store, self._assumed)

    @property
    def block(self) -> RunBlock:
        """All rankings as they are now."""
        if self._changed:
            self._block = self._block.with_rankings(self._changed)
            self._changed = {}
        return self._block

    @property
    def store(self) -> JudgmentStore:
        """The grades that count for this run."""
        if not self._assumed:
            return self._shared
        if self._own is None:
            self._own = _with_assumed(self._shared, self._assumed)
        return self._own

    @property
    def assumed_queries(self) -> list[int]:
        """The queries in which an assumed grade counts, as nobody judged the document."""
        return [query for query in self._assumed if self.assumed_documents(query)]

    def assumed_documents(self, query: int) -> set[int]:
        """Return the documents of a query whose assumed grade counts, as nobody judged them."""
        assumed = self._assumed.get(query)
        if not assumed:
            return set()
        documents, grades = self._shared.of_query(query)
        return {*assumed}.difference(documents[grades >= 0].tolist())

    def ranking(self, query: int) -> KeyArray:
        """Return one ranking."""
        found = self._changed.get(query)
        return self._block.ranking(query) if found is None else found

    def replace(self, query: int, documents: KeyArray, assumed: Assumed) -> None:
        """Take another ranking of a query, and other assumed grades."""
        self._changed[query] = np.asarray(documents, dtype=np.int32)
        if dict(assumed) == self._assumed.get(query, {}):
            return
        self._assumed.pop(query, None)
        if assumed:
            self._assumed[query] = dict(assumed)
        self.take_judged(query)

    def take_judged(self, query: int) -> None:
        """Follow a change of the project's grades of a query."""
        if self._own is not None:
            assumed = self._assumed.get(query, {})
            self._own.set_query(query, *merged_grades(self._shared, query, assumed))

    def forget_grades(self) -> None:
        """Make the own grades anew when next asked for: all of the project's were replaced."""
        self._own = None


def merged_grades(
    store: JudgmentStore, query: int, assumed: Assumed
) -> tuple[KeyArray, FloatArray]:
    """Return documents (rising) and grades of a query: what is assumed counts where nobody judged."""
    documents, grades = store.of_query(query)
    if not assumed:
        return documents, grades
    merged = {**assumed}
    for document, grade in zip(documents.tolist(), grades.tolist(), strict=True):
        if grade >= 0 or document not in merged:
            merged[document] = grade
    order = sorted(merged)
    return np.array(order, dtype=np.int32), np.array([merged[each] for each in order])


def _with_assumed(store: JudgmentStore, assumed: Mapping[int, Assumed]) -> JudgmentStore:
    own = store.copy()
    for query, grades in assumed.items():
        own.set_query(query, *merged_grades(store, query, grades))
    return own


def pack_lengths(blocks: Sequence[RunBlock], lengths: FloatArray) -> FactTable:
    """Return the lengths of all documents that runs hold; those without one are left out.

    Args:
        blocks: the runs.
        lengths: by document, NaN where none is known, shape (n_documents,).
    """
    rows = [np.repeat(np.arange(len(block.lengths)), block.lengths) for block in blocks]
    pairs = np.column_stack(
        [np.concatenate(rows), np.concatenate([block.documents for block in blocks])]
    )
    pairs = np.unique(pairs[~np.isnan(lengths[pairs[:, 1]])], axis=0).astype(np.int32)
    return FactTable(pairs[:, 0], pairs[:, 1], lengths[pairs[:, 1]][:, None])
