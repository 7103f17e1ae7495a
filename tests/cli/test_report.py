"""``judgetool report``: the comparison of a project's runs as a page."""

import html
import json
import re
import shlex
import unicodedata

import pytest

from judgetool.cli import open as screen
from judgetool.metrics import ComparisonRules
from judgetool.session.commands import Say, set_measures
from judgetool.session.comparing.comparing import set_comparison_rules
from judgetool.session.comparing.snapshots import create_snapshot
from judgetool.session.edits import rename_run
from judgetool.session.opening import open_project
from judgetool.session.team.agreement import set_counts
from judgetool.session.team.disputes import load_disputes, settle
from judgetool.session.whatifs.editing import create_whatif
from tests.helpers.builders import judge_two_runs, make_two_runs, open_sample
from tests.helpers.program import call, must, sample_project


@pytest.fixture
def project(tmp_path):
    """The sample as a project, with a what-if and a snapshot."""
    with open_sample(tmp_path) as session:
        run = session.material.find_run("chargrams")
        create_whatif(session, "curry first", run.run_id)
        create_snapshot(session, "before")
        return session.path


def test_a_page_is_written(project, tmp_path):
    """All runs and what-ifs, their measures, and how the figures came about."""
    out = tmp_path / "report.html"
    found = call("report", str(project), str(out), "--against", "full-bm25-stem")
    assert found.code == 0, found.err
    page = out.read_text(encoding="utf-8")
    for text in ("chargrams", "title-bm25", "curry first", "nDCG@10", "Holm", "judgetool"):
        assert text in page
    assert "chargrams minus full-bm25-stem" in page


def test_figures_equal_judgetool_compare(project, tmp_path):
    """p of the page is p of the command over the same runs and measures."""
    out = tmp_path / "report.html"
    runs = ("full-bm25-stem", "title-bm25")
    assert call("report", str(project), str(out), "-m", "AP", "--run", *runs).code == 0
    told = call(
        "compare", "--project", str(project), "-m", "AP", "--run", *runs, "--format", "json"
    )
    (row,) = told.json["comparisons"]
    page = out.read_text(encoding="utf-8")
    assert f"p {row['p_holm']:.4f}" in page
    assert f"{row['mean']:.4f}" in page


def test_a_snapshot_is_reported_as_it_was(project, tmp_path):
    """Judgments made later do not change the page of a snapshot."""
    pages = []
    for _ in range(2):
        out = tmp_path / "report.html"
        assert call("report", str(project), str(out), "--snapshot", "before", "-m", "AP").code == 0
        pages.append(out.read_text(encoding="utf-8").partition("<footer>")[0])
        with open_project(project, assessor="anna") as session:
            pool = session.board.pool(3).tolist()
            for document in pool:
                session.execute(Say.grade(3, document, 3.0))
    assert pages[0] == pages[1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--against", "nobody"), "There is no run or what-if ‘nobody’"),
        (("--run", "nobody"), "There is no run or what-if ‘nobody’"),
        (("--snapshot", "never"), "There is no snapshot ‘never’"),
        (("-m", "Rprec"), "is not among the project’s measures"),
        (("-m", "AP", "--drawn", "RR"), "RR cannot be drawn: it is not in the report"),
        (("--drawn", "ndcg_cut"), "--drawn ndcg_cut: expected one measure"),
    ],
)
def test_what_is_not_there_is_named(project, tmp_path, words, sentence):
    """A wrong name is answered by a sentence, and no page is written."""
    out = tmp_path / "report.html"
    found = call("report", str(project), str(out), *words)
    assert found.code in (1, 2)
    assert sentence in found.err
    assert not out.exists()


def headings(page):
    """Return which measures a page draws: by query, and against k."""
    drawn = re.findall(r"minus full-bm25-stem, ([^<]+)<", page)
    return set(drawn), set(re.findall(r"<title>(\S+) against k, mean;", page))


def test_the_measure_named_is_drawn(project, tmp_path):
    """``--drawn`` chooses whose differences and curve the page shows, in a table of all measures."""
    out = tmp_path / "report.html"
    words = ("--against", "full-bm25-stem")
    assert call("report", str(project), str(out), *words, "--drawn", "nDCG@10").code == 0
    page = out.read_text(encoding="utf-8")
    assert headings(page) == ({"nDCG@10"}, {"nDCG"})
    assert "--drawn nDCG@10" in page
    assert "P@5" in page


def test_the_project_is_not_overwritten(project):
    """The page never replaces the project itself."""
    found = call("report", str(project), str(project))
    assert found.code == 1
    assert "is the open project" in found.err


@pytest.mark.parametrize("name", ["report.txt", "report.docx", "report"])
def test_a_file_of_another_ending_gets_no_page(project, tmp_path, name):
    """Who names a file of text gets no HTML in it."""
    found = call("report", str(project), str(tmp_path / name))
    assert found.code == 1
    assert "a file that ends in .html or .pdf" in found.err
    assert not (tmp_path / name).exists()


def test_the_page_prints_what_it_describes(project, tmp_path):
    """Interval of the difference, raw p and d_z of the command stand in the page, and the command."""
    out = tmp_path / "report.html"
    runs = ("full-bm25-stem", "title-bm25")
    assert call("report", str(project), str(out), "-m", "AP", "--run", *runs).code == 0
    options = ("-m", "AP", "--run", *runs, "--format", "json")
    (row,) = call("compare", "--project", str(project), *options).json["comparisons"]
    page = out.read_text(encoding="utf-8").replace("−", "-")
    for text in (f"{row['low']:.4f}", f"{row['high']:.4f}", f"{row['effect']:.2f}"):
        assert text in page
    assert "judgetool report " in page
    assert "--against full-bm25-stem -m AP --run full-bm25-stem --run title-bm25" in page


def test_a_run_is_named_once_over_its_measures(project, tmp_path):
    """Its rows are a group under its name, with one paragraph, of the measure that is drawn."""
    out = tmp_path / "report.html"
    assert call("report", str(project), str(out), "--drawn", "AP", "-m", "P@5", "AP").code == 0
    page = out.read_text(encoding="utf-8")
    table = page.partition("<h2>Differences from the baseline</h2>")[2].partition("</table>")[0]
    assert table.count("<tbody>") == table.count("scope='rowgroup'") == table.count("'said'") == 3
    assert table.count("scope='row'") == 3 * 2
    assert len(re.findall(r"class='said'[^>]*>[^<]*<bdi>[^<]* by AP", table)) == 3


def test_long_names_make_no_longer_report(project, tmp_path, qapp):
    """A name of 120 characters stands on a line of its own, not in a column as narrow as a figure."""
    n_pages = []
    for name in ("run-{}", "bm25_title_with_reranking_by_cross_encoder_" * 3 + "{}"):
        with open_project(project, assessor="anna") as session:
            for run in session.material.runs:
                rename_run(session, run.run_id, name.format(run.run_id))
        out = tmp_path / "out.pdf"
        assert call("report", str(project), str(out)).code == 0
        n_pages.append(len(re.findall(rb"/MediaBox \[0 0 842", out.read_bytes())))
    assert n_pages[1] <= n_pages[0] + 1
    assert n_pages[1] <= 12


def test_the_page_has_the_bounds_of_each_difference(project, tmp_path):
    """Between which bounds a difference lies is what the command says of it, not p's interval."""
    out = tmp_path / "report.html"
    runs = ("full-bm25-stem", "title-bm25")
    assert call("report", str(project), str(out), "-m", "AP", "--run", *runs).code == 0
    options = ("-m", "AP", "--run", *runs, "--intervals", "--format", "json")
    (row,) = call("compare", "--project", str(project), *options).json["comparisons"]
    page = out.read_text(encoding="utf-8").replace("−", "-")
    low, high = row["min"], row["max"]
    assert f"{low:+.4f} to {high:+.4f}" in page
    assert (low, high) != (row["low"], row["high"])
    # More documents may matter than the pool has left.
    assert "also those below the pool, which judged relevant change what is ideal" in page


def test_a_pdf_is_the_page_on_paper(project, tmp_path, qapp):
    """OUT.pdf holds A4 pages with their fonts; nothing of it waits for a screen."""
    out = tmp_path / "out.pdf"
    found = call("report", str(project), str(out), "-m", "AP")
    assert found.code == 0, found.err
    written = out.read_bytes()
    assert written.startswith(b"%PDF-")
    assert written.count(b"/FontFile2") >= 2
    assert len(re.findall(rb"/MediaBox \[0 0 842\S* 595\S*\]", written)) >= 2


def characters_named(pdf):
    """What a PDF says its forms of characters stand for: what is found and copied."""
    lists = re.findall(rb"<....> <....> \[(.*?)\]", pdf)
    return {chr(int(code, 16)) for codes in lists for code in re.findall(rb"<(....)>", codes)}


def test_the_figures_of_a_pdf_can_be_found_and_copied(project, tmp_path, qapp):
    """Each form of a character stands for one that people type, also where a font has others beside."""
    out = tmp_path / "out.pdf"
    must("report", project, out, "-m", "P@10")
    named = characters_named(out.read_bytes())
    assert {*"0123456789.+−@"} <= named
    kinds = {unicodedata.category(each): each for each in named - {"\t"}}
    assert kinds.keys().isdisjoint({"Co", "Cc", "Cn"})


def test_without_qt_its_package_is_named(project, tmp_path, monkeypatch):
    """Where a library that Qt needs is missing, the answer says which to install, and writes nothing."""
    monkeypatch.setattr(screen, "_loads", lambda library: library != "libEGL.so.1")
    out = tmp_path / "out.pdf"
    found = call("report", str(project), str(out))
    assert (found.code, "libegl1" in found.err) == (1, True)
    assert not out.exists()


def test_the_command_of_a_page_makes_it_again(project, tmp_path):
    """Of some queries, by another scale and other conventions: the same figures by its own words."""
    out, again = tmp_path / "report.html", tmp_path / "again.html"
    options = ("-m", "AP", "--scale", "0-3", "--queries", "both", "--where", "text:dessert")
    must("report", project, out, *options)
    page = out.read_text("utf-8")
    words = shlex.split(html.unescape(re.search(r"<code><bdi>(.*?)</bdi>", page)[1]))
    words[words.index(project.name)], words[words.index("report.html")] = str(project), str(again)
    must(*words[1:])
    figures = [re.sub(r"Made [^ ]+", "", each) for each in (page, again.read_text("utf-8"))]
    assert figures[0] == figures[1]
    assert "Over the queries that ‘text:dessert’ lets through" in page


def test_the_command_of_a_page_says_how_runs_are_compared(project, tmp_path):
    """By the project's own test, or one asked for: what the project keeps later changes nothing."""
    out, again = tmp_path / "report.html", tmp_path / "again.html"
    with open_project(project, assessor="anna") as session:
        set_comparison_rules(session, ComparisonRules("sign", correction="none", family="table"))
    must("report", project, out, "-m", "AP", "--alpha", "0.1", "--equivalence", "0.02")
    with open_project(project, assessor="anna") as session:
        set_comparison_rules(session, ComparisonRules("t"))
    page = out.read_text("utf-8")
    words = shlex.split(html.unescape(re.search(r"<code><bdi>(.*?)</bdi>", page)[1]))
    said = "--test sign --draws 100000 --seed 1 --correction none --family table --alpha 0.1"
    assert f"{said} --equivalence 0.02" in " ".join(words)
    words[words.index(project.name)], words[words.index("report.html")] = str(project), str(again)
    must(*words[1:])
    figures = [re.sub(r"Made [^ ]+", "", each) for each in (page, again.read_text("utf-8"))]
    assert figures[0] == figures[1]
    assert "sign test" in page.lower()


def test_agreement_has_a_table(project, tmp_path):
    """The page has the figures of ``judgetool agreement``, the documents each graded, and no name."""
    out = tmp_path / "report.html"
    assert call("report", str(project), str(out), "-m", "AP").code == 0
    page = out.read_text(encoding="utf-8")
    _, _, part = page.partition("<h2>Agreement</h2>")
    part = html.unescape(part.partition("<h2>")[0])
    asked = ("kappa(weights='linear')", "alpha(level='ordinal')", "AC1", "overlap")
    options = [word for name in asked for word in ("-m", name)]
    for name, _, value, low, high in must("agreement", project, "--intervals", *options).rows:
        assert re.search(
            rf">{re.escape(name)}<.*?<td>{value}</td><td>{low} to {high}</td>", part
        ), name
    assert "98 documents of 12 queries" in part
    assert "2 assessors graded 244 and 98 documents, 98 and 98 of these" in part
    assert not re.search("anna|ben", part)


def test_who_does_not_count_is_not_in_the_table(project, tmp_path):
    """With one of two left out nothing is graded twice, and no table is there; nor in a snapshot."""
    with open_project(project, assessor="anna") as session:
        set_counts(session, {"ben": False})
    for options in ((), ("--snapshot", "before")):
        out = tmp_path / "report.html"
        assert call("report", str(project), str(out), "-m", "AP", *options).code == 0
        assert "Agreement" not in out.read_text(encoding="utf-8")


def test_an_anonymous_report_names_neither_project_nor_person(tmp_path):
    """Title, file, moment and whose judgments alone count are not told, and the command is whole."""
    project = sample_project(tmp_path / "benedict.judge")
    out = tmp_path / "report.html"
    options = ("-m", "AP", "--run", "chargrams", "title-bm25", "--anonymous")
    assert call("report", str(project), str(out), *options).code == 0
    page = out.read_text(encoding="utf-8")
    assert "<h1><bdi>Runs compared</bdi></h1>" in page
    assert "judgetool report PROJECT report.html" in page
    assert "--anonymous" in page
    assert not re.search(r"benedict|Made \d", page)


@pytest.mark.parametrize("name", ["report-markdown", "report-html", "report-latex"])
def test_exported_reports_have_agreement(project, name):
    """Every form of report has the four measures with two decimals as asked."""
    text = must("export", project, "--format", name, "--digits", "2").out
    assert all(each in text for each in ("kappa(weights=", "overlap", "0.88", "0.84", "0.92"))
    alone = must("export", project, "--format", name, "--assessor", "anna").out
    assert "overlap" not in alone


@pytest.mark.parametrize("option", ["--qrels", "--judgments"])
def test_side_files_have_agreement(project, tmp_path, option):
    """Beside judgments stands how alike they are, in full precision, and nobody's name."""
    out = tmp_path / "out"
    must("export", project, option, out)
    said = json.loads((tmp_path / "out.meta.json").read_text(encoding="utf-8"))["agreement"]
    known = must("agreement", project, "-m", "AC1", "--intervals", "--format", "json").json["rows"][
        0
    ]
    (row,) = [row for row in said["measures"] if row["measure"] == "AC1"]
    assert {name: row[name] for name in ("value", "low", "high")} == {
        name: known[name] for name in ("value", "low", "high")
    }
    assert (said["documents"], said["queries"], said["graded"]) == (98, 12, [244, 98])
    must("export", project, option, out, "--assessor", "anna")
    assert "agreement" not in json.loads((tmp_path / "out.meta.json").read_text(encoding="utf-8"))


def test_only_who_counts_is_an_assessor_of_the_report(tmp_path):
    """Models are left out of the values, and so of the number."""
    path, out = sample_project(tmp_path / "p.judge"), tmp_path / "r.html"
    judged = "query,document,assessor,grade\n1,r003,anna,1\n1,r003,ben,2\n"
    must("import", path, "--qrels", "-", stdin=judged)
    model = judged.replace("anna", "gpt").replace("ben", "other")
    must("import", path, "--qrels", "-", "--kind", "model", stdin=model)
    must("report", path, out)
    found = re.search(r"assessors who count.{0,40}?>(\d+)<", out.read_text("utf-8"), re.DOTALL)
    assert found is not None
    assert found[1] == "2"


def test_how_many_documents_have_no_latest_grade_is_on_the_page(tmp_path):
    """As `score` says it, below whose judgments are counted; not where one assessor's are."""
    path, out = tmp_path / "sample.judge", tmp_path / "report.html"
    sample_project(path)
    must("report", path, out)
    tied = "16 documents have different grades by several assessors at the same time. Of these the highest counts."
    assert tied in out.read_text(encoding="utf-8")
    assert tied in must("export", path, "--format", "report-markdown").out
    must("report", path, out, "--assessor", "anna")
    assert "at the same time" not in out.read_text(encoding="utf-8")


def test_the_report_says_what_is_settled_and_what_cannot_be_judged(project, tmp_path):
    """Both change values or counts: how many documents it is, and how they count."""
    out, runs = tmp_path / "report.html", ("full-bm25-stem", "title-bm25")
    must("report", project, out, "-m", "Judged@10", "--run", *runs)
    before = out.read_text(encoding="utf-8")
    assert "settled" not in before
    assert "cannot be judged" not in before
    with open_project(project, assessor="anna") as session:
        query, document = next((each.query, each.document) for each in load_disputes(session))
        session.execute(settle(query, document, 3.0))
        board = session.board
        fresh = (
            (each, document)
            for each in range(board.n_queries)
            for document in board.pool(each).tolist()
            if document not in board.counted(each)
        )
        session.execute(Say.cannot_judge(*next(fresh)))
        n_judged = sum(len(session.board.counted(each)) for each in range(session.board.n_queries))
    must("report", project, out, "-m", "Judged@10", "--run", *runs)
    page = out.read_text(encoding="utf-8")
    assert "What holds of 1 document was settled: that counts, whatever else was said" in page
    assert "1 document cannot be judged, as was said of it" in page
    assert f"<dt>documents judged</dt><dd><bdi>{n_judged:,}</bdi>" in page
    assert "<dt>of them cannot be judged</dt><dd><bdi>1</bdi>" in page


def test_what_is_settled_as_impossible_to_judge_is_no_grade(project, tmp_path):
    """The report says that what holds was settled, and not that a grade was."""
    out = tmp_path / "report.html"
    with open_project(project, assessor="anna") as session:
        query, document = next((each.query, each.document) for each in load_disputes(session))
        session.execute(settle(query, document, None))
    must("report", project, out)
    page = out.read_text(encoding="utf-8")
    assert "What holds of 1 document was settled: that counts, whatever else was said" in page


def test_the_report_says_what_measures_are_made_of(project, tmp_path):
    """Formula, parameters and what each grade is worth: whoever has the grades works out the value."""
    out = tmp_path / "report.html"
    with open_project(project, assessor="anna") as session:
        session.execute(set_measures(["nDCG(dcg='exp-log2')@10", "pFound@10", "AP"]))
    must("report", project, out)
    page = html.unescape(out.read_text(encoding="utf-8"))
    assert "DCG@k = Σ_{i≤k} g_i / log2(i + 1)" in page
    assert "dcg='exp-log2'" in page
    assert "Gain by grade: 0: 0, 1: 1, 2: 3, 3: 7." in page
    assert "p_break=0.15: Probability of giving up after a document." in page
    assert "Probability by grade: 0: 0, 1: 0.125, 2: 0.375, 3: 0.875." in page


def test_a_p_that_more_draws_may_turn_is_marked(project, tmp_path):
    """Few draws near the level: the mark stands in both tables, and is explained."""
    out, runs = tmp_path / "report.html", ("full-bm25-stem", "title-bm25")
    words = (project, out, "-m", "AP", "--run", *runs, "--draws", "100")
    must("report", *words)
    assert "†" not in out.read_text(encoding="utf-8")
    (row,) = must(
        *("compare", "--project", project, "-m", "AP", "--run", *runs, "--draws", "100"),
        *("--format", "json"),
    ).json["comparisons"]
    must("report", *words, "--alpha", f"{row['p'] * 1.1:.4f}")
    page = out.read_text(encoding="utf-8")
    assert page.count("†") == 3
    assert "† p is drawn, and within two standard errors of its draws from the level" in page


def test_of_figures_over_all_queries_alone_there_is_the_table_alone(tmp_path):
    """GMAP has no values by query: nothing is drawn, and no difference is tested."""
    project = make_two_runs(tmp_path, ["q1", "q2"])
    judge_two_runs(project)
    with open_project(project, assessor="anna") as session:
        session.execute(set_measures(["GMAP"]))
    must("report", project, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "GMAP" in page
    assert "alpha minus beta" not in page
    assert "beta minus alpha" not in page
