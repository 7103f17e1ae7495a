"""A hub under load: a real server of its own, with fsync, on this machine; figures are printed.

    python -m tests.benchmarks hub [--assessors 20] [--seconds 10] [--events 100000]

Assessors say one judgment in two seconds each, each through a connection of their own.
"""

import json
import os
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from statistics import quantiles

from judgetool.session.opening import open_project
from judgetool.session.team.joining import join_hub
from judgetool.session.team.syncing import Syncing
from tests.helpers.postgres import PASSWORD, SCALE, Server, Team, judgment, make_template

EVERY_S = 2.0
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


def p99(times):
    """Return the 99th percentile, in milliseconds."""
    return 1000 * quantiles(times, n=100)[98]


def judge_for(team, name, seconds, times, start):
    """Push a judgment each two seconds, and keep how long each took."""
    hub = team.open(name)
    start.wait()
    began = time.monotonic() + EVERY_S * (hash(name) % 1000) / 1000
    for turn in range(int(seconds / EVERY_S)):
        time_left = began + turn * EVERY_S - time.monotonic()
        threading.Event().wait(max(0.0, time_left))
        event = judgment(name, query=f"query {turn % 50}", document=f"document {turn}")
        sent = time.perf_counter()
        hub.push([event], scale_hash=SCALE)
        times.append(time.perf_counter() - sent)
    hub.close()


def load(team, n_assessors, seconds):
    """Print what pushes take while so many judge."""
    names = [f"assessor{number}" for number in range(n_assessors)]
    with team.psql("admin") as connection:
        for name in names:
            connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
            connection.execute("SELECT judgetool.add_member(%s, 'assessor', %s)", (name, name))
    times = []
    start = threading.Barrier(n_assessors + 1)
    threads = [
        threading.Thread(target=judge_for, args=(team, name, seconds, times, start))
        for name in names
    ]
    for thread in threads:
        thread.start()
    start.wait()
    began, busy = time.monotonic(), processor_s(team.server)
    for thread in threads:
        thread.join()
    took, busy = time.monotonic() - began, processor_s(team.server) - busy
    print(
        f"{n_assessors} assessors, a judgment in {EVERY_S:g} s each, {seconds:g} s: {len(times)} pushes, "
        f"p50 {1000 * sorted(times)[len(times) // 2]:.1f} ms, p99 {p99(times):.1f} ms, most "
        f"{1000 * max(times):.0f} ms; the server {busy / took:.3f} of a processor"
    )


def fill(team, n_events):
    """Let the hub have so many lines, and print how large it is."""
    began = time.monotonic()
    with team.psql("admin") as connection:
        last = connection.execute("SELECT last_seq FROM judgetool.hub").fetchone()[0]
        for first in range(last + 1, last + n_events + 1, 1_000_000):
            most = min(first + 999_999, last + n_events)
            connection.execute(_FILL, (_BODY, first, most))
        connection.execute("UPDATE judgetool.hub SET last_seq = %s", (last + n_events,))
        connection.execute("ANALYZE judgetool.event")
        size = connection.execute("SELECT pg_total_relation_size('judgetool.event')").fetchone()[0]
    print(
        f"{last + n_events} lines ({time.monotonic() - began:.0f} s to fill in): {size / 2**20:.0f} MiB, "
        f"{size / (last + n_events):.0f} bytes a line"
    )


def single(team, n_times=200):
    """Print what one thing at a time takes."""
    with team.open("lea") as lead, team.open("anna") as anna:
        lead.ask([(f"query {number}", f"new {number}") for number in range(2 * n_times)])
        after = lead.standing().last_seq
        acts = {
            "push": lambda: anna.push([judgment("anna")], scale_hash=SCALE),
            "claim": lambda: anna.claim(1, 72),
            "pull by an assessor": lambda: anna.pull(after),
            "pull by a lead": lambda: lead.pull(after),
        }
        for name, act in acts.items():
            times = []
            for _ in range(n_times):
                began = time.perf_counter()
                act()
                times.append(time.perf_counter() - began)
            print(
                f"  {name}: p50 {1000 * sorted(times)[n_times // 2]:.1f} ms, p99 {p99(times):.1f} ms"
            )


def catch_up(team, login):
    """Print what reading all lines takes that somebody may read."""
    with team.open(login) as hub:
        began, n, after = time.perf_counter(), 0, 0
        while True:
            page = hub.pull(after)
            n, after = n + len(page.rows), page.last_seq
            if page.is_end:
                break
        print(f"  {login} reads {n} lines in {time.perf_counter() - began:.1f} s")


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
        began, busy = time.perf_counter(), time.process_time()
        join_hub(team.address("lea"), PASSWORD, path, assessor="lea")
        took, busy = time.perf_counter() - began, time.process_time() - busy
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
            f"({busy:.1f} s of a processor); in step, one more look takes {1000 * again:.0f} ms"
        )


def main(assessors=20, seconds=10, events=100_000):
    """Print all of it."""
    server = Server(
        fsync="on", synchronous_commit="on", full_page_writes="on", max_connections=assessors + 20
    )
    try:
        template = make_template(server)
        team = Team(server, server.make_database(template))
        load(team, assessors, seconds)
        fill(team, min(events, _FEW))
        single(team)
        if events > _FEW:
            fill(team, events - _FEW)
            single(team)
        catch_up(team, "lea")
        catch_up(team, "anna")
        team = Team(server, server.make_database(template))
        fill_in_step(team, min(events, _MANY))
        join(team, min(events, _MANY))
    finally:
        server.stop()
