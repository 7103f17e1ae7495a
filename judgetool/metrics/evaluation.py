"""The result of an evaluation: values by query and measure, means, and how they came about."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from judgetool.metrics.conventions import Conventions
from judgetool.metrics.engine import Engine, ValueTable
from judgetool.metrics.measure import Measure
from judgetool.metrics.names import parse_measure
from judgetool.metrics.results import Mean, Value

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values of one run.

    Attributes:
        measures: columns, as asked for (a preset's rewrites done).
        queries: ids of all queries, judged or in the run, in the order of evaluation.
        values: shape (n_queries, n_measures); masked where undefined or not counted.
        means: one :class:`Mean` per measure.
        conventions: what counted.
        scale_name: name of the scale by which grades were read; ``TREC 0–4`` without one.
        n_judged: queries with at least one grade.
        n_missing: judged queries that the run lacks.
        n_unjudged: queries of the run without a grade.
        engine: what computed the values, with the run under key 0.
    """

    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    values: ValueTable
    means: tuple[Mean, ...]
    conventions: Conventions
    scale_name: str
    n_judged: int
    n_missing: int
    n_unjudged: int
    engine: Engine = field(repr=False)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {query: row for row, query in enumerate(self.queries)}

    def _column(self, measure: Measure | str) -> int:
        wanted = parse_measure(measure) if isinstance(measure, str) else measure
        if wanted not in self.measures:
            raise KeyError(f"{wanted} was not computed; {', '.join(map(str, self.measures))} were")
        return self.measures.index(wanted)

    def mean(self, measure: Measure | str) -> float | None:
        """Return a measure's mean over the counted queries (of counts the sum).

        Returns:
            ``None`` when no query is counted.

        Raises:
            KeyError: the measure was not computed.
        """
        return self.means[self._column(measure)].value

    def value(self, query: str, measure: Measure | str) -> float | None:
        """Return one value, ``None`` where it is undefined or the query is not counted.

        Raises:
            KeyError: the measure was not computed, or the query is unknown.
        """
        return self.query_values(query)[self._column(measure)].value

    def query_values(self, query: str) -> tuple[Value, ...]:
        """Return the values of one query with the reason where there is none.

        Raises:
            KeyError: the query is unknown.
        """
        return self.engine.value(0, self._rows[query])

    def per_query(self) -> dict[str, dict[str, float | None]]:
        """Return the values by query and by the measure's spelling; ``None`` where undefined."""
        names = [str(measure) for measure in self.measures]
        return {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(self.queries, self.values.tolist(), strict=True)
        }

    def mean_values(self) -> dict[str, float | None]:
        """Return the means by the measure's spelling."""
        return {
            str(measure): mean.value
            for measure, mean in zip(self.measures, self.means, strict=True)
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return the values as a table: a row per query, a column per measure.

        What is undefined is missing (NaN in pandas' sense). pandas is loaded here.
        """
        import pandas as pd

        rows = self.per_query()
        columns = [str(measure) for measure in self.measures]
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns, dtype=float)
        return frame.rename_axis("query_id")

    def describe(self) -> tuple[str, ...]:
        """Return how the numbers came about, a sentence each."""
        return (
            *self.conventions.describe(),
            f"Grades are read by the scale {self.scale_name}.",
            _count_sentence(self.n_judged, "judged"),
            *self._exceptions(),
        )

    def _exceptions(self) -> Sequence[str]:
        found = []
        if self.n_missing:
            found.append(_count_sentence(self.n_missing, "judged but absent from the run"))
        if self.n_unjudged:
            found.append(_count_sentence(self.n_unjudged, "in the run but not judged"))
        return found


def _count_sentence(count: int, what: str) -> str:
    subject = "1 query is" if count == 1 else f"{count:,} queries are"
    return f"{subject} {what}."
