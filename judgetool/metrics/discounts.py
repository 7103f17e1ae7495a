"""Tables of discounts by rank, shared by all kernels.

They come from :mod:`math`, one by one: numpy may pick another routine on another
processor, and sums would differ from trec_eval's in the last bit.
"""

import math
from functools import cache

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_SMALLEST = 1024


@cache
def _log2_table(size: int) -> FloatArray:
    table = np.array([1.0, *(math.log2(rank + 1) for rank in range(1, size))])
    table.flags.writeable = False
    return table


@cache
def _power_table(base: float, size: int) -> FloatArray:
    table = np.array([base**exponent for exponent in range(size)])
    table.flags.writeable = False
    return table


def _rounded(size: int) -> int:
    """Round up to a power of two, so that few tables are ever made."""
    return max(_SMALLEST, 1 << size.bit_length())


def log2_table(highest_rank: int) -> FloatArray:
    """Return log2(rank + 1) indexed by rank, at least up to ``highest_rank``; read-only."""
    return _log2_table(_rounded(highest_rank))


def power_table(base: float, highest_exponent: int) -> FloatArray:
    """Return base^exponent indexed by exponent, at least up to the highest; read-only."""
    return _power_table(base, _rounded(highest_exponent))
