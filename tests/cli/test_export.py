"""`judgetool export`."""

import csv

import pytest

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


def test_only_one_thing_fits_on_standard_output(sample):
    """Two exports to - would be mixed up."""
    assert call("export", sample, "--qrels", "-", "--judgments", "-").code == 2


def test_missing_folder_is_a_sentence(sample, tmp_path):
    """Where nothing can be written, the place is named."""
    found = call("export", sample, "--qrels", tmp_path / "no" / "q.txt")
    assert found.code == 1
    assert "q.txt" in found.err
