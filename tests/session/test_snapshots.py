"""Snapshots and moments: what was frozen stays, and equals a replay of the log."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgetool.core.judgments import Query
from judgetool.core.rankings import Move
from judgetool.errors import CommandRefusedError
from judgetool.session.commands import Say
from judgetool.session.comparing.snapshots import (
    board_as_of,
    create_snapshot,
    delete_snapshot,
    find_snapshot,
    load_snapshots,
    moments,
    past_values_work,
    present_systems,
    snapshot_block,
)
from judgetool.session.comparing.system_values import place_of_system
from judgetool.session.opening import open_project
from judgetool.session.systems import System
from judgetool.session.whatifs.applying import Fusion
from judgetool.session.whatifs.book import whatif_book
from judgetool.session.whatifs.editing import (
    add_step,
    assume_grade,
    create_fused,
    create_whatif,
    set_rules,
)
from tests.helpers.builders import Parts, make_project, simple_rule
from tests.helpers.laws import examples
from tests.session.whatif_projects import (
    DOCUMENTS,
    number,
    project,  # noqa: F401 - a fixture
    run_id,
    whatif_parts,
)


def means(session, system):
    """A system's means, wherever it is."""
    place = place_of_system(session, system)
    return [mean.value for mean in place.engine.means(place.key)]


def judge_at_random(session, chance, n_steps):
    """Judge, take back, undo and redo."""
    for _ in range(n_steps):
        document = number(session, chance.choice(DOCUMENTS))
        query = chance.randrange(3)
        match chance.randrange(6):
            case 0:
                session.execute(Say.clear(query, document))
            case 1:
                session.execute(Say.cannot_judge(query, document))
            case 2:
                session.undo()
            case 3:
                session.redo()
            case _:
                session.execute(Say.grade(query, document, float(chance.randrange(4))))


def test_a_snapshot_stays_whatever_comes_after(project):  # noqa: F811
    """Values of runs and what-ifs in a snapshot are those of the moment it was made."""
    whatif = create_whatif(project, "moved", run_id(project, "alpha"))
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    assume_grade(project, whatif, 0, number(project, "d1"), 3.0)
    snapshot = find_snapshot(project, create_snapshot(project, "before"))
    before = {system.key: means(project, system) for system in present_systems(project)}
    judge_at_random(project, random.Random(1), 30)
    add_step(project, whatif, 0, Move(number(project, "d4"), 1))
    for system in snapshot.systems:
        assert means(project, system) == before[f"{system.kind}:{system.id}"]


@settings(max_examples=examples(15))
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 7)), max_size=12))
def test_nothing_done_later_changes_a_snapshot(steps):
    """Judging, taking back, undo, redo and other conventions leave a snapshot's values alone."""
    with TemporaryDirectory() as folder, make_project(Path(folder), whatif_parts()) as session:
        snapshot = find_snapshot(session, create_snapshot(session, "before"))
        before = {system.key: means(session, system) for system in snapshot.systems}
        n_done = n_undone = 0
        for kind, query, place in steps:
            document = number(session, DOCUMENTS[place])
            # Further back than the judgments stands the snapshot itself.
            if kind == 0 and n_done:
                session.undo()
                n_done, n_undone = n_done - 1, n_undone + 1
            elif kind == 1 and n_undone:
                session.redo()
                n_done, n_undone = n_done + 1, n_undone - 1
            elif session.execute(Say.grade(query, document, float(kind))) is not None:
                # The grade that it has already is no step.
                n_done, n_undone = n_done + 1, 0
            assert find_snapshot(session, snapshot.id) == snapshot
            for system in snapshot.systems:
                assert means(session, system) == before[system.key]


def test_values_over_time_follow_large_imports(tmp_path):
    """What an import of thousands brings counts at its moment, and judgments after it at theirs."""
    documents = [f"d{place:02}" for place in range(60)]
    queries = [Query(f"q{place}") for place in range(20)]
    rankings = {query.id: documents for query in queries}
    judgments = [
        (query.id, name, "ben", float(place % 3))
        for query in queries
        for place, name in enumerate(documents)
    ]
    with make_project(tmp_path, Parts(queries, [], {"run": rankings}, judgments)) as session:
        system = present_systems(session)[0]
        session.execute(Say.clear(0, number(session, "d02")))
        session.execute(Say.grade(0, number(session, "d00"), 3.0))
        session.undo()
        session.execute(Say.grade(1, number(session, "d01"), 0.0))
        measure = session.measures[0]
        found = past_values_work(session, system, measure)(session.reader, None)
        assert len(found) == 4
        for past in found:
            board = board_as_of(session, past.event_id)
            assert past.value == pytest.approx(board.engine.means(int(system.id))[0].value)
            assert past.n_judged == 1_200
        assert found[-1].value == pytest.approx(means(session, system)[0])


def test_a_snapshot_survives_closing(project):  # noqa: F811
    """Opened again, a snapshot gives the same values."""
    snapshot = find_snapshot(project, create_snapshot(project, "before", note="first try"))
    judge_at_random(project, random.Random(2), 20)
    expected = [means(project, system) for system in snapshot.systems]
    path = project.path
    project.close()
    with open_project(path) as again:
        (found,) = load_snapshots(again)
        assert (found.name, found.note) == ("before", "first try")
        assert [means(again, system) for system in found.systems] == expected


def test_frozen_whatifs_keep_their_orders(project):  # noqa: F811
    """Fused, ruled and moved what-ifs come out of a snapshot as they went in."""
    fused = create_fused(
        project, "both", [run_id(project, "alpha"), run_id(project, "gamma")], Fusion()
    )
    set_rules(project, fused, [simple_rule("boost", "title", "contains", "curry", 2)])
    add_step(project, fused, 1, Move(number(project, "d2"), 1))
    before = whatif_book(project).block(fused)
    snapshot = find_snapshot(project, create_snapshot(project, "before"))
    set_rules(project, fused, [])
    frozen = next(each for each in snapshot.systems if each.kind == "what-if")
    after = snapshot_block(project, frozen)
    assert np.array_equal(after.documents, before.documents)
    assert np.array_equal(after.offsets, before.offsets)


def test_snapshots_have_names_and_are_undone(project):  # noqa: F811
    """A name is wanted and not given twice; deleting is undone."""
    made = create_snapshot(project, "one")
    with pytest.raises(CommandRefusedError):
        create_snapshot(project, "one")
    with pytest.raises(CommandRefusedError):
        create_snapshot(project, " ")
    delete_snapshot(project, made)
    assert load_snapshots(project) == []
    project.undo()
    assert find_snapshot(project, made).name == "one"


def test_values_over_time_equal_boards_of_each_moment(project):  # noqa: F811
    """The curve, made in one pass, has what a replay from the beginning gives for each moment."""
    judge_at_random(project, random.Random(3), 60)
    system, measure = present_systems(project)[0], project.measures[0]
    found = past_values_work(project, system, measure, most=1000)(project.reader, None)
    assert len(found) > 20
    for row in found:
        board = board_as_of(project, row.event_id)
        assert row.value == board.engine.means(int(system.id))[0].value
    assert found[-1].value == project.board.engine.means(int(system.id))[0].value


def test_moments_count_what_was_judged(project):  # noqa: F811
    """Moments rise to the present, thinned or not, and the newest is always there."""
    judge_at_random(project, random.Random(4), 40)
    every, few = moments(project, most=1000), moments(project, most=5)
    assert len(few) <= 6
    assert few[-1] == every[-1]
    assert set(few) <= set(every)
    graded = {
        (query, document)
        for query, document, opinion, _ in project.iter_judgments()
        if opinion.judgment.grade is not None
    }
    assert every[-1].n_judged == len(graded)


def test_a_curve_of_a_whatif_ends_at_its_mean(project):  # noqa: F811
    """Over time, a what-if's present order is followed through the judgments, with what is assumed."""
    whatif = create_whatif(project, "moved", run_id(project, "alpha"))
    add_step(project, whatif, 0, Move(number(project, "d5"), 1))
    before = means(project, System("what-if", whatif, "moved"))[0]
    assume_grade(project, whatif, 0, number(project, "d1"), 3.0)
    assert means(project, System("what-if", whatif, "moved"))[0] != before
    system = System("what-if", whatif, "moved")
    found = past_values_work(project, system, project.measures[0])(project.reader, None)
    assert found[-1].value == means(project, system)[0]
