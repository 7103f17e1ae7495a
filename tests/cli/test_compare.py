"""`judgetool compare`: from files and over a project."""

import csv
import json

import pytest

from judgetool.errors import UsageError
from judgetool.metrics import ComparisonRules, parse_measure
from judgetool.metrics.decide_units import check_decidable
from judgetool.session.comparing.comparing import set_comparison_rules
from judgetool.session.comparing.pair_bounds import pair_bounds_work
from judgetool.session.comparing.snapshots import present_systems
from tests.helpers.builders import open_sample
from tests.helpers.program import QRELS, RUNS, SAMPLE, call, must
from tests.helpers.shared import shared_data

ONE = "1 0 a 1\n1 0 b 0\n2 0 c 2\n3 0 d 1\n"
FIRST = "1 Q0 a 1 2.0 first\n2 Q0 c 1 2.0 first\n3 Q0 x 1 2.0 first\n"
SECOND = "1 Q0 b 1 2.0 second\n2 Q0 c 1 2.0 second\n3 Q0 d 1 2.0 second\n"


def table(*arguments):
    """Run `compare` with --format tsv and return its rows by (run, measure)."""
    header, *rows = must("compare", *arguments, "--format", "tsv").rows
    return {(row[0], row[2]): dict(zip(header, row, strict=True)) for row in rows}


@pytest.fixture
def small(tmp_path):
    """Qrels and two runs, of three queries."""
    paths = []
    for name, text in (("qrels.txt", ONE), ("first.run", FIRST), ("second.run", SECOND)):
        paths.append(tmp_path / name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def test_a_row_by_hand(small):
    """P@1 is 1, 1, 0 and 0, 1, 1: one win, one tie, one loss, no difference, p = 1."""
    header, row = must("compare", *small, "-m", "P@1", "--format", "tsv").rows
    assert " ".join(header) == (
        "run baseline measure queries mean baseline_mean difference low high "
        "p p_holm wins ties losses effect verdict"
    )
    assert " ".join(row[:7]) == "second first P@1 3 0.6667 0.6667 0.0000"
    assert " ".join(row[9:]) == "1 1 1 1 1 0.0000 not shown"


def test_means_are_those_of_score():
    """Mean and baseline mean are what `judgetool score` prints."""
    rows = table(QRELS, *RUNS, "-m", "AP", "nDCG@10")
    scores = {
        (run, name): text
        for run, name, _, text in must("score", QRELS, *RUNS, "-m", "AP", "nDCG@10").rows
    }
    assert len(rows) == 4
    for (run, name), row in rows.items():
        assert row["mean"] == scores[run, name]
        assert row["baseline_mean"] == scores[row["baseline"], name]


@pytest.mark.oracle
def test_published_t_tests_are_reproduced():
    """p, wins, ties and losses of AP on the published shop data, for all runs against one."""
    folder = shared_data("data/icecat-shop")
    runs = sorted((folder / "runs").iterdir())
    found = table(
        *(folder / "qrels" / "combined.qrels", *runs, "-m", "AP"),
        *("--test", "t", "--digits", "6"),
    )
    lines = (folder / "expected" / "SIGNIFICANCE.tsv").read_text("utf-8").splitlines()
    expected = [row for row in csv.reader(lines, delimiter="\t") if row[:2] == ["AP", runs[0].stem]]
    assert len(expected) == len(found) == 6
    for _, _, run, _, _, mean, difference, _, p, wins, ties, losses, _ in expected:
        row = found[run, "AP"]
        assert (row["mean"], row["difference"]) == (mean, difference)
        assert float(row["p"]) == pytest.approx(float(p), rel=1e-5)
        assert (row["wins"], row["ties"], row["losses"]) == (wins, ties, losses)


@pytest.mark.parametrize("wanted", ["title-bm25", RUNS[2]])
def test_baseline_is_named_by_run_or_file(wanted):
    """--baseline takes the run's name or its file; the others are compared with it."""
    rows = table(QRELS, *RUNS, "-m", "AP", "--baseline", wanted)
    assert [run for run, _ in rows] == ["chargrams", "full-bm25-stem"]
    assert {row["baseline"] for row in rows.values()} == {"title-bm25"}


def test_first_run_is_the_baseline():
    """Without --baseline the first run is."""
    rows = table(QRELS, RUNS[1], RUNS[0], "-m", "AP")
    assert rows["chargrams", "AP"]["baseline"] == "full-bm25-stem"


def test_unknown_baseline_is_refused():
    """A baseline that is not among the runs ends with 1 and their names."""
    found = call("compare", QRELS, *RUNS, "-m", "AP", "--baseline", "bm26")
    assert (found.code, found.out) == (1, "")
    assert "title-bm25" in found.err


def test_one_run_cannot_be_compared():
    """With one run the command says what it lacks."""
    found = call("compare", QRELS, RUNS[0])
    assert found.code == 1
    assert "at least two runs" in found.err


def test_a_run_with_itself_has_p_one(tmp_path):
    """A copy of a run differs in nothing: p = 1, all ties, effect 0."""
    copy = tmp_path / "copy.run"
    copy.write_bytes((SAMPLE / "runs" / "title-bm25.run").read_bytes())
    for test in ("randomization", "t", "wilcoxon"):
        (row,) = table(QRELS, RUNS[2], copy, "-m", "AP", "--test", test).values()
        assert (row["p"], row["wins"], row["losses"], row["effect"]) == ("1", "0", "0", "0.0000")
        assert (row["low"], row["high"]) == ("0.0000", "0.0000")


def test_tests_differ_and_are_named():
    """Each test has its own p, and JSON says where it comes from."""
    found = {
        test: must("compare", QRELS, *RUNS[:2], "-m", "AP", "--test", test, "--format", "json").json
        for test in ("randomization", "t", "wilcoxon")
    }
    assert len({each["comparisons"][0]["p"] for each in found.values()}) == 3
    assert {name: each["comparing"]["test"] for name, each in found.items()} == {
        name: name for name in found
    }


def test_seed_and_draws_fix_the_figures():
    """The same seed prints the same bytes; another one, other figures."""
    options = ("compare", QRELS, RUNS[0], RUNS[2], "-m", "nDCG@10", "--draws", "500")
    seeds = [must(*options, "--format", "json", "--seed", seed).out for seed in (1, 1, 2)]
    assert seeds[0] == seeds[1] != seeds[2]


def test_tie_margin_turns_small_differences_into_ties():
    """With a margin as wide as the range all queries are tied."""
    (row,) = table(QRELS, RUNS[0], RUNS[2], "-m", "AP", "--tie-margin", "1").values()
    assert (row["wins"], row["losses"], row["ties"]) == ("0", "0", row["queries"])


def test_holm_never_lowers_p():
    """p (Holm) is over all rows of the table, if that is the family, and never below p."""
    family = ("--family", "table")
    rows = table(QRELS, *RUNS, "-m", "AP", "nDCG@10", "--digits", "12", *family).values()
    assert all(float(row["p_holm"]) >= float(row["p"]) for row in rows)
    least = min(rows, key=lambda row: float(row["p"]))
    assert float(least["p_holm"]) == pytest.approx(4 * float(least["p"]))


def test_another_measure_leaves_p_as_it_is():
    """What is asked besides changes no p: a family is the runs by one measure."""
    alone = table(QRELS, *RUNS, "-m", "nDCG@10")
    beside = table(QRELS, *RUNS, "-m", "nDCG@10", "AP", "RR", "Judged@10")
    assert alone.items() <= beside.items()


def test_a_judged_share_has_no_p():
    """Judged@k has a difference and no p, alone or corrected."""
    rows = table(QRELS, *RUNS, "-m", "Judged@10").values()
    assert {(row["p"], row["p_holm"]) for row in rows} == {("-", "-")}


def test_benjamini_hochberg_names_its_column():
    """A corrected p stands under the name of its correction; without one there is none."""
    options = ("compare", QRELS, *RUNS, "-m", "AP", "--format", "csv", "--correction")
    heads = [must(*options, name).out.splitlines()[0].split(",") for name in ("bh", "none")]
    assert [[each for each in head if each.startswith("p")] for head in heads] == [
        ["p", "p_bh"],
        ["p"],
    ]


def test_significant_rows_are_marked():
    """People see which corrected p lies below alpha."""
    options = ("compare", QRELS, *RUNS, "-m", "AP", "--alpha")
    marked = [must(*options, alpha).out.count("*") for alpha in ("0.9999", "0.0000001")]
    # The last star stands in the sentence that says what it means.
    assert marked == [3, 1]


def test_json_has_all_digits_and_how_they_came_about():
    """JSON carries figures, rules, conventions and the orders of the measures."""
    found = must("compare", QRELS, *RUNS, "-m", "AP", "RR", "P@5", "--format", "json").json
    assert {row["measure"] for row in found["comparisons"]} == {"AP", "RR", "P@5"}
    assert found["comparing"]["n_draws"] == 100_000
    assert found["conventions"]["missing"] == "judged"
    assert [order["measures"] for order in found["orders"]] == [
        *(["AP", "RR"], ["AP", "P@5"], ["RR", "P@5"]),
    ]


def test_orders_need_three_runs_and_two_measures():
    """With two runs, or one measure, nothing is said of orders."""
    for runs, measures in ((RUNS[:2], ("AP", "RR")), (RUNS, ("AP",))):
        found = must("compare", QRELS, *runs, "-m", *measures, "--format", "json").json
        assert found["orders"] == []


def test_trec_lines_carry_the_same_figures():
    """--format trec is run, measure, what, value; the orders of measures stand under `all`."""
    rows = must("compare", QRELS, *RUNS, "-m", "AP", "RR", "--format", "trec").rows
    assert all(len(row) == 4 for row in rows)
    figures = {(run, name, what): text for run, name, what, text in rows}
    expected = table(QRELS, *RUNS, "-m", "AP", "RR")["title-bm25", "RR"]
    assert figures["title-bm25", "RR", "p"] == expected["p"]
    assert ("all", "AP RR", "tau") in figures


def test_csv_has_the_rows_of_tsv():
    """CSV and TSV hold the same cells."""
    options = ("compare", QRELS, *RUNS, "-m", "AP")
    comma = csv.reader(must(*options, "--format", "csv").out.splitlines())
    assert list(comma) == must(*options, "--format", "tsv").rows


def test_text_says_how_the_figures_came_about(small):
    """The usual format has a table per measure, then test, interval and conventions."""
    lines = must("compare", *small, "-m", "P@1", "AP").out.splitlines()
    assert lines[0] == "P@1 over 3 queries, against first 0.6667"
    assert lines[1].split()[:3] == ["run", "mean", "difference"]
    assert any(line.startswith("p: paired randomization") for line in lines)
    assert any("count" in line and "judged" in line for line in lines)


def test_markdown_has_a_table_for_each_measure(small):
    """--format markdown has a heading and a table for each measure."""
    lines = must("compare", *small, "-m", "P@1", "AP", "--format", "markdown").out.splitlines()
    assert [line for line in lines if line.startswith("###")] == [
        "### P@1 over 3 queries, against first 0.6667",
        "### AP over 3 queries, against first 0.6667",
    ]


def test_small_p_is_not_printed_as_zero():
    """For people p is never 0.0000; for programs it has its digits."""
    options = ("compare", QRELS, RUNS[0], RUNS[2], "-m", "AP", "--digits", "3")
    assert "<0.001" in must(*options).out
    assert 0 < float(must(*options, "--format", "tsv").rows[1][9]) < 0.001


def test_scale_decides_how_grades_are_read(small):
    """ERR divides by 2^4 on the scale 0-4 and by 2^3 on 0-3."""
    wide, narrow = (
        table(*small, "-m", "ERR@1", "--scale", scale)["second", "ERR@1"]["mean"]
        for scale in ("0-4", "0-3")
    )
    assert float(wide) == pytest.approx(float(narrow) / 2, abs=1e-4)


def test_geometric_mean_is_refused():
    """GMAP has no values by query; the refusal names what has."""
    found = call("compare", QRELS, *RUNS, "-m", "GMAP")
    assert found.code == 2
    assert "Compare AP" in found.err


def test_project_compares_like_its_exported_files(sample, tmp_path):
    """The figures over a project are those of its exported qrels and runs."""
    names = ("title-bm25", "chargrams")
    paths = [tmp_path / f"{name}.run" for name in names]
    exported = [f"{name}={path}" for name, path in zip(names, paths, strict=True)]
    must("export", sample, "--qrels", tmp_path / "q.txt", "--run", *exported)
    options = ("-m", "AP", "nDCG@10", "pFound@10", "--scale", "0-3")
    from_files = table(tmp_path / "q.txt", *paths, *options)
    project = table("--project", sample, "--run", *names, *options)
    assert project == from_files


def test_project_compares_all_runs_by_its_measures(sample):
    """Without names, all runs of a project are compared by its own measures."""
    found = must("compare", "--project", sample, "--format", "json").json
    rows = {(row["run"], row["measure"]) for row in found["comparisons"]}
    assert len(rows) == 2 * len(found["measures"])


def test_whose_judgments_of_a_project_were_counted_is_said(sample):
    """In every format for people, in JSON by name; not in tables for programs."""
    given = (
        "compare",
        "--project",
        sample,
        "-m",
        "nDCG@10",
        "--draws",
        "100",
        "--view",
        "majority",
    )
    for layout in ("text", "markdown", "latex"):
        assert "Judgments: Majority." in must(*given, "--format", layout).out
    found = must(*given, "--format", "json").json
    assert found["view"] == "majority"
    assert "Judgments: Majority." in found["comparing"]["sentences"]
    told = must(*given, "--format", "tsv")
    assert "Majority" not in told.out
    assert "in the view ‘Majority’" in told.err


def test_baseline_of_a_project_is_loaded_unasked(sample):
    """--baseline need not be among the runs named by --run."""
    rows = table(
        *("--project", sample, "--run", "chargrams", "--baseline", "title-bm25", "-m", "AP")
    )
    assert list(rows) == [("chargrams", "AP")]


def test_view_decides_which_judgments_count(sample):
    """Folding by another rule gives other figures."""
    found = [
        must("compare", "--project", sample, "-m", "nDCG@10", "--view", rule, "--format", "tsv").out
        for rule in ("min", "max")
    ]
    assert found[0] != found[1]


@pytest.mark.parametrize(
    "words",
    [
        (QRELS,),
        (QRELS, *RUNS, "--run", "x"),
        ("--project", "p.judge", QRELS),
        (QRELS, "-", "-"),
        (QRELS, *RUNS, "--draws", "0"),
        (QRELS, *RUNS, "--test", "z"),
    ],
)
def test_wrong_usage_ends_with_two(words):
    """What does not go together is refused before anything is read."""
    assert call("compare", *words).code == 2


def test_a_project_keeps_its_test(tmp_path):
    """Of a project its own choice holds; what is asked for on the command line goes first."""
    with open_sample(tmp_path) as session:
        set_comparison_rules(session, ComparisonRules(test="t"))
        path = session.path
    options = ("compare", "--project", path, "-m", "AP", "--format", "json")
    assert must(*options).json["comparing"]["test"] == "t"
    assert must(*options, "--test", "sign").json["comparing"]["test"] == "sign"


def test_how_far_a_difference_can_go_is_printed_in_every_format(small):
    """x may be relevant to query 3, b is known: P@1 of second minus first lies in (1 to 0) / 3."""
    wished = (*small, "-m", "P@1", "--intervals")
    row = table(*wished)["second", "P@1"]
    assert (row["min"], row["max"], row["bounds"]) == ("-0.3333", "0.0000", "exact")
    assert "exact −0.3333 to 0.0000" in must("compare", *wished).out
    assert "exact -0.3333 to 0.0000" in must("compare", *wished, "--format", "markdown").out
    assert "second\tP@1\tmin\t-0.3333" in must("compare", *wished, "--format", "trec").out
    assert ",-0.3333,0.0000,exact," in must("compare", *wished, "--format", "csv").out
    (found,) = json.loads(must("compare", *wished, "--format", "json").out)["comparisons"]
    assert found["is_exact"] is True
    assert (found["min"], found["max"]) == (pytest.approx(-1 / 3), pytest.approx(0.0))


def test_what_two_files_share_moves_both(tmp_path):
    """One unjudged document at the same rank of both runs changes no difference."""
    paths = [tmp_path / name for name in ("qrels.txt", "a.run", "b.run")]
    texts = (
        "1 0 r 1\n",
        "1 Q0 x 1 3 a\n1 Q0 r 2 2 a\n1 Q0 y 3 1 a\n",
        "1 Q0 x 1 3 b\n1 Q0 y 2 2 b\n1 Q0 r 3 1 b\n",
    )
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    rows = table(*paths, "-m", "P@1", "P@2", "--intervals")
    ends = {name: (row["min"], row["max"], row["bounds"]) for (_, name), row in rows.items()}
    assert ends == {"P@1": ("0.0000", "0.0000", "exact"), "P@2": ("-0.5000", "0.0000", "exact")}


def test_command_and_window_say_the_same_ends(tmp_path):
    """Over a project `compare --intervals` has the ends that stand under the window's verdict."""
    with open_sample(tmp_path) as session:
        path, measure = session.path, parse_measure("nDCG@10")
        systems = {each.name: each for each in present_systems(session)}
        verdict = pair_bounds_work(session, systems["title-bm25"], systems["chargrams"], measure)(
            None, None
        )
    wished = ("--project", path, "--run", "title-bm25", "--baseline", "chargrams", "-m", measure)
    row = table(*wished, "--intervals")["title-bm25", "nDCG@10"]
    assert float(row["min"]) == pytest.approx(verdict.low, abs=5e-5)
    assert float(row["max"]) == pytest.approx(verdict.high, abs=5e-5)
    assert row["bounds"] == ("exact" if verdict.is_exact else "within")


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("P@2", "however the 2 unjudged documents that matter are graded"),
        ("R@2", "however the 7 unjudged documents that matter are graded"),
        ("AP", "however the 7 unjudged documents that matter are graded"),
        ("Bpref", "however the unjudged documents that matter (at most 7) are graded"),
    ],
)
def test_only_documents_that_matter_are_counted(tmp_path, measure, said):
    """P@2 knows who stands in the first two of one run alone; R everybody can change."""
    ranks = {"one": "abcdefgh", "two": "bcdaefgh"}
    paths = [tmp_path / "qrels.txt"]
    paths[0].write_text("1 0 h 0\n", encoding="utf-8")
    for name, order in ranks.items():
        paths.append(tmp_path / f"{name}.run")
        lines = [f"1 Q0 {each} {at} {9 - at} {name}\n" for at, each in enumerate(order, 1)]
        paths[-1].write_text("".join(lines), encoding="utf-8")
    out = must("compare", *paths, "-m", measure, "--intervals", "--format", "json").json
    assert said in out["comparisons"][0]["verdict"]["text"]


LACKING = "1 Q0 a 1 2.0 lacking\n2 Q0 c 1 2.0 lacking\n"


@pytest.fixture
def lacking(small):
    """Qrels and two runs, of which the second has nothing for the third query."""
    qrels, first, second = small
    first.write_text(f"{FIRST[: FIRST.index('3 Q0')]}3 Q0 d 1 2.0 first\n", encoding="utf-8")
    second.write_text(LACKING, encoding="utf-8")
    return qrels, first, second


def test_queries_without_results_are_named_beside_the_verdict(lacking):
    """What they do to the means stands with what is said of the two, not on standard error alone."""
    said = must("compare", *lacking, "-m", "P@1", "--format", "markdown").out
    assert "- No difference" in said
    assert "lacking: 1 of 3 judged queries has no results; it counts as 0." in said


@pytest.mark.parametrize(
    ("undefined", "said"),
    [
        ("zero", "1 of 4 queries has no value by AP (no relevant document); it counts as 0"),
        (
            "leave-out",
            "1 of 4 queries has no value by AP (no relevant document); it is left",
        ),
    ],
)
def test_queries_without_a_relevant_document_are_counted(small, undefined, said):
    """They are ties whatever the runs found; of P@1 each has a value."""
    qrels, *runs = small
    qrels.write_text(qrels.read_text(encoding="utf-8") + "4 0 z 0\n", encoding="utf-8")
    found = must(
        *("compare", qrels, *runs, "-m", "AP", "-m", "P@1", "--undefined", undefined),
        *("--format", "json"),
    ).json
    by_ap, by_p = (row["verdict"]["text"] for row in found["comparisons"])
    assert said in by_ap
    assert "no value" not in by_p


def test_a_value_that_one_ranking_lacks_is_no_tie(small):
    """By what the run itself retrieved it may have none where the other has one: it is said of the run."""
    qrels, first, second = small
    qrels.write_text("1 0 a 1\n", encoding="utf-8")
    first.write_text("1 Q0 a 1 1 found\n", encoding="utf-8")
    second.write_text("1 Q0 x 1 1 lost\n", encoding="utf-8")
    words = ("-m", "nDCG(ideal='retrieved')@10", "--format", "json")
    (row,) = must("compare", qrels, first, second, *words).json["comparisons"]
    why = "(the ranking holds no document with a gain); it counts as 0."
    said = f"lost: 1 of 1 queries has no value by nDCG(ideal='retrieved')@10 {why}"
    assert said in row["verdict"]["text"]
    assert "for both" not in row["verdict"]["text"]


def test_queries_that_nobody_judged_are_not_called_judged(small):
    """Where they count, too, what has no value is so many of all that count."""
    qrels, first, second = small
    for run in (first, second):
        run.write_text(run.read_text(encoding="utf-8") + "4 Q0 x 1 1 r\n", encoding="utf-8")
    words = ("-m", "AP", "--preset", "quepid", "--format", "json")
    (row,) = must("compare", qrels, first, second, *words).json["comparisons"]
    assert "1 of 4 queries has no value by AP" in row["verdict"]["text"]


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("sign", "on more queries than it is worse: significant"),
        ("wilcoxon", ", counting how often and by how much: significant"),
    ],
)
def test_what_a_test_without_means_looks_at_is_said_plainly(sample, test, said):
    """Not ‘in more of them’, where nothing is named that they could be."""
    words = ("--baseline", "title-bm25", "-m", "AP", "--test", test, "--format", "json")
    found = must("compare", "--project", sample, *words).json["comparisons"]
    texts = [row["verdict"]["text"] for row in found]
    assert any(
        f" is better than title-bm25 by AP{sep}{said}" in t for t in texts for sep in ("", " ")
    )


def test_the_caption_of_a_latex_table_is_short(sample):
    """It says what is compared; the verdicts stand as comments."""
    words = ("--baseline", "title-bm25", "-m", "AP", "--format", "latex")
    lines = must("compare", "--project", sample, *words).out.splitlines()
    (caption,) = [line for line in lines if "caption" in line]
    assert caption.startswith("\\caption{AP over 19 queries, against title-bm25 ")
    assert len(caption) < 80
    assert any(line.startswith("% chargrams is better than title-bm25") for line in lines)


def test_why_a_query_has_no_value_is_said_of_the_measure(small):
    """A grade below ‘relevant from’ is no relevant document, and has a gain."""
    qrels, *runs = small
    known = qrels.read_text(encoding="utf-8").replace(" 1\n", " 2\n")
    qrels.write_text(f"{known}4 0 z 0\n5 0 z 1\n", encoding="utf-8")
    words = ("-m", "AP", "-m", "nDCG@10", "--scale", "0-3@2", "--format", "json")
    found = must("compare", qrels, *runs, *words).json["comparisons"]
    by_ap, by_ndcg = (row["verdict"]["text"] for row in found)
    assert "2 of 5 queries have no value by AP (no relevant document)" in by_ap
    assert "1 of 5 queries has no value by nDCG@10 (no document with a gain)" in by_ndcg


def test_an_explanation_says_that_there_is_nothing_to_explain(lacking):
    """A value that is 0 for want of results is told from one that its ranks make 0."""
    qrels, _first, second = lacking
    said = must("explain", qrels, second, "--query", "3", "-m", "P@1").out
    assert said.startswith("lacking: no results: counts as 0\n")


def test_differences_by_query_name_who_has_no_results(tmp_path):
    """In a column of its own, the last."""
    session = open_sample(tmp_path)
    runs = [each.name for each in present_systems(session)]
    session.close()
    lone = tmp_path / "lone.run"
    lone.write_text("1 Q0 r003 1 2.0 lone\n", encoding="utf-8")
    must("import", session.path, "--run", lone)
    words = ("--project", session.path, "--run", "lone", "--baseline", runs[0])
    header, *rows = must("compare", *words, "-m", "nDCG@10", "--show", "queries").rows
    found = {row[0]: dict(zip(header, row, strict=False)) for row in rows}
    assert found["1"].get("no_results", "") == ""
    assert found["2"]["no_results"] == "lone"


def test_the_ends_of_a_mean_hold_it_to_the_last_bit(tmp_path):
    """Ends are sums in another order: what rounding makes of these must not shut the mean out."""
    n_queries = 119
    qrels, first, second = (tmp_path / name for name in ("qrels.txt", "first.run", "second.run"))
    judged = "".join(
        f"{n} 0 d{k} {(n + k) % 3}\n" for n in range(n_queries) for k in range(0, 12, 2)
    )
    qrels.write_text(judged, encoding="utf-8")
    for path, way in ((first, 1), (second, -1)):
        lines = (
            f"{n} Q0 d{k} 1 {way * ((k * 7 + n) % 12)} {path.stem}\n"
            for n in range(n_queries)
            for k in range(12)
        )
        path.write_text("".join(lines), encoding="utf-8")
    measures = ("P@5", "nDCG@10", "AP", "RR", "ERR@10", "RBP", "R@5", "NumRel")
    found = must(
        *("compare", qrels, first, second, "-m", *measures, "--intervals", "--format", "json")
    ).json
    for row in found["comparisons"]:
        assert row["run_min"] <= row["run_mean"] <= row["run_max"], row["measure"]


@pytest.fixture
def partly_judged(tmp_path):
    """Qrels of two queries, and two runs that have a third."""
    texts = {
        "qrels.txt": "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n",
        "A.run": "q1 Q0 a 1 2 A\nq2 Q0 c 1 2 A\nq3 Q0 x 1 2 A\nq3 Q0 y 2 1 A\n",
        "B.run": "q1 Q0 b 1 2 B\nq2 Q0 c 1 2 B\nq3 Q0 z 1 2 B\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [tmp_path / name for name in texts]


def test_a_query_that_nobody_judged_is_counted_in_bounds_and_not_in_means(partly_judged):
    """A difference may come to be over one query more; the table says of what each figure is."""
    words = (*partly_judged, "-m", "P@1", "--scale", "binary", "--intervals")
    (row,) = table(*words).values()
    assert (row["run_min"], row["run_max"]) == ("0.5000", "0.5000")
    assert (row["min"], row["max"], row["bounds"]) == ("-0.6667", "0.0000", "within")
    scored = must("score", *words, "--format", "tsv").rows
    assert scored[2][2:] == ["0.5000", "0.5000", "0.5000", "exact"]
    said = " ".join(must("compare", *words).out.split())
    assert "On these 3 queries, 2 of them with judgments, open" in said
    assert "A query that nobody has judged yet is counted there where a grading would have" in said


@pytest.mark.parametrize(
    ("measure", "ends"),
    [("NumRet", (0.0, 0.0, True)), ("RBPres", (None,) * 3), ("Judged@1", (None,) * 3)],
)
def test_how_much_is_judged_has_no_bounds(partly_judged, measure, ends):
    """No grade changes how many results there are; how much is judged moves with every judgment."""
    words = (*partly_judged, "-m", measure, "--intervals")
    found = must("compare", *words, "--format", "json").json["comparisons"][0]
    assert (found["min"], found["max"], found["is_exact"]) == ends
    assert (found["run_min"] is None) is (ends[0] is None)
    assert found["verdict"]["these_queries"] is None
    assert found["verdict"]["text"].startswith("Not tested: it ")
    assert ("exact" in must("compare", *words).out.split("\n\n")[0]) is bool(ends[2])
    assert ("exact" in must("score", *words).out) is bool(ends[2])


def test_over_no_query_nothing_is_tested(small):
    """There is no p, and none is corrected for it."""
    qrels, first, second = small
    qrels.write_text("1 0 a -1\n9 0 a 1\n", encoding="utf-8")
    (row,) = table(qrels, first, second, "-m", "AP", "--queries", "both").values()
    assert (row["queries"], row["p"], row["p_holm"], row["verdict"]) == (
        "0",
        "-",
        "-",
        "not tested",
    )
    out = must("compare", qrels, first, second, "-m", "AP", "--queries", "both").out
    assert "No query counts for both: nothing is tested." in out
    assert "1.0000" not in out


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("RBPres", "it says how much is judged, not which run is better"),
        ("Unjudged@2", "it says how much is judged, not which run is better"),
        ("NumNonrelRet", "it counts documents, and does not say which run is better"),
        ("NumRet", "it counts documents, and does not say which run is better"),
        ("NumRel", "it counts documents, and does not say which run is better"),
    ],
)
def test_no_run_is_better_by_what_is_no_quality(partly_judged, measure, said):
    """No p, no verdict, no order of runs by it, and nothing to decide; a count of relevant ones is one."""
    third = partly_judged[2].with_name("C.run")
    third.write_text(partly_judged[2].read_text(encoding="utf-8"), encoding="utf-8")
    words = (*partly_judged, third, "-m", measure, "AP", "NumRet(rel=1)", "--intervals")
    found = must("compare", *words, "--format", "json").json
    rows = [row for row in found["comparisons"] if row["measure"] == measure]
    assert {row["verdict"]["text"] for row in rows} == {f"Not tested: {said}."}
    assert {(row["p"], row["p_holm"], row["tests"]) for row in rows} == {(None, None, 0)}
    assert [each["measures"] for each in found["orders"]] == [["AP", "NumRet(rel=1)"]]
    assert all(row["p"] is not None for row in found["comparisons"] if row not in rows)
    with pytest.raises(UsageError, match="not a quality of a ranking"):
        check_decidable(parse_measure(measure))
    check_decidable(parse_measure("NumRet(rel=1)"))


def test_what_qrels_call_pooled_counts_in_bounds_and_is_said_to(small):
    """A negative grade means pooled and not judged: a document that neither run holds can enter R."""
    qrels, first, second = small
    qrels.write_text("1 0 a 1\n1 0 b 0\n", encoding="utf-8")
    for path, ranked in ((first, "ab"), (second, "ba")):
        lines = (f"1 Q0 {each} {at} {-at} r\n" for at, each in enumerate(ranked))
        path.write_text("".join(lines), encoding="utf-8")
    words = ("compare", qrels, first, second, "-m", "AP", "--intervals")
    (row,) = must(*words, "--format", "json").json["comparisons"]
    assert (row["min"], row["max"]) == (-0.5, -0.5)
    qrels.write_text("1 0 a 1\n1 0 b 0\n1 0 z -1\n", encoding="utf-8")
    (row,) = must(*words, "--format", "json").json["comparisons"]
    assert (row["min"], row["max"]) == (-0.5, -0.25)
    assert "in qrels, where a negative grade means pooled and not judged" in must(*words).out
