"""How the graded values come about: gains, users who read downwards, and orders beside the ideal."""

import math

import numpy as np

from judgetool.metrics.block import IntArray
from judgetool.metrics.bounds_values import discounts, number, reach_before
from judgetool.metrics.explain_parts import Column, Parts, Subject
from judgetool.metrics.kernels_orders import counts_above, ideal_places, shared_by_depth
from judgetool.metrics.query_grades import FloatArray
from judgetool.metrics.rank_overlap import extrapolated_agreement

DISCOUNT = Column("discount", "discount")
GAIN = Column("gain", "gain", is_main=False)
ADDS = Column("adds", "adds")
TOTAL = Column("total", "total", is_main=False)
GAIN_BY_DISCOUNT = Column("adds", "gain × disc.")


def explain_cumulated_gain(subject: Subject) -> Parts:
    """CG: the gains, added."""
    gains = subject.worth
    columns = {Column("adds", "gain"): gains, Column("total", "total"): np.cumsum(gains)}
    return Parts(columns, "adds", "Σ gain")


def explain_dcg(subject: Subject) -> Parts:
    """DCG: each gain times the discount of its rank."""
    gains = subject.worth
    weights = discounts(len(gains))
    columns = {
        GAIN: gains,
        DISCOUNT: weights,
        GAIN_BY_DISCOUNT: gains * weights,
        Column("total", "total"): np.cumsum(gains * weights),
    }
    return Parts(columns, "adds", "DCG")


def explain_ndcg(subject: Subject) -> Parts:
    """Return nDCG's columns: DCG, and beside it the DCG of the best order."""
    gains = subject.worth
    best = ideal_gains(subject)
    # An ideal that ends sooner adds nothing at the ranks after it.
    best = np.pad(best, (0, max(0, len(gains) - len(best))))
    weights = discounts(len(best))
    adds = gains * weights[: len(gains)]
    ideal = best * weights[: len(best)]
    columns = {
        GAIN: gains,
        DISCOUNT: weights,
        GAIN_BY_DISCOUNT: adds,
        TOTAL: np.cumsum(adds),
        Column("ideal_gain", "ideal gain", is_main=False): best,
        Column("ideal", "ideal"): ideal,
        Column("ideal_total", "ideal total", is_main=False): np.cumsum(ideal),
    }
    return Parts(columns, "adds", "DCG", "ideal", "ideal")


def ideal_gains(subject: Subject) -> FloatArray:
    """Return the gains of the best possible order, best first, as far as nDCG looks."""
    measure = subject.measure
    kind = measure.param("ideal")
    pool = subject.grades.judged
    if kind == "retrieved":
        ranked = subject.grades.ranked
        pool = ranked[~np.isnan(ranked)]
    depth = None if kind == "uncut" else measure.cutoff
    if kind == "length":
        depth = min(subject.length, subject.depth)
    return -np.sort(-subject.worth_of(pool))[:depth]


def explain_err(subject: Subject) -> Parts:
    """ERR: 1 ÷ rank, times the probability that the user stops there."""
    p = subject.worth
    reach = reach_before(1.0 - p[None, :])[0]
    stops = reach * p
    adds = stops / subject.ranks
    columns = {
        Column("p", "p"): p,
        Column("reach", "reached", is_main=False): reach,
        Column("stop", "stops here"): stops,
        ADDS: adds,
        TOTAL: np.cumsum(adds),
    }
    return Parts(columns, "adds", "Σ stops ÷ rank")


def explain_pfound(subject: Subject) -> Parts:
    """Return pFound's columns: the probability to look, times that to be satisfied."""
    p = subject.worth
    stay = (1.0 - p) * (1.0 - number(subject.measure, "p_break", 0.15))
    look = reach_before(stay[None, :])[0]
    adds = look * p
    columns = {
        Column("p_look", "pLook"): look,
        Column("p_rel", "pRel"): p,
        ADDS: adds,
        Column("total", "total"): np.cumsum(adds),
    }
    return Parts(columns, "adds", "Σ pLook × pRel")


def explain_rbp(subject: Subject) -> Parts:
    """RBP: the weight of each rank times the relevance there."""
    worth = subject.worth
    p = number(subject.measure, "p", 0.8)
    weights = _patience(p, len(worth))
    by_gain = subject.measure.param("rel") == "gain"
    columns = {
        Column("weight", "weight"): weights,
        Column("relevance", "gain" if by_gain else "rel.", 3 if by_gain else 0): worth,
        ADDS: weights * worth,
        Column("total", "total"): np.cumsum(weights * worth),
    }
    unknown = float(weights[~subject.is_judged].sum())
    note = f"Unjudged documents among these ranks could add {unknown:.4f}."
    return Parts(columns, "adds", "Σ weight × rel.", notes=(note,) if unknown else ())


def explain_rbp_residual(subject: Subject) -> Parts:
    """RBPres: the weight of unjudged ranks, and that of all ranks after the last."""
    p = number(subject.measure, "p", 0.8)
    weights = _patience(p, len(subject.places))
    columns = {
        Column("weight", "weight"): weights,
        ADDS: np.where(subject.is_judged, 0.0, weights),
    }
    tail = p ** len(subject.places)
    note = f"All ranks after the last weigh {tail:.4f}."
    return Parts(columns, "adds", "Σ unjudged weight + tail", constant=tail, notes=(note,))


def _patience(p: float, n: int) -> FloatArray:
    return np.asarray((1.0 - p) * p ** np.arange(n), dtype=np.float64)


def explain_tau(subject: Subject) -> Parts:
    """Tau: for each judged document, those above it that belong there, less those that do not."""
    grades = subject.counted[subject.is_judged]
    higher, equal = counts_above(grades) if len(grades) else (np.zeros(0), np.zeros(0))
    lower = np.arange(len(grades)) - higher - equal
    n_pairs = len(grades) * (len(grades) - 1) / 2
    n_tied = float(equal.sum())
    columns = {
        Column("higher_above", "higher above", 0): _by_place(subject, higher),
        Column("lower_above", "lower above", 0): _by_place(subject, lower),
        Column("equal_above", "equal above", 0, is_main=False): _by_place(subject, equal),
        Column("adds", "difference", 0): _by_place(subject, higher - lower),
    }
    note = f"{n_pairs:g} pairs of judged documents, {n_tied:g} of them of equal grades."
    return Parts(
        columns,
        "adds",
        "Σ higher − lower above",
        "√(pairs × (pairs − equal))",
        math.sqrt(n_pairs * (n_pairs - n_tied)),
        notes=(note,),
    )


def explain_tau_ap(subject: Subject) -> Parts:
    """Tau_ap: for each judged document but the first, the share of those above that belong there."""
    grades = subject.counted[subject.is_judged]
    higher, equal = counts_above(grades) if len(grades) else (np.zeros(0), np.zeros(0))
    above = np.arange(float(len(grades)))
    share = np.full(len(grades), np.nan)
    np.divide(higher + equal / 2.0, above, out=share, where=above > 0)
    columns = {
        Column("above", "judged above", 0, is_main=False): _by_place(subject, above),
        Column("rightly_above", "rightly above", 1): _by_place(subject, higher + equal / 2.0),
        Column("share", "share"): _by_place(subject, share),
        Column("adds", "2 × share − 1"): _by_place(subject, 2.0 * share - 1.0),
    }
    n = max(0, len(grades) - 1)
    return Parts(columns, "adds", "Σ 2 × share − 1", "judged − 1", float(n))


def explain_rho(subject: Subject) -> Parts:
    """Rho: how far each judged document stands from the middle, in the ranking and by grade."""
    grades = subject.counted[subject.is_judged]
    _, levels, counts = np.unique(-grades, return_inverse=True, return_counts=True)
    ideal = (np.cumsum(counts) - (counts - 1) / 2.0)[levels]
    actual = np.arange(1.0, len(grades) + 1.0)
    middle = (len(grades) + 1) / 2.0
    columns = {
        Column("place", "place", 0): _by_place(subject, actual),
        Column("ideal_place", "ideal place", 1): _by_place(subject, ideal),
        Column("adds", "product"): _by_place(subject, (actual - middle) * (ideal - middle)),
    }
    spread = math.sqrt(float(((actual - middle) ** 2).sum()) * float(((ideal - middle) ** 2).sum()))
    note = f"Products of the distances from the middle place, {middle:g}."
    return Parts(columns, "adds", "Σ products", "spread", spread, notes=(note,))


def explain_compatibility(subject: Subject) -> Parts:
    """Compat: overlap with the ideal order at every depth, and the ideal order's own."""
    p = number(subject.measure, "p", 0.95)
    shared, n_ideal = _overlap(subject)
    depths = np.arange(1.0, len(shared) + 1)
    weights = p ** (depths - 1.0) / depths
    columns = {
        Column("shared", "shared", 0): shared.astype(np.float64),
        Column("weight", "weight"): weights,
        ADDS: weights * shared,
        Column("ideal_adds", "ideal"): weights * np.minimum(depths, n_ideal),
    }
    note = f"The ideal order holds {n_ideal} documents; unjudged ones are not among them."
    return Parts(columns, "adds", "Σ overlap", "Σ ideal", "ideal_adds", notes=(note,))


def explain_rbo(subject: Subject) -> Parts:
    """RBO: overlap with the ideal order at every depth, and what follows the last one."""
    p = number(subject.measure, "p", 0.9)
    shared, n_ideal = _overlap(subject)
    depths = np.arange(1.0, len(shared) + 1)
    weights = (1.0 - p) * p ** (depths - 1.0)
    n_short = min(subject.length, n_ideal)
    agreement = extrapolated_agreement(shared, n_short) if n_short else np.zeros(len(shared))
    tail = float(agreement[-1] * p ** len(shared)) if len(shared) else 0.0
    columns = {
        Column("shared", "shared", 0): shared.astype(np.float64),
        Column("agreement", "agreement"): agreement,
        Column("weight", "weight", is_main=False): weights,
        ADDS: weights * agreement,
    }
    notes = (
        f"The ideal order holds {n_ideal} documents; unjudged ones are not among them.",
        f"All ranks after the last, as they agree so far, add {tail:.4f}.",
    )
    return Parts(columns, "adds", "Σ weight × agreement + rest", constant=tail, notes=notes)


def _overlap(subject: Subject) -> tuple[IntArray, int]:
    """Return how many documents ranking and ideal order share at every depth, and the ideal's length."""
    judged = np.sort(subject.grades.judged)[::-1]
    n_ideal = int((judged > 0).sum())
    grades = subject.counted
    places = np.flatnonzero(grades > 0)
    depth = max(len(grades), n_ideal)
    if not len(places):
        return np.zeros(depth, dtype=np.int64), n_ideal
    ideal = ideal_places(grades[places], judged[:n_ideal])
    return shared_by_depth(places + 1, ideal, depth), n_ideal


def _by_place(subject: Subject, numbers: FloatArray | IntArray) -> FloatArray:
    """Return numbers of the judged documents as one for each row, NaN where nobody judged."""
    rows = np.full(len(subject.places), np.nan)
    rows[subject.is_judged] = numbers
    return rows
