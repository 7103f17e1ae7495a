"""The page of statistics: what it counts, what it says, what it writes."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter

from judgetool.gui.dialogs.statistics import (
    StatisticsWindow,
    describe_after,
    describe_positions,
    describe_totals,
    format_duration,
    format_seconds,
)
from judgetool.gui.theme import LIGHT
from judgetool.gui.widgets.small_charts import BarRows, draw_histogram
from judgetool.session.effort import COLUMNS, GradesAfter, GradesAt
from tests.gui.window_fixtures import opened_window, press
from tests.helpers.builders import make_project, simple_parts
from tests.helpers.fake_prompter import FakePrompter


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on three queries over six documents."""
    with make_project(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        yield window


def open_statistics(qtbot, window, prompter=None):
    """Return the page for a window's project."""
    page = StatisticsWindow(window.session, prompter or FakePrompter())
    qtbot.addWidget(page)
    return page


def cells(page, row=0):
    """Return a row's texts by the heads of their columns."""
    table = page.table
    return {
        table.horizontalHeaderItem(column).text(): table.item(row, column).text()
        for column in range(table.columnCount())
    }


def test_nothing_judged_is_said(qtbot, window):
    """Without judgments there is a sentence, no row, and nothing to export."""
    page = open_statistics(qtbot, window)
    assert page.totals.text().startswith("Nobody has judged here yet.")
    assert page.table.rowCount() == 0
    assert not page.verb.isEnabled()


def test_grades_are_counted_by_assessor(qtbot, window):
    """Judged, skipped and cannot-judge stand apart, with grades as bars."""
    press(qtbot, window, "1220")
    press(qtbot, window, "s")
    page = open_statistics(qtbot, window)
    row = cells(page)
    assert (row["Assessor"], row["Judged"], row["Skipped"]) == ("anna", "4", "1")
    grades = page.table.item(0, page.table.columnCount() - 1)
    assert grades.toolTip() == "0: 1, 1: 1, 2: 2, 3: 0"


def test_mean_grades_are_shown_as_bars(qtbot, window):
    """By the grade just before and by place in the queue: the bars stand in the window."""
    press(qtbot, window, "1220")
    page = open_statistics(qtbot, window)
    page.show()
    shown = [bars for bars in page.findChildren(BarRows) if bars.isVisibleTo(page)]
    assert len(shown) == 2
    assert all(bars.rows and bars.height() >= bars.sizeHint().height() for bars in shown)


def test_by_query_there_is_a_row_for_each(qtbot, window):
    """The switch shows each assessor's queries."""
    press(qtbot, window, "1" * 8)
    page = open_statistics(qtbot, window)
    qtbot.mouseClick(page.by.children()[-1], Qt.MouseButton.LeftButton)
    page.by.set_current("query")
    page.by.chosen.emit("query")
    assert [cells(page, row)["Judged"] for row in range(2)] == ["6", "2"]


def test_undone_judgments_are_counted_apart(qtbot, window):
    """An undone grade is not judged, but is not forgotten."""
    press(qtbot, window, "12")
    window.view.judging.undo()
    page = open_statistics(qtbot, window)
    assert (cells(page)["Judged"], cells(page)["Undone"]) == ("1", "1")


def test_count_again_takes_new_judgments_in(qtbot, window):
    """The page does not count by itself; a button does."""
    press(qtbot, window, "1")
    page = open_statistics(qtbot, window)
    press(qtbot, window, "1")
    assert cells(page)["Judged"] == "1"
    page.again.click()
    assert cells(page)["Judged"] == "2"


@pytest.mark.parametrize("by", ["assessor", "query", "judgment"])
def test_rows_are_exported(qtbot, window, tmp_path, by):
    """The file has the columns that the command writes."""
    press(qtbot, window, "12")
    place = tmp_path / "effort.csv"
    prompter = FakePrompter(places=[place], answers=[by])
    page = open_statistics(qtbot, window, prompter)
    page.verb.click()
    lines = place.read_text(encoding="utf-8").splitlines()
    assert lines[0] == ",".join(COLUMNS[by])
    assert len(lines) == (3 if by == "judgment" else 2)
    assert page.remark.text() == "Written to effort.csv."


def test_an_export_that_cannot_be_written_is_said(qtbot, window, tmp_path):
    """The folder that is not there is named; nothing is said to be written."""
    place = tmp_path / "away" / "effort.csv"
    press(qtbot, window, "1")
    prompter = FakePrompter(places=[place], answers=["query"])
    page = open_statistics(qtbot, window, prompter)
    page.verb.click()
    assert "away" in prompter.told[0]
    assert "Written" not in page.remark.text()


def test_an_export_put_off_writes_nothing(qtbot, window, tmp_path):
    """Cancel at the first question ends it."""
    press(qtbot, window, "1")
    page = open_statistics(qtbot, window, FakePrompter(answers=[None]))
    page.verb.click()
    assert list(tmp_path.glob("*.csv")) == []


def test_the_window_stands_beside_and_closes_with_the_project(qtbot, window):
    """Judging goes on under it; it goes when the project is closed."""
    press(qtbot, window, "1")
    window.actions_by_name.action("queue.statistics").trigger()
    page = window.findChild(StatisticsWindow)
    assert not page.isModal()
    window.close_project()
    qtbot.waitUntil(lambda: window.findChild(StatisticsWindow) is None)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "Too few grades to say"),
        ([GradesAfter(0.0, 40, 1.0), GradesAfter(3.0, 19, 2.0)], "Too few grades to say"),
        (
            [GradesAfter(None, 3, 1.0), GradesAfter(0.0, 20, 1.4), GradesAfter(3.0, 20, 1.0)],
            "After a 3 the next grade is 0.40 lower on average than after a 0",
        ),
        (
            [GradesAfter(0.0, 20, 1.0), GradesAfter(3.0, 20, 1.5)],
            "After a 3 the next grade is 0.50 higher on average than after a 0",
        ),
        ([GradesAfter(0.0, 20, 1.0), GradesAfter(3.0, 20, 1.01)], "No effect is seen"),
    ],
)
def test_the_effect_of_the_grade_before_is_said(rows, said):
    """Contrast, assimilation, none, or too little to tell."""
    assert describe_after(rows).startswith(said)


def test_the_effect_of_the_place_is_said():
    """The change of the mean grade along the list stands in a sentence; few grades end no trend."""
    rows = [GradesAt(1, 10, 20, 2.0), GradesAt(11, 20, 20, 1.5), GradesAt(21, 30, 19, 0.0)]
    said = describe_positions(rows)
    assert "From places 1–10 to 11–20 of a query’s list the mean grade changes by −0.50." in said


def test_what_was_not_judged_along_a_list_is_said():
    """What came by lot has no place; that it is left out is said."""
    assert describe_positions([], n_without=1).startswith("1 grade is left out: its document came")
    rows = [GradesAt(1, 10, 20, 2.0), GradesAt(11, 20, 20, 1.5)]
    assert "2 grades are left out" in describe_positions(rows, n_without=2)


def test_times_are_said_in_few_signs():
    """Seconds, minutes, hours, and a dash where nobody measured."""
    assert [format_duration(each) for each in (None, 42_000, 720_000, 7_500_000)] == [
        "–",
        "42 s",
        "12 min",
        "2 h 05 min",
    ]
    assert format_seconds(3449.0) == "3.4 s"


def test_totals_name_the_idle_rule(qtbot, window):
    """How long a pause counts is said where the times stand."""
    press(qtbot, window, "1")
    page = open_statistics(qtbot, window)
    assert "only the first 60 seconds count" in page.totals.text()
    assert describe_totals([]).startswith("Nobody")


def test_a_rare_grade_is_seen(qapp):
    """A bar of one among thousands is two pixels high, a bar of none is only its base."""
    image = QImage(60, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    ink = QColor("blue")
    draw_histogram(painter, image.rect().toRectF(), LIGHT, [(5000, ink), (1, ink), (0, ink)])
    painter.end()
    heights = [sum(image.pixelColor(x, y) == ink for y in range(40)) for x in (10, 30, 50)]
    assert heights == [39, 2, 0]
