"""Lists of rows: what is painted, chosen, and said to a screen reader."""

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QAbstractItemModelTester

from judgetool.gui import theme
from judgetool.gui.painting import shortened
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.labels import Row, TextPart
from judgetool.gui.widgets.rows import RowView

PAINTED = []


class Noted(TextPart):
    """A text that notes where it is painted."""

    def paint(self, painter, rect, look):
        """Note the text and its left edge."""
        PAINTED.append((self.text, rect.left()))
        super().paint(painter, rect, look)


def show(value):
    """A row of two parts: the letter, and the number at the right; ``#`` is a heading."""
    letter, number = value
    key = None if letter == "#" else letter
    return Row(key, (Noted(letter), Noted(str(number))), f"{letter} is {number}", tip="so it is")


@pytest.fixture
def rows(qapp, qtbot):
    """A list of three rows under a heading, 200 px wide, shown."""
    theme.install_fonts(qapp)
    rows = RowView(
        "Letters",
        show,
        lambda width, _rows: (QRectF(10, 0, 50, 20), QRectF(width - 60, 0, 50, 20)),
        height=lambda: 20,
    )
    qtbot.addWidget(rows)
    rows.set_rows([("#", 0), ("a", 1), ("b", 2), ("c", 3)])
    rows.resize(200, 200)
    rows.show()
    qtbot.waitUntil(lambda: ("c", 10) in PAINTED)
    PAINTED.clear()
    yield rows
    PAINTED.clear()


def test_only_the_part_that_changed_is_painted(rows, qtbot):
    """Another number in one row repaints neither its letter nor the other rows."""
    rows.set_rows([("#", 0), ("a", 1), ("b", 7), ("c", 3)])
    qtbot.waitUntil(lambda: bool(PAINTED))
    assert PAINTED == [("7", 140)]


def test_a_reader_hears_rows(rows):
    """The list has a name, and each row is an item with its sentence."""
    found = QAccessible.queryAccessibleInterface(rows)
    assert found.text(QAccessible.Text.Name) == "Letters"
    said = [found.child(at).text(QAccessible.Text.Name) for at in range(found.childCount())]
    assert [text for text in said if text] == ["# is 0", "a is 1", "b is 2", "c is 3"]


def test_the_current_row_stays_where_others_come(rows):
    """A row is known by its key, not by its place; one that is gone leaves none current."""
    rows.set_current("b")
    rows.set_rows([("x", 0), ("y", 1), ("z", 1), ("b", 2)])
    assert rows.current == "b"
    assert rows.currentIndex().row() == 3
    rows.set_rows([("x", 0)])
    assert rows.current is None


def test_keys_and_clicks_choose_and_enter_opens(rows, qtbot):
    """Down and a click say the row's key, and Enter opens it; a heading cannot be chosen."""
    rows.set_current("a")
    with qtbot.waitSignal(rows.row_chosen) as said:
        qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert said.args == ["b"]
    with qtbot.waitSignal(rows.row_opened) as said:
        qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert said.args == ["b"]
    with qtbot.waitSignal(rows.row_chosen) as said:
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 70))
    assert said.args == ["c"]
    with qtbot.assertNotEmitted(rows.row_chosen):
        qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 10))


def test_a_heading_opens_nothing_and_the_model_is_one_of_qts(rows, qtbot):
    """Enter on a heading does nothing; whatever Qt asks for, rows that are not there too, is answered."""
    QAbstractItemModelTester(rows.model())
    rows.setCurrentIndex(rows.model().index(0, 0))
    with qtbot.assertNotEmitted(rows.row_opened):
        qtbot.keyClick(rows, Qt.Key.Key_Return)


def test_the_keyboard_comes_to_a_row(rows, qtbot):
    """With nothing chosen, the first row that can be is."""
    rows.clearFocus()
    rows.setFocus()
    qtbot.waitUntil(lambda: rows.current == "a")


def test_parts_are_mirrored(rows, qtbot):
    """Where lines run from right to left, the first part stands at the right."""
    rows.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.waitUntil(lambda: ("a", 140) in PAINTED and ("1", 10) in PAINTED)


def test_an_edge_of_accent_says_which_row_is_current(rows):
    """Whoever looks sees which row the keys are about; the ground alone says too little."""

    def edges():
        image, top = rows.grab().toImage(), rows.viewport().y()
        return [image.pixelColor(1, top + 20 * row + 10) for row in range(4)]

    rows.set_current("b")
    assert [edge == current_theme().accent for edge in edges()] == [False, False, True, False]


def test_a_row_that_is_wanted_becomes_current_when_it_comes(rows):
    """What is to be current may be said before there are rows."""
    rows.set_rows([])
    rows.set_current("b")
    assert rows.current is None
    rows.set_rows([("a", 1), ("b", 2)])
    assert rows.current == "b"


def test_of_a_step_the_title_is_cut_and_never_what_was_done(qapp):
    """The part that gives is elided as far as need be; a line that fits stays whole."""
    theme.install_fonts(qapp)
    title = "Bean chilli on a budget"
    line, role = f"{title} to 12", theme.Role.UI
    cut = shortened(role, line, title, theme.text_width(role, line) - 20)
    assert (cut.startswith("Bean chilli"), cut.endswith("… to 12")) == (True, True)
    assert theme.text_width(role, cut) <= theme.text_width(role, line) - 20
    assert shortened(role, line, title, 1000) == shortened(role, line, "", 10) == line
