"""Sums and counts of a table's columns, kept while single rows of it change."""

from collections.abc import Iterable
from copy import copy

import numpy as np
import numpy.typing as npt

from judgetool.metrics.terms import FloatArray

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
