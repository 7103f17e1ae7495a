"""The cycle collector is held while an import is in memory, and goes on afterwards."""

import gc

from judgetool.gui.dialogs.import_work import CollectorPause


def test_full_collections_pause_until_the_last_one_ends():
    """Two imports at once: full collections begin again when both have ended."""
    before = gc.get_threshold()
    first, second = CollectorPause(), CollectorPause()
    first.begin()
    second.begin()
    first.begin()
    assert gc.get_threshold()[2] > 1_000_000
    first.end()
    assert gc.get_threshold()[2] > 1_000_000
    second.end()
    assert gc.get_threshold() == before


def test_ending_twice_does_nothing():
    """What has not begun, or has ended, can be ended without harm."""
    before = gc.get_threshold()
    pause = CollectorPause()
    pause.end()
    pause.begin()
    pause.end()
    pause.end()
    assert gc.get_threshold() == before
