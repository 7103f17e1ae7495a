"""Key press to painted panel with a hub that answers after three seconds, and without one, by turns.

    python -m tests.benchmarks --platform offscreen hub-latency

Five pairs, each window in a process of its own and on a copy of its own; between it and the hub stands
a line that holds back all that the server says. The window is left alone until its first look at
the hub has ended; then keys come as from a person, while it goes on sending.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from statistics import median

from judgetool.session.opening import open_project
from tests.benchmarks.scale_projects import scale_project

N_PAIRS, N_KEYS = 5, 600
ANSWERS_AFTER_S = 3.0
_IN_STEP_S = 180


def hold_back(port):
    """Carry connections to a port of this machine; each line that is read says from then on for how long."""
    asyncio.run(_hold_back(port))


async def _hold_back(port):
    seconds = 0.0
    loop = asyncio.get_running_loop()

    async def carry(source, target, *, is_answer):
        # A line that is cut ends as one that is closed.
        with suppress(ConnectionError):
            while data := await source.read(65_536):
                loop.call_later(seconds if is_answer else 0, target.write, data)
        loop.call_later(seconds if is_answer else 0, target.close)

    async def meet(reader, writer):
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(
            carry(reader, far_writer, is_answer=False), carry(far_reader, writer, is_answer=True)
        )

    async with await asyncio.start_server(meet, "127.0.0.1", 0) as listener:
        print(listener.sockets[0].getsockname()[1], flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            seconds = float(line)


def measure(path):
    """Grade by keys in a window on a project, and print what was painted when, as JSON."""
    from PySide6.QtCore import QEventLoop, QTimer  # noqa: PLC0415 - of the window's process alone
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415 - likewise

    from judgetool.session.opening import find_hub_side  # noqa: PLC0415 - likewise
    from tests.benchmarks.windows import PAUSE_MS, Keys, Watch, opened, wait_until_idle  # noqa: PLC0415 - likewise

    with opened(Path(path)) as (window, _):
        wait_until_idle(window)
        if find_hub_side(window.session).url:
            loop, look = QEventLoop(), QTimer(interval=100)
            look.timeout.connect(
                lambda: loop.quit() if window.status.hub.text() == "Hub: in step" else None
            )
            look.start()
            QTimer.singleShot(1000 * _IN_STEP_S, loop, loop.quit)
            loop.exec()
            look.stop()
        began = window.status.hub.text()
        keys, watch = Keys(window), Watch(window)
        times = []
        for turn in range(N_KEYS):
            watch.start()
            keys.press("01"[turn % 2])
            watch.wait(PAUSE_MS)
            if watch.frames:
                times.append(watch.frames[0][0])
        print(json.dumps({"times": times, "states": [began, window.status.hub.text()]}))
        # The window that leaves says what it has not sent yet, and waits for an answer.
        answer = QTimer(window, interval=100)
        answer.timeout.connect(
            lambda: (asks := QApplication.activeModalWidget()) is not None and asks.close()
        )
        answer.start()


@contextmanager
def slow_line(port):
    """Yield the port of a line that does not hold back anything yet, and what makes it do so."""
    code = f"from tests.benchmarks.hub_latency import hold_back; hold_back({port})"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as line:

        def hold(seconds):
            line.stdin.write(f"{seconds}\n")
            line.stdin.flush()

        try:
            yield int(line.stdout.readline()), hold
        finally:
            line.kill()


def link(path, url):
    """Make a hub of a project, and go in step with it once."""
    from judgetool.hub.making import create_hub  # noqa: PLC0415 - likewise
    from judgetool.hub.reaching import parse_address  # noqa: PLC0415 - an extra
    from judgetool.session.team.joining import link_hub, sync_once  # noqa: PLC0415 - likewise
    from judgetool.session.team.syncing import hash_scale  # noqa: PLC0415 - likewise
    from tests.helpers.postgres import PASSWORD  # noqa: PLC0415 - likewise

    with open_project(path, assessor="bench") as session:
        facts = {"project": session.uuid, "title": session.title, "name": "bench"}
        made = create_hub(
            parse_address(url)[0], PASSWORD, **facts, scale_hash=hash_scale(session.scale)
        )
        with closing(made) as hub:
            link_hub(session, hub)
        sync_once(session, PASSWORD)


def run_window(project):
    """Return what a window measured on a copy of a project."""
    copy = Path(shutil.copy(project, project.parent / "open.judge"))
    code = f"from tests.benchmarks.hub_latency import measure; measure({str(copy)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    copy.unlink()
    return json.loads(done.stdout.splitlines()[-1])


def compare(alone, linked, count_lines):
    """Print what keys took in each pair, and the medians."""
    from tests.benchmarks.windows import percentile  # noqa: PLC0415 - of the window alone

    found = {"without a hub": [], f"a hub that answers after {ANSWERS_AFTER_S:g} s": []}
    for pair in range(N_PAIRS):
        # Whoever comes second may find the machine otherwise: they take turns.
        order = list(zip(found, (alone, linked), strict=True))[:: 1 if pair % 2 else -1]
        for name, project in order:
            before = count_lines()
            told = run_window(project)
            marks = [percentile(told["times"], share) for share in (0.5, 0.99)]
            found[name].append(marks)
            print(
                f"  {pair + 1}. {name}: n={len(told['times'])}, p50 {1000 * marks[0]:.2f} ms, "
                f"p99 {1000 * marks[1]:.2f} ms; {' → '.join(filter(None, told['states'])) or 'no hub'}; "
                f"{count_lines() - before} lines sent",
                flush=True,
            )
    for place, share in enumerate(("p50", "p99")):
        without, slow = (median(marks[place] for marks in each) for each in found.values())
        print(
            f"median {share}: without {1000 * without:.2f} ms, with {1000 * slow:.2f} ms: "
            f"{100 * (slow / without - 1):+.1f} %",
            flush=True,
        )


def main():
    """Print all of it."""
    from tests.benchmarks.windows import own_home, print_machine  # noqa: PLC0415 - of the window alone
    from tests.helpers.postgres import ADMINISTRATOR, PASSWORD, Server  # noqa: PLC0415 - an extra

    pool = scale_project("pool")
    if pool is None:
        return
    print_machine()
    server = Server(fsync="on", synchronous_commit="on", full_page_writes="on")
    try:
        with own_home() as home, slow_line(server.port) as (port, hold):
            secret = home / "passwords"
            secret.write_text(f"*:*:*:*:{PASSWORD}\n")
            secret.chmod(0o600)
            os.environ["PGPASSFILE"] = str(secret)
            database = server.make_database()
            alone = Path(shutil.copy(pool, home / "alone.judge"))
            # One of an older judgetool is brought up to date before it is measured.
            open_project(alone).close()
            linked = Path(shutil.copy(alone, home / "linked.judge"))
            link(linked, f"postgresql://{ADMINISTRATOR}@127.0.0.1:{port}/{database}")
            hold(ANSWERS_AFTER_S)

            def count_lines():
                with server.connect(database) as connection:
                    return connection.execute("SELECT last_seq FROM judgetool.hub").fetchone()[0]

            compare(alone, linked, count_lines)
    finally:
        server.stop()
