"""The engine: values of runs, kept up to date while judgments change.

A judgment recomputes its query for every run and measure; means are added again
from the per-query table, so that they never drift from what a fresh start gives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from judgetool.core.scale import Scale
from judgetool.metrics.block import Block, FloatArray, Hits, IntArray, JudgedGrades
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.grading import Grading
from judgetool.metrics.judgment_store import JudgmentStore, KeyArray
from judgetool.metrics.kernels import compute_values
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import QueryGrades
from judgetool.metrics.reasons import undefined_reason
from judgetool.metrics.results import Mean, Value
from judgetool.metrics.run_table import LEFT_OUT, OK, RowFacts, RunTable, settle

ValueTable: TypeAlias = np.ma.MaskedArray[tuple[int, int], np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class RunBlock:
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


@dataclass(frozen=True, slots=True, eq=False)
class RunFacts:
    """Grades and lengths of all rankings of a run; nothing of it changes later.

    Attributes:
        hits: judged and pooled ranks, one row per query.
        lengths: documents of each ranking, shape (n_queries,).
        judged: all judged grades, one query per row.
        judged_queries: query of each judged pair, by query and document.
        judged_documents: its document, likewise.
    """

    hits: Hits
    lengths: npt.NDArray[np.int64]
    judged: JudgedGrades
    judged_queries: npt.NDArray[np.int64]
    judged_documents: npt.NDArray[np.int32]


class Engine:
    """Values of every run, query and measure, and what a judgment does to them.

    One thread at a time may use it; background work takes copies (:meth:`values`,
    :meth:`query_grades`) and compares :attr:`version` when it is done.

    Args:
        n_queries: queries of the project; they are integers from 0.
        scale: how grades are read; ``None`` for TREC's 0–4 (files alone).
        measures: what is computed, in this order.
        conventions: what counts where definitions leave a choice.
        weights: importance of each query, shape (n_queries,); used when the
            conventions say so. ``None``: all alike.

    Attributes:
        n_queries: as given.
        measures: as given, or as :meth:`set_measures` set them.
        conventions: likewise.
        version: number that rises with every change.
    """

    def __init__(
        self,
        n_queries: int,
        *,
        scale: Scale | None,
        measures: Sequence[Measure],
        conventions: Conventions | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        self.n_queries = n_queries
        self.measures = tuple(measures)
        self.conventions = conventions or Conventions()
        self.version = 0
        self._grading = Grading(scale)
        self._weights = weights
        self._store = JudgmentStore(n_queries)
        self._clicks: tuple[JudgmentStore, JudgmentStore] | None = None
        self._runs: dict[int, RunBlock] = {}
        self._tables: dict[int, RunTable] = {}

    @property
    def scale(self) -> Scale | None:
        """How grades are read; ``None`` for TREC's 0–4."""
        return self._grading.scale

    @property
    def run_keys(self) -> tuple[int, ...]:
        """The runs there are, in the order in which they were added."""
        return tuple(self._runs)

    # -- what the values are made of

    def set_judgments(
        self, queries: npt.NDArray[np.int32], documents: KeyArray, grades: FloatArray
    ) -> None:
        """Take these judgments, in any order, for all that there are.

        Args:
            queries: query of each, shape (n,).
            documents: document of each, shape (n,).
            grades: grade of each, finite, shape (n,); negative means 'in the pool, not judged'.

        Raises:
            ValueError: the arrays do not fit each other, or a pair is given twice.
        """
        self._store.replace(queries, documents, grades)
        self._recompute_all()

    def set_clicks(
        self,
        queries: npt.NDArray[np.int32],
        documents: KeyArray,
        *,
        clicks: FloatArray,
        impressions: FloatArray,
    ) -> None:
        """Take these counts for CTR; without them it is undefined.

        Args:
            queries: query of each pair, shape (n,).
            documents: document of each pair, shape (n,).
            clicks: how often it was clicked, from 0, shape (n,).
            impressions: how often it was shown, from 0, shape (n,).

        Raises:
            ValueError: the arrays do not fit each other, or a pair is given twice.
        """
        self._clicks = JudgmentStore(self.n_queries), JudgmentStore(self.n_queries)
        for store, counts in zip(self._clicks, (clicks, impressions), strict=True):
            store.replace(queries, documents, counts)
        self._recompute_all()

    def set_measures(self, measures: Sequence[Measure]) -> None:
        """Compute other measures from now on."""
        self.measures = tuple(measures)
        self._recompute_all()

    def set_scale(self, scale: Scale | None) -> None:
        """Read the grades by another scale from now on."""
        self._grading = Grading(scale)
        self._recompute_all()

    def set_conventions(self, conventions: Conventions) -> None:
        """Follow other conventions from now on."""
        self.conventions = conventions
        self._recompute_all()

    def set_weights(self, weights: FloatArray | None) -> None:
        """Take another importance of each query, shape (n_queries,)."""
        self._weights = weights
        self.version += 1

    def add_run(self, key: int, block: RunBlock) -> None:
        """Add a run, or replace the one of this key.

        Raises:
            ValueError: the block is not made for this number of queries, or a document
                is negative.
        """
        if len(block.offsets) != self.n_queries + 1 or block.offsets[-1] != len(block.documents):
            raise ValueError("the run's offsets do not fit its documents or the queries")
        if block.documents.min(initial=0) < 0:
            raise ValueError("a run's documents must not be negative")
        self._tables[key] = self._compute_run(block)
        self._runs[key] = block
        self.version += 1

    def remove_run(self, key: int) -> None:
        """Take a run away.

        Raises:
            KeyError: there is none of this key.
        """
        del self._runs[key], self._tables[key]
        self.version += 1

    def judge(self, query: int, document: int, grade: float | None) -> None:
        """Set one grade and recompute its query for every run and measure.

        Args:
            query: its number.
            document: its number; it need not be in any run.
            grade: the grade, negative for 'in the pool, not judged'; ``None`` takes it away.

        Raises:
            ValueError: the query or document is out of range, or the grade not finite.
        """
        self.judge_many(((query, document, grade),))

    def judge_many(self, changes: Sequence[tuple[int, int, float | None]]) -> None:
        """Set several grades, one after the other, and recompute each touched query once.

        Raises:
            ValueError: one does not fit; none was taken then.
        """
        for query, document, grade in changes:
            self._store.check(query, document, grade)
        for query, document, grade in changes:
            self._store.change(query, document, grade)
        for query in dict.fromkeys(query for query, _, _ in changes):
            self._recompute_query(query)
        self.version += 1

    # -- answers

    def values(self, key: int) -> ValueTable:
        """Return a copy of a run's values, shape (n_queries, n_measures).

        Masked where the value is undefined or the query is not counted; never NaN.
        """
        table = self._tables[key]
        return np.ma.MaskedArray(table.values.copy(), mask=table.status != OK)

    def value(self, key: int, query: int) -> tuple[Value, ...]:
        """Return the values of one ranking, with the reason where there is none."""
        table = self._tables[key]
        rows = zip(
            self.measures,
            table.values[query].tolist(),
            table.status[query].tolist(),
            strict=True,
        )
        return tuple(
            Value(number if status == OK else None, self._reason(key, query, measure, status))
            for measure, number, status in rows
        )

    def means(self, key: int) -> tuple[Mean, ...]:
        """Return each measure's mean over the counted queries; of counts the sum."""
        return self._tables[key].means(self.measures, self.conventions, self._weights)

    def judged_of(self, key: int, query: int, measure: Measure) -> tuple[int, int]:
        """Return how many of the ranks that a measure looks at are judged, and how many there are."""
        ranking = self._runs[key].ranking(query)[: measure.cutoff]
        hits = self._store.match_rankings(query, [ranking])
        return int(np.count_nonzero(hits.grades >= 0)), len(ranking)

    def query_grades(self, key: int, query: int, pool: KeyArray | None = None) -> QueryGrades:
        """Return all that a measure may look at for one ranking.

        Args:
            key: the run.
            query: the query.
            pool: documents of the query's pool; those neither returned nor judged
                count as missing without a grade. ``None``: no more than was judged or
                pooled by a negative grade.
        """
        ranking = self._runs[key].ranking(query)
        documents, grades = self._store.of_query(query)
        hits = self._store.match_rankings(query, [ranking])
        ranked = np.full(len(ranking), np.nan)
        ranked[hits.ranks - 1] = hits.grades
        is_missing = ~np.isin(documents, ranking)
        n_pooled = 0
        if pool is not None:
            known = np.concatenate((documents, ranking))
            n_pooled = int(np.count_nonzero(~np.isin(np.unique(pool), known)))
        return QueryGrades(ranked, grades[is_missing], n_pooled)

    def run_facts(self, key: int) -> "RunFacts":
        """Return copies of what intervals of a whole run need, for another thread."""
        run = self._runs[key]
        queries, documents = self._store.pairs()
        return RunFacts(
            self._store.match_run(run.offsets, run.documents),
            run.lengths,
            self._store.all_judged(),
            queries,
            documents,
        )

    def is_judged_query(self, query: int) -> bool:
        """Return whether at least one document of the query has a grade."""
        return bool((self._store.of_query(query)[1] >= 0).any())

    # -- computing

    @property
    def _needs_clicks(self) -> bool:
        return any(measure.spec.uses == "clicks" for measure in self.measures)

    def _ceilings(self) -> FloatArray:
        return np.array([self._grading.highest_grade(measure) for measure in self.measures])

    def _compute(self, block: Block, facts: RowFacts) -> tuple[FloatArray, npt.NDArray[np.int8]]:
        leaves_out = self.conventions.unjudged == "left out"
        computed = compute_values(block, self.measures, leave_out_unjudged=leaves_out)
        return settle(computed, facts, self._ceilings(), self.conventions)

    def _compute_run(self, run: RunBlock) -> RunTable:
        judged = self._store.all_judged()
        hits = self._store.match_run(run.offsets, run.documents)
        block = Block(hits, run.lengths, judged, grading=self._grading)
        if self._needs_clicks and self._clicks is not None:
            clicked, shown = self._clicks
            block.clicked = clicked.match_run(run.offsets, run.documents)
            block.shown = shown.match_run(run.offsets, run.documents)
        facts = RowFacts(judged.counts > 0, run.lengths > 0, judged.highest)
        values, status = self._compute(block, facts)
        return RunTable(values, status, facts.is_judged & ~facts.is_retrieved)

    def _recompute_all(self) -> None:
        for key, run in self._runs.items():
            self._tables[key] = self._compute_run(run)
        self.version += 1

    def _recompute_query(self, query: int) -> None:
        if not self._runs:
            return
        rankings = [run.ranking(query) for run in self._runs.values()]
        judged = self._store.judged_of(query)
        hits: Hits = self._store.match_rankings(query, rankings)
        lengths = np.array([len(ranking) for ranking in rankings], dtype=np.int64)
        rows = np.zeros(len(rankings), dtype=np.int64)
        block = Block(hits, lengths, judged, grading=self._grading, row_queries=rows)
        if self._needs_clicks and self._clicks is not None:
            clicked, shown = self._clicks
            block.clicked = clicked.match_rankings(query, rankings)
            block.shown = shown.match_rankings(query, rankings)
        is_judged = np.full(len(rankings), bool(judged.counts[0]))
        facts = RowFacts(is_judged, lengths > 0, judged.highest[rows])
        values, status = self._compute(block, facts)
        is_missing = (is_judged & ~facts.is_retrieved).tolist()
        for row, table in enumerate(self._tables.values()):
            table.values[query] = values[row]
            table.status[query] = status[row]
            table.is_missing[query] = is_missing[row]

    def _reason(self, key: int, query: int, measure: Measure, status: int) -> str:
        is_absent = not len(self._runs[key].ranking(query))
        if is_absent and status in (OK, LEFT_OUT) and self.is_judged_query(query):
            return "the run has no documents for this query"
        if status == OK:
            return ""
        grades = self._store.of_query(query)[1]
        return undefined_reason(measure, grades[grades >= 0], self._grading, status)
