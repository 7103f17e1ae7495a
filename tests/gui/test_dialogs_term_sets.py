"""The dialog of term sets."""

import pytest

from judgetool.gui.dialogs.by_hand import TermSetsDialog
from judgetool.session.reading_aids import TermSet


@pytest.fixture
def dialog(qtbot):
    """The dialog with one set."""
    dialog = TermSetsDialog((TermSet("diet", 3, ("low fat", "vegan")),))
    qtbot.addWidget(dialog)
    return dialog


def test_there_is_a_row_for_each_colour(dialog):
    """Sets come first, empty rows have the colours left."""
    assert len(dialog.names) == 4
    assert dialog.terms[0].text() == "low fat, vegan"


def test_what_is_written_is_returned(dialog):
    """Terms are parted by commas of any script; a set without a name gets one."""
    dialog.terms[1].setText(' "sugar free"، gluten ,, gluten')
    assert dialog.answer == (
        TermSet("diet", 3, ("low fat", "vegan")),
        TermSet("Set 2", 1, ("sugar free", "gluten")),
    )


def test_a_name_that_stands_twice_is_named(dialog):
    """Two sets of one name cannot be kept."""
    dialog.names[1].setText("diet")
    dialog.terms[1].setText("salt")
    assert "‘diet’" in dialog.remark.text()
    assert not dialog.verb.isEnabled()


def test_an_emptied_row_is_no_set(dialog):
    """Without terms a set is gone."""
    dialog.terms[0].clear()
    assert dialog.answer == ()
