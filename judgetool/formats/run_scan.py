"""A regular block of a TREC run, read by numpy on the bytes: no object per line.

Only what is plain is taken: six columns, one blank between them, scores as decimal
numbers that a double holds exactly enough to round as ``float`` does. All else is
left to the careful reader; both give the same results.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_N_COLUMNS = 6
_MAX_WIDTH = 64
_MAX_DIGITS = 18
_MAX_EXACT = 1 << 53
_CHUNK = 1 << 16
_BLANK, _TAB, _LF, _HASH, _DOT, _MINUS, _ZERO = b" \t\n#.-0"

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ScannedBlock:
    """The results of consecutive lines, as columns.

    Attributes:
        queries: ids of runs of lines with the same query, in order.
        query_lengths: how many lines each of them has.
        documents: ids as numbers if all are plain decimal numbers, else as texts.
        ranks: int64, shape (n,).
        scores: float64, shape (n,).
        tag: all lines' tag.
    """

    queries: list[str]
    query_lengths: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int64] | list[str]
    ranks: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    tag: str


def scan_block(raw: bytes) -> ScannedBlock | None:
    """Read a block of whole lines, without the last one's end, if all are plain.

    Returns:
        The results; ``None`` if any line is out of the ordinary.
    """
    raw = raw.replace(b"\r\n", b"\n").removesuffix(b"\r")
    text = np.frombuffer(b"%b\n" % raw, np.uint8)
    starts, ends = _find_fields(text)
    if not len(starts) or (text[starts[:, 0]] == _HASH).any():
        return None
    ranks = _find_integers(text, starts[:, 3], ends[:, 3])
    scores = _find_decimals(text, starts[:, 4], ends[:, 4])
    firsts = _find_firsts(text, starts[:, 0], ends[:, 0])
    tags = _find_firsts(text, starts[:, 5], ends[:, 5])
    if ranks is None or scores is None or firsts is None or tags is None or len(tags) > 1:
        return None
    queries = _texts(raw, starts[firsts, 0], ends[firsts, 0])
    tag = _texts(raw, starts[:1, 5], ends[:1, 5])
    documents: Any = _find_integers(text, starts[:, 2], ends[:, 2])
    if documents is None:
        documents = _texts(raw, starts[:, 2], ends[:, 2])
    if queries is None or tag is None or documents is None:
        return None
    lengths = np.diff(np.append(firsts, len(starts)))
    return ScannedBlock(queries, lengths, documents, ranks, scores, tag[0])


_NO_FIELDS = np.zeros((0, _N_COLUMNS), np.intp)


def _find_fields(text: Bytes) -> tuple[Places, Places]:
    """Return where each line's columns start and end; nothing if a line is not regular."""
    blanks = np.flatnonzero(text <= _BLANK)
    if len(blanks) % _N_COLUMNS:
        return _NO_FIELDS, _NO_FIELDS
    ends = blanks.reshape(-1, _N_COLUMNS)
    starts = np.concatenate([[0], blanks[:-1] + 1]).reshape(-1, _N_COLUMNS)
    signs = text[ends]
    inner = signs[:, :-1]
    is_regular = (
        bool((signs[:, -1] == _LF).all())
        and bool(((inner == _BLANK) | (inner == _TAB)).all())
        and bool((ends > starts).all())
    )
    return (starts, ends) if is_regular else (_NO_FIELDS, _NO_FIELDS)


def _find_firsts(text: Bytes, starts: Places, ends: Places) -> Places | None:
    """Return the lines whose field differs from the line before; ``None`` if one is very long."""
    lengths = ends - starts
    width = int(lengths.max())
    if width > _MAX_WIDTH:
        return None
    # Where a field is shorter than the widest, what follows it may differ: only the length
    # and its own bytes count.
    rows = _rows(text, starts, width)
    differs = (rows[1:] != rows[:-1]) & (np.arange(width) < lengths[1:, None])
    is_first = differs.any(axis=1) | (lengths[1:] != lengths[:-1])
    return np.concatenate([[0], np.flatnonzero(is_first) + 1])


def _rows(text: Bytes, starts: Places, width: int) -> Bytes:
    """Return ``width`` bytes from each start on, shape (n, width); NUL beyond the text."""
    padded = np.concatenate([text, np.zeros(width, np.uint8)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, width)
    return windows[starts]


def _digits(
    text: Bytes, starts: Places, ends: Places
) -> tuple[Bytes, npt.NDArray[np.bool_]] | None:
    """Return fields as bytes, right-aligned, and which of these are the field's own."""
    lengths = ends - starts
    width = int(lengths.max())
    if width > _MAX_DIGITS + 2:
        return None
    padded = np.concatenate([np.zeros(width, np.uint8), text])
    windows = np.lib.stride_tricks.sliding_window_view(padded, width)
    rows = windows[ends]
    return rows, np.arange(width) >= width - lengths[:, None]


def _find_integers(text: Bytes, starts: Places, ends: Places) -> npt.NDArray[np.int64] | None:
    """Return fields as numbers, if the number's text is the field: no sign, no leading zero."""
    has_leading_zero = (text[starts] == _ZERO) & (ends - starts > 1)
    found = None if has_leading_zero.any() else _digits(text, starts, ends)
    if found is None or found[0].shape[1] > _MAX_DIGITS:
        return None
    rows, is_own = found
    values = np.where(is_own, rows - _ZERO, 0)
    return None if (values > 9).any() else _number(values)


def _find_decimals(text: Bytes, starts: Places, ends: Places) -> npt.NDArray[np.float64] | None:
    """Return fields such as ``-12.5`` as the doubles nearest to them."""
    is_negative = text[starts] == _MINUS
    found = _digits(text, starts + is_negative, ends)
    if found is None:
        return None
    rows, is_own = found
    is_dot = is_own & (rows == _DOT)
    n_dots = is_dot.sum(axis=1)
    is_digit = is_own & ~is_dot
    values = np.where(is_digit, rows - _ZERO, 0)
    n_digits = is_digit.sum(axis=1)
    if (values > 9).any() or (n_dots > 1).any() or (n_digits < 1).any():
        return None
    if (n_digits > _MAX_DIGITS).any():
        return None
    width = rows.shape[1]
    n_decimals = np.where(n_dots == 1, width - 1 - is_dot.argmax(axis=1), 0)
    # The digits before the dot move one place to the right, over the dot.
    is_before = np.arange(width) < (width - 1 - n_decimals)[:, None]
    has_dot = (n_dots == 1)[:, None]
    shifted = np.concatenate([np.zeros((len(rows), 1), np.uint8), values[:, :-1]], axis=1)
    whole_first = np.where(is_before | is_dot, shifted, values)
    mantissas = _number(np.where(has_dot, whole_first, values))
    # Both are exact as doubles, so that their quotient is rounded once, as float() rounds.
    if (mantissas > _MAX_EXACT).any():
        return None
    powers = np.array([10.0**power for power in range(_MAX_DIGITS + 1)])
    numbers: npt.NDArray[np.float64] = mantissas / powers[n_decimals]
    numbers[is_negative] *= -1.0
    return numbers


def _number(values: Bytes) -> npt.NDArray[np.int64]:
    """Return rows of digits as numbers."""
    numbers = np.zeros(len(values), np.int64)
    for digit in values.T:
        numbers *= 10
        numbers += digit
    return numbers


def _texts(raw: bytes, starts: Places, ends: Places) -> list[str] | None:
    """Return fields as texts; ``None`` if they are not UTF-8."""
    fields = [raw[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    try:
        text = b"\n".join(fields).decode()
    except UnicodeDecodeError:
        return None
    return text.split("\n")


def as_codes(parts: Sequence[npt.NDArray[np.int64]]) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Return small codes for numbers, and the distinct numbers as texts, in rising order.

    Works part by part: one step over millions of numbers would keep other threads waiting.
    """
    top = max(int(part.max()) for part in parts)
    count = sum(map(len, parts))
    if top < 4 * count + (1 << 24):
        is_there = np.zeros(top + 1, np.bool_)
        for part in parts:
            is_there[part] = True
        codes = np.cumsum(is_there, dtype=np.int32)
        codes -= 1
        return np.concatenate([codes[part] for part in parts]), _as_texts(np.flatnonzero(is_there))
    distinct, inverse = np.unique(np.concatenate(parts), return_inverse=True)
    return inverse.astype(np.int32), _as_texts(distinct)


def _as_texts(numbers: npt.NDArray[np.int64]) -> list[str]:
    texts: list[str] = []
    for start in range(0, len(numbers), _CHUNK):
        texts.extend(map(str, numbers[start : start + _CHUNK].tolist()))
    return texts
