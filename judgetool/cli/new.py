"""``judgetool new``: an empty project."""

from pathlib import Path

import click

from judgetool.cli.command import PROJECT, JudgetoolCommand
from judgetool.cli.options import read_scale
from judgetool.core.scale import SCALE_FORMS, SCALE_PRESETS, format_grade


@click.command(
    "new",
    cls=JudgetoolCommand,
    examples=(
        "judgetool new shop.judge",
        'judgetool new shop.judge --scale esci --title "Shop search, autumn"',
        "judgetool new movies.judge --scale 1-5@4",
    ),
)
@PROJECT
@click.option(
    "--scale",
    metavar="SCALE",
    default="0-3",
    show_default=True,
    help=f"Scale of grades: {', '.join(SCALE_PRESETS)}; {SCALE_FORMS}; or a file with a scale.",
)
@click.option("--title", default="", help="Title of the project; otherwise the file's name.")
def command(project: Path, scale: str, title: str) -> None:
    """Make an empty project at PROJECT, a file that usually ends in .judge.

    The scale can be changed as long as every grade given is on the new one.
    """
    chosen = read_scale(scale)
    from judgetool.session.opening import create_project  # noqa: PLC0415 - --help need not wait

    create_project(project, scale=chosen, title=title)
    click.echo(f"Made {project} with the scale {chosen.name} ({chosen.label}).")
    if chosen.name not in SCALE_PRESETS:
        start = format_grade(chosen.relevant_from)
        gains = ", ".join(format_grade(level.gain) for level in chosen.levels)
        click.echo(f"Relevant from {start}; gains {gains}. Project ▸ Scale changes them.")
