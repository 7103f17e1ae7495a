"""Reaching a hub's database, talking with it for so long at most, and saying in words what goes wrong."""

import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from judgetool.core.policy import check_network
from judgetool.errors import HubOfflineError, HubRefusal, HubRefusedError
from judgetool.hub.address import HubAddress, find_password, load_psycopg
from judgetool.wording import N_, _

_CONNECT_S = 20
"""Logging in takes four answers, and a hub that gives each after seconds is reached all the same."""
ANSWER_S = 60
"""So long the hub may take for one thing; then the connection is given up."""
_SETTINGS = {
    "connect_timeout": str(_CONNECT_S),
    "tcp_user_timeout": "20000",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "application_name": "judgetool",
    "client_encoding": "UTF8",
}
_ON_SERVER = (
    f"SET statement_timeout = '{ANSWER_S}s'; SET lock_timeout = '30s'; "
    # Compiling a plan takes a second, which no answer of a hub is worth.
    f"SET idle_in_transaction_session_timeout = '{ANSWER_S}s'; SET jit = off"
)
_REFUSALS = {
    "JT001": HubRefusal.STRANGER,
    "JT002": HubRefusal.RIGHT,
    "JT003": HubRefusal.SCALE,
    "JT004": HubRefusal.FORM,
    "42501": HubRefusal.RIGHT,
}
HUB_SENTENCES = (
    N_("What is in the hub is neither changed nor deleted."),
    N_("The login {login} is no member of this hub."),
    N_("{name} has the role {role} in this hub, and may not do this."),
    N_("Only a lead changes the scale."),
    N_("{name} may not write in the name of {other}."),
    N_("{name} may not write lines of the kind {kind}."),
    N_("The scale in the hub is another one."),
    N_("What was sent is not as it has to be: {why}"),
    N_("Parts of the bundle {name} are missing."),
    N_("A hub needs a lead: make somebody else one first."),
    N_("Nobody who may come in is called {name}."),
    N_("The login {login} is another member’s."),
    N_("There is no role {role} (lead, assessor, reader), or the name is empty."),
)
"""What the functions of a hub say (``schema/``): it knows one language, its members several."""


def connect(address: HubAddress, password: str | None = None) -> Any:  # noqa: ANN401 - psycopg's
    """Return a connection to a database that may hold a hub, as :func:`open_hub`."""
    check_network(_("The team’s hub"))
    psycopg = load_psycopg()
    known = find_password(address) if password is None else password
    secret = {} if known is None else {"password": known}
    try:
        connection = psycopg.connect(**{**_SETTINGS, **address.settings, **secret}, autocommit=True)
    except psycopg.Error as problem:
        raise _why_not_connected(problem, address, has_password=known is not None) from problem
    with spoken(connection, address):
        connection.execute(_ON_SERVER)
    connection.adapters.register_loader("uuid", _hex_loader(psycopg))
    return connection


def _hex_loader(psycopg: Any) -> Any:  # noqa: ANN401 - psycopg's
    """Return what makes a uuid of a binary answer its 32 digits."""

    class HexLoader(psycopg.adapt.Loader):  # type: ignore[misc]
        format = psycopg.pq.Format.BINARY

        def load(self, data: Any) -> str:  # noqa: ANN401 - as psycopg calls it
            return bytes(data).hex()

    return HexLoader


def _why_not_connected(
    problem: Exception, address: HubAddress, *, has_password: bool
) -> HubOfflineError | HubRefusedError:
    """Return what to raise for a connection that was not made."""
    text = str(problem)
    # Nothing else tells before a connection stands; what is not known here may be over later.
    why = next((why for words, why in _NOT_CONNECTED.items() if words in text), None)
    if why is None:
        return HubOfflineError(
            _("The hub {address} is not reached: {reason}").format(
                address=address, reason=_reason(text)
            )
        )
    kept = re.search('password retrieved from file "(.+?)"', text)
    if why is HubRefusal.PASSWORD:
        if "no password supplied" in text:
            said = _("The hub {address} asks for a password.")
        elif kept:
            said = _("The hub {address} does not accept the password in {file}.")
        elif has_password:
            said = _("The hub {address} does not accept this password.")
        else:
            said = _("The hub {address} does not accept this login.")
    elif why is HubRefusal.SECURITY:
        said = _("The hub {address} is not reached safely: {reason}")
        if "certificate verify failed" in text:
            said += " " + _(
                "The authority that signed the server’s certificate is looked for in "
                "~/.postgresql/root.crt, or in the file that sslrootcert in the address names; else "
                "among those of the system."
            )
    else:
        said = _("The hub {address} cannot be used: {reason}")
    file = kept[1] if kept else ""
    return HubRefusedError(said.format(address=address, reason=_reason(text), file=file), why=why)


_NOT_CONNECTED = {
    "no password supplied": HubRefusal.PASSWORD,
    "authentication failed": HubRefusal.PASSWORD,
    "certificate": HubRefusal.SECURITY,
    "SSL": HubRefusal.SECURITY,
    "authentication method requirement": HubRefusal.SECURITY,
    "permission denied for database": HubRefusal.STRANGER,
    "is not permitted to log in": HubRefusal.STRANGER,
    "no pg_hba.conf entry": HubRefusal.STATE,
    '" does not exist': HubRefusal.STATE,
}


def _reason(text: str) -> str:
    """Return what PostgreSQL says is the matter, as a sentence: of several attempts that of the first."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), _("it said nothing"))
    found = re.split(r"FATAL: +|(?:port \d+|socket \S+) failed: ", first)[-1]
    return found if found.endswith(".") else f"{found}."


@contextmanager
def spoken(connection: Any, address: HubAddress, seconds: float = ANSWER_S + 5) -> Iterator[None]:  # noqa: ANN401 - psycopg's
    """Talk with the hub for so long at most, and say in our words what goes wrong.

    Raises:
        HubOfflineError: the connection was lost, or there was no answer in time.
        HubRefusedError: the hub refused.
    """
    psycopg = load_psycopg()
    # libpq waits for an answer for ever where the network swallows it.
    timer = (
        threading.Timer(seconds, _hang_up, (connection.fileno(),))
        if not connection.closed
        else None
    )
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield
    except psycopg.Error as problem:
        raise _why_failed(problem, connection, address) from problem
    finally:
        if timer is not None:
            timer.cancel()


def _hang_up(number: int) -> None:
    with suppress(OSError):
        line = socket.socket(fileno=number)
        try:
            line.shutdown(socket.SHUT_RDWR)
        finally:
            line.detach()


def _translated(said: str) -> str:
    """Return what a hub says in the language of who reads it; what PostgreSQL says stays as it is."""
    for sentence in HUB_SENTENCES:
        # The functions have the plain apostrophe, as SQL does.
        written = re.escape(sentence).replace("’", "['’]")
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", written)
        if found := re.fullmatch(pattern, said):
            return _(sentence).format(**found.groupdict())
    return said if said.endswith(".") else f"{said}."


def _why_failed(
    problem: Any,  # noqa: ANN401 - psycopg's
    connection: Any,  # noqa: ANN401 - likewise
    address: HubAddress,
) -> Exception:
    """Return what to raise for an error of psycopg; what is a fault of ours stays as it is."""
    code = problem.sqlstate or ""
    said = problem.diag.message_primary or ""
    if code in _REFUSALS:
        words = _("The hub refused: {why}").format(why=_translated(said))
        return HubRefusedError(words, why=_REFUSALS[code])
    if code[:2] in ("22", "23", "54"):
        words = _("The hub refused: What was sent is not as it has to be: {why}")
        return HubRefusedError(words.format(why=_reason(said)), why=HubRefusal.FORM)
    # 08 connections, 25P02/25P03 left alone too long, 40 collisions, 53 resources, 55P03 locks, 57 ended.
    is_passing = code[:2] in ("08", "40", "53", "57") or code in ("55P03", "25P03", "25006")
    if is_passing or connection.closed or not code:
        reason = _reason(said or str(problem))
        return HubOfflineError(
            _("The hub {address} does not answer: {reason}").format(address=address, reason=reason)
        )
    assert isinstance(problem, Exception)
    return problem
