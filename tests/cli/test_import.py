"""`judgetool new` and `judgetool import`."""

import hashlib
import os
import subprocess
import sys

import pytest

from tests.helpers.program import QRELS, RUNS, SAMPLE, call, must


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_new_refuses_to_overwrite(empty):
    """A file that exists is left alone."""
    before = digest(empty)
    found = call("new", empty)
    assert found.code == 1
    assert str(empty) in found.err
    assert digest(empty) == before


@pytest.mark.parametrize("preset", ["binary", "0-3", "0-4", "yandex", "esci", "wands"])
def test_new_takes_every_scale_preset(tmp_path, preset):
    """The scale presets of the contract exist."""
    must("new", tmp_path / "a.judge", "--scale", preset)
    assert preset in must("show", tmp_path / "a.judge").out


def test_any_mix_comes_in_at_once(sample):
    """Queries, documents, runs and judgments of the sample are all there after one command."""
    rows = dict(must("show", sample).rows)
    assert (rows["queries"], rows["documents"], rows["runs"], rows["judgments"]) == (
        *("20", "161", "3", "342"),
    )


def test_report_counts_what_was_read_and_new(empty):
    """The report tells records, new ones and refused lines of each file."""
    found = must("import", empty, "--queries", SAMPLE / "queries.tsv")
    assert "20 queries: 20 new, 0 changed, 0 unchanged; 0 refused" in found.out


def test_second_import_changes_nothing(sample):
    """What a project has already is counted as unchanged."""
    report = must("import", sample, "--queries", SAMPLE / "queries.jsonl", "--format", "json").json
    assert (report["n_new"], report["n_changed"], report["n_unchanged"]) == (0, 0, 20)
    assert report["is_written"] is False


def test_refused_lines_are_named(empty, tmp_path):
    """A line that does not fit is left out and reported with number and reason."""
    qrels = tmp_path / "q.txt"
    qrels.write_text("1 0 d1 2\n1 0 d2\n1 0 d3 9\n", encoding="utf-8")
    report = must("import", empty, "--qrels", qrels, "--format", "json").json
    (file,) = report["files"]
    assert (file["n_records"], file["n_refused"]) == (1, 2)
    assert file["refusals"][0] == {"line": 2, "reason": "expected 4 columns, found 3"}
    assert "9 is not on this scale" in file["refusals"][1]["reason"]


def test_dry_run_writes_nothing_and_says_so(empty):
    """--dry-run reports as the real import would and leaves the file byte for byte."""
    before = digest(empty)
    found = must("import", empty, "--run", *RUNS, "--dry-run")
    assert "nothing was written" in found.out
    assert digest(empty) == before
    assert must("show", empty, "--runs").rows == [["name", "queries", "results", "source"]]


def test_ids_of_runs_and_qrels_become_queries(empty):
    """A project without queries takes them from what judges and ranks them."""
    must("import", empty, "--run", RUNS[0], "--qrels", QRELS)
    assert len(must("show", empty, "--queries").rows) == 21


def test_assessor_takes_judgments_that_name_nobody(empty):
    """--assessor says whose judgments a qrels file holds; rows that name someone keep them."""
    must("import", empty, "--qrels", QRELS, "--assessor", "lead")
    assert {row[2] for row in must("show", empty, "--judgments").rows[1:]} == {"lead"}


def test_unreadable_file_stops_before_anything_is_written(empty, tmp_path):
    """When one file cannot be used at all, nothing of the others is imported either."""
    junk = tmp_path / "junk.run"
    junk.write_bytes(b"\0" * 100)
    found = call("import", empty, "--queries", SAMPLE / "queries.tsv", "--run", junk)
    assert found.code == 1
    assert "junk.run" in found.err
    assert must("show", empty, "--queries").rows == [["id", "text", "judged", "total"]]


def test_standard_input_is_a_file(empty):
    """`-` reads standard input."""
    must("import", empty, "--queries", "-", stdin="7\tcold soup\n")
    assert must("show", empty, "--queries").rows[1] == ["7", "cold soup", "0", "0"]


def test_options_may_be_repeated_or_take_several_files(empty, tmp_path):
    """--run a --run b and --run a b are the same."""
    must("import", empty, "--run", RUNS[0], "--run", RUNS[1], RUNS[2])
    assert len(must("show", empty, "--runs").rows) == 4
    other = tmp_path / "b.judge"
    must("new", other)
    must("import", "--run", RUNS[0], other)
    assert len(must("show", other, "--runs").rows) == 2


def test_missing_project_is_a_sentence(tmp_path):
    """A project that is not there is named, with the command that makes one."""
    found = call("import", tmp_path / "no.judge", "--run", RUNS[0])
    assert found.code == 1
    assert "judgetool new no.judge" in found.err


def test_results_table_brings_queries_documents_and_a_run(empty):
    """Ranked results with texts inside need no other file."""
    must("import", empty, "--results", SAMPLE / "results.csv")
    rows = dict(must("show", empty).rows)
    assert rows["runs"] == "1"
    assert int(rows["queries"]) > 10


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal is made by pty")
def test_progress_is_shown_on_a_terminal_alone(empty):
    """On a terminal a bar goes to standard error; the report stays what it is."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "judgetool", "import", str(empty), "--run", RUNS[0]]
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True)
    os.close(theirs)
    shown = os.read(ours, 65536)
    os.close(ours)
    assert b"Reading chargrams.run" in shown
    assert found.stdout.startswith(RUNS[0])
    quiet = subprocess.run([*command, "--dry-run"], capture_output=True, check=True)
    assert quiet.stderr == b""
