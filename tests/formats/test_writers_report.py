"""Reports: runs by measures for a page, a paper or a message."""

import re
from html.parser import HTMLParser

import pytest

from judgetool.core.scale import scale_preset
from judgetool.formats.writers import WRITERS, ExportChoices, ExportMaterial, ReportRow, ReportTable

REPORTS = ("report-markdown", "report-html", "report-latex")


def table(*rows, title="Recipes", measures=("nDCG@10", "NumRel")):
    return ReportTable(title, measures, [False, True], rows, ("Grades are read by the scale 0-3.",))


TWO = table(
    ReportRow("bm25", (0.51459, 12.0), (19, 19)), ReportRow("dense", (0.5146, None), (19, 18))
)


def written(name, report, digits=4):
    material = ExportMaterial((), scale_preset("0-3"), report=report)
    return "".join(WRITERS[name].writer(material, ExportChoices(name, digits=digits)))


def test_markdown_table():
    """The best of each column is bold, ties as they are shown; what is undefined is a dash."""
    assert written("report-markdown", TWO).splitlines() == [
        "# Recipes",
        "",
        "| run | nDCG@10 | NumRel |",
        "| --- | ---: | ---: |",
        "| bm25 | **0.5146** | 12 |",
        "| dense | **0.5146** | – |",
        "",
        "Means over 18 to 19 queries. Grades are read by the scale 0-3.",
    ]


def test_digits_decide_what_is_best():
    """With more decimals, only the higher value is bold."""
    lines = written("report-markdown", TWO, digits=5).splitlines()
    assert lines[4:6] == ["| bm25 | 0.51459 | 12 |", "| dense | **0.51460** | – |"]


def test_one_run_alone_is_not_best():
    """A table of one run has no bold value."""
    assert "**" not in written("report-markdown", table(TWO.rows[0]))


AWKWARD = "a|b_c & <i>50%</i> $x$ #1 \\n"


@pytest.mark.parametrize("name", REPORTS)
def test_names_cannot_break_the_table(name):
    """Signs that mean something to the format are escaped."""
    text = written(name, table(ReportRow(AWKWARD, (0.5, 1.0), (1, 1)), title=AWKWARD))
    line = next(line for line in text.splitlines() if "0.5000" in line)
    if name == "report-markdown":
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
    elif name == "report-latex":
        assert len(re.findall(r"(?<!\\)&", line)) == 2
        assert r"50\%" in line
    else:
        assert "<i>" not in text


def test_html_is_well_formed():
    """Every tag of the page is closed, in order, and nothing is loaded from elsewhere."""

    open_tags = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag, attrs):
            assert not {"src", "href"} & {name for name, _ in attrs}
            if tag != "meta":
                open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Checker().feed(written("report-html", TWO))
    assert open_tags == []


def test_latex_has_as_many_columns_as_measures():
    """A column for the runs and one for each measure; conventions stand in the caption."""
    text = written("report-latex", TWO)
    assert "\\begin{tabular}{lrr}" in text
    assert "bm25 & \\textbf{0.5146} & 12 \\\\" in text
    assert "\\caption{Recipes. Means over 18 to 19 queries. Grades are read" in text
