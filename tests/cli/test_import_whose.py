"""Imports that say whose judgments they bring: people's, a model's, known answers."""

import json

import pytest

from judgetool.session.opening import open_project
from tests.helpers.program import call, must

LABELS = [
    {"query": "1", "document": "d1", "grade": "Relevance: high"},
    {"query": "1", "document": "d2", "grade": 2},
    {"query": "1", "document": "d3", "grade": None},
    {"query": "1", "document": "d4", "grade": 0, "note": "of bread"},
]


@pytest.fixture
def labels(tmp_path):
    """A model's answers, of which two are no grade."""
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in LABELS), encoding="utf-8")
    return path


def rows(project):
    return must("show", project, "--judgments").rows[1:]


def test_a_models_labels_do_not_count(empty, labels):
    """They stand under its name; values, progress and exports go without them."""
    must("import", empty, "--qrels", labels, "--assessor", "m", "--kind", "model")
    assert rows(empty)[1] == ["1", "d2", "m", "2", "judged"]
    with open_project(empty) as session:
        assert session.board.book.all_settled() == {} or not any(
            session.board.book.all_settled().values()
        )


@pytest.mark.parametrize(("kind", "named"), [("model", ["m"]), ("people", [])])
def test_whose_judgments_do_not_count_is_told(empty, labels, kind, named):
    """In JSON as well, by name."""
    words = ("import", empty, "--qrels", labels, "--assessor", "m", "--kind", kind)
    assert must(*words, "--format", "json").json["not_counting"] == named


def test_what_is_no_grade_is_cannot_judge_and_counted(empty, labels):
    """Never 0; what the model said in its place is the note."""
    words = ("import", empty, "--qrels", labels, "--assessor", "m", "--kind", "model")
    found = must(*words, "--format", "json").json["files"][0]
    assert (found["n_records"], found["n_cannot_judge"], found["n_refused"]) == (4, 2, 0)
    assert found["whose"] == "model"
    assert "2 answers are no grade: kept as ‘cannot judge’." in found["notes"]
    assert [row[3:] for row in rows(empty)] == [
        ["", "cannot_judge"],
        ["2", "judged"],
        ["", "cannot_judge"],
        ["0", "judged"],
    ]
    with open_project(empty) as session:
        notes = [opinion.judgment.note for _, _, opinion, _ in session.iter_judgments()]
    assert notes == ["Relevance: high", "", "", "of bread"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("l.qrels", "1 0 d1 1\n1 0 d2 maybe\n"),
        ("l.csv", "query,document,grade\n1,d1,1\n1,d2,maybe\n"),
    ],
)
def test_answers_that_are_no_grade_are_kept_in_any_format(empty, tmp_path, name, text):
    """In columns and in tables alike."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    must("import", empty, "--qrels", tmp_path / name, "--assessor", "m", "--kind", "model")
    assert rows(empty) == [["1", "d1", "m", "1", "judged"], ["1", "d2", "m", "", "cannot_judge"]]


def test_a_word_of_a_model_may_be_told_to_be_a_grade(empty, labels):
    """A mapped word is no unread answer."""
    words = ("import", empty, "--qrels", labels, "--assessor", "m", "--kind", "model")
    must(*words, "--map-grade", "Relevance: high=3")
    assert rows(empty)[0] == ["1", "d1", "m", "3", "judged"]


def test_of_people_lines_without_a_grade_are_refused(empty, labels):
    """As ever, and nothing is asked."""
    found = must("import", empty, "--qrels", labels, "--assessor", "anna")
    assert "2 judgments: 2 new, 0 changed, 0 unchanged; 1 refused" in found.out
    assert "Whose" not in found.out


def test_each_assessor_that_a_models_file_names_is_a_model(empty, tmp_path):
    """Several models in one table."""
    path = tmp_path / "l.csv"
    path.write_text("query,document,assessor,grade\n1,d1,m1,1\n1,d1,m2,2\n", encoding="utf-8")
    must("import", empty, "--qrels", path, "--kind", "model")
    with open_project(empty) as session:
        assert not session.does_count("m1")
        assert not session.does_count("m2")


@pytest.mark.parametrize("kind", ["model", "settled"])
def test_a_name_that_somebody_else_has_is_refused(empty, labels, kind):
    """Nobody's judgments become a model's, or known answers; nothing is imported."""
    must("judge", empty, "--assessor", "anna", stdin="1\td9\t3\n")
    outcome = call("import", empty, "--qrels", labels, "--assessor", "anna", "--kind", kind)
    assert outcome.code == 1
    assert outcome.err.startswith("anna is an assessor of the project already, and ")
    assert outcome.err.endswith("Nothing was imported.\n")
    assert len(rows(empty)) == 1


def test_known_answers_win(empty, labels, tmp_path):
    """Whatever others said before or later, in every view but their own."""
    must("judge", empty, "--assessor", "anna", stdin="1\td4\t3\n1\td2\t0\n")
    must("import", empty, "--qrels", labels, "--settled")
    must("judge", empty, "--assessor", "anna", stdin="1\td2\t1\n")
    assert ["1", "d2", "settled", "2", "judged"] in rows(empty)
    must("export", empty, "--qrels", tmp_path / "out.txt")
    lines = (tmp_path / "out.txt").read_text().split("\n")
    assert lines == ["1 0 d2 2", "1 0 d4 0", ""]


def test_undo_takes_a_models_labels_back(empty, labels):
    """As of any import."""
    must("import", empty, "--qrels", labels, "--assessor", "m", "--kind", "model")
    with open_project(empty, assessor="anna") as session:
        session.undo()
    assert rows(empty) == []
