"""How values that ask only whether documents are relevant come about."""

import numpy as np

from judgetool.metrics.bounds_values import EPSILON, need_for_recall, number
from judgetool.metrics.explain_parts import Column, Parts, Subject
from judgetool.metrics.query_grades import BoolArray, FloatArray

RELEVANT = Column("relevant", "rel.", 0)
FOUND = Column("found", "found", 0)
PRECISION = Column("precision", "P@rank")
ADDS = Column("adds", "adds")
TOTAL = Column("total", "total", is_main=False)


def explain_found(subject: Subject) -> Parts:
    """P, R, R_cap, the set measures and counts: relevant documents found, divided."""
    relevant = subject.worth
    columns = {RELEVANT: relevant, FOUND: np.cumsum(relevant)}
    below, divisor = _divisor_of_found(subject)
    return Parts(columns, "relevant", "relevant found", below, divisor)


def _divisor_of_found(subject: Subject) -> tuple[str, float | None]:
    measure, total, depth = subject.measure, subject.n_relevant, float(subject.depth)
    kernel = measure.spec.kernel
    if kernel in ("recall", "set_recall"):
        return "R", total
    if kernel == "capped_recall":
        return "min(k, R)", min(depth, total)
    if kernel == "set_precision" and measure.param("relative"):
        return "min(n, R)", min(depth, total)
    if kernel == "precision" and measure.param("over") == "retrieved":
        return "min(k, n)", float(min(depth, subject.length))
    if kernel in ("precision", "set_precision"):
        return ("n" if measure.cutoff is None else "k"), depth
    return "", None


def explain_f(subject: Subject) -> Parts:
    """F1, F, SetF: (1 + β²) found ÷ (β² R + k), which is the harmonic mean."""
    relevant = subject.worth
    beta = number(subject.measure, "beta", 1.0)
    square = beta if subject.measure.spec.kernel == "set_f" else beta * beta
    total, depth = subject.n_relevant, float(subject.depth)
    found = float(relevant.sum())
    notes: tuple[str, ...] = ()
    if total and depth:
        notes = (f"P = {found / depth:.4f}", f"R = {found / total:.4f}")
    size = "n" if subject.measure.cutoff is None else "k"
    weight = "" if square == 1 else f"{square:g} "
    return Parts(
        {RELEVANT: relevant, FOUND: np.cumsum(relevant)},
        "relevant",
        "relevant found",
        f"{weight}R + {size}",
        square * total + depth if total else 0.0,
        factor=1.0 + square,
        notes=notes,
    )


def explain_set_ap(subject: Subject) -> Parts:
    """SetAP: found² ÷ (n R), so that each relevant document adds all that are found."""
    relevant = subject.worth
    adds = relevant * relevant.sum()
    return Parts(
        {RELEVANT: relevant, FOUND: np.cumsum(relevant), ADDS: adds},
        "adds",
        "found²",
        "n × R",
        subject.length * subject.n_relevant,
    )


def explain_first(subject: Subject) -> Parts:
    """RR, Success: the first relevant document alone."""
    relevant = subject.worth
    is_first = (relevant > 0) & (np.cumsum(relevant) == 1)
    is_rank = subject.measure.spec.kernel == "reciprocal_rank"
    adds = np.where(is_first, 1.0 / subject.ranks if is_rank else 1.0, 0.0)
    first = int(is_first.argmax()) + 1 if is_first.any() else None
    line = "no relevant document among these ranks"
    if first is not None:
        line = f"1 ÷ {first}" if is_rank else f"relevant at rank {first}"
    head = Column("adds", "1 ÷ rank") if is_rank else Column("adds", "first", 0)
    return Parts({RELEVANT: relevant, head: adds}, "adds", "first relevant", line=line)


def explain_average_precision(subject: Subject) -> Parts:
    """AP: the precision at each relevant document, added and divided."""
    relevant = subject.worth
    found = np.cumsum(relevant)
    precision = found / subject.ranks
    adds = relevant * precision
    norm = subject.measure.param("norm") if subject.measure.has_param("norm") else "relevant"
    depth, total = float(subject.depth), subject.n_relevant
    below, divisor = {
        "relevant": ("R", total),
        "k": ("n" if subject.measure.cutoff is None else "k", depth),
        "found": ("found", float(relevant.sum())),
        "min": ("min(k, R)", min(depth, total)),
    }[str(norm)]
    columns = {
        RELEVANT: relevant,
        FOUND: found,
        PRECISION: precision,
        ADDS: adds,
        TOTAL: np.cumsum(adds),
    }
    return Parts(columns, "adds", "Σ precision", below, divisor)


def explain_r_precision(subject: Subject) -> Parts:
    """Rprec: relevant documents among the first R."""
    relevant = subject.worth
    total = subject.n_relevant
    mult = number(subject.measure, "mult", 1.0)
    depth = np.floor(mult * total + 0.9)
    counted = np.where(subject.ranks <= depth, relevant, 0.0)
    return Parts(
        {RELEVANT: relevant, ADDS: counted},
        "adds",
        f"found in the first {int(depth)}",
        "R" if mult == 1 else "ranks",
        float(depth),
    )


def explain_interpolated(subject: Subject) -> Parts:
    """IPrec and 11pt: the best precision at or after each recall, where it stands."""
    relevant = subject.worth
    found = np.cumsum(relevant)
    precision = found / subject.ranks
    is_mean = subject.measure.spec.kernel == "eleven_point"
    points = [step / 10 for step in range(11)]
    if not is_mean:
        points = [number(subject.measure, "recall", 0.0)]
    adds = np.zeros(len(found))
    for point in points:
        best = _best_place(subject, point, (found, precision))
        if best is not None:
            adds[best] += precision[best]
    columns = {RELEVANT: relevant, FOUND: found, PRECISION: precision}
    if subject.n_relevant:
        columns[Column("recall", "recall", is_main=False)] = found / subject.n_relevant
    columns[ADDS if is_mean else Column("adds", "taken")] = adds
    if is_mean:
        return Parts(columns, "adds", "Σ best precision", "recall levels", 11.0)
    return Parts(columns, "adds", f"best precision from recall {points[0]:g} on")


def _best_place(
    subject: Subject, point: float, counts: tuple[FloatArray, FloatArray]
) -> int | None:
    found, precision = counts
    total = subject.n_relevant
    need = float(need_for_recall(subject.measure, point, np.array([total]))[0])
    is_reached = found >= need
    if not total or not is_reached.any():
        return None
    return int(np.where(is_reached, precision, -1.0).argmax())


def explain_bpref(subject: Subject) -> Parts:
    """Bpref: what share of the judged non-relevant each relevant document stands above."""
    relevant, is_judged = subject.worth, subject.is_judged
    total = subject.n_relevant
    limit = min(subject.grades.n_judged - total, total)
    above = np.cumsum(is_judged & (relevant == 0)).astype(np.float64)
    lost = np.minimum(above, total) / limit if limit else np.zeros(len(above))
    columns = {
        RELEVANT: relevant,
        Column("nonrelevant_above", "non-rel. above", 0): above,
        ADDS: relevant * (1.0 - lost),
    }
    note = f"Each non-relevant one above takes 1 ÷ {limit:g}." if limit else ""
    return Parts(columns, "adds", "Σ", "R", total, notes=(note,) if note else ())


def explain_inferred_ap(subject: Subject) -> Parts:
    """InfAP: the expected precision at each relevant document."""
    grades = subject.grades
    relevant, is_judged = subject.worth, subject.is_judged
    pooled = is_judged if grades.pooled is None else grades.pooled
    before = np.cumsum(relevant) - relevant
    known = _count_before(is_judged)
    in_pool = _count_before(pooled)
    likely = (before + EPSILON) / (known + 2 * EPSILON)
    expected = (1.0 + in_pool * likely) / subject.ranks
    adds = relevant * expected
    columns = {
        RELEVANT: relevant,
        Column("pooled_above", "pooled above", 0, is_main=False): in_pool,
        Column("expected_precision", "expected P"): expected,
        ADDS: adds,
        TOTAL: np.cumsum(adds),
    }
    return Parts(columns, "adds", "Σ expected precision", "R", subject.n_relevant)


def _count_before(marks: BoolArray) -> FloatArray:
    counts = np.cumsum(marks, dtype=np.float64)
    return np.asarray(counts - marks, dtype=np.float64)


def explain_share(subject: Subject) -> Parts:
    """Judged, Unjudged: how many of these ranks somebody judged."""
    is_judged = subject.is_judged.astype(np.float64)
    wants_judged = subject.measure.spec.kernel == "judged_share"
    counted = is_judged if wants_judged else 1.0 - is_judged
    head = Column("adds", "judged" if wants_judged else "unjudged", 0)
    below = "n" if subject.measure.cutoff is None else "min(k, n)"
    return Parts({head: counted}, "adds", head.head, below, float(len(counted)))


def explain_click_through(subject: Subject) -> Parts:
    """CTR: clicks of these ranks by their impressions."""
    none = np.zeros(len(subject.places))
    clicked, shown = (
        none if each is None else each[subject.places]
        for each in (subject.grades.clicked, subject.grades.shown)
    )
    columns = {Column("adds", "clicks", 0): clicked, Column("shown", "impressions", 0): shown}
    return Parts(columns, "adds", "clicks", "impressions", "shown")


def explain_count(subject: Subject) -> Parts:
    """NumRel, NumRelRet, NumNonrelRet, NumRet: a count, and what the ranking lacks."""
    kernel = subject.measure.spec.kernel
    relevant = subject.worth
    if kernel == "num_nonrelevant_returned":
        counted = np.where(subject.is_judged, 1.0 - relevant, 0.0)
        return Parts(
            {Column("adds", "non-rel.", 0): counted}, "adds", "non-relevant returned", is_count=True
        )
    if kernel == "num_returned" and subject.measure.param("rel") is None:
        return Parts(
            {Column("adds", "counted", 0): np.ones(len(relevant))},
            "adds",
            "returned",
            is_count=True,
        )
    columns = {RELEVANT: relevant, FOUND: np.cumsum(relevant)}
    if kernel != "num_relevant":
        return Parts(columns, "relevant", "relevant returned", is_count=True)
    lacking = subject.n_relevant - float(relevant.sum())
    note = f"{relevant.sum():g} in the ranking and {lacking:g} that it lacks."
    return Parts(columns, "relevant", "relevant", constant=lacking, notes=(note,), is_count=True)
