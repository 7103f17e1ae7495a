"""Explanations as plain text and as JSON, for the command and for exports."""

from collections.abc import Sequence
from typing import Any

from judgetool.core.scale import format_grade
from judgetool.metrics.explain import ExplainedRow, Explanation, FootCell, format_operand
from judgetool.metrics.terms import Column

UNJUDGED = "–"
MAX_LABEL = 40


def format_explanation(
    explanation: Explanation, documents: Sequence[str] = (), *, is_wide: bool = False
) -> str:
    """Return an explanation as lines of text, without a newline at the end.

    Args:
        explanation: what to show.
        documents: ids by rank, shown in the last column; may be empty.
        is_wide: whether to show all columns rather than the main ones.
    """
    shown = [place for place, column in enumerate(explanation.columns) if is_wide or column.is_main]
    is_condensed = any(row.counted_as != row.rank for row in explanation.rows if row.rank)
    table = [_heads(explanation, shown, is_condensed=is_condensed, has_documents=bool(documents))]
    for row in explanation.rows:
        cells = _row_cells(explanation, row, shown)
        if is_condensed:
            cells.insert(1, UNJUDGED if row.counted_as is None else str(row.counted_as))
        if documents:
            cells.append(_label(row, documents))
        table.append(cells)
    lines = [str(explanation.measure), "", *_aligned(table, has_documents=bool(documents)), ""]
    lines += [f"{cell.label}: {format_foot(explanation, cell)}" for cell in explanation.foot]
    lines += [note for note in (*explanation.notes, explanation.policy) if note]
    if explanation.reason:
        lines.append(f"Undefined: {explanation.reason}.")
    lines.append(explanation.arithmetic)
    return "\n".join(lines)


def explanation_to_dict(explanation: Explanation, documents: Sequence[str] = ()) -> dict[str, Any]:
    """Return an explanation as plain values for JSON; numbers are not rounded.

    Args:
        explanation: what to write.
        documents: ids by rank; may be empty.
    """
    return {
        "measure": str(explanation.measure),
        "value": explanation.value,
        "undefined_because": explanation.reason or None,
        "unjudged": explanation.policy or None,
        "rows": [_row_dict(explanation, row, documents) for row in explanation.rows],
        "sums": {cell.label: cell.value for cell in explanation.foot},
        "above": explanation.above,
        "below": explanation.below,
        "arithmetic": explanation.arithmetic,
        "notes": list(explanation.notes),
    }


def format_cell(number: float | None, column: Column) -> str:
    """Return one cell as shown: counts whole, others with the column's decimals."""
    return "" if number is None else f"{number:.{column.decimals}f}"


def format_foot(explanation: Explanation, cell: FootCell) -> str:
    """Return a sum of the foot with the decimals of its column."""
    for column in explanation.columns:
        if column.key == cell.key:
            return format_cell(cell.value, column)
    return format_operand(cell.value)


def _row_dict(
    explanation: Explanation, row: ExplainedRow, documents: Sequence[str]
) -> dict[str, Any]:
    values: dict[str, Any] = {"rank": row.rank, "counted_as": row.counted_as}
    if row.rank is not None and row.rank <= len(documents):
        values["document"] = documents[row.rank - 1]
    values |= {"grade": row.grade, "is_judged": row.is_judged}
    cells = zip(explanation.columns, row.cells, strict=True)
    return values | {column.key: cell for column, cell in cells if cell is not None}


def _heads(
    explanation: Explanation, shown: list[int], *, is_condensed: bool, has_documents: bool
) -> list[str]:
    heads = ["rank", *(["as"] if is_condensed else []), "grade"]
    heads += [explanation.columns[place].head for place in shown]
    return heads + (["document"] if has_documents else [])


def _row_cells(explanation: Explanation, row: ExplainedRow, shown: list[int]) -> list[str]:
    grade = UNJUDGED if row.grade is None else format_grade(row.grade)
    rank = str(row.counted_as) if row.rank is None else str(row.rank)
    if row.rank is None:
        grade = ""
    cells = [format_cell(row.cells[place], explanation.columns[place]) for place in shown]
    return [rank, grade, *cells]


def _label(row: ExplainedRow, documents: Sequence[str]) -> str:
    if row.rank is None:
        return "(ideal only)"
    name = documents[row.rank - 1] if row.rank <= len(documents) else ""
    return name if len(name) <= MAX_LABEL else f"{name[: MAX_LABEL - 1]}…"


def _aligned(table: list[list[str]], *, has_documents: bool) -> list[str]:
    """Right-align numbers; document ids, in the last column, go to the left."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        if has_documents:
            cells[-1] = row[-1]
        lines.append("  ".join(cells).rstrip())
    return lines
