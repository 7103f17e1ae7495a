"""What the live panel compares: values now, before the last judgment, and at the start."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from judgetool.session.board import Board

Values = np.ma.MaskedArray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Moment:
    """All values of one run at one time.

    Attributes:
        values: shape (n_queries, n_measures), masked where undefined.
        means: ``None`` where there is no mean.
    """

    values: Values
    means: tuple[float | None, ...]


def take_moment(board: Board, run_id: int) -> Moment:
    """Keep a run's values as they are now."""
    means = tuple(mean.value for mean in board.engine.means(run_id))
    return Moment(board.engine.values(run_id).copy(), means)


class Changes:
    """The values that changes are measured against.

    What the last judgment did is kept for the run that is shown; the start of the
    session for all of them.

    Attributes:
        against: ``last`` judgment, or the ``start`` of the session.
    """

    def __init__(self, board: Board, run_ids: list[int]) -> None:
        self._board = board
        self._start = {run_id: take_moment(board, run_id) for run_id in run_ids}
        self._now: dict[int, Moment] = {}
        self._before: dict[int, Moment] = {}
        self.against = "last"

    def show_run(self, run_id: int) -> None:
        """Follow another run from now on."""
        if run_id not in self._now:
            self._now = {run_id: take_moment(self._board, run_id)}
            self._before = dict(self._now)

    def note_change(self) -> None:
        """A judgment was made: what was now becomes before."""
        self._before = self._now
        self._now = {run_id: take_moment(self._board, run_id) for run_id in self._before}

    def changes_of(self, run_id: int, query: int) -> list[float | None]:
        """Return the change of each measure of a query."""
        old, new = self._base(run_id).values[query], self._now[run_id].values[query]
        return [_difference(a, b) for a, b in zip(_plain(old), _plain(new), strict=True)]

    def changes_of_means(self, run_id: int) -> list[float | None]:
        """Return the change of each mean."""
        old, new = self._base(run_id).means, self._now[run_id].means
        return [_difference(a, b) for a, b in zip(old, new, strict=True)]

    def _base(self, run_id: int) -> Moment:
        return (self._start if self.against == "start" else self._before)[run_id]


def _plain(row: Values) -> list[float | None]:
    return [None if value is None else float(value) for value in row.tolist()]


def _difference(old: float | None, new: float | None) -> float | None:
    """Return new − old; what was or is undefined has no change."""
    return None if old is None or new is None else new - old
