"""TREC runs: ``query Q0 document rank score tag``, separated by blanks."""

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.rankings import score_order
from judgetool.errors import InputError
from judgetool.formats.columns import SplitLines, count_noun, find_columns, find_score, iter_rows
from judgetool.formats.ids import IdTable
from judgetool.formats.output import RESULTS_INSTEAD, checked_trec_id, format_number
from judgetool.formats.results import Codes, Results, build_run
from judgetool.formats.scan import ScannedRows, keep_freed_memory, scan_run_lines
from judgetool.formats.source import LineBlock, Refuse, TextSource
from judgetool.formats.values import RankedResult, Reading

_N_COLUMNS = 6
_SCANNED_AHEAD = 3
# Where a part's documents stand.
_DOCUMENTS = 1
_SCORE_CHARACTERS = b"0123456789+-.eE"
_RANK = re.compile(r"[0-9]{1,15}")


def scan_block(raw: bytes) -> ScannedRows | None:
    """Read a block of whole lines, without the last one's end, if all are plain.

    Returns:
        The results; ``None`` if any line is out of the ordinary.
    """
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").removesuffix(b"\r")
    return scan_run_lines(b"%b\n" % raw)


_Refused = tuple[int | None, str]
_Scanned = Future[ScannedRows | None]
_Waiting = tuple[LineBlock | None, list[_Refused], _Scanned | None]

# Columns of a block: numbers of different types, which numpy's own type cannot tell apart.
Column = npt.NDArray[Any]


class CollectedResults:
    """Results as they come in, as arrays per block.

    A block is tried in three ways, each slower and more lenient than the one before:
    its bytes by numpy, all its columns at once, line by line.

    Attributes:
        tags: how often each run tag came.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._queries = Codes()
        self._documents = IdTable()
        self._parts: list[_Part] = []
        self._has_ranks = True
        self._least_columns: int | None = None
        self.tags: Counter[str] = Counter()

    def add_all(self, source: TextSource) -> None:
        """Take all of a file; while one block is taken, the next ones are scanned."""
        with ThreadPoolExecutor(1, thread_name_prefix="judgetool-scan") as scanner:
            waiting: deque[_Waiting] = deque()
            for block, refusals in _iter_blocks(source, self._reading.refuse):
                scanned = scanner.submit(scan_block, block.raw) if block else None
                waiting.append((block, refusals, scanned))
                if len(waiting) > _SCANNED_AHEAD:
                    self._add_next(*waiting.popleft())
            while waiting:
                self._add_next(*waiting.popleft())

    def _add_next(
        self, block: LineBlock | None, refusals: list[_Refused], scanned: _Scanned | None
    ) -> None:
        for line, reason in refusals:
            self._reading.refuse(line, reason)
        if block is not None:
            self._add(block, scanned.result() if scanned else None)

    def _add(self, block: LineBlock, scanned: ScannedRows | None) -> None:
        # Where lines lack the tag, a sixth column has to be looked at closely.
        is_tagged = self._least_columns in (None, _N_COLUMNS)
        if is_tagged and (self._add_scanned(block, scanned) or self._add_columns(block)):
            self._least_columns = _N_COLUMNS
        else:
            self._add_lines(block)

    def _add_scanned(self, block: LineBlock, scanned: ScannedRows | None) -> bool:
        if scanned is None:
            return False
        count = len(scanned.scores)
        codes = [self._queries[query] for query in scanned.queries]
        self._parts.append(
            _Part(
                np.repeat(np.array(codes, np.int32), scanned.query_lengths),
                self._documents.codes_of_words(scanned.documents),
                _line_numbers(block.first, count),
                scanned.scores,
                scanned.ranks,
            )
        )
        self.tags[scanned.tag] += count
        return True

    def _add_columns(self, block: LineBlock) -> bool:
        columns = find_columns(block, _N_COLUMNS)
        scores = None if columns is None else _find_scores(columns)
        if columns is None or scores is None:
            return False
        tags = columns.column(5)
        if tags.count(tags[0]) == len(tags):
            self.tags[tags[0]] += len(tags)
        else:
            self.tags.update(tags)
        lines = _line_numbers(block.first, columns.n_lines)
        self._append(columns.column(0), columns.column(2), columns.column(3), scores, lines)
        return True

    def _add_lines(self, block: LineBlock) -> None:
        rows: list[tuple[str, str, str]] = []
        scores: list[float] = []
        lines: list[int] = []
        for number, columns in iter_rows(block, is_run_row, self._reading.refuse):
            score = self._checked_score(number, columns)
            if score is None:
                continue
            rows.append((columns[0], columns[2], columns[3]))
            scores.append(score)
            lines.append(number)
            if len(columns) >= _N_COLUMNS:
                self.tags[" ".join(columns[5:])] += 1
        if rows:
            queries, documents, ranks = zip(*rows, strict=True)
            self._append(
                queries, documents, ranks, np.array(scores, np.float64), np.array(lines, np.int32)
            )

    def results(self) -> Results:
        """Return all that came in; nothing more may come."""
        queries = list(self._queries)
        if not self._parts:
            none, no_scores = np.zeros(0, np.int32), np.zeros(0, np.float64)
            return Results(queries, [], none, none, none, no_scores, None)
        columns = list(zip(*self._parts, strict=True))
        # Column by column, so that no more than one of them is ever there twice.
        self._parts.clear()
        place_of, document_ids = self._documents.sort()
        columns[_DOCUMENTS] = tuple(place_of[part] for part in columns[_DOCUMENTS])
        joined = [_joined(columns, place) for place in range(len(columns))]
        codes, documents, lines, scores, ranks = joined
        return Results(
            queries,
            document_ids,
            codes,
            documents,
            lines,
            scores,
            ranks if self._has_ranks else None,
        )

    def _checked_score(self, number: int, columns: Sequence[str]) -> float | None:
        if self._least_columns is None and len(columns) >= _N_COLUMNS - 1:
            # The first full line decides whether the file has tags: later, a line
            # without one may be cut off, in the middle of its score.
            self._least_columns = min(len(columns), _N_COLUMNS)
        least = self._least_columns or _N_COLUMNS
        if len(columns) < least:
            self._reading.refuse(
                number, f"expected {count_noun(least, 'column')}, found {len(columns)}"
            )
            return None
        score = find_score(columns[4])
        if score is None:
            self._reading.refuse(number, f"the score '{columns[4][:60]}' is not a number")
        return score

    def _append(
        self,
        queries: Sequence[str],
        documents: Sequence[str],
        ranks: Sequence[str],
        scores: npt.NDArray[np.float64],
        lines: npt.NDArray[np.int32],
    ) -> None:
        codes = np.fromiter(map(self._queries.__getitem__, queries), np.int32, len(queries))
        found = self._documents.codes_of_texts(documents)
        self._parts.append(_Part(codes, found, lines, scores, self._ranks(ranks)))

    def _ranks(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return ranks for comparison with the scores; where one is no number, none are."""
        if self._has_ranks:
            try:
                return np.fromiter(map(int, texts), np.float64, len(texts))
            except (ValueError, OverflowError):
                self._has_ranks = False
        return np.zeros(len(texts))


class _Part(NamedTuple):
    """One block's results as columns; queries and documents as codes."""

    queries: Column
    documents: Column
    lines: Column
    scores: Column
    ranks: Column


def _joined(columns: list[tuple[Column, ...]], place: int) -> Column:
    """Join a column's parts and let go of them."""
    parts, columns[place] = columns[place], ()
    return np.concatenate(parts)


def _iter_blocks(
    source: TextSource, refuse: Refuse
) -> Iterator[tuple[LineBlock | None, list[_Refused]]]:
    """Yield blocks, each with what was refused on the way to it; ``None`` after the last.

    Blocks are fetched before those ahead of them are read, and refusals are to stay in
    the order of the lines.
    """
    refused: list[_Refused] = []
    is_on_the_way = True

    def refuse_in_turn(line: int | None, reason: str) -> None:
        if is_on_the_way:
            refused.append((line, reason))
        else:
            refuse(line, reason)

    for block in source.blocks(refuse_in_turn):
        found, refused = refused, []
        is_on_the_way = False
        yield block, found
        is_on_the_way = True
    yield None, refused


def _line_numbers(first: int, count: int) -> npt.NDArray[np.int32]:
    return np.arange(first, first + count, dtype=np.int32)


def _find_scores(columns: SplitLines) -> npt.NDArray[np.float64] | None:
    """Return the scores; ``None`` if one of them has to be looked at closely."""
    texts = columns.column(4)
    # Whatever else float() would take: underscores, NaN, other scripts' digits.
    if "".join(texts).encode().translate(None, _SCORE_CHARACTERS):
        return None
    try:
        return np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None


def is_run_row(columns: Sequence[str]) -> bool:
    """Whether a line's columns are a full result, with an ordinary rank and score."""
    return (
        len(columns) == _N_COLUMNS
        and _RANK.fullmatch(columns[3]) is not None
        and find_score(columns[4]) is not None
    )


def read_trec_run(source: TextSource, reading: Reading) -> None:
    """Read a run; the tag may hold blanks or be missing throughout.

    Args:
        source: the file.
        reading: gets the run, the refusals and the notes.
    """
    keep_freed_memory()
    collected = CollectedResults(reading)
    collected.add_all(source)
    if len(collected.tags) > 1:
        some = ", ".join(tag for tag, _ in collected.tags.most_common(5))
        reading.notes.append(
            f"The file has {count_noun(len(collected.tags), 'tag')} ({some}) and is read as one run."
        )
    tag = next((tag for tag, _ in collected.tags.most_common(1)), "")
    run = build_run(collected.results(), reading, name=reading.run_name or tag, is_ranked=False)
    reading.runs.append(run)


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
                f"Query '{query_id}' comes twice, or has a document twice. Nothing was written."
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
    """Return the scores as text; ``None`` if they do not fall strictly."""
    scores = [row.score for row in rows if row.score is not None]
    if len(scores) < len(rows):
        return None
    texts = [format_number(score) for score in scores]
    values = np.array(scores)
    order = score_order(values, [row.document_id for row in rows])
    has_ties = bool((values[1:] == values[:-1]).any())
    is_same = bool((order == np.arange(len(rows))).all())
    return texts if is_same and not has_ties else None
