"""``judgetool measures``: what can be computed, with definitions."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import click

from judgetool.cli.command import JudgetoolCommand
from judgetool.cli.tables import print_tsv
from judgetool.metrics import MEASURES, MeasureError, MeasureSpec
from judgetool.metrics.measure import format_literal, nearest_name

_WIDTH = 88
_CUTOFFS = {"required": "a cutoff @k is needed", "optional": "with or without @k", "none": "no @k"}


@click.command(
    "measures",
    cls=JudgetoolCommand,
    examples=(
        "judgetool measures",
        "judgetool measures nDCG ERR",
        "judgetool measures --format tsv",
    ),
)
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["text", "tsv", "json"]),
    default="text",
    show_default=True,
    help="tsv is a line for each measure.",
)
def command(names: tuple[str, ...], layout: str) -> None:
    """List the measures, or explain those of these NAMEs.

    A measure is written Name(param=value, ...)@cutoff, such as nDCG(dcg='exp-log2')@10;
    trec_eval's names (map, ndcg_cut_10, P_5) are understood as well.
    """
    specs = [_spec(name) for name in names] or list(MEASURES.values())
    if layout == "json":
        click.echo(json.dumps([_values(spec) for spec in specs], ensure_ascii=False, indent=2))
    elif layout == "tsv":
        rows = [(s.name, s.example, _range(s), s.title, s.formula, s.source) for s in specs]
        print_tsv(("name", "example", "range", "title", "formula", "source"), rows)
    else:
        click.echo("\n\n".join("\n".join(_lines(spec)) for spec in specs))


def _spec(name: str) -> MeasureSpec:
    found = MEASURES.get(name)
    if found is None:
        raise MeasureError(
            f"There is no measure {name!r}. ‘judgetool measures’ lists all.",
            text=name,
            suggestion=nearest_name(name),
        )
    return found


def _range(spec: MeasureSpec) -> str:
    highest = "∞" if spec.highest is None else f"{spec.highest:g}"
    return f"{spec.lowest:g} to {highest}"


def _lines(spec: MeasureSpec) -> Iterator[str]:
    yield f"{spec.name}: {spec.title}"
    yield f"  formula  {spec.formula}"
    yield f"  written  {spec.example}  ({_CUTOFFS[spec.needs_cutoff]})"
    yield f"  range    {_range(spec)}"
    yield from _wrapped("  meaning  ", spec.help)
    for param in spec.params:
        default = "the scale's" if param.default is None else format_literal(param.default)
        text = f"{param.help} Allowed: {param.allowed}. Default: {default}."
        yield from _wrapped(f"  {param.name}: ", text)
    yield f"  source   {spec.source}"


def _wrapped(start: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=start, subsequent_indent=" " * min(len(start), 11)
    )


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
