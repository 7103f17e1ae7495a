"""``judgetool merge``: what other copies of a project hold, into it, as one step."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from judgetool.cli.command import FILE_PATH, PROJECT, assessor_option, command
from judgetool.cli.options import format_option
from judgetool.cli.tables import json_text, shown_progress
from judgetool.errors import InputError, ReadOnlyError, UsageError
from judgetool.session.opening import open_project
from judgetool.session.team.merging import (
    AlikeName,
    MergeReport,
    describe_merge,
    find_alike,
    merge_copies,
    preview_merge,
)
from judgetool.wording import _


@command(
    "merge",
    examples=(
        "judgetool merge recipes.judge anna.judge ben.judge",
        "judgetool merge recipes.judge ben.judge --dry-run",
        'judgetool merge recipes.judge other.judge --rename anna="anna B"',
    ),
)
@PROJECT
@click.argument("others", nargs=-1, required=True, type=FILE_PATH, metavar="OTHER...")
@assessor_option("Who merges, whose Undo takes it back; otherwise everybody's does.", default="")
@click.option(
    "--rename",
    multiple=True,
    metavar="NAME=NEW",
    help="Somebody in the other copies is another person than the one of that name here.",
)
@click.option(
    "--answer",
    "answers",
    multiple=True,
    metavar="NAME=same|other",
    help="Whether somebody in the other copies whose name differs from one here by capitals or "
    "blanks alone is the same person. It is asked where it has to be known.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would come; nothing is changed.")
@format_option(("text", "json"), "Of what is said of the merge.")
def merge_command(  # noqa: PLR0913 - one for each option
    project: Path,
    others: Sequence[Path],
    *,
    assessor: str,
    rename: Sequence[str],
    answers: Sequence[str],
    dry_run: bool,
    layout: str,
) -> None:
    """Bring what OTHER copies of a project hold into PROJECT, as one step that Undo takes back.

    The other copies are only read. Whatever the order, and however often, the same comes out.
    """
    renames = dict(map(_parse_rename, rename))
    answered = dict(map(_parse_answer, answers))
    with open_project(project, assessor=assessor, read_only=dry_run) as session:
        renames |= _same_people(find_alike(session, others, renames=renames), answered)
        with shown_progress(_("Merging")) as progress:
            if dry_run:
                report = preview_merge(session, others, renames=renames, progress=progress)
            else:
                if session.read_only_reason:
                    raise ReadOnlyError(session.read_only_reason, path=project)
                report = merge_copies(session, others, renames=renames, progress=progress)
    if layout == "json":
        click.echo(json_text(_facts(report, dry_run=dry_run)))
        return
    for line in describe_merge(report):
        click.echo(line)
    click.echo(_last_line(report, project, dry_run=dry_run))


def _parse_rename(text: str) -> tuple[str, str]:
    name, sign, new = text.partition("=")
    if not (name.strip() and sign and new.strip()):
        raise UsageError(
            _("--rename {text}: expected NAME=NEW, such as anna='anna B'.").format(text=text)
        )
    return name.strip(), new.strip()


def _parse_answer(text: str) -> tuple[str, str]:
    name, _sign, answer = text.rpartition("=")
    if not name or answer not in ("same", "other"):
        raise UsageError(
            _("--answer {text}: expected NAME=same or NAME=other, such as Anna=same.").format(
                text=text
            )
        )
    return name, answer


def _same_people(alike: Sequence[AlikeName], answered: dict[str, str]) -> dict[str, str]:
    """Return who in other copies is known here, by name; refuse where that is not said."""
    for each in alike:
        if each.name not in answered:
            raise InputError(
                _(
                    "{question} Say --answer '{name}=same' or --answer '{name}=other'. Nothing was "
                    "changed."
                ).format(question=each.question, name=each.name)
            )
    return {each.name: each.known for each in alike if answered[each.name] == "same"}


def _facts(report: MergeReport, *, dry_run: bool) -> dict[str, object]:
    files = [asdict(each) for each in report.brought]
    return {"merged": not (dry_run or report.is_nothing), "files": files} | {
        "conflicts": dict(report.conflicts),
        "taken_back": dict(report.taken_back),
    }


def _last_line(report: MergeReport, project: Path, *, dry_run: bool) -> str:
    if report.is_nothing:
        return _("All of it is in {project} already.").format(project=project)
    if dry_run:
        return _("Nothing was written to {project}.").format(project=project)
    return _("Merged into {project}.").format(project=project)
