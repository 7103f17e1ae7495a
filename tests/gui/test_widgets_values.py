"""The live panel, its explanation, and the chart of the session."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QApplication, QMenu, QToolTip

from judgetool.core.scale import scale_preset
from judgetool.gui import theme
from judgetool.gui.theme import current_theme
from judgetool.gui.widgets.explain_table import (
    ExplainRow,
    ExplainTable,
    ShownExplanation,
    explain_section,
    table_of,
)
from judgetool.gui.widgets.labels import ElidedLabel, Look, TextPart
from judgetool.gui.widgets.live_values import (
    LiveHead,
    LiveValues,
    MeasureRow,
    row_in_words,
    value_columns,
)
from judgetool.gui.widgets.small_charts import SessionChart, SessionPoint
from judgetool.metrics.explain import explain_value
from judgetool.metrics.grades import QueryGrades
from judgetool.metrics.measure import parse_measure
from tests.gui.window_fixtures import lines_painted

ROWS = (
    MeasureRow("P@10", 0.4, "", "7 of 10 judged", 0.1, 0.4, 0.7, mean=0.6579, mean_change=0.0053),
    MeasureRow(
        "nDCG@10",
        0.9383,
        "",
        "7 of 10 judged",
        -0.0131,
        0.4,
        0.97,
        mean=0.7903,
        mean_change=0.0,
        mean_low=0.6,
        mean_high=0.8,
    ),
    MeasureRow(
        "AP", None, "None of the 10 judged documents is relevant.", "10 of 10 judged", mean=0.5
    ),
)


@pytest.fixture
def panel(qapp, qtbot):
    """A live panel of 340 px with three measures, shown."""
    theme.install_fonts(qapp)
    panel = LiveValues()
    qtbot.addWidget(panel)
    panel.set_head(LiveHead("trec_eval", 19, "last judgment"))
    panel.set_rows(ROWS)
    panel.resize(340, 300)
    panel.show()
    return panel


def test_click_on_a_row_chooses_its_measure(panel, qtbot):
    """A click on the second row says its measure and marks it."""
    middle = QPoint(20, panel.rows.row_height * 3 // 2)
    with qtbot.waitSignal(panel.measure_chosen) as said:
        qtbot.mouseClick(panel.rows.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert said.args == ["nDCG@10"]
    assert panel.rows.current == "nDCG@10"


@pytest.mark.parametrize(
    ("start", "key", "chosen"),
    [
        ("", Qt.Key.Key_Down, "P@10"),
        ("P@10", Qt.Key.Key_Down, "nDCG@10"),
        ("AP", Qt.Key.Key_Down, "AP"),
        ("nDCG@10", Qt.Key.Key_Up, "P@10"),
        ("P@10", Qt.Key.Key_End, "AP"),
        ("AP", Qt.Key.Key_Home, "P@10"),
        ("nDCG@10", Qt.Key.Key_Return, "nDCG@10"),
    ],
)
def test_keys_choose_a_measure(panel, qtbot, start, key, chosen):
    """Arrows, Home, End and Enter choose, and stop at the ends."""
    panel.set_current(start)
    with qtbot.waitSignal(panel.measure_chosen) as said:
        qtbot.keyClick(panel.rows, key)
    assert said.args == [chosen]


def test_setting_the_current_measure_is_silent(panel, qtbot):
    """Marking from outside says nothing."""
    with qtbot.assertNotEmitted(panel.measure_chosen):
        panel.set_current("AP")


def test_name_of_the_panel_says_the_numbers(panel):
    """A reader hears value, change, interval, what is judged, and the mean."""
    panel.set_current("nDCG@10")
    assert panel.rows.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole) == (
        "nDCG@10: 0.9383, change −0.0131, between 0.4000 and 0.9700; 7 of 10 judged; "
        "mean of 19: 0.7903, no change, between 0.6000 and 0.8000."
    )


def test_undefined_says_why(panel):
    """The tooltip of an undefined value gives the reason."""
    tip = panel.rows.model().index(2, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.replace(" \n", " ").endswith("None of the 10 judged documents is relevant.")
    assert "AP: undefined" in tip


def test_new_values_move_nothing(panel):
    """Other numbers leave row height, columns and sizes as they were."""
    before = (panel.columns, panel.rows.geometry(), panel.sizeHint())
    panel.set_rows(tuple(MeasureRow(row.name, 0.0, judged=row.judged, change=-0.5) for row in ROWS))
    assert (panel.columns, panel.rows.geometry(), panel.sizeHint()) == before


def test_rows_are_39_px_high(panel):
    """At a 13 px font a row is 39 px high."""
    assert panel.rows.row_height == theme.scaled(39)


def test_scroll_bar_moves_no_column(panel, qtbot):
    """When the panel becomes too low for its rows, the values stay where they are."""
    before = panel.columns
    panel.resize(340, 120)
    qtbot.waitUntil(lambda: panel.rows.viewport().width() < 340)
    assert panel.columns == before
    assert sum(before.mean) <= panel.rows.viewport().width()


def test_narrow_panel_leaves_the_mean_away(panel):
    """Under 240 px there are name, value and change."""
    panel.resize(220, 300)
    assert panel.columns.mean is None


def test_names_are_whole_with_text_twice_as_large(qapp, panel, qtbot):
    """At 200 % in the narrowest dock a measure's name has a line of its own, whole."""
    theme.install_fonts(qapp, extra_px=13)
    try:
        panel.resize(220, 500)
        name, *_rest, value = panel.rows.places()
        for row in ROWS:
            assert name.width() >= theme.text_width(theme.Role.UI, row.name)
        assert value.width() >= theme.text_width(theme.Role.UI_STRONG, "0.0000")
        assert value.top() >= name.bottom()
    finally:
        theme.install_fonts(qapp)


def of_judged(n, total=10):
    """Rows of measures as projects have them, with so many ranks judged."""
    names = ("P@10", "nDCG@10", "ERR@10", "pFound@10", "Judged@10")
    whole, short = f"{n} of {total} judged", f"{n}/{total} judged"
    most = f"{total} of {total} judged"
    return tuple(
        MeasureRow(name, 0.5, judged=whole, judged_short=short, judged_most=most, mean_change=-0.1)
        for name in names
    )


def test_the_change_of_the_mean_stays_when_all_is_judged(panel):
    """Whatever is judged, the columns are the same, and at 340 px the mean has its change."""
    for judged in range(11):
        panel.set_rows(of_judged(judged))
        assert panel.columns == value_columns(340, of_judged(0))
        assert panel.columns.has_mean_change


def test_a_long_name_takes_no_change_away(panel):
    """A measure of many parameters is cut in its middle: cutoff and whole name are there, and all values."""
    long = of_judged(0)[0]._replace(name="nDCG(gains={1: 1, 2: 4, 3: 10})@10")
    panel.set_rows((*of_judged(0), long))
    assert panel.columns.has_mean_change
    assert panel.columns.mean[1] >= value_columns(340, of_judged(0)).mean[1] - 1
    panel.resize(340, 600)
    assert any("…@10" in line for line in lines_painted(panel.rows.viewport()))
    assert long.name in str(panel.rows.shown[-1].said)
    assert long.name in str(panel.rows.shown[-1].tip)
    panel.resize(212, 600)
    lines = lines_painted(panel.rows.viewport())
    assert sum("of10judged" in line for line in lines) == len(panel.rows.rows)
    assert any("…" in line and "})@10" in line for line in lines)


@given(st.integers(150, 900))
def test_what_is_judged_moves_no_column_at_any_width(qapp, width):
    """No part of a row comes or goes with a judgment."""
    assert value_columns(width, of_judged(9)) == value_columns(width, of_judged(10))


@pytest.mark.parametrize(
    ("width", "lacked"), [(340, None), (300, "the change of the mean,"), (220, "the mean,")]
)
def test_the_heads_say_what_a_narrow_panel_leaves_out(panel, width, lacked):
    """Tooltip and reader are told what a wider panel shows; where all is shown, nothing is said."""
    panel.resize(width, 300)
    head = panel.rows.model()
    tip = head.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    said = head.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole)
    sentence = lacked and f"A wider panel shows {lacked} too; the tooltip of each row says it."
    assert (tip or "").replace("\n", " ") == (sentence or "")
    assert said.endswith(sentence or "Mean of 19")


@given(st.integers(150, 900))
def test_columns_stay_inside_and_apart(qapp, width):
    """At every width the columns stand in order, inside the panel, without overlap."""
    columns = value_columns(width, ROWS)
    spans = [columns.name, columns.query] + ([columns.mean] if columns.mean else [])
    for one, other in pairwise(spans):
        assert one[0] + one[1] <= other[0]
    assert spans[0][0] >= 0
    assert sum(spans[-1]) <= width


@pytest.mark.qt_log_ignore("does not support grabbing", extend=True)
def test_title_and_choice_stand_under_each_other_where_one_would_be_cut(panel, qtbot):
    """Beside each other while both are whole; in a narrow panel each has a line of its own."""
    title = panel.findChild(ElidedLabel)
    assert panel.against.x() > title.geometry().right()
    panel.resize(150, 300)
    qtbot.waitUntil(lambda: panel.against.y() > title.geometry().bottom())
    assert title.shown == title.text
    assert panel.against.width() >= panel.against.least_whole


def painted(qapp, part, width):
    """What a part looks like in a place of a width."""
    theme.install_fonts(qapp)
    image = QImage(300, 24, QImage.Format.Format_RGB32)
    image.fill(0)
    with QPainter(image) as painter:
        part.paint(painter, QRectF(0, 0, width, 24), Look(current_theme()))
    return image


def test_a_text_that_does_not_fit_gives_way_to_its_shorter_one(qapp):
    """Whole where there is room, else the shorter words, which are not cut."""
    text, short = TextPart("10 of 10 judged"), TextPart("10/10 judged")
    both = TextPart(text.text, shorter=short.text)
    assert painted(qapp, both, 200) == painted(qapp, text, 200)
    width = theme.text_width(text.role, text.text) - 1
    assert painted(qapp, both, width) == painted(qapp, short, width)


def test_choice_of_baseline_is_offered(panel, qtbot):
    """What changes are against opens a menu that says which one was taken."""
    panel.set_against_choices((("last", "last judgment"), ("start", "start of the session")))
    qtbot.mouseClick(panel.against, Qt.MouseButton.LeftButton)
    menu = panel.findChild(QMenu)
    with qtbot.waitSignal(panel.against_chosen) as said:
        menu.actions()[1].trigger()
    menu.close()
    assert said.args == ["start"]


def explanation(rows: int) -> ShownExplanation:
    return ShownExplanation(
        ("rank", "grade", "discount"),
        tuple(
            ExplainRow((str(rank), "3", "0.500"), 3.0, is_current=rank == rows)
            for rank in range(1, rows + 1)
        ),
        ("DCG", "", "1.000"),
        "1.000 ÷ 1.000 =",
        "1.0000",
    )


@pytest.fixture
def table(qapp, qtbot):
    """An explain table of 340 px, shown."""
    theme.install_fonts(qapp)
    table = ExplainTable()
    qtbot.addWidget(table)
    table.set_scale(scale_preset("0-3"))
    table.resize(340, 260)
    table.show()
    return table


def test_explanation_is_said_in_words(table):
    """A reader hears the division and then every rank."""
    table.set_explanation(explanation(2))
    assert table.accessibleName() == (
        "1.000 ÷ 1.000 = 1.0000. rank 1, grade 3, discount 0.500. rank 2, grade 3, discount 0.500"
    )


def test_columns_of_the_table_fill_its_width(table):
    """The last column ends at the inset; none overlaps its neighbour."""
    table.set_explanation(explanation(3))
    spans = table.spans()
    assert spans[-1][1] == pytest.approx(table.width() - 14)
    assert all(one[1] <= other[0] + 2 for one, other in pairwise(spans))


def explained(name):
    """What the table shows of a measure, of ten ranks with two that nobody judged."""
    nan = float("nan")
    grades = QueryGrades(np.array([3, 1, nan, 0, 2, 1, 0, nan, 3, 1.0]), np.array([1.0, 2.0]))
    value = explain_value(parse_measure(name), grades, scale_preset("0-3"))
    return table_of(value, value.main_columns, scale_preset("0-3"))


def test_a_sum_is_not_called_by_the_name_of_the_divisor(table):
    """‘relevant found, R   6’ read as if R were 6."""
    table.set_explanation(explained("R@10"))
    assert "R=8,relevantfound6" in lines_painted(table.foot.viewport())


@pytest.mark.parametrize(
    ("name", "line"),
    [("ERR@10", "Σstops÷rank0.898349"), ("nDCG@10", "DCG5.95300"), ("AP", "R=8,Σprecision4.42222")],
)
def test_a_narrow_table_shows_what_adds_up_and_all_that_is_said(table, name, line):
    """Columns without a sum give way, as their head’s tooltip says, and sentences have further lines."""
    table.resize(212, 260)
    table.set_explanation(explained(name))
    assert table.spans()[-1][1] == pytest.approx(212 - 14)
    lines = lines_painted(table.foot.viewport())
    assert line in lines
    assert "".join(lines).endswith("2of10unjudged:countedasnotrelevant.")
    tip = table.ranks.model().headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("A wider panel shows these columns, too: ")
    table.resize(480, 260)
    assert len(table.spans()) == len(table.explanation.heads)


def test_a_thousand_ranks_scroll_to_the_current(table, qtbot):
    """With many ranks the current document's row is brought into sight."""
    table.set_explanation(explanation(1000))
    last = table.ranks.model().index(999, 0)
    ranks = table.ranks
    qtbot.waitUntil(lambda: ranks.viewport().rect().contains(ranks.visualRect(last)))


def test_rows_without_a_document_have_no_symbol(table, qtbot):
    """A rank that only the ideal ranking has gets no dashed ring."""
    pictures = []
    for text in ("", "–"):
        row = ExplainRow(("1", text, "0.500"))
        table.set_explanation(ShownExplanation(("rank", "grade", "discount"), (row,)))
        qtbot.waitUntil(lambda: table.ranks.viewport().height() > 0)
        image = table.grab().toImage()
        left, right = (int(edge) for edge in table.spans()[1])
        ground = image.pixelColor(2, 30)
        pictures.append(
            any(image.pixelColor(x, y) != ground for x in range(left, right) for y in range(26, 40))
        )
    assert pictures == [False, True]


def test_empty_explanation_is_drawn(table):
    """Nothing to explain is no mishap."""
    table.set_explanation(ShownExplanation((), ()))
    assert not table.grab().isNull()


def test_section_folds_by_click_and_key(qapp, qtbot):
    """Click and Space on the header fold and unfold, and its name says which."""
    table = ExplainTable()
    section = explain_section(table)
    qtbot.addWidget(section)
    section.show()
    with qtbot.waitSignal(section.folded) as said:
        qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    assert said.args == [True]
    assert not table.isVisible()
    assert section.header.accessibleName() == "Explained, folded"
    qtbot.keyClick(section.header, Qt.Key.Key_Space)
    assert section.is_open


def test_session_says_from_and_to(qapp, qtbot):
    """The chart's name has the first value, the last and the change."""
    chart = SessionChart()
    qtbot.addWidget(chart)
    chart.set_points((SessionPoint(0.5), SessionPoint(None), SessionPoint(0.75)), name="AP")
    assert chart.accessibleName() == (
        "AP in this session, 2 steps: from 0.5000 to 0.7500 (+0.2500)"
    )
    assert chart.point_in_words(1) == "AP after step 1: –"


def test_the_pointer_tells_a_step_of_the_session(qapp, qtbot):
    """Its tooltip has the value there and how far it could still go; beside the steps there is none."""
    chart = SessionChart()
    qtbot.addWidget(chart)
    chart.set_points((SessionPoint(0.5), SessionPoint(0.75, 0.25, 1.0)), name="AP")
    chart.resize(340, 60)
    chart.show()

    def ask(left):
        place = QPoint(left, 20)
        event = QHelpEvent(QEvent.Type.ToolTip, place, chart.mapToGlobal(place))
        QApplication.sendEvent(chart, event)

    ask(250)
    assert "AP after step 1: 0.7500, between 0.2500 and 1.0000" in QToolTip.text()
    ask(1)
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


@pytest.mark.parametrize("count", [0, 1, 2, 300, 20_000])
def test_session_of_any_length_is_drawn(qapp, qtbot, count):
    """From no point to twenty thousand the chart is drawn."""
    chart = SessionChart()
    qtbot.addWidget(chart)
    points = tuple(SessionPoint(place % 7 / 7, 0.0, 1.0) for place in range(count))
    chart.set_points(points, name="AP")
    chart.resize(340, 60)
    assert not chart.grab().isNull()


def test_an_interval_that_is_wider_than_need_be_is_told_as_such():
    """A screen reader hears 'between' where both ends can come about, 'within' where not."""
    row = MeasureRow("tau", 0.5, low=-1.0, high=1.0, mean=0.25, mean_low=0.0, mean_high=0.5)
    exact, wide = row_in_words(row, "mean of 2"), row._replace(is_exact=False, is_mean_exact=False)
    assert exact.count("between") == 2
    assert row_in_words(wide, "mean of 2").count("within") == 2


def test_the_choice_in_few_words_does_not_read_on_from_the_title(panel):
    """Where ‘change:’ has no room a sign stands for it, at the end of the line."""
    title = panel.findChild(ElidedLabel)
    said = set()
    for width in range(400, 150, -4):
        panel.resize(width, 300)
        if panel.against.y() < title.geometry().bottom():
            said.add(lines_painted(panel.against)[0][:7])
    assert said == {"change:", "Δlastju"}
