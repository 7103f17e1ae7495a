"""The engine: values of runs, kept up to date while judgments change.

A judgment recomputes its query for every run and measure; means are added again
from the per-query table, so that they never drift from what a fresh start gives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Block, JudgedGrades, RankedGrades, grading_of, meant_scale
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.measure import Measure
from judgetool.metrics.rankings import (
    Assumed,
    FactStore,
    FactTable,
    JudgmentStore,
    KeyArray,
    RunBlock,
    RunFacts,
    RunRankings,
)
from judgetool.metrics.terms import BoolArray, FactKind, FactRow, FloatArray, IntArray
from judgetool.metrics.values import (
    LEFT_OUT,
    OK,
    Mean,
    Planned,
    RowFacts,
    RunValueTable,
    Value,
    compute_planned,
    finish_values,
    plan_values,
    undefined_reason,
    unlike,
)
from judgetool.wording import N_

if TYPE_CHECKING:
    from judgetool.metrics.grades import QueryGrades

__all__ = ["Engine", "RunBlock", "RunFacts", "ValueTable"]


# In quotation marks: numpy.ma is loaded when somebody asks for values.
ValueTable: TypeAlias = "np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]]"


class Engine:
    """Values of every run, query and measure, and what a judgment does to them.

    One thread at a time may use it; background work takes copies (:meth:`values`,
    :meth:`query_grades`) and compares :attr:`version` when it is done.

    Args:
        n_queries: queries of the project; they are integers from 0.
        scale: how grades are read, or its name; ``None`` for TREC's 0–4 (files alone).
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
        scale: Scale | str | None,
        measures: Sequence[Measure],
        conventions: Conventions | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        self.n_queries = n_queries
        self.measures = tuple(measures)
        self.conventions = conventions or Conventions()
        self.version = 0
        self._grading = grading_of(meant_scale(scale))
        self._weights = weights
        self._has_unlike = unlike(weights) is not None
        self._store = JudgmentStore(n_queries)
        self._facts: dict[FactKind, FactStore] = {}
        self._runs: dict[int, RunRankings] = {}
        self._tables: dict[int, RunValueTable] = {}

    @property
    def scale(self) -> Scale | None:
        """How grades are read; ``None`` for TREC's 0–4."""
        return self._grading.scale

    @property
    def mean_weights(self) -> FloatArray:
        """How much each query counts in a mean, as the conventions say, shape (n_queries,)."""
        if self.conventions.is_weighted and self._weights is not None:
            return self._weights
        return np.ones(self.n_queries)

    @property
    def has_weighted_means(self) -> bool:
        """Whether means are others by the queries' weights: these count, and are not all the same."""
        return self.conventions.is_weighted and self._has_unlike

    def describe_conventions(self) -> tuple[str, ...]:
        """Return what counts as sentences, one each, and where queries have weights that do not."""
        said = self.conventions.describe()
        if self.conventions.is_weighted or not self._has_unlike:
            return said
        return (
            *said,
            N_("Queries have weights, and count alike all the same: means are not weighted."),
        )

    @property
    def run_keys(self) -> tuple[int, ...]:
        """The runs there are, in the order in which they were added."""
        return tuple(self._runs)

    def lacks_facts(self, measure: Measure) -> bool:
        """Return whether a measure has no value as nothing is known of what it reads beside grades."""
        return measure.spec.needs_facts and measure.spec.facts not in self._facts

    # -- what the values are made of

    def set_judgments(self, queries: KeyArray, documents: KeyArray, grades: FloatArray) -> None:
        """Take these judgments, in any order, for all that there are.

        Args:
            queries: query of each, shape (n,).
            documents: document of each, shape (n,).
            grades: grade of each, finite, shape (n,); negative means 'in the pool, not judged'.

        Raises:
            ValueError: the arrays do not fit each other, or a pair is given twice.
        """
        self._store.replace(queries, documents, grades)
        for run in self._runs.values():
            run.forget_grades()
        self._recompute_all()

    def set_facts(self, kind: FactKind, facts: FactTable) -> None:
        """Take what is known of documents beside their grades, for all that is known of the kind.

        Raises:
            ValueError: the arrays do not fit each other, or a pair is given twice.
        """
        self._facts[kind] = FactStore(facts, self.n_queries)
        self._recompute_all()

    @property
    def known_facts(self) -> tuple[FactKind, ...]:
        """The kinds of facts that are known beside grades, of any document."""
        return tuple(self._facts)

    def set_measures(self, measures: Sequence[Measure]) -> None:
        """Compute other measures from now on."""
        self.measures = tuple(measures)
        self._recompute_all()

    def set_scale(self, scale: Scale | str | None) -> None:
        """Read the grades by another scale from now on."""
        self._grading = grading_of(meant_scale(scale))
        self._recompute_all()

    def set_conventions(self, conventions: Conventions) -> None:
        """Follow other conventions from now on."""
        self.conventions = conventions
        self._recompute_all()

    def add_run(
        self, key: int, block: RunBlock, *, assumed: Mapping[int, Assumed] | None = None
    ) -> None:
        """Add a run, or replace the one of this key.

        Args:
            key: any number.
            block: its rankings.
            assumed: grades by query and document that count for this run alone, and
                only where nobody judged; not negative.

        Raises:
            ValueError: the block is not made for this number of queries, a document is
                negative, or an assumed grade is none.
        """
        if len(block.offsets) != self.n_queries + 1 or block.offsets[-1] != len(block.documents):
            raise ValueError("the run's offsets do not fit its documents or the queries")
        if block.offsets[0] != 0 or block.lengths.min(initial=0) < 0:
            raise ValueError("the run's offsets must rise from 0")
        if block.documents.min(initial=0) < 0:
            raise ValueError("a run's documents must not be negative")
        for query, grades in (assumed or {}).items():
            self._check_assumed(query, grades)
        run = RunRankings(block, self._store, assumed)
        self._tables[key] = self._compute_run(run)
        self._runs[key] = run
        self.version += 1

    def set_ranking(
        self, key: int, query: int, documents: KeyArray, *, assumed: Assumed | None = None
    ) -> None:
        """Replace one ranking of a run and compute only its values anew.

        Args:
            key: the run.
            query: its number.
            documents: best first, each once; empty when the run lacks the query now.
            assumed: the query's assumed grades from now on; ``None`` for none.

        Raises:
            KeyError: there is no run of this key.
            ValueError: a document is negative, or an assumed grade is none.
        """
        if np.min(documents, initial=0) < 0:
            raise ValueError("a run's documents must not be negative")
        self._check_assumed(query, assumed or {})
        self._runs[key].replace(query, documents, assumed or {})
        self._recompute_query(query, (key,))
        self.version += 1

    def _check_assumed(self, query: int, grades: Assumed) -> None:
        for document, grade in grades.items():
            self._store.check(query, document, grade)
            if grade < 0:
                raise ValueError(f"an assumed grade must not be negative: {grade}")

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
            for run in self._runs.values():
                run.take_judged(query)
            self._recompute_query(query, self._runs)
        self.version += 1

    # -- answers

    def moment(self, key: int) -> RunValueTable:
        """Return a run's values as they are now, which later changes leave as they are."""
        return self._tables[key].with_rows({})

    def values(self, key: int) -> ValueTable:
        """Return a copy of a run's values, shape (n_queries, n_measures).

        Masked where the value is undefined or the query is not counted; never NaN.
        """
        table = self._tables[key]
        return np.ma.MaskedArray(table.values.copy(), mask=table.status != OK)

    def counted_values(self, key: int) -> ValueTable:
        """Return a run's values as they enter its means, shape (n_queries, n_measures).

        Masked where a query is not counted. An undefined value is 0 or masked, as the
        conventions say.
        """
        table = self._tables[key]
        return np.ma.MaskedArray(table.values.copy(), mask=self._left_out(table))

    def value(self, key: int, query: int) -> tuple[Value, ...]:
        """Return the values of one ranking, with the reason where there is none."""
        statuses = self._tables[key].status[query].tolist()
        numbers, grades = self.numbers(key, query), self.known_grades(key, query)[1]
        grades = grades[grades >= 0]
        lacks_query = bool(len(grades)) and not len(self._runs[key].ranking(query))
        found = []
        for measure, number, status in zip(self.measures, numbers, statuses, strict=True):
            if lacks_query and status in (OK, LEFT_OUT):
                reason = N_("the run has no documents for this query")
            elif status == OK:
                reason = ""
            else:
                worth = self._grading.worth(measure)
                knows_facts = measure.spec.facts in self._facts
                reason = undefined_reason(measure, grades, worth, knows_facts=knows_facts)
            found.append(Value(number, reason))
        return tuple(found)

    def numbers(self, key: int, query: int) -> list[float | None]:
        """Return the values of one ranking, ``None`` where there is none."""
        return self._tables[key].row(query)

    def numbers_of(
        self,
        key: int,
        query: int,
        measures: Sequence[Measure],
        documents: KeyArray | None = None,
    ) -> list[float | None]:
        """Return other measures' values of one ranking, as they would stand in the table.

        Args:
            key: the run.
            query: the query's number.
            measures: any.
            documents: the ranking if it were another, best first; ``None`` for the run's own.
        """
        other, run = copy(self), self._runs[key]
        other._drop_plan()  # noqa: SLF001 - of the same class
        other.measures = tuple(measures)
        ranking = run.ranking(query) if documents is None else documents
        return other._compute_rankings(query, [ranking], run.store).row(0)  # noqa: SLF001 - of the same class

    def alone(self, key: int) -> "Engine":
        """Return an engine with one of the runs, for another thread; what is judged later is not in it.

        It computes nothing before it is given measures.
        """
        other = Engine(
            self.n_queries,
            scale=self.scale,
            measures=(),
            conventions=self.conventions,
            weights=self._weights,
        )
        other._store, other._facts = self._store.copy(), dict(self._facts)
        other._runs[key] = self._runs[key].copy_for(other._store)
        return other

    def means(self, key: int) -> tuple[Mean, ...]:
        """Return each measure's mean over the counted queries; of counts the sum."""
        return self._tables[key].means(self.measures, self.conventions, self._weights)

    def means_of_part(self, key: int, part: BoolArray) -> tuple[Mean, ...]:
        """Return each measure's mean over some of the queries alone, counted as in :meth:`means`.

        Args:
            key: the run.
            part: which queries, shape (n_queries,).
        """
        table = self._tables[key].of_part(part)
        return table.means(self.measures, self.conventions, self._weights)

    def try_ranking(
        self, key: int, query: int, documents: KeyArray, *, grades_of: int | None = None
    ) -> tuple[tuple[float | None, ...], tuple[Mean, ...]]:
        """Return one ranking's values, and the means, if a run had it; nothing is changed.

        Args:
            key: the run.
            query: the query's number.
            documents: the ranking, best first.
            grades_of: the run whose assumed grades count for this query; ``None``: its own.
        """
        store = self._runs[key if grades_of is None else grades_of].store
        computed = self._compute_rankings(query, [documents], store)
        table = self._tables[key].with_rows({query: computed})
        return tuple(computed.row(0)), table.means(self.measures, self.conventions, self._weights)

    def try_grades(self, query: int, tried: Sequence[tuple[int, float]]) -> ValueTable:
        """Return each run's values of a query if one document had another grade; nothing is changed.

        What is assumed for a run alone does not count here.

        Args:
            query: its number.
            tried: document and grade of each try.

        Returns:
            As :meth:`counted_values` has them, shape (tries, runs, measures).
        """
        store = self._store
        rankings = [run.ranking(query) for run in self._runs.values()]
        lengths = np.array([len(ranking) for ranking in rankings] * len(tried), dtype=np.int64)
        for pair in tried:
            store.check(query, *pair)

        def match(grades: JudgmentStore) -> RankedGrades:
            if grades is not store:
                return _repeated(grades.match_rankings(query, rankings), len(tried))
            return store.match_tries(query, rankings, tried)

        shape = (len(tried), len(rankings), len(self.measures))
        if 0 in shape:
            return np.ma.MaskedArray(np.zeros(shape), mask=True)
        table = self._compute(
            match, lambda grades: grades.judged_of_tries(query, tried), lengths, store, query
        )
        left_out = self._left_out(table).reshape(shape)
        return np.ma.MaskedArray(table.values.reshape(shape), mask=left_out)

    def _left_out(self, table: RunValueTable) -> BoolArray:
        """Return which values enter no mean; one that is undefined may be 0 there."""
        is_zero = self.conventions.undefined == "zero"
        left_out: BoolArray = table.status == LEFT_OUT if is_zero else table.status != OK
        return left_out

    def means_with_grades_of(self, key: int, grades_of: int) -> tuple[Mean, ...]:
        """Return a run's means as if what is assumed for another run counted for it, too."""
        run, other = self._runs[key], self._runs[grades_of]
        rows = {
            query: self._compute_rankings(query, [run.ranking(query)], other.store)
            for query in other.assumed_queries
        }
        table = self._tables[key].with_rows(rows) if rows else self._tables[key]
        return table.means(self.measures, self.conventions, self._weights)

    def assumed_queries(self, key: int) -> list[int]:
        """Return the queries in which a grade counts for this run alone, as nobody judged."""
        return self._runs[key].assumed_queries

    def assumed_documents(self, key: int, query: int) -> set[int]:
        """Return the documents of a query whose grade counts for this run, and nobody gave it."""
        return self._runs[key].assumed_documents(query)

    def known_grades(self, key: int, query: int) -> tuple[KeyArray, FloatArray]:
        """Return documents (rising) and grades that count for one query of a run.

        Assumed grades are among them; a negative one means 'in the pool, not judged'.
        """
        return self._runs[key].store.of_query(query)

    def judged_grades(self, query: int) -> tuple[KeyArray, FloatArray]:
        """Return documents (rising) and grades of a query without what is assumed of any run."""
        return self._store.of_query(query)

    def block(self, key: int) -> RunBlock:
        """Return all rankings of a run."""
        return self._runs[key].block

    def judged_of(
        self, key: int, query: int, cutoffs: Iterable[int | None]
    ) -> dict[int | None, tuple[int, int]]:
        """Return, by cutoff, how many of the ranks down to it are judged, and how many there are."""
        ranking = self._runs[key].ranking(query)
        graded = self._store.match_rankings(query, [ranking])
        is_judged = np.zeros(len(ranking), dtype=np.bool_)
        is_judged[graded.ranks[graded.grades >= 0] - 1] = True
        seen = [(cutoff, is_judged[:cutoff]) for cutoff in cutoffs]
        return {cutoff: (int(np.count_nonzero(each)), len(each)) for cutoff, each in seen}

    def query_grades(
        self,
        key: int,
        query: int,
        pool: KeyArray | None = None,
        *,
        has_assumed: bool = True,
    ) -> "QueryGrades":
        """Return all that a measure may look at for one ranking.

        Args:
            key: the run.
            query: the query.
            pool: documents of the query's pool; those neither returned nor judged
                count as missing without a grade. ``None``: no more than was judged or
                pooled by a negative grade.
            has_assumed: whether assumed grades count: not for what says how much is judged, nor for
                intervals, in which such documents are open like all that nobody judged.
        """
        # Values of whole runs need none of it.
        from judgetool.metrics.grades import QueryGrades  # noqa: PLC0415 - see above

        run = self._runs[key]
        ranking, store = run.ranking(query), run.store if has_assumed else self._store
        documents, grades = store.of_query(query)
        graded = store.match_rankings(query, [ranking])
        ranked = np.full(len(ranking), np.nan)
        ranked[graded.ranks - 1] = graded.grades
        is_missing = np.ones(len(documents), dtype=np.bool_)
        is_missing[np.searchsorted(documents, ranking[graded.ranks - 1])] = False
        to_judge = set() if pool is None else {*pool.tolist()}
        if not has_assumed:
            to_judge |= run.assumed_documents(query)
        n_pooled = len(to_judge.difference(documents.tolist(), ranking.tolist())) if to_judge else 0
        facts = self._facts_of(lambda each: each.match_rankings(query, [ranking]), [query])
        one = {kind: rows[0] for kind, rows in facts.items()}
        assumed = np.isin(ranking, [*run.assumed_documents(query)]) & has_assumed
        return QueryGrades(ranked, grades[is_missing], n_pooled, facts=one, assumed=assumed)

    def _facts_of(
        self, match: Callable[[JudgmentStore], RankedGrades], queries: Iterable[int]
    ) -> dict[FactKind, list[FactRow]]:
        """Return what is known of some rankings beside grades, as far as a measure asks for it."""
        if not self._facts:
            return {}
        asked = {measure.spec.facts for measure in self.measures}
        return {
            kind: list(known.rows(match(known.store), queries))
            for kind, known in self._facts.items()
            if kind in asked
        }

    def run_facts(self, key: int, *, has_assumed: bool = True) -> RunFacts:
        """Return copies of what intervals of a whole run need, for another thread."""
        run = self._runs[key].block
        store = self._runs[key].store if has_assumed else self._store
        queries, documents = store.pairs()
        return RunFacts(
            store.match_run(run.offsets, run.documents),
            run.lengths,
            store.all_judged(),
            queries,
            documents,
        )

    def is_counted(self, key: int, query: int) -> bool:
        """Return whether a query belongs to a run's means, as the conventions say."""
        return bool(self._tables[key].is_counted[query])

    def counted(self, key: int) -> BoolArray:
        """Return a copy of which queries belong to a run's means, shape (n_queries,).

        Means of clicks are over the queries of which clicks are known, judged or not.
        """
        return self._tables[key].is_counted.copy()

    def is_judged_query(self, query: int) -> bool:
        """Return whether at least one document of the query has a grade."""
        return bool((self._store.of_query(query)[1] >= 0).any())

    # -- computing

    @cached_property
    def _plan(self) -> list[Planned]:
        leaves_out = self.conventions.unjudged == "left out"
        return plan_values(self.measures, self._grading, leave_out_unjudged=leaves_out)

    @cached_property
    def _limits(self) -> tuple[FloatArray, BoolArray]:
        """The highest grade that each measure can read, and which do not hang on judged queries.

        These are about clicks, or lack what they read beside grades.
        """
        ceilings = np.array([planned.worth.ceiling for planned in self._plan], dtype=np.float64)
        of_clicks = [each.spec.uses == "clicks" or self.lacks_facts(each) for each in self.measures]
        return ceilings, np.array(of_clicks, dtype=np.bool_)

    def _compute(
        self,
        match: Callable[[JudgmentStore], RankedGrades],
        judged: Callable[[JudgmentStore], JudgedGrades],
        lengths: IntArray,
        store: JudgmentStore,
        query: int | None = None,
    ) -> RunValueTable:
        """Return the values of some rankings.

        Args:
            match: finds their documents in a store.
            judged: gives a store's grades of their queries.
            lengths: documents of each ranking, shape (n_rows,).
            store: the grades that count for them.
            query: of which all rankings are, as often as its grades are given; ``None`` for one
                ranking of each query.
        """

        def block_of(grades: JudgmentStore) -> Block:
            graded, known = match(grades), judged(grades)
            row_queries = None
            if query is not None:
                times = len(lengths) // known.n_queries
                row_queries = np.repeat(np.arange(known.n_queries), times)
            return Block(graded, lengths, known, grading=self._grading, row_queries=row_queries)

        block = block_of(store)
        if self._facts:
            rows = range(self.n_queries) if query is None else [query] * len(lengths)
            block.facts = self._facts_of(match, rows)
        is_judged = block.by_row(block.judged.counts) > 0
        facts = RowFacts(is_judged, lengths > 0, block.by_row(block.judged.highest))
        computed = compute_planned(block, self._plan)
        shares: list[Measure] = []
        if store is not self._store:
            shares = [measure for measure in self.measures if measure.spec.counts_judgments]
        if shares:
            # What is assumed is not judged: shares are of judgments alone.
            columns = [self.measures.index(measure) for measure in shares]
            plain = block_of(self._store)
            computed[:, columns] = compute_planned(plain, [self._plan[each] for each in columns])
        ceilings, of_clicks = self._limits
        values, status = finish_values(
            computed, facts, ceilings, self.conventions, of_clicks=of_clicks
        )
        is_missing = facts.is_judged & ~facts.is_retrieved
        return RunValueTable(values, status, is_missing, facts.is_counted(self.conventions))

    def _compute_run(self, rankings: RunRankings) -> RunValueTable:
        run = rankings.block
        return self._compute(
            lambda store: store.match_run(run.offsets, run.documents),
            JudgmentStore.all_judged,
            run.lengths,
            rankings.store,
        )

    def _compute_rankings(
        self, query: int, rankings: list[KeyArray], store: JudgmentStore
    ) -> RunValueTable:
        """Return the values of some rankings of one query, a row each."""
        return self._compute(
            lambda grades: grades.match_rankings(query, rankings),
            lambda grades: grades.judged_of(query),
            np.array([len(ranking) for ranking in rankings], dtype=np.int64),
            store,
            query,
        )

    def _drop_plan(self) -> None:
        self.__dict__.pop("_plan", None)
        self.__dict__.pop("_limits", None)

    def _recompute_all(self) -> None:
        self._drop_plan()
        for key, run in self._runs.items():
            self._tables[key] = self._compute_run(run)
        self.version += 1

    def _recompute_query(self, query: int, keys: Iterable[int]) -> None:
        # Runs with assumed grades have their own.
        by_store: dict[int, list[int]] = {}
        for key in keys:
            by_store.setdefault(id(self._runs[key].store), []).append(key)
        for group in by_store.values():
            rankings = [self._runs[key].ranking(query) for key in group]
            computed = self._compute_rankings(query, rankings, self._runs[group[0]].store)
            for row, key in enumerate(group):
                self._tables[key].set_row(query, computed, row)


def _repeated(graded: RankedGrades, times: int) -> RankedGrades:
    """Return the same rows so many times, one below the other."""
    rows = np.add.outer(np.arange(times) * graded.n_rows, graded.rows).ravel()
    return RankedGrades(
        rows, np.tile(graded.ranks, times), np.tile(graded.grades, times), times * graded.n_rows
    )
