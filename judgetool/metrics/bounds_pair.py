"""Two rankings of one query side by side, document by document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from judgetool.metrics.query_grades import BoolArray, FloatArray, QueryGrades

DocumentKeys = npt.NDArray[np.integer] | Sequence[int]
PlaceArray = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class RankingPair:
    """Two rankings of one query over one set of D documents.

    Attributes:
        first: places of the first ranking's documents among the D, best rank first, shape (n,).
        second: likewise of the second ranking.
        grades: grade of each document, NaN where nobody judged, shape (D,).
        pooled: which are judged or marked as of the pool by a negative grade, shape (D,);
            ``None`` for the judged ones alone. infAP asks for it.
    """

    first: PlaceArray
    second: PlaceArray
    grades: FloatArray
    pooled: BoolArray | None = None

    @staticmethod
    def from_documents(
        first: DocumentKeys,
        second: DocumentKeys,
        *,
        known: Mapping[int, float],
        pool: DocumentKeys = (),
    ) -> "RankingPair":
        """Line two rankings up.

        Args:
            first: document keys, best rank first, each once.
            second: likewise.
            known: grade of every judged document of the query; a negative one means
                'in the pool, not judged'.
            pool: further documents of the query's pool, judged or not.

        Raises:
            ValueError: a ranking has a document twice.
        """
        rankings = [np.asarray(keys, dtype=np.int64) for keys in (first, second)]
        if any(len(np.unique(keys)) != len(keys) for keys in rankings):
            raise ValueError("a ranking has a document twice")
        judged = np.fromiter(known.keys(), dtype=np.int64, count=len(known))
        others = np.concatenate((judged, np.asarray(pool, dtype=np.int64)))
        documents = np.unique(np.concatenate((*rankings, others)))
        grades = np.full(len(documents), np.nan)
        given = np.fromiter(known.values(), dtype=np.float64, count=len(known))
        grades[np.searchsorted(documents, judged)] = np.where(given < 0, np.nan, given)
        pooled = None
        if (given < 0).any():
            pooled = np.zeros(len(documents), dtype=bool)
            pooled[np.searchsorted(documents, judged)] = True
        places = [np.searchsorted(documents, keys) for keys in rankings]
        return RankingPair(places[0], places[1], grades, pooled)

    @property
    def is_open(self) -> BoolArray:
        """Which documents nobody judged, shape (D,)."""
        return np.isnan(self.grades)

    @property
    def are_equal(self) -> bool:
        """Whether both rankings are the same."""
        return np.array_equal(self.first, self.second)

    def cut(self, cutoff: int | None) -> tuple[PlaceArray, PlaceArray]:
        """Return the top of both rankings."""
        return self.first[:cutoff], self.second[:cutoff]

    def swapped(self) -> "RankingPair":
        """Return the pair the other way round."""
        return RankingPair(self.second, self.first, self.grades, self.pooled)

    def filled(self, grade: float) -> "RankingPair":
        """Return the pair with one grade given to all that nobody judged."""
        return RankingPair(self.first, self.second, np.where(self.is_open, grade, self.grades))

    def query_grades(self) -> tuple[QueryGrades, QueryGrades]:
        """Return what a measure sees of either ranking; all other documents are the pool."""
        return self._grades_of(self.first), self._grades_of(self.second)

    def _grades_of(self, ranking: PlaceArray) -> QueryGrades:
        is_missing = np.ones(len(self.grades), dtype=bool)
        is_missing[ranking] = False
        rest = self.grades[is_missing]
        is_judged = ~np.isnan(rest)
        return QueryGrades(
            self.grades[ranking],
            rest[is_judged],
            int(len(rest) - is_judged.sum()),
            None if self.pooled is None else self.pooled[ranking],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The ranks in which two tops differ; all above, and perhaps all below, are the same.

    Attributes:
        start: number of ranks on which both agree from the top.
        first: the first ranking's documents in the window, best first.
        second: likewise of the second.
        is_closed: whether both hold the same documents, so that what follows them
            finds the same above it in either ranking.
    """

    start: int
    first: PlaceArray
    second: PlaceArray
    is_closed: bool


def find_window(first: PlaceArray, second: PlaceArray) -> Window:
    """Return where two tops differ; empty when they are the same.

    Only where the remaining documents are the same on both sides are common last
    ranks left out.
    """
    shorter = min(len(first), len(second))
    differs = np.flatnonzero(first[:shorter] != second[:shorter])
    start = int(differs[0]) if len(differs) else shorter
    if len(first) == len(second):
        stop = int(differs[-1]) + 1 if len(differs) else start
        inner = (first[start:stop], second[start:stop])
        if np.array_equal(np.sort(inner[0]), np.sort(inner[1])):
            return Window(start, *inner, is_closed=True)
    return Window(start, first[start:], second[start:], is_closed=False)
