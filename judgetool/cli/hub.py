"""``judgetool hub``: a team's PostgreSQL database, made, filled and looked at."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import click

from judgetool.cli.command import PROJECT, DebugGroup, assessor_option, tell_all
from judgetool.cli.options import format_option
from judgetool.cli.tables import json_text, shown_progress
from judgetool.core.number_text import count_noun
from judgetool.errors import HubRefusal, HubRefusedError, InputError, ReadOnlyError
from judgetool.hub.address import HubAddress, has_keyring, keep_password, take_address
from judgetool.hub.connection import open_hub
from judgetool.hub.events import ROLES, Role
from judgetool.hub.making import add_member, create_hub, upgrade_hub
from judgetool.session.opening import open_project
from judgetool.session.team.joining import find_address, join_hub, link_hub, look_at_hub, sync_once
from judgetool.session.team.syncing import Synced, hash_scale

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
                f"{problem} Nobody is there to be asked for it: put it into the file that PGPASSFILE names.",
                why=problem.why,
            ) from problem
        password = click.prompt(f"Password for {address}", hide_input=True, err=True)
        found = act(password)
        if has_keyring() and keep_password(address, password):
            click.echo("The password is in the system's keyring now.", err=True)
        return found


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
    system's keyring or in the file that PGPASSFILE names, or asked for.
    """


@hub_command.command("create")
@URL
@PROJECT
@assessor_option("Who leads, by the name in the project; otherwise the login's.", default="")
def create_command(address: HubAddress, project: Path, *, assessor: str) -> None:
    """Make the hub of PROJECT in an empty database, and send it what the project holds."""
    with open_project(project, assessor=assessor) as session:
        if session.read_only_reason:
            raise ReadOnlyError(session.read_only_reason, path=project)
        facts = {
            "project": session.uuid,
            "title": session.title,
            "scale_hash": hash_scale(session.scale),
            "name": assessor,
        }
        used: list[str | None] = []

        def make(password: str | None) -> str:
            used[:] = [password]
            with closing(create_hub(address, password, **facts)) as hub:
                link_hub(session, hub)
                return hub.me.name

        name = with_password(address, make)
        click.echo(f"Made the hub {address}, which {name} leads.")
        synced = sync_once(session, used[0])
    click.echo(f"Sent {count_noun(synced.n_sent, 'line')}.")
    click.echo(
        "Texts and judgments lie in the database as they are: who looks after the server can read them."
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
    with with_password(address, lambda password: open_hub(address, password)) as hub:
        added = add_member(hub, name, role, login=login)
    if added.for_administrator:
        click.echo(added.for_administrator)
        raise InputError(
            f"{name} is not added yet: there is no login {login or name}, and yours may not make one. An "
            "administrator of the server runs the SQL above; then say the same again."
        )
    click.echo(f"{name} is in the hub as {role}, with the login {login or name}.")
    if added.password:
        click.echo(f"Its password is {added.password} and is kept nowhere: hand it over now.")


@hub_command.command("join")
@URL
@PROJECT
@assessor_option("Who judges in it: the name by which the hub knows the login.", required=True)
def join_command(address: HubAddress, project: Path, *, assessor: str) -> None:
    """Make PROJECT, a new file, of all that the hub lets its login read.

    Where PROJECT is there, a copy of the hub's project, it belongs to the hub from then on.
    """

    def join(password: str | None) -> Synced:
        with shown_progress("Fetching") as progress:
            return join_hub(address, password, project, assessor=assessor, progress=progress)

    is_new = not project.exists()
    done = with_password(address, join)
    click.echo(f"{'Made' if is_new else 'Joined'} {project}: {_received(done)}.")


@hub_command.command("push")
@PROJECT
def push_command(project: Path) -> None:
    """Send the hub of PROJECT what it has not been sent; what the hub has stays as it is."""
    done = _synced(project, sends=True)
    click.echo(f"Sent {count_noun(done.n_sent, 'line')}.")
    _tell_healed(done)


@hub_command.command("pull")
@PROJECT
def pull_command(project: Path) -> None:
    """Fetch from the hub of PROJECT what is new there."""
    done = _synced(project, sends=False)
    click.echo(f"Fetched {_received(done)}.")
    _tell_healed(done)


def _synced(project: Path, *, sends: bool) -> Synced:
    with open_project(project) as session:

        def sync(password: str | None) -> Synced:
            with shown_progress("Sending" if sends else "Fetching") as progress:
                # A scale that a lead has changed comes before anything is sent.
                return sync_once(session, password, sends=sends, progress=progress)

        return with_password(find_address(session), sync)


def _received(done: Synced) -> str:
    lines = count_noun(done.n_received, "line")
    return f"{lines} and {count_noun(done.n_files, 'file')}" if done.n_files else lines


def _tell_healed(done: Synced) -> None:
    if done.is_healed:
        click.echo(
            "The hub is another than before, or was put back to an earlier state: what it lacks and "
            "may be sent from here was sent again."
        )


@hub_command.command("status")
@PROJECT
@format_option(("text", "json"), "Of what is said.")
def status_command(project: Path, *, layout: str) -> None:
    """Say how PROJECT stands to its hub: what is to be sent and fetched, and whether the hub is well.

    The exit code is 1 where the hub is not reached or refuses the login.
    """
    with open_project(project, read_only=True) as session:
        address = find_address(session)
        found = with_password(address, lambda password: look_at_hub(session, password))
    if layout == "json":
        click.echo(json_text(found.facts))
    else:
        for name, value in found.facts.items():
            click.echo(f"{name.replace('_', ' ')}: {value}")
    tell_all(found.notices)
    if found.problem is not None:
        raise found.problem


@hub_command.command("upgrade")
@URL
def upgrade_command(address: HubAddress) -> None:
    """Bring a hub up to date that an older judgetool made. For the login that made it."""
    before, after = with_password(address, lambda password: upgrade_hub(address, password))
    if before == after:
        click.echo(f"The hub {address} is up to date: schema {after}.")
    else:
        click.echo(f"The hub {address} was brought from schema {before} to {after}.")
