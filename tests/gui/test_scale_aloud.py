"""The scale editor as it is heard, and what it says of keys, grades below 0 and what nobody touched."""

import pytest
from PySide6.QtCore import Qt

from judgetool.core.scale import scale_preset
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.gui.dialogs.scale_editor import ScaleEditor
from tests.gui.window_fixtures import listening


@pytest.fixture
def dialog(qtbot):
    """The editor on four levels."""
    dialog = ScaleEditor(scale_preset("0-3"))
    qtbot.addWidget(dialog, before_close_func=ScaleEditor.hide)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def write(qtbot, field, text):
    """Write into a field in place of what stands there."""
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)


def added(qtbot, dialog, grade):
    """Add a level, name it and change its grade; return its row."""
    dialog.add.click()
    row = dialog.rows[-1]
    write(qtbot, row.name, "Other")
    write(qtbot, row.grade, grade)
    return row


def test_esc_asks_before_changes_go(qtbot, hands, dialog):
    """As in a note: who keeps editing finds what was written."""
    hands.window = dialog
    write(qtbot, dialog.rows[0].name, "Useless")
    hands.answers = [(MessageDialog, lambda _asked: hands.press(Qt.Key.Key_Escape))]
    hands.press(Qt.Key.Key_Escape)
    assert dialog.isVisible()
    assert dialog.rows[0].name.text() == "Useless"


def test_a_field_says_its_level(qtbot, dialog):
    """The same field of each row has a name of its own, which follows the grade."""
    row = dialog.rows[2]
    assert row.name.accessibleName() == "name, level 2"
    write(qtbot, row.grade, "9")
    assert row.by_name["gain"].accessibleName() == "gain, level 9"


def test_what_only_stands_there_as_a_hint_is_said_to_be_empty(dialog):
    """A symbol and a colour that are not written do not sound written."""
    row = dialog.rows[0]
    assert row.by_name["symbol"].accessibleDescription() == "empty"
    row.by_name["symbol"].setText("✓")
    assert row.by_name["symbol"].accessibleDescription() == ""


def test_a_row_that_moves_is_told(qtbot, dialog):
    """Rows stand by grade; who writes another one hears where it went."""
    write(qtbot, dialog.rows[0].grade, "9")
    with listening() as texts:
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    assert texts[0].startswith("Level 9 is now row 1 of 4.")


def test_a_row_with_the_keyboard_is_taken_away(qtbot, dialog):
    """What was begun in it counts no more, and it is told nothing of a row that is gone."""
    n_rows, row = len(dialog.rows), dialog.rows[1]
    write(qtbot, row.grade, "9")
    row.removed.emit()
    row.left.emit()
    assert len(dialog.rows) == n_rows - 1


@pytest.mark.parametrize(("grade", "told"), [("-1", ("0", "0", "a")), ("5", ("5", "0.96875", "5"))])
def test_what_was_suggested_follows_the_grade(qtbot, dialog, grade, told):
    """Gain, probability and key of a new level are of its grade as long as nobody wrote others."""
    fields = added(qtbot, dialog, grade).by_name
    assert tuple(fields[name].text() for name in ("gain", "probability", "key")) == told


def test_what_was_written_stays_as_it_is(qtbot, dialog):
    """A gain of one's own is not a suggestion."""
    dialog.add.click()
    row = dialog.rows[-1]
    write(qtbot, row.by_name["gain"], "7")
    write(qtbot, row.grade, "5")
    assert row.by_name["gain"].text() == "7"


def test_a_key_that_an_action_has_is_named(qtbot, dialog):
    """S is the key of Skip, and it would go without a word."""
    write(qtbot, dialog.rows[0].key, "s")
    assert "S is the key of ‘Skip" in dialog.advice.text()
    assert "which then lacks it" in dialog.advice.text()


def test_presets_have_nothing_to_be_told(dialog):
    """No usual key of theirs is anybody else's."""
    assert dialog.advice.text() == ""


def test_a_grade_below_0_is_said_to_be_not_judged(qtbot, dialog):
    """Measures take such a document as not judged, the pool does not."""
    added(qtbot, dialog, "-1")
    assert "not judged" in dialog.advice.text()
