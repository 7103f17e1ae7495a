"""Scales beyond the presets, and scales that stand beside exported files."""

import json
from pathlib import Path

import pytest

from judgetool.core.rankings import Move
from judgetool.core.scale import parse_scale
from judgetool.metrics import CONVENTION_PRESETS, evaluate
from judgetool.session.commands import SetValues
from judgetool.session.opening import open_project
from judgetool.session.whatifs.editing import add_step, create_whatif
from tests.helpers.program import QRELS, RUNS, call, must, sample_project

MEASURES = ("-m", "ERR@10", "pFound", "nDCG@10", "AP")


def test_an_exported_file_scores_as_the_project(sample, tmp_path):
    """Qrels carry the scale beside them; score reads it, and says so."""
    qrels = tmp_path / "q.txt"
    must("export", sample, "--qrels", qrels)
    found = must("score", qrels, RUNS[0], *MEASURES)
    name = "chargrams"
    assert found.out == must("score", "--project", sample, "--run", name, *MEASURES).out
    assert "by the scale 0-3" in found.err
    assert found.out != must("score", qrels, RUNS[0], *MEASURES, "--scale", "0-4").out


def test_an_exported_run_carries_the_scale_to_other_qrels(sample, tmp_path):
    """Where the qrels have no side file, that of the run says how grades are meant."""
    out = tmp_path / "c.run"
    must("export", sample, "--run", f"chargrams={out}")
    wanted = must("score", QRELS, RUNS[0], *MEASURES, "--scale", "0-3").out
    assert must("score", QRELS, out, *MEASURES).out == wanted
    assert must("score", QRELS, *tmp_path.iterdir(), *MEASURES).code == 0


@pytest.mark.parametrize("preset", CONVENTION_PRESETS)
@pytest.mark.parametrize("scale", [None, "yandex"])
def test_a_preset_by_name_is_the_same_in_python(preset, scale):
    """Its scale holds where no other is said, for the command and for ``evaluate``."""
    judged, ranked = {}, {}
    for line in Path(QRELS).read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        judged.setdefault(query, {})[document] = int(grade)
    for line in Path(RUNS[0]).read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        ranked.setdefault(query, {})[document] = float(score)
    measures = (
        ["nDCG", "P@10"] if preset == "trec_eval" else ["nDCG", "pFound@10", "ERR@10", "P@10"]
    )
    options = [word for name in measures for word in ("-m", name)] + ["--scale", scale] * bool(
        scale
    )
    found = must("score", QRELS, RUNS[0], "--preset", preset, "--format", "json", *options).json
    means = {name: mean["value"] for name, mean in found["runs"][0]["means"].items()}
    here = evaluate(judged, ranked, measures, conventions=preset, scale=scale)
    assert here.mean_values() == pytest.approx(means, rel=1e-12)
    assert here.scale_name == found["scale"]


@pytest.mark.parametrize("command", ["compare", "explain"])
def test_the_other_commands_read_it_too(sample, tmp_path, command):
    """compare and explain value an exported file as the project does."""
    qrels = tmp_path / "q.txt"
    must("export", sample, "--qrels", qrels)
    rest = ("--query", "1", "--wide") if command == "explain" else ("--seed", "7")
    runs = RUNS[:1] if command == "explain" else RUNS[:2]
    found = must(command, qrels, *runs, "-m", "ERR@10", *rest)
    assert found.out == must(command, qrels, *runs, "-m", "ERR@10", *rest, "--scale", "0-3").out


def test_conventions_go_with_the_scale(tmp_path):
    """What counts in the project counts for its exported file, unless an option says otherwise."""
    side, qrels = tmp_path / "q.meta.json", tmp_path / "q"
    project = sample_project(tmp_path / "p.judge")
    must("export", project, "--qrels", qrels)
    values = json.loads(side.read_text())
    values["counting"]["unjudged"] = "left out"
    side.write_text(json.dumps(values))
    left_out = must("score", qrels, RUNS[0], "-m", "nDCG@10", "--unjudged", "left-out").out
    assert must("score", qrels, RUNS[0], "-m", "nDCG@10").out == left_out
    assert (
        must("score", qrels, RUNS[0], "-m", "nDCG@10", "--unjudged", "non-relevant").out != left_out
    )


def test_a_file_that_was_changed_is_told(sample, tmp_path):
    """A side file of another state of the file is still read, and the change is said."""
    qrels = tmp_path / "q"
    must("export", sample, "--qrels", qrels)
    qrels.write_text(qrels.read_text() + "99 0 r001 1\n")
    assert "has been changed" in must("score", qrels, RUNS[0], "-m", "ERR").err


@pytest.mark.parametrize("text", ["[]", '{"title": "x"}', '{"scale": "0-3"}'])
def test_a_side_file_of_another_program_says_nothing(tmp_path, text):
    """The grades are read as they would be without it."""
    qrels, run = tmp_path / "q", tmp_path / "r"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 1 x\n")
    alone = must("score", qrels, run, "-m", "ERR")
    (tmp_path / "q.meta.json").write_text(text)
    assert must("score", qrels, run, "-m", "ERR") == alone


def test_a_preset_leaves_the_side_file_alone_and_says_so(sample, tmp_path):
    """Grades are worth what the tool takes them for, unless the side file is named as the scale."""
    qrels = tmp_path / "q"
    must("export", sample, "--qrels", qrels)
    words = ("score", qrels, RUNS[0], "--preset", "gdeval", "-m", "ERR@10")
    assert f"{qrels}.meta.json is not read with --preset" in must(*words).err
    assert "is not read" not in must(*words, "--scale", f"{qrels}.meta.json").err


def test_a_broken_side_file_is_named(tmp_path):
    """What cannot be read ends the command with a sentence, not with other values."""
    (tmp_path / "q").write_text("1 0 a 1\n")
    (tmp_path / "q.meta.json").write_text("{")
    (tmp_path / "r").write_text("1 Q0 a 1 1 x\n")
    found = call("score", tmp_path / "q", tmp_path / "r", "-m", "AP")
    assert found.code == 1
    assert "q.meta.json cannot be read" in found.err


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("1-5", "RR\tall\t0.5000\n"),
        ("1-5@5", "RR\tall\t0.3333\n"),
        ("1,2,4,5", "RR\tall\t0.5000\n"),
        ("0-5/0.5@4.5", "RR\tall\t0.3333\n"),
        ("0-5/any@0.5", "RR\tall\t1.0000\n"),
    ],
)
def test_score_reads_any_scale(tmp_path, scale, expected):
    """Ranges, steps, lists and 'relevant from' are understood by --scale."""
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 4\n1 0 c 5\n")
    (tmp_path / "r").write_text("1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 c 3 1 x\n")
    assert (
        must("score", tmp_path / "q", tmp_path / "r", "-m", "RR", "--scale", scale).out == expected
    )


def test_a_scale_comes_from_a_file(tmp_path):
    """A file needs only grades; gains, names and probabilities may be in it."""
    path = tmp_path / "stars.json"
    levels = [{"grade": 1}, {"grade": 3, "gain": 1}, {"grade": 5, "gain": 7, "name": "superb"}]
    path.write_text(json.dumps({"levels": levels, "relevant_from": 5}))
    (tmp_path / "q").write_text("1 0 a 5\n1 0 b 3\n")
    (tmp_path / "r").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n")
    options = ("-m", "CG", "RR", "--scale", path)
    found = must("score", tmp_path / "q", tmp_path / "r", *options)
    assert [row[2] for row in found.rows] == ["8.0000", "0.5000"]


def test_a_new_project_has_any_scale(tmp_path):
    """new takes ranges, imports grades of it, and says what it made of them."""
    project = tmp_path / "p.judge"
    found = must("new", project, "--scale", "1-5")
    assert "Relevant from 2; gains 0, 1, 2, 3, 4" in found.out
    must("import", project, "--qrels", "-", stdin="1 0 a 5\n1 0 b 1\n")
    assert must("export", project, "--qrels", "-").out == "1 0 a 5\n1 0 b 1\n"


@pytest.mark.parametrize(
    "scale", ["5-1", "0-1/0", "0-1000", "stars", "1", "1-5@", "1-5@x", "0,0,1"]
)
def test_what_is_no_scale_is_named(tmp_path, scale):
    """A range that does not rise, or a word that is no preset, ends with a sentence."""
    found = call("new", tmp_path / "p.judge", "--scale", scale)
    assert found.code in {1, 2}
    assert "fault" not in found.err
    assert not (tmp_path / "p.judge").exists()


def test_score_and_compare_know_what_ifs(tmp_path):
    """A what-if is scored, compared and explained by its name, as a run is."""
    project = tmp_path / "p.judge"
    sample_project(project)
    with open_project(project, assessor="me") as session:
        run = session.material.runs[0]
        whatif = create_whatif(session, f"{run.name} what-if", run.run_id)
        last = int(session.material.ranking(run.run_id, 0).documents[-1])
        add_step(session, whatif, 0, Move(last, 1))
    name = f"{run.name} what-if"
    out = tmp_path / "w.run"
    must("export", project, "--run", f"{name}={out}", "--qrels", tmp_path / "q")
    wanted = must("score", tmp_path / "q", out, *MEASURES).out
    assert must("score", "--project", project, "--run", name, *MEASURES).out == wanted
    options = ("--project", project, "--run", name)
    assert name in must("compare", *options, "--baseline", run.name, "-m", "AP").out
    assert must("explain", *options, "--query", "1", "-m", "AP").code == 0


@pytest.mark.parametrize(
    "options",
    [
        ("--preset", "elasticsearch"),
        ("--undefined", "leave-out"),
        ("--unjudged", "left-out"),
    ],
)
def test_compare_counts_as_score_does(options):
    """The means of compare are those of score under the same options."""
    means = must("score", QRELS, *RUNS[:2], "-m", "AP", *options).rows
    found = must("compare", QRELS, *RUNS[:2], "-m", "AP", *options, "--format", "tsv").rows
    row = dict(zip(found[0], found[1], strict=True))
    assert [row["baseline_mean"], row["mean"]] == [each[-1] for each in means]


@pytest.mark.parametrize("options", [("--preset", "trec_eval"), ("--queries", "both")])
def test_compare_leaves_out_what_score_leaves_out(options):
    """Where queries have to be in the run, runs are compared over those that both have."""
    found = must("compare", QRELS, *RUNS[:2], "-m", "AP", *options, "--format", "json").json
    assert found["comparisons"][0]["queries"] == 18


def test_explain_follows_a_preset():
    """The value explained is that of score by the same preset."""
    options = ("-m", "nDCG@10", "--preset", "gdeval")
    rows = must("score", QRELS, RUNS[0], *options, "-q").rows
    value = next(row[2] for row in rows if row[1] == "1")
    found = must("explain", QRELS, RUNS[0], "--query", "1", *options, "--format", "json").json
    assert f"{found['explanations'][0]['value']:.5f}" == value


def test_grades_beyond_powers_of_two_are_refused(tmp_path):
    """2 to the power of 1024 is no number any more: neither a scale nor a gain goes so far."""
    found = call("new", tmp_path / "a.judge", "--scale", "0,5000")
    assert (found.code, found.err) == (
        1,
        "The grades of a scale must lie between −1000 and 1000.\n",
    )
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_text("q 0 a 5000\nq 0 b 1\n")
    run.write_text("q Q0 a 1 2 r\nq Q0 b 2 1 r\n")
    found = call("score", qrels, run, "-m", "nDCG(dcg='exp-log2')@10")
    assert (found.code, found.out) == (1, "")
    assert "has grade 5000, and nDCG(dcg='exp-log2')@10 can read" in found.err
    assert call("score", qrels, run, "-m", "ERR(max_rel=5000)").code == 2


def test_quepids_rule_rounds_to_the_grades_of_the_scale(tmp_path):
    """Means of two who differ: from 0.75 up to 1, from 1.5 to 2; equal grades stay. Another scale rounds anew."""
    given = {
        "a": (0.5, 0.5),
        "b": (0.5,),
        "c": (0.5, 1),
        "d": (1, 2),
        "e": (0, 1),
        "f": (0.5, 2, 0.5, 1),
    }
    rows = [f"1,{d},p{n},{g}" for d, grades in given.items() for n, g in enumerate(grades)]
    table, project = tmp_path / "k.csv", tmp_path / "k.judge"
    table.write_text("\n".join(["query,document,assessor,grade", *rows]))
    must("new", project, "--scale", "0,0.5,1,2")
    must("import", project, "--qrels", table)

    def folded():
        wanted = must("export", project, "--qrels", "-", "--view", "quepid")
        return {row[2]: float(row[3]) for row in map(str.split, wanted.out.splitlines())}

    counted = {"a": 0.5, "b": 0.5, "c": 1, "d": 2, "e": 0.5, "f": 0.5}
    assert folded() == counted
    with open_project(project, assessor="lead") as session:
        session.set_view("quepid")
        halves = parse_scale("0-2/0.5")
        session.execute(SetValues({"scale": halves.to_dict()}, "Halves"))
        board = session.board.book.settled(0)
        ids = session.material.document_ids()
        assert {ids[each]: said.grade for each, said in board.items()} == counted | {"d": 1.5}
    assert folded() == counted | {"d": 1.5}
