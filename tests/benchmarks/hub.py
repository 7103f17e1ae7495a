"""A hub under load: a real server of its own, with fsync, on this machine; figures are printed.

    python -m tests.benchmarks hub [--assessors 20] [--seconds 10] [--events 100000]

Assessors say one judgment in two seconds each, through a connection each (``hub_people``, in two
processes). What a push takes is measured where it is sent, with all that this machine has to do for
both sides; and in the server, which logs how long it was busy with each, or waited for its turn.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import quantiles

from judgetool.session.opening import open_project
from judgetool.session.team.joining import join_hub
from judgetool.session.team.syncing import Syncing
from tests.benchmarks.hub_people import EVERY_S
from tests.helpers.postgres import PASSWORD, SCALE, Server, Team, judgment, make_template

_PROCESSES = 2
_FEW, _MANY = 100_000, 1_000_000
_START = 1_700_000_000_000
_FILL = """
INSERT INTO judgetool.event(seq, at, uuid, kind, assessor, query, document, parents, body)
SELECT n, 1700000000000 + n, (lpad(to_hex(1700000000000 + n), 12, '0') || '7' || left(md5(n::text), 3)
    || '8' || substr(md5(n::text), 4, 15))::uuid, 'judgment', 'assessor ' || mod(n, 30), 'query ' || mod(n, 5000),
  'document ' || n / 5000, '', %s
FROM generate_series(%s::bigint, %s::bigint) n
"""
_BODY = (
    '{"origin": "key", "after": {"state": "judged", "grade": 2.0, "note": "", "flagged": false}, "spent_ms": '
    '4210, "shown": {"rank": 7, "run": "full-bm25-stem", "view": "list"}, "step": '
    '"0190a1b2c3d4e5f60718293a4b5c6d7e"}'
)
_SERVER = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    # As PostgreSQL is installed.
    "shared_buffers": "128MB",
    "track_wal_io_timing": "on",
    "log_parameter_max_length": "0",
}


def processor_s(server):
    """Return how long the server's processes, those that ended among them, kept a processor busy."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if path.parent.name == str(server.pid):
            ticks += sum(map(int, words[11:15]))
        elif words[1] == str(server.pid):
            ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def tell(times):
    """Return the median, the 99th percentile and the most of seconds, as text in milliseconds."""
    if len(times) < 2:
        return "not measured"
    middle, last = sorted(times)[len(times) // 2], quantiles(times, n=100)[98]
    return f"p50 {1000 * middle:.1f} ms, p99 {1000 * last:.1f} ms, most {1000 * max(times):.0f} ms"


def log_all(team, *, is_on):
    """Have the server log what each statement takes, or no more."""
    with team.psql("admin") as connection:
        connection.execute(f"ALTER SYSTEM SET log_min_duration_statement = {0 if is_on else -1}")
        connection.execute("SELECT pg_reload_conf()")


def logged_pushes(server):
    """Return the seconds that the server was busy with each push, or waited for its turn."""
    with server.log.open(errors="replace") as log:
        found = (
            re.search(r"duration: ([\d.]+) ms +execute .*judgetool\.push", each) for each in log
        )
        return [float(each[1]) / 1000 for each in found if each]


def start_people(team, n_assessors, seconds):
    """Add the assessors, start them, and return the processes once all are connected."""
    with team.psql("admin") as connection:
        for name in (f"assessor{number}" for number in range(n_assessors)):
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
            connection.execute("SELECT judgetool.add_member(%s, 'assessor', %s)", (name, name))
    url = team.server.url(team.database, "{login}")
    bounds = [n_assessors * part // _PROCESSES for part in range(_PROCESSES + 1)]
    started = []
    for first, last in pairwise(bounds):
        words = ["-m", "tests.benchmarks.hub_people", url, str(first), str(last), str(seconds)]
        people = subprocess.Popen(
            [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(people)
    for people in started:
        assert people.stdout.readline() == "ready\n"
    return started


def flushes(team):
    """Return how often the server has waited for the disk to take its log, and how long, in ms."""
    with team.psql("admin") as connection:
        return connection.execute("SELECT wal_sync, wal_sync_time FROM pg_stat_wal").fetchone()


@contextmanager
def watched_disk():
    """Give a list that fills with what writing one page to the disk takes, ten times a second.

    A push waits for the same disk: where this one stalls without a hub's doing, the hub stalls too.
    """
    times, is_over = [], threading.Event()

    def write():
        with tempfile.NamedTemporaryFile(buffering=0) as file:
            while not is_over.wait(0.1):
                began = time.perf_counter()
                os.pwrite(file.fileno(), bytes(8192), 0)
                os.fsync(file.fileno())
                times.append(time.perf_counter() - began)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield times
    finally:
        is_over.set()
        writer.join()


def load(team, n_assessors, seconds):
    """Print what pushes take while so many judge."""
    people = start_people(team, n_assessors, seconds)
    log_all(team, is_on=True)
    n_before, waited_before = flushes(team)
    began, busy = time.monotonic(), processor_s(team.server)
    for each in people:
        each.stdin.write("go\n")
        each.stdin.flush()
    with watched_disk() as written:
        answers = [json.loads(each.communicate()[0]) for each in people]
    took, busy = time.monotonic() - began, processor_s(team.server) - busy
    n_flushes, waited = flushes(team)
    log_all(team, is_on=False)
    found = {
        name: [time for answer in answers for time in answer[name]]
        for name in ("pushes", "late", "looks", "seen")
    }
    flush = (waited - waited_before) / max(n_flushes - n_before, 1)
    client = sum(answer["busy"] for answer in answers)
    print(
        f"{n_assessors} assessors, a judgment in {EVERY_S:g} s each, {seconds:g} s: "
        f"{len(found['pushes'])} pushes\n"
        f"  a push, from where it is sent: {tell(found['pushes'])}\n"
        f"    of it in the server, its turn waited for, but not the disk: {tell(logged_pushes(team.server))}\n"
        f"    the disk took the server's log {n_flushes - n_before} times, {flush:.1f} ms each\n"
        f"    beside it, the same disk took one page of ours in {tell(written)}\n"
        f"    the simulated assessors themselves woke late by {tell(found['late'])}\n"
        f"  a look at what is new, five statements: {tell(found['looks'])}\n"
        f"  a lead has read it after (gathered over 0.5 s) {tell(found['seen'])}\n"
        f"  processors: the server {busy / took:.3f}, the simulated assessors {client / took:.3f}",
        flush=True,
    )


def fill(team, n_events):
    """Let the hub have so many lines, and print how large it is."""
    began = time.monotonic()
    with team.psql("admin") as connection:
        for first in range(1, n_events + 1, 1_000_000):
            most = min(first + 999_999, n_events)
            connection.execute(_FILL, (_BODY, first, most))
        connection.execute("UPDATE judgetool.hub SET last_seq = %s", (n_events,))
        # What was written in a minute here grows in months elsewhere, and is at rest by then.
        connection.execute("VACUUM (ANALYZE) judgetool.event")
        connection.execute("CHECKPOINT")
        size = connection.execute("SELECT pg_total_relation_size('judgetool.event')").fetchone()[0]
    print(
        f"{n_events} lines ({time.monotonic() - began:.0f} s to fill in): {size / 2**20:.0f} MiB, "
        f"{size / n_events:.0f} bytes a line",
        flush=True,
    )


def make_acts(lead, anna, n_times):
    """Return what is done at a hub, one at a time."""
    lead.ask([(f"query {number}", f"new {number}") for number in range(2 * n_times)])
    after = lead.standing().last_seq
    turns = iter(range(n_times))

    def push():
        line = judgment("anna", query=f"query {next(turns) * 7 % 5000}", document="a new one")
        anna.push([line._replace(body=json.loads(_BODY))], scale_hash=SCALE)

    return {
        "push": push,
        "claim": lambda: anna.claim(1, 72),
        "pull by an assessor": lambda: anna.pull(after),
        "pull by a lead": lambda: lead.pull(after),
    }


def compare(teams, n_times=1000):
    """Print what one thing at a time takes in hubs with few lines and many, by turns."""
    with ExitStack() as stack:
        logins = ("lea", "anna")
        hubs = {
            size: [stack.enter_context(team.open(login)) for login in logins]
            for size, team in teams.items()
        }
        acts = {size: make_acts(*both, n_times) for size, both in hubs.items()}
        for name in next(iter(acts.values())):
            times = {size: [] for size in acts}
            for _ in range(n_times):
                for size, each in acts.items():
                    began = time.perf_counter()
                    each[name]()
                    times[size].append(time.perf_counter() - began)
            for size, each in times.items():
                print(f"  {name}, {size} lines: {tell(each)}")
            last = [quantiles(each, n=100)[98] for each in times.values()]
            if len(last) > 1:
                print(f"  {name}: p99 {last[-1] / last[0]:.2f} times as long", flush=True)


def catch_up(team, login):
    """Print what reading all lines takes that somebody may read."""
    with team.open(login) as hub:
        began, n, after = time.perf_counter(), 0, 0
        while True:
            page = hub.pull(after)
            n, after = n + len(page.rows), page.last_seq
            if page.is_end:
                break
        print(f"  {login} reads {n} lines in {time.perf_counter() - began:.1f} s", flush=True)


def fill_in_step(team, n_events):
    """Let the hub have lines as project files send them, of 30 assessors."""
    bodies = []
    for number in range(n_events):
        who, step = f"assessor {number % 30}", f"{_START + number:012x}7000{number:016x}"
        detail = [step, "judge", "Grade 2 for ‘Cold soup’, ‘soup’", who, _START + number, "{}"]
        said = f'{{"flagged": false, "grade": {number % 4}.0, "note": "", "state": "judged"}}'
        body = {"origin": "key", "step": detail, "voice": [who, "human"], "after": said}
        shown = '{"rank": 7, "view": "list"}'
        bodies.append(json.dumps(body | {"after_step": step, "spent_ms": 4210, "shown": shown}))
    with team.psql("admin") as connection:
        last = connection.execute("SELECT last_seq FROM judgetool.hub").fetchone()[0]
        columns = "seq, at, uuid, kind, assessor, query, document, parents, body"
        with connection.cursor().copy(f"COPY judgetool.event({columns}) FROM STDIN") as copy:
            for number, body in enumerate(bodies):
                uuid = f"{_START + number:012x}7000{number + 2**63:016x}"
                pair = f"query {number // 30 % 1000}", f"document {number // 30_000}"
                who, seq = f"assessor {number % 30}", last + 1 + number
                copy.write_row((seq, _START + number, uuid, "judgment", who, *pair, b"", body))
        connection.execute("UPDATE judgetool.hub SET last_seq = %s", (last + n_events,))
        connection.execute("ANALYZE judgetool.event")


def join(team, n_events):
    """Print what a lead's new file takes to have everything, and to look again once it has."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.judge"
        began, busy, server = time.perf_counter(), time.process_time(), processor_s(team.server)
        join_hub(team.address("lea"), PASSWORD, path, assessor="lea")
        took, busy = time.perf_counter() - began, time.process_time() - busy
        server = processor_s(team.server) - server
        with (
            open_project(path, assessor="lea") as session,
            closing(Syncing(session, PASSWORD)) as syncing,
        ):
            syncing.run(0.0)
            again = time.perf_counter()
            syncing.run(0.0)
            again = time.perf_counter() - again
        print(
            f"  a new file of {n_events} lines, {path.stat().st_size / 2**20:.0f} MiB: {took:.1f} s "
            f"({busy:.1f} s of a processor, the server {server:.1f} s); in step, one more look takes "
            f"{1000 * again:.0f} ms",
            flush=True,
        )


def main(assessors=20, seconds=10, events=100_000):
    """Print all of it."""
    server = Server(**_SERVER, max_connections=assessors + 20)
    try:
        template = make_template(server)
        load(Team(server, server.make_database(template)), assessors, seconds)
        teams = {}
        for size in sorted({min(events, _FEW), events}):
            teams[size] = Team(server, server.make_database(template))
            fill(teams[size], size)
        compare(teams)
        few = next(iter(teams.values()))
        catch_up(few, "lea")
        catch_up(few, "anna")
        team = Team(server, server.make_database(template))
        fill_in_step(team, min(events, _MANY))
        join(team, min(events, _MANY))
    finally:
        server.stop()
