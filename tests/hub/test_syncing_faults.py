"""Lines cut, servers and programs killed: what was confirmed is in both places, and each line once."""

import random
import signal
import subprocess
import sys
import threading
from contextlib import closing, suppress

from judgetool.hub.connection import open_hub
from judgetool.hub.reaching import parse_address
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from judgetool.session.team.joining import sync_once
from judgetool.session.team.syncing import Syncing
from tests.helpers.postgres import PASSWORD, Server, Team, make_template
from tests.helpers.proxy import Proxy
from tests.hub.test_syncing import Office, is_long, said
from tests.session.test_merging import sound


def grade_some(session, dice, n=5):
    for _ in range(n):
        session.execute(Say.grade(dice.randrange(2), dice.randrange(1, 5), dice.randrange(4)))


def own_lines(path, who):
    """The names of the lines of what somebody said in a file."""
    with open_project(path, read_only=True) as session:
        return [
            uuid.lower()
            for (uuid,) in session.reader.execute(
                "SELECT hex(e.uuid) FROM events e JOIN assessors USING(assessor_id) WHERE name = ?",
                (who,),
            )
        ]


def lines_there(team, who):
    with team.open("lea") as hub:
        return [
            line.uuid
            for _, line in hub.pull(0, most=10**6).rows
            if line.assessor == who and line.query
        ]


def alike(office, anna):
    """Assert that anna's file, the hub and the lead's file have the same lines, each once."""
    office.sync(anna, "anna")
    office.sync(office.lea, "lea")
    there = lines_there(office.team, "anna")
    assert len(there) == len(set(there))
    assert sorted(there) == sorted(own_lines(anna, "anna")) == sorted(own_lines(office.lea, "anna"))
    assert said(anna) == said(office.lea)
    sound(anna)
    sound(office.lea)


def test_a_line_that_is_cut_delayed_and_halved(team, tmp_path):
    """Every judgment arrives, once, however often the line breaks within a push or a pull."""
    office = Office(team, tmp_path)
    anna, dice = office.join("anna"), random.Random(1)
    n_cut = 0
    with closing(Proxy(team.server.port, 5)) as proxy:

        def through(address, password):
            text = address.text.replace(f":{team.server.port}/", f":{proxy.port}/")
            return open_hub(parse_address(text)[0], password)

        with (
            open_project(anna, assessor="anna") as hers,
            open_project(office.lea, assessor="lea") as leads,
        ):
            for _ in range(200 if is_long() else 12):
                grade_some(hers, dice)
                for session in (hers, leads):
                    with closing(
                        Syncing(session, PASSWORD, at_once=3, open_hub=through)
                    ) as syncing:
                        done = syncing.run(0.0)
                        n_cut += syncing.problem is not None
                        if done.written is not None:
                            session.take_written(done.written)
    assert n_cut
    alike(office, anna)


def test_a_server_that_is_killed_during_pushes(tmp_path):
    """What it confirmed it still has; what it did not is sent again."""
    server = Server(synchronous_commit="on", unix_socket_directories="")
    try:
        team = Team(server, server.make_database(make_template(server)))
        office = Office(team, tmp_path)
        anna, dice = office.join("anna"), random.Random(2)
        with open_project(anna, assessor="anna") as session:
            for _ in range(50 if is_long() else 2):
                grade_some(session, dice, 40)
                with closing(Syncing(session, PASSWORD, at_once=2)) as syncing:
                    pushing = threading.Thread(target=syncing.run, args=(0.0,))
                    pushing.start()
                    pushing.join(dice.random() / 4)
                    server.kill()
                    pushing.join()
                server.start()
        alike(office, anna)
    finally:
        server.stop()


_PULL = """
import sys
from pathlib import Path
from judgetool.session.opening import open_project
from judgetool.session.team.joining import sync_once
with open_project(Path(sys.argv[1]), assessor="lea") as session:
    print("go", flush=True)
    sync_once(session, sys.argv[2], sends=False, at_once=3)
"""


def test_a_program_that_is_killed_during_pulls(team, tmp_path):
    """Its file has some of the lines and knows which; the next pull brings the others."""
    office = Office(team, tmp_path)
    anna, dice = office.join("anna"), random.Random(3)
    for _ in range(50 if is_long() else 2):
        with open_project(anna, assessor="anna") as session:
            grade_some(session, dice, 60)
            sync_once(session, PASSWORD)
        command = [sys.executable, "-c", _PULL, str(office.lea), PASSWORD]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as pulling:
            assert pulling.stdout.readline() == b"go\n"
            with suppress(subprocess.TimeoutExpired):
                pulling.wait(dice.random() / 4)
            pulling.send_signal(signal.SIGKILL)
        sound(office.lea)
    alike(office, anna)
