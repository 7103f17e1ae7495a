"""Queues that take documents from the runs in turn."""

from collections.abc import Sequence

import numpy as np

from judgetool.session.pool import IntArray


def interleave(rankings: Sequence[IntArray], pool: IntArray) -> IntArray:
    """Return the pool by round robin: each run gives its best document that is not yet there.

    Args:
        rankings: the runs' documents, best first; the first run begins.
        pool: what is to be judged; documents that no run ranks come last, in its order.
    """
    turns = _Turns(rankings, pool)
    run = 0
    while turns.has_more:
        turns.take_from(run)
        run = (run + 1) % len(rankings)
    return turns.result()


def move_to_front(
    rankings: Sequence[IntArray], pool: IntArray, judged: Sequence[tuple[int, bool | None]]
) -> IntArray:
    """Return the pool so that runs which keep giving relevant documents come first.

    All runs begin with the same priority. A document is taken from the run in front;
    as long as they are relevant, the run stays there. A document that is not relevant
    lowers its run's priority by one, and the run goes behind all of its new equals.
    The state is found anew from the judgments each time: a judged document counts for
    the run in front among those that rank it, whoever would have given it.

    What is not judged yet follows as if it will turn out not to be relevant.

    Args:
        rankings: the runs' documents, best first.
        pool: what is to be judged; documents that no run ranks come last.
        judged: (document, is relevant) in the order of judging; ``None``: cannot be
            judged, which says nothing of the run.

    Returns:
        Judged documents of the pool in the order of judging, then the others.

    References:
        G. V. Cormack, C. R. Palmer, C. L. A. Clarke: Efficient construction of large
        test collections, SIGIR 1998 ("local move-to-front pooling").
    """
    turns = _Turns(rankings, pool)
    front = _Front(len(rankings))
    places = [dict(zip(ranked.tolist(), range(len(ranked)), strict=True)) for ranked in rankings]
    for document, is_relevant in judged:
        turns.take(document)
        givers = [run for run, place_of in enumerate(places) if document in place_of]
        if givers and is_relevant is False:
            front.lower(min(givers, key=front.rank))
        elif givers and is_relevant:
            front.favour(min(givers, key=front.rank))
    while turns.has_more:
        run = front.first(turns)
        turns.take_from(run)
        front.lower(run)
    return turns.result()


class _Turns:
    """Documents taken from runs, each once."""

    def __init__(self, rankings: Sequence[IntArray], pool: IntArray) -> None:
        self._pool = pool
        self._left = dict.fromkeys(pool.tolist())
        self._queues = [ranked[np.isin(ranked, pool)].tolist() for ranked in rankings]
        self._next = [0] * len(rankings)
        self._taken: list[int] = []
        ranked = {document for queue in self._queues for document in queue}
        self._n_ranked_left = len(ranked)
        self._ranked = ranked

    @property
    def has_more(self) -> bool:
        """Whether some run still has a document to give."""
        return self._n_ranked_left > 0

    def has(self, run: int) -> bool:
        """Whether this run has a document that is not yet taken."""
        queue, place = self._queues[run], self._next[run]
        while place < len(queue) and queue[place] not in self._left:
            place += 1
        self._next[run] = place
        return place < len(queue)

    def take(self, document: int) -> None:
        """Take a document, if it is in the pool and not taken yet."""
        if document in self._left:
            del self._left[document]
            self._taken.append(document)
            self._n_ranked_left -= document in self._ranked

    def take_from(self, run: int) -> None:
        """Take a run's best document that is not yet taken, if it has one."""
        if self.has(run):
            self.take(self._queues[run][self._next[run]])

    def result(self) -> IntArray:
        """Return what was taken, and behind it the rest of the pool."""
        return np.array([*self._taken, *self._left], dtype=np.int32)


class _Front:
    """The runs by priority; of equals the one that waits longest is in front."""

    def __init__(self, n_runs: int) -> None:
        self._keys = [(0, run) for run in range(n_runs)]
        self._clock = n_runs

    def rank(self, run: int) -> tuple[int, int]:
        """Return what runs are sorted by: lowered least first, then waiting longest."""
        return self._keys[run]

    def lower(self, run: int) -> None:
        """Lower a run's priority by one; it goes behind its new equals."""
        self._keys[run] = (self._keys[run][0] + 1, self._clock)
        self._clock += 1

    def favour(self, run: int) -> None:
        """Put a run in front of its equals."""
        self._keys[run] = (self._keys[run][0], -self._clock)
        self._clock += 1

    def first(self, turns: _Turns) -> int:
        """Return the run in front among those that still have a document."""
        runs = [run for run in range(len(self._keys)) if turns.has(run)]
        return min(runs, key=self.rank)
