"""Judgments in full, as a table with a header: who gave which grade, and what was noted."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from judgetool.core.judgments import Query, State
from judgetool.core.number_text import number_of, some_of
from judgetool.formats.columns import find_grade, iter_rows, note_number
from judgetool.formats.judgments import (
    TRUE_WORDS,
    CollectedJudgments,
    DetailTaker,
)
from judgetool.formats.names import GRADES_OF_ASSESSOR
from judgetool.formats.output import without_guard
from judgetool.formats.records import Record, iter_records
from judgetool.formats.source import TextSource
from judgetool.formats.texts import KeptQueries, take_query
from judgetool.formats.values import JudgmentRow, Question, Reading
from judgetool.wording import N_, _, local_number

_N_COLUMNS = 4
_COLUMN_TWO = {
    "iteration": N_("Nothing of importance, such as TREC’s iteration: left out"),
    "assessor": N_("Who judged: each value is an assessor"),
    "subtopic": N_("A subtopic: of each document the highest grade counts"),
    "subtopic-queries": N_("A subtopic: each becomes a query of its own, such as 253-1"),
}


def read_qrels(source: TextSource, reading: Reading) -> None:
    """Read qrels; grades may have decimals or be negative, and are kept as they are.

    Args:
        source: the file.
        reading: gets the judgments, the refusals and the notes.
    """
    judgments = CollectedJudgments(reading)
    rows = [
        _Row(line, columns[0], columns[1], row.document_id, grade)
        for line, columns, row, grade in iter_graded(source, judgments, is_qrels_row)
    ]
    for row in _without_column_two(rows, reading):
        judgments.add(row.line, JudgmentRow(row.query_id, row.document_id, row.second, row.grade))
    judgments.hand_over()


def iter_graded(
    source: TextSource,
    judgments: CollectedJudgments,
    is_row: Callable[[Sequence[str]], bool],
    places: tuple[int, ...] = (0, 2, 3),
    n_columns: int = _N_COLUMNS,
) -> Iterator[tuple[int, list[str], JudgmentRow, float]]:
    """Yield the judgments that stand in columns; lines that do not fit are refused.

    Args:
        source: the file.
        judgments: knows which words are grades; none is added to them.
        is_row: whether a line's columns are a judgment, with which no comment begins.
        places: columns of query, document and grade.
        n_columns: how many each line has.

    Yields:
        Number of the line, its columns, the judgment, its grade.
    """
    reading = judgments.reading
    for block in source.blocks(reading.refuse):
        for line, columns in iter_rows(block, is_row, reading.refuse):
            if len(columns) != n_columns:
                reading.refuse(
                    line,
                    _("expected {least} columns, found {columns}").format(
                        least=n_columns, columns=len(columns)
                    ),
                )
                continue
            query_id, document_id, text = (columns[place] for place in places)
            grade = judgments.grade_of(text)
            row = JudgmentRow(query_id, document_id, "", grade)
            if grade is None:
                judgments.refuse_grade(line, row, text)
            else:
                yield line, columns, row, grade


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
            _("Column two holds {values} different values ({some}): what are they?").format(
                values=local_number(f"{len(values):,}"), some=some
            ),
            _COLUMN_TWO,
            "" if _has_contradictions(rows) else "iteration",
        )
    )
    if not answer:
        reading.notes.append(
            _(
                "The same document has several grades that differ in column two. Whether that "
                "column holds assessors or subtopics has to be said first; until then nothing "
                "is used."
            )
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
        _("Column two holds {values} different values ({some}), which are left out.").format(
            values=local_number(f"{len(values):,}"), some=some
        )
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
    reading.subtopics = [(row.query_id, row.document_id, row.second, row.grade) for row in rows]
    for row in rows:
        key = (row.query_id, row.document_id)
        if key not in best or best[key].grade < row.grade:
            best[key] = row
    reading.notes.append(
        number_of(
            len(rows),
            "{n} line for subtopics gave {judgments}: of each document the highest grade.",
            "{n} lines for subtopics gave {judgments}: of each document the highest grade.",
            judgments=number_of(len(best), "{n} judgment", "{n} judgments"),
        )
    )
    return [row._replace(second="") for row in best.values()]


COLUMNS = (
    *("query", "document", "assessor", "grade", "state", "note"),
    *("at", "flagged", "spent_ms", "confidence", "rationale"),
)
"""The columns of judgments in full, as judgetool writes them."""
KIND_COLUMN = "assessor_kind"
"""The last one where some assessor is no person."""

_MOST_NAMED = 5
_STATES = {
    **{str(state): str(state) for state in State},
    "unrateable": str(State.CANNOT_JUDGE),
    "cannot judge": str(State.CANNOT_JUDGE),
}


def read_judgments(source: TextSource, reading: Reading) -> None:
    """Read judgments from a table with a header or JSON lines.

    Args:
        source: the file.
        reading: gets the judgments, the queries' texts if there are any, refusals, notes.
    """
    judgments = CollectedJudgments(reading)
    queries = KeptQueries(reading)
    details = DetailTaker(reading)
    left_out: dict[str, str] = {}
    n_bare, ungraded = 0, list[int | None]()
    for record in iter_records(source, reading):
        query = take_query(record)
        found = _take_row(record, query.id, judgments, reading)
        if not _has_wide_grades(reading):
            said = details.take(record)
            found = [row._replace(details=said) for row in found] if found else found
        if found is None:
            continue
        if found[0].document_id:
            # Of other rows nothing more was taken.
            left_out.update(record.values)
        if _needs_query(query, found[0]) and not queries.add(record.line, query):
            continue
        n_bare += not found[0].document_id
        for row in found:
            if row.document_id:
                judgments.add(record.line, row)
                ungraded += [record.line] if row.grade is None else []
    judgments.hand_over()
    details.note()
    _note_columns(left_out, reading)
    note_number(
        reading.notes,
        n_bare,
        "{n} row without document and grade: the query alone was kept.",
        "{n} rows without document and grade: the query alone was kept.",
    )
    _note_ungraded(ungraded, reading)


def _note_ungraded(lines: list[int | None], reading: Reading) -> None:
    """Say how many rows have no grade, and where the first of them stand."""
    shown = [local_number(f"{line:,}") for line in lines if line is not None][:_MOST_NAMED]
    if not shown:
        note_number(reading.notes, len(lines), "{n} row has no grade.", "{n} rows have no grade.")
        return
    note_number(
        reading.notes,
        len(lines),
        "{n} row has no grade: line {lines}.",
        "{n} rows have no grade: lines {lines}.",
        lines=some_of(shown, len(lines)),
    )


def _needs_query(query: Query, row: JudgmentRow) -> bool:
    """Whether the row says more of its query than the id, or nothing else than the query."""
    has_text = bool(query.text) and query.id != query.text
    return has_text or not row.document_id


def _take_row(
    record: Record, query_id: str, judgments: CollectedJudgments, reading: Reading
) -> list[JudgmentRow] | None:
    """Take the judgments out of a row: one, or one for each assessor who has a column.

    Returns:
        At least one, without a document where the row names a query alone; ``None``
        if the row was refused.
    """
    document_id = record.take("document_id")
    by_assessor = _take_wide_grades(record, reading)
    grade_text = record.take("grade")
    if query_id and not document_id and not grade_text and not any(by_assessor.values()):
        return [JudgmentRow(query_id, "", "", None)]
    if not query_id or not document_id:
        said = _("the row names no document") if query_id else _("the row names no query")
        reading.refuse(record.line, said)
        return None
    if by_assessor:
        texts = {name: text for name, text in by_assessor.items() if text}
        rows = [
            JudgmentRow(query_id, document_id, name, judgments.grade_of(text))
            for name, text in texts.items()
        ]
        for row in rows:
            if row.grade is None:
                text = texts[row.assessor]
                judgments.refuse_grade(record.line, row, text, column=row.assessor)
        graded = [row for row in rows if row.grade is not None]
        return graded or ([JudgmentRow(query_id, document_id, "", None)] if not rows else None)
    row = JudgmentRow(query_id, document_id, record.take("assessor"), None)
    note = record.take("note")
    if _is_own_table(reading):
        note = without_guard(note)
    return _take_long_row(record, row._replace(note=note), grade_text, judgments)


def _is_own_table(reading: Reading) -> bool:
    """Whether the file is a CSV with just the columns that judgetool itself writes."""
    headers = tuple(use.header for use in reading.columns)
    return reading.delimiter == "," and headers in (COLUMNS, (*COLUMNS, KIND_COLUMN))


def _has_wide_grades(reading: Reading) -> bool:
    return GRADES_OF_ASSESSOR in reading.wishes.column_roles.values()


def _take_wide_grades(record: Record, reading: Reading) -> dict[str, str]:
    roles = reading.wishes.column_roles
    return {
        name: record.values.pop(name, "")
        for name, role in roles.items()
        if role == GRADES_OF_ASSESSOR
    }


def _take_long_row(
    record: Record, row: JudgmentRow, grade_text: str, judgments: CollectedJudgments
) -> list[JudgmentRow] | None:
    """Complete a judgment that stands alone in its row by its grade and state."""
    grade = judgments.grade_of(grade_text)
    state_text = record.take("state")
    state = _STATES.get(state_text.strip().lower(), "")
    for role, meaning in (
        ("unrateable", State.CANNOT_JUDGE),
        ("judge_later", State.SKIPPED),
    ):
        if record.take(role).strip().lower() in TRUE_WORDS and not state:
            state_text, state = role, str(meaning)
    reason = None
    if judgments.are_of_model and grade is None and not state:
        judgments.refuse_grade(record.line, row, grade_text)
        return None
    if grade_text and grade is None:
        reason = _("the grade ‘{grade}’ is not a number such as 2 or 0.5").format(
            grade=grade_text[:60]
        )
    elif state_text and not state:
        reason = _("the state ‘{state}’ is none of {states}").format(
            state=state_text[:60], states=", ".join(sorted(_STATES))
        )
    elif state and (state == State.JUDGED) != (grade is not None):
        said = (
            _("the state ‘{state}’ does not go with a grade")
            if grade is not None
            else _("the state ‘{state}’ does not go with no grade")
        )
        reason = said.format(state=state_text)
    if reason:
        judgments.reading.refuse(record.line, reason)
        return None
    return [row._replace(grade=grade, state=state)]


def _note_columns(left_out: Iterable[str], reading: Reading) -> None:
    columns = list(left_out)
    if columns:
        note_number(
            reading.notes,
            len(columns),
            "{n} column is left out: {columns}.",
            "{n} columns are left out: {columns}.",
            columns=", ".join(columns),
        )
