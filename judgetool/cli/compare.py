"""``judgetool compare``: are runs better than a baseline, or is it chance?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judgetool.cli.command import FILE, JudgetoolCommand
from judgetool.cli.compare_formats import WRITERS, ComparisonTable, format_comparisons
from judgetool.cli.options import (
    APART,
    DRAWS,
    RUNS,
    SEED,
    check_apart,
    measures_option,
    project_option,
)
from judgetool.cli.score_table import ScoreTable
from judgetool.cli.scoring import (
    ScoringWishes,
    count_score_arguments,
    load_table,
    scoring_options,
    tell_notes,
)
from judgetool.errors import InputError
from judgetool.metrics.comparison import (
    Comparison,
    ComparisonRules,
    Family,
    check_measures,
    compare_measure_orders,
    compare_runs,
)
from judgetool.metrics.significance import Correction, TestName

if TYPE_CHECKING:
    from judgetool.metrics import Measure
    from judgetool.session.comparing.verdicts import DifferenceBounds

_TESTS: tuple[TestName, ...] = ("randomization", "t", "wilcoxon", "sign")
_CORRECTIONS: tuple[Correction, ...] = ("holm", "bh", "none")
_FAMILIES: tuple[Family, ...] = ("measure", "pair", "table")
_USUAL = ComparisonRules()


@click.command(
    "compare",
    cls=JudgetoolCommand,
    n_arguments=count_score_arguments,
    is_further=lambda word: not Path(word).exists(),
    examples=(
        "judgetool compare qrels.txt bm25.run dense.run -m nDCG@10",
        "judgetool compare qrels.txt a.run b.run c.run -m AP nDCG@10 --baseline b --format markdown",
        "judgetool compare qrels.txt bm25.run dense.run -m AP --test t",
        "judgetool compare qrels.txt bm25.run dense.run -m nDCG@10 --intervals",
        "judgetool compare --project recipes.judge --baseline title-bm25 --view majority",
    ),
)
@click.argument("files", nargs=-1, type=FILE, metavar="[QRELS RUN RUN [RUN ...]]")
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
@click.option(
    "--intervals",
    is_flag=True,
    help="Add least and greatest mean difference over all gradings of what is unjudged.",
)
@click.option(
    "--format",
    "layout",
    type=click.Choice(list(WRITERS)),
    default="text",
    show_default=True,
    help="trec is run, measure, what, value, separated by tabs; tsv and csv have the comparisons "
    "alone, a row for each run and measure.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    help="Decimals; JSON has them all.",
)
@project_option("Compare a project's runs.")
@RUNS
def command(  # noqa: PLR0913 - one value for each option
    *,
    baseline: str | None,
    test: TestName | None,
    correction: Correction | None,
    family: Family | None,
    alpha: float | None,
    apart: tuple[str, ...],
    n_draws: int | None,
    seed: int | None,
    tie_margin: float,
    intervals: bool,
    layout: str,
    digits: int,
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
        wishes = replace(wishes, runs=tuple(dict.fromkeys((*wishes.runs, baseline))))
    check_measures(wishes.columns or ())
    asked = {
        "test": test,
        "n_draws": n_draws,
        "seed": seed,
        "correction": correction,
        "family": family,
        "alpha": alpha,
    }
    given: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    table = load_table(wishes, needs="at least two RUNs")
    rules = replace(table.rules, tie_margin=tie_margin, **given)
    table.engine.set_measures(
        [each for each in table.measures if wishes.measures or each.spec.has_query_values]
    )
    start = _baseline(table, baseline)
    keys = {run.name: run.key for run in table.runs}
    alone = check_apart(apart, list(keys))
    tell_notes(table)
    comparisons = compare_runs(table.engine, keys, baseline=start, rules=rules, alone=alone)
    found = ComparisonTable(
        scores=table,
        baseline=start,
        rules=rules,
        comparisons=comparisons,
        bounds=_bounds(table, keys, comparisons) if intervals else {},
        orders=compare_measure_orders(
            table.engine.measures,
            {name: [mean.value for mean in table.engine.means(key)] for name, key in keys.items()},
        ),
        apart=alone,
    )
    click.echo(format_comparisons(found, layout, digits=digits))


def _bounds(
    table: ScoreTable, keys: Mapping[str, int], rows: Sequence[Comparison]
) -> "dict[tuple[str, Measure], DifferenceBounds]":
    """Return how far each difference can go, by run and measure: what the window says of a pair."""
    # With it comes the session, which a comparison alone does not need.
    from judgetool.session.comparing.verdicts import (  # noqa: PLC0415 - see above
        bound_mean_difference,
        pair_of_engine,
    )

    return {
        (row.run, row.measure): bound_mean_difference(
            pair_of_engine(
                table.engine,
                (row.run, keys[row.run]),
                (row.baseline, keys[row.baseline]),
                row.measure,
                table.pool_of,
            )
        )
        for row in rows
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
