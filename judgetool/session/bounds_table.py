"""The intervals of a whole run, query by query, and of its means."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from judgetool.metrics import RunBlock
from judgetool.metrics.bounds import BoundsTable, bound_values
from judgetool.metrics.engine import RunFacts
from judgetool.metrics.grades import GradesBlock
from judgetool.session.board import Board
from judgetool.session.commands import Check, unchecked
from judgetool.session.pool import Pool

_CHECK_EVERY = 500


class BoundsWork(Protocol):
    """Computes a table on any thread; ``check`` is called now and then, and may end it by raising."""

    def __call__(self, check: Check = unchecked) -> BoundsTable:
        """Return the table."""


def bounds_work(board: Board, run_id: int, block: RunBlock) -> BoundsWork:
    """Return the work of computing a run's table, for another thread.

    What it needs is copied now; judgments made later are not in the result, so whoever
    takes it computes the queries touched since anew.
    """
    facts = board.engine.run_facts(run_id)
    measures, scale, pool = board.engine.measures, board.scale, board.whole_pool
    conventions = board.engine.conventions
    values, is_counted = board.engine.values(run_id), board.engine.counted(run_id)

    def work(check: Check = unchecked) -> BoundsTable:
        missing = _count_missing(facts, block, pool, check)
        grades = GradesBlock.from_hits(
            facts.hits, facts.lengths, facts.judged, n_missing_open=missing
        )
        columns = []
        for at, measure in enumerate(measures):
            check()
            columns.append(bound_values(measure, values[:, at], grades, scale, conventions))
        return BoundsTable(run_id, measures, tuple(columns), is_counted)

    return work


def _count_missing(
    facts: RunFacts, block: RunBlock, pool: Pool, check: Check
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
        if query % _CHECK_EVERY == 0:
            check()
        pooled = documents[pools[query] : pools[query + 1]]
        if len(pooled):
            known_for[block.ranking(query)] = query
            known_for[judged[judgments[query] : judgments[query + 1]]] = query
            missing[query] = np.count_nonzero(known_for[pooled] != query)
    return missing
