"""A TREC run's bytes to the ranks of judged documents: for values, nothing else.

Several times as fast as reading: no object is made per line, and of a document that
nobody judged only its place is known. Whatever is not plain ends the scan without
an answer, and the careful reader takes over, with its notes and refusals; where the
scan answers, both say the same.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.held_files import open_to_read
from judgetool.errors import InputError
from judgetool.formats.columns import find_grade, note_ties
from judgetool.formats.ids import IdCodes, IdTable, number_ids
from judgetool.formats.scan import (
    MAX_FIELD_BYTES,
    Fields,
    Ints,
    RunLayout,
    as_sortable,
    compute_hashes,
    find_fields,
    has_repeats,
    keep_freed_memory,
    order_ties,
    scan_fields,
    scan_run_lines,
)

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
    offsets: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    notes: list[str]


class _Chunk(NamedTuple):
    """Whole queries that stand together in the file."""

    queries: list[str]
    lengths: Ints
    documents: npt.NDArray[np.int32]
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
    keep_freed_memory()
    stream = _open_plain(path)
    if stream is None:
        return None
    with stream:
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
    grades: npt.NDArray[np.float64]
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
    with stream:
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


def _find_grades(fields: Fields) -> npt.NDArray[np.float64] | None:
    """Return the grades; ``None`` if one of them has to be looked at closely."""
    words = fields.load(3)
    if len(words) > 1:
        return None
    _, lines, places = np.unique(words[0], return_index=True, return_inverse=True)
    grades = [find_grade(text) for text in fields.texts(3, lines)]
    known = [grade for grade in grades if grade is not None]
    return np.array(known)[places] if len(known) == len(grades) else None
