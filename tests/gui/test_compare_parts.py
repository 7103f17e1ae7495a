"""Parts of the compare view: rankings beside each other, explanations, dialogs, reports."""

import html
import re
import shlex
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QMarginsF
from PySide6.QtGui import QPageLayout, QPageSize, QPdfWriter, QTextDocument

from judgetool.core.judgments import Query
from judgetool.core.number_text import format_p, format_value
from judgetool.gui.app import make_application
from judgetool.gui.charts import CSS_DPI
from judgetool.gui.compare.acts import AgreementDialog
from judgetool.gui.compare.compared import ComparedPair
from judgetool.gui.compare.dialogs import (
    SignificanceDialog,
    SnapshotsDialog,
    SystemsDialog,
    WriteReportDialog,
)
from judgetool.gui.compare.difference_pane import difference_rows
from judgetool.gui.compare.head_row import NoteRow
from judgetool.gui.compare.next_pane import next_rows
from judgetool.gui.compare.query_pane import (
    ExplainPane,
    difference_of_documents,
    explain_system,
)
from judgetool.gui.compare.table_model import row_lines
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.choose import NameDialog
from judgetool.gui.jobs import Jobs
from judgetool.gui.report_pdf import PageBlock, break_pages, pieces_of, report_pdf, set_report
from judgetool.gui.theme import Role, text_width
from judgetool.gui.widgets.labels import ElidedLabel
from judgetool.metrics import ComparisonRules
from judgetool.session.commands import Say, SetValues, set_measures
from judgetool.session.comparing.comparing import open_comparison
from judgetool.session.comparing.curves import mean_charts_work, query_charts
from judgetool.session.comparing.pair_bounds import Candidate
from judgetool.session.comparing.query_by_query import (
    agree_on_measures,
    agree_on_queries,
    groups_tested,
    query_differences,
    side_by_side,
)
from judgetool.session.comparing.snapshots import create_snapshot, present_systems
from judgetool.session.comparing.system_values import named_systems
from judgetool.session.exports.report_html import iter_report_html
from judgetool.session.exports.reporting import ReportChoices, report_work
from judgetool.session.whatifs.editing import assume_grade, create_whatif
from tests.gui.compare_fixtures import menu_of, opened_compare
from tests.helpers.builders import Parts, awkward_parts, make_project, open_sample
from tests.helpers.fake_prompter import FakePrompter
from tests.helpers.laws import examples
from tests.helpers.program import must

RUNS = {
    "alpha": {"q1": ["a", "b", "c", "d"], "q2": ["x"]},
    "beta": {"q1": ["b", "a", "c", "e"]},
}
JUDGMENTS = [("q1", "a", "anna", 3.0), ("q1", "c", "anna", 0.0), ("q2", "x", "anna", 1.0)]
SMALL = Parts([Query("q1", "soup"), Query("q2", "stew")], [], RUNS, JUDGMENTS)


@pytest.fixture(autouse=True)
def application(qapp):
    """Fonts and themes as the program has them."""
    make_application()


@pytest.fixture
def small(tmp_path):
    """A project of two runs that differ."""
    with make_project(tmp_path, SMALL) as session:
        yield session


@pytest.fixture
def sample(tmp_path):
    """The sample project."""
    with open_sample(tmp_path) as session:
        yield session


class Window:
    """What the report's dialog uses of the window."""

    def __init__(self, prompter):
        self.prompter, self.jobs = prompter, Jobs()


def beside(session, **wishes):
    """Return alpha and beta side by side for the first query."""
    wishes = {"depth": 10, **wishes}
    return side_by_side(session, present_systems(session), 0, session.measures[0], **wishes)


def test_queries_are_grouped(tmp_path):
    """With groups each has a head, worst mean first, and each query that differs is under its own."""
    queries = [Query(f"q{n}", "soup", category="cold" if n % 2 else "hot") for n in range(6)]
    ranked = {query.id: ["a", "b", "c"] for query in queries}
    other = {
        query.id: ["c", "b", "a"] if n % 2 else ["b", "a", "c"] for n, query in enumerate(queries)
    }
    judgments = [(query.id, "a", "anna", 3.0) for query in queries]
    parts = Parts(queries, [], {"alpha": ranked, "beta": other}, judgments)
    with make_project(tmp_path, parts) as session:
        first, second = present_systems(session)
        measure = next(each for each in session.measures if str(each) == "RR")
        found = query_differences(session, second, first, measure, group_by="category")
        rows = difference_rows(session, found, group_by="category")
        tests = groups_tested(found, ComparisonRules())
        tested = difference_rows(session, found, group_by="category", tests=tests)
    for row, test in zip([row for row in tested if row.number is None], tests, strict=True):
        assert row.remark.startswith(f"{format_p(test.p)}, ")
        assert f"baseline {test.pair.baseline_mean:.4f}" in row.lines[0]
    heads = [row.text for row in rows if row.number is None]
    assert heads == ["cold", "hot"]
    assert [row.number for row in rows] == [None, 1, 3, 5, None, 0, 2, 4]


def test_a_query_whose_id_is_its_text_is_named_once(tmp_path):
    """Queries that came by their text alone: in the chart, and among what is to be judged."""
    queries = [Query("red tent", "red tent"), Query("q2", "torch")]
    ranked = [{query.id: list(order) for query in queries} for order in ("abc", "cba")]
    judgments = [(query.id, "a", "anna", 3.0) for query in queries]
    parts = Parts(queries, [], {"alpha": ranked[0], "beta": ranked[1]}, judgments)
    with make_project(tmp_path, parts) as session:
        first, second = present_systems(session)
        measure = next(each for each in session.measures if str(each) == "RR")
        rows = difference_rows(session, query_differences(session, second, first, measure))
        listed = next_rows(session, [Candidate(0, 1, 0.5, False), Candidate(1, 1, 0.5, False)])
    assert {(row.label, row.text) for row in rows} == {("", "red tent"), ("q2", "torch")}
    assert [row.query_text for row in listed] == ["red tent", "q2  torch"]


def test_moves_are_said_in_the_later_column(small):
    """Each document of the second ranking says what it did against the first."""
    content = beside(small)
    assert [card.move for card in content.columns[1].cards] == ["↑1", "↓1", "", "new"]


def test_what_leaves_is_said_in_the_first_column(small):
    """A document that the second ranking lacks is gone; one beyond the shown ranks says where."""
    assert [card.move for card in beside(small).columns[0].cards] == ["", "", "", "gone"]
    assert beside(small, depth=1).columns[0].cards[0].move == "to 2"


def test_links_join_the_same_document(small):
    """Every link joins two ranks of one document, and none is missing."""
    content = beside(small)
    first, second = (column.cards for column in content.columns)
    joined = [(first[a - 1].document, second[b - 1].document) for a, b in content.links[0]]
    assert len(joined) == 3
    assert all(one == two for one, two in joined)


def test_unjudged_documents_have_no_grade(small):
    """Grades are those that count; unjudged documents have none."""
    assert [card.grade for card in beside(small).columns[0].cards] == [3.0, None, 0.0, None]


def test_missing_ranking_is_an_empty_column(small):
    """A query that a run lacks has a column without documents."""
    content = side_by_side(small, present_systems(small), 1, small.measures[0], depth=10)
    assert [column.n_ranks for column in content.columns] == [1, 0]


def test_parts_of_documents_add_up(sample):
    """What documents add to a difference adds up to it, for every measure that is a sum."""
    first, second, *_ = present_systems(sample)
    for measure in sample.measures:
        found, rows = difference_of_documents(sample, second, first, 7, measure)
        if not found.reason:
            assert sum(row.difference for row in rows) == pytest.approx(found.difference)


def test_explanation_ends_in_the_value(sample):
    """The arithmetic of a system's value ends in that value."""
    system = present_systems(sample)[0]
    for column, measure in enumerate(sample.measures):
        value = sample.board.engine.value(int(system.id), 7)[column].value
        shown = explain_system(sample, system, 7, measure).result
        assert shown in (f"{value:.4f}", f"{value:.0f}")


def test_an_assumed_grade_does_not_look_judged_in_an_explanation(small):
    """It stands in brackets without its level's symbol, and the explanation says what that is."""
    whatif = create_whatif(small, "tried", small.material.find_run("alpha").run_id)
    assume_grade(small, whatif, 0, small.material.find_document("b"), 2.0)
    system = next(each for each in present_systems(small) if each.kind == "what-if")
    measure = next(each for each in small.measures if str(each) == "nDCG@10")
    shown = explain_system(small, system, 0, measure)
    assert [row.cells[1] for row in shown.rows[:4]] == ["3", "(2)", "0", "–"]
    assert [row.grade for row in shown.rows[:4]] == [3.0, None, 0.0, None]
    assert "brackets" in shown.remark
    run = explain_system(small, present_systems(small)[0], 0, measure)
    assert "brackets" not in run.remark


def test_snapshots_explain_with_their_own_judgments(sample):
    """A system of a snapshot is named after it, and compared like any other."""
    create_snapshot(sample, "march")
    systems = named_systems(sample)
    frozen = next(each for each in systems if each.name == "chargrams (march)")
    now = next(each for each in systems if each.name == "chargrams")
    measure = sample.measures[0]
    shown = side_by_side(sample, [now, frozen], 0, measure, depth=5)
    assert [card.move for card in shown.columns[1].cards] == [""] * 5


def test_awkward_material_is_drawn(tmp_path):
    """Curves and rankings stand any ids, texts and empty rankings."""
    with make_project(tmp_path, awkward_parts()) as session:
        systems = present_systems(session)
        for query in range(len(session.material.queries)):
            for measure in session.measures:
                charts = query_charts(session, systems, query, measure)
                assert all(chart.in_words() for chart in charts)
            side_by_side(session, systems, query, session.measures[0], depth=1000)


@pytest.mark.parametrize(
    "counted",
    [
        {},
        {"unjudged": "left out", "undefined": "leave out", "missing": "both"},
        {"missing": "all", "preset": "quepid"},
        {"unjudged": "left out", "missing": "all"},
    ],
)
def test_means_against_k_are_the_means(sample, counted):
    """The curve of all queries goes through the mean that the table shows, whatever counts."""
    sample.execute(SetValues({"conventions": counted}, "Conventions"))
    systems = present_systems(sample)
    names = [(each.name, each.cutoff) for each in sample.measures]
    column = names.index(("nDCG", 10))
    charts = mean_charts_work(sample, systems, sample.measures[column])(None)
    for system, line in zip(systems, charts[2].series, strict=True):
        mean = sample.board.engine.means(int(system.id))[column].value
        assert line.value_at(10.0) == pytest.approx(mean)


def test_grades_by_rank_add_up_to_the_queries(sample):
    """The layers of a rank add up to the queries whose ranking reaches it."""
    system = present_systems(sample)[0]
    charts = mean_charts_work(sample, [system], sample.measures[0])(None)
    (chart,) = [each for each in charts if each.title.startswith("Grades by rank")]
    lengths = sample.material.block(int(system.id)).lengths
    for place, rank in enumerate(chart.series[0].x):
        stacked = sum(layer.y[place] for layer in chart.series)
        assert stacked == np.count_nonzero(lengths >= rank)


@given(st.floats(0, 1))
def test_p_is_never_a_bare_zero(p):
    """However small, p is not shown as 0."""
    assert format_p(p) != "p 0.000"


def test_name_of_a_snapshot_is_free(qtbot):
    """The suggested name is not taken; a taken one cannot be chosen."""
    dialog = NameDialog("Take a snapshot", "march", verb="Take", taken={"march"})
    qtbot.addWidget(dialog)
    assert dialog.answer == "march 2"
    dialog.field.setText("march")
    assert not dialog.verb.isEnabled()


def test_checked_snapshots_are_compared_with_now(qtbot, sample):
    """Checking a snapshot compares its systems with the present ones."""
    snapshot_id = create_snapshot(sample, "march")
    dialog = SnapshotsDialog(sample)
    qtbot.addWidget(dialog)
    dialog.boxes[snapshot_id].setChecked(True)
    assert len(dialog.answer.keys) == 6
    dialog.now.setChecked(False)
    assert all(key.startswith(snapshot_id) for key in dialog.answer.keys)


def test_snapshots_to_delete_are_told(qtbot, sample):
    """A snapshot marked for deletion is not compared."""
    snapshot_id = create_snapshot(sample, "march")
    dialog = SnapshotsDialog(sample)
    qtbot.addWidget(dialog)
    dialog.boxes[snapshot_id].setChecked(True)
    dialog.deletes[snapshot_id].click()
    assert dialog.answer.deleted == (snapshot_id,)
    assert dialog.answer.keys == ()


def test_systems_are_chosen_by_check_boxes(qtbot, sample):
    """What is checked is compared; nothing checked cannot be."""
    systems = present_systems(sample)
    dialog = SystemsDialog(sample, systems[:2], is_together=False)
    qtbot.addWidget(dialog)
    assert dialog.checks.answer == tuple(each.key for each in systems[:2])
    for box in dialog.checks.boxes.values():
        box.setChecked(False)
    assert not dialog.verb.isEnabled()


def test_agreement_is_the_mean_over_queries(qtbot, sample):
    """Each system stands against each, with the means of what the session finds."""
    systems, jobs = present_systems(sample), Jobs()
    dialog = AgreementDialog(sample, systems, jobs)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(dialog.state.isHidden)
    found = agree_on_queries(sample, systems[1], systems[2])
    taus = [each.tau for each in found if each.tau is not None]
    shown = [dialog.rankings.item(*at).text().replace("−", "-") for at in ((1, 3), (2, 2))]
    jobs.close()
    assert shown == [f"{np.mean(taus):.3f}"] * 2
    over = f"{len(taus)} queries, RBO over {len(found)}"
    assert over in dialog.rankings.item(1, 3).toolTip()


def test_agreement_of_measures_is_a_matrix(qtbot, sample):
    """Each measure stands against each, by the figure chosen; the other figures in the tooltip."""
    systems, jobs = present_systems(sample), Jobs()
    dialog = AgreementDialog(sample, systems, jobs)
    qtbot.addWidget(dialog)
    found = agree_on_measures(sample, systems)
    for place, figure in enumerate(("tau", "tau_ap", "rho", "rbo")):
        dialog.figure.setCurrentIndex(place)
        dialog.figure.activated.emit(place)
        table = dialog.measures
        names = [table.item(row, 0).text() for row in range(table.rowCount())]
        for each in found:
            at = names.index(str(each.first)), names.index(str(each.second)) + 1
            value = getattr(each.agreement, figure)
            expected = "–" if value is None else f"{value:.3f}"
            assert table.item(*at).text().replace("−", "-") == expected
    jobs.close()
    assert "RBO (p 0.9)" in table.item(*at).toolTip()


def written(qtbot, session, path, *, is_pdf=False, is_anonymous=False):
    """Write a report through its dialog."""
    window = Window(FakePrompter(places=[path]))
    dialog = WriteReportDialog(window, session)
    qtbot.addWidget(dialog)
    dialog.kinds.by_name[".pdf" if is_pdf else ".html"].setChecked(True)
    dialog.anonymous.setChecked(is_anonymous)
    dialog.verb.click()
    qtbot.waitUntil(lambda: bool(dialog.answer))
    window.jobs.close()


def test_report_is_that_of_the_command(qtbot, tmp_path):
    """The window writes the page that ``judgetool report`` writes, but for its time."""
    session = open_sample(tmp_path)
    written(qtbot, session, tmp_path / "window.html")
    path = session.path
    session.close()
    must("report", path, tmp_path / "command.html")
    pages = [(tmp_path / f"{name}.html").read_text() for name in ("window", "command")]
    first, second = ([line for line in page.split("\n") if "Made 20" not in line] for page in pages)
    assert first == second


def test_an_anonymous_report_is_that_of_the_command(qtbot, tmp_path):
    """The switch writes what ``--anonymous`` writes; no time is in it."""
    session = open_sample(tmp_path)
    written(qtbot, session, tmp_path / "window.html", is_anonymous=True)
    path = session.path
    session.set_view("mine")
    work = report_work(session, ReportChoices(anonymous=True))
    assert "Judgments: only those of one assessor." in work(None, None).sentences
    session.close()
    must("report", path, tmp_path / "command.html", "--anonymous")
    pages = [(tmp_path / f"{name}.html").read_text() for name in ("window", "command")]
    first, second = (page.partition("The same figures again")[0] for page in pages)
    assert first == second
    assert "Made by judgetool" in first


def test_what_nobody_chose_changes_no_p_of_a_report(tmp_path):
    """A what-if in a report leaves p of the runs, is said to be apart, and counts when named."""
    session = open_sample(tmp_path)
    path, names = session.path, [each.name for each in present_systems(session)]
    must("report", path, tmp_path / "before.html")
    create_whatif(session, "tried", int(present_systems(session)[0].id))
    session.close()
    must("report", path, tmp_path / "after.html")
    runs = [word for name in [*names, "tried"] for word in ("--run", name)]
    must("report", path, tmp_path / "named.html", *runs)
    before, after, named = (
        (tmp_path / f"{name}.html").read_text().split("\n") for name in ("before", "after", "named")
    )
    rows = [line for line in before if f">{names[-1]}<" in line and line.startswith("<tr")]
    assert rows
    assert set(rows) <= set(after)
    assert any("Tested apart" in line and "tried" in line for line in after)
    assert not any("Tested apart" in line for line in named)


def test_report_is_of_what_compare_shows(qtbot, tmp_path, monkeypatch):
    """``Report…`` writes of the queries, measures and column of the table; its command does so, too."""
    out = tmp_path / "window.html"

    def is_answered(dialog):
        qtbot.addWidget(dialog)
        dialog.write()
        qtbot.waitUntil(lambda: bool(dialog.answer))
        return True

    monkeypatch.setattr(ActDialog, "is_answered", is_answered)
    with opened_compare(qtbot, tmp_path) as (window, page):
        compared, project = page.compared, window.session.path
        compared.choose_columns(["AP", "nDCG@10"])
        compared.choose_where("text:dessert")
        compared.choose_measure(list(map(str, compared.table.measures)).index("nDCG@10"))
        n_queries = compared.table.rows[0].cells[0].mean.n_queries
        window.prompter = FakePrompter(places=[out])
        window.actions_by_name.action("compare.report").trigger()
    page = out.read_text(encoding="utf-8")
    drawn = re.findall(r" minus [^<]+, ([^,<]+)<", page)
    assert set(drawn) == {"nDCG@10"}
    assert "Over the queries that ‘text:dessert’ lets through" in page
    assert f">AP</th><td>{n_queries}</td>" in page
    assert ">P@10</th>" not in page
    words = shlex.split(html.unescape(re.search(r"<code><bdi>(.*?)</bdi>", page)[1]))
    again = tmp_path / "again.html"
    words[words.index(project.name)], words[words.index("report.html")] = str(project), str(again)
    must(*words[1:])
    shown, printed = (
        [line for line in text.split("\n") if "Made 20" not in line]
        for text in (page, again.read_text(encoding="utf-8"))
    )
    assert shown == printed


def test_report_as_pdf_has_pages(qtbot, sample, tmp_path):
    """A PDF is written whole."""
    path = tmp_path / "report.pdf"
    written(qtbot, sample, path, is_pdf=True)
    content = path.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert content.count(b"/Type /Page\n") > 2
    # When it was made is told by the page alone, and by none that is anonymous.
    assert b"Date" not in content


def test_pdf_stands_any_project(tmp_path):
    """Ids and texts of any kind are printed, with queries that nothing compares."""
    with make_project(tmp_path, awkward_parts()) as session:
        report = report_work(session, ReportChoices())(None, None)
        assert report_pdf(report).startswith(b"%PDF-")


def test_report_says_what_is_missing(qtbot, sample):
    """Without a measure there is nothing to report; the dialog says so."""
    dialog = WriteReportDialog(Window(FakePrompter()), sample)
    qtbot.addWidget(dialog)
    for box in dialog.measures.values():
        box.setChecked(False)
    assert dialog.remark.text() == "Check at least one measure."
    assert not dialog.verb.isEnabled()


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(1, 90), st.floats(0, 20), st.booleans(), st.booleans()),
        min_size=1,
        max_size=40,
    )
)
def test_pages_have_every_piece_once_and_whole(drawn):
    """In order, none cut, none over the foot; a heading is last on a page only where it must be."""
    room, pieces, top = 200.0, [], 0.0
    for height, gap, heads, has_head in drawn:
        head = (0.0, 15.0) if has_head else None
        pieces.append(PageBlock(top, top + height, heads, head))
        top += height + gap
    pages = break_pages(pieces, room)
    bodies = [page[-1] for page in pages]
    assert all(sum(last - first for first, last in page) <= room + 1e-9 for page in pages)
    assert all(before[1] <= after[0] for before, after in pairwise(bodies))
    for each in pieces:
        assert sum(first <= each.top and each.bottom <= last for first, last in bodies) == 1
    for first, last in bodies[:-1]:
        shown = [each for each in pieces if first <= each.top and each.bottom <= last]
        assert not shown[-1].heads or all(each.heads for each in shown)


def test_a_heading_stands_with_the_words_under_it_and_no_list_with_the_next(qtbot):
    """Short lines under a heading go with it; an entry of a list, or what follows one, stands alone."""
    page = QTextDocument()
    page.setHtml("<h2>Runs</h2><p>Two.</p><ul><li>One</li><li>Other</li></ul><p>End.</p>")
    assert [each.heads for each in pieces_of(page)] == [True, True, False, False, False]


def test_the_head_of_a_table_stands_again_over_its_later_rows(qtbot):
    """Not over the first row, which it stands on anyway; a table without one repeats nothing."""
    page = QTextDocument()
    rows = "".join(f"<tr><td>{n}</td></tr>" for n in range(3))
    page.setHtml(f"<table><thead><tr><th>n</th></tr></thead>{rows}</table><table>{rows}</table>")
    head, first, *later = pieces_of(page)
    assert (head.head, first.head) == (None, None)
    assert [each.head for each in later] == [(head.top, head.bottom)] * 2 + [None] * 3


def lines_on_paper(report):
    """Yield the text of each paragraph of a report as PDF, and its lines as they are broken."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4),
            QPageLayout.Orientation.Landscape,
            QMarginsF(16, 16, 16, 16),
            QPageLayout.Unit.Millimeter,
        )
    )
    writer.setResolution(CSS_DPI)
    text = set_report(writer, report)
    block = text.begin()
    while block.isValid():
        said, layout = block.text(), block.layout()
        lines = [layout.lineAt(at) for at in range(layout.lineCount())]
        parts = (said[each.textStart() :][: each.textLength()] for each in lines)
        yield said.replace("\u200b", ""), [each.replace("\u200b", "") for each in parts]
        block = block.next()


def test_a_small_p_stands_on_one_line_of_the_paper(qtbot, sample):
    """``< 0.0001`` is as wide as a p comes: its column has room for it."""
    report = report_work(sample, ReportChoices())(None, None)

    def smaller(cell):
        if cell.pair is None or cell.pair.significance is None:
            return cell
        drawn = cell.pair.significance._replace(p=1e-9)
        return cell._replace(pair=cell.pair._replace(significance=drawn), p=1e-9)

    rows = [row._replace(cells=tuple(map(smaller, row.cells))) for row in report.table.rows]
    report = replace(report, table=report.table._replace(rows=tuple(rows)))
    lines = [each for name, each in lines_on_paper(report) if name == "<\u00a00.0001"]
    assert len(lines) > 10
    assert {*map(len, lines)} == {1}


def test_no_name_of_a_measure_is_broken_within_a_word_on_paper(qtbot, sample):
    """‘Compat(p=0.8’ stood there over ‘)’: a name is whole, or goes on after its sign of equality."""
    names = ["AP", "Compat(p=0.8)", "nDCG(ideal='retrieved')@10", "alpha_nDCG@10"]
    sample.execute(SetValues({"measures": names}, "Measures"))
    report = report_work(sample, ReportChoices())(None, None)
    found = {name: lines for name, lines in lines_on_paper(report) if name in names}
    assert found.keys() == {*names}
    longest = found.pop("nDCG(ideal='retrieved')@10")
    assert longest == ["nDCG(ideal=", "'retrieved')@10"]
    assert all(len(lines) == 1 for lines in found.values())


def test_a_page_that_begins_within_a_group_has_its_name_again():
    """After the head of the table, which is repeated on every page that the table goes on to."""
    head, name = (0.0, 10.0), (10.0, 20.0)
    rows = [PageBlock(20.0 + 10 * n, 30.0 + 10 * n, False, head, name) for n in range(6)]
    pieces = [PageBlock(*head, True), PageBlock(*name, True, None), *rows]
    assert break_pages(pieces, 50.0) == [
        [(0.0, 50.0)],
        [head, name, (50.0, 80.0)],
    ]


def test_orders_go_out_with_their_command(qtbot, sample, tmp_path):
    """What a matrix of orders shows is saved, and its command prints the same figures and more."""
    jobs, saved = Jobs(), []
    systems = present_systems(sample)
    dialog = AgreementDialog(sample, systems, jobs, saved.append)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(dialog.state.isHidden)
    dialog.show()
    menu_of(dialog.rankings.viewport())["Save table…"].trigger()
    (sheet,) = saved
    words = shlex.split(sheet.command)
    words[words.index(sample.path.name)] = str(sample.path)
    printed = {tuple(row[:2]): row[2:] for row in must(*words[1:]).rows}
    named = [system.name for system in systems]
    tau = printed[named[0], named[1]][0]
    assert sheet.rows[0][2] == format_value(float(tau), digits=3)
    dialog.hide()
    jobs.close()


def test_a_query_without_results_is_told_in_the_bars_and_explained(small):
    """Beta has nothing for q2: its row says so in front, and the arithmetic in its title."""
    alpha, beta = present_systems(small)
    measure = small.measures[0]
    rows = difference_rows(small, query_differences(small, beta, alpha, measure))
    assert "no results · stew" in [row.text for row in rows]
    pane = ExplainPane()
    pane.show_value(ComparedPair(small, beta, alpha, measure), 1)
    assert pane.title.text == f"{measure}, beta, no results: counts as 0"


def test_a_verdict_and_a_report_name_queries_without_results(small):
    """One line at the verdict, and a mark at the query in the list of regressions."""
    alpha, beta = present_systems(small)
    choices = ReportChoices(systems=(alpha, beta), baseline=alpha)
    page = "".join(iter_report_html(report_work(small, choices)(None, None)))
    assert "beta: 1 of 2 judged queries has no results; it counts as 0." in page
    assert "<small>no results</small>" in page
    assert "no results: stew" in page


def test_a_report_counts_queries_without_a_relevant_document(small):
    """Among its counts, and in the verdict by a measure that has no value for them."""
    alpha, beta = present_systems(small)
    for document in small.board.counted(1):
        small.execute(Say.grade(1, document, 0))
    measure = "AP"
    small.execute(set_measures(["AP"]))
    choices = ReportChoices(systems=(alpha, beta), baseline=alpha)
    page = "".join(iter_report_html(report_work(small, choices)(None, None)))
    assert re.search(r"<dt>without a relevant document</dt><dd>(<bdi>)?1<", page)
    said = f"1 of 2 queries has no value by {measure} (no relevant document); it counts as 0"
    assert said in page


def test_what_a_correction_keeps_is_not_promised_away(small):
    """Holm keeps the risk of a false finding, and Benjamini-Hochberg a share: neither makes it none."""
    dialog = SignificanceDialog(ComparisonRules())
    holm, bh, _none = (dialog.correction.itemText(place) for place in range(3))
    assert holm == "Holm: risk of any false finding at most the level"
    assert bh == "Benjamini-Hochberg: expected share of false findings at most the level"


def test_the_mark_of_a_test_is_called_significant(small):
    """It says what a test says, not that the two differ."""
    alpha, beta = present_systems(small)
    choices = ReportChoices(systems=(alpha, beta), baseline=alpha)
    page = "".join(iter_report_html(report_work(small, choices)(None, None)))
    assert "◆ significant: p (Holm) below 0.05" in page
    assert "significant" in [label.text for label in NoteRow().findChildren(ElidedLabel)]


def test_ids_of_queries_have_room_in_larger_text_too(qtbot, tmp_path):
    """They were cut to the room that they had in the size of text that was before."""
    with opened_compare(qtbot, tmp_path) as (window, page):
        page.compared.choose_system(page.compared.table.rows[1].system.key)
        listed = page.differences.list
        ids = [row.label for row in listed.rows]
        before = listed.places()[1].width()
        window.take_preferences({"extra_px": 7})
        qtbot.waitUntil(lambda: listed.places()[1].width() > before)
        assert all(text_width(Role.META, each) <= listed.places()[1].width() for each in ids)


def test_what_has_little_room_keeps_measure_and_correction(qtbot, tmp_path):
    """p is corrected, and says by what; the differences say of which measure they are."""
    with opened_compare(qtbot, tmp_path) as (_window, page):
        assert page.notes.note.shorter[-2:] == ("Randomization test; Holm", "")
        page.compared.choose_system(page.compared.table.rows[1].system.key)
        measure = page.compared.table.measures[page.compared.measure]
        assert page.differences.title.shorter[-1] == str(measure)


def test_orders_say_over_how_many_queries_each_figure_is(small):
    """Correlations need two documents that both have: of q2 beta has none, and RBO is 0."""
    words = ("--project", small.path, "--baseline", "alpha", "--show", "orders")
    header, row, *_rest = must("compare", *words).rows
    found = dict(zip(header, row, strict=True))
    assert (found["over"], found["over_RBO"]) == ("1", "2")


def test_a_mean_and_its_ends_have_the_same_decimals(small):
    """A mean never stands below its own least for want of a digit of that."""
    alpha, beta = present_systems(small)
    choices = ReportChoices(systems=(alpha, beta), baseline=alpha)
    page = "".join(iter_report_html(report_work(small, choices)(None, None)))
    ends = re.findall(r"<small>\[(?:within )?([\d.]+) to ([\d.]+)\]</small>", page)
    assert ends
    assert {len(end.partition(".")[2]) for pair in ends for end in pair} == {4}


def test_how_much_is_judged_is_of_the_ranks_that_there_are(small):
    """Beta has four ranks, of which two are judged; Judged@10 has six more of q1 and ten of q2."""
    small.execute(set_measures(("Judged@10",)))
    table = open_comparison(small, present_systems(small))
    assert row_lines(table, table.rows[1])[1] == "50 % of the first 10 ranks judged"
