"""``judgetool explain``: one value, rank by rank; ``measures``: what can be computed."""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from judgetool.cli.command import check_stdin, command, json_text, offer, print_tsv, tell_all
from judgetool.cli.options import MEASURE_OPTION, format_option, project_option
from judgetool.cli.score_files import say_no_measures
from judgetool.cli.score_table import ScoredRun, ScoreTable
from judgetool.cli.scoring import (
    ScoringWishes,
    load_table,
    scoring_command,
    scoring_options,
)
from judgetool.errors import InputError, UsageError
from judgetool.metrics import MEASURES, MeasureSpec
from judgetool.metrics.explain import explain_value, explanation_to_dict, format_explanation
from judgetool.metrics.measure import find_specs, format_literal, trec_names
from judgetool.session.comparing.these_queries import said_without_results
from judgetool.wording import N_, _, listed, stated, translated


@scoring_command(
    "explain",
    "[QRELS RUN]",
    (
        "judgetool explain qrels.txt bm25.run --query 7 -m nDCG@10",
        "judgetool explain qrels.txt bm25.run --query 7 -m AP pFound@5 --wide",
        "judgetool explain --project recipes.judge --run title-bm25 --query 7 -m ERR@10",
    ),
)
@click.option("--query", "query_id", required=True, metavar="ID", help="Which query.")
@MEASURE_OPTION(required=True, help="What to explain; may be given often.")
@scoring_options(is_of_one=True)
@click.option("--wide", is_flag=True, help="All columns rather than the main ones.")
@format_option(("text", "json"), "JSON has all digits.")
@project_option("Explain a project’s run.")
@click.option("--run", "run_name", metavar="NAME", help="With --project: which run or what-if.")
def explain_command(
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
    table = load_table(wishes, needs=_("one RUN"))
    run, *others = table.runs
    if files and others:
        raise InputError(
            _(
                "{file} holds several runs ({names}), and one is explained at a time: write it into a "
                "file of its own."
            ).format(file=files[1], names=listed([each.name for each in table.runs[:_MOST_NAMED]]))
        )
    query = _query(table, run, query_id)
    documents = table.documents_of(run, query)
    explanations = [
        explain_value(
            measure,
            table.engine_of(run).query_grades(
                run.key,
                query,
                table.open_of(run, query),
                has_assumed=not measure.spec.counts_judgments,
            ),
            table.engine_of(run).scale,
            leave_out_unjudged=table.engine.conventions.unjudged == "left out",
        )
        for measure in table.measures
    ]
    if wishes.is_trec_eval:
        table.notes += say_no_measures(wishes.measures)
    lack = said_without_results(table.engine_of(run), run.key, query)
    tell_all(table.notes)
    if layout == "json":
        values = [explanation_to_dict(each, documents) for each in explanations]
        found = {
            "run": run.name,
            "query": query_id,
            "has_results": not lack,
            "explanations": values,
        }
        click.echo(json_text(found))
    else:
        texts = [format_explanation(each, documents, is_wide=wide) for each in explanations]
        click.echo("\n\n".join([*([f"{run.name}: {lack}"] if lack else []), *texts]))


def _check_sources(files: Sequence[str], project: Path | None, run_name: str | None) -> None:
    if project is None and len(files) != 2:
        raise UsageError(_("Expected QRELS and one RUN, or --project PROJECT --run NAME."))
    if project is not None and (files or not run_name):
        raise UsageError(_("With --project, name one of its runs with --run NAME, and no files."))
    check_stdin(files)


def _query(table: ScoreTable, run: ScoredRun, query_id: str) -> int:
    """Return the query's number.

    Raises:
        InputError: neither the judgments nor the run have it.
    """
    if query_id not in table.query_ids:
        raise InputError(
            _("There is no query ‘{query_id}’ in {judgments_source} or in {run}.").format(
                query_id=query_id, judgments_source=table.judgments_source, run=run.name
            )
        )
    return list(table.query_ids).index(query_id)


_MOST_NAMED = 5
_WIDTH = 88
_DEEPEST = 11
_CUTOFFS = {
    "required": N_("a cutoff @k is needed"),
    "optional": N_("with or without @k"),
    "none": N_("no @k"),
}


@command(
    "measures",
    examples=(
        "judgetool measures",
        "judgetool measures nDCG ERR",
        "judgetool measures --format tsv",
    ),
)
@click.argument("names", nargs=-1, metavar="[NAME ...]", shell_complete=offer(MEASURES))
@format_option(
    ["text", "markdown", "tsv", "json"],
    "tsv is a line for each measure; markdown is as in the help.",
)
def measures_command(names: tuple[str, ...], layout: str) -> None:
    """List the measures, or explain those of these NAMEs.

    A measure is written Name(param=value, ...)@cutoff, such as nDCG(dcg='exp-log2')@10;
    trec_eval’s names (map, ndcg_cut_10, P_5) are understood as well.
    """
    named = dict.fromkeys(spec.name for name in names for spec in find_specs(name))
    specs = [MEASURES[name] for name in named or MEASURES]
    if layout == "json":
        click.echo(json_text([_values(spec) for spec in specs]))
    elif layout == "markdown":
        click.echo("\n\n".join("\n".join(_section(spec)) for spec in specs))
    elif layout == "tsv":
        rows = [(s.name, s.example, _range(s), s.title, s.formula, s.source) for s in specs]
        print_tsv(("name", "example", "range", "title", "formula", "source"), rows)
    else:
        click.echo("\n\n".join("\n".join(_lines(spec)) for spec in specs))


def _range(spec: MeasureSpec) -> str:
    highest = "∞" if spec.highest is None else f"{spec.highest:g}"
    return stated("{low} to {high}", low=f"{spec.lowest:g}", high=highest)


def _lines(spec: MeasureSpec) -> Iterator[str]:
    words = (_("formula"), _("written"), _("range"), _("meaning"), _("source"))
    width = max(map(len, words))
    formula, written, reach, meaning, source = (f"  {word:<{width}}  " for word in words)
    yield f"{spec.name}: {_(spec.title)}"
    yield f"{formula}{spec.formula}"
    yield f"{written}{spec.example}  ({_(_CUTOFFS[spec.needs_cutoff])})"
    yield f"{reach}{translated(_range(spec))}"
    yield from _wrapped(meaning, _(spec.help), len(meaning))
    for param in spec.params:
        default = _("the scale’s") if param.default is None else format_literal(param.default)
        text = _("{help} Allowed: {allowed}. Default: {default}.").format(
            help=_(param.help), allowed=translated(param.allowed), default=default
        )
        start = f"  {param.name}: "
        yield from _wrapped(start, text, min(len(start), _DEEPEST))
    yield f"{source}{spec.source}"


def _section(spec: MeasureSpec) -> Iterator[str]:
    """Yield the lines of a measure in the help."""
    clicks = "; undefined without impressions" if spec.uses == "clicks" else ""
    relevant = "; undefined without a relevant document" if spec.divides_by_relevant else ""
    high = "upwards" if spec.highest is None else f"to {spec.highest:g}"
    high += ", rarely above" if spec.may_exceed else ""
    cutoff = {"required": "needed", "optional": "may be given", "none": "none"}[spec.needs_cutoff]
    facts: dict[str, str | None] = {
        "Formula": spec.formula,
        "Range": f"from {spec.lowest:g} {high}".replace("-", "−") + clicks + relevant,
        "Interval": _interval(spec),
        "Cutoff": cutoff if spec.at == "cutoff" else f"the {spec.at}, after @",
        "Over queries": {"sum": "sum", "geometric": "geometric mean"}.get(spec.pooling),
        "Example": f"`{spec.example}`",
        "trec_eval": ", ".join(f"`{name}`" for name in trec_names(spec)),
        "Source": spec.source,
    }
    yield from (f"### {spec.name}: {spec.title}", "", spec.help, "")
    yield from (f"- {head}: {text}" for head, text in facts.items() if text)
    params = [param for param in spec.params if param.name != spec.at]
    if params:
        yield "- Parameters:"
    for param in params:
        default = "none" if param.kind == "gains" else "the scale’s"
        shown = default if param.default is None else format_literal(param.default)
        yield f"  - `{param.name}=` {param.allowed}; default {shown}. {param.help}"


def _interval(spec: MeasureSpec) -> str:
    """Return what is to be said of a measure's interval; nothing where its ends are attained."""
    if spec.rule == "present":
        return "none, as it states what is"
    if spec.uses == "clicks":
        return "none, as no judgment changes it"
    if spec.rule != "wide":
        return ""
    if spec.needs_facts:
        return "none, as nobody has worked it out"
    known = f"; none where {spec.facts} are known" if spec.facts else ""
    return "the whole range while anything is unjudged, called not exact" + known


def _wrapped(start: str, text: str, depth: int) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=start, subsequent_indent=" " * depth)


def _values(spec: MeasureSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "title": spec.title,
        "example": spec.example,
        "cutoff": spec.needs_cutoff,
        "lowest": spec.lowest,
        "highest": spec.highest,
        "is_undefined_without_relevant": spec.divides_by_relevant,
        "formula": spec.formula,
        "help": spec.help,
        "source": spec.source,
        "params": [
            {
                "name": param.name,
                "allowed": param.allowed,
                "default": param.default,
                "help": param.help,
            }
            for param in spec.params
        ],
    }
