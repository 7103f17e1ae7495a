"""Values of one run by query and measure, and the means over them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from judgetool.metrics.column_sums import ColumnSums
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.measure import Measure
from judgetool.metrics.results import Mean
from judgetool.metrics.terms import FloatArray

OK, UNDEFINED, OFF_SCALE, LEFT_OUT = range(4)
N_STATUSES = 4
FLOOR = 0.00001  # trec_eval's MIN_GEO_MEAN
BoolArray = npt.NDArray[np.bool_]


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
        of_clicks: which measures are about clicks, shape (n_measures,). They count
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
class RunTable:
    """Per-query values of one run.

    Attributes:
        values: shape (n_queries, n_measures), 0 where the status is not ``OK``.
        status: ``OK``, ``UNDEFINED``, ``OFF_SCALE`` or ``LEFT_OUT``, same shape.
        is_missing: judged queries that the run lacks, shape (n_queries,).
    """

    values: FloatArray
    status: npt.NDArray[np.int8]
    is_missing: BoolArray
    _sums: ColumnSums | None = field(default=None, init=False, repr=False)
    _changed: set[int] = field(default_factory=set, init=False, repr=False)

    def set_row(self, query: int, other: "RunTable", row: int) -> None:
        """Take a query's values from a row of another table."""
        self.values[query] = other.values[row]
        self.status[query] = other.status[row]
        self.is_missing[query] = other.is_missing[row]
        self._changed.add(query)

    def sums(self) -> ColumnSums:
        """Return what the means are made of, added up when it is asked for."""
        if self._sums is None:
            self._sums = ColumnSums(self.values, self.status, n_kinds=N_STATUSES)
        else:
            self._sums.renew(self._changed)
        self._changed.clear()
        return self._sums

    def with_rows(self, rows: "Mapping[int, RunTable]") -> "RunTable":
        """Return a table with some queries' values, each from the first row of another table."""
        copied = RunTable(self.values.copy(), self.status.copy(), self.is_missing.copy())
        copied._sums = self.sums().copy_for(copied.values, copied.status)
        for query, other in rows.items():
            copied.set_row(query, other, 0)
        return copied

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
            shares = weights[:, np.newaxis] * (
                self.status != LEFT_OUT if is_zero else self.status == OK
            )
            totals = shares.sum(axis=0)
            numbers = divide_or_zero((shares * self.values).sum(axis=0), totals)
            counts = np.where(totals > 0, counts, 0)
        else:
            numbers = divide_or_zero(sums.totals(), counts)
        return tuple(
            Mean(
                self._pooled(column, measure, number, shares, is_zero=is_zero) if count else None,
                count,
                undefined,
                n_missing,
            )
            for column, (measure, number, count, undefined) in enumerate(
                zip(measures, numbers.tolist(), counts.tolist(), n_undefined.tolist(), strict=True)
            )
        )

    def _pooled(
        self,
        column: int,
        measure: Measure,
        mean: float,
        shares: FloatArray | None,
        *,
        is_zero: bool,
    ) -> float:
        pooling = measure.spec.pooling
        if pooling == "mean":
            return mean
        if pooling == "sum":
            return float(self.values[:, column].sum())
        status = self.status[:, column]
        is_counted = (status != LEFT_OUT) if is_zero else (status == OK)
        counted = self.values[is_counted, column]
        logs = np.array([math.log(value) for value in np.maximum(counted, FLOOR).tolist()])
        if shares is None:
            return math.exp(logs.sum() / len(logs))
        weights = shares[is_counted, column]
        return math.exp(float(logs @ weights) / float(weights.sum()))


def divide_or_zero(numbers: FloatArray, by: npt.ArrayLike) -> FloatArray:
    """Divide element by element, 0 where the divisor is 0."""
    divisors = np.asarray(by, dtype=np.float64)
    return np.divide(numbers, divisors, out=np.zeros(len(numbers)), where=divisors != 0)
