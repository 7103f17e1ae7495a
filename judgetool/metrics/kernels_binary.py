"""Kernels of the measures that ask only whether a document is relevant.

Each takes a block and a measure and returns one value per row; NaN stands for
'undefined' here and never leaves the engine. Sums and divisions follow the order of
trec_eval's C, so that the doubles are the same.
"""

import numpy as np

from judgetool.metrics.block import Block, FloatArray, Hits, IntArray, divide
from judgetool.metrics.measure import Measure

FLOOR = 0.00001  # trec_eval's MIN_GEO_MEAN and the epsilon of infAP
ELEVEN_POINTS = tuple(step / 10 for step in range(11))


def _rel(block: Block, measure: Measure) -> float:
    return block.grading.relevant_grade(measure)


def _number(measure: Measure, name: str) -> float:
    value = measure.param(name)
    assert isinstance(value, int | float)
    return float(value)


def _found(block: Block, measure: Measure) -> IntArray:
    """Relevant documents in the first k of each row."""
    return block.relevant(_rel(block, measure), measure.cutoff).counts


def _depth(block: Block, cutoff: int | None) -> IntArray:
    """How many ranks of each row there are to look at."""
    return block.lengths if cutoff is None else np.minimum(block.lengths, cutoff)


def precision(block: Block, measure: Measure) -> FloatArray:
    """P@k: by k, or by min(k, n)."""
    if measure.param("over") == "retrieved":
        return divide(_found(block, measure), _depth(block, measure.cutoff), empty=0.0)
    return _found(block, measure) / float(measure.cutoff or 1)


def recall(block: Block, measure: Measure) -> FloatArray:
    """R@k."""
    return divide(_found(block, measure), block.n_relevant(_rel(block, measure)))


def capped_recall(block: Block, measure: Measure) -> FloatArray:
    """R_cap@k: by min(k, R)."""
    most = np.minimum(block.n_relevant(_rel(block, measure)), measure.cutoff or 0)
    return divide(_found(block, measure), most)


def f_measure(block: Block, measure: Measure) -> FloatArray:
    """F@k with the textbook's beta."""
    beta = _number(measure, "beta") if measure.has_param("beta") else 1.0
    found = _found(block, measure)
    precise = found / float(measure.cutoff or 1)
    recalled = divide(found, block.n_relevant(_rel(block, measure)))
    top = (1.0 + beta * beta) * precise * recalled
    return np.where(found == 0, recalled, divide(top, beta * beta * precise + recalled))


def success(block: Block, measure: Measure) -> FloatArray:
    """Success@k."""
    return (_found(block, measure) > 0).astype(np.float64)


def r_precision(block: Block, measure: Measure) -> FloatArray:
    """Rprec: precision at mult × R ranks, rounded up from 0.1 as trec_eval does."""
    rel = _rel(block, measure)
    relevant = block.n_relevant(rel)
    depth = (_number(measure, "mult") * relevant + 0.9).astype(np.int64)
    hits = block.relevant(rel)
    found = hits.where(hits.ranks <= depth[hits.rows]).counts
    return np.where(relevant == 0, np.nan, divide(found, depth, empty=0.0))


def set_precision(block: Block, measure: Measure) -> FloatArray:
    """SetP: by n, or by min(n, R)."""
    rel = _rel(block, measure)
    found = block.relevant(rel).counts
    if not measure.param("relative"):
        return divide(found, block.lengths, empty=0.0)
    relevant = block.n_relevant(rel)
    share = divide(found, np.minimum(block.lengths, relevant), empty=0.0)
    return np.where(relevant == 0, np.nan, share)


def set_recall(block: Block, measure: Measure) -> FloatArray:
    """SetR."""
    rel = _rel(block, measure)
    return divide(block.relevant(rel).counts, block.n_relevant(rel))


def set_f(block: Block, measure: Measure) -> FloatArray:
    """SetF with trec_eval's beta (the square of the textbook's)."""
    beta = _number(measure, "beta")
    found = block.relevant(_rel(block, measure)).counts
    precise = divide(found, block.lengths, empty=0.0)
    recalled = set_recall(block, measure)
    top = (beta + 1.0) * precise * recalled
    return np.where(found == 0, recalled, divide(top, recalled + beta * precise))


def set_ap(block: Block, measure: Measure) -> FloatArray:
    """SetAP: precision times recall of the whole list."""
    rel = _rel(block, measure)
    found = block.relevant(rel).counts.astype(np.float64)
    relevant = block.n_relevant(rel)
    share = divide(found * found, block.lengths * relevant, empty=0.0)
    return np.where(relevant == 0, np.nan, share)


def reciprocal_rank(block: Block, measure: Measure) -> FloatArray:
    """RR, RR@k."""
    hits = block.relevant(_rel(block, measure), measure.cutoff)
    is_first = hits.places == 1
    values = np.zeros(block.n_rows)
    values[hits.rows[is_first]] = 1.0 / hits.ranks[is_first]
    return values


def _precision_sums(hits: Hits) -> FloatArray:
    return hits.sum_by_row(hits.places / hits.ranks)


def average_precision(block: Block, measure: Measure) -> FloatArray:
    """AP, AP@k with its norms."""
    rel = _rel(block, measure)
    hits = block.relevant(rel, measure.cutoff)
    sums = block.memo(("AP", rel, measure.cutoff), lambda: _precision_sums(hits))
    norm = measure.param("norm") if measure.has_param("norm") else "relevant"
    if norm == "found":
        return divide(sums, hits.counts, empty=0.0)
    relevant = block.n_relevant(rel)
    if norm == "relevant":
        return divide(sums, relevant)
    depth = _depth(block, None) if measure.cutoff is None else measure.cutoff
    if norm == "k":
        return divide(sums, depth, empty=0.0)
    share = divide(sums, np.minimum(depth, relevant), empty=0.0)
    return np.where(relevant == 0, np.nan, share)


def interpolated_precision(block: Block, measure: Measure) -> FloatArray:
    """IPrec@r."""
    return _interpolated(block, measure, _number(measure, "recall"))


def eleven_point(block: Block, measure: Measure) -> FloatArray:
    """11pt: trec_eval adds from recall 1 down to 0."""
    total = np.zeros(block.n_rows)
    for point in reversed(ELEVEN_POINTS):
        total = total + _interpolated(block, measure, point)
    return divide(total, len(ELEVEN_POINTS))


def _interpolated(block: Block, measure: Measure, point: float) -> FloatArray:
    rel = _rel(block, measure)
    relevant = block.n_relevant(rel)
    # v9 truncates after adding 0.9, v10 rounds to nearest, halves up.
    add = 0.9 if measure.param("rule") == "v9" else 0.5
    needed = np.floor(point * relevant + add)
    hits = block.relevant(rel)
    deep = hits.where(hits.places >= needed[hits.rows])
    values = np.zeros(block.n_rows)
    if len(deep.rows):
        starts = np.flatnonzero(np.diff(deep.rows, prepend=-1))
        values[deep.rows[starts]] = np.maximum.reduceat(
            hits.places[hits.places >= needed[hits.rows]] / deep.ranks, starts
        )
    return np.where(relevant == 0, np.nan, values)


def _non_relevant_before(hits: Hits, rel: float) -> FloatArray:
    """Judged non-relevant documents of the same row up to each hit."""
    is_low = (hits.grades >= 0) & (hits.grades < rel)
    return _running(hits, is_low)


def _running(hits: Hits, mask: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> FloatArray:
    """Count, at each hit, how many hits of its row up to and with it satisfy the mask."""
    total = np.cumsum(mask)
    starts = np.cumsum(hits.counts) - hits.counts
    before = np.concatenate(([0], total))[starts]
    counts: FloatArray = (total - before[hits.rows]).astype(np.float64)
    return counts


def bpref(block: Block, measure: Measure) -> FloatArray:
    """Bpref as in trec_eval: pooled and unjudged documents play no part."""
    rel = _rel(block, measure)
    relevant = block.n_relevant(rel)
    non_relevant = block.n_relevant(0.0) - relevant
    hits = block.hits
    is_relevant = hits.grades >= rel
    above = _non_relevant_before(hits, rel)[is_relevant]
    found = hits.where(is_relevant)
    most = relevant[found.rows]
    lost = divide(np.minimum(above, most), np.minimum(non_relevant[found.rows], most), empty=0.0)
    return divide(found.sum_by_row(1.0 - lost), relevant)


def inferred_ap(block: Block, measure: Measure) -> FloatArray:
    """InfAP as in trec_eval; a negative grade is pooled and not judged."""
    rel = _rel(block, measure)
    hits = block.all_hits
    is_relevant = hits.grades >= rel
    good = _running(hits, is_relevant)[is_relevant] - 1.0
    bad = _non_relevant_before(hits, rel)[is_relevant]
    pooled = _running(hits, hits.grades < 0)[is_relevant]
    found = hits.where(is_relevant)
    above = found.ranks - 1.0
    likely = (good + FLOOR) / (good + bad + 2 * FLOOR)
    share = divide(good + bad + pooled, above, empty=0.0)
    terms = 1.0 / (above + 1.0) + (above / (above + 1.0)) * share * likely
    sums = found.sum_by_row(np.where(above == 0, 1.0, terms))
    return divide(sums, block.n_relevant(rel))
