"""How much is left to judge until all runs are judged down to a rank."""

from typing import NamedTuple

from judgetool.session.session import Session


class Left(NamedTuple):
    """What stands between now and Judged@k = 1 for all runs.

    Attributes:
        pairs: unjudged (query, document) pairs within the first k ranks of any run.
        queries: queries with at least one of them.
        total: pairs within the first k ranks, judged or not.
    """

    pairs: int
    queries: int
    total: int

    @property
    def is_done(self) -> bool:
        """Whether every document within the first k ranks is judged."""
        return self.pairs == 0


def judgments_left(session: Session, k: int = 10) -> Left:
    """Return what is left to judge to reach Judged@k = 1 for all runs.

    A document that was said to be impossible to judge is not left: nobody could do
    more. The judgments of the chosen view count. It is counted once and then kept up
    to date by every judgment.

    Args:
        session: the project.
        k: ranks of each run, at least 1.
    """
    pool = session.board.top_pool(k)
    progress = pool.total_progress()
    return Left(progress.total - progress.judged, pool.count_open_queries(), progress.total)
