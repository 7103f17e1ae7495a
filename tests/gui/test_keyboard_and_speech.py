"""Tab goes through everything and out again; a screen reader is told what a key has done."""

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QTabWidget,
    QToolButton,
    QWidget,
)

from judgetool.core.judgments import Query
from judgetool.gui.actions import Mode
from judgetool.gui.charts import ChartView
from judgetool.gui.dialogs.finding import Goal, GoToDialog
from judgetool.gui.widgets.banner import BannerText
from judgetool.gui.widgets.labels import PieceView
from judgetool.session.commands import Changed
from judgetool.session.imports.importing import import_readings
from tests.gui.everywhere import each_part, look_at_dialogs
from tests.gui.window_fixtures import (
    CTRL,
    banner_answers,
    listening,
    opened_window,
    press,
    shown_means,
    window_on_sample,
)
from tests.helpers.builders import Parts, make_readings, open_made, simple_parts

NAME = QAccessible.Text.Name
_PARTS = np.arange(256) / 255
_LINEAR = np.where(_PARTS <= 0.04045, _PARTS / 12.92, ((_PARTS + 0.055) / 1.055) ** 2.4)
"""How light a colour's part of 0 to 255 is."""


@pytest.fixture
def window(qtbot, tmp_path):
    """The window on the bundled sample."""
    with window_on_sample(qtbot, tmp_path) as shown:
        yield shown


@pytest.fixture
def said(window):
    """What was announced to a screen reader, which is listening."""
    before, texts = QAccessible.isActive(), []
    QAccessible.setActive(True)
    window.announcer.said.connect(texts.append)
    yield texts
    QAccessible.setActive(before)


def stops(window):
    """Return everything that Tab should reach."""
    wants = Qt.FocusPolicy.TabFocus
    found = (w for w in window.findChildren(QWidget) if w.isVisible() and w.isEnabled())
    # Of a field of numbers or choices the field itself has the keyboard, not the line in it;
    # of pages with tabs, the tabs.
    found = (w for w in found if not isinstance(w.parent(), QAbstractSpinBox | QComboBox))
    found = (w for w in found if not isinstance(w, QTabWidget))
    return {w for w in found if w.focusPolicy() & wants and w.window() is window}


def unreached_stops(qtbot, window):
    """Return what Tab, or Shift+Tab, does not reach on its way round; both come round.

    Of a group of buttons only the chosen one is a stop; arrows go through the others.
    """
    missed = set()
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        reached = []
        while QApplication.focusWidget() not in reached:
            reached.append(QApplication.focusWidget())
            qtbot.keyClick(QApplication.focusWidget(), key)
        assert QApplication.focusWidget() is reached[0]
        groups = {each.group() for each in reached if isinstance(each, QAbstractButton)} - {None}
        wanted = stops(window) - set(reached)
        missed |= {
            each
            for each in wanted
            if not (isinstance(each, QAbstractButton) and each.group() in groups)
        }
    return missed


def test_tab_reaches_everything_and_comes_round_both_ways(qtbot, window):
    """In every view and part of one each stop is reached, and then the first one again."""
    parts = each_part(window, qtbot.waitUntil)
    missed = {part: unreached_stops(qtbot, window) for part in parts}
    assert {part: found for part, found in missed.items() if found} == {}


def test_tab_goes_round_where_no_project_was_ever_open(qtbot):
    """The list of recent projects is empty then, and holds nobody."""
    with opened_window(qtbot) as shown:
        shown.welcome.set_recent([])
        assert unreached_stops(qtbot, shown) == set()


def test_combo_boxes_say_their_names(qtbot, window):
    """Beside its value each has a label that names it, in every view."""
    for mode in Mode:
        window.views.show(mode)
        boxes = [box for box in window.findChildren(QComboBox) if box.isVisible()]
        for box in boxes:
            related = QAccessible.queryAccessibleInterface(box).relations()
            names = [each.text(NAME) for each, _ in related]
            assert box.accessibleName() in names, mode


def test_a_grade_is_announced_with_what_it_did_and_what_comes_next(qtbot, window, said):
    """Grade, saved, the first value before and after, and the next document: once."""
    model = window.workspace.results.model
    window.view.judging.show_query(0)
    qtbot.waitUntil(lambda: bool(said))
    said.clear()
    press(qtbot, window, "0")
    qtbot.waitUntil(lambda: bool(said))
    following = model.index(window.workspace.results.current_place(), 0)
    assert len(said) == 1
    assert "Saved." in said[0]
    assert "nDCG@10 0.7578 to " in said[0]
    assert said[0].endswith(f"{following.data(Qt.ItemDataRole.AccessibleTextRole)}.")


def test_the_row_before_is_said_after_a_grade(qtbot, tmp_path):
    """A reader still takes itself to be there: it would say nothing where the row alone is told."""
    with open_made(tmp_path, simple_parts()) as session:
        path = session.path
    with listening() as texts, opened_window(qtbot, path) as window:
        window.queries.table.setFocus()
        window.workspace.results.table.setFocus()
        qtbot.waitUntil(lambda: any(" left." in each for each in texts))
        assert not any("List view." in each for each in texts)
        press(qtbot, window, "0")
        qtbot.waitUntil(lambda: any("Rank 2, " in each for each in texts))
        del texts[:]
        press(qtbot, window, "k")
        qtbot.waitUntil(lambda: bool(texts))
    assert texts[0].startswith("Rank 1, ")


def test_a_grade_does_not_say_its_query_again(qtbot, window, said):
    """It was said when it came; Undo, which may lead to another, names it."""
    window.view.judging.show_query(0)
    qtbot.waitUntil(lambda: bool(said))
    said.clear()
    query = window.session.material.name_query(0)
    press(qtbot, window, "0")
    qtbot.waitUntil(lambda: bool(said))
    assert re.match(r"Grade 0 for ‘[^’]*’\. Saved\.", said[0])
    assert query not in said[0]
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: any(f", {query}. The undo is saved." in each for each in said))


@pytest.mark.parametrize(("which", "least", "most"), [("none", 0, 0), ("all", 2, 40)])
def test_who_listens_chooses_which_values_are_said(qtbot, window, said, which, least, most):
    """None, or all that a grade has changed, each once."""
    window.take_preferences({"spoken_values": which})
    window.view.judging.show_query(0)
    qtbot.waitUntil(lambda: bool(said))
    said.clear()
    press(qtbot, window, "0")
    qtbot.waitUntil(lambda: any("Saved." in each for each in said))
    assert least <= said[0].count(" to 0.") <= most


def test_what_is_asked_below_is_announced(qtbot, window, said):
    """The question that stands in the grade bar's place, not its answers alone."""
    window.workspace.grade_bar.show_banner(BannerText("warn", "Grade 2 for 5 documents?"))
    qtbot.waitUntil(lambda: said == ["Grade 2 for 5 documents?"])
    window.workspace.grade_bar.hide_banner()


def test_what_is_painted_has_a_role(window):
    """Texts are labels, charts are charts, to whoever walks the window without seeing it."""
    roles = QAccessible.Role
    for kind, role in ((PieceView, roles.StaticText), (ChartView, roles.Chart)):
        for each in window.findChildren(kind):
            assert QAccessible.queryAccessibleInterface(each).role() is role


def test_the_first_grade_is_announced_with_its_value(qtbot, window, request):
    """Also where a screen reader began to listen after the query was shown."""
    window.view.judging.show_query(0)
    said = request.getfixturevalue("said")
    press(qtbot, window, "0")
    qtbot.waitUntil(lambda: bool(said))
    assert "Saved. nDCG@10 0.7578 to " in said[0]


def test_who_judges_blind_hears_no_value(qtbot, window, said):
    """That a grade is saved is announced; what it makes of a value stays hidden."""
    window.view.judging.show_query(0)
    press(qtbot, window, "b")
    qtbot.waitUntil(lambda: bool(said))
    said.clear()
    press(qtbot, window, "0")
    qtbot.waitUntil(lambda: any("Saved." in each for each in said))
    assert "nDCG" not in " ".join(said)


def test_the_end_of_an_import_is_announced(qtbot, window, said):
    """What has come in is heard, as everything that is saved."""
    window.session.changed.emit(Changed("do", "import", "Import of 3 queries", is_material=True))
    qtbot.waitUntil(lambda: any("Import of 3 queries. Saved." in text for text in said))


def test_moving_in_focus_is_announced(qtbot, window, said):
    """J says the next document, ] the next query's text."""
    window.views.show(Mode.FOCUS)
    for key, heard in (("j", "not judged"), ("]", "Query: ")):
        said.clear()
        qtbot.keyClick(window.workspace.document.text, key)
        qtbot.waitUntil(lambda: bool(said))
        assert len(said) == 1
        assert heard in said[0] or "grade" in said[0]


def test_no_run_is_announced_where_none_is_left(qtbot, tmp_path):
    """It said ‘Run: .’ after the only run had been taken back."""
    parts = Parts(queries=[Query("q", "soup")], runs={})
    with open_made(tmp_path, parts) as session:
        path = session.path
        add = Parts(runs={"alpha": {"q": ["a", "b"]}})
        import_readings(session, make_readings(add))
    before, texts = QAccessible.isActive(), []
    with opened_window(qtbot, path) as window:
        QAccessible.setActive(True)
        window.announcer.said.connect(texts.append)
        press(qtbot, window, Qt.Key.Key_Z, CTRL)
        banner_answers(window)["Undo the import"].click()
        qtbot.waitUntil(lambda: any("Undone: " in each for each in texts))
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        QAccessible.setActive(before)
    assert not any("Run: ." in each for each in texts)


def test_undo_is_announced(qtbot, window, said):
    """What was taken back is said."""
    press(qtbot, window, "1")
    qtbot.waitUntil(lambda: bool(said))
    said.clear()
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: bool(said))
    assert said[0].startswith("Undone: ")


def test_views_blind_mode_and_assessor_are_in_the_accessible_tree(window):
    """A screen reader that walks the window meets the switch, Blind and who judges."""
    names, waiting = set(), [QAccessible.queryAccessibleInterface(window)]
    while waiting:
        found = waiting.pop()
        names.add(found.text(NAME))
        waiting += [found.child(place) for place in range(found.childCount())]
    assert {"List", "Focus", "What-if", "Compare"} <= names
    assert {"Blind mode is off", "Assessor: anna"} <= names


def test_tooltips_are_read_without_markup(window):
    """No description holds signs of markup."""
    for widget in window.findChildren(QWidget):
        assert "<span>" not in widget.toolTip()


def test_a_message_is_announced_and_no_sentence_twice(qtbot, window, said):
    """What a key could not do is heard; an undo, which two places tell, is heard once."""
    press(qtbot, window, Qt.Key.Key_U, CTRL | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: said == ["There is no filter."])
    press(qtbot, window, "1")
    qtbot.waitUntil(lambda: len(said) == 2)
    press(qtbot, window, Qt.Key.Key_Z, CTRL)
    qtbot.waitUntil(lambda: len(said) == 3)
    assert said[2].casefold().count("undone") == 1


def test_another_tooltip_is_told_to_readers(qtbot, window, monkeypatch):
    """It is the description, which they keep until they hear that it changed."""
    told = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        QAccessible,
        "updateAccessibility",
        lambda event: told.append((event.type(), event.object())),
    )
    window.view.judging.move_query_by(1)
    pill = window.workspace.results.tools.unjudged
    qtbot.waitUntil(lambda: (QAccessible.Event.DescriptionChanged, pill) in told)


def test_the_choice_of_go_to_is_said_while_the_field_keeps_the_keyboard(qtbot):
    """Typing and arrows say what Enter would do."""
    goals = [Goal(name, "query", lambda: None) for name in ("beef", "beans", "rice")]
    dialog, told = GoToDialog("Go to", "Text", goals), []
    qtbot.addWidget(dialog)
    dialog.told.connect(told.append)
    dialog.show()
    qtbot.keyClicks(dialog.field, "be")
    qtbot.waitUntil(lambda: bool(told))
    qtbot.keyClick(dialog.field, Qt.Key.Key_Down)
    qtbot.keyClicks(dialog.field, "xyz")
    qtbot.waitUntil(lambda: told[-1] == "Nothing is called so.")
    qtbot.keyClicks(dialog.field, "\b\b\b")
    qtbot.waitUntil(lambda: told[-1] == "beef, query, 1 of 2")
    # Once typing rests, and not for each letter; arrows are answered at once.
    assert told[:3] == ["beef, query, 1 of 2", "beans, query, 2 of 2", "Nothing is called so."]
    assert len(told) == 4


def test_a_value_says_its_run(qtbot, window):
    """Along a row of the comparison nothing else says whose value is read."""
    window.views.show(Mode.COMPARE)
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    model = window.views.page(Mode.COMPARE).table.model()
    for row, shown in enumerate(model.rows):
        name = shown.system.name
        window.views.page(Mode.COMPARE).table.setCurrentIndex(model.index(row, 1))
        said = model.index(row, 1).data(Qt.ItemDataRole.AccessibleTextRole)
        assert said.startswith(f"{name}, P@5 ")


def test_a_long_name_says_that_it_is_cut(tmp_path):
    """What the status line and readers say of a long title ends in …, not in the middle."""
    parts = simple_parts(n_queries=1, n_documents=1)
    parts.documents[0] = replace(parts.documents[0], title="A name of many words " * 9)
    with open_made(tmp_path, parts) as session:
        run = session.material.runs[0].run_id
        document = int(session.material.ranked_documents(run, 0)[0])
        name = session.material.name_document(document)
    assert name.endswith("…’")
    assert len(name) <= 62


def test_tab_into_the_document_is_seen(qtbot, window):
    """The document has a ring while Tab has led there, and none once it leads on."""
    table, text = window.workspace.results.table, window.workspace.document.text
    table.setFocus()
    before = text.grab().toImage()
    while not text.hasFocus():
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert text.has_ring
    assert text.grab().toImage() != before
    qtbot.keyClick(text, Qt.Key.Key_Tab)
    assert not text.has_ring


def test_a_row_that_the_keyboard_goes_to_is_said_by_itself_alone(qtbot, window, said):
    """J in the list moves the keyboard, which a reader follows; no announcement doubles it."""
    window.view.judging.show_query(0)
    qtbot.waitUntil(lambda: bool(said))
    said.clear()
    table = window.workspace.results.table
    before = table.currentIndex().row()
    press(qtbot, window, "j")
    qtbot.waitUntil(lambda: table.currentIndex().row() != before)
    press(qtbot, window, Qt.Key.Key_U, CTRL | Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: bool(said))
    assert len(said) == 1
    assert "There is no filter." in said[0]


def test_another_run_is_said_by_its_name(qtbot, window, said):
    """R says whose ranking is shown now."""
    press(qtbot, window, "r")
    qtbot.waitUntil(lambda: bool(said))
    assert said[0].startswith(f"Run: {window.view.judging.run_name}.")


def test_a_switch_says_what_it_is_now(qtbot, window, said):
    """H, which changes colours alone, is heard."""
    press(qtbot, window, "h")
    qtbot.waitUntil(lambda: said == ["Mark query terms: off."])
    press(qtbot, window, "h")
    qtbot.waitUntil(lambda: said[1:] == ["Mark query terms: on."])


def test_another_view_says_nothing_of_the_list_that_it_hides(qtbot, window, said):
    """In the comparison a query is said without a rank that nobody sees."""
    window.views.show(Mode.COMPARE)
    qtbot.waitUntil(lambda: "Compare view." in said)
    said.clear()
    window.view.judging.move_query_by(1)
    qtbot.waitUntil(lambda: bool(said))
    assert said[0].startswith("Query: ")
    assert "Rank" not in said[0]


def test_a_selected_sentence_is_said(qtbot, window, monkeypatch):
    """T selects in the document while the keyboard is in the list."""
    told = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        QAccessible,
        "updateAccessibility",
        lambda event: told.append(event.message() if hasattr(event, "message") else ""),
    )
    text = window.workspace.document.text
    press(qtbot, window, "t")
    qtbot.waitUntil(lambda: any(each.startswith("Selected: ") for each in told))
    selected = " ".join(text.textCursor().selectedText().splitlines())
    assert f"Selected: {selected}" in told


def test_the_explanation_can_be_asked_for_in_a_low_window(qtbot, window):
    """It is left out for want of room; its key brings it, and folds it again."""
    explain = window.live.explain
    window.resize(1366, 700)
    qtbot.waitUntil(explain.isHidden)
    press(qtbot, window, "=")
    qtbot.waitUntil(explain.body.isVisible)
    qtbot.waitUntil(lambda: bool(window.live.explain_table.as_table()))
    assert window.actions_by_name.action("view.explain").isChecked()
    window.views.show(Mode.FOCUS)
    window.views.show(Mode.LIST)
    qtbot.waitUntil(explain.body.isVisible)
    press(qtbot, window, "=")
    qtbot.waitUntil(lambda: not explain.body.isVisible())
    assert not window.actions_by_name.action("view.explain").isChecked()


@pytest.fixture
def rows_told(monkeypatch):
    """Which lists a reader was told to say the current row of, and what it was told besides."""
    told = []

    def note(event):
        is_row = event.type() == QAccessible.Event.Focus and event.child() >= 0
        told.append(event.object() if is_row else getattr(event, "message", lambda: "")())

    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", note)
    return told


def test_the_current_row_is_said_where_the_keyboard_comes(qtbot, window, rows_told):
    """Not the list alone: in the list of queries, the values and the runs compared."""
    window.views.show(Mode.COMPARE)
    compared = window.views.page(Mode.COMPARE).table
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    for table in (compared, window.queries.table, window.live.values.rows):
        window.views.show(Mode.COMPARE if table is compared else Mode.LIST)
        window.top_line.switch.setFocus()
        table.setFocus()
        qtbot.waitUntil(lambda told=table: told in rows_told)


def test_a_grade_is_heard_before_the_row_that_it_leads_to(qtbot, window, rows_told):
    """The announcement ends with that row; the list does not say it once more."""
    table = window.workspace.results.table
    for key in (
        "1",
        "2",
    ):  # the first one may fall into what is told of a window that has just come
        rows_told.clear()
        press(qtbot, window, key)
        qtbot.waitUntil(lambda: any("Saved." in str(each) for each in rows_told))
    press(qtbot, window, "j")
    qtbot.waitUntil(lambda: table in rows_told)
    assert "Saved." in next(each for each in rows_told if each)
    assert rows_told.count(table) == 1


def test_a_filter_is_said_once_typing_rests(qtbot, window, said):
    """Not with each letter, of which nearly every one leaves another count."""
    qtbot.keyClicks(window.queries.filter, "soup")
    qtbot.waitUntil(lambda: bool(said))
    assert said == [f"{len(window.queries.order())} of 20 queries."]


def test_the_theme_is_said(qtbot, window, said):
    """As the contrast is."""
    press(qtbot, window, Qt.Key.Key_D, CTRL)
    qtbot.waitUntil(lambda: said == ["Colours: dark."])
    press(qtbot, window, Qt.Key.Key_D, CTRL)
    qtbot.waitUntil(lambda: said[1:] == ["Colours: light."])


def test_a_query_that_asks_has_no_full_stop_behind_its_question_mark(qtbot, tmp_path):
    """Its own end is one; so is an ellipsis."""
    parts = Parts(
        [Query("q", "Which soup?"), Query("p", "Which bread? …")],
        [],
        {"run": {"q": ["d"], "p": ["d"]}},
    )
    open_made(tmp_path, parts).close()
    with listening() as texts, opened_window(qtbot, tmp_path / "small.judge") as window:
        qtbot.waitUntil(lambda: any("Query: Which soup? " in each for each in texts))
        press(qtbot, window, "]")
        qtbot.waitUntil(lambda: any("Query: Which bread? …" in each for each in texts))
    assert not any("?." in each or "…." in each for each in texts)


def test_f10_opens_the_first_menu_with_its_first_entry(qtbot, window):
    """As desktops have it; Shift+F10 likewise that of a card."""
    table = window.workspace.results.table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_F10)
    assert QApplication.activePopupWidget().activeAction().text().replace("&", "") == "New…"
    qtbot.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
    qtbot.keyClick(window.menuBar(), Qt.Key.Key_Escape)
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert menu.activeAction() is menu.actions()[0]
    menu.close()


def test_who_judges_is_called_as_it_is_seen_where_nobody_does(qtbot, window):
    """The button asks, and its name too."""
    button = window.assessor_button
    assert button.accessibleName() == "Assessor: anna"
    with opened_window(qtbot, assessor="") as other:
        button = other.assessor_button
        assert button.accessibleName() == button.text() == "Who judges?"


@pytest.fixture
def met(qapp):
    """Whatever gets the keyboard from now on."""
    found = []

    def note(_old, new):
        if new is not None:
            found.append(new)

    qapp.focusChanged.connect(note)
    yield found
    qapp.focusChanged.disconnect(note)


def test_another_assessor_leads_the_keyboard_through_nothing_else(qtbot, window, met):
    """Neither through what goes nor through the start page."""
    table = window.workspace.results.table
    table.setFocus()
    met.clear()
    window.judge_handler.take_assessor("zoe")
    assert window.session.assessor == "zoe"
    assert set(met) <= {table}
    assert table.hasFocus()


def test_what_is_found_gives_the_keyboard_back_at_once(qtbot, window, met):
    """Esc in the field that finds passes no button on the way."""
    table = window.workspace.results.table
    table.setFocus()
    press(qtbot, window, Qt.Key.Key_F, CTRL)
    met.clear()
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    assert met == [table]


def test_filters_and_orders_say_how_many_are_left(qtbot, window, said):
    """Typing, a pill, unjudged documents alone, and an order that makes groups."""
    queries, results = window.queries, window.workspace.results
    qtbot.keyClicks(queries.filter, "soup")
    qtbot.waitUntil(lambda: f"{len(queries.order())} of 20 queries." in " ".join(said))
    qtbot.keyClicks(queries.filter, "xyz")
    qtbot.waitUntil(lambda: "No query matches “soupxyz”." in " ".join(said))
    queries.show_all()
    qtbot.waitUntil(lambda: "20 of 20 queries." in " ".join(said))
    results.tools.unjudged.click()
    left = f"{len(results.documents())} of {results.model.n_all} documents."
    qtbot.waitUntil(lambda: left in " ".join(said))


def test_tab_stays_on_the_page_of_keys(qtbot, window, said):
    """Tab goes round its field, its keys, its sets and its button; what was found is said."""
    press(qtbot, window, "?")
    field = QApplication.focusWidget()
    reached = [field]
    for _ in range(4):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    names = [each.accessibleName() or each.text() for each in reached]
    assert names == ["Find an action", "Keys", "Set of keys", "Change keys…", "Find an action"]
    qtbot.keyClick(field, Qt.Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is reached[3]


def test_keys_do_nothing_under_the_page_of_keys(qtbot, window):
    """On its button a digit grades no document that cannot be seen, and Esc still closes."""
    before, said = window.view.judging.own_judgment, []
    window.session.changed.connect(said.append)
    press(qtbot, window, "?")
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Backtab)
    button = QApplication.focusWidget()
    qtbot.keyClick(button, "2")
    qtbot.keyClick(button, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is window.workspace.results.table
    assert (window.view.judging.own_judgment, said) == (before, [])


def test_signs_in_fields_have_names(window):
    """The magnifier of a search, and the button that clears one."""
    for field in window.findChildren(QLineEdit):
        for sign in field.findChildren(QToolButton):
            assert QAccessible.queryAccessibleInterface(sign).text(NAME) in ("Search", "Clear")


def test_another_view_leaves_nothing_else_with_the_keyboard(qtbot, window):
    """Only what the view begins with gets it; nothing on the way there is said."""
    reached = []

    def note(_old, new):
        reached.append(new)

    QApplication.instance().focusChanged.connect(note)
    for mode in (Mode.WHATIF, Mode.COMPARE, Mode.AGREEMENT, Mode.LIST, Mode.FOCUS, Mode.LIST):
        reached.clear()
        window.views.show(mode)
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        assert len([each for each in reached if each is not None]) == 1
    QApplication.instance().focusChanged.disconnect(note)


def test_every_stop_has_a_name(qtbot, window):
    """Whatever Tab reaches in a view says what it is called, by itself or by its label."""
    for mode in Mode:
        window.views.show(mode)
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        assert nameless_stops(window) == [], mode
        named = [QAccessible.queryAccessibleInterface(stop).text(NAME) for stop in stops(window)]
        assert window.windowTitle() not in named, mode


def test_every_stop_shows_that_the_keyboard_is_there(qtbot, window):
    """Some part of it, about a short edge, changes by 3:1 when the keyboard comes, in every view."""
    switch, unseen = window.top_line.switch, []
    for mode in Mode:
        window.views.show(mode)
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        seen = stops(window) - {switch}
        unseen += [(mode, stop) for stop in seen if not shows_keyboard(stop, {switch})]
    assert unseen == []


def nameless_stops(window):
    """Return what Tab reaches and neither has a name nor a label."""

    def names(stop):
        heard = QAccessible.queryAccessibleInterface(stop)
        return [heard.text(NAME), *(each.text(NAME) for each, _ in heard.relations())]

    return [stop for stop in stops(window) if not any(names(stop))]


def shows_keyboard(stop, others):
    """Whether a stop looks otherwise with the keyboard than with it at one of others."""
    if stop.size().isEmpty():  # nothing of it is seen, as of a field in a list that is made anew
        return True
    stop.clearFocus()
    for other in others:
        other.setFocus()
        if other.hasFocus():
            break
    own, on_ground = _looks(stop)
    stop.setFocus(Qt.FocusReason.TabFocusReason)
    own_after, on_ground_after = _looks(stop)
    has_ground = on_ground is not None and on_ground_after is not None
    before, after = (on_ground, on_ground_after) if has_ground else (own, own_after)
    lighter, darker = np.maximum(before, after), np.minimum(before, after)
    n_changed = int(((lighter + 0.05) / (darker + 0.05) >= 3).sum())
    return n_changed >= 40 or not stop.hasFocus()


def _looks(widget):
    """Return how light a widget is, alone and on the ground that it stands on.

    The latter is ``None`` where not all of it is in sight.
    """
    place = QRect(widget.mapTo(widget.window(), QPoint()), widget.size())
    is_seen = widget.visibleRegion().boundingRect() == widget.rect()
    return _luminance(widget.grab()), _luminance(widget.window().grab(place)) if is_seen else None


def _luminance(picture):
    """Return how light each pixel of a picture is, 0 to 1, as contrasts are reckoned."""
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
    return _LINEAR[raw[:, : image.width(), :3]] @ np.array([0.0722, 0.7152, 0.2126])


def test_levels_and_guidelines_are_said_in_focus(qtbot, window):
    """There they stand beside the document: their keys bring them into view, and are heard."""
    window.views.show(Mode.FOCUS)
    qtbot.waitUntil(lambda: window.has_focus_side)
    with listening() as said:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_D)
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_G)
    guidelines = window.workspace.side.guidelines.toPlainText()
    assert any(each.startswith("3 ") and " 0 " in each for each in said)
    assert guidelines in said


def test_a_mean_that_changes_alone_is_announced(qtbot, window, said):
    """A query in which the run found nothing has no value, and counts in the mean all the same."""
    queries = [query.text for query in window.session.material.queries]
    window.view.judging.show_query(queries.index("crème brûlée"))
    qtbot.waitUntil(lambda: bool(said))
    before = shown_means(window)["nDCG@10"]
    for key, modifier in (("0", Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Z, CTRL)):
        said.clear()
        press(qtbot, window, key, modifier)
        qtbot.waitUntil(lambda: bool(said))
        now = shown_means(window)["nDCG@10"]
        assert now != before
        assert f"queries: nDCG@10 {before} to {now}." in said[0]
        before = now


def test_a_grade_in_another_query_announces_the_mean(qtbot, window, said):
    """What is settled is seldom of the query that the live values are of."""
    window.views.show(Mode.SETTLE)
    page = window.views.page(Mode.SETTLE)
    qtbot.waitUntil(lambda: page.dispute is not None and bool(said))
    before = shown_means(window)["nDCG@10"]
    said.clear()
    qtbot.keyClick(QApplication.focusWidget(), "0")
    qtbot.waitUntil(lambda: any("Settled: " in each for each in said))
    told = f"queries: nDCG@10 {before} to {shown_means(window)['nDCG@10']}."
    assert told in " ".join(said)


def test_the_mean_is_not_announced_beside_the_value(qtbot, window, said):
    """Of a grade that changes the value of its query that is said, as ever."""
    window.view.judging.show_query(0)
    qtbot.waitUntil(lambda: bool(said))
    said.clear()
    press(qtbot, window, "0")
    qtbot.waitUntil(lambda: bool(said))
    assert "nDCG@10 0.7578 to " in said[0]
    assert "Mean of" not in said[0]


def test_a_project_that_opens_says_its_query_and_how_much_is_left(qtbot, tmp_path):
    """Once, with no key: the list says its row alone."""
    with listening() as told, window_on_sample(qtbot, tmp_path) as shown:
        qtbot.waitUntil(lambda: bool(told))
        query = shown.session.material.queries[shown.view.judging.query]
        assert f"Query: {query.text}. {shown.view.status.counts}" in told[0]
        assert " left." in told[0]
        press(qtbot, shown, "r")
        qtbot.waitUntil(lambda: any("Run: " in each for each in told))
        assert sum(" left." in each for each in told) == 1


def descriptions_that_repeat(root):
    """Return what a reader hears twice of what is seen in a window: name, and description."""
    found = set()
    for each in root.findChildren(QWidget):
        if not each.isVisible():
            continue
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isEnabled():
            each.setFocus()
        heard = QAccessible.queryAccessibleInterface(each)
        names = [heard.text(NAME), *(label.text(NAME) for label, _ in heard.relations())]
        told = heard.text(QAccessible.Text.Description)
        if told.strip() and any(repeats(told, name) for name in names if name):
            found.add((type(each).__name__, *names, told))
    return found


def repeats(told, name):
    """Whether a description is the name, or the name and something that is set apart from it."""
    rest = " ".join(told.split()).removeprefix(" ".join(name.split()))
    return rest == "" or (rest != " ".join(told.split()) and not rest.strip()[0].isalnum())


def test_nothing_in_a_view_is_said_twice(qtbot, window, said):
    """Qt describes a control by its tooltip, which has the name of most."""
    parts = each_part(window, qtbot.waitUntil)
    twice = {part: descriptions_that_repeat(window) for part in parts}
    assert {part: found for part, found in twice.items() if found} == {}


def test_nothing_in_a_dialog_is_said_twice(qtbot, window, said):
    """Nor by the hint of a field whose name it is."""
    wrong = {}

    def look(title, dialog):
        if found := descriptions_that_repeat(dialog):
            wrong[title] = found

    look_at_dialogs(window, qtbot.waitUntil, look)
    assert wrong == {}


def test_a_button_is_described_by_its_key_alone(qtbot, window, said):
    """What a tooltip says beside the name is still heard."""
    window.views.show(Mode.COMPARE)
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    buttons = window.views.page(Mode.COMPARE).head.findChildren(QAbstractButton)
    systems = next(each for each in buttons if each.accessibleName() == "Systems")
    heard = QAccessible.queryAccessibleInterface(systems)
    assert heard.text(QAccessible.Text.Description) == "Y"


def test_the_explanation_is_neither_on_nor_off_where_it_is_not_seen(qtbot, window, said):
    """In focus no values are shown: the key says so, and leaves it as it was."""
    action = window.actions_by_name.action("view.explain")
    window.views.show(Mode.FOCUS)
    qtbot.waitUntil(lambda: any("Focus view." in each for each in said))
    for _ in range(2):
        said.clear()
        qtbot.keyClick(QApplication.focusWidget(), "=")
        qtbot.waitUntil(
            lambda: said == ["The values, and how they come about, are not shown here."]
        )
        assert action.isChecked()


def test_an_import_without_a_project_says_what_comes_first(qtbot):
    """The start window is not silent."""
    with listening() as texts, opened_window(qtbot) as window:
        qtbot.keyClick(window, "i", CTRL)
    assert texts == ["No project is open to import into. Ctrl+N makes one, Ctrl+O opens one."]
