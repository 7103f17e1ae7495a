"""Judgments in full, as a table with a header: who gave which grade, and what was noted."""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from judgetool.core.judgments import State
from judgetool.errors import InputError
from judgetool.formats import names
from judgetool.formats.columns import count_noun
from judgetool.formats.output import format_number, write_text
from judgetool.formats.qrels import SeenGrades, find_grade
from judgetool.formats.queries import KeptQueries, take_query
from judgetool.formats.records import Record, find_storage_problem, iter_records, normal_name
from judgetool.formats.source import TextSource
from judgetool.formats.values import JudgmentRow, JudgmentTable, Reading

COLUMNS = ("query", "document", "assessor", "grade", "state", "note", "at")

_STATES = {
    **{str(state): str(state) for state in State},
    "unrateable": str(State.CANNOT_JUDGE),
    "cannot judge": str(State.CANNOT_JUDGE),
}
# Columns of ours that say nothing a judgment keeps: no need to mention them.
_QUIETLY_LEFT_OUT = frozenset({"at"})


def read_judgments(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read judgments from a table with a header or JSON lines.

    Args:
        source: the file.
        reading: gets the judgments, the queries' texts if there are any, refusals, notes.
        name: not used; the assessor's name stands in the rows.
    """
    table = JudgmentTable()
    seen = SeenGrades(reading)
    queries = KeptQueries(reading)
    left_out: dict[str, str] = {}
    for record in iter_records(source, reading):
        query = take_query(record)
        row = _take_row(record, query.id, reading)
        if row is None:
            continue
        left_out.update(record.values)
        has_text = bool(query.text) and query.id != query.text
        if has_text and not queries.add(record.line, query):
            continue
        if not seen.has(record.line, (row.query_id, row.document_id, row.assessor or None), row):
            table.add(row, line=record.line)
    seen.note()
    _note_columns(left_out, reading)
    n_ungraded = table.grades.count(None)
    if n_ungraded:
        has = "has" if n_ungraded == 1 else "have"
        reading.notes.append(f"{count_noun(n_ungraded, 'row')} {has} no grade.")
    reading.judgments = table


def _take_row(record: Record, query_id: str, reading: Reading) -> JudgmentRow | None:
    """Take one judgment out of a row; refuse the row if it is none."""
    document_id = record.pop_first(names.DOCUMENT_ID)
    has_beir_names = record.has_any(names.BEIR_DOCUMENT_ID) and not record.has_any(names.GRADE)
    grade_text = record.pop_first(("score",) if has_beir_names else names.GRADE)
    grade = find_grade(grade_text)
    assessor = record.pop_first(names.ASSESSOR)
    note = record.pop_first(names.NOTE)
    state_text = record.pop_first(names.STATE)
    state = _STATES.get(state_text.strip().lower(), "")
    reason = None
    if not query_id or not document_id:
        reason = f"the row names no {'document' if query_id else 'query'}"
    elif grade_text and grade is None:
        reason = f"the grade '{grade_text[:60]}' is not a number such as 2 or 0.5"
    elif state_text and not state:
        reason = f"the state '{state_text[:60]}' is none of {', '.join(sorted(_STATES))}"
    elif state and (state == State.JUDGED) != (grade is not None):
        has = "a" if grade is not None else "no"
        reason = f"the state '{state_text}' does not go with {has} grade"
    if reason:
        reading.refuse(record.line, reason)
        return None
    return JudgmentRow(query_id, document_id, assessor, grade, state, note)


def _note_columns(left_out: Iterable[str], reading: Reading) -> None:
    columns = [name for name in left_out if normal_name(name) not in _QUIETLY_LEFT_OUT]
    if columns:
        verb = "is" if len(columns) == 1 else "are"
        reading.notes.append(
            f"{count_noun(len(columns), 'column')} {verb} left out: {', '.join(columns)}."
        )


def write_judgments_csv(rows: Iterable[JudgmentRow], out: TextIO | Path) -> None:
    """Write judgments with the columns query, document, assessor, grade, state, note, at.

    Args:
        rows: in the order in which they are to stand.
        out: an open text stream (opened with ``newline=""``), or a path that is
            replaced as a whole.

    Raises:
        InputError: a text that no text file can carry, or the file could not be written.
    """
    write_text(_csv_lines(rows), out)


def _csv_lines(rows: Iterable[JudgmentRow]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for row in rows:
        grade = "" if row.grade is None else format_number(row.grade)
        cells = (row.query_id, row.document_id, row.assessor, grade, row.state, row.note, row.at)
        problem = find_storage_problem("".join(cells))
        if problem:
            raise InputError(
                f"The judgment of document {row.document_id!r} for query {row.query_id!r} cannot "
                f"be written: {problem}. Nothing was written."
            )
        yield csv_line(cells)


def csv_line(cells: Iterable[str]) -> str:
    """Return one line of a CSV file, quoted where needed, ended by LF."""
    line = io.StringIO()
    # With CR LF as its line end, the module quotes cells that hold either of the two.
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"
