"""What is found in a document is said to those who listen: by finding, and by the keys of highlights."""

import pytest

from judgetool.core.judgments import Document
from judgetool.core.terms import Layer, Marking, QueryTerms
from judgetool.gui.panels.document_pane import DocumentPane
from tests.gui.window_fixtures import listening

RICE = Document("r1", "Paella", "", "Fry the rice. Add stock.\nLet the rice rest.")


@pytest.fixture
def pane(qtbot):
    """A pane that shows a recipe, whose *stock* is marked."""
    pane = DocumentPane()
    qtbot.addWidget(pane)
    pane.resize(332, 700)
    with qtbot.waitExposed(pane):
        pane.show()
    marking = Marking((Layer(QueryTerms.parse("stock"), 0),))
    pane.show_document(RICE, place=1, total=1, marking=marking)
    return pane


def heard(qtbot, pane, typed):
    """Type into the field that finds; return what is said."""
    with listening() as texts:
        pane.focus_find()
        qtbot.keyClicks(pane.find_row.field, typed)
        qtbot.waitUntil(lambda: bool(texts))
    return texts


def test_the_first_match_is_said_with_its_line(qtbot, pane):
    """Once typing rests, number, how many, and the sentence are said, once."""
    assert heard(qtbot, pane, "rice") == ["1 of 2: Fry the rice."]


def test_enter_says_the_next_match(qtbot, pane):
    """Each step says where it leads to, at once."""
    assert heard(qtbot, pane, "rice\r")[-1] == "2 of 2: Let the rice rest."


def test_what_is_not_there_is_said_to_be_so(qtbot, pane):
    """Silence would say nothing."""
    assert heard(qtbot, pane, "plum") == ["not found"]


def test_the_next_highlight_is_said(pane):
    """The marked word comes first, then where it stands."""
    with listening() as texts:
        pane.text.marks.go_to_mark(1)
        pane.text.marks.finish()
    assert texts == ["stock: Add stock."]


def test_no_highlight_is_said(pane):
    """Where nothing is marked the keys say so."""
    pane.show_document(RICE, place=1, total=1)
    with listening() as texts:
        pane.text.marks.go_to_mark(1)
        pane.text.marks.finish()
    assert texts == ["Nothing is marked."]


def test_a_piece_of_a_long_sentence_begins_with_a_word(qtbot, pane):
    """And says by an ellipsis that more stands before it, and behind it."""
    long = f"{'kanla odun '.strip()} " * 40 + "rice " + "and so on " * 40
    pane.show_document(Document("r2", "Long", "", long), place=1, total=1)
    said = heard(qtbot, pane, "rice")[0].removeprefix("1 of 1: ")
    assert said.startswith(("…kanla ", "…odun "))
    assert "rice and" in said
    assert said.endswith("…")
