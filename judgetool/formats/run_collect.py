"""Results of a TREC run as they come in, block by block."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.formats.columns import Columns, count_noun, find_columns, find_score, iter_rows
from judgetool.formats.run_order import Codes, Results
from judgetool.formats.run_scan import as_codes, scan_block
from judgetool.formats.source import Block
from judgetool.formats.values import Reading

_N_COLUMNS = 6
_SCORE_CHARACTERS = b"0123456789+-.eE"
_RANK = re.compile(r"[0-9]{1,15}")

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
        self._documents = Codes()
        self._parts: list[_Part] = []
        self._has_ranks = True
        self._least_columns: int | None = None
        self.tags: Counter[str] = Counter()

    def add(self, block: Block) -> None:
        """Take a block's results."""
        # Where lines lack the tag, a sixth column has to be looked at closely.
        is_tagged = self._least_columns in (None, _N_COLUMNS)
        if is_tagged and (self._add_scanned(block) or self._add_columns(block)):
            self._least_columns = _N_COLUMNS
        else:
            self._add_lines(block)

    def _add_scanned(self, block: Block) -> bool:
        scanned = scan_block(block.raw)
        if scanned is None:
            return False
        count = len(scanned.scores)
        codes = [self._queries[query] for query in scanned.queries]
        self._parts.append(
            _Part(
                np.repeat(np.array(codes, np.int32), scanned.query_lengths),
                self._document_codes(scanned.documents),
                isinstance(scanned.documents, np.ndarray),
                _line_numbers(block.first, count),
                scanned.scores,
                scanned.ranks,
            )
        )
        self.tags[scanned.tag] += count
        return True

    def _add_columns(self, block: Block) -> bool:
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

    def _add_lines(self, block: Block) -> None:
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
        """Return all that came in."""
        queries = list(self._queries)
        if not self._parts:
            none, no_scores = np.zeros(0, np.int32), np.zeros(0, np.float64)
            return Results(queries, [], none, none, none, no_scores, None)
        codes, document_ids = self._joined_documents()
        parts = self._parts
        return Results(
            queries,
            document_ids,
            np.concatenate([part.queries for part in parts]),
            codes,
            np.concatenate([part.lines for part in parts]),
            np.concatenate([part.scores for part in parts]),
            np.concatenate([part.ranks for part in parts], dtype=np.float64)
            if self._has_ranks
            else None,
        )

    def _joined_documents(self) -> tuple[npt.NDArray[np.int32], list[str]]:
        """Return one code for each document, however its block was read."""
        if all(part.has_numbers for part in self._parts):
            return as_codes([part.documents for part in self._parts])
        codes = [
            self._document_codes(list(map(str, part.documents.tolist())))
            if part.has_numbers
            else part.documents
            for part in self._parts
        ]
        return np.concatenate(codes, dtype=np.int32), list(self._documents)

    def _document_codes(self, documents: Sequence[str] | Column) -> Column:
        if isinstance(documents, np.ndarray):
            return documents
        return np.fromiter(map(self._documents.__getitem__, documents), np.int32, len(documents))

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
        found = self._document_codes(documents)
        self._parts.append(_Part(codes, found, False, lines, scores, self._ranks(ranks)))

    def _ranks(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return ranks for comparison with the scores; where one is no number, none are."""
        if self._has_ranks:
            try:
                return np.fromiter(map(int, texts), np.float64, len(texts))
            except (ValueError, OverflowError):
                self._has_ranks = False
        return np.zeros(len(texts))


class _Part(NamedTuple):
    """One block's results as columns; documents as codes, or as the numbers that they are."""

    queries: Column
    documents: Column
    has_numbers: bool
    lines: Column
    scores: Column
    ranks: Column


def _line_numbers(first: int, count: int) -> npt.NDArray[np.int32]:
    return np.arange(first, first + count, dtype=np.int32)


def _find_scores(columns: Columns) -> npt.NDArray[np.float64] | None:
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
