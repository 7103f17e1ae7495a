"""The list of queries: groups, filter, pills, values, and which signals it sends."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from judgetool.core.judgments import Query
from judgetool.gui import theme
from judgetool.gui.models.query_model import (
    Group,
    GroupRow,
    Order,
    QueryChoice,
    QueryModel,
    QueryRow,
)
from judgetool.gui.panels.cards import split_line
from judgetool.gui.panels.query_list import QueryList
from judgetool.gui.theme import Role, line_height, text_width
from judgetool.session.commands import Changed, Say, set_title
from judgetool.session.edits import add_query
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import Parts, awkward_parts, open_made, open_sample, simple_parts

SPOKEN = Qt.ItemDataRole.AccessibleTextRole


def judged(query, document=0):
    """Return what listeners are told of a judgment."""
    return Changed("do", "judge", "", ((query, document),))


@pytest.fixture
def make(tmp_path):
    """Return a function that opens a project of some parts, or the sample."""
    sessions = []

    def make(parts=None):
        sessions.append(open_made(tmp_path, parts) if parts else open_sample(tmp_path))
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
    """Return a function that shows a list for a session."""

    panels = []

    def show(session, *, measure="nDCG@10"):
        panel = QueryList()
        qtbot.addWidget(panel)
        panels.append(panel)
        panel.resize(264, 600)
        panel.set_session(session)
        if session is not None and session.material.runs:
            panel.set_value(session.material.runs[0].run_id, measure)
        with qtbot.waitExposed(panel):
            panel.show()
        return panel

    yield show
    for panel in panels:
        panel.set_session(None)


def rows_of(panel):
    """Return what the rows show, in short: group titles and query numbers."""
    rows = [panel.model.row(place) for place in range(panel.model.rowCount())]
    return [row.group.value if isinstance(row, GroupRow) else row.query for row in rows]


def is_current_seen(panel):
    """Whether the whole row of the current query is in sight."""
    table = panel.table
    return table.viewport().rect().contains(table.visualRect(table.currentIndex()))


@pytest.mark.parametrize("current", [11, 25, 39])
def test_the_current_query_stays_in_sight_at_other_sizes(qapp, qtbot, make, show, current):
    """Of the list, lower and higher again, and of the text."""
    queries = [Query(f"q{n}", f"soup {n}") for n in range(40)]
    runs = {"run": {query.id: ["d"] for query in queries}}
    panel = show(make(Parts(queries=queries, runs=runs)))
    panel.set_current(current)
    for height in (420, 300, 600):
        panel.resize(264, height)
        qtbot.waitUntil(lambda: is_current_seen(panel))
    for extra_px in (6, -2, 0):
        theme.install_fonts(qapp, extra_px=extra_px)
        qtbot.waitUntil(lambda: is_current_seen(panel))


def judge_all(session, query):
    """Grade every document of a query's pool."""
    for document in session.board.pool(query).tolist():
        session.execute(Say.grade(query, document, 1.0))


def test_model_keeps_qts_rules(project, qtmodeltester):
    """The model passes Qt's own tester."""
    model = QueryModel()
    model.set_session(project)
    qtmodeltester.check(model)


def test_model_keeps_qts_rules_with_awkward_queries(make, qtmodeltester):
    """Odd ids, long texts and queries without a run do not upset the model."""
    session = make(awkward_parts())
    model = QueryModel()
    model.set_session(session)
    qtmodeltester.check(model)


def test_queries_stand_in_groups_by_progress(project, show):
    """Begun queries come first, then new ones, then done ones."""
    project.execute(Say.grade(2, project.board.pool(2)[0].item(), 1.0))
    judge_all(project, 0)
    assert rows_of(show(project)) == ["In part", 2, "Not started", 1, "Done", 0]


def test_a_judgment_moves_no_row_until_regrouped(project, show):
    """Refreshing shows the progress where the row stands; only regroup() moves it."""
    panel = show(project)
    judge_all(project, 0)
    panel.take_change(judged(0))
    assert rows_of(panel) == ["Not started", 0, 1, 2]
    assert panel.model.row(1).judged == panel.model.row(1).total
    panel.regroup()
    assert rows_of(panel) == ["Not started", 1, 2, "Done", 0]


def test_a_group_counts_what_is_of_it(project, show):
    """A query that was begun or finished stands where it stood; its group's head says so."""
    panel = show(project)

    def head():
        return panel.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)

    document = project.board.pool(0)[0].item()
    project.execute(Say.grade(0, document, 1.0))
    panel.take_change(judged(0))
    panel.model.tell_refreshed()
    assert head() == "Not started, 2 queries, 1 now begun, open"
    judge_all(project, 0)
    judge_all(project, 1)
    panel.take_change(judged(0))
    panel.take_change(judged(1))
    panel.model.tell_refreshed()
    assert head() == "Not started, 1 query, 2 now done, open"
    assert rows_of(panel) == ["Not started", 0, 1, 2]
    panel.regroup()
    assert head() == "Not started, 1 query, open"


def test_the_head_over_one_filtered_query_says_what_that_is(project, show):
    """With a filter a group can be one query: judged and taken back, the head never contradicts it."""
    panel = show(project)
    panel.model.set_filter(project.material.queries[0].text)
    assert rows_of(panel) == ["Not started", 0]

    def head():
        panel.take_change(judged(0))
        panel.model.tell_refreshed()
        return panel.model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)

    judge_all(project, 0)
    assert head() == "Done, 1 query, open"
    project.execute(Say.clear(0, project.board.pool(0)[0].item()))
    assert head() == "In part, 1 query, open"


def test_a_group_counts_again_what_is_taken_back(project, show):
    """After Undo the head is as it was."""
    panel = show(project)
    project.execute(Say.grade(0, project.board.pool(0)[0].item(), 1.0))
    panel.take_change(judged(0))
    panel.model.tell_refreshed()
    project.undo()
    panel.take_change(judged(0))
    panel.model.tell_refreshed()
    assert panel.model.row(0) == GroupRow(Group.NOT_STARTED, 3, is_folded=False)


def test_a_judgment_touches_its_row_only(project, show, qtbot):
    """Exactly the touched row is told as changed."""
    panel = show(project)
    project.execute(Say.grade(1, project.board.pool(1)[0].item(), 1.0))
    with qtbot.waitSignal(panel.model.dataChanged) as told:
        panel.take_change(judged(1))
    assert [index.row() for index in told.args[:2]] == [2, 2]


def test_values_are_the_engines(make, show):
    """The last column shows the engine's value of the chosen run and measure."""
    session = make()
    panel = show(session, measure="AP")
    run = session.material.runs[0].run_id
    names = [str(measure) for measure in session.board.engine.measures]
    expected = session.board.engine.value(run, 3)[names.index("AP")].value
    assert panel.model.row(panel.model.find_row(3)).value == expected


def test_an_undefined_value_is_none(make, show):
    """A query whose value is undefined shows none, not 0."""
    session = make()
    panel = show(session)
    sushi = session.material.find_query("19")
    assert panel.model.row(panel.model.find_row(sushi)).value is None


def test_an_unknown_measure_takes_the_column_away(project, show):
    """Without a value to show the column is empty."""
    panel = show(project, measure="nDCG@77")
    assert not panel.model.has_values


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("CREME brul", ["4"]),
        ("3 soup", ["3"]),
        ("zzz", []),
        ("brûlée", ["4"]),
        ("كتابخانه", ["5"]),
        ("  ", list("12345")),
    ],
)
def test_filter_finds_all_words_anywhere(make, show, typed, expected):
    """Each typed word is looked for in id and text, without case and accents."""
    queries = [
        Query("1", "bread"),
        Query("2", "tea"),
        Query("3", "Soup"),
        Query("4", "crème brûlée"),
        Query("5", "کتابخانه ملی"),
    ]
    session = make(Parts(queries))
    panel = show(session)
    panel.filter.setText(typed)
    assert [session.material.queries[number].id for number in panel.order()] == expected


def test_escape_clears_the_filter_and_goes_back(project, show, qtbot):
    """Esc empties the field and gives the keyboard to the list."""
    panel = show(project)
    panel.focus_filter()
    qtbot.keyClicks(panel.filter, "number 1")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Escape)
    assert panel.filter.text() == ""
    assert panel.table.hasFocus()
    assert panel.order() == [0, 1, 2]


def test_enter_in_the_filter_chooses_the_first(project, show, qtbot):
    """Enter chooses the first query that the filter lets through."""
    panel = show(project)
    panel.focus_filter()
    qtbot.keyClicks(panel.filter, "number 2")
    with qtbot.waitSignal(panel.query_chosen) as told:
        qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
    assert told.args == [2]


def test_an_empty_filter_result_says_so_and_offers_to_clear(project, show):
    """The list says what was looked for, and its button clears the filter."""
    panel = show(project)
    panel.filter.setText("risoto")
    assert panel.empty.sentence == "No query matches “risoto”."
    panel.empty.act()
    assert panel.order() == [0, 1, 2]


def test_pills_count_and_filter(project, show, qtbot):
    """'To do' leaves out what is done; the counts are of the whole project."""
    judge_all(project, 1)
    project.execute(Say.flag(2, project.board.pool(2)[0].item(), True))
    panel = show(project)
    names = [panel.pills[choice].accessibleName() for choice in QueryChoice]
    assert names == ["All 3", "To do 2", "Flagged 1"]
    qtbot.mouseClick(panel.pills[QueryChoice.TO_DO], Qt.MouseButton.LeftButton)
    assert panel.order() == [0, 2]
    qtbot.mouseClick(panel.pills[QueryChoice.FLAGGED], Qt.MouseButton.LeftButton)
    assert panel.order() == [2]


def test_flag_count_follows_a_judgment(project, show):
    """A flag that is set while the list is shown is counted."""
    panel = show(project)
    project.execute(Say.flag(0, project.board.pool(0)[0].item(), True))
    panel.take_change(judged(0))
    assert panel.pills[QueryChoice.FLAGGED].accessibleName() == "Flagged 1"


def test_a_click_on_a_group_folds_it_and_keeps_its_queries_in_order(project, show, qtbot):
    """Folded queries are not shown, yet previous and next still reach them."""
    panel = show(project)
    place = panel.table.visualRect(panel.model.index(0, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert rows_of(panel) == ["Not started"]
    assert panel.order() == [0, 1, 2]


def test_set_current_unfolds_the_group(project, show):
    """A query that becomes current is brought into view from a folded group."""
    panel = show(project)
    panel.model.set_folded(Group.NOT_STARTED, is_folded=True)
    panel.set_current(1)
    assert rows_of(panel) == ["Not started", 0, 1, 2]
    assert panel.table.currentIndex().row() == 2


def test_set_current_sends_no_signal(project, show, qtbot):
    """Only the person's choice is told, not the window's own."""
    panel = show(project)
    with qtbot.assertNotEmitted(panel.query_chosen):
        panel.set_current(2)


def test_a_click_chooses_a_query(project, show, qtbot):
    """Clicking a row tells its query."""
    panel = show(project)
    place = panel.table.visualRect(panel.model.index(2, 0)).center()
    with qtbot.waitSignal(panel.query_chosen) as told:
        qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert told.args == [1]


def test_arrow_keys_choose_queries(project, show, qtbot):
    """Down in the list goes to the next query and tells it."""
    panel = show(project)
    panel.set_current(0)
    panel.table.setFocus()
    with qtbot.waitSignal(panel.query_chosen) as told:
        qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    assert told.args == [1]


def test_left_and_right_fold_a_group(project, show, qtbot):
    """On the head of a group Left folds and Right unfolds."""
    panel = show(project)
    panel.table.setCurrentIndex(panel.model.index(0, 0))
    qtbot.keyClick(panel.table, Qt.Key.Key_Left)
    assert rows_of(panel) == ["Not started"]
    qtbot.keyClick(panel.table, Qt.Key.Key_Right)
    assert rows_of(panel) == ["Not started", 0, 1, 2]


def test_regroup_inside_the_signal_is_safe(project, show, qtbot):
    """The window regroups as soon as it hears of a choice; the choice stays current."""
    panel = show(project)
    judge_all(project, 0)
    panel.take_change(judged(0))
    panel.set_current(0)

    def answer(query):
        panel.regroup()
        panel.set_current(query)

    panel.query_chosen.connect(answer)
    qtbot.keyClick(panel.table, Qt.Key.Key_Down)
    assert rows_of(panel) == ["Not started", 1, 2, "Done", 0]
    assert panel.model.row(panel.table.currentIndex().row()).query == 1


def test_lowest_value_first_puts_undefined_last(make, show):
    """The order by value has no groups; queries without a value come last."""
    session = make()
    panel = show(session)
    panel.model.set_order(Order.LOWEST_FIRST)
    values = [panel.model.row(place).value for place in range(panel.model.rowCount())]
    defined = [value for value in values if value is not None]
    assert defined == sorted(defined)
    assert values[: len(defined)] == defined


def test_project_order_has_no_groups(project, show):
    """The project's own order shows queries only."""
    judge_all(project, 0)
    panel = show(project)
    panel.model.set_order(Order.PROJECT)
    assert rows_of(panel) == [0, 1, 2]


def test_rows_are_spoken(project, show):
    """A screen reader hears text, id, progress and value."""
    project.execute(Say.grade(1, project.board.pool(1)[0].item(), 3.0))
    panel = show(project)
    row = panel.model.find_row(1)
    said = panel.model.index(row, 0).data(SPOKEN)
    assert said == "Query soup number 1, id q1, 1 of 6 judged, nDCG@10 1.000"


def test_no_session_and_no_queries_are_sentences(make, show):
    """Without queries the list says so; without a session it is empty."""
    session = make(Parts())
    panel = show(session)
    assert panel.empty.sentence == "This project has no queries yet."
    panel.set_session(None)
    assert panel.order() == []


def test_awkward_queries_are_painted(make, show):
    """Right-to-left, marks, emoji, long and bare queries paint without a warning."""
    session = make(awkward_parts())
    panel = show(session)
    assert not panel.grab().isNull()
    texts = [panel.model.row(row).text for row in map(panel.model.find_row, panel.order())]
    assert "bare" in texts
    assert max(map(len, texts)) <= 300


def test_awkward_queries_are_painted_from_right_to_left(make, show):
    """The mirrored list paints as well."""
    session = make(awkward_parts())
    panel = show(session)
    panel.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    assert not panel.grab().isNull()


def test_a_query_without_documents_is_nothing_to_judge(make, show):
    """A query that no run has stands in a group of its own, neither done nor to do."""
    session = make(awkward_parts())
    panel = show(session)
    number = session.material.find_query("no run")
    row = panel.model.row(panel.model.find_row(number))
    assert isinstance(row, QueryRow)
    assert panel.model.group_of(number) is Group.EMPTY
    panel.model.set_choice(QueryChoice.TO_DO)
    assert number not in panel.order()


def test_long_ids_are_left_out_of_a_narrow_list(make, show):
    """Ids that would leave no room for the texts are shown when the list is wide enough."""
    panel = show(make(Parts([Query("a-rather-long-id-1", "soup")])))
    assert panel.table.delegate.columns.id_width == 0
    panel.resize(900, 600)
    assert panel.table.delegate.columns.id_width > 0


def test_tooltips_are_plain_text(make, show):
    """A row's tooltip has id and text; tags in them stay text."""
    panel = show(make(Parts([Query("<b>1", "<img src=x>")])))
    row = panel.model.find_row(0)
    tip = panel.model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "<span>&lt;b&gt;1<br>&lt;img src=x&gt;</span>"


def test_long_questions_stand_on_two_lines(qtbot, tmp_path):
    """Where many queries are longer than the list is wide, each has two lines; short ones one."""
    heights = []
    for name, text in (("short", "soup {}"), ("long", "what similarity laws must be obeyed {}")):
        folder = tmp_path / name
        folder.mkdir()
        queries = [Query(f"q{n}", text.format(n)) for n in range(5)]
        open_made(folder, Parts(queries)).close()
        with opened_window(qtbot, folder / "small.judge") as window:
            table = window.queries.table
            heights.append(table.rowHeight(window.queries.model.find_row(1)))
    assert heights[1] == heights[0] + line_height(Role.UI)


def test_rows_where_a_head_stood_are_rows_again(project, show):
    """When groups change, every query has the height of a query and every head that of a head."""
    panel = show(project)
    project.assessor = "anna"
    for query in (0, 1, 2):
        project.execute(Say.grade(query, project.material.find_document("d1"), 1))
        panel.regroup()
        heights = {True: set(), False: set()}
        for place in range(panel.model.rowCount()):
            is_head = isinstance(panel.model.row(place), GroupRow)
            heights[is_head].add(panel.table.rowHeight(place))
        assert [len(each) for each in heights.values()] == [1, 1]


def test_a_line_is_divided_at_a_blank_and_loses_nothing(qapp):
    """What does not fit on the first line stands on the next, emoji among it."""
    text = "what 🥕 similarity 🥬 laws must be obeyed"
    first, rest = split_line(text, role=Role.UI, room=90)
    assert f"{first} {rest.strip()}" == text
    assert text_width(Role.UI, first) <= 90


def test_a_query_is_added_where_the_lowest_value_stands_first(qtbot, tmp_path):
    """Also among those that are to do: it stands last, as it has no value."""
    with open_made(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        window.queries.model.set_choice(QueryChoice.TO_DO)
        window.queries.model.set_order(Order.LOWEST_FIRST)
        add_query(window.session, Query("new", "a new soup"))
        assert len(window.queries.model.facts.judged) == 4
        assert window.view.judging.run_id == window.session.material.runs[0].run_id


def test_the_current_query_stays_in_sight_where_the_lowest_value_stands_first(qtbot, tmp_path):
    """Also as all is read anew, first without values: among many its place is another then."""
    parts = simple_parts(n_queries=80)
    said = [(f"q{n}", f"d{n % 6}", "anna", 1.0) for n in range(80)]
    with open_made(tmp_path, replace(parts, judgments=said)) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        panel = window.queries
        panel.model.set_order(Order.LOWEST_FIRST)
        place = panel.order().index(6)
        assert place > 40
        window.view.judging.show_query(6)
        qtbot.waitUntil(lambda: is_current_seen(panel))
        window.session.execute(set_title("Soups"))
        add_query(window.session, Query("new", "a new soup"))
        assert window.view.judging.query == 6
        qtbot.waitUntil(lambda: is_current_seen(panel))


def test_where_no_values_are_shown_the_list_says_the_order_it_has(qtbot, tmp_path):
    """Blind it is the project's: lowest first would tell the values."""
    with open_made(tmp_path, simple_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as window:
        panel, told = window.queries, []
        panel.told.connect(told.append)
        choices = panel._sort.menu().actions
        lowest = next(each for each in choices() if each.text() == "Lowest value first")
        lowest.trigger()
        window.actions_by_name.action("flow.blind").trigger()
        lowest.trigger()
        assert told[-2:] == ["Lowest value first.", "In the project’s order."]


def test_both_lines_of_a_query_stand_where_its_text_begins(make, show):
    """Its second line ends at the right as its first does, though no letter from the right is in it."""
    parts = Parts(queries=[Query("q", "مدن الأندلس (711–1492)")], runs={"run": {"q": ["a"]}})
    panel = show(make(parts))
    panel.resize(230, 600)
    table, columns = panel.table, panel.table.delegate.columns
    row = next(n for n in range(panel.model.rowCount()) if isinstance(panel.model.row(n), QueryRow))
    place = table.visualRect(panel.model.index(row, 0))
    image, middle = table.viewport().grab(place).toImage(), place.height() // 2
    right = columns.count_right - text_width(Role.META, "0/1") - 4
    ends = [
        max(
            x
            for x in range(columns.text, right)
            for y in lines
            if image.pixelColor(x, y) != image.pixelColor(2, 2)
        )
        for lines in (range(2, middle), range(middle + 2, place.height() - 2))
    ]
    assert abs(ends[0] - ends[1]) < 8
