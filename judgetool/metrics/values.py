"""Values of measures: from what is judged of rankings and the records' terms to a run's table and means."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core import override
from judgetool.core.scale import format_grade
from judgetool.metrics.block import (
    Block,
    Grading,
    RankedGrades,
    Worth,
    add_by_row,
    complete_facts,
    edges_of,
    starts_of,
)
from judgetool.metrics.conventions import Conventions
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import (
    AnyArray,
    BoolArray,
    FactRow,
    FloatArray,
    IntArray,
    JudgedRow,
    Tops,
    log2_of,
    ratio,
)
from judgetool.wording import N_, stated, stated_of

# Cells of a padded matrix at most; more rows are done in several strides.
MOST_CELLS = 2_000_000


class SparseTops(Tops):
    """What is judged of the rankings of a block: sparse, one entry for each such document.

    Of measures to which only useful documents matter, the others are left away.
    """

    def __init__(self, block: Block, measure: Measure, worth: Worth | None = None) -> None:
        # Of the other kind nothing is kept: this is made for every measure at every key.
        self.measure, self.params, self.cutoff = measure, measure.values, measure.cutoff
        self.lengths = block.lengths
        self.depth = block.lengths if self.cutoff is None else float(self.cutoff)
        self._block = block
        self._key = measure.reading
        self._reading = worth or block.grading.worth(measure)
        # Whether each document here is worth 1.
        self._is_plain = measure.spec.sees == "useful" and self._reading.rel is not None

    @cached_property
    def graded(self) -> RankedGrades:
        """The documents, by row and rank."""
        spec, block, cutoff = self.measure.spec, self._block, self.cutoff
        if spec.sees == "pool":
            return block.all_graded
        if spec.sees == "judged":
            return block.top(cutoff)
        if self._reading.rel is not None:
            return block.relevant(self._reading.rel, cutoff)
        return self._useful[0]

    @cached_property
    def _useful(self) -> tuple[RankedGrades, FloatArray]:
        """Documents with gain or probability, and these."""

        def compute() -> tuple[RankedGrades, FloatArray]:
            graded = self._block.top(self.cutoff)
            worth = self._reading.known(graded.grades)
            if self.measure.spec.uses != "p":
                return graded, worth
            # A reader passes all others.
            can = worth > 0
            return graded.where(can), worth[can]

        return self._block.memo(("useful", self._key, self.cutoff), compute)

    @cached_property
    @override
    def worth(self) -> FloatArray:
        if self._is_plain:
            return np.ones(len(self.graded.ranks))
        if self.measure.spec.sees == "useful":
            return self._useful[1]
        return self._reading.known(self.graded.grades)

    @cached_property
    @override
    def ranks(self) -> IntArray:
        return self.graded.ranks

    @property
    @override
    def judged(self) -> BoolArray:
        return self.graded.grades >= 0

    @property
    @override
    def pooled(self) -> BoolArray:
        return np.ones(len(self.graded.ranks), dtype=np.bool_)

    @property
    @override
    def n_relevant(self) -> AnyArray:
        return self._block.n_relevant(self._reading.rel or 0.0)

    @property
    @override
    def n_nonrelevant(self) -> AnyArray:
        return np.asarray(self._block.n_relevant(0.0) - self.n_relevant)

    @cached_property
    @override
    def found(self) -> AnyArray:
        return self.graded.counts if self._is_plain else self.sum(self.worth)

    @cached_property
    @override
    def found_so_far(self) -> AnyArray:
        return self.graded.places if self._is_plain else self.cumulate(self.worth)

    @override
    def sum(self, numbers: FloatArray) -> FloatArray:
        return add_by_row(self.graded.rows, numbers, n_rows=self.graded.n_rows)

    @override
    def cumulate(self, numbers: AnyArray) -> FloatArray:
        total = np.cumsum(numbers)
        before = np.concatenate(([0], total))[starts_of(self.graded.counts)]
        return np.asarray(total - before[self.graded.rows], dtype=np.float64)

    @override
    def at(self, by_row: AnyArray) -> AnyArray:
        return by_row[self.graded.rows]

    @override
    def reach(self, stay: FloatArray) -> FloatArray:
        graded = self.graded
        reached = np.ones(len(graded.rows))
        for part in _strides(graded):
            rows = graded.rows[part]
            if not len(rows):
                continue
            rows = rows - rows[0]
            places = graded.places[part] - 1
            stays = np.ones((int(rows[-1]) + 1, int(places.max()) + 2))
            stays[rows, places + 1] = stay[part]
            reached[part] = np.cumprod(stays, axis=1)[rows, places]
        return reached

    @override
    def best(self, numbers: FloatArray, masks: Iterable[BoolArray]) -> list[FloatArray]:
        found = []
        for mask in masks:
            rows = self.graded.rows[mask]
            starts = np.flatnonzero(np.diff(rows, prepend=-1))
            values = np.zeros(self.graded.n_rows)
            if len(rows):
                values[rows[starts]] = np.maximum.reduceat(numbers[mask], starts)
            found.append(values)
        return found

    @override
    def judged_rows(self) -> Iterator[JudgedRow]:
        block, judged = self._block, self._block.judged
        graded = block.top(self.cutoff)
        worth = self._reading.known(graded.grades)
        edges = edges_of(graded.counts).tolist()
        starts = edges_of(judged.counts).tolist()
        positive = np.bincount(judged.queries[judged.grades > 0], minlength=judged.n_queries)
        queries = block.by_row(np.arange(judged.n_queries)).tolist()
        shown = np.minimum(self.depth, self.lengths).astype(np.int64).tolist()
        for row, (query, length) in enumerate(zip(queries, self.lengths.tolist(), strict=True)):
            part = slice(edges[row], edges[row + 1])
            pool = judged.grades[starts[query] : starts[query + 1]]
            own = FactRow(graded.ranks[part], graded.grades[part][:, None], pool[:, None])
            facts = {each: rows[row] for each, rows in block.facts.items()}
            yield JudgedRow(
                graded.grades[part],
                worth[part],
                graded.ranks[part],
                length,
                shown[row],
                pool[: int(positive[query])],
                self._reading.known(pool),
                complete_facts(facts, self.measure.spec.facts, own, self._reading.known),
            )

    @property
    @override
    def ideal(self) -> FloatArray:
        return self._block.memo(
            ("ideal", self._key, self.cutoff, self.params["ideal"]),
            self._compute_ideal,
        )

    def _compute_ideal(self) -> FloatArray:
        kind, block, judged = self.params["ideal"], self._block, self._block.judged
        cutoff = None if kind == "uncut" else self.cutoff
        if kind == "retrieved":
            graded = block.graded
            gains = self._reading.known(graded.grades)
            gains = gains[np.lexsort((-gains, graded.rows))]
            return _discounted(
                RankedGrades(graded.rows, graded.places, gains, graded.n_rows), cutoff
            )
        gains = block.memo(("ideal gains", self._key), self._ideal_gains)
        best = RankedGrades(judged.queries, judged.ranks, gains, judged.n_queries)
        if kind == "length":
            return self._ideal_by_length(best)
        return block.by_row(_discounted(best, cutoff))

    def _ideal_gains(self) -> FloatArray:
        """Gains of all judged documents, best first within a query."""
        judged = self._block.judged
        gains = self._reading.known(judged.grades)
        # Grades fall within a query; gains do too, unless a scale or gains= says otherwise.
        rises = (gains[1:] > gains[:-1]) & (judged.queries[1:] == judged.queries[:-1])
        return gains[np.lexsort((-gains, judged.queries))] if rises.any() else gains

    def _ideal_by_length(self, best: RankedGrades) -> FloatArray:
        """Ideal DCG of each row, cut at the length of its own ranking as well."""
        n_rows = self._block.n_rows
        terms = best.grades / log2_of(best.ranks)
        queries = self._block.by_row(np.arange(best.n_rows))
        taken = np.minimum(np.minimum(self.depth, self.lengths), best.counts[queries]).astype(int)
        rows = np.repeat(np.arange(n_rows), taken)
        within = np.arange(len(rows)) - starts_of(taken)[rows]
        places = starts_of(best.counts)[queries][rows] + within
        return add_by_row(rows, terms[places], n_rows=n_rows)


def _strides(graded: RankedGrades) -> list[slice]:
    """Cut what is graded, at ends of rows, into parts whose padded matrix is not too large."""
    widest = int(graded.counts.max(initial=0))
    if graded.n_rows * widest <= MOST_CELLS:
        return [slice(0, len(graded.rows))]
    step = max(1, MOST_CELLS // widest)
    edges = np.searchsorted(graded.rows, np.arange(0, graded.n_rows + step, step))
    return list(map(slice, edges[:-1].tolist(), edges[1:].tolist()))


def _discounted(best: RankedGrades, cutoff: int | None) -> FloatArray:
    """DCG of an ideal order whose grades are gains already."""
    top = best if cutoff is None else best.where(best.ranks <= cutoff)
    return add_by_row(top.rows, top.grades / log2_of(top.ranks), n_rows=top.n_rows)


def value_of(tops: Tops) -> FloatArray:
    """Return the value of each ranking, NaN where it is undefined, shape (B,)."""
    terms = tops.measure.spec.terms(tops)
    by = terms.by
    if terms.value is not None or terms.adds is None:
        values = np.asarray(terms.value, dtype=np.float64)
    else:
        # Relevant documents are counted, not added.
        values = tops.found if terms.adds is tops.worth else tops.sum(terms.adds)
        if terms.inner != 1.0 or terms.factor != 1.0:
            values = terms.factor * (terms.inner * values)
        if by.number is not None:
            values = ratio(values, by.number)
        values = np.asarray(values, dtype=np.float64)
    return values if by.needs is None else np.where(by.needs == 0, np.nan, values)


def row_values(tops: Tops) -> FloatArray:
    """Return the value of each row, 0 where it is undefined, shape (B,)."""
    return np.nan_to_num(value_of(tops))


def contributions(tops: Tops, *, is_divided: bool = True) -> FloatArray:
    """Return what each document adds to the value of its row, of a linear measure, shape (B, k)."""
    terms = tops.measure.spec.terms(tops)
    assert terms.adds is not None
    adds = terms.factor * (terms.inner * terms.adds)
    return adds if terms.by.number is None or not is_divided else ratio(adds, terms.by.number)


def weights_by_rank(measure: Measure, depth: int) -> FloatArray:
    """Return what a document that decides adds at each rank: rules ``first`` and ``reader``."""
    weights = measure.spec.terms(Tops(measure, np.zeros((1, depth)), np.array([depth]))).weights
    assert weights is not None
    return weights


def compute_values(
    block: Block, measures: Sequence[Measure], *, leave_out_unjudged: bool = False
) -> FloatArray:
    """Return the values of all rows for all measures.

    Args:
        block: rankings and judgments.
        measures: any number, also 0.
        leave_out_unjudged: whether unjudged documents are taken out of the rankings
            first, for every measure that has ``judged_only``.

    Returns:
        Shape (n_rows, n_measures); NaN where a measure is undefined. Only the engine
        sees these NaN.
    """
    plan = plan_values(measures, block.grading, leave_out_unjudged=leave_out_unjudged)
    return compute_planned(block, plan)


class Planned(NamedTuple):
    """A measure that is computed again and again, with what does not change meanwhile.

    Attributes:
        measure: the measure.
        worth: what grades are worth to it.
        is_condensed: whether unjudged documents are taken out of the rankings first.
    """

    measure: Measure
    worth: Worth
    is_condensed: bool


def plan_values(
    measures: Sequence[Measure], grading: Grading, *, leave_out_unjudged: bool = False
) -> list[Planned]:
    """Return what :func:`compute_planned` computes; arguments as of :func:`compute_values`."""
    return [
        Planned(
            measure,
            grading.worth(measure),
            measure.takes_out_unjudged(leave_out_unjudged=leave_out_unjudged),
        )
        for measure in measures
    ]


def compute_planned(block: Block, plan: Sequence[Planned]) -> FloatArray:
    """Return the values of all rows for planned measures; see :func:`compute_values`."""
    table = np.empty((block.n_rows, len(plan)))
    for column, (measure, worth, is_condensed) in enumerate(plan):
        source = block.condensed if is_condensed else block
        table[:, column] = value_of(SparseTops(source, measure, worth))
    return table


_NO_FACTS: dict[str, str] = {
    "clicks": N_("no clicks are known of the documents it looks at"),
    "lengths": N_("no lengths are known of the documents it looks at"),
    "samples": N_("no samples are known of the documents it looks at"),
}


def undefined_reason(
    measure: Measure, judged: FloatArray, worth: Worth, *, knows_facts: bool = False
) -> str:
    """Return why a measure has no value for a ranking, in plain words.

    Args:
        measure: the measure.
        judged: all grades of the query, none negative, any order.
        worth: what grades are worth to the measure.
        knows_facts: whether what it reads beside grades is known of any document.

    Returns:
        A clause without capital and full stop, such as
        ``none of its 10 judged documents is relevant``.
    """
    if measure.spec.uses == "clicks" or (measure.spec.needs_facts and not knows_facts):
        return _NO_FACTS[measure.spec.facts]
    if not len(judged):
        return N_("no document of this query is judged")
    if judged.max() > worth.ceiling:
        best, top = format_grade(float(judged.max())), format_grade(worth.ceiling)
        return stated("grade {best} is above {top}, the highest it can read", best=best, top=top)
    if measure.spec.uses == "grade" and not measure.spec.divides_by_relevant:
        return N_("fewer than two different grades among the judged documents of the ranking")
    if measure.is_undefined_by_ranking and (worth.of(judged) > 0).any():
        return N_("the ranking holds no document with a gain")
    return stated_of(
        len(judged),
        "its one judged document is not relevant",
        "none of its {n} judged documents is relevant",
    )


# The values of one run by query and measure, and the means over them


class Value(NamedTuple):
    """A measure's value for one ranking.

    Attributes:
        value: the number, ``None`` when it is undefined or not counted.
        reason: why it is undefined, or why it is 0 by convention, in plain words
            (without a full stop); ``""`` for an ordinary value.
    """

    value: float | None
    reason: str = ""


class Mean(NamedTuple):
    """A measure over the queries of a run: the mean, or for counts the sum.

    Attributes:
        value: the number, ``None`` when there is no query to take it over.
        n_queries: queries that it is taken over.
        n_undefined: queries of the run's means whose own value is undefined.
        n_missing: judged queries for which the run has no documents.
    """

    value: float | None
    n_queries: int
    n_undefined: int
    n_missing: int


_BLOCK = 128
"""Rows that are added up anew when one of them changes."""

StatusArray = npt.NDArray[np.int8]


class ColumnSums:
    """What the means of a table are made of.

    The rows are added up in blocks, and then the blocks: a changed row costs its own block
    and the number of blocks, and the sums are to the last bit those of a fresh start, since
    nothing is ever taken off a sum.

    Args:
        values: shape (n_rows, n_columns); looked at again by :meth:`renew`.
        status: of each value, same shape, from 0 to ``n_kinds`` − 1; likewise.
        n_kinds: how many kinds of status there are.

    Attributes:
        counts: how many values of a column have a status, shape (n_kinds, n_columns).
    """

    def __init__(self, values: FloatArray, status: StatusArray, *, n_kinds: int) -> None:
        self._values = values
        self._status = status
        self._counted = status.copy()
        self._columns = np.arange(values.shape[1])
        starts = np.arange(0, len(values), _BLOCK)
        self._blocks: FloatArray = np.zeros((0, values.shape[1]))
        if len(starts):
            self._blocks = np.array([self._add_block(start) for start in starts.tolist()])
        self.counts: IntArray = np.array(
            [np.count_nonzero(status == kind, axis=0) for kind in range(n_kinds)], dtype=np.int64
        )

    def _add_block(self, start: int) -> FloatArray:
        found: FloatArray = np.add.reduce(self._values[start : start + _BLOCK], axis=0)
        return found

    def totals(self) -> FloatArray:
        """Return the sum of each column, shape (n_columns,)."""
        found: FloatArray = np.add.reduce(self._blocks, axis=0)
        return found

    def renew(self, rows: Iterable[int]) -> None:
        """Take in what some rows of the table hold now."""
        blocks = set()
        for row in rows:
            self.counts[self._counted[row], self._columns] -= 1
            self.counts[self._status[row], self._columns] += 1
            self._counted[row] = self._status[row]
            blocks.add(row // _BLOCK)
        for number in blocks:
            self._blocks[number] = self._add_block(number * _BLOCK)

    def copy_for(self, values: FloatArray, status: StatusArray) -> "ColumnSums":
        """Return the same sums for a copy of the table."""
        copied = copy(self)
        copied._values, copied._status = values, status  # noqa: SLF001 - of the same class
        copied._blocks, copied.counts = self._blocks.copy(), self.counts.copy()  # noqa: SLF001 - of the same class
        copied._counted = self._counted.copy()  # noqa: SLF001 - of the same class
        return copied


OK, UNDEFINED, OFF_SCALE, LEFT_OUT = range(4)
N_STATUSES = 4
FLOOR = 0.00001  # trec_eval's MIN_GEO_MEAN


class RowFacts(NamedTuple):
    """What decides, beside its terms, whether a row's values count.

    Attributes:
        is_judged: whether the row's query has a grade, shape (n_rows,).
        is_retrieved: whether the ranking has a document, shape (n_rows,).
        highest: best grade of the query, −1 without any, shape (n_rows,).
    """

    is_judged: BoolArray
    is_retrieved: BoolArray
    highest: FloatArray

    def is_counted(self, conventions: Conventions) -> BoolArray:
        """Return whether each row's query belongs to the means."""
        if conventions.missing == "judged":
            return self.is_judged
        if conventions.missing == "both":
            return self.is_judged & self.is_retrieved
        return self.is_judged | self.is_retrieved


def finish_values(
    computed: FloatArray,
    facts: RowFacts,
    ceilings: FloatArray,
    conventions: Conventions,
    *,
    of_clicks: BoolArray,
) -> tuple[FloatArray, StatusArray]:
    """Turn what was computed into values without NaN, and a status of each.

    Args:
        computed: shape (n_rows, n_measures), NaN where undefined.
        facts: of the rows.
        ceilings: highest grade that each measure can read, shape (n_measures,).
        conventions: which queries count.
        of_clicks: which measures are about clicks, or lack what they read, shape (n_measures,). They count
            wherever clicks are known, judged or not, and nowhere else: nobody having
            been shown a document is not the same as nobody having clicked it.

    Returns:
        Values, 0 wherever the status is not ``OK``; and the statuses.
    """
    status = np.isnan(computed).astype(np.int8)
    status[facts.highest[:, np.newaxis] > ceilings] = OFF_SCALE
    status[~facts.is_counted(conventions)] = LEFT_OUT
    if of_clicks.any():
        status[:, of_clicks] = np.where(np.isnan(computed[:, of_clicks]), LEFT_OUT, OK)
    return np.where(status == OK, computed, 0.0), status


@dataclass(eq=False)
class RunValueTable:
    """Per-query values of one run.

    Attributes:
        values: shape (n_queries, n_measures), 0 where the status is not ``OK``.
        status: ``OK``, ``UNDEFINED``, ``OFF_SCALE`` or ``LEFT_OUT``, same shape.
        is_missing: judged queries that the run lacks, shape (n_queries,).
        is_counted: queries that the means are taken over, shape (n_queries,).
    """

    values: FloatArray
    status: StatusArray
    is_missing: BoolArray
    is_counted: BoolArray
    _sums: ColumnSums | None = field(default=None, init=False, repr=False)
    _changed: set[int] = field(default_factory=set, init=False, repr=False)

    def set_row(self, query: int, other: "RunValueTable", row: int) -> None:
        """Take a query's values from a row of another table."""
        self.values[query] = other.values[row]
        self.status[query] = other.status[row]
        self.is_missing[query] = other.is_missing[row]
        self.is_counted[query] = other.is_counted[row]
        self._changed.add(query)

    def row(self, query: int) -> list[float | None]:
        """Return the values of a query, ``None`` where there is none."""
        return _numbers(self.values[query], self.status[query])

    def column(self, column: int) -> list[float | None]:
        """Return the values of a measure by query, ``None`` where there is none."""
        return _numbers(self.values[:, column], self.status[:, column])

    def sums(self) -> ColumnSums:
        """Return what the means are made of, added up when it is asked for."""
        if self._sums is None:
            self._sums = ColumnSums(self.values, self.status, n_kinds=N_STATUSES)
        else:
            self._sums.renew(self._changed)
        self._changed.clear()
        return self._sums

    def with_rows(self, rows: "Mapping[int, RunValueTable]") -> "RunValueTable":
        """Return a table with some queries' values, each from the first row of another table."""
        copied = RunValueTable(
            self.values.copy(), self.status.copy(), self.is_missing.copy(), self.is_counted.copy()
        )
        copied._sums = self.sums().copy_for(copied.values, copied.status)
        for query, other in rows.items():
            copied.set_row(query, other, 0)
        return copied

    def of_part(self, part: BoolArray) -> "RunValueTable":
        """Return a table of which only some queries count, shape (n_queries,)."""
        return RunValueTable(
            np.where(part[:, np.newaxis], self.values, 0.0),
            np.where(part[:, np.newaxis], self.status, np.int8(LEFT_OUT)),
            self.is_missing & part,
            self.is_counted & part,
        )

    def means(
        self, measures: Sequence[Measure], conventions: Conventions, weights: FloatArray | None
    ) -> tuple[Mean, ...]:
        """Return the mean (or sum) of each measure, added again from the values."""
        n_missing = int(np.count_nonzero(self.is_missing))
        sums = self.sums()
        n_left_out, n_ok = sums.counts[LEFT_OUT], sums.counts[OK]
        n_undefined = len(self.status) - n_left_out - n_ok
        is_zero = conventions.undefined == "zero"
        counts = n_ok + n_undefined if is_zero else n_ok
        shares: FloatArray | None = None
        if conventions.is_weighted and weights is not None:
            shares = addable(weights)[:, np.newaxis] * (
                self.status != LEFT_OUT if is_zero else self.status == OK
            )
            totals = shares.sum(axis=0)
            numbers = ratio((shares * self.values).sum(axis=0), totals)
            counts = np.where(totals > 0, counts, 0)
        else:
            numbers = ratio(sums.totals(), counts)
        found: list[float] = numbers.tolist()
        for column, measure in enumerate(measures):
            if measure.spec.pooling != "mean" and counts[column]:
                found[column] = self._pooled(column, measure, shares, is_zero=is_zero)
        columns = zip(found, counts.tolist(), n_undefined.tolist(), strict=True)
        means = [
            Mean(number if count else None, count, undefined, n_missing)
            for number, count, undefined in columns
        ]
        return tuple(means)

    def _pooled(
        self,
        column: int,
        measure: Measure,
        shares: FloatArray | None,
        *,
        is_zero: bool,
    ) -> float:
        """Return what stands for all queries of a measure that has no mean: the sum, or the geometric mean."""
        if measure.spec.pooling == "sum":
            return float(self.values[:, column].sum())
        status = self.status[:, column]
        is_counted = (status != LEFT_OUT) if is_zero else (status == OK)
        counted = self.values[is_counted, column]
        logs = np.array([math.log(value) for value in np.maximum(counted, FLOOR).tolist()])
        if shares is None:
            return math.exp(logs.sum() / len(logs))
        weights = shares[is_counted, column]
        return math.exp(float(logs @ weights) / float(weights.sum()))


def _numbers(values: FloatArray, status: StatusArray) -> list[float | None]:
    cells = zip(values.tolist(), status.tolist(), strict=True)
    return [number if status == OK else None for number, status in cells]


_MOST_ADDED = 1e200


def unlike(weights: FloatArray | None) -> FloatArray | None:
    """Return weights that are not all the same; ``None`` for those by which all count alike."""
    return weights if weights is not None and len(weights) and np.ptp(weights) else None


def addable(weights: FloatArray) -> FloatArray:
    """Return weights whose sums no double is too small for, in the same proportions.

    Those of ordinary size are returned as they are.

    Args:
        weights: above 0, shape (n,).

    Examples:
        >>> addable(np.array([1.0, 2.5])).tolist(), bool(np.isfinite(addable(np.array([1e308] * 9)).sum()))
        ([1.0, 2.5], True)
    """
    most = float(weights.max(initial=0.0))
    if most <= _MOST_ADDED:
        return weights
    # By a power of two, which changes no digit of them.
    smaller: FloatArray = np.ldexp(weights, -int(np.frexp(most)[1]))
    return np.maximum(smaller, np.finfo(np.float64).tiny)
