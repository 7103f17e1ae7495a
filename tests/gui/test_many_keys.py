"""Two hundred grading keys, as fast as they come: none lost, none doubled, none misplaced."""

import pytest

from judgetool.core.scale import scale_preset
from judgetool.formats.reading import read_file
from judgetool.gui.actions import Mode
from judgetool.session.imports.importing import import_readings
from judgetool.session.opening import create_project, open_project
from judgetool.session.pool import PoolPolicy, set_pool
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.events import load_events
from tests.helpers.shared import SHARED

N_KEYS = 200
DATA = SHARED / "data" / "icecat-shop"


def make_shop(folder):
    """Make the published shop where it is beside the checkout, else a project of our own."""
    if not DATA.exists():
        with make_project(folder, simple_parts(n_queries=20, n_documents=20)) as session:
            session.execute(set_pool(PoolPolicy("depth", 1_000)))
            return session.path
    path = folder / "shop.judge"
    create_project(path, scale=scale_preset("0-3"))
    files = ("queries.tsv", "corpus.jsonl", "runs/bm25-title.run", "runs/solr-edismax.run")
    with open_project(path, assessor="anna") as session:
        import_readings(session, [read_file(DATA / name) for name in files])
    return path


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
def test_two_hundred_keys_judge_two_hundred_documents(qtbot, tmp_path, mode):
    """Each of 200 keys, pressed without a pause, grades one document, in the order pressed."""
    path = make_shop(tmp_path)
    keys = [str(number * 7 // 3 % 4) for number in range(N_KEYS)]
    with opened_window(qtbot, path) as window:
        window.views.show(mode)
        # The guard is about time between keys, and these come faster than hands are.
        window.judge_handler.guard.guard_ms = 0
        for key in keys:
            qtbot.keyClicks(window.focusWidget(), key)
        said = [event for event in load_events(window.session) if event.after is not None]
        said.sort(key=lambda event: event.event_id)
        assert [str(int(event.after.grade)) for event in said] == keys
        assert len({(event.query, event.document) for event in said}) == N_KEYS
        assert {event.origin for event in said} == {"key"}
        assert {event.shown["mode"] for event in said} == {str(mode)}
    with open_project(path, read_only=True) as session:
        assert len(session.iter_judgments()) == N_KEYS
