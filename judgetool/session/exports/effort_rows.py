"""Effort as flat rows, for tables and CSV files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TextIO, get_args

from judgetool.core.clock import iso_utc
from judgetool.core.formula_guard import csv_line
from judgetool.core.scale import format_grade
from judgetool.formats.output import write_text
from judgetool.formats.writers.tables import SafeCells
from judgetool.formats.writers.values import Formulas
from judgetool.session.effort import EffortRecord, EffortSummary, effort_table
from judgetool.session.session import Session

EffortBy = Literal["assessor", "query", "judgment"]
EFFORT_BY: tuple[EffortBy, ...] = get_args(EffortBy)
Rows = list[tuple[str, ...]]

_SUMMARY_COLUMNS = (
    "judged",
    "cannot_judge",
    "skipped",
    "changed_later",
    "undone",
    "active_s",
    "median_active_s",
    "mean_active_s",
    "in_view_s",
    "judged_per_active_hour",
    "key_share",
    "grades",
    "first_at",
    "last_at",
)
COLUMNS: dict[EffortBy, tuple[str, ...]] = {
    "assessor": ("assessor", *_SUMMARY_COLUMNS),
    "query": ("assessor", "query", *_SUMMARY_COLUMNS),
    "judgment": (
        "at",
        "assessor",
        "query",
        "document",
        "state",
        "grade",
        "origin",
        "in_view_ms",
        "active_ms",
        "graded_at_once",
        "position",
        "previous_grade",
        "blind",
        "order",
        "seed",
        "changed_later",
        "undone",
    ),
}
_IDS = ("assessor", "query", "document")


def effort_rows(session: Session, by: EffortBy = "assessor") -> Rows:
    """Return effort as texts, a row for each assessor, (assessor, query) or judgment.

    Args:
        session: the project.
        by: what a row stands for; its columns are ``COLUMNS[by]``.

    Returns:
        Cells are ``""`` where nothing is known; no rows when nobody judged here.
    """
    table = effort_table(session)
    if by == "judgment":
        ids = session.material.document_ids(sorted({each.document for each in table.records}))
        return [_record_row(session, each, ids[each.document]) for each in table.records]
    if by == "query":
        return [
            (each.assessor, session.material.queries[each.query or 0].id, *_summary_row(each))
            for each in table.by_query
        ]
    return [(each.assessor, *_summary_row(each)) for each in table.by_assessor]


def write_effort_csv(
    session: Session,
    out: TextIO | Path,
    *,
    by: EffortBy = "assessor",
    formulas: Formulas = Formulas.REFUSE_IDS,
) -> list[str]:
    """Write effort as CSV that a spreadsheet shows and does not run.

    Args:
        session: the project.
        out: an open text stream, or a path that is replaced as a whole.
        by: see :func:`effort_rows`.
        formulas: what becomes of ids that look like formulas.

    Returns:
        Notes for people; empty when everything went in as it is.

    Raises:
        InputError: an id looks like a formula and such ids are refused, or the file
            cannot be written; what was there is unchanged.
    """
    notes: list[str] = []
    cells = SafeCells(formulas, notes)
    header = COLUMNS[by]

    def lines() -> Iterable[str]:
        yield csv_line(header)
        for row in effort_rows(session, by):
            yield csv_line(
                tuple(
                    cells.id(cell, name) if name in _IDS else cell
                    for name, cell in zip(header, row, strict=True)
                )
            )

    write_text(lines(), out)
    cells.tell()
    return notes


def _summary_row(summary: EffortSummary) -> tuple[str, ...]:
    counts = summary.grade_counts.items()
    return (
        str(summary.n_judged),
        str(summary.n_cannot_judge),
        str(summary.n_skipped),
        str(summary.n_changed),
        str(summary.n_undone),
        _seconds(summary.active_ms),
        _seconds(summary.median_ms),
        _seconds(summary.mean_ms),
        _seconds(summary.in_view_ms),
        _decimals(summary.per_hour, 1),
        _decimals(summary.key_share, 3),
        " ".join(f"{format_grade(grade)}:{count}" for grade, count in counts),
        iso_utc(summary.first_at),
        iso_utc(summary.last_at),
    )


def _record_row(session: Session, record: EffortRecord, document_id: str) -> tuple[str, ...]:
    return (
        iso_utc(record.at),
        record.assessor,
        session.material.queries[record.query].id,
        document_id,
        str(record.state),
        _grade(record.grade),
        record.origin,
        _decimals(record.spent_ms, 0),
        _decimals(record.active_ms, 0),
        str(record.n_at_once),
        "" if record.position is None else str(record.position),
        _grade(record.previous_grade),
        "" if record.is_blind is None else _yes(record.is_blind),
        record.order,
        "" if record.seed is None else str(record.seed),
        _yes(record.is_changed_later),
        _yes(record.is_undone),
    )


def _yes(fact: object) -> str:
    return "yes" if fact else "no"


def _grade(grade: float | None) -> str:
    return "" if grade is None else format_grade(grade)


def _seconds(time_ms: float | None) -> str:
    return _decimals(None if time_ms is None else time_ms / 1000, 1)


def _decimals(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
