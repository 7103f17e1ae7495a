"""The queue: which document comes next for an assessor."""

from collections.abc import Iterable, Sequence

import numpy as np

from judgetool.core.judgments import State
from judgetool.session.opinions import Opinion
from judgetool.session.pool import IntArray
from judgetool.session.session import Session


def list_documents(session: Session, run_id: int | None, query: int) -> tuple[IntArray, int]:
    """Return the documents shown for a query, and how many of them the run ranked.

    First the run's ranking, then documents of the pool that the run lacks, so that
    all that is to be judged can be reached.

    Args:
        session: the project.
        run_id: the run shown; ``None`` shows the pool alone.
        query: number of the query.
    """
    pool = session.board.pool(query)
    if run_id is None:
        return pool, 0
    ranked = session.material.ranked_documents(run_id, query)
    lacking = pool[~np.isin(pool, ranked)]
    return np.concatenate([ranked, lacking]), len(ranked)


def find_next_unjudged(
    session: Session, query: int, documents: Sequence[int], *, after: int
) -> int | None:
    """Return the place of the next unjudged document of a query, or ``None``.

    Looks below ``after`` first, then from the top. Only documents of the pool count.
    What the assessor skipped comes last.

    Args:
        session: the project.
        query: number of the query.
        documents: what is shown, in order.
        after: place of the current document; -1 to start at the top.
    """
    pool: set[int] = set(session.board.pool(query).tolist())
    settled = session.board.settled(query)
    n_shown = len(documents)
    places: list[int] = [*range(after + 1, n_shown), *range(min(after + 1, n_shown))]
    open_places = [p for p in places if documents[p] in pool and documents[p] not in settled]
    if not open_places:
        return None
    opinions = session.opinions(query)
    unskipped = (
        place
        for place in open_places
        if not _is_skipped(opinions.get(documents[place], ()), session.assessor)
    )
    first: int = next(unskipped, open_places[0])
    return first


def _is_skipped(opinions: Iterable[Opinion], assessor: str) -> bool:
    return any(
        opinion.judgment.state is State.SKIPPED and opinion.assessor == assessor
        for opinion in opinions
    )


def find_next_query(session: Session, order: Sequence[int], *, after: int | None) -> int | None:
    """Return the next query whose pool is not done, going round once, or ``None``.

    Args:
        session: the project.
        order: query numbers in the order in which they are shown.
        after: the current query; ``None`` starts at the first.
    """
    start = 0 if after is None or after not in order else list(order).index(after) + 1
    turned = [*order[start:], *order[:start]]
    return next((query for query in turned if not session.board.progress(query).is_done), None)
