"""What the live panel shows with a key's own frame, and what follows with the next one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from judgetool.gui.live_intervals import mean_intervals
from judgetool.session.bounds_table import BoundsTable
from judgetool.session.sample import make_sample
from tests.gui.window_fixtures import opened_window, press


@pytest.fixture
def window(qtbot, tmp_path):
    path = tmp_path / "recipes.judge"
    make_sample(path)
    with opened_window(qtbot, path) as shown:
        qtbot.waitUntil(lambda: shown.live.is_settled)
        yield shown


def shown_intervals(window):
    return [(row.low, row.high) for row in window.live.values.rows.rows]


def true_intervals(window):
    judging = window.view.judging
    bounds = window.session.board.bounds(judging.run_id, judging.query)
    return [(bound.low, bound.high) for bound in bounds]


def test_values_answer_before_anything_is_painted(qtbot, window):
    """When a grading key returns, the panel holds the value that the engine has."""
    press(qtbot, window, "n")
    press(qtbot, window, Qt.Key.Key_3)
    judging = window.view.judging
    values = window.session.board.engine.value(judging.run_id, judging.query)
    assert [row.value for row in window.live.values.rows.rows] == [v.value for v in values]


def test_intervals_are_those_of_now_once_settled(qtbot, window):
    """After a judgment the intervals are soon those that the board works out."""
    press(qtbot, window, "n")
    press(qtbot, window, Qt.Key.Key_3)
    qtbot.waitUntil(lambda: window.live.is_settled)
    assert shown_intervals(window) == true_intervals(window)


def test_an_interval_is_at_most_one_frame_behind(qtbot, window):
    """With a key before every frame, the frame after a judgment's own has its intervals."""
    press(qtbot, window, "n")
    window.live.prepare_frame()
    window.live.prepare_frame()
    assert window.live.is_settled
    press(qtbot, window, Qt.Key.Key_3)
    window.live.prepare_frame()
    press(qtbot, window, Qt.Key.Key_2)
    window.live.prepare_frame()
    assert window.live.is_settled
    assert shown_intervals(window) == true_intervals(window)


def test_a_value_is_never_outside_its_interval(qtbot, window):
    """Also before the new interval is known the bar's range holds the value."""
    press(qtbot, window, "n")
    for key in (Qt.Key.Key_3, Qt.Key.Key_0, Qt.Key.Key_Z, Qt.Key.Key_2):
        press(qtbot, window, key)
        for row in window.live.values.rows.rows:
            assert row.value is None or row.low <= row.value <= row.high
            assert row.mean is None or row.mean_low <= row.mean <= row.mean_high


def test_hidden_panel_catches_up_when_shown(qtbot, window):
    """A panel that was hidden during a judgment has its intervals once it is seen again."""
    window.live.hide()
    press(qtbot, window, "n")
    press(qtbot, window, Qt.Key.Key_3)
    window.live.show()
    qtbot.waitUntil(lambda: window.live.is_settled)
    assert shown_intervals(window) == true_intervals(window)


NUMBERS = st.floats(0, 1) | st.just(float("nan"))

# No weight is so small that a share of it is nothing.
WEIGHTS = st.one_of(st.just(0.0), st.floats(1e-6, 5))


@given(
    ends=st.lists(st.tuples(NUMBERS, WEIGHTS), min_size=1, max_size=30),
    n_measures=st.integers(1, 4),
)
def test_means_of_all_measures_at_once_are_those_of_each(ends, n_measures):
    """The intervals of all means are what the table gives measure by measure."""
    low = np.array([[value] * n_measures for value, _ in ends])
    table = BoundsTable(1, low, low + 0.25)
    weights = np.array([weight for _, weight in ends])
    for place, found in enumerate(mean_intervals(table, weights)):
        assert found == (pytest.approx(wanted) if (wanted := table.mean(place, weights)) else None)
