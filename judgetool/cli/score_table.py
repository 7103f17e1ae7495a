"""What ``judgetool score`` prints: values of runs, by query and as means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.metrics import Engine, Mean, Measure, RunBlock
from judgetool.metrics.grades import GradesBlock

if TYPE_CHECKING:
    from judgetool.metrics import Bounds, ComparisonRules

BoolArray = npt.NDArray[np.bool_]
Pool = Callable[[int], npt.NDArray[np.int32] | None]


class ScoredRun(NamedTuple):
    """A run in the table.

    Attributes:
        name: as printed.
        source: the file it came from.
        key: its key in the engine.
        block: its rankings.
    """

    name: str
    source: str
    key: int
    block: RunBlock


@dataclass
class ScoreTable:
    """Values of runs, with all that must be said about how they came about.

    Attributes:
        engine: has all the runs.
        runs: in the order given.
        query_ids: by the engine's query numbers.
        judgments_source: the qrels file, or the project.
        scale_name: by which grades are read.
        highest_grade: of all judgments; -inf when there is none.
        sentences: the conventions, one each.
        notes: what is to be said on standard error.
        documents_of: ids of a run's documents for a query, best first.
        pool_of: documents to be judged of a query, beyond the judged ones.
        rules: how a project compares runs where nothing else is asked for; ``None`` for files.
    """

    engine: Engine
    runs: Sequence[ScoredRun]
    query_ids: Sequence[str]
    judgments_source: str
    scale_name: str
    highest_grade: float
    documents_of: Callable[[ScoredRun, int], list[str]]
    sentences: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)
    pool_of: Pool = lambda _query: None
    rules: "ComparisonRules | None" = None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The columns."""
        return self.engine.measures

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [str(measure) for measure in self.measures]

    @property
    def is_zero_when_undefined(self) -> bool:
        """Whether an undefined value counts, and is printed, as 0."""
        return self.engine.conventions.undefined == "zero"

    @cached_property
    def is_judged(self) -> BoolArray:
        """Whether each query has a grade, shape (n_queries,)."""
        judged = map(self.engine.is_judged_query, range(self.engine.n_queries))
        return np.fromiter(judged, np.bool_, self.engine.n_queries)

    @cached_property
    def _of_clicks(self) -> list[int]:
        return [at for at, each in enumerate(self.measures) if each.spec.uses == "clicks"]

    def printed_queries(self, run: ScoredRun) -> list[int]:
        """Return the queries that have a line of their own: counted, or with clicks."""
        if not self._of_clicks:
            return self.counted_queries(run)
        mask = np.ma.getmaskarray(self.engine.values(run.key))[:, self._of_clicks]
        have_clicks = np.flatnonzero(~mask.all(axis=1)).tolist()
        return sorted({*self.counted_queries(run), *have_clicks})

    def counted_queries(self, run: ScoredRun) -> list[int]:
        """Return the queries that the means of a run are taken over, in order.

        Means of clicks are over the queries of which clicks are known, judged or not.
        """
        is_retrieved = run.block.lengths > 0
        missing = self.engine.conventions.missing
        is_counted = self.is_judged
        if missing == "both":
            is_counted = self.is_judged & is_retrieved
        elif missing == "all":
            is_counted = self.is_judged | is_retrieved
        return [int(query) for query in np.flatnonzero(is_counted)]

    def means(self, run: ScoredRun) -> tuple[Mean, ...]:
        """Return a mean for each column; of counts the sum."""
        return self.engine.means(run.key)

    def iter_rows(self, run: ScoredRun) -> Iterator[tuple[int, list[float | None]]]:
        """Yield (query, values); ``None`` where one is undefined, NaN where it is not counted."""
        values = self.engine.values(run.key)
        counted = set(self.counted_queries(run))
        for query in self.printed_queries(run):
            row = values[query].tolist()
            # Not 0: no mean counts it.
            yield (
                query,
                row if query in counted else [nan if each is None else each for each in row],
            )

    def ranges(self, run: ScoredRun) -> "RunRanges":
        """Return the intervals of a run's values and means."""
        # Values alone need none of it.
        from judgetool.metrics.bounds import (  # noqa: PLC0415 - see above
            NEVER,
            BoundsBlock,
            compute_bounds_block,
        )

        queries = self.counted_queries(run)
        grades = [self.engine.query_grades(run.key, q, self.pool_of(q)) for q in queries]
        block = GradesBlock.from_queries(grades)
        conventions = self.engine.conventions
        values = self.engine.values(run.key)
        of_clicks = set(self._of_clicks)
        # What is assumed in a what-if is not judged: shares are as the engine has them.
        certain = {
            at: BoundsBlock.certain(values[:, at])
            for at, measure in enumerate(self.measures)
            if at in of_clicks or measure.spec.counts_judgments
        }
        for at, measure in enumerate(self.measures):
            if measure.spec.facts in self.engine.known_facts and at not in certain:
                certain[at] = BoundsBlock.none(len(values))
        columns = [
            certain[at].of(np.array(queries, dtype=np.intp))
            if at in certain
            else compute_bounds_block(measure, block, self.engine.scale, conventions)
            for at, measure in enumerate(self.measures)
        ]
        weights = self.engine.mean_weights
        return RunRanges(
            {
                query: [
                    None if bounds.defined == NEVER else bounds
                    for bounds in (column.bounds_of(row) for column in columns)
                ]
                for row, query in enumerate(queries)
            },
            [
                certain[at].pool(measure, weights)
                if at in of_clicks
                else columns[at].pool(measure, weights[queries])
                for at, measure in enumerate(self.measures)
            ],
        )


class RunRanges(NamedTuple):
    """The intervals of one run.

    Attributes:
        by_query: one for each column by query; ``None`` where no grading gives a value.
        means: one for each column, ``None`` likewise.
    """

    by_query: "dict[int, list[Bounds | None]]"
    means: "list[Bounds | None]"

    def of_query(self, query: int, table: ScoreTable) -> "list[Bounds | None]":
        """Return a query's intervals; none where it counts by its clicks alone."""
        return self.by_query.get(query, [None] * len(table.measures))
