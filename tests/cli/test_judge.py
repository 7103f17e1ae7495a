"""`judgetool judge` and `judgetool show`."""

import os
import signal
import subprocess
import sys

import pytest

from judgetool.session.opening import open_project
from tests.helpers.program import call, must

HEADER = ["query", "document", "assessor", "grade", "state"]


def judged(project):
    return must("show", project, "--judgments").rows


def test_each_line_is_acknowledged_by_its_number(empty):
    """ACK n stands for line n."""
    found = must("judge", empty, "--assessor", "anna", stdin="1\td1\t2\n1\td2\t0\n")
    assert found.out == "ACK 1\nACK 2\n"
    assert judged(empty) == [
        HEADER,
        ["1", "d1", "anna", "2", "judged"],
        ["1", "d2", "anna", "0", "judged"],
    ]


def test_dash_takes_a_judgment_back(empty):
    """The grade `-` clears."""
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t2\n1\td1\t-\n")
    assert judged(empty) == [HEADER]


def test_same_grade_again_is_acknowledged(empty):
    """A line that changes nothing is durable already."""
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t2\n")
    assert must("judge", empty, "--assessor", "anna", stdin="1\td1\t2\n").out == "ACK 1\n"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("1\td1", "found 2 columns"),
        ("1 d1 2", "found 1 column"),
        ("1\td1\ttwo", "neither a number"),
        ("1\td1\t9", "not on this scale"),
        ("\td1\t1", "no id"),
        ("", "found 1 column"),
    ],
)
def test_line_that_does_not_fit_ends_the_command(empty, line, word):
    """It is named with its number; what was acknowledged before stays."""
    found = call("judge", empty, "--assessor", "anna", stdin=f"1\td0\t1\n{line}\n1\td5\t1\n")
    assert (found.code, found.out) == (1, "ACK 1\n")
    assert "line 2" in found.err
    assert word in found.err
    assert "Line 1 is saved" in found.err
    assert [row[1] for row in judged(empty)[1:]] == ["d0"]


def test_bytes_that_are_no_text_are_refused(empty):
    """A line that is not UTF-8 does not become an id."""
    found = call("judge", empty, "--assessor", "anna", stdin=b"1\t\xff\t1\n")
    assert (found.code, found.out) == (1, "")
    assert "UTF-8" in found.err


def test_unknown_ids_are_added_with_a_note(empty):
    """Queries and documents that the project lacks are added, and standard error says so."""
    found = must("judge", empty, "--assessor", "anna", stdin="q\td1\t1\nq\td2\t1\n")
    assert "1 query id" in found.err
    assert "2 document ids" in found.err


@pytest.mark.parametrize("line", ["q\td1\t9", "q\td1\t-"])
def test_no_id_is_added_for_nothing(empty, line):
    """A grade that is refused, or nothing to take back, adds neither query nor document."""
    call("judge", empty, "--assessor", "anna", stdin=f"{line}\n")
    rows = dict(must("show", empty).rows)
    assert (rows["queries"], rows["documents"]) == ("0", "0")


def test_known_only_refuses_unknown_ids(sample):
    """With --known-only a wrong id is an error of the input."""
    for line in ("nowhere\tr001\t1\n", "1\tnothing\t1\n"):
        found = call("judge", sample, "--assessor", "x", "--known-only", stdin=line)
        assert found.code == 1
        assert "there is no" in found.err


def test_ids_are_kept_as_they_are(empty):
    """Blanks, quotes, leading zeros, backslashes and combining marks are part of an id.

    What could not be seen else, as blanks at an end, is shown in quotes.
    """
    ids = ["007", "7", " d ", "a\\tb", "NA", "e\u0301", "é", '"q', "#1", "x\u00a0y"]
    lines = "".join(f"{each}\t{each}\t1\n" for each in ids)
    must("judge", empty, "--assessor", "anna", stdin=lines)
    shown = ['" d "' if each == " d " else each for each in ids]
    assert sorted(row[0] for row in judged(empty)[1:]) == sorted(shown)


def test_one_undo_step_per_line(empty):
    """The judgments of a script can be undone like any other."""
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t1\n1\td1\t3\n")
    with open_project(empty, assessor="anna") as session:
        session.undo()
    assert judged(empty)[1][3] == "1"


def test_acknowledged_before_the_next_line_is_read(empty):
    """A killed process loses nothing that it had acknowledged."""
    command = [sys.executable, "-m", "judgetool", "judge", str(empty), "--assessor", "anna"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for number in range(1, 6):
            process.stdin.write(f"1\td{number}\t1\n".encode())
            process.stdin.flush()
            assert process.stdout.readline() == f"ACK {number}\n".encode()
        os.kill(process.pid, signal.SIGKILL)
    assert [row[1] for row in judged(empty)[1:]] == [f"d{number}" for number in range(1, 6)]


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_who_is_asked_to_end_closes_the_project_first(empty, name, code):
    """With 130 or 143, as shells have it; what was acknowledged stays, in the file alone."""
    command = [sys.executable, "-m", "judgetool", "judge", str(empty), "--assessor", "anna"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes) as process:
        process.stdin.write(b"1\td1\t1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"ACK 1\n"
        process.send_signal(getattr(signal, name))
        assert (process.wait(), b"Traceback" in process.stderr.read()) == (code, False)
    assert not empty.with_name(f"{empty.name}-wal").exists()
    assert [row[1] for row in judged(empty)[1:]] == ["d1"]


def test_show_works_while_another_process_judges(empty):
    """Looking needs no lock, and sees what was acknowledged."""
    command = [sys.executable, "-m", "judgetool", "judge", str(empty), "--assessor", "anna"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"1\td1\t1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"ACK 1\n"
        assert len(judged(empty)) == 2
        busy = call("judge", empty, "--assessor", "ben", stdin="1\td1\t1\n")
        process.stdin.close()
        assert process.wait() == 0
    assert (busy.code, busy.out) == (1, "")
    assert str(process.pid) in busy.err


def test_full_disk_is_not_acknowledged(empty):
    """When a judgment cannot be written, its line gets no ACK and the exit code is 1."""
    lines = "".join(f"q{number}\td{number}\t1\n" for number in range(4000))
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n"
        "from judgetool.cli.main import run\n"
        f"sys.exit(run(['judge', {str(empty)!r}, '--assessor', 'anna']))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], input=lines, capture_output=True, text=True, check=False
    )
    acknowledged = found.stdout.splitlines()
    assert found.returncode == 1
    assert "Not saved" in found.stderr
    assert 0 < len(acknowledged) < 4000
    assert len(judged(empty)) - 1 == len(acknowledged)


@pytest.mark.parametrize("room", [300_000, 320_000, 340_000])
def test_what_a_full_disk_kept_out_is_not_called_added(empty, room):
    """Of the documents that came with judgments as many are told as the project has then."""
    lines = "".join(f"1\td{number}\t1\n" for number in range(4000))
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
        "from judgetool.cli.main import run\n"
        f"sys.exit(run(['judge', {str(empty)!r}, '--assessor', 'anna']))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], input=lines, capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    with open_project(empty, read_only=True) as session:
        n_documents = session.material.count_documents()[0]
    assert f"\n{n_documents} document id" in f"\n{found.stderr}"


def test_a_mark_of_byte_order_is_no_part_of_a_query(empty):
    """As it stands before what PowerShell pipes: the first line is of query 1 all the same."""
    must("judge", empty, "--assessor", "anna", stdin=b"\xef\xbb\xbf1\td1\t2\n1\td2\t0\n")
    assert [row[0] for row in judged(empty)[1:]] == ["1", "1"]


@pytest.mark.parametrize("text", ["1e0", "+1", " 1 ", "1.0"])
def test_grades_are_read_as_an_import_reads_them(empty, text):
    """What `import` takes for a grade `judge` takes, too."""
    must("judge", empty, "--assessor", "anna", stdin=f"1\td1\t{text}\n")
    assert judged(empty)[1] == ["1", "d1", "anna", "1", "judged"]


def test_texts_that_would_break_the_table_are_quoted(empty):
    """A tab or line end inside an id is printed as JSON would, so that rows stay rows."""
    must(
        *("import", empty, "--queries", "-"),
        stdin='{"id": "a\\tb", "text": "two\\nlines"}\n{"id": "c", "text": "plain"}\n',
    )
    assert must("show", empty, "--queries").out.splitlines()[1] == '"a\\tb"\t"two\\nlines"\t0\t0'


def test_show_is_sorted(sample):
    """Rows come sorted by query, document and assessor."""
    rows = judged(sample)[1:]
    assert rows == sorted(rows)
    assert len(rows) == 342


def test_show_changes_nothing(empty):
    """Looking leaves the file byte for byte."""
    before = empty.read_bytes()
    for option in ((), ("--judgments",), ("--queries",), ("--runs",)):
        must("show", empty, *option)
    assert empty.read_bytes() == before


def test_runs_are_listed_with_their_sizes(sample):
    """--runs names each run with its queries and results."""
    rows = must("show", sample, "--runs").rows
    assert [row[:3] for row in rows[1:]] == [
        ["chargrams", "20", "399"],
        ["full-bm25-stem", "18", "287"],
        ["title-bm25", "15", "195"],
    ]


def test_a_name_that_is_nearly_known_is_said_to_be_another(empty):
    """Capitals make somebody else: standard error says so, once."""
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t2\n")
    found = must("judge", empty, "--assessor", "Anna", stdin="1\td1\t2\n")
    assert "‘Anna’ is new in this project, and another person than ‘anna’." in found.err
    assert must("judge", empty, "--assessor", "Anna", stdin="1\td1\t0\n").err == ""
