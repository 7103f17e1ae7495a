"""Judgments in full: a row for everything that an assessor said."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from judgetool.core.scale import format_grade
from judgetool.formats.judgments_table import COLUMNS, csv_line
from judgetool.formats.output import format_number
from judgetool.formats.writers.cells import SafeCells
from judgetool.formats.writers.choices import ExportChoices
from judgetool.formats.writers.values import ExportMaterial, JudgmentLine

LONG_COLUMNS = (*COLUMNS, "flagged", "spent_ms")


class LongRow(NamedTuple):
    """One row, its values typed as they are; named and ordered as ``LONG_COLUMNS``."""

    query: str
    document: str
    assessor: str
    grade: float | None
    state: str
    note: str
    at: str
    flagged: bool
    spent_ms: int | None


def iter_long_rows(material: ExportMaterial) -> Iterator[LongRow]:
    """Yield a row for each judgment, in the material's order."""
    yield from map(_long_row, material.judgments)


def iter_shown_rows(material: ExportMaterial) -> Iterator[str]:
    """Yield the header and the rows as people read them, cells separated by tabs."""
    yield "\t".join(LONG_COLUMNS)
    for row in iter_long_rows(material):
        cells = (format_grade(cell) if isinstance(cell, float) else cell for cell in row)
        yield "\t".join("" if cell is None else str(cell) for cell in cells)


def _long_row(line: JudgmentLine) -> LongRow:
    row = line.row
    return LongRow(
        row.query_id,
        row.document_id,
        row.assessor,
        row.grade,
        row.state,
        row.note,
        row.at,
        line.is_flagged,
        line.spent_ms,
    )


def iter_judgments_csv(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:
    """Yield a CSV with a header, safe to open in a spreadsheet.

    Raises:
        InputError: an id looks like a formula, and such ids are to be refused.
    """
    cells = SafeCells(choices.formulas, material.notes)
    yield csv_line(LONG_COLUMNS)
    for row in iter_long_rows(material):
        yield csv_line(
            (
                cells.id(row.query, "query id"),
                cells.id(row.document, "document id"),
                cells.id(row.assessor, "assessor"),
                "" if row.grade is None else format_number(row.grade),
                row.state,
                cells.text(row.note, "note"),
                row.at,
                "yes" if row.flagged else "",
                "" if row.spent_ms is None else str(row.spent_ms),
            )
        )
    cells.tell()


def iter_judgments_jsonl(material: ExportMaterial, choices: ExportChoices) -> Iterator[str]:  # noqa: ARG001 - all writers are called alike
    """Yield a JSON object for each judgment; what is not said is left out of it."""
    for row in iter_long_rows(material):
        said = {name: value for name, value in row._asdict().items() if value not in ("", None)}
        if row.grade is not None:
            # 2 and not 2.0, as everywhere.
            said["grade"] = json.loads(format_grade(row.grade))
        if not row.flagged:
            del said["flagged"]
        yield json.dumps(said, ensure_ascii=False) + "\n"
