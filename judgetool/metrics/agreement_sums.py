"""What agreement is worked out of: judgments by document and assessor, and sums over documents."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from judgetool.errors import UsageError
from judgetool.metrics.terms import FloatArray, IntArray

STEP = 1e-20
"""Of the complex step: its square vanishes beside 1."""

TINY = 1e-12
Replicates = Literal["total", "without", "step"]
Values = npt.NDArray[Any]
"""Real, or complex with a complex step."""


@dataclass(frozen=True, eq=False)
class AgreementData:
    """Grades of several assessors, one for each (query, document, assessor), sorted by these.

    Attributes:
        queries: places in ``query_ids``, shape (n,).
        units: number of the (query, document), rising with the rows, shape (n,).
        assessors: places in ``names``, shape (n,).
        grades: places in ``levels``, shape (n,).
        query_ids: in the order in which they came.
        names: of the assessors, sorted.
        levels: grades, rising, shape (q,).
        relevant_from: lowest grade that counts as relevant.
    """

    queries: IntArray
    units: IntArray
    assessors: IntArray
    grades: IntArray
    query_ids: tuple[str, ...]
    names: tuple[str, ...]
    levels: FloatArray
    relevant_from: float = 1.0

    @staticmethod
    def of_columns(
        query_ids: Sequence[str],
        documents: Sequence[Hashable],
        assessors: Sequence[str],
        grades: Sequence[float],
        *,
        levels: Iterable[float] = (),
        relevant_from: float = 1.0,
    ) -> "AgreementData":
        """Return judgments given as columns of equal length; of several by one assessor the last counts.

        Args:
            query_ids: shape (n,); may be empty.
            documents: ids, or anything that tells documents apart, shape (n,).
            assessors: names, shape (n,).
            grades: finite, shape (n,).
            levels: of the scale; grades that occur besides are added.
            relevant_from: lowest relevant grade.

        Raises:
            UsageError: the columns differ in length, or a grade is not finite.
        """
        given = np.asarray(grades, np.float64)
        if not len(query_ids) == len(documents) == len(assessors) == len(given):
            raise UsageError("Queries, documents, assessors and grades differ in number.")
        if not np.isfinite(given).all():
            raise UsageError("A grade is not finite; leave out what was not graded.")
        query, ids = _numbered(query_ids)
        document, _ = _numbered(documents)
        who, found = _numbered(assessors)
        names = sorted(found)
        who = np.array([names.index(name) for name in found], np.int64)[who]
        order = np.lexsort((who, document, query))
        query, document, who = query[order], document[order], who[order]
        last = np.ones(len(order), np.bool_)
        is_new = (np.diff(query) != 0) | (np.diff(document) != 0)
        last[:-1] = is_new | (np.diff(who) != 0)
        unit = np.concatenate(([0], np.cumsum(is_new)))[: len(order)]
        every, places = np.unique(np.append(given, list(levels)), return_inverse=True)
        grade = places[: len(given)][order]
        query, unit, who, grade = (
            column[last].astype(np.int64) for column in (query, unit, who, grade)
        )
        return AgreementData(
            query, unit, who, grade, tuple(ids), tuple(names), every, relevant_from
        )

    def of_rows(self, rows: npt.NDArray[np.bool_]) -> "AgreementData":
        """Return some of the judgments; levels and names stay."""
        kept = (self.queries[rows], self.units[rows], self.assessors[rows], self.grades[rows])
        return AgreementData(*kept, self.query_ids, self.names, self.levels, self.relevant_from)

    def of_assessors(self, names: Iterable[str]) -> "AgreementData":
        """Return the judgments of some assessors; others are unknown to what is returned."""
        kept = [place for place, name in enumerate(self.names) if name in set(names)]
        found = self.of_rows(np.isin(self.assessors, kept))
        who = np.searchsorted(kept, found.assessors)
        return replace(found, assessors=who, names=tuple(self.names[each] for each in kept))

    def against_rest(self, level: int) -> "AgreementData":
        """Return the judgments with two levels: this one (relevant), and all others."""
        two = np.array([0.0, 1.0])
        grades = (self.grades == level).astype(np.int64)
        return replace(self, grades=grades, levels=two, relevant_from=1.0)


def _numbered(values: Sequence[Any]) -> tuple[IntArray, list[Any]]:
    """Return a number for each value and the values by number, in order of appearance."""
    numbers: dict[Any, int] = {}
    found = [numbers.setdefault(value, len(numbers)) for value in values]
    return np.array(found, np.int64), list(numbers)


class JudgedScope:
    """Judgments with what all measures need of them; arrays by judgment, by unit, by pair of judgments."""

    def __init__(self, data: AgreementData, *, least: int = 2) -> None:
        """Take the documents that at least so many graded."""
        _, unit, n_of_unit = np.unique(data.units, return_inverse=True, return_counts=True)
        kept = n_of_unit[unit] >= least
        self.data = data.of_rows(kept)
        self.levels, self.grade, self.who = data.levels, self.data.grades, self.data.assessors
        self.n_assessors = len(data.names)
        _, first, self.unit, self.n_of = np.unique(
            self.data.units, return_index=True, return_inverse=True, return_counts=True
        )
        self.n_units = len(self.n_of)
        _, self.query_of = np.unique(self.data.queries[first], return_inverse=True)
        self.is_unit = self.n_of >= 2
        self._pair_sums: dict[tuple[bytes, bool], FloatArray] = {}

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """Places of each two judgments of the same document; of these the first assessor's first."""
        firsts, seconds = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for step in range(1, int(self.n_of.max(initial=0))):
            first = np.flatnonzero(self.unit[step:] == self.unit[:-step])
            firsts.append(first)
            seconds.append(first + step)
        return np.concatenate(firsts), np.concatenate(seconds)

    @cached_property
    def _pair_cells(self) -> tuple[IntArray, IntArray]:
        """The unit of each pair, and the cell of its grades in a table of levels by levels."""
        first, second = self.pairs
        return self.unit[first], self.grade[first] * len(self.levels) + self.grade[second]

    def pair_sums(self, weights: FloatArray, *, is_mean: bool) -> FloatArray:
        """Return by unit Σ w over ordered pairs, divided by r(r−1), or for pairable values by r−1."""
        key = (weights.tobytes(), is_mean)
        if key not in self._pair_sums:
            sums = self._weighed(weights)
            n_others = np.maximum(self.n_of - 1, 1)
            self._pair_sums[key] = 2 * sums / (n_others * (self.n_of if is_mean else 1))
        return self._pair_sums[key]

    def _weighed(self, weights: FloatArray) -> FloatArray:
        """Return by unit Σ w over two judgments each, counted once: by levels where these are few."""
        n_levels = len(self.levels)
        if self.n_units * n_levels > (self.n_of * (self.n_of - 1) // 2).sum():
            unit, cell = self._pair_cells
            return np.bincount(unit, weights.ravel()[cell], self.n_units).astype(np.float64)
        cells = self.unit * n_levels + self.grade
        given = np.bincount(cells, minlength=self.n_units * n_levels).reshape(-1, n_levels)
        sums: FloatArray = ((given @ weights) * given).sum(axis=1) - given @ np.diag(weights)
        return sums / 2

    def relevant(self, rel: float) -> FloatArray:
        """Return by unit how many called it relevant."""
        is_relevant = (self.levels[self.grade] >= rel).astype(np.float64)
        return np.bincount(self.unit, is_relevant, self.n_units).astype(np.float64)


class SumTable:
    """Sums over units: of all, of all but each group, or of all and a step towards each group.

    Args:
        scope: what is summed.
        kind: ``total`` for one sum; ``without`` each group of units; ``step`` towards each.
        groups: the group of each unit, rising.
        start: first group.
        stop: behind the last one.
    """

    def __init__(
        self,
        scope: JudgedScope,
        kind: Replicates = "total",
        groups: IntArray | None = None,
        start: int = 0,
        stop: int = 0,
    ) -> None:
        self.scope, self.kind, self.n_groups = scope, kind, stop - start
        group = np.zeros(scope.n_units, np.int64) if groups is None else groups
        ends = np.searchsorted(group, (start, stop))
        self.units = slice(int(ends[0]), int(ends[1]))
        self.group = group - start

    def sum(
        self,
        weights: Values,
        of_unit: IntArray | None = None,
        key: IntArray | None = None,
        n: int = 1,
    ) -> Values:
        """Return sums of entries, each of a unit and with a key below n: shape (replicates, n)."""
        unit = np.arange(self.scope.n_units) if of_unit is None else of_unit
        keys = np.zeros(len(unit), np.int64) if key is None else key
        total = np.bincount(keys, weights, n)[None]
        if self.kind == "total":
            return total
        return self.beside(total, self.own(weights, unit, keys, n))

    def own(self, weights: Values, unit: IntArray, keys: IntArray, n: int) -> FloatArray:
        """Return the sums of the groups themselves, shape (groups, n)."""
        inside = (unit >= self.units.start) & (unit < self.units.stop)
        cells = self.group[unit[inside]] * n + keys[inside]
        sums = np.bincount(cells, weights[inside], self.n_groups * n).astype(np.float64)
        return sums.reshape(-1, n)

    def beside(self, total: Values, own: FloatArray) -> Values:
        """Return the replicates of a sum, by its total and the groups' own."""
        return total - own if self.kind == "without" else total + 1j * STEP * own

    def n_units(self) -> Values:
        """Return the number of units, documents graded once left out: shape (replicates,)."""
        return self.sum(self.scope.is_unit.astype(np.float64))[:, 0]

    def agreement(self, weights: FloatArray) -> Values:
        """Return the mean weight of two judgments of the same unit."""
        return divide(self.sum(self.scope.pair_sums(weights, is_mean=True))[:, 0], self.n_units())

    def shares(self) -> Values:
        """Return π: the mean share of each level, shape (replicates, q)."""
        scope = self.scope
        sums = self.sum(1 / scope.n_of[scope.unit], scope.unit, scope.grade, len(scope.levels))
        return sums / self.sum(np.ones(scope.n_units))

    def given(self) -> Values:
        """Return how often each assessor gave each level, shape (replicates, assessors, q)."""
        scope, n_levels = self.scope, len(self.scope.levels)
        keys = scope.who * n_levels + scope.grade
        ones = np.ones(len(keys))
        sums = self.sum(ones, scope.unit, keys, scope.n_assessors * n_levels)
        return sums.reshape(len(sums), scope.n_assessors, n_levels)

    def counts(self) -> Values:
        """Return how often each level was given, shape (replicates, q)."""
        scope = self.scope
        return self.sum(np.ones(len(scope.unit)), scope.unit, scope.grade, len(scope.levels))


def divide(above: Values, below: Values) -> Values:
    """Return a quotient, NaN where nothing is divided by."""
    is_fine = np.abs(below.real) > TINY
    return np.where(is_fine, above / np.where(is_fine, below, 1.0), np.nan)


def form(left: Values, weights: FloatArray, right: Values) -> Values:
    """Return Σ left_k w_kl right_l for each replicate."""
    sums: Values = ((left @ weights) * right).sum(axis=-1)
    return sums
