"""Awkward projects in every view: nothing is cut off, and what is empty says why."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from judgetool.core.judgments import Query
from judgetool.gui.actions import ACTIONS, Mode
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.import_dialog import ImportDialog
from judgetool.gui.panels.focus_side import SideHead
from judgetool.gui.theme import DENSITIES, set_density
from judgetool.gui.widgets.labels import KeyCap
from judgetool.session.commands import set_measures, set_title
from judgetool.session.comparing.snapshots import create_snapshot
from judgetool.session.comparing.system_values import named_systems
from judgetool.session.opening import open_project
from judgetool.session.whatifs.book import load_whatifs
from judgetool.session.whatifs.editing import create_whatif
from tests.gui.looks import Agreeing, is_quiet
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import (
    Parts,
    awkward_large_parts,
    lay_judged_sample,
    open_made,
    simple_parts,
)
from tests.helpers.fake_prompter import FakePrompter

BARE = {"empty": Parts(), "no run": Parts(queries=[Query("q", "soup")])}
SIZES = [(960, 600), (1100, 700), (1440, 900), (1920, 1080)]


def make(folder, parts):
    with open_made(folder, parts) as session:
        return session.path


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
def test_every_view_of_the_awkward_project_is_painted(qtbot, tmp_path, size):
    """5,000 results, 20 levels, long, right-to-left and empty texts are shown in all views."""
    with opened_window(qtbot, make(tmp_path, awkward_large_parts()), size=size) as window:
        for mode in window.views.modes:
            window.views.show(Mode(mode))
            for query in range(len(window.session.material.queries)):
                window.view.judging.show_query(query)
                assert not window.grab().isNull()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
def test_twenty_levels_are_all_within_the_bar(qtbot, tmp_path, size):
    """Each of twenty levels has its key in the grade bar, in list and focus; no half buttons."""
    with opened_window(qtbot, make(tmp_path, awkward_large_parts()), size=size) as window:
        bar = window.workspace.grade_bar
        for mode in (Mode.LIST, Mode.FOCUS):
            window.views.show(mode)
            qtbot.waitUntil(lambda: bar.levels[-1].geometry().right() <= bar.width())
            shown = [button for button in bar.actions_shown if button.isVisible()]
            assert all(button.geometry().right() <= bar.width() for button in shown)


@pytest.mark.parametrize(
    ("parts", "said"),
    [(Parts(), "of queries"), (Parts(queries=[Query("q", "soup")]), "This project has none")],
    ids=["empty", "no run"],
)
def test_without_a_run_the_values_say_what_to_do(qtbot, tmp_path, parts, said):
    """The panel of the values is never empty without a word."""
    with opened_window(qtbot, make(tmp_path, parts)) as window:
        values = window.live.values
        assert said in values.nothing
        assert "Project ▸ Import…" in values.nothing


def test_a_measure_without_rows_is_explained_by_none(qtbot, tmp_path):
    """NumQ counts queries: nothing of it stands by rank, in the list and in the comparison."""
    with opened_window(qtbot, make(tmp_path, simple_parts())) as window:
        window.session.execute(set_measures(["NumQ", "AP"]))
        for name, has_rows in (("NumQ", False), ("AP", True), ("NumQ", False)):
            window.live.choose_measure(name)
            ranks = window.live.explain_table.ranks
            qtbot.waitUntil(lambda has=has_rows, at=ranks: bool(at.rows) is has, timeout=5000)
        window.views.show(Mode.COMPARE)
        page = window.views.page(Mode.COMPARE)
        window.actions_by_name.action("compare.explain").trigger()
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        assert str(page.compared.pair.measure) == "NumQ"


def test_a_project_without_a_run_says_so_where_runs_are_chosen(qtbot, tmp_path):
    """The box of the runs shows ‘No run’ in whole."""
    with opened_window(qtbot, make(tmp_path, Parts(queries=[Query("q", "soup")]))) as window:
        runs = window.workspace.results.tools.runs
        empty = runs.grab().toImage()
        runs.setPlaceholderText("")
        assert runs.grab().toImage() != empty
        assert runs.field_width >= runs.fontMetrics().horizontalAdvance("No run")


@pytest.mark.parametrize("mode", [Mode.LIST, Mode.FOCUS])
def test_an_empty_project_says_what_to_do(qtbot, tmp_path, mode, monkeypatch):
    """Without queries the middle says so and offers to import."""
    with opened_window(qtbot, make(tmp_path, Parts())) as window:
        window.views.show(mode)
        workspace = window.workspace
        empty = workspace.nothing if mode is Mode.FOCUS else workspace.results.empty
        assert empty.isVisible()
        assert empty.sentence == "This project has no queries yet."
        assert QApplication.focusWidget() is empty.button
        asked = []
        monkeypatch.setattr(ImportDialog, "ask", lambda *given: asked.append(given[-1]))
        empty.act()
        assert asked == [()]


def test_a_query_without_documents_says_so_in_focus(qtbot, tmp_path):
    """Focus on a query that no run has is not a blank page; the next query is one."""
    with opened_window(qtbot, make(tmp_path, awkward_large_parts())) as window:
        window.views.show(Mode.FOCUS)
        find = window.session.material.find_query
        window.view.judging.show_query(find("no run"))
        assert window.workspace.nothing.isVisible()
        window.view.judging.show_query(find("bare"))
        assert not window.workspace.nothing.isVisible()


def test_the_switch_of_views_stays_in_a_small_window(qtbot, tmp_path):
    """At the least width the views are switched by icons alone, and by words where they fit."""
    with opened_window(qtbot, make(tmp_path, simple_parts()), size=(960, 600)) as window:
        narrow = window.top_line.switch.sizeHint().width()
        assert window.top_line.switch.isVisible()
        window.resize(1440, 900)
        qtbot.waitUntil(lambda: window.top_line.switch.sizeHint().width() > narrow)


def test_opening_in_focus_prepares_no_cards(qtbot, tmp_path):
    """A window that opens in focus has no list yet; judging on leads to the next query."""
    path = make(tmp_path, simple_parts())
    with opened_window(qtbot, path) as window:
        window.views.show(Mode.FOCUS)
    with opened_window(qtbot, path) as window:
        assert window.views.mode is Mode.FOCUS
        qtbot.keyClicks(window.focusWidget(), "0123012")
        assert len(window.session.iter_judgments()) == 7


@pytest.mark.parametrize(
    ("kind", "said"),
    [("empty", "has no queries yet"), ("no run", "reorders a run, and this project has none")],
)
def test_a_board_without_cards_says_why(qtbot, tmp_path, kind, said):
    """The what-if view is never empty without a word."""
    with opened_window(qtbot, make(tmp_path, BARE[kind])) as window:
        window.views.show(Mode.WHATIF)
        board = window.views.page(Mode.WHATIF).orders
        assert said in board.accessibleDescription()
        assert "Project ▸ Import…" in board.accessibleDescription()


@pytest.mark.parametrize("kind", BARE)
def test_no_action_does_anything_where_there_is_nothing(qtbot, tmp_path, monkeypatch, kind):
    """Without a run every action of every view can be asked for; dialogs are left, and nothing is written."""
    monkeypatch.setattr(ActDialog, "is_answered", lambda _dialog: False)
    groups = {"whatif", "compare", "agreement", "judge", "read", "edit", "material", "filter"}
    with opened_window(qtbot, make(tmp_path, BARE[kind])) as window:
        window.prompter = FakePrompter(files=[[]] * 99, places=[None] * 99, answers=[None] * 99)
        before = window.session.undo_step
        for mode in (Mode.WHATIF, Mode.COMPARE, Mode.AGREEMENT, Mode.LIST, Mode.FOCUS):
            for spec in ACTIONS:
                if spec.group in groups and (mode in spec.modes or not spec.modes):
                    window.views.show(mode)
                    window.actions_by_name.action(spec.name).trigger()
            qtbot.waitUntil(lambda: window.jobs.is_idle)
        assert window.session.undo_step == before
        assert not window.prompter.told


@pytest.mark.parametrize(
    ("mode", "action", "said"),
    [
        (Mode.LIST, "judge.next_unjudged", "This project has no queries yet."),
        (Mode.COMPARE, "compare.beside", "No run is here to compare. Import at least two."),
        (Mode.COMPARE, "compare.save_table", "There is no table to save yet."),
        (Mode.COMPARE, "compare.export_chart", "There is no chart to export yet."),
        (
            Mode.WHATIF,
            "whatif.rename",
            "There is no what-if to rename yet. Move a card to begin one.",
        ),
        (Mode.WHATIF, "whatif.undo_move", "Nothing was moved in this query."),
    ],
)
def test_without_a_run_an_action_says_why_it_does_nothing(qtbot, tmp_path, mode, action, said):
    """What a key asks for in an empty project is answered by a sentence."""
    with opened_window(qtbot, make(tmp_path, Parts())) as window:
        window.views.show(mode)
        window.actions_by_name.action(action).trigger()
        assert window.status.message.text == said


def test_where_no_query_is_shown_lists_take_changes_and_orders(qtbot, tmp_path):
    """An empty project is renamed, and its results are ordered otherwise, without a word."""
    with opened_window(qtbot, make(tmp_path, Parts())) as window:
        window.session.execute(set_title("Soups"))
        assert window.windowTitle().startswith("Soups")
        window.workspace.results.tools.orders.setFocus()
        qtbot.keyClick(window.workspace.results.tools.orders, Qt.Key.Key_Down)
        assert window.workspace.results.model.rowCount() == 0


# Density


@pytest.fixture
def standard_after():
    yield
    set_density("standard")


@pytest.mark.parametrize(("name", "card", "row"), [("compact", 48, 24), ("standard", 66, 28)])
def test_rows_are_as_dense_as_is_chosen(qtbot, tmp_path, standard_after, name, card, row):
    """View ▸ Compact rows and Standard rows set the heights that the look asks for."""
    with opened_window(qtbot, make(tmp_path, simple_parts())) as window:
        window.actions_by_name.action(f"view.{name}").trigger()
        assert window.workspace.results.table.rowHeight(0) == card
        assert window.queries.table.verticalHeader().defaultSectionSize() == row
        assert [
            choice for choice in DENSITIES
            if window.actions_by_name.action(f"view.{choice}").isChecked()
        ] == [name]  # fmt: skip
        assert not window.grab().isNull()


def test_density_is_kept(qtbot, tmp_path, standard_after):
    """Roomy rows are roomy the next time, letters and all, and the menu says so."""
    path = make(tmp_path, simple_parts())
    with opened_window(qtbot, path) as window:
        window.actions_by_name.action("view.roomy").trigger()
        height = window.workspace.results.table.rowHeight(0)
        assert height == 84
    with opened_window(qtbot, path) as window:
        assert window.workspace.results.table.rowHeight(0) == height
        assert window.actions_by_name.action("view.roomy").isChecked()
        window.actions_by_name.action("view.standard").trigger()
        assert window.workspace.results.table.rowHeight(0) == 66


# Keys that are printed


def test_printed_keys_are_the_persons_own(qtbot, tmp_path):
    """Header, side panel and page print the keys that the person has chosen."""
    with opened_window(qtbot, make(tmp_path, simple_parts())) as window:
        keymap = window.actions_by_name.keymap
        changes = {
            "judge.next_document": ("F8",),
            "read.guidelines": ("F9",),
            "judge.note": ("F10",),
        }
        window.actions_by_name.set_keymap(type(keymap)(keymap.preset, changes))
        window.views.show(Mode.FOCUS)
        caps = window.workspace.header.place.findChildren(KeyCap)
        assert [cap.text for cap in caps] == ["K", "F8"]
        heads = window.workspace.side.findChildren(SideHead)
        assert [head.keys for head in heads if head.isVisible()] == [("F9",), ("D",), ("Ctrl", "Z")]
        assert window.workspace.document.text.parts.keys["judge.note"] == "F10"


def test_titles_may_be_anything(qtbot, tmp_path):
    """A title of 500 letters neither widens the window nor stops it."""
    with opened_window(qtbot, make(tmp_path, simple_parts()), size=(960, 600)) as window:
        window.session.execute(set_title("long " * 100))
        press(qtbot, window, "2")
        assert window.width() == 960


def test_views_stand_that_all_material_is_taken_back(qtbot, tmp_path):
    """Somebody else undoes the import: of its queries and disputes, and a what-if of it, nothing is asked."""
    path = lay_judged_sample(tmp_path)
    with open_project(path, assessor="anna") as session:
        create_whatif(session, "moved", session.material.runs[1].run_id)
        create_snapshot(session, "then")
    with opened_window(qtbot, path, assessor="zoe") as window:
        window.prompter = Agreeing()
        for mode in Mode:
            window.views.show(mode)
            qtbot.waitUntil(lambda: is_quiet(window))
        window.actions_by_name.action("edit.undo").trigger()
        qtbot.waitUntil(lambda: not window.session.material.runs)
        for mode in Mode:
            window.views.show(mode)
            window.actions_by_name.action("view.text_larger").trigger()
            qtbot.waitUntil(lambda: is_quiet(window))
        assert window.views.page(Mode.COMPARE).compared.table is None
        assert [each.name for each in load_whatifs(window.session)] == ["moved"]
        assert "what-if" not in {each.kind for each in named_systems(window.session)}
