"""A file that somebody writes while it is read is refused: half of it may be old, or missing."""

import gzip
import itertools
import os
import threading

import pytest

from judgetool.errors import InputError
from judgetool.formats import read_file
from tests.helpers.program import call, must

# Reading all of it takes longer than a busy machine may leave a thread waiting.
MANY = 8
LINES = "".join(f"q{n // 100} 0 d{n} {n % 3}\n" for n in range(120_000))
CHANGED = "changed while it was read. Nothing was kept"


def cut(path):
    os.truncate(path, 1_000_000)


def grow(path):
    with path.open("a") as file:
        file.write("q1 0 new 1\n")


def replace(path):
    other = path.with_name("other")
    other.write_text(LINES)
    other.replace(path)


def spoil(path):
    with path.open("r+b") as file:
        file.seek(-200_000, os.SEEK_END)
        file.write(b"\xff" * 100_000)


@pytest.mark.parametrize("change", [cut, grow, replace, spoil])
@pytest.mark.parametrize("make", [str.encode, lambda text: gzip.compress(text.encode(), 0)])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, change, make):
    """Cut, grown or another one, packed or plain: nothing of it is taken."""
    path = tmp_path / "rows.qrels"
    path.write_bytes(make(LINES))
    waiting = [change]

    def change_once(done, total):
        if waiting and done > 300_000:
            waiting.pop()(path)

    with pytest.raises(InputError, match=CHANGED):
        read_file(path, progress=change_once)
    assert not waiting


def test_a_file_that_is_deleted_after_it_was_opened_is_read(tmp_path):
    """What was read of it is all that it held."""
    path = tmp_path / "rows.qrels"
    path.write_text(LINES)
    reading = read_file(path, progress=lambda _done, _total: path.unlink(missing_ok=True))
    assert len(reading.judgments) == 120_000


@pytest.fixture
def restless(tmp_path):
    """A file that is written all the time, as its time says."""
    path, is_over = tmp_path / "rows", threading.Event()

    def write():
        for count in itertools.count(1):
            if is_over.wait(0.0001):
                return
            os.utime(path, ns=(count * 1_000_000, count * 1_000_000))

    path.write_text(LINES * MANY)
    writer = threading.Thread(target=write)
    writer.start()
    yield path
    is_over.set()
    writer.join()


def test_commands_refuse_a_file_that_changes(restless, tmp_path):
    """Neither values nor a project are made of it, and the exit code is 1."""
    run, project = tmp_path / "a.run", tmp_path / "a.judge"
    run.write_text("".join(f"q{n} Q0 d{n} 1 1 a\n" for n in range(9)))
    must("new", project, "--scale", "0-3")
    before = project.read_bytes()
    for words in (("score", restless, run), ("import", project, "--qrels", restless)):
        outcome = call(*words)
        assert (outcome.code, outcome.out) == (1, "")
        assert CHANGED in outcome.err
    assert project.read_bytes() == before


def test_a_run_that_changes_is_not_scored(tmp_path, restless):
    """Also where only a part of each line is looked at."""
    restless.write_text("".join(f"q{n // 100} Q0 d{n} 1 {-n} a\n" for n in range(MANY * 120_000)))
    qrels = tmp_path / "some.qrels"
    qrels.write_text("q1 0 d100 1\n")
    outcome = call("score", qrels, restless)
    assert (outcome.code, outcome.out) == (1, "")
    assert CHANGED in outcome.err
