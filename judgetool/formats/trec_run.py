"""TREC runs: ``query Q0 document rank score tag``, separated by blanks."""

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby
from math import inf

import numpy as np

from judgetool.core.number_text import number_of
from judgetool.core.rankings import score_order
from judgetool.errors import InputError
from judgetool.formats.columns import INFINITE_SCORE, find_score, is_infinite, is_score, iter_rows
from judgetool.formats.output import RESULTS_INSTEAD, checked_trec_id, format_number
from judgetool.formats.results import RunRows
from judgetool.formats.scan import (
    TREC_RUN,
    RunLayout,
    ScannedRows,
    keep_freed_memory,
    scan_run_lines,
)
from judgetool.formats.source import LineBlock, TextSource
from judgetool.formats.values import RankedResult, Reading
from judgetool.wording import N_, _

_SCANNED_AHEAD = 3
_RANK = re.compile(r"[0-9]{1,15}")
_TO_BLANKS = bytes.maketrans(b"\t\v\f", b"   ")


def scan_block(raw: bytes, layout: RunLayout = TREC_RUN) -> ScannedRows | None:
    """Read a block of whole lines, without the last one's end, if all are plain.

    Returns:
        The results; ``None`` if any line is out of the ordinary.
    """
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").removesuffix(b"\r")
    found = scan_run_lines(b"%b\n" % raw, layout)
    return found or scan_run_lines(b"%b\n" % _with_single_blanks(raw), layout)


def _with_single_blanks(raw: bytes) -> bytes:
    """Return lines with one blank between two columns; as many lines, also of nothing."""
    raw = raw.translate(_TO_BLANKS)
    while b"  " in raw:
        raw = raw.replace(b"  ", b" ")
    return raw.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


_NO_NUMBER = {
    "rank": N_("the rank ‘{text}’ is not a number"),
    "score": N_("the score ‘{text}’ is not a number"),
}


class RunLines:
    """Results of a file's lines: of a block of plain ones all at once, of others line by line.

    Args:
        reading: gets the refusals.
        layout: which column is what.
        is_row: whether a line's columns are a full result, with which no comment begins.

    Attributes:
        rows: the results.
        tags: how often each run tag came.
    """

    def __init__(
        self, reading: Reading, layout: RunLayout, is_row: Callable[[Sequence[str]], bool]
    ) -> None:
        self.rows = RunRows()
        self.tags: Counter[str] = Counter()
        self._reading = reading
        self._layout = layout
        self._is_row = is_row
        self._least_columns = 0

    def add_all(self, source: TextSource) -> None:
        """Take all of a file; while one block is taken, the next ones are scanned."""
        keep_freed_memory()
        with ThreadPoolExecutor(1, thread_name_prefix="judgetool-scan") as scanner:
            waiting: deque[tuple[LineBlock, Future[ScannedRows | None]]] = deque()
            for block in source.blocks(self._reading.refuse):
                waiting.append((block, scanner.submit(scan_block, block.raw, self._layout)))
                if len(waiting) > _SCANNED_AHEAD:
                    self._add(*waiting.popleft())
            while waiting:
                self._add(*waiting.popleft())
        # Lines that are too long were refused blocks ahead of those before them.
        self._reading.refusals.sort(key=lambda each: inf if each.line is None else each.line)

    def _add(self, block: LineBlock, scanning: Future[ScannedRows | None]) -> None:
        scanned = scanning.result()
        # Where lines lack the tag, a sixth column has to be looked at closely.
        if scanned is not None and self._least_columns in {0, self._layout.n_columns}:
            self._least_columns = self._layout.n_columns
            self.tags[scanned.tag] += len(scanned.scores)
            self.rows.add_scanned(scanned, block.first)
            return
        for number, columns in iter_rows(block, self._is_row, self._reading.refuse):
            reason = self._add_row(number, columns)
            if reason:
                self._reading.refuse(number, reason)

    def _add_row(self, line: int, columns: Sequence[str]) -> str:
        """Take a line's result; return why it cannot be taken, if so."""
        layout = self._layout
        if not self._least_columns and len(columns) >= layout.least_columns:
            # The first full line decides whether the file has tags: later, a line
            # without one may be cut off, in the middle of its score.
            self._least_columns = min(len(columns), layout.n_columns)
        least = self._least_columns or layout.n_columns
        if len(columns) < least or (len(columns) > least and not layout.has_tag):
            return _("expected {least} columns, found {columns}").format(
                least=least, columns=len(columns)
            )
        numbers = {what: find_score(columns[place]) for what, place in layout.numbers}
        what, place = layout.numbers[-1]
        if numbers[what] is None:
            text = columns[place]
            is_endless = what == "score" and is_infinite(text)
            said = INFINITE_SCORE if is_endless else _NO_NUMBER[what]
            return _(said).format(text=text[:60])
        document_id = columns[layout.document]
        self.rows.add(columns[0], document_id, line, numbers.get("rank"), numbers.get("score"))
        if len(columns) >= TREC_RUN.n_columns:
            self.tags[" ".join(columns[5:])] += 1
        return ""


def is_run_row(columns: Sequence[str]) -> bool:
    """Whether a line's columns are a full result, with an ordinary rank and a score."""
    return (
        len(columns) == TREC_RUN.n_columns
        and _RANK.fullmatch(columns[3]) is not None
        and is_score(columns[4])
    )


def read_trec_run(source: TextSource, reading: Reading) -> None:
    """Read a run; the tag may hold blanks or be missing throughout.

    Args:
        source: the file.
        reading: gets the run, the refusals and the notes.
    """
    lines = RunLines(reading, TREC_RUN, is_run_row)
    lines.add_all(source)
    if len(lines.tags) > 1:
        some = ", ".join(tag for tag, _ in lines.tags.most_common(5))
        reading.notes.append(
            number_of(
                len(lines.tags),
                "The file has {n} tag ({some}) and is read as one run.",
                "The file has {n} tags ({some}) and is read as one run.",
                some=some,
            )
        )
    tag = next((tag for tag, _ in lines.tags.most_common(1)), "")
    lines.rows.hand_over(reading, is_ranked=False, name=reading.run_name or tag)


def run_lines(rows: Iterable[RankedResult], tag: str, replaced: list[str]) -> Iterator[str]:
    """Yield the lines of a run, query by query.

    Args:
        rows: a query's rows stand together, best first.
        tag: the last column.
        replaced: gets the queries whose scores were written as n, n − 1, … 1.
    """
    seen: set[str] = set()
    for query_id, group in groupby(rows, key=lambda row: row.query_id):
        checked_trec_id(query_id, "query", starts_line=True, instead=RESULTS_INSTEAD)
        its = list(group)
        documents = [
            checked_trec_id(row.document_id, "document", instead=RESULTS_INSTEAD) for row in its
        ]
        if query_id in seen or len(set(documents)) < len(documents):
            raise InputError(
                _(
                    "Query ‘{query_id}’ comes twice, or has a document twice. Nothing was written."
                ).format(query_id=query_id)
            )
        seen.add(query_id)
        scores = _falling_scores(its)
        if scores is None:
            replaced.append(query_id)
            scores = [str(place) for place in range(len(its), 0, -1)]
        yield "".join(
            f"{query_id} Q0 {document} {rank} {score} {tag}\n"
            for rank, (document, score) in enumerate(zip(documents, scores, strict=True), 1)
        )


def _falling_scores(rows: Sequence[RankedResult]) -> list[str] | None:
    """Return the scores as text; ``None`` if they do not fall strictly, or one is infinite."""
    scores = [row.score for row in rows if row.score is not None]
    if len(scores) < len(rows):
        return None
    texts = [format_number(score) for score in scores]
    values = np.array(scores)
    if not np.isfinite(values).all():
        return None
    order = score_order(values, [row.document_id for row in rows])
    has_ties = bool((values[1:] == values[:-1]).any())
    is_same = bool((order == np.arange(len(rows))).all())
    return texts if is_same and not has_ties else None
