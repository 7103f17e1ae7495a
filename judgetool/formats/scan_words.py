"""Fields of a text as 64-bit words, so that numpy compares ids without making objects.

A word holds up to eight bytes of one field and zeros for the rest; no field holds a
zero byte, so that equal words mean equal bytes. Words are little-endian everywhere.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]

WORD_BYTES = 8
MAX_FIELD_BYTES = 64

_FRONT = b"\0" * WORD_BYTES
_BACK = b"\0" * (MAX_FIELD_BYTES + WORD_BYTES)
_KEPT_BYTES = 1 << 24
_BITS = 64
# Odd numbers with well-spread bits, one for each word of a field: the golden ratio's, then
# the multiples of it that leave it odd.
_GOLDEN = 0x9E3779B97F4A7C15
_FACTORS = tuple(
    (_GOLDEN * (2 * place + 1)) % (1 << _BITS) for place in range(MAX_FIELD_BYTES // WORD_BYTES)
)
_ZEROS = np.uint64(0x3030303030303030)
_MAX_DIGIT_CARRY = np.uint64(0x0606060606060606)
_HIGH_HALVES = np.uint64(0xF0F0F0F0F0F0F0F0)
_EVEN_PAIRS = np.uint64(0x000000FF000000FF)


@dataclass(frozen=True, slots=True)
class PaddedText:
    """Bytes with zeros around them, so that words may be read at every place.

    Attributes:
        raw: the padded bytes.
        codes: the same as numbers.
        words: ``words[place]`` is the word that begins there; unaligned.
    """

    raw: bytes
    codes: npt.NDArray[np.uint8]
    words: Words

    @classmethod
    def around(cls, raw: bytes) -> "PaddedText":
        """Pad these bytes; their first one stands at :data:`TEXT_START`."""
        padded = b"%b%b%b" % (_FRONT, raw, _BACK)
        words: Words = np.ndarray(
            (len(padded) - WORD_BYTES + 1,), np.dtype("<u8"), padded, strides=(1,)
        )
        return cls(padded, np.frombuffer(padded, np.uint8), words)

    def load_fields(self, starts: Places, lengths: Ints) -> list[Words]:
        """Return fields as words, the first bytes first; as many as the longest needs.

        Args:
            starts: where each field begins, shape (n,).
            lengths: its bytes, 1 to :data:`MAX_FIELD_BYTES`, shape (n,).
        """
        n_words = -(-int(lengths.max(initial=1)) // WORD_BYTES)
        return [self._load_word(starts, lengths, place) for place in range(n_words)]

    def _load_word(self, starts: Places, lengths: Ints, place: int) -> Words:
        own = lengths - WORD_BYTES * place
        found = self.words[starts + WORD_BYTES * place]
        if int(own.min(initial=WORD_BYTES)) >= WORD_BYTES:
            return found
        # Shifting out by all 64 bits leaves none, as it should.
        unused = (_BITS - 8 * own.clip(0, WORD_BYTES)).astype(np.uint64)
        kept: Words = (found << unused) >> unused
        return kept

    def find_digits(self, ends: Places, lengths: Ints | int) -> Words | None:
        """Return fields of one to eight digits as words, one digit's number a byte.

        The last digit is the highest byte; zeros stand where there is none.

        Args:
            ends: where each field ends, shape (n,).
            lengths: its bytes, 0 to 8, shape (n,), or one number for all.

        Returns:
            The words; ``None`` if anything but a digit is found.
        """
        unused = np.asarray(_BITS - 8 * lengths, np.uint64)
        digits: Words = ((self.words[ends - WORD_BYTES] ^ _ZEROS) >> unused) << unused
        is_other = ((digits + _MAX_DIGIT_CARRY) | digits) & _HIGH_HALVES
        return None if is_other.any() else digits


TEXT_START = len(_FRONT)


def compute_hashes(words: list[Words]) -> Words:
    """Return a number for each field, the same for the same bytes, its high bits well spread."""
    hashes = words[0] * _FACTORS[0]
    for word, factor in zip(words[1:], _FACTORS[1:], strict=False):
        hashes ^= word * factor
    hashes ^= hashes >> 32
    return hashes * _GOLDEN


def differs_from_previous(words: list[Words]) -> npt.NDArray[np.bool_]:
    """Return which fields differ from the one before; the first one does."""
    differs = np.ones(len(words[0]), np.bool_)
    np.not_equal(words[0][1:], words[0][:-1], out=differs[1:])
    for word in words[1:]:
        differs[1:] |= word[1:] != word[:-1]
    return differs


def compute_numbers(digits: Words) -> Ints:
    """Return the numbers of words of digits, as :meth:`PaddedText.find_digits` gives them."""
    pairs = digits * 10 + (digits >> 8)
    fours = (pairs & _EVEN_PAIRS) * (100 + (1_000_000 << 32))
    fours += ((pairs >> 16) & _EVEN_PAIRS) * (1 + (10_000 << 32))
    return (fours >> 32).astype(np.int64)


def as_sortable(words: Words) -> Words:
    """Return words that sort as their bytes do, the first byte counting most."""
    return words.byteswap()


def keep_freed_memory() -> None:
    """Let glibc keep what is freed for the next chunk: half a million page faults fewer.

    It takes the largest block that it ever gave back as the measure of what to keep.
    """
    np.empty(_KEPT_BYTES, np.uint8)
