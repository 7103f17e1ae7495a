"""Who goes about in the window at random meets no fault, and nothing on the screen is of before."""

import pytest

from tests.gui.wandered import is_painted_anew, wander
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import (
    awkward_large_parts,
    lay_judged_sample,
    make_project,
    simple_parts,
)


def go(qtbot, path, seed, steps):
    """Go about; what fails, is logged, or stays on the screen though it is another fails the test."""
    stale = []

    def look(name, shown):
        if not is_painted_anew(shown):
            stale.append(name)

    with opened_window(qtbot, path) as window:
        wander(window, look, seed=seed, steps=steps)
    assert stale == []


def test_in_the_sample(qtbot, tmp_path):
    """What is judged already, by several, with three runs."""
    go(qtbot, lay_judged_sample(tmp_path), 11, 120)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [12, 14, 15])
def test_for_long_in_the_sample(qtbot, tmp_path, seed):
    """Where what is begun here is ended there."""
    go(qtbot, lay_judged_sample(tmp_path), seed, 400)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(20, 30))
def test_for_long(qtbot, tmp_path, seed):
    """In an awkward project, where many things come and go on the way."""
    with make_project(tmp_path, awkward_large_parts()) as session:
        path = session.path
    go(qtbot, path, seed, 400)


def hurry(qtbot, folder, parts, seed, steps):
    """Go about in a project without waiting for what is worked out."""
    with make_project(folder, parts) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        wander(window, lambda _name, _shown: None, seed=seed, steps=steps, hurries=True)
        qtbot.waitUntil(lambda: window.schedule.is_settled and window.jobs.is_idle)


def test_in_a_hurry(qtbot, tmp_path):
    """The next act comes while the one before is still worked out."""
    hurry(qtbot, tmp_path, simple_parts(n_queries=2, n_documents=3), 6, 300)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(1, 4))
def test_for_long_in_a_hurry(qtbot, tmp_path, seed):
    """Where a run, or all that was imported, may be gone meanwhile."""
    hurry(qtbot, tmp_path, simple_parts(n_queries=2, n_documents=3), seed, 500)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(7, 9))
def test_for_long_in_a_hurry_among_many(qtbot, tmp_path, seed):
    """In an awkward project."""
    hurry(qtbot, tmp_path, awkward_large_parts(), seed, 500)
