"""``judgetool project``: who counts, seen and chosen."""

from functools import partial

import pytest

from judgetool.session.opening import open_project
from judgetool.storage.hub_lines import begin_mark
from tests.helpers.program import call, must

PEOPLE = "query,document,assessor,grade\n1,d1,anna,1\n1,d1,ben,3\n"


@pytest.fixture
def project(empty, tmp_path):
    """Anna and ben judged a document, and a model."""
    (tmp_path / "p.csv").write_text(PEOPLE)
    (tmp_path / "m.qrels").write_text("1 0 d1 0\n")
    must("import", empty, "--qrels", tmp_path / "p.csv")
    must("import", empty, "--qrels", tmp_path / "m.qrels", "--assessor", "m", "--kind", "model")
    return empty


def test_who_is_there_and_counts(project):
    """People do, models do not; as a table and as JSON."""
    assert must("project", project).rows == [
        ["assessor", "kind", "counts"],
        ["anna", "person", "yes"],
        ["ben", "person", "yes"],
        ["m", "model", "no"],
    ]
    found = must("project", project, "--format", "json").json
    assert found[2] == {"assessor": "m", "kind": "model", "counts": "no"}


def test_who_counts_is_chosen_as_one_step(project):
    """Several at once; one Undo of who chose takes them back."""
    told = must("project", project, "--assessor", "lead", "--counts", "ben=no", "m=yes")
    assert [row[2] for row in told.rows[1:]] == ["yes", "no", "yes"]
    with open_project(project, assessor="lead") as session:
        session.undo()
    assert [row[2] for row in must("project", project).rows[1:]] == ["yes", "yes", "no"]


def test_an_export_says_whose_judgments_it_leaves_out(project):
    """Grades are of all who count; of one alone where one is asked for, and nobody is left out."""
    said = "Judgments of 1 assessor who does not count are left out."
    assert said in must("export", project, "--qrels", "-").err
    assert said not in must("export", project, "--qrels", "-", "--assessor", "m").err


@pytest.mark.parametrize(
    "words",
    [("score",), ("explain", "--run", "a", "--query", "1"), ("compare",)],
    ids=lambda w: w[0],
)
def test_values_say_whose_judgments_they_leave_out(project, words):
    """One model; one alone who is asked for leaves out nobody, nor does who has judged nothing."""
    for name in "ab":
        must("import", project, "--run", "-", stdin=f"1 Q0 d1 1 2 {name}\n")
    must("judge", project, "--assessor", "lead", stdin="1\td1\t2\n")
    with open_project(project, assessor="lead") as session:
        session.undo()
    must("project", project, "--counts", "lead=no")
    said = "Judgments of 1 assessor who does not count are left out."
    values = words[0], "--project", project, *words[1:], "-m", "AP"
    assert must(*values).err.count(said) == 1
    assert said not in must(*values, "--assessor", "anna").err
    must("project", project, "--counts", "m=yes")
    assert said not in must(*values).err


def test_where_nobody_who_judged_counts_the_reasons_are_true(project):
    """Documents have grades, and two have graded: theirs do not count."""
    must("import", project, "--run", "-", stdin="1 Q0 d1 1 2 x\n")
    must("project", project, "--counts", "ben=no", "anna=no")
    assert must("score", "--project", project, "-m", "AP").err.splitlines()[-2:] == [
        "Judgments of 3 assessors who do not count are left out.",
        "No query counts: no document has a grade that counts (below 0 means ‘not judged’).",
    ]
    for words in ((), ("--effect",)):
        told = call("agreement", project, *words)
        said = (
            "agreement needs two assessors who graded something and count. Who graded and does not "
        )
        assert (told.code, f"{said}count: anna, ben and m." in told.err) == (1, True)
    assert must("agreement", project, "--assessor", "anna", "ben").code == 0


def test_an_import_says_whose_judgments_do_not_count(project):
    """Of those that come; once they are here nothing comes."""
    must("project", project, "--counts", "ben=no")
    rows, said = (
        "query,document,assessor,grade\n1,d2,{},2\n",
        "Judgments of ben do not count in values.",
    )
    imported = ("import", project, "--qrels", "-")
    assert must(*imported, stdin=rows.format("ben")).out.splitlines()[-1] == said
    assert said not in must(*imported, stdin=rows.format("ben")).out
    assert said not in must(*imported, stdin=rows.format("anna")).out


def test_what_does_not_fit_changes_nothing(project):
    """A name that is not there, with those that are; a choice that is none."""
    unknown = call("project", project, "--counts", "ben=no", "bob=no")
    known = f"There is no assessor ‘bob’ in {project.name}. It has: anna, ben, m.\n"
    assert (unknown.code, unknown.err) == (1, known)
    assert call("project", project, "--counts", "ben").code == 2
    assert [row[2] for row in must("project", project).rows[1:]] == ["yes", "yes", "no"]


def test_judgments_under_a_mistyped_name_are_taken_along(project):
    """One step of the right name, which its Undo takes back; what that name has judged stays twice."""
    must("judge", project, "--assessor", "Alyin", stdin=b"1\td1\t2\n1\td2\t3\n")
    must("judge", project, "--assessor", "Aylin", stdin=b"1\td1\t0\n")
    told = must("project", project, "--assessor", "Aylin", "--take-along", "Alyin")
    assert told.err == (
        "1 judgment of Alyin is under the new name now. "
        "1 stays Alyin’s: the new name has judged that document, too.\n"
    )
    rows = [
        row for row in must("show", project, "--judgments").rows if row[2] in ("Alyin", "Aylin")
    ]
    assert rows == [
        ["1", "d1", "Alyin", "2", "judged"],
        ["1", "d1", "Aylin", "0", "judged"],
        ["1", "d2", "Aylin", "3", "judged"],
    ]
    with open_project(project, assessor="Aylin") as session:
        session.undo()
    assert ["1", "d2", "Alyin", "3", "judged"] in must("show", project, "--judgments").rows


def test_what_cannot_be_taken_along(project):
    """Nothing is left, nobody is called so, a model’s grades, a name is missing, a team’s hub."""
    before = must("show", project, "--judgments").out
    for former, said in (
        ("m", "‘m’ is no person’s name: only judgments of people are taken along.\n"),
        ("bob", f"There is no assessor ‘bob’ in {project.name}. It has: anna, ben, m.\n"),
    ):
        found = call("project", project, "--assessor", "Aylin", "--take-along", former)
        assert (found.code, found.err) == (1, said)
    assert call("project", project, "--take-along", "ben").code == 2
    with open_project(project) as session:
        session.write(partial(begin_mark, url="postgresql://anna@127.0.0.1:1/hub", at=0))
    found = call("project", project, "--assessor", "Aylin", "--take-along", "ben")
    assert (found.code, found.err.partition(",")[0]) == (1, "This project has a team hub")
    assert must("show", project, "--judgments").out == before
