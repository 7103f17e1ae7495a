"""Queues by stake: first what could change a value most."""

import numpy as np

from judgetool.metrics.stakes import compute_stakes
from judgetool.session.pool import IntArray
from judgetool.session.session import Session


def sort_by_stake(session: Session, query: int, pool: IntArray) -> IntArray:
    """Return a pool by falling stake: how far one document's grade alone could move a value.

    Args:
        session: the project; the measure is the first of those chosen, and a
            document's stake the greatest over all runs.
        query: number of the query.
        pool: documents of the query.

    Returns:
        Unjudged documents by falling stake, equal ones as in the pool; then the judged.
    """
    if not len(pool):
        return pool
    board = session.board
    measure = session.measures[0]
    stakes = dict.fromkeys(pool.tolist(), 0.0)
    for run in session.material.runs:
        ranked = session.material.ranked_documents(run.run_id, query)
        grades = board.engine.query_grades(run.run_id, query, pool=pool)
        found = compute_stakes(measure, grades, session.scale)
        at_stake = dict(zip(ranked[found.ranks - 1].tolist(), found.widths.tolist(), strict=True))
        known = set(ranked.tolist())
        for document in stakes:
            width = at_stake.get(document, 0.0) if document in known else found.missing
            stakes[document] = max(stakes[document], width)
    settled = board.settled(query)
    members = pool.tolist()
    # Sums of floats differ in their last digits: equal stakes must compare equal.
    members.sort(key=lambda number: (number in settled, -round(stakes[number], 12)))
    return np.array(members, dtype=np.int32)
