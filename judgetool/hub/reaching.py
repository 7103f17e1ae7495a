"""Where a hub is, how safely it is reached, talking with it, and saying in words what goes wrong.

An address holds no password: one that stands in a URL goes into the system's keyring, or is
refused. Where there is no keyring it is asked for at each start, or libpq finds it
(``PGPASSFILE``, a service file); judgetool keeps it nowhere else.
"""

import configparser
import ipaddress
import os
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from judgetool.core import override
from judgetool.core.policy import check_network
from judgetool.core.system import POSTGRES_FOLDER, lack_of_extra
from judgetool.errors import HubOfflineError, HubRefusal, HubRefusedError, UsageError
from judgetool.wording import N_, _

EXPECTED = N_("expected postgresql://LOGIN@HOST/DATABASE or service=NAME")
_SERVICE = "judgetool hub"
_SYSTEM_ROOTS = 160_000
"""From this version on libpq knows ``sslrootcert=system``."""


def load_psycopg() -> Any:  # noqa: ANN401 - a module
    """Return the module psycopg.

    Raises:
        UsageError: it is not installed; the sentence says how to install it.
    """
    try:
        import psycopg  # noqa: PLC0415 - loaded when needed: an extra
    except ImportError as problem:
        lack = lack_of_extra(_("A team hub needs"), "psycopg", "hub")
        raise UsageError(lack) from problem
    return psycopg


@dataclass(frozen=True, slots=True)
class HubAddress:
    """Where a hub is, without a password.

    Attributes:
        text: as it is shown and kept: a URL, or ``service=NAME``.
        settings: as libpq takes them; what is safe off this machine is among them.
    """

    text: str
    settings: Mapping[str, str] = field(repr=False, hash=False, compare=False)

    @override
    def __str__(self) -> str:
        """Return the address as it is shown."""
        return self.text

    def of_login(self, login: str) -> str:
        """Return how another login would be told where the same hub is."""
        settings = load_psycopg().conninfo.conninfo_to_dict(self.text)
        return _shown({name: str(value) for name, value in settings.items()} | {"user": login})


def parse_address(text: str) -> tuple[HubAddress, str | None]:
    """Return where a hub is, and the password if one stands there.

    Args:
        text: ``postgresql://LOGIN@HOST:PORT/DATABASE``, with libpq's options after ``?``, or
            ``service=NAME`` and other settings as libpq reads them.

    Raises:
        UsageError: it is no address, or psycopg is not installed.
        HubRefusedError: it asks for less than is safe off this machine.
    """
    psycopg = load_psycopg()
    try:
        settings: dict[str, str] = {
            name: str(value)
            for name, value in psycopg.conninfo.conninfo_to_dict(text.strip()).items()
        }
    except psycopg.ProgrammingError as problem:
        # Not libpq's own words: they repeat what may hold a password.
        raise UsageError(
            _("This is no address of a hub: {expected}.").format(expected=_(EXPECTED))
        ) from problem
    if not settings:
        raise UsageError(
            _("The address of the hub is empty: {expected}.").format(expected=_(EXPECTED))
        )
    password = settings.pop("password", None)
    settings.pop("sslpassword", None)
    return HubAddress(_shown(settings), _secured(psycopg, settings)), password


def _shown(settings: Mapping[str, str]) -> str:
    """Return settings as a text in which the same address always looks the same."""
    from urllib.parse import quote, urlencode  # noqa: PLC0415 - for the address of a hub alone

    rest = dict(settings)
    if "service" in rest or "," in rest.get("host", ""):
        return " ".join(f"{name}={_quoted(rest[name])}" for name in sorted(rest))
    login = quote(rest.pop("user", ""), safe="")
    host = rest.pop("host", "")
    place = quote(host, safe="") if host.startswith("/") else f"[{host}]" if ":" in host else host
    port = rest.pop("port", "")
    database = quote(rest.pop("dbname", ""), safe="")
    start = (
        f"postgresql://{login}{'@' if login else ''}{place}{':' if port else ''}{port}/{database}"
    )
    return f"{start}?{urlencode(sorted(rest.items()), quote_via=quote)}" if rest else start


def _quoted(value: str) -> str:
    if value and not set(value) & set(" '\\"):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _secured(psycopg: ModuleType, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings with which nobody between here and the hub learns or changes anything.

    Raises:
        HubRefusedError: they ask for less.
    """
    known = _libpq_defaults() | _service_settings(settings) | dict(settings)
    # A password is never sent as it is, whatever the server asks for.
    secured = {"require_auth": "!password,!md5"} | dict(settings)
    hosts = (known.get("hostaddr") or known.get("host") or "").split(",")
    if all(map(_is_here, hosts)):
        return secured
    asked = known.get("sslmode")
    if asked not in (None, "verify-full"):
        raise HubRefusedError(
            _(
                "The hub on {host} would be reached with sslmode={asked}, which does not show "
                "whether it is the right server. Give sslmode=verify-full, or leave sslmode "
                "out."
            ).format(host=hosts[0], asked=asked),
            why=HubRefusal.SECURITY,
        )
    secured["sslmode"] = "verify-full"
    has_roots = "sslrootcert" in known or (Path.home() / ".postgresql" / "root.crt").exists()
    if not has_roots and psycopg.pq.version() >= _SYSTEM_ROOTS:
        secured["sslrootcert"] = "system"
    return secured


def _is_here(host: str) -> bool:
    """Whether a host is this machine: no name, a folder with a socket, or a loopback address."""
    if not host or host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


_VARIABLES = {
    "host": "PGHOST",
    "hostaddr": "PGHOSTADDR",
    "service": "PGSERVICE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
}


def _libpq_defaults() -> dict[str, str]:
    """Return what libpq takes from the environment, and the service file where that names one."""
    said = {name: os.environ[key] for name, key in _VARIABLES.items() if os.environ.get(key)}
    return _service_settings(said) | said


def _service_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return what the service file says of the service that settings name.

    Raises:
        HubRefusedError: it cannot be read.
    """
    if "service" not in settings:
        return {}
    places = [
        os.environ.get("PGSERVICEFILE") or str(Path.home() / ".pg_service.conf"),
        str(Path(os.environ.get("PGSYSCONFDIR", POSTGRES_FOLDER)) / "pg_service.conf"),
    ]
    for place in places:
        parser = configparser.RawConfigParser(
            comment_prefixes=("#",), delimiters=("=",), strict=False
        )
        try:
            parser.read(place, encoding="utf-8")
        except (configparser.Error, ValueError, OSError) as problem:
            raise HubRefusedError(
                _("The service file {place} cannot be read.").format(place=place),
                why=HubRefusal.SECURITY,
            ) from problem
        if parser.has_section(settings["service"]):
            return dict(parser.items(settings["service"]))
    return {}


# Passwords


def _keyring() -> Any:  # noqa: ANN401 - a module
    """Return the keyring, or ``None`` where there is none that keeps anything."""
    try:
        import keyring  # noqa: PLC0415 - loaded when needed: an extra
        from keyring.backends import fail, null  # noqa: PLC0415 - likewise
    except ImportError:
        return None
    backend = keyring.get_keyring()
    return None if isinstance(backend, fail.Keyring | null.Keyring) else keyring


def has_keyring() -> bool:
    """Whether the system keeps passwords for judgetool."""
    return _keyring() is not None


def find_password(address: HubAddress) -> str | None:
    """Return the password that the keyring has for an address; ``None`` for none, or no keyring."""
    keyring = _keyring()
    if keyring is None:
        return None
    try:
        found = keyring.get_password(_SERVICE, address.text)
    except keyring.errors.KeyringError:
        return None
    return None if found is None else str(found)


def keep_password(address: HubAddress, password: str) -> bool:
    """Keep a password in the keyring; return whether there is one that took it."""
    keyring = _keyring()
    if keyring is None:
        return False
    try:
        keyring.set_password(_SERVICE, address.text, password)
    except keyring.errors.KeyringError:
        return False
    return True


def take_address(text: str) -> tuple[HubAddress, str]:
    """Return where a hub is, and what to say: that a password of the URL went into the keyring.

    Raises:
        UsageError: as :func:`parse_address`; or it holds a password and there is no keyring.
        HubRefusedError: as :func:`parse_address`.
    """
    address, password = parse_address(text)
    if password is None:
        return address, ""
    if keep_password(address, password):
        said = _("The password is in the system’s keyring now; {address} does without it.").format(
            address=address.text
        )
        return address, said
    raise UsageError(
        _(
            "A password must not stand in the address: other people’s programs can read it "
            "there, and this system has no keyring that would take it. Give {address}; the "
            "password is asked for, or found in the file that PGPASSFILE names."
        ).format(address=address.text)
    )


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
    with talking(connection, address):
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
def talking(connection: Any, address: HubAddress, seconds: float = ANSWER_S + 5) -> Iterator[None]:  # noqa: ANN401 - psycopg's
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
