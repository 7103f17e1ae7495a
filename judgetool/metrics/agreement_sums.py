"""What agreement is worked out of: judgments by document and assessor, sums over documents, formulas.

A formula makes of sums and a measure's parameters a value for each replicate.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from judgetool.errors import UsageError
from judgetool.metrics.terms import AnyArray, BoolArray, FloatArray, IntArray

STEP = 1e-20
"""Of the complex step: its square vanishes beside 1."""

TINY = 1e-12
Replicates = Literal["total", "without", "step"]
Values = AnyArray
"""Real, or complex with a complex step."""


class AgreementData(NamedTuple):
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

    def of_rows(self, rows: BoolArray) -> "AgreementData":
        """Return some of the judgments; levels and names stay."""
        kept = (self.queries[rows], self.units[rows], self.assessors[rows], self.grades[rows])
        return AgreementData(*kept, self.query_ids, self.names, self.levels, self.relevant_from)

    def of_assessors(self, names: Iterable[str]) -> "AgreementData":
        """Return the judgments of some assessors; others are unknown to what is returned."""
        kept = [place for place, name in enumerate(self.names) if name in set(names)]
        found = self.of_rows(np.isin(self.assessors, kept))
        who = np.searchsorted(kept, found.assessors)
        return found._replace(assessors=who, names=tuple(self.names[each] for each in kept))

    def against_rest(self, level: int) -> "AgreementData":
        """Return the judgments with two levels: this one (relevant), and all others."""
        two = np.array([0.0, 1.0])
        grades = (self.grades == level).astype(np.int64)
        return self._replace(grades=grades, levels=two, relevant_from=1.0)


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


Params = Mapping[str, Any]
"""Every parameter of a measure by its name; ``None`` for a number that was not given."""

Chance = Callable[[SumTable, FloatArray], Values]
PairFormula = Callable[[FloatArray], FloatArray]
CONFIDENCE = 0.95
MOST_CELLS = 4_000_000
"""Of a block of replicates."""


def level_weights(name: str, levels: FloatArray) -> FloatArray:
    """Return what two grades count together, 1 on the diagonal, shape (q, q)."""
    n = len(levels)
    if name == "identity" or n < 2:
        return np.eye(n)
    if name == "ratio":
        lost = _ratio_squares(levels)
    elif name == "ordinal":
        steps = np.abs(np.arange(n)[:, None] - np.arange(n)).astype(np.float64)
        lost = (steps + 1) * steps
    else:
        lost = np.abs(levels[:, None] - levels) ** (1 if name == "linear" else 2)
    weights: FloatArray = 1 - lost / lost.max()
    return weights


def _ratio_squares(levels: FloatArray) -> FloatArray:
    sums = levels[:, None] + levels
    squares: FloatArray = ((levels[:, None] - levels) / np.where(sums > 0, sums, 1.0)) ** 2
    return squares


def agreed(table: SumTable, params: Params) -> Values:
    """The mean weight of two grades of the same document."""
    return table.agreement(level_weights(params["weights"], table.scope.levels))


def chance_corrected(chance: Chance) -> Callable[[SumTable, Params], Values]:
    """Return the formula (a − e)/(1 − e) with an e."""

    def formula(table: SumTable, params: Params) -> Values:
        weights = level_weights(params.get("weights", "identity"), table.scope.levels)
        agreed, expected = table.agreement(weights), chance(table, weights)
        if table.kind == "step":
            agreed = _spread_agreement(table, weights, expected.real)
        return divide(agreed - expected, 1 - expected)

    return formula


def _spread_agreement(table: SumTable, weights: FloatArray, expected: FloatArray) -> Values:
    """Return a as Gwet spreads it: a document graded once stands for one that agrees by chance."""
    scope = table.scope
    every = table.sum(np.ones(scope.n_units))[:, 0]
    units = table.n_units()
    sums = table.sum(scope.pair_sums(weights, is_mean=True))[:, 0]
    spread: Values = every.real / units.real * (sums - expected * units) / every + expected
    return spread


def chance_by_assessors(table: SumTable, weights: FloatArray) -> Values:
    """By each two assessors' own shares (Cohen, Conger); who is without a grade is left out."""
    given = table.given()
    n_given = given.sum(axis=-1)
    is_there = n_given.real > 0.5
    shares = np.where(is_there[..., None], given / np.where(is_there, n_given, 1)[..., None], 0)
    n = is_there.sum(axis=1)
    every = shares.sum(axis=1)
    own = form(shares, weights, shares).sum(axis=-1)
    return divide(form(every, weights, every) - own, (n * (n - 1)).astype(np.float64))


def chance_by_shares(table: SumTable, weights: FloatArray) -> Values:
    """By the mean shares of levels (Scott, Fleiss)."""
    shares = table.shares()
    return form(shares, weights, shares)


def chance_by_spread(table: SumTable, weights: FloatArray) -> Values:
    """By how far the mean shares spread over the levels (Gwet)."""
    shares, n = table.shares(), len(weights)
    spread: Values = weights.sum() / (n * (n - 1)) * (shares * (1 - shares)).sum(axis=-1)
    return spread


def chance_by_levels(table: SumTable, weights: FloatArray) -> Values:
    """By the number of levels alone (Bennett, Brennan and Prediger)."""
    return np.full(table.n_groups or 1, weights.sum() / len(weights) ** 2)


def alpha(table: SumTable, params: Params) -> Values:
    """Krippendorff's; a step is Gwet's, who keeps the differences and takes N in place of N − 1."""
    level, scope = params["level"], table.scope
    counts = table.counts()
    if level == "ordinal" and table.kind == "without":
        places = np.cumsum(counts, axis=1) - counts / 2
        observed = _ordinal_observed(table, places)
        n = counts.sum(axis=1)
        expected = 2 * (n * (counts * places**2).sum(axis=1) - (counts * places).sum(axis=1) ** 2)
    else:
        apart = _differences(level, scope)
        observed = table.sum(scope.pair_sums(apart, is_mean=False))[:, 0]
        n, expected = counts.sum(axis=1), form(counts, apart, counts)
    if table.kind != "step":
        return 1 - divide((n - 1) * observed, expected)
    units = table.n_units()
    share = observed / n
    share = share + share.real / n.real * (n / n.real - units / units.real)
    return 1 - divide(share * n**2, expected)


def _differences(level: str, scope: JudgedScope) -> FloatArray:
    """Return δ² of two levels, shape (q, q)."""
    if level == "nominal":
        return 1 - np.eye(len(scope.levels))
    if level == "ratio":
        return _ratio_squares(scope.levels)
    counts = np.bincount(scope.grade, minlength=len(scope.levels))
    places = scope.levels if level == "interval" else np.cumsum(counts) - counts / 2
    squares: FloatArray = (places[:, None] - places) ** 2
    return squares


def _ordinal_observed(table: SumTable, places: Values) -> Values:
    """Return Σ o_kl (c_k − c_l)² of what is left without each group, by the c of what is left."""
    scope, n_levels = table.scope, len(table.scope.levels)
    first, second = scope.pairs
    k, m, each = scope.grade[first], scope.grade[second], 2.0 / (scope.n_of[scope.unit[first]] - 1)
    cells = np.bincount(k * n_levels + m, each, n_levels**2).astype(np.float64)
    observed = cells.reshape(n_levels, n_levels)
    rows = observed.sum(axis=1) + observed.sum(axis=0)
    total = places**2 @ rows - 2 * form(places, observed, places)
    unit = scope.unit[first]
    inside = (unit >= table.units.start) & (unit < table.units.stop)
    group = table.group[unit[inside]]
    squares = (places[group, k[inside]] - places[group, m[inside]]) ** 2 * each[inside]
    left: Values = total - np.bincount(group, squares, table.n_groups)
    return left


def _rel(table: SumTable, params: Params) -> float:
    rel = params["rel"]
    return table.scope.data.relevant_from if rel is None else float(rel)


def _specific(table: SumTable, called: FloatArray) -> Values:
    n_others = np.maximum(table.scope.n_of - 1, 1)
    return divide(table.sum(called * (called - 1) / n_others)[:, 0], table.sum(called)[:, 0])


def positive(table: SumTable, params: Params) -> Values:
    """Agreement on what is relevant (Cicchetti and Feinstein)."""
    return _specific(table, table.scope.relevant(_rel(table, params)))


def negative(table: SumTable, params: Params) -> Values:
    """Agreement on what is not relevant."""
    return _specific(table, table.scope.n_of - table.scope.relevant(_rel(table, params)))


def overlap(table: SumTable, params: Params) -> Values:
    """The mean over queries; a group lies in one query, whose quotient alone changes without it."""
    scope = table.scope
    called = scope.relevant(_rel(table, params))
    masks = called == scope.n_of, called > 0
    by_query = [np.bincount(scope.query_of, which) for which in masks]
    whole = divide(*by_query)
    total, n = np.nansum(whole), np.count_nonzero(~np.isnan(whole))
    if table.kind == "total":
        return divide(np.array([total]), np.array([float(n)]))
    units, none = np.arange(scope.n_units), np.zeros(scope.n_units, np.int64)
    own = [table.own(which.astype(np.float64), units, none, 1)[:, 0] for which in masks]
    query = scope.query_of[table.units][
        np.searchsorted(table.group[table.units], np.arange(table.n_groups))
    ]
    left = divide(by_query[0][query] - own[0], by_query[1][query] - own[1])
    sums = total - np.nan_to_num(whole[query]) + np.nan_to_num(left)
    return divide(sums, (n - ~np.isnan(whole[query]) + ~np.isnan(left)).astype(np.float64))


class _Variance(NamedTuple):
    """Mean squares of a table of documents by assessors, each of shape (replicates,)."""

    n: Values
    rows: Values
    columns: Values
    rest: Values
    within: Values


def _variance(table: SumTable) -> _Variance:
    scope, k = table.scope, table.scope.n_assessors
    is_whole = scope.n_of == k
    kept = is_whole[scope.unit]
    grade = scope.levels[scope.grade]
    x = np.where(kept, grade - (grade[kept].mean() if kept.any() else 0.0), 0.0)
    n = table.sum(is_whole.astype(np.float64))[:, 0]
    columns = table.sum(x, scope.unit, scope.who, k)
    squares = table.sum(x**2, scope.unit)[:, 0]
    rows = table.sum(np.bincount(scope.unit, x, scope.n_units) ** 2)[:, 0] / k
    mean = columns.sum(axis=1) ** 2
    mean, columns = divide(mean, n * k), divide((columns**2).sum(axis=1), n)
    rest = squares - rows - columns + mean
    free = n - 1
    return _Variance(
        n,
        divide(rows - mean, free),
        (columns - mean) / max(k - 1, 1),
        divide(rest, free * (k - 1)),
        divide(squares - rows, n * (k - 1)),
    )


def intraclass(table: SumTable, params: Params) -> Values:
    """McGraw and Wong: of the documents that every assessor graded."""
    found, k, kind = _variance(table), table.scope.n_assessors, params["kind"]
    rest = found.within if kind == "oneway" else found.rest
    below = found.rows + (k - 1) * rest
    if kind == "agreement":
        below = below + divide(k * (found.columns - found.rest), found.n)
    return divide(found.rows - rest, below)


def intraclass_ends(scope: JudgedScope, params: Params, value: float) -> tuple[float, float]:
    """Return the interval of McGraw and Wong from the F distribution; NaN where it has none."""
    # Loaded for intervals alone.
    from scipy.special import fdtri

    n, rows, columns, rest, within = (float(each[0]) for each in _variance(SumTable(scope)))
    k, kind, tail = scope.n_assessors, params["kind"], (1 + CONFIDENCE) / 2
    if value > 1 - TINY:
        return value, value
    if kind != "agreement":
        error, free = (within, n * (k - 1)) if kind == "oneway" else (rest, (n - 1) * (k - 1))
        low = rows / error / fdtri(n - 1, free, tail)
        high = rows / error * fdtri(free, n - 1, tail)
        return float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1))
    a, b = k * value / (n * (1 - value)), 1 + k * value * (n - 1) / (n * (1 - value))
    parts = (a * columns) ** 2 / (k - 1) + (b * rest) ** 2 / ((n - 1) * (k - 1))
    free = (a * columns + b * rest) ** 2 / parts
    other = k * columns + (k * n - k - n) * rest
    down, up = fdtri(n - 1, free, tail), fdtri(free, n - 1, tail)
    low = n * (rows - down * rest) / (down * other + n * rows)
    return float(low), float(n * (up * rows - rest) / (other + n * up * rows))


# -- correlations: the mean over pairs of assessors


def _balance(table: Values, axis: int) -> Values:
    """Return for each cell what lies before it less what lies behind it, along an axis."""
    sums: Values = np.cumsum(table, axis=axis)
    return 2 * sums - table - sums.take([-1], axis=axis)


def tau(cells: FloatArray) -> FloatArray:
    """Return Kendall's τ-b of tables of two assessors' grades, shape (replicates, k, l)."""
    rows, columns = cells.sum(axis=2), cells.sum(axis=1)
    squared = rows.sum(axis=1) ** 2
    above = (cells * _balance(_balance(cells, 1), 2)).sum(axis=(1, 2))
    apart = [squared - (each**2).sum(axis=1) for each in (rows, columns)]
    return divide(above, np.sqrt(np.multiply(*apart)))


def rho(cells: FloatArray) -> FloatArray:
    """Return Spearman's ρ of such tables; ties have their mean rank."""
    rows, columns = cells.sum(axis=2), cells.sum(axis=1)
    ranks = [_balance(each, 1) for each in (rows, columns)]
    above = (ranks[0][:, :, None] * cells * ranks[1][:, None, :]).sum(axis=(1, 2))
    apart = [(n * rank**2).sum(axis=1) for n, rank in zip((rows, columns), ranks, strict=True)]
    return divide(above, np.sqrt(np.multiply(*apart)))


def mean_correlation(
    scope: JudgedScope, formula: PairFormula, groups: IntArray | None
) -> tuple[float, FloatArray]:
    """Return the mean over pairs that have a value, and this without each group."""
    first, second = scope.pairs
    code = scope.who[first] * scope.n_assessors + scope.who[second]
    order = np.argsort(code, kind="stable")
    k, m = scope.grade[first][order], scope.grade[second][order]
    group = None if groups is None else groups[scope.unit[first][order]]
    ends = np.flatnonzero(np.diff(code[order], prepend=-1, append=-1))
    n_groups = 0 if groups is None else int(groups.max(initial=-1)) + 1
    total, n, sums, counts = 0.0, 0, np.zeros(n_groups), np.zeros(n_groups, np.int64)
    for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        part = slice(start, stop)
        its = None if group is None else group[part]
        value, there, left = _correlate(k[part], m[part], its, formula)
        is_defined = not np.isnan(value)
        total, n = total + (value if is_defined else 0.0), n + is_defined
        sums[there] += np.nan_to_num(left) - (value if is_defined else 0.0)
        counts[there] += ~np.isnan(left) - np.int64(is_defined)
    every = divide(np.append(sums + total, total), np.append(counts + n, n).astype(np.float64))
    return float(every[-1]), every[:-1]


def _correlate(
    k: IntArray, m: IntArray, group: IntArray | None, formula: PairFormula
) -> tuple[float, IntArray, FloatArray]:
    """Return the value of two assessors, the groups that they meet in, and the value without each."""
    (ks, k), (ms, m) = (np.unique(each, return_inverse=True) for each in (k, m))
    shape = (len(ks), len(ms))
    cell, n_cells = k * shape[1] + m, shape[0] * shape[1]
    whole = np.bincount(cell, minlength=n_cells).astype(np.float64)
    value = float(formula(whole.reshape(1, *shape))[0])
    if group is None:
        return value, np.zeros(0, np.int64), np.zeros(0)
    there, place = np.unique(group, return_inverse=True)
    left = []
    step = max(1, MOST_CELLS // n_cells)
    for start in range(0, len(there), step):
        inside = (place >= start) & (place < start + step)
        n = min(step, len(there) - start)
        own = np.bincount((place[inside] - start) * n_cells + cell[inside], minlength=n * n_cells)
        left.append(formula((whole - own.reshape(n, n_cells)).reshape(n, *shape)))
    return value, there, np.concatenate(left)


def jackknife_ends(value: float, left: Values) -> tuple[float, float]:
    """Return the ends of an interval by the values without each part, shape (n,), n from 2 on."""
    n = len(left)
    return _student_ends(value, (n - 1) / n * ((left - left.mean()) ** 2).sum(), n)


def step_ends(value: float, found: Values) -> tuple[float, float]:
    """Return the ends by the linearisation: values with a complex step towards each part, likewise."""
    n = len(found)
    return _student_ends(value, n / (n - 1) * ((found.imag / STEP) ** 2).sum(), n)


def _student_ends(value: float, variance: float, n: int) -> tuple[float, float]:
    """Return the ends of an interval by Student's t with n − 1 degrees of freedom."""
    # Loaded for intervals alone.
    from scipy.special import stdtrit

    reach = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * float(np.sqrt(variance))
    return value - reach, value + reach
