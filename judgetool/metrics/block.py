"""What values are computed from: many rankings at once, and the judgments behind them.

A *row* is one ranking of one query. A block may hold one run over all queries, or
all runs over one query: the terms do not care. Of a ranking only the *hits* are
kept, the ranks whose document somebody judged or pooled; a row's sum over its hits
is added in rank order with ``np.bincount(weights=)``, as trec_eval's C does.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from judgetool.metrics.grading import Grading
from judgetool.metrics.terms import FactKind, FactRow, FloatArray, IntArray

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Hits:
    """Some ranks of some rows, in the order of rows and ranks.

    Attributes:
        rows: row of each hit, rising, shape (n,).
        ranks: rank from 1, rising within a row, shape (n,).
        grades: grade, negative for 'pooled, not judged', shape (n,).
        n_rows: number of rows, those without a hit included.
    """

    rows: IntArray
    ranks: IntArray
    grades: FloatArray
    n_rows: int

    def where(self, mask: npt.NDArray[np.bool_]) -> "Hits":
        """Return the hits for which the mask is true."""
        if mask.all():
            return self
        return Hits(self.rows[mask], self.ranks[mask], self.grades[mask], self.n_rows)

    @cached_property
    def counts(self) -> IntArray:
        """Number of hits of each row, shape (n_rows,)."""
        return np.bincount(self.rows, minlength=self.n_rows)

    @cached_property
    def places(self) -> IntArray:
        """Place of each hit among the hits of its row, from 1, shape (n,)."""
        return np.arange(1, len(self.rows) + 1) - starts_of(self.counts)[self.rows]


@dataclass(frozen=True, eq=False)
class JudgedGrades:
    """All judged grades of some queries, retrieved or not, best first within a query.

    Attributes:
        queries: query of each grade, rising, shape (n,).
        grades: none negative, falling within a query, shape (n,).
        n_queries: number of queries, those without a judgment included.
    """

    queries: IntArray
    grades: FloatArray
    n_queries: int

    @cached_property
    def counts(self) -> IntArray:
        """Number of judged documents of each query, shape (n_queries,)."""
        return np.bincount(self.queries, minlength=self.n_queries)

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each in the ideal ranking of its query, from 1, shape (n,)."""
        return np.arange(1, len(self.queries) + 1) - starts_of(self.counts)[self.queries]

    @cached_property
    def highest(self) -> FloatArray:
        """The best grade of each query, −1 where none is judged, shape (n_queries,)."""
        best = np.full(self.n_queries, -1.0)
        best[self.queries[::-1]] = self.grades[::-1]
        return best


def complete_facts(
    facts: Mapping[FactKind, FactRow],
    kind: str,
    judged: FactRow,
    worth: Callable[[FloatArray], FloatArray],
) -> Mapping[FactKind, FactRow]:
    """Return the facts as the terms of a measure see them.

    Args:
        facts: what is known of one ranking.
        kind: what the measure asks for.
        judged: the grades, as if the query were its only subtopic.
        worth: from grades to relevance; of grades by subtopic and of a sample that is told.
    """
    if kind == "samples" and kind in facts:
        ranks, *tables = facts["samples"]
        tables = [each.copy() for each in tables]
        for numbers in tables:
            is_judged = ~np.isnan(numbers[:, -1])
            numbers[is_judged, -1] = worth(numbers[is_judged, -1])
        return {"samples": FactRow(ranks, *tables)}
    if kind != "subtopics":
        return facts
    found = facts.get("subtopics", judged)
    return {"subtopics": FactRow(found.ranks, worth(found.numbers), worth(found.pool))}


class Block:
    """Rows of rankings with the judgments of their queries.

    Args:
        hits: judged and pooled documents of the rankings.
        lengths: number of documents of each ranking, shape (n_rows,).
        judged: all judged grades of the queries.
        row_queries: query of each row, an index into ``judged``; ``None`` when row
            and query are one.
        grading: how grades are read.

    Attributes:
        facts: by kind, for each row; without the kinds that are not known or not asked for.
    """

    def __init__(
        self,
        hits: Hits,
        lengths: IntArray,
        judged: JudgedGrades,
        *,
        grading: Grading,
        row_queries: IntArray | None = None,
    ) -> None:
        self.all_hits = hits
        self.lengths = lengths
        self.judged = judged
        self.grading = grading
        self.row_queries = row_queries
        self.facts: dict[FactKind, list[FactRow]] = {}
        self._tops: dict[int, Hits] = {}
        self._relevant: dict[tuple[float, int | None], Hits] = {}
        self._n_relevant: dict[float, IntArray] = {}
        self._memo: dict[tuple[object, ...], object] = {}

    @property
    def n_rows(self) -> int:
        """Number of rankings."""
        return len(self.lengths)

    def memo(self, key: tuple[object, ...], compute: Callable[[], T]) -> T:
        """Return a result shared by several measures, computing it the first time."""
        if key not in self._memo:
            self._memo[key] = compute()
        return self._memo[key]  # type: ignore[return-value]  # each key has one kind of result

    def by_row(self, by_query: npt.NDArray[T]) -> npt.NDArray[T]:  # type: ignore[type-var]  # any scalar
        """Turn one number per query into one per row."""
        return by_query if self.row_queries is None else by_query[self.row_queries]

    @cached_property
    def hits(self) -> Hits:
        """The judged ranks, shape (n,)."""
        return self.all_hits.where(self.all_hits.grades >= 0)

    def top(self, cutoff: int | None) -> Hits:
        """Return the judged hits among the first ranks."""
        if cutoff is None:
            return self.hits
        found = self._tops.get(cutoff)
        if found is None:
            found = self._tops[cutoff] = self.hits.where(self.hits.ranks <= cutoff)
        return found

    def relevant(self, rel: float, cutoff: int | None = None) -> Hits:
        """Return the relevant hits among the first ranks."""
        found = self._relevant.get((rel, cutoff))
        if found is None:
            top = self.top(cutoff)
            found = self._relevant[rel, cutoff] = top.where(top.grades >= rel)
        return found

    def n_relevant(self, rel: float) -> IntArray:
        """Return R of each row's query: relevant documents, retrieved or not."""
        found = self._n_relevant.get(rel)
        if found is None:
            queries = self.judged.queries[self.judged.grades >= rel]
            found = self.by_row(np.bincount(queries, minlength=self.judged.n_queries))
            self._n_relevant[rel] = found
        return found

    @cached_property
    def condensed(self) -> "Block":
        """The same rankings with unjudged documents taken out."""
        hits = self.hits
        closed = Block(
            Hits(hits.rows, hits.places, hits.grades, hits.n_rows),
            hits.counts,
            self.judged,
            grading=self.grading,
            row_queries=self.row_queries,
        )
        if self.facts:
            ranks = np.split(hits.ranks, np.cumsum(hits.counts)[:-1])
            closed.facts = {
                kind: [row.condensed(each) for row, each in zip(rows, ranks, strict=True)]
                for kind, rows in self.facts.items()
            }
        return closed


def starts_of(counts: IntArray) -> IntArray:
    """Return where each row begins, given how many entries each has."""
    return np.cumsum(counts, dtype=np.int64) - counts


def add_by_row(rows: IntArray, weights: FloatArray, *, n_rows: int) -> FloatArray:
    """Add numbers row by row, one after the other as C does (``np.sum`` adds in pairs)."""
    return np.bincount(rows, weights=weights, minlength=n_rows).astype(np.float64, copy=False)
