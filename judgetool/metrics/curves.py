"""Curves as data: points to draw, to export, or to read aloud.

They count as the table does: what stands for a value is the engine's own, or follows the same conventions.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from judgetool.core.scale import Scale
from judgetool.metrics.block import Block, grading_of, worth_of
from judgetool.metrics.conventions import CONVENTION_PRESETS, Conventions
from judgetool.metrics.engine import Engine
from judgetool.metrics.explain import explain_value, find_subject, has_explanation
from judgetool.metrics.grades import QueryGrades
from judgetool.metrics.measure import Measure
from judgetool.metrics.measures_relevance import ELEVEN_POINTS
from judgetool.metrics.terms import BoolArray, FloatArray, discounts
from judgetool.metrics.values import OK, RunValueTable, SparseTops

# What the engine says of measures, of one ranking or over queries; None where it says nothing.
Values = Callable[[Sequence[Measure]], Sequence[float | None]]
_OF_RELEVANCE = ("rel", "judged_only")
_OF_GAIN = ("dcg", "gains", "ideal", "judged_only")


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


def measure_beside(measure: Measure, name: str, conventions: Conventions) -> Measure:
    """Return the measure that is drawn beside another, which counts what that one counts.

    Args:
        measure: what is looked at.
        name: ``AP`` for what is relevant, ``nDCG`` for gains.
        conventions: their preset says what the bare name stands for.
    """
    preset, usual = CONVENTION_PRESETS.get(conventions.preset), Measure(name)
    if preset is not None and measure.name != name:
        usual = preset.rewrite(usual)
    asked = _OF_GAIN if name == "nDCG" else _OF_RELEVANCE
    # Precision and recall count documents, whatever is added up for one that is relevant.
    own = {key: value for key, value in measure.params if key in asked and value != "gain"}
    return usual.with_params(**own)


def precision_recall_points(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> Curve | None:
    """Return precision and recall at each rank that holds a relevant document.

    Args:
        measure: AP, which says what is relevant, as :func:`measure_beside` has it.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: the policy, as for :func:`explain_value`.

    Returns:
        Empty when nothing relevant is retrieved; ``None`` when the query has no
        relevant document, as recall is undefined then.
    """
    tops = find_subject(measure, grades, scale, leave_out_unjudged=leave_out_unjudged).tops
    total = float(worth_of(measure, scale).of(grades.judged).sum())
    if not total:
        return None
    at = np.flatnonzero(tops.worth[0])
    found = np.arange(1.0, len(at) + 1)
    return Curve("precision and recall", found / total, found / (at + 1.0), "recall", "precision")


def interpolated_precision_recall(measure: Measure, values: Values) -> Curve | None:
    """Return the precision at the eleven recalls 0, 0.1, …, 1, as ``IPrec@r`` has it.

    Args:
        measure: AP, which says what is relevant, as :func:`measure_beside` has it.
        values: of one ranking, or over queries.

    Returns:
        ``None`` where it has no value, as there is no relevant document.
    """
    found = values([Measure("IPrec", (*measure.params, ("recall", r))) for r in ELEVEN_POINTS])
    if any(value is None for value in found):
        return None
    levels, y = np.array(ELEVEN_POINTS), np.array(found, dtype=np.float64)
    return Curve("interpolated precision", levels, y, "recall", "precision")


def dcg_by_rank(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> tuple[Curve, Curve]:
    """Return DCG after each rank, and that of the ideal order: what nDCG divides it by there.

    Args:
        measure: nDCG with any parameters; up to its cutoff, else to the end of both.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: the policy, as for :func:`explain_value`.

    Returns:
        The ranking's curve and the ideal one, of the same length; a line goes on level
        where its documents have ended. Both are empty if there is nothing to draw.
    """
    tops = find_subject(measure, grades, scale, leave_out_unjudged=leave_out_unjudged).tops
    own, best = tops.worth[0], tops.ideal_gains[0]
    n = max(len(own), min(len(best), measure.cutoff or len(best)))
    actual, ideal = (
        np.cumsum(np.pad(gains, (0, max(0, n - len(gains)))) * discounts(max(n, len(gains))))
        for gains in (own, best)
    )
    if measure.values["ideal"] == "uncut" and n:
        ideal[:] = ideal[-1]
    line, ideal_line = _dcg_curves(np.arange(1.0, n + 1), actual, ideal[:n])
    return line._replace(held_to=float(len(own))), ideal_line


def _dcg_curves(ranks: FloatArray, actual: FloatArray, ideal: FloatArray) -> tuple[Curve, Curve]:
    return (
        Curve("DCG", ranks, actual, "rank", "DCG"),
        Curve("ideal", ranks, ideal, "rank", "DCG"),
    )


def value_by_cutoff(measure: Measure, values: Values, cutoffs: Sequence[int]) -> Curve:
    """Return a measure's value against k.

    Args:
        measure: one that takes a cutoff; its own does not matter.
        values: of one ranking, or over queries.
        cutoffs: values of k, rising.

    Returns:
        One point per cutoff at which there is a value.

    Raises:
        MeasureError: the measure takes no cutoff.
    """
    found = values([measure.with_cutoff(k) for k in cutoffs])
    points = [(k, value) for k, value in zip(cutoffs, found, strict=True) if value is not None]
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
    measure: Measure, engine: Engine, key: int, *, depth: int, kept: BoolArray | None = None
) -> tuple[Curve, Curve]:
    """Return the mean of DCG after each rank, and that of the ideal orders of the same queries.

    Args:
        measure: nDCG with any parameters.
        engine: has the run; its measures become others.
        key: of the run.
        depth: ranks, at least 1.
        kept: the queries that are drawn alone, shape (n_queries,); ``None`` for all.

    Returns:
        Both empty when there is no query to take a mean over.
    """
    gain = Measure("DCG")
    gain = gain.with_params(**{key: value for key, value in measure.params if gain.has_param(key)})
    at = range(1, depth + 1)
    engine.set_measures([gain.with_cutoff(k) for k in at])
    table = engine.moment(key) if kept is None else engine.moment(key).of_part(kept)
    facts = engine.run_facts(key)
    block = Block(facts.graded, facts.lengths, facts.judged, grading=grading_of(engine.scale))
    leaves_out = engine.conventions.leaves_out_unjudged
    if measure.takes_out_unjudged(leave_out_unjudged=leaves_out):
        block = block.condensed
    ideals = np.column_stack([SparseTops(block, measure.with_cutoff(k)).ideal for k in at])
    best = replace(table, values=np.where(table.status == OK, ideals, 0.0))

    def means(of: RunValueTable) -> list[float | None]:
        found = of.means(engine.measures, engine.conventions, engine.mean_weights)
        return [mean.value for mean in found]

    lines = [np.array(means(each), dtype=np.float64) for each in (table, best)]
    n = 0 if np.isnan(lines).any() else depth
    own, ideal = _dcg_curves(np.arange(1.0, n + 1), *(line[:n] for line in lines))
    longest = block.lengths[table.is_counted].max(initial=0)
    return own._replace(held_to=float(longest)), ideal
