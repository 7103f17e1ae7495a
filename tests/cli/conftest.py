"""Projects for the commands' tests."""

import pytest

from tests.helpers.program import must, sample_project


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The bundled sample as a project; tests only look at it."""
    return sample_project(tmp_path_factory.mktemp("sample") / "recipes.judge")


@pytest.fixture
def empty(tmp_path):
    """An empty project with grades 0 to 3."""
    path = tmp_path / "empty.judge"
    must("new", path)
    return path
