"""Measures as a textbook writes them: slow, obvious, and independent of judgetool's records.

A ranking is a list of grades, best rank first, ``None`` where nobody judged; ``missing``
are the grades of judged documents that the ranking lacks. Undefined values are 0.
"""

from math import log2

EPSILON = 0.00001


class Judged:
    """One ranking of one query with all that is known of it."""

    def __init__(self, ranked, missing, measure, scale):
        self.ranked = list(ranked)
        self.missing = list(missing)
        self.measure = measure
        self.scale = scale
        self.k = measure.cutoff if measure.cutoff is not None else len(self.ranked)
        if measure.has_param("judged_only") and measure.param("judged_only"):
            self.ranked = [grade for grade in self.ranked if grade is not None]
            if measure.cutoff is None:
                self.k = len(self.ranked)

    def param(self, name, default=None):
        return self.measure.param(name) if self.measure.has_param(name) else default

    @property
    def top(self):
        return self.ranked[: self.k]

    @property
    def judged(self):
        return [grade for grade in self.ranked if grade is not None] + self.missing

    def relevant(self, grade):
        rel = self.param("rel")
        if rel is None:
            rel = 1 if self.scale is None else self.scale.relevant_from
        return 1 if grade is not None and grade >= rel else 0

    @property
    def big_r(self):
        return sum(self.relevant(grade) for grade in self.judged)

    def hits(self, depth):
        return sum(self.relevant(grade) for grade in self.ranked[:depth])

    def gain(self, grade):
        if grade is None:
            return 0.0
        if self.param("dcg") == "exp-log2":
            return 2.0**grade - 1
        for listed, gain in self.param("gains") or ():
            if grade == listed:
                return gain
        return grade if self.scale is None else self.scale.find_level(grade).gain

    def p(self, grade):
        if grade is None:
            return 0.0
        top = self.param("max_rel")
        if top is None:
            top = 4 if self.scale is None else self.scale.max_grade
        if self.scale is None or (self.measure.name == "ERR" and self.param("p") == "exp"):
            return (2.0**grade - 1) / 2.0**top
        return self.scale.find_level(grade).p_relevant


def _ratio(above, below):
    return above / below if below else 0.0


def precision(q):
    return _ratio(q.hits(q.k), min(q.k, len(q.ranked)) if q.param("over") == "retrieved" else q.k)


def recall(q):
    return _ratio(q.hits(q.k), q.big_r)


def capped_recall(q):
    return _ratio(q.hits(q.k), min(q.k, q.big_r))


def f_measure(q):
    p, r, b = _ratio(q.hits(q.k), q.k), recall(q), q.param("beta", 1) ** 2
    return _ratio((1 + b) * p * r, b * p + r)


def set_f(q):
    p, r, b = _ratio(q.hits(q.k), len(q.ranked)), recall(q), q.param("beta")
    return _ratio((1 + b) * p * r, r + b * p)


def set_precision(q):
    return _ratio(
        q.hits(q.k), min(len(q.ranked), q.big_r) if q.param("relative") else len(q.ranked)
    )


def reciprocal_rank(q):
    return next((1 / i for i, grade in enumerate(q.top, 1) if q.relevant(grade)), 0.0)


def average_precision(q):
    total = sum(q.hits(i) / i for i, grade in enumerate(q.top, 1) if q.relevant(grade))
    divisor = {
        "relevant": q.big_r,
        "k": q.k,
        "found": q.hits(q.k),
        "min": min(q.k, q.big_r),
    }[q.param("norm", "relevant")]
    return _ratio(total, divisor)


def r_precision(q):
    depth = int(q.param("mult") * q.big_r + 0.9) if q.param("mult") != 1 else q.big_r
    return _ratio(q.hits(depth), depth)


def interpolated(q, recall_level):
    if q.big_r == 0:
        return 0.0
    raw = recall_level * q.big_r
    need = int(raw + 0.9) if q.param("rule") == "v9" else int(raw + 0.5)
    depths = [i for i in range(1, len(q.ranked) + 1) if q.hits(i) >= need]
    return max((q.hits(i) / i for i in depths), default=0.0)


def eleven_point(q):
    return sum(interpolated(q, level / 10) for level in range(11)) / 11


def bpref(q):
    nonrel = sum(not q.relevant(grade) for grade in q.judged)
    total, above = 0.0, 0
    for grade in q.ranked:
        if grade is None:
            continue
        if not q.relevant(grade):
            above += 1
        elif above:
            total += 1 - min(above, q.big_r) / min(nonrel, q.big_r)
        else:
            total += 1
    return _ratio(total, q.big_r)


def inferred_ap(q):
    """With every document in the pool, as after a full grading."""
    total = 0.0
    for j, grade in enumerate(q.ranked):
        if not q.relevant(grade):
            continue
        rel = q.hits(j)
        nonrel = sum(g is not None for g in q.ranked[:j]) - rel
        inner = (rel + EPSILON) / (rel + nonrel + 2 * EPSILON)
        total += 1 if j == 0 else 1 / (j + 1) + j / (j + 1) * ((rel + nonrel) / j) * inner
    return _ratio(total, q.big_r)


def dcg_of(gains):
    return sum(gain / log2(i + 1) for i, gain in enumerate(gains, 1))


def ndcg(q):
    pool = q.judged
    depth = q.k if q.measure.cutoff is not None else len(pool)
    if q.param("ideal") == "uncut":
        depth = len(pool)
    elif q.param("ideal") == "length":
        depth = min(q.k, len(q.ranked))
    elif q.param("ideal") == "retrieved":
        pool = q.ranked
    ideal = sorted((q.gain(grade) for grade in pool), reverse=True)[:depth]
    return _ratio(dcg_of(q.gain(grade) for grade in q.top), dcg_of(ideal))


def err(q):
    total, reach = 0.0, 1.0
    for i, grade in enumerate(q.top, 1):
        total += reach * q.p(grade) / i
        reach *= 1 - q.p(grade)
    return total


def pfound(q):
    total, look = 0.0, 1.0
    for grade in q.top:
        total += look * q.p(grade)
        look *= (1 - q.p(grade)) * (1 - q.param("p_break"))
    return total


def rbp(q):
    p = q.param("p")
    if q.param("rel") == "gain":
        best = 4 if q.scale is None else max(level.gain for level in q.scale.levels)
        worth = [q.gain(grade) / best for grade in q.top]
    else:
        worth = [q.relevant(grade) for grade in q.top]
    return (1 - p) * sum(p**i * w for i, w in enumerate(worth))


DEFINITIONS = {
    "P": precision,
    "R": recall,
    "SetR": recall,
    "R_cap": capped_recall,
    "F": f_measure,
    "F1": f_measure,
    "SetF": set_f,
    "SetP": set_precision,
    "SetAP": lambda q: _ratio(q.hits(q.k) ** 2, len(q.ranked) * q.big_r),
    "Success": lambda q: float(q.hits(q.k) > 0),
    "RR": reciprocal_rank,
    "AP": average_precision,
    "GMAP": average_precision,
    "Rprec": r_precision,
    "IPrec": lambda q: interpolated(q, q.param("recall")),
    "11pt": eleven_point,
    "Bpref": bpref,
    "GMBpref": bpref,
    "infAP": inferred_ap,
    "CG": lambda q: sum(q.gain(grade) for grade in q.top),
    "DCG": lambda q: dcg_of(q.gain(grade) for grade in q.top),
    "nDCG": ndcg,
    "ERR": err,
    "pFound": pfound,
    "RBP": rbp,
    "NumRel": lambda q: q.big_r,
    "NumRelRet": lambda q: q.hits(len(q.ranked)),
    "NumNonrelRet": lambda q: sum(g is not None for g in q.ranked) - q.hits(len(q.ranked)),
}


def value(measure, ranked, missing=(), scale=None):
    """Return a measure's value of one ranking, 0 where it is undefined."""
    return float(DEFINITIONS[measure.name](Judged(ranked, missing, measure, scale)))
