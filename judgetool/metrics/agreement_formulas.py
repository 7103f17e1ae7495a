"""The formulas of agreement: of sums and a measure's parameters, a value for each replicate."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from judgetool.metrics.agreement_sums import (
    TINY,
    JudgedScope,
    SumTable,
    Values,
    divide,
    form,
)
from judgetool.metrics.terms import FloatArray, IntArray

Params = Mapping[str, Any]
"""Every parameter of a measure by its name; ``None`` for a number that was not given."""

Chance = Callable[[SumTable, FloatArray], Values]
PairFormula = Callable[[FloatArray], FloatArray]
CONFIDENCE = 0.95
MOST_CELLS = 4_000_000
"""Of a block of replicates."""


def level_weights(name: str, levels: FloatArray) -> FloatArray:
    """Return what two grades count together, 1 on the diagonal, shape (q, q); NaN where undefined."""
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
    if levels[0] < 0:
        return np.full((len(levels), len(levels)), np.nan)
    sums = levels[:, None] + levels
    squares: FloatArray = ((levels[:, None] - levels) / np.where(sums > 0, sums, 1.0)) ** 2
    return squares


def agreed(table: SumTable, params: Params) -> Values:
    """The mean weight of two grades of the same document."""
    return table.agreement(level_weights(params["weights"], table.scope.levels))


def chance_corrected(
    chance: Callable[[SumTable, FloatArray], Values],
) -> Callable[[SumTable, Params], Values]:
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
    by_query = [np.bincount(scope.query_of, which) for which in (called == scope.n_of, called > 0)]
    whole = divide(*by_query)
    total, n = np.nansum(whole), np.count_nonzero(~np.isnan(whole))
    if table.kind == "total":
        return divide(np.array([total]), np.array([float(n)]))
    units, none = np.arange(scope.n_units), np.zeros(scope.n_units, np.int64)
    own = [
        table.own(which.astype(np.float64), units, none, 1)[:, 0]
        for which in (called == scope.n_of, called > 0)
    ]
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
    return divide(above, np.sqrt(apart[0] * apart[1]))


def rho(cells: FloatArray) -> FloatArray:
    """Return Spearman's ρ of such tables; ties have their mean rank."""
    rows, columns = cells.sum(axis=2), cells.sum(axis=1)
    ranks = [_balance(each, 1) for each in (rows, columns)]
    above = (ranks[0][:, :, None] * cells * ranks[1][:, None, :]).sum(axis=(1, 2))
    apart = [(n * rank**2).sum(axis=1) for n, rank in zip((rows, columns), ranks, strict=True)]
    return divide(above, np.sqrt(apart[0] * apart[1]))


def mean_correlation(
    scope: JudgedScope, formula: Callable[[FloatArray], FloatArray], groups: IntArray | None
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
    k: IntArray, m: IntArray, group: IntArray | None, formula: Callable[[FloatArray], FloatArray]
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


def jackknife_error(left: Values) -> float:
    """Return the standard error of a value by those without each of its parts, shape (n,), n from 2 on."""
    return float(np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()))


def student_ends(value: float, error: float, n: int) -> tuple[float, float]:
    """Return the ends of an interval by Student's t with n − 1 degrees of freedom; n from 2 on."""
    # Loaded for intervals alone.
    from scipy.special import stdtrit

    reach = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * error
    return value - reach, value + reach
