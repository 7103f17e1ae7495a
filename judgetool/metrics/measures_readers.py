"""Records of measures of a reader who goes on or stops at each rank: INST, INSQ, BPM and NERR.

A reader at rank i goes on with probability C_i. Of all that is read, the share W_i is
read at rank i: Π_{j<i} C_j, divided by the sum of these products; the value is the gain
that the reader meets there, Σ W_i g_i (Moffat, Bailey, Scholer and Thomas 2017; C/W/L).
Gains are shares of the scale's highest. As in cwl_eval a list has 1,000 ranks: those
that a ranking lacks have no gain, and none is looked at after them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from judgetool.metrics.measures_orders import by_row, quotient
from judgetool.metrics.measures_relevance import ADDS
from judgetool.metrics.terms import (
    NO_DIVISOR,
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
)
from judgetool.wording import N_, stated

DEPTH = 1_000
RANKS = np.arange(1.0, DEPTH + 1)
GAIN, GOES_ON, WEIGHT = (
    Column("gain", N_("gain")),
    Column("goes_on", N_("goes on")),
    Column("weight", N_("weight")),
)
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


def _read(row: JudgedRow, tops: Tops, *, goes_on: GoesOn) -> Terms:
    gains = _gains(row)
    chances = goes_on(gains, tops)
    reach = np.cumprod(np.concatenate(([1.0], chances[:-1])))
    weights = reach / reach.sum()
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
    chances = _insq(RANKS, tops)
    reach = np.cumprod(np.concatenate(([1.0], chances[:-1])))
    weights = np.append(reach / reach.sum(), 0.0)[np.minimum(tops.ranks, DEPTH + 1) - 1]
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
    "Weights that sum to 1 over 1,000 ranks, each after the last of length 1 ('cwl'), or the sum as "
    "it stands, of the ranks there are ('paper').",
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
