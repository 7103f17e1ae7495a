"""Where a hub is, how safely it is reached, and where its password is kept.

An address holds no password: one that stands in a URL goes into the system's keyring, or is refused.
Where there is no keyring it is asked for at each start, or libpq finds it (``PGPASSFILE``, a service
file); judgetool keeps it nowhere else.
"""

import configparser
import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from judgetool.core.override import override
from judgetool.core.system import POSTGRES_FOLDER, lack_of_extra
from judgetool.errors import HubRefusal, HubRefusedError, UsageError
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
