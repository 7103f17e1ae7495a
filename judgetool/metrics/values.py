"""Values of measures: what is judged of a block's rankings, and from the records' terms to numbers."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.core.override import override
from judgetool.core.scale import format_grade
from judgetool.metrics.block import (
    Block,
    Grading,
    Hits,
    Worth,
    add_by_row,
    complete_facts,
    starts_of,
)
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import (
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


class HitTops(Tops):
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
    def hits(self) -> Hits:
        """The documents, by row and rank."""
        spec, block, cutoff = self.measure.spec, self._block, self.cutoff
        if spec.sees == "pool":
            return block.all_hits
        if spec.sees == "judged":
            return block.top(cutoff)
        if self._reading.rel is not None:
            return block.relevant(self._reading.rel, cutoff)
        return self._useful[0]

    @cached_property
    def _useful(self) -> tuple[Hits, FloatArray]:
        """Documents with gain or probability, and these."""

        def compute() -> tuple[Hits, FloatArray]:
            hits = self._block.top(self.cutoff)
            worth = self._reading.known(hits.grades)
            if self.measure.spec.uses != "p":
                return hits, worth
            # A reader passes all others.
            can = worth > 0
            return hits.where(can), worth[can]

        return self._block.memo(("useful", self._key, self.cutoff), compute)

    @cached_property
    @override
    def worth(self) -> FloatArray:
        if self._is_plain:
            return np.ones(len(self.hits.ranks))
        if self.measure.spec.sees == "useful":
            return self._useful[1]
        return self._reading.known(self.hits.grades)

    @cached_property
    @override
    def ranks(self) -> IntArray:
        return self.hits.ranks

    @property
    @override
    def judged(self) -> BoolArray:
        return self.hits.grades >= 0

    @property
    @override
    def pooled(self) -> BoolArray:
        return np.ones(len(self.hits.ranks), dtype=np.bool_)

    @property
    @override
    def n_relevant(self) -> npt.NDArray[Any]:
        return self._block.n_relevant(self._reading.rel or 0.0)

    @property
    @override
    def n_nonrelevant(self) -> npt.NDArray[Any]:
        return np.asarray(self._block.n_relevant(0.0) - self.n_relevant)

    @cached_property
    @override
    def found(self) -> npt.NDArray[Any]:
        return self.hits.counts if self._is_plain else self.sum(self.worth)

    @cached_property
    @override
    def found_so_far(self) -> npt.NDArray[Any]:
        return self.hits.places if self._is_plain else self.cumulate(self.worth)

    @override
    def sum(self, numbers: FloatArray) -> FloatArray:
        return add_by_row(self.hits.rows, numbers, n_rows=self.hits.n_rows)

    @override
    def cumulate(self, numbers: npt.NDArray[Any]) -> FloatArray:
        total = np.cumsum(numbers)
        before = np.concatenate(([0], total))[starts_of(self.hits.counts)]
        return np.asarray(total - before[self.hits.rows], dtype=np.float64)

    @override
    def at(self, by_row: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return by_row[self.hits.rows]

    @override
    def reach(self, stay: FloatArray) -> FloatArray:
        hits = self.hits
        reached = np.ones(len(hits.rows))
        for part in _strides(hits):
            rows = hits.rows[part]
            if not len(rows):
                continue
            rows = rows - rows[0]
            places = hits.places[part] - 1
            stays = np.ones((int(rows[-1]) + 1, int(places.max()) + 2))
            stays[rows, places + 1] = stay[part]
            reached[part] = np.cumprod(stays, axis=1)[rows, places]
        return reached

    @override
    def best(self, numbers: FloatArray, masks: Iterable[BoolArray]) -> list[FloatArray]:
        found = []
        for mask in masks:
            rows = self.hits.rows[mask]
            starts = np.flatnonzero(np.diff(rows, prepend=-1))
            values = np.zeros(self.hits.n_rows)
            if len(rows):
                values[rows[starts]] = np.maximum.reduceat(numbers[mask], starts)
            found.append(values)
        return found

    @override
    def judged_rows(self) -> Iterator[JudgedRow]:
        block, judged = self._block, self._block.judged
        hits = block.top(self.cutoff)
        worth = self._reading.known(hits.grades)
        edges = np.concatenate(([0], np.cumsum(hits.counts))).tolist()
        starts = np.concatenate(([0], np.cumsum(judged.counts))).tolist()
        positive = np.bincount(judged.queries[judged.grades > 0], minlength=judged.n_queries)
        queries = block.by_row(np.arange(judged.n_queries)).tolist()
        shown = np.minimum(self.depth, self.lengths).astype(np.int64).tolist()
        for row, (query, length) in enumerate(zip(queries, self.lengths.tolist(), strict=True)):
            part = slice(edges[row], edges[row + 1])
            pool = judged.grades[starts[query] : starts[query + 1]]
            own = FactRow(hits.ranks[part], hits.grades[part][:, None], pool[:, None])
            facts = {each: rows[row] for each, rows in block.facts.items()}
            yield JudgedRow(
                hits.grades[part],
                worth[part],
                hits.ranks[part],
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
            hits = block.hits
            gains = self._reading.known(hits.grades)
            gains = gains[np.lexsort((-gains, hits.rows))]
            return _discounted(Hits(hits.rows, hits.places, gains, hits.n_rows), cutoff)
        gains = block.memo(("ideal gains", self._key), self._ideal_gains)
        best = Hits(judged.queries, judged.ranks, gains, judged.n_queries)
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

    def _ideal_by_length(self, best: Hits) -> FloatArray:
        """Ideal DCG of each row, cut at the length of its own ranking as well."""
        n_rows = self._block.n_rows
        terms = best.grades / log2_of(best.ranks)
        queries = self._block.by_row(np.arange(best.n_rows))
        taken = np.minimum(np.minimum(self.depth, self.lengths), best.counts[queries]).astype(int)
        rows = np.repeat(np.arange(n_rows), taken)
        within = np.arange(len(rows)) - starts_of(taken)[rows]
        places = starts_of(best.counts)[queries][rows] + within
        return add_by_row(rows, terms[places], n_rows=n_rows)


def _strides(hits: Hits) -> list[slice]:
    """Cut the hits, at ends of rows, into parts whose padded matrix is not too large."""
    widest = int(hits.counts.max(initial=0))
    if hits.n_rows * widest <= MOST_CELLS:
        return [slice(0, len(hits.rows))]
    step = max(1, MOST_CELLS // widest)
    edges = np.searchsorted(hits.rows, np.arange(0, hits.n_rows + step, step))
    return list(map(slice, edges[:-1].tolist(), edges[1:].tolist()))


def _discounted(best: Hits, cutoff: int | None) -> FloatArray:
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
        table[:, column] = value_of(HitTops(source, measure, worth))
    return table


_NO_FACTS: dict[str, str] = {
    "clicks": N_("no clicks are known of the documents it looks at"),
    "lengths": N_("no lengths are known of the documents it looks at"),
    "samples": N_("no samples are known of the documents it looks at"),
}


def undefined_reason(
    measure: Measure, judged: FloatArray, ceiling: float, *, knows_facts: bool = False
) -> str:
    """Return why a measure has no value for a ranking, in plain words.

    Args:
        measure: the measure.
        judged: all grades of the query, none negative, any order.
        ceiling: highest grade that the measure can read.
        knows_facts: whether what it reads beside grades is known of any document.

    Returns:
        A clause without capital and full stop, such as
        ``none of its 10 judged documents is relevant``.
    """
    if measure.spec.uses == "clicks" or (measure.spec.needs_facts and not knows_facts):
        return _NO_FACTS[measure.spec.facts]
    if not len(judged):
        return N_("no document of this query is judged")
    if judged.max() > ceiling:
        best, top = format_grade(float(judged.max())), format_grade(ceiling)
        return stated("grade {best} is above {top}, the highest it can read", best=best, top=top)
    if measure.spec.uses == "grade" and not measure.spec.divides_by_relevant:
        return N_("fewer than two different grades among the judged documents of the ranking")
    return stated_of(
        len(judged),
        "its one judged document is not relevant",
        "none of its {n} judged documents is relevant",
    )
