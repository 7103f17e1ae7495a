"""Sums of columns while rows change: to the last bit those of a fresh start."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from judgetool.metrics.values import ColumnSums

N_KINDS = 4
COLUMNS = 3
cell = st.tuples(
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: value / 7), st.integers(0, N_KINDS - 1)
)
row = st.lists(cell, min_size=COLUMNS, max_size=COLUMNS)


def parts(rows):
    """Return values and statuses of rows as arrays."""
    values = np.array([[value for value, _ in each] for each in rows])
    status = np.array([[kind for _, kind in each] for each in rows], dtype=np.int8)
    return values, status


@given(st.integers(1, 400), st.integers(0, 2**32 - 1), st.lists(st.tuples(st.integers(0), row)))
def test_a_changed_row_leaves_no_trace_of_what_it_was(n_rows, seed, changes):
    """After any changes of rows, sums and counts are exactly those of a fresh start."""
    chance = np.random.default_rng(seed)
    values = chance.normal(size=(n_rows, COLUMNS))
    status = chance.integers(0, N_KINDS, (n_rows, COLUMNS)).astype(np.int8)
    sums = ColumnSums(values, status, n_kinds=N_KINDS)
    for number, changed in changes:
        at = number % n_rows
        new_values, new_status = parts([changed])
        values[at], status[at] = new_values[0], new_status[0]
        sums.renew({at})
    fresh = ColumnSums(values, status, n_kinds=N_KINDS)
    assert (sums.totals() == fresh.totals()).all()
    assert (sums.counts == fresh.counts).all()


def test_a_copy_goes_its_own_way():
    """A changed row of a copied table changes nothing of the table it came from."""
    values, status = np.ones((5, 2)), np.zeros((5, 2), dtype=np.int8)
    sums = ColumnSums(values, status, n_kinds=2)
    copied_values, copied_status = values.copy(), status.copy()
    copied = sums.copy_for(copied_values, copied_status)
    copied_values[1], copied_status[1] = 9.0, 1
    copied.renew({1})
    assert copied.totals().tolist() == [13.0, 13.0]
    assert sums.totals().tolist() == [5.0, 5.0]
    assert sums.counts.tolist() == [[5, 5], [0, 0]]


def test_a_table_without_rows_adds_up_to_nothing():
    """Without rows every sum and count is 0."""
    sums = ColumnSums(np.zeros((0, 2)), np.zeros((0, 2), dtype=np.int8), n_kinds=2)
    assert sums.totals().tolist() == [0.0, 0.0]
    assert sums.counts.tolist() == [[0, 0], [0, 0]]
