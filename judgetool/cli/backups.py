"""``judgetool backups``: what is kept of a project outside its folder, and giving it back."""

from pathlib import Path

import click

from judgetool.cli.command import FILE_PATH, JudgetoolCommand
from judgetool.cli.tables import print_tsv
from judgetool.core.clock import iso_utc
from judgetool.session.safety.backups import Backup, list_project_backups, restore_backup

_WORDS = {
    "changes": "while judging",
    "closing": "at closing",
    "before-upgrade": "before an upgrade",
}


@click.command(
    "backups",
    cls=JudgetoolCommand,
    examples=(
        "judgetool backups recipes.judge",
        "judgetool backups recipes.judge --restore 2 recipes-yesterday.judge",
    ),
)
@click.argument("project")
@click.option(
    "--restore",
    nargs=2,
    type=(int, FILE_PATH),
    metavar="N OUT",
    help="Write the backup of this number to a new file; never over the project.",
)
def command(project: str, *, restore: tuple[int, Path] | None) -> None:
    """List the automatic backups of PROJECT, newest first.

    PROJECT is the project's file, which may be lost or destroyed, or the name of its
    folder among the backups.
    """
    if restore is None:
        print_tsv(
            ("number", "made (UTC)", "when", "judgments", "log lines", "MB", "file"),
            [
                _row(number, backup)
                for number, backup in enumerate(list_project_backups(project), 1)
            ],
        )
        return
    number, target = restore
    backup = restore_backup(project, number, target)
    click.echo(f"Wrote the backup of {iso_utc(backup.at)} to {target}. {project} is as it was.")


def _row(number: int, backup: Backup) -> tuple[str, ...]:
    counts = ("?" if n is None else str(n) for n in (backup.judgments, backup.events))
    return (
        str(number),
        iso_utc(backup.at),
        _WORDS.get(backup.kind, backup.kind or "?"),
        *counts,
        f"{backup.n_bytes / 1e6:.1f}",
        str(backup.path),
    )
