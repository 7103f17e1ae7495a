"""`judgetool check`."""

import contextlib
import sqlite3

from tests.helpers.program import call, must


def change(project, sql):
    """Do to a project's file what no program of ours does."""
    with contextlib.closing(sqlite3.connect(project)) as connection, connection:
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute(sql)


def test_sound_project_is_called_sound(sample):
    """Exit code 0, what is in the file, and the word."""
    found = must("check", sample)
    assert ["judgments", "342"] in found.rows
    assert {"queries", "documents", "documents with text", "runs"} <= {row[0] for row in found.rows}
    assert found.out.splitlines()[-1].endswith("is sound.")


def test_what_was_settled_is_no_assessor(empty):
    """Neither the check nor what is shown counts it among people."""
    table = "query,document,assessor,grade\nq,a,anna,2\n"
    must("import", empty, "--qrels", "-", stdin=table)
    must("import", empty, "--qrels", "-", "--settled", stdin="query,document,grade\nq,a,1\n")
    assert ["assessors", "1"] in must("check", empty).rows
    assert ["assessors", "anna"] in must("show", empty).rows


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


def test_what_stands_in_the_place_of_a_number_is_shown_as_it_is(empty):
    """Of a ranking whose query is no number any more, in both sentences about it."""
    must("import", empty, "--run", "-", stdin="q 0 d 1 1 run\np 0 d 1 1 run\n")
    schema = "UPDATE sqlite_schema SET sql = {} WHERE name = 'rankings'"
    change(empty, schema.format("replace(sql, ' STRICT', '')"))
    change(
        empty, "UPDATE rankings SET query_id = x'736f7570', docs = x'09000000' WHERE query_id = 1"
    )
    change(empty, schema.format("sql || ' STRICT'"))
    found = call("check", empty)
    assert found.code == 1
    assert found.err.count("The ranking of run 1 for query soup (by internal number)") == 2


def test_other_files_are_no_projects(tmp_path):
    """A text file is not a damaged project but no project."""
    path = tmp_path / "a.judge"
    path.write_text("hello", encoding="utf-8")
    found = call("check", path)
    assert found.code == 1
    assert "not a judgetool project" in found.err
