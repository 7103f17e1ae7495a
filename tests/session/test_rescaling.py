"""Another scale for a project with judgments: counted, previewed, done, undone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.scale import SCALE_PRESETS, scale_preset
from judgetool.session.commands import SetScale
from judgetool.session.edits import count_grades, preview_scale, propose_mapping
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
