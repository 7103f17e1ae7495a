"""``judgetool ask``: who is to judge what, planned, asked, and how far they are.

``judgetool ask-model``: a program of the person's gives a model's grades.

``judgetool merge``: what other copies of a project hold, into it, as one step.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from judgetool import __version__
from judgetool.cli.command import (
    FILE_PATH,
    PROJECT,
    Number,
    Whole,
    assessor_option,
    command,
    for_pages,
    json_text,
    separated,
    shown_progress,
    tell_all,
    tell_result,
)
from judgetool.cli.options import SEED_OPTION, format_option
from judgetool.core.number_text import local_count, number_of
from judgetool.core.system import IS_WINDOWS
from judgetool.errors import InputError, UsageError
from judgetool.formats.records import note_number
from judgetool.metrics.significance import DEFAULT_SEED
from judgetool.session.commands import Command, describe_near_name
from judgetool.session.opening import open_project
from judgetool.session.safety import open_to_change
from judgetool.session.session import Session
from judgetool.session.team.asking import (
    ASK_EACH,
    AskEach,
    AskedShare,
    AskedState,
    Asking,
    AskPlan,
    AskWishes,
    list_asked_states,
    pool_pairs,
)
from judgetool.session.team.merging import (
    AlikeName,
    MergeReport,
    describe_merge,
    find_alike,
    merge_copies,
    preview_merge,
)
from judgetool.session.team.model_labels import (
    DEFAULT_RETRIES,
    DEFAULT_TIMEOUT,
    TROUBLES,
    ModelRun,
    ModelWishes,
    ask_model,
)
from judgetool.session.team.sample import draw_sample
from judgetool.wording import NN_, _, sentence_start

Rows = Sequence[AskedShare] | Sequence[AskedState]
"""A line for each assessor."""


def _headed(columns: Sequence[str], rows: Rows) -> Iterator[list[str]]:
    """Yield the names of the columns, the first of which is that of the assessor, and the rows."""
    yield [name.replace("_", " ") for name in columns]
    for row in rows:
        yield list(map(str, row))


def _write_json(_columns: Sequence[str], rows: Rows) -> Iterator[str]:
    yield json_text({"judgetool": __version__, "rows": [row._asdict() for row in rows]})


WRITERS = {
    **separated(_headed, n_texts=1),
    "json": _write_json,
    **for_pages(_headed),
}


@command(
    "ask",
    examples=(
        "judgetool ask recipes.judge --to anna ben",
        "judgetool ask recipes.judge --to anna ben --opinions 2 --share 0.2 --repeat 0.05 --seed 7",
        "judgetool ask recipes.judge --to anna ben cem --each document --dry-run",
        "judgetool ask recipes.judge --to anna --sample 50 --seed 7",
        "judgetool ask recipes.judge --status",
    ),
)
@PROJECT
@click.option(
    "--to",
    "names",
    multiple=True,
    metavar="NAME",
    help="Who is asked; may be given often. Somebody new is added to the project.",
)
@click.option(
    "--each",
    type=click.Choice(ASK_EACH),
    default="query",
    show_default=True,
    help="What goes to an assessor as a whole: a query with its documents, or a document.",
)
@click.option(
    "--opinions",
    type=Whole(1),
    default=1,
    show_default=True,
    help="How many judge what --share chooses.",
)
@click.option(
    "--share",
    type=Number(0, 1),
    default=1.0,
    metavar="SHARE",
    help="The share of all queries (or documents) that so many judge, from 0 to 1.  [default: 1]",
)
@click.option(
    "--repeat",
    type=Number(0, 1),
    default=0.0,
    metavar="SHARE",
    help="The share of each assessor’s documents that come again, unannounced, from 0 to 1.  "
    "[default: 0]",
)
@SEED_OPTION(
    default=DEFAULT_SEED,
    help=f"The same seed asks the same on every machine.  [default: {DEFAULT_SEED}]",
)
@click.option(
    "--sample",
    type=Whole(2),
    help="Ask for N queries (or documents, by --each) drawn at random, and keep with the project which: "
    "for ‘judgetool score --model’.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Ask nothing; print what would be asked.")
@click.option(
    "--status", "is_status", is_flag=True, help="Print how far each is; with no other option."
)
@format_option(WRITERS, "How the table is printed.", default="tsv")
def ask_command(  # noqa: PLR0913 - an option each
    project: Path,
    *,
    names: tuple[str, ...],
    each: AskEach,
    opinions: int,
    share: float,
    repeat: float,
    seed: int,
    sample: int | None,
    is_dry: bool,
    is_status: bool,
    layout: str,
) -> None:
    """Share out what is to be judged in PROJECT, and print who is asked how much.

    Queries (or documents) go out by falling size, each to who has least to do; what several judge
    is chosen by chance, and goes to people who have met least so far. Somebody who is asked then
    sees only that, each document unjudged until they judge it, and nothing that others said of it.
    Asking again adds what is lacking. Each ask is one step, and one Undo in the window
    takes it back.
    """
    if is_status:
        if names:
            raise UsageError(
                _("--status says how far people are, and asks nobody: leave --to away.")
            )
        with open_project(project, read_only=True) as session:
            _print(AskedState._fields, list_asked_states(session), layout)
        return
    wishes = AskWishes(names, each, opinions, share, repeat, seed)
    with open_to_change(project, is_tried=is_dry) as session:
        tell_all(filter(None, (describe_near_name(name, session.assessors) for name in names)))
        _ask(session, wishes, sample, layout, is_dry=is_dry)


_DRAWN = NN_(
    "{sample}, {n} document asked anew, is drawn. One Undo in the window takes it back.",
    "{sample}, {n} documents asked anew, is drawn. One Undo in the window takes it back.",
)
_WOULD_DRAW = NN_(
    "{sample}, {n} document asked anew, would be drawn; nothing was changed.",
    "{sample}, {n} documents asked anew, would be drawn; nothing was changed.",
)
_ASKED = NN_(
    "{n} document asked. One Undo in the window takes it back.",
    "{n} documents asked. One Undo in the window takes it back.",
)
_WOULD_ASK = NN_(
    "{n} document would be asked; nothing was changed.",
    "{n} documents would be asked; nothing was changed.",
)


def _ask(session: Session, wishes: AskWishes, n: int | None, layout: str, *, is_dry: bool) -> None:
    """Ask for all, or for ``n`` drawn at random: who has judged some of these is not asked again."""
    if n is None:
        asking = Asking(session)
        make: Callable[[AskPlan], Command] = asking.command
        forms, title = (_WOULD_ASK if is_dry else _ASKED), ""
    else:
        pairs = pool_pairs(session)
        sample = draw_sample(pairs, wishes.each, n, wishes.seed)
        asking = Asking(session, sample.pairs(pairs))
        make = partial(sample.command, asking)
        forms, title = (_WOULD_DRAW if is_dry else _DRAWN), sentence_start(sample.title)
    plan = asking.plan(wishes)
    if not is_dry:
        session.execute(make(plan))
    tell_all([number_of(plan.n_documents, *forms, sample=title)])
    _print(AskedShare._fields, plan.shares(), layout)


def _print(columns: Sequence[str], rows: Rows, layout: str) -> None:
    for line in WRITERS[layout](columns, rows):
        click.echo(line)


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
    run is one step for Undo in the window. Nothing goes anywhere but to the program.
    """
    words = tuple(shlex.split(program, posix=not IS_WINDOWS))
    if not words:
        raise UsageError(_("--command needs a program: it is empty."))
    wishes = ModelWishes(assessor, words, query_ids, depth, timeout, retries)
    asking = _("Asking {assessor}").format(assessor=assessor)
    with open_to_change(project) as session, shown_progress(asking) as progress:
        run = ask_model(session, wishes, progress=progress)
    tell_result(json_text(_values(run)) if layout == "json" else _report(run, assessor))
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
            wanted=local_count(run.n_wanted),
            there=local_count(run.n_there),
        )
    ]
    note_number(lines, run.n_cannot, "{n} it cannot judge.", "{n} it cannot judge.")
    note_number(
        lines,
        run.n_failed,
        "{n} without an answer that can be used: kept as ‘cannot judge’.",
        "{n} without an answer that can be used: kept as ‘cannot judge’.",
    )
    for name, said in TROUBLES.items():
        note_number(
            lines,
            run.troubles[name],
            "{n} answer in vain: {why}.",
            "{n} answers in vain: {why}.",
            why=_(said),
        )
    return "\n  ".join(lines)


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
@assessor_option("Who merges, whose Undo takes it back; otherwise everybody’s does.", default="")
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
    """Bring what OTHER copies of a project hold into PROJECT, as one step.

    Undo in the window takes it back. The other copies are only read. Whatever the order, and however often, the same comes out.
    """
    renames = dict(map(_parse_rename, rename))
    answered = dict(map(_parse_answer, answers))
    with open_to_change(project, assessor=assessor, is_tried=dry_run) as session:
        renames |= _same_people(find_alike(session, others, renames=renames), answered)
        with shown_progress(_("Merging")) as progress:
            if dry_run:
                report = preview_merge(session, others, renames=renames, progress=progress)
            else:
                report = merge_copies(session, others, renames=renames, progress=progress)
    lines = [*describe_merge(report), _last_line(report, project, dry_run=dry_run)]
    tell_result(
        json_text(_facts(report, dry_run=dry_run)) if layout == "json" else "\n".join(lines)
    )


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
        "scale_changes": list(report.scale_changes),
        "weight_changes": list(report.weight_changes),
        "counts": dict(report.counts),
        "texts": [each._asdict() for each in report.texts],
    }


def _last_line(report: MergeReport, project: Path, *, dry_run: bool) -> str:
    if report.is_nothing:
        return _("All of it is in {project} already.").format(project=project)
    if dry_run:
        return _("Nothing was written to {project}.").format(project=project)
    return _("Merged into {project}.").format(project=project)
