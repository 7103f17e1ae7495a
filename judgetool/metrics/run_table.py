"""Values of one run by query and measure, and the means over them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.metrics.conventions import Conventions
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import BoolArray, FloatArray, ratio


class Value(NamedTuple):
    """A measure's value for one ranking.

    Attributes:
        value: the number, ``None`` when it is undefined or not counted.
        reason: why it is undefined, or why it is 0 by convention, in plain words
            (without a full stop); ``""`` for an ordinary value.
    """

    value: float | None
    reason: str = ""


class Mean(NamedTuple):
    """A measure over the queries of a run: the mean, or for counts the sum.

    Attributes:
        value: the number, ``None`` when there is no query to take it over.
        n_queries: queries that it is taken over.
        n_undefined: queries of the run's means whose own value is undefined.
        n_missing: judged queries for which the run has no documents.
    """

    value: float | None
    n_queries: int
    n_undefined: int
    n_missing: int


_BLOCK = 128
"""Rows that are added up anew when one of them changes."""

StatusArray = npt.NDArray[np.int8]
CountArray = npt.NDArray[np.int64]


class ColumnSums:
    """What the means of a table are made of.

    The rows are added up in blocks, and then the blocks: a changed row costs its own block
    and the number of blocks, and the sums are to the last bit those of a fresh start, since
    nothing is ever taken off a sum.

    Args:
        values: shape (n_rows, n_columns); looked at again by :meth:`renew`.
        status: of each value, same shape, from 0 to ``n_kinds`` − 1; likewise.
        n_kinds: how many kinds of status there are.

    Attributes:
        counts: how many values of a column have a status, shape (n_kinds, n_columns).
    """

    def __init__(self, values: FloatArray, status: StatusArray, *, n_kinds: int) -> None:
        self._values = values
        self._status = status
        self._counted = status.copy()
        self._columns = np.arange(values.shape[1])
        starts = np.arange(0, len(values), _BLOCK)
        self._blocks: FloatArray = np.zeros((0, values.shape[1]))
        if len(starts):
            self._blocks = np.array([self._add_block(start) for start in starts.tolist()])
        self.counts: CountArray = np.array(
            [np.count_nonzero(status == kind, axis=0) for kind in range(n_kinds)], dtype=np.int64
        )

    def _add_block(self, start: int) -> FloatArray:
        found: FloatArray = np.add.reduce(self._values[start : start + _BLOCK], axis=0)
        return found

    def totals(self) -> FloatArray:
        """Return the sum of each column, shape (n_columns,)."""
        found: FloatArray = np.add.reduce(self._blocks, axis=0)
        return found

    def renew(self, rows: Iterable[int]) -> None:
        """Take in what some rows of the table hold now."""
        blocks = set()
        for row in rows:
            self.counts[self._counted[row], self._columns] -= 1
            self.counts[self._status[row], self._columns] += 1
            self._counted[row] = self._status[row]
            blocks.add(row // _BLOCK)
        for number in blocks:
            self._blocks[number] = self._add_block(number * _BLOCK)

    def copy_for(self, values: FloatArray, status: StatusArray) -> "ColumnSums":
        """Return the same sums for a copy of the table."""
        copied = copy(self)
        copied._values, copied._status = values, status  # noqa: SLF001 - of the same class
        copied._blocks, copied.counts = self._blocks.copy(), self.counts.copy()  # noqa: SLF001 - of the same class
        copied._counted = self._counted.copy()  # noqa: SLF001 - of the same class
        return copied


OK, UNDEFINED, OFF_SCALE, LEFT_OUT = range(4)
N_STATUSES = 4
FLOOR = 0.00001  # trec_eval's MIN_GEO_MEAN


@dataclass(frozen=True, eq=False)
class RowFacts:
    """What decides, beside its terms, whether a row's values count.

    Attributes:
        is_judged: whether the row's query has a grade, shape (n_rows,).
        is_retrieved: whether the ranking has a document, shape (n_rows,).
        highest: best grade of the query, −1 without any, shape (n_rows,).
    """

    is_judged: BoolArray
    is_retrieved: BoolArray
    highest: FloatArray

    def is_counted(self, conventions: Conventions) -> BoolArray:
        """Return whether each row's query belongs to the means."""
        if conventions.missing == "judged":
            return self.is_judged
        if conventions.missing == "both":
            return self.is_judged & self.is_retrieved
        return self.is_judged | self.is_retrieved


def settle(
    computed: FloatArray,
    facts: RowFacts,
    ceilings: FloatArray,
    conventions: Conventions,
    *,
    of_clicks: BoolArray,
) -> tuple[FloatArray, npt.NDArray[np.int8]]:
    """Turn what was computed into values without NaN, and a status of each.

    Args:
        computed: shape (n_rows, n_measures), NaN where undefined.
        facts: of the rows.
        ceilings: highest grade that each measure can read, shape (n_measures,).
        conventions: which queries count.
        of_clicks: which measures are about clicks, or lack what they read, shape (n_measures,). They count
            wherever clicks are known, judged or not, and nowhere else: nobody having
            been shown a document is not the same as nobody having clicked it.

    Returns:
        Values, 0 wherever the status is not ``OK``; and the statuses.
    """
    status = np.isnan(computed).astype(np.int8)
    status[facts.highest[:, np.newaxis] > ceilings] = OFF_SCALE
    status[~facts.is_counted(conventions)] = LEFT_OUT
    if of_clicks.any():
        status[:, of_clicks] = np.where(np.isnan(computed[:, of_clicks]), LEFT_OUT, OK)
    return np.where(status == OK, computed, 0.0), status


@dataclass(eq=False)
class RunValueTable:
    """Per-query values of one run.

    Attributes:
        values: shape (n_queries, n_measures), 0 where the status is not ``OK``.
        status: ``OK``, ``UNDEFINED``, ``OFF_SCALE`` or ``LEFT_OUT``, same shape.
        is_missing: judged queries that the run lacks, shape (n_queries,).
        is_counted: queries that the means are taken over, shape (n_queries,).
    """

    values: FloatArray
    status: npt.NDArray[np.int8]
    is_missing: BoolArray
    is_counted: BoolArray
    _sums: ColumnSums | None = field(default=None, init=False, repr=False)
    _changed: set[int] = field(default_factory=set, init=False, repr=False)

    def set_row(self, query: int, other: "RunValueTable", row: int) -> None:
        """Take a query's values from a row of another table."""
        self.values[query] = other.values[row]
        self.status[query] = other.status[row]
        self.is_missing[query] = other.is_missing[row]
        self.is_counted[query] = other.is_counted[row]
        self._changed.add(query)

    def row(self, query: int) -> list[float | None]:
        """Return the values of a query, ``None`` where there is none."""
        cells = self.values[query].astype(object)
        cells[self.status[query] != OK] = None
        found: list[float | None] = cells.tolist()
        return found

    def column(self, column: int) -> list[float | None]:
        """Return the values of a measure by query, ``None`` where there is none."""
        return _numbers(self.values[:, column], self.status[:, column])

    def sums(self) -> ColumnSums:
        """Return what the means are made of, added up when it is asked for."""
        if self._sums is None:
            self._sums = ColumnSums(self.values, self.status, n_kinds=N_STATUSES)
        else:
            self._sums.renew(self._changed)
        self._changed.clear()
        return self._sums

    def with_rows(self, rows: "Mapping[int, RunValueTable]") -> "RunValueTable":
        """Return a table with some queries' values, each from the first row of another table."""
        copied = RunValueTable(
            self.values.copy(), self.status.copy(), self.is_missing.copy(), self.is_counted.copy()
        )
        copied._sums = self.sums().copy_for(copied.values, copied.status)
        for query, other in rows.items():
            copied.set_row(query, other, 0)
        return copied

    def of_part(self, part: BoolArray) -> "RunValueTable":
        """Return a table of which only some queries count, shape (n_queries,)."""
        return RunValueTable(
            np.where(part[:, np.newaxis], self.values, 0.0),
            np.where(part[:, np.newaxis], self.status, np.int8(LEFT_OUT)),
            self.is_missing & part,
            self.is_counted & part,
        )

    def means(
        self, measures: Sequence[Measure], conventions: Conventions, weights: FloatArray | None
    ) -> tuple[Mean, ...]:
        """Return the mean (or sum) of each measure, added again from the values."""
        if not measures:
            return ()
        n_missing = int(np.count_nonzero(self.is_missing))
        sums = self.sums()
        n_left_out, n_ok = sums.counts[LEFT_OUT], sums.counts[OK]
        n_undefined = len(self.status) - n_left_out - n_ok
        is_zero = conventions.undefined == "zero"
        counts = n_ok + n_undefined if is_zero else n_ok
        shares: FloatArray | None = None
        if conventions.is_weighted and weights is not None:
            shares = addable(weights)[:, np.newaxis] * (
                self.status != LEFT_OUT if is_zero else self.status == OK
            )
            totals = shares.sum(axis=0)
            numbers = ratio((shares * self.values).sum(axis=0), totals)
            counts = np.where(totals > 0, counts, 0)
        else:
            numbers = ratio(sums.totals(), counts)
        found: list[float] = numbers.tolist()
        for column, measure in enumerate(measures):
            if measure.spec.pooling != "mean" and counts[column]:
                found[column] = self._pooled(column, measure, shares, is_zero=is_zero)
        columns = zip(found, counts.tolist(), n_undefined.tolist(), strict=True)
        means = [
            Mean(number if count else None, count, undefined, n_missing)
            for number, count, undefined in columns
        ]
        return tuple(means)

    def _pooled(
        self,
        column: int,
        measure: Measure,
        shares: FloatArray | None,
        *,
        is_zero: bool,
    ) -> float:
        """Return what stands for all queries of a measure that has no mean: the sum, or the geometric mean."""
        if measure.spec.pooling == "sum":
            return float(self.values[:, column].sum())
        status = self.status[:, column]
        is_counted = (status != LEFT_OUT) if is_zero else (status == OK)
        counted = self.values[is_counted, column]
        logs = np.array([math.log(value) for value in np.maximum(counted, FLOOR).tolist()])
        if shares is None:
            return math.exp(logs.sum() / len(logs))
        weights = shares[is_counted, column]
        return math.exp(float(logs @ weights) / float(weights.sum()))


def _numbers(values: FloatArray, status: npt.NDArray[np.int8]) -> list[float | None]:
    cells = zip(values.tolist(), status.tolist(), strict=True)
    return [number if status == OK else None for number, status in cells]


_MOST_ADDED = 1e200


def addable(weights: FloatArray) -> FloatArray:
    """Return weights whose sums no double is too small for, in the same proportions.

    Those of ordinary size are returned as they are.

    Args:
        weights: above 0, shape (n,).

    Examples:
        >>> addable(np.array([1.0, 2.5])).tolist(), bool(np.isfinite(addable(np.array([1e308] * 9)).sum()))
        ([1.0, 2.5], True)
    """
    most = float(weights.max(initial=0.0))
    if most <= _MOST_ADDED:
        return weights
    # By a power of two, which changes no digit of them.
    smaller: FloatArray = np.ldexp(weights, -int(np.frexp(most)[1]))
    return np.maximum(smaller, np.finfo(np.float64).tiny)
