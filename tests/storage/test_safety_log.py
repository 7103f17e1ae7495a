"""The safety log: every judgment once more, outside the project's folder."""

import json
import subprocess
import sys

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from judgetool.core.system import data_folder
from judgetool.errors import take_notices
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from judgetool.settings import Settings, save_settings
from judgetool.storage.safety_log import PaddedLog, format_line, log_paths, read_lines, read_log
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.program import must


@pytest.fixture
def session(tmp_path):
    opened = make_project(tmp_path, simple_parts())
    yield opened
    opened.close()


def doc(session, name):
    return session.material.find_document(name)


def events(uuid):
    return [line for line in read_log(uuid).lines if line["kind"] == "event"]


def test_a_judgment_is_in_the_log_when_execute_returns(session):
    """The line tells who said what of which document, by ids that mean something outside."""
    session.execute(Say.grade(0, doc(session, "d1"), 2), origin="key", spent_ms=900)
    (line,) = events(session.uuid)
    assert (line["query"], line["document"], line["assessor"]) == ("q0", "d1", "anna")
    assert json.loads(line["after"]) == {"state": "judged", "grade": 2}
    assert (line["before"], line["origin"], line["spent_ms"]) == (None, "key", 900)


def test_a_judgment_into_a_deleted_file_is_in_the_log(session):
    """When the file has gone, what could not be kept in it is in the log."""
    session.execute(Say.grade(0, doc(session, "d1"), 1))
    assert len(events(session.uuid)) == 1
    session.path.unlink()
    session.close()
    assert len(events(session.uuid)) == 1


def test_the_log_is_for_its_owner_only(session):
    """Neither the folder nor the file can be read by others: notes stand in it."""
    session.execute(Say.note(0, doc(session, "d1"), "secret"))
    (path,) = log_paths(session.uuid)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_the_log_can_be_switched_off(tmp_path):
    """With the preference off, no log is written."""
    save_settings(Settings(keeps_safety_log=False))
    session = make_project(tmp_path, simple_parts())
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.close()
    assert not (data_folder() / "safety").exists()


def test_a_log_that_cannot_be_written_refuses_no_judgment(tmp_path):
    """Judgments are saved, and one sentence says that the log is not."""
    data_folder().mkdir(parents=True)
    (data_folder() / "safety").write_text("in the way", encoding="utf-8")
    session = make_project(tmp_path, simple_parts())
    for grade in (0, 1, 2):
        assert session.execute(Say.grade(0, doc(session, "d1"), grade)) is not None
    (sentence,) = take_notices()
    assert sentence.startswith("The safety log cannot be written")
    session.close()


def test_two_copies_at_once_write_two_logs(session, tmp_path):
    """Copies of a file that are judged at the same time do not write into each other's lines."""
    copy = tmp_path / "copy.judge"
    session.save_copy(copy)
    with open_project(copy, assessor="ben") as other:
        session.execute(Say.grade(0, doc(session, "d1"), 1))
        other.execute(Say.grade(0, doc(other, "d1"), 2))
        session.execute(Say.grade(0, doc(session, "d2"), 1))
    assert len(log_paths(session.uuid)) == 2
    assert len(events(session.uuid)) == 3


def test_a_line_that_was_torn_is_left_out(session):
    """A log cut off in the middle of its last line gives all lines before it."""
    for grade in (0, 1, 2):
        session.execute(Say.grade(0, doc(session, "d1"), grade))
    session.close()
    (path,) = log_paths(session.uuid)
    content = path.read_bytes().rstrip(b"\n")
    path.write_bytes(content[:-40])
    found = read_log(session.uuid)
    assert found.n_torn == 1
    assert len(events(session.uuid)) == 2


def test_what_follows_a_torn_line_is_read(session):
    """Lines written after a torn one do not run into it."""
    session.execute(Say.grade(0, doc(session, "d1"), 1))
    session.close()
    (path,) = log_paths(session.uuid)
    path.write_bytes(path.read_bytes().rstrip(b"\n")[:-10])
    with open_project(session.path, assessor="anna") as again:
        again.execute(Say.grade(0, doc(again, "d2"), 2))
    found = read_log(session.uuid)
    assert found.n_torn == 1
    assert [line["document"] for line in found.lines if line["kind"] == "event"] == ["d2"]


KILLED = """
import os, signal, sys
from pathlib import Path
from judgetool.session.commands import Say
from judgetool.session.opening import open_project

session = open_project(Path(sys.argv[1]), assessor="anna")
for n in range(20):
    session.execute(Say.grade(n % 3, session.material.find_document(f"d{n % 6}"), n % 4))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_no_line(session):
    """After kill -9 the log has every judgment that was acknowledged."""
    session.close()
    subprocess.run([sys.executable, "-c", KILLED, str(session.path)], check=False)
    with open_project(session.path, read_only=True) as again:
        logged = {line["uuid"] for line in events(session.uuid)}
        rows = again._file.reader.execute("SELECT hex(uuid) FROM events")
        assert {uuid for (uuid,) in rows} == logged
    assert len(logged) == 20


TEXT = st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=30))


@given(st.lists(st.lists(TEXT, min_size=1, max_size=4), max_size=8), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lines_come_back_as_they_were_written(tmp_path, batches, reopens):
    """Whatever is appended, in one go or after opening again, is read in the same order."""
    path = tmp_path / "a.jsonl"
    path.unlink(missing_ok=True)
    log = PaddedLog(path)
    for batch in batches:
        log.append(b"".join(map(format_line, batch)), is_synced=False)
        if reopens:
            log.close()
            log = PaddedLog(path)
    assert read_lines(path).lines == [values for batch in batches for values in batch]
    log.close()
    assert read_lines(path).n_torn == 0


@given(st.binary(min_size=1, max_size=60), st.integers(0, 400))
def test_no_damage_passes_for_a_line(damage, at):
    """A line with other bytes in it is left out, never read as something else."""
    lines = [format_line({"n": n, "text": "soup " * 5}) for n in range(5)]
    whole = b"".join(lines)
    at %= len(whole)
    path = data_folder().parent / "damaged.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(whole[:at] + damage + whole[at + len(damage) :])
    known = [{"n": n, "text": "soup " * 5} for n in range(5)]
    assert all(line in known for line in read_lines(path).lines)


def test_check_counts_damaged_lines_of_the_log(tmp_path):
    """`check` says of a sound project how many lines of its safety log cannot be read."""
    with make_project(tmp_path, simple_parts()) as session:
        path, uuid = session.path, session.uuid
        for document in (1, 2, 3):
            session.execute(Say.grade(0, document, 2.0))
    log = log_paths(uuid)[0]
    assert "cannot be read" not in must("check", path).err
    log.write_bytes(log.read_bytes().replace(b'"grade', b'"grape', 1))
    outcome = must("check", path)
    assert "has 1 line that cannot be read" in outcome.err
    assert outcome.out.endswith("is sound.\n")
