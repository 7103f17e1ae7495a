"""What others do to a project between the plan of an import and its end: it stays, and it is told."""

import threading

import pytest

from judgetool.core.judgments import Document, Query
from judgetool.errors import InputError
from judgetool.formats import JudgmentRow, JudgmentTable, Kind, Reading, read_file
from judgetool.session.commands import Say
from judgetool.session.edits import delete_run, edit_document, edit_query
from judgetool.session.imports.importing import import_readings, plan_import, write_import
from judgetool.session.imports.plan import Conflicts, ImportChoices, late_text
from judgetool.session.pool import ADDED_KEY
from judgetool.storage.check import find_problems
from tests.session.conftest import run_reading
from tests.session.test_history import as_of, present
from tests.session.test_importing import judgments
from tests.session.test_importing_conflicts import said

LAST_ASKED = 3
"""How often an import of one part of judgments asks whether to stop before it asks a last time."""
ROWS = [("1", "d1", 1.0, "anna"), ("1", "d2", 1.0, "anna"), ("9", "d1", 1.0, "anna")]


def grade(session, document, grade):
    session.execute(Say.grade(0, session.material.find_document(document), grade))


def is_sound(session):
    """Whether the project says what its log says."""
    session.reload()
    problems = find_problems(session.reader, session.path)
    return problems == [] and as_of(session) == present(session)


@pytest.mark.parametrize("choice", Conflicts)
def test_what_was_judged_after_the_plan_stays(session, choice):
    """A grade that was given between preview and import stays, whatever the choice, and is told."""
    choices = ImportChoices(conflicts=choice)
    plan = plan_import(session, [judgments(ROWS)], choices=choices)
    assert (plan.n_new, plan.n_conflicts) == (3, 0)
    grade(session, "d1", 3)
    outcome = write_import(session, plan)
    session.take_in(outcome)
    found = said(session)
    assert found["1", "d1", "anna"] == 3
    assert found["1", "d2", "anna"] == 1
    assert (outcome.n_kept, plan.n_new, plan.n_changed) == (1, 2, 0)
    assert late_text(plan).startswith("1 judgment was given meanwhile, and stays")
    assert is_sound(session)
    session.undo()
    assert said(session) == {("1", "d1", "anna"): 3}


def test_what_was_changed_after_the_plan_stays(session):
    """The file's replace what the project had when that was chosen, not what was said since."""
    grade(session, "d1", 2)
    grade(session, "d2", 2)
    choices = ImportChoices(conflicts=Conflicts.THEIRS)
    plan = plan_import(session, [judgments(ROWS)], choices=choices)
    assert (plan.n_new, plan.n_changed) == (1, 2)
    grade(session, "d1", 3)
    session.take_in(write_import(session, plan))
    assert said(session)["1", "d1", "anna"] == 3
    assert said(session)["1", "d2", "anna"] == 1
    assert (plan.n_new, plan.n_changed) == (1, 1)
    assert is_sound(session)


def test_what_was_undone_after_the_plan_stays_undone(session):
    """Of a grade that was taken back since, nothing is left that the file's could replace."""
    grade(session, "d1", 2)
    choices = ImportChoices(conflicts=Conflicts.THEIRS)
    plan = plan_import(session, [judgments(ROWS)], choices=choices)
    session.undo()
    outcome = write_import(session, plan)
    session.take_in(outcome)
    assert ("1", "d1", "anna") not in said(session)
    assert outcome.n_kept == 1
    assert is_sound(session)


@pytest.mark.parametrize("chunk", range(5))
def test_what_is_judged_while_it_is_written_is_told(session, chunk):
    """Wherever amid the writing a grade is given, the count of what stays has it, once."""
    plan = plan_import(session, [judgments(ROWS)])
    asked = iter(range(100))

    def judge_meanwhile():
        if next(asked) == chunk:
            grade(session, "d1", 3)
            grade(session, "d1", 2)
            grade(session, "d3", 2)
        return False

    outcome = write_import(session, plan, is_cancelled=judge_meanwhile)
    session.take_in(outcome)
    assert next(asked) > chunk
    assert said(session)["1", "d1", "anna"] == 2
    assert (outcome.n_kept, plan.n_new) == (1, 2)
    assert is_sound(session)


def test_two_files_that_say_it_count_once(session):
    """What several files of an import say of one document is one judgment that stays."""
    files = [judgments(ROWS[:1], "a.csv"), judgments([("1", "d1", 2.0, "anna")], "b.csv")]
    choices = ImportChoices(conflicts=Conflicts.THEIRS)
    plan = plan_import(session, files, choices=choices)
    assert (plan.n_new, plan.n_changed) == (1, 0)
    grade(session, "d1", 3)
    assert write_import(session, plan).n_kept == 1
    assert (plan.n_new, plan.n_changed) == (0, 0)


def test_an_import_leaves_another_that_is_written_alone(session):
    """Two programs may import at once: each has all of its own in the end."""
    theirs = plan_import(session, [judgments([("1", f"x{n}", 2.0, "ben") for n in range(2_000)])])
    plan = plan_import(session, [judgments(ROWS)])
    asked = iter(range(100))

    def import_meanwhile():
        if next(asked) == 5:
            write_import(session, plan)
        return False

    write_import(session, theirs, is_cancelled=import_meanwhile)
    assert next(asked) > 5
    assert is_sound(session)
    assert len(said(session)) == 2_003


@pytest.mark.parametrize("moment", range(0, 35, 2))
def test_what_comes_amid_the_plan_does_no_harm(session, moment):
    """Documents, queries and judgments that others add while it is planned are of no number that is counted."""
    more = [f"new{n}" for n in range(200)]
    rows = [("1", name, 1.0, "ben") for name in more]
    texts = Reading("d.jsonl", Kind.DOCUMENTS, "documents", documents=[])
    texts.documents += [Document(name, title=name) for name in more]
    theirs = plan_import(session, [run_reading("c", {"8": more}), judgments(rows), texts])
    asked = iter(range(1_000))

    def import_meanwhile():
        if next(asked) == moment:
            write_import(session, theirs)

    files = [run_reading("mine", {"1": ["d1", *more]}), judgments([*rows, *ROWS])]
    plan = plan_import(session, files, check=import_meanwhile)
    assert next(asked) > moment
    session.take_in(write_import(session, plan))
    assert is_sound(session)


def test_a_text_that_came_meanwhile_is_not_hidden(session):
    """A query that the file knows by its id alone keeps the text that others have brought since."""
    plan = plan_import(session, [judgments(ROWS)])
    query = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query("9", "nine soups")])
    import_readings(session, [query])
    session.take_in(write_import(session, plan))
    assert session.material.queries[session.material.find_query("9")].text == "nine soups"


def test_what_others_ask_for_meanwhile_is_still_asked_for(session):
    """What two people add to a query's pool is added to it, not put in its place."""

    def pooled(name):
        reading = judgments([])
        reading.pool.append(("1", name))
        return reading

    plan = plan_import(session, [pooled("d7")])
    import_readings(session, [pooled("d8")])
    session.take_in(write_import(session, plan))
    assert session.value(ADDED_KEY + "1") == ["d8", "d7"]


def test_a_run_that_went_meanwhile_needs_no_replacing(session):
    """The file's run comes in, also where the one that it was to replace is gone by then."""
    choices = ImportChoices(answers={"runs": "replace"})
    plan = plan_import(session, [run_reading("a", {"1": ["d7"]})], choices=choices)
    [run] = [run for run in session.material.runs if run.name == "a"]
    delete_run(session, run.run_id)
    session.take_in(write_import(session, plan))
    assert sorted(run.name for run in session.material.runs) == ["a", "b"]


def test_a_file_that_changed_after_the_preview_is_not_written(session, tmp_path):
    """What was shown is not what is there any more; a file that is gone is what was shown."""
    path = tmp_path / "rows.qrels"
    path.write_text("1 0 d1 1\n")
    plan = plan_import(session, [read_file(path)])
    path.write_text("1 0 d1 2\n1 0 d2 2\n")
    with pytest.raises(InputError, match=r"has changed since it was read\. Nothing was kept"):
        write_import(session, plan)
    assert session.iter_judgments() == []
    plan = plan_import(session, [read_file(path)])
    path.unlink()
    session.take_in(write_import(session, plan))
    assert len(session.iter_judgments()) == 2


def documents(*rows):
    reading = Reading("d.jsonl", Kind.DOCUMENTS, "documents", documents=[])
    reading.documents += [Document(*row) for row in rows]
    return reading


@pytest.mark.parametrize("chunk", [None, *range(5)])
def test_a_text_that_is_changed_meanwhile_stays(session, chunk):
    """After the preview, or wherever amid the writing; the rest of the file comes in, and it is told."""
    number = session.material.find_document("d1")
    import_readings(session, [documents(("d1", "old"), ("d2", "old"))])
    answers = ImportChoices(answers={"texts": "replace"})
    theirs = documents(("d1", "file"), ("d2", "file"), ("new", "file"))
    query = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query("1", "file")])
    plan = plan_import(session, [theirs, query], choices=answers)
    assert (plan.n_new, plan.n_changed) == (1, 3)
    asked = iter(range(100))

    def edit_meanwhile():
        if chunk is None or next(asked) == chunk:
            edit_document(session, number, Document("d1", "edited"))
            edit_query(session, 0, Query("1", "edited"))
        return False

    if chunk is None:
        edit_meanwhile()
        outcome = write_import(session, plan)
    else:
        outcome = write_import(session, plan, is_cancelled=edit_meanwhile)
        assert next(asked) > chunk
    session.take_in(outcome)
    titles = {
        name: session.material.document(session.material.find_document(name)).title
        for name in ("d1", "d2", "new")
    }
    assert titles == {"d1": "edited", "d2": "file", "new": "file"}
    assert session.material.queries[0].text == "edited"
    assert (plan.n_new, plan.n_changed, plan.n_late_texts) == (1, 1, 2)
    assert late_text(plan) == "2 texts were changed meanwhile, and stay; the file’s are left out."
    assert is_sound(session)


def test_a_text_that_is_taken_back_meanwhile_stays_taken_back(session):
    """The plan was made upon it; what the file would fill in would bring it back."""
    number = session.material.find_document("d1")
    edit_document(session, number, Document("d1", "edited"))
    plan = plan_import(session, [documents(("d1", "", "", "file"), ("d2", "file"))])
    session.undo()
    session.take_in(write_import(session, plan))
    assert not session.material.document(number).has_text
    assert plan.n_late_texts == 1
    assert is_sound(session)


def test_of_two_imports_at_once_the_one_begun_later_counts_and_says_so(session):
    """Of the same assessor's judgments, where the other one ended before it."""
    first, second = (
        plan_import(
            session, [judgments([("1", "d1", grade, "anna"), ("1", f"own{grade}", 1.0, "anna")])]
        )
        for grade in (1.0, 2.0)
    )
    is_begun, is_over = threading.Event(), threading.Event()

    asked = iter(range(100))

    def wait_for_first():
        if next(asked) == LAST_ASKED:
            is_begun.set()
            assert is_over.wait(60)
        return False

    other = threading.Thread(
        target=write_import, args=(session, second), kwargs={"is_cancelled": wait_for_first}
    )

    def begin_second():
        if not is_begun.is_set():
            other.start()
            assert is_begun.wait(60)
        return False

    write_import(session, first, is_cancelled=begin_second)
    is_over.set()
    other.join(60)
    session.reload()
    assert said(session)["1", "d1", "anna"] == 2
    assert next(asked) == LAST_ASKED + 1
    assert late_text(first) == ""
    assert late_text(second) == (
        "1 judgment that another import brought meanwhile is replaced by this one’s, which was begun later."
    )
    assert is_sound(session)


def test_a_note_that_is_imported_meanwhile_stays(session):
    """It leaves the judgment its step; what was decided was about the judgment without it."""
    import_readings(session, [judgments([("1", "d1", 3.0, "anna")])])
    theirs = judgments([("1", "d1", 1.0, "anna")])
    plan = plan_import(session, [theirs], choices=ImportChoices(conflicts=Conflicts.THEIRS))
    noted = JudgmentTable()
    noted.add(JudgmentRow("1", "d1", "anna", 3.0, note="hello"), line=1)
    import_readings(session, [Reading("n.csv", Kind.JUDGMENTS, "judgments-csv", judgments=noted)])
    session.take_in(write_import(session, plan))
    assert said(session)["1", "d1", "anna"] == 3
    assert (plan.n_changed, late_text(plan)[:28]) == (0, "1 judgment was given meanwhi")
    assert is_sound(session)
