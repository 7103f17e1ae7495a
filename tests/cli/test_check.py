"""`judgetool check`."""

import sqlite3

from tests.helpers.program import call, must


def test_sound_project_is_called_sound(sample):
    """Exit code 0, what is in the file, and the word."""
    found = must("check", sample)
    assert ["judgments", "342"] in found.rows
    assert {"queries", "documents", "documents with text", "runs"} <= {row[0] for row in found.rows}
    assert found.out.splitlines()[-1].endswith("is sound.")


def test_checking_changes_nothing(sample):
    """The file stays byte for byte."""
    before = sample.read_bytes()
    must("check", sample)
    assert sample.read_bytes() == before


def test_changed_grade_is_found(empty):
    """A judgment changed by another program does not match the log."""
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t1\n")
    connection = sqlite3.connect(empty)
    connection.execute("UPDATE judgments SET grade = 3")
    connection.commit()
    connection.close()
    found = call("check", empty)
    assert found.code == 1
    assert "not what the log says" in found.err


def test_other_files_are_no_projects(tmp_path):
    """A text file is not a damaged project but no project."""
    path = tmp_path / "a.judge"
    path.write_text("hello", encoding="utf-8")
    found = call("check", path)
    assert found.code == 1
    assert "not a judgetool project" in found.err
