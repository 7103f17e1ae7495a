"""What is heard once, in words that are true: steps of Settle and their Undo, boxes, switches, keys."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible

from judgetool.gui.actions import Mode
from judgetool.gui.widgets.buttons import _SegmentButton
from judgetool.gui.widgets.fields import NamedCombo
from judgetool.gui.widgets.grade_bar import ActionButton
from judgetool.gui.widgets.painted import RowTeller
from tests.gui.test_asked_aloud import needy
from tests.gui.window_fixtures import CTRL, listening, opened_window, press


def test_enter_on_the_switch_of_views_settles_nothing(qtbot, tmp_path):
    """It presses what has the keyboard: the view that is shown already."""
    with opened_window(qtbot, needy(tmp_path / "need.judge", "No."), assessor="lead") as window:
        qtbot.keyClick(window, "6", CTRL)
        page = window.views.page(Mode.SETTLE)
        qtbot.waitUntil(lambda: page.dispute is not None)
        while not window.top_line.switch.isAncestorOf(window.focusWidget()):
            qtbot.keyClick(window.focusWidget(), Qt.Key.Key_F6)
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Return)
        assert len(page.disputes) == 1


@pytest.fixture
def settled(qtbot, tmp_path):
    """The settle view after its one dispute was settled, and all that was heard until then."""
    path = needy(tmp_path / "need.judge", "No.")
    with listening() as texts, opened_window(qtbot, path, assessor="lead") as window:
        qtbot.keyClick(window, "6", CTRL)
        page = window.views.page(Mode.SETTLE)
        qtbot.waitUntil(lambda: page.dispute is not None)
        del texts[:]
        press(qtbot, window, "2")
        qtbot.waitUntil(lambda: any("Saved" in each for each in texts))
        qtbot.waitUntil(lambda: page.dispute is None)
        yield window, texts


def test_a_dispute_that_is_settled_is_said_once(settled):
    """In the view's own words, with what they do not say."""
    said = " ".join(settled[1])
    assert "Saved. Settled: 2 Relevant, a." in said
    assert "Settle: grade 2" not in said


def test_undo_says_that_it_undid(qtbot, settled):
    """What is saved is that, and not the grade."""
    window, texts = settled
    del texts[:]
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: bool(texts))
    assert texts[0].startswith("Undone: Settle: grade 2 for a, ‘cold soup’. The undo is saved.")


def test_a_closed_box_says_what_a_key_has_chosen(qtbot):
    """Down changes it without opening its list; where nothing changes nothing is said."""
    box = NamedCombo()
    qtbot.addWidget(box)
    box.addItems(["TREC", "CSV"])
    with qtbot.waitActive(box):
        box.show()
    box.setFocus()
    with listening() as texts:
        qtbot.keyClick(box, Qt.Key.Key_Down)
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert texts == ["CSV"]


def test_the_list_of_a_box_opens_where_somebody_listens(qtbot):
    """What is found in a window that Qt itself makes is lost again, and must not be what it works with."""
    box = NamedCombo()
    qtbot.addWidget(box)
    RowTeller(box)
    box.addItems(["TREC", "CSV"])
    with qtbot.waitActive(box):
        box.show()
    box.setFocus()
    with listening():
        qtbot.keyClick(box, Qt.Key.Key_Return)
        assert box.view().isVisible()
        box.hidePopup()


def test_a_list_that_is_left_says_what_is_still_chosen(qtbot):
    """Readers ask the list, which Esc has closed."""
    box = NamedCombo()
    qtbot.addWidget(box)
    box.addItems(["TREC", "CSV"])
    with qtbot.waitActive(box):
        box.show()
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.keyClick(box.view(), Qt.Key.Key_Down)
    qtbot.keyClick(box.view(), Qt.Key.Key_Escape)
    entries = QAccessible.queryAccessibleInterface(box).child(0)
    qtbot.waitUntil(lambda: bool(entries.child(0).state().selected))
    assert not entries.child(1).state().selected


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on one query."""
    with opened_window(qtbot, needy(tmp_path / "need.judge", "No.")) as shown:
        yield shown


def test_views_are_one_of_several(window):
    """Not boxes to tick: each excludes the others."""
    told = [
        QAccessible.queryAccessibleInterface(each) for each in window.findChildren(_SegmentButton)
    ]
    assert {each.role() for each in told} == {QAccessible.Role.RadioButton}


def test_the_key_of_panels_leads_to_the_view_that_is_shown(qtbot, window):
    """Not to the one that was chosen there last."""
    switch = window.top_line.switch
    for mode in (Mode.WHATIF, Mode.LIST):
        window.views.show(mode)
        while not switch.isAncestorOf(window.focusWidget()):
            qtbot.keyClick(window.focusWidget(), Qt.Key.Key_F6)
        assert window.focusWidget().segment.name == mode


def test_queries_that_are_listed_are_one_of_several(window):
    """All, to do, flagged."""
    told = map(QAccessible.queryAccessibleInterface, window.queries.pills.values())
    assert {each.role() for each in told} == {QAccessible.Role.RadioButton}


@pytest.mark.parametrize("kind", [_SegmentButton, ActionButton])
def test_a_description_does_not_repeat_the_name(window, kind):
    """It says the key."""
    for each in window.findChildren(kind):
        told = QAccessible.queryAccessibleInterface(each)
        assert told.text(QAccessible.Text.Name) not in told.text(QAccessible.Text.Description)
