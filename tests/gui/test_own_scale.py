"""With gains of its own, and where grade 1 is not relevant, the window calls nothing what it is not."""

import pytest
from PySide6.QtCore import Qt

from judgetool.gui.actions import Mode
from judgetool.gui.widgets.live_values import LiveValues
from judgetool.session.commands import SetScale
from tests.gui.compare_fixtures import computed
from tests.gui.window_fixtures import CTRL, opened_window
from tests.helpers.builders import OWN_SCALE, open_sample

OWN = "gains 0, 1, 4, 10; probabilities 0, 0.1, 0.4, 0.9; relevant from 2."


@pytest.fixture
def window(qtbot, tmp_path):
    with open_sample(tmp_path) as session:
        session.execute(SetScale(OWN_SCALE))
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


def test_live_values_are_not_headed_as_a_tool_would_print_them(window):
    """The convention's name has a mark, and tooltip and reader say what differs."""
    values = window.live.findChild(LiveValues)
    assert values.heads[0] == "trec_eval*"
    head = values.rows.model()
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
        said = head.headerData(0, Qt.Orientation.Horizontal, role)
        assert OWN in said.replace(" \n", " ")


def test_a_plain_scale_needs_no_mark(qtbot, tmp_path):
    """Where the grade is the gain and 1 counts, the tool would print these numbers."""
    with open_sample(tmp_path) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        assert window.live.findChild(LiveValues).heads[0] == "trec_eval"


def test_compare_does_not_claim_to_print_as_trec_eval(qtbot, window):
    """Its button of conventions has the same mark, and says the same."""
    qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
    page = window.views.page(Mode.COMPARE)
    computed(qtbot, page)
    button = page.head.conventions
    assert button.text() == "trec_eval -c, own scale"
    assert OWN in button.toolTip().replace(" \n", " ")
    assert OWN in button.accessibleDescription()


def test_the_explanation_shows_codes_as_cards_do(window):
    """A level's code stands in place of its number wherever the grade is shown."""
    shown = window.live.explain_table.explanation
    assert {row.cells[1] for row in shown.rows} & {"U", "Z", "E", "T"}
    assert not {row.cells[1] for row in shown.rows} & {"0", "1", "2", "3"}
