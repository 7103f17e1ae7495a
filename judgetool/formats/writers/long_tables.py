"""Judgments in full: a row for everything that an assessor said."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from judgetool.core.judgments import Span
from judgetool.core.scale import format_grade
from judgetool.formats.judgment_details import moment_text, spans_text, spans_values
from judgetool.formats.judgments_table import COLUMNS, csv_line, full_cells
from judgetool.formats.values import JudgmentRow
from judgetool.formats.writers.cells import SafeCells
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.values import ExportMaterial


class LongRow(NamedTuple):
    """One row, its values typed as they are; named and ordered as ``COLUMNS``."""

    query: str
    document: str
    assessor: str
    grade: float | None
    state: str
    note: str
    at: str
    flagged: bool
    spent_ms: int | None
    confidence: int | None
    rationale: tuple[Span, ...]


def iter_long_rows(material: ExportMaterial) -> Iterator[LongRow]:
    """Yield a row for each judgment, in the material's order."""
    yield from map(_long_row, material.judgments)


def iter_shown_rows(material: ExportMaterial) -> Iterator[str]:
    """Yield the header and the rows as people read them, cells separated by tabs."""
    yield "\t".join(COLUMNS)
    for row in iter_long_rows(material):
        cells = (format_grade(cell) if isinstance(cell, float) else cell for cell in row[:-1])
        texts = ("" if cell is None else str(cell) for cell in cells)
        yield "\t".join((*texts, spans_text(row.rationale)))


def _long_row(row: JudgmentRow) -> LongRow:
    details = row.details
    return LongRow(
        row.query_id,
        row.document_id,
        row.assessor,
        row.grade,
        row.state,
        row.note,
        moment_text(details.at),
        details.flagged,
        details.spent_ms,
        details.confidence,
        details.spans,
    )


def iter_judgments_csv(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV with a header, safe to open in a spreadsheet.

    Raises:
        InputError: an id looks like a formula, and such ids are to be refused.
    """
    cells = SafeCells(choices.formulas, material.notes)
    yield csv_line(COLUMNS)
    for row in material.judgments:
        query, document, assessor, grade, state, note, *details = full_cells(row)
        yield csv_line(
            (
                cells.id(query, "query id"),
                cells.id(document, "document id"),
                cells.id(assessor, "assessor"),
                grade,
                state,
                cells.text(note, "note"),
                *(cells.text(detail, "rationale") for detail in details),
            )
        )
    cells.tell()


def iter_judgments_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield a JSON object for each judgment; what is not said is left out of it."""
    for row in iter_long_rows(material):
        said = {name: value for name, value in row._asdict().items() if value not in ("", None, ())}
        if row.grade is not None:
            # 2 and not 2.0, as everywhere.
            said["grade"] = json.loads(format_grade(row.grade))
        if not row.flagged:
            del said["flagged"]
        if row.rationale:
            said["rationale"] = spans_values(row.rationale)
        yield json.dumps(said, ensure_ascii=False) + "\n"
