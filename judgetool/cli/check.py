"""``judgetool check``: is a project file sound, and what is in it."""

from pathlib import Path

import click

from judgetool.cli.command import PROJECT, JudgetoolCommand
from judgetool.cli.tables import print_tsv
from judgetool.errors import ProjectDamagedError
from judgetool.session.safety.checking import check_project


@click.command("check", cls=JudgetoolCommand, examples=("judgetool check recipes.judge",))
@PROJECT
def command(project: Path) -> None:
    """Say whether PROJECT is sound, and what is in it.

    SQLite's own check of the whole file, references between tables, the checksum of every
    text, ranking, name, step and line of the log, and whether judgments and values are what
    the log leads to. The file is not changed. Exit code 0 when it is sound, 1 when it is not.
    """
    finding = check_project(project)
    print_tsv(("what", "count"), [(name, str(count)) for name, count in finding.counts.items()])
    if finding.problems:
        for problem in finding.problems:
            click.echo(problem, err=True)
        raise ProjectDamagedError(
            f"{project} is not sound (see above). Nothing was changed. Keep this file, and go "
            "back to a copy that is sound.",
            path=project,
        )
    click.echo(f"{project} is sound.")
