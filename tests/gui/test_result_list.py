"""The list of results: rows, grades, filter, cutoffs, texts loaded when seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from judgetool.core.judgments import Query, State
from judgetool.gui.models.result_model import ResultModel, ResultOrder, ResultRow, place_cutoffs
from judgetool.gui.panels.cards import cutoff_tab_size, format_score
from judgetool.gui.panels.result_list import ResultList
from judgetool.gui.panels.result_tools import ResultTools
from judgetool.session.commands import Changed, Say
from judgetool.session.material import Material
from tests.helpers.builders import Parts, awkward_parts, make_project, open_sample, simple_parts

SPOKEN = Qt.ItemDataRole.AccessibleTextRole


def judged(query, document=0):
    """Return what listeners are told of a judgment."""
    return Changed("do", "judge", "", ((query, document),))


@pytest.fixture
def make(tmp_path):
    """Return a function that opens a project of some parts, or the sample."""
    sessions = []

    def make(parts=None):
        sessions.append(make_project(tmp_path, parts) if parts else open_sample(tmp_path))
        return sessions[-1]

    yield make
    for session in sessions:
        session.close()


@pytest.fixture
def project(make):
    """Three queries over six documents, nothing judged."""
    return make(simple_parts())


@pytest.fixture
def show(qtbot, make):  # projects are closed after the panels have let go
    """Return a function that shows the first run's ranking of a query."""

    panels = []

    def show(session, query=0, place=0):
        panel = ResultList()
        qtbot.addWidget(panel)
        panels.append(panel)
        panel.resize(504, 700)
        panel.set_session(session)
        runs = session.material.runs
        panel.show_query(runs[0].run_id if runs else None, query, place=place)
        with qtbot.waitExposed(panel):
            panel.show()
        return panel

    yield show
    for panel in panels:
        panel.set_session(None)


def spoken(panel):
    """Return what a screen reader hears of each row."""
    return [panel.model.index(row, 0).data(SPOKEN) for row in range(panel.model.rowCount())]


def test_model_keeps_qts_rules(project, qtmodeltester):
    """The model passes Qt's own tester."""
    model = ResultModel()
    model.set_session(project)
    model.show_query(project.material.runs[0].run_id, 0)
    qtmodeltester.check(model)


def test_model_keeps_qts_rules_with_awkward_documents(make, qtmodeltester):
    """Odd ids and texts do not upset the model."""
    session = make(awkward_parts())
    model = ResultModel()
    model.set_session(session)
    model.show_query(session.material.runs[0].run_id, 0)
    qtmodeltester.check(model)


def test_a_short_name_of_a_run_is_whole_in_little_room(qtbot):
    """The chooser of runs gives way to what stands beside it, but not at once."""
    tools = ResultTools()
    qtbot.addWidget(tools)
    tools.set_runs([(1, "bm25"), (2, "bm25-rm3")])
    tools.resize(240, 40)
    tools.show()
    for run, name in ((2, "bm25-rm3"), (1, "bm25")):
        tools.set_run(run)
        assert tools.runs.field_width >= tools.runs.fontMetrics().horizontalAdvance(name)


def test_other_cutoffs_are_told_of_every_row(project, qtbot):
    """The lines between rows move: what shows the rows paints all of them anew."""
    model = ResultModel()
    model.set_session(project)
    model.show_query(project.material.runs[0].run_id, 0)
    with qtbot.waitSignal(model.dataChanged) as told:
        model.set_cutoffs((3,))
    first, last, *_roles = told.args
    assert (first, last) == (model.index(0, 0), model.index(model.rowCount() - 1, 0))


def test_documents_stand_by_rank(project, show):
    """The run's order is the list's."""
    panel = show(project)
    run = project.material.runs[0].run_id
    assert panel.documents() == project.material.ranked_documents(run, 0).tolist()


def test_scores_are_the_runs_own(project, show):
    """Each row has the score that the system gave."""
    assert [row.score for row in show(project).model.listed.rows] == [10.0, 9.5, 9.0, 8.5, 8.0, 7.5]


def test_pool_documents_of_other_runs_follow_without_rank(make, show):
    """What only another run has comes last, with no rank, under a head of its own."""
    parts = Parts(runs={"a": {"q": ["x", "y"]}, "b": {"q": ["z", "x"]}})
    session = make(parts)
    panel = show(session)
    ids = [session.material.document_id(document) for document in panel.documents()]
    assert ids == ["x", "y", "z"]
    assert [row.rank for row in panel.model.listed.rows] == [1, 2, None]
    assert panel.model.listed.heads == {2: "Not in this run"}
    assert panel.table.rowHeight(2) > panel.table.rowHeight(1)
    assert spoken(panel)[2].startswith("Not in this run, z")


def test_only_the_first_document_that_the_run_lacks_has_room_for_the_head(make, show):
    """Another query has its head elsewhere, and no other row is taller than the rest."""
    rankings = {"q": ["x", "y"], "r": ["x", "y", "v"]}
    parts = Parts(runs={"a": rankings, "b": {"q": ["z", "w"], "r": ["z", "w"]}})
    panel = show(make(parts))
    panel.show_query(1, 1)
    heights = [panel.table.rowHeight(row) for row in range(5)]
    assert panel.model.listed.heads == {3: "Not in this run"}
    assert [height > heights[0] for height in heights] == [False, False, False, True, False]


def test_without_a_run_the_pool_is_shown(project, show):
    """A list without a run shows the pool, with no head over it."""
    panel = show(project)
    panel.show_query(None, 1)
    assert len(panel.documents()) == 6
    assert panel.model.listed.heads == {}


def test_a_run_without_results_for_the_query_is_said_above_all(make, show):
    """Where the run shown lacks the whole query, the list says so instead of leaving it to dashes."""
    parts = Parts(runs={"a": {"q": ["x"]}, "b": {"p": ["y"], "q": ["z"]}})
    session = make(parts)
    panel = show(session)
    run = session.material.runs[0].run_id
    panel.show_query(run, session.material.find_query("p"))
    assert panel.model.listed.heads == {0: "This run has no results for this query"}


JUDGED = [("q", "v", "anna", 2.0), ("q", "x", "anna", 1.0)]


def test_what_is_judged_in_no_run_stands_at_the_end_under_its_own_head(make, show):
    """A judged document that no run has found is listed, and said to be so."""
    parts = Parts(runs={"a": {"q": ["x", "y"]}, "b": {"q": ["z"]}}, judgments=JUDGED)
    session = make(parts)
    panel = show(session)
    ids = [session.material.document_id(document) for document in panel.documents()]
    assert ids == ["x", "y", "z", "v"]
    assert panel.model.listed.heads == {2: "Not in this run", 3: "Judged, in no run"}
    assert spoken(panel)[3].startswith("Judged, in no run, v, grade 2")


def test_judgments_without_a_run_are_listed_and_can_be_changed(make, show):
    """A query that no run knows shows what is judged of it, and that is its pool."""
    session = make(Parts(queries=[Query("q")], judgments=JUDGED))
    panel = show(session)
    assert panel.model.listed.heads == {0: "Judged, in no run"}
    assert len(panel.documents()) == 2
    assert session.board.total_progress() == (2, 2)


def test_what_was_cleared_in_no_run_stays_in_the_list(make, show):
    """Taking the only judgment of such a document back does not take the document away."""
    parts = Parts(runs={"a": {"q": ["x"]}}, judgments=JUDGED)
    session = make(parts)
    session.assessor = "anna"
    session.execute(Say.clear(0, session.material.find_document("v")))
    assert len(show(session).documents()) == 2


def test_a_query_without_documents_offers_to_import_a_run(qtbot, make, show):
    """The empty list says why it is empty, and its button leads on."""
    panel = show(make(Parts(queries=[Query("q")])))
    assert panel.why_empty() == ("No run has documents for this query.", "Import a run…")
    with qtbot.waitSignal(panel.import_wanted):
        panel.empty.act()


def test_rows_are_spoken_as_rank_title_grade(project, show):
    """A row reads as rank, title, grade and its name."""
    document = project.board.pool(0)[1].item()
    project.execute(Say.grade(0, document, 1.0))
    panel = show(project)
    assert spoken(panel)[1] == "Rank 2, Soup recipe 1, grade 1, slightly relevant"
    assert spoken(panel)[0] == "Rank 1, Soup recipe 0, not judged"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (lambda d: Say.cannot_judge(0, d, "torn"), "cannot be judged"),
        (lambda d: Say.skip(0, d), "skipped"),
        (lambda d: Say.flag(0, d, True), "not judged, flagged"),
        (lambda d: Say.note(0, d, "see"), "not judged, has a note"),
    ],
)
def test_states_flags_and_notes_are_shown(project, show, command, said):
    """What is said besides grades is shown on the row."""
    panel = show(project)
    document = panel.documents()[0]
    project.execute(command(document))
    panel.take_change(judged(0, document))
    assert spoken(panel)[0] == f"Rank 1, Soup recipe 0, {said}"


def test_an_undone_judgment_is_taken_from_the_row(project, show):
    """Refreshing after undo shows the document unjudged again."""
    panel = show(project)
    document = panel.documents()[0]
    project.execute(Say.grade(0, document, 3.0))
    panel.take_change(judged(0, document))
    project.undo()
    panel.take_change(judged(0, document))
    assert panel.model.mark(document).state is State.UNJUDGED


def test_the_views_folded_grade_is_shown(make, show):
    """Another assessor's grade counts in the view and shows on the chip."""
    parts = Parts(runs={"a": {"q": ["x"]}}, judgments=[("q", "x", "ben", 2.0)])
    session = make(parts)
    panel = show(session)
    assert panel.model.mark(panel.documents()[0]).grade == 2.0


def test_a_judgment_repaints_its_row_only(project, show, qtbot):
    """Exactly the judged document's row is told as changed."""
    panel = show(project)
    document = panel.documents()[3]
    project.execute(Say.grade(0, document, 1.0))
    with qtbot.waitSignal(panel.model.dataChanged) as told:
        panel.take_change(judged(0, document))
    assert [index.row() for index in told.args[:2]] == [3, 3]


def test_set_current_tells_once_and_only_when_it_changes(project, show, qtbot):
    """The signal comes when the place is another one."""
    panel = show(project)
    with qtbot.waitSignal(panel.place_changed) as told:
        panel.set_current(4)
    assert told.args == [4]
    with qtbot.assertNotEmitted(panel.place_changed):
        panel.set_current(4)


def test_show_query_starts_at_its_place_without_a_signal(project, show, qtbot):
    """Another query begins where the window says, and the window is not told of it."""
    panel = show(project)
    with qtbot.assertNotEmitted(panel.place_changed):
        panel.show_query(project.material.runs[0].run_id, 1, place=3)
    assert panel.current_place() == 3


def test_arrow_keys_and_clicks_move(project, show, qtbot):
    """Down and a click make another row current."""
    panel = show(project)
    panel.table.setFocus()
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    assert panel.current_place() == 1
    place = panel.table.visualRect(panel.model.index(4, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert panel.current_place() == 4


def test_home_and_end_go_to_the_ends(project, show, qtbot):
    """End is the last document, Home the first."""
    panel = show(project, place=2)
    qtbot.keyClick(panel.table, Qt.Key.Key_End)
    assert panel.current_place() == 5
    qtbot.keyClick(panel.table, Qt.Key.Key_Home)
    assert panel.current_place() == 0


def test_letters_are_not_a_search(project, show, qtbot):
    """Typing in the list moves nothing: letters are commands of the window."""
    panel = show(project, place=2)
    panel.table.setFocus()
    qtbot.keyClicks(panel.table, "soup")
    assert panel.current_place() == 2


def test_the_unjudged_filter_keeps_a_row_that_is_judged_now(project, show, qtbot):
    """A judged row leaves the filtered list at the next query, not under the assessor's eyes."""
    project.execute(Say.grade(0, project.board.pool(0)[0].item(), 1.0))
    panel = show(project)
    qtbot.mouseClick(panel.tools.unjudged, Qt.MouseButton.LeftButton)
    assert len(panel.documents()) == 5
    document = panel.documents()[0]
    project.execute(Say.grade(0, document, 1.0))
    panel.take_change(judged(0, document))
    assert len(panel.documents()) == 5
    assert panel.tools.unjudged.accessibleName() == "Unjudged 4"
    panel.show_query(project.material.runs[0].run_id, 0)
    assert len(panel.documents()) == 4


def test_a_filter_keeps_the_current_document(project, show, qtbot):
    """The document in view stays current when the rows around it go."""
    project.execute(Say.grade(0, project.board.pool(0)[0].item(), 1.0))
    panel = show(project, place=3)
    document = panel.documents()[3]
    qtbot.mouseClick(panel.tools.unjudged, Qt.MouseButton.LeftButton)
    assert panel.documents()[panel.current_place()] == document


def test_when_all_is_judged_the_filter_says_so(project, show, qtbot):
    """An empty filtered list says why, and its button shows everything."""
    for document in project.board.pool(0).tolist():
        project.execute(Say.grade(0, document, 1.0))
    panel = show(project)
    qtbot.mouseClick(panel.tools.unjudged, Qt.MouseButton.LeftButton)
    assert panel.empty.sentence == "Every document of this query is judged."
    assert panel.current_place() == -1
    panel.empty.act()
    assert len(panel.documents()) == 6


def test_a_query_without_documents_says_so(make, show):
    """A query that no run has shows a sentence."""
    session = make(awkward_parts())
    panel = show(session, session.material.find_query("no run"))
    assert panel.empty.sentence == "No run has documents for this query."


def test_other_orders(project, show):
    """By grade the best come first and ungraded last; unjudged first puts the judged last."""
    pool = project.board.pool(0).tolist()
    project.execute(Say.grade(0, pool[2], 3.0))
    project.execute(Say.grade(0, pool[0], 1.0))
    panel = show(project)
    panel.model.set_order(ResultOrder.GRADE)
    assert panel.documents()[:3] == [pool[2], pool[0], pool[1]]
    panel.model.set_order(ResultOrder.UNJUDGED)
    assert panel.documents()[-2:] == [pool[0], pool[2]]
    assert panel.model.listed.cutoffs == {}


def test_choosing_a_run_is_told_and_left_to_the_window(make, show, qtbot):
    """The chooser tells the run; what is shown changes when the window says so."""
    session = make()
    panel = show(session)
    other = session.material.runs[1]
    with qtbot.waitSignal(panel.run_chosen) as told:
        panel.tools.runs.activated.emit(1)
    assert told.args == [other.run_id]
    panel.show_query(other.run_id, 0)
    assert panel.tools.runs.currentText() == other.name


def test_ticks_are_the_pools_unjudged(project, show):
    """The scroll bar marks what is to be judged, and no more once it is."""
    panel = show(project)
    document = panel.documents()[2]
    project.execute(Say.grade(0, document, 1.0))
    panel.take_change(judged(0, document))
    assert list(panel.table.bar.ticks) == [0, 1, 3, 4, 5]


def test_texts_are_loaded_for_what_is_seen(make, show, monkeypatch):
    """Showing a long ranking reads a screenful of documents, not all."""
    loaded = []
    read = Material.document
    monkeypatch.setattr(
        Material, "document", lambda self, number: loaded.append(number) or read(self, number)
    )
    session = make(simple_parts(n_queries=1, n_documents=400))
    panel = show(session)
    panel.grab()
    assert 0 < len(set(loaded)) < 60


def test_neighbours_are_loaded_while_nothing_happens(make, show, qtbot):
    """Texts beyond the last row in view are at hand before the assessor gets there."""
    session = make(simple_parts(n_queries=1, n_documents=400))
    panel = show(session)
    qtbot.waitUntil(lambda: not panel.model.load_next(0, 20))


def test_scores_can_be_hidden(project, show, qtbot):
    """The switch takes the scores' column away."""
    panel = show(project)
    with_scores = panel.table.delegate.columns(500)
    qtbot.mouseClick(panel.tools.scores, Qt.MouseButton.LeftButton)
    without = panel.table.delegate.columns(500)
    assert (with_scores.score_width > 0, without.score_width) == (True, 0)


def test_cards_follow_the_cutoffs(project, show):
    """After cutoffs have moved each card looks as in a list that began with them: none is kept from before."""
    panel, fresh = show(project), show(project)
    for cutoffs in ((3,), (7,), (1, 5)):
        panel.model.set_cutoffs(cutoffs)
        moved = panel.table.grab().toImage()
    fresh.model.set_cutoffs((1, 5))
    assert moved == fresh.table.grab().toImage()


def test_the_tab_of_a_cutoff_below_the_last_card_is_whole(project, show):
    """It stands higher than in the middle of a line, where the next card shows its other half."""
    panel = show(project)
    last = panel.model.rowCount() - 1
    panel.model.set_cutoffs((last + 1,))
    place = panel.table.visualRect(panel.model.index(last, 0))
    image = panel.table.viewport().grab(place).toImage()
    width, height = cutoff_tab_size("@6")
    columns = panel.table.delegate.columns(image.width())
    column = columns.chip + (columns.chip_width - width) // 2 + 5
    below = range(image.height() // 2 + 8, image.height())
    top = next(y for y in below if image.pixel(column, y) != image.pixel(column, below[0] - 1))
    assert image.height() - top > height


def test_highlights_change_the_picture(project, show):
    """Marked query terms can be seen, and taken away."""
    panel = show(project)
    marked = panel.grab().toImage()
    panel.set_highlighted(False)
    assert panel.grab().toImage() != marked


@pytest.mark.parametrize(
    "direction", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft]
)
def test_awkward_documents_are_painted(make, show, direction):
    """Any text paints in both directions; titles are capped, no id is lost."""
    session = make(awkward_parts())
    panel = show(session)
    panel.setLayoutDirection(direction)
    panel.resize(504, 1200)
    assert not panel.grab().isNull()
    titles = [panel.model.text(row).title for row in range(panel.model.rowCount())]
    assert max(map(len, titles)) <= 300
    assert "no text ✓ at:all" in titles


@pytest.mark.parametrize(
    ("score", "text"),
    [(1.5, "1.5000"), (0.0, "0.0000"), (-2.25, "−2.2500"), (float("inf"), "∞"), (1e12, "1e+12")],
)
def test_scores_as_shown(score, text):
    """Scores have four decimals and a true minus; huge ones are short."""
    assert format_score(score) == text


def test_cutoffs_cut_after_their_rank(project, show):
    """A line stands below rank 5; a cutoff beyond the ranking draws none."""
    assert show(project).model.listed.cutoffs == {4: 5}


@given(
    st.lists(st.integers(1, 30), unique=True).map(sorted),
    st.lists(st.integers(1, 30), unique=True),
)
def test_a_cutoff_parts_ranks_above_from_ranks_below(ranks, cutoffs):
    """All rows up to a cutoff's line have that rank at the most, all below a higher one."""
    rows = [ResultRow(rank, rank, None) for rank in ranks]
    for place, cutoff in place_cutoffs(rows, cutoffs).items():
        assert all(row.rank <= cutoff for row in rows[: place + 1])
        assert all(row.rank > cutoff for row in rows[place + 1 :])


def test_a_current_place_below_the_view_is_scrolled_to(make, show):
    """A place far down becomes visible when it becomes current."""
    panel = show(make(simple_parts(n_queries=1, n_documents=200)))
    panel.set_current(150)
    assert panel.table.visualRect(panel.model.index(150, 0)).intersects(
        panel.table.viewport().rect()
    )


def test_a_new_query_starts_at_its_top(make, show):
    """The scroll position of the query before does not stay."""
    session = make(simple_parts(n_queries=2, n_documents=200))
    panel = show(session, place=150)
    panel.show_query(session.material.runs[0].run_id, 1)
    assert panel.table.verticalScrollBar().value() == 0
