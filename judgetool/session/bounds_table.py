"""The intervals of a whole run, query by query, and of its means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from judgetool.metrics import RunBlock
from judgetool.metrics.bounds import Bounds, compute_bounds_block
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.metrics.engine import RunFacts
from judgetool.session.board import Board
from judgetool.session.pool import Pool

FloatArray = npt.NDArray[np.float64]
_CHECK_EVERY = 500


@dataclass(slots=True)
class BoundsTable:
    """Least and greatest values of one run.

    Attributes:
        run_id: the run.
        low: shape (n_queries, n_measures); of queries that nobody has judged, NaN.
        high: likewise.
    """

    run_id: int
    low: FloatArray
    high: FloatArray

    def set_query(self, query: int, bounds: tuple[Bounds, ...]) -> None:
        """Take in one query's intervals anew, after a judgment."""
        self.low[query] = [bound.low for bound in bounds]
        self.high[query] = [bound.high for bound in bounds]

    def clear_query(self, query: int) -> None:
        """Take a query out, when its last judgment was taken back."""
        self.low[query] = self.high[query] = np.nan

    def mean(self, measure: int, weights: FloatArray) -> tuple[float, float] | None:
        """Return the interval of a mean: the means of the bounds over the judged queries."""
        judged = ~np.isnan(self.low[:, measure])
        total = float(weights[judged].sum())
        if total == 0:
            return None
        share = weights[judged] / total
        low, high = self.low[judged, measure], self.high[judged, measure]
        return float(low @ share), float(high @ share)


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

    def work(check: Callable[[], None] | None = None) -> BoundsTable:
        missing = _count_missing(facts, block, pool, check)
        grades = GradesBlock.from_hits(
            facts.hits, facts.lengths, facts.judged, n_missing_open=missing
        )
        is_judged = facts.judged.counts > 0
        shape = (len(facts.lengths), len(measures))
        table = BoundsTable(run_id, np.full(shape, np.nan), np.full(shape, np.nan))
        for place, measure in enumerate(measures):
            if check is not None:
                check()
            bounds = compute_bounds_block(measure, grades, scale)
            table.low[is_judged, place] = bounds.low[is_judged]
            table.high[is_judged, place] = bounds.high[is_judged]
        return table

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
