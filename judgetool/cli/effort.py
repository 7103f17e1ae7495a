"""``judgetool effort``: how long judging took, and how the judgments came about."""

import sys
from pathlib import Path
from typing import TextIO

import click

from judgetool.cli.command import PROJECT, JudgetoolCommand
from judgetool.cli.tables import print_tsv
from judgetool.formats.writers import Formulas
from judgetool.session.effort.rows import (
    COLUMNS,
    EFFORT_BY,
    EffortBy,
    effort_rows,
    write_effort_csv,
)
from judgetool.session.opening import open_project


@click.command(
    "effort",
    cls=JudgetoolCommand,
    examples=(
        "judgetool effort recipes.judge",
        "judgetool effort recipes.judge --by query",
        "judgetool effort recipes.judge --by judgment --csv effort.csv",
    ),
)
@PROJECT
@click.option(
    "--by",
    type=click.Choice(EFFORT_BY),
    default="assessor",
    help="A line for each assessor, for each assessor and query, or for each judgment.  "
    "[default: assessor]",
)
@click.option("--csv", "out", metavar="OUT.csv", help="Write a CSV file; - is standard output.")
@click.option(
    "--formulas",
    type=click.Choice([str(each) for each in Formulas]),
    default=str(Formulas.REFUSE_IDS),
    help="Ids in a CSV that begin as formulas do (= + - @) are refused or kept, never changed.  "
    "[default: refuse-ids]",
)
def command(project: Path, by: EffortBy, out: str | None, formulas: str) -> None:
    """Say how long judging took in PROJECT, how fast it went, and what was changed later.

    From the project's log: time in view and active time (of a pause without key, click
    or scrolling only the first 60 seconds count), key or click, place in the queue, the
    grade given just before. What was imported is left out. Without --csv it prints
    tab-separated values with a header. The project is not changed.
    """
    with open_project(project, read_only=True) as session:
        if out is None:
            print_tsv(COLUMNS[by], effort_rows(session, by))
            return
        target: TextIO | Path = sys.stdout if out == "-" else Path(out)
        notes = write_effort_csv(session, target, by=by, formulas=Formulas(formulas))
    for note in notes:
        click.echo(note, err=True)
