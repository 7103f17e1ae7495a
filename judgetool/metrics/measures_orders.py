"""Records of the measures that compare a ranking with the ideal order: τ-b, τ_AP, ρ, RBO, Compat.

They take row after row: their cost is by the judged documents of a row times the
number of different grades among them.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from judgetool.metrics.measures_relevance import ADDS
from judgetool.metrics.terms import (
    NO_DIVISOR,
    Column,
    Divisor,
    FloatArray,
    IntArray,
    JudgedRow,
    Layout,
    MeasureSpec,
    Terms,
    Tops,
    persistence_param,
)
from judgetool.wording import N_, stated, stated_of

UNDEFINED = np.array([np.nan])
SHARED = Column("shared", N_("shared"), 0)


def _ideal_note(n_ideal: int) -> str:
    return stated_of(
        n_ideal,
        "The ideal order holds {n} document; unjudged ones are not among them.",
        "The ideal order holds {n} documents; unjudged ones are not among them.",
    )


def by_row(terms_of: Callable[[JudgedRow, Tops], Terms]) -> Callable[[Tops], Terms]:
    """Return terms that are made row by row; ``value`` of each is one number."""

    def terms(tops: Tops) -> Terms:
        each = [terms_of(row, tops) for row in tops.judged_rows()]
        if tops.is_explained:
            return each[0]
        values = [UNDEFINED if row.value is None else row.value for row in each]
        return Terms(value=np.concatenate([np.zeros(0), *values]))

    return terms


def quotient(
    columns: Mapping[Column, npt.NDArray[Any]],
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
