"""Renaming runs and taking them out: what uses them is named, and Undo brings all back."""

import pytest

from judgetool.errors import CommandRefusedError
from judgetool.session.commands import Say
from judgetool.session.comparing.snapshots import create_snapshot, find_snapshot, present_systems
from judgetool.session.comparing.system_values import (
    Baseline,
    find_baseline,
    place_of_system,
    set_baseline,
)
from judgetool.session.edits import delete_run, describe_uses, rename_run, uses_of_run
from judgetool.session.finding import Filter, save_view, saved_views
from judgetool.session.imports.importing import import_readings, plan_import
from judgetool.session.imports.plan import ImportChoices
from judgetool.session.opening import open_project
from judgetool.session.pool import PoolPolicy
from judgetool.session.queue import choose_pool
from judgetool.session.safety import check_project
from judgetool.session.whatifs.book import whatif_book
from judgetool.session.whatifs.editing import create_whatif
from tests.session.conftest import run_reading
from tests.session.whatif_projects import find_system, project, run_id  # noqa: F401 - a fixture


def names(session):
    """Names of what can be compared."""
    return [each.name for each in present_systems(session)]


def means(session, system):
    """A system's means."""
    place = place_of_system(session, system)
    return [mean.value for mean in place.engine.means(place.key)]


def test_another_name_is_kept(project):  # noqa: F811
    """The new name is there at once and after reopening, and Undo takes it back."""
    rename_run(project, run_id(project, "beta"), "dense")
    assert names(project) == ["alpha", "dense", "gamma"]
    path = project.path
    project.close()
    with open_project(path, assessor="anna") as again:
        assert names(again) == ["alpha", "dense", "gamma"]
        again.undo()
        assert names(again) == ["alpha", "beta", "gamma"]


def test_a_name_that_is_taken_is_refused(project):  # noqa: F811
    """Two runs of one name could not be told apart."""
    with pytest.raises(CommandRefusedError):
        rename_run(project, run_id(project, "beta"), "alpha")


def test_whatifs_and_baseline_follow_the_name(project):  # noqa: F811
    """What was made from a run, or is compared with it, still is under its other name."""
    number = run_id(project, "beta")
    whatif = create_whatif(project, "tried", number)
    set_baseline(project, Baseline.of_system(find_system(project, "beta")))
    rename_run(project, number, "dense")
    assert find_baseline(project).system.name == "dense"
    assert list(whatif_book(project).block(whatif).documents) == list(
        project.material.block(number).documents
    )


def test_saved_views_follow_the_name(project):  # noqa: F811
    """In the same step: Undo gives them the former name again."""
    chips = (Filter("run", "beta"), Filter("run", "alpha", is_not=True))
    project.execute(save_view("two", chips))
    rename_run(project, run_id(project, "beta"), "dense one")
    assert saved_views(project) == {"two": (Filter("run", "dense one"), chips[1])}
    project.undo()
    assert saved_views(project) == {"two": chips}


def test_a_run_taken_out_is_gone_and_comes_back(project):  # noqa: F811
    """It leaves lists and tables with the what-ifs made from it; Undo brings both back."""
    number = run_id(project, "beta")
    create_whatif(project, "tried", number)
    before = names(project)
    delete_run(project, number)
    assert names(project) == ["alpha", "gamma"]
    project.undo()
    assert names(project) == before


def test_judgments_survive_their_run(project):  # noqa: F811
    """Taking a run out touches no judgment, and judging goes on."""
    before = project.iter_judgments()
    delete_run(project, run_id(project, "alpha"))
    assert project.iter_judgments() == before
    document = project.material.find_document("d3")
    project.execute(Say.grade(0, document, 1.0))
    assert len(project.iter_judgments()) == len(before) + 1


def test_a_snapshot_keeps_its_run(project):  # noqa: F811
    """A snapshot that holds the run has the same values as before."""
    snapshot = find_snapshot(project, create_snapshot(project, "march"))
    held = next(each for each in snapshot.systems if each.name == "beta")
    before = means(project, held)
    delete_run(project, run_id(project, "beta"))
    assert means(project, held) == before


def test_what_uses_a_run_is_named(project):  # noqa: F811
    """What-ifs, snapshots and the baseline are told before it goes."""
    number = run_id(project, "beta")
    create_whatif(project, "tried", number)
    create_snapshot(project, "march")
    set_baseline(project, Baseline.of_system(find_system(project, "beta")))
    assert uses_of_run(project, number) == (("tried",), ("march",), True)
    assert describe_uses(project, number).endswith("It is the baseline; there is none then.")
    delete_run(project, number)
    assert project.value("baseline") is None
    with pytest.raises(CommandRefusedError, match="run is no longer"):
        delete_run(project, number)


def test_what_becomes_of_the_pool_is_said_before_a_run_goes(project):  # noqa: F811
    """So many documents as the pool has then; nothing where it stays."""
    number = run_id(project, "beta")
    create_whatif(project, "tried", number)
    said, now = describe_uses(project, number), project.board.total_progress().total
    delete_run(project, number)
    then = project.board.total_progress().total
    assert then < now
    assert f"The pool becomes {then} documents; now it is {now}." in said
    project.execute(choose_pool(project, PoolPolicy("depth", runs=("alpha",))))
    assert "pool" not in describe_uses(project, run_id(project, "gamma"))


def test_a_run_of_the_same_name_can_be_replaced(project):  # noqa: F811
    """What-if and baseline go over to the new run; one undo brings the old one back."""
    number = run_id(project, "beta")
    whatif = create_whatif(project, "tried", number)
    set_baseline(project, Baseline.of_system(find_system(project, "beta")))
    before = list(project.material.block(number).documents)
    reading = run_reading("beta", {project.material.queries[0].id: ["d3", "d1"]})
    plan = plan_import(project, [reading])
    (question,) = plan.files[0].questions
    assert (question.name, question.answer, question.is_open) == ("runs", "keep", False)
    assert [name for name, _, _ in plan.runs] == ["beta (2)"]
    import_readings(project, [reading], choices=ImportChoices(answers={"runs": "replace"}))
    fresh = run_id(project, "beta")
    assert fresh != number
    assert names(project) == ["alpha", "gamma", "beta", "tried"]
    assert list(whatif_book(project).block(whatif).documents) == list(
        project.material.block(fresh).documents
    )
    assert find_baseline(project).system.id == str(fresh)
    assert uses_of_run(project, fresh).whatifs == ("tried",)
    project.undo()
    assert run_id(project, "beta") == number
    assert list(whatif_book(project).block(whatif).documents) == before
    assert find_baseline(project).system.id == str(number)
    project.redo()
    assert run_id(project, "beta") == fresh
    assert check_project(project.path).problems == []


def test_of_two_runs_of_a_name_in_one_import_the_first_replaces(project):  # noqa: F811
    """The other stands beside it under a number."""
    query = project.material.queries[0].id
    readings = [run_reading("beta", {query: [each]}) for each in ("d4", "d5")]
    plan = import_readings(project, readings, choices=ImportChoices(answers={"runs": "replace"}))
    assert [name for name, _, _ in plan.runs] == ["beta", "beta (2)"]
    assert names(project) == ["alpha", "gamma", "beta", "beta (2)"]
