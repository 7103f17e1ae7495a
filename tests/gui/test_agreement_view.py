"""The agreement view on the real window, by keys."""

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication

from judgetool.core.judgments import Query
from judgetool.gui.actions import Mode
from judgetool.gui.agreement.assessors import interval_text
from judgetool.gui.compare.dialogs import QueriesDialog
from judgetool.gui.theme import install_fonts
from judgetool.metrics.agreement import AgreementRow, parse_agreement_measure
from judgetool.session.commands import Say, set_title
from judgetool.session.edits import edit_query
from judgetool.session.opening import open_project
from judgetool.session.team.disputes import load_disputes, settle
from judgetool.session.team.overview import overview_work
from judgetool.settings import Settings, save_settings
from tests.gui.window_fixtures import CTRL, lines_painted, opened_window
from tests.helpers.builders import Parts, make_project
from tests.helpers.program import must
from tests.session.team.test_overview import make_judged, parts_of

KEY = Qt.Key


def known(page):
    return page.agreed.overview is not None and not page.agreed.is_computing


@contextmanager
def opened_agreement(
    qtbot, folder, parts=None, *, assessor="anna", size=(1440, 900), has_times=False
):
    """Show a project in the agreement view by Ctrl+5; give the window and its page.

    With times each judgment is a second later than the one before.
    """
    parts = parts or parts_of(make_judged(1), 1)
    made = replace(parts, judgments=()) if has_times else parts
    with make_project(folder, made, assessor=assessor) as session:
        path = session.path
    if has_times:
        start = datetime(2026, 3, 1, tzinfo=UTC)
        rows = (
            f"{','.join(map(str, row))},{(start + timedelta(seconds=place)).isoformat()}"
            for place, row in enumerate(parts.judgments)
        )
        table = folder / "timed.csv"
        table.write_text("\n".join(["query_id,doc_id,assessor,grade,at", *rows]))
        must("import", path, "--qrels", table)
    with opened_window(qtbot, path, assessor=assessor, size=size) as window:
        qtbot.keyClick(window, KEY.Key_5, CTRL)
        page = window.views.page(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: known(page) and window.jobs.is_idle)
        yield window, page


def said(view):
    """What a list says of its rows."""
    model = view.model()
    role = Qt.ItemDataRole.AccessibleTextRole
    return [model.index(row, 0).data(role) for row in range(model.rowCount())]


def row_of(page, name):
    return next(text for text in said(page.assessors) if text.startswith(f"{name},"))


def choose(qtbot, page, name):
    """Walk to an assessor by keys."""
    qtbot.keyClick(page.assessors, KEY.Key_Home)
    while page.assessors.current != name:
        qtbot.keyClick(page.assessors, KEY.Key_Down)


def test_rows_say_what_the_session_works_out(qtbot, tmp_path):
    """Each assessor is a row that says every number of it; the list has the keyboard."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        qtbot.waitUntil(page.assessors.hasFocus)
        found = overview_work(window.session, measure=window.live.measure)(None, None)
        assert len(said(page.assessors)) == len(found.assessors) == 4
        for facts in found.assessors:
            text = row_of(page, facts.name)
            assert f"{facts.n_judged} judged" in text
            assert f"{facts.others.value:.2f}".replace("-", "−") in text
            assert f"{facts.influence.measure} of {facts.influence.run}" in text


def test_some_queries_are_chosen_by_key(qtbot, tmp_path, monkeypatch):
    """O asks which: the head says them, figures are those of the command; nothing means all again."""
    parts = parts_of(make_judged(1), 1)
    queries = [replace(each, category="soups") for each in parts.queries[:3]]
    parts = replace(parts, queries=[*queries, *parts.queries[3:]])
    wanted = ["category:soups", ""]

    def answer(dialog):
        dialog.where.setText(wanted.pop(0))
        return dialog.verb.isEnabled()

    monkeypatch.setattr(QueriesDialog, "is_answered", answer)
    with opened_agreement(qtbot, tmp_path, parts) as (window, page):
        path, before = window.session.path, page.agreed.overview.figures
        assert page.queries.text() == "All queries"
        qtbot.keyClick(page.assessors, KEY.Key_O)
        qtbot.waitUntil(lambda: page.queries.text() == "category:soups")
        shown = [row.value for row in page.agreed.overview.figures]
        qtbot.keyClick(page.assessors, KEY.Key_O)
        qtbot.waitUntil(lambda: page.queries.text() == "All queries")
        assert page.agreed.overview.figures == before
    measures = [word for row in before for word in ("-m", str(row.measure))]
    known = ("agreement", path, *measures, "--digits", "9", "--where", "category:soups")
    assert shown == pytest.approx([float(row[2]) for row in must(*known).rows], abs=1e-8)


def test_all_queries_count_where_none_of_the_chosen_is_left(qtbot, tmp_path):
    """What was edited since may leave none that was chosen."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        before, query = page.agreed.overview.figures, window.session.material.queries[0]
        edit_query(window.session, 0, replace(query, text="soup onlyhere"))
        page.agreed.choose_where("onlyhere")
        qtbot.waitUntil(lambda: page.queries.text() == "onlyhere")
        edit_query(window.session, 0, query)
        qtbot.waitUntil(lambda: known(page) and page.agreed.where == "")
        assert page.agreed.overview.figures == before


def test_agreement_needs_no_run(qtbot, tmp_path):
    """Without runs nobody is said to change any; who gave no grade has no bar and no cell."""
    parts = replace(parts_of(make_judged(1), 1), runs={})
    with opened_agreement(qtbot, tmp_path, parts, assessor="zoe") as (window, page):
        assert "without: " not in row_of(page, "ben")
        query_id, document_id = parts.judgments[0][:2]
        find = window.session.material
        pair = find.find_query(query_id), find.find_document(document_id)
        window.session.execute(Say.cannot_judge(*pair, "empty"))
        qtbot.waitUntil(lambda: any(text.startswith("zoe,") for text in said(page.assessors)))
        choose(qtbot, page, "zoe")
        assert not page.assessors.grab().isNull()
        assert page.current.name == "zoe"


def test_what_has_no_room_is_left_out_of_the_rows(qtbot, tmp_path):
    """In a narrow list the name stays, and bars, known answers and repeats give way, in this order."""
    with opened_agreement(qtbot, tmp_path) as (_window, page):
        shown = []
        for width in (900, 520, 460, 380):
            page.assessors.resize(width, 300)
            shown.append([at for at in (4, 6, 7) if page.assessors.places()[at] is not None])
        assert shown[0] == [4, 6, 7]
        assert shown[-1] == []
        assert shown == sorted(shown, key=len, reverse=True)
        assert "anna" in "".join(lines_painted(page.assessors.viewport()))


def test_the_documents_of_a_cell_are_copied(qtbot, tmp_path):
    """Ctrl+C beside the table of grades copies ids and titles of what is listed."""
    with opened_agreement(qtbot, tmp_path) as (_window, page):
        qtbot.keyClick(page.assessors, KEY.Key_K)
        qtbot.keyClick(page.confusion, KEY.Key_Return)
        rows = page.detail.documents.rows
        qtbot.keyClick(page.detail.documents, KEY.Key_C, CTRL)
        lines = QGuiApplication.clipboard().text().splitlines()
        assert lines == ["query\tdocument", *(f"{row.query_id}\t{row.title}" for row in rows)]
        assert rows


def test_the_head_says_what_the_command_prints(qtbot, tmp_path):
    """The figures over all are those of ‘judgetool agreement’."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        path = window.session.path
        shown = [row.value for row in page.agreed.overview.figures]
        names = [view.accessibleName() for view in page.strip.figures]
    printed = must(
        *("agreement", path, "-m", "kappa(weights='linear')", "-m", "alpha(level='ordinal')"),
        *("-m", "AC1", "-m", "overlap", "--digits", "9"),
    ).rows
    assert shown == pytest.approx([float(row[2]) for row in printed], abs=1e-8)
    assert names[0].startswith(f"κ linear {shown[0]:.2f}, between ")


def test_no_figure_of_before_stands_while_others_are_worked_out(qtbot, tmp_path):
    """What is not known is not shown."""
    with opened_agreement(qtbot, tmp_path) as (_window, page):
        assert all(view.isVisible() for view in page.strip.figures)
        page.strip.clear()
        assert not any(view.isVisible() for view in page.strip.figures)
        assert not page.strip.ends.isVisible()


def test_a_certain_order_and_a_pair_that_turns_without_somebody_say_what_each_leaves_out(
    qtbot, tmp_path
):
    """One takes any of the given grades; the other leaves unjudged what one graded alone: both are true."""
    runs = {"alpha": {"q": ["a", "b"]}, "beta": {"q": ["b", "a"]}}
    grades = [("q", "a", "anna", 3.0), ("q", "b", "anna", 1.0), ("q", "b", "ben", 1.0)]
    make_project(tmp_path, Parts([Query("q", "soup")], (), runs, grades)).close()
    with opened_window(qtbot, tmp_path / "small.judge", assessor="lead") as window:
        window.views.show(Mode.AGREEMENT)
        page = window.views.page(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: bool(page.assessors.rows))
        certain = "certain, whichever of the given grades counts"
        assert page.order.text.endswith(certain)
        rows = {each.name: each for each in page.assessors.rows}
        assert rows["anna"].influence.n_turned == 1
        assert "what nobody else graded is unjudged" in page.order.accessibleDescription()


def test_a_pair_that_only_becomes_equal_does_not_turn(qtbot, tmp_path):
    """By anna alone both documents are as good, so that both runs are; nor is that the same order."""
    runs = {"alpha": {"q": ["a", "b"]}, "beta": {"q": ["b", "a"]}}
    grades = [("q", "a", "anna", 1.0), ("q", "b", "anna", 1.0), ("q", "b", "ben", 3.0)]
    make_project(tmp_path, Parts([Query("q", "soup")], (), runs, grades)).close()
    with opened_window(qtbot, tmp_path / "small.judge", assessor="lead") as window:
        window.views.show(Mode.AGREEMENT)
        page = window.views.page(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: bool(page.assessors.rows))
        assert row_of(page, "ben").endswith(", no pair turns")


def test_what_is_settled_is_no_longer_open_in_the_order(qtbot, tmp_path):
    """Nobody else's grade can count there: with no dispute left the order is certain."""
    certain = "certain, whichever of the given grades counts"
    with opened_agreement(qtbot, tmp_path) as (window, page):
        assert not page.order.text.endswith(certain)
        for each in load_disputes(window.session):
            window.session.execute(settle(each.query, each.document, 2.0))
        qtbot.waitUntil(lambda: page.order.text.endswith(certain))
        assert "of one that is settled, what was settled" in page.order.accessibleDescription()


def test_without_the_only_one_who_counts_there_is_no_mean_and_nothing_turns(qtbot, tmp_path):
    """Of the other, who does not count, it is said what counting both does: DCG 3 ÷ 3 stays the mean of alpha."""
    runs = {"alpha": {"q": ["a", "b"]}, "beta": {"q": ["b", "a"]}}
    grades = [("q", "a", "anna", 3.0), ("q", "b", "anna", 0.0), ("q", "a", "ben", 3.0)]
    make_project(tmp_path, Parts([Query("q", "soup")], (), runs, grades)).close()
    with opened_window(qtbot, tmp_path / "small.judge", assessor="lead") as window:
        window.views.show(Mode.AGREEMENT)
        page = window.views.page(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: bool(page.assessors.rows))
        page.assessors.setFocus()
        for name in ("ben", "anna"):
            before = row_of(page, "anna")
            choose(qtbot, page, name)
            qtbot.keyClick(page.assessors, KEY.Key_C)
            qtbot.waitUntil(lambda before=before: row_of(page, "anna") != before)
            if name == "ben":
                assert row_of(page, "anna").endswith("without: no mean of nDCG@10")
                assert row_of(page, "ben").endswith("with: nDCG@10 of alpha ±0, same order")
        assert row_of(page, "anna").endswith("with: nDCG@10 has a mean only then")
        assert row_of(page, "ben").endswith("with: nDCG@10 has a mean only then")
        assert "turn" not in " ".join(said(page.assessors))


def test_the_runs_are_looked_at_by_the_measure_of_the_live_panel(qtbot, tmp_path):
    """The one that is explained there, from the beginning and when another one is chosen."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        assert window.live.measure == "nDCG@10" != str(window.session.measures[0])
        assert page.order.text.startswith("Order of runs by nDCG@10: ")
        assert {each.influence.measure for each in page.assessors.rows} == {"nDCG@10"}
        window.live.choose_measure("P@5")
        qtbot.waitUntil(lambda: page.order.text.startswith("Order of runs by P@5: "))
        assert {each.influence.measure for each in page.assessors.rows} == {"P@5"}


def test_what_gives_and_others_mean_stands_over_the_columns(qtbot, tmp_path):
    """The tooltip of the heads says against what each is set."""
    with opened_agreement(qtbot, tmp_path) as (_, page):
        heads = page.assessors.model().headerData
        told = heads(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "gives: the grade less the mean of the others’ grades" in told
    assert "others: κ linear with each of the others" in told


def test_whoever_does_not_count_is_one_undoable_key(qtbot, tmp_path):
    """C takes an assessor out of the figures and of the view, Ctrl+Z brings them back."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        choose(qtbot, page, "ben")
        means = window.session.board.engine.means(window.session.material.runs[0].run_id)
        before = page.agreed.overview.n_documents
        assert "; counts; without: " in row_of(page, "ben")
        qtbot.keyClick(page.assessors, KEY.Key_C)
        qtbot.waitUntil(lambda: "; does not count; with: " in row_of(page, "ben"))
        assert page.agreed.overview.n_documents < before
        assert page.assessors.current == "ben"
        run = window.session.material.runs[0].run_id
        assert window.session.board.engine.means(run) != means
        qtbot.keyClick(window, KEY.Key_Z, CTRL)
        qtbot.waitUntil(lambda: "; counts; without: " in row_of(page, "ben"))
        assert page.agreed.overview.n_documents == before


def test_the_box_is_clicked_and_space_does_it_too(qtbot, tmp_path):
    """A click on the box of a row means that row; elsewhere it only chooses."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        rows = page.assessors
        place = rows.place_of("cem")
        box = rows.places()[-2]
        y = rows.rowViewportPosition(place) + rows.row_height // 2
        click = Qt.MouseButton.LeftButton
        qtbot.mouseClick(rows.viewport(), click, pos=QPoint(40, y))
        assert rows.current == "cem"
        other = Qt.MouseButton.RightButton
        qtbot.mouseClick(rows.viewport(), other, pos=QPoint(round(box.center().x()), y))
        assert window.session.value("counts") is None
        qtbot.mouseClick(rows.viewport(), click, pos=QPoint(round(box.center().x()), y))
        qtbot.waitUntil(lambda: "does not count" in row_of(page, "cem"))
        qtbot.keyClick(rows, KEY.Key_Space)
        qtbot.waitUntil(lambda: "does not count" not in row_of(page, "cem"))
        assert window.session.value("counts") is None


def test_a_file_for_looking_says_why_nothing_changes(qtbot, tmp_path):
    """In a read-only project C tells the reason."""
    with make_project(tmp_path, parts_of(make_judged(1), 1)) as session:
        path = session.path
    with open_project(path, assessor="ben"), opened_window(qtbot, path) as window:
        assert window.session.read_only_reason
        qtbot.keyClick(window, KEY.Key_5, CTRL)
        page = window.views.page(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: known(page))
        qtbot.keyClick(page.assessors, KEY.Key_C)
        assert window.session.value("counts") is None
        assert page.current.counts


def test_by_level_each_level_has_its_name(qtbot, tmp_path):
    """Numbers alone stood there, while the table under it had the names."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        qtbot.keyClick(page.assessors, KEY.Key_E)
        qtbot.waitUntil(lambda: bool(page.scopes.rows) and page.scopes.hasFocus())
        names = [level.shown_name for level in window.session.scale.levels]
        assert [line.beside for line in page.scopes.rows] == [*names, ""]
        assert names[-1] in said(page.scopes)[-2]


@pytest.mark.parametrize(
    ("key", "by"), [(KEY.Key_P, "pair"), (KEY.Key_Y, "query"), (KEY.Key_E, "level")]
)
def test_tables_by_key(qtbot, tmp_path, key, by):
    """P, Y and E show each pair, query and level as the command prints them, and A the assessors."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        path = window.session.path
        qtbot.keyClick(page.assessors, key)
        qtbot.waitUntil(lambda: bool(page.scopes.rows) and page.scopes.hasFocus())
        shown = {line.scope: line.rows[0].value for line in page.scopes.rows}
        # Behind the name, as of a level. By level nothing is asked of what is relevant.
        text = said(page.scopes)[0].partition(";")[2]
        assert ("overlap" in text, "relevant" in text) == (by == "level", by != "level")
        qtbot.keyClick(page.scopes, KEY.Key_A)
        qtbot.waitUntil(page.assessors.hasFocus)
    rows = must(
        *("agreement", path, "-m", "kappa(weights='linear')", "--by", by, "--digits", "9")
    ).rows
    expected = {row[1]: None if row[2] == "-" else float(row[2]) for row in rows}
    assert shown.keys() == expected.keys()
    for scope, value in expected.items():
        assert shown[scope] == (value if value is None else pytest.approx(value, abs=1e-8))
    assert "κ linear" in text


def test_a_cell_opens_its_documents_and_one_of_them_the_list(qtbot, tmp_path):
    """From the assessor by Enter to the grades, to a cell's documents, to that document in the list."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        choose(qtbot, page, "anna")
        qtbot.keyClick(page.assessors, KEY.Key_Return)
        qtbot.waitUntil(page.confusion.hasFocus)
        while page.confusion.currentItem().text() == "·":
            qtbot.keyClick(page.confusion, KEY.Key_Right)
        n = int(page.confusion.currentItem().text())
        told = page.confusion.currentItem().data(Qt.ItemDataRole.AccessibleTextRole)
        qtbot.keyClick(page.confusion, KEY.Key_Return)
        qtbot.waitUntil(page.detail.documents.hasFocus)
        documents = page.detail.documents.rows
        assert len(documents) == n
        assert told.startswith("anna ")
        wanted = documents[0]
        qtbot.keyClick(page.detail.documents, KEY.Key_Return)
        assert window.views.mode is Mode.LIST
        judging = window.view.judging
        assert (judging.query, judging.document) == (wanted.query, wanted.document)


def test_f_lists_the_documents_of_the_current_cell(qtbot, tmp_path):
    """As Enter does; of a cell without any it says that there are none."""
    with opened_agreement(qtbot, tmp_path) as (_, page):
        choose(qtbot, page, "anna")
        page.show_confusion()
        while page.confusion.currentItem().text() == "·":
            qtbot.keyClick(page.confusion, KEY.Key_Right)
        n = int(page.confusion.currentItem().text())
        qtbot.keyClick(page.confusion, KEY.Key_F)
        qtbot.waitUntil(page.detail.documents.hasFocus)
        assert len(page.detail.documents.rows) == n
        empty = next(
            (row, column)
            for row in range(page.confusion.rowCount())
            for column in range(1, page.confusion.columnCount())
            if page.confusion.item(row, column).text() == "·"
        )
        page.show_confusion()
        page.confusion.setCurrentCell(*empty)
        qtbot.keyClick(page.confusion, KEY.Key_F)
        assert not page.detail.documents.rows
        said = page.detail.documents.accessibleDescription()
        assert said == "No document has these grades."


def test_another_assessor_brings_other_grades_and_no_old_documents(qtbot, tmp_path):
    """What stands below is of the row that is current."""
    with opened_agreement(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.assessors, KEY.Key_Return)
        while page.confusion.currentItem().text() == "·":
            qtbot.keyClick(page.confusion, KEY.Key_Right)
        qtbot.keyClick(page.confusion, KEY.Key_Return)
        assert page.detail.documents.rows
        page.assessors.setFocus()
        qtbot.keyClick(page.assessors, KEY.Key_Down)
        name = page.assessors.current
        assert page.confusion.item(0, 1).toolTip().startswith(f"{name} ")
        assert page.confusion.item(0, 0).toolTip().startswith(f"{name} gave 0")
        assert not page.detail.documents.rows


def test_drift_is_a_chart_by_keys(qtbot, tmp_path):
    """T gives it the keyboard; its points are walked, and said."""
    rows = make_judged(2, n_queries=20, n_documents=10, share=0.9)
    with opened_agreement(qtbot, tmp_path, parts_of(rows, 2), has_times=True) as (_, page):
        choose(qtbot, page, "anna")
        qtbot.keyClick(page.assessors, KEY.Key_T)
        qtbot.waitUntil(lambda: len(page.detail.chart.chart.positions) > 2)
        assert page.detail.title.text == "κ linear with the others, blocks of 50, 95 % interval"
        assert page.detail.chart.chart.x_label == "judgments of shared documents, in the order made"
        assert page.detail.chart.hasFocus()
        qtbot.keyClick(page.detail.chart, KEY.Key_Home)
        assert "50: κ linear 0." in page.detail.chart.accessibleDescription()


def test_without_times_there_is_no_drift(qtbot, tmp_path):
    """The order of a table is not that in which its grades were given: it says so."""
    rows = make_judged(2, n_queries=20, n_documents=10, share=0.9)
    with opened_agreement(qtbot, tmp_path, parts_of(rows, 2)) as (_, page):
        choose(qtbot, page, "anna")
        qtbot.keyClick(page.assessors, KEY.Key_T)
        said_of_it = "No drift: it is not known in which order these judgments were made."
        qtbot.waitUntil(lambda: said_of_it in page.detail.chart.accessibleDescription())
        assert not page.detail.chart.chart.positions


def test_who_judged_a_query_alone_is_said_beside_the_change(qtbot, tmp_path):
    """Without them means are over a query less: the row and its words say how many."""
    rows = [*make_judged(1), ("q4", "d9", "dan", 3.0)]
    rows = [row for row in rows if row[0] != "q4" or row[2] == "dan"]
    with opened_agreement(qtbot, tmp_path, parts_of(rows, 1)) as (_, page):
        assert row_of(page, "dan").endswith(" (4 queries, not 5)")
        assert "not 5" not in row_of(page, "ben")


def test_a_judgment_is_followed_while_the_view_is_shown(qtbot, tmp_path):
    """Many changes are worked out once, beside the window; hidden, nothing is."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        session, before = window.session, page.agreed.overview
        n_judged = before.find("anna").n_judged
        taken = []
        page.agreed.found.connect(lambda: taken.append(page.agreed.overview))
        mine = [row for row in session.iter_judgments() if row[2].assessor == "anna"]
        for query, document, *_ in mine[:3]:
            session.execute(Say.clear(query, document))
        qtbot.waitUntil(lambda: page.agreed.overview.find("anna").n_judged == n_judged - 3)
        assert len(taken) == 1
        qtbot.keyClick(window, KEY.Key_1, CTRL)
        session.execute(Say.clear(*mine[3][:2]))
        assert not page.agreed.is_computing
        qtbot.keyClick(window, KEY.Key_5, CTRL)
        qtbot.waitUntil(lambda: page.agreed.overview.find("anna").n_judged == n_judged - 4)


def test_a_title_is_nothing_to_work_out(qtbot, tmp_path):
    """What figures do not depend on begins no work."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        window.session.execute(set_title("Other"))
        assert not page.agreed.is_computing


@pytest.mark.parametrize(
    ("rows", "begins"),
    [
        ([], "Nobody has judged yet. Agreement needs two who judge the same documents"),
        ([("q0", "d1", "anna", 1.0)], "Only anna has judged so far. Agreement needs two"),
    ],
    ids=["nobody", "one"],
)
def test_with_less_than_two_it_says_what_to_do(qtbot, tmp_path, rows, begins):
    """The sentence says how others' judgments come in; the button imports."""
    parts = Parts([Query("q0", "soup")], (), {"a": {"q0": ["d1", "d2"]}}, rows)
    with opened_agreement(qtbot, tmp_path, parts) as (_, page):
        assert page.empty.isVisible()
        assert page.empty.sentence.replace("\u200b", "").startswith(begins)
        assert page.empty.button.text() == "Import…"
        qtbot.waitUntil(page.empty.button.hasFocus)


def test_who_alone_judged_and_does_not_count_has_a_row(qtbot, tmp_path):
    """C lets them count, and from the sentence that stands then takes it back."""
    parts = Parts(
        [Query("q0", "soup")], (), {"a": {"q0": ["d1", "d2"]}}, [("q0", "d1", "ben", 1.0)]
    )
    make_project(tmp_path, parts, assessor="lea").close()
    path = tmp_path / "small.judge"
    must("project", path, "--assessor", "lea", "--counts", "ben=no")
    with opened_window(qtbot, path, assessor="lea") as window:
        qtbot.keyClick(window, KEY.Key_5, CTRL)
        page = window.views.page(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: page.assessors.hasFocus() and bool(page.assessors.rows))
        assert "does not count" in row_of(page, "ben")
        qtbot.keyClick(page.assessors, KEY.Key_C)
        qtbot.waitUntil(page.empty.isVisible)
        assert must("project", path).rows[1] == ["ben", "person", "yes"]
        qtbot.keyClick(page.empty.button, KEY.Key_C)
        qtbot.waitUntil(lambda: not page.empty.isVisible() and page.assessors.hasFocus())
        assert "does not count" in row_of(page, "ben")


def test_where_nothing_is_graded_twice_it_says_so(qtbot, tmp_path):
    """The assessors are there with dashes, and a sentence says what is needed."""
    rows = [("q0", "d1", "anna", 1.0), ("q0", "d2", "ben", 2.0)]
    parts = Parts([Query("q0", "soup")], (), {"a": {"q0": ["d1", "d2"]}}, rows)
    with opened_agreement(qtbot, tmp_path, parts) as (_, page):
        assert len(page.assessors.rows) == 2
        assert "no document has grades of two of them" in page.strip.sentence.text
        assert "undefined" in row_of(page, "anna")


def test_where_two_graded_the_same_and_one_counts_the_other_is_to_count(qtbot, tmp_path):
    """Nobody has to judge more for it."""
    rows = [("q0", "d1", "anna", 1.0), ("q0", "d1", "ben", 2.0)]
    parts = Parts([Query("q0", "soup")], (), {"a": {"q0": ["d1", "d2"]}}, rows)
    with opened_agreement(qtbot, tmp_path, parts) as (_, page):
        choose(qtbot, page, "ben")
        qtbot.keyClick(page.assessors, KEY.Key_C)
        qtbot.waitUntil(lambda: "does not count" in row_of(page, "ben"))
        assert page.strip.sentence.text.startswith("1 assessor counts")
        assert page.strip.sentence.text.endswith(": let another one count.")


def test_where_nothing_is_graded_twice_no_order_is_called_certain(qtbot, tmp_path):
    """Each query has one assessor alone: nobody else could be believed."""
    rows = [("q0", "d1", "anna", 1.0), ("q1", "d2", "ben", 2.0)]
    runs = {"a": {"q0": ["d1"], "q1": ["d2"]}, "b": {"q0": ["d2", "d1"], "q1": ["d1", "d2"]}}
    parts = Parts([Query("q0", "soup"), Query("q1", "bread")], (), runs, rows)
    with opened_agreement(qtbot, tmp_path, parts) as (_, page):
        assert page.order.text.endswith("not known, as no document has grades of two")


def test_the_blind_see_nothing_of_it(qtbot, tmp_path):
    """Going blind leads back to the list, and the key of the view does nothing."""
    with opened_agreement(qtbot, tmp_path) as (window, _):
        window.flow_handler.blind(True)
        assert window.views.mode is Mode.LIST
        qtbot.keyClick(window, KEY.Key_5, CTRL)
        assert window.views.mode is Mode.LIST


def test_the_button_settles_what_is_disputed(qtbot, tmp_path):
    """It says how many, and leads to the view in which they are settled."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        n = page.agreed.overview.n_disputed
        assert page.settle.text().strip() == f"Settle {n}"
        page.settle.setFocus()
        qtbot.keyClick(page.settle, KEY.Key_Space)
        assert window.views.mode is Mode.SETTLE


def test_the_button_counts_what_is_open_again(qtbot, tmp_path):
    """One who gives another grade after it was settled makes a dispute, as the list of these has it."""
    with make_project(tmp_path, parts_of(make_judged(1), 1), assessor="lead") as session:
        dispute, path = load_disputes(session)[0], session.path
        session.execute(settle(dispute.query, dispute.document, 3))
        n = len(load_disputes(session))
        who = session.assessor_name(next(iter(dispute.given)))
        other = 3 - max(dispute.given.values()) or 1
    with open_project(path, assessor=who) as session:
        session.execute(Say.grade(dispute.query, dispute.document, other))
        assert len(load_disputes(session)) == n + 1
    with opened_window(qtbot, path) as window:
        qtbot.keyClick(window, KEY.Key_5, CTRL)
        page = window.views.page(Mode.AGREEMENT)
        qtbot.waitUntil(lambda: known(page) and window.jobs.is_idle)
        assert page.settle.text().strip() == f"Settle {n + 1}"


def test_rows_are_copied_as_a_table(qtbot, tmp_path):
    """Ctrl+C in the assessors, and in a table of pairs, takes numbers along."""
    with opened_agreement(qtbot, tmp_path) as (_, page):
        qtbot.keyClick(page.assessors, KEY.Key_C, CTRL)
        rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
        overview = page.agreed.overview
        assert [row[0] for row in rows[1:]] == [each.name for each in overview.assessors]
        assert float(rows[1][3]) == pytest.approx(overview.assessors[0].others.value, abs=1e-6)
        qtbot.keyClick(page.assessors, KEY.Key_P)
        qtbot.waitUntil(lambda: bool(page.scopes.rows))
        qtbot.keyClick(page.scopes, KEY.Key_C, CTRL)
        text = QGuiApplication.clipboard().text()
        assert text.splitlines()[-1].startswith("all\t")


def test_heads_and_cells_have_names(qtbot, tmp_path):
    """A reader hears whose grades a cell is of, and what the columns of the rows are."""
    with opened_agreement(qtbot, tmp_path) as (_, page):
        name = page.assessors.current
        told = [
            page.confusion.item(row, column).data(Qt.ItemDataRole.AccessibleTextRole)
            for row in range(4)
            for column in range(1, 5)
        ]
        assert told[0].startswith(f"{name} 0, others 0: ")
        assert len(set(told)) == 16
        head = page.assessors.model().headerData(0, Qt.Orientation.Horizontal)
        assert head.startswith("Assessor, judged, agreement with the others")
        heard = QAccessible.queryAccessibleInterface(page.switch)
        assert heard.text(QAccessible.Text.Name) == "What is shown above"


def test_tables_get_the_room_they_need(qtbot, tmp_path):
    """Pairs are shown whole; of many queries as many as there is room for, with their texts."""
    rows = make_judged(2, n_queries=40)
    queries = [Query(f"q{n}", f"soup number {n}") for n in range(40)]
    parts = replace(parts_of(rows, 2), queries=queries)
    with opened_agreement(qtbot, tmp_path, parts) as (_, page):
        qtbot.keyClick(page.assessors, KEY.Key_P)
        qtbot.waitUntil(lambda: bool(page.scopes.rows) and page.scopes.hasFocus())
        assert page.scopes.height() >= page.scopes.whole_height()
        qtbot.keyClick(page.scopes, KEY.Key_Y)
        qtbot.waitUntil(lambda: len(page.scopes.rows) > 30)
        assert page.scopes.height() > page.splitter.height() * 0.6
        assert said(page.scopes)[0].startswith("q0, soup number 0; 5 documents; κ linear")


def test_of_a_pair_its_documents_are_told(qtbot, tmp_path):
    """Two documents graded alike have no interval to show; the number of documents stands beside."""
    rows = [(f"q{n % 2}", f"d{n}", who, float(n % 3)) for n in range(12) for who in ("anna", "ben")]
    rows += [("q0", "d0", "zoe", 0.0), ("q1", "d1", "zoe", 1.0)]
    with opened_agreement(qtbot, tmp_path, parts_of(rows, 1)) as (_, page):
        qtbot.keyClick(page.assessors, KEY.Key_P)
        qtbot.waitUntil(lambda: bool(page.scopes.rows))
        whole, few = said(page.scopes)[:2]
        assert whole.startswith("anna · ben; 12 documents; κ linear 1.00, between 1.00 and 1.00; ")
        assert few.startswith(
            "anna · zoe; 2 documents; κ linear 1.00, too few documents for an interval; "
        )
        head, _, cells = page.scopes.as_table()[:3]
        assert [head[1], *cells[:5]] == ["documents", "anna · zoe", "2", "1", "", ""]


def test_of_a_pair_a_long_name_hides_no_other(qtbot, tmp_path):
    """Both have a place, and the title of the grades says first what the columns are."""
    rows = [(q, d, "x" * 140 if who == "anna" else who, g) for q, d, who, g in make_judged(1)]
    with opened_agreement(qtbot, tmp_path, parts_of(rows, 1), assessor="zoe") as (_, page):
        qtbot.keyClick(page.assessors, KEY.Key_P)
        qtbot.waitUntil(lambda: bool(page.scopes.rows))
        first, second = page.scopes.places()[:2]
        assert second.left() >= first.right()
        assert second.width() > 40
        assert page.confusion_title.text.startswith("Columns: the others.")


def inked_rows(head):
    """In how many rows of pixels the first level's head has ink."""
    image = head.viewport().grab().toImage()
    left = head.sectionViewportPosition(1)
    columns = range(left, left + head.sectionSize(1))
    return sum(
        len({image.pixelColor(x, y).name() for x in columns}) > 1 for y in range(image.height())
    )


def test_heads_of_the_grades_grow_with_the_text(qtbot, tmp_path):
    """Also where the text is made larger while they are shown."""
    with opened_agreement(qtbot, tmp_path) as (window, page):
        head = page.confusion.horizontalHeader()
        before = inked_rows(head)
        try:
            for _ in range(13):
                window.view_handler.step_text(1)
            assert inked_rows(head) > before * 1.5 > 0
        finally:
            window.view_handler.step_text(0)


def test_with_large_text_in_a_low_window_nothing_is_cut(qtbot, tmp_path):
    """At 200 % above and beneath take turns, by button and by keys; the columns are whole."""
    save_settings(Settings(extra_px=13))
    try:
        with opened_agreement(qtbot, tmp_path, size=(1366, 768)) as (window, page):
            qtbot.waitUntil(page.turn.isVisible)
            assert not page.lower.isVisible()
            assert window.top_line.switch.isVisible()
            places = [each for each in page.assessors.places() if each is not None]
            assert all(each.right() <= page.assessors.width() for each in places)
            assert places[0].width() > 60
            assert page.strip.ends.isVisible()
            low, high = (f"{each:.2f}" for each in page.agreed.overview.figures[0][3:5])
            assert f"κ linear {low}–{high}" in page.strip.ends.text
            qtbot.mouseClick(page.turn, Qt.MouseButton.LeftButton)
            qtbot.waitUntil(page.confusion.isVisible)
            assert page.confusion.hasFocus()
            assert page.confusion.horizontalHeader().length() <= page.confusion.width()
            qtbot.keyClick(page.confusion, KEY.Key_A)
            qtbot.waitUntil(page.assessors.isVisible)
    finally:
        save_settings(Settings())
        install_fonts(QGuiApplication.instance())


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(0.1, 0.9, "0.10–0.90"), (-0.67, 0.2, "−0.67 to 0.20"), (-0.67, -0.67, "−0.67 to −0.67")],
)
def test_an_end_below_0_stands_beside_no_dash(low, high, text):
    """A minus behind a dash is hard to read."""
    kappa = parse_agreement_measure("kappa")
    row = AgreementRow(kappa, "all", (low + high) / 2, low, high, n_documents=10)
    assert interval_text(row) == text
