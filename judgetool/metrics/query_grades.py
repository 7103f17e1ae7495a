"""What a measure may look at for one ranking of one query."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def _no_grades() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class QueryGrades:
    """All that a measure may look at for one ranking of one query.

    A negative grade means 'in the pool, not judged' (trec_eval): it is held as
    unjudged, and ``pooled`` remembers it.

    Attributes:
        ranked: grade by rank, best rank first, shape (n,); NaN where nobody judged.
            This class is the only place where NaN may stand for 'unjudged'.
        missing: grades of judged documents that the ranking lacks, any order, no NaN.
        n_missing_unjudged: documents of the pool that the ranking lacks and nobody judged.
        pooled: whether the document at each rank belongs to the pool, shape (n,); every
            judged one does.
        clicked: how often the document at each rank was clicked, shape (n,); ``None``
            where no clicks are known.
        shown: how often it was shown, likewise.

    Raises:
        ValueError: an array is not flat, a grade is infinite, a missing grade is NaN,
            the count is negative, or ``pooled`` has another length than ``ranked``.
    """

    ranked: FloatArray
    missing: FloatArray = field(default_factory=_no_grades)
    n_missing_unjudged: int = 0
    pooled: BoolArray | None = None
    clicked: FloatArray | None = None
    shown: FloatArray | None = None

    def __post_init__(self) -> None:
        ranked = np.asarray(self.ranked, dtype=np.float64)
        missing = np.asarray(self.missing, dtype=np.float64)
        pooled = ~np.isnan(ranked) if self.pooled is None else self.pooled | ~np.isnan(ranked)
        _check(ranked, missing, self.n_missing_unjudged, pooled)
        is_in_pool_only = missing < 0
        object.__setattr__(self, "ranked", np.where(ranked < 0, np.nan, ranked))
        object.__setattr__(self, "missing", missing[~is_in_pool_only])
        object.__setattr__(
            self, "n_missing_unjudged", int(self.n_missing_unjudged + is_in_pool_only.sum())
        )
        object.__setattr__(self, "pooled", pooled)

    @property
    def n_retrieved(self) -> int:
        """Length of the ranking."""
        return len(self.ranked)

    @property
    def is_judged(self) -> BoolArray:
        """Whether somebody judged the document at each rank, shape (n,)."""
        return ~np.isnan(self.ranked)

    @property
    def is_pooled(self) -> BoolArray:
        """Whether the document at each rank is of the pool, shape (n,)."""
        return self.is_judged if self.pooled is None else self.pooled

    @property
    def n_judged(self) -> int:
        """Judged documents of the query, retrieved or not."""
        return int(self.is_judged.sum()) + len(self.missing)

    @property
    def n_unjudged(self) -> int:
        """Documents without a grade, of the ranking and of the pool."""
        return int(np.isnan(self.ranked).sum()) + self.n_missing_unjudged

    @property
    def judged(self) -> FloatArray:
        """All grades of the query, those of the ranking first; empty if none is judged."""
        return np.concatenate((self.ranked[self.is_judged], self.missing))

    def count_relevant(self, rel: float) -> int:
        """Return R, the number of judged documents with at least this grade."""
        return int((self.judged >= rel).sum())

    def count_judged_in_top(self, cutoff: int | None) -> tuple[int, int]:
        """Return how many of the first ranks are judged, and how many ranks there are.

        Args:
            cutoff: ranks to look at, at least 1; ``None`` for the whole ranking.

        Returns:
            (judged, looked at), such as (7, 10); the second is less than the cutoff
            when the ranking is shorter, and (0, 0) when it is empty.
        """
        top = self.ranked[:cutoff]
        return int((~np.isnan(top)).sum()), len(top)


def _check(ranked: FloatArray, missing: FloatArray, count: int, pooled: BoolArray) -> None:
    if ranked.ndim != 1 or missing.ndim != 1 or pooled.shape != ranked.shape:
        raise ValueError("ranked, missing and pooled must be flat, pooled as long as ranked")
    if np.isinf(ranked).any() or not np.isfinite(missing).all():
        raise ValueError("a grade must be a finite number; NaN is allowed in ranked only")
    if count < 0:
        raise ValueError(f"n_missing_unjudged must not be negative: {count}")
