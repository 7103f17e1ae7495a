"""`judgetool export`."""

import csv
import hashlib
import json
import os
import subprocess
import sys

import pytest

from judgetool.formats.writers import WRITERS
from judgetool.session.opening import open_project
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from tests.helpers.program import QRELS, RUNS, SAMPLE, call, must


def test_qrels_of_the_sample_are_its_qrels(sample):
    """Two assessors folded by the default view give the sample's own qrels file."""
    found = must("export", sample, "--qrels", "-")
    assert found.out == (SAMPLE / "qrels.txt").read_text(encoding="utf-8")
    assert "244 grades to standard output" in found.err


def test_one_assessor_alone(sample):
    """--assessor writes only what this one said."""
    with (SAMPLE / "judgments.csv").open(encoding="utf-8") as stream:
        bens = [row for row in csv.DictReader(stream) if row["judge"] == "ben"]
    lines = must("export", sample, "--qrels", "-", "--assessor", "ben").out.splitlines()
    assert len(lines) == len(bens)


def test_assessor_and_view_exclude_each_other(sample):
    """One person's judgments and a folded view are two different things."""
    assert call("export", sample, "--qrels", "-", "--assessor", "ben", "--view", "max").code == 2


def test_unknown_assessor_is_told_who_has_judged(sample):
    """A name that nobody has is refused with the names that there are."""
    found = call("export", sample, "--qrels", "-", "--assessor", "carl")
    assert (found.code, found.out) == (1, "")
    assert "anna, ben" in found.err


def test_an_assessor_is_asked_for_as_they_are_written(sample, empty, tmp_path):
    """Another case is another person, of whom nothing is written; without anybody that is said."""
    target = tmp_path / "b.csv"
    found = call("export", sample, "--judgments", target, "--assessor", "Ben")
    assert found.code == 1
    assert "There is no assessor ‘Ben’ in recipes.judge. It has: anna, ben." in found.err
    found = call("export", empty, "--judgments", target, "--assessor", "Ben")
    assert found.code == 1
    assert "It has: none." in found.err
    assert not target.exists()
    must("export", sample, "--judgments", target, "--assessor", "ben")
    with target.open(encoding="utf-8") as stream:
        assert {row["assessor"] for row in csv.DictReader(stream)} == {"ben"}


def test_judgments_come_back_as_they_went_in(sample, tmp_path):
    """Exported judgments imported elsewhere give the same judgments."""
    target, other = tmp_path / "j.csv", tmp_path / "b.judge"
    must("export", sample, "--judgments", target)
    must("new", other)
    must("import", other, "--qrels", target)
    assert must("show", other, "--judgments").out == must("show", sample, "--judgments").out


@pytest.mark.parametrize("run", RUNS)
def test_runs_keep_their_order(sample, tmp_path, run):
    """An exported run is scored exactly as the file it came from."""
    name = run.rpartition("/")[2].removesuffix(".run")
    target = tmp_path / "out.run"
    must("export", sample, "--run", f"{name}={target}")
    options = ("-m", "AP", "nDCG@10", "RR", "-q")
    assert must("score", QRELS, target, *options).out == must("score", QRELS, run, *options).out


def test_several_runs_at_once(sample, tmp_path):
    """--run may be given for each run."""
    must(
        *("export", sample, "--run", f"chargrams={tmp_path / 'c'}"),
        *("--run", f"title-bm25={tmp_path / 't'}"),
    )
    assert (tmp_path / "c").exists()
    assert (tmp_path / "t").exists()


def test_run_names_may_hold_an_equals_sign(empty, tmp_path):
    """NAME=OUT is split where a run of the project ends."""
    source = tmp_path / "a.run"
    source.write_text("1 Q0 d1 1 2.0 bm25:k1=0.9\n", encoding="utf-8")
    must("import", empty, "--run", source)
    must("export", empty, "--run", f"bm25:k1=0.9={tmp_path / 'out=1.run'}")
    assert (tmp_path / "out=1.run").read_text(encoding="utf-8").startswith("1 Q0 d1")


@pytest.mark.parametrize(
    ("text", "code"), [("title-bm25", 2), ("nothing=x", 1), ("title-bm25=", 2)]
)
def test_run_that_cannot_be_meant(sample, text, code):
    """A run without a target, or one that the project lacks, is refused."""
    assert call("export", sample, "--run", text).code == code


def test_queries_known_by_their_text_reach_trec_eval(empty, tmp_path):
    """Ids with blanks are refused, naming the way; with it qrels and run have the project's values."""
    results = tmp_path / "log.csv"
    results.write_text(
        "search term,position,sku,run,grade\nred tent,1,a,live,0\nred tent,2,b,live,2\ntorch,1,c,live,1\n"
    )
    must("import", empty, "--results", results)
    qrels, run = tmp_path / "q.txt", tmp_path / "live.run"
    asked = ("export", empty, "--qrels", qrels, "--run", f"live={run}")
    told = call(*asked)
    assert told.code == 1
    assert "--blanks queries" in told.err
    assert not qrels.exists()
    told = must(*asked, "--blanks", "queries")
    assert "1 query id holds blanks and was written with _ in their place." in told.err
    assert "red_tent 0 b 2\n" in qrels.read_text()
    values = must("score", qrels, run, "-m", "nDCG@10", "-q").out
    own = must("score", "--project", empty, "-m", "nDCG@10", "-q").out
    assert values == own.replace("red tent", "red_tent")


def test_several_query_ids_with_blanks_are_counted(empty, tmp_path):
    """It said ‘2 queries id hold blanks’."""
    results = tmp_path / "log.csv"
    results.write_text("query,position,sku,run,grade\nred tent,1,a,live,0\nbig torch,1,c,live,1\n")
    must("import", empty, "--results", results)
    told = must("export", empty, "--qrels", tmp_path / "q", "--blanks", "queries")
    assert "2 query ids hold blanks and were written with _ in their place." in told.err


def test_a_what_if_with_assumed_grades_says_what_its_run_lacks(sample, tmp_path):
    """The run alone has other values than the what-if: who writes it is told."""
    with open_project(sample, assessor="anna") as session:
        run = session.material.runs[0].run_id
        made = create_whatif(session, "dreamt", run)
        told = must("export", sample, "--run", f"dreamt={tmp_path / 'a.run'}")
        assert "assumes" not in told.err
        settled = session.board.settled(0)
        ranked = session.material.ranked_documents(run, 0).tolist()
        assume_grade(session, made, 0, next(each for each in ranked if each not in settled), 3.0)
    told = must("export", sample, "--run", f"dreamt={tmp_path / 'b.run'}")
    said = "dreamt: The what-if assumes 1 grade, which no run holds: where nobody gives it,"
    assert said in told.err


def test_only_one_thing_fits_on_standard_output(sample):
    """Two exports to - would be mixed up."""
    assert call("export", sample, "--qrels", "-", "--judgments", "-").code == 2


def test_a_pipe_from_which_nobody_reads_is_refused(sample, tmp_path):
    """It does not hold the export for ever."""
    os.mkfifo(tmp_path / "pipe")
    found = call("export", sample, "--qrels", tmp_path / "pipe")
    assert found.code == 1
    assert "is a pipe, and nobody reads from it" in found.err


def test_a_pipe_gets_all_once_somebody_reads(sample, tmp_path):
    """However late its other end is opened within some seconds, and however much there is."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    late = "import sys, threading; threading.Event().wait(1); print(len(open(sys.argv[1]).read()))"
    command = [sys.executable, "-c", late, pipe]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
        must("export", sample, "--format", "documents-csv", "--out", pipe)
        n_read = int(reader.communicate()[0])
    assert n_read == len(must("export", sample, "--format", "documents-csv").out)


def test_missing_folder_is_a_sentence(sample, tmp_path):
    """Where nothing can be written, the place is named."""
    found = call("export", sample, "--qrels", tmp_path / "no" / "q.txt")
    assert found.code == 1
    assert "q.txt" in found.err


# --format


@pytest.mark.parametrize("name", [form.name for form in WRITERS.values() if not form.is_binary])
def test_every_text_format_goes_to_standard_output(sample, tmp_path, name):
    """Without --out a format is printed, exactly as it would stand in a file."""
    run = ("--run", "chargrams")
    must("export", sample, "--format", name, "--out", tmp_path / "out", *run)
    printed = must("export", sample, "--format", name, *run).out
    assert printed == (tmp_path / "out").read_text(encoding="utf-8")
    assert printed


@pytest.mark.parametrize("name", [form.name for form in WRITERS.values() if form.is_binary])
def test_files_that_are_no_text_need_a_place(sample, tmp_path, name):
    """Parquet and Excel are not printed: --out is asked for."""
    assert call("export", sample, "--format", name).code == 2
    must("export", sample, "--format", name, "--out", tmp_path / "out")
    assert (tmp_path / "out").stat().st_size > 1000


def test_a_format_that_there_is_not(sample):
    """An unknown format is refused with the names of all."""
    found = call("export", sample, "--format", "word")
    assert found.code == 2
    assert "opensearch-judgments" in found.err


def test_a_run_is_named_by_the_format_of_runs(sample):
    """--format trec-run writes the run that --run names, and asks for one where there are several."""
    printed = must("export", sample, "--format", "trec-run", "--run", "chargrams").out
    assert printed == must("export", sample, "--run", "chargrams=-").out
    found = call("export", sample, "--format", "trec-run")
    assert found.code == 2
    assert "title-bm25" in found.err


def test_fractions_are_refused_unless_something_is_chosen(sample):
    """Means that are no whole numbers: refused, rounded or kept; --qrels keeps them."""
    mean = ("--view", "mean")
    found = call("export", sample, "--format", "trec-qrels", *mean)
    assert (found.code, found.out) == (1, "")
    assert "no whole number" in found.err
    rounded = must("export", sample, "--format", "trec-qrels", "--fractions", "round", *mean)
    assert all(row.split()[3].isdigit() for row in rounded.out.splitlines())
    kept = must("export", sample, "--format", "trec-qrels", "--fractions", "keep", *mean).out
    assert "1.5\n" in kept
    assert must("export", sample, "--qrels", "-", *mean).out == kept


def test_cannot_judge_is_left_out_or_lowest(empty):
    """--cannot-judge lowest writes the lowest grade for what could not be judged."""
    rows = "query,document,assessor,grade,state\n1,a,anna,2,judged\n1,b,anna,,cannot_judge\n"
    must("import", empty, "--qrels", "-", stdin=rows)
    written = ("export", empty, "--format", "qrels-3-columns")
    assert must(*written).out == "1 a 2\n"
    assert must(*written, "--cannot-judge", "lowest").out == "1 a 2\n1 b 0\n"


def test_the_side_file_records_what_was_chosen(sample, tmp_path):
    """--meta writes choices, scale, counts and the file's SHA-256 beside it."""
    out = tmp_path / "j.json"
    options = ("--target", "recipes", "--view", "max", "--meta")
    must("export", sample, "--format", "opensearch-judgments", "--out", out, *options)
    said = json.loads((tmp_path / "j.json.meta.json").read_text(encoding="utf-8"))
    assert said["choices"] == {
        "view": "max",
        "assessor": "",
        "cannot_judge": "leave-out",
        "numbers": "usual",
        "target": "recipes",
    }
    assert said["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert said["grades"] == {"0": 80, "1": 60, "2": 18, "3": 86}


def test_no_side_file_where_none_is_wanted(sample, tmp_path):
    """With --no-meta the file stands alone."""
    must("export", sample, "--qrels", tmp_path / "q.txt", "--no-meta")
    assert [path.name for path in tmp_path.glob("q.*")] == ["q.txt"]


def test_a_side_file_needs_a_place(sample):
    """Standard output has no place beside it."""
    assert call("export", sample, "--qrels", "-", "--meta").code == 2


def test_a_report_has_the_values_of_score(sample):
    """A report's means are those that `score` prints, also by the conventions of a tool."""
    lines = must("export", sample, "--format", "report-markdown").out.splitlines()
    measures = [cell.strip() for cell in lines[2].split("|")[2:-1]]
    cells = next(line for line in lines if line.startswith("| chargrams")).split("|")[2:-1]
    shown = {m: cell.strip().strip("*") for m, cell in zip(measures, cells, strict=True)}
    scored = must("score", "--project", sample, "--run", "chargrams", "-m", *measures).rows
    assert shown == {row[0]: row[2] for row in scored}
    by_tool = must("export", sample, "--format", "report-latex", "--conventions", "trec-dl").out
    assert "AP(rel=2)" in by_tool


def test_a_report_of_some_runs(sample):
    """--run names the runs of a report, in their order."""
    text = must("export", sample, "--format", "report-html", "--run", "title-bm25", "chargrams").out
    assert text.index("title-bm25") < text.index("chargrams")
    assert "full-bm25-stem" not in text


def test_the_project_is_never_overwritten(sample):
    """The project itself cannot be the target."""
    before = sample.read_bytes()
    for options in (("--qrels",), ("--judgments",), ("--format", "letor", "--out")):
        found = call("export", sample, *options, sample)
        assert found.code == 1
        assert "is the open project" in found.err
    assert sample.read_bytes() == before


def test_formulas_are_told_and_refused(empty):
    """An id that a spreadsheet would run is refused in a CSV, or kept by choice, and said."""
    must("import", empty, "--qrels", "-", stdin="1 0 -r1 2\n")
    written = ("export", empty, "--format", "quepid-csv")
    assert "‘-r1’ begins as a formula" in (said := call(*written)).err
    assert "--formulas keep-ids" in said.err
    kept = must(*written, "--formulas", "keep-ids")
    assert "1,-r1,2\n" in kept.out
    assert "a spreadsheet may run it" in kept.err
    kept = must("export", empty, "--judgments", "-", "--formulas", "keep-ids")
    assert ",-r1," in kept.out


@pytest.mark.parametrize(
    "words", [("export", "--judgments", "-"), ("effort", "--by", "judgment", "--csv", "-")]
)
def test_what_is_refused_half_way_prints_nothing(empty, words):
    """An id in a later row that a spreadsheet would run: no header and no rows before the refusal."""
    must("import", empty, "--qrels", "-", stdin="1 0 0 2\n1 0 =1 2\n")
    must("judge", empty, "--assessor", "anna", stdin="1\t0\t1\n1\t=1\t1\n")
    found = call(words[0], empty, *words[1:])
    assert (found.code, found.out) == (1, "")
    assert "--formulas keep-ids" in found.err


def test_judgments_for_a_spreadsheet_are_guarded(empty, tmp_path):
    """--judgments guards texts as --format judgments-csv does, and refuses ids that are formulas."""
    source = tmp_path / "in.csv"
    source.write_text("query,document,assessor,grade,note\nq1,r1,anna,2,=HYPERLINK(x)\n")
    must("import", empty, "--qrels", source)
    assert ",'=HYPERLINK(x)," in must("export", empty, "--judgments", "-").out
    bad = tmp_path / "bad.csv"
    bad.write_text("query,document,assessor,grade\nq1,=1+1,anna,2\n")
    must("import", empty, "--qrels", bad)
    refused = call("export", empty, "--judgments", tmp_path / "out.csv")
    assert refused.code == 1
    assert "Keep such ids" in refused.err
    assert not (tmp_path / "out.csv").exists()


BLANKS = "query,rank,doc_id,title,text\ncold soup,1,my soup,Gazpacho,Blend.\ncold soup,2,=b,'=1,\n"


def test_ids_with_blanks_have_formats_that_the_refusal_names(empty, tmp_path):
    """What a TREC run cannot hold is refused, and the formats that are named hold it."""
    must("import", empty, "--results", "-", stdin=BLANKS)
    (row,) = must("show", empty, "--runs").rows[1:]
    refused = call("export", empty, "--run", f"{row[0]}={tmp_path / 'a.run'}")
    assert refused.code == 1
    for name in ("results-csv", "results-jsonl"):
        assert name in refused.err
        out, other = tmp_path / name, tmp_path / f"{name}.judge"
        must("export", empty, "--format", name, "--out", out, "--formulas", "keep-ids")
        must("new", other)
        must("import", other, "--results", out)
        options = ("--format", "results-jsonl", "--run", row[0])
        again = must("export", other, *options).out
        assert again == must("export", empty, *options).out
        assert json.loads(again.splitlines()[1])["title"] == "'=1"


def test_a_beir_folder_comes_back_whole(sample, tmp_path):
    """Queries, documents and grades of an exported folder make the same folder again."""
    first, second, other = tmp_path / "a", tmp_path / "b", tmp_path / "o.judge"
    must("export", sample, "--beir", first)
    must("new", other)
    must("import", other, "--documents", first)
    must("export", other, "--beir", second)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        assert (second / name).read_bytes() == (first / name).read_bytes()


_WEIGHED = (
    '{"query_id": "1", "text": "pie", "weight": 5, "category": "head", "lang": "en", "metadata": 1}\n'
    '{"query_id": "2", "text": "jam", "weight": 0.25, "narrative": "Sweet"}\n'
    '{"query_id": "3", "text": "rye"}\n'
)
_TEXTS = '{"doc_id": "a", "title": "Pie", "text": "x", "url": "https://a.example", "kind": "k", "image": "a.png"}'


def test_weights_and_categories_come_back_of_a_beir_folder(empty, tmp_path):
    """What BEIR has no name for is in the metadata; what is lost is said; the scale lies beside the grades."""
    folder, other = tmp_path / "beir", tmp_path / "o.judge"
    must("import", empty, "--queries", "-", stdin=_WEIGHED)
    (tmp_path / "texts.jsonl").write_text(_TEXTS)
    must("import", empty, "--documents", tmp_path / "texts.jsonl")
    must("import", empty, "--qrels", "-", stdin="1 0 a 3\n2 0 a 1\n3 0 b 2\n")
    said = must("export", empty, "--beir", folder).err
    assert "1 field was left out: named as a column of judgetool’s own." in said
    assert "The picture of 1 document is not in it." in said
    assert f"its scale and what was chosen to {folder / 'qrels' / 'test.tsv.meta.json'}" in said
    first, second, third = map(json.loads, (folder / "queries.jsonl").read_text().splitlines())
    assert (first["metadata"]["weight"], first["metadata"]["category"]) == (5, "head")
    assert second["metadata"] == {"narrative": "Sweet", "weight": 0.25}
    assert third == {"_id": "3", "text": "rye", "metadata": {}}
    side = json.loads((folder / "qrels" / "test.tsv.meta.json").read_text())
    assert (side["file"], side["records"], side["format"]["name"]) == ("test.tsv", 3, "beir-qrels")
    must("new", other)
    must("import", other, "--documents", folder)
    run = "1 0 a 1 2 r\n1 0 b 2 1 r\n2 0 b 1 2 r\n2 0 a 2 1 r\n3 0 b 1 1 r\n"
    values = []
    for project in (empty, other):
        must("import", project, "--run", "-", stdin=run)
        values.append(must("score", "--project", project, "--weighted", "-m", "nDCG@10", "AP").out)
    assert values[0] == values[1]
    assert values[0] != must("score", "--project", other, "-m", "nDCG@10", "AP").out
    kept = must("export", other, "--format", "queries-jsonl").out
    assert json.loads(kept.splitlines()[0])["category"] == "head"


def test_a_beir_folder_without_its_side_file(sample, tmp_path):
    """It is left out where none is wanted, and never read as grades."""
    must("export", sample, "--beir", tmp_path / "beir", "--no-meta")
    assert [each.name for each in (tmp_path / "beir" / "qrels").iterdir()] == ["test.tsv"]


# A file that grows beyond a limit fails as on a disk that is full.
_ON_A_FULL_DISK = """
import resource, signal, sys
sys.dont_write_bytecode = True  # nothing but the export is to be cut off
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from judgetool.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no sizes of files")
@pytest.mark.parametrize("is_there", [False, True])
def test_a_beir_folder_that_cannot_be_whole_is_not_begun(sample, tmp_path, is_there):
    """Where the documents do not fit on the disk, no queries and no folder are left behind."""
    folder = tmp_path / "out" / "beir"
    if is_there:
        folder.mkdir(parents=True)
        (folder / "queries.jsonl").write_text("older", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-c", _ON_A_FULL_DISK, "export", str(sample), "--beir", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "were not written" in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
    assert not is_there or (folder / "queries.jsonl").read_text(encoding="utf-8") == "older"


def test_hostile_ids_in_qrels_are_quoted_or_said(empty, tmp_path):
    """A quotation mark in front does not join BEIR's rows; a # in front is told."""
    table = 'query,document,grade\n#q,"""half",2\n#q,b,1\n'
    must("import", empty, "--qrels", "-", stdin=table)
    text = must("export", empty, "--format", "beir-qrels").out
    assert list(csv.reader(text.splitlines(), delimiter="\t"))[1:] == [
        ["#q", '"half', "2"],
        ["#q", "b", "1"],
    ]
    assert "2 lines begin with #" in must("export", empty, "--qrels", "-").err


def test_an_id_map_gives_its_texts_back(empty, tmp_path):
    """The apostrophe that keeps a spreadsheet from running a text is taken off again."""
    must(
        "import",
        empty,
        "--queries",
        "-",
        stdin='{"id": "a", "text": "-0"}\n{"id": "b", "text": "\'=x"}\n',
    )
    out, other = tmp_path / "map.csv", tmp_path / "o.judge"
    must("export", empty, "--format", "id-map", "--out", out)
    assert "a,1,'-0" in out.read_text()
    must("new", other)
    must("import", other, "--queries", out)
    options = ("--format", "queries-tsv")
    assert must("export", other, *options).out == must("export", empty, *options).out


def test_clicks_are_exported(empty, tmp_path):
    """What came in as clicks goes out, and comes in again unchanged."""
    must(
        "import",
        empty,
        "--clicks",
        "-",
        stdin="query,document,position,impressions,clicks\nq,a,1,9,2\n",
    )
    out = tmp_path / "c.csv"
    must("export", empty, "--format", "clicks-csv", "--out", out)
    assert out.read_text() == "query_id,doc_id,position,impressions,clicks\nq,a,1,9,2\n"
    assert "1 unchanged" in must("import", empty, "--clicks", out).out


def test_documents_without_a_text_are_counted(tmp_path):
    """Documents that a run alone names are no part of an export of texts, and that is said."""
    project, run, out = tmp_path / "p.judge", tmp_path / "a.run", tmp_path / "d.jsonl"
    documents = tmp_path / "d.csv"
    run.write_text("q Q0 d1 1 3 t\nq Q0 d2 2 2 t\nq Q0 d3 3 1 t\n", encoding="utf-8")
    documents.write_text("doc_id,title,text\nd1,Soup,Cold.\n", encoding="utf-8")
    must("new", project)
    must("import", project, "--run", run, "--documents", documents)
    said = must("export", project, "--format", "documents-jsonl", "--out", out)
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1
    assert "2 documents have no text and are left out." in said.out + said.err


def test_grades_and_their_side_file_are_written_together(sample, tmp_path):
    """Where the side file cannot be written, what stood at OUT is unchanged."""
    out = tmp_path / "out.txt"
    out.write_text("before")
    (tmp_path / "out.txt.meta.json").mkdir()
    told = call("export", sample, "--qrels", out)
    assert (told.code, out.read_text()) == (1, "before")
    assert "out.txt.meta.json were not written: it is a folder" in told.err
    assert not list(tmp_path.glob(".*"))
