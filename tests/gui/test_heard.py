"""What a screen reader is told over the accessibility bus, by the real program on a real X display."""

import re
from contextlib import contextmanager

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QListWidget

from judgetool.gui.actions import ACTIONS, Mode
from judgetool.gui.widgets.labels import Text, plain_tooltip
from judgetool.gui.widgets.painted import say_once, tell_tip
from judgetool.gui.widgets.status_line import SEGMENTS
from judgetool.session.commands import Say
from judgetool.session.opening import open_project
from tests.by_ear import with_orca
from tests.gui.everywhere import ASKING
from tests.gui.test_settle_view import lay_soups
from tests.gui.window_fixtures import listening
from tests.helpers.builders import lay_sample
from tests.helpers.ear import Ear, Orca, desk, why_deaf

LISTS = {"table", "list", "tree", "tree table"}
CELLS = {"table cell", "cell", "list item", "tree item"}


@pytest.fixture
def ear(tmp_path):
    """A small screen reader, listening to a window on the sample."""
    if lack := why_deaf():
        pytest.skip(lack)
    lay_sample(tmp_path / "sample.judge")
    with desk(tmp_path) as place:
        reader = Ear(place)
        place.open_window("open", tmp_path / "sample.judge", "--assessor", "anna")
        # What opening the project has to say comes last.
        reader.wait("Rank ", "Query: ", " left.")
        yield reader


def heard(reader, key, word):
    """Press a key and return what is said, up to where a word occurs."""
    reader.press(key)
    return reader.wait(word)


def test_rows_are_said_where_the_keyboard_comes_and_once_after_a_grade(ear):
    """A list says its current row; a grade is heard before the row it leads to, which is said once."""
    heard(ear, "slash", "Filter queries")
    queries, query = heard(ear, "Escape", "Query ")
    results, card = heard(ear, "ctrl+1", "Rank ")
    grade = heard(ear, "2", "Saved.")
    end = heard(ear, "slash", "Filter queries")
    assert (queries, results) == ("Queries, table", "Results, table")
    assert query.startswith("Query ")
    assert card.startswith("Rank 1, ")
    assert len(grade) == len(end) == 1
    assert grade[0].startswith("Grade 2 for ")
    assert "Saved. nDCG@10 " in grade[0]
    assert "Rank 2, " in grade[0]


def test_another_view_is_said_without_what_is_on_the_way_to_it(ear):
    """Each view says what it begins with and its name; no button that gets the keyboard in between."""
    said = []
    for key, word in (("ctrl+3", "What-if view."), ("ctrl+4", "Compare view."), ("ctrl+1", "List")):
        said += heard(ear, key, word)
    passed_by = ("Filter queries", "Blind mode is off", "What-if: none yet")
    assert not any(each.startswith(passed_by) for each in said)


def key_of(mode):
    """Return the key that shows a view."""
    return f"ctrl+{list(Mode).index(mode) + 1}"


def faults(reader, window):
    """Return what a reader that walks through a window would stumble over."""
    found = []
    for node in reader.bus.tree(window):
        told = f"{node.role} {node.name!r} {node.description!r}"
        if "focusable" in node.states and node.role == "filler":
            found.append(f"nothing that can have the keyboard: {told}")
        if "focusable" in node.states and not (node.name or any(reader.bus.labels(node))):
            found.append(f"no name: {told}")
        cells = reader.bus.read(reader.bus.children([node], 8)) if node.role in LISTS else []
        if any(each.role in CELLS and not each.name for each in cells):
            found.append(f"rows that say nothing: {told}")
        if re.search(r"</?\w", node.name + node.description):
            found.append(f"markup: {told}")
    return found


@pytest.mark.timeout(300)
def test_whatever_can_be_met_has_a_name_and_a_role(ear):
    """In every view and dialog: no nameless or roleless stop, no markup, no list without rows."""
    (window,) = ear.bus.windows()
    (bar,) = (node for node in ear.bus.tree(window) if node.role == "menu bar")
    menus = {}
    for node in ear.bus.tree(bar.place, most=60, is_all=True):
        menus.setdefault(node.name, node)
    specs, wrong = {spec.name: spec for spec in ACTIONS}, {}
    for mode in (*Mode, Mode.LIST)[1:]:
        heard(ear, key_of(mode), f"{SEGMENTS[mode].text} view.")
        wrong[mode] = faults(ear, window)
    for name in ASKING:
        item = menus[specs[name].text.replace("&&", "&")].place
        if specs[name].modes:
            ear.press(key_of(specs[name].modes[0]))
        ear.wait_until(lambda node: "enabled" in node.states, item)
        ear.bus.do(item)
        wrong[name] = faults(ear, ear.wait_for_window(lambda place: place != window))
        ear.press("Escape")
        ear.wait_for_window(lambda place: place == window)
    assert {name: found for name, found in wrong.items() if found} == {}


@contextmanager
def sample_heard(folder):
    """The sample in the window, and the real reader, which has read its first row."""
    if lack := why_deaf("orca"):
        pytest.skip(lack)
    lay_sample(folder / "sample.judge")
    with desk(folder) as place:
        reader = Orca(place)
        reader.wait("Screen reader on")
        place.open_window("open", folder / "sample.judge", "--assessor", "anna")
        reader.wait("Rank ")
        yield reader


@pytest.mark.timeout(300)
def test_orca_reads_what_a_dialog_says_once(tmp_path):
    """The texts of an export are read as its window comes, and not again with its first field."""
    with sample_heard(tmp_path) as reader:
        reader.press("ctrl+e")
        said = " ".join(reader.wait("Export from recipes", "Format combo box"))
    assert said.count("as trec_eval, ir_measures and most tools read") == 1


@pytest.mark.timeout(300)
def test_orca_says_what_keys_have_done(tmp_path):
    """Rows, grades, queries and views are heard from the real reader, in list, focus, what-if and compare."""
    if lack := why_deaf("orca"):
        pytest.skip(lack)
    with desk(tmp_path) as place:
        with_orca(place)


@pytest.mark.timeout(300)
def test_orca_says_a_field_the_first_time_that_the_keyboard_comes_to_it(tmp_path):
    """The filters of queries and of documents, and the field that finds in the document."""
    with sample_heard(tmp_path) as reader:
        for key, name in (
            ("slash", "Filter queries"),
            ("ctrl+f", "Find in document"),
            ("ctrl+shift+f", "Filter documents"),
        ):
            reader.press(key)
            reader.wait(name)
            reader.press("Escape")
            reader.press("ctrl+1")
            reader.wait("Rank ")


@pytest.mark.timeout(300)
def test_orca_says_what_was_done_in_settle_before_what_comes(tmp_path):
    """The next dispute, which is found a moment later, does not take its place."""
    if lack := why_deaf("orca"):
        pytest.skip(lack)
    path = lay_soups(tmp_path / "soups.judge")
    with open_project(path, assessor="cem") as session:
        session.execute(Say.grade(0, session.material.find_document("c"), 0))
    with desk(tmp_path) as place:
        reader = Orca(place)
        reader.wait("Screen reader on")
        place.open_window("open", path, "--assessor", "lead")
        reader.wait("Rank ")
        reader.press("ctrl+6")
        reader.wait("1 of 2")
        reader.press("shift+Return")
        reader.wait("Asked cem", "1 of 2")
        reader.press("ctrl+z")
        reader.wait("Undone: ", "1 of 2")
        reader.press("ctrl+shift+z")
        reader.wait("Done again: ", "1 of 2")


def test_a_tooltip_is_said_in_its_own_lines(qtbot):
    """Where it is only too wide for one there is no pause, and none is doubled after a full stop."""
    wide = "the old value lies between 0.2985 and 0.6364, " * 4
    cells = QListWidget()
    qtbot.addWidget(cells)
    for lines in (f"{wide}and no more\nnDCG@10", f"{wide}a & b.\nnDCG@10"):
        cells.addItem("cell")
        cells.item(cells.count() - 1).setToolTip(plain_tooltip(lines))
    said = []
    with listening() as texts:
        for row in range(2):
            cells.setCurrentRow(row)
            tell_tip(cells)
        said += texts
    assert said == [f"{wide}and no more, nDCG@10", f"{wide}a & b. nDCG@10"]


def test_no_markup_is_heard_of_a_tooltip(qtbot):
    """Not even where its name says nothing of it: Qt would describe it by the tooltip as it is written."""
    shown = Text("x is better")
    qtbot.addWidget(shown)
    shown.setToolTip(plain_tooltip("p < 0.05\nof 20 queries"))
    with listening():
        say_once([shown])
        told = QAccessible.queryAccessibleInterface(shown).text(QAccessible.Text.Description)
    assert told == "p < 0.05 · of 20 queries"
