"""Which of several judgments is the latest: by step, and within an import by the file's own times."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import VIEW_RULES, Said, view_rule
from judgetool.core.scale import scale_preset
from judgetool.formats import read_text
from judgetool.session.commands import Say, SetScale
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.plan import Conflicts, ImportChoices
from judgetool.session.opening import create_project, open_project
from judgetool.session.safety import check_project
from judgetool.session.team.agreement import set_counts
from judgetool.storage.history import load_settled_as_of
from judgetool.storage.judgments import load_settled
from tests.helpers.laws import examples

TIMES = ("2020-01-01T00:00:00Z", "2021-06-01T12:00:00Z", "2022-03-04T05:06:07Z")


def line(assessor, grade, at, document="d1"):
    said = {"query": "1", "document": document, "assessor": assessor, "grade": grade}
    if grade is None:
        said["state"] = "cannot_judge"
    if assessor in ("model", "settled"):
        said["assessor_kind"] = assessor
    return json.dumps(said | ({"at": at} if at else {})) + "\n"


def bring(session, lines, conflicts=Conflicts.MINE):
    reading = read_text("".join(lines))
    import_readings(session, [reading], choices=ImportChoices(conflicts=conflicts))


def counted(session):
    """What counts of query 1, by document id."""
    settled = session.board.settled(session.material.find_query("1"))
    return {session.material.document_id(each): found.grade for each, found in settled.items()}


@pytest.fixture
def empty(tmp_path):
    path = tmp_path / "p.judge"
    create_project(path, scale=scale_preset("0-3"))
    with open_project(path, assessor="me") as session:
        yield session


def test_within_an_import_the_latest_time_counts(empty):
    """Of a merged file's grades of one document the one given last counts, not the highest."""
    bring(empty, [line("ben", 3, TIMES[0]), line("eva", 1, TIMES[2]), line("kim", 2, TIMES[1])])
    assert counted(empty) == {"d1": 1}
    with open_project(empty.path, read_only=True) as again:
        assert counted(again) == {"d1": 1}


def test_what_has_no_time_was_said_when_it_was_imported(empty):
    """Beside grades with times one without is the latest; of equal ones the highest counts."""
    bring(empty, [line("ben", 3, TIMES[0]), line("eva", 1, None), line("kim", 0, None)])
    assert counted(empty) == {"d1": 1}


def test_a_later_step_goes_before_any_time(empty):
    """What is said here afterwards is later, whatever the file's clock says."""
    bring(empty, [line("ben", 3, "2099-01-01T00:00:00Z")])
    query = empty.material.find_query("1")
    empty.execute(Say.grade(query, empty.material.find_document("d1"), 0))
    assert counted(empty) == {"d1": 0}


@pytest.mark.parametrize(
    "beside",
    [
        lambda *place: Say.note(*place, "seen again"),
        lambda *place: Say.flag(*place, True),
        lambda *place: Say.confidence(*place, 1),
    ],
)
def test_what_is_added_beside_a_grade_makes_it_no_later(empty, beside):
    """Who gave it when stays; so it does once that is undone and redone."""
    bring(empty, [line("ben", 3, TIMES[0])])
    place = empty.material.find_query("1"), empty.material.find_document("d1")
    empty.execute(Say.grade(*place, 0))
    empty.assessor = "ben"
    empty.execute(Say.grade(*place, 2))
    empty.assessor = "me"
    said = list(load_settled(empty.reader))
    for change in (lambda: empty.execute(beside(*place)), empty.undo, empty.redo):
        change()
        assert counted(empty) == {"d1": 2}
        assert list(load_settled(empty.reader)) == said == list(load_settled_as_of(empty.reader))
    empty.execute(Say.grade(*place, 1))
    assert counted(empty) == {"d1": 1}


def test_undo_brings_back_when_it_was_said(empty):
    """A grade that was given again, and taken back, is as old as it was; so it is when redone."""
    bring(empty, [line("ben", 3, TIMES[0]), line("eva", 1, TIMES[1])])
    before = list(load_settled(empty.reader))
    bring(empty, [line("ben", 2, TIMES[2])], Conflicts.THEIRS)
    after = list(load_settled(empty.reader))
    assert counted(empty) == {"d1": 2}
    empty.undo()
    assert counted(empty) == {"d1": 1}
    assert list(load_settled(empty.reader)) == before == list(load_settled_as_of(empty.reader))
    empty.redo()
    assert list(load_settled(empty.reader)) == after == list(load_settled_as_of(empty.reader))
    with open_project(empty.path, read_only=True) as again:
        assert counted(again) == {"d1": 2}


def test_undo_of_a_judgment_brings_back_the_time_of_a_file(empty, tmp_path):
    """Who regrades what they had imported, and takes it back, does not become the latest."""
    bring(empty, [line("me", 3, TIMES[0]), line("eva", 1, TIMES[1])])
    query, document = empty.material.find_query("1"), empty.material.find_document("d1")
    empty.execute(Say.grade(query, document, 0))
    assert counted(empty) == {"d1": 0}
    empty.undo()
    assert counted(empty) == {"d1": 1}
    with open_project(empty.path, read_only=True) as again:
        assert counted(again) == {"d1": 1}


def test_another_scale_changes_neither_times_nor_which_is_the_latest(tmp_path):
    """A mapped grade is as old as it was: another assessor's later one goes on counting."""
    path = tmp_path / "p.judge"
    create_project(path, scale=scale_preset("0-3"))
    with open_project(path, assessor="ben") as session:
        bring(session, [line("kim", 0, TIMES[0])])
        query, document = session.material.find_query("1"), session.material.find_document("d1")
        session.execute(Say.grade(query, document, 3))
    with open_project(path, assessor="eva") as session:
        session.execute(Say.grade(query, document, 1))
        before = list(load_settled(session.reader))
        session.execute(SetScale(scale_preset("binary"), {3.0: 0.0}))
        assert counted(session) == {"d1": 1}
        mapped = list(load_settled(session.reader))
        assert [row[3] for row in mapped] == [0, 0, 1]
        assert [row[4:] for row in mapped] == [row[4:] for row in before]
        session.undo()
        assert list(load_settled(session.reader)) == before
        session.redo()
        assert list(load_settled(session.reader)) == mapped
        assert list(load_settled_as_of(session.reader)) == mapped
    assert check_project(path).problems == []
    with open_project(path, read_only=True) as again:
        assert counted(again) == {"d1": 1}


SAID = st.lists(
    st.tuples(
        st.sampled_from(["ben", "eva", "kim", "ann"]),
        st.sampled_from(["d1", "d2"]),
        st.integers(0, 3),
        st.sampled_from([*TIMES, None]),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda said: said[:2],
)


@given(st.data(), SAID)
@settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_the_order_of_lines_plays_no_part(tmp_path_factory, data, said):
    """The same lines in any order give the same judgments, under every view."""
    found = []
    for lines in (said, data.draw(st.permutations(said))):
        path = tmp_path_factory.mktemp("order") / "p.judge"
        create_project(path, scale=scale_preset("0-3"))
        with open_project(path) as session:
            bring(session, [line(who, grade, at, document) for who, document, grade, at in lines])
            views = {}
            for view in VIEW_RULES:
                session.set_view(view)
                views[view] = counted(session)
            found.append(views)
    assert found[0] == found[1]


def test_the_rule_reads_step_then_time_then_grade():
    """The rule itself, with the same answer for every order."""
    fold = view_rule("latest").fold
    said = [Said(3, 1, 9), Said(0, 2, 5), Said(1, 2, 7), Said(2, 2, 7)]
    assert fold(said) == fold(said[::-1]) == 2


def test_how_many_grades_of_one_time_differ_is_known_while_the_latest_counts(empty):
    """It follows judgments, Undo and the view, and is the same when the project is opened again."""
    lines = [line("ben", 3, None), line("eva", 1, None)]
    lines += [line(who, grade, None, "d2") for who, grade in (("ben", 2), ("eva", 0))]
    bring(empty, [*lines, line("ben", 2, None, "d3"), line("eva", 2, None, "d3")])
    assert empty.board.n_tied == 2
    query = empty.material.find_query("1")
    empty.execute(Say.grade(query, empty.material.find_document("d1"), 0))
    assert empty.board.n_tied == 1
    empty.undo()
    assert empty.board.n_tied == 2
    empty.set_view("median")
    assert empty.board.n_tied == 0
    empty.set_view("latest")
    assert empty.board.n_tied == 2
    with open_project(empty.path, read_only=True) as again:
        assert again.board.n_tied == 2


def test_majority_is_the_highest_of_grades_that_as_many_gave_at_one_time(empty):
    """It is tied, and its help says it, where equally many gave each and no time says which is later."""
    lines = [line("ben", 0, None), line("eva", 3, None)]
    lines += [
        line(who, grade, None, "d2") for who, grade in zip("abcde", (0, 0, 1, 1, 3), strict=True)
    ]
    lines += [line(who, grade, None, "d3") for who, grade in zip("abc", (0, 0, 3), strict=True)]
    lines += [line("ben", 3, TIMES[0], "d4"), line("eva", 0, TIMES[1], "d4")]
    bring(empty, lines)
    assert empty.board.n_tied == 3
    empty.set_view("majority")
    assert counted(empty) == {"d1": 3, "d2": 1, "d3": 0, "d4": 0}
    assert empty.board.n_tied == 2
    assert "of equal times the highest" in view_rule("majority").help
    query = empty.material.find_query("1")
    empty.execute(Say.grade(query, empty.material.find_document("d1"), 0))
    assert empty.board.n_tied == 1


def overruled(plan):
    """Of which documents graded here a file's judgment counts afterwards: who said what, who says what."""
    return {
        each.theirs.document_id: (
            each.assessor,
            each.grade,
            each.theirs.assessor,
            each.theirs.judgment.grade,
        )
        for report in plan.files
        for each in report.overruled
    }


def test_what_an_import_overrules_is_known_before(empty):
    """Of each document graded here of which another grade counts afterwards, whatever the file's times."""
    bring(empty, [line("ben", 0, None, document) for document in ("d1", "d2", "d3", "d4", "d5")])
    bring(empty, [line("settled", 2, None, "d5")])
    lines = [line("eva", 3, TIMES[0]), line("kim", 1, TIMES[1])]
    lines += [line("eva", 0, None, "d2"), line("model", 3, None, "d3"), line("ben", 2, None, "d4")]
    plan = plan_import(
        empty,
        [read_text("".join([*lines, line("eva", 1, None, "d5"), line("eva", 1, None, "d6")]))],
        choices=ImportChoices(conflicts=Conflicts.THEIRS),
    )
    assert overruled(plan) == {"d1": ("ben", 0, "kim", 1)}
    assert plan.n_conflicts == 1


def test_what_settles_overrules_what_is_said_here(empty):
    """Known answers count whatever was said, also where they say that nothing can be judged."""
    bring(empty, [line("ben", 0, None), line("ben", 1, None, "d2")])
    plan = plan_import(
        empty, [read_text(line("settled", 2, None) + line("settled", None, None, "d2"))]
    )
    assert overruled(plan) == {"d1": ("ben", 0, "settled", 2), "d2": ("ben", 1, "settled", None)}
    assert plan.files[0].n_settling == 2


MIXED = st.lists(
    st.tuples(
        st.sampled_from(["ben", "eva", "kim", "model", "settled"]),
        st.sampled_from(["d1", "d2"]),
        st.sampled_from([0, 1, None]),
        st.sampled_from([*TIMES, "2099-01-01T00:00:00Z", None]),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda said: said[:2],
)


@given(
    st.lists(MIXED, max_size=3),
    st.lists(MIXED, min_size=1, max_size=2),
    st.sampled_from(list(Conflicts)),
    st.sampled_from([{}, {"model": True}, {"kim": False}]),
)
@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_what_an_import_overrules_is_what_counts_otherwise_after_it(
    tmp_path_factory, before, files, conflicts, counts
):
    """All that the board counts otherwise is told: as overruled, or as one's own conflict."""
    path = tmp_path_factory.mktemp("overruled") / "p.judge"
    create_project(path, scale=scale_preset("0-3"))
    everybody = [("ben", "d0", 1, None), ("kim", "d0", 1, None), ("model", "d0", 1, None)]
    with open_project(path, assessor="me") as session:
        for said in (everybody, *before):
            bring(session, [line(who, grade, at, doc) for who, doc, grade, at in said])
        set_counts(session, counts)
        readings = [
            read_text(
                "".join(line(who, grade, at, doc) for who, doc, grade, at in said), source=name
            )
            for name, said in zip(("a.jsonl", "b.jsonl"), files, strict=False)
        ]
        was, givers = counted(session), givers_of(session)
        plan = import_readings(session, readings, choices=ImportChoices(conflicts=conflicts))
        is_now = counted(session)
        other = {doc for doc, grade in was.items() if grade is not None and is_now[doc] != grade}
        told = overruled(plan)
        assert len(told) == plan.n_overruled
        assert told.keys() <= other
        for document, (who, grade, _by, grade_now) in told.items():
            assert (grade, grade_now) == (was[document], is_now[document])
            assert who in givers[document]
        own = {
            (each.theirs.document_id, each.theirs.assessor)
            for report in plan.files
            for each in report.conflicts
        }
        for document in other - told.keys():
            assert {(document, who) for who in givers[document]} & own


def givers_of(session):
    """Who may have given the grade that counts of query 1, by document id."""
    said = {}
    for _query, number, opinion, _step in session.iter_judgments():
        said.setdefault(session.material.document_id(number), []).append(opinion)
    return {
        document: {
            each.assessor for each in said[document] if each.judgment.grade == grade is not None
        }
        for document, grade in counted(session).items()
    }
