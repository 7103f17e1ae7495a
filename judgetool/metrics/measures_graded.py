"""Records of the graded measures, gains and readers, and of counts."""

import numpy as np

from judgetool.core.scale import MOST_GRADE
from judgetool.metrics.measures_orders import by_row, quotient
from judgetool.metrics.measures_relevance import ADDS, FOUND, RELEVANT, TOTAL, found_layout
from judgetool.metrics.terms import (
    JUDGED_ONLY,
    REL,
    TREC_EVAL,
    Column,
    Divisor,
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

GAIN = Column("gain", N_("gain"), is_main=False)
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
        columns = {GAIN: tops.worth, DISCOUNT: discounts(len(tops.ranks)), GAIN_BY_DISCOUNT: adds}
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
            GAIN: tops.worth,
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
        return Layout(columns, N_("Σ weight × rel."), notes=(note,) if unknown else ())

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
        return Layout(
            {RELEVANT: tops.worth, FOUND: tops.found_so_far},
            N_("relevant"),
            "relevant",
            constant=lacking,
            notes=(
                stated(
                    "{found} in the ranking and {lacking} that it lacks.",
                    found=f"{found:g}",
                    lacking=f"{lacking:g}",
                ),
            ),
            is_count=True,
        )

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
    "or the returned documents alone ('retrieved').",
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
        "DCG@k / DCG@k of the ideal ranking",
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
    ),
    MeasureSpec(
        "CTR",
        "Click-through rate",
        "clicks / impressions, both summed over the first k",
        "Share of the times the first k documents were shown that they were clicked. Needs the "
        "clicks that came with an import.",
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
        trec="num_rel",
    ),
    MeasureSpec(
        "NumRelRet",
        "Relevant documents returned",
        "Σ r_i",
        "How many of the returned documents are judged relevant.",
        TREC_EVAL,
        "NumRelRet",
        _n_relevant_returned,
        "linear",
        params=(REL,),
        highest=None,
        pooling="sum",
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
        trec="num_nonrel_judged_ret",
    ),
)
