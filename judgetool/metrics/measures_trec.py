"""Records of trec_eval's experiments (binG, G, ndcg_rel, Rndcg), and of estimates from judged samples."""

import numpy as np

from judgetool.metrics.measures_graded import DCG_KIND, GAINS
from judgetool.metrics.measures_orders import by_row, quotient
from judgetool.metrics.measures_relevance import ADDS, FOUND, PRECISION, RELEVANT
from judgetool.metrics.terms import (
    REL,
    TREC_EVAL,
    Column,
    Divisor,
    FloatArray,
    JudgedRow,
    Layout,
    MeasureSpec,
    Terms,
    Tops,
    discounts,
    log2_of,
    ratio,
)
from judgetool.wording import N_, stated

GAIN = Column("gain", N_("gain"))
LEAST_COST = 1.0  # of a rank below the ideal order, as trec_eval has it


def _binary_gain(tops: Tops) -> Terms:
    """Each relevant document by the logarithm of how many others stand above it."""
    above = tops.ranks - tops.found_so_far
    adds = tops.worth / log2_of((above + 1.0).astype(np.int64))
    columns = {RELEVANT: tops.worth, FOUND: tops.found_so_far, ADDS: adds}
    return Terms(adds, tops.divisor("relevant"), lambda: Layout(columns, "Σ"))


def _gains(row: JudgedRow) -> tuple[FloatArray, FloatArray]:
    """Return the gain at each rank, and those of the ideal order as far as they are above 0."""
    gains = np.zeros(row.length)
    gains[row.ranks - 1] = row.worth
    return gains, -np.sort(-row.pool[row.pool > 0])


def _normalised_gain(row: JudgedRow, _tops: Tops) -> Terms:
    """Each gain by the logarithm of how far the gains so far are behind the ideal ones."""
    gains, ideal = _gains(row)
    costs = np.full(len(gains), LEAST_COST)
    costs[: len(ideal)] = np.maximum(ideal[: len(gains)], LEAST_COST)
    behind = np.cumsum(costs) - np.cumsum(gains)
    adds = gains / np.log2(2.0 + behind)
    columns = {GAIN: gains, Column("behind", N_("behind")): behind, ADDS: adds}
    return quotient(columns, "Σ", Divisor(N_("Σ ideal gains"), float(ideal.sum())))


def _running_ndcg(gains: FloatArray, ideal: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return nDCG at each rank, and at those after the last of the ranking up to the ideal's end."""
    depth = max(len(gains), len(ideal))
    dcg, best = (
        np.cumsum(np.pad(each, (0, depth - len(each))) * discounts(depth))
        for each in (gains, ideal)
    )
    running = dcg / best
    return running[: len(gains)], running[len(gains) :]


def _averaged(gains: FloatArray, running: FloatArray, taken: FloatArray, words: str) -> Terms:
    """The mean of nDCG over places, of which so many stand at each rank, and below the last."""
    columns = {
        GAIN: gains,
        Column("running", N_("nDCG so far")): running,
        ADDS: (taken * running)[: max(len(gains), int(np.flatnonzero(taken).max(initial=0)) + 1)],
    }
    return quotient(columns, "Σ nDCG", Divisor(words, float(taken.sum())))


def _ndcg_at_relevant(row: JudgedRow, _tops: Tops) -> Terms:
    """NDCG at each document with gain; of those that the ranking lacks, as it is at the end."""
    gains, ideal = _gains(row)
    if not len(ideal):
        return _averaged(gains, gains, np.zeros(len(gains)), N_("relevant"))
    running = np.concatenate(_running_ndcg(gains, ideal))
    taken = np.zeros(len(running))
    taken[: len(gains)] = gains > 0
    taken[-1] += len(ideal) - taken.sum()
    return _averaged(gains, running, taken, N_("relevant"))


def _ndcg_at_levels(row: JudgedRow, _tops: Tops) -> Terms:
    """NDCG where the ideal order goes down to a lower gain, and at the end of a longer ranking."""
    gains, ideal = _gains(row)
    if not len(ideal):
        return _averaged(gains, gains, np.zeros(len(gains)), N_("levels"))
    running = np.concatenate(_running_ndcg(gains, ideal))
    taken = np.zeros(len(running))
    taken[: len(ideal)] = np.append(ideal[1:] != ideal[:-1], True)
    # trec_eval looks past the ideal order only where two more ranks follow it.
    taken[-1] += len(gains) > len(ideal) + 1
    return _averaged(gains, running, taken, N_("levels"))


_OWN = "Experimental, of trec_eval. "
TREC_MEASURES = (
    MeasureSpec(
        "binG",
        "Binary normalised gain",
        "1/R Σ_{relevant at i} 1 / log2(2 + not relevant above i)",
        _OWN + "Relevant documents, each worth less the more others stand above it.",
        TREC_EVAL,
        "binG",
        _binary_gain,
        "placed",
        params=(REL,),
        divides_by_relevant=True,
        trec="binG",
    ),
    MeasureSpec(
        "G",
        "Normalised gain",
        "Σ_i g_i / log2(2 + Σ_{j≤i} max(1, ideal g_j) − Σ_{j≤i} g_j) ÷ Σ ideal g",
        _OWN + "Gains, each worth less the more the list so far is behind the ideal order.",
        TREC_EVAL,
        "G",
        by_row(_normalised_gain),
        "wide",
        params=(DCG_KIND, GAINS),
        divides_by_relevant=True,
        uses="gain",
        trec="G",
    ),
    MeasureSpec(
        "nDCG_rel",
        "nDCG averaged over relevant documents",
        "mean of nDCG@i over the ranks i with gain; of what the list lacks, nDCG at the end",
        _OWN + "nDCG at each document with gain, and the mean of these.",
        TREC_EVAL,
        "nDCG_rel",
        by_row(_ndcg_at_relevant),
        "wide",
        params=(DCG_KIND, GAINS),
        divides_by_relevant=True,
        uses="gain",
        trec="ndcg_rel",
    ),
    MeasureSpec(
        "RnDCG",
        "nDCG averaged at levels of gain",
        "mean of nDCG@i over the ranks i after which the ideal order has less gain, and at the end",
        _OWN + "nDCG where the ideal order goes down to a lower gain, and the mean of these.",
        TREC_EVAL,
        "RnDCG",
        by_row(_ndcg_at_levels),
        "wide",
        params=(DCG_KIND, GAINS),
        divides_by_relevant=True,
        uses="gain",
        trec="Rndcg",
    ),
)


# As sample_eval.pl has them.
_EPSILON, _DEPTH = 0.00001, 1_000
WEIGHT = Column("weight", N_("weight"))


def _weighted(
    numbers: tuple[FloatArray, FloatArray, FloatArray], n_ranks: int, by: Divisor
) -> Terms:
    """Σ weight × precision of the relevant documents that were sampled, by how many there may be.

    Args:
        numbers: ranks, weights and precisions, shape (n,) each.
        n_ranks: that an explanation shows.
        by: the estimated number of relevant documents.
    """
    ranks, weights, precisions = numbers
    cells = np.zeros((3, n_ranks))
    cells[:, ranks.astype(np.int64) - 1] = weights, precisions, weights * precisions
    columns = dict(zip((WEIGHT, PRECISION, ADDS), cells, strict=True))
    return quotient(columns, N_("Σ weight × precision"), by)


def _no_sample(row: JudgedRow) -> Terms:
    none = np.zeros(0)
    return _weighted((none, none, none), row.n_shown, Divisor("relevant", 0.0))


def _stratified_ap(row: JudgedRow, _tops: Tops) -> Terms:
    """The precision to be expected at each sampled relevant document, stratum by stratum."""
    known = row.facts.get("samples")
    if known is None or np.isnan(known.pool[:, 0]).any():
        return _no_sample(row)
    strata, of_pool = np.unique(known.pool[:, 0], return_inverse=True)
    n_sampled = np.bincount(of_pool[~np.isnan(known.pool[:, 2])], minlength=len(strata))
    weights = ratio(np.bincount(of_pool), n_sampled)
    n_relevant = float(weights[of_pool[known.pool[:, 2] == 1]].sum())
    is_seen = known.ranks <= _DEPTH
    ranks, numbers = known.ranks[is_seen].astype(np.float64), known.numbers[is_seen]
    own = np.searchsorted(strata, numbers[:, 0])
    # Documents of each stratum above: all, those sampled, those relevant.
    here = own[:, None] == np.arange(len(strata))
    marks = np.ones(len(own)), ~np.isnan(numbers[:, 2]), numbers[:, 2] == 1
    in_pool, sampled, relevant = (
        np.cumsum(here * mark[:, None], axis=0) - here * mark[:, None] for mark in marks
    )
    likely = (relevant + _EPSILON) / (sampled + 3 * _EPSILON)
    precisions = (1.0 + (in_pool * likely).sum(axis=1)) / ranks
    is_relevant = marks[2]
    return _weighted(
        (ranks[is_relevant], weights[own][is_relevant], precisions[is_relevant]),
        row.n_shown,
        Divisor(stated("min(R, {n}), estimated", n=f"{_DEPTH:,}"), min(n_relevant, float(_DEPTH))),
    )


def _sampled_ap(row: JudgedRow, _tops: Tops) -> Terms:
    """The estimated precision at each relevant document, by how probably it was taken."""
    known = row.facts.get("samples")
    if known is None or np.isnan(known.pool[:, 1]).any():
        return _no_sample(row)
    is_relevant = known.numbers[:, 2] == 1
    ranks = known.ranks[is_relevant].astype(np.float64)
    weights = 1.0 / known.numbers[is_relevant, 1]
    above = np.cumsum(weights) - weights
    n_relevant = float((1.0 / known.pool[known.pool[:, 2] == 1, 1]).sum())
    by = Divisor(N_("R, estimated"), n_relevant)
    return _weighted((ranks, weights, (1.0 + above) / ranks), row.n_shown, by)


SAMPLE_MEASURES = (
    MeasureSpec(
        "xinfAP",
        "Extended inferred average precision",
        "1/R Σ_{relevant at i} w_i (1 + Σ_s pooled_s (rel_s + ε)/(sampled_s + 3ε)) / i, of what "
        "stands above i; w = documents / sampled documents of its stratum, R = Σ w of all relevant",
        "Average precision estimated from judgments of a sample that was drawn more densely from some "
        "strata than from others. Needs qrels with strata; looks at 1,000 ranks.",
        "Yilmaz, Kanoulas and Aslam 2008; sample_eval.pl of 2012, ε = 0.00001",
        "xinfAP",
        by_row(_stratified_ap),
        "wide",
        params=(REL,),
        highest=None,
        divides_by_relevant=True,
        facts="samples",
    ),
    MeasureSpec(
        "statAP",
        "Statistical average precision",
        "1/R Σ_{relevant at i} (1 + Σ_{relevant above i} 1/p) / (i p_i), R = Σ 1/p of all relevant",
        "Average precision estimated from judgments of a sample of which is known how probably each "
        "document was taken. Needs prels.",
        "Aslam and Pavlu 2007; statAP_MQ_eval_v3.pl",
        "statAP",
        by_row(_sampled_ap),
        "wide",
        params=(REL,),
        highest=None,
        divides_by_relevant=True,
        facts="samples",
    ),
)
