"""Values of many gradings of one shape at once: a row of worths for each grading.

Bounds evaluate the worst and the best grading with these, stakes one grading per
document, and differences every grading that could matter.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import BoolArray, FloatArray

IntArray = npt.NDArray[np.int64]
EPSILON = 0.00001  # trec_eval's, for infAP


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Gradings to evaluate, one per row; B rows of n ranks.

    Attributes:
        worth: relevance, gain or probability by rank, shape (B, n); 0 where unjudged.
        lengths: documents retrieved, shape (B,) or (1,).
        n_relevant: R, retrieved or not, shape (B,); measures that count relevance.
        n_nonrelevant: judged documents that are not relevant, shape (B,); Bpref.
        judged: which are judged, shape (B, n) or (1, n); Bpref and infAP.
        pooled: which belong to the pool, shape as ``judged``; infAP.
        ideal: ideal DCG, shape (B,); nDCG.
    """

    worth: FloatArray
    lengths: FloatArray
    n_relevant: FloatArray
    n_nonrelevant: FloatArray | None = None
    judged: BoolArray | None = None
    pooled: BoolArray | None = None
    ideal: FloatArray | None = None


def compute_rows(measure: Measure, rows: Rows) -> FloatArray:
    """Return the value of each row, 0 where it is undefined; shape (B,)."""
    return ROW_KERNELS[measure.spec.kernel](measure, rows)


def has_row_values(measure: Measure) -> bool:
    """Return whether :func:`compute_rows` can evaluate the measure."""
    return measure.spec.kernel in ROW_KERNELS


@lru_cache(maxsize=16)
def _discounts(n: int) -> FloatArray:
    # math.log2, as trec_eval's C; numpy may pick another routine on another CPU.
    table = np.array([1.0 / math.log2(rank + 1) for rank in range(1, n + 1)])
    table.flags.writeable = False
    return table


def discounts(n: int) -> FloatArray:
    """Return 1 / log2(rank + 1) for the ranks 1 to n."""
    return _discounts(1 << max(4, n.bit_length()))[:n]


def ranks(n: int) -> FloatArray:
    """Return the ranks 1 to n as floats."""
    return np.arange(1.0, n + 1)


def ratio(above: FloatArray, below: FloatArray | float) -> FloatArray:
    """Return above / below, and 0 where the divisor is 0: undefined counts as 0."""
    below = np.broadcast_to(np.asarray(below, dtype=np.float64), above.shape)
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def found_in_top(measure: Measure, rows: Rows) -> FloatArray:
    """Return the sum of worths in the ranks that the measure looks at."""
    total: FloatArray = rows.worth[:, : measure.cutoff].sum(axis=1)
    return total


def depth_of(measure: Measure, rows: Rows) -> FloatArray:
    """Return k, or the length of each ranking for a measure without a cutoff."""
    return rows.lengths if measure.cutoff is None else np.array([float(measure.cutoff)])


def _precision(measure: Measure, rows: Rows) -> FloatArray:
    depth = depth_of(measure, rows)
    if measure.has_param("over") and measure.param("over") == "retrieved":
        depth = np.minimum(depth, rows.lengths)
    return ratio(found_in_top(measure, rows), depth)


def _set_precision(measure: Measure, rows: Rows) -> FloatArray:
    if measure.param("relative"):
        return ratio(found_in_top(measure, rows), np.minimum(rows.lengths, rows.n_relevant))
    return ratio(found_in_top(measure, rows), rows.lengths)


def _recall(measure: Measure, rows: Rows) -> FloatArray:
    return ratio(found_in_top(measure, rows), rows.n_relevant)


def _capped_recall(measure: Measure, rows: Rows) -> FloatArray:
    return ratio(found_in_top(measure, rows), np.minimum(depth_of(measure, rows), rows.n_relevant))


def _f_measure(measure: Measure, rows: Rows) -> FloatArray:
    beta = number(measure, "beta", 1.0)
    # trec_eval's set_F takes the square of the textbook's beta.
    square = beta if measure.spec.kernel == "set_f" else beta * beta
    found = found_in_top(measure, rows)
    return ratio((1 + square) * found, square * rows.n_relevant + depth_of(measure, rows))


def _set_ap(measure: Measure, rows: Rows) -> FloatArray:
    found = found_in_top(measure, rows)
    return ratio(found * found, rows.lengths * rows.n_relevant)


def _success(measure: Measure, rows: Rows) -> FloatArray:
    return (found_in_top(measure, rows) > 0).astype(np.float64)


def _reciprocal_rank(measure: Measure, rows: Rows) -> FloatArray:
    top = rows.worth[:, : measure.cutoff] > 0
    if not top.shape[1]:
        return np.zeros(len(top))
    return np.where(top.any(axis=1), 1.0 / (top.argmax(axis=1) + 1.0), 0.0)


def _average_precision(measure: Measure, rows: Rows) -> FloatArray:
    top = rows.worth[:, : measure.cutoff]
    total = (top * np.cumsum(top, axis=1) / ranks(top.shape[1])).sum(axis=1)
    return divided_precisions(measure, total, top.sum(axis=1), rows)


def divided_precisions(
    measure: Measure, total: FloatArray, found: FloatArray, rows: Rows
) -> FloatArray:
    """Return AP from the sum of precisions and the number of relevant documents found.

    Args:
        measure: AP with any norm.
        total: sums of the precisions at relevant ranks, shape (B,).
        found: relevant documents in the ranks that the measure looks at, shape (B,).
        rows: lengths and numbers of relevant documents; its worths are not looked at.
    """
    norm = measure.param("norm") if measure.has_param("norm") else "relevant"
    if norm == "k":
        return ratio(total, depth_of(measure, rows))
    if norm == "found":
        return ratio(total, found)
    if norm == "min":
        return ratio(total, np.minimum(depth_of(measure, rows), rows.n_relevant))
    return ratio(total, rows.n_relevant)


def _r_precision(measure: Measure, rows: Rows) -> FloatArray:
    mult = number(measure, "mult", 1.0)
    depth = rows.n_relevant if mult == 1 else np.floor(mult * rows.n_relevant + 0.9)
    hits = np.cumsum(np.pad(rows.worth, ((0, 0), (1, 0))), axis=1)
    at = np.minimum(depth, rows.worth.shape[1]).astype(np.intp)
    return ratio(np.take_along_axis(hits, at[:, None], axis=1)[:, 0], depth)


def need_for_recall(measure: Measure, level: float, n_relevant: FloatArray) -> FloatArray:
    """Return how many relevant documents make up a recall, by trec_eval 9's rule or 10's."""
    half = 0.5 if measure.param("rule") == "v10" else 0.9
    return np.floor(level * n_relevant + half)


def _interpolated(measure: Measure, rows: Rows) -> FloatArray:
    levels = [number(measure, "recall", 0.0)]
    if measure.spec.kernel == "eleven_point":
        levels = [step / 10 for step in range(11)]
    if not rows.worth.shape[1]:
        return np.zeros(len(rows.worth))
    hits = np.cumsum(rows.worth, axis=1)
    precision = hits / ranks(hits.shape[1])
    # The best precision at this rank or any later one.
    best = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    total = np.zeros(len(hits))
    for level in levels:
        reached = hits >= need_for_recall(measure, level, rows.n_relevant)[:, None]
        first = np.take_along_axis(best, reached.argmax(axis=1)[:, None], axis=1)[:, 0]
        total += np.where(reached.any(axis=1) & (rows.n_relevant > 0), first, 0.0)
    return total / len(levels)


def _bpref(_measure: Measure, rows: Rows) -> FloatArray:
    judged = np.ones((1, rows.worth.shape[1]), bool) if rows.judged is None else rows.judged
    nonrelevant = np.zeros(1) if rows.n_nonrelevant is None else rows.n_nonrelevant
    above = np.cumsum(judged & (rows.worth == 0), axis=1, dtype=np.float64)
    limit = np.minimum(nonrelevant, rows.n_relevant)[:, None]
    lost = ratio(np.minimum(above, rows.n_relevant[:, None]), limit)
    return ratio((rows.worth * (1.0 - lost)).sum(axis=1), rows.n_relevant)


def _inferred_ap(_measure: Measure, rows: Rows) -> FloatArray:
    n = rows.worth.shape[1]
    everything = np.ones((1, n), bool)
    judged = everything if rows.judged is None else rows.judged
    pooled = everything if rows.pooled is None else rows.pooled
    relevant = np.cumsum(rows.worth, axis=1) - rows.worth
    known = np.cumsum(judged, axis=1) - judged
    in_pool = np.cumsum(pooled, axis=1) - pooled
    # (j / (j + 1)) (pooled / j) is pooled / (j + 1): the first rank needs no case of its own.
    inner = (relevant + EPSILON) / (known + 2 * EPSILON)
    each = (1.0 + in_pool * inner) / ranks(n)
    return ratio((rows.worth * each).sum(axis=1), rows.n_relevant)


def _cumulated_gain(measure: Measure, rows: Rows) -> FloatArray:
    return found_in_top(measure, rows)


def _dcg(measure: Measure, rows: Rows) -> FloatArray:
    top = rows.worth[:, : measure.cutoff]
    return np.asarray(top @ discounts(top.shape[1]), dtype=np.float64)


def _ndcg(measure: Measure, rows: Rows) -> FloatArray:
    return ratio(_dcg(measure, rows), 0.0 if rows.ideal is None else rows.ideal)


def reach_before(stay: FloatArray) -> FloatArray:
    """Return the product of all earlier columns, 1 in the first: who still reads on."""
    reach = np.ones_like(stay)
    np.cumprod(stay[:, :-1], axis=1, out=reach[:, 1:])
    return reach


def _err(measure: Measure, rows: Rows) -> FloatArray:
    top = rows.worth[:, : measure.cutoff]
    total: FloatArray = (reach_before(1.0 - top) * top / ranks(top.shape[1])).sum(axis=1)
    return total


def _pfound(measure: Measure, rows: Rows) -> FloatArray:
    top = rows.worth[:, : measure.cutoff]
    stay = (1.0 - top) * (1.0 - number(measure, "p_break", 0.15))
    total: FloatArray = (reach_before(stay) * top).sum(axis=1)
    return total


def _rbp(measure: Measure, rows: Rows) -> FloatArray:
    top = rows.worth[:, : measure.cutoff]
    p = number(measure, "p", 0.8)
    return np.asarray(top @ ((1 - p) * p ** np.arange(top.shape[1])), dtype=np.float64)


def _num_relevant(_measure: Measure, rows: Rows) -> FloatArray:
    return rows.n_relevant


def _num_nonrelevant_returned(_measure: Measure, rows: Rows) -> FloatArray:
    judged = np.ones((1, rows.worth.shape[1]), bool) if rows.judged is None else rows.judged
    return np.asarray((judged & (rows.worth == 0)).sum(axis=1), dtype=np.float64)


def _num_returned(measure: Measure, rows: Rows) -> FloatArray:
    if measure.param("rel") is None:
        return np.broadcast_to(rows.lengths, (len(rows.worth),))
    return found_in_top(measure, rows)


def number(measure: Measure, name: str, default: float) -> float:
    """Return a numeric parameter, or ``default`` where the measure has no such parameter."""
    value: Any = measure.param(name) if measure.has_param(name) else default
    return float(value)


ROW_KERNELS: dict[str, Callable[[Measure, Rows], FloatArray]] = {
    "precision": _precision,
    "recall": _recall,
    "capped_recall": _capped_recall,
    "f_measure": _f_measure,
    "success": _success,
    "r_precision": _r_precision,
    "set_precision": _set_precision,
    "set_recall": _recall,
    "set_f": _f_measure,
    "set_ap": _set_ap,
    "reciprocal_rank": _reciprocal_rank,
    "average_precision": _average_precision,
    "interpolated_precision": _interpolated,
    "eleven_point": _interpolated,
    "bpref": _bpref,
    "inferred_ap": _inferred_ap,
    "cumulated_gain": _cumulated_gain,
    "dcg": _dcg,
    "ndcg": _ndcg,
    "err": _err,
    "pfound": _pfound,
    "rbp": _rbp,
    "num_relevant": _num_relevant,
    "num_relevant_returned": _cumulated_gain,
    "num_nonrelevant_returned": _num_nonrelevant_returned,
    "num_returned": _num_returned,
}
