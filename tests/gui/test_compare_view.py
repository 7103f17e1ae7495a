"""The compare view on the real window, by keys."""

import csv
import io
import json
import re
import shlex
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QToolTip

from judgetool.core.judgments import Document, Query
from judgetool.core.number_text import format_p, signed_in_full
from judgetool.gui.actions import Mode
from judgetool.gui.compare.dialogs import ColumnsDialog, QueriesDialog, SignificanceDialog
from judgetool.gui.compare.next_pane import stake_text
from judgetool.gui.compare.query_pane import ExplainPane, PanePart, QueryHead
from judgetool.gui.compare.table_model import cell_lines, format_signed
from judgetool.gui.theme import Role, current_theme, install_fonts, text_width
from judgetool.gui.widgets.labels import ElidedLabel, PieceView
from judgetool.gui.widgets.status_line import MESSAGE_MS
from judgetool.metrics import ComparisonRules, Conventions
from judgetool.session.commands import (
    Say,
    SetValues,
    set_conventions,
    set_measures,
    set_title,
)
from judgetool.session.comparing.comparing import (
    comparison_rules,
    set_comparison_rules,
)
from judgetool.session.comparing.pair_bounds import pair_bounds_work
from judgetool.session.comparing.query_by_query import query_bounds, query_differences
from judgetool.session.comparing.snapshots import (
    board_as_of,
    create_snapshot,
    find_snapshot,
    load_snapshots,
    present_systems,
)
from judgetool.session.comparing.system_values import find_baseline, named_systems, ranking_of_any
from judgetool.session.comparing.tables import command_line
from judgetool.session.edits import add_document, add_query, delete_run, edit_query
from judgetool.session.systems import queries_where
from judgetool.session.whatifs.book import load_whatifs
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from judgetool.settings import Settings, save_settings
from tests.gui.compare_fixtures import computed, key_of, menu_of, opened_compare, row_named
from tests.gui.looks import is_quiet
from tests.gui.window_fixtures import (
    CTRL,
    Paints,
    answer_dialogs,
    lines_painted,
    listening,
    opened_window,
    press,
)
from tests.helpers.builders import Parts, make_project, open_sample, simple_parts
from tests.helpers.fake_prompter import FakePrompter
from tests.helpers.program import must
from tests.session.whatif_projects import compare_runs

NDCG = "nDCG@10"


def bounds_now(compared):
    """How far the current pair can go; ``None`` while that is not known."""
    return compared.known_bounds(compared.system.key, compared.measure)


def column_of(page, name):
    """Return a measure's place by its name."""
    return list(map(str, page.compared.table.measures)).index(name)


def test_values_are_there_before_significance(qtbot, tmp_path):
    """The table opens with means; intervals and p are computed afterwards."""
    with opened_compare(qtbot, tmp_path, is_computed=False) as (_, page):
        at_once = page.compared.table
        assert page.compared.is_computing
        computed(qtbot, page)
        then = page.compared.table
    means = [[cell.mean for cell in row.cells] for row in at_once.rows]
    assert means == [[cell.mean for cell in row.cells] for row in then.rows]
    assert all(cell.p is None for row in at_once.rows for cell in row.cells)
    assert then.rules is not None


def test_figures_are_those_of_the_session(qtbot, tmp_path):
    """The window shows what ``compare_runs`` gives, p after Holm too."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        shown = page.compared.table
        expected = compare_runs(window.session, page.compared.systems)
    assert shown == expected


def test_figures_are_those_of_the_command(qtbot, tmp_path):
    """``judgetool compare`` on the same file prints the same means, differences and p."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        path = window.session.path
        shown = {
            (row.system.name, str(measure)): (cell.difference, cell.p)
            for row in page.compared.table.rows
            for measure, cell in zip(page.compared.table.measures, row.cells, strict=True)
            if cell.pair is not None
        }
        baseline = page.compared.baseline.name
    options = ("--baseline", baseline, "--format", "json")
    printed = must("compare", "--project", path, *options).json["comparisons"]
    found = {(row["run"], row["measure"]): (row["difference"], row["p_holm"]) for row in printed}
    assert shown.keys() == found.keys()
    assert all(shown[key] == pytest.approx(found[key]) for key in shown)


def test_cancel_keeps_the_values(qtbot, tmp_path):
    """Cancel stops the computing, says so, and offers to begin again."""
    with opened_compare(qtbot, tmp_path, is_computed=False) as (_, page):
        qtbot.mouseClick(page.notes.button, Qt.MouseButton.LeftButton)
        computed(qtbot, page)
        assert page.notes.note.text.startswith("Stopped")
        assert page.compared.table.rules is None
        qtbot.mouseClick(page.notes.button, Qt.MouseButton.LeftButton)
        computed(qtbot, page)
        assert page.compared.table.rules is not None


def test_nothing_is_said_of_least_and_greatest_while_they_are_computed(qtbot, tmp_path):
    """The cell is said anew with them; N says that they are not computed."""
    with opened_compare(qtbot, tmp_path, is_computed=False) as (_, page):
        qtbot.mouseClick(page.notes.button, Qt.MouseButton.LeftButton)
        computed(qtbot, page)
        assert page.compared.table.rules is None
        cell = page.table.model().index(1, 1)
        page.table.setCurrentIndex(cell)
        assert "not computed" not in cell.data(Qt.ItemDataRole.AccessibleTextRole)
        assert "not computed" in cell.data(Qt.ItemDataRole.ToolTipRole)


def test_a_list_without_differences_says_why(qtbot, tmp_path):
    """A reader that comes to it hears more than that it has no rows."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        page.compared.choose_system(page.compared.baseline.key)
        name = page.compared.baseline.name
        assert page.differences.list.rows == ()
        assert page.differences.list.accessibleDescription() == f"{name} is the baseline"
        page.compared.choose_system(key_of(page, "title-bm25"))
        assert page.differences.list.accessibleDescription() == ""


def test_a_judgment_moves_the_table(qtbot, tmp_path):
    """After a judgment the table shows the means that hold now."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session, column = window.session, column_of(page, NDCG)
        query = next(
            number
            for number in range(len(session.material.queries))
            if session.board.progress(number).judged < session.board.progress(number).total
        )
        settled = session.board.settled(query)
        document = next(d for d in session.board.pool(query).tolist() if d not in settled)
        before = row_named(page, "chargrams").cells[column].mean.value
        session.execute(Say.grade(query, document, 3.0))
        qtbot.waitUntil(lambda: row_named(page, "chargrams").cells[column].mean.value != before)
        run = int(row_named(page, "chargrams").system.id)
        expected = session.board.engine.means(run)[column].value
        assert row_named(page, "chargrams").cells[column].mean.value == expected


def test_a_judgment_moves_the_count_of_queries(qtbot, tmp_path):
    """Over how many queries the means are is said anew with the first judgment of a query."""
    queries = [Query(f"q{number}", "soup") for number in range(3)]
    ranked = {query.id: ["a", "b"] for query in queries}
    runs = {"alpha": ranked, "beta": {**ranked, "q0": ["b", "a"]}}
    make_project(tmp_path, Parts(queries, [], runs, [("q0", "a", "anna", 1.0)])).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        said = page.head.queries
        assert said.currentText() == "all judged: 1 query"
        window.session.execute(Say.grade(1, int(window.session.board.pool(1)[0]), 2.0))
        qtbot.waitUntil(lambda: said.currentText() == "all judged: 2 queries")
        # Judged elsewhere it is said, too, when one comes back.
        qtbot.keyClick(window, Qt.Key.Key_1, CTRL)
        window.view.judging.show_query(2)
        press(qtbot, window, "2")
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        qtbot.waitUntil(lambda: said.currentText() == "all judged: 3 queries")


def test_bars_of_the_table_are_as_long_as_what_is_certain(qtbot, tmp_path):
    """Under each mean a bar is filled from the measure's least up to the least possible mean."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        table, column = page.table, page.compared.measure + 1
        image, accent = table.viewport().grab().toImage(), current_theme().accent
        lengths, lows = [], []
        for row, each in enumerate(table.table.rows):
            cell = table.visualRect(table.table.index(row, column))
            lines = range(cell.center().y() + 4, cell.bottom() - 4)
            across = range(cell.left() + 6, cell.right() - 6)

            def is_filled(x, lines=lines):
                # More than a line: what is possible is underlined in this colour.
                inks = [image.pixelColor(x, y) == accent for y in lines]
                return any(one and other for one, other in pairwise(inks))

            lengths.append(sum(map(is_filled, across)))
            lows.append(each.cells[column - 1].interval.low)
    assert len(set(lows)) > 1
    longest = max(lengths)
    assert longest > 20
    assert lengths == pytest.approx([longest * low / max(lows) for low in lows], abs=5)


@pytest.mark.parametrize(
    "command",
    [
        set_title("Another name"),
        SetValues({"term_sets": [{"name": "t", "colour": 1, "terms": ["wing"]}]}, "Term sets"),
        SetValues({"guidelines": "Read all."}, "Guidelines"),
        SetValues({"guidelines/1": "Read this."}, "Guidelines"),
        SetValues({"views/mine": ["grade:2"]}, "Save view"),
        SetValues({"blind": {"required_for": "nobody", "alias_ids": True}}, "Blind"),
        SetValues({"order": {"kind": "id"}}, "Order"),
    ],
    ids=lambda command: ",".join(command.values),
)
def test_what_no_figure_depends_on_computes_nothing(qtbot, tmp_path, command):
    """The table, its p and what is certain stay as they are; a judgment makes them anew."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        table, version = page.compared.table, page.compared.version
        window.session.execute(command)
        # Nothing waits to be made anew: leaving and coming back would do it.
        page.leave()
        page.enter()
        assert (page.compared.table, page.compared.version) == (table, version)
        window.session.execute(set_measures(("P@5",)))
        qtbot.waitUntil(lambda: page.compared.version != version)


def test_another_view_makes_the_table_anew(qtbot, tmp_path):
    """Whose judgments count is no change of the project, and changes its figures."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        version = page.compared.version
        window.choose_view("mine")
        qtbot.waitUntil(lambda: page.compared.version != version)


def test_arrows_choose_the_system(qtbot, tmp_path):
    """Down and up in the table choose which system is looked at."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        page.table.setCurrentIndex(page.table.table.index(0, 1))
        names = []
        for _ in page.compared.systems:
            names.append(page.compared.system.name)
            qtbot.keyClick(page.table, Qt.Key.Key_Down)
    assert names == [row.system.name for row in page.table.table.rows]


def test_right_chooses_the_measure(qtbot, tmp_path):
    """Left and right in the table choose the measure of everything below."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        before = page.compared.measure
        qtbot.keyClick(page.table, Qt.Key.Key_Left)
        assert page.compared.measure == before - 1
        assert str(page.compared.table.measures[before - 1]) in page.differences.title.text


def test_enter_explains_a_value(qtbot, tmp_path):
    """Enter on a value shows its arithmetic, which ends in the value itself."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
        assert page.query.part is PanePart.EXPLAIN
        explained = page.query.explain.table.explanation
        assert explained.result in page.query.head.in_words()


def test_ten_ranks_are_explained_without_scrolling_among_them(qtbot, tmp_path):
    """Where arithmetic and parts stand under each other they share one scroll bar."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
        ranks = page.query.explain.table.ranks
        qtbot.waitUntil(lambda: ranks.viewport().height() >= ranks.rowHeight(0) * len(ranks.rows))
        assert (len(ranks.rows), ranks.verticalScrollBar().maximum()) == (10, 0)


def test_o_orders_by_the_column(qtbot, tmp_path):
    """O orders by the cursor's column, largest first; again turns the order round.

    The baseline stays on top.
    """
    with opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.table, Qt.Key.Key_Left)
        column = page.compared.measure

        def shown():
            first, *others = page.table.table.rows
            assert first.is_baseline
            return [row.cells[column].mean.value for row in others]

        qtbot.keyClick(page.table, Qt.Key.Key_O)
        falling = shown()
        qtbot.keyClick(page.table, Qt.Key.Key_O)
        assert falling == sorted(falling, reverse=True)
        assert shown() == sorted(falling)


def test_the_table_opens_in_the_order_of_the_chosen_measure(qtbot, tmp_path):
    """What is looked at gives the order, as the arrow at its head says."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        assert page.table.table.sorted_by == page.compared.measure + 1


def test_columns_scroll_whole(qtbot, tmp_path):
    """Wherever the table is scrolled to, a column begins where the names end, and none is cut."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.resize(1200, 800)
        qtbot.waitUntil(lambda: page.table.horizontalScrollBar().maximum() > 0)
        bar, table = page.table.horizontalScrollBar(), page.table
        for value in range(0, bar.maximum() + 1, 37):
            bar.setValue(value)
            columns = range(1, table.table.columnCount())
            edges = [table.columnViewportPosition(column) for column in columns]
            assert table.columnWidth(0) in edges
            ends = [edge + table.columnWidth(c) for edge, c in zip(edges, columns, strict=True)]
            assert table.viewport().width() in ends


def test_a_column_says_how_alike_and_how_judged(qtbot, tmp_path):
    """Over a ranking stand how much of its top is judged and shared with the first, and RBO."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        content = page.query.rankings.content
    assert "shared" not in content.columns[0].likeness
    assert all(part in content.columns[1].likeness for part in (" judged", " shared", "RBO 0."))


def test_b_makes_the_baseline_of_the_project(qtbot, tmp_path):
    """B makes the current row the baseline, as a step that undo takes back."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        before = page.compared.baseline
        page.compared.choose_system(key_of(page, "title-bm25"))
        qtbot.keyClick(page.table, Qt.Key.Key_B)
        assert page.compared.baseline.name == "title-bm25"
        assert find_baseline(window.session).name == "title-bm25"
        qtbot.keyClick(page.table, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: page.compared.baseline == before)


def test_differences_are_worst_first(qtbot, tmp_path):
    """The chart has the queries of ``query_differences`` that differ, worst first, and counts."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        compared = page.compared
        found = query_differences(
            window.session, compared.system, compared.baseline, compared.pair.measure
        )
        shown = [row.difference for row in page.differences.list.rows]
        counts = page.differences.counts.accessibleDescription()
    assert shown == sorted(row.difference for row in found.rows if row.difference)
    assert counts == f"{found.n_better} better, {found.n_worse} worse, {found.n_equal} equal"


def test_a_difference_opens_its_query(qtbot, tmp_path):
    """Moving in the chart shows the query beside, and it is the query of all views."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        chart = page.differences.list
        chart.setFocus()
        qtbot.keyClick(chart, Qt.Key.Key_Home)
        qtbot.keyClick(chart, Qt.Key.Key_Down)
        query = chart.rows[1].number
        assert page.compared.query == query == window.view.judging.query
        assert window.session.material.queries[query].text in page.query.head.in_words()


def test_the_query_that_is_chosen_elsewhere_is_current_in_the_chart(qtbot, tmp_path):
    """All views are of one query: its row is the current one, and its head is painted anew."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        chart, head = page.differences.list, page.query.head
        query = next(row.number for row in chart.rows if row.number != chart.current)
        shown = {each for each in head.findChildren(PieceView) if each.isVisible()}
        paints = Paints(*shown)
        window.view.judging.show_query(query)
        assert chart.current == query
        qtbot.waitUntil(lambda: paints.seen == shown)


def test_a_query_s_title_has_its_line_where_values_beside_it_would_cut_it(qtbot):
    """In a narrow head values stand below, in the need's place, which is then in the tooltip."""
    head = QueryHead()
    qtbot.addWidget(head)
    head.set_query("cheap meals for a big family", "What feeds many for little.")
    head.set_values(NDCG, 0.25, 0.5)
    head.show()
    title, beside, below, need, _ = head.findChildren(PieceView)
    for width, is_narrow in ((900, False), (title.sizeHint().width() + 60, True), (900, False)):
        head.resize(width, head.height())
        assert (beside.isHidden(), below.isHidden()) == (is_narrow, not is_narrow)
        assert need.text == ("" if is_narrow else "What feeds many for little.")
    assert "What feeds many" in title.toolTip()
    assert head.in_words().endswith("0.2500 to 0.5000, change +0.2500")
    head.set_values(NDCG, 0.5, 0.5)
    assert head.in_words().endswith("0.5000 to 0.5000, change 0")


def test_verdict_says_no_more_than_p(qtbot, tmp_path):
    """Above 0.05 no difference is claimed; below it the better one is named."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        said = {}
        page.compared.choose_measure(column_of(page, NDCG))
        for name in ("chargrams", "title-bm25"):
            page.compared.choose_system(key_of(page, name))
            said[name] = page.differences.verdict.text()
    none = f"No difference between chargrams and full-bm25-stem by {NDCG} is shown for queries"
    assert said["chargrams"] == f"{none} like these."
    better = f"full-bm25-stem is better than title-bm25 by {NDCG}: "
    assert said["title-bm25"].startswith(better)


def test_f_puts_differences_first(qtbot, tmp_path):
    """F shows the ranks at which the rankings differ before the others."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.table, Qt.Key.Key_K)
        qtbot.keyClick(page.query.rankings, Qt.Key.Key_F)
        content = page.query.rankings.content
        tops = [[card.document for card in column.cards] for column in content.columns]
        is_same = [
            len({top[r - 1] if r <= len(top) else None for top in tops}) == 1 for r in content.order
        ]
    assert is_same == sorted(is_same)


def test_a_keeps_a_system_beside(qtbot, tmp_path):
    """A keeps the current system side by side while another one is looked at."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        page.compared.choose_system(key_of(page, "title-bm25"))
        qtbot.keyClick(page.table, Qt.Key.Key_A)
        page.compared.choose_system(key_of(page, "chargrams"))
        names = [column.system.name for column in page.query.rankings.content.columns]
    assert names == ["full-bm25-stem", "chargrams", "title-bm25"]


def test_a_lets_go_of_a_system_beside(qtbot, tmp_path):
    """A second A takes it away; a fifth ranking has no room, and it is said."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        for number in range(3):
            create_snapshot(window.session, f"s{number}")
        page.compared.choose_systems([each.key for each in named_systems(window.session)])
        said = []
        for system in [each for each in page.compared.systems if each != page.compared.baseline][
            :4
        ]:
            page.compared.choose_system(system.key)
            qtbot.keyClick(page.table, Qt.Key.Key_A)
            said.append(window.status.message.text)
        assert all(each.endswith("stays beside the others.") for each in said[:3])
        assert window.status.message.text.startswith("Four rankings stand side by side already")
        page.compared.choose_system(page.compared.beside[0].key)
        qtbot.keyClick(page.table, Qt.Key.Key_A)
        assert "does not stay beside the others" in window.status.message.text
        assert len(page.compared.beside) == 2


def test_the_tables_are_models_of_qts(qtbot, tmp_path):
    """Whatever Qt asks of a table, cells that are not there too, is answered."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        for view in (page.table, page.query.rankings):
            QAbstractItemModelTester(view.model())
        heads = page.table.model()
        assert heads.headerData(0, Qt.Orientation.Vertical) is None
        columns = range(heads.columnCount())
        named = [heads.headerData(at, Qt.Orientation.Horizontal) for at in columns]
        assert any(name.startswith(NDCG) for name in named)


def test_home_and_end_go_through_the_rankings(qtbot, tmp_path):
    """They lead to the first and the last rank of the column."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.table, Qt.Key.Key_K)
        rankings = page.query.rankings
        for key, row in ((Qt.Key.Key_End, rankings.model().rowCount() - 1), (Qt.Key.Key_Home, 0)):
            qtbot.keyClick(rankings, key)
            assert rankings.currentIndex().row() == row


def test_enter_on_a_document_shows_it_in_the_list(qtbot, tmp_path):
    """Enter in the rankings goes to that document in the list view."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        qtbot.keyClick(page.table, Qt.Key.Key_K)
        qtbot.keyClick(page.query.rankings, Qt.Key.Key_Right)
        card = page.query.rankings.current
        said = page.query.rankings.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
        assert f"rank {card.rank}, {card.title}" in said
        qtbot.keyClick(page.query.rankings, Qt.Key.Key_C, CTRL)
        copied = QGuiApplication.clipboard().text().splitlines()
        assert card.title in copied[card.rank]
        qtbot.keyClick(page.query.rankings, Qt.Key.Key_Return)
        assert window.views.mode is Mode.LIST
        assert window.view.judging.document == card.document


def test_curves_follow_the_query(qtbot, tmp_path):
    """C shows the query's curves; the contributions add up to its value."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        page.compared.choose_measure(column_of(page, NDCG))
        qtbot.keyClick(page.table, Qt.Key.Key_C)
        bars = page.query.charts.charts[-1].series[0]
        run, query = int(page.compared.system.id), page.compared.query
        value = window.session.board.engine.value(run, query)[page.compared.measure].value
    assert sum(bars.y) == pytest.approx(value)


def test_u_draws_all_queries(qtbot, tmp_path):
    """U draws means, grades by rank and the mean as judgments came."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.table, Qt.Key.Key_C)
        qtbot.keyClick(page.query.charts.views[0], Qt.Key.Key_U)
        qtbot.waitUntil(lambda: len(page.query.charts.charts) == 5)
        against_k, grades, over_time = page.query.charts.charts[2:]
        k = against_k.series[0].x.index(10.0)
        mean = row_named(page, page.compared.system.name).cells[column_of(page, NDCG)].mean.value
        if str(page.compared.pair.measure) == NDCG:
            assert against_k.series[0].y[k] == pytest.approx(mean)
            assert over_time.series[0].y[-1] == pytest.approx(mean)
        assert {each.kind for each in grades.series} == {"stack"}


@pytest.mark.parametrize("ending", [".png", ".svg", ".csv", ".pdf"])
def test_charts_go_into_files(qtbot, tmp_path, ending):
    """Shift+C writes the chart that has the keyboard."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        path = tmp_path / f"chart{ending}"
        window.prompter = FakePrompter(places=[path])
        qtbot.keyClick(page.table, Qt.Key.Key_C)
        qtbot.keyClick(page.query.charts.views[0], Qt.Key.Key_C, Qt.KeyboardModifier.ShiftModifier)
        assert path.stat().st_size > 100


@pytest.mark.parametrize("key", [Qt.Key.Key_T, Qt.Key.Key_Escape])
def test_the_slider_of_moments_has_the_keyboard_while_it_is_there(qtbot, tmp_path, key):
    """T gives it the arrows at once, so that no other measure is drawn; T or Esc give them back."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session = window.session
        for document in session.board.pool(0).tolist()[:2]:
            before = session.clock()
            session.execute(Say.grade(0, document, 1.0))
            # Two moments are two times.
            qtbot.waitUntil(lambda before=before: session.clock() > before + 1)
        page.table.setFocus()
        measure = page.compared.measure
        qtbot.keyClick(page.table, Qt.Key.Key_T)
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Left)
        qtbot.waitUntil(lambda: page.moments.slider.maximum() >= 1)
        for _ in range(2):
            qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Left)
        assert window.focusWidget() is page.moments.slider
        assert page.moments.moment is not None
        assert page.compared.measure == measure
        qtbot.keyClick(window.focusWidget(), key)
        assert not page.moments.isVisible()
        assert window.focusWidget() is page.table
        assert page.moments.moment is None or page.moments.isHidden()


def test_values_as_of_a_moment(qtbot, tmp_path):
    """T opens the slider; at an earlier moment the table has the means of then."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session = window.session
        query, column = 0, column_of(page, NDCG)
        documents = session.board.pool(query).tolist()[:2]
        for document in documents:
            before = session.clock()
            session.execute(Say.grade(query, document, 1.0))
            # Two moments are two times.
            qtbot.waitUntil(lambda before=before: session.clock() > before + 1)
        qtbot.keyClick(page.table, Qt.Key.Key_T)
        slider = page.moments.slider
        qtbot.waitUntil(lambda: slider.maximum() >= 2)
        # The slider takes its room of the queries, not of the rows.
        assert page.table.verticalScrollBar().maximum() == 0
        qtbot.keyClick(slider, Qt.Key.Key_Left)
        qtbot.waitUntil(lambda: "as of" in page.notes.note.text)
        moment = page.moments.moment
        board = board_as_of(session, moment.event_id)
        for row in page.table.table.rows:
            expected = board.engine.means(int(row.system.id))[column].value
            assert row.cells[column].mean.value == pytest.approx(expected)
        # What is saved is what is shown, with the command that gives it again.
        places = [tmp_path / "then.csv", tmp_path / "then.md"]
        window.prompter = FakePrompter(places=places)
        for _ in places:
            page.save_table()
        saved = list(csv.DictReader(io.StringIO(places[0].read_text("utf-8"))))
        (command,) = re.findall("judgetool compare [^`]*", places[1].read_text("utf-8"))
        assert "--as-of" in command
        words = [str(session.path) if w == session.path.name else w for w in shlex.split(command)]
        printed = must(*words[1:], "--format", "json").json["comparisons"]
        shown = {(row["run"], row["measure"]): row["difference"] for row in saved}
        assert len(printed) > 4
        for row in printed:
            assert float(shown[row["run"], row["measure"]]) == pytest.approx(
                row["difference"], abs=1e-6
            )


def test_that_a_table_is_worked_out_is_said_until_it_is_written(qtbot, tmp_path):
    """However long that takes: no clock takes it away."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        place, status = tmp_path / "table.csv", window.status
        window.prompter = FakePrompter(places=[place])
        page.save_table()
        assert status.message.text.startswith("Working out how far")
        clocks = [each for each in status.findChildren(QTimer) if each.interval() == MESSAGE_MS]
        assert [each.isActive() for each in clocks] == [False]
        qtbot.waitUntil(lambda: "Written" in status.message.text)


def test_what_is_worked_out_for_a_table_is_not_said_of_a_project_that_is_left(qtbot, tmp_path):
    """With the project the work goes, and what was said of it."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.prompter = FakePrompter(places=[tmp_path / "table.csv"])
        page.save_table()
        window.close_project()
        assert window.status.message.text == ""


def test_a_table_whose_figures_change_while_it_is_worked_out_is_not_saved(qtbot, tmp_path):
    """A judgment that comes before the bounds are known: nothing is written, and that is said."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        place = tmp_path / "table.csv"
        window.prompter = FakePrompter(places=[place, place])
        page.save_table()
        window.session.execute(Say.grade(1, window.session.board.pool(1).tolist()[0], 1.0))
        qtbot.waitUntil(lambda: "not saved" in window.status.message.text)
        assert not place.exists()
        computed(qtbot, page)
        page.save_table()
        qtbot.waitUntil(place.exists)


def list_stakes(qtbot, page):
    """Have W list what is at stake between the baseline and another run."""
    page.compared.choose_measure(column_of(page, NDCG))
    page.compared.choose_system(key_of(page, "chargrams"))
    qtbot.keyClick(page.table, Qt.Key.Key_W)
    qtbot.waitUntil(lambda: bool(page.query.next.rows))


def test_w_lists_what_is_at_stake_and_j_judges_it(qtbot, tmp_path):
    """W lists documents by stake; J opens the first, a grade leads to the next, then to the end."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        rows = [row.found for row in page.query.next.rows]
        assert [row.stake for row in rows] == sorted((row.stake for row in rows), reverse=True)
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        assert window.views.mode is Mode.LIST
        judging = window.view.judging
        places = []
        for _ in range(3):
            places.append((judging.query, judging.document))
            press(qtbot, window, "2")
        assert places == [(row.query, row.document) for row in rows[:3]]
        window.actions_by_name.action("compare.stop_judging").trigger()
        assert page.queue is None
        assert "Ctrl+4 compares again." in window.status.message.text
        window.views.show(Mode.COMPARE)
        page.judge([(row.query, row.document) for row in rows[3:5]])
        window.views.show(Mode.COMPARE)
        window.actions_by_name.action("compare.stop_judging").trigger()
        assert "at stake judged." in window.status.message.text
        assert "compares again" not in window.status.message.text


def test_while_stakes_are_judged_it_is_told_what_has_become_certain(qtbot, tmp_path):
    """Not before it is; from then on no grade can turn the pair, and the place in the queue says so, too."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        pair, message = page.compared.pair, window.status.message
        assert not pair_bounds_work(*pair)(None, None).is_certain
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        said = "On these queries, certain: "
        while page.queue is not None and not pair_bounds_work(*pair)(None, None).is_certain:
            assert said not in message.text
            press(qtbot, window, "3")
        qtbot.waitUntil(lambda: said in message.text)
        assert message.text.endswith("Ctrl+4 compares again.")
        assert page.queue is not None
        press(qtbot, window, "3")
        assert message.text.startswith("At stake: ")
        assert said in message.text
        assert "unjudged" not in message.text


def test_who_judges_what_is_at_stake_blind_is_not_sent_to_compare(qtbot, tmp_path):
    """It is closed to them."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        window.actions_by_name.action("flow.blind").trigger()
        press(qtbot, window, "3")
        assert window.status.message.text.startswith("At stake: 2 of ")
        assert "compares again" not in window.status.message.text


def test_while_stakes_are_judged_it_is_said_what_was_undone(qtbot, tmp_path):
    """With Redo beside it; the next move says the place in the queue again."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        first = page.query.next.rows[0].found[:2]
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        press(qtbot, window, "3")
        qtbot.waitUntil(lambda: window.status.message.text.startswith("At stake: 2 of "))
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        assert window.status.message.text.startswith("Undone: grade 3 for ")
        assert window.status.message_action.text() == "Redo"
        assert (window.view.judging.query, window.view.judging.document) == first
        press(qtbot, window, "3")
        qtbot.waitUntil(lambda: window.status.message.text.startswith("At stake: 2 of "))


def test_of_a_run_that_was_taken_out_meanwhile_nothing_becomes_certain(qtbot, tmp_path):
    """It is not looked for any more; what was judged stays."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        first = page.query.next.rows[0].found[:2]
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        press(qtbot, window, "3")
        delete_run(window.session, int(page.compared.pair.system.id))
        qtbot.waitUntil(lambda: is_quiet(window))
        assert window.session.own_judgment(*first).grade == 3.0


def test_nothing_to_judge_is_not_told_as_nothing_open(qtbot, tmp_path):
    """What cannot be judged, as was said of it, matters in the first line and is not listed."""
    runs, judged = {"alpha": {"q": ["a"]}, "beta": {"q": ["b"]}}, [("q", "a", "anna", 1.0)]
    with make_project(tmp_path, Parts([Query("q", "soup")], [], runs, judged)) as session:
        session.execute(set_measures(("P@1",)))
        session.execute(Say.cannot_judge(0, session.material.find_document("b")))
        path = session.path
    with opened_window(qtbot, path) as window:
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        computed(qtbot, page)
        page.compared.choose_system(key_of(page, "beta"))
        qtbot.keyClick(page.table, Qt.Key.Key_W)
        said = page.query.next.verdict.text
        qtbot.waitUntil(lambda: "the 1 unjudged document that matters" in said())
        assert said().endswith("No single document that can still be judged would change it.")


def test_each_stake_says_which_way_it_goes_and_what_only_brings_its_query_in(qtbot, tmp_path):
    """P@1 of beta less alpha: −1, 1, −1 in three queries, a mean of −1 ÷ 3; of two more nothing is known."""
    queries = [Query(f"q{n}", f"soup {n}", category="hot" if n < 3 else "cold") for n in range(5)]
    first, second = ["a", "s", "x", "c", "e"], ["b", "s", "y", "d", "f"]
    runs = {
        name: {f"q{n}": [document] for n, document in enumerate(column)}
        for name, column in (("alpha", first), ("beta", second))
    }
    given = [("q0", "a", 1.0), ("q3", "d", 1.0), ("q4", "e", 1.0), ("q4", "f", 0.0)]
    judged = [(query, document, "anna", grade) for query, document, grade in given]
    with make_project(tmp_path, Parts(queries, [], runs, judged)) as session:
        session.execute(set_measures(("P@1",)))
        path = session.path
    with opened_window(qtbot, path) as window:
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        computed(qtbot, page)
        offered = {page.head.queries.itemText(at) for at in range(page.head.queries.count())}
        assert {
            "category cold: 2 queries",
            "category hot: 3 queries, 1 of them judged",
        } <= offered
        page.compared.choose_system(key_of(page, "beta"))
        qtbot.keyClick(page.table, Qt.Key.Key_W)
        pane = page.query.next
        qtbot.waitUntil(lambda: bool(pane.rows))
        shown = {
            window.session.material.document_id(row.found.document): stake_text(row.found)
            for row in pane.rows
        }
        assert shown == {
            "b": f"+{(-1 + 2) / 3:.4f}",  # as good as alpha's: (0 + 1 − 1) ÷ 3
            "c": f"−{(-1 + 2) / 3:.4f}",  # no better than it: (−1 + 0 − 1) ÷ 3
            "y": f"+{0 + 1 / 3:.4f}",  # (−1 + 1) ÷ 4, or (−1 + 0) ÷ 4
            "x": f"±{1 / 2 - 1 / 3:.4f}",  # (−1 − 1) ÷ 4, or (−1 + 0) ÷ 4
            "s": f"+{1 / 3 - 1 / 4:.4f}",  # (−1 + 0) ÷ 4, however it is graded
        }
        told = pane.list.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert f"stake {stake_text(pane.rows[0].found)}" in told
        assert "however the 4 unjudged documents that matter are graded" in pane.verdict.text()
        assert pane.verdict.text().endswith(
            "5 documents are at stake; 2 could turn it alone (◆); "
            "1 only brings in its query, which does not count yet."
        )
        pane.aims.setCurrentIndex(pane.aims.findData("narrow"))
        pane.aims.activated.emit(pane.aims.currentIndex())
        qtbot.waitUntil(lambda: {row.found.sign for row in pane.rows} == {None})
        assert {stake_text(row.found)[0] for row in pane.rows} == {"0"}


def test_a_part_that_is_asked_for_has_the_keyboard_in_a_row(qtbot, tmp_path):
    """X of the baseline leads to its ranks, as there is no difference; nothing else is met on the way."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.table, Qt.Key.Key_B)
        qtbot.keyClick(page.table, Qt.Key.Key_W)
        qtbot.waitUntil(lambda: bool(page.query.next.rows))
        met = []
        QApplication.instance().focusChanged.connect(lambda _old, new: met.append(new))
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_X)
        ranks = page.query.explain.table.ranks
        assert [each for each in met if each is not None] == [ranks]
        assert ranks.currentIndex().isValid()


def test_another_project_says_nothing_of_what_was_at_stake(qtbot, tmp_path):
    """What was judged of the queue is of the project that is left."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        page.judge([(0, int(window.session.board.pool(0)[0]))])
        said = []
        window.status.message_shown.connect(said.append)
        window.judge_handler.take_assessor("zoe")
        assert not any("at stake" in each for each in said)


def test_what_comes_to_be_known_of_a_cell_is_said_alone(qtbot, tmp_path):
    """Its value was said when one came to it: bounds and p follow."""
    with listening() as texts, opened_compare(qtbot, tmp_path) as (_, page):
        qtbot.waitUntil(lambda: any("after Holm" in each for each in texts))
        cell = page.table.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole)
    assert cell not in texts
    assert not any("difference" in each for each in texts)


def test_the_command_says_which_way_as_the_list_does(qtbot, tmp_path):
    """What can only raise the difference is told from what can only lower it."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        compared = page.compared
        measure = str(compared.table.measures[compared.measure])
        names = ("--run", compared.system.name, "--baseline", compared.table.baseline.name)
        asked = ("--project", window.session.path, *names, "-m", measure, "--show", "stake")
        rows = must("compare", *asked, "--format", "json").json["rows"]
        ways = {"up": "+", "down": "−", "either way": "±"}
        told = [ways[row["moves the difference"]] for row in rows[:20]]
        assert len(set(told)) > 1
        assert told == [stake_text(row.found)[0] for row in page.query.next.rows[:20]]


def test_the_order_is_by_stake_as_long_as_that_leads(qtbot, tmp_path):
    """Blind, too, where documents come by chance else."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        window.actions_by_name.action("flow.blind").trigger()
        assert window.status.remark.text == "Order: by stake"
        page.stop_judging()
        assert window.status.remark.text == "Order: random, seed 1"


def test_undo_goes_back_within_what_is_at_stake(qtbot, tmp_path):
    """Undo leads to the document undone, which is open again, and is judged again."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        first, second = (row.found for row in page.query.next.rows[:2])
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        judging, places = window.view.judging, []
        page.queue.moved.connect(lambda place, _total: places.append(place))
        press(qtbot, window, "2")
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        assert (judging.query, judging.document) == (first.query, first.document)
        press(qtbot, window, "2")
        assert (judging.query, judging.document) == (second.query, second.document)
        assert places == [2, 2]


def test_what_is_at_stake_goes_on_without_a_query_that_goes(qtbot, tmp_path):
    """Undone meanwhile, as an import may be: its document is passed over, the others come."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session, judging = window.session, window.view.judging
        list_stakes(qtbot, page)
        others = [(row.found.query, row.found.document) for row in page.query.next.rows[:2]]
        add_query(session, Query("new", "a new soup"))
        add_document(session, session.material.find_query("new"), Document("x", "Soup"))
        page.judge([others[0], (20, session.material.find_document("x")), others[1]])
        press(qtbot, window, "2")
        assert (judging.query, page.queue.is_running) == (20, True)
        for _ in range(3):
            session.undo()
        qtbot.waitUntil(lambda: window.schedule.is_settled)
        judging.move_to_next_unjudged()
        assert (judging.query, judging.document) in others
        assert window.status.message.text.startswith("At stake: 2 of 2.")


def test_n_stays_within_what_is_at_stake(qtbot, tmp_path):
    """While the listed pairs are judged, N leads to the next of them, and to no other document."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        list_stakes(qtbot, page)
        rows = [row.found for row in page.query.next.rows]
        qtbot.keyClick(page.query.next.list, Qt.Key.Key_J)
        judging = window.view.judging
        for row in rows[:3]:
            assert (judging.query, judging.document) == (row.query, row.document)
            press(qtbot, window, "n")


def test_nothing_is_computed_after_leaving(qtbot, tmp_path):
    """Another view stops the computing; coming back goes on with it."""
    with opened_compare(qtbot, tmp_path, is_computed=False) as (window, page):
        qtbot.keyClick(window, Qt.Key.Key_1, CTRL)
        assert not page.compared.is_computing
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        computed(qtbot, page)
        assert page.compared.table.rules is not None


def test_other_views_cost_nothing(qtbot, tmp_path):
    """While another view is shown, another query is not looked at here; on coming back it is."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        before = page.query.head.in_words()
        qtbot.keyClick(window, Qt.Key.Key_1, CTRL)
        window.view.judging.move_query_by(1)
        assert page.query.head.in_words() == before
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        assert page.compared.query == window.view.judging.query
        assert page.query.head.in_words() != before


def test_blind_mode_hides_the_comparison(qtbot, tmp_path):
    """In blind mode the view can be neither reached nor seen."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        qtbot.keyClick(window, Qt.Key.Key_1, CTRL)
        press(qtbot, window, "b")
        assert not window.actions_by_name.action("compare.show").isEnabled()
        page.enter()
        assert page.widget.currentWidget() is page.empty


def test_an_empty_whatif_changes_no_p(qtbot, tmp_path):
    """A what-if, or a snapshot beside the runs, changes no p of these until it is chosen to."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        before = [cell.p for cell in row_named(page, "chargrams").cells]
        create_whatif(window.session, "tried", int(present_systems(window.session)[0].id))
        qtbot.waitUntil(lambda: len(page.compared.systems) == 4)
        computed(qtbot, page)
        assert [cell.p for cell in row_named(page, "chargrams").cells] == before
        assert "what-ifs and snapshots apart" in page.notes.note.text
        snapshot = find_snapshot(window.session, create_snapshot(window.session, "march"))
        keys = [each.key for each in (*page.compared.systems, *snapshot.systems)]
        for is_together in (False, True):
            page.compared.choose_systems(keys, is_together=is_together)
            computed(qtbot, page)
            assert len(page.compared.systems) == 8
            now = [cell.p for cell in row_named(page, "chargrams").cells]
            assert (now == before) is not is_together


def test_a_snapshot_of_fewer_queries_says_over_which_its_difference_is(qtbot, tmp_path):
    """Its mean and the baseline’s are of other queries: the two that make up the difference stand beside it."""
    parts = simple_parts()
    with make_project(tmp_path, parts) as session:
        session.execute(Say.grade(0, session.material.find_document("d3"), 1.0))
        create_snapshot(session, "before")
        session.execute(Say.grade(1, session.material.find_document("d0"), 1.0))
    with opened_window(qtbot, session.path) as window:
        press(qtbot, window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        (then,) = load_snapshots(window.session)[0].systems
        page.compared.choose_systems([page.compared.systems[0].key, then.key], is_together=False)
        computed(qtbot, page)
        place = column_of(page, NDCG)
        table = page.compared.table
        row = next(each for each in table.rows if each.system.snapshot)
        value, baseline, difference, *_ = cell_lines(table, row, place)
        assert value.endswith(", over 1 query")
        assert baseline.endswith(", over 2 queries")
        assert "difference 0, over the 1 query that both have: 0.4307 − 0.4307" in difference
        assert "1 to 2 queries" in page.head.queries.itemText(0)


def test_the_test_is_chosen_and_kept(qtbot, tmp_path):
    """Another test and correction are used at once, kept in the project, and undone."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        before = [cell.p for cell in row_named(page, "chargrams").cells]
        dialog = SignificanceDialog(comparison_rules(window.session))
        dialog.test.setCurrentIndex(dialog.test.findData("t"))
        dialog.correction.setCurrentIndex(dialog.correction.findData("none"))
        set_comparison_rules(window.session, dialog.answer)
        dialog.deleteLater()
        qtbot.waitUntil(lambda: "Student" in page.notes.note.text)
        cells = row_named(page, "chargrams").cells
        tested = [cell for cell in cells if cell.p is not None]
        assert all(cell.p == cell.pair.significance.p for cell in tested)
        qtbot.keyClick(page.table, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(
            lambda: (
                not page.compared.is_computing
                and [cell.p for cell in row_named(page, "chargrams").cells] == before
            ),
        )


def test_a_cell_says_all_its_numbers(qtbot, tmp_path):
    """The tooltip of a cell has bounds, difference, its interval, p alone and corrected, effect."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        model = page.table.table
        row = model.place_of(key_of(page, "chargrams"))
        index = model.index(row, 1 + column_of(page, NDCG))
        told = model.data(index, Qt.ItemDataRole.ToolTipRole)
    for part in ("between ", "difference ", "95 % interval ", "after Holm over 2 tests", "effect "):
        assert part in told


def test_n_says_least_and_greatest_of_old_new_and_difference(qtbot, tmp_path):
    """By key on a cell, and on a query beneath: what is not known yet comes as it is found."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        page.compared.choose_measure(column_of(page, NDCG))
        page.compared.choose_system(key_of(page, "chargrams"))
        page.table.setFocus()
        qtbot.keyClick(page.table, Qt.Key.Key_N)
        qtbot.waitUntil(lambda: bounds_now(page.compared) is not None)
        index = page.table.currentIndex()
        (new, old, difference, *_) = page.table.table.lines(index.row(), index.column())
        compared = page.compared
        found = pair_bounds_work(
            window.session, compared.system, compared.baseline, compared.pair.measure
        )(None, None)
        assert new.startswith(f"{NDCG} 0.7960")
        assert old.startswith("baseline full-bm25-stem 0.7808")
        for end in (found.low, found.high):
            assert format_signed(end) in difference
        for row in (row_named(page, "chargrams"), row_named(page, "full-bm25-stem")):
            bounds = row.cells[compared.measure].interval
            told = new if row.system == compared.system else old
            assert f"{bounds.low:.4f}" in told
            assert f"{bounds.high:.4f}" in told
        assert QToolTip.isVisible()
        assert difference in QToolTip.text()
        chart = page.differences.list
        chart.setFocus()
        qtbot.keyClick(chart, Qt.Key.Key_Home)
        qtbot.keyClick(chart, Qt.Key.Key_N)
        query = chart.rows[0].number
        ends = query_bounds(
            window.session, compared.system, compared.baseline, compared.pair.measure, query
        )
        said = chart.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        for bounds in ends[:2]:
            assert f"{bounds.low:.4f}" in said
            assert f"{bounds.high:.4f}" in said
        assert format_signed(ends.difference.low) in said
        QToolTip.hideText()
        qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_measures_and_queries_of_the_table_are_chosen(qtbot, tmp_path):
    """Chosen measures alone are columns; over chosen queries figures are those of them alone."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        compared, names = page.compared, ("AP", NDCG)
        dialog = ColumnsDialog(window.session.measures, compared.table.measures)
        qtbot.addWidget(dialog)
        for name, box in dialog.boxes.items():
            box.setChecked(name in names)
        compared.choose_measure(column_of(page, NDCG))
        before = row_named(page, "chargrams").cells[column_of(page, NDCG)].mean.value
        compared.choose_columns(dialog.answer)
        assert set(map(str, compared.table.measures)) == set(names)
        assert str(compared.pair.measure) == NDCG
        column = column_of(page, NDCG)
        assert row_named(page, "chargrams").cells[column].mean.value == before
        asked = QueriesDialog(window.session, "")
        qtbot.addWidget(asked)
        asked.where.setText("nothing-has-this-word")
        assert not asked.verb.isEnabled()
        asked.where.setText("for")
        assert asked.verb.isEnabled()
        compared.choose_where(asked.answer)
        computed(qtbot, page)
        table = compare_runs(window.session, compared.systems, compared.table.measures, where="for")
        assert compared.table == table
        assert page.head.queries.currentText().startswith("for: ")
        rows = {row.number for row in page.differences.list.rows}
        kept = queries_where(window.session, "for")
        assert rows
        assert all(kept[row] for row in rows)
        qtbot.keyClick(page.table, Qt.Key.Key_W)
        pane = page.query.next
        qtbot.waitUntil(lambda: bool(pane.rows))
        assert all(kept[row.found.query] for row in pane.rows)


def test_groups_of_queries_are_shown_with_their_tests(qtbot, tmp_path):
    """By a category each group has a head with its mean; p of it comes, is heard and is in the tooltip."""
    queries = [Query(f"q{n}", f"soup {n}", category="cold" if n % 2 else "hot") for n in range(6)]
    ranked = {query.id: ["a", "b", "c"] for query in queries}
    other = {each: ["c", "b", "a"] for each in ranked}
    judgments = [(name, "a", "anna", 3.0) for name in ranked]
    parts = Parts(queries, [], {"alpha": ranked, "beta": other}, judgments)
    make_project(tmp_path, parts).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        computed(qtbot, page)
        pane = page.differences
        pane.groups.setCurrentIndex(1)
        pane.groups.activated.emit(1)
        qtbot.waitUntil(lambda: bool(pane.tests))
        head = pane.list.model().index(0, 0)
        assert head.data(Qt.ItemDataRole.AccessibleTextRole).startswith("Group cold, mean ")
        lines = head.data(Qt.ItemDataRole.ToolTipRole)
        assert "baseline" in lines
        assert "corrected for 2 groups" in lines
        assert "cold" in "".join(lines_painted(pane.list.viewport()))


def test_the_baseline_stays_while_rows_scroll(qtbot, tmp_path):
    """Of many runs the baseline's row lies over the others, and none is current under it."""
    ranked = {f"q{number}": ["a", "b", "c"] for number in range(3)}
    queries = [Query(name, "soup") for name in ranked]
    runs = {f"a-run-with-a-long-name-{number:02}": ranked for number in range(20)}
    make_project(tmp_path, Parts(queries, [], runs, [("q0", "a", "anna", 1.0)])).close()
    with opened_window(qtbot, tmp_path / "small.judge") as window:
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        computed(qtbot, page)
        table = page.table
        qtbot.waitUntil(table.top.isVisible)
        table.setFocus()
        table.setCurrentIndex(table.table.index(19, 1))
        assert table.verticalScrollBar().value() > 0
        top = table.top.mapTo(table, QPoint(0, 0)).y()
        assert top == table.horizontalHeader().height()
        assert table.top.rowAt(1) == 0
        for row in range(18, 0, -1):
            qtbot.keyClick(table, Qt.Key.Key_Up)
            assert table.currentIndex().row() == row
            assert table.rowViewportPosition(row) >= table.top.height()


def test_bounds_of_the_difference_are_said(qtbot, tmp_path):
    """Under the verdict stands between which bounds the difference lies on these queries."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        page.compared.choose_measure(column_of(page, NDCG))
        page.compared.choose_system(key_of(page, "chargrams"))
        qtbot.waitUntil(lambda: bounds_now(page.compared) is not None)
        compared = page.compared
        found = pair_bounds_work(
            window.session, compared.system, compared.baseline, compared.pair.measure
        )(None, None)
        said = page.differences.certain.text()
    assert signed_in_full(found.low) in said
    assert signed_in_full(found.high) in said


def by_hand(session, system, query, depth):
    """Relevant and unjudged documents among the first of a ranking, looked at one by one."""
    grades = {number: said.grade for number, said in session.board.settled(query).items()}
    top = ranking_of_any(session, system, query)[:depth].tolist()
    return sum((grades.get(each) or 0) >= 1 for each in top), {*top} - {*grades}


def _open(sides):
    """The unjudged documents that both runs have at the top, query by query."""
    return [(here[1], there[1]) for here, there in zip(*sides, strict=True)]


def test_every_number_of_a_pair_is_that_of_the_command_and_of_a_hand(qtbot, tmp_path):
    """P@5 by t: means, difference, p, effect, bounds, wins on the screen, all worked out twice."""
    from scipy import stats

    with opened_compare(qtbot, tmp_path) as (window, page):
        session, compared = window.session, page.compared
        session.execute(set_measures(["P@5"]))
        set_comparison_rules(session, ComparisonRules(test="t", correction="none"))
        qtbot.waitUntil(lambda: not compared.is_computing and compared.table.rules.test == "t")
        compared.choose_system(key_of(page, "title-bm25"))
        qtbot.waitUntil(lambda: bounds_now(compared) is not None)
        pair, path = compared.pair, session.path
        counted = [each for each in range(session.board.n_queries) if session.board.settled(each)]
        sides = [
            [by_hand(session, each, query, 5) for query in range(session.board.n_queries)]
            for each in (pair.system, pair.baseline)
        ]
        shown = page.table.table.data(
            page.table.table.index(page.table.table.place_of(pair.system.key), 1),
            Qt.ItemDataRole.ToolTipRole,
        )
        parts = (page.differences.verdict, page.differences.reason, page.differences.certain)
        said = [part.text() for part in parts]
        counts = page.differences.counts.text
    differences = np.array([(sides[0][each][0] - sides[1][each][0]) / 5 for each in counted])
    found = stats.ttest_1samp(differences, 0.0)
    effect = differences.mean() / differences.std(ddof=1)
    reach = np.array([[-len(there - here), len(here - there)] for here, there in _open(sides)]) / 5
    low, high = differences.mean() + reach[counted].sum(axis=0) / len(counted)
    # A query that nobody has judged may come to count.
    for query in {*range(len(reach))} - {*counted}:
        ends = (np.array([low, high]) * len(counted) + reach[query]) / (len(counted) + 1)
        low, high = min(low, ends[0]), max(high, ends[1])
    own = np.mean([sides[0][each][0] / 5 for each in counted])
    p = format_p(found.pvalue, 0.05)
    numbers = (signed_in_full(differences.mean()), p, f"{effect:+.2f}".replace("-", "−"))
    assert all(number in said[1] for number in numbers)
    assert f"{signed_in_full(low)} to {signed_in_full(high)}" in said[2]
    assert f"P@5 {own:.4f}" in shown
    assert p in shown
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    assert counts == f"▲ {wins}  ▼ {losses}  = {len(counted) - wins - losses}"
    wished = ("compare", "--project", path, "--baseline", pair.baseline.name, "--intervals")
    rows = must(*wished, "--format", "json").json["comparisons"]
    row = next(each for each in rows if each["run"] == "title-bm25")
    assert row["verdict"]["text"] == " ".join(said)
    assert (row["p"], row["effect"]) == (pytest.approx(found.pvalue), pytest.approx(effect))
    assert (row["min"], row["max"]) == (pytest.approx(low), pytest.approx(high))
    assert (row["wins"], row["losses"], row["mean"]) == (wins, losses, pytest.approx(own))


def test_what_could_overturn_is_said_to_lean(qtbot, tmp_path):
    """The one-sided list says that the difference leans while it is judged; the fair one does not."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        page.compared.choose_measure(column_of(page, NDCG))
        page.compared.choose_system(key_of(page, "chargrams"))
        qtbot.keyClick(page.table, Qt.Key.Key_W)
        pane = page.query.next
        qtbot.waitUntil(lambda: bool(pane.rows))
        assert "leans" not in pane.verdict.text()
        pane.aims.setCurrentIndex(pane.aims.findData("overturn"))
        pane.aims.activated.emit(pane.aims.currentIndex())
        qtbot.waitUntil(lambda: "leans" in pane.verdict.text())


@pytest.mark.parametrize("name", ["Judged@10", "RBPres", "NumNonrelRet"])
def test_what_is_no_quality_has_no_best_run_and_no_verdict(qtbot, tmp_path, name):
    """No cell is the best, nothing is tested or better; of how much is judged each judgment is at stake."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.session.execute(set_measures([NDCG, name]))
        qtbot.waitUntil(lambda: name in map(str, page.compared.table.measures))
        computed(qtbot, page)
        column = column_of(page, name)
        page.compared.choose_system(key_of(page, "chargrams"))
        page.compared.choose_measure(column)
        cells = [row.cells[column] for row in page.compared.table.rows]
        assert not any(cell.is_best for cell in cells)
        assert [cell.p for cell in cells] == [None] * 3
        assert "not which run is better" in page.compared.verdict().text.replace(
            "does not say which", "not which"
        )
        assert not page.differences.list.is_quality
        assert page.differences.counts.text.startswith("+ ")
        assert "better" not in page.differences.counts.accessibleDescription()
        if name == "NumNonrelRet":
            return
        qtbot.keyClick(page.table, Qt.Key.Key_W)
        said = page.query.next.verdict.text
        qtbot.waitUntil(lambda: said().startswith(f"{name} says how much is judged: each judgment"))
        assert not page.query.next.rows


def test_with_weights_a_test_by_signs_is_said_to_count_queries_alike(qtbot, tmp_path):
    """Under the table, beside p and in the verdict; a test of means is of the weighted mean."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session = window.session
        for number, query in enumerate(session.material.queries):
            edit_query(session, number, replace(query, weight=1.0 + number % 3))
        session.execute(set_conventions(Conventions(is_weighted=True)))
        for test, is_alike in (("sign", True), ("randomization", False)):
            rules = ComparisonRules(test=test, n_draws=500)
            set_comparison_rules(session, rules)
            qtbot.waitUntil(lambda rules=rules: page.compared.table.rules == rules)
            computed(qtbot, page)
            page.compared.choose_measure(column_of(page, NDCG))
            page.compared.choose_system(key_of(page, "chargrams"))
            qtbot.waitUntil(lambda: "weighted mean diff" in page.compared.verdict().text)
            cell = row_named(page, "chargrams").cells[page.compared.measure]
            start = next(row for row in page.compared.table.rows if row.is_baseline)
            base = start.cells[page.compared.measure]
            assert cell.difference == pytest.approx(cell.mean.value - base.mean.value)
            row = row_named(page, "chargrams")
            lines = cell_lines(page.compared.table, row, page.compared.measure)
            assert any("each counting alike" in line for line in lines) is is_alike
            assert ("each counting alike" in page.notes.note.text) is is_alike


def test_del_takes_a_run_out_after_asking(qtbot, tmp_path):
    """Del asks, takes the run out of the table, and Undo brings it back."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.prompter = FakePrompter(answers=["delete"])
        page.compared.choose_system(key_of(page, "chargrams"))
        page.table.setFocus()
        qtbot.keyClick(page.table, Qt.Key.Key_Delete)
        qtbot.waitUntil(lambda: len(page.compared.systems) == 2)
        qtbot.keyClick(page.table, Qt.Key.Key_Z, CTRL)
        qtbot.waitUntil(lambda: len(page.compared.systems) == 3)


def test_runs_and_what_ifs_are_renamed_and_what_is_frozen_is_not(qtbot, tmp_path, monkeypatch):
    """Each has its new name in the table; a snapshot’s row says why it keeps its own, and stays."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        create_whatif(window.session, "tried", int(page.compared.baseline.id))
        create_snapshot(window.session, "monday")
        page.compared.choose_systems([each.key for each in named_systems(window.session)])
        rename, delete = (
            window.actions_by_name.action(f"compare.{name}").trigger
            for name in ("rename", "delete")
        )
        names = {"chargrams": "letters", "tried": "kept"}
        answer_dialogs(monkeypatch, lambda dialog: dialog.field.setText(names[dialog.field.text()]))
        for name in names:
            page.compared.choose_system(key_of(page, name))
            rename()
            qtbot.waitUntil(lambda: page.compared.system.name in names.values())
        page.compared.choose_system(next(x for x in page.compared.systems if x.snapshot).key)
        before = window.session.undo_step
        for act in (rename, delete):
            act()
            assert "is part of a snapshot, which keeps it as it was" in window.status.message.text
        page.compared.choose_system(key_of(page, "letters"))
        window.prompter = FakePrompter(answers=[None])
        delete()
        assert window.session.undo_step == before
        page.compared.choose_system(key_of(page, "kept"))
        delete()
        assert window.status.message.text == "kept is taken out."
        assert load_whatifs(window.session) == []


def test_snapshots_are_compared_and_deleted_from_their_list(qtbot, tmp_path, monkeypatch):
    """What is checked stands in the table; what is marked is gone, until Undo."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        kept, gone = (create_snapshot(window.session, name) for name in ("kept", "gone"))

        def choose(dialog):
            dialog.boxes[kept].setChecked(True)
            dialog.deletes[gone].click()
            assert dialog.verb.text() == "Compare, delete 1 snapshot"

        answer_dialogs(monkeypatch, choose)
        window.actions_by_name.action("compare.snapshots").trigger()
        assert {each.snapshot for each in page.compared.systems} == {"", kept}
        assert [each.name for each in load_snapshots(window.session)] == ["kept"]
        qtbot.keyClick(page.table, Qt.Key.Key_Z, CTRL)
        assert len(load_snapshots(window.session)) == 2


def test_figures_are_of_all_queries_where_none_of_the_chosen_is_left(qtbot, tmp_path):
    """What was done since may leave none that a condition chose: that is said, and all count."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        query = window.session.material.queries[0]
        edit_query(window.session, 0, replace(query, text=f"{query.text} onlyhere"))
        page.acts.choose_where("onlyhere")
        computed(qtbot, page)
        edit_query(window.session, 0, query)
        qtbot.waitUntil(lambda: page.compared.where == "")
        assert (
            "No query of recipes.judge is let through by ‘onlyhere’" in window.status.message.text
        )
        computed(qtbot, page)
        assert page.compared.table == compare_runs(window.session, page.compared.systems)


@pytest.mark.parametrize("name", ["out.csv", "out.md", "out.tex"])
def test_the_table_is_saved(qtbot, tmp_path, name):
    """Shift+S writes the table, with the command that gives the same figures."""
    path = tmp_path / name
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.prompter = FakePrompter(places=[path])
        qtbot.keyClick(page.table, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
        qtbot.waitUntil(path.exists)
        assert window.prompter.told == []
    written = path.read_text(encoding="utf-8")
    assert "chargrams" in written
    assert "nDCG@10" in written
    if path.suffix == ".csv":
        # Every line is a row of the table; what else is to be said stands beside it.
        rows = list(csv.reader(io.StringIO(written)))
        assert {len(row) for row in rows} == {len(rows[0])}
        written = path.with_name("out.csv.meta.json").read_text(encoding="utf-8")
        assert any(each.startswith("p: ") for each in json.loads(written)["sentences"])
    assert "judgetool compare" in written


def test_where_a_table_is_saved_is_asked_before_anything_is_worked_out(qtbot, tmp_path):
    """No dialog comes up later over another one; and who cancels it has nothing worked out."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.prompter = FakePrompter(places=[None])
        qtbot.keyClick(page.table, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
        assert len(window.prompter.suggested) == 1
        assert "Working out" not in window.status.message.text


def test_what_is_explained_shows_both_ends_of_a_long_name(qtbot):
    """Two runs whose names differ at their end are told apart over their arithmetic."""
    pane = ExplainPane()
    title = pane.title
    pictures = []
    for end in ("stem", "text"):
        title.set_text(f"AP, {'a-very-long-name-of-a-run-' * 3}{end}")
        title.resize(200, title.sizeHint().height())
        pictures.append(title.grab().toImage())
    assert pictures[0] != pictures[1]


def test_the_current_query_is_in_sight_whatever_measure_is_chosen(qtbot, tmp_path):
    """Its row is, as soon as the verdict has its room; where it has none, the list stands at its top."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.resize(1100, 700)
        page.compared.choose_system(key_of(page, "title-bm25"))
        shown, bar = page.differences.list, page.differences.list.verticalScrollBar()

        def is_in_sight():
            row = shown.visualRect(shown.currentIndex())
            seen = row.top() >= 0 and row.bottom() < shown.viewport().height()
            return bar.value() == 0 if shown.current is None else seen

        for query in (0, 3, 9, 15):
            page.compared.choose_query(query)
            for place in range(len(page.compared.table.measures)):
                page.compared.choose_measure(place)
                qtbot.waitUntil(is_in_sight)


def test_every_number_that_is_saved_is_what_the_command_prints(qtbot, tmp_path):
    """How far each difference can go, p over all gradings and the verdict are there for every pair.

    Rows and columns are in the order of the command’s; what it lacks is said beside the file.
    """
    path = tmp_path / "out.csv"
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.prompter = FakePrompter(places=[path])
        qtbot.keyClick(page.table, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
        qtbot.waitUntil(path.exists)
        project = window.session.path
        words = shlex.split(command_line(window.session, page.compared.table))
    words[words.index(project.name)] = str(project)
    beside = json.loads(path.with_name("out.csv.meta.json").read_text(encoding="utf-8"))
    assert "rows of the baseline and the column ‘tests’." in beside["sentences"][-1]
    printed = csv.DictReader(io.StringIO(must(*words[1:], "--format", "csv", "--digits", "9").out))
    saved = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
    assert list(saved.fieldnames) == [*printed.fieldnames, "tests"]
    printed = list(printed)
    found = {(row["run"], row["measure"]): row for row in saved if row["run"] != row["baseline"]}
    assert list(found) == [(row["run"], row["measure"]) for row in printed]
    n_rows = 0
    for row in printed:
        its = found[row["run"], row["measure"]]
        n_rows += 1
        assert (its["bounds"], its["verdict"]) == (row["bounds"], row["verdict"])
        assert bool(its["p"]) == bool(row["p"])
        for name in ("min", "max", "p_min", "p_max", "p"):
            # P is written to so many figures that count, however small.
            near = {"rel": 1e-5} if name.startswith("p") else {"abs": 1e-6}
            wanted = pytest.approx(float(row[name]), **near) if row[name] else None
            assert (float(its[name]) if its[name] else None) == wanted, (row, name)
    assert n_rows == len(found) > 1


def test_p_of_ties_is_saved_as_the_kept_command_prints_it(qtbot, tmp_path):
    """Every column of the command stands in the file, and the view of judgments beside it."""
    path = tmp_path / "out.csv"
    with opened_compare(qtbot, tmp_path) as (window, page):
        rules = ComparisonRules(test="t", equivalence=0.05)
        set_comparison_rules(window.session, rules)
        qtbot.waitUntil(lambda: page.compared.table.rules == rules, timeout=20_000)
        window.prompter = FakePrompter(places=[path])
        qtbot.keyClick(page.table, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
        qtbot.waitUntil(path.exists)
        project = window.session.path
    beside = json.loads(path.with_name("out.csv.meta.json").read_text(encoding="utf-8"))
    assert "Judgments: All judgments, latest counts." in beside["sentences"]
    words = shlex.split(beside["command"])
    words[words.index(project.name)] = str(project)
    printed = list(csv.DictReader(io.StringIO(must(*words[1:]).out)))
    saved = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    assert {*printed[0]} <= {*saved[0]}
    found = {(row["run"], row["measure"]): row for row in saved}
    for row in printed:
        its = found[row["run"], row["measure"]]
        for name in ("difference", "p_holm", "p_tie", "p_tie_holm"):
            wanted = pytest.approx(float(row[name]), rel=1e-4, abs=1e-5) if row[name] else None
            assert (float(its[name]) if its[name] else None) == wanted, (row, name)
    assert any(row["p_tie_holm"] != row["p_tie"] for row in printed)


def test_the_command_of_a_table_gives_its_figures(qtbot, tmp_path):
    """The command line under a table prints its differences and its p, by the project's own test."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        create_whatif(window.session, "tried", int(present_systems(window.session)[0].id))
        qtbot.waitUntil(lambda: len(page.compared.systems) == 4)
        rules = ComparisonRules(test="t", correction="bh", family="table")
        set_comparison_rules(window.session, rules)
        qtbot.waitUntil(lambda: page.compared.table.rules == rules, timeout=20_000)
        words = shlex.split(command_line(window.session, page.compared.table))
        shown = {
            (row.system.name, str(measure)): (cell.difference, cell.p)
            for row in page.compared.table.rows
            if not row.is_baseline
            for measure, cell in zip(page.compared.table.measures, row.cells, strict=True)
        }
        path = window.session.path
    words[words.index(path.name)] = str(path)
    rows = must(*words[1:], "--format", "json").json["comparisons"]
    printed = {(row["run"], row["measure"]): (row["difference"], row["p_bh"]) for row in rows}
    assert printed == shown


def test_differences_and_stakes_are_copied_as_tables(qtbot, tmp_path):
    """Ctrl+C in the differences and in what to judge puts all rows on the clipboard."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        page.compared.choose_measure(column_of(page, NDCG))
        page.compared.choose_system(key_of(page, "chargrams"))
        page.differences.list.setFocus()
        qtbot.keyClick(page.differences.list, Qt.Key.Key_C, CTRL)
        differences = QGuiApplication.clipboard().text().splitlines()
        compared = page.compared
        found = query_differences(
            window.session, compared.system, compared.baseline, compared.pair.measure
        )
        assert len(differences) == 1 + len(found.rows)
        qtbot.keyClick(page.table, Qt.Key.Key_W)
        pane = page.query.next
        qtbot.waitUntil(lambda: bool(pane.rows), timeout=20_000)
        qtbot.keyClick(pane.list, Qt.Key.Key_C, CTRL)
        assert len(QGuiApplication.clipboard().text().splitlines()) == 1 + len(pane.rows)


def test_a_what_if_with_assumed_grades_says_so(qtbot, tmp_path):
    """Beside rows valued without them, its remark names how many it assumes."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session = window.session
        run = session.material.runs[0].run_id
        tried = create_whatif(session, "tried", run)
        query, document = next(
            (query, document)
            for query in range(len(session.material.queries))
            for document in session.material.ranking(run, query).documents.tolist()
            if document not in session.board.settled(query)
        )
        assume_grade(session, tried, query, document, 2.0)
        qtbot.waitUntil(lambda: "1 assumed" in " ".join(page.compared.remarks.values()))
        # In front: where there is little room the rest is cut.
        assert page.compared.remarks[key_of(page, "tried")].startswith("1 assumed, what-if")


def test_what_is_certain_of_another_pair_is_not_said(qtbot, tmp_path):
    """After a row is taken out, or a judgment, the bounds of before are gone at once."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        page.compared.choose_measure(column_of(page, NDCG))
        page.compared.choose_system(key_of(page, "chargrams"))
        qtbot.waitUntil(lambda: bool(page.differences.certain.text()))
        page.compared.take_change()
        page.compared.refresh()
        assert page.differences.certain.text() == ""
        qtbot.waitUntil(lambda: bool(page.differences.certain.text()))


def test_what_a_difference_means_never_lies_over_itself(qtbot, tmp_path):
    """In a low pane its sentences keep their heights and are scrolled, by keys too."""
    with opened_compare(qtbot, tmp_path) as (_window, page):
        pane = page.differences
        texts = (pane.verdict, pane.reason)
        pane.reason.setText("However the unjudged are graded, it lies within two bounds. " * 9)
        pane.setParent(None)
        qtbot.addWidget(pane)
        pane.resize(260, 240)
        pane.show()
        qtbot.waitUntil(lambda: pane.said.verticalScrollBar().maximum() > 0)
        seen = [text for text in texts if not text.isHidden()]
        qtbot.waitUntil(lambda: all(t.height() >= t.heightForWidth(t.width()) for t in seen))
        assert pane.said.focusPolicy() == Qt.FocusPolicy.TabFocus
        assert pane.said.geometry().bottom() < pane.next.geometry().top()


def test_the_parts_of_a_query_are_icons_where_words_have_no_room(qtbot, tmp_path):
    """Their words are never cut: they are shown whole, or not at all."""
    with opened_compare(qtbot, tmp_path) as (_window, page):
        pane, switch = page.query, page.query.switch
        pane.setParent(None)
        qtbot.addWidget(pane)
        words, icons = switch.width_of(is_compact=False), switch.width_of(is_compact=True)
        pane.resize(words + 600, 400)
        pane.show()
        qtbot.waitUntil(lambda: switch.sizeHint().width() >= words)
        pane.resize(words, 400)
        qtbot.waitUntil(lambda: switch.sizeHint().width() <= icons + 20)


def test_the_parts_of_a_query_are_words_where_nothing_stands_beside_them(qtbot, tmp_path):
    """What is chosen beside the rankings takes their room; an explanation has nothing beside it."""
    with opened_compare(qtbot, tmp_path) as (_window, page):
        pane, switch = page.query, page.query.switch
        pane.setParent(None)
        qtbot.addWidget(pane)
        words = switch.width_of(is_compact=False)
        pane.resize(words + 100, 400)
        pane.show()
        qtbot.waitUntil(lambda: switch.sizeHint().width() < words)
        pane.show_part(PanePart.EXPLAIN)
        assert switch.sizeHint().width() >= words


def test_five_systems_are_seen_in_the_largest_text_on_a_low_screen(qtbot, tmp_path):
    """At 200 % on 1366x768 five rows stand; what has no room is behind its key and a button."""
    with open_sample(tmp_path) as session:
        path, run = session.path, session.material.find_run("chargrams").run_id
        for name in ("first", "second", "third"):
            create_whatif(session, name, run)
    save_settings(Settings(extra_px=13))
    try:
        with opened_window(qtbot, path, size=(1366, 768)) as window:
            qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
            page = window.views.page(Mode.COMPARE)
            page.compared.choose_systems([each.key for each in present_systems(window.session)])
            computed(qtbot, page)
            table = page.table
            assert len(page.compared.table.rows) == 6
            qtbot.waitUntil(lambda: table.viewport().height() >= 5 * table.rowHeight(0))
            assert not page.lower.isVisible()
            window.actions_by_name.action("compare.rankings").trigger()
            assert page.query.rankings.isVisible()
            assert not table.isVisible()
            qtbot.mouseClick(page.notes.turn, Qt.MouseButton.LeftButton)
            assert table.isVisible()
            assert table.hasFocus()
    finally:
        install_fonts(QApplication.instance())


def test_each_part_goes_out_with_the_command_that_gives_it(qtbot, tmp_path):
    """Right-clicked, rankings, curves and differences are copied as CSV, which their command prints."""
    clipboard, saved = QGuiApplication.clipboard(), tmp_path / "saved.tex"
    with opened_compare(qtbot, tmp_path) as (window, page):
        window.prompter = FakePrompter(places=[saved])
        page.compared.choose_measure(column_of(page, NDCG))
        page.compared.choose_system(key_of(page, "chargrams"))
        copied = []
        for key, widget in (
            (Qt.Key.Key_K, page.query.rankings.viewport()),
            (Qt.Key.Key_C, page.query.charts.viewport()),
            (Qt.Key.Key_K, page.differences.list.viewport()),
        ):
            qtbot.keyClick(page.table, key)
            entries = menu_of(widget)
            entries["Copy as CSV"].trigger()
            table = clipboard.text()
            entries["Copy command"].trigger()
            copied.append((table, clipboard.text()))
        entries["Save table…"].trigger()
        qtbot.waitUntil(lambda: page.compared.verdict().these is not None)
        menu_of(page.differences.list.viewport())["Copy verdict"].trigger()
        verdict, line = clipboard.text().splitlines()
        path = window.session.path
        assert "\\toprule" in saved.read_text(encoding="utf-8")
    for table, command in copied:
        words = shlex.split(command)
        words[words.index(path.name)] = str(path)
        printed = must(*words[1:], "--format", "csv").out
        assert printed.splitlines() == table.splitlines()
        assert len(table.splitlines()) > 5
    words = shlex.split(line)
    words[words.index(path.name)] = str(path)
    assert verdict in must(*words[1:]).out.splitlines()


def test_a_run_is_not_tested_against_itself_before_more_was_judged(qtbot, tmp_path):
    """The window says that the judgments differ, shows the difference, and no p and no better run."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        session = window.session
        snapshot = find_snapshot(session, create_snapshot(session, "before"))
        run = present_systems(session)[0]
        ranked = session.material.ranked_documents(int(run.id), 0).tolist()
        fresh = next(each for each in ranked if each not in session.board.settled(0))
        session.execute(Say.grade(0, fresh, 3.0))
        then = next(each for each in snapshot.systems if each.id == run.id)
        page.compared.choose_systems([then.key, run.key])
        computed(qtbot, page)
        verdict = page.compared.verdict()
        said = page.differences.verdict.text()
    assert {cell.p for row in page.compared.table.rows for cell in row.cells} == {None}
    assert "are valued by different judgments: nothing is tested by" in said
    assert verdict.others.text in page.differences.reason.text()


@pytest.fixture
def seven_runs(tmp_path):
    """A project of seven runs of which the first imported is not the best."""
    documents = [f"d{place}" for place in range(9)]
    queries = [Query(f"q{place}", f"query {place}") for place in range(8)]
    runs = {
        f"run {number}": {each.id: documents[number:] + documents[:number] for each in queries}
        for number in (6, 5, 4, 3, 2, 1, 0)
    }
    judged = [(each.id, name, "anna", 3.0) for each in queries for name in documents[:3]]
    with make_project(tmp_path, Parts(queries, [], runs, judged)) as session:
        return session.path


def test_the_table_opens_at_the_top(qtbot, seven_runs):
    """What is best after the baseline is in sight, whichever row is current; who moves scrolls."""
    with opened_window(qtbot, seven_runs) as window:
        window.resize(1366, 768)
        qtbot.keyClick(window, Qt.Key.Key_4, CTRL)
        page = window.views.page(Mode.COMPARE)
        computed(qtbot, page)
        down = page.table.verticalScrollBar()
        qtbot.waitUntil(lambda: down.maximum() > 0)
        assert down.value() == 0
        last = page.table.table.rows[-1].system.key
        page.compared.choose_system(last)
        assert down.value() > 0


def test_no_line_of_the_verdict_is_cut_through(qtbot, tmp_path):
    """In a low window what is said of the pair ends with a whole line."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        pane = page.differences
        page.compared.choose_system(key_of(page, "title-bm25"))
        qtbot.waitUntil(lambda: pane.certain.text() != "")
        texts = (pane.verdict, pane.reason, pane.certain)

        def is_whole():
            insides = [(each, pane.said.height() - each.y()) for each in texts]
            return all(
                inside % each.fontMetrics().lineSpacing() == 0
                for each, inside in insides
                if 0 < inside < each.height()
            )

        for height in range(700, 830, 9):
            window.resize(1366, height)
            qtbot.waitUntil(is_whole)


def test_in_a_small_window_queries_are_seen_beside_the_verdict(qtbot, tmp_path):
    """At 1024x700 the verdict takes no more than leaves four queries whole; the rest of it scrolls."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        pane = page.differences
        page.compared.choose_system(key_of(page, "title-bm25"))
        qtbot.waitUntil(lambda: pane.certain.text() != "")
        window.resize(1024, 700)
        qtbot.waitUntil(lambda: pane.list.viewport().height() >= 4 * pane.list.row_height)
        assert pane.said.height() >= pane.verdict.height()


def test_no_word_over_the_table_is_cut_at_any_width(qtbot, tmp_path):
    """*Runs compared* and *baseline* are whole, or make room."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        words = page.head.findChildren(ElidedLabel)
        assert [each.text for each in words] == ["Runs compared", "baseline"]
        for width in range(1500, 1000, -20):
            window.resize(width, 800)
            qtbot.waitUntil(lambda width=width: page.head.width() == width)
            shown = [each for each in words if not each.isHidden()]
            assert all(each.width() >= each.sizeHint().width() for each in shown), width


def test_where_names_are_cut_the_measure_of_a_difference_stays(qtbot, tmp_path):
    """It stands beside the run alone where there is little room, and by itself where there is less."""
    with opened_compare(qtbot, tmp_path) as (_, page):
        title, measure = page.differences.title, str(page.compared.pair.measure)
        assert title.shown.endswith(f", {measure}")
        title.resize(120, title.height())
        assert title.shown == measure
        title.resize(text_width(Role.UI_STRONG, title.shorter[0]) + 2, title.height())
        assert title.shown == f"{page.compared.system.name}, {measure}"
