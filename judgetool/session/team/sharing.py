"""What a team shares through its hub: documents that whoever comes judges, and released queries."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np

from judgetool.core.clock import moment_text
from judgetool.core.number_text import number_of
from judgetool.hub.events import HubClaim
from judgetool.session.comparing.subsets import queries_where
from judgetool.session.session import Session
from judgetool.session.team.asking import Pair, find_standing_asks, pool_pairs
from judgetool.wording import _

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
    return f"{datetime.fromtimestamp(until_ms / 1000).astimezone():%Y-%m-%d %H:%M}"


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
