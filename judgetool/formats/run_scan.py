"""A regular block of a TREC run, read by numpy on the bytes: no object per line.

Only what is plain is taken: six columns, one blank between them, scores as decimal
numbers. All else is left to the careful reader; both give the same results.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.formats.scan_fields import Fields, find_fields
from judgetool.formats.scan_words import (
    WORD_BYTES,
    Words,
    compute_numbers,
    differs_from_previous,
)
from judgetool.formats.score_scan_order import find_doubles

_N_COLUMNS = 6
_QUERY, _DOCUMENT, _RANK, _SCORE, _TAG = 0, 2, 3, 4, 5
(_HASH,) = b"#"


@dataclass(frozen=True, slots=True)
class ScannedBlock:
    """The results of consecutive lines, as columns.

    Attributes:
        queries: ids of runs of lines with the same query, in order.
        query_lengths: how many lines each of them has.
        documents: ids as words, each of shape (n,).
        ranks: int32, shape (n,).
        scores: float64, shape (n,).
        tag: all lines' tag.
    """

    queries: list[str]
    query_lengths: npt.NDArray[np.int64]
    documents: list[Words]
    ranks: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float64]
    tag: str


def scan_block(raw: bytes) -> ScannedBlock | None:
    """Read a block of whole lines, without the last one's end, if all are plain.

    Returns:
        The results; ``None`` if any line is out of the ordinary.
    """
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n").removesuffix(b"\r")
    fields = find_fields(b"%b\n" % raw, _N_COLUMNS)
    if fields is None or not fields.has_one(_TAG):
        return None
    firsts = np.flatnonzero(differs_from_previous(fields.load(_QUERY)))
    # Such a line may be a comment.
    if (fields.text.codes[fields.starts[_QUERY, firsts]] == _HASH).any():
        return None
    scores = find_doubles(fields.text, fields.starts[_SCORE], fields.ends[_SCORE])
    ranks = _find_ranks(fields)
    if scores is None or ranks is None:
        return None
    return ScannedBlock(
        fields.texts(_QUERY, firsts),
        np.diff(np.append(firsts, fields.n_lines)),
        fields.load(_DOCUMENT),
        ranks,
        scores,
        fields.texts(_TAG, firsts[:1])[0],
    )


def _find_ranks(fields: Fields) -> npt.NDArray[np.int32] | None:
    lengths = fields.lengths(_RANK)
    if lengths.max() > WORD_BYTES:
        return None
    digits = fields.text.find_digits(fields.ends[_RANK], lengths)
    return None if digits is None else compute_numbers(digits).astype(np.int32)
