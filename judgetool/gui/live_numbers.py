"""What the live panel compares: values now, before the last judgment, and at the start."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from judgetool.metrics.results import Mean
from judgetool.session.board import Board

Values = np.ma.MaskedArray[Any, np.dtype[np.float64]]
Row = list[float | None]


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


class Means:
    """The means of runs, added up once for each state of the judgments."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._version = -1
        self._kept: dict[int, tuple[Mean, ...]] = {}

    def of(self, run_id: int) -> tuple[Mean, ...]:
        """Return the means of a run now, in the order of the measures."""
        version = self._board.engine.version
        if version != self._version:
            self._version = version
            self._kept.clear()
        if run_id not in self._kept:
            self._kept[run_id] = self._board.engine.means(run_id)
        return self._kept[run_id]


class OldValues(Protocol):
    """Values that others are compared with."""

    def row(self, run_id: int, query: int) -> Row:
        """Return the values that a run's values of a query are compared with."""

    def means(self, run_id: int) -> Row:
        """Return the means that a run's means are compared with."""


class Changes:
    """The values that changes are measured against.

    What the last judgment did is kept for the run that is shown; the start of the
    session for all of them. A judgment costs as much as the queries that it touches.

    Attributes:
        against: ``last`` judgment, the ``start`` of the session, or the ``baseline``.
        baseline: the values of the baseline, where there can be one.
        means: of the runs, now.
    """

    def __init__(self, board: Board, run_ids: list[int]) -> None:
        self._board = board
        self._start = {run_id: take_moment(board, run_id) for run_id in run_ids}
        self._run_id: int | None = None
        self._shown: Moment | None = None
        self._since: dict[int, Row] = {}
        self._before: dict[int, Row] = {}
        self._means_now: tuple[float | None, ...] = ()
        self._means_before: tuple[float | None, ...] = ()
        self.means = Means(board)
        self.against = "last"
        self.baseline: OldValues | None = None

    def show_run(self, run_id: int) -> None:
        """Follow another run from now on."""
        if run_id == self._run_id:
            return
        self._run_id = run_id
        self._shown = take_moment(self._board, run_id)
        self._since, self._before = {}, {}
        self._means_now = self._means_before = self._shown.means

    def note_change(self, queries: Iterable[int]) -> None:
        """A judgment was made in these queries: what was now becomes before."""
        if self._run_id is None:
            return
        touched = tuple(queries)
        self._before = {query: self._kept_row(query) for query in touched}
        self._since.update({query: self._row_now(self._run_id, query) for query in touched})
        self._means_before, self._means_now = self._means_now, self._plain_means(self._run_id)

    def changes_of(self, run_id: int, query: int) -> Row:
        """Return the change of each measure of a query."""
        new = self._row_now(run_id, query)
        if self.against == "start":
            old = _plain(self._start[run_id].values[query])
        elif self.against == "baseline":
            old = self.baseline.row(run_id, query) if self.baseline else [None] * len(new)
        else:
            old = self._before.get(query, new)
        return [_difference(a, b) for a, b in zip(old, new, strict=True)]

    def changes_of_means(self, run_id: int) -> Row:
        """Return the change of each mean."""
        new = self._plain_means(run_id)
        old: Iterable[float | None]
        if self.against == "baseline":
            old = self.baseline.means(run_id) if self.baseline else [None] * len(new)
        else:
            old = self._start[run_id].means if self.against == "start" else self._means_before
        return [_difference(a, b) for a, b in zip(old, new, strict=True)]

    def _row_now(self, run_id: int, query: int) -> Row:
        return [found.value for found in self._board.engine.value(run_id, query)]

    def _plain_means(self, run_id: int) -> tuple[float | None, ...]:
        return tuple(mean.value for mean in self.means.of(run_id))

    def _kept_row(self, query: int) -> Row:
        """Return a query's values as they were after the last change but this."""
        if query in self._since or self._shown is None:
            return self._since.get(query, [])
        return _plain(self._shown.values[query])


def _plain(row: Values) -> Row:
    return [None if value is None else float(value) for value in row.tolist()]


def _difference(old: float | None, new: float | None) -> float | None:
    """Return new − old; what was or is undefined has no change."""
    return None if old is None or new is None else new - old
