"""Records of measures that are worked out row after row: experiments, estimates, diversity, orders.

Experiments are trec_eval's binG, G, ndcg_rel and Rndcg; estimates are from judged samples;
diversity is how much of a query's subtopics is covered.

Subtopics are columns of facts (:class:`~judgetool.metrics.terms.FactRow`); where none are known,
the query itself is the only one. A subtopic to which no document is relevant does not count.
Definitions are those of ndeval 4.5, except that it leaves α-DCG@1 and ERR-IA@1 undivided.

τ-b, τ_AP, ρ, RBO and Compat compare a ranking with the ideal order. Their cost is by the judged
documents of a row times the number of different grades among them.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from judgetool.metrics.measures_graded import DCG_KIND, GAIN, GAINS, WEIGHT
from judgetool.metrics.measures_relevance import (
    ADDS,
    FOUND,
    PRECISION,
    RELEVANT,
    UNDEFINED,
    by_row,
    quotient,
)
from judgetool.metrics.terms import (
    JUDGED_ONLY,
    REL,
    TREC_EVAL,
    Column,
    Divisor,
    FloatArray,
    IntArray,
    JudgedRow,
    Layout,
    MeasureSpec,
    ParamSpec,
    Terms,
    Tops,
    discounts,
    log2_of,
    persistence_param,
    ratio,
)
from judgetool.wording import N_, stated, stated_of

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


def _running_ndcg(gains: FloatArray, ideal: FloatArray) -> FloatArray:
    """Return nDCG at each rank, also at those after the last of the ranking up to the ideal's end."""
    depth = max(len(gains), len(ideal))
    dcg, best = (
        np.cumsum(np.pad(each, (0, depth - len(each))) * discounts(depth))
        for each in (gains, ideal)
    )
    return np.asarray(dcg / best)


def _averaged(
    row: JudgedRow, take: Callable[[FloatArray, FloatArray, FloatArray], None], words: str
) -> Terms:
    """The mean of nDCG over places, of which so many stand at each rank, and below the last.

    Args:
        row: the ranking.
        take: says how many, of gains and the ideal order's, in an array of zeros.
        words: for what stands at the places.
    """
    gains, ideal = _gains(row)
    running, taken = gains, np.zeros(len(gains))
    if len(ideal):
        running = _running_ndcg(gains, ideal)
        taken = np.zeros(len(running))
        take(gains, ideal, taken)
    columns = {
        GAIN: gains,
        Column("running", N_("nDCG so far")): running,
        ADDS: (taken * running)[: max(len(gains), int(np.flatnonzero(taken).max(initial=0)) + 1)],
    }
    return quotient(columns, "Σ nDCG", Divisor(words, float(taken.sum())))


def _ndcg_at_relevant(row: JudgedRow, _tops: Tops) -> Terms:
    """NDCG at each document with gain; of those that the ranking lacks, as it is at the end."""

    def take(gains: FloatArray, ideal: FloatArray, taken: FloatArray) -> None:
        taken[: len(gains)] = gains > 0
        taken[-1] += len(ideal) - taken.sum()

    return _averaged(row, take, N_("relevant"))


def _ndcg_at_levels(row: JudgedRow, _tops: Tops) -> Terms:
    """NDCG where the ideal order goes down to a lower gain, and at the end of a longer ranking."""

    def take(gains: FloatArray, ideal: FloatArray, taken: FloatArray) -> None:
        taken[: len(ideal)] = np.append(ideal[1:] != ideal[:-1], True)
        # trec_eval looks past the ideal order only where two more ranks follow it.
        taken[-1] += len(gains) > len(ideal) + 1

    return _averaged(row, take, N_("levels"))


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


COVERED = Column("covered", N_("subtopics"), 0)
Weights = Callable[[int, Tops], FloatArray]


def _cover(row: JudgedRow) -> tuple[FloatArray, FloatArray]:
    """Return which subtopics the ranks looked at are relevant to, and all relevant documents.

    Returns:
        1 or 0, shape (ranks, subtopics) and (documents, subtopics).
    """
    known = row.facts["subtopics"]
    counts = known.pool.any(axis=0)
    return known.by_rank(row.n_shown)[:, counts], known.pool[known.pool.any(axis=1)][:, counts]


def _novelty(cover: FloatArray, alpha: float) -> FloatArray:
    """Return the gain of each document: of a subtopic 1, and less by α for each time it came above."""
    gains: FloatArray = (cover * (1.0 - alpha) ** (np.cumsum(cover, axis=0) - cover)).sum(axis=1)
    return gains


def _best_order(pool: FloatArray, alpha: float, depth: int) -> FloatArray:
    """Return the documents in the order that has the most gain at each rank, greedily.

    Of equal ones the last by id comes first, as in ndeval.
    """
    left, chosen = np.arange(len(pool)), np.zeros(min(depth, len(pool)), dtype=np.intp)
    worth = np.ones(pool.shape[1])
    for rank in range(len(chosen)):
        gains = (pool[left] * worth).sum(axis=1)
        place = len(left) - 1 - int(gains[::-1].argmax())
        chosen[rank] = left[place]
        left = np.delete(left, place)
        worth = worth * (1.0 - alpha * pool[chosen[rank]])
    return pool[chosen]


def _novel(row: JudgedRow, tops: Tops, *, weights: Weights, is_ideal: bool) -> Terms:
    """Σ weight × gain, by that of the best order, or of documents that each cover everything."""
    cover, pool = _cover(row)
    alpha, depth = tops.number("alpha"), tops.cutoff or max(row.n_shown, len(pool))
    gains, by_rank = _novelty(cover, alpha), weights(depth, tops)
    columns = {
        COVERED: cover.sum(axis=1),
        GAIN: gains,
        WEIGHT: by_rank[: len(gains)],
        ADDS: gains * by_rank[: len(gains)],
    }
    if is_ideal:
        best = _novelty(_best_order(pool, alpha, depth), alpha)
        by = Divisor(N_("ideal"), float(best @ by_rank[: len(best)]))
    elif "beta" in tops.params:
        whole = pool.shape[1] / (1.0 - (1.0 - alpha) * tops.number("beta"))
        by = Divisor(N_("subtopics ÷ (1 − (1 − α) β)"), whole)
    else:
        most = pool.shape[1] * (1.0 - alpha) ** np.arange(float(depth))
        by = Divisor(N_("all subtopics at each rank"), float(most @ by_rank))
    return quotient(columns, N_("Σ weight × gain"), by)


def _precision(row: JudgedRow, tops: Tops) -> Terms:
    """Subtopics covered at each rank, by all that k ranks could cover."""
    cover, pool = _cover(row)
    by = Divisor(N_("k × subtopics"), float((tops.cutoff or 0) * pool.shape[1]))
    covered = cover.sum(axis=1)
    return quotient({COVERED: covered, ADDS: covered}, N_("Σ subtopics"), by)


def _average_precision(row: JudgedRow, _tops: Tops) -> Terms:
    """AP of each subtopic, and their mean."""
    cover, pool = _cover(row)
    ranks = np.arange(1.0, len(cover) + 1)[:, None]
    adds = (cover * np.cumsum(cover, axis=0) / ranks / pool.sum(axis=0)).sum(axis=1)
    by = Divisor(N_("subtopics"), float(pool.shape[1]))
    return quotient({COVERED: cover.sum(axis=1), ADDS: adds}, N_("Σ precision ÷ R of each"), by)


def _recall(row: JudgedRow, _tops: Tops) -> Terms:
    """Subtopics met for the first time."""
    cover, pool = _cover(row)
    new = (cover * (np.cumsum(cover, axis=0) == 1)).sum(axis=1)
    by = Divisor(N_("subtopics"), float(pool.shape[1]))
    return quotient({COVERED: cover.sum(axis=1), ADDS: new}, N_("Σ new subtopics"), by)


def _of_dcg(depth: int, _tops: Tops) -> FloatArray:
    return discounts(depth)


def _of_err(depth: int, _tops: Tops) -> FloatArray:
    return 1.0 / np.arange(1.0, depth + 1)


def _of_nrbp(depth: int, tops: Tops) -> FloatArray:
    return np.asarray(tops.number("beta") ** np.arange(float(depth)))


ALPHA = ParamSpec(
    "alpha", "number", 0.5, "How much less a subtopic is worth that came before.", lowest=0, highest=1
)  # fmt: skip
BETA = ParamSpec(
    "beta", "number", 0.5, "Probability of going on to the next document.",
    lowest=0, highest=1, is_open=True,
)  # fmt: skip
_HELP = (
    " Reads judgments by subtopic, column two of qrels; where there are none, the query counts as "
    "its only subtopic."
)
_NOVEL = "G_i = Σ_s r_is (1 − α)^(documents above i that are relevant to s), m subtopics"
_MOST = "as a share of what documents would reach that each cover everything."
_IDEAL = (
    "as a share of what the best order of all judged documents reaches, which is made rank by rank as in "
    "ndeval: a ranking that is better still, which is rare, is a little above 1."
)


def _record(
    name: str, title: str, formula: str, text: str, source: str,
    terms_of: Callable[[JudgedRow, Tops], Terms], **more: Any,  # noqa: ANN401 - fields of the record
) -> MeasureSpec:  # fmt: skip
    given: dict[str, Any] = {"needs_cutoff": "required", "params": (JUDGED_ONLY, REL), **more}
    # As ndeval writes it.
    given["synonyms"] = (*more.get("synonyms", ()), *({name.replace("_", "-")} - {name}))
    at = "@10" if given["needs_cutoff"] == "required" else ""
    return MeasureSpec(
        name, title, formula, text + _HELP, f"{source}; ndeval 4.5", name + at,
        by_row(terms_of), "wide", divides_by_relevant=True, facts="subtopics", **given,
    )  # fmt: skip


def _novel_terms(weights: Weights, *, is_ideal: bool = False) -> Callable[[JudgedRow, Tops], Terms]:
    return partial(_novel, weights=weights, is_ideal=is_ideal)


SUBTOPIC_MEASURES = (
    _record(
        "alpha_DCG",
        "α-DCG",
        f"Σ_{{i≤k}} G_i / log2(i + 1) ÷ Σ_{{i≤k}} m (1 − α)^(i−1) / log2(i + 1), {_NOVEL}",
        f"Gain of new subtopics, discounted by rank, {_MOST}",
        "Clarke and others 2008",
        _novel_terms(_of_dcg),
        params=(ALPHA, JUDGED_ONLY, REL),
        synonyms=("α_DCG",),
    ),
    _record(
        "alpha_nDCG",
        "α-nDCG",
        f"Σ_{{i≤k}} G_i / log2(i + 1) ÷ the same of the best order, {_NOVEL}",
        f"Gain of new subtopics, discounted by rank, {_IDEAL}",
        "Clarke and others 2008",
        _novel_terms(_of_dcg, is_ideal=True),
        may_exceed=True,
        params=(ALPHA, JUDGED_ONLY, REL),
        synonyms=("α_nDCG",),
    ),
    _record(
        "ERR_IA",
        "Intent-aware expected reciprocal rank",
        f"Σ_{{i≤k}} G_i / i ÷ Σ_{{i≤k}} m (1 − α)^(i−1) / i, {_NOVEL}",
        f"How soon readers who each want one subtopic find it, {_MOST}",
        "Chapelle and others 2009",
        _novel_terms(_of_err),
        params=(ALPHA, JUDGED_ONLY, REL),
    ),
    _record(
        "nERR_IA",
        "Normalised intent-aware expected reciprocal rank",
        f"Σ_{{i≤k}} G_i / i ÷ the same of the best order, {_NOVEL}",
        f"How soon readers who each want one subtopic find it, {_IDEAL}",
        "Chapelle and others 2009",
        _novel_terms(_of_err, is_ideal=True),
        may_exceed=True,
        params=(ALPHA, JUDGED_ONLY, REL),
    ),
    _record(
        "NRBP",
        "Novelty- and rank-biased precision",
        f"(1 − (1 − α) β) / m · Σ_i G_i β^(i−1), {_NOVEL}",
        f"Gain of new subtopics for a reader who goes on with probability β, {_MOST}",
        "Clarke, Kolla and Vechtomova 2009",
        _novel_terms(_of_nrbp),
        params=(ALPHA, BETA, JUDGED_ONLY, REL),
        needs_cutoff="none",
    ),
    _record(
        "nNRBP",
        "Normalised novelty- and rank-biased precision",
        f"Σ_i G_i β^(i−1) ÷ the same of the best order, {_NOVEL}",
        f"Gain of new subtopics for a reader who goes on with probability β, {_IDEAL}",
        "Clarke, Kolla and Vechtomova 2009",
        _novel_terms(_of_nrbp, is_ideal=True),
        may_exceed=True,
        params=(ALPHA, BETA, JUDGED_ONLY, REL),
        needs_cutoff="none",
    ),
    _record(
        "P_IA",
        "Intent-aware precision",
        "Σ_s Σ_{i≤k} r_is / (k m), m subtopics",
        "Precision for each subtopic alone, and the mean of these.",
        "Agrawal and others 2009",
        _precision,
    ),
    _record(
        "AP_IA",
        "Intent-aware average precision",
        "1/m Σ_s AP of s, m subtopics",
        "Average precision for each subtopic alone, and the mean of these.",
        "Agrawal and others 2009",
        _average_precision,
        needs_cutoff="none",
        synonyms=("MAP_IA", "MAP-IA"),
    ),
    _record(
        "StRecall",
        "Subtopic recall",
        "subtopics with a relevant document among the first k / m",
        "Share of the subtopics that the first k documents cover.",
        "Zhai, Cohen and Lafferty 2003",
        _recall,
        synonyms=("strec",),
    ),
)


SHARED = Column("shared", N_("shared"), 0)


def _ideal_note(n_ideal: int) -> str:
    return stated_of(
        n_ideal,
        "The ideal order holds {n} document; unjudged ones are not among them.",
        "The ideal order holds {n} documents; unjudged ones are not among them.",
    )


def counts_above(grades: FloatArray) -> tuple[IntArray, IntArray]:
    """Return for each document how many above it have a higher grade, and how many an equal one.

    Args:
        grades: best rank first, shape (n,).
    """
    levels, places = np.unique(grades, return_inverse=True)
    is_level = places[:, np.newaxis] == np.arange(len(levels))
    above = np.cumsum(is_level, axis=0) - is_level
    at_or_higher = np.cumsum(above[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(len(grades))
    equal = above[rows, places]
    return at_or_higher[rows, places] - equal, equal


def _tau(row: JudgedRow, _tops: Tops) -> Terms:
    """For each judged document, those above it that belong there, less those that do not."""
    higher, equal = counts_above(row.grades)
    n = len(row.grades)
    lower = np.arange(n) - higher - equal
    pairs, tied = n * (n - 1) // 2, int(equal.sum())
    columns = {
        Column("higher_above", N_("higher above"), 0): higher,
        Column("lower_above", N_("lower above"), 0): lower,
        Column("equal_above", N_("equal above"), 0, is_main=False): equal,
        Column("adds", N_("difference"), 0): higher - lower,
    }
    # 0 where all grades are equal.
    by = Divisor(N_("√(pairs × (pairs − equal))"), math.sqrt(pairs * (pairs - tied)))
    note = stated(
        "{pairs} pairs of judged documents, {tied} of them of equal grades.",
        pairs=f"{pairs:g}",
        tied=f"{tied:g}",
    )
    return quotient(columns, N_("Σ higher − lower above"), by, row=row, notes=(note,))


def _tau_ap(row: JudgedRow, _tops: Tops) -> Terms:
    """For each judged document but the first, the share of those above that belong there."""
    higher, equal = counts_above(row.grades)
    above = np.arange(float(len(row.grades)))
    rightly = higher + equal / 2.0
    share = np.full(len(above), np.nan)
    np.divide(rightly, above, out=share, where=above > 0)
    columns = {
        Column("above", N_("judged above"), 0, is_main=False): above,
        Column("rightly_above", N_("rightly above"), 1): rightly,
        Column("share", N_("share")): share,
        Column("adds", N_("2 × share − 1")): 2.0 * share - 1.0,
    }
    has_order = row.grades != row.grades[:1]
    by = Divisor(N_("judged − 1"), float(max(0, len(above) - 1)), has_order.any())
    return quotient(columns, N_("Σ 2 × share − 1"), by, row=row)


def _rho(row: JudgedRow, _tops: Tops) -> Terms:
    """How far each judged document stands from the middle, in the ranking and by grade."""
    _, levels, counts = np.unique(-row.grades, return_inverse=True, return_counts=True)
    ideal = (np.cumsum(counts) - (counts - 1) / 2.0)[levels]
    actual = np.arange(1.0, len(ideal) + 1.0)
    middle = (len(ideal) + 1) / 2.0
    first, second = ideal - middle, actual - middle
    columns = {
        Column("place", N_("place"), 0): actual,
        Column("ideal_place", N_("ideal place"), 1): ideal,
        Column("adds", N_("product")): first * second,
    }
    # 0 where all grades are equal: each stands in the middle then.
    by = Divisor(N_("spread"), math.sqrt((first @ first) * (second @ second)))
    note = stated(
        "Products of the distances from the middle place, {middle}.", middle=f"{middle:g}"
    )
    return quotient(columns, N_("Σ products"), by, row=row, notes=(note,))


def rank_weighted(agreement: FloatArray, depths: IntArray, p: float) -> float:
    """Return the sum of agreements by depth, each weighing p times the one before."""
    return float((1.0 - p) * (p ** (depths - 1.0) * agreement).sum())


def extrapolated_overlap(shared: IntArray, *, n_short: int, p: float) -> float:
    """Return RBO_ext of two rankings.

    Args:
        shared: how many documents the first d of both share, for d from 1 to the length of
            the longer one, shape (n,), at least one.
        n_short: length of the shorter one.
        p: weight of going one place deeper, between 0 and 1.
    """
    if not n_short:
        return 0.0
    depths = np.arange(1, len(shared) + 1)
    agreement = extrapolated_agreement(shared, n_short)
    return min(rank_weighted(agreement, depths, p) + float(agreement[-1] * p ** depths[-1]), 1.0)


def extrapolated_agreement(shared: IntArray, n_short: int) -> FloatArray:
    """Return the share of the first d that both hold; see :func:`extrapolated_overlap`.

    Where the shorter has ended, its unseen part agrees as its seen part did.
    """
    depths = np.arange(1, len(shared) + 1)
    rate = float(shared[n_short - 1]) / n_short
    return (shared + rate * np.maximum(depths - n_short, 0)) / depths


def _overlap(row: JudgedRow) -> IntArray:
    """Return how many documents ranking and ideal order share at every depth of the longer one.

    The ideal order is of all documents above 0, ties in the ranking's own order.
    """
    depth = max(row.length, len(row.ideal))
    is_good = row.grades > 0
    found = row.grades[is_good]
    better = len(row.ideal) - np.searchsorted(row.ideal[::-1], found, side="right")
    places = better + counts_above(found)[1] + 1
    both = np.bincount(np.maximum(row.ranks[is_good], places), minlength=depth + 1)
    return np.cumsum(both[1 : depth + 1])


def _compatibility(row: JudgedRow, tops: Tops) -> Terms:
    """Overlap with the ideal order at every depth, and the ideal order's own."""
    p, shared, n_ideal = tops.number("p"), _overlap(row), len(row.ideal)
    depths = np.arange(1, len(shared) + 1)
    weights = p ** (depths - 1) / depths
    ideal = weights * np.minimum(depths, n_ideal)
    columns = {
        SHARED: shared,
        Column("weight", N_("weight")): weights,
        ADDS: weights * shared,
        Column("ideal_adds", N_("ideal")): ideal,
    }
    by = Divisor(N_("Σ ideal"), float(ideal.sum()), key="ideal_adds")
    return quotient(columns, N_("Σ overlap"), by, notes=(_ideal_note(n_ideal),))


def _rbo(row: JudgedRow, tops: Tops) -> Terms:
    """Overlap with the ideal order at every depth, and what follows the last one."""
    p, shared, n_ideal = tops.number("p"), _overlap(row), len(row.ideal)
    n_short = min(row.length, n_ideal)
    value = UNDEFINED
    if n_ideal:
        value = np.array([extrapolated_overlap(shared, n_short=n_short, p=p)])

    def layout() -> Layout:
        weights = (1.0 - p) * p ** np.arange(0.0, len(shared))
        agreement = extrapolated_agreement(shared, n_short) if n_short else np.zeros(len(shared))
        tail = float(agreement[-1] * p ** len(shared)) if len(shared) else 0.0
        columns = {
            SHARED: shared.astype(np.float64),
            Column("agreement", N_("agreement")): agreement,
            Column("weight", N_("weight"), is_main=False): weights,
            ADDS: weights * agreement,
        }
        notes = (
            _ideal_note(n_ideal),
            stated(
                "All ranks after the last, as they agree so far, add {tail}.", tail=f"{tail:.4f}"
            ),
        )
        return Layout(columns, N_("Σ weight × agreement + rest"), constant=tail, notes=notes)

    return Terms(layout=layout, value=value)


_ORDER_HELP = " Documents nobody judged play no part; undefined below two different grades."
_IDEAL_HELP = (
    " The ideal order holds all documents graded above 0, equal grades in the ranking’s own order."
)
ORDER_MEASURES = (
    MeasureSpec(
        "tau",
        "Kendall’s τ-b to the ideal order",
        "(concordant − discordant) / √((pairs − ties in rank) (pairs − ties in grade))",
        "Agreement of the ranking with the order of the grades, pair by pair." + _ORDER_HELP,
        "Kendall 1945; scipy.stats.kendalltau",
        "tau",
        by_row(_tau),
        "wide",
        needs_cutoff="optional",
        lowest=-1.0,
        uses="grade",
        skips_unjudged=True,
    ),
    MeasureSpec(
        "tau_ap",
        "AP correlation with the ideal order",
        "2/(n−1) Σ_{i≥2} C(i)/(i−1) − 1, C(i) documents above i that belong above, ties half",
        "Like τ, but a mistake near the top weighs more." + _ORDER_HELP,
        "Yilmaz, Aslam and Robertson 2008",
        "tau_ap",
        by_row(_tau_ap),
        "wide",
        needs_cutoff="optional",
        lowest=-1.0,
        uses="grade",
        skips_unjudged=True,
    ),
    MeasureSpec(
        "rho",
        "Spearman’s ρ to the ideal order",
        "correlation of the ranks with the (tied) ranks of the grades",
        "Linear correlation between rank and place in the ideal order." + _ORDER_HELP,
        "Spearman 1904; scipy.stats.spearmanr",
        "rho",
        by_row(_rho),
        "wide",
        needs_cutoff="optional",
        lowest=-1.0,
        uses="grade",
        skips_unjudged=True,
    ),
    MeasureSpec(
        "RBO",
        "Rank-biased overlap with the ideal order",
        "(1 − p) Σ_{d≥1} p^{d−1} |first d of both| / d, extrapolated from the last depth",
        "Overlap of the ranking with the ideal order at every depth, the top weighing most."
        + _IDEAL_HELP
        + " The same figure as RBO between two rankings (extrapolated).",
        "Webber, Moffat and Zobel 2010, equation 32",
        "RBO(p=0.95)",
        by_row(_rbo),
        "wide",
        params=(persistence_param(0.9, "Weight of going one place deeper."),),
        divides_by_relevant=True,
        uses="grade",
    ),
    MeasureSpec(
        "Compat",
        "Compatibility with the ideal order",
        "Σ_d p^{d−1} |first d of both| / d ÷ Σ_d p^{d−1} min(d, m) / d, d up to the longer of "
        "both, m documents in the ideal order",
        "Overlap of the ranking with the ideal order at every depth, as a share of what the "
        "ideal order itself would reach." + _IDEAL_HELP,
        "Clarke, Vtyurina and Smucker 2021; ir_measures",
        "Compat(p=0.8)",
        by_row(_compatibility),
        "wide",
        params=(persistence_param(0.95, "Weight of going one place deeper."),),
        divides_by_relevant=True,
        uses="grade",
    ),
)
