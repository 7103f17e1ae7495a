"""Small codes for millions of ids, kept as words: no object is made until the end.

Alike ids are brought together, or found, by hashes of their words; what counts are the words
themselves, never hashes alone.
"""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from judgetool.formats.scan import (
    MAX_FIELD_BYTES,
    TEXT_START,
    WORD_BYTES,
    PaddedText,
    Places,
    Words,
    as_sortable,
    compute_hashes,
    differs_from_previous,
)

IdCodes = npt.NDArray[np.int32]

_FREE = -1
_HASH_BITS = 64
# More at once would keep other threads waiting, and leave the processor's cache.
_CHUNK = 1 << 16
_LF = 10
# Begins what stands for an id that words cannot hold; no field of a scanned line has it.
_STAND_IN = 1
_NOT_IN_WORDS = (b"\0", b"\n", bytes([_STAND_IN]))


class IdColumn:
    """The ids of rows as they come in, one for each."""

    def __init__(self) -> None:
        self._parts: list[list[Words]] = []
        self._odd: dict[str, int] = {}

    def add_words(self, words: list[Words]) -> None:
        """Take fields as words, as :meth:`PaddedText.load_fields` gives them."""
        self._parts.append(words)

    def add_texts(self, texts: Sequence[str]) -> None:
        """Take any texts."""
        self._parts.append(words_of_texts(texts, self._odd))

    def number(self) -> tuple[IdCodes, list[str]]:
        """Return each row's place among the ids by their bytes, rising, and these ids.

        No more may come.

        Returns:
            int32, shape (n,), and the distinct texts.
        """
        parts = self._parts or [[np.zeros(0, np.uint64)]]
        self._parts = []
        words = [
            np.concatenate(
                [
                    each if each is not None else np.zeros_like(part[0])
                    for each, part in zip(column, parts, strict=True)
                ]
            )
            for column in zip_longest(*parts)
        ]
        codes, distinct = number_ids(words)
        texts = _texts_of(distinct)
        if not self._odd:
            return codes, texts
        odd = list(self._odd)
        texts = [odd[int(text[1:])] if ord(text[0]) == _STAND_IN else text for text in texts]
        order = np.array(sorted(range(len(texts)), key=lambda code: texts[code].encode()), np.intp)
        return _ranks(order)[codes], [texts[code] for code in order.tolist()]


def number_ids(words: list[Words]) -> tuple[IdCodes, list[Words]]:
    """Return codes of ids, which are the places of the distinct ones by their bytes, rising.

    Args:
        words: the ids, each of shape (n,).

    Returns:
        int32, shape (n,); and the distinct ids as words.
    """
    hashes = compute_hashes(words)
    order = np.argsort(hashes)
    is_new = differs_from_previous([word[order] for word in words])
    if is_new.sum() > differs_from_previous([hashes[order]]).sum():
        # Different ids have the same hash, and may stand in turns.
        order = np.lexsort(words)
        is_new = differs_from_previous([word[order] for word in words])
    firsts = order[is_new]
    by_bytes = np.lexsort([as_sortable(word[firsts]) for word in reversed(words)])
    codes = np.empty(len(order), np.int32)
    codes[order] = _ranks(by_bytes)[np.cumsum(is_new) - 1]
    return codes, [word[firsts[by_bytes]] for word in words]


def _ranks(order: Places) -> IdCodes:
    """Return each one's place in an order."""
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def words_of_texts(texts: Sequence[str], odd: dict[str, int] | None = None) -> list[Words]:
    """Return any texts as words.

    Args:
        texts: at least one.
        odd: gets those that no words can hold: too long, empty, with zeros or line ends. A
            stand-in with their number takes their place.
    """
    odd = {} if odd is None else odd
    # Half a character makes bytes that no scanned file has.
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    joined = b"".join(encoded)
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    is_odd = (lengths < 1) | (lengths > MAX_FIELD_BYTES)
    if any(sign in joined for sign in _NOT_IN_WORDS):
        is_odd |= np.array([any(sign in each for sign in _NOT_IN_WORDS) for each in encoded])
    if is_odd.any():
        for place in np.flatnonzero(is_odd).tolist():
            encoded[place] = b"%c%d" % (_STAND_IN, odd.setdefault(texts[place], len(odd)))
        joined = b"".join(encoded)
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return PaddedText.around(joined).load_fields(TEXT_START + np.cumsum(lengths) - lengths, lengths)


class IdTable:
    """Distinct ids to be found by many: a table with open addressing, worked by numpy.

    All that are looked for look at their places in it at once; those that find another id go
    one place on, until none is left.

    Args:
        words: the ids; their places are their codes.
    """

    def __init__(self, words: list[Words]) -> None:
        self._words = words
        # At most half of the places are ever taken.
        self._bits = max(1, (len(self) * 4).bit_length())
        self._slots = np.full(1 << self._bits, _FREE, np.int32)
        left = np.arange(len(self), dtype=np.int32)
        slots = self._first_slots(compute_hashes(words))
        while len(left):
            is_free = self._slots[slots] == _FREE
            self._slots[slots[is_free]] = left[is_free]
            is_out = self._slots[slots] != left
            left, slots = left[is_out], (slots[is_out] + 1) & (len(self._slots) - 1)

    def __len__(self) -> int:
        """Number of ids."""
        return len(self._words[0])

    def find(self, words: list[Words], hashes: Words) -> IdCodes:
        """Return the codes of fields as words, -1 where one is none of the ids.

        Args:
            words: each of shape (n,).
            hashes: theirs, shape (n,).
        """
        codes = np.full(len(hashes), _FREE, np.int32)
        left = np.arange(len(hashes), dtype=np.int32)
        slots = self._first_slots(hashes)
        while len(left):
            found = self._slots[slots]
            taken = np.flatnonzero(found != _FREE)
            left, slots, found = left[taken], slots[taken], found[taken]
            is_same = self._have_words(found, left, words)
            codes[left[is_same]] = found[is_same]
            is_other = ~is_same
            left, slots = left[is_other], (slots[is_other] + 1) & (len(self._slots) - 1)
        return codes

    def texts(self) -> list[str]:
        """Return the ids by code."""
        return _texts_of(self._words)

    def _have_words(
        self, codes: IdCodes, fields: IdCodes, words: list[Words]
    ) -> npt.NDArray[np.bool_]:
        """Whether ids are the same as fields; words that one of them lacks are zero."""
        is_same = np.ones(len(codes), np.bool_)
        for own, word in zip_longest(self._words, words):
            is_same &= (0 if own is None else own[codes]) == (0 if word is None else word[fields])
        return is_same

    def _first_slots(self, hashes: Words) -> Places:
        return (hashes >> (_HASH_BITS - self._bits)).astype(np.intp)


def _texts_of(words: Sequence[Words]) -> list[str]:
    """Return ids as texts."""
    texts: list[str] = []
    width = WORD_BYTES * len(words)
    for start in range(0, len(words[0]), _CHUNK):
        columns = [word[start : start + _CHUNK].astype("<u8") for word in words]
        rows = np.full((len(columns[0]), width + 1), _LF, np.uint8)
        rows[:, :width] = np.stack(columns, axis=1).view(np.uint8)
        codes = rows.ravel()
        texts += codes[codes != 0].tobytes().decode().split("\n")[:-1]
    return texts
