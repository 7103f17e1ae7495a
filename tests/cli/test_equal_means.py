"""Two runs of equal means: what is left of adding floats is a difference nowhere."""

import html
import re
from functools import partial

import pytest

from judgetool.core.judgments import Query
from judgetool.core.number_text import signed_in_full
from judgetool.gui.compare.table_model import format_difference
from judgetool.metrics import parse_measure
from judgetool.session.commands import set_measures
from judgetool.session.comparing.comparing import comparison_work, open_comparison
from judgetool.session.comparing.pair_bounds import pair_bounds_work
from judgetool.session.comparing.query_by_query import query_differences
from judgetool.session.comparing.snapshots import present_systems
from judgetool.session.comparing.tables import comparison_sheet
from judgetool.session.opening import open_project
from tests.helpers.builders import Parts, make_project
from tests.helpers.program import must

P5 = parse_measure("P@5")
# Relevant of five: +0.2, +0.4 and −0.6 add up to 1e-16.
RELEVANT = {"alpha": (0, 0, 3), "beta": (1, 2, 0)}


@pytest.fixture
def balanced(tmp_path):
    """A project of two runs whose P@5 differs in every query, and whose means do not."""
    queries = [f"q{number}" for number in range(3)]
    runs = {
        name: {query: [f"{name}-{query}-{place}" for place in range(5)] for query in queries}
        for name in RELEVANT
    }
    judgments = [
        (query, document, "ben", 3 * (place < n_relevant))
        for name, counts in RELEVANT.items()
        for query, n_relevant in zip(queries, counts, strict=True)
        for place, document in enumerate(runs[name][query])
    ]
    parts = Parts(queries=[Query(each, each) for each in queries], runs=runs, judgments=judgments)
    with make_project(tmp_path, parts) as session:
        session.execute(set_measures([str(P5)]))
        return session.path


def test_json_has_no_difference(balanced):
    """It is 0 to the last digit, and so are the effect and the interval's ends where they are none."""
    names = ("--project", balanced, "-m", "P@5", "--intervals", "--format", "json")
    (row,) = must("compare", *names).json["comparisons"]
    assert {row[name] for name in ("difference", "effect", "min", "max")} == {0.0}
    assert (row["wins"], row["losses"], row["p"]) == (2, 1, 1.0)


def test_every_figure_of_the_window_has_none(balanced):
    """Table at once and computed, bounds, and the mean over queries: no sign, no least digit."""
    with open_project(balanced) as session:
        alpha, beta = present_systems(session)
        tables = (
            open_comparison(session, [alpha, beta]),
            comparison_work(session, [alpha, beta])(None, None),
        )
        found = [table.rows[1].cells[0].difference for table in tables]
        bounds = pair_bounds_work(session, beta, alpha, P5)(None, None)
        found += [bounds.difference, bounds.low, bounds.high]
        found.append(query_differences(session, beta, alpha, P5).mean)
    assert found == [0.0] * 6
    assert {format_difference(each) for each in found} == {"·"}
    # One that is no rounding has as many decimals as tell it from 0, as the verdict has it.
    assert format_difference(-0.0000085) == signed_in_full(-0.0000085) == "−0.00001"


def test_the_report_shows_neither_better_nor_worse(balanced, tmp_path):
    """No arrow, no colour and no sign stand at the difference."""
    page = tmp_path / "page.html"
    must("report", balanced, page, "-m", "P@5")
    text = html.unescape(page.read_text(encoding="utf-8"))
    table = text.partition("<table class='runs'>")[2].partition("</table>")[0]
    assert "<small class=''>0.0000</small>" in table
    assert not re.search("[▲▼]", table)


def test_a_saved_table_shows_no_sign(balanced):
    """In Markdown and LaTeX the difference stands without plus or minus."""
    with open_project(balanced) as session:
        table = comparison_work(session, present_systems(session))(None, None)
        sheet = comparison_sheet(session, table)
    ((_, _), (_, cell)) = sheet.overview.rows
    assert cell == "0.2000 (0.0000, p (Holm) = 1.000)"


def test_values_by_query_are_as_they_were(balanced):
    """Only sums are freed of what adding leaves: each query has its exact value."""
    score = partial(must, "score", "--project", balanced, "-m", "P@5", "-q")
    runs = score("--format", "json").json["runs"]
    found = {
        run["run"]: tuple(each["P@5"]["value"] for each in run["queries"].values()) for run in runs
    }
    assert found == {name: tuple(n / 5 for n in counts) for name, counts in RELEVANT.items()}
