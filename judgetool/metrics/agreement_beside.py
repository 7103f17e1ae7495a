"""One assessor beside the others who graded the same documents, each of these by their own grade.

No fold of the others enters: a highest or a latest grade would make everybody look strict, and a
middle one lose who is apart. Documents count alike, however many graded them.

References:
    Schouten 1982, Vanbelle and Albert 2009 (κ of an observer and a group).

    >>> beside = BesideOthers.of_columns([0, 0, 0], [2, 1, 0], [0, 1, 1, 2], [2, 0, 1, 0])
    >>> beside.find_kappa((0, 1, 2)).value, beside.find_difference().value
    (0.8235294117647058, 0.16666666666666666)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.metrics.agreement import (
    AGREEMENT_MEASURES,
    ALL,
    NO_INTERVAL,
    NOT_SHARED,
    ONE_LEVEL,
    AgreementRow,
    parse_agreement_measure,
)
from judgetool.metrics.agreement_formulas import jackknife_error, level_weights, student_ends
from judgetool.metrics.agreement_sums import STEP, Values, divide
from judgetool.metrics.terms import FloatArray, IntArray

LINEAR_KAPPA = parse_agreement_measure("kappa(weights='linear')")
"""By what one assessor is set beside the others."""


class MeanDifference(NamedTuple):
    """How much higher one assessor grades than the others, on average.

    Attributes:
        value: mean over documents of the one's grade less the mean of the others'; ``None``
            without a document.
        low: end of the 95 % interval; ``None`` where there is none.
        high: the other end.
        n: documents.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def sign(self) -> int:
        """1 or −1 where the interval lies on one side of 0; else 0."""
        if self.low is None or self.high is None:
            return 0
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True, eq=False)
class BesideOthers:
    """What one assessor graded, and what each of the others graded of the same documents.

    Attributes:
        queries: number of the query of each document, shape (n,).
        grades: the one's, shape (n,).
        rows: the document of each grade of another, rising, shape (m,); each document has one or
            more.
        others: these grades, shape (m,).
    """

    queries: IntArray
    grades: FloatArray
    rows: IntArray
    others: FloatArray

    @staticmethod
    def of_columns(
        queries: npt.ArrayLike, grades: npt.ArrayLike, rows: npt.ArrayLike, others: npt.ArrayLike
    ) -> "BesideOthers":
        """Return it with the columns as arrays; documents that nobody else graded are left out."""
        row = np.asarray(rows, np.int64)
        kept, numbered = np.unique(row, return_inverse=True)
        return BesideOthers(
            np.asarray(queries, np.int64)[kept],
            np.asarray(grades, np.float64)[kept],
            numbered.astype(np.int64),
            np.asarray(others, np.float64),
        )

    def of_documents(self, kept: IntArray) -> "BesideOthers":
        """Return some of the documents, by their places, rising, shape (k,)."""
        is_kept = np.isin(self.rows, kept)
        rows = np.searchsorted(kept, self.rows[is_kept]).astype(np.int64)
        return replace(
            self,
            queries=self.queries[kept],
            grades=self.grades[kept],
            rows=rows,
            others=self.others[is_kept],
        )

    @property
    def n(self) -> int:
        """How many documents there are."""
        return len(self.grades)

    @property
    def _share(self) -> FloatArray:
        """The part of its document that each grade of another is, shape (m,)."""
        share: FloatArray = 1 / np.bincount(self.rows, minlength=self.n)[self.rows]
        return share

    def find_difference(self) -> MeanDifference:
        """Return how much higher the one grades than the others' mean, with the jackknife's interval.

        The jackknife leaves out a query at a time; where there is one query, a document.
        """
        n = self.n
        if not n:
            return MeanDifference(None, None, None, 0)
        apart = self.grades - np.bincount(self.rows, self.others * self._share, n)
        value = float(apart.mean())
        if n < 2:
            return MeanDifference(value, None, None, n)
        groups = self._groups()
        if groups[-1] == 0:
            groups = np.arange(n)
        left = (apart.sum() - np.bincount(groups, apart)) / (n - np.bincount(groups))
        low, high = student_ends(value, jackknife_error(left), len(left))
        return MeanDifference(value, low, high, n)

    def _groups(self) -> IntArray:
        """Return the number of each document's query among those that occur, rising, shape (n,)."""
        return np.unique(self.queries, return_inverse=True)[1].astype(np.int64)

    def find_kappa(self, levels: Sequence[float]) -> AgreementRow:
        """Return κ with linear weights, with its 95 % interval over queries, of one over documents.

        With a single other it is Cohen's κ. With several, what is agreed is the mean over
        documents of the mean over the others; by chance it is so with the one's shares of levels
        and the others' mean shares.

        Args:
            levels: of the scale; grades that occur besides are added.
        """
        every = np.unique(np.concatenate((self.grades, self.others, np.array(levels, np.float64))))
        if not self.n:
            return AgreementRow(LINEAR_KAPPA, ALL, None, reason=NOT_SHARED)
        if len(every) < 2:
            return AgreementRow(LINEAR_KAPPA, ALL, None, reason=ONE_LEVEL)
        weights = level_weights("linear", every)
        sums = self._sums(every, weights)
        value = float(_kappa(sums.sum(axis=0)[None], weights)[0])
        spec = AGREEMENT_MEASURES[LINEAR_KAPPA.name]
        if np.isnan(value):
            return AgreementRow(LINEAR_KAPPA, ALL, None, reason=spec.reason)
        low, high = self._ends(sums, weights, value)
        if np.isnan(low) or np.isnan(high):
            return AgreementRow(LINEAR_KAPPA, ALL, value, reason=NO_INTERVAL)
        least = -np.inf if spec.least is None else spec.least
        return AgreementRow(LINEAR_KAPPA, ALL, value, max(low, min(least, value)), min(high, 1.0))

    def _sums(self, levels: FloatArray, weights: FloatArray) -> FloatArray:
        """Return by document 1, what is agreed, the one's level, the others' shares: (n, 2 + 2q)."""
        n, q = self.n, len(levels)
        own, other = (np.searchsorted(levels, each) for each in (self.grades, self.others))
        found = np.zeros((n, 2 + 2 * q))
        found[:, 0] = 1.0
        found[:, 1] = np.bincount(self.rows, weights[own[self.rows], other] * self._share, n)
        found[np.arange(n), 2 + own] = 1.0
        np.add.at(found, (self.rows, 2 + q + other), self._share)
        return found

    def _ends(self, sums: FloatArray, weights: FloatArray, value: float) -> tuple[float, float]:
        total, groups, n = sums.sum(axis=0), self._groups(), self.n
        if groups[-1] > 0:
            own = np.zeros((groups[-1] + 1, len(total)))
            np.add.at(own, groups, sums)
            left = _kappa(total - own, weights)
            return student_ends(value, jackknife_error(left), len(left))
        if n < 2:
            return np.nan, np.nan
        # The linearisation, by a complex step towards each document.
        influence = _kappa(total + 1j * STEP * sums, weights).imag / STEP
        error = float(np.sqrt(n / (n - 1) * (influence**2).sum()))
        return student_ends(value, error, n)


def _kappa(sums: Values, weights: FloatArray) -> Values:
    """Return κ of sums of documents, shape (replicates, 2 + 2q); NaN where chance agreement is 1."""
    q = len(weights)
    shares = sums[:, 1:] / sums[:, :1]
    agreed, own, others = shares[:, 0], shares[:, 1 : 1 + q], shares[:, 1 + q :]
    expected = ((own @ weights) * others).sum(axis=1)
    return divide(agreed - expected, 1 - expected)
