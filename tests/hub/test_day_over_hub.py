"""A day of several people in four windows on one hub: programs with a home, a file and a login of their own.

Nobody mails a file, and what comes of it is what comes of mailing them.
"""

import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic

import pytest

from judgetool.gui.agreement.assessors import TITLES
from judgetool.session.opening import open_project
from tests.helpers.day import (
    PEOPLE,
    content,
    grade_of,
    is_long,
    make_project,
    settle_by_call,
    write_sample,
)
from tests.helpers.hands import PATIENCE_S, REASON, agreement_rows, in_words
from tests.helpers.program import QRELS, must
from tests.helpers.proxy import Proxy
from tests.helpers.screens import has_xvfb, x_display

N_SETTLED = 2
ASKED = (*PEOPLE, "dora")
"""Who is asked; cem takes over what dora is asked."""


class Window:
    """The program in a process of its own, whose person does what it is told; all that is long is waited for."""

    def __init__(self, who, home, *arguments, display=None):
        home.mkdir()
        mine = {name: text for name, text in os.environ.items() if not name.startswith("PG")}
        mine |= {"HOME": str(home), "JUDGETOOL_HOME": str(home / "judgetool")}
        if display is not None:
            mine |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self.who = who
        self._program = subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.team_window", who, QRELS, *map(str, arguments)],
            cwd=Path(__file__).parents[2],
            env=mine,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._said = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self._program.stdout:
            self._said.put(line)
        self._said.put(None)

    def tell(self, *what):
        """Have something done; who does it is not waited for."""
        self._program.stdin.write(json.dumps(what, default=str) + "\n")
        self._program.stdin.flush()

    def hear(self):
        """Return what came of it."""
        line = self._said.get(timeout=2 * PATIENCE_S)
        assert line is not None, f"the program of {self.who} has ended"
        said = json.loads(line)
        assert "problem" not in said, said["problem"]
        return said["is"]

    def do(self, *what):
        """Have something done, and return what came of it."""
        self.tell(*what)
        return self.hear()

    def leave(self):
        """Close the window, as a person does."""
        assert self.do("leave") == []
        assert self._program.wait(PATIENCE_S) == 0

    def close(self):
        """Let nothing of it stay, however it went."""
        self._program.kill()
        self._program.wait()
        self._program.stdin.close()
        self._program.stdout.close()


class Database:
    """The hub as its server sees it: lines by whom, and when it told of which.

    Attributes:
        told: moments, and up to which line.
    """

    def __init__(self, server, name):
        self._connection, self._ear = server.connect(name), server.connect(name)
        self.told = []
        self._ear.execute("LISTEN judgetool")
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def _listen(self):
        with suppress(Exception):
            for notice in self._ear.notifies():
                self.told.append((monotonic(), int(notice.payload)))

    def lines(self, who):
        """The numbers of the lines that somebody has judged."""
        rows = self._connection.execute(
            "SELECT seq FROM judgetool.event WHERE assessor = %s AND query IS NOT NULL ORDER BY seq",
            (who,),
        )
        return [seq for (seq,) in rows]

    @property
    def last(self):
        """The number of the last line."""
        return self._connection.execute("SELECT last_seq FROM judgetool.hub").fetchone()[0]

    def await_lines(self, who, n):
        """Wait until somebody's lines are there."""
        wait(lambda: len(self.lines(who)) >= n)

    def close(self):
        self._ear.close()
        self._connection.close()


def wait(is_so):
    """Wait for a fact that another program brings about."""
    until = monotonic() + PATIENCE_S
    while not is_so():
        assert monotonic() < until
        threading.Event().wait(0.05)


class Firm:
    """A database, an address for each, and where commands find everybody's password."""

    def __init__(self, server, folder, monkeypatch):
        self.server, self.folder = server, folder
        self.name = server.make_database()
        self.logins = {who: f"{self.name}_{who}" for who in ("lead", *PEOPLE)}
        self.passwords = {"lead": "first of all"}
        login = self.logins["lead"]
        with server.connect() as connection:
            connection.execute(f"CREATE ROLE {login} LOGIN CREATEROLE PASSWORD 'first of all'")
            connection.execute(f"ALTER DATABASE {self.name} OWNER TO {login}")
        self._file = folder / "passwords"
        monkeypatch.setenv("PGPASSFILE", str(self._file))
        self._keep()

    def _keep(self):
        rows = [f"*:*:*:{self.logins[who]}:{text}\n" for who, text in self.passwords.items()]
        self._file.write_text("".join(rows))
        self._file.chmod(0o600)

    def url(self, who, port=None):
        """Where somebody finds the hub."""
        text = self.server.url(self.name, self.logins[who])
        return text.replace(f":{self.server.port}/", f":{port}/") if port else text

    def add(self, who):
        """The lead lets somebody in."""
        added = must("hub", "add", self.url("lead"), who, "--login", self.logins[who])
        self.passwords[who] = re.search(r"password is (\S+)", added.out)[1]
        self._keep()

    def close(self):
        self.server.drop_database(self.name)
        with self.server.connect() as connection:
            for login in self.logins.values():
                connection.execute(f"DROP ROLE IF EXISTS {login}")


@contextmanager
def windows(firm, lead, displays):
    """Four programs that are open: the lead's with the project, the others' without one."""
    with ExitStack() as stack:
        opened = {}
        for who, arguments in {
            "lead": (lead, "--assessor", "lead"),
            "anna": (),
            "ben": (),
            "cem": (),
        }.items():
            display = stack.enter_context(x_display()) if displays else None
            opened[who] = Window(who, firm.folder / f"home of {who}", *arguments, display=display)
            stack.callback(opened[who].close)
        yield opened


def all_do(people, *what):
    """Have several do the same at the same time; return what came of each."""
    for window in people:
        window.tell(*what)
    return [window.hear() for window in people]


def begin(firm, at, proxy):
    """The lead shares out, makes the hub, lets people in; they join, cem over a line that will break."""
    at["lead"].do("ask", *ASKED)
    at["lead"].do("make_hub", firm.url("lead"), firm.passwords["lead"])
    for who in PEOPLE:
        firm.add(who)
        port = proxy.port if who == "cem" else None
        path = firm.folder / f"{who}.judge"
        at[who].tell("join", firm.url(who, port), firm.passwords[who], path)
    for who in PEOPLE:
        at[who].hear()


def work(at, proxy, there):
    """All judge, cem offline for a part of it, and the lead watches; return the keys of each."""
    keys = {}
    before = at["lead"].do("figures")
    keys["anna"], keys["ben"] = all_do((at["anna"], at["ben"]), "judge", 6)
    keys["anna"].append(at["anna"].do("slip"))
    there.await_lines("anna", 7)
    after = at["lead"].do("figures", before)
    proxy.cut()
    keys["cem"] = at["cem"].do("judge", 5)
    at["cem"].do("stands", "^Hub: 5 to send, offline since ..:..$")
    keys["anna"].append(at["anna"].do("take_back"))
    at["lead"].do("hand_over", "dora", "cem")
    for who, rest in zip(("anna", "ben"), all_do((at["anna"], at["ben"]), "judge"), strict=True):
        keys[who] += rest
    later = at["lead"].do("figures", after)
    assert there.lines("cem") == []
    proxy.mend()
    at["cem"].do("sync", there.last, ["cem"])
    keys["cem"] += at["cem"].do("judge")
    at["lead"].do("figures", later)
    return keys


def live(server, folder, monkeypatch, *, displays=False):
    """Live through the day; return what came of it."""
    files = write_sample(folder, n_queries=4, n_known=4, depth=4)
    lead = make_project(folder / "shop.judge", files)
    mailed = Path(shutil.copy(lead, folder / "mailed.judge"))
    paths = {who: folder / f"{who}.judge" for who in PEOPLE} | {"lead": lead}
    with ExitStack() as stack:
        firm = Firm(server, folder, monkeypatch)
        stack.callback(firm.close)
        proxy = Proxy(server.port)
        stack.callback(proxy.close)
        at = stack.enter_context(windows(firm, lead, displays))
        begin(firm, at, proxy)
        there = Database(server, firm.name)
        stack.callback(there.close)
        keys = work(at, proxy, there)
        for who, moments in keys.items():
            there.await_lines(who, len(moments))
        at["lead"].do("settle", N_SETTLED)
        there.await_lines("settled", N_SETTLED)
        for who, window in at.items():
            window.do("sync", there.last, sorted(at) if who == "lead" else [who])
        figures = [re.sub("undefined: .*", "undefined", each) for each in at["lead"].do("figures")]
        measured = measure(keys, there, at["lead"].do("arrived"))
        for window in at.values():
            window.leave()
        # How long it takes depends on the machine: seen with pytest -s, and no failure.
        print(measured)
        check_alike(firm, paths)
    check_said(lead, files.truth)
    rows = zip(TITLES.values(), agreement_rows(lead), strict=True)
    assert figures == [in_words(*each) for each in rows]
    assert content(lead) == merged(mailed, [paths[who] for who in PEOPLE])
    # What is settled and counts latest hangs on who was quicker.
    said = {who: len(lines) for who, lines in said_in(lead).items()}
    return said, content(lead)["asks"], content(lead)["agreement"]


def measure(keys, there, arrived):
    """Return the longest ways in seconds: from a key to the hub, but for who was offline, and from there to the lead."""
    to_hub = [
        next(told for told, last in there.told if last >= seq) - moment
        for who in ("anna", "ben")
        for moment, seq in zip(keys[who], there.lines(who), strict=True)
    ]
    known = {seq for who in keys for seq in there.lines(who)}
    to_lead = [
        next(moment for moment, last in arrived if last >= seq) - told
        for told, seq in there.told
        if seq in known
    ]
    return f"seconds to the hub {max(to_hub):.2f}, from there to the lead {max(to_lead):.2f}"


def said_in(path):
    """What a file says, line by line, by assessor."""
    written = must("export", path, "--format", "judgments-jsonl").out.splitlines()
    found = {}
    for line in written:
        found.setdefault(json.loads(line)["assessor"], []).append(line)
    return found


def check_alike(firm, paths):
    """Files and hub hold the same of each, and an assessor's nothing of anybody else."""
    for path in paths.values():
        must("check", path)
        standing = must("hub", "status", path, "--format", "json").json
        assert standing["to_send"] == 0
        assert standing["fetched_up_to"] == standing["lines_there"]
    new = firm.folder / "all.judge"
    must("hub", "join", firm.url("lead"), new, "--assessor", "lead")
    assert content(new) == content(paths["lead"])
    there = said_in(new)
    assert there == said_in(paths["lead"])
    assert there.keys() == {*PEOPLE, "settled"}
    for who in PEOPLE:
        assert said_in(paths[who]) == {who: there[who]}
        shown = {row[2] for row in must("show", paths[who], "--judgments").rows[1:]}
        assert shown == {who}
        with open_project(paths[who], read_only=True) as session:
            lines = "SELECT DISTINCT a.name FROM events JOIN assessors a USING(assessor_id)"
            # A second look is kept under a name of its own.
            assert {name for (name,) in session.reader.execute(lines)} <= {who, f"{who} (again)"}


def check_said(path, truth):
    """Everybody's grades are those of their rule; nothing is left of a wrong key."""
    rows = [row[:4] for row in must("show", path, "--judgments").rows[1:] if row[2] in PEOPLE]
    assert {row[2] for row in rows} == {*PEOPLE}
    for query, document, who, grade in rows:
        assert float(grade) == grade_of(who, query, document, truth, 0)


def merged(path, copies):
    """Merge what was mailed, in place of fetched: return what the lead's file is then, settled like the other."""
    must("merge", path, *copies)
    settle_by_call(path, N_SETTLED, REASON)
    return content(path)


@pytest.mark.gui
@pytest.mark.timeout(900)
def test_a_day_over_a_hub(postgres, tmp_path, monkeypatch):
    """Judged apart, one of them offline for a part of it, seen growing, settled; in all files and the hub the same."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    day = live(postgres, folders[0], monkeypatch)
    if is_long() and has_xvfb():
        assert live(postgres, folders[1], monkeypatch, displays=True) == day
