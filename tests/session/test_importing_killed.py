"""An import that is killed: nothing of it is promised, and what it left is taken out."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from judgetool.session.commands import Say
from judgetool.session.imports.importing import import_readings, plan_import, write_import
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project, count_missing
from judgetool.storage.backups import list_all_backups
from judgetool.storage.safety_log import format_line, log_paths, read_lines
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.program import call, must
from tests.session.test_history import judgments_reading

N_ROWS = 4_000
UNFINISHED = "An import or merge was not finished"

KILLED = """
import os, signal, sys
from pathlib import Path
from judgetool.formats import read_file
from judgetool.session.imports.importing import plan_import, write_import
from judgetool.session.opening import open_project


def kill_late(done, total):
    if done > total - 500:
        os.kill(os.getpid(), signal.SIGKILL)


session = open_project(Path(sys.argv[1]))
readings = [read_file(Path(name)) for name in sys.argv[2:]]
write_import(session, plan_import(session, readings), progress=kill_late)
"""


@pytest.fixture
def killed(tmp_path):
    """A project with a grade, its copy of before, and what a killed import left of texts and judgments."""
    with make_project(tmp_path, simple_parts()) as session:
        session.execute(Say.grade(0, session.material.find_document("d1"), 2))
    path, older = session.path, tmp_path / "older"
    shutil.copyfile(path, older)
    qrels, texts = tmp_path / "many.qrels", tmp_path / "texts.jsonl"
    qrels.write_text("".join(f"Q{n % 90} 0 D{n} {n % 4}\n" for n in range(N_ROWS)))
    texts.write_text("".join(f'{{"id": "D{n}", "title": "T {n}"}}\n' for n in range(1_200)))
    done = subprocess.run(
        [sys.executable, "-c", KILLED, path, texts, qrels], capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return path, older


def rows_of(session):
    """What stands in the tables of what is not the log."""
    counts = (
        "SELECT (SELECT count(*) FROM {}), (SELECT count(*) FROM {}), (SELECT count(*) FROM {})"
    )
    tables = ("staged_judgments", "document_texts", "row_counts")
    return session._file.reader.execute(counts.format(*tables)).fetchone()


def test_what_never_was_is_not_missed(killed):
    """The older copy lacks nothing: the lines of the log are of an import that never became visible."""
    path, older = killed
    for each in path.parent.glob("small.judge*"):
        each.unlink()
    shutil.copyfile(older, path)
    with open_project(path, read_only=True) as session:
        assert count_missing(session) == (0, "", ())
    must("check", path)


def test_whom_it_alone_knew_is_nobody(killed):
    """Neither listed nor counted, before and after what it left was taken out."""
    path, _older = killed
    for _ in range(2):
        assert "assessors\t1\n" in must("check", path).out
        assert must("project", path).out == "assessor\tkind\tcounts\nanna\tperson\tyes\n"
        open_project(path, assessor="anna").close()


def test_what_is_recovered_after_it_passes_the_check(killed):
    """Of the deleted project and of the one with the remains alike; the next recovery adds nothing."""
    path, _older = killed
    for name in ("beside.judge", "anew.judge"):
        assert "complete as far as is known" in must("recover", path, path.with_name(name)).out
        checked = must("check", path.with_name(name))
        assert UNFINISHED not in checked.err
        assert ["judgments", "1"] in checked.rows
        for each in path.parent.glob("small.judge*"):
            each.unlink()


def test_the_log_of_an_older_judgetool_promises_nothing_either(killed):
    """Its lines did not say what they wait for; of an import they all waited."""
    path, older = killed
    (log,) = log_paths(check_uuid(path))
    lines = read_lines(log).lines
    assert any(line.pop("waits_for", "") for line in lines)
    log.write_bytes(b"".join(map(format_line, lines)))
    for each in path.parent.glob("small.judge*"):
        each.unlink()
    shutil.copyfile(older, path)
    must("check", path)


def check_uuid(path):
    with open_project(path, read_only=True) as session:
        return session.uuid


def test_its_remains_are_told_and_taken_out(killed):
    """The check says so; opened for looking they stay, and go as soon as somebody may judge."""
    path, older = killed
    assert UNFINISHED in must("check", path).err
    with open_project(older, read_only=True) as session:
        before = rows_of(session)
    with open_project(path, read_only=True) as session:
        assert rows_of(session)[0] > 0
    must("judge", path, "--assessor", "me", stdin="q0\td2\t1\n")
    with open_project(path, read_only=True) as session:
        assert rows_of(session) == before
    found = check_project(path)
    assert (found.problems, found.is_import_unfinished) == ([], False)
    assert UNFINISHED not in must("check", path).err


def test_judging_goes_on_while_they_are_taken_out(killed):
    """A grade does not wait for all of them; the same files can be imported afterwards."""
    path, _older = killed
    with open_project(path, assessor="anna") as session:
        session.execute(Say.grade(1, session.material.find_document("d2"), 3))
    must("import", path, "--qrels", path.with_name("many.qrels"))
    checked = must("check", path)
    assert ["judgments", str(N_ROWS + 2)] in checked.rows


def test_an_import_under_way_is_left_alone(tmp_path):
    """Who judges from another account while somebody imports takes nothing of it away."""
    with make_project(tmp_path, simple_parts()) as session:
        plan = plan_import(
            session, [judgments_reading([("q0", f"x{n}", "ben", 1.0) for n in range(1_500)])]
        )
        answers, done = [], []

        def judge_beside():
            if done and done[-1] >= 500 and not answers:
                answers.append(judge_elsewhere(session.path, tmp_path / "home of eve"))
                answers.append(must("check", session.path))
            return False

        write_import(
            session, plan, progress=lambda n, _total: done.append(n), is_cancelled=judge_beside
        )
    assert answers[0].stdout == b"ACK 1\n", answers[0].stderr
    assert UNFINISHED not in answers[1].err
    assert ["judgments", "1501"] in must("check", session.path).rows


def judge_elsewhere(path, home):
    return subprocess.run(
        [sys.executable, "-m", "judgetool", "judge", path, "--assessor", "eve"],
        input=b"q0\td2\t1\n",
        capture_output=True,
        check=False,
        env=os.environ | {"JUDGETOOL_HOME": str(home)},
    )


def test_an_import_that_no_backup_holds_is_named_and_not_promised(tmp_path, speaks):
    """What recovering cannot bring, ‘check’ does not say that it would."""
    with make_project(tmp_path, simple_parts()) as session:
        pass
    path, older = session.path, session.path.read_bytes()
    known = {backup.path for each in list_all_backups().values() for backup in each}
    with open_project(path) as session:
        import_readings(session, [judgments_reading([("q0", "d1", "ben", 2.0)])])
    path.write_bytes(older)
    assert call("check", path).code == 1
    for each in list_all_backups().values():
        for backup in each:
            if backup.path not in known:
                backup.path.unlink()
    assert "which small.judge lacks and no backup holds" in must("check", path).err
    recovered = call("recover", path, tmp_path / "new.judge")
    assert recovered.code == 1
    assert "import its files again" in recovered.out
    assert "not complete: see above" in recovered.err
    speaks("de")
    assert "‚Import von " in call("check", path).err
    assert "‚Import von " in call("recover", path, tmp_path / "again.judge").out
    must("check", tmp_path / "new.judge")
