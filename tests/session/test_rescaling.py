"""Another scale for a project with judgments: counted, previewed, done, undone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.scale import SCALE_PRESETS, scale_preset
from judgetool.session.commands import Say, SetScale, SetValues, set_measures
from judgetool.session.comparing.snapshots import create_snapshot, snapshot_key
from judgetool.session.edits import (
    count_assumed_grades,
    count_grades,
    preview_scale,
    propose_mapping,
)
from judgetool.session.systems import System
from judgetool.session.whatifs.book import engine_key_of, load_query_steps, query_key, whatif_book
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from tests.helpers.builders import open_sample


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with open_sample(tmp_path_factory.mktemp("sample")) as opened:
        yield opened


def test_judgments_are_counted_by_grade(session):
    """The counts are those of all assessors, and add up to everything graded."""
    counts = count_grades(session)
    grades = [opinion.judgment.grade for _, _, opinion, _ in session.iter_judgments()]
    assert counts == {grade: grades.count(grade) for grade in sorted({*grades} - {None})}


@given(name=st.sampled_from(list(SCALE_PRESETS)), grades=st.sets(st.floats(-2, 9), max_size=8))
def test_every_lost_grade_is_proposed_one_of_the_scale(name, grades):
    """What is proposed covers exactly the grades that go, with grades that the scale has."""
    scale = scale_preset(name)
    mapping = propose_mapping(scale, dict.fromkeys(grades, 1))
    assert set(mapping) == {grade for grade in grades if not scale.has_grade(grade)}
    assert all(scale.has_grade(goal) for goal in mapping.values())


def test_the_preview_says_what_then_happens(session):
    """Previewed means are the means after the change; before it nothing has changed."""
    scale = scale_preset("binary")
    mapping = {2.0: 1.0, 3.0: 0.0}
    before = [session.board.engine.means(run.run_id) for run in session.material.runs]
    changes = preview_scale(session, scale, mapping)
    assert [session.board.engine.means(run.run_id) for run in session.material.runs] == before
    session.execute(SetScale(scale, mapping))
    after = [
        mean.value
        for run in session.material.runs
        for mean in session.board.engine.means(run.run_id)
    ]
    assert [change.then for change in changes] == pytest.approx(after, nan_ok=True)
    session.undo()
    assert [session.board.engine.means(run.run_id) for run in session.material.runs] == before


@pytest.fixture
def assuming(tmp_path):
    """The sample with a what-if that assumes grade 3 of a document, and grade 1 of another."""
    with open_sample(tmp_path) as opened:
        run = opened.material.runs[0].run_id
        whatif = create_whatif(opened, "dreamt", run)
        ranked = opened.material.ranked_documents(run, 0).tolist()
        fresh = [each for each in ranked if each not in opened.board.settled(0)]
        for document, grade in zip(fresh, (3.0, 1.0), strict=False):
            assume_grade(opened, whatif, 0, document, grade)
        yield opened, whatif, fresh[:2]


def test_assumed_grades_follow_the_judgments(assuming):
    """They become what judgments of that grade become, in the same step, and go back with it."""
    session, whatif, (first, second) = assuming
    assert count_assumed_grades(session) == {3.0: 1, 1.0: 1}
    session.execute(SetScale(scale_preset("binary"), {1.0: 0.0, 2.0: 1.0, 3.0: 1.0}))
    assert load_query_steps(session, whatif, 0).grades == {first: 1.0, second: 0.0}
    session.undo()
    assert load_query_steps(session, whatif, 0).grades == {first: 3.0, second: 1.0}


def test_an_assumed_grade_that_becomes_nothing_goes(assuming):
    """Where no judgment has the grade nothing need be said of it: it is assumed no more."""
    session, whatif, (first, second) = assuming
    session.execute(SetScale(scale_preset("0-4")))
    assume_grade(session, whatif, 0, first, 4.0)
    session.execute(SetScale(scale_preset("0-3")))
    assert count_assumed_grades(session) == {1.0: 1}
    assert load_query_steps(session, whatif, 0).grades == {second: 1.0}


def test_an_assumed_grade_of_another_scale_does_not_count(assuming):
    """Merged from a copy with more levels it is as if nothing was assumed: no value is lost."""
    session, whatif, (first, _second) = assuming
    book, (query,) = whatif_book(session), session.material.queries[:1]
    assume_grade(session, whatif, 0, first, None)
    key = engine_key_of(session, System("what-if", whatif, "dreamt"))
    before = session.board.engine.value(key, 0)
    kept = session.value(query_key(whatif, query.id))
    grades = {**kept["grades"], session.material.document_id(first): 7.0}
    session.execute(SetValues({query_key(whatif, query.id): {**kept, "grades": grades}}, "Merge"))
    assert session.board.engine.value(key, 0) == before
    assert first not in book.assumed(whatif)[0]


def test_an_assumed_grade_of_a_scale_that_was_taken_back_does_not_count(assuming):
    """Who assumed it is another than who takes back the scale that had it."""
    session, whatif, (first, _second) = assuming
    mine, assumed = session.assessor, whatif_book(session).assumed
    session.execute(Say.grade(1, first, 1.0))
    session.execute(SetScale(scale_preset("0-4")))
    session.assessor = "somebody else"
    session.execute(Say.grade(1, first, 1.0))
    assume_grade(session, whatif, 0, first, 4.0)
    assert assumed(whatif)[0][first] == 4.0
    session.assessor = mine
    session.undo()
    assert not session.scale.has_grade(4.0)
    assert first not in assumed(whatif)[0]


def test_a_snapshot_keeps_what_was_assumed(assuming):
    """It has the scale of its day, and the grades on that."""
    session, whatif, _documents = assuming
    session.execute(set_measures(("ERR@10",)))
    snapshot = create_snapshot(session, "before")

    def value():
        board, key = snapshot_key(session, System("what-if", whatif, "dreamt", snapshot))
        return board.engine.value(key, 0)

    before = value()
    session.execute(SetScale(scale_preset("binary"), {2.0: 1.0, 3.0: 1.0}))
    assert value() == before
    assert before[0].value > 0
