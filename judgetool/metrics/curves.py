"""Curves as data: points to draw, to export, or to read aloud."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Block, grading_of, worth_of
from judgetool.metrics.explain import explain_value, find_subject, has_explanation
from judgetool.metrics.grades import QueryGrades, compute_values_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.measures_relevance import ELEVEN_POINTS
from judgetool.metrics.rankings import RunFacts
from judgetool.metrics.terms import FloatArray, discounts
from judgetool.metrics.values import compute_values, unlike


class Curve(NamedTuple):
    """Points of one line.

    Attributes:
        label: of the line.
        x: rising, shape (n,).
        y: shape (n,).
        x_label: what x is: ``rank``, ``recall``, ``k``.
        y_label: what y is.
        held_to: the last x at which a document stands; after it the line only goes on level.
    """

    label: str
    x: FloatArray
    y: FloatArray
    x_label: str
    y_label: str
    held_to: float = math.inf


def precision_recall_points(grades: QueryGrades, scale: Scale | None) -> Curve | None:
    """Return precision and recall at each rank that holds a relevant document.

    Args:
        grades: of the query.
        scale: ``None`` for TREC 0-4.

    Returns:
        Empty when nothing relevant is retrieved; ``None`` when the query has no
        relevant document, as recall is undefined then.
    """
    of = worth_of(Measure("AP"), scale).of
    relevant, total = of(grades.ranked), float(of(grades.judged).sum())
    if not total:
        return None
    at = np.flatnonzero(relevant)
    found = np.arange(1.0, len(at) + 1)
    return Curve("precision and recall", found / total, found / (at + 1.0), "recall", "precision")


def interpolated_precision_recall(grades: QueryGrades, scale: Scale | None) -> Curve | None:
    """Return the precision at the eleven recalls 0, 0.1, …, 1, as ``IPrec@r`` has it.

    Args:
        grades: of the query.
        scale: ``None`` for TREC 0-4.

    Returns:
        ``None`` when the query has no relevant document.
    """
    measures = [Measure("IPrec", (("recall", level),)) for level in ELEVEN_POINTS]
    values = compute_values_of(measures, grades, scale)
    if any(value is None for value in values):
        return None
    levels, y = np.array(ELEVEN_POINTS), np.array(values, dtype=np.float64)
    return Curve("interpolated precision", levels, y, "recall", "precision")


def dcg_by_rank(measure: Measure, grades: QueryGrades, scale: Scale | None) -> tuple[Curve, Curve]:
    """Return DCG after each rank, and that of the ideal order.

    Args:
        measure: nDCG with any parameters; up to its cutoff, else to the end of both.
        grades: of the query.
        scale: ``None`` for TREC 0-4.

    Returns:
        The ranking's curve and the ideal one, of the same length; a line goes on level
        where its documents have ended. Both are empty if there is nothing to draw.
    """
    tops = find_subject(measure, grades, scale, leave_out_unjudged=False).tops
    lists = (tops.worth[0], tops.ideal_gains[0])
    n = max(map(len, lists))
    ranks, weights = np.arange(1.0, n + 1), discounts(n)
    actual, ideal = (np.cumsum(np.pad(gains, (0, n - len(gains))) * weights) for gains in lists)
    own, best = _dcg_curves(ranks, actual, ideal)
    return own._replace(held_to=float(len(lists[0]))), best


def _dcg_curves(ranks: FloatArray, actual: FloatArray, ideal: FloatArray) -> tuple[Curve, Curve]:
    return (
        Curve("DCG", ranks, actual, "rank", "DCG"),
        Curve("ideal", ranks, ideal, "rank", "DCG"),
    )


def value_by_cutoff(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    cutoffs: Sequence[int] | None = None,
) -> Curve:
    """Return a measure's value against k.

    Args:
        measure: one that takes a cutoff; its own does not matter.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        cutoffs: values of k, rising; ``None`` for every k to the end of the ranking, at most 100.

    Returns:
        One point per cutoff at which the value is defined.

    Raises:
        MeasureError: the measure takes no cutoff.
    """
    if cutoffs is None:
        cutoffs = range(1, min(100, grades.n_retrieved) + 1)
    values = compute_values_of([measure.with_cutoff(k) for k in cutoffs], grades, scale)
    points = [(k, value) for k, value in zip(cutoffs, values, strict=True) if value is not None]
    table = np.array(points, dtype=np.float64).reshape(-1, 2)
    return Curve(f"{measure.name}@k", table[:, 0], table[:, 1], "k", measure.name)


def contribution_by_rank(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> Curve | None:
    """Return what each rank adds to the value; the contributions add up to it.

    Args:
        measure: any of the table.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: the policy, as for :func:`explain_value`.

    Returns:
        ``None`` when the value is undefined, or no sum over ranks (the correlations,
        NumRel and RBPres, which count what no rank holds).
    """
    is_order = measure.spec.uses == "grade"
    if not has_explanation(measure) or is_order or measure.name in ("NumRel", "RBPres"):
        return None
    explanation = explain_value(measure, grades, scale, leave_out_unjudged=leave_out_unjudged)
    key = explanation.foot[0].key
    total = explanation.column_sum(key)
    if explanation.value is None:
        return None
    place = [column.key for column in explanation.columns].index(key)
    rows = [row for row in explanation.rows if row.rank is not None and row.counted_as is not None]
    adds = np.array([row.cells[place] or 0.0 for row in rows])
    share = explanation.value / total if total else 0.0
    ranks = np.array([float(row.rank or 0) for row in rows])
    return Curve(f"{measure} by rank", ranks, adds * share, "rank", f"adds to {measure}")


def mean_dcg_by_rank(
    measure: Measure,
    facts: RunFacts,
    scale: Scale | None,
    *,
    depth: int,
    weights: FloatArray | None = None,
) -> tuple[Curve, Curve]:
    """Return DCG after each rank as a mean over the judged queries, and that of the ideal order.

    Args:
        measure: nDCG with any parameters.
        facts: of a whole run.
        scale: ``None`` for TREC 0-4.
        depth: ranks, at least 1.
        weights: of the queries in the mean, above 0, shape (n_queries,); ``None`` for all alike.
    """
    of, graded, judged = worth_of(measure, scale).of, facts.graded, facts.judged
    is_judged = judged.counts > 0
    shares = np.ones(len(is_judged)) if weights is None else weights
    total = float(shares[is_judged].sum()) or 1.0
    ranks, by_depth = np.arange(1.0, depth + 1), discounts(depth)
    lines = []
    sides = (
        (graded.ranks, graded.grades, graded.rows),
        (judged.ranks, judged.grades, judged.queries),
    )
    for at, grades, queries in sides:
        is_counted = (at <= depth) & (grades >= 0)
        gains = of(grades[is_counted]) * shares[queries[is_counted]]
        by_rank = np.bincount(at[is_counted] - 1, weights=gains, minlength=depth)
        lines.append(np.cumsum(by_rank * by_depth) / total)
    own, best = _dcg_curves(ranks, *lines)
    longest = facts.lengths[is_judged].max(initial=0)
    return own._replace(held_to=float(longest)), best


def mean_by_cutoff(
    measure: Measure,
    facts: RunFacts,
    scale: Scale | None,
    *,
    cutoffs: Sequence[int],
    leave_out_unjudged: bool = False,
    weights: FloatArray | None = None,
) -> Curve:
    """Return a measure's mean over the judged queries against k, undefined values as 0.

    Args:
        measure: one that takes a cutoff; its own does not matter.
        facts: of a whole run.
        scale: ``None`` for TREC 0-4.
        cutoffs: values of k, rising.
        leave_out_unjudged: the policy, as for :func:`explain_value`.
        weights: of the queries in the mean, above 0, shape (n_queries,); ``None`` for all alike.

    Returns:
        Empty when nothing is judged.

    Raises:
        MeasureError: the measure takes no cutoff.
    """
    measures = [measure.with_cutoff(k) for k in cutoffs]
    means = judged_means(
        measures, facts, scale, leave_out_unjudged=leave_out_unjudged, weights=weights
    )
    x = np.array(cutoffs[: len(means)], dtype=np.float64)
    return Curve(f"{measure.name}@k", x, means, "k", measure.name)


def judged_means(
    measures: Sequence[Measure],
    facts: RunFacts,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return the means of a whole run over its judged queries, undefined values as 0.

    Arguments as for :func:`mean_by_cutoff`.

    Returns:
        Shape (n_measures,); empty when nothing is judged.
    """
    is_judged = facts.judged.counts > 0
    if not is_judged.any():
        return np.zeros(0)
    block = Block(facts.graded, facts.lengths, facts.judged, grading=grading_of(scale))
    values = compute_values(block, measures, leave_out_unjudged=leave_out_unjudged)
    counted = np.nan_to_num(values[is_judged])
    means: FloatArray = counted.mean(axis=0)
    shares = unlike(weights)
    if shares is not None:
        means = np.average(counted, axis=0, weights=shares[is_judged])
    return means
