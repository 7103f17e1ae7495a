"""Kernels that count: judged shares, and how many documents there are."""

import numpy as np

from judgetool.metrics.block import Block, FloatArray, Hits, divide
from judgetool.metrics.measure import Measure


def judged_share(block: Block, measure: Measure) -> FloatArray:
    """Judged@k: by min(k, n); 0 for an empty ranking."""
    depth = block.lengths
    if measure.cutoff is not None:
        depth = np.minimum(depth, measure.cutoff)
    return divide(block.top(measure.cutoff).counts, depth, empty=0.0)


def unjudged_share(block: Block, measure: Measure) -> FloatArray:
    """Unjudged@k: by min(k, n); 0 for an empty ranking."""
    depth = block.lengths
    if measure.cutoff is not None:
        depth = np.minimum(depth, measure.cutoff)
    return divide(depth - block.top(measure.cutoff).counts, depth, empty=0.0)


def click_through(block: Block, measure: Measure) -> FloatArray:
    """CTR@k; undefined where the first k were never shown, as far as is known."""
    if block.shown is None or block.clicked is None:
        return np.full(block.n_rows, np.nan)
    return divide(_sum_top(block.clicked, measure), _sum_top(block.shown, measure))


def _sum_top(counts: Hits, measure: Measure) -> FloatArray:
    top = counts if measure.cutoff is None else counts.where(counts.ranks <= measure.cutoff)
    return top.sum_by_row(top.grades)


def num_queries(block: Block, measure: Measure) -> FloatArray:  # noqa: ARG001 - kernels share a signature
    """NumQ: 1 for each query."""
    return np.ones(block.n_rows)


def num_returned(block: Block, measure: Measure) -> FloatArray:
    """NumRet, with ``rel=`` as NumRelRet."""
    if measure.param("rel") is not None:
        return num_relevant_returned(block, measure)
    return block.lengths.astype(np.float64)


def num_relevant(block: Block, measure: Measure) -> FloatArray:
    """NumRel: R, returned or not."""
    return block.n_relevant(block.grading.relevant_grade(measure)).astype(np.float64)


def num_relevant_returned(block: Block, measure: Measure) -> FloatArray:
    """NumRelRet."""
    return block.relevant(block.grading.relevant_grade(measure)).counts.astype(np.float64)


def num_nonrelevant_returned(block: Block, measure: Measure) -> FloatArray:
    """NumNonrelRet: judged and below relevant."""
    return block.hits.counts - num_relevant_returned(block, measure)
