"""``judgetool ask-model``: a program of the person's gives a model's grades."""

import shlex
from pathlib import Path

import click

from judgetool.cli.command import PROJECT, Number, Whole, assessor_option, command
from judgetool.cli.options import format_option
from judgetool.cli.tables import json_text, shown_progress
from judgetool.core.notices import tell
from judgetool.core.number_text import number_of
from judgetool.core.system import IS_WINDOWS
from judgetool.errors import InputError, ReadOnlyError, UsageError
from judgetool.session.opening import open_project
from judgetool.session.team.model_labels import (
    DEFAULT_RETRIES,
    DEFAULT_TIMEOUT,
    TROUBLES,
    ModelRun,
    ModelWishes,
    ask_model,
)
from judgetool.wording import _, local_number


@command(
    "ask-model",
    examples=(
        "judgetool ask-model recipes.judge --assessor gpt-x --command 'python3 ask.py'",
        "judgetool ask-model recipes.judge --assessor gpt-x --command ./ask --queries 1 2 --depth 5",
    ),
)
@PROJECT
@assessor_option("What the model is called in the project.", required=True)
@click.option(
    "--command",
    "program",
    required=True,
    metavar="PROGRAM",
    help="What answers: a program with its arguments, which no shell reads.",
)
@click.option(
    "--queries", "query_ids", multiple=True, metavar="QUERY", help="Only these, by their ids."
)
@click.option(
    "--depth",
    type=Whole(min=1),
    metavar="K",
    help="The first K documents of each run, in place of what the project has to be judged.",
)
@click.option(
    "--timeout",
    type=Number(min=0, min_open=True, max=86_400),
    default=DEFAULT_TIMEOUT,
    metavar="S",
    help=f"Seconds that an answer may take.  [default: {DEFAULT_TIMEOUT:g}]",
)
@click.option(
    "--retries",
    type=Whole(0, 100),
    default=DEFAULT_RETRIES,
    metavar="N",
    help=f"Further tries for a document whose answer cannot be used.  [default: {DEFAULT_RETRIES}]",
)
@format_option(("text", "json"), "Of the report.")
def ask_model_command(  # noqa: PLR0913 - one value for each option
    project: Path,
    *,
    assessor: str,
    program: str,
    query_ids: tuple[str, ...],
    depth: int | None,
    timeout: float,
    retries: int,
    layout: str,
) -> None:
    """Have a program judge documents of PROJECT, as a model whose grades do not count.

    For each document the program gets a line of JSON, `id`, `query`, `document`,
    `guidelines`, `levels`, and writes a line back, `{"id": …, "grade": a number or null,
    "note": …}`. What comes in vain in all tries, and null, is ‘cannot judge’. Each answer is
    durable before the next document is sent; called again, it goes on where it ended. All of a
    run is one step for Undo. Nothing goes anywhere but to the program.
    """
    words = tuple(shlex.split(program, posix=not IS_WINDOWS))
    if not words:
        raise UsageError(_("--command needs a program: it is empty."))
    wishes = ModelWishes(assessor, words, query_ids, depth, timeout, retries)
    with open_project(project) as session:
        if session.place_warning:
            tell(session.place_warning)
        if session.read_only_reason:
            raise ReadOnlyError(session.read_only_reason, path=project)
        with shown_progress(_("Asking {assessor}").format(assessor=assessor)) as progress:
            run = ask_model(session, wishes, progress=progress)
    click.echo(json_text(_values(run)) if layout == "json" else _report(run, assessor))
    if run.stopped:
        raise InputError(
            _(
                "{stopped}\nWhat was answered before is saved. Run the same command again to go on."
            ).format(stopped=run.stopped)
        )


def _values(run: ModelRun) -> dict[str, object]:
    return {
        "documents": run.n_wanted,
        "there": run.n_there,
        "graded": run.n_graded,
        "cannot_judge": run.n_cannot,
        "failed": run.n_failed,
        "left": run.n_wanted - run.n_done,
        "in_vain": {name: run.troubles[name] for name in TROUBLES},
        "stopped": run.stopped or None,
    }


def _report(run: ModelRun, assessor: str) -> str:
    lines = [
        number_of(
            run.n_graded,
            "{assessor}: {n} document graded of {wanted}; {there} were there before.",
            "{assessor}: {n} documents graded of {wanted}; {there} were there before.",
            assessor=assessor,
            wanted=local_number(f"{run.n_wanted:,}"),
            there=local_number(f"{run.n_there:,}"),
        )
    ]
    if run.n_cannot:
        lines.append("  " + number_of(run.n_cannot, "{n} it cannot judge.", "{n} it cannot judge."))
    if run.n_failed:
        failed = number_of(
            run.n_failed,
            "{n} without an answer that can be used: kept as ‘cannot judge’.",
            "{n} without an answer that can be used: kept as ‘cannot judge’.",
        )
        lines.append(f"  {failed}")
    for name, said in TROUBLES.items():
        if run.troubles[name]:
            vain = number_of(
                run.troubles[name],
                "{n} answer in vain: {why}.",
                "{n} answers in vain: {why}.",
                why=_(said),
            )
            lines.append(f"  {vain}")
    return "\n".join(lines)
