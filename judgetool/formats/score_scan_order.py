"""What a chunk's scores, ranks and ids say of its order: fallen, tied, doubled."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.formats.scan_words import (
    WORD_BYTES,
    Ints,
    PaddedText,
    Places,
    Words,
    as_sortable,
    compute_numbers,
)

Bools = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.int64] | npt.NDArray[np.float64]

_DOT, _MINUS = b".-"
# So many digits of a decimal number are told apart by a double.
_MAX_DIGITS = 15
_SCORE_CHARACTERS = b"0123456789+-.eE"
_SPREAD = 0x9E3779B97F4A7C15
_SPARSE_BITS = 2


def find_scores(text: PaddedText, starts: Places, ends: Places) -> Scores | None:
    """Return numbers that compare as the fields' scores do as doubles.

    Args:
        text: where the fields are.
        starts: where each begins, shape (n,), n at least 1.
        ends: where it ends.

    Returns:
        The scores, or all of them times the same power of ten; ``None`` if one is
        written in a way that has to be looked at closely.
    """
    found = _find_fixed(text, starts, ends)
    if found is None:
        return _find_any(text, starts, ends)
    return np.where(found.is_negative, -found.digits, found.digits)


def find_doubles(text: PaddedText, starts: Places, ends: Places) -> npt.NDArray[np.float64] | None:
    """Return the doubles nearest to the fields' numbers, as ``float`` gives them.

    Args:
        text: where the fields are.
        starts: where each begins, shape (n,), n at least 1.
        ends: where it ends.

    Returns:
        float64, shape (n,); ``None`` if one is written in a way that has to be looked at
        closely.
    """
    found = _find_fixed(text, starts, ends)
    if found is None:
        return _find_any(text, starts, ends)
    # Both are exact as doubles, so that their quotient is rounded once, as float() rounds.
    numbers: npt.NDArray[np.float64] = found.digits / 10.0**found.n_decimals
    # Not by a minus before the division: -0.0 has to stay what it is.
    numbers[found.is_negative] *= -1.0
    return numbers


class _Fixed(NamedTuple):
    """Numbers with the same number of decimals: all their digits as whole numbers."""

    digits: Ints
    is_negative: Bools
    n_decimals: int


def _find_fixed(text: PaddedText, starts: Places, ends: Places) -> _Fixed | None:
    """Return scores with the same number of decimals; ``None`` otherwise."""
    n_decimals = text.raw[int(starts[0]) : int(ends[0])][::-1].find(_DOT)
    if not 0 < n_decimals <= WORD_BYTES:
        return None
    dots = ends - (n_decimals + 1)
    is_negative = text.codes[starts] == _MINUS
    lengths = dots - starts - is_negative
    most = min(WORD_BYTES, _MAX_DIGITS - n_decimals)
    if lengths.min() < 1 or lengths.max() > most or (text.codes[dots] != _DOT).any():
        return None
    before = text.find_digits(dots, lengths)
    after = text.find_digits(ends, n_decimals)
    if before is None or after is None:
        return None
    numbers: Ints = compute_numbers(before) * 10**n_decimals + compute_numbers(after)
    return _Fixed(numbers, is_negative, n_decimals)


def _find_any(text: PaddedText, starts: Places, ends: Places) -> npt.NDArray[np.float64] | None:
    """Return all that ``float`` takes for a decimal number, with or without an exponent."""
    fields = [text.raw[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
    if b"".join(fields).translate(None, _SCORE_CHARACTERS):
        return None
    try:
        return np.fromiter(map(float, fields), np.float64, len(fields))
    except ValueError:
        return None


def are_ranks_in_order(text: PaddedText, ends: Places, lengths: Ints, is_first: Bools) -> bool:
    """Whether the fields are ranks that nowhere fall within a query."""
    if lengths.max() > WORD_BYTES:
        return False
    digits = text.find_digits(ends, lengths)
    if digits is None:
        return False
    ranks = as_sortable(digits)
    return bool(((ranks[1:] >= ranks[:-1]) | is_first[1:]).all())


def has_repeats(hashes: Words, rows: Ints) -> bool:
    """Whether a hash may come twice in a row; ``False`` is certain.

    Each (row, hash) writes its number into a slot; whoever reads another's there was
    overwritten: it meets the winner now, and the other losers in the next round.
    """
    mixed = hashes ^ (rows.astype(np.uint64) * _SPREAD)
    mixed *= _SPREAD
    left = np.arange(len(mixed), dtype=np.int32)
    shift = 64 - max(8, len(mixed).bit_length() + _SPARSE_BITS)
    slots = np.zeros(1 << (64 - shift), np.int32)
    while len(left):
        own = (mixed[left] >> shift).astype(np.intp)
        slots[own] = left
        winners = slots[own]
        is_loser = winners != left
        left, winners = left[is_loser], winners[is_loser]
        if ((hashes[left] == hashes[winners]) & (rows[left] == rows[winners])).any():
            return True
        mixed *= _SPREAD
    return False


def order_ties(codes: npt.NDArray[np.int32], is_tie: Bools, words: list[Words]) -> None:
    """Put documents of the same score in order by id, falling, in place.

    Args:
        codes: documents in the file's order; -1 where nothing depends on the place.
        is_tie: which have the score of the one before, in the same query.
        words: the documents' ids.
    """
    groups = np.cumsum(~is_tie)
    is_open = np.bincount(groups, minlength=groups[-1] + 1) > 1
    is_open &= np.bincount(groups, weights=codes >= 0) > 0
    places = np.flatnonzero(is_open[groups])
    if len(places):
        keys = [~as_sortable(word[places]) for word in reversed(words)]
        codes[places] = codes[places[np.lexsort((*keys, groups[places]))]]
