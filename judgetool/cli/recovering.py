"""Getting a project back: ``backups`` and ``recover``."""

import shlex
from pathlib import Path

import click

from judgetool.cli.command import (
    FILE_PATH,
    Whole,
    command,
    offer_files,
    print_tsv,
    tell_all,
    tell_result,
)
from judgetool.core.clock import iso_utc
from judgetool.core.held_files import refuse_hopeless
from judgetool.core.number_text import number_of
from judgetool.errors import ProjectDamagedError
from judgetool.session.safety import (
    Backup,
    Recovery,
    describe_others,
    kept_sentence,
    list_project_backups,
    recover_project,
    restore_backup,
)
from judgetool.wording import _

_WORDS = {
    "changes": "while judging",
    "closing": "at closing",
    "before-upgrade": "before an upgrade",
}


_ID = click.option(
    "--id",
    "uuid",
    default="",
    metavar="UUID",
    help="Which project, where several have stood at the path of PROJECT.",
)


@command(
    "backups",
    examples=(
        "judgetool backups recipes.judge",
        "judgetool backups recipes.judge --restore 2 recipes-yesterday.judge",
    ),
)
@click.argument("project", shell_complete=offer_files)
@click.option(
    "--restore",
    nargs=2,
    type=(Whole(1), FILE_PATH),
    metavar="N OUT",
    help="Write the backup of this number to a new file, or to PROJECT where that is damaged.",
)
@_ID
def backups_command(project: str, *, restore: tuple[int, Path] | None, uuid: str) -> None:
    """List the automatic backups of PROJECT, newest first.

    PROJECT is the project’s file, which may be lost or destroyed, or the name of its
    folder among the backups. --restore never writes over a project that is sound; a damaged
    one is kept beside it, with its -wal, as PROJECT.damaged- and the time.
    """
    refuse_hopeless(Path(project))
    if restore is None:
        backups = list_project_backups(project, uuid=uuid)
        if backups:
            print_tsv(
                ("number", "made (UTC)", "when", "judgments", "log lines", "MB", "file"),
                [_row(number, backup) for number, backup in enumerate(backups, 1)],
            )
        else:
            click.echo(
                _("There is no backup of {project} on this machine.").format(project=project),
                err=True,
            )
        tell_all(describe_others(project, uuid=uuid))
        return
    number, target = restore
    done = restore_backup(project, number, target, uuid=uuid)
    left = (
        _("{project} is as it was.").format(project=project)
        if done.kept is None
        else kept_sentence(target, done.kept)
    )
    tell_result(
        _("Wrote the backup of {at} to {target}. {left}").format(
            at=iso_utc(done.backup.at), target=target, left=left
        )
    )
    if done.unsound:
        raise ProjectDamagedError(done.unsound, path=target)


def _row(number: int, backup: Backup) -> tuple[str, ...]:
    counts = ("?" if n is None else str(n) for n in (backup.judgments, backup.events))
    when = _WORDS.get(backup.kind, backup.kind or "?")
    return (
        str(number),
        iso_utc(backup.at),
        f"{when}, not sound" if backup.is_sound is False else when,
        *counts,
        f"{backup.n_bytes / 1e6:.1f}",
        str(backup.path),
    )


@command(
    "recover",
    n_arguments=lambda _words: 2,
    examples=("judgetool recover recipes.judge recipes-recovered.judge",),
)
@click.argument("project", shell_complete=offer_files)
@click.argument("out", type=FILE_PATH)
@click.option(
    "--copies",
    "takes_copies",
    is_flag=True,
    help="Take backups and safety log of other copies of the project as well.",
)
@_ID
def recover_command(project: str, *, out: Path, takes_copies: bool, uuid: str) -> None:
    """Rebuild PROJECT in the file OUT: a new one, or PROJECT itself where that is damaged.

    PROJECT is the project’s file, which may be lost, destroyed or older than it was, or
    the name of its folder among the backups. The newest sound backup (or the file
    itself, where it holds more) is taken, and the judgments that only the safety log
    has are added. Where there is no such backup, what can be read of the damaged file is
    taken, and what cannot is named. Nothing that is there is changed; a damaged PROJECT whose
    place is taken is kept beside it, with its -wal, as PROJECT.damaged- and the time.
    """
    refuse_hopeless(Path(project))
    refuse_hopeless(out)
    done = recover_project(project, out, uuid=uuid, takes_copies=takes_copies)
    said = _sentences(done)
    if done.kept is not None:
        said.append(kept_sentence(out, done.kept))
    moved = [other for other in done.others if not Path(other).exists()]
    if done.is_complete and moved:
        said.append(
            _(
                "{out} is sound, but may lack judgments: nothing stands at {moved} any more. "
                "If the project was moved from there while it was open, what was judged last "
                "is in that log alone; ‘judgetool recover {first} NEW.judge’ rebuilds it."
            ).format(out=out, moved=", ".join(moved), first=shlex.quote(moved[0]))
        )
    elif done.is_complete:
        said.append(_("{out} is complete as far as is known, and sound.").format(out=out))
    else:
        said.append(_("{out} is sound, but not complete: see above.").format(out=out))
    tell_result("\n".join(said))


def _sentences(done: Recovery) -> list[str]:
    rebuilt = done.rebuilt
    sentences = [
        _("{path} was not used: it is not sound.").format(path=path) for path in done.unusable
    ]
    sentences.append(_began(done))
    sentences.append(
        number_of(
            rebuilt.n_judgments,
            "From the safety log: {n} change of judgments, {changes} of the project’s own "
            "values, {texts} written by hand.",
            "From the safety log: {n} changes of judgments, {changes} of the project’s own "
            "values, {texts} written by hand.",
            changes=number_of(rebuilt.n_values, "{n} change", "{n} changes"),
            texts=number_of(rebuilt.n_texts, "{n} text", "{n} texts"),
        )
    )
    sentences += [
        _("‘{title}’ came after the backup: import its files again.").format(title=title)
        for title in rebuilt.imports
    ]
    if rebuilt.n_lost:
        sentences.append(
            number_of(
                rebuilt.n_lost,
                "{n} undone or redone change led on from what is not there and had nothing to act "
                "on.",
                "{n} undone or redone changes led on from what is not there and had nothing to act "
                "on.",
            )
        )
    if done.n_torn:
        sentences.append(
            number_of(
                done.n_torn,
                "{n} line of the safety log could not be read, as after a power cut, and was left "
                "out.",
                "{n} lines of the safety log could not be read and were left out.",
            )
        )
    if done.has_gap:
        sentences.append(
            _(
                "The safety log does not begin with the first judgment, or has a gap: some "
                "judgments are missing."
            )
        )
    sentences += [_("Merged: {line}").format(line=line) for line in done.merged]
    sentences += done.lost
    if done.others:
        sentences.append(
            _(
                "Left out were backups and log of other copies: {others}. --copies takes them "
                "as well."
            ).format(others=", ".join(done.others))
        )
    return sentences


def _began(done: Recovery) -> str:
    if done.base.path is None:
        return _("There is no sound backup: everything comes from the safety log.")
    if done.base.is_damaged:
        took = (
            _("Took what can be read of {path}, which is damaged.")
            if done.lost
            else _(
                "Took what can be read of {path}, which is damaged. Nothing that it held is known "
                "to be missing."
            )
        )
        return took.format(path=done.base.path)
    if not done.base.at:
        return _("Began from {path} itself, which is sound.").format(path=done.base.path)
    return _("Began from the backup of {at}.").format(at=iso_utc(done.base.at))
