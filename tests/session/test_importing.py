"""Imports: planned first, visible as a whole, one step to undo, nothing left of a cancelled one."""

from dataclasses import replace

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.formats import JudgmentTable, Kind, Reading
from judgetool.session.commands import Say, WorkCancelledError
from judgetool.session.imports.importing import (
    import_readings,
    plan_import,
    write_import,
)
from judgetool.session.imports.plan import describe_overruled
from judgetool.session.opening import open_project
from judgetool.storage.check import find_problems
from tests.session.conftest import run_reading


def judgments(rows, source="old.qrels"):
    """A reading of judgments from (query, document, grade, assessor) rows."""
    table = JudgmentTable()
    for line, (query, document, grade, assessor) in enumerate(rows, 1):
        table.query_ids.append(query)
        table.document_ids.append(document)
        table.grades.append(grade)
        table.assessors.append(assessor)
        table.states.append(None)
        table.notes.append("")
        table.lines.append(line)
    return Reading(source, Kind.JUDGMENTS, "qrels", judgments=table)


def seen(session):
    return (
        [query.id for query in session.material.queries],
        [run.name for run in session.material.runs],
        [(q, d, o.assessor, o.judgment.grade) for q, d, o, _ in session.iter_judgments()],
    )


def test_plan_writes_nothing(session, project_path):
    """Planning leaves the project as it was."""
    before = seen(session)
    plan = plan_import(session, [judgments([("1", "d1", 2.0, None)])])
    assert plan.files[0].n_new == 1
    assert seen(session) == before
    assert session.undo_step.kind == "import"


def test_judgments_without_assessor_are_named_by_their_file(session):
    """Who judged is the file's name when neither the file nor the person says it."""
    import_readings(session, [judgments([("1", "d1", 2.0, None), ("1", "d2", 1.0, "ben")])])
    assert {o.assessor for _, _, o, _ in session.iter_judgments()} == {"old", "ben"}


def test_grade_off_the_scale_is_refused_with_its_line(session):
    """A grade that is no level is left out and named with its line; the others come in."""
    plan = import_readings(session, [judgments([("1", "d1", 9.0, "x"), ("1", "d2", 1.0, "x")])])
    [refusal] = plan.files[0].refusals
    assert refusal.line == 1
    assert "grade 9 is not on this scale" in refusal.reason
    assert len(session.iter_judgments()) == 1


def test_negative_grade_stays_unjudged(session):
    """A pooled document without a judgment (grade -1) is said to be so and not stored."""
    plan = import_readings(session, [judgments([("1", "d1", -1.0, "x"), ("1", "d2", 1.0, "x")])])
    assert any("pooled, not judged" in note for note in plan.files[0].notes)
    assert len(session.iter_judgments()) == 1


def test_ids_of_runs_and_judgments_become_queries(session):
    """A run or judgments for an unknown query make it appear by its id."""
    import_readings(session, [run_reading("c", {"x": ["d1"]}), judgments([("y", "d1", 1.0, "z")])])
    assert seen(session)[0][-2:] == ["x", "y"]


def test_query_texts_win_over_bare_ids_in_any_order(session):
    """A file with texts is heard even when a run named the query first."""
    texts = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query("x", "the text")])
    import_readings(session, [run_reading("c", {"x": ["d1"]}), texts])
    assert session.material.queries[-1].text == "the text"


def test_importing_the_same_again_changes_nothing(session):
    """What the project has already, just so, is not written again."""
    reading = judgments([("1", "d1", 2.0, "ben")])
    import_readings(session, [reading])
    plan = import_readings(session, [reading])
    assert plan.is_empty
    assert (plan.files[0].n_new, plan.files[0].n_unchanged) == (0, 1)


def test_second_run_of_a_name_gets_another_name(session):
    """A run never replaces one of the same name."""
    import_readings(session, [run_reading("a", {"1": ["d7"]})])
    assert seen(session)[1] == ["a", "b", "a (2)"]


def test_the_same_run_again_is_left_out_and_said(session):
    """A run that the project has just so is not added a second time."""
    reading = run_reading("a", {"1": ["d1", "d2", "d3"], "2": ["d4", "d1"]})
    plan = import_readings(session, [reading])
    assert plan.is_empty
    assert plan.files[0].notes == ["The run ‘a’ is here already, just so; it is left out."]
    assert seen(session)[1] == ["a", "b"]
    # Without scores it is another.
    flat = replace(reading, runs=[replace(reading.runs[0], scores=None)])
    assert not import_readings(session, [flat]).is_empty
    assert import_readings(session, [flat]).is_empty


def test_grades_by_nobody_are_compared_with_those_of_others(session):
    """Qrels that count instead of what others have said are counted and listed, not 'all new'."""
    import_readings(session, [judgments([("1", "d1", 1.0, "ben"), ("1", "d2", 2.0, "ben")])])
    report = plan_import(session, [judgments([("1", "d1", 3.0, None), ("1", "d2", 2.0, None)])])
    [file] = report.files
    assert (file.n_new, file.overruled.n) == (2, 1)
    assert describe_overruled(file.overruled[0]) == (
        "query 1, document d1: 1 here by ben, 3 in the file by old"
    )


def test_texts_of_known_documents_are_taken(session):
    """A document known by its id gets its text; undoing the import takes it away again."""
    texts = Reading("d.jsonl", Kind.DOCUMENTS, "documents-jsonl")
    texts.documents = [Document("d1", "Soup", body="hot", fields={"minutes": "5"})]
    number = session.material.find_document("d1")
    import_readings(session, [texts])
    assert session.material.document(number).title == "Soup"
    session.undo()
    assert session.material.document(number) == Document("d1")


def test_undo_and_redo_of_imported_judgments(session):
    """An import of judgments is one step."""
    before = seen(session)
    import_readings(session, [judgments([("1", "d1", 2.0, "ben"), ("2", "d4", 0.0, "ben")])])
    after = seen(session)
    session.undo()
    assert seen(session) == before
    session.redo()
    assert seen(session) == after


def test_undo_of_an_import_leaves_later_judgments(session, project_path):
    """What an assessor changed after the import stays, and is counted."""
    import_readings(session, [judgments([("1", "d1", 2.0, "ben"), ("1", "d2", 2.0, "ben")])])
    session.close()
    with open_project(project_path, assessor="ben") as bens:
        bens.execute(Say.grade(0, bens.material.find_document("d1"), 0))
    with open_project(project_path, assessor="anna") as again:
        changed = again.undo()
        assert changed.n_kept == 1
        assert [o.judgment.grade for _, _, o, _ in again.iter_judgments()] == [0]


@pytest.mark.parametrize("at", [0, 1, 3, 5])
def test_cancelled_import_leaves_nothing(session, project_path, at):
    """Whenever it is cancelled, nothing of an import can be seen, and the file is sound."""
    before = seen(session)
    readings = [run_reading("c", {"x": ["d1", "d77"]}), judgments([("x", "d1", 1.0, "z")])]
    plan = plan_import(session, readings)
    asked = []

    def is_cancelled():
        asked.append(1)
        return len(asked) > at

    with pytest.raises(WorkCancelledError, match="Nothing of it was kept"):
        write_import(session, plan, is_cancelled=is_cancelled)
    session.reload()
    assert seen(session) == before
    with session.second_reader() as reader:
        assert find_problems(reader, project_path) == []


def test_imported_judgments_are_sound_in_the_log(session, project_path):
    """After imports, judgments, undo and redo, the state is what the log says."""
    import_readings(session, [judgments([("1", "d1", 2.0, "ben"), ("1", "d2", 2.0, "anna")])])
    session.execute(Say.grade(0, session.material.find_document("d2"), 0))
    for change in (session.undo, session.undo, session.redo, session.redo, session.undo):
        change()
    with session.second_reader() as reader:
        assert find_problems(reader, project_path) == []
