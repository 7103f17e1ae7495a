"""Explanations of any system's values, for the wide tables of the compare view."""

from judgetool.core.excerpts import one_line
from judgetool.core.scale import format_grade
from judgetool.gui.compare.difference_rows import DifferenceRow
from judgetool.gui.number_text import UNDEFINED, format_value
from judgetool.gui.widgets.explain_table import EMPTY, ExplainRow, Explanation
from judgetool.metrics import Measure
from judgetool.metrics.explain import ExplainedRow, explain_value, has_explanation
from judgetool.metrics.explain import Explanation as EngineExplanation
from judgetool.session.comparing.comparing import ExplainedDifference, explain_difference
from judgetool.session.comparing.system_values import place_of_system
from judgetool.session.session import Session
from judgetool.session.systems import System

MOST_ROWS = 100
_MOST_TITLE = 120


def explain_system(session: Session, system: System, query: int, measure: Measure) -> Explanation:
    """Return how a system's value of a query comes about, rank by rank, with every column.

    Args:
        session: the project.
        system: a run or a what-if, of the present or of a snapshot.
        query: its number.
        measure: one of the chosen ones.

    Returns:
        Empty where the measure has no explanation.

    Raises:
        InputError: the system is no longer in the project.
    """
    if not has_explanation(measure):
        return EMPTY
    place = place_of_system(session, system)
    explained = explain_value(
        measure,
        place.engine.query_grades(place.key, query, has_assumed=not measure.spec.counts_judgments),
        place.board.scale,
        leave_out_unjudged=place.engine.conventions.unjudged == "left out",
    )
    heads = ("rank", "grade", *(column.head for column in explained.columns))
    rows = tuple(_row(row, explained) for row in explained.rows[:MOST_ROWS])
    if explained.value is None:
        reason = explained.reason[:1].upper() + explained.reason[1:]
        return Explanation(heads, rows, _foot(explained), reason, UNDEFINED)
    left, _, result = explained.arithmetic.rpartition("= ")
    remark = " ".join(each for each in (explained.policy, *explained.notes) if each)
    return Explanation(
        heads, rows, _foot(explained), f"{left}=" if left else "", result, remark=remark
    )


def _row(row: ExplainedRow, explained: EngineExplanation) -> ExplainRow:
    is_bare = row.rank is None
    grade = UNDEFINED if row.grade is None else format_grade(row.grade)
    cells = [
        "" if value is None else format_value(value, digits=column.decimals)
        for value, column in zip(row.cells, explained.columns, strict=True)
    ]
    return ExplainRow(
        ("" if is_bare else str(row.rank), "" if is_bare else grade, *cells),
        grade=row.grade,
        is_unjudged=not row.is_judged and not is_bare,
    )


def _foot(explained: EngineExplanation) -> tuple[str, ...]:
    if not explained.foot:
        return ()
    by_key = {cell.key: cell for cell in explained.foot}
    label = ", ".join(cell.label for cell in explained.foot if cell.label)
    sums = []
    for column in explained.columns:
        value = by_key[column.key].value if column.key in by_key else None
        sums.append("" if value is None else format_value(value, digits=column.decimals))
    return (label, "", *sums)


def difference_of_documents(
    session: Session, system: System, baseline: System, query: int, measure: Measure
) -> tuple[ExplainedDifference, list[DifferenceRow]]:
    """Return which documents make up a difference, largest part first, and rows to show it.

    Raises:
        InputError: a system is no longer in the project.
    """
    found = explain_difference(session, system, baseline, query, measure)
    numbers = sorted({row.document for row in found.rows if row.document is not None})
    texts = dict(zip(numbers, session.material.show_documents(numbers), strict=True))
    rows = []
    for row in found.rows[:MOST_ROWS]:
        text = texts[row.document] if row.document is not None else None
        title = "no document" if text is None else one_line(text.title or text.id, most=_MOST_TITLE)
        label = f"{row.baseline_rank or UNDEFINED} → {row.rank or UNDEFINED}"
        rows.append(DifferenceRow(row.document, label, title, row.difference))
    return found, rows
