"""Charts: values, axes, drawing into files, and walking their points by keys."""

import csv
import io
import xml.etree.ElementTree as ElementTree

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from judgetool.errors import UsageError
from judgetool.gui.app import make_application
from judgetool.gui.charts import ChartView, chart_page_svg, chart_png, theme_look, write_chart
from judgetool.gui.theme import DARK, LIGHT
from judgetool.session.charts import Chart, chart_svg, iter_chart_csv, make_axis, mark_svg, series

SVG = "{http://www.w3.org/2000/svg}"
LINE = series("alpha", (1, 2, 3), (0.5, 0.75, None))
IDEAL = series("ideal", (1, 2, 3), (1.0, 1.0, 1.0), is_quiet=True)
CHART = Chart("DCG by rank", "rank", "DCG", (LINE, IDEAL), has_whole_x=True)


@pytest.fixture(autouse=True)
def application(qapp):
    """Fonts and themes as the program has them."""
    make_application()


def rows_of(chart):
    """Return a chart's CSV as rows of texts."""
    return list(csv.reader(io.StringIO(b"".join(iter_chart_csv(chart)).decode())))


def test_points_without_value_are_left_out():
    """A series has the points that have a value."""
    assert LINE.points() == [(1, 0.5), (2, 0.75)]


def test_description_says_ends_and_most():
    """What readers hear names each series with first, last and greatest value."""
    said = CHART.in_words()
    assert "alpha: 0.5000 at 1, 0.7500 at 2, most 0.7500 at 2." in said


def test_what_an_empty_chart_says_has_as_many_lines_as_it_needs():
    """In large text, or little room, no word of it is lost."""
    said = "Drift needs many judgments of shared documents."
    drawn = chart_svg(Chart("", "a", "b", empty=said), 120, 200)
    assert "…" not in drawn
    assert all(word in drawn for word in said.split())


def test_empty_chart_says_so():
    """A chart without points has a sentence in place of numbers."""
    assert "Nothing to draw yet." in Chart("x", "a", "b").in_words()


def test_quiet_series_take_no_look():
    """A reference line leaves the inks and symbols to the others."""
    assert Chart("", "", "", (IDEAL, LINE)).look_of(1) == 0


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20),
    st.integers(1, 8),
    st.booleans(),
)
def test_ticks_lie_on_the_axis(values, most, is_whole):
    """Every tick lies between both ends, and there are about as many as asked for."""
    axis = make_axis(values, 0.0, 100.0, most_ticks=most, is_whole=is_whole)
    slack = 1e-6 * max(1.0, abs(axis.low), abs(axis.high))
    assert all(axis.low - slack <= tick <= axis.high + slack for tick in axis.ticks)
    assert len(axis.ticks) <= most + 2


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(0, 1))
def test_axis_maps_ends_to_ends(low, span, share):
    """An axis is linear from its start to its stop."""
    axis = make_axis((low, low + span), 10.0, 210.0)
    value = axis.low + share * (axis.high - axis.low)
    assert axis.at(value) == pytest.approx(10.0 + share * 200.0, abs=1e-3)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_png_has_twice_the_pixels(theme):
    """A PNG is sharp on dense screens."""
    image = QImage.fromData(chart_png(CHART, theme, size=QSize(300, 200)))
    assert (image.width(), image.height()) == (600, 400)
    assert image.pixelColor(2, 2) == theme.base


def test_svg_is_well_formed_and_says_its_texts():
    """An SVG has title, description and labels as text."""
    root = fromstring(chart_page_svg(CHART, LIGHT))
    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "DCG by rank"
    assert {"rank", "DCG", "alpha", "ideal"} <= set(texts)


def test_what_is_marked_has_its_values_in_a_box():
    """Of each series that has one there; at the right end the box stands to the left."""
    bars = series("bars", (1, 2, 3), (0.25, 0.5, 0.5), kind="bars")
    chart = CHART._replace(series=(LINE, bars))
    texts, lefts = [], []
    for mark in (1, 3):
        root = fromstring(mark_svg(chart, mark, 400, 200, theme_look(LIGHT)))
        texts.append([each.text for each in root.iter(f"{SVG}text")])
        (frame,) = (each for each in root.iter(f"{SVG}rect") if each.get("rx") == "5")
        lefts.append(float(frame.get("x")))
        assert len(list(root.iter(f"{SVG}circle"))) == (2 if mark == 1 else 0)
    assert texts == [
        ["rank 1", "alpha", "0.5000", "bars", "0.2500"],
        ["rank 3", "bars", "0.5000"],
    ]
    assert lefts[0] < lefts[1] < 300


def test_a_step_stays_level_until_the_next_point():
    """The path goes along before it goes up."""
    chart = CHART._replace(series=(series("s", (1, 2), (0.0, 1.0), kind="step"),))
    path = next(fromstring(chart_svg(chart, 400, 200)).iter(f"{SVG}path")).get("d")
    start, along, up = (tuple(map(float, each.split())) for each in path[1:].split("L"))
    assert start[1] == along[1] > up[1]
    assert start[0] < along[0] == up[0]


@pytest.mark.parametrize("height", [201, 202, 203, 204])
def test_a_bar_stands_on_the_line_of_zero(height):
    """The axis does not run through the bars, wherever the pixels of the picture lie."""
    bars = Chart("Gain by rank", "rank", "gain", (series("a", (1, 2), (0.5, 0.75), kind="bars"),))
    root = fromstring(chart_page_svg(bars, LIGHT, size=QSize(300, height)))
    lines = root.iter("{http://www.w3.org/2000/svg}line")
    lowest = max(float(each.get("y1")) for each in lines)
    boxes = list(root.iter("{http://www.w3.org/2000/svg}rect"))[1:]
    feet = [float(each.get("y")) + float(each.get("height")) for each in boxes]
    assert 0 <= lowest - max(feet) <= 1


def test_the_swatch_of_bars_stands_beside_their_name():
    """In the legend of two series, half of it above the middle of the name."""
    space = "{http://www.w3.org/2000/svg}"
    bars = [series(name, (1, 2), (0.5, 0.75), kind="bars") for name in ("here", "there")]
    root = fromstring(chart_page_svg(Chart("", "rank", "gain", tuple(bars)), LIGHT))
    (name,) = [each for each in root.iter(f"{space}text") if "".join(each.itertext()) == "here"]
    sides = [
        (float(each.get("y")), float(each.get("height"))) for each in root.iter(f"{space}rect")
    ]
    swatches = [top + 5 for top, height in sides if height == 10]
    assert swatches
    # The name stands on its line, which lies below its middle.
    assert all(0 < float(name.get("y")) - middle < 5 for middle in swatches)


def test_a_long_name_is_cut_in_its_middle_in_a_legend():
    """Runs of one family begin alike, and differ at their end."""
    names = [f"{'a-very-long-name-of-a-run-' * 3}{end}" for end in ("stem", "title")]
    lines = tuple(series(name, (1, 2), (0.5, 0.75)) for name in names)
    root = fromstring(chart_page_svg(Chart("", "rank", "gain", lines), LIGHT))
    texts = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    ends = [text.partition("…")[2] for text in texts if text.startswith("a-very")]
    assert [name.endswith(end) and end != "" for name, end in zip(names, ends, strict=True)] == [
        True,
        True,
    ]


@pytest.mark.parametrize("name", ["<b>&", "a\x01b", "]]>", "שלום", "zwj👩‍👩‍👧", '"quoted"'])
def test_svg_stands_any_name(name):
    """No label can break an SVG."""
    chart = Chart(name, name, name, (series(name, (1, 2), (1, 2)), IDEAL))
    assert isinstance(fromstring(chart_page_svg(chart, LIGHT)), ElementTree.Element)


def test_csv_has_every_number():
    """The numbers come out as they went in, missing ones as empty cells."""
    rows = rows_of(CHART)
    assert rows[0] == ["series", "rank", "DCG"]
    assert rows[1:4] == [["alpha", "1", "0.5"], ["alpha", "2", "0.75"], ["alpha", "3", ""]]


def test_csv_runs_no_formula():
    """A label that a spreadsheet would run gets an apostrophe; numbers below zero do not."""
    chart = Chart("t", "x", "y", (series("=1+1", (1,), (-0.5,)),))
    assert rows_of(chart)[1] == ["'=1+1", "1", "-0.5"]


@pytest.mark.parametrize("ending", [".png", ".svg", ".csv", ".pdf"])
def test_files_are_written_by_their_ending(tmp_path, ending):
    """The ending says what is written."""
    path = tmp_path / f"chart{ending}"
    write_chart(path, CHART, LIGHT)
    assert path.stat().st_size > 20


def test_other_endings_are_named(tmp_path):
    """An ending that is none of the three says what may be chosen."""
    with pytest.raises(UsageError, match="png"):
        write_chart(tmp_path / "chart.doc", CHART, LIGHT)


def test_arrows_walk_the_points(qtbot):
    """Right begins at the first point and goes on; End is the last; Escape lets go."""
    view = ChartView(CHART)
    qtbot.addWidget(view)
    seen = []
    keys = (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Escape)
    for key in keys:
        qtbot.keyClick(view, key)
        seen.append(view.mark)
    assert seen == [1, 2, 3, None]


def test_walking_is_said(qtbot):
    """Readers hear the values at the point."""
    view = ChartView(CHART)
    qtbot.addWidget(view)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.accessibleDescription() == "rank 1: alpha 0.5000, ideal 1.0000"


def test_enter_chooses_a_point(qtbot):
    """Enter tells which position is looked at."""
    view = ChartView(CHART)
    qtbot.addWidget(view)
    qtbot.keyClick(view, Qt.Key.Key_End)
    with qtbot.waitSignal(view.position_chosen) as told:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert told.args == [3.0]


def test_pointer_shows_the_nearest_point(qtbot):
    """Moving over the chart shows the values nearest to the pointer."""
    view = ChartView(CHART)
    qtbot.addWidget(view)
    view.resize(400, 300)
    with qtbot.waitExposed(view):
        view.show()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.rect().center())
    assert view.mark == 2
    QTest.mouseMove(view, view.rect().bottomRight())
    assert view.mark == 3
    view.set_chart(Chart("empty", "rank", "DCG"))
    QTest.mouseMove(view, view.rect().center())
    assert view.mark is None


def test_what_keys_lead_to_stays_where_the_pointer_leaves(qtbot):
    """A pointer that goes takes along what it alone has shown."""
    view = ChartView(CHART)
    qtbot.addWidget(view)
    with qtbot.waitExposed(view):
        view.show()
    view.activateWindow()
    view.clearFocus()
    view.set_mark(1)
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert view.mark is None
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert view.mark == 1


def test_position_stays_when_the_chart_changes(qtbot):
    """A new chart keeps what was looked at while it has that point."""
    view = ChartView(CHART)
    qtbot.addWidget(view)
    view.set_mark(2)
    view.set_chart(Chart("other", "rank", "DCG", (series("beta", (1, 2), (0.1, 0.2)),)))
    assert view.mark == 2
    view.set_chart(Chart("short", "rank", "DCG", (series("beta", (1,), (0.1,)),)))
    assert view.mark is None
