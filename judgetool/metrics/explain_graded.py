"""How the graded values come about: gains, and users who read downwards."""

import numpy as np

from judgetool.metrics.bounds_values import discounts, number, reach_before
from judgetool.metrics.explain_parts import Column, Parts, Subject
from judgetool.metrics.query_grades import FloatArray

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
