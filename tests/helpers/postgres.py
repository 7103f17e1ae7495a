"""A real PostgreSQL of the tests' own: on a port of this machine, in a temporary folder."""

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg

from judgetool.hub.connection import HubEvent, open_hub
from judgetool.hub.making import create_hub
from judgetool.hub.reaching import parse_address

REQUIRED = "JUDGETOOL_NEEDS_POSTGRES"
"""Set where a missing server is a failure."""
NO_SERVER = (
    "there is no PostgreSQL 15 or newer on this machine (Debian: apt-get install postgresql)"
)
ADMINISTRATOR = "admin"
PASSWORD = "open sesame"
_HBA = "host all all 127.0.0.1/32 scram-sha-256\n"
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "60",
}
# Stops the server and removes what it wrote, once nothing holds its input any more.
_WATCH = 'read _; "$0" -D "$1" -w -m immediate stop; rm -rf "$2"'


def find_programs():
    """Return the folder with pg_ctl of the newest PostgreSQL here, or None."""
    places = [Path(each).parent for each in [shutil.which("pg_ctl")] if each]
    places += Path("/usr/lib/postgresql").glob("*/bin")
    found = {}
    for place in places:
        if (place / "initdb").exists():
            told = subprocess.run(
                [place / "postgres", "-V"], capture_output=True, text=True, check=True
            )
            found[int(told.stdout.split()[2].partition(".")[0])] = place
    return found[max(found)] if found and max(found) >= 15 else None


def _children(parent):
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(path.parent.name))
    return found


def _is_alive(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


class Server:
    """A server that runs.

    With a certificate (a path without .crt and .key) it lets in whoever encrypts, from anywhere.
    """

    def __init__(self, *, certificate=None, **settings):
        self._programs = find_programs()
        self._top = Path(tempfile.mkdtemp(prefix="judgetool-pg-"))
        # initdb and postgres refuse root.
        self._user = (
            {"user": "postgres", "group": "postgres", "extra_groups": []} if not os.getuid() else {}
        )
        if self._user:
            shutil.chown(self._top, "postgres")
        self.folder, self.log = self._top / "data", self._top / "log"
        secret = self._top / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        self._run(
            "initdb", "--no-sync", "-D", self.folder, "-U", ADMINISTRATOR, f"--pwfile={secret}",
            "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C",
        )  # fmt: skip
        (self.folder / "pg_hba.conf").write_text(_HBA)
        if certificate:
            (self.folder / "pg_hba.conf").write_text(f"{_HBA}hostssl all all all scram-sha-256\n")
            settings["ssl"] = "on"
            for name in ("crt", "key"):
                path = Path(
                    shutil.copy(certificate.with_suffix(f".{name}"), self.folder / f"server.{name}")
                )
                path.chmod(0o600)
                if self._user:
                    shutil.chown(path, "postgres")
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        said = {
            **_SETTINGS,
            "unix_socket_directories": str(self._top),
            "port": self.port,
            **settings,
        }
        with (self.folder / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in said.items())
        self._names = itertools.count(1)
        # However this process ends, the pipe to this one ends with it.
        self._watch = subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, self._programs / "pg_ctl", self.folder, self._top],
            **self._user, cwd="/", stdin=subprocess.PIPE, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.start()

    def _run(self, program, *words):
        done = subprocess.run(
            [self._programs / program, *words],
            **self._user, cwd=self._top, env={**os.environ, "LC_ALL": "C"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self):
        """Start it and wait until it answers."""
        command = [self._programs / "pg_ctl", "-D", self.folder, "-w", "-l", self.log, "start"]
        done = subprocess.run(
            command, **self._user, cwd=self._top, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, self.log.read_text()

    @property
    def pid(self):
        """Of the server's first process."""
        return int((self.folder / "postmaster.pid").read_text().splitlines()[0])

    def kill(self):
        """End all of it as a power cut would; `start` recovers it."""
        first = self.pid
        all_of_it = (first, *_children(first))
        for pid in all_of_it:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in all_of_it:
            while _is_alive(pid):
                os.sched_yield()
        # Where nobody reaps it, its number goes on looking like that of a server that runs.
        (self.folder / "postmaster.pid").unlink()

    def stop(self):
        """Stop it and remove what it wrote."""
        with self._watch:
            self._watch.stdin.close()

    def url(self, database, login=ADMINISTRATOR):
        """Return an address for a login, without its password."""
        return f"postgresql://{login}@127.0.0.1:{self.port}/{database}"

    def connect(self, database="postgres", login=ADMINISTRATOR, password=PASSWORD):
        """Return a connection of psycopg, as psql would make it."""
        return psycopg.connect(self.url(database, login), password=password, autocommit=True)

    def make_database(self, template="template1"):
        """Make a database as a copy of another one; return its name."""
        name = f"hub{next(self._names)}"
        with self.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return name

    def drop_database(self, name):
        """Remove a database, whoever is connected."""
        with self.connect() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def drop_login(self, name, database):
        """Remove a login that has rights in one database."""
        with self.connect(database) as connection:
            connection.execute(f'DROP OWNED BY "{name}"; DROP ROLE "{name}"')


PROJECT = "6f1c1f5e-0000-4000-8000-000000000001"
SCALE = "scale-1"
PEOPLE = {"lea": "lead", "anna": "assessor", "ben": "assessor", "rita": "reader"}
STRANGER = "vera"


class Team:
    """A hub in a database of its own: lea leads, anna and ben judge, rita reads; vera is a stranger."""

    def __init__(self, server, database):
        self.server, self.database = server, database

    def address(self, login):
        """Return where somebody finds the hub."""
        return parse_address(self.server.url(self.database, login))[0]

    def open(self, login):
        """Connect somebody."""
        return open_hub(self.address(login), PASSWORD)

    def psql(self, login):
        """Return a connection with which somebody may try any statement."""
        return self.server.connect(self.database, login)


def make_template(server):
    """Make the logins, and a database with a hub that others are copied from; return its name."""
    with server.connect() as connection:
        for login in (*PEOPLE, STRANGER):
            connection.execute(f"CREATE ROLE {login} LOGIN PASSWORD '{PASSWORD}'")
    name = server.make_database()
    address = parse_address(server.url(name))[0]
    facts = {"project": PROJECT, "title": "Recipes", "scale_hash": SCALE}
    with create_hub(address, PASSWORD, **facts) as hub:
        for login, role in PEOPLE.items():
            hub.connection.execute("SELECT judgetool.add_member(%s, %s, %s)", (login, role, login))
    return name


_numbers = itertools.count(1)


def judgment(assessor, query="1", document="r001", grade=2, **other):
    """Return a line that says a grade."""
    uuid = other.pop("uuid", f"{next(_numbers):032x}")
    kind = other.pop("kind", "judgment")
    return HubEvent(
        uuid,
        kind,
        assessor,
        query,
        document,
        1_700_000_000_000,
        body={"grade": grade, "after": '{"state": "judged"}'},
        **other,
    )
