"""Filters as chips: typed, from the menu, combined, saved, cleared; in the real window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from judgetool.core.judgments import Document, Query
from judgetool.core.scale import scale_preset
from judgetool.gui.dialogs.finding import SavedViewsDialog, ViewNameDialog
from judgetool.gui.models.finders import (
    REVEALING,
    completions,
    describe_chip,
    find_chip,
    read_typed,
    type_chip,
    visible_chips,
)
from judgetool.gui.panels.filter_bar import ChipRow, ChipText
from judgetool.gui.widgets.labels import KeyCap
from judgetool.session.commands import Say
from judgetool.session.edits import rename_run
from judgetool.session.finding import (
    FILTER_KINDS,
    Filter,
    needs_value,
    save_view,
    saved_views,
)
from judgetool.session.systems import queries_where
from tests.gui.window_fixtures import lines_painted, opened_window
from tests.helpers.builders import Parts, lay_sample, make_project
from tests.helpers.program import call

LEFT = Qt.MouseButton.LeftButton
VALUES = {
    "grade": st.sampled_from([0.0, 1.0, 2.5]),
    "confidence": st.sampled_from([1, 2, 3]),
    "rank": st.tuples(st.integers(1, 50), st.integers(50, 90)),
    "changed_since": st.integers(0, 10**12),
    "field": st.text("aİ '\"=-:x", max_size=6).map("lang={}".format),
}
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1).filter(
    str.strip
)


@st.composite
def chips(draw):
    """Any chip that can be made."""
    kind = draw(st.sampled_from(FILTER_KINDS))
    is_not = draw(st.booleans())
    if not needs_value(kind):
        return Filter(kind, is_not=is_not)
    return Filter(kind, draw(VALUES.get(kind, NAMES)), is_not)


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on the sample."""
    path = tmp_path / "sample.judge"
    lay_sample(path)
    with opened_window(qtbot, path) as window:
        yield window


def type_into(qtbot, field, text):
    """Type as a person does, into a field that has the keyboard."""
    field.setFocus()
    qtbot.keyClicks(field, text)


@given(chips())
def test_a_typed_chip_is_read_back(chip):
    """What stands for a chip in the field gives that chip again."""
    assert read_typed(type_chip(chip), names=["category", "lang"]).chips == (chip,)


@given(st.text())
def test_any_text_can_be_typed(text):
    """No text that stands in the field while it is typed upsets anything."""
    typed = read_typed(text)
    assert all(describe_chip(chip, scale_preset("0-3")) for chip in typed.chips)


def test_conditions_and_words_are_told_apart():
    """``kind:value`` and ``is:kind`` are conditions, everything else is words."""
    typed = read_typed("grade:2 leek is:flagged 'cold soup' rank:1-5 flagged")
    assert [type_chip(chip) for chip in typed.chips] == ["grade:2", "is:flagged", "rank:1-5"]
    assert typed.words == "leek cold soup flagged"


@pytest.mark.parametrize(
    "begun", ["-", "-grade:", "-is:fla", "grade:", "is:", "is:fla", "rank:1-", "grade:x", "run:"]
)
def test_a_condition_that_is_not_finished_filters_nothing(begun):
    """While a condition is being typed it is neither a chip nor a word."""
    assert read_typed(begun).chips == ()
    assert read_typed(begun).words == ""


@pytest.mark.parametrize(
    "text",
    [
        *("is:judged grade:3", "is:judged rank:1", "is:has-rationale dinner", "judged", "coeliac"),
        *("is:judged -soup", "is:judged -'for two'", "dinner -rank:1", "is:judged -grade:3 -for"),
    ],
)
def test_the_list_and_commands_let_the_same_queries_through(qtbot, window, text):
    """What is typed over the query list means the same after ``--where``; a bare name is a word."""
    type_into(qtbot, window.queries.filter, text)
    qtbot.keyClick(window.queries.filter, Qt.Key.Key_Return)
    shown = sorted(window.queries.model.shown)
    told = call(
        "score",
        "--project",
        window.session.path,
        "-q",
        "-m",
        "P@5",
        "--where",
        text,
        "--format",
        "tsv",
    )
    ids = {row[1] for row in told.rows} if told.code == 0 else set()
    assert ids - {"all", "query"} == {window.session.material.queries[row].id for row in shown}


def test_an_address_is_words():
    """A colon alone makes no condition."""
    assert read_typed("https://example.org").words == "https://example.org"
    assert find_chip("12:30") is None


@given(st.lists(chips()))
def test_blind_nothing_that_tells_of_others_counts(found):
    """Blind, conditions on runs, ranks and others are left out."""
    assert not {chip.kind for chip in visible_chips(found, is_blind=True)} & REVEALING


def test_blind_flags_are_ones_own():
    """Blind, what others flagged does not show through a filter."""
    assert visible_chips([Filter("flagged")], is_blind=True) == (Filter("flagged"), Filter("mine"))


def test_blind_nothing_is_left_out_by_what_others_said():
    """What is not flagged would tell which documents others flagged."""
    hidden = [Filter(kind, is_not=True) for kind in ("flagged", "unjudged", "judged")]
    assert visible_chips([*hidden, Filter("text", "soup", is_not=True)], is_blind=True) == (
        Filter("text", "soup", is_not=True),
    )


def test_a_word_after_a_minus_is_a_chip(qtbot, window):
    """It says what it is, leaves out just those queries, and a second one leaves out more."""
    whole = set(window.queries.order())
    type_into(qtbot, window.queries.filter, "-soup -for ")
    assert [describe_chip(chip) for chip in window.queries.bar.chips] == [
        "Not: “soup”",
        "Not: “for”",
    ]
    assert window.queries.filter.text() == ""
    queries = window.session.material.queries
    told = {number: f"{queries[number].text} {queries[number].description}" for number in whole}
    assert set(window.queries.order()) == {
        number for number, text in told.items() if "soup" not in text and "for" not in text.lower()
    }


def test_an_id_with_a_minus_is_that_query(qtbot, tmp_path):
    """An exact id wins over what a minus in front of a word says, in the list and after ``--where``."""
    parts = Parts([Query("-7", "leek"), Query("7", "soup")], [], {"run": {"-7": "a", "7": "b"}}, [])
    with make_project(tmp_path, parts) as session:
        path = session.path
        assert queries_where(session, "-7").tolist() == [True, False]
        assert queries_where(session, "-leek").tolist() == [False, True]
    with opened_window(qtbot, path) as window:
        type_into(qtbot, window.queries.filter, "-7")
        assert [window.session.material.queries[each].id for each in window.queries.order()] == [
            "-7"
        ]


def test_completions_know_runs_and_grades(window):
    """Grades, runs and conditions of the project are offered."""
    offered = completions(window.session)
    assert {"is:flagged", "grade:3", "run:chargrams"} <= set(offered)


def test_a_condition_typed_with_a_blank_becomes_a_chip_of_queries(qtbot, window):
    """``is:noted`` and a blank make a chip; the list shows only such queries."""
    bar = window.queries.bar
    type_into(qtbot, window.queries.filter, "is:noted ")
    assert bar.chips == (Filter("noted"),)
    assert window.queries.filter.text() == ""
    assert 0 < len(window.queries.order()) < 20


def test_a_condition_typed_with_enter_becomes_a_chip(qtbot, window):
    """Enter after a condition makes the chip and goes nowhere."""
    before = window.view.place
    type_into(qtbot, window.queries.filter, "rank:1-3")
    qtbot.keyClick(window.queries.filter, Qt.Key.Key_Return)
    assert window.queries.bar.chips == (Filter("rank", (1, 3)),)
    assert window.view.place == before


def test_chips_and_words_combine(qtbot, window):
    """Words narrow what chips let through."""
    type_into(qtbot, window.queries.filter, "is:judged soup")
    qtbot.keyClick(window.queries.filter, Qt.Key.Key_Return)
    queries = window.session.material.queries
    assert window.queries.order()
    shown = [queries[number] for number in window.queries.order()]
    assert all("soup" in f"{each.text} {each.description}".lower() for each in shown)


def test_a_chip_shows_how_many_it_lets_through(window):
    """The number on a chip is that of the queries which meet it."""
    window.queries.bar.set_chips([Filter("disputed")])
    (pill,) = window.queries.bar.row.pills
    assert pill.accessibleName() == f"Disputed {len(window.queries.order())}"


def test_a_click_on_a_chip_takes_it_away(qtbot, window):
    """The cross takes the condition away, and the list is whole again."""
    window.queries.bar.set_chips([Filter("disputed")])
    qtbot.mouseClick(window.queries.bar.row.pills[0], Qt.MouseButton.LeftButton)
    assert window.queries.bar.chips == ()
    assert len(window.queries.order()) == 20


def test_an_empty_list_says_why_and_clears(window):
    """Nothing met: a sentence names the filters, and its button clears them."""
    window.queries.bar.set_chips([Filter("flagged"), Filter("category", "soups")])
    assert window.queries.empty.sentence == "No query matches Flagged · Category soups."
    window.queries.empty.act()
    assert len(window.queries.order()) == 20


@pytest.mark.parametrize(
    ("typed", "is_hinted"),
    [("has:note", True), ("soup has:note", True), ("zzz", False), ("https://zzz", False)],
)
def test_a_condition_that_there_is_not_is_told_how_to_be_typed(qtbot, window, typed, is_hinted):
    """Where words with a colon match nothing, the lists say how conditions look."""
    hint = "Conditions are typed like is:noted or grade:2; the + lists them all."
    type_into(qtbot, window.queries.filter, typed)
    qtbot.waitUntil(lambda: not window.queries.order())
    assert (hint in window.queries.empty.sentence) == is_hinted
    window.queries.empty.act()
    results = filter_documents(qtbot, window, typed)
    qtbot.waitUntil(lambda: not results.documents())
    assert (hint in results.why_empty()[0]) == is_hinted


def test_a_judgment_moves_no_query_until_the_next_is_shown(window):
    """A query that no longer meets a chip stays until one goes to another query."""
    session = window.session
    window.queries.bar.set_chips([Filter("unjudged")])
    query = next(q for q in window.queries.order() if not session.board.progress(q).is_done)
    window.view.judging.show_query(query)
    for run in session.material.runs:
        for document in session.material.ranked_documents(run.run_id, query).tolist():
            session.execute(Say.grade(query, document, 1.0))
    for document in session.board.pool(query).tolist():
        session.execute(Say.grade(query, document, 1.0))
    assert query in window.queries.order()
    window.view.judging.move_query_by(1)
    assert query not in window.queries.order()


def test_documents_are_filtered_by_key(qtbot, window):
    """Ctrl+Shift+F opens the field; words there leave only documents that hold them."""
    window.actions_by_name.action("filter.documents").trigger()
    results = window.workspace.results
    qtbot.keyClicks(results.bar.field, "tomato")
    qtbot.waitUntil(lambda: bool(results.model.filters))
    documents = window.session.material.documents(results.documents())
    assert documents
    assert all("tomato" in f"{each.title} {each.body}".lower() for each in documents)


def test_escape_leaves_the_field_of_documents(qtbot, window):
    """Esc clears the words, hides the field and gives the list the keyboard."""
    results = window.workspace.results
    count = len(results.documents())
    window.actions_by_name.action("filter.documents").trigger()
    qtbot.keyClicks(results.bar.field, "zzz")
    qtbot.waitUntil(lambda: not results.documents())
    qtbot.keyClick(results.bar.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(results.documents()) == count)
    assert results.bar.isHidden()
    assert results.table.hasFocus()


def filter_documents(qtbot, window, typed):
    """Type into the filter of documents, and wait until it counts; return the list."""
    results = window.workspace.results
    window.actions_by_name.action("filter.documents").trigger()
    qtbot.keyClicks(results.bar.field, typed)
    qtbot.waitUntil(lambda: bool(results.model.filters))
    return results


@pytest.mark.parametrize("typed", ["zzz", "tomato"])
def test_after_a_filter_of_documents_one_is_where_one_was(qtbot, window, typed):
    """Esc leads back to the document that was current before, whether or not another matched."""
    window.workspace.results.set_current(4)
    before = window.view.judging.document
    results = filter_documents(qtbot, window, typed)
    assert window.view.judging.document != before
    qtbot.keyClick(results.bar.field, Qt.Key.Key_Escape)
    assert window.view.judging.document == before


def test_clearing_filters_leads_back_to_where_one_was(qtbot, window):
    """Ctrl+Shift+U as well."""
    window.workspace.results.set_current(4)
    before = window.view.judging.document
    filter_documents(qtbot, window, "grade:-1 ")
    window.actions_by_name.action("filter.clear").trigger()
    assert window.view.judging.document == before


def test_that_all_is_listed_is_said_no_longer_once_something_is_filtered(qtbot, window):
    """What was said of filters that were taken away is not true of the next."""
    filter_documents(qtbot, window, "grade:-1 ")
    window.actions_by_name.action("filter.clear").trigger()
    assert window.status.message.text == "Filters cleared: every query and document is listed."
    filter_documents(qtbot, window, "grade:-1 ")
    assert not window.status.message.text


def test_a_document_chosen_while_filtered_stays_current(qtbot, window):
    """Whoever goes to another document in the filtered list stays with it."""
    window.workspace.results.set_current(0)
    results = filter_documents(qtbot, window, "soup")
    results.set_current(len(results.documents()) - 1)
    chosen = window.view.judging.document
    qtbot.keyClick(results.bar.field, Qt.Key.Key_Escape)
    assert len(results.documents()) == results.model.n_all
    assert window.view.judging.document == chosen


def test_escape_leaves_the_field_of_a_chip_that_nothing_matches(qtbot, window):
    """The keyboard goes to the button that clears the filter; from it, to the cards."""
    results = filter_documents(qtbot, window, "grade:-1 ")
    qtbot.keyClick(results.bar.field, Qt.Key.Key_Escape)
    assert results.bar.chips == (Filter("grade", -1.0),)
    assert not results.bar.field.isVisible()
    assert QApplication.focusWidget() is results.empty.button
    qtbot.keyClick(results.empty.button, Qt.Key.Key_Space)
    assert QApplication.focusWidget() is results.table


def test_document_chips_hold_for_the_next_query(window):
    """A condition on documents stays when another query is shown."""
    results = window.workspace.results
    results.bar.set_chips([Filter("grade", 2.0)])
    window.view.judging.move_query_by(1)
    query = window.view.judging.query
    settled = window.session.board.settled(query)
    assert [settled[document].grade for document in results.documents()].count(2.0) == len(
        results.documents()
    )


def test_menu_offers_conditions_with_counts(window):
    """The menu of documents says how many each condition lets through."""
    window.session.execute(Say.flag(window.view.judging.query, window.view.judging.document, True))
    menu = window.workspace.results.bar.menu
    menu.aboutToShow.emit()
    entry = next(action for action in menu.actions() if action.objectName() == "is:flagged")
    assert entry.text() == "Flagged\t1"
    entry.trigger()
    assert window.workspace.results.documents() == [window.view.judging.document]


def test_filters_are_kept_as_a_view_and_undone(qtbot, window):
    """A saved view stands in the project and in both menus; undo takes it away."""
    window.session.execute(save_view("To discuss", [Filter("flagged"), Filter("disputed")]))
    menu = window.queries.bar.menu
    menu.aboutToShow.emit()
    entry = next(action for action in menu.actions() if action.text() == "To discuss")
    entry.trigger()
    assert window.queries.bar.chips == (Filter("flagged"), Filter("disputed"))
    window.view.judging.undo()
    assert saved_views(window.session) == {}


def test_filters_follow_the_name_of_a_run(qtbot, window):
    """Renamed and undone, what is filtered by a run lets through what it did."""
    run = next(run for run in window.session.material.runs if run.name == "chargrams")
    bars = (window.queries.bar, window.workspace.results.bar)
    for bar in bars:
        bar.add_chip(Filter("run", "chargrams"))
    before = window.queries.order(), window.workspace.results.documents()
    for change, name in (
        (lambda: rename_run(window.session, run.run_id, "by signs"), "by signs"),
        (window.view.judging.undo, "chargrams"),
    ):
        change()
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        assert [bar.chips for bar in bars] == [(Filter("run", name),)] * 2
        assert (window.queries.order(), window.workspace.results.documents()) == before


def test_save_as_view_stands_there_after_two(window):
    """One chip has no ‘Save as view’, two have."""
    bar = window.queries.bar
    bar.set_chips([Filter("flagged")])
    assert bar.row.save.isHidden()
    bar.set_chips([Filter("flagged"), Filter("noted")])
    assert not bar.row.save.isHidden()


def test_clearing_filters_by_key_gives_the_keyboard_back_to_the_list(qtbot, window):
    """Pressed while a filter is typed, it leaves the field: the next key acts on the list."""
    clear = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    results, queries = window.workspace.results, window.queries
    for panel, field in ((results, results.bar.field), (queries, queries.filter)):
        panel.focus_filter()
        qtbot.keyClicks(field, "soup")
        qtbot.waitUntil(lambda it=panel: it.bar.words == "soup")
        qtbot.keyClick(field, Qt.Key.Key_U, clear)
        assert QApplication.focusWidget() is panel.table


def test_clear_filters_by_key(window):
    """One key takes the filters of both lists away."""
    window.queries.bar.set_chips([Filter("flagged")])
    window.workspace.results.bar.set_chips([Filter("flagged")])
    window.actions_by_name.action("filter.clear").trigger()
    assert not window.queries.bar.is_active
    assert not window.workspace.results.bar.is_active
    assert window.workspace.results.documents()


def test_a_query_s_place_is_told_anew_when_the_filter_goes(qtbot, window):
    """The head over the document names it among all queries then, not among those that were found."""
    panel, n_all = window.queries, len(window.session.material.queries)
    type_into(qtbot, panel.filter, "soup")
    qtbot.waitUntil(lambda: len(panel.order()) < n_all)
    qtbot.keyClick(panel.filter, Qt.Key.Key_Down)
    clear = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_U, clear)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_V)
    place = panel.order().index(window.view.judging.query) + 1
    told = window.workspace.header.position
    qtbot.waitUntil(lambda: told.text == f"Query {place} of {n_all}")


def test_closing_a_project_forgets_its_filters(window):
    """Filters belong to the project that is open."""
    window.queries.bar.set_chips([Filter("by", "anna")])
    window.close_project()
    assert window.queries.bar.chips == ()


def test_blind_mode_takes_telling_filters_away(window):
    """Switching blind mode on drops chips that tell of runs, and the menus lack them."""
    window.workspace.results.bar.set_chips([Filter("run", "chargrams"), Filter("flagged")])
    window.actions_by_name.action("flow.blind").trigger()
    assert window.workspace.results.bar.chips == (Filter("flagged"),)
    menu = window.workspace.results.bar.menu
    menu.aboutToShow.emit()
    assert "Run" not in [action.text() for action in menu.actions()]


# Views under a name


def test_a_name_is_needed(qtbot, window):
    """Without a name a view cannot be saved; one that is taken is said to be replaced."""
    window.session.execute(save_view("Mine", [Filter("mine"), Filter("flagged")]))
    dialog = ViewNameDialog([Filter("flagged")], window.session)
    qtbot.addWidget(dialog)
    assert not dialog.verb.isEnabled()
    dialog.field.setText("  Mine ")
    assert dialog.answer == "Mine"
    assert dialog.verb.isEnabled()
    assert dialog.remark.text() == "This replaces the view ‘Mine’."


def test_a_view_is_chosen_for_one_of_the_lists(qtbot, window):
    """The dialog gives the chips of the view, and the list that they are for."""
    window.session.execute(save_view("A", [Filter("mine"), Filter("flagged")]))
    dialog = SavedViewsDialog(window.session, window.project_handler.execute)
    qtbot.addWidget(dialog)
    dialog.lists.by_name[False].setChecked(True)
    assert dialog.answer == ((Filter("mine"), Filter("flagged")), False)


def test_a_view_is_deleted_and_brought_back(qtbot, window):
    """Deleting is a step of its own, and can be undone."""
    window.session.execute(save_view("A", [Filter("mine"), Filter("flagged")]))
    dialog = SavedViewsDialog(window.session, window.project_handler.execute)
    qtbot.addWidget(dialog)
    dialog.delete.click()
    assert dialog.answer is None
    assert dialog.remark.text() == "No view is saved."
    window.view.judging.undo()
    assert list(saved_views(window.session)) == ["A"]


# Typing with help


def test_a_word_is_completed_and_becomes_a_chip(qtbot, window):
    """Choosing what is offered finishes the word, and the condition holds."""
    field = window.queries.filter
    type_into(qtbot, field, "is:fl")
    field.completer().activated.emit("is:flagged ")
    field.setText("is:flagged ")
    assert window.queries.bar.chips == (Filter("flagged"),)


def test_what_is_offered_can_be_read(qtbot, window):
    """Each row shows its words, in more shades than its ground."""
    field = window.queries.filter
    type_into(qtbot, field, "is:fl")
    offered = field.completer().offered
    qtbot.waitUntil(offered.isVisible)
    row = offered.visualRect(offered.model().index(0, 0))
    picture = offered.viewport().grab(row).toImage()
    line = range(picture.width())
    shades = {picture.pixel(x, y) for y in range(picture.height()) for x in line}
    assert len(shades) > 8


def test_only_the_last_word_is_completed(qtbot, window):
    """What stands before the word that is typed stays."""
    field = window.queries.filter
    type_into(qtbot, field, "soup is:fl")
    completer = field.completer()
    assert completer.pathFromIndex(completer.completionModel().index(0, 0)) == "soup is:flagged "


# Chips in lines


@pytest.mark.parametrize("width", [120, 200, 600])
def test_chips_go_on_in_the_next_line(qtbot, width):
    """No chip stands outside the row, and none lies on another."""
    row = ChipRow()
    qtbot.addWidget(row)
    row.set_chips([ChipText(f"A condition {number}", number) for number in range(7)])
    row.resize(width, row.heightForWidth(width))
    row.show()
    places = [pill.geometry() for pill in row.pills]
    assert all(row.rect().contains(place) for place in places)
    assert not any(
        first.intersects(second) for at, first in enumerate(places) for second in places[:at]
    )


@pytest.mark.parametrize("size", [(1440, 900), (1000, 640)])
@pytest.mark.parametrize("is_for_queries", [True, False])
def test_what_filters_is_seen_on_every_line(qtbot, window, is_for_queries, size):
    """All chips and ‘Save as view’ are seen whole, in front of both lists, and can be clicked."""
    window.resize(*size)
    panel = window.queries if is_for_queries else window.workspace.results
    window.actions_by_name.action("edit.filter" if is_for_queries else "filter.documents").trigger()
    qtbot.keyClicks(panel.bar.field, "-is:flagged -soup -grade:0 ")
    parts = [*panel.bar.row.pills, panel.bar.row.save]
    qtbot.waitUntil(
        lambda: all(each.visibleRegion().boundingRect() == each.rect() for each in parts)
    )
    assert len({each.y() for each in parts}) > 1
    qtbot.mouseClick(panel.bar.row.pills[2], LEFT)
    assert [type_chip(chip) for chip in panel.bar.chips] == ["-is:flagged", "-soup"]


def test_more_chips_than_a_low_window_has_lines_for_scroll(qtbot, window):
    """What was typed last is seen, Tab brings each of the others there, and rows of the list stay."""
    window.resize(1440, 500)
    type_into(qtbot, window.queries.filter, "".join(f"-longish{n:02} " for n in range(20)))
    pills = window.queries.bar.row.pills
    qtbot.waitUntil(lambda: pills[-1].visibleRegion().boundingRect() == pills[-1].rect())
    assert pills[0].visibleRegion().isEmpty()
    assert window.queries.table.viewport().height() > 40
    qtbot.keyClick(window.queries.filter, Qt.Key.Key_Tab)
    while not pills[0].hasFocus():
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert pills[0].visibleRegion().boundingRect() == pills[0].rect()


def test_a_chip_with_too_little_room_gives_some_of_its_words(qtbot):
    """How many it lets through, and the cross after it, are seen at every width."""
    host, row = QWidget(), ChipRow()
    qtbot.addWidget(host)
    row.setParent(host)
    row.set_chips([ChipText("Not: Relevant", 1234)])
    (pill,) = row.pills
    width = pill.sizeHint().width() - 20
    row.resize(width, row.heightForWidth(width))
    host.show()
    (line,) = lines_painted(pill)
    assert line.startswith("Not:R")
    assert line.endswith("…1,234")


def test_a_long_condition_makes_no_wide_chip(qtbot):
    """A chip stays narrower than the list of queries; all of it stands in the tooltip."""
    row = ChipRow()
    qtbot.addWidget(row)
    text = "“" + "word " * 200 + "”"
    row.set_chips([ChipText(text)])
    (pill,) = row.pills
    assert pill.sizeHint().width() < 240
    assert text.strip("“”").strip() in " ".join(pill.toolTip().split())


def test_the_key_stands_where_the_field_ends(qtbot, window):
    """In a window that turns to run from right to left the key goes to the left end of the field."""
    field = window.queries.bar.field
    cap = field.findChild(KeyCap)
    for direction in (Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight):
        window.setLayoutDirection(direction)
        is_left = direction is Qt.LayoutDirection.RightToLeft
        qtbot.waitUntil(
            lambda is_left=is_left: (cap.geometry().center().x() < field.width() / 2) == is_left
        )


LANGUAGES = ("ar", "yo", "ar", "tr")


@pytest.fixture
def with_fields(qtbot, tmp_path):
    """The window on four queries with a language each, and a category."""
    queries = [
        Query(
            f"q{n}", f"soup {n}", category="Coğrafya" if n % 2 else "Tarih", fields={"lang": each}
        )
        for n, each in enumerate(LANGUAGES)
    ]
    runs = {"alpha": {query.id: ["d1", "d2"] for query in queries}}
    path = tmp_path / "small.judge"
    make_project(tmp_path, Parts(queries, [Document("d1", "Soup"), Document("d2")], runs)).close()
    with opened_window(qtbot, path) as window:
        yield window


@pytest.mark.parametrize(
    ("typed", "said", "shown"),
    [
        ("lang=ar ", ["lang ar"], [0, 2]),
        ("-lang=yo ", ["Not: lang yo"], [0, 2, 3]),
        ("LANG=AR -category:TARİH ", ["lang AR", "Not: Category TARİH"], []),
        ("lang=ar lang=tr soup ", ["lang ar", "lang tr"], [0, 2, 3]),
        ("category:COĞRAFYA ", ["Category COĞRAFYA"], [1, 3]),
    ],
)
def test_a_field_and_its_content_is_a_condition(qtbot, with_fields, typed, said, shown):
    """In the list’s filter as after ``--where``, also what it is not to be; whatever the case."""
    panel = with_fields.queries
    panel.filter.setFocus()
    for sign in typed:
        # QTest types no letters that are not ASCII.
        panel.filter.insert(sign)
    qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
    assert [describe_chip(chip) for chip in panel.bar.chips] == said
    assert sorted(panel.model.shown) == shown
    if shown:
        kept = queries_where(with_fields.session, typed)
        assert [number for number, is_kept in enumerate(kept) if is_kept] == shown
    with_fields.session.execute(save_view("mine", panel.bar.chips))
    assert saved_views(with_fields.session)["mine"] == panel.bar.chips


def test_the_menu_and_the_field_offer_fields(qtbot, with_fields):
    """Each field has a menu of its contents, of which one takes the place of another; typing completes them."""
    bar = with_fields.queries.bar
    bar.fill_menu(None)
    menus = {action.text(): action.menu() for action in bar.menu.actions() if action.menu()}
    names = [action.objectName() for action in menus["lang"].actions()]
    assert names == ["lang=ar", "lang=tr", "lang=yo"]
    menus["lang"].actions()[0].trigger()
    assert sorted(with_fields.queries.model.shown) == [0, 2]
    bar.fill_menu(None)
    menus = {action.text(): action.menu() for action in bar.menu.actions() if action.menu()}
    menus["lang"].actions()[2].trigger()
    assert bar.chips == (Filter("field", "lang=yo"),)
    assert "lang=tr" in completions(with_fields.session)
