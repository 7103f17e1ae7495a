"""TREC runs: ``query Q0 document rank score tag``, separated by blanks; read, and scanned for values.

The scan leads from bytes to the ranks of judged documents and nothing else, several times as fast
as reading: no object is made per line, and of a document that nobody judged only its place is
known. Whatever is not plain ends the scan without an answer, and the careful reader takes over,
with its notes and refusals; where the scan answers, both say the same.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from math import inf
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from judgetool.core.held_files import open_to_read, refusing_change
from judgetool.core.rankings import score_order
from judgetool.errors import InputError
from judgetool.formats.output import RESULTS_INSTEAD, checked_trec_id, format_number
from judgetool.formats.records import (
    find_grade,
    find_score,
    is_score,
    iter_rows,
    note_ties,
)
from judgetool.formats.results import RunRows, Scores, has_comma, why_no_number
from judgetool.formats.scan import (
    MAX_FIELD_BYTES,
    SWAPPED_RUN,
    TREC_RUN,
    Fields,
    Floats,
    IdCodes,
    IdTable,
    Ints,
    RunLayout,
    ScannedRows,
    as_sortable,
    compute_hashes,
    find_fields,
    has_repeats,
    keep_freed_memory,
    number_ids,
    order_ties,
    scan_fields,
    scan_run_lines,
)
from judgetool.formats.source import LineBlock, TextSource
from judgetool.formats.values import (
    ARE_SWAPPED,
    SWAPPED,
    Question,
    RankedResult,
    Reading,
    Wishes,
    are_swapped,
)
from judgetool.wording import N_, _

CHUNK_BYTES = 1 << 20
"""Read at once: what fits into a core's cache with all that is computed from it."""

_MAX_QUERY_BYTES = 1 << 25
_HEAD_BYTES = 4096
_QRELS = RunLayout(4, 4, 2, ())


# So begin JSON, markup, YAML and LETOR, and a text that says its encoding.
_OTHER_START = re.compile(rb"[{\[]|</?[A-Za-z!?]|- [A-Za-z_]\w*:|\S+\s+qid:|\xef\xbb\xbf")
_CELL = re.compile(r"[^ \t,;|\"\n]+")
_MOST_ABOVE = 10


def _open_plain(path: Path) -> BinaryIO | None:
    """Open a file that begins like UTF-8 text of columns without a header.

    Lines that pass a scan could be nothing else; only the first ones may say otherwise.

    Returns:
        ``None`` where the careful reader is needed, which has the words for what is wrong.
    """
    # To open a pipe is to read from it, and the careful reader needs all of it.
    if not path.is_file():
        return None
    try:
        with open_to_read(path) as stream:
            start = stream.read(_HEAD_BYTES)
        if _OTHER_START.match(start) or _may_have_header(start):
            return None
        return open_to_read(path)
    except (OSError, InputError):
        return None


def _may_have_header(start: bytes) -> bool:
    """Whether one of the first lines may name columns: no name has a digit in it."""
    for line in start.decode(errors="replace").split("\n", _MOST_ABOVE)[:_MOST_ABOVE]:
        words = [word for word in _CELL.findall(line) if not any(map(str.isdigit, word))]
        if len(words) > 1:
            from judgetool.formats.names import ALL_NAMES, normal_name  # noqa: PLC0415 - few need it

            if len(ALL_NAMES.intersection(map(normal_name, words))) > 1:
                return True
    return False


class ScannedRun(NamedTuple):
    """One system's rankings, best first, of which only judged documents are known.

    The results of query ``i`` stand at ``offsets[i]`` to ``offsets[i + 1]``.

    Attributes:
        name: the run's tag.
        query_ids: in order of appearance; each has at least one result.
        offsets: int64, shape (n_queries + 1,).
        documents: place among the judged ids, -1 where it is none, int32, shape (n_results,).
        notes: sentences about what was decided, as the careful reader words them.
    """

    name: str
    query_ids: list[str]
    offsets: Ints
    documents: IdCodes
    notes: list[str]


class _Chunk(NamedTuple):
    """Whole queries that stand together in the file."""

    queries: list[str]
    lengths: Ints
    documents: IdCodes
    tag: str
    n_tied: int
    n_tied_queries: int


def scan_run(path: Path, judged: IdTable, *, chunk_bytes: int = CHUNK_BYTES) -> ScannedRun | None:
    """Read a plain TREC run in as far as values need it.

    Args:
        path: the file.
        judged: ids of the documents to be recognised.
        chunk_bytes: how much is read at once, from 1.

    Returns:
        The run; ``None`` where the careful reader is needed: any line out of the
        ordinary, results not in order, a query in several places, a document twice in
        a query, another format or encoding, a file that is packed, empty or cannot be read.
    """
    keep_freed_memory()  # alike: only time
    stream = _open_plain(path)
    if stream is None:
        return None
    with stream, refusing_change(path, stream):
        try:
            return _scan(_iter_queries(stream, chunk_bytes), judged)
        except OSError:
            # The careful reader meets it, too, and has the words for it.
            return None


def _scan(parts: Iterator[bytes | None], judged: IdTable) -> ScannedRun | None:
    chunks: list[_Chunk] = []
    query_ids: list[str] = []
    for raw in parts:
        chunk = None if raw is None else _scan_chunk(raw, judged)
        if chunk is None or (chunks and chunk.tag != chunks[0].tag):
            return None
        chunks.append(chunk)
        query_ids += chunk.queries
    if not chunks or len(set(query_ids)) < len(query_ids):
        return None
    lengths = np.concatenate([chunk.lengths for chunk in chunks])
    notes: list[str] = []
    note_ties(
        notes,
        sum(chunk.n_tied for chunk in chunks),
        sum(chunk.n_tied_queries for chunk in chunks),
    )
    return ScannedRun(
        chunks[0].tag,
        query_ids,
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.concatenate([chunk.documents for chunk in chunks]),
        notes,
    )


def _iter_queries(stream: BinaryIO, chunk_bytes: int) -> Iterator[bytes | None]:
    """Yield bytes of whole lines and, if the file's queries stand together, whole queries.

    ``None`` ends it where one query is too long to be held.
    """
    rest = b""
    while part := stream.read(max(chunk_bytes, len(rest))):
        rest += part
        cut = _last_query_start(rest)
        if cut:
            yield rest[:cut]
            rest = rest[cut:]
        elif len(rest) > _MAX_QUERY_BYTES:
            yield None
            return
    if rest:
        yield rest if rest.endswith(b"\n") else rest + b"\n"


def _last_query_start(raw: bytes) -> int:
    """Return where the lines of the last whole line's query begin; 0 if nothing is before.

    Found by halving, as if the query's lines stood together; where they do not, its id
    comes again later and the scan ends.
    """
    high = raw.rfind(b"\n", 0, max(raw.rfind(b"\n"), 0)) + 1
    query = raw[high : high + MAX_FIELD_BYTES + 1].replace(b"\t", b" ").partition(b" ")[0]
    marks = query + b" ", query + b"\t"
    if not high or raw.startswith(marks):
        return 0
    low = 0
    # The line at low has another query, the one at high has this one.
    while (middle := _line_between(raw, low, high)) < high:
        if raw.startswith(marks, middle):
            high = middle
        else:
            low = middle
    return high


def _line_between(raw: bytes, low: int, high: int) -> int:
    """Return where a line begins that lies between two others; ``high`` if there is none."""
    middle = raw.rfind(b"\n", low, (low + high) // 2) + 1
    return middle if middle > low else raw.find(b"\n", low) + 1


def _scan_chunk(raw: bytes, judged: IdTable) -> _Chunk | None:
    rows = scan_run_lines(raw)
    if rows is None:
        return None
    is_first, scores = rows.firsts(), rows.scores
    ranks = as_sortable(rows.rank_digits)
    is_falling = (scores[1:] <= scores[:-1]) & (ranks[1:] >= ranks[:-1])
    if not (is_falling | is_first[1:]).all():
        return None
    hashes = compute_hashes(rows.documents)
    queries = np.cumsum(is_first) - 1
    if has_repeats(hashes, queries):
        return None
    documents = judged.find(rows.documents, hashes)
    is_tie = np.zeros(len(scores), np.bool_)
    is_tie[1:] = (scores[1:] == scores[:-1]) & ~is_first[1:]
    n_tied = 0
    if is_tie.any():
        order_ties(documents, is_tie, rows.documents)
        n_tied = int(np.count_nonzero(is_tie | np.append(is_tie[1:], False)))
    n_queries = int(np.count_nonzero(np.bincount(queries[is_tie])))
    return _Chunk(rows.queries, rows.query_lengths, documents, rows.tag, n_tied, n_queries)


class ScannedQrels(NamedTuple):
    """Judgments as arrays, one for each (query, document), in the file's order.

    Attributes:
        query_ids: in order of appearance.
        queries: places in ``query_ids``, int32, shape (n,).
        documents: number of each document, int32, shape (n,).
        grades: float64, shape (n,); negative where the file has them so.
        judged: the documents by their numbers.
    """

    query_ids: list[str]
    queries: IdCodes
    documents: IdCodes
    grades: Floats
    judged: IdTable


def scan_qrels(path: Path) -> ScannedQrels | None:
    """Read plain TREC qrels.

    Returns:
        All of the file; ``None`` where the careful reader is needed, with its notes
        and refusals: any line out of the ordinary, a document judged twice for a
        query, several values in column two, another format or encoding, a file that is
        packed, empty or cannot be read.
    """
    stream = _open_plain(path)
    if stream is None:
        return None
    with stream, refusing_change(path, stream):
        raw = stream.read()
    fields = find_fields(raw if raw.endswith(b"\n") else raw + b"\n", _QRELS.n_columns)
    return None if fields is None else _as_arrays(fields)


def _as_arrays(fields: Fields) -> ScannedQrels | None:
    rows, grades = scan_fields(fields, _QRELS), _find_grades(fields)
    if rows is None or grades is None or not fields.has_one(1):
        return None
    numbers = {query: number for number, query in enumerate(dict.fromkeys(rows.queries))}
    codes = np.array([numbers[query] for query in rows.queries], np.int32)
    queries = np.repeat(codes, rows.query_lengths)
    documents, words = number_ids(rows.documents)
    pairs = np.sort(queries.astype(np.int64) * len(words[0]) + documents)
    if (pairs[1:] == pairs[:-1]).any():
        return None
    return ScannedQrels(list(numbers), queries, documents, grades, IdTable(words))


def _find_grades(fields: Fields) -> Floats | None:
    """Return the grades; ``None`` if one of them has to be looked at closely."""
    words = fields.load(3)
    if len(words) > 1:
        return None
    _, lines, places = np.unique(words[0], return_index=True, return_inverse=True)
    grades = [find_grade(text) for text in fields.texts(3, lines)]
    known = [grade for grade in grades if grade is not None]
    return np.array(known)[places] if len(known) == len(grades) else None


_SCANNED_AHEAD = 3
_RANK = re.compile(r"[0-9]{1,15}")
_PLACE = re.compile(r"[0-9]{1,15}(?:\.0*)?")
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


class RunLines:
    """Results of a file's lines: of a block of plain ones all at once, of others line by line.

    Args:
        reading: gets the refusals.
        layout: which column is what.
        is_row: whether a line's columns are a full result, with which no comment begins.
        scores: knows what a comma in a score means; ``None`` where a score has none.

    Attributes:
        rows: the results.
        tags: the run's tag of each of them: of how many that follow one another which, in order.
    """

    def __init__(
        self,
        reading: Reading,
        layout: RunLayout,
        is_row: Callable[[Sequence[str]], bool],
        scores: Scores | None = None,
    ) -> None:
        self.rows = RunRows()
        self.tags: list[tuple[str, int]] = []
        self._reading = reading
        self._layout = layout
        self._is_row = is_row
        self._scores = scores
        self._least_columns = 0

    def add_all(self, source: TextSource) -> None:
        """Take all of a file; while one block is taken, the next ones are scanned."""
        keep_freed_memory()
        blocks = source.blocks(self._reading.refuse)
        first = list(islice(blocks, 2))
        if len(first) > 1:
            self._add_ahead(chain(first, blocks))
        elif first:
            self._add(first[0], scan_block(first[0].raw, self._layout))
        # Lines that are too long were refused blocks ahead of those before them.
        self._reading.refusals.sort(key=lambda each: inf if each.line is None else each.line)

    def _add_ahead(self, blocks: Iterable[LineBlock]) -> None:
        from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415 - for long files alone

        with ThreadPoolExecutor(1, thread_name_prefix="judgetool-scan") as scanner:
            waiting: deque[tuple[LineBlock, Future[ScannedRows | None]]] = deque()
            for block in blocks:
                waiting.append((block, scanner.submit(scan_block, block.raw, self._layout)))
                if len(waiting) > _SCANNED_AHEAD:
                    oldest, scanning = waiting.popleft()
                    self._add(oldest, scanning.result())
            for oldest, scanning in waiting:
                self._add(oldest, scanning.result())

    def _add(self, block: LineBlock, scanned: ScannedRows | None) -> None:
        # Where lines lack the tag, a sixth column has to be looked at closely.
        if scanned is not None and self._least_columns in {0, self._layout.n_columns}:
            self._least_columns = self._layout.n_columns
            self._count_tag(scanned.tag, len(scanned.scores))
            self.rows.add_scanned(scanned, block.first)
            return
        for number, columns in iter_rows(block, self._is_row, self._reading.refuse):
            reason = self._add_row(number, columns)
            if reason:
                self._reading.refuse(number, reason)

    def _add_row(self, line: int, columns: Sequence[str]) -> str:
        """Take a line's result; return why it cannot be taken, if so."""
        layout = self._layout
        # Most lines have it in its place: to look at that alone costs nothing.
        is_apart = self._layout.has_tag and len(columns) > 1 and columns[1] not in _MARKS
        if is_apart and (parted := find_parted_id(columns)):
            return _(_PARTED_ID).format(query=parted[:60], mark=columns[parted.count(" ") + 1])
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
        if self._scores and what == "score":
            numbers[what] = self._scores.number(columns[place])
        if numbers[what] is None:
            return why_no_number(what, columns[place])
        document_id = columns[layout.document]
        self.rows.add(columns[0], document_id, line, numbers.get("rank"), numbers.get("score"))
        self._count_tag(" ".join(columns[TREC_RUN.n_columns - 1 :]), 1)
        return ""

    def _count_tag(self, tag: str, count: int) -> None:
        if self.tags and self.tags[-1][0] == tag:
            count += self.tags.pop()[1]
        self.tags.append((tag, count))


_MARKS = frozenset({"Q0", "q0"})
_PARTED_ID = N_(
    "the query id ‘{query}’ before {mark} holds blanks, which part columns here; write _ in their place, "
    "or save the run as a table with the columns query, doc_id, rank and score"
)


def find_parted_id(columns: Sequence[str]) -> str:
    """Return the query id that blanks part into columns, where TREC's Q0 stands behind it; else ``""``.

    Of six columns, whose last one may be a score, only those are meant whose rank is no number.

    Examples:
        >>> find_parted_id("cold soup Q0 d1 1 2.5 bm25".split())
        'cold soup'
        >>> find_parted_id("7 Q0 d1 1 2.5 the Q0 of 2024".split())
        ''
    """
    n_columns = TREC_RUN.n_columns
    if len(columns) < n_columns or columns[1] in _MARKS or columns[1] == "0":
        return ""
    has_rank = find_score(columns[3]) is not None
    if len(columns) == n_columns and has_rank:
        return ""
    # A document, a rank and a score come after it. Some write 0 for it, which may be a document's id.
    for at in range(2, len(columns) - 3):
        is_zero = columns[at] == "0" and not has_rank
        is_mark = is_zero and is_run_row([*columns[:1], *columns[at : at + 4], ""])
        if columns[at] in _MARKS or is_mark:
            return " ".join(columns[:at])
    return ""


def is_run_row(columns: Sequence[str]) -> bool:
    """Whether a line's columns are a full result, with an ordinary rank and a score."""
    return (
        len(columns) == TREC_RUN.n_columns
        and _RANK.fullmatch(columns[3]) is not None
        and (is_score(columns[4]) or has_comma(columns[4]))
    )


def is_swapped_run_row(columns: Sequence[str]) -> bool:
    """Whether a line's columns are a result whose rank and score may have changed places."""
    return (
        len(columns) >= TREC_RUN.n_columns - 1
        and columns[1].upper() in {"0", "Q0"}
        and is_score(columns[3])
        and _PLACE.fullmatch(columns[4]) is not None
    )


def ranks_question(rows: Sequence[Sequence[str]], wishes: Wishes) -> Question | None:
    """Return whether ranks and scores have changed places, where it looks like it; else ``None``.

    Args:
        rows: the first rows, at least five columns each.
        wishes: what the person said of the file.
    """
    numbers = [(row[0], find_score(row[3]), find_score(row[4])) for row in rows]
    known = [(query, rank, score) for query, rank, score in numbers if None not in (rank, score)]
    has_fractions = any((rank or 0.0) % 1 for _query, rank, _score in known)
    is_clear = are_swapped(known)
    if not (is_clear or has_fractions):
        return None
    said = SWAPPED if is_clear else N_("Some ranks are no whole numbers.")
    text = f"{_(said)} {_(ARE_SWAPPED)}"
    choices = {
        "swap": _("Yes: the fourth column holds scores, the fifth ranks"),
        "keep": _("No: the fourth column holds ranks, the fifth scores"),
    }
    return wishes.answered(Question("ranks", text, choices, "" if is_clear else "keep"))


def read_trec_run(source: TextSource, reading: Reading) -> None:
    """Read a run; the tag may hold blanks or be missing throughout.

    The answer to its question ``ranks`` says whether ranks and scores have changed places, that to
    ``score_comma`` what a comma in a score is.

    Args:
        source: the file.
        reading: gets the run, the refusals and the notes.
    """
    if any(question.is_open for question in reading.open_questions):
        # Which number orders the results is not known yet.
        RunLines(reading, TREC_RUN, is_run_row).add_all(source)
        return
    is_swapped = reading.answer_to("ranks") == "swap"
    layout = SWAPPED_RUN if is_swapped else TREC_RUN
    scores = Scores(reading)
    lines = RunLines(reading, layout, is_swapped_run_row if is_swapped else is_run_row, scores)
    lines.add_all(source)
    if not scores.are_known():
        return
    lines.rows.hand_over(reading, is_ranked=False, tags=lines.tags)


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
