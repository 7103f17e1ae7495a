"""What ``judgetool score`` prints: values of runs, by query and as means."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool.cli.command import tell_all
from judgetool.core.number_text import number_of
from judgetool.core.scale import format_grade
from judgetool.errors import InputError, UsageError
from judgetool.metrics import Engine, Mean, Measure, RunBlock
from judgetool.metrics.grading import Grading
from judgetool.wording import NN_, _, local_number

if TYPE_CHECKING:
    from judgetool.metrics import Bounds, ComparisonRules

Pool = Callable[[int], npt.NDArray[np.int32] | None]


class ScoredRun(NamedTuple):
    """A run in the table.

    Attributes:
        name: as printed.
        source: the file it came from.
        key: its key in the engine.
        block: its rankings.
        engine: has its values, where it is not the table's: of a snapshot.
        pool_of: what is to be judged of a query, likewise.
    """

    name: str
    source: str
    key: int
    block: RunBlock
    engine: Engine | None = None
    pool_of: Pool | None = None


@dataclass
class ScoreTable:
    """Values of runs, with all that must be said about how they came about.

    Attributes:
        engine: has all the runs but those that name one of their own.
        runs: in the order given.
        query_ids: by the engine's query numbers.
        judgments_source: the qrels file, or the project.
        scale_name: by which grades are read.
        highest_grade: of all judgments; -inf when there is none.
        sentences: the conventions, one each.
        notes: what is to be said on standard error.
        documents_of: ids of a run's documents for a query, best first.
        pool_of: documents to be judged of a query, beyond the judged ones.
        rules: how a project compares runs where nothing else is asked for; ``None`` for files.
    """

    engine: Engine
    runs: Sequence[ScoredRun]
    query_ids: Sequence[str]
    judgments_source: str
    scale_name: str
    highest_grade: float
    documents_of: Callable[[ScoredRun, int], list[str]]
    sentences: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)
    pool_of: Pool = lambda _query: None
    rules: "ComparisonRules | None" = None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The columns."""
        return self.engine.measures

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [str(measure) for measure in self.measures]

    @property
    def is_zero_when_undefined(self) -> bool:
        """Whether an undefined value counts, and is printed, as 0."""
        return self.engine.conventions.undefined == "zero"

    def engine_of(self, run: ScoredRun) -> Engine:
        """Return what has a run's values."""
        return run.engine or self.engine

    def open_of(self, run: ScoredRun, query: int) -> npt.NDArray[np.int32] | None:
        """Return what is to be judged of a query where this run's values come from."""
        return (run.pool_of or self.pool_of)(query)

    def set_measures(self, measures: Sequence[Measure]) -> None:
        """Have other columns."""
        for engine in dict.fromkeys([self.engine, *map(self.engine_of, self.runs)]):
            engine.set_measures(measures)

    def printed_queries(self, run: ScoredRun) -> list[int]:
        """Return the queries that have a line of their own: counted, or with clicks."""
        engine = self.engine_of(run)
        has_value = ~np.ma.getmaskarray(engine.values(run.key)).all(axis=1)
        queries: list[int] = np.flatnonzero(engine.counted(run.key) | has_value).tolist()
        return queries

    def means(self, run: ScoredRun) -> tuple[Mean, ...]:
        """Return a mean for each column; of counts the sum."""
        return self.engine_of(run).means(run.key)

    def iter_rows(self, run: ScoredRun) -> Iterator[tuple[int, list[float | None]]]:
        """Yield (query, values); ``None`` where one is undefined, NaN where it is not counted."""
        engine = self.engine_of(run)
        values, is_counted = engine.values(run.key), engine.counted(run.key)
        for query in self.printed_queries(run):
            row = values[query].tolist()
            # Not 0: no mean counts it.
            yield query, row if is_counted[query] else [nan if v is None else v for v in row]

    def ranges(self, run: ScoredRun) -> "RunRanges":
        """Return the intervals of a run's values and means."""
        # Values alone need none of it.
        from judgetool.metrics.bounds import (  # noqa: PLC0415 - see above
            NEVER,
            BoundsTable,
            bound_values,
        )
        from judgetool.metrics.grades import GradesBlock  # noqa: PLC0415 - likewise

        engine, queries = self.engine_of(run), self.printed_queries(run)
        grades = [engine.query_grades(run.key, q, self.open_of(run, q)) for q in queries]
        block, values = GradesBlock.from_queries(grades), engine.values(run.key)[queries]
        scale, conventions, known = engine.scale, engine.conventions, engine.known_facts
        columns = tuple(
            bound_values(measure, values[:, at], block, scale, conventions, known=known)
            for at, measure in enumerate(self.measures)
        )
        is_counted = engine.counted(run.key)[queries]
        by_query = {
            query: [
                None if bounds.defined == NEVER else bounds
                for bounds in (column.bounds_of(row) for column in columns)
            ]
            for row, query in enumerate(queries)
            if is_counted[row]
        }
        found = BoundsTable(run.key, self.measures, columns, is_counted)
        return RunRanges(by_query, found.means(engine.mean_weights[queries]))


class RunRanges(NamedTuple):
    """The intervals of one run.

    Attributes:
        by_query: one for each column by query; ``None`` where no grading gives a value.
        means: one for each column, ``None`` likewise.
    """

    by_query: "dict[int, list[Bounds | None]]"
    means: "list[Bounds | None]"

    def of_query(self, query: int, table: ScoreTable) -> "list[Bounds | None]":
        """Return a query's intervals; none where it counts by its clicks alone."""
        return self.by_query.get(query, [None] * len(table.measures))


def check_intervals(table: ScoreTable) -> None:
    """Refuse intervals of differences of what is read beside grades.

    Raises:
        UsageError: a measure reads what is known; the text names it.
    """
    known = set(table.engine.known_facts) - {"clicks"}
    names = [str(each) for each in table.measures if each.spec.facts in known]
    if names:
        raise UsageError(
            _(
                "{names}: no interval is worked out where {facts} are known. Compare without "
                "--intervals, or without these measures."
            ).format(names=", ".join(names), facts=_(" and ").join(map(_, sorted(known))))
        )


def check_grades(table: ScoreTable, *, is_asked_for: bool) -> None:
    """Refuse measures that cannot read a grade; of the default ones leave them out and say so.

    Raises:
        InputError: a measure that was asked for cannot read a grade above the scale.
    """
    grading = Grading(table.engine.scale)
    highest = table.highest_grade
    lost = [measure for measure in table.measures if grading.highest_grade(measure) < highest]
    if not lost:
        return
    names = ", ".join(map(str, lost))
    ceiling = format_grade(min(grading.highest_grade(measure) for measure in lost))
    sentence = _(
        "{judgments_source} has grade {highest}, and {names} can read grades up to "
        "{ceiling} on the scale {scale_name}. Name the scale of these grades with "
        "--scale, or give ERR its highest grade: ERR(max_rel={highest})."
    ).format(
        judgments_source=table.judgments_source,
        highest=format_grade(highest),
        names=names,
        ceiling=ceiling,
        scale_name=table.scale_name,
    )
    if is_asked_for:
        raise InputError(sentence)
    table.set_measures([each for each in table.measures if each not in lost])
    table.notes.append(_("{why} Left out here.").format(why=sentence))


_LEFT_OUT = NN_(
    "{run}: {n} of {judged} judged queries have no results; they are left out.",
    "{run}: {n} of {judged} judged queries have no results; they are left out.",
)
_COUNT_AS_0 = NN_(
    "{run}: {n} of {judged} judged queries have no results; they count as 0.",
    "{run}: {n} of {judged} judged queries have no results; they count as 0.",
)


def tell_notes(table: ScoreTable) -> None:
    """Say on standard error what was noticed, and which queries the means treat specially."""
    notes = [*table.notes]
    for run in table.runs:
        means = table.means(run)
        n_missing = means[0].n_missing if means else 0
        if n_missing:
            engine = table.engine_of(run)
            n_judged = sum(map(engine.is_judged_query, range(engine.n_queries)))
            are_out = table.engine.conventions.missing == "both"
            given = (n_missing, *(_LEFT_OUT if are_out else _COUNT_AS_0))
            judged = local_number(f"{n_judged:,}")
            notes.append(number_of(*given, run=run.name, judged=judged))
    tell_all(notes)
