"""``judgetool effort``: the log's statistics for scripts."""

import csv

import pytest

from judgetool.core.clock import iso_utc
from judgetool.session.commands import Say
from judgetool.session.effort import COLUMNS, EFFORT_BY
from judgetool.session.opening import open_project
from judgetool.session.team.disputes import settle
from tests.helpers.program import call, must


@pytest.fixture
def judged(empty):
    """A project in which anna has judged two documents of one query."""
    must("import", empty, "--run", "-", stdin="q 0 d1 1 9 a\nq 0 d2 2 8 a\n")
    with open_project(empty, assessor="anna") as session:
        for name, grade in (("d1", 3), ("d2", 1)):
            document = session.material.find_document(name)
            session.execute(Say.grade(0, document, grade), origin="key", spent_ms=1500)
    return empty


@pytest.mark.parametrize("by", EFFORT_BY)
def test_effort_prints_a_table(judged, by):
    """A header and a line for each assessor, query or judgment."""
    header, *rows = must("effort", judged, "--by", by).rows
    assert tuple(header) == COLUMNS[by]
    assert len(rows) == (2 if by == "judgment" else 1)


def test_effort_of_an_assessor_adds_up(judged):
    """Two documents in three seconds, both by key."""
    header, row = must("effort", judged).rows
    values = dict(zip(header, row, strict=True))
    assert (values["assessor"], values["judged"], values["active_s"]) == ("anna", "2", "3.0")
    assert (values["median_active_s"], values["key_share"]) == ("1.5", "1.000")
    assert (values["judged_per_active_hour"], values["grades"]) == ("2400.0", "1:1 3:1")


def test_what_was_settled_is_nobodys_effort(judged):
    """No row, no grade, and no grade just before another."""
    before = [must("effort", judged, "--by", by).out for by in EFFORT_BY]
    with open_project(judged, assessor="anna") as session:
        session.execute(settle(0, session.material.find_document("d1"), 2), origin="key")
    assert [must("effort", judged, "--by", by).out for by in EFFORT_BY] == before


def test_effort_of_nobody_is_a_header(empty):
    """A project in which nobody has judged has no lines."""
    assert len(must("effort", empty).rows) == 1


@pytest.mark.parametrize("at", [-5, 10**15, 9 * 10**18])
def test_a_judgment_of_any_moment_is_told(judged, at):
    """What a wrong clock has written stays: before 1970, and beyond the calendar's year 9999."""
    with open_project(judged, assessor="ben", clock=lambda: at) as session:
        session.execute(Say.grade(0, 1, 2))
    told = [row[-1] for row in must("effort", judged).rows if row[0] == "ben"]
    assert told == [iso_utc(at)]


def test_a_moment_that_is_not_read_back_is_not_exported(judged, tmp_path):
    """A judgment of a year after 9999 is exported without its time, and imported again."""
    with open_project(judged, assessor="ben", clock=lambda: 10**15) as session:
        session.execute(Say.grade(0, 1, 2))
    must("export", judged, "--judgments", tmp_path / "out.csv")
    told = must("import", judged, "--qrels", tmp_path / "out.csv").out
    assert "3 unchanged" in told
    assert "left out" not in told


def test_effort_is_written_as_csv(judged, tmp_path):
    """To a file, or to standard output."""
    path = tmp_path / "effort.csv"
    assert must("effort", judged, "--by", "judgment", "--csv", path).out == ""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["document"], row["grade"], row["previous_grade"]) for row in rows] == [
        ("d1", "3", ""),
        ("d2", "1", "3"),
    ]
    printed = must("effort", judged, "--by", "judgment", "--csv", "-").out
    assert printed.splitlines() == path.read_text(encoding="utf-8").splitlines()


def test_effort_never_changes_the_project(judged):
    """The file has the same bytes afterwards."""
    before = judged.read_bytes()
    must("effort", judged, "--by", "query")
    assert judged.read_bytes() == before


def test_unknown_kind_of_row_is_wrong_usage(judged):
    """Exit code 2, and the choices."""
    answer = call("effort", judged, "--by", "day")
    assert answer.code == 2
    assert "assessor" in answer.err
