"""Which hub a project belongs to: leaving one, joining with a new file, going in step once; sharing.

Shared are documents that whoever comes judges, and released queries.
"""

import shlex
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from judgetool.core.clock import iso_utc, local_moment, moment_text
from judgetool.core.number_text import number_of
from judgetool.core.policy import check_place
from judgetool.errors import HubError, InputError
from judgetool.formats.reading import held_collector
from judgetool.hub.connection import Hub, HubClaim, open_hub
from judgetool.hub.reaching import HubAddress, parse_address
from judgetool.session.commands import Progress
from judgetool.session.opening import open_project, refuse_read_only
from judgetool.session.session import Session
from judgetool.session.systems import queries_where
from judgetool.session.team.asking import Pair, find_standing_asks, pool_pairs
from judgetool.session.team.sync_state import (
    Synced,
    count_here,
    describe_clock,
    describe_hidden,
    describe_own_material,
    describe_unplaced,
    find_hidden,
    refuse_other_project,
)
from judgetool.session.team.syncing import AT_ONCE, Syncing, find_hub_mark
from judgetool.storage.asks import TakenAsk, load_taken
from judgetool.storage.hub_lines import (
    HubMark,
    begin_mark,
    count_own_material,
    count_unplaced,
    find_unsent_steps,
)
from judgetool.storage.migrations import create_file
from judgetool.wording import _

T = TypeVar("T")
_MANY = 10_000
"""So many lines are written at once where nobody judges: in a file that is being made."""


def link_hub(session: Session, hub: Hub) -> None:
    """Let an open project belong to a hub from now on; nothing is sent or fetched yet.

    Raises:
        HubRefusedError: it is another project's.
        ReadOnlyError: it cannot be written.
    """
    refuse_other_project(session, hub.standing(), hub.address)
    refuse_read_only(session)
    url = str(hub.address)
    known = find_hub_mark(session)
    if known is None or known.url != url:
        me = hub.me
        session.write(partial(begin_mark, url=url, at=session.clock(), name=me.name, role=me.role))


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
                _(
                    "The hub knows the login {login} as ‘{name}’. Join under that name, or ask a lead for a "
                    "login as ‘{assessor}’."
                ).format(login=hub.me.login, name=hub.me.name, assessor=assessor)
            )
        if is_new:
            check_place(path)
            create_file(path, uuid=hub.standing().project)
        try:
            with open_project(path, assessor=assessor, is_copied=is_new) as session:
                link_hub(session, hub)
                at_once = _MANY if is_new else AT_ONCE
                # Of a session that ends here nobody reads what came.
                syncing = Syncing(session, password, at_once=at_once, reads=False)
                with held_collector():
                    done = _run(syncing, sends=False, progress=progress)
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
    progress: Progress | None = None,
) -> Synced:
    """Bring a project in step with its hub once, and take in what came.

    Raises:
        HubError: it is not reached, or refuses; what went before stays.
        InputError: the project has no hub.
        UsageError: psycopg is not installed.
        ReadOnlyError: it cannot be written.
    """
    refuse_read_only(session)
    find_address(session)
    return _run(Syncing(session, password), sends=sends, progress=progress, session=session)


def at_hub(session: Session, password: str | None, act: Callable[[Hub], T]) -> T:
    """Do something at a project's hub, which is brought in step with it before and after.

    Raises:
        HubError: the hub is not reached, or refuses.
        InputError: the project has no hub.
        UsageError: psycopg is not installed.
        ReadOnlyError: it cannot be written.
    """
    sync_once(session, password)
    with closing(open_hub(find_address(session), password)) as hub:
        found = act(hub)
    sync_once(session, password)
    return found


def _run(
    syncing: Syncing, *, sends: bool, progress: Progress | None, session: Session | None = None
) -> Synced:
    with closing(syncing):
        done = syncing.run(0.0, sends=sends, progress=progress)
        if session is not None and done.written is not None:
            session.take_written(done.written)
        if syncing.problem is not None:
            raise syncing.problem
    return done


def find_address(session: Session) -> HubAddress:
    """Return where a project's hub is.

    Raises:
        InputError: it has none.
        UsageError: psycopg is not installed.
    """
    return parse_address(_mark_of(session).url)[0]


def _mark_of(session: Session) -> HubMark:
    mark = find_hub_mark(session)
    if mark is None:
        raise InputError(
            _(
                "{name} belongs to no hub. ‘judgetool hub join URL {name} --assessor NAME’ lets it."
            ).format(name=shlex.quote(session.path.name))
        )
    return mark


def list_taken(session: Session) -> list[TakenAsk]:
    """Return what a project's member has taken to judge at its hub and not judged yet; no hub is asked.

    Raises:
        InputError: the project has no hub.
    """
    name = _mark_of(session).name
    with session.second_reader() as reader:
        return [each for each in load_taken(reader, name) if each.until_ms and not each.is_judged]


class HubReport(NamedTuple):
    """How a project stands to its hub.

    Attributes:
        facts: by name; what only the hub knows is left out where it is not reached.
        notices: sentences about what should be looked after.
        problem: why the hub is not reached; ``None`` where it is.
    """

    facts: dict[str, str | int]
    notices: list[str]
    problem: HubError | None


def look_at_hub(session: Session, password: str | None) -> HubReport:
    """Return how a project stands to its hub; it may be open elsewhere.

    Raises:
        InputError: the project has no hub.
    """
    mark = _mark_of(session)
    address = parse_address(mark.url)[0]
    with session.second_reader() as reader:
        here = count_here(reader, mark)
        n_steps = len(find_unsent_steps(reader, mark)) if mark.role == "lead" else 0
        n_own = 0 if mark.role == "lead" else count_own_material(reader, mark)
        unplaced = count_unplaced(reader) if mark.role == "lead" else None
    facts: dict[str, str | int] = {"hub": str(address), "you": mark.name, "role": mark.role}
    facts |= {"to_send": here["n_unsent"], "fetched_up_to": mark.seq}
    if mark.role == "lead":
        facts["steps_to_send"] = n_steps
    else:
        facts["stay_here"] = here["n_staying"]
        facts["steps_that_stay_here"] = n_own
    notices = [*filter(None, (here["staying"], describe_own_material(n_own)))]
    if unplaced is not None and any(unplaced):
        facts["judgments_of_unknown_queries"] = unplaced.n_queries
        facts["documents_without_run_or_text"] = unplaced.n_documents
        notices.append(describe_unplaced(*unplaced))
    facts["taken"] = len(list_taken(session))
    try:
        with closing(open_hub(address, password)) as hub:
            standing = hub.standing()
            refuse_other_project(session, standing, address)
            facts["hidden_here"] = n_hidden = find_hidden(session, hub)
            notices += filter(None, [describe_hidden(n_hidden)])
    except HubError as problem:
        return HubReport(facts, notices, problem)
    facts |= {"you": hub.me.name, "role": hub.me.role, "lines_there": standing.last_seq}
    facts["connections"] = _("{n_connections} of {most_connections}").format(
        n_connections=standing.n_connections, most_connections=standing.most_connections
    )
    notices += filter(None, [describe_clock(standing)])
    if standing.n_connections > 0.9 * standing.most_connections:
        notices.append(
            _(
                "Nearly all connections of the server are in use. An administrator raises max_connections: "
                "each open window takes one."
            )
        )
    return HubReport(facts, notices, None)


MOST_TAKEN = 500
TAKEN, HOURS = 20, 72
"""So many documents are taken, and for so many hours, where nobody says otherwise."""


class Offer(NamedTuple):
    """What whoever comes is asked to judge.

    Attributes:
        pairs: query and document of each, in the order of the project's pool.
        heard: query, document and name of who has judged one already, or is asked by name.
    """

    pairs: list[Pair]
    heard: list[tuple[str, str, str]]


def plan_offer(session: Session) -> Offer:
    """Return what is to be judged in a project, for :meth:`~judgetool.hub.connection.Hub.ask`."""
    pairs, standing = pool_pairs(session), find_standing_asks(session)
    heard = [(*pair, name) for pair in pairs for name in sorted(standing.heard.get(pair, ()))]
    return Offer(pairs, heard)


def find_queries(session: Session, where: str) -> list[str]:
    """Return the ids of the queries that a text lets through; ``""`` lets all.

    Raises:
        CommandRefusedError: it is not understood, or lets none through.
    """
    queries = session.material.queries
    return [queries[place].id for place in np.flatnonzero(queries_where(session, where)).tolist()]


def until_line(until_ms: int) -> str:
    """Return a moment on this machine's clock, to the minute, as data lines have it in every language."""
    until = local_moment(until_ms)
    return f"{until:%Y-%m-%d %H:%M}" if until else iso_utc(until_ms)


def describe_taken(claims: Sequence[HubClaim], wanted: int) -> str:
    """Return what has become of taking so many documents, in a sentence or two."""
    if not claims:
        return _(
            "Nothing is left to take: nobody has asked everybody for anything, or all of it is judged or taken."
        )
    said = number_of(
        len(claims),
        "{n} document is yours to judge until {until}; then others may.",
        "{n} documents are yours to judge until {until}; then others may.",
        until=moment_text(claims[0].until_ms),
    )
    return said if len(claims) == wanted else f"{said} {_('No more are left.')}"


def describe_given(n: int) -> str:
    """Return what has become of giving back."""
    return number_of(
        n,
        "Gave back {n} document: others may take it.",
        "Gave back {n} documents: others may take what you had not judged.",
    )


def describe_offer(n_new: int, n_pairs: int) -> str:
    """Return what has become of asking everybody."""
    documents = number_of(n_pairs, "{n} document", "{n} documents")
    return number_of(
        n_new,
        "Everybody is asked for {n} judgment more, of {documents} to be judged.",
        "Everybody is asked for {n} judgments more, of {documents} to be judged.",
        documents=documents,
    )


def describe_unasked(n: int) -> str:
    """Return what has become of asking nobody any more."""
    return number_of(
        n,
        "Nobody is asked any more for {n} judgment that nobody had taken.",
        "Nobody is asked any more for {n} judgments that nobody had taken.",
    )


def describe_released(n_new: int, n_queries: int) -> str:
    """Return what has become of releasing."""
    said = number_of(
        n_new,
        "All members may read the judgments of {n} query from now on.",
        "All members may read the judgments of {n} queries from now on.",
    )
    known = number_of(n_queries - n_new, "{n} was released before.", "{n} were released before.")
    return said if n_new == n_queries else f"{said} {known}"


def describe_added(name: str, role: str, login: str) -> str:
    """Return what has become of letting somebody in."""
    text = _("{name} is in the hub as {role}, with the login {login}.")
    return text.format(name=name, role=role, login=login or name)


def describe_lacking(name: str, login: str) -> str:
    """Return what an administrator has to do before somebody can be let in."""
    text = _(
        "{name} is not added yet: there is no login {login}, and yours may not make one. An administrator "
        "of the server runs this SQL; then add {name} again."
    )
    return text.format(name=name, login=login or name)


def describe_closed(name: str) -> str:
    """Return what has become of letting somebody in no more."""
    text = _(
        "{name} comes in no more; what they judged stays. Their login is the server’s: an administrator "
        "ends it (ALTER ROLE … NOLOGIN)."
    )
    return text.format(name=name)
