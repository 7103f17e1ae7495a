"""A TREC run's bytes to the ranks of judged documents: for values, nothing else.

Several times as fast as reading: no object is made per line, and of a document that
nobody judged only its place is known. Whatever is not plain ends the scan without
an answer, and the careful reader takes over, with its notes and refusals; where the
scan answers, both say the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from judgetool.core.held_files import open_to_read
from judgetool.formats.columns import count_noun
from judgetool.formats.scan_fields import find_fields
from judgetool.formats.scan_words import (
    MAX_FIELD_BYTES,
    Ints,
    compute_hashes,
    differs_from_previous,
    keep_freed_memory,
)
from judgetool.formats.score_scan_judged import JudgedIds
from judgetool.formats.score_scan_order import (
    are_ranks_in_order,
    find_scores,
    has_repeats,
    order_ties,
)
from judgetool.formats.score_scan_plain import HEAD_BYTES, is_plain
from judgetool.formats.values import Kind

CHUNK_BYTES = 1 << 20
"""Read at once: what fits into a core's cache with all that is computed from it."""

_MAX_QUERY_BYTES = 1 << 25
_N_COLUMNS = 6
_QUERY, _DOCUMENT, _RANK, _SCORE, _TAG = 0, 2, 3, 4, 5
(_HASH,) = b"#"


@dataclass(frozen=True, slots=True)
class ScannedRun:
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


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Whole queries that stand together in the file."""

    queries: list[str]
    lengths: Ints
    documents: npt.NDArray[np.int32]
    tag: str
    n_tied: int
    n_tied_queries: int


def scan_run(path: Path, judged: JudgedIds, *, chunk_bytes: int = CHUNK_BYTES) -> ScannedRun | None:
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
    if not judged.is_certain:
        return None
    keep_freed_memory()
    try:
        # To open a pipe is to read from it, and the careful reader needs all of it.
        if not path.is_file():
            return None
        with open_to_read(path) as stream:
            head = stream.read(HEAD_BYTES)
            if not is_plain(head, path, Kind.RUN):
                return None
            return _scan(_iter_queries(stream, head, chunk_bytes), judged)
    except OSError:
        # The careful reader meets it, too, and has the words for it.
        return None


def _scan(parts: Iterator[bytes | None], judged: JudgedIds) -> ScannedRun | None:
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
    return ScannedRun(
        chunks[0].tag,
        query_ids,
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        np.concatenate([chunk.documents for chunk in chunks]),
        _notes(chunks),
    )


def _notes(chunks: list[_Chunk]) -> list[str]:
    n_tied = sum(chunk.n_tied for chunk in chunks)
    n_queries = sum(chunk.n_tied_queries for chunk in chunks)
    if not n_tied:
        return []
    note = (
        f"{count_noun(n_tied, 'result')} in {count_noun(n_queries, 'query')} "
        "share a score with another: these are ordered by document id, falling."
    )
    return [note]


def _iter_queries(stream: BinaryIO, head: bytes, chunk_bytes: int) -> Iterator[bytes | None]:
    """Yield bytes of whole lines and, if the file's queries stand together, whole queries.

    ``None`` ends it where one query is too long to be held.
    """
    rest = head
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


def _scan_chunk(raw: bytes, judged: JudgedIds) -> _Chunk | None:
    fields = find_fields(raw, _N_COLUMNS)
    if fields is None:
        return None
    is_first = differs_from_previous(fields.load(_QUERY))
    firsts = np.flatnonzero(is_first)
    if (
        not fields.has_one(_TAG)
        or (fields.text.codes[fields.starts[_QUERY, firsts]] == _HASH).any()
    ):
        return None
    scores = find_scores(fields.text, fields.starts[_SCORE], fields.ends[_SCORE])
    if scores is None or not ((scores[1:] <= scores[:-1]) | is_first[1:]).all():
        return None
    if not are_ranks_in_order(fields.text, fields.ends[_RANK], fields.lengths(_RANK), is_first):
        return None
    words = fields.load(_DOCUMENT)
    hashes = compute_hashes(words)
    rows = np.cumsum(is_first) - 1
    if has_repeats(hashes, rows):
        return None
    documents = judged.find(words, hashes)
    is_tie = np.zeros(len(rows), np.bool_)
    is_tie[1:] = (scores[1:] == scores[:-1]) & ~is_first[1:]
    n_tied = 0
    if is_tie.any():
        order_ties(documents, is_tie, words)
        n_tied = int(np.count_nonzero(is_tie | np.append(is_tie[1:], False)))
    return _Chunk(
        fields.texts(_QUERY, firsts),
        np.diff(np.append(firsts, len(rows))),
        documents,
        fields.texts(_TAG, firsts[:1])[0],
        n_tied,
        len(np.unique(rows[is_tie])),
    )
