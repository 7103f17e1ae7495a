"""Which hub a project belongs to: letting one, joining with a new file, going in step once."""

from contextlib import closing
from functools import partial
from pathlib import Path

from judgetool.errors import InputError, ReadOnlyError
from judgetool.hub.address import HubAddress
from judgetool.hub.connection import Hub, open_hub
from judgetool.session.background import Progress
from judgetool.session.opening import open_project
from judgetool.session.session import Session
from judgetool.session.team.syncing import (
    AT_ONCE,
    Synced,
    Syncing,
    find_hub_mark,
    refuse_other_project,
)
from judgetool.storage.hub_unsent import begin_mark
from judgetool.storage.migrations import create_file

_MANY = 10_000
"""So many lines are written at once where nobody judges: in a file that is being made."""


def link_hub(session: Session, hub: Hub) -> None:
    """Let an open project belong to a hub from now on; nothing is sent or fetched yet.

    Raises:
        HubRefusedError: it is another project's.
        InputError: the project belongs to another hub.
        ReadOnlyError: it cannot be written.
    """
    refuse_other_project(session, hub.standing(), hub.address)
    if session.read_only_reason:
        raise ReadOnlyError(session.read_only_reason, path=session.path)
    url = str(hub.address)
    known = find_hub_mark(session)
    if known is None or known.url != url:
        session.write(partial(begin_mark, url=url, at=session.clock()))


def join_hub(
    address: HubAddress,
    password: str | None,
    path: Path,
    *,
    assessor: str,
    progress: Progress | None = None,
) -> Synced:
    """Make a file of a hub's project and fetch all of it; or let a copy of the project belong to it.

    Raises:
        HubError: the hub is not reached, or refuses; a file that was being made is taken away.
        InputError: the hub knows whose login it is by another name.
        ReadOnlyError: the copy cannot be written.
    """
    is_new = not path.exists()
    with closing(open_hub(address, password)) as hub:
        if hub.me.role != "reader" and hub.me.name != assessor:
            raise InputError(
                f"The hub knows the login {hub.me.login} as ‘{hub.me.name}’. Join with --assessor "
                f"'{hub.me.name}', or ask a lead for a login as ‘{assessor}’."
            )
        if is_new:
            create_file(path, uuid=hub.standing().project)
        try:
            with open_project(path, assessor=assessor) as session:
                link_hub(session, hub)
                at_once = _MANY if is_new else AT_ONCE
                done = sync_once(session, password, sends=False, at_once=at_once, progress=progress)
        except BaseException:
            if is_new:
                path.unlink(missing_ok=True)
            raise
    return done


def sync_once(
    session: Session,
    password: str | None = None,
    *,
    sends: bool = True,
    fetches: bool = True,
    at_once: int = AT_ONCE,
    progress: Progress | None = None,
) -> Synced:
    """Bring a project in step with its hub once, and take in what came.

    Raises:
        HubError: it is not reached, or refuses; what went before stays.
        InputError: the project has no hub.
        ReadOnlyError: it cannot be written.
    """
    if session.read_only_reason:
        raise ReadOnlyError(session.read_only_reason, path=session.path)
    if find_hub_mark(session) is None:
        raise InputError(
            f"{session.path.name} belongs to no hub. ‘judgetool hub join URL {session.path.name} "
            "--assessor NAME’ lets it."
        )
    syncing = Syncing(session, password, at_once=at_once)
    with closing(syncing):
        done = syncing.run(0.0, sends=sends, fetches=fetches, progress=progress)
        if done.written is not None:
            session.take_written(done.written)
        if syncing.problem is not None:
            raise syncing.problem
    return done
