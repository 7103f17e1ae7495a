"""The one door for change: what is durable, what is told, what Undo brings back."""

import json

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from judgetool.core.judgments import Query, State
from judgetool.core.scale import scale_preset
from judgetool.errors import CommandRefusedError
from judgetool.formats import Kind, Reading, read_text
from judgetool.formats.writers import ExportChoices
from judgetool.session.commands import (
    Say,
    SetScale,
    set_measures,
    set_title,
)
from judgetool.session.exports.exporting import preview_export
from judgetool.session.history import find_reason
from judgetool.session.imports.importing import ensure_document, import_readings
from judgetool.session.opening import create_project, open_project
from judgetool.session.team.disputes import settle
from tests.helpers.laws import examples


def doc(session, external_id):
    return session.material.find_document(external_id)


def own(session, query, external_id):
    opinions = session.opinions(query).get(doc(session, external_id), [])
    return next((o.judgment for o in opinions if o.assessor == session.assessor), None)


def state_of(session):
    """Everything that a person could see of the judgments and their values."""
    said = sorted(
        (query, document, opinion.assessor, repr(opinion.judgment))
        for query, document, opinion, _ in session.iter_judgments()
    )
    values = [
        session.board.engine.values(run.run_id).filled(-1).tolist() for run in session.material.runs
    ]
    progress = [session.board.progress(query) for query in range(len(session.material.queries))]
    return said, values, progress, session.scale, session.measures, session.title


def test_judgment_is_in_the_file_when_execute_returns(session, project_path):
    """Another reader of the file sees the judgment at once."""
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    with open_project(project_path, read_only=True) as other:
        assert [o.judgment.grade for _, _, o, _ in other.iter_judgments()] == [2]


def test_a_listener_that_fails_keeps_no_other_from_being_told(session, caplog):
    """What is told has happened: the change is saved, and the fault is logged."""
    told = []
    for listener in (lambda _change: 1 / 0, told.append):
        session.changed.connect(listener)
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    assert len(told) == 1
    assert own(session, 0, "d1").grade == 2
    (record,) = caplog.records
    assert (record.getMessage(), record.exc_info[0]) == (
        "a listener failed; the change itself is saved",
        ZeroDivisionError,
    )


def test_listeners_are_told_once_after_the_commit(session):
    """A step is told exactly once, and the values are those after it."""
    told = []
    session.changed.connect(lambda c: told.append((c, session.board.settled(0))))
    session.execute(Say.grade(0, doc(session, "d1"), 3))
    [(changed, settled)] = told
    assert changed.judgments == ((0, doc(session, "d1")),)
    assert settled[doc(session, "d1")].grade == 3


def test_judging_the_same_again_makes_no_step(session):
    """Giving the grade that stands already writes nothing and can not be undone."""
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    assert session.execute(Say.grade(0, doc(session, "d1"), 2)) is None
    session.undo()
    assert session.undo_step is None or session.undo_step.kind == "import"


def test_grade_off_the_scale_is_refused(session):
    """A grade that is not a level is refused in words, and nothing is written."""
    with pytest.raises(CommandRefusedError, match="Grade 7 is not on this scale"):
        session.execute(Say.grade(0, doc(session, "d1"), 7))
    assert session.iter_judgments() == []


def test_a_name_that_is_kept_for_second_judgments_cannot_judge(project_path):
    """It is said at the first grade; nothing is written."""
    with open_project(project_path, assessor="anna (again)") as session:
        with pytest.raises(CommandRefusedError, match="second judgments"):
            session.execute(Say.grade(0, 1, 1))
        assert session.iter_judgments() == []


def test_nobody_cannot_judge(project_path):
    """Without an assessor a judgment is refused."""
    with (
        open_project(project_path) as session,
        pytest.raises(CommandRefusedError, match="Nobody is named"),
    ):
        session.execute(Say.grade(0, doc(session, "d1"), 1))


def test_note_and_flag_stay_when_the_grade_changes(session):
    """Grade, note and flag are kept apart."""
    document = doc(session, "d1")
    session.execute(Say.note(0, document, "half"))
    session.execute(Say.flag(0, document, True))
    session.execute(Say.grade(0, document, 1))
    session.execute(Say.clear(0, document))
    judgment = own(session, 0, "d1")
    assert (judgment.state, judgment.note, judgment.flagged) == (State.UNJUDGED, "half", True)


def test_cannot_judge_settles_and_skipping_does_not(session):
    """'Cannot judge' counts as done for the pool, 'skip' does not; neither has a grade."""
    session.execute(Say.cannot_judge(0, doc(session, "d1"), "no text"))
    session.execute(Say.skip(0, doc(session, "d2")))
    assert session.board.progress(0) == (1, 4)
    assert session.board.settled(0)[doc(session, "d1")].grade is None


def test_undo_works_across_queries_and_after_reopening(session, project_path):
    """Undo goes on where it was after the project was closed and opened again."""
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.execute(Say.grade(1, doc(session, "d4"), 1))
    session.close()
    with open_project(project_path, assessor="anna") as again:
        assert again.undo().judgments == ((1, doc(again, "d4")),)
        assert again.undo().judgments == ((0, doc(again, "d1")),)
        assert again.redo().judgments == ((0, doc(again, "d1")),)
        assert own(again, 0, "d1").grade == 2
        assert own(again, 1, "d4") is None


def test_undo_leaves_others_work_alone(session, project_path):
    """An assessor's Undo never takes back somebody else's judgment."""
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.close()
    with open_project(project_path, assessor="ben") as bens:
        assert bens.undo_step.kind == "import"
        bens.execute(Say.grade(0, doc(bens, "d1"), 0))
        bens.undo()
        assert [o.assessor for o in bens.opinions(0)[doc(bens, "d1")]] == ["anna"]


def test_new_step_after_undo_forgets_redo(session):
    """What was undone cannot be redone once something else was done."""
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    session.undo()
    session.execute(Say.grade(0, doc(session, "d2"), 2))
    assert session.redo_step is None
    assert session.redo() is None


def test_undo_of_an_import_keeps_what_was_changed_since(session):
    """Undoing an import takes its queries and runs out of sight; Redo brings them back."""
    before = state_of(session)
    session.undo()
    assert (len(session.material.queries), len(session.material.runs)) == (0, 0)
    session.redo()
    assert state_of(session) == before


def test_scale_that_loses_a_used_grade_is_refused(session):
    """After judging, only scales that still have every given grade are taken."""
    session.execute(Say.grade(0, doc(session, "d1"), 3))
    with pytest.raises(CommandRefusedError, match="grade 3 exist"):
        session.execute(SetScale(scale_preset("binary")))
    session.execute(SetScale(scale_preset("0-4")))
    assert session.scale.name == "0-4"


def test_a_grade_becomes_one_of_the_new_scale(session):
    """Not one that it has not; then nothing is changed."""
    session.execute(Say.grade(0, 1, 3))
    with pytest.raises(CommandRefusedError, match="9"):
        session.execute(SetScale(scale_preset("binary"), {3.0: 9.0}))
    assert session.own_judgment(0, 1).grade == 3


def test_project_values_are_undone_too(session):
    """Title, scale and measures are steps like judgments."""
    before = state_of(session)
    session.execute(set_title("Soups"))
    session.execute(SetScale(scale_preset("0-4")))
    session.execute(set_measures(("P@3", "AP")))
    assert [str(m) for m in session.board.engine.measures] == ["P@3", "AP"]
    for _ in range(3):
        session.undo()
    assert state_of(session) == before


commands = st.one_of(
    st.builds(Say.grade, st.integers(0, 1), st.integers(1, 6), st.sampled_from([0, 1, 2, 3])),
    st.builds(Say.clear, st.integers(0, 1), st.integers(1, 6)),
    st.builds(Say.skip, st.integers(0, 1), st.integers(1, 6)),
    st.builds(Say.cannot_judge, st.integers(0, 1), st.integers(1, 6), st.sampled_from(["", "why"])),
    st.builds(Say.note, st.integers(0, 1), st.integers(1, 6), st.sampled_from(["", "n", "ñ😀"])),
    st.builds(Say.flag, st.integers(0, 1), st.integers(1, 6), st.booleans()),
)


@settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(commands, max_size=12))
def test_undo_all_returns_the_start_and_redo_all_the_end(session, asked):
    """Whatever is done, undoing all of it restores the first state, redoing it the last."""
    start = state_of(session)
    done = sum(session.execute(command) is not None for command in asked)
    end = state_of(session)
    for _ in range(done):
        session.undo()
    assert state_of(session) == start
    for _ in range(done):
        session.redo()
    assert state_of(session) == end
    for _ in range(done):
        session.undo()


@settings(
    max_examples=examples(25),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(commands, min_size=1, max_size=12))
def test_values_after_judging_equal_those_after_reopening(session, project_path, asked):
    """Values kept up to date step by step are those computed anew from the file."""
    for command in asked:
        session.execute(command)
    with open_project(project_path, read_only=True) as fresh:
        for run in session.material.runs:
            np.testing.assert_array_equal(
                session.board.engine.values(run.run_id).filled(-1),
                fresh.board.engine.values(run.run_id).filled(-1),
            )
        assert fresh.board.total_progress() == session.board.total_progress()


def test_view_decides_which_judgment_counts(session, project_path):
    """By default the latest judgment of a document counts; other rules can be chosen."""
    session.execute(Say.grade(0, doc(session, "d1"), 3))
    session.close()
    with open_project(project_path, assessor="ben") as bens:
        document = doc(bens, "d1")
        bens.execute(Say.grade(0, document, 1))
        assert bens.board.settled(0)[document].grade == 1
        bens.set_view("max")
        assert bens.board.settled(0)[document].grade == 3
        bens.set_view("mean")
        assert bens.board.settled(0)[document].grade == 2
        bens.set_view("mine")
        assert bens.board.settled(0)[document].grade == 1


def test_judging_where_no_run_has_the_query(session):
    """A query that no run retrieved can be judged; its values are 0 or undefined."""
    session.execute(Say.grade(2, doc(session, "d1"), 3))
    session.execute(Say.grade(2, doc(session, "d2"), 0))
    assert len(session.board.settled(2)) == 2


def test_judging_in_a_project_without_runs(tmp_path):
    """Queries and judgments without any run are an ordinary project."""
    path = tmp_path / "b.judge"
    create_project(path, scale=scale_preset("binary"))
    with open_project(path, assessor="anna") as empty:
        reading = Reading("q", Kind.QUERIES, "queries-tsv", queries=[Query("x", "y")])
        import_readings(empty, [reading])
        number = ensure_document(empty, "d1")
        empty.execute(Say.grade(0, number, 1))
        assert empty.board.settled(0)[number].grade == 1


def test_time_in_view_is_written_out(session):
    """How long a document was in view stands beside its judgment in full exports, each time of it once."""
    moments = iter((10_000, 20_000, 20_100))
    session.clock = lambda: next(moments)
    session.execute(Say.grade(0, doc(session, "d1"), 2), spent_ms=1200)
    session.execute(Say.grade(0, doc(session, "d1"), 3), spent_ms=200)
    # Still in view: 200 of it count already.
    session.execute(Say.note(0, doc(session, "d1"), "odd"), spent_ms=300)
    choices = ExportChoices(format="judgments-jsonl", assessor="anna")
    [line] = preview_export(session, choices).lines
    assert json.loads(line)["spent_ms"] == 1500


def test_only_grades_count_as_judgments(session):
    """A flag, a note, a skip and the same grade again are changes, and no judgments."""
    document = doc(session, "d1")
    commands = [
        Say.grade(0, document, 2),
        Say.flag(0, document, flagged=True),
        Say.note(0, document, "odd"),
        Say.grade(0, document, 1),
        Say.cannot_judge(0, document),
        Say.skip(0, doc(session, "d2")),
    ]
    told = [session.execute(command) for command in commands]
    assert [each.n_graded for each in told] == [1, 0, 0, 1, 1, 0]


def test_the_reason_and_a_note_stand_beside_each_other(session):
    """Why a document cannot be judged overwrites no note, and goes with what is said next."""
    document = doc(session, "d1")
    session.execute(Say.note(0, document, "my careful note"))
    session.execute(Say.cannot_judge(0, document, "Another language"))
    assert own(session, 0, "d1").note == "Another language. my careful note"
    assert find_reason(session, 0, document) == ("Another language", "my careful note")
    session.execute(Say.cannot_judge(0, document, "Is it whole?"))
    assert own(session, 0, "d1").note == "Is it whole? my careful note"
    session.execute(Say.note(0, document, "another note"))
    assert own(session, 0, "d1").note == "Is it whole? another note"
    session.execute(Say.cannot_judge(0, document))
    assert own(session, 0, "d1").note == "another note"
    for _ in range(3):
        session.undo()
    assert own(session, 0, "d1").note == "Another language. my careful note"
    session.execute(Say.grade(0, document, 2))
    assert own(session, 0, "d1").note == "my careful note"


@pytest.mark.parametrize("say", [Say.skip, Say.clear, lambda q, d: Say.grade(q, d, 1)])
def test_the_reason_goes_with_the_state(session, project_path, say):
    """Also where the project was opened anew meanwhile, and where there is no note."""
    session.execute(Say.cannot_judge(0, doc(session, "d1"), "Another language"))
    session.close()
    with open_project(project_path, assessor="anna") as again:
        again.execute(say(0, doc(again, "d1")))
        assert own(again, 0, "d1") is None or own(again, 0, "d1").note == ""
        again.undo()
        assert own(again, 0, "d1").note == "Another language"


def test_a_note_that_came_with_an_import_is_no_reason(session):
    """Nothing tells the two apart in a file: it stays."""
    text = "query,document,assessor,grade,state,note\n1,d1,anna,,cannot_judge,behind a login\n"
    import_readings(session, [read_text(text, source="judgments.csv")])
    session.execute(Say.grade(0, doc(session, "d1"), 1))
    assert own(session, 0, "d1").note == "behind a login"


def test_the_note_of_what_is_settled_is_left(session):
    """What is said there is why it is settled so, and stays until another reason is given."""
    document = doc(session, "d1")
    session.execute(settle(0, document, None, reason="torn"))
    session.execute(settle(0, document, 1))
    said = session.opinions(0)[document]
    assert [(each.judgment.grade, each.judgment.note) for each in said] == [(1, "torn")]
