"""Ranked results with their texts in one table: ``query, rank, document, score, title, ...``."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from judgetool.formats.clicks import ClickCounts
from judgetool.formats.columns import count_noun, find_score
from judgetool.formats.documents import KeptDocuments, take_document
from judgetool.formats.images import ImageColumn
from judgetool.formats.judgment_rows import CollectedJudgments
from judgetool.formats.queries import KeptQueries, take_query
from judgetool.formats.records import iter_records
from judgetool.formats.run_order import Codes, Results, build_run
from judgetool.formats.source import TextSource
from judgetool.formats.trec_run import name_from
from judgetool.formats.values import JudgmentRow, Reading


def read_results(source: TextSource, reading: Reading, *, name: str | None = None) -> None:
    """Read a table of results: queries, documents, and one run for each named in it.

    Results are ordered by rank; by score where there are no ranks; else as they stand.

    Args:
        source: the file.
        reading: gets queries, documents, runs, refusals and notes.
        name: the run's name where no column gives it; ``None`` takes the file's name.
    """
    queries = KeptQueries(reading)
    documents, images = KeptDocuments(), ImageColumn(reading)
    judgments, counts = CollectedJudgments(reading), ClickCounts(reading)
    runs: dict[str, RunRows] = {}
    has_grades = False
    for record in iter_records(source, reading):
        query = take_query(record)
        document_id = record.take("document_id")
        rank_text, score_text = record.take("rank"), record.take("score")
        run_name, grade_text = record.take("run"), record.take("grade")
        has_grades = has_grades or record.has("grade")
        rank, score = _number(rank_text), _number(score_text)
        reason = _find_reason(query.id, document_id, {rank_text: rank, score_text: score})
        if reason:
            reading.refuse(record.line, reason)
            continue
        if not queries.add(record.line, query):
            continue
        clicked = counts.take(record, query.id, document_id, position=rank_text)
        if clicked is not None:
            counts.add(clicked)
        documents.add(take_document(document_id, record, images))
        rows = runs.setdefault(run_name, RunRows())
        rows.add(query.id, document_id, record.line, rank, score)
        if grade_text:
            row = JudgmentRow(query.id, document_id, "", None)
            judgments.add_graded(record.line, row, grade_text)
    documents.hand_over(reading)
    images.note()
    counts.hand_over()
    if has_grades:
        judgments.hand_over()
    for run_name, run_rows in runs.items():
        own_name = run_name or name or name_from(source.name)
        reading.runs.append(
            build_run(run_rows.results(reading), reading, name=own_name, is_ranked=True)
        )


def _number(text: str) -> float | None:
    """Return a rank or score: NaN where there is none, ``None`` if it is not a number."""
    return find_score(text) if text else math.nan


def _find_reason(
    query_id: str, document_id: str, numbers: Mapping[str, float | None]
) -> str | None:
    """Return why a row cannot be used, if so."""
    if not query_id:
        return "the row names no query"
    if not document_id:
        return "the row names no document"
    for text, number in numbers.items():
        if number is None:
            return f"'{text[:60]}' is not a number"
    return None


@dataclass(slots=True)
class RunRows:
    """One run's rows as columns."""

    query_ids: Codes = field(default_factory=Codes)
    document_ids: Codes = field(default_factory=Codes)
    queries: list[int] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    ranks: list[float | None] = field(default_factory=list)
    scores: list[float | None] = field(default_factory=list)

    def add(
        self, query_id: str, document_id: str, line: int, rank: float | None, score: float | None
    ) -> None:
        """Take a result; NaN stands for a rank or score that is missing."""
        self.queries.append(self.query_ids[query_id])
        self.documents.append(self.document_ids[document_id])
        self.lines.append(line)
        self.ranks.append(rank)
        self.scores.append(score)

    def results(self, reading: Reading) -> Results:
        """Return the rows; a column with gaps is no column."""
        ranks = np.array(self.ranks, np.float64)
        scores = np.array(self.scores, np.float64)
        for what, column in (("rank", ranks), ("score", scores)):
            n_missing = int(np.isnan(column).sum())
            if 0 < n_missing < len(column):
                reading.notes.append(
                    f"{count_noun(n_missing, 'row')} without a {what}: no {what} of the run counts."
                )
        return Results(
            list(self.query_ids),
            list(self.document_ids),
            np.array(self.queries, np.int32),
            np.array(self.documents, np.int32),
            np.array(self.lines, np.int32),
            None if np.isnan(scores).any() else scores,
            None if np.isnan(ranks).any() else ranks,
        )
