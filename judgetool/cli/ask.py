"""``judgetool ask``: who is to judge what, planned, asked, and how far they are."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from judgetool import __version__
from judgetool.cli.command import PROJECT, Number, Whole, command, tell_all
from judgetool.cli.options import format_option
from judgetool.cli.tables import for_pages, json_text, separated
from judgetool.core.number_text import number_of
from judgetool.errors import ReadOnlyError, UsageError
from judgetool.metrics.significance import DEFAULT_SEED
from judgetool.session.commands import describe_near_name
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.team.asking import (
    ASK_EACH,
    AskEach,
    AskedShare,
    AskedState,
    Asking,
    AskWishes,
    list_asked_states,
    pool_pairs,
)
from judgetool.session.team.sample import draw_sample
from judgetool.wording import NN_, _, sentence_start


class AskOutput(NamedTuple):
    """What is printed: a line for each assessor.

    Attributes:
        columns: their names; the first is that of the assessor.
        rows: likewise.
    """

    columns: tuple[str, ...]
    rows: Sequence[AskedShare | AskedState]


def _headed(table: AskOutput) -> Iterator[list[str]]:
    yield [name.replace("_", " ") for name in table.columns]
    for row in table.rows:
        yield list(map(str, row))


def _write_json(table: AskOutput) -> Iterator[str]:
    yield json_text({"judgetool": __version__, "rows": [row._asdict() for row in table.rows]})


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
    metavar="N",
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
    help="The share of each assessor's documents that come again, unannounced, from 0 to 1.  "
    "[default: 0]",
)
@click.option(
    "--seed",
    type=Whole(0, 2**63 - 1),
    default=DEFAULT_SEED,
    metavar="N",
    help=f"The same seed asks the same on every machine.  [default: {DEFAULT_SEED}]",
)
@click.option(
    "--sample",
    type=Whole(2),
    metavar="N",
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
    Asking again adds what is lacking. Each ask is one step, and one Undo takes it back.
    """
    if is_status:
        if names:
            raise UsageError(
                _("--status says how far people are, and asks nobody: leave --to away.")
            )
        with open_project(project, read_only=True) as session:
            _print(AskOutput(AskedState._fields, list_asked_states(session)), layout)
        return
    wishes = AskWishes(names, each, opinions, share, repeat, seed)
    wishes.check()
    with open_project(project, read_only=is_dry) as session:
        if session.read_only_reason and not is_dry:
            raise ReadOnlyError(session.read_only_reason, path=project)
        tell_all(filter(None, (describe_near_name(name, session.assessors) for name in names)))
        if sample is not None:
            _ask_sample(session, wishes, sample, layout, is_dry=is_dry)
            return
        _ask(session, wishes, layout, is_dry=is_dry)


_DRAWN = NN_(
    "{sample}, {n} document asked anew, is drawn. One Undo takes it back.",
    "{sample}, {n} documents asked anew, is drawn. One Undo takes it back.",
)
_WOULD_DRAW = NN_(
    "{sample}, {n} document asked anew, would be drawn; nothing was changed.",
    "{sample}, {n} documents asked anew, would be drawn; nothing was changed.",
)
_ASKED = NN_(
    "{n} document asked. One Undo takes it back.", "{n} documents asked. One Undo takes it back."
)
_WOULD_ASK = NN_(
    "{n} document would be asked; nothing was changed.",
    "{n} documents would be asked; nothing was changed.",
)


def _ask_sample(session: Session, wishes: AskWishes, n: int, layout: str, *, is_dry: bool) -> None:
    """Ask for what is drawn at random; who has judged some of it before is not asked again."""
    pairs = pool_pairs(session)
    sample = draw_sample(pairs, wishes.each, n, wishes.seed)
    asking = Asking(session, sample.pairs(pairs))
    plan = asking.plan(wishes)
    if not is_dry:
        session.execute(sample.command(asking, plan))
    _print(AskOutput(AskedShare._fields, plan.shares()), layout)
    given = (plan.n_documents, *(_WOULD_DRAW if is_dry else _DRAWN))
    tell_all([number_of(*given, sample=sentence_start(sample.title))])


def _ask(session: Session, wishes: AskWishes, layout: str, *, is_dry: bool) -> None:
    asking = Asking(session)
    plan = asking.plan(wishes)
    if not is_dry:
        session.execute(asking.command(plan))
    _print(AskOutput(AskedShare._fields, plan.shares()), layout)
    tell_all([number_of(plan.n_documents, *(_WOULD_ASK if is_dry else _ASKED))])


def _print(table: AskOutput, layout: str) -> None:
    for line in WRITERS[layout](table):
        click.echo(line)
