"""Values as they stand, by the engine's own kernels, from the grades of bounds and explanations."""

import math
from collections.abc import Sequence

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Block, Hits, JudgedGrades
from judgetool.metrics.bounds_block import GradesBlock
from judgetool.metrics.grading import Grading
from judgetool.metrics.kernels import compute_values
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray, QueryGrades

IN_POOL_ONLY = -1.0


def present_values(
    measure: Measure,
    block: GradesBlock,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> FloatArray:
    """Return the values as judged so far, undefined ones as 0, shape (B,)."""
    return np.nan_to_num(values_now(measure, block, scale, leave_out_unjudged=leave_out_unjudged))


def values_now(
    measure: Measure,
    block: GradesBlock,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> FloatArray:
    """Return the values as judged so far, NaN where they are undefined, shape (B,)."""
    is_known = ~np.isnan(block.ranked) if block.is_pooled is None else block.is_pooled
    rows, columns = np.nonzero(is_known)
    grades = block.ranked[rows, columns]
    grades = np.where(np.isnan(grades), IN_POOL_ONLY, grades)
    hits = Hits(rows, columns + 1, grades, len(block))
    kernel_block = Block(
        hits,
        block.lengths.astype(np.int64),
        _judged_grades(block.judged),
        grading=Grading(scale),
    )
    table = compute_values(kernel_block, [measure], leave_out_unjudged=leave_out_unjudged)
    return table[:, 0]


def compute_value(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> float | None:
    """Return one query's value by the engine's kernels, ``None`` where it is undefined.

    Args:
        measure: any of the table.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: whether unjudged documents are taken out of the ranking first.
    """
    values = compute_values_of([measure], grades, scale, leave_out_unjudged=leave_out_unjudged)
    return values[0]


def compute_values_of(
    measures: Sequence[Measure],
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> list[float | None]:
    """Return one query's values for several measures; see :func:`compute_value`."""
    is_pooled = grades.is_judged if grades.pooled is None else grades.pooled
    places = np.flatnonzero(is_pooled)
    known = np.where(np.isnan(grades.ranked), IN_POOL_ONLY, grades.ranked)[places]
    block = Block(
        Hits(np.zeros(len(places), dtype=np.int64), places + 1, known, 1),
        np.array([grades.n_retrieved]),
        _judged_grades(grades.judged[None, :]),
        grading=Grading(scale),
    )
    table = compute_values(block, measures, leave_out_unjudged=leave_out_unjudged)
    return [None if math.isnan(value) else value for value in table[0].tolist()]


def _judged_grades(padded: FloatArray) -> JudgedGrades:
    queries, columns = np.nonzero(~np.isnan(padded))
    grades = padded[queries, columns]
    order = np.lexsort((-grades, queries))
    return JudgedGrades(queries, grades[order], len(padded))
