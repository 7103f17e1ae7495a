"""``judgetool explain``: the arithmetic of one value, rank by rank."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import FILE, JudgetoolCommand
from judgetool.cli.options import project_option
from judgetool.cli.score_table import ScoredRun, ScoreTable
from judgetool.cli.scoring import (
    ScoringWishes,
    count_score_arguments,
    load_table,
    scoring_options,
)
from judgetool.errors import InputError, UsageError
from judgetool.metrics.explain import explain_value, explanation_to_dict, format_explanation


@click.command(
    "explain",
    cls=JudgetoolCommand,
    n_arguments=count_score_arguments,
    is_further=lambda word: not Path(word).exists(),
    examples=(
        "judgetool explain qrels.txt bm25.run --query 7 -m nDCG@10",
        "judgetool explain qrels.txt bm25.run --query 7 -m AP pFound@5 --wide",
        "judgetool explain --project recipes.judge --run title-bm25 --query 7 -m ERR@10",
    ),
)
@click.argument("files", nargs=-1, type=FILE, metavar="[QRELS RUN]")
@click.option("--query", "query_id", required=True, metavar="ID", help="Which query.")
@click.option(
    "-m", "--measure", "measures", multiple=True, required=True, metavar="MEASURE",
    help="What to explain; may be given often.",
)  # fmt: skip
@scoring_options(has_weights=False)
@click.option("--wide", is_flag=True, help="All columns rather than the main ones.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="JSON has all digits.",
)
@project_option("Explain a project's run.")
@click.option("--run", "run_name", metavar="NAME", help="With --project: which run or what-if.")
def command(
    files: tuple[str, ...],
    *,
    query_id: str,
    wide: bool,
    layout: str,
    project: Path | None,
    run_name: str | None,
    **wished: Any,  # noqa: ANN401 - further fields of ScoringWishes
) -> None:
    """Print how a value of one query comes about: a row per rank, then the last division.

    The rows add up to the value that `judgetool score` prints, to 12 digits in JSON.
    """
    _check_sources(files, project, run_name)
    runs = (run_name,) if run_name else ()
    wishes = ScoringWishes(files=files, project=project, runs=runs, **wished)
    table = load_table(wishes, needs="one RUN")
    run = table.runs[0]
    query = _query(table, run, query_id)
    documents = table.documents_of(run, query)
    explanations = [
        explain_value(
            measure,
            table.engine.query_grades(
                run.key,
                query,
                table.pool_of(query),
                has_assumed=not measure.spec.counts_judgments,
            ),
            table.engine.scale,
            leave_out_unjudged=table.engine.conventions.unjudged == "left out",
        )
        for measure in table.measures
    ]
    for note in table.notes:
        click.echo(note, err=True)
    if layout == "json":
        values = [explanation_to_dict(each, documents) for each in explanations]
        found = {"run": run.name, "query": query_id, "explanations": values}
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        texts = [format_explanation(each, documents, is_wide=wide) for each in explanations]
        click.echo("\n\n".join(texts))


def _check_sources(files: Sequence[str], project: Path | None, run_name: str | None) -> None:
    if project is None and len(files) != 2:
        raise UsageError("Expected QRELS and one RUN, or --project PROJECT --run NAME.")
    if project is not None and (files or not run_name):
        raise UsageError("With --project, name one of its runs with --run NAME, and no files.")
    if files.count("-") > 1:
        raise UsageError("Standard input (-) can be read only once.")


def _query(table: ScoreTable, run: ScoredRun, query_id: str) -> int:
    """Return the query's number.

    Raises:
        InputError: neither the judgments nor the run have it.
    """
    if query_id not in table.query_ids:
        raise InputError(
            f"There is no query {query_id!r} in {table.judgments_source} or in {run.name}."
        )
    return list(table.query_ids).index(query_id)
