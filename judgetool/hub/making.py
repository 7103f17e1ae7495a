"""Making a hub, adding members to it, and bringing it up to date."""

import secrets
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from judgetool.errors import HubRefusal, HubRefusedError, HubTooNewError
from judgetool.hub.connection import HUB_SCHEMA, Hub, Role, find_owner, read_schema
from judgetool.hub.reaching import HubAddress, connect, talking
from judgetool.wording import _

_SCHEMA_DIR = Path(__file__).parent / "schema"
_OLDEST = 15
"""Version of PostgreSQL."""
_LONGEST_S = 3600
_LONGEST_LOGIN = 63
"""Bytes: PostgreSQL cuts what is longer, so that nobody could come in."""


def create_hub(
    address: HubAddress,
    password: str | None = None,
    *,
    project: str,
    title: str,
    scale_hash: str,
    name: str = "",
) -> Hub:
    """Make a project's hub in an empty database; whose login it is leads.

    Args:
        address: of the database.
        password: as of :func:`~judgetool.hub.connection.open_hub`.
        project: uuid of the project.
        title: of the project.
        scale_hash: of its scale.
        name: of the lead in the project; empty for the login's.

    Raises:
        HubOfflineError: the server is not reached.
        HubRefusedError: there is a hub already, the login may not make one, or the server is too old.
    """
    connection = connect(address, password)
    try:
        with _changing(connection, address):
            _refuse_unfit(connection, address)
            _apply(connection, 0)
            connection.execute(
                "INSERT INTO judgetool.hub(schema, project, title, scale_hash) VALUES(%s, %s::uuid, %s, %s)",
                (HUB_SCHEMA, project, title, scale_hash),
            )
            connection.execute(
                "INSERT INTO judgetool.member(name, role, login) "
                "VALUES(coalesce(nullif(%s, ''), session_user), 'lead', session_user)",
                (name,),
            )
        return Hub(connection, address)
    except BaseException:
        connection.close()
        raise


@contextmanager
def _changing(connection: Any, address: HubAddress) -> Iterator[None]:  # noqa: ANN401 - psycopg's
    """Change things of the hub in one transaction, which may take long where there is much."""
    with talking(connection, address, _LONGEST_S), connection.transaction():
        connection.execute(f"SET LOCAL statement_timeout = '{_LONGEST_S}s'")
        yield


def _refuse_unfit(connection: Any, address: HubAddress) -> None:  # noqa: ANN401 - psycopg's
    version = connection.info.server_version // 10_000
    if version < _OLDEST:
        raise HubRefusedError(
            _(
                "The server is PostgreSQL {version}. A hub needs PostgreSQL {oldest} or newer."
            ).format(version=version, oldest=_OLDEST),
            why=HubRefusal.STATE,
        )
    found = connection.execute(
        "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = 'judgetool'"
    ).fetchone()
    if found is None:
        return
    row = connection.execute("SELECT title FROM judgetool.hub").fetchone() if found[0] else None
    sentence = (
        _(
            "There is a hub of the project ‘{title}’ in {address} already. Each project needs a "
            "database of its own."
        )
        if row
        else _("There is a hub in {address} already. Each project needs a database of its own.")
    )
    title = row[0] if row else ""
    raise HubRefusedError(sentence.format(title=title, address=address), why=HubRefusal.STATE)


def _apply(connection: Any, above: int) -> None:  # noqa: ANN401 - psycopg's
    """Bring the schema from a number to the newest."""
    for number in range(above + 1, HUB_SCHEMA + 1):
        connection.execute((_SCHEMA_DIR / f"{number:04}.sql").read_text(encoding="utf-8"))
    connection.execute((_SCHEMA_DIR / "doors.sql").read_text(encoding="utf-8"))


class AddedMember(NamedTuple):
    """What became of adding a member.

    Attributes:
        password: of the login, where it was made; kept nowhere. Empty where there was one.
        for_administrator: SQL that an administrator has to run first, where the login is lacking and we
            may not make it; the member is not added then. Else empty.
        remarks: sentences about what may not be meant so.
    """

    password: str = ""
    for_administrator: str = ""
    remarks: tuple[str, ...] = ()


def add_member(hub: Hub, name: str, role: Role, *, login: str = "") -> AddedMember:
    """Add a member, or give one another role or login.

    Args:
        hub: connected as a lead.
        name: of the member in the project.
        role: what they may do.
        login: role of PostgreSQL; empty for one of the same name. One that is lacking is made.

    Raises:
        HubRefusedError: who is connected is no lead, the login is too long or another member's, or no
            lead would be left.
        HubOfflineError: the connection was lost; nothing was changed.
    """
    from psycopg.sql import SQL, Identifier, Literal  # noqa: PLC0415 - an extra

    login, connection, password = login or name, hub.connection, ""
    if len(login.encode()) > _LONGEST_LOGIN:
        raise HubRefusedError(
            _(
                "The login would be ‘{login}’: PostgreSQL takes {most} bytes, this has {n}. Nothing was "
                "changed. Give {name} a shorter one: --login, or the field Login at the server."
            ).format(login=login, most=_LONGEST_LOGIN, n=len(login.encode()), name=name),
            why=HubRefusal.FORM,
        )
    with _changing(connection, hub.address):
        is_there, is_superuser, may_make = connection.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %(login)s), "
            "EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %(login)s AND rolsuper), "
            "(SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = session_user)",
            {"login": login},
        ).fetchone()
        alike = [
            each.name
            for each in hub.members()
            if each.name != name and each.name.casefold() == name.casefold()
        ]
        if not (is_there or may_make or hub.me.role != "lead"):
            role_name = Identifier(login).as_string(connection)
            return AddedMember(
                for_administrator=f"CREATE ROLE {role_name} LOGIN;\n\\password {role_name}"
            )
        if not is_there and hub.me.role == "lead":
            password = secrets.token_urlsafe(12)
            # Made here, so that no log of the server has the password.
            secret = connection.pgconn.encrypt_password(
                password.encode(), login.encode(), b"scram-sha-256"
            ).decode()
            connection.execute(
                SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(Identifier(login), Literal(secret))
            )
        connection.execute("SELECT judgetool.add_member(%s, %s, %s)", (name, role, login))
    remarks = [
        _(
            "{other} is in the hub as well: that is another member, with judgments of their own."
        ).format(other=other)
        for other in alike
    ]
    if is_superuser:
        remarks.append(
            _(
                "The login {login} is a superuser of the server: whatever its role here, it reads and "
                "changes everything."
            ).format(login=login)
        )
    return AddedMember(password, remarks=tuple(remarks))


def close_member(hub: Hub, name: str) -> None:
    """Let a member do nothing in the hub any more; what they said stays, and so does their login.

    Raises:
        HubRefusedError: who is connected is no lead, nobody of this name may come in, or no lead would be
            left.
        HubOfflineError: the connection was lost; nothing was changed.
    """
    with _changing(hub.connection, hub.address):
        hub.connection.execute("SELECT judgetool.close_member(%s)", (name,))


def upgrade_hub(address: HubAddress, password: str | None = None) -> tuple[int, int]:
    """Bring a hub up to date, in one transaction; who reads or writes meanwhile waits.

    Args:
        address: where it is; its login made the hub, or may do all that its maker may.
        password: as of :func:`~judgetool.hub.connection.open_hub`.

    Returns:
        The number of its schema before and after.

    Raises:
        HubOfflineError: the hub is not reached.
        HubRefusedError: there is none, or the login may not change it.
        HubTooNewError: it is newer than this judgetool.
    """
    connection = connect(address, password)
    try:
        with _changing(connection, address):
            read_schema(connection, address)
            owner, is_mine = find_owner(connection, address)
            if not is_mine:
                raise HubRefusedError(
                    "Only the login that made the hub upgrades it: judgetool hub upgrade "
                    f"{shlex.quote(address.of_login(owner))}",
                    why=HubRefusal.RIGHT,
                )
            before = int(
                connection.execute("SELECT schema FROM judgetool.hub FOR UPDATE").fetchone()[0]
            )
            if before > HUB_SCHEMA:
                raise HubTooNewError(
                    _(
                        "The hub {address} has the schema {before}, this judgetool knows {known}. "
                        "Update judgetool."
                    ).format(address=address, before=before, known=HUB_SCHEMA)
                )
            _apply(connection, before)
            connection.execute("UPDATE judgetool.hub SET schema = %s", (HUB_SCHEMA,))
            return before, HUB_SCHEMA
    finally:
        connection.close()
