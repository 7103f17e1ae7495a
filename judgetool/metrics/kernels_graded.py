"""Kernels of the graded measures: gains, and users who read downwards."""

from collections.abc import Iterator

import numpy as np

from judgetool.metrics.block import Block, FloatArray, Hits, IntArray, add_by_row, divide
from judgetool.metrics.discounts import log2_table, power_table
from judgetool.metrics.measure import Measure

# Cells of a padded matrix at most; more rows are done in several strides.
MOST_CELLS = 2_000_000


def _highest(ranks: IntArray) -> int:
    return int(ranks.max(initial=1))


def cumulated_gain(block: Block, measure: Measure) -> FloatArray:
    """CG@k."""
    hits = block.top(measure.cutoff)
    return hits.sum_by_row(block.grading.measure_gains(measure, hits.grades))


def dcg(block: Block, measure: Measure) -> FloatArray:
    """DCG@k."""
    key = ("DCG", measure.param("dcg"), measure.param("gains"), measure.cutoff)

    def compute() -> FloatArray:
        hits = block.top(measure.cutoff)
        gains = block.grading.measure_gains(measure, hits.grades)
        return hits.sum_by_row(gains / log2_table(_highest(hits.ranks))[hits.ranks])

    return block.memo(key, compute)


def ndcg(block: Block, measure: Measure) -> FloatArray:
    """nDCG@k; undefined where the ideal is 0."""
    shape = tuple(measure.param(name) for name in ("dcg", "gains", "ideal"))
    ideal = block.memo(("ideal", measure.cutoff, *shape), lambda: _ideal_dcg(block, measure))
    return divide(dcg(block, measure), ideal)


def _ideal_dcg(block: Block, measure: Measure) -> FloatArray:
    kind = measure.param("ideal")
    if kind == "retrieved":
        hits = block.hits
        gains = block.grading.measure_gains(measure, hits.grades)
        order = np.lexsort((-gains, hits.rows))
        best = Hits(hits.rows, hits.places, gains[order], hits.n_rows)
        return _discounted(best, measure.cutoff)
    gains, ranks = _ideal_gains(block, measure)
    judged = block.judged
    best = Hits(judged.queries, ranks, gains, judged.n_queries)
    if kind == "length":
        return _ideal_by_length(block, best, measure.cutoff)
    return block.by_row(_discounted(best, None if kind == "uncut" else measure.cutoff))


def _ideal_gains(block: Block, measure: Measure) -> tuple[FloatArray, IntArray]:
    """Gains of all judged documents, best first within a query, and their ideal ranks."""
    judged = block.judged

    def compute() -> FloatArray:
        gains = block.grading.measure_gains(measure, judged.grades)
        # Grades fall within a query; gains do too, unless a scale or gains= says otherwise.
        rises = (gains[1:] > gains[:-1]) & (judged.queries[1:] == judged.queries[:-1])
        return gains[np.lexsort((-gains, judged.queries))] if rises.any() else gains

    key = ("ideal gains", measure.param("dcg"), measure.param("gains"))
    return block.memo(key, compute), judged.ranks


def _discounted(best: Hits, cutoff: int | None) -> FloatArray:
    """DCG of an ideal order whose grades are gains already."""
    top = best if cutoff is None else best.where(best.ranks <= cutoff)
    return top.sum_by_row(top.grades / log2_table(_highest(top.ranks))[top.ranks])


def _ideal_by_length(block: Block, best: Hits, cutoff: int | None) -> FloatArray:
    """Ideal DCG of each row, cut at the length of its own ranking as well."""
    terms = best.grades / log2_table(_highest(best.ranks))[best.ranks]
    depth = block.lengths if cutoff is None else np.minimum(block.lengths, cutoff)
    queries = np.arange(block.n_rows) if block.row_queries is None else block.row_queries
    counts = best.counts
    taken = np.minimum(depth, counts[queries])
    rows = np.repeat(np.arange(block.n_rows), taken)
    within = np.arange(len(rows)) - np.repeat(np.cumsum(taken) - taken, taken)
    starts = np.cumsum(counts) - counts
    weights = terms[starts[queries][rows] + within]
    return add_by_row(rows, weights, n_rows=block.n_rows)


def _iter_strides(hits: Hits) -> Iterator[slice]:
    """Cut the hits, at ends of rows, into parts whose padded matrix is not too large."""
    widest = int(hits.counts.max(initial=0))
    if hits.n_rows * widest <= MOST_CELLS:
        yield slice(0, len(hits.rows))
        return
    step = max(1, MOST_CELLS // widest)
    edges = np.searchsorted(hits.rows, np.arange(0, hits.n_rows + step, step))
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield slice(start, stop)


def _still_looking(hits: Hits, chances: FloatArray) -> FloatArray:
    """At each hit, the product of (1 − chance) over the hits above it in its row."""
    looking = np.ones(len(hits.rows))
    for part in _iter_strides(hits):
        rows = hits.rows[part]
        if not len(rows):
            continue
        rows = rows - rows[0]
        places = hits.places[part] - 1
        misses = np.ones((int(rows[-1]) + 1, int(places.max()) + 2))
        misses[rows, places + 1] = 1.0 - chances[part]
        looking[part] = np.cumprod(misses, axis=1)[rows, places]
    return looking


def _satisfying(block: Block, measure: Measure) -> tuple[Hits, FloatArray]:
    """The hits that can satisfy at all, with their probabilities."""
    top = block.top(measure.cutoff)
    chances = block.grading.measure_chances(measure, top.grades)
    can = chances > 0
    return top.where(can), chances[can]


def err(block: Block, measure: Measure) -> FloatArray:
    """ERR, ERR@k."""
    hits, chances = _satisfying(block, measure)
    return hits.sum_by_row(chances * _still_looking(hits, chances) / hits.ranks)


def pfound(block: Block, measure: Measure) -> FloatArray:
    """PFound, pFound@k."""
    hits, chances = _satisfying(block, measure)
    p_break = measure.param("p_break")
    assert isinstance(p_break, int | float)
    patience = power_table(1.0 - p_break, _highest(hits.ranks))[hits.ranks - 1]
    return hits.sum_by_row(chances * _still_looking(hits, chances) * patience)


def _persistence(measure: Measure) -> float:
    p = measure.param("p")
    assert isinstance(p, int | float)
    return float(p)


def rbp(block: Block, measure: Measure) -> FloatArray:
    """RBP, by relevance or by gain."""
    p = _persistence(measure)
    if measure.param("rel") == "gain":
        hits = block.top(measure.cutoff)
        worth = block.grading.gains(hits.grades) / block.grading.max_gain
    else:
        hits = block.relevant(block.grading.relevant_grade(measure), measure.cutoff)
        worth = np.ones(len(hits.ranks))
    powers = power_table(p, _highest(hits.ranks))[hits.ranks - 1]
    return (1.0 - p) * hits.sum_by_row(worth * powers)


def rbp_residual(block: Block, measure: Measure) -> FloatArray:
    """RBPres: all weight that no judged document has taken, the unseen tail included."""
    p = _persistence(measure)
    hits = block.hits
    powers = power_table(p, _highest(hits.ranks))[hits.ranks - 1]
    return np.maximum(1.0 - (1.0 - p) * hits.sum_by_row(powers), 0.0)
