"""``judgetool agreement``: the reference file's lines, projects, wrong names, formats."""

import csv
import io
import json

import pytest

from tests.helpers.program import SAMPLE, call, must
from tests.helpers.shared import SHARED, shared_data

PATH = "reference/agreement_examples.json"
JUDGED = SAMPLE / "judgments.csv"


def read_cases():
    path = SHARED / PATH
    return json.loads(path.read_text("utf-8"))["cases"] if path.exists() else [{"id": "none"}]


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case["id"])
def test_reference_lines(case, tmp_path):
    """Every case is printed line by line, from its table as it is."""
    shared_data(PATH)
    path = tmp_path / "judged.csv"
    path.write_text(case["csv"], encoding="utf-8")
    for check in case["checks"]:
        options = [word for name in check["measures"] for word in ("-m", name)]
        options += ["--by", check["by"]] if check["by"] else []
        options += ["--intervals", "--errors", check["errors"]] if check["errors"] else []
        options += ["--scale", case["scale"]] if case["scale"] else []
        rows = must("agreement", path, *options, "--digits", 12).rows
        assert [row[:2] for row in rows] == [row[:2] for row in check["rows"]]
        for row, expected in zip(rows, check["rows"], strict=True):
            found = [None if cell == "-" else float(cell) for cell in row[2:]]
            assert found == [
                None if value is None else pytest.approx(value, abs=1e-9) for value in expected[2:]
            ]


@pytest.fixture
def judged(tmp_path):
    """A table of three assessors, with odd names; ``-`` stands for what is undefined."""
    path = tmp_path / "judged.csv"
    path.write_text(
        "query,document,assessor,grade\n"
        "=q,a,anna,1\n=q,a,ben|b,1\n=q,b,anna,0\n=q,b,ben|b,1\n"
        "r,a,anna,1\nr,a,ben|b,1\nr,a,cem,1\nr,c,cem,0\n",
        encoding="utf-8",
    )
    return path


def test_usual_measures(judged):
    """Without a name six measures are printed, of all judgments."""
    rows = must("agreement", judged).rows
    assert [row[0] for row in rows] == [
        *("agree", "kappa", "alpha(level='ordinal')", "AC1", "positive", "overlap")
    ]
    assert {(row[1], len(row)) for row in rows} == {("all", 3)}


def test_scopes(judged):
    """Queries in the file's order, pairs sorted, levels rising; all of them last."""

    def scopes(by):
        return [row[1] for row in must("agreement", judged, "-m", "agree", "--by", by).rows]

    assert scopes("query") == ["=q", "r", "all"]
    assert scopes("pair") == ["anna|ben|b", "anna|cem", "ben|b|cem", "all"]
    assert scopes("level") == ["0", "1", "all"]


def test_undefined_is_a_dash_with_its_reason(judged):
    """In a table ``-``, in JSON null and why."""
    arguments = ("agreement", judged, "-m", "kappa", "--by", "query", "--intervals")
    assert must(*arguments).rows[1] == ["kappa", "r", "-", "-", "-"]
    row = must(*arguments, "--format", "json").json["rows"][1]
    assert (row["value"], row["reason"]) == (None, "the agreement by chance is 1")


def test_formats(judged):
    """CSV has a header, and ids as they are; Markdown keeps its columns."""
    printed = must("agreement", judged, "-m", "agree", "--by", "query", "--format", "csv").out
    rows = list(csv.reader(io.StringIO(printed)))
    assert rows[:2] == [["measure", "scope", "value"], ["agree", "=q", "0.5000"]]
    lines = must("agreement", judged, "-m", "agree", "--by", "pair", "--format", "markdown").out
    assert "| agree | anna\\|ben\\|b | 0.6667 |" in lines.splitlines()


def test_no_minus_zero(tmp_path):
    """A value of 0 has no sign."""
    path = tmp_path / "judged.csv"
    cells = [("a", 1, 1), ("b", 1, 1), ("c", 1, 0), ("d", 1, 1)]
    rows = [f"q,{d},{who},{g}" for d, *said in cells for who, g in zip("xy", said, strict=True)]
    path.write_text("\n".join(["query,document,assessor,grade", *rows]), encoding="utf-8")
    assert must("agreement", path, "-m", "kappa").rows == [["kappa", "all", "0.0000"]]


def test_weights_go_to_those_that_take_them(judged):
    """A measure that names weights keeps them; alpha takes the level that fits."""
    names = ("kappa", "AC1", "AC2", "BP(weights='ordinal')", "alpha", "alpha(level='ordinal')")
    rows = must("agreement", judged, "-m", *names, "--weights", "quadratic").rows
    assert [row[0] for row in rows] == [
        *("kappa(weights='quadratic')", "AC1", "AC2", "BP(weights='ordinal')"),
        *("alpha(level='interval')", "alpha(level='ordinal')"),
    ]
    refused = call("agreement", judged, "-m", "alpha", "--weights", "linear")
    assert (refused.code, "alpha has no linear weights" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("-m", "kapa"), 2, "Did you mean kappa?"),
        (("--assessor", "anna", "dora"), 1, "There is no assessor ‘dora’"),
        (("--without", "dora"), 1, "It has: anna, ben|b, cem."),
        (("--by", "day"), 2, "--by"),
        (("--assessor", "anna"), 1, "there is one: anna"),
        (("--without", "anna", "cem"), 1, "there is one: ben|b"),
        (("--scale", "1-5"), 1, "grade 0 is not on the scale"),
    ],
)
def test_what_does_not_fit_is_told(judged, options, code, told):
    """Unknown names of measures are wrong usage; of assessors, or too few of them, wrong input."""
    outcome = call("agreement", judged, *options)
    assert (outcome.code, outcome.out) == (code, "")
    assert told in outcome.err


def test_files_without_assessors_are_refused():
    """Qrels say nothing of who judged."""
    outcome = call("agreement", SAMPLE / "qrels.txt")
    assert (outcome.code, "names no assessors" in outcome.err) == (1, True)


def test_two_judgments_of_one_assessor_are_refused(tmp_path):
    """Who judged a document twice and differently has not said which counts."""
    path = tmp_path / "judged.csv"
    path.write_text("query,document,assessor,grade\nq,a,x,0\nq,a,y,1\nq,a,x,1\n", encoding="utf-8")
    outcome = call("agreement", path, "-m", "agree")
    assert (outcome.code, outcome.out) == (1, "")
    assert "line 4" in outcome.err


def test_who_is_not_named_is_left_out(tmp_path):
    """Judgments of nobody are no assessor's, which is said."""
    path = tmp_path / "judged.csv"
    path.write_text("query,document,assessor,grade\nq,a,x,1\nq,a,y,1\nq,a,,0\n", encoding="utf-8")
    outcome = must("agreement", path, "-m", "agree")
    assert outcome.rows == [["agree", "all", "1.0000"]]
    assert "1 judgment that nobody is named for" in outcome.err


def test_a_project_gives_what_its_judgments_give(sample):
    """The same values from the project as from the file it was made of, by its scale."""
    options = ("-m", "kappa", "tau", "AC2", "overlap", "--intervals", "--by", "query")
    found = must("agreement", sample, *options).rows
    assert found == must("agreement", JUDGED, *options, "--scale", "0-3").rows


def test_a_project_stays_as_it_is(sample):
    """Looking at it changes nothing, and an assessor without grades is known."""
    before = sample.read_bytes()
    must("agreement", sample, "--intervals", "--assessor", "anna", "ben")
    assert sample.read_bytes() == before
    assert call("agreement", sample, "--assessor", "nobody").code == 1


def test_standard_input():
    """``-`` reads the judgments from a pipe."""
    piped = must("agreement", "-", "-m", "kappa", stdin=JUDGED.read_bytes()).rows
    assert piped == must("agreement", JUDGED, "-m", "kappa").rows


@pytest.mark.parametrize(
    "words",
    [
        ("agreement", "{sample}", "--assessor", "dora"),
        ("score", "--project", "{sample}", "--assessor", "dora"),
        ("export", "{sample}", "--qrels", "-", "--assessor", "dora"),
        ("show", "{sample}", "--asked", "dora"),
        ("project", "{sample}", "--counts", "dora=no"),
    ],
    ids=lambda words: words[0],
)
def test_an_unknown_assessor_is_refused_alike(sample, words):
    """With the same sentence and exit code, whichever command is asked."""
    outcome = call(*(word.format(sample=sample) for word in words))
    said = f"There is no assessor ‘dora’ in {sample.name}. It has: anna, ben.\n"
    assert (outcome.code, outcome.err) == (1, said)
