"""``judgetool score``: values of measures, from files alone or over a project."""

from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import FILE, JudgetoolCommand
from judgetool.cli.options import RUNS, measures_option, project_option
from judgetool.cli.score_formats import WRITERS, Layout, format_scores
from judgetool.cli.scoring import (
    ScoringWishes,
    count_score_arguments,
    load_table,
    scoring_options,
    tell_notes,
)
from judgetool.metrics.names import NOT_OURS


@click.command(
    "score",
    cls=JudgetoolCommand,
    n_arguments=count_score_arguments,
    is_further=lambda word: not Path(word).exists(),
    examples=(
        "judgetool score qrels.txt bm25.run",
        "judgetool score qrels.txt bm25.run dense.run -m nDCG@10 -m AP --format markdown",
        "judgetool score qrels.txt bm25.run -m 'P(rel=2)@5' 'nDCG(dcg=exp-log2)@10' -q",
        "judgetool score qrels.txt bm25.run --preset trec_eval -m official",
        "judgetool score --project recipes.judge --run title-bm25 --view majority",
    ),
)
@click.argument("files", nargs=-1, type=FILE, metavar="[QRELS RUN [RUN ...]]")
@measures_option("What to compute")
@click.option("-q", "per_query", is_flag=True, help="Print each query before the means.")
@scoring_options()
@click.option(
    "-l",
    "level",
    type=float,
    metavar="GRADE",
    help="With --preset trec_eval: documents are relevant from this grade on.",
)
@click.option(
    "-M",
    "depth",
    type=click.IntRange(1),
    metavar="N",
    help="Look at the first N documents of each query alone.",
)
@click.option("--intervals", is_flag=True, help="Add least and greatest possible values.")
@click.option(
    "--format",
    "layout_name",
    type=click.Choice(list(WRITERS)),
    default="trec",
    show_default=True,
    help="trec is measure, query, value, separated by tabs, with the run first if there are several.",
)
@click.option(
    "--digits", type=click.IntRange(0, 17), help="Decimals; JSON has them all.  [default: 4]"
)
@click.option(
    "--explain-conventions", is_flag=True, help="Print the conventions, as lines that start with #."
)
@project_option("Score a project's runs.")
@RUNS
def command(
    *,
    per_query: bool,
    intervals: bool,
    layout_name: str,
    digits: int | None,
    explain_conventions: bool,
    **wished: Any,  # noqa: ANN401 - the fields of ScoringWishes
) -> None:
    """Compute measures of runs, from QRELS and RUN files or over a project.

    Files are read strictly: a line that does not fit ends the command with exit code 1
    and names the line, because values from half a file would mislead. `-` is standard
    input. Runs are ordered by score, ties by document id, falling, as in trec_eval. What
    was noticed while reading goes to standard error.
    """
    wishes = ScoringWishes(**wished)
    table = load_table(wishes, needs="at least one RUN")
    if wishes.is_trec_eval and "all_trec" in wishes.measures:
        table.notes.append(f"all_trec is without {', '.join(NOT_OURS)}, which judgetool has not.")
    tell_notes(table)
    tool = wishes.tool
    layout = Layout(
        per_query=per_query,
        digits=digits if digits is not None else tool.digits if tool else 4,
        has_ranges=intervals,
        has_conventions=explain_conventions,
        trec=wishes.trec_lines,
    )
    click.echo(format_scores(table, layout_name, layout))
