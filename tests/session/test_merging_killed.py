"""A merge that is killed at any moment leaves the project as before or as after, and sound."""

import shutil
import signal
import subprocess
import sys

import pytest

from judgetool.session.commands import Say, set_title
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project
from judgetool.session.team.merging import merge_copies
from tests.helpers.builders import make_project, simple_parts

KILLED = """
import os, signal, sys
from pathlib import Path
import apsw

left, armed = int(sys.argv[3]), False


def count(statement):
    global left, armed
    armed = armed or "'merge'" in statement["sql"] or "Merge of" in statement["sql"]
    left -= armed
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)


apsw.connection_hooks.append(lambda connection: connection.trace_v2(apsw.SQLITE_TRACE_STMT, count))
from judgetool.session.opening import open_project
from judgetool.session.team.merging import merge_copies

with open_project(Path(sys.argv[1]), assessor="anna") as session:
    merge_copies(session, [Path(sys.argv[2])])
print("ended", left)
"""


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    with make_project(folder, simple_parts(), name="mine") as session:
        mine = session.path
        session.execute(Say.grade(0, 1, 1))
    theirs = folder / "theirs.judge"
    shutil.copy(mine, theirs)
    with open_project(theirs, assessor="ben") as session:
        session.execute(Say.grade(0, 1, 2))
        session.execute(set_title("theirs"))
    with open_project(theirs, assessor="anna") as session:
        session.execute(Say.grade(0, 1, 0))
    return mine, theirs


def told(path):
    with open_project(path, read_only=True) as session:
        return session.iter_judgments(), session.title if session.value("title") else ""


@pytest.mark.parametrize("n_statements", range(0, 60, 6))
def test_killed_amid_a_merge(copies, tmp_path, n_statements):
    """Either all of it is there or nothing, and merging again brings it."""
    mine, theirs = tmp_path / "mine.judge", tmp_path / "theirs.judge"
    for source, target in zip(copies, (mine, theirs), strict=True):
        shutil.copy(source, target)
    before = told(mine)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(mine), str(theirs), str(n_statements)],
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    # Of so few rows a merge takes some sixty statements.
    assert done.returncode == -signal.SIGKILL or n_statements > 30
    left = told(mine)
    assert check_project(mine).problems == []
    with open_project(mine, assessor="anna") as session:
        merge_copies(session, [theirs])
    assert left in (before, told(mine))
    assert len(told(mine)[0]) == 2
