"""The intervals of a whole run, query by query, and of its means."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.metrics import RunBlock
from judgetool.metrics.bounds import Bounds, compute_bounds_block
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.metrics.engine import RunFacts
from judgetool.session.board import Board
from judgetool.session.pool import Pool

FloatArray = npt.NDArray[np.float64]


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


def bounds_work(board: Board, run_id: int, block: RunBlock) -> Callable[[], BoundsTable]:
    """Return the work of computing a run's table, for another thread.

    What it needs is copied now; judgments made later are not in the result, so whoever
    takes it computes the queries touched since anew.
    """
    facts = board.engine.run_facts(run_id)
    measures, scale, pool = board.engine.measures, board.scale, board.whole_pool
    n_runs = len(board.engine.run_keys)

    def work() -> BoundsTable:
        # A single run has all of its own pool.
        missing = _count_missing(facts, block, pool) if n_runs > 1 else None
        grades = GradesBlock.from_hits(
            facts.hits, facts.lengths, facts.judged, n_missing_open=missing
        )
        is_judged = facts.judged.counts > 0
        shape = (len(facts.lengths), len(measures))
        table = BoundsTable(run_id, np.full(shape, np.nan), np.full(shape, np.nan))
        for place, measure in enumerate(measures):
            bounds = compute_bounds_block(measure, grades, scale)
            table.low[is_judged, place] = bounds.low[is_judged]
            table.high[is_judged, place] = bounds.high[is_judged]
        return table

    return work


def _count_missing(facts: RunFacts, block: RunBlock, pool: Pool) -> npt.NDArray[np.int64]:
    """Return, for each query, how many unjudged documents of the pool the run lacks."""
    n_queries = len(facts.lengths)
    queries, documents = pool.pairs()
    width = 1 + max(
        int(part.max(initial=0)) for part in (documents, block.documents, facts.judged_documents)
    )
    keys = queries * width + documents
    ranked = np.repeat(np.arange(n_queries), facts.lengths) * width + block.documents
    judged = facts.judged_queries * width + facts.judged_documents
    is_open = ~np.isin(keys, judged)
    is_missing = is_open.copy()
    is_missing[is_open] = ~np.isin(keys[is_open], ranked)
    return np.bincount(queries[is_missing], minlength=n_queries)
