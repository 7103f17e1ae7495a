"""Logs that lie beside a project and are not its own: kept, named, and never played into it."""

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judgetool.core.held_files import beside
from judgetool.core.scale import scale_preset
from judgetool.errors import take_notices
from judgetool.session.commands import Say
from judgetool.session.opening import create_project, open_project
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.program import call, must

_JUDGE_AND_DIE = """
import os, sys
from pathlib import Path
from judgetool.session.commands import Say
from judgetool.session.opening import open_project

session = open_project(Path(sys.argv[1]), assessor="anna")
for document in range(int(sys.argv[2]), int(sys.argv[3])):
    session.execute(Say.grade(1, session.material.find_document(f"d{document}"), 3.0))
os._exit(9)
"""


def judge_and_die(path, first=0, last=3):
    """Judge in a process that ends as if it were killed, and leaves its log."""
    words = [sys.executable, "-c", _JUDGE_AND_DIE, str(path), str(first), str(last)]
    assert subprocess.run(words, check=False).returncode == 9
    assert beside(path, "-wal").stat().st_size > 0


def judge(session, query, number, grade):
    session.execute(Say.grade(query, session.material.find_document(f"d{number}"), grade))


_CHANGE_HALF = """
import os, sqlite3, sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 5")
connection.execute("BEGIN IMMEDIATE")
connection.execute(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) "
    "INSERT INTO meta SELECT hex(randomblob(200)), '' FROM n"
)
os._exit(9)
"""


def change_half_and_die(path):
    """Change a project without its log in a process that ends amid the writing of its pages."""
    words = [sys.executable, "-c", _CHANGE_HALF, str(path)]
    assert subprocess.run(words, check=False).returncode == 9
    assert beside(path, "-journal").stat().st_size > 0


@pytest.fixture
def project(tmp_path):
    """A project with one judgment, and an older copy of it without any."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
        session.save_copy(tmp_path / "older.judge")
        judge(session, 0, 0, 1.0)
    return path


def n_judgments(path):
    with open_project(path, read_only=True) as session:
        return len(session.iter_judgments())


def kept_logs(path):
    return sorted(path.parent.glob("*-wal.aside-*"))


def test_the_own_log_is_taken_in(project):
    """After a kill everything acknowledged is there, and nothing is put aside."""
    judge_and_die(project)
    assert n_judgments(project) == 4
    assert kept_logs(project) == []
    with open_project(project, assessor="anna"):
        pass
    assert [path.name for path in project.parent.glob("small*")] == ["small.judge"]


def test_a_reading_command_leaves_the_log_of_a_killed_window(project):
    """`show` after a kill reads all, and changes neither the file nor its log."""
    judge_and_die(project)
    before = project.read_bytes(), beside(project, "-wal").read_bytes()
    assert len(must("show", project, "--judgments").rows) == 5
    assert (project.read_bytes(), beside(project, "-wal").read_bytes()) == before


def test_a_restored_file_is_not_destroyed_by_the_old_log(project):
    """A copy at rest, put where a killed project's log lies, is as it was; the log is kept."""
    judge_and_die(project)
    log = beside(project, "-wal").read_bytes()
    older = project.with_name("older.judge")
    shutil.copyfile(older, project)
    outcome = must("show", project, "--judgments")
    assert len(outcome.rows) == 1
    assert "is not of this small.judge" in outcome.err
    assert project.read_bytes() == older.read_bytes()
    assert [kept.read_bytes() for kept in kept_logs(project)] == [log]


def test_a_copy_of_an_open_file_is_not_destroyed(project, tmp_path):
    """A copy taken while the project was open says that it has a log; a foreign one is found out."""
    with open_project(project, assessor="anna") as session:
        judge(session, 2, 0, 2.0)
        session._file._writer.run(
            lambda each: each.pragma("wal_checkpoint", "TRUNCATE"), is_change=False
        )
        taken = project.read_bytes()
    with make_project(tmp_path, simple_parts(n_queries=9), name="other") as session:
        other = session.path
    judge_and_die(other, 0, 6)
    other.write_bytes(taken)
    assert n_judgments(other) == 2
    assert len(kept_logs(other)) == 1
    assert "is not of this other.judge" in take_notices()[0]


def test_a_log_that_takes_judgments_away_is_foreign(project):
    """An older log beside a newer file of the same project does not bring the old state back."""
    judge_and_die(project)
    older_log = beside(project, "-wal").read_bytes()
    with open_project(project, assessor="anna") as session:
        for document in range(5):
            judge(session, 2, document, 2.0)
        session._file._writer.run(
            lambda each: each.pragma("wal_checkpoint", "TRUNCATE"), is_change=False
        )
        newer = project.read_bytes()
    project.write_bytes(newer)
    beside(project, "-wal").write_bytes(older_log)
    assert n_judgments(project) == 9
    assert len(kept_logs(project)) == 1


def test_a_log_half_brought_into_the_file_is_its_own(project):
    """Power lost amid the writing of pages: with its log the file is whole, and can be judged."""
    judge_and_die(project)
    log = beside(project, "-wal").read_bytes()
    content = bytearray(project.read_bytes())
    size = int.from_bytes(log[8:12], "big")
    for frame in range(32, len(log), 24 + size):
        page = int.from_bytes(log[frame : frame + 4], "big")
        start = size * (page - 1)
        # Of each page only its first sector.
        content[start : start + 512] = log[frame + 24 : frame + 24 + 512]
    project.write_bytes(content)
    with open_project(project, assessor="anna") as session:
        assert session.read_only_reason == ""
        assert session.was_checked
        assert len(session.iter_judgments()) == 4
    assert kept_logs(project) == []


def test_the_own_journal_takes_half_a_change_back(project):
    """A file whose change ended half way is as it was before, and nothing is put aside."""
    before = project.read_bytes()
    change_half_and_die(project)
    assert project.read_bytes() != before
    with open_project(project, assessor="anna") as session:
        assert session.read_only_reason == ""
        assert len(session.iter_judgments()) == 1
    assert [path.name for path in project.parent.glob("small*")] == ["small.judge"]


@pytest.mark.parametrize("of", ["another project", "an older copy"])
def test_a_foreign_journal_never_reaches_the_file(project, tmp_path, of):
    """A journal of another file is moved aside, and said; the project is what it was."""
    if of == "another project":
        with make_project(tmp_path, simple_parts(n_queries=9), name="other") as session:
            other = session.path
    else:
        other = tmp_path / "older.judge"
        with open_project(project, assessor="anna") as session:
            judge(session, 2, 0, 2.0)
    change_half_and_die(other)
    journal = beside(other, "-journal").read_bytes()
    beside(other, "-journal").rename(beside(project, "-journal"))
    content = project.read_bytes()
    outcome = must("show", project, "--judgments")
    assert len(outcome.rows) == (2 if of == "another project" else 3)
    assert "small.judge-journal, which lay there, is not of this small.judge" in outcome.err
    assert project.read_bytes() == content
    kept = sorted(project.parent.glob("small.judge-journal.aside-*"))
    assert [path.read_bytes() for path in kept] == [journal]


@pytest.mark.parametrize("words", [("check", "{0}"), ("import", "{0}", "--qrels", "{1}")])
def test_a_foreign_log_is_moved_aside_whatever_looks_first(project, tmp_path, words):
    """A log of another file beside a project at rest: not read as what the project holds."""
    other = tmp_path / "other.judge"
    shutil.copyfile(project, other)
    judge_and_die(other)
    beside(other, "-wal").rename(beside(project, "-wal"))
    (tmp_path / "more.qrels").write_text("q1 0 d9 1\n")
    done = call(*(word.format(project, tmp_path / "more.qrels") for word in words))
    assert done.code == 0, done
    assert words[0] != "check" or ["judgments", "1"] in done.rows
    assert n_judgments(project) == (1 if words[0] == "check" else 2)
    assert len(kept_logs(project)) == 1


def test_a_backup_is_given_back_whatever_lies_beside_it(project, tmp_path):
    """A backup is one file: a journal at its name is none of its own, and stays where it is."""
    backup = Path(call("backups", project).rows[1][-1])
    content = backup.read_bytes()
    beside(backup, "-journal").write_bytes(foreign_journal(tmp_path))
    must("backups", project, "--restore", 1, tmp_path / "new.judge")
    assert n_judgments(tmp_path / "new.judge") == 1
    assert backup.read_bytes() == content


_LEAVE_A_JOURNAL = """
import os, sqlite3, sys

connection = sqlite3.connect(sys.argv[1])
connection.execute("CREATE TABLE t(a)")
connection.executemany("INSERT INTO t VALUES(?)", [("x" * 500,)] * 2000)
connection.commit()
connection.execute("PRAGMA cache_size = 5")
connection.execute("UPDATE t SET a = 'y' || a")
os._exit(9)
"""


def foreign_journal(folder):
    """Return the journal that another program's file was left with amid a change."""
    path = folder / "foreign.db"
    words = [sys.executable, "-c", _LEAVE_A_JOURNAL, str(path)]
    assert subprocess.run(words, check=False).returncode == 9
    return beside(path, "-journal").read_bytes()


DOORS = {
    "check": ("check", "{0}"),
    "import": ("import", "{0}", "--qrels", "{1}"),
    "show": ("show", "{0}"),
    "merge": ("merge", "{2}", "{0}"),
    "recover": ("recover", "{0}", "{1}.new"),
    "restore in place": ("backups", "{0}", "--restore", "1", "{0}"),
    "recover in place": ("recover", "{0}", "{0}"),
}


@pytest.mark.parametrize("what", ["journal", "noise", "text"])
@pytest.mark.parametrize("door", DOORS)
def test_no_door_lets_a_foreign_journal_in(project, tmp_path, door, what):
    """Whatever looks at a project first: it is what it was, and the journal is kept and named."""
    lain = {"noise": random.Random(3).randbytes(5000), "text": b"hello, world\n" * 50}
    journal = lain.get(what) or foreign_journal(tmp_path)
    beside(project, "-journal").write_bytes(journal)
    qrels = tmp_path / "more.qrels"
    qrels.write_text("")
    content = project.read_bytes()
    outcome = call(
        *(word.format(project, qrels, project.with_name("older.judge")) for word in DOORS[door])
    )
    assert outcome.code == (1 if door.endswith("in place") or door == "import" else 0), outcome
    assert "small.judge-journal, which lay there, is not of this small.judge" in outcome.err
    assert project.read_bytes() == content
    kept = project.parent.glob("small.judge-journal.aside-*")
    assert [path.read_bytes() for path in kept] == [journal]


@pytest.mark.parametrize("way", ["new", "restore", "recover", "copy"])
def test_a_new_file_gets_no_old_log(project, tmp_path, way):
    """What is made at a name where a killed project's log lies is not changed by that."""
    gone = tmp_path / "gone.judge"
    shutil.copyfile(project, gone)
    judge_and_die(gone)
    gone.unlink()
    if way == "new":
        create_project(gone, scale=scale_preset("0-3"))
    elif way == "copy":
        with open_project(project) as session:
            session.save_copy(gone)
    elif way == "restore":
        must("backups", project, "--restore", 1, gone)
    else:
        must("recover", project, gone)
    assert n_judgments(gone) == (0 if way == "new" else 1)
    assert len(kept_logs(gone)) == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_crashed_file_in_a_read_only_folder_is_read(project):
    """Where nothing can be written, a project that was left by a kill shows all its judgments."""
    judge_and_die(project)
    beside(project, "-shm").unlink()
    project.parent.chmod(0o500)
    try:
        assert len(must("show", project, "--judgments").rows) == 4
    finally:
        project.parent.chmod(0o700)


def test_the_notice_is_told_once(project):
    """A command says what it put aside; the next one has nothing to say."""
    judge_and_die(project)
    shutil.copyfile(project.with_name("older.judge"), project)
    assert "small.judge-wal" in call("show", project).err
    assert call("show", project).err == ""


# In place of a damaged one

IN_PLACE = [("recover", "{0}", "{0}"), ("backups", "{0}", "--restore", "1", "{0}")]


def damage(path):
    """Destroy the last leaf of the file's tables but the assessors', without whom none opens."""
    content = path.read_bytes()
    number = [n for n in range(2, len(content) // 4096) if content[n * 4096] == 13][-2]
    noise = random.Random(1).randbytes(4096)
    path.write_bytes(content[: number * 4096] + noise + content[(number + 1) * 4096 :])


@pytest.fixture
def damaged(project):
    """A project that was killed with its log beside it, and has a destroyed page."""
    judge_and_die(project)
    damage(project)
    return project


def run_at(words, path):
    return call(*(word.format(path) for word in words))


def contents(path):
    """What lies in the folder under names that begin with the project's."""
    return {each.name: each.read_bytes() for each in path.parent.glob(f"{path.name}*")}


@pytest.mark.parametrize("words", IN_PLACE)
def test_a_damaged_project_makes_way_and_is_kept(damaged, words):
    """Written to its own name: the sound one stands there, the damaged one beside with its log."""
    before = damaged.read_bytes(), beside(damaged, "-wal").read_bytes()
    done = run_at(words, damaged)
    assert done.code == 0, done.err
    after = contents(damaged)
    kept = min(name for name in after if ".damaged-" in name)
    assert f"is kept as {kept}, with its -wal" in done.out
    assert (after[kept], after[f"{kept}-wal"]) == before
    assert set(after) <= {damaged.name, kept, f"{kept}-wal", f"{kept}-shm"}
    assert n_judgments(damaged) == (4 if words[0] == "recover" else 1)


LEFT = {
    "nothing": b"",
    "a byte": b"S",
    "zeros": bytes(8192),
    "a beginning": b"SQLite format 3\0",
}
TO_A_NEW_FILE = [("recover", "{0}", "{0}.new"), ("backups", "{0}", "--restore", "1", "{0}.new")]


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("words", IN_PLACE)
def test_a_project_of_which_nothing_is_left_makes_way(project, words, left):
    """As after a power cut: what is known of it takes its place, and the rest is kept."""
    project.write_bytes(LEFT[left])
    done = run_at(words, project)
    assert done.code == 0, done.err
    assert n_judgments(project) == 1
    kept = [each for name, each in contents(project).items() if ".damaged-" in name]
    assert kept == [LEFT[left]]


@pytest.mark.parametrize("left", [*LEFT, None])
@pytest.mark.parametrize(
    "words", [("check", "{0}"), ("judge", "{0}", "--assessor", "a"), ("show", "{0}")]
)
def test_of_a_lost_project_the_backups_are_named(project, words, left):
    """Emptied or deleted: no advice to import or to begin anew, but what brings it back."""
    made = call("backups", project).rows[1][1]
    if left is None:
        project.unlink()
    else:
        project.write_bytes(LEFT[left])
    told = run_at(words, project)
    assert told.code == 1
    assert "backup" in told.err
    assert made in told.err
    assert f"‘judgetool recover {project} {project}’ brings it back" in told.err
    assert must("recover", project, project).code == 0
    assert n_judgments(project) == 1


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("words", TO_A_NEW_FILE)
def test_a_project_of_which_nothing_is_left_is_given_back(project, words, left):
    """Under another name: what is left of the file stays as it is."""
    project.write_bytes(LEFT[left])
    done = run_at(words, project)
    assert done.code == 0, done.err
    assert n_judgments(project.with_name("small.judge.new")) == 1
    assert project.read_bytes() == LEFT[left]


@pytest.mark.parametrize(
    "words", [("show", "{0}"), ("check", "{0}"), ("recover", "{0}", "{0}.new")]
)
def test_a_damaged_project_is_no_worse_for_a_foreign_journal(project, tmp_path, words):
    """Sound neither alone nor with a journal: nothing is taken in, all that is readable is read."""
    damage(project)
    content = project.read_bytes()
    beside(project, "-journal").write_bytes(foreign_journal(tmp_path))
    run_at(words, project)
    assert project.read_bytes() == content
    done = run_at(("recover", "{0}", "{0}.whole"), project)
    assert (done.code, n_judgments(project.with_name("small.judge.whole"))) == (0, 1)


@pytest.mark.parametrize("words", IN_PLACE)
def test_a_sound_project_never_makes_way(project, words):
    """Written to the name of a sound project: refused, and nothing is changed."""
    before = contents(project)
    told = run_at(words, project)
    assert told.code == 1
    assert "exists already, and is sound" in told.err
    assert contents(project) == before


def test_only_the_project_itself_makes_way(damaged):
    """A file that never was this project keeps its place, damaged or not."""
    other = damaged.with_name("other.judge")
    other.write_bytes(damaged.read_bytes())
    told = call("recover", damaged, other)
    assert (told.code, other.read_bytes()) == (1, damaged.read_bytes())
    assert "exists already. Choose another name" in told.err


def test_a_damaged_project_in_use_stays(damaged):
    """While a program has it open, nothing is put in its place."""
    with open_project(damaged, read_only=True):
        before = contents(damaged)
        told = run_at(IN_PLACE[0], damaged)
        assert contents(damaged) == before
    assert told.code == 1
    assert "Close it there first" in told.err


_RECOVER_AND_DIE = """
import os, signal, sys
from judgetool.cli.main import run

path, left = sys.argv[1], int(sys.argv[2])


def count(event, arguments):
    global left
    if event in ("os.link", "os.rename", "os.remove") and path in str(arguments):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(count)
sys.exit(run(["recover", path, path]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9 there")
def test_a_kill_between_the_moves_loses_nothing(damaged, tmp_path_factory):
    """Before each change of a name: all of the damaged project has one, and recover goes on."""
    before = damaged.read_bytes(), beside(damaged, "-wal").read_bytes()
    for number in range(99):
        project = tmp_path_factory.mktemp("killed") / damaged.name
        shutil.copytree(damaged.parent, project.parent, dirs_exist_ok=True)
        words = [sys.executable, "-c", _RECOVER_AND_DIE, str(project), str(number)]
        ended = subprocess.run(words, check=False, capture_output=True).returncode
        assert project.exists()
        assert set(before) <= set(contents(project).values())
        if ended != -signal.SIGKILL:
            assert ended == 1, "sound, but a page of it is lost"
            break
        again = run_at(IN_PLACE[0], project)
        assert again.code == 0 or "is sound" in again.err, again
        assert set(before) <= set(contents(project).values())
        assert n_judgments(project) >= 1
    assert number > 4
