"""The judged documents' ids, to find among millions of others at once."""

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from judgetool.formats.scan_words import (
    MAX_FIELD_BYTES,
    TEXT_START,
    PaddedText,
    Words,
    compute_hashes,
)

Codes = npt.NDArray[np.int32]

_BLANK = re.compile("[\0-\x20]")
_LEAST_BITS = 12
_SPARSE_BITS = 4
_NONE = -1


class JudgedIds:
    """Numbers of documents by their ids as words: a table by the hash's high bits.

    Where ids share a slot of the table, they are searched for among the sorted hashes.

    Args:
        words: distinct ids as words, each of shape (n,).
        numbers: number of each, shape (n,).

    Attributes:
        is_certain: whether all ids can be told apart; if not, do not use it.
    """

    def __init__(self, words: list[Words], numbers: Codes) -> None:
        hashes = compute_hashes(words)
        order = np.argsort(hashes)
        self._hashes = hashes[order]
        self._words = [word[order] for word in words]
        self._numbers = numbers[order]
        self.is_certain = not (self._hashes[1:] == self._hashes[:-1]).any()
        bits = max(_LEAST_BITS, len(hashes).bit_length() + _SPARSE_BITS)
        self._shift = 64 - bits
        slots = self._hashes >> self._shift
        self._places = np.full(1 << bits, _NONE, np.int32)
        self._places[slots] = np.arange(len(slots), dtype=np.int32)
        self._is_shared = np.zeros(1 << bits, np.bool_)
        self._is_shared[slots[1:][slots[1:] == slots[:-1]]] = True

    @classmethod
    def from_texts(cls, ids: Sequence[str]) -> "JudgedIds":
        """Number ids as they are given; one that no TREC file can hold is found nowhere."""
        numbers: Sequence[int] = range(len(ids))
        if _BLANK.search("".join(ids)) or "" in ids:
            numbers = [n for n in numbers if ids[n] and not _BLANK.search(ids[n])]
        # A lone surrogate makes bytes that are not UTF-8: no scanned file has them.
        encoded = [ids[number].encode("utf-8", "surrogatepass") for number in numbers]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        starts = TEXT_START + np.cumsum(lengths) - lengths
        is_short = lengths <= MAX_FIELD_BYTES
        words = PaddedText.around(b"".join(encoded)).load_fields(
            starts[is_short], lengths[is_short]
        )
        return cls(words, np.array(numbers, np.int32)[is_short])

    def find(self, words: list[Words], hashes: Words) -> Codes:
        """Return the number of each field's id, -1 where it is none of these.

        Args:
            words: fields as words, each of shape (n,).
            hashes: their hashes, shape (n,).
        """
        found = np.full(len(hashes), _NONE, np.int32)
        slots = hashes >> self._shift
        places = self._places[slots]
        likely = np.flatnonzero(places != _NONE)
        places = places[likely]
        shared = np.flatnonzero(self._is_shared[slots[likely]])
        if len(shared):
            wanted = hashes[likely[shared]]
            places[shared] = np.searchsorted(self._hashes, wanted).clip(0, len(self._hashes) - 1)
        is_same = self._hashes[places] == hashes[likely]
        for place in range(max(len(words), len(self._words))):
            # A field with more words than all of the others have differs from them.
            own = self._words[place][places] if place < len(self._words) else 0
            is_same &= (words[place][likely] if place < len(words) else 0) == own
        found[likely[is_same]] = self._numbers[places[is_same]]
        return found
