"""Records of the measures of diversity: how much of a query's subtopics a ranking covers.

Subtopics are columns of facts (:class:`~judgetool.metrics.terms.FactRow`); where none are known,
the query itself is the only one. A subtopic to which no document is relevant does not count.
Definitions are those of ndeval 4.5, except that it leaves α-DCG@1 and ERR-IA@1 undivided.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from judgetool.metrics.measures_orders import by_row, quotient
from judgetool.metrics.measures_relevance import ADDS
from judgetool.metrics.terms import (
    JUDGED_ONLY,
    REL,
    Column,
    Divisor,
    FloatArray,
    JudgedRow,
    MeasureSpec,
    ParamSpec,
    Terms,
    Tops,
    discounts,
)
from judgetool.wording import N_

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
        Column("gain", N_("gain")): gains,
        Column("weight", N_("weight")): by_rank[: len(gains)],
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
_IDEAL = "as a share of what the best order of all judged documents reaches."


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
