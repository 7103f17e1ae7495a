"""A project of an older judgetool: brought up to date as a whole, or read as it is."""

import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from judgetool.core.system import data_folder
from judgetool.session.history import load_history
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project
from judgetool.storage.connection import SCHEMA_VERSION, read_header
from judgetool.storage.history import load_moments

resource = pytest.importorskip("resource")
DATA = Path(__file__).parent / "data"

KILLED = """
import os, signal, sys
from pathlib import Path
import apsw

left = int(sys.argv[2])
armed = False


def count(statement):
    global left
    # Only what is done to the project itself: its backup is made before.
    if "ALTER TABLE" in statement["sql"] or "CREATE TABLE asse" in statement["sql"] or armed:
        arm()
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


def arm():
    global armed
    armed = True


def watch(connection):
    connection.trace_v2(apsw.SQLITE_TRACE_STMT, count)


apsw.connection_hooks.append(watch)
from judgetool.session.opening import open_project

open_project(Path(sys.argv[1])).close()
print("ended", left)
"""

HOLDER = """
import sys
from pathlib import Path
from judgetool.storage.disks import WriterLock

lock = WriterLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""

N_SAID = {1: 6, 2: 10, 3: 9}
TITLE = {1: "Old one", 2: "Old two", 3: "Old three"}
LAST_STEP = {1: "Rename the project", 2: "Add document own", 3: "Add document own"}


@pytest.fixture(params=[1, 2, 3])
def version(request):
    return request.param


@pytest.fixture
def old(tmp_path, version):
    path = tmp_path / "old.judge"
    path.write_bytes(gzip.decompress((DATA / f"schema-{version}.judge.gz").read_bytes()))
    return path


def said(path):
    with open_project(path, read_only=True) as session:
        return [
            (query, document, opinion, at)
            for query, document, opinion, at in session.iter_judgments()
        ]


def backups():
    return sorted((data_folder() / "backups").rglob("*.judge"))


def test_opening_for_judging_brings_it_up_to_date(old):
    """An old file that may be written has the new schema after opening, and is sound."""
    with open_project(old, assessor="anna") as session:
        assert session.read_only_reason == ""
    assert read_header(old).user_version == SCHEMA_VERSION
    assert check_project(old).problems == []


def test_nothing_that_was_said_changes(old, version):
    """Judgments, their times, the title and the steps are the same before and after."""
    before = said(old)
    with open_project(old, assessor="anna") as session:
        assert session.title == TITLE[version]
        assert session.undo_step.title == LAST_STEP[version]
    assert said(old) == before
    assert len(before) == N_SAID[version]


def test_a_backup_is_made_first(old, version):
    """The backup before an upgrade is the old file, readable and complete."""
    content = said(old)
    open_project(old).close()
    (backup,) = backups()
    assert backup.name.endswith("before-upgrade.judge")
    assert read_header(backup).user_version == version
    assert said(backup) == content


def test_looking_does_not_bring_it_up_to_date(old, version):
    """Opened for looking, an old file answers all questions and keeps its bytes."""
    content = old.read_bytes()
    finding = check_project(old)
    assert finding.counts["schema"] == version
    assert finding.problems == []
    assert len(said(old)) == N_SAID[version]
    with open_project(old, read_only=True) as session:
        assert load_history(session, limit=3)
        assert load_moments(session.reader)
    assert old.read_bytes() == content
    assert backups() == []


def test_while_another_process_judges_it_is_read_as_it_is(old, version):
    """Whoever cannot get the writer's lock reads the old file without a change to it."""
    content = old.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(old)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        with open_project(old, assessor="anna") as session:
            assert "Another judgetool" in session.read_only_reason
            assert len(session.iter_judgments()) == N_SAID[version]
        holder.stdin.close()
    assert old.read_bytes() == content


@pytest.mark.parametrize("n_statements", range(0, 84, 6))
def test_killed_at_any_moment_it_is_old_or_new(old, n_statements):
    """A process killed amid the upgrade leaves a sound file of one schema or the other."""
    content = said(old)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(old), str(n_statements)],
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    assert check_project(old).problems == []
    assert said(old) == content
    open_project(old, assessor="anna").close()
    assert read_header(old).user_version == SCHEMA_VERSION
    assert said(old) == content


def test_full_disk_leaves_the_old_file(old, version):
    """When the change does not fit, the file stays as it was and can be read."""
    content = old.read_bytes()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(content), len(content)))

    code = (
        "import sys; from pathlib import Path; from judgetool.session.opening import open_project\n"
        "session = open_project(Path(sys.argv[1]), assessor='anna')\n"
        "print(len(session.iter_judgments()), session.read_only_reason); session.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(old)],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        check=True,
    )
    assert done.stdout.startswith(
        f"{N_SAID[version]} Read-only: old.judge is of an older judgetool"
    )
    assert "disk is full" in done.stdout
    assert old.read_bytes() == content


def test_without_a_home_the_backup_is_beside_the_project(old, version):
    """Where the data folder cannot be used, the backup stands beside the project."""
    data_folder().parent.mkdir(parents=True)
    data_folder().write_text("not a folder", encoding="utf-8")
    content = said(old)
    with open_project(old) as session:
        assert session.read_only_reason == ""
    assert sorted(path.name for path in old.parent.iterdir() if path.is_file()) == [
        f"old-schema-{version}.judge",
        "old.judge",
    ]
    assert said(old.with_name(f"old-schema-{version}.judge")) == content


@pytest.mark.parametrize("version", [2], indirect=True)
@pytest.mark.parametrize("is_looking", [True, False])
def test_what_was_called_rbo_goes_on_being_shown(old, is_looking):
    """Older files call compatibility RBO, with p 0.9; the figure stays and gets its name."""
    connection = apsw.Connection(str(old))
    measures = '["AP", "RBO", "RBO(p=0.8)"]'
    frozen = json.dumps({"name": "RBO", "measures": ["RBO", "AP"]})
    for key, value in (("measures", measures), ("snapshot/x", frozen)):
        connection.execute("INSERT OR REPLACE INTO project_values VALUES(?, ?)", (key, value))
        connection.execute(
            "INSERT INTO value_events(step_id, at, origin, key, before, after) "
            "SELECT max(step_id), 1, 'command', ?, NULL, ? FROM steps",
            (key, value),
        )
    connection.close()
    with open_project(old, assessor="anna", read_only=is_looking) as session:
        names = [str(measure) for measure in session.measures]
        snapshot = session.value("snapshot/x")
    assert names == ["AP", "Compat(p=0.9)", "Compat(p=0.8)"]
    assert (snapshot["name"], snapshot["measures"]) == ("RBO", ["Compat(p=0.9)", "AP"])
    assert check_project(old).problems == []
