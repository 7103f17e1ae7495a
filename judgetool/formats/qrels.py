"""TREC qrels: ``query 0 document grade``, separated by blanks."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from judgetool.formats.columns import count_noun, iter_rows
from judgetool.formats.judgment_rows import CollectedJudgments, find_grade
from judgetool.formats.output import checked_trec_id, format_number, write_text
from judgetool.formats.source import TextSource
from judgetool.formats.values import GradeRow, JudgmentRow, Question, Reading

__all__ = ["find_grade", "is_qrels_row", "read_qrels", "write_qrels"]

_N_COLUMNS = 4
_COLUMN_TWO = {
    "iteration": "Nothing of importance, such as TREC's iteration: left out",
    "assessor": "Who judged: each value is an assessor",
    "subtopic": "A subtopic: of each document the highest grade counts",
    "subtopic-queries": "A subtopic: each becomes a query of its own, such as 253-1",
}


def read_qrels(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read qrels; grades may have decimals or be negative, and are kept as they are.

    Args:
        source: the file.
        reading: gets the judgments, the refusals and the notes.
        name: not used; qrels have no name.
    """
    judgments = CollectedJudgments(reading)
    rows: list[_Row] = []
    for block in source.blocks(reading.refuse):
        for number, columns in iter_rows(block, is_qrels_row, reading.refuse):
            grade = _checked_grade(number, columns, judgments)
            if grade is not None:
                rows.append(_Row(number, columns[0], columns[1], columns[2], grade))
    for row in _without_column_two(rows, reading):
        judgments.add(row.line, JudgmentRow(row.query_id, row.document_id, row.second, row.grade))
    judgments.hand_over()


def is_qrels_row(columns: Sequence[str]) -> bool:
    """Whether a line's columns are a full judgment."""
    return len(columns) == _N_COLUMNS and find_grade(columns[3]) is not None


class _Row(NamedTuple):
    """One line."""

    line: int
    query_id: str
    second: str
    document_id: str
    grade: float


def _without_column_two(rows: list[_Row], reading: Reading) -> list[_Row]:
    """Return the rows with column two understood: empty, or an assessor's name."""
    values = dict.fromkeys(row.second for row in rows)
    if len(values) < 2:
        return [row._replace(second="") for row in rows]
    some = ", ".join(sorted(values)[:5])
    answer = reading.ask(
        Question(
            "column_two",
            f"Column two holds {len(values):,} different values ({some}): what are they?",
            _COLUMN_TWO,
            "" if _has_contradictions(rows) else "iteration",
        )
    )
    if not answer:
        reading.notes.append(
            "The same document has several grades that differ in column two. Whether that column "
            "holds assessors or subtopics has to be said first; until then nothing is used."
        )
        return []
    if answer == "assessor":
        return rows
    if answer == "subtopic-queries":
        # TREC writes a subtopic of a topic so.
        return [row._replace(query_id=f"{row.query_id}-{row.second}", second="") for row in rows]
    if answer == "subtopic":
        return _highest_grades(rows, reading)
    reading.notes.append(
        f"Column two holds {len(values):,} different values ({some}), which are left out."
    )
    return [row._replace(second="") for row in rows]


def _has_contradictions(rows: list[_Row]) -> bool:
    """Whether a document has grades that differ, and so does column two."""
    first: dict[tuple[str, str], _Row] = {}
    for row in rows:
        other = first.setdefault((row.query_id, row.document_id), row)
        if other.grade != row.grade and other.second != row.second:
            return True
    return False


def _highest_grades(rows: list[_Row], reading: Reading) -> list[_Row]:
    """Return one row for each document of a query: the first with its highest grade."""
    best: dict[tuple[str, str], _Row] = {}
    for row in rows:
        key = (row.query_id, row.document_id)
        if key not in best or best[key].grade < row.grade:
            best[key] = row
    reading.notes.append(
        f"{count_noun(len(rows), 'line')} for subtopics gave {count_noun(len(best), 'judgment')}: "
        "of each document the highest grade."
    )
    return [row._replace(second="") for row in best.values()]


def _checked_grade(
    number: int, columns: Sequence[str], judgments: CollectedJudgments
) -> float | None:
    if len(columns) != _N_COLUMNS:
        judgments.refuse(number, f"expected {_N_COLUMNS} columns, found {len(columns)}")
        return None
    grade = judgments.grade_of(columns[3])
    if grade is None:
        judgments.refuse_grade(number, JudgmentRow(columns[0], columns[2], "", None), columns[3])
    return grade


def write_qrels(rows: Iterable[GradeRow], out: TextIO | Path) -> None:
    """Write ``query 0 document grade``, in the order given.

    Args:
        rows: one per (query, document).
        out: an open text stream, or a path that is replaced as a whole.

    Raises:
        InputError: an id that the format cannot carry, or the file could not be written.
    """
    write_text(_qrels_lines(rows), out)


def _qrels_lines(rows: Iterable[GradeRow]) -> Iterator[str]:
    for query_id, document_id, grade in rows:
        query = checked_trec_id(query_id, "query", starts_line=True)
        document = checked_trec_id(document_id, "document")
        yield f"{query} 0 {document} {format_number(grade)}\n"
