"""TREC qrels: ``query 0 document grade``, separated by blanks."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from judgetool.formats.columns import count_noun, iter_rows
from judgetool.formats.output import checked_trec_id, format_number, write_text
from judgetool.formats.source import TextSource
from judgetool.formats.values import GradeRow, JudgmentRow, JudgmentTable, Reading

_N_COLUMNS = 4
_GRADE = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def read_qrels(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read qrels; grades may have decimals or be negative, and are kept as they are.

    Args:
        source: the file.
        reading: gets the judgments, the refusals and the notes.
        name: not used; qrels have no name.
    """
    table = JudgmentTable()
    seen = SeenGrades(reading)
    iterations: set[str] = set()
    for block in source.blocks(reading.refuse):
        for number, columns in iter_rows(block, is_qrels_row, reading.refuse):
            grade = _checked_grade(number, columns, reading)
            if grade is None:
                continue
            iterations.add(columns[1])
            if not seen.has(number, (columns[0], columns[2]), grade):
                table.add(JudgmentRow(columns[0], columns[2], "", grade), line=number)
    if len(iterations) > 1:
        some = ", ".join(sorted(iterations)[:5])
        reading.notes.append(
            f"Column two holds {len(iterations):,} different values ({some}), which are left out."
        )
    seen.note()
    reading.judgments = table


def find_grade(text: str) -> float | None:
    """Return the grade that a text means; ``None`` if it is not a plain number.

    Examples:
        >>> find_grade("-2"), find_grade("0.5"), find_grade("1e3")
        (-2.0, 0.5, None)
    """
    return float(text) if _GRADE.fullmatch(text) else None


def is_qrels_row(columns: Sequence[str]) -> bool:
    """Whether a line's columns are a full judgment."""
    return len(columns) == _N_COLUMNS and find_grade(columns[3]) is not None


class SeenGrades:
    """What was judged on which line, to notice what comes twice."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._seen: dict[tuple[str | None, ...], tuple[int, object]] = {}
        self._n_repeated = 0

    def has(self, line: int, key: tuple[str | None, ...], said: object) -> bool:
        """Return whether this was judged before; refuse the line if it was judged otherwise."""
        first = self._seen.setdefault(key, (line, said))
        if first[0] == line:
            return False
        if first[1] == said:
            self._n_repeated += 1
        else:
            self._reading.refuse(
                line,
                f"document '{key[1]}' of query '{key[0]}' was judged differently on line "
                f"{first[0]:,}; that line counts",
            )
        return True

    def note(self) -> None:
        """Say how many judgments came twice and agreed."""
        if self._n_repeated:
            verb = "repeats" if self._n_repeated == 1 else "repeat"
            self._reading.notes.append(
                f"{count_noun(self._n_repeated, 'line')} {verb} a judgment with the same grade; "
                "each counts once."
            )


def _checked_grade(number: int, columns: Sequence[str], reading: Reading) -> float | None:
    if len(columns) != _N_COLUMNS:
        reading.refuse(number, f"expected {_N_COLUMNS} columns, found {len(columns)}")
        return None
    grade = find_grade(columns[3])
    if grade is None:
        reading.refuse(number, f"the grade '{columns[3][:60]}' is not a number such as 2 or 0.5")
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
