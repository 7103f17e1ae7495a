"""What the event log tells: steps, lines, any moment, and going back to a step."""

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from judgetool.core.clock import utc_ms
from judgetool.core.judgments import Query
from judgetool.core.scale import scale_preset
from judgetool.formats import JudgmentTable, Kind, Reading
from judgetool.session.commands import Say, WorkCancelledError, set_title
from judgetool.session.history import (
    load_history,
    preview_undo_to,
    title_in_words,
)
from judgetool.session.imports.importing import (
    import_readings,
    plan_import,
    write_import,
)
from judgetool.session.opening import create_project, open_project
from judgetool.storage.check import find_problems
from judgetool.storage.history import load_judgments_as_of, load_moments, load_settled_as_of
from judgetool.storage.judgments import load_judgments, load_settled
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.events import load_events
from tests.helpers.laws import examples


@pytest.fixture
def session(tmp_path):
    with make_project(tmp_path, simple_parts()) as opened:
        yield opened


def doc(session, name):
    return session.material.find_document(name)


def judgments_reading(rows, *, name="judgments.csv"):
    table = JudgmentTable(
        query_ids=[row[0] for row in rows],
        document_ids=[row[1] for row in rows],
        assessors=[row[2] for row in rows],
        grades=[row[3] for row in rows],
        states=[None] * len(rows),
        notes=[""] * len(rows),
        lines=list(range(1, len(rows) + 1)),
    )
    return Reading(name, Kind.JUDGMENTS, "judgments", judgments=table)


def present(session):
    return [(key, stored[:2]) for key, stored in load_judgments(session._file.reader)]


def as_of(session, **moment):
    found = load_judgments_as_of(session._file.reader, **moment)
    return [(key, stored[:2]) for key, stored in found]


def top_event(session):
    return session._file.reader.execute("SELECT coalesce(max(event_id), 0) FROM events").get


def test_history_lists_steps_newest_first_in_pages(session):
    """Each step has its title, assessor, state, and what it touched; pages join up."""
    session.execute(Say.grade(1, doc(session, "d1"), 2))
    session.execute(set_title("Soups"))
    session.undo()
    first, second, *rest = load_history(session, limit=50)
    assert (first.kind, first.state, first.n_judgments) == ("project", "undone", 0)
    assert (second.assessor, second.state, second.n_judgments) == ("anna", "done", 1)
    assert rest[-1].kind == "new"
    pages = load_history(session, limit=2)
    pages += load_history(session, limit=50, before=pages[-1].step_id)
    assert pages == [first, second, *rest]


def test_a_project_with_a_title_is_made_in_one_step(tmp_path):
    """Its scale and its title are one thing that was done."""
    path = tmp_path / "titled.judge"
    create_project(path, scale=scale_preset("0-3"), title="Soups")
    with open_project(path, assessor="anna") as session:
        assert session.title == "Soups"
        assert [row.title for row in load_history(session, limit=9)] == ["New project"]


def test_events_tell_everything_that_was_noted(session):
    """A line has who, what before and after, how long it took and what was on the screen."""
    session.execute(
        Say.grade(0, doc(session, "d2"), 3), origin="key", spent_ms=1500, shown={"rank": 2}
    )
    session.undo()
    judged, undone = load_events(session)
    assert (judged.query, judged.query_id, judged.document_id) == (0, "q0", "d2")
    assert (judged.spent_ms, judged.shown, judged.origin) == (1500, {"rank": 2}, "key")
    assert (judged.before, judged.after.grade) == (None, 3.0)
    assert (undone.origin, undone.before.grade, undone.after) == ("undo", 3.0, None)


def test_going_back_is_one_change_told_once(session):
    """Several steps are taken back together, and each can be redone by itself."""
    session.execute(Say.grade(0, doc(session, "d1"), 1))
    stays = session.undo_step.step_id
    session.execute(Say.grade(0, doc(session, "d1"), 3))
    session.execute(set_title("Other"))
    session.execute(Say.grade(0, doc(session, "d2"), 2))
    told = []
    session.changed.connect(told.append)
    session.undo_to(stays)
    (changed,) = told
    assert changed.title == "3 steps"
    assert {document for _, document in changed.judgments} == {
        doc(session, "d1"),
        doc(session, "d2"),
    }
    assert session.title == "small"
    assert [stored.judgment.grade for _, stored in load_judgments(session._file.reader)] == [1.0]
    for _ in range(3):
        session.redo()
    assert session.title == "Other"
    assert [stored.judgment.grade for _, stored in load_judgments(session._file.reader)] == [3, 2]


def test_going_back_over_an_import_takes_it_away(session):
    """Queries, documents and judgments of an import go with it."""
    stays = session.undo_step.step_id
    queries = Reading("q.tsv", Kind.QUERIES, "queries-tsv", queries=[Query("new", "new one")])
    import_readings(session, [queries, judgments_reading([("new", "d1", "ben", 2.0)])])
    session.execute(Say.grade(3, doc(session, "d1"), 1))
    preview = preview_undo_to(session, stays)
    assert preview.takes_material
    assert len(preview.judgments) == 2
    session.undo_to(stays)
    assert len(session.material.queries) == 3
    assert present(session) == []


def test_going_back_leaves_others_alone(session, tmp_path):
    """Steps of another assessor stay, and what they changed since is counted as kept."""
    session.execute(Say.grade(0, doc(session, "d1"), 1))
    stays = load_history(session, limit=1)[0].step_id
    import_readings(session, [judgments_reading([("q0", "d1", "anna", 0.0)])])
    session.assessor = "ben"
    session.execute(Say.grade(0, doc(session, "d1"), 2))
    preview = preview_undo_to(session, stays)
    assert len(preview.steps) == 1
    assert [(j.assessor, j.now.grade) for j in preview.judgments] == [("ben", 2.0)]


def test_values_that_would_be_as_before_are_shown(session):
    """The preview names the steps that changed the project's own values."""
    stays = session.undo_step.step_id
    session.execute(set_title("One"))
    session.execute(set_title("Two"))
    assert preview_undo_to(session, stays).values == ("Rename the project",) * 2


def test_imports_count_from_their_publishing(session):
    """An import is part of the moments after it became visible, and of none before."""
    import_readings(session, [judgments_reading([("q0", "d1", "ben", 2.0)])])
    after_import = top_event(session)
    session.execute(Say.grade(0, doc(session, "d2"), 1))
    assert len(as_of(session, event_id=after_import)) == 1
    assert as_of(session, event_id=after_import - 1) == []
    assert [moment.kind for moment in load_moments(session.reader)] == ["import", "judge"]


@pytest.mark.parametrize("chunk", range(4))
def test_what_is_judged_while_an_import_is_written_stays(session, chunk):
    """A judgment made amid an import stands after it, and the log leads to just that."""
    rows = [("q0", "d1", "anna", 0.0), ("q0", "d2", "anna", 0.0)]
    plan = plan_import(session, [judgments_reading(rows)])
    asked = iter(range(100))

    def judge_meanwhile():
        if next(asked) == chunk:
            session.execute(Say.grade(0, doc(session, "d1"), 3))
        return False

    session.take_in(write_import(session, plan, is_cancelled=judge_meanwhile))
    assert next(asked) > chunk
    grades = [stored.judgment.grade for _, stored in load_judgments(session._file.reader)]
    assert grades == [3.0, 0.0]
    assert as_of(session) == present(session)
    assert find_problems(session._file.reader, session.path) == []


def test_a_cancelled_import_never_counted(session):
    """Its lines are in the log, and no moment has its judgments."""
    plan = plan_import(session, [judgments_reading([("q0", "d1", "ben", 2.0)])])
    asked = iter([False, False, True])
    with pytest.raises(WorkCancelledError):
        write_import(session, plan, is_cancelled=lambda: next(asked, True))
    assert as_of(session) == present(session) == []


def test_a_moment_by_the_clock(session):
    """The judgments as of a time are those made until then."""
    times = iter(range(utc_ms() + 10_000, utc_ms() + 10**9, 60_000))
    noted = []

    def clock():
        noted.append(next(times))
        return noted[-1]

    session.clock = clock
    for grade in (1, 2, 3):
        session.execute(Say.grade(0, doc(session, "d1"), grade))
    moments = {moment.at: moment.event_id for moment in load_moments(session.reader)}
    grades = [[said.grade for _, (said, _) in as_of(session, event_id=moments[at])] for at in noted]
    assert grades == [[1], [2], [3]]
    assert as_of(session, event_id=moments[noted[0]] - 1) == []


BY_HAND = st.one_of(
    st.tuples(st.just("judge"), st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)),
    st.tuples(
        st.sampled_from(["skip", "clear", "flag", "note"]), st.integers(0, 2), st.integers(0, 3)
    ),
    st.tuples(st.sampled_from(["undo", "redo", "swap"])),
    st.tuples(st.just("back"), st.integers(0, 6)),
)
ACTIONS = st.one_of(
    BY_HAND,
    st.tuples(
        st.just("import"),
        st.lists(
            st.tuples(
                st.sampled_from(["q0", "q1"]),
                st.sampled_from(["d0", "d1", "new"]),
                st.sampled_from(["anna", "ben"]),
                st.sampled_from([0.0, 2.0]),
            ),
            min_size=1,
            max_size=4,
            unique_by=lambda row: row[:3],
        ),
    ),
)


def act(session, action):
    name, *how = action
    commands = {"skip": Say.skip, "clear": Say.clear}
    if name == "judge":
        session.execute(Say.grade(how[0], how[1] + 1, how[2]))
    elif name in commands:
        session.execute(commands[name](how[0], how[1] + 1))
    elif name == "flag":
        session.execute(Say.flag(how[0], how[1] + 1, flagged=True))
    elif name == "note":
        session.execute(Say.note(how[0], how[1] + 1, "a note"))
    elif name == "undo":
        if session.undo_step is not None and session.undo_step.step_id > 2:
            session.undo()
    elif name == "redo":
        session.redo()
    elif name == "swap":
        session.assessor = "ben" if session.assessor == "anna" else "anna"
        session.board.book.set_assessor(session.assessor_id)
    elif name == "back":
        steps = load_history(session, limit=how[0] + 1)
        session.undo_to(max(steps[-1].step_id, 2))
    else:
        import_readings(session, [judgments_reading(how[0])])


@given(st.lists(ACTIONS, max_size=14))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_replaying_the_log_gives_the_judgments_of_any_moment(tmp_path_factory, actions):
    """After any sequence of steps, the log leads to what stands now and to what stood before."""
    with make_project(tmp_path_factory.mktemp("p"), simple_parts()) as session:
        stood = {}
        for action in actions:
            act(session, action)
            stood[top_event(session)] = present(session)
        assert as_of(session) == present(session)
        for event_id, said in stood.items():
            assert as_of(session, event_id=event_id) == said
        reader = session._file.reader
        assert list(load_settled_as_of(reader)) == list(load_settled(reader))


@given(st.lists(ACTIONS, max_size=10), st.integers(0, 8))
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_going_back_does_what_was_previewed_and_what_single_undos_do(
    tmp_path_factory, actions, n_steps
):
    """The preview, one step back over many, and repeated Undo agree."""
    with make_project(tmp_path_factory.mktemp("p"), simple_parts()) as session:
        for action in actions:
            act(session, action)
        stays = max(load_history(session, limit=n_steps + 1)[-1].step_id, 2)
        preview = preview_undo_to(session, stays)
        before = dict(present(session))
        session.undo_to(stays)
        after = dict(present(session))
        names = {name: number for number, name in session._assessor_names.items()}
        changed = {
            key
            for key in before | after
            if before.get(key, (None,))[0] != after.get(key, (None,))[0]
        }
        told = {
            (each.document, names[each.assessor])
            for each in preview.judgments
            if each.now != each.then
        }
        assert {(key.document, key.assessor) for key in changed} == told
        while session.redo_step is not None and session.redo_step.step_id > stays:
            session.redo()
        while session.undo_step is not None and session.undo_step.step_id > stays:
            session.undo()
        assert dict(present(session)) == after


@pytest.mark.parametrize(
    "kept", ["Order: the project's for {n}", "Comparing: p: Student's paired t-test, two-sided."]
)
def test_titles_of_older_projects_have_printed_apostrophes(kept):
    """What was kept with a typewriter's is read as it is written today; a name stays as it is."""
    said = title_in_words(kept.format(n="O'Hara"))
    assert said == kept.replace("'", "’").format(n="O'Hara")
