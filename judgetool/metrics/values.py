"""Values of measures: from the records' terms to numbers."""

from collections.abc import Sequence

import numpy as np

from judgetool.core.scale import format_grade
from judgetool.metrics.block import Block
from judgetool.metrics.measure import Measure
from judgetool.metrics.terms import FloatArray, Tops, ratio
from judgetool.metrics.tops import HitTops
from judgetool.wording import N_, stated, stated_of


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
        source = block.condensed if is_condensed else block
        table[:, column] = value_of(HitTops(source, measure))
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
