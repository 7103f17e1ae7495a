"""Small codes for millions of ids, kept as words: no object is made until the end.

A table with open addressing, worked by numpy for many ids at once: all of them look at
their places in it; those that find nothing there claim the place, those that find
another id go one place on, until none is left. Words are compared, never hashes alone.
"""

from collections.abc import Sequence

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
)

IdCodes = npt.NDArray[np.int32]

_FREE = -1
# What is written while places are claimed lies below; codes are 0 and up.
_FIRST_CLAIM = -2
_FIRST_BITS = 12
_FIRST_CAPACITY = 1 << 10
_HASH_BITS = 64
# More at once would keep other threads waiting, and leave the processor's cache.
_CHUNK = 1 << 16
_LF = 10
_NOT_IN_WORDS = frozenset({0, _LF})


class IdTable:
    """Distinct ids and their codes: 0, 1, … in an order that means nothing."""

    def __init__(self) -> None:
        self._n = 0
        self._words: list[Words] = [np.zeros(_FIRST_CAPACITY, np.uint64)]
        self._bits = _FIRST_BITS
        self._slots = np.full(1 << _FIRST_BITS, _FREE, np.int32)
        # Ids that are too long for words, empty, or with zeros or line ends: of zeros there.
        self._long: dict[str, int] = {}

    def __len__(self) -> int:
        """Number of distinct ids."""
        return self._n

    def codes_of_words(self, words: Sequence[Words]) -> IdCodes:
        """Return the codes of fields as words, adding those that are new.

        Args:
            words: as :meth:`PaddedText.load_fields` gives them, each of shape (n,).

        Returns:
            int32, shape (n,).
        """
        codes = np.empty(len(words[0]), np.int32)
        for start in range(0, len(codes), _CHUNK):
            part = slice(start, start + _CHUNK)
            codes[part] = self._codes_of_chunk([word[part] for word in words])
        return codes

    def find(self, words: list[Words], hashes: Words) -> IdCodes:
        """Return the codes of fields as words, -1 where one is none of the ids.

        Args:
            words: each of shape (n,).
            hashes: theirs, shape (n,).
        """
        return self._codes(words, hashes, adds=False)

    def codes_of_texts(self, texts: Sequence[str]) -> IdCodes:
        """Return the codes of any texts, adding those that are new."""
        # Half a character makes bytes that no scanned file has.
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        codes = np.empty(len(encoded), np.int32)
        is_short = (lengths > 0) & (lengths <= MAX_FIELD_BYTES)
        joined = b"".join(encoded)
        if b"\0" in joined or b"\n" in joined:
            is_short &= np.array([_NOT_IN_WORDS.isdisjoint(each) for each in encoded])
        if is_short.any():
            starts = TEXT_START + np.cumsum(lengths) - lengths
            text = PaddedText.around(joined)
            words = text.load_fields(starts[is_short], lengths[is_short])
            codes[is_short] = self.codes_of_words(words)
        for place in np.flatnonzero(~is_short).tolist():
            codes[place] = self._code_of_long(texts[place])
        return codes

    def sort(self) -> tuple[IdCodes, list[str]]:
        """Return each code's place among the ids by their bytes, rising, and these ids.

        Returns:
            int32, shape (len(self),), and as many texts.
        """
        if self._long:
            own = self.texts()
            order = np.array(sorted(range(self._n), key=lambda code: own[code].encode()), np.intp)
        else:
            keys = [as_sortable(word[: self._n]) for word in reversed(self._words)]
            order = np.lexsort(keys) if len(keys) > 1 else np.argsort(keys[0])
        places = np.empty(self._n, np.int32)
        places[order] = np.arange(self._n, dtype=np.int32)
        return places, self._texts(order)

    def texts(self) -> list[str]:
        """Return the ids by code."""
        return self._texts(np.arange(self._n))

    def _texts(self, codes: Places) -> list[str]:
        texts: list[str] = []
        for start in range(0, self._n, _CHUNK):
            part = codes[start : start + _CHUNK]
            texts += _texts_of([word[part] for word in self._words])
        place_of = dict(zip(codes.tolist(), range(self._n), strict=True)) if self._long else {}
        for text, code in self._long.items():
            texts[place_of[code]] = text
        return texts

    def _code_of_long(self, text: str) -> int:
        code = self._long.get(text)
        if code is None:
            self._make_room(1)
            code = self._long[text] = self._n
            self._n += 1
        return code

    def _codes_of_chunk(self, words: list[Words]) -> IdCodes:
        self._make_room(len(words[0]))
        while len(self._words) < len(words):
            self._words.append(np.zeros_like(self._words[0]))
        return self._codes(words, compute_hashes(words), adds=True)

    def _codes(self, words: list[Words], hashes: Words, *, adds: bool) -> IdCodes:
        """Return the codes of fields; one that is not there is added, or else -1."""
        codes = np.full(len(hashes), _FREE, np.int32)
        left = np.arange(len(hashes), dtype=np.int32)
        slots = self._first_slots(hashes)
        while len(left):
            found = self._slots[slots]
            if adds:
                free = np.flatnonzero(found == _FREE)
                self._claim(slots[free], left[free], words)
                found[free] = self._slots[slots[free]]
            else:
                taken = np.flatnonzero(found != _FREE)
                left, slots, found = left[taken], slots[taken], found[taken]
            is_same = self._have_words(found, left, words)
            codes[left[is_same]] = found[is_same]
            is_other = ~is_same
            left, slots = left[is_other], (slots[is_other] + 1) & (len(self._slots) - 1)
        return codes

    def _claim(self, slots: Places, fields: IdCodes, words: list[Words]) -> None:
        """Give free places to fields; where several want one, one of them gets it."""
        self._slots[slots] = _FIRST_CLAIM - fields
        has_won = self._slots[slots] == _FIRST_CLAIM - fields
        winners = fields[has_won]
        end = self._n + len(winners)
        for own, word in zip(self._words, words, strict=False):
            own[self._n : end] = word[winners]
        self._slots[slots[has_won]] = np.arange(self._n, end, dtype=np.int32)
        self._n = end

    def _have_words(
        self, codes: IdCodes, fields: IdCodes, words: list[Words]
    ) -> npt.NDArray[np.bool_]:
        """Whether ids are the same as fields; words that a field lacks are zero."""
        is_same: npt.NDArray[np.bool_] = self._words[0][codes] == words[0][fields]
        for place, own in enumerate(self._words[1:], 1):
            is_same &= own[codes] == (words[place][fields] if place < len(words) else 0)
        for word in words[len(self._words) :]:
            is_same &= word[fields] == 0
        return is_same

    def _first_slots(self, hashes: Words) -> Places:
        return (hashes >> (_HASH_BITS - self._bits)).astype(np.intp)

    def _make_room(self, count: int) -> None:
        """Make room for more ids; at most half of the places are ever taken."""
        wanted = self._n + count
        capacity = len(self._words[0])
        if wanted > capacity:
            more = max(capacity, wanted - capacity)
            self._words = [np.concatenate([w, np.zeros(more, np.uint64)]) for w in self._words]
        if wanted * 2 > len(self._slots):
            self._bits = (wanted * 4).bit_length()
            self._slots = np.full(1 << self._bits, _FREE, np.int32)
            for start in range(0, self._n, _CHUNK):
                self._enter(np.arange(start, min(start + _CHUNK, self._n), dtype=np.int32))

    def _enter(self, codes: IdCodes) -> None:
        """Put distinct ids into the table anew."""
        left = codes
        slots = self._first_slots(compute_hashes([word[codes] for word in self._words]))
        while len(left):
            is_free = self._slots[slots] == _FREE
            self._slots[slots[is_free]] = left[is_free]
            is_out = self._slots[slots] != left
            left = left[is_out]
            slots = (slots[is_out] + 1) & (len(self._slots) - 1)


def _texts_of(words: Sequence[Words]) -> list[str]:
    """Return ids as texts; one whose words are all zero is ``""``."""
    width = WORD_BYTES * len(words)
    rows = np.empty((len(words[0]), width + 1), np.uint8)
    for place, word in enumerate(words):
        start = WORD_BYTES * place
        rows[:, start : start + WORD_BYTES] = (
            word.astype("<u8").view(np.uint8).reshape(-1, WORD_BYTES)
        )
    rows[:, width] = _LF
    codes = rows.ravel()
    text: str = codes[codes != 0].tobytes().decode()
    return text.split("\n")[:-1]
