"""``judgetool compare``: are runs better than a baseline, or is it chance?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from judgetool.cli.command import Number, Whole, stacked
from judgetool.cli.compare_formats import WRITERS, ComparisonOutput, format_comparisons
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
from judgetool.cli.score_table import ScoredRun, ScoreTable, check_intervals, tell_notes
from judgetool.cli.scoring import (
    ScoringWishes,
    chosen_scale,
    load_table,
    look_of,
    scoring_command,
    scoring_options,
)
from judgetool.errors import InputError
from judgetool.metrics.comparison import (
    Comparison,
    ComparisonRules,
    Family,
    check_measures,
    compare_measure_orders,
    compare_tables,
)
from judgetool.metrics.significance import Correction, TestName
from judgetool.metrics.valued_apart import find_valued_apart
from judgetool.wording import _

if TYPE_CHECKING:
    from judgetool.metrics import Bounds, Measure
    from judgetool.session.comparing.pair_bounds import PairBounds
    from judgetool.session.comparing.these_queries import Decision


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
            "--query",
            "query_id",
            metavar="ID",
            help="Of which query --show rankings, documents and curves are.",
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
            type=Whole(1),
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
    type=Number(0.0, 1.0, min_open=True, max_open=True),
    metavar="A",
    help="A corrected p below it is marked as significant (*) for people."
    f"  [default: {_USUAL.alpha:g}]",
)
@click.option(
    "--equivalence",
    type=Number(0.0),
    metavar="X",
    help="A mean difference that is shown to be within ±X is called a tie; 0 for none."
    f"  [default: {_USUAL.equivalence:g}]",
)
@APART
@DRAWS
@SEED
@click.option(
    "--tie-margin",
    type=Number(0.0),
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
    table = load_table(wishes, needs=_("at least two RUNs"))
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
    found_apart = {
        name: find_valued_apart(table.engine_of(run), table.engine_of(runs[start]))
        for name, run in runs.items()
    }
    valued_apart = {name: each for name, each in found_apart.items() if each is not None}
    comparisons = compare_tables(
        values,
        table.measures,
        baseline=start,
        rules=rules,
        alone=alone,
        untested=valued_apart.keys(),
    )
    decisions = _decisions(wishes, comparisons) if intervals else {}
    found = ComparisonOutput(
        scores=table,
        baseline=start,
        rules=rules,
        comparisons=comparisons,
        bounds=_bounds(table, runs, comparisons, rules, decisions) if intervals else {},
        decisions=decisions,
        orders=compare_measure_orders(
            table.engine.measures,
            {name: [mean.value for mean in table.means(run)] for name, run in runs.items()},
        ),
        apart=alone,
        ranges={name: _ends(table, run) for name, run in runs.items()} if intervals else {},
        valued_apart=valued_apart,
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
    decisions: "Mapping[tuple[str, Measure], Decision | None]",
) -> "dict[tuple[str, Measure], PairBounds]":
    """Return how far each difference can go, by run and measure: what the window says of a pair."""
    # With it comes the session, which a comparison alone does not need.
    from judgetool.session.comparing.pair_bounds import (  # noqa: PLC0415 - see above
        bound_pair,
        pair_of_engine,
    )
    from judgetool.session.comparing.verdicts import bounds_decided_on  # noqa: PLC0415 - as above

    found = {
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
    return bounds_decided_on(found, decisions)


def _decisions(
    wishes: ScoringWishes, rows: Sequence[Comparison]
) -> "Mapping[tuple[str, Measure], Decision | None]":
    """Return how drawing by lot stands in a project, by run and measure."""
    if wishes.project is None or wishes.where or wishes.query_list or wishes.as_of:
        return {}
    from judgetool.cli.score_project import find_decisions  # noqa: PLC0415 - as above

    pairs = [(row.run, row.baseline, row.measure) for row in rows]
    return find_decisions(wishes.project, look_of(wishes, chosen_scale(wishes)), pairs)


def _baseline(table: ScoreTable, wanted: str | None) -> str:
    """Return the name of the run to compare with.

    Raises:
        InputError: there are fewer than two runs, or none of this name.
    """
    names = [run.name for run in table.runs]
    if len(names) < 2:
        raise InputError(
            _("Comparing needs at least two runs; there is one: {names}. Add another run.").format(
                names=", ".join(names)
            )
        )
    if wanted is None:
        return names[0]
    if wanted in names:
        return wanted
    of_file = [run.name for run in table.runs if run.source == wanted]
    if len(of_file) == 1:
        return of_file[0]
    raise InputError(
        _("There is no run ‘{wanted}’ to compare with; there are: {names}.").format(
            wanted=wanted, names=", ".join(names)
        )
    )
