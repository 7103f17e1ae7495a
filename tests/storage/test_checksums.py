"""What another program, or a disk, changes in a project is found by ``check``."""

import gzip
import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from judgetool.session.safety import check_project

DATA = Path(__file__).parent / "data"

CHANGES = {
    "title of a step": "UPDATE steps SET title = title || ' x' WHERE step_id = 3",
    "time of a step": "UPDATE steps SET at = at + 1 WHERE step_id = 3",
    "name of an assessor": "UPDATE assessors SET name = 'bem' WHERE name = 'ben'",
    "kind of an assessor": "UPDATE assessors SET kind = 'import' WHERE name = 'ben'",
    "name of a run": "UPDATE runs SET name = 'onf' WHERE name = 'one'",
    "text of a query": "UPDATE query_texts SET text = 'x' WHERE query_id = 2",
    "weight of a query": "UPDATE query_texts SET weight = 1.0000000000000002 WHERE query_id = 2",
    "body of a document": "UPDATE document_texts SET body = replace(body, '5', '6')",
    "own field of a document": "UPDATE document_texts SET fields = '{\"rating\": 2}'",
    "title no longer UTF-8": "UPDATE document_texts SET title = CAST(x'54FF' AS TEXT)",
    "text gone": "DELETE FROM document_texts WHERE document_id = 5",
    "document in a ranking": "UPDATE rankings SET docs = CAST(x'02000000' || substr(docs, 5) AS BLOB)",
    "scores of a ranking": "UPDATE rankings SET scores = NULL WHERE run_id = 1 AND query_id = 1",
    "title of the project": "UPDATE project_values SET value = '\"y\"' WHERE key = 'title'",
    "value gone": "DELETE FROM project_values WHERE key = 'measures'",
    "what a value was": "UPDATE value_events SET before = '1' WHERE value_event_id = 2",
    "which line a value replaced": (
        "UPDATE value_events SET parents = randomblob(16) WHERE value_event_id = 3"
    ),
    "name of a line of the values": (
        "UPDATE value_events SET uuid = randomblob(16) WHERE value_event_id = 2"
    ),
    "which line another replaced": (
        "DROP TRIGGER events_keep_values; UPDATE events SET parents = randomblob(16) WHERE "
        "event_id = 5; CREATE TRIGGER events_keep_values BEFORE UPDATE ON events "
        "BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END"
    ),
    "time of an undo": "UPDATE step_events SET at = at + 1",
    "time of a judgment": "UPDATE judgments SET at = at - 1 WHERE assessor_id = 1",
    "grade": "UPDATE judgments SET grade = 2 WHERE grade = 3",
    "identity": "UPDATE meta SET value = replace(value, '-', '+') WHERE key = 'uuid'",
}


@pytest.fixture(params=["new file", "looked at"])
def project(tmp_path, request):
    path = tmp_path / "a.judge"
    path.write_bytes(gzip.decompress((DATA / "schema-2.judge.gz").read_bytes()))
    if request.param == "new file":
        open_project(path).close()
    return path


@pytest.fixture
def upgraded(tmp_path):
    path = tmp_path / "a.judge"
    path.write_bytes(gzip.decompress((DATA / "schema-2.judge.gz").read_bytes()))
    open_project(path).close()
    return path


def change_elsewhere(path, sql):
    """Change a project with another program: in another process, so that no locks mix."""
    code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()"
    subprocess.run([sys.executable, "-c", code, str(path), sql], check=True)


def test_a_sound_file_has_no_problems(project):
    """Neither a file of an older schema nor one brought up to date is accused of anything."""
    assert check_project(project).problems == []


@pytest.mark.parametrize("sql", CHANGES.values(), ids=CHANGES)
def test_what_was_changed_is_named(upgraded, sql):
    """Whatever a stored row says otherwise than it was written is a problem."""
    change_elsewhere(upgraded, sql)
    assert check_project(upgraded).problems


def test_lines_of_the_log_match_whatever_python_knows_of_unicode(upgraded):
    """A sign that an older Python does not know yet gives the same checksum there."""
    with open_project(upgraded, assessor="anna") as session:
        session.execute(Say.note(0, 1, "schön \U0001fae8"))
    assert check_project(upgraded).problems == []
    with closing(sqlite3.connect(upgraded)) as connection:
        *row, found = connection.execute(
            "SELECT uuid, step_id, at, query_id, document_id, assessor_id, origin, before, "
            "before_step, after, after_step, spent_ms, shown, parents, row_hash FROM events "
            "ORDER BY event_id DESC LIMIT 1"
        ).fetchone()
    assert any("schön" in str(value) for value in row)
    assert found == hashlib.blake2b(ascii(tuple(row)).encode(), digest_size=8).digest()
