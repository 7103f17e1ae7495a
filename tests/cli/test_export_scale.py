"""What a file cannot hold of the scale is said where it makes a difference."""

import json

import pytest

from judgetool.metrics import CONVENTION_PRESETS
from judgetool.session.commands import set_conventions
from judgetool.session.opening import open_project
from tests.helpers.builders import OWN_SCALE
from tests.helpers.program import call, must


@pytest.fixture
def own(tmp_path):
    """A project whose gains are not its grades, and where grade 1 is not relevant."""
    path = tmp_path / "scale.json"
    path.write_text(json.dumps(OWN_SCALE.to_dict()))
    must("new", tmp_path / "own.judge", "--scale", path)
    must("import", tmp_path / "own.judge", "--qrels", "-", stdin="1 0 a 1\n1 0 b 3\n")
    return tmp_path / "own.judge"


def lost_in(tmp_path, project, name, *options):
    """What the command says, and what the side file says is lost."""
    out = tmp_path / f"{name}.out"
    told = must("export", project, "--format", name, "--out", out, "--meta", *options).err
    meta = json.loads(out.with_name(f"{name}.out.meta.json").read_text(encoding="utf-8"))
    return told, meta["format"]["lost"]


def test_what_is_lost_of_the_scale_is_said(own, tmp_path):
    """Where trec_eval would count otherwise than the project, the file's loss and its remedy are told."""
    told, lost = lost_in(tmp_path, own, "trec-qrels")
    said = "‘relevant from 2’ are lost, too"
    assert said in told
    assert said in lost
    assert "trec_eval -l 2" in lost
    assert '"relevant_rating_threshold": 2' in lost_in(tmp_path, own, "rank-eval-request")[1]
    for name in ("beir-qrels", "opensearch-judgments", "quepid-csv", "quepid-book-csv"):
        assert said in lost_in(tmp_path, own, name)[0]


def test_written_gains_are_not_lost(own, tmp_path):
    """With gains in the file only the threshold is lost, and it is that of gains."""
    lost = lost_in(tmp_path, own, "trec-qrels", "--numbers", "gains")[1]
    assert "‘Relevant from 4’ is lost, too" in lost
    assert "trec_eval -l 4" in lost


def test_nothing_of_a_plain_scale_is_lost(sample, tmp_path):
    """Where grades are the gains and count from 1 nothing is said of the scale."""
    told, lost = lost_in(tmp_path, sample, "trec-qrels")
    assert "relevant" not in (told + lost).lower()


@pytest.mark.parametrize("start", [1, 5])
def test_of_a_scale_of_all_numbers_a_threshold_between_levels_is_lost(tmp_path, start):
    """Unless it is 1, from which other programs count."""
    path, scale = tmp_path / "all.judge", tmp_path / "all.json"
    levels = [{"grade": 0}, {"grade": 10}]
    scale.write_text(json.dumps({"levels": levels, "is_continuous": True, "relevant_from": start}))
    must("new", path, "--scale", scale)
    must("import", path, "--qrels", "-", stdin="1 0 a 7\n")
    assert ("elevant from 5’" in lost_in(tmp_path, path, "trec-qrels")[1]) == (start == 5)


_GRADED = (
    "Elasticsearch’s nDCG takes 2^grade − 1 as gain, and an ideal as long as the ranking: its values "
    "differ from this project’s. Elasticsearch’s conventions give them here (--preset elasticsearch)."
)


def test_elasticsearch_counts_otherwise(sample, own, tmp_path):
    """That its gains and its ideal are others is said of every scale for which it is so."""
    for project in (sample, own):
        for said in lost_in(tmp_path, project, "rank-eval-request", "--target", "recipes"):
            assert _GRADED in said
    told, lost = lost_in(tmp_path, own, "rank-eval-request", "--numbers", "gains")
    assert "takes 2^number − 1 of each number in the file as gain, also of a gain" in told
    assert "weights, categories and descriptions" in lost
    must("new", tmp_path / "two.judge", "--scale", "binary")
    must("import", tmp_path / "two.judge", "--qrels", "-", stdin="1 0 a 1\n1 0 b 0\n")
    told = lost_in(tmp_path, tmp_path / "two.judge", "rank-eval-request")[0]
    assert "of fewer than 10 results its value can differ" in told
    assert "2^" not in told
    # A project that counts as Elasticsearch does has its values.
    with open_project(tmp_path / "own.judge", assessor="me") as session:
        session.execute(set_conventions(CONVENTION_PRESETS["elasticsearch"].conventions))
    told, lost = lost_in(tmp_path, own, "rank-eval-request")
    assert "Elasticsearch’s nDCG" not in told + lost


def test_an_index_that_nobody_named_is_said(sample, tmp_path):
    """Ratings are of an index: of another one than the shop's no hit is rated."""
    said = "The index is called ‘judgments’ in it: name yours in the field for it, or by --target"
    for name in ("rank-eval-request", "rre"):
        assert said in lost_in(tmp_path, sample, name)[0]
        assert said not in lost_in(tmp_path, sample, name, "--target", "shop")[0]


def test_reports_say_what_the_scale_is(own, tmp_path):
    """Levels by name, gains and probabilities of its own, and from where documents are relevant."""
    must("import", own, "--run", "-", stdin="1 Q0 a 1 2 one\n1 Q0 b 2 1 one\n")
    wanted = (
        "by the scale own: levels 0 Unfit, 1 Addition, 2 Replacement, 3 Hit; gains 0, 1, 4, 10; "
        "probabilities 0, 0.1, 0.4, 0.9; relevant from 2."
    )
    for name in ("report-markdown", "report-html", "report-latex"):
        assert wanted in must("export", own, "--format", name).out
    must("report", own, tmp_path / "page.html")
    assert wanted in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_report_names_the_levels_of_a_plain_scale_only(sample):
    """Usual gains and probabilities go without saying; a preset's scale is described once."""
    found = must("export", sample, "--format", "report-markdown").out
    assert "3 Highly relevant; relevant from 1." in found
    found = must("export", sample, "--format", "report-markdown", "--conventions", "esci").out
    assert found.count("read by the scale esci") == 1
    assert "gains 0, 0.01, 0.1, 1; relevant from 1." in found


@pytest.mark.parametrize("colour", ["red", "#12345", 5])
def test_a_colour_that_is_none_is_refused(tmp_path, colour):
    """No scale gets into a project with a colour that no window can draw."""
    path = tmp_path / "scale.json"
    levels = [{"grade": 0}, {"grade": 1, "colour": colour}]
    path.write_text(json.dumps({"levels": levels}))
    refused = call("new", tmp_path / "own.judge", "--scale", path)
    assert refused.code == 1
    assert f"‘{colour}’ is no colour such as #1f5fae" in refused.err
    path.write_text(json.dumps({"levels": [levels[0], {"grade": 1, "colour": "#1F5fae"}]}))
    must("new", tmp_path / "own.judge", "--scale", path)
