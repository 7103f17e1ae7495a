"""What the what-if view asks: names, other runs, documents to insert, rules, baselines."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from shiboken6 import isValid

from judgetool.core.judgments import Document, Query
from judgetool.core.rankings import Move, Remove
from judgetool.gui.actions import Mode
from judgetool.gui.dialogs.act_dialog import ActDialog
from judgetool.gui.dialogs.choose import MessageDialog
from judgetool.gui.dialogs.project_values import RunsDialog
from judgetool.gui.jobs import Jobs
from judgetool.gui.table_copy import table_of_model
from judgetool.gui.theme import current_theme
from judgetool.gui.whatif.acts import InsertDialog
from judgetool.gui.whatif.rules_dialog import RuleEditor, RulesDialog, empty_condition
from judgetool.session.comparing.snapshots import create_snapshot
from judgetool.session.comparing.system_values import Baseline, find_baseline, set_baseline
from judgetool.session.comparing.trial import RulesTrial
from judgetool.session.reading_aids import set_language
from judgetool.session.systems import run_system
from judgetool.session.whatifs.applying import Fusion
from judgetool.session.whatifs.book import find_whatif, find_whatif_named, load_whatifs
from judgetool.session.whatifs.editing import assume_grade, create_whatif, set_rules
from judgetool.session.whatifs.rules import Rule
from tests.gui.whatif_fixtures import make_current, order_of, shown_values, soup_parts, whatif_page
from tests.gui.window_fixtures import opened_window
from tests.helpers.builders import Parts, make_project, simple_rule
from tests.helpers.fake_prompter import FakePrompter


@pytest.fixture
def window(qtbot, tmp_path):
    with make_project(tmp_path, soup_parts()) as session:
        path = session.path
    with opened_window(qtbot, path) as shown:
        yield shown


@pytest.fixture
def page(window):
    return whatif_page(window)


@pytest.fixture
def answered(monkeypatch):
    """Return a function that does something to the next dialog and takes its verb."""

    def answer(act, do):
        def is_answered(dialog):
            act(dialog)
            return dialog.verb.isEnabled()

        monkeypatch.setattr(ActDialog, "is_answered", is_answered)
        do()

    return answer


def trigger(window, name):
    """Return what triggers an action of the What-if menu."""
    return window.actions_by_name.action(f"whatif.{name}").trigger


def test_a_new_whatif_gets_the_name_that_is_typed(answered, window, page):
    """New what-if asks for a name and shows what was made."""
    answered(lambda dialog: dialog.field.setText("beef first"), trigger(window, "new"))
    assert page.ranking.head.name == "beef first"


def test_a_whatif_is_renamed_copied_and_deleted(answered, window, page):
    """Each is a step of the project, and the view follows it."""
    page.ranking.move(page.ranking.orders.order[5], 1)
    answered(lambda dialog: dialog.field.setText("one"), trigger(window, "rename"))
    answered(lambda dialog: dialog.field.setText("two"), trigger(window, "copy"))
    assert page.ranking.head.name == "two"
    assert page.ranking.head.origin == "one"
    trigger(window, "delete")()
    assert [each.name for each in load_whatifs(window.session)] == ["one"]
    assert page.ranking.head is None
    assert order_of(page)[0] == "d0"


def test_a_note_goes_with_its_whatif(answered, window, page):
    """What is written under Note… is kept in the project; as it was, nothing is written."""
    page.ranking.move(page.ranking.orders.order[5], 1)
    answered(lambda dialog: dialog.field.setPlainText("title counts more"), trigger(window, "note"))
    assert load_whatifs(window.session)[0].note == "title counts more"
    before = window.session.undo_step
    answered(lambda _dialog: None, trigger(window, "note"))
    assert window.session.undo_step == before


def test_a_name_that_is_taken_is_refused_in_words(answered, window, page):
    """A run's name is no name for a what-if, and the status line says so."""
    answered(lambda dialog: dialog.field.setText("beta"), trigger(window, "new"))
    assert load_whatifs(window.session) == []
    assert "beta already" in window.status.message.text


def test_the_order_of_another_run_is_taken(answered, window, page):
    """The documents stand as the chosen run has them; those it alone has stay out."""
    answered(lambda _dialog: None, trigger(window, "take_order"))
    assert order_of(page) == [f"d{n}" for n in reversed(range(8))]


def test_an_order_that_stands_already_is_said_to(answered, window, page):
    """Taking another run's order a second time is no step, and the status line says why."""

    def choose_beta(dialog):
        next(each for each in dialog.radios.buttons() if each.text().endswith("beta")).click()

    answered(choose_beta, trigger(window, "take_order"))
    steps = page.ranking.orders.steps
    answered(choose_beta, trigger(window, "take_order"))
    assert page.ranking.orders.steps == steps
    assert "same as now: nothing was moved" in window.status.message.text


def test_fusing_brings_in_what_the_other_run_has(answered, window, page):
    """Reciprocal rank fusion with a run adds its further documents."""
    answered(lambda _dialog: None, trigger(window, "fuse"))
    assert "d8" in order_of(page)


def test_two_runs_fused_are_a_whatif_of_their_own(answered, window, page):
    """Fused over all queries, it starts from the fused order and has no steps."""
    answered(lambda _dialog: None, trigger(window, "fuse_runs"))
    assert page.ranking.head.how == "fused"
    assert page.ranking.orders.steps == ()
    assert len(order_of(page)) == 9


def test_a_missed_document_is_inserted_before_the_current_one(answered, window, page):
    """The dialog offers what other runs have; its answer goes in at the rank it says."""
    make_current(page, "d2")
    answered(lambda _dialog: None, trigger(window, "insert"))
    assert order_of(page)[2] == "d8"


def test_the_search_for_missed_documents_finds_titles(qtbot, window, page):
    """Words of a title that nothing has lead to a sentence and no answer."""
    session, query = window.session, page.ranking.query
    dialog = InsertDialog(session, query, page.ranking.orders.order, rank=1)
    qtbot.addWidget(dialog)
    assert dialog.answer is not None
    dialog.field.setText("no such title")
    dialog.search()
    assert dialog.answer is None
    assert not dialog.verb.isEnabled()


def test_cards_mark_the_terms_that_the_list_marks(qtbot, tmp_path):
    """In the language of the texts: a word that tells nothing there is marked nowhere."""
    parts = Parts(
        [Query("q", "die Suppe")],
        [Document(f"d{n}", "Brot", "", "Hier ist die Rede von Brot.") for n in range(3)],
        {"alpha": {"q": ["d0", "d1", "d2"]}},
    )
    with make_project(tmp_path, parts) as session:
        session.execute(set_language("german"))
        path = session.path
    with opened_window(qtbot, path) as window:
        page = whatif_page(window)
        qtbot.waitUntil(lambda: page.orders.cards.order and window.schedule.is_settled)
        image, mark = page.orders.viewport().grab().toImage(), current_theme().marks[0].rgb()
        assert not any(
            image.pixel(x, y) == mark for y in range(image.height()) for x in range(image.width())
        )


def test_arrows_walk_through_the_found_documents(qtbot, window, page):
    """From the field in which they are looked for, as where one goes to a document."""
    page.ranking.do(Remove(window.session.material.find_document("d1")))
    dialog = InsertDialog(window.session, page.ranking.query, page.ranking.orders.order, rank=1)
    qtbot.addWidget(dialog)
    dialog.show()
    first = dialog.answer
    for key, row in ((Qt.Key.Key_PageDown, dialog.rows.count() - 1), (Qt.Key.Key_Up, 0)):
        qtbot.keyClick(dialog.field, key)
        assert dialog.rows.currentRow() == row
    qtbot.keyClick(dialog.field, Qt.Key.Key_Down)
    assert dialog.answer != first
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.result() == dialog.DialogCode.Accepted


def test_enter_takes_no_row_of_what_was_typed_before(qtbot, window, page):
    """The list follows what is typed a moment later; Enter does not wait for it."""
    dialog = InsertDialog(window.session, page.ranking.query, page.ranking.orders.order, rank=1)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.keyClicks(dialog.field, "no such title")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.answer is None
    assert dialog.result() != dialog.DialogCode.Accepted


def test_a_document_that_was_taken_out_names_its_own_run(qtbot, window, page):
    """The run of the what-if itself is no other one."""
    page.ranking.do(Remove(window.session.material.find_document("d1")))
    dialog = InsertDialog(window.session, page.ranking.query, page.ranking.orders.order, rank=1)
    qtbot.addWidget(dialog)
    sides = [
        dialog.rows.item(row).data(Qt.ItemDataRole.UserRole).side
        for row in range(dialog.rows.count())
    ]
    assert any(side.endswith("rank 2 in alpha") for side in sides)


def test_rules_say_what_they_would_do_and_do_it(qtbot, answered, window, page):
    """The means that the dialog announces are those that the what-if gets."""
    rule = simple_rule("boost", "course", "equals", "starter", 4)

    def write(dialog):
        (line,) = dialog.editor.lines
        line.text.setText("starter")
        line.field.setCurrentText("course")
        line.match.setCurrentIndex(1)
        dialog.editor.ranks.setValue(4)
        qtbot.waitUntil(lambda: "match" in dialog.effect.text())
        told.append(dialog.effect.text())
        shown.extend(map(tuple, table_of_model(dialog.means.model())[1:]))

    told: list[str] = []
    shown: list[tuple[str, ...]] = []
    answered(write, trigger(window, "rules"))
    assert page.ranking.head.rules == (rule,)
    assert told[0].startswith("4 documents match")
    means = {str(row.measure): row for row in page.ranking.trial.rows(page.ranking.orders.order)}
    (row,) = [each for each in shown if each[0] == "nDCG@10"]
    assert row[2] == f"{means['nDCG@10'].mean_new:.4f}"
    # All three queries have the same ranking, so all gain or all lose.
    assert row[4:] in (("3", "0"), ("0", "3"))
    assert order_of(page)[:2] == ["d1", "d3"]


def test_rules_are_read_anew_after_reopening(qtbot, tmp_path):
    """A project that is opened again shows a what-if with rules as it was left."""
    with make_project(tmp_path, soup_parts()) as session:
        whatif = create_whatif(session, "starters", 1)
        set_rules(session, whatif, [simple_rule("bottom", "course", "equals", "main")])
        path = session.path
    with opened_window(qtbot, path) as window:
        page = whatif_page(window)
        page.ranking.choose_whatif(whatif)
        assert order_of(page) == ["d1", "d3", "d5", "d7", "d0", "d2", "d4", "d6"]


def test_the_effect_of_rules_counts_moves_by_hand(window, page):
    """What was moved by hand comes after the rules also in the announced means."""
    page.ranking.move(page.ranking.orders.order[7], 1)
    rules = [simple_rule("remove", "title", "contains", "recipe 0")]
    effect = RulesTrial(window.session, page.ranking.head).work(rules)(None, None)
    assert effect.n_documents == 1
    assert effect.changed_queries() == [0, 1, 2]
    before = [row.mean_new for row in page.ranking.trial.rows(page.ranking.orders.order)]
    assert list(effect.share().after) != before


def test_a_regular_expression_that_is_none_is_said(qtbot, window, page):
    """What cannot be applied keeps the verb closed and says why."""
    page.ranking.move(page.ranking.orders.order[7], 1)
    dialog = RulesDialog(window.session, page.ranking.head, window.jobs)
    qtbot.addWidget(dialog)
    dialog.editor.lines[0].match.setCurrentIndex(2)
    dialog.editor.lines[0].text.setText("(")
    assert not dialog.verb.isEnabled()
    assert "regular expression" in dialog.remark.text()
    dialog.reject()


def test_an_expression_that_is_not_run_is_said(qtbot, window, page):
    """A pattern that needs more than linear time can be kept; the dialog says that it does nothing."""
    page.ranking.move(page.ranking.orders.order[7], 1)
    dialog = RulesDialog(window.session, page.ranking.head, window.jobs)
    qtbot.addWidget(dialog)
    dialog.editor.lines[0].match.setCurrentIndex(2)
    dialog.editor.lines[0].text.setText("a(?=b)")
    qtbot.waitUntil(lambda: "not supported" in dialog.effect.text())
    assert dialog.verb.isEnabled()
    dialog.reject()


def test_the_effect_of_rules_names_assumed_grades(qtbot, window, page):
    """They count in the figures below it, with the rules and without."""
    page.ranking.move(page.ranking.orders.order[7], 1)
    session, head = window.session, page.ranking.head
    fresh = next(each for each in page.ranking.orders.order if each not in session.board.settled(0))
    assume_grade(session, head.id, 0, fresh, 3.0)
    set_rules(session, head.id, [simple_rule("remove", "title", "contains", "recipe 0")])
    dialog = RulesDialog(session, find_whatif(session, head.id), window.jobs)
    qtbot.addWidget(dialog)
    said = f"The figures of {head.name} count 1 assumed grade that nobody judged"
    qtbot.waitUntil(lambda: said in dialog.effect.text())
    dialog.reject()


def test_another_baseline_changes_arrows_and_old_values(window, page):
    """Against another run, movement and old values are that run's."""
    session = window.session
    other = run_system(session, session.material.runs[1].run_id)
    before = shown_values(page)["nDCG@10"]
    set_baseline(session, Baseline.of_system(other))
    facts = page.orders.cards.facts(page.ranking.orders.order[0])
    assert facts.movement == "↑8"
    assert shown_values(page)["nDCG@10"][0] != before[0]
    assert "beta" in page.values.against.text()


def test_a_card_speaks_of_one_comparison(window, page):
    """A document that the other run lacks is new and was nowhere; one that it has was there."""
    session, material = window.session, window.session.material
    lacking, both = (material.find_document(name) for name in ("d8", "d7"))
    set_baseline(session, Baseline.of_system(run_system(session, material.runs[0].run_id)))
    page.ranking.choose_run(material.runs[1].run_id)
    facts = page.orders.cards.facts(lacking)
    assert (facts.movement, facts.was) == ("new", None)
    facts = page.orders.cards.facts(both)
    assert (facts.rank, facts.movement, facts.was) == (2, "↑6", 8)


def test_compare_with_keeps_the_choice_in_the_project(answered, window, page):
    """Compare with… offers runs, what-ifs, snapshots and moments, and keeps what is chosen."""
    session = window.session
    key = run_system(session, session.material.runs[1].run_id).key
    answered(lambda dialog: dialog.buttons[key].setChecked(True), trigger(window, "against"))
    assert find_baseline(session).name == "beta"


def test_undo_in_another_query_leads_there(window, page):
    """Undoing a move shows the what-if that it belonged to."""
    page.ranking.move(page.ranking.orders.order[7], 1)
    first = page.ranking.head.id
    page.ranking.choose_whatif("")
    page.ranking.do(Remove(page.ranking.orders.order[0]))
    page.ranking.choose_whatif(first)
    window.view.judging.undo()
    assert page.ranking.head.id != first


def test_a_whatif_is_found_by_name_for_commands(page):
    """What the view makes is what `judgetool export --run` finds."""
    page.ranking.do(Move(page.ranking.orders.order[3], 1))
    assert find_whatif_named(page.ranking.session, page.ranking.head.name) == page.ranking.head


def test_the_live_panel_measures_changes_against_the_baseline(window):
    """In the list view ‘baseline’ shows this run's values minus the baseline's, by its name."""
    session = window.session
    other = run_system(session, session.material.runs[1].run_id)
    set_baseline(session, Baseline.of_system(other))
    live = window.live
    live._values.against_chosen.emit("baseline")
    run, query = window.view.judging.run_id, window.view.judging.query
    engine = session.board.engine
    place = [str(measure) for measure in session.measures].index("nDCG@10")
    ours, theirs = (engine.value(key, query)[place].value for key in (run, int(other.id)))
    assert live._changes.changes_of(run, query)[place] == pytest.approx(ours - theirs)
    assert live._changes.baseline.name == "beta"


@pytest.fixture
def ruled(qtbot, window, page):
    """The dialog of a what-if with three rules."""
    rules = [
        simple_rule("bottom", "course", "equals", "main"),
        Rule("score", formula="score * (1 + 0.3 * rank)"),
        Rule("collapse", by="course", is_on=False),
    ]
    session = window.session
    whatif = create_whatif(session, "tuned", session.material.runs[0].run_id, rules=rules)
    page.ranking.choose_whatif(whatif)
    dialog = RulesDialog(session, page.ranking.head, window.jobs, measure="nDCG@10")
    qtbot.addWidget(dialog, before_close_func=RulesDialog.hide)
    dialog.show()
    qtbot.waitUntil(lambda: dialog._effect is not None)
    yield dialog
    dialog.done(0)


def test_rules_are_discarded_only_after_a_question(hands, ruled):
    """Esc asks, as of a note; who goes on finds them as they were."""
    hands.window = ruled
    ruled.add.click()
    ruled.editor.lines[0].text.setText("curry")
    hands.answers = [(MessageDialog, lambda _asked: hands.press(Qt.Key.Key_Escape))]
    hands.press(Qt.Key.Key_Escape)
    assert not hands.answers
    assert ruled.isVisible()


def test_of_two_fields_that_differ_by_capitals_the_typed_one_is_taken(qtbot, hands):
    """As of two files’ ‘Price’ and ‘price’."""
    editor = RuleEditor(("title", "Price", "price"))
    editor.show_draft({"action": "boost", "where": [empty_condition(("title",))]})
    qtbot.addWidget(editor)
    editor.show()
    hands.window = editor
    field = editor.lines[0].field
    field.setFocus()
    hands.see(field.hasFocus)
    hands.type("price", over=True)
    hands.press(Qt.Key.Key_Tab)
    assert editor.draft["where"][0]["field"] == "price"


def test_a_rule_without_a_text_is_an_empty_rule(ruled):
    """So it is seen and heard; what it lacks is said below."""
    ruled.add.click()
    said = ruled.rows.currentItem().data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "4  Empty rule"


def test_beside_a_rule_that_is_refused_stands_no_effect(qtbot, ruled):
    """What the rules before it did would be taken for its own."""
    assert "match" in ruled.effect.text()
    ruled.rows.setCurrentRow(1)
    ruled.editor.formula.clear()
    qtbot.keyClicks(ruled.editor.formula, "score *")
    assert (ruled.effect.text(), ruled.means.isVisible(), ruled.queries.isVisible()) == (
        *("", False, False),
    )
    assert [ruled._row(place).side for place in range(3)] == ["", "", ""]


def test_a_slider_follows_a_number_of_the_formula(qtbot, ruled):
    """Moved, it writes the number into the formula, and every figure follows."""
    ruled.rows.setCurrentRow(1)
    one, weight = ruled.editor.sliders.sliders
    assert one.value() == weight.value()
    for value in (300, 200, 0):
        weight.setValue(value)
    last = "score * (1 + 0 * rank)"
    assert ruled.editor.formula.text() == last
    qtbot.waitUntil(lambda: ruled._effect.rules[1].formula == last)
    assert ruled.rows.chosen.title == f"2  Score by {last}"


def test_a_slider_writes_a_large_number_in_digits(ruled):
    """Not with an exponent, in the formula and beside the slider."""
    ruled.rows.setCurrentRow(1)
    ruled.editor.formula.clear()
    QTest.keyClicks(ruled.editor.formula, "score + 2000000")
    (slider,) = ruled.editor.sliders.sliders
    assert slider.accessibleName().endswith(" 2000000")
    slider.setValue(80)
    assert ruled.editor.formula.text() == "score + 1600000"
    assert slider.accessibleName().endswith(" 1600000")


@pytest.mark.parametrize(("button", "place"), [("up", 1), ("down", 1)])
def test_an_arrow_at_the_end_of_the_rules_gives_the_keyboard_to_the_list(
    qtbot, ruled, button, place
):
    """Space pressed once more takes no rule away."""
    ruled.rows.setCurrentRow(place)
    arrow = getattr(ruled, button)
    arrow.setFocus()
    for _ in range(2):
        qtbot.keyClick(ruled.focusWidget(), Qt.Key.Key_Space)
    assert len(ruled._drafts) == 3
    assert ruled.focusWidget() is ruled.rows


def test_tab_walks_through_a_rule_as_the_eye_does(qtbot, ruled):
    """From the texts of queries over the condition to what adds another, before all that is below."""
    ruled.editor.queries.setFocus()
    stops = []
    for _ in range(5):
        qtbot.keyClick(ruled.focusWidget(), Qt.Key.Key_Tab)
        stops.append(ruled.focusWidget())
    (line,) = ruled.editor.lines
    assert stops == [line.field, line.match, line.text, ruled.editor.add, ruled.has_aside]


def test_the_rules_come_back_from_the_task_bar_with_another_rule(qtbot, ruled):
    """The field that had the keyboard at first is gone by then; who writes goes on writing."""
    qtbot.mouseClick(ruled.add, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(ruled.first))
    held = ruled.focusWidget()
    ruled.showMinimized()
    ruled.showNormal()
    assert ruled.focusWidget() is held
    assert held is ruled.editor.lines[0].text


def test_rules_are_moved_switched_and_taken_away_by_keys(qtbot, ruled):
    """Alt+Down applies a rule later, Del takes it away, and one that is off stays in its place."""
    qtbot.keyClick(ruled.rows, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert [rule.action for rule in ruled.rules] == ["score", "bottom", "collapse"]
    qtbot.keyClick(ruled.rows, Qt.Key.Key_Delete)
    ruled.rows.setCurrentRow(0)
    ruled.is_on.click()
    assert [(rule.action, rule.is_on) for rule in ruled.rules] == [
        ("score", False),
        ("collapse", False),
    ]


def test_what_is_typed_in_stays_in_its_place(qtbot, ruled):
    """Whatever comes or goes below: which queries change, and what is said of a field's numbers."""
    places = []
    for field in ("course", "nothing has it"):
        seen = ruled._effect
        rule = simple_rule("bottom", field, "equals", "main")
        ruled._drafts = [rule.to_dict()]
        ruled._select(0)
        qtbot.waitUntil(lambda seen=seen: ruled._effect not in (None, seen))
        ruled.resize(ruled.width(), 560)
        qtbot.waitUntil(lambda: ruled.height() == 560)
        places.append(ruled.editor.y())
    assert places[0] == places[1]


def test_a_query_whose_id_is_its_text_is_named_once(qtbot, tmp_path):
    """Among the queries that rules change, as of a shop's log, whose texts are their ids."""
    parts = soup_parts()
    parts.queries[:] = [Query(each.id, each.id) for each in parts.queries]
    with make_project(tmp_path, parts) as session:
        rules = [Rule("score", formula="0 - score")]
        whatif = create_whatif(session, "turned", session.material.runs[0].run_id, rules=rules)
        dialog = RulesDialog(session, find_whatif(session, whatif), Jobs(), measure="nDCG@10")
        qtbot.addWidget(dialog, before_close_func=RulesDialog.hide)
        dialog.show()
        qtbot.waitUntil(lambda: dialog._effect is not None)
        _heads, *rows = table_of_model(dialog.queries.model())
        assert {row[0] for row in rows} <= {each.id for each in parts.queries}
        assert rows
        dialog.done(0)


def test_every_query_that_a_rule_changes_is_listed_with_its_interval(qtbot, window, ruled):
    """The table has each query's values, its change and the interval; kept aside it says so."""
    ruled.has_aside.setChecked(True)
    ruled.share.setValue(34)
    qtbot.waitUntil(lambda: ruled._effect is not None and ruled._effect.is_aside.sum() == 1)
    ruled._find_intervals()
    qtbot.waitUntil(lambda: "…" not in table_of_model(ruled.queries.model())[1])
    heads, *rows = map(list, table_of_model(ruled.queries.model()))
    assert heads[0] == "Query"
    assert heads[-3:] == ["At least", "At most", "Kept aside"]
    assert len(rows) == 3
    assert sorted(row[-1] for row in rows) == ["", "", "aside"]
    means = [list(row) for row in table_of_model(ruled.means.model())]
    assert means[0][-2:] == ["Tuned on", "Kept aside"]


def test_rules_that_are_not_applied_leave_nothing_behind(monkeypatch, window, page):
    """Opening Rules… and leaving makes no what-if."""
    monkeypatch.setattr(ActDialog, "is_answered", lambda _dialog: False)
    trigger(window, "rules")()
    assert load_whatifs(window.session) == []


def test_a_fused_whatif_is_compared_with_the_first_run_until_another_is_chosen(
    answered, window, page
):
    """Compared with the order where it came from, which is its own, every value would be the same."""
    answered(lambda _dialog: None, trigger(window, "fuse_runs"))
    assert (page.ranking.against, find_baseline(window.session)) == ("alpha", None)
    old, new = shown_values(page)["nDCG@10"]
    alpha = window.session.material.runs[0].run_id
    place = [str(each) for each in window.session.measures].index("nDCG@10")
    assert old == window.session.board.engine.numbers(alpha, page.ranking.query)[place] != new
    answered(lambda dialog: dialog.buttons[""].setChecked(True), trigger(window, "against"))
    assert len({*shown_values(page)["nDCG@10"]}) == 1
    assert page.ranking.against.startswith("fused of alpha + beta")
    beta = run_system(window.session, window.session.material.runs[1].run_id)
    answered(lambda dialog: dialog.buttons[beta.key].setChecked(True), trigger(window, "against"))
    assert page.ranking.against == "beta"


def test_the_cards_of_a_fused_whatif_say_whose_ranks_they_had(answered, window, page):
    """‘was 5’ is of the run it is compared with, and not of the fused order beside it."""
    answered(lambda _dialog: None, trigger(window, "fuse_runs"))
    assert page.orders.cards.names[2] == "ranks against alpha"
    answered(lambda dialog: dialog.buttons[""].setChecked(True), trigger(window, "against"))
    assert page.orders.cards.names[2] == ""


def test_runs_are_fused_with_weights(answered, window, page):
    """The dialog's runs, weights and k make the what-if; a weight that is none is said."""

    def weigh(dialog):
        dialog.weights[1].setText("much")
        assert not dialog.verb.isEnabled()
        dialog.weights[1].setText("2,5")
        dialog.k.setValue(10)

    answered(weigh, trigger(window, "fuse_runs"))
    assert page.ranking.head.fusion == Fusion("ranks", 10, (1.0, 2.5))
    assert page.ranking.head.origin == "fused of alpha + 2.5 × beta, k = 10"
    before, fused = page.ranking.head, order_of(page)
    # In its place: the form begins with what there is, and Undo brings that back.
    answered(lambda dialog: dialog.weights[1].setText("0"), trigger(window, "change_fusion"))
    assert page.ranking.head == replace(before, fusion=Fusion("ranks", 10, (1.0, 0.0)))
    assert order_of(page) != fused
    window.session.undo()
    assert (page.ranking.head, order_of(page)) == (before, fused)
    # From Compare, of the row of the table.
    window.views.show(Mode.COMPARE)
    compared = window.views.page(Mode.COMPARE).compared
    compared.choose_system(f"what-if:{before.id}")
    act = window.actions_by_name.action("compare.change_fusion").trigger
    answered(lambda dialog: dialog.k.setValue(3), act)
    assert find_whatif(window.session, before.id).fusion == Fusion("ranks", 3, (1.0, 2.5))
    compared.choose_system(compared.baseline.key)
    answered(lambda _dialog: None, act)
    assert "is no fusion of runs" in window.status.message.text


def test_rules_are_saved_to_a_file_and_taken_from_one(window, page, tmp_path):
    """By its ending the file is for an engine; what is no file of rules is said, and changes nothing."""
    session, run = window.session, window.session.material.runs[0].run_id
    rules = (Rule("score", formula="score * 2"), Rule("collapse", by="course"))
    page.ranking.choose_whatif(create_whatif(session, "tuned", run, rules=rules))
    kept, solr = tmp_path / "kept.json", tmp_path / "kept.solr.txt"
    prompter = FakePrompter(places=[kept, solr], files=[[kept], [solr]])
    window.prompter = prompter
    trigger(window, "save_rules")()
    trigger(window, "save_rules")()
    assert solr.read_text(encoding="utf-8").splitlines()[1] == "boost=2"
    page.ranking.choose_whatif("")
    trigger(window, "load_rules")()
    assert (page.ranking.head.name, page.ranking.head.rules) == ("kept", rules)
    trigger(window, "load_rules")()
    assert "is no file of rules" in prompter.told[0]
    assert page.ranking.head.rules == rules
    page.ranking.choose_whatif(create_whatif(session, "blank", run))
    window.prompter = FakePrompter(places=[None, tmp_path / "away" / "x.json"], files=[[kept]])
    trigger(window, "load_rules")()
    assert (page.ranking.head.name, page.ranking.head.rules) == ("blank", rules)
    trigger(window, "save_rules")()
    trigger(window, "save_rules")()
    assert "away" in window.prompter.told[0]


def test_an_export_that_cannot_be_written_is_said(qtbot, window, page, tmp_path):
    """What has no folder to stand in is named, and nothing is."""
    window.prompter = FakePrompter(places=[None, tmp_path / "away" / "x.run"])
    trigger(window, "export")()
    trigger(window, "export")()
    qtbot.waitUntil(lambda: "away" in window.status.message.text)
    assert "result" not in window.status.message.text


def test_values_are_compared_with_a_snapshot(window, page, answered):
    """What was frozen stands among what one can compare with."""
    create_snapshot(window.session, "monday")

    def choose(dialog):
        (button,) = (b for b in dialog.buttons.values() if "Snapshot monday" in b.text())
        button.setChecked(True)

    answered(choose, trigger(window, "against"))
    assert "monday" in page.values.against.text()


def test_runs_are_renamed_and_taken_out_in_their_dialog(qtbot, window, page):
    """What uses a run stands under it; each change is a step that Undo takes back."""
    session = window.session
    create_whatif(session, "made of alpha", session.material.runs[0].run_id)
    dialog = RunsDialog(session)
    qtbot.addWidget(dialog)
    assert "made of alpha" in dialog.uses.text()
    assert not dialog.rename.isEnabled()
    dialog.field.setText("beta")
    assert "Another run is called beta" in dialog.remark.text()
    dialog.field.setText("first")
    dialog.rename.click()
    assert dialog.rows.chosen.title == "first"
    dialog.take_out.click()
    assert [run.name for run in session.material.runs] == ["beta"]
    assert load_whatifs(session) == []
    window.view.judging.undo()
    assert [run.name for run in session.material.runs] == ["first", "beta"]
    assert load_whatifs(session)[0].origin == "first"


def test_another_scale_takes_an_assumed_grade_along(qtbot, window, page, answered):
    """What was assumed on a level that goes stands on the one that judgments of it get, and counts."""
    make_current(page, "d3")
    qtbot.keyClick(page.orders, Qt.Key.Key_3)
    document = window.session.material.find_document("d3")
    assert page.ranking.assumed_grade(document) == 3

    def choose(dialog):
        dialog.presets.setCurrentIndex(dialog.presets.findData("binary"))
        dialog.presets.activated.emit(dialog.presets.currentIndex())
        assert "1 assumed grade of what-ifs follows." in dialog.lost.more.text()

    answered(choose, window.actions_by_name.action("project.scale").trigger)
    assert page.ranking.assumed_grade(document) == 1
    assert "–" not in shown_values(page)["nDCG@10"]


@pytest.mark.parametrize("part", ["field", "rename"])
def test_enter_renames_a_run_and_the_keyboard_stays_in_its_name(qtbot, window, part):
    """The dialog stays, in the name as on the button; nothing that takes the run out is at hand."""
    dialog = RunsDialog(window.session)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.field.setFocus()
    dialog.field.selectAll()
    qtbot.keyClicks(dialog.field, "first")
    getattr(dialog, part).setFocus()
    qtbot.keyClick(getattr(dialog, part), Qt.Key.Key_Return)
    assert [run.name for run in window.session.material.runs] == ["first", "beta"]
    assert (dialog.isVisible(), dialog.focusWidget()) == (True, dialog.field)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible()


def test_without_a_run_there_is_none_to_rename_or_take_out(qtbot, tmp_path):
    """The dialog says what brings one."""
    with make_project(tmp_path, Parts()) as session:
        dialog = RunsDialog(session)
        qtbot.addWidget(dialog)
        can = [part.isEnabled() for part in (dialog.field, dialog.rename, dialog.take_out)]
        assert can == [False, False, False]
        assert (
            dialog.uses.text() == "There is no run in this project. Project ▸ Import… brings one."
        )
