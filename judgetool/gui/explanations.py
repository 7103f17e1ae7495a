"""From the engine's explanation of a value to the texts of the explain table."""

from judgetool.core.scale import format_grade
from judgetool.gui.number_text import UNDEFINED, format_value
from judgetool.gui.widgets.explain_table import EMPTY, ExplainRow, Explanation
from judgetool.metrics import Measure
from judgetool.metrics.explain import ExplainedRow, FootCell, explain_value, has_explanation
from judgetool.metrics.explain import Explanation as EngineExplanation
from judgetool.metrics.explain_parts import Column
from judgetool.session.session import Session

MOST_ROWS = 200


def explain_for_table(
    session: Session, run_id: int, query: int, *, measure: Measure, current: int | None
) -> Explanation:
    """Return the explanation of a value as the table shows it; empty if it has none.

    Args:
        session: the project.
        run_id: the run whose ranking it is.
        query: number of the query.
        measure: one of the session's.
        current: the current document, whose row is marked.
    """
    if not has_explanation(measure):
        return EMPTY
    board = session.board
    explained = explain_value(
        measure,
        board.engine.query_grades(run_id, query),
        session.scale,
        leave_out_unjudged=board.engine.conventions.unjudged == "left out",
    )
    ranked = session.material.ranked_documents(run_id, query).tolist()
    current_rank = ranked.index(current) + 1 if current in ranked else None
    shown = [(place, explained.columns[place]) for place in explained.main_columns]
    arithmetic, _, result = explained.arithmetic.rpartition("= ")
    if explained.value is None:
        arithmetic, result = _sentence(explained.reason), UNDEFINED
    return Explanation(
        heads=("rank", "grade", *(column.head for _, column in shown)),
        rows=tuple(_row(row, shown, current_rank) for row in explained.rows[:MOST_ROWS]),
        foot=_foot(explained, shown),
        arithmetic=f"{arithmetic}=" if result and explained.value is not None else arithmetic,
        result=result,
        remark=_remark(explained),
    )


def _row(
    row: ExplainedRow, shown: list[tuple[int, Column]], current_rank: int | None
) -> ExplainRow:
    grade = UNDEFINED if row.grade is None else format_grade(row.grade)
    cells = [_cell(row.cells[place], column) for place, column in shown]
    is_bare = row.rank is None
    return ExplainRow(
        ("" if is_bare else str(row.rank), "" if is_bare else grade, *cells),
        grade=row.grade,
        is_unjudged=not row.is_judged and not is_bare,
        is_current=row.rank is not None and row.rank == current_rank,
    )


def _cell(value: float | None, column: Column) -> str:
    return "" if value is None else format_value(value, digits=column.decimals)


def _foot(explained: EngineExplanation, shown: list[tuple[int, Column]]) -> tuple[str, ...]:
    """Return the sums under their columns, with what they are called in front."""
    if not explained.foot:
        return ()
    by_key: dict[str, FootCell] = {cell.key: cell for cell in explained.foot}
    label = ", ".join(cell.label for cell in explained.foot if cell.label)
    sums = [
        _cell(by_key[column.key].value, column) if column.key in by_key else ""
        for _, column in shown
    ]
    return (label, "", *sums)


def _remark(explained: EngineExplanation) -> str:
    parts = [_sentence(note) for note in (explained.policy, *explained.notes) if note]
    if len(explained.rows) > MOST_ROWS:
        parts.append(f"The first {MOST_ROWS} of {len(explained.rows):,} ranks are shown.")
    return " ".join(parts)


def _sentence(text: str) -> str:
    return text if not text else f"{text[0].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
