"""``judgetool hub``: a team's PostgreSQL database, made, filled and looked at."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import click

from judgetool.cli.command import (
    PROJECT,
    DebugGroup,
    Number,
    Whole,
    assessor_option,
    json_text,
    shown_progress,
    tell_all,
    tell_result,
)
from judgetool.cli.options import format_option
from judgetool.core.number_text import number_of
from judgetool.errors import HubRefusal, HubRefusedError, InputError
from judgetool.hub.connection import ROLES, Hub, Role, open_hub
from judgetool.hub.making import add_member, close_member, create_hub, upgrade_hub
from judgetool.hub.reaching import HubAddress, has_keyring, keep_password, take_address
from judgetool.session.opening import find_hub_side, open_project
from judgetool.session.safety import open_to_change
from judgetool.session.session import Session
from judgetool.session.team.joining import (
    HOURS,
    MOST_TAKEN,
    HubReport,
    at_hub,
    describe_added,
    describe_closed,
    describe_given,
    describe_lacking,
    describe_offer,
    describe_released,
    describe_taken,
    describe_unasked,
    find_address,
    find_queries,
    join_hub,
    link_hub,
    list_taken,
    look_at_hub,
    plan_offer,
    sync_once,
    until_line,
)
from judgetool.session.team.sync_state import Synced, describe_hidden
from judgetool.session.team.syncing import hash_scale
from judgetool.wording import _

T = TypeVar("T")


def _address(_context: click.Context, _param: click.Parameter, text: str) -> HubAddress:
    address, said = take_address(text)
    if said:
        click.echo(said, err=True)
    return address


URL = click.argument("address", metavar="URL", callback=_address)
"""Where the hub is: ``postgresql://LOGIN@HOST/DATABASE`` or ``service=NAME``."""


def with_password(address: HubAddress, act: Callable[[str | None], T]) -> T:
    """Do something that needs the hub's password, which is asked for where nothing else has it.

    Args:
        address: of the hub.
        act: is given the password; ``None`` for the one that the keyring or libpq finds.

    Raises:
        HubError: as ``act``.
    """
    try:
        return act(None)
    except HubRefusedError as problem:
        if problem.why is not HubRefusal.PASSWORD:
            raise
        if not sys.stdin.isatty():
            raise HubRefusedError(
                _(
                    "{problem} Nobody is there to be asked: the file that PGPASSFILE names has to hold "
                    "the right one."
                ).format(problem=problem),
                why=problem.why,
            ) from problem
        password = click.prompt(
            _("Password for {address}").format(address=address), hide_input=True, err=True
        )
        found = act(password)
        if has_keyring() and keep_password(address, password):
            click.echo(_("The password is in the system’s keyring now."), err=True)
        return found


def _opened(address: HubAddress) -> Hub:
    return with_password(address, lambda password: open_hub(address, password))


@click.group(
    "hub",
    cls=DebugGroup,
    examples=(
        "judgetool hub create postgresql://lea@db.example.org/recipes recipes.judge --assessor Lea",
        "judgetool hub add postgresql://lea@db.example.org/recipes ben --role assessor",
        "judgetool hub join postgresql://ben@db.example.org/recipes recipes.judge --assessor ben",
        "judgetool hub push recipes.judge",
    ),
)
def hub_command() -> None:
    """Keep the files of a team in step through a PostgreSQL database.

    URL is postgresql://LOGIN@HOST/DATABASE or service=NAME, without a password: it is found in the
    system’s keyring or in the file that PGPASSFILE names, or asked for.
    """


@hub_command.command("create")
@URL
@PROJECT
@assessor_option(
    "Who leads, by the name in the project; otherwise by the one that its hub of before knew, or the login’s.",
    default="",
)
def create_command(address: HubAddress, project: Path, *, assessor: str) -> None:
    """Make the hub of PROJECT in an empty database, and send it what the project holds."""
    with open_to_change(project, assessor=assessor) as session:
        facts = {
            "project": session.uuid,
            "title": session.title,
            "scale_hash": hash_scale(session.scale),
            "name": assessor or find_hub_side(session).name,
        }
        used: list[str | None] = []

        def make(password: str | None) -> str:
            used[:] = [password]
            with closing(create_hub(address, password, **facts)) as hub:
                link_hub(session, hub)
                return hub.me.name

        name = with_password(address, make)
        tell_result(
            _("Made the hub {address}, which {name} leads.").format(address=address, name=name)
        )
        synced = sync_once(session, used[0])
    _tell_sent(synced)
    click.echo(
        _(
            "Texts and judgments lie in the database as they are: who looks after the "
            "server can read them."
        )
    )


@hub_command.command("add")
@URL
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="assessor",
    show_default=True,
    help="What they may do: a lead all, an assessor judge, a reader read what is released.",
)
@click.option("--login", metavar="ROLE", default="", help="Role of PostgreSQL; otherwise NAME.")
def add_command(address: HubAddress, name: str, *, role: Role, login: str) -> None:
    """Add NAME to the hub, or give them another role or login. Leads only.

    A login that is lacking is made, and its password printed once; where that is not allowed, the SQL for
    an administrator is.
    """
    with _opened(address) as hub:
        added = add_member(hub, name, role, login=login)
    if added.for_administrator:
        click.echo(added.for_administrator)
        raise InputError(describe_lacking(name, login))
    said = [describe_added(name, role, login)]
    if added.password:
        kept = _("Its password is {password} and is kept nowhere: hand it over now.")
        said.append(kept.format(password=added.password))
    tell_all(added.remarks)
    tell_result("\n".join(said))


@hub_command.command("close")
@URL
@click.argument("name")
def close_command(address: HubAddress, name: str) -> None:
    """Let NAME do nothing in the hub any more; what they judged stays. Leads only."""
    with _opened(address) as hub:
        close_member(hub, name)
    tell_result(describe_closed(name))


@hub_command.command("join")
@URL
@PROJECT
@assessor_option("Who judges in it: the name by which the hub knows the login.", required=True)
def join_command(address: HubAddress, project: Path, *, assessor: str) -> None:
    """Make PROJECT, a new file, of all that the hub lets its login read.

    Where PROJECT is there, a copy of the hub’s project, it belongs to the hub from then on.
    """

    def join(password: str | None) -> object:
        with shown_progress(_("Fetching")) as progress:
            return join_hub(address, password, project, assessor=assessor, progress=progress)

    is_new = not project.exists()
    with_password(address, join)
    with open_project(project, read_only=True) as session:
        material = session.material
        held = (
            number_of(len(material.queries), "{n} query", "{n} queries"),
            number_of(material.count_documents()[0], "{n} document", "{n} documents"),
            number_of(len(material.runs), "{n} run", "{n} runs"),
            number_of(len(session.iter_judgments()), "{n} judgment", "{n} judgments"),
        )
    sentence = _("Made {project}: {received}.") if is_new else _("Joined {project}: {received}.")
    tell_result(sentence.format(project=project, received=", ".join(held)))


@hub_command.command("push")
@PROJECT
def push_command(project: Path) -> None:
    """Send the hub of PROJECT what it has not been sent; what the hub has stays as it is."""
    done = _synced(project, sends=True)
    _tell_sent(done)
    tell_all(filter(None, [done.staying]))


@hub_command.command("pull")
@PROJECT
def pull_command(project: Path) -> None:
    """Fetch from the hub of PROJECT what is new there."""
    done = _synced(project, sends=False)
    tell_result(_("Fetched {received}.").format(received=_travelled(done.n_received, done.n_files)))
    _tell_beside(done)


def _synced(project: Path, *, sends: bool) -> Synced:
    with open_to_change(project) as session:

        def sync(password: str | None) -> Synced:
            with shown_progress(_("Sending") if sends else _("Fetching")) as progress:
                # A scale that a lead has changed comes before anything is sent.
                return sync_once(session, password, sends=sends, progress=progress)

        return with_password(find_address(session), sync)


def _travelled(n_lines: int, n_files: int) -> str:
    lines = number_of(n_lines, "{n} line", "{n} lines")
    files = number_of(n_files, "{n} file", "{n} files")
    return _("{lines} and {files}").format(lines=lines, files=files) if n_files else lines


def _tell_sent(done: Synced) -> None:
    tell_result(_("Sent {sent}.").format(sent=_travelled(done.n_sent, done.n_files_sent)))
    _tell_beside(done)


def _tell_beside(done: Synced) -> None:
    tell_all(filter(None, [*done.remarks, describe_hidden(done.n_hidden)]))


@hub_command.command("offer")
@PROJECT
@click.option(
    "--opinions",
    type=Whole(1, 9),
    default=1,
    show_default=True,
    help="How many people are to judge each document; who has judged it or is asked by name counts.",
)
@click.option("--take-back", is_flag=True, help="Ask nobody any more for what nobody has taken.")
def offer_command(project: Path, *, opinions: int, take_back: bool) -> None:
    """Ask whoever comes to judge the pool of PROJECT, a few documents at a time. Leads only."""

    def act(session: Session, hub: Hub) -> str:
        if take_back:
            return describe_unasked(hub.ask_nobody())
        offer = plan_offer(session)
        n_new = hub.ask(offer.pairs, opinions=opinions, heard=offer.heard)
        return describe_offer(n_new, len(offer.pairs))

    tell_result(_at_hub(project, act))


@hub_command.command("claim")
@PROJECT
@click.option(
    "--take",
    type=Whole(1, MOST_TAKEN),
    metavar="N",
    help="Take so many documents to judge.",
)
@click.option(
    "--hours",
    type=Number(0, 8784, min_open=True),
    metavar="HOURS",
    default=HOURS,
    show_default=True,
    help="So long nobody else gets them.",
)
@click.option("--give-back", is_flag=True, help="Give back what is not judged.")
def claim_command(project: Path, *, take: int | None, hours: float, give_back: bool) -> None:
    """Take documents to judge that nobody else has, where everybody is asked; or give them back.

    Without an option it says what is taken and not judged yet: query, document, until when.
    """
    if take and give_back:
        raise click.UsageError(_("Either --take or --give-back."))
    if take is not None:
        tell_result(
            _at_hub(project, lambda _session, hub: describe_taken(hub.claim(take, hours), take))
        )
    elif give_back:
        tell_result(_at_hub(project, lambda _session, hub: describe_given(hub.give_back())))
    else:
        with open_project(project, read_only=True) as session:
            for taken in list_taken(session):
                click.echo(f"{taken.query}\t{taken.document}\t{until_line(taken.until_ms or 0)}")


@hub_command.command("release")
@PROJECT
@click.option("--query", "ids", multiple=True, metavar="ID", help="This one; may be given often.")
@click.option(
    "--where",
    metavar="WHERE",
    help="Those that this lets through, as of ‘judgetool compare’; ‘’ for all.",
)
def release_command(project: Path, *, ids: tuple[str, ...], where: str | None) -> None:
    """Let all members read everybody’s judgments of queries of PROJECT. Leads only.

    It is not taken back. Without an option it says which queries are released.
    """
    if ids and where is not None:
        raise click.UsageError(_("Either --query or --where."))

    if not ids and where is None:
        # Looking needs no file that may be written.
        with open_project(project, read_only=True) as session:
            address = find_address(session)
        with _opened(address) as hub:
            for query in hub.released():
                click.echo(query)
        return

    def act(session: Session, hub: Hub) -> str:
        wanted = list(dict.fromkeys(ids)) or find_queries(session, where or "")
        unknown = [name for name in wanted if session.material.find_query(name) is None]
        if unknown:
            raise InputError(
                _("There is no query ‘{query}’ in {project}.").format(
                    query=unknown[0], project=project.name
                )
            )
        return describe_released(hub.release(wanted), len(wanted))

    tell_result(_at_hub(project, act))


def _at_hub(project: Path, act: Callable[[Session, Hub], str]) -> str:
    with open_project(project) as session:

        def done(password: str | None) -> str:
            return at_hub(session, password, lambda hub: act(session, hub))

        return with_password(find_address(session), done)


@hub_command.command("status")
@PROJECT
@format_option(("text", "json"), "Of what is said.")
def status_command(project: Path, *, layout: str) -> None:
    """Say how PROJECT stands to its hub: what is to be sent and fetched, and whether the hub is well.

    The exit code is 1 where the hub is not reached or refuses the login.
    """
    with open_project(project, read_only=True) as session:
        found = _look(session)
    if layout == "json":
        click.echo(json_text(found.facts))
    else:
        for name, value in found.facts.items():
            click.echo(f"{name.replace('_', ' ')}: {value}")
    tell_all(found.notices)
    if found.problem is not None:
        raise found.problem


def _look(session: Session) -> HubReport:
    found: list[HubReport] = []

    def look(password: str | None) -> None:
        found[:] = [look_at_hub(session, password)]
        problem = found[0].problem
        if isinstance(problem, HubRefusedError) and problem.why is HubRefusal.PASSWORD:
            raise problem

    try:
        with_password(find_address(session), look)
    except HubRefusedError as problem:
        # What is known without the hub is told all the same.
        return found[0]._replace(problem=problem)
    return found[0]


@hub_command.command("upgrade")
@URL
def upgrade_command(address: HubAddress) -> None:
    """Bring a hub up to date that an older judgetool made. For the login that made it."""
    before, after = with_password(address, lambda password: upgrade_hub(address, password))
    if before == after:
        click.echo(
            _("The hub {address} is up to date: schema {after}.").format(
                address=address, after=after
            )
        )
    else:
        tell_result(
            _("The hub {address} was brought from schema {before} to {after}.").format(
                address=address, before=before, after=after
            )
        )
