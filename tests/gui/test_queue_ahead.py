"""The queue over all queries is there before a key asks for it."""

import pytest
from PySide6.QtCore import QObject

from judgetool.gui.jobs import Jobs
from judgetool.gui.project_view import QueueAhead
from judgetool.session.pool import PoolPolicy, set_pool
from judgetool.session.queue import OrderPolicy, fixed_queue, prepare_queue, set_order
from tests.helpers.builders import make_project, simple_parts


@pytest.fixture
def project(qtbot, tmp_path):
    """A project with a random order over all queries, its jobs, and what builds ahead."""
    jobs, owner = Jobs(), QObject()
    with make_project(tmp_path, simple_parts()) as session:
        session.execute(set_order(OrderPolicy("random", 1, across_queries=True)))
        ahead = QueueAhead(session, jobs, owner)
        qtbot.waitUntil(lambda: jobs.is_idle)
        yield session, jobs, ahead
        jobs.close()


def test_queue_is_built_when_the_project_is_shown(project):
    """Nothing is left to build for the first key."""
    session, _, _ = project
    assert prepare_queue(session) is None
    assert len(fixed_queue(session)) == 18


def test_queue_follows_pool_and_order(qtbot, project):
    """A change of either builds it anew beside the window."""
    session, jobs, _ = project
    for command in (
        set_pool(PoolPolicy("depth", 2)),
        set_order(OrderPolicy("interleaved", across_queries=True)),
    ):
        session.execute(command)
        assert prepare_queue(session) is not None
        qtbot.waitUntil(lambda: jobs.is_idle)
        assert prepare_queue(session) is None
    assert len(fixed_queue(session)) == 6


def test_closed_it_builds_nothing(project):
    """After closing, changes start no work."""
    session, jobs, ahead = project
    ahead.close()
    session.execute(set_pool(PoolPolicy("depth", 1)))
    assert jobs.is_idle
