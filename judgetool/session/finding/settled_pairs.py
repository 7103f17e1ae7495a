"""What counts in the view as arrays, for questions about all queries at once."""

from collections.abc import Mapping
from itertools import chain
from operator import itemgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from judgetool.session.board import Board
from judgetool.session.judgment_book import Effective
from judgetool.session.pool import LongArray

BoolArray = npt.NDArray[np.bool_]
# Queries and documents are numbered in 32 bits: one number for both is looked up fastest.
_SHIFT = 32
_LOW = (1 << _SHIFT) - 1


class SettledPairs(NamedTuple):
    """The settled (query, document) pairs of a board.

    Attributes:
        keys: see :func:`pair_keys`; rising, shape (n,).
        grades: NaN for what was only said to be impossible to judge, shape (n,).
        counts: how many each query has, shape (n_queries,).
    """

    keys: LongArray
    grades: npt.NDArray[np.float64]
    counts: LongArray


_KEPT: WeakKeyDictionary[Board, tuple[int, SettledPairs]] = WeakKeyDictionary()


def settled_pairs(board: Board) -> SettledPairs:
    """Return what is settled; kept until something is judged, and never written to."""
    revision, kept = _KEPT.get(board, (-1, None))
    if kept is None or revision != board.revision:
        kept = _gather(board.all_settled(), board.n_queries)
        _KEPT[board] = board.revision, kept
    return kept


def _gather(settled: Mapping[int, Mapping[int, Effective]], n_queries: int) -> SettledPairs:
    lengths = np.fromiter(map(len, settled.values()), np.int64, count=len(settled))
    places = np.fromiter(settled, np.int64, count=len(settled))
    n_pairs = int(lengths.sum())
    documents = np.fromiter(chain.from_iterable(settled.values()), np.int64, count=n_pairs)
    effective = chain.from_iterable(found.values() for found in settled.values())
    # None becomes NaN.
    grades = np.array(list(map(itemgetter(0), effective)), dtype=np.float64)
    keys = pair_keys(np.repeat(places, lengths), documents)
    order = np.argsort(keys, kind="stable")
    counts = np.zeros(n_queries, dtype=np.int64)
    counts[places] = lengths
    return SettledPairs(keys[order], grades[order], counts)


def pair_keys(queries: npt.NDArray[np.integer], documents: npt.NDArray[np.integer]) -> LongArray:
    """Return one number for each (query, document) pair, shape (n,)."""
    return queries.astype(np.int64) << _SHIFT | documents.astype(np.int64)


def split_keys(keys: LongArray) -> tuple[LongArray, LongArray]:
    """Return (queries, documents) of what :func:`pair_keys` made."""
    return keys >> _SHIFT, keys & _LOW


def are_among(keys: LongArray, known: LongArray) -> BoolArray:
    """Return which numbers stand in a rising array, shape (n,)."""
    if not len(known):
        return np.zeros(len(keys), dtype=bool)
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: BoolArray = known[places] == keys
    return found
