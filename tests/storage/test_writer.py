"""The writer: one at a time, durable before it answers, nothing half."""

import contextlib
import sys
import threading
from collections import Counter
from pathlib import Path

import apsw
import pytest

from judgetool.core.judgments import Document, Query
from judgetool.core.scale import scale_preset
from judgetool.errors import ProjectMovedError, ReadOnlyError
from judgetool.session.commands import AddDocument, Say, WriteQuery
from judgetool.session.opening import create_project, open_project
from judgetool.storage.connection import ProjectConnection, enter_wal, read_header
from judgetool.storage.project_file import BULK, URGENT, ProjectFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.judge"
    create_project(found, scale=scale_preset("0-3"))
    return found


@pytest.fixture
def file(path):
    opened = ProjectFile(path, read_only=False)
    yield opened
    opened.close()


def set_meta(key):
    return lambda connection: connection.execute("INSERT INTO meta VALUES(?, '')", (key,))


def meta_keys(file):
    return {key for (key,) in file.reader.execute("SELECT key FROM meta")}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_where_no_log_can_be_kept_beside_it_each_save_is_synced_most(tmp_path):
    """As on network drives: SQLite's locks by files share no memory, which a log needs."""
    connection = ProjectConnection(str(tmp_path / "a.db"), vfs="unix-dotfile")
    enter_wal(connection)
    assert (connection.pragma("journal_mode"), connection.pragma("synchronous")) == ("delete", 3)
    apsw.Connection.close(connection)


def test_what_is_opened_for_looking_writes_nothing_however_it_is_asked(path):
    """At once, or when its turn comes: why is said, and the file is as it was."""
    before = path.read_bytes()
    with contextlib.closing(ProjectFile(path, read_only=True)) as looking:
        with pytest.raises(ReadOnlyError, match="opened for looking only"):
            looking.write(set_meta("x"))
        with pytest.raises(ReadOnlyError, match="opened for looking only"):
            looking.begin_write(set_meta("x")).result()
    assert path.read_bytes() == before


def test_job_that_raises_leaves_nothing(file):
    """A job that fails half way is rolled back whole, and its own exception comes out."""

    def job(connection):
        set_meta("half")(connection)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        file.write(job)
    assert "half" not in meta_keys(file)


def test_a_file_that_goes_during_the_commit_is_not_called_saved(path, file):
    """The file is looked for after the commit, too: SQLite itself says 'ok' to it."""

    def job(connection):
        set_meta("written")(connection)
        path.rename(path.with_name("elsewhere.judge"))

    with pytest.raises(ProjectMovedError):
        file.write(job)


def test_urgent_jobs_pass_bulk_jobs(file):
    """A judgment waits for the chunk under way, never for the chunks behind it."""
    order = []
    gate, started = threading.Event(), threading.Event()

    def first(_connection):
        started.set()
        gate.wait(60)

    def noted(name):
        return lambda _connection: order.append(name)

    threads = [threading.Thread(target=file.write, args=(first,), kwargs={"priority": BULK})]
    threads[0].start()
    started.wait(60)
    for name, priority in (("bulk", BULK), ("urgent", URGENT)):
        thread = threading.Thread(
            target=file.write, args=(noted(name),), kwargs={"priority": priority}
        )
        thread.start()
        threads.append(thread)
        while file._writer._queue.qsize() < len(threads) - 1:
            pass
    gate.set()
    for thread in threads:
        thread.join()
    assert order == ["urgent", "bulk"]


def test_at_rest_the_project_is_one_file_in_rollback_mode(path):
    """After writing and closing there is no -wal and no -shm, and a copy is complete."""
    file = ProjectFile(path, read_only=False)
    file.write(set_meta("a"))
    assert path.with_name("a.judge-wal").exists()
    file.close()
    assert [found.name for found in path.parent.iterdir()] == ["a.judge"]
    assert not read_header(path).is_wal


@pytest.mark.parametrize("fate", ["moved", "deleted", "replaced"])
def test_vanished_file_is_noticed_before_the_save_is_told(file, path, fate):
    """A file moved, deleted or replaced under the program refuses the save, and can be rescued."""
    file.write(set_meta("before"))
    copy = path.read_bytes()
    if fate == "moved":
        path.rename(path.with_name("elsewhere"))
    else:
        path.unlink()
    if fate == "replaced":
        path.write_bytes(copy)
    said = "replaced by another file" if fate == "replaced" else "moved or deleted"
    with pytest.raises(ProjectMovedError, match=said):
        file.write(set_meta("after"))
    rescued = path.with_name("rescued.judge")
    file.copy_to(rescued)
    again = ProjectFile(rescued, read_only=False)
    assert "before" in meta_keys(again)
    assert "after" not in meta_keys(again)
    again.close()


def test_second_writer_reads_only_and_is_told_who_writes(file, path):
    """The second one to open a project can look; the sentence names the process."""
    second = ProjectFile(path, read_only=False)
    assert "process" in second.read_only_reason
    with pytest.raises(ReadOnlyError, match="Another judgetool"):
        second.write(set_meta("b"))
    second.close()


def test_lock_is_free_after_closing(path):
    """Closing lets the next one write."""
    ProjectFile(path, read_only=False).close()
    again = ProjectFile(path, read_only=False)
    assert again.read_only_reason == ""
    again.close()


def test_reader_sees_what_was_written(file):
    """What a job wrote is there for the reader as soon as it is told."""
    file.write(set_meta("seen"))
    assert "seen" in meta_keys(file)


@pytest.mark.parametrize("writes_first", [False, True])
def test_a_copy_can_be_saved_before_and_after_the_first_change(file, path, writes_first):
    """A copy is complete and at rest, also one of a project that was only looked at."""
    if writes_first:
        file.write(set_meta("a"))
    target = path.with_name("copy.judge")
    file.copy_to(target)
    assert not read_header(target).is_wal
    again = ProjectFile(target, read_only=True)
    assert ("a" in meta_keys(again)) == writes_first
    again.close()


def test_a_long_log_goes_into_the_file_between_jobs(file, path):
    """Without a moment of rest the write-ahead log stays short all the same."""
    text = "x" * 400_000
    for number in range(60):
        file.write(
            lambda connection, key=f"long{number}": connection.execute(
                "INSERT INTO meta VALUES(?, ?)", (key, text)
            )
        )
    assert path.with_name(f"{path.name}-wal").stat().st_size < 8_000_000
    assert len([key for key in meta_keys(file) if key.startswith("long")]) == 60


def test_a_judgment_goes_through_no_table(path):
    """However many steps there are: each of its statements finds its rows by an index."""
    gone_through = Counter()

    def note(statement):
        gone_through[statement["sql"]] += statement["stmt_status"][
            "SQLITE_STMTSTATUS_FULLSCAN_STEP"
        ]

    def watch(connection):
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)

    apsw.connection_hooks.append(watch)
    try:
        with open_project(path, assessor="anna") as session:
            session.execute(WriteQuery(Query("q")))
            session.execute(AddDocument(0, Document("d")))
            document = session.material.find_document("d")
            for number in range(60):
                session.execute(Say.grade(0, document, float(number % 2)))
            gone_through.clear()
            session.execute(Say.grade(0, document, 3.0))
            session.undo()
            session.execute(Say.grade(0, document, 2.0))
    finally:
        apsw.connection_hooks.remove(watch)
    steps = {sql: n for sql, n in gone_through.items() if n > 50 and "steps" in sql}
    assert steps == {}
