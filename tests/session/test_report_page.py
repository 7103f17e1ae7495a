"""The report as a page: whole, self-contained, and safe whatever the project holds."""

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from judgetool.core.judgments import Query
from judgetool.core.number_text import signed
from judgetool.metrics import ComparisonRules, Mean, parse_measure
from judgetool.metrics.bounds import Bounds
from judgetool.session.charts import (
    PAGE_LOOK,
    Chart,
    chart_svg,
    difference_bars_svg,
    estimated_width,
    series,
)
from judgetool.session.comparing.comparing import ComparisonCell, ComparisonRow, ComparisonTable
from judgetool.session.comparing.query_by_query import QueryDifference
from judgetool.session.exports.report_html import (
    Report,
    ReportDifferences,
    iter_report_html,
    printed_report,
)
from judgetool.session.systems import System

HOSTILE = "</svg></title><script>alert(1)</script>\"'&<img src=x onerror=y>\x00\x0b\u202e"


MEASURE = parse_measure("nDCG@10")


def make_cell(mean, interval=None, difference=None, p=None, *, is_best=False):
    """A system by a measure, its mean over one query."""
    return ComparisonCell(Mean(mean, 1, 0, 0), interval, difference, None, p, 1, is_best)


def make_table(*cells, names=("a", "b"), measure=MEASURE, share=0.5):
    """A table of a system for each cell; the first is the baseline."""
    systems = [
        System("run", str(n), name) for n, name in zip(range(len(cells)), names, strict=False)
    ]
    rows = [
        ComparisonRow(system, system is systems[0], (cell,), share if place else None, 1)
        for place, (system, cell) in enumerate(zip(systems, cells, strict=True))
    ]
    return ComparisonTable(systems[0], (measure,), tuple(rows), 10, ComparisonRules(), 0, ())


def make_report(text=HOSTILE, n_queries=3, *, more=" "):
    """A report in which every text is the same."""
    cell = make_cell(0.5, Bounds(0.25, 0.75, True), -0.125, 0.01, is_best=True)
    queries = [
        (
            Query(text, f"{text}{more}", category=text),
            QueryDifference(place, 0.25, 0.5 + place, -0.25 - place),
        )
        for place in range(n_queries)
    ]
    table = make_table(make_cell(None), cell, names=(text, text))
    return Report(
        title=text,
        subtitle=text,
        facts=[(text, text)],
        table=table,
        remarks={row.system.key: text for row in table.rows},
        differences=[ReportDifferences(text, queries)],
        plots=[Chart(text, text, text, (series(text, [1.0, 2.0], [0.5, 0.75]),))],
        sentences=[text],
        made=text,
    )


class Tags(HTMLParser):
    """Collects what a page consists of."""

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.attributes = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "rect", "line", "polyline", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parse(page):
    """Parse a page, and see that every tag is closed."""
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []
    return tags


def test_nothing_of_the_project_becomes_markup():
    """Ids, texts and names with markup in them are shown, never run."""
    found = parse("".join(iter_report_html(make_report())))
    assert "script" not in found.tags
    assert "img" not in found.tags
    assert not [name for name, _ in found.attributes if name.startswith("on")]


def test_nothing_is_loaded_from_elsewhere():
    """A page names no file and no address, and forbids loading any."""
    page = "".join(iter_report_html(make_report("plain")))
    assert "Content-Security-Policy" in page
    rest = page.replace("http://www.w3.org/2000/svg", "")
    assert not any(word in rest for word in ("http:", "https:", "src=", "url(", "@import", "href"))


def test_a_text_that_is_the_id_stands_once_among_the_worst():
    """Where all ids are texts, as of a shop's log, there is no second column of them."""
    page = "".join(iter_report_html(make_report("camera bag", more="")))
    worst = page.partition("Worst regressions")[2].partition("</table>")[0]
    assert "<th scope='row' class='name'><bdi>camera bag</bdi></th>" in worst
    assert ">text<" not in worst


def test_among_the_worst_it_is_said_which_side_has_no_results():
    """Beside the value of that side alone."""
    report = make_report("plain", n_queries=1)
    query, row = report.differences[0].rows[0]
    for is_missing, is_missing_in_baseline in ((True, False), (False, True), (False, False)):
        lacking = row._replace(is_missing=is_missing, is_missing_in_baseline=is_missing_in_baseline)
        shown = replace(report, differences=[ReportDifferences("plain", [(query, lacking)])])
        page = "".join(iter_report_html(shown))
        worst = page.partition("Worst regressions")[2].partition("</table>")[0]
        cells = [cell.partition("</td>")[0] for cell in worst.split("<td")]
        said = ["no results" in cell for cell in cells[-3:]]
        assert said == [is_missing_in_baseline, is_missing, False]


def test_a_page_says_what_it_shows():
    """Means, intervals, differences, p and shares stand in the page."""
    page = "".join(iter_report_html(make_report("plain")))
    for text in ("0.5000", "[0.2500 to 0.7500]", "−0.1250", "p 0.0100", "50%", "◆", "baseline"):
        assert text in page


def test_a_p_below_all_digits_stands_on_one_line():
    """Its sign and its number are not parted where a column is narrow."""
    cell = make_cell(0.5, None, -0.125, 0.00001)
    table = make_table(make_cell(0.625), cell)
    page = "".join(iter_report_html(replace(make_report("plain"), table=table)))
    assert "<\u00a00.0001" in unescape(page)


def test_an_interval_that_is_wider_than_need_be_says_so():
    """Where the ends are not attained the page says that the mean lies within."""
    report = make_report("plain")
    table = make_table(make_cell(0.5, Bounds(0.25, 0.75, False)))
    page = "".join(iter_report_html(replace(report, table=table)))
    assert "[within 0.2500 to 0.7500]" in page


def test_of_very_many_queries_those_that_changed_most_are_drawn():
    """A page of thousands of queries stays readable, and says that it left some out."""
    page = "".join(iter_report_html(make_report("plain", n_queries=500)))
    assert page.count("<rect") == 50
    assert "Of 500 the 50 that changed most" in page


@given(st.text(max_size=30))
def test_any_text_gives_a_whole_page(text):
    """Whatever Unicode a project holds, tags stay closed and the page can be written."""
    page = "".join(iter_report_html(make_report(text)))
    page.encode()
    parse(page)


lines = st.lists(
    st.tuples(st.floats(allow_nan=True, width=32), st.floats(allow_nan=True, width=32)), max_size=8
)


@given(lines, st.text(max_size=20))
def test_a_plot_is_sound_svg(points, text):
    """Numbers without bounds and odd texts give XML that parses, without NaN in it."""
    line = series(text, [x for x, _ in points], [y for _, y in points])
    plot = chart_svg(Chart(text, text, text, (line,)), 640, 260)
    numbers = [f"{each.get('points', '')}{each.get('d', '')}" for each in ET.fromstring(plot)]
    assert not any("nan" in each or "inf" in each for each in numbers)


def test_a_line_that_only_goes_on_has_no_symbols_there():
    """Where no document stands any more, there is the line alone."""
    ranks, level = [1.0, 2.0, 3.0, 4.0], [0.5, 0.5, 0.5, 0.5]
    for marked_to, n in ((math.inf, 4), (2.0, 2), (0.0, 0)):
        line = series("run", ranks, level)._replace(marked_to=marked_to)
        root = ET.fromstring(chart_svg(Chart("t", "rank", "DCG", (line,)), 640, 260))
        svg = "{http://www.w3.org/2000/svg}"
        assert len(root.findall(f"{svg}circle")) == n
        (path,) = root.findall(f"{svg}path")
        assert path.get("d").count("L") == 3


def test_what_is_no_quality_is_neither_good_nor_bad():
    """More of a residual, or of what is not relevant, has its sign alone: no arrow, no colour."""
    for name, is_quality in (("RBPres", False), ("NumNonrelRet", False), ("RBP", True)):
        measure = parse_measure(name)
        table = make_table(make_cell(0.5, difference=-0.125), measure=measure)
        differences = [
            each._replace(is_quality=is_quality) for each in make_report("x").differences
        ]
        page = "".join(
            iter_report_html(replace(make_report("x"), table=table, differences=differences))
        )
        assert ("<small class='bad'>▼ −0.1250</small>" in page) is is_quality
        assert ("<small class=''>−0.1250</small>" in page) is not is_quality
        assert (" better, " in page) is is_quality
        assert (" more, " in page) is not is_quality
        bars = difference_bars_svg([("a", 0.5), ("b", -0.5)], "t", is_quality=is_quality)
        assert ("▲" in bars) is is_quality
        assert ("var(--good" in bars) is is_quality


@given(st.lists(st.floats(-1, 1), max_size=6), st.text(max_size=20))
def test_bars_are_sound_svg(values, text):
    """A bar for each value, to the side of its sign."""
    plot = difference_bars_svg([(text, value) for value in values], text)
    root = ET.fromstring(plot)
    assert len(root.findall("{http://www.w3.org/2000/svg}rect")) == len(values)


def test_names_and_values_stand_beside_their_bars():
    """Label and number are on the bar's own line, bars below each other, all inside the plot."""
    plot = ET.fromstring(difference_bars_svg([(f"q{n}", n / 4 - 0.5) for n in range(5)], "t"))
    svg = "{http://www.w3.org/2000/svg}"
    tops = [float(bar.get("y")) for bar in plot.findall(f"{svg}rect")]
    heights = [float(text.get("y")) for text in plot.findall(f"{svg}text")]
    assert all(after - before >= 13 for before, after in pairwise(tops))
    assert heights == [top + 11 for top in tops for _ in range(2)]
    assert tops[-1] + 13 <= float(plot.get("viewBox").split()[3])


def test_signs_are_as_in_print():
    """A difference has a sign, and none when it is shown as zero."""
    assert [signed(0.00001), signed(-0.00001), signed(0.5), signed(-0.5)] == [
        "0.0000",
        "0.0000",
        "+0.5000",
        "−0.5000",
    ]


def test_labels_of_lines_that_end_together_stay_apart_and_inside():
    """Five lines that end at one height have their names beside or below each other, inside the plot."""
    lines = [series(f"run {number}", [1.0, 2.0], [1.0, 0.001 * number]) for number in range(5)]
    root = ET.fromstring(chart_svg(Chart("t", "x", "y", tuple(lines)), 320, 260))
    names = [e for e in root.iter("{http://www.w3.org/2000/svg}text") if "run " in (e.text or "")]
    places = sorted((float(each.get("y")), float(each.get("x"))) for each in names)
    assert len(places) == 5
    for (y, x), (next_y, next_x) in pairwise(places):
        assert next_y - y >= 14 or next_x - x >= estimated_width(12.0, "run 0")
    assert all(x + estimated_width(12.0, "run 0") <= 320 and y <= 220 for y, x in places)


def test_of_two_shares_of_judged_documents_one_is_shown():
    """Where Judged@10 is a measure nothing stands beside it; else the page says it is over ranks."""
    table = make_table(make_cell(0.5), measure=parse_measure("Judged@10"))
    report = replace(make_report("plain"), table=table)
    assert "ranks judged" not in "".join(iter_report_html(report))
    other = "".join(iter_report_html(make_report("plain")))
    assert "ranks judged, top 10" in other
    assert "of the first ranks of all queries together" in other


def test_the_pdf_prints_the_very_figures_of_the_page():
    """What is printed is the page's own body, its drawings in the order in which they stand."""
    report = make_report("plain", n_queries=60)
    _, body, drawings = printed_report(report, PAGE_LOOK)
    page = "".join(iter_report_html(report))
    for text in ("0.5000", "[0.2500 to 0.7500]", "−0.1250", "p 0.0100", "50%", "Of 60 the 50"):
        assert text in page
        assert text in body
    assert sum(drawing.count("<rect") for drawing in drawings) == page.count("<rect") == 50
    assert body.index("<img src='0:1'>") < body.index(f"<img src='{len(drawings) - 1}:1'>")
