"""``judgetool recover``: a lost project rebuilt from its newest backup and the safety log."""

from pathlib import Path

import click

from judgetool.cli.command import FILE_PATH, JudgetoolCommand
from judgetool.core.clock import iso_utc
from judgetool.session.safety.recovery import Recovery, recover_project


@click.command(
    "recover",
    cls=JudgetoolCommand,
    n_arguments=lambda _words: 2,
    examples=("judgetool recover recipes.judge recipes-recovered.judge",),
)
@click.argument("project")
@click.argument("out", type=FILE_PATH)
@click.option(
    "--copies",
    "takes_copies",
    is_flag=True,
    help="Take backups and safety log of other copies of the project as well.",
)
def command(project: str, *, out: Path, takes_copies: bool) -> None:
    """Rebuild PROJECT in the new file OUT.

    PROJECT is the project's file, which may be lost, destroyed or older than it was, or
    the name of its folder among the backups. The newest sound backup (or the file
    itself, where it holds more) is taken, and the judgments that only the safety log
    has are added. Where there is no such backup, what can be read of the damaged file is
    taken, and what cannot is named. Nothing that is there is changed.
    """
    done = recover_project(project, out, takes_copies=takes_copies)
    for sentence in _sentences(done):
        click.echo(sentence)
    if done.is_complete:
        click.echo(f"{out} is complete as far as is known, and sound.")
    else:
        click.echo(f"{out} is sound, but not complete: see above.")


def _sentences(done: Recovery) -> list[str]:
    rebuilt = done.rebuilt
    sentences = [f"{path} was not used: it is not sound." for path in done.unusable]
    sentences.append(_began(done))
    sentences.append(
        f"From the safety log: {_count(rebuilt.n_judgments, 'change')} of judgments, "
        f"{_count(rebuilt.n_values, 'change')} of the project's own values, "
        f"{_count(rebuilt.n_texts, 'text')} written by hand."
    )
    sentences += [
        f"‘{title}’ came after the backup: import its files again." for title in rebuilt.imports
    ]
    if rebuilt.n_lost:
        sentences.append(
            f"{_count(rebuilt.n_lost, 'undone or redone change')} led on from what is not there "
            "and had nothing to act on."
        )
    if done.n_torn:
        sentences.append(
            f"{_count(done.n_torn, 'line')} of the safety log could not be read, as after a power "
            "cut, and was left out."
            if done.n_torn == 1
            else f"{done.n_torn:,} lines of the safety log could not be read and were left out."
        )
    if done.has_gap:
        sentences.append(
            "The safety log does not begin with the first judgment, or has a gap: some judgments "
            "are missing."
        )
    sentences += done.lost
    if done.others:
        sentences.append(
            f"Left out were backups and log of other copies: {', '.join(done.others)}. --copies "
            "takes them as well."
        )
    return sentences


def _began(done: Recovery) -> str:
    if done.base.path is None:
        return "There is no sound backup: everything comes from the safety log."
    if done.base.is_damaged:
        took = f"Took what can be read of {done.base.path}, which is damaged."
        return took if done.lost else f"{took} Nothing that it held is known to be missing."
    if not done.base.at:
        return f"Began from {done.base.path} itself, which is sound."
    return f"Began from the backup of {iso_utc(done.base.at)}."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
