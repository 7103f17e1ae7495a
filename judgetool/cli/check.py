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
    the log leads to. Damaged lines of the safety log are counted. The file is not changed. Exit code 0 when it is sound, 1 when it is not.
    """
    finding = check_project(project)
    if finding.is_partial:
        click.echo("SQLite cannot read all of it. What can be read, page by page:")
    print_tsv(("what", "count"), [(name, str(count)) for name, count in finding.counts.items()])
    if finding.n_torn:
        lines = "1 line" if finding.n_torn == 1 else f"{finding.n_torn:,} lines"
        click.echo(
            f"The safety log of {project.name}, which is kept outside its folder, has {lines} that "
            "cannot be read: a power cut tore the last one, or the disk has damaged it. ‘judgetool "
            "recover’ would leave them out; the project itself does not need them.",
            err=True,
        )
    if finding.problems:
        for problem in finding.problems:
            click.echo(problem, err=True)
        raise ProjectDamagedError(
            f"{project} is not sound (see above). Nothing was changed. Keep this file; ‘judgetool "
            f"recover {project} NEW.judge’ writes a new one from its newest backup and the safety "
            "log or, without a backup, of all that can be read.",
            path=project,
        )
    if finding.n_missing:
        changes = "change" if finding.n_missing == 1 else "changes"
        raise ProjectDamagedError(
            f"{project} is sound, but the safety log has {finding.n_missing:,} {changes} of judgments "
            f"that it lacks: an older file was put in its place, or its -wal was lost. ‘judgetool "
            f"recover {project} NEW.judge’ writes a new file that has them.",
            path=project,
        )
    click.echo(f"{project} is sound.")
