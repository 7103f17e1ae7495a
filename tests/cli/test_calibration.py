"""``judgetool agreement --calibration``: what people gave where a model gave each grade."""

import pytest

from judgetool.session.opening import open_project
from judgetool.session.team.agreement import set_counts
from tests.helpers.program import call, must

MODEL = "1 0 a 3\n1 0 b 3\n1 0 c 0\n1 0 d maybe\n1 0 e 3\n1 0 f 1\n"
PEOPLE = "1\ta\t3\n1\tb\t2\n1\tc\t0\n1\td\t1\n1\tx\t3\n"


@pytest.fixture
def project(empty, tmp_path):
    """A model said something of six documents, anna of four of these."""
    (tmp_path / "m.qrels").write_text(MODEL)
    must("import", empty, "--qrels", tmp_path / "m.qrels", "--assessor", "m", "--kind", "model")
    must("judge", empty, "--assessor", "anna", stdin=PEOPLE)
    return empty


def test_each_grade_of_the_model_has_a_line(project):
    """How often people gave each there, and their mean; what only one side judged is left out."""
    assert must("agreement", project, "--calibration", "m").rows == [
        ["m", "0", "1", "2", "3", "cannot judge", "mean"],
        ["0", "1", "0", "0", "0", "0", "0.0000"],
        ["1", "0", "0", "0", "0", "0", "-"],
        ["2", "0", "0", "0", "0", "0", "-"],
        ["3", "0", "0", "1", "1", "0", "2.5000"],
        ["cannot judge", "0", "1", "0", "0", "0", "1.0000"],
    ]


def test_as_json(project):
    """The counts by what people gave."""
    rows = must("agreement", project, "--calibration", "m", "--format", "json").json["rows"]
    assert rows[3] == {
        "said": "3",
        "given": {"0": 0, "1": 0, "2": 1, "3": 1, "cannot judge": 0},
        "mean": 2.5,
    }
    assert rows[1]["mean"] is None


def test_people_are_no_model_and_a_model_that_counts_is_refused(project):
    """Both are said, with what there is."""
    refused = call("agreement", project, "--calibration", "anna")
    assert (refused.code, refused.err) == (
        1,
        "There is no model ‘anna’ in empty.judge. Models are: m.\n",
    )
    with open_project(project, assessor="lead") as session:
        set_counts(session, {"m": True})
    refused = call("agreement", project, "--calibration", "m")
    assert refused.code == 1
    assert refused.err.startswith("m counts in empty.judge, so that")


@pytest.mark.parametrize("option", [["-m", "kappa"], ["--effect"], ["--by", "query"]])
def test_it_goes_alone(project, option):
    """With measures and scopes it would say two things at once."""
    assert call("agreement", project, "--calibration", "m", *option).code == 2
