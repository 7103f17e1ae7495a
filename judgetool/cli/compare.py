"""``judgetool compare``: are runs better than a baseline, or is it chance?"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from judgetool import __version__
from judgetool.cli.command import stacked
from judgetool.cli.options import (
    APART,
    DIGITS,
    DRAWS,
    RUNS,
    SEED,
    check_apart,
    format_option,
    given,
    measures_option,
    project_option,
)
from judgetool.cli.score_formats import ALL, NOTHING
from judgetool.cli.score_table import ScoredRun, ScoreTable
from judgetool.cli.scoring import (
    ScoringWishes,
    check_intervals,
    load_table,
    scoring_command,
    scoring_options,
    tell_notes,
)
from judgetool.cli.tables import json_text, latex_rows, markdown_table, separated, tsv_cell
from judgetool.core.number_text import aligned, format_p, format_span
from judgetool.errors import InputError
from judgetool.metrics.comparison import (
    Comparison,
    ComparisonRules,
    Family,
    MeasureAgreement,
    check_measures,
    compare_measure_orders,
    compare_tables,
)
from judgetool.metrics.significance import Correction, TestName
from judgetool.session.comparing.verdicts import Verdict, find_verdict

if TYPE_CHECKING:
    from judgetool.metrics import Bounds, Measure
    from judgetool.session.comparing.pair_bounds import PairBounds

Row = dict[str, str]
_TITLES = {
    "run": "run",
    "mean": "mean",
    "difference": "difference",
    "interval": "interval",
    "bounds": "possible",
    "p": "p",
    "p_corrected": "",
    "p_tie": "p (tie)",
    "wins": "wins",
    "ties": "ties",
    "losses": "losses",
    "effect": "effect",
}
_JSON_ALONE = ("tests", "statistic", "draws", "verdict")
_SIGNIFICANT = "*"
EXACT, WITHIN = "exact", "within"
_POSSIBLE = (
    "Possible: least and greatest mean difference on these queries over all gradings of what is "
    "unjudged; ‘exact’ where both are attained, ‘within’ where they may be wider than need be."
)
_ORDER_TITLES = {
    "measures": "orders of the runs",
    "tau": "τ-b",
    "tau_ap": "τ_AP",
    "rho": "ρ",
    "rbo": "RBO(p=0.9)",
}


@dataclass(frozen=True, slots=True)
class ComparisonOutput:
    """What ``judgetool compare`` prints.

    Attributes:
        scores: where the runs, their values and the conventions are.
        baseline: name of the run that the others are compared with.
        rules: how they were compared.
        comparisons: a row for each measure and run.
        orders: how alike each two measures order the runs; empty with too few.
        bounds: how far each difference can go, by run and measure; empty if not asked for.
        apart: names of runs that enter no family of tests but their own.
        ranges: the mean over all queries of a run, and how far it can go, by run and in the
            order of the measures; likewise.
    """

    scores: ScoreTable
    baseline: str
    rules: ComparisonRules
    comparisons: Sequence[Comparison]
    orders: Sequence[MeasureAgreement]
    bounds: "Mapping[tuple[str, Measure], PairBounds]" = field(default_factory=dict)
    apart: Sequence[str] = ()
    ranges: "Mapping[str, Sequence[tuple[float | None, Bounds | None]]]" = field(
        default_factory=dict
    )

    @property
    def sentences(self) -> list[str]:
        """How the figures came about, one each."""
        conventions = self.scores.engine.conventions.describe()
        scale = f"Grades are read by the scale {self.scores.scale_name}."
        orders = ["Orders: τ_AP is the mean of both directions, RBO is extrapolated."]
        marked = [f"{_SIGNIFICANT} marks a corrected p below {self.rules.alpha:g}."]
        if self.rules.correction == "none":
            marked = [f"{_SIGNIFICANT} marks a p below {self.rules.alpha:g}."]
        apart = self.rules.describe_apart(self.apart)
        described = [*self.rules.describe(), *apart, *marked, *([_POSSIBLE] if self.bounds else ())]
        return [*described, *(orders if self.orders else ()), *conventions, scale]

    def verdict(self, row: Comparison) -> Verdict:
        """Return what can be said of a row."""
        bounds = self.bounds.get((row.run, row.measure))
        names = (row.run, row.baseline)
        return find_verdict(names, row.measure, row, self.rules, bounds=bounds)


def format_comparisons(table: ComparisonOutput, name: str, *, digits: int) -> str:
    """Return the comparisons as text in the format of this name, a key of ``WRITERS``."""
    return "\n".join(WRITERS[name](table, digits))


def _p_for_people(p: float, digits: int, alpha: float) -> str:
    return format_p(p, alpha, digits=max(digits, 2)).removeprefix("p ").replace("< ", "<")


def _p_for_programs(p: float, digits: int) -> str:
    return f"{p:.{max(digits, 1)}g}"


def _titles(table: ComparisonOutput) -> Row:
    """Return the columns for people, by the figure's name; what is not asked for is none."""
    titles = _TITLES | {"p_corrected": f"p ({table.rules.correction_title})"}
    unasked = {
        *(() if table.bounds else ("bounds",)),
        *(("p_corrected",) if table.rules.correction == "none" else ()),
        *(() if table.rules.equivalence else ("p_tie",)),
    }
    return {name: title for name, title in titles.items() if name not in unasked}


def _values(table: ComparisonOutput, row: Comparison) -> dict[str, Any]:
    """Return the figures of a row by name, in order: the corrected p named by its correction."""
    pair, correction = row.pair, table.rules.correction
    test, bounds = pair.significance, table.bounds.get((row.run, row.measure))
    has_bounds = bounds is not None and bounds.difference is not None
    verdict = table.verdict(row).values()
    low, high = pair.interval or (None, None)
    return {
        **_mean_ends(table, row),
        "queries": pair.n_queries,
        "mean": pair.mean,
        "baseline_mean": pair.baseline_mean,
        "difference": pair.difference,
        "low": low,
        "high": high,
        **{
            name: getattr(bounds, attribute) if has_bounds else None
            for name, attribute in (("min", "low"), ("max", "high"), ("is_exact", "is_exact"))
            if table.bounds
        },
        "p": test.p if test else None,
        **({} if correction == "none" else {f"p_{correction}": row.p}),
        **({"p_tie": row.p_tie} if table.rules.equivalence else {}),
        **({name: verdict[name] for name in ("p_min", "p_max")} if table.bounds else {}),
        "tests": row.n_tests,
        "statistic": test.statistic if test else None,
        "draws": test.n_draws if test else None,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "effect": pair.effect,
        "verdict": verdict,
    }


def _mean_ends(table: ComparisonOutput, row: Comparison) -> dict[str, float | None]:
    """Return the mean over all queries of a run, and how far it can go, where that was asked for."""
    if not table.ranges:
        return {}
    value, found = table.ranges[row.run][table.scores.measures.index(row.measure)]
    ends = (None, None) if found is None else (found.low, found.high)
    return dict(zip(("run_mean", "run_min", "run_max"), (value, *ends), strict=True))


def _figures(
    values: Mapping[str, Any], digits: int, say_p: Callable[[float, int], str] = _p_for_programs
) -> Row:
    """Return figures as texts by name, in order."""

    def shown(name: str, value: float | None) -> str:
        if value is None:
            return NOTHING
        if isinstance(value, bool):
            return EXACT if value else WITHIN
        if isinstance(value, int):
            return str(value)
        if name == "p" or name.startswith("p_"):
            return say_p(value, digits)
        # Adding 0.0 after rounding leaves no "-0.0000".
        return f"{round(value, digits) + 0.0:.{digits}f}"

    figures = {
        "bounds" if name == "is_exact" else name: shown(name, value)
        for name, value in values.items()
        if name not in _JSON_ALONE
    }
    if "verdict" in values:
        kinds = (values["verdict"][of] for of in ("these_queries", "other_queries"))
        figures["verdict"] = ", ".join(filter(None, kinds))
    return figures


# -- for programs


def _iter_cells(table: ComparisonOutput, digits: int) -> Iterator[list[str]]:
    header: list[str] = []
    for row in table.comparisons:
        figures = _figures(_values(table, row), digits)
        if not header:
            header = ["run", "baseline", "measure", *figures]
            yield header
        yield [row.run, row.baseline, str(row.measure), *figures.values()]


def _write_trec(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for row in table.comparisons:
        for name, text in _figures(_values(table, row), digits).items():
            yield f"{tsv_cell(row.run)}\t{row.measure}\t{name}\t{text}"
    for order in table.orders:
        for name, text in _figures(asdict(order.agreement), digits).items():
            yield f"{ALL}\t{order.first} {order.second}\t{name}\t{text}"


def _write_json(table: ComparisonOutput, digits: int) -> Iterator[str]:  # noqa: ARG001 - all digits
    values = {
        "judgetool": __version__,
        "judgments": table.scores.judgments_source,
        "scale": table.scores.scale_name,
        "conventions": asdict(table.scores.engine.conventions),
        "comparing": {**asdict(table.rules), "sentences": table.sentences},
        "baseline": table.baseline,
        "measures": table.scores.names,
        "comparisons": [
            {
                "run": row.run,
                "baseline": row.baseline,
                "measure": str(row.measure),
                **_values(table, row),
            }
            for row in table.comparisons
        ],
        "orders": [
            {
                "measures": [str(order.first), str(order.second)],
                "runs": order.n_runs,
                **asdict(order.agreement),
            }
            for order in table.orders
        ],
    }
    yield json_text(values)


# -- for people


def _iter_blocks(
    table: ComparisonOutput, digits: int
) -> Iterator[tuple[str, list[list[str]], list[str]]]:
    """Yield a heading, the rows and what they mean for each measure."""
    for measure in table.scores.measures:
        its = [row for row in table.comparisons if row.measure == measure]
        if not its:
            continue
        over = format_span(row.pair.n_queries for row in its)
        say_p = partial(_p_for_people, alpha=table.rules.alpha)
        figures = [_figures(_values(table, row), digits, say_p) for row in its]
        means = {each["baseline_mean"] for each in figures}
        against = f"{table.baseline} {means.pop()}" if len(means) == 1 else table.baseline
        titles, corrected = _titles(table), f"p_{table.rules.correction}"
        for row, each in zip(its, figures, strict=True):
            each["run"] = row.run
            has_interval = row.pair.interval is not None
            each["interval"] = f"{each['low']} to {each['high']}" if has_interval else NOTHING
            if each.get("bounds", NOTHING) != NOTHING:
                each["bounds"] += f" {each['min']} to {each['max']}"
            if row.p is not None and row.p < table.rules.alpha:
                each[corrected if corrected in each else "p"] += _SIGNIFICANT
            each["p_corrected"] = each.get(corrected, NOTHING)
        rows = [[each[name] for name in titles] for each in figures]
        verdicts = [table.verdict(row).text for row in its]
        yield f"{measure} over {over} queries, against {against}", rows, verdicts


def _order_rows(table: ComparisonOutput, digits: int) -> list[list[str]]:
    return [
        [f"{order.first} and {order.second}", *_figures(asdict(order.agreement), digits).values()]
        for order in table.orders
    ]


def _write_text(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for heading, rows, verdicts in _iter_blocks(table, digits):
        yield tsv_cell(heading)
        yield from (*_aligned([list(_titles(table).values()), *rows]), "")
        yield from (*map(tsv_cell, verdicts), "")
    if table.orders:
        yield from _aligned([list(_ORDER_TITLES.values()), *_order_rows(table, digits)])
        yield ""
    yield from table.sentences


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    return aligned([list(map(tsv_cell, row)) for row in rows], left=[0])


def _write_markdown(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for heading, rows, verdicts in _iter_blocks(table, digits):
        yield from (f"### {tsv_cell(heading)}", "")
        yield from (*markdown_table(list(_titles(table).values()), rows), "")
        yield from (*(f"- {tsv_cell(each)}" for each in verdicts), "")
    if table.orders:
        yield from markdown_table(list(_ORDER_TITLES.values()), _order_rows(table, digits))
        yield ""
    yield " ".join(table.sentences)


def _write_latex(table: ComparisonOutput, digits: int) -> Iterator[str]:
    for heading, rows, verdicts in _iter_blocks(table, digits):
        yield from (
            *latex_rows(list(_titles(table).values()), rows, [f"{heading}.", *verdicts]),
            "",
        )
    if table.orders:
        yield from latex_rows(list(_ORDER_TITLES.values()), _order_rows(table, digits), ["Orders."])
        yield ""
    yield from (f"% {sentence}" for sentence in table.sentences)


WRITERS: dict[str, Callable[[ComparisonOutput, int], Iterator[str]]] = {
    "text": _write_text,
    "trec": _write_trec,
    **separated(_iter_cells, n_texts=3),
    "json": _write_json,
    "markdown": _write_markdown,
    "latex": _write_latex,
}


_TESTS: tuple[TestName, ...] = ("randomization", "t", "wilcoxon", "sign")
_CORRECTIONS: tuple[Correction, ...] = ("holm", "bh", "none")
_FAMILIES: tuple[Family, ...] = ("measure", "pair", "table")
_USUAL = ComparisonRules()


_SHOWN = ("table", "queries", "documents", "stake", "orders", "curves", "rankings")
_PART_OPTIONS = stacked(
    [
        click.option(
            "--show",
            type=click.Choice(_SHOWN),
            default=_SHOWN[0],
            show_default=True,
            help="With --project, as the window has it: differences by query, the documents that "
            "make one up, what is at stake, "
            "how alike orders are, the points of curves, rankings beside each other.",
        ),
        click.option(
            "--query", "query_id", metavar="ID", help="Of rankings, documents and curves."
        ),
        click.option(
            "--by",
            "group_by",
            default="",
            metavar="FIELD",
            help="Of --show queries: in groups by category, or by a field of the queries.",
        ),
        click.option(
            "--depth",
            type=click.IntRange(1),
            default=20,
            show_default=True,
            metavar="N",
            help="Of rankings: how many ranks.",
        ),
        click.option(
            "--stake",
            type=click.Choice(["difference", "overturn", "narrow"]),
            default="difference",
            show_default=True,
            help="What --show stake is about: the difference, its verdict, or the mean of one run.",
        ),
    ]
)
"""What else than the table is printed."""


@scoring_command(
    "compare",
    "[QRELS RUN RUN [RUN ...]]",
    (
        "judgetool compare qrels.txt bm25.run dense.run -m nDCG@10",
        "judgetool compare qrels.txt a.run b.run c.run -m AP nDCG@10 --baseline b --format markdown",
        "judgetool compare qrels.txt bm25.run dense.run -m AP --test t",
        "judgetool compare qrels.txt bm25.run dense.run -m nDCG@10 --intervals",
        "judgetool compare --project recipes.judge --baseline title-bm25 --view majority",
    ),
)
@measures_option("What to compare by")
@click.option(
    "--baseline",
    metavar="NAME",
    help="Run that the others are compared with, by its name or file.  [default: the first]",
)
@click.option(
    "--test",
    type=click.Choice(_TESTS),
    help="Where p comes from: the paired randomization test, Student's paired t, Wilcoxon's "
    f"signed ranks, or the sign test.  [default: {_USUAL.test}]",
)
@click.option(
    "--correction",
    type=click.Choice(_CORRECTIONS),
    help=f"For being several: Holm, Benjamini-Hochberg, or none.  [default: {_USUAL.correction}]",
)
@click.option(
    "--family",
    type=click.Choice(_FAMILIES),
    help="What is corrected together: all runs by the same measure, all measures of the same "
    "run (pair), or all rows of the table. Judged@k is never tested."
    f"  [default: {_USUAL.family}]",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    metavar="A",
    help="A corrected p below it is marked as significant (*) for people."
    f"  [default: {_USUAL.alpha:g}]",
)
@click.option(
    "--equivalence",
    type=click.FloatRange(0.0),
    metavar="X",
    help="A mean difference that is shown to be within ±X is called a tie; 0 for none."
    f"  [default: {_USUAL.equivalence:g}]",
)
@APART
@DRAWS
@SEED
@click.option(
    "--tie-margin",
    type=click.FloatRange(0.0),
    default=0.0,
    show_default=True,
    metavar="X",
    help="Differences up to this are ties; tests do not look at it.",
)
@scoring_options()
@_PART_OPTIONS
@click.option(
    "--intervals",
    is_flag=True,
    help="Add least and greatest mean difference over all gradings of what is unjudged.",
)
@format_option(
    WRITERS,
    "trec is run, measure, what, value, separated by tabs; tsv and csv have the comparisons "
    "alone, a row for each run and measure.",
)
@DIGITS
@project_option("Compare a project's runs.")
@RUNS
def compare_command(  # noqa: PLR0913 - one value for each option
    *,
    baseline: str | None,
    test: TestName | None,
    correction: Correction | None,
    family: Family | None,
    alpha: float | None,
    equivalence: float | None,
    apart: tuple[str, ...],
    n_draws: int | None,
    seed: int | None,
    tie_margin: float,
    intervals: bool,
    layout: str,
    digits: int,
    show: str,
    query_id: str | None,
    depth: int,
    stake: str,
    group_by: str,
    **wished: Any,  # noqa: ANN401 - the fields of ScoringWishes
) -> None:
    """Compare runs with a baseline, query by query.

    For each run and measure: the means and their difference with an interval, p and p
    corrected for being several, queries won, tied and lost, and the effect size. Over
    all judged queries: one that a run lacks counts as 0, and so does a value of a query
    without a relevant document. A project's own choice of test and correction holds where
    nothing else is asked for. With three runs and two measures or more, it also says
    how alike the measures order the runs.
    """
    wishes = ScoringWishes(**wished, tells_documents=intervals)
    if baseline is not None and wishes.runs:
        wishes = wishes._replace(runs=tuple(dict.fromkeys((*wishes.runs, baseline))))
    if show != "table":
        _show_part(show, wishes, baseline, (query_id, depth, stake, group_by), layout)
        return
    check_measures(wishes.columns or ())
    asked = given(
        test=test,
        n_draws=n_draws,
        seed=seed,
        correction=correction,
        family=family,
        alpha=alpha,
        equivalence=equivalence,
    )
    table = load_table(wishes, needs="at least two RUNs")
    rules = replace(table.rules or _USUAL, tie_margin=tie_margin, **asked)
    table.set_measures(
        [each for each in table.measures if wishes.measures or each.spec.has_query_values]
    )
    start = _baseline(table, baseline)
    runs = {run.name: run for run in table.runs}
    alone = check_apart(apart, list(runs))
    tell_notes(table)
    if intervals:
        check_intervals(table)
    values = {name: table.engine_of(run).counted_values(run.key) for name, run in runs.items()}
    comparisons = compare_tables(values, table.measures, baseline=start, rules=rules, alone=alone)
    found = ComparisonOutput(
        scores=table,
        baseline=start,
        rules=rules,
        comparisons=comparisons,
        bounds=_bounds(table, runs, comparisons, rules) if intervals else {},
        orders=compare_measure_orders(
            table.engine.measures,
            {name: [mean.value for mean in table.means(run)] for name, run in runs.items()},
        ),
        apart=alone,
        ranges={name: _ends(table, run) for name, run in runs.items()} if intervals else {},
    )
    click.echo(format_comparisons(found, layout, digits=digits))


def _show_part(
    part: str,
    wishes: ScoringWishes,
    baseline: str | None,
    asked: tuple[str | None, int, str, str],
    layout: str,
) -> None:
    # With it come the project and all that the window shows of it.
    from judgetool.cli.compare_parts import (  # noqa: PLC0415 - see above
        PartWishes,
        format_part,
        sheet_of_part,
    )

    sheet = sheet_of_part(part, wishes, baseline, PartWishes(*asked))
    click.echo(format_part(sheet, layout), nl=False)


def _ends(table: ScoreTable, run: ScoredRun) -> "list[tuple[float | None, Bounds | None]]":
    means = [mean.value for mean in table.means(run)]
    return list(zip(means, table.ranges(run).means, strict=True))


def _bounds(
    table: ScoreTable,
    runs: Mapping[str, ScoredRun],
    rows: Sequence[Comparison],
    rules: ComparisonRules,
) -> "dict[tuple[str, Measure], PairBounds]":
    """Return how far each difference can go, by run and measure: what the window says of a pair."""
    # With it comes the session, which a comparison alone does not need.
    from judgetool.session.comparing.pair_bounds import (  # noqa: PLC0415 - see above
        bound_pair,
        pair_of_engine,
    )

    return {
        (row.run, row.measure): bound_pair(
            pair_of_engine(
                table.engine,
                (row.run, runs[row.run].key),
                (row.baseline, runs[row.baseline].key),
                row.measure,
                table.pool_of,
            ),
            rules=rules,
        )
        for row in rows
        # Judgments to come change nothing of a snapshot.
        if runs[row.run].engine is None and runs[row.baseline].engine is None
    }


def _baseline(table: ScoreTable, wanted: str | None) -> str:
    """Return the name of the run to compare with.

    Raises:
        InputError: there are fewer than two runs, or none of this name.
    """
    names = [run.name for run in table.runs]
    if len(names) < 2:
        raise InputError(
            f"Comparing needs at least two runs; there is one: {', '.join(names)}. Add another run."
        )
    if wanted is None:
        return names[0]
    if wanted in names:
        return wanted
    of_file = [run.name for run in table.runs if run.source == wanted]
    if len(of_file) == 1:
        return of_file[0]
    raise InputError(f"There is no run {wanted!r} to compare with; there are: {', '.join(names)}.")
