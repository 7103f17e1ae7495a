"""What ``judgetool score`` prints: values of runs and their means, like trec_eval, as tables, as JSON."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judgetool import __version__
from judgetool.cli.command import (
    NOTHING,
    json_text,
    latex_rows,
    markdown_cell,
    markdown_table,
    separated,
    tell_all,
    tsv_cell,
)
from judgetool.core.number_text import format_span
from judgetool.core.scale import MOST_GRADE, format_grade
from judgetool.errors import InputError, UsageError
from judgetool.metrics import Engine, Mean, Measure, RunBlock
from judgetool.metrics.block import Grading
from judgetool.metrics.measure import TrecLine
from judgetool.metrics.significance import count_assumed
from judgetool.session.comparing.these_queries import (
    find_without_results,
    say_no_query_counts,
)
from judgetool.wording import AsIs, _, in_english, stated_of, translated

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
        grades: those of all judgments, each once, lowest first.
        sentences: the conventions, one each.
        notes: what is to be said on standard error.
        documents_of: ids of a run's documents for a query, best first.
        pool_of: documents to be judged of a query, beyond the judged ones.
        rules: how a project compares runs where nothing else is asked for; ``None`` for files.
        has_decisions: whether it was asked of a project which of two runs is better.
        whose: which judgments of a project count, in a sentence; ``""`` for files.
        judged: the same by name, as JSON has it; empty likewise.
    """

    engine: Engine
    runs: Sequence[ScoredRun]
    query_ids: Sequence[str]
    judgments_source: str
    scale_name: str
    grades: Sequence[float]
    documents_of: Callable[[ScoredRun, int], list[str]]
    sentences: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)
    pool_of: Pool = lambda _query: None
    rules: "ComparisonRules | None" = None
    has_decisions: bool = False
    whose: str = ""
    judged: Mapping[str, str] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The columns."""
        return self.engine.measures

    @property
    def names(self) -> list[str]:
        """The columns' names."""
        return [str(measure) for measure in self.measures]

    @property
    def highest_grade(self) -> float:
        """The highest grade of all judgments; -inf when there is none."""
        return max(self.grades, default=-inf)

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
        return [
            query
            for query, is_counted in enumerate(engine.counted(run.key).tolist())
            if is_counted or engine.numbers(run.key, query).count(None) < len(self.measures)
        ]

    def means(self, run: ScoredRun) -> tuple[Mean, ...]:
        """Return a mean for each column; of counts the sum."""
        return self.engine_of(run).means(run.key)

    def iter_rows(self, run: ScoredRun) -> Iterator[tuple[int, list[float | None]]]:
        """Yield (query, values); ``None`` where one is undefined, NaN where it is not counted."""
        engine = self.engine_of(run)
        is_counted = engine.counted(run.key)
        for query in self.printed_queries(run):
            row = engine.numbers(run.key, query)
            # Not 0: no mean counts it.
            yield query, row if is_counted[query] else [nan if v is None else v for v in row]

    def ranges(self, run: ScoredRun) -> "RunRanges":
        """Return the intervals of a run's values and means."""
        # Values alone need none of it.
        from judgetool.metrics.bounds import NEVER, BoundsTable, bound_values  # noqa: PLC0415 - see above
        from judgetool.metrics.grades import GradesBlock  # noqa: PLC0415 - likewise

        engine, queries = self.engine_of(run), self.printed_queries(run)
        grades = [
            engine.query_grades(run.key, query, self.open_of(run, query), has_assumed=False)
            for query in queries
        ]
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
        now = [mean.value for mean in self.means(run)]
        return RunRanges(by_query, found.means(engine.mean_weights[queries], now))


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
    ceiling = format_grade(min(grading.highest_grade(measure) for measure in lost))
    sentence = _(
        "{judgments_source} has grade {highest}, and {names} can read grades up to {ceiling} on "
        "the scale {scale_name}."
    ).format(
        judgments_source=table.judgments_source,
        highest=format_grade(highest),
        names=", ".join(map(str, lost)),
        ceiling=ceiling,
        scale_name=table.scale_name,
    )
    sentence = f"{sentence} {_grade_remedy(grading, lost, highest)}"
    if is_asked_for:
        raise InputError(sentence)
    table.set_measures([each for each in table.measures if each not in lost])
    table.notes.append(_("{why} Left out here.").format(why=sentence))


def _grade_remedy(grading: Grading, lost: Sequence[Measure], highest: float) -> str:
    """Return what reads a grade that some measures cannot, as far as anything does."""
    if highest > MOST_GRADE:
        return _("No scale goes beyond {most}: leave these measures out.").format(
            most=format_grade(MOST_GRADE)
        )
    able = (each.with_params(max_rel=highest) for each in lost if each.has_param("max_rel"))
    given = next((each for each in able if grading.highest_grade(each) >= highest), None)
    if given is None:
        return _("Name the scale of these grades with --scale.")
    return _(
        "Name the scale of these grades with --scale, or give {name} its highest grade: {given}."
    ).format(name=given.name, given=given)


def assumed_sentences(table: ScoreTable) -> list[str]:
    """Return a sentence for each run whose figures count grades that nobody gave."""
    return [
        stated_of(
            n_assumed,
            "The figures of {run} count {n} assumed grade that nobody judged, for it alone.",
            "The figures of {run} count {n} assumed grades that nobody judged, for it alone.",
            run=AsIs(run.name),
        )
        for run in table.runs
        if (n_assumed := count_assumed(table.engine_of(run), run.key))
    ]


def tell_notes(table: ScoreTable) -> None:
    """Say on standard error what was noticed, and which queries the means treat specially."""
    notes = [*table.notes, *map(translated, assumed_sentences(table))]
    for run in table.runs:
        found = find_without_results(run.name, table.engine_of(run), run.key)
        notes += [] if found is None else [found.sentence]
        notes += say_no_query_counts(run.name, table.engine_of(run), run.key)
    tell_all(dict.fromkeys(notes))


QUERIES_ONLY = "relstring"
"""The line that trec_eval prints for single queries alone."""

SUMMARY_ONLY = frozenset({"num_q", "gm_map", "gm_bpref", "runid"})
"""Lines that trec_eval prints for all queries together alone."""


def _grade_string(table: ScoreTable, run: ScoredRun, query_id: str, n: int) -> str:
    """Return a character for each of the first documents: its grade, ``>`` above 9.

    ``-`` is a document that is not of the pool, ``.`` one that is, and that nobody judged.
    """
    grades = table.engine_of(run).query_grades(run.key, list(table.query_ids).index(query_id))
    top = zip(grades.ranked[:n].tolist(), grades.is_pooled[:n].tolist(), strict=True)
    return "".join(
        (">" if grade >= 10 else str(int(grade))) if grade >= 0 else ".-"[not is_pooled]
        for grade, is_pooled in top
    )


ALL = "all"
EXACT, NOT_EXACT = "exact", "not exact"
_TREC_WIDTH = 22


class ScoreLayout(NamedTuple):
    """What is printed and how.

    Attributes:
        per_query: a line for each query before the means.
        digits: decimals, 0 to 17; JSON has them all.
        has_ranges: with columns for least and greatest possible values.
        has_conventions: with the conventions, as lines that start with ``#``.
        trec: trec_eval's lines, for names, widths and order exactly as it prints them;
            empty for measures as they are.
    """

    per_query: bool = False
    digits: int = 4
    has_ranges: bool = False
    has_conventions: bool = False
    trec: Sequence[TrecLine] = ()


class _Row(NamedTuple):
    """Values of a query, or their means."""

    query: str
    values: Sequence[float | None]
    ranges: "Sequence[Bounds | None]"


def format_scores(table: ScoreTable, name: str, layout: ScoreLayout) -> str:
    """Return the values as text in the format of this name, a key of ``WRITERS``.

    Raises:
        UsageError: a line of trec_eval that is no measure is asked for in another format.
    """
    # Beside measures, what has no figures is left out elsewhere.
    has_measures = any(line.parts for line in layout.trec)
    alone = [line.name for line in layout.trec if len(line.parts) > 1 or not has_measures]
    if alone and name != "trec":
        raise UsageError(
            _("{alone} can be printed by --format trec alone.").format(alone=", ".join(alone))
        )
    lines = list(WRITERS[name](table, layout))
    if layout.has_conventions and name != "json":
        lines[:0] = [f"# {sentence}" for sentence in table.sentences]
    return "\n".join(lines)


def printed_value(value: float | None, measure: Measure, *, table: ScoreTable, digits: int) -> str:
    """Return one value as printed: counts as whole numbers, what is undefined as in the mean."""
    if value is not None and isnan(value):
        return NOTHING
    if value is None:
        is_known = measure.spec.uses != "clicks" and not table.engine.lacks_facts(measure)
        if not (table.is_zero_when_undefined and is_known):
            return NOTHING
        value = 0.0
    if measure.spec.pooling == "sum" and float(value).is_integer():
        return str(int(value))
    return f"{value:.{digits}f}"


def _iter_rows(table: ScoreTable, run: ScoredRun, layout: ScoreLayout) -> Iterator[_Row]:
    """Yield a run's rows: queries if they are wanted, then the means."""
    ranges = table.ranges(run) if layout.has_ranges else None
    if layout.per_query:
        for query, values in table.iter_rows(run):
            yield _Row(
                table.query_ids[query], values, ranges.of_query(query, table) if ranges else ()
            )
    # Not 0: no query counts.
    means = [nan if mean.value is None else mean.value for mean in table.means(run)]
    yield _Row(ALL, means, ranges.means if ranges else ())


def _write_trec(table: ScoreTable, layout: ScoreLayout) -> Iterator[str]:
    for run in table.runs:
        start = f"{tsv_cell(run.name)}\t" if len(table.runs) > 1 else ""
        *queries, means = _iter_rows(table, run, layout)
        if layout.trec:
            queries.sort(key=lambda row: row.query)
        for row in (*queries, means):
            lines = (
                _own_lines(table, run, row, layout) if layout.trec else _lines(table, row, layout)
            )
            yield from (start + line for line in lines)


def _lines(table: ScoreTable, row: _Row, layout: ScoreLayout) -> Iterator[str]:
    for name, cells in zip(table.names, _value_cells(table, row, layout), strict=True):
        yield "\t".join((name, tsv_cell(row.query), *cells))


def _own_lines(table: ScoreTable, run: ScoredRun, row: _Row, layout: ScoreLayout) -> Iterator[str]:
    """Yield a row's lines as trec_eval prints them: with a number in each."""
    if row.query == ALL:
        row = row._replace(values=[None if isnan(v or 0.0) else v for v in row.values])
    columns = {measure: column for column, measure in enumerate(table.measures)}
    cells = _value_cells(table, row, layout)
    for line in layout.trec:
        is_of_queries = line.name.partition("_")[0] == QUERIES_ONLY
        if is_of_queries if row.query == ALL else line.name in SUMMARY_ONLY:
            continue
        measures = [measure for _, measure in line.parts]
        if is_of_queries:
            shown = [f"'{_grade_string(table, run, row.query, int(line.place[1]))}'"]
        elif not measures:
            shown = [tsv_cell(run.name)]
        elif len(measures) == 1:
            shown = cells[columns[measures[0]]]
        else:
            shown = _sum_cells(table, run, row, line, layout)
        yield "\t".join((f"{line.name:<{_TREC_WIDTH}}", tsv_cell(row.query), *shown))


def _sum_cells(
    table: ScoreTable, run: ScoredRun, row: _Row, line: TrecLine, layout: ScoreLayout
) -> list[str]:
    """Return the cells of a line that is a sum; the interval is that of its parts, one by one."""
    value = low = high = 0.0
    is_exact = True
    means = table.means(run)
    for given, measure in line.parts:
        column = table.measures.index(measure)
        is_summed = row.query == ALL and measure.spec.pooling == "sum"
        factor = given / max(1, means[column].n_queries) if is_summed else given
        value += factor * (row.values[column] or 0.0)
        bounds = row.ranges[column] if layout.has_ranges else None
        if bounds is not None:
            ends = sorted((factor * bounds.low, factor * bounds.high))
            low, high = low + ends[0], high + ends[1]
            is_exact &= bounds.low == bounds.high and bounds.is_exact
    shown = [f"{number:.{layout.digits}f}" for number in (value, low, high)]
    return [*shown, EXACT if is_exact else NOT_EXACT] if layout.has_ranges else shown[:1]


def _value_cells(table: ScoreTable, row: _Row, layout: ScoreLayout) -> list[list[str]]:
    """Return one cell for each column, or four with its interval and whether that is exact."""

    def shown(value: float | None, measure: Measure) -> str:
        return printed_value(value, measure, table=table, digits=layout.digits)

    cells = []
    for column, measure in enumerate(table.measures):
        group = [shown(row.values[column], measure)]
        if layout.has_ranges:
            bounds = row.ranges[column]
            group += (
                [NOTHING] * 3
                if bounds is None
                else [
                    shown(bounds.low, measure),
                    shown(bounds.high, measure),
                    EXACT if bounds.is_exact else NOT_EXACT,
                ]
            )
        cells.append(group)
    return cells


def _header(table: ScoreTable, layout: ScoreLayout) -> list[str]:
    columns = ["run", "query"]
    for name in table.names:
        columns.append(name)
        if layout.has_ranges:
            columns += [f"{name} min", f"{name} max", f"{name} bounds"]
    return columns


def _iter_table(table: ScoreTable, layout: ScoreLayout) -> Iterator[list[str]]:
    yield _header(table, layout)
    for run in table.runs:
        for row in _iter_rows(table, run, layout):
            cells = _value_cells(table, row, layout)
            yield [run.name, row.query, *(text for group in cells for text in group)]


def _write_markdown(table: ScoreTable, layout: ScoreLayout) -> Iterator[str]:
    """A table of runs by measures; with queries, a table of queries for each run first."""
    means = []
    for run in table.runs:
        *queries, mean = _iter_rows(table, run, layout)
        means.append([run.name, *_joined(table, mean, layout)])
        if layout.per_query:
            yield from (f"### {markdown_cell(run.name)}", "")
            rows = [[row.query, *_joined(table, row, layout)] for row in queries]
            yield from markdown_table(["query", *table.names], rows)
            yield ""
    yield from markdown_table(["run", *table.names], means)
    yield ""
    yield f"{_over(table)} {' '.join(table.sentences)}"


def _write_latex(table: ScoreTable, layout: ScoreLayout) -> Iterator[str]:
    """A table of runs by measures for papers; with queries, a row for each query of each run."""
    header = ["run", *(["query"] if layout.per_query else []), *table.names]
    rows = []
    for run in table.runs:
        for row in _iter_rows(table, run, layout):
            query = [row.query] if layout.per_query else []
            rows.append([run.name, *query, *_joined(table, row, layout)])
    yield from latex_rows(header, rows, [_over(table), *table.sentences])


def _over(table: ScoreTable) -> str:
    with in_english():
        over = format_span(mean.n_queries for run in table.runs for mean in table.means(run))
    means = "Weighted means" if table.engine.has_weighted_means else "Means"
    return f"{means} over {over} {'query' if over == '1' else 'queries'}."


def _joined(table: ScoreTable, row: _Row, layout: ScoreLayout) -> list[str]:
    """Return a cell for each column, the interval behind the value."""
    return [
        group[0] if len(group) == 1 else f"{group[0]} ({_span(*group[1:])})"
        for group in _value_cells(table, row, layout)
    ]


def _span(low: str, high: str, kind: str) -> str:
    if kind == NOTHING:
        return "no interval"
    return f"{low}–{high}, {kind}" if kind == NOT_EXACT else f"{low}–{high}"


def _write_json(table: ScoreTable, layout: ScoreLayout) -> Iterator[str]:
    """All digits, conventions and counts; an undefined value is null with its reason."""
    values: dict[str, Any] = {
        "judgetool": __version__,
        "judgments": table.judgments_source,
        **table.judged,
        "scale": table.scale_name,
        "conventions": {
            **asdict(table.engine.conventions),
            "sentences": list(table.sentences),
        },
        "measures": table.names,
        "runs": [_run_values(table, run, layout) for run in table.runs],
    }
    yield json_text(values)


def _run_values(table: ScoreTable, run: ScoredRun, layout: ScoreLayout) -> dict[str, Any]:
    ranges = table.ranges(run) if layout.has_ranges else None
    means: dict[str, Any] = {}
    for column, (name, mean) in enumerate(zip(table.names, table.means(run), strict=True)):
        means[name] = mean._asdict()
        if ranges:
            means[name] |= _range_values(ranges.means[column])
    values: dict[str, Any] = {"run": run.name, "source": run.source, "means": means}
    values["assumed"] = count_assumed(table.engine_of(run), run.key)
    if layout.per_query:
        values["queries"] = {
            table.query_ids[query]: _query_values(
                table, run, query, ranges.of_query(query, table) if ranges else ()
            )
            for query in table.printed_queries(run)
        }
    return values


def _query_values(
    table: ScoreTable, run: ScoredRun, query: int, ranges: "Sequence[Bounds | None]"
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    answers = table.engine_of(run).value(run.key, query)
    for column, (name, answer) in enumerate(zip(table.names, answers, strict=True)):
        found[name] = {"value": answer.value}
        if answer.reason:
            found[name]["reason"] = answer.reason
        if ranges:
            found[name] |= _range_values(ranges[column])
    return found


def _range_values(bounds: "Bounds | None") -> dict[str, Any]:
    if bounds is None:
        return {"min": None, "max": None}
    return {"min": bounds.low, "max": bounds.high, "is_exact": bounds.is_exact}


WRITERS: dict[str, Callable[[ScoreTable, ScoreLayout], Iterator[str]]] = {
    "trec": _write_trec,
    **separated(_iter_table, n_texts=2),
    "json": _write_json,
    "markdown": _write_markdown,
    "latex": _write_latex,
}
