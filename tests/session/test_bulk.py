"""Grading many documents at once, with a look at what it would change."""

import pytest

from judgetool.core.judgments import State
from judgetool.session.commands import Say
from judgetool.session.edits import plan_bulk, unjudged_below


def docs(session, *names):
    return [session.material.find_document(name) for name in names]


def grades(session, query):
    return {
        document: opinion.judgment.grade
        for document, opinions in session.opinions(query).items()
        for opinion in opinions
        if opinion.assessor == session.assessor
    }


def test_plan_says_what_would_change(session):
    """New grades, equal ones and others are told apart before anything is done."""
    d1, d2, d3, d9 = docs(session, "d1", "d2", "d3", "d9")
    session.execute(Say.grade(0, d1, 1))
    session.execute(Say.grade(0, d2, 3))
    session.execute(Say.cannot_judge(0, d3))
    plan = plan_bulk(session, 0, [d1, d2, d3, d9, d9], 1)
    assert (plan.changes, plan.already, plan.cannot_judge) == (2, 1, 1)
    assert (plan.regraded, plan.n_regraded) == ({3: 1}, 1)


def test_plan_does_what_it_says_in_one_step(session):
    """Executing it changes just what was counted, and one Undo takes all of it back."""
    d1, d2, d3 = documents = docs(session, "d1", "d2", "d3")
    session.execute(Say.grade(0, d1, 3))
    plan = plan_bulk(session, 0, documents, 0)
    changed = session.execute(plan.command)
    assert len(changed.judgments) == plan.changes + plan.n_regraded
    assert grades(session, 0) == {d1: 0, d2: 0, d3: 0}
    session.undo()
    assert grades(session, 0) == {d1: 3}


def test_nothing_to_change_needs_no_command(session):
    """Documents that have the grade already make no command."""
    (d1,) = docs(session, "d1")
    session.execute(Say.grade(0, d1, 3))
    assert plan_bulk(session, 0, [d1], 3).command is None
    assert plan_bulk(session, 0, [], 3).command is None


def test_plan_looks_at_the_assessors_own_judgments(session):
    """What somebody else said is not regraded by it."""
    (d1,) = docs(session, "d1")
    session.execute(Say.grade(0, d1, 3))
    session.assessor = "ben"
    plan = plan_bulk(session, 0, [d1], 0)
    assert (plan.changes, plan.regraded) == (1, {})


@pytest.mark.parametrize(("place", "expected"), [(-1, ["d1", "d9"]), (0, ["d9"]), (3, []), (9, [])])
def test_unjudged_below_a_place(session, place, expected):
    """Judged documents and those that cannot be judged are left out; skipped ones are not."""
    documents = docs(session, "d1", "d2", "d3", "d9")
    session.execute(Say.grade(0, documents[1], 2))
    session.execute(Say.cannot_judge(0, documents[2]))
    session.execute(Say.skip(0, documents[3]))
    assert session.opinions(0)[documents[3]][0].judgment.state is State.SKIPPED
    assert unjudged_below(session, 0, documents, place) == docs(session, *expected)
