"""The header: query, need, position and progress."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from judgetool.core.judgments import Query
from judgetool.gui.actions import Mode
from judgetool.gui.panels.query_header import QueryHeader
from judgetool.gui.theme import Role, line_height
from judgetool.session.commands import Say
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import Parts, awkward_parts, make_project, simple_parts


@pytest.fixture
def make(tmp_path):
    """Return a function that opens a project of some parts."""
    sessions = []

    def make(parts):
        sessions.append(make_project(tmp_path, parts))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


@pytest.fixture
def header(qtbot):
    """A header of 836 px, at the top of a window."""
    window = QWidget()
    qtbot.addWidget(window)
    header = QueryHeader(window)
    column = QVBoxLayout(window)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(header)
    column.addStretch(1)
    window.resize(836, 700)
    with qtbot.waitExposed(window):
        window.show()
    yield header
    window.close()


def seen(header):
    """Return how many px of query and need are in view, and how many there are."""
    words = header.findChild(QScrollArea)
    bar = words.verticalScrollBar()
    return words.viewport().height(), bar.maximum() + bar.pageStep()


def test_query_need_position_and_progress_are_shown(make, header):
    """All that the assessor needs to know of a query stands in the header."""
    header.set_session(make(simple_parts()))
    header.show_query(1, 2, 3)
    assert header.texts.query == "soup number 1"
    assert header.texts.need == "Need of query 1."
    assert header.position.text == "Query 2 of 3"
    assert header.progress.text == "0 of 6 judged"


def test_progress_follows_a_judgment(make, header):
    """After a judgment refresh() shows the new count."""
    session = make(simple_parts())
    header.set_session(session)
    header.show_query(0, 1, 3)
    session.execute(Say.grade(0, session.board.pool(0)[0].item(), 1.0))
    header.refresh()
    assert header.progress.text == "1 of 6 judged"


def test_a_query_without_text_is_shown_by_its_id(make, header):
    """A query of which only the id is known is shown by it."""
    header.set_session(make(Parts([Query("q-17")])))
    header.show_query(0, 1, 1)
    assert header.texts.query == "q-17"
    assert header.progress.text == "no documents"


def test_a_query_that_the_list_hides_says_so(make, header):
    """A query outside the filtered list has no position."""
    header.set_session(make(simple_parts()))
    header.show_query(0, 0, 2)
    assert header.position.text == "Not in this list"


def test_the_height_is_the_same_for_every_query(make, header):
    """Nothing below the header moves when another query is shown."""
    session = make(awkward_parts())
    header.set_session(session)
    heights = set()
    for number in range(len(session.material.queries)):
        header.show_query(number, number + 1, 7)
        assert not header.grab().isNull()
        heights.add(header.sizeHint().height())
    assert len(heights) == 1


def test_the_whole_need_unfolds_and_folds(make, header):
    """A long need is cut to a line; asked for, it is shown on several."""
    session = make(Parts([Query("q", "soup", "A need at length. " * 40, "And what counts.")]))
    header.set_session(session)
    header.show_query(0, 1, 1)
    folded = header.sizeHint().height()
    header.texts.toggle()
    assert header.texts.is_unfolded
    assert header.sizeHint().height() > folded
    assert not header.grab().isNull()
    header.texts.toggle()
    assert header.sizeHint().height() == folded


def test_an_unfolded_need_leaves_the_results_their_room(make, header):
    """However long it is, the header takes less than half of the window."""
    header.set_session(make(Parts([Query("q", "soup", "A need at length. " * 400)])))
    header.show_query(0, 1, 1)
    folded = header.sizeHint().height()
    header.texts.toggle()
    assert folded < header.sizeHint().height() < header.window().height() / 2


QUESTION = "what similarity laws must be obeyed when constructing aeroelastic models " * 3


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
def test_a_long_question_is_whole_without_a_key(make, header, mode):
    """A query of some lines is wrapped, not cut, in list and focus; a short one has its room."""
    header.set_session(make(Parts([Query("q", QUESTION), Query("r", "soup")])))
    header.set_mode(mode)
    header.show_query(0, 1, 2)
    in_view, all_of_it = seen(header)
    assert in_view >= all_of_it > line_height(Role.QUERY)
    before = header.sizeHint().height()
    header.show_query(1, 2, 2)
    assert header.sizeHint().height() == before


@pytest.mark.parametrize(("height", "role"), [(700, Role.QUERY_FOCUS), (400, Role.QUERY)])
def test_the_query_is_larger_in_focus_where_the_window_has_room(make, header, height, role):
    """A low window leaves its room to the document."""
    header.set_session(make(Parts([Query("q", "soup")])))
    header.window().resize(836, height)
    header.show_query(0, 1, 1)
    in_list = header.texts.sizeHint().height()
    header.set_mode(Mode.FOCUS)
    more = line_height(role) - line_height(Role.QUERY)
    assert header.texts.sizeHint().height() == in_list + more


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
@pytest.mark.parametrize("need", ["", "What counts, at great length. " * 300])
def test_the_same_key_brings_every_line_into_view(make, header, qtbot, mode, need):
    """Of a text of any length the key shows a part after the other, to its end; then it folds."""
    header.set_session(make(Parts([Query("q", QUESTION * 30, need)])))
    header.set_mode(mode)
    header.show_query(0, 1, 1)
    header.texts.toggle()
    bar = header.findChild(QScrollArea).verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    places = [0]
    while header.texts.is_unfolded and len(places) < 200:
        header.texts.toggle()
        places.append(bar.value())
    steps = [after - before for before, after in pairwise(places[:-1])]
    assert all(0 < step <= bar.pageStep() for step in steps)
    assert places[-1] == 0


def test_what_is_cut_is_in_the_tooltip_as_plain_text(make, header):
    """A need that does not fit is in the tooltip, its tags as text."""
    session = make(Parts([Query("q", "soup", "<img src=x> " * 60)]))
    header.set_session(session)
    header.show_query(0, 1, 1)
    tips = [child.toolTip() for child in header.findChildren(QWidget)]
    assert any(tip.startswith("<span>soup<br>&lt;img") for tip in tips)


def test_without_a_session_nothing_is_shown(make, header):
    """A closed project leaves an empty header."""
    header.set_session(make(simple_parts()))
    header.show_query(0, 1, 3)
    header.set_session(None)
    assert header.texts.query == ""
    header.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert not header.grab().isNull()


def test_lines_that_a_short_query_leaves_free_show_the_need(make, header):
    """Room is kept for the longest query; below a short one the need has it, and is whole."""
    need = "Soups that are eaten cold, with or without vegetables, and need no cooking at all. " * 2
    queries = [Query("1", "soup", need), Query("2", "cold soup without cooking " * 8, need)]
    header.set_session(make(Parts(queries=queries)))
    header.show_query(0, 1, 1)
    assert not header.texts.toolTip()
    height = header.height()
    header.show_query(1, 1, 1)
    assert header.texts.toolTip()
    assert header.height() == height


def test_lines_left_free_are_filled_with_a_need_that_is_longer_still(make, header):
    """Of a need that does not fit whole every free line says some; the rest is in the tooltip."""
    long = "Soups that are eaten cold, with or without vegetables, and need no cooking. " * 9
    queries = [Query("1", "soup", long), Query("2", "cold soup without cooking " * 20)]
    header.set_session(make(Parts(queries=queries)))
    header.show_query(0, 1, 1)
    ink = header.grab().toImage()
    ground = ink.pixelColor(header.width() // 2, 2)
    texts = header.texts.geometry()
    lowest = texts.bottom() - line_height(Role.NEED) // 2
    found = {ink.pixelColor(x, lowest).name() for x in range(texts.left(), texts.right())}
    assert found - {ground.name()}
    assert long.strip()[-40:] in header.texts.toolTip().replace("\n", " ")


def test_a_need_that_is_seen_whole_is_said_to_be(qtbot, tmp_path):
    """The key that unfolds it never does nothing without a word."""
    make_project(tmp_path, Parts([Query("q", "soup")])).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        press(qtbot, window, "i")
        assert "whole already" in window.status.message.text
        assert not window.workspace.header.texts.is_unfolded
