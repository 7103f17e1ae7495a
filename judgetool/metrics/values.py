"""Values of measures: from the records' terms to numbers."""

import math
from collections.abc import Sequence

import numpy as np

from judgetool.core.scale import Scale, format_grade
from judgetool.metrics.block import Block, Hits, JudgedGrades
from judgetool.metrics.grades import GradesBlock, QueryGrades
from judgetool.metrics.grading import grading_of
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import FloatArray, IntArray, Tops, ratio
from judgetool.metrics.tops import HitTops

IN_POOL_ONLY = -1.0


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
    table = np.empty((block.n_rows, len(measures)))
    for column, measure in enumerate(measures):
        is_condensed = measure.takes_out_unjudged(leave_out_unjudged=leave_out_unjudged)
        source = block.condensed() if is_condensed else block
        table[:, column] = value_of(HitTops(source, measure))
    return table


def present_values(
    measure: Measure,
    block: GradesBlock,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> FloatArray:
    """Return the values as judged so far, undefined ones as 0, shape (B,)."""
    return np.nan_to_num(values_now(measure, block, scale, leave_out_unjudged=leave_out_unjudged))


def values_now(
    measure: Measure,
    block: GradesBlock,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> FloatArray:
    """Return the values as judged so far, NaN where they are undefined, shape (B,)."""
    return compute_values(
        _block_now(block, scale), [measure], leave_out_unjudged=leave_out_unjudged
    )[:, 0]


def _block_now(block: GradesBlock, scale: Scale | None) -> Block:
    """Return the rankings as judged so far."""
    is_known = ~np.isnan(block.ranked) if block.is_pooled is None else block.is_pooled
    rows, columns = np.nonzero(is_known)
    grades = block.ranked[rows, columns]
    grades = np.where(np.isnan(grades), IN_POOL_ONLY, grades)
    queries, places = np.nonzero(~np.isnan(block.judged))
    judged = block.judged[queries, places]
    return Block(
        Hits(rows, columns + 1, grades, len(block)),
        block.lengths.astype(np.int64),
        JudgedGrades(queries, judged[np.lexsort((-judged, queries))], len(block)),
        grading=grading_of(scale),
    )


def compute_value(
    measure: Measure,
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> float | None:
    """Return one query's value as the engine has it, ``None`` where it is undefined.

    Args:
        measure: any of the table.
        grades: of the query.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: whether unjudged documents are taken out of the ranking first.
    """
    values = compute_values_of([measure], grades, scale, leave_out_unjudged=leave_out_unjudged)
    return values[0]


def compute_values_of(
    measures: Sequence[Measure],
    grades: QueryGrades,
    scale: Scale | None,
    *,
    leave_out_unjudged: bool = False,
) -> list[float | None]:
    """Return one query's values for several measures; see :func:`compute_value`."""
    block = block_of(grades, scale)
    table = compute_values(block, measures, leave_out_unjudged=leave_out_unjudged)
    return [None if math.isnan(value) else value for value in table[0].tolist()]


def block_of(grades: QueryGrades, scale: Scale | None) -> Block:
    """Return the one ranking as judged so far, with what is known beside grades."""
    block = _block_now(GradesBlock.from_queries([grades]), scale)
    block.facts = {kind: [row] for kind, row in grades.facts.items()}
    return block


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
        return f"no {measure.spec.facts} are known of the documents it looks at"
    if not len(judged):
        return "no document of this query is judged"
    if judged.max() > ceiling:
        best, top = format_grade(float(judged.max())), format_grade(ceiling)
        return f"grade {best} is above {top}, the highest it can read"
    if measure.spec.uses == "grade" and not measure.spec.divides_by_relevant:
        return "fewer than two different grades among the judged documents of the ranking"
    if len(judged) == 1:
        return "its one judged document is not relevant"
    return f"none of its {len(judged):,} judged documents is relevant"


class GatheredValues:
    """Values of thousands of rankings as judged so far: gathered one by one, computed all at once.

    Args:
        measure: any of the table.
        scale: ``None`` for TREC 0-4.
        leave_out_unjudged: whether unjudged documents are taken out of the rankings first.
    """

    def __init__(
        self, measure: Measure, scale: Scale | None, *, leave_out_unjudged: bool = False
    ) -> None:
        self._measure = measure
        self._scale = scale
        self._leaves_out = leave_out_unjudged
        self._ranks: list[IntArray] = []
        self._grades: list[FloatArray] = []
        self._judged: list[FloatArray] = []
        self._lengths: list[int] = []

    def add(self, ranked: FloatArray, judged: FloatArray) -> None:
        """Take one more ranking.

        Args:
            ranked: grade by rank, NaN where nobody judged, shape (n,).
            judged: grades of all judged documents of its query, no NaN, any order.
        """
        places = np.flatnonzero(~np.isnan(ranked))
        self._ranks.append(places.astype(np.int64) + 1)
        self._grades.append(ranked[places])
        self._judged.append(-np.sort(-judged))
        self._lengths.append(len(ranked))

    def compute(self) -> FloatArray:
        """Return the value of each ranking, NaN where it is undefined, shape (number added,)."""
        n = len(self._lengths)
        if not n:
            return np.zeros(0)
        hits = Hits(
            _rows(self._grades), np.concatenate(self._ranks), np.concatenate(self._grades), n
        )
        judged = JudgedGrades(_rows(self._judged), np.concatenate(self._judged), n)
        block = Block(hits, np.array(self._lengths), judged, grading=grading_of(self._scale))
        table = compute_values(block, [self._measure], leave_out_unjudged=self._leaves_out)
        values: FloatArray = table[:, 0]
        return values


def _rows(parts: list[FloatArray]) -> IntArray:
    return np.repeat(np.arange(len(parts)), [len(part) for part in parts])
