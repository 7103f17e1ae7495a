"""``judgetool hub``: made, members added, brought up to date; what is lacking is said."""

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from functools import partial

import pytest

from judgetool.session.opening import open_project
from judgetool.storage.hub_unsent import begin_mark
from tests.helpers.postgres import PASSWORD
from tests.helpers.program import call, must, sample_project

BLOCKED = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("psycopg", "keyring"):
            raise ImportError(f"{name} is not here")

sys.meta_path.insert(0, Refuse())
from judgetool.cli.main import run
sys.exit(run(["hub", "add", "postgresql://anna@localhost/recipes", "ben"]))
"""


@pytest.fixture
def url(postgres, tmp_path, monkeypatch):
    """The address of an empty database, with its password where libpq looks."""
    (tmp_path / "passwords").write_text(f"127.0.0.1:*:*:*:{PASSWORD}\n")
    (tmp_path / "passwords").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "passwords"))
    name = postgres.make_database()
    yield postgres.url(name)
    postgres.drop_database(name)


def test_from_an_empty_database_to_a_member(url, postgres, tmp_path):
    """It is made once, says what it sent, and prints a new login's password."""
    path = sample_project(tmp_path / "recipes.judge")
    made = must("hub", "create", url, path, "--assessor", "Lea")
    assert made.out.splitlines()[0] == f"Made the hub {url}, which Lea leads."
    assert "lines." in made.out.splitlines()[1]
    assert "who looks after the server can read them" in made.out
    again = call("hub", "create", url, path)
    assert again.code == 1
    assert "already. Each project needs a database of its own." in again.err
    login = url.rpartition("/")[2]
    added = must("hub", "add", url, "ben", "--role", "assessor", "--login", login)
    assert added.out.splitlines()[0] == f"ben is in the hub as assessor, with the login {login}."
    with postgres.connect(
        login, login, added.out.split("password is ")[1].split()[0]
    ) as connection:
        assert connection.execute("SELECT name FROM judgetool.member").fetchall() == [("ben",)]
    assert "is up to date: schema" in must("hub", "upgrade", url).out
    postgres.drop_login(login, login)


def test_joined_pushed_pulled_and_looked_at(team, url, tmp_path):
    """What an assessor's file sends the lead's file fetches; the commands say how much."""
    lead, anna = (team.server.url(team.database, login) for login in ("lea", "anna"))
    path, hers = tmp_path / "lea.judge", tmp_path / "anna.judge"
    joined = must("hub", "join", lead, path, "--assessor", "lea")
    assert joined.out == f"Made {path}: 0 lines.\n"
    queries = tmp_path / "queries.tsv"
    queries.write_text("q1\tcold soup\n")
    must("import", path, "--queries", queries)
    assert must("hub", "push", path).out == "Sent 0 lines.\n"
    joined = must("hub", "join", anna, hers, "--assessor", "anna")
    assert joined.out == f"Made {hers}: 0 lines and 1 file.\n"
    must("judge", hers, "--assessor", "anna", stdin="q1\tr1\t2\nq1\tr2\t0\n")
    assert "to send: 2\n" in must("hub", "status", hers).out
    assert must("hub", "push", hers).out == "Sent 2 lines.\n"
    assert must("hub", "pull", path).out == "Fetched 2 lines.\n"
    assert "q1\tr1\tanna\t2" in must("show", path, "--judgments").out
    said = json.loads(must("hub", "status", hers, "--format", "json").out)
    assert (said["hub"], said["you"], said["role"], said["to_send"]) == (
        anna,
        "anna",
        "assessor",
        0,
    )
    assert said["lines_there"] == said["fetched_up_to"]


def test_what_belongs_to_no_hub_is_said(url, tmp_path):
    """Also a hub that is not reached, with what is known without it."""
    path = tmp_path / "new.judge"
    must("new", path)
    for word in ("push", "pull", "status"):
        found = call("hub", word, path)
        assert found.code == 1
        assert "belongs to no hub" in found.err
    must("hub", "create", url, path)
    with open_project(path) as session:
        session.write(partial(begin_mark, url="postgresql://anna@127.0.0.1:1/hub", at=0))
    found = call("hub", "status", path)
    assert (found.code, "to send: 0" in found.out, "is not reached" in found.err) == (1, True, True)


def test_a_lead_who_may_make_no_logins_gets_the_sql(team, url):
    """On standard output, to be handed on; the command says again what to do, and ends with 1."""
    found = call("hub", "add", team.server.url(team.database, "lea"), "emil", "--role", "reader")
    assert (found.code, found.out) == (1, 'CREATE ROLE "emil" LOGIN;\n\\password "emil"\n')
    assert "emil is not added yet" in found.err
    assert "then say the same again" in found.err


def test_what_is_wrong_is_said(team, url, monkeypatch):
    """No address, no hub, no right, no password: exit codes as everywhere."""
    anna = team.server.url(team.database, "anna")
    for code, words, arguments in (
        (2, "expected postgresql://LOGIN@HOST/DATABASE", ("add", "recipes", "ben")),
        (
            2,
            "A password must not stand in the address",
            ("add", "postgresql://a:b@localhost/x", "ben"),
        ),
        (1, "sslmode=prefer", ("add", "postgresql://a@example.org/x?sslmode=prefer", "ben")),
        (1, "There is no hub in", ("add", url, "ben")),
        (1, "anna has the role assessor", ("add", anna, "ben")),
        (2, "boss", ("add", anna, "ben", "--role", "boss")),
        (2, "", ("delete",)),
    ):
        found = call("hub", *arguments)
        assert (found.code, found.out) == (code, ""), found
        assert words in found.err
    monkeypatch.delenv("PGPASSFILE")
    found = call("hub", "add", anna, "ben")
    assert found.code == 1
    assert "asks for a password. Nobody is there to be asked" in found.err


def test_without_a_keyring_the_password_is_asked_for(team, own_home):
    """By whoever sits at the terminal, each time; it is kept nowhere."""
    command = [
        "judgetool",
        "hub",
        "add",
        team.server.url(team.database, "lea"),
        "vera",
        "--role",
        "reader",
    ]
    for _ in range(2):
        pid, terminal = pty.fork()
        if not pid:
            os.execv(sys.executable, [sys.executable, "-m", *command])
        with os.fdopen(terminal, "r+b", buffering=0) as line:
            said = b""
            while b"Password for" not in said:
                said += line.read(4096)
            line.write(PASSWORD.encode() + b"\n")
            # Its end is an error of the terminal.
            with suppress(OSError):
                while more := line.read(4096):
                    said += more
        assert os.waitpid(pid, 0)[1] == 0, said
        assert b"vera is in the hub as reader" in said
        assert PASSWORD.encode() not in said
    kept = [path for path in own_home.rglob("*") if path.is_file()]
    assert not any(PASSWORD.encode() in path.read_bytes() for path in kept)


def test_without_psycopg_it_says_what_to_install():
    """The hub is an extra: everything else works without it."""
    found = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=False, env=os.environ
    )
    assert found.returncode == 2
    assert "install 'judgetool[hub]'" in found.stderr
    assert "Traceback" not in found.stderr
