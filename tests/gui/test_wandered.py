"""Who goes about in the window at random meets no fault, and nothing on the screen is of before."""

import pytest

from tests.gui.wandered import is_painted_anew, wander
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import awkward_large_parts, lay_judged_sample, make_project


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
