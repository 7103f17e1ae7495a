"""`judgetool explain` and `judgetool measures`."""

from pathlib import Path

import pytest

from judgetool.metrics import MEASURES
from tests.helpers.program import QRELS, RUNS, call, must


def test_arithmetic_ends_in_the_value():
    """The last line is the division, and its result is what `score` prints."""
    text = must("explain", QRELS, RUNS[2], "--query", "1", "-m", "AP").out
    assert text.splitlines()[-1] == "2.09444 ÷ 5 = 0.4189"
    assert ["AP", "1", "0.4189"] in must("score", QRELS, RUNS[2], "-m", "AP", "-q").rows


def test_a_file_of_several_runs_is_refused_by_their_names(tmp_path):
    """The first of them was explained, and nothing said that it was the first."""
    table = tmp_path / "runs.csv"
    table.write_text("query,run,doc_id,rank\n1,x,r003,1\n1,y,r004,1\n")
    found = call("explain", QRELS, table, "--query", "1", "-m", "AP")
    assert (found.code, "holds several runs (x and y)" in found.err) == (1, True)


def test_a_run_in_any_form_is_explained_by_its_documents():
    """A table from standard input tells the same as the file of columns from which it was made."""
    rows = [line.split() for line in Path(RUNS[0]).read_text().splitlines()]
    cells = "".join(f"{row[0]},{row[2]},{row[4]},{row[5]}\n" for row in rows)
    words = ("--query", "3", "-m", "P@5")
    found = must("explain", QRELS, "-", *words, stdin=f"query,doc_id,score,run\n{cells}")
    assert found.out == must("explain", QRELS, RUNS[0], *words).out


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "ERR@10", "pFound@10", "P@5", "RR"])
def test_value_is_the_one_of_score(measure):
    """Every digit of the explained value equals the engine's."""
    explained = must(
        *("explain", QRELS, RUNS[0], "--query", "3", "-m", measure, "--format", "json")
    ).json
    scored = must("score", QRELS, RUNS[0], "-m", measure, "-q", "--format", "json").json
    expected = scored["runs"][0]["queries"]["3"][measure]["value"]
    assert explained["explanations"][0]["value"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", ["INST(T=2)", "INSQ(T=2)", "NERR10(p=0.8)", "NERR11"])
def test_depth_of_a_list_without_an_end_is_said(measure):
    """Beside the arithmetic and in the measure's own words: 1,000 ranks share the weights."""
    told = must("explain", QRELS, RUNS[0], "--query", "3", "-m", measure).out
    assert "The weights of 1,000 ranks sum to 1; no later rank has any." in told
    meaning = " ".join(must("measures", measure.partition("(")[0]).out.split())
    assert "weights of the first 1,000 ranks sum to 1, as in cwl_eval" in meaning


@pytest.mark.parametrize(("measure", "what"), [("RBP", "rel."), ("RBP(rel='gain')", "gain")])
def test_rbp_says_what_it_weighs(measure, what):
    """By gain the column is the gain, and so is what is summed."""
    told = must("explain", QRELS, RUNS[0], "--query", "3", "-m", measure).out
    assert told.splitlines()[-1].startswith(f"Σ weight × {what} = ")


def test_a_row_is_not_above_itself(tmp_path):
    """The column counts the judged non-relevant documents of the ranks before."""
    (tmp_path / "q").write_text("q 0 a 0\nq 0 b 1\nq 0 c 0\nq 0 d 1\n")
    (tmp_path / "r").write_text("".join(f"q Q0 {d} 1 {-i} r\n" for i, d in enumerate("abcd")))
    asked = ("explain", tmp_path / "q", tmp_path / "r", "--query", "q", "-m", "Bpref")
    (found,) = must(*asked, "--format", "json").json["explanations"]
    assert [row["nonrelevant_above"] for row in found["rows"]] == [0, 1, 1, 2]


def test_rows_name_their_documents():
    """Each rank stands with its document's id."""
    values = must(
        *("explain", QRELS, RUNS[2], "--query", "1", "-m", "P@5", "--format", "json")
    ).json
    rows = values["explanations"][0]["rows"]
    assert [row["document"] for row in rows[:3]] == ["r116", "r161", "r151"]


def test_project_is_explained_alike(sample):
    """Over a project the arithmetic is the same."""
    from_files = must("explain", QRELS, RUNS[2], "--query", "1", "-m", "AP").out
    found = must(
        *("explain", "--project", sample, "--run", "title-bm25", "--query", "1", "-m", "AP")
    )
    assert found.out.splitlines()[-1] == from_files.splitlines()[-1]


def test_unknown_query_is_refused():
    """A query that neither file has is named."""
    found = call("explain", QRELS, RUNS[2], "--query", "zz", "-m", "AP")
    assert found.code == 1
    assert "‘zz’" in found.err


def test_all_measures_are_listed():
    """`judgetool measures` has a paragraph for every measure of the table."""
    heads = [line for line in must("measures").out.splitlines() if line and line[0] != " "]
    assert [head.partition(":")[0] for head in heads] == list(MEASURES)


def test_table_of_measures_has_a_line_each():
    """--format tsv has a header and a line for each."""
    rows = must("measures", "--format", "tsv").rows
    assert [row[0] for row in rows[1:]] == list(MEASURES)


def test_one_measure_with_its_parameters():
    """A name explains that measure alone."""
    (found,) = must("measures", "nDCG", "--format", "json").json
    assert {param["name"] for param in found["params"]} == {
        param.name for param in MEASURES["nDCG"].params
    }


def test_near_name_is_suggested():
    """A misspelt measure ends with 2 and the nearest name."""
    found = call("measures", "nDGC")
    assert found.code == 2
    assert "nDCG" in found.err
    assert "‘nDCG(dcg=’ does not read as a measure" in call("measures", "nDCG(dcg=").err


@pytest.mark.parametrize("words", [(), ("--preset", "trec_eval")], ids=["names", "preset"])
def test_lines_of_trec_eval_that_are_no_measure_are_named(words):
    """A set is explained measure by measure; what is none of its lines has no arithmetic."""
    found = must("explain", QRELS, RUNS[0], "--query", "1", "-m", "all_trec", *words)
    assert "no measures, and are left out: relstring, utility." in found.err
    assert {"NumQ", "AP", "P@1000", "NumNonrelRet"} <= set(found.out.splitlines())


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("map", ["AP"]),
        ("ndcg", ["nDCG"]),
        ("ndcg_cut_10", ["nDCG"]),
        ("Recall", ["R"]),
        ("hits", ["NumRelRet"]),
        ("P.5,10", ["P"]),
        ("RPrec", ["Rprec"]),
    ],
)
def test_measures_are_found_by_the_names_that_score_takes(name, titles):
    """Those of trec_eval and of ranx, with or without what they need."""
    assert [row[0] for row in must("measures", name, "--format", "tsv").rows[1:]] == titles


def test_a_mean_of_grades_is_read_with_two_decimals(empty):
    """Sixteen pushed the other columns aside; JSON has them all."""
    rows = "query,document,assessor,grade\n1,a,x,1\n1,a,y,1\n1,a,z,2\n"
    must("import", empty, "--qrels", "-", stdin=rows)
    must("import", empty, "--run", "-", stdin="1 0 a 1 1 r\n")
    words = ("--project", empty, "--run", "r", "--query", "1", "-m", "nDCG@10", "--view", "mean")
    assert "   1   1.33  1.000000" in must("explain", *words).out
    (explained,) = must("explain", *words, "--format", "json").json["explanations"]
    assert explained["rows"][0]["grade"] == 4 / 3
