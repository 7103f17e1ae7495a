"""Columns other than TREC's six and four: MS MARCO's three and four, prels' five."""

import math
import re
from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
import numpy.typing as npt

from judgetool.core.documents import Document
from judgetool.core.queries import Query
from judgetool.formats.columns import find_columns, find_score, iter_rows
from judgetool.formats.documents import KeptDocuments
from judgetool.formats.judgment_rows import CollectedJudgments, find_grade
from judgetool.formats.queries import KeptQueries
from judgetool.formats.results_table import RunRows
from judgetool.formats.run_order import Codes, Results, build_run
from judgetool.formats.source import MAX_TEXT_LINE_BYTES, Block, TextSource
from judgetool.formats.trec_run import name_from
from judgetool.formats.values import JudgmentRow, Kind, Question, Reading, Wishes

_N_PRELS = 5
_METHOD = re.compile(r"[0-9]")
_MOST_GRADES = 20
_FEW_RESULTS = 3

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


def is_short_row(columns: Sequence[str]) -> bool:
    """Whether a line has three columns of which the last is a number."""
    return len(columns) == 3 and find_score(columns[2]) is not None


def third_question(rows: Sequence[Sequence[str]], kind: Kind | None, wishes: Wishes) -> Question:
    """Return what the third column is: the question with its answer, if the content tells.

    Args:
        rows: the first rows, three columns each.
        kind: what the person said that the file is about.
        wishes: what else the person said.
    """
    its_rows = sorted(rows, key=lambda row: row[0])
    groups = [[row[2] for row in group] for _, group in groupby(its_rows, key=lambda row: row[0])]
    meaning = _meaning(groups)
    if kind is Kind.JUDGMENTS:
        meaning = "grade"
    elif kind is not None and meaning in {"grade", ""}:
        meaning = "rank" if _are_places(groups) else "score"
    return wishes.answered(
        Question(
            "third_column",
            "The file has three columns: query, document, and a number. What is the number?",
            {
                "rank": "The rank of the document: the file is a run",
                "score": "The score of the document: the file is a run",
                "grade": "The grade of the document: the file holds judgments",
            },
            meaning,
        )
    )


def _are_places(groups: list[list[str]]) -> bool:
    """Whether each query's numbers count up, from 0 or 1."""
    return all(
        texts in ([str(place) for place in range(first, first + len(texts))] for first in (0, 1))
        for texts in groups[:-1] or groups
    )


def _meaning(groups: list[list[str]]) -> str:
    """Return what the numbers can only be; ``""`` where several things are possible."""
    longest = max(map(len, groups), default=0)
    if _are_places(groups):
        return "rank" if longest >= _FEW_RESULTS else ""
    numbers = [[float(text) for text in texts] for texts in groups]
    has_fractions = any(not number.is_integer() for each in numbers for number in each)
    falls = all(first >= second for each in numbers for first, second in pairwise(each))
    if has_fractions:
        return "score" if falls and longest >= _FEW_RESULTS else ""
    values = {number for each in numbers for number in each}
    has_repeats = any(len(set(each)) < len(each) for each in numbers)
    return "grade" if has_repeats and len(values) <= _MOST_GRADES else ""


def read_three_columns(source: TextSource, reading: Reading, *, name: str | None = None) -> None:
    """Read query, document, and a rank, score or grade, without a header.

    Args:
        source: the file.
        reading: gets the run or the judgments, the refusals and the notes; its
            question ``third_column`` says what the number is.
        name: the run's name; ``None`` takes the file's.
    """
    meaning = reading.answer_to("third_column")
    if meaning == "grade":
        _read_grades(source, reading)
        return
    collected = _ShortRun(reading)
    for block in source.blocks(reading.refuse):
        collected.add(block)
    if not meaning:
        reading.notes.append(
            "What the third column holds has to be said first; until then nothing is used."
        )
        return
    run_name = name or name_from(source.name)
    results = collected.results(is_ranked=meaning == "rank")
    reading.runs.append(build_run(results, reading, name=run_name, is_ranked=meaning == "rank"))
    reading.notes.append(f"The third column is taken for the {meaning}.")


def _read_grades(source: TextSource, reading: Reading) -> None:
    judgments = CollectedJudgments(reading)
    for block in source.blocks(reading.refuse):
        for number, columns in iter_rows(block, is_short_row, reading.refuse):
            if len(columns) == 3:
                row = JudgmentRow(columns[0], columns[1], "", None)
                judgments.add_graded(number, row, columns[2])
            else:
                reading.refuse(number, f"expected 3 columns, found {len(columns)}")
    judgments.hand_over()
    reading.notes.append("The third column is taken for the grade.")


class _ShortRun:
    """Rows of a run of three columns as they come in, as arrays per block."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._queries = Codes()
        self._documents = Codes()
        self._parts: list[tuple[Ints, Ints, Ints, Floats]] = []

    def add(self, block: Block) -> None:
        """Take a block's rows."""
        found = find_columns(block, 3)
        scores = [find_score(text) for text in found.column(2)] if found else []
        if found and None not in scores:
            lines = range(found.first, found.first + found.n_lines)
            self._append(found.column(0), found.column(1), lines, scores)
            return
        rows = []
        for number, columns in iter_rows(block, is_short_row, self._reading.refuse):
            score = find_score(columns[2]) if len(columns) == 3 else None
            if score is None:
                self._reading.refuse(number, _row_problem(columns))
            else:
                rows.append((columns[0], columns[1], number, score))
        if rows:
            self._append(*zip(*rows, strict=True))

    def _append(
        self,
        queries: Sequence[str],
        documents: Sequence[str],
        lines: Sequence[int],
        numbers: Sequence[float | None],
    ) -> None:
        count = len(queries)
        self._parts.append(
            (
                np.fromiter(map(self._queries.__getitem__, queries), np.int32, count),
                np.fromiter(map(self._documents.__getitem__, documents), np.int32, count),
                np.fromiter(lines, np.int32, count),
                np.array(numbers, np.float64),
            )
        )

    def results(self, *, is_ranked: bool) -> Results:
        """Return all rows, their number as rank or as score."""
        if not self._parts:
            none = np.zeros(0, np.int32)
            return Results([], [], none, none, none, np.zeros(0), None)
        queries, documents, lines, numbers = map(np.concatenate, zip(*self._parts, strict=True))
        return Results(
            list(self._queries),
            list(self._documents),
            queries,
            documents,
            lines,
            None if is_ranked else numbers,
            numbers if is_ranked else None,
        )


def _row_problem(columns: Sequence[str]) -> str:
    if len(columns) != 3:
        return f"expected 3 columns, found {len(columns)}"
    return f"'{columns[2][:60]}' is not a number"


def is_prels_row(columns: Sequence[str]) -> bool:
    """Whether a line is ``query document grade method probability``."""
    if len(columns) != _N_PRELS or _METHOD.fullmatch(columns[3]) is None:
        return False
    probability = find_score(columns[4])
    is_probability = probability is not None and 0 <= probability <= 1
    return is_probability and find_grade(columns[2]) is not None


def read_prels(source: TextSource, reading: Reading, *, name: str | None = None) -> None:  # noqa: ARG001 - all readers are called alike
    """Read the Million Query Track's prels; how a document was sampled is left out.

    Args:
        source: the file.
        reading: gets the judgments, the refusals and the notes.
        name: not used; prels have no name.
    """
    judgments = CollectedJudgments(reading)
    for block in source.blocks(reading.refuse):
        for number, columns in iter_rows(block, is_prels_row, reading.refuse):
            if len(columns) != _N_PRELS:
                reading.refuse(number, f"expected {_N_PRELS} columns, found {len(columns)}")
            else:
                row = JudgmentRow(columns[0], columns[1], "", None)
                judgments.add_graded(number, row, columns[2])
    judgments.hand_over()
    reading.notes.append(
        "Columns four and five (how, and how probably, a document was sampled) are left out."
    )


def is_candidate_row(cells: Sequence[str]) -> bool:
    """Whether a line's cells are ``query id, document id, query text, document text``."""
    return (
        len(cells) == 4
        and all(cells)
        and not any(" " in cell for cell in cells[:2])
        and (" " in cells[3] or " " in cells[2])
    )


def read_candidates(source: TextSource, reading: Reading, *, name: str | None = None) -> None:
    """Read MS MARCO's top1000: ids and texts of queries and passages, in no order.

    Args:
        source: the file.
        reading: gets queries, documents, one run, refusals and notes.
        name: the run's name; ``None`` takes the file's.
    """
    queries, documents, rows = KeptQueries(reading), KeptDocuments(), RunRows()
    for block in source.blocks(reading.refuse, max_line=MAX_TEXT_LINE_BYTES):
        for number, line in enumerate(block.lines, block.first):
            cells = line.split("\t")
            if not line.strip(" \t"):
                continue
            if len(cells) != 4 or not cells[1]:
                reading.refuse(
                    number,
                    "expected query id, document id, query text and document text; "
                    f"found {len(cells) - 1} tabs",
                )
            elif queries.add(number, Query(cells[0], cells[2])):
                documents.add(Document(cells[1], body=cells[3]))
                rows.add(cells[0], cells[1], number, math.nan, math.nan)
    documents.hand_over(reading)
    run_name = name or name_from(source.name)
    results = rows.results(reading)
    reading.runs.append(build_run(results, reading, name=run_name, is_ranked=True))
    reading.notes.append(
        "The file gives no ranks and no scores: results stand as the file has them."
    )
