"""`judgetool new` and `judgetool import`."""

import gzip
import hashlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing

import openpyxl
import pytest

from judgetool.cli.importing import format_report, report_values
from judgetool.errors import InputError
from judgetool.formats import Kind, read_file
from judgetool.session.commands import Say
from judgetool.session.imports.importing import plan_import, write_import
from judgetool.session.imports.plan import ImportChoices
from judgetool.session.opening import open_project
from judgetool.session.team.disputes import load_disputes
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


def test_new_says_that_a_level_below_0_is_no_grade_to_measures(tmp_path):
    """The scale's editor says it, too: a document that somebody judged so counts as unjudged."""
    told = must("new", tmp_path / "x.judge", "--scale=-1-1")
    assert "-1: to every measure a document with a grade below 0 is not judged" in told.out


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


def test_what_a_large_project_waits_for_at_last_is_said(empty, tmp_path):
    """After ‘Written’ a large project is backed up, for minutes: it does not wait in silence."""
    documents = tmp_path / "d.jsonl"
    with documents.open("w") as file:
        for number in range(60):
            file.write(json.dumps({"id": f"d{number}", "text": f"{number} word " * 200_000}) + "\n")
    said = must("import", empty, "--documents", documents).err
    assert "Its backup is made and looked through" in said
    assert "backup" not in must("import", empty, "--documents", documents, "--dry-run").err


def test_report_counts_what_was_read_and_new(empty):
    """The report tells records, new ones and refused lines of each file."""
    found = must("import", empty, "--queries", SAMPLE / "queries.tsv")
    assert "20 queries: 20 new, 0 changed, 0 unchanged; 0 refused" in found.out


def test_second_import_changes_nothing(sample):
    """What a project has already is counted as unchanged."""
    report = must("import", sample, "--queries", SAMPLE / "queries.jsonl", "--format", "json").json
    assert (report["n_new"], report["n_changed"], report["n_unchanged"]) == (0, 0, 20)
    assert report["is_written"] is False


def test_a_grade_off_the_scale_is_named_once(empty, tmp_path):
    """With its first place and how many have it; of files without lines with the pair."""
    qrels, given = tmp_path / "q.txt", tmp_path / "q.json"
    qrels.write_text("".join(f"1 0 d{n} {9 if n % 2 else 2}\n" for n in range(50)), "utf-8")
    said = must("import", empty, "--qrels", qrels, "--dry-run").out
    assert said.count("is not on this scale") == 1
    assert "line 2: grade 9 is not on this scale (0–3); 25 judgments have it\n" in said
    assert "more; --format json" not in said
    given.write_text(
        json.dumps({"cold soup": {f"d{n}": 7 for n in range(30)} | {"d99": 8, "e": 1}})
    )
    said = call("import", empty, "--qrels", given, "--answer", "numbers=grade", "--dry-run").out
    of = "of query ‘cold soup’ and document"
    why = "is not on this scale (0–3)"
    assert f"grade 7 {why}; 30 judgments have it, the first {of} ‘d0’\n" in said
    assert f"grade 8 {why}; 1 judgment has it, {of} ‘d99’\n" in said


def test_refused_lines_are_named(empty, tmp_path):
    """A line that does not fit is left out and reported with number and reason."""
    qrels = tmp_path / "q.txt"
    qrels.write_text("1 0 d1 2\n1 0 d2\n1 0 d3 9\n", encoding="utf-8")
    report = must("import", empty, "--qrels", qrels, "--format", "json").json
    (file,) = report["files"]
    assert (file["n_records"], file["n_refused"]) == (1, 2)
    assert file["refusals"][0] == {"line": 2, "reason": "expected 4 columns, found 3"}
    assert "9 is not on this scale" in file["refusals"][1]["reason"]


def test_refused_lines_stand_in_the_order_of_the_file(empty, tmp_path):
    """What is found out last, such as a judgment that contradicts another, is not said last."""
    path = tmp_path / "a.qrels"
    path.write_text("q 0 d1 1\nq 0 d1 2\nq 0 d3\nq 0 d4 x\n", "utf-8")
    found = must("import", empty, "--qrels", path).out
    assert re.findall("  line ([0-9]+): ", found) == ["2", "3", "4"]


def test_what_is_no_file_of_a_folder_is_named_in_full(empty):
    """Nobody has a file called null."""
    found = call("import", empty, "--qrels", "/dev/null")
    assert (found.code, "There is nothing in /dev/null." in found.err) == (1, True)


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
    """A project that is not there is named, with the command that makes it in the same folder."""
    path = tmp_path / "sub" / "no.judge"
    found = call("import", path, "--run", RUNS[0])
    assert found.code == 1
    assert f"‘judgetool new {path}’" in found.err


def test_results_table_brings_queries_documents_and_a_run(empty):
    """Ranked results with texts inside need no other file."""
    must("import", empty, "--results", SAMPLE / "results.csv")
    rows = dict(must("show", empty).rows)
    assert rows["runs"] == "1"
    assert int(rows["queries"]) > 10


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal is made by pty")
def test_progress_is_shown_on_a_terminal_alone(empty):
    """On a terminal a bar goes to standard error; the report stays what it is."""
    try:
        ours, theirs = os.openpty()
    except OSError as problem:
        pytest.skip(f"SKIPPED LOUDLY: no terminal can be made here: {problem}")
    command = [sys.executable, "-m", "judgetool", "import", str(empty), "--run", RUNS[0]]
    found = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True)
    os.close(theirs)
    shown = os.read(ours, 65536)
    os.close(ours)
    assert b"Reading chargrams.run" in shown
    assert found.stdout.startswith(RUNS[0])
    quiet = subprocess.run([*command, "--dry-run"], capture_output=True, check=True)
    assert quiet.stderr == b""


def test_conflicts_are_decided_by_an_option(empty, tmp_path):
    """--conflicts mine keeps the project's grade, theirs takes the file's, both keeps a dispute."""
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    head = "query,document,assessor,grade\n"
    first.write_text(f"{head}1,d1,anna,1\n1,d2,anna,2\n")
    second.write_text(f"{head}1,d1,anna,3\n1,d2,anna,2\n")
    must("import", empty, "--qrels", first)
    kept = must("import", empty, "--qrels", second, "--conflicts", "mine")
    assert "anna has already judged 2 of these 2, 1 otherwise." in kept.out
    assert "line 2: query 1, document d1, anna: 1 here, 3 in the file" in kept.out
    assert "keeps what it has" in kept.out
    (told,) = must("import", empty, "--qrels", second, "--format", "json").json["files"]
    assert told["conflicts"] == [
        {"line": 2, "query": "1", "document": "d1", "assessor": "anna", "mine": "1", "theirs": "3"}
    ]
    must("import", empty, "--qrels", second, "--conflicts", "both")
    rows = must("show", empty, "--judgments").rows
    assert ["1", "d1", "anna (second)", "3", "judged"] in rows
    assert ["1", "d1", "anna", "1", "judged"] in rows
    must("import", empty, "--qrels", second, "--conflicts", "theirs")
    assert ["1", "d1", "anna", "3", "judged"] in must("show", empty, "--judgments").rows


def test_grades_are_mapped_by_an_option(empty, tmp_path):
    """--map-grade 4=3 takes grade 4 of the files as 3 of the scale; the report says so."""
    qrels = tmp_path / "q.txt"
    qrels.write_text("1 0 d1 4\n1 0 d2 1\n")
    without = must("import", empty, "--qrels", qrels, "--dry-run")
    assert "--map-grade 4=GRADE" in without.out
    report = must("import", empty, "--qrels", qrels, "--map-grade", "4=3", "--format", "json").json
    assert report["files"][0]["grades_mapped"] == [{"from": 4, "to": 3, "n": 1}]
    assert [row[3] for row in must("show", empty, "--judgments").rows[1:]] == ["3", "1"]


@pytest.mark.parametrize("pair", ["4", "4=", "4=9", "4=inf"])
def test_a_map_that_leads_nowhere_is_refused(empty, pair, tmp_path):
    """--map-grade wants a grade of the scale on its right; nothing is imported otherwise."""
    qrels = tmp_path / "q.txt"
    qrels.write_text("1 0 d1 4\n")
    found = call("import", empty, "--qrels", qrels, "--map-grade", pair)
    assert found.code != 0
    assert "Nothing was imported" in found.err


def test_ids_that_match_nothing_are_reported(sample, tmp_path):
    """A file of another numbering is noticed: counts, nearest ids, what they have in common."""
    ids = [row[0] for row in must("show", sample, "--queries").rows[1:]]
    shifted = tmp_path / "shifted.qrels"
    shifted.write_text("".join(f"{int(name) + 1} 0 r-003 1\n" for name in ids))
    found = must("import", sample, "--qrels", shifted, "--dry-run")
    assert "1 of 20 query ids in shifted.qrels is not in this project." in found.out
    assert "Every query id is one higher than an id here" in found.out
    report = must("import", sample, "--qrels", shifted, "--dry-run", "--format", "json").json
    queries, documents = report["files"][0]["unmatched_ids"]
    assert (queries["n_known"], queries["n_named"]) == (19, 20)
    assert documents["nearest"] == {"r-003": "r003"}


def test_columns_that_changed_places_are_noticed(sample, tmp_path):
    """The project knows every id the other way round: it is no other collection’s file."""
    path = tmp_path / "swapped.qrels"
    path.write_text("r003 0 1 2\nr010 0 2 0\n")
    found = must("import", sample, "--qrels", path, "--dry-run").out
    assert "The query ids are documents of this project: have the columns" in found
    assert "The document ids are queries of this project: have the columns" in found
    assert "another collection" not in found


def test_ids_that_may_be_others_than_they_look_are_told(empty, tmp_path):
    """Two ids that differ by a sign nobody sees look the same in every list."""
    path = tmp_path / "a.qrels"
    path.write_text(
        "q 0 d1 1\nq 0 d\u200f1 2\nq 0 d\xad2 0\nq 0 e\u0301 1\nq 0 \u00e9 1\n", "utf-8"
    )
    found = must("import", empty, "--qrels", path).out
    assert "2 ids hold characters that are not seen, such as ‘d\\u200f1’ (U+200F)." in found
    assert "1 id has a letter in several signs" in found
    assert "looks the same: ‘e\\u0301’." in found
    path.write_text("q 0 d1 1\nq 0 \u00e9 1\n", "utf-8")
    assert "signs" not in must("import", empty, "--qrels", path).out


def write_large_run(path):
    """A run whose writing takes many transactions, so that it can be met half way."""
    with path.open("w") as out:
        for query in range(2_000):
            out.writelines(
                f"q{query} Q0 d{query * 37 % 1000 + rank} {rank} {-rank} big\n"
                for rank in range(60)
            )


# The system kills the process with the very write that makes a file longer than the limit.
KILLED_AT = """
import resource, signal, sys
from judgetool.cli.main import run
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
limit, project, file = int(sys.argv[1]), sys.argv[2], sys.argv[3]
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.exit(run(["import", project, "--run", file]))
"""


def seen(path):
    return [must("show", path, what).out for what in ("--queries", "--runs", "--judgments")]


@pytest.mark.parametrize("after_bytes", [1, 100_000, 300_000, 600_000])
def test_a_killed_import_leaves_nothing_behind(tmp_path, after_bytes):
    """Killed at any moment of its writing, an import is not to be seen, and the file is sound."""
    project, run = tmp_path / "a.judge", tmp_path / "big.run"
    must("new", project)
    qrels = tmp_path / "q.qrels"
    qrels.write_text("".join(f"q{number} 0 d1 1\n" for number in range(300)))
    must("import", project, "--qrels", qrels)
    before = seen(project)
    write_large_run(run)
    command = [sys.executable, "-c", KILLED_AT, str(after_bytes), str(project), str(run)]
    killed = subprocess.run(command, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGXFSZ, killed.stderr.decode()
    assert must("check", project).out.endswith("is sound.\n")
    assert seen(project) == before
    must("import", project, "--run", run)
    assert ["big", "2000", "120000"] in [row[:3] for row in must("show", project, "--runs").rows]
    must("check", project)


def test_words_are_mapped_to_grades_by_an_option(empty, tmp_path):
    """A dry run names grades that are words, with what is usual; --map-grade takes them in."""
    table = tmp_path / "words.csv"
    table.write_text("query_id,doc_id,label\n1,a,Highly relevant\n1,b,Hm\n")
    found = call("import", empty, "--qrels", table, "--dry-run").out
    assert "grades that are words: Highly relevant, Hm" in found
    options = ("--map-grade", "Highly relevant=3", "--map-grade", "Hm=0")
    must("import", empty, "--qrels", table, *options)
    assert [row[3] for row in must("show", empty, "--judgments").rows[1:]] == ["3", "0"]


def test_only_grades_of_the_scale_are_proposed(empty, tmp_path):
    """1,5 is usually 1.5, but what the scale would refuse is not offered."""
    table = tmp_path / "comma.csv"
    table.write_text("query;document;grade\n1;a;1,5\n1;b;3\n")
    found = call("import", empty, "--qrels", table, "--dry-run").out
    assert "usual" not in found
    assert "--map-grade '1,5=GRADE', a grade of the scale 0–3" in found


def test_columns_are_said_by_an_option(empty, tmp_path):
    """--column says what a header does not; the report says what each column was taken for."""
    table = tmp_path / "strange.csv"
    table.write_text("eins,zwei,drei\n1,a,2\n")
    said = ("--column", "eins=query_id", "--column", "zwei=document_id", "--column", "drei=grade")
    found = must("import", empty, "--qrels", table, *said)
    assert "columns: eins = query_id, zwei = document_id, drei = grade" in found.out
    assert must("show", empty, "--judgments").rows[1][:2] == ["1", "a"]
    refused = call("import", empty, "--qrels", table, "--column", "eins=nonsense")
    assert "there is no such role" in refused.err


def test_questions_are_answered_by_an_option(empty, tmp_path):
    """A dry run names what a file leaves open; --answer decides it."""
    qrels = tmp_path / "who.qrels"
    qrels.write_text("1 anna a 2\n1 ben a 1\n")
    asked = call("import", empty, "--qrels", qrels, "--dry-run", "--format", "json")
    assert asked.code == 1
    report = json.loads(asked.out)
    [question] = report["files"][0]["questions"]
    choice = next(name for name, text in question["choices"].items() if "assessor" in text.lower())
    must("import", empty, "--qrels", qrels, "--answer", f"{question['name']}={choice}")
    assert {row[2] for row in must("show", empty, "--judgments").rows[1:]} == {"anna", "ben"}


def test_a_refused_import_is_no_dry_run(empty):
    """In JSON nothing was written, and nobody had asked for that."""
    words = ("import", empty, "--qrels", "-", "--strict", "--format", "json")
    found = call(*words, stdin="1 0 a 2\n1 0 b x\n")
    assert (found.code, found.json["is_dry_run"], found.json["is_written"]) == (1, False, False)


def test_one_new_document_among_those_without_text_is(empty):
    """The number goes with its word."""
    must("import", empty, "--qrels", "-", stdin="1 0 a 2\n1 0 b 2\n")
    found = must("import", empty, "--qrels", "-", stdin="1 0 a 2\n1 0 b 2\n1 0 c 1\n")
    assert "1 of them is new." in found.out


def test_an_open_question_ends_with_one_and_says_how_to_answer(empty, tmp_path):
    """What waits for an answer is not 'there already': nothing is written, and the option is named."""
    qrels, queries = tmp_path / "who.qrels", tmp_path / "queries.tsv"
    qrels.write_text("1 anna a 2\n1 ben a 1\n")
    queries.write_text("1\tcold soup\n")
    found = call("import", empty, "--qrels", qrels, "--queries", queries)
    assert found.code == 1
    assert "--answer column_two=CHOICE" in found.err
    assert "already" not in found.out
    assert must("show", empty, "--queries").rows == [["id", "text", "judged", "total"]]


def test_strict_imports_nothing_where_a_line_is_left_out(empty, tmp_path):
    """--strict makes a refused line an error, names its file, and writes nothing."""
    qrels = tmp_path / "q.txt"
    qrels.write_text("1 0 d1 2\n1 0 d2\n")
    found = call("import", empty, "--qrels", qrels, "--strict")
    assert (found.code, "1 of q.txt" in found.err) == (1, True)
    assert len(must("show", empty, "--judgments").rows) == 1
    assert call("import", empty, "--qrels", qrels).code == 0


def test_a_packed_file_without_its_end_is_refused_whole(empty, tmp_path):
    """How many lines are missing nobody knows; the report says how far it goes."""
    lines = "".join(f"1 Q0 d{n * n % 9973} {n} {9000 - n} bm25\n" for n in range(1, 5_000))
    packed = gzip.compress(lines.encode())
    (run := tmp_path / "bm25.run.gz").write_bytes(packed[: len(packed) // 2])
    found = call("import", empty, "--run", run)
    assert found.code == 1
    assert "bm25.run.gz ends too early: the rest of it is missing. So nothing" in found.err
    assert "whole file: the gzip file ends too early" in found.out
    assert len(must("runs", empty).rows) == 1
    run.write_bytes(packed)
    assert call("import", empty, "--run", run).code == 0


def test_texts_that_differ_are_shown_and_replaced_on_request(empty, tmp_path):
    """Both values are in the report; --answer texts=replace takes the file's."""
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text('{"id": "q1", "text": "cold soup", "description": "served cold"}\n')
    second.write_text('{"id": "q1", "text": "hot soup"}\n')
    must("import", empty, "--queries", first)
    kept = must("import", empty, "--queries", second)
    assert "query q1, text: ‘cold soup’ here, ‘hot soup’ in the file" in kept.out
    assert must("show", empty, "--queries").rows[1][1] == "cold soup"
    must("import", empty, "--queries", second, "--answer", "texts=replace")
    assert must("show", empty, "--queries").rows[1][1] == "hot soup"


def test_changes_by_files_about_something_else_are_counted(empty, tmp_path):
    """A table of results that fills in a title says so, in the report and in the sum."""
    documents, results = tmp_path / "d.jsonl", tmp_path / "r.csv"
    documents.write_text('{"id": "r1", "text": "Long body"}\n')
    results.write_text("query_id,rank,doc_id,title\nq1,1,r1,Gazpacho\n")
    must("import", empty, "--documents", documents)
    found = must("import", empty, "--results", results)
    assert "1 document (1 changed)" in found.out
    assert "2 new, 1 changed" in found.out


def test_an_encoding_is_asked_and_said(empty, tmp_path):
    """A file that is not UTF-8 is not taken in part: it ends with 1, and --encoding reads it."""
    path = tmp_path / "queries.tsv"
    path.write_bytes("q1\tcold soup\nq2\tKäse\n".encode("cp1252"))
    found = call("import", empty, "--queries", path)
    assert found.code == 1
    assert "--answer encoding=CHOICE, one of cp1252" in found.err
    assert ["queries", "0"] in must("show", empty).rows
    must("import", empty, "--queries", path, "--encoding", "windows-1252")
    assert "Käse" in must("show", empty, "--queries").out


def test_an_encoding_is_said_of_files_that_are_not_utf8(empty, tmp_path):
    """Beside a file in cp1251 one in UTF-8 stays what it is, and that is said."""
    run, results = tmp_path / "a.run", tmp_path / "b.csv"
    run.write_text("суп Q0 d1 1 2.5 a\n", encoding="utf-8")
    results.write_bytes("запрос;документ;ранг\nсуп;d2;1\n".encode("cp1251"))
    found = must("import", empty, "--run", run, "--results", results, "--answer", "encoding=cp1251")
    assert "The file is UTF-8, and read so: cp1251 is for files that are not." in found.out
    assert [row[0] for row in must("show", empty, "--queries").rows[1:]] == ["суп"]


def test_a_column_is_named_as_it_is_written(empty, tmp_path):
    """What is said of a Russian head is not said of the English one that means the same."""
    queries, documents = tmp_path / "q.csv", tmp_path / "d.jsonl"
    queries.write_text("код;текст\nq1;cold soup\n", encoding="utf-8")
    documents.write_text('{"id": "d1", "text": "Gazpacho"}\n')
    columns = ("--column", "код=query_id", "--column", "Текст=query_text")
    found = must("import", empty, "--queries", queries, "--documents", documents, *columns)
    assert "columns: id = document_id, text = body" in found.out
    strange = call("import", empty, "--documents", documents, "--column", "текст=body")
    assert (strange.code, "no file has a column of this name" in strange.err) == (2, True)


def test_a_role_is_said_of_files_that_have_it(empty, tmp_path):
    """Of two files with the same head each is what it can be; where none can be that, it is refused."""
    queries, documents = tmp_path / "q.csv", tmp_path / "d.csv"
    queries.write_text("id,body\nq1,cold soup\n")
    documents.write_text("id,body\nd1,Gazpacho is cold\n")
    column = ("--column", "body=query_text")
    found = must("import", empty, "--queries", queries, "--documents", documents, *column)
    assert "columns: id = document_id, body = body" in found.out
    strange = call("import", empty, "--documents", documents, *column)
    assert (strange.code, "no column can be that" in strange.err) == (2, True)


def test_ids_that_stand_in_another_column_are_noticed(empty, tmp_path):
    """Queries come by their texts while a run names them by what stands beside: it is said where."""
    queries, run = tmp_path / "q.csv", tmp_path / "a.run"
    queries.write_text("key,query\nq1,cold soup\nq2,flat bread\n")
    run.write_text("q1 Q0 d1 1 2.5 a\nq2 Q0 d1 1 2.5 a\n")
    found = must("import", empty, "--queries", queries, "--run", run, "--dry-run")
    assert "by what stands in the column ‘key’" in found.out


def test_no_such_encoding_is_a_sentence(empty, tmp_path):
    """What is no encoding is refused with names that are some."""
    path = tmp_path / "queries.tsv"
    path.write_bytes(b"q1\tcaf\xe9\n")
    found = call("import", empty, "--queries", path, "--encoding", "nothere")
    assert (found.code, "such as utf-8, cp1252" in found.err) == (2, True)


def test_a_sheet_is_said_by_an_option(empty, tmp_path):
    """--sheet names the sheet to be read."""
    book = openpyxl.Workbook()
    book.active.append(["query", "description"])
    book.active.append(["cold soup", "eaten cold"])
    other = book.create_sheet("More")
    other.append(["query", "description"])
    other.append(["bread", "without yeast"])
    book.save(tmp_path / "queries.xlsx")
    must("import", empty, "--queries", tmp_path / "queries.xlsx", "--sheet", "More")
    assert [row[0] for row in must("show", empty, "--queries").rows[1:]] == ["bread"]


def test_a_choice_without_an_explanation_is_named_alone(empty, tmp_path):
    """As sheets are."""
    book = openpyxl.Workbook()
    book.active.append(["query", "description"])
    book.active.append(["cold soup", "eaten cold"])
    book.create_sheet("More").append(["x"])
    book.save(tmp_path / "queries.xlsx")
    found = must("import", empty, "--queries", tmp_path / "queries.xlsx").out
    assert "with Sheet; More)" in found


def test_an_id_that_a_terminal_obeys_is_printed_escaped(empty, tmp_path):
    """In the report and in a table: no colours, no text turned around."""
    path = tmp_path / "a.qrels"
    path.write_text("q1 0 d\x1b[31m\u202e1 9\nq1 0 e\u202e 2\n", encoding="utf-8")
    report = must("import", empty, "--qrels", path).out
    table = must("show", empty, "--judgments").out
    assert "\u202e" not in report + table
    assert "\x1b" not in report + table
    assert '"e\\u202e"' in table


def test_all_files_of_a_zip_come_in(empty, tmp_path):
    """Each file of a zip file is read by itself, as the kind that is said."""
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as package:
        package.writestr("runs/bm25.run", "q1 Q0 d1 1 2 bm25\n")
        package.writestr("runs/dense.run", "q1 Q0 d2 1 2 dense\n")
    report = must(
        "import", empty, "--run", tmp_path / "runs.zip", "--format", "json", "--dry-run"
    ).json
    assert report["runs"] == ["bm25", "dense"]


def test_a_picture_among_the_files_of_a_zip_is_left_out(empty, tmp_path):
    """The others come in, and it is said."""
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as package:
        package.writestr("a.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
        package.writestr("bm25.run", "q1 Q0 d1 1 2 bm25\n")
    found = must("import", empty, "--run", tmp_path / "runs.zip").out
    assert "runs.zip/a.png: this is a PNG picture" in found
    assert "; 0 refused" in found
    assert "Written to" in found


def test_what_says_who_made_a_zip_stops_nothing(empty, tmp_path):
    """A README beside the runs is left out, and named."""
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as package:
        package.writestr("runs/README.md", "# Runs\n\nMade by us, in spring.\n")
        package.writestr("runs/bm25.run", "q1 Q0 d1 1 2 bm25\n")
    found = must("import", empty, "--run", tmp_path / "runs.zip").out
    assert "runs/README.md: by its name it is about the data and holds none." in found
    assert "1 result" in found


def test_a_zip_of_nothing_but_pictures_is_refused(empty, tmp_path):
    """It is said what it is."""
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as package:
        for name in ("a.png", "b.png"):
            package.writestr(name, b"\x89PNG\r\n\x1a\n" + bytes(100))
    found = call("import", empty, "--run", tmp_path / "runs.zip")
    assert (found.code, "this is a PNG picture" in found.err) == (1, True)


def test_a_file_of_a_zip_that_asks_stops_the_import(empty, tmp_path):
    """Which columns it has cannot be told; nothing of the others is taken without it."""
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as package:
        package.writestr("a.run", "1 Q0 d1 1 2 a\n")
        package.writestr("b.csv", "x,y\n1,2\n")
    found = call("import", empty, "--run", tmp_path / "runs.zip")
    assert (found.code, "found the columns ‘x’, ‘y’" in found.err) == (1, True)
    assert dict(must("show", empty).rows)["runs"] == "0"


RANKED = ("a.csv", "query_id,rank,doc_id,score\n1,1,d1,2\n")
GRADED = ("b.json", '{"requests": [{"id": "1", "ratings": [{"_id": "d1", "rating": 1}]}]}')


@pytest.mark.parametrize(
    ("option", "way"), [("--run", "--qrels {path}/b.json"), ("--qrels", "--results {path}/a.csv")]
)
def test_a_file_of_another_kind_in_a_zip_stops_the_import(empty, tmp_path, option, way):
    """It was left out, counted as a line of another file; now it is said how it is read."""
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as package:
        for name, text in (RANKED, GRADED):
            package.writestr(name, text)
    found = call("import", empty, option, path)
    said = f"It looks like another kind of file: {way.format(path=path)} reads it. Name each"
    assert (found.code, said in found.err) == (1, True)


def test_of_many_refused_lines_some_are_shown(empty, tmp_path):
    """The first twenty, and how many more there are."""
    path = tmp_path / "a.qrels"
    path.write_text("1 0 d1 1\n" + "1 0 d2 what\n" * 30)
    said = must("import", empty, "--qrels", path).out
    assert said.count("  line ") == 20
    assert "  … and 10 more; --format json lists the first 1,000\n" in said


def test_a_column_that_no_file_has_is_refused(empty, tmp_path):
    """The sentence names the columns that are there, as the file spells them."""
    path = tmp_path / "grades.csv"
    path.write_text("Query,Doc ID,Grade\nq1,d1,2\n", encoding="utf-8")
    found = call("import", empty, "--qrels", path, "--column", "nothere=note")
    assert found.code == 2
    assert "The columns are 'Query', 'Doc ID', 'Grade'" in found.err
    must("import", empty, "--qrels", path, "--column", "grade=grade")


def test_what_was_said_of_a_column_is_not_advised_again(empty, tmp_path):
    """Another column may be meant; where something was said of all, no more can be."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"query": {"text": "soup"}, "document": "d1", "grade": 2}\n', "utf-8")
    said = ("query=query_text", "document=document_id", "grade=grade")
    found = [
        call("import", empty, "--qrels", path, *(f"--column={each}" for each in said[:count]))
        for count in (0, 1, 3)
    ]
    assert [each.code for each in found] == [1, 1, 1]
    assert all("‘query’ holds an object" in each.err for each in found)
    assert [re.findall("--column (.*)=ROLE", each.err) for each in found] == [
        *(["query"], ["document"], []),
    ]


def test_a_table_without_a_header_is_read_once_said(empty, tmp_path):
    """The refusal says how: --answer header=no, and --column for each column."""
    path = tmp_path / "grades.csv"
    path.write_text("q1,d1,2\nq1,d2,0\n", encoding="utf-8")
    found = call("import", empty, "--qrels", path)
    assert found.code == 1
    assert "--answer header=no" in found.err
    again = call("import", empty, "--qrels", path, "--answer", "header=no")
    assert again.code == 1
    assert "--column 'column 1=ROLE'" in again.err
    assert not any(words in again.err for words in ("header=no", "first line"))
    assert "--column q1=ROLE" in found.err
    roles = ("column 1=query_id", "column 2=document_id", "column 3=grade")
    said = [part for role in roles for part in ("--column", role)]
    must("import", empty, "--qrels", path, "--answer", "header=no", *said)
    assert ["judgments", "2"] in must("show", empty).rows


def test_the_id_that_the_project_knows_is_the_documents(empty, tmp_path):
    """Of a table's two ids, the one that fits the project's documents counts."""
    (tmp_path / "docs.tsv").write_text("17\tsoup\n18\tbread\n", encoding="utf-8")
    (tmp_path / "run.csv").write_text(
        "qid,docid,docno,rank,score\nq1,17,FT911-3,0,12.5\n", encoding="utf-8"
    )
    must("import", empty, "--documents", tmp_path / "docs.tsv")
    must("import", empty, "--results", tmp_path / "run.csv")
    assert ["documents", "2"] in must("show", empty).rows


def test_the_command_asks_whether_equal_texts_are_equal_queries(empty, tmp_path):
    """A project's own OpenSearch export comes back to its queries once the join is answered."""
    queries, qrels, out = tmp_path / "q.tsv", tmp_path / "a.qrels", tmp_path / "out.json"
    queries.write_text("q1\tcold soup\n")
    qrels.write_text("q1 0 r1 2\n")
    must("import", empty, "--queries", queries, "--qrels", qrels)
    must("export", empty, "--format", "opensearch-judgments", "--out", out)
    asked = call("import", empty, "--qrels", out)
    assert asked.code == 1
    assert "--answer join=CHOICE, one of yes, no" in asked.err
    # What it would bring is not known before: 0 judgments would be untrue.
    assert "\n  nothing is taken before the question below is answered; 0 refused\n" in asked.out
    must("import", empty, "--qrels", out, "--answer", "join=yes")
    assert len(must("show", empty, "--queries").rows) == 2
    assert len(must("show", empty, "--judgments").rows) == 3


def test_ids_are_mapped_by_files_of_pairs(empty, tmp_path):
    """--id-map takes what the export id-map writes, --document-id-map plain pairs."""
    queries, letor, ids = tmp_path / "q.tsv", tmp_path / "l.txt", tmp_path / "ids.csv"
    pairs = tmp_path / "pairs.tsv"
    queries.write_text("q1\t-soup\n")
    must("import", empty, "--queries", queries)
    must("export", empty, "--format", "id-map", "--out", ids)
    letor.write_text("2 qid:1 # X\n1 qid:-soup # Y\n")
    pairs.write_text("X\tr1\n")
    must("import", empty, "--qrels", letor, "--id-map", ids, "--document-id-map", pairs)
    rows = must("show", empty, "--judgments").rows
    assert [row[:2] for row in rows[1:]] == [["q1", "Y"], ["q1", "r1"]]
    bad = call("import", empty, "--qrels", letor, "--id-map", letor)
    assert (bad.code, "expected two ids" in bad.err) == (1, True)


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        ("a,1\nb,2\na,3\n", "line 3: ‘a’ stands for ‘1’ already"),
        ('a,1\n"b,2\n', "the cells of this row cannot be told apart"),
    ],
)
def test_pairs_of_ids_that_do_not_fit_are_refused(empty, tmp_path, pairs, what):
    """Nothing is imported by half of them."""
    path = tmp_path / "pairs.csv"
    path.write_text(pairs)
    found = call("import", empty, "--qrels", QRELS, "--id-map", path)
    assert (found.code, what in found.err) == (1, True)


def test_a_long_cell_is_read_alike_in_a_new_process(empty, tmp_path):
    """The limit of Python's own module for cells does not decide what a file is."""
    path = tmp_path / "a.csv"
    path.write_text(f'a,b\nc,"{"x" * 60_000}\n{"y" * 90_000}"\nd,e\n')
    words = ("import", str(empty), "--documents", str(path))
    found = subprocess.run(
        [sys.executable, "-m", "judgetool", *words], capture_output=True, text=True, check=False
    )
    assert found.stderr == call(*words).err
    assert "found the columns ‘a’, ‘b’" in found.stderr


def test_pairs_of_ids_may_stand_between_semicolons(empty, tmp_path):
    """As a spreadsheet writes them where commas stand before decimals; a header is no trouble."""
    for name, text in (
        ("q.tsv", "q7\tsoup\n"),
        ("q.txt", "1 0 d 2\n"),
        ("ids.csv", "Alt;Neu\n1;q7\n"),
    ):
        (tmp_path / name).write_text(text)
    must("import", empty, "--queries", tmp_path / "q.tsv")
    must("import", empty, "--qrels", tmp_path / "q.txt", "--id-map", tmp_path / "ids.csv")
    assert [row[0] for row in must("show", empty, "--judgments").rows[1:]] == ["q7"]


def test_a_run_replaces_that_of_its_name_when_said(empty):
    """The preview asks what becomes of a name that is taken; --answer runs=replace takes the file's."""
    must("import", empty, "--run", "-", stdin="1 Q0 a 1 2 bm25\n")
    kept = must("import", empty, "--run", "-", "--dry-run", stdin="1 Q0 b 1 2 bm25\n").out
    assert "bm25 (2)" in kept
    must("import", empty, "--run", "-", "--answer", "runs=replace", stdin="1 Q0 b 1 2 bm25\n")
    assert dict(must("show", empty).rows)["runs"] == "1"
    assert must("export", empty, "--run", "bm25=-").out.split()[2] == "b"


def test_the_apostrophe_of_an_id_map_goes_on_reading_it(empty, tmp_path):
    """A text that a spreadsheet would run is guarded in the map, and is itself again when read."""
    must("import", empty, "--queries", "-", stdin='{"id": "q1", "text": "=1+1"}\n')
    ids = tmp_path / "ids.csv"
    must("export", empty, "--format", "id-map", "--out", ids)
    assert "'=1+1" in ids.read_text("utf-8")
    must("new", tmp_path / "b.judge")
    must("import", tmp_path / "b.judge", "--queries", ids)
    with open_project(tmp_path / "b.judge", read_only=True) as session:
        assert [(query.id, query.text) for query in session.material.queries] == [("q1", "=1+1")]
    grades = "query,doc_id,assessor,grade\n=1+1,d,anna,1\n"
    must("import", empty, "--qrels", "-", "--id-map", ids, stdin=grades)
    assert dict(must("show", empty).rows)["queries"] == "1"


@pytest.mark.parametrize("text", ["q 0 d1 -1\nq 0 d2 1\n", "q 0 d1\n"])
def test_one_line_is_spoken_of_as_one(empty, tmp_path, text):
    """Sentences about a single line."""
    path = tmp_path / "a.qrels"
    path.write_text(text, encoding="utf-8")
    found = call("import", empty, "--qrels", path)
    assert "1 line has a negative grade" in found.out or "Its only line cannot be used" in found.err


def test_whether_a_file_may_be_read_is_found_out_by_reading_it(empty, tmp_path, monkeypatch):
    """A file without permission is no wrong usage: it ends with 1, in our own words."""
    queries = tmp_path / "q.tsv"
    queries.write_text("1\tsoup\n", encoding="utf-8")
    # As root everything may be read: the system is asked nothing before.
    monkeypatch.setattr(os, "access", lambda _path, mode, **_options: mode != os.R_OK)
    assert call("import", empty, "--queries", queries).code == 0
    monkeypatch.undo()
    if os.geteuid():
        queries.chmod(0)
        found = call("import", empty, "--queries", queries)
        assert (found.code, "you may not read it" in found.err) == (1, True)


def test_a_pipe_into_which_nobody_writes_is_refused(empty, tmp_path):
    """It does not hold the import for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = call("import", empty, "--queries", pipe)
    assert found.code == 1
    assert "nobody writes into it" in found.err


def test_waiting_for_a_pipe_can_be_stopped(tmp_path):
    """At once, and not after the seconds that are waited."""
    pipe, asked = tmp_path / "pipe", []
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="nobody writes into it"):
        read_file(pipe, is_cancelled=lambda: not asked.append(1))
    assert len(asked) == 1


def test_a_pipe_is_read_to_its_end(empty, tmp_path):
    """However late it delivers, once somebody has opened its other end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    late = "import sys, threading; out = open(sys.argv[1], 'w'); threading.Event().wait(1); out.write('1\\tsoup\\n')"
    with subprocess.Popen([sys.executable, "-c", late, pipe]):
        found = call("import", empty, "--queries", pipe)
    assert found.code == 0
    assert "1 query: 1 new" in found.out


def test_a_sheet_of_what_has_none_is_said(empty, tmp_path):
    """--sheet with a text file is not passed over in silence."""
    queries = tmp_path / "q.tsv"
    queries.write_text("1\tsoup\n", encoding="utf-8")
    assert "no sheets" in must("import", empty, "--queries", queries, "--sheet", "2").out


def test_names_of_files_command_no_terminal(empty, tmp_path):
    """Control characters in a name are shown, in reports and in messages."""
    name = "q\x1b[31m\n.tsv"
    queries = tmp_path / name
    queries.write_text("1\tsoup\n", encoding="utf-8")
    found = must("import", empty, "--queries", queries)
    assert "q\\x1b[31m\\n.tsv: Queries" in found.out
    assert "\x1b" not in found.out
    queries.unlink()
    missing = call("import", empty, "--queries", queries)
    assert missing.code == 1
    assert "\x1b" not in missing.err


@pytest.mark.parametrize("answer", ["nonsense=1", "column_two=neither", "header=perhaps"])
def test_an_answer_that_is_none_is_refused(empty, tmp_path, answer):
    """What no file ever asks, and what is no choice of a question, is said before anything is written."""
    qrels = tmp_path / "who.qrels"
    qrels.write_text("1 anna a 2\n1 ben a 1\n")
    found = call("import", empty, "--qrels", qrels, "--answer", answer)
    assert found.code == 2
    assert f"--answer {answer}: " in found.err
    assert "Nothing was imported" in found.err
    assert len(must("show", empty, "--judgments").rows) == 1
    # One that none of these files asks is no mistake.
    said = ("--answer", "column_two=assessor", "--answer", "texts=replace")
    must("import", empty, "--qrels", qrels, *said)


def test_an_empty_name_is_no_assessor(empty, tmp_path):
    """--assessor "" is refused, wherever there is one."""
    qrels = tmp_path / "q.qrels"
    qrels.write_text("1 0 a 2\n")
    for words in (
        ("import", empty, "--qrels", qrels),
        ("judge", empty),
        ("export", empty, "--qrels", tmp_path / "out"),
        ("open", empty),
    ):
        for name in ("", "  "):
            found = call(*words, "--assessor", name)
            assert (found.code, "--assessor needs a name" in found.err) == (2, True), words


def test_nothing_is_imported_into_an_unsound_project(empty, tmp_path):
    """A file of which check says that it is damaged is refused, and stays as it is."""
    qrels = tmp_path / "q.qrels"
    qrels.write_text("1 0 a 2\n")
    must("judge", empty, "--assessor", "anna", stdin="1\td1\t1\n")
    with closing(sqlite3.connect(empty)) as connection, connection:
        connection.execute("UPDATE judgments SET grade = 3")
    content = empty.read_bytes()
    found = call("import", empty, "--qrels", qrels)
    assert found.code == 1
    assert "is not sound. Judgment (query 1" in found.err
    assert "Nothing was imported" in found.err
    assert empty.read_bytes() == content


def test_json_of_another_tool_is_not_told_of_a_first_line(empty, tmp_path):
    """An object has names: that a header were a row is no way out for it."""
    path = tmp_path / "package.json"
    path.write_text('{"name": "x", "version": "1", "dependencies": {"a": "1"}}', encoding="utf-8")
    found = call("import", empty, "--queries", path)
    assert found.code == 1
    assert "--column name=ROLE" in found.err
    assert "header=no" not in found.err
    assert "first line" not in found.err


REFUSED = {
    "off the scale": (
        "--qrels",
        "1 0 d1 7\n1 0 d2 9\n",
        "All 2 grades of f.txt are off the scale.",
    ),
    "off it, beside a run": (
        "--results",
        "query,document,rank,grade\n1,d1,1,7\n1,d2,2,9\n",
        "All 2 grades of f.txt are off the scale.",
    ),
    "nothing": ("--qrels", "query,document,grade\n", "There is nothing in f.txt."),
    "no lines": ("--run", "\n  \n\t\n", "There is nothing in f.txt."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_import_of_which_nothing_can_be_taken_ends_with_1(empty, tmp_path, case):
    """Where every grade is refused, or there is none, that is said and nothing is written."""
    option, text, sentence = REFUSED[case]
    path = tmp_path / "f.txt"
    path.write_text(text)
    before = empty.read_bytes()
    found = call("import", empty, option, path)
    assert (found.code, empty.read_bytes()) == (1, before), found
    assert sentence in found.err
    assert ("of each line why" in found.err) == ("0 refused" not in found.out)
    assert call("import", empty, option, path, "--dry-run").code == 1


def test_rows_of_separators_alone_are_blank(empty, tmp_path):
    """A spreadsheet writes its empty rows so: nothing is left out, also of a strict import."""
    path = tmp_path / "f.csv"
    path.write_text("query;document;grade;\r\nq1;r1;2;\r\n;;;\r\n ; ;;\r\nq1;r2;1;\r\n;;;\r\n")
    assert "0 refused" in must("import", empty, "--qrels", path, "--strict").out


def test_an_import_that_is_partly_refused_ends_with_0(empty, tmp_path):
    """One grade that fits is taken, and those left out are counted; again, nothing is new."""
    qrels = tmp_path / "q.txt"
    qrels.write_text("1 0 d1 7\n1 0 d2 2\n")
    assert "1 refused" in must("import", empty, "--qrels", qrels).out
    assert "has all of the rest already" in must("import", empty, "--qrels", qrels).out


def test_an_import_of_which_most_grades_are_off_the_scale_ends_with_1(empty, tmp_path):
    """The few that fit are of another scale: nothing is written, and all options are named."""
    qrels, before = tmp_path / "q.txt", empty.read_bytes()
    qrels.write_text("1 0 d1 10\n1 0 d2 100\n1 0 d3 0\n")
    found = call("import", empty, "--qrels", qrels)
    assert (found.code, empty.read_bytes()) == (1, before), found
    assert "Most grades of q.txt are off the scale: 2 of 3." in found.err
    options = ("--map-grade", "10=1", "--map-grade", "100=3")
    assert "--map-grade 10=GRADE --map-grade 100=GRADE to take them in" in found.out
    assert "0 refused" in must("import", empty, "--qrels", qrels, *options).out


def test_lines_that_are_only_pooled_are_no_refusal(empty, tmp_path):
    """Grades below 0 say that nobody judged: taking none of them is what was asked for."""
    qrels = tmp_path / "q.txt"
    qrels.write_text("1 0 d1 -1\n")
    must("import", empty, "--qrels", qrels)
    must("import", empty, "--qrels", qrels)


@pytest.mark.skipif(os.name == "nt", reason="files have no holes there unasked")
def test_a_large_project_is_checked_as_well(sample, tmp_path):
    """More than 256 MB: a destroyed page stops the import, and a sound file is added to."""
    queries = tmp_path / "q.tsv"
    queries.write_text("giraffe\twhat giraffes are afraid of\n")
    # With a hole behind its last page, which SQLite's own header leaves out.
    os.truncate(sample, 257 << 20)
    assert call("import", sample, "--queries", queries, "--dry-run").code == 0
    with sample.open("r+b") as file:
        content = file.read(1 << 20)
        number = [n for n in range(2, len(content) // 4096) if content[n * 4096] == 13][-1]
        file.seek(number * 4096)
        file.write(b"\xa5" * 4096)
    found = call("import", sample, "--queries", queries)
    assert found.code == 1
    assert "Nothing was imported" in found.err


def write_rows(path, rows):
    """A table of query, document, assessor, grade, and a time where it has one."""
    path.write_text("query_id,doc_id,assessor,grade,at\n" + "".join(f"{row}\n" for row in rows))
    return path


def test_grades_of_the_same_time_are_counted_with_what_becomes_of_them(empty, tmp_path):
    """The report says of how many documents the highest counts for the latest, and what else may."""
    rows = [
        *("1,a,ben,3,", "1,a,eva,0,", "1,a,kim,0,"),
        *("1,b,ben,2,", "1,b,eva,2,"),
        *("1,c,ben,3,2024-01-01T00:00:00Z", "1,c,eva,1,2024-01-02T00:00:00Z"),
        *("1,d,ben,3,2024-01-01T00:00:00Z", "1,d,eva,1,2024-01-01T00:00:00Z"),
        *("2,a,ben,1,", "2,a,eva,"),
    ]
    table = write_rows(tmp_path / "t.csv", rows)
    trial = must("import", empty, "--qrels", table, "--dry-run").out
    done = must("import", empty, "--qrels", table).out
    told = "2 documents have different grades by several assessors at the same time. Of these the highest"
    assert told in trial
    assert told in done
    assert "--view median of a command." in done
    disputes = must("show", empty, "--disputes")
    assert told in disputes.err
    assert told in must("export", empty, "--qrels", tmp_path / "out.qrels").err
    assert told not in must("export", empty, "--qrels", tmp_path / "out.qrels", "--view", "max").err
    voted = must("export", empty, "--qrels", tmp_path / "out.qrels", "--view", "majority").err
    tied = (
        "1 document has several grades that equally many assessors gave, at the same time. Of these"
    )
    assert f"{tied} the highest counts in the view ‘Majority’." in voted
    by_document = {row[1]: row[3] for row in disputes.rows[1:]}
    assert by_document == {"a": "3", "c": "1", "d": "3"}


def test_disputes_are_listed_by_the_view_that_is_asked_for(empty, tmp_path):
    """What counts meanwhile is that of the settle view under the same judgments, in its order."""
    rows = ["1,a,ben,3,", "1,a,eva,0,", "1,a,kim,0,", "1,b,ben,2,", "1,b,eva,1,"]
    must("import", empty, "--qrels", write_rows(tmp_path / "t.csv", rows))
    must("import", empty, "--run", "-", stdin="1 0 a 1 2 x\n1 0 b 2 1 x\n")
    for view in ("latest", "majority", "min"):
        with open_project(empty, assessor="lead") as session:
            session.set_view(view)
            ids = session.material.document_ids()
            shown = [[ids[each.document], f"{each.grade:g}"] for each in load_disputes(session)]
        listed = must("show", empty, "--disputes", "--view", view).rows[1:]
        assert [[row[1], row[3]] for row in listed] == shown
    assert {row[1]: row[3] for row in listed} == {"a": "0", "b": "1"}
    usual = must("show", empty, "--disputes").out
    assert usual == must("show", empty, "--disputes", "--view", "latest").out
    assert call("show", empty, "--view", "majority").code == 2
    assert call("show", empty, "--disputes", "--view", "most").code == 2


@pytest.mark.parametrize(
    ("rows", "n"),
    [
        (["1,a,ben,3,", "1,a,ben,3,"], 0),
        (["1,a,ben,3,", "1,a,eva,3,"], 0),
        (["1,a,ben,3,2024-01-01", "1,a,eva,1,2024-01-02"], 0),
        (["1,a,ben,3,2024-01-01", "1,a,eva,1,"], 0),
        (["1,a,ben,3,", "1,a,eva,1,"], 1),
    ],
    ids=["one assessor", "alike", "times", "one without a time is later", "no times"],
)
def test_only_different_grades_of_the_last_time_are_told(empty, tmp_path, rows, n):
    """Nothing is said where the latest is known, or all gave the same."""
    table = write_rows(tmp_path / "t.csv", rows)
    report = must("import", empty, "--qrels", table, "--format", "json").json
    assert report["files"][0]["n_same_time"] == n


def test_files_of_one_import_are_of_the_same_time(empty, tmp_path):
    """Two files of one assessor each, brought in at once: what they say otherwise has no latest."""
    for name, grade in (("ben", 3), ("eva", 0)):
        (tmp_path / f"{name}.qrels").write_text(f"1 0 a {grade}\n1 0 b 1\n")
    files = [tmp_path / "ben.qrels", tmp_path / "eva.qrels"]
    report = must("import", empty, "--qrels", *files, "--format", "json").json
    assert [each["n_same_time"] for each in report["files"]] == [0, 1]


def test_which_of_several_files_counts_is_told(empty, tmp_path):
    """At the file whose judgments are the latest, wherever it stands; one without a time is."""
    (tmp_path / "ben.qrels").write_text("1 0 a 3\n1 0 b 1\n1 0 c 1\n")
    rows = ["1,a,anna,0,2024-01-01", "1,b,anna,1,2024-01-01", "1,d,anna,1,2024-01-01"]
    files = ["--qrels", tmp_path / "ben.qrels", write_rows(tmp_path / "anna.csv", rows)]
    told = (
        "1 document graded otherwise in another file: this file’s judgment counts. Of one import "
        "the judgment with the latest time counts"
    )
    out = must("import", empty, *files, "--dry-run").out
    assert told in out
    assert "query 1, document a: 0 in anna.csv by anna, 3 in this file by ben" in out
    report = must("import", empty, *files, "--format", "json").json
    assert [each["n_outdated"] for each in report["files"]] == [report["n_outdated"], 0] == [1, 0]
    assert "1 0 a 3" in must("export", empty, "--qrels", "-").out


def test_grades_here_that_no_longer_count_are_told(empty, tmp_path):
    """Before and after, with examples; the one that the export has then is the file's."""
    must("judge", empty, "--assessor", "me", stdin="1\ta\t0\n1\tb\t1\n")
    table = write_rows(tmp_path / "t.csv", ["1,a,ben,3,2020-01-01T00:00:00Z", "1,b,ben,1,"])
    told = (
        "1 document graded here: the file’s judgment counts instead. What is imported is said last"
    )
    line = "query 1, document a: 0 here by me, 3 in the file by ben"
    for words in (("--dry-run",), ()):
        out = must("import", empty, "--qrels", table, *words).out
        assert told in out
        assert line in out
    assert "1 0 a 3" in must("export", empty, "--qrels", "-").out
    assert "1 0 a 0" in must("export", empty, "--qrels", "-", "--assessor", "me").out
    must("judge", empty, "--assessor", "me", stdin="1\ta\t1\n")
    (tmp_path / "u.qrels").write_text("1 0 a 2\n")
    found = must("import", empty, "--qrels", tmp_path / "u.qrels", "--format", "json").json
    assert found["n_overruled"] == found["files"][0]["n_overruled"] == 1
    assert found["files"][0]["overruled"] == [
        {
            "query": "1",
            "document": "a",
            "assessor": "me",
            "grade": "1",
            "by": "u",
            "theirs": "2",
        }
    ]


@pytest.fixture
def book(tmp_path):
    """A project, and a spreadsheet of notes and, under a title, grades with headers nobody knows."""
    written = openpyxl.Workbook()
    written.active.title = "Notes"
    for row in (["As of today"], ["not done"]):
        written.active.append(row)
    other = written.create_sheet("Grades")
    for row in (["Our grades"], [], ["eins", "zwei", "drei"], ["q", "d", 2], ["q", "e", 0]):
        other.append(row)
    written.save(tmp_path / "grades.xlsx")
    must("new", tmp_path / "p.judge")
    return tmp_path / "p.judge", tmp_path / "grades.xlsx"


def test_the_sheets_are_named_where_one_cannot_be_read(book):
    """With the option that chooses another."""
    project, sheets = book
    said = call("import", project, "--qrels", sheets, "--sheet", "Notes").err
    assert "Of the 2 sheets, ‘Notes’ was read; there are others: Grades." in said
    assert "--sheet TITLE chooses another sheet." in said


def test_errors_of_a_spreadsheet_are_no_ids(empty, tmp_path):
    """A look-up that found nothing was a document of the name #N/A."""
    written = openpyxl.Workbook()
    for row in (["query_id", "doc_id", "grade"], ["q1", "d1", 2], ["q1", "#N/A", 1]):
        written.active.append(row)
    written.save(tmp_path / "grades.xlsx")
    out = must("import", empty, "--qrels", tmp_path / "grades.xlsx").out
    assert "line 3: the row names no document" in out
    assert (
        "1 cell holds an error of the spreadsheet program (B3: #N/A) and is read as empty." in out
    )


@pytest.mark.parametrize(
    ("column", "said"),
    [(0, "2 cells hold errors"), (2, "No row of a.xlsx says anything that can be taken.")],
)
def test_columns_of_errors_are_told(empty, tmp_path, column, said):
    """Where all ids, or all grades, are look-ups that found nothing, it was not said that they are."""
    book = openpyxl.Workbook()
    book.active.append(["query_id", "doc_id", "grade"])
    for row in (["q1", "d1", 2], ["q1", "d2", 1]):
        book.active.append([*row[:column], "#N/A", *row[column + 1 :]])
    book.save(tmp_path / "a.xlsx")
    must("import", empty, "--qrels", "-", stdin="q1 0 d1 1\n")
    found = call("import", empty, "--qrels", tmp_path / "a.xlsx")
    assert (found.code, said in found.err) == (1, True)


def test_a_title_above_an_unknown_header_is_left_out(book):
    """The sheet that is a table is read, from its header on."""
    project, sheets = book
    columns = ("eins=query_id", "zwei=document_id", "drei=grade")
    said = must("import", project, "--qrels", sheets, "--column", *columns).out
    assert "2 judgments: 2 new" in said
    assert "The header is on line 3" in said


def test_saved_responses_in_a_zip_file_are_one_run(tmp_path):
    """One file for each query: the run has the folder's name, and the queries theirs."""
    hits = {"took": 1, "hits": {"hits": [{"_id": "d", "_score": 1.5}]}}
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as package:
        for name in ("bm25/q1.json", "bm25/q2.json"):
            package.writestr(name, json.dumps(hits))
    must("new", tmp_path / "p.judge")
    must("import", tmp_path / "p.judge", "--results", tmp_path / "all.zip")
    with open_project(tmp_path / "p.judge") as session:
        assert [run.name for run in session.material.runs] == ["bm25"]
        assert [query.id for query in session.material.queries] == ["q1", "q2"]


def test_numbered_responses_are_joined_to_queries_of_the_same_import(tmp_path):
    """By pairs of their numbers and the ids; the queries need not be in the project before."""
    hits = {"took": 1, "hits": {"hits": [{"_id": "d", "_score": 1.5}]}}
    (tmp_path / "m.json").write_text(json.dumps({"took": 2, "responses": [hits, hits]}))
    (tmp_path / "queries.tsv").write_text("q006\tsoup\nq007\tbread\n")
    (tmp_path / "ids.tsv").write_text("1\tq006\n2\tq007\n")
    files = ("--queries", tmp_path / "queries.tsv", "--results", tmp_path / "m.json")
    must("new", tmp_path / "p.judge")
    must("import", tmp_path / "p.judge", *files, "--id-map", tmp_path / "ids.tsv")
    with open_project(tmp_path / "p.judge") as session:
        assert [query.id for query in session.material.queries] == ["q006", "q007"]


def test_numbered_responses_take_the_ids_that_the_project_writes(empty, tmp_path):
    """They bring no text of their own: asked about as a run's are, also one without results."""
    hits = [{"hits": {"hits": [{"_id": "d", "_score": 1.5}]}}, {"hits": {"hits": []}}]
    (tmp_path / "m.json").write_text(json.dumps({"responses": hits}))
    (tmp_path / "queries.tsv").write_text("001\tsoup\n002\tbread\n")
    must("import", empty, "--queries", tmp_path / "queries.tsv")
    words = ("import", empty, "--results", tmp_path / "m.json")
    assert "match but for leading zeros" in must(*words, "--dry-run").out
    must(*words, "--answer", "query-ids=map")
    assert [row[0] for row in must("show", empty, "--queries").rows[1:]] == ["001", "002"]


def test_results_with_texts_keep_their_ids(empty, tmp_path):
    """What a file describes itself is its own, whatever is said of other ids."""
    (tmp_path / "queries.tsv").write_text("001\tsoup\n")
    (tmp_path / "r.csv").write_text("query_id,query,rank,doc_id,title\n1,bread,1,d,Rye\n")
    must("import", empty, "--queries", tmp_path / "queries.tsv")
    must("import", empty, "--results", tmp_path / "r.csv", "--answer", "query-ids=map")
    assert [row[0] for row in must("show", empty, "--queries").rows[1:]] == ["001", "1"]


def test_a_note_on_many_files_is_said_once(tmp_path):
    """With how many it is of, below what is said of each."""
    paths = [tmp_path / f"{name}.csv" for name in "abc"]
    for path in paths:
        path.write_text("query,doc_id,rank,score\nq,d,1,1\nq,d2,2,\n")
    must("new", tmp_path / "p.judge")
    said = must("import", tmp_path / "p.judge", "--results", *paths).out
    note = "1 row without a score: no score of the run counts."
    assert said.count(note) == 1
    assert f"Of 3 files: {note}" in said


def test_words_that_are_the_names_of_levels_are_proposed(tmp_path):
    """As the usual words are: with the grades that the project's scale gives them."""
    levels = [{"grade": 0, "name": "Unsinn"}, {"grade": 1, "name": "Treffer"}]
    (tmp_path / "scale.json").write_text(json.dumps({"levels": levels}))
    (tmp_path / "j.csv").write_text("query,doc_id,grade\nq,a,Treffer\nq,b,unsinn\n")
    must("new", tmp_path / "p.judge", "--scale", tmp_path / "scale.json")
    said = call("import", tmp_path / "p.judge", "--qrels", tmp_path / "j.csv").out
    assert "usual: --map-grade 'Treffer=1' --map-grade 'unsinn=0'" in said


def test_a_word_is_no_grade_that_the_scale_lacks(empty, tmp_path):
    """It was told to say once more what 9 stands for, which no file has."""
    path = tmp_path / "words.csv"
    path.write_text("query,document,grade\nq,a,Highly relevant\nq,b,1\n")
    found = call("import", empty, "--qrels", path, "--map-grade", "Highly relevant=9")
    said = "Grade ‘Highly relevant’ cannot be mapped to 9: that is not on this scale (0–3)"
    assert (found.code, said in found.err) == (1, True)


def test_strict_refuses_a_loose_quotation_mark(empty, tmp_path):
    """In a quoted cell, where it is not doubled; pairs of ids are as strict."""
    path = tmp_path / "inch.csv"
    path.write_text('query,document,grade\n"24" monitor",r003,2\n24" tv,r003,1\n')
    found = call("import", empty, "--qrels", path, "--strict")
    assert (found.code, "--strict: lines were left out" in found.err) == (1, True)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text('a,b\n"24" tv,2\n')
    found = call("import", empty, "--qrels", path, "--id-map", pairs)
    assert (found.code, "pairs.csv, line 2: text follows" in found.err) == (1, True)


def test_a_line_end_in_a_file_name_is_shown(empty, tmp_path):
    """It would break the sentence."""
    path = tmp_path / "nl\nname.qrels"
    path.write_text("q 0 d x\n")
    assert "Nothing of nl\\nname.qrels fits" in call("import", empty, "--qrels", path).err


def test_what_was_judged_meanwhile_is_told(tmp_path):
    """The report says how many judgments came after the plan, and does not count the file's as written."""
    project, rows = tmp_path / "a.judge", tmp_path / "rows.qrels"
    must("new", project, "--scale", "0-3")
    must("import", project, "--run", *RUNS)
    rows.write_text("1 0 r003 1\n1 0 r010 1\n")
    with open_project(project, assessor="anna") as session:
        choices = ImportChoices(assessor="anna")
        plan = plan_import(session, [read_file(rows, kind=Kind.JUDGMENTS)], choices=choices)
        place = session.material.find_query("1")
        session.execute(Say.grade(place, session.material.find_document("r003"), 3))
        write_import(session, plan)
        told = format_report(plan, project, is_dry_run=False, scale=session.scale).splitlines()
    assert told[-2:] == [
        f"Written to {project}: 1 new, 0 changed.",
        "1 judgment was given meanwhile, and stays; the file’s is left out.",
    ]
    values = report_values(plan, project, is_dry_run=False)
    assert (values["n_new"], values["n_given_meanwhile"]) == (1, 1)
