"""Explain: the arithmetic of a value, rank by rank, down to the last division.

An explanation is the value's own computation laid out: its rows add up to the
value that the engine shows, to 12 digits.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from judgetool.core.scale import Scale, format_grade
from judgetool.metrics import explain_binary as binary
from judgetool.metrics import explain_graded as graded
from judgetool.metrics.bounds_points import compute_value
from judgetool.metrics.bounds_worth import ceiling_of
from judgetool.metrics.explain_parts import Column, Parts, Subject, find_subject, sum_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.query_grades import FloatArray, QueryGrades

__all__ = [
    "Column",
    "ExplainedRow",
    "Explanation",
    "FootCell",
    "explain_value",
    "format_operand",
    "has_explanation",
    "undefined_reason",
]


@dataclass(frozen=True, slots=True)
class ExplainedRow:
    """One document of an explanation, or one place of the ideal order alone.

    Attributes:
        rank: in the ranking, from 1; ``None`` where only the ideal order goes on.
        counted_as: rank that the measure gives it; ``None`` if it is left out.
        grade: ``None`` where nobody judged, and where there is no document.
        is_judged: whether somebody judged it.
        cells: one number per column; ``None`` is an empty cell.
    """

    rank: int | None
    counted_as: int | None
    grade: float | None
    is_judged: bool
    cells: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class FootCell:
    """A sum below a column.

    Attributes:
        key: of the column; empty for a divisor that is no column's sum.
        label: what it is.
        value: the number.
    """

    key: str
    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """A value with its arithmetic.

    Attributes:
        measure: what is explained.
        value: as the engine computes it; ``None`` when undefined.
        reason: why it is undefined, in plain words; else empty.
        columns: after rank and grade; a narrow panel shows those that are main.
        rows: by rank, up to the cutoff or the end of the ranking; a longer ideal goes on.
        foot: sums below the columns.
        arithmetic: the last line, such as ``5.464 ÷ 5.823 = 0.9383``.
        above: Σ of the column that adds up, times factor.
        below: divisor; ``None`` when there is none.
        policy: what unjudged documents count as, and how many there are; empty if none.
        notes: further sentences.
    """

    measure: Measure
    value: float | None
    reason: str
    columns: tuple[Column, ...]
    rows: tuple[ExplainedRow, ...]
    foot: tuple[FootCell, ...]
    arithmetic: str
    above: float
    below: float | None
    policy: str
    notes: tuple[str, ...]

    @property
    def main_columns(self) -> tuple[int, ...]:
        """Places of the columns that a narrow panel shows."""
        return tuple(place for place, column in enumerate(self.columns) if column.is_main)

    def column_sum(self, key: str) -> float:
        """Return the sum of a column over all rows, empty cells as 0.

        Raises:
            KeyError: there is no such column.
        """
        keys = [column.key for column in self.columns]
        if key not in keys:
            raise KeyError(key)
        place = keys.index(key)
        return sum(row.cells[place] or 0.0 for row in self.rows)


_EXPLAINERS: dict[str, Callable[[Subject], Parts]] = {
    "precision": binary.explain_found,
    "recall": binary.explain_found,
    "capped_recall": binary.explain_found,
    "set_precision": binary.explain_found,
    "set_recall": binary.explain_found,
    "f_measure": binary.explain_f,
    "set_f": binary.explain_f,
    "set_ap": binary.explain_set_ap,
    "success": binary.explain_first,
    "reciprocal_rank": binary.explain_first,
    "r_precision": binary.explain_r_precision,
    "average_precision": binary.explain_average_precision,
    "interpolated_precision": binary.explain_interpolated,
    "eleven_point": binary.explain_interpolated,
    "bpref": binary.explain_bpref,
    "inferred_ap": binary.explain_inferred_ap,
    "judged_share": binary.explain_share,
    "unjudged_share": binary.explain_share,
    "num_returned": binary.explain_count,
    "num_relevant": binary.explain_count,
    "num_relevant_returned": binary.explain_count,
    "num_nonrelevant_returned": binary.explain_count,
    "cumulated_gain": graded.explain_cumulated_gain,
    "dcg": graded.explain_dcg,
    "ndcg": graded.explain_ndcg,
    "err": graded.explain_err,
    "pfound": graded.explain_pfound,
    "rbp": graded.explain_rbp,
    "rbp_residual": graded.explain_rbp_residual,
    "tau": graded.explain_tau,
    "tau_ap": graded.explain_tau_ap,
    "rho": graded.explain_rho,
    "rbo": graded.explain_rbo,
    "compatibility": graded.explain_compatibility,
    "click_through": binary.explain_click_through,
}


_ORDERS = ("tau", "tau_ap", "rho")


def has_explanation(measure: Measure) -> bool:
    """Return whether a measure's value adds up from rows: all but NumQ."""
    return measure.spec.kernel in _EXPLAINERS


def explain_value(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> Explanation:
    """Return how one query's value comes about.

    Args:
        measure: any of the table.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: the policy: unjudged documents are taken out of the ranking
            first (condensed list) rather than counted as not relevant.

    Returns:
        For a measure without an explanation the documents with their grades, no columns,
        and the formula as the last line.

    Examples:
        >>> from judgetool.core.scale import scale_preset
        >>> from judgetool.metrics.grammar import parse_measure
        >>> grades = QueryGrades(np.array([3.0, 1.0, 3.0, 0.0, 1.0]))
        >>> explain_value(parse_measure("nDCG@5"), grades, scale_preset("0-3")).arithmetic
        '5.518 ÷ 5.823 = 0.9475'
    """
    subject = find_subject(measure, grades, scale, leave_out_unjudged=leave_out_unjudged)
    value = compute_value(measure, grades, scale, leave_out_unjudged=leave_out_unjudged)
    if measure.spec.uses == "clicks":
        value = _click_value(measure, grades)
    reason = undefined_reason(measure, grades, scale)
    if reason:
        value = None
    elif value is None:
        reason = _why_no_value(measure, grades)
    explain = _EXPLAINERS.get(measure.spec.kernel)
    parts = Parts({}, "", measure.spec.formula) if explain is None else explain(subject)
    below = _below(parts)
    return Explanation(
        measure=measure,
        value=value,
        reason=reason,
        columns=tuple(parts.columns),
        rows=_rows(subject, list(parts.columns.values())),
        foot=_foot(parts, below),
        arithmetic=_arithmetic(parts, below, value),
        above=_above(parts),
        below=below,
        policy=_policy(subject),
        notes=parts.notes,
    )


def undefined_reason(measure: Measure, grades: QueryGrades, scale: Scale | None) -> str:
    """Return in plain words why a measure has no value for a query, as the engine does.

    Returns:
        An empty text when nothing of the grades alone forbids a value.
    """
    judged = grades.judged
    if measure.spec.uses == "clicks":
        is_known = _click_value(measure, grades) is not None
        return "" if is_known else "no clicks are known of the documents it looks at"
    if not len(judged):
        return "no document of this query is judged"
    top, highest = ceiling_of(measure, scale), float(judged.max())
    if highest > top:
        return (
            f"grade {format_grade(highest)} is above {format_grade(top)}, the highest it can read"
        )
    return ""


def _click_value(measure: Measure, grades: QueryGrades) -> float | None:
    """Return clicks by impressions of the first k; ``None`` where none was shown."""
    if grades.clicked is None or grades.shown is None:
        return None
    shown = float(grades.shown[: measure.cutoff].sum())
    return float(grades.clicked[: measure.cutoff].sum()) / shown if shown else None


def _why_no_value(measure: Measure, grades: QueryGrades) -> str:
    if measure.spec.uses == "grade" and not measure.spec.divides_by_relevant:
        return "fewer than two different grades among the judged documents of the ranking"
    if grades.n_judged == 1:
        return "its one judged document is not relevant"
    return f"none of its {grades.n_judged:,} judged documents is relevant"


def _above(parts: Parts) -> float:
    return parts.factor * (sum_of(parts, parts.adds) + parts.constant) if parts.adds else 0.0


def _below(parts: Parts) -> float | None:
    return sum_of(parts, parts.divisor) if isinstance(parts.divisor, str) else parts.divisor


def _rows(subject: Subject, columns: list[FloatArray]) -> tuple[ExplainedRow, ...]:
    n_counted = len(subject.places)
    n_rows = max([n_counted, *map(len, columns)])
    table = np.full((n_rows, len(columns)), np.nan)
    for place, numbers in enumerate(columns):
        table[: len(numbers), place] = numbers
    cells = [tuple(None if np.isnan(cell) else cell for cell in row) for row in table.tolist()]
    counted_as = {int(place): index for index, place in enumerate(subject.places)}
    empty = (None,) * len(columns)
    # Documents that are left out stand where they were found, without numbers.
    last = int(subject.places[-1]) + 1 if n_counted else 0
    rows = []
    for place, grade in enumerate(subject.grades.ranked[:last].tolist()):
        index = counted_as.get(place)
        is_judged = not np.isnan(grade)
        rows.append(
            ExplainedRow(
                rank=place + 1,
                counted_as=None if index is None else index + 1,
                grade=grade if is_judged else None,
                is_judged=is_judged,
                cells=empty if index is None else cells[index],
            )
        )
    rows += [
        ExplainedRow(None, index + 1, None, is_judged=False, cells=cells[index])
        for index in range(n_counted, n_rows)
    ]
    return tuple(rows)


def _foot(parts: Parts, below: float | None) -> tuple[FootCell, ...]:
    if not parts.adds:
        return ()
    cells = [FootCell(parts.adds, parts.above, sum_of(parts, parts.adds) + parts.constant)]
    if below is not None:
        key = parts.divisor if isinstance(parts.divisor, str) else ""
        cells.append(FootCell(key, parts.below, below))
    return tuple(cells)


def _arithmetic(parts: Parts, below: float | None, value: float | None) -> str:
    if not parts.adds:
        shown = "undefined" if value is None else f"{value:.4f}"
        return f"{parts.above}; here {shown}"
    decimals = {column.key: column.decimals for column in parts.columns}
    total = float(sum_of(parts, parts.adds)) + parts.constant
    result = "undefined" if value is None else f"{value:.4f}"
    if parts.is_count:
        result = f"{total:.0f}"
    line = parts.line or parts.above
    if below is not None:
        factor = "" if parts.factor == 1 else f"{format_operand(parts.factor)} × "
        # Sums show as many decimals as their columns.
        top = f"{total:.{decimals[parts.adds]}f}"
        bottom = format_operand(below)
        if isinstance(parts.divisor, str):
            bottom = f"{below:.{decimals[parts.divisor]}f}"
        line = f"{factor}{top} ÷ {bottom}"
    return f"{line} is undefined" if value is None else f"{line} = {result}"


def format_operand(number: float) -> str:
    """Return a number as it stands in a line: counts as they are, others with three decimals."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.3f}"


def _policy(subject: Subject) -> str:
    measure, grades = subject.measure, subject.grades
    n_judged, n_ranks = grades.count_judged_in_top(measure.cutoff)
    if n_judged == n_ranks or measure.spec.kernel in ("judged_share", "unjudged_share"):
        return ""
    counted = f"{n_ranks - n_judged} of {n_ranks} unjudged"
    if measure.spec.kernel in ("bpref", *_ORDERS):
        return f"{counted}: they play no part."
    if subject.length < grades.n_retrieved:
        return f"{counted}: left out of the ranking."
    return f"{counted}: counted as not relevant."
