"""`judgetool score`: from files and over a project."""

import csv
import gzip
import json
import zipfile
from pathlib import Path

import pytest

from judgetool.metrics import DEFAULT_MEASURES, Conventions, convention_preset
from judgetool.metrics.measure import trec_lines
from judgetool.session.commands import set_conventions
from judgetool.session.opening import open_project
from tests.helpers.program import QRELS, RUNS, SAMPLE, call, must
from tests.helpers.shared import shared_data

TREC_COLUMNS = {"map": "AP", "recip_rank": "RR", "ndcg_cut_10": "nDCG@10", "P_5": "P@5"}


def scores(*arguments):
    """Run `score` and return its rows."""
    return must("score", *arguments).rows


@pytest.fixture
def files(tmp_path):
    """Writes small files and returns their paths."""

    def write(**texts):
        paths = []
        for name, text in texts.items():
            path = tmp_path / f"{name}.txt"
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        return paths

    return write


def test_default_is_measure_query_value_with_four_decimals():
    """One run prints measure, `all` and the mean, separated by tabs."""
    assert scores(QRELS, RUNS[2], "-m", "map", "-m", "P@5") == [
        ["AP", "all", "0.4623"],
        ["P@5", "all", "0.5474"],
    ]


def test_default_measures_are_the_windows():
    """Without -m the measures of the window are printed, in their order."""
    assert [row[0] for row in scores(QRELS, RUNS[0])] == [str(each) for each in DEFAULT_MEASURES]


def test_what_nobody_could_grade_is_not_judged(files):
    """A document of which its assessor said that it cannot be judged is as one that nobody saw."""
    (run,) = files(run="1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n")
    table = run.with_name("table.csv")
    table.write_text("query_id,doc_id,assessor,grade,state\n1,a,x,1,judged\n1,b,x,,cannot_judge\n")
    assert scores(table, run, "-m", "P@2", "Judged@2") == [
        ["P@2", "all", "0.5000"],
        ["Judged@2", "all", "0.5000"],
    ]


def test_a_table_of_which_nothing_fits_says_what_is_wrong_with_it(files):
    """Its columns are known: nobody is told to name them."""
    (qrels,) = files(qrels="query_id,doc_id,grade\n1,,2\n")
    found = call("score", qrels, RUNS[0])
    assert (found.code, "--column" in found.err) == (1, False)
    assert found.err.startswith(f"{qrels}, line 2: the row names no document.")


def test_ranks_without_scores_stand_as_they_are(files):
    """Also under the conventions of tools that compare scores as 32-bit numbers."""
    qrels, run = files(qrels="1 0 a 1\n1 0 b 0\n", run="1\tb\t1\n1\ta\t2\n")
    assert scores(qrels, run, "-m", "RR", "--preset", "beir")[0][-1] == "0.50000"


def test_the_interval_of_a_sum_is_that_of_its_parts(files):
    """Found documents that are relevant, counted up or down: the ends change places."""
    qrels, run = files(qrels="1 0 a 1\n", run="1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n")
    asked = ("num_rel_ret", "utility.1,0,0,0", "utility.-1,0,0,0")
    words = (qrels, run, "--preset", "trec_eval", "--intervals", "-m")
    assert [row[2:] for each in asked for row in scores(*words, each)] == [
        ["1", "1", "2", "exact"],
        ["1.0000", "1.0000", "2.0000", "not exact"],
        ["-1.0000", "-2.0000", "-1.0000", "not exact"],
    ]


def test_several_runs_are_named_in_a_first_column():
    """With more than one run the first column says which."""
    rows = scores(QRELS, *RUNS, "-m", "AP")
    assert [row[0] for row in rows] == ["chargrams", "full-bm25-stem", "title-bm25"]
    assert {len(row) for row in rows} == {4}


def test_queries_come_before_the_means():
    """-q prints each judged query, then `all`."""
    rows = scores(QRELS, RUNS[0], "-m", "AP", "-q")
    assert len(rows) == 20
    assert rows[-1][1] == "all"


@pytest.mark.parametrize("path", sorted((SAMPLE / "expected").glob("*.trec_eval-9.0.8.tsv")))
def test_per_query_values_are_trec_evals(path):
    """Every per-query value of the sample equals what trec_eval 9.0.8 printed."""
    with path.open(encoding="utf-8") as stream:
        expected = list(csv.DictReader(stream, delimiter="\t"))
    names = [name for name in expected[0] if name != "query" and not name.startswith("num_")]
    run = SAMPLE / "runs" / f"{path.name.partition('.trec_eval')[0]}.run"
    options = [word for name in names for word in ("-m", name)]
    found = must("score", QRELS, run, "-q", "--queries", "both", "--format", "tsv", *options)
    rows = {row[1]: row[2:] for row in found.rows[1:]}
    assert rows == {
        **{row["query"]: [row[n] for n in names] for row in expected},
        "all": rows["all"],
    }


def test_means_over_judged_or_both_are_trec_evals():
    """--queries judged is trec_eval -c, --queries both is trec_eval without it."""
    with (SAMPLE / "expected" / "SUMMARY.tsv").open(encoding="utf-8") as stream:
        expected = list(csv.DictReader(stream, delimiter="\t"))
    for row in expected:
        mode = "judged" if row["mode"] == "-c" else "both"
        run = SAMPLE / "runs" / f"{row['run']}.run"
        options = [word for name in TREC_COLUMNS for word in ("-m", name)]
        found = scores(QRELS, run, "--queries", mode, *options)
        assert {line[0]: line[2] for line in found} == {
            ours: row[name] for name, ours in TREC_COLUMNS.items()
        }


def test_measures_may_follow_one_option():
    """-m A B and -m A -m B are the same."""
    assert scores(QRELS, RUNS[0], "-m", "AP", "P@5") == scores(
        *(QRELS, RUNS[0], "-m", "AP", "-m", "P@5")
    )


def test_trec_evals_families_are_understood():
    """P.5,10 stands for two measures."""
    assert [row[0] for row in scores(QRELS, RUNS[0], "-m", "P.5,10")] == ["P@5", "P@10"]


@pytest.mark.parametrize("digits", [0, 2, 7])
def test_digits_are_as_asked_for(digits):
    """--digits sets the decimals."""
    (row,) = scores(QRELS, RUNS[0], "-m", "AP", "--digits", str(digits))
    assert len(row[2].partition(".")[2]) == digits


def test_undefined_is_printed_as_in_the_mean_and_is_null_in_json():
    """A query without a relevant document counts 0; JSON says null and why."""
    rows = scores(QRELS, RUNS[0], "-m", "AP", "-q")
    assert ["AP", "19", "0.0000"] in rows
    values = must("score", QRELS, RUNS[0], "-m", "AP", "-q", "--format", "json").json
    found = values["runs"][0]["queries"]["19"]["AP"]
    assert found["value"] is None
    assert "relevant" in found["reason"]


def test_undefined_can_be_left_out():
    """--undefined leave-out prints - and takes the mean over the others."""
    rows = scores(QRELS, RUNS[0], "-m", "AP", "-q", "--undefined", "leave-out")
    assert ["AP", "19", "-"] in rows
    kept = [float(row[2]) for row in rows[:-1] if row[2] != "-"]
    assert float(rows[-1][2]) == pytest.approx(sum(kept) / len(kept), abs=1e-4)


def test_json_has_full_precision_conventions_and_counts():
    """JSON carries what is needed to judge the numbers."""
    values = must("score", QRELS, RUNS[2], "-m", "AP", "--format", "json").json
    mean = values["runs"][0]["means"]["AP"]
    assert mean["value"] == pytest.approx(0.46226540350, abs=1e-11)
    assert (mean["n_queries"], mean["n_undefined"], mean["n_missing"]) == (19, 1, 4)
    assert values["conventions"]["missing"] == "judged"
    assert values["scale"] == "TREC 0–4"


def test_tables_have_a_header():
    """tsv and csv name run, query and measures in the first line."""
    for name, separator in (("tsv", "\t"), ("csv", ",")):
        lines = must("score", QRELS, *RUNS, "-m", "AP", "--format", name).out.splitlines()
        assert lines[0].split(separator) == ["run", "query", "AP"]
        assert len(lines) == 4


def test_markdown_is_a_table_of_runs_with_its_conventions():
    """Markdown has a row per run, a column per measure and a line that says what counts."""
    lines = must("score", QRELS, *RUNS, "-m", "AP", "P@5", "--format", "markdown").out.splitlines()
    assert lines[0] == "| run | AP | P@5 |"
    assert lines[2] == "| chargrams | 0.7937 | 0.7579 |"
    assert lines[-1].startswith("Means over 19 queries.")


@pytest.mark.parametrize("name", ["trec", "tsv", "csv", "json", "markdown"])
def test_every_format_gives_the_same_numbers(name):
    """The formats differ in layout alone."""
    assert "0.4623" in must("score", QRELS, RUNS[2], "-m", "AP", "--format", name).out.replace(
        "0.46226540", "0.4623"
    )


def test_a_bad_line_ends_the_command(files):
    """Files are read strictly: the first bad line is named, and no value is printed."""
    qrels, run = files(qrels="1 0 d1 1\n1 0 d2\n", run="1 Q0 d1 1 2.0 t\n")
    found = call("score", qrels, run)
    assert (found.code, found.out) == (1, "")
    assert f"{qrels}, line 2" in found.err


def test_a_query_id_with_blanks_ends_the_command(files):
    """What blanks part into columns is no other query's result: not alone in its file, either."""
    for lines in ("cold soup Q0 d1 1 2 a\n", "q1 Q0 d1 1 2.5 a\nred wine Q0 d2 1 7.5 a\n"):
        found = call("score", *files(qrels="q1 0 d1 1\n", run=lines))
        assert (found.code, found.out) == (1, "")
        assert "before Q0 holds blanks" in found.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--where", "sushi"), "title-bm25: the judged query has no results; it counts as 0."),
        (("--query-list", "{two}"), "none of 2 judged queries has results; they count as 0."),
        ((), "title-bm25: 4 of 19 judged queries have no results; they count as 0."),
    ],
)
def test_queries_without_results_are_counted_in_words_that_fit(sample, tmp_path, words, said):
    """One query, all of those that were chosen, or some."""
    two = tmp_path / "two.txt"
    two.write_text("18\n19\n")
    chosen = (word.format(two=two) for word in words)
    assert said in must("score", "--project", sample, "--run", "title-bm25", *chosen).err


def test_notes_of_the_readers_go_to_standard_error():
    """What was decided while reading is said, but not among the values."""
    found = must("score", QRELS, RUNS[2], "-m", "AP")
    assert "ordered by document id" in found.err
    assert "count as 0" in found.err


def test_grade_above_the_scale_names_the_remedy(files):
    """ERR cannot read a grade above the scale; asked for, it is refused with what to do."""
    qrels, run = files(qrels="1 0 d1 9\n", run="1 Q0 d1 1 2.0 t\n")
    found = call("score", qrels, run, "-m", "ERR@5")
    assert found.code == 1
    assert "--scale" in found.err
    assert "max_rel=9" in found.err
    rest = must("score", qrels, run)
    assert "Left out here" in rest.err
    assert "ERR@10" not in rest.out
    assert "nDCG@10" in rest.out


def test_scale_changes_what_is_relevant(files):
    """--scale names gains, probabilities and the lowest relevant grade."""
    qrels, run = files(qrels="1 0 d1 1\n", run="1 Q0 d1 1 2.0 t\n")
    assert scores(qrels, run, "-m", "pFound@5", "--scale", "binary") == [
        ["pFound@5", "all", "0.4000"]
    ]
    assert scores(qrels, run, "-m", "pFound@5", "--scale", "yandex")[0][2] == "0.0700"


def test_several_grades_of_a_table_are_folded(files):
    """A judgments table with two assessors gives one grade, and standard error says by which view."""
    qrels, run = files(
        qrels="query,document,assessor,grade\n1,d1,anna,0\n1,d1,ben,2\n",
        run="1 Q0 d1 1 2.0 t\n",
    )
    assert scores(qrels, run, "-m", "CG@1") == [["CG@1", "all", "2.0000"]]
    assert scores(qrels, run, "-m", "CG@1", "--view", "mean")[0][2] == "1.0000"
    assert "several grades" in call("score", qrels, run).err


def test_the_latest_of_a_file_goes_by_its_own_times(files):
    """Of a file with times the grade given last counts, in whatever order its lines stand."""
    lines = ["1,d1,anna,2,2020-01-01T00:00:00Z\n", "1,d1,ben,1,2021-01-01T00:00:00Z\n"]
    for order in (lines, lines[::-1]):
        qrels, run = files(
            qrels="query,document,assessor,grade,at\n" + "".join(order), run="1 Q0 d1 1 2.0 t\n"
        )
        assert scores(qrels, run, "-m", "CG@1") == [["CG@1", "all", "1.0000"]]


def test_runs_of_one_name_are_told_apart(files):
    """Two files with the same tag are named by their files."""
    qrels, first, second = files(qrels="1 0 d1 1\n", a="1 Q0 d1 1 2.0 t\n", b="1 Q0 d2 1 2.0 t\n")
    assert [row[0] for row in scores(qrels, first, second, "-m", "AP")] == [str(first), str(second)]


def test_standard_input_is_a_run():
    """`-` reads a run from standard input."""
    data = (SAMPLE / "runs" / "title-bm25.run").read_bytes()
    assert must("score", QRELS, "-", "-m", "AP", stdin=data).rows == [["AP", "all", "0.4623"]]


def test_intervals_contain_the_value():
    """--intervals adds the least and the greatest possible value."""
    for row in scores(QRELS, RUNS[2], "-m", "AP", "nDCG@10", "P@5", "-q", "--intervals"):
        value, low, high = map(float, row[2:5])
        assert low <= value <= high
        assert row[5] == "exact"


def test_pooled_documents_widen_the_interval(files):
    """A negative grade is a pooled document of unknown grade."""
    texts = {"run": "1 Q0 d1 1 2.0 t\n", "known": "1 0 d1 1\n", "open": "1 0 d1 1\n1 0 d9 -1\n"}
    run, known, pooled = files(**texts)
    assert scores(known, run, "-m", "R@5", "--intervals") == [
        ["R@5", "all", "1.0000", "1.0000", "1.0000", "exact"]
    ]
    assert scores(pooled, run, "-m", "R@5", "--intervals")[0][3] == "0.5000"


BOTH_RETURN_A = "1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n"


def test_the_interval_of_a_mean_leaves_out_what_the_mean_leaves_out(files):
    """Query 1 has nothing relevant: with leave-out the mean is that of query 2, and certain."""
    qrels, run = files(qrels="1 0 a 0\n2 0 a 1\n", run=BOTH_RETURN_A)
    options = ("-m", "AP", "-q", "--intervals", "--undefined")
    assert scores(qrels, run, *options, "zero")[-1][2:] == ["0.5000", "0.5000", "0.5000", "exact"]
    assert scores(qrels, run, *options, "leave-out") == [
        ["AP", "1", "-", "-", "-", "-"],
        ["AP", "2", "1.0000", "1.0000", "1.0000", "exact"],
        ["AP", "all", "1.0000", "1.0000", "1.0000", "exact"],
    ]


def test_a_query_that_may_come_to_count_widens_the_mean(files):
    """Nothing is relevant in query 1, but b may be: it counts as 0.5, or not at all."""
    run = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n"
    qrels, run = files(qrels="1 0 a 0\n2 0 a 1\n", run=run)
    rows = scores(qrels, run, "-m", "AP", "-q", "--intervals", "--undefined", "leave-out")
    assert [row[1:] for row in rows] == [
        ["1", "-", "0.5000", "0.5000", "exact"],
        ["2", "1.0000", "1.0000", "1.0000", "exact"],
        ["all", "1.0000", "0.7500", "1.0000", "exact"],
    ]


def test_the_interval_of_a_weighted_mean_is_weighted(tmp_path, files):
    """Importance 3 and 1, AP 1 and 0.5: 0.8750, and nothing is open."""
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "1", "text": "a", "weight": 3}\n{"id": "2", "text": "b"}\n')
    qrels, run = files(
        qrels="1 0 a 1\n2 0 a 0\n2 0 b 1\n",
        run="1 Q0 a 1 1 t\n2 Q0 a 1 2 t\n2 Q0 b 2 1 t\n",
    )
    project = tmp_path / "p.judge"
    must("new", project, "--scale", "binary")
    must("import", project, "--queries", queries, "--qrels", qrels, "--run", run)
    row = scores("--project", project, "-m", "AP", "--weighted", "--intervals")[0]
    assert row == ["AP", "all", "0.8750", "0.8750", "0.8750", "exact"]


def test_a_geometric_mean_has_a_geometric_interval(files):
    """GMAP of 1 and of 0 or 1: from the root of 0.00001 to 1, not 0 to 0."""
    qrels, run = files(qrels="1 0 a 1\n2 0 b 1\n", run=BOTH_RETURN_A)
    assert scores(qrels, run, "-m", "GMAP", "--intervals")[0][2:] == [
        "0.0032", "0.0032", "0.7071", "exact"
    ]  # fmt: skip


def test_a_value_lies_in_its_own_interval_whatever_unjudged_documents_count_as(files):
    """Bpref, and a list without its unjudged documents: being unjudged is a case of its own."""
    ranked = "".join(f"1 Q0 d{n} {n} {9 - n} t\n" for n in range(1, 7))
    grades = "1 0 d1 3\n1 0 d2 0\n1 0 d3 3\n1 0 d5 0\n1 0 d6 3\n1 0 x 1\n"
    qrels, run = files(qrels=grades, run=ranked)
    value, low, high = map(float, scores(qrels, run, "-m", "Bpref", "--intervals")[0][2:5])
    assert (value, low, high) == (0.375, 0.375, 0.4167)
    qrels, run = files(qrels="1 0 b 1\n", run="1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    row = scores(qrels, run, "-m", "R@1", "--unjudged", "left-out", "--intervals")[0]
    assert row[2:] == ["1.0000", "0.0000", "1.0000", "exact"]


@pytest.mark.parametrize("layout", ["trec", "tsv", "csv", "json", "markdown"])
def test_an_interval_that_is_wider_than_need_be_says_so(files, layout):
    """Tau has its whole range while a document is unjudged, and every format says it."""
    qrels, run = files(
        qrels="1 0 a 1\n1 0 b 0\n",
        run="1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n",
    )
    shown = must("score", qrels, run, "-m", "tau", "--intervals", "--format", layout).out
    assert "-1.0" in shown
    assert ('"is_exact": false' if layout == "json" else "not exact") in shown


def test_conventions_are_explained_on_demand():
    """--explain-conventions puts them before the values, as comments."""
    lines = must("score", QRELS, RUNS[0], "-m", "AP", "--explain-conventions").out.splitlines()
    assert len(lines) > 4
    assert all(line.startswith("# ") for line in lines[:-1])


def test_preset_sets_measures_digits_and_conventions():
    """--preset takes over a tool's conventions, measures and decimals."""
    preset = convention_preset("gdeval")
    rows = scores(QRELS, RUNS[0], "--preset", "gdeval")
    assert [row[0] for row in rows] == [str(each) for each in preset.default_measures()]
    assert len(rows[0][2].partition(".")[2]) == preset.digits


@pytest.mark.oracle
def test_trec_eval_preset_prints_what_trec_eval_prints():
    """The default output of trec_eval 9.0.8 on its own test files, byte for byte."""
    folder = shared_data("data/trec_eval")
    found = must(
        *("score", folder / "qrels.test", folder / "results.test", "--preset", "trec_eval")
    )
    expected = (folder / "expected-9.0.8" / "out.test").read_text(encoding="utf-8")
    assert found.out == expected


# Those of trec_eval that judgetool has not.


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("expected", "run", "options"),
    [
        ("out.test.a", "results.test", ("-m", "all_trec")),
        ("out.test.aq", "results.test", ("-m", "all_trec", "-q")),
        ("out.test.aqc", "results.trunc", ("-m", "all_trec", "-q", "--queries", "judged")),
        (
            "out.test.aqcM",
            "results.trunc",
            ("-m", "all_trec", "-q", "--queries", "judged", "-M", "100"),
        ),
        ("out.test.aql", "results.test", ("-m", "all_trec", "relstring.20", "-q", "-l", "2")),
        (
            "out.test.meas_params",
            "results.test",
            (
                *("-q", "-m", "iprec_at_recall..10,.20,.25,.75,.50", "-m", "P.5,7,3"),
                *("-m", "recall.20,2000", "-m", "Rprec_mult.5.0,0.2,0.35"),
                *("-m", "utility.2,-1,0,0", "-m", "11pt_avg..25,.5,.75"),
                *("-m", "ndcg.1=3,2=9,4=4.5", "-m", "ndcg_cut.10,20,23", "-m", "success.2,5,20"),
            ),
        ),
    ],
)
def test_trec_eval_preset_prints_trec_evals_own_outputs(expected, run, options):
    """Sets, -q, -c, -M, -l and numbers of measures: order, names, widths, decimals."""
    folder = shared_data("data/trec_eval")
    qrels = folder / ("qrels.rel_level" if "-l" in options else "qrels.test")
    found = must("score", qrels, folder / run, "--preset", "trec_eval", *options).out.splitlines()
    text = (folder / "expected-9.0.8" / expected).read_text(encoding="utf-8")
    kept = text.splitlines()
    if "judged" in options:
        # As trec_eval 10: queries that the run lacks have lines of their own.
        queries = {line.split("\t")[1] for line in kept}
        found = [line for line in found if line.split("\t")[1] in queries]
    assert found == kept


def test_trec_eval_prints_in_its_own_order():
    """Whatever order was asked for, lines come in trec_eval's order, cutoffs rising."""
    asked = ["nDCG@10", "P@10", "ERR@20", "P@5", "AP", "NumQ", "P@5"]
    printed = [line.name for line in trec_lines(asked)]
    assert printed == ["num_q", "map", "P_5", "P_10", "ndcg_cut_10", "ERR@20"]


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("Rprec_mult", [f"Rprec_mult_{step / 5:.2f}" for step in range(1, 11)]),
        ("Rprec_mult.1", ["Rprec_mult_1.00"]),
        ("set_F.0.5", ["set_F_0.5"]),
        ("set_F.2", ["set_F_2"]),
        ("set_F.0.5,2", ["set_F_0.5", "set_F_2"]),
        ("relstring_5", ["relstring_5"]),
        ("set_F", ["set_F"]),
        ("11pt_avg..25,.5,.75", ["11pt_avg_.25,.5,.75"]),
        ("utility.2,-1,0,0", ["utility_2,-1,0,0"]),
        ("set", [*("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P"),
                 *("set_relative_P", "set_recall", "set_map", "set_F")]),
    ],
)  # fmt: skip
def test_trec_evals_lines_have_trec_evals_names(name, printed):
    """Numbers stand in them as trec_eval writes them."""
    assert [line.name for line in trec_lines([name])] == printed


@pytest.mark.parametrize(
    ("asked", "family", "printed"),
    [
        (["all_trec", "relstring.20"], "relstring", ["relstring_20"]),
        (["relstring.20", "all_trec"], "relstring", ["relstring_20"]),
        (["official", "P.7"], "P_", ["P_7"]),
        (["P.7,3", "P", "P.9"], "P_", ["P_3", "P_7"]),
        (["all_trec", "ndcg.1=3"], "ndcg", ["ndcg_1=3", "ndcg_rel"]),
        (["set", "set_F.0.5"], "set_F", ["set_F_0.5"]),
        (["official", "P_7"], "P_", [f"P_{k}" for k in (5, 7, 10, 15, 20, 30, 100, 200, 500, 1000)]),
    ],
)  # fmt: skip
def test_numbers_replace_those_of_a_set(asked, family, printed):
    """trec_eval prints a family once, by the numbers that were given first; P_7 is one line more."""
    names = [line.name for line in trec_lines(asked) if line.name.startswith(family)]
    assert [name for name in names if not name.startswith("ndcg_cut")] == printed


def test_numbers_that_are_not_looked_at_are_named(files):
    """Of P.7 and P.9 trec_eval prints the first, without a word."""
    qrels, run = files(qrels="1 0 a 1\n", run="1 Q0 a 1 1 t\n")
    found = must("score", qrels, run, "--preset", "trec_eval", "-m", "P.7", "P", "P.9", "P.7")
    assert [row[0].strip() for row in found.rows] == ["P_7"]
    assert found.err.count("is not printed as it is") == 1
    assert (
        "P.9 is not printed as it is: of each family trec_eval takes the numbers given" in found.err
    )


def test_a_level_holds_for_all_lines_and_changes_no_name():
    """-l 2 makes every measure that asks for relevance ask for grade 2."""
    lines = trec_lines(["map", "ndcg", "num_ret"], rel=2)
    parts = [str(measure) for line in lines for _, measure in line.parts]
    assert [line.name for line in lines] == ["num_ret", "map", "ndcg"]
    assert parts == ["NumRet", "AP(rel=2)", "nDCG"]


def test_a_level_without_trec_eval_is_refused(files):
    """-l changes all measures at once, which only trec_eval does."""
    qrels, run = files(qrels="1 0 a 1\n", run="1 Q0 a 1 1 t\n")
    found = call("score", qrels, run, "-l", "2")
    assert found.code == 2
    assert "AP(rel=2)" in found.err


def test_trec_evals_experiments_take_gains(files):
    """G.1=3 is G with the gain of grade 1, named as trec_eval names it."""
    qrels, run = files(qrels="1 0 a 1\n1 0 b 2\n", run="1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    options = ("--preset", "trec_eval", "-m", "G.1=3,2=1", "ndcg_rel.1=3", "Rndcg.2=9")
    found = {row[0].strip(): row[2] for row in must("score", qrels, run, *options).rows}
    assert list(found) == ["G_1=3,2=1", "ndcg_rel_1=3", "Rndcg_2=9"]
    assert found["G_1=3,2=1"] == found["ndcg_rel_1=3"] == "1.0000"


def test_a_measure_that_trec_eval_has_not_comes_last(files):
    """A name of pytrec_eval's own is printed as it is."""
    qrels, run = files(qrels="1 0 a 1\n", run="1 Q0 a 1 1 t\n")
    found = must("score", qrels, run, "--preset", "trec_eval", "-m", "dcg", "relstring", "P.5").rows
    assert [row[0].strip() for row in found] == ["P_5", "dcg"]


def test_project_scores_like_its_exported_files(sample, tmp_path):
    """The numbers over a project are those of its exported qrels and runs."""
    must(
        *("export", sample, "--qrels", tmp_path / "q.txt"),
        *("--run", f"title-bm25={tmp_path / 't.run'}"),
    )
    options = ("-m", "AP", "nDCG@10", "pFound@10", "-q", "--scale", "0-3")
    from_files = scores(tmp_path / "q.txt", tmp_path / "t.run", *options)
    project = scores("--project", sample, "--run", "title-bm25", *options)
    assert sorted(project) == sorted(from_files)


def test_project_without_names_scores_all_runs(sample):
    """Every run of the project is scored by the project's own measures."""
    rows = scores("--project", sample)
    assert {row[0] for row in rows} == {"chargrams", "full-bm25-stem", "title-bm25"}
    assert len(rows) == 3 * len(DEFAULT_MEASURES)


def test_view_decides_which_judgments_count(sample):
    """Folding by another rule gives other values."""
    by_rule = {
        rule: scores("--project", sample, "--run", "chargrams", "-m", "nDCG@10", "--view", rule)
        for rule in ("min", "max")
    }
    assert by_rule["min"] != by_rule["max"]


def test_whose_judgments_of_a_project_were_counted_is_said(sample):
    """Among the conventions, in JSON by name, and on standard error where the highest counts of a tie."""
    given = ("score", "--project", sample, "--run", "chargrams", "-m", "nDCG@10")
    usual, voted = must(*given), must(*given, "--view", "majority")
    tied = "16 documents have different grades by several assessors at the same time. Of these"
    assert tied in usual.err
    assert "equally many assessors gave, at the same time. Of these the highest" in voted.err
    assert usual.out.count("\n") == voted.out.count("\n") == 1
    assert must(*given, "--explain-conventions").out.startswith(
        "# Judgments: All judgments, latest counts.\n"
    )
    assert "Judgments: Majority. " in must(*given, "--view", "majority", "--format", "markdown").out
    assert must(*given, "--view", "majority", "--format", "json").json["view"] == "majority"
    alone = must(*given, "--assessor", "anna", "--format", "json")
    assert (alone.json["view"], alone.json["assessor"]) == ("mine", "anna")
    assert alone.json["conventions"]["sentences"][0] == "Judgments: only those of anna."
    assert "at the same time" not in alone.err


def test_of_files_nothing_is_said_of_a_view():
    """They have one grade of a document, as a rule."""
    found = must("score", QRELS, RUNS[0], "--format", "json").json
    assert "view" not in found
    assert not any("Judgments:" in each for each in found["conventions"]["sentences"])


def test_unknown_run_of_a_project_is_listed(sample):
    """A run that the project lacks is refused with the names that it has."""
    found = call("score", "--project", sample, "--run", "bm26")
    assert found.code == 1
    assert "title-bm25" in found.err


def test_a_csv_has_ids_as_they_are(tmp_path):
    """Programs join by names and ids, in CSV as in TSV, also by those that a spreadsheet would run."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("=1+1 0 a 1\n")
    run.write_text("=1+1 Q0 a 1 1.0 @SUM(A1)\n")
    options = ("score", qrels, run, "-m", "RR", "-q", "--format")
    assert must(*options, "csv").out.splitlines()[1] == "@SUM(A1),=1+1,1.0000"
    assert must(*options, "tsv").out.splitlines()[1] == "@SUM(A1)\t=1+1\t1.0000"


def test_several_runs_in_one_file_are_scored_apart(tmp_path):
    """As those of a table with a column of runs: each has the values that its own file has."""
    joined = tmp_path / "all.run"
    joined.write_text("".join(Path(run).read_text() for run in RUNS))
    asked = ("-m", "AP", "-m", "nDCG@10")
    assert scores(QRELS, joined, *asked) == scores(QRELS, *RUNS, *asked)


def test_a_single_document_with_several_grades_is_one(files):
    """The number goes with its word."""
    table = "query,document,Anna,Ben\nq,a,3,2\nq,b,1,\nq,c,,0\n"
    said = must("score", *files(qrels=table, run="q Q0 a 1 2 t\n")).err
    assert "1 document has several grades; the view" in said


def test_a_row_without_a_rank_is_refused(files):
    """It had discarded the ranks of all rows: the order of the file was scored."""
    table = "query,doc_id,rank\nq,a,2\nq,b,\nq,c,1\n"
    found = call("score", *files(qrels="q 0 a 1\n", run=table))
    assert (found.code, "line 3: the row has no rank" in found.err) == (1, True)


def test_qrels_without_a_judgment_are_refused(files):
    """Means of 0 over no query at all would be made up."""
    qrels, run = files(qrels="", run="q Q0 d 1 2.0 bm25\n")
    found = call("score", qrels, run, "-m", "AP")
    assert (found.code, found.out) == (1, "")
    assert "has no judgments; expected qrels" in found.err


@pytest.mark.parametrize("run", ["", "\n\n", "# nothing\n"])
def test_a_run_without_a_result_is_refused(files, run):
    """A search that failed leaves an empty file: values of 0 would be made up."""
    qrels, empty = files(qrels="q 0 d 1\n", run=run)
    found = call("score", qrels, empty, "-m", "AP")
    assert (found.code, found.out) == (1, "")
    assert "has no results; expected a run" in found.err


@pytest.mark.parametrize(
    ("qrels", "run", "said"),
    [
        (
            "q 0 d 1\nq 0 d 2\n",
            "q Q0 d 1 2 t\n",
            "line 2: document ‘d’ of query ‘q’ was judged differently on line 1. Nothing of",
        ),
        (
            "q 0 d 1\n",
            "q Q0 d 1 2 t\nq Q0 d 2 1 t\n",
            "line 2: document ‘d’ stands in query ‘q’ on line 1 already. Nothing of",
        ),
        (
            '{"q": {"d": 1, "d": 2}}',
            "q Q0 d 1 2 t\n",
            "‘d’ stands twice in one JSON object. Nothing of",
        ),
    ],
    ids=["grades", "results", "keys"],
)
def test_of_what_comes_twice_nothing_is_said_to_count(files, qrels, run, said):
    """Both lines are named; where nothing of the file is used, none of them counts."""
    found = call("score", *files(qrels=qrels, run=run), "-m", "AP")
    assert found.code == 1
    assert said in found.err
    assert "counts" not in found.err


def test_a_file_in_a_zip_file_is_named(tmp_path):
    """Of two runs in a zip file none is taken unasked: the sentence shows how to name one."""
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w") as package:
        for run in RUNS[:2]:
            package.write(run, f"runs/{Path(run).name}")
    found = call("score", QRELS, path, "-m", "AP")
    assert found.code == 1
    first = f"{path}/runs/{Path(RUNS[0]).name}"
    assert f"as in ‘{first}’" in found.err
    assert (
        must("score", QRELS, first, "-m", "AP").out == must("score", QRELS, RUNS[0], "-m", "AP").out
    )
    for other in (f"{path}/none.run", f"{RUNS[0]}/a.run"):
        assert call("score", QRELS, other).code == 1


def test_a_cut_gzip_file_is_not_said_to_be_read(tmp_path):
    """Values of a part would mislead: the sentence says that nothing was used, and only that."""
    path = tmp_path / "qrels.gz"
    packed = gzip.compress(b"".join(b"q 0 d%d 1\n" % (i * i % 997) for i in range(5_000)))
    path.write_bytes(packed[: len(packed) // 2])
    found = call("score", path, RUNS[0])
    assert found.code == 1
    assert "the gzip file ends too early: lines may be missing" in found.err
    assert "was read" not in found.err


@pytest.mark.parametrize("files", [[], [RUNS[0]]])
def test_a_project_in_place_of_qrels_is_named_as_one(sample, files):
    """The sentence says how a project is given."""
    told = call("score", sample, *files)
    assert told.code == 2
    assert f"{sample} is a project: give it as --project {sample}" in told.err.replace("\n", " ")


def test_what_columns_are_is_said_where_it_can_be(files):
    """`score` has no option for it: its sentence names an import that has."""
    run, qrels = files(run="alpha,beta,gamma\nq1,d1,2\nq2,d2,2\n", qrels="q1 0 d1 1\n")
    found = call("score", qrels, run)
    assert found.code == 1
    assert f"judgetool import PROJECT --run {run} --column HEADER=ROLE" in found.err
    assert "say what each column is (its role)" not in found.err


def test_a_loose_quotation_mark_makes_no_other_query(files):
    """Nothing is scored of a table in which one is not doubled."""
    table = 'query,document,grade\n"24"" monitor",d1,1\n"24" monitor",d2,2\n'
    qrels, run = files(qrels=table, run="q1 Q0 d1 1 2 t\n")
    found = call("score", qrels, run)
    assert found.code == 1
    assert "line 3: text follows the quotation mark that closes a cell" in found.err


def test_what_marks_around_cells_were_taken_for_is_said(files):
    """Between tabs a spreadsheet writes them where a cell holds a comma: they are no part of an id."""
    qrels = 'query\tdocument\tgrade\n"soup, warm"\td1\t3\nplain\td3\t2\n'
    run = 'query,document,score\n"soup, warm",d1,2\nplain,d3,1\n'
    found = must("score", *files(qrels=qrels, run=run), "-m", "AP")
    assert found.out.split() == ["AP", "all", "1.0000"]
    assert (
        "Quotation marks around cells, as a spreadsheet or R writes them, are left out" in found.err
    )
    assert "--answer quotes=yes" in found.err


def test_an_encoding_is_said_by_an_option(tmp_path):
    """As of an import: what is not UTF-8 is refused, with the way out; both files are read by it."""
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_bytes("Käse 0 d1 1\n".encode("cp1252"))
    run.write_bytes("Käse Q0 d1 1 2.5 a\n".encode("cp1252"))
    refused = call("score", qrels, run)
    assert refused.code == 1
    assert "score or import it with --encoding" in refused.err
    found = must("score", qrels, run, "--encoding", "windows-1252", "-m", "AP", "-q")
    assert found.rows == [["AP", "Käse", "1.0000"], ["AP", "all", "1.0000"]]
    strange = call("score", qrels, run, "--encoding", "klingon")
    assert (strange.code, "There is no encoding ‘klingon’" in strange.err) == (2, True)


def test_an_encoding_is_that_of_the_file_that_is_not_utf8(tmp_path):
    """Judgments in cp1252 and a run in UTF-8 speak of the same query."""
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_bytes("Käse 0 d1 1\n".encode("cp1252"))
    run.write_text("Käse Q0 d1 1 2.5 a\n", encoding="utf-8")
    found = must("score", qrels, run, "--encoding", "cp1252", "-m", "AP", "-q")
    assert found.rows == [["AP", "Käse", "1.0000"], ["AP", "all", "1.0000"]]


def test_an_encoding_is_none_of_a_projects(sample):
    """A project’s texts have been read already."""
    found = call("score", "--project", sample, "--encoding", "cp1252")
    assert (found.code, "--encoding goes with files." in found.err) == (2, True)


CUT = "Only the first 3 documents of each query are looked at."


@pytest.mark.parametrize("layout", ["trec", "tsv", "csv", "json", "markdown", "latex"])
def test_a_depth_is_said_wherever_conventions_are(layout):
    """-M changes every value, and stands beside what else does."""
    words = ("score", QRELS, RUNS[2], "-m", "AP", "--explain-conventions", "--format", layout)
    assert CUT in must(*words, "-M", "3").out
    assert "looked at" not in must(*words).out
    assert "Only the first document of each query" in must(*words, "-M", "1").out


def test_a_level_is_said_wherever_conventions_are():
    """-l likewise, and never among trec_eval's lines."""
    words = ("score", QRELS, RUNS[2], "--preset", "trec_eval", "-m", "map", "-l", "2")
    for layout in ("json", "markdown", "latex"):
        assert "Relevant from grade 2." in must(*words, "--format", layout).out
    assert "# Relevant from grade 2." in must(*words, "--explain-conventions").out.splitlines()
    assert len(must(*words).out.splitlines()) == 1


@pytest.mark.parametrize("layout", ["trec", "tsv", "csv", "markdown", "latex"])
@pytest.mark.parametrize(
    ("grades", "words", "said"),
    [
        (
            "1 0 a -1\n9 0 a 1\n",
            ("--queries", "both"),
            "t: no query counts: none is both judged and in the",
        ),
        (
            "1 0 a -1\n1 0 b -2\n",
            (),
            "No query counts: no document has a grade that counts (below 0 means",
        ),
        ("1 0 a 0\n", ("--undefined", "leave-out"), "t: no query counts by AP: the value of each"),
    ],
)
def test_a_mean_over_no_query_is_no_number(files, layout, grades, words, said):
    """It is -, or an empty cell, as null in JSON, and standard error says why once."""
    qrels, run = files(qrels=grades, run="1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    found = must("score", qrels, run, "-m", "AP", *words, "--format", layout)
    assert "0.0000" not in found.out
    assert found.out.endswith(",\n") if layout == "csv" else "-" in found.out
    assert found.err.count(said) == 1
    found = must("score", qrels, run, "-m", "AP", *words, "--format", "json").json
    assert found["runs"][0]["means"]["AP"]["value"] is None


@pytest.mark.parametrize("words", [(), ("--preset", "trec_eval"), ("--queries", "both")])
def test_files_without_a_common_query_are_refused(files, words):
    """As by trec_eval: 0.0000 would pass for a value. Examples of both sides tell why."""
    qrels, run = files(qrels="q1 0 a 1\n", run="1 Q0 a 1 2 t\n")
    found = call("score", qrels, run, *words)
    assert (found.code, found.out) == (1, "")
    assert f"in {qrels} (such as ‘q1’) and in {run} (such as ‘1’)" in found.err
    assert "--id-map" in found.err


def test_one_run_of_strange_queries_is_told_beside_others(files, tmp_path):
    """The other runs have their values; why this one counts as 0 is said."""
    qrels, run = files(qrels="q1 0 a 1\n", run="1 Q0 a 1 2 strange\n")
    other = tmp_path / "other.run"
    other.write_text("q1 Q0 a 1 2 known\n")
    found = must("score", qrels, run, other, "-m", "AP")
    assert [row[-1] for row in found.rows] == ["0.0000", "1.0000"]
    assert f"in {run} (such as ‘1’)" in found.err


def test_trec_evals_lines_keep_a_number(files):
    """Whoever reads them expects one; standard error says that no query counts."""
    qrels, run = files(qrels="1 0 a -1\n", run="1 Q0 a 1 2 t\n")
    found = must("score", qrels, run, "--preset", "trec_eval", "-m", "map", "utility")
    assert [row[-1] for row in found.rows] == ["0.0000", "0.0000"]
    assert "No query counts" in found.err


def test_intervals_say_of_which_queries_they_are():
    """Those of the mean; `compare` counts what may come to be judged, too."""
    for layout in ("json", "markdown"):
        out = must("score", QRELS, RUNS[2], "-m", "AP", "--intervals", "--format", layout).out
        assert "Intervals of means are of the queries that count now." in out


def test_what_ranx_calls_hits_is_a_count(files):
    """Two of three relevant documents stand in the first five; and recall alone is said to be trec_eval's."""
    qrels, run = files(qrels="1 0 a 1\n1 0 b 1\n1 0 c 1\n", run="1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    rows = scores(qrels, run, "-m", "hits@5", "hit_rate@5", "precision", "f1")
    assert [row[::2] for row in rows] == [
        ["NumRelRet@5", "2"],
        ["Success@5", "1.0000"],
        ["SetP", "1.0000"],
        ["SetF", "0.8000"],
    ]
    said = "‘recall’ is trec_eval’s: R@5, R@10 and so on."
    assert said in must("score", qrels, run, "-m", "recall").err
    assert said not in must("score", qrels, run, "-m", "recall", "--preset", "trec_eval").err
    assert said not in must("score", qrels, run, "-m", "recall@5").err


def test_quepid_reads_files_by_its_usual_scale(sample, tmp_path):
    """ERR divides by 2^3 where no scale is named; a project and --scale have their own."""
    words = ("score", QRELS, RUNS[2], "--preset", "quepid", "-m", "ERR@10", "--digits", "4")
    (unscaled,) = must(*words).rows
    assert unscaled[0] == "ERR(max_rel=3)@10"
    (scaled,) = must(*words, "--scale", "0-3").rows
    assert scaled == ["ERR@10", "all", unscaled[2]]
    assert must(*words, "--scale", "0-4").rows[0][2] != unscaled[2]
    project = ("score", "--project", sample, "--run", "title-bm25", "--preset", "quepid")
    assert must(*project, "-m", "ERR@10").rows[0][0] == "ERR@10"


@pytest.mark.parametrize("gain", ["1e308", "1e309", "NaN"])
def test_gains_of_a_scale_have_sums(files, gain):
    """What no sum can hold, or is no number, is refused in a sentence."""
    levels = f'{{"levels": [{{"grade": 0}}, {{"grade": 1, "gain": {gain}}}]}}'
    qrels, run, scale = files(qrels="1 0 a 1\n", run="1 Q0 a 1 1 t\n", scale=levels)
    found = call("score", qrels, run, "-m", "CG", "--scale", scale, "--format", "json")
    assert (found.code, found.out) == (1, "")
    assert "Gains must be finite and at most 1e+100." in found.err
    greatest = ("-m", "CG(gains={1: 1e100})", "--format", "json")
    assert must("score", qrels, run, *greatest).json["runs"][0]["means"]


@pytest.mark.parametrize(
    ("grade", "words", "remedy"),
    [
        ("2000", ("ERR@10",), "No scale goes beyond 1000: leave these measures out."),
        ("2000", ("nDCG(dcg='exp-log2')",), "No scale goes beyond 1000: leave these measures out."),
        ("9", ("SDCG@5", "pFound"), "Name the scale of these grades with --scale."),
        ("2", ("nDCG", "--scale", "binary"), "Name the scale of these grades with --scale."),
        ("9", ("pFound", "ERR@7"), "or give ERR its highest grade: ERR(max_rel=9)@7."),
    ],
)
def test_no_remedy_is_named_that_is_none(files, grade, words, remedy):
    """What is advised is understood, and of a measure that was asked for."""
    qrels, run = files(qrels=f"1 0 a {grade}\n", run="1 Q0 a 1 2.0 t\n")
    found = call("score", qrels, run, "-m", *words)
    assert found.code == 1
    assert found.err.strip().endswith(remedy)


def test_what_trec_eval_would_cut_is_said(files):
    """It reads grades and levels as whole numbers; a grade is kept, and a level is refused."""
    qrels, run = files(qrels="1 0 a 1.5\n1 0 b 2\n", run="1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    words = ("score", qrels, run, "--preset", "trec_eval", "-m", "ndcg")
    assert f"{qrels} has grades such as 1.5, which are kept" in must(*words).err
    assert "which are kept" not in must("score", qrels, run, "-m", "nDCG").err
    assert "which are kept" not in must("score", QRELS, RUNS[0], *words[3:]).err
    assert (call(*words, "-l", "1.5").code, call(*words, "-l", "-1").code) == (2, 2)
    assert "‘1.5’ is no whole number" in call(*words, "-l", "1.5").err
    assert "'-l': -1 is not in the range" in call(*words, "-l", "-1").err


@pytest.mark.parametrize(
    ("scale", "strange"), [("0-3", "1.5 and 7"), ("1-3", "0, 1.5 and 7"), ("0-9/any", "")]
)
def test_grades_that_are_not_on_the_scale_are_named(files, scale, strange):
    """They are read all the same, by the levels beside them."""
    qrels, run = files(qrels="1 0 a 1.5\n1 0 b 7\n1 0 c 0\n1 0 d -1\n", run="1 Q0 a 1 2 t\n")
    found = must("score", qrels, run, "-m", "P@1", "--scale", scale).err
    assert ("grades that are not on the scale" in found) == bool(strange)
    assert not strange or f"not on the scale {scale}: {strange}." in found
    assert "not on the scale" not in must("score", qrels, run, "-m", "P@1").err


def test_files_have_no_importance_of_queries(sample, tmp_path, files):
    """--weighted is refused of them, and of what is written beside others it is said."""
    qrels, run = files(qrels="1 0 a 1\n", run="1 Q0 a 1 2 t\n")
    found = call("score", qrels, run, "--weighted")
    assert (found.code, found.out) == (2, "")
    assert "--weighted is for projects, and for files beside which" in found.err
    side = tmp_path / f"{qrels.name}.meta.json"
    out = tmp_path / "out.txt"
    must("export", sample, "--qrels", out)
    text = (tmp_path / "out.txt.meta.json").read_text(encoding="utf-8")
    side.write_text(text.replace('"is_weighted": false', '"is_weighted": true'), encoding="utf-8")
    values = json.loads(side.read_text(encoding="utf-8"))
    values.pop("weights", None)
    for strangers in ({}, {"weights": {"of another collection": 2.0, "and another": 3.0}}):
        side.write_text(json.dumps(values | strangers), encoding="utf-8")
        found = must("score", qrels, run, "-m", "P@1", "--format", "markdown")
        assert "each counts alike" in found.err
        assert "weighted by the importance" not in found.out
    side.write_text(json.dumps(values | {"weights": {"1": 0}}), encoding="utf-8")
    assert "something else than numbers above 0" in call("score", qrels, run).err


@pytest.fixture
def weighted(tmp_path, files):
    """A project whose queries count 3 and 1, with P@1 1 and 0 in one run, 0 and 1 in the other."""
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": "q 1", "text": "x", "weight": 3}\n{"id": "2", "text": "y"}\n')
    one, two, run, other = files(
        one="query,document,grade\nq 1,a,1\n2,a,0\n2,b,1\n",
        two="query,document,grade\nq 1,b,0\n",
        run="query,document,score\nq 1,a,2\n2,a,2\n",
        other="query,document,score\nq 1,b,2\n2,b,2\n",
    )
    project = tmp_path / "w.judge"
    must("new", project, "--scale", "binary")
    must("import", project, "--queries", queries, "--qrels", one, "--qrels", two)
    must("import", project, "--run", run, "--run", other)
    with open_project(project) as session:
        session.execute(set_conventions(Conventions(is_weighted=True)))
    return project


def test_exported_files_have_the_values_of_a_project_whose_queries_have_weights(weighted, tmp_path):
    """(3 × 1 + 1 × 0) ÷ 4 and (3 × 0 + 1 × 1) ÷ 4, by `score` and `compare`; ids with blanks, too."""
    of_files = [tmp_path / name for name in ("out", "out-run", "out-other")]
    outs = ["--qrels", of_files[0], "--run", f"run={of_files[1]}", "--run", f"other={of_files[2]}"]
    must("export", weighted, *outs, "--blanks", "queries")
    found = must("score", *of_files, "-m", "P@1")
    assert [row[-1] for row in found.rows] == ["0.7500", "0.2500"]
    assert "How important queries are is read from out.meta.json." in found.err
    assert [row[-1] for row in scores("--project", weighted, "-m", "P@1")] == ["0.7500", "0.2500"]
    told = must("score", *of_files, "-m", "P@1", "--format", "markdown").out
    assert "Weighted means over 2 queries. " in told
    assert "Means are weighted by the importance of the queries." in told
    pair = json.loads(must("compare", *of_files, "-m", "P@1", "--format", "json").out)
    assert pair["comparisons"][0]["difference"] == (3 * (0 - 1) + 1 * (1 - 0)) / 4


def test_weights_of_files_count_where_that_is_asked_for(weighted, tmp_path):
    """trec_eval's conventions know none: (1 + 0) ÷ 2; --weighted asks for them beside others."""
    qrels, run = tmp_path / "out", tmp_path / "out-run"
    must("export", weighted, "--qrels", qrels, "--run", f"run={run}", "--blanks", "queries")
    assert scores(qrels, run, "-m", "P@1", "--undefined", "zero")[0][-1] == "0.5000"
    assert scores(qrels, run, "-m", "P@1", "--undefined", "zero", "--weighted")[0][-1] == "0.7500"
    plain = must("score", qrels, run, "-m", "P.1", "--preset", "trec_eval").out
    assert plain.split() == ["P_1", "all", "0.5000"]
    side = tmp_path / "out.meta.json"
    assert json.loads(side.read_text(encoding="utf-8"))["weights"] == {"q_1": 3.0, "2": 1.0}


def test_an_export_says_that_other_tools_do_not_weight(weighted, tmp_path):
    """Of weights that count and differ alone."""
    said = "tools count each alike"
    out = tmp_path / "out"
    assert said in must("export", weighted, "--qrels", out, "--blanks", "queries").err
    assert said in (tmp_path / "out.meta.json").read_text(encoding="utf-8")
    with open_project(weighted) as session:
        session.execute(set_conventions(Conventions()))
    assert said not in must("export", weighted, "--qrels", out, "--blanks", "queries").err
    assert said not in (tmp_path / "out.meta.json").read_text(encoding="utf-8")


def test_what_a_comma_in_scores_was_taken_for_is_said(files):
    """An import asks; here nobody can be asked: how it was taken, and what leads to the other reading."""
    qrels, run = files(qrels="1 0 a 1\n", run="1 Q0 a 1 2,5 t\n1 Q0 b 2 1,25 t\n")
    found = must("score", qrels, run, "-m", "RR")
    assert found.rows == [["RR", "all", "1.0000"]]
    assert "Commas in scores are taken to stand before decimals, not between thousands" in found.err
    assert "import the file with --answer score_comma=thousands, and score the project" in found.err
    assert "?" not in found.err


@pytest.mark.parametrize(
    ("grades", "options", "is_said"),
    [
        ((3, 1), ("-m", "ERR@10"), True),
        ((3, 1), ("-m", "ERR@10", "--scale", "0-3"), False),
        ((4, 1), ("-m", "ERR@10"), False),
        ((3, 1), ("-m", "nDCG@10"), False),
    ],
)
def test_a_scale_that_is_guessed_is_said_where_values_go_by_it(tmp_path, grades, options, is_said):
    """ERR of the same files is another number by 0-3 than by TREC's 0-4."""
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("".join(f"q 0 d{n} {grade}\n" for n, grade in enumerate(grades)))
    run.write_text("q Q0 d0 1 2 t\nq Q0 d1 2 1 t\n")
    said = must("score", qrels, run, *options).err
    assert ("ERR@10: which scale the grades are of is not said." in said) is is_said
