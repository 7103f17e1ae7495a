"""The intervals of a whole run, query by query, and of its means."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.metrics.bounds import Bounds, compute_bounds_block
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.session.board import Board

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


def bounds_work(board: Board, run_id: int) -> Callable[[], BoundsTable]:
    """Return the work of computing a run's table, for another thread.

    Judgments made meanwhile may or may not be in the result: whoever takes it computes
    the queries touched since anew.
    """
    measures, scale = board.engine.measures, board.scale
    n_queries = board.n_queries

    def work() -> BoundsTable:
        shape = (n_queries, len(measures))
        table = BoundsTable(run_id, np.full(shape, np.nan), np.full(shape, np.nan))
        judged = [query for query in range(n_queries) if board.engine.is_judged_query(query)]
        for start in range(0, len(judged), 256):
            queries = judged[start : start + 256]
            block = GradesBlock.from_queries(
                [board.engine.query_grades(run_id, q, pool=board.pool(q)) for q in queries]
            )
            for place, measure in enumerate(measures):
                bounds = compute_bounds_block(measure, block, scale)
                table.low[queries, place] = bounds.low
                table.high[queries, place] = bounds.high
        return table

    return work
