"""How alike two measures order the runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from judgetool.metrics.correlation import OrderAgreement, compare_orders
from judgetool.metrics.measure import Measure


@dataclass(frozen=True, slots=True)
class MeasureAgreement:
    """How alike two measures order the runs."""

    first: Measure
    second: Measure
    n_runs: int
    agreement: OrderAgreement


def compare_measure_orders(
    measures: Sequence[Measure], means: Mapping[str, Sequence[float | None]], *, p: float = 0.9
) -> tuple[MeasureAgreement, ...]:
    """Return how alike each two measures order the runs by their means.

    Args:
        measures: the columns.
        means: one per measure by the run's name; ``None`` where there is none.
        p: of RBO, between 0 and 1.

    Returns:
        A row for each two measures that have means of all the runs; empty with fewer
        than three runs, of which any order says little.

    Raises:
        UsageError: p is out of range.
    """
    if len(means) < 3:
        return ()
    columns: dict[Measure, dict[str, float]] = {}
    for column, measure in enumerate(measures):
        found = {name: its[column] for name, its in means.items()}
        known = {name: value for name, value in found.items() if value is not None}
        if len(known) == len(found):
            columns[measure] = known
    return tuple(
        MeasureAgreement(one, two, len(means), compare_orders(columns[one], columns[two], p=p))
        for one, two in combinations(columns, 2)
    )
