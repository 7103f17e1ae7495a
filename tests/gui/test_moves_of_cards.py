"""Cards of the list say how documents moved against the project's baseline."""

import pytest
from PySide6.QtCore import Qt

from judgetool.core.rankings import Move, Remove
from judgetool.session.comparing.system_values import Baseline, set_baseline
from judgetool.session.systems import System, run_system
from judgetool.session.whatifs.editing import add_step, create_whatif
from tests.gui.whatif_fixtures import soup_parts
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import make_project


@pytest.fixture
def window(qtbot, tmp_path):
    """Show a project of runs alpha (d0 … d7) and beta (d8, d7 … d0)."""
    with make_project(tmp_path, soup_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


def moves(window):
    model = window.workspace.results.model
    material = window.session.material
    return {material.document_id(number): word for number, word in model.listed.moves.items()}


def test_without_a_baseline_cards_say_nothing(window):
    """No baseline, no movement."""
    assert moves(window) == {}


def test_the_shown_run_is_compared_with_the_baseline(window):
    """Up, down, new and gone, by ranks; what stands where it stood says nothing."""
    set_baseline(window.session, Baseline.of_system(run_system(window.session, 2)))
    found = moves(window)
    assert found["d0"] == "↑8"
    assert found["d7"] == "↓6"
    assert found["d8"] == "gone"
    assert "d4" not in found


def test_the_run_that_is_the_baseline_has_not_moved(qtbot, window):
    """Another run, other movements: R shows them."""
    set_baseline(window.session, Baseline.of_system(run_system(window.session, 2)))
    press(qtbot, window, "r")
    assert moves(window) == {}


def test_a_whatif_as_baseline_is_followed(window):
    """A step of the what-if changes what cards say."""
    session = window.session
    whatif = create_whatif(session, "first", 1)
    set_baseline(session, Baseline.of_system(System("what-if", whatif, "first")))
    assert moves(window) == {}
    last = session.material.find_document("d7")
    add_step(session, whatif, 0, Move(last, 1))
    assert moves(window)["d0"] == "↑1"
    assert moves(window)["d7"] == "↓7"
    add_step(session, whatif, 0, Remove(last))
    assert moves(window) == {"d7": "new"}


def test_screen_readers_hear_it(window):
    """The movement stands between rank and title."""
    set_baseline(window.session, Baseline.of_system(run_system(window.session, 2)))
    model = window.workspace.results.model
    spoken = model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Rank 1, up 8, ")


def test_blind_mode_hides_it(qtbot, window):
    """A movement would tell the rank."""
    set_baseline(window.session, Baseline.of_system(run_system(window.session, 2)))
    press(qtbot, window, "b")
    assert moves(window) == {}
