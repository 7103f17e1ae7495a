"""Records of the measures that ask only whether a document is relevant."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from judgetool.metrics.terms import (
    BINARY,
    JUDGED_ONLY,
    NO_DIVISOR,
    REL,
    TREC_EVAL,
    AnyArray,
    BoolArray,
    Column,
    Divisor,
    FloatArray,
    JudgedRow,
    Layout,
    MeasureSpec,
    ParamSpec,
    Terms,
    Tops,
    ratio,
)
from judgetool.wording import N_, stated

EPSILON = 0.00001  # of infAP, as trec_eval has it
ELEVEN_POINTS = tuple(step / 10 for step in range(11))

RELEVANT = Column("relevant", N_("rel."), 0)
FOUND = Column("found", N_("found"), 0)
PRECISION = Column("precision", N_("P@rank"))
UNDEFINED = np.array([np.nan])
ADDS = Column("adds", N_("adds"))
TOTAL = Column("total", N_("total"), is_main=False)
FIRST = Column("adds", N_("first"), 0)
BY_RANK = Column("adds", N_("1 ÷ rank"))


def by_row(terms_of: Callable[[JudgedRow, Tops], Terms]) -> Callable[[Tops], Terms]:
    """Return terms that are made row by row; ``value`` of each is one number.

    The record’s rule is ``wide`` then: others try gradings at once, of which there are no rows.
    """
    return partial(terms_by_row, terms_of)


def terms_by_row(terms_of: Callable[[JudgedRow, Tops], Terms], tops: Tops) -> Terms:
    """Return the terms of all rows, each made by itself."""
    each = [terms_of(row, tops) for row in tops.judged_rows()]
    if tops.is_explained:
        return each[0]
    values = [UNDEFINED if row.value is None else row.value for row in each]
    return Terms(value=np.concatenate([np.zeros(0), *values]))


def quotient(
    columns: Mapping[Column, AnyArray],
    above: str,
    by: Divisor = NO_DIVISOR,
    *,
    row: JudgedRow | None = None,
    notes: tuple[str, ...] = (),
) -> Terms:
    """Return terms of one ranking: the sum of the column ``adds``, divided.

    Args:
        columns: of the explanation, with their numbers by rank.
        above: words for the sum.
        by: the divisor; where what it needs is 0, or else it itself, there is no value.
        row: the ranking, where the numbers are of its judged documents alone.
        notes: further lines of the explanation.
    """

    def layout() -> Layout:
        if row is None:
            return Layout(columns, above, notes=notes)
        cells = np.full((len(columns), row.n_shown), np.nan)
        cells[:, row.ranks - 1] = list(columns.values())
        return Layout(dict(zip(columns, cells, strict=True)), above, notes=notes)

    total = 1.0 if by.number is None else float(np.asarray(by.number).item())
    adds = next(cells for column, cells in columns.items() if column.key == "adds")
    is_defined = total != 0 if by.needs is None else bool(by.needs.all())
    value = np.nansum(adds)[None] / total if is_defined else UNDEFINED
    return Terms(by=by, layout=layout, value=value)


def found_layout(
    tops: Tops, above: str = N_("relevant found"), *, is_count: bool = False
) -> Layout:
    """Return the explanation of a sum of relevant documents."""
    columns = {RELEVANT: tops.worth, FOUND: tops.found_so_far}
    return Layout(columns, above, "relevant", is_count=is_count)


def _found(tops: Tops, by: str) -> Terms:
    """Relevant documents found, divided."""
    return Terms(tops.worth, tops.divisor(by), lambda: found_layout(tops))


def _f(tops: Tops, square: float) -> Terms:
    """(1 + β²) found ÷ (β² R + k), which is the harmonic mean."""
    found, depth, total = tops.found, tops.depth, tops.n_relevant
    precise, recalled = ratio(found, depth), ratio(found, total)
    size = "n" if tops.cutoff is None else "k"
    weight = "" if square == 1 else f"{square:g} "

    def layout() -> Layout:
        notes: tuple[str, ...] = ()
        if total.all() and np.all(depth):
            notes = (
                stated("P = {p}", p=f"{precise[0]:.4f}"),
                stated("R = {r}", r=f"{recalled[0]:.4f}"),
            )
        return found_layout(tops)._replace(notes=notes)

    return Terms(
        tops.worth,
        Divisor(f"{weight}R + {size}", np.where(total == 0, 0.0, square * total + depth), total),
        layout,
        factor=1.0 + square,
        # By way of P and R, as trec_eval: the closed form differs in the last digits.
        value=ratio((1.0 + square) * precise * recalled, square * precise + recalled),
    )


def _set_ap(tops: Tops) -> Terms:
    """Found² ÷ (n R), so that each relevant document adds all that are found."""
    adds = tops.worth * tops.at(tops.found)
    total = tops.n_relevant
    return Terms(
        adds,
        Divisor("n × R", tops.lengths * total, total),
        lambda: Layout({RELEVANT: tops.worth, FOUND: tops.found_so_far, ADDS: adds}, "found²"),
    )


def _first(tops: Tops, weights: FloatArray, head: Column, line: str) -> Terms:
    """What the first relevant document is worth at its rank."""
    relevant = tops.worth
    is_first = (relevant > 0) & (tops.found_so_far == 1)
    adds = np.where(is_first, weights, 0.0)

    def layout() -> Layout:
        told = N_("no relevant document among these ranks")
        if is_first.any():
            told = stated(line, rank=int(is_first[0].argmax()) + 1)
        return Layout({RELEVANT: relevant, head: adds}, N_("first relevant"), line=told)

    return Terms(adds, layout=layout, weights=weights)


def _success(tops: Tops) -> Terms:
    weights = np.ones(len(tops.ranks))
    return _first(tops, weights, FIRST, N_("relevant at rank {rank}"))


def _reciprocal_rank(tops: Tops) -> Terms:
    return _first(tops, 1.0 / tops.ranks, BY_RANK, "1 ÷ {rank}")


def _r_precision(tops: Tops) -> Terms:
    """Relevant documents in the first mult × R ranks, rounded up from 0.1 as trec_eval does."""
    total, mult = tops.n_relevant, tops.number("mult")
    depth = np.floor(mult * total + 0.9)
    adds = np.where(tops.ranks <= tops.at(depth), tops.worth, 0.0)
    return Terms(
        adds,
        Divisor("R" if mult == 1 else N_("ranks"), depth, total),
        lambda: Layout(
            {RELEVANT: tops.worth, ADDS: adds},
            stated("found in the first {n}", n=int(depth.item())),
        ),
    )


def _average_precision(tops: Tops) -> Terms:
    """The precision at each relevant document, added and divided."""
    precision = tops.found_so_far / tops.ranks
    adds = tops.worth * precision

    def layout() -> Layout:
        found = {RELEVANT: tops.worth, FOUND: tops.found_so_far, PRECISION: precision}
        return Layout({**found, ADDS: adds, TOTAL: np.cumsum(adds)}, N_("Σ precision"))

    return Terms(adds, tops.divisor(str(tops.params.get("norm", "relevant"))), layout)


def _interpolated(tops: Tops, points: tuple[float, ...]) -> Terms:
    """The best precision at or after each recall, where it stands; from the last recall down."""
    found, total = tops.found_so_far, tops.n_relevant
    precision = found / tops.ranks
    # v9 truncates after adding 0.9, v10 rounds to nearest, halves up.
    half = 0.9 if tops.params["rule"] == "v9" else 0.5

    def reached() -> Iterator[BoolArray]:
        return (found >= tops.at(np.floor(point * total + half)) for point in points)

    value = np.zeros(1)
    for best in tops.best(precision, reached()):
        value = value + best
    mean = Divisor(N_("recall levels"), float(len(points)), total)

    def layout() -> Layout:
        adds = np.zeros_like(precision)
        for mask in reached():
            if total.all() and mask.any():
                place = (0, np.where(mask, precision, -1.0).argmax())
                adds[place] += precision[place]
        columns = {RELEVANT: tops.worth, FOUND: found, PRECISION: precision}
        if total.all():
            columns[Column("recall", N_("recall"), is_main=False)] = found / total
        if len(points) > 1:
            return Layout({**columns, ADDS: adds}, N_("Σ best precision"))
        taken = {Column("adds", N_("taken")): adds}
        return Layout(
            {**columns, **taken}, stated("best precision from recall {r} on", r=f"{points[0]:g}")
        )

    by = mean if len(points) > 1 else Divisor(needs=total)
    return Terms(by=by, layout=layout, value=ratio(value, float(len(points))))


def _bpref(tops: Tops) -> Terms:
    """What share of the judged non-relevant each relevant document stands above."""
    relevant, total = tops.worth, tops.n_relevant
    limit = np.minimum(tops.n_nonrelevant, total)
    nonrelevant = tops.judged & (relevant == 0)
    above = tops.cumulate(nonrelevant) - nonrelevant
    adds = relevant * (1.0 - ratio(np.minimum(above, tops.at(total)), tops.at(limit)))

    def layout() -> Layout:
        columns = {
            RELEVANT: relevant,
            Column("nonrelevant_above", N_("non-rel. above"), 0): above,
            ADDS: adds,
        }
        note = stated("Each non-relevant one above takes 1 ÷ {n}.", n=f"{limit.item():g}")
        notes = (note,) if limit else ()
        return Layout(columns, "Σ", notes=notes)

    return Terms(adds, Divisor("R", total, total), layout)


def _inferred_ap(tops: Tops) -> Terms:
    """The precision to be expected at each relevant document."""

    def before(numbers: FloatArray | BoolArray) -> FloatArray:
        return tops.cumulate(numbers) - numbers

    above = tops.ranks - 1.0
    in_pool = before(tops.pooled)
    likely = (before(tops.worth) + EPSILON) / (before(tops.judged) + 2 * EPSILON)
    expected = 1.0 / (above + 1.0) + (above / (above + 1.0)) * ratio(in_pool, above) * likely
    adds = tops.worth * np.where(above == 0, 1.0, expected)
    columns = {
        RELEVANT: tops.worth,
        Column("pooled_above", N_("pooled above"), 0, is_main=False): in_pool,
        Column("expected_precision", N_("expected P")): expected,
        ADDS: adds,
    }
    return Terms(
        adds,
        tops.divisor("relevant"),
        lambda: Layout({**columns, TOTAL: np.cumsum(adds)}, N_("Σ expected precision")),
    )


RULE = ParamSpec(
    "rule",
    "word",
    "v9",
    "How recall becomes a number of documents: as trec_eval 9 ('v9') or 10 ('v10') does.",
    words=("v9", "v10"),
)


def _beta(text: str) -> ParamSpec:
    return ParamSpec("beta", "number", 1, text, lowest=0, is_open=True)


PRECISION_MEASURES = (
    MeasureSpec(
        "P",
        "Precision",
        "Σ_{i≤k} r_i / k",
        "Share of the first k places that hold a relevant document; places that the ranking "
        "does not fill count as not relevant.",
        TREC_EVAL,
        "P@10",
        lambda tops: _found(tops, str(tops.params["over"])),
        "linear",
        params=(
            JUDGED_ONLY,
            ParamSpec(
                "over",
                "word",
                "k",
                "Divide by k, or by the number of documents returned where that is less.",
                words=("k", "retrieved"),
            ),
            REL,
        ),
        needs_cutoff="required",
        trec_cut="P",
        synonyms=("Precision",),
    ),
    MeasureSpec(
        "R",
        "Recall",
        "Σ_{i≤k} r_i / R",
        "Share of all relevant documents of the query that stand in the first k places.",
        TREC_EVAL,
        "R@100",
        partial(_found, by="relevant"),
        "shared",
        params=BINARY,
        needs_cutoff="required",
        divides_by_relevant=True,
        trec_cut="recall",
        synonyms=("Recall",),
    ),
    MeasureSpec(
        "R_cap",
        "Capped recall",
        "Σ_{i≤k} r_i / min(k, R)",
        "Recall against what k places can hold: 1 when no relevant document could be added.",
        "BEIR (Thakur and others 2021); trec_eval calls it relative_P",
        "R_cap@10",
        partial(_found, by="min"),
        "shared",
        params=BINARY,
        needs_cutoff="required",
        divides_by_relevant=True,
        trec_cut="relative_P",
    ),
    MeasureSpec(
        "F1",
        "F1",
        "2 P R / (P + R), with P@k and R@k",
        "Harmonic mean of precision and recall at k; 0 when nothing relevant is in the first k.",
        "van Rijsbergen 1979",
        "F1@10",
        partial(_f, square=1.0),
        "shared",
        params=BINARY,
        needs_cutoff="required",
        divides_by_relevant=True,
    ),
    MeasureSpec(
        "F",
        "F measure",
        "(1 + β²) P R / (β² P + R), with P@k and R@k",
        "Weighted harmonic mean of precision and recall at k: recall counts β times as much.",
        "van Rijsbergen 1979",
        "F(beta=2)@10",
        lambda tops: _f(tops, tops.number("beta") ** 2),
        "shared",
        params=(_beta("Weight of recall against precision, as in the textbook."), *BINARY),
        needs_cutoff="required",
        divides_by_relevant=True,
    ),
    MeasureSpec(
        "Success",
        "Success",
        "1 if any r_i = 1 for i ≤ k, else 0",
        "Whether there is a relevant document in the first k places, without k in the whole list; its mean is the hit rate.",
        TREC_EVAL,
        "Success@5",
        _success,
        "first",
        params=BINARY,
        needs_cutoff="optional",
        trec_cut="success",
        synonyms=("HitRate", "hit_rate"),
    ),
    MeasureSpec(
        "Rprec",
        "R-precision",
        "Σ_{i≤R} r_i / R",
        "Precision at the rank that equals the number of relevant documents.",
        TREC_EVAL,
        "Rprec",
        _r_precision,
        "r_precision",
        params=(
            JUDGED_ONLY,
            ParamSpec(
                "mult",
                "number",
                1,
                "Look at this many times R documents; the rank is rounded as trec_eval does.",
                lowest=0,
                is_open=True,
            ),
            REL,
        ),
        divides_by_relevant=True,
        trec="Rprec",
        synonyms=("RPrec", "r-precision"),
    ),
)

SET_MEASURES = (
    MeasureSpec(
        "SetP",
        "Precision of the whole list",
        "Σ r_i / n",
        "Share of all returned documents that are relevant.",
        TREC_EVAL,
        "SetP",
        lambda tops: _found(tops, "min" if tops.params["relative"] else "k"),
        "linear",
        ("relative", "shared"),
        params=(
            JUDGED_ONLY,
            REL,
            ParamSpec("relative", "flag", False, "Divide by min(n, R) in place of n."),
        ),
        trec="set_P",
        synonyms=("SetRelP(relative=True)",),
    ),
    MeasureSpec(
        "SetR",
        "Recall of the whole list",
        "Σ r_i / R",
        "Share of all relevant documents that were returned at any rank.",
        TREC_EVAL,
        "SetR",
        partial(_found, by="relevant"),
        "shared",
        params=BINARY,
        divides_by_relevant=True,
        trec="set_recall",
    ),
    MeasureSpec(
        "SetF",
        "F of the whole list",
        "(1 + β) P R / (R + β P), with SetP and SetR",
        "Harmonic mean of SetP and SetR. As in trec_eval and ir_measures its β is the square "
        "of the textbook’s; F(beta=)@k has the textbook’s.",
        TREC_EVAL,
        "SetF(beta=0.5)",
        lambda tops: _f(tops, tops.number("beta")),
        "shared",
        params=(_beta("As in trec_eval: the square of the textbook’s β."), *BINARY),
        divides_by_relevant=True,
        trec="set_F",
    ),
    MeasureSpec(
        "SetAP",
        "Average precision of the whole list as a set",
        "(Σ r_i)² / (n R)",
        "Precision times recall of the whole list.",
        TREC_EVAL,
        "SetAP",
        _set_ap,
        "squared",
        params=BINARY,
        divides_by_relevant=True,
        trec="set_map",
    ),
)

_AP = MeasureSpec(
    "AP",
    "Average precision",
    "Σ_{i≤k} r_i P@i / R",
    "Precision at each relevant document, summed and divided by the number of relevant "
    "documents, found or not. Its mean over queries is MAP.",
    TREC_EVAL,
    "AP",
    _average_precision,
    "precision",
    params=(
        JUDGED_ONLY,
        ParamSpec(
            "norm",
            "word",
            "relevant",
            "Divide by all relevant documents, by k, by those found in the first k, "
            "or by min(k, R).",
            words=("relevant", "k", "found", "min"),
        ),
        REL,
    ),
    needs_cutoff="optional",
    divides_by_relevant=True,
    trec="map",
    trec_cut="map_cut",
    synonyms=("MAP",),
)
_BPREF = MeasureSpec(
    "Bpref",
    "Binary preference",
    "1/R Σ_{relevant d} (1 − min(R, judged non-relevant above d) / min(R, N))",
    "How often judged relevant documents stand above judged non-relevant ones; unjudged "
    "documents play no part.",
    "Buckley and Voorhees 2004; trec_eval 9.0.8",
    "Bpref",
    _bpref,
    "placed",
    params=(REL,),
    divides_by_relevant=True,
    sees="judged",
    skips_unjudged=True,
    trec="bpref",
    synonyms=("BPref",),
)

RANKED_MEASURES = (
    MeasureSpec(
        "RR",
        "Reciprocal rank",
        "1 / rank of the first relevant document, else 0",
        "How soon the first relevant document comes. Its mean over queries is MRR.",
        TREC_EVAL,
        "RR@10",
        _reciprocal_rank,
        "first",
        params=BINARY,
        needs_cutoff="optional",
        trec="recip_rank",
        synonyms=("MRR",),
    ),
    _AP,
    _AP.geometric(
        "GMAP",
        "Average precision whose mean over queries is geometric, so that poor queries count most.",
        "Robertson 2006; trec_eval’s gm_map",
        "gm_map",
    ),
    MeasureSpec(
        "IPrec",
        "Interpolated precision",
        "max of P@i over all i whose recall is at least r",
        "The best precision at or after the rank where this recall is reached.",
        TREC_EVAL,
        "IPrec@0.1",
        lambda tops: _interpolated(tops, (tops.number("recall"),)),
        "placed",
        params=(
            JUDGED_ONLY,
            ParamSpec(
                "recall", "number", None, "The recall, written after @.", lowest=0, highest=1
            ),
            REL,
            RULE,
        ),
        needs_cutoff="required",
        divides_by_relevant=True,
        at="recall",
    ),
    MeasureSpec(
        "11pt",
        "Eleven-point average precision",
        "mean of IPrec@r for r = 0, 0.1, …, 1",
        "Area below the interpolated precision-recall curve, from eleven points.",
        TREC_EVAL,
        "11pt",
        # trec_eval adds from recall 1 down to 0.
        partial(_interpolated, points=ELEVEN_POINTS[::-1]),
        "placed",
        params=(JUDGED_ONLY, REL, RULE),
        divides_by_relevant=True,
        trec="11pt_avg",
    ),
    _BPREF,
    _BPREF.geometric(
        "GMBpref",
        "Binary preference whose mean over queries is geometric.",
        "trec_eval’s gm_bpref",
        "gm_bpref",
    ),
    MeasureSpec(
        "infAP",
        "Inferred average precision",
        "1/R Σ_{relevant at i} (1/i + (i−1)/i · pooled/(i−1) · (rel + ε)/(rel + nonrel + 2ε))",
        "Average precision estimated from a sample of judgments: pooled documents without a "
        "grade (negative in qrels) count as likely as judged ones to be relevant.",
        "Yilmaz and Aslam 2006; trec_eval 9.0.8, ε = 0.00001",
        "infAP",
        _inferred_ap,
        "placed",
        params=(REL,),
        divides_by_relevant=True,
        sees="pool",
        trec="infAP",
    ),
)
