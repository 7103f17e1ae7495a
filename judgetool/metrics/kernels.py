"""Values of a measure for all rows of a block: the one way from names to numbers."""

from collections.abc import Callable, Sequence

import numpy as np

from judgetool.metrics import kernels_binary as binary
from judgetool.metrics import kernels_counts as counts
from judgetool.metrics import kernels_graded as graded
from judgetool.metrics import kernels_orders as orders
from judgetool.metrics.block import Block, FloatArray
from judgetool.metrics.measure import Measure

Kernel = Callable[[Block, Measure], FloatArray]

KERNELS: dict[str, Kernel] = {
    "precision": binary.precision,
    "recall": binary.recall,
    "capped_recall": binary.capped_recall,
    "f_measure": binary.f_measure,
    "success": binary.success,
    "r_precision": binary.r_precision,
    "set_precision": binary.set_precision,
    "set_recall": binary.set_recall,
    "set_f": binary.set_f,
    "set_ap": binary.set_ap,
    "reciprocal_rank": binary.reciprocal_rank,
    "average_precision": binary.average_precision,
    "interpolated_precision": binary.interpolated_precision,
    "eleven_point": binary.eleven_point,
    "bpref": binary.bpref,
    "inferred_ap": binary.inferred_ap,
    "cumulated_gain": graded.cumulated_gain,
    "dcg": graded.dcg,
    "ndcg": graded.ndcg,
    "err": graded.err,
    "pfound": graded.pfound,
    "rbp": graded.rbp,
    "rbp_residual": graded.rbp_residual,
    "judged_share": counts.judged_share,
    "unjudged_share": counts.unjudged_share,
    "click_through": counts.click_through,
    "num_queries": counts.num_queries,
    "num_returned": counts.num_returned,
    "num_relevant": counts.num_relevant,
    "num_relevant_returned": counts.num_relevant_returned,
    "num_nonrelevant_returned": counts.num_nonrelevant_returned,
    "tau": orders.tau,
    "tau_ap": orders.tau_ap,
    "rho": orders.rho,
    "rbo": orders.rbo,
    "compatibility": orders.compatibility,
}


def is_condensable(measure: Measure) -> bool:
    """Return whether 'unjudged documents left out' changes a measure at all."""
    return measure.has_param("judged_only")


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
        kernel = KERNELS[measure.spec.kernel]
        is_condensed = is_condensable(measure) and (
            leave_out_unjudged or measure.param("judged_only") is True
        )
        table[:, column] = kernel(block.condensed() if is_condensed else block, measure)
    return table
