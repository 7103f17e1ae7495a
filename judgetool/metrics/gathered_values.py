"""Values of thousands of rankings as judged so far: gathered one by one, computed all at once."""

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Block, Hits, IntArray, JudgedGrades
from judgetool.metrics.grading import Grading
from judgetool.metrics.kernels import compute_values
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray


class GatheredValues:
    """Rankings to be measured by one measure.

    Args:
        measure: any of the table.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: whether unjudged documents are taken out of the rankings first.
    """

    def __init__(
        self, measure: Measure, scale: Scale | None, *, leave_out_unjudged: bool = False
    ) -> None:
        self._measure = measure
        self._scale = scale
        self._leaves_out = leave_out_unjudged
        self._ranks: list[IntArray] = []
        self._grades: list[FloatArray] = []
        self._judged: list[FloatArray] = []
        self._lengths: list[int] = []

    def add(self, ranked: FloatArray, judged: FloatArray) -> None:
        """Take one more ranking.

        Args:
            ranked: grade by rank, NaN where nobody judged, shape (n,).
            judged: grades of all judged documents of its query, no NaN, any order.
        """
        places = np.flatnonzero(~np.isnan(ranked))
        self._ranks.append(places.astype(np.int64) + 1)
        self._grades.append(ranked[places])
        self._judged.append(-np.sort(-judged))
        self._lengths.append(len(ranked))

    def compute(self) -> FloatArray:
        """Return the value of each ranking, NaN where it is undefined, shape (number added,)."""
        n = len(self._lengths)
        if not n:
            return np.zeros(0)
        hits = Hits(
            _rows(self._grades), np.concatenate(self._ranks), np.concatenate(self._grades), n
        )
        judged = JudgedGrades(_rows(self._judged), np.concatenate(self._judged), n)
        block = Block(hits, np.array(self._lengths), judged, grading=Grading(self._scale))
        table = compute_values(block, [self._measure], leave_out_unjudged=self._leaves_out)
        values: FloatArray = table[:, 0]
        return values


def _rows(parts: list[FloatArray]) -> IntArray:
    return np.repeat(np.arange(len(parts)), [len(part) for part in parts])
