"""``judgetool hub``: made, members added, brought up to date; what is lacking is said."""

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from judgetool.session.opening import open_project
from judgetool.storage.hub_lines import begin_mark
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
    assert "lines and 1 file." in made.out.splitlines()[1]
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
    assert joined.out == f"Made {path}: 0 queries, 0 documents, 0 runs, 0 judgments.\n"
    queries = tmp_path / "queries.tsv"
    queries.write_text("q1\tcold soup\n")
    must("import", path, "--queries", queries)
    assert "to send: 0\nfetched up to: 0\nsteps to send: 1\n" in must("hub", "status", path).out
    assert must("hub", "push", path).out == "Sent 0 lines and 1 file.\n"
    assert must("hub", "push", path).out == "Sent 0 lines.\n"
    assert "steps to send: 0\n" in must("hub", "status", path).out
    joined = must("hub", "join", anna, hers, "--assessor", "anna")
    assert joined.out == f"Made {hers}: 1 query, 0 documents, 0 runs, 0 judgments.\n"
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


def test_what_is_judged_under_another_name_is_said_to_stay(team, url, tmp_path):
    """By the command, by status and by push; a lead is refused, as that would be sent as somebody else's."""
    files = {}
    for who in ("lea", "anna", "rita"):
        files[who] = tmp_path / f"{who}.judge"
        must("hub", "join", team.server.url(team.database, who), files[who], "--assessor", who)
    must("hub", "push", files["lea"])
    for who, name, words in (
        ("anna", "eve", "What you judge as ‘eve’ is not sent: it stays in this file."),
        ("rita", "rita", "rita is a reader in the team’s hub"),
    ):
        judged = must("judge", files[who], "--assessor", name, stdin="q1\tr1\t2\nq1\tr2\t0\n")
        assert words in judged.err
        looked = must("hub", "status", files[who])
        assert "to send: 0\n" in looked.out
        assert "stay here: 2\n" in looked.out
        pushed = must("hub", "push", files[who])
        assert pushed.out == "Sent 0 lines.\n"
        assert "2 judgments in this file" in pushed.err
        assert pushed.err in looked.err
    assert must("judge", files["anna"], "--assessor", "anna", stdin="q1\tr1\t2\n").err == ""
    assert must("hub", "push", files["anna"]).out == "Sent 1 line.\n"
    refused = call("judge", files["lea"], "--assessor", "anna", stdin="q1\tr1\t0\n")
    assert (refused.code, refused.out) == (1, "")
    assert "You are ‘lea’ in the team’s hub" in refused.err


def test_offered_taken_released_and_let_in_no_more(team, url, tmp_path):
    """A lead asks everybody; an assessor takes some, sees what is released, and in the end comes in no more."""
    lead, anna = (team.server.url(team.database, login) for login in ("lea", "anna"))
    path, hers, queries = tmp_path / "lea.judge", tmp_path / "anna.judge", tmp_path / "queries.tsv"
    must("hub", "join", lead, path, "--assessor", "lea")
    queries.write_text("q1\tcold soup\nq2\twarm soup\n")
    (tmp_path / "run").write_text(
        "".join(f"q{n // 3 + 1} Q0 r{n} {n % 3 + 1} {9 - n} a\n" for n in range(6))
    )
    must("import", path, "--queries", queries, "--run", tmp_path / "run")
    must("judge", path, "--assessor", "lea", stdin="q2\tr3\t2\n")
    said = must("hub", "offer", path).out
    assert said == "Everybody is asked for 5 judgments more, of 6 documents to be judged.\n"
    must("hub", "join", anna, hers, "--assessor", "anna")
    assert must("hub", "claim", hers).out == ""
    assert must("hub", "claim", hers, "--take", "4").out.startswith(
        "4 documents are yours to judge until 2"
    )
    assert [line.split("\t")[:2] for line in must("hub", "claim", hers).out.splitlines()] == [
        ["q1", "r0"], ["q1", "r1"], ["q1", "r2"], ["q2", "r4"],
    ]  # fmt: skip
    assert "taken: 4\n" in must("hub", "status", hers).out
    assert must("hub", "claim", hers, "--take", "4").out.endswith(" No more are left.\n")
    assert must("hub", "claim", hers, "--give-back").out.startswith("Gave back 5 documents")
    assert must("hub", "offer", path, "--take-back").out.startswith(
        "Nobody is asked any more for 5 "
    )
    assert must("hub", "claim", hers, "--take", "4").out.startswith("Nothing is left to take")
    assert "q2\tr3\tlea" not in must("show", hers, "--judgments").out
    assert "judgments of 1 query from" in must("hub", "release", path, "--query", "q2").out
    assert must("hub", "release", hers).out == "q2\n"
    must("hub", "pull", hers)
    assert "q2\tr3\tlea\t2" in must("show", hers, "--judgments").out
    assert "1 was released before." in must("hub", "release", path, "--where", "").out
    for code, words, arguments in (
        (1, "anna has the role assessor", ("release", hers, "--query", "q1")),
        (1, "no query ‘q9’", ("release", path, "--query", "q9")),
        (1, "anna has the role assessor", ("offer", hers)),
        (1, "anna has the role assessor", ("close", anna, "lea")),
        (2, "Either --take or", ("claim", hers, "--take", "1", "--give-back")),
    ):
        found = call("hub", *arguments)
        assert (found.code, words in found.err) == (code, True), found
    assert must("hub", "close", lead, "anna").out.startswith("anna comes in no more")
    assert "is no member of the hub" in call("hub", "pull", hers).err


def test_a_hub_made_anew_has_its_lead_and_releases(url, postgres, tmp_path):
    """By the lead's file: the name that it knows, and what everybody may read; what is lost is said."""
    path = sample_project(tmp_path / "recipes.judge")
    must("hub", "create", url, path, "--assessor", "Lea")
    must("hub", "release", path, "--query", "1", "--query", "5")
    with postgres.connect(url.rpartition("/")[2]) as connection:
        connection.execute("DROP SCHEMA judgetool CASCADE")
    assert "There is no hub in" in call("hub", "push", path).err
    made = must("hub", "create", url, path)
    assert made.out.splitlines()[0] == f"Made the hub {url}, which Lea leads."
    assert "Let somebody in… and Ask everybody… say it again" in made.err
    assert must("hub", "release", path).out == "1\n5\n"


def test_what_does_not_travel_is_said_where_it_is_and_where_it_lacks(team, url, tmp_path):
    """An assessor's own queries and documents stay in their file; the lead is told of what came of them."""
    lead, anna = (team.server.url(team.database, login) for login in ("lea", "anna"))
    path, hers, queries = tmp_path / "lea.judge", tmp_path / "anna.judge", tmp_path / "queries.tsv"
    must("hub", "join", lead, path, "--assessor", "lea")
    queries.write_text("q1\tcold soup\n")
    (tmp_path / "run").write_text("q1 Q0 r1 1 9 a\n")
    must("import", path, "--queries", queries, "--run", tmp_path / "run")
    must("hub", "push", path)
    must("hub", "join", anna, hers, "--assessor", "anna")
    assert "steps that stay here: 0\n" in must("hub", "status", hers).out
    queries.write_text("q2\twarm soup\n")
    assert "was made here and stays in this file" in must("import", hers, "--queries", queries).err
    must("judge", hers, "--assessor", "anna", stdin="q2\tr1\t2\nq1\tr1\t1\nq1\tr9\t0\n")
    must("hub", "push", hers)
    assert "steps that stay here: 1\n" in must("hub", "status", hers).out
    assert "unknown" not in must("hub", "status", path).out
    must("hub", "pull", path)
    looked = must("hub", "status", path)
    assert "judgments of unknown queries: 1\ndocuments without run or text: 1\n" in looked.out
    assert "1 judgment came about a query that this project lacks" in looked.err
    must("import", path, "--queries", queries)
    assert "judgments of unknown queries: 0\n" in must("hub", "status", path).out


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
    assert "then add emil again" in found.err


def test_what_is_wrong_is_said(team, url, tmp_path, monkeypatch):
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
    path = tmp_path / "anna.judge"
    must("hub", "join", anna, path, "--assessor", "anna")
    Path(os.environ["PGPASSFILE"]).write_text("*:*:*:*:wrong\n")
    found = call("hub", "status", path, "--format", "json")
    assert json.loads(found.out)["you"] == "anna"
    assert (
        f"does not accept the password in {os.environ['PGPASSFILE']}. Nobody is there" in found.err
    )
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
