"""The intervals of a whole run, query by query, and of its means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from judgetool.metrics import Measure, RunBlock
from judgetool.metrics.bounds import Bounds, BoundsBlock, compute_bounds_block
from judgetool.metrics.engine import RunFacts
from judgetool.metrics.grades import GradesBlock
from judgetool.metrics.run_table import RowFacts
from judgetool.session.board import Board
from judgetool.session.pool import Pool

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
_CHECK_EVERY = 500


@dataclass(slots=True)
class BoundsTable:
    """Least and greatest values of one run, and what its means make of them.

    Attributes:
        run_id: the run.
        measures: the columns.
        columns: the intervals of all queries by each measure.
        is_counted: which queries belong to the means, shape (n_queries,); of all others
            the intervals mean nothing.
    """

    run_id: int
    measures: tuple[Measure, ...]
    columns: tuple[BoundsBlock, ...]
    is_counted: BoolArray

    def set_query(self, query: int, bounds: tuple[Bounds, ...]) -> None:
        """Take in one query's intervals anew, after a judgment."""
        self.is_counted[query] = True
        for column, bound in zip(self.columns, bounds, strict=True):
            column.low[query], column.high[query] = bound.low, bound.high
            column.is_exact[query], column.defined[query] = bound.is_exact, bound.defined

    def clear_query(self, query: int) -> None:
        """Take a query out, when its last judgment was taken back."""
        self.is_counted[query] = False

    def mean(self, measure: int, weights: FloatArray) -> Bounds | None:
        """Return the interval of a mean, of counts that of the sum; see ``BoundsBlock.pool``.

        Args:
            measure: place of the measure.
            weights: how much each query counts, shape (n_queries,).
        """
        # Clicks count where they are known, judged or not.
        is_of_clicks = self.measures[measure].spec.uses == "clicks"
        counted = np.flatnonzero(self.is_counted | is_of_clicks)
        column = self.columns[measure].of(counted)
        return column.pool(self.measures[measure], weights[counted])

    def means(self, weights: FloatArray) -> list[Bounds | None]:
        """Return the interval of every mean; see :meth:`mean`."""
        return [self.mean(place, weights) for place in range(len(self.measures))]


class BoundsWork(Protocol):
    """Computes a table on any thread; ``check`` is called now and then, and may end it by raising."""

    def __call__(self, check: Callable[[], None] | None = None) -> BoundsTable:
        """Return the table."""


def bounds_work(board: Board, run_id: int, block: RunBlock) -> BoundsWork:
    """Return the work of computing a run's table, for another thread.

    What it needs is copied now; judgments made later are not in the result, so whoever
    takes it computes the queries touched since anew.
    """
    facts = board.engine.run_facts(run_id)
    measures, scale, pool = board.engine.measures, board.scale, board.whole_pool
    conventions = board.engine.conventions
    values = board.engine.values(run_id)

    def work(check: Callable[[], None] | None = None) -> BoundsTable:
        missing = _count_missing(facts, block, pool, check)
        grades = GradesBlock.from_hits(
            facts.hits, facts.lengths, facts.judged, n_missing_open=missing
        )
        columns = []
        for at, measure in enumerate(measures):
            if check is not None:
                check()
            columns.append(
                # What is assumed in a what-if is not judged.
                BoundsBlock.certain(values[:, at])
                if measure.spec.uses == "clicks" or measure.spec.counts_judgments
                else compute_bounds_block(measure, grades, scale, conventions)
            )
        rows = RowFacts(facts.judged.counts > 0, facts.lengths > 0, facts.judged.highest)
        return BoundsTable(run_id, measures, tuple(columns), rows.is_counted(conventions))

    return work


def _count_missing(
    facts: RunFacts, block: RunBlock, pool: Pool, check: Callable[[], None] | None
) -> npt.NDArray[np.int64]:
    """Return, for each query, how many unjudged documents of the pool the run lacks."""
    n_queries = len(facts.lengths)
    queries, documents = pool.pairs()
    judged = facts.judged_documents
    width = 1 + max(int(part.max(initial=0)) for part in (documents, block.documents, judged))
    pools = np.searchsorted(queries, np.arange(n_queries + 1)).tolist()
    judgments = np.searchsorted(facts.judged_queries, np.arange(n_queries + 1)).tolist()
    # One mark by document, overwritten by the next query: sorting millions of pairs takes seconds.
    known_for = np.full(width, -1, dtype=np.int32)
    missing = np.zeros(n_queries, dtype=np.int64)
    for query in range(n_queries):
        if check is not None and query % _CHECK_EVERY == 0:
            check()
        pooled = documents[pools[query] : pools[query + 1]]
        if len(pooled):
            known_for[block.ranking(query)] = query
            known_for[judged[judgments[query] : judgments[query + 1]]] = query
            missing[query] = np.count_nonzero(known_for[pooled] != query)
    return missing
