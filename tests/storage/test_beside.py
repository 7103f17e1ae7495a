"""What other programs do to the files of a project that is open."""

import shutil
import subprocess
import sys
from contextlib import closing

import apsw
import pytest

from judgetool.core.clock import utc_ms
from judgetool.core.held_files import beside
from judgetool.core.scale import scale_preset
from judgetool.errors import ProjectMovedError, SaveError
from judgetool.session.jobs import values_job
from judgetool.session.opening import create_project
from judgetool.storage.project_file import ProjectFile
from judgetool.storage.values import load_values


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "a.judge"
    create_project(found, scale=scale_preset("0-3"))
    return found


@pytest.fixture
def file(path):
    opened = ProjectFile(path, read_only=False)
    opened.write(set_meta("first"))
    yield opened
    opened.close()


def set_meta(key):
    return lambda connection: connection.execute("INSERT INTO meta VALUES(?, '')", (key,))


def keys_seen_elsewhere(path):
    """Look at a project with another program, as the last user of its log if it is let."""
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); "
        "print(*[key for key, in c.execute('SELECT key FROM meta')]); c.close()"
    )
    command = [sys.executable, "-c", code, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="locks of an open file are Linux's")
@pytest.mark.parametrize("ending", ["", "-shm", "-wal"])
def test_closing_a_descriptor_leaves_the_log_in_place(file, path, ending):
    """Whatever in the process closes one of the files, another program cannot delete the log."""
    log = beside(path, "-wal").stat().st_ino
    beside(path, ending).open("rb").close()
    assert "first" in keys_seen_elsewhere(path)
    assert beside(path, "-wal").stat().st_ino == log
    file.write(set_meta("second"))
    assert "second" in keys_seen_elsewhere(path)


def delete_log(path):
    beside(path, "-wal").unlink()


def replace_log(path):
    other = path.with_name("other")
    shutil.copy(beside(path, "-wal"), other)
    other.replace(beside(path, "-wal"))


def replace_file(path):
    other = path.with_name("other")
    shutil.copy(path, other)
    other.replace(path)


def overwrite(path):
    resting = path.with_name("resting.judge")
    create_project(resting, scale=scale_preset("0-3"))
    shutil.copyfile(resting, path)


def truncate(path):
    with path.open("r+b") as stream:
        stream.truncate(5_000)


@pytest.mark.parametrize("deed", [delete_log, replace_log, replace_file, overwrite, truncate])
def test_what_would_be_lost_is_not_called_saved(file, path, deed):
    """A log deleted, a file replaced, overwritten or cut: the next save is refused in words."""
    deed(path)
    before = path.read_bytes()
    with pytest.raises(ProjectMovedError, match=r"^Not saved: a\.judge .* until you choose where"):
        file.write(set_meta("second"))
    file.close()
    assert path.read_bytes() == before


def test_a_file_that_was_cut_is_refused_at_each_try(file, path):
    """What was seen of it in the meantime does not make it whole."""
    truncate(path)
    for key in ("second", "third"):
        with pytest.raises(ProjectMovedError, match="overwritten"):
            file.write(set_meta(key))


@pytest.mark.parametrize("deed", [delete_log, replace_log, replace_file])
def test_it_can_be_saved_elsewhere(file, path, deed):
    """What was written before, and is in the log that has no name any more, goes into the copy."""
    deed(path)
    file.copy_to(path.with_name("copy.judge"))
    assert "first" in keys_seen_elsewhere(path.with_name("copy.judge"))


def test_a_copy_of_what_was_overwritten_is_not_made_unsound(file, path):
    """A copy is checked before it gets its name; a mixture of two files gets none."""
    truncate(path)
    copy = path.with_name("copy.judge")
    with pytest.raises(
        SaveError,
        match=r"a\.judge is not sound. ‘judgetool recover \S+a\.judge copy\.judge --id [0-9a-f-]{36}’",
    ):
        file.copy_to(copy)
    assert not copy.exists()


def put_in_place(path):
    """Move an older file over a project's, as a program that keeps folders in step does."""
    older = path.with_name("older.judge")
    older.rename(path)


def copy_over(path):
    path.write_bytes(path.with_name("older.judge").read_bytes())


@pytest.fixture
def resting(path):
    """A project that is open while nothing was written since, and an older file of it."""
    shutil.copy(path, path.with_name("older.judge"))
    with closing(ProjectFile(path, read_only=False)) as opened:
        opened.write(said_title("newest"))
    with closing(ProjectFile(path, read_only=False)) as opened:
        yield opened


def said_title(title):
    return values_job(
        {"title": title}, title="Title", assessor_id=None, at=utc_ms(), kind="project"
    )


@pytest.mark.parametrize("deed", [put_in_place, copy_over])
def test_an_older_file_in_place_before_the_first_change_is_not_written_to(resting, path, deed):
    """It is noticed by who only looks, refused to who changes something, and stays as it is."""
    assert resting.find_trouble() == ""
    deed(path)
    before = path.read_bytes()
    assert "while it was open" in resting.find_trouble()
    for _ in range(2):
        with pytest.raises(
            ProjectMovedError, match=r"^Not saved: a\.judge .* until you choose where"
        ):
            resting.write(said_title("next"))
    assert path.read_bytes() == before
    assert not beside(path, "-wal").exists()


def test_what_another_file_took_the_place_of_can_be_saved_elsewhere(resting, path):
    """All of it, also before anything was written."""
    copy = path.with_name("copy.judge")
    put_in_place(path)
    resting.copy_to(copy)
    with closing(ProjectFile(copy, read_only=True)) as opened:
        assert load_values(opened.reader)["title"] == "newest"


def test_what_was_copied_over_is_not_saved_elsewhere_as_what_was_open(resting, path):
    """Nothing is left of it but backup and safety log, and that is said."""
    copy_over(path)
    with pytest.raises(SaveError, match=r"a\.judge was overwritten .* ‘judgetool recover"):
        resting.copy_to(path.with_name("copy.judge"))
    assert not path.with_name("copy.judge").exists()


def test_nobody_looks_into_another_file(resting, path):
    """A look from another thread is refused as well, in place of a mixture of two projects."""
    put_in_place(path)
    with pytest.raises(ProjectMovedError, match="replaced by another file while it was open"):
        resting.open_reader()


def test_what_another_judgetool_writes_is_no_other_file(resting, path):
    """Beside a window, of another person's data folder: both go on."""
    other = ProjectFile(path, read_only=True)
    other.read_only_reason = ""
    other.write(said_title("by another"))
    other.close()
    assert resting.find_trouble() == ""
    resting.write(said_title("next"))


def test_a_log_that_is_brought_in_by_parts_is_no_other_program(file, path):
    """While something reads, newer pages stay in the log: the file is then shorter than it says."""
    rows = [(f"{number:04d}", "a" * 3_000) for number in range(700)]
    file.write(lambda connection: connection.executemany("INSERT INTO meta VALUES(?, ?)", rows))
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN").execute("SELECT count(*) FROM meta").fetchall()
    change = "UPDATE meta SET value = replace(value, 'a', 'b') WHERE key > '0350'"
    file.write(lambda connection: connection.execute(change))
    file.write(set_meta("second"))
    n_bytes = int.from_bytes(path.read_bytes()[28:32], "big") * 4096
    assert path.stat().st_size < n_bytes
    reader.close()
    file.write(set_meta("third"))
    assert {"second", "third"} <= set(keys_seen_elsewhere(path))
