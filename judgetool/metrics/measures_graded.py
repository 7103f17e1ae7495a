"""Records of the graded measures: gains, users and readers; and of counts.

INST, INSQ, BPM, NERR and their like are of a reader who goes on or stops at each rank. At rank i
such a reader goes on with probability C_i. Of all that is read, the share W_i is read at rank i:
Π_{j<i} C_j, divided by the sum of these products; the value is the gain that the reader meets
there, Σ W_i g_i (Moffat, Bailey, Scholer and Thomas 2017; C/W/L). Gains are shares of the scale's
highest. As in cwl_eval a list has 1,000 ranks: those that a ranking lacks have no gain, and none is
looked at after them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from judgetool.core.scale import MOST_GRADE
from judgetool.metrics.measures_relevance import (
    ADDS,
    TOTAL,
    by_row,
    found_layout,
    quotient,
)
from judgetool.metrics.terms import (
    JUDGED_ONLY,
    NO_DIVISOR,
    REL,
    TREC_EVAL,
    Column,
    Divisor,
    FloatArray,
    JudgedRow,
    Layout,
    MeasureSpec,
    ParamSpec,
    Terms,
    Tops,
    discounts,
    persistence_param,
    ratio,
)
from judgetool.wording import N_, stated

GAIN_BESIDE = Column("gain", N_("gain"), is_main=False)
DISCOUNT = Column("discount", N_("discount"))
GAIN_BY_DISCOUNT = Column("adds", N_("gain × disc."))
WEIGHT = Column("weight", N_("weight"))
RUNNING = Column("total", N_("total"))
IDEAL_WORD = N_("ideal")
JUDGED = Column("adds", N_("judged"), 0)
UNJUDGED = Column("adds", N_("unjudged"), 0)


def _cumulated_gain(tops: Tops) -> Terms:
    gains = tops.worth
    head = Column("adds", N_("gain"))
    return Terms(
        gains, layout=lambda: Layout({head: gains, RUNNING: np.cumsum(gains)}, N_("Σ gain"))
    )


def _dcg(tops: Tops) -> Terms:
    """Each gain by the logarithm of its rank."""
    adds = tops.discounted

    def layout() -> Layout:
        columns = {
            GAIN_BESIDE: tops.worth,
            DISCOUNT: discounts(len(tops.ranks)),
            GAIN_BY_DISCOUNT: adds,
        }
        return Layout({**columns, RUNNING: np.cumsum(adds)}, "DCG")

    return Terms(adds, layout=layout)


def _ndcg(tops: Tops) -> Terms:
    """DCG, and beside it the DCG of the best order."""
    adds, ideal = tops.discounted, tops.ideal

    def layout() -> Layout:
        best = tops.ideal_gains[0]
        # An ideal that ends sooner adds nothing at the ranks after it.
        best = np.pad(best, (0, max(0, len(tops.ranks) - len(best))))
        weights = discounts(len(best))
        columns = {
            GAIN_BESIDE: tops.worth,
            DISCOUNT: weights,
            GAIN_BY_DISCOUNT: adds,
            TOTAL: np.cumsum(adds),
            Column("ideal_gain", N_("ideal gain"), is_main=False): best,
            Column("ideal", IDEAL_WORD): best * weights,
            Column("ideal_total", N_("ideal total"), is_main=False): np.cumsum(best * weights),
        }
        return Layout(columns, "DCG")

    return Terms(adds, Divisor(IDEAL_WORD, ideal, ideal, "ideal"), layout)


def _err(tops: Tops) -> Terms:
    """1 ÷ rank, times the probability that the user stops there."""
    p, reach = tops.worth, tops.reach(1.0 - tops.worth)
    adds = p * reach / tops.ranks

    def layout() -> Layout:
        columns = {
            Column("p", "p"): p,
            Column("reach", N_("reached"), is_main=False): reach,
            Column("stop", N_("stops here")): reach * p,
            ADDS: adds,
        }
        return Layout({**columns, TOTAL: np.cumsum(adds)}, N_("Σ stops ÷ rank"))

    return Terms(adds, layout=layout, weights=1.0 / tops.ranks)


def _pfound(tops: Tops) -> Terms:
    """The probability to look, times that to be satisfied."""
    p, reach = tops.worth, tops.reach(1.0 - tops.worth)
    patience = tops.powers(1.0 - tops.number("p_break"))
    adds = p * reach * patience

    def layout() -> Layout:
        columns = {Column("p_look", N_("pLook")): reach * patience, Column("p_rel", N_("pRel")): p}
        return Layout({**columns, ADDS: adds, RUNNING: np.cumsum(adds)}, "Σ pLook × pRel")

    return Terms(adds, layout=layout, weights=patience)


def _rbp(tops: Tops) -> Terms:
    """The weight of each rank times the relevance there."""
    p = tops.number("p")
    powers = tops.powers(p)
    adds = tops.worth * powers

    def layout() -> Layout:
        by_gain = tops.params["rel"] == "gain"
        weights, shown = (1.0 - p) * powers, (1.0 - p) * adds
        columns = {
            WEIGHT: weights,
            Column(
                "relevance", N_("gain") if by_gain else N_("rel."), 3 if by_gain else 0
            ): tops.worth,
            ADDS: shown,
            RUNNING: np.cumsum(shown),
        }
        unknown = float(weights[~tops.judged[0]].sum())
        note = stated(
            "Unjudged documents among these ranks could add {most}.", most=f"{unknown:.4f}"
        )
        summed = N_("Σ weight × gain") if by_gain else N_("Σ weight × rel.")
        return Layout(columns, summed, notes=(note,) if unknown else ())

    return Terms(adds, layout=layout, inner=1.0 - p)


def _rbp_residual(tops: Tops) -> Terms:
    """All weight that no judged document has taken, that of ranks after the last included."""
    p = tops.number("p")
    powers = tops.powers(p)

    def layout() -> Layout:
        weights, tail = (1.0 - p) * powers, p ** len(tops.ranks)
        return Layout(
            {WEIGHT: weights, ADDS: np.where(tops.judged, 0.0, weights)},
            N_("Σ unjudged weight + tail"),
            constant=tail,
            notes=(stated("All ranks after the last weigh {tail}.", tail=f"{tail:.4f}"),),
        )

    taken = (1.0 - p) * tops.sum(powers * tops.judged)
    return Terms(layout=layout, value=np.maximum(1.0 - taken, 0.0))


def _share(tops: Tops, *, of_judged: bool) -> Terms:
    """How many of these ranks somebody judged, or nobody."""
    by, n_judged = tops.divisor("retrieved"), tops.sum(tops.judged.astype(np.float64))
    head = JUDGED if of_judged else UNJUDGED

    def layout() -> Layout:
        return Layout({head: (tops.judged == of_judged).astype(np.float64)}, head.head)

    number = 0.0 if by.number is None else by.number
    counted = n_judged if of_judged else number - n_judged
    return Terms(by=by, layout=layout, value=ratio(counted, number))


def _click_through(row: JudgedRow, _tops: Tops) -> Terms:
    """Clicks of these ranks by their impressions; undefined where they were never shown."""
    known = row.facts.get("clicks")
    clicked, shown = np.zeros((2, row.n_shown)) if known is None else known.by_rank(row.n_shown).T
    columns = {
        Column("adds", N_("clicks"), 0): clicked,
        Column("shown", N_("impressions"), 0): shown,
    }
    return quotient(
        columns, N_("clicks"), Divisor(N_("impressions"), float(shown.sum()), key="shown")
    )


def _n_returned(tops: Tops) -> Terms:
    if tops.params["rel"] is not None:
        return _n_relevant_returned(tops)
    counted = np.ones_like(tops.worth)
    head = Column("adds", N_("counted"), 0)
    return Terms(
        counted,
        layout=lambda: Layout({head: counted}, N_("returned"), is_count=True),
        value=tops.lengths,
    )


def _n_relevant(tops: Tops) -> Terms:
    """R: what the ranking holds, and what it lacks."""

    def layout() -> Layout:
        found = float(tops.worth.sum())
        lacking = float(tops.n_relevant.item()) - found
        note = stated(
            "{found} in the ranking and {lacking} that it lacks.",
            found=f"{found:g}",
            lacking=f"{lacking:g}",
        )
        told = found_layout(tops, N_("relevant"), is_count=True)
        return told._replace(constant=lacking, notes=(note,))

    return Terms(layout=layout, value=tops.n_relevant)


def _n_relevant_returned(tops: Tops) -> Terms:
    return Terms(
        tops.worth, layout=lambda: found_layout(tops, N_("relevant returned"), is_count=True)
    )


def _n_nonrelevant_returned(tops: Tops) -> Terms:
    counted = (tops.judged & (tops.worth == 0)).astype(np.float64)
    head = Column("adds", N_("non-rel."), 0)
    return Terms(
        counted, layout=lambda: Layout({head: counted}, N_("non-relevant returned"), is_count=True)
    )


DCG_KIND = ParamSpec(
    "dcg",
    "word",
    "log2",
    "Gain as the scale has it ('log2'), or 2^grade − 1 in its place ('exp-log2').",
    words=("log2", "exp-log2"),
)
GAINS = ParamSpec(
    "gains", "gains", None, "Gains by grade; grades that are not listed keep the scale’s gain."
)
IDEAL = ParamSpec(
    "ideal",
    "word",
    "judged",
    "What the ideal ranking is made of: all judged documents cut at k ('judged'), all of them "
    "uncut ('uncut'), all of them cut at k and at the number of documents returned ('length'), "
    "or the returned documents alone ('retrieved'). By these two a ranking without a gain has no value.",
    words=("judged", "uncut", "length", "retrieved"),
)
GRADED_MEASURES = (
    MeasureSpec(
        "CG",
        "Cumulated gain",
        "Σ_{i≤k} g_i",
        "Sum of the gains of the first k documents, wherever they stand.",
        "Järvelin and Kekäläinen 2002",
        "CG@10",
        _cumulated_gain,
        "linear",
        params=(DCG_KIND, GAINS, JUDGED_ONLY),
        needs_cutoff="optional",
        highest=None,
        uses="gain",
    ),
    MeasureSpec(
        "DCG",
        "Discounted cumulated gain",
        "Σ_{i≤k} g_i / log2(i + 1)",
        "Sum of the gains of the first k documents, each worth less the later it comes.",
        "Järvelin and Kekäläinen 2002; 'exp-log2': Burges and others 2005",
        "DCG@10",
        _dcg,
        "linear",
        params=(DCG_KIND, GAINS, JUDGED_ONLY),
        needs_cutoff="optional",
        highest=None,
        uses="gain",
        trec="dcg",
        synonyms=("dcg_burges(dcg='exp-log2')",),
    ),
    MeasureSpec(
        "nDCG",
        "Normalised discounted cumulated gain",
        "DCG@k / DCG@k of the ideal ranking, with DCG@k = Σ_{i≤k} g_i / log2(i + 1)",
        "DCG as a share of what the best possible order of all judged documents would reach.",
        "Järvelin and Kekäläinen 2002; trec_eval 9.0.8; 'exp-log2': gdeval",
        "nDCG@10",
        _ndcg,
        "ratio",
        params=(DCG_KIND, GAINS, IDEAL, JUDGED_ONLY),
        needs_cutoff="optional",
        divides_by_relevant=True,
        uses="gain",
        trec="ndcg",
        trec_cut="ndcg_cut",
        synonyms=("NDCG", "ndcg_burges(dcg='exp-log2')"),
    ),
    MeasureSpec(
        "ERR",
        "Expected reciprocal rank",
        "Σ_{i≤k} 1/i · p_i · Π_{j<i} (1 − p_j), with p = (2^g − 1) / 2^gmax",
        "Expected 1/rank at which a user who reads downwards is satisfied and stops.",
        "Chapelle and others 2009; gdeval (gmax 4)",
        "ERR@10",
        _err,
        "reader",
        params=(
            JUDGED_ONLY,
            ParamSpec(
                "max_rel",
                "number",
                None,
                "gmax; without it the scale’s.",
                lowest=1,
                highest=MOST_GRADE,
            ),
            ParamSpec(
                "p",
                "word",
                "exp",
                "Probability of being satisfied: (2^g − 1) / 2^gmax ('exp'), or what the scale "
                "says of the grade ('grade').",
                words=("exp", "grade"),
            ),
        ),
        needs_cutoff="optional",
        uses="p",
    ),
    MeasureSpec(
        "pFound",
        "pFound",
        "Σ_{i≤k} pLook_i · pRel_i; pLook_1 = 1, pLook_i = pLook_{i−1} (1 − pRel_{i−1}) (1 − pBreak)",
        "Probability that a user who reads downwards finds what is wanted before tiring.",
        "Gulin and others, Yandex, ROMIP 2009",
        "pFound@10",
        _pfound,
        "reader",
        params=(
            JUDGED_ONLY,
            ParamSpec(
                "p_break",
                "number",
                0.15,
                "Probability of giving up after a document.",
                lowest=0,
                highest=1,
            ),
        ),
        needs_cutoff="optional",
        uses="p",
    ),
    MeasureSpec(
        "RBP",
        "Rank-biased precision",
        "(1 − p) Σ_{i≤k} p^{i−1} r_i",
        "Share of what is read that is relevant, for a user who goes on to the next document "
        "with probability p.",
        "Moffat and Zobel 2008",
        "RBP(p=0.95)",
        _rbp,
        "linear",
        params=(
            JUDGED_ONLY,
            persistence_param(0.8, "Probability of going on to the next document."),
            ParamSpec(
                "rel",
                "number",
                None,
                "Lowest grade that counts as relevant; 'gain' takes gain divided by the "
                "scale’s highest gain.",
                words=("gain",),
                lowest=0,
            ),
        ),
        needs_cutoff="optional",
    ),
    MeasureSpec(
        "RBPres",
        "Residual of rank-biased precision",
        "(1 − p) Σ_{unjudged i ≤ n} p^{i−1} + p^n",
        "How much RBP could still grow if all unjudged and all unseen documents were relevant; 1 "
        "for a query that the run lacks, as nothing of it was seen.",
        "Moffat and Zobel 2008",
        "RBPres(p=0.95)",
        _rbp_residual,
        "present",
        params=(persistence_param(0.8, "Probability of going on to the next document."),),
        uses="nothing",
        sees="judged",
        counts_judgments=True,
        is_quality=False,
    ),
)

COUNT_MEASURES = (
    MeasureSpec(
        "Judged",
        "Judged share",
        "judged among the first k / min(k, n)",
        "Share of the first k documents that somebody judged.",
        "ir_measures",
        "Judged@10",
        lambda tops: _share(tops, of_judged=True),
        "present",
        needs_cutoff="optional",
        uses="nothing",
        sees="judged",
        counts_judgments=True,
        is_quality=False,
    ),
    MeasureSpec(
        "Unjudged",
        "Unjudged share",
        "unjudged among the first k / min(k, n)",
        "Share of the first k documents that nobody judged.",
        "complement of Judged",
        "Unjudged@10",
        lambda tops: _share(tops, of_judged=False),
        "present",
        needs_cutoff="optional",
        uses="nothing",
        sees="judged",
        counts_judgments=True,
        is_quality=False,
    ),
    MeasureSpec(
        "CTR",
        "Click-through rate",
        "clicks / impressions, both summed over the first k",
        "Share of the times the first k documents were shown that they were clicked. Needs the "
        "clicks that came with an import. A query none of whose first k documents was shown enters no mean.",
        "Joachims 2002",
        "CTR@10",
        by_row(_click_through),
        "wide",
        needs_cutoff="optional",
        uses="clicks",
        facts="clicks",
    ),
    MeasureSpec(
        "NumQ",
        "Number of queries",
        "1 for each query",
        "How many queries the figures are made of.",
        TREC_EVAL,
        "NumQ",
        lambda tops: Terms(value=np.ones(len(tops.lengths))),
        "present",
        pooling="sum",
        uses="nothing",
        is_quality=False,
        trec="num_q",
    ),
    MeasureSpec(
        "NumRet",
        "Documents returned",
        "n",
        "How many documents the run returned; with rel=, how many of them are that relevant.",
        TREC_EVAL,
        "NumRet",
        _n_returned,
        "present",
        ("rel", "linear"),
        params=(REL,),
        highest=None,
        pooling="sum",
        uses="nothing",
        is_quality=False,
        trec="num_ret",
    ),
    MeasureSpec(
        "NumRel",
        "Relevant documents",
        "R",
        "How many documents are judged relevant, returned or not.",
        TREC_EVAL,
        "NumRel",
        _n_relevant,
        "number",
        params=(REL,),
        highest=None,
        pooling="sum",
        is_quality=False,
        trec="num_rel",
    ),
    MeasureSpec(
        "NumRelRet",
        "Relevant documents returned",
        "Σ_{i≤k} r_i",
        "How many of the returned documents, or of the first k, are judged relevant.",
        TREC_EVAL,
        "NumRelRet",
        _n_relevant_returned,
        "linear",
        params=(REL,),
        needs_cutoff="optional",
        highest=None,
        pooling="sum",
        synonyms=("hits",),
        trec="num_rel_ret",
    ),
    MeasureSpec(
        "NumNonrelRet",
        "Judged non-relevant documents returned",
        "number of returned documents with a grade below relevant",
        "How many of the returned documents are judged not relevant.",
        "trec_eval’s num_nonrel_judged_ret",
        "NumNonrelRet",
        _n_nonrelevant_returned,
        "linear",
        params=(REL,),
        highest=None,
        pooling="sum",
        sees="judged",
        is_quality=False,
        trec="num_nonrel_judged_ret",
    ),
)


# Readers who go on or stop at each rank

DEPTH = 1_000
RANKS = np.arange(1.0, DEPTH + 1)
GAIN, GOES_ON = Column("gain", N_("gain")), Column("goes_on", N_("goes on"))
GoesOn = Callable[[FloatArray, Tops], FloatArray]


def _gains(row: JudgedRow) -> FloatArray:
    gains = np.zeros(DEPTH)
    is_seen = row.ranks <= DEPTH
    gains[row.ranks[is_seen] - 1] = row.worth[is_seen]
    return gains


def _met(
    row: JudgedRow,
    columns: Mapping[Column, FloatArray],
    by: Divisor = NO_DIVISOR,
    *,
    notes: tuple[str, ...] = (),
) -> Terms:
    """Σ weight × gain: no rank below those that are shown has any."""
    shown = {column: cells[: min(row.n_shown, DEPTH)] for column, cells in columns.items()}
    return quotient(shown, N_("Σ weight × gain"), by, notes=notes)


def _to_depth(tops: Tops) -> tuple[str, ...]:
    """Say how far the weights go, where no cutoff does."""
    if tops.cutoff is not None:
        return ()
    return (stated("The weights of {n} ranks sum to 1; no later rank has any.", n=f"{DEPTH:,}"),)


def _shares_read(chances: FloatArray) -> FloatArray:
    """Return W: which share of all that is read is read at each rank."""
    reach = np.cumprod(np.concatenate(([1.0], chances[:-1])))
    shares: FloatArray = reach / reach.sum()
    return shares


def _read(row: JudgedRow, tops: Tops, *, goes_on: GoesOn) -> Terms:
    gains = _gains(row)
    chances = goes_on(gains, tops)
    weights = _shares_read(chances)
    columns = {GAIN: gains, GOES_ON: chances, WEIGHT: weights, ADDS: weights * gains}
    return _met(row, columns, notes=_to_depth(tops))


def _readers(goes_on: GoesOn) -> Callable[[Tops], Terms]:
    return by_row(partial(_read, goes_on=goes_on))


def _patient(target: FloatArray | float, tops: Tops) -> FloatArray:
    """((i + T + left − 1) / (i + T + left))², where so much of T is left."""
    sum_of = RANKS + tops.number("T") + target
    return np.asarray(((sum_of - 1.0) / sum_of) ** 2, dtype=np.float64)


def _inst(gains: FloatArray, tops: Tops) -> FloatArray:
    return _patient(tops.number("T") - np.cumsum(gains), tops)


def _insq(_gains: FloatArray, tops: Tops) -> FloatArray:
    return _patient(tops.number("T"), tops)


def _bpm(gains: FloatArray, tops: Tops) -> FloatArray:
    wants_more = np.cumsum(gains) < tops.number("T")
    return (wants_more & ((tops.cutoff or DEPTH) > RANKS)).astype(np.float64)


def _before_cutoff(gains: FloatArray, tops: Tops) -> FloatArray:
    return np.where((tops.cutoff or DEPTH) > RANKS, 1.0 - gains, 0.0)


def _nerr9(gains: FloatArray, tops: Tops) -> FloatArray:
    return RANKS / (RANKS + 1.0) * _before_cutoff(gains, tops)


def _nerr10(gains: FloatArray, tops: Tops) -> FloatArray:
    return tops.number("p") * (1.0 - gains)


def _nerr11(gains: FloatArray, tops: Tops) -> FloatArray:
    return _insq(gains, tops) * (1.0 - gains)


def _insq_terms(tops: Tops) -> Terms:
    """No gain changes what INSQ's reader does: each rank has its weight."""
    shares = np.append(_shares_read(_insq(RANKS, tops)), 0.0)
    weights = shares[np.minimum(tops.ranks, DEPTH + 1) - 1]
    return _weighted(tops, weights, Terms(tops.worth * weights), notes=_to_depth(tops))


def _spent(row: JudgedRow, tops: Tops, *, decay: Callable[[FloatArray, Tops], FloatArray]) -> Terms:
    """Gain by how far the reader has come in time or text: a share of all attention, or the sum."""
    known, n = row.facts.get("lengths"), min(row.length, DEPTH)
    is_known = known is not None and int((known.ranks <= n).sum()) == n
    costs = np.ones(DEPTH)
    if known is not None:
        costs[:n] = known.by_rank(n)[:, 0]
    gains, ends, notes = _gains(row), np.cumsum(costs), _to_depth(tops)
    if tops.params["form"] == "paper":
        is_text = "L" in tops.params
        weights = decay(ends if is_text else ends - costs, tops)
        weights[n:] = 0.0
        notes = ()
    else:
        weights = decay(ends - costs, tops)
        # cwl_eval gives U's last rank no weight.
        weights[-1] *= "L" not in tops.params
        weights = weights / weights.sum()
    columns = {GAIN: gains}
    if is_known:
        columns |= {Column("spent", N_("before"), 1): ends - costs, WEIGHT: weights}
    columns[ADDS] = weights * gains * is_known
    return _met(row, columns, Divisor(needs=np.array([is_known])), notes=notes)


def _by_half_life(spent: FloatArray, tops: Tops) -> FloatArray:
    return np.asarray(2.0 ** (-spent / tops.number("h")))


def _by_end(spent: FloatArray, tops: Tops) -> FloatArray:
    return np.maximum(0.0, 1.0 - spent / tops.number("L"))


def _sdcg(tops: Tops) -> Terms:
    """DCG by that of a list of which every document has the highest gain."""
    weights = discounts(int(tops.ranks.max(initial=1)))[tops.ranks - 1]
    by = Divisor(N_("Σ discount"), float(discounts(tops.cutoff or 0).sum()))
    return _weighted(tops, weights, Terms(tops.discounted, by))


def _weighted(
    tops: Tops, weights: FloatArray, terms: Terms, *, notes: tuple[str, ...] = ()
) -> Terms:
    """Return terms whose columns are weight, gain and what they make."""

    def layout() -> Layout:
        return Layout(
            {WEIGHT: weights, GAIN: tops.worth, ADDS: tops.worth * weights},
            N_("Σ weight × gain"),
            notes=notes,
        )

    return replace(terms, layout=layout)


_CWL = " Gain is divided by the scale’s highest."
_DEEP = (
    " The weights of the first 1,000 ranks sum to 1, as in cwl_eval; no later rank counts." + _CWL
)
_TARGET = ParamSpec("T", "number", 1, "How much gain the reader wants.", lowest=0, is_open=True)
_FORM = ParamSpec(
    "form",
    "word",
    "cwl",
    "Weights that sum to 1 over 1,000 ranks (those of U over 999), each after the last of length 1 "
    "('cwl'), or the sum as it stands, of the ranks there are ('paper').",
    words=("cwl", "paper"),
)
_NERR = "Azzopardi, Mackenzie and Moffat 2021, equation {}; cwl_eval"
_record = partial(MeasureSpec, uses="share")
READER_MEASURES = (
    _record(
        "SDCG",
        "Scaled discounted cumulated gain",
        "Σ_{i≤k} g_i / log2(i + 1) ÷ Σ_{i≤k} 1 / log2(i + 1)",
        "DCG as a share of what a list with nothing but the highest gain would reach." + _CWL,
        "Moffat and others 2017; cwl_eval",
        "SDCG@10",
        _sdcg,
        "linear",
        needs_cutoff="required",
    ),
    _record(
        "INST",
        "INST",
        "Σ W_i g_i, with C_i = ((i + T + T_i − 1) / (i + T + T_i))², T_i = T − Σ_{j≤i} g_j",
        "Gain met by a reader who wants T in all, and goes on the less the more there was." + _DEEP,
        "Moffat, Bailey, Scholer and Thomas 2015; cwl_eval",
        "INST(T=2)",
        _readers(_inst),
        "wide",
        params=(_TARGET,),
    ),
    _record(
        "INSQ",
        "INSQ",
        "Σ W_i g_i, with C_i = ((i + 2T − 1) / (i + 2T))²",
        "Gain met by a reader who goes on the more surely the deeper, and the more is wanted."
        + _DEEP,
        "Moffat, Scholer and Thomas 2012; cwl_eval",
        "INSQ(T=2)",
        _insq_terms,
        "linear",
        params=(_TARGET,),
    ),
    _record(
        "BPM",
        "Bejeweled player model",
        "Σ W_i g_i, with C_i = 1 while Σ_{j≤i} g_j < T and i < k, else 0",
        "Mean gain of what is read by a reader who stops with T in hand, or after k documents."
        + _CWL,
        "Zhang and others 2017 (static); cwl_eval",
        "BPM(T=2)@10",
        _readers(_bpm),
        "wide",
        params=(_TARGET,),
        needs_cutoff="required",
    ),
    _record(
        "NERR8",
        "Nearly expected reciprocal rank, equation 8",
        "Σ W_i g_i, with C_i = 1 − g_i for i < k, else 0",
        "Gain met by a reader who stops at a document as surely as it has gain, or at k." + _CWL,
        _NERR.format(8),
        "NERR8@10",
        _readers(_before_cutoff),
        "wide",
        needs_cutoff="required",
    ),
    _record(
        "NERR9",
        "Nearly expected reciprocal rank, equation 9",
        "Σ W_i g_i, with C_i = i / (i + 1) · (1 − g_i) for i < k, else 0",
        "As NERR8, with a reader who is also likely to give up early." + _CWL,
        _NERR.format(9),
        "NERR9@10",
        _readers(_nerr9),
        "wide",
        needs_cutoff="required",
    ),
    _record(
        "NERR10",
        "Nearly expected reciprocal rank, equation 10",
        "Σ W_i g_i, with C_i = p (1 − g_i)",
        "As NERR8 without a cutoff, with a reader who else goes on with probability p." + _DEEP,
        _NERR.format(10),
        "NERR10(p=0.8)",
        _readers(_nerr10),
        "wide",
        params=(persistence_param(0.9, "Probability of going on past a document without gain."),),
    ),
    _record(
        "NERR11",
        "Nearly expected reciprocal rank, equation 11",
        "Σ W_i g_i, with C_i = ((i + 2T − 1) / (i + 2T))² (1 − g_i)",
        "As NERR8 without a cutoff, with a reader who else goes on as INSQ’s." + _DEEP,
        _NERR.format(11),
        "NERR11(T=2)",
        _readers(_nerr11),
        "wide",
        params=(_TARGET,),
    ),
    _record(
        "TBG",
        "Time-biased gain",
        "Σ W_i g_i, with W_i in proportion to 2^(−t_i / h), t_i = Σ_{j<i} time of document j; "
        "form='paper': Σ g_i 2^(−t_i / h)",
        "Gain met by a reader of whom half have stopped after h seconds. Needs the seconds that "
        "each document takes (--lengths)." + _CWL,
        "Smucker and Clarke 2012; cwl_eval",
        "TBG(h=300)",
        by_row(partial(_spent, decay=_by_half_life)),
        "wide",
        params=(
            _FORM,
            ParamSpec("h", "number", 224, "Half-life, in seconds.", lowest=0, is_open=True),
        ),
        facts="lengths",
        highest=None,
    ),
    _record(
        "U",
        "U-measure",
        "Σ W_i g_i, with W_i in proportion to max(0, 1 − c_i / L), c_i = Σ_{j<i} length of "
        "document j; form='paper': Σ g_i max(0, 1 − (c_i + own length) / L)",
        "Gain met by a reader who goes on the less the more text was read, to L characters at "
        "most. Needs the length of each document (--lengths)." + _CWL,
        "Sakai and Dou 2013; cwl_eval",
        "U(L=132000)",
        by_row(partial(_spent, decay=_by_end)),
        "wide",
        params=(
            _FORM,
            ParamSpec("L", "number", 1000, "Characters read at most.", lowest=0, is_open=True),
        ),
        facts="lengths",
        highest=None,
    ),
)
